//! The figures of the index.

use super::driver::Browser;
use crate::support::{Folder, check};

#[test]
fn the_flat_region_is_shaded_and_told_in_both_languages() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    let rows = "--algorithm cevc:alpha=0.0..1.0/0.1 --algorithm cevc:alpha=exact --algorithm nta:coherence=0.7|0.8|0.9,density=0.3|0.5|0.7";
    check(&folder, &format!("run --where language=zh {rows} --out o"), 0, &[]);
    let english = ["not separable from the best (", "over alpha", "(exact)", "coherence and density"];
    let chinese = ["与最佳无显著差异（", "随 alpha 的变化", "（精确）", "coherence 与 density"];
    for (language, [told, over, exact, grid]) in [("en", english), ("zh", chinese)] {
        check(&folder, &format!("report o --lang {language}"), 0, &[]);
        browser.go(&folder.path("o/index.html"));
        browser.assert_quiet("the index");
        let with = |shade: &str| {
            browser.text(&format!(
                "return [...document.querySelectorAll('figure')].filter(f => f.querySelector('{shade}')).map(f => f.textContent).join('|')",
            ))
        };
        let curves = with("rect[fill=\"var(--flat)\"]");
        assert!(curves.contains(over) && curves.contains(exact), "{curves}");
        assert!(curves.matches(told).count() >= 2, "{told} {curves}");
        let cells = with("polyline[stroke=\"#010101\"]");
        assert!(cells.contains(grid) && cells.contains(told), "{cells}");
    }
}

#[test]
fn figures_and_their_axes_are_called_in_the_language_of_the_report() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    check(&folder, "run --where group=zh-news --algorithm all-text --algorithm nta --out o", 0, &[]);
    let english = ["portals: precision against recall", "recall", "portals: recall by site"];
    let chinese = ["portals：精确率与召回率", "召回率", "portals：各站点的召回率"];
    for (language, [scatter, axis, bars]) in [("en", english), ("zh", chinese)] {
        check(&folder, &format!("report o --lang {language}"), 0, &[]);
        browser.go(&folder.path("o/index.html"));
        browser.assert_quiet("the index");
        let texts = |stem: &str| {
            browser.text(&format!(
                "return [...document.getElementById('figure-{stem}').querySelectorAll('text')].map(t => t.textContent.trim()).join('|')"
            ))
        };
        let told = texts("portals-precision-recall");
        assert!([scatter, axis].iter().all(|text| told.split('|').any(|told| told == *text)), "{told}");
        let titles = texts("portals-sites-recall");
        assert!(titles.contains(bars), "{titles}");
        assert!(folder.read("o/figures/portals-sites-recall.svg").contains(bars), "the file is what the page shows");
    }
}

#[test]
fn the_front_of_the_figure_of_times_is_a_line_with_bold_names() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    check(&folder, "run --where group=zh-news --algorithm all-text --algorithm nta --time --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");
    let figure = "document.getElementById('figure-portals-time')";
    let bold =
        browser.number(&format!("return {figure}.querySelectorAll('g[data-row] text[font-weight=bold]').length"));
    assert!(bold > 0);
    let told = browser.text(&format!("return {figure}.textContent"));
    assert!(told.contains("time: preparing and choosing"), "{told}");
    let readout = browser.text(&format!(
        "{figure}.dispatchEvent(new KeyboardEvent('keydown', {{key: 'ArrowRight'}})); return {figure}.querySelector('.readout').textContent"
    ));
    assert!(readout.starts_with("nta") && readout.ends_with(" ms"), "{readout}");
}

/// A dataset of three sites, and so many systems that extract more or less of its golds.
fn of_systems(count: usize) -> Folder {
    let words: Vec<String> = (0..200).map(|i| format!("word{i}")).collect();
    let ids = ["a", "b", "c", "d", "e", "f"];
    let page = |(i, id): (usize, &&str)| {
        let text = words[..120 + 10 * i].join(" ");
        format!(
            "{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>{text}\"}},\"site\":\"site{}.org\",\"gold\":{{\"text\":\"{text}\"}}}}\n",
            i / 2
        )
    };
    let list: String = ids.iter().enumerate().map(page).collect();
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let mut folder = Folder::new().with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", list);
    for system in 0..count {
        let name = format!("system-{system:03}{}", if system % 7 == 0 { "-with-a-rather-long-name" } else { "" });
        let output = |(i, id): (usize, &&str)| {
            // As systems on real pages do, most lie close to each other.
            let taken = 20 + (system * 97 + i * 13) % 100;
            let noise = vec!["noise"; (system * 31 + i) % 40].join(" ");
            format!("{{\"id\":\"{id}\",\"text\":\"{} {noise}\"}}\n", words[..taken].join(" "))
        };
        let outputs: String = ids.iter().enumerate().map(output).collect();
        folder = folder.with(&format!("demo/stored/{name}.jsonl"), format!("{{\"system\":\"{name}\"}}\n{outputs}"));
    }
    folder
}

/// Texts that lie on each other or on the mark of a row, or leave the picture; a sentence each.
const FAULTS: &str = r#"
    const faults = [];
    const box = (element) => element.getBoundingClientRect();
    const shared = (a, b) => Math.min(
        Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
    for (const figure of document.querySelectorAll('#figures figure')) {
        const svg = figure.querySelector('svg');
        const [whole, scale] = [box(svg), box(svg).width / 880];
        const texts = [...svg.querySelectorAll('text')].map((text) => [text.textContent.trim(), box(text)]);
        texts.forEach(([text, own], i) => {
            const tell = (what) => faults.push(`${figure.id}: "${text}" ${what}`);
            if (own.left < whole.left || own.right > whole.right || own.top < whole.top || own.bottom > whole.bottom) tell('is cut');
            // Boxes are as high as the font's lines, so a little of two lines is shared.
            for (const [other, its] of texts.slice(0, i)) if (shared(own, its) > 4 * scale) tell(`lies on "${other}"`);
            const isBars = figure.id.includes('-sites-');
            for (const mark of isBars ? [] : svg.querySelectorAll('g[data-row] circle, g[data-row] polygon, g[data-row] rect')) {
                if (box(mark).width < 30 && shared(own, box(mark)) > 3.5 * scale) tell('lies on a mark');
            }
        });
    }
    return faults.slice(0, 20).join('\n') + (faults.length > 20 ? `\n${faults.length} in all` : '');
"#;

#[test]
fn nothing_lies_on_anything_else_in_figures_of_3_40_and_150_rows() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    for count in [3, 40, 150] {
        let folder = of_systems(count);
        check(&folder, "run --dataset ./demo --stored all --no-texts --out o", 0, &[]);
        browser.go(&folder.path("o/index.html"));
        browser.assert_quiet("the index");
        assert_eq!(browser.text(FAULTS), "", "{count} rows");
        let names = "return document.querySelectorAll('#figure-demo-algorithms g[data-row]').length";
        assert_eq!(browser.number(names), count as u64);
    }
}

#[test]
fn figures_of_sweeps_grids_and_times_hold_no_overlap_in_either_language() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    let rows = "--algorithm cevc:alpha=0.0..1.0/0.1 --algorithm cevc:alpha=exact --algorithm nta:coherence=0.7|0.8|0.9,density=0.3|0.5|0.7 \
                --algorithm relevance --algorithm all-text --algorithm semantic --algorithm nonlink-text";
    check(&folder, &format!("run --where language=zh {rows} --time --out o"), 0, &[]);
    for language in ["en", "zh"] {
        check(&folder, &format!("report o --lang {language}"), 0, &[]);
        browser.go(&folder.path("o/index.html"));
        assert_eq!(browser.text(FAULTS), "", "{language}");
    }
}

#[test]
fn rows_that_the_table_leaves_out_are_hidden_in_figures() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = of_systems(4);
    check(&folder, "run --dataset ./demo --stored all --no-texts --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    let hidden = "return document.querySelectorAll('#figure-demo-algorithms g.hidden').length";
    assert_eq!(browser.number(hidden), 0);
    browser.ask(
        "const filter = document.getElementById('rows-filter'); filter.value = 'system-002'; filter.dispatchEvent(new Event('input'));",
    );
    assert_eq!(browser.number(hidden), 3);
    let told = browser.text(
        "document.querySelector('#figure-demo-precision-recall g[data-row=\"2\"]').dispatchEvent(new PointerEvent('pointerenter')); \
         return document.querySelector('#figure-demo-precision-recall .readout').textContent",
    );
    assert!(told.starts_with("stored/system-002: "), "{told}");
    let faded = "return document.querySelectorAll('#figure-demo-algorithms g.faded').length";
    assert_eq!(browser.number(faded), 3);
}

#[test]
fn a_bar_tells_its_own_height() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = of_systems(3);
    check(&folder, "run --dataset ./demo --stored all --no-texts --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    // The pointer is in the middle of the bar of a row at the site that stands at `place`.
    let told = |row: usize, place: usize| {
        browser.text(&format!(
            "const figure = document.getElementById('figure-demo-sites-f1');
             const bar = figure.querySelector('g[data-row=\"{row}\"]').querySelectorAll('rect')[{place}];
             const {{ left, width, top, height }} = bar.getBoundingClientRect();
             bar.dispatchEvent(new PointerEvent('pointermove', {{ bubbles: true, clientX: left + width / 2, clientY: top + height / 2 }}));
             return figure.querySelector('.readout').textContent"
        ))
    };
    let sites = folder.csv("o/figures/demo-sites-f1.csv");
    let expected = |system: &str, site: &str| {
        let line = sites.iter().find(|line| line["algorithm"] == system && line["site"] == site).unwrap();
        format!(
            "{system}, {}: F1 {:.4}",
            if site.is_empty() { "all pages" } else { site },
            line["f1"].parse::<f64>().unwrap()
        )
    };
    let summary = folder.json("o/summary.json");
    let row =
        summary["rows"].as_array().unwrap().iter().position(|row| row["algorithm"] == "stored/system-001").unwrap();
    let known: Vec<String> =
        ["site0.org", "site1.org", "site2.org", ""].map(|site| expected("stored/system-001", site)).into();
    // Squares at the feet of bars are rectangles, too.
    let rects = browser
        .number(&format!("return document.querySelectorAll('#figure-demo-sites-f1 g[data-row=\"{row}\"] rect').length"))
        as usize;
    let found: std::collections::BTreeSet<String> = (0..rects).map(|place| told(row, place)).collect();
    assert_eq!(found, known.into_iter().collect());
    let first = browser.text(
        "const figure = document.getElementById('figure-demo-sites-f1');
         figure.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home'})); return figure.querySelector('.readout').textContent",
    );
    assert!(first.contains(", site0.org: F1 "), "{first}");
}

#[test]
fn a_figure_on_a_small_screen_is_whole_and_can_be_shown_large() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = of_systems(3);
    check(&folder, "run --dataset ./demo --stored all --no-texts --out o", 0, &[]);
    let resize = |width: u32| {
        let size = serde_json::json!({"width": width, "height": 800});
        browser.post(&format!("/session/{}/window/rect", browser.session), &size);
        browser.go(&folder.path("o/index.html"));
    };
    let figure = "const figure = document.querySelector('#figures figure'), hint = figure.querySelector('.wide'),
        picture = figure.querySelector('.picture');";
    let state = format!("{figure} return [!hint.hidden, picture.scrollWidth > picture.clientWidth]");
    resize(1280);
    assert_eq!(browser.ask(&state), serde_json::json!([false, false]), "there is room");
    resize(390);
    assert_eq!(browser.ask(&state), serde_json::json!([true, false]), "it is whole, and can be shown large");
    assert_eq!(browser.ask("return document.documentElement.scrollWidth <= innerWidth"), true, "only figures scroll");
    let names = "const cell = document.querySelector('#rows-table tbody td'), table = cell.closest('.scroll');
        table.scrollLeft = 150; return [table.scrollLeft > 100, cell.getBoundingClientRect().left >= table.getBoundingClientRect().left]";
    assert_eq!(browser.ask(names), serde_json::json!([true, true]), "the names of rows stay in view");
    let words = format!(
        "{figure} return [figure.querySelector('.told').offsetHeight > 10, figure.querySelector('.told').textContent.length > 20]"
    );
    assert_eq!(browser.ask(&words), serde_json::json!([true, true]), "its words stand beside it");
    let turn = format!(
        "{figure} hint.querySelector('button').click(); return [!hint.hidden, picture.scrollWidth > picture.clientWidth]"
    );
    assert_eq!(browser.ask(&turn), serde_json::json!([true, true]), "it is large, and the way back is there");
    assert_eq!(browser.ask(&turn), serde_json::json!([true, false]), "it is whole again");
}

#[test]
fn what_is_pointed_at_is_told_in_view_of_a_figure_that_is_higher_than_the_screen() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = of_systems(45);
    check(&folder, "run --dataset ./demo --stored all --no-texts --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    let readout = "const figure = document.getElementById('figure-demo-algorithms'), readout = figure.querySelector('.readout');
        figure.scrollIntoView(); figure.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home'})); figure.scrollIntoView();
        const [all, told] = [figure, readout].map(element => element.getBoundingClientRect());
        return [all.height > innerHeight, readout.textContent !== '', told.top > 0 && told.bottom <= innerHeight]";
    assert_eq!(browser.ask(readout), serde_json::json!([true, true, true]));
}

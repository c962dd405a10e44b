//! The index, its tables and the file of a page, and an explanation.

use serde_json::json;

use super::driver::Browser;
use super::hostile::HOSTILE;
use crate::support::{Folder, check};

const ROWS: &str = "return document.querySelectorAll('#rows-table tbody tr').length";
const FIRST: &str = "return document.querySelector('#rows-table tbody td').textContent";

#[test]
fn the_report_opens_from_the_disk_and_can_be_worked_with() {
    let folder = Folder::new();
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    check(&folder, "run --where language=zh --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");

    let few = browser.number(ROWS);
    browser.ask("document.getElementById('all-rows').click()");
    assert!(browser.number(ROWS) > few, "every setting is shown");
    browser.ask("const f = document.getElementById('rows-filter'); f.value = 'cevc:alpha=0.5'; f.dispatchEvent(new Event('input'))");
    assert_eq!(browser.number(ROWS), 2, "0.50 and 0.55");
    browser.ask("const f = document.getElementById('rows-filter'); f.value = ''; f.dispatchEvent(new Event('input'))");
    assert_eq!(browser.text(FIRST), "cevc", "the best first");
    let sort = "[...document.querySelectorAll('#rows-table th button')].find(b => b.textContent === 'F1').click()";
    browser.ask(sort);
    assert_eq!(browser.text(FIRST), "all-text", "the worst first");
    let state = browser.text("return document.querySelector('#rows-table th[aria-sort]').getAttribute('aria-sort')");
    assert_eq!(state, "ascending");

    assert!(browser.number("return document.querySelectorAll('figure[aria-label] svg').length") >= 6);
    let told = browser.text(
        "const f = [...document.querySelectorAll('figure')].find(f => f.getAttribute('aria-label').includes('alpha')); f.focus();
         f.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'})); return f.querySelector('.readout').textContent",
    );
    assert!(told.contains("alpha 1: ") && told.contains("F1 0."), "{told}");

    let digits = browser.text("return [0.403450366, 0.40345, 0.03125, -0.00925].map(four).join(' ')");
    assert_eq!(digits, "0.4035 0.4035 0.0313 -0.0093", "as tables in a terminal have them");
    assert_scores(&browser, &folder);

    let duel = browser.text("return document.getElementById('duel').textContent");
    let numbers =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect::<Vec<u64>>();
    let (pages, counted) = duel.split_once(" pages: ").unwrap_or_else(|| panic!("{duel}"));
    let [won, tied, lost] = numbers(counted)[..3] else { panic!("{duel}") };
    assert_eq!(numbers(pages).last(), Some(&(won + tied + lost)), "{duel}");
    let is_bound = browser
        .ask("return [...document.getElementById('row-a').options].some(o => o.textContent.startsWith('oracle'))");
    assert_eq!(is_bound, json!(false), "no one is held against a bound");
    let links = browser.ask("return [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))");
    for link in links.as_array().unwrap().iter().map(|link| link.as_str().unwrap()) {
        let there = match link.split_once('#').unwrap_or((link, "")) {
            ("", id) => browser.ask(&format!("return document.getElementById('{id}') !== null")) == json!(true),
            (file, _) => folder.path(&format!("o/{file}")).exists(),
        };
        assert!(there, "{link} leads nowhere");
    }
    let page = browser.text("return document.querySelector('#pages-table a').getAttribute('href')");
    browser.go(&folder.path(&format!("o/{page}")));
    browser.assert_quiet("a page");
    browser.ask(
        "const b = document.getElementById('row-b'); b.value = [...b.options].find(o => o.textContent === 'all-text').value;
         b.dispatchEvent(new Event('input'))",
    );
    assert!(browser.number("return document.querySelectorAll('#texts ins').length") > 2, "all text is too much");
    assert_eq!(browser.number("return document.querySelectorAll('#texts article').length"), 2, "two beside each other");
    let back = browser.text("return document.querySelector('nav a').getAttribute('href')");
    assert_eq!(back, "../index.html");
    let next = browser.text("return document.querySelector('#before[href], #after[href]').getAttribute('href')");
    browser.go(&folder.path(&format!("o/pages/{next}")));
    let chosen = browser.text("return document.getElementById('row-b').selectedOptions[0].textContent");
    assert_eq!(chosen, "all-text", "the next page shows the rows that were chosen");
}

/// Asserts that the index has the F1 of every row on every page that is in `scores.csv`.
fn assert_scores(browser: &Browser, folder: &Folder) {
    let script = "const [{rows, pages, score}] = data.datasets;
        return Object.fromEntries(pages.flatMap((page, p) =>
            rows.map((row, r) => [[page.id, row.algorithm, row.setting].join(' '), score(p, r, 2)])))";
    let scores = browser.ask(script);
    let lines = folder.csv("o/scores.csv");
    assert_eq!(scores.as_object().unwrap().len(), lines.len());
    for line in lines {
        let name = ["page", "algorithm", "parameters"].map(|column| line[column].as_str()).join(" ");
        let (shown, expected) = (scores[&name].as_f64().unwrap(), line["f1"].parse::<f64>().unwrap());
        assert!((shown - expected).abs() < 0.000_000_6, "{name}: {shown} {expected}");
    }
}

#[test]
fn the_slider_of_an_explanation_moves_and_its_numbers_are_reached_by_keyboard() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let page = "<body><div id=w><div id=nav><a href=1>Home</a> <a href=2>News</a></div>\
        <div id=c><p>aaaaaaaaaa</p><p>bbbbbbbbbb</p></div><div id=foot>cc</div></div></body>";
    let folder = Folder::new().with("a.html", page);
    check(&folder, "explain a.html --algorithm nta --html shown.html", 0, &[]);
    browser.go(&folder.path("shown.html"));
    browser.assert_quiet("an explanation");
    let chosen = "return document.querySelectorAll('.text-node > .chosen').length";
    assert_eq!(browser.number(chosen), 3, "at the setting");
    browser.ask("const s = document.getElementById('step'); s.value = 0; s.dispatchEvent(new Event('input'))");
    assert_eq!(browser.number(chosen), 5, "up to 3/5 the links are chosen too");
    let told = browser.text("return document.getElementById('readout').textContent");
    assert!(told.contains("coherence [0, 0.6]") && told.contains("step 1 of 2"), "{told}");
    browser.ask("document.getElementById('back').click()");
    assert_eq!(browser.number(chosen), 3, "back at the setting");
    let told = browser.text(
        "const first = document.querySelector('#nodes .head'); first.focus();
         first.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}));
         return document.getElementById('tip').textContent",
    );
    assert!(told.contains("div#w") && told.contains("coherence3/5 = 0.6000"), "{told}");
    browser.ask("document.getElementById('only-decided').click()");
    let shown = browser.number("return [...document.querySelectorAll('.head')].filter(h => h.offsetParent).length");
    assert_eq!(shown, 5, "body, the wrapper and its three parts");
}

#[test]
fn pages_without_gold_stand_by_how_much_they_are_disputed() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let page = |id: &str, html: &str| format!("{}\n", json!({"id": id, "html": {"text": html}, "site": "s.org"}));
    let pages =
        page("alike", "<body><p>abcd</p>") + &page("unlike", "<body><p>abcd</p><p><a href=/>links of it</a></p>");
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let folder = Folder::new().with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", pages);
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nonlink-text --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");
    let cells = "return [...document.querySelectorAll('#disputed tbody tr')].map(r => [...r.cells].map(c => c.textContent).join('|')).join('\\n')";
    let told = browser.text(cells);
    assert_eq!(told.lines().map(|line| line.split('|').next().unwrap()).collect::<Vec<_>>(), ["unlike", "alike"]);
    assert!(told.starts_with("unlike|0.") && told.contains("|all-text / nonlink-text|0."), "{told}");
    assert!(told.lines().all(|line| line.ends_with("|1|s.org")), "{told}");
    let is_hidden =
        "return document.getElementById('disputed').hidden || document.getElementById('disputed-link').hidden";
    assert_eq!(browser.ask(is_hidden), json!(false));
    let empty = "return ['rows', 'pages', 'complexity'].every(id => document.getElementById(id).hidden)";
    assert_eq!(browser.ask(empty), json!(true), "nothing is shown that needs gold");
    let page = browser.text("return document.querySelector('#disputed tbody a').getAttribute('href')");
    browser.go(&folder.path(&format!("o/{page}")));
    browser.assert_quiet("a page without gold");
    let told = browser.text("return document.querySelector('#texts article').textContent");
    assert!(told.starts_with("A: all-text · B: nonlink-textF1 0."), "{told}");
    assert_eq!(browser.number("return document.querySelectorAll('#texts del').length"), 1, "the links, in A alone");

    check(&folder, "run --where group=zh-news --algorithm all-text --out with-gold", 0, &[]);
    browser.go(&folder.path("with-gold/index.html"));
    assert_eq!(browser.ask(is_hidden), json!(true));
}

#[test]
fn rows_are_filtered_by_role_and_by_what_their_pages_are() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    check(&folder, "run --algorithm all-text --algorithm nta --algorithm cevc --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    let choose = |id: &str, value: &str| {
        browser.ask(&format!(
            "const s = document.getElementById('{id}'); s.value = '{value}'; s.dispatchEvent(new Event('input'))"
        ));
    };
    choose("role", "floor");
    assert_eq!((browser.number(ROWS), browser.text(FIRST).as_str()), (1, "all-text"));
    choose("role", "algorithm");
    assert_eq!(browser.number(ROWS), 2);
    choose("role", "");
    // By language, the means are those of the table by language.
    choose("rows-language", "zh");
    let of = |name: &str| {
        let script = format!(
            "const f1 = [...document.querySelectorAll('#rows-table thead th')].findIndex(h => h.textContent.startsWith('F1'));
             return [...document.querySelectorAll('#rows-table tbody tr')].find(r => r.cells[0].textContent === '{name}').cells[f1].textContent"
        );
        browser.text(&script)
    };
    for row in folder.csv("o/tables/by_language.csv").iter().filter(|row| row["language"] == "zh") {
        if ["all-text", "nta", "cevc"].contains(&row["algorithm"].as_str()) {
            let expected: f64 = row["f1"].parse().unwrap();
            let shown: f64 = of(&row["algorithm"]).parse().unwrap();
            assert!((shown - expected).abs() <= 0.00055, "{} {shown} {expected}", row["algorithm"]);
        }
    }
    for (id, key) in [("rows-site", "site"), ("rows-kind", "kind")] {
        let values = browser.number(&format!("return document.getElementById('{id}').options.length"));
        let known: std::collections::BTreeSet<String> = folder
            .csv("o/scores.csv")
            .into_iter()
            .map(|mut row| row.remove(key).unwrap())
            .filter(|value| !value.is_empty())
            .collect();
        assert_eq!(values as usize, 1 + known.len(), "{key}");
    }
    choose("rows-language", "");
    for order in ["worst", "best", "disputed"] {
        choose("order", order);
        assert!(browser.number("return document.querySelectorAll('#pages-table tbody tr').length") > 0, "{order}");
    }
    choose("order", "differ");
    let falls = "const head = [...document.querySelectorAll('#pages-table th')].findIndex(h => h.textContent === 'A \u{2212} B');
        const by = [...document.querySelectorAll('#pages-table tbody tr')].map(r => Math.abs(r.cells[head].textContent));
        return by.length > 0 && by.every((difference, i) => i === 0 || difference <= by[i - 1])";
    assert_eq!(browser.ask(falls), json!(true), "the pages on which A and B differ most come first");
}

#[test]
fn roles_of_text_stand_in_the_report_where_pages_have_them() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let roles = json!({"title": ["h1"], HOSTILE[1]: [".comments"]});
    let page = json!({
        "id": "a", "html": {"text": "<article><h1>Cats</h1>They sleep.</article><p class=comments>Nice!"},
        "gold": {"select": {"include": ["article"], "roles": roles}}
    });
    let folder = Folder::new().with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", format!("{page}\n"));
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nta --bounds none --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_inert("an index with roles");
    let lines = "return document.querySelectorAll('#roles-table tbody tr').length";
    assert_eq!(
        (browser.number(lines), browser.ask("return document.getElementById('roles').hidden")),
        (6, json!(false))
    );
    browser
        .ask("const s = document.getElementById('text-role'); s.value = 'title'; s.dispatchEvent(new Event('input'))");
    assert_eq!(browser.number(lines), 2);
    let first = browser.text("return document.querySelector('#roles-table tbody tr').textContent");
    assert_eq!(first, "all-texttitleyes1.00001.00000.000044");
    // Without roles there is no such part.
    check(&folder, "run --algorithm all-text --where site=hehui-online.example --out plain", 0, &[]);
    browser.go(&folder.path("plain/index.html"));
    browser.assert_quiet("an index without roles");
    assert_eq!(browser.ask("return document.getElementById('roles').hidden"), json!(true));
}

#[test]
fn pages_begin_with_those_on_which_the_two_best_systems_differ() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    // A setting of the sweep is worst of all, and does not decide what comes first.
    let rows = "--algorithm nta:density=0.5|0.9 --algorithm cevc:alpha=0.5|0.51|1.0 --algorithm all-text --bounds none";
    check(&folder, &format!("run {rows} --out o"), 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");
    let chosen =
        |id: &str| browser.text(&format!("return document.getElementById('{id}').selectedOptions[0].textContent"));
    let (a, b) = (chosen("row-a"), chosen("row-b"));
    let rows = folder.csv("o/tables/rows.csv");
    let best = |algorithm: &str| {
        let own = rows.iter().filter(|row| row["algorithm"] == algorithm);
        own.map(|row| row["macro_f1"].parse::<f64>().unwrap()).fold(0.0, f64::max)
    };
    let (first, second) = if best("nta") > best("cevc") { ("nta", "cevc") } else { ("cevc", "nta") };
    assert!(a.starts_with(first) && b.starts_with(second), "{a} {b}");
    let caption = browser.text("return document.querySelector('#pages-table caption').textContent");
    assert_eq!(caption, format!("154 of 154 pages, first where A and B differ most; A: {a}, B: {b}"));
    let falls = "const head = [...document.querySelectorAll('#pages-table th')].findIndex(h => h.textContent === 'A \u{2212} B');
        const by = [...document.querySelectorAll('#pages-table tbody tr')].map(r => Math.abs(r.cells[head].textContent));
        return by[0] > 0 && by.every((difference, i) => i === 0 || difference <= by[i - 1])";
    assert_eq!(browser.ask(falls), json!(true));
}

#[test]
fn a_long_site_is_cut_in_the_middle_and_whole_under_the_pointer() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let long = "a-site-with-a-name.that-goes-on-and-on.in-many-parts.example.org";
    let page = |id: &str, site: &str| {
        format!("{}\n", json!({"id": id, "html": {"text": "<p>abcd"}, "site": site, "gold": {"text": "abcd"}}))
    };
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let folder = Folder::new()
        .with("demo/dataset.yaml", manifest)
        .with("demo/pages.jsonl", page("a", long) + &page("b", "short.org"));
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nta --bounds none --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");
    let cells =
        "const head = [...document.querySelectorAll('#pages-table th')].findIndex(h => h.textContent === 'Site');
        return [...document.querySelectorAll('#pages-table tbody tr')].map(r => r.cells[head])
            .map(c => `${c.textContent} ${c.querySelector('[title]')?.title ?? ''}`).sort().join('|')";
    assert_eq!(browser.text(cells), format!("a-site-with-a\u{2026}s.example.org {long}|short.org "));
}

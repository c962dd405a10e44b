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
        let curves = browser.text(
            "return [...document.querySelectorAll('figure')].filter(f => f.querySelector('rect.flat[height=\"348\"]')).map(f => f.textContent).join('|')",
        );
        assert!(curves.contains(over) && curves.contains(exact), "{curves}");
        assert!(curves.matches(told).count() >= 2, "{told} {curves}");
        let cells = browser.text(
            "return [...document.querySelectorAll('figure')].filter(f => f.querySelector('path.flat-cells')).map(f => f.textContent).join('|')",
        );
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
        let told = browser.text("return document.querySelector('#scatter h3').firstChild.textContent");
        assert_eq!(told, scatter);
        let axes = browser
            .text("return [...document.querySelectorAll('svg.scatter text.quiet')].map(t => t.textContent).join('|')");
        assert!(axes.split('|').any(|label| label == axis), "{axes}");
        let titles =
            browser.text("return [...document.querySelectorAll('#figures-list h3')].map(t => t.textContent).join('|')");
        assert!(titles.contains(bars), "{titles}");
    }
    let drawn = folder.read("o/figures/portals-sites-recall.svg");
    assert!(drawn.contains("portals: recall by site"), "files on the disk stay as they are");
}

#[test]
fn the_front_of_the_figure_of_times_is_a_line_with_bold_names() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    check(&folder, "run --where group=zh-news --algorithm all-text --algorithm nta --time --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");
    let figure = "[...document.querySelectorAll('figure')].find(f => f.querySelector('polyline.front'))";
    let corners = browser.text(&format!("return {figure}.querySelector('polyline.front').getAttribute('points')"));
    assert!(corners.split(' ').count() >= 2 && !corners.contains("NaN"), "{corners}");
    let bold =
        browser.number(&format!("return {figure}.querySelectorAll('svg.scatter text[font-weight=bold]').length"));
    assert!(bold > 0);
    let caption = browser.text(&format!("return {figure}.querySelector('figcaption').textContent"));
    assert!(caption.contains("time: preparing and choosing"), "{caption}");
}

//! A site in a browser: it runs nothing, asks for nothing, and fits a telephone.

use serde_json::json;

use super::driver::Browser;
use crate::support::{Folder, check};

#[test]
fn a_site_is_quiet_and_only_its_tables_and_figures_scroll() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    check(&folder, "run --algorithm all-text --algorithm nta --algorithm cevc --time --out o", 0, &[]);
    check(&folder, "history add h.jsonl o --label v1", 0, &[]);
    check(&folder, "site o --history h.jsonl --out public", 0, &[]);
    for name in ["index.html", "portals-lcs-char.html"] {
        for width in [390, 1280] {
            let size = json!({"width": width, "height": 800});
            browser.post(&format!("/session/{}/window/rect", browser.session), &size);
            browser.go(&folder.path(&format!("public/{name}")));
            browser.assert_quiet(name);
            let fits = browser.ask("return document.documentElement.scrollWidth <= innerWidth");
            assert_eq!(fits, true, "{name} at {width}: only tables and figures scroll");
            assert_eq!(browser.number("return document.scripts.length"), 0, "{name}");
            // The names of systems are long: in a narrow column one is higher than ten lines.
            let highest = "return Math.max(...[...document.querySelectorAll('td')].map(cell => cell.offsetHeight))";
            assert!(browser.number(highest) <= 200, "{name} at {width}: {}", browser.number(highest));
        }
    }
    let groups =
        "return [...document.querySelectorAll('#rows tbody tr')].map(row => row.cells[1].textContent).join(' ')";
    assert!(browser.text(groups).starts_with('a'), "the highest row has the first letter");
    let figures = "return [...document.querySelectorAll('figure svg')].filter(svg => svg.getBoundingClientRect().height > 100).length";
    assert!(browser.number(figures) >= 4, "time, overview, precision and recall, history");
}

//! Reports of many pages and rows.

use std::path::Path;

use super::driver::Browser;
use crate::support::{Folder, check};

/// Pages of the large report; `CARAT_REPORT_PAGES` says otherwise.
const LARGE: usize = 100;

/// A recipe of so many pages of twenty sites.
fn large_recipe(pages: usize) -> String {
    let templates = [
        (2, "zh", "zh-news", "zh/zh-news-1, zh/zh-news-6"),
        (4, "zh", "zh-blog", "zh/zh-blog-3, zh/zh-blog-5"),
        (7, "en", "en-news", "en/en-news-5, en/en-news-7"),
        (8, "en", "en-news", "en/en-news-4, en/en-news-6"),
    ];
    let site = |number: usize| {
        let (family, language, group, texts) = templates[number % templates.len()];
        format!(
            "  - {{id: site-{number}, family: {family}, language: {language}, name: Site {number}, site: site-{number}.example, \
             url: \"http://www.{{domain}}/{{year}}/{{month}}/{{number}}\", group: {group}, texts: [{texts}], count: {}}}\n",
            pages / 20
        )
    };
    let sites: String = (0..20).map(site).collect();
    format!(
        "name: large\nversion: \"1\"\ntitle: Many pages\ndescription: Many pages.\nseed: 1\npages:\n  menu: 12\n  dials: {{links: 0.3, notices: 0.1}}\nsites:\n{sites}"
    )
}

/// Asserts only what does not depend on the machine, of the pages' share of two thousand; measures, too:
/// `CARAT_REPORT_PAGES=2000 cargo test --release --test program a_report_of_two_thousand -- --nocapture`.
#[test]
fn a_report_of_two_thousand_pages_by_thirty_rows_stays_small() {
    let pages = std::env::var("CARAT_REPORT_PAGES").map_or(LARGE, |pages| pages.parse().unwrap());
    let folder = Folder::new().with("large.yaml", large_recipe(pages));
    check(&folder, "dataset synth large.yaml --out pages", 0, &[]);
    let rows = "--algorithm all-text --algorithm nonlink-text --algorithm largest-p-parent --algorithm cetr-2d --algorithm cevc \
                --algorithm nta:coherence=0.70..0.90/0.05,density=0.3..0.7/0.1";
    check(&folder, &format!("run --dataset ./pages {rows} --out o"), 0, &[]);
    let begin = std::time::Instant::now();
    check(&folder, "report o --format html", 0, &[]);
    let writing = begin.elapsed();
    let size = |path: &Path| std::fs::metadata(path).unwrap().len();
    let index = size(&folder.path("o/index.html"));
    let files: Vec<_> = std::fs::read_dir(folder.path("o/pages")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let of_pages: u64 = files.iter().map(|path| size(path)).sum();
    println!(
        "{} pages, {} rows: index.html {} KB, pages/ {} KB in {} files, carat report {:.1} s",
        files.len(),
        folder.json("o/summary.json")["rows"].as_array().unwrap().len(),
        index / 1024,
        of_pages / 1024,
        files.len(),
        writing.as_secs_f64()
    );
    // What stands in it once, however many pages there are, is 200 KB at most.
    let most = (200 << 10) + ((2 << 20) - (200 << 10)) * pages as u64 / 2_000;
    assert!(index < most, "index.html: {index} bytes of {most}");
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    for file in [folder.path("o/index.html"), files[0].clone()] {
        browser.go(&file);
        browser.assert_quiet(&file.display().to_string());
        let times = browser.ask(
            "const t = performance.timing; return [t.domInteractive, t.domContentLoadedEventEnd, t.loadEventEnd].map(at => at - t.navigationStart)",
        );
        println!("{}: milliseconds to interactive, ready, loaded: {times}", file.file_name().unwrap().display());
    }
}

use std::collections::BTreeMap;

use super::*;
use crate::papers::PAPERS;
use crate::report::examples::{row, summary};
use crate::runs::page_facts::{Genre, PageFacts};
use crate::runs::scores::PageScore;

/// Pages by host, language and genre, with matched of 100 tokens; `left` and `right` are run on them.
const PAGES: [(&str, &str, Genre, u64, u64); 5] = [
    ("news.sina.com.cn", "zh", Genre::News, 80, 60),
    ("finance.sina.com.cn", "zh", Genre::News, 70, 50),
    ("tech.163.com", "zh", Genre::News, 90, 40),
    ("blog.example", "zh", Genre::Blog, 60, 30),
    ("www.freep.com", "en", Genre::News, 50, 20),
];

fn run(paper: usize, algorithms: [&str; 2]) -> PaperRun {
    let rows = algorithms.map(|algorithm| row("d", algorithm, 0.5));
    let mut scores = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        let page = |(i, (host, _, _, left, right)): (usize, &(&str, &str, Genre, u64, u64))| {
            let matched = if place == 0 { *left } else { *right };
            (format!("p{i}"), PageScore::new((*host).to_owned(), [matched, 100, 100], false))
        };
        scores.insert(row.key(), PAGES.iter().enumerate().map(page).collect());
    }
    let facts = PAGES.iter().enumerate().map(|(i, (host, language, genre, ..))| {
        let (host, language) = (Some((*host).to_owned()), Some((*language).to_owned()));
        let facts = PageFacts { host, language, genre: *genre, ..PageFacts::default() };
        (format!("p{i}"), facts)
    });
    PaperRun {
        paper: &PAPERS[paper],
        summary: summary(rows.to_vec()),
        scores,
        sweeps: Vec::new(),
        facts: BTreeMap::from([("d".to_owned(), facts.collect())]),
    }
}

fn line<'t>(table: &'t PaperTable, start: &str) -> Vec<&'t str> {
    let row = table.rows.iter().find(|row| row[0].starts_with(start)).unwrap_or_else(|| panic!("no {start}"));
    row.iter().map(String::as_str).collect()
}

#[test]
fn beside_each_cell_stands_what_the_paper_printed_of_the_site() {
    let tables = tables(&run(1, ["cevc", "cetr-2d"]));
    let [table] = &tables[..] else { panic!("{tables:?}") };
    assert_eq!(table.stem, "d-cevc-1");
    assert_eq!(table.header[..5], ["site", "fits by", "pages", "CETR P", "CETR P printed"]);
    // The page of the same host, not that of another host of the domain.
    let sina = line(table, "新浪新闻");
    assert_eq!(sina[1..5], ["host", "1", "0.600", "0.829"]);
    assert_eq!(sina[9..11], ["0.800", "0.998"]);
    // No page of news.163.com, but one of its domain and genre.
    assert_eq!(line(table, "网易新闻")[1..5], ["domain, genre", "1", "0.400", "0.537"]);
    // The same domain's blog is another site.
    assert_eq!(line(table, "网易博客")[1..5], ["-", "-", "-", "0.504"]);
    // Sites that the paper does not have follow.
    assert_eq!(line(table, "finance.sina.com.cn")[1..5], ["-", "1", "0.500", "-"]);
    assert_eq!(line(table, "blog.example")[1..5], ["-", "1", "0.300", "-"]);
    assert_eq!(line(table, "mean over sites: zh")[2..5], ["4", "0.450", "0.671"]);
    assert_eq!(line(table, "mean over sites: en")[2..5], ["1", "0.200", "0.706"]);
    assert_eq!(table.rows.len(), 24 + 2 + 3);
    assert!(table.notes[0].contains("reproduce none of them"), "{:?}", table.notes);
}

#[test]
fn tables_of_percent_are_in_percent_and_of_one_measure() {
    let tables = tables(&run(2, ["istm", "layout"]));
    let stems: Vec<&str> = tables.iter().map(|table| table.stem.as_str()).collect();
    assert_eq!(stems, ["d-istm-1", "d-istm-2", "d-istm-3"]);
    let sina = line(&tables[0], "新浪");
    // ISTM, layout-similarity, and Readability, which was not run.
    assert_eq!(sina[1..], ["domain, genre", "2", "75.00", "98.26", "55.00", "91.73", "-", "93.88"]);
    assert_eq!(line(&tables[2], "ISTM")[1..5], ["istm", "5", "70.00", "95.46"]);
    assert_eq!(line(&tables[2], "Readability")[1..5], ["readability-arc90", "-", "-", "90.01"]);
}

#[test]
fn what_the_nta_paper_says_in_its_text_is_a_table() {
    let tables = tables(&run(0, ["nta", "readability-arc90"]));
    let [table] = &tables[..] else { panic!("{tables:?}") };
    assert_eq!(line(table, "NTA"), ["NTA", "nta", "5", "70.00", "95.10"]);
    assert_eq!(line(table, "YNote"), ["YNote", "-", "-", "-", "-5.01 to NTA"]);
    assert_eq!(line(table, "Readability")[3..], ["40.00", "-"]);
    assert!(tables_of_relevance().is_empty());
}

fn tables_of_relevance() -> Vec<PaperTable> {
    tables(&run(3, ["relevance", "all-text"]))
}

#[test]
fn files_of_an_earlier_call_are_removed_and_tables_come_in_three_forms() {
    let folder = tempfile::tempdir().unwrap();
    let claim = Claim::of(folder.path()).unwrap();
    let tables = tables(&run(2, ["istm", "layout"]));
    write(&claim, &tables, &[], Language::English).unwrap();
    assert!(folder.path().join("tables/d-istm-1.tex").exists());
    write(&claim, &tables[1..], &[], Language::English).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(folder.path().join("tables"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = ["d-istm-2.csv", "d-istm-2.md", "d-istm-2.tex", "d-istm-3.csv", "d-istm-3.md", "d-istm-3.tex"];
    assert_eq!(names, expected);
}

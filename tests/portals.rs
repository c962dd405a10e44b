//! The embedded pages: their gold is exact, and their difficulties are really there.

use carat::algorithms::find;
use carat::algorithms::parameters::Values;
use carat::datasets::locate::{EMBEDDED, locate};
use carat::page::charset::EncodingSource;
use carat::text::chars;
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn every_gold_line_is_a_line_of_its_page_in_order() {
    let dataset = locate(EMBEDDED).unwrap();
    let all_text = find("all-text").unwrap();
    let setting = all_text.setting(&Values::new()).unwrap();
    for record in &dataset.records {
        let opened = dataset.open(record).unwrap();
        let pages = [Arc::new(opened.page)];
        let text = all_text.choose(&pages, &setting).text(&pages[0]);
        let mut lines = text.lines();
        for gold in opened.gold.unwrap().lines() {
            assert!(lines.any(|line| line == gold), "{}: `{gold}` is no line of the page, or not in order", record.id);
        }
    }
}

#[test]
fn the_charset_cases_are_there() {
    use EncodingSource::{Label, Mark, ValidUtf8};
    let dataset = locate(EMBEDDED).unwrap();
    let case = |id: &str| {
        let record = dataset.records.iter().find(|record| record.id == id).unwrap();
        let facts = dataset.open(record).unwrap().page.facts;
        assert_eq!(facts.replaced, 0, "{id}");
        (facts.encoding, facts.encoding_source)
    };
    for (id, encoding, source) in [
        ("zh-news-1-0001", "GBK", Label),
        ("zh-news-2-0002", "UTF-8", ValidUtf8),
        ("zh-news-3-0001", "UTF-8", Mark),
        ("zh-news-4-0001", "Big5", Label),
        ("en-news-1-0001", "windows-1252", Label),
        ("en-news-3-0001", "UTF-8", ValidUtf8),
    ] {
        assert_eq!(case(id), (encoding.to_owned(), source), "{id}");
    }
}

#[test]
fn pages_are_whole_and_tell_nothing_away() {
    let dataset = locate(EMBEDDED).unwrap();
    let mut families = BTreeSet::new();
    for record in &dataset.records {
        families.insert(record.details().extra.as_ref().unwrap()["family"].as_u64().unwrap());
        assert!(record.site.as_deref().unwrap().ends_with(".example"), "{}", record.id);
        let opened = dataset.open(record).unwrap();
        assert!(chars(&opened.gold.unwrap()) >= 80, "{}", record.id);
        let tree = &opened.page.tree;
        let names = tree.ids().flat_map(|id| tree.attributes(id)).filter(|attribute| {
            let name: &str = attribute.name;
            matches!(name, "class" | "id")
        });
        for attribute in names {
            let value = attribute.value.to_lowercase();
            assert!(!value.contains("gold") && !value.contains("truth"), "{}: {value}", record.id);
        }
    }
    assert_eq!(families, (1..=8).collect());
}

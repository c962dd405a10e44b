//! Small summaries for the tests of reports.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Map;

use super::language::Language;
use super::plot::Plot;
use crate::runs::reads_gold::ReadsGold;
use crate::runs::summary::{Conditions, DatasetConditions, GroupFigures, SCHEMA, Summary, SummaryRow};
use crate::statistics::{Aggregates, Benchmark, Triple};

/// Precision a little above `f1`, recall a little below.
fn triple(f1: f64) -> Triple {
    Triple { precision: (f1 + 0.02).min(1.0), recall: (f1 - 0.02).max(0.0), f1 }
}

/// A row without parameters.
pub(crate) fn row(dataset: &str, algorithm: &str, f1: f64) -> SummaryRow {
    swept_row(dataset, algorithm, &[], &[], f1)
}

/// A row with parameters, each `(name, value, default)`.
pub(crate) fn swept_row(
    dataset: &str,
    algorithm: &str,
    parameters: &[(&str, &str, &str)],
    swept: &[&str],
    f1: f64,
) -> SummaryRow {
    let values: Map<String, serde_json::Value> =
        parameters.iter().map(|(name, value, _)| ((*name).to_owned(), (*value).into())).collect();
    let differs = parameters.iter().filter(|(_, value, default)| value != default);
    let macro_ = triple(f1);
    let benchmark = Benchmark { precision: macro_.precision, recall: macro_.recall, f1: macro_.f1, accuracy: f1 / 2.0 };
    SummaryRow {
        dataset: dataset.to_owned(),
        algorithm: algorithm.to_owned(),
        floor: matches!(algorithm, "all-text" | "nonlink-text" | "largest-p-parent" | "semantic"),
        reads_gold: algorithm.starts_with("oracle-").then_some(ReadsGold::Page),
        parameters: values,
        differs: differs.map(|(name, ..)| (*name).to_owned()).collect(),
        swept: swept.iter().map(|name| (*name).to_owned()).collect(),
        pages: 10,
        failed: 0,
        timed_out: 0,
        not_run: 0,
        without: 0,
        unfit: 0,
        rendered: false,
        webmainbench: None,
        dropped: 0,
        empty: 0,
        degraded: 0,
        snippets: None,
        aligned: 0,
        coverage: None,
        alone: None,
        roles: Vec::new(),
        savings: None,
        aggregates: Aggregates {
            macro_,
            site_macro: triple(f1 - 0.01),
            micro: triple(f1 + 0.01),
            paper_cevc: triple(f1),
            benchmark,
        },
        groups: groups(&[("zh", 10)], f1),
        system: format!("carat 0.1.0 | {algorithm}"),
    }
}

/// A row with figures by site, each `(name, pages, F1)`; its own F1 is the mean over pages.
pub(crate) fn site_row(dataset: &str, algorithm: &str, sites: &[(&str, usize, f64)]) -> SummaryRow {
    let pages: usize = sites.iter().map(|(_, pages, _)| pages).sum();
    let sum: f64 = sites.iter().map(|(_, pages, f1)| *pages as f64 * f1).sum();
    let mut row = row(dataset, algorithm, sum / pages as f64);
    let figures = sites
        .iter()
        .map(|&(name, pages, f1)| (name.to_owned(), GroupFigures { pages, mean: triple(f1), snippets: None }));
    row.groups.insert("site".to_owned(), figures.collect());
    row.pages = pages;
    row
}

/// Groups by language, each `(name, pages)`.
pub(crate) fn groups(languages: &[(&str, usize)], f1: f64) -> BTreeMap<String, BTreeMap<String, GroupFigures>> {
    let figures = languages
        .iter()
        .map(|(name, pages)| ((*name).to_owned(), GroupFigures { pages: *pages, mean: triple(f1), snippets: None }));
    BTreeMap::from([("language".to_owned(), figures.collect())])
}

/// `values` of `cevc`'s alpha from 0 in steps of 0.05, best at 0.55.
pub(crate) fn alpha_sweep(dataset: &str, values: u32) -> Vec<SummaryRow> {
    let f1 = |i: u32| 0.88 - 0.001 * f64::from(i.abs_diff(11));
    let row = |i: u32| {
        let alpha = format!("{:.2}", f64::from(i) * 0.05);
        swept_row(dataset, "cevc", &[("alpha", &alpha, "0.50")], &["alpha"], f1(i))
    };
    (0..values).map(row).collect()
}

/// A summary of `rows`, with conditions for each of their datasets.
pub(crate) fn summary(rows: Vec<SummaryRow>) -> Summary {
    let conditions = || DatasetConditions {
        version: "2".to_owned(),
        digest: "sha256:0123456789abcdef0123".to_owned(),
        pages: 10,
        without_gold: 0,
        dropped: 0,
        lost: Vec::new(),
        made_of: None,
        gold_nature: Some("human".to_owned()),
        gold_note: None,
        golds_as_they_stand: None,
    };
    Summary {
        all_sites: BTreeMap::new(),
        agreement: Vec::new(),
        kept_replies: Vec::new(),
        missing_pages: 0,
        schema: SCHEMA,
        name: "example".to_owned(),
        conditions: Conditions {
            datasets: rows.iter().map(|row| (row.dataset.clone(), conditions())).collect(),
            filters: BTreeMap::new(),
            without_faults: Vec::new(),
            trained_on: BTreeSet::new(),
            tokens: "char".to_owned(),
            case: "keep".to_owned(),
            measure: "lcs".to_owned(),
            unicode: "17".to_owned(),
            segmenter: "jieba".to_owned(),
            suffix_list: "psl".to_owned(),
        },
        rows,
    }
}

/// The SVG of a figure in English.
pub(super) fn svg(plot: &Plot) -> String {
    super::svg::write(plot, Language::English).document
}

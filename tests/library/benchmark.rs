//! The article-extraction-benchmark's own figures, from its stored outputs. The benchmark is found through
//! `CARAT_CORPORA`; without it the test says that it was skipped.

use std::collections::BTreeMap;
use std::path::PathBuf;

use carat::datasets::locate::corpora;
use carat::runs::configuration::{Configuration, NamedRequest};
use carat::runs::plan::Plan;
use carat::runs::summary::{SummaryRow, run_in_memory};
use carat::scoring::Comparison;

const DATASET: &str = "article-extraction-benchmark";

/// What figures differ by at most: they are printed with four digits.
const TOLERANCE: f64 = 0.000_05;

/// `figures-benchmark.md`, if the corpora are there.
fn figures() -> Option<String> {
    let file: Option<PathBuf> =
        corpora().map(|folder| folder.join("figures-benchmark.md")).filter(|file| file.exists());
    if file.is_none() {
        eprintln!("skipped: CARAT_CORPORA does not name the folder of corpora");
    }
    file.map(|file| std::fs::read_to_string(file).unwrap())
}

/// The lines of the table whose first columns are headed `head`, by their first cell: the other cells.
fn table(text: &str, head: &str) -> BTreeMap<String, Vec<String>> {
    let lines = text.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let cells = lines.take_while(|line| line.starts_with('|')).map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
        (cells.next().unwrap(), cells.collect())
    });
    cells.collect()
}

/// The rows of every stored output, by system.
fn rows(measure: &str, tokens: &str, case: &str) -> BTreeMap<String, SummaryRow> {
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument(DATASET)],
        stored: vec![NamedRequest::from_argument("all")],
        comparison: Comparison::read(&format!("{measure} {tokens} {case}"), Comparison::default()).unwrap(),
        ..Configuration::default()
    };
    let (summary, _) = run_in_memory(&Plan::new(configuration).unwrap()).unwrap();
    let named = summary.rows.into_iter().map(|row| (row.algorithm.strip_prefix("stored/").unwrap().to_owned(), row));
    named.collect()
}

/// Holds every system's figures against the cells of `table` from `column` on; cells may hold several, parted by `/`.
fn check(
    rows: &BTreeMap<String, SummaryRow>,
    table: &BTreeMap<String, Vec<String>>,
    column: usize,
    of: fn(&SummaryRow) -> Vec<f64>,
) {
    assert_eq!((rows.len(), table.len()), (32, 32));
    for (system, cells) in table {
        let row = &rows[system];
        assert_eq!((row.pages, row.not_run, row.failed), (181, 0, 0), "{system}");
        let printed = cells[column..].iter().flat_map(|cell| cell.split('/')).map(str::trim);
        let ours = of(row);
        let printed: Vec<&str> = printed.take(ours.len()).collect();
        assert_eq!(printed.len(), ours.len(), "{system}: a figure is missing");
        for (printed, ours) in printed.iter().zip(ours) {
            let printed: f64 = printed.parse().unwrap();
            assert!((printed - ours).abs() <= TOLERANCE + 1e-9, "{system}: {ours} is not {printed}");
        }
    }
}

#[test]
fn every_stored_output_scores_as_its_authors_and_others_count() {
    let Some(text) = figures() else { return };
    let (main, other) = (table(&text, "| system | version |"), table(&text, "| system | shingle4 macro F1 |"));
    let shingles = rows("shingle:4", "w", "keep");
    check(&shingles, &main, 1, |row| {
        let benchmark = row.aggregates.benchmark;
        vec![benchmark.f1, benchmark.precision, benchmark.recall, benchmark.accuracy, row.empty as f64]
    });
    // With an empty extraction's precision counted as 0: the harmonic mean of our macro precision and recall.
    check(&shingles, &main, 6, |row| {
        let mean = row.aggregates.macro_;
        vec![2.0 * mean.precision * mean.recall / (mean.precision + mean.recall)]
    });
    check(&shingles, &other, 0, |row| vec![row.aggregates.macro_.f1]);
    let macro_ = |row: &SummaryRow| {
        let mean = row.aggregates.macro_;
        vec![mean.precision, mean.recall, mean.f1]
    };
    let folded = rows("lcs", "w", "fold");
    check(&folded, &main, 7, macro_);
    check(&folded, &other, 2, |row| vec![row.aggregates.micro.f1]);
    check(&rows("bag", "w", "fold"), &other, 1, |row| vec![row.aggregates.macro_.f1]);
    check(&rows("lcs", "w", "keep"), &other, 3, macro_);
    check(&rows("lcs", "char", "keep"), &other, 4, macro_);
}

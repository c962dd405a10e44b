//! Every table of independent figures in `tests/figures`, held against ours on the corpora that `CARAT_CORPORA`
//! names; without it these tests say that they were skipped.
//!
//! A table is a text: comments, of which the last two say the tokens and how near ours must be, and what the columns
//! are; then a row a line. `of sites with two pages` behind the nearness leaves the pages alone on their site out. A cell is precision, recall and F1; `_` is a figure that is not known, `-` a cell.

use std::collections::BTreeSet;

use carat::datasets::locate::corpora;
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::plan::Plan;
use carat::runs::summary::{SummaryRow, run_in_memory};
use carat::scoring::Comparison;
use carat::statistics::Triple;

struct Table {
    tokens: String,
    within: f64,
    /// Whether only pages of sites with at least two pages count.
    in_company: bool,
    datasets: Vec<String>,
    /// Each row's algorithm as on the command line, and its cells.
    rows: Vec<(String, Vec<Vec<String>>)>,
}

impl Table {
    fn read(text: &str) -> Self {
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let comments: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
        let [.., conditions, columns] = comments[..] else { panic!("no two comments: {text}") };
        let (tokens, within) =
            conditions.strip_prefix("tokens ").and_then(|rest| rest.split_once(", within ")).unwrap();
        let (within, in_company) = within.split_once(", ").map_or((within, false), |(within, rest)| {
            assert_eq!(rest, "of sites with two pages");
            (within, true)
        });
        let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
            let mut cells = cells(line);
            let algorithm = cells.remove(0).replacen(' ', ":", 1).replace(' ', ",");
            let figures = |cell: &String| cell.split_whitespace().map(str::to_owned).collect();
            (algorithm, cells.iter().map(figures).collect())
        });
        Table {
            tokens: tokens.to_owned(),
            within: within.parse().unwrap(),
            in_company,
            datasets: cells(columns).split_off(1),
            rows: rows.collect(),
        }
    }

    /// How many figures agree; those that do not are told.
    fn check(&self) -> usize {
        let (mut agreeing, mut apart) = (0, String::new());
        for (column, dataset) in self.datasets.iter().enumerate() {
            let rows = self.run(dataset);
            assert_eq!(rows.len(), self.rows.len(), "a row stands there twice");
            for ((algorithm, cells), row) in self.rows.iter().zip(&rows) {
                let found = if self.in_company { in_company(row) } else { parts(&row.aggregates.macro_) };
                let known =
                    cells[column].iter().zip(found).filter(|(figure, _)| !["-", "_"].contains(&figure.as_str()));
                for (figure, found) in known {
                    match (found - figure.parse::<f64>().unwrap()).abs() <= self.within {
                        true => agreeing += 1,
                        false => {
                            apart += &format!("{algorithm} on {dataset}: independent {figure}, found {found:.4}\n")
                        }
                    }
                }
            }
        }
        assert!(apart.is_empty(), "\n{apart}");
        agreeing
    }

    /// The rows on a dataset: `daniel-zh` is the Chinese part of `daniel`. Pages of other languages are left out
    /// before the run, for they would be clustered with those that are asked for.
    fn run(&self, dataset: &str) -> Vec<SummaryRow> {
        let part = dataset.strip_prefix("daniel-");
        let requests = self.rows.iter().map(|(algorithm, _)| AlgorithmRequest::from_argument(algorithm).unwrap());
        let configuration = Configuration {
            datasets: vec![NamedRequest::from_argument(part.map_or(dataset, |_| "daniel"))],
            filters: part.map(|language| ("language".to_owned(), language.to_owned())).into_iter().collect(),
            comparison: Comparison::read(&format!("lcs {}", self.tokens), Comparison::default()).unwrap(),
            algorithms: requests.collect(),
            ..Configuration::default()
        };
        run_in_memory(&Plan::new(configuration).unwrap()).unwrap().0.rows
    }
}

fn parts(mean: &Triple) -> [f64; 3] {
    [mean.precision, mean.recall, mean.f1]
}

/// The means over the pages of sites with at least two.
fn in_company(row: &SummaryRow) -> [f64; 3] {
    let sites: Vec<_> = row.groups["site"].values().filter(|site| site.pages > 1).collect();
    let pages: usize = sites.iter().map(|site| site.pages).sum();
    [0, 1, 2]
        .map(|part| sites.iter().map(|site| parts(&site.mean)[part] * site.pages as f64).sum::<f64>() / pages as f64)
}

/// Checks the table of that name, of which so many figures are known.
fn check(name: &str, figures: usize) {
    let file = format!("{}/tests/figures/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let table = Table::read(&std::fs::read_to_string(file).unwrap());
    if corpora().is_none_or(|folder| !folder.join("daniel").is_dir()) {
        eprintln!("skipped {name}: CARAT_CORPORA does not name the folder of corpora");
        return;
    }
    assert_eq!(table.check(), figures, "{name}");
}

macro_rules! tables {
    ($($test:ident: $name:literal, $figures:literal;)*) => {
        const NAMES: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            check($name, $figures);
        })*
    };
}

tables! {
    tag_ratios_and_densities: "tag-ratios-and-densities", 258;
    programs: "programs", 90;
    readability: "readability", 37;
    paths_and_links: "paths-and-links", 180;
    tokens_and_source_characters: "tokens-and-source-characters", 132;
    tables: "tables", 72;
    blocks: "blocks", 70;
    words: "words", 96;
    deletion: "deletion", 107;
    deletion_elsewhere: "deletion-elsewhere", 12;
    regions_of_a_site: "regions-of-a-site", 56;
    words_of_a_site: "words-of-a-site", 28;
    templates_learned: "templates-learned", 43;
    templates_learned_everywhere: "templates-learned-everywhere", 4;
    blocks_learned: "blocks-learned", 28;
    templates: "templates", 80;
    spread_words: "spread-words", 68;
}

#[test]
fn every_table_is_checked() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/figures");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let stems: BTreeSet<String> = files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(stems, NAMES.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn a_figure_that_is_apart_is_told() {
    let text = "# tokens char, within 0.001\n# algorithm | portals\nall-text | _ _ 0.9\n";
    let told = std::panic::catch_unwind(|| Table::read(text).check()).unwrap_err();
    assert!(told.downcast_ref::<String>().unwrap().contains("all-text on portals: independent 0.9, found 0.5"));
}

//! The figures that public benchmarks print of systems, and the rules by which carat computes them (`benchmarks.yaml`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::formats::yaml;

/// The file.
#[derive(Deserialize)]
struct Document {
    benchmarks: Vec<Benchmark>,
}

/// A benchmark that prints figures of systems.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// Its name here.
    pub name: String,
    /// Where its figures are printed.
    pub upstream: Upstream,
    /// Its pages.
    pub data: Data,
    /// The number of pages that the figures are of.
    pub pages: usize,
    /// Filters that leave those pages of our copy.
    #[serde(default, rename = "where")]
    pub filters: BTreeMap<String, String>,
    /// Digits of the printed figures.
    pub digits: usize,
    /// The printed figures.
    pub columns: Vec<Column>,
    /// The name of the column that ranks.
    pub order_by: String,
    /// The way in which figures of pages become those of a row, in a sentence, if that may change an order.
    pub aggregate: Option<String>,
    /// The notes that a reader of its figures needs, a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Rows of ours on these pages, as on the command line.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// Its tables.
    pub tables: Vec<PrintedTable>,
}

/// Where figures are printed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upstream {
    /// `owner/name`.
    pub repository: String,
    /// The commit in hexadecimal.
    pub commit: String,
}

/// Where a benchmark's pages are, and how they are read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The folder of corpora, or the pulled dataset.
    pub name: String,
    /// The importer that reads them.
    pub importer: String,
    /// The file in the folder, if it is one file.
    pub file: Option<String>,
    /// Options of the importer.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

/// A printed figure of each row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its name in a terminal.
    pub short: Option<String>,
    /// The rule of comparison, `MEASURE TOKENS [CASE]`, if there is one.
    pub rule: Option<String>,
    /// The columns that it is the mean of.
    #[serde(default)]
    pub mean_of: Vec<String>,
    /// The figure of a row of a run.
    #[serde(default)]
    pub figure: String,
}

/// A printed table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedTable {
    /// Its file in the repository.
    pub file: String,
    /// Where it stands in the file.
    #[serde(rename = "where")]
    pub place: String,
    /// Its rows.
    pub rows: Vec<PrintedRow>,
}

/// A printed row.
#[derive(Debug, Deserialize)]
pub struct PrintedRow {
    /// The system.
    pub system: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// The stored output that it is of.
    pub stored: Option<String>,
    /// Its figures, by column.
    #[serde(flatten)]
    pub figures: BTreeMap<String, Printed>,
}

/// A printed figure.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub enum Printed {
    /// Alone.
    Figure(f64),
    /// With what is printed behind ±.
    WithSpread(f64, f64),
}

impl Printed {
    /// The figure.
    pub fn figure(self) -> f64 {
        match self {
            Printed::Figure(figure) | Printed::WithSpread(figure, _) => figure,
        }
    }

    /// As printed, in so many digits.
    pub fn written(self, digits: usize) -> String {
        match self {
            Printed::Figure(figure) => format!("{figure:.digits$}"),
            Printed::WithSpread(figure, spread) => format!("{figure:.digits$} ± {spread:.digits$}"),
        }
    }
}

static BENCHMARKS: LazyLock<Vec<Benchmark>> = LazyLock::new(|| {
    let known = "the file is part of the program, and a test reads it";
    let document: serde_json::Value = yaml::typed("benchmarks.yaml", include_str!("benchmarks.yaml")).expect(known);
    serde_json::from_value::<Document>(document).expect(known).benchmarks
});

/// The benchmarks.
pub fn benchmarks() -> &'static [Benchmark] {
    &BENCHMARKS
}

impl Column {
    /// Its name in a terminal.
    pub fn short(&self) -> &str {
        self.short.as_deref().unwrap_or(&self.name)
    }
}

impl Benchmark {
    /// The column that ranks.
    pub fn ranking(&self) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == self.order_by)
    }

    /// The printed rows, each with its table; the first by the ranking column first, rows without it last.
    pub fn rows(&self) -> Vec<(&PrintedTable, &PrintedRow)> {
        let rows = self.tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
        let mut rows: Vec<(&PrintedTable, &PrintedRow)> = rows.collect();
        let figure = |row: &PrintedRow| row.figures.get(&self.order_by).map_or(f64::NEG_INFINITY, |it| it.figure());
        rows.sort_by(|(_, one), (_, other)| figure(other).total_cmp(&figure(one)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_figure_is_of_a_column_and_every_output_stands_once() {
        for benchmark in benchmarks() {
            let columns: BTreeSet<&str> = benchmark.columns.iter().map(|column| column.name.as_str()).collect();
            assert_eq!(columns.len(), benchmark.columns.len(), "{}: a column is named twice", benchmark.name);
            assert!(benchmark.ranking().is_some_and(|column| column.rule.is_some()), "{}", benchmark.name);
            for column in &benchmark.columns {
                assert!(column.mean_of.iter().all(|name| columns.contains(name.as_str())), "{}", column.name);
                assert!(column.mean_of.is_empty() || column.rule.is_none(), "{}", column.name);
            }
            let mut outputs = BTreeSet::new();
            for (_, row) in benchmark.rows() {
                for (name, printed) in &row.figures {
                    assert!(columns.contains(name.as_str()), "{}: {} {name}", benchmark.name, row.system);
                    assert!((0.0..=1.0).contains(&printed.figure()), "{}: {} {name}", benchmark.name, row.system);
                }
                assert!(row.stored.iter().all(|output| outputs.insert(output)), "{}: {}", benchmark.name, row.system);
            }
        }
    }

    #[test]
    fn rows_are_as_printed_the_best_first() {
        let benchmark = benchmarks().iter().find(|benchmark| benchmark.name == "article-extraction-benchmark").unwrap();
        let rows = benchmark.rows();
        assert_eq!((rows.len(), rows.iter().filter(|(_, row)| row.stored.is_some()).count()), (49, 32));
        assert_eq!((rows[0].1.system.as_str(), rows[48].1.system.as_str()), ("rs_trafilatura", "html2md_rs"));
        assert_eq!(rows[0].1.figures["F1"].written(3), "0.970 ± 0.004");
        assert_eq!(rows[48].1.figures["accuracy"].written(3), "0.000 ± 0.000");
    }
}

//! A benchmark's printed figures beside ours under its own rules.

use serde::Serialize;

use super::papers::PaperTable;
use super::table_format::{four, plain_table, table_lines};
use crate::papers::benchmarks::{Benchmark, Column, PrintedRow};
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::Figure;

/// The text that stands where there is no figure.
const NOTHING: &str = "-";

/// The name of WebMainBench's figure of a row.
pub const WEBMAINBENCH: &str = "webmainbench";

/// The beginning of the names of rows of stored outputs.
const STORED: &str = "stored/";

/// The name of a row without what says that its output is stored.
pub fn short(name: &str) -> &str {
    name.strip_prefix(STORED).unwrap_or(name)
}

/// The printed figures of a benchmark, and ours.
#[derive(Serialize)]
pub struct Beside {
    #[serde(skip)]
    benchmark: &'static Benchmark,
    /// Printed rows, the first of the ranking first, then rows of ours that are not printed.
    pub rows: Vec<BesideRow>,
    /// Pages that ours are of.
    pub pages: usize,
    /// True if the printed figures are of the same pages.
    pub is_whole: bool,
    /// Figures that were held against printed ones.
    pub compared: usize,
    /// Those that are not the printed ones.
    pub differences: Vec<Difference>,
}

/// A row of them.
#[derive(Serialize)]
pub struct BesideRow {
    /// The system.
    pub system: String,
    /// Its version, where one is printed.
    pub version: String,
    /// Where it is printed; empty: it is not.
    pub place: String,
    /// The name of our row; `None`: there is no output of it here.
    pub row: Option<String>,
    /// Its figures in the order of the columns.
    pub cells: Vec<Cell>,
}

/// A printed figure, and ours.
#[derive(Serialize)]
pub struct Cell {
    /// The column.
    pub column: &'static str,
    /// As printed.
    pub printed: Option<f64>,
    /// As printed, with what stands behind ±.
    #[serde(skip)]
    written: Option<String>,
    /// Ours.
    pub ours: Option<f64>,
}

/// A figure of ours that does not round to the printed one.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// The system.
    pub system: String,
    /// The column.
    pub column: &'static str,
    /// As printed.
    pub printed: f64,
    /// Ours.
    pub ours: f64,
}

impl Beside {
    /// Of a run whose summaries are those by `rules`.
    pub fn new(benchmark: &'static Benchmark, rules: &[String], summaries: &[Summary]) -> Self {
        let first = summaries.first();
        let by_rule = |row: &str, column: &Column| -> Option<f64> {
            let place = rules.iter().position(|rule| Some(rule) == column.rule.as_ref())?;
            let row = summaries.get(place)?.rows.iter().find(|known| known.full_label() == row)?;
            figure_of(row, &column.figure)
        };
        let ours = |row: &str, column: &Column| -> Option<f64> {
            if column.mean_of.is_empty() {
                return by_rule(row, column);
            }
            let parts = benchmark.columns.iter().filter(|part| column.mean_of.contains(&part.name));
            let parts: Vec<f64> = parts.map(|part| by_rule(row, part)).collect::<Option<_>>()?;
            Some(parts.iter().sum::<f64>() / parts.len() as f64)
        };
        let is_known = |row: &String| first.is_some_and(|run| run.rows.iter().any(|known| known.full_label() == *row));
        let cells = |row: Option<&String>, printed: Option<&PrintedRow>| -> Vec<Cell> {
            let cell = |column: &'static Column| {
                let printed = printed.and_then(|row| row.figures.get(&column.name));
                Cell {
                    column: &column.name,
                    printed: printed.map(|printed| printed.figure()),
                    written: printed.map(|printed| printed.written(benchmark.digits)),
                    ours: row.and_then(|row| ours(row, column)),
                }
            };
            benchmark.columns.iter().map(cell).collect()
        };
        let mut rows: Vec<BesideRow> = Vec::new();
        for (table, printed) in benchmark.rows() {
            let row = printed.stored.as_ref().map(|output| format!("{STORED}{output}")).filter(is_known);
            rows.push(BesideRow {
                system: printed.system.clone(),
                version: printed.version.clone(),
                place: format!("{}, {}", table.file, table.place),
                cells: cells(row.as_ref(), Some(printed)),
                row,
            });
        }
        let others = first.into_iter().flat_map(|run| &run.rows).map(SummaryRow::full_label);
        for name in others.filter(|name| !rows.iter().any(|row| row.row.as_ref() == Some(name))).collect::<Vec<_>>() {
            rows.push(BesideRow {
                system: short(&name).to_owned(),
                version: String::new(),
                place: String::new(),
                cells: cells(Some(&name), None),
                row: Some(name),
            });
        }
        let pages = first.map_or(0, |run| run.conditions.datasets.values().map(|dataset| dataset.pages).sum());
        let mut beside =
            Beside { benchmark, rows, pages, is_whole: pages == benchmark.pages, compared: 0, differences: Vec::new() };
        beside.compare();
        beside
    }

    /// Finds the figures that do not round to the printed ones.
    fn compare(&mut self) {
        let half = 0.5 * 0.1_f64.powi(self.benchmark.digits as i32) + 1e-12;
        for row in &self.rows {
            for cell in &row.cells {
                let (Some(printed), Some(ours)) = (cell.printed, cell.ours) else { continue };
                self.compared += 1;
                if (printed - ours).abs() > half {
                    let (system, column) = (row.system.clone(), cell.column);
                    self.differences.push(Difference { system, column, printed, ours });
                }
            }
        }
    }

    /// Our rows that are printed: their names and the printed figures that rank them, the highest first.
    pub fn printed_order(&self) -> Vec<(String, f64)> {
        self.ranked(|cell| cell.printed).filter(|(row, _)| !row.place.is_empty()).map(named).collect()
    }

    /// All our rows: their names and the figures by which they would be ranked.
    pub fn own_order(&self) -> Vec<(String, f64)> {
        self.ranked(|cell| cell.ours).map(named).collect()
    }

    fn ranked(&self, figure: impl Fn(&Cell) -> Option<f64>) -> impl Iterator<Item = (&BesideRow, f64)> {
        let known = self.rows.iter().filter(|row| row.row.is_some());
        known.filter_map(move |row| {
            let ranking = row.cells.iter().find(|cell| cell.column == self.benchmark.order_by)?;
            Some((row, figure(ranking)?))
        })
    }

    /// The notes on the figures, a sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let Beside { benchmark, pages, compared, differences, .. } = self;
        let mut told = Vec::new();
        if !self.is_whole {
            let of = benchmark.pages;
            told.push(format!(
                "printed figures are of {of} pages, and {pages} are here: no figure of ours reproduces one"
            ));
        } else if *compared > 0 {
            let equal = compared - differences.len();
            told.push(format!(
                "{equal} of {compared} printed figures equal ours, rounded to {} digits",
                benchmark.digits
            ));
            told.extend(differences.iter().map(|Difference { system, column, printed, ours }| {
                format!("{column} of {system}: printed {printed}, ours {}", four(*ours))
            }));
        }
        let columns = benchmark.columns.iter().enumerate().filter(|(at, _)| self.known(*at) == [true, false]);
        let not_computed: Vec<&str> = columns.map(|(_, column)| column.name.as_str()).collect();
        if !not_computed.is_empty() && self.has_printed() {
            told.push(format!("printed, but not computed here: {}", not_computed.join(", ")));
        }
        let missing: Vec<String> = self.rows.iter().filter(|row| row.row.is_none()).map(BesideRow::named).collect();
        if !missing.is_empty() {
            told.push(format!("printed, but no output of it is here: {}", missing.join(", ")));
        }
        told.extend(benchmark.notes.iter().cloned());
        told
    }

    /// The columns that have a printed figure, and those that have one of ours.
    fn known(&self, column: usize) -> [bool; 2] {
        let any = |has: fn(&Cell) -> bool| self.rows.iter().any(|row| has(&row.cells[column]));
        [any(|cell| cell.printed.is_some()), any(|cell| cell.ours.is_some())]
    }

    /// True if a printed row has an output here.
    fn has_printed(&self) -> bool {
        self.rows.iter().any(|row| row.row.is_some() && !row.place.is_empty())
    }

    /// The table for a terminal: rows with figures of ours, or all rows where no printed one has an output here.
    pub fn terminal(&self) -> String {
        let columns = self.benchmark.columns.iter().enumerate();
        let columns: Vec<(&str, [bool; 2])> = columns.map(|(at, column)| (column.short(), self.known(at))).collect();
        let names = |(name, known): &(&str, [bool; 2])| match known {
            [true, true] => vec![(*name).to_owned(), "ours".to_owned()],
            [true, false] => vec![(*name).to_owned()],
            [false, true] => vec![format!("{name}, ours")],
            [false, false] => Vec::new(),
        };
        let mut table = plain_table(["system".to_owned()].into_iter().chain(columns.iter().flat_map(names)));
        for row in self.rows.iter().filter(|row| row.row.is_some() || !self.has_printed()) {
            let digits = self.benchmark.digits.min(4);
            let figures = row.cells.iter().zip(&columns).flat_map(|(cell, (_, known))| {
                let printed = cell.printed.map_or(NOTHING.to_owned(), |figure| format!("{figure:.digits$}"));
                let ours = cell.ours.map_or(NOTHING.to_owned(), four);
                [(known[0], printed), (known[1], ours)]
                    .into_iter()
                    .filter_map(|(is_shown, text)| is_shown.then_some(text))
            });
            table.add_row([row.named()].into_iter().chain(figures));
        }
        table_lines(table, 1).join("\n")
    }

    /// The table of all rows.
    pub fn table(&self, conditions: Vec<String>) -> PaperTable {
        let columns = self.benchmark.columns.iter().flat_map(|column| {
            let rule = column.rule.as_ref().map(|rule| format!(" by {rule}")).unwrap_or_default();
            [format!("{} printed", column.name), format!("{}{rule}", column.name)]
        });
        let row = |row: &BesideRow| -> Vec<String> {
            let figures = row.cells.iter().flat_map(|cell| {
                let ours = cell.ours.map_or(NOTHING.to_owned(), four);
                [cell.written.clone().unwrap_or(NOTHING.to_owned()), ours]
            });
            [&row.system, &row.version, &row.place].into_iter().cloned().chain(figures).collect()
        };
        PaperTable {
            stem: "figures".to_owned(),
            title: format!("Printed figures of {}, and ours under its own rules", self.benchmark.name),
            pages_of: None,
            header: ["system", "version", "printed in"].map(str::to_owned).into_iter().chain(columns).collect(),
            names: &[0, 1],
            right: 3,
            rows: self.rows.iter().map(row).collect(),
            notes: self.sentences(),
            conditions,
        }
    }
}

impl BesideRow {
    fn named(&self) -> String {
        format!("{} {}", self.system, self.version).trim_end().to_owned()
    }
}

/// The figure of this name, as `benchmark_f1`, or WebMainBench's own.
pub fn figure_of(row: &SummaryRow, name: &str) -> Option<f64> {
    if name == WEBMAINBENCH {
        return row.webmainbench.map(|mean| mean.f1);
    }
    let figure = Figure::ALL.into_iter().find(|figure| figure.to_string() == name)?;
    Some(figure.of(&row.aggregates))
}

fn named((row, figure): (&BesideRow, f64)) -> (String, f64) {
    (row.row.clone().unwrap_or_default(), figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::benchmarks::benchmarks;
    use crate::report::examples::{row, summary};
    use crate::runs::summary::MeanOfSome;

    fn beside() -> Beside {
        let benchmark = benchmarks().iter().find(|benchmark| benchmark.name == "webmainbench").unwrap();
        // The printed text_edit of two systems, one of them off by a digit, and a row that is not printed.
        let rows = [("magic-html", 0.8417712212665), ("trafilatura", 0.5603), ("mine", 0.9)];
        let rows = rows.map(|(system, f1)| SummaryRow {
            webmainbench: Some(MeanOfSome { f1, pages: 10 }),
            ..row("webmainbench", &format!("stored/{system}"), 0.0)
        });
        Beside::new(benchmark, &["edit scalar".to_owned()], &[summary(rows.into())])
    }

    #[test]
    fn figures_stand_beside_the_printed_ones_and_differences_are_named() {
        let beside = beside();
        let systems: Vec<(&str, bool)> =
            beside.rows.iter().map(|row| (row.system.as_str(), row.row.is_some())).collect();
        let expected = [
            ("magic-html", true),
            ("resiliparse", false),
            ("llm-webkit", false),
            ("trafilatura", true),
            ("mine", true),
        ];
        assert_eq!(systems, expected);
        assert_eq!(beside.compared, 2);
        let differing: Vec<&str> = beside.differences.iter().map(|difference| difference.system.as_str()).collect();
        assert_eq!(differing, ["trafilatura"]);
        assert_eq!(beside.printed_order().len(), 2);
        assert_eq!(beside.own_order().len(), 3);
        let shown = beside.terminal();
        let words: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[1][..4], ["system", "text", "ours", "code"], "{shown}");
        assert!(words.iter().any(|line| line.starts_with(&["magic-html", "0.8418", "0.8418", "0.9739"])), "{shown}");
        assert!(words.iter().any(|line| line.starts_with(&["mine", "-", "0.9000", "-"])), "{shown}");
        assert!(!shown.contains("resiliparse"), "{shown}");
    }

    #[test]
    fn figures_of_other_pages_are_no_differences_to_the_reader() {
        let mut beside = beside();
        beside.is_whole = false;
        assert!(beside.sentences()[0].contains("no figure of ours reproduces one"));
        beside.is_whole = true;
        let told = beside.sentences();
        assert_eq!(told[0], "1 of 2 printed figures equal ours, rounded to 11 digits");
        assert!(told[1].starts_with("text_edit of trafilatura: printed 0.5603"), "{told:?}");
        let not_computed = "printed, but not computed here: code_edit, formula_edit, table_edit, table_TEDS, overall";
        assert!(told.iter().any(|sentence| sentence == not_computed), "{told:?}");
        assert!(told.iter().any(|sentence| sentence.contains("no output of it is here: resiliparse, llm-webkit")));
    }

    #[test]
    fn a_mean_of_columns_is_known_where_all_of_them_are() {
        let column = |name: &str, rest: serde_json::Value| {
            let mut column = serde_json::json!({"name": name});
            column.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            column
        };
        let benchmark = serde_json::json!({
            "name": "made", "upstream": {"repository": "a/b", "commit": "0"}, "data": {"name": "d", "importer": "d"},
            "pages": 10, "digits": 3, "order_by": "one", "tables": [],
            "columns": [
                column("one", serde_json::json!({"rule": "lcs char", "figure": "macro_f1"})),
                column("two", serde_json::json!({"rule": "bag w", "figure": "macro_f1"})),
                column("both", serde_json::json!({"mean_of": ["one", "two"]})),
            ],
        });
        let benchmark: &'static Benchmark = Box::leak(Box::new(serde_json::from_value(benchmark).unwrap()));
        let rules = ["lcs char", "bag w"].map(str::to_owned);
        let runs = [summary(vec![row("d", "nta", 0.5)]), summary(vec![row("d", "nta", 0.75)])];
        let ours = |runs: &[Summary]| -> Vec<Option<f64>> {
            Beside::new(benchmark, &rules, runs).rows[0].cells.iter().map(|cell| cell.ours).collect()
        };
        assert_eq!(ours(&runs), [Some(0.5), Some(0.75), Some(0.625)]);
        assert_eq!(ours(&runs[..1]), [Some(0.5), None, None]);
    }
}

//! One run by several measures: a table of rows and measures, and how often two measures order two rows differently.

use std::collections::BTreeMap;

use serde::Serialize;

use super::conditions::told_of_pages;
use super::html::document_of;
use super::language::Language;
use super::markdown;
use super::table_format::{csv_text, four, plain_table, six, table_lines};
use crate::runs::summary::{Summary, SummaryRow};

/// Macro F1 of each row by each measure. Rows are in the order of the first measure, best first, per dataset.
pub struct MeasureTable {
    measures: Vec<String>,
    /// The folder of the run by each measure.
    folders: Vec<String>,
    lines: Vec<Line>,
    orders: Vec<Order>,
    /// The conditions of each dataset but for the measure, one line each.
    conditions: Vec<String>,
}

/// A row of a dataset.
#[derive(Serialize)]
struct Line {
    dataset: String,
    row: String,
    /// True if no measure sets it apart from ranked rows.
    is_ranked: bool,
    /// Macro F1 by each measure; `None` where the run by it has no such row.
    f1: Vec<Option<f64>>,
    /// WebMainBench's overall figure, where its five measures are among those of the run.
    overall: Option<f64>,
}

/// The measures of which WebMainBench's overall figure is the mean.
const WEBMAINBENCH: [&str; 5] = ["edit scalar", "wmb-code", "wmb-formula", "wmb-table", "wmb-teds"];

/// The column of that figure.
const OVERALL: &str = "webmainbench overall";

/// Pairs of rows that two measures order differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Order {
    dataset: String,
    measure: String,
    turned: usize,
    pairs: usize,
}

impl MeasureTable {
    /// Of a run by several measures, each given by its name and its folder; the summaries are in the same order.
    pub fn new(named: impl IntoIterator<Item = (String, String)>, summaries: &[Summary]) -> Self {
        let (measures, folders): (Vec<String>, Vec<String>) = named.into_iter().unzip();
        let figures: Vec<BTreeMap<(&str, String), &SummaryRow>> = summaries
            .iter()
            .map(|summary| summary.rows.iter().map(|row| ((row.dataset.as_str(), row.full_label()), row)).collect())
            .collect();
        let place = |wanted: &str| measures.iter().position(|measure| measure == wanted);
        let webmainbench: Option<Vec<usize>> = WEBMAINBENCH.into_iter().map(place).collect();
        // A row that is ranked by one measure may be marked under another.
        let marked = summaries.iter().flat_map(|summary| &summary.rows).filter(|row| !row.is_ranked());
        let marks: BTreeMap<(&str, String), String> =
            marked.map(|row| ((row.dataset.as_str(), row.full_label()), row.mark())).collect();
        let rows = summaries.first().map(|summary| &summary.rows[..]).unwrap_or_default();
        let mut lines: Vec<Line> = rows
            .iter()
            .map(|row| {
                let key = (row.dataset.as_str(), row.full_label());
                let f1 = figures.iter().map(|of_measure| Some(of_measure.get(&key)?.aggregates.macro_.f1)).collect();
                let overall = webmainbench.as_ref().and_then(|places| {
                    let columns = places.iter().map(|&place| Some(figures[place].get(&key)?.webmainbench?.f1));
                    Some(columns.sum::<Option<f64>>()? / WEBMAINBENCH.len() as f64)
                });
                let mark = marks.get(&key);
                let name = format!("{} {}", key.1, mark.map_or("", String::as_str)).trim_end().to_owned();
                Line { dataset: row.dataset.clone(), row: name, is_ranked: mark.is_none(), f1, overall }
            })
            .collect();
        // The order of datasets stays; rows of one F1 stay as the run has them.
        let datasets: BTreeMap<&str, usize> =
            rows.iter().enumerate().rev().map(|(place, row)| (row.dataset.as_str(), place)).collect();
        lines.sort_by(|one, other| {
            let place = |line: &Line| datasets[line.dataset.as_str()];
            let by_place = place(one).cmp(&place(other)).then(other.is_ranked.cmp(&one.is_ranked));
            by_place.then(other.f1[0].unwrap_or_default().total_cmp(&one.f1[0].unwrap_or_default()))
        });
        let orders = orders(&measures, &lines);
        let conditions = summaries.first().map(|summary| {
            let datasets = summary.conditions.datasets.keys();
            datasets.map(|dataset| told_of_pages(summary, dataset).to_string()).collect()
        });
        let conditions = conditions.unwrap_or_default();
        MeasureTable { conditions, folders, measures, lines, orders }
    }

    /// The table for a terminal, and a sentence about the orders.
    pub fn terminal(&self) -> String {
        let mut table = plain_table(self.header());
        for cells in self.cells(four) {
            table.add_row(cells);
        }
        let mut text = format!("macro F1 by each measure\n{}\n", table_lines(table, 2).join("\n"));
        self.sentences().iter().for_each(|sentence| text += &format!("{sentence}\n"));
        text
    }

    /// The files that stand beside the folders of the measures, with their content.
    pub fn files(&self, language: Language) -> [(&'static str, String); 3] {
        let csv = csv_text(&self.header().collect::<Vec<_>>(), self.cells(six));
        let table = markdown::table(self.header(), &[0, 1], 2, self.cells(four));
        let markdown = format!("Macro F1 by each measure.\n\n{table}\n{}", markdown::list(&self.sentences()));
        [("measures.csv", csv), ("measures.md", markdown), ("index.html", self.html(language))]
    }

    fn header(&self) -> impl Iterator<Item = &str> {
        let overall = self.has_overall().then_some(OVERALL);
        ["dataset", "row"].into_iter().chain(self.measures.iter().map(String::as_str)).chain(overall)
    }

    fn has_overall(&self) -> bool {
        self.lines.iter().any(|line| line.overall.is_some())
    }

    /// The cells of each line.
    fn cells(&self, figure: fn(f64) -> String) -> impl Iterator<Item = Vec<String>> {
        let has_overall = self.has_overall();
        let overall = move |line: &Line| has_overall.then(|| line.overall.map(figure).unwrap_or_default());
        self.lines.iter().map(move |line| line.cells(figure).into_iter().chain(overall(line)).collect())
    }

    fn html(&self, language: Language) -> String {
        let template = ("measures.html", include_str!("html/measures.html"));
        let data = serde_json::json!({
            "measures": self.measures, "folders": self.folders, "sentences": self.sentences(),
            "overall": self.has_overall().then_some(OVERALL), "lines": self.cells(four).collect::<Vec<_>>(),
        });
        document_of(template, language, "", include_str!("html/measures.js"), "Measures", &data)
    }

    /// One sentence per measure after the first and dataset.
    fn sentences(&self) -> Vec<String> {
        let Some(first) = self.measures.first() else { return Vec::new() };
        let is_marked = self.lines.iter().any(|line| !line.is_ranked);
        let sentence = |Order { dataset, measure, turned, pairs }: &Order| {
            format!("{dataset}: `{measure}` orders {turned} of {pairs} pairs of rows differently from `{first}`.")
        };
        let orders = self.orders.iter().map(sentence);
        let aside = is_marked.then(|| "Marked rows come last and are in no order.".to_owned());
        orders.chain(aside).chain(self.conditions.iter().cloned()).collect()
    }
}

impl Line {
    fn cells(&self, figure: fn(f64) -> String) -> Vec<String> {
        let figures = self.f1.iter().map(|f1| f1.map(figure).unwrap_or_default());
        let names = [self.dataset.clone(), self.row.clone()];
        names.into_iter().chain(figures).collect()
    }
}

/// The orders of each measure after the first, by dataset; rows of equal F1 are in no order.
fn orders(measures: &[String], lines: &[Line]) -> Vec<Order> {
    let mut orders = Vec::new();
    for of_dataset in lines.chunk_by(|one, other| one.dataset == other.dataset) {
        for (place, measure) in measures.iter().enumerate().skip(1) {
            let ranked = of_dataset.iter().filter(|line| line.is_ranked);
            let known: Vec<(f64, f64)> = ranked.filter_map(|line| Some((line.f1[0]?, line.f1[place]?))).collect();
            let pairs =
                known.iter().enumerate().flat_map(|(at, one)| known[at + 1..].iter().map(move |other| (one, other)));
            let turned = pairs.clone().filter(|(one, other)| (one.0 - other.0) * (one.1 - other.1) < 0.0).count();
            let dataset = of_dataset[0].dataset.clone();
            orders.push(Order { dataset, measure: measure.clone(), turned, pairs: pairs.count() });
        }
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_turned_where_two_measures_disagree() {
        let line = |row: &str, f1: [f64; 2]| Line {
            dataset: "d".to_owned(),
            row: row.to_owned(),
            is_ranked: row != "bound",
            f1: f1.map(Some).to_vec(),
            overall: None,
        };
        let lines = [
            line("a", [0.9, 0.5]),
            line("b", [0.8, 0.6]),
            line("c", [0.8, 0.1]),
            line("d", [0.1, 0.1]),
            line("bound", [0.95, 0.0]),
        ];
        let measures = ["lcs char".to_owned(), "edit scalar".to_owned()];
        let expected = Order { dataset: "d".to_owned(), measure: "edit scalar".to_owned(), turned: 1, pairs: 6 };
        assert_eq!(orders(&measures, &lines), [expected]);
    }
}

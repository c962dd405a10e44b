//! One run by several measures: a table of rows and measures, and how often two measures order two rows differently.

use std::collections::BTreeMap;

use super::conditions::told_of_pages;
use super::html::document_of;
use super::language::Language;
use super::localised_text::LocalisedText;
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
    conditions: Vec<LocalisedText>,
}

/// A row of a dataset.
struct Line {
    dataset: String,
    row: String,
    /// The mark that sets it apart from ranked rows by any measure; empty for a ranked row.
    mark: String,
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
                let mark = marks.get(&key).cloned().unwrap_or_default();
                Line { dataset: row.dataset.clone(), row: key.1, mark, f1, overall }
            })
            .collect();
        // The order of datasets stays; rows of one F1 stay as the run has them.
        let datasets: BTreeMap<&str, usize> =
            rows.iter().enumerate().rev().map(|(place, row)| (row.dataset.as_str(), place)).collect();
        lines.sort_by(|one, other| {
            let place = |line: &Line| datasets[line.dataset.as_str()];
            let by_place = place(one).cmp(&place(other)).then(other.is_ranked().cmp(&one.is_ranked()));
            by_place.then(other.f1[0].unwrap_or_default().total_cmp(&one.f1[0].unwrap_or_default()))
        });
        let orders = orders(&measures, &lines);
        let conditions = summaries.first().map(|summary| {
            let datasets = summary.conditions.datasets.keys();
            datasets.map(|dataset| told_of_pages(summary, dataset)).collect()
        });
        let conditions = conditions.unwrap_or_default();
        MeasureTable { conditions, folders, measures, lines, orders }
    }

    /// The table for a terminal, and a sentence about the orders.
    pub fn terminal(&self, language: Language) -> String {
        let mut table = plain_table(self.header(language));
        for cells in self.cells(four, language) {
            table.add_row(cells);
        }
        let mut text = format!("{}\n{}\n", language.of(CAPTION), table_lines(table, 2).join("\n"));
        self.sentences(language).iter().for_each(|sentence| text += &format!("{sentence}\n"));
        text
    }

    /// The files that stand beside the folders of the measures, with their content; CSV is the same in every language.
    pub fn files(&self, language: Language) -> [(&'static str, String); 3] {
        let header = self.header(Language::English);
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let csv = csv_text(&header, self.cells(six, Language::English));
        let table = markdown::table(self.header(language), &[0, 1], 2, self.cells(four, language));
        let caption = LocalisedText::sentence(&[LocalisedText::words(CAPTION)]);
        let notes = markdown::list(&self.sentences(language));
        let markdown = format!("{}\n\n{table}\n{notes}", caption.in_language(language));
        [("measures.csv", csv), ("measures.md", markdown), ("index.html", self.html(language))]
    }

    fn header(&self, language: Language) -> Vec<String> {
        let overall = self.has_overall().then(|| language.say(OVERALL).into_owned());
        let names = language.say_all(["dataset", "row"]).into_iter();
        names.chain(self.measures.iter().cloned()).chain(overall).collect()
    }

    fn has_overall(&self) -> bool {
        self.lines.iter().any(|line| line.overall.is_some())
    }

    /// The cells of each line.
    fn cells(&self, figure: fn(f64) -> String, language: Language) -> impl Iterator<Item = Vec<String>> {
        let has_overall = self.has_overall();
        let overall = move |line: &Line| has_overall.then(|| line.overall.map(figure).unwrap_or_default());
        self.lines.iter().map(move |line| line.cells(figure, language).into_iter().chain(overall(line)).collect())
    }

    fn html(&self, language: Language) -> String {
        let template = ("measures.html", include_str!("html/measures.html"));
        let data = serde_json::json!({
            "header": self.header(language), "folders": self.folders, "sentences": self.sentences(language),
            "lines": self.cells(four, language).collect::<Vec<_>>(),
        });
        document_of(template, language, "", include_str!("html/measures.js"), language.of(TITLE), &data)
    }

    /// One sentence per measure after the first and dataset.
    fn sentences(&self, language: Language) -> Vec<String> {
        let Some(first) = self.measures.first() else { return Vec::new() };
        let sentence = |Order { dataset, measure, turned, pairs }: &Order| {
            let values = [dataset.clone(), measure.clone(), turned.to_string(), pairs.to_string(), first.clone()];
            LocalisedText::new(TURNED, values)
        };
        let is_marked = self.lines.iter().any(|line| !line.is_ranked());
        let aside = is_marked.then(|| LocalisedText::words(ASIDE));
        let sentences = self.orders.iter().map(sentence).chain(aside).chain(self.conditions.iter().cloned());
        sentences.map(|sentence| sentence.in_language(language).to_owned()).collect()
    }
}

/// The title of the page.
const TITLE: [&str; 2] = ["Measures", "度量"];

/// The caption of the table.
const CAPTION: [&str; 2] = ["macro F1 by each measure", "按各度量的宏平均 F1"];

/// The number of pairs of rows that a measure orders otherwise than the first one.
const TURNED: [&str; 2] = [
    "{0}: `{1}` orders {2} of {3} pairs of rows differently from `{4}`.",
    "{0}：`{1}` 对 {3} 对行中的 {2} 对给出与 `{4}` 不同的顺序。",
];

/// Where rows stand that are not ranked.
const ASIDE: [&str; 2] = ["Marked rows come last and are in no order.", "带标记的行列在最后，不分先后。"];

impl Line {
    /// True if no measure sets it apart from ranked rows.
    fn is_ranked(&self) -> bool {
        self.mark.is_empty()
    }

    fn cells(&self, figure: fn(f64) -> String, language: Language) -> Vec<String> {
        let figures = self.f1.iter().map(|f1| f1.map(figure).unwrap_or_default());
        let row = format!("{} {}", self.row, language.say(&self.mark)).trim_end().to_owned();
        [self.dataset.clone(), row].into_iter().chain(figures).collect()
    }
}

/// The orders of each measure after the first, by dataset; rows of equal F1 are in no order.
fn orders(measures: &[String], lines: &[Line]) -> Vec<Order> {
    let mut orders = Vec::new();
    for of_dataset in lines.chunk_by(|one, other| one.dataset == other.dataset) {
        for (place, measure) in measures.iter().enumerate().skip(1) {
            let ranked = of_dataset.iter().filter(|line| line.is_ranked());
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
            mark: if row == "bound" { "(bound)".to_owned() } else { String::new() },
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

//! The tables of a history.

use super::name;
use crate::command_line::compare::p_value;
use crate::decisions::history::{DatasetTrends, Kind, RowTrend, SitePoint, Step};
use crate::report::conditions::tests;
use crate::report::html::documents;
use crate::report::language::Language;
use crate::report::latex::latex_table;
use crate::report::markdown;
use crate::report::table_format::{csv_text, four, plain_table, six, table_lines};

/// Runs that a table for people has a column for: the last ones.
const MOST_COLUMNS: usize = 8;

/// A table with what must be known to read it.
pub(super) struct Table {
    stem: String,
    title: String,
    header: Vec<String>,
    /// The columns that are texts of others.
    names: Vec<usize>,
    /// Columns from this one on are aligned right.
    right: usize,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    /// For a terminal.
    pub(super) fn terminal(&self) -> String {
        let mut table = plain_table(&self.header);
        for row in &self.rows {
            table.add_row(row);
        }
        let notes: String = self.notes.iter().map(|note| format!("{note}\n")).collect();
        format!("{}\n{}\n{notes}", self.title, table_lines(table, self.right).join("\n"))
    }

    /// In a document.
    pub(super) fn document(self) -> documents::Table {
        let cells = |row: Vec<String>| row.into_iter().map(documents::Cell::from).collect();
        documents::Table {
            caption: self.title,
            header: self.header,
            right: self.right,
            rows: self.rows.into_iter().map(cells).collect(),
            notes: self.notes,
        }
    }

    /// As Markdown.
    pub(super) fn markdown(&self) -> String {
        let table = markdown::table(&self.header, &self.names, self.right, self.rows.iter().cloned());
        let notes: Vec<String> = self.notes.iter().map(|note| markdown::code(note)).collect();
        format!("{}\n\n{table}\n{}", markdown::code(&self.title), markdown::list(&notes))
    }

    /// As LaTeX.
    pub(super) fn latex(&self) -> String {
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        latex_table((&self.stem, &self.title), &header, self.right, &self.rows, &self.notes)
    }
}

/// F1 of each row in each run.
pub(super) fn values(dataset: &DatasetTrends, language: Language) -> Table {
    let cells = |row: &RowTrend| -> Vec<String> {
        let last = shown(dataset);
        let f1 = last.map(|run| row.points[run].map_or_else(|| "-".to_owned(), |point| four(point.f1)));
        std::iter::once(name(row)).chain(f1).collect()
    };
    let rows = dataset.rows.iter().map(cells).collect();
    table(dataset, language, ("history", "{0}: macro F1"), &["row"], rows)
}

/// Mean F1 of each site of each row in each run.
pub(super) fn sites(dataset: &DatasetTrends, language: Language) -> Table {
    let cells = |(row, site): (&RowTrend, &SitePoint)| -> Vec<String> {
        let f1 = shown(dataset).map(|run| site.f1[run].map_or_else(|| "-".to_owned(), |(f1, _)| four(f1)));
        [name(row), site.site.clone()].into_iter().chain(f1).collect()
    };
    let rows = dataset.rows.iter().flat_map(|row| row.sites.iter().map(move |site| (row, site))).map(cells).collect();
    table(dataset, language, ("history-sites", "{0}: mean F1 of sites"), &["row", "site"], rows)
}

/// A table with a column per run, behind those of `names`; `title` is a pattern of the catalogue for the dataset's name.
fn table(
    dataset: &DatasetTrends,
    language: Language,
    (part, title): (&str, &str),
    names: &[&str],
    rows: Vec<Vec<String>>,
) -> Table {
    let mut notes = Vec::new();
    let runs = dataset.labels.len();
    if runs > MOST_COLUMNS {
        let counts = [MOST_COLUMNS, runs].map(|count| count.to_string());
        notes.push(language.fill("the last {0} of {1} runs; --format csv has all", &counts));
    }
    for found in &dataset.breaks {
        let told = [dataset.labels[found.at].clone(), found.conditions.join(", ")];
        notes.push(language.fill("{0} has other conditions than the run before: {1}", &told));
    }
    let columns: Vec<usize> = (0..names.len()).collect();
    Table {
        stem: format!("{}-{part}", dataset.dataset),
        title: language.fill(title, &[&dataset.dataset]),
        right: names.len(),
        header: language
            .say_all(names.iter().copied())
            .into_iter()
            .chain(shown(dataset).map(|run| dataset.labels[run].clone()))
            .collect(),
        names: columns,
        rows,
        notes,
    }
}

/// The runs that have a column.
fn shown(dataset: &DatasetTrends) -> std::ops::Range<usize> {
    dataset.labels.len().saturating_sub(MOST_COLUMNS)..dataset.labels.len()
}

const CHANGES: [&str; 9] =
    ["run", "row", "against", "verdict", "sites that changed most", "F1", "95 % interval", "pages +/=/-", "p (Holm)"];

/// The steps in which a page of a row differs; `None` where there are none.
pub(super) fn changes(dataset: &DatasetTrends, language: Language) -> Option<Table> {
    let mut steps: Vec<(&RowTrend, &Step)> =
        dataset.rows.iter().flat_map(|row| row.steps.iter().map(move |step| (row, step))).collect();
    if steps.is_empty() {
        return None;
    }
    steps.sort_by_key(|(_, step)| (step.to, step.kind == Kind::Overall));
    let cells = |(row, step): &(&RowTrend, &Step)| -> Vec<String> {
        let interval = step.difference.percentile;
        let interval =
            interval.map_or_else(|| "-".to_owned(), |own| format!("[{}, {}]", four(own.low), four(own.high)));
        let range = |f1: [f64; 2]| language.fill("{0} to {1}", &f1.map(four));
        let sites = step.sites.iter().map(|site| format!("{} {}", site.site, range(site.f1)));
        vec![
            dataset.labels[step.to].clone(),
            name(row),
            dataset.labels[step.from].clone(),
            language.say(&verdict(step)).into_owned(),
            sites.collect::<Vec<_>>().join("; "),
            format!("{}{}", if step.difference.point > 0.0 { "+" } else { "" }, four(step.difference.point)),
            interval,
            step.higher_equal_lower.map(|pages| pages.to_string()).join("/"),
            p_value(step.corrected),
        ]
    };
    let words =
        "sign flips of sites, Holm over {0} of this dataset; a run in which no page of a row differs is no test";
    let mut notes = vec![language.fill(words, &[tests(dataset.tests).in_language(language)])];
    if dataset.too_few_sites {
        notes.push(language.say("fewer than 6 sites: no test can tell a change from chance").into_owned());
    }
    Some(Table {
        stem: format!("{}-changes", dataset.dataset),
        title: language.fill("{0}: what changed, run by run", &[&dataset.dataset]),
        header: language.say_all(CHANGES),
        names: vec![0, 1, 2, 4],
        right: 5,
        rows: steps.iter().map(cells).collect(),
        notes,
    })
}

/// The verdict of a step, in words.
fn verdict(step: &Step) -> String {
    let few = if step.too_few_sites { ", too few sites" } else { "" };
    match step.is_change_point() {
        true => format!("change point: {}", step.verdict.name()),
        false => format!("{}{few}", step.verdict.name()),
    }
}

/// A line for each row and run, as CSV.
pub(super) fn points(datasets: &[DatasetTrends]) -> String {
    const HEADER: [&str; 17] = [
        "dataset", "row", "run", "pages", "failed", "precision", "recall", "f1", "against", "difference", "low",
        "high", "higher", "equal", "lower", "p", "verdict",
    ];
    let lines = datasets.iter().flat_map(|dataset| {
        dataset.rows.iter().flat_map(move |row| {
            row.points.iter().enumerate().filter_map(move |(run, point)| {
                let point = (*point)?;
                let step = row.steps.iter().find(|step| step.to == run && step.kind == Kind::Step);
                let named = [dataset.dataset.clone(), name(row), dataset.labels[run].clone()];
                let counts = [point.pages, point.failed].map(|count| count.to_string());
                let scores = [point.precision, point.recall, point.f1].map(six);
                Some(named.into_iter().chain(counts).chain(scores).chain(step_cells(dataset, step)).collect())
            })
        })
    });
    csv_text(&HEADER, lines)
}

/// A line for each step of each row, as CSV.
pub(super) fn steps(datasets: &[DatasetTrends]) -> String {
    const HEADER: [&str; 13] = [
        "dataset", "row", "run", "kind", "against", "difference", "low", "high", "higher", "equal", "lower", "p",
        "verdict",
    ];
    let lines = datasets.iter().flat_map(|dataset| {
        dataset.rows.iter().flat_map(move |row| {
            row.steps.iter().map(move |step| {
                let kind = if step.kind == Kind::Step { "step" } else { "overall" };
                let named = [dataset.dataset.clone(), name(row), dataset.labels[step.to].clone(), kind.to_owned()];
                named.into_iter().chain(step_cells(dataset, Some(step))).collect()
            })
        })
    });
    csv_text(&HEADER, lines)
}

/// The last columns of a step; empty where no page differs.
fn step_cells(dataset: &DatasetTrends, step: Option<&Step>) -> [String; 9] {
    let Some(step) = step else { return Default::default() };
    let ends = step.difference.percentile.map_or_else(Default::default, |own| [own.low, own.high].map(six));
    let [low, high] = ends;
    let [higher, equal, lower] = step.higher_equal_lower.map(|pages| pages.to_string());
    let against = dataset.labels[step.from].clone();
    [against, six(step.difference.point), low, high, higher, equal, lower, six(step.corrected), verdict(step)]
}

/// A line for each row, site and run, as CSV.
pub(super) fn site_points(datasets: &[DatasetTrends]) -> String {
    let lines = datasets.iter().flat_map(|dataset| {
        dataset.rows.iter().flat_map(move |row| {
            row.sites.iter().flat_map(move |site| {
                site.f1.iter().enumerate().filter_map(move |(run, f1)| {
                    let (f1, pages) = (*f1)?;
                    let named = [dataset.dataset.clone(), name(row), site.site.clone(), dataset.labels[run].clone()];
                    Some(named.into_iter().chain([pages.to_string(), six(f1)]).collect())
                })
            })
        })
    });
    csv_text(&["dataset", "row", "site", "run", "pages", "f1"], lines)
}

//! One page of a run, read back: what each row scored on it, and the texts behind the scores.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::folder::FolderError;
use super::summary::SummaryRow;
use super::units::read_texts;
use crate::formats::files::read;
use crate::scoring::{Counts, Score};
use crate::text::hint;

/// A page of a run.
#[derive(Clone, Debug)]
pub struct RunPage {
    /// The dataset's name.
    pub dataset: String,
    /// Its id.
    pub id: String,
    /// The gold text; `None` where the run stored no texts.
    pub gold: Option<String>,
    /// What each row came to on it, in the order of the run.
    pub rows: Vec<RowOnPage>,
}

/// What a row came to on a page.
#[derive(Clone, Debug)]
pub struct RowOnPage {
    /// The algorithm's name.
    pub algorithm: String,
    /// What tells the row from others of its algorithm, as on the command line.
    pub parameters: String,
    /// `ok`, `failed`, `timed_out` or `not_run`.
    pub status: String,
    /// What was counted, and the score; `None` where the row was not run.
    pub score: Option<(Counts, Score)>,
    /// The extraction; `None` where there is none, or the run stored no texts.
    pub text: Option<String>,
}

/// Why a page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The request.
    #[error("{0}")]
    Request(String),
}

/// A line of `scores.csv`.
#[derive(Deserialize)]
struct Line {
    dataset: String,
    page: String,
    algorithm: String,
    parameters: String,
    status: String,
    matched: Option<u64>,
    extracted: Option<u64>,
    gold: Option<u64>,
    text: String,
}

/// Ids that an error names at most.
const NAMED: usize = 5;

/// The page of the run in `folder` whose id is `page`, or the only one whose id begins with it; of
/// `dataset`, where one is named.
///
/// # Errors
/// [`PageError`]: no such page, or several, or not a run's folder.
pub fn read_page(folder: &Path, dataset: Option<&str>, page: &str) -> Result<RunPage, PageError> {
    let lines = lines(folder)?;
    let is_of_dataset = |line: &&Line| dataset.is_none_or(|dataset| line.dataset == dataset);
    let pages: BTreeSet<(&str, &str)> =
        lines.iter().filter(is_of_dataset).map(|line| (line.dataset.as_str(), line.page.as_str())).collect();
    let (dataset, id) = find(&pages, page)?;
    let texts = read_texts(folder, dataset, id)?;
    let rows = lines.iter().filter(|line| (line.dataset.as_str(), line.page.as_str()) == (dataset, id));
    let rows = rows.map(|line| RowOnPage {
        algorithm: line.algorithm.clone(),
        parameters: line.parameters.clone(),
        status: line.status.clone(),
        score: line.score(),
        text: texts.extractions.get(line.text.as_str()).cloned(),
    });
    Ok(RunPage { dataset: dataset.to_owned(), id: id.to_owned(), rows: rows.collect(), gold: texts.gold })
}

fn lines(folder: &Path) -> Result<Vec<Line>, FolderError> {
    let path = folder.join("scores.csv");
    let bytes = read(&path)?;
    let lines = csv::Reader::from_reader(&*bytes).into_deserialize().collect::<Result<_, _>>();
    lines.map_err(|error| FolderError::Content { path, message: format!("is not from a run: {error}") })
}

fn find<'p>(pages: &BTreeSet<(&'p str, &'p str)>, wanted: &str) -> Result<(&'p str, &'p str), PageError> {
    let mut found: Vec<_> = pages.iter().filter(|(_, id)| *id == wanted).collect();
    if found.is_empty() {
        found = pages.iter().filter(|(_, id)| id.starts_with(wanted)).collect();
    }
    match found.as_slice() {
        [page] => Ok(**page),
        [] => {
            let hint = hint(wanted, pages.iter().map(|(_, id)| *id).take(NAMED));
            Err(PageError::Request(format!("no page of the run has an id that begins with `{wanted}`; {hint}")))
        }
        _ => {
            let several = found.len();
            let names: Vec<String> =
                found.iter().take(NAMED).map(|(dataset, id)| format!("{id} of {dataset}")).collect();
            let more = if several > NAMED { ", .." } else { "" };
            let names = names.join(", ");
            Err(PageError::Request(format!(
                "`{wanted}` begins the ids of {several} pages: {names}{more}; give more of the id"
            )))
        }
    }
}

impl Line {
    fn score(&self) -> Option<(Counts, Score)> {
        let counts = Counts { matched: self.matched?, extracted: self.extracted?, gold: self.gold? };
        Some((counts, if self.status == "ok" { counts.score() } else { Score::ZERO }))
    }
}

impl RowOnPage {
    /// Its name, as on the command line.
    pub fn name(&self) -> String {
        let between = if self.parameters.is_empty() { "" } else { ":" };
        format!("{}{between}{}", self.algorithm, self.parameters)
    }

    /// Whether it is what `row` came to.
    pub fn is_of(&self, row: &SummaryRow) -> bool {
        self.algorithm == row.algorithm && self.parameters == row.label()
    }
}

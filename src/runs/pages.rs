//! The pages of a run, read back: what each row scored on them, and the texts behind the scores.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::folder::{FolderError, records};
use super::results::is_scored;
use super::summary::SummaryRow;
use super::units::read_texts;
use crate::scoring::{Counts, ONE, Score};
use crate::text::hint;

/// A page of a run.
#[derive(Clone, Debug)]
pub struct RunPage {
    /// The dataset's name.
    pub dataset: String,
    /// Its id.
    pub id: String,
    /// Its site, language and kind; empty where they are not known.
    pub tags: [String; 3],
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
    /// `ok`, `degraded`, `failed`, `timed_out` or `not_run`.
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

/// What each row came to on each page of a run, without the texts.
pub struct RunPages {
    folder: PathBuf,
    lines: Vec<Line>,
}

/// A page of [`RunPages`]: the lines of its rows, at least one.
#[derive(Clone, Copy)]
pub struct PageLines<'p> {
    lines: &'p [Line],
}

/// A line of `scores.csv`.
#[derive(Deserialize)]
struct Line {
    dataset: String,
    page: String,
    site: String,
    language: String,
    kind: String,
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

impl RunPages {
    /// Reads `scores.csv` of the run in `folder`.
    ///
    /// # Errors
    /// [`FolderError`]: not a run's folder.
    pub fn read(folder: &Path) -> Result<Self, FolderError> {
        Ok(RunPages { folder: folder.to_owned(), lines: records(&folder.join("scores.csv"))? })
    }

    /// The pages that have gold, in the order of the run.
    pub fn iter(&self) -> impl Iterator<Item = PageLines<'_>> {
        let is_same = |one: &Line, next: &Line| (&one.dataset, &one.page) == (&next.dataset, &next.page);
        self.lines.chunk_by(is_same).map(|lines| PageLines { lines })
    }

    /// The page whose id is `page`, or the only one whose id begins with it; of `dataset`, where one is named.
    ///
    /// # Errors
    /// [`PageError`]: no such page, or several.
    pub fn find(&self, dataset: Option<&str>, page: &str) -> Result<PageLines<'_>, PageError> {
        let pages: Vec<PageLines<'_>> =
            self.iter().filter(|page| dataset.is_none_or(|dataset| page.dataset() == dataset)).collect();
        let with = |fits: &dyn Fn(&str) -> bool| pages.iter().filter(|page| fits(page.id())).collect::<Vec<_>>();
        let mut found = with(&|id| id == page);
        if found.is_empty() {
            found = with(&|id| id.starts_with(page));
        }
        match found.as_slice() {
            [page] => Ok(**page),
            [] => {
                let hint = hint(page, pages.iter().map(PageLines::id).take(NAMED));
                Err(PageError::Request(format!("no page of the run has an id that begins with `{page}`; {hint}")))
            }
            _ => {
                let names = found.iter().take(NAMED).map(|page| format!("{} of {}", page.id(), page.dataset()));
                let more = if found.len() > NAMED { ", .." } else { "" };
                Err(PageError::Request(format!(
                    "`{page}` begins the ids of {} pages: {}{more}; give more of the id",
                    found.len(),
                    names.collect::<Vec<_>>().join(", ")
                )))
            }
        }
    }

    /// The page with its texts.
    ///
    /// # Errors
    /// [`FolderError`]: its unit is missing or damaged.
    pub fn open(&self, page: PageLines<'_>) -> Result<RunPage, FolderError> {
        let texts = read_texts(&self.folder, page.dataset(), page.id())?;
        let rows = page.lines.iter().map(|line| RowOnPage {
            algorithm: line.algorithm.clone(),
            parameters: line.parameters.clone(),
            status: line.status.clone(),
            score: line.score(),
            text: texts.extractions.get(line.text.as_str()).cloned(),
        });
        Ok(RunPage {
            dataset: page.dataset().to_owned(),
            id: page.id().to_owned(),
            tags: page.tags().map(str::to_owned),
            rows: rows.collect(),
            gold: texts.gold,
        })
    }
}

impl<'p> PageLines<'p> {
    /// The dataset's name.
    pub fn dataset(&self) -> &'p str {
        &self.lines[0].dataset
    }

    /// The page's id.
    pub fn id(&self) -> &'p str {
        &self.lines[0].page
    }

    /// Its site, language and kind; empty where they are not known.
    pub fn tags(&self) -> [&'p str; 3] {
        let Line { site, language, kind, .. } = &self.lines[0];
        [site, language, kind]
    }

    /// What each row came to: algorithm, parameters, and precision, recall and F1 in ten thousandths; `None` where it was
    /// not run.
    pub fn scores(&self) -> impl Iterator<Item = (&'p str, &'p str, Option<[u16; 3]>)> {
        let score = |line: &'p Line| line.score().map(|(_, score)| ten_thousandths(score));
        self.lines.iter().map(move |line| (line.algorithm.as_str(), line.parameters.as_str(), score(line)))
    }
}

/// What a page is like: a line of `pages.csv`. What is not known is `None`.
#[derive(Clone, Debug, Deserialize)]
pub struct PageLine {
    /// The dataset's name.
    pub dataset: String,
    /// The page's id.
    pub page: String,
    /// `ok` or `failed`.
    pub status: String,
    /// The encoding that it was read in.
    pub encoding: String,
    /// Bytes that did not decode.
    pub replaced: Option<usize>,
    /// Nodes of its tree.
    pub nodes: Option<usize>,
    /// The depth of its tree.
    pub depth: Option<usize>,
    /// `chars` of all visible text.
    pub text: Option<usize>,
    /// `chars` of it in links.
    pub link: Option<usize>,
    /// `chars` of the gold; `None` without one.
    pub gold: Option<usize>,
}

/// Reads `pages.csv` of the run in `folder`.
///
/// # Errors
/// [`FolderError`]: not a run's folder.
pub fn read_page_lines(folder: &Path) -> Result<Vec<PageLine>, FolderError> {
    records(&folder.join("pages.csv"))
}

impl Line {
    fn score(&self) -> Option<(Counts, Score)> {
        let counts = Counts { matched: self.matched?, extracted: self.extracted?, gold: self.gold? };
        Some((counts, if is_scored(&self.status) { counts.score() } else { Score::ZERO }))
    }
}

impl RowOnPage {
    /// Its name, as on the command line.
    pub fn name(&self) -> String {
        let between = if self.parameters.is_empty() { "" } else { ":" };
        format!("{}{between}{}", self.algorithm, self.parameters)
    }

    /// Precision, recall and F1 in ten thousandths; `None` where it was not run.
    pub fn figures(&self) -> Option<[u16; 3]> {
        self.score.map(|(_, score)| ten_thousandths(score))
    }

    /// `matched, extracted, gold`; `None` where it was not run.
    pub fn counts(&self) -> Option<[u64; 3]> {
        self.score.map(|(Counts { matched, extracted, gold }, _)| [matched, extracted, gold])
    }

    /// Whether it is what `row` came to.
    pub fn is_of(&self, row: &SummaryRow) -> bool {
        self.algorithm == row.algorithm && self.parameters == row.label()
    }
}

/// As it is shown: to four digits.
fn ten_thousandths(score: Score) -> [u16; 3] {
    const UNIT: u64 = ONE / 10_000;
    score.values().map(|value| ((value + UNIT / 2) / UNIT) as u16)
}

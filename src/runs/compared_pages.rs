//! The pages without gold of a run, read back: what each row extracted from them, and how far every two agree.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::agreement::{ComparedSystem, Extracted, PageAgreement, rank};
use super::folder_error::FolderError;
use super::pages::PageError;
use super::row_names::{is_label_meant, name_of};
use super::run_folder::RunFolder;
use super::summary::Summary;
use super::units::StoredLater;
use crate::datasets::page_id::find_page;
use crate::scoring::ONE;

/// The pages on which rows are compared with each other.
pub struct ComparedPages {
    units: StoredLater,
    pages: Vec<PageLine>,
    /// By dataset.
    systems: BTreeMap<String, Vec<ComparedSystem>>,
}

/// A line of `agreement.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct PageLine {
    /// The dataset's name.
    pub dataset: String,
    /// The page's id.
    pub page: String,
    /// Its site; empty where it is not known, as the next two.
    pub site: String,
    /// Its language.
    pub language: String,
    /// Its kind.
    pub kind: String,
    /// The agreement of the systems: the mean F1 of every two.
    pub f1: f64,
    /// The same of those that extracted something; `None` where fewer than two did, and in a run of an earlier version.
    #[serde(default)]
    pub texts_f1: Option<f64>,
}

impl PageLine {
    /// The rank of the page among disputed ones, of which the lowest is disputed most.
    pub(crate) fn rank(&self) -> f64 {
        rank(self.texts_f1, self.f1)
    }
}

/// A page with its texts.
#[derive(Clone, Debug)]
pub struct ComparedPage {
    /// Its line.
    pub line: PageLine,
    /// What each row that is compared came to.
    pub rows: Vec<ComparedRow>,
    agreement: PageAgreement,
}

/// What a row came to on a page without gold.
#[derive(Clone, Debug)]
pub struct ComparedRow {
    /// The algorithm with what tells the row from others.
    pub label: String,
    /// The extraction; `None` where there is none, or the run stored no texts.
    pub text: Option<String>,
    /// Why there is no extraction, where that is known.
    pub reason: Option<String>,
    place: usize,
}

/// The end of the sentence about a run in which [`most_disputed`] finds no page of a dataset.
pub(crate) const NOTHING_COMPARED: &str =
    "compares systems on no page of this dataset (runs do where two or more rows have no gold)";

/// The pages of `dataset` on which the rows of a run were compared, the most disputed first, and equal ones in the order of the
/// run.
///
/// # Errors
/// [`FolderError`]: the file is not as the run left it.
pub(crate) fn most_disputed(run: &RunFolder, dataset: &str) -> Result<Vec<String>, FolderError> {
    let mut lines: Vec<PageLine> = run.records("agreement.csv")?;
    lines.retain(|line| line.dataset == dataset);
    lines.sort_by(|one, other| one.rank().total_cmp(&other.rank()));
    Ok(lines.into_iter().map(|line| line.page).collect())
}

impl ComparedPages {
    /// Reads `agreement.csv` of a run, if it has one.
    ///
    /// # Errors
    /// [`FolderError`]: the file is not as the run left it.
    pub fn read(run: &RunFolder, summary: &Summary) -> Result<Self, FolderError> {
        Self::read_some(run, summary, |_| true)
    }

    /// The same of the pages that are to be kept: `is_kept` sees each page once, in the order of the run.
    ///
    /// # Errors
    /// As [`ComparedPages::read`]; what `is_kept` saw may then be of no use.
    pub(crate) fn read_some(
        run: &RunFolder,
        summary: &Summary,
        mut is_kept: impl FnMut(&PageLine) -> bool,
    ) -> Result<Self, FolderError> {
        let mut pages = Vec::new();
        run.for_each_record_if_any("agreement.csv", |line| pages.extend(Some(line).filter(&mut is_kept)))?;
        let systems = summary.agreement.iter().map(|known| (known.dataset.clone(), known.systems.clone()));
        Ok(ComparedPages { units: StoredLater::new(run.path()), pages, systems: systems.collect() })
    }

    /// The pages, in the order of the run.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &PageLine> {
        self.pages.iter()
    }

    /// The page whose id is `page`, or the only one whose id begins with it; of `dataset`, where one is named.
    ///
    /// # Errors
    /// [`PageError`]: no such page, or several.
    pub fn find(&self, dataset: Option<&str>, page: &str) -> Result<&PageLine, PageError> {
        let pages: Vec<&PageLine> =
            self.iter().filter(|line| dataset.is_none_or(|dataset| line.dataset == dataset)).collect();
        let named: Vec<(&str, &str)> = pages.iter().map(|line| (line.page.as_str(), line.dataset.as_str())).collect();
        find_page(&named, page).map(|place| pages[place]).map_err(PageError::Request)
    }

    /// The page with its texts.
    ///
    /// # Errors
    /// [`FolderError`]: its unit is missing or damaged.
    pub fn open(&self, line: &PageLine) -> Result<ComparedPage, FolderError> {
        let (outcome, texts) = self.units.get()?.page(&line.dataset, &line.page)?;
        let agreement = outcome.agreement.unwrap_or_default();
        let row = |system: &ComparedSystem| {
            let (text, reason) = match agreement.rows.get(system.row) {
                Some(Extracted::Text(text)) => (texts.extractions.get(&agreement.texts[*text].0).cloned(), None),
                Some(Extracted::Failed(reason) | Extracted::TimedOut(reason)) => (None, Some(reason.clone())),
                Some(Extracted::NotRun) | None => (None, None),
            };
            ComparedRow { label: system.label.clone(), text, reason, place: system.row }
        };
        let rows = self.systems.get(&line.dataset).into_iter().flatten().map(row).collect();
        Ok(ComparedPage { line: line.clone(), rows, agreement })
    }
}

impl ComparedRow {
    /// Its name, as on the command line.
    pub fn name(&self) -> String {
        name_of(&self.label)
    }

    /// Whether the row was run on the page. One that was not has neither a text nor a reason.
    pub fn was_run(&self) -> bool {
        self.text.is_some() || self.reason.is_some()
    }

    /// Why it has no text.
    pub fn why_no_text(&self) -> &str {
        self.reason.as_deref().unwrap_or("it was not run")
    }
}

impl ComparedPage {
    /// The rows that `specs` mean, `NAME[:PARAMETER=VALUE|..,..]` each; all where none is given.
    pub fn rows_meant(&self, specs: &[String]) -> Vec<&ComparedRow> {
        let is_meant =
            |row: &&ComparedRow| specs.is_empty() || specs.iter().any(|spec| is_label_meant(spec, &row.label));
        self.rows.iter().filter(is_meant).collect()
    }

    /// F1 of the texts of two of its rows, each the other's gold; `None` where one has no text.
    pub fn f1(&self, one: &ComparedRow, other: &ComparedRow) -> Option<f64> {
        let rows = self.agreement.rows.len();
        let both = one.place < rows && other.place < rows;
        let f1 = both.then(|| self.agreement.f1(one.place, other.place)).flatten()?;
        Some(f1 as f64 / ONE as f64)
    }

    /// The two rows that agree least, the first of equal ones.
    pub fn least(&self) -> Option<[&ComparedRow; 2]> {
        let pairs =
            self.rows.iter().enumerate().flat_map(|(i, one)| self.rows[i + 1..].iter().map(move |other| [one, other]));
        let known = pairs.filter_map(|[one, other]| Some((self.f1(one, other)?, [one, other])));
        known.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, pair)| pair)
    }
}

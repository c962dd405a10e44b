//! The papers' own tables and figures in their own layout, made from a run: beside each cell what the paper printed.
//!
//! The pages are others than the paper's, so a figure that stands beside a printed one reproduces none.

mod figures;
mod tables;

pub use self::figures::{DrawnCurve, figures};
pub use self::tables::tables;

use std::collections::BTreeMap;
use std::path::Path;

use super::drawing::{FigureFiles, drawn};
use super::figures::Figure;
use super::language::Language;
use super::latex::latex_table;
use super::markdown;
use super::table_format::csv_text;
use super::writing::{File, is_table_or_figure, put_all};
use crate::papers::Paper;
use crate::runs::folder::Claim;
use crate::runs::folder_error::FolderError;
use crate::runs::page_facts::Facts;
use crate::runs::pages::read_scores;
use crate::runs::run_folder::RunFolder;
use crate::runs::run_folder::SweepRow;
use crate::runs::scores::Scores;
use crate::runs::summary::{Summary, SummaryRow};

/// A paper's run, read back.
pub struct PaperRun {
    /// The paper.
    pub paper: &'static Paper,
    /// Its summary.
    pub summary: Summary,
    /// Its scores.
    pub scores: Scores,
    /// Its exact sweeps.
    pub sweeps: Vec<SweepRow>,
    /// Where the pages of each dataset are from.
    pub facts: BTreeMap<String, Facts>,
}

impl PaperRun {
    /// What was run for `paper` in `folder`, on pages of these facts.
    ///
    /// # Errors
    /// [`FolderError`]: not a run's folder.
    pub fn read(paper: &'static Paper, folder: &Path, facts: BTreeMap<String, Facts>) -> Result<Self, FolderError> {
        let run = RunFolder::open(folder)?;
        Ok(PaperRun { paper, summary: run.summary()?, scores: read_scores(&run)?, sweeps: run.sweeps()?, facts })
    }

    /// The datasets, in the order of their names.
    pub fn datasets(&self) -> impl Iterator<Item = &str> {
        self.summary.conditions.datasets.keys().map(String::as_str)
    }

    /// The row of `algorithm` at its defaults.
    fn default_row(&self, dataset: &str, algorithm: &str) -> Option<&SummaryRow> {
        let is_meant =
            |row: &&SummaryRow| row.dataset == dataset && row.algorithm == algorithm && row.differs.is_empty();
        self.summary.rows.iter().find(is_meant)
    }
}

/// A table in every form.
#[derive(Debug)]
pub struct PaperTable {
    /// The stem of its files.
    pub stem: String,
    /// What it shows.
    pub title: String,
    /// The dataset of its pages, which the title ends in; `None` where the rows name theirs.
    pub pages_of: Option<String>,
    /// Its columns.
    pub header: Vec<String>,
    /// The columns, counted from 0, that others have named.
    pub names: &'static [usize],
    /// From which column on, counted from 0, they are figures.
    pub right: usize,
    /// Its rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
    /// What must be known to read it, a sentence each.
    pub notes: Vec<String>,
    /// What the figures rest on, a sentence each, with names that others gave.
    pub conditions: Vec<String>,
}

impl PaperTable {
    fn header(&self) -> Vec<&str> {
        self.header.iter().map(String::as_str).collect()
    }

    /// The title; `mark` sets off what others have named.
    fn title(&self, mark: &dyn Fn(&str) -> String) -> String {
        let dataset = self.pages_of.as_ref().map(|dataset| format!(", on pages of {}", mark(dataset)));
        format!("{}{}", self.title, dataset.unwrap_or_default())
    }

    /// Notes and conditions.
    fn notes(&self, mark: &dyn Fn(&str) -> String) -> Vec<String> {
        self.notes.iter().cloned().chain(self.conditions.iter().map(|condition| mark(condition))).collect()
    }

    /// As Markdown, under a heading.
    pub fn markdown(&self) -> String {
        let table = markdown::table(self.header(), self.names, self.right, self.rows.iter().cloned());
        let notes = markdown::list(&self.notes(&markdown::code));
        format!("## {}\n\n{table}\n{notes}", self.title(&markdown::code))
    }

    /// For LaTeX.
    fn latex(&self) -> String {
        let (title, notes) = (self.title(&str::to_owned), self.notes(&str::to_owned));
        latex_table((&self.stem, &title), &self.header(), self.right, &self.rows, &notes)
    }

    /// Its files: Markdown, CSV and LaTeX.
    fn files(&self) -> [File; 3] {
        let texts = [
            ("md", self.markdown()),
            ("csv", csv_text(&self.header(), self.rows.iter().cloned())),
            ("tex", self.latex()),
        ];
        texts.map(|(kind, text)| (format!("tables/{}.{kind}", self.stem), text.into_bytes()))
    }
}

/// Writes tables and figures into `tables/` and `figures/` of the folder of `claim`; what an earlier call wrote there and this one
/// does not is removed. Figures are in `language`, tables in English, as the claims are. Returns warnings, a sentence each.
///
/// # Errors
/// [`FolderError`]: a file that cannot be written.
pub fn write(
    claim: &Claim,
    tables: &[PaperTable],
    figures: &[Figure],
    language: Language,
) -> Result<Vec<String>, FolderError> {
    let FigureFiles { files, warnings } = FigureFiles::of(&drawn(figures.to_vec(), language));
    let drawn = files.into_iter().map(|(name, bytes)| (format!("figures/{name}"), bytes));
    let files: Vec<File> = tables.iter().flat_map(PaperTable::files).chain(drawn).collect();
    put_all(claim, &files, is_table_or_figure)?;
    Ok(warnings)
}

#[cfg(test)]
mod tests;

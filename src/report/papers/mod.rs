//! The papers' own tables and figures in their own layout, made from a run: beside each cell what the paper printed.
//!
//! The pages are others than the paper's, so a figure that stands beside a printed one reproduces none.

mod figures;
mod tables;

pub use self::figures::{DrawnCurve, figures};
pub use self::tables::tables;

use std::collections::BTreeMap;
use std::path::Path;

use super::figure_files;
use super::figures::Figure;
use super::png::Painter;
use super::tables::{csv_text, latex_table, markdown_head, markdown_line};
use super::writing::{File, is_table_or_figure, put_all};
use crate::papers::Paper;
use crate::runs::folder::{Claim, FolderError, SweepRow};
use crate::runs::page_facts::Facts;
use crate::runs::run_folder::RunFolder;
use crate::runs::scores::{Scores, read_scores};
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
    /// Its columns.
    pub header: Vec<String>,
    /// From which column on, counted from 0, they are figures.
    pub right: usize,
    /// Its rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
    /// What must be known to read it, a sentence each.
    pub notes: Vec<String>,
}

impl PaperTable {
    fn header(&self) -> Vec<&str> {
        self.header.iter().map(String::as_str).collect()
    }

    /// As Markdown, under a heading.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n{}", self.title, markdown_head(self.header().into_iter(), self.right));
        text.extend(self.rows.iter().map(|row| markdown_line(row.iter().cloned())));
        text.push('\n');
        text.extend(self.notes.iter().map(|note| format!("- {note}\n")));
        text
    }

    /// Its files: Markdown, CSV and LaTeX.
    fn files(&self) -> [File; 3] {
        let header = self.header();
        let texts = [
            ("md", self.markdown()),
            ("csv", csv_text(&header, self.rows.iter().cloned())),
            ("tex", latex_table(&self.title, &header, self.right, &self.rows, &self.notes)),
        ];
        texts.map(|(kind, text)| (format!("tables/{}.{kind}", self.stem), text.into_bytes()))
    }
}

/// Writes tables and figures into `tables/` and `figures/` of the folder of `claim`; what an earlier call wrote there and this one
/// does not is removed. Returns warnings, a sentence each.
///
/// # Errors
/// [`FolderError`]: a file that cannot be written.
pub fn write(claim: &Claim, tables: &[PaperTable], figures: &[Figure]) -> Result<Vec<String>, FolderError> {
    let (drawn, warnings) = figure_files(figures, Painter::new().as_ref());
    let drawn = drawn.into_iter().map(|(name, bytes)| (format!("figures/{name}"), bytes));
    let files: Vec<File> = tables.iter().flat_map(PaperTable::files).chain(drawn).collect();
    put_all(claim, &files, is_table_or_figure)?;
    Ok(warnings)
}

#[cfg(test)]
mod tests;

//! What a run left that its report is made of.

use std::path::Path;

use super::figure_inputs::FigureInputs;
use super::figures::{Figure, figures};
use crate::runs::compared_pages::ComparedPages;
use crate::runs::folder::Claim;
use crate::runs::folder_error::FolderError;
use crate::runs::pages::{PageLine, RunPages, read_page_lines};
use crate::runs::run_folder::SweepRow;
use crate::runs::run_folder::{RunFolder, RunInfo};
use crate::runs::scores::Scores;
use crate::runs::separation::Separation;
use crate::runs::summary::Summary;
use crate::runs::times::read_times;
use crate::statistics::Part;

/// The files of a run that its report is made of, each of them read once.
pub struct RunFiles<'c> {
    folder: &'c Path,
    pub(super) info: RunInfo,
    pub(super) summary: Summary,
    pub(super) figure_inputs: FigureInputs,
    pub(super) sweeps: Vec<SweepRow>,
    pub(super) pages: RunPages,
    pub(super) compared: ComparedPages,
    pub(super) page_lines: Vec<PageLine>,
}

impl<'c> RunFiles<'c> {
    /// Reads the run in the folder of `claim`, whose `run.json` says `info`, or will once its report is made. No other program
    /// writes to the folder meanwhile.
    ///
    /// # Errors
    /// [`FolderError`]: a file that is missing, or not as the run left it.
    pub fn read(claim: &'c Claim, info: &RunInfo) -> Result<Self, FolderError> {
        Self::of(claim.folder(), info)
    }

    /// Reads the run in a folder that nothing is written to: it may be that of a stranger, or read-only.
    ///
    /// # Errors
    /// [`FolderError`]: a file that is missing, or not as the run left it.
    pub(crate) fn of(folder: &'c Path, info: &RunInfo) -> Result<Self, FolderError> {
        let run = RunFolder::of(folder, info);
        let pages = RunPages::read(&run)?;
        let summary = run.summary()?;
        let scores = pages.scores();
        let separation = Separation::of(&summary, &scores, Part::F1);
        Ok(RunFiles {
            compared: ComparedPages::read(&run, &summary)?,
            folder,
            info: info.clone(),
            summary,
            figure_inputs: FigureInputs { scores, separation, times: read_times(&run)? },
            sweeps: run.sweeps()?,
            pages,
            page_lines: read_page_lines(&run)?,
        })
    }

    /// What `run.json` says.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// The folder of the run.
    pub(super) fn folder(&self) -> &Path {
        self.folder
    }

    /// Every row's figures.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Every row's scores.
    pub fn scores(&self) -> &Scores {
        &self.figure_inputs.scores
    }

    /// The figures of the run.
    ///
    /// # Errors
    /// [`FolderError`]: a `sweeps.csv` that holds no numbers.
    pub fn figures(&self) -> Result<Vec<Figure>, FolderError> {
        figures(&self.summary, &self.figure_inputs, &self.sweeps)
            .map_err(|message| FolderError::Content { path: self.folder.join("sweeps.csv"), message })
    }
}

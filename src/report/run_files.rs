//! What a run left that its report is made of.

use super::figures::{Figure, Known, figures};
use crate::runs::folder::{Claim, FolderError, SweepRow, read_summary, read_sweeps};
use crate::runs::pages::{PageLine, RunPages, read_page_lines};
use crate::runs::scores::Scores;
use crate::runs::summary::Summary;
use crate::runs::times::read_times;

/// The files of a run that its report is made of, each of them read once, while no other program writes to its folder.
pub struct RunFiles<'c> {
    pub(super) claim: &'c Claim,
    pub(super) summary: Summary,
    pub(super) known: Known,
    pub(super) sweeps: Vec<SweepRow>,
    pub(super) pages: RunPages,
    pub(super) page_lines: Vec<PageLine>,
}

impl<'c> RunFiles<'c> {
    /// Reads the run in the folder of `claim`.
    ///
    /// # Errors
    /// [`FolderError`]: not a run's folder.
    pub fn read(claim: &'c Claim) -> Result<Self, FolderError> {
        let folder = claim.folder();
        let summary = read_summary(folder)?;
        let pages = RunPages::read(folder)?;
        Ok(RunFiles {
            claim,
            summary,
            known: Known { scores: pages.scores(), times: read_times(folder)? },
            sweeps: read_sweeps(folder)?,
            pages,
            page_lines: read_page_lines(folder)?,
        })
    }

    /// Every row's figures.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Every row's scores.
    pub fn scores(&self) -> &Scores {
        &self.known.scores
    }

    /// The figures of the run.
    ///
    /// # Errors
    /// [`FolderError`]: a `sweeps.csv` that holds no numbers.
    pub fn figures(&self) -> Result<Vec<Figure>, FolderError> {
        figures(&self.summary, &self.known, &self.sweeps)
            .map_err(|message| FolderError::Content { path: self.claim.folder().join("sweeps.csv"), message })
    }
}

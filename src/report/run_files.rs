//! What a run left that its report is made of.

use std::path::{Path, PathBuf};

use super::figures::{Figure, Known, figures};
use crate::runs::folder::{FolderError, SweepRow, read_summary, read_sweeps};
use crate::runs::pages::{PageLine, RunPages, read_page_lines};
use crate::runs::scores::Scores;
use crate::runs::summary::Summary;
use crate::runs::times::read_times;

/// The files of a run that its report is made of, each of them read once.
pub struct RunFiles {
    pub(super) folder: PathBuf,
    pub(super) summary: Summary,
    pub(super) known: Known,
    pub(super) sweeps: Vec<SweepRow>,
    pub(super) pages: RunPages,
    pub(super) page_lines: Vec<PageLine>,
}

impl RunFiles {
    /// Reads the run in `folder`.
    ///
    /// # Errors
    /// [`FolderError`]: not a run's folder.
    pub fn read(folder: &Path) -> Result<Self, FolderError> {
        let summary = read_summary(folder)?;
        let pages = RunPages::read(folder)?;
        Ok(RunFiles {
            folder: folder.to_owned(),
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
            .map_err(|message| FolderError::Content { path: self.folder.join("sweeps.csv"), message })
    }
}

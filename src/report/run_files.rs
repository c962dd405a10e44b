//! What a run left that its report is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::complexity::{Complexity, Parting};
use super::figure_inputs::FigureInputs;
use super::figures::{Figure, figures};
use super::shown_pages::Candidates;
use crate::runs::compared_pages::ComparedPages;
use crate::runs::folder::Claim;
use crate::runs::folder_error::FolderError;
use crate::runs::pages::{PageLine, PageLines, RunPages};
use crate::runs::run_folder::SweepRow;
use crate::runs::run_folder::{RunFolder, RunInfo};
use crate::runs::score_sums::ScoreSums;
use crate::runs::scores::{PageScore, RowScore};
use crate::runs::separation::Separation;
use crate::runs::summary::Summary;
use crate::runs::times::read_times;
use crate::statistics::Part;

/// Pages of a run that have a file of their own unless another number is asked for: with many more the index would be too
/// large to open.
pub const MOST_PAGES: usize = 10_000;

/// The content of the report of a run. Only the pages that are shown are
/// held; what all pages come to is added up as their scores are read.
pub struct RunFiles<'c> {
    folder: &'c Path,
    pub(super) info: RunInfo,
    pub(super) summary: Summary,
    pub(super) figure_inputs: FigureInputs,
    pub(super) sweeps: Vec<SweepRow>,
    /// F1 by what pages are like, by dataset.
    pub(super) complexity: BTreeMap<String, Vec<Complexity>>,
    /// The number of pages that are scored.
    pub(super) scored_pages: usize,
    /// Those that are shown.
    pub(super) pages: RunPages,
    /// The pages on which systems are compared that are shown.
    pub(super) compared: ComparedPages,
    /// The features of the pages that are shown.
    pub(super) page_lines: Vec<PageLine>,
}

impl<'c> RunFiles<'c> {
    /// Reads the run in the folder of `claim`, whose `run.json` says `info`, or will once its report is made. No other program
    /// writes to the folder meanwhile. At most so many pages are shown.
    ///
    /// # Errors
    /// [`FolderError`]: a file that is missing, or not as the run left it.
    pub fn read(claim: &'c Claim, info: &RunInfo, most_pages: usize) -> Result<Self, FolderError> {
        Self::of(claim.folder(), info, most_pages)
    }

    /// Reads the run in a folder that nothing is written to: it may be that of a stranger, or read-only.
    ///
    /// # Errors
    /// [`FolderError`]: a file that is missing, or not as the run left it.
    pub(crate) fn of(folder: &'c Path, info: &RunInfo, most_pages: usize) -> Result<Self, FolderError> {
        let run = RunFolder::of(folder, info);
        let summary = run.summary()?;
        let all: usize = summary.conditions.datasets.values().map(|dataset| dataset.pages).sum();
        let mut reading = Reading::new(&summary, all <= most_pages);
        reading.page_lines(&run)?;
        let mut candidates = Candidates::new(&summary, most_pages);
        let mut pages = RunPages::read_some(&run, |page| reading.take(page, &mut candidates))?;
        let mut compared = ComparedPages::read_some(&run, &summary, |line| {
            candidates.add_compared(line);
            reading.are_all_shown
        })?;
        let Reading { are_all_shown, mut page_lines, parting, sums } = reading;
        let scored_pages = candidates.scored();
        if !are_all_shown && most_pages > 0 {
            let chosen = candidates.chosen();
            let mut places = 0..;
            pages = RunPages::read_some(&run, |_| places.next().is_some_and(|place| chosen.scored.contains(&place)))?;
            let mut places = 0..;
            compared = ComparedPages::read_some(&run, &summary, |_| {
                places.next().is_some_and(|place| chosen.compared.contains(&place))
            })?;
            page_lines = lines_of(&run, &pages)?;
        }
        let separation = Separation::of(&summary, &sums, Part::F1);
        Ok(RunFiles {
            folder,
            info: info.clone(),
            figure_inputs: FigureInputs { scores: sums, separation, times: read_times(&run)? },
            summary,
            sweeps: run.sweeps()?,
            complexity: parting.finish(),
            scored_pages,
            pages,
            compared,
            page_lines,
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

    /// Which rows are told apart, by F1.
    pub fn separation(&self) -> &Separation {
        &self.figure_inputs.separation
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

/// The tables of a run as they are read for the first time.
struct Reading {
    are_all_shown: bool,
    page_lines: Vec<PageLine>,
    parting: Parting,
    sums: ScoreSums,
}

impl Reading {
    fn new(summary: &Summary, are_all_shown: bool) -> Self {
        let (parting, sums) = (Parting::new(summary), ScoreSums::new(summary));
        Reading { are_all_shown, page_lines: Vec::new(), parting, sums }
    }

    /// Reads `pages.csv`.
    fn page_lines(&mut self, run: &RunFolder) -> Result<(), FolderError> {
        run.for_each_record_if_any("pages.csv", |line: PageLine| {
            self.parting.add_page(&line);
            self.page_lines.extend(Some(line).filter(|_| self.are_all_shown));
        })?;
        self.parting.part();
        Ok(())
    }

    /// Takes a page with its scores; gives whether it is kept.
    fn take(&mut self, page: PageLines<'_>, candidates: &mut Candidates) -> bool {
        let scores: Vec<(&str, &str, PageScore)> = page.scores().collect();
        let scores: Vec<RowScore<'_>> =
            scores.iter().map(|(algorithm, setting, score)| (*algorithm, *setting, score)).collect();
        self.sums.add(page.dataset(), page.id(), &scores);
        self.parting.add_scores(page.dataset(), page.id(), &scores);
        candidates.add_scored(page.dataset(), &scores);
        self.are_all_shown
    }
}

/// The lines of `pages.csv` of these pages.
fn lines_of(run: &RunFolder, pages: &RunPages) -> Result<Vec<PageLine>, FolderError> {
    let shown: BTreeSet<(&str, &str)> = pages.iter().map(|page| (page.dataset(), page.id())).collect();
    let mut lines = Vec::new();
    run.for_each_record_if_any("pages.csv", |line: PageLine| {
        let is_shown = shown.contains(&(line.dataset.as_str(), line.page.as_str()));
        lines.extend(is_shown.then_some(line));
    })?;
    Ok(lines)
}

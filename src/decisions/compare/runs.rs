//! Run folders, read for a comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::CompareError;
use crate::decisions::conditions::{conditions, differing_keys};
use crate::runs::folder_error::FolderError;
use crate::runs::pages::RunPages;
use crate::runs::run_folder::RunFolder;
use crate::runs::scores::{RowKey, RowScores};
use crate::runs::summary::Summary;
use crate::runs::times::{RowTimes, read_times};

/// A run folder, as far as a comparison needs it.
pub struct Run {
    /// The name that tells it from the others: its folder's name, or its whole path.
    pub name: String,
    /// Its summary.
    pub summary: Summary,
    pub(super) scores: BTreeMap<RowKey, RowScores>,
    /// Of the rows that were timed.
    pub(super) times: BTreeMap<RowKey, RowTimes>,
    /// So many characters tell an id from those of all other pages of the run, of whatever dataset.
    pub(super) telling_characters: usize,
}

/// Reads run folders, and refuses those that were made under unlike conditions.
///
/// # Errors
/// [`CompareError`]: a folder without a run, or conditions of `datasets` (all, where none is named) that differ.
pub fn read_runs(folders: &[impl AsRef<Path>], datasets: &[String]) -> Result<Vec<Run>, CompareError> {
    let names = run_names(folders);
    let runs = folders.iter().zip(names).map(|(folder, name)| {
        let run = RunFolder::open(folder.as_ref())?;
        run.refuse_partial()?;
        let pages = RunPages::read(&run)?;
        let telling_characters = telling_characters(&pages);
        let times = read_times(&run)?.into_iter().map(|times| (times.key(), times)).collect();
        Ok(Run { name, summary: run.summary()?, scores: pages.scores(), times, telling_characters })
    });
    let runs: Vec<Run> = runs.collect::<Result<_, FolderError>>()?;
    if let Some((first, others)) = runs.split_first() {
        others.iter().try_for_each(|other| refuse_unlike(first, other, datasets))?;
    }
    Ok(runs)
}

/// The same, of runs that are compared with each other: none of them is there twice.
///
/// # Errors
/// As [`read_runs`], and a run that is named twice.
pub fn read_different_runs(folders: &[impl AsRef<Path>], datasets: &[String]) -> Result<Vec<Run>, CompareError> {
    let canonical: Vec<PathBuf> = folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect();
    if let Some(twice) = (1..canonical.len()).find(|&place| canonical[..place].contains(&canonical[place])) {
        let run = canonical[twice].display();
        return Err(CompareError::Request(format!("{run} is named twice: a run is compared with another one")));
    }
    read_runs(folders, datasets)
}

/// True if rows of `dataset` in two runs may be compared.
pub fn are_alike(one: &Summary, other: &Summary, dataset: &str) -> bool {
    let [one, other] = [one, other].map(|summary| conditions(summary, &[dataset.to_owned()]));
    one == other
}

/// The names of folders, or their paths where two have the same.
fn run_names(folders: &[impl AsRef<Path>]) -> Vec<String> {
    let last =
        |path: &Path| path.file_name().map_or(path.to_string_lossy(), |name| name.to_string_lossy()).into_owned();
    let short: Vec<String> = folders.iter().map(|folder| last(folder.as_ref())).collect();
    let distinct: BTreeSet<&String> = short.iter().collect();
    if distinct.len() == short.len() {
        return short;
    }
    folders.iter().map(|folder| folder.as_ref().to_string_lossy().into_owned()).collect()
}

fn refuse_unlike(first: &Run, other: &Run, datasets: &[String]) -> Result<(), CompareError> {
    let [one, two] = [first, other].map(|run| conditions(&run.summary, datasets));
    let value = |known: Option<String>| known.unwrap_or_else(|| "nothing".to_owned());
    let differing = differing_keys(&one, &two).into_iter();
    let differing: Vec<String> =
        differing.map(|(key, one, two)| format!("{key} ({} and {})", value(one), value(two))).collect();
    if differing.is_empty() {
        return Ok(());
    }
    Err(CompareError::Request(format!(
        "{} and {} were run under unlike conditions, and only systems may differ: {}",
        first.name,
        other.name,
        differing.join(", ")
    )))
}

/// The number of characters of an id that tell a page from all others of a run.
fn telling_characters(pages: &RunPages) -> usize {
    let pages: BTreeSet<&str> = pages.iter().map(|page| page.id()).collect();
    let shared = |one: &str, other: &str| one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    // In the order of ids, a page shares most with one of its neighbours.
    let neighbours = pages.iter().zip(pages.iter().skip(1));
    neighbours.map(|(one, other)| shared(one, other) + 1).max().unwrap_or(1)
}

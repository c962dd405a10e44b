//! Rows compared two by two: rows of one run, or of several runs under equal conditions.

mod candidates;
mod pairs;
mod runs;

use std::collections::BTreeSet;

use serde::Serialize;

pub use self::candidates::FEW_ROWS;
pub(super) use self::candidates::{Candidate, candidates};
use self::candidates::{best_and_default, chosen, meant};
use self::pairs::{Pairs, differing, times, two_to_look_at};
pub use self::runs::{Run, are_alike, read_different_runs, read_runs};
use crate::runs::best::best_first;
use crate::runs::folder_error::FolderError;
use crate::runs::scores::CommonPages;
use crate::runs::separation::TooFewSites;
use crate::statistics::{Comparison, Correction, Estimate, MOST_TESTED, Paired, Part, Sampling, Verdict};

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Request {
    /// Rows, each `[RUN/]NAME[:PARAMETER=VALUE,..]`; all where none is named.
    pub rows: Vec<String>,
    /// The row that others are held against, named in the same way; the best where none is.
    pub reference: Option<String>,
    /// The row whose worst pages are told, named in the same way.
    pub where_loses: Option<String>,
    /// Datasets; all where none is named.
    pub datasets: Vec<String>,
    /// Which score of a page: precision, recall or F1.
    pub part: Part,
    /// How tests are corrected for their number.
    pub correction: Correction,
    /// Whether every pair is told, not only those with the reference.
    pub every_pair: bool,
    /// How many of the pages that differ most are told.
    pub pages: usize,
    /// How often things are drawn.
    pub sampling: Sampling,
}

impl Request {
    /// True if all pairs of rows are tested; else each against the reference that was named.
    fn tests_all_pairs(&self) -> bool {
        self.reference.is_none() || self.every_pair
    }
}

/// Why rows cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A run folder that cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A request that cannot be met, in one sentence.
    #[error("{0}")]
    Request(String),
    /// Too few rows, or too many.
    #[error("{message}")]
    Number {
        /// One sentence.
        message: String,
        /// The ways in which a command asks for a number that can be compared.
        way_out: String,
    },
}

/// The rows of one dataset, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The dataset's name.
    pub dataset: String,
    /// Pages that every row has.
    pub pages: usize,
    /// Those of them that are of no known site, and count as one each.
    pub pages_without_site: usize,
    /// Their sites.
    pub sites: usize,
    /// True if these are so few that no test can reach its level after the correction.
    pub too_few_sites: bool,
    /// The sites that it takes.
    pub fewest_sites: usize,
    /// Rows that could have been compared too, floors aside: whoever chose among them by their figures made more tests.
    pub not_chosen: usize,
    /// The best row of each algorithm, and those at their defaults, each as `--row` takes it.
    #[serde(skip)]
    pub best_and_default: Vec<String>,
    /// Pages that some of the rows have and others lack: they are left out.
    pub left_out: usize,
    /// The rows, the highest mean first; behind the others those that were not run on some pages of their run.
    pub rows: Vec<ComparedRow>,
    /// The place of the row that others are held against.
    pub reference: usize,
    /// Tests that the correction of `comparisons` counts: rows with the same texts are one system in them.
    pub tests: usize,
    /// Tests that the correction behind the letters counts; 0 where there are too many rows for letters.
    pub letter_tests: usize,
    /// Each row against the reference, or each pair.
    pub comparisons: Vec<Pair>,
    /// Which rows the pages of `differing` are of.
    pub differ: Differ,
    /// The pages on which rows differ most.
    pub differing: Vec<Differing>,
    /// The times of the rows that were timed. No figure and no verdict above depends on them.
    pub times: Vec<ComparedTime>,
    /// So many characters of a page's id tell it from all others of the runs, as `carat diff` looks for it.
    pub telling_characters: usize,
}

/// Which rows are held against each other, page by page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Differ {
    /// The rows at these two places.
    Pair([usize; 2]),
    /// The row at this place, against the best other one.
    Loser(usize),
}

/// A row among others.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedRow {
    /// What it is called, with its run's name where there are several.
    pub name: String,
    /// Whose figure it is: program, algorithm, parameters, lists.
    pub system: String,
    /// Mean score over the pages that every row has.
    pub mean: Estimate,
    /// Median score over them.
    pub median: f64,
    /// Rows that share a letter are not separated, all pairs being tested; empty where there are too many rows.
    pub letters: String,
    /// Its pages that another row lacks, and that are left out.
    pub left_out: usize,
    /// Pages that another row has and it lacks.
    pub lacks: usize,
    /// Pages on which its run did not run it.
    pub not_run: usize,
    /// The place of the first row that extracted the same text from every page; its own if it is that row.
    pub same_as: usize,
}

/// One row against another.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The place of the row.
    pub row: usize,
    /// The place of the one that it is held against.
    pub against: usize,
    /// All that is known of their difference, the row's score less the other's.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// The id of the page that weighs most.
    pub heaviest_page: Option<String>,
    /// The test's p by site, corrected for the number of tests.
    pub corrected: f64,
    /// What it comes to.
    pub verdict: Verdict,
}

/// The time that a row takes, in milliseconds per page, over all pages on which its own run timed it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedTime {
    /// The place of the row.
    pub row: usize,
    /// Pages that were timed.
    pub pages: usize,
    /// Half of the pages take at most that.
    pub p50_ms: f64,
    /// 99 of 100 pages take at most that.
    pub p99_ms: f64,
    /// The `p50_ms` divided by that of the reference; absent where the reference was not timed.
    pub ratio: Option<f64>,
    /// True if it is the time from a request to an external program to its reply, which includes parsing.
    pub from_request: bool,
}

/// A page on which rows differ.
#[derive(Clone, Debug, Serialize)]
pub struct Differing {
    /// Its id.
    pub page: String,
    /// Its site.
    pub site: String,
    /// The place of the first row that scores highest on it, and its score.
    pub highest: (usize, f64),
    /// The same of the lowest.
    pub lowest: (usize, f64),
}

/// Compares the rows of `runs` that `request` means, dataset by dataset.
///
/// # Errors
/// [`CompareError`]: a row that no run has, fewer than two or too many rows, or no page that all of them have.
pub fn compare(runs: &[Run], request: &Request) -> Result<Vec<Compared>, CompareError> {
    let known: Vec<&String> = runs.first().map_or(Vec::new(), |run| run.summary.conditions.datasets.keys().collect());
    let wanted = |dataset: &&&String| request.datasets.is_empty() || request.datasets.contains(dataset);
    if let Some(unknown) = request.datasets.iter().find(|dataset| !known.contains(dataset)) {
        let known = known.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(CompareError::Request(format!("no dataset `{unknown}` was run; there are {known}")));
    }
    known.iter().filter(wanted).map(|dataset| of_dataset(runs, dataset, request)).collect()
}

fn of_dataset(runs: &[Run], dataset: &str, request: &Request) -> Result<Compared, CompareError> {
    let all = candidates(runs, dataset)?;
    let chosen = chosen(&all, dataset, request)?;
    let best_and_default = best_and_default(&chosen);
    let common = CommonPages::of(&chosen.iter().map(|candidate| candidate.scores).collect::<Vec<_>>());
    if common.pages.is_empty() {
        return Err(CompareError::Request(format!("no page of {dataset} was run by all of these rows")));
    }
    let is_left = |known: &&Candidate<'_>| {
        known.is_comparable() && !known.row.floor && !chosen.iter().any(|chosen| std::ptr::eq(*chosen, *known))
    };
    let not_chosen = all.iter().filter(is_left).count();
    let all: BTreeSet<&String> = chosen.iter().flat_map(|candidate| candidate.scores.keys()).collect();
    let scores = |candidate: &&Candidate<'_>| common.scores(candidate.scores, request.part);
    let rows: Vec<(&Candidate<'_>, Vec<u64>)> = chosen.iter().map(|row| (*row, scores(row))).collect();
    let sums: Vec<u128> = rows.iter().map(|(_, scores)| scores.iter().map(|&score| u128::from(score)).sum()).collect();
    let order = best_first(&rows.iter().map(|(row, _)| row.row.swept_values()).collect::<Vec<_>>(), &sums);
    let mut of_places: Vec<_> = rows.into_iter().map(Some).collect();
    let rows: Vec<(&Candidate<'_>, Vec<u64>)> = order.into_iter().filter_map(|place| of_places[place].take()).collect();
    let reference = meant(&rows, "--reference", request.reference.as_ref())?.unwrap_or(0);
    let loser = meant(&rows, "--where-loses", request.where_loses.as_ref())?;
    let (rows, scores): (Vec<&Candidate<'_>>, Vec<Vec<u64>>) = rows.into_iter().unzip();
    let groups = common.groups(&rows.iter().map(|row| row.scores).collect::<Vec<_>>());
    let paired = Paired::new(scores, common.sites.clone(), request.sampling);
    // Beyond that, rows are held against a named one alone.
    let tested = (rows.len() <= MOST_TESTED).then(|| paired.test_all(&groups, request.correction));
    let pairs = Pairs { paired: &paired, tested: tested.as_ref(), groups: &groups, reference };
    let (tests, comparisons) = pairs.comparisons(&common.pages, request);
    let few = TooFewSites::of(common.site_count, tests, request.correction);
    let told = match loser {
        Some(loser) => Differ::Loser(loser),
        None => Differ::Pair(two_to_look_at(&rows, &groups, reference)),
    };
    Ok(Compared {
        dataset: dataset.to_owned(),
        pages: common.pages.len(),
        left_out: all.len() - common.pages.len(),
        pages_without_site: common.without_site(),
        sites: common.site_count,
        too_few_sites: few.is_some(),
        fewest_sites: request.correction.fewest_sites(tests, 1.0 - request.sampling.level),
        not_chosen,
        best_and_default,
        tests,
        letter_tests: tested.as_ref().map_or(0, |tested| tested.tested),
        comparisons,
        rows: rows
            .iter()
            .enumerate()
            .map(|(place, candidate)| ComparedRow {
                name: candidate.name.clone(),
                system: candidate.row.system.clone(),
                mean: paired.estimate(place),
                median: paired.median(place),
                letters: tested.as_ref().map_or(String::new(), |tested| tested.letters[place].clone()),
                left_out: candidate.scores.len() - common.pages.len(),
                lacks: all.len() - candidate.scores.len(),
                not_run: candidate.row.not_run,
                same_as: groups[place],
            })
            .collect(),
        reference,
        times: times(&rows, reference),
        differing: differing(&paired, rows.len(), told, &common, request.pages),
        differ: told,
        telling_characters: runs.iter().map(|run| run.telling_characters).max().unwrap_or(1),
    })
}

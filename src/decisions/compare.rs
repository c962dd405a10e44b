//! Rows compared two by two: rows of one run, or of several runs under equal conditions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use super::conditions::{conditions, differing_keys};
use crate::formats::shell::shell_command;
use crate::runs::best::best_first;
use crate::runs::folder_error::FolderError;
use crate::runs::kinds::reads_gold;
use crate::runs::pages::RunPages;
use crate::runs::reads_gold::ReadsGold;
use crate::runs::row_names::name_of;
use crate::runs::run_folder::RunFolder;
use crate::runs::scores::{CommonPages, RowKey, RowScores};
use crate::runs::separation::TooFewSites;
use crate::runs::summary::{Summary, SummaryRow};
use crate::runs::times::{RowTimes, read_times};
use crate::statistics::{AllPairs, Comparison, Correction, Estimate, MOST_TESTED, Paired, Part, Sampling, Verdict};
use crate::text::nearest;

/// The way out where there are too few rows.
pub const FEW_ROWS: &str = "run another algorithm, or name two runs; an exact sweep has no rows, and one with a step has, as in \
                            alpha=0..1/0.05";

/// Rows that an error names at most.
const NAMED: usize = 10;

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

/// What was read of a run folder.
pub struct Run {
    /// What tells it from the others: its folder's name, or its whole path.
    pub name: String,
    /// Its summary.
    pub summary: Summary,
    scores: BTreeMap<RowKey, RowScores>,
    /// Of the rows that were timed.
    times: BTreeMap<RowKey, RowTimes>,
    /// So many characters tell an id from those of all other pages of the run, of whatever dataset.
    telling_characters: usize,
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

/// A row with its scores.
pub(super) struct Candidate<'r> {
    /// As on the command line, with its run's name where there are several.
    pub(super) name: String,
    run: &'r Run,
    pub(super) row: &'r SummaryRow,
    pub(super) scores: &'r RowScores,
}

impl<'r> Candidate<'r> {
    /// Its times, where its run measured them.
    fn times(&self) -> Option<&'r RowTimes> {
        self.run.times.get(&self.row.key()).filter(|times| times.median > 0.0)
    }

    /// True if it is compared where no row is named.
    fn is_comparable(&self) -> bool {
        self.row.is_ranked() && !self.scores.is_empty()
    }

    fn is_meant_by(&self, spec: &str) -> bool {
        let of_run = spec.strip_prefix(&self.run.name).and_then(|rest| rest.strip_prefix('/'));
        self.row.is_meant_by(spec) || of_run.is_some_and(|spec| self.row.is_meant_by(spec))
    }
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

/// Every row of `dataset` but bounds, in the order of runs and their summaries.
pub(super) fn candidates<'r>(runs: &'r [Run], dataset: &str) -> Result<Vec<Candidate<'r>>, CompareError> {
    let rows = runs.iter().flat_map(|run| run.summary.rows.iter().map(move |row| (run, row)));
    let candidate = |(run, row): (&'r Run, &'r SummaryRow)| {
        let label = row.full_label();
        let name = if runs.len() > 1 { format!("{}/{label}", run.name) } else { label };
        let scores = run.scores.get(&row.key()).ok_or_else(|| {
            CompareError::Request(format!("{}: scores.csv lacks the row {name}; run again with --fresh", run.name))
        })?;
        Ok(Candidate { name, run, row, scores })
    };
    rows.filter(|(_, row)| row.dataset == dataset && !row.is_bound()).map(candidate).collect()
}

/// True if two names of rows are the same, with decimals in whatever form: `nta coherence=0.9`, `nta coherence=0.90`.
fn is_same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| -> Vec<String> {
        let decimal = |word: &str| match word.split_once('=').filter(|(_, value)| value.contains('.')) {
            Some((key, value)) => format!("{key}={}", value.trim_end_matches('0').trim_end_matches('.')),
            None => word.to_owned(),
        };
        name.split([' ', ',']).map(decimal).collect()
    };
    plain(one) == plain(other)
}

fn chosen<'c, 'r>(
    all: &'c [Candidate<'r>],
    dataset: &str,
    request: &Request,
) -> Result<Vec<&'c Candidate<'r>>, CompareError> {
    let specs = || request.rows.iter().chain(&request.reference).chain(&request.where_loses);
    for spec in specs() {
        let name = spec.rsplit('/').next().and_then(|name| name.split(':').next()).unwrap_or_default();
        if reads_gold(name, "") == Some(ReadsGold::Page) {
            return Err(CompareError::Request(format!(
                "`{spec}` is a bound: it saw the gold, and is compared with nothing"
            )));
        }
        if !all.iter().any(|candidate| candidate.is_meant_by(spec)) {
            return Err(CompareError::Request(unmeant(all, dataset, spec)));
        }
    }
    // The whole name of a row means it alone, and no row that has more settings.
    let is_whole = |spec: &str| spec.contains(' ') && all.iter().any(|known| is_same_name(&known.name, spec));
    let means = |spec: &String, candidate: &Candidate<'_>| match is_whole(spec) {
        true => is_same_name(&candidate.name, spec),
        false => candidate.is_meant_by(spec),
    };
    let is_chosen = |candidate: &&Candidate<'_>| match request.rows.is_empty() {
        true => candidate.is_comparable(),
        false => specs().any(|spec| means(spec, candidate)),
    };
    let chosen: Vec<&Candidate<'_>> = all.iter().filter(is_chosen).collect();
    if let Some(unscored) = chosen.iter().find(|candidate| candidate.scores.is_empty()) {
        let name = &unscored.name;
        return Err(CompareError::Request(format!("no page of {dataset} counts in the row `{name}`: leave it out")));
    }
    if let Some(learned) = chosen.iter().find(|candidate| candidate.row.is_ranked() != chosen[0].row.is_ranked()) {
        let [learned, other] = if learned.row.is_ranked() { [chosen[0], *learned] } else { [*learned, chosen[0]] };
        let why = match learned.row.reads_gold {
            Some(_) => {
                format!("`{}` learned from the gold of other pages, and `{}` read none", learned.name, other.name)
            }
            None => format!("carat rendered the texts of `{}`, and `{}` wrote Markdown", learned.name, other.name),
        };
        return Err(CompareError::Request(format!("{why}: they are not compared")));
    }
    match chosen.len() {
        0 | 1 if !request.rows.is_empty() => {
            let message = format!("--row means {} row of {dataset}, and it takes two to compare", chosen.len());
            let way_out = "name another one with --row, or hold all rows against it with --reference in place of --row";
            Err(CompareError::Number { message, way_out: way_out.to_owned() })
        }
        0 | 1 => {
            let message = format!("{dataset} has {} row here, and it takes two to compare", chosen.len());
            Err(CompareError::Number { message, way_out: FEW_ROWS.to_owned() })
        }
        many if many > MOST_TESTED && request.tests_all_pairs() => {
            let message = format!(
                "{many} rows of {dataset} are too many to compare each with each: choose at most {MOST_TESTED} with --row, or \
                 one to hold all against with --reference"
            );
            let few = best_and_default(&chosen);
            let options: Vec<_> = few.iter().map(|name| ("--row", Some(name.as_str()))).collect();
            let way_out = format!("the best and the default of each algorithm are{}", shell_command("", &[], &options));
            Err(CompareError::Number { message, way_out })
        }
        _ => Ok(chosen),
    }
}

/// The best row of each algorithm, and those at their defaults, each as `--row` takes it.
fn best_and_default(rows: &[&Candidate<'_>]) -> Vec<String> {
    let swept: Vec<_> = rows.iter().map(|own| own.row.swept_values()).collect();
    // No F1 is negative, so their bits are in their order.
    let f1: Vec<u64> = rows.iter().map(|own| own.row.aggregates.macro_.f1.to_bits()).collect();
    let mut led = BTreeSet::new();
    let order = best_first(&swept, &f1).into_iter();
    let best: BTreeSet<usize> = order.filter(|&place| led.insert(&rows[place].row.algorithm)).collect();
    let is_default = |own: &Candidate<'_>| own.row.swept.iter().all(|name| !own.row.differs.contains(name));
    let chosen = (0..rows.len()).filter(|place| best.contains(place) || is_default(rows[*place]));
    chosen.map(|place| name_of(&rows[place].name)).take(MOST_TESTED).collect()
}

/// The sentence about a row that `spec` means and that is not there: of an algorithm that is, its settings.
fn unmeant(all: &[Candidate<'_>], dataset: &str, spec: &str) -> String {
    let system = spec.split([':', ' ']).next().unwrap_or_default();
    let of_system: Vec<&str> =
        all.iter().filter(|candidate| candidate.is_meant_by(system)).map(|candidate| candidate.name.as_str()).collect();
    if !of_system.is_empty() {
        return format!("no row of {dataset} is meant by `{spec}`; of {system} there are {}", listed(&of_system));
    }
    let names: Vec<&str> = all.iter().map(|candidate| candidate.name.as_str()).collect();
    let algorithms = all.iter().map(|candidate| candidate.row.algorithm.as_str());
    let near = nearest(spec, names.iter().copied().chain(algorithms));
    let near = near.map_or(String::new(), |name| format!("did you mean `{name}`? "));
    format!("no row of {dataset} is meant by `{spec}`; {near}there are {}", listed(&names))
}

/// The first of `names`.
fn listed(names: &[&str]) -> String {
    let others = (names.len() > NAMED).then_some("others");
    names.iter().take(NAMED).copied().chain(others).collect::<Vec<_>>().join(", ")
}

/// The place of the one row that an option means, where it is given.
fn meant(
    rows: &[(&Candidate<'_>, Vec<u64>)],
    option: &str,
    spec: Option<&String>,
) -> Result<Option<usize>, CompareError> {
    let Some(spec) = spec else { return Ok(None) };
    let meant: Vec<usize> = (0..rows.len()).filter(|&place| rows[place].0.is_meant_by(spec)).collect();
    match meant[..] {
        [place] => Ok(Some(place)),
        _ => {
            let names: Vec<&str> = meant.iter().take(NAMED).map(|&place| rows[place].0.name.as_str()).collect();
            Err(CompareError::Request(format!(
                "{option} {spec} means {} rows, and one is needed: {}",
                meant.len(),
                names.join(", ")
            )))
        }
    }
}

/// The number of characters of an id that tell a page from all others of a run.
fn telling_characters(pages: &RunPages) -> usize {
    let pages: BTreeSet<&str> = pages.iter().map(|page| page.id()).collect();
    let shared = |one: &str, other: &str| one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    // In the order of ids, a page shares most with one of its neighbours.
    let neighbours = pages.iter().zip(pages.iter().skip(1));
    neighbours.map(|(one, other)| shared(one, other) + 1).max().unwrap_or(1)
}

/// The times of the rows that were timed, beside that of the row at the place `reference`.
fn times(rows: &[&Candidate<'_>], reference: usize) -> Vec<ComparedTime> {
    let reference = rows.get(reference).and_then(|row| row.times());
    let time = |(place, row): (usize, &&Candidate<'_>)| {
        let times = row.times()?;
        Some(ComparedTime {
            row: place,
            pages: times.pages,
            p50_ms: times.median,
            p99_ms: times.p99,
            ratio: reference.map(|reference| times.median / reference.median),
            from_request: times.starting.is_some(),
        })
    };
    rows.iter().enumerate().filter_map(time).collect()
}

/// Rows in groups of the same texts, tested.
struct Pairs<'p> {
    paired: &'p Paired,
    /// All pairs; `None` of too many rows.
    tested: Option<&'p AllPairs>,
    groups: &'p [usize],
    reference: usize,
}

impl Pairs<'_> {
    /// Each row against the reference, or each pair, and how many tests the correction counts. A reference that was named
    /// beforehand has fewer tests beside it than the best, which the same pages chose out of all pairs.
    fn comparisons(&self, pages: &[&String], request: &Request) -> (usize, Vec<Pair>) {
        let every_pair = self.tested.filter(|_| request.every_pair);
        let shown: Vec<(usize, usize)> = match every_pair {
            Some(tested) => tested.pairs.clone(),
            None => {
                let others = (0..self.groups.len()).filter(|&row| row != self.reference);
                others.map(|row| (row, self.reference)).collect()
            }
        };
        let compared = shown.par_iter().map(|&(row, against)| self.paired.compare(row, against));
        let compared: Vec<Comparison> = compared.collect();
        if let Some(tested) = self.tested.filter(|_| request.tests_all_pairs()) {
            let corrected: Vec<f64> = shown.iter().map(|&(row, against)| tested.corrected(row, against)).collect();
            return (tested.tested, told(shown, compared, corrected, pages));
        }
        // One test for each group but that of the reference.
        let p_of_groups: BTreeMap<usize, f64> = shown
            .iter()
            .zip(&compared)
            .filter(|((row, _), _)| self.groups[*row] != self.groups[self.reference])
            .map(|((row, _), comparison)| (self.groups[*row], comparison.by_site.p))
            .collect();
        let corrected = request.correction.correct(&p_of_groups.values().copied().collect::<Vec<_>>());
        let corrected: BTreeMap<usize, f64> = p_of_groups.keys().copied().zip(corrected).collect();
        let of_row = |(row, _): &(usize, usize)| corrected.get(&self.groups[*row]).copied().unwrap_or(1.0);
        let of_rows = shown.iter().map(of_row).collect();
        (corrected.len(), told(shown, compared, of_rows, pages))
    }
}

/// The pairs of rows, with the verdicts of their comparisons under the corrected p.
fn told(shown: Vec<(usize, usize)>, compared: Vec<Comparison>, corrected: Vec<f64>, pages: &[&String]) -> Vec<Pair> {
    let pair = |(((row, against), comparison), corrected): (((usize, usize), Comparison), f64)| Pair {
        row,
        against,
        heaviest_page: comparison.heaviest.map(|heaviest| pages[heaviest.page].clone()),
        verdict: comparison.verdict(corrected),
        comparison,
        corrected,
    };
    shown.into_iter().zip(compared).zip(corrected).map(pair).collect()
}

/// The reference and the best row beside it that has other texts: one of another algorithm, if there is one.
fn two_to_look_at(rows: &[&Candidate<'_>], groups: &[usize], reference: usize) -> [usize; 2] {
    let differs = |&row: &usize| groups[row] != groups[reference];
    let is_of_another = |&row: &usize| rows[row].row.algorithm != rows[reference].row.algorithm;
    let mut others = (0..rows.len()).filter(differs);
    let other = others.clone().find(is_of_another).or_else(|| others.next());
    [reference, other.unwrap_or(reference)]
}

/// The pages on which two rows differ most, or on which a row is furthest behind the best other one, those first; equal
/// ones by id.
fn differing(paired: &Paired, rows: usize, differ: Differ, common: &CommonPages<'_>, most: usize) -> Vec<Differing> {
    let mut found: Vec<(f64, Differing)> = Vec::new();
    for (place, (page, site)) in common.pages.iter().zip(&common.site_names).enumerate() {
        let score = |row: usize| (row, paired.score(row, place));
        let by_score = |one: &(usize, f64), other: &(usize, f64)| one.1.total_cmp(&other.1);
        let (highest, lowest) = match differ {
            Differ::Pair([one, other]) if score(one).1 >= score(other).1 => (score(one), score(other)),
            Differ::Pair([one, other]) => (score(other), score(one)),
            Differ::Loser(loser) => {
                let others = (0..rows).rev().filter(|row| *row != loser);
                (others.map(score).max_by(by_score).unwrap_or_default(), score(loser))
            }
        };
        if highest.1 > lowest.1 {
            let (page, site) = ((*page).clone(), (*site).to_owned());
            found.push((highest.1 - lowest.1, Differing { page, site, highest, lowest }));
        }
    }
    // Pages come by id, and sorting keeps the order of equal ones.
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.into_iter().take(most).map(|(_, page)| page).collect()
}

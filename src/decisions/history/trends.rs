//! The changes of each row from one run of a history to the next.
//!
//! A run is held against the one before it that was made under equal conditions. Scores are exact, so a page that differs did
//! change; the question is whether the row changed on more than the pages at hand. That is asked by the paired test that
//! compares rows, by site, and corrected by Holm for every test of the dataset's history: each step in which a page of a row
//! differs, and, where there are several, the row's first run against its last, which finds what moved slowly. A step in which
//! no page differs cannot be a change, and is no test. A run whose corrected p is at most 0.05 is a change point.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::Serialize;

use super::store::{Entry, History};
use crate::decisions::conditions::differing_keys;
use crate::decisions::gate::SnapshotRow;
use crate::runs::doors::name_of_other;
use crate::runs::scores::{CommonPages, RowScores, aggregates};
use crate::statistics::{Comparison, Correction, Estimate, FEW_SITES, Paired, Part, Sampling, Sums, Verdict};

/// Sites of a step that are named at most.
const SITES_NAMED: usize = 3;

/// The part of a history that is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Rows by their names or their algorithms; all where none is named.
    pub rows: Vec<String>,
    /// Datasets; all where none is named.
    pub datasets: Vec<String>,
    /// The number of resamples and sign flips.
    pub sampling: Sampling,
}

/// The rows of a dataset over the runs of a history.
#[derive(Clone, Debug, Serialize)]
pub struct DatasetTrends {
    /// The dataset's name.
    pub dataset: String,
    /// The labels of the runs, in the order in which they were added.
    pub labels: Vec<String>,
    /// Where conditions changed, so that nothing is held against a run before.
    pub breaks: Vec<Break>,
    /// The rows, in the order of their names.
    pub rows: Vec<RowTrend>,
    /// The tests that the correction counts.
    pub tests: usize,
    /// True if every step is of so few sites that no test of it is reliable.
    pub too_few_sites: bool,
}

/// A run whose conditions are not those of the run before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Break {
    /// The place of the run.
    pub at: usize,
    /// The conditions that differ, as keys.
    pub conditions: Vec<String>,
}

/// A row over the runs of a history.
#[derive(Clone, Debug, Serialize)]
pub struct RowTrend {
    /// The system's name.
    pub algorithm: String,
    /// The parameters that tell the row from others of its algorithm.
    pub setting: String,
    /// For each run what the row came to; absent where the run has no such row.
    pub points: Vec<Option<Point>>,
    /// The row's sites, in the order of their names.
    pub sites: Vec<SitePoint>,
    /// The steps in which a page differs.
    pub steps: Vec<Step>,
}

/// A row in a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Macro precision.
    pub precision: f64,
    /// Macro recall.
    pub recall: f64,
    /// Macro F1.
    pub f1: f64,
    /// Its pages.
    pub pages: usize,
    /// Those of them that failed.
    pub failed: usize,
}

/// A row on a site, run by run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SitePoint {
    /// The site.
    pub site: String,
    /// For each run the mean F1 of its pages, and how many they are; absent where the row has none.
    pub f1: Vec<Option<(f64, u64)>>,
}

/// Between which runs a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A run and the one before it under equal conditions.
    Step,
    /// The last run and the first one under equal conditions.
    Overall,
}

/// A row in a run, held against itself in an earlier one.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Between which runs it is.
    pub kind: Kind,
    /// The place of the earlier run.
    pub from: usize,
    /// The place of the run.
    pub to: usize,
    /// By how much mean F1 is higher, over the pages that both have.
    pub difference: Estimate,
    /// Pages on which it is higher, equal and lower.
    pub higher_equal_lower: [usize; 3],
    /// The test's p by site, corrected by Holm for the tests of the dataset.
    pub corrected: f64,
    /// The verdict of the test.
    pub verdict: Verdict,
    /// True if too few sites differ for the test to tell anything.
    pub too_few_sites: bool,
    /// The sites whose mean F1 changed most, those first.
    pub sites: Vec<SiteChange>,
    /// The system before and now, where they differ.
    pub systems: Option<[String; 2]>,
}

impl Step {
    /// True if the row changed in this run: the test says so.
    pub fn is_change_point(&self) -> bool {
        self.kind == Kind::Step && self.is_change()
    }

    /// True if the test says that the row is another than in the earlier run.
    pub fn is_change(&self) -> bool {
        matches!(self.verdict, Verdict::Better | Verdict::Worse)
    }
}

/// A site whose mean F1 is another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteChange {
    /// The site.
    pub site: String,
    /// Its pages that both runs have.
    pub pages: u64,
    /// Mean F1 before and now.
    pub f1: [f64; 2],
}

/// The trends of the rows that are `wanted`, dataset by dataset.
///
/// # Errors
/// A sentence: a dataset or a row that no run of the history has.
pub fn trends(history: &History, wanted: &Wanted) -> Result<Vec<DatasetTrends>, String> {
    let rows = || history.entries.iter().flat_map(|entry| &entry.snapshot.rows);
    let known: BTreeSet<&str> = rows().map(|row| row.dataset.as_str()).collect();
    if let Some(unknown) = wanted.datasets.iter().find(|dataset| !known.contains(dataset.as_str())) {
        let known = known.iter().copied().collect::<Vec<_>>().join(", ");
        return Err(format!("no run of the history has the dataset `{unknown}`; there are {known}"));
    }
    if let Some(unknown) = wanted.rows.iter().find(|spec| !rows().any(|row| is_meant(row, spec))) {
        let names: BTreeSet<String> = rows().map(SnapshotRow::name).collect();
        let names = names.into_iter().take(10).collect::<Vec<_>>().join(", ");
        return Err(format!("no run of the history has the row `{unknown}`; there are {names}"));
    }
    let datasets = known
        .into_iter()
        .filter(|dataset| wanted.datasets.is_empty() || wanted.datasets.iter().any(|name| name == dataset));
    Ok(datasets.map(|dataset| of_dataset(history, dataset, wanted)).collect())
}

/// True if `spec` is the row's name or its algorithm's.
fn is_meant(row: &SnapshotRow, spec: &str) -> bool {
    row.name() == spec || row.algorithm == spec || name_of_other(&row.algorithm) == Some(spec)
}

fn of_dataset(history: &History, dataset: &str, wanted: &Wanted) -> DatasetTrends {
    let entries = &history.entries;
    let conditions: Vec<Option<BTreeMap<String, String>>> =
        entries.iter().map(|entry| conditions(entry, dataset)).collect();
    let mut names: BTreeSet<(&str, &str)> = BTreeSet::new();
    for row in entries.iter().flat_map(|entry| &entry.snapshot.rows) {
        let is_wanted = wanted.rows.is_empty() || wanted.rows.iter().any(|spec| is_meant(row, spec));
        if row.dataset == dataset && is_wanted {
            names.insert((&row.algorithm, &row.parameters));
        }
    }
    let rows: Vec<Row<'_>> =
        names.iter().map(|&(algorithm, setting)| Row::of(entries, dataset, algorithm, setting)).collect();
    let held: Vec<(usize, Kind, usize, usize)> = rows
        .iter()
        .enumerate()
        .flat_map(|(place, row)| {
            row.pairs(&conditions).into_iter().map(move |(kind, from, to)| (place, kind, from, to))
        })
        .collect();
    let steps: Vec<Option<(Comparison, Step)>> =
        held.par_iter().map(|&(place, kind, from, to)| rows[place].step(kind, [from, to], wanted.sampling)).collect();
    let p_values: Vec<f64> = steps.iter().flatten().map(|(comparison, _)| comparison.by_site.p).collect();
    let mut corrected = Correction::Holm.correct(&p_values).into_iter();
    let mut by_row: Vec<Vec<Step>> = vec![Vec::new(); rows.len()];
    let mut most_sites = 0;
    for ((place, ..), step) in held.iter().zip(steps) {
        let Some((comparison, step)) = step else { continue };
        let corrected = corrected.next().unwrap_or(1.0);
        most_sites = most_sites.max(comparison.difference.sites);
        by_row[*place].push(Step { corrected, verdict: comparison.verdict(corrected), ..step });
    }
    DatasetTrends {
        dataset: dataset.to_owned(),
        labels: entries.iter().map(|entry| entry.label.clone()).collect(),
        breaks: breaks(&conditions),
        tests: p_values.len(),
        too_few_sites: !p_values.is_empty() && most_sites < FEW_SITES,
        rows: rows.iter().zip(by_row).map(|(row, steps)| row.trend(steps)).collect(),
    }
}

/// The conditions of a run that its rows of `dataset` rest on; `None` where it has no such row.
fn conditions(entry: &Entry, dataset: &str) -> Option<BTreeMap<String, String>> {
    let own = format!("datasets.{dataset}.");
    let is_own = |key: &String| !key.starts_with("datasets.") || key.starts_with(&own);
    let known = entry.snapshot.conditions.iter().filter(|(key, _)| is_own(key));
    let has_rows = entry.snapshot.rows.iter().any(|row| row.dataset == dataset);
    has_rows.then(|| known.map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn breaks(conditions: &[Option<BTreeMap<String, String>>]) -> Vec<Break> {
    let there: Vec<(usize, &BTreeMap<String, String>)> =
        conditions.iter().enumerate().filter_map(|(at, known)| Some((at, known.as_ref()?))).collect();
    let pairs = there.iter().zip(there.iter().skip(1));
    let differing = pairs.map(|((_, before), (at, now))| Break {
        at: *at,
        conditions: differing_keys(before, now).into_iter().map(|(key, ..)| key).collect(),
    });
    differing.filter(|found| !found.conditions.is_empty()).collect()
}

/// A row in each run.
struct Row<'h> {
    algorithm: &'h str,
    setting: &'h str,
    rows: Vec<Option<&'h SnapshotRow>>,
}

impl<'h> Row<'h> {
    fn of(entries: &'h [Entry], dataset: &str, algorithm: &'h str, setting: &'h str) -> Self {
        let is_own = |row: &&SnapshotRow| {
            (row.dataset.as_str(), row.algorithm.as_str(), row.parameters.as_str()) == (dataset, algorithm, setting)
        };
        Row { algorithm, setting, rows: entries.iter().map(|entry| entry.snapshot.rows.iter().find(is_own)).collect() }
    }

    /// The runs that are held against each other.
    fn pairs(&self, conditions: &[Option<BTreeMap<String, String>>]) -> Vec<(Kind, usize, usize)> {
        let there: Vec<usize> = (0..self.rows.len()).filter(|&at| self.rows[at].is_some()).collect();
        let before =
            |at: usize| there.iter().rev().copied().find(|&other| other < at && conditions[other] == conditions[at]);
        let mut pairs: Vec<(Kind, usize, usize)> =
            there.iter().filter_map(|&at| Some((Kind::Step, before(at)?, at))).collect();
        if let Some(&last) = there.last() {
            let first = there.iter().copied().find(|&other| conditions[other] == conditions[last]);
            let is_further = |first: &usize| before(last).is_some_and(|before| before != *first);
            pairs.extend(first.filter(is_further).map(|first| (Kind::Overall, first, last)));
        }
        pairs
    }

    /// The row in a run held against itself in an earlier one; `None` where no page differs. What the correction gives is
    /// filled in later.
    fn step(&self, kind: Kind, [from, to]: [usize; 2], sampling: Sampling) -> Option<(Comparison, Step)> {
        let (before, now) = (self.rows[from]?, self.rows[to]?);
        let common = CommonPages::of(&[&now.scores, &before.scores]);
        let scores = [now, before].map(|row| common.scores(&row.scores, Part::F1));
        if scores[0] == scores[1] {
            return None;
        }
        let comparison = Paired::new(scores.into(), common.sites.clone(), sampling).compare(0, 1);
        let wins = comparison.wins;
        let step = Step {
            kind,
            from,
            to,
            difference: comparison.difference,
            higher_equal_lower: [wins.wins, wins.ties, wins.losses],
            corrected: 1.0,
            verdict: Verdict::NotSeparable,
            too_few_sites: comparison.is_too_few(),
            sites: site_changes(&common, &before.scores, &now.scores),
            systems: (before.system != now.system).then(|| [before.system.clone(), now.system.clone()]),
        };
        Some((comparison, step))
    }

    fn trend(&self, steps: Vec<Step>) -> RowTrend {
        let point = |row: &Option<&SnapshotRow>| {
            let row = (*row)?;
            let macro_ = aggregates(&row.scores).macro_;
            let failed = row.scores.values().filter(|score| score.failed).count();
            let (precision, recall, f1) = (macro_.precision, macro_.recall, macro_.f1);
            Some(Point { precision, recall, f1, pages: row.scores.len(), failed })
        };
        RowTrend {
            algorithm: self.algorithm.to_owned(),
            setting: self.setting.to_owned(),
            points: self.rows.iter().map(point).collect(),
            sites: self.sites(),
            steps,
        }
    }

    fn sites(&self) -> Vec<SitePoint> {
        let mut sites: BTreeMap<&str, Vec<Option<(f64, u64)>>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            for (site, sums) in row.iter().flat_map(|row| site_sums(&row.scores)) {
                let f1 = sites.entry(site).or_insert_with(|| vec![None; self.rows.len()]);
                f1[at] = Some((sums.mean().f1, sums.pages()));
            }
        }
        sites.into_iter().map(|(site, f1)| SitePoint { site: site.to_owned(), f1 }).collect()
    }
}

/// The sums of the pages of each site.
fn site_sums(scores: &RowScores) -> BTreeMap<&str, Sums> {
    let mut sites: BTreeMap<&str, Sums> = BTreeMap::new();
    for page in scores.values() {
        sites.entry(&page.site).or_default().add(page.score);
    }
    sites
}

/// The sites whose mean over the common pages changed most.
fn site_changes(common: &CommonPages<'_>, before: &RowScores, now: &RowScores) -> Vec<SiteChange> {
    let mut sites: BTreeMap<&str, [Sums; 2]> = BTreeMap::new();
    for (page, site) in common.pages.iter().zip(&common.site_names) {
        let sums = sites.entry(site).or_default();
        [before, now].into_iter().zip(sums).for_each(|(row, sums)| sums.add(row[*page].score));
    }
    let change = |(site, sums): (&str, [Sums; 2])| SiteChange {
        site: site.to_owned(),
        pages: sums[0].pages(),
        f1: sums.map(|sums| sums.mean().f1),
    };
    let depth = |change: &SiteChange| (change.f1[1] - change.f1[0]).abs();
    let mut changes: Vec<SiteChange> = sites.into_iter().map(change).filter(|change| depth(change) > 0.0).collect();
    // Sites come by name, and sorting keeps the order of equal ones.
    changes.sort_by(|one, other| depth(other).total_cmp(&depth(one)));
    changes.truncate(SITES_NAMED);
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::gate::examples::{row, snapshot};

    /// Eight sites of a page each; on the first `moved` of them so much is matched of 10.
    fn entry(label: &str, moved: usize, matched: u64) -> Entry {
        let site = |number: usize| ["a", "b", "c", "d", "e", "f", "g", "h"][number];
        let counts = |number: usize| if number < moved { matched } else { 5 };
        let pages: Vec<(&str, Option<[u64; 3]>)> =
            (0..8).map(|number| (site(number), Some([counts(number), 10, 10]))).collect();
        Entry {
            label: label.to_owned(),
            run: "mine".to_owned(),
            carat: "0.1.0".to_owned(),
            result_digest: format!("sha256:{moved}{matched}"),
            snapshot: snapshot(vec![row("nta", &pages), row("cevc", &pages[..2])]),
        }
    }

    fn of(entries: Vec<Entry>) -> DatasetTrends {
        let history = History { entries, ..History::default() };
        trends(&history, &Wanted { rows: vec!["nta".to_owned()], ..Wanted::default() }).unwrap().remove(0)
    }

    #[test]
    fn the_run_in_which_a_row_changed_is_told_and_one_page_is_no_change_point() {
        let runs = [entry("v1", 0, 5), entry("v2", 0, 5), entry("v3", 8, 8), entry("v4", 1, 9)];
        let mut last = runs[2].clone();
        last.label = "v4".to_owned();
        last.snapshot.rows[1].scores.values_mut().next().unwrap().score = [500_000_000_000; 3];
        let told = of(vec![runs[0].clone(), runs[1].clone(), runs[2].clone(), last]);
        let steps: Vec<(usize, usize, Kind, Verdict, bool)> = told.rows[0]
            .steps
            .iter()
            .map(|step| (step.from, step.to, step.kind, step.verdict, step.is_change_point()))
            .collect();
        // Flipping the signs of 8 sites that all rose by as much gives p = 2/256; three tests: Holm multiplies the two
        // smallest by 3 and 2.
        assert_eq!(
            steps,
            [
                (1, 2, Kind::Step, Verdict::Better, true),
                (2, 3, Kind::Step, Verdict::NotSeparable, false),
                (0, 3, Kind::Overall, Verdict::Better, false)
            ]
        );
        assert_eq!(told.tests, 3);
        let [first, second, _] = &told.rows[0].steps[..] else { panic!() };
        assert!((first.corrected - 3.0 * 2.0 / 256.0).abs() < 1e-12, "{}", first.corrected);
        assert!((first.difference.point - 0.3).abs() < 1e-9 && first.higher_equal_lower == [8, 0, 0]);
        assert_eq!(second.higher_equal_lower, [0, 7, 1]);
        assert_eq!((second.sites[0].site.as_str(), second.sites[0].pages, second.sites.len()), ("a", 1, 1));
    }

    #[test]
    fn what_moved_slowly_is_found_from_the_first_run_to_the_last() {
        // Two sites move in each step, which no test of two sites can tell; all eight have moved in the end.
        let runs = [0, 2, 4, 6, 8].map(|moved| entry(&format!("v{moved}"), moved, 8));
        let told = of(runs.into());
        let steps = &told.rows[0].steps;
        assert_eq!(steps.len(), 5);
        assert!(steps[..4].iter().all(|step| !step.is_change_point() && step.too_few_sites));
        assert_eq!((steps[4].kind, steps[4].verdict), (Kind::Overall, Verdict::Better));
    }

    #[test]
    fn runs_under_other_conditions_are_not_held_against_each_other() {
        let mut runs = vec![entry("v1", 0, 5), entry("v2", 8, 8), entry("v3", 0, 5)];
        runs[1].snapshot.conditions.insert("datasets.d.digest".to_owned(), "sha256:4567".to_owned());
        let told = of(runs);
        assert!(told.rows[0].steps.is_empty(), "v3 is as v1, the last one under its conditions");
        let key = vec!["datasets.d.digest".to_owned()];
        assert_eq!(told.breaks, [Break { at: 1, conditions: key.clone() }, Break { at: 2, conditions: key }]);
        let f1: Vec<f64> = told.rows[0].points.iter().flatten().map(|point| point.f1).collect();
        assert_eq!(f1, [0.5, 0.8, 0.5]);
        assert_eq!(told.rows[0].sites[0].f1, [Some((0.5, 1)), Some((0.8, 1)), Some((0.5, 1))]);
    }

    #[test]
    fn what_no_run_has_is_told() {
        let history = History { entries: vec![entry("v1", 0, 5)], ..History::default() };
        let told = |rows: &[&str], datasets: &[&str]| {
            let [rows, datasets] = [rows, datasets].map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            trends(&history, &Wanted { rows, datasets, ..Wanted::default() }).unwrap_err()
        };
        assert_eq!(told(&["bte"], &[]), "no run of the history has the row `bte`; there are cevc, nta");
        assert_eq!(told(&[], &["e"]), "no run of the history has the dataset `e`; there are d");
    }
}

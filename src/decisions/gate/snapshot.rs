//! What a gate holds against each other: conditions, and every row's score on every page.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::decisions::conditions::{conditions, differing_keys};
use crate::formats::digest::sha256;
use crate::runs::doors::name_of_other;
use crate::runs::pages::{PageLines, RunPages};
use crate::runs::scores::{RowKey, RowScores, RowTexts};
use crate::runs::summary::Summary;
use crate::runs::times::RowTimes;

/// A run as a gate sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// What must be equal, by its key.
    pub conditions: BTreeMap<String, String>,
    /// Every row, by dataset and name.
    pub rows: Vec<SnapshotRow>,
    /// The beginning of a digest of each page and its gold, by dataset and id. There is none in the baseline of an earlier
    /// carat, and of a run whose units were removed.
    pub digests: BTreeMap<(String, String), String>,
}

/// A row as a gate sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotRow {
    /// The dataset's name.
    pub dataset: String,
    /// The system's name: an algorithm's, `stored/SYSTEM`, `external/PROGRAM` or an ensemble's.
    pub algorithm: String,
    /// What tells the row from others of its algorithm, as on the command line.
    pub parameters: String,
    /// Whose figures they are.
    pub system: String,
    /// Page by page; pages that were not run are left out.
    pub scores: RowScores,
    /// Pages that were not run; a baseline does not know them.
    pub not_run: BTreeSet<String>,
    /// What was extracted, page by page, by the first digits of the texts' digests; `None` in the baseline of an earlier
    /// carat, which kept none.
    pub texts: Option<RowTexts>,
    /// The median time per page in nanoseconds, where it was measured and asked for: no score depends on it.
    pub time: Option<u64>,
}

/// Digits of a SHA-256 that a baseline keeps: of a text, and of a page with its gold.
const DIGEST_DIGITS: usize = 16;

impl SnapshotRow {
    /// The row as `--algorithm` takes it.
    pub fn name(&self) -> String {
        let SnapshotRow { algorithm, parameters, .. } = self;
        if parameters.is_empty() { algorithm.clone() } else { format!("{algorithm}:{parameters}") }
    }

    /// Those of `pages` that the row failed on, on which it extracted nothing, and on which it was not run.
    pub(super) fn faults<'p>(&self, pages: impl IntoIterator<Item = &'p str>) -> Faults {
        let mut faults = Faults::default();
        for page in pages {
            match self.scores.get(page) {
                None => faults.not_run += 1,
                Some(score) if score.failed => faults.failed += 1,
                Some(score) => faults.empty += usize::from(score.counts[1] == 0),
            }
        }
        faults
    }

    /// Pages that were not run although they should have been: those of an external program that was given up, and those
    /// that stored outputs lack. An algorithm of a site is rightly not run where a page has no other page beside it.
    pub(super) fn wrongly_not_run(&self) -> impl Iterator<Item = &String> {
        self.not_run.iter().filter(|_| name_of_other(&self.algorithm).is_some())
    }

    fn key(&self) -> (&str, String) {
        (&self.dataset, self.name())
    }
}

/// Pages on which a row has no extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// It failed, and scores 0.
    pub failed: usize,
    /// It extracted nothing.
    pub empty: usize,
    /// It was not run.
    pub not_run: usize,
}

/// A condition that is not the baseline's, or a row that the run lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The condition's key, those of a dataset as `datasets.NAME.KEY`; of a row `rows.DATASET.NAME`.
    pub key: String,
    /// What it is in the baseline; absent where it knows nothing of it.
    pub baseline: Option<String>,
    /// What it is in the run.
    pub run: Option<String>,
    /// Pages of the baseline that the run lacks, or that have no gold there; of the digest of a dataset alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Pages that are others, or have another gold, as far as that is known; of the digest of a dataset alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Pages whose gold has another number of tokens; of the digest of a dataset alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_gold: Vec<String>,
    /// True if every page and every gold is the same, so that it is what the page list says of them; of the digest of a
    /// dataset alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_of_page_list: bool,
    /// True if pages were added or removed, and every page that both have is the same with its gold; of the digest of a dataset
    /// alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_of_other_pages: bool,
}

impl Change {
    /// The dataset whose digest it is.
    pub(crate) fn dataset_of_digest(&self) -> Option<&str> {
        self.key.strip_prefix("datasets.").and_then(|key| key.strip_suffix(".digest"))
    }
}

/// The rows of two snapshots, told which is which.
pub(super) struct Matched<'s> {
    /// Rows that both have, the baseline's first.
    pub(super) pairs: Vec<(&'s SnapshotRow, &'s SnapshotRow)>,
    /// Rows that the baseline alone has.
    pub(super) missing: Vec<&'s SnapshotRow>,
    /// Rows that the run alone has.
    pub(super) new: Vec<&'s SnapshotRow>,
}

impl Snapshot {
    /// Of a run's summary and its scores. A row without scores is left out: no page of it was run; and one that reads gold,
    /// as rules of sites do that were learned from it.
    pub fn new(summary: &Summary, pages: &RunPages) -> Self {
        let (mut scores, mut texts) = (pages.scores(), pages.texts());
        let shortened = |mut texts: RowTexts| {
            texts.values_mut().for_each(|text| text.digest = text.digest.chars().take(DIGEST_DIGITS).collect());
            texts
        };
        let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for page in pages.iter() {
            all.entry(page.dataset()).or_default().insert(page.id());
        }
        let rows = summary.rows.iter().filter(|row| row.reads_gold.is_none()).filter_map(|row| {
            let scores = scores.remove(&row.key()).filter(|scores| !scores.is_empty())?;
            let not_run = all.get(row.dataset.as_str()).into_iter().flatten();
            let not_run = not_run.filter(|page| !scores.contains_key(**page)).map(|page| (*page).to_owned()).collect();
            Some(SnapshotRow {
                dataset: row.dataset.clone(),
                algorithm: row.algorithm.clone(),
                parameters: row.label(),
                system: row.system.clone(),
                scores,
                not_run,
                texts: Some(texts.remove(&row.key()).map(shortened).unwrap_or_default()),
                time: None,
            })
        });
        let rows: Vec<SnapshotRow> = rows.collect();
        let snapshot = Snapshot { conditions: conditions(summary, &[]), rows, digests: BTreeMap::new() };
        Snapshot { digests: snapshot.digests_of(pages), ..snapshot }.sorted()
    }

    /// The digests of those of `pages` that any row was run on.
    fn digests_of(&self, pages: &RunPages) -> BTreeMap<(String, String), String> {
        let own = self.pages_by_dataset();
        let is_own = |page: &PageLines<'_>| own.get(page.dataset()).is_some_and(|own| own.contains(page.id()));
        let digest = |page: PageLines<'_>| {
            let digests = serde_json::to_vec(&pages.digests(page).ok()?).ok()?;
            let digest = sha256(&digests).chars().take(DIGEST_DIGITS).collect();
            Some(((page.dataset().to_owned(), page.id().to_owned()), digest))
        };
        pages.iter().filter(is_own).map_while(digest).collect()
    }

    /// With the times of its rows.
    pub fn with_times(mut self, times: &[RowTimes]) -> Self {
        let nanoseconds = |times: &RowTimes| (times.median * 1e6).round() as u64;
        let times: BTreeMap<RowKey, u64> = times.iter().map(|times| (times.key(), nanoseconds(times))).collect();
        for row in &mut self.rows {
            let key = (row.dataset.clone(), row.algorithm.clone(), row.parameters.clone());
            row.time = times.get(&key).copied().filter(|&time| time > 0);
        }
        self
    }

    /// As a baseline keeps it: without what it does not know.
    pub fn as_kept(mut self) -> Self {
        for row in &mut self.rows {
            row.not_run.clear();
            row.scores.values_mut().for_each(|score| score.text = None);
        }
        self
    }

    /// As a history keeps it: as a baseline does, and of times it knows nothing.
    pub fn as_kept_in_history(self) -> Self {
        let mut kept = self.as_kept();
        kept.rows.iter_mut().for_each(|row| row.time = None);
        kept
    }

    /// With its rows by dataset and name.
    pub(super) fn sorted(mut self) -> Self {
        self.rows.sort_by(|one, other| one.key().cmp(&other.key()));
        self
    }

    /// The pages of all rows, each with its dataset.
    pub fn pages(&self) -> usize {
        let pages = self.rows.iter().flat_map(|row| row.scores.keys().map(|page| (&row.dataset, page)));
        pages.collect::<BTreeSet<_>>().len()
    }

    /// The pages of each dataset that any row was run on.
    pub(super) fn pages_by_dataset(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut pages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for row in &self.rows {
            pages.entry(&row.dataset).or_default().extend(row.scores.keys().map(String::as_str));
        }
        pages
    }

    /// The conditions that are not those of this baseline.
    pub(super) fn changes(&self, run: &Snapshot) -> Vec<Change> {
        let differing = differing_keys(&self.conditions, &run.conditions).into_iter();
        let change = |(key, baseline, run)| Change { key, baseline, run, ..Change::default() };
        let mut changes: Vec<Change> = differing.map(change).collect();
        // Of other tokens each gold has another number.
        let counts_alike = changes.iter().all(|change| change.key.starts_with("datasets."));
        for change in &mut changes {
            let Some(dataset) = change.dataset_of_digest().map(str::to_owned) else { continue };
            change.missing = self.pages_missing(run, &dataset);
            change.other_gold = if counts_alike { self.other_golds(run, &dataset) } else { Vec::new() };
            let changed = self.pages_changed(run, &dataset);
            if changed.is_empty() && [self, run].iter().all(|known| known.knows_digests(&dataset)) {
                let [before, now] = [self, run].map(|known| known.pages_by_dataset().remove(dataset.as_str()));
                change.is_of_page_list = before == now;
                change.is_of_other_pages = before != now;
            }
            if counts_alike {
                change.changed = changed.into_iter().collect();
            }
        }
        changes
    }

    /// The pages of `dataset` that `run` lacks, or that have no gold there.
    pub(super) fn pages_missing(&self, run: &Snapshot, dataset: &str) -> Vec<String> {
        let [before, now] = [self, run].map(|known| known.pages_by_dataset().remove(dataset).unwrap_or_default());
        let own = run.rows.iter().filter(|row| row.dataset == dataset);
        let not_run: BTreeSet<&str> = own.flat_map(|row| &row.not_run).map(String::as_str).collect();
        before.difference(&now).filter(|page| !not_run.contains(**page)).map(|page| (*page).to_owned()).collect()
    }

    /// Without the pages of `dataset` that `is_lost` names, and without rows that have no other.
    pub(super) fn without_pages(mut self, dataset: &str, is_lost: impl Fn(&String) -> bool) -> Self {
        for row in self.rows.iter_mut().filter(|row| row.dataset == dataset) {
            row.scores.retain(|page, _| !is_lost(page));
            row.texts.iter_mut().for_each(|texts| texts.retain(|page, _| !is_lost(page)));
        }
        self.rows.retain(|row| row.dataset != dataset || !row.scores.is_empty());
        self
    }

    /// The pages of `dataset` that have another number of gold tokens in `run`.
    pub(super) fn other_golds(&self, run: &Snapshot, dataset: &str) -> Vec<String> {
        let mut pages = BTreeSet::new();
        for (before, now) in self.matched(run).pairs.into_iter().filter(|(row, _)| row.dataset == dataset) {
            let both = before.scores.iter().filter_map(|(page, score)| Some((page, score, now.scores.get(page)?)));
            let scored = both.filter(|(_, before, now)| !before.failed && !now.failed);
            pages.extend(scored.filter(|(_, before, now)| before.counts[2] != now.counts[2]).map(|(page, ..)| page));
        }
        pages.into_iter().cloned().collect()
    }

    /// The pages of `dataset` that both have and that are others in `run`, or have another gold, as far as it is known:
    /// without digests only that a gold has another number of tokens.
    pub(super) fn pages_changed(&self, run: &Snapshot, dataset: &str) -> BTreeSet<String> {
        let mut pages: BTreeSet<String> = self.other_golds(run, dataset).into_iter().collect();
        let own = self.digests.iter().filter(|((name, _), _)| name == dataset);
        let others = own.filter(|(page, digest)| run.digests.get(*page).is_some_and(|now| now != *digest));
        pages.extend(others.map(|((_, page), _)| page.clone()));
        pages
    }

    /// True if the digest of every page of `dataset` is known.
    pub(super) fn knows_digests(&self, dataset: &str) -> bool {
        let own = self.pages_by_dataset().remove(dataset).unwrap_or_default();
        own.into_iter().all(|page| self.digests.contains_key(&(dataset.to_owned(), page.to_owned())))
    }

    /// Which row of `run` is which of this baseline: the one of its name; else, where one row of an algorithm is
    /// left on either side, that one under other parameters, which are part of the system that is judged.
    pub(super) fn matched<'s>(&'s self, run: &'s Snapshot) -> Matched<'s> {
        let mut pairs = Vec::new();
        let mut new: BTreeMap<(&str, String), &SnapshotRow> = run.rows.iter().map(|row| (row.key(), row)).collect();
        let mut missing = Vec::new();
        for row in &self.rows {
            match new.remove(&row.key()) {
                Some(same) => pairs.push((row, same)),
                None => missing.push(row),
            }
        }
        let mut new: Vec<&SnapshotRow> = new.into_values().collect();
        let is_alike = |one: &SnapshotRow, other: &SnapshotRow| {
            (&one.dataset, &one.algorithm) == (&other.dataset, &other.algorithm)
        };
        let only = |rows: &[&'s SnapshotRow], row: &SnapshotRow| {
            let mut alike = rows.iter().copied().filter(|other| is_alike(row, other));
            alike.next().filter(|_| alike.next().is_none())
        };
        let renamed: Vec<(&SnapshotRow, &SnapshotRow)> = missing
            .iter()
            .filter(|row| only(&missing, row).is_some())
            .filter_map(|row| Some((*row, only(&new, row)?)))
            .collect();
        missing.retain(|row| !renamed.iter().any(|(known, _)| is_alike(known, row)));
        new.retain(|row| !renamed.iter().any(|(known, _)| is_alike(known, row)));
        pairs.extend(renamed);
        pairs.sort_by(|(_, one), (_, other)| one.key().cmp(&other.key()));
        Matched { pairs, missing, new }
    }
}

#[cfg(test)]
pub(in crate::decisions) mod examples {
    use super::*;
    use crate::runs::scores::{PageScore, PageText};
    use crate::text::marks::Marks;

    /// A row of the dataset `d`: pages given as site and `matched, extracted, gold`; `None` is a failed page.
    pub(in crate::decisions) fn row(name: &str, pages: &[(&str, Option<[u64; 3]>)]) -> SnapshotRow {
        let (algorithm, parameters) = name.split_once(':').unwrap_or((name, ""));
        let score = |(number, (site, counts)): (usize, &(&str, Option<[u64; 3]>))| {
            let score = PageScore::new((*site).to_owned(), counts.unwrap_or([0, 0, 10]), counts.is_none());
            (format!("p{number:03}"), score)
        };
        // Pages of equal counts have one text, without a mark.
        let text = |(number, (_, counts)): (usize, &(&str, Option<[u64; 3]>))| {
            let [matched, extracted, _] = (*counts)?;
            let digest = format!("{matched:08x}{extracted:08x}").into();
            Some((format!("p{number:03}"), PageText { digest, marks: Marks::default() }))
        };
        SnapshotRow {
            dataset: "d".to_owned(),
            algorithm: algorithm.to_owned(),
            parameters: parameters.to_owned(),
            system: format!("carat | {name}"),
            scores: pages.iter().enumerate().map(score).collect(),
            not_run: BTreeSet::new(),
            texts: Some(pages.iter().enumerate().filter_map(text).collect()),
            time: None,
        }
    }

    /// Rows under the conditions `tokens` and the dataset's digest.
    pub(in crate::decisions) fn snapshot(rows: Vec<SnapshotRow>) -> Snapshot {
        let conditions = [("datasets.d.digest", "sha256:0123"), ("tokens", "char")];
        let conditions = conditions.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Snapshot { conditions: conditions.into(), rows, digests: BTreeMap::new() }.sorted()
    }

    #[test]
    fn a_row_is_known_again_under_other_parameters_where_it_can_only_be_that_one() {
        let rows = |names: &[&str]| snapshot(names.iter().map(|name| row(name, &[("s", Some([5, 5, 10]))])).collect());
        let told = |baseline: &[&str], run: &[&str]| {
            let (baseline, run) = (rows(baseline), rows(run));
            let matched = baseline.matched(&run);
            let pairs = matched.pairs.iter().map(|(old, new)| format!("{}>{}", old.name(), new.name()));
            let missing = matched.missing.iter().map(|row| format!("-{}", row.name()));
            let new = matched.new.iter().map(|row| format!("+{}", row.name()));
            pairs.chain(missing).chain(new).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told(&["nta", "cevc"], &["nta:x=1", "cevc"]), "cevc>cevc nta>nta:x=1");
        assert_eq!(told(&["nta", "nta:x=1"], &["nta", "nta:x=2"]), "nta>nta nta:x=1>nta:x=2");
        assert_eq!(told(&["nta:x=1", "nta:x=2"], &["nta:x=3"]), "-nta:x=1 -nta:x=2 +nta:x=3");
        assert_eq!(told(&["nta:x=1"], &["nta:x=2", "nta:x=3"]), "-nta:x=1 +nta:x=2 +nta:x=3");
        assert_eq!(told(&["nta"], &["nta", "cevc"]), "nta>nta +cevc");
        assert_eq!(told(&["nta"], &["cevc"]), "-nta +cevc");
    }
}

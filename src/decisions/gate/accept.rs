//! What a new baseline changes: nothing is lowered without being told.

use std::collections::BTreeMap;

use serde::Serialize;

use super::renamed::with_ids_of;
use super::snapshot::{Change, Faults, Snapshot, SnapshotRow};
use crate::algorithms::value::Value;
use crate::runs::scores::{PageScore, aggregates};
use crate::statistics::{Part, fraction};

/// What accepting a run changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Acceptance {
    /// Conditions that are not those of the earlier baseline: its scores are not of the same kind.
    pub changes: Vec<Change>,
    /// Every row that takes the place of one of the earlier baseline.
    pub rows: Vec<Replaced>,
    /// Macro F1 of rows that is lower than it was, on the pages that both have.
    pub lowered_rows: Vec<Lowered>,
    /// Pages whose floor is lower than it was, by dataset, row and page.
    pub lowered_pages: Vec<Lowered>,
    /// Pages, of all rows, whose floor is higher.
    pub raised_pages: usize,
    /// Rows, and pages of rows, that were gated and no longer are.
    pub dropped: Vec<Dropped>,
    /// Rows that were not gated, as dataset and name.
    pub new_rows: Vec<(String, String)>,
    /// Pages of rows that were gated before, and were not themselves.
    pub new_pages: Vec<NewPages>,
    /// Every row of the run with the pages on which it has no extraction.
    pub faults: Vec<RowFaults>,
}

/// The pages on which a row has no extraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowFaults {
    /// The dataset's name.
    pub dataset: String,
    /// The row as `--algorithm` takes it.
    pub row: String,
    /// Its pages, with those on which it was not run.
    pub pages: usize,
    /// Those of them that failed, or that an external program or stored outputs were not run on, and that no earlier
    /// baseline has so: accepted, they would pass from then on. Of a row that was gated these are pages that were added, too.
    pub new_failures: usize,
    /// The ids of these: first those that failed.
    pub failing_pages: Vec<String>,
    /// All that have no extraction.
    #[serde(flatten)]
    pub faults: Faults,
}

/// A row in the place of one of the earlier baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replaced {
    /// The dataset's name.
    pub dataset: String,
    /// The row as `--algorithm` takes it.
    pub row: String,
    /// Macro F1 in the earlier baseline.
    pub from: f64,
    /// Macro F1 in the new one.
    pub to: f64,
    /// The same two on the pages that both have, where one has pages that the other lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_pages_of_both: Option<OnPagesOfBoth>,
    /// The row's system, with its parameters.
    pub system: String,
    /// The system in the earlier baseline, where that is another.
    pub baseline_system: Option<String>,
}

/// Macro F1 on the pages that two baselines have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OnPagesOfBoth {
    /// The pages.
    pub pages: usize,
    /// In the earlier baseline.
    pub from: f64,
    /// In the new one.
    pub to: f64,
}

impl Replaced {
    /// Macro F1 before and now, of the same pages.
    pub fn of_same_pages(&self) -> (f64, f64) {
        self.on_pages_of_both.map_or((self.from, self.to), |both| (both.from, both.to))
    }
}

/// A floor that is lower than it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lowered {
    /// The dataset's name.
    pub dataset: String,
    /// The row as `--algorithm` takes it.
    pub row: String,
    /// The page's id; absent where it is the row's macro F1.
    pub page: Option<String>,
    /// F1 in the earlier baseline.
    pub from: f64,
    /// F1 in the new one.
    pub to: f64,
    /// Whether the page failed; a failure is then no longer new.
    pub failed: bool,
}

/// Pages of a row that were not gated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewPages {
    /// The dataset's name.
    pub dataset: String,
    /// The row as `--algorithm` takes it.
    pub row: String,
    /// The ids of the pages.
    pub pages: Vec<String>,
}

/// What was gated and no longer is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dropped {
    /// The dataset's name.
    pub dataset: String,
    /// The row as `--algorithm` takes it.
    pub row: String,
    /// The page's id; absent where it is the whole row.
    pub page: Option<String>,
    /// The F1 of that page in the earlier baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
}

/// What changes where `run` takes the place of `baseline`, if there is one.
pub fn accept(baseline: Option<&Snapshot>, run: &Snapshot) -> Acceptance {
    let baseline = baseline.map(|baseline| with_ids_of(baseline, run).0);
    let baseline = baseline.as_deref();
    let faults = row_faults(baseline, run);
    let Some(baseline) = baseline else { return Acceptance { faults, ..Acceptance::default() } };
    let matched = baseline.matched(run);
    let named = |row: &SnapshotRow| (row.dataset.clone(), row.name());
    let mut acceptance = Acceptance {
        changes: baseline.changes(run),
        new_rows: matched.new.into_iter().map(named).collect(),
        faults,
        ..Acceptance::default()
    };
    for row in matched.missing {
        acceptance.dropped.push(Dropped { dataset: row.dataset.clone(), row: row.name(), page: None, f1: None });
    }
    for (before, now) in matched.pairs {
        acceptance.add(before, now);
    }
    acceptance
}

fn row_faults(baseline: Option<&Snapshot>, run: &Snapshot) -> Vec<RowFaults> {
    let pairs = baseline.map(|baseline| baseline.matched(run).pairs).unwrap_or_default();
    let known = baseline.map(Snapshot::pages_by_dataset).unwrap_or_default();
    let of_row = |row: &SnapshotRow| {
        let before = pairs.iter().find(|(_, now)| std::ptr::eq(*now, row)).map(|(before, _)| *before);
        let known = known.get(row.dataset.as_str());
        // A page of the baseline without a score of the row was not run then.
        let was_accepted = |page: &String| {
            let is_known = known.is_some_and(|known| known.contains(page.as_str()));
            before.is_some_and(|row| row.scores.get(page).map_or(is_known, |page| page.failed))
        };
        let failing_pages = failing(row).filter(|page| !was_accepted(page)).cloned().collect::<Vec<_>>();
        RowFaults {
            dataset: row.dataset.clone(),
            row: row.name(),
            pages: row.scores.len() + row.not_run.len(),
            new_failures: failing_pages.len(),
            failing_pages,
            faults: row.faults(row.scores.keys().chain(&row.not_run).map(String::as_str)),
        }
    };
    run.rows.iter().map(of_row).collect()
}

/// Pages on which the row has no extraction and should have one, first those that failed.
pub(super) fn failing(row: &SnapshotRow) -> impl Iterator<Item = &String> {
    let failed = row.scores.iter().filter(|(_, score)| score.failed).map(|(page, _)| page);
    failed.chain(row.wrongly_not_run())
}

impl Acceptance {
    /// The first row of which more than `share` of the pages fail and did not in an earlier baseline.
    pub fn refused(&self, share: Value) -> Option<&RowFaults> {
        let is_allowed = |row: &RowFaults| Value::ratio(row.new_failures as u64, row.pages as u64) <= share;
        self.faults.iter().find(|row| row.new_failures > 0 && !is_allowed(row))
    }

    /// Whether anything is worse than it was.
    pub fn lowers(&self) -> bool {
        !(self.lowered_rows.is_empty() && self.lowered_pages.is_empty() && self.dropped.is_empty())
    }

    fn add(&mut self, before: &SnapshotRow, now: &SnapshotRow) {
        let f1 = |page: &PageScore| page.score[Part::F1 as usize];
        let [from, to] = [before, now].map(|row| aggregates(&row.scores).macro_.f1);
        let lowered = |page: Option<&String>, [from, to]: [f64; 2], failed: bool| Lowered {
            dataset: now.dataset.clone(),
            row: now.name(),
            page: page.cloned(),
            from,
            to,
            failed,
        };
        let replaced = Replaced {
            dataset: now.dataset.clone(),
            row: now.name(),
            from,
            to,
            on_pages_of_both: on_pages_of_both(before, now),
            system: now.system.clone(),
            baseline_system: (before.system != now.system).then(|| before.system.clone()),
        };
        let (from, to) = replaced.of_same_pages();
        self.rows.push(replaced);
        if to < from {
            self.lowered_rows.push(lowered(None, [from, to], false));
        }
        let pages: Vec<String> = now.scores.keys().filter(|page| !before.scores.contains_key(*page)).cloned().collect();
        if !pages.is_empty() {
            self.new_pages.push(NewPages { dataset: now.dataset.clone(), row: now.name(), pages });
        }
        for (page, old) in &before.scores {
            let Some(new) = now.scores.get(page) else {
                let (page, f1) = (Some(page.clone()), Some(fraction(f1(old))));
                self.dropped.push(Dropped { dataset: now.dataset.clone(), row: now.name(), page, f1 });
                continue;
            };
            self.raised_pages += usize::from(f1(new) > f1(old));
            if f1(new) < f1(old) || new.failed && !old.failed {
                self.lowered_pages.push(lowered(Some(page), [old, new].map(|page| fraction(f1(page))), new.failed));
            }
        }
    }
}

/// Macro F1 of the pages that both have; `None` where each has all pages of the other.
fn on_pages_of_both(before: &SnapshotRow, now: &SnapshotRow) -> Option<OnPagesOfBoth> {
    if before.scores.keys().eq(now.scores.keys()) {
        return None;
    }
    let shared = |own: &SnapshotRow, other: &SnapshotRow| -> BTreeMap<String, PageScore> {
        let shared = own.scores.iter().filter(|(page, _)| other.scores.contains_key(*page));
        shared.map(|(page, score)| (page.clone(), score.clone())).collect()
    };
    let [from, to] = [shared(before, now), shared(now, before)];
    let pages = from.len();
    let [from, to] = [from, to].map(|scores| aggregates(&scores).macro_.f1);
    Some(OnPagesOfBoth { pages, from, to })
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::examples::{row, snapshot};
    use super::*;

    #[test]
    fn what_is_lowered_raised_and_dropped_is_told() {
        const WHOLE: Option<[u64; 3]> = Some([10, 10, 10]);
        const HALF: Option<[u64; 3]> = Some([5, 10, 10]);
        let before = snapshot(vec![
            row("cevc", &[("s", WHOLE)]),
            row("nta", &[("s", WHOLE), ("s", HALF), ("s", WHOLE), ("s", WHOLE)]),
        ]);
        let now =
            snapshot(vec![row("nta:x=1", &[("s", HALF), ("s", WHOLE), ("s", None)]), row("cetd", &[("s", HALF)])]);
        let acceptance = accept(Some(&before), &now);
        assert!(acceptance.lowers());
        let pages: Vec<(&str, f64, f64, bool)> = acceptance
            .lowered_pages
            .iter()
            .map(|page| (page.page.as_deref().unwrap(), page.from, page.to, page.failed))
            .collect();
        assert_eq!(pages, [("p000", 1.0, 0.5, false), ("p002", 1.0, 0.0, true)]);
        // Without the page that the run lacks.
        let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        let lowered = &acceptance.lowered_rows[0];
        assert!(near(lowered.from, 2.5 / 3.0) && near(lowered.to, 0.5), "{lowered:?}");
        let both = acceptance.rows[0].on_pages_of_both.unwrap();
        assert!(both.pages == 3 && near(both.from, 2.5 / 3.0) && near(both.to, 0.5), "{both:?}");
        assert_eq!(acceptance.dropped[1].f1, Some(1.0));
        assert_eq!(acceptance.raised_pages, 1);
        let dropped: Vec<(&str, Option<&str>)> =
            acceptance.dropped.iter().map(|one| (one.row.as_str(), one.page.as_deref())).collect();
        assert_eq!(dropped, [("cevc", None), ("nta:x=1", Some("p003"))]);
        assert_eq!(acceptance.new_rows, [("d".to_owned(), "cetd".to_owned())]);
        let came =
            |row: &str| NewPages { dataset: "d".to_owned(), row: row.to_owned(), pages: vec!["p003".to_owned()] };
        assert_eq!((acceptance.new_pages, accept(Some(&now), &before).new_pages), (Vec::new(), vec![came("nta")]));
        let rows: Vec<(&str, f64, f64)> =
            acceptance.rows.iter().map(|row| (row.row.as_str(), row.from, row.to)).collect();
        assert_eq!(rows, [("nta:x=1", 0.875, 0.5)]);
        let systems = (acceptance.rows[0].baseline_system.as_deref(), acceptance.rows[0].system.as_str());
        assert_eq!(systems, (Some("carat | nta"), "carat | nta:x=1"));
        let unchanged = accept(Some(&before), &before);
        assert!(unchanged.rows.iter().all(|row| row.from == row.to && row.baseline_system.is_none()));
        let (faults, rows) = (unchanged.faults.clone(), unchanged.rows.clone());
        assert_eq!(unchanged, Acceptance { faults, rows, ..Acceptance::default() });
    }

    #[test]
    fn a_baseline_of_failures_is_refused_above_a_share() {
        const WHOLE: Option<[u64; 3]> = Some([10, 10, 10]);
        let run = snapshot(vec![row("nta", &[("s", WHOLE), ("s", None), ("s", None), ("s", Some([0, 0, 10]))])]);
        let share = |text: &str| text.parse::<Value>().unwrap();
        let first = accept(None, &run);
        assert_eq!(first.faults[0].faults, Faults { failed: 2, empty: 1, not_run: 0 });
        assert_eq!(first.refused(share("0")).map(|row| (row.new_failures, row.pages)), Some((2, 4)));
        assert!(first.refused(share("0.49")).is_some() && first.refused(share("0.5")).is_none());
        let again = accept(Some(&run), &run);
        assert!(again.refused(share("0")).is_none(), "they were accepted before");
        // A page that was added is no accepted one, also where a program was given up before it.
        let mut grown = snapshot(vec![row("external/x", &[("s", WHOLE), ("s", WHOLE)])]);
        grown.rows[0].scores.remove("p001");
        grown.rows[0].not_run.insert("p001".to_owned());
        let known = snapshot(vec![row("external/x", &[("s", WHOLE)])]);
        assert_eq!(accept(Some(&known), &grown).faults[0].failing_pages, ["p001"]);
        let mut given_up =
            snapshot(vec![row("external/x", &[("s", WHOLE)]), row("cevc", &[("s", WHOLE), ("s", WHOLE)])]);
        given_up.rows.iter_mut().for_each(|row| row.system.clear());
        assert!(accept(Some(&given_up), &grown).faults[0].failing_pages.is_empty(), "it was accepted as it is");
    }
}

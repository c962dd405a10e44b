//! The verdict: two snapshots and rules in, what is broken out.

mod figures;
mod pages;
mod sites;
mod texts;
mod times;

use std::collections::BTreeSet;

use serde::Serialize;

use self::figures::Estimates;
pub(crate) use self::sites::LEAST_PAGES;
use super::accept::failing;
use super::renamed::{RenamedPages, with_ids_of};
use super::snapshot::{Change, Faults, Snapshot, SnapshotRow};
use crate::runs::rules::{Level, Rule, Rules};
use crate::runs::scores::{CommonPages, PageScore, RowScores, aggregates};
use crate::statistics::{Aggregates, Interval, Part, Sampling};

/// The gate's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No rule of level `error` is broken, and each can be judged.
    Passed,
    /// A rule of level `error` is broken.
    Fell,
    /// None is, but conditions are not the baseline's, the run lacks pages, there are too few pages or sites, or no rule had
    /// anything to judge.
    CannotJudge,
}

/// All that a gate found.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why nothing was judged: conditions that are not the baseline's, rows that the run lacks.
    pub changes: Vec<Change>,
    /// The pages by which baseline and run differ: the others are judged.
    #[serde(flatten)]
    pub apart: Apart,
    /// Every row that both have; empty where something changed.
    pub rows: Vec<RowJudgement>,
    /// Rows that the baseline lacks, as dataset and name: not judged until they are accepted.
    pub new_rows: Vec<(String, String)>,
    /// Whether the baseline is of an earlier carat and kept no texts, so that no rule on texts was looked at.
    pub without_texts: bool,
    /// True if times were to be looked at, and the baseline lacks that of a row.
    pub without_times: bool,
}

/// The pages by which a baseline and a run differ, of each dataset of which some page is in both and the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Apart {
    /// The pages that the run lacks, or that have no gold there. They are to be accepted.
    pub lost: Vec<DatasetPages>,
    /// The pages that are others than in the baseline, or have another gold. They are to be accepted.
    pub changed: Vec<DatasetPages>,
    /// The pages that the baseline lacks.
    pub grown: Vec<DatasetPages>,
    /// The pages that have another id than in the baseline, and are judged by their bytes and gold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<RenamedPages>,
    /// The datasets of these pages of which the baseline keeps no digests, so that a change of another page, or of a gold
    /// that keeps its length, is not noticed.
    pub without_digests: Vec<String>,
}

/// Some pages of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DatasetPages {
    /// The dataset's name.
    pub dataset: String,
    /// Their ids.
    pub pages: Vec<String>,
}

/// A row under every rule.
#[derive(Clone, Debug, Serialize)]
pub struct RowJudgement {
    /// The dataset's name.
    pub dataset: String,
    /// The row as `--algorithm` takes it.
    pub row: String,
    /// Whose figures they are.
    pub system: String,
    /// Whose figures the baseline's are, where that is another.
    pub baseline_system: Option<String>,
    /// Pages that both have.
    pub pages: usize,
    /// Those of them that are of no known site, and count as one each.
    pub pages_without_site: usize,
    /// Their sites.
    pub sites: usize,
    /// Macro F1 over them in the baseline and now.
    pub macro_f1: [f64; 2],
    /// Pages whose F1 is higher, equal, lower than in the baseline.
    pub higher_equal_lower: [usize; 3],
    /// Pages without an extraction in the baseline and now, of those that are judged.
    pub faults: [Faults; 2],
    /// Pages that the baseline lacks, and on which the row failed or was not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing_new_pages: Vec<String>,
    /// The sentence of the run on an external program that kept failing, so that pages were not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_up: Option<String>,
    /// Rules that are not off.
    pub checks: Vec<Checked>,
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It is broken.
    Broken,
    /// The figure fell, and there are too few pages or sites to tell that from chance, or to see its tolerance.
    CannotJudge,
    /// The figure did not fall here, but there are too few sites to rule out a fall beyond its tolerance elsewhere.
    DidNotFall,
    /// It judged nothing: it is on texts, and no page has one in the baseline and now; on sites, and none has pages enough; or
    /// on time, and no page was timed.
    NothingToJudge,
}

/// A rule on a row.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The rule's key in a configuration.
    pub rule: String,
    /// What breaking it does.
    pub level: Level,
    /// The change that is allowed, 0 to 1; absent where none is.
    pub tolerance: Option<f64>,
    /// What became of it.
    pub outcome: Outcome,
    /// The figure, where the rule is on one.
    pub figure: Option<FigureCheck>,
    /// The row's time, where the rule is on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeCheck>,
    /// Sites that broke the rule, the worst first, where it is on sites.
    pub sites: Vec<SiteFall>,
    /// Pages that broke the rule, or that pull the figure down, the worst first.
    pub worst: Vec<PageFall>,
}

/// A figure beside its baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureCheck {
    /// The figure in the baseline.
    pub baseline: f64,
    /// The lowest value that is allowed.
    pub limit: f64,
    /// The figure now.
    pub value: f64,
    /// The value less the baseline's.
    pub difference: f64,
    /// Where the difference lies, sites resampled; absent where no page differs or there is one site.
    pub interval: Option<Interval>,
    /// The smallest fall that would be found in 80 of 100 repetitions; absent where no test of so few sites finds any.
    pub detectable: Option<f64>,
    /// How the pages stand by themselves, where there are too few sites to say anything of others.
    pub page_by_page: Option<PageByPage>,
}

/// A row's median time per page beside that of its baseline, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeCheck {
    /// The time in the baseline.
    pub baseline_ms: f64,
    /// The time now.
    pub value_ms: f64,
    /// So many times the baseline's time are allowed.
    pub factor: f64,
}

/// How many pages score lower and higher, and whether that is chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PageByPage {
    /// Pages that score lower.
    pub lower: usize,
    /// Pages that score higher.
    pub higher: usize,
    /// The two-sided sign test's p-value over these pages, as if each stood for itself.
    pub p: f64,
}

/// A site whose pages score lower.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteFall {
    /// The site.
    pub site: String,
    /// Its pages that both have.
    pub pages: usize,
    /// Their mean F1 in the baseline.
    pub baseline: f64,
    /// The lowest mean that is allowed.
    pub limit: f64,
    /// Their mean F1 now.
    pub value: f64,
}

/// A page that scores lower, or whose text is another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageFall {
    /// Its id.
    pub page: String,
    /// Its site.
    pub site: String,
    /// What the two values are of.
    pub of: Of,
    /// Its value in the baseline: F1, or the score of which the figure is made, or a count.
    pub baseline: f64,
    /// The lowest score that is allowed; absent where the rule is on a figure, or the value is a count.
    pub limit: Option<f64>,
    /// Its value now; absent where it was not run.
    pub value: Option<f64>,
    /// The value now less the baseline's.
    pub difference: f64,
    /// Whether it failed.
    pub failed: bool,
    /// Why it failed, where the run says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether nothing is extracted that was before.
    pub emptied: bool,
    /// A command that shows what it lacks; absent where there is no text of it.
    pub command: Option<String>,
}

/// What the values of a page are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// Precision, recall or F1.
    Score,
    /// Runs of white space in its text.
    Gaps,
    /// Characters in its text that nobody sees.
    Unseen,
    /// Character references and tags in its text.
    Markup,
}

impl Judgement {
    /// Takes up why pages failed, and why rows were given up; `reason` knows it by dataset, row and page, `given_up` by row.
    pub fn explain_failures(
        &mut self,
        reason: impl Fn(&str, &str, &str) -> Option<String>,
        given_up: impl Fn(&str) -> Option<String>,
    ) {
        for row in &mut self.rows {
            row.given_up = given_up(&row.row).filter(|_| row.faults[1].not_run > 0);
            for page in row.checks.iter_mut().flat_map(|check| &mut check.worst).filter(|page| page.failed) {
                page.reason = reason(&row.dataset, &row.row, &page.page);
            }
        }
    }
}

/// Says how a page is shown: dataset, row, page.
type Command<'c> = &'c dyn Fn(&str, &str, &str) -> String;

/// Holds `run` against `baseline`; `command` says how a page of a dataset and row is shown.
pub fn judge(
    baseline: &Snapshot,
    run: &Snapshot,
    rules: &Rules,
    sampling: &Sampling,
    command: Command<'_>,
) -> Judgement {
    let (baseline, renamed) = with_ids_of(baseline, run);
    let baseline = baseline.as_ref();
    let mut changes = baseline.changes(run);
    // Under other conditions golds may have other numbers of tokens.
    let is_comparable = changes.iter().all(|change| change.key.starts_with("datasets."));
    let apart = if is_comparable { Apart { renamed, ..Apart::of(baseline, run) } } else { Apart::default() };
    changes.retain(|change| !apart.datasets().any(|dataset| comes_of_other_pages(&change.key, dataset)));
    let rest = apart.of_the_baseline().next().map(|_| without(baseline, apart.of_the_baseline()));
    let baseline = rest.as_ref().unwrap_or(baseline);
    let matched = baseline.matched(run);
    changes.extend(matched.missing.iter().map(|row| Change {
        key: format!("rows.{}.{}", row.dataset, row.name()),
        baseline: Some(row.system.clone()),
        run: None,
        ..Change::default()
    }));
    let new_rows = matched.new.iter().map(|row| (row.dataset.clone(), row.name())).collect();
    let without_texts = baseline.rows.iter().any(|row| row.texts.is_none());
    let is_untimed = |(before, now): &(&SnapshotRow, &SnapshotRow)| before.time.is_none() && now.time.is_some();
    let without_times = rules.slower_time.level != Level::Off && matched.pairs.iter().any(is_untimed);
    if !changes.is_empty() {
        let (verdict, rows) = (Verdict::CannotJudge, Vec::new());
        return Judgement { verdict, changes, apart, rows, new_rows, without_texts, without_times };
    }
    let pairs: Vec<Pair<'_>> = matched.pairs.into_iter().map(|(before, now)| Pair::new(before, now)).collect();
    let estimates = figures::estimates(&pairs, rules, sampling);
    let pages = baseline.pages_by_dataset();
    let judged = |(pair, estimates): (&Pair<'_>, &Estimates)| {
        let dataset = pair.now.dataset.as_str();
        let faults = [pair.before, pair.now].map(|row| row.faults(pages[dataset].iter().copied()));
        let failing_new_pages = failing(pair.now).filter(|page| apart.has_grown_by(dataset, page)).cloned().collect();
        RowJudgement { faults, failing_new_pages, ..pair.judge(rules, estimates, command) }
    };
    let rows: Vec<RowJudgement> = pairs.iter().zip(&estimates).map(judged).collect();
    let verdict = verdict(&rows, &apart);
    Judgement { verdict, changes, apart, rows, new_rows, without_texts, without_times }
}

fn verdict(rows: &[RowJudgement], apart: &Apart) -> Verdict {
    let mut checks = rows.iter().flat_map(|row| &row.checks);
    if checks.clone().any(Checked::fails) {
        Verdict::Fell
    } else if apart.of_the_baseline().next().is_some()
        || judged_nothing(rows)
        || checks.any(|check| check.outcome == Outcome::CannotJudge)
    {
        Verdict::CannotJudge
    } else {
        Verdict::Passed
    }
}

fn judged_nothing(rows: &[RowJudgement]) -> bool {
    rows.iter().flat_map(|row| &row.checks).all(|check| check.outcome == Outcome::NothingToJudge)
}

/// The baseline of the pages that are left.
fn without<'p>(baseline: &Snapshot, apart: impl Iterator<Item = &'p DatasetPages>) -> Snapshot {
    apart.fold(baseline.clone(), |rest, DatasetPages { dataset, pages }| {
        let pages: BTreeSet<&String> = pages.iter().collect();
        rest.without_pages(dataset, |page| pages.contains(page))
    })
}

impl Apart {
    fn of(baseline: &Snapshot, run: &Snapshot) -> Self {
        let (before, now) = (baseline.pages_by_dataset(), run.pages_by_dataset());
        let mut apart = Apart::default();
        for (dataset, before) in before {
            let mut now = now.get(dataset).cloned().unwrap_or_default();
            // Those too that no program was run on, since it had been given up.
            let own = run.rows.iter().filter(|row| row.dataset == dataset);
            let grown: BTreeSet<&str> = own.flat_map(SnapshotRow::wrongly_not_run).map(String::as_str).collect();
            let changed = baseline.pages_changed(run, dataset);
            if before.intersection(&now).all(|page| changed.contains(*page)) {
                continue;
            }
            let of =
                |pages: Vec<String>| (!pages.is_empty()).then(|| DatasetPages { dataset: dataset.to_owned(), pages });
            apart.lost.extend(of(baseline.pages_missing(run, dataset)));
            apart.changed.extend(of(changed.into_iter().collect()));
            now.extend(grown);
            apart.grown.extend(of(now.difference(&before).map(|page| (*page).to_owned()).collect()));
        }
        let datasets: BTreeSet<&String> = apart.datasets().collect();
        let unknown = datasets.into_iter().filter(|dataset| !baseline.knows_digests(dataset));
        apart.without_digests = unknown.cloned().collect();
        apart
    }

    /// The pages of the baseline that are not judged.
    pub(crate) fn of_the_baseline(&self) -> impl Iterator<Item = &DatasetPages> {
        self.lost.iter().chain(&self.changed)
    }

    fn has_grown_by(&self, dataset: &str, page: &String) -> bool {
        self.grown.iter().any(|grown| grown.dataset == dataset && grown.pages.contains(page))
    }

    fn datasets(&self) -> impl Iterator<Item = &String> {
        let pages = self.of_the_baseline().chain(&self.grown).map(|pages| &pages.dataset);
        pages.chain(self.renamed.iter().map(|pages| &pages.dataset))
    }
}

/// Whether a condition changes with the pages of a dataset alone.
fn comes_of_other_pages(key: &str, dataset: &str) -> bool {
    let of_dataset = key.strip_prefix("datasets.").and_then(|key| key.strip_prefix(dataset));
    matches!(of_dataset, Some(".digest" | ".version" | ".pages" | ".without_gold"))
}

impl Judgement {
    /// True if the run has the conditions, the rows and the pages of the baseline, unchanged, and perhaps others besides.
    pub(crate) fn is_of_the_baseline(&self) -> bool {
        self.changes.is_empty() && self.apart.of_the_baseline().next().is_none()
    }

    /// True if rows were held against each other, and no rule had anything to judge.
    pub(crate) fn judged_nothing(&self) -> bool {
        self.changes.is_empty() && judged_nothing(&self.rows)
    }

    /// Every rule of every row that came to `outcome`, in the order of [`Judgement::told_checks`].
    pub fn checks(&self, outcome: Outcome) -> impl Iterator<Item = (&RowJudgement, &Checked)> {
        self.told_checks().into_iter().filter(move |(_, check)| check.outcome == outcome)
    }

    /// Every rule of every row. New failures come first, because they explain what else fell.
    pub(crate) fn told_checks(&self) -> Vec<(&RowJudgement, &Checked)> {
        let all = self.rows.iter().flat_map(|row| row.checks.iter().map(move |check| (row, check)));
        let (failures, others): (Vec<_>, Vec<_>) = all.partition(|(_, check)| check.is_of_new_failures());
        [failures, others].concat()
    }
}

impl Checked {
    /// Whether it fails the gate.
    pub fn fails(&self) -> bool {
        self.outcome == Outcome::Broken && self.level == Level::Error
    }

    fn is_of_new_failures(&self) -> bool {
        self.outcome == Outcome::Broken && self.rule == Rule::NewFailures.to_string()
    }
}

/// A row in the baseline and now, on the pages that both have.
struct Pair<'s> {
    before: &'s SnapshotRow,
    now: &'s SnapshotRow,
    common: [RowScores; 2],
    pages_without_site: usize,
    sites: usize,
}

impl<'s> Pair<'s> {
    /// A page that is not run any more, because the program was given up or its outputs lack the page, scores nothing.
    fn new(before: &'s SnapshotRow, now: &'s SnapshotRow) -> Self {
        let mut scores = now.scores.clone();
        for page in now.wrongly_not_run() {
            let Some(PageScore { site, counts: [.., gold], .. }) = before.scores.get(page).cloned() else { continue };
            let nothing = PageScore { site, counts: [0, 0, gold], score: [0; 3], failed: true, text: None };
            scores.insert(page.clone(), nothing);
        }
        let common = CommonPages::of(&[&before.scores, &scores]);
        let of = |scores: &RowScores| -> RowScores {
            common.pages.iter().map(|page| ((*page).clone(), scores[*page].clone())).collect()
        };
        Pair {
            before,
            now,
            common: [of(&before.scores), of(&scores)],
            pages_without_site: common.without_site(),
            sites: common.site_count,
        }
    }

    /// True if any figure can differ. A baseline does not keep whole digests of texts, so these tell nothing.
    fn differs(&self) -> bool {
        let figures = |page: &PageScore| (page.counts, page.score, page.failed);
        self.pages().any(|(_, [before, now])| figures(before) != figures(now))
    }

    fn pages(&self) -> impl Iterator<Item = (&String, [&PageScore; 2])> {
        let [before, now] = &self.common;
        before.iter().zip(now.values()).map(|((page, before), now)| (page, [before, now]))
    }

    fn judge(&self, rules: &Rules, estimates: &Estimates, command: Command<'_>) -> RowJudgement {
        let aggregates: [Aggregates; 2] = self.common.each_ref().map(aggregates);
        let mut checks = self.figures(rules, &aggregates, estimates, command);
        let on = |level: Level| level != Level::Off;
        checks.extend(on(rules.page_f1.level).then(|| self.page_floors(rules.page_f1, command)));
        checks.extend(on(rules.site_f1.level).then(|| self.site_floors(rules.site_f1, command)));
        checks.extend(self.texts(rules, command));
        checks.extend(on(rules.new_failures).then(|| self.new_failures(rules.new_failures, command)));
        checks.extend(self.time(rules.slower_time));
        let mut higher_equal_lower = [0; 3];
        for (_, [before, now]) in self.pages() {
            let [before, now] = [before, now].map(|page| page.score[Part::F1 as usize]);
            higher_equal_lower[(before.cmp(&now) as i8 + 1) as usize] += 1;
        }
        RowJudgement {
            dataset: self.now.dataset.clone(),
            row: self.now.name(),
            system: self.now.system.clone(),
            baseline_system: (self.before.system != self.now.system).then(|| self.before.system.clone()),
            pages: self.common[0].len(),
            pages_without_site: self.pages_without_site,
            sites: self.sites,
            macro_f1: aggregates.map(|all| all.macro_.f1),
            higher_equal_lower,
            faults: Default::default(),
            failing_new_pages: Vec::new(),
            given_up: None,
            checks,
        }
    }
}

/// Pages come by id, and sorting keeps the order of equal ones.
fn worst_first(mut falls: Vec<PageFall>) -> Vec<PageFall> {
    falls.sort_by(|one, other| one.difference.total_cmp(&other.difference));
    falls
}

/// Broken where any page is.
fn outcome_of(worst: &[PageFall]) -> Outcome {
    if worst.is_empty() { Outcome::Passed } else { Outcome::Broken }
}

#[cfg(test)]
mod tests;

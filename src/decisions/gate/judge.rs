//! The verdict: two snapshots and rules in, what is broken out.

use std::collections::BTreeMap;

use serde::Serialize;

use super::snapshot::{Change, Snapshot, SnapshotRow};
use crate::runs::rules::{Level, Rule, Rules, Tolerance};
use crate::runs::scores::{CommonPages, PageScore, RowScores, aggregates, site_totals};
use crate::statistics::{
    Aggregates, Estimate, FEW_SITES, Figure, Interval, ONE, Part, Resampled, Sampling, fraction, resampled_figures,
    units,
};

/// What a gate comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No rule of level `error` is broken, and each can be judged.
    Passed,
    /// A rule of level `error` is broken.
    Fell,
    /// None is, but conditions are not the baseline's, or there are too few pages or sites.
    CannotJudge,
}

/// All that a gate found.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// What it comes to.
    pub verdict: Verdict,
    /// Why nothing was judged: conditions that are not the baseline's, rows that the run lacks.
    pub changes: Vec<Change>,
    /// Every row that both have; empty where something changed.
    pub rows: Vec<RowJudgement>,
    /// Rows that the baseline lacks, as dataset and name: not judged until they are accepted.
    pub new_rows: Vec<(String, String)>,
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
    /// Their sites.
    pub sites: usize,
    /// Macro F1 over them in the baseline and now.
    pub macro_f1: [f64; 2],
    /// Pages whose F1 is higher, equal, lower than in the baseline.
    pub higher_equal_lower: [usize; 3],
    /// Rules that are not off.
    pub checks: Vec<Checked>,
}

/// What a rule comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It is broken.
    Broken,
    /// There are too few pages or sites to see its tolerance.
    CannotJudge,
}

/// A rule on a row.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The rule's key in a configuration.
    pub rule: String,
    /// What breaking it does.
    pub level: Level,
    /// The fall that is borne, 0 to 1; absent where none is.
    pub tolerance: Option<f64>,
    /// What it comes to.
    pub outcome: Outcome,
    /// The figure, where the rule is on one.
    pub figure: Option<FigureCheck>,
    /// Pages that broke the rule, or that pull the figure down, the worst first.
    pub worst: Vec<PageFall>,
}

/// A figure beside its baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureCheck {
    /// The figure in the baseline.
    pub baseline: f64,
    /// The lowest value that is borne.
    pub limit: f64,
    /// The figure now.
    pub value: f64,
    /// The value less the baseline's.
    pub difference: f64,
    /// Where the difference lies, sites drawn again; absent where no page differs or there is one site.
    pub interval: Option<Interval>,
    /// The smallest fall that would be found in 80 of 100 repetitions; absent as the interval is.
    pub detectable: Option<f64>,
}

/// A page that scores lower.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageFall {
    /// Its id.
    pub page: String,
    /// Its site.
    pub site: String,
    /// Its score in the baseline: F1, or that of which the figure is made.
    pub baseline: f64,
    /// The lowest score that is borne; absent where the rule is on a figure.
    pub limit: Option<f64>,
    /// Its score now; absent where it was not run.
    pub value: Option<f64>,
    /// The score now less the baseline's.
    pub difference: f64,
    /// Whether it failed.
    pub failed: bool,
    /// Whether nothing is extracted that was before.
    pub emptied: bool,
    /// A command that shows it.
    pub command: String,
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
    let matched = baseline.matched(run);
    let mut changes = baseline.changes(run);
    changes.extend(matched.missing.iter().map(|row| Change {
        key: format!("rows.{}.{}", row.dataset, row.name()),
        baseline: Some(row.system.clone()),
        run: None,
    }));
    let new_rows = matched.new.iter().map(|row| (row.dataset.clone(), row.name())).collect();
    if !changes.is_empty() {
        return Judgement { verdict: Verdict::CannotJudge, changes, rows: Vec::new(), new_rows };
    }
    let pairs: Vec<Pair<'_>> = matched.pairs.into_iter().map(|(before, now)| Pair::new(before, now)).collect();
    let estimates = estimates(&pairs, rules, sampling);
    let rows: Vec<RowJudgement> =
        pairs.iter().zip(&estimates).map(|(pair, estimates)| pair.judge(rules, estimates, command)).collect();
    let checks = || rows.iter().flat_map(|row| &row.checks);
    let verdict = if checks().any(Checked::fails) {
        Verdict::Fell
    } else if checks().any(|check| check.outcome == Outcome::CannotJudge) {
        Verdict::CannotJudge
    } else {
        Verdict::Passed
    };
    Judgement { verdict, changes, rows, new_rows }
}

impl Judgement {
    /// Every rule of every row that comes to `outcome`.
    pub fn checks(&self, outcome: Outcome) -> impl Iterator<Item = (&RowJudgement, &Checked)> {
        let all = self.rows.iter().flat_map(|row| row.checks.iter().map(move |check| (row, check)));
        all.filter(move |(_, check)| check.outcome == outcome)
    }
}

impl Checked {
    /// Whether it fails the gate.
    pub fn fails(&self) -> bool {
        self.outcome == Outcome::Broken && self.level == Level::Error
    }
}

/// A row in the baseline and now, on the pages that both have.
struct Pair<'s> {
    before: &'s SnapshotRow,
    now: &'s SnapshotRow,
    common: [RowScores; 2],
    sites: usize,
}

/// The difference of each figure of the rules; none where no page differs.
type Estimates = Vec<Estimate>;

/// Estimates for each pair; all are drawn at once, for rows with as many sites share their draws.
fn estimates(pairs: &[Pair<'_>], rules: &Rules, sampling: &Sampling) -> Vec<Estimates> {
    let figures: Vec<Figure> = rules.figures.iter().map(|(figure, _)| *figure).collect();
    let differing = || pairs.iter().filter(|pair| pair.differs());
    let rows = differing().flat_map(|pair| pair.common.each_ref().map(site_totals)).collect::<Vec<_>>();
    let drawn = if rows.is_empty() { Vec::new() } else { resampled_figures(&rows, &figures, sampling) };
    let mut drawn = drawn.chunks_exact(2).map(|both| {
        let difference = |(before, now): (&Resampled, &Resampled)| now.minus(before).estimate();
        both[0].iter().zip(&both[1]).map(difference).collect::<Estimates>()
    });
    let of_pair = |pair: &Pair<'_>| if pair.differs() { drawn.next().unwrap_or_default() } else { Vec::new() };
    pairs.iter().map(of_pair).collect()
}

impl<'s> Pair<'s> {
    fn new(before: &'s SnapshotRow, now: &'s SnapshotRow) -> Self {
        let common = CommonPages::of(&[&before.scores, &now.scores]);
        let of = |row: &SnapshotRow| -> RowScores {
            common.pages.iter().map(|page| ((*page).clone(), row.scores[*page].clone())).collect()
        };
        Pair { before, now, common: [of(before), of(now)], sites: common.site_count }
    }

    /// Whether any figure can differ.
    fn differs(&self) -> bool {
        self.common[0] != self.common[1]
    }

    fn pages(&self) -> impl Iterator<Item = (&String, [&PageScore; 2])> {
        let [before, now] = &self.common;
        before.iter().zip(now.values()).map(|((page, before), now)| (page, [before, now]))
    }

    fn judge(&self, rules: &Rules, estimates: &Estimates, command: Command<'_>) -> RowJudgement {
        let aggregates = self.common.each_ref().map(aggregates);
        let mut checks = Vec::new();
        for (place, (figure, tolerance)) in rules.figures.iter().enumerate() {
            if tolerance.level != Level::Off {
                checks.push(self.figure(*figure, *tolerance, &aggregates, estimates.get(place), command));
            }
        }
        if rules.page_f1.level != Level::Off {
            checks.push(self.floors(rules.page_f1, command));
        }
        if rules.new_failures != Level::Off {
            checks.push(self.new_failures(rules.new_failures, command));
        }
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
            sites: self.sites,
            macro_f1: aggregates.map(|all| all.macro_.f1),
            higher_equal_lower,
            checks,
        }
    }

    fn figure(
        &self,
        figure: Figure,
        tolerance: Tolerance,
        aggregates: &[Aggregates; 2],
        estimate: Option<&Estimate>,
        command: Command<'_>,
    ) -> Checked {
        let [baseline, value] = aggregates.each_ref().map(|all| figure.of(all));
        // Figures are whole numbers of 1e-12, so what is borne is compared exactly.
        let [before, now] = [baseline, value].map(|figure| units(figure) as i64);
        let falls_beyond = before - now > tolerance.fall as i64;
        let part = if figure.1 == Part::Accuracy { Part::F1 } else { figure.1 };
        let outcome = outcome(falls_beyond, fraction(tolerance.fall), estimate);
        let worst = if outcome == Outcome::Passed { Vec::new() } else { self.falls(part, command) };
        Checked {
            rule: Rule::Figure(figure).to_string(),
            level: tolerance.level,
            tolerance: Some(fraction(tolerance.fall)),
            outcome,
            figure: Some(FigureCheck {
                baseline,
                limit: ((before - tolerance.fall as i64) as f64 / ONE as f64).max(0.0),
                value,
                difference: (now - before) as f64 / ONE as f64,
                interval: estimate.and_then(|estimate| estimate.percentile),
                detectable: estimate.and_then(Estimate::detectable),
            }),
            worst,
        }
    }

    /// Pages whose precision, recall or F1 is lower, the worst first.
    fn falls(&self, part: Part, command: Command<'_>) -> Vec<PageFall> {
        let lower = self.pages().filter(|(_, [before, now])| now.score[part as usize] < before.score[part as usize]);
        worst_first(lower.map(|(page, scores)| self.fall(page, scores, part, None, command)).collect())
    }

    fn floors(&self, tolerance: Tolerance, command: Command<'_>) -> Checked {
        const F1: usize = Part::F1 as usize;
        let limit = |before: &PageScore| before.score[F1].saturating_sub(tolerance.fall);
        let below = self.pages().filter(|(_, [before, now])| now.score[F1] < limit(before));
        let falls =
            below.map(|(page, scores)| self.fall(page, scores, Part::F1, Some(fraction(limit(scores[0]))), command));
        let worst = worst_first(falls.collect());
        Checked {
            rule: Rule::PageF1.to_string(),
            level: tolerance.level,
            tolerance: Some(fraction(tolerance.fall)),
            outcome: if worst.is_empty() { Outcome::Passed } else { Outcome::Broken },
            figure: None,
            worst,
        }
    }

    /// Pages that failed, or were not run, and were scored in the baseline.
    fn new_failures(&self, level: Level, command: Command<'_>) -> Checked {
        let scored: BTreeMap<&String, &PageScore> =
            self.before.scores.iter().filter(|(_, before)| !before.failed).collect();
        let falls = scored.into_iter().filter_map(|(page, before)| {
            let now = self.now.scores.get(page);
            if now.is_some_and(|now| !now.failed) {
                return None;
            }
            let mut fall = self.fall(page, [before, now.unwrap_or(before)], Part::F1, None, command);
            if now.is_none() {
                (fall.value, fall.difference) = (None, -fall.baseline);
            }
            Some(fall)
        });
        let worst = worst_first(falls.collect());
        Checked {
            rule: Rule::NewFailures.to_string(),
            level,
            tolerance: None,
            outcome: if worst.is_empty() { Outcome::Passed } else { Outcome::Broken },
            figure: None,
            worst,
        }
    }

    fn fall(
        &self,
        page: &str,
        [before, now]: [&PageScore; 2],
        part: Part,
        limit: Option<f64>,
        command: Command<'_>,
    ) -> PageFall {
        let [baseline, value] = [before, now].map(|page| page.score[part as usize]);
        PageFall {
            page: page.to_owned(),
            site: now.site.clone(),
            baseline: fraction(baseline),
            limit,
            value: Some(fraction(value)),
            difference: (value as i64 - baseline as i64) as f64 / ONE as f64,
            failed: now.failed,
            emptied: before.counts[1] > 0 && now.counts[1] == 0,
            command: command(&self.now.dataset, &self.now.name(), page),
        }
    }
}

/// Whether a figure that falls beyond its tolerance, or does not, holds. A fall is told where the interval excludes
/// zero; that there is none, where the interval lies above the tolerance, or the tolerance would have been seen.
fn outcome(falls_beyond: bool, tolerance: f64, estimate: Option<&Estimate>) -> Outcome {
    let Some(estimate) = estimate else { return Outcome::Passed };
    let (Some(interval), Some(detectable)) = (estimate.percentile, estimate.detectable()) else {
        return Outcome::CannotJudge;
    };
    // Of few sites intervals are narrower than they say.
    if estimate.sites < FEW_SITES {
        return Outcome::CannotJudge;
    }
    match falls_beyond {
        true if interval.high < 0.0 => Outcome::Broken,
        false if interval.low >= -tolerance || detectable <= tolerance => Outcome::Passed,
        _ => Outcome::CannotJudge,
    }
}

/// Pages come by id, and sorting keeps the order of equal ones.
fn worst_first(mut falls: Vec<PageFall>) -> Vec<PageFall> {
    falls.sort_by(|one, other| one.difference.total_cmp(&other.difference));
    falls
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::examples::{row, snapshot};
    use super::*;

    type Counts = Option<[u64; 3]>;

    /// Of the dataset `d`, one page a site, sites in order; all of one row.
    fn of(counts: &[Counts]) -> Snapshot {
        let sites: Vec<String> = (0..counts.len()).map(|site| format!("s{site:03}")).collect();
        let pages: Vec<(&str, Counts)> = sites.iter().map(String::as_str).zip(counts.iter().copied()).collect();
        snapshot(vec![row("nta", &pages)])
    }

    fn judged(baseline: &Snapshot, run: &Snapshot, rules: &Rules) -> Judgement {
        judge(baseline, run, rules, &Sampling::default(), &|dataset, row, page| format!("show {dataset} {row} {page}"))
    }

    /// Each rule with what it comes to.
    fn told(judgement: &Judgement) -> Vec<(&str, Outcome)> {
        let checks = judgement.rows.iter().flat_map(|row| &row.checks);
        checks.map(|check| (check.rule.as_str(), check.outcome)).collect()
    }

    const RIGHT: Counts = Some([201, 201, 201]);
    /// F1 0.995.
    const NEARLY: Counts = Some([199, 199, 201]);
    const WRONG: Counts = Some([0, 201, 201]);

    #[test]
    fn the_same_scores_pass_of_however_few_sites() {
        for sites in [1, 3, 30] {
            let same = of(&vec![NEARLY; sites]);
            let judgement = judged(&same, &same, &Rules::default());
            assert_eq!(judgement.verdict, Verdict::Passed);
            assert_eq!(judgement.rows[0].higher_equal_lower, [0, sites, 0]);
            let check = &judgement.rows[0].checks[0];
            assert_eq!(check.figure.as_ref().map(|figure| (figure.difference, figure.interval)), Some((0.0, None)));
        }
    }

    #[test]
    fn a_fall_of_a_figure_beyond_its_tolerance_fails_and_one_within_it_does_not() {
        let (before, now) = (of(&[RIGHT; 30]), of(&[NEARLY; 30]));
        let judgement = judged(&before, &now, &Rules::default());
        // Exactly 0.005 lower, which is borne.
        assert_eq!(told(&judgement)[0], ("macro_f1", Outcome::Passed));
        assert_eq!((judgement.verdict, judgement.rows[0].higher_equal_lower), (Verdict::Passed, [0, 0, 30]));
        let mut rules = Rules::default();
        rules.figures[0].1.fall -= 1;
        let judgement = judged(&before, &now, &rules);
        assert_eq!(judgement.verdict, Verdict::Fell);
        assert_eq!(told(&judgement)[..2], [("macro_f1", Outcome::Broken), ("page_f1", Outcome::Passed)]);
        let check = &judgement.rows[0].checks[0];
        let figure = check.figure.as_ref().unwrap();
        assert_eq!((figure.baseline, figure.value, figure.difference), (1.0, 0.995, -0.005));
        assert_eq!((figure.limit, check.worst.len()), (0.995000000001, 30));
        rules.figures[0].1.level = Level::Warn;
        let judgement = judged(&before, &now, &rules);
        assert_eq!((judgement.verdict, told(&judgement)[0].1), (Verdict::Passed, Outcome::Broken));
        rules.figures[0].1.level = Level::Off;
        assert_eq!(told(&judged(&before, &now, &rules)).len(), 2);
    }

    #[test]
    fn one_page_under_its_floor_is_named_and_the_figure_is_not_judged_by_it() {
        let (before, mut counts) = (of(&[RIGHT; 30]), [RIGHT; 30]);
        (counts[7], counts[9]) = (WRONG, NEARLY);
        let judgement = judged(&before, &of(&counts), &Rules::default());
        assert_eq!(judgement.verdict, Verdict::Fell);
        assert_eq!(
            told(&judgement),
            [
                // Two sites of thirty: without the one there is hardly a fall.
                ("macro_f1", Outcome::CannotJudge),
                ("page_f1", Outcome::Broken),
                ("new_failures", Outcome::Passed)
            ]
        );
        let worst = &judgement.rows[0].checks[1].worst;
        assert_eq!(worst.len(), 1);
        assert_eq!((worst[0].page.as_str(), worst[0].limit, worst[0].value), ("p007", Some(0.98), Some(0.0)));
        assert_eq!(worst[0].command, "show d nta p007");
        assert_eq!(judgement.rows[0].checks[0].worst.len(), 2);
    }

    #[test]
    fn of_too_few_sites_nothing_is_known_and_the_detectable_fall_is_told() {
        let rules = Rules { page_f1: Tolerance { level: Level::Off, fall: 0 }, ..Rules::default() };
        let judgement = judged(&of(&[RIGHT; 3]), &of(&[WRONG, NEARLY, RIGHT]), &rules);
        assert_eq!((judgement.verdict, told(&judgement)[0].1), (Verdict::CannotJudge, Outcome::CannotJudge));
        let detectable = judgement.rows[0].checks[0].figure.as_ref().unwrap().detectable.unwrap();
        assert!((0.5..1.5).contains(&detectable), "{detectable}");
        let one = judged(&of(&[RIGHT]), &of(&[WRONG]), &rules);
        assert_eq!(one.verdict, Verdict::CannotJudge);
        assert_eq!(one.rows[0].checks[0].figure.as_ref().unwrap().detectable, None);
        // Many sites, and a difference that scatters far more than the tolerance.
        let mixed: Vec<Counts> = (0..20).map(|site| if site % 2 == 0 { RIGHT } else { WRONG }).collect();
        let turned: Vec<Counts> = mixed.iter().rev().copied().collect();
        assert_eq!(told(&judged(&of(&mixed), &of(&turned), &rules))[0].1, Outcome::CannotJudge);
        // A rise is none, however it scatters.
        assert_eq!(told(&judged(&of(&mixed), &of(&[RIGHT; 20]), &rules))[0].1, Outcome::Passed);
    }

    #[test]
    fn pages_that_fail_or_are_not_run_are_named_once_they_do() {
        let before = of(&[RIGHT, RIGHT, None, RIGHT]);
        let mut now = of(&[None, RIGHT, None, RIGHT]);
        now.rows[0].scores.remove("p003");
        let judgement = judged(&before, &now, &Rules::default());
        let failures = &judgement.rows[0].checks[2];
        assert_eq!((failures.rule.as_str(), failures.outcome), ("new_failures", Outcome::Broken));
        let told: Vec<(&str, bool, Option<f64>)> =
            failures.worst.iter().map(|page| (page.page.as_str(), page.failed, page.value)).collect();
        assert_eq!(told, [("p000", true, Some(0.0)), ("p003", false, None)]);
        assert_eq!(judgement.rows[0].pages, 3);
    }

    #[test]
    fn under_other_conditions_or_without_a_row_nothing_is_judged() {
        let before = of(&[RIGHT; 10]);
        let mut now = of(&[WRONG; 10]);
        now.conditions.insert("tokens".to_owned(), "word".to_owned());
        let judgement = judged(&before, &now, &Rules::default());
        assert_eq!((judgement.verdict, judgement.rows.len()), (Verdict::CannotJudge, 0));
        let change = &judgement.changes[0];
        assert_eq!((change.key.as_str(), change.run.as_deref()), ("tokens", Some("word")));
        let mut now = of(&[RIGHT; 10]);
        now.rows[0].algorithm = "cevc".to_owned();
        let judgement = judged(&before, &now, &Rules::default());
        assert_eq!(judgement.changes[0].key, "rows.d.nta");
        assert_eq!(judgement.new_rows, [("d".to_owned(), "cevc".to_owned())]);
    }
}

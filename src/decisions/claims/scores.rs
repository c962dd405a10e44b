//! Claims about scores of pages.

use std::collections::BTreeMap;

use super::{Evidence, Measured, Outcome, Verdict, algorithm, named, reads_gold, shares};
use crate::papers::{Means, Measure, Over, Subject, published};
use crate::runs::scores::{CommonPages, RowScores, site_totals};
use crate::statistics::{
    Aggregate, Correction, Estimate, FEW_SITES, Figure, Interval, ONE, Paired, Part, Resampled, Sampling,
    percentile_interval, resampled_figures,
};
use crate::text;

/// What is held against what.
pub(super) struct Sides {
    pub(super) left: Subject,
    pub(super) right: Vec<Subject>,
}

fn part(measure: Measure) -> Result<Part, String> {
    match measure {
        Measure::P => Ok(Part::Precision),
        Measure::R => Ok(Part::Recall),
        Measure::F1 => Ok(Part::F1),
        Measure::Kept | Measure::LinkShare => Err(format!("a {} is no score", measure.name())),
    }
}

/// How a subject is called: our algorithm, its parameters, its pages, and what it reads of the gold.
pub(super) fn name(subject: &Subject) -> String {
    let mut name = algorithm(&subject.system).unwrap_or(&subject.system).to_owned();
    for (parameter, value) in &subject.params {
        name += &format!(" {parameter}={}", crate::runs::values::text_of(value));
    }
    reads_gold(subject).iter().for_each(|reads| name += &format!(" (reads_gold={})", reads.name()));
    subject.group.iter().for_each(|group| name += &format!(" on {group}"));
    subject.pages.iter().for_each(|pages| name += &format!(" [{}]", pages.in_words()));
    name
}

/// Whether a figure lies within a tolerance of the printed one.
pub(super) fn value(
    evidence: &Evidence<'_>,
    means: Means,
    subject: &Subject,
    measure: Measure,
    printed: (f64, f64),
) -> Result<Outcome, String> {
    let (pages, figure) = match measure {
        Measure::Kept => (shares::kept(evidence, subject)?, Figure(Aggregate::Micro, Part::Precision)),
        Measure::LinkShare => (shares::link_share(evidence, subject)?, Figure(Aggregate::Macro, Part::Precision)),
        score => (evidence.scores(subject)?, Figure(aggregate(means), part(score)?)),
    };
    let estimate = resampled(&pages, figure, &evidence.sampling).estimate();
    let figure = measured(format!("{} {}{}", name(subject), measure.name(), in_words(means)), &estimate, None);
    let remark = format!("{}; {}", as_printed(printed), counted(&estimate));
    Ok(Outcome { verdict: near(&estimate, printed), measured: vec![figure], remark })
}

/// A printed figure, and how near to it the pages at hand shall come.
fn as_printed((value, tolerance): (f64, f64)) -> String {
    let within = if tolerance > 0.0 { format!(", to be met within {tolerance}") } else { String::new() };
    format!("printed {value}{within}, other pages")
}

fn aggregate(means: Means) -> Aggregate {
    match means {
        Means::Macro => Aggregate::Macro,
        Means::PaperCevc => Aggregate::PaperCevc,
    }
}

/// The mean that a figure is, behind its name, where it is not that over pages.
fn in_words(means: Means) -> &'static str {
    match means {
        Means::Macro => "",
        Means::PaperCevc => " (the paper's mean: over sites, where F1 of a site is that of its mean P and R)",
    }
}

/// Whether each measure is `least` or more: holds where all of the interval is, fails where none of it is.
pub(super) fn at_least(
    evidence: &Evidence<'_>,
    means: Means,
    subject: &Subject,
    measures: &[Measure],
    least: f64,
) -> Result<Outcome, String> {
    let pages = evidence.scores(subject)?;
    let (mut verdicts, mut figures, mut remark) = (Vec::new(), Vec::new(), String::new());
    for &measure in measures {
        let figure = Figure(aggregate(means), part(measure)?);
        let estimate = resampled(&pages, figure, &evidence.sampling).estimate();
        verdicts.push(match estimate.percentile {
            Some(interval) if interval.low >= least => Verdict::Holds,
            Some(interval) if interval.high < least => Verdict::Fails,
            _ => Verdict::NotSeparable,
        });
        remark = format!("printed at least {least}, other pages; {}", counted(&estimate));
        figures.push(measured(format!("{} {}{}", name(subject), measure.name(), in_words(means)), &estimate, None));
    }
    Ok(Outcome { verdict: Verdict::of_all(verdicts), measured: figures, remark })
}

/// Holds where all of the interval lies within the tolerance, fails where none of it does.
fn near(estimate: &Estimate, (value, tolerance): (f64, f64)) -> Verdict {
    let (low, high) = (value - tolerance, value + tolerance);
    match estimate.percentile {
        Some(interval) if interval.low >= low && interval.high <= high => Verdict::Holds,
        Some(interval) if interval.high < low || interval.low > high => Verdict::Fails,
        _ => Verdict::NotSeparable,
    }
}

fn resampled(pages: &RowScores, figure: Figure, sampling: &Sampling) -> Resampled {
    resampled_figures(&[site_totals(pages)], &[figure], sampling).swap_remove(0).swap_remove(0)
}

fn measured(what: String, estimate: &Estimate, p: Option<f64>) -> Measured {
    Measured { what, value: estimate.point, interval: estimate.percentile, p }
}

fn counted(estimate: &Estimate) -> String {
    format!("{} of {}", text::counted(estimate.pages as usize, "page"), text::counted(estimate.sites, "site"))
}

/// Whether the left side is greater than each right one in each measure.
pub(super) fn greater(
    evidence: &Evidence<'_>,
    means: Means,
    sides: &Sides,
    measures: &[Measure],
    (margin, over): (f64, Over),
    except: &[String],
) -> Result<Outcome, String> {
    if over == Over::EachSite {
        return on_each_site(evidence, means, sides, measures, (margin, except));
    }
    if sides.right.iter().any(|right| (&right.group, right.pages) != (&sides.left.group, sides.left.pages)) {
        return between_groups(evidence, means, sides, measures, margin);
    }
    let compared = paired(evidence, sides, measures)?;
    let p_values: Vec<f64> = compared.iter().map(|pair| pair.p).collect();
    let corrected = Correction::Holm.correct(&p_values);
    let verdicts = compared.iter().zip(&corrected).map(|(pair, &p)| pair.verdict(p, margin));
    let verdict = Verdict::of_all(verdicts);
    let measured =
        compared.iter().zip(&corrected).map(|(pair, &p)| measured(pair.what.clone(), &pair.difference, Some(p)));
    let measured = measured.collect();
    let of_few = compared.iter().any(|pair| pair.too_few) && verdict == Verdict::NotSeparable;
    let few = if of_few { "; too few sites differ for a test to reach 0.05" } else { "" };
    let remark = format!("{}{few}", compared.first().map(|pair| counted(&pair.difference)).unwrap_or_default());
    Ok(Outcome { verdict, measured, remark })
}

/// A measure of one right side, held against the left one on the same pages.
struct Compared {
    what: String,
    difference: Estimate,
    p: f64,
    too_few: bool,
}

impl Compared {
    /// By the test; where a margin is to be kept, which a test against zero does not tell, by the interval too: it must lie
    /// above the margin, and fails to where it lies below.
    fn verdict(&self, p: f64, margin: f64) -> Verdict {
        let is_told = p <= 1.0 - self.difference.level;
        let clears = |interval: Interval| margin == 0.0 || interval.low > margin;
        let falls_short = |interval: Interval| margin != 0.0 && interval.high < margin;
        let interval = self.difference.percentile;
        match is_told {
            true if self.difference.point <= 0.0 => Verdict::Fails,
            true if interval.is_some_and(clears) => Verdict::Holds,
            _ if interval.is_some_and(falls_short) => Verdict::Fails,
            _ => Verdict::NotSeparable,
        }
    }
}

fn paired(evidence: &Evidence<'_>, sides: &Sides, measures: &[Measure]) -> Result<Vec<Compared>, String> {
    let rows: Vec<RowScores> = all(sides).map(|side| evidence.scores(side)).collect::<Result<_, _>>()?;
    let rows: Vec<&RowScores> = rows.iter().collect();
    let common = CommonPages::of(&rows);
    if common.pages.is_empty() {
        return Err(format!("no page of {} was run by all of these rows", evidence.dataset));
    }
    let mut compared = Vec::new();
    for &measure in measures {
        let part = part(measure)?;
        let scores = rows.iter().map(|row| common.scores(row, part)).collect();
        let paired = Paired::new(scores, common.sites.clone(), evidence.sampling);
        for (place, right) in sides.right.iter().enumerate() {
            let comparison = paired.compare(0, place + 1);
            compared.push(Compared {
                what: format!("{} of {} less {}", measure.name(), name(&sides.left), name(right)),
                p: comparison.by_site.p,
                too_few: common.site_count < FEW_SITES || comparison.is_too_few(),
                difference: comparison.difference,
            });
        }
    }
    Ok(compared)
}

fn all(sides: &Sides) -> impl Iterator<Item = &Subject> {
    std::iter::once(&sides.left).chain(&sides.right)
}

/// Two sides on different pages: each is drawn anew for itself.
fn between_groups(
    evidence: &Evidence<'_>,
    means: Means,
    sides: &Sides,
    measures: &[Measure],
    margin: f64,
) -> Result<Outcome, String> {
    let left = evidence.scores(&sides.left)?;
    let other = Sampling { seed: evidence.sampling.seed.wrapping_add(1), ..evidence.sampling };
    let (mut figures, mut verdicts, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for subject in &sides.right {
        let right = evidence.scores(subject)?;
        for &measure in measures {
            let figure = Figure(aggregate(means), part(measure)?);
            let [one, two] = [resampled(&left, figure, &evidence.sampling), resampled(&right, figure, &other)];
            let (one_estimate, two_estimate) = (one.estimate(), two.estimate());
            let interval = (one.sites() > 1 && two.sites() > 1).then(|| difference_interval(&one, &two, other.level));
            verdicts.push(match interval {
                Some(interval) if interval.low > margin => Verdict::Holds,
                Some(interval) if interval.high < margin => Verdict::Fails,
                _ => Verdict::NotSeparable,
            });
            figures.push(Measured {
                what: format!("{} of {} less {}{}", measure.name(), name(&sides.left), name(subject), in_words(means)),
                value: one.point() - two.point(),
                interval,
                p: None,
            });
            counts.push(format!(
                "means: {:.4} of {} against {:.4} of {}",
                one.point(),
                counted(&one_estimate),
                two.point(),
                counted(&two_estimate)
            ));
        }
    }
    Ok(Outcome { verdict: Verdict::of_all(verdicts), measured: figures, remark: counts.join("; ") })
}

fn difference_interval(one: &Resampled, two: &Resampled, level: f64) -> Interval {
    let mut differences: Vec<f64> = one.values().iter().zip(two.values()).map(|(one, two)| one - two).collect();
    differences.sort_unstable_by(f64::total_cmp);
    percentile_interval(&differences, level)
}

/// Counted, not tested: what a paper says of each of its sites is refuted by a site that is lost.
fn on_each_site(
    evidence: &Evidence<'_>,
    means: Means,
    sides: &Sides,
    measures: &[Measure],
    (margin, except): (f64, &[String]),
) -> Result<Outcome, String> {
    let excepted: Vec<&String> = except.iter().filter_map(|site| published().domains.get(site)).collect();
    let rows: Vec<RowScores> = all(sides).map(|side| evidence.scores(side)).collect::<Result<_, _>>()?;
    let rows: Vec<&RowScores> = rows.iter().collect();
    let common = CommonPages::of(&rows);
    let mut least: BTreeMap<&str, f64> = BTreeMap::new();
    for &measure in measures {
        let figure = Figure(aggregate(means), part(measure)?);
        let of_sites: Vec<BTreeMap<&str, f64>> = rows.iter().map(|row| site_figures(&common, row, figure)).collect();
        for (site, left) in &of_sites[0] {
            for right in &of_sites[1..] {
                let entry = least.entry(site).or_insert(f64::MAX);
                *entry = entry.min(left - right[site]);
            }
        }
    }
    let all = least.len();
    least.retain(|site, _| !excepted.iter().any(|domain| domain == site));
    let besides = if least.len() < all { format!(" besides {}", except.join(", ")) } else { String::new() };
    if least.is_empty() {
        return Err(format!("{} has no site to compare", evidence.dataset));
    }
    let lost: Vec<&str> = least.iter().filter(|(_, least)| **least < margin).map(|(site, _)| *site).collect();
    let won = least.values().filter(|least| **least > margin).count();
    let verdict = match (lost.len(), won == least.len()) {
        (0, true) => Verdict::Holds,
        (0, false) => Verdict::NotSeparable,
        _ => Verdict::Fails,
    };
    let compared = paired(evidence, sides, measures)?;
    let measured = compared.into_iter().map(|pair| measured(pair.what, &pair.difference, None)).collect();
    let equal = least.len() - won - lost.len();
    let equal = if equal > 0 { format!(", equal on {equal}") } else { String::new() };
    let sites = text::counted(least.len(), "site");
    let figures = match means == Means::PaperCevc && measures.contains(&Measure::F1) {
        true => "; F1 of a site is that of its means of P and R",
        false => "",
    };
    let remark =
        format!("higher on {won} of {sites}{besides}, lower on {}{}{equal}{figures}", lost.len(), named(&lost));
    Ok(Outcome { verdict, measured, remark })
}

/// Each site's figure: the mean over the pages that all rows have, or F1 of the means of P and R.
fn site_figures<'s>(common: &CommonPages<'s>, row: &RowScores, figure: Figure) -> BTreeMap<&'s str, f64> {
    if figure == Figure(Aggregate::PaperCevc, Part::F1) {
        let [precision, recall] = [Part::Precision, Part::Recall].map(|part| site_means(common, row, part));
        let of = |(site, p): (&'s str, f64)| {
            let r = recall[site];
            (site, if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 })
        };
        return precision.into_iter().map(of).collect();
    }
    site_means(common, row, figure.1)
}

fn site_means<'s>(common: &CommonPages<'s>, row: &RowScores, part: Part) -> BTreeMap<&'s str, f64> {
    let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (site, score) in common.site_names.iter().zip(common.scores(row, part)) {
        let sum = sums.entry(site).or_default();
        *sum = (sum.0 + score, sum.1 + 1);
    }
    // Scores are integers of 1e-12, so equal means give equal numbers.
    sums.into_iter().map(|(site, (sum, pages))| (site, sum as f64 / pages as f64 / ONE as f64)).collect()
}

/// Whether a difference lies within a tolerance of the printed one.
pub(super) fn difference(
    evidence: &Evidence<'_>,
    sides: &Sides,
    measure: Measure,
    printed: (f64, f64),
) -> Result<Outcome, String> {
    let compared = paired(evidence, sides, &[measure])?;
    let verdict = Verdict::of_all(compared.iter().map(|pair| near(&pair.difference, printed)));
    let remark = as_printed(printed);
    let measured = compared.into_iter().map(|pair| measured(pair.what, &pair.difference, None)).collect();
    Ok(Outcome { verdict, measured, remark })
}

/// Whether the left side is further than `within` from at least one right one: holds where a test tells a difference
/// and its interval lies outside, fails where all intervals lie inside.
pub(super) fn differs(
    evidence: &Evidence<'_>,
    sides: &Sides,
    measure: Measure,
    within: f64,
) -> Result<Outcome, String> {
    let compared = paired(evidence, sides, &[measure])?;
    let corrected = Correction::Holm.correct(&compared.iter().map(|pair| pair.p).collect::<Vec<_>>());
    let is_far = |(pair, p): (&Compared, &f64)| {
        let clears = |interval: Interval| interval.low > within || interval.high < -within;
        *p <= 1.0 - pair.difference.level && pair.difference.percentile.is_some_and(clears)
    };
    let is_near = |pair: &Compared| {
        pair.difference.percentile.is_some_and(|interval| interval.low >= -within && interval.high <= within)
    };
    let verdict = if compared.iter().zip(&corrected).any(is_far) {
        Verdict::Holds
    } else if compared.iter().all(is_near) {
        Verdict::Fails
    } else {
        Verdict::NotSeparable
    };
    let counted = compared.first().map(|pair| counted(&pair.difference)).unwrap_or_default();
    let measured = compared.into_iter().zip(corrected).map(|(pair, p)| measured(pair.what, &pair.difference, Some(p)));
    Ok(Outcome { verdict, measured: measured.collect(), remark: format!("asked is for more than {within}; {counted}") })
}

/// Whether a subject is lower on its pages than on the others, and lower there than `right`.
pub(super) fn conditional(
    evidence: &Evidence<'_>,
    means: Means,
    subject: &Subject,
    right: &Subject,
    measure: Measure,
) -> Result<Outcome, String> {
    let others = subject.pages.and_then(|pages| pages.others()).ok_or("it does not say of which pages")?;
    let elsewhere = Subject { pages: Some(others), ..subject.clone() };
    let beside = Subject { group: subject.group.clone(), ..right.clone() };
    let lower_than = |left: Subject| {
        let sides = Sides { left, right: vec![subject.clone()] };
        greater(evidence, means, &sides, &[measure], (0.0, Over::Mean), &[])
    };
    Ok(lower_than(elsewhere)?.and(lower_than(beside)?))
}

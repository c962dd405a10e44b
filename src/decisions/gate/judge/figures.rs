//! Rules on figures of a row: an interval over sites decides, and where there are too few of them the pages themselves.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::{Checked, Command, FigureCheck, Outcome, PageByPage, PageFall, Pair, worst_first};
use crate::runs::rules::{Level, Rule, Rules, Tolerance};
use crate::runs::scores::site_totals;
use crate::statistics::{
    Aggregates, Estimate, FEW_SITES, Figure, ONE, Part, Resampled, Sampling, fraction, resampled_figures, units,
};

/// The difference of each figure of the rules; none where no page differs.
pub(super) type Estimates = Vec<Estimate>;

/// A p-value above this is chance.
const CHANCE: f64 = 0.05;

/// Estimates for each pair; all are drawn at once, for rows with as many sites share their draws.
pub(super) fn estimates(pairs: &[Pair<'_>], rules: &Rules, sampling: &Sampling) -> Vec<Estimates> {
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

impl Pair<'_> {
    /// Every figure of the rules that is not off.
    pub(super) fn figures(
        &self,
        rules: &Rules,
        aggregates: &[Aggregates; 2],
        estimates: &Estimates,
        command: Command<'_>,
    ) -> Vec<Checked> {
        let asked = rules.figures.iter().enumerate().filter(|(_, (_, tolerance))| tolerance.level != Level::Off);
        let check = |(place, (figure, tolerance)): (usize, &(Figure, Tolerance))| {
            self.figure(*figure, *tolerance, aggregates, estimates.get(place), command)
        };
        asked.map(check).collect()
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
        // Figures are whole numbers of 1e-12, so what is allowed is compared exactly.
        let [before, now] = [baseline, value].map(|figure| units(figure) as i64);
        let part = if figure.1 == Part::Accuracy { Part::F1 } else { figure.1 };
        let page_by_page = estimate.filter(|estimate| estimate.sites < FEW_SITES).map(|_| self.page_by_page(part));
        let outcome = outcome(before - now, tolerance.fall, estimate, page_by_page);
        let is_told = matches!(outcome, Outcome::Broken | Outcome::CannotJudge);
        let worst = if is_told { self.falls(part, command) } else { Vec::new() };
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
                page_by_page,
            }),
            time: None,
            sites: Vec::new(),
            worst,
        }
    }

    /// How the pages stand by themselves.
    fn page_by_page(&self, part: Part) -> PageByPage {
        let differing = |is: fn(&u64, &u64) -> bool| {
            let scores = self.pages().map(|(_, scores)| scores.map(|page| page.score[part as usize]));
            scores.filter(|[before, now]| is(now, before)).count()
        };
        let (lower, higher) = (differing(u64::lt), differing(u64::gt));
        PageByPage { lower, higher, p: sign_test(lower, higher) }
    }

    /// Pages whose precision, recall or F1 is lower, the worst first.
    fn falls(&self, part: Part, command: Command<'_>) -> Vec<PageFall> {
        let lower = self.pages().filter(|(_, [before, now])| now.score[part as usize] < before.score[part as usize]);
        worst_first(lower.map(|(page, scores)| self.fall(page, scores, part, None, command)).collect())
    }
}

/// The two-sided p-value of so many of each sign where both are as likely (Dixon and Mood 1946).
fn sign_test(lower: usize, higher: usize) -> f64 {
    let (all, fewer) = ((lower + higher) as u64, lower.min(higher) as u64);
    let tail = Binomial::new(0.5, all).map_or(1.0, |binomial| binomial.cdf(fewer));
    (2.0 * tail).min(1.0)
}

/// The outcome of the rule on a figure that fell by `fall` (that rose, if it is negative), both in units of 1e-12. A fall is
/// reported where the interval excludes zero; that there is none, where the interval lies above the tolerance, or the
/// tolerance would have been seen. With too few sites for either, a fall on these pages themselves is one where more of them
/// fell than by chance.
fn outcome(fall: i64, tolerance: u64, estimate: Option<&Estimate>, page_by_page: Option<PageByPage>) -> Outcome {
    let Some(estimate) = estimate else { return Outcome::Passed };
    let falls_beyond = fall > tolerance as i64;
    let unknown = if fall > 0 { Outcome::CannotJudge } else { Outcome::DidNotFall };
    if let Some(PageByPage { lower, higher, p }) = page_by_page {
        let fell = falls_beyond && lower > higher && p <= CHANCE;
        return if fell { Outcome::Broken } else { unknown };
    }
    let (Some(interval), Some(detectable)) = (estimate.percentile, estimate.detectable()) else { return unknown };
    let tolerance = fraction(tolerance);
    match falls_beyond {
        true if interval.high < 0.0 => Outcome::Broken,
        false if interval.low >= -tolerance || detectable <= tolerance => Outcome::Passed,
        _ => unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_test_is_that_of_the_binomial() {
        let close = |lower, higher, expected: f64| (sign_test(lower, higher) - expected).abs() < 1e-12;
        assert!(close(0, 0, 1.0) && close(1, 0, 1.0) && close(3, 3, 1.0));
        assert!(close(5, 0, 2.0 / 32.0) && close(6, 0, 2.0 / 64.0) && close(0, 6, 2.0 / 64.0));
        // 1 or none of 8: 9 of 256, twice.
        assert!(close(7, 1, 18.0 / 256.0));
        assert!(sign_test(200, 0) < 1e-50);
    }
}

//! Sums of scores over pages and sites, and the aggregates that follow from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One, in the unit that scores and their means come in: whole numbers of 1e-12, whose sums are exact.
pub const ONE: u64 = 1_000_000_000_000;

/// Precision, recall and F1, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Triple {
    /// Precision.
    pub precision: f64,
    /// Recall.
    pub recall: f64,
    /// F1.
    pub f1: f64,
}

/// The article-extraction-benchmark's own aggregate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Benchmark {
    /// Mean precision of the pages that have one (something was extracted).
    pub precision: f64,
    /// Mean recall of the pages that have one (the gold is not empty).
    pub recall: f64,
    /// Harmonic mean of the two means.
    pub f1: f64,
    /// Share of pages extracted without any difference.
    pub accuracy: f64,
}

/// Every aggregate of a row (`docs/methods/scoring.md, section 6`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aggregates {
    /// Mean over pages of precision, of recall and of F1.
    #[serde(rename = "macro")]
    pub macro_: Triple,
    /// Mean over sites of each site's macro.
    pub site_macro: Triple,
    /// Sums of counts over pages, then precision, recall and F1 of the sums.
    pub micro: Triple,
    /// The CEVC paper's: a site's F1 is the harmonic mean of its mean precision and mean recall;
    /// figures are means over sites.
    pub paper_cevc: Triple,
    /// The article-extraction-benchmark's.
    pub benchmark: Benchmark,
}

/// Sums of scores over pages, from which their means follow; in integers, so that the order in which
/// pages are added does not matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    pages: u64,
    pub(super) scores: [u128; 3],
}

impl Sums {
    /// Adds a page's precision, recall and F1.
    pub fn add(&mut self, score: [u64; 3]) {
        self.pages += 1;
        self.scores = std::array::from_fn(|i| self.scores[i] + u128::from(score[i]));
    }

    /// Takes away a page that was added.
    pub fn remove(&mut self, score: [u64; 3]) {
        self.pages -= 1;
        self.scores = std::array::from_fn(|i| self.scores[i] - u128::from(score[i]));
    }

    /// The pages that were added.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// The sums of precision, recall and F1 in units of 1e-12.
    pub fn scores(&self) -> [u128; 3] {
        self.scores
    }

    /// Mean over pages of precision, of recall and of F1; 0 of nothing.
    pub fn mean(&self) -> Triple {
        triple(self.means())
    }

    pub(super) fn means(&self) -> [u64; 3] {
        self.scores.map(|sum| rounded(sum, self.pages))
    }
}

/// What all pages of one row add up to: every aggregate but those over sites follows from it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub(super) sums: Sums,
    /// `matched, extracted, gold`.
    pub(super) counts: [u64; 3],
    /// Precision where something was extracted, and how often that was.
    pub(super) precision: (u128, u64),
    /// Recall where the gold is not empty, and how often that was.
    pub(super) recall: (u128, u64),
    /// Pages extracted without any difference.
    pub(super) exact: u64,
}

impl Totals {
    /// Adds a page: its `matched, extracted, gold` and its precision, recall and F1 in units of 1e-12.
    pub fn add(&mut self, counts: [u64; 3], score: [u64; 3]) {
        self.sums.add(score);
        self.counts = std::array::from_fn(|i| self.counts[i] + counts[i]);
        let [precision, recall, _] = score;
        for (sum, side, share) in [(&mut self.precision, 1, precision), (&mut self.recall, 2, recall)] {
            if counts[side] > 0 {
                *sum = (sum.0 + u128::from(share), sum.1 + 1);
            }
        }
        self.exact += u64::from(score == [ONE; 3]);
    }

    /// Takes away a page that was added, given as it was.
    pub fn remove(&mut self, counts: [u64; 3], score: [u64; 3]) {
        self.sums.remove(score);
        self.counts = std::array::from_fn(|i| self.counts[i] - counts[i]);
        let [precision, recall, _] = score;
        for (sum, side, share) in [(&mut self.precision, 1, precision), (&mut self.recall, 2, recall)] {
            if counts[side] > 0 {
                *sum = (sum.0 - u128::from(share), sum.1 - 1);
            }
        }
        self.exact -= u64::from(score == [ONE; 3]);
    }

    /// The pages that were added.
    pub fn pages(&self) -> u64 {
        self.sums.pages
    }

    /// The sums of their scores.
    pub fn sums(&self) -> &Sums {
        &self.sums
    }

    /// Every aggregate; `sites` are the same pages, summed site by site. All 0 where there is no page.
    pub fn aggregates(&self, sites: impl Iterator<Item = Sums>) -> Aggregates {
        let (mut site_macro, mut paper_cevc) = (Sums::default(), Sums::default());
        for site in sites {
            let means = site.means();
            site_macro.add(means);
            paper_cevc.add([means[0], means[1], harmonic(means[0], means[1])]);
        }
        Aggregates {
            macro_: self.sums.mean(),
            site_macro: site_macro.mean(),
            micro: self.micro(),
            paper_cevc: paper_cevc.mean(),
            benchmark: self.benchmark(),
        }
    }

    fn micro(&self) -> Triple {
        let [matched, extracted, gold] = self.counts;
        let share = |part: u64, whole: u64| {
            if whole == 0 {
                // Nothing to extract, and nothing extracted; a page that failed has not succeeded in that.
                u64::from(self.exact > 0 && self.exact == self.pages()) * ONE
            } else {
                rounded(u128::from(part) * u128::from(ONE), whole)
            }
        };
        triple([share(matched, extracted), share(matched, gold), share(2 * matched, extracted + gold)])
    }

    fn benchmark(&self) -> Benchmark {
        let [precision, recall] = [self.precision, self.recall].map(|(sum, pages)| rounded(sum, pages));
        Benchmark {
            precision: fraction(precision),
            recall: fraction(recall),
            f1: fraction(harmonic(precision, recall)),
            accuracy: fraction(rounded(u128::from(self.exact) * u128::from(ONE), self.pages())),
        }
    }
}

/// The exact sums' means as fractions: how a sum of scores over `pages` pages is printed.
pub fn mean_of_sums(sums: [i128; 3], pages: u64) -> Triple {
    triple(sums.map(|sum| rounded(sum.max(0) as u128, pages)))
}

/// `sum / count`, half up; 0 of nothing.
pub(super) fn rounded(sum: u128, count: u64) -> u64 {
    if count == 0 {
        return 0;
    }
    let count = u128::from(count);
    ((2 * sum + count) / (2 * count)) as u64
}

pub(super) fn harmonic(precision: u64, recall: u64) -> u64 {
    let sum = precision + recall;
    if sum == 0 { 0 } else { rounded(2 * u128::from(precision) * u128::from(recall), sum) }
}

/// What `units` of 1e-12 are, 0 to 1.
pub fn fraction(units: u64) -> f64 {
    units as f64 / ONE as f64
}

/// The units of 1e-12 that a figure of 0 to 1 came from: a float tells them apart.
pub fn units(figure: f64) -> u64 {
    (figure * ONE as f64).round() as u64
}

fn triple([precision, recall, f1]: [u64; 3]) -> Triple {
    Triple { precision: fraction(precision), recall: fraction(recall), f1: fraction(f1) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The aggregates of pages given as site and `matched, extracted, gold`.
    fn aggregate(pages: &[(&str, [u64; 3])]) -> Aggregates {
        let share = |part: u64, whole: u64| (part * ONE).checked_div(whole).unwrap_or(0);
        let (mut totals, mut sites) = (Totals::default(), BTreeMap::<&str, Sums>::new());
        for &(site, [matched, extracted, gold]) in pages {
            let score = [share(matched, extracted), share(matched, gold), share(2 * matched, extracted + gold)];
            totals.add([matched, extracted, gold], score);
            sites.entry(site).or_default().add(score);
        }
        totals.aggregates(sites.into_values())
    }

    fn near(triple: Triple, expected: [f64; 3]) {
        let found = [triple.precision, triple.recall, triple.f1];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11), "{found:?} {expected:?}");
    }

    /// Site a: P 1 and 1/2, R 1/2 and 1, F1 2/3 both. Site b: P 1/4, R 1, F1 2/5.
    const PAGES: [(&str, [u64; 3]); 3] = [("a", [1, 1, 2]), ("b", [1, 4, 1]), ("a", [1, 2, 1])];

    #[test]
    fn every_aggregate_by_hand() {
        let all = aggregate(&PAGES);
        near(all.macro_, [7.0 / 12.0, 5.0 / 6.0, (2.0 / 3.0 + 0.4 + 2.0 / 3.0) / 3.0]);
        near(all.site_macro, [0.5, 0.875, (2.0 / 3.0 + 0.4) / 2.0]);
        near(all.micro, [3.0 / 7.0, 3.0 / 4.0, 6.0 / 11.0]);
        // Site a: harmonic mean of 3/4 and 3/4; site b: of 1/4 and 1.
        near(all.paper_cevc, [0.5, 0.875, (0.75 + 0.4) / 2.0]);
    }

    #[test]
    fn benchmark_skips_what_is_undefined_and_ours_does_not() {
        let all = aggregate(&[("a", [2, 2, 2]), ("a", [0, 0, 4])]);
        assert_eq!((all.benchmark.precision, all.benchmark.recall, all.benchmark.accuracy), (1.0, 0.5, 0.5));
        assert_eq!(all.macro_.precision, 0.5);
    }

    #[test]
    fn benchmark_has_no_recall_of_an_empty_gold() {
        let benchmark = aggregate(&[("a", [1, 2, 2]), ("a", [0, 4, 0])]).benchmark;
        assert_eq!((benchmark.precision, benchmark.recall), (0.25, 0.5));
        // The harmonic mean of the two means, not a mean of F1.
        assert!((benchmark.f1 - 1.0 / 3.0).abs() < 1e-11, "{}", benchmark.f1);
    }

    #[test]
    fn of_empty_golds_micro_is_one_only_where_no_page_failed() {
        let micro = |scores: &[[u64; 3]]| {
            let mut totals = Totals::default();
            scores.iter().for_each(|&score| totals.add([0; 3], score));
            totals.aggregates(std::iter::empty()).micro
        };
        near(micro(&[[ONE; 3], [ONE; 3]]), [1.0; 3]);
        near(micro(&[[ONE; 3], [0; 3]]), [0.0; 3]);
        near(micro(&[[0; 3]]), [0.0; 3]);
    }

    #[test]
    fn what_is_taken_away_leaves_nothing_behind() {
        let mut totals = Totals::default();
        totals.add([1, 2, 2], [ONE / 2, ONE / 2, ONE / 2]);
        let before = totals.aggregates(std::iter::empty());
        for (counts, score) in [([0, 0, 4], [0; 3]), ([3, 3, 3], [ONE; 3]), ([0, 5, 0], [0; 3])] {
            totals.add(counts, score);
            assert_ne!(totals.aggregates(std::iter::empty()), before);
            totals.remove(counts, score);
            assert_eq!(totals.aggregates(std::iter::empty()), before);
        }
    }

    #[test]
    fn no_page_gives_zeros() {
        assert_eq!(aggregate(&[]), Aggregates::default());
    }
}

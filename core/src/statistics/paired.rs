//! Rows on the same pages, compared two by two.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::aggregates::ONE;
use super::corrections::Correction;
use super::estimate::{Estimate, detectable};
use super::flips::{FlipTest, sign_flip_test, sign_flip_tests};
use super::letters::letters;
use super::resampling::{Resampled, Sampling, resampled_means};

/// With fewer sites than this no sign-flip test reaches 0.05, and intervals are narrower than they say.
pub const FEW_SITES: usize = 6;

/// Two rows whose difference lies within this on either side of zero are called the same.
pub const SAME: f64 = 0.005;

/// Of more rows there are more pairs than the flips of [`Sampling::default`] can separate at 0.05 after Holm's correction.
pub const MOST_TESTED: usize = 100;

/// Rows that were scored on the same pages.
pub struct Paired {
    /// By row and page, in units of 1e-12.
    scores: Vec<Vec<u64>>,
    /// The number of each page's site.
    sites: Vec<usize>,
    site_count: usize,
    means: Vec<Resampled>,
    sampling: Sampling,
}

/// How two rows compare: the first against the second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Mean over pages of the difference, its intervals by site.
    pub difference: Estimate,
    /// The standard error of that mean where sites are independent, in closed form.
    pub error_by_site: f64,
    /// The same where pages are.
    pub error_by_page: f64,
    /// The sign-flip test by site, by which is decided.
    pub by_site: FlipTest,
    /// The same by page: too sure where pages of a site are alike.
    pub by_page: FlipTest,
    /// Pages on which the first row scores higher, equally, lower.
    pub wins: WinsTiesLosses,
    /// The median over pages of the difference.
    pub median: f64,
    /// The page without which the mean difference changes most; absent where no page differs.
    pub heaviest: Option<Heaviest>,
    /// The difference that would be found in 80 of 100 repetitions; absent where no test of so few sites reaches the level.
    pub detectable: Option<f64>,
}

/// Pages on which a row scores higher than another, equally, lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WinsTiesLosses {
    /// Higher.
    pub wins: usize,
    /// Equally.
    pub ties: usize,
    /// Lower.
    pub losses: usize,
}

/// The page that weighs most in a mean difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Heaviest {
    /// Its place among the pages.
    pub page: usize,
    /// The difference on it.
    pub difference: f64,
    /// The mean difference of all other pages.
    pub without: f64,
}

/// The tests by site of all pairs of rows. Rows of one group are one system: between them nothing is tested, and two groups
/// have one test, however many rows they have.
#[derive(Debug)]
pub struct AllPairs {
    /// The places of the two rows of each pair, the smaller one first.
    pub pairs: Vec<(usize, usize)>,
    /// Each pair's test: the one of [`Paired::compare`].
    pub tests: Vec<FlipTest>,
    /// Each pair's p, corrected for the number of tests.
    pub corrected: Vec<f64>,
    /// The number of tests: the pairs of groups.
    pub tested: usize,
    /// For each row its letters: two rows share one where they are not separated.
    pub letters: Vec<String>,
    /// Rows are separated where the corrected p is at most this: one less the level of the sampling.
    pub threshold: f64,
}

impl AllPairs {
    /// Tests each pair of rows, each given by the sums of its scores on each of so many sites, in units of 1e-12. `groups` has
    /// for each row the place of the first row of its group: rows of one group have the same scores.
    ///
    /// # Panics
    /// Where a row has no group.
    pub fn of_sums(
        (rows_by_site, sites): (&[Vec<i64>], usize),
        groups: &[usize],
        correction: Correction,
        sampling: &Sampling,
    ) -> Self {
        let rows = rows_by_site.len();
        assert_eq!(groups.len(), rows, "a group for each row");
        let all = || (0..rows).flat_map(|a| (a + 1..rows).map(move |b| (a, b)));
        let between: Vec<(usize, usize)> = all().filter(|&(a, b)| groups[a] == a && groups[b] == b).collect();
        let tests = sign_flip_tests(rows_by_site, &between, sampling);
        let p_values: Vec<f64> = tests.iter().map(|test| test.p).collect();
        let corrected = correction.correct(&p_values);
        let of_groups: BTreeMap<(usize, usize), (FlipTest, f64)> =
            between.into_iter().zip(tests.into_iter().zip(corrected)).collect();
        let alike = (sign_flip_test(&vec![0; sites], sampling), 1.0);
        let of_rows = all().map(|(a, b)| {
            let (a, b) = (groups[a].min(groups[b]), groups[a].max(groups[b]));
            of_groups.get(&(a, b)).copied().unwrap_or(alike)
        });
        let (tests, corrected) = of_rows.unzip();
        let threshold = 1.0 - sampling.level;
        let (pairs, tested) = (all().collect(), of_groups.len());
        let mut tested = AllPairs { pairs, tests, corrected, tested, letters: Vec::new(), threshold };
        tested.letters = letters(rows, |a, b| tested.are_separated(a, b));
        tested
    }

    /// The corrected p of a pair of rows, in either order.
    pub fn corrected(&self, one: usize, other: usize) -> f64 {
        let pair = (one.min(other), one.max(other));
        self.pairs.binary_search(&pair).map_or(1.0, |place| self.corrected[place])
    }

    /// Whether two rows are told apart; a row is not from itself.
    pub fn are_separated(&self, one: usize, other: usize) -> bool {
        self.corrected(one, other) <= self.threshold
    }
}

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Higher, and the test says so.
    Better,
    /// Lower, and the test says so.
    Worse,
    /// The test does not separate them, and the interval lies within 0.005 of zero.
    Same,
    /// Neither is known.
    NotSeparable,
}

impl Verdict {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Same => "same",
            Verdict::NotSeparable => "not separable",
        }
    }
}

impl Comparison {
    /// What the comparison comes to, `p` being its test's, corrected for the tests beside it.
    pub fn verdict(&self, p: f64) -> Verdict {
        let difference = &self.difference;
        if p <= 1.0 - difference.level && difference.point != 0.0 {
            return if difference.point > 0.0 { Verdict::Better } else { Verdict::Worse };
        }
        // Of few sites an interval is too narrow to call anything the same but what is equal on every page.
        let is_known = difference.sites >= FEW_SITES || self.by_page.differing == 0;
        let is_narrow = difference.percentile.is_none_or(|interval| interval.low >= -SAME && interval.high <= SAME);
        if is_known && is_narrow { Verdict::Same } else { Verdict::NotSeparable }
    }

    /// Whether too few sites differ for the test to tell anything at its level.
    pub fn is_too_few(&self) -> bool {
        self.by_site.smallest > 1.0 - self.difference.level
    }
}

impl Paired {
    /// Rows of scores in units of 1e-12, each over the same pages, whose sites are numbered without gaps.
    ///
    /// # Panics
    /// Where a row has not one score a page.
    pub fn new(scores: Vec<Vec<u64>>, sites: Vec<usize>, sampling: Sampling) -> Self {
        assert!(scores.iter().all(|row| row.len() == sites.len()), "a score for each page");
        let site_count = sites.iter().max().map_or(0, |last| last + 1);
        let mut pages = vec![0; site_count];
        sites.iter().for_each(|&site| pages[site] += 1);
        let by_site = |row: &Vec<u64>| {
            let mut sums = vec![0; site_count];
            row.iter().zip(&sites).for_each(|(&score, &site)| sums[site] += u128::from(score));
            sums
        };
        let means = resampled_means(scores.iter().map(by_site), &pages, &sampling);
        Paired { scores, sites, site_count, means, sampling }
    }

    /// A row's mean score with its intervals.
    pub fn estimate(&self, row: usize) -> Estimate {
        self.means[row].estimate()
    }

    /// The mean scores of all rows over the resamples, for [`super::band()`].
    pub fn means(&self) -> &[Resampled] {
        &self.means
    }

    /// A row's score on a page, 0 to 1.
    pub fn score(&self, row: usize, page: usize) -> f64 {
        self.scores[row][page] as f64 / ONE as f64
    }

    /// A row's median score.
    pub fn median(&self, row: usize) -> f64 {
        median(self.scores[row].iter().map(|&score| score as i64).collect())
    }

    /// Tests each pair of rows by site. `groups` has for each row the place of the first row of its group: rows of one
    /// group have the same scores.
    ///
    /// # Panics
    /// Where a row has no group.
    pub fn test_all(&self, groups: &[usize], correction: Correction) -> AllPairs {
        let by_site = |row: &Vec<u64>| -> Vec<i64> {
            let scores: Vec<i64> = row.iter().map(|&score| score as i64).collect();
            self.by_site(&scores).into_iter().map(|(sum, _)| sum).collect()
        };
        let rows_by_site: Vec<Vec<i64>> = self.scores.iter().map(by_site).collect();
        AllPairs::of_sums((&rows_by_site, self.site_count), groups, correction, &self.sampling)
    }

    /// For each site the sum of its pages' values and their number.
    fn by_site(&self, values: &[i64]) -> Vec<(i64, u64)> {
        let mut of_sites = vec![(0, 0); self.site_count];
        for (&value, &site) in values.iter().zip(&self.sites) {
            of_sites[site] = (of_sites[site].0 + value, of_sites[site].1 + 1);
        }
        of_sites
    }

    /// Compares the row `first` with the row `second`.
    pub fn compare(&self, first: usize, second: usize) -> Comparison {
        let pages = self.scores[first].iter().zip(&self.scores[second]);
        let differences: Vec<i64> = pages.map(|(&a, &b)| a as i64 - b as i64).collect();
        let of_sites = self.by_site(&differences);
        let site_sums: Vec<i64> = of_sites.iter().map(|&(sum, _)| sum).collect();
        let difference = self.means[first].minus(&self.means[second]).estimate();
        let total: i64 = differences.iter().sum();
        let mean = total as f64 / (ONE as f64 * differences.len().max(1) as f64);
        let error_by_site = closed_form_error(&of_sites, mean, differences.len());
        let of_pages: Vec<(i64, u64)> = differences.iter().map(|&difference| (difference, 1)).collect();
        Comparison {
            difference: Estimate { point: mean, ..difference },
            error_by_site,
            error_by_page: closed_form_error(&of_pages, mean, differences.len()),
            by_site: sign_flip_test(&site_sums, &self.sampling),
            by_page: sign_flip_test(&differences, &self.sampling),
            wins: wins_ties_losses(&differences),
            heaviest: heaviest(&differences, total),
            median: median(differences),
            detectable: detectable(error_by_site, self.sampling.level, self.site_count),
        }
    }
}

/// The standard error of a mean over `pages` pages in independent clusters, each given by the sum of its
/// pages' values and their number: `sqrt(sum over clusters of (sum of its pages' distances from the mean)²) / pages`.
fn closed_form_error(clusters: &[(i64, u64)], mean: f64, pages: usize) -> f64 {
    let squares = clusters.iter().map(|&(sum, count)| {
        let distance = sum as f64 / ONE as f64 - count as f64 * mean;
        distance * distance
    });
    squares.sum::<f64>().sqrt() / pages.max(1) as f64
}

fn wins_ties_losses(differences: &[i64]) -> WinsTiesLosses {
    let mut counted = WinsTiesLosses::default();
    for difference in differences {
        match difference.cmp(&0) {
            Ordering::Greater => counted.wins += 1,
            Ordering::Equal => counted.ties += 1,
            Ordering::Less => counted.losses += 1,
        }
    }
    counted
}

/// The page whose difference is farthest from the mean: without it the mean changes most. The first of several.
fn heaviest(differences: &[i64], total: i64) -> Option<Heaviest> {
    let pages = differences.len() as i128;
    let distance = |page: usize| (i128::from(differences[page]) * pages - i128::from(total)).abs();
    let page = (0..differences.len()).rev().max_by_key(|&page| distance(page))?;
    let others = (pages - 1).max(1) as f64 * ONE as f64;
    (distance(page) > 0).then(|| Heaviest {
        page,
        difference: differences[page] as f64 / ONE as f64,
        without: (total - differences[page]) as f64 / others,
    })
}

/// The median of `values`, in units of 1e-12, as a fraction; 0 of none.
fn median(mut values: Vec<i64>) -> f64 {
    values.sort_unstable();
    let half = values.len() / 2;
    match values.len() {
        0 => 0.0,
        even if even % 2 == 0 => (values[half - 1] + values[half]) as f64 / (2.0 * ONE as f64),
        _ => values[half] as f64 / ONE as f64,
    }
}

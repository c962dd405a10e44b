//! The bootstrap, clustered on site: sites are drawn anew with replacement, and a figure is computed from
//! the sums of what was drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use super::aggregates::{ONE, rounded};
use super::estimate::{Estimate, Interval, bca_interval, percentile_interval, standard_deviation};
use super::random::{Purpose, below, stream};

/// How often things are drawn, from which seed, and at which level intervals are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sampling {
    /// Where random numbers begin: the same seed, the same figures.
    pub seed: u64,
    /// How often sites are drawn anew for intervals, at least 2.
    pub resamples: u32,
    /// How often signs are flipped for tests where not all flips are enumerated.
    pub flips: u32,
    /// The level of intervals, between 0 and 1; tests are at one less it.
    pub level: f64,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { seed: 1, resamples: 10_000, flips: 100_000, level: 0.95 }
    }
}

/// What figures of one row are computed from: for each column its sum over the pages of each site, in
/// integers, so that the order of adding does not matter. Weighted with a resample's counts they must not
/// exceed an `i64`.
pub(super) struct SiteColumns {
    /// Columns by sites; every site has a page.
    pub(super) columns: Vec<Vec<i64>>,
    /// Pages of all sites.
    pub(super) pages: u64,
}

impl SiteColumns {
    pub(super) fn sites(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }
}

/// The unit of scores where they are drawn again, coarser than elsewhere: an `i64` holds the sum of nine
/// thousand million pages.
const UNIT: u64 = 1_000_000_000;

/// A sum of scores in the unit of draws.
pub(super) fn coarse(sum: u128) -> i64 {
    rounded(sum, ONE / UNIT) as i64
}

/// `part / whole`; 0 of nothing.
pub(super) fn share(part: i64, whole: i64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The mean of `count` scores of this sum, as a fraction.
pub(super) fn mean(sum: i64, count: i64) -> f64 {
    share(sum, count) / UNIT as f64
}

/// From the sums of columns to figures, each to its place.
pub(super) type Statistic<'s> = dyn Fn(&[i64], &mut [f64]) + Sync + 's;

/// A figure with its values over the resamples, from which estimates of it and of differences follow.
#[derive(Clone, Debug)]
pub struct Resampled {
    point: f64,
    left_out: Vec<f64>,
    values: Vec<f64>,
    pages: u64,
    level: f64,
}

impl Resampled {
    /// The figure of all pages.
    pub fn point(&self) -> f64 {
        self.point
    }

    /// The figure of each resample.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The sites that were drawn anew.
    pub fn sites(&self) -> usize {
        self.left_out.len()
    }

    /// By how much this figure is above `other`, of the same pages under the same seed, so that both saw
    /// the same sites in each resample.
    pub fn minus(&self, other: &Resampled) -> Resampled {
        let differences = |these: &[f64], those: &[f64]| these.iter().zip(those).map(|(a, b)| a - b).collect();
        Resampled {
            point: self.point - other.point,
            left_out: differences(&self.left_out, &other.left_out),
            values: differences(&self.values, &other.values),
            ..*self
        }
    }

    /// The figure with its error and intervals.
    pub fn estimate(&self) -> Estimate {
        let enough = self.left_out.len() > 1;
        let mut sorted = if enough { self.values.clone() } else { Vec::new() };
        sorted.sort_unstable_by(f64::total_cmp);
        Estimate {
            point: self.point,
            error: enough.then(|| standard_deviation(&self.values)),
            percentile: enough.then(|| percentile_interval(&sorted, self.level)),
            bca: if enough { bca_interval(self.point, &sorted, &self.left_out, self.level) } else { None },
            level: self.level,
            pages: self.pages,
            sites: self.left_out.len(),
            resamples: self.values.len() as u32,
        }
    }
}

/// Resamples that are drawn as one task. So many are drawn before rows are added up, if sites are few: a row's sums then stay
/// in the processor's cache for all of them.
const BLOCK: u32 = 64;

/// The figures, so many, that `statistic` makes of the sums of each row: of all sites, without each one,
/// and of each resample. Rows with equally many sites see the same draws.
pub(super) fn resample(
    rows: &[SiteColumns],
    figures: usize,
    statistic: &Statistic<'_>,
    sampling: &Sampling,
) -> Vec<Vec<Resampled>> {
    let blocks = blocks(0..sampling.resamples).into_par_iter();
    let drawn: Vec<Vec<f64>> = blocks.map(|draws| draw_block(rows, figures, statistic, sampling.seed, draws)).collect();
    let mut resampled: Vec<Vec<Resampled>> =
        rows.par_iter().map(|row| not_drawn(row, figures, statistic, sampling.level)).collect();
    for (of_row, row) in resampled.iter_mut().enumerate() {
        for (of_figure, figure) in row.iter_mut().enumerate() {
            for block in &drawn {
                let draws = block.len() / (rows.len() * figures);
                let values = &block[of_row * draws * figures..(of_row + 1) * draws * figures];
                figure.values.extend(values.iter().skip(of_figure).step_by(figures));
            }
        }
    }
    resampled
}

/// The mean score of each row over resampled sites: a row is given by the sum of its scores over the pages of each site,
/// in units of 1e-12, and all have so many `pages` of each.
pub(super) fn resampled_means(
    rows: impl Iterator<Item = Vec<u128>>,
    pages: &[u64],
    sampling: &Sampling,
) -> Vec<Resampled> {
    let counts: Vec<i64> = pages.iter().map(|&pages| pages as i64).collect();
    let rows: Vec<SiteColumns> =
        rows.map(|sums| scores_of_sites(sums.into_iter().map(coarse).collect(), counts.clone())).collect();
    resample(&rows, 1, &mean_score, sampling).into_iter().flatten().collect()
}

/// The columns of a mean score: the sum of the scores on each site, and their number.
fn scores_of_sites(sums: Vec<i64>, counts: Vec<i64>) -> SiteColumns {
    let pages = counts.iter().map(|&count| count as u64).sum();
    SiteColumns { columns: vec![sums, counts], pages }
}

/// The mean of the scores, of the sums of these columns.
fn mean_score(sums: &[i64], values: &mut [f64]) {
    values[0] = mean(sums[0], sums[1]);
}

/// The mean score of each row over resampled sites, in the resamples `draws` alone, by row. Each resample has random numbers
/// of its own, so that machines can share resamples out. A row is given by the sum of its scores on each site, in units of
/// 1e-12, and the number of scores in it, one at least.
pub fn drawn_means(rows: &[Vec<(u128, u64)>], seed: u64, draws: Range<u32>) -> Vec<Vec<f64>> {
    let columns = |sites: &Vec<(u128, u64)>| {
        scores_of_sites(
            sites.iter().map(|&(sum, _)| coarse(sum)).collect(),
            sites.iter().map(|&(_, count)| count as i64).collect(),
        )
    };
    let (rows, of_rows): (Vec<SiteColumns>, usize) = (rows.iter().map(columns).collect(), rows.len());
    let drawn = blocks(draws).into_par_iter().map(|draws| draw_block(&rows, 1, &mean_score, seed, draws));
    let drawn: Vec<Vec<f64>> = drawn.collect();
    let of_row = |row: usize| {
        let part = move |block: &Vec<f64>| {
            let draws = block.len() / of_rows;
            block[row * draws..(row + 1) * draws].to_vec()
        };
        drawn.iter().flat_map(part).collect()
    };
    (0..of_rows).map(of_row).collect()
}

/// The resamples `draws` in blocks.
fn blocks(draws: Range<u32>) -> Vec<Range<u32>> {
    let begins = draws.clone().step_by(BLOCK as usize);
    begins.map(|first| first..first.saturating_add(BLOCK).min(draws.end)).collect()
}

/// Sites of drawn resamples that a thread holds at a time: 2 MB.
const DRAWN_AT_A_TIME: usize = 1 << 18;

/// The figures of a block of resamples: by row, resample and figure.
fn draw_block(
    rows: &[SiteColumns],
    figures: usize,
    statistic: &Statistic<'_>,
    seed: u64,
    draws: Range<u32>,
) -> Vec<f64> {
    let draws: Vec<u32> = draws.collect();
    let sites: BTreeSet<usize> = rows.iter().map(SiteColumns::sites).collect();
    let most = sites.last().map_or(1, |&most| most.max(1));
    let mut values = vec![0.0; rows.len() * draws.len() * figures];
    let mut weights: BTreeMap<usize, Vec<Vec<i64>>> = sites.into_iter().map(|sites| (sites, Vec::new())).collect();
    let mut done = 0;
    for some in draws.chunks((DRAWN_AT_A_TIME / most).max(1)) {
        for (&sites, drawn) in &mut weights {
            drawn.resize(some.len(), vec![0; sites]);
            drawn.iter_mut().zip(some).for_each(|(counts, &draw)| draw_sites(seed, draw, counts));
        }
        for (of_row, row) in rows.iter().enumerate() {
            let places = values[(of_row * draws.len() + done) * figures..].chunks_mut(figures);
            for (drawn, place) in weights[&row.sites()].iter().zip(places) {
                let sums: Vec<i64> = row.columns.iter().map(|column| weighted(column, drawn)).collect();
                statistic(&sums, place);
            }
        }
        done += some.len();
    }
    values
}

/// The percentile interval of a figure when `sites` sites are drawn anew: `figure` is given how often each is drawn. `None` of
/// fewer than two sites, and where a draw has no such figure.
pub fn interval_by_sites(
    sites: usize,
    sampling: &Sampling,
    figure: impl Fn(&[i64]) -> Option<f64>,
) -> Option<Interval> {
    if sites < 2 {
        return None;
    }
    let mut counts = vec![0; sites];
    let draws = (0..sampling.resamples).map(|draw| {
        draw_sites(sampling.seed, draw, &mut counts);
        figure(&counts)
    });
    let mut values: Vec<f64> = draws.collect::<Option<_>>()?;
    values.sort_unstable_by(f64::total_cmp);
    Some(percentile_interval(&values, sampling.level))
}

/// Draws as many sites as there are, and counts how often each of them is drawn.
fn draw_sites(seed: u64, draw: u32, counts: &mut [i64]) {
    let mut generator = stream(seed, Purpose::Resampling, draw.into());
    counts.fill(0);
    for _ in 0..counts.len() {
        counts[below(&mut generator, counts.len() as u32) as usize] += 1;
    }
}

fn weighted(column: &[i64], weights: &[i64]) -> i64 {
    column.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

/// The figures of all sites and without each one.
fn not_drawn(row: &SiteColumns, figures: usize, statistic: &Statistic<'_>, level: f64) -> Vec<Resampled> {
    let mut value = vec![0.0; figures];
    let sums: Vec<i64> = row.columns.iter().map(|column| column.iter().sum()).collect();
    statistic(&sums, &mut value);
    let figure = |&point: &f64| Resampled { point, left_out: Vec::new(), values: Vec::new(), pages: row.pages, level };
    let mut resampled: Vec<Resampled> = value.iter().map(figure).collect();
    for site in 0..row.sites() {
        let without: Vec<i64> = sums.iter().zip(&row.columns).map(|(sum, column)| sum - column[site]).collect();
        statistic(&without, &mut value);
        resampled.iter_mut().zip(&value).for_each(|(figure, &value)| figure.left_out.push(value));
    }
    resampled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_do_not_depend_on_how_many_are_held() {
        let row =
            |sites: i64| SiteColumns { columns: vec![(0..sites).map(|site| site * 7919 % 1_000).collect()], pages: 9 };
        // Of the first a block is held in several parts, the last of which is smaller.
        let sites = DRAWN_AT_A_TIME / BLOCK as usize * 3 / 2;
        let rows = [row(sites as i64), row(10)];
        let sampling = Sampling { resamples: BLOCK + 7, ..Sampling::default() };
        let statistic = |sums: &[i64], values: &mut [f64]| (values[0], values[1]) = (sums[0] as f64, -sums[0] as f64);
        for (row, resampled) in rows.iter().zip(resample(&rows, 2, &statistic, &sampling)) {
            let mut counts = vec![0; row.sites()];
            let drawn = (0..sampling.resamples).map(|draw| {
                draw_sites(sampling.seed, draw, &mut counts);
                assert_eq!(counts.iter().sum::<i64>(), row.sites() as i64);
                weighted(&row.columns[0], &counts) as f64
            });
            let drawn: Vec<f64> = drawn.collect();
            assert_eq!(resampled[0].values(), drawn);
            assert!(resampled[1].values().iter().eq(drawn.iter().map(|value| -value).collect::<Vec<_>>().iter()));
        }
    }

    #[test]
    fn resamples_that_are_shared_out_are_those_of_one_machine() {
        let score = |row: u64, site: u64| ((row * 37 + site * 101) % 1_000 * 1_000_000_000, 1 + site % 3);
        let rows: Vec<Vec<(u128, u64)>> = (0..3)
            .map(|row| (0..5 + row).map(|site| score(row, site)).map(|(sum, count)| (sum.into(), count)).collect())
            .collect();
        let sampling = Sampling { resamples: 200, seed: 7, ..Sampling::default() };
        let parts = [0..1, 1..70, 70..70, 70..200].map(|draws| drawn_means(&rows, 7, draws));
        for (number, row) in rows.iter().enumerate() {
            let pages: Vec<u64> = row.iter().map(|&(_, count)| count).collect();
            let sums = row.iter().map(|&(sum, _)| sum).collect();
            let whole = resampled_means(std::iter::once(sums), &pages, &sampling).remove(0);
            let shared: Vec<f64> = parts.iter().flat_map(|part| part[number].iter().copied()).collect();
            assert_eq!(shared, whole.values());
        }
    }
}

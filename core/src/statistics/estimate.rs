//! Estimates: a figure with what is known of its error.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

/// Where a figure lies, at the level that stands beside it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies in it, ends included.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// A figure with its error and intervals, and what they rest on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The figure itself, of all pages.
    pub point: f64,
    /// The standard deviation of the figure over the resamples; absent where there are fewer than two sites.
    pub error: Option<f64>,
    /// The percentile interval; absent where there are fewer than two sites.
    pub percentile: Option<Interval>,
    /// The bias-corrected and accelerated interval (Efron 1987); absent where the resamples do not
    /// surround the point.
    pub bca: Option<Interval>,
    /// The share of repetitions in which the intervals are to hold the true figure, such as 0.95.
    pub level: f64,
    /// Pages behind the figure.
    pub pages: u64,
    /// Sites that these pages are of: what was drawn again.
    pub sites: usize,
    /// How often they were drawn again.
    pub resamples: u32,
}

/// The chance with which the smallest detectable effect is detected.
const POWER: f64 = 0.8;

impl Estimate {
    /// The smallest effect that would be found in 80 of 100 repetitions; absent where no test of so few sites reaches the
    /// level, whatever the effect.
    pub fn detectable(&self) -> Option<f64> {
        detectable(self.error?, self.level, self.sites)
    }
}

/// The smallest effect that is found in 80 of 100 repetitions by a test at one less `level`, given the standard
/// error of its estimate. `None` where flipping the signs of so many sites comes to no p-value as small as that: the
/// smallest is 2 of `2^sites`.
pub(super) fn detectable(error: f64, level: f64, sites: usize) -> Option<f64> {
    let smallest = 2.0 * 0.5f64.powi(sites.min(1_000) as i32);
    let is_in_reach = smallest <= 1.0 - level;
    is_in_reach.then(|| (normal_quantile((1.0 + level) / 2.0) + normal_quantile(POWER)) * error)
}

/// The value below which `share` of a standard normal distribution lies; `share` between 0 and 1.
pub fn normal_quantile(share: f64) -> f64 {
    Normal::standard().inverse_cdf(share)
}

/// The quantile of `sorted` at `share`, interpolated between neighbours (type 7 of Hyndman and Fan 1996).
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * part
}

/// The interval between the quantiles that leave out half of `1 - level` on either side; `sorted` is not empty.
pub fn percentile_interval(sorted: &[f64], level: f64) -> Interval {
    let outside = (1.0 - level) / 2.0;
    Interval { low: quantile(sorted, outside), high: quantile(sorted, 1.0 - outside) }
}

/// The bias-corrected and accelerated interval (Efron 1987) of the resamples in `sorted`, which are not
/// empty; `left_out` holds the figure without each site in turn. `None` where all resamples lie on one
/// side of the point.
pub fn bca_interval(point: f64, sorted: &[f64], left_out: &[f64], level: f64) -> Option<Interval> {
    let below = sorted.partition_point(|&value| value < point);
    let not_above = sorted.partition_point(|&value| value <= point);
    // Resamples equal to the point lie half on either side of it.
    let share = (below + not_above) as f64 / (2 * sorted.len()) as f64;
    if share == 0.0 || share == 1.0 {
        return None;
    }
    let bias = normal_quantile(share);
    let acceleration = acceleration(left_out);
    let end = |share: f64| {
        let shifted = bias + normal_quantile(share);
        Normal::standard().cdf(bias + shifted / (1.0 - acceleration * shifted))
    };
    let outside = (1.0 - level) / 2.0;
    Some(Interval { low: quantile(sorted, end(outside)), high: quantile(sorted, end(1.0 - outside)) })
}

/// How fast the figure's error changes with the figure, from the jackknife.
fn acceleration(left_out: &[f64]) -> f64 {
    let mean = left_out.iter().sum::<f64>() / left_out.len() as f64;
    let (squares, cubes) = left_out.iter().fold((0.0, 0.0), |(squares, cubes), value| {
        let distance = mean - value;
        (squares + distance * distance, cubes + distance * distance * distance)
    });
    if squares == 0.0 { 0.0 } else { cubes / (6.0 * squares * squares.sqrt()) }
}

/// The standard deviation of `values` (divisor one less than their number); there are at least two.
pub(super) fn standard_deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

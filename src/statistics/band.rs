//! Simultaneous intervals of a curve's points, and the part of it that is not separable from its best.

use serde::Serialize;

use super::estimate::{Interval, quantile, standard_deviation};
use super::resampling::Resampled;

/// What is known of the points of one curve together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
    /// An interval for each point; together they hold the whole true curve at the level.
    pub intervals: Vec<Interval>,
    /// The intervals reach so many standard errors to either side.
    pub width: f64,
    /// The highest point, the first of several.
    pub best: usize,
    /// The flat region: for each point whether the simultaneous intervals of the differences from the best hold zero.
    pub flat: Vec<bool>,
}

/// The simultaneous band of `points`, settings of one sweep on the same pages under the same seed, and their
/// flat region, by the bootstrap of the greatest standardised distance (max-t; Montiel Olea and Plagborg-Møller 2019).
/// `None` of no point, or where there are fewer than two sites.
pub fn band(points: &[Resampled], level: f64) -> Option<Band> {
    let best = (0..points.len()).rev().max_by(|&a, &b| points[a].point().total_cmp(&points[b].point()))?;
    if points[best].sites() < 2 {
        return None;
    }
    let (errors, width) = greatest_distance(points, level);
    let intervals = points.iter().zip(&errors).map(|(point, error)| {
        let (point, reach) = (point.point(), width * error);
        Interval { low: point - reach, high: point + reach }
    });
    let behind: Vec<Resampled> = points.iter().map(|point| points[best].minus(point)).collect();
    let (behind_errors, behind_width) = greatest_distance(&behind, level);
    let flat = behind.iter().zip(&behind_errors).map(|(behind, error)| behind.point() <= behind_width * error);
    Some(Band { intervals: intervals.collect(), width, best, flat: flat.collect() })
}

/// The standard error of each point, and the number of them that the greatest distance of a resample's
/// points from their own figures exceeds in one less `level` of the resamples.
fn greatest_distance(points: &[Resampled], level: f64) -> (Vec<f64>, f64) {
    let errors: Vec<f64> = points.iter().map(|point| standard_deviation(point.values())).collect();
    let resamples = points.first().map_or(0, |point| point.values().len());
    let mut greatest: Vec<f64> = (0..resamples)
        .map(|draw| {
            let distance = |(point, error): (&Resampled, &f64)| (point.values()[draw] - point.point()).abs() / error;
            let varying = points.iter().zip(&errors).filter(|(_, error)| **error > 0.0);
            varying.map(distance).fold(0.0, f64::max)
        })
        .collect();
    greatest.sort_unstable_by(f64::total_cmp);
    (errors, quantile(&greatest, level))
}

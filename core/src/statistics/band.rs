//! Simultaneous intervals of a curve's points, and the part of it that is not separable from its best.

use std::collections::BTreeSet;

use serde::Serialize;

use super::estimate::{Interval, quantile, standard_deviation};
use super::resampling::{Resampled, Sampling, resampled_means};

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

/// The points of a curve that are looked at for its flat region: of more than `most` points about so many, evenly spread in
/// their order, the best and the last. `figures` are those of the points.
pub fn looked_at(figures: &[f64], most: usize) -> Vec<usize> {
    let best = (0..figures.len()).rev().max_by(|&a, &b| figures[a].total_cmp(&figures[b]));
    let step = figures.len().div_ceil(most).max(1);
    let spread = (0..figures.len()).step_by(step).chain(best).chain(figures.len().checked_sub(1));
    spread.collect::<BTreeSet<usize>>().into_iter().collect()
}

/// Whether the point at `place` of a curve is flat: of a point that was not looked at, whether both of its neighbours that
/// were are. The first and the last point are among `looked_at`; `flat` tells of each of these.
pub fn is_flat_at(place: usize, looked_at: &[usize], flat: &[bool]) -> bool {
    match looked_at.binary_search(&place) {
        Ok(at) => flat[at],
        Err(next) => flat[next - 1] && flat[next],
    }
}

/// Which points of a curve are in its flat region, of means over pages (`means`), as [`looked_at`] and [`is_flat_at`] say of
/// `most`. `by_site` gives for each of these the sum of its scores over the pages of each site, in units of 1e-12;
/// all have so many `pages` of each. `None` as of [`band`].
pub fn flat_region(
    means: &[f64],
    most: usize,
    by_site: impl FnOnce(&[usize]) -> Vec<Vec<u128>>,
    pages: &[u64],
    sampling: &Sampling,
) -> Option<Vec<bool>> {
    let looked_at = looked_at(means, most);
    let resampled = resampled_means(by_site(&looked_at).into_iter(), pages, sampling);
    let flat = band(&resampled, sampling.level)?.flat;
    Some((0..means.len()).map(|point| is_flat_at(point, &looked_at, &flat)).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_and_the_ends_are_looked_at_and_a_point_between_two_flat_ones_is_flat() {
        assert_eq!(looked_at(&[0.1, 0.9, 0.2, 0.3, 0.4, 0.5], 2), [0, 1, 3, 5]);
        assert_eq!(looked_at(&[0.1, 0.9, 0.9], 3), [0, 1, 2]);
        assert!(looked_at(&[], 3).is_empty());
        let flat = |flat: [bool; 3]| (0..5).map(|place| is_flat_at(place, &[0, 2, 4], &flat)).collect::<Vec<_>>();
        assert_eq!(flat([true, true, false]), [true, true, true, false, false]);
        assert_eq!(flat([false, true, true]), [false, false, true, true, true]);
    }

    #[test]
    fn of_many_points_some_are_looked_at_and_tell_of_those_between() {
        // Twelve sites of a page each; a hundred points that rise, and fall from the sixtieth on.
        let height = |point: usize| if point <= 60 { 400 + 10 * point as u64 } else { 1000 - 10 * (point as u64 - 60) };
        let sums = |point: usize| -> Vec<u128> {
            (0..12)
                .map(|site| u128::from(height(point) + (7 * site + point as u64 * site) % 60) * 1_000_000_000)
                .collect()
        };
        let means: Vec<f64> = (0..100).map(|point| sums(point).iter().sum::<u128>() as f64).collect();
        let sampling = Sampling { resamples: 500, ..Sampling::default() };
        let flat = |most: usize| {
            let mut asked = 0;
            let by_site = |looked_at: &[usize]| {
                asked = looked_at.len();
                looked_at.iter().map(|&point| sums(point)).collect()
            };
            let flat = flat_region(&means, most, by_site, &[1; 12], &sampling).unwrap();
            let of = |flat: &bool| *flat;
            (asked, flat.iter().position(of).unwrap(), flat.iter().rposition(of).unwrap())
        };
        let (all, first, last) = flat(100);
        assert_eq!(all, 100);
        assert!((50..=60).contains(&first) && (60..=70).contains(&last), "{first} {last}");
        let (some, low, high) = flat(20);
        assert!(some <= 22, "{some}");
        assert!(low.abs_diff(first) <= 5 && high.abs_diff(last) <= 5, "{low} {high}, {first} {last}");
    }
}

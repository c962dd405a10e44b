//! The sign-flip test: were the two rows alike, each site's difference could as well have the other sign.

use rand_chacha::rand_core::Rng;
use rayon::prelude::*;
use serde::Serialize;

use super::random::{Purpose, stream};
use super::resampling::Sampling;

/// Up to so many clusters that differ, all flips are enumerated.
pub const ENUMERATED: usize = 20;

/// The outcome of a two-sided sign-flip test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FlipTest {
    /// `(c + 1) / (R + 1)`, `c` of `R` flips being at least as far from zero as what was seen.
    pub p: f64,
    /// `R`, all flips but the one that was seen where they are enumerated.
    pub flips: u64,
    /// Whether all flips were enumerated.
    pub exact: bool,
    /// Clusters whose difference is not zero: the others have no sign.
    pub differing: usize,
    /// The smallest `p` that so many clusters can give at all.
    pub smallest: f64,
}

/// Tests the sum of `differences`, one a cluster (a site, or a page), against zero. Their absolute values
/// must not add up to more than an `i64` holds.
pub fn sign_flip_test(differences: &[i64], sampling: &Sampling) -> FlipTest {
    exact_test(differences).unwrap_or_else(|| {
        let seen = differences.iter().sum::<i64>().abs();
        let far = |sums: &[Vec<i64>]| vec![sums[0].iter().filter(|sum| sum.abs() >= seen).count() as u64];
        drawn_test(differences, drawn(&[differences], sampling, &far)[0], sampling)
    })
}

/// The tests of pairs of rows, each row given by its sums in the same clusters: what [`sign_flip_test`] says of
/// their differences. Flipped sums of differences are differences of flipped sums, so each row is flipped once
/// for all of its pairs.
pub(super) fn sign_flip_tests(rows: &[Vec<i64>], pairs: &[(usize, usize)], sampling: &Sampling) -> Vec<FlipTest> {
    let differences =
        |(a, b): (usize, usize)| -> Vec<i64> { rows[a].iter().zip(&rows[b]).map(|(a, b)| a - b).collect() };
    let exact: Vec<Option<FlipTest>> = pairs.par_iter().map(|&pair| exact_test(&differences(pair))).collect();
    let open = pairs.iter().zip(&exact).filter(|(_, exact)| exact.is_none());
    let open: Vec<((usize, usize), i64)> =
        open.map(|(&pair, _)| (pair, differences(pair).iter().sum::<i64>().abs())).collect();
    if open.is_empty() {
        return exact.into_iter().flatten().collect();
    }
    let far = |sums: &[Vec<i64>]| -> Vec<u64> {
        let mut hits = vec![0; open.len()];
        let draws = sums.first().map_or(0, Vec::len);
        // Some draws of all rows stay in the processor's cache while every pair looks at them.
        for begin in (0..draws).step_by(AT_A_TIME) {
            let some = begin..draws.min(begin + AT_A_TIME);
            for (hits, &((a, b), seen)) in hits.iter_mut().zip(&open) {
                *hits += far_apart(&sums[a][some.clone()], &sums[b][some.clone()], seen);
            }
        }
        hits
    };
    let clusters: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
    let mut hits = drawn(&clusters, sampling, &far).into_iter();
    let test = |(&pair, exact): (&(usize, usize), Option<FlipTest>)| {
        exact.unwrap_or_else(|| drawn_test(&differences(pair), hits.next().unwrap_or(0), sampling))
    };
    pairs.iter().zip(exact).map(test).collect()
}

/// Draws that are looked at together.
const AT_A_TIME: usize = 256;

/// How many of two rows' flipped sums are at least `seen` apart.
fn far_apart(one: &[i64], other: &[i64], seen: i64) -> u64 {
    one.iter().zip(other).map(|(one, other)| u64::from((one - other).abs() >= seen)).sum()
}

/// The test by all flips, if few enough clusters differ.
fn exact_test(differences: &[i64]) -> Option<FlipTest> {
    let differing: Vec<i64> = differences.iter().copied().filter(|&difference| difference != 0).collect();
    let clusters = differing.len();
    (clusters <= ENUMERATED).then(|| {
        let all = 1u64 << clusters;
        let share = |hits: u64| hits as f64 / all as f64;
        FlipTest {
            p: share(enumerated(&differing)),
            flips: all - 1,
            exact: true,
            differing: clusters,
            smallest: share(all.min(2)),
        }
    })
}

/// The test by drawn flips, of which so many were as far from zero as what was seen.
fn drawn_test(differences: &[i64], hits: u64, sampling: &Sampling) -> FlipTest {
    let flips = u64::from(sampling.flips);
    // The flip that was seen is one of them.
    let share = |hits: u64| (hits + 1) as f64 / (flips + 1) as f64;
    let differing = differences.iter().filter(|difference| **difference != 0).count();
    FlipTest { p: share(hits), flips, exact: false, differing, smallest: share(0) }
}

/// How many of all flips, the one that was seen among them, are at least as far from zero as it.
fn enumerated(differences: &[i64]) -> u64 {
    let Some((first, others)) = differences.split_first() else { return 1 };
    let seen: i64 = differences.iter().sum();
    let mut sum = seen;
    let mut signs = vec![1i64; others.len()];
    let mut hits = 1;
    debug_assert!(*first != 0, "clusters without a difference have no sign");
    // Each step of a Gray code flips one sign. The first keeps its own: turning all signs is as far from zero.
    for step in 1u32..1 << others.len() {
        let at = step.trailing_zeros() as usize;
        signs[at] = -signs[at];
        sum += 2 * signs[at] * others[at];
        hits += u64::from(sum.abs() >= seen.abs());
    }
    2 * hits
}

/// Flips that share a stream of random numbers.
const BLOCK: u32 = 4096;

/// Clusters whose signs a thread holds at a time, for all draws of a block: 256 KB of signs. Each filling of so many takes whole
/// words of the stream, so that signs do not depend on it.
const CLUSTERS_AT_A_TIME: usize = 512;

/// The flipped sums of each row, by draw, handed to `count` block by block; the sums of what it counts.
fn drawn(rows: &[&[i64]], sampling: &Sampling, count: &(dyn Fn(&[Vec<i64>]) -> Vec<u64> + Sync)) -> Vec<u64> {
    let blocks = (0..sampling.flips.div_ceil(BLOCK)).into_par_iter();
    let clusters = rows.first().map_or(0, |row| row.len());
    let counted = blocks.map(|block| {
        let draws = BLOCK.min(sampling.flips - block * BLOCK) as usize;
        let mut generator = stream(sampling.seed, Purpose::Flipping, block.into());
        let mut sums: Vec<Vec<i64>> = vec![vec![0; draws]; rows.len()];
        let mut signs = Vec::new();
        for begin in (0..clusters).step_by(CLUSTERS_AT_A_TIME) {
            let some = begin..clusters.min(begin + CLUSTERS_AT_A_TIME);
            signs.resize(draws * some.len().div_ceil(8), 0u8);
            generator.fill_bytes(&mut signs);
            rows.iter().zip(&mut sums).for_each(|(row, sums)| add_flipped(&row[some.clone()], &signs, sums));
        }
        count(&sums)
    });
    let add = |one: Vec<u64>, other: Vec<u64>| one.into_iter().zip(other).map(|(a, b)| a + b).collect();
    counted.reduce_with(add).unwrap_or_default()
}

/// Adds the sum of `row` under each draw of signs, eight clusters a byte, to the sum of that draw.
fn add_flipped(row: &[i64], signs: &[u8], sums: &mut [i64]) {
    // All draws of eight clusters before the next eight, whose table stays in the processor's cache.
    for (of_byte, clusters) in signs.chunks_exact(sums.len()).zip(row.chunks(8)) {
        let table = signed_sums(clusters);
        for (sum, &signs) in sums.iter_mut().zip(of_byte) {
            *sum += table[usize::from(signs)];
        }
    }
}

/// The sum of up to eight differences under every choice of their signs, a bit each.
fn signed_sums(differences: &[i64]) -> [i64; 256] {
    let mut sums = [0; 256];
    sums[0] = differences.iter().sum();
    for signs in 1..256usize {
        let lowest = signs.trailing_zeros() as usize;
        let flipped = differences.get(lowest).copied().unwrap_or(0);
        sums[signs] = sums[signs & (signs - 1)] - 2 * flipped;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_do_not_depend_on_how_many_are_held() {
        let row: Vec<i64> =
            (0..2 * CLUSTERS_AT_A_TIME as i64 + 101).map(|cluster| cluster * 7919 % 1_000 - 480).collect();
        let sampling = Sampling { flips: BLOCK + 905, ..Sampling::default() };
        let far =
            |sums: &[i64]| [500, 5_000, 20_000].map(|seen| sums.iter().filter(|sum| sum.abs() >= seen).count() as u64);
        let mut expected = [0; 3];
        for (block, draws) in [BLOCK as usize, 905].into_iter().enumerate() {
            let mut signs = vec![0u8; draws * row.len().div_ceil(8)];
            stream(sampling.seed, Purpose::Flipping, block as u64).fill_bytes(&mut signs);
            let is_negative = |cluster: usize, draw: usize| signs[cluster / 8 * draws + draw] >> (cluster % 8) & 1 == 1;
            let flipped = |draw: usize| {
                move |(cluster, value): (usize, &i64)| if is_negative(cluster, draw) { -value } else { *value }
            };
            let sums: Vec<i64> = (0..draws).map(|draw| row.iter().enumerate().map(flipped(draw)).sum()).collect();
            expected.iter_mut().zip(far(&sums)).for_each(|(all, hits)| *all += hits);
        }
        assert!(expected[2] > 0 && expected[0] > expected[2], "{expected:?}");
        assert_eq!(drawn(&[&row, &row], &sampling, &|sums| far(&sums[1]).to_vec()), expected);
    }
}

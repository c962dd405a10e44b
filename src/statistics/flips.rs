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
    let differing: Vec<i64> = differences.iter().copied().filter(|&difference| difference != 0).collect();
    let exact = differing.len() <= ENUMERATED;
    let (hits, flips) = if exact {
        (enumerated(&differing), (1u64 << differing.len()) - 1)
    } else {
        // The flip that was seen is one of them.
        (1 + drawn(&differing, sampling), sampling.flips.into())
    };
    let of_flips = |hits: u64| hits as f64 / (flips + 1) as f64;
    let smallest = of_flips(if exact { (flips + 1).min(2) } else { 1 });
    FlipTest { p: of_flips(hits), flips, exact, differing: differing.len(), smallest }
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

/// How many of the drawn flips are at least as far from zero as the one that was seen.
fn drawn(differences: &[i64], sampling: &Sampling) -> u64 {
    let seen = differences.iter().sum::<i64>().abs();
    let tables: Vec<[i64; 256]> = differences.chunks(8).map(signed_sums).collect();
    let blocks = (0..sampling.flips.div_ceil(BLOCK)).into_par_iter();
    let hits = blocks.map(|block| {
        let mut generator = stream(sampling.seed, Purpose::Flipping, block.into());
        let mut signs = vec![0u8; tables.len()];
        let flips = block * BLOCK..((block + 1) * BLOCK).min(sampling.flips);
        let hit = flips.filter(|_| {
            generator.fill_bytes(&mut signs);
            let sum: i64 = tables.iter().zip(&signs).map(|(table, &signs)| table[usize::from(signs)]).sum();
            sum.abs() >= seen
        });
        hit.count() as u64
    });
    hits.sum()
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

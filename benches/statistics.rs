//! What differences are worth: 10 000 resamples of 2 000 pages by 50 rows, and the tests of its pairs.
//!
//! `cargo bench --bench statistics`; on all processors. Scores are made, skewed as scores are.

use carat::statistics::{Correction, Figure, Paired, Sampling, Totals, estimates};
use divan::{Bencher, black_box};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

fn main() {
    divan::main();
}

const PAGES: usize = 2000;
const ROWS: usize = 50;
const ONE: u64 = 1_000_000_000_000;

/// Made scores of each row, most of them near 1.
fn scores() -> Vec<Vec<u64>> {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let score = |generator: &mut ChaCha8Rng| ONE - (generator.next_u64() % ONE).min(generator.next_u64() % ONE);
    (0..ROWS).map(|_| (0..PAGES).map(|_| score(&mut generator)).collect()).collect()
}

fn sites(count: usize) -> Vec<usize> {
    (0..PAGES).map(|page| page % count).collect()
}

/// The mean score of every row with its intervals.
#[divan::bench(args = [200, 2000], sample_count = 3)]
fn means_of_50_rows(bencher: Bencher<'_, '_>, site_count: usize) {
    let scores = scores();
    bencher.with_inputs(|| scores.clone()).bench_values(|scores| {
        let paired = Paired::new(scores, sites(site_count), Sampling::default());
        (0..ROWS).map(|row| paired.estimate(row)).collect::<Vec<_>>()
    });
}

/// All sixteen figures of every row with their intervals.
#[divan::bench(args = [200, 2000], sample_count = 3)]
fn every_figure_of_50_rows(bencher: Bencher<'_, '_>, site_count: usize) {
    let totals: Vec<Vec<Totals>> = scores()
        .iter()
        .map(|row| {
            let mut totals = vec![Totals::default(); site_count];
            for (&score, site) in row.iter().zip(sites(site_count)) {
                totals[site].add([score / (ONE / 1000), 1000, 1000], [score; 3]);
            }
            totals
        })
        .collect();
    bencher.bench(|| estimates(black_box(&totals), &Figure::ALL, &Sampling::default()));
}

/// The test of each of the 1 225 pairs by site, corrected, and the letters.
#[divan::bench(args = [200, 2000], sample_count = 3)]
fn tests_of_every_pair(bencher: Bencher<'_, '_>, site_count: usize) {
    let paired = Paired::new(scores(), sites(site_count), Sampling { resamples: 2, ..Sampling::default() });
    let groups: Vec<usize> = (0..ROWS).collect();
    bencher.bench(|| paired.test_all(&groups, Correction::Holm).letters);
}

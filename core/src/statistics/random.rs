//! Random numbers that are a function of the seed and the task alone.

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What random numbers are for: tasks of equal number and different purpose share none.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Drawing sites anew.
    Resampling,
    /// Flipping signs.
    Flipping,
    /// Dealing sites into folds.
    Folds,
    /// Drawing settings.
    Settings,
    /// Drawing pages.
    Pages,
    /// Drawing sites once.
    Sites,
}

/// Bits of a stream's number that the task takes; the purpose stands above them.
const TASK_BITS: u32 = 56;

/// The stream of random numbers of one task.
pub(super) fn stream(seed: u64, purpose: Purpose, task: u64) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(((purpose as u64) << TASK_BITS) | task);
    generator
}

/// A number below `bound`, each equally likely (Lemire 2019, "Fast random integer generation in an interval").
pub(super) fn below(generator: &mut impl Rng, bound: u32) -> u32 {
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u64::from(generator.next_u32()) * u64::from(bound);
        if product as u32 >= threshold {
            return (product >> 32) as u32;
        }
    }
}

/// The numbers below `count`, each order equally likely.
pub fn shuffled(seed: u64, purpose: Purpose, task: u64, count: u32) -> Vec<u32> {
    let mut generator = stream(seed, purpose, task);
    let mut numbers: Vec<u32> = (0..count).collect();
    for last in (1..count).rev() {
        numbers.swap(last as usize, below(&mut generator, last + 1) as usize);
    }
    numbers
}

/// So many different numbers below `bound`, each choice of them equally likely; all where there are no more.
pub fn distinct(seed: u64, purpose: Purpose, task: u64, bound: u32, count: u32) -> BTreeSet<u32> {
    if count >= bound {
        return (0..bound).collect();
    }
    let mut generator = stream(seed, purpose, task);
    let mut numbers = BTreeSet::new();
    while numbers.len() < count as usize {
        numbers.insert(below(&mut generator, bound));
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut generator = stream(1, Purpose::Resampling, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[below(&mut generator, 7) as usize] += 1;
        }
        // Six standard deviations of a binomial count.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 560), "{counts:?}");
    }

    #[test]
    fn orders_and_choices_are_equally_likely() {
        let orders = (0..6000).map(|task| shuffled(1, Purpose::Folds, task, 3));
        let mut counts = std::collections::BTreeMap::<Vec<u32>, u32>::new();
        orders.for_each(|order| *counts.entry(order).or_default() += 1);
        assert!(counts.len() == 6 && counts.values().all(|&count| count.abs_diff(1000) < 175), "{counts:?}");
        let mut drawn = [0u32; 5];
        (0..5000).for_each(|task| {
            distinct(1, Purpose::Pages, task, 5, 2).into_iter().for_each(|number| drawn[number as usize] += 1);
        });
        assert!(drawn.iter().all(|&count| count.abs_diff(2000) < 210), "{drawn:?}");
        assert_eq!(distinct(1, Purpose::Pages, 0, 3, 9), BTreeSet::from([0, 1, 2]));
    }

    #[test]
    fn seeds_purposes_and_tasks_have_streams_of_their_own() {
        let first = |seed, purpose, task| stream(seed, purpose, task).next_u64();
        let numbers = [
            first(1, Purpose::Resampling, 0),
            first(1, Purpose::Resampling, 1),
            first(1, Purpose::Flipping, 0),
            first(2, Purpose::Resampling, 0),
        ];
        let distinct: std::collections::BTreeSet<u64> = numbers.into_iter().collect();
        assert_eq!(distinct.len(), 4, "{numbers:?}");
        assert_eq!(first(1, Purpose::Resampling, 0), numbers[0]);
    }
}

//! Random numbers that are a function of the seed and the task alone.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What random numbers are for: tasks of equal number and different purpose share none.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    /// Drawing sites anew.
    Resampling,
    /// Flipping signs.
    Flipping,
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

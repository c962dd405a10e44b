//! Chance with a seed: the same on every machine and in every order of pages.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A stream of chance.
pub(super) struct Random(ChaCha8Rng);

impl Random {
    /// The stream that `seed` and `purpose` name: no two purposes share one.
    pub(super) fn new(seed: u64, purpose: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        for part in purpose {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Random(ChaCha8Rng::from_seed(hash.finalize().into()))
    }

    /// A number below `limit`, which is not 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.0.next_u64()) * limit as u128) >> 64) as usize
    }

    /// One of `choices`, of which there is at least one.
    pub(super) fn one_of<'t, T>(&mut self, choices: &'t [T]) -> &'t T {
        &choices[self.below(choices.len())]
    }

    /// `choices` in a random order.
    pub(super) fn shuffled<'t, T>(&mut self, choices: &'t [T]) -> Vec<&'t T> {
        let mut order: Vec<&T> = choices.iter().collect();
        for last in (1..order.len()).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

/// Whether page `number` is among a share of `thousandths` of all pages. The golden section spreads
/// the pages evenly; turning the share up only adds pages.
pub(super) fn is_among(seed: u64, purpose: &str, number: usize, thousandths: u32) -> bool {
    const GOLDEN_SECTION: u64 = 0x9E37_79B9_7F4A_7C15;
    let offset = Random::new(seed, &["share", purpose]).0.next_u64();
    let place = offset.wrapping_add((number as u64).wrapping_mul(GOLDEN_SECTION));
    ((u128::from(place) * 1000) >> 64) < u128::from(thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_nested_and_nearly_exact() {
        let among = |thousandths| (0..200).filter(|&page| is_among(7, "form", page, thousandths)).collect::<Vec<_>>();
        assert!(among(0).is_empty());
        assert_eq!(among(1000).len(), 200);
        let (third, half) = (among(333), among(500));
        assert!(third.iter().all(|page| half.contains(page)));
        assert!((64..=70).contains(&third.len()) && (98..=102).contains(&half.len()), "{} {}", third.len(), half.len());
    }

    #[test]
    fn a_shuffle_keeps_every_choice() {
        let choices: Vec<usize> = (0..50).collect();
        let mut shuffled = Random::new(1, &["x"]).shuffled(&choices);
        assert_ne!(shuffled, choices.iter().collect::<Vec<_>>());
        shuffled.sort();
        assert_eq!(shuffled, choices.iter().collect::<Vec<_>>());
    }
}

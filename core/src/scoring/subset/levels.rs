//! Values over the places of a gold that rise by 0, 1 or 2, a machine word at a time.
//!
//! They are the greatest `E = 2 LCS(S, g) - |S|`, which is what is looked for at F = 1 (see the module above), by how
//! much of the gold may be used. Two halves tell them, `E / 2` rounded down and rounded up, which rise by 0 or 1. A matched
//! token makes `E` greater by 2 and each half by 1, so the recurrence of a half is that of the LCS alone.

use std::ops::Range;

use super::cut::{Steps, sum};
use super::side::Side;
use crate::scoring::masks::advance_all;

/// Values at the places of a gold, by where they rise.
pub(super) struct Levels {
    /// A zero bit is a place after which the half rises: the one rounded down, the one rounded up.
    pub(super) halves: [Vec<u64>; 2],
}

impl Levels {
    /// Values that do not rise, over a gold of so many words.
    pub(super) fn flat(words: usize) -> Self {
        Levels { halves: [vec![!0; words], vec![!0; words]] }
    }

    /// Where they rise in `word`.
    pub(super) fn rises(&self, word: usize) -> Steps {
        self.halves.each_ref().map(|half| !half[word])
    }

    /// By how much they rise in `words`.
    pub(super) fn rise(&self, words: Range<usize>) -> usize {
        words.map(|word| sum(self.rises(word))).sum()
    }

    /// Lets them not rise in `words`.
    pub(super) fn flatten(&mut self, words: Range<usize>) {
        self.halves.iter_mut().for_each(|half| half[words.clone()].fill(!0));
    }

    /// Takes the values of `other` in `words`.
    pub(super) fn copy_from(&mut self, other: &Levels, words: Range<usize>) {
        for (half, other) in self.halves.iter_mut().zip(&other.halves) {
            half[words.clone()].copy_from_slice(&other[words.clone()]);
        }
    }

    /// Takes the values on by `tokens`, which can be matched in `words`.
    pub(super) fn advance(&mut self, side: &Side, tokens: Range<usize>, words: Range<usize>) {
        for half in &mut self.halves {
            advance_all(&mut half[words.clone()], side.rows(tokens.clone(), words.clone()));
        }
    }

    /// The greater of these values and of those of `taken` less `cost`, in `words`, at whose first place both are equal
    /// and odd or even. Tells how many places were looked at by themselves.
    pub(super) fn max_with(&mut self, taken: &Levels, cost: usize, is_odd: bool, words: Range<usize>) -> usize {
        let [down, up] = self.halves.each_mut().map(|half| &mut half[words.clone()]);
        let [taken_down, taken_up] = taken.halves.each_ref().map(|half| &half[words.clone()]);
        let (half, odd) = ((cost / 2) as i64, i64::from(is_odd));
        if cost.is_multiple_of(2) {
            max(down, taken_down, -half) + max(up, taken_up, -half)
        } else {
            // Half of t - c is rounded down what half of t is rounded up less (c + 1) / 2, and rounded up what half of t
            // is rounded down less (c - 1) / 2. Those of an odd t are one apart.
            max(down, taken_up, odd - half - 1) + max(up, taken_down, -odd - half)
        }
    }
}

/// Makes `one` of two functions, which rise by one at zero bits, the greater one. In the beginning the other is `ahead`.
/// Tells how many places were looked at by themselves.
fn max(one: &mut [u64], other: &[u64], mut ahead: i64) -> usize {
    let mut places = 0;
    for (one, &other) in one.iter_mut().zip(other) {
        let (up, down) = (*one & !other, !*one & other);
        let (most, least) = (ahead + i64::from(up.count_ones()), ahead - i64::from(down.count_ones()));
        if most > 0 {
            let is_all = least >= 0;
            let max = if is_all { other } else { max_of_word(*one, up, down, ahead) };
            places += if is_all { 0 } else { (up | down).count_ones() as usize };
            *one = max;
        }
        ahead = most + least - ahead;
    }
    places
}

/// The greater of two functions in a word, in which the other one alone rises at the bits of `up` and the first one alone
/// at those of `down`.
fn max_of_word(mut one: u64, up: u64, down: u64, mut ahead: i64) -> u64 {
    let mut places = up | down;
    while places != 0 {
        let bit = places & places.wrapping_neg();
        places ^= bit;
        let next = if up & bit != 0 { ahead + 1 } else { ahead - 1 };
        if next.max(0) != ahead.max(0) {
            one ^= bit;
        }
        ahead = next;
    }
    one
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(bits: &[u64], first: i64) -> Vec<i64> {
        let rises = bits.iter().flat_map(|word| (0..64).map(move |bit| i64::from(word >> bit & 1 == 0)));
        let sums = rises.scan(first, |sum, rise| {
            *sum += rise;
            Some(*sum)
        });
        std::iter::once(first).chain(sums).collect()
    }

    proptest! {
        #[test]
        fn the_greater_of_two_functions(
            one in proptest::collection::vec(any::<u64>(), 1..4),
            flips in proptest::collection::vec(0..256usize, 0..60),
            ahead in -20i64..20,
        ) {
            let mut other = one.clone();
            for bit in flips {
                other[bit / 64 % one.len()] ^= 1 << (bit % 64);
            }
            let mut greater = one.clone();
            max(&mut greater, &other, ahead);
            let pairs = values(&one, 0).into_iter().zip(values(&other, ahead));
            let expected: Vec<i64> = pairs.map(|(one, other)| one.max(other)).collect();
            prop_assert_eq!(values(&greater, ahead.max(0)), expected);
        }

        #[test]
        fn the_greater_of_two_values_less_a_cost(
            rises in proptest::collection::vec((0..3usize, 0..3usize), 128),
            (base, cost) in (0..4usize, 0..40usize),
        ) {
            let (one, taken): (Vec<usize>, Vec<usize>) = rises.into_iter().unzip();
            let (mut levels, taken) = (of(base, &one), of(base, &taken));
            let expected: Vec<i64> = both(&levels, base).into_iter().zip(both(&taken, base)).map(|(one, taken)| one.max(taken - cost as i64)).collect();
            levels.max_with(&taken, cost, base % 2 == 1, 0..2);
            prop_assert_eq!(both(&levels, base), expected);
        }
    }

    /// Values that are `base` and rise by `rises`.
    fn of(base: usize, rises: &[usize]) -> Levels {
        let mut levels = Levels::flat(2);
        let mut value = base;
        for (place, rise) in rises.iter().enumerate() {
            let next = value + rise;
            let halves = [next / 2 > value / 2, next.div_ceil(2) > value.div_ceil(2)];
            for (half, _) in levels.halves.iter_mut().zip(halves).filter(|(_, rises)| *rises) {
                half[place / 64] &= !(1 << (place % 64));
            }
            value = next;
        }
        levels
    }

    fn both(levels: &Levels, base: usize) -> Vec<i64> {
        let [down, up] = levels.halves.each_ref();
        values(down, base as i64 / 2)
            .into_iter()
            .zip(values(up, base.div_ceil(2) as i64))
            .map(|(down, up)| down + up)
            .collect()
    }
}

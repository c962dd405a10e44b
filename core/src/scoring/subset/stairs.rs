//! Values over the places of a gold that never fall, by where and how much they rise.
//!
//! The best value of a choice of segments, as a function of how much of the gold they may use, rises by at most a
//! whole (the worth of a matched token) from place to place, and nearly everywhere by a whole or not at all. Machine
//! words in which that is so are taken a word at a time, as in the bit-parallel LCS: for each remainder of the values
//! modulo a whole the recurrence is that of the LCS itself, and without partial rises all remainders behave alike.

use std::ops::Range;

/// Values at the places `0..=length`; the first is known to who asks.
pub(super) struct Stairs {
    /// How much a matched token is worth.
    whole: i64,
    /// Bit `j`: from place `j` to the next they rise by a whole.
    full: Vec<u64>,
    /// Bit `j`: they rise there by less than a whole, but more than nothing.
    partial: Vec<u64>,
    /// By how much, for each bit of `partial`.
    parts: Vec<i64>,
    /// Words and places that were looked at.
    steps: usize,
}

/// What a machine word of places was before it changed.
pub(super) struct Change {
    word: usize,
    full: u64,
    partial: u64,
    /// One for each bit of `partial`, in order.
    parts: Vec<i64>,
}

impl Change {
    /// The machine words that it takes.
    pub(super) fn words(&self) -> usize {
        size_of::<Change>() / 8 + self.parts.len()
    }
}

/// The places of the bits of `bits`, which stand in the word numbered `word`.
fn places(word: usize, mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(word * 64 + bit)
    })
}

impl Stairs {
    /// Values that do not rise at all, over a gold of `length` tokens.
    pub(super) fn flat(length: usize, whole: i64) -> Self {
        let words = length.div_ceil(64);
        Stairs { whole, full: vec![0; words], partial: vec![0; words], parts: vec![0; words * 64], steps: 0 }
    }

    /// The words and places that were looked at since this was asked last.
    pub(super) fn take_steps(&mut self) -> usize {
        std::mem::take(&mut self.steps)
    }

    /// By how much the values rise from `place` to the next.
    pub(super) fn rise(&self, place: usize) -> i64 {
        let (word, bit) = (place / 64, 1 << (place % 64));
        if self.full[word] & bit != 0 {
            self.whole
        } else if self.partial[word] & bit != 0 {
            self.parts[place]
        } else {
            0
        }
    }

    fn set_rise(&mut self, place: usize, rise: i64) {
        let (word, bit) = (place / 64, 1 << (place % 64));
        self.full[word] &= !bit;
        self.partial[word] &= !bit;
        if rise == self.whole {
            self.full[word] |= bit;
        } else if rise > 0 {
            self.partial[word] |= bit;
            self.parts[place] = rise;
        }
    }

    /// Takes the values on by a token whose places in the gold from the word `first` on are `mask`: the new value at `j` is
    /// the greatest of the old one there, the new one at `j - 1`, and, where the gold has the token between the two, the
    /// old one at `j - 1` and a whole.
    pub(super) fn advance(&mut self, mask: &[u64], first: usize) {
        self.steps += mask.len();
        // By how much the new value is above the old one at the place that was reached: nothing to a whole.
        let mut above = 0;
        for (word, &mask) in (first..).zip(mask) {
            if above == 0 && mask & !self.full[word] == 0 {
                continue;
            }
            if self.partial[word] == 0 && (above == 0 || above == self.whole) {
                let flat = !self.full[word];
                let hits = flat & mask;
                let (sum, over) = flat.carrying_add(hits, above == self.whole);
                self.full[word] = !(sum | (flat ^ hits));
                above = if over { self.whole } else { 0 };
            } else {
                above = self.advance_word(word, mask, above);
            }
        }
    }

    /// The same for a word with partial rises, from one place to the next at which something happens.
    fn advance_word(&mut self, word: usize, mask: u64, mut above: i64) -> i64 {
        let mut ahead = !0u64;
        loop {
            let rises = self.full[word] | self.partial[word];
            let events = ahead
                & match above {
                    0 => mask & !self.full[word],
                    whole if whole == self.whole => rises,
                    _ => rises | mask,
                };
            if events == 0 {
                return above;
            }
            self.steps += 1;
            let bit = events.trailing_zeros();
            let place = word * 64 + bit as usize;
            let rise = self.rise(place);
            let next = if mask >> bit & 1 == 1 { self.whole - rise } else { (above - rise).max(0) };
            self.set_rise(place, rise + next - above);
            above = next;
            ahead = (!0u64).checked_shl(bit + 1).unwrap_or(0);
        }
    }

    /// The greater of these values, which begin at `start` (0 or less), and of `other`, which begin at 0, in `words`;
    /// whether these are greater anywhere.
    pub(super) fn max_with(&mut self, start: i64, other: &Stairs, words: Range<usize>) -> bool {
        // How much these are above `other` at the place that was reached.
        let (mut above, mut greater) = (start, false);
        self.steps += words.len();
        for word in words {
            let partial = self.partial[word] | other.partial[word];
            if partial == 0 && self.full[word] == other.full[word] {
                continue;
            }
            for place in places(word, partial | self.full[word] | other.full[word]) {
                let (own, others) = (self.rise(place), other.rise(place));
                let next = above + own - others;
                let rise = others + next.max(0) - above.max(0);
                if rise != own {
                    self.set_rise(place, rise);
                }
                greater |= next > 0;
                above = next;
                self.steps += 1;
            }
        }
        greater
    }

    /// Takes the values of `other`, which is as long, in `words`.
    pub(super) fn copy_from(&mut self, other: &Stairs, words: Range<usize>) {
        self.full[words.clone()].copy_from_slice(&other.full[words.clone()]);
        self.partial[words.clone()].copy_from_slice(&other.partial[words.clone()]);
        for word in words {
            places(word, other.partial[word]).for_each(|place| self.parts[place] = other.parts[place]);
        }
    }

    /// The same, and what is needed to take it back.
    pub(super) fn change_to(&mut self, other: &Stairs, words: Range<usize>) -> Vec<Change> {
        let mut changes = Vec::new();
        for word in words {
            let (full, partial) = (self.full[word], self.partial[word]);
            let is_same = full == other.full[word]
                && partial == other.partial[word]
                && places(word, partial).all(|place| self.parts[place] == other.parts[place]);
            if is_same {
                continue;
            }
            changes.push(Change {
                word,
                full,
                partial,
                parts: places(word, partial).map(|at| self.parts[at]).collect(),
            });
            (self.full[word], self.partial[word]) = (other.full[word], other.partial[word]);
            places(word, other.partial[word]).for_each(|place| self.parts[place] = other.parts[place]);
        }
        changes
    }

    /// Takes back what [`Stairs::change_to`] changed last; by how much the value at `place` falls.
    pub(super) fn take_back(&mut self, changes: Vec<Change>, place: usize) -> i64 {
        let mut fall = 0;
        for Change { word, full, partial, parts } in changes {
            fall += self.rise_within(word, place);
            (self.full[word], self.partial[word]) = (full, partial);
            places(word, partial).zip(parts).for_each(|(place, part)| self.parts[place] = part);
            fall -= self.rise_within(word, place);
        }
        fall
    }

    /// By how much the values rise in `word` up to `place`.
    fn rise_within(&self, word: usize, place: usize) -> i64 {
        let below = match place.saturating_sub(word * 64) {
            64.. => !0,
            rest => !(!0 << rest),
        };
        let full = i64::from((self.full[word] & below).count_ones()) * self.whole;
        full + places(word, self.partial[word] & below).map(|place| self.parts[place]).sum::<i64>()
    }

    /// The value at `place`, where the first is 0.
    pub(super) fn value(&self, place: usize) -> i64 {
        (0..place.div_ceil(64)).map(|word| self.rise_within(word, place)).sum()
    }

    /// The first place with the value of the last one.
    pub(super) fn top(&self) -> usize {
        let mut rises = self.full.iter().zip(&self.partial).map(|(full, partial)| full | partial).enumerate();
        rises.rfind(|(_, rises)| *rises != 0).map_or(0, |(word, rises)| word * 64 + 64 - rises.leading_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WHOLE: i64 = 7;

    fn values(stairs: &Stairs, length: usize) -> Vec<i64> {
        (0..=length).map(|place| stairs.value(place)).collect()
    }

    /// What [`Stairs::advance`] says, place by place.
    fn advanced(values: &[i64], mask: &[u64]) -> Vec<i64> {
        let mut next = values.to_vec();
        for place in 0..values.len() - 1 {
            let is_there = mask[place / 64] >> (place % 64) & 1 == 1;
            let matched = if is_there { values[place] + WHOLE } else { 0 };
            next[place + 1] = values[place + 1].max(next[place]).max(matched);
        }
        next
    }

    proptest! {
        #[test]
        fn values_are_those_of_each_place(
            segments in proptest::collection::vec((proptest::collection::vec(any::<[u64; 3]>(), 1..5), 0..30i64), 1..12),
        ) {
            let length = 3 * 64;
            let [mut stairs, mut taken] = [Stairs::flat(length, WHOLE), Stairs::flat(length, WHOLE)];
            let mut plain = vec![0; length + 1];
            let mut history = Vec::new();
            for (masks, cost) in segments {
                taken.copy_from(&stairs, 0..3);
                let mut of_taken = plain.clone();
                for mask in masks {
                    taken.advance(&mask, 0);
                    of_taken = advanced(&of_taken, &mask);
                }
                prop_assert_eq!(values(&taken, length), of_taken.clone());
                let is_gain = taken.max_with(-cost, &stairs, 0..3);
                prop_assert_eq!(is_gain, plain.iter().zip(&of_taken).any(|(value, taken)| taken - cost > *value));
                let changes = stairs.change_to(&taken, 0..3);
                let before = plain.clone();
                plain.iter_mut().zip(&of_taken).for_each(|(value, taken)| *value = (*value).max(taken - cost));
                prop_assert_eq!(values(&stairs, length), plain.clone());
                prop_assert_eq!(plain[stairs.top()], plain[length]);
                prop_assert!(plain[..stairs.top()].iter().all(|value| *value < plain[length]));
                history.push((before, changes));
            }
            for (place, (before, changes)) in history.into_iter().rev().enumerate() {
                let place = place * 17 % (length + 1);
                prop_assert_eq!(stairs.take_back(changes, place), plain[place] - before[place]);
                prop_assert_eq!(values(&stairs, length), before.clone());
                plain = before;
            }
        }
    }
}

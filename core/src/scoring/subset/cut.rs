//! Bounds of what a choice of segments can come to on one side of a cut, a place between two tokens of the text.
//!
//! A choice that has come to the place `j` of the gold there comes in all to no more than the bound from the one end to
//! `j` and that from the other end, the sums of Hirschberg 1975. Where that is less than what a good choice comes to
//! nothing has to be computed: on most pages that is nearly everywhere.

use std::ops::Range;

use super::side::{common, mirrored};

/// A bound for places of a gold, counted from the end that the text is read from. From place to place it rises by at
/// most one in each plane.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// The machine words in which the places lie at which a good choice can be.
    pub(super) words: Range<usize>,
    /// The bound at their first place.
    pub(super) base: usize,
    /// A zero bit is a place after which it rises. The second plane of what is no more than a number of matches is
    /// left out.
    pub(super) planes: [Vec<u64>; 2],
}

/// The places of a word after which a value rises, or falls, by one; after some it does so twice.
pub(super) type Steps = [u64; 2];

/// By how much the value rises or falls in all.
pub(super) fn sum(steps: Steps) -> usize {
    (steps[0].count_ones() + steps[1].count_ones()) as usize
}

impl Cut {
    /// Where it rises in `word`: nowhere outside of its words.
    fn rises(&self, word: usize) -> Steps {
        let at = word.wrapping_sub(self.words.start);
        self.planes.each_ref().map(|plane| plane.get(at).map_or(0, |bits| !bits))
    }

    /// Where it falls in `word` if both are read from the other end of a gold of `length` words.
    fn falls(&self, word: usize, length: usize) -> Steps {
        self.rises(length - 1 - word).map(u64::reverse_bits)
    }

    fn rise(&self, words: Range<usize>) -> usize {
        words.map(|word| sum(self.rises(word))).sum()
    }

    /// The bound at the end of its words.
    pub(super) fn top(&self) -> usize {
        self.base + self.rise(self.words.clone())
    }

    /// The first of its words at whose end it is at least `least`, else the last one.
    pub(super) fn first(&self, least: usize) -> usize {
        let mut value = self.base;
        let is_enough = |word: &usize| {
            value += sum(self.rises(*word));
            value >= least
        };
        self.words.clone().find(is_enough).unwrap_or(self.words.end - 1)
    }

    /// The same bound in fewer words.
    pub(super) fn within(&self, words: &Range<usize>) -> Self {
        let (from, to) = (words.start - self.words.start, words.end - self.words.start);
        let part = |plane: &Vec<u64>| plane.get(from..to).map(<[u64]>::to_vec).unwrap_or_default();
        Cut {
            words: words.clone(),
            base: self.base + self.rise(self.words.start..words.start),
            planes: self.planes.each_ref().map(part),
        }
    }

    /// Read from the other end of a gold of `length` words: the bounds at the first places of the words from `start` to
    /// the end of its words, and there.
    pub(super) fn falling(&self, start: usize, length: usize) -> Vec<usize> {
        let mut value = self.base;
        let mut values = vec![value];
        values.extend((self.words.start..length - start).map(|word| {
            value += sum(self.rises(word));
            value
        }));
        values.reverse();
        values
    }

    /// Tells for each word of both where the sum of this bound and the other one, which is that from the other end, rises
    /// and falls, and what it is at the first place.
    fn sums(&self, other: &Cut, length: usize, mut tell: impl FnMut(usize, Steps, Steps, usize)) {
        let words = common(&self.words, &mirrored(&other.words, length));
        if words.is_empty() {
            return;
        }
        let before = self.base + self.rise(self.words.start..words.start);
        let after = other.base + other.rise(other.words.start..length - words.start);
        let mut both = before + after;
        for word in words {
            let (up, down) = net(self.rises(word), other.falls(word, length));
            tell(word, up, down, both);
            both = both + sum(up) - sum(down);
        }
    }

    /// The words from the first to the last one with a place at which this bound and that from the other end together
    /// are at least `least`. A place between two words is one of both.
    pub(super) fn near(&self, other: &Cut, length: usize, least: usize) -> Option<Range<usize>> {
        let mut found: Option<Range<usize>> = None;
        self.sums(other, length, |word, up, down, both| {
            if both + sum(up) >= least && both + peak(up, down) >= least {
                found = Some(found.take().map_or(word, |found| found.start)..word + 1);
            }
        });
        found
    }
}

/// What is left of rises and falls that are after the same places.
fn net(up: Steps, down: Steps) -> (Steps, Steps) {
    let once_and_twice = |[one, other]: Steps| (one ^ other, one & other);
    let (up, down) = (once_and_twice(up), once_and_twice(down));
    let less = |(once, twice): (u64, u64), (other_once, other_twice): (u64, u64)| {
        let neither = !(other_once | other_twice);
        [(once | twice) & neither | twice & other_once, twice & neither]
    };
    (less(up, down), less(down, up))
}

/// By how much a value that rises and falls in a word is above its first one at most.
fn peak(up: Steps, down: Steps) -> usize {
    let (mut value, mut peak) = (0i64, 0);
    let mut places = up[0] | up[1] | down[0] | down[1];
    while places != 0 {
        let bit = places.trailing_zeros();
        places &= places - 1;
        let [rise, fall] = [up, down].map(|steps| ((steps[0] >> bit & 1) + (steps[1] >> bit & 1)) as i64);
        value += rise - fall;
        peak = peak.max(value);
    }
    peak as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut() -> impl Strategy<Value = Cut> {
        let planes = [any::<[u64; 3]>(), any::<[u64; 3]>()];
        (0..2usize, 0..9usize, planes, any::<bool>()).prop_map(|(start, base, planes, is_exact)| {
            let [one, other] = planes.map(|plane| plane.map(|word| word | word << 1).to_vec());
            let other = if is_exact { other } else { Vec::new() };
            Cut { words: start..start + 3, base, planes: [one, other] }
        })
    }

    /// The bound at each of its places.
    fn values(cut: &Cut) -> Vec<(usize, usize)> {
        let mut value = cut.base;
        let mut values = vec![(cut.words.start * 64, value)];
        for place in cut.words.start * 64..cut.words.end * 64 {
            let steps = cut.rises(place / 64);
            value += (steps[0] >> (place % 64) & 1) as usize + (steps[1] >> (place % 64) & 1) as usize;
            values.push((place + 1, value));
        }
        values
    }

    proptest! {
        #[test]
        fn sums_are_those_of_each_place(one in cut(), other in cut(), length in 5..7usize, less in 0..40usize) {
            let after = values(&other);
            let sums: Vec<(usize, usize)> = values(&one).into_iter().filter_map(|(place, value)| {
                let (_, rest) = after.iter().find(|(other, _)| length * 64 - other == place)?;
                Some((place, value + rest))
            }).collect();
            let words = common(&one.words, &mirrored(&other.words, length));
            let most = sums.iter().map(|(_, sum)| *sum).max().filter(|_| !words.is_empty());
            let least = most.unwrap_or(0).saturating_sub(less);
            let near = |word: &usize| sums.iter().any(|(place, sum)| (word * 64..=word * 64 + 64).contains(place) && *sum >= least);
            let words: Vec<usize> = words.filter(near).collect();
            let expected = words.first().map(|first| *first..words[words.len() - 1] + 1);
            prop_assert_eq!(one.near(&other, length, least), expected);
        }

        #[test]
        fn parts_and_ends_of_a_bound(cut in cut(), from in 0..3usize, length in 5..7usize, least in 0..400usize) {
            let values = values(&cut);
            let at = |place: usize| values.iter().find(|(other, _)| *other == place).unwrap().1;
            let words = cut.words.start + from..cut.words.end;
            prop_assert_eq!(cut.within(&words).base, at(words.start * 64));
            prop_assert_eq!(cut.within(&words).top(), at(cut.words.end * 64));
            let start = length - cut.words.end;
            let falling: Vec<usize> = cut.words.clone().map(|word| at(word * 64)).chain([cut.top()]).rev().collect();
            prop_assert_eq!(cut.falling(start, length), falling);
            let first = cut.words.clone().find(|word| at(word * 64 + 64) >= least);
            prop_assert_eq!(cut.first(least), first.unwrap_or(cut.words.end - 1));
        }
    }
}

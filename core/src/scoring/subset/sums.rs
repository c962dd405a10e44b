//! The set of segments for which `2q LCS(S, g) - p |S|` is greatest, and of equal sets one with the most tokens.
//!
//! Segment by segment: all that those before say is `D[j]`, the best value so far that uses `g[..j]`. A segment costs `p`
//! a token and earns `2q` a matched one. With everything a number times over that is greater than any size, and each
//! token one cheaper, the larger one of two sets that are otherwise equal has the greater value.

use std::ops::Range;

use super::side::{Part, Parts, Side, common, mirrored, window};
use super::stairs::{Change, Stairs};
use super::work::Work;
use crate::scoring::TooLarge;
use crate::scoring::masks::{MAX_WORDS, advance_all};

/// Steps that a word or a place takes, by the time of both: each is looked at by itself.
const STEPS: usize = 16;

/// How large a set is, and how many of its tokens are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) matched: usize,
    pub(super) tokens: usize,
}

/// What a token of a set is worth.
#[derive(Clone, Copy)]
pub(super) struct Worth {
    /// A matched one.
    pub(super) whole: i64,
    /// What each costs.
    pub(super) cost: i64,
}

impl Worth {
    /// At the F1 of `size`, against a gold of `gold` tokens, for sets of at most `most` tokens.
    pub(super) fn new(size: Size, gold: usize, most: usize) -> Result<Self, TooLarge> {
        let (p, q) = reduced(2 * size.matched as i64, (size.tokens + gold) as i64);
        let times = most as i64 + 1;
        let whole =
            (2 * q).checked_mul(times).filter(|whole| whole.checked_mul(gold as i64).is_some()).ok_or(TooLarge)?;
        Ok(Worth { whole, cost: p * times - 1 })
    }
}

fn reduced(p: i64, q: i64) -> (i64, i64) {
    let (mut a, mut b) = (p, q);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (p / a, q / a)
}

/// The best set, by its segments.
pub(super) struct Best {
    pub(super) segments: Vec<usize>,
    pub(super) size: Size,
}

/// A text and a gold, from both ends.
pub(super) struct Sums<'s> {
    pub(super) side: &'s Side,
    pub(super) mirrored: &'s Side,
    pub(super) worth: Worth,
}

/// A segment that is worth taking somewhere, and how the values were without it.
struct Gain<'b> {
    segment: usize,
    parts: &'b [Part],
    changes: Vec<Change>,
}

impl Sums<'_> {
    /// The best set of segments, each matched in the words of its parts. Of several it is the one found from the end,
    /// leaving out a segment wherever that keeps the value.
    pub(super) fn best(&self, parts: &[Part], work: &mut Work) -> Result<Best, TooLarge> {
        let length = self.side.words * 64;
        let [mut values, mut taken] = [Stairs::flat(length, self.worth.whole), Stairs::flat(length, self.worth.whole)];
        let (mut gains, mut words): (Vec<Gain>, usize) = (Vec::new(), 0);
        let mut parts = Parts::new(parts);
        for (place, segment) in self.side.segments.iter().enumerate() {
            let parts = parts.of(segment);
            let gain = self.gain(place, parts, (&mut values, &mut taken), work)?;
            words += gain.iter().flat_map(|gain| &gain.changes).map(Change::words).sum::<usize>();
            if words > MAX_WORDS {
                return Err(TooLarge);
            }
            gains.extend(gain);
        }
        Ok(self.walk_back(values, gains))
    }

    /// Makes the values those with a segment where it is worth taking.
    fn gain<'b>(
        &self,
        place: usize,
        parts: &'b [Part],
        (values, taken): (&mut Stairs, &mut Stairs),
        work: &mut Work,
    ) -> Result<Option<Gain<'b>>, TooLarge> {
        let segment = &self.side.segments[place];
        let window = window(parts);
        taken.copy_from(values, window.clone());
        for part in parts {
            let rows = self.side.rows(common(&part.tokens, segment), part.words.clone());
            for row in rows {
                taken.advance(row, part.words.start);
                work.spend(STEPS, taken.take_steps())?;
            }
        }
        let is_gain = taken.max_with(-self.worth.cost * segment.len() as i64, values, window.clone());
        work.spend(STEPS, taken.take_steps())?;
        Ok(is_gain.then(|| Gain { segment: place, parts, changes: values.change_to(taken, window) }))
    }

    /// The set behind the last of `values`. A segment was taken if the value without it is less.
    fn walk_back(&self, mut values: Stairs, gains: Vec<Gain>) -> Best {
        let mut at = values.top();
        let all = values.value(at);
        let (mut value, mut segments) = (all, Vec::new());
        for Gain { segment, parts, changes } in gains.into_iter().rev() {
            let gain = values.take_back(changes, at);
            if gain > 0 {
                (at, value) = self.began(segment, parts, at, &values, (value, value - gain));
                segments.push(segment);
            }
        }
        segments.reverse();
        let tokens: usize = segments.iter().map(|&place| self.side.segments[place].len()).sum();
        let matched = (all + self.worth.cost * tokens as i64) / self.worth.whole;
        Best { segments, size: Size { matched: matched as usize, tokens } }
    }

    /// The first place from which on a segment earns what makes up `value` at the place `at`, and the value there. Before
    /// the segment it was `known` at `at`. Read from the end, one pass over the segment tells its LCS with `g[j..at]` for
    /// every `j`.
    fn began(
        &self,
        segment: usize,
        parts: &[Part],
        at: usize,
        before: &Stairs,
        (value, mut known): (i64, i64),
    ) -> (usize, i64) {
        let segment = &self.side.segments[segment];
        let earned = value + self.worth.cost * segment.len() as i64;
        let range = parts[0].words.start..at.div_ceil(64);
        let state = self.reversed_state(segment, parts, &range, at);
        let (mut matched, mut began) = (0, (at, known));
        for place in (range.start * 64..at).rev() {
            known -= before.rise(place);
            if known + self.worth.whole * (segment.len() as i64) < earned {
                break;
            }
            let bit = range.end * 64 - 1 - place;
            matched += i64::from(state[bit / 64] >> (bit % 64) & 1 == 0);
            if known + self.worth.whole * matched == earned {
                began = (place, known);
            }
        }
        began
    }

    /// The state of the LCS (see `text::lcs`) of a segment and of what is before the place `at` in `words` of the gold,
    /// both read from the end.
    fn reversed_state(&self, segment: &Range<usize>, parts: &[Part], words: &Range<usize>, at: usize) -> Vec<u64> {
        let mut state = vec![!0u64; words.len()];
        state[0] <<= words.end * 64 - at;
        for part in parts.iter().rev().filter(|part| part.words.start < words.end) {
            let tokens = mirrored(&common(&part.tokens, segment), self.side.len());
            let part = common(&part.words, words);
            let rows = self.mirrored.rows(tokens, mirrored(&part, self.side.words));
            advance_all(&mut state[words.end - part.end..words.end - part.start], rows);
        }
        state
    }
}

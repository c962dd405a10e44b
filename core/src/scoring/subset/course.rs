//! How much of a gold a text can match before and after each of its cuts if every token may be taken by itself: the LCS.

use std::ops::Range;

use super::cut::Cut;
use super::side::{Side, mirrored};
use super::work::Work;
use crate::scoring::TooLarge;
use crate::scoring::masks::{MAX_WORDS, advance_all};

/// A bound for each cut, counted from the end that the text is read from.
pub(super) type Bounds = Vec<Cut>;

/// What is matched before each cut by choices that match much.
pub(super) struct Course<'s> {
    pub(super) side: &'s Side,
    pub(super) mirrored: &'s Side,
    /// Nothing is known of choices that match fewer tokens.
    pub(super) least: usize,
    before: Bounds,
}

impl<'s> Course<'s> {
    /// The course of choices that match `least` of the `length` tokens of a gold.
    ///
    /// With `k` tokens of the text before a cut and `l` after it such a choice has come to a place from `least - l` to
    /// `length - least + k`: a narrow band where text and gold are nearly equal (Ukkonen 1985, "Algorithms for
    /// approximate string matching").
    pub(super) fn new(
        (side, mirrored): (&'s Side, &'s Side),
        (length, least): (usize, usize),
        work: &mut Work,
    ) -> Result<Self, TooLarge> {
        let mut before = Bounds::new();
        let mut state = vec![!0u64; side.words];
        let (mut left, mut known, mut kept, mut last) = (side.known(0..side.len()), 0, 0, 0);
        for &cut in &side.cuts {
            let part = last..cut;
            last = cut;
            let tokens = side.known(part.clone());
            (left, known) = (left - tokens, known + tokens);
            let start = least.saturating_sub(left + 1) / 64;
            let words = start..((length - least + known) / 64 + 1).min(side.words);
            let mut base = 0;
            if let Some(Cut { words: from, base: below, .. }) = before.last() {
                advance(side, part, &mut state, from.start..words.end, work)?;
                base = below + grown(&state[from.start..words.start]);
            }
            kept += words.len();
            if kept > MAX_WORDS {
                return Err(TooLarge);
            }
            before.push(matched(&state, words, base));
        }
        Ok(Course { side, mirrored, least, before })
    }

    /// The text's LCS with the gold if it is at least what was asked for, else no more than the LCS.
    pub(super) fn matched(&self) -> usize {
        self.before.last().map_or(0, Cut::top)
    }

    /// Bounds of what is matched before and after each cut, in the words in which a choice can be that matches `least`
    /// tokens; `None` where there is no such choice.
    pub(super) fn band(&self, least: usize, work: &mut Work) -> Result<Option<[Bounds; 2]>, TooLarge> {
        let (side, length) = (self.mirrored, self.side.words);
        let mut state = vec![!0u64; length];
        let [mut before, mut after] = [Bounds::new(), Bounds::new()];
        let mut last = 0;
        for (own, &cut) in self.before.iter().rev().zip(&side.cuts) {
            let part = last..cut;
            last = cut;
            let (start, base, top) = after.last().map_or((0, 0, 0), |cut| (cut.words.start, cut.base, cut.top()));
            // A choice has come to a place before which at least so much is matched.
            let first = own.first(least.saturating_sub(top + part.len()));
            let window = start..length - first;
            advance(side, part, &mut state, window.clone(), work)?;
            let other = matched(&state, window.clone(), base);
            let Some(near) = own.near(&other, length, least) else { return Ok(None) };
            let theirs = mirrored(&near, length);
            state[theirs.end..window.end].fill(!0);
            before.push(own.within(&near));
            after.push(other.within(&theirs));
        }
        before.reverse();
        Ok(Some([before, after]))
    }
}

/// Takes the state of the LCS (see `text::lcs`) on in `window` by some tokens.
fn advance(
    side: &Side,
    tokens: Range<usize>,
    state: &mut [u64],
    window: Range<usize>,
    work: &mut Work,
) -> Result<(), TooLarge> {
    work.spend(tokens.len(), window.len())?;
    advance_all(&mut state[window.clone()], side.rows(tokens, window));
    Ok(())
}

/// What is matched up to the places of `words`, at whose first one it is `base`.
fn matched(state: &[u64], words: Range<usize>, base: usize) -> Cut {
    Cut { base, planes: [state[words.clone()].to_vec(), Vec::new()], words }
}

fn grown(state: &[u64]) -> usize {
    state.iter().map(|word| word.count_zeros() as usize).sum()
}

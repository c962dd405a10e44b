//! A walk through text and gold from one end: what choices of segments come to if a token costs half of what a matched one
//! earns.

use std::ops::Range;

use super::course::Bounds;
use super::cut::Cut;
use super::levels::Levels;
use super::side::{Part, Parts, Side, common, mirrored};
use super::work::Work;
use crate::scoring::TooLarge;

/// Steps that a segment takes in a word beside the two of each token, by the time of both.
const STEPS: usize = 64;

/// Segments between two cuts that are not within a segment.
pub(super) struct Block {
    segments: Range<usize>,
    /// From the first cut to the last one.
    pub(super) cuts: Range<usize>,
}

/// The blocks that make up the text.
pub(super) fn blocks(side: &Side) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut segment, mut start) = (0, 0);
    for (at, &cut) in side.cuts.iter().enumerate().skip(1) {
        let end = segment + side.segments[segment..].partition_point(|segment| segment.end <= cut);
        if end > segment && side.segments[end - 1].end == cut {
            blocks.push(Block { segments: segment..end, cuts: start..at });
            (segment, start) = (end, at);
        }
    }
    blocks
}

/// The greatest values of `E` by how much of the gold may be used, on their way from one end to the other.
pub(super) struct Walk<'s> {
    side: &'s Side,
    values: Levels,
    /// Room for the values with a segment.
    taken: Levels,
    /// The words in which a good choice can be. Behind them the values do not rise.
    words: Range<usize>,
    /// The values at their first and last place.
    base: usize,
    top: usize,
    /// For each cut a bound: `E` where the walk has been.
    pub(super) known: Bounds,
}

impl<'s> Walk<'s> {
    /// A walk from the beginning of `side`. What is known so far is how much is matched at most.
    pub(super) fn new(side: &'s Side, known: Bounds) -> Self {
        Walk {
            side,
            values: Levels::flat(side.words),
            taken: Levels::flat(side.words),
            words: known[0].words.clone(),
            base: 0,
            top: 0,
            known,
        }
    }

    /// Walks to the other end, in the words in which a choice can be that comes to `least`; `false`: there is none.
    /// `others` are the bounds from the other end.
    pub(super) fn go(&mut self, others: &Bounds, least: usize, work: &mut Work) -> Result<bool, TooLarge> {
        for block in blocks(self.side) {
            if !self.pass_block(block, others, least, work)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The greatest value.
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// Walks through one block.
    fn pass_block(
        &mut self,
        Block { segments, cuts }: Block,
        others: &Bounds,
        least: usize,
        work: &mut Work,
    ) -> Result<bool, TooLarge> {
        let other = |cut: usize| &others[others.len() - 1 - cut];
        let parts = self.parts(&cuts, other);
        if !self.stay(0..parts[0].words.end) || !self.stay_near(cuts.start, other(cuts.start), least) {
            return Ok(false);
        }
        let rest = Rest::new(other(cuts.start), self.words.start, self.side.words, least);
        let mut parts = Parts::new(&parts);
        for segment in &self.side.segments[segments] {
            self.pass(segment, parts.of(segment), &rest, work)?;
        }
        let is_there = self.stay(self.known[cuts.end].words.clone());
        Ok(is_there && self.stay_near(cuts.end, other(cuts.end), least))
    }

    /// The parts between `cuts`, with the words in which a choice can be as far as that is known from both ends.
    fn parts<'c>(&self, cuts: &Range<usize>, other: impl Fn(usize) -> &'c Cut) -> Vec<Part> {
        let words = |cut: usize| common(&self.known[cut].words, &mirrored(&other(cut).words, self.side.words));
        let mut end = usize::MAX;
        let parts = cuts.clone().rev().map(|cut| {
            end = end.min(words(cut + 1).end);
            Part { tokens: self.side.cuts[cut]..self.side.cuts[cut + 1], words: words(cut).start..end }
        });
        let mut parts: Vec<Part> = parts.collect();
        parts.reverse();
        parts
    }

    /// Leaves out the words that are not in `words`; `false`: no word is left.
    fn stay(&mut self, words: Range<usize>) -> bool {
        let words = common(&words, &self.words);
        if words.is_empty() {
            return false;
        }
        self.base += self.values.rise(self.words.start..words.start);
        self.top -= self.values.rise(words.end..self.words.end);
        self.values.flatten(words.end..self.words.end);
        self.words = words;
        true
    }

    /// Leaves out the words in which no choice can be at a cut that comes to `least`, and keeps the values.
    fn stay_near(&mut self, cut: usize, other: &Cut, least: usize) -> bool {
        let near = self.cut().near(other, self.side.words, least);
        let is_there = near.is_some_and(|near| self.stay(near));
        self.known[cut] = self.cut();
        is_there
    }

    fn cut(&self) -> Cut {
        let planes = self.values.halves.each_ref().map(|half| half[self.words.clone()].to_vec());
        Cut { words: self.words.clone(), base: self.base, planes }
    }

    /// Takes the values on by a segment, which lies in `parts`.
    fn pass(&mut self, segment: &Range<usize>, parts: &[Part], rest: &Rest, work: &mut Work) -> Result<(), TooLarge> {
        let end = rest.reach(self.top + segment.len()).min(parts[parts.len() - 1].words.end);
        let window = self.words.start..end.max(self.words.end);
        self.take(segment, parts, &window, work)?;
        let places = self.values.max_with(&self.taken, segment.len(), self.base % 2 == 1, window.clone());
        work.spend(places + STEPS * window.len(), 1)?;
        self.top = self.base + self.values.rise(window.clone());
        self.words = window;
        while self.words.len() > 1 && rest.is_far(self.top, self.words.end - 1) {
            self.stay(0..self.words.end - 1);
        }
        Ok(())
    }

    /// Makes the values those in `window` if `segment` is taken, its cost not yet counted.
    fn take(
        &mut self,
        segment: &Range<usize>,
        parts: &[Part],
        window: &Range<usize>,
        work: &mut Work,
    ) -> Result<(), TooLarge> {
        self.taken.copy_from(&self.values, window.clone());
        for part in parts {
            let (tokens, words) = (common(&part.tokens, segment), common(&part.words, window));
            if !words.is_empty() {
                work.spend(2 * tokens.len(), words.len())?;
                self.taken.advance(self.side, tokens, words);
            }
        }
        Ok(())
    }
}

/// The bounds from the other end at the cut with which a block begins.
struct Rest {
    least: usize,
    /// The first word.
    start: usize,
    /// The bound at the first place of each word; the last one is that of all words that follow too.
    values: Vec<usize>,
}

impl Rest {
    fn new(cut: &Cut, start: usize, length: usize, least: usize) -> Self {
        Rest { least, start, values: cut.falling(start, length) }
    }

    /// The first word in which a choice with `value` comes to too little.
    fn reach(&self, value: usize) -> usize {
        let words = self.values.partition_point(|rest| value + rest >= self.least);
        if words == self.values.len() { usize::MAX } else { self.start + words }
    }

    /// Whether a choice in `word`, at whose end it has `value`, comes to too little.
    fn is_far(&self, value: usize, word: usize) -> bool {
        value + self.values[(word - self.start).min(self.values.len() - 1)] < self.least
    }
}

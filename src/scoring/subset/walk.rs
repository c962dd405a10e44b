//! A walk through text and gold from one end: what choices of segments come to if a token costs half of what a matched one
//! earns.

use std::ops::Range;

use super::course::Bounds;
use super::cut::{Cut, Steps, net, peak, sum};
use super::levels::Levels;
use super::side::{Idle, Part, Parts, Side, common, mirrored};
use super::work::Work;
use crate::scoring::TooLarge;

/// Steps that a segment takes in a word beside the two of each token.
const STEPS: usize = 16;

/// Segments between two cuts that are not within a segment.
#[derive(Clone)]
pub(super) struct Block {
    segments: Range<usize>,
    /// From the first cut to the last one.
    pub(super) cuts: Range<usize>,
}

fn blocks(side: &Side) -> Vec<Block> {
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
    pub(super) blocks: Vec<Block>,
    /// Blocks that are behind.
    pub(super) done: usize,
    /// Steps that were taken.
    pub(super) steps: usize,
    values: Levels,
    /// Room for the values with a segment.
    taken: Levels,
    /// The words in which a good choice can be. Behind them the values do not rise.
    words: Range<usize>,
    /// The values at their first and last place.
    base: usize,
    top: usize,
    idle: Idle,
    /// For each cut a bound: `E` where the walk has been.
    pub(super) known: Bounds,
    /// For each segment a bound of what a choice with it comes to.
    pub(super) with: Vec<usize>,
    /// The last one for each content.
    with_content: Vec<usize>,
}

impl<'s> Walk<'s> {
    /// A walk from the beginning of `side`. What is known so far is how much is matched at most.
    pub(super) fn new(side: &'s Side, known: Bounds) -> Self {
        Walk {
            side,
            blocks: blocks(side),
            done: 0,
            steps: 0,
            values: Levels::flat(side.words),
            taken: Levels::flat(side.words),
            words: known[0].words.clone(),
            base: 0,
            top: 0,
            idle: Idle::new(side),
            known,
            with: vec![usize::MAX; side.segments.len()],
            with_content: vec![usize::MAX; side.segments.len()],
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.done == self.blocks.len()
    }

    /// The greatest value so far.
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// Walks through the next block, in the words in which a choice can be that comes to `least`; `false`: there is none.
    /// `others` are the bounds from the other end.
    pub(super) fn step(&mut self, others: &Bounds, least: usize, work: &mut Work) -> Result<bool, TooLarge> {
        let Block { segments, cuts } = self.blocks[self.done].clone();
        self.done += 1;
        let other = |cut: usize| &others[others.len() - 1 - cut];
        let parts = self.parts(&cuts, other);
        if !self.stay(0..parts[0].words.end) || !self.stay_near(cuts.start, other(cuts.start), least) {
            return Ok(false);
        }
        let rest = Rest::new(other(cuts.start), self.words.start, self.side.words, least);
        let mut parts = Parts::new(&parts);
        self.idle.reset();
        for place in segments {
            let parts = parts.of(&self.side.segments[place]);
            self.pass(place, parts, &rest, work)?;
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
    fn pass(&mut self, place: usize, parts: &[Part], rest: &Rest, work: &mut Work) -> Result<(), TooLarge> {
        let (segment, content) = (self.side.segments[place].clone(), self.side.contents[place]);
        if !self.idle.has(content) {
            let end = rest.reach(self.top + segment.len()).min(parts[parts.len() - 1].words.end);
            let window = self.words.start..end.max(self.words.end);
            let steps = self.take(&segment, parts, &window);
            if rest.is_exact {
                let most = rest.most(&self.taken, self.base, window.clone());
                self.with_content[content as usize] = most.saturating_sub(segment.len());
            }
            let is_odd = self.base % 2 == 1;
            let done = self.values.max_with(&self.taken, segment.len(), is_odd, window.clone());
            self.idle.tell(content, done.has_changed || parts.len() > 1);
            let steps = steps + done.steps + STEPS * window.len();
            work.spend(steps, 1)?;
            self.steps += steps;
            self.top = self.base + self.values.rise(window.clone());
            self.words = window;
            while self.words.len() > 1 && rest.is_far(self.top, self.words.end - 1) {
                self.stay(0..self.words.end - 1);
            }
        }
        if rest.is_exact {
            self.with[place] = self.with_content[content as usize];
        }
        Ok(())
    }

    /// Makes the values those in `window` if `segment` is taken, its cost not yet counted; the steps that it took.
    fn take(&mut self, segment: &Range<usize>, parts: &[Part], window: &Range<usize>) -> usize {
        self.taken.copy_from(&self.values, window.clone());
        let mut steps = 0;
        for part in parts {
            let (tokens, words) = (common(&part.tokens, segment), common(&part.words, window));
            if !words.is_empty() {
                steps += 2 * tokens.len() * words.len();
                self.taken.advance(self.side, tokens, words);
            }
        }
        steps
    }
}

/// The bounds from the other end at the cut with which a block begins.
struct Rest {
    /// Whether they are what the rest comes to, and not only what it matches.
    is_exact: bool,
    least: usize,
    /// The first word.
    start: usize,
    /// The bound at the first place of each word; the last one is that of all words that follow too.
    values: Vec<usize>,
    /// Where it falls in each word but the last one.
    falls: Vec<Steps>,
}

impl Rest {
    fn new(cut: &Cut, start: usize, length: usize, least: usize) -> Self {
        let values = cut.falling(start, length);
        let falls = (start..start + values.len() - 1).map(|word| cut.falls(word, length)).collect();
        Rest { is_exact: cut.is_exact(), least, start, values, falls }
    }

    fn at(&self, word: usize) -> usize {
        self.values[(word - self.start).min(self.values.len() - 1)]
    }

    /// The first word in which a choice with `value` comes to too little.
    fn reach(&self, value: usize) -> usize {
        let words = self.values.partition_point(|rest| value + rest >= self.least);
        if words == self.values.len() { usize::MAX } else { self.start + words }
    }

    /// Whether a choice in `word`, at whose end it has `value`, comes to too little.
    fn is_far(&self, value: usize, word: usize) -> bool {
        value + self.at(word) < self.least
    }

    /// The greatest sum with values that are `base` at the first place of `words`.
    fn most(&self, values: &Levels, base: usize, words: Range<usize>) -> usize {
        let mut most = 0;
        let mut both = base + self.at(words.start);
        for word in words {
            let falls = self.falls.get(word - self.start).copied().unwrap_or_default();
            let (up, down) = net(values.rises(word), falls);
            if both + sum(up) > most {
                most = most.max(both + peak(up, down));
            }
            both = both + sum(up) - sum(down);
        }
        most
    }
}

//! Where good choices of segments can be, by what they come to from both ends of text and gold.

use std::ops::Range;

use super::course::{Bounds, Course};
use super::side::{Part, Side};
use super::walk::Walk;
use super::work::Work;
use crate::scoring::TooLarge;

/// What is known of a text and a gold from both ends.
pub(super) struct Net<'s> {
    side: &'s Side,
    before: Bounds,
    after: Bounds,
    /// Cuts that are not within a segment: there both bounds are `E`.
    between: Vec<usize>,
    /// For each segment a bound of what a choice with it comes to.
    with: Vec<usize>,
    /// The greatest `E`.
    pub(super) most: usize,
}

impl<'s> Net<'s> {
    /// The net of choices whose `E` is at least `least`, within the bounds of what they match; `None` where there is no
    /// such choice.
    ///
    /// There is a walk from each end. Before they meet, the one that took fewer steps goes on: on its way to where the
    /// gold's text stands a walk has to do with few places, but beyond it with nearly all, unless the other one has been
    /// there.
    pub(super) fn new(
        course: &Course<'s>,
        [before, after]: [Bounds; 2],
        least: usize,
        work: &mut Work,
    ) -> Result<Option<Self>, TooLarge> {
        let side = course.side;
        let (mut forth, mut back) = (Walk::new(side, before), Walk::new(course.mirrored, after));
        let mut most = None;
        while !(forth.is_done() && back.is_done()) {
            let is_forth = if most.is_some() { !forth.is_done() } else { forth.steps <= back.steps };
            let (walk, others) = if is_forth { (&mut forth, &back.known) } else { (&mut back, &forth.known) };
            if !walk.step(others, least, work)? {
                return Ok(None);
            }
            if most.is_none() && forth.done + back.done == forth.blocks.len() {
                let cut = forth.blocks.get(forth.done).map_or(side.cuts.len() - 1, |block| block.cuts.start);
                let (one, other) = (&forth.known[cut], &back.known[side.cuts.len() - 1 - cut]);
                most = Some(one.most(other, side.words));
            }
        }
        let with = forth.with.iter().zip(back.with.iter().rev()).map(|(one, other)| *one.min(other)).collect();
        let between = std::iter::once(0).chain(forth.blocks.iter().map(|block| block.cuts.end)).collect();
        let most = most.unwrap_or(0);
        Ok(Some(Net { side, before: forth.known, after: back.known, between, with, most }))
    }

    /// An `E` that a choice within these bounds has, and perhaps not the greatest.
    pub(super) fn guess(course: &Course, [before, after]: [Bounds; 2], work: &mut Work) -> Result<usize, TooLarge> {
        let mut walk = Walk::new(course.side, before);
        while !walk.is_done() {
            walk.step(&after, 0, work)?;
        }
        Ok(walk.top())
    }

    /// The parts of the text with the words in which a choice can be whose `E` is at least `least`.
    pub(super) fn band(&self, least: usize) -> Vec<Part> {
        let last = self.before.len() - 1;
        let mut near: Vec<Range<usize>> = self.before.iter().map(|cut| cut.words.clone()).collect();
        for &cut in &self.between {
            if let Some(words) = self.before[cut].near(&self.after[last - cut], self.side.words, least) {
                near[cut] = words;
            }
        }
        for cut in 1..=last {
            near[cut].start = near[cut].start.max(near[cut - 1].start);
        }
        for cut in (0..last).rev() {
            near[cut].end = near[cut].end.min(near[cut + 1].end);
        }
        let cuts = self.side.cuts.windows(2).zip(near.windows(2));
        cuts.map(|(cut, near)| Part { tokens: cut[0]..cut[1], words: near[0].start..near[1].end }).collect()
    }

    /// Whether a choice with this segment can have an `E` of `least`.
    pub(super) fn can_have(&self, segment: usize, least: usize) -> bool {
        self.with[segment] >= least
    }
}

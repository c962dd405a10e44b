//! Where good choices of segments can be, by what they come to from both ends of text and gold.

use std::ops::Range;

use super::course::{Bounds, Course};
use super::side::{Part, Side};
use super::walk::{Walk, blocks};
use super::work::Work;
use crate::scoring::TooLarge;

/// What is known of a text and a gold from both ends.
pub(super) struct Net<'s> {
    side: &'s Side,
    before: Bounds,
    after: Bounds,
    /// The greatest `E`.
    pub(super) most: usize,
}

impl<'s> Net<'s> {
    /// The net of choices whose `E` is at least `least`, within the bounds of what they match; `None` where there is no
    /// such choice.
    ///
    /// There is a walk from each end. The second one stays where the first one has shown that a choice can be.
    pub(super) fn new(
        course: &Course<'s>,
        [before, after]: [Bounds; 2],
        least: usize,
        work: &mut Work,
    ) -> Result<Option<Self>, TooLarge> {
        let (mut forth, mut back) = (Walk::new(course.side, before), Walk::new(course.mirrored, after));
        if !forth.go(&back.known, least, work)? || !back.go(&forth.known, least, work)? {
            return Ok(None);
        }
        let most = forth.top();
        Ok(Some(Net { side: course.side, before: forth.known, after: back.known, most }))
    }

    /// An `E` that a choice within these bounds has, and perhaps not the greatest.
    pub(super) fn guess(course: &Course, [before, after]: [Bounds; 2], work: &mut Work) -> Result<usize, TooLarge> {
        let mut walk = Walk::new(course.side, before);
        walk.go(&after, 0, work)?;
        Ok(walk.top())
    }

    /// The parts of the text with the words in which a choice can be whose `E` is at least `least`.
    pub(super) fn band(&self, least: usize) -> Vec<Part> {
        let last = self.before.len() - 1;
        let mut near: Vec<Range<usize>> = self.before.iter().map(|cut| cut.words.clone()).collect();
        // At the ends of blocks both bounds are `E`.
        for cut in std::iter::once(0).chain(blocks(self.side).iter().map(|block| block.cuts.end)) {
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
}

//! The filters that make content of blocks, one after the other.

use super::blocks::{Block, Blocks, Counts};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::value::Value;

/// Blocks up to this many apart are near.
const MAX_DISTANCE: usize = 1;

/// A page's blocks on their way through the filters.
#[derive(Clone)]
pub(super) struct Document {
    pub(super) blocks: Vec<Block>,
    /// For each of the page's blocks: whether it was removed.
    removed: Vec<bool>,
}

impl Document {
    pub(super) fn new(blocks: &Blocks) -> Self {
        Document { blocks: blocks.blocks.clone(), removed: vec![false; blocks.blocks.len()] }
    }

    /// The text nodes of the content.
    pub(super) fn content(&self, blocks: &Blocks) -> Choice {
        let content = self.blocks.iter().filter(|block| block.is_content);
        let places = content.flat_map(|block| block.first..=block.last).filter(|&place| !self.removed[place]);
        places.flat_map(|place| blocks.nodes(place)).copied().collect()
    }

    /// Makes content of each block of which `is_content` says so, of the counts of the one before, its own and those of
    /// the one after it; before the first and after the last stands an empty one.
    pub(super) fn classify(&mut self, is_content: impl Fn(Counts, Counts, Counts) -> bool) {
        let mut previous = Counts::default();
        for place in 0..self.blocks.len() {
            let next = self.blocks.get(place + 1).map_or(Counts::default(), |block| block.counts);
            let block = &mut self.blocks[place];
            block.is_content = is_content(previous, block.counts, next);
            previous = block.counts;
        }
    }

    /// Merges neighbours of equal text density.
    pub(super) fn fuse_equal(&mut self) {
        self.fuse_from(0, |previous, block| previous.counts.text_density() == block.counts.text_density());
    }

    /// Merges content blocks into what stands at most one block before them: with `content_only` into content, with
    /// `same_level` into blocks of their level.
    pub(super) fn fuse_near(&mut self, content_only: bool, same_level: bool) {
        let first = if content_only { self.blocks.iter().position(|block| block.is_content) } else { Some(0) };
        let Some(first) = first else { return };
        self.fuse_from(first, |previous, block| {
            block.is_content
                && block.first - previous.last - 1 <= MAX_DISTANCE
                && (!content_only || previous.is_content)
                && (!same_level || previous.level == block.level)
        });
    }

    /// Merges each block after the one at `first` into its predecessor, itself perhaps merged, where `merges` says so.
    fn fuse_from(&mut self, first: usize, merges: impl Fn(&Block, &Block) -> bool) {
        let later = self.blocks.split_off((first + 1).min(self.blocks.len()));
        for block in later {
            match self.blocks.last_mut() {
                Some(previous) if merges(previous, &block) => previous.merge(block),
                _ => self.blocks.push(block),
            }
        }
    }

    /// The words of dense content up to each block that says that the article ends.
    pub(super) fn words_before_ends(&self) -> impl Iterator<Item = (usize, u64)> {
        const DENSE: u64 = 9;
        let mut words = 0;
        self.blocks.iter().enumerate().filter_map(move |(place, block)| {
            if block.is_content && block.counts.text_density() >= Value::decimal(DENSE, 0) {
                words += u64::from(block.counts.words);
            }
            block.labels.end.then_some((place, words))
        })
    }

    /// Nothing is content from the first block on that says that the article ends and has `min_words` before it.
    pub(super) fn cut_after_end(&mut self, min_words: Value) {
        let end = self.words_before_ends().find(|&(_, words)| Value::decimal(words, 0) >= min_words);
        if let Some((end, _)) = end {
            self.blocks[end..].iter_mut().for_each(|block| block.is_content = false);
        }
    }

    /// Headings after the last other content are not content.
    pub(super) fn drop_trailing_headings(&mut self) {
        let content = self.blocks.iter_mut().rev().filter(|block| block.is_content);
        content.take_while(|block| block.labels.heading).for_each(|block| block.is_content = false);
    }

    /// Removes every block of which `stays` is not true.
    pub(super) fn retain(&mut self, stays: impl Fn(&Block) -> bool) {
        self.blocks.retain(|block| {
            let stays = stays(block);
            if !stays {
                self.removed[block.first..=block.last].fill(true);
            }
            stays
        });
    }

    /// Of content only the block with most words stays, the first of equal ones; gives its place. One block alone is
    /// left as it is.
    pub(super) fn keep_largest(&mut self) -> Option<usize> {
        if self.blocks.len() < 2 {
            return None;
        }
        let content = self.blocks.iter().enumerate().filter(|(_, block)| block.is_content);
        let largest = content.rev().max_by_key(|(_, block)| block.counts.words).map(|(place, _)| place);
        for (place, block) in self.blocks.iter_mut().enumerate() {
            block.is_content = Some(place) == largest;
            block.labels.likely |= block.is_content;
            block.labels.might |= !block.is_content;
        }
        largest
    }

    /// From `largest` in both directions up to a block of a lower level, blocks of the same level with many words are
    /// content.
    pub(super) fn expand_at_level(&mut self, largest: usize) {
        const MIN_WORDS: u32 = 150;
        let level = self.blocks[largest].level;
        let expand = |block: &mut Block| block.is_content |= block.level == level && block.counts.words >= MIN_WORDS;
        let (before, after) = self.blocks.split_at_mut(largest);
        before.iter_mut().rev().take_while(|block| block.level >= level).for_each(expand);
        after.iter_mut().take_while(|block| block.level >= level).for_each(expand);
    }

    /// What stands between the title and the first content, and might be content, is.
    pub(super) fn expand_to_title(&mut self) {
        let Some(start) = self.blocks.iter().position(|block| block.is_content) else { return };
        let Some(title) = self.blocks[..=start].iter().rposition(|block| block.labels.title) else { return };
        self.blocks[title..start].iter_mut().for_each(|block| block.is_content |= block.labels.might);
    }

    /// Blocks with many words at the level of the first likely content are content.
    pub(super) fn add_large_at_level(&mut self) {
        const MIN_WORDS: u32 = 100;
        let Some(likely) = self.blocks.iter().find(|block| block.is_content && block.labels.likely) else { return };
        let level = likely.level;
        let large = |block: &&mut Block| block.level == level && block.counts.words >= MIN_WORDS;
        self.blocks.iter_mut().filter(large).for_each(|block| block.is_content = true);
    }

    /// The list items right after likely content, deeper than it and without links, are content.
    pub(super) fn add_list_at_end(&mut self) {
        let mut above = None;
        for block in &mut self.blocks {
            if block.is_content && block.labels.likely {
                above = Some(block.level);
                continue;
            }
            let is_item = block.labels.might && block.labels.list_item && block.counts.linked == 0;
            if is_item && above.is_some_and(|level| block.level > level) {
                block.is_content = true;
            } else {
                above = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Labels;
    use super::*;

    /// Blocks of so many words and such a level, with marks: `c` content, `l` list item, `h` heading, `t` title, `e` end
    /// of the article, `y` likely content, `m` perhaps content, `a` all words linked.
    fn document(blocks: &[(u32, u32, &str)]) -> Document {
        let of = |(place, &(words, level, marks)): (usize, &(u32, u32, &str))| {
            let has = |mark| marks.contains(mark);
            let labels = Labels {
                list_item: has('l'),
                heading: has('h'),
                title: has('t'),
                end: has('e'),
                likely: has('y'),
                might: has('m'),
            };
            let counts = Counts::new(words, if has('a') { words } else { 0 }, words, 1);
            Block { first: place, last: place, counts, level, labels, is_content: has('c') }
        };
        Document { blocks: blocks.iter().enumerate().map(of).collect(), removed: vec![false; blocks.len()] }
    }

    /// The first and the last block of each, with a star where it is content.
    fn told(document: &Document) -> String {
        let of = |block: &Block| format!("{}-{}{} ", block.first, block.last, if block.is_content { "*" } else { "" });
        document.blocks.iter().map(of).collect::<String>().trim_end().to_owned()
    }

    fn after(blocks: &[(u32, u32, &str)], filter: impl Fn(&mut Document)) -> String {
        let mut document = document(blocks);
        filter(&mut document);
        told(&document)
    }

    #[test]
    fn content_draws_the_block_before_it_in() {
        let blocks = [(5, 1, ""), (5, 1, "c"), (5, 1, ""), (5, 1, ""), (5, 2, "c"), (5, 2, "c")];
        assert_eq!(after(&blocks, |document| document.fuse_near(false, false)), "0-1* 2-2 3-5*");
        assert_eq!(after(&blocks, |document| document.fuse_near(false, true)), "0-1* 2-2 3-3 4-5*");
        assert_eq!(after(&blocks, |document| document.fuse_near(true, false)), "0-0 1-1* 2-2 3-3 4-5*");
        // Once what is no content is removed, one such block between may have been, two not.
        let gaps = [(5, 1, "c"), (5, 1, ""), (5, 1, "c"), (5, 1, ""), (5, 1, ""), (5, 1, "c")];
        let removed = |document: &mut Document| {
            document.retain(|block| block.is_content);
            document.fuse_near(true, false);
        };
        assert_eq!(after(&gaps, removed), "0-2* 5-5*");
        let mut document = document(&gaps);
        removed(&mut document);
        assert_eq!(document.removed, [false, true, false, true, true, false]);
    }

    #[test]
    fn equally_dense_blocks_are_merged_with_what_they_became() {
        // 2 and 2 words a line are 4 words in 2 lines, which is 2 words a line again.
        let blocks = [(2, 1, ""), (2, 1, ""), (2, 1, ""), (4, 1, ""), (2, 1, "")];
        assert_eq!(after(&blocks, Document::fuse_equal), "0-2 3-3 4-4");
    }

    #[test]
    fn an_end_cuts_only_after_enough_dense_content() {
        // Text densities are the words here: 8 words are not dense, 40 that are no content do not count.
        let blocks = [(8, 1, "c"), (40, 1, ""), (9, 1, "c"), (3, 1, "e"), (51, 1, "c"), (3, 1, "ce"), (70, 1, "c")];
        let cut = |words| after(&blocks, |document| document.cut_after_end(Value::decimal(words, 0)));
        assert_eq!(cut(61), "0-0* 1-1 2-2* 3-3 4-4* 5-5* 6-6*");
        assert_eq!(cut(60), "0-0* 1-1 2-2* 3-3 4-4* 5-5 6-6");
        assert_eq!(cut(9), "0-0* 1-1 2-2* 3-3 4-4 5-5 6-6");
    }

    #[test]
    fn headings_at_the_end_are_dropped() {
        let blocks = [(5, 1, "ch"), (5, 1, "c"), (5, 1, "ch"), (5, 1, ""), (5, 1, "ch")];
        assert_eq!(after(&blocks, Document::drop_trailing_headings), "0-0* 1-1* 2-2 3-3 4-4");
    }

    #[test]
    fn the_largest_block_stays_and_takes_the_title_with_it() {
        let keep = |document: &mut Document| {
            document.keep_largest();
        };
        assert_eq!(after(&[(9, 1, ""), (5, 1, "c"), (7, 1, "c"), (7, 1, "c")], keep), "0-0 1-1 2-2* 3-3");
        assert_eq!(after(&[(5, 1, "")], keep), "0-0");
        let titled = [(5, 1, "m"), (5, 1, "mt"), (5, 1, "m"), (5, 1, ""), (9, 1, "c"), (5, 1, "mt")];
        assert_eq!(after(&titled, Document::expand_to_title), "0-0 1-1* 2-2* 3-3 4-4* 5-5");
    }

    #[test]
    fn long_blocks_of_the_level_around_the_largest_are_content() {
        let blocks = [
            (200, 2, ""),
            (200, 1, ""),
            (150, 2, ""),
            (200, 3, ""),
            (300, 2, "c"),
            (149, 2, ""),
            (150, 2, ""),
            (9, 1, ""),
            (200, 2, ""),
        ];
        let expand = |document: &mut Document| document.expand_at_level(4);
        assert_eq!(after(&blocks, expand), "0-0 1-1 2-2* 3-3 4-4* 5-5 6-6* 7-7 8-8");
        let anywhere = [(99, 2, ""), (100, 2, ""), (100, 1, ""), (9, 2, "cy"), (9, 1, "cy")];
        assert_eq!(after(&anywhere, Document::add_large_at_level), "0-0 1-1* 2-2 3-3* 4-4*");
    }

    #[test]
    fn list_items_right_after_the_content_are_content() {
        let items = [(5, 3, "lm"), (9, 2, "cy"), (5, 3, "lm"), (5, 3, "lm"), (5, 3, "lma"), (5, 3, "lm")];
        assert_eq!(after(&items, Document::add_list_at_end), "0-0 1-1* 2-2* 3-3* 4-4 5-5");
        assert_eq!(after(&[(9, 2, "cy"), (5, 2, "lm")], Document::add_list_at_end), "0-0* 1-1");
        assert_eq!(after(&[(9, 2, "cy"), (5, 3, "m")], Document::add_list_at_end), "0-0* 1-1");
    }
}

//! The decision trees of the paper: which blocks are content by the counts of three neighbours.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blocks::Counts;
use crate::algorithms::value::Value;

/// Which blocks have too many links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkLimits {
    /// share of linked words above which a block is no content
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub max_link_density: Value,
    /// share of linked words in the block before, above which more is asked of a block
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub max_prev_link_density: Value,
}

impl LinkLimits {
    /// The limit of this name.
    pub(super) fn swept(&mut self, name: &str) -> Option<&mut Value> {
        match name {
            "max_link_density" => Some(&mut self.max_link_density),
            "max_prev_link_density" => Some(&mut self.max_prev_link_density),
            _ => None,
        }
    }
}

/// Which blocks have enough words: any of the three, or after a block of links any of the two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WordLimits {
    /// words above which a block is content
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub curr_words: Value,
    /// words of the next block above which one is content
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub next_words: Value,
    /// words of the block before above which one is content
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub prev_words: Value,
    /// words above which a block after one of links is content
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub curr_words_after_links: Value,
    /// words of the next block above which one after one of links is content
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub next_words_after_links: Value,
}

impl WordLimits {
    /// The limit of this name.
    pub(super) fn swept(&mut self, name: &str) -> Option<&mut Value> {
        match name {
            "curr_words" => Some(&mut self.curr_words),
            "next_words" => Some(&mut self.next_words),
            "prev_words" => Some(&mut self.prev_words),
            "curr_words_after_links" => Some(&mut self.curr_words_after_links),
            "next_words_after_links" => Some(&mut self.next_words_after_links),
            _ => None,
        }
    }
}

/// Which blocks are dense enough, in words a full line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DensityLimits {
    /// density above which a block is content if one with words follows
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub curr_density: Value,
    /// density of the next block above which a sparser one is content
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub next_density: Value,
    /// density of the block before above which a sparser one is content
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub prev_density: Value,
    /// density of the next block above which one after one of links is content
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub next_density_after_links: Value,
}

impl DensityLimits {
    /// The limit of this name.
    pub(super) fn swept(&mut self, name: &str) -> Option<&mut Value> {
        match name {
            "curr_density" => Some(&mut self.curr_density),
            "next_density" => Some(&mut self.next_density),
            "prev_density" => Some(&mut self.prev_density),
            "next_density_after_links" => Some(&mut self.next_density_after_links),
            _ => None,
        }
    }
}

impl Default for LinkLimits {
    fn default() -> Self {
        LinkLimits { max_link_density: Value::decimal(333_333, 6), max_prev_link_density: Value::decimal(555_556, 6) }
    }
}

impl Default for WordLimits {
    fn default() -> Self {
        let [curr_words, next_words, prev_words, curr_words_after_links, next_words_after_links] =
            [16, 15, 4, 40, 17].map(|words| Value::decimal(words, 0));
        WordLimits { curr_words, next_words, prev_words, curr_words_after_links, next_words_after_links }
    }
}

impl Default for DensityLimits {
    fn default() -> Self {
        let [curr_density, next_density, prev_density, next_density_after_links] =
            [9, 10, 4, 11].map(|density| Value::decimal(density, 0));
        DensityLimits { curr_density, next_density, prev_density, next_density_after_links }
    }
}

impl WordLimits {
    /// The decision tree of the paper, its version over words.
    pub(super) fn is_content(&self, links: &LinkLimits, previous: Counts, current: Counts, next: Counts) -> bool {
        if current.link_density() > links.max_link_density {
            return false;
        }
        if previous.link_density() > links.max_prev_link_density {
            return current.words() > self.curr_words_after_links || next.words() > self.next_words_after_links;
        }
        current.words() > self.curr_words || next.words() > self.next_words || previous.words() > self.prev_words
    }
}

impl DensityLimits {
    /// The same tree over densities. A dense block that nothing with words follows is no content.
    pub(super) fn is_content(&self, links: &LinkLimits, previous: Counts, current: Counts, next: Counts) -> bool {
        if current.link_density() > links.max_link_density {
            return false;
        }
        if previous.link_density() > links.max_prev_link_density {
            return next.text_density() > self.next_density_after_links;
        }
        if current.text_density() > self.curr_density {
            return next.text_density() > Value::ZERO;
        }
        next.text_density() > self.next_density || previous.text_density() > self.prev_density
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many words, in one line, of which so many are linked.
    fn counts(words: u32, linked: u32) -> Counts {
        Counts::new(words, linked, words, 1)
    }

    fn by_words(previous: Counts, current: Counts, next: Counts) -> bool {
        WordLimits::default().is_content(&LinkLimits::default(), previous, current, next)
    }

    fn by_densities(previous: Counts, current: Counts, next: Counts) -> bool {
        DensityLimits::default().is_content(&LinkLimits::default(), previous, current, next)
    }

    #[test]
    fn limits_of_words_are_exceeded_not_reached() {
        let of = |previous, current, next| by_words(counts(previous, 0), counts(current, 0), counts(next, 0));
        assert_eq!([of(4, 16, 15), of(5, 0, 0), of(0, 17, 0), of(0, 0, 16)], [false, true, true, true]);
        // 5/9 is below 0.555556, and 5 words before one are enough; 3/5 is above.
        assert!(by_words(counts(9, 5), counts(1, 0), counts(0, 0)));
        let after_links = |current, next| by_words(counts(5, 3), counts(current, 0), counts(next, 0));
        assert_eq!([after_links(40, 17), after_links(41, 0), after_links(0, 18)], [false, true, true]);
    }

    #[test]
    fn limits_of_densities_are_exceeded_not_reached() {
        let of = |previous, current, next| by_densities(counts(previous, 0), counts(current, 0), counts(next, 0));
        assert_eq!([of(4, 9, 10), of(5, 9, 0), of(0, 9, 11)], [false, true, true]);
        assert_eq!([of(0, 10, 1), of(9, 10, 0)], [true, false]);
        let after_links = |next| by_densities(counts(5, 3), counts(50, 0), counts(next, 0));
        assert_eq!([after_links(11), after_links(12)], [false, true]);
    }

    #[test]
    fn a_third_of_linked_words_is_too_much() {
        assert_eq!([by_words, by_densities].map(|tree| tree(counts(9, 0), counts(30, 10), counts(30, 0))), [false; 2]);
        assert_eq!([by_words, by_densities].map(|tree| tree(counts(9, 0), counts(31, 10), counts(30, 0))), [true; 2]);
    }
}

//! The Levenshtein distance, exactly.
//!
//! Bit-parallel: a bit per token of the gold, 64 of them in a block (Myers 1999, in the form of Hyyrö 2003). Only those
//! blocks are computed through which a distance of at most a bound can pass, and the bound grows until it suffices
//! (Ukkonen 1985).

use std::ops::Range;

use super::counts::Counts;
use super::places::{Places, TokenPlaces};
use crate::text::tokens::Token;

/// Rows of a block.
const ROWS: usize = u64::BITS as usize;

/// Tokens after which the blocks are chosen anew.
const STRIP: usize = 32;

/// The slack that the first bound allows beyond the difference of the lengths.
const FIRST_SLACK: usize = 64;

/// A gold, prepared to be compared with many extractions.
pub(super) struct Edit {
    tokens: Vec<Token>,
    places: TokenPlaces,
}

impl Edit {
    pub(super) fn new(tokens: &[Token]) -> Self {
        Edit { tokens: tokens.to_vec(), places: TokenPlaces::new(tokens) }
    }

    /// The longer text's length less the distance, of that length on both sides.
    pub(super) fn counts(&self, tokens: &[Token]) -> Counts {
        let longer = self.tokens.len().max(tokens.len());
        let matched = (longer - self.distance(tokens)) as u64;
        Counts { matched, extracted: longer as u64, gold: longer as u64 }
    }

    /// The least number of tokens to insert, delete or replace.
    fn distance(&self, other: &[Token]) -> usize {
        let common = |(one, other): &(&Token, &Token)| one == other;
        let prefix = self.tokens.iter().zip(other).take_while(common).count();
        let suffix = self.tokens[prefix..].iter().rev().zip(other[prefix..].iter().rev()).take_while(common).count();
        // A block begins at a whole word of the gold's places, so the rest of a common prefix is computed like any other text.
        let start = prefix - prefix % ROWS;
        let (gold, other) = (start..self.tokens.len() - suffix, &other[start..other.len() - suffix]);
        let longer = gold.len().max(other.len());
        if gold.len().min(other.len()) + start == prefix {
            return longer - gold.len().min(other.len());
        }
        let table = Table { gold, places: other.iter().map(|&token| self.places.of(token)).collect() };
        let (least, mut slack) = (longer - table.gold.len().min(other.len()), FIRST_SLACK);
        loop {
            if let Some(distance) = table.distance((least + slack).min(longer)) {
                return distance;
            }
            slack *= 4;
        }
    }
}

/// 64 rows of the table in one column: bits of the rows whose vertical difference is +1, and -1.
#[derive(Clone, Copy)]
struct Block {
    positive: u64,
    negative: u64,
}

impl Block {
    /// Rows that each cost one more than the row above.
    const DELETED: Block = Block { positive: !0, negative: 0 };

    /// Takes the rows through one token with the matches `equal`. Takes and gives whether the distance grows, and whether it
    /// falls, in the row above and in the last row.
    #[inline(always)]
    fn step(&mut self, equal: u64, (grows, falls): (u64, u64)) -> (u64, u64) {
        let Block { positive, negative } = *self;
        let vertical = equal | negative;
        let equal = equal | falls;
        let horizontal = ((equal & positive).wrapping_add(positive) ^ positive) | equal;
        let up = negative | !(horizontal | positive);
        let down = positive & horizontal;
        let (shifted_up, shifted_down) = (up << 1 | grows, down << 1 | falls);
        self.positive = shifted_down | !(vertical | shifted_up);
        self.negative = shifted_up & vertical;
        (up >> 63, down >> 63)
    }

    /// The distance in the last of `rows` rows, where it is `above` in the row above the first.
    fn below(self, above: usize, rows: usize) -> usize {
        let mask = !0 >> (ROWS - rows);
        above + (self.positive & mask).count_ones() as usize - (self.negative & mask).count_ones() as usize
    }
}

/// The table of the distances of all beginnings of two texts.
struct Table<'m> {
    /// The part of the gold that is compared. It begins at a block.
    gold: Range<usize>,
    /// The other text.
    places: Vec<&'m Places>,
}

impl Table<'_> {
    /// The distance if it is not above `bound`.
    fn distance(&self, bound: usize) -> Option<usize> {
        let mut band = Band { first: 0, blocks: Vec::new(), above: 0, below: 0, rows: self.gold.len(), bound };
        let mut left = self.places.len();
        let mut rooms = [Vec::new(), Vec::new()];
        for strip in self.places.chunks(STRIP) {
            left -= strip.len();
            band.grow(left, strip.len());
            let words = self.gold.start / ROWS;
            let words = words + band.first..words + band.blocks.len();
            let blocks = &mut band.blocks[band.first..];
            let (pairs, rest) = strip.as_chunks();
            for [one, other] in pairs {
                let [room, of_other] = &mut rooms;
                sweep(blocks, [one.words(words.clone(), room), other.words(words.clone(), of_other)]);
            }
            for places in rest {
                sweep(blocks, [places.words(words.clone(), &mut rooms[0])]);
            }
            band.above += strip.len();
            band.trim(left)?;
        }
        band.distance()
    }
}

/// The blocks that are computed: the distance is known in those cells from which the whole distance can be at most
/// the bound, and nowhere too small.
struct Band {
    first: usize,
    /// From the gold's first block on, those before `first` out of use.
    blocks: Vec<Block>,
    /// The distance in the row above the first block.
    above: usize,
    /// The distance in the last row of the last block.
    below: usize,
    /// Rows of the whole table.
    rows: usize,
    bound: usize,
}

impl Band {
    /// Adds the blocks that are in reach within the next `tokens` tokens, behind which `left` are left.
    fn grow(&mut self, left: usize, tokens: usize) {
        while self.blocks.len() * ROWS < self.rows {
            let rows_left = self.rows - self.blocks.len() * ROWS;
            if self.below + left.saturating_sub(rows_left) > self.bound + tokens {
                break;
            }
            self.blocks.push(Block::DELETED);
            self.below += ROWS;
        }
    }

    /// Drops the first and last blocks from which the whole distance is above the bound; `left`: how many tokens are left.
    /// `None` if no block is left.
    fn trim(&mut self, left: usize) -> Option<()> {
        loop {
            let below = self.blocks.get(self.first)?.below(self.above, ROWS);
            if self.passes(self.first, self.above, below, left) {
                break;
            }
            self.above = below;
            self.first += 1;
        }
        self.below = self.blocks[self.first..].iter().fold(self.above, |above, block| block.below(above, ROWS));
        loop {
            let last = self.blocks.len() - 1;
            let Block { positive, negative } = self.blocks[last];
            let above = self.below + negative.count_ones() as usize - positive.count_ones() as usize;
            if self.passes(last, above, self.below, left) {
                return Some(());
            }
            self.blocks.pop();
            self.below = above;
        }
    }

    /// True if the whole distance can be at most the bound by way of a block or of the row above it.
    fn passes(&self, block: usize, above: usize, below: usize, left: usize) -> bool {
        // Neighbours differ by at most 1, in the distance and in what is left to delete or to insert.
        let least = (above + below).saturating_sub(ROWS).div_ceil(2);
        let most_rows = self.rows - block * ROWS;
        let least_rows = most_rows.saturating_sub(ROWS);
        least + left.saturating_sub(most_rows).max(least_rows.saturating_sub(left)) <= self.bound
    }

    fn distance(&self) -> Option<usize> {
        let last = self.rows.div_ceil(ROWS) - 1;
        let block = self.blocks.get(last)?;
        let above = self.blocks[self.first..last].iter().fold(self.above, |above, block| block.below(above, ROWS));
        Some(block.below(above, self.rows - last * ROWS)).filter(|distance| *distance <= self.bound)
    }
}

/// Takes the blocks through tokens one after the other, whose matches are `rows`: their chains of carries overlap in the
/// processor.
fn sweep<const N: usize>(blocks: &mut [Block], rows: [&[u64]; N]) {
    let rows = rows.map(|row| &row[..blocks.len()]);
    // In the first row the distance grows: so it does above the first block, or it is not known to fall.
    let mut carries = [(1, 0); N];
    for (at, block) in blocks.iter_mut().enumerate() {
        for (row, carry) in rows.iter().zip(&mut carries) {
            *carry = block.step(row[at], *carry);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn distance(one: &[Token], other: &[Token]) -> usize {
        Edit::new(one).distance(other)
    }

    #[test]
    fn distances_of_short_texts() {
        let tokens = |text: &str| text.bytes().map(Token::from).collect::<Vec<_>>();
        let of = |one: &str, other: &str| distance(&tokens(one), &tokens(other));
        assert_eq!([of("kitten", "sitting"), of("", "abc"), of("abc", ""), of("", "")], [3, 3, 3, 0]);
        assert_eq!([of("abc", "ac"), of("ac", "abc"), of("abcabc", "abc")], [1, 1, 3]);
        let counts = Edit::new(&tokens("sitting")).counts(&tokens("kitten"));
        assert_eq!(counts, Counts { matched: 4, extracted: 7, gold: 7 });
    }

    fn by_rapidfuzz(one: &[Token], other: &[Token]) -> usize {
        rapidfuzz::distance::levenshtein::distance(one.iter(), other.iter())
    }

    /// Texts without a common token at either end, so that nothing is cut off: `length` equal tokens between what only one
    /// text has.
    fn shifted(length: usize, before: usize, behind: usize) -> [Vec<Token>; 2] {
        let text: Vec<Token> = (0..length as Token).map(|at| 1 + at * at % 7).collect();
        let one = [vec![8; before], text.clone(), vec![0]].concat();
        let other = [text, vec![9; behind]].concat();
        [one, other]
    }

    #[test]
    fn lengths_about_whole_blocks() {
        let lengths = [0, 1, 63, 64, 65, 127, 128, 129, 191, 192, 193, 640];
        for length in lengths {
            let text: Vec<Token> = (0..length as Token).map(|at| at * at % 11).collect();
            for other_length in lengths {
                let other: Vec<Token> = (0..other_length as Token).map(|at| at * at % 13).collect();
                let expected = by_rapidfuzz(&text, &other);
                assert_eq!(distance(&text, &other), expected, "{length} and {other_length} tokens");
            }
        }
    }

    #[test]
    fn distances_about_each_bound() {
        for slack in [FIRST_SLACK, 4 * FIRST_SLACK] {
            for surplus in slack / 2 - 2..slack / 2 + 3 {
                for (before, behind) in [(surplus, surplus), (surplus, surplus + 1), (surplus + 200, surplus)] {
                    let [one, other] = shifted(1000, before, behind);
                    let expected = by_rapidfuzz(&one, &other);
                    assert_eq!(distance(&one, &other), expected, "{before} before, {behind} behind");
                    assert_eq!(distance(&other, &one), expected, "{before} before, {behind} behind");
                }
            }
        }
    }

    #[test]
    fn a_bound_is_enough_if_it_is_the_distance() {
        for [one, other] in [shifted(500, 30, 30), shifted(500, 130, 3), shifted(63, 2, 64), shifted(1, 100, 0)] {
            let edit = Edit::new(&one);
            let places = other.iter().map(|&token| edit.places.of(token)).collect();
            let table = Table { gold: 0..one.len(), places };
            let expected = by_rapidfuzz(&one, &other);
            let found = [expected - 1, expected, expected + 1].map(|bound| table.distance(bound));
            assert_eq!(found, [None, Some(expected), Some(expected)]);
        }
    }

    #[test]
    fn texts_of_very_different_lengths() {
        let long: Vec<Token> = (0..5000).map(|at| at * at % 101).collect();
        for (start, length) in [(0, 1), (2500, 64), (4999, 1), (100, 700), (4300, 700), (2000, 63)] {
            let mut part = long[start..start + length].to_vec();
            part[length / 2] = 500;
            let expected = by_rapidfuzz(&long, &part);
            assert_eq!([distance(&long, &part), distance(&part, &long)], [expected; 2], "{length} from {start} on");
        }
        assert_eq!([distance(&long, &[]), distance(&[], &long)], [5000; 2]);
    }

    proptest! {
        #[test]
        fn distances_are_those_of_rapidfuzz(
            one in proptest::collection::vec(0u32..4, 0..300),
            other in proptest::collection::vec(0u32..4, 0..300),
        ) {
            let expected = by_rapidfuzz(&one, &other);
            prop_assert_eq!(distance(&one, &other), expected);
        }

        #[test]
        fn nearly_equal_texts_are_compared_exactly(
            one in proptest::collection::vec(0u32..9, 0..400),
            edits in proptest::collection::vec((0usize..400, 0u32..9, 0u8..3), 0..12),
        ) {
            let mut other = one.clone();
            for (at, token, kind) in edits {
                let at = at.min(other.len());
                match kind {
                    0 => other.insert(at, token),
                    1 => drop((at < other.len()).then(|| other.remove(at))),
                    _ => other.iter_mut().skip(at).take(1).for_each(|old| *old = token),
                }
            }
            let expected = by_rapidfuzz(&one, &other);
            prop_assert_eq!(distance(&one, &other), expected);
        }

        #[test]
        fn texts_in_other_order_are_compared_exactly(
            tokens in proptest::collection::vec(0u32..60, 1..900),
            cuts in proptest::collection::vec(0usize..900, 3),
            alphabet in 2u32..60,
        ) {
            let one: Vec<Token> = tokens.iter().map(|token| token % alphabet).collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % one.len()).collect();
            cuts.sort();
            let other = [&one[cuts[1]..cuts[2]], &one[..cuts[0]], &one[cuts[0]..cuts[1]], &[7]].concat();
            prop_assert_eq!(distance(&one, &other), by_rapidfuzz(&one, &other));
            prop_assert_eq!(distance(&other, &one), by_rapidfuzz(&one, &other));
        }
    }
}

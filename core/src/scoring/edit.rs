//! The Levenshtein distance, exactly.
//!
//! Bit-parallel (Myers 1999, in the blocks of Hyyrö 2003): a bit per token of the gold, so that a token of the extraction
//! costs one step per 64 tokens of the gold. The gold's masks are built once.

use rustc_hash::FxHashMap;

use super::counts::Counts;
use crate::text::tokens::Token;

/// A gold, prepared to be compared with many extractions.
pub(super) struct Edit {
    tokens: Vec<Token>,
    /// Where each token stands: the words that hold it, and its bits there.
    masks: FxHashMap<Token, Vec<(usize, u64)>>,
}

/// 64 rows of the table: bits of the rows whose vertical difference is +1, and -1.
#[derive(Clone, Copy)]
struct Block {
    positive: u64,
    negative: u64,
}

impl Edit {
    pub(super) fn new(tokens: &[Token]) -> Self {
        let mut masks: FxHashMap<Token, Vec<(usize, u64)>> = FxHashMap::default();
        for (at, &token) in tokens.iter().enumerate() {
            let words = masks.entry(token).or_default();
            match words.last_mut() {
                Some((word, mask)) if *word == at / 64 => *mask |= 1 << (at % 64),
                _ => words.push((at / 64, 1 << (at % 64))),
            }
        }
        Edit { tokens: tokens.to_vec(), masks }
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
        let (tokens, other) = (&self.tokens[prefix..], &other[prefix..]);
        let suffix = tokens.iter().rev().zip(other.iter().rev()).take_while(common).count();
        let (end, other) = (self.tokens.len() - suffix, &other[..other.len() - suffix]);
        if end == prefix || other.is_empty() {
            return (end - prefix).max(other.len());
        }
        // Rows outside of prefix..end never match and have no difference, so that they hand on what comes from above.
        let words = prefix / 64..end.div_ceil(64);
        let inside = |word: usize| bits(prefix, end, word);
        let mut blocks: Vec<Block> = words.clone().map(|word| Block { positive: inside(word), negative: 0 }).collect();
        let mut row = vec![0; blocks.len()];
        let last = 1 << ((end - 1) % 64);
        let mut distance = end - prefix;
        for token in other {
            let masks = self.masks.get(token).map_or(&[][..], Vec::as_slice);
            let masks = &masks[masks.partition_point(|(word, _)| *word < words.start)..];
            let masks = &masks[..masks.partition_point(|(word, _)| *word < words.end)];
            masks.iter().for_each(|&(word, mask)| row[word - words.start] = mask & inside(word));
            distance = distance.wrapping_add_signed(step(&mut blocks, &row, last));
            masks.iter().for_each(|&(word, _)| row[word - words.start] = 0);
        }
        distance
    }
}

/// The bits of `start..end` in a word.
fn bits(start: usize, end: usize, word: usize) -> u64 {
    let low = !0 << start.saturating_sub(word * 64).min(63);
    let above = end.saturating_sub(word * 64);
    if above >= 64 { low } else { low & ((1 << above) - 1) }
}

/// Takes the blocks through one token, whose matches are `row`: the change of the distance in the row `last` of the last
/// block.
fn step(blocks: &mut [Block], row: &[u64], last: u64) -> isize {
    // The horizontal difference that enters a block from above: in the first row of the table it is +1.
    let (mut plus, mut minus) = (1, 0);
    let mut change = 0;
    for (Block { positive, negative }, &equal) in blocks.iter_mut().zip(row) {
        let vertical = equal | *negative;
        let equal = equal | minus;
        let horizontal = ((equal & *positive).wrapping_add(*positive) ^ *positive) | equal;
        let up = *negative | !(horizontal | *positive);
        let down = *positive & horizontal;
        change = isize::from(up & last != 0) - isize::from(down & last != 0);
        let (shifted_up, shifted_down) = (up << 1 | plus, down << 1 | minus);
        (plus, minus) = (up >> 63, down >> 63);
        *positive = shifted_down | !(vertical | shifted_up);
        *negative = shifted_up & vertical;
    }
    change
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

    proptest! {
        #[test]
        fn distances_are_those_of_rapidfuzz(
            one in proptest::collection::vec(0u32..4, 0..300),
            other in proptest::collection::vec(0u32..4, 0..300),
        ) {
            let expected = rapidfuzz::distance::levenshtein::distance(one.iter(), other.iter());
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
            let expected = rapidfuzz::distance::levenshtein::distance(one.iter(), other.iter());
            prop_assert_eq!(distance(&one, &other), expected);
        }
    }
}

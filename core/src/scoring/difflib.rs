//! The matching blocks of Python's `difflib.SequenceMatcher(None, extraction, gold)`, with its heuristic for long golds:
//! a token that stands in the gold too often begins no block.
//!
//! Python's search is cubic: it looks through a range as often as the range holds blocks. Here each search knows the longest
//! run that can be left, and ends as soon as it has one. So a place is looked at once or twice per distinct length of a run, of
//! which a text of n tokens has fewer than the root of 2 n. What remains is the number of equal pairs of tokens, at most n
//! times a hundredth of the gold.

use rustc_hash::FxHashMap;

use super::counts::Counts;
use crate::text::tokens::{Token, is_marker};

/// From this many tokens on, a gold has popular ones.
const LEAST_WITH_POPULAR: usize = 200;

/// A gold, prepared to be compared with many extractions.
pub(super) struct Difflib {
    gold: Vec<Token>,
    /// Where each token stands that is not popular.
    places: FxHashMap<Token, Vec<usize>>,
    /// The tokens that count.
    counts: fn(Token) -> bool,
}

/// A range of the extraction and one of the gold.
#[derive(Clone, Copy)]
struct Ranges {
    extraction: (usize, usize),
    gold: (usize, usize),
}

/// Equal tokens at two places.
#[derive(Clone, Copy)]
struct Block {
    extraction: usize,
    gold: usize,
    length: usize,
}

impl Difflib {
    /// Every word counts.
    pub(super) fn of_words(gold: &[Token]) -> Self {
        Self::new(gold, |_| true)
    }

    /// The words of the blocks that are markers count.
    pub(super) fn of_markers(gold: &[Token]) -> Self {
        Self::new(gold, is_marker)
    }

    fn new(gold: &[Token], counts: fn(Token) -> bool) -> Self {
        let mut places: FxHashMap<Token, Vec<usize>> = FxHashMap::default();
        for (at, &token) in gold.iter().enumerate() {
            places.entry(token).or_default().push(at);
        }
        if gold.len() >= LEAST_WITH_POPULAR {
            places.retain(|_, places| places.len() <= gold.len() / 100 + 1);
        }
        Difflib { gold: gold.to_vec(), places, counts }
    }

    pub(super) fn counts(&self, extraction: &[Token]) -> Counts {
        let count = |tokens: &[Token]| tokens.iter().filter(|token| (self.counts)(**token)).count() as u64;
        let mut matched = 0;
        let mut runs = Runs::new(self.gold.len());
        let whole = Ranges { extraction: (0, extraction.len()), gold: (0, self.gold.len()) };
        let mut left = vec![(whole, usize::MAX)];
        while let Some((ranges, most)) = left.pop() {
            let run = self.longest(extraction, ranges, most, &mut runs);
            let block = self.grown(extraction, ranges, run);
            if block.length == 0 {
                continue;
            }
            let (end, gold_end) = (block.extraction + block.length, block.gold + block.length);
            matched += count(&extraction[block.extraction..end]);
            let before =
                Ranges { extraction: (ranges.extraction.0, block.extraction), gold: (ranges.gold.0, block.gold) };
            let behind = Ranges { extraction: (end, ranges.extraction.1), gold: (gold_end, ranges.gold.1) };
            // A run as long as the first one would have been found before it.
            let parts = [(before, run.length.saturating_sub(1)), (behind, run.length)];
            left.extend(parts.into_iter().filter(|(ranges, _)| ranges.has_both()));
        }
        Counts { matched, extracted: count(extraction), gold: count(&self.gold) }
    }

    /// The first longest run of equal tokens that are not popular; none is longer than `most`.
    fn longest(&self, extraction: &[Token], ranges: Ranges, most: usize, runs: &mut Runs) -> Block {
        let Ranges { extraction: (start, end), gold: (gold_start, gold_end) } = ranges;
        let mut best = Block { extraction: start, gold: gold_start, length: 0 };
        runs.clear();
        for (at, token) in extraction.iter().enumerate().take(end).skip(start) {
            if best.length == most {
                break;
            }
            let places = self.places.get(token).map_or(&[][..], Vec::as_slice);
            let places = &places[places.partition_point(|place| *place < gold_start)..];
            for &place in places.iter().take_while(|place| **place < gold_end) {
                let length = runs.extend(place);
                if length > best.length {
                    best = Block { extraction: at + 1 - length, gold: place + 1 - length, length };
                }
            }
            runs.next();
        }
        best
    }

    /// A run, grown by equal tokens of any kind: with [`Self::longest`], `SequenceMatcher.find_longest_match`.
    fn grown(&self, extraction: &[Token], ranges: Ranges, run: Block) -> Block {
        let Ranges { extraction: (start, end), gold: (gold_start, gold_end) } = ranges;
        let mut best = run;
        let equal = |at: usize, place: usize| extraction[at] == self.gold[place];
        while best.extraction > start && best.gold > gold_start && equal(best.extraction - 1, best.gold - 1) {
            best = Block { extraction: best.extraction - 1, gold: best.gold - 1, length: best.length + 1 };
        }
        let ends = |best: Block| (best.extraction + best.length, best.gold + best.length);
        while ends(best).0 < end && ends(best).1 < gold_end && equal(ends(best).0, ends(best).1) {
            best.length += 1;
        }
        best
    }
}

impl Ranges {
    fn has_both(&self) -> bool {
        self.extraction.0 < self.extraction.1 && self.gold.0 < self.gold.1
    }
}

/// The lengths of the runs of equal tokens that end at each place of the gold, for one token of the extraction after the
/// other.
struct Runs {
    /// Of the last token; 0 outside of `last_places`.
    last: Vec<usize>,
    last_places: Vec<usize>,
    now: Vec<usize>,
    now_places: Vec<usize>,
}

impl Runs {
    fn new(places: usize) -> Self {
        Runs { last: vec![0; places], last_places: Vec::new(), now: vec![0; places], now_places: Vec::new() }
    }

    /// The length of the run that ends here at `place`.
    fn extend(&mut self, place: usize) -> usize {
        let length = place.checked_sub(1).map_or(0, |before| self.last[before]) + 1;
        self.now[place] = length;
        self.now_places.push(place);
        length
    }

    fn next(&mut self) {
        self.last_places.drain(..).for_each(|place| self.last[place] = 0);
        std::mem::swap(&mut self.last, &mut self.now);
        std::mem::swap(&mut self.last_places, &mut self.now_places);
    }

    fn clear(&mut self) {
        self.next();
        self.next();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The matched tokens as Python finds them: each search looks through its whole range, cell by cell.
    fn by_definition(extraction: &[Token], gold: &[Token]) -> u64 {
        let often = |token: Token| gold.iter().filter(|one| **one == token).count() > gold.len() / 100 + 1;
        let popular: Vec<bool> = gold.iter().map(|&token| gold.len() >= LEAST_WITH_POPULAR && often(token)).collect();
        let mut matched = 0;
        let mut left = vec![((0, extraction.len()), (0, gold.len()))];
        while let Some(((start, end), (gold_start, gold_end))) = left.pop() {
            let equal = |i: usize, j: usize| i < end && j < gold_end && extraction[i] == gold[j];
            let (mut i, mut j, mut length) = (start, gold_start, 0);
            for at in start..end {
                for place in gold_start..gold_end {
                    let run = (0..).take_while(|&n| equal(at + n, place + n) && !popular[place + n]).count();
                    if run > length {
                        (i, j, length) = (at, place, run);
                    }
                }
            }
            while i > start && j > gold_start && extraction[i - 1] == gold[j - 1] {
                (i, j, length) = (i - 1, j - 1, length + 1);
            }
            length += (length..).take_while(|&n| equal(i + n, j + n)).count();
            if length > 0 {
                matched += length as u64;
                left.extend([((start, i), (gold_start, j)), ((i + length, end), (j + length, gold_end))]);
            }
        }
        matched
    }

    fn matched(extraction: &[Token], gold: &[Token]) -> u64 {
        Difflib::of_words(gold).counts(extraction).matched
    }

    #[test]
    fn a_long_chain_of_short_blocks_takes_no_time() {
        // Python looks through up to 14 million pairs of equal tokens for each block.
        let gold: Vec<Token> = (0..40_000).map(|at| at % 110).collect();
        let extraction: Vec<Token> = gold.iter().rev().copied().collect();
        // From place 69 on every 109th one, 367 in all, and then the last.
        assert_eq!(matched(&extraction, &gold), 368);
    }

    proptest! {
        #[test]
        fn matches_are_those_of_the_definition(
            extraction in proptest::collection::vec(0u32..5, 0..40),
            gold in proptest::collection::vec(0u32..5, 0..40),
        ) {
            prop_assert_eq!(matched(&extraction, &gold), by_definition(&extraction, &gold));
        }

        #[test]
        fn matches_beside_popular_tokens_are_those_of_the_definition(
            extraction in proptest::collection::vec(prop_oneof![0u32..4, 0u32..150], 100..260),
            gold in proptest::collection::vec(prop_oneof![0u32..4, 0u32..150], 200..260),
        ) {
            prop_assert_eq!(matched(&extraction, &gold), by_definition(&extraction, &gold));
        }
    }
}

//! The matching blocks of Python's `difflib.SequenceMatcher(None, extraction, gold)`, with its heuristic for long golds:
//! a token that stands in the gold too often begins no block.

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
        let mut left = vec![Ranges { extraction: (0, extraction.len()), gold: (0, self.gold.len()) }];
        while let Some(ranges) = left.pop() {
            let block = self.longest(extraction, ranges, &mut runs);
            if block.length == 0 {
                continue;
            }
            let (end, gold_end) = (block.extraction + block.length, block.gold + block.length);
            matched += count(&extraction[block.extraction..end]);
            let before =
                Ranges { extraction: (ranges.extraction.0, block.extraction), gold: (ranges.gold.0, block.gold) };
            let behind = Ranges { extraction: (end, ranges.extraction.1), gold: (gold_end, ranges.gold.1) };
            left.extend([before, behind].iter().filter(|ranges| ranges.has_both()));
        }
        Counts { matched, extracted: count(extraction), gold: count(&self.gold) }
    }

    /// `SequenceMatcher.find_longest_match`: the first longest run of equal tokens that are not popular, grown by equal
    /// tokens of any kind.
    fn longest(&self, extraction: &[Token], ranges: Ranges, runs: &mut Runs) -> Block {
        let Ranges { extraction: (start, end), gold: (gold_start, gold_end) } = ranges;
        let mut best = Block { extraction: start, gold: gold_start, length: 0 };
        runs.clear();
        for (at, token) in extraction.iter().enumerate().take(end).skip(start) {
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

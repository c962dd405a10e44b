//! A text and a gold, read from one end.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::scoring::TooLarge;
use crate::scoring::masks::Masks;
use crate::text::tokens::Token;

/// The row of a token that is not in the gold.
const NONE: u32 = u32::MAX;

/// Tokens of a part of a text, at least. The words of the gold in which a part can be matched are found for all of it.
const PART: usize = 64;

/// Parts of a text, about: for each of them states are kept.
const PARTS: usize = 512;

/// A text in segments, and where each of its tokens stands in a gold.
pub(super) struct Side {
    /// For each token of the text the number of its row.
    numbers: Vec<u32>,
    /// Segments that follow each other and make up the text; none is empty.
    pub(super) segments: Vec<Range<usize>>,
    /// For each segment a number that those have too which are made up of the same rows.
    pub(super) contents: Vec<u32>,
    /// The places of the text between its parts, and both its ends. Most are between segments too; within long segments
    /// there are others.
    pub(super) cuts: Vec<usize>,
    /// Machine words of a row.
    pub(super) words: usize,
    /// The bits of the first word that are no places of the gold.
    unused: u64,
    rows: Vec<u64>,
}

impl Side {
    pub(super) fn new(tokens: &[Token], segments: Vec<Range<usize>>, gold: &[Token]) -> Result<Self, TooLarge> {
        let masks = Masks::new(gold.iter().copied())?;
        let numbers: Vec<u32> = tokens.iter().map(|&token| masks.number(token).unwrap_or(NONE)).collect();
        let mut known = FxHashMap::default();
        let contents = segments.iter().map(|segment| {
            let next = known.len() as u32;
            *known.entry(&numbers[segment.clone()]).or_insert(next)
        });
        let contents = contents.collect();
        let cuts = cuts(&segments, PART.max(tokens.len().div_ceil(PARTS)));
        Ok(Side { numbers, segments, contents, cuts, words: masks.words(), unused: 0, rows: masks.bits() })
    }

    /// The same, read from the end: the last token of the text is its first, and the last bit of a row. `gold` is the
    /// length of the gold.
    pub(super) fn mirrored(&self, gold: usize) -> Self {
        let length = self.len();
        let row = |row: &[u64]| row.iter().rev().map(|word| word.reverse_bits()).collect::<Vec<_>>();
        Side {
            numbers: self.numbers.iter().rev().copied().collect(),
            segments: self.segments.iter().rev().map(|segment| mirrored(segment, length)).collect(),
            contents: self.contents.iter().rev().copied().collect(),
            cuts: self.cuts.iter().rev().map(|cut| length - cut).collect(),
            words: self.words,
            unused: !(!0 << (self.words * 64 - gold)),
            rows: self.rows.chunks(self.words.max(1)).flat_map(row).collect(),
        }
    }

    /// The number of tokens of the text.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// How many of `tokens` are in the gold.
    pub(super) fn known(&self, tokens: Range<usize>) -> usize {
        self.numbers[tokens].iter().filter(|number| **number != NONE).count()
    }

    /// The rows of those of `tokens` that are in the gold, `words` of them.
    pub(super) fn rows(&self, tokens: Range<usize>, words: Range<usize>) -> impl Iterator<Item = &[u64]> {
        let known = self.numbers[tokens].iter().filter(|number| **number != NONE);
        known.map(move |&number| &self.rows[number as usize * self.words..][words.clone()])
    }

    /// How many of `words` are settled in a state of the LCS (see `text::lcs`) from the first of them on: where
    /// all places are matched no token changes anything.
    pub(super) fn settled(&self, state: &[u64], words: Range<usize>) -> usize {
        let open = |word: &usize| state[*word] & if *word == 0 { !self.unused } else { !0 };
        words.take_while(|word| open(word) == 0).count()
    }
}

/// Cuts between parts of `size` tokens or more.
fn cuts(segments: &[Range<usize>], size: usize) -> Vec<usize> {
    let (mut cuts, mut last, mut length) = (vec![0], 0, 0);
    for segment in segments {
        length = segment.end;
        if segment.start >= last + size {
            last = segment.start;
            cuts.push(last);
        }
        while segment.end > last + 2 * size {
            last += size;
            cuts.push(last);
        }
    }
    cuts.push(length);
    cuts
}

/// `range` counted from the other end of what is `length` long.
pub(super) fn mirrored(range: &Range<usize>, length: usize) -> Range<usize> {
    length - range.end..length - range.start
}

/// What both ranges have in common.
pub(super) fn common(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    one.start.max(other.start)..one.end.min(other.end)
}

/// Tokens of a text, and the machine words of the gold in which a good choice can match them.
///
/// Words of later parts do not begin or end before those of earlier ones: choices go on in the gold as in the text.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) tokens: Range<usize>,
    pub(super) words: Range<usize>,
}

/// Parts of a text, from which those that a segment lies in are asked for, segment after segment.
pub(super) struct Parts<'p> {
    parts: &'p [Part],
    first: usize,
}

impl<'p> Parts<'p> {
    pub(super) fn new(parts: &'p [Part]) -> Self {
        Parts { parts, first: 0 }
    }

    /// The parts that `segment` lies in.
    pub(super) fn of(&mut self, segment: &Range<usize>) -> &'p [Part] {
        while self.parts[self.first].tokens.end <= segment.start {
            self.first += 1;
        }
        let rest = &self.parts[self.first..];
        &rest[..rest.partition_point(|part| part.tokens.start < segment.end)]
    }
}

/// All words of `parts`, of which there is one at least.
pub(super) fn window(parts: &[Part]) -> Range<usize> {
    parts[0].words.start..parts[parts.len() - 1].words.end
}

/// Segments that changed nothing, to be passed over until something changes.
pub(super) struct Idle {
    /// For each content the time at which it last changed nothing.
    at: Vec<usize>,
    now: usize,
}

impl Idle {
    pub(super) fn new(side: &Side) -> Self {
        let contents = side.contents.iter().max().map_or(0, |last| *last as usize + 1);
        Idle { at: vec![0; contents], now: 1 }
    }

    /// Whether segments of this content change nothing now.
    pub(super) fn has(&self, content: u32) -> bool {
        self.at[content as usize] == self.now
    }

    /// Tells what a segment did.
    pub(super) fn tell(&mut self, content: u32, has_changed: bool) {
        if has_changed {
            self.reset();
        } else {
            self.at[content as usize] = self.now;
        }
    }

    /// Something else changed.
    pub(super) fn reset(&mut self) {
        self.now += 1;
    }
}

//! A text and a gold, read from one end.

use std::ops::Range;

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
    /// The places of the text between its parts, and both its ends. Most are between segments too; within long segments
    /// there are others.
    pub(super) cuts: Vec<usize>,
    /// Machine words of a row.
    pub(super) words: usize,
    rows: Vec<u64>,
}

impl Side {
    pub(super) fn new(tokens: &[Token], segments: Vec<Range<usize>>, gold: &[Token]) -> Result<Self, TooLarge> {
        let masks = Masks::new(gold.iter().copied())?;
        let numbers: Vec<u32> = tokens.iter().map(|&token| masks.number(token).unwrap_or(NONE)).collect();
        let cuts = cuts(&segments, PART.max(tokens.len().div_ceil(PARTS)));
        Ok(Side { numbers, segments, cuts, words: masks.words(), rows: masks.bits() })
    }

    /// The same, read from the end: the last token of the text is its first, and the last bit of a row.
    pub(super) fn mirrored(&self) -> Self {
        let length = self.len();
        let row = |row: &[u64]| row.iter().rev().map(|word| word.reverse_bits()).collect::<Vec<_>>();
        Side {
            numbers: self.numbers.iter().rev().copied().collect(),
            segments: self.segments.iter().rev().map(|segment| mirrored(segment, length)).collect(),
            cuts: self.cuts.iter().rev().map(|cut| length - cut).collect(),
            words: self.words,
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_make_up_the_text(lengths in proptest::collection::vec(1..400usize, 1..20), size in 1..100usize) {
            let segments: Vec<Range<usize>> = lengths.iter().scan(0, |end, length| {
                *end += length;
                Some(*end - length..*end)
            }).collect();
            let cuts = cuts(&segments, size);
            let length: usize = lengths.iter().sum();
            prop_assert_eq!((cuts[0], cuts[cuts.len() - 1]), (0, length));
            let sizes: Vec<usize> = cuts.windows(2).map(|cut| cut[1] - cut[0]).collect();
            prop_assert!(sizes[..sizes.len() - 1].iter().all(|part| *part >= size));
            let parts: Vec<Part> = cuts.windows(2).map(|cut| Part { tokens: cut[0]..cut[1], words: 0..1 }).collect();
            let mut asked = Parts::new(&parts);
            for segment in &segments {
                let found: Vec<Range<usize>> = asked.of(segment).iter().map(|part| part.tokens.clone()).collect();
                let lies_in = |part: &&Part| !common(&part.tokens, segment).is_empty();
                let expected: Vec<Range<usize>> = parts.iter().filter(lies_in).map(|part| part.tokens.clone()).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn the_other_end() {
        // Of the gold 7 8 7 the token 7 stands at the places 0 and 2; from the end of one word these are 63 and 61.
        let side = Side::new(&[7, 9, 8], vec![0..2, 2..3], &[7, 8, 7]).unwrap();
        let rows = |side: &Side| side.rows(0..3, 0..1).map(|row| row[0]).collect::<Vec<_>>();
        assert_eq!((side.known(0..3), side.known(1..2), rows(&side)), (2, 0, vec![0b101, 0b010]));
        let mirrored = side.mirrored();
        assert_eq!(rows(&mirrored), [1 << 62, 1 << 63 | 1 << 61]);
        assert_eq!((mirrored.segments, mirrored.cuts), (vec![0..1, 1..3], vec![0, 3]));
    }
}

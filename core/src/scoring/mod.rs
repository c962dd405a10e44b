//! Tokens to a score, and the most that any choice among pieces of a text could score. This layer knows tokens and
//! texts; it knows no page and no file.

mod about;
pub mod alignment;
mod counts;
mod difflib;
mod edit;
mod lines;
mod masks;
mod measure;
mod multiset;
mod places;
pub mod range;
pub mod snippets;
mod structure;
pub mod subset;

use rustc_hash::FxHashSet;

pub use self::about::About;
pub use self::counts::{Counts, ONE, Score, ratio};
use self::difflib::Difflib;
use self::edit::Edit;
use self::lines::Lines;
pub use self::measure::{Comparison, Measure};
use self::multiset::Multiset;
pub use self::structure::Structure;
use crate::text::lcs::Reference;
use crate::text::normalise_lines;
use crate::text::tokens::{Token, Tokenizer, has_ws_words};
use crate::text::words::Segmenter;

/// A page beyond the memory or the work that a bound may take. The limits count tokens, so that no figure depends
/// on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page has too much text for this")]
pub struct TooLarge;

/// A text as a measure reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// The tokens, in order.
    pub tokens: Vec<Token>,
    /// The number of tokens of each line that has one; only for a measure that reads lines ([`Measure::reads_lines`]).
    pub lines: Vec<usize>,
    /// True if the text has nothing but white space.
    pub is_blank: bool,
}

impl Units {
    /// The units of `text`; `by_lines`: for a measure that reads lines.
    pub fn of(text: &str, by_lines: bool, tokenizer: &mut Tokenizer<'_>) -> Self {
        let is_blank = !has_ws_words(text);
        if !by_lines {
            return Units { tokens: tokenizer.tokens(text), lines: Vec::new(), is_blank };
        }
        let lines = tokenizer.lines(text);
        Units { lines: lines.iter().map(Vec::len).collect(), tokens: lines.concat(), is_blank }
    }
}

impl From<Vec<Token>> for Units {
    /// Tokens that are one line.
    fn from(tokens: Vec<Token>) -> Self {
        Units { lines: Vec::new(), is_blank: tokens.is_empty(), tokens }
    }
}

/// An extraction compared with a gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The measure's counts.
    pub counts: Counts,
    /// Neither text has a unit of the measure, and it scores 0 all the same: under `rouge:5` two texts of three tokens.
    pub scores_zero: bool,
}

impl Measured {
    /// The score of the counts, or 0.
    pub fn score(self) -> Score {
        if self.scores_zero { Score::ZERO } else { self.counts.score() }
    }
}

impl Comparison {
    /// Compares an extraction with a gold. Lines are normalised first, unless the tokens read texts as they stand.
    ///
    /// ```
    /// use carat_core::scoring::Comparison;
    /// use carat_core::text::words::Segmenter;
    /// let rule = Comparison::read("rouge:5 jieba", Comparison::default()).unwrap();
    /// let measured = rule.measured("a b c x", "a b c d", &Segmenter::default());
    /// assert_eq!((measured.counts.matched, measured.counts.extracted, measured.counts.gold), (2, 3, 3));
    /// ```
    pub fn measured(self, extraction: &str, gold: &str, segmenter: &Segmenter) -> Measured {
        let Comparison { tokens, case, measure } = self;
        let mut tokenizer = Tokenizer::new(tokens, case, segmenter);
        let mut units = |text: &str| match tokens.reads_as_it_stands() {
            true => Units::of(text, measure.reads_lines(), &mut tokenizer),
            false => Units::of(&normalise_lines(text), measure.reads_lines(), &mut tokenizer),
        };
        let gold = Gold::new(measure, &units(gold));
        gold.compare(&units(extraction))
    }
}

/// A gold text, prepared once for every extraction of its page.
pub struct Gold {
    prepared: Prepared,
    /// True if two texts without a unit score 0 unless both are blank.
    blank: Option<bool>,
}

enum Prepared {
    Lcs(Reference),
    Multiset(Multiset),
    Set(FxHashSet<Token>),
    Edit(Edit),
    Difflib(Difflib),
    Lines(Lines),
}

impl Gold {
    /// Prepares the gold's tokens for `measure`. Snippets and measures of structure are not over tokens: whoever is asked
    /// for them without what they need refuses; here they count as LCS.
    pub fn new(measure: Measure, gold: &Units) -> Self {
        let tokens = &gold.tokens[..];
        let prepared = match measure {
            Measure::Lcs | Measure::Snippets | Measure::Structure(_) => Prepared::Lcs(Reference::new(tokens)),
            Measure::Shingle(length) => Prepared::Multiset(Multiset::of_shingles(length.into(), tokens)),
            Measure::Rouge(length) => Prepared::Multiset(Multiset::of_runs(length.into(), tokens)),
            Measure::Bag | Measure::Nodes => Prepared::Multiset(Multiset::of_runs(1, tokens)),
            Measure::Set => Prepared::Set(tokens.iter().copied().collect()),
            Measure::Edit => Prepared::Edit(Edit::new(tokens)),
            Measure::Difflib => Prepared::Difflib(Difflib::of_words(tokens)),
            Measure::DifflibMarkers => Prepared::Difflib(Difflib::of_markers(tokens)),
            Measure::Lsum => Prepared::Lines(Lines::new(tokens, &gold.lines)),
        };
        Gold { prepared, blank: matches!(measure, Measure::Rouge(_)).then_some(gold.is_blank) }
    }

    /// Compares an extraction with the gold.
    pub fn compare(&self, extraction: &Units) -> Measured {
        let counts = self.counts(extraction);
        let has_units = counts.extracted + counts.gold > 0;
        let are_blank = self.blank.is_none_or(|blank| blank && extraction.is_blank);
        Measured { counts, scores_zero: !has_units && !are_blank }
    }

    /// The counts alone.
    pub fn counts(&self, extraction: &Units) -> Counts {
        let tokens = &extraction.tokens[..];
        match &self.prepared {
            Prepared::Lcs(reference) => Counts {
                matched: reference.lcs(tokens) as u64,
                extracted: tokens.len() as u64,
                gold: reference.len() as u64,
            },
            Prepared::Multiset(multiset) => multiset.counts(tokens),
            Prepared::Set(gold) => {
                let distinct: FxHashSet<Token> = tokens.iter().copied().collect();
                let matched = distinct.intersection(gold).count() as u64;
                Counts { matched, extracted: distinct.len() as u64, gold: gold.len() as u64 }
            }
            Prepared::Edit(edit) => edit.counts(tokens),
            Prepared::Difflib(difflib) => difflib.counts(tokens),
            Prepared::Lines(lines) => lines.counts(tokens, &extraction.lines),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::text::tokens::{Case, TokenKind};

    #[test]
    fn empty_sides() {
        let score = |matched, extracted, gold| Counts { matched, extracted, gold }.score().values();
        assert_eq!(score(0, 0, 0), [ONE; 3]);
        assert_eq!(score(0, 5, 0), [0; 3]);
        assert_eq!(score(0, 0, 5), [0; 3]);
        assert_eq!(score(0, 3, 5), [0; 3]);
    }

    #[test]
    fn rounds_half_up_once() {
        assert_eq!(ratio(1, 3), 333_333_333_333);
        assert_eq!(ratio(2, 3), 666_666_666_667);
        assert_eq!(ratio(7, 7), ONE);
    }

    fn counts(measure: Measure, gold: &[Token], extraction: &[Token]) -> [u64; 3] {
        let [gold, extraction] = [gold, extraction].map(|tokens| Units::from(tokens.to_vec()));
        let Counts { matched, extracted, gold } = Gold::new(measure, &gold).counts(&extraction);
        [matched, extracted, gold]
    }

    #[test]
    fn measures_count_their_own_units() {
        let gold = [1, 2, 3, 4, 5, 1];
        let extraction = [2, 1, 2, 3, 4, 9];
        let counts = |measure| counts(measure, &gold, &extraction);
        // Subsequence 1 2 3 4; bag: 1, 2, 3, 4 (one 2 too many); shingles: 1 2 3 4 alone; set: 9 and 5 are alone.
        assert_eq!(counts(Measure::Lcs), [4, 6, 6]);
        assert_eq!(counts(Measure::Bag), [4, 6, 6]);
        assert_eq!(counts(Measure::Shingle(4)), [1, 3, 3]);
        assert_eq!(counts(Measure::Set), [4, 5, 5]);
        // One inserted, the last two replaced.
        assert_eq!(counts(Measure::Edit), [3, 6, 6]);
        assert_eq!(counts(Measure::Difflib), [4, 6, 6]);
    }

    #[test]
    fn a_short_text_is_one_shingle_and_no_run() {
        assert_eq!(counts(Measure::Shingle(4), &[1, 2], &[1, 2]), [1, 1, 1]);
        assert_eq!(counts(Measure::Shingle(4), &[1, 2], &[1, 2, 3]), [0, 1, 1]);
        assert_eq!(counts(Measure::Shingle(4), &[1, 2], &[]), [0, 0, 1]);
        assert_eq!(counts(Measure::Rouge(4), &[1, 2], &[1, 2]), [0, 0, 0]);
        assert_eq!(counts(Measure::Rouge(2), &[1, 2], &[1, 2]), [1, 1, 1]);
    }

    /// The overlap as it is defined: the sum over distinct runs of the smaller count.
    fn overlap(length: usize, gold: &[Token], extraction: &[Token]) -> [u64; 3] {
        let runs = |tokens: &[Token]| -> Vec<Vec<Token>> {
            let length = length.min(tokens.len()).max(1);
            tokens.windows(length).map(<[Token]>::to_vec).collect()
        };
        let (gold, extraction) = (runs(gold), runs(extraction));
        let count = |runs: &[Vec<Token>], wanted: &Vec<Token>| runs.iter().filter(|run| *run == wanted).count() as u64;
        let distinct: BTreeSet<&Vec<Token>> = gold.iter().collect();
        let matched = distinct.iter().map(|run| count(&gold, run).min(count(&extraction, run))).sum();
        [matched, extraction.len() as u64, gold.len() as u64]
    }

    fn tokens() -> impl Strategy<Value = Vec<Token>> {
        // Ids from 0x110000 on are those of words; the first of them are markers.
        let marker = 0x11_0000u32..0x11_0008;
        prop_oneof![
            proptest::collection::vec(0u32..3, 0..60),
            proptest::collection::vec(0u32..40, 150..260),
            proptest::collection::vec(marker, 0..60),
        ]
    }

    proptest! {
        #[test]
        fn overlaps_are_those_of_the_definition(gold in tokens(), extraction in tokens(), length in 1u8..=16) {
            let measured = counts(Measure::Shingle(length), &gold, &extraction);
            prop_assert_eq!(measured, overlap(length.into(), &gold, &extraction));
            prop_assert_eq!(counts(Measure::Bag, &gold, &extraction), overlap(1, &gold, &extraction));
            if gold.len().min(extraction.len()) >= length.into() {
                prop_assert_eq!(counts(Measure::Rouge(length), &gold, &extraction), measured);
            }
        }

        #[test]
        fn measures_keep_their_bounds(gold in tokens(), extraction in tokens()) {
            for measure in Measure::ALL {
                let [matched, extracted, units] = counts(measure, &gold, &extraction);
                prop_assert!(Counts::new(matched, extracted, units).is_some(), "{}", measure);
                let [same, of_gold, of_itself] = counts(measure, &gold, &gold);
                prop_assert!(same == of_gold && of_gold == of_itself, "{}: a text is like itself", measure);
                if ![Measure::Difflib, Measure::DifflibMarkers, Measure::Lsum].contains(&measure) {
                    let [turned, ..] = counts(measure, &extraction, &gold);
                    prop_assert_eq!(turned, matched, "{} is symmetric", measure);
                }
            }
            // Blocks are a common subsequence, and a distance is at least what the longer text has more.
            let lcs = counts(Measure::Lcs, &gold, &extraction)[0];
            prop_assert!(counts(Measure::Difflib, &gold, &extraction)[0] <= lcs);
            prop_assert!(counts(Measure::Edit, &gold, &extraction)[0] <= lcs);
            prop_assert!(counts(Measure::Set, &gold, &extraction)[0] <= counts(Measure::Bag, &gold, &extraction)[0]);
        }
    }

    fn measured(measure: Measure, tokens: TokenKind, extraction: &str, gold: &str) -> ([u64; 3], bool) {
        let rule = Comparison { measure, tokens, case: Case::Keep };
        let Measured { counts, scores_zero } = rule.measured(extraction, gold, &Segmenter::default());
        ([counts.matched, counts.extracted, counts.gold], scores_zero)
    }

    #[test]
    fn two_texts_without_a_run_agree_under_rouge_only_if_they_are_blank() {
        let rouge = |extraction, gold| measured(Measure::Rouge(5), TokenKind::Jieba, extraction, gold);
        assert_eq!(rouge("ab cd", "ab cd"), ([0; 3], true));
        assert_eq!(rouge(" \n", ""), ([0; 3], false));
        assert_eq!(rouge("", "\u{4E00}\u{4E8C}"), ([0; 3], true));
        assert_eq!(rouge("a b c x", "a b c d"), ([2, 3, 3], false));
    }

    #[test]
    fn lines_are_the_sentences_of_lsum() {
        let lsum = |extraction, gold| measured(Measure::Lsum, TokenKind::Ws, extraction, gold).0;
        assert_eq!(lsum("a b\nc a", "a c b"), [2, 4, 3]);
        assert_eq!(lsum("b\na", "a b"), [2, 2, 2]);
        assert_eq!(lsum("a", "a a"), [1, 1, 2]);
        assert_eq!(lsum("a c\nb c", "a b c\nc"), [4, 4, 4]);
        assert_eq!(lsum("", "a"), [0, 0, 1]);
    }

    #[test]
    fn difflib_has_its_heuristic_and_its_markers() {
        let words = |extraction: &str, gold: &str| measured(Measure::Difflib, TokenKind::Ws, extraction, gold).0;
        assert_eq!(words("a b a", "b c a"), [1, 3, 3]);
        assert_eq!(words("a b c d", "b c d a"), [3, 4, 4]);
        let long = |words: usize| format!("{} x x x x", (0..words).map(|n| format!("w{n} ")).collect::<String>());
        assert_eq!(words("x x x x", &long(195)), [4, 4, 199]);
        assert_eq!(words("x x x x", &long(196)), [0, 4, 200], "x is popular");
        let markers = |extraction, gold| measured(Measure::DifflibMarkers, TokenKind::Cleaneval, extraction, gold).0;
        assert_eq!(markers("b c", "URL: x\n<h>b <p>c"), [0, 0, 2]);
        assert_eq!(markers("<h>b <p>c", "<h>b <p>d"), [2, 2, 2]);
    }
}

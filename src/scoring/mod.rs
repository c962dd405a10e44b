//! Tokens to a score. This layer knows tokens and texts; it knows no page and no file.

use std::fmt;
use std::str::FromStr;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::text::lcs::Reference;
use crate::text::tokens::Token;

/// How an extraction's tokens are held against the gold's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Longest common subsequence, exactly: the papers' measure.
    #[default]
    Lcs,
    /// Multiset overlap of 4-token shingles, as in the article-extraction-benchmark.
    Shingle4,
    /// Multiset overlap of tokens.
    Bag,
}

impl Measure {
    /// Every measure, in the order of listings.
    pub const ALL: [Measure; 3] = [Measure::Lcs, Measure::Shingle4, Measure::Bag];

    /// What it counts, in one line.
    pub fn help(self) -> &'static str {
        match self {
            Measure::Lcs => "length of a longest common subsequence of tokens, exactly (the papers' measure)",
            Measure::Shingle4 => {
                "multiset overlap of 4-token shingles (the article-extraction-benchmark's; use with --tokens w)"
            }
            Measure::Bag => "multiset overlap of tokens, order ignored",
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Lcs => "lcs",
            Measure::Shingle4 => "shingle4",
            Measure::Bag => "bag",
        })
    }
}

impl FromStr for Measure {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Measure::ALL.into_iter().find(|measure| measure.to_string() == name);
        found.ok_or_else(|| format!("`{name}` is no measure: choose lcs, shingle4 or bag"))
    }
}

/// What every measure comes down to, in the measure's units (tokens or shingles).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Units of the extraction that the measure finds in the gold.
    pub matched: u64,
    /// Units of the extraction.
    pub extracted: u64,
    /// Units of the gold.
    pub gold: u64,
}

/// One, in the unit of [`Score`].
pub const ONE: u64 = 1_000_000_000_000;

/// Precision, recall and F1 of a page in units of 1e-12, rounded once: sums of them are exact, so
/// means do not depend on the order of pages or on threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// `matched / extracted`.
    pub precision: u64,
    /// `matched / gold`.
    pub recall: u64,
    /// `2 P R / (P + R)`, which is `2 matched / (extracted + gold)`; 0 when nothing matched.
    pub f1: u64,
}

impl Score {
    /// 0, 0, 0: a failed page's score.
    pub const ZERO: Score = Score { precision: 0, recall: 0, f1: 0 };

    /// As an array: precision, recall, F1.
    pub fn values(self) -> [u64; 3] {
        [self.precision, self.recall, self.f1]
    }
}

impl Counts {
    /// Both empty: 1, 1, 1. One empty: 0, 0, 0.
    ///
    /// ```
    /// use carat::scoring::{Counts, ONE};
    /// let score = Counts { matched: 1, extracted: 2, gold: 4 }.score();
    /// assert_eq!(score.values(), [ONE / 2, ONE / 4, ONE / 3]);
    /// ```
    pub fn score(self) -> Score {
        let Counts { matched, extracted, gold } = self;
        if extracted == 0 && gold == 0 {
            return Score { precision: ONE, recall: ONE, f1: ONE };
        }
        Score {
            precision: ratio(matched, extracted),
            recall: ratio(matched, gold),
            f1: ratio(2 * matched, extracted + gold),
        }
    }
}

/// `part / whole` in units of 1e-12, half up; 0 where the whole is 0.
pub fn ratio(part: u64, whole: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    ((part * u128::from(ONE) * 2 + whole) / (whole * 2)) as u64
}

/// A gold text, prepared once for every extraction of its page.
pub struct Gold(Prepared);

enum Prepared {
    Lcs(Reference),
    Multiset { shingle: usize, counts: FxHashMap<[Token; 4], u64>, total: u64 },
}

impl Gold {
    /// Prepares the gold's tokens for `measure`.
    pub fn new(measure: Measure, tokens: &[Token]) -> Self {
        Gold(match measure {
            Measure::Lcs => Prepared::Lcs(Reference::new(tokens)),
            Measure::Shingle4 => multiset(4, tokens),
            Measure::Bag => multiset(1, tokens),
        })
    }

    /// Holds an extraction's tokens against the gold.
    pub fn counts(&self, tokens: &[Token]) -> Counts {
        match &self.0 {
            Prepared::Lcs(reference) => Counts {
                matched: reference.lcs(tokens) as u64,
                extracted: tokens.len() as u64,
                gold: reference.len() as u64,
            },
            Prepared::Multiset { shingle, counts, total } => {
                let (extracted, extracted_total) = shingles(*shingle, tokens);
                let overlap = extracted.iter().map(|(unit, &count)| count.min(counts.get(unit).copied().unwrap_or(0)));
                Counts { matched: overlap.sum(), extracted: extracted_total, gold: *total }
            }
        }
    }
}

fn multiset(shingle: usize, tokens: &[Token]) -> Prepared {
    let (counts, total) = shingles(shingle, tokens);
    Prepared::Multiset { shingle, counts, total }
}

/// Runs of `length` tokens and how often each occurs. A text shorter than that is one run of its
/// own, filled up with a token that does not exist, as in the article-extraction-benchmark.
fn shingles(length: usize, tokens: &[Token]) -> (FxHashMap<[Token; 4], u64>, u64) {
    let mut counts = FxHashMap::default();
    let mut total = 0;
    let mut count = |run: &[Token]| {
        let mut unit = [Token::MAX; 4];
        unit[..run.len()].copy_from_slice(run);
        *counts.entry(unit).or_insert(0) += 1;
        total += 1;
    };
    if !tokens.is_empty() && tokens.len() < length {
        count(tokens);
    }
    tokens.windows(length).for_each(&mut count);
    (counts, total)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn measures_count_their_own_units() {
        let gold = [1, 2, 3, 4, 5, 1];
        let extraction = [2, 1, 2, 3, 4, 9];
        let counts = |measure| {
            let Counts { matched, extracted, gold } = Gold::new(measure, &gold).counts(&extraction);
            [matched, extracted, gold]
        };
        // Subsequence 1 2 3 4; bag: 1, 2, 3, 4 (one 2 too many); shingles: 1 2 3 4 alone.
        assert_eq!(counts(Measure::Lcs), [4, 6, 6]);
        assert_eq!(counts(Measure::Bag), [4, 6, 6]);
        assert_eq!(counts(Measure::Shingle4), [1, 3, 3]);
    }

    #[test]
    fn a_short_text_is_one_shingle() {
        let counts = |tokens: &[Token]| Gold::new(Measure::Shingle4, &[1, 2]).counts(tokens);
        assert_eq!(counts(&[1, 2]), Counts { matched: 1, extracted: 1, gold: 1 });
        assert_eq!(counts(&[1, 2, 3]), Counts { matched: 0, extracted: 1, gold: 1 });
        assert_eq!(counts(&[]), Counts { matched: 0, extracted: 0, gold: 1 });
    }
}

//! Tokens to a score, and the most that any choice among pieces of a text could score. This layer knows tokens and
//! texts; it knows no page and no file.

pub mod alignment;
mod masks;
pub mod range;
pub mod snippets;
pub mod subset;

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
    /// Short texts that an extraction must or must not contain: [`snippets::Snippets`].
    Snippets,
    /// Overlap of text nodes, by their characters: a token is the number of the text node that a character stands in.
    Nodes,
}

impl Measure {
    /// Every measure, in the order of listings.
    pub const ALL: [Measure; 5] = [Measure::Lcs, Measure::Shingle4, Measure::Bag, Measure::Nodes, Measure::Snippets];

    /// What it counts, in one line.
    pub fn help(self) -> &'static str {
        match self {
            Measure::Lcs => "length of a longest common subsequence of tokens, exactly (the papers' measure)",
            Measure::Shingle4 => {
                "multiset overlap of 4-token shingles (the article-extraction-benchmark's; use with --tokens w)"
            }
            Measure::Bag => "multiset overlap of tokens, order ignored",
            Measure::Snippets => {
                "short texts of the page that an extraction must or must not contain, looked for as they stand (trafilatura's; read its micro figures)"
            }
            Measure::Nodes => "overlap of the page's text nodes, by their characters (pages with gold nodes only)",
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Lcs => "lcs",
            Measure::Shingle4 => "shingle4",
            Measure::Bag => "bag",
            Measure::Snippets => "snippets",
            Measure::Nodes => "nodes",
        })
    }
}

impl FromStr for Measure {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Measure::ALL.into_iter().find(|measure| measure.to_string() == name);
        found.ok_or_else(|| format!("`{name}` is no measure: choose lcs, shingle4, bag, nodes or snippets"))
    }
}

/// What every measure comes down to, in the measure's units (tokens or shingles). Counts that no measure gives are
/// refused wherever they are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "CountsAsRead")]
pub struct Counts {
    /// Units of the extraction that the measure finds in the gold.
    pub matched: u64,
    /// Units of the extraction.
    pub extracted: u64,
    /// Units of the gold.
    pub gold: u64,
}

/// Counts before they are checked.
#[derive(Deserialize)]
struct CountsAsRead {
    matched: u64,
    extracted: u64,
    gold: u64,
}

impl TryFrom<CountsAsRead> for Counts {
    type Error = String;

    fn try_from(CountsAsRead { matched, extracted, gold }: CountsAsRead) -> Result<Self, String> {
        let told = || format!("no measure counts {matched} matched of {extracted} extracted and {gold} in the gold");
        Counts::new(matched, extracted, gold).ok_or_else(told)
    }
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

    /// The same from 0 to 1, for showing.
    pub fn fractions(self) -> [f64; 3] {
        self.values().map(|value| value as f64 / ONE as f64)
    }
}

impl Counts {
    /// No text has so many units.
    const MOST: u64 = 1 << 40;

    /// `None` where more is matched than extracted or than there is of the gold, or a count is beyond any text.
    pub fn new(matched: u64, extracted: u64, gold: u64) -> Option<Self> {
        let is_possible = matched <= extracted.min(gold) && extracted.max(gold) <= Self::MOST;
        is_possible.then_some(Counts { matched, extracted, gold })
    }

    /// Both empty: 1, 1, 1. One empty: 0, 0, 0.
    ///
    /// ```
    /// use carat_core::scoring::{Counts, ONE};
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

/// A page beyond the memory or the work that a bound may take. The limits count tokens, so that no figure depends
/// on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page has too much text for this")]
pub struct TooLarge;

/// A gold text, prepared once for every extraction of its page.
pub struct Gold(Prepared);

enum Prepared {
    Lcs(Reference),
    Multiset(Multiset),
}

impl Gold {
    /// Prepares the gold's tokens for `measure`. Snippets are no gold text: whoever is asked for them without a page
    /// that has some refuses; here they count as LCS.
    pub fn new(measure: Measure, tokens: &[Token]) -> Self {
        Gold(match measure {
            Measure::Lcs | Measure::Snippets => Prepared::Lcs(Reference::new(tokens)),
            Measure::Shingle4 => Prepared::Multiset(Multiset::new(4, tokens)),
            Measure::Bag | Measure::Nodes => Prepared::Multiset(Multiset::new(1, tokens)),
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
            Prepared::Multiset(multiset) => multiset.counts(tokens),
        }
    }
}

/// Runs of tokens and how often each occurs.
struct Multiset {
    /// Tokens a run.
    length: usize,
    /// Each distinct run's place in `counts`.
    places: FxHashMap<[Token; 4], usize>,
    counts: Vec<u64>,
    total: u64,
}

impl Multiset {
    fn new(length: usize, tokens: &[Token]) -> Self {
        let mut multiset = Multiset { length, places: FxHashMap::default(), counts: Vec::new(), total: 0 };
        for run in shingles(length, tokens) {
            let next = multiset.counts.len();
            let place = *multiset.places.entry(run).or_insert(next);
            if place == next {
                multiset.counts.push(0);
            }
            multiset.counts[place] += 1;
            multiset.total += 1;
        }
        multiset
    }

    /// The overlap with the runs of `tokens`: each takes one equal run away, as long as there is one.
    fn counts(&self, tokens: &[Token]) -> Counts {
        let mut left = self.counts.clone();
        let (mut matched, mut extracted) = (0, 0);
        for run in shingles(self.length, tokens) {
            extracted += 1;
            if let Some(&place) = self.places.get(&run)
                && left[place] > 0
            {
                left[place] -= 1;
                matched += 1;
            }
        }
        Counts { matched, extracted, gold: self.total }
    }
}

/// Runs of `length` tokens, 4 at most, filled up with a token that does not exist. A text shorter
/// than that is one run of its own, and an empty one none, as in the article-extraction-benchmark.
fn shingles(length: usize, tokens: &[Token]) -> impl Iterator<Item = [Token; 4]> {
    let unit = |run: &[Token]| std::array::from_fn(|i| run.get(i).copied().unwrap_or(Token::MAX));
    let short = (!tokens.is_empty() && tokens.len() < length).then_some(tokens);
    short.into_iter().chain(tokens.windows(length)).map(unit)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn overlaps_are_those_of_the_definition(
            gold in proptest::collection::vec(0u32..3, 0..60),
            extraction in proptest::collection::vec(0u32..3, 0..60),
        ) {
            for (measure, length) in [(Measure::Shingle4, 4), (Measure::Bag, 1)] {
                let Counts { matched, extracted, gold: units } = Gold::new(measure, &gold).counts(&extraction);
                prop_assert_eq!([matched, extracted, units], overlap(length, &gold, &extraction));
            }
        }
    }
}

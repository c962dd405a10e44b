//! Counts, and the score that follows.

use serde::{Deserialize, Serialize};

/// The counts of a measure, in its units (tokens or shingles). Counts that no measure gives are
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
    /// No text has so many units, and no page so many tables, which are counted in 10^-9.
    const MOST: u64 = 1 << 50;

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

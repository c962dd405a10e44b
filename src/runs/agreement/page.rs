//! The agreement of the texts of one page.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::runs::row_outcome::RowOutcome;
use crate::runs::system::Row;
use crate::scoring::Counts;
use crate::text::lcs::Reference;
use crate::text::tokens::Tokenizer;

/// The extractions of a plan's rows from a page without gold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageAgreement {
    /// The outcome of each row, in the order of the plan.
    pub rows: Vec<Extracted>,
    /// Each distinct text: its SHA-256 and its tokens.
    pub texts: Vec<(Arc<str>, u64)>,
    /// The length of a longest common subsequence of each two of them: of the first and each later one, of the second
    /// and each later one, and so on.
    pub matched: Vec<u64>,
}

/// The outcome of a row on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extracted {
    /// The text at this place among the distinct ones.
    Text(usize),
    /// It failed, for this reason.
    Failed(String),
    /// An external program did not answer in time.
    TimedOut(String),
    /// There is no extraction: the row is not compared or was not run on the page, or there was no room for the text.
    NotRun,
}

impl PageAgreement {
    /// Compares what `rows` came to, `outcomes`, whose texts are among `extractions`; equal texts are compared once.
    pub(in crate::runs) fn of(
        rows: &[Row],
        outcomes: &[RowOutcome],
        extractions: &BTreeMap<Arc<str>, String>,
        tokenizer: &mut Tokenizer<'_>,
    ) -> Self {
        let mut agreement = PageAgreement::default();
        let mut tokens = Vec::new();
        for (row, outcome) in rows.iter().zip(outcomes) {
            let text = match outcome {
                RowOutcome::Scored(result) if row.system.is_compared() => extractions.get_key_value(&result.text),
                _ => None,
            };
            agreement.rows.push(match (outcome, text) {
                (_, Some((digest, text))) => {
                    let known = agreement.texts.iter().position(|(known, _)| known == digest);
                    Extracted::Text(known.unwrap_or_else(|| {
                        let own = tokenizer.tokens(text);
                        agreement.texts.push((digest.clone(), own.len() as u64));
                        tokens.push(own);
                        tokens.len() - 1
                    }))
                }
                (RowOutcome::Failed(failure), _) => Extracted::Failed(failure.reason.clone()),
                (RowOutcome::TimedOut(failure), _) => Extracted::TimedOut(failure.reason.clone()),
                (RowOutcome::Scored(_) | RowOutcome::NotRun | RowOutcome::Without | RowOutcome::Unfit(_), None) => {
                    Extracted::NotRun
                }
            });
        }
        for (place, one) in tokens.iter().enumerate() {
            let reference = Reference::new(one);
            agreement.matched.extend(tokens[place + 1..].iter().map(|other| reference.lcs(other) as u64));
        }
        agreement
    }

    /// Whether the row at `place` extracted an empty text.
    pub fn is_empty(&self, place: usize) -> bool {
        matches!(self.rows[place], Extracted::Text(text) if self.texts[text].1 == 0)
    }

    /// True if the row at `place` extracted something.
    pub(super) fn has_text(&self, place: usize) -> bool {
        matches!(self.rows[place], Extracted::Text(text) if self.texts[text].1 > 0)
    }

    /// F1 of the texts of the rows at two places, each the other's gold, in units of 1e-12; `None` where one has no text.
    pub fn f1(&self, one: usize, other: usize) -> Option<u64> {
        self.counts(one, other).map(|counts| counts.score().f1)
    }

    /// The counts of the texts of the rows at two places, the other's taken as the gold of the one's; `None` where one
    /// has no text.
    pub(super) fn counts(&self, one: usize, other: usize) -> Option<Counts> {
        let (Extracted::Text(one), Extracted::Text(other)) = (&self.rows[one], &self.rows[other]) else { return None };
        let [extracted, gold] = [one, other].map(|text| self.texts[*text].1);
        let matched = match one == other {
            true => extracted,
            false => self.matched[pair(*one.min(other), *one.max(other), self.texts.len())],
        };
        Some(Counts { matched, extracted, gold })
    }
}

/// The place of the pair of `first` and `second`, which is greater, among those of `count` things.
pub(super) fn pair(first: usize, second: usize, count: usize) -> usize {
    first * (2 * count - first - 1) / 2 + second - first - 1
}

/// Each two places of `rows`, the smaller one first.
pub(super) fn pairs_of(rows: &[usize]) -> impl Iterator<Item = [usize; 2]> + use<> {
    let count = rows.len();
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| [one, other]))
}

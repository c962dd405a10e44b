//! What rows come to on a page.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::scoring::{Counts, Measured, Score};
use crate::text::marks::Marks;

/// What a row comes to on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowOutcome {
    /// There is an extraction, and it is scored.
    Scored(RowResult),
    /// The algorithm, or the page, failed: it scores 0.
    Failed(RowFailure),
    /// An external program did not answer in time: it scores 0.
    TimedOut(RowFailure),
    /// The page does not count in the row: a stored output lacks it, an external program was given up before it, a member
    /// of the ensemble was not run on it, there was no other page to learn from, or it is beyond the limits of a bound, or
    /// of the alignment that puts a text on nodes.
    NotRun,
    /// Neither the gold nor the extraction has a part of the kind that the measure looks for: the page does not count.
    Without,
    /// The measure cannot be taken of what was extracted, for this reason: the page does not count.
    Unfit(String),
}

/// Why a row failed on a page, and what it counts for all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFailure {
    /// The reason, in one sentence.
    pub reason: String,
    /// Nothing extracted, nothing matched, and the units of the gold.
    pub counts: Counts,
}

/// A row's result on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowResult {
    /// What the measure counted.
    pub counts: Counts,
    /// True if it scores 0 although neither text has a unit of the measure ([`Measured::scores_zero`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scores_zero: bool,
    /// SHA-256 of the extraction.
    pub text: Arc<str>,
    /// What the tokens do not show of it.
    #[serde(default)]
    pub marks: Marks,
    /// Its characters, white space left out; `None` in a unit of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters: Option<u64>,
    /// Whether it is of an ensemble of which a member failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub degraded: bool,
    /// Whether it is a text of its own that an alignment put on text nodes, to be measured by them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aligned: bool,
    /// True if carat rendered it, where the measure takes texts as a program writes them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rendered: bool,
    /// Whether the row's algorithm found no page of the dataset to hold it against, where it looked among all of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// What decided, where rules of sites did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesUsed>,
    /// What it holds of each role of the page, and behind them of the text of no role; absent where the page has no roles,
    /// and where it is a text of its own that is too long to be put on text nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<Characters>>,
}

impl RowResult {
    /// A text of this digest, of which nothing else is to be said.
    pub fn new(counts: Counts, text: Arc<str>, marks: Marks) -> Self {
        RowResult {
            counts,
            scores_zero: false,
            text,
            marks,
            characters: None,
            degraded: false,
            aligned: false,
            rendered: false,
            alone: false,
            rules: None,
            roles: None,
        }
    }

    /// Precision, recall and F1.
    pub fn score(&self) -> Score {
        Measured { counts: self.counts, scores_zero: self.scores_zero }.score()
    }
}

impl RowOutcome {
    /// Counts and score: 0 where it failed, `None` where the page does not count in the row.
    pub fn score(&self) -> Option<(Counts, Score)> {
        match self {
            RowOutcome::Scored(result) => Some((result.counts, result.score())),
            RowOutcome::Failed(failure) | RowOutcome::TimedOut(failure) => Some((failure.counts, Score::ZERO)),
            RowOutcome::NotRun | RowOutcome::Without | RowOutcome::Unfit(_) => None,
        }
    }
}

/// What decided about a page under rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// The rule at this place.
    Rule(usize),
    /// The fallback.
    Fallback,
    /// Nothing: no rule chose anything, and there is no fallback.
    Uncovered,
}

/// What rules came to on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesUsed {
    /// What decided.
    pub decided: Decided,
    /// The places of the rules before it that were for the page and chose nothing of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<usize>,
}

/// Characters of text nodes, white space left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Characters {
    /// All of them.
    pub all: u64,
    /// Those of gold nodes.
    pub gold: u64,
}

//! Replies of external programs that a run did not ask for itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formats::date::day;

/// The replies of an external program, on the pages of a dataset, that the cache of earlier runs gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptReplies {
    /// The dataset's name.
    pub dataset: String,
    /// The row, with what tells it from others of its program.
    pub row: String,
    /// How many replies.
    pub replies: usize,
    /// The pages of the dataset on which rows were run.
    pub pages: usize,
    /// The day on which the first of them was asked for, `YYYY-MM-DD` in UTC.
    pub from: String,
    /// The day of the last.
    pub to: String,
}

impl KeptReplies {
    /// In words, as it stands below every table.
    pub fn in_words(&self) -> String {
        let KeptReplies { row, replies, pages, from, to, .. } = self;
        let days = if from == to { format!("of {from}") } else { format!("of {from} to {to}") };
        format!("{replies} of {pages} replies of {row} from the cache, {days}")
    }
}

/// Counts them.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptTally {
    replies: usize,
    /// The seconds of the first and the last from the beginning of 1970.
    between: Option<(u64, u64)>,
}

impl KeptTally {
    /// Adds a reply of this time.
    pub(super) fn add(&mut self, since: u64) {
        self.replies += 1;
        let (first, last) = self.between.unwrap_or((since, since));
        self.between = Some((first.min(since), last.max(since)));
    }

    /// What was counted, on so many pages.
    pub(super) fn finish(self, dataset: &str, row: String, pages: usize) -> Option<KeptReplies> {
        let (first, last) = self.between?;
        let dataset = dataset.to_owned();
        Some(KeptReplies { dataset, row, replies: self.replies, pages, from: day(first), to: day(last) })
    }
}

//! The events of a log, one per line.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::document::Run;

/// The version of logs that this program writes and reads.
pub const VERSION: u32 = 1;

/// The first line of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the log's form.
    pub carat_annotations: u32,
    /// The annotator's name.
    pub by: String,
    /// The dataset's name.
    pub dataset: String,
    /// The version of the program that began the log.
    pub carat: String,
}

/// Any other line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The page's id.
    pub page: String,
    /// When, in UTC.
    pub at: String,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// An event on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Event {
    /// It was opened, the first time or after something of it had changed.
    Open(Open),
    /// Marks were made.
    Mark(Mark),
    /// The action of a line was taken back.
    Undo {
        /// The line.
        of: u64,
    },
    /// It was done again.
    Redo {
        /// The line.
        of: u64,
    },
    /// Someone wrote a comment on the page.
    Note {
        /// The comment.
        text: String,
    },
    /// The page is faulty and has no gold.
    Skip {
        /// One of the format's faults.
        fault: String,
    },
    /// Text was on the screen.
    Seen {
        /// Runs of text nodes that were new there.
        nodes: Vec<Run>,
        /// Active time since the last such line.
        ms: u64,
    },
    /// The page is finished.
    Done(Done),
}

/// A page at the time when it was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// SHA-256 of the page's bytes.
    pub html_sha256: String,
    /// SHA-256 of the text of all its text nodes.
    pub text_sha256: String,
    /// Its text nodes.
    pub nodes: u64,
    /// Version and SHA-256 of the guidelines.
    pub guidelines: String,
    /// The proposal.
    pub proposal: Option<Proposal>,
    /// True if the page was drawn to have no proposal.
    #[serde(default)]
    pub blank: bool,
    /// For an adjudicator: who finished the page, and the line of it in the log of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<BTreeMap<String, u64>>,
}

/// Labels that a program proposes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// `sisters`, `vote`, `gold` or `agreed`.
    pub kind: String,
    /// The pages that it is made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// The marks, as those of an action.
    pub set: Vec<Json>,
    /// The members of a vote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Runs of text nodes on which they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<Run>,
    /// The F1 of the text nodes against the gold that they are made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
}

/// Marks that were made in one action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// `[first, last, label]` or `[node, from, to, label]`; the label `null` clears.
    pub set: Vec<Json>,
    /// Marks strictly inside these runs are taken away first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<Run>,
    /// `key`, `mouse` or `accept`.
    #[serde(default)]
    pub via: String,
}

/// A finished page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The label of text without one: `not`.
    pub rest: String,
    /// SHA-256 of the gold text.
    pub gold_sha256: String,
    /// Its characters.
    pub chars: u64,
    /// Active time on the page.
    pub ms: u64,
    /// Text nodes that were never on the screen.
    pub unseen: u64,
}

/// The faults that a page may have, as the dataset format names them.
pub const FAULTS: [&str; 10] = [
    "misdecoded", "gold_not_in_page", "gold_partial", "gold_order", "gold_empty", "truncated", "duplicate", "no_text",
    "index_page", "near_duplicate",
];

/// The present second in UTC, as RFC 3339 has it.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    moment(seconds)
}

/// The second so many after 1970 began.
fn moment(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days from 1 March of the year 0, in eras of 400 years (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_are_dates() {
        assert_eq!(moment(0), "1970-01-01T00:00:00Z");
        assert_eq!(moment(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(moment(1_795_564_799), "2026-11-24T23:59:59Z");
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let lines = [
            json!({"page":"a","at":"x","do":"mark","set":[[1,3,"content"],[4,0,7,null]],"inside":[[1,3]],"via":"key"}),
            json!({"page":"a","at":"x","do":"undo","of":57}),
            json!({"page":"a","at":"x","do":"seen","nodes":[[0,40]],"ms":9120}),
            json!({"page":"a","at":"x","do":"done","rest":"not","gold_sha256":"d","chars":1204,"ms":38410,"unseen":3}),
            json!({"page":"a","at":"x","do":"open","html_sha256":"h","text_sha256":"t","nodes":195,"guidelines":"g",
                   "proposal":{"kind":"sisters","from":["a0"],"set":[[0,0,"content"]]},"blank":false}),
        ];
        for line in lines {
            let read: Line = serde_json::from_value(line.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), line);
        }
    }
}

//! What rows read of the gold beside the pages. Such rows stand in every table, told apart from the others, and are
//! never ranked, lettered or gated among them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a row's extractions were made with beside the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadsGold {
    /// The gold of the very page: the row is a bound, and is compared with nothing. So are rules that were learned from
    /// these pages.
    Page,
    /// The gold of other pages: what was learned there is tried on pages that were not learned from. Such rows are
    /// compared among themselves.
    OtherPages,
}

impl ReadsGold {
    /// As it stands in tables and signatures.
    pub fn name(self) -> &'static str {
        match self {
            ReadsGold::Page => "page",
            ReadsGold::OtherPages => "other_pages",
        }
    }

    /// What such a row is, in one word.
    pub fn kind(self) -> &'static str {
        match self {
            ReadsGold::Page => "bound",
            ReadsGold::OtherPages => "learned",
        }
    }

    /// What follows from it, in words.
    pub fn told(self) -> &'static str {
        match self {
            ReadsGold::Page => "of the page: it is no algorithm, and is never ranked or compared",
            ReadsGold::OtherPages => "of other pages: it is compared only with rows that learn as it does",
        }
    }
}

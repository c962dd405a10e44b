//! What a page comes to in a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agreement::{Extracted, PageAgreement};
use super::roles::PageRoles;
use super::row_outcome::RowOutcome;
use super::sweep::Step;
use crate::datasets::Digests;
use crate::page::Facts;

/// What is learnt of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageOutcome {
    /// Digests of the page and its gold.
    pub digests: Digests,
    /// What the page is like, or why it failed.
    pub page: Result<PageFacts, String>,
    /// What each row of the plan comes to here; `None` for a page without gold, which counts in no
    /// row, even if it fails.
    pub rows: Option<Vec<RowOutcome>>,
    /// The page's text by role, where its gold names roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<PageRoles>,
    /// How far the extractions agree, of a page without gold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<PageAgreement>,
    /// For each exact sweep what it comes to here. Empty where the page failed or has no gold.
    pub sweeps: Vec<SweepOutcome>,
    /// What was saved on the way.
    pub work: Work,
    /// Rows, by their places, whose reply an earlier run's cache gave, and when their program was asked, in seconds from
    /// the beginning of 1970.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept_replies: BTreeMap<usize, u64>,
}

impl PageOutcome {
    /// True if a row that asks a program, as `asked` tells of each row, was not run here.
    pub(crate) fn lacks_a_reply(&self, asked: &[bool]) -> bool {
        let scored = self.rows.iter().flatten().map(|row| matches!(row, RowOutcome::NotRun));
        let compared = self.agreement.iter().flat_map(|agreement| &agreement.rows);
        let compared = compared.map(|row| matches!(row, Extracted::NotRun));
        asked.iter().zip(scored).chain(asked.iter().zip(compared)).any(|(asked, is_not_run)| *asked && is_not_run)
    }
}

/// The page's curve of an exact sweep, or why its algorithm failed: then it is 0 everywhere. `None` where the page does not
/// count in the curve, for a member of the ensemble was not run on it.
pub type SweepOutcome = Option<Result<Vec<Step>, String>>;

/// The texts behind a [`PageOutcome`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// The gold text, normalised.
    pub gold: Option<String>,
    /// Each distinct extraction of a row, by its digest.
    pub extractions: BTreeMap<Arc<str>, String>,
}

/// What is known of a page that did not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFacts {
    /// Encoding, nodes and the like; `None` where no row needed the page itself.
    pub facts: Option<Facts>,
    /// `chars` of its texts.
    pub sizes: Sizes,
    /// Selectors of the gold that matched nothing.
    pub unmatched: Vec<String>,
    /// True if the gold holds HTML tags that the page's text does not show.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gold_tags: bool,
}

/// How much text a page has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// `chars` of all visible text; `None` where no row needed the page itself.
    pub text: Option<usize>,
    /// `chars` of it in links.
    pub link: Option<usize>,
    /// `chars` of the gold; `None` without one.
    pub gold: Option<usize>,
    /// `chars` of its HTML, markup and all; `None` in a unit of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<usize>,
}

/// How often things were asked for, and how often they were done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Choices that rows and exact sweeps asked for.
    pub choices: u64,
    /// Renderings, each of a different choice on its page.
    pub renderings: u64,
    /// Scorings, each of a different text on its page.
    pub scorings: u64,
}

impl std::ops::Add for Work {
    type Output = Work;
    fn add(self, other: Work) -> Work {
        Work {
            choices: self.choices + other.choices,
            renderings: self.renderings + other.renderings,
            scorings: self.scorings + other.scorings,
        }
    }
}

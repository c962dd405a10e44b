//! Pages without gold: how far the texts that different systems extract from them agree. Where they do not, somebody
//! should look, and annotate next.

mod first;
mod page;
mod sums;
mod tally;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::page::pair;
pub use self::page::{Extracted, PageAgreement};
pub use self::sums::Kept;
pub(super) use self::tally::{AgreementTally, compared};
use crate::algorithms::find;

/// More systems than this are not compared with each other: the pairs grow with their square.
pub const MOST_SYSTEMS: usize = 100;

/// Of more systems the agreement of every two on each group of pages is not summed: that would take the memory of pairs times
/// sites.
pub const MOST_IN_GROUPS: usize = 12;

/// How far the systems of a run agree on the pages of a dataset that have no gold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatasetAgreement {
    /// The dataset's name.
    pub dataset: String,
    /// Its pages without gold.
    pub pages: usize,
    /// What is compared.
    pub systems: Vec<ComparedSystem>,
    /// Each two of them: the first and each later one, the second and each later one, and so on.
    pub pairs: Vec<PairAgreement>,
    /// The most disputed pages by [`DisputedPage::texts_f1`], the lowest first, and equal ones in dataset order; pages without
    /// it come last.
    pub disputed: Vec<DisputedPage>,
    /// The number of pages on which some system extracted nothing.
    #[serde(default)]
    pub silent_pages: usize,
    /// Those of them on which most systems did, the most first, and equal ones in dataset order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<SilentPage>,
    /// The number of all sites of these pages, where `groups` lists only the 10,000 with most pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_sites: Option<usize>,
    /// The same sums for each site, language, kind, group and split of the pages, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, BTreeMap<String, GroupAgreement>>,
}

/// The text that systems keep of the pages of a group, and their agreement on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupAgreement {
    /// Its pages without gold.
    pub pages: usize,
    /// The text that each system keeps of them.
    pub kept: Vec<Kept>,
    /// Each two systems, in the order of those of the dataset; none of more than 12 systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairAgreement>,
}

/// A system among those that are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedSystem {
    /// The algorithm with what tells the row from others.
    pub label: String,
    /// Whose texts they are: program, algorithm, parameters, lists.
    pub system: String,
    /// Its place among the rows of the plan.
    #[serde(default)]
    pub row: usize,
    /// The text that it keeps of the pages.
    #[serde(flatten)]
    pub kept: Kept,
    /// The median of the tokens of its texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
}

impl ComparedSystem {
    /// The languages that its algorithm is for, in words; `None` where it is none of carat's.
    pub(crate) fn languages(&self) -> Option<&'static str> {
        let algorithm = find(self.label.split(' ').next()?).ok()?;
        Some(algorithm.declaration().languages)
    }
}

/// How far two systems agree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairAgreement {
    /// Pages from which both extracted a text, empty or not.
    pub pages: usize,
    /// The mean over them of F1 of the two texts by the longest common subsequence of tokens; `None` of no page.
    pub f1: Option<f64>,
    /// Tokens that the text of the one has and that of the other does not, and the reverse, summed over these pages.
    #[serde(default)]
    pub only: [u64; 2],
}

/// How far the systems agree on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisputedPage {
    /// The page's id.
    pub page: String,
    /// Its site, language and kind; empty where they are not known.
    pub tags: [String; 3],
    /// Pairs of systems that both extracted a text.
    pub pairs: usize,
    /// The mean over them of F1.
    pub f1: f64,
    /// The places of the two that agree least, the first of equal ones: of those that both extracted something, else of all.
    pub least: [usize; 2],
    /// F1 of these two.
    pub least_f1: f64,
    /// The mean of F1 over the pairs of systems that both extracted something: one that extracted nothing may have found
    /// nothing to dispute. `None` of no such pair, and in a run of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts_f1: Option<f64>,
    /// Systems that extracted nothing: an empty text, or none because they failed.
    #[serde(default)]
    pub silent: usize,
}

/// A page on which some system extracted nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilentPage {
    /// The page's id.
    pub page: String,
    /// Systems that extracted nothing: an empty text, or none because they failed.
    pub silent: usize,
    /// Systems that were run on it.
    pub systems: usize,
}

/// The rank of a page among disputed ones, of which the lowest is disputed most: the agreement of the systems that extracted
/// something. Where it is not known, all that is disputed is whether there is a text, so such pages come last.
pub(crate) fn rank(texts_f1: Option<f64>, f1: f64) -> f64 {
    texts_f1.unwrap_or(2.0 + f1)
}

impl DatasetAgreement {
    /// What the systems at two different places come to.
    pub fn pair(&self, one: usize, other: usize) -> PairAgreement {
        self.pairs[pair(one.min(other), one.max(other), self.systems.len())]
    }
}

#[cfg(test)]
mod tests;

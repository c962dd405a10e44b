//! What must be equal for rows to be compared.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::is_zero;
use crate::datasets::LostLines;
use crate::datasets::manifest::MadeOf;

/// What moves a figure besides the system.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// Each dataset.
    pub datasets: BTreeMap<String, DatasetConditions>,
    /// Filters on pages.
    #[serde(rename = "where")]
    pub filters: BTreeMap<String, String>,
    /// Faults whose pages were left out.
    pub without_faults: Vec<String>,
    /// Datasets that rows learned from in place of the one that they are run on; two may have one name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub trained_on: BTreeSet<TrainingDataset>,
    /// What a token is.
    pub tokens: String,
    /// Whether case counts.
    pub case: String,
    /// How texts are compared.
    pub measure: String,
    /// The Unicode versions of each step.
    pub unicode: String,
    /// What cut Han runs into words.
    pub segmenter: String,
    /// What made sites of hosts.
    pub suffix_list: String,
}

/// A dataset that rows learned from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct TrainingDataset {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub digest: String,
}

/// A dataset's part of the conditions.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DatasetConditions {
    /// Its version.
    pub version: String,
    /// Its digest over the pages that were run.
    pub digest: String,
    /// The pages that were run.
    pub pages: usize,
    /// Those of them without gold, which no row counts.
    pub without_gold: usize,
    /// Pages of the dataset that were left out for their faults, whatever the filters would have left of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: usize,
    /// What could not be read of its page lists, so that nobody counted the pages there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostLines>,
    /// From which recipe it was made and which dials were turned, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_of: Option<MadeOf>,
    /// Who made the gold: `human | assisted | tool | derived`, if it says.
    pub gold_nature: Option<String>,
    /// What to know of the gold before a figure is read, if it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold_note: Option<String>,
    /// SHA-256 over the ids of the pages and their golds as they stand; only where the tokens read them so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub golds_as_they_stand: Option<String>,
}

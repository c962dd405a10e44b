//! What moved a figure: digests of pages, golds and datasets.

use std::hash::{DefaultHasher, Hasher};

use serde::{Deserialize, Serialize};

use super::manifest::{Details, GoldSource, Manifest, Record};
use crate::formats::digest::{LinesDigest, sha256};
use crate::scoring::snippets::Matching;

/// SHA-256 of a page's bytes, of its normalised gold and of its roles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// Of the decompressed bytes.
    pub page: String,
    /// Of the UTF-8 of the normalised gold text; `-` without gold.
    pub gold: String,
    /// Of what the roles say, where the gold's selectors name any: which text nodes have which role, and which are gold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<String>,
    /// Of the gold text as it stands, before lines are normalised; only where the tokens of a run read it so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold_as_it_stands: Option<String>,
}

impl Digests {
    /// Of a page's bytes and its normalised gold text; `-` for what there is not.
    pub(super) fn of(page: Option<&[u8]>, gold: Option<&str>) -> Self {
        let digest = |bytes: Option<&[u8]>| bytes.map_or_else(|| "-".to_owned(), sha256);
        Digests { page: digest(page), gold: digest(gold.map(str::as_bytes)), roles: None, gold_as_it_stands: None }
    }
}

/// The digest of a dataset, page by page: a line for each with all that can change a figure
/// (`docs/reference/datasets.md`).
#[derive(Default)]
pub struct DatasetDigest(LinesDigest);

impl DatasetDigest {
    /// Of no page yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a page; they come in dataset order.
    pub fn add(&mut self, record: &Record, digests: &Digests) {
        let optional = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let Details { split, group, faults, .. } = record.details();
        let faults = if faults.is_empty() { "-".to_owned() } else { faults.join(",") };
        let fields = [
            record.id.clone(),
            digests.page.clone(),
            digests.gold.clone(),
            optional(&record.encoding),
            optional(&record.language),
            optional(&record.site),
            optional(&record.kind),
            optional(split),
            optional(group),
            faults,
        ];
        // Only of pages that have them, behind the fields of every page: other datasets keep their digest.
        // Other nodes may have the same text, and the measure `nodes` counts nodes.
        let gold = record.gold.as_ref();
        let nodes = gold.and_then(GoldSource::nodes).map(|nodes| nodes.digest());
        let select = gold.and_then(GoldSource::select_of_page).and_then(|select| serde_json::to_string(select).ok());
        let select = select.map(|select| format!("select {}", sha256(select.as_bytes())));
        let snippets = record.details().snippets.as_ref();
        let snippets = snippets.map(|snippets| format!("snippets {}", sha256(snippets.to_string().as_bytes())));
        let roles = digests.roles.as_ref().map(|roles| format!("roles {roles}"));
        let stated = nodes.into_iter().chain(select).chain(snippets).chain(roles);
        self.0.add(&fields.into_iter().chain(stated).collect::<Vec<_>>().join("\t"));
    }

    /// `sha256:` and 64 hexadecimal digits, once every page is added.
    pub fn finish(mut self, manifest: &Manifest) -> String {
        if let Some(annotations) = manifest.annotations.as_ref().and_then(|strip| serde_json::to_string(strip).ok()) {
            self.0.add(&format!("annotations\t{annotations}"));
        }
        // Only where it is not the usual one: other datasets keep their digest.
        if manifest.snippets == Matching::Dense {
            self.0.add("snippets\tdense");
        }
        format!("sha256:{}", self.0.finish())
    }
}

/// A number that tells ids and lines apart within one process; two may have the same, if hardly ever.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

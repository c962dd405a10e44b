//! Texts that lie where golds of pages do, and that the page lists do not name.

use std::path::{Path, PathBuf};

use super::manifest::{Manifest, Record};
use super::note::Note;
use super::percent_decoded;
use crate::formats::inert::one_line;
use crate::text::counted;

/// The texts `gold/ID.txt` of pages whose records name no gold.
#[derive(Debug)]
pub(super) struct UnnamedGolds {
    /// The folder that they lie in; `None` if it is not there, or golds lie elsewhere.
    folder: Option<PathBuf>,
    number: usize,
    /// The id of the first page that has one.
    first: Option<String>,
}

impl UnnamedGolds {
    /// None yet, of the dataset in `folder`.
    pub(super) fn new(folder: &Path, manifest: &Manifest) -> Self {
        let golds = Some(folder.join("gold")).filter(|golds| manifest.gold_folder.is_none() && golds.is_dir());
        UnnamedGolds { folder: golds, number: 0, first: None }
    }

    /// Looks for that of `record`.
    pub(super) fn look(&mut self, record: &Record) {
        let Some(folder) = self.folder.as_ref().filter(|_| record.gold.is_none()) else { return };
        let name = percent_decoded(&record.id).unwrap_or_default();
        if [&record.id, &name].iter().any(|name| folder.join(format!("{name}.txt")).is_file()) {
            self.number += 1;
            self.first.get_or_insert_with(|| record.id.clone());
        }
    }

    /// Says which are there and how they are named.
    pub(super) fn note(self) -> Option<Note> {
        let first = format!("gold/{}.txt", one_line(&self.first?));
        let pages = counted(self.number, "page");
        let have = if self.number == 1 { "has" } else { "have" };
        Some(Note::Other(format!(
            "{pages} without gold {have} a text in gold/ that the page list does not name, such as `{first}`: write \
             \"gold\": \"{first}\" into the line of the page"
        )))
    }
}

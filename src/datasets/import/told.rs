//! What an importer tells while it reads: notes, and the faults of single pages as long as they do not end it.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::datasets::load::{Faults, Loading};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Note};

/// What was told so far.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) faults: Faults,
    notes: Vec<Note>,
    /// The pages whose words were set aside, by the word's key.
    aside: BTreeMap<&'static str, Aside>,
}

/// A word that was set aside, and of how many pages there is one.
#[derive(Debug)]
struct Aside {
    pages: usize,
    first: String,
}

/// The words of upstream's that are set aside where the format does not allow them, and what they should be.
const SET_ASIDE: [(&str, &str); 2] = [("x-language", "BCP 47 tag"), ("x-url", "absolute URL")];

impl Told {
    /// Nothing yet.
    pub(super) fn new(loading: Loading) -> Self {
        Told { faults: Faults::new(loading), notes: Vec::new(), aside: BTreeMap::new() }
    }

    /// Tells something that a user should know.
    pub(super) fn note(&mut self, text: String) {
        self.notes.push(Note::Other(text));
    }

    /// Tells of a gold that is left out, for there is no page of it.
    pub(super) fn gold_without_page(&mut self, text: String) {
        self.notes.push(Note::GoldWithoutPage(text));
    }

    /// What was read of the page `id`; `None` where that is faulty and the page is left out for it.
    ///
    /// # Errors
    /// The fault, where the first one ends the load.
    pub(super) fn page<T>(&mut self, id: &str, read: Result<T, DatasetError>) -> Result<Option<T>, DatasetError> {
        let fault = match read {
            Ok(read) => return Ok(Some(read)),
            Err(fault) => fault,
        };
        let page = fault.page.clone().unwrap_or_else(|| id.to_owned());
        self.faults.page(fault.of_page(&page))?;
        Ok(None)
    }

    /// Counts what of the record was set aside.
    pub(super) fn count_aside(&mut self, record: &Record) {
        for (key, _) in SET_ASIDE {
            if let Some(word) = record.details().other.get(key).and_then(Json::as_str) {
                let first = || Aside { pages: 0, first: format!("`{word}` of page `{}`", record.id) };
                self.aside.entry(key).or_insert_with(first).pages += 1;
            }
        }
    }

    /// Gives the dataset what was told of it.
    pub(super) fn give_to(self, dataset: &mut Dataset) {
        dataset.notes = self.notes;
        for (key, wanted) in SET_ASIDE {
            if let Some(Aside { pages, first }) = self.aside.get(key) {
                let text = format!("{key}: set aside on {pages} pages, for it is no {wanted}: {first} first");
                dataset.notes.push(Note::Other(text));
            }
        }
        dataset.dropped = self.faults.into_dropped();
    }
}

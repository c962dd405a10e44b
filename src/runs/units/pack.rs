//! The pairs of a folder `units/`, open for reading, with the index of their units.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::index::{Entry, Index, MOST_PAIRS, hash_of};
use super::pair::{Fault, Head, Pair, TextsAt, number_of, path_of};
use super::writer::Written;
use crate::formats::files::FileError;
use crate::formats::reading::unread;

/// Every pair of a folder.
#[derive(Default)]
pub(super) struct Pack {
    folder: PathBuf,
    pub(super) pairs: BTreeMap<u32, Arc<Pair>>,
    pub(super) index: Index,
}

/// The faults in a folder of units.
pub(crate) struct Faults {
    /// Units that are known to have been there and cannot be read.
    pub(crate) lost: usize,
    /// The first file that is not as it was written.
    pub(crate) file: PathBuf,
}

/// A unit as it was found.
pub(super) struct Found<'p, O> {
    pub(super) entry: Entry,
    pub(super) head: Head<O>,
    pub(super) pair: &'p Pair,
}

impl Pack {
    /// Opens all pairs in `folder`; none where there is no such folder. `with_texts`: their texts are checked too.
    ///
    /// # Errors
    /// [`FileError`]: an I/O or permission error.
    pub(super) fn open(folder: &Path, with_texts: bool) -> Result<Self, FileError> {
        let mut entries = Vec::new();
        let mut pairs = BTreeMap::new();
        for number in numbers(folder)? {
            let pair = Pair::open(folder, number, with_texts, &mut entries)?;
            pairs.insert(number, Arc::new(pair));
        }
        Ok(Pack { folder: folder.to_owned(), pairs, index: Index::new(entries) })
    }

    /// The same without the pairs `gone`, and with what was written since, which is checked when it is read.
    ///
    /// # Errors
    /// As [`Pack::open`].
    pub(super) fn renewed(&self, gone: &[u32], written: &Written) -> Result<Self, FileError> {
        let mut pairs = self.pairs.clone();
        for pair in &written.pairs {
            let before = self.pairs.get(&pair.number).map(|pair| &**pair);
            pairs.insert(pair.number, Arc::new(Pair::of_written(&self.folder, pair, before)?));
        }
        pairs.retain(|number, _| !gone.contains(number));
        Ok(Pack { folder: self.folder.clone(), pairs, index: self.index.with(&written.entries, gone) })
    }

    /// The faults in the folder, if there are any.
    pub(super) fn faults(&self) -> Option<Faults> {
        let faulty = self.pairs.values().find_map(|pair| pair.faulty.clone())?;
        let lost = self.pairs.values().fold(0usize, |lost, pair| lost.saturating_add(pair.lost));
        Some(Faults { lost, file: faulty })
    }

    /// The latest unit of a page.
    ///
    /// # Errors
    /// As [`Pack::open`].
    pub(super) fn find<O: DeserializeOwned>(
        &self,
        dataset: &str,
        page: &str,
    ) -> Result<Option<Found<'_, O>>, FileError> {
        for entry in self.index.of(hash_of(dataset, page)) {
            let found = self.at(entry)?.filter(|found: &Found<'_, O>| {
                (found.head.dataset.as_str(), found.head.page.as_str()) == (dataset, page)
            });
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The unit at an entry, if it is whole.
    ///
    /// # Errors
    /// As [`Pack::open`].
    pub(super) fn at<O: DeserializeOwned>(&self, entry: Entry) -> Result<Option<Found<'_, O>>, FileError> {
        let Some(pair) = self.pairs.get(&entry.pair()) else { return Ok(None) };
        let head = pair.head(entry.at());
        let head = head.map_err(|error| unread(&path_of(&self.folder, pair.number, "heads"), error))?;
        Ok(head.map(|head| Found { entry, head, pair }))
    }

    /// The record of texts of a unit in `pair`, if it is whole.
    ///
    /// # Errors
    /// As [`Pack::open`].
    pub(super) fn texts(&self, pair: &Pair, texts: TextsAt) -> Result<Option<Vec<u8>>, FileError> {
        pair.read_texts(texts).map_err(|error| unread(&path_of(&self.folder, pair.number, "texts"), error))
    }

    /// The last pair, if more can be written behind what is in it: one that this run's program began.
    pub(super) fn last(&self, key: &str) -> Option<&Pair> {
        let (_, last) = self.pairs.last_key_value()?;
        let takes_more = last.key.as_deref() == Some(key) && last.fault <= Fault::Tail && !last.is_shared;
        takes_more.then_some(&**last)
    }

    /// A number that no pair has, greater than all.
    pub(super) fn next_number(&self) -> u32 {
        self.pairs.last_key_value().map_or(0, |(number, _)| number + 1)
    }
}

/// The numbers of the pairs in `folder`.
fn numbers(folder: &Path) -> Result<Vec<u32>, FileError> {
    let mut numbers = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(numbers),
        entries => entries.map_err(|error| unread(folder, error))?,
    };
    for entry in entries {
        let name = entry.map_err(|error| unread(folder, error))?.file_name();
        let number = number_of(&name.to_string_lossy()).filter(|(_, ending)| *ending == "heads");
        numbers.extend(number.map(|(number, _)| number).filter(|number| *number < MOST_PAIRS));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

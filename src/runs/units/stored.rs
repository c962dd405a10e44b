//! The units of a finished run, read back.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::FOLDER;
use super::pack::{Found, Pack};
use super::pair::path_of;
use crate::datasets::Digests;
use crate::formats::record::content_of;
use crate::runs::folder_error::FolderError;
use crate::runs::page_outcome::{PageOutcome, Texts};

/// The endings of units that earlier versions wrote, a file for each page.
const EARLIER: [&str; 2] = [".unit", ".json.zst"];

/// The units of a finished run.
pub struct StoredUnits {
    folder: PathBuf,
    pack: Pack,
}

impl StoredUnits {
    /// Opens the units of the run in the folder `run`.
    ///
    /// # Errors
    /// [`FolderError`]: there are none, or a part of them is not as it was written.
    pub fn open(run: &Path) -> Result<Self, FolderError> {
        let folder = run.join(FOLDER);
        let pack = Pack::open(&folder, false)?;
        match pack.pairs.is_empty() || pack.faults().is_some() {
            true => Err(damaged(&folder, &pack)),
            false => Ok(StoredUnits { folder, pack }),
        }
    }

    /// The digests of a page and its gold when it was run.
    ///
    /// # Errors
    /// As [`StoredUnits::texts`].
    pub(crate) fn digests(&self, dataset: &str, page: &str) -> Result<Digests, FolderError> {
        #[derive(Deserialize)]
        struct Outcome {
            digests: Digests,
        }
        let found = self.pack.find::<Outcome>(dataset, page)?;
        found.map(|found| found.head.outcome.digests).ok_or_else(|| damaged(&self.folder, &self.pack))
    }

    /// The texts of a page; there are none where the run stored none.
    ///
    /// # Errors
    /// [`FolderError`]: its unit is not there, or is not whole.
    pub fn texts(&self, dataset: &str, page: &str) -> Result<Texts, FolderError> {
        let found = self.pack.find::<IgnoredAny>(dataset, page)?;
        self.texts_of(found.as_ref())
    }

    /// The outcome of a page, and its texts.
    ///
    /// # Errors
    /// As [`StoredUnits::texts`].
    pub fn page(&self, dataset: &str, page: &str) -> Result<(PageOutcome, Texts), FolderError> {
        let found = self.pack.find::<PageOutcome>(dataset, page)?;
        let texts = self.texts_of(found.as_ref())?;
        let found = found.ok_or_else(|| damaged(&self.folder, &self.pack))?;
        Ok((found.head.outcome, texts))
    }

    fn texts_of<O>(&self, found: Option<&Found<'_, O>>) -> Result<Texts, FolderError> {
        let Found { head, pair, .. } = found.ok_or_else(|| damaged(&self.folder, &self.pack))?;
        let Some(at) = head.texts else { return Ok(Texts::default()) };
        let texts = self.pack.texts(pair, at)?.and_then(|record| {
            let content = content_of(&record)?;
            serde_json::from_slice(&content).ok()
        });
        texts.ok_or_else(|| told(&path_of(&self.folder, pair.number, "texts"), "is missing or damaged"))
    }
}

/// The units of a finished run, opened when the first page is asked for.
pub(crate) struct StoredLater {
    run: PathBuf,
    opened: OnceLock<StoredUnits>,
}

impl StoredLater {
    /// Those of the run in the folder `run`.
    pub(crate) fn new(run: &Path) -> Self {
        StoredLater { run: run.to_owned(), opened: OnceLock::new() }
    }

    /// The units.
    ///
    /// # Errors
    /// As [`StoredUnits::open`].
    pub(crate) fn get(&self) -> Result<&StoredUnits, FolderError> {
        match self.opened.get() {
            Some(opened) => Ok(opened),
            None => {
                let opened = StoredUnits::open(&self.run)?;
                Ok(self.opened.get_or_init(|| opened))
            }
        }
    }
}

/// That a unit in `folder` is missing, or not as it was written.
pub(super) fn damaged(folder: &Path, pack: &Pack) -> FolderError {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    if pack.pairs.is_empty() && names.any(|name| is_earlier(&name)) {
        return told(folder, "holds units of an earlier carat");
    }
    let first = pack.pairs.first_key_value().map_or(0, |(number, _)| *number);
    let file = pack.faults().map_or_else(|| path_of(folder, first, "heads"), |faults| faults.file);
    told(&file, "is missing or damaged")
}

fn told(path: &Path, what: &str) -> FolderError {
    let message = format!("{what}; the command that made the run makes it again");
    FolderError::Content { path: path.to_owned(), message }
}

/// True if it is the name of a unit of an earlier version.
pub(super) fn is_earlier(name: &str) -> bool {
    EARLIER
        .into_iter()
        .filter_map(|ending| name.strip_suffix(ending))
        .any(|hash| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

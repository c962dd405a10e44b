//! The units of several runs that are put together.

use std::path::Path;
use std::sync::Mutex;

use super::pair::{ENDINGS, path_of};
use super::{FOLDER, Units};
use crate::datasets::Dataset;
use crate::datasets::manifest::Record;
use crate::formats::files::{FileError, sync_folder, unwritten};
use crate::runs::page_outcome::PageOutcome;

/// The unit of a page as it is told from others.
pub(crate) struct StoredPage {
    /// The outcome of the page.
    pub(crate) outcome: PageOutcome,
    /// True if it was made by the very run, of what the page list says of the page. Its bytes are not read again.
    pub(crate) is_own: bool,
    /// Bytes and checksum of its texts.
    pub(crate) texts: Option<(u64, u64)>,
}

impl Units {
    /// Those in the run folder `run`, of a run of the same plan by the same program.
    pub(crate) fn beside(&self, run: &Path) -> Units {
        let Units { key, with_texts, rule, limits, .. } = self;
        let (key, state) = (key.clone(), Mutex::default());
        Units { folder: run.join(FOLDER), key, with_texts: *with_texts, rule: *rule, limits: *limits, state }
    }

    /// The unit of the page.
    ///
    /// # Errors
    /// [`FileError`]: an I/O or permission error.
    pub(crate) fn stored(&self, dataset: &Dataset, record: &Record) -> Result<Option<StoredPage>, FileError> {
        let pack = self.looked_at()?;
        let found = pack.find::<PageOutcome>(dataset.name(), &record.id)?;
        Ok(found.map(|found| StoredPage {
            is_own: found.head.key == self.page_key(dataset, record, &found.head.outcome.digests),
            outcome: found.head.outcome,
            texts: found.head.texts.map(|texts| (texts.bytes, texts.checksum)),
        }))
    }

    /// The pages that have a unit.
    ///
    /// # Errors
    /// As [`Units::stored`].
    pub(crate) fn pages(&self) -> Result<usize, FileError> {
        Ok(self.looked_at()?.index.latest().count())
    }

    /// Links all pairs into the run folder `run`, or copies them to another disk, under numbers from `next` on; gives the
    /// number behind the last.
    ///
    /// # Errors
    /// [`FileError`]: a file that cannot be written.
    pub(crate) fn link_into(&self, run: &Path, mut next: u32) -> Result<u32, FileError> {
        let folder = run.join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(|error| unwritten(&folder, error))?;
        for number in self.looked_at()?.pairs.keys() {
            // The heads last: a pair without them is none.
            for ending in ENDINGS.into_iter().rev() {
                let (from, to) = (path_of(&self.folder, *number, ending), path_of(&folder, next, ending));
                if from.exists() {
                    let linked = std::fs::hard_link(&from, &to).or_else(|_| std::fs::copy(&from, &to).map(drop));
                    linked.map_err(|error| unwritten(&to, error))?;
                }
            }
            next += 1;
        }
        sync_folder(&folder)?;
        Ok(next)
    }
}

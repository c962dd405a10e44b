//! The folder that a dataset is written to.

use crate::formats::code::Code;
use std::path::{Path, PathBuf};

use super::import::write::missing_folders;
use super::{DatasetError, shown};
use crate::formats::files::{FileError, FolderLock, remove_temporary};

/// The folders in which a dataset's files lie.
const PARTS: [&str; 3] = ["pages", "gold", "stored"];

/// A folder that this program alone writes a dataset to. Dropped, it leaves nothing behind but the dataset: no lock, and no
/// folder that it made and nothing came into.
pub struct FolderClaim {
    lock: Option<FolderLock>,
    /// The folders that were not there before, the innermost first.
    missing: Vec<PathBuf>,
}

impl FolderClaim {
    /// Claims `folder`, which is made if it is missing. What a program that was killed left half-written in it is removed.
    ///
    /// # Errors
    /// [`DatasetError`] of the code `E-WRITE`: another program writes to it, or no permission.
    pub fn of(folder: &Path) -> Result<Self, DatasetError> {
        let mut claim = FolderClaim { lock: None, missing: missing_folders(folder) };
        std::fs::create_dir_all(folder)
            .map_err(|error| DatasetError::new(Code::Write, shown(folder), error.to_string()))?;
        let failed = |error: FileError| DatasetError::new(Code::Write, shown(&error.path), error.source.to_string());
        let lock = FolderLock::of(folder).map_err(failed)?.ok_or_else(|| {
            let message = "another carat is writing to it; wait for it, or choose another folder";
            DatasetError::new(Code::Write, shown(folder), message)
        })?;
        if lock.is_certain() {
            let parts = PARTS.iter().map(|part| folder.join(part));
            let real = parts.filter(|part| part.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()));
            real.chain([folder.to_owned()]).try_for_each(|part| remove_temporary(&part)).map_err(failed)?;
        }
        claim.lock = Some(lock);
        Ok(claim)
    }
}

impl Drop for FolderClaim {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            lock.remove();
        }
        self.missing.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
}

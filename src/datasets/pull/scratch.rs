//! A folder for what is under way: removed when it is done with, or else by whoever works beside it later.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::formats::files::{TEMPORARY, is_temporary};

/// The file in the folder that is locked as long as somebody works there. The system unlocks it when a program is killed.
const LOCK: &str = "lock";

/// A folder without a lock has been left by a program that was killed before it made one, or is on a file system that
/// cannot lock: after so long nobody works there any more.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder that is removed when this is dropped.
pub(super) struct Scratch {
    // Closed before the folder is removed, for some systems remove no file that is open.
    _lock: Option<File>,
    folder: tempfile::TempDir,
}

impl Scratch {
    /// Makes a folder in `beside`, which is made if it is missing. Folders that were left there go.
    pub(super) fn begin(beside: &Path) -> io::Result<Scratch> {
        std::fs::create_dir_all(beside)?;
        remove_left(beside);
        let folder = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(beside)?;
        let lock = locked(folder.path())?;
        Ok(Scratch { _lock: lock, folder })
    }

    /// The path of `name` in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Makes the folder's lock. It gets its name when it is locked, so that nobody finds it free while its owner lives.
fn locked(folder: &Path) -> io::Result<Option<File>> {
    let new = folder.join("lock.new");
    let lock = File::create_new(&new)?;
    if lock.try_lock().is_err() {
        // Some file systems cannot lock.
        return Ok(None);
    }
    std::fs::rename(&new, folder.join(LOCK))?;
    Ok(Some(lock))
}

/// Removes the folders in `beside` that nobody works in any more. What cannot be removed does no harm.
fn remove_left(beside: &Path) {
    for entry in std::fs::read_dir(beside).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && is_temporary(&entry.file_name().to_string_lossy()) && is_left(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left(folder: &Path) -> bool {
    let lock = folder.join(LOCK);
    match std::fs::symlink_metadata(&lock) {
        // No pipe is opened, and no link followed. Where nothing can be locked, nobody knows.
        Ok(kind) => kind.is_file() && File::open(&lock).is_ok_and(|lock| lock.try_lock().is_ok()),
        Err(_) => {
            let made = std::fs::metadata(folder).and_then(|folder| folder.modified());
            made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > FORGOTTEN))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn only_what_nobody_works_in_is_removed() {
        let beside = tempfile::tempdir().unwrap();
        let beside = beside.path();
        let make = |name: &str| {
            std::fs::create_dir_all(beside.join(name).join("deep")).unwrap();
            std::fs::write(beside.join(name).join("deep/page"), "x").unwrap();
        };
        let at_work = Scratch::begin(&beside.join("made")).unwrap();
        assert!(at_work.path("x").parent().unwrap().is_dir());
        drop(at_work);
        assert_eq!(std::fs::read_dir(beside.join("made")).unwrap().count(), 0);

        let at_work = Scratch::begin(beside).unwrap();
        [".tmp-carat-killed", ".tmp-carat-young", ".tmp-carat-old", "others"].into_iter().for_each(make);
        for name in [".tmp-carat-killed", "others"] {
            std::fs::write(beside.join(name).join(LOCK), "").unwrap();
        }
        std::fs::write(beside.join(".tmp-carat-file"), "a page list").unwrap();
        let long_ago = SystemTime::now() - 2 * FORGOTTEN;
        File::open(beside.join(".tmp-carat-old")).unwrap().set_modified(long_ago).unwrap();
        let another = Scratch::begin(beside).unwrap();
        assert!(at_work.path("").is_dir() && another.path("").is_dir(), "who is at work is left alone");
        for (name, is_there) in [
            (".tmp-carat-killed", false),
            (".tmp-carat-old", false),
            (".tmp-carat-young", true),
            (".tmp-carat-file", true),
            ("others", true),
        ] {
            assert_eq!(beside.join(name).exists(), is_there, "{name}");
        }
    }
}

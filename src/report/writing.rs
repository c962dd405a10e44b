//! Writing the files of a report into the folder of its run.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::html::PAGES;
use crate::formats::files::{AtomicFile, SetAside, remove, unwritten, write_atomically};
use crate::runs::folder::{Claim, FolderError};

/// A file's name and content.
pub(super) type File = (String, Vec<u8>);

/// The list of the files that a report wrote, by which the next one knows what is stale.
const LIST: &str = "report.txt";

/// A report that is being written: its files wait on the disk until all of them are whole, so that a report that fails
/// leaves the one before it as it is.
pub(super) struct Writing<'f> {
    folder: &'f Path,
    is_own: fn(&str) -> bool,
    files: Mutex<Vec<(String, SetAside)>>,
}

impl<'f> Writing<'f> {
    /// Of no file yet; only what `is_own` says of will be touched.
    pub(super) fn new(claim: &'f Claim, is_own: fn(&str) -> bool) -> Self {
        Writing { folder: claim.folder(), is_own, files: Mutex::default() }
    }

    /// Adds a file.
    pub(super) fn add(&self, name: &str, content: &[u8]) -> Result<(), FolderError> {
        let path = self.folder.join(name);
        let mut file = AtomicFile::new(&path)?;
        file.write_all(content).map_err(|source| unwritten(&path, source))?;
        // Waiting for the disk after each of thousands of pages would take most of the time, and they are soon made again.
        let file = file.set_aside(!is_below(PAGES, name))?;
        self.files.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), file));
        Ok(())
    }

    /// Puts all files in their places, the last added last, and removes those that an earlier report wrote and this one
    /// did not: a figure of an earlier run would stand beside conditions that are not its own. Other files are left alone.
    pub(super) fn finish(self) -> Result<(), FolderError> {
        let Writing { folder, is_own, files } = self;
        let (names, files): (Vec<String>, Vec<SetAside>) =
            files.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().unzip();
        let earlier = std::fs::read_to_string(folder.join(LIST)).unwrap_or_default();
        let others = earlier.lines().filter(|name| !is_own(name));
        let written: BTreeSet<&str> = names.iter().map(String::as_str).chain(others).collect();
        // Until all is done the list names both, so that a report cut short loses track of nothing.
        write_list(folder, &earlier.lines().chain(written.iter().copied()).collect())?;
        files.into_iter().try_for_each(SetAside::put)?;
        let is_stale = |name: &&str| !written.contains(name) && is_own(name);
        for name in earlier.lines().filter(is_stale) {
            remove(&folder.join(name))?;
        }
        write_list(folder, &written)
    }
}

/// Writes `files` and removes those that an earlier report wrote and this one did not.
pub(super) fn put_all(claim: &Claim, files: &[File], is_own: fn(&str) -> bool) -> Result<(), FolderError> {
    let writing = Writing::new(claim, is_own);
    files.iter().try_for_each(|(name, content)| writing.add(name, content))?;
    writing.finish()
}

fn write_list(folder: &Path, names: &BTreeSet<&str>) -> Result<(), FolderError> {
    let list: String = names.iter().map(|name| format!("{name}\n")).collect();
    Ok(write_atomically(&folder.join(LIST), list.as_bytes())?)
}

/// Whether `name` may be a table or a figure: a file right below `tables/` or `figures/`.
pub(super) fn is_table_or_figure(name: &str) -> bool {
    is_below("tables/", name) || is_below("figures/", name)
}

/// Whether `name` is that of a file right below `folder`.
pub(super) fn is_below(folder: &str, name: &str) -> bool {
    name.strip_prefix(folder).is_some_and(|rest| !rest.is_empty() && !rest.contains(['/', '\\']) && rest != "..")
}

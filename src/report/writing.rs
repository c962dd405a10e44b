//! Writing the files of a report into the folder of its run.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::formats::digest::{sha256, sha256_of};
use crate::formats::files::{
    AtomicFile, FileError, SetAside, remove, sync_file_system, sync_folder, unwritten, write_atomically,
};
use crate::formats::reading::{RegularFile, read_at_most};
use crate::runs::folder::Claim;
use crate::runs::folder_error::FolderError;

/// A file's name and content.
pub(super) type File = (String, Vec<u8>);

/// The list of the files that a report wrote, by which the next one knows what is stale: the SHA-256 of each and its name,
/// as `sha256sum --check` reads them.
const LIST: &str = "report.txt";

/// The name of the index.
pub(super) const INDEX: &str = "index.html";

/// The folder of the files of pages.
pub(super) const PAGES: &str = "pages/";

/// A list of more bytes is none of a report.
const MOST_LIST_BYTES: u64 = 64 << 20;

/// What stands between a file's digest and its name.
const BETWEEN: &str = "  ";

/// A file that a report wrote: its name and its digest. A folder may come from a stranger, so a file is removed only if it
/// holds what a report wrote.
type Written = (String, String);

/// A report that is being written: its files wait on the disk until all of them are whole, so that a report that fails
/// leaves the one before it as it is.
pub(super) struct Writing<'f> {
    folder: &'f Path,
    is_own: fn(&str) -> bool,
    files: Mutex<Vec<(Written, SetAside)>>,
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
        // Waiting for the disk after each of thousands of files would take most of the time: all are waited for together.
        let file = file.set_aside(false)?;
        let written = (name.to_owned(), sha256(content));
        self.files.lock().unwrap_or_else(PoisonError::into_inner).push((written, file));
        Ok(())
    }

    /// Puts all files in their places, the last added last, and removes those that an earlier report wrote and this one
    /// did not: a figure of an earlier run would stand beside conditions that are not its own. Other files are left alone.
    pub(super) fn finish(self) -> Result<(), FolderError> {
        let Writing { folder, is_own, files } = self;
        let (own, files): (Vec<Written>, Vec<SetAside>) =
            files.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().unzip();
        let earlier = read_list(folder)?;
        let others = earlier.iter().filter(|(name, _)| !is_own(name));
        let written: BTreeSet<&Written> = own.iter().chain(others).collect();
        // Until all is done the list names both, so that a report cut short loses track of nothing.
        write_list(folder, &earlier.iter().chain(written.iter().copied()).collect())?;
        sync_file_system(folder)?;
        files.into_iter().try_for_each(SetAside::put)?;
        let names: BTreeSet<&str> = written.iter().map(|(name, _)| name.as_str()).collect();
        for stale in earlier.iter().filter(|(name, _)| !names.contains(name.as_str()) && is_own(name)) {
            remove_written(folder, stale)?;
        }
        let folders: BTreeSet<&Path> = names.iter().filter_map(|name| Path::new(name).parent()).collect();
        folders.into_iter().try_for_each(|below| sync_folder(&folder.join(below)))?;
        write_list(folder, &written)
    }
}

/// Removes a file of an earlier report, unless something else has taken its place.
fn remove_written(folder: &Path, (name, digest): &Written) -> Result<(), FileError> {
    let path = folder.join(name);
    let is_plain = std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
    let is_it = || RegularFile::open(&path).and_then(sha256_of).is_ok_and(|there| there == *digest);
    if is_plain && is_it() { remove(&path) } else { Ok(()) }
}

/// Writes `files` and removes those that an earlier report wrote and this one did not.
pub(super) fn put_all(claim: &Claim, files: &[File], is_own: fn(&str) -> bool) -> Result<(), FolderError> {
    let writing = Writing::new(claim, is_own);
    files.iter().try_for_each(|(name, content)| writing.add(name, content))?;
    writing.finish()
}

/// The names of the files that the report in a folder wrote, as its list says; none where there is no list.
///
/// # Errors
/// [`FileError`]: the list cannot be read.
pub(crate) fn listed_names(folder: &Path) -> Result<BTreeSet<String>, FileError> {
    Ok(read_list(folder)?.into_iter().map(|(name, _)| name).collect())
}

/// The files of the report in the folder of a run that are not as it was written; `None` where no list of them is there.
///
/// # Errors
/// [`FileError`]: the list cannot be read.
pub fn changed_files(folder: &Path) -> Result<Option<Vec<String>>, FileError> {
    if !folder.join(LIST).exists() {
        return Ok(None);
    }
    // A list from a stranger may name any file.
    let is_of_report = |name: &str| is_table_or_figure(name) || name == INDEX || is_below(PAGES, name);
    let written = read_list(folder)?.into_iter().filter(|(name, _)| is_of_report(name));
    let is_same = |name: &str, digest: &str| {
        RegularFile::open(&folder.join(name)).and_then(sha256_of).is_ok_and(|there| there == digest)
    };
    Ok(Some(written.filter(|(name, digest)| !is_same(name, digest)).map(|(name, _)| name).collect()))
}

/// Writes the documents and figures of a site into the folder of `claim`, and removes those that an earlier site left there.
///
/// # Errors
/// [`FolderError`]: a file that cannot be written; what an earlier site left is then as it was.
pub fn write_site(claim: &Claim, files: &[File]) -> Result<(), FolderError> {
    put_all(claim, files, |name| is_below("figures/", name) || name.ends_with(".html") && !name.contains(['/', '\\']))
}

/// The files of earlier reports; lines that are of no report are passed over.
fn read_list(folder: &Path) -> Result<BTreeSet<Written>, FileError> {
    let path = folder.join(LIST);
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let list = String::from_utf8_lossy(&read_at_most(&path, MOST_LIST_BYTES)?).into_owned();
    let written = |line: &str| line.split_once(BETWEEN).map(|(digest, name)| (name.to_owned(), digest.to_owned()));
    Ok(list.lines().filter_map(written).collect())
}

fn write_list(folder: &Path, files: &BTreeSet<&Written>) -> Result<(), FolderError> {
    let list: String = files.iter().map(|(name, digest)| format!("{digest}{BETWEEN}{name}\n")).collect();
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

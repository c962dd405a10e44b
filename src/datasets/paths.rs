//! Paths of a dataset: as they may be written, as they are told, and the files behind them.

use crate::formats::code::Code;
use std::path::{Path, PathBuf};

use super::error::DatasetError;
use crate::formats::reading::{is_of_system, patiently};

/// A path of a manifest: relative, with `/`, in NFC, never out of its folder.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn check_path(path: &str) -> Result<(), String> {
    match is_relative(path) && !path.split('/').any(|segment| segment == "..") {
        true => Ok(()),
        false => Err(format!(
            "`{path}` is not a path inside the dataset's folder (relative, in NFC, with `/`, without `..`)"
        )),
    }
}

/// Whether it is a path with `/` from a folder to one below it or above.
pub(super) fn is_relative(path: &str) -> bool {
    let has_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    let is_plain = !path.contains(['\\', '\0']) && !has_drive && unicode_normalization::is_nfc(path);
    is_plain && !path.split('/').any(|segment| matches!(segment, "" | "."))
}

/// The whole path of what need not be there, links in what is there followed.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = whole.ancestors().find_map(|above| Some((above, std::fs::canonicalize(above).ok()?)));
    match known {
        Some((above, known)) => known.join(whole.strip_prefix(above).unwrap_or(Path::new(""))),
        None => whole,
    }
}

/// The name of a path for messages.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// That there is nothing at `path`; a relative one is told with the current folder, too.
pub(super) fn not_there(path: &Path, what: &str) -> String {
    match std::path::absolute(path) {
        Ok(whole) if path.is_relative() => {
            let whole = whole.display();
            format!("there is no such {what}; relative paths are of the current folder, so that would be {whole}")
        }
        _ => format!("there is no such {what}"),
    }
}

/// The names of the files in `folder`, sorted in bytes, without what systems leave behind.
pub(super) fn file_names(folder: &Path) -> Result<Vec<String>, DatasetError> {
    let fault = |error: std::io::Error| DatasetError::unread(Code::Missing, shown(folder), &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_file = match patiently(|| std::fs::metadata(entry.path())) {
            Ok(metadata) => metadata.is_file(),
            Err(error) if is_of_system(&error) => return Err(fault(error)),
            // A link that leads nowhere.
            Err(_) => false,
        };
        if is_file && !is_junk(&name) {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Every file below `source`, as relative paths in byte order. The folder of a run holds a report's pages and extractions,
/// which are no pages of the dataset beside which it was written.
pub(super) fn files_below(source: &Path) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let is_run = |entry: &walkdir::DirEntry| entry.depth() > 0 && entry.path().join("run.yaml").is_file();
    let below = walkdir::WalkDir::new(source).follow_links(true).sort_by_file_name();
    for entry in below.into_iter().filter_entry(|entry| !is_run(entry)) {
        let entry = match entry {
            Ok(entry) => entry,
            // A link to nowhere, such as an editor's lock, or to a folder above itself: neither is a page.
            Err(error) if error.depth() > 0 && (error.loop_ancestor().is_some() || is_dangling(&error)) => continue,
            Err(error) => return Err(error.to_string()),
        };
        let relative = entry.path().strip_prefix(source).unwrap_or(entry.path());
        if entry.file_type().is_file() && !is_junk(&entry.file_name().to_string_lossy()) {
            files.push(relative.to_string_lossy().replace('\\', "/"));
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn is_dangling(error: &walkdir::Error) -> bool {
    let is_missing = error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    is_missing && error.path().is_some_and(Path::is_symlink)
}

/// A text without its percent-escapes; `None` where a `%` begins no two hexadecimal digits, or the bytes are no UTF-8.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let [high, low, after @ ..] = rest else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

/// `.DS_Store`, `._*`, `Thumbs.db`.
fn is_junk(name: &str) -> bool {
    name == ".DS_Store" || name == "Thumbs.db" || name.starts_with("._")
}

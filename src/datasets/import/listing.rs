//! The files below a folder.

use std::path::Path;

use crate::datasets::is_junk;

/// Every file below `source`, as relative paths in byte order. The folder of a run holds a report's pages and extractions,
/// which are no pages of the dataset beside which it was written.
pub(super) fn files(source: &Path) -> Result<Vec<String>, String> {
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

//! Reports: a function of a run folder. Made twice, the same bytes; runs nothing.

pub mod tables;

use std::path::Path;

use crate::formats::files::write_atomically;
use crate::runs::folder::{FolderError, read_summary};

/// Makes the tables and figures of the run in `folder`. Returns warnings, a sentence each.
///
/// # Errors
/// [`FolderError`]: not a run's folder, or a file that cannot be written.
pub fn make(folder: &Path) -> Result<Vec<String>, FolderError> {
    let summary = read_summary(folder)?;
    write_atomically(&folder.join("tables/rows.csv"), tables::csv(&summary).as_bytes())?;
    Ok(Vec::new())
}

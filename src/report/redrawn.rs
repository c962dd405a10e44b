//! The report in the folder of a run, held against the one that its run would be given now: a list of digests can be
//! renewed together with what it lists, and a drawing that does not follow from the run cannot.

use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::drawing::{FigureFiles, drawn, is_picture};
use super::html;
use super::language::Language;
use super::run_files::{MOST_PAGES, RunFiles};
use super::run_report::table_files;
use super::writing::{INDEX, PAGES, is_below, listed_names};
use crate::formats::digest::{sha256, sha256_of};
use crate::formats::reading::RegularFile;
use crate::runs::folder_error::FolderError;

/// The differences between two reports of a run.
#[derive(Debug, Default)]
pub(crate) struct Redrawn {
    /// The files that are missing, or others than the run gives, by their names in its folder.
    pub(crate) differing: Vec<String>,
    /// The number of pictures (PNG and PDF) that could not be compared: they were painted with other fonts.
    pub(crate) incomparable: usize,
}

/// Makes the report of `run` once more, in the language of the one that is there, and compares each file. Writes nothing.
///
/// # Errors
/// [`FolderError`]: a unit that is missing or damaged, or a file of the run that holds something else than it should.
pub(crate) fn redrawn(run: &RunFiles<'_>) -> Result<Redrawn, FolderError> {
    let language = language_in(run.folder());
    let drawn = drawn(run.figures()?, language);
    let listed = listed_names(run.folder())?;
    let is_there = |name: &str| {
        let name = format!("figures/{name}");
        listed.contains(&name) || run.folder().join(name).exists()
    };
    let files = FigureFiles::of(&drawn).with_pictures(&drawn, is_there);
    let differing = Mutex::new(Vec::new());
    let compare = |name: &str, content: &[u8]| {
        if !is_as(run, name, content) {
            differing.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
        }
        Ok(())
    };
    table_files(run, language).iter().try_for_each(|(name, content)| compare(name, content))?;
    html::each(run, (&drawn, &files), language, &compare)?;
    let (mut pictures, mut others) = (0, Vec::new());
    for (name, content) in &files.files {
        let name = format!("figures/{name}");
        if is_picture(&name) {
            pictures += 1;
            others.extend((!is_as(run, &name, content)).then_some(name));
        } else {
            compare(&name, content)?;
        }
    }
    // Fonts are those of the machine that painted: where no picture is the same, they were others.
    let incomparable = if others.len() == pictures { std::mem::take(&mut others).len() } else { 0 };
    let mut differing = differing.into_inner().unwrap_or_else(PoisonError::into_inner);
    differing.append(&mut others);
    differing.sort();
    Ok(Redrawn { differing, incomparable })
}

/// The number of pages that the report in the folder of a run shows; that of any report where there is none.
///
/// # Errors
/// [`FolderError`]: the list of its files cannot be read.
pub(crate) fn pages_shown(folder: &Path) -> Result<usize, FolderError> {
    let listed = listed_names(folder)?;
    let pages = listed.iter().filter(|name| is_below(PAGES, name)).count();
    Ok(if listed.is_empty() { MOST_PAGES } else { pages })
}

/// True if the file of this name in the folder of the run holds `content`.
fn is_as(run: &RunFiles<'_>, name: &str, content: &[u8]) -> bool {
    RegularFile::open(&run.folder().join(name)).and_then(sha256_of).is_ok_and(|there| there == sha256(content))
}

/// The language of the report in the folder of a run, as the first lines of its index say; English where there is none.
pub(crate) fn language_in(folder: &Path) -> Language {
    const MOST_BYTES: u64 = 64;
    let mut beginning = Vec::new();
    let is_read = RegularFile::open(&folder.join(INDEX))
        .and_then(|index| index.take(MOST_BYTES).read_to_end(&mut beginning))
        .is_ok();
    let beginning = String::from_utf8_lossy(&beginning);
    let is_meant = |language: &Language| is_read && beginning.contains(&format!("<html lang=\"{}\">", language.tag()));
    Language::ALL.into_iter().find(is_meant).unwrap_or_default()
}

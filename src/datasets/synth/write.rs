//! Writes made pages to a folder, a few at a time, so that any number of them fits.

use crate::formats::code::Code;
use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use super::Synthetic;
use crate::datasets::manifest::{GoldSource, Record};
use crate::datasets::{DatasetDigest, DatasetError, Digests, shown};
use crate::formats::files::{AtomicFile, FileError, sync_file_system, unwritten, write_atomically};
use crate::formats::yaml;
use crate::text::normalise_lines;

/// Pages that are made at once.
const AT_ONCE: usize = 256;

/// What was written.
pub struct Written {
    /// Pages.
    pub pages: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The dataset's digest.
    pub digest: String,
}

/// Writes the pages of `synthetic` to `folder`: `pages/ID.html`, `gold/ID.txt`, `pages.jsonl`, and at
/// last `dataset.yaml`, so that a folder with one is whole.
///
/// # Errors
/// [`DatasetError`]: a page that cannot be made, or a file that cannot be written (`E-WRITE`).
pub fn write(synthetic: &Synthetic, folder: &Path) -> Result<Written, DatasetError> {
    let list_path = folder.join("pages.jsonl");
    let mut list = AtomicFile::new(&list_path).map_err(fault)?;
    let mut digest = DatasetDigest::new();
    let mut bytes = 0;
    for first in (0..synthetic.pages()).step_by(AT_ONCE) {
        let numbers = first..synthetic.pages().min(first + AT_ONCE);
        let made = numbers.into_par_iter().map(|number| write_page(synthetic, folder, number));
        for (record, digests, length) in made.collect::<Result<Vec<_>, _>>()? {
            digest.add(&record, &digests);
            bytes += length;
            let written = serde_json::to_writer(&mut list, &record).map_err(std::io::Error::from);
            written.and_then(|()| list.write_all(b"\n")).map_err(|error| fault(unwritten(&list_path, error)))?;
        }
    }
    list.finish().map_err(fault)?;
    let mut manifest = synthetic.manifest();
    let digest = digest.finish(&manifest);
    manifest.digest = Some(digest.clone());
    // With the manifest the folder says that all of it is there.
    sync_file_system(folder).map_err(fault)?;
    let path = folder.join("dataset.yaml");
    let yaml = yaml::to_string(&manifest).map_err(|error| DatasetError::new(Code::Write, shown(&path), error))?;
    write_atomically(&path, yaml.as_bytes()).map_err(fault)?;
    Ok(Written { pages: synthetic.pages(), bytes, digest })
}

/// Writes page `number` and its gold; gives its record, its digests and its length.
fn write_page(synthetic: &Synthetic, folder: &Path, number: usize) -> Result<(Record, Digests, u64), DatasetError> {
    let record = synthetic.record(number);
    let gold = record.gold.as_ref().and_then(GoldSource::path);
    let paths = record.html.path().zip(gold).and_then(|paths| Some((paths, synthetic.find(paths.0)?)));
    let unmade = |message: String| DatasetError::new(Code::Synth, &synthetic.recipe.name, message).of_page(&record.id);
    let ((page, gold), place) = paths.ok_or_else(|| unmade("cannot be found again".to_owned()))?;
    let made = synthetic.make(place).map_err(unmade)?;
    put(&folder.join(page), &made.bytes).and_then(|()| put(&folder.join(gold), made.gold.as_bytes())).map_err(fault)?;
    let digests = Digests::of(Some(&made.bytes), Some(&normalise_lines(&made.gold)));
    Ok((record, digests, made.bytes.len() as u64))
}

/// Writes a file without waiting for the disk, as the manifest alone does: without it the folder is no dataset.
fn put(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut file = AtomicFile::new(path)?;
    file.write_all(bytes).map_err(|error| unwritten(path, error))?;
    file.finish_unsynced()
}

fn fault(error: FileError) -> DatasetError {
    DatasetError::new(Code::Write, shown(&error.path), error.source.to_string())
}

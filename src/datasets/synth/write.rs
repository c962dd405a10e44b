//! Writes made pages to a folder, a few at a time, so that any number of them fits.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use super::Synthetic;
use crate::datasets::{DatasetDigest, DatasetError, Digests, shown};
use crate::formats::files::{AtomicFile, write_atomically};
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
    let unwritten = |path: &Path, error: &dyn std::fmt::Display| {
        DatasetError::new("E-WRITE", shown(path), format!("cannot be written: {error}"))
    };
    let put = |path: &str, bytes: &[u8]| {
        let path = folder.join(path);
        write_atomically(&path, bytes).map_err(|error| unwritten(&path, &error.source))
    };
    let list_path = folder.join("pages.jsonl");
    let mut list = AtomicFile::new(&list_path).map_err(|error| unwritten(&list_path, &error.source))?;
    let mut digest = DatasetDigest::new();
    let mut bytes = 0;
    for first in (0..synthetic.pages()).step_by(AT_ONCE) {
        let numbers = first..synthetic.pages().min(first + AT_ONCE);
        let made: Vec<_> = numbers
            .into_par_iter()
            .map(|number| {
                let record = synthetic.record(number);
                let file = |path: Option<&str>| path.unwrap_or_default().to_owned();
                let page = file(record.html.path());
                let gold = file(record.gold.as_ref().and_then(|gold| gold.path()));
                let fault = |message| DatasetError::new("E-SYNTH", &synthetic.recipe.name, message).of_page(&record.id);
                let place = synthetic.find(&page).ok_or_else(|| fault("cannot be found again".to_owned()))?;
                let made = synthetic.make(place).map_err(fault)?;
                put(&page, &made.bytes)?;
                put(&gold, made.gold.as_bytes())?;
                let digests = Digests::of(Some(&made.bytes), Some(&normalise_lines(&made.gold)));
                Ok((record, digests, made.bytes.len() as u64))
            })
            .collect::<Result<_, DatasetError>>()?;
        for (record, digests, length) in made {
            digest.add(&record, &digests);
            bytes += length;
            let line = serde_json::to_string(&record).map_err(|error| unwritten(&list_path, &error))?;
            writeln!(list, "{line}").map_err(|error| unwritten(&list_path, &error))?;
        }
    }
    list.finish().map_err(|error| unwritten(&list_path, &error.source))?;
    let mut manifest = synthetic.manifest();
    let digest = digest.finish(&manifest);
    manifest.digest = Some(digest.clone());
    let yaml = yaml::to_string(&manifest).map_err(|error| unwritten(&folder.join("dataset.yaml"), &error))?;
    put("dataset.yaml", yaml.as_bytes())?;
    Ok(Written { pages: synthetic.pages(), bytes, digest })
}

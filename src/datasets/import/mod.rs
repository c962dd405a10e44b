//! Importers: readers of other layouts, one file each. A run may use one directly (`FORMAT:PATH`);
//! `carat dataset import` writes what it reads as a folder of our own format.

pub mod article_extraction_benchmark;
pub mod chinese_handcrafted;
pub mod cleaneval;
pub mod daniel;
pub mod folder;
mod references;
mod wrapper;
pub mod write;

use std::collections::BTreeMap;
use std::path::Path;

use super::manifest::{DeclaredCounts, Licence, Manifest, Record};
use super::root::Root;
use super::{Dataset, DatasetError, Readings, hash, shown};
use crate::text::hint;

/// Options of an importer, as given by `--set key=value`.
#[derive(Clone, Debug, Default)]
pub struct Options(pub BTreeMap<String, String>);

/// An option that an importer knows.
#[derive(Clone, Copy, Debug)]
pub struct OptionHelp {
    /// Its name.
    pub name: &'static str,
    /// What it does, with its default.
    pub help: &'static str,
}

/// A reader of one layout.
pub struct Importer {
    /// Its name in `FORMAT:PATH` and `dataset import FORMAT`.
    pub name: &'static str,
    /// What it reads, in one line.
    pub title: &'static str,
    /// The options it knows.
    pub options: &'static [OptionHelp],
    read: fn(&Path, &Options) -> Result<Dataset, DatasetError>,
}

/// Every importer, in the order of listings.
pub static IMPORTERS: &[&Importer] = &[
    &folder::IMPORTER,
    &daniel::IMPORTER,
    &chinese_handcrafted::IMPORTER,
    &cleaneval::CLEANEVAL,
    &cleaneval::CLEAN_PORTAL_EVAL,
    &article_extraction_benchmark::IMPORTER,
];

/// The importer of that name.
pub fn find(name: &str) -> Option<&'static Importer> {
    IMPORTERS.iter().copied().find(|importer| importer.name == name)
}

impl Importer {
    /// Reads the layout at `source`. Pages stay where they are until asked for.
    ///
    /// # Errors
    /// [`DatasetError`]: an option or a layout that is not this importer's, or a fault of the data.
    pub fn read(&self, source: &Path, options: &Options) -> Result<Dataset, DatasetError> {
        let known = || self.options.iter().map(|option| option.name);
        if let Some(unknown) = options.0.keys().find(|name| known().all(|known| known != name.as_str())) {
            let hint = hint(unknown, known());
            let message = format!("the importer {} has no option `{unknown}`; {hint}", self.name);
            return Err(DatasetError::new("E-OPTION", shown(source), message));
        }
        if !source.is_dir() {
            return Err(DatasetError::new("E-UNKNOWN", shown(source), "there is no such folder"));
        }
        (self.read)(source, options)
    }
}

/// Checks that upstream's layout is there.
fn expect_layout(source: &Path, names: &[&str]) -> Result<(), DatasetError> {
    let missing: Vec<&str> = names.iter().copied().filter(|name| !source.join(name).exists()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("expected {} in this folder; {} is missing", names.join(", "), missing.join(", "));
    Err(DatasetError::new("E-UPSTREAM", shown(source), message))
}

/// The dataset of an importer: records under `source`, gold paths relative to it too.
fn dataset(
    source: &Path,
    manifest: Manifest,
    records: Vec<Record>,
    readings: Readings,
    notes: Vec<String>,
) -> Result<Dataset, DatasetError> {
    let root = Root::Folder(source.to_owned());
    let ids = records.iter().map(|record| hash(record.id.as_bytes())).collect();
    let mut dataset = Dataset::new(manifest, records.into(), ids, root.clone(), root);
    (dataset.readings, dataset.notes) = (readings, notes);
    let (pages, golds) = (dataset.records.len(), dataset.records.golds());
    dataset.manifest.counts = Some(DeclaredCounts { pages: Some(pages), golds: Some(golds) });
    dataset.check_files(&shown(source))?;
    Ok(dataset)
}

/// A licence where the pages are third parties'.
fn third_party(data: &str, redistribution: &str) -> Licence {
    Licence {
        data: data.to_owned(),
        pages: "LicenseRef-third-party".to_owned(),
        redistribution: redistribution.to_owned(),
    }
}

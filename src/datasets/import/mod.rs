//! Importers: readers of other layouts, one file each. A run may use one directly (`FORMAT:PATH`);
//! `carat dataset import` writes what it reads as a folder of our own format.
//!
//! Importers read upstream's files through `upstream.rs`, which bounds sizes, refuses links that leave the folder, and names
//! file and line. Each record is fitted to the format (`words::fit`) before anything is digested, so a layout that is read
//! directly equals its imported copy. Rows of a table stay on the disk, as page lists do.

pub mod article_extraction_benchmark;
pub mod catalog;
pub mod chinese_handcrafted;
pub mod cleaneval;
pub(super) mod contents;
pub mod daniel;
pub mod dragnet;
pub mod dragnet2020;
pub mod folder;
pub(crate) mod frames;
pub mod given;
pub mod gne;
pub(crate) mod gold_places;
mod gold_table;
pub mod l3s_gn1;
pub(crate) mod languages;
pub mod magic_html;
pub mod mozilla_readability;
mod packages;
pub(crate) mod page_names;
#[cfg(feature = "parquet")]
pub mod parquet;
mod placed;
mod references;
pub mod table;
mod told;
pub mod trafilatura_eval;
mod upstream;
pub mod warc;
pub mod wceb_combined;
pub mod wcxb;
pub mod webmainbench;
mod wrapper;
pub mod write;

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::path::Path;

use globset::Glob;

use self::told::Told;
use super::load::Loading;
use super::manifest::{DeclaredCounts, Licence, Manifest, Record};
use super::root::Root;
use super::words::fit;
use super::{Dataset, DatasetError, Note, Readings, hash, not_there, shown};
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
    /// Files and folders that tell its layout from a plain folder of pages; none where the layout is not that plain.
    layout: &'static [&'static str],
    /// The options it knows.
    pub options: &'static [OptionHelp],
    read: fn(&Path, &Options, &mut Told) -> Result<Dataset, DatasetError>,
}

/// Every importer, in the order of listings.
pub static IMPORTERS: &[&Importer] = &[
    &folder::IMPORTER,
    &table::IMPORTER,
    &warc::IMPORTER,
    #[cfg(feature = "parquet")]
    &parquet::IMPORTER,
    &daniel::IMPORTER,
    &chinese_handcrafted::IMPORTER,
    &cleaneval::CLEANEVAL,
    &cleaneval::CLEAN_PORTAL_EVAL,
    &article_extraction_benchmark::IMPORTER,
    &wcxb::IMPORTER,
    &mozilla_readability::IMPORTER,
    &magic_html::IMPORTER,
    &l3s_gn1::IMPORTER,
    &dragnet::IMPORTER,
    &dragnet2020::IMPORTER,
    &wceb_combined::IMPORTER,
    &webmainbench::IMPORTER,
    &trafilatura_eval::IMPORTER,
    &gne::IMPORTER,
];

/// Options that every importer knows.
pub static COMMON_OPTIONS: &[OptionHelp] = &[
    OptionHelp { name: "split", help: "only pages of this split [default: all]" },
    OptionHelp { name: "only", help: "only pages whose id this glob matches, such as 00* [default: all]" },
    OptionHelp {
        name: "version",
        help: "the dataset's version [default: upstream's commit, else 12 digits of its digest]",
    },
    OptionHelp { name: "compress", help: "none | gzip | zstd: how `dataset import` packs pages [default: zstd]" },
];

/// The sentence about a format that this program was built without; `None` of any other name.
pub(crate) fn left_out(name: &str) -> Option<&'static str> {
    (name == "parquet" && !cfg!(feature = "parquet")).then_some(WITHOUT_PARQUET)
}

/// Said where a Parquet file is named and cannot be read.
pub(crate) const WITHOUT_PARQUET: &str = "this carat was built without Parquet; build one that reads it with `cargo install --path . --features \
     parquet` in the folder of carat's sources";

/// The importer whose layout `folder` plainly has.
pub(crate) fn of_layout(folder: &Path) -> Option<&'static Importer> {
    IMPORTERS.iter().copied().find(|importer| importer.knows(folder))
}

/// The importer of that name.
pub fn find(name: &str) -> Option<&'static Importer> {
    IMPORTERS.iter().copied().find(|importer| importer.name == name)
}

impl Importer {
    /// True if `folder` is plainly of its layout.
    fn knows(&self, folder: &Path) -> bool {
        !self.layout.is_empty() && self.layout.iter().all(|name| folder.join(name).exists())
    }

    /// Reads the layout at `source`. Pages stay where they are until asked for.
    ///
    /// # Errors
    /// [`DatasetError`]: an option or a layout that is not this importer's, or a fault of the data.
    pub fn read(&self, source: &Path, options: &Options) -> Result<Dataset, DatasetError> {
        self.read_with(source, options, Loading::default())
    }

    /// The names of the options that it takes.
    pub fn option_names(&self) -> impl Iterator<Item = &'static str> + Clone + '_ {
        self.options.iter().chain(COMMON_OPTIONS).map(|option| option.name)
    }

    /// The same, which may go on at faults of single pages; no page may be left then.
    ///
    /// # Errors
    /// As [`Importer::read`], where a fault ends the load.
    pub fn read_with(&self, source: &Path, options: &Options, loading: Loading) -> Result<Dataset, DatasetError> {
        if let Some(unknown) = options.0.keys().find(|name| self.option_names().all(|known| known != name.as_str())) {
            let hint = hint(unknown, self.option_names());
            let message = format!("the importer {} has no option `{unknown}`; {hint}", self.name);
            return Err(DatasetError::new(Code::Option, shown(source), message));
        }
        if !source.exists() {
            return Err(DatasetError::new(Code::Unknown, shown(source), not_there(source, "file or folder")));
        }
        let mut told = Told::new(loading);
        let mut dataset = (self.read)(source, options, &mut told)?;
        told.give_to(&mut dataset);
        // With options of its own it may read another gold than the catalogue's.
        let is_usual = options.0.keys().all(|name| COMMON_OPTIONS.iter().any(|option| option.name == name));
        if let Some(known) = catalog::builtin().read_by(self.name).filter(|_| is_usual) {
            dataset.manifest.gold.note.clone_from(&known.gold.note);
        }
        if let Some(version) = options.0.get("version") {
            if !(1..=64).contains(&version.chars().count()) {
                let message = "version: expected 1 to 64 characters";
                return Err(DatasetError::new(Code::Option, shown(source), message));
            }
            dataset.manifest.version.clone_from(version);
        }
        narrow(&mut dataset, source, options)?;
        Ok(dataset)
    }
}

/// Keeps the pages that the options `split` and `only` ask for.
fn narrow(dataset: &mut Dataset, source: &Path, options: &Options) -> Result<(), DatasetError> {
    let fault = |message: String| DatasetError::new(Code::Option, shown(source), message);
    let split = options.0.get("split");
    let glob = options.0.get("only").map(|glob| Glob::new(glob).map(|glob| glob.compile_matcher()));
    let glob = glob.transpose().map_err(|error| fault(format!("only: {error}")))?;
    if split.is_none() && glob.is_none() {
        return Ok(());
    }
    dataset.records.retain(|record| {
        split.is_none_or(|split| record.details().split.as_ref() == Some(split))
            && glob.as_ref().is_none_or(|glob| glob.is_match(&record.id))
    })?;
    if dataset.records.is_empty() {
        return Err(fault("no page is left by the options split and only".to_owned()));
    }
    count(dataset);
    Ok(())
}

/// Checks that upstream's layout is there.
fn expect_layout(source: &Path, names: &[&str]) -> Result<(), DatasetError> {
    let missing: Vec<&str> = names.iter().copied().filter(|name| !source.join(name).exists()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("expected {} in this folder; {} is missing", names.join(", "), missing.join(", "));
    Err(DatasetError::new(Code::Upstream, shown(source), message))
}

/// The dataset of an importer: records under `source`, gold paths relative to it too.
fn dataset(
    source: &Path,
    manifest: Manifest,
    records: Vec<Record>,
    readings: Readings,
    told: &mut Told,
) -> Result<Dataset, DatasetError> {
    let (root, file) = (Root::Folder(source.to_owned()), shown(source));
    if records.is_empty() && told.faults.has_none() {
        return Err(DatasetError::new(Code::Count, file, "there is no page in this layout"));
    }
    let id_of = |record: &Record| hash(record.id.as_bytes());
    let known = records.iter().map(id_of).collect();
    let mut fitting = Vec::with_capacity(records.len());
    for mut record in records {
        let fitted = fit(&mut record).map_err(|(code, message)| DatasetError::new(code, &file, message));
        if told.page(&record.id, fitted)?.is_some() {
            told.count_aside(&record);
            fitting.push(record);
        }
    }
    let ids: Vec<u64> = fitting.iter().map(id_of).collect();
    let mut dataset = Dataset::new(manifest, fitting.into(), known, root.clone(), root);
    dataset.readings = readings;
    dataset.check_pages(&ids, &file, &mut told.faults)?;
    count(&mut dataset);
    Ok(dataset)
}

/// Says in the manifest how many pages and golds there are.
fn count(dataset: &mut Dataset) {
    let (pages, golds) = (dataset.records.len(), dataset.records.golds());
    dataset.manifest.counts = Some(DeclaredCounts { pages: Some(pages), golds: Some(golds) });
}

/// The version of a dataset that has none of its own, by its digest: 12 hexadecimal digits.
fn version_of(digest: &str) -> String {
    digest.trim_start_matches("sha256:").chars().take(12).collect()
}

/// How many of an importer's notes are of a gold that was left out because there is no page of it.
pub fn golds_without_page(notes: &[Note]) -> usize {
    notes.iter().filter(|note| matches!(note, Note::GoldWithoutPage(_))).count()
}

/// A licence where the pages are third parties'.
fn third_party(data: &str, redistribution: &str) -> Licence {
    Licence {
        data: data.to_owned(),
        pages: "LicenseRef-third-party".to_owned(),
        redistribution: redistribution.to_owned(),
    }
}

/// The worked example of CONTRIBUTING.md.
#[cfg(test)]
#[path = "../../../examples/contributing/twins.rs"]
pub mod twins;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A folder of these files.
    pub(super) fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        folder
    }

    pub(super) fn options(pairs: &[(&str, &str)]) -> Options {
        Options(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
    }

    pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    /// Ids, sites and golds.
    pub(super) fn rows(dataset: &Dataset) -> Vec<(String, String, Option<String>)> {
        let records = dataset.records.iter().map(Result::unwrap);
        let row = |record: std::sync::Arc<Record>| {
            let gold = dataset.open(&record).unwrap().gold;
            (record.id.clone(), record.site.clone().unwrap(), gold)
        };
        records.map(row).collect()
    }

    #[test]
    fn the_worked_example_of_contributing_is_true() {
        let printed = include_str!("../../../CONTRIBUTING.md");
        assert!(printed.contains(include_str!("../../../examples/contributing/twins.rs")));
        let folder = folder(&[("a.html", b"<p>one"), ("a.txt", b"one"), ("b.html", b"<p>two"), ("c.txt", b"x")]);
        let dataset = twins::IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let page = |record: std::sync::Arc<Record>| (record.id.clone(), dataset.open(&record).unwrap().gold);
        let pages: Vec<_> = dataset.records.iter().map(Result::unwrap).map(page).collect();
        assert_eq!(pages, [("a".to_owned(), Some("one".to_owned())), ("b".to_owned(), None)]);
    }

    #[test]
    fn common_options_narrow_and_name() {
        let files: &[(&str, &[u8])] = &[("a1.html", b"<p>a"), ("a2.html", b"<p>b"), ("b1.html", b"<p>c")];
        let folder = folder(files);
        let read = |pairs: &[(&str, &str)]| folder::IMPORTER.read(folder.path(), &options(pairs));
        let some = read(&[("only", "a*"), ("version", "mine")]).unwrap();
        assert_eq!((some.records.len(), some.manifest.version.as_str()), (2, "mine"));
        assert_eq!(some.manifest.counts.unwrap().pages, Some(2));
        for (key, value) in [("only", "z*"), ("only", "["), ("split", "test"), ("version", "")] {
            assert_eq!(read(&[(key, value)]).unwrap_err().code, Code::Option, "{key}={value}");
        }
    }
}

//! Writes a dataset as a folder of our own format.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::datasets::manifest::{Compression, GoldSource, HtmlObject, HtmlSource, Manifest, Record};
use crate::datasets::stored::Stored;
use crate::datasets::{Dataset, DatasetDigest, DatasetError, Digests, shown};
use crate::formats::files::write_atomically;
use crate::formats::yaml;

/// zstd's level for stored outputs: most of what the highest saves, in a tenth of its time.
const STORED_LEVEL: i32 = 10;

/// zstd's level for pages.
const PAGE_LEVEL: i32 = 19;

/// Where a dataset's pages and golds go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout<'l> {
    /// Each in a file: `pages/ID.html.zst` and `gold/ID.txt`, named by `pages.jsonl`.
    Files(Compression),
    /// All in the page list of this name.
    OneList(&'l str),
}

/// Writes `dataset` to `folder`: `dataset.yaml`, the page list, `stored/SYSTEM.jsonl.zst`, and what the layout asks
/// for. The manifest comes last, so that a folder with one is whole. Where that fails, what was written is removed.
/// Gives the dataset's digest, which does not depend on the layout.
///
/// # Errors
/// [`DatasetError`]: a page that cannot be read, or a file that cannot be written (`E-WRITE`).
pub fn write(dataset: &Dataset, folder: &Path, layout: Layout<'_>) -> Result<String, DatasetError> {
    let mut writer = Writer { dataset, folder, layout, written: Vec::new(), missing: missing_folders(folder) };
    let digest = writer.write();
    if digest.is_err() {
        writer.remove();
    }
    digest
}

/// What is being written.
struct Writer<'d> {
    dataset: &'d Dataset,
    folder: &'d Path,
    layout: Layout<'d>,
    /// The files so far.
    written: Vec<PathBuf>,
    /// The folders that were not there before, the innermost first.
    missing: Vec<PathBuf>,
}

impl Writer<'_> {
    fn write(&mut self) -> Result<String, DatasetError> {
        let dataset = self.dataset;
        let list = match self.layout {
            Layout::Files(_) => "pages.jsonl",
            Layout::OneList(name) => name,
        };
        let mut lines = self.open_list(list)?;
        let mut digest = DatasetDigest::new();
        for record in dataset.records.iter() {
            let record = record?;
            let (written, digests) = self.page(&record)?;
            digest.add(&record, &digests);
            let line = serde_json::to_string(&written).map_err(|error| unwritten(list, error))?;
            writeln!(lines, "{line}").map_err(|error| unwritten(list, error))?;
        }
        lines.flush().map_err(|error| unwritten(list, error))?;
        drop(lines);
        for system in dataset.stored_systems() {
            let packed = stored_lines(dataset, &system)?;
            self.put(&format!("stored/{system}.jsonl.zst"), &packed)?;
        }
        let manifest = Manifest {
            gold_folder: None,
            pages: vec![list.to_owned()],
            defaults: serde_json::Map::new(),
            ..dataset.manifest.clone()
        };
        let yaml = yaml::to_string(&manifest).map_err(|error| unwritten("dataset.yaml", error))?;
        self.put("dataset.yaml", yaml.as_bytes())?;
        Ok(digest.finish(&dataset.manifest))
    }

    /// The page list, opened: it may be larger than memory.
    fn open_list(&mut self, name: &str) -> Result<BufWriter<File>, DatasetError> {
        self.put(name, b"")?;
        let path = self.folder.join(name);
        let file =
            File::create(&path).map_err(|error| DatasetError::new("E-WRITE", shown(&path), error.to_string()))?;
        Ok(BufWriter::new(file))
    }

    /// Writes what of a page is no part of the list, and gives its record for it.
    fn page(&mut self, record: &Record) -> Result<(Record, Digests), DatasetError> {
        let dataset = self.dataset;
        let place = record.html.path().unwrap_or_else(|| dataset.name());
        let file = if record.html.path().is_some() { format!("{}/{place}", dataset.root) } else { place.to_owned() };
        let fault = |message: String| DatasetError::new("E-MISSING", &file, message).of_page(&record.id);
        let bytes = dataset.page_bytes(record).map_err(fault)?;
        let (gold, digests) = match record.needs_page_for_gold() {
            true => dataset.open(record).map(|opened| (opened.gold, opened.digests)),
            false => dataset.open_gold(record),
        }
        .map_err(fault)?;
        let mut written = Record::clone(record);
        let mut html =
            HtmlObject { sha256: Some(digests.page.clone()), bytes: Some(bytes.len() as u64), ..HtmlObject::default() };
        match self.layout {
            Layout::Files(compression) => {
                let path = format!("pages/{}.html{}", record.id, compression.suffix());
                let packed = pack(&bytes, compression).map_err(|error| fault(error.to_string()))?;
                self.put(&path, &packed)?;
                html.path = Some(path);
            }
            // Only what is stated to be UTF-8 may stand there as characters.
            Layout::OneList(_) => match String::from_utf8(bytes) {
                Ok(text) if record.encoding.as_deref() == Some("utf-8") => html.text = Some(text),
                Ok(text) => html.base64 = Some(STANDARD.encode(text)),
                Err(error) => html.base64 = Some(STANDARD.encode(error.as_bytes())),
            },
        }
        written.html = HtmlSource::Object(Box::new(html));
        if let Some(gold) = gold {
            let is_in_page = |gold: &GoldSource| gold.select().is_some() && gold.path().is_none();
            match self.layout {
                // The marks are in the page that was just written.
                _ if record.gold.as_ref().is_some_and(is_in_page) => {}
                Layout::Files(_) => {
                    let path = format!("gold/{}.txt", record.id);
                    self.put(&path, format!("{gold}\n").as_bytes())?;
                    written.gold = Some(GoldSource::Path(path));
                }
                Layout::OneList(_) => written.gold = Some(GoldSource::of_text(gold)),
            }
        }
        Ok((written, digests))
    }

    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<(), DatasetError> {
        let path = self.folder.join(path);
        write_atomically(&path, bytes)
            .map_err(|error| DatasetError::new("E-WRITE", shown(&path), error.source.to_string()))?;
        self.written.push(path);
        Ok(())
    }

    /// Removes what was written, and folders that were made for it and are empty now.
    fn remove(&self) {
        for file in &self.written {
            let _ = std::fs::remove_file(file);
        }
        let inner = ["pages", "gold", "stored"].map(|name| self.folder.join(name));
        for folder in inner.iter().chain(&self.missing) {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// `folder` and those above it that are not there, the innermost first.
pub(in crate::datasets) fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    missing.map(Path::to_owned).collect()
}

fn pack(bytes: &[u8], compression: Compression) -> std::io::Result<Vec<u8>> {
    match compression {
        Compression::None => Ok(bytes.to_vec()),
        Compression::Gzip => {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packed.write_all(bytes)?;
            packed.finish()
        }
        Compression::Zstd => zstd::encode_all(bytes, PAGE_LEVEL),
    }
}

fn unwritten(file: &str, error: impl ToString) -> DatasetError {
    DatasetError::new("E-WRITE", file, error.to_string())
}

/// A system's outputs as lines of JSON, packed: a header, then a line a page in the dataset's order.
fn stored_lines(dataset: &Dataset, system: &str) -> Result<Vec<u8>, DatasetError> {
    let stored = dataset.stored(system)?;
    let unwritten = |error: std::io::Error| unwritten(&format!("stored/{system}.jsonl.zst"), error);
    let mut packed = zstd::Encoder::new(Vec::new(), STORED_LEVEL).map_err(unwritten)?;
    let Stored { system: name, version, date, settings, .. } = &stored;
    let header = json!({"system": name, "version": version, "date": date, "settings": settings});
    writeln!(packed, "{header}").map_err(unwritten)?;
    for record in dataset.records.iter() {
        let id = &record?.id;
        let line = match stored.text(id) {
            None => continue,
            Some(Ok(text)) => json!({"id": id, "text": text}),
            Some(Err(error)) => json!({"id": id, "error": error}),
        };
        writeln!(packed, "{line}").map_err(unwritten)?;
    }
    packed.finish().map_err(unwritten)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::load::load_folder;
    use crate::datasets::locate::locate;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let dataset = locate("portals").unwrap();
        let folder = tempfile::tempdir().unwrap();
        write(&dataset, folder.path(), Layout::Files(Compression::Zstd)).unwrap();
        let again = load_folder(folder.path()).unwrap();
        assert_eq!(again.records.len(), dataset.records.len());
        for (one, other) in dataset.records.iter().zip(again.records.iter()) {
            let (one, other) = (one.unwrap(), other.unwrap());
            let (one_open, other_open) = (dataset.open(&one).unwrap(), again.open(&other).unwrap());
            assert_eq!(one_open.digests, other_open.digests, "{}", one.id);
            assert_eq!((&one.site, &one.language), (&other.site, &other.language));
        }
    }
}

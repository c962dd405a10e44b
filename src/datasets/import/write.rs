//! Writes a dataset as a folder of our own format.

use std::io::Write;
use std::path::Path;

use serde_json::json;

use crate::datasets::manifest::{GoldSource, HtmlObject, HtmlSource, Manifest, Record};
use crate::datasets::stored::Stored;
use crate::datasets::{Dataset, DatasetError, shown};
use crate::formats::digest::sha256;
use crate::formats::files::write_atomically;
use crate::formats::yaml;

/// zstd's level for stored outputs: most of what the highest saves, in a tenth of its time.
const STORED_LEVEL: i32 = 10;

/// Writes `dataset` to `folder`: `dataset.yaml`, `pages.jsonl`, `pages/ID.html.zst`, `gold/ID.txt`,
/// `stored/SYSTEM.jsonl.zst`.
/// The manifest comes last, so that a folder with one is whole.
///
/// # Errors
/// [`DatasetError`]: a page that cannot be read, or a file that cannot be written (`E-WRITE`).
pub fn write(dataset: &Dataset, folder: &Path) -> Result<(), DatasetError> {
    let put = |path: &str, bytes: &[u8]| {
        let path = folder.join(path);
        write_atomically(&path, bytes)
            .map_err(|error| DatasetError::new("E-WRITE", shown(&path), error.source.to_string()))
    };
    let mut list = String::new();
    for record in dataset.records.iter() {
        let record = record?;
        let fault = |message: String| DatasetError::new("E-MISSING", dataset.name(), message).of_page(&record.id);
        let bytes = dataset.page_bytes(&record).map_err(fault)?;
        let packed = zstd::encode_all(&*bytes, 19).map_err(|error| fault(error.to_string()))?;
        let path = format!("pages/{}.html.zst", record.id);
        put(&path, &packed)?;
        let mut written = Record::clone(&record);
        written.html = HtmlSource::Object(Box::new(HtmlObject {
            path: Some(path),
            sha256: Some(sha256(&bytes)),
            bytes: Some(bytes.len() as u64),
            ..HtmlObject::default()
        }));
        if record.gold.is_some() {
            let opened = dataset.open(&record).map_err(fault)?;
            let path = format!("gold/{}.txt", record.id);
            put(&path, format!("{}\n", opened.gold.unwrap_or_default()).as_bytes())?;
            written.gold = Some(GoldSource::Path(path));
        }
        let line = serde_json::to_string(&written).map_err(|error| fault(error.to_string()))?;
        list.push_str(&line);
        list.push('\n');
    }
    put("pages.jsonl", list.as_bytes())?;
    for system in dataset.stored_systems() {
        let packed = stored_lines(dataset, &system)?;
        put(&format!("stored/{system}.jsonl.zst"), &packed)?;
    }
    let manifest = Manifest {
        gold_folder: None,
        pages: vec!["pages.jsonl".to_owned()],
        defaults: serde_json::Map::new(),
        ..dataset.manifest.clone()
    };
    let yaml = yaml::to_string(&manifest).map_err(|error| DatasetError::new("E-WRITE", "dataset.yaml", error))?;
    put("dataset.yaml", yaml.as_bytes())
}

/// A system's outputs as lines of JSON, packed: a header, then a line a page in the dataset's order.
fn stored_lines(dataset: &Dataset, system: &str) -> Result<Vec<u8>, DatasetError> {
    let stored = dataset.stored(system)?;
    let unwritten =
        |error: std::io::Error| DatasetError::new("E-WRITE", format!("stored/{system}.jsonl.zst"), error.to_string());
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
        write(&dataset, folder.path()).unwrap();
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

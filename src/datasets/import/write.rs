//! Writes a dataset as a folder of our own format.

use crate::formats::code::Code;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;
use serde_json::json;

use crate::datasets::manifest::{Compression, GoldObject, GoldSource, HtmlObject, HtmlSource, Manifest, Record};
use crate::datasets::node_gold::GoldNodes;
use crate::datasets::root::Fault;
use crate::datasets::stored::Stored;
use crate::datasets::{Dataset, DatasetDigest, DatasetError, Digests, hash, note, shown};
use crate::formats::digest::sha256;
use crate::formats::editors::header;
use crate::formats::files::{self, AtomicFile, FileError, sync_file_system, write_atomically};
use crate::formats::yaml;
use crate::structure::TextKind;

/// zstd's level for stored outputs: most of what the highest saves, in a tenth of its time.
const STORED_LEVEL: i32 = 10;

/// zstd's level for pages.
const PAGE_LEVEL: i32 = 19;

/// Where a dataset's pages and golds go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout<'l> {
    /// Each in a file: `pages/ID.html.zst` and `gold/ID.txt`, named by `pages.jsonl`.
    Files(Compression),
    /// All in the page list of this name, but for annotated copies that name roles: `gold/ID.html.zst`.
    OneList(&'l str),
}

/// Writes `dataset` to `folder`: `dataset.yaml`, the page list, `stored/SYSTEM.jsonl.zst`, and what the layout asks
/// for. The manifest comes last, so that a folder with one is whole. Where that fails, what was written is removed.
/// Gives the dataset's digest, which does not depend on the layout.
///
/// # Errors
/// [`DatasetError`]: a page that cannot be read, or a file that cannot be written (`E-WRITE`).
pub fn write(dataset: &Dataset, folder: &Path, layout: Layout<'_>) -> Result<String, DatasetError> {
    write_with_nodes(dataset, folder, layout, &|_| None)
}

/// The same with the gold nodes that `find` gives beside the gold text of a page; it is asked on several threads.
///
/// # Errors
/// As [`write()`].
pub fn write_with_nodes(
    dataset: &Dataset,
    folder: &Path,
    layout: Layout<'_>,
    find: &FindNodes<'_>,
) -> Result<String, DatasetError> {
    let mut writer = Writer { dataset, folder, layout, find, written: Vec::new(), missing: missing_folders(folder) };
    let digest = writer.write();
    if digest.is_err() {
        writer.remove();
    }
    digest
}

/// The gold nodes of a page; `None` leaves what it has.
pub type FindNodes<'f> = dyn Fn(&Record) -> Option<GoldNodes> + Sync + 'f;

/// So many pages are in memory, packed.
const AT_A_TIME: usize = 64;

/// A page as it is written.
struct Packed {
    record: Record,
    digests: Digests,
    /// What of it is no part of the list: paths and contents.
    files: Vec<(String, Vec<u8>)>,
}

/// What is being written.
struct Writer<'d> {
    dataset: &'d Dataset,
    folder: &'d Path,
    layout: Layout<'d>,
    find: &'d FindNodes<'d>,
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
        // Larger than memory, and not there before it is whole.
        let list_path = self.folder.join(list);
        let mut lines = AtomicFile::new(&list_path).map_err(fault)?;
        let mut digest = DatasetDigest::new();
        let names = FileNames::new(dataset)?;
        let packing = Packing { dataset, layout: self.layout, find: self.find, names };
        dataset.records.for_each_made(
            AT_A_TIME,
            |record| packing.page(record),
            |_, Packed { record, digests, files }| {
                files.iter().try_for_each(|(path, bytes)| self.put(path, bytes))?;
                digest.add(&record, &digests);
                let line = serde_json::to_string(&record).map_err(|error| unwritten(list, error))?;
                writeln!(lines, "{line}").map_err(|error| unwritten(list, error))
            },
        )?;
        lines.finish_unsynced().map_err(fault)?;
        self.written.push(list_path);
        for system in dataset.stored_systems() {
            let packed = stored_lines(dataset, &system)?;
            self.put(&format!("stored/{system}.jsonl.zst"), &packed)?;
        }
        let mut manifest = Manifest {
            gold_folder: None,
            pages: vec![list.to_owned()],
            defaults: serde_json::Map::new(),
            ..dataset.manifest.clone()
        };
        note::write(&dataset.notes, &mut manifest);
        let yaml = yaml::to_string(&manifest).map_err(|error| unwritten("dataset.yaml", error))?;
        // With the manifest the folder says that all of it is there.
        sync_file_system(self.folder).map_err(fault)?;
        let path = self.folder.join("dataset.yaml");
        write_atomically(&path, (header("dataset") + &yaml).as_bytes()).map_err(fault)?;
        self.written.push(path);
        Ok(digest.finish(&dataset.manifest))
    }

    /// Writes a file, without waiting for the disk.
    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<(), DatasetError> {
        let path = self.folder.join(path);
        let put = || {
            let mut file = AtomicFile::new(&path)?;
            file.write_all(bytes).map_err(|source| files::unwritten(&path, source))?;
            file.finish_unsynced()
        };
        put().map_err(fault)?;
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

fn fault(error: FileError) -> DatasetError {
    DatasetError::new(Code::Write, shown(&error.path), error.source.to_string())
}

/// How pages are packed, on several threads.
struct Packing<'d> {
    dataset: &'d Dataset,
    layout: Layout<'d>,
    find: &'d FindNodes<'d>,
    names: FileNames,
}

impl Packing<'_> {
    fn page(&self, record: &Record) -> Result<Packed, DatasetError> {
        let dataset = self.dataset;
        let place = record.html.path().unwrap_or_else(|| dataset.name());
        let file = if record.html.path().is_some() { format!("{}/{place}", dataset.root) } else { place.to_owned() };
        let fault = |Fault { code, message }: Fault| DatasetError::new(code, &file, message).of_page(&record.id);
        let missing = |message: String| fault(Fault::new(Code::Missing, message));
        let bytes = dataset.read_page(record).map_err(fault)?;
        let (gold, mut digests) = match (record.needs_page_for_gold(), &record.gold) {
            (true, _) => {
                let opened = dataset.open_bytes(record, &bytes).map_err(fault)?;
                (opened.gold, opened.digests)
            }
            (false, source) => {
                let gold = source.as_ref().map(|source| dataset.read_gold(source)).transpose().map_err(fault)?;
                let digests = Digests::of(Some(&bytes), gold.as_deref());
                (gold, digests)
            }
        };
        let name = self.names.of(&record.id);
        let mut files = Vec::new();
        let mut html =
            HtmlObject { sha256: Some(digests.page.clone()), bytes: Some(bytes.len() as u64), ..HtmlObject::default() };
        match self.layout {
            Layout::Files(compression) => {
                let path = format!("pages/{name}.html{}", compression.suffix());
                let packed = pack(&bytes, compression).map_err(|error| missing(error.to_string()))?;
                files.push((path.clone(), packed));
                html.path = Some(path);
            }
            // Only what is stated to be UTF-8 may stand there as characters.
            Layout::OneList(_) => match String::from_utf8(bytes) {
                Ok(text) if record.encoding.as_deref() == Some("utf-8") => html.text = Some(text),
                Ok(text) => html.base64 = Some(STANDARD.encode(text)),
                Err(error) => html.base64 = Some(STANDARD.encode(error.as_bytes())),
            },
        }
        let mut written = Record::clone(record);
        written.html = HtmlSource::Object(Box::new(html));
        if let Some(gold) = gold {
            written.gold = self.gold(record, gold, &name, &mut files).map_err(fault)?;
        }
        if written.gold.as_ref().and_then(GoldSource::select).is_none() {
            digests.roles = None;
        }
        Ok(Packed { record: written, digests, files })
    }

    /// The source of the gold whose text is `text`, which goes to `files` under `name` where it is a file of its own.
    fn gold(
        &self,
        record: &Record,
        text: String,
        name: &str,
        files: &mut Vec<(String, Vec<u8>)>,
    ) -> Result<Option<GoldSource>, Fault> {
        let Some(source) = record.gold.as_ref() else { return Ok(None) };
        if !source.is_text() && source.path().is_none() {
            // The nodes that are meant are in the page that is written.
            return Ok(Some(source.clone()));
        }
        let nodes = (self.find)(record);
        if nodes.is_none()
            && let Some(copy) = self.annotated_copy(record, name, files)?
        {
            return Ok(Some(copy));
        }
        // Other forms are read as they stand by some measures, so they are written as they stand.
        let kind = Some(source.kind()).filter(|kind| *kind != TextKind::Text);
        let text = kind.map(|_| self.dataset.raw_gold(source)).transpose()?.unwrap_or(text);
        let written = match self.layout {
            Layout::Files(_) => {
                let path = format!("gold/{name}.{}", source.kind().suffix());
                let bytes = if kind.is_some() { text } else { format!("{text}\n") }.into_bytes();
                // A gold that is changed later makes other figures, and shall not do so without a word.
                let (path, sha256) = (Some(path), Some(sha256(&bytes)));
                files.extend(path.clone().map(|path| (path, bytes)));
                GoldSource::Object(Box::new(GoldObject { path, sha256, kind, ..GoldObject::default() }))
            }
            Layout::OneList(_) => match kind {
                None => GoldSource::of_text(text),
                Some(kind) => GoldSource::of_written(kind, text),
            },
        };
        Ok(Some(match nodes.or_else(|| source.nodes()) {
            Some(nodes) => written.with_nodes(nodes),
            None => written,
        }))
    }

    /// The gold in an annotated copy that names roles, which a text would lose; the copy goes to `files`. `None` of any other.
    fn annotated_copy(
        &self,
        record: &Record,
        name: &str,
        files: &mut Vec<(String, Vec<u8>)>,
    ) -> Result<Option<GoldSource>, Fault> {
        let Some(object) = record.gold.as_ref().and_then(GoldSource::copy_with_roles) else { return Ok(None) };
        let Some(path) = &object.path else { return Ok(None) };
        let compression = match self.layout {
            Layout::Files(compression) => compression,
            Layout::OneList(_) => Compression::Zstd,
        };
        let bytes = self.dataset.gold_root.read(path, None)?;
        let written = format!("gold/{name}.html{}", compression.suffix());
        let packed = pack(&bytes, compression).map_err(|error| Fault::new(Code::Write, error.to_string()))?;
        files.push((written.clone(), packed));
        Ok(Some(GoldSource::Object(Box::new(GoldObject { path: Some(written), ..object.clone() }))))
    }
}

/// The names of pages' files: their ids, but where file systems that take `A` for `a` would write two to one file.
struct FileNames {
    /// The hashes of the ids in lower case that several ids have.
    shared: HashSet<u64>,
}

impl FileNames {
    fn new(dataset: &Dataset) -> Result<Self, DatasetError> {
        let folded = |record: Result<Arc<Record>, _>| Ok(folded(&record?.id));
        let mut hashes: Vec<u64> = dataset.records.par_iter().map(folded).collect::<Result<_, DatasetError>>()?;
        hashes.par_sort_unstable();
        let shared = hashes.chunk_by(|one, other| one == other).filter(|same| same.len() > 1);
        Ok(FileNames { shared: shared.map(|same| same[0]).collect() })
    }

    /// The name for the page `id`: of several ids that differ in case only, the one in lower case keeps it.
    fn of(&self, id: &str) -> String {
        match self.shared.contains(&folded(id)) && id.contains(|c: char| c.is_ascii_uppercase()) {
            true => format!("{id}~{}", &sha256(id.as_bytes())[..32]),
            false => id.to_owned(),
        }
    }
}

/// The hash of an id in lower case.
fn folded(id: &str) -> u64 {
    hash(id.to_ascii_lowercase().as_bytes())
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
        // In one piece: a stream of unknown length has tables of 90 MB, made anew for each page.
        Compression::Zstd => zstd::bulk::compress(bytes, PAGE_LEVEL),
    }
}

fn unwritten(file: &str, error: impl ToString) -> DatasetError {
    DatasetError::new(Code::Write, file, error.to_string())
}

/// A system's outputs as lines of JSON, packed: a header, then a line a page in the dataset's order.
fn stored_lines(dataset: &Dataset, system: &str) -> Result<Vec<u8>, DatasetError> {
    let stored = dataset.stored(system)?;
    let unwritten = |error: std::io::Error| unwritten(&format!("stored/{system}.jsonl.zst"), error);
    let mut packed = zstd::Encoder::new(Vec::new(), STORED_LEVEL).map_err(unwritten)?;
    let Stored { system: name, version, date, settings, kind, .. } = &stored;
    let mut header = json!({"system": name, "version": version, "date": date, "settings": settings});
    if *kind != TextKind::Text {
        header["kind"] = json!(kind);
    }
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
    use crate::datasets::MAX_PAGE_BYTES;
    use crate::datasets::load::load_folder;
    use crate::datasets::locate::locate;

    const MANIFEST: &str =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

    #[test]
    fn gold_nodes_are_written_as_they_were_read() {
        let sha256 = crate::formats::digest::sha256(b"a\nb");
        let nodes = format!(r#""nodes":[[1,1]],"text_sha256":"{sha256}","f1":[2,4]"#);
        let page =
            |id: &str, gold: &str| format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>a<p>b\"}},\"gold\":{gold}}}\n");
        let list = [
            page("alone", &format!("{{{nodes}}}")),
            page("beside", &format!("{{\"text\":\"b\",{nodes}}}")),
            page("none", "{\"text\":\"b\"}"),
        ];
        let (_folder, dataset) = dataset(&list.concat());
        for layout in [Layout::Files(Compression::None), Layout::OneList("pages.jsonl")] {
            let copy = tempfile::tempdir().unwrap();
            let digest = write(&dataset, copy.path(), layout).unwrap();
            assert_eq!(digest, dataset.digest(|record| dataset.digests(record)).unwrap());
            let again = load_folder(copy.path()).unwrap();
            for (one, other) in dataset.records.iter().zip(again.records.iter()) {
                let (one, other) = (one.unwrap().gold.clone().unwrap(), other.unwrap().gold.clone().unwrap());
                assert_eq!((one.nodes(), one.is_text()), (other.nodes(), other.is_text()));
            }
        }
    }

    #[test]
    fn a_page_has_the_same_digests_opened_or_not() {
        let sha256 = crate::formats::digest::sha256(b"a\nb");
        let nodes = format!(r#""nodes":[[1,1]],"text_sha256":"{sha256}","roles":{{"end":[[0,0]]}}"#);
        for gold in [format!("{{{nodes}}}"), format!(r#"{{"text":"b",{nodes}}}"#)] {
            let list = format!("{{\"id\":\"a\",\"html\":{{\"text\":\"<p>a<p>b\"}},\"gold\":{gold}}}\n");
            let (_folder, dataset) = dataset(&list);
            let record = dataset.records.get(0).unwrap();
            let opened = dataset.open(&record).unwrap();
            assert!(opened.roles.is_some());
            assert_eq!(opened.digests, dataset.digests(&record), "{gold}");
        }
    }

    /// The dataset of these lines, and its folder.
    fn dataset(list: &str) -> (tempfile::TempDir, Dataset) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dataset.yaml"), MANIFEST).unwrap();
        std::fs::write(folder.path().join("pages.jsonl"), list).unwrap();
        let dataset = load_folder(folder.path()).unwrap();
        (folder, dataset)
    }

    #[test]
    fn ids_that_differ_in_case_have_files_that_do_not() {
        let page = |id: &str| {
            format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>{id}\"}},\"gold\":{{\"text\":\"{id}\"}}}}\n")
        };
        let (_folder, dataset) = dataset(&["aB", "ab", "Ab", "C"].map(page).concat());
        let copy = tempfile::tempdir().unwrap();
        let digest = write(&dataset, copy.path(), Layout::Files(Compression::None)).unwrap();
        for folder in ["pages", "gold"] {
            let names: Vec<String> = std::fs::read_dir(copy.path().join(folder))
                .unwrap()
                .map(|file| file.unwrap().file_name().to_str().unwrap().to_lowercase())
                .collect();
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), 4, "{names:?}");
        }
        assert!(copy.path().join("pages/ab.html").is_file() && copy.path().join("gold/C.txt").is_file());
        let again = load_folder(copy.path()).unwrap();
        assert_eq!(again.digest(|record| again.digests(record)).unwrap(), digest);
    }

    #[test]
    fn annotated_copies_of_ids_that_differ_in_case_have_files_that_do_not() {
        let page = |id: &str| {
            let select = r#"{"include":["p"],"roles":{"body":["p"]}}"#;
            let gold = format!(r#"{{"path":"{}.html","select":{select}}}"#, id.len());
            format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>{id}\"}},\"gold\":{gold}}}\n")
        };
        let folder = tempfile::tempdir().unwrap();
        let files = [("dataset.yaml", MANIFEST), ("pages.jsonl", &["a", "A", "ab"].map(page).concat())];
        let copies = [("1.html", "<p>a"), ("2.html", "<p>ab")];
        for (name, text) in files.into_iter().chain(copies) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let dataset = load_folder(folder.path()).unwrap();
        for layout in [Layout::Files(Compression::Zstd), Layout::OneList("pages.jsonl")] {
            let copy = tempfile::tempdir().unwrap();
            write(&dataset, copy.path(), layout).unwrap();
            let names = std::fs::read_dir(copy.path().join("gold")).unwrap();
            let names = names.map(|file| file.unwrap().file_name().to_str().unwrap().to_lowercase());
            assert_eq!(names.collect::<HashSet<_>>().len(), 3, "{layout:?}");
        }
    }

    #[test]
    fn a_gold_that_is_changed_later_is_noticed() {
        let (_folder, dataset) = dataset("{\"id\":\"a\",\"html\":{\"text\":\"x\"},\"gold\":{\"text\":\"x\"}}\n");
        let copy = tempfile::tempdir().unwrap();
        write(&dataset, copy.path(), Layout::Files(Compression::None)).unwrap();
        std::fs::write(copy.path().join("gold/a.txt"), "y\n").unwrap();
        let error = load_folder(copy.path()).unwrap_err();
        assert_eq!((error.code, error.page.as_deref()), (Code::Digest, Some("a")));
    }

    #[test]
    fn a_page_of_too_many_nodes_is_not_called_missing() {
        let page = "<br>".repeat(crate::page::limits::MAX_NODES + 1);
        let list = format!(r#"{{"id":"a","html":{{"text":"{page}"}},"gold":{{"select":{{"include":["p"]}}}}}}"#);
        let (_folder, dataset) = dataset(&list);
        let copy = tempfile::tempdir().unwrap();
        let error = write(&dataset, &copy.path().join("out"), Layout::Files(Compression::None)).unwrap_err();
        assert_eq!((error.code, error.page.as_deref()), (Code::Size, Some("a")));
        assert!(error.message.contains("nodes"), "{error}");
    }

    #[test]
    fn a_page_or_a_gold_that_cannot_be_read_has_its_code() {
        for (page, gold, code) in
            [(MAX_PAGE_BYTES + 1, 1, Code::Size), (1, MAX_PAGE_BYTES + 1, Code::Size), (1, 1, Code::GoldBytes)]
        {
            let (folder, dataset) = dataset("{\"id\":\"a\",\"html\":{\"text\":\"x\"}}\n");
            let sparse = |name: &str, length: u64| {
                let file = std::fs::File::create(folder.path().join(name)).unwrap();
                file.set_len(length).unwrap();
                file
            };
            sparse("a.html", page);
            let mut file = sparse("a.txt", gold);
            if code == Code::GoldBytes {
                file.write_all(b"\xFF").unwrap();
            }
            let html = HtmlSource::Path("a.html".to_owned());
            let gold = Some(GoldSource::Path("a.txt".to_owned()));
            let record = Record { id: "a".to_owned(), html, gold, ..Record::default() };
            let dataset = Dataset { records: vec![record].into(), ..dataset };
            let copy = tempfile::tempdir().unwrap();
            let error = write(&dataset, &copy.path().join("out"), Layout::Files(Compression::None)).unwrap_err();
            assert_eq!((error.code, error.page.as_deref()), (code, Some("a")));
        }
    }

    #[test]
    fn the_page_list_is_there_only_when_it_is_whole() {
        let page = |id: usize| format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"x\"}},\"gold\":{{\"text\":\"x\"}}}}\n");
        let (_folder, dataset) = dataset(&(0..2 * AT_A_TIME).map(page).collect::<String>());
        let copy = tempfile::tempdir().unwrap();
        let list = copy.path().join("own.jsonl");
        let while_it_is_written = |_: &Record| {
            assert!(!list.exists(), "somebody who sees it takes it for the whole list");
            None
        };
        write_with_nodes(&dataset, copy.path(), Layout::OneList("own.jsonl"), &while_it_is_written).unwrap();
        assert_eq!(std::fs::read_to_string(&list).unwrap().lines().count(), 2 * AT_A_TIME);
    }

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

//! WARC files whose pages are unpacked when they are asked for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use carat_warc::body::BodyFault;
use carat_warc::{Archive, Fault as WarcFault, Place, Source};
use serde_json::{Map, Value as Json};

use super::responses::{Head, Reading};
use crate::datasets::import::gold_table::GoldTable;
use crate::datasets::manifest::{Compression, Details, GoldSource, HtmlSource, Record, encode_id};
use crate::datasets::records::RecordSource;
use crate::datasets::root::{Fault, MadeFiles};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::words::fit;
use crate::datasets::{DatasetError, shown};
use crate::formats::code::Code;
use crate::formats::reading::{RegularFile, patiently};

/// The files, and how they are read.
#[derive(Debug)]
pub(super) struct Files {
    /// The folder in which they lie.
    folder: PathBuf,
    pub(super) reading: Reading,
    pub(super) golds: Option<GoldTable>,
    parts: Vec<Part>,
    numbers: BTreeMap<String, u32>,
}

/// One of the files.
#[derive(Debug)]
pub(super) struct Part {
    /// Its path below the folder.
    pub(super) path: String,
    /// The file, as people know it.
    pub(super) file: PathBuf,
    pub(super) archive: Archive,
    /// The columns that its folders stand for.
    pub(super) partitions: Map<String, Json>,
    stamp: Stamp,
}

/// The length of a file and when it was written last: another file has another.
type Stamp = (u64, Option<SystemTime>);

/// Where a page stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageAt {
    pub(super) part: u32,
    pub(super) place: Place,
}

impl Part {
    pub(super) fn open(path: &str, file: PathBuf, partitions: Map<String, Json>) -> Result<Part, DatasetError> {
        let of_error = |error: std::io::Error| DatasetError::unread(Code::Missing, shown(&file), &error);
        let stamp = stamp_of(&file).map_err(of_error)?;
        let opened = file.clone();
        let open = move || RegularFile::open(&opened).map(|file| Box::new(file) as Box<dyn Source>);
        let is_packed = Compression::of_path(path) == Compression::Gzip;
        let archive = Archive::new(Box::new(open), is_packed).map_err(of_error)?;
        Ok(Part { path: path.to_owned(), file, archive, partitions, stamp })
    }

    /// Gives the page at `place` to `look`, with its headers, and what else is in its block.
    fn page<T>(
        &self,
        reading: &Reading,
        place: Place,
        look: impl FnOnce(&Head, &mut carat_warc::Record<'_>) -> T,
    ) -> Result<T, DatasetError> {
        let changed = || located_as(&self.file, place, Code::Digest, CHANGED);
        let stamp =
            stamp_of(&self.file).map_err(|error| DatasetError::unread(Code::Missing, shown(&self.file), &error))?;
        if stamp != self.stamp {
            return Err(changed());
        }
        let found = self.archive.record_at(place, |record| {
            let head = reading.head(record)?;
            Ok(head.ok().map(|head| look(&head, record)))
        });
        match found.and_then(|found| found) {
            Ok(Some(found)) => Ok(found),
            Ok(None) | Err(WarcFault::Broken(_)) => Err(changed()),
            Err(fault) => Err(located(&self.file, place, fault)),
        }
    }
}

const CHANGED: &str = "the file was changed after it was loaded; the same command loads it again";

fn stamp_of(file: &Path) -> std::io::Result<Stamp> {
    let metadata = patiently(|| std::fs::metadata(file))?;
    Ok((metadata.len(), metadata.modified().ok()))
}

/// The path by which a dataset knows the page at `place` of the file at `path`.
pub(super) fn page_path(path: &str, place: Place) -> String {
    format!("{path}@{place}")
}

/// That the record at `place` of `file` cannot be read.
pub(super) fn located(file: &Path, place: Place, fault: WarcFault) -> DatasetError {
    match fault {
        WarcFault::Broken(sentence) => located_as(file, place, Code::Warc, &sentence),
        WarcFault::System(error) => DatasetError::unread(Code::Warc, shown(file), &error),
        WarcFault::Unwritten(_) => DatasetError::new(Code::Write, shown(file), fault.to_string()),
        WarcFault::TooMuch => DatasetError::new(Code::Size, shown(file), fault.to_string()),
    }
}

/// The fault of the record at `place` of `file`.
pub(super) fn located_as(file: &Path, place: Place, code: Code, sentence: &str) -> DatasetError {
    DatasetError::new(code, shown(file), format!("the record at offset {place}: {sentence}"))
}

impl Files {
    /// None yet of those in `folder`.
    pub(super) fn new(folder: PathBuf, reading: Reading, golds: Option<GoldTable>) -> Self {
        Files { folder, reading, golds, parts: Vec::new(), numbers: BTreeMap::new() }
    }

    /// Adds a file; its number is that of those before it.
    pub(super) fn add(&mut self, part: Part) {
        self.numbers.insert(part.path.clone(), self.parts.len() as u32);
        self.parts.push(part);
    }

    /// The gold of the page with these headers.
    pub(super) fn gold(&self, head: &Head) -> Result<Option<String>, DatasetError> {
        let Some(golds) = &self.golds else { return Ok(None) };
        golds.take([head.header.id(), head.header.target()].into_iter().flatten())
    }

    /// The record of the page at `path`, with these headers and this gold.
    pub(super) fn record(
        &self,
        head: &Head,
        gold: Option<String>,
        path: String,
        partitions: &Map<String, Json>,
    ) -> Result<Record, (Code, String)> {
        let bare = head.header.id().ok_or_else(|| (Code::Warc, "its header has no WARC-Record-ID".to_owned()))?;
        let (id, url) = (encode_id(bare), head.header.target());
        let host = url.and_then(host_of);
        let mut record = Record {
            html: HtmlSource::Path(path),
            gold: gold.map(GoldSource::of_text),
            site: Some(site_of(host.as_deref(), &id)),
            encoding: head.charset.clone(),
            id,
            ..Record::default()
        };
        let mut details = Details {
            url: url.map(str::to_owned),
            host,
            crawled: head.header.fields.get("WARC-Date").map(str::to_owned),
            ..Details::default()
        };
        details.faults.extend(head.is_cut.then(|| "truncated".to_owned()));
        let charset = head.unknown_charset.clone().map(|charset| ("x-charset".to_owned(), Json::String(charset)));
        details.other.extend(charset);
        set_partitions(&mut record, &mut details, partitions);
        record.details = details.boxed();
        fit(&mut record)?;
        Ok(record)
    }
}

/// Sets what folders such as `language=zh` say; what has no field of its own is carried along.
fn set_partitions(record: &mut Record, details: &mut Details, partitions: &Map<String, Json>) {
    let mut extra = Map::new();
    for (name, value) in partitions {
        let text = value.as_str().map(str::to_owned);
        match name.as_str() {
            "language" | "lang" => record.language = text,
            "kind" => record.kind = text,
            "split" => details.split = text,
            _ => drop(extra.insert(name.clone(), value.clone())),
        }
    }
    details.extra = (!extra.is_empty()).then(|| Box::new(Json::Object(extra)));
}

impl RecordSource for Files {
    type Place = PageAt;

    fn get(&self, at: PageAt) -> Result<Record, DatasetError> {
        let part = &self.parts[at.part as usize];
        let path = page_path(&part.path, at.place);
        part.page(&self.reading, at.place, |head, _| {
            let record = self.record(head, self.gold(head)?, path, &part.partitions);
            record.map_err(|(code, message)| located_as(&part.file, at.place, code, &message))
        })?
    }

    fn located(&self, at: PageAt, fault: DatasetError) -> DatasetError {
        let message = format!("the record at offset {}: {}", at.place, fault.message);
        DatasetError { file: shown(&self.parts[at.part as usize].file), message, ..fault }
    }
}

impl Files {
    fn find(&self, path: &str) -> Option<(&Part, Place)> {
        let (path, place) = path.rsplit_once('@')?;
        Some((&self.parts[*self.numbers.get(path)? as usize], place.parse().ok()?))
    }
}

impl MadeFiles for Files {
    fn read_file(&self, path: &str) -> Result<Vec<u8>, Fault> {
        let (part, place) = self.find(path).ok_or_else(|| Fault::missing("there is no such file"))?;
        let body = part.page(&self.reading, place, |head, record| head.body(record));
        let body = body.map_err(|fault| match fault.code {
            // Then nothing is wrong with the page.
            Code::Digest => Fault::missing(fault.message),
            code => Fault::new(code, fault.message),
        })?;
        match body {
            Ok(body) => Ok(body.bytes),
            Err(BodyFault::System(error)) => Err(Fault::unread(&error)),
            Err(fault @ BodyFault::TooLarge(_)) => {
                Err(Fault::new(Code::Size, format!("the page is too large: {fault}")))
            }
            Err(fault @ BodyFault::Broken(_)) => Err(Fault::new(Code::Warc, fault.to_string())),
        }
    }

    fn has(&self, path: &str) -> bool {
        self.find(path).is_some_and(|(part, _)| stamp_of(&part.file).is_ok_and(|stamp| stamp == part.stamp))
    }

    fn home(&self) -> Option<&Path> {
        Some(&self.folder)
    }
}

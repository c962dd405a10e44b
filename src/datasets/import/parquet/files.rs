//! Parquet files whose pages are read when they are asked for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use carat_parquet::{Column, Fault as ParquetFault, ParquetFile, Source};
use serde_json::{Map, Value as Json};

use super::kept::{Kept, KeptEntry};
use super::pages::{Pages, RowAt};
use super::row::{Layout, Reading};
use crate::datasets::import::table::stem;
use crate::datasets::manifest::{HtmlSource, Record};
use crate::datasets::records::RecordSource;
use crate::datasets::root::{Fault, MadeFiles, Root};
use crate::datasets::{DatasetError, MAX_PAGE_BYTES, shown};
use crate::formats::code::Code;
use crate::formats::reading::{RegularFile, patiently};

/// The files, and the records of their pages.
#[derive(Debug)]
pub(super) struct Files {
    /// The folder in which they lie.
    folder: PathBuf,
    parts: BTreeMap<u32, Part>,
    numbers: BTreeMap<String, u32>,
    kept: Kept,
    pages: Pages,
}

/// One of the files.
#[derive(Debug)]
pub(super) struct Part {
    /// Its path below the folder.
    path: String,
    /// The file, as people know it.
    pub(super) file: PathBuf,
    pub(super) table: Arc<ParquetFile>,
    /// The columns that its folders stand for.
    pub(super) partitions: Map<String, Json>,
    /// The column of the page.
    page: Option<Column>,
    /// The place of each row's record among those that are kept; [`NONE`] of a row without a page.
    places: Vec<u64>,
    stamp: Stamp,
}

/// The length of a file and when it was written last: another file has another.
type Stamp = (u64, Option<SystemTime>);

/// The place of what is not kept.
const NONE: u64 = u64::MAX;

const CHANGED: &str = "the file was changed after it was loaded; the same command loads it again";

fn stamp_of(file: &Path) -> std::io::Result<Stamp> {
    let metadata = patiently(|| std::fs::metadata(file))?;
    Ok((metadata.len(), metadata.modified().ok()))
}

impl Part {
    /// The file at `path` below `folder`.
    pub(super) fn open(folder: &Path, path: &str, partitions: Map<String, Json>) -> Result<Part, DatasetError> {
        let file = folder.join(path);
        Root::Folder(folder.to_owned()).refuse_outside(path).map_err(|fault| fault.of_file(&shown(&file)))?;
        let stamp = stamp_of(&file).map_err(|error| DatasetError::unread(Code::Missing, shown(&file), &error))?;
        let opened = file.clone();
        let open = move || RegularFile::open(&opened).map(|file| Box::new(file) as Box<dyn Source>);
        let table = ParquetFile::open(Box::new(open)).map_err(|fault| of_file(&file, fault))?;
        let (path, table) = (path.to_owned(), Arc::new(table));
        Ok(Part { path, file, table, partitions, page: None, places: Vec::new(), stamp })
    }

    /// The columns that are read.
    pub(super) fn layout(&mut self, reading: &Reading) -> Result<Layout, DatasetError> {
        let layout = reading.layout(&self.table);
        let layout = layout.map_err(|(code, message)| DatasetError::new(code, shown(&self.file), message))?;
        self.page = layout.page().cloned();
        Ok(layout)
    }

    /// The fault of this file.
    pub(super) fn fault(&self, fault: ParquetFault) -> DatasetError {
        of_file(&self.file, fault)
    }

    /// The fault with the number of the row at which it is.
    pub(super) fn at(&self, row: u64, fault: DatasetError) -> DatasetError {
        DatasetError { file: shown(&self.file), line: Some(row as usize + 1), ..fault }
    }

    /// The number of a row, from 0, as places hold it.
    pub(super) fn number_of(&self, row: u64) -> Result<u32, DatasetError> {
        u32::try_from(row).ok().filter(|&row| row < u32::MAX).ok_or_else(|| {
            let message = format!("has more than {} rows, which are not counted; split it", u32::MAX);
            DatasetError::new(Code::Size, shown(&self.file), message)
        })
    }

    /// The id of the page of a row that gives none.
    pub(super) fn name_of(&self, row: u64) -> String {
        format!("{}-{:09}", stem(&self.file), row + 1)
    }

    /// Where a dataset finds the page of a row.
    pub(super) fn page_source(&self, row: u32) -> HtmlSource {
        HtmlSource::Path(format!("{}@{}", self.path, u64::from(row) + 1))
    }

    /// Keeps the place of a row's record.
    pub(super) fn keep(&mut self, row: u32, place: u64) {
        self.places.resize(row as usize, NONE);
        self.places.push(place);
    }

    fn is_as_it_was(&self) -> bool {
        stamp_of(&self.file).is_ok_and(|stamp| stamp == self.stamp)
    }
}

/// The fault of `file`.
fn of_file(file: &Path, fault: ParquetFault) -> DatasetError {
    match fault {
        ParquetFault::Broken(sentence) => DatasetError::new(Code::Upstream, shown(file), sentence),
        ParquetFault::System(error) => DatasetError::unread(Code::Upstream, shown(file), &error),
    }
}

impl Files {
    /// These files of `folder` by their numbers.
    pub(super) fn new(folder: PathBuf, parts: Vec<(u32, Part)>, kept: Kept) -> Self {
        let numbers = parts.iter().map(|(number, part)| (part.path.clone(), *number)).collect();
        Files { folder, parts: parts.into_iter().collect(), numbers, kept, pages: Pages::default() }
    }

    /// The page at `path`.
    fn find(&self, path: &str) -> Option<(&Part, RowAt)> {
        let (path, row) = path.rsplit_once('@')?;
        let number = *self.numbers.get(path)?;
        let row = row.parse::<u32>().ok()?.checked_sub(1)?;
        Some((self.parts.get(&number)?, RowAt { part: number, row }))
    }

    fn entry(&self, part: &Part, at: RowAt) -> Result<KeptEntry, DatasetError> {
        let place = part.places.get(at.row as usize).copied().filter(|&place| place != NONE);
        let place = place.ok_or_else(|| DatasetError::new(Code::Digest, shown(&part.file), CHANGED))?;
        self.kept.get(place).map_err(|error| {
            let message = format!("the records of its pages cannot be read back from the temporary folder: {error}");
            DatasetError::new(Code::Io, shown(&part.file), message)
        })
    }
}

impl RecordSource for Files {
    type Place = RowAt;

    fn get(&self, at: RowAt) -> Result<Record, DatasetError> {
        let part = &self.parts[&at.part];
        if !part.is_as_it_was() {
            return Err(part.at(at.row.into(), DatasetError::new(Code::Digest, shown(&part.file), CHANGED)));
        }
        Ok(self.entry(part, at)?.record)
    }

    fn located(&self, at: RowAt, fault: DatasetError) -> DatasetError {
        self.parts[&at.part].at(at.row.into(), fault)
    }

    fn reading_order(&self, at: RowAt) -> Option<u64> {
        Some(u64::from(at.part) << 32 | u64::from(at.row))
    }
}

impl MadeFiles for Files {
    fn read_file(&self, path: &str) -> Result<Vec<u8>, Fault> {
        let gone = || Fault::missing("there is no such file");
        let (part, at) = self.find(path).ok_or_else(gone)?;
        // Then nothing is wrong with the page.
        if !part.is_as_it_was() {
            return Err(Fault::missing(CHANGED));
        }
        let column = part.page.as_ref().ok_or_else(gone)?;
        let cell = match self.pages.get(at, &part.table, column) {
            Ok(cell) => cell,
            Err(ParquetFault::System(error)) => return Err(Fault::unread(&error)),
            Err(ParquetFault::Broken(sentence)) => return Err(Fault::new(Code::Upstream, sentence)),
        };
        let bytes = cell.as_ref().and_then(|cell| cell.bytes()).ok_or_else(|| Fault::missing(CHANGED))?;
        if bytes.len() as u64 > MAX_PAGE_BYTES {
            return Err(Fault::new(Code::Size, format!("the page has more than {MAX_PAGE_BYTES} bytes")));
        }
        Ok(bytes.to_vec())
    }

    fn has(&self, path: &str) -> bool {
        self.find(path).is_some_and(|(part, _)| part.is_as_it_was())
    }

    fn page_digest(&self, path: &str) -> Option<String> {
        let (part, at) = self.find(path).filter(|(part, _)| part.is_as_it_was())?;
        Some(self.entry(part, at).ok()?.digest)
    }

    fn home(&self) -> Option<&Path> {
        Some(&self.folder)
    }
}

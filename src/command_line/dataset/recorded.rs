//! The pages of WARC files, as those of a new dataset.

use std::path::Path;

use carat_annotate::new_dataset::{Given, holds_pages, is_warc};
use serde_json::{Map, Value as Json};

use crate::command_line::failure::Failure;
use crate::command_line::output::tell;
use crate::datasets::import::{Options, warc};
use crate::datasets::load::Loading;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};

/// Faults of records that are told.
const TOLD: usize = 20;

/// Fields of a record that a new dataset has otherwise: its bytes are its own, it has no gold, and sites follow from addresses.
const OTHERWISE: [&str; 6] = ["id", "html", "gold", "site", "url", "language"];

/// True for a WARC file, and for a folder with WARC files and without saved pages; `out` is not looked into.
pub(super) fn is_recorded(path: &Path, out: &Path) -> bool {
    if path.is_dir() { warc::are_in(path) && !holds_pages(path, out) } else { is_warc(&path.to_string_lossy()) }
}

/// WARC files that were read. Records that cannot be read are left out.
pub(super) struct Recorded {
    dataset: Dataset,
}

impl Recorded {
    /// Reads the file or the folder at `path`, once through.
    ///
    /// # Errors
    /// [`Failure`]: it cannot be read, or no page is in it.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let dataset = warc::IMPORTER.read_with(path, &Options::default(), Loading::KEEP_GOING)?;
        dataset.refuse_if_none_is_left()?;
        Ok(Recorded { dataset })
    }

    /// Its pages, in the order of ids.
    ///
    /// # Errors
    /// [`Failure`]: a file was changed.
    pub(super) fn pages(&self) -> Result<Vec<Given<'_>>, Failure> {
        let pages: Result<Vec<_>, DatasetError> =
            self.dataset.records.iter().map(|record| Ok(self.page(&*record?))).collect();
        Ok(pages?)
    }

    fn page(&self, record: &Record) -> Given<'_> {
        let mut other = match serde_json::to_value(record) {
            Ok(Json::Object(fields)) => fields,
            _ => Map::new(),
        };
        other.retain(|field, _| !OTHERWISE.contains(&field.as_str()));
        let whole = record.clone();
        Given {
            id: record.id.clone(),
            url: record.details().url.clone(),
            language: record.language.clone(),
            other,
            bytes: Box::new(move || self.dataset.page_bytes(&whole)),
        }
    }

    /// Tells of the records that are no pages, and of those that cannot be read.
    pub(super) fn tell(&self) {
        self.dataset.notes.iter().for_each(|note| tell(&format!("note: {note}")));
        let dropped = self.dataset.dropped();
        dropped.listed().take(TOLD).for_each(|fault| tell(&format!("passed over: {fault}")));
        let more = dropped.unlisted() + dropped.listed().count().saturating_sub(TOLD);
        if more > 0 {
            tell(&format!("passed over: {more} more"));
        }
    }
}

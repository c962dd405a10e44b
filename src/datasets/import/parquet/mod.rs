//! `parquet`: pages in the rows of Parquet files; a map says which columns they stand in, as for `table`.
//!
//! Pages stay in the files. The files are read once: of each row its record without the page, and the page's digest, go to a
//! temporary file, and of each page its place is kept. The dataset is in the order of ids, which other programs can make too:
//! engines that work on many machines keep no order of rows. Pages are run in the order of the files, for to read a row out of that order,
//! all rows before it in its row group have to be passed over.

mod files;
mod kept;
mod pages;
mod row;

use std::collections::BTreeSet;
use std::path::Path;

use carat_parquet::{Fault as ParquetFault, Rows};

use self::files::{Files, Part};
use self::kept::{Entry, Writing};
use self::pages::RowAt;
use self::row::{Page, PageRow, Reading};
use super::placed::in_order_of_ids;
use super::table::{options as column, partitions, parts, without_column};
use super::{Importer, OptionHelp, Options, Told};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, MAX_PAGE_BYTES, shown};
use crate::formats::code::Code;
use crate::formats::digest::sha256;

/// The importer `parquet`.
pub static IMPORTER: Importer = Importer {
    name: "parquet",
    title: "pages in the rows of Parquet files: a file .parquet, or a folder of such parts",
    layout: &[],
    options: &[
        OptionHelp {
            name: "columns.html",
            help: "column of the page: characters, or bytes to decode [default: html, raw_html, html_content, page_html]",
        },
        column::GOLD,
        column::ID,
        column::URL,
        column::SITE,
        column::LANGUAGE,
        column::KIND,
        column::SPLIT,
        column::CRAWLED,
        column::EXTRA,
        OptionHelp {
            name: "columns.encoding",
            help: "column of the label of the page's encoding, where the page is bytes [default: encoding, charset]",
        },
        OptionHelp {
            name: "columns.content_type",
            help: "column of the media type whose charset is that label, where no column of the encoding says it [default: content_type]",
        },
        OptionHelp { name: "parts", help: "which files of the folder are parts [default: **/*.{parquet,parq,pq}]" },
    ],
    read,
};

/// The files that are parts if no one says.
const PARTS: &str = "**/*.{parquet,parq,pq}";

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let option = |message: String| DatasetError::new(Code::Option, shown(source), message);
    let reading = Reading::new(options).map_err(option)?;
    let (folder, paths) = parts(source, options, PARTS)?;
    if paths.is_empty() {
        let message = "expected a Parquet file, or a folder of such files (*.parquet)";
        return Err(DatasetError::new(Code::Upstream, shown(source), message));
    }
    let mut found = Found::new()?;
    let mut files = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        let mut part = match Part::open(&folder, path, partitions(path)) {
            Ok(part) => part,
            Err(fault) => {
                told.faults.rest_of(&shown(&folder.join(path)), fault)?;
                continue;
            }
        };
        let read = found.read_part(number as u32, &mut part, &reading, told);
        read.or_else(|fault| match fault.code {
            // A request that is wrong is so of every part.
            Code::Option => Err(fault),
            _ => told.faults.rest_of(&shown(&part.file), fault),
        })?;
        files.push((number as u32, part));
    }
    let missing = reading.columns.never_seen(&found.seen).filter(|_| told.faults.has_none());
    if let Some((field, missing)) = missing {
        return Err(option(without_column(field, missing, &found.present)));
    }
    if found.pages.is_empty() && told.faults.has_none() {
        return Err(DatasetError::new(Code::Count, shown(source), "there is no row with a page in these files"));
    }
    found.tell(told);
    let files = Files::new(folder, files, found.writing.finish()?);
    in_order_of_ids(source, files, found.pages, "Pages are rows of Parquet files.", told)
}

/// The facts of the files, from one pass.
struct Found {
    writing: Writing,
    /// Ids, whether there is a gold, and places.
    pages: Vec<(String, bool, RowAt)>,
    /// Rows without a page.
    skipped: usize,
    /// Columns that were asked for and that some file has.
    seen: Vec<String>,
    /// Columns that files have, of very many the first.
    present: BTreeSet<String>,
    /// Pages that hold U+FFFD, and how many.
    lost: (usize, usize),
    /// Pages with a label of no known encoding.
    unknown_labels: usize,
}

impl Found {
    fn new() -> Result<Self, DatasetError> {
        Ok(Found {
            writing: Writing::new()?,
            pages: Vec::new(),
            skipped: 0,
            seen: Vec::new(),
            present: BTreeSet::new(),
            lost: (0, 0),
            unknown_labels: 0,
        })
    }

    fn read_part(
        &mut self,
        number: u32,
        part: &mut Part,
        reading: &Reading,
        told: &mut Told,
    ) -> Result<(), DatasetError> {
        let layout = part.layout(reading)?;
        reading.columns.note_seen_by(|name| layout.has(name) || part.partitions.contains_key(name), &mut self.seen);
        self.present.extend(part.table.column_names().take(SHOWN_COLUMNS));
        let mut rows = match Rows::new(part.table.clone(), &layout.columns, 0) {
            Ok(rows) => rows,
            Err(fault) => return Err(part.fault(fault)),
        };
        loop {
            let batch = match rows.next_batch() {
                Ok(Some(batch)) => batch,
                Ok(None) => return Ok(()),
                Err(fault @ ParquetFault::Broken(_)) => return Err(part.at(rows.next_row(), part.fault(fault))),
                Err(fault) => return Err(part.fault(fault)),
            };
            for (row, cells) in (batch.first..).zip(&batch.rows) {
                let at = RowAt { part: number, row: part.number_of(row)? };
                let read = reading.row(&layout, cells, &part.partitions, &part.name_of(row));
                match read.map_err(|(code, message)| DatasetError::new(code, shown(&part.file), message)) {
                    Ok(None) => self.skipped += 1,
                    Ok(Some(read)) => self.add(at, part, read, told)?,
                    Err(fault) => told.faults.page(part.at(row, fault))?,
                }
            }
        }
    }

    /// Adds a page.
    fn add(&mut self, at: RowAt, part: &mut Part, row: PageRow<'_>, told: &mut Told) -> Result<(), DatasetError> {
        let PageRow { mut record, page, has_unknown_label } = row;
        record.html = part.page_source(at.row);
        told.count_aside(&record);
        self.unknown_labels += usize::from(has_unknown_label);
        if let Page::Text(text) = page {
            let lost = text.matches(char::REPLACEMENT_CHARACTER).count();
            self.lost.0 += usize::from(lost > 0);
            self.lost.1 += lost;
        }
        // A page that is too large fails when it is run, as one of a folder does.
        let bytes = page.bytes();
        let digest = if bytes.len() as u64 > MAX_PAGE_BYTES { "-".to_owned() } else { sha256(bytes) };
        let place = self.writing.add(&Entry { digest, record: &record })?;
        part.keep(at.row, place);
        let Record { id, gold, .. } = record;
        self.pages.push((id, gold.is_some(), at));
        Ok(())
    }

    /// Tells what is no page, and what is odd about pages.
    fn tell(&self, told: &mut Told) {
        let (lossy, characters) = self.lost;
        if lossy > 0 {
            told.note(format!("{lossy} pages hold U+FFFD, {characters} in all: what others could not decode (W-FFFD)"));
        }
        if self.unknown_labels > 0 {
            let pages = self.unknown_labels;
            told.note(format!("{pages} pages with a label of no known encoding: set aside as x-charset"));
        }
        if self.skipped > 0 {
            told.note(format!("{} rows without a page skipped", self.skipped));
        }
    }
}

/// So many columns are shown where one is missing.
const SHOWN_COLUMNS: usize = 20;

#[cfg(test)]
mod tests;

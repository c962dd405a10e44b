//! `warc`: the HTML responses of WARC files, as crawlers write them.
//!
//! Pages stay in the files: of each only its place is kept, and it is unpacked again when it is asked for. The dataset is in
//! the order of ids, which other programs can make too: engines that work on many machines keep no order of rows.

mod files;
mod left;
mod responses;

use std::path::Path;

use carat_warc::MAX_UNPACKED_BYTES;

use self::files::{Files, PageAt, Part};
use self::left::Left;
use self::responses::{Reading, Seen};
use super::gold_table::{GoldTable, Naming};
use super::placed::in_order_of_ids;
use super::table::{partitions, parts};
use super::{Importer, OptionHelp, Options, Told};
use crate::datasets::root::Root;
use crate::datasets::{Dataset, DatasetError, shown};
use crate::formats::code::Code;

/// The importer `warc`.
pub static IMPORTER: Importer = Importer {
    name: "warc",
    title: "HTML responses of WARC files (1.0 and 1.1): a file .warc or .warc.gz, or a folder of them",
    layout: &[],
    options: &[
        OptionHelp {
            name: "gold",
            help: "file of JSON Lines, CSV or TSV with a gold per row, beside the WARC files or anywhere else; columns id, record_id, warc_record_id, url, uri or target_uri say whose, and gold, text or content have it [default: none, pages without gold]",
        },
        OptionHelp {
            name: "types",
            help: "types of records that are pages, with commas between: response, resource [default: response]",
        },
        OptionHelp { name: "status", help: "HTTP statuses of pages, with commas between [default: 200]" },
        OptionHelp { name: "parts", help: "which files of the folder are read [default: **/*.{warc,warc.gz}]" },
    ],
    read,
};

/// The records that are read if no one says.
const PARTS: &str = "**/*.{warc,warc.gz}";

/// The way in which a table of golds names pages: by the ids of their records or by their URLs.
const NAMING: Naming = Naming {
    columns: &["id", "record_id", "warc_record_id", "page_id", "url", "uri", "target_uri", "warc_target_uri"],
    called: carat_warc::bare_id,
};

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let reading = Reading::new(options).map_err(|message| DatasetError::new(Code::Option, shown(source), message))?;
    let (folder, paths) = parts(source, options, PARTS)?;
    let golds = options
        .0
        .get("gold")
        .map(|name| GoldTable::read(&folder, name, NAMING, None, "save it in UTF-8"))
        .transpose()?;
    let mut files = Files::new(folder.clone(), reading, golds);
    let mut found = Found::default();
    for (number, path) in paths.iter().enumerate() {
        found.read_part(number as u32, open(&folder, path)?, &mut files, told)?;
    }
    if found.pages.is_empty() && told.faults.has_none() {
        let message = format!("there is no page in these WARC files; there are {}", found.left);
        return Err(DatasetError::new(Code::Count, shown(source), message));
    }
    found.tell(&files, told)?;
    let description = "Pages are HTML responses of WARC files, without the encodings of their transfer.";
    in_order_of_ids(source, files, found.pages, description, told)
}

/// True if there are WARC files in the folder `source` or below.
pub(crate) fn are_in(source: &Path) -> bool {
    parts(source, &Options::default(), PARTS).is_ok_and(|(_, paths)| !paths.is_empty())
}

fn open(folder: &Path, path: &str) -> Result<Part, DatasetError> {
    let file = folder.join(path);
    Root::Folder(folder.to_owned()).refuse_outside(path).map_err(|fault| fault.of_file(&shown(&file)))?;
    Part::open(path, file, partitions(path))
}

/// The facts of the files, from one pass.
#[derive(Default)]
struct Found {
    /// Ids, whether there is a gold, and places.
    pages: Vec<(String, bool, PageAt)>,
    left: Left,
    /// Bytes that were unpacked from members of many records.
    unpacked: u64,
}

impl Found {
    fn read_part(
        &mut self,
        number: u32,
        mut part: Part,
        files: &mut Files,
        told: &mut Told,
    ) -> Result<(), DatasetError> {
        let Found { pages, left, unpacked } = self;
        let mut budget = MAX_UNPACKED_BYTES - *unpacked;
        let file = part.file.clone();
        let look = |record: &mut carat_warc::Record<'_>| files.reading.look(record);
        let partitions = part.partitions.clone();
        let read = part.archive.read(&mut budget, look, |place, seen| {
            let seen = seen.and_then(|seen| seen).map_err(|fault| files::located(&file, place, fault));
            let record = match seen {
                Ok(Seen::Page { head, kept }) => {
                    let at = files::page_path(&part.path, place);
                    let record = files.record(&head, files.gold(&head)?, at, &partitions);
                    left.count_page(&head, kept);
                    record.map_err(|(code, message)| files::located_as(&file, place, code, &message))
                }
                Ok(Seen::Other(other)) => {
                    left.count(other);
                    return Ok(());
                }
                Err(fault) => Err(fault),
            };
            match record {
                Ok(record) => {
                    told.count_aside(&record);
                    pages.push((record.id, record.gold.is_some(), PageAt { part: number, place }));
                    Ok(())
                }
                Err(fault) => told.faults.page(fault),
            }
        });
        read?;
        *unpacked = MAX_UNPACKED_BYTES - budget;
        files.add(part);
        Ok(())
    }

    /// Tells what is no page, and what of pages was read otherwise than its headers say.
    fn tell(&self, files: &Files, told: &mut Told) -> Result<(), DatasetError> {
        self.left.tell(told);
        for whose in files.golds.as_ref().map(GoldTable::left).transpose()?.unwrap_or_default() {
            told.gold_without_page(format!("{whose}: its gold is dropped, there is no page of that id or URL"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

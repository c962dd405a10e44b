//! Separated values, read record by record, and the damage that a missing quote does.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use csv::{ByteRecord, ReaderBuilder};

use crate::datasets::MAX_LINE_BYTES;
use crate::formats::reading::RegularFile;

/// The signs by which values are told apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Separator {
    pub(super) byte: u8,
    /// True if values may stand in double quotes.
    pub(super) quotes: bool,
}

/// Where a reader of separated values is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Between,
    Plain,
    Quoted,
    /// Behind a quote in a quoted value: it closes the value, or is the first of two that stand for one.
    BehindQuote,
}

/// Reads separated values as far as quotes tell rows apart (RFC 4180).
#[derive(Default)]
struct Quotes {
    place: Place,
    /// The bytes read, and where in them the row began.
    read: u64,
    row: u64,
    /// The byte behind a closing quote that should not stand there.
    behind: Option<u8>,
}

impl Quotes {
    /// Reads the next byte, where `by` stands between values; `false` for text behind a closing quote.
    fn read(&mut self, byte: u8, by: u8) -> bool {
        self.read += 1;
        let is_end = matches!(byte, b'\n' | b'\r');
        self.place = match (self.place, byte) {
            (Place::Quoted, b'"') => Place::BehindQuote,
            (Place::Quoted, _) | (Place::Between | Place::BehindQuote, b'"') => Place::Quoted,
            _ if is_end || byte == by => Place::Between,
            (Place::BehindQuote, _) => {
                self.behind = Some(byte);
                return false;
            }
            _ => Place::Plain,
        };
        if is_end && self.place == Place::Between {
            self.row = self.read;
        }
        true
    }
}

/// A value's closing quote is missing, as where a file was cut: rows behind the opening one would be read as one value.
#[derive(Debug, thiserror::Error)]
#[error(
    "a quoted value of the row has no closing quote, or has text behind it (a quote in a value is written twice): {}",
    cause(*.behind)
)]
pub(super) struct Damaged {
    /// Where the row begins in the part, in bytes.
    pub(super) row: u64,
    /// The byte that stands behind a closing quote.
    behind: Option<u8>,
}

/// The likely cause of damage at a closing quote with this byte behind it.
fn cause(behind: Option<u8>) -> &'static str {
    match behind {
        Some(b';') => "if `;` parts the values, say so with delimiter=semicolon",
        Some(b'\t') => "if tabs part the values, say so with delimiter=tab",
        Some(b'|') => "if `|` parts the values, say so with delimiter=bar",
        Some(b',') => "if `,` parts the values, say so with delimiter=comma",
        _ => "the file is cut or damaged",
    }
}

/// A reader of separated values, none of whose records can fill the memory.
pub(super) struct Values {
    reader: csv::Reader<Bounded>,
    left: Rc<Cell<u64>>,
    begin: u64,
}

impl Values {
    /// Of `file`, which stands at `begin`.
    pub(super) fn new(file: RegularFile, begin: u64, by: Separator) -> Self {
        let left = Rc::new(Cell::new(0));
        let bounded = Bounded { file, begin, left: left.clone(), by, quotes: None, damaged: None };
        // How many values a row must have only the header knows, which was read before.
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .delimiter(by.byte)
            .quoting(by.quotes)
            .flexible(true)
            .from_reader(bounded);
        Values { reader, left, begin }
    }

    /// The same, which ends with [`Damaged`] behind the last row before one whose quotes are not closed. Rows that are
    /// read again are not checked: the damage may stand behind them.
    pub(super) fn checked(mut self) -> Self {
        let bounded = self.reader.get_mut();
        bounded.quotes = bounded.by.quotes.then(Quotes::default);
        self
    }

    /// Where the next record begins in the part, in bytes.
    pub(super) fn offset(&self) -> u64 {
        self.begin + self.reader.position().byte()
    }

    /// Reads the next record; `false` at the end.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> Result<bool, csv::Error> {
        self.left.set(MAX_LINE_BYTES);
        self.reader.read_byte_record(record)
    }
}

/// A file that gives so many bytes a record.
struct Bounded {
    file: RegularFile,
    /// Where it stood at first.
    begin: u64,
    left: Rc<Cell<u64>>,
    by: Separator,
    /// The quotes in the bytes that were read, where quotes are checked.
    quotes: Option<Quotes>,
    /// Where the row begins behind which nothing can be read.
    damaged: Option<u64>,
}

impl Bounded {
    /// The number of bytes in `read` that stand before a damaged row; an empty reading is the end.
    fn undamaged(&mut self, read: &[u8]) -> usize {
        let Some(quotes) = &mut self.quotes else { return read.len() };
        let before = quotes.read;
        let is_whole = match read {
            [] => quotes.place != Place::Quoted,
            _ => read.iter().all(|&byte| quotes.read(byte, self.by.byte)),
        };
        if is_whole {
            return read.len();
        }
        self.damaged = Some(quotes.row);
        quotes.row.saturating_sub(before) as usize
    }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.damaged.is_none() {
            let length = self.file.read(buffer)?;
            let length = self.undamaged(&buffer[..length]);
            let left = self.left.get().checked_sub(length as u64).ok_or(io::ErrorKind::FileTooLarge)?;
            self.left.set(left);
            if length > 0 {
                return Ok(length);
            }
        }
        match self.damaged {
            Some(row) => {
                let behind = self.quotes.as_ref().and_then(|quotes| quotes.behind);
                Err(io::Error::new(io::ErrorKind::InvalidData, Damaged { row: self.begin + row, behind }))
            }
            None => Ok(0),
        }
    }
}

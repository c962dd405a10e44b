//! The rows of a table's parts, one by one or again at their places.

use crate::formats::code::Code;
use crate::formats::inert::one_line;
use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use csv::ByteRecord;
use encoding_rs::{Encoding, UTF_8};
use serde_json::{Map, Value as Json};
use tempfile::TempPath;

use super::unpacking::{decode, no_copy, unpack};
use super::values::{Damaged, Separator, Values};
use super::{NO_HEADER, OF_SPREADSHEET};
use crate::datasets::import::Options;
use crate::datasets::import::upstream::{open, parse_line};
use crate::datasets::manifest::Compression;
use crate::datasets::{DatasetError, MAX_LINE_BYTES, shown};
use crate::formats::json::UniqueKeys;
use crate::formats::reading::RegularFile;
use crate::text::counted;

/// A file of a table.
#[derive(Debug)]
pub(super) struct Part {
    /// The file, as people know it.
    pub(super) file: PathBuf,
    /// The columns that its folders stand for.
    pub(super) partitions: Map<String, Json>,
    form: Form,
    /// What stands in it: where it is packed, rows cannot be found again in the file itself.
    unpacked: Option<TempPath>,
    /// How far lines were counted: the lines of rows in their order are told in one pass.
    counted: Mutex<Counted>,
}

/// How many lines end before a place of a part.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    offset: u64,
    lines: usize,
}

#[derive(Debug)]
enum Form {
    JsonLines,
    /// Values with `by` between, under a header of these names; rows begin at this byte.
    Separated {
        by: Separator,
        header: Vec<String>,
        begin: u64,
    },
}

/// What the user says of how values are told apart; else the file's name does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Separation {
    /// What stands between two values.
    pub(super) delimiter: Option<u8>,
    /// Whether values may stand in double quotes.
    pub(super) quotes: Option<bool>,
}

impl Separation {
    /// Reads the options `delimiter` and `quotes`.
    pub(super) fn of(options: &Options) -> Result<Self, String> {
        let delimiter = match options.0.get("delimiter").map(String::as_str) {
            None => None,
            Some("tab") => Some(b'\t'),
            Some("comma") => Some(b','),
            Some("semicolon") => Some(b';'),
            Some("bar") => Some(b'|'),
            Some(other) => match other.as_bytes() {
                [byte] if byte.is_ascii_punctuation() && *byte != b'"' => Some(*byte),
                _ => return Err(format!("delimiter: expected tab, comma, semicolon, bar or a sign, not `{other}`")),
            },
        };
        let quotes = match options.0.get("quotes").map(String::as_str) {
            None => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(other) => return Err(format!("quotes: expected true or false, not `{other}`")),
        };
        Ok(Separation { delimiter, quotes })
    }

    /// The separator of a file whose name says that `byte` stands between values, and whether they have `quotes`.
    fn separator(self, byte: u8, quotes: bool) -> Separator {
        Separator { byte: self.delimiter.unwrap_or(byte), quotes: self.quotes.unwrap_or(quotes) }
    }
}

/// The way in which a part is read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    pub(super) separation: Separation,
    /// The encoding of its text; UTF-8 where nobody says, or that of its byte order mark.
    pub(super) encoding: Option<&'static Encoding>,
}

/// The end of a sentence on a part in another encoding.
pub(in crate::datasets::import) const NOT_UTF_8: &str = "is not valid UTF-8";

/// A row.
pub(super) struct Row {
    pub(super) cells: Map<String, Json>,
    /// Its number in the part, from 1.
    pub(super) number: u32,
    /// Where it begins in the part, in bytes.
    pub(super) offset: u64,
    /// Its bytes, to tell it from others.
    pub(super) raw: Vec<u8>,
}

const MARK: &[u8] = "\u{FEFF}".as_bytes();

/// The bytes of the byte order mark of UTF-16.
const UTF_16_MARK: u64 = 2;

impl Part {
    /// The part at `path` below `folder`; a packed one, and one in another encoding than UTF-8, is read into a temporary file,
    /// and takes its bytes from `left`, which it may not exceed.
    pub(super) fn open(
        folder: &Path,
        path: &str,
        partitions: Map<String, Json>,
        Reading { separation, encoding }: Reading,
        left: &mut u64,
    ) -> Result<Part, DatasetError> {
        let file = folder.join(path);
        let fault = |code, message: String| DatasetError::new(code, shown(&file), message);
        let mut content = open(folder, path)?;
        // Spreadsheets write UTF-16 with its mark, with which no text in UTF-8 begins.
        let mut first = Vec::new();
        let read = content.by_ref().take(UTF_16_MARK).read_to_end(&mut first);
        read.map_err(|error| DatasetError::unread(Code::Upstream, shown(&file), &error))?;
        let marked = Encoding::for_bom(&first).map(|(encoding, _)| encoding);
        let plain = path.strip_suffix(Compression::of_path(path).suffix()).unwrap_or(path);
        let by = match plain.rsplit('.').next().map(str::to_ascii_lowercase).as_deref() {
            Some("jsonl" | "ndjson" | "json") => None,
            Some("csv") => Some(separation.separator(b',', true)),
            // Spreadsheets quote, and call this a Unicode text. Who else writes tabs seldom quotes: a page's own quotes are text.
            Some("tsv" | "txt") if marked.is_some() => Some(separation.separator(b'\t', true)),
            Some("tsv") => Some(separation.separator(b'\t', false)),
            ending => {
                let text = if ending == Some("txt") { "; call a text with tabs between its values .tsv" } else { "" };
                let message = format!("is no table: expected .jsonl, .csv or .tsv, or those with .gz or .zst{text}");
                return Err(fault(Code::Upstream, message));
            }
        };
        let mut unpacked = None;
        let encoding = encoding.or(marked).filter(|encoding| *encoding != UTF_8);
        let mut content = first.as_slice().chain(content);
        if Compression::of_path(path) != Compression::None || encoding.is_some() {
            let mut copy = tempfile::NamedTempFile::new().map_err(|error| fault(Code::Write, no_copy(&error)))?;
            let copied = match encoding {
                Some(encoding) => decode(&mut content, encoding, &mut copy, left),
                None => unpack(&mut content, &mut copy, left),
            };
            copied.map_err(|(code, message)| fault(code, message))?;
            unpacked = Some(copy.into_temp_path());
        }
        let mut part = Part { file, partitions, form: Form::JsonLines, unpacked, counted: Mutex::default() };
        if let Some(by) = by {
            part.form = part.header(by)?;
        }
        Ok(part)
    }

    /// The file's name without its endings.
    pub(super) fn stem(&self) -> String {
        stem(&self.file)
    }

    fn fault(&self, code: Code, message: impl Into<String>) -> DatasetError {
        DatasetError::new(code, shown(&self.file), message)
    }

    /// What stands in the part from `offset` on.
    fn from(&self, offset: u64) -> Result<RegularFile, DatasetError> {
        let path = self.unpacked.as_deref().unwrap_or(&self.file);
        let open = || {
            let mut file = RegularFile::open(path)?;
            file.seek(SeekFrom::Start(offset))?;
            Ok(file)
        };
        open().map_err(|error: io::Error| DatasetError::unread(Code::Missing, shown(&self.file), &error))
    }

    /// The length of a byte order mark at the beginning.
    fn mark(&self) -> Result<u64, DatasetError> {
        let mut first = [0; MARK.len()];
        let has_mark = self.from(0)?.read_exact(&mut first).is_ok() && first == MARK;
        Ok(if has_mark { MARK.len() as u64 } else { 0 })
    }

    /// The header of a part with `by` between its values.
    fn header(&self, by: Separator) -> Result<Form, DatasetError> {
        let mark = self.mark()?;
        let mut values = Values::new(self.from(mark)?, mark, by).checked();
        let fault = |message: &str| self.fault(Code::Upstream, message).at_line(1);
        let mut record = ByteRecord::new();
        if !values.next(&mut record).map_err(|told| self.told(&told, mark))? {
            return Err(fault("expected a header"));
        }
        let names = record.iter().map(|name| std::str::from_utf8(name).map(str::to_owned));
        let header: Vec<String> =
            names.collect::<Result<_, _>>().map_err(|_| fault(&format!("the header {NOT_UTF_8}")))?;
        let mut seen = HashSet::new();
        if let Some(twice) = header.iter().find(|name| !seen.insert(*name)) {
            return Err(fault(&format!("the header names the column `{}` twice", one_line(twice))));
        }
        Ok(Form::Separated { by, begin: values.offset(), header })
    }

    /// Hands each row to `take`, or the fault of the row instead, whose page is left out then. An error of `take` ends it.
    ///
    /// # Errors
    /// [`DatasetError`]: as `take`; or the part cannot be read to its end.
    pub(super) fn for_each(
        &self,
        take: impl FnMut(Result<Row, DatasetError>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        match &self.form {
            Form::JsonLines => self.for_each_line(take),
            Form::Separated { by, header, begin } => self.for_each_record(*by, header, *begin, take),
        }
    }

    fn for_each_line(
        &self,
        mut take: impl FnMut(Result<Row, DatasetError>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let (mut offset, mut number) = (self.mark()?, 0);
        let mut lines = BufReader::new(self.from(offset)?);
        while let Some(raw) = self.next_line(&mut lines, offset)? {
            let begin = offset;
            offset += raw.len() as u64;
            if raw.trim_ascii().is_empty() {
                continue;
            }
            number += 1;
            let is_cut = raw.len() as u64 > MAX_LINE_BYTES;
            take(self.object(raw, number, begin))?;
            if is_cut {
                offset += lines.skip_until(b'\n').map_err(|error| self.unreadable(&error, begin))? as u64;
            }
        }
        Ok(())
    }

    fn for_each_record(
        &self,
        by: Separator,
        header: &[String],
        begin: u64,
        mut take: impl FnMut(Result<Row, DatasetError>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let (mut record, mut number) = (ByteRecord::new(), 0);
        let mut values = Values::new(self.from(begin)?, begin, by).checked();
        loop {
            let offset = values.offset();
            if !values.next(&mut record).map_err(|told| self.told(&told, offset))? {
                return Ok(());
            }
            number += 1;
            take(self.named(header, &record, number, offset))?;
        }
    }

    /// The row that begins at `offset`; `None` where nothing does any more.
    pub(super) fn row_at(&self, offset: u64, number: u32) -> Result<Option<Row>, DatasetError> {
        match &self.form {
            Form::JsonLines => {
                let raw = self.next_line(&mut BufReader::new(self.from(offset)?), offset)?;
                raw.map(|raw| self.object(raw, number, offset)).transpose()
            }
            Form::Separated { by, header, .. } => {
                let mut record = ByteRecord::new();
                let mut values = Values::new(self.from(offset)?, offset, *by);
                let there = values.next(&mut record).map_err(|told| self.told(&told, offset))?;
                there.then(|| self.named(header, &record, number, offset)).transpose()
            }
        }
    }

    /// The fault with the line of the row that begins at `offset`, if the part can still be read.
    pub(super) fn at(&self, fault: DatasetError, offset: u64) -> DatasetError {
        DatasetError { file: shown(&self.file), line: self.line_of(offset), ..fault }
    }

    fn line_of(&self, offset: u64) -> Option<usize> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if offset < counted.offset {
            *counted = Counted::default();
        }
        let mut before = BufReader::new(self.from(counted.offset).ok()?.take(offset - counted.offset));
        let mut lines = counted.lines;
        while let length @ 1.. = before.fill_buf().ok()?.len() {
            lines += before.buffer().iter().filter(|&&byte| byte == b'\n').count();
            before.consume(length);
        }
        *counted = Counted { offset, lines };
        // The end of the line before, and blank lines, may still stand in front of the row.
        let blank = BufReader::new(self.from(offset).ok()?).bytes().map_while(Result::ok);
        let blank = blank.take_while(|byte| matches!(byte, b'\r' | b'\n')).filter(|&byte| byte == b'\n').count();
        Some(1 + lines + blank)
    }

    fn unreadable(&self, error: &io::Error, offset: u64) -> DatasetError {
        self.at(DatasetError::unread(Code::Upstream, shown(&self.file), error), offset)
    }

    /// The next line with its end, and of one that is too long no more than shows that; `None` at the end.
    fn next_line(&self, lines: &mut impl BufRead, offset: u64) -> Result<Option<Vec<u8>>, DatasetError> {
        let mut line = Vec::new();
        let length = lines
            .take(MAX_LINE_BYTES + 1)
            .read_until(b'\n', &mut line)
            .map_err(|error| self.unreadable(&error, offset))?;
        Ok((length > 0).then_some(line))
    }

    fn object(&self, raw: Vec<u8>, number: u32, offset: u64) -> Result<Row, DatasetError> {
        let at = |fault: DatasetError| self.at(fault, offset);
        if raw.len() as u64 > MAX_LINE_BYTES {
            return Err(at(self.fault(Code::Size, format!("the line has more than {MAX_LINE_BYTES} bytes"))));
        }
        let text = std::str::from_utf8(&raw).map_err(|_| at(self.fault(Code::Upstream, NOT_UTF_8)))?;
        let UniqueKeys(cells) = parse_line(&self.file, 0, text, "row of a table").map_err(at)?;
        Ok(Row { cells: cells.into_iter().collect(), number, offset, raw })
    }

    /// True if values may stand in quotes.
    fn has_quotes(&self) -> bool {
        matches!(self.form, Form::Separated { by: Separator { quotes: true, .. }, .. })
    }

    /// The row of values under a header; an empty value is none.
    fn named(&self, header: &[String], record: &ByteRecord, number: u32, offset: u64) -> Result<Row, DatasetError> {
        let fault = |message: String| self.at(self.fault(Code::Upstream, message), offset);
        if record.len() != header.len() {
            let why = match header {
                [first, ..] if first.starts_with(OF_SPREADSHEET) => NO_HEADER,
                [only] if only.contains([';', '\t', '|']) => {
                    "; if `;`, tabs or `|` part the values, say so with delimiter=semicolon, tab or bar"
                }
                // A line break within quotes ends such a row.
                _ if !self.has_quotes() => {
                    "; if values stand in quotes, save the table as .csv with commas (of a table of pages, `table:FILE,quotes=true` says so)"
                }
                _ => "",
            };
            let (values, names) = (counted(record.len(), "value"), header.len());
            return Err(fault(format!("the row has {values}, the header {names} names{why}")));
        }
        let mut cells = Map::new();
        for (name, value) in header.iter().zip(record) {
            let text = std::str::from_utf8(value).map_err(|_| fault(format!("the column `{name}` {NOT_UTF_8}")))?;
            cells.insert(name.clone(), if text.is_empty() { Json::Null } else { Json::from(text) });
        }
        let mut raw = record.as_slice().to_vec();
        raw.extend(record.iter().flat_map(|value| value.len().to_le_bytes()));
        Ok(Row { cells, number, offset, raw })
    }

    /// What is wrong with the values of the row that begins at `offset`.
    fn told(&self, fault: &csv::Error, offset: u64) -> DatasetError {
        if let csv::ErrorKind::Io(error) = fault.kind()
            && let Some(damaged) = error.get_ref().and_then(|inner| inner.downcast_ref::<Damaged>())
        {
            return self.at(self.fault(Code::Upstream, damaged.to_string()), damaged.row);
        }
        let fault = match fault.kind() {
            csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => self
                .fault(Code::Size, format!("a row has more than {MAX_LINE_BYTES} bytes, perhaps for want of a quote")),
            csv::ErrorKind::Io(error) => DatasetError::unread(Code::Upstream, shown(&self.file), error),
            _ => self.fault(Code::Upstream, format!("cannot be read: {fault}")),
        };
        self.at(fault, offset)
    }
}

/// The name of a table's file without its endings.
pub(in crate::datasets::import) fn stem(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split('.').next().unwrap_or(&name).to_owned()
}

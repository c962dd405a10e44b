//! Rows, batch by batch.

use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType, Int96};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::Length;
use parquet::file::serialized_reader::SerializedPageReader;

use crate::columns::{Column, Kind};
use crate::dates::{date, time};
use crate::fault::{Fault, caught};
use crate::file::ParquetFile;
use crate::source::Chunks;

/// A batch has at most so many rows.
pub const MOST_BATCH_ROWS: usize = 64;

/// A batch ends behind the row with which its texts and bytes are as many.
pub const MOST_BATCH_BYTES: usize = 32 << 20;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// There is none.
    Null,
    /// A text or bytes, which share memory with the page of the file in which they stand.
    Bytes(ByteArray),
    /// A date or a time (RFC 3339).
    Date(String),
    /// A whole number.
    Integer(i64),
    /// A whole number that is not negative.
    Unsigned(u64),
    /// A number with a fraction.
    Float(f64),
    /// Yes or no.
    Flag(bool),
}

impl Cell {
    /// Its bytes, if it has some.
    pub fn bytes(&self) -> Option<&[u8]> {
        if let Cell::Bytes(bytes) = self { Some(bytes.data()) } else { None }
    }
}

/// Rows that stand one behind the other in one row group.
#[derive(Debug)]
pub struct Batch {
    /// The number of the first in the file, from 0.
    pub first: u64,
    /// Their cells, in the order of the columns that were asked for.
    pub rows: Vec<Vec<Cell>>,
}

/// Reads some columns of a file, row by row.
pub struct Rows {
    file: Arc<ParquetFile>,
    chunks: Chunks,
    columns: Vec<Column>,
    /// The number of the next row.
    next: u64,
    group: Option<Group>,
}

/// A row group that is being read.
struct Group {
    number: usize,
    /// The number of the first row behind it.
    end: u64,
    readers: Vec<ColumnReader>,
}

impl Rows {
    /// The rows of `file` from the row `first` on, counted from 0.
    ///
    /// # Errors
    /// [`Fault`]: the file cannot be opened, or a column is of a kind that is not read.
    pub fn new(file: Arc<ParquetFile>, columns: &[Column], first: u64) -> Result<Self, Fault> {
        if let Some((name, what)) = columns.iter().find_map(|column| Some((&column.name, column.kind.unread()?))) {
            return Err(Fault::broken(format!("its column `{name}` is {what}, which is not read")));
        }
        let chunks = file.chunks()?;
        Ok(Rows { file, chunks, columns: columns.to_vec(), next: first, group: None })
    }

    /// The number of the next row, from 0.
    pub fn next_row(&self) -> u64 {
        self.next
    }

    /// The next rows, [`MOST_BATCH_ROWS`] at most; `None` behind the last.
    ///
    /// # Errors
    /// As [`Rows::next_batch_of`].
    pub fn next_batch(&mut self) -> Result<Option<Batch>, Fault> {
        self.next_batch_of(MOST_BATCH_ROWS)
    }

    /// The next rows, `most` at most, which is at least 1; `None` behind the last.
    ///
    /// # Errors
    /// [`Fault`]: the row group is damaged, or is not as the footer says. Rows before it were given.
    pub fn next_batch_of(&mut self, most: usize) -> Result<Option<Batch>, Fault> {
        let Some(number) = self.file.group_of(self.next) else { return Ok(None) };
        let mut group = match self.group.take().filter(|group| group.number == number) {
            Some(group) => group,
            None => self.open_group(number)?,
        };
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while self.next + (rows.len() as u64) < group.end && rows.len() < most && bytes < MOST_BATCH_BYTES {
            let row = self.row(&mut group)?;
            bytes += row.iter().filter_map(Cell::bytes).map(<[u8]>::len).sum::<usize>();
            rows.push(row);
        }
        let first = self.next;
        self.next += rows.len() as u64;
        self.group = Some(group);
        Ok(Some(Batch { first, rows }))
    }

    /// The row group `number`, at the next row.
    fn open_group(&self, number: usize) -> Result<Group, Fault> {
        let (start, end) = self.file.bounds(number);
        let mut readers = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let chunk = self.chunk(number, column)?;
            let skipped = (self.next - start) as usize;
            let reader = caught(|| {
                let rows = (end - start) as usize;
                let pages = SerializedPageReader::new(Arc::new(self.chunks.clone()), chunk, rows, None)?;
                let mut reader = get_column_reader(self.file.schema().column(column.leaf), Box::new(pages));
                let passed = pass(&mut reader, skipped)?;
                Ok((reader, passed))
            });
            match reader {
                Ok((reader, passed)) if passed == skipped => readers.push(reader),
                Ok((_, passed)) => return Err(self.short(number, column, passed as u64)),
                Err(error) => return Err(self.fault(number, column, &error)),
            }
        }
        Ok(Group { number, end, readers })
    }

    /// A column in a row group as the footer tells it, held against the length of the file.
    fn chunk(&self, number: usize, column: &Column) -> Result<&ColumnChunkMetaData, Fault> {
        let chunk = self.file.group(number).columns().get(column.leaf);
        let wrong = |told: &str| Fault::of_group(number, &format!("its footer {told} the column `{}`", column.name));
        let chunk = chunk.ok_or_else(|| wrong("does not have"))?;
        if chunk.file_path().is_some_and(|path| !path.is_empty()) {
            return Err(wrong("says that another file holds"));
        }
        let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
        let end = u64::try_from(start).ok().zip(u64::try_from(chunk.compressed_size()).ok());
        let end = end.and_then(|(start, length)| start.checked_add(length));
        match end.filter(|&end| end <= self.chunks.len()) {
            Some(_) => Ok(chunk),
            None => Err(wrong("names a place beyond the file for")),
        }
    }

    fn row(&self, group: &mut Group) -> Result<Vec<Cell>, Fault> {
        let mut row = Vec::with_capacity(self.columns.len());
        for (column, reader) in self.columns.iter().zip(&mut group.readers) {
            match caught(|| cell(reader, column.kind)) {
                Ok(Some(cell)) => row.push(cell),
                Ok(None) => {
                    let read = self.next - self.file.bounds(group.number).0;
                    return Err(self.short(group.number, column, read));
                }
                Err(error) => return Err(self.fault(group.number, column, &error)),
            }
        }
        Ok(row)
    }

    fn fault(&self, group: usize, column: &Column, error: &ParquetError) -> Fault {
        self.chunks.fault(error, |sentence| {
            Fault::of_group(group, &format!("its column `{}` cannot be read: {sentence}", column.name))
        })
    }

    /// That a column ends before its row group does.
    fn short(&self, group: usize, column: &Column, least: u64) -> Fault {
        let (start, end) = self.file.bounds(group);
        let sentence = format!(
            "its footer says that it has {} rows, and the column `{}` ends behind row {least} or some of the next",
            end - start,
            column.name
        );
        Fault::of_group(group, &sentence)
    }
}

impl Kind {
    /// The kind in words, if such values are not read.
    pub fn unread(self) -> Option<&'static str> {
        if let Kind::Other(what) = self { Some(what) } else { None }
    }
}

/// Passes over rows; gives the number of those that there were.
fn pass(reader: &mut ColumnReader, rows: usize) -> Result<usize, ParquetError> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::Int32ColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::Int64ColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::Int96ColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::FloatColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::DoubleColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::ByteArrayColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => reader.skip_records(rows),
    }
}

/// The next cell; `None` behind the last.
fn cell(reader: &mut ColumnReader, kind: Kind) -> Result<Option<Cell>, ParquetError> {
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => of(next(reader)?, |flag| Some(Cell::Flag(flag))),
        ColumnReader::Int32ColumnReader(reader) => of(next(reader)?, |number| match kind {
            Kind::Unsigned => Some(Cell::Unsigned(u64::from(number as u32))),
            _ => of_integer(number.into(), kind),
        }),
        ColumnReader::Int64ColumnReader(reader) => of(next(reader)?, |number| of_integer(number, kind)),
        ColumnReader::Int96ColumnReader(reader) => {
            of(next(reader)?, |units: Int96| time(units.to_millis(), 1_000).map(Cell::Date))
        }
        ColumnReader::FloatColumnReader(reader) => of(next(reader)?, |number| Some(Cell::Float(number.into()))),
        ColumnReader::DoubleColumnReader(reader) => of(next(reader)?, |number| Some(Cell::Float(number))),
        ColumnReader::ByteArrayColumnReader(reader) => of(next(reader)?, |bytes| Some(Cell::Bytes(bytes))),
        ColumnReader::FixedLenByteArrayColumnReader(_) => None,
    })
}

fn of_integer(number: i64, kind: Kind) -> Option<Cell> {
    match kind {
        Kind::Date => date(number).map(Cell::Date),
        Kind::Time(per_second) => time(number, per_second).map(Cell::Date),
        Kind::Unsigned => Some(Cell::Unsigned(number as u64)),
        _ => Some(Cell::Integer(number)),
    }
}

/// The cell of what was read; a date that no calendar has is none.
fn of<T>(read: Option<Option<T>>, cell: impl FnOnce(T) -> Option<Cell>) -> Option<Cell> {
    Some(read?.and_then(cell).unwrap_or(Cell::Null))
}

/// The next value, which may be null; `None` behind the last.
fn next<T: DataType>(reader: &mut ColumnReaderImpl<T>) -> Result<Option<Option<T::T>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (records, ..) = reader.read_records(1, Some(&mut levels), None, &mut values)?;
    Ok((records > 0).then(|| values.pop()))
}

//! Tables that are written.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

/// A row group has so many rows.
pub const GROUP_ROWS: usize = 131_072;

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Characters.
    Text,
    /// Bytes.
    Binary,
    /// Whole numbers of 64 bits.
    Integer,
}

/// A value that is written.
#[derive(Clone, Copy, Debug)]
pub enum Value<'v> {
    /// None.
    Null,
    /// Characters.
    Text(&'v str),
    /// Bytes.
    Binary(&'v [u8]),
    /// A whole number.
    Integer(i64),
}

/// Writes a table row by row: dictionaries where they are shorter, zstd, [`GROUP_ROWS`] rows per row group. Rows that are not yet a
/// whole row group are in memory.
pub struct TableWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
    group_rows: usize,
}

/// The values of a column that are not yet written.
struct Column {
    /// For each row 1 if it has a value, else 0.
    levels: Vec<i16>,
    values: Values,
}

enum Values {
    Bytes(Vec<ByteArray>),
    Integers(Vec<i64>),
}

impl<W: Write + Send> TableWriter<W> {
    /// A table of these columns, which is written to `to`.
    ///
    /// # Errors
    /// [`io::Error`]: nothing can be written.
    pub fn new(to: W, columns: &[(&str, Form)]) -> io::Result<Self> {
        let fields = columns.iter().map(|(name, form)| field(name, *form).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>().map_err(of_writer)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(of_writer)?;
        let level = ZstdLevel::try_new(3).map_err(of_writer)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by("carat".to_owned())
            .build();
        let writer = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties)).map_err(of_writer)?;
        let columns = columns.iter().map(|(_, form)| Column::new(*form)).collect();
        Ok(TableWriter { writer, columns, rows: 0, group_rows: GROUP_ROWS })
    }

    /// The same with so many rows per row group, at least one.
    pub fn with_group_rows(self, rows: usize) -> Self {
        TableWriter { group_rows: rows.max(1), ..self }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`io::Error`]: the row has more or fewer values than there are columns, or one of another form; or a row group cannot be
    /// written.
    pub fn add(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        let is_whole = row.len() == self.columns.len();
        if !is_whole || !self.columns.iter_mut().zip(row).all(|(column, value)| column.add(*value)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the row is not one of this table"));
        }
        self.rows += 1;
        if self.rows >= self.group_rows { self.write_group() } else { Ok(()) }
    }

    /// Writes the rest, and gives back what the table was written to.
    ///
    /// # Errors
    /// [`io::Error`]: it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.writer.into_inner().map_err(of_writer)
    }

    fn write_group(&mut self) -> io::Result<()> {
        self.rows = 0;
        let mut group = self.writer.next_row_group().map_err(of_writer)?;
        self.columns.iter_mut().try_for_each(|column| column.write(&mut group)).map_err(of_writer)?;
        group.close().map(drop).map_err(of_writer)
    }
}

impl Column {
    fn new(form: Form) -> Self {
        let values = match form {
            Form::Text | Form::Binary => Values::Bytes(Vec::new()),
            Form::Integer => Values::Integers(Vec::new()),
        };
        Column { levels: Vec::new(), values }
    }

    /// Adds a value; `false` where it is of another form.
    fn add(&mut self, value: Value<'_>) -> bool {
        let is_there = match (&mut self.values, value) {
            (_, Value::Null) => false,
            (Values::Integers(values), Value::Integer(value)) => {
                values.push(value);
                true
            }
            (Values::Bytes(values), Value::Text(text)) => {
                add_bytes(values, text.as_bytes());
                true
            }
            (Values::Bytes(values), Value::Binary(bytes)) => {
                add_bytes(values, bytes);
                true
            }
            _ => return false,
        };
        self.levels.push(is_there.into());
        true
    }

    fn write<W: Write + Send>(&mut self, group: &mut SerializedRowGroupWriter<'_, W>) -> Result<(), ParquetError> {
        let none_left = || ParquetError::General("the row group has fewer columns than the table".to_owned());
        let mut writer = group.next_column()?.ok_or_else(none_left)?;
        match &mut self.values {
            Values::Bytes(values) => {
                writer.typed::<ByteArrayType>().write_batch(values, Some(&self.levels), None)?;
                values.clear();
            }
            Values::Integers(values) => {
                writer.typed::<Int64Type>().write_batch(values, Some(&self.levels), None)?;
                values.clear();
            }
        }
        self.levels.clear();
        writer.close()
    }
}

/// Adds bytes; those of neighbouring rows are mostly equal, and stand in memory once.
fn add_bytes(values: &mut Vec<ByteArray>, bytes: &[u8]) {
    let value = match values.last().filter(|last| last.data() == bytes) {
        Some(last) => last.clone(),
        None => ByteArray::from(bytes.to_vec()),
    };
    values.push(value);
}

fn field(name: &str, form: Form) -> Result<Type, ParquetError> {
    let (physical, logical) = match form {
        Form::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Form::Binary => (Physical::BYTE_ARRAY, None),
        Form::Integer => (Physical::INT64, None),
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    builder.with_logical_type(logical).build()
}

fn of_writer(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

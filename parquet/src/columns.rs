//! The columns of a file, and the meaning of their values.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, with dots between those of the groups in which it stands and its own.
    pub name: String,
    /// The kind of its values.
    pub kind: Kind,
    /// Its number among the columns of the file.
    pub(crate) leaf: usize,
}

/// The kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Characters in UTF-8, which is not checked.
    Text,
    /// Bytes.
    Binary,
    /// Whole numbers.
    Integer,
    /// Whole numbers that are never negative.
    Unsigned,
    /// Numbers with fractions.
    Float,
    /// Yes or no.
    Flag,
    /// Days since 1970-01-01.
    Date,
    /// Times since 1970-01-01T00:00:00Z, in so many units per second.
    Time(i64),
    /// A kind that is not read, such as lists: in words.
    Other(&'static str),
}

/// The kind of a list, or of what stands in one.
const LIST: Kind = Kind::Other("a list");

/// The kind of a group, which has columns in place of values.
const GROUP: Kind = Kind::Other("a group of columns");

impl Column {
    /// The column of that name: of the whole name at the top, or of names with dots between.
    pub(crate) fn find(schema: &SchemaDescriptor, name: &str) -> Option<Column> {
        let named = |leaf: usize| Column { name: name.to_owned(), kind: kind(&schema.column(leaf)), leaf };
        let mut leaves = 0..schema.num_columns();
        let parts = |leaf: usize| schema.columns()[leaf].path().parts();
        let is_it = |&leaf: &usize| matches!(parts(leaf), [only] if only == name);
        if let Some(leaf) =
            leaves.clone().find(is_it).or_else(|| leaves.clone().find(|&leaf| parts(leaf).join(".") == name))
        {
            return Some(named(leaf));
        }
        // Not a column but a group of some.
        let begins = |&leaf: &usize| {
            let path = schema.columns()[leaf].path().parts();
            (1..path.len()).any(|length| path[..length].join(".") == name)
        };
        let leaf = leaves.find(begins)?;
        let kind = if schema.columns()[leaf].max_rep_level() > 0 { LIST } else { GROUP };
        Some(Column { name: name.to_owned(), kind, leaf })
    }
}

fn kind(column: &ColumnDescriptor) -> Kind {
    if column.max_rep_level() > 0 {
        return LIST;
    }
    let (logical, converted) = (column.logical_type_ref(), column.converted_type());
    match column.physical_type() {
        Physical::BYTE_ARRAY => of_bytes(logical, converted),
        Physical::INT32 | Physical::INT64 => of_integer(logical, converted),
        // Older Spark and Impala.
        Physical::INT96 => Kind::Time(1_000),
        Physical::FLOAT | Physical::DOUBLE => Kind::Float,
        Physical::BOOLEAN => Kind::Flag,
        Physical::FIXED_LEN_BYTE_ARRAY => Kind::Other("of bytes of one length"),
    }
}

fn of_bytes(logical: Option<&LogicalType>, converted: ConvertedType) -> Kind {
    match (logical, converted) {
        (Some(LogicalType::String | LogicalType::Enum | LogicalType::Json), _)
        | (None, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON) => Kind::Text,
        (Some(LogicalType::Decimal(_)), _) | (None, ConvertedType::DECIMAL) => DECIMAL,
        _ => Kind::Binary,
    }
}

fn of_integer(logical: Option<&LogicalType>, converted: ConvertedType) -> Kind {
    match (logical, converted) {
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Kind::Date,
        (Some(LogicalType::Timestamp(time)), _) => Kind::Time(match time.unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        }),
        (None, ConvertedType::TIMESTAMP_MILLIS) => Kind::Time(1_000),
        (None, ConvertedType::TIMESTAMP_MICROS) => Kind::Time(1_000_000),
        (Some(LogicalType::Decimal(_)), _) | (None, ConvertedType::DECIMAL) => DECIMAL,
        (Some(LogicalType::Time(_)), _) | (None, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS) => {
            Kind::Other("a time of day")
        }
        (Some(LogicalType::Integer(integer)), _) if !integer.is_signed => Kind::Unsigned,
        (None, ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64) => {
            Kind::Unsigned
        }
        _ => Kind::Integer,
    }
}

/// The kind of numbers with a fixed number of digits behind the point.
const DECIMAL: Kind = Kind::Other("a decimal number");

//! Parquet files: some of their columns row by row, from any row on, and tables that are written.
//!
//! [`ParquetFile`] knows the columns of a file, and [`Rows`] reads them. Layouts of Arrow (large texts, views, dictionaries)
//! are layouts in memory: in the file all are texts or bytes, so they need no code here. Files are hostile: what a footer says is
//! held against the file, and a panic of the decoder is a fault of the file.

mod columns;
mod dates;
mod fault;
mod file;
mod rows;
mod source;
mod table;
#[cfg(test)]
mod tests;

pub use self::columns::{Column, Kind};
pub use self::fault::Fault;
pub use self::file::ParquetFile;
pub use self::rows::{Batch, Cell, MOST_BATCH_BYTES, MOST_BATCH_ROWS, Rows};
pub use self::source::{Open, Source};
pub use self::table::{Form, GROUP_ROWS, TableWriter, Value};

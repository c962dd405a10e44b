//! A file: its footer, held against its length.

use std::fmt;
use std::io::Read;

use parquet::errors::ParquetError;
use parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetStatisticsPolicy,
    RowGroupMetaData,
};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::SchemaDescriptor;

use crate::columns::Column;
use crate::fault::{Fault, caught};
use crate::source::{Chunks, Open};

/// A Parquet file. It holds the footer alone; the file itself is opened again by whoever reads rows.
pub struct ParquetFile {
    open: Open,
    metadata: ParquetMetaData,
    /// The number of rows before each row group, and that of all rows.
    starts: Vec<u64>,
}

impl fmt::Debug for ParquetFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetFile").field("starts", &self.starts).finish_non_exhaustive()
    }
}

/// The mark at both ends of a file.
const MARK: &[u8; 4] = b"PAR1";

/// The same where the footer is encrypted.
const ENCRYPTED: &[u8; 4] = b"PARE";

impl ParquetFile {
    /// Reads the footer of the file that `open` opens.
    ///
    /// # Errors
    /// [`Fault`]: it is no Parquet file, is cut, is encrypted, or its footer is not as it should be.
    pub fn open(open: Open) -> Result<Self, Fault> {
        let chunks = Chunks::open(&open)?;
        check_marks(&chunks)?;
        // Nothing here asks for statistics, and files of many columns have more of them than of all else.
        let options = ParquetMetaDataOptions::new()
            .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll);
        let reader = ParquetMetaDataReader::new()
            .with_page_index_policy(PageIndexPolicy::Skip)
            .with_metadata_options(Some(options));
        let metadata = caught(|| reader.parse_and_finish(&chunks)).map_err(|error| {
            chunks.fault(&error, |sentence| Fault::broken(format!("its footer cannot be read: {sentence}")))
        })?;
        let starts = starts(&metadata)?;
        Ok(ParquetFile { open, metadata, starts })
    }

    /// The number of its rows, as the footer has it.
    pub fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The row group of the row `row`, counted from 0; `None` behind the last row.
    pub fn group_of(&self, row: u64) -> Option<usize> {
        (row < self.rows()).then(|| self.starts.partition_point(|&start| start <= row) - 1)
    }

    /// The number of the first row of group `group`, and of the first behind it.
    pub(crate) fn bounds(&self, group: usize) -> (u64, u64) {
        (self.starts[group], self.starts[group + 1])
    }

    /// The column of that name, which may be nested: `meta.language`.
    pub fn column(&self, name: &str) -> Option<Column> {
        Column::find(self.schema(), name)
    }

    /// The names of its columns, those of groups with dots between.
    pub fn column_names(&self) -> impl Iterator<Item = String> {
        self.schema().columns().iter().map(|column| column.path().string())
    }

    pub(crate) fn schema(&self) -> &SchemaDescriptor {
        self.metadata.file_metadata().schema_descr()
    }

    pub(crate) fn group(&self, group: usize) -> &RowGroupMetaData {
        self.metadata.row_group(group)
    }

    pub(crate) fn chunks(&self) -> Result<Chunks, Fault> {
        Chunks::open(&self.open)
    }
}

fn check_marks(chunks: &Chunks) -> Result<(), Fault> {
    let ends = || {
        let mut begin = [0; MARK.len()];
        chunks.get_read(0)?.read_exact(&mut begin)?;
        Ok::<_, ParquetError>((begin, chunks.get_bytes(chunks.len() - MARK.len() as u64, MARK.len())?))
    };
    if chunks.len() < 3 * MARK.len() as u64 {
        return Err(Fault::broken("is no Parquet file: it has too few bytes"));
    }
    let (begin, end) = ends().map_err(|error| chunks.fault(&error, Fault::broken))?;
    match (&begin, &*end) {
        (_, end) if end == ENCRYPTED => Err(Fault::broken("is encrypted; only files that are not are read")),
        (begin, end) if begin == MARK && end == MARK => Ok(()),
        (begin, _) if begin == MARK => {
            Err(Fault::broken("is cut: it begins as a Parquet file and does not end as one"))
        }
        _ => Err(Fault::broken("is no Parquet file: it does not begin with PAR1")),
    }
}

/// The number of rows before each row group, and of all.
fn starts(metadata: &ParquetMetaData) -> Result<Vec<u64>, Fault> {
    let mut starts = vec![0_u64];
    for (number, group) in metadata.row_groups().iter().enumerate() {
        let rows = group.num_rows();
        let end = u64::try_from(rows).ok().and_then(|rows| starts[number].checked_add(rows));
        let end = end.ok_or_else(|| Fault::of_group(number, &format!("its footer says that it has {rows} rows")))?;
        starts.push(end);
    }
    Ok(starts)
}

//! `scores.parquet`: what is in `scores.csv`, with exact scores, as a Parquet file. Written and read with the feature `parquet`
//! alone; without it a run folder that has no `scores.csv` is refused in one sentence.

use std::path::Path;

use super::folder_error::FolderError;
use crate::formats::files::FileError;
use crate::scoring::{Counts, Score};
use crate::text::marks::Marks;

/// The name of the file in a run folder.
pub(crate) const NAME: &str = "scores.parquet";

/// The files into which a run writes the scores of pages; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScoreFiles {
    /// `scores.csv`.
    pub(crate) csv: bool,
    /// `scores.parquet`.
    pub(crate) parquet: bool,
}

impl Default for ScoreFiles {
    fn default() -> Self {
        ScoreFiles { csv: true, parquet: false }
    }
}

impl ScoreFiles {
    /// Those that a run has: `has` tells it of a name.
    pub(crate) fn of(has: impl Fn(&str) -> bool) -> Self {
        ScoreFiles { csv: has("scores.csv"), parquet: has(NAME) }
    }

    /// True if none of these lacks in `other`.
    pub(crate) fn are_in(self, other: ScoreFiles) -> bool {
        self.csv <= other.csv && self.parquet <= other.parquet
    }
}

/// A row's result on a page, to be written.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(super) struct ScoreRow<'r> {
    /// Dataset, page, site, language, kind, algorithm, parameters, status.
    pub(super) words: [&'r str; 8],
    /// `None` where nothing was scored.
    pub(super) score: Option<(Counts, Score)>,
    /// The digest of the extraction in hexadecimal; empty where there is none.
    pub(super) text: &'r str,
    /// `None` where there is no extraction.
    pub(super) marks: Option<Marks>,
}

/// The same, read back. Scores are those of the counts, so they are exact.
pub(super) struct ReadRow {
    pub(super) words: [String; 8],
    pub(super) counts: Option<Counts>,
    pub(super) text: String,
    pub(super) marks: Marks,
}

/// The file while it is written; nothing where it is not wanted.
pub(super) struct ScoreTable(#[cfg(feature = "parquet")] Option<with_parquet::Writer>);

#[cfg(feature = "parquet")]
pub(super) use with_parquet::{for_each, same_rows};

#[cfg(not(feature = "parquet"))]
impl ScoreTable {
    pub(super) fn new(_: &Path, _: ScoreFiles) -> Result<Self, FileError> {
        Ok(ScoreTable())
    }

    pub(super) fn add(&mut self, _: &ScoreRow<'_>) -> Result<(), FileError> {
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), FileError> {
        Ok(())
    }
}

/// Refuses a run whose scores are in Parquet alone.
#[cfg(not(feature = "parquet"))]
pub(super) fn for_each(path: &Path, _: impl FnMut(ReadRow)) -> Result<(), FolderError> {
    Err(left_out(path))
}

/// Refuses to compare what cannot be read.
#[cfg(not(feature = "parquet"))]
pub(super) fn same_rows(one: &Path, _: &Path) -> Result<bool, FolderError> {
    Err(left_out(one))
}

#[cfg(not(feature = "parquet"))]
fn left_out(path: &Path) -> FolderError {
    let message = crate::datasets::import::WITHOUT_PARQUET.to_owned();
    FolderError::Content { path: path.to_owned(), message }
}

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::path::PathBuf;
    use std::sync::Arc;

    use carat_parquet::{Batch, Cell, Fault, Form, ParquetFile, Rows, Source, TableWriter, Value};

    use super::*;
    use crate::formats::digest::hex;
    use crate::formats::files::{AtomicFile, unwritten};
    use crate::formats::reading::{RegularFile, unread};

    /// The columns of words, then those of numbers, the text's digest, and numbers again.
    const WORDS: [&str; 8] = ["dataset", "page", "site", "language", "kind", "algorithm", "parameters", "status"];
    const COUNTS: [&str; 6] = ["matched", "extracted", "gold", "precision_e12", "recall_e12", "f1_e12"];
    const TEXT: &str = "text";
    const MARKS: [&str; 3] = ["gaps", "unseen", "markup"];

    fn columns() -> Vec<(&'static str, Form)> {
        let of = |form: Form| move |name: &'static str| (name, form);
        let counts = COUNTS.map(of(Form::Integer)).into_iter();
        WORDS
            .map(of(Form::Text))
            .into_iter()
            .chain(counts)
            .chain([(TEXT, Form::Binary)])
            .chain(MARKS.map(of(Form::Integer)))
            .collect()
    }

    pub(super) struct Writer {
        table: TableWriter<AtomicFile>,
        path: PathBuf,
    }

    impl ScoreTable {
        /// The table in `folder`, if it is wanted.
        pub(in crate::runs) fn new(folder: &Path, wanted: ScoreFiles) -> Result<Self, FileError> {
            if !wanted.parquet {
                return Ok(ScoreTable(None));
            }
            let path = folder.join(NAME);
            let table =
                TableWriter::new(AtomicFile::new(&path)?, &columns()).map_err(|error| unwritten(&path, error))?;
            Ok(ScoreTable(Some(Writer { table, path })))
        }

        /// Adds a row.
        pub(in crate::runs) fn add(&mut self, row: &ScoreRow<'_>) -> Result<(), FileError> {
            let Some(Writer { table, path }) = &mut self.0 else { return Ok(()) };
            let integer = |number: Option<u64>| number.map_or(Value::Null, |number| Value::Integer(number as i64));
            let numbers = row.score.map(|(Counts { matched, extracted, gold }, score)| {
                let [precision, recall, f1] = score.values();
                [matched, extracted, gold, precision, recall, f1]
            });
            let marks = row.marks.map(|Marks { gaps, unseen, markup }| [gaps, unseen, markup]);
            let text = bytes_of(row.text);
            let mut values: Vec<Value<'_>> = row.words.iter().map(|word| Value::Text(word)).collect();
            values.extend((0..COUNTS.len()).map(|place| integer(numbers.map(|numbers| numbers[place]))));
            values.push(text.as_deref().map_or(Value::Null, Value::Binary));
            values.extend((0..MARKS.len()).map(|place| integer(marks.map(|marks| marks[place]))));
            table.add(&values).map_err(|error| unwritten(path, error))
        }

        /// Puts the table in its place.
        pub(in crate::runs) fn finish(self) -> Result<(), FileError> {
            let Some(Writer { table, path }) = self.0 else { return Ok(()) };
            table.finish().map_err(|error| unwritten(&path, error))?.finish()
        }
    }

    /// The bytes of a digest in hexadecimal; `None` of none.
    fn bytes_of(digest: &str) -> Option<Vec<u8>> {
        let pairs = digest.as_bytes().chunks_exact(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        pairs.map(byte).collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty())
    }

    /// Hands each row of the table at `path` to `take`.
    pub(in crate::runs) fn for_each(path: &Path, mut take: impl FnMut(ReadRow)) -> Result<(), FolderError> {
        each_batch(path, |batch| {
            for (number, cells) in (batch.first + 1..).zip(&batch.rows) {
                let wrong = || Fault::Broken(format!("row {number} has values that no run writes"));
                take(row_of(cells).ok_or_else(|| told(path, wrong()))?);
            }
            Ok(())
        })
    }

    /// True if two tables have the same rows; their bytes may differ.
    pub(in crate::runs) fn same_rows(one: &Path, other: &Path) -> Result<bool, FolderError> {
        let mut rows = reader(other)?;
        let mut is_same = true;
        each_batch(one, |batch| {
            let next = rows.next_batch().map_err(|fault| told(other, fault))?;
            is_same &= next.is_some_and(|next| next.rows == batch.rows);
            Ok(())
        })?;
        Ok(is_same && rows.next_batch().map_err(|fault| told(other, fault))?.is_none())
    }

    fn each_batch(path: &Path, mut take: impl FnMut(&Batch) -> Result<(), FolderError>) -> Result<(), FolderError> {
        let mut rows = reader(path)?;
        while let Some(batch) = rows.next_batch().map_err(|fault| told(path, fault))? {
            take(&batch)?;
        }
        Ok(())
    }

    fn reader(path: &Path) -> Result<Rows, FolderError> {
        let opened = path.to_owned();
        let open = move || RegularFile::open(&opened).map(|file| Box::new(file) as Box<dyn Source>);
        let read = || {
            let table = Arc::new(ParquetFile::open(Box::new(open))?);
            let found = columns()
                .into_iter()
                .map(|(name, _)| table.column(name).ok_or_else(|| Fault::Broken(format!("it has no column `{name}`"))));
            let found = found.collect::<Result<Vec<_>, Fault>>()?;
            Rows::new(table, &found, 0)
        };
        read().map_err(|fault| told(path, fault))
    }

    fn told(path: &Path, fault: Fault) -> FolderError {
        match fault {
            Fault::Broken(message) => {
                FolderError::Content { path: path.to_owned(), message: format!("is not from a run: {message}") }
            }
            Fault::System(error) => unread(path, error).into(),
        }
    }

    /// A row read back; `None` where a cell is of another form, or counts are no counts.
    fn row_of(cells: &[Cell]) -> Option<ReadRow> {
        let (words, numbers) = cells.split_at_checked(WORDS.len())?;
        let (numbers, text) = numbers.split_at_checked(COUNTS.len())?;
        let word = |cell: &Cell| String::from_utf8(cell.bytes()?.to_vec()).ok();
        let words = words.iter().map(word).collect::<Option<Vec<String>>>()?.try_into().ok()?;
        let [text, marks @ ..] = text else { return None };
        let counts = match numbers_of::<6>(numbers)? {
            None => None,
            Some([matched, extracted, gold, ..]) => Some(Counts::new(matched, extracted, gold)?),
        };
        let [gaps, unseen, markup] = numbers_of::<3>(marks)?.unwrap_or_default();
        let marks = Marks { gaps, unseen, markup };
        let text = match text {
            Cell::Null => String::new(),
            other => hex(other.bytes()?),
        };
        Some(ReadRow { words, counts, text, marks })
    }

    /// Numbers that are all there; `Some(None)` where none is.
    fn numbers_of<const N: usize>(cells: &[Cell]) -> Option<Option<[u64; N]>> {
        if cells.iter().all(|cell| *cell == Cell::Null) {
            return Some(None);
        }
        let number = |cell: &Cell| if let Cell::Integer(number) = cell { u64::try_from(*number).ok() } else { None };
        Some(Some(cells.iter().map(number).collect::<Option<Vec<u64>>>()?.try_into().ok()?))
    }
}

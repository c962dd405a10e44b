//! The rows of a table, each of which is read again at its place: of a row 24 bytes are held, and nothing of what stands in it.

use std::path::Path;

use encoding_rs::Encoding;
use serde_json::{Map, Value as Json};

use super::rows::{Part, Reading, Row};
use super::unpacking::MAX_UNPACKED_BYTES;
use super::{PARTS, parts};
use crate::datasets::import::Options;
use crate::datasets::{DatasetError, hash, shown};
use crate::formats::code::Code;

/// The parts of a table.
#[derive(Debug)]
pub(in crate::datasets::import) struct PlacedRows(pub(super) Vec<Part>);

/// The place of a row in a table, and how to tell that it still is there. Places are in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::datasets) struct RowPlace {
    /// The part's number.
    part: u32,
    /// The row's number in the part, from 1.
    pub(in crate::datasets::import) number: u32,
    /// Where it begins in the part, in bytes.
    offset: u64,
    /// The hash of what it holds.
    hash: u64,
}

impl RowPlace {
    /// That of a row of the part `part`.
    pub(super) fn of(part: usize, row: &Row) -> Self {
        RowPlace { part: part as u32, number: row.number, offset: row.offset, hash: hash(&row.raw) }
    }
}

impl PlacedRows {
    /// Those of the table in `file`, which is in `encoding` or else in UTF-8.
    pub(in crate::datasets::import) fn open(
        file: &Path,
        encoding: Option<&'static Encoding>,
    ) -> Result<Self, DatasetError> {
        let (folder, names) = parts(file, &Options::default(), PARTS)?;
        let mut left = MAX_UNPACKED_BYTES;
        let reading = Reading { encoding, ..Reading::default() };
        let open = |name: &String| Part::open(&folder, name, Map::new(), reading, &mut left);
        Ok(PlacedRows(names.iter().map(open).collect::<Result<_, _>>()?))
    }

    /// Hands the cells of each row to `take`, with its place; what is wrong with a row is told with its line.
    pub(in crate::datasets::import) fn for_each(
        &self,
        mut take: impl FnMut(&Map<String, Json>, RowPlace) -> Result<(), (Code, String)>,
    ) -> Result<(), DatasetError> {
        self.0.iter().enumerate().try_for_each(|(number, part)| {
            part.for_each(|row| {
                let row = row?;
                let place = RowPlace::of(number, &row);
                take(&row.cells, place).map_err(|told| self.fault(place, told))
            })
        })
    }

    /// The cells of the row at `place`.
    pub(in crate::datasets::import) fn cells(&self, place: RowPlace) -> Result<Map<String, Json>, DatasetError> {
        Ok(self.row(place)?.1.cells)
    }

    /// The row at `place`, with its part.
    pub(super) fn row(&self, place: RowPlace) -> Result<(&Part, Row), DatasetError> {
        let part = self.part(place);
        let row = part.row_at(place.offset, place.number)?;
        let row = row.filter(|row| hash(&row.raw) == place.hash).ok_or_else(|| self.changed(place))?;
        Ok((part, row))
    }

    /// That another row is at `place`, or none.
    pub(in crate::datasets::import) fn changed(&self, place: RowPlace) -> DatasetError {
        let message = "the table was changed after it was loaded; the same command loads it again";
        self.fault(place, (Code::Digest, message.to_owned()))
    }

    /// The fault of the row at `place`.
    pub(in crate::datasets::import) fn fault(&self, place: RowPlace, (code, message): (Code, String)) -> DatasetError {
        self.located(place, DatasetError::new(code, shown(&self.part(place).file), message))
    }

    /// `fault` with the line of the row at `place`.
    pub(super) fn located(&self, place: RowPlace, fault: DatasetError) -> DatasetError {
        self.part(place).at(fault, place.offset)
    }

    fn part(&self, place: RowPlace) -> &Part {
        &self.0[place.part as usize]
    }
}

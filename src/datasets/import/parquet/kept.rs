//! The records of pages, kept in a temporary file: each is asked for many times, and to find it in its Parquet file again
//! takes a thousand times as long.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::datasets::DatasetError;
use crate::datasets::manifest::Record;
use crate::formats::code::Code;

/// The part of a page that is kept.
#[derive(Serialize)]
pub(super) struct Entry<'r> {
    /// SHA-256 of its bytes; `-` of a page that is too large.
    pub(super) digest: String,
    pub(super) record: &'r Record,
}

/// The same, read again.
#[derive(Deserialize)]
pub(super) struct KeptEntry {
    pub(super) digest: String,
    pub(super) record: Record,
}

/// The records take at most so many bytes, golds and all.
const MOST_BYTES: u64 = 4 << 30;

/// The file while it is written.
pub(super) struct Writing {
    file: BufWriter<File>,
    length: u64,
}

/// The file once it is whole.
#[derive(Debug)]
pub(super) struct Kept(Mutex<File>);

fn unwritten(error: &io::Error) -> DatasetError {
    let folder = std::env::temp_dir();
    DatasetError::new(Code::Write, folder.display(), format!("the records of pages cannot be kept here: {error}"))
}

impl Writing {
    pub(super) fn new() -> Result<Self, DatasetError> {
        let file = tempfile::tempfile().map_err(|error| unwritten(&error))?;
        Ok(Writing { file: BufWriter::new(file), length: 0 })
    }

    /// Adds an entry; gives its place.
    pub(super) fn add(&mut self, entry: &Entry<'_>) -> Result<u64, DatasetError> {
        let bytes = serde_json::to_vec(entry).expect("maps have string keys");
        let place = self.length;
        self.length += size_of::<u32>() as u64 + bytes.len() as u64;
        let length = u32::try_from(bytes.len()).ok().filter(|_| self.length <= MOST_BYTES).ok_or_else(|| {
            let message = format!(
                "golds, URLs and other words of these pages take more than {MOST_BYTES} bytes; read them in several datasets, with \
                 --set parts=GLOB"
            );
            DatasetError::new(Code::Size, std::env::temp_dir().display(), message)
        })?;
        let written = self.file.write_all(&length.to_le_bytes()).and_then(|()| self.file.write_all(&bytes));
        written.map_err(|error| unwritten(&error))?;
        Ok(place)
    }

    pub(super) fn finish(self) -> Result<Kept, DatasetError> {
        let file = self.file.into_inner().map_err(|error| unwritten(error.error()))?;
        Ok(Kept(Mutex::new(file)))
    }
}

impl Kept {
    /// The entry at `place`.
    pub(super) fn get(&self, place: u64) -> io::Result<KeptEntry> {
        let bytes = {
            let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let mut length = [0; size_of::<u32>()];
            file.seek(SeekFrom::Start(place))?;
            file.read_exact(&mut length)?;
            let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
            file.read_exact(&mut bytes)?;
            bytes
        };
        serde_json::from_slice(&bytes).map_err(io::Error::from)
    }
}

//! The bytes of a file, from any place on.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::fault::{Fault, sentence_of};

/// A file that is read, from any place on.
pub trait Source: Read + Seek + Send {}

impl<S: Read + Seek + Send> Source for S {}

/// Opens the file.
pub type Open = Box<dyn Fn() -> io::Result<Box<dyn Source>> + Send + Sync>;

/// An open file, shared by all that read of it.
#[derive(Clone)]
pub(crate) struct Chunks(Arc<Shared>);

struct Shared {
    file: Mutex<Box<dyn Source>>,
    length: u64,
    /// The words of the system, which decoders tell as if it were a fault of the file.
    of_system: Mutex<Option<io::Error>>,
}

impl Chunks {
    pub(crate) fn open(open: &Open) -> Result<Self, Fault> {
        let opened = || {
            let mut file = open()?;
            let length = file.seek(SeekFrom::End(0))?;
            Ok((file, length))
        };
        let (file, length) = opened().map_err(Fault::System)?;
        Ok(Chunks(Arc::new(Shared { file: Mutex::new(file), length, of_system: Mutex::default() })))
    }

    /// The fault behind an error of the decoder; `told` makes a sentence of what it says of the file.
    pub(crate) fn fault(&self, error: &ParquetError, told: impl FnOnce(String) -> Fault) -> Fault {
        match locked(&self.0.of_system).take() {
            Some(error) => Fault::System(error),
            None => told(sentence_of(error)),
        }
    }

    /// Fills `buffer` from `at` on as far as the system gives bytes at once; 0 at the end.
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = locked(&self.0.file);
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read(buffer));
        read.inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                let again = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
                *locked(&self.0.of_system) = Some(again);
            }
        })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes from a place on.
pub(crate) struct FromPlace {
    chunks: Chunks,
    at: u64,
}

impl Read for FromPlace {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.chunks.read_at(self.at, buffer)?;
        self.at += length as u64;
        Ok(length)
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.length
    }
}

/// Headers of pages have some fifty bytes.
const READ_AHEAD: usize = 512;

impl ChunkReader for Chunks {
    type T = BufReader<FromPlace>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::with_capacity(READ_AHEAD, FromPlace { chunks: self.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let cut = || ParquetError::EOF(format!("{length} bytes are expected at {start}, and the file ends before"));
        let end = start.checked_add(length as u64).filter(|&end| end <= self.0.length);
        end.ok_or_else(cut)?;
        let mut bytes = Vec::with_capacity(length);
        FromPlace { chunks: self.clone(), at: start }.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length { Ok(bytes.into()) } else { Err(cut()) }
    }
}

//! The faults that end the reading of a record.

use std::io::{self, ErrorKind};

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It is not as the standard describes it, or is damaged; a sentence. Records behind it can be read.
    #[error("{0}")]
    Broken(String),
    /// The system is in the way.
    #[error("{0}")]
    System(io::Error),
    /// The file to which a gzip member of many records is unpacked cannot be written.
    #[error("its unpacked copy cannot be written to the temporary folder: {0}")]
    Unwritten(io::Error),
    /// The gzip members of many records hold more bytes than may be unpacked.
    #[error("gzip members of many records hold more bytes than are unpacked at once; unpack the file first")]
    TooMuch,
}

impl Fault {
    /// A fault of the file, as a sentence.
    pub(crate) fn broken(sentence: impl Into<String>) -> Self {
        Fault::Broken(sentence.into())
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        // Decoders make errors of their own, of no number, about bytes.
        let is_of_system = error.raw_os_error().is_some() || error.kind() == ErrorKind::PermissionDenied;
        match error.kind() {
            _ if is_of_system => Fault::System(error),
            ErrorKind::UnexpectedEof => Fault::broken(CUT),
            _ => Fault::broken(format!("cannot be unpacked: {error}")),
        }
    }
}

/// Said of what ends before its end.
pub(crate) const CUT: &str = "ends before its end: the file is cut";

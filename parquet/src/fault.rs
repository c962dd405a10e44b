//! The faults that end the reading of a file.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::errors::ParquetError;

/// Why a file, or a row group of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The file is not as the format describes it, is damaged, or has what is not read; a sentence that names the row group.
    #[error("{0}")]
    Broken(String),
    /// The system is in the way.
    #[error("{0}")]
    System(io::Error),
}

impl Fault {
    /// A fault of the file, as a sentence.
    pub(crate) fn broken(sentence: impl Into<String>) -> Self {
        Fault::Broken(sentence.into())
    }

    /// The same of row group `group`, counted from 0 as other programs do.
    pub(crate) fn of_group(group: usize, sentence: &str) -> Self {
        Fault::Broken(format!("row group {group}: {sentence}"))
    }
}

/// The sentence of an error of the decoder, without the name of its kind.
pub(crate) fn sentence_of(error: &ParquetError) -> String {
    match error {
        ParquetError::General(sentence) | ParquetError::NYI(sentence) | ParquetError::EOF(sentence) => sentence.clone(),
        ParquetError::External(inner) => inner.to_string(),
        other => other.to_string(),
    }
}

/// The outcome of `work` of the decoder; a panic of it, which only bytes of the file can cause, is an error as others are.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(ParquetError::General(format!("the decoder gave up: {}", message(&*panic)))))
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given")
}

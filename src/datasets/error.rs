//! What is wrong with a dataset.

use crate::formats::code::Code;
use std::fmt;

use crate::formats::reading::is_of_system;

/// A fault of a dataset: ends the load before any work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct DatasetError {
    /// `E-…`, as the dataset format names it; `E-UNKNOWN` and `E-OPTION` where the request is wrong, not the data.
    pub code: Code,
    /// The file, as it can be opened.
    pub file: String,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// The page's id.
    pub page: Option<String>,
    /// What is wrong and what to do, in one sentence.
    pub message: String,
}

/// Why long work did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// Someone wanted it to end: nothing is wrong.
    #[error("interrupted")]
    Stopped,
    /// A dataset is wrong.
    #[error(transparent)]
    Fault(#[from] DatasetError),
}

impl Halt {
    /// The fault, of work that nobody could stop.
    pub fn of_unstopped(self) -> DatasetError {
        match self {
            Halt::Fault(fault) => fault,
            Halt::Stopped => DatasetError::new(Code::Io, "work", self.to_string()),
        }
    }
}

impl fmt::Display for DatasetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(page) = &self.page {
            write!(f, ": page `{page}`")?;
        }
        write!(f, ": {} ({})", self.message, self.code)
    }
}

impl DatasetError {
    /// A fault of `file` as a whole.
    pub fn new(code: Code, file: impl fmt::Display, message: impl Into<String>) -> Self {
        DatasetError { code, file: file.to_string(), line: None, page: None, message: message.into() }
    }

    /// That `file` cannot be read: of the code `E-IO` for an I/O or permission error, else of `code`.
    pub fn unread(code: Code, file: impl fmt::Display, error: &std::io::Error) -> Self {
        match is_of_system(error) {
            true => DatasetError::of_system(file, &error.to_string()),
            false => DatasetError::new(code, file, format!("cannot be read: {error}")),
        }
    }

    /// That `file` cannot be read for an I/O or permission error.
    pub(super) fn of_system(file: impl fmt::Display, error: &str) -> Self {
        let message = format!(
            "cannot be read: {error}; this is an I/O or permission error, so nothing was kept of this page: fix it and run \
             the same command again"
        );
        DatasetError::new(Code::Io, file, message)
    }

    /// Whether the system was in the way, and nothing is wrong with the data.
    pub fn is_of_system(&self) -> bool {
        self.code == Code::Io
    }

    /// The same, at a line.
    pub fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// The same, of a page.
    pub fn of_page(mut self, id: &str) -> Self {
        self.page = Some(id.to_owned());
        self
    }
}

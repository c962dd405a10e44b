//! What can be wrong with a run folder.

use std::path::PathBuf;

use crate::datasets::DatasetError;
use crate::formats::files::FileError;
use crate::formats::shell::shell_word;

/// A fault of a run folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that is not what it should be.
    #[error("{}: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, in one sentence.
        message: String,
    },
    /// A page list that cannot be read any more, or was changed.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// There is no run in the folder, or no folder.
    #[error("{} is no folder of a run", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds another run.
    #[error(
        "{} holds the run of another configuration: choose another folder with --out, such as --out {}, or replace that \
         run with --fresh",
        path.display(),
        shell_word(&format!("{}-2", path.display()))
    )]
    AnotherPlan {
        /// The folder.
        path: PathBuf,
    },
    /// Another program is at work in the folder.
    #[error("another carat is writing to {}; wait for it, or choose another folder", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
}

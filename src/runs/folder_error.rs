//! What can be wrong with a run folder.

use std::path::PathBuf;

use crate::datasets::DatasetError;
use crate::formats::files::FileError;

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
    /// The folder holds another run.
    #[error("{} holds the run of another configuration; choose another --out, or --fresh to replace it", path.display())]
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

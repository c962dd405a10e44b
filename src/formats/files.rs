//! Writing files whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{action} {}: {source}", path.display())]
pub struct FileError {
    /// What was tried, such as "cannot write".
    pub action: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Why it failed.
    pub source: io::Error,
}

/// Writes `bytes` to `path` by way of a file beside it, so that `path` is never half-written.
/// Missing folders are made.
///
/// # Errors
/// [`FileError`]; the file is then as it was before.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let write = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        // The system's temporary folder may be another file system, from which a rename fails.
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        readable_by_all(file.as_file())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|source| FileError { action: "cannot write", path: path.to_owned(), source })
}

/// Temporary files are private to their owner; results are not.
#[cfg(unix)]
fn readable_by_all(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}

/// Reads a whole file.
///
/// # Errors
/// [`FileError`].
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    std::fs::read(path).map_err(|source| FileError { action: "cannot read", path: path.to_owned(), source })
}

//! Writing files whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

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
    let mut file = AtomicFile::new(path)?;
    file.write_all(bytes).map_err(|source| unwritten(path, source))?;
    file.finish()
}

/// A file that is written piece by piece beside its place, and put there when it is finished.
pub struct AtomicFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl AtomicFile {
    /// Begins the file that will be at `path`. Missing folders are made.
    ///
    /// # Errors
    /// [`FileError`]: the folder cannot be made or written to.
    pub fn new(path: &Path) -> Result<Self, FileError> {
        let begin = || {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder)?;
            // The system's temporary folder may be another file system, from which a rename fails.
            tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)
        };
        let file = begin().map_err(|source| unwritten(path, source))?;
        Ok(AtomicFile { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Puts the file in its place, once its content is on the disk.
    ///
    /// # Errors
    /// [`FileError`]; what was at its place is still there.
    pub fn finish(self) -> Result<(), FileError> {
        self.put(true)
    }

    /// As [`AtomicFile::finish`], without waiting for the disk: it is whole if the program is killed; if
    /// the machine stops it may be damaged.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn finish_unsynced(self) -> Result<(), FileError> {
        self.put(false)
    }

    /// Leaves the whole file beside its place, to be put there together with others; `sync`: once its content is on the
    /// disk.
    ///
    /// # Errors
    /// [`FileError`]; what is at its place is still there.
    pub fn set_aside(self, sync: bool) -> Result<SetAside, FileError> {
        let AtomicFile { file, path } = self;
        let close = || {
            let file = file.into_inner().map_err(|error| error.into_error())?;
            if sync {
                file.as_file().sync_all()?;
            }
            readable_by_all(file.as_file())?;
            Ok(file.into_temp_path())
        };
        match close() {
            Ok(file) => Ok(SetAside { file, path }),
            Err(source) => Err(unwritten(&path, source)),
        }
    }

    fn put(self, sync: bool) -> Result<(), FileError> {
        self.set_aside(sync)?.put()
    }
}

/// A whole file beside its place; gone when dropped.
pub struct SetAside {
    file: TempPath,
    path: PathBuf,
}

impl SetAside {
    /// Puts the file in its place.
    ///
    /// # Errors
    /// [`FileError`]; what was at its place is still there.
    pub fn put(self) -> Result<(), FileError> {
        let SetAside { file, path } = self;
        file.persist(&path).map_err(|error| unwritten(&path, error.error))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// What the names of files and folders begin with that are still being written.
pub const TEMPORARY: &str = ".tmp-carat-";

/// Whether a file of this name was being written when its program was killed.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY)
}

/// Removes what a program that was killed left half-written right in `folder`. Only who alone writes there may ask for it:
/// what another program is writing looks the same.
///
/// # Errors
/// [`FileError`]; a folder that is not there holds nothing.
pub fn remove_temporary(folder: &Path) -> Result<(), FileError> {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name().to_string_lossy()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// The error of a file that could not be written.
pub fn unwritten(path: &Path, source: io::Error) -> FileError {
    FileError { action: "cannot write", path: path.to_owned(), source }
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

/// Removes a file, if it is there.
///
/// # Errors
/// [`FileError`].
pub fn remove(path: &Path) -> Result<(), FileError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(FileError { action: "cannot remove", path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

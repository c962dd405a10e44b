//! Writing files whole or not at all, into folders that one program at a time writes to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// Writes `bytes` to a file that a person named: to what a link leads to, and into a device or a pipe as it stands.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_named(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |source| unwritten(path, source);
    match std::fs::metadata(path) {
        Ok(there) if !there.is_file() && !there.is_dir() => {
            OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(bytes)).map_err(failed)
        }
        Ok(_) => write_atomically(&std::fs::canonicalize(path).map_err(failed)?, bytes),
        Err(_) => write_atomically(path, bytes),
    }
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
            let folder = folder_of(path);
            std::fs::create_dir_all(folder)?;
            // The system's temporary folder may be another file system, from which a rename fails.
            tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)
        };
        let file = begin().map_err(|source| unwritten(path, source))?;
        Ok(AtomicFile { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Puts the file in its place, once its content is on the disk, and waits until its name is there too.
    ///
    /// # Errors
    /// [`FileError`]; what was at its place is still there, unless only the name may be lost in a power cut.
    pub fn finish(self) -> Result<(), FileError> {
        let path = self.path.clone();
        self.put(true)?;
        sync_folder(folder_of(&path))
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

/// The folder of the file at `path`.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Waits until the names in `folder` are on the disk.
///
/// # Errors
/// [`FileError`]: the disk fails.
pub fn sync_folder(folder: &Path) -> Result<(), FileError> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot, and on some systems a folder cannot be opened.
        Err(error) if error.raw_os_error() == Some(EIO) => Err(unwritten(folder, error)),
        _ => Ok(()),
    }
}

/// The number of an error of a disk.
const EIO: i32 = 5;

/// Waits until all that was written below `folder` is on the disk: of thousands of files at once.
///
/// # Errors
/// [`FileError`]: the disk fails.
#[cfg(target_os = "linux")]
pub fn sync_file_system(folder: &Path) -> Result<(), FileError> {
    let sync = || nix::unistd::syncfs(File::open(folder)?).map_err(io::Error::from);
    sync().map_err(|source| unwritten(folder, source))
}

/// The same of all disks.
///
/// # Errors
/// None: such systems tell nothing.
#[cfg(not(target_os = "linux"))]
pub fn sync_file_system(_: &Path) -> Result<(), FileError> {
    #[cfg(unix)]
    nix::unistd::sync();
    Ok(())
}

/// Whether `folder` is a folder, and no link to one, or is not there yet.
///
/// # Errors
/// [`FileError`]: nobody knows.
pub fn is_real_folder(folder: &Path) -> Result<bool, FileError> {
    match std::fs::symlink_metadata(folder) {
        Ok(metadata) => Ok(metadata.is_dir()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(source) => Err(FileError { action: "cannot look at", path: folder.to_owned(), source }),
    }
}

/// The file by whose lock a folder is claimed.
const LOCK: &str = ".lock";

/// That this program alone writes to a folder, as long as this lives; also against a program that was killed and started
/// again.
pub struct FolderLock {
    path: PathBuf,
    file: File,
    is_certain: bool,
}

impl FolderLock {
    /// Locks `folder`, which is there; `None` where another program has.
    ///
    /// # Errors
    /// [`FileError`]: no permission, or a link in place of the file that is locked.
    pub fn of(folder: &Path) -> Result<Option<Self>, FileError> {
        let path = folder.join(LOCK);
        loop {
            let file =
                open_lock(&path).map_err(|source| FileError { action: "cannot lock", path: path.clone(), source })?;
            let is_certain = match file.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => return Ok(None),
                // Some file systems cannot lock.
                Err(TryLockError::Error(_)) => false,
            };
            // Whoever held it before may have removed it: then another program locks another file of this name.
            if is_same(&file, &path) {
                return Ok(Some(FolderLock { path, file, is_certain }));
            }
        }
    }

    /// Whether no other program writes to the folder. `false` where the file system cannot lock.
    pub fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// Removes the file too, from a folder where it would be odd.
    pub fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
        drop(self.file);
    }
}

/// Opens or makes the file that is locked. What it holds is left as it is.
fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use nix::fcntl::OFlag;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits());
    }
    let is_link = || std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    match options.open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(file),
        Ok(_) => Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file; remove it")),
        Err(_) if is_link() => Err(io::Error::new(ErrorKind::InvalidInput, "it is a link; remove it")),
        Err(error) => Err(error),
    }
}

/// Whether the open file is still the one at `path`.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let there = std::fs::symlink_metadata(path).map(place);
    file.metadata().map(place).ok() == there.ok()
}

#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> bool {
    true
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

/// Removes what programs that were killed left half-written right in `folder`, where others may be writing now: what is
/// older than `age`. What cannot be removed does no harm.
pub fn remove_leftovers(folder: &Path, age: Duration) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_old = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_temporary(&entry.file_name().to_string_lossy()) && is_old().is_some_and(|old| old > age) {
            let _ = remove(&entry.path());
        }
    }
}

/// A folder for what is under way. It goes when it is dropped.
///
/// # Errors
/// [`FileError`]: it cannot be made; an empty container has no folder for temporary files.
pub(crate) fn scratch() -> Result<tempfile::TempDir, FileError> {
    tempfile::tempdir().map_err(|source| {
        let source = match source.kind() {
            ErrorKind::NotFound => {
                io::Error::new(ErrorKind::NotFound, "there is no such folder: make it, or name another one in TMPDIR")
            }
            _ => source,
        };
        unwritten(&std::env::temp_dir(), source)
    })
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

/// Removes a file, if it is there.
///
/// # Errors
/// [`FileError`].
pub fn remove(path: &Path) -> Result<(), FileError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(FileError { action: "cannot remove", path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

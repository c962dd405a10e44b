//! Reading files that a person, a dataset or a run folder names: regular files of ordinary file systems alone, within a
//! bound, and again where the system was in the way.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::files::FileError;

/// The most bytes of a file that a person writes: configurations, recipes, rules, catalogues.
pub const MOST_WRITTEN_BYTES: u64 = 16 << 20;

/// Waits before what the system refused is tried again: it may be out of descriptors, or a server may be away.
const WAITS: [Duration; 3] = [Duration::from_millis(20), Duration::from_millis(100), Duration::from_millis(500)];

/// Whether `error` says something of the system at this moment, such as `EIO`, `EMFILE`, `ESTALE` or `EACCES`, and
/// nothing of what the file holds or whether it is there.
pub fn is_of_system(error: &io::Error) -> bool {
    use ErrorKind::{
        DirectoryNotEmpty, FileTooLarge, InvalidData, InvalidFilename, InvalidInput, IsADirectory, NotADirectory,
        NotFound, UnexpectedEof,
    };
    let of_file = [
        DirectoryNotEmpty, FileTooLarge, InvalidData, InvalidFilename, InvalidInput, IsADirectory, NotADirectory,
        NotFound, UnexpectedEof,
    ];
    // Decoders make errors of their own, of no number, about bytes.
    let is_numbered = error.raw_os_error().is_some() || error.kind() == ErrorKind::PermissionDenied;
    is_numbered && !of_file.contains(&error.kind())
}

/// Since when the system has been in the way of every attempt at one file, if it was lately.
static LATELY_IN_VAIN: Mutex<Option<Instant>> = Mutex::new(None);

/// The time in which other files are not waited for after one was waited for in vain: with a server away, each of a
/// thousand pages would be.
const IMPATIENCE: Duration = Duration::from_secs(5);

/// Tries `attempt` again, three times at most, as long as the error is one of I/O or permission; without waiting where another file
/// was just waited for in vain.
///
/// # Errors
/// The last error of `attempt`.
pub fn patiently<T>(attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    patiently_since(&LATELY_IN_VAIN, attempt)
}

fn patiently_since<T>(in_vain: &Mutex<Option<Instant>>, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let in_vain = || in_vain.lock().unwrap_or_else(PoisonError::into_inner);
    for wait in WAITS {
        match attempt() {
            Err(error) if is_of_system(&error) => {
                if in_vain().is_some_and(|since| since.elapsed() < IMPATIENCE) {
                    return Err(error);
                }
                std::thread::sleep(wait);
            }
            outcome => return outcome,
        }
    }
    attempt().inspect_err(|error| {
        if is_of_system(error) {
            *in_vain() = Some(Instant::now());
        }
    })
}

/// A regular file that is open for reading. Each read is tried again after an I/O or permission error.
#[derive(Debug)]
pub struct RegularFile {
    file: File,
    length: u64,
    /// The numbers by which the system tells it from other files.
    identity: [u64; 2],
}

impl RegularFile {
    /// Opens the file at `path`, through links if there are any.
    ///
    /// # Errors
    /// [`io::Error`]: there is none, an I/O or permission error, or, of the kind `InvalidInput`, it is a folder, a pipe, a
    /// socket, a device, or a file by which the system shows itself (`/proc`, `/sys`).
    pub fn open(path: &Path) -> io::Result<Self> {
        patiently(|| {
            let mut options = OpenOptions::new();
            options.read(true);
            without_waiting(&mut options);
            let file = options.open(path)?;
            let metadata = file.metadata()?;
            match refusal(&file, &metadata) {
                None => Ok(RegularFile { length: metadata.len(), identity: identity(&metadata), file }),
                Some(why) => Err(io::Error::new(ErrorKind::InvalidInput, why)),
            }
        })
    }

    /// When it was written last.
    ///
    /// # Errors
    /// [`io::Error`]: an I/O or permission error, or the system does not know.
    pub fn modified(&self) -> io::Result<SystemTime> {
        patiently(|| self.file.metadata())?.modified()
    }

    /// True if it is still the file at `path`; outside of Unix, if there is one.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|metadata| identity(&metadata) == self.identity)
    }

    /// Bytes that it had when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Its bytes from here on, of which there are at most `most`.
    ///
    /// # Errors
    /// [`io::Error`]: an I/O or permission error, or, of the kind `FileTooLarge`, there are more.
    pub fn read_at_most(mut self, most: u64) -> io::Result<Vec<u8>> {
        let too_large = || io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {most} bytes"));
        if self.length > most {
            return Err(too_large());
        }
        // Without a guess at its length a small file takes ten reads.
        let mut bytes = Vec::with_capacity(self.length as usize + 1);
        (&mut self).take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
    }
}

impl RegularFile {
    /// Bytes of the file from `offset` on, as many as there are and `buffer` takes; the place of reading stays where it is.
    ///
    /// # Errors
    /// [`io::Error`]: an I/O or permission error.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            match patiently(|| read_once_at(&self.file, &mut buffer[done..], offset + done as u64)) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> [u64; 2] {
    use std::os::unix::fs::MetadataExt;
    [metadata.dev(), metadata.ino()]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> [u64; 2] {
    [0; 2]
}

#[cfg(unix)]
fn read_once_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_once_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

impl Read for RegularFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        patiently(|| self.file.read(buffer))
    }
}

impl Seek for RegularFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// The bytes of the file at `path`, of which there are at most `most`.
///
/// # Errors
/// [`FileError`]: as [`RegularFile::open`] and [`RegularFile::read_at_most`].
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    RegularFile::open(path).and_then(|file| file.read_at_most(most)).map_err(|source| unread(path, source))
}

/// The error of a file that could not be read.
pub fn unread(path: &Path, source: io::Error) -> FileError {
    FileError { action: "cannot read", path: path.to_owned(), source }
}

/// To open a pipe would wait for one who writes to it.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits());
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

/// Why a file that was opened is not read.
fn refusal(file: &File, metadata: &std::fs::Metadata) -> Option<&'static str> {
    if metadata.is_dir() {
        Some("it is a folder")
    } else if !metadata.is_file() {
        Some("it is a pipe, a socket or a device, not a regular file")
    } else if shows_the_system(file) {
        Some("it is not a file on a disk, but shows the state of the system")
    } else {
        None
    }
}

/// Whether the file is one by which Linux shows itself: such files hold secrets of the process, or never end.
#[cfg(target_os = "linux")]
fn shows_the_system(file: &File) -> bool {
    use nix::sys::statfs::{
        BPF_FS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, FsType, PROC_SUPER_MAGIC,
        SECURITYFS_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, fstatfs,
    };
    const SHOWING: [FsType; 8] = [
        BPF_FS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, PROC_SUPER_MAGIC, SECURITYFS_MAGIC,
        SYSFS_MAGIC, TRACEFS_MAGIC,
    ];
    fstatfs(file).is_ok_and(|system| SHOWING.contains(&system.filesystem_type()))
}

#[cfg(not(target_os = "linux"))]
fn shows_the_system(_: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(path: &Path, most: u64) -> (ErrorKind, String) {
        let error = RegularFile::open(path).and_then(|file| file.read_at_most(most)).unwrap_err();
        (error.kind(), error.to_string())
    }

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_at_most(&path, 5).unwrap(), b"12345");
        assert_eq!(fault(&path, 4), (ErrorKind::FileTooLarge, "it has more than 4 bytes".to_owned()));
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(fault(&path, 1 << 20).0, ErrorKind::FileTooLarge);
        assert_eq!(fault(&folder.path().join("b"), 1).0, ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for (path, told) in [
            (pipe.as_path(), "a pipe, a socket or a device"),
            (&link, "a pipe, a socket or a device"),
            (Path::new("/dev/zero"), "a device"),
            (folder.path(), "a folder"),
            #[cfg(target_os = "linux")]
            (Path::new("/proc/self/environ"), "shows the state of the system"),
        ] {
            let (kind, message) = fault(path, 10);
            assert_eq!(kind, ErrorKind::InvalidInput, "{}", path.display());
            assert!(message.contains(told), "{}: {message}", path.display());
        }
    }

    #[test]
    fn errors_of_the_system_are_told_from_those_of_a_file() {
        // EIO, EMFILE, EACCES, ENOMEM; ENOENT, ENOTDIR, EISDIR.
        for number in [5, 24, 13, 12] {
            assert!(is_of_system(&io::Error::from_raw_os_error(number)), "{number}");
        }
        for number in [2, 20, 21] {
            assert!(!is_of_system(&io::Error::from_raw_os_error(number)), "{number}");
        }
        assert!(!is_of_system(&io::Error::other("a decoder's own")));
        assert!(!is_of_system(&io::Error::new(ErrorKind::UnexpectedEof, "cut")));
    }

    #[test]
    fn an_error_that_passes_is_not_seen() {
        let in_vain = Mutex::new(None);
        let mut left = WAITS.len();
        let outcome = patiently_since(&in_vain, || match left {
            0 => Ok(7),
            _ => {
                left -= 1;
                Err(io::Error::from_raw_os_error(5))
            }
        });
        assert_eq!(outcome.unwrap(), 7);
        let mut tried = 0;
        let outcome: io::Result<()> = patiently_since(&in_vain, || {
            tried += 1;
            Err(ErrorKind::NotFound.into())
        });
        assert_eq!((outcome.unwrap_err().kind(), tried), (ErrorKind::NotFound, 1));
    }

    #[test]
    fn after_one_file_was_waited_for_in_vain_others_are_not() {
        let in_vain = Mutex::new(None);
        let tries = || {
            let mut tried = 0;
            let outcome: io::Result<()> = patiently_since(&in_vain, || {
                tried += 1;
                Err(io::Error::from_raw_os_error(5))
            });
            assert_eq!(outcome.unwrap_err().raw_os_error(), Some(5));
            tried
        };
        assert_eq!((tries(), tries()), (WAITS.len() + 1, 1));
        *in_vain.lock().unwrap() = Instant::now().checked_sub(IMPATIENCE);
        assert_eq!(tries(), WAITS.len() + 1);
    }
}

//! Where a dataset's files are, and how they are read from there.

use crate::formats::code::Code;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::error::DatasetError;
use super::limits::MAX_PAGE_BYTES;
use super::manifest::Compression;
use crate::formats::reading::{RegularFile, is_of_system, patiently};
use crate::page::parse::TooLarge;
use crate::page::selector::SelectorError;

/// Files that are made when they are asked for.
pub(super) trait MadeFiles: fmt::Debug + Send + Sync {
    /// The bytes of the file at `path`.
    ///
    /// # Errors
    /// [`Fault`]: there is no such file, or it cannot be made.
    fn read_file(&self, path: &str) -> Result<Vec<u8>, Fault>;

    /// Whether there is a file at `path`.
    fn has(&self, path: &str) -> bool;

    /// The SHA-256 of the file at `path`, where it is known without reading the file, and `-` of one that cannot be read.
    fn page_digest(&self, _path: &str) -> Option<String> {
        None
    }

    /// The folder of what they are made of, if there is one.
    fn home(&self) -> Option<&Path>;
}

/// Where a dataset's files are.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A folder.
    Folder(PathBuf),
    /// Nowhere: each is made when it is asked for.
    Made(Arc<dyn MadeFiles>),
}

/// Why a file, a page or a gold cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// As the dataset format names it.
    pub(super) code: Code,
    /// What is wrong, in one sentence.
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Fault { code, message: message.into() }
    }

    pub(super) fn missing(error: impl ToString) -> Self {
        Fault::new(Code::Missing, error.to_string())
    }

    /// Why a file cannot be opened or read: `E-IO` for an I/O or permission error, which says nothing about the file.
    pub(super) fn unread(error: &io::Error) -> Self {
        Fault::new(if is_of_system(error) { Code::Io } else { Code::Missing }, error.to_string())
    }

    /// The fault of `file`.
    pub(super) fn of_file(self, file: &str) -> DatasetError {
        match self.code {
            Code::Io => DatasetError::of_system(file, &self.message),
            Code::Missing => DatasetError::new(self.code, file, format!("cannot be read: {}", self.message)),
            code => DatasetError::new(code, file, self.message),
        }
    }
}

impl From<TooLarge> for Fault {
    fn from(error: TooLarge) -> Self {
        Fault::new(Code::Size, error.to_string())
    }
}

impl From<SelectorError> for Fault {
    fn from(error: SelectorError) -> Self {
        Fault::new(Code::Selector, error.to_string())
    }
}

impl From<Fault> for String {
    fn from(fault: Fault) -> String {
        fault.message
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Root::Folder(folder) => write!(f, "{}", folder.display()),
            Root::Made(made) => match made.home() {
                Some(folder) => write!(f, "{}", folder.display()),
                None => f.write_str("(made)"),
            },
        }
    }
}

impl Root {
    /// The bytes of the file at `path`, a checked relative path; decompressed, and at most
    /// [`MAX_PAGE_BYTES`].
    pub(super) fn read(&self, path: &str, compression: Option<Compression>) -> Result<Vec<u8>, Fault> {
        self.read_up_to(MAX_PAGE_BYTES + 1, path, compression)
    }

    pub(super) fn read_up_to(
        &self,
        limit: u64,
        path: &str,
        compression: Option<Compression>,
    ) -> Result<Vec<u8>, Fault> {
        let raw: Cow<'_, [u8]> = match self {
            Root::Made(made) => return made.read_file(path),
            Root::Folder(folder) => {
                self.refuse_outside(path)?;
                read_limited(&folder.join(path), limit).map_err(|error| Fault::unread(&error))?.into()
            }
        };
        let compression = compression.unwrap_or_else(|| Compression::of_path(path));
        let bytes = decompress(raw, compression, limit).map_err(Fault::missing)?;
        if bytes.len() as u64 >= limit {
            return Err(Fault::new(Code::Size, format!("the file has more than {} bytes", limit - 1)));
        }
        Ok(bytes)
    }

    /// The SHA-256 of the file at `path`, where it is known without reading the file, and `-` of one that cannot be read.
    pub(super) fn known_digest(&self, path: &str) -> Option<String> {
        if let Root::Made(made) = self { made.page_digest(path) } else { None }
    }

    /// The file at `path`, a checked relative path.
    pub(super) fn open(&self, path: &str) -> Result<RegularFile, Fault> {
        match self {
            Root::Made(_) => Err(Fault::missing("there is no such file")),
            Root::Folder(folder) => {
                self.refuse_outside(path)?;
                RegularFile::open(&folder.join(path)).map_err(|error| Fault::unread(&error))
            }
        }
    }

    /// True if `file` is still the one at `path`.
    pub(super) fn has_open(&self, path: &str, file: &RegularFile) -> bool {
        matches!(self, Root::Folder(folder) if file.is_at(&folder.join(path)))
    }

    /// Refuses a path at which a symbolic link leads out of the folder.
    pub(super) fn refuse_outside(&self, path: &str) -> Result<(), Fault> {
        match self.leads_out(path) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Fault::new(Code::Path, "a symbolic link leads out of the dataset's folder")),
            Err(error) => Err(Fault::unread(&error)),
        }
    }

    fn leads_out(&self, path: &str) -> io::Result<bool> {
        let Root::Folder(folder) = self else { return Ok(false) };
        // To resolve paths costs far more than to see that there is nothing to resolve.
        let is_plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if is_plain && !Path::new(path).ancestors().any(|part| part != "" && folder.join(part).is_symlink()) {
            return Ok(false);
        }
        let resolved = |path: &Path| patiently(|| std::fs::canonicalize(path));
        match resolved(&folder.join(path)) {
            Ok(file) => Ok(!file.starts_with(resolved(folder)?)),
            // Whoever reads the file says that there is none.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether there is a file at `path`.
    ///
    /// # Errors
    /// `E-IO`: an I/O or permission error hides it.
    pub(super) fn has(&self, path: &str) -> Result<bool, Fault> {
        let folder = match self {
            Root::Made(made) => return Ok(made.has(path)),
            Root::Folder(folder) => folder,
        };
        match patiently(|| std::fs::metadata(folder.join(path))) {
            Ok(metadata) => Ok(metadata.is_file()),
            Err(error) if is_of_system(&error) => Err(Fault::unread(&error)),
            Err(_) => Ok(false),
        }
    }
}

/// The first `limit` bytes of a file.
pub(super) fn read_limited(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = RegularFile::open(path)?;
    // Without a guess at its length a small file takes ten reads.
    let length = file.length().min(limit).min(MAX_PAGE_BYTES);
    let mut bytes = Vec::with_capacity(length as usize + 1);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// At most `limit` bytes of what was packed.
pub(crate) fn decompress(raw: Cow<'_, [u8]>, compression: Compression, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match compression {
        Compression::None => return Ok(raw.into_owned()),
        Compression::Gzip => flate2::read::MultiGzDecoder::new(&*raw).take(limit).read_to_end(&mut bytes)?,
        Compression::Zstd => zstd::Decoder::new(&*raw)?.take(limit).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

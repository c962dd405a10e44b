//! Unpacking a tar.gz or a zip: sizes are bounded before anything is read, paths stay inside, and links are refused.

use crate::formats::code::Code;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::untar::untar;
use super::unzip::unzip;
use super::{Limits, check_stopped, in_one_line, unwritten};
use crate::datasets::import::write::missing_folders;
use crate::datasets::{DatasetError, Halt, check_path};

/// No system takes a longer path.
const MAX_PATH_BYTES: usize = 4096;

/// A path through more folders takes systems long, and serves nobody.
const MAX_FOLDERS: usize = 64;

/// A longer name in an archive is told by its beginning.
const TOLD_CHARACTERS: usize = 200;

/// Unpacks `archive` into `folder`, which is made. Faults are of `from`.
///
/// # Errors
/// `E-UPSTREAM`: no such archive, or a damaged one; `E-PATH`: a path that leads elsewhere, or a link; `E-SIZE`: too much
/// in it.
pub(super) fn unpack(
    archive: &Path,
    folder: &Path,
    from: &str,
    limits: Limits,
    stopped: &dyn Fn() -> bool,
) -> Result<(), Halt> {
    let mut unpacking = Unpacking { folder, from, limits, files: 0, bytes: 0, stopped };
    std::fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    let open = || File::open(archive).map_err(|error| unpacking.damaged(error));
    let mut mark = [0; 4];
    let marked = open()?.read_exact(&mut mark);
    match (marked, mark) {
        (Ok(()), [0x1F, 0x8B, ..]) => {
            let file = open()?;
            untar(&mut unpacking, MultiGzDecoder::new(BufReader::new(file)))
        }
        (Ok(()), [b'P', b'K', 3, 4]) => {
            let file = open()?;
            unzip(&mut unpacking, file)
        }
        _ => Err(unpacking.fault(Code::Upstream, "the archive is neither a tar.gz nor a zip").into()),
    }
}

/// An archive that is being unpacked.
pub(super) struct Unpacking<'u> {
    folder: &'u Path,
    pub(super) from: &'u str,
    pub(super) limits: Limits,
    /// Files and folders so far, and bytes of files.
    files: usize,
    bytes: u64,
    pub(super) stopped: &'u dyn Fn() -> bool,
}

impl Unpacking<'_> {
    pub(super) fn fault(&self, code: Code, message: impl Into<String>) -> DatasetError {
        DatasetError::new(code, self.from, message)
    }

    /// The fault of an archive that cannot be read on; a fault of ours that went through a reader is told as it is.
    pub(super) fn damaged(&self, error: io::Error) -> DatasetError {
        error.downcast::<DatasetError>().unwrap_or_else(|error| {
            self.fault(Code::Upstream, format!("the archive is damaged: {}", in_one_line(&error.to_string())))
        })
    }

    /// The fault of what is at `path` in the archive.
    pub(super) fn fault_at(&self, code: Code, path: &str, message: &str) -> DatasetError {
        let mut told: String = path.chars().take(TOLD_CHARACTERS).flat_map(char::escape_debug).collect();
        if path.chars().nth(TOLD_CHARACTERS).is_some() {
            told.push('…');
        }
        self.fault(code, format!("`{told}` in the archive {message}"))
    }

    pub(super) fn too_much(&self) -> DatasetError {
        self.fault(Code::Size, format!("the archive holds more than {} bytes", self.limits.unpacked_bytes))
    }

    /// Counts a file or a folder.
    pub(super) fn count(&mut self) -> Result<(), Halt> {
        check_stopped(self.stopped)?;
        self.files += 1;
        let most = self.limits.files;
        if self.files > most {
            return Err(self.fault(Code::Size, format!("the archive has more than {most} files and folders")).into());
        }
        Ok(())
    }

    /// Writes the file at `path` in the archive.
    pub(super) fn put(&mut self, path: &str, content: &mut dyn Read) -> Result<(), Halt> {
        self.count()?;
        let path = path.trim_start_matches("./");
        if path.len() > MAX_PATH_BYTES || check_path(path).is_err() {
            return Err(self.fault_at(Code::Path, path, "leads out of it, or is no plain path").into());
        }
        if path.split('/').count() > MAX_FOLDERS {
            return Err(self.fault_at(Code::Path, path, &format!("lies in {MAX_FOLDERS} folders or more")).into());
        }
        let file = self.folder.join(path);
        // Folders count too: each file may ask for many.
        for _ in file.parent().map(missing_folders).unwrap_or_default() {
            self.count()?;
        }
        let create = || {
            file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            // No file is written twice, and none through another.
            File::create_new(&file)
        };
        let written = create().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidFilename => {
                self.fault_at(Code::Upstream, path, "is there twice, or is no name for a file")
            }
            _ => unwritten(self.folder, &error),
        })?;
        self.copy(content, written)
    }

    fn copy(&mut self, content: &mut dyn Read, mut written: File) -> Result<(), Halt> {
        let mut buffer = vec![0; 64 << 10];
        loop {
            check_stopped(self.stopped)?;
            let length = match content.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.damaged(error).into()),
            };
            self.bytes += length as u64;
            if self.bytes > self.limits.unpacked_bytes {
                return Err(self.too_much().into());
            }
            written.write_all(&buffer[..length]).map_err(|error| unwritten(self.folder, &error))?;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;

    const LIMITS: Limits =
        Limits { archive_bytes: 1 << 20, unpacked_bytes: 16 << 10, files: 8, silence: Duration::ZERO, attempts: 1 };

    /// What comes of an archive: the files below the folder, or the code of the fault.
    fn unpacked(archive: &[u8]) -> Result<Vec<String>, Code> {
        unpacked_or_told(archive).map_err(|error| error.code)
    }

    /// The same, with all that is told. What a message tells is plain, and short.
    pub(in super::super) fn unpacked_or_told(archive: &[u8]) -> Result<Vec<String>, DatasetError> {
        let folder = tempfile::tempdir().unwrap();
        let (file, into) = (folder.path().join("archive"), folder.path().join("deep/unpacked"));
        std::fs::write(&file, archive).unwrap();
        let outcome = unpack(&file, &into, "a", LIMITS, &|| false).map_err(Halt::of_unstopped);
        let outside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(outside.len(), 2, "nothing is written elsewhere");
        assert_eq!(std::fs::read_dir(folder.path().join("deep")).unwrap().count(), 1);
        outcome.inspect_err(|error| {
            assert!(error.message.len() < 800 && !error.message.contains(char::is_control), "{error:?}");
        })?;
        let files = walkdir::WalkDir::new(&into).sort_by_file_name().into_iter().flatten();
        let files = files.filter(|entry| entry.file_type().is_file());
        Ok(files.map(|entry| entry.path().strip_prefix(&into).unwrap().display().to_string()).collect())
    }

    /// A tar.gz of entries: kind, path, content or where it leads.
    fn tar_gz(entries: &[(tar::EntryType, &str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        for (kind, path, content) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(0o644);
            // By hand: the crate refuses to write what leads elsewhere.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            let is_link = matches!(kind, tar::EntryType::Symlink | tar::EntryType::Link);
            if is_link {
                header.as_old_mut().linkname[..content.len()].copy_from_slice(content);
            }
            let content = if is_link { &[][..] } else { content };
            header.set_size(content.len() as u64);
            header.set_cksum();
            archive.append(&header, content).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    const FILE: tar::EntryType = tar::EntryType::Regular;

    #[test]
    fn plain_archives_are_unpacked() {
        let archive = tar_gz(&[(tar::EntryType::Directory, "a/", b""), (FILE, "a/b.html", b"x"), (FILE, "./c", b"")]);
        assert_eq!(unpacked(&archive).unwrap(), ["a/b.html", "c"]);
        let mut zipped = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        zipped.add_directory("a", options).unwrap();
        zipped.start_file("a/b.html", options).unwrap();
        zipped.write_all(b"<p>x").unwrap();
        let zipped = zipped.finish().unwrap().into_inner();
        assert_eq!(unpacked(&zipped).unwrap(), ["a/b.html"]);
        assert_eq!(unpacked(&zipped[..zipped.len() - 4]).unwrap_err(), Code::Upstream);
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        for path in ["../x", "/etc/x", "a/../../x", "a\\..\\x", "c:/x"] {
            assert_eq!(unpacked(&tar_gz(&[(FILE, path, b"x")])).unwrap_err(), Code::Path, "{path}");
        }
        for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Fifo, tar::EntryType::Block] {
            assert_eq!(unpacked(&tar_gz(&[(kind, "a", b"/etc")])).unwrap_err(), Code::Path, "{kind:?}");
        }
        let mut zipped = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        zipped.add_symlink("a", "/etc", zip::write::SimpleFileOptions::default()).unwrap();
        assert_eq!(unpacked(&zipped.finish().unwrap().into_inner()).unwrap_err(), Code::Path);
    }

    #[test]
    fn what_is_too_much_or_damaged_is_refused() {
        assert_eq!(unpacked(&tar_gz(&[(FILE, "a", &[0; 15 << 10])])).unwrap(), ["a"]);
        assert_eq!(unpacked(&tar_gz(&[(FILE, "a", &[0; 17 << 10])])).unwrap_err(), Code::Size);
        let names: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        let many: Vec<_> = names.iter().map(|name| (FILE, name.as_str(), &b""[..])).collect();
        assert_eq!(unpacked(&tar_gz(&many)).unwrap_err(), Code::Size);
        assert_eq!(unpacked(&tar_gz(&[(FILE, "a", b"1"), (FILE, "a", b"2")])).unwrap_err(), Code::Upstream);
        assert_eq!(unpacked(&tar_gz(&[(FILE, "a", b"1"), (FILE, "a/b", b"2")])).unwrap_err(), Code::Upstream);
        let whole = tar_gz(&[(FILE, "a", &[7; 4000])]);
        assert_eq!(unpacked(&whole[..whole.len() - 20]).unwrap_err(), Code::Upstream);
        assert_eq!(unpacked(b"<html>not found").unwrap_err(), Code::Upstream);
        assert_eq!(unpacked(b"").unwrap_err(), Code::Upstream);
    }
}

//! Unpacking a tar.gz or a zip: sizes are bounded, paths stay inside, and links are refused.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::{Limits, check_stopped, unwritten};
use crate::datasets::{DatasetError, check_path};

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
) -> Result<(), DatasetError> {
    let mut unpacking = Unpacking { folder, from, limits, files: 0, bytes: 0, stopped };
    std::fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    let open = || File::open(archive).map_err(|error| unpacking.damaged(&error));
    let mut mark = [0; 4];
    let marked = open()?.read_exact(&mut mark);
    match (marked, mark) {
        (Ok(()), [0x1F, 0x8B, ..]) => {
            let file = open()?;
            unpacking.tar(MultiGzDecoder::new(BufReader::new(file)))
        }
        (Ok(()), [b'P', b'K', 3, 4]) => {
            let file = open()?;
            unpacking.zip(file)
        }
        _ => Err(unpacking.fault("E-UPSTREAM", "the archive is neither a tar.gz nor a zip")),
    }
}

struct Unpacking<'u> {
    folder: &'u Path,
    from: &'u str,
    limits: Limits,
    /// Files and bytes so far.
    files: usize,
    bytes: u64,
    stopped: &'u dyn Fn() -> bool,
}

impl Unpacking<'_> {
    fn fault(&self, code: &'static str, message: impl Into<String>) -> DatasetError {
        DatasetError::new(code, self.from, message)
    }

    fn damaged(&self, error: &dyn std::fmt::Display) -> DatasetError {
        self.fault("E-UPSTREAM", format!("the archive is damaged: {error}"))
    }

    fn tar(&mut self, packed: impl Read) -> Result<(), DatasetError> {
        let most = self.limits.unpacked_bytes;
        // The headers count too: names may be as long as they like.
        let mut archive = tar::Archive::new(packed.take(most.saturating_mul(2)));
        for entry in archive.entries().map_err(|error| self.damaged(&error))? {
            let mut entry = entry.map_err(|error| self.damaged(&error))?;
            let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            match entry.header().entry_type() {
                tar::EntryType::Regular | tar::EntryType::Continuous => self.put(&path, &mut entry)?,
                tar::EntryType::Directory | tar::EntryType::XGlobalHeader => self.count()?,
                _ => return Err(self.no_file(&path)),
            }
        }
        Ok(())
    }

    fn zip(&mut self, file: File) -> Result<(), DatasetError> {
        let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| self.damaged(&error))?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(|error| self.damaged(&error))?;
            let path = entry.name().to_owned();
            // The kinds of file of a Unix mode: none is stated, a file, a folder.
            let kind = entry.unix_mode().unwrap_or_default() & 0o170_000;
            match kind {
                _ if entry.is_dir() => self.count()?,
                0 | 0o100_000 => self.put(&path, &mut entry)?,
                _ => return Err(self.no_file(&path)),
            }
        }
        Ok(())
    }

    fn no_file(&self, path: &str) -> DatasetError {
        self.fault("E-PATH", format!("`{}` in the archive is a link or no plain file", path.escape_default()))
    }

    fn count(&mut self) -> Result<(), DatasetError> {
        check_stopped(self.stopped)?;
        self.files += 1;
        let most = self.limits.files;
        if self.files > most {
            Err(self.fault("E-SIZE", format!("the archive has more than {most} files")))
        } else {
            Ok(())
        }
    }

    /// Writes the file at `path` in the archive.
    fn put(&mut self, path: &str, content: &mut dyn Read) -> Result<(), DatasetError> {
        self.count()?;
        let path = path.trim_start_matches("./");
        check_path(path)
            .map_err(|_| self.fault("E-PATH", format!("`{}` in the archive leads out of it", path.escape_default())))?;
        let file = self.folder.join(path);
        let create = || {
            file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            // No file is written twice, and none through another.
            File::create_new(&file)
        };
        let mut written = create().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput => {
                self.fault("E-UPSTREAM", format!("`{path}` is in the archive twice, or is no name for a file"))
            }
            _ => unwritten(&file, &error),
        })?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let length = match content.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.damaged(&error)),
            };
            self.bytes += length as u64;
            let most = self.limits.unpacked_bytes;
            if self.bytes > most {
                return Err(self.fault("E-SIZE", format!("the archive holds more than {most} bytes")));
            }
            written.write_all(&buffer[..length]).map_err(|error| unwritten(&file, &error))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const LIMITS: Limits =
        Limits { archive_bytes: 1 << 20, unpacked_bytes: 4096, files: 8, silence: Duration::ZERO, attempts: 1 };

    /// What comes of an archive: the files below the folder, or the code of the fault.
    fn unpacked(archive: &[u8]) -> Result<Vec<String>, &'static str> {
        let folder = tempfile::tempdir().unwrap();
        let (file, into) = (folder.path().join("archive"), folder.path().join("deep/unpacked"));
        std::fs::write(&file, archive).unwrap();
        let outcome = unpack(&file, &into, "a", LIMITS, &|| false);
        let outside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(outside.len(), 2, "nothing is written elsewhere");
        assert_eq!(std::fs::read_dir(folder.path().join("deep")).unwrap().count(), 1);
        outcome.map_err(|error| error.code)?;
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
        assert_eq!(unpacked(&zipped[..zipped.len() - 4]).unwrap_err(), "E-UPSTREAM");
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        for path in ["../x", "/etc/x", "a/../../x", "a\\..\\x", "c:/x"] {
            assert_eq!(unpacked(&tar_gz(&[(FILE, path, b"x")])).unwrap_err(), "E-PATH", "{path}");
        }
        for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Fifo, tar::EntryType::Block] {
            assert_eq!(unpacked(&tar_gz(&[(kind, "a", b"/etc")])).unwrap_err(), "E-PATH", "{kind:?}");
        }
        let mut zipped = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        zipped.add_symlink("a", "/etc", zip::write::SimpleFileOptions::default()).unwrap();
        assert_eq!(unpacked(&zipped.finish().unwrap().into_inner()).unwrap_err(), "E-PATH");
    }

    #[test]
    fn what_is_too_much_or_damaged_is_refused() {
        assert_eq!(unpacked(&tar_gz(&[(FILE, "a", &[0; 4097])])).unwrap_err(), "E-SIZE");
        let names: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        let many: Vec<_> = names.iter().map(|name| (FILE, name.as_str(), &b""[..])).collect();
        assert_eq!(unpacked(&tar_gz(&many)).unwrap_err(), "E-SIZE");
        assert_eq!(unpacked(&tar_gz(&[(FILE, "a", b"1"), (FILE, "a", b"2")])).unwrap_err(), "E-UPSTREAM");
        assert_eq!(unpacked(&tar_gz(&[(FILE, "a", b"1"), (FILE, "a/b", b"2")])).unwrap_err(), "E-UPSTREAM");
        let whole = tar_gz(&[(FILE, "a", &[7; 4000])]);
        assert_eq!(unpacked(&whole[..whole.len() - 20]).unwrap_err(), "E-UPSTREAM");
        assert_eq!(unpacked(b"<html>not found").unwrap_err(), "E-UPSTREAM");
        assert_eq!(unpacked(b"").unwrap_err(), "E-UPSTREAM");
    }
}

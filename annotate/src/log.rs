//! The log of one annotator: one JSON object per line, only ever appended to. What was answered as saved is on the disk.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::event::{Header, Line, VERSION};

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// A line is none of a log.
    #[error("E-LOG {}:{line}: {reason}", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The fault of the line.
        reason: String,
    },
    /// Another program writes to it.
    #[error("{by} annotates already: the log {} is locked", path.display())]
    Locked {
        /// Whose log.
        by: String,
        /// The log.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot {action} {}: {source}", path.display())]
    System {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// The log of `by` in the folder of annotations.
pub fn log_path(folder: &Path, by: &str) -> PathBuf {
    folder.join(format!("{by}.jsonl"))
}

/// True if `name` may be the name of an annotator.
pub fn is_name(name: &str) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = name.as_bytes().iter();
    name.len() <= 32
        && bytes.next().is_some_and(is_plain)
        && bytes.all(|byte| is_plain(byte) || matches!(byte, b'.' | b'_' | b'-'))
}

/// A log that is being written to. It is locked as long as this lives.
pub struct Log {
    path: PathBuf,
    file: File,
    /// Bytes and lines that are whole and on the disk.
    bytes: u64,
    lines: u64,
    is_certain: bool,
    was_cut: bool,
}

impl Log {
    /// Opens or begins the log of `by`, and what it holds. A last line that lacks its end alone gets it; one that was cut off
    /// is removed.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn open(folder: &Path, by: &str, header: &Header) -> Result<(Self, Vec<Line>), LogError> {
        let path = log_path(folder, by);
        let failed = |action, source| LogError::System { action, path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(|source| failed("make the folder of", source))?;
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let mut file = file.map_err(|source| failed("write", source))?;
        let is_certain = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => return Err(LogError::Locked { by: by.to_owned(), path }),
            // Some file systems cannot lock.
            Err(TryLockError::Error(_)) => false,
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|source| failed("read", source))?;
        let whole = whole_lines(&bytes);
        let was_cut = bytes[whole..].iter().any(|byte| *byte != 0);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(|source| failed("mend", source))?;
            file.seek(SeekFrom::End(0)).map_err(|source| failed("mend", source))?;
        }
        bytes.truncate(whole);
        if bytes.last().is_some_and(|byte| *byte != b'\n') {
            file.write_all(b"\n").and_then(|()| file.sync_data()).map_err(|source| failed("mend", source))?;
            bytes.push(b'\n');
        }
        let lines = read(&path, &bytes)?;
        let count = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        let mut log = Log { path, file, bytes: bytes.len() as u64, lines: count, is_certain, was_cut };
        if count == 0 {
            let header = serde_json::to_string(header).expect("a header has string keys");
            log.write(&(header + "\n"), 1)?;
            if let Ok(folder) = File::open(folder) {
                // Some systems cannot open a folder; then the file's name is synced with the file.
                let _ = folder.sync_all();
            }
        }
        Ok((log, lines))
    }

    /// Appends `lines` and waits until they are on the disk; the numbers of the lines. All are written, or none.
    ///
    /// # Errors
    /// [`LogError::System`]; the log is then as it was before.
    pub fn append(&mut self, lines: &[Line]) -> Result<Vec<u64>, LogError> {
        let mut text = String::new();
        for line in lines {
            text += &serde_json::to_string(line).expect("a line has string keys");
            text.push('\n');
        }
        let first = self.lines + 1;
        self.write(&text, lines.len() as u64)?;
        Ok((first..=self.lines).collect())
    }

    fn write(&mut self, text: &str, lines: u64) -> Result<(), LogError> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(source) = written {
            // What was written of it must not stand before what comes next.
            let _ = self.file.set_len(self.bytes);
            return Err(LogError::System { action: "write", path: self.path.clone(), source });
        }
        self.bytes += text.len() as u64;
        self.lines += lines;
        Ok(())
    }

    /// True if no other program can write to it; `false` where the file system cannot lock.
    pub fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// True if the last line was cut off when the log was opened, and is gone.
    pub fn was_cut(&self) -> bool {
        self.was_cut
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The lines of the log of `by`, which another program may be writing to. `None` where there is no log.
///
/// # Errors
/// [`LogError`].
pub fn read_log(folder: &Path, by: &str) -> Result<Option<Vec<Line>>, LogError> {
    let path = log_path(folder, by);
    match std::fs::read(&path) {
        Ok(bytes) => read(&path, &bytes[..whole_lines(&bytes)]).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LogError::System { action: "read", path, source }),
    }
}

/// True if the last line of the log of `by` is cut off, or another program is writing it: what it says is left out.
pub fn is_cut(folder: &Path, by: &str) -> bool {
    std::fs::read(log_path(folder, by)).is_ok_and(|bytes| bytes[whole_lines(&bytes)..].iter().any(|byte| *byte != 0))
}

/// The names of those who have a log in `folder`, in order.
///
/// # Errors
/// [`LogError`]: the folder cannot be read. A missing one holds no log.
pub fn annotators(folder: &Path) -> Result<Vec<String>, LogError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(LogError::System { action: "read", path: folder.to_owned(), source }),
    };
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name();
        let name = name.to_str()?.strip_suffix(".jsonl")?;
        is_name(name).then(|| name.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    Ok(names)
}

/// The bytes up to the end of the last whole line: a power cut may leave a part of a line, or NULs in its place. An editor
/// may leave a last line without its end.
fn whole_lines(bytes: &[u8]) -> usize {
    let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
    let ended = bytes[..written].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let last = &bytes[ended..written];
    let is_whole = if ended == 0 {
        serde_json::from_slice::<Header>(last).is_ok()
    } else {
        serde_json::from_slice::<Line>(last).is_ok()
    };
    if is_whole { written } else { ended }
}

fn read(path: &Path, bytes: &[u8]) -> Result<Vec<Line>, LogError> {
    let fault = |line: usize, reason: String| LogError::Line { path: path.to_owned(), line: line as u64 + 1, reason };
    let mut lines = Vec::new();
    for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if at == 0 {
            let header: Header =
                serde_json::from_slice(line).map_err(|_| fault(at, "it is not the first line of a log".to_owned()))?;
            if header.carat_annotations != VERSION {
                let other = header.carat_annotations;
                return Err(fault(at, format!("the log is of version {other}, and this program reads {VERSION}")));
            }
            continue;
        }
        lines.push(serde_json::from_slice(line).map_err(|error| fault(at, error.to_string()))?);
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::{Event, Mark};

    fn header() -> Header {
        Header { carat_annotations: 1, by: "li".to_owned(), dataset: "news".to_owned(), carat: "0".to_owned() }
    }

    fn line(page: &str, node: u32) -> Line {
        let mark = Mark { set: vec![json!([node, node, "content"])], inside: vec![], via: "key".to_owned() };
        Line { page: page.to_owned(), at: "2026-11-21T10:00:00Z".to_owned(), event: Event::Mark(mark) }
    }

    #[test]
    fn what_is_appended_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, lines) = Log::open(folder.path(), "li", &header()).unwrap();
        assert!(lines.is_empty());
        assert_eq!(log.append(&[line("a", 0), line("a", 1)]).unwrap(), [2, 3]);
        assert_eq!(log.append(&[line("b", 2)]).unwrap(), [4]);
        assert!(matches!(Log::open(folder.path(), "li", &header()), Err(LogError::Locked { .. })));
        drop(log);
        let (mut log, lines) = Log::open(folder.path(), "li", &header()).unwrap();
        assert_eq!(lines, [line("a", 0), line("a", 1), line("b", 2)]);
        assert_eq!(log.append(&[line("b", 3)]).unwrap(), [5]);
        assert_eq!(annotators(folder.path()).unwrap(), ["li"]);
    }

    #[test]
    fn a_log_cut_at_any_byte_keeps_its_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, _) = Log::open(folder.path(), "li", &header()).unwrap();
        log.append(&[line("a", 0), line("字", 1), line("c", 2)]).unwrap();
        drop(log);
        let path = log_path(folder.path(), "li");
        let whole = std::fs::read(&path).unwrap();
        let expected = [line("a", 0), line("字", 1), line("c", 2)];
        for cut in 0..=whole.len() {
            for tail in [&b""[..], &[0; 5]] {
                std::fs::write(&path, [&whole[..cut], tail].concat()).unwrap();
                // The end of a line may be missing; nothing else of it.
                let ends = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
                let lacks_its_end = whole.get(cut) == Some(&b'\n');
                let kept = &expected[..(ends + usize::from(lacks_its_end)).saturating_sub(1)];
                let is_cut = cut > 0 && whole[cut - 1] != b'\n' && !lacks_its_end;
                assert_eq!(read_log(folder.path(), "li").unwrap().unwrap(), kept, "cut at {cut}");
                assert_eq!(super::is_cut(folder.path(), "li"), is_cut, "cut at {cut}");
                let (mut log, lines) = Log::open(folder.path(), "li", &header()).unwrap();
                assert_eq!((lines.as_slice(), log.was_cut()), (kept, is_cut), "cut at {cut}");
                log.append(&[line("new", 9)]).unwrap();
                drop(log);
                let again = read_log(folder.path(), "li").unwrap().unwrap();
                assert_eq!(again, [kept, &[line("new", 9)]].concat(), "cut at {cut}");
            }
        }
    }

    #[test]
    fn damage_elsewhere_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = log_path(folder.path(), "li");
        let told = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Log::open(folder.path(), "li", &header()).err().unwrap().to_string()
        };
        let first = serde_json::to_string(&header()).unwrap();
        assert!(told("{}\n").contains("li.jsonl:1: it is not the first line"));
        assert!(told(&(first.replace(":1,", ":2,") + "\n")).contains("version 2"));
        assert!(told(&format!("{first}\nnonsense\n{{}}\n")).contains("li.jsonl:2: "));
    }

    #[test]
    fn names_are_plain() {
        assert!(["li", "0", "a.b_c-d", &"a".repeat(32)].iter().all(|name| is_name(name)));
        assert!(["", ".a", "-a", "Li", "a/b", "李", &"a".repeat(33)].iter().all(|name| !is_name(name)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_leaves_the_log_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = log_path(folder.path(), "li");
        let (mut log, _) = Log::open(folder.path(), "li", &header()).unwrap();
        log.append(&[line("a", 0)]).unwrap();
        let before = std::fs::read(&path).unwrap();
        // Every write to this device fails with "No space left on device".
        let real = std::mem::replace(&mut log.file, OpenOptions::new().append(true).open("/dev/full").unwrap());
        let told = log.append(&[line("a", 1)]).unwrap_err().to_string();
        assert!(told.contains("No space left"), "{told}");
        log.file = real;
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(log.append(&[line("a", 2)]).unwrap(), [3]);
    }
}

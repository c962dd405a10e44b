//! One pair of files, `NUMBER.heads` and `NUMBER.texts`: what stands in them, and how they are read.

use std::io::{BufReader, Read};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::index::{Entry, hash_of};
use super::writer::WrittenPair;
use crate::formats::files::FileError;
use crate::formats::reading::{RegularFile, unread};
use crate::formats::record::{RecordFault, checksum_of, content_of, is_whole, read_record, record};
use crate::formats::record_scan::{Piece, RecordScan};

/// The first line of each file.
const LINE: &[u8] = b"carat-units/2\n";

/// The endings of the names of both files.
pub(super) const ENDINGS: [&str; 2] = ["heads", "texts"];

/// Bytes of records that are unpacked at a time, on all threads.
const BATCH: usize = 4 << 20;

/// The first record of each file.
#[derive(Serialize, Deserialize)]
struct Begin {
    /// The key of the run whose program began the pair.
    run: String,
}

/// A record among the heads that says what is on the disk.
#[derive(Serialize, Deserialize)]
struct Synced {
    /// Bytes of texts.
    synced: u64,
    /// Units before it.
    units: u64,
}

/// A record of the heads: what a page came to.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head<O> {
    /// The units before it in the pair, so that a gap tells how many were lost.
    pub(super) number: u64,
    /// Where its texts stand; `None` in a run without texts.
    pub(super) texts: Option<TextsAt>,
    /// The facts that the outcome depends on besides the code that reads this.
    pub(super) key: String,
    pub(super) dataset: String,
    pub(super) page: String,
    pub(super) outcome: O,
}

/// Where a record of texts stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TextsAt {
    pub(super) at: u64,
    pub(super) bytes: u64,
    /// The record's own, so that no other record is taken for it.
    pub(super) checksum: u64,
}

/// The faults of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// Nothing.
    None,
    /// The last record is cut off, or not as it was written.
    Tail,
    /// Something before it.
    Within,
}

/// A pair that is open for reading.
pub(super) struct Pair {
    pub(super) number: u32,
    heads: Arc<RegularFile>,
    texts: Option<RegularFile>,
    /// The key of the run that began it; `None` where that cannot be read.
    pub(super) key: Option<String>,
    pub(super) fault: Fault,
    /// The first file of it that is not as it was written.
    pub(super) faulty: Option<PathBuf>,
    /// Units that are known to have been in it and cannot be read.
    pub(super) lost: usize,
    /// Units that were written into it, stale ones too.
    pub(super) units: u64,
    /// Where the whole records of both files end.
    pub(super) ends: [u64; 2],
    /// True if another run has the same files: they are not written to.
    pub(super) is_shared: bool,
}

/// The path of a file of a pair.
pub(super) fn path_of(folder: &Path, number: u32, ending: &str) -> PathBuf {
    folder.join(format!("{number:05}.{ending}"))
}

/// The number of the pair to which a file of this name belongs, and its ending.
pub(super) fn number_of(name: &str) -> Option<(u32, &'static str)> {
    let (number, ending) = name.split_once('.')?;
    let ending = ENDINGS.into_iter().find(|known| *known == ending)?;
    let number: u32 = number.parse().ok()?;
    (format!("{number:05}.{ending}") == name).then_some((number, ending))
}

/// The beginning of both files of a pair, in a run of this key.
pub(super) fn beginning(key: &str) -> Vec<u8> {
    let begin = serde_json::to_vec(&Begin { run: key.to_owned() }).unwrap_or_default();
    [LINE.to_vec(), record(&begin).unwrap_or_default()].concat()
}

/// The record that says what is on the disk.
pub(super) fn synced(texts: u64, units: u64) -> std::io::Result<Vec<u8>> {
    record(&serde_json::to_vec(&Synced { synced: texts, units }).unwrap_or_default())
}

/// The content of any record of the heads, without the outcome of the page.
#[derive(Default, Deserialize)]
struct Line {
    number: Option<u64>,
    texts: Option<TextsAt>,
    dataset: Option<String>,
    page: Option<String>,
    synced: Option<u64>,
    units: Option<u64>,
}

impl Line {
    fn of(record: &[u8]) -> Self {
        let line = content_of(record).and_then(|content| serde_json::from_slice(&content).ok());
        line.unwrap_or_default()
    }
}

impl Pair {
    /// Opens the pair of this number and reads all of its heads: where each unit stands goes to `entries`.
    /// `with_texts`: the texts are checked too, and a unit whose texts are damaged is none.
    ///
    /// # Errors
    /// [`FileError`]: an I/O or permission error.
    pub(super) fn open(
        folder: &Path,
        number: u32,
        with_texts: bool,
        entries: &mut Vec<Entry>,
    ) -> Result<Self, FileError> {
        let [heads_path, texts_path] = ENDINGS.map(|ending| path_of(folder, number, ending));
        let mut pair = Pair::unread(folder, number)?;
        pair.read_heads(&heads_path, &texts_path, with_texts, entries)?;
        pair.check_beginning_of_texts(&texts_path)?;
        Ok(pair)
    }

    /// The pair that was just written, or written to; `before`: as it was when it was opened.
    ///
    /// # Errors
    /// As [`Pair::open`].
    pub(super) fn of_written(folder: &Path, written: &WrittenPair, before: Option<&Pair>) -> Result<Self, FileError> {
        let pair = Pair::unread(folder, written.number)?;
        let WrittenPair { key, units, ends, .. } = written.clone();
        // The tail was cut off before anything was written behind it.
        let damaged = before.filter(|before| before.fault == Fault::Within);
        Ok(Pair {
            key: Some(key),
            units,
            ends,
            fault: damaged.map_or(Fault::None, |before| before.fault),
            faulty: damaged.and_then(|before| before.faulty.clone()),
            ..pair
        })
    }

    fn unread(folder: &Path, number: u32) -> Result<Self, FileError> {
        let [heads_path, texts_path] = ENDINGS.map(|ending| path_of(folder, number, ending));
        let heads = RegularFile::open(&heads_path).map_err(|error| unread(&heads_path, error))?;
        let texts = match RegularFile::open(&texts_path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            file => Some(file.map_err(|error| unread(&texts_path, error))?),
        };
        Ok(Pair {
            number,
            heads: Arc::new(heads),
            texts,
            key: None,
            fault: Fault::None,
            faulty: None,
            lost: 0,
            units: 0,
            ends: [0; 2],
            is_shared: ENDINGS.iter().any(|ending| is_shared(&path_of(folder, number, ending))),
        })
    }

    fn find_fault(&mut self, fault: Fault, path: &Path) {
        self.fault = self.fault.max(fault);
        self.faulty.get_or_insert_with(|| path.to_owned());
    }

    fn read_heads(
        &mut self,
        path: &Path,
        texts_path: &Path,
        with_texts: bool,
        entries: &mut Vec<Entry>,
    ) -> Result<(), FileError> {
        let failed = |error| unread(path, error);
        let heads = self.heads.clone();
        let start = first_record(&heads).map_err(failed)?;
        if start == 0 {
            self.find_fault(Fault::Within, path);
        }
        let mut scan = RecordScan::new(&heads, start);
        let mut batch: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut bytes = 0;
        let mut is_first = true;
        loop {
            let piece = scan.next_piece().map_err(failed)?;
            match &piece {
                Some(Piece::Record(at, record)) if is_first => {
                    let begin = content_of(record).and_then(|content| serde_json::from_slice::<Begin>(&content).ok());
                    self.key = begin.map(|begin| begin.run);
                    self.ends[0] = at + record.len() as u64;
                }
                Some(Piece::Damage(range)) => {
                    let is_tail = range.end >= heads.length() && !is_first;
                    self.find_fault(if is_tail { Fault::Tail } else { Fault::Within }, path);
                }
                _ => {}
            }
            let is_begin = std::mem::take(&mut is_first) && self.key.is_some();
            let is_end = piece.is_none();
            if let Some(Piece::Record(at, record)) = piece
                && !is_begin
            {
                bytes += record.len();
                batch.push((at, record));
            }
            if bytes >= BATCH || is_end {
                self.take_batch(&std::mem::take(&mut batch), (path, texts_path), with_texts, entries)?;
                bytes = 0;
            }
            if is_end {
                break;
            }
        }
        if self.key.is_none() {
            self.find_fault(Fault::Within, path);
        }
        Ok(())
    }

    fn take_batch(
        &mut self,
        batch: &[(u64, Vec<u8>)],
        (path, texts_path): (&Path, &Path),
        with_texts: bool,
        entries: &mut Vec<Entry>,
    ) -> Result<(), FileError> {
        let look = |(_, record): &(u64, Vec<u8>)| {
            let line = Line::of(record);
            let is_whole = match line.texts {
                Some(texts) if with_texts => self.read_texts(texts).map(|texts| texts.is_some()),
                Some(_) => Ok(self.texts.is_some()),
                None => Ok(true),
            };
            is_whole.map(|is_whole| (line, is_whole)).map_err(|error| unread(texts_path, error))
        };
        let looked: Vec<(Line, bool)> = on_threads(batch, look).into_iter().collect::<Result<_, _>>()?;
        for ((at, record), (line, is_whole)) in batch.iter().zip(looked) {
            self.ends[0] = at + record.len() as u64;
            match line {
                Line { number: Some(number), dataset: Some(dataset), page: Some(page), texts, .. } => {
                    self.count_lost_before(number);
                    self.units = number.saturating_add(1);
                    if let Some(texts) = texts {
                        self.ends[1] = self.ends[1].max(texts.at.saturating_add(texts.bytes));
                    }
                    if is_whole {
                        entries.push(Entry::new(hash_of(&dataset, &page), self.number, *at));
                    } else {
                        self.lost = self.lost.saturating_add(1);
                        self.find_fault(Fault::Within, texts_path);
                    }
                }
                Line { synced: Some(_), units: Some(units), .. } => self.count_lost_before(units),
                _ => self.find_fault(Fault::Within, path),
            }
        }
        Ok(())
    }

    /// Counts the units that are missing before the one of this number.
    fn count_lost_before(&mut self, number: u64) {
        let lost = usize::try_from(number.saturating_sub(self.units)).unwrap_or(usize::MAX);
        self.lost = self.lost.saturating_add(lost);
        self.units = self.units.max(number);
    }

    /// Checks the line and the first record of the texts.
    fn check_beginning_of_texts(&mut self, path: &Path) -> Result<(), FileError> {
        let Some(texts) = &self.texts else { return Ok(()) };
        let expected = beginning(self.key.as_deref().unwrap_or_default());
        let mut found = vec![0; expected.len()];
        texts.read_at(&mut found, 0).map_err(|error| unread(path, error))?;
        if found != expected {
            self.find_fault(Fault::Within, path);
        }
        self.ends[1] = self.ends[1].max(expected.len() as u64);
        Ok(())
    }

    /// The head at `at`; `None` where there is none that is whole.
    ///
    /// # Errors
    /// [`std::io::Error`]: an I/O or permission error.
    pub(super) fn head<O: DeserializeOwned>(&self, at: u64) -> std::io::Result<Option<Head<O>>> {
        match read_record(&mut BufReader::with_capacity(8 << 10, ReadAt { file: &self.heads, at })) {
            Ok(content) => Ok(serde_json::from_slice(&content).ok()),
            Err(RecordFault::Damaged) => Ok(None),
            Err(RecordFault::System(error)) => Err(error),
        }
    }

    /// The record of texts there, as it stands; `None` where it is not as it was written.
    ///
    /// # Errors
    /// [`std::io::Error`]: an I/O or permission error.
    pub(super) fn read_texts(&self, TextsAt { at, bytes, checksum }: TextsAt) -> std::io::Result<Option<Vec<u8>>> {
        let Some(file) = self.texts.as_ref().filter(|file| at.saturating_add(bytes) <= file.length()) else {
            return Ok(None);
        };
        let mut record = vec![0; bytes as usize];
        let read = file.read_at(&mut record, at)?;
        let is_it = read == bytes as usize && checksum_of(&record) == checksum && is_whole(&record);
        Ok(is_it.then_some(record))
    }
}

/// The result of `look` for each item. On threads of its own: those who wait for units may hold a lock, and a thread of rayon's
/// that waits takes up other work, which may want it too.
fn on_threads<T: Sync, R: Send>(items: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
    const FEW: usize = 64;
    let threads = rayon::current_num_threads().min(items.len() / FEW);
    if threads < 2 {
        return items.iter().map(look).collect();
    }
    let look = &look;
    std::thread::scope(|scope| {
        let some = |items| scope.spawn(move || <[T]>::iter(items).map(look).collect::<Vec<R>>());
        let threads: Vec<_> = items.chunks(items.len().div_ceil(threads)).map(some).collect();
        let done = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        done.flatten().collect()
    })
}

#[cfg(unix)]
fn is_shared(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| std::os::unix::fs::MetadataExt::nlink(&metadata) > 1)
}

#[cfg(not(unix))]
fn is_shared(_: &Path) -> bool {
    // Nobody knows without asking for more than the standard library tells.
    true
}

/// Where the first record of a file stands: behind its line, or at its very beginning where that is damaged.
fn first_record(file: &RegularFile) -> std::io::Result<u64> {
    let mut line = [0; LINE.len()];
    file.read_at(&mut line, 0)?;
    Ok(if line == *LINE { LINE.len() as u64 } else { 0 })
}

/// A file from a place on.
struct ReadAt<'f> {
    file: &'f RegularFile,
    at: u64,
}

impl Read for ReadAt<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

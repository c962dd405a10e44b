//! The one thread that writes the units of a run. Threads that run pages pack what they wrote and hand it over.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::index::Entry;
use super::pair::{ENDINGS, Pair, TextsAt, beginning, path_of, synced};
use crate::formats::files::{FileError, remove, sync_folder, unwritten};
use crate::formats::record::{checksum_of, record};

/// Units that wait to be written.
const WAITING: usize = 64;

/// The time within which a power cut may lose a unit.
const UNSYNCED: Duration = Duration::from_secs(5);

/// When the next pair is begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of heads and of texts.
    pub(super) bytes: [u64; 2],
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: [256 << 20, 1 << 30] }
    }
}

/// A unit to be written.
pub(super) struct Packed {
    /// [`hash_of`](super::index::hash_of) its page.
    pub(super) hash: u64,
    /// Its head as JSON, without its number and without where its texts stand: these are known when it is written.
    pub(super) head: Vec<u8>,
    /// The record of its texts.
    pub(super) texts: Option<Vec<u8>>,
}

/// The pairs and entries that were written.
#[derive(Default)]
pub(super) struct Written {
    pub(super) entries: Vec<Entry>,
    pub(super) pairs: Vec<WrittenPair>,
}

/// A pair that was written to.
#[derive(Clone, Debug)]
pub(super) struct WrittenPair {
    pub(super) number: u32,
    pub(super) key: String,
    /// Units in it.
    pub(super) units: u64,
    /// Where both files end.
    pub(super) ends: [u64; 2],
}

/// Writes units until it is finished or dropped.
pub(super) struct Writer {
    sender: Option<SyncSender<Packed>>,
    thread: Option<JoinHandle<Result<Written, FileError>>>,
    /// Why it stopped, for those who come too late.
    failed: Arc<OnceLock<Failed>>,
}

/// An error that can be told several times.
struct Failed {
    path: PathBuf,
    kind: io::ErrorKind,
    number: Option<i32>,
    message: String,
}

impl Failed {
    fn of(error: &FileError) -> Self {
        let source = &error.source;
        let (kind, number, message) = (source.kind(), source.raw_os_error(), source.to_string());
        Failed { path: error.path.clone(), kind, number, message }
    }

    fn error(&self) -> FileError {
        let again = || io::Error::new(self.kind, self.message.clone());
        unwritten(&self.path, self.number.map_or_else(again, io::Error::from_raw_os_error))
    }
}

impl Writer {
    /// Writes units of the run `key` into `folder`: behind those of `last` as long as it is small enough, then into
    /// pairs from `next` on.
    pub(super) fn start(
        (folder, key): (&Path, &str),
        last: Option<&Pair>,
        next: u32,
        limits: Limits,
    ) -> Result<Self, FileError> {
        std::fs::create_dir_all(folder).map_err(|error| unwritten(folder, error))?;
        let files = Files { folder: folder.to_owned(), key: key.to_owned(), limits };
        let open = last.map(|last| OpenPair::behind(&files, last)).transpose()?;
        let (sender, receiver) = sync_channel(WAITING);
        let failed = Arc::new(OnceLock::new());
        let of_thread = failed.clone();
        let writing = move || {
            let mut writing = Writing { files, next, open, written: Written::default() };
            let done = writing.take_all(&receiver).map(|()| writing.written);
            if let Err(error) = &done {
                let _ = of_thread.set(Failed::of(error));
            }
            done
        };
        let thread = std::thread::Builder::new().name("units".to_owned()).spawn(writing);
        let thread = thread.map_err(|error| unwritten(folder, error))?;
        Ok(Writer { sender: Some(sender), thread: Some(thread), failed })
    }

    /// Where units are handed over.
    pub(super) fn handle(&self) -> Handle {
        Handle { sender: self.sender.clone(), failed: self.failed.clone() }
    }

    /// Waits until everything is written and on the disk.
    ///
    /// # Errors
    /// [`FileError`]: no room, no permission; what was written before it is whole.
    pub(super) fn finish(mut self) -> Result<Written, FileError> {
        self.sender = None;
        let thread = self.thread.take().map(JoinHandle::join);
        match thread {
            Some(Ok(written)) => written,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(Written::default()),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.sender = None;
        // Who did not finish it does not want to know.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Hands units over to the writer.
pub(super) struct Handle {
    sender: Option<SyncSender<Packed>>,
    failed: Arc<OnceLock<Failed>>,
}

impl Handle {
    /// Hands a unit over, once there is room among those that wait.
    ///
    /// # Errors
    /// [`FileError`]: the writer could not write an earlier one.
    pub(super) fn write(&self, packed: Packed) -> Result<(), FileError> {
        let sent = self.sender.as_ref().is_some_and(|sender| sender.send(packed).is_ok());
        if sent {
            return Ok(());
        }
        // The channel closes a moment after the reason is known, unless the thread panicked.
        Err(match self.failed.get() {
            Some(failed) => failed.error(),
            None => unwritten(Path::new("units"), io::Error::other("the thread that writes has ended")),
        })
    }
}

/// Where pairs are, and what is known of all of them.
struct Files {
    folder: PathBuf,
    key: String,
    limits: Limits,
}

/// The state of the thread.
struct Writing {
    files: Files,
    next: u32,
    open: Option<OpenPair>,
    written: Written,
}

impl Writing {
    fn take_all(&mut self, units: &Receiver<Packed>) -> Result<(), FileError> {
        loop {
            let unit = match self.open.as_ref().and_then(OpenPair::until_sync) {
                Some(wait) => units.recv_timeout(wait),
                None => units.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match unit {
                Ok(unit) => self.write(&unit)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.close(),
            }
            if let Some(open) = self.open.as_mut().filter(|open| open.until_sync() == Some(Duration::ZERO)) {
                open.sync()?;
            }
        }
    }

    fn write(&mut self, unit: &Packed) -> Result<(), FileError> {
        if self.open.as_ref().is_some_and(|open| open.is_full(self.files.limits)) {
            self.close()?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                self.next += 1;
                self.open.insert(OpenPair::new(&self.files, self.next - 1)?)
            }
        };
        let at = open.write(unit)?;
        self.written.entries.push(Entry::new(unit.hash, open.number, at));
        Ok(())
    }

    fn close(&mut self) -> Result<(), FileError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        if open.unsynced_since.is_some() {
            open.sync()?;
        }
        let OpenPair { number, units, ends, .. } = open;
        self.written.pairs.push(WrittenPair { number, key: self.files.key.clone(), units, ends });
        Ok(())
    }
}

/// The pair that is written to.
struct OpenPair {
    folder: PathBuf,
    beginning: Vec<u8>,
    number: u32,
    heads: File,
    /// Made with the first texts.
    texts: Option<File>,
    ends: [u64; 2],
    units: u64,
    unsynced_since: Option<Instant>,
}

impl OpenPair {
    /// A pair behind whose units others can be written: what is no whole unit at its end is cut off.
    fn behind(files: &Files, pair: &Pair) -> Result<Self, FileError> {
        let [heads, texts] = cut(&files.folder, pair.number, pair.ends)?;
        let path = path_of(&files.folder, pair.number, ENDINGS[0]);
        let heads = heads.ok_or_else(|| unwritten(&path, io::ErrorKind::NotFound.into()))?;
        Ok(OpenPair {
            folder: files.folder.clone(),
            beginning: beginning(&files.key),
            number: pair.number,
            heads,
            texts,
            ends: pair.ends,
            units: pair.units,
            unsynced_since: None,
        })
    }

    fn new(files: &Files, number: u32) -> Result<Self, FileError> {
        let beginning = beginning(&files.key);
        // A run that was killed between the two files may have left the other one.
        remove(&path_of(&files.folder, number, ENDINGS[1]))?;
        let heads = begun(&path_of(&files.folder, number, ENDINGS[0]), &beginning)?;
        sync_folder(&files.folder)?;
        Ok(OpenPair {
            folder: files.folder.clone(),
            number,
            heads,
            texts: None,
            ends: [beginning.len() as u64, 0],
            beginning,
            units: 0,
            unsynced_since: None,
        })
    }

    fn is_full(&self, limits: Limits) -> bool {
        self.ends.iter().zip(limits.bytes).any(|(end, most)| *end >= most)
    }

    /// The time that it may stay unsynced.
    fn until_sync(&self) -> Option<Duration> {
        self.unsynced_since.map(|since| UNSYNCED.saturating_sub(since.elapsed()))
    }

    /// Writes a unit; gives where its head stands. Where that fails, both files end behind the unit before.
    fn write(&mut self, unit: &Packed) -> Result<u64, FileError> {
        self.unsynced_since.get_or_insert_with(Instant::now);
        let ends = self.ends;
        let written = self.write_texts(unit).and_then(|texts| self.write_head(unit, texts));
        written.inspect_err(|_| {
            // More than to try is not possible: who opens the pair cuts off what is no unit.
            let _ = self.heads.set_len(ends[0]);
            let _ = self.texts.as_ref().map(|texts| texts.set_len(ends[1]));
        })
    }

    fn write_texts(&mut self, unit: &Packed) -> Result<Option<TextsAt>, FileError> {
        let Some(record) = &unit.texts else { return Ok(None) };
        let path = path_of(&self.folder, self.number, ENDINGS[1]);
        let texts = match &mut self.texts {
            Some(texts) => texts,
            None => {
                let begun = begun(&path, &self.beginning)?;
                sync_folder(&self.folder)?;
                self.ends[1] = self.beginning.len() as u64;
                self.texts.insert(begun)
            }
        };
        texts.write_all(record).map_err(|error| unwritten(&path, error))?;
        let at = TextsAt { at: self.ends[1], bytes: record.len() as u64, checksum: checksum_of(record) };
        self.ends[1] += at.bytes;
        Ok(Some(at))
    }

    fn write_head(&mut self, unit: &Packed, texts: Option<TextsAt>) -> Result<u64, FileError> {
        let texts = serde_json::to_string(&texts).unwrap_or_default();
        let mut json = format!("{{\"number\":{},\"texts\":{texts},", self.units).into_bytes();
        json.extend(&unit.head[1..]);
        let at = self.ends[0];
        self.append(&json)?;
        self.units += 1;
        Ok(at)
    }

    fn append(&mut self, json: &[u8]) -> Result<(), FileError> {
        let failed = |error| unwritten(&path_of(&self.folder, self.number, ENDINGS[0]), error);
        let record = record(json).map_err(failed)?;
        self.heads.write_all(&record).map_err(failed)?;
        self.ends[0] += record.len() as u64;
        Ok(())
    }

    /// Waits until the texts are on the disk, says so among the heads, and waits for these.
    fn sync(&mut self) -> Result<(), FileError> {
        let [heads, texts] = ENDINGS.map(|ending| path_of(&self.folder, self.number, ending));
        if let Some(file) = &self.texts {
            file.sync_data().map_err(|error| unwritten(&texts, error))?;
        }
        let record = synced(self.ends[1], self.units).map_err(|error| unwritten(&heads, error))?;
        let written = self.heads.write_all(&record);
        written.map_err(|error| {
            let _ = self.heads.set_len(self.ends[0]);
            unwritten(&heads, error)
        })?;
        self.ends[0] += record.len() as u64;
        self.heads.sync_data().map_err(|error| unwritten(&heads, error))?;
        self.unsynced_since = None;
        Ok(())
    }
}

/// A new file of a pair.
fn begun(path: &Path, beginning: &[u8]) -> Result<File, FileError> {
    let begin = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(beginning).inspect_err(|_| drop(std::fs::remove_file(path)))?;
        Ok(file)
    };
    begin().map_err(|error| unwritten(path, error))
}

/// Opens both files of a pair for writing, and cuts off what is behind these ends.
pub(super) fn cut(folder: &Path, number: u32, ends: [u64; 2]) -> Result<[Option<File>; 2], FileError> {
    let open = |ending: usize| {
        let path = path_of(folder, number, ENDINGS[ending]);
        let mut options = OpenOptions::new();
        options.write(true);
        #[cfg(unix)]
        {
            use nix::fcntl::OFlag;
            use std::os::unix::fs::OpenOptionsExt;
            options.custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits());
        }
        let mut file = match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| unwritten(&path, error))?,
        };
        let mut cut = || {
            if file.metadata()?.len() != ends[ending] {
                file.set_len(ends[ending])?;
            }
            file.seek(SeekFrom::End(0))
        };
        cut().map_err(|error| unwritten(&path, error))?;
        Ok(Some(file))
    };
    Ok([open(0)?, open(1)?])
}

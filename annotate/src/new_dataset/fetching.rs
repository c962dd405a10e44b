//! The addresses of a list are fetched one after the other. Pages that came are kept, so that the same command goes on where it
//! was cut.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use carat_core::text::urls::host_of;
use serde::{Deserialize, Serialize};

use super::fetch::{Fetched, Fetcher};
use super::{Line, NewError, unpacked};
use crate::digest::sha256;

/// Between two looks at whether the user has given up.
const LOOK: Duration = Duration::from_millis(100);
/// The record of what came, in the dataset's folder, until the dataset is whole.
const JOURNAL: &str = "fetched.jsonl";

/// The way in which addresses are fetched.
pub struct Fetching<'r> {
    /// The rest that each host gets between two requests.
    pub pause: Duration,
    /// True if private networks may be asked.
    pub is_private_allowed: bool,
    /// True as soon as the user has given up.
    pub stopped: &'r dyn Fn() -> bool,
    /// Tells the user a sentence.
    pub tell: &'r dyn Fn(&str),
}

/// A line of the journal.
#[derive(Serialize, Deserialize)]
struct Came {
    address: String,
    line: Line,
}

/// The pages that came already.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    came: BTreeMap<String, Line>,
}

impl Journal {
    /// Opens the journal in `out`. Pages that are not as it says have to be fetched again.
    ///
    /// # Errors
    /// [`NewError`].
    pub(super) fn open(out: &Path) -> Result<Self, NewError> {
        let path = out.join(JOURNAL);
        let cannot = |error: std::io::Error| NewError::System(format!("cannot write {}: {error}", path.display()));
        let mut file =
            OpenOptions::new().read(true).create(true).write(true).truncate(false).open(&path).map_err(cannot)?;
        if let Err(fs::TryLockError::WouldBlock) = file.try_lock() {
            return Err(NewError::System(format!("another carat fetches into {}", out.display())));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(cannot)?;
        // A line that was cut off in the middle is written anew.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(cannot)?;
        let lines = String::from_utf8_lossy(&bytes[..whole]).into_owned();
        let read = lines.lines().filter_map(|line| serde_json::from_str::<Came>(line).ok());
        let is_here = |came: &Came| {
            let stored = fs::read(out.join(&came.line.html.path)).ok().and_then(|packed| unpacked(&packed).ok());
            stored.is_some_and(|bytes| sha256(&bytes) == came.line.html.sha256)
        };
        let came = read.filter(is_here).map(|came| (came.address, came.line)).collect();
        Ok(Journal { file, path, came })
    }

    /// The page of `address`, if it came with this id.
    pub(super) fn page(&self, address: &str, id: &str) -> Option<Line> {
        self.came.get(address).filter(|line| line.id == id).cloned()
    }

    /// Keeps a page.
    ///
    /// # Errors
    /// [`NewError::System`].
    pub(super) fn add(&mut self, address: &str, line: &Line) -> Result<(), NewError> {
        let came = serde_json::json!(Came { address: address.to_owned(), line: line.clone() });
        let written = self.file.write_all(format!("{came}\n").as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| NewError::System(format!("cannot write {}: {error}", self.path.display())))
    }

    /// Ends it: the dataset is whole.
    pub(super) fn end(self) {
        drop(self.file);
        // It does no harm beside a dataset.
        let _ = fs::remove_file(self.path);
    }
}

/// Fetches `addresses`, one at a time, so that each host rests between two of its pages; `done` gets what came of each.
///
/// # Errors
/// [`NewError::Stopped`], or what `done` gives.
pub(super) fn fetch_all(
    fetching: &Fetching<'_>,
    addresses: Vec<(usize, String)>,
    mut done: impl FnMut(usize, Result<Fetched, String>) -> Result<(), NewError>,
) -> Result<(), NewError> {
    let fetcher = Fetcher::new(fetching.is_private_allowed);
    let host = |address: &str| host_of(address).unwrap_or_default();
    let mut waiting: VecDeque<(usize, String, String)> =
        addresses.into_iter().map(|(place, address)| (place, host(&address), address)).collect();
    let mut rests: HashMap<String, Instant> = HashMap::new();
    while !waiting.is_empty() {
        if (fetching.stopped)() {
            return Err(NewError::Stopped(waiting.len()));
        }
        let now = Instant::now();
        let until = |host: &String| rests.get(host).copied().filter(|until| *until > now);
        let Some(at) = waiting.iter().position(|(_, host, _)| until(host).is_none()) else {
            let next = waiting.iter().filter_map(|(_, host, _)| until(host)).min();
            std::thread::sleep(next.map_or(LOOK, |next| LOOK.min(next - now)));
            continue;
        };
        let Some((place, host, address)) = waiting.remove(at) else { continue };
        let Some(outcome) = fetched(&fetcher, address, fetching.stopped) else {
            return Err(NewError::Stopped(waiting.len() + 1));
        };
        rests.insert(host, Instant::now() + fetching.pause);
        done(place, outcome)?;
        if !waiting.is_empty() && waiting.len().is_multiple_of(100) {
            (fetching.tell)(&format!("{} addresses are left", waiting.len()));
        }
    }
    Ok(())
}

/// The outcome of an address; `None` where the user gives up. It is in a thread of its own, for one that waits for a silent server
/// does not see that.
fn fetched(fetcher: &Fetcher, address: String, stopped: &dyn Fn() -> bool) -> Option<Result<Fetched, String>> {
    let (sender, receiver) = channel();
    let fetcher = fetcher.clone();
    std::thread::spawn(move || drop(sender.send(fetcher.get(&address))));
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(outcome) => return Some(outcome),
            Err(RecvTimeoutError::Disconnected) => return Some(Err("it ended in a defect of carat".to_owned())),
            Err(RecvTimeoutError::Timeout) if stopped() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

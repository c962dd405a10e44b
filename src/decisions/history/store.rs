//! The file of a history: JSON Lines, one run per line, to which lines are appended and of which none is changed.
//!
//! A line holds what a baseline of the gate holds ([`crate::decisions::gate::baseline`]): conditions, and the counts of every
//! row on every page. It ends with its SHA-256, and names that of the line before it, so that a line that was changed, removed
//! or put elsewhere is found. A run whose results are those of an earlier line holds no counts of its own.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::decisions::gate::{Snapshot, baseline};
use crate::formats::digest::sha256;
use crate::formats::files::{FileError, FolderLock, write_atomically};
use crate::formats::reading::read_at_most;
use crate::formats::shell::shell_path;

/// The version of the file.
const SCHEMA: u32 = 1;

/// A file of more bytes is no history.
const MOST_BYTES: u64 = 4 << 30;

/// A label has at most so many characters.
const LONGEST_LABEL: usize = 100;

/// Why a history cannot be read or added to.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// There is no such file.
    #[error("there is no history {}; make it with: carat history add {} RUN", path.display(), shell_path(path))]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// A line that is not as it was written.
    #[error("{}:{line}: {message} (E-DIGEST)", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The fault, in one sentence.
        message: String,
    },
    /// A request that cannot be met, in one sentence.
    #[error("{0}")]
    Request(String),
    /// Another program is writing to it.
    #[error("another carat is writing beside {}; wait for it", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A run of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name among the others, such as that of a release.
    pub label: String,
    /// The run's name.
    pub run: String,
    /// The version of carat that made it.
    pub carat: String,
    /// Its result digest.
    pub result_digest: String,
    /// Its conditions and the scores of its rows that read no gold.
    pub snapshot: Snapshot,
}

/// A history that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Its runs, in the order in which they were added.
    pub entries: Vec<Entry>,
    /// The digest of its last line.
    pub(super) last: String,
    pub(super) text: String,
}

/// The result of adding a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Added {
    /// It is a new line.
    Added,
    /// The file has this run under this label already, and is as it was.
    Known,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    carat_history: u32,
    label: String,
    run: String,
    carat: String,
    result_digest: String,
    /// The digest of the line before it; empty in the first line.
    before: String,
    /// The label of the first run with the same results under the same conditions; then there is no snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_as: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snapshot: Option<Json>,
}

/// The text before the digest at the end of a line.
const SEAL: &str = ",\"sha256\":\"";

/// True if the file at `path` is a history, by its first bytes. A file that cannot be read is none.
pub fn is_history(path: &Path) -> bool {
    use std::io::Read;
    const BEGINNING: &[u8] = b"{\"carat_history\":";
    let Ok(file) = crate::formats::reading::RegularFile::open(path) else { return false };
    let mut beginning = Vec::new();
    file.take(BEGINNING.len() as u64).read_to_end(&mut beginning).is_ok() && beginning == BEGINNING
}

/// Reads the history at `path`.
///
/// # Errors
/// [`HistoryError`]: no file, or a line that is not as it was written.
pub fn read(path: &Path) -> Result<History, HistoryError> {
    let bytes = read_at_most(path, MOST_BYTES).map_err(|error| match error.source.kind() {
        ErrorKind::NotFound => HistoryError::Missing { path: path.to_owned() },
        _ => error.into(),
    })?;
    let fault =
        |line: usize, message: &str| HistoryError::Content { path: path.to_owned(), line, message: message.to_owned() };
    // Version control may have given lines another end.
    let text = String::from_utf8(bytes).map_err(|_| fault(1, "is not valid UTF-8, so it is no history"))?;
    let text = text.replace("\r\n", "\n");
    let mut history = History::default();
    for (place, line) in text.split_inclusive('\n').enumerate() {
        history.take(line).map_err(|message| fault(place + 1, &message))?;
    }
    if history.entries.is_empty() {
        return Err(fault(1, "holds no run"));
    }
    history.text = text;
    Ok(history)
}

const CHANGED: &str = "is not as carat wrote it, or a line before it was changed or removed; restore the file from version \
                       control";

impl History {
    /// Takes a line of the file; the error is a sentence without its subject.
    fn take(&mut self, line: &str) -> Result<(), String> {
        let Some(line) = line.strip_suffix('\n') else { return Err("ends in the middle: it was cut".to_owned()) };
        let (lines, digest) = line.rsplit_once(SEAL).ok_or(CHANGED)?;
        if digest.strip_suffix("\"}") != Some(&sha256(lines.as_bytes())) {
            return Err(CHANGED.to_owned());
        }
        let read: Line = serde_json::from_str(&format!("{lines}}}")).map_err(|error| {
            if lines.contains("\"carat_history\":1,") {
                format!("is no run of a history: {error}")
            } else {
                NEWER.to_owned()
            }
        })?;
        if read.carat_history != SCHEMA {
            return Err(NEWER.to_owned());
        }
        if read.before != self.last {
            return Err(CHANGED.to_owned());
        }
        let snapshot = match (read.same_as, read.snapshot) {
            (Some(label), None) => {
                self.entries.iter().find(|known| known.label == label).map(|known| known.snapshot.clone())
            }
            (None, Some(json)) => baseline::from_json(json),
            _ => None,
        };
        let snapshot = snapshot.ok_or(CHANGED)?;
        self.entries.push(Entry {
            label: read.label,
            run: read.run,
            carat: read.carat,
            result_digest: read.result_digest,
            snapshot,
        });
        self.last = sha256(lines.as_bytes());
        Ok(())
    }

    /// Adds `entry`, and gives the line that is new; `None` where its run is there under its label.
    ///
    /// # Errors
    /// A sentence: a label that is none, or that another run has.
    fn add(&mut self, entry: Entry) -> Result<Added, String> {
        check_label(&entry.label)?;
        let is_same = |known: &Entry| {
            known.result_digest == entry.result_digest && known.snapshot.conditions == entry.snapshot.conditions
        };
        if let Some(known) = self.entries.iter().find(|known| known.label == entry.label) {
            return match is_same(known) {
                true => Ok(Added::Known),
                false => {
                    Err(format!("the label `{}` names a run with other results: choose another --label", entry.label))
                }
            };
        }
        let same_as = self.entries.iter().find(|known| is_same(known)).map(|known| known.label.clone());
        let line = Line {
            carat_history: SCHEMA,
            label: entry.label.clone(),
            run: entry.run.clone(),
            carat: entry.carat.clone(),
            result_digest: entry.result_digest.clone(),
            before: self.last.clone(),
            snapshot: same_as.is_none().then(|| baseline::to_json(&entry.snapshot)),
            same_as,
        };
        let json = serde_json::to_string(&line).expect("maps have string keys");
        let open = json.strip_suffix('}').unwrap_or(&json);
        self.last = sha256(open.as_bytes());
        self.text.push_str(&format!("{open}{SEAL}{}\"}}\n", self.last));
        self.entries.push(entry);
        Ok(Added::Added)
    }

    /// The last run, which is what a new one is held against.
    pub fn latest(&self) -> Option<&Entry> {
        self.entries.last()
    }
}

const NEWER: &str = "is of a newer carat, or no run of a history";

fn check_label(label: &str) -> Result<(), String> {
    let is_plain = |c: char| !c.is_control() && !crate::formats::inert::is_steering(c);
    if label.trim().is_empty() || label.chars().count() > LONGEST_LABEL || !label.chars().all(is_plain) {
        return Err(format!("a label has 1 to {LONGEST_LABEL} characters, none of which is a control character"));
    }
    Ok(())
}

/// Appends `entries` to the history at `path`, which is made if it is missing: all of them, or none.
///
/// # Errors
/// [`HistoryError`]: a history that was changed, a label that another run has, or a file that cannot be written; the file is
/// then as it was.
pub fn append(path: &Path, entries: Vec<Entry>) -> Result<Vec<Added>, HistoryError> {
    // A link and its file are one history, with one lock.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Two programs that append at once would lose a line.
    let lock = FolderLock::of(folder)?.ok_or_else(|| HistoryError::Busy { path: path.to_owned() })?;
    let added = append_alone(path, entries);
    lock.remove();
    added
}

/// The same, where no other program appends.
fn append_alone(path: &Path, entries: Vec<Entry>) -> Result<Vec<Added>, HistoryError> {
    let mut history = match read(path) {
        Err(HistoryError::Missing { .. }) => History::default(),
        history => history?,
    };
    let before = history.text.len();
    let added = entries.into_iter().map(|entry| history.add(entry)).collect::<Result<Vec<Added>, String>>();
    let added = added.map_err(HistoryError::Request)?;
    if history.text.len() > before {
        write_atomically(path, history.text.as_bytes())?;
    }
    Ok(added)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::gate::examples::{row, snapshot};

    fn entry(label: &str, matched: u64) -> Entry {
        Entry {
            label: label.to_owned(),
            run: "mine".to_owned(),
            carat: "0.1.0".to_owned(),
            result_digest: format!("sha256:{matched:02}"),
            snapshot: snapshot(vec![row("nta:x=1", &[("s", Some([matched, 8, 10])), ("t", None)])]),
        }
    }

    #[test]
    fn runs_are_appended_and_read_as_they_were_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        assert!(matches!(read(&path), Err(HistoryError::Missing { .. })) && !is_history(&path));
        assert_eq!(append(&path, vec![entry("v1", 5), entry("v2", 6)]).unwrap(), [Added::Added; 2]);
        let first = std::fs::read_to_string(&path).unwrap();
        // A run with the results of an earlier one is a run of its own under another label.
        assert_eq!(append(&path, vec![entry("v3", 5), entry("v1", 5)]).unwrap(), [Added::Added, Added::Known]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&first) && is_history(&path), "no line is changed");
        assert!(text.lines().nth(2).unwrap().contains("\"same_as\":\"v1\"") && text.lines().count() == 3);
        let known = read(&path).unwrap();
        assert_eq!(known.entries, [entry("v1", 5), entry("v2", 6), entry("v3", 5)]);
        assert_eq!(known.latest().unwrap().label, "v3");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn a_label_names_one_run_and_all_runs_are_added_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        append(&path, vec![entry("v1", 5)]).unwrap();
        let before = std::fs::read(&path).unwrap();
        for label in ["v1", "", "a\nb", &"x".repeat(101)] {
            let told = append(&path, vec![entry("v2", 7), entry(label, 6)]).unwrap_err().to_string();
            assert!(told.contains("label"), "{told}");
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
    }

    #[test]
    fn a_line_that_was_changed_cut_removed_or_moved_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        append(&path, vec![entry("v1", 5), entry("v2", 6), entry("v3", 7)]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let damaged = [
            (1, text.replacen("[5,8,", "[6,8,", 1)),
            (3, text[..text.len() - 20].to_owned()),
            (1, lines[1..].concat()),
            (2, [lines[0], lines[2]].concat()),
            (2, [lines[0], lines[2], lines[1]].concat()),
            (2, [lines[0], "{}\n", lines[1]].concat()),
            (1, String::new()),
        ];
        for (line, text) in damaged {
            std::fs::write(&path, &text).unwrap();
            let told = read(&path).unwrap_err().to_string();
            assert!(told.contains(&format!("history.jsonl:{line}: ")), "{told}");
            let refused = append(&path, vec![entry("v4", 8)]).is_err();
            assert!(refused && std::fs::read_to_string(&path).unwrap() == text, "nothing is added to what was changed");
        }
        std::fs::write(&path, text.replace('\n', "\r\n")).unwrap();
        assert_eq!(read(&path).unwrap().entries.len(), 3, "version control may end lines in another way");
    }
}

//! A finished run, read back. `run.json` names the files of the run with the SHA-256 of each, and ends with its own, so
//! that no figure is taken from a file that was cut or changed since.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use csv::StringRecord;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::folder_error::FolderError;
use super::page_outcome::Work;
use super::results::{FAILURES, Failure, InAll};
use super::summary::{Conditions, SCHEMA, Summary};
use crate::formats::cells::text_of;
use crate::formats::digest::{hex, sha256};
use crate::formats::files::FileError;
use crate::formats::reading::{RegularFile, read_at_most, unread};
use crate::text::counted;

/// A row of `sweeps.csv`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SweepRow {
    /// The dataset's name.
    pub dataset: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// Its other parameters, as on the command line.
    pub parameters: String,
    /// The parameter that is swept.
    pub parameter: String,
    /// Its default.
    pub default: String,
    /// The piece's lower end.
    pub from: String,
    /// Whether it belongs to the piece.
    pub from_closed: bool,
    /// The piece's upper end.
    pub to: String,
    /// Whether it belongs to the piece.
    pub to_closed: bool,
    /// Macro precision.
    pub precision: String,
    /// Macro recall.
    pub recall: String,
    /// Macro F1.
    pub f1: String,
    /// Whether it is not separable from the best piece; empty where there are fewer than two sites.
    #[serde(default)]
    pub flat: Option<bool>,
}

/// `run.json` has fewer bytes.
const MOST_BYTES: u64 = 1 << 30;

/// What stands before the digest at the end of `run.json`.
const SEAL: &str = "\n  \"sha256\": \"";

/// `run.json`: written last, so that a folder with one is whole.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// The version of the folder's files.
    pub schema: u32,
    /// The program's version.
    pub carat: String,
    /// SHA-256 of the program.
    pub executable: String,
    /// What moved the figures besides the systems.
    pub conditions: Conditions,
    /// Over every page's and row's counts and text: equal on any machine and number of threads.
    pub result_digest: String,
    /// The sum modulo 2^256 of the SHA-256 of each line of the result digest: sums of parts of the pages add up to it.
    #[serde(default)]
    pub(crate) line_sum: String,
    /// The digest of the plan, and that of the page list: runs that are put together have the same.
    #[serde(default)]
    pub(crate) plan: String,
    #[serde(default)]
    pub(crate) page_list: String,
    /// The pages that a merged run lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) missing: Option<Missing>,
    /// The files of the run by name, as they were written.
    pub files: BTreeMap<String, FileSeal>,
    /// SHA-256 over the pages' URLs and hosts, which programs and rules of sites read
    /// ([`Plan::addresses`](super::plan::Plan::addresses)).
    #[serde(default)]
    pub addresses: String,
    /// External programs by name, each with the digest of its command, version and files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// External programs that kept failing, so that they were not run on some pages: by system, each with the sentence on it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) given_up: BTreeMap<String, String>,
    /// Pages that failed, and algorithms that failed on a page, each with its reason: the first 1 000.
    pub failures: Vec<Failure>,
    /// Things that importers skipped and why, and selectors of gold that matched nothing: the first 1 000.
    pub notes: Vec<String>,
    /// The number of failures and notes, if that is more than are told here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) in_all: Option<InAll>,
    /// How much was asked for and how much was done.
    pub work: Work,
    /// How the run went; no figure depends on it.
    pub circumstances: Circumstances,
}

/// The pages and shards that a merged run lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Missing {
    /// Its pages.
    pub(crate) pages: usize,
    /// The shards that were not given.
    pub(crate) shards: Vec<u32>,
    /// The number of shards; 0 where none was given.
    pub(crate) of: u32,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this run lacks {}", counted(self.pages, "page"))?;
        if !self.shards.is_empty() {
            let shards: Vec<String> = self.shards.iter().map(ToString::to_string).collect();
            let were = if shards.len() == 1 { "was" } else { "were" };
            write!(f, ", because {} of {} shards {were} not given: {}", shards.len(), self.of, shards.join(", "))?;
        }
        f.write_str("; its figures are those of a part")
    }
}

/// How a run went, besides its figures.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Circumstances {
    /// Whether the units hold the texts.
    pub texts: bool,
    /// Pages that an earlier start of the same run had done.
    pub resumed: usize,
    /// Threads that ran; 0 of a run that was put together from others.
    pub threads: usize,
    /// Seconds from the first page to the last.
    pub seconds: f64,
    /// The operating system and the kind of processor.
    pub machine: String,
    /// The datasets that are folders of carat's own format, by name, each with its folder as the command named it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub folders: BTreeMap<String, String>,
}

/// What a file is known by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileSeal {
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its bytes, in lower-case hexadecimal.
    pub sha256: String,
}

impl FileSeal {
    /// That of the file at `path`; `None` where there is none.
    ///
    /// # Errors
    /// [`FileError`]: it cannot be read.
    pub fn of(path: &Path) -> Result<Option<Self>, FileError> {
        Self::open(path)?.map(|file| Self::read(path, file)).transpose()
    }

    /// Whether it is that of the file at `path`. A file of another length is not read: a stranger's may have no end.
    fn is_of(&self, path: &Path) -> Result<bool, FileError> {
        match Self::open(path)? {
            Some(file) if file.length() == self.bytes => Ok(Self::read(path, file)? == *self),
            _ => Ok(false),
        }
    }

    fn open(path: &Path) -> Result<Option<RegularFile>, FileError> {
        match RegularFile::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            file => file.map(Some).map_err(|error| unread(path, error)),
        }
    }

    fn read(path: &Path, file: RegularFile) -> Result<Self, FileError> {
        let mut checked = Checked::new(file);
        checked.skip_rest().map_err(|error| unread(path, error))?;
        Ok(checked.seal())
    }
}

impl RunInfo {
    /// The number of failures.
    pub(crate) fn failure_count(&self) -> usize {
        self.in_all.as_ref().map_or(self.failures.len(), |all| all.failures)
    }

    /// The number of notes.
    pub(crate) fn note_count(&self) -> usize {
        self.in_all.as_ref().map_or(self.notes.len(), |all| all.notes)
    }

    /// The number of pages on which something failed.
    pub(crate) fn failed_pages(&self) -> usize {
        let told = || self.failures.iter().map(|failure| (&failure.dataset, &failure.page)).collect::<BTreeSet<_>>();
        self.in_all.as_ref().map_or_else(|| told().len(), |all| all.failed_pages)
    }

    /// The bytes of `run.json`.
    pub(super) fn sealed(&self) -> Vec<u8> {
        sealed(self)
    }
}

/// JSON whose last member is the SHA-256 of all lines before it.
pub(super) fn sealed(value: &impl Serialize) -> Vec<u8> {
    let json = serde_json::to_string_pretty(value).expect("maps have string keys");
    let open = json.trim_end().strip_suffix("\n}").unwrap_or(&json);
    let lines = format!("{open},\n");
    let digest = sha256(lines.as_bytes());
    format!("{}{SEAL}{digest}\"\n}}\n", lines.trim_end_matches('\n')).into_bytes()
}

/// `text`, if it is as [`sealed`] left it.
pub(super) fn unsealed(text: &str) -> Option<&str> {
    let (lines, digest) = text.rsplit_once(SEAL)?;
    let digest = digest.strip_suffix("\"\n}\n")?;
    (sha256(format!("{lines}\n").as_bytes()) == digest).then_some(text)
}

/// The folder of a finished run.
pub struct RunFolder {
    folder: PathBuf,
    info: RunInfo,
}

impl RunFolder {
    /// Opens the folder of a finished run.
    ///
    /// # Errors
    /// [`FolderError`]: no run, one that is not finished or of another version, or a `run.json` that was changed.
    pub fn open(folder: &Path) -> Result<Self, FolderError> {
        Ok(RunFolder { folder: folder.to_owned(), info: read_info(folder)? })
    }

    /// The folder of a run whose `run.json` will say `info`.
    pub fn of(folder: &Path, info: &RunInfo) -> Self {
        RunFolder { folder: folder.to_owned(), info: info.clone() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// What `run.json` says.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Refuses a merged run that lacks pages.
    ///
    /// # Errors
    /// [`FolderError`].
    pub(crate) fn refuse_partial(&self) -> Result<(), FolderError> {
        match &self.info.missing {
            None => Ok(()),
            Some(missing) => {
                let message =
                    format!("{missing}, so it is neither compared nor verified; merge it again with all shards");
                Err(FolderError::Content { path: self.folder.join("run.json"), message })
            }
        }
    }

    /// Reads `summary.json`.
    ///
    /// # Errors
    /// [`FolderError`]: the file is missing, or not as the run left it.
    pub fn summary(&self) -> Result<Summary, FolderError> {
        const NAME: &str = "summary.json";
        let path = self.folder.join(NAME);
        let seal = self.info.files.get(NAME).ok_or_else(|| changed(&path))?;
        let bytes = read_at_most(&path, seal.bytes).map_err(|error| self.unread(&path, error.source))?;
        if sha256(&bytes) != seal.sha256 {
            return Err(changed(&path));
        }
        let summary: Summary = serde_json::from_slice(&bytes).map_err(|error| not_from_a_run(&path, &error))?;
        Ok(Summary { missing_pages: self.info.missing.as_ref().map_or(0, |missing| missing.pages), ..summary })
    }

    /// Reads `sweeps.csv`; empty where the run has no exact sweep.
    ///
    /// # Errors
    /// As [`RunFolder::summary`].
    pub fn sweeps(&self) -> Result<Vec<SweepRow>, FolderError> {
        self.records("sweeps.csv")
    }

    /// The records of a CSV file of the run; none where the run left no such file.
    ///
    /// # Errors
    /// As [`RunFolder::summary`].
    pub(super) fn records<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, FolderError> {
        let mut records = Vec::new();
        self.for_each_record_if_any(name, |record| records.push(record))?;
        Ok(records)
    }

    /// As [`RunFolder::for_each_record`]; there are none where the run left no such file.
    ///
    /// # Errors
    /// As [`RunFolder::summary`].
    pub(crate) fn for_each_record_if_any<T: DeserializeOwned>(
        &self,
        name: &str,
        take: impl FnMut(T),
    ) -> Result<(), FolderError> {
        if self.info.files.contains_key(name) { self.for_each_record(name, take) } else { Ok(()) }
    }

    /// Hands each record of a CSV file of the run to `take`; the file, which may be of millions of lines, is never held
    /// whole. Nothing that `take` got may be used before this returns: only then all of the file is checked.
    ///
    /// # Errors
    /// As [`RunFolder::summary`].
    pub(super) fn for_each_record<T: DeserializeOwned>(
        &self,
        name: &str,
        mut take: impl FnMut(T),
    ) -> Result<(), FolderError> {
        let path = self.folder.join(name);
        let seal = self.info.files.get(name).ok_or_else(|| changed(&path))?;
        let file = RegularFile::open(&path).map_err(|error| self.unread(&path, error))?;
        if file.length() != seal.bytes {
            return Err(changed(&path));
        }
        let mut checked = Checked::new(file);
        let read = for_each_text(csv::Reader::from_reader(&mut checked), &mut take);
        checked.skip_rest().map_err(|error| unread(&path, error))?;
        if checked.seal() != *seal {
            return Err(changed(&path));
        }
        read.map_err(|error: csv::Error| not_from_a_run(&path, &error))
    }

    /// Hands each failure of the run to `take`, as [`RunFolder::for_each_record`].
    ///
    /// # Errors
    /// As [`RunFolder::summary`].
    pub(crate) fn for_each_failure(&self, mut take: impl FnMut(Failure)) -> Result<(), FolderError> {
        if self.info.files.contains_key(FAILURES) {
            return self.for_each_record(FAILURES, take);
        }
        self.info.failures.iter().for_each(|failure| take(failure.clone()));
        Ok(())
    }

    /// The failures that are `wanted`.
    ///
    /// # Errors
    /// As [`RunFolder::summary`].
    pub(crate) fn failures(&self, wanted: impl Fn(&Failure) -> bool) -> Result<Vec<Failure>, FolderError> {
        let mut failures = Vec::new();
        self.for_each_failure(|failure| failures.extend(wanted(&failure).then_some(failure)))?;
        Ok(failures)
    }

    /// Refuses the file of that name if it is missing, or not as the run left it.
    ///
    /// # Errors
    /// As [`RunFolder::summary`].
    pub(super) fn refuse_changed(&self, name: &str) -> Result<(), FolderError> {
        let path = self.folder.join(name);
        let seal = self.info.files.get(name).ok_or_else(|| changed(&path))?;
        if seal.is_of(&path)? { Ok(()) } else { Err(changed(&path)) }
    }

    /// The first of its files that is not as the run left it.
    ///
    /// # Errors
    /// [`FileError`]: a file that cannot be read.
    pub fn changed_file(&self) -> Result<Option<&str>, FileError> {
        self.changed_files().next().transpose()
    }

    /// Its files that are not as the run left them, each checked when it is asked for.
    pub(super) fn changed_files(&self) -> impl Iterator<Item = Result<&str, FileError>> {
        self.info.files.iter().filter_map(|(name, seal)| match seal.is_of(&self.folder.join(name)) {
            Ok(is_same) => (!is_same).then_some(Ok(name.as_str())),
            Err(error) => Some(Err(error)),
        })
    }

    /// Why a file of the run cannot be read.
    fn unread(&self, path: &Path, error: io::Error) -> FolderError {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::FileTooLarge | ErrorKind::InvalidInput => changed(path),
            _ => unread(path, error).into(),
        }
    }
}

/// The table of a run by several measures, beside the folder of each.
pub const MEASURES_FILE: &str = "measures.csv";

/// True if `folder` holds a run by several measures, each in a folder of its own.
pub fn holds_several_measures(folder: &Path) -> bool {
    folder.join(MEASURES_FILE).is_file() && !folder.join("run.json").exists()
}

/// Reads `run.json`.
///
/// # Errors
/// [`FolderError`]: no such file, not a run of this version, or one that was changed.
fn read_info(folder: &Path) -> Result<RunInfo, FolderError> {
    #[derive(Deserialize)]
    struct Head {
        schema: u32,
    }
    let path = folder.join("run.json");
    let bytes = match read_at_most(&path, MOST_BYTES) {
        Err(error) if error.source.kind() == ErrorKind::NotFound && holds_several_measures(folder) => {
            let message =
                "is missing, because the folder holds a run by several measures: name the folder of one measure in it";
            return Err(FolderError::Content { path, message: message.to_owned() });
        }
        Err(error) if error.source.kind() == ErrorKind::NotFound && folder.join("shard.json").is_file() => {
            let message =
                "is missing, because the folder holds a shard of a run: put all shards together with `carat merge`";
            return Err(FolderError::Content { path, message: message.to_owned() });
        }
        Err(error) if error.source.kind() == ErrorKind::NotFound && folder.join("run.yaml").is_file() => {
            let message =
                "is missing, so the folder holds no finished run; the command that began the run goes on with it";
            return Err(FolderError::Content { path, message: message.to_owned() });
        }
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.source.kind()) => {
            return Err(FolderError::NoRun { path: folder.to_owned() });
        }
        bytes => bytes?,
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| changed(&path))?;
    if let Ok(Head { schema }) = serde_json::from_str(text)
        && schema != SCHEMA
    {
        let message = format!("schema {schema} is not {SCHEMA}, which this program reads; run again with --fresh");
        return Err(FolderError::Content { path, message });
    }
    let text = unsealed(text).ok_or_else(|| changed(&path))?;
    serde_json::from_str(text).map_err(|error| not_from_a_run(&path, &error))
}

/// That a file is missing, was cut or changed.
fn changed(path: &Path) -> FolderError {
    let message = "is missing, or not as the run left it (its SHA-256 is another), so no figure is taken from it; the \
                   command that made the run makes it again";
    FolderError::Content { path: path.to_owned(), message: message.to_owned() }
}

/// Hands each record of a CSV file to `take`, its cells as the texts that they stand for.
fn for_each_text<T: DeserializeOwned>(mut csv: csv::Reader<impl Read>, take: &mut impl FnMut(T)) -> csv::Result<()> {
    let columns = csv.headers()?.clone();
    let mut record = StringRecord::new();
    while csv.read_record(&mut record)? {
        if record.iter().any(|cell| text_of(cell) != cell) {
            let mut texts: StringRecord = record.iter().map(text_of).collect();
            texts.set_position(record.position().cloned());
            record = texts;
        }
        take(record.deserialize(Some(&columns))?);
    }
    Ok(())
}

fn not_from_a_run(path: &Path, error: &dyn std::fmt::Display) -> FolderError {
    FolderError::Content { path: path.to_owned(), message: format!("is not from a run: {error}") }
}

/// A file whose bytes are counted and digested as they are read.
struct Checked {
    file: RegularFile,
    digest: Sha256,
    bytes: u64,
}

impl Checked {
    fn new(file: RegularFile) -> Self {
        Checked { file, digest: Sha256::new(), bytes: 0 }
    }

    fn skip_rest(&mut self) -> io::Result<()> {
        io::copy(self, &mut io::sink()).map(drop)
    }

    fn seal(self) -> FileSeal {
        FileSeal { bytes: self.bytes, sha256: hex(&self.digest.finalize()) }
    }
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.digest.update(&buffer[..length]);
        self.bytes += length as u64;
        Ok(length)
    }
}

#[cfg(test)]
pub(crate) mod examples {
    use super::*;

    /// What `run.json` says of a run that left the files of `folder`.
    pub(crate) fn sealed(folder: &Path) -> RunInfo {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files = names.filter(|name| name.ends_with(".csv") || name == "summary.json");
        let seal = |name: String| (FileSeal::of(&folder.join(&name)).unwrap().map(|seal| (name, seal))).unwrap();
        RunInfo {
            schema: SCHEMA,
            carat: "0.0.0".to_owned(),
            executable: String::new(),
            conditions: Conditions::default(),
            result_digest: "sha256:00".to_owned(),
            line_sum: String::new(),
            plan: String::new(),
            page_list: String::new(),
            missing: None,
            files: files.map(seal).collect(),
            addresses: String::new(),
            programs: BTreeMap::new(),
            given_up: BTreeMap::new(),
            failures: Vec::new(),
            notes: vec!["a note \"sha256\": \"\n".to_owned()],
            in_all: None,
            work: Work::default(),
            circumstances: Circumstances {
                texts: true,
                resumed: 0,
                threads: 1,
                seconds: 0.5,
                machine: "none".to_owned(),
                folders: BTreeMap::new(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::examples::sealed;
    use super::*;

    /// A folder with one file and `run.json`.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("scores.csv"), "a,b\n1,2\n3,4\n").unwrap();
        let info = sealed(folder.path());
        std::fs::write(folder.path().join("run.json"), info.sealed()).unwrap();
        folder
    }

    type Pair = (u8, u8);

    fn read(folder: &Path) -> Result<Vec<Pair>, FolderError> {
        RunFolder::open(folder)?.records("scores.csv")
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = folder();
        assert_eq!(read(folder.path()).unwrap(), [(1, 2), (3, 4)]);
        let run = RunFolder::open(folder.path()).unwrap();
        assert_eq!(run.changed_file().unwrap(), None);
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.path().join("run.json")).unwrap()).unwrap();
        assert_eq!(json["sha256"].as_str().map(str::len), Some(64), "the digest is the last member of plain JSON");
    }

    #[test]
    fn a_flipped_bit_in_any_byte_and_any_cut_is_noticed() {
        let folder = folder();
        for name in ["scores.csv", "run.json"] {
            let path = folder.path().join(name);
            let whole = std::fs::read(&path).unwrap();
            for byte in 0..whole.len() {
                let mut flipped = whole.clone();
                flipped[byte] ^= 1 << (byte % 8);
                std::fs::write(&path, flipped).unwrap();
                assert!(read(folder.path()).is_err(), "{name}, byte {byte}");
            }
            for cut in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
                std::fs::write(&path, &whole[..cut]).unwrap();
                assert!(read(folder.path()).is_err(), "{name}, cut at {cut}");
            }
            std::fs::write(&path, whole).unwrap();
        }
        assert_eq!(read(folder.path()).unwrap().len(), 2);
        std::fs::File::create(folder.path().join("scores.csv")).unwrap().set_len(1 << 40).unwrap();
        assert!(read(folder.path()).is_err(), "a file without end is not read");
        assert_eq!(RunFolder::open(folder.path()).unwrap().changed_file().unwrap(), Some("scores.csv"));
    }
}

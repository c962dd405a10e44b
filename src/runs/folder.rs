//! The run folder: what a run leaves behind, and all that a report reads.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::doors::{name_of_other, stored};
use super::execute::Work;
use super::learned::is_learned;
use super::plan::Plan;
use super::reads_gold::ReadsGold;
use super::results::{Failure, Results};
use super::rows::System;
use super::summary::{Conditions, SCHEMA, Summary, SummaryRow, SweepCurve};
use crate::datasets::DatasetError;
use crate::formats::cells::{cell, text_of};
use crate::formats::files::{FileError, read, remove, remove_temporary, write_atomically};

/// `run.json`: written last, so that a folder with one is whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// SHA-256 over the pages' URLs and hosts, which programs and rules of sites read ([`Plan::addresses`]).
    #[serde(default)]
    pub addresses: String,
    /// Pages that failed, and algorithms that failed on a page, each with its reason.
    pub failures: Vec<Failure>,
    /// What importers skipped and why, and selectors of gold that matched nothing.
    pub notes: Vec<String>,
    /// How much was asked for and how much was done.
    pub work: Work,
    /// How the run went; no figure depends on it.
    pub circumstances: Circumstances,
}

/// How a run went, besides its figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Circumstances {
    /// Whether the units hold the texts.
    pub texts: bool,
    /// Pages that an earlier start of the same run had done.
    pub resumed: usize,
    /// Threads that ran.
    pub threads: usize,
    /// Seconds from the first page to the last.
    pub seconds: f64,
    /// The operating system and the kind of processor.
    pub machine: String,
}

/// A fault of a run folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that is not what it should be.
    #[error("{}: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, in one sentence.
        message: String,
    },
    /// A page list that cannot be read any more, or was changed.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The folder holds another run.
    #[error("{} holds the run of another configuration; choose another --out, or --fresh to replace it", path.display())]
    AnotherPlan {
        /// The folder.
        path: PathBuf,
    },
    /// Another program is at work in the folder.
    #[error("another carat is writing to {}; wait for it, or choose another folder", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
}

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

/// A number as `sweeps.csv` and labels of rows have it: a decimal, a fraction or `inf`. Equal rationals of the sizes that
/// thresholds have give equal numbers; `None` for words.
pub fn number(text: &str) -> Option<f64> {
    let number = match text.split_once('/') {
        Some((part, whole)) => part.parse::<f64>().ok()? / whole.parse::<f64>().ok()?,
        None => text.parse().ok()?,
    };
    (!number.is_nan()).then_some(number)
}

/// What is in a folder before a run.
#[derive(Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing that would be in the way; units of this very run may be there.
    Nothing,
    /// The same run by the same program.
    Finished,
}

/// Looks whether `folder` can take the run of `plan`, or holds it already: the same configuration,
/// the same program, the same bytes of pages, golds and stored outputs, the same external programs, and texts if they
/// are wanted.
///
/// # Errors
/// [`FolderError`]: the run of another configuration, or a page list that was changed.
pub fn look(folder: &Path, plan: &Plan, executable: &str, with_texts: bool) -> Result<Existing, FolderError> {
    let path = folder.join("run.yaml");
    let known = match std::fs::read(&path) {
        Ok(known) => known,
        // What cannot be a folder is told by the one who makes it.
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            return Ok(Existing::Nothing);
        }
        Err(source) => return Err(FileError { action: "cannot read", path, source }.into()),
    };
    if known != plan.configuration.to_yaml().as_bytes() {
        return Err(FolderError::AnotherPlan { path: folder.to_owned() });
    }
    let same_program = |info: &RunInfo| info.executable == executable && info.circumstances.texts >= with_texts;
    let same_pages = |info: &RunInfo| {
        let (digests, addresses) = (plan.digests()?, plan.addresses()?);
        let same_addresses = info.addresses == addresses;
        Ok::<_, DatasetError>(
            same_addresses
                && plan.datasets.iter().all(|dataset| {
                    let known = info.conditions.datasets.get(dataset.name());
                    known.is_some_and(|known| {
                        known.digest == digests[dataset.name()]
                            && (known.dropped, &known.lost) == (dataset.dropped().pages, &dataset.dropped().lost)
                            && known.version == dataset.manifest.version
                            && known.gold_nature == dataset.manifest.gold.nature
                            && known.gold_note == dataset.manifest.gold.note
                    })
                }),
        )
    };
    let same_outputs = |summary: &Summary| {
        let places = 0..plan.datasets.len();
        let outputs = plan.rows.iter().map(|row| match &row.system {
            System::Stored(stored) => stored.outputs.iter().flatten().map(stored::Outputs::system).collect(),
            System::External(external) => vec![external.system()],
            // Its rules may have been changed.
            System::Learned(learned) => {
                places.clone().map(|place| learned.system(plan.reads_gold(row, place))).collect()
            }
            System::Algorithm { .. } | System::Ensemble(_) | System::Bound(_) => Vec::new(),
        });
        let rests_on_more = |name: &str| name_of_other(name).is_some() || is_learned(name);
        let learns = |row: &&SummaryRow| row.reads_gold == Some(ReadsGold::OtherPages);
        let known = summary.rows.iter().filter(|row| rests_on_more(&row.algorithm) || learns(row));
        let compared = summary.agreement.iter().flat_map(|agreement| &agreement.systems);
        let compared = compared
            .filter(|system| rests_on_more(system.label.split(' ').next().unwrap_or_default()))
            .map(|system| &system.system);
        let known: BTreeSet<&String> = known.map(|row| &row.system).chain(compared).collect();
        let outputs: BTreeSet<String> = outputs.flatten().collect();
        known.into_iter().eq(&outputs)
    };
    let finished = match read_info(folder) {
        Ok(info) if same_program(&info) => same_pages(&info)?,
        _ => false,
    };
    let finished = finished && read_summary(folder).is_ok_and(|summary| same_outputs(&summary));
    Ok(if finished { Existing::Finished } else { Existing::Nothing })
}

/// A folder that this program alone writes to: that of a run, or of the tables of a paper.
pub struct Claim {
    folder: PathBuf,
    /// Locked as long as it is open, also against a program that was killed and started again.
    _lock: File,
}

/// What a run leaves besides its units and its report; `run.json` first, for with it the folder counts as
/// finished.
const RESULTS: [&str; 9] = [
    "run.json", "summary.json", "scores.csv", "pages.csv", "agreement.csv", "roles.csv", "sweeps.csv", "tuning.json",
    "times.csv",
];

/// The folders below that of a run whose files are put there once they are whole.
const PARTS: [&str; 3] = ["tables", "figures", "pages"];

/// The file by whose lock a folder is claimed. It stays there: another program may be about to lock it.
const LOCK: &str = ".lock";

impl Claim {
    /// Claims `folder`, which is made if it is missing; tells before the run, not after it, that it
    /// cannot be written to. What a program that was killed left half-written in it is removed.
    ///
    /// # Errors
    /// [`FolderError`]: another program is at work in it, or no permission.
    pub fn of(folder: &Path) -> Result<Self, FolderError> {
        let path = folder.join(LOCK);
        let fault = |source| FileError { action: "cannot write", path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(fault)?;
        let lock = File::create(&path).map_err(fault)?;
        match lock.try_lock() {
            Ok(()) => {
                remove_temporary(folder)?;
                PARTS.iter().try_for_each(|part| remove_temporary(&folder.join(part)))?;
            }
            Err(std::fs::TryLockError::WouldBlock) => return Err(FolderError::Busy { path: folder.to_owned() }),
            // Some file systems cannot lock; there nobody knows whose a half-written file is.
            Err(std::fs::TryLockError::Error(_)) => {}
        }
        Ok(Claim { folder: folder.to_owned(), _lock: lock })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins the run of `plan`: from here the folder holds no results, and takes no other configuration.
    ///
    /// # Errors
    /// [`FolderError`]: a file that cannot be removed or written.
    pub fn begin(&self, plan: &Plan) -> Result<(), FolderError> {
        for name in RESULTS {
            remove(&self.folder.join(name))?;
        }
        Ok(write_atomically(&self.folder.join("run.yaml"), plan.configuration.to_yaml().as_bytes())?)
    }

    /// Writes `summary.json` and `sweeps.csv`. What it returns is for [`Claim::finish`], once the report
    /// is made too.
    ///
    /// # Errors
    /// [`FolderError`]: a file that cannot be written, or a page list that was changed.
    pub fn write(
        &self,
        plan: &Plan,
        results: &Results,
        executable: &str,
        circumstances: Circumstances,
    ) -> Result<RunInfo, FolderError> {
        let Results { summary, curves, digest, failures, notes, work } = results;
        write_atomically(&self.folder.join("summary.json"), &json(summary))?;
        let sweeps_path = self.folder.join("sweeps.csv");
        if curves.is_empty() {
            remove(&sweeps_path)?
        } else {
            write_atomically(&sweeps_path, &sweeps(curves))?
        }
        Ok(RunInfo {
            schema: SCHEMA,
            carat: env!("CARGO_PKG_VERSION").to_owned(),
            executable: executable.to_owned(),
            conditions: summary.conditions.clone(),
            result_digest: digest.clone(),
            addresses: plan.addresses()?,
            failures: failures.clone(),
            notes: notes.clone(),
            work: *work,
            circumstances,
        })
    }

    /// Writes `run.json`: only now the folder counts as finished.
    ///
    /// # Errors
    /// [`FolderError`]: the file cannot be written.
    pub fn finish(self, info: &RunInfo) -> Result<(), FolderError> {
        Ok(write_atomically(&self.folder.join("run.json"), &json(info))?)
    }
}

/// Reads `run.json`.
///
/// # Errors
/// [`FolderError`]: no such file, or not a run of this version.
pub fn read_info(folder: &Path) -> Result<RunInfo, FolderError> {
    read_json(&folder.join("run.json"))
}

/// Reads `summary.json`.
///
/// # Errors
/// [`FolderError`]: no such file, or not a run of this version.
pub fn read_summary(folder: &Path) -> Result<Summary, FolderError> {
    let path = folder.join("summary.json");
    let summary: Summary = read_json(&path)?;
    if summary.schema != SCHEMA {
        let message =
            format!("schema {} is not {SCHEMA}, which this program reads; run again with --fresh", summary.schema);
        return Err(FolderError::Content { path, message });
    }
    Ok(summary)
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, FolderError> {
    let bytes = read(path)?;
    serde_json::from_slice(&bytes)
        .map_err(|error| FolderError::Content { path: path.to_owned(), message: format!("is not from a run: {error}") })
}

/// Reads `sweeps.csv`; empty where the run has no exact sweep.
///
/// # Errors
/// [`FolderError`]: a file that is not from a run.
pub fn read_sweeps(folder: &Path) -> Result<Vec<SweepRow>, FolderError> {
    let path = folder.join("sweeps.csv");
    if !path.exists() {
        return Ok(Vec::new());
    }
    records(&path)
}

/// The records of a CSV file of a run.
pub(super) fn records<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, FolderError> {
    let mut records = Vec::new();
    for_each_record(path, |record| records.push(record))?;
    Ok(records)
}

/// Hands each record of a CSV file of a run to `take`; the file, which may be of millions of lines, is never held whole.
pub(super) fn for_each_record<T: DeserializeOwned>(path: &Path, mut take: impl FnMut(T)) -> Result<(), FolderError> {
    let unread = |source| FileError { action: "cannot read", path: path.to_owned(), source };
    let fault = |error: csv::Error| {
        let message = format!("is not from a run: {error}");
        match error.into_kind() {
            csv::ErrorKind::Io(source) => FolderError::File(unread(source)),
            _ => FolderError::Content { path: path.to_owned(), message },
        }
    };
    let mut csv = csv::Reader::from_reader(File::open(path).map_err(unread)?);
    let columns = csv.headers().map_err(fault)?.clone();
    let mut record = StringRecord::new();
    while csv.read_record(&mut record).map_err(fault)? {
        if record.iter().any(|cell| text_of(cell) != cell) {
            let mut texts: StringRecord = record.iter().map(text_of).collect();
            texts.set_position(record.position().cloned());
            record = texts;
        }
        take(record.deserialize(Some(&columns)).map_err(fault)?);
    }
    Ok(())
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("maps have string keys");
    bytes.push(b'\n');
    bytes
}

fn sweeps(curves: &[SweepCurve]) -> Vec<u8> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for curve in curves {
        for (number, piece) in curve.pieces.iter().enumerate() {
            let figure = |figure: f64| format!("{figure:.6}");
            let text = |text: &str| cell(text).into_owned();
            let row = SweepRow {
                dataset: text(&curve.dataset),
                algorithm: text(&curve.algorithm),
                parameters: text(&curve.label),
                parameter: text(&curve.parameter),
                default: text(&curve.default),
                from: piece.from.to_string(),
                from_closed: piece.from_closed,
                to: piece.to.to_string(),
                to_closed: piece.to_closed,
                precision: figure(piece.mean.precision),
                recall: figure(piece.mean.recall),
                f1: figure(piece.mean.f1),
                flat: curve.flat.as_ref().map(|flat| flat[number]),
            };
            csv.serialize(row).expect("writing to memory does not fail");
        }
    }
    csv.into_inner().expect("writing to memory does not fail")
}

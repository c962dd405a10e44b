//! The run folder while a run is made: who writes to it, what is in it already, and what the run leaves behind.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::doors::external::PREFIX;
use super::folder_error::FolderError;
use super::plan::Plan;
use super::results::{FAILURES, NOTES, Results};
use super::run_folder::SweepRow;
use super::run_folder::{Circumstances, FileSeal, RunFolder, RunInfo};
use super::shards::{page_list, plan_digest};
use super::summary::{SCHEMA, Summary, SummaryRow, SweepCurve};
use super::system::Row;
use crate::datasets::DatasetError;
use crate::formats::cells::cell;
use crate::formats::editors::{header, without_header};
use crate::formats::files::{
    FileError, FolderLock, is_real_folder, remove, remove_temporary, sync_file_system, write_atomically,
};
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};

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
    /// The same run, of which this file is not as the run left it.
    Changed(String),
}

/// Looks whether `folder` can take the run of `plan`, or holds it already: the same configuration,
/// the same program, the same bytes of pages, golds and stored outputs, the same external programs, and texts if they
/// are wanted.
///
/// # Errors
/// [`FolderError`]: the run of another configuration, or a page list that was changed.
pub fn look(folder: &Path, plan: &Plan, executable: &str, with_texts: bool) -> Result<Existing, FolderError> {
    let path = folder.join("run.yaml");
    let known = match read_at_most(&path, MOST_WRITTEN_BYTES) {
        Ok(known) => known,
        // What cannot be a folder is told by the one who makes it.
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.source.kind()) => {
            return Ok(Existing::Nothing);
        }
        Err(error) => return Err(error.into()),
    };
    if without_header(&known) != plan.configuration.to_yaml().as_bytes() {
        return Err(FolderError::AnotherPlan { path: folder.to_owned() });
    }
    let same_program = |info: &RunInfo| {
        let same_texts = info.circumstances.texts >= with_texts;
        info.executable == executable && info.programs == programs(plan) && same_texts
    };
    let same_pages = |info: &RunInfo| {
        let (digests, addresses) = plan.digests_and_addresses()?;
        let golds = plan.datasets.iter().map(|dataset| plan.golds_as_they_stand(dataset));
        let golds = golds.collect::<Result<Vec<Option<String>>, DatasetError>>()?;
        let same_addresses = info.addresses == addresses;
        Ok::<_, DatasetError>(
            same_addresses
                && plan.datasets.iter().zip(&golds).all(|(dataset, golds)| {
                    let known = info.conditions.datasets.get(dataset.name());
                    known.is_some_and(|known| {
                        known.digest == digests[dataset.name()]
                            && known.golds_as_they_stand == *golds
                            && (known.dropped, &known.lost) == (dataset.dropped().pages, &dataset.dropped().lost)
                            && known.version == dataset.manifest.version
                            && known.gold_nature == dataset.manifest.gold.nature
                            && known.gold_note == dataset.manifest.gold.note
                    })
                }),
        )
    };
    // Files of rules, stored outputs and programs may have changed, or be gone.
    let same_outputs = |summary: &Summary| {
        let (others, fixed): (Vec<&Row>, Vec<&Row>) = plan.rows.iter().partition(|row| row.system.rests_on_others());
        let fixed: BTreeSet<String> = fixed.iter().map(|row| row.name_and_label()).collect();
        let is_other = |row: &&SummaryRow| !fixed.contains(format!("{} {}", row.algorithm, row.label()).trim_end());
        let known = summary.rows.iter().filter(is_other).map(|row| &row.system);
        let compared = summary.agreement.iter().flat_map(|agreement| &agreement.systems);
        let compared = compared.filter(|system| !fixed.contains(&system.label)).map(|system| &system.system);
        let known: BTreeSet<&String> = known.chain(compared).collect();
        let lines = others.iter().flat_map(|row| {
            let places = (0..plan.datasets.len()).filter(|&place| row.system.is_of(place));
            places.map(|place| row.system.line(place, &BTreeSet::new()))
        });
        known.into_iter().eq(&lines.collect::<BTreeSet<String>>())
    };
    let Ok(run) = RunFolder::open(folder) else { return Ok(unfinished(folder)) };
    if !same_program(run.info()) || !same_pages(run.info())? {
        return Ok(Existing::Nothing);
    }
    match run.changed_file()?.map(str::to_owned) {
        Some(file) => Ok(Existing::Changed(file)),
        None if same_outputs(&run.summary()?) => Ok(Existing::Finished),
        None => Ok(Existing::Nothing),
    }
}

/// Of a run that cannot be read: one whose `run.json` is there was finished.
fn unfinished(folder: &Path) -> Existing {
    match folder.join("run.json").exists() {
        true => Existing::Changed("run.json".to_owned()),
        false => Existing::Nothing,
    }
}

/// The external programs of `plan` that are others than those of the finished run in `folder`, by name, each with the
/// version that the run states.
pub(crate) fn changed_programs(folder: &Path, plan: &Plan) -> Vec<(String, String)> {
    let Ok(run) = RunFolder::open(folder) else { return Vec::new() };
    let known = &run.info().programs;
    let changed = programs(plan).into_iter().filter(|(name, digest)| known.get(name).is_some_and(|old| old != digest));
    let rows = run.summary().map(|summary| summary.rows).unwrap_or_default();
    let version = |name: &String| {
        let row = rows.iter().find(|row| row.algorithm.strip_prefix(PREFIX) == Some(name.as_str()))?;
        row.system.split(" | ").find_map(|part| part.strip_prefix("version ")).map(str::to_owned)
    };
    changed.filter_map(|(name, _)| version(&name).map(|version| (name, version))).collect()
}

/// The number of pages of the finished run in `folder`, over all datasets.
pub(crate) fn finished_pages(folder: &Path) -> Option<usize> {
    let run = RunFolder::open(folder).ok()?;
    Some(run.info().conditions.datasets.values().map(|dataset| dataset.pages).sum())
}

/// The digest of each external program of the plan, by name.
fn programs(plan: &Plan) -> BTreeMap<String, String> {
    plan.rows.iter().filter_map(|row| row.system.program()).collect()
}

/// A folder that this program alone writes to: that of a run, or of the tables of a paper.
pub struct Claim {
    folder: PathBuf,
    _lock: FolderLock,
}

/// What a run leaves besides its units and its report; `run.json` first, for with it the folder counts as
/// finished.
const RESULTS: [&str; 14] = [
    "run.json", OF_GATE, "shard.json", "summary.json", "scores.csv", "scores.parquet", "pages.csv", "agreement.csv",
    "roles.csv", "sweeps.csv", "tuning.json", "times.csv", FAILURES, NOTES,
];

/// The files whose digests `run.json` holds: the report and other commands read them.
const SEALED: [&str; 11] = [
    "run.yaml", "summary.json", "scores.csv", "scores.parquet", "pages.csv", "agreement.csv", "roles.csv",
    "sweeps.csv", "times.csv", FAILURES, NOTES,
];

/// The folders below that of a run.
const PARTS: [&str; 4] = ["tables", "figures", "pages", "units"];

/// The empty file that says that `carat gate` made the run; a run that is begun in the folder takes it away.
const OF_GATE: &str = "gate-run";

/// True if the folder holds a run that `carat gate` made, and nothing began another one there.
pub(crate) fn is_of_gate(folder: &Path) -> bool {
    folder.join(OF_GATE).is_file()
}

/// Says of the run in `folder` that `carat gate` made it.
///
/// # Errors
/// [`FolderError`]: the file cannot be written.
pub(crate) fn mark_as_of_gate(folder: &Path) -> Result<(), FolderError> {
    Ok(write_atomically(&folder.join(OF_GATE), b"")?)
}

impl Claim {
    /// Claims `folder`, which is made if it is missing; tells before the run, not after it, that it
    /// cannot be written to. What a program that was killed left half-written in it is removed.
    ///
    /// # Errors
    /// [`FolderError`]: another program is at work in it, or no permission.
    pub fn of(folder: &Path) -> Result<Self, FolderError> {
        let failed = |source| FileError { action: "cannot write", path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let Some(lock) = FolderLock::of(folder)? else { return Err(FolderError::Busy { path: folder.to_owned() }) };
        for part in PARTS.map(|part| folder.join(part)) {
            if !is_real_folder(&part)? {
                let message = "is a link or no folder, so nothing is written to it; remove it";
                return Err(FolderError::Content { path: part, message: message.to_owned() });
            }
            // Elsewhere nobody knows whose a half-written file is.
            if lock.is_certain() {
                remove_temporary(&part)?;
            }
        }
        if lock.is_certain() {
            remove_temporary(folder)?;
        }
        Ok(Claim { folder: folder.to_owned(), _lock: lock })
    }

    /// The same; `None` where this user may only read the folder.
    ///
    /// # Errors
    /// [`FolderError`]: as [`Claim::of`], but for the permission.
    pub(crate) fn if_writable(folder: &Path) -> Result<Option<Self>, FolderError> {
        let is_denied = |error: &FileError| {
            matches!(error.source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
        };
        match Claim::of(folder) {
            Err(FolderError::File(error)) if is_denied(&error) => Ok(None),
            claim => claim.map(Some),
        }
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
        let yaml = header("configuration") + &plan.configuration.to_yaml();
        Ok(write_atomically(&self.folder.join("run.yaml"), yaml.as_bytes())?)
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
        let Results { summary, curves, digest, line_sum, failures, notes, in_all, work } = results;
        write_atomically(&self.folder.join("summary.json"), &json(summary))?;
        let sweeps_path = self.folder.join("sweeps.csv");
        if curves.is_empty() {
            remove(&sweeps_path)?
        } else {
            write_atomically(&sweeps_path, &sweeps(curves))?
        }
        // Units are written without waiting for the disk; with `run.json` the run says that they are there.
        sync_file_system(&self.folder)?;
        let info = RunInfo {
            schema: SCHEMA,
            carat: env!("CARGO_PKG_VERSION").to_owned(),
            executable: executable.to_owned(),
            conditions: summary.conditions.clone(),
            result_digest: digest.clone(),
            line_sum: line_sum.to_string(),
            plan: plan_digest(plan),
            page_list: page_list(plan)?,
            missing: None,
            files: BTreeMap::new(),
            addresses: plan.addresses()?,
            programs: programs(plan),
            given_up: plan.given_up.clone(),
            failures: failures.clone(),
            notes: notes.clone(),
            in_all: in_all.clone(),
            work: *work,
            circumstances,
        };
        self.sealed(info)
    }

    /// `info` with the files of the run as they are now.
    ///
    /// # Errors
    /// [`FolderError`]: a file that cannot be read.
    pub fn sealed(&self, info: RunInfo) -> Result<RunInfo, FolderError> {
        let mut files = BTreeMap::new();
        for name in SEALED {
            files.extend(FileSeal::of(&self.folder.join(name))?.map(|seal| (name.to_owned(), seal)));
        }
        Ok(RunInfo { files, ..info })
    }

    /// Writes `run.json`: only now the folder counts as finished.
    ///
    /// # Errors
    /// [`FolderError`]: the file cannot be written.
    pub fn finish(self, info: &RunInfo) -> Result<(), FolderError> {
        Ok(write_atomically(&self.folder.join("run.json"), &info.sealed())?)
    }
}

/// The bytes of `summary.json`.
pub(super) fn json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("maps have string keys");
    bytes.push(b'\n');
    bytes
}

/// The bytes of `sweeps.csv`.
pub(super) fn sweeps(curves: &[SweepCurve]) -> Vec<u8> {
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

//! The run folder: what a run leaves behind, and all that a report reads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::execute::{PageOutcome, Work};
use super::plan::Plan;
use super::summary::{SCHEMA, Summary, SweepCurve};
use crate::datasets::Dataset;
use crate::formats::digest::sha256_of_lines;
use crate::formats::files::{FileError, read, write_atomically};

/// `run.json`: written last, so that a folder with one is whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunInfo {
    /// The version of the folder's files.
    pub schema: u32,
    /// The program's version.
    pub carat: String,
    /// SHA-256 of the program.
    pub executable: String,
    /// Over every page's and row's counts and text: equal on any machine and number of threads.
    pub result_digest: String,
    /// Pages that failed, and algorithms that failed on a page, each with its reason.
    pub failures: Vec<Failure>,
    /// What importers skipped and why, and selectors of gold that matched nothing.
    pub notes: Vec<String>,
    /// How much was asked for and how much was done.
    pub work: WorkInfo,
    /// Threads that ran.
    pub threads: usize,
    /// Seconds from the first page to the last.
    pub seconds: f64,
}

/// A page that failed, or an algorithm on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The dataset's name.
    pub dataset: String,
    /// The page's id.
    pub page: String,
    /// The algorithm that failed on it; absent where the page itself did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Why, in one sentence.
    pub reason: String,
}

/// How often things were asked for and done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkInfo {
    /// Choices asked for.
    pub choices: u64,
    /// Renderings done.
    pub renderings: u64,
    /// Scorings done.
    pub scorings: u64,
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
    /// The folder holds another run.
    #[error("{} holds the run of another configuration; choose another --out, or --fresh to replace it", path.display())]
    AnotherPlan {
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
}

/// What is in a folder before a run.
#[derive(Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing that would be in the way.
    Nothing,
    /// The same run by the same program.
    Finished,
}

/// Looks whether `folder` can take the run of `plan`, or holds it already: the same configuration,
/// the same program, and the same bytes of pages and golds.
///
/// # Errors
/// [`FolderError`]: the run of another configuration, or a folder that cannot be written to.
pub fn look(folder: &Path, plan: &Plan, executable: &str) -> Result<Existing, FolderError> {
    let Ok(known) = std::fs::read_to_string(folder.join("run.yaml")) else {
        try_writing(folder)?;
        return Ok(Existing::Nothing);
    };
    if known != plan.configuration.to_yaml() {
        return Err(FolderError::AnotherPlan { path: folder.to_owned() });
    }
    let same_program = read_info(folder).is_ok_and(|info| info.executable == executable);
    let same_pages = || {
        read_summary(folder).is_ok_and(|summary| {
            let known = summary.conditions.datasets;
            plan.digests().iter().all(|(name, digest)| known.get(name).is_some_and(|known| known.digest == *digest))
        })
    };
    if same_program && same_pages() {
        return Ok(Existing::Finished);
    }
    try_writing(folder)?;
    Ok(Existing::Nothing)
}

/// Tells before the run, not after it, that the folder cannot be written to.
fn try_writing(folder: &Path) -> Result<(), FolderError> {
    let path = folder.join("run.try");
    write_atomically(&path, b"")?;
    let _ = std::fs::remove_file(path);
    Ok(())
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
    let bytes = read(&path)?;
    let rows: Result<Vec<SweepRow>, _> = csv::Reader::from_reader(&*bytes).deserialize().collect();
    rows.map_err(|error| FolderError::Content { path, message: format!("is not from a run: {error}") })
}

/// How a run went, besides its figures.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// SHA-256 of the program.
    pub executable: String,
    /// Threads that ran.
    pub threads: usize,
    /// Seconds from the first page to the last.
    pub seconds: f64,
}

/// Writes `run.yaml`, `summary.json`, `scores.csv`, `pages.csv` and `sweeps.csv`. What it returns is for
/// [`finish`], once the report is made too.
///
/// # Errors
/// [`FolderError`]: a file that cannot be written.
pub fn write(
    folder: &Path,
    plan: &Plan,
    outcomes: &[Vec<PageOutcome>],
    summary: &Summary,
    curves: &[SweepCurve],
    circumstances: &Circumstances,
) -> Result<RunInfo, FolderError> {
    let put = |name: &str, bytes: &[u8]| write_atomically(&folder.join(name), bytes);
    // Without run.json the folder counts as unfinished while it changes.
    let _ = std::fs::remove_file(folder.join("run.json"));
    put("run.yaml", plan.configuration.to_yaml().as_bytes())?;
    put("summary.json", &json(summary))?;
    let scores = scores(plan, outcomes);
    put("scores.csv", &scores.csv)?;
    put("pages.csv", &pages(plan, outcomes))?;
    if curves.is_empty() {
        let _ = std::fs::remove_file(folder.join("sweeps.csv"));
    } else {
        put("sweeps.csv", &sweeps(curves))?;
    }
    let info = RunInfo {
        schema: SCHEMA,
        carat: env!("CARGO_PKG_VERSION").to_owned(),
        executable: circumstances.executable.clone(),
        result_digest: format!("sha256:{}", scores.digest),
        failures: failures(plan, outcomes),
        notes: notes(plan, outcomes),
        work: work(outcomes),
        threads: circumstances.threads,
        seconds: circumstances.seconds,
    };
    Ok(info)
}

/// Writes `run.json`: only now the folder counts as finished.
///
/// # Errors
/// [`FolderError`]: the file cannot be written.
pub fn finish(folder: &Path, info: &RunInfo) -> Result<(), FolderError> {
    Ok(write_atomically(&folder.join("run.json"), &json(info))?)
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("maps have string keys");
    bytes.push(b'\n');
    bytes
}

fn notes(plan: &Plan, outcomes: &[Vec<PageOutcome>]) -> Vec<String> {
    let of_importer = |dataset: &Dataset| {
        let name = dataset.name().to_owned();
        dataset.notes.iter().map(move |note| format!("{name}: {note}")).collect::<Vec<_>>()
    };
    let mut notes: Vec<String> = plan.datasets.iter().flat_map(of_importer).collect();
    for (dataset, pages) in plan.datasets.iter().zip(outcomes) {
        for (record, page) in dataset.records.iter().zip(pages) {
            let unmatched = page.result.iter().flat_map(|result| &result.unmatched);
            let (name, id) = (dataset.name(), &record.id);
            notes.extend(unmatched.map(|one| format!("{name} {id}: the gold's selector `{one}` matches nothing")));
        }
    }
    notes
}

fn work(outcomes: &[Vec<PageOutcome>]) -> WorkInfo {
    let Work { choices, renderings, scorings } =
        outcomes.iter().flatten().fold(Work::default(), |sum, page| sum + page.work);
    WorkInfo { choices, renderings, scorings }
}

/// Pages that failed as a whole, and algorithms that failed on a page, each once.
fn failures(plan: &Plan, outcomes: &[Vec<PageOutcome>]) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (dataset, pages) in plan.datasets.iter().zip(outcomes) {
        for (record, page) in dataset.records.iter().zip(pages) {
            let mut add = |algorithm: Option<&str>, reason: &str| {
                failures.push(Failure {
                    dataset: dataset.name().to_owned(),
                    page: record.id.clone(),
                    algorithm: algorithm.map(str::to_owned),
                    reason: reason.to_owned(),
                });
            };
            if let Err(failure) = &page.result {
                add(None, &failure.reason);
                continue;
            }
            let mut seen = BTreeSet::new();
            let sweeps = plan.sweeps.iter().zip(page.result.iter().flat_map(|result| &result.sweeps));
            for (sweep, curve) in sweeps {
                let name = sweep.algorithm.declaration().name;
                if let Err(reason) = curve
                    && seen.insert(name)
                {
                    add(Some(name), reason);
                }
            }
            for (i, row) in plan.rows.iter().enumerate() {
                if let Some(Err(failure)) = page.row(i)
                    && seen.insert(row.name())
                {
                    add(Some(row.name()), &failure.reason);
                }
            }
        }
    }
    failures
}

/// Units of 1e-12 as a decimal of 6 digits; integers, so that rounding is the same everywhere.
fn six_digits(value: u64) -> String {
    let rounded = (value + 500_000) / 1_000_000;
    format!("{}.{:06}", rounded / 1_000_000, rounded % 1_000_000)
}

/// `scores.csv` and the digest over its counts.
struct Scores {
    csv: Vec<u8>,
    digest: String,
}

/// The columns of `scores.csv`.
const SCORE_COLUMNS: [&str; 15] = [
    "dataset", "page", "site", "language", "kind", "algorithm", "parameters", "matched", "extracted", "gold",
    "precision", "recall", "f1", "status", "text",
];

fn scores(plan: &Plan, outcomes: &[Vec<PageOutcome>]) -> Scores {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut lines = Vec::new();
    write_record(&mut csv, SCORE_COLUMNS);
    let rows: Vec<(&str, String)> = plan.rows.iter().map(|row| (row.name(), row.label())).collect();
    for (dataset, pages) in plan.datasets.iter().zip(outcomes) {
        for (record, page) in dataset.records.iter().zip(pages) {
            for (i, (algorithm, label)) in rows.iter().enumerate() {
                let Some(cell) = cell(page, i) else { continue };
                let [site, language, kind] = [&record.site, &record.language, &record.kind];
                let named =
                    [Some(dataset.name()), Some(&record.id), site.as_deref(), language.as_deref(), kind.as_deref()];
                let named = named.map(Option::unwrap_or_default).into_iter().chain([*algorithm, label]);
                let measured = cell.counts.iter().chain(&cell.scores).map(String::as_str);
                write_record(&mut csv, named.chain(measured).chain([cell.status, cell.text]));
                let row = format!("{algorithm}:{label}");
                let [matched, extracted, gold] = &cell.counts;
                lines.push(
                    [dataset.name(), &record.id, &row, cell.status, matched, extracted, gold, cell.text].join("\t"),
                );
            }
        }
    }
    lines.sort_unstable();
    Scores { csv: bytes(csv), digest: sha256_of_lines(lines.iter().map(String::as_str)) }
}

/// A row's result on a page, as text.
struct ScoreCell<'p> {
    status: &'static str,
    /// `matched, extracted, gold`.
    counts: [String; 3],
    /// Precision, recall, F1.
    scores: [String; 3],
    text: &'p str,
}

fn cell(page: &PageOutcome, row: usize) -> Option<ScoreCell<'_>> {
    let (counts, score) = page.score(row)?;
    let (status, text) = match page.row(row) {
        Some(Ok(result)) => ("ok", &*result.text),
        _ => ("failed", "-"),
    };
    let counts = [counts.matched, counts.extracted, counts.gold].map(|count| count.to_string());
    Some(ScoreCell { status, counts, scores: score.values().map(six_digits), text })
}

fn pages(plan: &Plan, outcomes: &[Vec<PageOutcome>]) -> Vec<u8> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let header = [
        "dataset", "page", "status", "bytes", "encoding", "encoding_source", "replaced", "cap_hits", "nodes", "depth",
        "text", "link", "gold",
    ];
    write_record(&mut csv, header);
    for (dataset, pages) in plan.datasets.iter().zip(outcomes) {
        for (record, page) in dataset.records.iter().zip(pages) {
            let mut fields = vec![dataset.name().to_owned(), record.id.clone()];
            match &page.result {
                Err(_) => {
                    fields.extend(std::iter::once("failed".to_owned()).chain(std::iter::repeat_n(String::new(), 10)))
                }
                Ok(result) => {
                    let facts = &result.facts;
                    let source = serde_json::to_value(facts.encoding_source).ok();
                    let source = source.as_ref().and_then(|source| source.as_str()).unwrap_or_default();
                    let gold = result.sizes.gold.map(|gold| gold.to_string()).unwrap_or_default();
                    fields.extend([
                        "ok".to_owned(),
                        facts.bytes.to_string(),
                        facts.encoding.clone(),
                        source.to_owned(),
                    ]);
                    let numbers = [
                        facts.replaced, facts.cap_hits, facts.nodes, facts.depth, result.sizes.text, result.sizes.link,
                    ];
                    fields.extend(numbers.map(|number| number.to_string()));
                    fields.push(gold);
                }
            }
            write_record(&mut csv, &fields);
        }
    }
    bytes(csv)
}

fn sweeps(curves: &[SweepCurve]) -> Vec<u8> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for curve in curves {
        for piece in &curve.pieces {
            let figure = |figure: f64| format!("{figure:.6}");
            let row = SweepRow {
                dataset: curve.dataset.clone(),
                algorithm: curve.algorithm.clone(),
                parameters: curve.label.clone(),
                parameter: curve.parameter.clone(),
                default: curve.default.clone(),
                from: piece.from.to_string(),
                from_closed: piece.from_closed,
                to: piece.to.to_string(),
                to_closed: piece.to_closed,
                precision: figure(piece.mean.precision),
                recall: figure(piece.mean.recall),
                f1: figure(piece.mean.f1),
            };
            csv.serialize(row).expect("writing to memory does not fail");
        }
    }
    bytes(csv)
}

fn write_record<I: IntoIterator<Item = T>, T: AsRef<[u8]>>(csv: &mut csv::Writer<Vec<u8>>, fields: I) {
    csv.write_record(fields).expect("writing to memory does not fail, and rows have equal lengths");
}

fn bytes(csv: csv::Writer<Vec<u8>>) -> Vec<u8> {
    csv.into_inner().expect("writing to memory does not fail")
}

//! A finished run held against what it was made from: its own files, its configuration, the datasets as they are now, and
//! the results of its pages when they are run again. Each difference is told by its name.

mod again;
mod pages;
mod tables;

use std::collections::BTreeSet;

use serde::Serialize;

pub use self::again::{Again, Sample, run_again, sample};
pub use self::pages::pages;
pub use self::tables::tables;
use super::configuration::{Configuration, RequestError};
use super::folder_error::FolderError;
use super::plan::Plan;
use super::run_folder::RunFolder;
use super::summary::Summary;
use crate::formats::files::FileError;
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};

/// The kind of what differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The program that made the run is another one than this.
    Version,
    /// The configuration.
    Configuration,
    /// A file of the run or of its report.
    File,
    /// The statements of a dataset about itself.
    Dataset,
    /// A page of a dataset.
    Page,
    /// The gold of a page.
    Gold,
    /// A row, or what it comes to on a page.
    Row,
    /// A figure that does not follow from what was computed for each page.
    Result,
}

impl Subject {
    /// As it is told.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Version => "version",
            Subject::Configuration => "configuration",
            Subject::File => "file",
            Subject::Dataset => "dataset",
            Subject::Page => "page",
            Subject::Gold => "gold",
            Subject::Row => "row",
            Subject::Result => "result",
        }
    }
}

/// A thing that is not as the run says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// Its kind.
    pub subject: Subject,
    /// Its name: a file, `DATASET PAGE`, a row.
    pub name: String,
    /// The difference, in one sentence.
    pub message: String,
}

impl Difference {
    /// Of what is called `name`.
    pub fn new(subject: Subject, name: impl Into<String>, message: impl Into<String>) -> Self {
        Difference { subject, name: name.into(), message: message.into() }
    }
}

/// The name of a page among differences.
fn page_name(dataset: &str, page: &str) -> String {
    format!("{dataset} {page}")
}

/// The version of the program that made the run, and the files that it left.
///
/// # Errors
/// [`FileError`]: a file that cannot be read.
pub fn files(run: &RunFolder) -> Result<Vec<Difference>, FileError> {
    let (made_by, this) = (&run.info().carat, env!("CARGO_PKG_VERSION"));
    let mut found = Vec::new();
    if made_by != this {
        let message = format!("carat {made_by} made the run, and this is carat {this}");
        found.push(Difference::new(Subject::Version, made_by, message));
    }
    for name in run.changed_files() {
        let name = name?;
        let subject = if name == CONFIGURATION { Subject::Configuration } else { Subject::File };
        found.push(Difference::new(subject, name, "is missing, or not as the run left it: its SHA-256 is another"));
    }
    Ok(found)
}

/// The file of the configuration.
const CONFIGURATION: &str = "run.yaml";

/// The configuration of the run; its fault where it cannot be read.
///
/// # Errors
/// [`FolderError`]: a file that cannot be read for another reason than that it is missing or no configuration.
pub fn configuration(run: &RunFolder) -> Result<Result<Configuration, Difference>, FolderError> {
    let path = run.path().join(CONFIGURATION);
    let fault = |message: String| Ok(Err(Difference::new(Subject::Configuration, CONFIGURATION, message)));
    let bytes = match read_at_most(&path, MOST_WRITTEN_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.source.kind() == std::io::ErrorKind::NotFound => return fault("is missing".to_owned()),
        Err(error) => return Err(error.into()),
    };
    let Ok(text) = String::from_utf8(bytes) else { return fault("is not valid UTF-8".to_owned()) };
    match Configuration::from_yaml(&path.display().to_string(), &text) {
        Ok(configuration) if configuration.to_yaml() == text => Ok(Ok(configuration)),
        Ok(_) => fault("is not as carat writes it, so it was changed".to_owned()),
        Err(error) => fault(told_alone(&error)),
    }
}

/// A fault of a configuration without the lines that show its place.
fn told_alone(error: &RequestError) -> String {
    format!("is no configuration: {}", error.to_string().lines().next().unwrap_or_default())
}

/// The rows that the configuration asks for, held against those of the run. Where they are not the same, nothing that a unit
/// says can be told to be of a row.
pub fn rows(summary: &Summary, plan: &Plan) -> Vec<Difference> {
    let mut asked = BTreeSet::new();
    for (place, dataset) in plan.datasets.iter().enumerate() {
        let rows = plan.rows.iter().filter(|row| row.system.is_of(place));
        asked.extend(rows.map(|row| (dataset.name().to_owned(), row.name_and_label())));
    }
    let compared = summary
        .agreement
        .iter()
        .flat_map(|known| known.systems.iter().map(|system| (known.dataset.clone(), system.label.clone())));
    let known: BTreeSet<(String, String)> =
        summary.rows.iter().map(|row| (row.dataset.clone(), row.full_label())).chain(compared).collect();
    let told = |(dataset, row): &(String, String), message: &str| {
        Difference::new(Subject::Row, row, format!("on {dataset}: {message}"))
    };
    // A row that is not compared on pages without gold stands nowhere in the summary of a run without any gold.
    let scored: BTreeSet<&str> = summary.rows.iter().map(|row| row.dataset.as_str()).collect();
    let new = asked.difference(&known).filter(|(dataset, _)| scored.contains(dataset.as_str()));
    let new = new.map(|row| told(row, "run.yaml asks for it, and the run has no such row"));
    let gone = known.difference(&asked).map(|row| told(row, "the run has it, and run.yaml does not ask for it"));
    new.chain(gone).collect()
}

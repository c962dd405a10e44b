//! Files that a command is told to write and that are there already: what it wrote before is replaced, what somebody needs is
//! not.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::failure::Failure;

/// Files of a run and of a dataset that their folder is nothing without.
const OF_FOLDERS: [&str; 16] = [
    "agreement.csv", "dataset.yaml", "index.html", "measures.json", "pages.csv", "pages.jsonl", "report.txt",
    "run.json", "run.yaml", "scores.csv", "scores.parquet", "shard.json", "summary.json", "sweeps.csv", "times.csv",
    "tuning.json",
];

/// Bytes in which a file of carat says that it is one.
const FRONT: u64 = 2048;

/// Refuses to write `path`, the value of `option`, over a file that the command reads, or over one that a run or a dataset is
/// made of.
pub(crate) fn refuse_needed(option: &str, path: &Path, read: &[&Path]) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    let same =
        |other: &&Path| fs::canonicalize(other).ok().is_some_and(|other| fs::canonicalize(path).ok() == Some(other));
    let why = if read.iter().any(same) {
        "this command reads it"
    } else if is_of_a_folder(path) {
        "a run or a dataset is made of it"
    } else {
        return Ok(());
    };
    Err(Failure::request(format!("{option} {} would replace the file: {why}; name another", path.display())))
}

fn is_of_a_folder(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_kept = ["run.yaml", "run.json", "dataset.yaml"].iter().any(|name| folder.join(name).is_file());
    is_kept && path.file_name().and_then(|name| name.to_str()).is_some_and(|name| OF_FOLDERS.contains(&name))
}

/// Refuses to write a page that explains over a file that is none.
pub(crate) fn refuse_other_than(mark: &str, option: &str, path: &Path) -> Result<(), Failure> {
    let Ok(file) = File::open(path) else { return Ok(()) };
    let mut front = Vec::new();
    let is_own = file.take(FRONT).read_to_end(&mut front).is_ok() && String::from_utf8_lossy(&front).contains(mark);
    match is_own || front.is_empty() {
        true => Ok(()),
        false => Err(Failure::request(format!(
            "{option} {} is there, and carat did not write it; name another",
            path.display()
        ))),
    }
}

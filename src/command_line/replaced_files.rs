//! Files that a command is told to write and that are there already: what it wrote before is replaced, what somebody needs is
//! not.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::failure::Failure;
use super::planning::{OF_RUNS, holds_a_run};
use crate::report::listed_names;

/// Folders above a file that are looked at.
const ABOVE: usize = 4;

/// Bytes in which a file of carat says that it is one.
const FRONT: u64 = 2048;

/// Refuses to write `path`, the value of `option`, over a file that the command reads, that a run or a dataset is made of, or in
/// which carat keeps what cannot be made again.
pub(crate) fn refuse_needed(option: &str, path: &Path, read: &[&Path]) -> Result<(), Failure> {
    let Some(own) = fs::canonicalize(path).ok().filter(|own| own.is_file()) else { return Ok(()) };
    let why = if read.iter().any(|other| fs::canonicalize(other).is_ok_and(|other| other == own)) {
        "this command reads it"
    } else if is_of_a_run(&own) {
        "a run is made of it"
    } else if is_of_a_dataset(&own) {
        "a dataset is made of it"
    } else if front(&own).contains("\"carat_") {
        "it is a baseline, a history or the log of an annotator"
    } else {
        return Ok(());
    };
    Err(Failure::request(format!("{option} {} would replace the file: {why}; name another", path.display())))
}

fn is_of_a_run(own: &Path) -> bool {
    own.ancestors().skip(1).take(ABOVE).filter(|folder| holds_a_run(folder)).any(|run| {
        let Some(name) = own.strip_prefix(run).ok().and_then(Path::to_str) else { return false };
        OF_RUNS.contains(&name) || listed_names(run).is_ok_and(|listed| listed.contains(name))
    })
}

/// Pages and golds beside a `dataset.yaml`, or in two folders of the usual names.
fn is_of_a_dataset(own: &Path) -> bool {
    let is_dataset = |folder: &Path| folder.join("dataset.yaml").is_file();
    let is_pair = |folder: &Path| {
        let lies_in = |name: &str| own.starts_with(folder.join(name));
        ["html", "gold"].iter().all(|name| folder.join(name).is_dir()) && (lies_in("html") || lies_in("gold"))
    };
    own.ancestors().skip(1).take(ABOVE).any(|folder| is_dataset(folder) || is_pair(folder))
}

/// Refuses to write `path`, the value of `option`, over a file in which `mark` does not stand: carat did not write it.
pub(crate) fn refuse_other_than(mark: &str, option: &str, path: &Path) -> Result<(), Failure> {
    let front = if path.is_file() { front(path) } else { String::new() };
    match front.is_empty() || front.contains(mark) {
        true => Ok(()),
        false => Err(Failure::request(format!(
            "{option} {} is there, and carat did not write it; name another",
            path.display()
        ))),
    }
}

fn front(path: &Path) -> String {
    let mut front = Vec::new();
    // A file that cannot be read is told where it is written.
    let _ = File::open(path).and_then(|file| file.take(FRONT).read_to_end(&mut front));
    String::from_utf8_lossy(&front).into_owned()
}

//! Which folders of runs are near, for those who name one that is none.

use std::collections::BTreeSet;
use std::path::Path;

use crate::formats::shell::shell_word;
use crate::text::nearest;

/// Where runs are made that name no other folder.
const REPORTS: &str = "reports";

/// Folders that a message names at most.
const NAMED: usize = 10;

/// Names of fewer characters are near to any other of so few.
const LEAST_LETTERS: usize = 3;

/// That `path` holds no run, and which folders do.
pub(crate) fn no_run(path: &Path) -> String {
    format!("{} is no folder of a run; {}", path.display(), near(path))
}

/// The folders of runs in `path`, beside it and among the reports, in words that follow a semicolon.
pub(crate) fn near(path: &Path) -> String {
    let places = [path, path.parent().unwrap_or(path), Path::new(REPORTS)];
    let known: BTreeSet<String> = places.into_iter().flat_map(runs_in).collect();
    let last = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = known.iter().map(|known| last(Path::new(known))).collect();
    // One letter in place of another is no slip.
    let is_word = last(path).chars().count() >= LEAST_LETTERS;
    let meant = nearest(&last(path), names.iter().map(String::as_str)).filter(|_| is_word);
    if let Some(meant) = meant.and_then(|meant| known.iter().find(|known| last(Path::new(known)) == meant)) {
        return format!("did you mean {}?", shell_word(meant));
    }
    if known.is_empty() {
        return format!("none is here or in {REPORTS}/, and `carat run` makes one");
    }
    let mut named: Vec<String> = known.iter().take(NAMED).map(|name| shell_word(name)).collect();
    if known.len() > NAMED {
        named.push(format!("{} more", known.len() - NAMED));
    }
    format!("there are {}", named.join(", "))
}

/// The folders of finished runs in `folder`; a run by several measures has one for each of them.
fn runs_in(folder: &Path) -> Vec<String> {
    let is_run = |path: &Path| path.join("run.json").is_file();
    let below = folders_in(folder).into_iter().flat_map(|path| match is_run(Path::new(&path)) {
        true => vec![path],
        false => folders_in(Path::new(&path)).into_iter().filter(|path| is_run(Path::new(path))).collect(),
    });
    below.collect()
}

/// The folders in `folder`; none where it cannot be read.
fn folders_in(folder: &Path) -> Vec<String> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(here).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| folder.join(entry.file_name()).to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_in_a_folder_and_beside_it_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for run in ["some/first", "some/by-measures/lcs-char"] {
            std::fs::create_dir_all(folder.path().join(run)).unwrap();
            std::fs::write(folder.path().join(run).join("run.json"), "{}").unwrap();
        }
        std::fs::create_dir_all(folder.path().join("some/begun")).unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let told = |name: &str| no_run(&folder.path().join(name));
        let both = format!("there are {}, {}", at("some/by-measures/lcs-char"), at("some/first"));
        assert_eq!(told("some"), format!("{} is no folder of a run; {both}", at("some")));
        assert!(told("some/quite-another").ends_with(&both));
        assert!(told("some/frist").ends_with(&format!("did you mean {}?", at("some/first"))));
    }
}

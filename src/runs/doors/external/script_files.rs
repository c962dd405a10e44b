//! The scripts beside a script that it names, and those that they name: what an interpreter loads with it, as far as that can be
//! read off its words.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::formats::reading::RegularFile;

/// The endings of scripts.
const ENDINGS: [&str; 12] = ["py", "js", "mjs", "cjs", "ts", "rb", "pl", "pm", "php", "lua", "R", "sh"];

/// A longer script is not read: nobody wrote it.
const MOST_BYTES: u64 = 1 << 20;

/// So many scripts are followed at most.
const MOST_SCRIPTS: usize = 500;

/// The scripts that `script` loads from its own folder and the folders below, by each word of them that is the name or path
/// of one, with or without its ending: `import parts.clean`, `require("./clean")`, `source clean.sh`. A word that is the name
/// of a folder means the scripts in it. A word too many costs questions that were answered already; one too few would keep
/// old answers. None where `script` has not the ending of one.
pub(super) fn loaded_by(script: &Path) -> Vec<PathBuf> {
    let ending = script.extension().and_then(|ending| ending.to_str());
    let (Some(ending), Some(root)) = (ending.filter(|ending| ENDINGS.contains(ending)), script.parent()) else {
        return Vec::new();
    };
    let mut known = BTreeSet::from([script.to_owned()]);
    let mut unread = vec![script.to_owned()];
    while let Some(next) = unread.pop() {
        let text = RegularFile::open(&next).and_then(|file| file.read_at_most(MOST_BYTES)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let folders: BTreeSet<&Path> = [next.parent().unwrap_or(root), root].into();
        for found in folders.into_iter().flat_map(|folder| named(folder, &words(&text), ending)) {
            if known.len() < MOST_SCRIPTS && known.insert(found.clone()) {
                unread.push(found);
            }
        }
    }
    known.remove(script);
    known.into_iter().collect()
}

/// The words of a script that can be names or paths, each once.
fn words(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_start_matches("./").trim_matches('.'));
    words.filter(|word| !word.is_empty() && !word.starts_with(['/', '-']) && !word.contains("..")).collect()
}

/// The scripts in `folder` that `words` mean.
fn named(folder: &Path, words: &BTreeSet<&str>, ending: &str) -> Vec<PathBuf> {
    let beginning = |name: &str| name.split(['.', '/']).next().unwrap_or_default().to_owned();
    // Few words of a script begin as a file beside it does.
    let beside: BTreeSet<String> =
        entries(folder).map(|path| beginning(&path.file_name().unwrap_or_default().to_string_lossy())).collect();
    let is_script = |path: &PathBuf| path.extension().is_some_and(|own| own == ending) && path.is_file();
    let with_ending = |path: &Path| PathBuf::from(format!("{}.{ending}", path.display()));
    let meant = |word: &&str| {
        let (path, module) = (folder.join(word), folder.join(word.replace('.', "/")));
        let file = [path.clone(), with_ending(&path), with_ending(&module)].into_iter().find(is_script);
        file.map_or_else(|| entries(&module).filter(is_script).collect(), |file| vec![file])
    };
    words.iter().filter(|word| beside.contains(&beginning(word))).flat_map(meant).collect()
}

/// The paths in a folder; none where it cannot be read.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("own").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = folder.path().join("own");
        let found = loaded_by(&root.join(files[0].0));
        found.iter().map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn modules_are_found_with_those_that_they_import() {
        let files = [
            ("worker.py", "import json, extractor\nfrom parts.clean import clean\n"),
            ("extractor.py", "from parts import words\n"),
            ("parts/__init__.py", ""),
            ("parts/clean.py", "from .shared import strip\n"),
            ("parts/shared.py", "import worker\n"),
            ("parts/words.py", ""),
            ("other.py", "import extractor\n"),
            ("extractor.txt", "import other\n"),
        ];
        let expected = ["extractor.py", "parts/__init__.py", "parts/clean.py", "parts/shared.py", "parts/words.py"];
        assert_eq!(names(&files), expected);
    }

    #[test]
    fn paths_of_other_languages_are_found_and_none_outside_the_folder() {
        let files = [
            ("worker.mjs", "import { clean } from './lib/clean.mjs'; import '../secret.mjs'; import '/etc/x.mjs'"),
            ("lib/clean.mjs", "import { words } from './words.mjs'"),
            ("lib/words.mjs", ""),
            ("../secret.mjs", ""),
        ];
        assert_eq!(names(&files), ["lib/clean.mjs", "lib/words.mjs"]);
        assert_eq!(names(&[("run.sh", ". ./common.sh"), ("common.sh", "")]), ["common.sh"]);
        assert_eq!(names(&[("model.bin", "clean"), ("clean.bin", "")]), Vec::<String>::new());
    }
}

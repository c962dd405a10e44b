//! What other programs extracted from a dataset's pages, made earlier.

mod read;
mod webmainbench;

pub(in crate::datasets) use self::webmainbench::systems;

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value as Json};

use super::root::Root;
use super::{Dataset, DatasetError, file_names, hash, shown};
use crate::structure::TextKind;
use crate::text::hint;

/// What another program extracted from a dataset's pages, made earlier. The texts are its own: they
/// pass through no renderer of ours.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// The program's name.
    pub system: String,
    /// Its version; `unknown` for a folder of texts without a manifest.
    pub version: Option<String>,
    /// When the outputs were made.
    pub date: Option<String>,
    /// The settings that it ran with.
    pub settings: Map<String, Json>,
    /// The form in which the texts are written.
    pub kind: TextKind,
    /// What was done to read them that a user should know, a line each.
    pub notes: Vec<String>,
    /// The file or folder, for messages.
    place: String,
    /// By page id: the text, or why the program failed.
    texts: BTreeMap<String, Result<String, String>>,
}

impl Stored {
    /// Reads stored outputs of any kind, told apart by their content: our own lines of JSON (plain, gzip or zstd), the JSON
    /// of article-extraction-benchmark, a folder of `ID.txt`, `ID.md` or `ID.html`, or rows of WebMainBench, which alone
    /// may hold several systems.
    ///
    /// # Errors
    /// [`DatasetError`]: `E-UNKNOWN` where there is nothing at `path`, `E-MISSING`, `E-PATH` or
    /// `E-DIGEST` for a file of a folder, else `E-STORED`.
    pub fn read_all(path: &Path) -> Result<Vec<Stored>, DatasetError> {
        read::read(path)
    }

    /// The text that was extracted from the page `id`, or why the program failed on it. `None`: the
    /// output lacks the page, which was not run.
    pub fn text(&self, id: &str) -> Option<Result<&str, &str>> {
        self.texts.get(id).map(|text| text.as_deref().map_err(String::as_str))
    }

    /// The ids of the pages in the output, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }
}

impl Dataset {
    /// Lists the files of `folder` whose names end in one of `suffixes`; what stands before it is the
    /// system.
    pub(super) fn list_stored(&mut self, folder: &str, suffixes: &[&str]) -> Result<(), DatasetError> {
        let Root::Folder(home) = &self.root else { return Ok(()) };
        let place = home.join(folder);
        if !place.is_dir() {
            return Ok(());
        }
        for name in file_names(&place)? {
            let system = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or_default();
            if system.is_empty() {
                continue;
            }
            let file = place.join(&name);
            let inside = self.root.refuse_outside(&format!("{folder}/{name}"));
            inside.map_err(|fault| fault.of_file(&shown(&file)))?;
            if let Some(other) = self.stored.by_system.get(system).and_then(|files| files.first()) {
                let message = format!("{} holds outputs of `{system}` too; remove one", shown(other));
                return Err(DatasetError::new(Code::Stored, shown(&file), message));
            }
            self.stored.by_system.insert(system.to_owned(), vec![file]);
        }
        Ok(())
    }

    /// The systems whose outputs lie beside the pages, sorted.
    pub fn stored_systems(&self) -> Vec<String> {
        self.stored.by_system.keys().cloned().collect()
    }

    /// Reads the outputs of one of them.
    ///
    /// # Errors
    /// [`DatasetError`]: `E-UNKNOWN` where there is no such system, a fault of the file, or an id that
    /// is no page of this dataset.
    pub fn stored(&self, system: &str) -> Result<Stored, DatasetError> {
        let Some(files) = self.stored.by_system.get(system) else {
            let known = self.stored.by_system.keys().map(String::as_str);
            let message =
                format!("there are no stored outputs of `{system}` beside its pages; {}", hint(system, known));
            return Err(DatasetError::new(Code::Unknown, self.name(), message));
        };
        let mut whole: Option<Stored> = None;
        for file in files {
            let stored = of_system(file, system)?;
            self.check_stored(&stored)?;
            match &mut whole {
                None => whole = Some(stored),
                Some(whole) => whole.texts.extend(stored.texts),
            }
        }
        Ok(whole.unwrap_or_default())
    }

    /// Checks that every page of `stored` is one of this dataset, filtered out of a run or not.
    ///
    /// # Errors
    /// [`DatasetError`] `E-STORED` that names the first five that are not.
    pub fn check_stored(&self, stored: &Stored) -> Result<(), DatasetError> {
        let is_unknown = |id: &&str| self.stored.ids.binary_search(&hash(id.as_bytes())).is_err();
        let unknown: Vec<&str> = stored.ids().filter(is_unknown).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let first = unknown.iter().take(5).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
        let all = stored.texts.len();
        let message = format!("{} of {all} ids are no page of the dataset {}: {first}", unknown.len(), self.name());
        Err(DatasetError::new(Code::Stored, &stored.place, message))
    }
}

/// The outputs of a system in a file that is named after it, or holds pages too.
fn of_system(file: &Path, system: &str) -> Result<Stored, DatasetError> {
    let mut systems = Stored::read_all(file)?;
    match systems.iter().position(|stored| stored.system == system) {
        Some(place) => Ok(systems.swap_remove(place)),
        None => {
            let names: Vec<&str> = systems.iter().map(|stored| stored.system.as_str()).collect();
            let message = format!("the file's name says `{system}`, its content `{}`; rename it", names.join(", "));
            Err(DatasetError::new(Code::Stored, shown(file), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::load::load_folder;

    /// A dataset of the pages a and b, with these files beside them.
    fn dataset(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Dataset, DatasetError>) {
        let folder = tempfile::tempdir().unwrap();
        let manifest =
            "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
        let list = "{\"id\":\"a\",\"html\":{\"text\":\"x\"}}\n{\"id\":\"b\",\"html\":{\"text\":\"y\"}}\n";
        for (path, text) in [("dataset.yaml", manifest), ("pages.jsonl", list)].iter().chain(files) {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let dataset = load_folder(folder.path());
        (folder, dataset)
    }

    #[test]
    fn systems_beside_the_pages_are_found() {
        let a = "{\"system\":\"one\"}\n{\"id\":\"b\",\"text\":\"t\"}\n";
        let (_folder, dataset) = dataset(&[
            ("stored/two.jsonl", "{\"system\":\"2\"}\n"),
            ("stored/one.jsonl.zst", a),
            ("stored/README.md", "x"),
        ]);
        let mut dataset = dataset.unwrap();
        assert_eq!(dataset.stored_systems(), ["one", "two"]);
        // A run's filters leave the page a alone; the output's b is still a page of the dataset.
        dataset.records.retain(|record| record.id == "a").unwrap();
        let stored = dataset.stored("one").unwrap();
        assert_eq!((stored.text("a"), stored.text("b")), (None, Some(Ok("t"))));
        let unknown = dataset.stored("tow").unwrap_err();
        assert_eq!(unknown.code, Code::Unknown);
        assert!(unknown.message.contains("did you mean `two`?"), "{unknown}");
        assert_eq!(dataset.stored("two").unwrap_err().code, Code::Stored);
    }

    #[test]
    fn pages_of_another_dataset_are_told() {
        let mut lines = "{\"system\":\"x\"}\n".to_owned();
        for id in ["a", "p6", "p5", "p4", "p3", "p2", "p1"] {
            lines += &format!("{{\"id\":\"{id}\",\"text\":\"\"}}\n");
        }
        let (folder, dataset) = dataset(&[("stored/x.jsonl", &lines)]);
        let error = dataset.unwrap().stored("x").unwrap_err();
        assert_eq!((error.code, error.file), (Code::Stored, shown(&folder.path().join("stored/x.jsonl"))));
        assert_eq!(error.message, "6 of 7 ids are no page of the dataset demo: `p1`, `p2`, `p3`, `p4`, `p5`");
    }

    #[test]
    fn two_outputs_of_one_system_are_refused() {
        let (_folder, dataset) = dataset(&[("stored/x.jsonl", ""), ("stored/x.jsonl.zst", "")]);
        assert_eq!(dataset.unwrap_err().code, Code::Stored);
    }

    #[cfg(unix)]
    #[test]
    fn outputs_elsewhere_are_refused() {
        let (folder, _) = dataset(&[("stored/y.txt", "")]);
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("stored/x.jsonl")).unwrap();
        let error = load_folder(folder.path()).unwrap_err();
        assert_eq!(error.code, Code::Path);
    }
}

//! Files that lie among a dataset's pages and golds, and that no page has: somebody laid them there and thinks that they
//! count.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::{Finding, Kind};
use crate::datasets::manifest::Record;
use crate::datasets::root::Root;
use crate::datasets::{Dataset, hash};
use crate::formats::inert::one_line;
use crate::text::counted;

/// The files that pages name, and the folders that these are in.
pub(super) struct Named<'d> {
    folder: Option<&'d Path>,
    /// The hashes of the paths.
    paths: HashSet<u64>,
    folders: BTreeSet<String>,
    /// True if golds are in the dataset's folder.
    has_golds: bool,
}

impl<'d> Named<'d> {
    /// None yet. Only what is in the folder of a dataset in carat's own format is looked at, and only if no page was left out:
    /// its files are known.
    pub(super) fn of(dataset: &'d Dataset) -> Self {
        let is_whole = dataset.dropped().listed().next().is_none();
        let folder = match &dataset.root {
            Root::Folder(folder) if is_whole && folder.join("dataset.yaml").is_file() => Some(folder.as_path()),
            _ => None,
        };
        let has_golds = dataset.manifest.gold_folder.is_none();
        let folders = ["pages", "gold"].into_iter().take(1 + usize::from(has_golds)).map(str::to_owned).collect();
        Named { folder, paths: HashSet::new(), folders, has_golds }
    }

    /// Adds what `record` names.
    pub(super) fn add(&mut self, record: &Record) {
        let gold = record.gold.as_ref().and_then(|gold| gold.path()).filter(|_| self.has_golds);
        for path in record.html.path().into_iter().chain(gold) {
            self.paths.insert(hash(path.as_bytes()));
            let folder = path.rsplit_once('/').map(|(folder, _)| folder);
            self.folders.extend(folder.filter(|folder| !self.folders.contains(*folder)).map(str::to_owned));
        }
        // A gold that lies ready and is not named is told when the dataset is loaded.
        if record.gold.is_none() {
            self.paths.insert(hash(format!("gold/{}.txt", record.id).as_bytes()));
        }
    }

    /// The files beside these that nothing names.
    pub(super) fn strays(&self) -> Option<Finding> {
        let folder = self.folder?;
        let in_folder = |name: &String| {
            let files = std::fs::read_dir(folder.join(name)).into_iter().flatten().flatten();
            let files = files.filter(|file| file.file_type().is_ok_and(|kind| kind.is_file()));
            let paths =
                files.filter_map(|file| file.file_name().into_string().ok()).filter(|file| !file.starts_with('.'));
            paths.map(|file| format!("{name}/{file}")).collect::<Vec<_>>()
        };
        let mut strays: Vec<String> = self.folders.iter().flat_map(in_folder).collect();
        strays.retain(|path| !self.paths.contains(&hash(path.as_bytes())));
        strays.sort();
        let first = one_line(strays.first()?);
        let (files, are) = (counted(strays.len(), "file"), if strays.len() == 1 { "is" } else { "are" });
        let message =
            format!("{files} beside pages or golds {are} named by no page, such as `{first}`: no run reads them");
        Some(Finding { kind: Kind::StrayFile, level: Kind::StrayFile.level(), page: None, message })
    }
}

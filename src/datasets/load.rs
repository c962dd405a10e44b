//! Reading a folder of the neutral format, with every check that the format asks for.

use crate::formats::code::Code;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::dataset::{Unchecked, check_stated};
use super::manifest::{HtmlObject, Manifest, Record};
use super::page_list::PageLists;
use super::records::Records;
use super::root::{Fault, Root};
use super::unnamed_golds::UnnamedGolds;
use super::{Dataset, DatasetError, Dropped, check_path, hash, manifest_file, note, shown};
use crate::formats::reading::{is_of_system, patiently};

/// What a load may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loading {
    /// Whether it goes on at faults. `false`: the first ends it. `true`: each is noted, and its page left out, or what
    /// cannot be read of its page list: see [`Dataset::dropped`]. The manifest's own faults end the load all the same, but
    /// for counts and a digest that are not the pages'.
    pub keep_going: bool,
    /// Whether the manifest's `gold_folder` may lead out of the dataset's folder. Only a person may say so: a dataset of a
    /// stranger would have any file of the machine read.
    pub gold_outside: bool,
    /// `true`: the load does not look at the files of pages and golds. Its caller does so later, unless nothing changed since
    /// an earlier look. A load that goes on at faults looks at once.
    pub checked_later: bool,
}

impl Loading {
    /// At faults it goes on.
    pub const KEEP_GOING: Loading = Loading { keep_going: true, gold_outside: false, checked_later: false };
}

/// Loads the dataset in `folder`, which holds `dataset.yaml`.
///
/// # Errors
/// [`DatasetError`]: a fault of the manifest or a page list, a missing file, gold that does not decode.
pub fn load_folder(folder: &Path) -> Result<Dataset, DatasetError> {
    load_folder_with(folder, Loading::default())
}

/// The same, which may go on at faults of pages; no page may be left then.
///
/// # Errors
/// As [`load_folder`], where a fault ends the load.
pub fn load_folder_with(folder: &Path, loading: Loading) -> Result<Dataset, DatasetError> {
    let root = Root::Folder(folder.to_owned());
    let file = shown(&folder.join("dataset.yaml"));
    let mut manifest = manifest_file::read(&root, &file)?;
    let notes = note::take(&mut manifest);
    let gold_root = match &manifest.gold_folder {
        Some(gold) => gold_folder(folder, gold, loading, &file)?,
        None => root.clone(),
    };
    let mut faults = Faults::new(loading);
    let Listed { records, ids, lost, lines, unnamed } = list_pages(folder, &manifest, &mut faults)?;
    let known = ids.iter().chain(&lost).copied().collect();
    let mut dataset = Dataset::new(manifest, records, known, root, gold_root);
    dataset.notes = notes;
    dataset.notes.extend(unnamed.note());
    dataset.list_stored("stored", &[".jsonl.zst", ".jsonl.gz", ".jsonl"])?;
    match loading.keep_going {
        false => dataset.refuse_doubles(&ids, &file)?,
        true => dataset.drop_faulty(&ids, &lines, &file, &mut faults)?,
    }
    faults.of_counts(&dataset, &file)?;
    if dataset.records.is_empty() && faults.dropped.is_whole() {
        return Err(DatasetError::new(Code::Count, &file, "the dataset has no page"));
    }
    if !loading.keep_going {
        dataset.check_or_leave(&file, loading)?;
    }
    faults.of_digest(&dataset, &file)?;
    dataset.dropped = faults.dropped;
    Ok(dataset)
}

/// The folder of golds that a manifest names.
fn gold_folder(folder: &Path, gold: &str, loading: Loading, file: &str) -> Result<Root, DatasetError> {
    let place = folder.join(gold);
    let resolved = |path: &Path| patiently(|| std::fs::canonicalize(path));
    let is_inside = match (resolved(&place), resolved(folder)) {
        (Ok(gold), Ok(home)) => gold.starts_with(home),
        (Err(error), _) | (_, Err(error)) if is_of_system(&error) => {
            return Err(DatasetError::unread(Code::Missing, shown(&place), &error));
        }
        // Golds that are not there are told page by page.
        _ => check_path(gold).is_ok(),
    };
    if is_inside || loading.gold_outside {
        return Ok(Root::Folder(place));
    }
    let message = format!(
        "`gold_folder` leads out of the dataset's folder, to {}: give --gold-outside if you trust this dataset",
        shown(&place)
    );
    Err(DatasetError::new(Code::Path, file, message))
}

/// The faults of a load, as long as they do not end it.
#[derive(Debug)]
pub(super) struct Faults {
    loading: Loading,
    dropped: Dropped,
}

impl Faults {
    /// None yet.
    pub(super) fn new(loading: Loading) -> Self {
        Faults { loading, dropped: Dropped::default() }
    }

    /// Whether there is none yet.
    pub(super) fn has_none(&self) -> bool {
        self.dropped.listed().next().is_none()
    }

    /// What was left out for them.
    pub(super) fn into_dropped(self) -> Dropped {
        self.dropped
    }

    /// Leaves a page out for `fault`, or ends the load with it.
    pub(super) fn page(&mut self, fault: DatasetError) -> Result<(), DatasetError> {
        self.noted(fault, Dropped::page)
    }

    /// Leaves out what cannot be read of `list` for `fault`, or ends the load with it.
    pub(super) fn rest_of(&mut self, list: &str, fault: DatasetError) -> Result<(), DatasetError> {
        self.noted(fault, |dropped, fault| dropped.rest_of(list, fault))
    }

    /// True if the load goes on after a fault.
    pub(super) fn keeps_going(&self) -> bool {
        self.loading.keep_going
    }

    /// Notes `fault`, for which no page is left out, or ends the load with it.
    pub(super) fn whole(&mut self, fault: DatasetError) -> Result<(), DatasetError> {
        self.noted(fault, |dropped, fault| dropped.of_set.push(fault))
    }

    fn noted(
        &mut self,
        fault: DatasetError,
        note: impl FnOnce(&mut Dropped, DatasetError),
    ) -> Result<(), DatasetError> {
        match self.loading.keep_going {
            // Of a system that is in the way no page is to be blamed.
            _ if fault.is_of_system() => Err(fault),
            false => Err(fault),
            true => {
                note(&mut self.dropped, fault);
                Ok(())
            }
        }
    }

    /// Holds the manifest's counts against the pages; golds only where none is left out, for it may have had one.
    fn of_counts(&mut self, dataset: &Dataset, file: &str) -> Result<(), DatasetError> {
        let declared = dataset.manifest.counts.clone().unwrap_or_default();
        let (records, dropped) = (&dataset.records, self.dropped.pages);
        let golds = declared.golds.filter(|_| self.dropped.is_whole());
        for (what, declared, found) in
            [("pages", declared.pages, records.len() + dropped), ("golds", golds, records.golds())]
        {
            if let Some(declared) = declared.filter(|&declared| declared != found) {
                let message = format!("counts says {declared} {what}, there are {found}");
                self.whole(DatasetError::new(Code::Count, file, message))?;
            }
        }
        Ok(())
    }

    /// Holds the manifest's digest against the pages, where none is left out.
    fn of_digest(&mut self, dataset: &Dataset, file: &str) -> Result<(), DatasetError> {
        let Some(expected) = dataset.manifest.digest.as_ref().filter(|_| self.dropped.is_whole()) else {
            return Ok(());
        };
        let found = dataset.digest(|record| dataset.digests(record))?;
        if found == *expected {
            return Ok(());
        }
        let message = format!("the dataset's digest is {found}, not {expected} as the manifest says");
        self.whole(DatasetError::new(Code::Digest, file, message))
    }
}

/// What page lists hold.
struct Listed {
    records: Records,
    /// The hash of each record's id.
    ids: Vec<u64>,
    /// The hashes of the ids of lines that are left out.
    lost: Vec<u64>,
    /// The line of each record, where the load may go on at its fault: to count lines again takes long.
    lines: Vec<usize>,
    unnamed: UnnamedGolds,
}

fn list_pages(folder: &Path, manifest: &Manifest, faults: &mut Faults) -> Result<Listed, DatasetError> {
    let mut lists = PageLists::new(folder, manifest);
    let mut unnamed = UnnamedGolds::new(folder, manifest);
    let (mut places, mut ids, mut lost, mut lines, mut golds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), 0);
    for list in &manifest.pages {
        let added = lists.add(list, |line, read| {
            match read {
                Err(fault) => {
                    lost.extend(fault.page.as_ref().map(|id| hash(id.as_bytes())));
                    faults.page(fault)?;
                }
                Ok((place, record)) => {
                    unnamed.look(&record);
                    places.push(place);
                    ids.push(hash(record.id.as_bytes()));
                    golds += usize::from(record.gold.is_some());
                    lines.extend((faults.loading.keep_going).then_some(line));
                }
            }
            Ok(())
        });
        added.or_else(|fault| faults.rest_of(list, fault))?;
    }
    Ok(Listed { records: Records::placed(Arc::new(lists), places, golds), ids, lost, lines, unnamed })
}

impl Dataset {
    /// Looks for ids that are given twice and for files that are not as they should be: `faults` says whether their pages
    /// are left out. `file` is named where a record is in no page list.
    pub(super) fn check_pages(&mut self, ids: &[u64], file: &str, faults: &mut Faults) -> Result<(), DatasetError> {
        match faults.loading.keep_going {
            false => {
                self.refuse_doubles(ids, file)?;
                self.check_or_leave(file, faults.loading)
            }
            true => self.drop_faulty(ids, &[], file, faults),
        }
    }

    /// Refuses an id that is given twice.
    fn refuse_doubles(&self, ids: &[u64], file: &str) -> Result<(), DatasetError> {
        let Some(double) = self.records.first_double(ids)? else { return Ok(()) };
        let fault = DatasetError::new(Code::Id, file, "the id is given twice");
        Err(self.records.located(double, fault).of_page(&self.records.get(double)?.id))
    }

    /// Leaves out the pages whose id an earlier one has, and those whose files are not as they should be. `lines` are those
    /// of the records, where they stand in lists.
    fn drop_faulty(
        &mut self,
        ids: &[u64],
        lines: &[usize],
        file: &str,
        faults: &mut Faults,
    ) -> Result<(), DatasetError> {
        let doubles: HashSet<usize> = self.records.doubles(ids)?.into_iter().collect();
        let look = |(index, record): (usize, Result<Arc<Record>, DatasetError>)| {
            let checked = record.map(|record| {
                let fault = match doubles.contains(&index) {
                    true => Some(Fault::new(Code::Id, "the id is given twice")),
                    false => self.check_files_of(&record).err(),
                };
                let fault =
                    fault.map(|Fault { code, message }| DatasetError::new(code, file, message).of_page(&record.id));
                fault.map(|fault| (index, DatasetError { line: lines.get(index).copied(), ..fault }))
            });
            checked.transpose()
        };
        let faulty = self.records.par_iter().enumerate().filter_map(look);
        let faulty: Vec<(usize, DatasetError)> = faulty.collect::<Result<_, DatasetError>>()?;
        let indexes: HashSet<usize> = faulty.iter().map(|(index, _)| *index).collect();
        for (index, fault) in faulty {
            faults.page(self.records.located(index, fault))?;
        }
        if indexes.is_empty() { Ok(()) } else { self.records.retain_at(|index, _| !indexes.contains(&index)) }
    }

    /// Checks the files of all pages, or leaves it to [`Dataset::check_files`].
    fn check_or_leave(&mut self, file: &str, loading: Loading) -> Result<(), DatasetError> {
        self.unchecked = Some(Unchecked { records: self.records.clone(), file: file.to_owned() });
        if loading.checked_later {
            return Ok(());
        }
        self.check_files()?;
        self.unchecked = None;
        Ok(())
    }

    /// Checks that every page and gold file is there and that golds decode, before any work, unless the load did.
    ///
    /// # Errors
    /// [`DatasetError`]: the first fault, as a load ends with it.
    pub(crate) fn check_files(&self) -> Result<(), DatasetError> {
        let Some(Unchecked { records, file }) = &self.unchecked else { return Ok(()) };
        let check = |(index, record): (usize, Result<Arc<Record>, DatasetError>)| {
            let record = record?;
            self.check_files_of(&record).map_err(|Fault { code, message }| {
                records.located(index, DatasetError::new(code, file, message)).of_page(&record.id)
            })
        };
        // The first fault of the list, whichever thread finds one first.
        let fault = records.par_iter().enumerate().find_map_first(|page| check(page).err());
        fault.map_or(Ok(()), Err)
    }

    /// Checks the files of one page.
    fn check_files_of(&self, record: &Record) -> Result<(), Fault> {
        let check = |what: &str, root: &Root, path: &str| match root.has(path)? {
            true => Ok(()),
            false => Err(Fault::new(Code::Missing, format!("there is no {what} `{path}` in {root}"))),
        };
        if let Some(path) = record.html.path() {
            check("file", &self.root, path)?;
            let named = |fault: Fault| Fault { message: format!("`{path}`: {}", fault.message), ..fault };
            self.root.refuse_outside(path).map_err(named)?;
        }
        self.check_bytes(record).map_err(|message| Fault::new(Code::Digest, message))?;
        let Some(source) = &record.gold else { return Ok(()) };
        if let Some(path) = source.path() {
            check("gold file", &self.gold_root, path)?;
            if !source.is_text() {
                self.gold_bytes(source, path)?;
            }
        }
        if source.is_text() {
            self.gold_file(source)?;
        }
        // A page that cannot be opened fails when it is run; nodes of another page would be a wrong gold without a word.
        if let Some(nodes) = source.nodes()
            && let Ok(page) = self.open_page(record)
        {
            nodes.selection(&page.tree).map_err(|fault| Fault::new(fault.code(), fault.to_string()))?;
        }
        Ok(())
    }

    /// Checks a page's bytes where the page list says what they are.
    fn check_bytes(&self, record: &Record) -> Result<(), String> {
        let is_stated = |object: &HtmlObject| object.sha256.is_some() || object.bytes.is_some();
        if !record.html.object().is_some_and(is_stated) {
            return Ok(());
        }
        self.page_bytes(record).map_or(Ok(()), |bytes| check_stated(record, &bytes))
    }
}

#[cfg(test)]
mod tests;

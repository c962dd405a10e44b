//! The pages of another dataset, as those of a new one: the dataset of a run, or WARC files.

use std::cell::RefCell;
use std::path::Path;

use carat_annotate::new_dataset::{Given, holds_pages, is_warc};
use serde_json::{Map, Value as Json};

use crate::command_line::arguments::New;
use crate::command_line::failure::Failure;
use crate::command_line::faults::tell_dropped;
use crate::command_line::output::tell;
use crate::command_line::run_folders::no_run;
use crate::datasets::import::{Options, warc};
use crate::datasets::load::Loading;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};
use crate::explain::source::datasets;
use crate::formats::digest::sha256;
use crate::runs::compared_pages::{NOTHING_COMPARED, most_disputed};
use crate::runs::run_folder::{RunFolder, holds_several_measures};
use crate::runs::units::StoredLater;
use crate::text::counted;

/// Faults of records that are told.
const TOLD: usize = 20;

/// Fields of a record that a new dataset has otherwise: its bytes are its own, and it has no gold.
const OTHERWISE: [&str; 7] = ["id", "html", "gold", "site", "url", "language", "x-annotation"];

/// A dataset whose pages become those of a new one.
pub(super) struct Taken {
    dataset: Dataset,
    run: Option<OfRun>,
}

/// The run that the pages are those of.
struct OfRun {
    folder: RunFolder,
    units: StoredLater,
    /// The ids of pages that are not as they were then.
    changed: RefCell<Vec<String>>,
}

impl Taken {
    /// The dataset that `--from` means; `None` where it is saved pages or a list.
    ///
    /// # Errors
    /// [`Failure`]: it cannot be read, no page is in it, or options ask for a run that it is not.
    pub(super) fn read(arguments: &New) -> Result<Option<Self>, Failure> {
        let from = &arguments.from;
        if from.join("run.yaml").is_file() || holds_several_measures(from) {
            return Taken::of_run(arguments).map(Some);
        }
        let of_runs = [("--disputed", arguments.disputed.is_some()), ("--dataset", arguments.dataset.is_some())];
        if let Some((option, _)) = of_runs.into_iter().find(|(_, is_there)| *is_there) {
            return Err(Failure::request(format!("{option} is of a run, and {}", no_run(from))));
        }
        if !is_recorded(from, &arguments.out) {
            return Ok(None);
        }
        let dataset = warc::IMPORTER.read_with(from, &Options::default(), Loading::KEEP_GOING)?;
        dataset.refuse_if_none_is_left()?;
        Ok(Some(Taken { dataset, run: None }))
    }

    fn of_run(arguments: &New) -> Result<Self, Failure> {
        let folder = RunFolder::open(&arguments.from)?;
        let loading = Loading { gold_outside: arguments.trust.gold_outside, ..Loading::default() };
        let (datasets, _) = datasets(&arguments.from.to_string_lossy(), loading)?;
        let dataset = chosen(datasets, arguments)?;
        tell_dropped(&dataset);
        if dataset.manifest.annotations.is_some() {
            let name = dataset.name();
            let way_out = format!("`carat dataset export {name} --out DIR` makes a copy that can be annotated");
            return Err(Failure::request(format!("the pages of {name} hold marks of their gold; {way_out}")));
        }
        let units = StoredLater::new(folder.path());
        Ok(Taken { dataset, run: Some(OfRun { folder, units, changed: RefCell::default() }) })
    }

    /// The dataset's name.
    pub(super) fn name(&self) -> &str {
        self.dataset.name()
    }

    /// True if its pages are those of a run, which knows their languages.
    pub(super) fn is_of_run(&self) -> bool {
        self.run.is_some()
    }

    /// The ids of its pages that the systems of the run dispute, the most disputed one first.
    ///
    /// # Errors
    /// [`Failure`]: the run compares systems on none of them, or its files were changed.
    pub(super) fn disputed(&self) -> Result<Vec<String>, Failure> {
        let Some(OfRun { folder, .. }) = &self.run else { return Ok(Vec::new()) };
        match most_disputed(folder, self.name())? {
            ids if ids.is_empty() => {
                Err(Failure::request(format!("--disputed: {} {NOTHING_COMPARED}", folder.path().display())))
            }
            ids => Ok(ids),
        }
    }

    /// Its pages, in the order of the dataset.
    ///
    /// # Errors
    /// [`Failure`]: a file was changed.
    pub(super) fn pages(&self) -> Result<Vec<Given<'_>>, Failure> {
        let pages: Result<Vec<_>, DatasetError> =
            self.dataset.records.iter().map(|record| Ok(self.page(&*record?))).collect();
        Ok(pages?)
    }

    fn page(&self, record: &Record) -> Given<'_> {
        let mut whole = record.clone();
        if let Some(details) = &mut whole.details {
            // What is wrong with a gold is nothing of a page without one.
            details.faults.retain(|fault| !fault.starts_with("gold_"));
        }
        let mut other = match serde_json::to_value(&whole) {
            Ok(Json::Object(fields)) => fields,
            _ => Map::new(),
        };
        other.retain(|field, _| !OTHERWISE.contains(&field.as_str()));
        Given {
            id: record.id.clone(),
            url: record.details().url.clone(),
            site: record.site.clone(),
            language: record.language.clone(),
            other,
            bytes: Box::new(move || self.bytes(&whole)),
        }
    }

    /// The bytes of a page; one that is not as the run had it is remembered.
    fn bytes(&self, record: &Record) -> Result<Vec<u8>, String> {
        let bytes = self.dataset.page_bytes(record)?;
        if let Some(OfRun { units, changed, .. }) = &self.run {
            let known = units.get().and_then(|units| units.page(self.name(), &record.id));
            if known.is_ok_and(|(outcome, _)| outcome.digests.page != sha256(&bytes)) {
                changed.borrow_mut().push(record.id.clone());
            }
        }
        Ok(bytes)
    }

    /// Tells what is to be known of the pages that were taken.
    pub(super) fn tell(&self) {
        match &self.run {
            Some(run) => run.tell(&self.dataset),
            None => self.tell_of_records(),
        }
    }

    /// Tells of the records that are no pages, and of those that cannot be read.
    fn tell_of_records(&self) {
        self.dataset.notes.iter().for_each(|note| tell(&format!("note: {note}")));
        let dropped = self.dataset.dropped();
        dropped.listed().take(TOLD).for_each(|fault| tell(&format!("passed over: {fault}")));
        let more = dropped.unlisted() + dropped.listed().count().saturating_sub(TOLD);
        if more > 0 {
            tell(&format!("passed over: {more} more"));
        }
    }
}

impl OfRun {
    /// Tells of gold that is not taken, and of pages that were changed since the run.
    fn tell(&self, dataset: &Dataset) {
        let (pages, golds) = (counted(dataset.records.len(), "page"), dataset.records.golds());
        if golds > 0 {
            let name = dataset.name();
            tell(&format!(
                "note: gold is not copied, for a new dataset has none: {golds} of the {pages} of {name} have gold"
            ));
        }
        let changed = self.changed.borrow();
        if !changed.is_empty() {
            let shown: Vec<&str> = changed.iter().take(TOLD).map(String::as_str).collect();
            let more = if changed.len() > TOLD { ", .." } else { "" };
            let pages = counted(changed.len(), "page");
            tell(&format!("warning: {pages} changed since the run: {}{more}", shown.join(", ")));
        }
    }
}

/// True for a WARC file, and for a folder with WARC files and without saved pages; `out` is not looked into.
fn is_recorded(path: &Path, out: &Path) -> bool {
    if path.is_dir() { warc::are_in(path) && !holds_pages(path, out) } else { is_warc(&path.to_string_lossy()) }
}

/// The one dataset of a run, or that of several which is named.
fn chosen(mut datasets: Vec<Dataset>, arguments: &New) -> Result<Dataset, Failure> {
    let from = arguments.from.display();
    let names = datasets.iter().map(|dataset| dataset.name().to_owned()).collect::<Vec<_>>().join(", ");
    if let Some(name) = &arguments.dataset {
        datasets.retain(|dataset| dataset.name() == name);
        let unknown = || Failure::request(format!("{from} has no dataset `{name}`; it has {names}"));
        return datasets.pop().ok_or_else(unknown);
    }
    match datasets.len() {
        1 => Ok(datasets.remove(0)),
        _ => Err(Failure::request(format!("{from} is a run of several datasets: name one by --dataset: {names}"))),
    }
}

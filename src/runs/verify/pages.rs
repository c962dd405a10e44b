//! The pages of a run, held against those of its datasets.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::{Difference, Subject, page_name};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Digests};
use crate::runs::folder_error::FolderError;
use crate::runs::guarding::{digests, gold_as_it_stands};
use crate::runs::pages::read_page_lines;
use crate::runs::plan::Plan;
use crate::runs::run_folder::RunFolder;
use crate::runs::summary::DatasetConditions;
use crate::runs::units::StoredLater;

/// The differences between the datasets of `plan` and those that `run` knows: the dataset itself, each page, and each gold.
///
/// # Errors
/// [`DatasetError`]: a file of a dataset that cannot be read, or a page list that was changed meanwhile.
pub fn pages(run: &RunFolder, plan: &Plan) -> Result<Vec<Difference>, DatasetError> {
    let mut found = Vec::new();
    let lines = read_page_lines(run).ok();
    let stored = StoredLater::new(run.path());
    for dataset in &plan.datasets {
        let known = lines.as_ref().map(|lines| {
            let of_dataset = lines.iter().filter(|line| line.dataset == dataset.name());
            of_dataset.map(|line| line.page.as_str()).collect::<BTreeSet<&str>>()
        });
        let own = Mutex::new((Vec::new(), BTreeSet::new()));
        let of_page = |record: &Record| {
            let now = current(dataset, record, plan);
            let told = of_page(&stored, dataset, record, known.as_ref(), &now);
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            own.0.extend(told);
            own.1.insert(record.id.clone());
            Digests { gold_as_it_stands: None, ..now }
        };
        let digest = dataset.digest(of_page)?;
        let (mut told, there) = own.into_inner().unwrap_or_else(PoisonError::into_inner);
        let gone = known.iter().flatten().filter(|page| !there.contains(**page));
        told.extend(gone.map(|page| {
            let name = page_name(dataset.name(), page);
            Difference::new(Subject::Page, name, "is in the run, and not in the dataset any more")
        }));
        told.sort();
        // Of a file that is damaged every page tells the same.
        told.dedup();
        let conditions = run.info().conditions.datasets.get(dataset.name());
        let of_pages = told.is_empty();
        found.extend(conditions.map_or_else(Vec::new, |known| of_dataset(dataset, known, of_pages, &digest)));
        found.extend(told);
    }
    let names: BTreeSet<&str> = plan.datasets.iter().map(Dataset::name).collect();
    for name in run.info().conditions.datasets.keys().filter(|name| !names.contains(name.as_str())) {
        found.push(Difference::new(Subject::Dataset, name, "is in the run, and run.yaml does not name it"));
    }
    if !run.info().addresses.is_empty() && run.info().addresses != plan.addresses()? {
        found.push(Difference::new(Subject::Dataset, "URLs and hosts", "the page lists state others than they did"));
    }
    Ok(found)
}

/// The digests that a unit would hold of the page now.
fn current(dataset: &Dataset, record: &Record, plan: &Plan) -> Digests {
    let mut now = digests(dataset, record);
    now.gold_as_it_stands = gold_as_it_stands(dataset, record, plan.configuration.comparison);
    now
}

/// The differences of a page that the dataset has.
fn of_page(
    stored: &StoredLater,
    dataset: &Dataset,
    record: &Record,
    known: Option<&BTreeSet<&str>>,
    now: &Digests,
) -> Vec<Difference> {
    let name = page_name(dataset.name(), &record.id);
    if known.is_some_and(|known| !known.contains(record.id.as_str())) {
        return vec![Difference::new(Subject::Page, name, "is in the dataset, and was not in the run")];
    }
    let before = match stored.get().and_then(|stored| stored.page(dataset.name(), &record.id)) {
        Ok((outcome, _)) => outcome.digests,
        Err(FolderError::Content { path, message }) => {
            return vec![Difference::new(Subject::File, path.display().to_string(), message)];
        }
        Err(error) => return vec![Difference::new(Subject::File, name, error.to_string())],
    };
    let mut told = Vec::new();
    if before.page != now.page {
        told.push(Difference::new(Subject::Page, &name, differs("its HTML", &before.page, &now.page)));
    }
    if before.gold != now.gold {
        told.push(Difference::new(Subject::Gold, &name, differs("the gold text", &before.gold, &now.gold)));
    } else if before.gold_as_it_stands != now.gold_as_it_stands || before.roles != now.roles {
        told.push(Difference::new(Subject::Gold, &name, "the file of the gold is not as it was when the page was run"));
    }
    told
}

/// That bytes are others than they were.
fn differs(what: &str, before: &str, now: &str) -> String {
    let short = |digest: &str| digest.chars().take(12).collect::<String>();
    match now {
        "-" => format!("{what} is missing or cannot be read"),
        _ => format!("{what} is not as it was: SHA-256 {}, was {}", short(now), short(before)),
    }
}

/// The differences of a dataset beside its pages.
fn of_dataset(dataset: &Dataset, known: &DatasetConditions, of_pages: bool, digest: &str) -> Vec<Difference> {
    let told = |message: String| Difference::new(Subject::Dataset, dataset.name(), message);
    let mut found = Vec::new();
    if digest != known.digest {
        let short = |digest: &str| digest.chars().take(19).collect::<String>();
        let why =
            if of_pages { "; no page and no gold differs, so it is what the page list states of them" } else { "" };
        found.push(told(format!("its digest is {}, was {}{why}", short(digest), short(&known.digest))));
    }
    let (now, gold) = (&dataset.manifest, &dataset.manifest.gold);
    // Of one's own files the beginning of the digest is the version.
    if now.version != known.version && !known.digest.contains(&known.version) {
        found.push(told(format!("its version is {}, was {}", now.version, known.version)));
    }
    if (&gold.nature, &gold.note) != (&known.gold_nature, &known.gold_note) {
        found.push(told("it says something else of who made the gold".to_owned()));
    }
    if (dataset.dropped().pages, &dataset.dropped().lost) != (known.dropped, &known.lost) {
        found.push(told("other pages are left out for their faults".to_owned()));
    }
    found
}

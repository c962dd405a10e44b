//! The pages of the runs that are put together: each is there, in its shard, and the same wherever it is.

use std::collections::BTreeSet;

use super::file::{page_list, plan_digest};
use super::sources::{MergeError, Source};
use super::{By, Shard};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};
use crate::runs::folder_error::FolderError;
use crate::runs::page_outcome::{PageOutcome, Work};
use crate::runs::plan::Plan;
use crate::runs::row_outcome::RowOutcome;
use crate::runs::run_folder::Missing;
use crate::runs::units::{StoredPage, Units};
use crate::text::counted;

/// Pages that are told by id.
const TOLD: usize = 5;

/// The way in which runs are put together.
pub(crate) struct Merging {
    /// Pages may be missing.
    pub(crate) partial: bool,
    /// Several builds of one version may have made them.
    pub(crate) same_version: bool,
}

/// The findings.
#[derive(Default)]
pub(crate) struct Checked {
    /// Pages that several of them have.
    pub(crate) doubles: usize,
    /// Pages that none of them has, by dataset and id.
    pub(crate) lacking: BTreeSet<(String, String)>,
    /// The same as it is told in `run.json`; `None` where no page is missing.
    pub(crate) missing: Option<Missing>,
}

/// Checks every page of `plan` in `sources`, each with its units.
///
/// # Errors
/// [`MergeError`].
pub(crate) fn checked(plan: &Plan, sources: &[(Source, Units)], merging: &Merging) -> Result<Checked, MergeError> {
    let Some((first, _)) = sources.first() else { return Ok(Checked::default()) };
    let shown = first.folder.display();
    if page_list(plan)? != first.page_list {
        return Err(MergeError::Data(format!("the page list was changed since {shown} was made over it")));
    }
    if plan_digest(plan) != first.plan && !merging.same_version {
        let message = format!("stored outputs, rules or programs were changed since {shown} was made; run it again");
        return Err(MergeError::Request(message));
    }
    for (source, units) in sources {
        if let Some(faults) = units.faults()? {
            let (file, shown) = (faults.file.display(), source.folder.display());
            return Err(MergeError::Data(format!(
                "{file} is not as it was written; the command that made {shown} makes it again"
            )));
        }
    }
    let mut pages = Pages { plan, sources, found: vec![0; sources.len()], checked: Checked::default() };
    for dataset in &plan.datasets {
        let look = |record: &Record| {
            let stored = sources.iter().map(|(_, units)| units.stored(dataset, record));
            stored.collect::<Result<Vec<_>, _>>().map_err(MergeError::from)
        };
        dataset.records.for_each_made(64, look, |record, stored| pages.take(dataset, record, &stored))?;
    }
    pages.refuse_foreign()?;
    let mut checked = pages.checked;
    if !checked.lacking.is_empty() {
        let shards = missing_shards(sources);
        if !merging.partial {
            return Err(MergeError::Data(lacking(plan, sources, &checked, &shards)?));
        }
        let (pages, of) = (checked.lacking.len(), shards.1);
        checked.missing = Some(Missing { pages, shards: shards.0, of });
    }
    Ok(checked)
}

impl From<DatasetError> for MergeError {
    fn from(error: DatasetError) -> Self {
        MergeError::Folder(FolderError::Dataset(error))
    }
}

/// The pages so far.
struct Pages<'m> {
    plan: &'m Plan,
    sources: &'m [(Source, Units)],
    /// The pages that each source has.
    found: Vec<usize>,
    checked: Checked,
}

impl Pages<'_> {
    fn take(&mut self, dataset: &Dataset, record: &Record, stored: &[Option<StoredPage>]) -> Result<(), MergeError> {
        let page = || format!("page `{}` of {}", record.id, dataset.name());
        let mut known: Option<(&Source, &StoredPage)> = None;
        for (place, (source, _)) in self.sources.iter().enumerate() {
            let Some(stored) = &stored[place] else { continue };
            self.found[place] += 1;
            let shown = source.folder.display();
            if let Some((shard, by)) = source.shard {
                let number = by.shard_of(shard.of, dataset.name(), record);
                if number != shard.number {
                    let page = page();
                    return Err(MergeError::Data(format!(
                        "{shown} is shard {shard} and holds {page}, which is of shard {number}"
                    )));
                }
            }
            if !stored.is_own {
                let page = page();
                return Err(MergeError::Data(format!(
                    "{page} in {shown} was made of another page list, configuration or program than {shown} says"
                )));
            }
            match known {
                None => known = Some((source, stored)),
                Some((first, one)) => {
                    if let Some(difference) = self.difference(one, stored) {
                        let first = first.folder.display();
                        return Err(MergeError::Data(format!(
                            "{} is not the same in {first} and {shown}: {difference}",
                            page()
                        )));
                    }
                    self.checked.doubles += 1;
                }
            }
        }
        if known.is_none() {
            self.checked.lacking.insert((dataset.name().to_owned(), record.id.clone()));
        }
        Ok(())
    }

    /// In what two outcomes of one page differ; nobody minds how much was saved on the way.
    fn difference(&self, one: &StoredPage, two: &StoredPage) -> Option<String> {
        let without_work = |stored: &StoredPage| PageOutcome { work: Work::default(), ..stored.outcome.clone() };
        let [a, b] = [one, two].map(without_work);
        if a.digests != b.digests {
            return Some("its bytes or its gold were others".to_owned());
        }
        let rows = a.rows.iter().flatten().zip(b.rows.iter().flatten()).zip(&self.plan.rows);
        for ((a, b), row) in rows {
            if a != b {
                let counts = [a, b].map(counts);
                return Some(format!("{} counts {} there and {} here", row.name_and_label(), counts[0], counts[1]));
            }
        }
        (a != b || one.texts != two.texts).then(|| "its outcome or its texts differ".to_owned())
    }

    /// Refuses pages that are not in the page list.
    fn refuse_foreign(&self) -> Result<(), MergeError> {
        for ((source, units), &found) in self.sources.iter().zip(&self.found) {
            let held = units.pages()?;
            if held > found {
                let shown = source.folder.display();
                let pages = counted(held - found, "page");
                return Err(MergeError::Data(format!(
                    "{shown} holds {pages} that the page list does not have; the command that made {shown} removes what is \
                     not of it"
                )));
            }
        }
        Ok(())
    }
}

/// `matched, extracted, gold` as they are told.
fn counts(outcome: &RowOutcome) -> String {
    outcome
        .score()
        .map_or("nothing".to_owned(), |(counts, _)| format!("{}/{}/{}", counts.matched, counts.extracted, counts.gold))
}

/// The shards that are not among the sources, and how many there are in all.
fn missing_shards(sources: &[(Source, Units)]) -> (Vec<u32>, u32) {
    let shards: Vec<Shard> = sources.iter().filter_map(|(source, _)| Some(source.shard?.0)).collect();
    let Some(of) = shards.first().map(|shard| shard.of) else { return (Vec::new(), 0) };
    let given: BTreeSet<u32> = shards.iter().map(|shard| shard.number).collect();
    ((1..=of).filter(|number| !given.contains(number)).collect(), of)
}

/// Which pages are missing, in a sentence.
fn lacking(
    plan: &Plan,
    sources: &[(Source, Units)],
    checked: &Checked,
    (shards, of): &(Vec<u32>, u32),
) -> Result<String, MergeError> {
    let mut told = Vec::new();
    if !shards.is_empty() {
        let numbers: Vec<String> = shards.iter().map(ToString::to_string).collect();
        let (word, are) = if shards.len() == 1 { ("shard", "is") } else { ("shards", "are") };
        told.push(format!("{word} {} of {of} {are} not given", numbers.join(", ")));
    }
    let by: Option<By> = sources.iter().find_map(|(source, _)| Some(source.shard?.1));
    let mut of_given = Vec::new();
    for dataset in &plan.datasets {
        for record in dataset.records.iter() {
            let record = record?;
            let is_lacking = checked.lacking.contains(&(dataset.name().to_owned(), record.id.clone()));
            let is_of_given = by.is_none_or(|by| !shards.contains(&by.shard_of(*of, dataset.name(), &record)));
            if is_lacking && is_of_given {
                of_given.push(record.id.clone());
            }
        }
    }
    if !of_given.is_empty() {
        let ids = of_given[..of_given.len().min(TOLD)].join(", ");
        let more = if of_given.len() > TOLD { ", .." } else { "" };
        told.push(format!("what is given lacks {} ({ids}{more})", counted(of_given.len(), "page")));
    }
    let pages = counted(checked.lacking.len(), "page");
    let all = plan.pages();
    let are = if checked.lacking.len() == 1 { "is" } else { "are" };
    Ok(format!("{pages} of {all} {are} missing: {}; --partial goes on without them", told.join(", and ")))
}

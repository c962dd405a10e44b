//! Pages of a run, run once more and compared with what the run holds of them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Difference, Subject, page_name};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::formats::digest::sha256;
use crate::runs::agreement::Extracted;
use crate::runs::execute::{Unit, Watch, execute_rest};
use crate::runs::guarding::IsStopped;
use crate::runs::page_outcome::{PageOutcome, Texts};
use crate::runs::plan::Plan;
use crate::runs::row_outcome::RowOutcome;
use crate::runs::run_folder::RunFolder;
use crate::runs::units::StoredUnits;

/// Pages by the places of their datasets in the plan, and by their ids.
pub type Sample = BTreeSet<(usize, String)>;

/// The result of running pages again.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// The pages that were run.
    pub pages: usize,
    /// Results of rows on them that were compared.
    pub compared: usize,
    /// The differences.
    pub differences: Vec<Difference>,
}

/// So many pages of `plan` but those `without`, drawn by the run's result digest: the same ones each time, and others than
/// anyone could choose beforehand. Where there are no more, it is all of them.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub fn sample(run: &RunFolder, plan: &Plan, pages: usize, without: &BTreeSet<String>) -> Result<Sample, DatasetError> {
    let mut drawn: BTreeSet<(String, usize, String)> = BTreeSet::new();
    for (place, dataset) in plan.datasets.iter().enumerate() {
        for record in dataset.records.iter() {
            let record = record?;
            if without.contains(&page_name(dataset.name(), &record.id)) {
                continue;
            }
            let seed = format!("{}\t{}\t{}", run.info().result_digest, dataset.name(), record.id);
            drawn.insert((sha256(seed.as_bytes()), place, record.id.clone()));
            if drawn.len() > pages {
                drawn.pop_last();
            }
        }
    }
    Ok(drawn.into_iter().map(|(_, place, id)| (place, id)).collect())
}

/// Runs the pages of `sample` again, and compares counts and texts of every row with those of `run`; tells `page_done` of each.
///
/// # Errors
/// [`Halt`]: it was stopped, or a page list cannot be read any more, or was changed.
pub fn run_again(
    run: &RunFolder,
    plan: &Plan,
    sample: &Sample,
    is_stopped: IsStopped<'_>,
    page_done: &(dyn Fn() + Sync),
) -> Result<Again, Halt> {
    let place_of = |dataset: &Dataset| plan.datasets.iter().position(|known| known.name() == dataset.name());
    let is_done = |dataset: &Dataset, record: &Record| {
        Ok(place_of(dataset).is_none_or(|place| !sample.contains(&(place, record.id.clone()))))
    };
    let found = Mutex::new(Again::default());
    // Units that cannot be read are told with the files.
    let stored = StoredUnits::open(run.path()).ok();
    let unit = |unit: &Unit<'_>| {
        if is_stopped() {
            return Err(Halt::Stopped);
        }
        let (outcome, texts) = unit.run()?;
        let (dataset, record) = unit.page();
        let known = stored.as_ref().and_then(|stored| stored.page(dataset.name(), &record.id).ok());
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.pages += 1;
        if let Some(known) = &known {
            let was_run = |row: &&Extracted| !matches!(row, Extracted::NotRun);
            let of_texts =
                outcome.agreement.as_ref().map_or(0, |agreement| agreement.rows.iter().filter(was_run).count());
            found.compared += outcome.rows.as_ref().map_or(of_texts, Vec::len);
            let page = page_name(dataset.name(), &record.id);
            found.differences.extend(of_page(plan, &page, known, &(outcome, texts)));
        }
        page_done();
        Ok(())
    };
    execute_rest(plan, &Watch { is_done: &is_done, is_stopped }, &unit)?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.differences.sort();
    Ok(found)
}

/// The differences between the result of a page now and the one that the run has of it.
fn of_page(
    plan: &Plan,
    page: &str,
    (known, stored): &(PageOutcome, Texts),
    (now, made): &(PageOutcome, Texts),
) -> Vec<Difference> {
    let mut found = Vec::new();
    let row = |number: usize| plan.rows[number].name_and_label();
    let told = |name: String, message: String| Difference::new(Subject::Row, name, format!("on {page}: {message}"));
    for (digest, text) in &stored.extractions {
        if sha256(text.as_bytes()) != **digest {
            found.push(Difference::new(Subject::File, page, "a stored text is not that of its SHA-256"));
        }
    }
    if stored.gold.is_some() && stored.gold != made.gold {
        found.push(Difference::new(Subject::Gold, page, "the stored gold text is not that of the dataset"));
    }
    match (&known.rows, &now.rows) {
        (Some(known), Some(now)) => {
            for (number, (known, now)) in known.iter().zip(now).enumerate() {
                if !is_same(known, now) {
                    let message =
                        format!("run again it comes to {}, and the run has {}", in_words(now), in_words(known));
                    found.push(told(row(number), message));
                }
            }
        }
        (None, None) => {}
        _ => found.push(Difference::new(Subject::Page, page, "it has gold now and had none, or the other way round")),
    }
    for number in 0..plan.rows.len() {
        let [before, after] = [known, now].map(|outcome| extracted(outcome, number));
        if before != after {
            found.push(told(row(number), "run again it extracts another text than the run has".to_owned()));
        }
    }
    for (sweep, (known, now)) in plan.sweeps.iter().zip(known.sweeps.iter().zip(&now.sweeps)) {
        if known != now {
            let name = format!("{} {}=exact", sweep.row.name_and_label(), sweep.parameter);
            found.push(told(name, "run again its exact curve is another".to_owned()));
        }
    }
    found
}

/// The SHA-256 and the length of what a row extracted from a page without gold; `None` where it extracted nothing.
fn extracted(outcome: &PageOutcome, row: usize) -> Option<&(Arc<str>, u64)> {
    let agreement = outcome.agreement.as_ref()?;
    match agreement.rows.get(row)? {
        Extracted::Text(text) => agreement.texts.get(*text),
        Extracted::Failed(_) | Extracted::TimedOut(_) | Extracted::NotRun => None,
    }
}

/// True if both say the same of counts and text. The words of a failure may name what only one machine has.
fn is_same(one: &RowOutcome, other: &RowOutcome) -> bool {
    match (one, other) {
        (RowOutcome::Scored(one), RowOutcome::Scored(other)) => one == other,
        (RowOutcome::Failed(one), RowOutcome::Failed(other))
        | (RowOutcome::TimedOut(one), RowOutcome::TimedOut(other)) => one.counts == other.counts,
        (RowOutcome::Unfit(_), RowOutcome::Unfit(_)) => true,
        _ => one == other,
    }
}

fn in_words(outcome: &RowOutcome) -> String {
    match outcome {
        RowOutcome::Scored(result) => {
            let counts = result.counts;
            let text: String = result.text.chars().take(12).collect();
            format!("matched {}, extracted {}, gold {}, text {text}", counts.matched, counts.extracted, counts.gold)
        }
        RowOutcome::Failed(failure) => format!("a failure ({})", failure.reason),
        RowOutcome::TimedOut(_) => "a reply that came too late".to_owned(),
        RowOutcome::NotRun => "nothing, for it was not run".to_owned(),
        RowOutcome::Without => "nothing that the measure looks for".to_owned(),
        RowOutcome::Unfit(reason) => format!("what cannot be measured ({reason})"),
    }
}

//! Filters of pages: by fields that a page's record states, by a split that is drawn, and by the faults of pages.

use std::collections::{BTreeMap, BTreeSet};

use super::configuration::{Configuration, RequestError};
use super::kind::PlanError;
use super::splits::DrawnSplit;
use crate::datasets::manifest::{Record, encode_id};
use crate::datasets::{Dataset, DatasetError};
use crate::page::primary_language;
use crate::text::hint;

/// So many values of a field are listed.
const LISTED: usize = 10;

/// Keeps the pages of `dataset` that the configuration's filters ask for.
///
/// # Errors
/// [`PlanError`]: no page is left, or a record that cannot be read.
pub(super) fn keep_wanted(dataset: &mut Dataset, name: &str, configuration: &Configuration) -> Result<(), PlanError> {
    let before = dataset.records.len();
    let mut filters = configuration.filters.clone();
    if let Some(split) = drawn_split(&filters) {
        split.keep(dataset)?;
        filters.remove("split");
    }
    let faults = &configuration.without_faults;
    let is_wanted = |record: &Record| {
        states_all(record, &filters) && !record.details().faults.iter().any(|fault| faults.contains(fault))
    };
    if !has_any(dataset, is_wanted)? {
        let message =
            format!("the filters leave none of the {before} pages of `{name}`{}", unmet(dataset, name, &filters)?);
        return Err(RequestError::Argument(message).into());
    }
    if filters.len() + faults.len() > 0 {
        dataset.records.retain(is_wanted)?;
    }
    Ok(())
}

/// True if a record of the dataset is wanted.
fn has_any(dataset: &Dataset, is_wanted: impl Fn(&Record) -> bool) -> Result<bool, DatasetError> {
    for record in dataset.records.iter() {
        if is_wanted(&*record?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The filters that no page meets, each as the end of a sentence that says what pages state instead.
fn unmet(dataset: &Dataset, name: &str, filters: &BTreeMap<String, String>) -> Result<String, DatasetError> {
    let mut told = String::new();
    for (key, wanted) in filters {
        let alone = BTreeMap::from([(key.clone(), wanted.clone())]);
        let (mut values, mut is_met) = (BTreeSet::new(), false);
        for record in dataset.records.iter() {
            let record = record?;
            values.extend(stated(&record, key).cloned());
            is_met |= states_all(&record, &alone);
        }
        if is_met {
            continue;
        }
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        told += &match values.len() {
            0 => format!("; none of them states its {key}"),
            1..=LISTED => format!("; {key} is {} there", values.join(" or ")),
            _ => format!("; of {key} {}", hint(wanted, values.iter().copied())),
        };
        if values.is_empty() && key == "language" {
            told += &format!(", which `{name},language=zh` does for all pages of a folder");
        }
    }
    Ok(told)
}

/// True if a page's record states what each filter asks for. A language without a region takes every tag that begins with
/// it, and an id may be written as its file is called.
pub(crate) fn states_all(record: &Record, filters: &BTreeMap<String, String>) -> bool {
    filters.iter().all(|(key, wanted)| {
        let primary =
            || key == "language" && record.language.as_deref().and_then(primary_language).as_ref() == Some(wanted);
        let is_called = || key == "id" && record.id == encode_id(wanted);
        stated(record, key) == Some(wanted) || primary() || is_called()
    })
}

/// The split of the filters, if it is one that is drawn.
pub(crate) fn drawn_split(filters: &BTreeMap<String, String>) -> Option<DrawnSplit> {
    filters.get("split")?.parse().ok()
}

/// The value that a record states under the key of a filter.
fn stated<'r>(record: &'r Record, key: &str) -> Option<&'r String> {
    match key {
        "id" => Some(&record.id),
        "site" => record.site.as_ref(),
        "language" => record.language.as_ref(),
        "kind" => record.kind.as_ref(),
        "group" => record.details().group.as_ref(),
        "split" => record.details().split.as_ref(),
        _ => record.details().host.as_ref(),
    }
}

//! Filters of pages: by fields that a page's record states, by a split that is drawn, and by the faults of pages.

use std::collections::BTreeMap;

use super::configuration::{Configuration, RequestError};
use super::kind::PlanError;
use super::splits::DrawnSplit;
use crate::datasets::manifest::{Record, encode_id};
use crate::datasets::{Dataset, DatasetError};
use crate::page::primary_language;

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
    let unstated = unstated(dataset, &filters)?;
    let faults = &configuration.without_faults;
    if filters.len() + faults.len() > 0 {
        dataset.records.retain(|record| {
            states_all(record, &filters) && !record.details().faults.iter().any(|fault| faults.contains(fault))
        })?;
    }
    if !dataset.records.is_empty() {
        return Ok(());
    }
    let mut message = format!("the filters leave none of the {before} pages of `{name}`");
    if let Some(key) = &unstated {
        message += &format!("; none of them states its {key}");
    }
    if unstated.as_deref() == Some("language") {
        message += &format!(", which `{name},language=zh` does for all pages of a folder");
    }
    Err(RequestError::Argument(message).into())
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

/// The key of a filter that no page of the dataset states anything under, if there is one.
fn unstated(dataset: &Dataset, filters: &BTreeMap<String, String>) -> Result<Option<String>, DatasetError> {
    for key in filters.keys() {
        let mut is_stated = false;
        for record in dataset.records.iter() {
            is_stated |= stated(&*record?, key).is_some();
            if is_stated {
                break;
            }
        }
        if !is_stated {
            return Ok(Some(key.clone()));
        }
    }
    Ok(None)
}

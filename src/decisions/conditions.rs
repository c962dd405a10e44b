//! The conditions of a run, key by key: figures are held against each other under equal ones alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::runs::summary::Summary;

/// Each condition of a run by its key, those of a dataset as `datasets.NAME.KEY`; of datasets those that are named,
/// all where none is.
pub(super) fn conditions(summary: &Summary, datasets: &[String]) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    let Ok(Json::Object(mut conditions)) = serde_json::to_value(&summary.conditions) else { return known };
    if let Some(Json::Object(all)) = conditions.get_mut("datasets") {
        all.retain(|name, _| datasets.is_empty() || datasets.contains(name));
        // Which pages were run is in the digest, whatever was left out.
        for dataset in all.values_mut().filter_map(Json::as_object_mut) {
            dataset.retain(|key, _| key != "dropped" && key != "lost");
        }
    }
    // What a row learned from is part of its system.
    conditions.remove("trained_on");
    flatten("", &Json::Object(conditions), &mut known);
    known
}

fn flatten(key: &str, value: &Json, known: &mut BTreeMap<String, String>) {
    let below = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match value {
        Json::Object(fields) => fields.iter().for_each(|(name, value)| flatten(&below(name), value, known)),
        Json::String(text) => drop(known.insert(key.to_owned(), text.clone())),
        other => drop(known.insert(key.to_owned(), other.to_string())),
    }
}

/// A condition that differs, and what it is in either run; `None` where a run knows nothing of it.
pub(super) type DifferingKey = (String, Option<String>, Option<String>);

/// The conditions that are not equal, in the order of their keys.
pub(super) fn differing_keys(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> Vec<DifferingKey> {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differing = keys.into_iter().filter(|key| one.get(*key) != other.get(*key));
    differing.map(|key| (key.clone(), one.get(key).cloned(), other.get(key).cloned())).collect()
}

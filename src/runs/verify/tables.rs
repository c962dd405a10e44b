//! The tables of a run, made once more from its units.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{Difference, Subject};
use crate::formats::digest::sha256;
use crate::formats::files::scratch;
use crate::runs::folder::{json, sweeps};
use crate::runs::folder_error::FolderError;
use crate::runs::plan::Plan;
use crate::runs::results::collect_into;
use crate::runs::run_folder::{FileSeal, RunFolder};
use crate::runs::score_table::{self, ScoreFiles};
use crate::runs::scores::RowKey;
use crate::runs::summary::{Summary, SummaryRow};
use crate::runs::units::Units;

/// The tables that units are read into.
const TABLES: [&str; 4] = ["scores.csv", "pages.csv", "agreement.csv", "roles.csv"];

/// Adds the units of `run` up once more, and tells what does not follow from them: the result digest, conditions, rows, and
/// tables. Its rows are those of `plan`.
///
/// # Errors
/// [`FolderError`]: a unit that is missing or damaged, or a folder for what is under way that cannot be written.
pub fn tables(run: &RunFolder, summary: &Summary, plan: &Plan) -> Result<Vec<Difference>, FolderError> {
    let folder = scratch()?;
    let info = run.info();
    let units = Units::new(run.path(), plan, &info.executable, info.circumstances.texts)?;
    let files = ScoreFiles::of(|name| info.files.contains_key(name));
    let mut results = collect_into(plan, &units, (folder.path(), files))?;
    // The datasets as they are now are compared page by page.
    results.summary.conditions.datasets.clone_from(&summary.conditions.datasets);
    let mut found = Vec::new();
    if results.digest != info.result_digest {
        let message = format!("the units come to {}, and run.json says {}", results.digest, info.result_digest);
        found.push(Difference::new(Subject::Result, "result_digest", message));
    }
    found.extend(conditions(summary, &results.summary));
    found.extend(rows(summary, &results.summary));
    let mut made: BTreeMap<&str, FileSeal> = BTreeMap::new();
    for name in TABLES {
        made.extend(FileSeal::of(&folder.path().join(name))?.map(|seal| (name, seal)));
    }
    let of_bytes = |bytes: &[u8]| FileSeal { bytes: bytes.len() as u64, sha256: sha256(bytes) };
    made.insert("summary.json", of_bytes(&json(&results.summary)));
    if !results.curves.is_empty() {
        made.insert("sweeps.csv", of_bytes(&sweeps(&results.curves)));
    }
    let followed = TABLES.into_iter().chain(["summary.json", "sweeps.csv"]);
    let others = followed.filter(|name| made.get(name) != info.files.get(*name));
    let not_from_units = |name: &str| Difference::new(Subject::File, name, "does not follow from the units of the run");
    found.extend(others.map(not_from_units));
    if files.parquet {
        let [one, other] = [run.path(), folder.path()].map(|folder| folder.join(score_table::NAME));
        // A file that was changed is told already, and need not be readable.
        if run.refuse_changed(score_table::NAME).is_ok() && !score_table::same_rows(&one, &other)? {
            found.push(not_from_units(score_table::NAME));
        }
    }
    Ok(found)
}

/// The conditions that are not those of the run.
fn conditions(known: &Summary, made: &Summary) -> Vec<Difference> {
    let [known, made] = [known, made].map(|summary| serde_json::to_value(&summary.conditions).unwrap_or_default());
    let (Json::Object(known), Json::Object(made)) = (known, made) else { return Vec::new() };
    let differing = made.iter().filter(|(key, value)| *key != "datasets" && known.get(*key) != Some(value));
    let told = differing.map(|(key, value)| {
        let subject = match key.as_str() {
            "unicode" | "segmenter" | "suffix_list" => Subject::Version,
            _ => Subject::Configuration,
        };
        let before = known.get(key).map_or_else(|| "nothing".to_owned(), Json::to_string);
        Difference::new(subject, key, format!("is {value}, was {before}"))
    });
    told.collect()
}

/// The rows whose figures or systems are not those of the run.
fn rows(known: &Summary, made: &Summary) -> Vec<Difference> {
    let by_key = |summary: &Summary| -> BTreeMap<RowKey, SummaryRow> {
        summary.rows.iter().map(|row| (row.key(), row.clone())).collect()
    };
    let known = by_key(known);
    let mut found = Vec::new();
    for (key, row) in by_key(made) {
        let Some(before) = known.get(&key) else { continue };
        let told =
            |message: String| Difference::new(Subject::Row, row.full_label(), format!("on {}: {message}", key.0));
        if before.system != row.system {
            found.push(told(format!("it is `{}`, and was `{}`", row.system, before.system)));
        } else if serde_json::to_value(before).ok() != serde_json::to_value(&row).ok() {
            let [was, is] = [before, &row].map(|row| row.aggregates.macro_.f1);
            found.push(told(format!(
                "summary.json does not follow from its units: macro F1 {was:.6}, and they come to {is:.6}"
            )));
        }
    }
    found
}

//! JSON Schemas of the files that carat reads and writes, made from the types and from the lists that the readers use. An editor
//! completes and checks files by them; `carat list schemas` prints them, and the book has them.

mod configuration;
mod values;

use schemars::schema_for;
use serde_json::Value as Json;

use super::run_folder::RunInfo;
use super::summary::Summary;
use crate::datasets::schema::{manifest, page};

/// A schema by its name.
pub(crate) struct Published {
    /// The name, which is that of its file without the ending.
    pub name: &'static str,
    /// The files that it describes.
    pub title: &'static str,
    /// Makes it.
    pub make: fn() -> Json,
}

/// Every schema, in the order of listings.
pub(crate) const SCHEMAS: [Published; 5] = [
    Published { name: "configuration", title: "configurations of runs, and run.yaml", make: configuration::schema },
    Published { name: "dataset", title: "dataset.yaml, the manifest of a dataset", make: manifest },
    Published { name: "page", title: "a line of pages.jsonl, the page list of a dataset", make: page },
    Published { name: "summary", title: "summary.json of a run folder: conditions, rows and figures", make: summary },
    Published { name: "run", title: "run.json of a run folder: digests of all files, failures, machine", make: run },
];

fn summary() -> Json {
    Json::from(schema_for!(Summary))
}

fn run() -> Json {
    let mut schema = Json::from(schema_for!(RunInfo));
    // The last line of the file, which is no part of the type: it is the digest of the lines before it.
    schema["properties"]["sha256"] = serde_json::json!({
        "description": "SHA-256 of all lines before this one.",
        "type": "string",
        "pattern": "^[0-9a-f]{64}$",
    });
    schema
}

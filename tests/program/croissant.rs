//! `carat dataset export --format croissant`, as catalogues and loaders of datasets read it.

use std::collections::BTreeSet;
use std::process::Command;

use crate::support::{Folder, check};
use carat::formats::digest::sha256;
use serde_json::Value as Json;

fn names(list: &Json) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn an_export_describes_its_files_and_the_fields_that_its_pages_have() {
    let folder = Folder::new();
    check(&folder, "dataset export portals --out made --format croissant", 0, &["154 pages, 154 with gold"]);
    let described = folder.json("made/croissant.json");
    assert_eq!(described["conformsTo"], "http://mlcommons.org/croissant/1.0");
    assert_eq!((&described["name"], &described["version"]), (&"portals".into(), &"1.0.0".into()));
    assert_eq!(described["license"], serde_json::json!(["https://spdx.org/licenses/CC0-1.0.html"]));
    assert_eq!(names(&described["distribution"]), ["pages.jsonl", "dataset.yaml"]);
    for file in described["distribution"].as_array().unwrap() {
        let name = file["contentUrl"].as_str().unwrap();
        let bytes = std::fs::read(folder.path(&format!("made/{name}"))).unwrap();
        assert_eq!(file["sha256"], sha256(&bytes).as_str(), "{name}");
    }
    // Every member of the first page's line that is a text is a field, and no field is of no page.
    let fields: BTreeSet<&str> = names(&described["recordSet"][0]["field"]).into_iter().collect();
    let list = folder.read("made/pages.jsonl");
    let pages: Vec<Json> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(pages.len(), 154);
    for name in ["id", "gold", "url", "site", "language", "kind", "title", "author", "group", "html", "html_base64"] {
        assert!(fields.contains(name), "{name}: {fields:?}");
    }
    assert!(!fields.contains("split") && !fields.contains("gold_kind"), "{fields:?}");
    // It is a dataset of carat's all the same.
    check(&folder, "list datasets ./made", 0, &["154 pages, 154 with gold"]);
    let own = folder.carat("dataset export portals --out plain").stdout;
    let digest = own.lines().last().unwrap();
    assert_eq!(described["identifier"], digest, "the digest does not depend on the layout");
}

#[test]
fn an_export_is_not_written_over_another() {
    let folder = Folder::new();
    check(&folder, "dataset export portals --out made/set.jsonl --format croissant", 0, &["154 pages"]);
    assert_eq!(folder.json("made/croissant.json")["distribution"][0]["contentUrl"], "set.jsonl");
    check(&folder, "dataset export portals --out made --format croissant", 2, &["holds a dataset already"]);
    check(&folder, "dataset export portals --out other --format croisant", 2, &["croissant"]);
}

/// Reads the export with the reference implementation, where it is installed.
#[test]
fn the_reference_implementation_loads_the_pages() {
    let script = "import sys, mlcroissant\n\
                  records = list(mlcroissant.Dataset(sys.argv[1]).records('pages'))\n\
                  print(len(records), sum(record['pages/gold'] is not None for record in records))";
    let python = std::env::var("CARAT_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let installed = Command::new(&python).args(["-c", "import mlcroissant"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no mlcroissant");
        return;
    }
    let folder = Folder::new();
    check(&folder, "dataset export portals --out made --format croissant", 0, &[]);
    let output = Command::new(&python).args(["-c", script]).arg(folder.path("made/croissant.json")).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "154 154", "{told}");
}

//! Errors and warnings: a line each, whoever named what they name.

use std::fs;

use serde_json::{Value as Json, json};

use super::{TEXT, inert};
use crate::support::Folder;

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// What begins lines of its own.
const LINES: &str = "HOSTILE\n::error::x\r\n##[error]y\u{7f}";

/// A failure is told in one line, but a place in a configuration and a wrong command.
fn fails(folder: &Folder, arguments: &[&str]) {
    let ran = inert(folder, arguments);
    assert!(ran.code != 0 && ran.stderr.contains("HOSTILE"), "{arguments:?}: {ran:?}");
    let is_sentence = ran.stderr.lines().last().is_some_and(|line| line.starts_with("error: "));
    let is_other = ran.stderr.starts_with("  × ") || ran.stderr.contains("For more information, try '--help'");
    assert!(is_sentence || is_other, "{arguments:?}: {}", ran.stderr);
    if !is_other {
        let begins = ["error: ", "warning: ", "note: ", "starts an external program "];
        let is_told = |line: &str| begins.iter().any(|begin| line.starts_with(begin));
        assert!(ran.stderr.lines().all(is_told), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn faults_of_a_page_list_are_a_line_each() {
    let page = |fields: Json| {
        let mut page = json!({"id": "a", "html": {"text": "<p>a"}, "gold": {"text": "a"}});
        page.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        page.to_string()
    };
    let faults = [
        format!("{{{TEXT}"),
        format!("\"{}\"", "HOSTILE\u{7f}::error::"),
        page(json!({"id": TEXT})),
        page(json!({(TEXT): 1})),
        page(json!({"language": TEXT})),
        page(json!({"site": LINES})),
        page(json!({"encoding": TEXT})),
        page(json!({"faults": [TEXT]})),
        page(json!({"url": TEXT})),
        page(json!({"host": TEXT})),
        page(json!({"kind": TEXT})),
        page(json!({"html": {"path": TEXT}})),
        page(json!({"html": {"path": format!("/{LINES}")}})),
        page(json!({"html": {(TEXT): "x"}})),
        page(json!({"html": {"base64": TEXT}})),
        page(json!({"gold": {"path": LINES}})),
        page(json!({"gold": {"text": "a", "encoding": TEXT}})),
        page(json!({"gold": {"select": {"include": [TEXT]}}})),
        page(json!({"gold": {"select": {"include": ["p"], "roles": {(TEXT): ["p"]}}}})),
    ];
    for fault in faults {
        let list = format!("{fault}\n{}\n", page(json!({"id": "b"})));
        let folder = Folder::new().with("set/dataset.yaml", MANIFEST).with("set/pages.jsonl", list);
        for arguments in [
            "run --dataset ./set --algorithm nta --out o",
            "run --dataset ./set --algorithm nta --out k --keep-going",
            "dataset check ./set",
            "dataset check ./set --format md",
            "explain ./set --algorithm nta --page HOSTILE",
        ] {
            let ran = inert(&folder, &arguments.split_whitespace().collect::<Vec<_>>());
            let told = ["error: ", "warning: ", "note: "];
            let is_told = |line: &str| told.iter().any(|begin| line.starts_with(begin)) || !line.contains("HOSTILE");
            assert!(ran.stderr.lines().all(is_told), "{fault}: {arguments}: {}", ran.stderr);
        }
        let ran = inert(&folder, &["run", "--dataset", "./set", "--algorithm", "nta", "--out", "f", "--strict"]);
        assert!(ran.code != 0, "{fault}: {ran:?}");
    }
}

#[test]
fn faults_of_manifests_configurations_and_files_are_told_in_one_line() {
    let hostile_file = format!("{}.yaml", LINES.replace('/', ""));
    let folder = Folder::new()
        .with("key/dataset.yaml", format!("{MANIFEST}\"HOSTILE\\e[1m\\n::error::x\": 1\n"))
        .with("name/dataset.yaml", MANIFEST.replace("demo", "\"HOSTILE\\e[1m\\n::error::x\""))
        .with("licence/dataset.yaml", MANIFEST.replace("free", "\"HOSTILE\\n##[error]x\""))
        .with("key.yaml", "algorithms: [nta]\n\"HOSTILE\\e\\n::error::x\": 1\n")
        .with("raw.yaml", "algorithms: [nta]\nHOSTILE##[error]\u{9b}\u{202e}: [\n::error::x\n")
        .with("value.yaml", "algorithms:\n  - nta: {coherence: \"HOSTILE\\e\\n::error::x\"}\n")
        .with("dataset.yaml", "datasets: [\"HOSTILE\\e\\n::error::x\"]\nalgorithms: [nta]\n")
        .with("run/summary.json", format!("{{\"schema\": {}}}", json!(TEXT)))
        .with("run/run.json", "{}")
        .with("baseline.json", json!({(TEXT): TEXT}).to_string())
        .with("own/html/x.html", "<p>x")
        .with("own/gold/x.txt", "x")
        .with("c.yaml", "datasets: [./own]\nalgorithms: [nta]\n");
    fs::write(folder.path(&hostile_file), "algorithms: [nta, HOSTILE]\n").unwrap();
    let folder_of_pages = folder.path(LINES.split('/').next().unwrap());
    fs::create_dir(&folder_of_pages).unwrap();
    for arguments in [
        vec!["list", "datasets", "./key"],
        vec!["list", "datasets", "./name"],
        vec!["list", "datasets", "./licence"],
        vec!["run", "key.yaml"],
        vec!["run", "raw.yaml"],
        vec!["run", "value.yaml"],
        vec!["run", "dataset.yaml"],
        vec!["run", &hostile_file],
        vec!["run", LINES],
        vec!["run", "--dataset", LINES, "--algorithm", "nta"],
        vec!["run", "--dataset", "./own", "--algorithm", LINES],
        vec!["run", "--dataset", "./own", "--stored", LINES],
        vec!["run", "--dataset", "./own", "--algorithm", "nta", "--where", LINES],
        vec!["run", "--dataset", "./own", "--external", "./HOSTILE::error:: \u{7f}\n##[error]"],
        vec!["report", LINES],
        vec!["diff", LINES, "x"],
        vec!["extract", LINES, "--algorithm", "nta"],
        vec!["extract", "own/html/x.html", "--algorithm", "nta", "--encoding", LINES],
        vec!["gate", "c.yaml", "--baseline", LINES],
        vec!["dataset", "import", LINES, "own", "--out", "o"],
        vec!["dataset", "pull", LINES],
        vec!["list", "algorithms", LINES],
        vec![LINES],
        vec!["run", LINES, LINES],
        vec!["run", "--HOSTILE\n::error::x"],
        vec!["run", "--tokens", LINES],
    ] {
        fails(&folder, &arguments);
    }
    for arguments in [["report", "run"], ["compare", "run"]] {
        inert(&folder, &arguments);
    }
    inert(&folder, &["gate", "c.yaml", "--baseline", "baseline.json"]);
}

#[cfg(unix)]
#[test]
fn external_programs_say_nothing_to_a_log() {
    let hello = json!({"carat": 1, "name": "w", "version": "1 HOSTILE<b>@mention ##[group]www.e.org|`"});
    let scripts = [
        format!("echo '{hello}'\nprintf '::error::HOSTILE\\n\\033]0;t\\007##[error]' >&2\nread line\nexit 3\n"),
        format!(
            "echo '{hello}'\nread line\necho '{}'\n",
            json!({"id": "x", "error": TEXT}).to_string().replace('\'', "")
        ),
        "printf '::error::HOSTILE\\n' >&2\necho '##[error]HOSTILE'\n".to_owned(),
    ];
    for script in scripts {
        let folder = Folder::new()
            .with("own/html/x.html", "<p>x")
            .with("own/gold/x.txt", "x")
            .with("w.sh", format!("#!/bin/sh\n{script}"));
        let run = ["run", "--dataset", "./own", "--external", "sh w.sh", "--out", "o"];
        let ran = inert(&folder, &run);
        let pr = ["report", "o", "--format", "pr"];
        if ran.code == 0 {
            inert(&folder, &pr);
            inert(&folder, &["diff", "o", "x"]);
        }
        inert(&folder, &["external", "check", "--", "sh", "w.sh"]);
    }
}

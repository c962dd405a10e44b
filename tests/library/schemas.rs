//! The published schemas: the files that carat writes and takes fit them, and those that it refuses do not, at the same
//! line.

use std::path::Path;

use assert_cmd::Command;
use carat::formats::yaml::{self, Node};
use serde_json::Value as Json;

use self::json_schema::{Fault, faults};
use crate::documents::root;

#[path = "../support/json_schema.rs"]
mod json_schema;

/// A published schema.
struct Schema(Json);

impl Schema {
    fn published(name: &str) -> Self {
        let text = std::fs::read_to_string(root().join(format!("docs/reference/schemas/{name}.json"))).unwrap();
        Schema(serde_json::from_str(&text).unwrap())
    }

    /// Asserts that the value of a file fits.
    fn fits(&self, file: &str, value: &Json) {
        let faults = faults(&self.0, value);
        assert!(faults.is_empty(), "{file}: {faults:?}");
    }

    /// The lines of a YAML text at which it does not fit.
    fn lines(&self, text: &str) -> Vec<usize> {
        faults(&self.0, &yaml::typed("f", text).unwrap()).iter().flat_map(|fault| lines_of(fault, text)).collect()
    }
}

/// The lines of a fault: those of surplus keys, or that of the value that is wrong.
fn lines_of(fault: &Fault, text: &str) -> Vec<usize> {
    let document = yaml::parse("f", text).unwrap();
    let (mut node, mut line) = (&document, document.at.line);
    for step in &fault.path {
        (node, line) = match &node.value {
            Node::Map(entries) => {
                let (_, value) = entries.iter().find(|(key, _)| key.value == *step).unwrap();
                (value, value.at.line)
            }
            Node::List(items) => {
                let item = &items[step.parse::<usize>().unwrap()];
                (item, item.at.line)
            }
            other => panic!("{other:?}"),
        };
    }
    match &node.value {
        Node::Map(entries) if !fault.surplus.is_empty() => {
            entries.iter().filter(|(key, _)| fault.surplus.contains(&key.value)).map(|(key, _)| key.at.line).collect()
        }
        _ => vec![line],
    }
}

/// The YAML files below a folder.
fn yaml_files(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(ending) if ending == "yaml" => files.push(path.to_str().unwrap().to_owned()),
                _ => {}
            }
        }
    }
    files
}

#[test]
fn every_configuration_of_the_repository_fits() {
    let schema = Schema::published("configuration");
    let files = yaml_files("configs");
    assert!(files.len() >= 10, "{files:?}");
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        schema.fits(file, &yaml::typed(file, &text).unwrap());
        let first = text.lines().next().unwrap();
        let path = first.strip_prefix("# yaml-language-server: $schema=").unwrap_or_else(|| panic!("{file}: {first}"));
        assert!(Path::new(file).parent().unwrap().join(path).is_file(), "{file}: {path}");
    }
    // Those of the book, which are blocks with a key that every configuration has.
    let mut blocks = 0;
    for page in ["reference/configuration", "guides/tune", "guides/gate", "guides/compare", "reference/gate"] {
        let page = std::fs::read_to_string(root().join(format!("docs/{page}.md"))).unwrap();
        for block in page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
            if block.lines().any(|line| line.starts_with("datasets:")) {
                schema.fits(block, &yaml::typed("block", block).unwrap());
                blocks += 1;
            }
        }
    }
    assert!(blocks >= 2, "{blocks}");
}

#[test]
fn what_the_reader_takes_in_other_forms_fits_too() {
    let schema = Schema::published("configuration");
    for text in [
        "datasets: portals\nalgorithms: [nta]",
        "datasets: [portals]\nstored: [trafilatura]\nbounds:",
        "name: 2024\ndatasets: [portals]\nalgorithms:\n  - 'nta:coherence=0.6..1.0/0.05,density=0.3|0.5'",
        "datasets: [portals]\nalgorithms:\n  - nta: {coherence: [0.5, 1/3, '0.75'], form_is_ignorable: [true, false]}",
        "datasets: [portals]\nalgorithms:\n  - cevc: {alpha: exact, lists: [zh, en]}\n  - cevc: {lists: zh+no}",
        "datasets: [portals]\nwhere:\nsplit: site:20%:rest:seed=7\nalgorithms: [all-text]\nwithout_faults: truncated",
        "datasets: [portals]\nmeasure: 'lcs, rouge:5 jieba'\nalgorithms: [all-text]",
        "datasets: [portals]\nmeasure: [shingle:16, bag w lower]\nalgorithms: [all-text]",
        "datasets: [portals]\nmeasure: tables,code\nalgorithms: [all-text]",
        "datasets: [portals]\nalgorithms:\n  - combine: {members: [nta: {density: 0.4}, external/x], weights: [1, '2'], rule: weighted, threshold: exact}\n  - external: {name: x, command: cat}",
        "datasets: [portals]\nalgorithms:\n  - external: {command: [a, 1], env: {N: 1}, parameters: {a: 0..1/0.1, b: [x]}, timeout_s: 0.5}",
        "datasets: [portals]\nalgorithms:\n  - wrapper: {rules: a.yaml}\n  - wrapper: {learn: true, fallback: {cevc: {alpha: 0.5}}}\n  - wrapper:learn=true,fallback=cevc",
        "datasets: [portals]\nalgorithms: [nta]\ngate: {macro_f1: off, page_f1: {level: warn}, slower_time: 2, texts: error}",
        "datasets: [portals]\nalgorithms: [nta]\ntune: {folds: site, seed: 7, search: {random: 60}, objective: site_macro recall at precision >= 0.90}",
        "datasets: [portals]\nalgorithms: [nta]\nbounds: [oracle-sweep, oracle-nodes: {rule: half}]\nkeep_going: true",
    ] {
        schema.fits(text, &yaml::typed("f", text).unwrap());
    }
}

/// Configurations that carat refuses, with the line of the fault and a word of what it says.
const BROKEN: [(&str, usize, &str); 34] = [
    ("datasets: [portals]\nalgorithms: [nta]\ntokns: char", 3, "did you mean `tokens`"),
    ("datasets: [portals]\nalgorithms: [nta]\ntokens: chars", 3, "no kind of token"),
    ("datasets: [portals]\nalgorithms: [nta]\ntokens: [char]", 3, "single value"),
    ("datasets: [portals]\nalgorithms: [nta]\ncase: upper", 3, "choose keep, fold or lower"),
    ("datasets: [portals]\nalgorithms: [nta]\nmeasure: rouge:17", 3, "1 to 16"),
    ("datasets: [portals]\nalgorithms: [nta]\nmeasure: lcs char keep again", 3, "one word too many"),
    ("datasets: [portals]\nalgorithms: [nta]\nkeep_going: maybe", 3, "true or false"),
    ("datasets: [portals]\nalgorithms: [nta]\nname: a/b", 3, "name of a folder"),
    ("datasets: [portals]\nalgorithms: [nta]\nwhere:\n  langage: zh", 4, "did you mean `language`"),
    ("datasets: [portals]\nalgorithms: [nta]\nwhere: zh", 3, "keys with values"),
    ("datasets: [portals]\nalgorithms: [nta]\nsplit: site:20", 3, "is no split"),
    ("datasets: [portals]\nalgorithms: [nta]\nwithout_faults: [broken]", 3, "unknown page fault"),
    ("datasets:\n  a: b\nalgorithms: [nta]", 2, "single value"),
    ("datasets: [portals]", 1, "names no algorithms"),
    ("datasets: [portals]\nalgorithms: nta", 2, "a list of algorithms"),
    ("datasets: [portals]\nalgorithms:\n  - ntaa", 3, "did you mean `nta`"),
    ("datasets: [portals]\nalgorithms:\n  - nta:\n      cohrence: 0.5", 4, "did you mean `coherence`"),
    ("datasets: [portals]\nalgorithms:\n  - nta:\n      coherence: 1.5", 4, "from 0 to 1"),
    ("datasets: [portals]\nalgorithms:\n  - nta:\n      coherence: [0.5, 2]", 4, "from 0 to 1"),
    ("datasets: [portals]\nalgorithms:\n  - nta:\n      coherence: high", 4, "from 0 to 1"),
    ("datasets: [portals]\nalgorithms:\n  - nta:\n      form_is_ignorable: 1", 4, "true or false"),
    ("datasets: [portals]\nalgorithms:\n  - nta: {}\n    cevc: {}", 3, "expected one algorithm"),
    ("datasets: [portals]\nalgorithms:\n  - combine:\n      members: [nta, cevc]\n      rule: most", 5, "majority"),
    (
        "datasets: [portals]\nalgorithms:\n  - combine:\n      members: [nta, cevc]\n      weight: 3",
        5,
        "did you mean `weights`",
    ),
    ("datasets: [portals]\nalgorithms:\n  - external:\n      name: x", 4, "needs its command"),
    ("datasets: [portals]\nalgorithms:\n  - external:\n      command: [x]\n      workers: 65", 5, "from 1 to 64"),
    (
        "datasets: [portals]\nalgorithms:\n  - external:\n      command: [x]\n      timeout: 5",
        5,
        "did you mean `timeout_s`",
    ),
    ("datasets: [portals]\nalgorithms:\n  - external:\n      command: python3 x.py", 4, "list of its words"),
    ("datasets: [portals]\nalgorithms: [nta]\nbounds: [oracle-all]", 3, "oracle"),
    ("datasets: [portals]\nalgorithms: [nta]\nstored: {a: b}", 3, "single value"),
    ("datasets: [portals]\nalgorithms: [nta]\ngate:\n  macr_f1: 0.1", 4, "did you mean `macro_f1`"),
    ("datasets: [portals]\nalgorithms: [nta]\ngate:\n  macro_f1: 1.5", 4, "0 to 1"),
    ("datasets: [portals]\nalgorithms: [nta]\ngate:\n  page_f1:\n    level: erro", 5, "no level"),
    ("datasets: [portals]\nalgorithms: [nta]\ntune:\n  folds: 1", 4, "2 or more"),
];

#[test]
fn what_carat_refuses_does_not_fit_at_the_same_line() {
    let schema = Schema::published("configuration");
    let folder = tempfile::tempdir().unwrap();
    for (text, line, told) in BROKEN {
        let file = folder.path().join("c.yaml");
        std::fs::write(&file, format!("{text}\n")).unwrap();
        let mut carat = Command::cargo_bin("carat").unwrap();
        let output = carat.current_dir(&folder).args(["run", "c.yaml", "--out", "run"]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}\n{error}");
        assert!(error.contains(&format!("c.yaml:{line}:")) && error.contains(told), "{text}\n{error}");
        assert_eq!(schema.lines(text), [line], "{text}");
    }
}

#[test]
fn datasets_fit_and_broken_ones_do_not() {
    let (manifests, pages) = (Schema::published("dataset"), Schema::published("page"));
    let folder = root().join("datasets/portals");
    let manifest = std::fs::read_to_string(folder.join("dataset.yaml")).unwrap();
    manifests.fits("portals", &yaml::typed("portals", &manifest).unwrap());
    let list = std::fs::read_to_string(folder.join("pages.jsonl")).unwrap();
    for line in list.lines() {
        pages.fits(line, &serde_json::from_str(line).unwrap());
    }
    let whole = "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    assert_eq!(manifests.lines(&format!("{whole}x-note: [1]\nsource: {{url: u, x-a: 1}}\n")), [0_usize; 0]);
    for (from, to, line) in [
        ("", "colour: red", 5),
        ("format: 1", "format: 2", 1),
        ("name: demo", "name: De mo", 2),
        ("'1'", "''", 3),
        ("redistribution: free", "redistribution: banana", 4),
        ("", "gold: {nature: alien}", 5),
        ("", "gold: {nature: human, includes: [smell]}", 5),
        ("", "source: 5", 5),
        ("", "source:\n  repository: one", 6),
        ("", "source:\n  commit: zz", 6),
        ("", "source:\n  foo: bar", 6),
        ("", "defaults: {gold: {text: x}}", 5),
        ("", "gold_folder: /etc", 5),
        ("", "site_rule: hosts", 5),
        ("", "counts:\n  pages: -1", 6),
    ] {
        let text = if from.is_empty() { format!("{whole}{to}\n") } else { whole.replacen(from, to, 1) };
        assert_eq!(manifests.lines(&text), [line], "{from} -> {to}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dataset.yaml"), &text).unwrap();
        std::fs::write(folder.path().join("pages.jsonl"), "{\"id\":\"a\",\"html\":{\"text\":\"x\"}}\n").unwrap();
        let mut carat = Command::cargo_bin("carat").unwrap();
        let output = carat.args(["dataset", "check"]).arg(folder.path()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(&format!("dataset.yaml:{line}:")), "{from} -> {to}: {error}");
    }
}

#[test]
fn lines_of_page_lists_that_carat_refuses_do_not_fit() {
    let schema = Schema::published("page");
    let refused = |line: &str| {
        let folder = tempfile::tempdir().unwrap();
        let manifest =
            "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
        std::fs::write(folder.path().join("dataset.yaml"), manifest).unwrap();
        std::fs::write(folder.path().join("pages.jsonl"), line).unwrap();
        std::fs::write(folder.path().join("a.html"), "<p>x").unwrap();
        std::fs::write(folder.path().join("a.txt"), "x").unwrap();
        let mut carat = Command::cargo_bin("carat").unwrap();
        let output = carat.args(["list", "datasets"]).arg(folder.path()).output().unwrap();
        !output.status.success()
    };
    for line in [
        r#"{"id":"a","html":"a.html","gold":"a.txt"}"#,
        r#"{"id":"a","html":{"path":"a.html","bytes":4},"gold":{"text":"x"},"x-note":[1],"language":"zh-Hant"}"#,
        r#"{"id":"中文%20a","html":{"text":"<p>x"},"gold":{"select":{"include":["p"]}},"snippets":{"with":["x"]}}"#,
        r#"{"id":"a","html":{"base64":"PHA+eA=="},"site":null,"split":"test","faults":["truncated"]}"#,
    ] {
        schema.fits(line, &serde_json::from_str(line).unwrap());
        assert!(!refused(line), "{line}");
    }
    for line in [
        r#"{"html":"a.html"}"#,
        r#"{"id":"a"}"#,
        r#"{"id":".a","html":"a.html"}"#,
        r#"{"id":"a b","html":"a.html"}"#,
        r#"{"id":"a","html":"/a.html"}"#,
        r#"{"id":"a","html":5}"#,
        r#"{"id":"a","html":{"path":"a.html","text":"x"}}"#,
        r#"{"id":"a","html":{"paht":"a.html"}}"#,
        r#"{"id":"a","html":"a.html","gold":{}}"#,
        r#"{"id":"a","html":"a.html","gold":{"text":"x","kind":"word"}}"#,
        r#"{"id":"a","html":"a.html","kind":"Long Article"}"#,
        r#"{"id":"a","html":"a.html","language":"e"}"#,
        r#"{"id":"a","html":"a.html","faults":["broken"]}"#,
        r#"{"id":"a","html":"a.html","url":"no address"}"#,
        r#"{"id":"a","html":"a.html","snippets":{"wth":[]}}"#,
        r#"{"id":"a","html":"a.html","colour":"red"}"#,
    ] {
        let value: Json = serde_json::from_str(line).unwrap();
        assert!(!faults(&schema.0, &value).is_empty(), "{line} fits");
        assert!(refused(line), "{line} is taken");
    }
}

#[test]
fn what_a_run_leaves_fits() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    std::fs::create_dir(&own).unwrap();
    let manifest =
        "format: 1\nname: own\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let page = "{\"id\":\"a\",\"html\":{\"text\":\"<h1>t</h1><p>one two</p>\"},\"gold\":{\"select\":{\"include\":[\"p\"],\
                \"roles\":{\"title\":[\"h1\"]}}}}\n{\"id\":\"b\",\"html\":{\"text\":\"<p>x\"}}\n";
    std::fs::write(own.join("dataset.yaml"), manifest).unwrap();
    std::fs::write(own.join("pages.jsonl"), page).unwrap();
    let configurations = [
        "datasets: [portals, ./own]\nwhere: {}\nalgorithms:\n  - nta: {coherence: [0.5, 0.9]}\n  - cevc: {alpha: exact}\n  \
         - combine: {members: [nta, cevc], rule: union}\n  - wrapper: {learn: true}\n",
        "datasets: [./own]\nmeasure: nodes\nalgorithms: [all-text]\nbounds: []\n",
    ];
    for (place, configuration) in configurations.iter().enumerate() {
        std::fs::write(folder.path().join("c.yaml"), configuration).unwrap();
        let out = format!("run-{place}");
        let mut carat = Command::cargo_bin("carat").unwrap();
        let output = carat.current_dir(&folder).args(["run", "c.yaml", "--out", &out, "--no-texts"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let read = |name: &str| std::fs::read_to_string(folder.path().join(&out).join(name)).unwrap();
        Schema::published("configuration").fits("run.yaml", &yaml::typed("run.yaml", &read("run.yaml")).unwrap());
        for name in ["summary", "run"] {
            let schema = Schema::published(name);
            let value: Json = serde_json::from_str(&read(&format!("{name}.json"))).unwrap();
            schema.fits(name, &value);
            // Nothing that is written is unknown to the schema, and nothing that must be there may be missing.
            let document = &schema.0;
            for key in value.as_object().unwrap().keys() {
                assert!(document["properties"][key].is_object(), "{name}: {key} is not in the schema");
            }
            for key in document["required"].as_array().unwrap() {
                let mut without = value.clone();
                without.as_object_mut().unwrap().remove(key.as_str().unwrap());
                assert!(!faults(&schema.0, &without).is_empty(), "{name} fits without {key}");
            }
        }
    }
}

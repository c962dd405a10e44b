//! Stored outputs as people score them: what other programs extracted earlier, beside the pages or elsewhere.

use crate::support::{Folder, check};

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// A dataset of four pages, the last without gold and the third with a gold that is empty; `good` extracted two of
/// them, failed on one and lacks one.
fn demo() -> Folder {
    let page = |id: &str, gold: &str| {
        format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>hello world\"}},\"site\":\"{id}.org\"{gold}}}\n")
    };
    let gold = |text: &str| format!(",\"gold\":{{\"text\":\"{text}\"}}");
    let list = [page("a", &gold("hello")), page("b", &gold("hello")), page("c", &gold("")), page("d", "")].concat();
    Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", list)
        .with(
            "demo/stored/good.jsonl",
            "{\"system\":\"good\",\"version\":\"2.1\",\"date\":\"2026-01-02\",\"settings\":{\"fast\":true}}\n\
             {\"id\":\"a\",\"text\":\"hello world\"}\n{\"id\":\"b\",\"error\":\"line one\\nline two\"}\n{\"id\":\"c\",\"text\":\"\"}\n",
        )
        .with("demo/stored/lazy.jsonl", "{\"system\":\"lazy\"}\n{\"id\":\"b\",\"text\":\"hello\"}\n")
        .with("mine/a.txt", "hello")
        .with("mine/b.txt", "")
}

#[test]
fn what_was_not_run_is_left_out_and_what_failed_or_is_empty_counts() {
    let folder = demo();
    let ran = check(
        &folder,
        "run --dataset ./demo --stored all --out o",
        0,
        &["stored/good", "stored/lazy", "3 stored outputs"],
    );
    assert!(ran.stderr.contains("demo b stored/good: line one\u{fffd}line two"), "{ran:?}");
    let rows = folder.json("o/summary.json")["rows"].clone();
    let counts = |row: usize| ["pages", "failed", "not_run", "empty"].map(|key| rows[row][key].as_u64().unwrap());
    assert_eq!((&rows[0]["algorithm"], counts(0)), (&"stored/good".into(), [3, 1, 0, 1]));
    assert_eq!((&rows[1]["algorithm"], counts(1)), (&"stored/lazy".into(), [1, 0, 2, 0]));
    // a: P 1/2, R 1; b failed: 0; c: nothing to extract and nothing extracted: 1.
    assert_eq!(rows[0]["macro"]["precision"], 0.5);
    assert_eq!(rows[1]["macro"]["f1"], 1.0);
    assert_eq!(folder.json("o/summary.json")["conditions"]["datasets"]["demo"]["without_gold"], 1);
    let sites: Vec<&String> = rows[0]["groups"]["site"].as_object().unwrap().keys().collect();
    assert_eq!(sites, ["a.org", "b.org", "c.org"]);
    let system = rows[0]["system"].as_str().unwrap();
    assert!(
        system.starts_with("stored output of good | version 2.1 | of 2026-01-02 | fast=true | sha256:"),
        "{system}"
    );
    let scores = folder.csv("o/scores.csv");
    let of = |page: &str, system: &str| {
        let score = scores.iter().find(|score| score["page"] == page && score["algorithm"] == system).unwrap();
        [&score["status"], &score["matched"], &score["extracted"], &score["gold"], &score["f1"]].map(Clone::clone)
    };
    assert_eq!(of("a", "stored/good"), ["ok", "5", "10", "5", "0.666667"]);
    assert_eq!(of("b", "stored/good"), ["failed", "0", "0", "5", "0.000000"]);
    assert_eq!(of("a", "stored/lazy"), ["not_run", "", "", "", ""]);
    assert!(scores.iter().all(|score| score["page"] != "d"), "a page without gold counts in no row");
    // No page had to be parsed.
    assert!(folder.csv("o/pages.csv").iter().all(|page| page["status"] == "ok" && page["nodes"].is_empty()));
}

#[test]
fn outputs_stand_beside_algorithms_and_come_from_anywhere() {
    let folder = demo();
    check(
        &folder,
        "run --dataset ./demo --stored ./mine --stored lazy --algorithm all-text --bounds none --out o",
        0,
        &["no manifest.json"],
    );
    let names = |run: &str| -> Vec<String> {
        let rows = folder.json(&format!("{run}/summary.json"))["rows"].clone();
        rows.as_array().unwrap().iter().map(|row| row["algorithm"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("o"), ["all-text", "stored/mine", "stored/lazy"]);
    // A system's name by hand and by `all` is one row; a dataset without outputs has no such row.
    check(&folder, "run --dataset ./demo --dataset portals --stored all --stored good --out p", 0, &[]);
    assert_eq!(names("p"), ["stored/good", "stored/lazy"]);
    check(&folder, "run o/run.yaml --out again", 0, &[]);
    assert_eq!(folder.json("again/run.json")["result_digest"], folder.json("o/run.json")["result_digest"]);
}

#[test]
fn wrong_requests_and_outputs_are_told() {
    let folder = demo()
        .with("two/good.jsonl", "{\"system\":\"good\",\"version\":\"3\"}\n{\"id\":\"a\",\"text\":\"x\"}\n")
        .with("alien.jsonl", "{\"system\":\"alien\"}\n{\"id\":\"zzz\",\"text\":\"x\"}\n")
        .with("escape.jsonl", "{\"system\":\"a\\u001b[2J\"}\n")
        .with("cut.jsonl", "{\"system\":\"cut\"}\n{\"id\":\"a\",\"te");
    let wrong = |arguments: &str, code: i32, says: &str| {
        check(&folder, &format!("run --dataset ./demo {arguments} --out o"), code, &[says]);
    };
    wrong("--stored goood", 2, "did you mean `good`?");
    wrong("--stored good --stored two/good.jsonl", 2, "two different stored outputs are named `good`");
    wrong("--stored alien.jsonl", 3, "zzz");
    wrong("--stored escape.jsonl", 3, "is no system's name");
    wrong("--stored cut.jsonl", 3, "cut.jsonl:2: no text of a page");
    wrong("--dataset portals --stored alien.jsonl", 2, "over several datasets");
    check(&folder, "run --dataset portals --stored all --out o", 2, &["no stored output lies beside the pages"]);
}

#[test]
fn changed_or_missing_outputs_are_scored_anew() {
    let folder = demo();
    let run = "run --dataset ./demo --stored all --out o";
    check(&folder, run, 0, &[]);
    check(&folder, run, 0, &["holds this run already"]);
    let folder = folder.with("demo/stored/lazy.jsonl", "{\"system\":\"lazy\"}\n{\"id\":\"b\",\"text\":\"hell\"}\n");
    check(&folder, run, 0, &["4 pages in"]);
    assert_eq!(folder.json("o/summary.json")["rows"][1]["macro"]["recall"], 0.8);
    std::fs::remove_file(folder.path("demo/stored/lazy.jsonl")).unwrap();
    check(&folder, run, 0, &["4 pages in"]);
    assert_eq!(folder.json("o/summary.json")["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn nothing_is_held_against_a_gold_that_cannot_be_read() {
    let page = "{\"id\":\"a\",\"html\":\"a.html\",\"gold\":{\"select\":{\"include\":[\"p\"]}}}\n";
    let folder = Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", page)
        .with("demo/a.html", (0..30_000).map(|i| format!("<body a{i}>")).collect::<String>())
        .with("demo/stored/empty.jsonl", "{\"system\":\"empty\"}\n{\"id\":\"a\",\"text\":\"\"}\n");
    check(&folder, "run --dataset ./demo --stored all --out o", 0, &["1 page failed"]);
    let row = folder.json("o/summary.json")["rows"][0].clone();
    assert_eq!((&row["failed"], &row["macro"]["f1"], &row["micro"]["f1"]), (&1.into(), &0.0.into(), &0.0.into()));
}

#[test]
fn anyone_can_compute_the_result_digest_from_the_scores() {
    let list = |ids: [&str; 3]| -> String {
        let page = |id: &str| {
            format!(
                "{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>hello <a href=x>{id}\"}},\"gold\":{{\"text\":\"hello\"}}}}\n"
            )
        };
        ids.into_iter().map(page).collect()
    };
    let folder = Folder::new()
        .with("z/dataset.yaml", MANIFEST.replace("demo", "zeta"))
        .with("z/pages.jsonl", list(["p-1", "p", "a"]))
        .with(
            "z/stored/good.jsonl",
            "{\"system\":\"good\"}\n{\"id\":\"p\",\"text\":\"hell\"}\n{\"id\":\"a\",\"error\":\"no\"}\n",
        )
        .with("a/dataset.yaml", MANIFEST.replace("demo", "alpha"))
        .with("a/pages.jsonl", list(["x", "b", "c"]));
    check(
        &folder,
        "run --dataset ./z --dataset ./a --algorithm nta --algorithm all-text --stored all --bounds none --out o",
        0,
        &[],
    );
    let scores = folder.csv("o/scores.csv");
    assert_eq!(scores.len(), 6 * 2 + 3, "stored outputs are of one dataset");
    let line = |score: &std::collections::BTreeMap<String, String>| {
        let row = format!("{}:{}", score["algorithm"], score["parameters"]);
        let fields = [
            &score["dataset"], &score["page"], &row, &score["status"], &score["matched"], &score["extracted"],
            &score["gold"], &score["text"],
        ];
        fields.map(|field| if field.is_empty() { "-" } else { field.as_str() }).join("\t")
    };
    let mut lines: Vec<String> = scores.iter().map(line).collect();
    lines.sort();
    let mut digest = carat::formats::digest::LinesDigest::default();
    lines.iter().for_each(|line| digest.add(line));
    assert_eq!(folder.json("o/run.json")["result_digest"], format!("sha256:{}", digest.finish()));
    let failures = folder.json("o/run.json")["failures"].clone();
    assert_eq!(failures.as_array().unwrap().len(), 1, "{failures}");
}

//! Runs: what a folder holds, and what is not done twice.

use std::fs;

use serde_json::Value as Json;

use super::own_pages;
use crate::support::{Folder, check};

#[test]
fn the_default_run_leaves_a_whole_folder() {
    let folder = Folder::new();
    check(&folder, "run", 0, &["reports/default"]);
    let [info, summary] = ["run.json", "summary.json"].map(|name| folder.json(&format!("reports/default/{name}")));
    assert!(info["result_digest"].as_str().unwrap().starts_with("sha256:"), "{info}");
    assert_eq!(info["failures"], serde_json::json!([]));
    let (scores, pages) = (folder.csv("reports/default/scores.csv"), folder.csv("reports/default/pages.csv"));
    let rows = summary["rows"].as_array().unwrap().len();
    assert!(rows > 30 && pages.len() >= 10, "{rows} rows, {} pages", pages.len());
    assert_eq!(scores.len(), rows * pages.len());
    assert!(pages.iter().all(|page| page["status"] == "ok"));
}

#[test]
fn run_yaml_makes_the_same_run_again() {
    let folder = Folder::new();
    check(&folder, "run", 0, &[]);
    check(&folder, "run reports/default/run.yaml --out other", 0, &[]);
    for name in ["summary.json", "scores.csv", "pages.csv", "run.yaml"] {
        assert_eq!(folder.read(&format!("other/{name}")), folder.read(&format!("reports/default/{name}")), "{name}");
    }
    let digest = |run: &str| folder.json(&format!("{run}/run.json"))["result_digest"].clone();
    assert_eq!(digest("other"), digest("reports/default"));
}

#[test]
fn threads_do_not_show() {
    let folder = Folder::new();
    let request = "--algorithm nta:coherence=exact --algorithm cevc:alpha=0..1/0.1 --tokens word";
    for threads in ["1", "2", "5"] {
        check(&folder, &format!("run {request} --threads {threads} --out t{threads}"), 0, &[]);
    }
    for name in ["summary.json", "scores.csv", "pages.csv", "sweeps.csv"] {
        let bytes = ["t1", "t2", "t5"].map(|run| folder.read(&format!("{run}/{name}")));
        assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2], "{name}");
    }
    let digests = ["t1", "t2", "t5"].map(|run| folder.json(&format!("{run}/run.json"))["result_digest"].clone());
    assert!(digests[0] == digests[1] && digests[0] == digests[2]);
}

#[test]
fn a_finished_run_is_not_made_again() {
    let folder = Folder::new();
    let first = check(&folder, "run --algorithm all-text --out o", 0, &[]);
    let files = folder.files();
    let second = check(&folder, "run --algorithm all-text --out o", 0, &[]);
    assert!(second.stderr.contains("o holds this run already; --fresh makes it again\n"), "{second:?}");
    assert_eq!(second.stdout, first.stdout);
    assert!(folder.files() == files);
    check(
        &folder,
        "run --algorithm nta --out o",
        2,
        &["o holds the run of another configuration", "--out o-2", "replace that run with --fresh"],
    );
    check(&folder, "run --algorithm nta --out o --fresh", 0, &[]);
    let rows = folder.json("o/summary.json")["rows"].clone();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["algorithm"]), (3, &Json::from("nta")));
    check(&folder, "run --algorithm nta --out o --fresh --format json", 0, &[]);
}

#[test]
fn a_finished_run_tells_of_damaged_files_as_a_load_does() {
    let manifest = "format: 1\nname: d\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let stated = |bytes: usize| {
        format!(
            "{}\n{}\n",
            r#"{"id":"a","html":"a.html","gold":"a.txt"}"#,
            format_args!(r#"{{"id":"b","html":{{"path":"b.html","bytes":{bytes}}},"gold":"b.txt"}}"#)
        )
    };
    let files = [("dataset.yaml", manifest), ("a.html", "<p>a"), ("a.txt", "a"), ("b.html", "<p>b"), ("b.txt", "b")];
    let folder = files.iter().fold(Folder::new(), |folder, (name, text)| folder.with(&format!("d/{name}"), text));
    let list = folder.path("d/pages.jsonl");
    fs::write(&list, stated(4)).unwrap();
    let run = "run --dataset ./d --algorithm all-text --out";
    check(&folder, &format!("{run} o"), 0, &[]);
    let finished = folder.files();
    let damages: [(&str, Option<&[u8]>); 5] = [
        ("a.html", None),
        ("a.txt", None),
        ("b.txt", Some(b"\xFF")),
        ("b.html", Some(b"<p>longer")),
        ("pages.jsonl", Some(stated(5).leak().as_bytes())),
    ];
    for (name, bytes) in damages {
        let path = folder.path(&format!("d/{name}"));
        let before = fs::read(&path).unwrap();
        bytes.map_or_else(|| fs::remove_file(&path), |bytes| fs::write(&path, bytes)).unwrap();
        let [again, fresh] = ["o", "fresh"].map(|out| folder.carat(&format!("{run} {out}")));
        assert_eq!((again.code, &again.stderr), (fresh.code, &fresh.stderr), "{name}");
        assert!(again.code != 0 && again.stderr.contains("d/pages.jsonl:"), "{again:?}");
        fs::write(&path, before).unwrap();
    }
    check(&folder, &format!("{run} o"), 0, &["holds this run already"]);
    assert!(folder.files() == finished);
}

#[test]
fn sweeps_that_overlap_have_one_bound_each_over_all_their_rows() {
    let folder = own_pages();
    let sweeps = "--algorithm nta:coherence=0.8|0.9,density=0.3|0.5 --algorithm nta:density=0.4|0.5,coherence=0.8|0.9 \
                  --algorithm nta:density=0.4..0.9/0.1,coherence=0.9";
    let ran = check(&folder, &format!("run --dataset ./own {sweeps} --bounds oracle-sweep --out o"), 0, &[]);
    let shared = ran.stdout.lines().filter(|line| line.contains("coherence=0.9,density=0.5"));
    assert_eq!(shared.count(), 1, "a row of two sweeps is shown once: {}", ran.stdout);
    assert!(ran.stdout.contains("nta density: 7 values, all in tables/rows.csv"), "{}", ran.stdout);
    let rows = folder.json("o/summary.json")["rows"].clone();
    let bounds: Vec<&Json> = rows.as_array().unwrap().iter().filter(|row| row["algorithm"] == "oracle-sweep").collect();
    let told = |row: &&Json| row["parameters"]["sweep"].as_str().unwrap().to_owned();
    assert_eq!(bounds.iter().map(told).collect::<Vec<_>>(), ["nta coherence+density", "nta density"]);
    let figure = folder.read("o/figures/own-nta-density.svg");
    assert!(figure.contains("oracle-sweep"), "the bound of the sweep is a line in its figure: {figure}");
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = Folder::new();
    check(&folder, "run --dry-run", 0, &["portals", "38 rows", "5852 cells", "estimate about"]);
    check(&folder, "run --algorithm nta:density=0.3|0.5,coherence=0.6..1.0/0.1 --dry-run", 0, &["154 pages x 13 rows"]);
    assert!(folder.files().is_empty());
}

#[test]
fn results_go_to_stdout_and_progress_to_stderr() {
    let folder = own_pages();
    let ran = check(&folder, "run --dataset ./own --algorithm all-text --bounds none --out o --format json", 0, &[]);
    let summary: Json = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary, folder.json("o/summary.json"));
    assert!(ran.stderr.contains("1 rendered"), "{ran:?}");
}

#[test]
fn options_replace_the_configurations_values() {
    let folder = own_pages().with("mine.yaml", "datasets: [portals]\ntokens: word\nalgorithms: [nta, cevc]\n");
    check(
        &folder,
        "run mine.yaml --dataset ./own --algorithm all-text --bounds none --case fold --measure bag",
        0,
        &["reports/mine"],
    );
    let summary = folder.json("reports/mine/summary.json");
    let conditions = &summary["conditions"];
    let found = ["tokens", "case", "measure"].map(|key| conditions[key].as_str().unwrap());
    assert_eq!(found, ["word", "fold", "bag"]);
    assert!(conditions["datasets"]["own"].is_object(), "{conditions}");
    assert_eq!(summary["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn a_run_reports_in_the_language_that_is_asked_for() {
    let folder = own_pages();
    let run = "run --dataset ./own --algorithm nta --bounds none --out o";
    let index = |folder: &Folder| folder.read("o/index.html").contains("<html lang=\"zh-Hans\"");
    let told = check(&folder, &format!("{run} --lang zh"), 0, &["宏平均"]);
    assert!(index(&folder), "{told:?}");
    let chinese = folder.files();
    // Without `--lang` the report keeps its language, and what is printed has it too.
    check(&folder, run, 0, &["holds this run already", "宏平均"]);
    check(&folder, "report o --by site --format latex", 0, &["宏平均"]);
    check(&folder, "report o", 0, &["宏平均"]);
    assert!(folder.files() == chinese);
    check(&folder, "verify o", 0, &["o is as it was made"]);
    check(&folder, &format!("{run} --fresh"), 0, &["宏平均"]);
    assert!(index(&folder));
    check(&folder, &format!("{run} --lang en"), 0, &["holds this run already", "macro"]);
    assert!(!index(&folder));
    check(&folder, &format!("{run} --lang fr"), 2, &["`fr` is no language of reports: choose en or zh"]);
}

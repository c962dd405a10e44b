//! `carat history`: runs are appended, and the run in which a row changed is told.

use std::fs;

use crate::support::{Folder, check};

/// Eight sites of two pages each. In a run of `nta` with the coherence `to`, what is above it is left out.
fn pages() -> Folder {
    let mut folder = Folder::new();
    let mut lines = String::new();
    for site in 0..8 {
        for page in 0..2 {
            let words: String = (0..40).map(|word| format!("word{} ", word * (page + site + 3) % 41)).collect();
            let html = format!(
                "<title>t</title><div><a href=/>home of the site {site}</a><div><p>{words}.<p>{words}, <a href=x>more of this text {page}</a></div></div>"
            );
            let line = serde_json::json!({
                "id": format!("s{site}p{page}"),
                "html": {"text": html},
                "gold": {"text": format!("{words}.\n{words}, more of this text {page}\n")},
                "site": format!("s{site}.org"),
            });
            lines += &format!("{line}\n");
        }
    }
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    folder = folder.with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", lines);
    folder
}

/// The run `name` of stored outputs, which lack the last sentence on so many of the pages.
fn run(folder: &Folder, name: &str, worse: usize) {
    let lines = fs::read_to_string(folder.path("demo/pages.jsonl")).unwrap();
    let mut outputs = String::from("{\"system\":\"mine\",\"version\":\"1\"}\n");
    for (place, line) in lines.lines().enumerate() {
        let page: serde_json::Value = serde_json::from_str(line).unwrap();
        let gold = page["gold"]["text"].as_str().unwrap();
        let text = if place < worse { gold.lines().next().unwrap() } else { gold };
        outputs += &format!("{}\n", serde_json::json!({"id": page["id"], "text": text}));
    }
    fs::write(folder.path("mine.jsonl"), outputs).unwrap();
    check(folder, &format!("run --dataset ./demo --stored mine.jsonl --out {name}"), 0, &[]);
}

#[test]
fn the_run_in_which_a_row_changed_is_told_in_every_form() {
    let folder = pages();
    for (name, worse) in [("v1", 0), ("v2", 0), ("v3", 16), ("v4", 15)] {
        run(&folder, name, worse);
    }
    let added =
        check(&folder, "history add h.jsonl v1 v2 v3 v4", 0, &["added: v1, result digest sha256:", "added: v4"]);
    assert_eq!(added.stdout.lines().count(), 4);
    assert_eq!(folder.read("h.jsonl").lines().count(), 4);
    let shown = check(&folder, "history show h.jsonl", 0, &["demo: macro F1", "stored/mine", "change point: worse"]);
    let change = shown.stdout.lines().find(|line| line.contains("change point")).unwrap();
    assert!(change.contains("v3") && change.contains("v2") && change.contains("0/0/16"), "{change}");
    assert_eq!(shown.stdout.matches("change point").count(), 1, "one page of v4 is no change point: {shown:?}");
    assert!(shown.stdout.contains("Holm over 3 tests"), "v1 to v2 is no test, v1 to v4 is one: {shown:?}");
    let markdown = folder.carat("history show h.jsonl --format md").stdout;
    assert!(markdown.contains("| `v3` | `stored/mine` | `v2` |"), "{markdown}");
    assert!(folder.carat("history show h.jsonl --format latex").stdout.contains("\\begin{tab"));
    let json: serde_json::Value =
        serde_json::from_str(&folder.carat("history show h.jsonl --format json").stdout).unwrap();
    let steps = json["datasets"][0]["rows"][0]["steps"].as_array().unwrap();
    assert_eq!(steps.iter().map(|step| step["verdict"].as_str().unwrap()).collect::<Vec<_>>()[0], "worse");
    check(&folder, "history show h.jsonl --out told", 0, &["files of 4 runs are in told"]);
    let rows = folder.csv("told/rows.csv");
    assert_eq!(rows.len(), 4);
    assert_eq!((rows[1]["against"].as_str(), rows[2]["verdict"].as_str()), ("", "change point: worse"));
    let sites = folder.csv("told/sites.csv");
    assert_eq!(sites.len(), 4 * 8);
    assert!(folder.read("told/demo-history.svg").contains("change point"));
    assert!(folder.read("told/demo-history-sites-stored_mine.csv").starts_with("site,run,f1"));
    check(&folder, "history show h.jsonl --sites --row mine", 0, &["s7.org", "mean F1 of sites"]);
    check(&folder, "history show h.jsonl --row nta", 2, &["no run of the history has the row `nta`"]);
}

#[test]
fn what_moved_slowly_is_in_the_files_and_the_figure_too() {
    let folder = pages();
    let names = ["v0", "v1", "v2", "v3", "v4"];
    names.iter().enumerate().for_each(|(place, name)| run(&folder, name, 4 * place));
    check(&folder, &format!("history add h.jsonl {}", names.join(" ")), 0, &[]);
    let shown = check(&folder, "history show h.jsonl --out told", 0, &["worse"]);
    assert!(!shown.stdout.contains("change point"), "no step of two sites is one: {shown:?}");
    let changes = folder.csv("told/changes.csv");
    let verdicts: Vec<[&str; 4]> =
        changes.iter().map(|row| ["run", "kind", "against", "verdict"].map(|column| row[column].as_str())).collect();
    assert_eq!(verdicts.len(), 5);
    assert_eq!(verdicts[4], ["v4", "overall", "v0", "worse"]);
    assert!(verdicts[..4].iter().all(|row| row[1] == "step" && row[3].contains("too few sites")), "{verdicts:?}");
    let figure = folder.read("told/demo-history.svg");
    assert!(figure.contains("stored/mine: v4 is worse than v0, by 0."), "{figure}");
    assert!(folder.path("told/demo-history-sites-stored_mine.svg").is_file());
}

#[test]
fn a_history_only_grows_and_knows_its_runs() {
    let folder = pages();
    run(&folder, "v1", 0);
    check(&folder, "history show h.jsonl", 2, &["there is no history h.jsonl; make it with: carat history add"]);
    check(&folder, "history add h.jsonl v1 --label 1.0", 0, &["added: 1.0"]);
    let first = folder.read("h.jsonl");
    check(&folder, "history add h.jsonl v1 --label 1.0", 0, &["there already: 1.0"]);
    assert_eq!(folder.read("h.jsonl"), first);
    check(&folder, "history add h.jsonl v1 --label 1.1", 0, &["added: 1.1"]);
    assert!(folder.read("h.jsonl").starts_with(&first));
    run(&folder, "v2", 3);
    check(&folder, "history add h.jsonl v2 --label 1.0", 2, &["the label `1.0` names a run with other results"]);
    check(&folder, "history add h.jsonl v1 v2 --label 2", 2, &["--label is given 1 times for 2 runs"]);
    check(&folder, "history add h.jsonl nothing", 2, &["nothing is no folder of a run"]);
    fs::write(folder.path("h.jsonl"), folder.read("h.jsonl").replacen("\"label\":\"1.0\"", "\"label\":\"0.9\"", 1))
        .unwrap();
    check(&folder, "history show h.jsonl", 3, &["h.jsonl:1: is not as carat wrote it", "E-DIGEST"]);
    check(&folder, "history add h.jsonl v2", 3, &["h.jsonl:1: is not as carat wrote it"]);
    check(&folder, "run --dataset ./demo --stored mine.jsonl --measure edit --out e", 0, &[]);
    check(&folder, "history add new.jsonl e", 2, &["carat history cannot keep a run by `edit"]);
}

#[test]
fn the_gate_holds_a_run_to_the_last_one_of_a_history() {
    let folder = pages().with("mine.yaml", "datasets: [./demo]\nstored: [mine.jsonl]\n");
    run(&folder, "v1", 16);
    run(&folder, "v2", 0);
    check(&folder, "history add h.jsonl v1 v2", 0, &[]);
    let passed = folder.carat("gate mine.yaml --baseline h.jsonl");
    assert_eq!(passed.code, 0, "{passed:?}");
    assert!(passed.stderr.contains("the baseline is v2, the last run of h.jsonl"), "{passed:?}");
    run(&folder, "v3", 16);
    let fell = folder.carat("gate mine.yaml --baseline h.jsonl");
    assert_eq!(fell.code, 1, "{fell:?}");
    assert!(fell.stdout.contains("stored/mine"), "{fell:?}");
    let way = "accept it: carat history add h.jsonl reports/mine-gate --label LABEL\n";
    assert!(fell.stdout.contains(way) && !fell.stdout.contains("--accept"), "{fell:?}");
    check(
        &folder,
        "gate mine.yaml --baseline h.jsonl --accept",
        2,
        &["is a history, to which --accept writes nothing"],
    );
}

//! Datasets with faults: what a run and other commands come to that go on without the pages.

use crate::support::{Folder, check};
use carat::formats::digest::sha256;
use serde_json::json;

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

const RUN: &str = "run --dataset ./set --algorithm all-text --algorithm unrepeated-text --bounds none --out run";

/// The page list's line of the page `id`, with its gold, of a site of its own.
fn page(id: &str) -> serde_json::Value {
    let text = format!("The text of {id} is told in one line.");
    json!({"id": id, "site": id, "kind": "article", "html": {"text": format!("<title>{id}</title><p>{text}")},
           "gold": {"text": text}})
}

fn lines(pages: &[serde_json::Value]) -> String {
    pages.iter().map(|page| format!("{page}\n")).collect()
}

fn set(manifest: &str, pages: &[serde_json::Value]) -> Folder {
    Folder::new().with("set/dataset.yaml", format!("{MANIFEST}{manifest}")).with("set/pages.jsonl", lines(pages))
}

/// A page whose file is not what its line says.
fn changed(id: &str) -> serde_json::Value {
    let mut page = page(id);
    page["html"] = json!({"path": "changed.html", "sha256": sha256(b"<p>as it was")});
    page
}

/// Three pages of which one is sound, for each fault that a page can have.
fn faulty(kind: &str) -> Folder {
    let second = match kind {
        "a doubled id" => page("a"),
        "another digest" => changed("b"),
        _ => json!({"id": "b", "html": "gone.html", "kind": kind}),
    };
    set("", &[page("a"), second, page("c")]).with("set/changed.html", "<p>as it is")
}

#[test]
fn each_fault_of_a_page_is_told_and_counted_and_filters_leave_of_the_others() {
    for (kind, code) in [("a doubled id", "E-ID"), ("another digest", "E-DIGEST"), ("blog", "E-MISSING")] {
        let folder = faulty(kind);
        check(&folder, RUN, 3, &["pages.jsonl:2: page `", code]);
        let ran = folder.carat(&format!("{RUN} --keep-going --where id=c"));
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stderr.contains(code) && ran.stderr.contains("demo: 1 page left out for faults"), "{}", ran.stderr);
        let summary = folder.json("run/summary.json");
        let demo = &summary["conditions"]["datasets"]["demo"];
        assert_eq!((&demo["pages"], &demo["dropped"], &demo["lost"]), (&1.into(), &1.into(), &json!(null)), "{kind}");
        assert_eq!(summary["rows"][0]["dropped"], 1, "{kind}");
        assert!(ran.stdout.contains("1 more left out for faults of the dataset, where id=c"), "{}", ran.stdout);
        // Nothing that a filter leaves is no fault of the dataset.
        check(
            &folder,
            &format!("{RUN}-b --keep-going --where id=nosuch"),
            2,
            &["the filters leave none of the 2 pages"],
        );
    }
}

#[test]
fn a_finished_run_is_known_again_until_its_faults_change() {
    const MADE: bool = true;
    // Whether the run was made, and how many pages were there from an earlier one.
    let run = |folder: &Folder| {
        let ran = folder.carat("run --dataset ./set --algorithm all-text --bounds none --out run --keep-going");
        assert_eq!(ran.code, 0, "{ran:?}");
        let resumed = folder.json("run/run.json")["circumstances"]["resumed"].as_u64().unwrap();
        (!ran.stderr.contains("holds this run already"), resumed)
    };
    let left_out = |folder: &Folder| {
        let demo = folder.json("run/summary.json")["conditions"]["datasets"]["demo"].clone();
        (demo["pages"].as_u64().unwrap(), demo["dropped"].as_u64().unwrap_or_default())
    };
    let folder = faulty("another digest");
    assert_eq!((run(&folder), left_out(&folder)), ((MADE, 0), (2, 1)));
    let first = folder.read("run/summary.json");
    assert_eq!((run(&folder), folder.read("run/summary.json")), ((!MADE, 0), first));
    // The page as its line says: it is run beside the others.
    let folder = folder.with("set/changed.html", "<p>as it was");
    assert_eq!((run(&folder), left_out(&folder)), ((MADE, 2), (3, 0)));
    assert_eq!(folder.csv("run/scores.csv").len(), 3);
    let folder = folder.with("set/changed.html", "<p>as it is");
    assert_eq!((run(&folder), left_out(&folder)), ((MADE, 2), (2, 1)));
    // The very pages that were run, of a dataset that has no other ones.
    let folder = folder.with("set/pages.jsonl", lines(&[page("a"), page("c")]));
    assert_eq!((run(&folder), left_out(&folder)), ((MADE, 2), (2, 0)));
    assert!(!folder.read("run/tables/rows.md").contains("left out for faults"));
}

#[test]
fn what_is_lost_of_page_lists_is_told_everywhere() {
    let pages = [page("a"), page("c")];
    let folder = set("pages: [pages.jsonl, more.jsonl]\n", &pages);
    let lost = "the rest of `more.jsonl` from line 1";
    check(&folder, RUN, 3, &["more.jsonl: cannot be read"]);
    let ran = folder.carat(&format!("{RUN} --keep-going"));
    assert_eq!(ran.code, 0, "{ran:?}");
    for told in ["more.jsonl: cannot be read: ", "warning: demo: the rest of `more.jsonl` from line 1 left out"] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
    assert!(ran.stdout.contains(&format!("{lost} left out, for it cannot be read")), "{}", ran.stdout);
    let demo = folder.json("run/summary.json")["conditions"]["datasets"]["demo"].clone();
    assert_eq!((&demo["lost"], demo.get("dropped")), (&json!([{"list": "more.jsonl", "from_line": 1}]), None));
    for file in ["run/tables/rows.md", "run/index.html"] {
        assert!(folder.read(file).contains(lost) || folder.read(file).contains(&lost.replace('`', "&#96;")), "{file}");
    }
    let checked = folder.carat("dataset check ./set --fix fixed");
    assert_eq!(checked.code, 1, "{checked:?}");
    for told in
        ["2 pages, 2 with gold, 2 sites, the rest of `more.jsonl` from line 1 not loaded", "error  set-fault: 1, "]
    {
        assert!(checked.stdout.contains(told), "{told}: {}", checked.stdout);
    }
    assert!(checked.stderr.contains(&format!("warning: without {lost}")), "{}", checked.stderr);
    // The same pages, and another run: nothing is lost of them.
    let folder = folder.with("set/more.jsonl", "");
    let ran = folder.carat(&format!("{RUN} --keep-going"));
    assert!(ran.code == 0 && !ran.stderr.contains("holds this run already"), "{ran:?}");
    assert_eq!(folder.json("run/summary.json")["conditions"]["datasets"]["demo"].get("lost"), None);
}

#[test]
fn commands_on_datasets_go_on_where_they_are_asked_to() {
    let configuration = "datasets: [./set]\nalgorithms:\n  - nta: {coherence: [0.6, 0.9]}\n";
    let folder = faulty("another digest").with("tune.yaml", configuration);
    let told = "demo: 1 page left out for faults of the dataset";
    for arguments in [
        "dataset annotate ./set --from-gold --out nodes",
        "dataset export ./set --out copy",
        "explain ./set c --algorithm all-text",
        "explain portals en-news-1-0001 --algorithm fiasco-lite:train_on=./set",
        "wrapper learn ./set --out rules.yaml",
        "tune tune.yaml --resamples 100 --out tuned",
        "reproduce nta --dataset ./set --out papers",
        "run --dataset portals --where id=en-news-1-0001 --algorithm fiasco-lite:train_on=./set --bounds none --out trained",
    ] {
        // A dataset that a row names is part of the request.
        let code = if arguments.contains("train_on") { 2 } else { 3 };
        check(&folder, arguments, code, &["pages.jsonl:2: page `b`"]);
        let ran = folder.carat(&format!("{arguments} --keep-going"));
        assert_eq!(ran.code, 0, "{arguments}: {ran:?}");
        assert!(ran.stderr.contains("E-DIGEST") && ran.stderr.contains(told), "{arguments}: {}", ran.stderr);
    }
    assert!(
        folder.read("nodes/dataset.yaml").contains("version: 1-fixed-nodes"),
        "{}",
        folder.read("nodes/dataset.yaml")
    );
    assert_eq!(folder.carat("dataset check ./nodes").code, 0);
    let system = folder.json("trained/summary.json")["rows"][0]["system"].to_string();
    assert!(system.contains(" without 1 page"), "{system}");
    // A run's own setting is that of who looks at it.
    assert_eq!(folder.carat(&format!("{RUN} --keep-going")).code, 0);
    let explained = folder.carat("explain run c --algorithm all-text");
    assert!(explained.code == 0 && explained.stderr.contains(told), "{explained:?}");
    check(&set("", &[json!({"id": "a"})]), "explain ./set a --algorithm all-text --keep-going", 3, &["pages.jsonl:1"]);
}

#[test]
fn a_gate_ends_at_a_fault_whatever_its_configuration_says() {
    let configuration = "datasets: [./set]\nkeep_going: true\nalgorithms: [all-text]\n";
    let folder = faulty("another digest").with("gate.yaml", configuration);
    let ran = folder.carat("gate gate.yaml --baseline baseline.json --accept");
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.stderr.contains("`keep_going` is not for the gate") && ran.stderr.contains("E-DIGEST"),
        "{}",
        ran.stderr
    );
    assert!(!folder.path("baseline.json").exists());
}

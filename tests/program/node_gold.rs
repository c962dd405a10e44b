//! Gold as text nodes, as people meet it: found from gold texts, guarded, measured.

use std::fs;

use crate::support::{Folder, check};
use serde_json::{Value as Json, json};

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// Pages worked by hand for `oracle-nodes`, one whose gold is empty and one without gold.
const PAGES: [(&str, &str, Option<&str>); 5] = [
    (
        "cats",
        "<body><div><a href=/>首页</a></div><div><h1>猫睡觉</h1><p>猫每天睡觉。</p><p>分享到</p></div>",
        Some("猫睡觉\n猫每天睡觉。"),
    ),
    ("letters", "<body><p>ab</p><p>cdxx</p><p>zz</p>", Some("abcd")),
    ("less", "<body><p>abxyzw</p><p>q</p>", Some("ab")),
    ("nothing", "<body><p>ab</p>", Some("")),
    ("open", "<body><p>ab</p>", None),
];

fn demo() -> Folder {
    let line = |(id, html, gold): &(&str, &str, Option<&str>)| {
        let mut record = json!({"id": id, "html": {"text": html}});
        if let Some(gold) = gold {
            record["gold"] = json!({"text": gold});
        }
        format!("{record}\n")
    };
    let list: String = PAGES.iter().map(line).collect();
    // Of the second line of the cats half is there, and of the letters' second node one character of four.
    let stored = "{\"system\":\"own\"}\n{\"id\":\"cats\",\"text\":\"猫睡觉\\n猫每天\"}\n{\"id\":\"letters\",\"text\":\"ab c\"}\n";
    Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", list)
        .with("demo/stored/own.jsonl", stored)
}

/// The gold of each page of a folder's list.
fn golds(folder: &Folder, list: &str) -> Vec<(String, Json)> {
    let line = |line: &str| {
        let record: Json = serde_json::from_str(line).unwrap();
        (record["id"].as_str().unwrap().to_owned(), record["gold"].clone())
    };
    folder.read(list).lines().map(line).collect()
}

/// `matched, extracted, gold` of a row on each page.
fn counts(folder: &Folder, run: &str, algorithm: &str) -> Vec<(String, [u64; 3])> {
    let lines = folder.csv(&format!("{run}/scores.csv"));
    let own = lines.iter().filter(|line| line["algorithm"] == algorithm && line["status"] == "ok");
    own.map(|line| (line["page"].clone(), ["matched", "extracted", "gold"].map(|key| line[key].parse().unwrap())))
        .collect()
}

fn on(page: &str, counts: [u64; 3]) -> (String, [u64; 3]) {
    (page.to_owned(), counts)
}

#[test]
fn nodes_are_found_with_their_score_and_the_originals_stay() {
    let folder = demo();
    let before = folder.files();
    let ran = check(
        &folder,
        "dataset annotate ./demo --from-gold",
        0,
        &["demo-nodes: 5 pages, gold nodes found for 4", "1 on 2 pages, below 0.95 on 2"],
    );
    assert!(ran.stdout.contains("  0.5000  4/8  less\n  0.8000  8/10  letters\n"), "{}", ran.stdout);
    assert!(before.iter().all(|(path, bytes)| folder.files().get(path) == Some(bytes)));
    let found = golds(&folder, "demo-nodes/pages.jsonl");
    let nodes = |page: usize| (found[page].1["nodes"].clone(), found[page].1["f1"].clone());
    assert_eq!(nodes(0), (json!([[1, 2]]), json!([18, 18])));
    assert_eq!(nodes(1), (json!([[0, 1]]), json!([8, 10])));
    assert_eq!(nodes(2), (json!([[0, 0]]), json!([4, 8])));
    assert_eq!(nodes(3), (json!([]), json!([1, 1])));
    assert_eq!(found[4].1, Json::Null);
    assert_eq!(folder.read("demo-nodes/gold/cats.txt"), "猫睡觉\n猫每天睡觉。\n");
    assert!(folder.read("demo-nodes/dataset.yaml").contains("version: 1-nodes"));
    check(&folder, "dataset annotate ./demo --from-gold", 2, &["demo-nodes holds a dataset already"]);
    check(&folder, "dataset annotate ./demo", 2, &["--from-gold"]);
    // However the folder is named, the new one stands beside it.
    for named in ["demo/../demo/", "./demo/.", "demo/sub/.."] {
        fs::create_dir_all(folder.path("demo/sub")).unwrap();
        check(&folder, &format!("dataset annotate {named} --from-gold"), 2, &["demo-nodes holds a dataset already"]);
    }
    // The score is that of the row `oracle-nodes`, page by page.
    check(&folder, "run --dataset ./demo --algorithm all-text --bounds oracle-nodes --out o", 0, &[]);
    for (page, [matched, extracted, gold]) in counts(&folder, "o", "oracle-nodes") {
        let f1 = &found.iter().find(|(id, _)| *id == page).unwrap().1["f1"];
        let sums = if extracted + gold == 0 { [1, 1] } else { [2 * matched, extracted + gold] };
        assert_eq!(*f1, json!(sums), "{page}");
    }
}

#[test]
fn threads_and_another_time_change_nothing() {
    let folder = demo();
    check(&folder, "dataset annotate ./demo --from-gold --out one --threads 1", 0, &[]);
    let ran = check(&folder, "dataset annotate ./demo --from-gold --out four --threads 4 --format json", 0, &[]);
    let told: Json = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&told["annotated"], &told["below_0.95"][0]), (&json!(4), &json!({"page": "less", "f1": [4, 8]})));
    for file in ["dataset.yaml", "pages.jsonl", "gold/cats.txt"] {
        assert_eq!(folder.read(&format!("one/{file}")), folder.read(&format!("four/{file}")));
    }
    // What has nodes is found anew, and comes to the same.
    check(&folder, "dataset annotate ./one --from-gold --out again", 0, &[]);
    assert_eq!(golds(&folder, "again/pages.jsonl"), golds(&folder, "one/pages.jsonl"));
}

#[test]
fn text_nodes_are_measured_by_their_characters() {
    let folder = demo();
    check(&folder, "dataset annotate ./demo --from-gold --out nodes", 0, &[]);
    let request = "run --dataset ./nodes --measure nodes --algorithm all-text --stored all";
    let ran = check(
        &folder,
        &format!("{request} --bounds oracle-nodes --bounds oracle-subtree --out o"),
        0,
        &["measure nodes", "aligned: pages whose extraction is a text of its own"],
    );
    assert!(ran.stdout.lines().any(|line| line.contains("not run") && line.contains("aligned")), "{}", ran.stdout);
    assert_eq!(
        counts(&folder, "o", "all-text"),
        [on("cats", [9, 14, 9]), on("letters", [6, 8, 6]), on("less", [6, 7, 6]), on("nothing", [0, 2, 0])]
    );
    // The gold nodes themselves are what is best.
    for (page, [matched, extracted, gold]) in counts(&folder, "o", "oracle-nodes") {
        assert_eq!((matched, extracted), (gold, gold), "{page}");
    }
    // Of the elements of the letters, the body has 6 of 8, and the second paragraph 4 of 4 of 6.
    assert_eq!(counts(&folder, "o", "oracle-subtree")[1], on("letters", [6, 8, 6]));
    // A text of its own stands on the nodes of which it has half: all of the cats' gold, and of the letters `ab`.
    assert_eq!(counts(&folder, "o", "stored/own"), [on("cats", [9, 9, 9]), on("letters", [2, 2, 6])]);
    let rows = folder.csv("o/tables/rows.csv");
    let aligned: Vec<(&str, &str)> = rows.iter().map(|row| (&*row["algorithm"], &*row["aligned"])).collect();
    assert_eq!(aligned[..2], [("all-text", "0"), ("stored/own", "2")]);
    assert!(folder.read("o/tables/rows.md").contains("| aligned |"));
    check(&folder, "explain o letters --algorithm all-text", 0, &["6 matched, 8 extracted, 6 gold"]);
    // Without this measure nothing is said of alignments.
    check(&folder, "run --dataset ./nodes --algorithm all-text --stored all --out p", 0, &[]);
    assert!(
        !folder.read("p/tables/rows.csv").contains("aligned") && !folder.read("p/summary.json").contains("aligned")
    );
}

#[test]
fn equal_texts_of_different_nodes_are_told_apart() {
    let page = |id: &str, select: &str| {
        let html = "<body><p class=a>same</p><p class=b>same</p>";
        format!("{}\n", json!({"id": id, "html": {"text": html}, "gold": {"select": {"include": [select]}}}))
    };
    let outputs = "{\"system\":\"own\"}\n{\"id\":\"first\",\"text\":\"same\"}\n{\"id\":\"second\",\"text\":\"same\"}\n";
    let folder = Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", [page("first", ".a"), page("second", ".b")].concat())
        .with("demo/stored/own.jsonl", outputs);
    let request = "run --dataset ./demo --stored all --algorithm all-text --bounds none";
    check(&folder, &format!("{request} --out text"), 0, &[]);
    assert_eq!(counts(&folder, "text", "stored/own"), [on("first", [4, 4, 4]), on("second", [4, 4, 4])]);
    // An alignment takes the first of two equal nodes.
    check(&folder, &format!("{request} --measure nodes --out nodes"), 0, &[]);
    assert_eq!(counts(&folder, "nodes", "stored/own"), [on("first", [4, 4, 4]), on("second", [0, 4, 4])]);
    assert_eq!(counts(&folder, "nodes", "all-text"), [on("first", [4, 8, 4]), on("second", [4, 8, 4])]);
}

#[test]
fn what_cannot_be_measured_by_nodes_is_refused() {
    let folder = demo();
    let run = "run --dataset ./demo --algorithm all-text --out o --measure nodes";
    check(
        &folder,
        run,
        2,
        &["page `cats` of `./demo` has only a gold text", "carat dataset annotate ./demo --from-gold"],
    );
    check(&folder, &format!("{run} --tokens word"), 2, &["ask for tokens char and case keep, not word and keep"]);
    check(&folder, &format!("{run} --case fold"), 2, &["not char and fold"]);
    let folder = folder.with("a.txt", "a");
    check(&folder, "score a.txt a.txt --measure nodes", 2, &["two texts have no text nodes"]);
}

#[test]
fn nodes_of_another_page_end_the_load() {
    let folder = demo();
    check(&folder, "dataset annotate ./demo --from-gold --out nodes", 0, &[]);
    let list = folder.read("nodes/pages.jsonl");
    // Another page under the same record, whose digests of bytes are not stated any more.
    let changed: Vec<String> = list
        .lines()
        .map(|line| {
            let mut record: Json = serde_json::from_str(line).unwrap();
            if record["id"] == "letters" {
                record["html"] = json!({"text": "<body><p>ab</p><p>cdxx</p><p>zy</p>"});
            }
            format!("{record}\n")
        })
        .collect();
    let folder = folder.with("nodes/pages.jsonl", changed.concat());
    let run = "run --dataset ./nodes --algorithm all-text --out o";
    check(&folder, run, 3, &["nodes/pages.jsonl:2: page `letters`", "counted in another text", "(E-DIGEST)"]);
    // A change beside the text is none.
    let same = changed.concat().replace("<p>zy</p>", "<p class=new>zz</p>");
    check(&folder.with("nodes/pages.jsonl", same), run, 0, &[]);
}

#[test]
fn a_text_and_nodes_that_differ_are_found() {
    let folder = demo();
    check(&folder, "dataset annotate ./demo --from-gold --out nodes", 0, &[]);
    let found = folder.carat("dataset check ./nodes --format json");
    let found: Json = serde_json::from_str(&found.stdout).unwrap();
    let unlike = found["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == "unlike-nodes");
    let pages: Vec<&Json> = unlike.map(|finding| &finding["page"]).collect();
    assert_eq!(pages, ["letters", "less"]);
}

//! Runs over pages without gold: how far systems agree, and which pages they dispute.

use std::collections::BTreeMap;

use crate::support::{Folder, check};
use serde_json::{Value as Json, json};

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// Three pages without gold, and what three systems extracted from them: `c` failed on one and lacks one.
fn demo() -> Folder {
    let page = |id: &str, more: Json| {
        let mut record = json!({"id": id, "html": {"text": "<body><p>abcd</p>"}, "site": "s.org", "split": "raw"});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{record}\n")
    };
    let outputs = |system: &str, texts: [Json; 3]| {
        let lines = ["one", "two", "three"].iter().zip(texts).filter(|(_, text)| !text.is_null());
        let lines = lines.map(|(id, text)| match text {
            Json::String(text) => format!("{}\n", json!({"id": id, "text": text})),
            _ => format!("{}\n", json!({"id": id, "error": "broken"})),
        });
        format!("{{\"system\":\"{system}\"}}\n{}", lines.collect::<String>())
    };
    let list = ["one", "two", "three"].map(|id| page(id, json!({}))).concat();
    Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", &list)
        .with("mixed/dataset.yaml", MANIFEST.replace("demo", "mixed"))
        .with("mixed/pages.jsonl", list + &page("four", json!({"gold": {"text": "abcd"}, "split": "done"})))
        .with("demo/stored/a.jsonl", outputs("a", [json!("ab"), json!("abcd"), json!("ab")]))
        .with("demo/stored/b.jsonl", outputs("b", [json!("a b"), json!("abxy"), json!("ax")]))
        .with("demo/stored/c.jsonl", outputs("c", [json!("ab"), json!(0), Json::Null]))
}

/// F1 of each pair, and its pages.
fn pairs(folder: &Folder, run: &str) -> BTreeMap<(String, String), (String, String)> {
    let lines = folder.csv(&format!("{run}/tables/agreement.csv"));
    let pair = |line: &BTreeMap<String, String>| {
        ((line["one"].clone(), line["other"].clone()), (line["pages"].clone(), line["f1"].clone()))
    };
    lines.iter().map(pair).collect()
}

#[test]
fn every_two_systems_are_compared_and_disputed_pages_come_first() {
    let folder = demo();
    let ran = check(
        &folder,
        "run --dataset ./demo --stored all --algorithm all-text --out o",
        0,
        &[
            "demo: 3 pages without gold, so that rows are compared with each other",
            "1 page failed",
            "demo two stored/c: broken",
        ],
    );
    // Texts by page: all-text abcd abcd abcd; a ab abcd ab; b ab abxy ax; c ab, failed, not run.
    let pairs = pairs(&folder, "o");
    let pair = |one: &str, other: &str| pairs[&(one.to_owned(), other.to_owned())].clone();
    let told = |pages: &str, f1: &str| (pages.to_owned(), f1.to_owned());
    // 4/6, 1, 4/6; 4/6, 4/8, 2/6; 1, 4/8, 2/4.
    assert_eq!(pair("all-text", "stored/a"), told("3", "0.777778"));
    assert_eq!(pair("all-text", "stored/b"), told("3", "0.500000"));
    assert_eq!(pair("stored/a", "stored/b"), told("3", "0.666667"));
    assert_eq!(pair("stored/b", "stored/c"), told("1", "1.000000"));
    assert_eq!(pairs.len(), 6);
    let disputed = folder.csv("o/tables/disputed.csv");
    let pages: Vec<[&str; 4]> =
        disputed.iter().map(|line| ["page", "pairs", "f1", "least_other"].map(|key| line[key].as_str())).collect();
    // three: (4/6 + 2/6 + 2/4) / 3; two: (1 + 4/8 + 4/8) / 3; one: (3 * 4/6 + 3) / 6.
    let expected = [
        ["three", "3", "0.500000", "stored/b"],
        ["two", "3", "0.666667", "stored/b"],
        ["one", "6", "0.833333", "stored/a"],
    ];
    assert_eq!(pages, expected);
    let every: Vec<String> = folder.csv("o/agreement.csv").iter().map(|line| line["page"].clone()).collect();
    assert_eq!(every, ["one", "two", "three"]);
    assert!(
        ran.stdout.contains("1 all-text")
            && ran.stdout.contains("three        0.5000         0   0.5000   all-text / stored/b")
            && ran.stdout.contains("a system extracted nothing on 1 of 3 pages: two (1 of 4)\n"),
        "{}",
        ran.stdout
    );
    assert!(folder.path("o/figures/demo-agreement.svg").exists());
    let index = folder.read("o/index.html");
    assert!(index.contains("Agreement on demo"));
    assert!(index.contains(r#""disputed":[{"dataset":"demo","of":3,"conditions":"demo 1 (digest "#), "{index}");
    let first = r#""pages":[{"id":"three","file":"27a93f3472ecaba3.html","site":"s.org","language":"","kind":"","pairs":3,"texts_f1":0.5,"silent":0,"f1":0.5,"least":["all-text","stored/b"],"#;
    assert!(index.contains(first), "{index}");
    let summary = folder.json("o/summary.json");
    assert_eq!((&summary["rows"], &summary["agreement"][0]["pages"]), (&json!([]), &json!(3)));
    let report = |format: &str| check(&folder, &format!("report o --format {format}"), 0, &[]).stdout;
    assert!(report("md").contains("| `2 stored/a` | 0.7778 | 1 | 0.6667 |"), "{}", report("md"));
    assert!(report("latex").contains("\\caption{demo: agreement on 3 pages without gold}"));
    assert_eq!(report("csv"), folder.read("o/tables/agreement.csv"));
}

#[test]
fn pages_on_which_a_system_extracted_nothing_do_not_lead_for_that() {
    let stored = |system: &str, texts: [&str; 3]| {
        let lines = ["one", "two", "three"].iter().zip(texts).map(|(id, text)| json!({"id": id, "text": text}));
        format!("{{\"system\":\"{system}\"}}\n{}", lines.map(|line| format!("{line}\n")).collect::<String>())
    };
    let folder = demo()
        .with("demo/stored/a.jsonl", stored("a", ["abcd", "abcd", "abcd"]))
        .with("demo/stored/b.jsonl", stored("b", ["abcd", "abxy", ""]))
        .with("demo/stored/c.jsonl", stored("c", ["", "abcd", ""]));
    let ran = check(&folder, "run --dataset ./demo --stored all --out o", 0, &[]);
    let columns = ["page", "f1", "texts_f1", "silent"];
    let told = |table: &str| -> Vec<[String; 4]> {
        folder.csv(table).iter().map(|line| columns.map(|column| line[column].clone())).collect()
    };
    let line = |line: [&str; 4]| line.map(str::to_owned);
    // two: 4/8, 1, 4/8; one: 1, 0, 0 and 1 of the texts; three: 0, 0, and 1 of two empty ones, but no two texts.
    let expected = [
        line(["two", "0.666667", "0.666667", "0"]),
        line(["one", "0.333333", "1.000000", "1"]),
        line(["three", "0.333333", "", "2"]),
    ];
    assert_eq!(told("o/tables/disputed.csv"), expected);
    let mut every = told("o/agreement.csv");
    every.swap(0, 1);
    assert_eq!(every, expected, "the file has the order of the dataset");
    let silent = "a system extracted nothing on 2 of 3 pages: three (2 of 3), one (1 of 3)";
    assert!(ran.stdout.contains(silent), "{}", ran.stdout);
    for (file, escaped) in [("o/tables/disputed.md", silent), ("o/index.html", silent)] {
        assert!(folder.read(file).contains(escaped), "{file}");
    }
    let summary = folder.json("o/summary.json");
    assert_eq!(summary["agreement"][0]["silent_pages"], json!(2));
    check(&folder, "report o --report-pages 1", 0, &[]);
    assert!(folder.read("o/index.html").contains(r#""id":"two","file":"#), "the page that leads is shown");
    check(&folder, "dataset new ./gold --from o --disputed 2", 0, &["gold: 2 pages"]);
    let list = folder.read("gold/pages.jsonl");
    assert!(!list.contains("\"three\""), "{list}");
    check(&folder, "verify o", 0, &[]);
    // A run of before has no such columns, and its pages come by the mean of all pairs.
    let before: String = folder
        .read("o/agreement.csv")
        .lines()
        .map(|line| line.rsplitn(3, ',').last().unwrap().to_owned() + "\n")
        .collect();
    let folder = folder.with("o/agreement.csv", before).resealed("o");
    check(&folder, "dataset new ./old --from o --disputed 2", 0, &["old: 2 pages"]);
    assert!(!folder.read("old/pages.jsonl").contains("\"two\""));
}

#[test]
fn threads_and_another_start_do_not_show() {
    let folder = demo();
    let request = "run --dataset ./demo --stored all --algorithm all-text --algorithm nta";
    for (out, threads) in [("one", 1), ("four", 4)] {
        check(&folder, &format!("{request} --out {out} --threads {threads}"), 0, &[]);
    }
    for file in ["summary.json", "agreement.csv", "tables/disputed.md", "tables/agreement.md"] {
        assert_eq!(folder.read(&format!("one/{file}")), folder.read(&format!("four/{file}")), "{file}");
    }
    let digest = |run: &str| folder.json(&format!("{run}/run.json"))["result_digest"].clone();
    assert_eq!(digest("one"), digest("four"));
    check(&folder, &format!("{request} --out one"), 0, &["one holds this run already"]);
    // Another text of one system is another result.
    let changed = folder.read("demo/stored/a.jsonl").replace("abcd", "abc");
    let folder = folder.with("demo/stored/a.jsonl", changed);
    let before = folder.json("one/run.json")["result_digest"].clone();
    check(&folder, &format!("{request} --out one"), 0, &[]);
    assert_ne!(folder.json("one/run.json")["result_digest"], before);
}

#[test]
fn a_beginning_of_ids_with_and_without_gold_is_no_page() {
    let page = |id: &str, more: &str| format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>abcd\"}}{more}}}\n");
    let list = page("wa", ",\"gold\":{\"text\":\"abcd\"}") + &page("wb", "");
    let folder = Folder::new().with("demo/dataset.yaml", MANIFEST).with("demo/pages.jsonl", list);
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nonlink-text --out o", 0, &[]);
    let refused = check(&folder, "diff o w", 2, &[]);
    assert!(refused.stderr.contains("`w` begins the ids of pages with gold and of pages without: give more of the id"));
    check(&folder, "diff o wa", 0, &["wa"]);
    check(&folder, "diff o wb", 0, &["wb"]);
    let unknown = check(&folder, "diff o wa --dataset nope", 2, &[]);
    assert!(unknown.stderr.contains("the run has no dataset `nope`; it has demo"), "{unknown:?}");
}

#[test]
fn pages_with_gold_are_scored_as_ever_and_those_without_compared_beside_them() {
    let folder = demo();
    let request = "run --dataset ./mixed --algorithm all-text --algorithm nta";
    let told = "mixed: 3 pages without gold, counted in no row, so that rows are compared with each other";
    let ran = check(&folder, &format!("{request} --out all"), 0, &[told]);
    let summary = folder.json("all/summary.json");
    let rows = summary["rows"].as_array().unwrap();
    let scored: Vec<[&Json; 2]> = rows.iter().map(|row| [&row["pages"], &row["macro"]["f1"]]).collect();
    // Two algorithms and two bounds.
    assert_eq!(scored, [[&json!(1), &json!(1.0)]; 4]);
    assert_eq!(summary["agreement"][0]["pages"], json!(3));
    assert_eq!(pairs(&folder, "all").values().next().unwrap(), &("3".to_owned(), "1.000000".to_owned()));
    let every: Vec<String> = folder.csv("all/agreement.csv").iter().map(|line| line["page"].clone()).collect();
    assert_eq!(every, ["one", "two", "three"]);
    assert!(folder.csv("all/scores.csv").iter().all(|line| line["page"] == "four"));
    let report = |format: &str| check(&folder, &format!("report all --format {format}"), 0, &[]).stdout;
    let table = "mixed: agreement on 3 pages without gold";
    for (format, part) in [
        ("text", table),
        ("md", "`mixed`: agreement on 3 pages without gold"),
        ("latex", table),
        ("pr", "On 3 pages without gold: "),
    ] {
        assert!(report(format).contains(part), "{part} is not in\n{}", report(format));
    }
    let told = check(&folder, "report all --stats", 0, &[]).stdout;
    assert!(told.contains(&format!("\n\n{table}\n")), "{told}");
    assert!(ran.stdout.contains(table) && ran.stdout.contains("all-text / nta"), "{}", ran.stdout);
    assert!(folder.read("all/index.html").contains("\"disputed\":[{\"dataset\":\"mixed\",\"of\":3"));
    check(&folder, &format!("{request} --out all"), 0, &["all holds this run already"]);
    // What was there before it was killed is not run again.
    std::fs::remove_file(folder.path("all/run.json")).unwrap();
    check(&folder, &format!("{request} --out all"), 0, &["4 pages were there from an earlier start"]);

    check(&folder, &format!("{request} --where split=raw --out raw"), 0, &["rows are compared with each other"]);
    assert_eq!(pairs(&folder, "raw").len(), 1);
    // The folder of one run keeps nothing of another.
    check(
        &folder,
        "run --dataset ./mixed --algorithm nta --out all --fresh",
        0,
        &["counted in no row; a run of 2 to 100 systems compares"],
    );
    assert!(!folder.path("all/agreement.csv").exists() && !folder.path("all/tables/disputed.md").exists());
    assert!(!folder.read("all/summary.json").contains("agreement"));
}

#[test]
fn what_read_no_page_is_compared_beside_pages_with_gold_too() {
    let folder = demo().with("mixed/stored/a.jsonl", "{\"system\":\"a\"}\n{\"id\":\"one\",\"text\":\"ab\"}\n");
    // A template is learned for a page with gold alone, so the wrapper is in no pair.
    let rows = "--stored all --algorithm all-text --algorithm wrapper:learn=true";
    check(&folder, &format!("run --dataset ./mixed {rows} --bounds oracle-subtree --out o"), 0, &[]);
    let pairs = pairs(&folder, "o");
    assert_eq!(pairs.keys().collect::<Vec<_>>(), [&("all-text".to_owned(), "stored/a".to_owned())]);
    assert_eq!(pairs.values().collect::<Vec<_>>(), [&("1".to_owned(), "0.666667".to_owned())]);
}

#[test]
fn one_system_alone_is_told_that_it_takes_two() {
    let folder = demo();
    let alone = "which takes two of them";
    let ran =
        check(&folder, "run --dataset ./demo --algorithm all-text --out o", 0, &["demo: 3 pages without gold", alone]);
    assert!(!ran.stdout.contains("least agree"), "{}", ran.stdout);
    assert!(!folder.path("o/tables/agreement.md").exists() && !folder.path("o/tables/disputed.md").exists());
    for format in ["text", "md", "pr"] {
        check(&folder, &format!("report o --format {format}"), 0, &[alone]);
    }
}

#[test]
fn settings_and_floors_that_are_compared_as_systems_are_told() {
    let folder = demo();
    let told = "settings of one algorithm and floors are compared here as if each were a system";
    for rows in ["", " --algorithm nta:coherence=0.8..0.9/0.1", " --algorithm nta --algorithm all-text"] {
        check(&folder, &format!("run --dataset ./demo{rows} --out o --fresh"), 0, &[told]);
    }
    let ran = check(&folder, "run --dataset ./demo --algorithm nta --algorithm cevc --out p", 0, &["least agree"]);
    assert!(!ran.stderr.contains(told), "{ran:?}");
    let ran = check(&folder, "run --dataset ./mixed --algorithm nta --algorithm all-text --out q", 0, &[]);
    assert!(!ran.stderr.contains(told), "of the page with gold these are rows: {ran:?}");
}

#[test]
fn more_systems_than_can_be_compared_are_refused() {
    let folder = demo();
    let sweep = "run --dataset ./demo --algorithm nta:coherence=0..1/0.005 --out o";
    check(&folder, sweep, 2, &["no page of `demo` has gold", "ask for 100 rows at most"]);
    // Where pages have gold, they are what was asked for.
    check(
        &folder,
        &sweep.replace("demo", "mixed"),
        0,
        &["3 pages without gold, counted in no row; a run of 2 to 100 systems compares"],
    );
}

#[test]
fn two_rows_are_laid_over_each_other_on_a_page_without_gold() {
    let folder = demo();
    check(&folder, "run --dataset ./demo --stored all --algorithm all-text --out o", 0, &[]);
    // Those that agree least, where none is named.
    let ran = check(&folder, "diff o two", 0, &["two of demo", "F1 of the two texts 0.", "in A alone", "in B alone"]);
    assert!(
        ran.stderr.contains("choose with --a ROW --b ROW among: all-text, stored/a, stored/b, stored/c"),
        "{ran:?}"
    );
    let named = check(
        &folder,
        "diff o two --a all-text --b stored/b",
        0,
        &["A: all-text", "B: stored/b", "[-abcd-]", "{+abxy+}"],
    );
    assert!(named.stdout.contains("F1 of the two texts 0.5000"), "{named:?}");
    let json: Json =
        serde_json::from_str(&folder.carat("diff o two --a stored/a --b stored/b --format json").stdout).unwrap();
    assert_eq!((&json["a"]["extraction"], &json["b"]["row"]), (&json!("abcd"), &json!("stored/b")));
    for (command, told) in [
        (
            "diff o two --a all-txt --b stored/b",
            "no row that is compared on two is `all-txt`; did you mean `all-text`?",
        ),
        ("diff o two --a all-text --b stored/c", "`stored/c` has no text on two: broken"),
        (
            "diff o two --algorithm all-text",
            "two has no gold, so two rows are laid over each other: say --a ROW --b ROW",
        ),
        ("diff o twx", "no page has an id that begins with `twx`; did you mean `two`?"),
    ] {
        let ran = folder.carat(command);
        assert!(ran.code == 2 && ran.stderr.contains(told), "{command}: {ran:?}");
    }
    // What `compare` prints runs.
    let refused = folder.carat("compare o");
    assert!(refused.stderr.contains("o has no page with gold, so no row can be better than another"), "{refused:?}");
    let printed = refused.stderr.split("`carat ").nth(1).unwrap().split('`').next().unwrap();
    check(&folder, printed, 0, &["F1 of the two texts"]);
}

#[test]
fn two_rows_are_laid_over_each_other_beside_a_gold_too() {
    let folder = demo();
    check(
        &folder,
        "run --dataset ./mixed --stored ./demo/stored/a.jsonl --algorithm all-text --algorithm nonlink-text --out o",
        0,
        &[],
    );
    check(&folder, "diff o four --a all-text --b nonlink-text", 0, &["four of mixed", "A: all-text", "the same text"]);
    let alone = folder.carat("diff o four --a all-text");
    assert!(alone.code == 2 && alone.stderr.contains("--a and --b go together"), "{alone:?}");
}

#[test]
fn what_systems_keep_and_others_add_is_told_in_all_and_by_group() {
    let folder = demo();
    let ran = check(&folder, "run --dataset ./demo --stored all --algorithm all-text --out o", 0, &["tables/kept.md"]);
    let title = "demo: text kept on 3 pages without gold";
    assert!(ran.stdout.starts_with(title) && !ran.stdout.contains("empty texts, of"), "{}", ran.stdout);
    // By hand from the texts: of b `xy` on two and `x` on three are in no text of all-text.
    let kept = "dataset,system,pages,failed,empty,kept,median,others_add,adds_most,adds\n\
                demo,all-text,3,0,0,12,4,3,stored/b,3\n\
                demo,stored/a,3,0,0,8,2,6,all-text,4\n\
                demo,stored/b,3,0,0,8,2,7,all-text,7\n\
                demo,stored/c,1,1,0,2,2,2,all-text,2\n";
    assert_eq!(folder.read("o/tables/kept.csv"), kept);
    assert!(folder.read("o/tables/kept.md").contains("| `stored/c` | 1 | 1 | 0 | 2 | 2 | 2 | `all-text` | 2 |"));
    assert!(folder.read("o/tables/kept.tex").contains("\\caption{demo: text kept on 3 pages without gold}"));
    let by_site = folder.read("o/tables/agreement_by_site.csv");
    let lines: Vec<&str> = by_site.lines().collect();
    assert_eq!(
        lines[..2],
        ["dataset,site,one,other,pages,f1,only_one,only_other", "demo,s.org,all-text,stored/a,3,0.777778,4,0"]
    );
    assert!(folder.read("o/tables/kept_by_split.csv").contains("\ndemo,raw,stored/b,3,0,0,8,7\n"));
    let index = folder.read("o/index.html");
    let lines = r#""lines":[["all-text","3","0","0","12","4","3","stored/b","3"],"#;
    let group = r#""groups":[{"key":"site","of":1,"rows":[{"name":"s.org","pages":3,"f1":"#;
    assert!(
        index.contains(r#""corpus":[{"dataset":"demo","#) && index.contains(lines) && index.contains(group),
        "{index}"
    );
    let by = |more: &str| check(&folder, &format!("report o --by site {more}"), 0, &[]).stdout;
    assert!(
        by("").contains("demo: text kept by site on 3") && by("").contains("demo: agreement by site on 3"),
        "{}",
        by("")
    );
    assert!(by("--format md").contains("| `s.org` | `all-text` | `stored/a` | 3 | 0.7778 | 4 | 0 |"));
    assert!(by("--format latex").contains("\\label{tab:demo-agreement-by-site}"));
    assert_eq!(by("--format csv"), by_site);
    let json: Json = serde_json::from_str(&by("--format json")).unwrap();
    assert_eq!(json[0]["site"]["s.org"]["pairs"][0]["only"], json!([4, 0]));
    check(&folder, "report o --by kind", 2, &["no page of this run has a kind: choose another --by"]);
}

#[test]
fn groups_of_pages_with_and_without_gold_stand_beside_each_other() {
    let folder = demo();
    check(&folder, "run --dataset ./mixed --algorithm all-text --algorithm nta --out o", 0, &[]);
    let told = check(&folder, "report o --by split", 0, &[]).stdout;
    let parts = ["mixed by split", "done", "mixed: text kept by split on 3 pages without gold", "raw"];
    assert!(parts.iter().all(|part| told.contains(part)), "{told}");
    assert!(check(&folder, "report o --by split --format csv", 0, &[]).stdout.starts_with("dataset,algorithm,"));
}

#[test]
fn one_system_alone_has_what_it_keeps() {
    let folder = demo();
    let ran = check(&folder, "run --dataset ./demo --algorithm all-text --out o", 0, &["demo: text kept on 3 pages"]);
    assert!(ran.stdout.contains("which takes two of them"), "{}", ran.stdout);
    assert!(folder.read("o/tables/kept.csv").ends_with("\ndemo,all-text,3,0,0,12,4,0,,\n"));
    assert!(!folder.path("o/tables/agreement_by_site.csv").exists());
    let by_site = check(&folder, "report o --by site --format csv", 0, &[]).stdout;
    assert_eq!(by_site, folder.read("o/tables/kept_by_site.csv"));
}

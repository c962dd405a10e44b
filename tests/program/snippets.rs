//! The measure `snippets`, on pages of our own in the layout of trafilatura's evaluation.

use crate::support::{Folder, check};

/// Two pages with snippets and one without; the layout is upstream's.
fn evaluation() -> Folder {
    let data = r#"{
        "https://a.org/1": {"file": "a.html", "with": ["the first  line", "not there"], "without": ["Menu", "Imprint"]},
        "https://b.org/2": {"file": "b.html", "with": ["the story"], "without": ["the Footer"]}
    }"#;
    Folder::new()
        .with("up/tests/evaldata.json", data)
        .with(
            "up/tests/cache/a.html",
            "<div><a href=x>Menu</a></div><p>Here is the first\nline of it.</p><p>imprint</p>",
        )
        .with("up/tests/eval/b.html", "<p>And the story.</p><a href=y>the footer</a>")
}

#[test]
fn snippets_are_counted_over_all_pages() {
    let folder = evaluation();
    let rows = "--algorithm all-text --algorithm nonlink-text";
    let dataset = "--dataset trafilatura-eval:up --measure snippets";
    check(&folder, &format!("run {dataset} {rows} --out run"), 0, &["micro P", "accuracy", "measure snippets"]);
    let summary = folder.json("run/summary.json");
    let row = |name: &str| {
        let rows = summary["rows"].as_array().unwrap();
        rows.iter().find(|row| row["algorithm"] == name).unwrap().clone()
    };
    // By hand: both pages hold their text, the first a menu besides; case counts, so imprint and footer are not there.
    let all = row("all-text");
    let counts = ["true_positives", "false_positives", "false_negatives", "true_negatives"];
    assert_eq!(counts.map(|name| all["snippets"][name].as_u64().unwrap()), [2, 1, 1, 2]);
    assert!((all["snippets"]["accuracy"].as_f64().unwrap() - 4.0 / 6.0).abs() < 1e-9);
    let micro =
        |row: &serde_json::Value| ["precision", "recall", "f1"].map(|part| row["micro"][part].as_f64().unwrap());
    assert!(micro(&all).iter().all(|value| (value - 2.0 / 3.0).abs() < 1e-9), "{all}");
    let nonlink = row("nonlink-text");
    assert_eq!(counts.map(|name| nonlink["snippets"][name].as_u64().unwrap()), [2, 0, 1, 3]);
    assert_eq!((micro(&nonlink)[0], nonlink["pages"].as_u64()), (1.0, Some(2)));
    check(&folder, &format!("run {dataset} {rows} --case fold --out folded"), 0, &[]);
    let folded = folder.json("folded/summary.json");
    assert_eq!(folded["rows"][0]["snippets"]["false_positives"], 3);
}

#[test]
fn a_dataset_says_when_a_snippet_is_in_a_text() {
    let truth = r#"{"url": "https://a.org/", "ground_truth": {"main_content": "x",
        "with": ["THE first line", "nowhere"], "without": ["menu"]}}"#;
    let folder = Folder::new()
        .with("up/metadata.json", r#"{"files": {}}"#)
        .with("up/dev/html/0001.html", "<p>The fir<b>st</b>li\nne.</p><p>ME NU</p>")
        .with("up/dev/ground-truth/0001.json", truth);
    check(&folder, "dataset import wcxb up --out out", 0, &["1 page, "]);
    assert!(folder.read("out/dataset.yaml").contains("\nsnippets: dense\n"), "{}", folder.read("out/dataset.yaml"));
    let counts = |dataset: &str, out: &str| {
        let run = format!("run --dataset {dataset} --measure snippets --algorithm all-text --case keep --out {out}");
        check(&folder, &run, 0, &[]);
        let summary = folder.json(&format!("{out}/summary.json"));
        let row = &summary["rows"][0]["snippets"];
        let counts = ["true_positives", "false_positives", "false_negatives"].map(|name| row[name].as_u64().unwrap());
        (counts, summary["conditions"]["datasets"]["wcxb"]["digest"].clone())
    };
    let (direct, imported) = (counts("wcxb:up", "one"), counts("./out", "two"));
    assert_eq!((direct.0, &direct), ([1, 1, 1], &imported));
    // As trafilatura looks for them, none is there; it is another dataset then, and the same folder runs again.
    let spaced = folder.read("out/dataset.yaml").replace("snippets: dense\n", "");
    std::fs::write(folder.path("out/dataset.yaml"), spaced).unwrap();
    let spaced = counts("./out", "three");
    assert_eq!(spaced.0, [0, 0, 2]);
    assert_ne!(spaced.1, imported.1);
}

#[test]
fn snippets_and_gold_are_not_taken_for_each_other() {
    let folder = evaluation();
    let told = "`trafilatura-eval` has no gold text, only snippets: score it with --measure snippets";
    check(&folder, "run --dataset trafilatura-eval:up --algorithm all-text", 2, &[told]);
    check(&folder, "run --measure snippets --algorithm all-text", 2, &["no page of `portals` has snippets"]);
    let folder = folder.with("x.txt", "x");
    check(&folder, "score x.txt x.txt --measure snippets", 2, &["carat run --measure snippets"]);
    check(&folder, "list measures snippets", 0, &["must or must not contain"]);
}

#[test]
fn pages_without_snippets_count_in_no_row_and_failed_ones_score_0() {
    let manifest = "format: 1\nname: demo\nversion: '1'\nlicence: {data: a, pages: a, redistribution: free}\n";
    let list = concat!(
        "{\"id\":\"a\",\"html\":{\"text\":\"<p>one\"},\"snippets\":{\"with\":[\"one\"]}}\n",
        "{\"id\":\"b\",\"html\":{\"text\":\"<p>two\"},\"gold\":{\"text\":\"two\"}}\n",
        "{\"id\":\"c\",\"html\":\"c.html.gz\",\"snippets\":{\"with\":[\"three\"],\"without\":[\"x\"]}}\n",
    );
    let folder =
        Folder::new().with("set/dataset.yaml", manifest).with("set/pages.jsonl", list).with("set/c.html.gz", "no");
    let run = "run --dataset ./set --measure snippets --algorithm all-text --out run";
    check(&folder, run, 0, &["1 page without snippets, counted in no row", "1 page failed"]);
    let row = folder.json("run/summary.json")["rows"][0].clone();
    assert_eq!((row["pages"].as_u64(), row["failed"].as_u64()), (Some(2), Some(1)), "{row}");
    assert_eq!(row["snippets"]["false_negatives"], 1);
    let wrong = folder.with("set/pages.jsonl", list.replace("[\"one\"]", "\"one\""));
    check(&wrong, "run --dataset ./set --measure snippets", 3, &["pages.jsonl:1", "`snippets`"]);
}

#[test]
fn wanted_and_unwanted_texts_are_counted_by_the_kind_of_page() {
    let manifest = "format: 1\nname: demo\nversion: '1'\nlicence: {data: a, pages: a, redistribution: free}\n";
    let list = concat!(
        "{\"id\":\"a\",\"kind\":\"article\",\"html\":{\"text\":\"<p>one two</p><a href=x>Menu</a>\"},\
         \"snippets\":{\"with\":[\"one\",\"not there\"],\"without\":[\"Menu\",\"Imprint\"]}}\n",
        "{\"id\":\"b\",\"kind\":\"article\",\"html\":{\"text\":\"<p>three</p>\"},\
         \"snippets\":{\"with\":[\"three\"],\"without\":[\"Menu\"]}}\n",
        "{\"id\":\"c\",\"kind\":\"forum\",\"html\":{\"text\":\"<p>four</p><a href=x>reply</a>\"},\
         \"snippets\":{\"with\":[\"four\"],\"without\":[\"reply\"]}}\n",
        "{\"id\":\"d\",\"html\":{\"text\":\"<p>five</p>\"},\"snippets\":{\"with\":[\"five\"]}}\n",
    );
    let folder = Folder::new().with("set/dataset.yaml", manifest).with("set/pages.jsonl", list);
    let rows = "--algorithm all-text --algorithm nonlink-text";
    check(&folder, &format!("run --dataset ./set --measure snippets {rows} --out run"), 0, &[]);
    let lines = folder.csv("run/tables/by_kind.csv");
    let counts = |algorithm: &str, kind: &str| {
        let line = lines.iter().find(|line| line["algorithm"] == algorithm && line["kind"] == kind).unwrap();
        ["pages", "wanted", "wanted_found", "unwanted", "unwanted_found"]
            .map(|column| line[column].parse::<usize>().unwrap())
    };
    assert_eq!(counts("all-text", "article"), [2, 3, 2, 3, 1]);
    assert_eq!(counts("all-text", "forum"), [1, 1, 1, 1, 1]);
    assert_eq!(counts("nonlink-text", "article"), [2, 3, 2, 3, 0]);
    assert_eq!(counts("nonlink-text", "forum"), [1, 1, 1, 1, 0]);
    let told = check(&folder, "report run --by kind", 0, &["unwanted found"]).stdout;
    assert!(told.contains("forum"), "{told}");
    // Other measures have no such columns.
    let plain = folder.with("own/html/a.html", "<p>x").with("own/gold/a.txt", "x");
    check(&plain, "run --dataset ./own --algorithm all-text --out plain", 0, &[]);
    assert!(!plain.read("plain/tables/by_site.csv").contains("wanted"));
}

//! Runs by measures of structure, over golds and extractions that are Markdown, HTML or text nodes.

use carat::datasets::locate::corpora;
use serde_json::Value as Json;

use crate::support::{Folder, check};

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// A page with a menu, and a table of two rows where `table` is true.
fn page(id: &str, table: bool, gold: &str) -> String {
    let rows = if table { "<table><tr><td>a<td>b<tr><td>1<td>2</table>" } else { "" };
    let html = format!("<nav><a href=x>menu</a></nav><main><h1>Title</h1><p>some words</p>{rows}</main>");
    format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"{html}\"}},\"gold\":{gold}}}\n")
}

/// Three pages whose gold is Markdown in a file, HTML in the list, and the nodes that a selector selects; the last has no
/// table. `md` and `html` hold outputs of two programs.
fn demo() -> Folder {
    let list = [
        page("a", true, "{\"path\":\"a.md\",\"kind\":\"markdown\"}"),
        page("b", true, "{\"text\":\"<h1>Title</h1><table><tr><td>a<td>b<tr><td>1<td>2</table>\",\"kind\":\"html\"}"),
        page("c", false, "{\"select\":{\"include\":[\"main\"]}}"),
    ];
    let table = "| a | b |\n|---|---|\n| 1 | 2 |\n";
    Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", list.concat())
        .with("demo/a.md", format!("# Title\n\nsome *words*\n\n{table}"))
        .with("md/a.md", format!("# Title\n\nsome words\n\n{table}"))
        .with("md/b.md", "| a | b |\n|---|---|\n")
        .with("md/c.md", "Title")
        .with("html/a.html", "<h1>Title</h1>")
        .with("html/c.html", "<table><tr><td>x</table>")
}

fn cells(folder: &Folder, run: &str, system: &str, page: &str) -> [String; 5] {
    let scores = folder.csv(&format!("{run}/scores.csv"));
    let score = scores.iter().find(|score| score["page"] == page && score["algorithm"] == system).unwrap();
    ["status", "matched", "extracted", "gold", "f1"].map(|column| score[column].clone())
}

#[test]
fn tables_are_compared_whatever_form_they_are_written_in() {
    let folder = demo();
    check(
        &folder,
        "run --dataset ./demo --stored ./md --stored ./html --algorithm all-text --algorithm semantic --bounds none \
         --measure tables --out o",
        0,
        &["measure tables", "without"],
    );
    let whole = ["ok", "1000000000", "1000000000", "1000000000", "1.000000"];
    assert_eq!(cells(&folder, "o", "stored/md", "a"), whole);
    assert_eq!(cells(&folder, "o", "all-text", "a"), whole);
    assert_eq!(cells(&folder, "o", "all-text", "b"), whole);
    // One row of two cells is missing, of seven nodes.
    assert_eq!(cells(&folder, "o", "stored/md", "b"), ["ok", "571428571", "1000000000", "1000000000", "0.571429"]);
    assert_eq!(cells(&folder, "o", "stored/html", "a"), ["ok", "0", "0", "1000000000", "0.000000"]);
    assert_eq!(cells(&folder, "o", "stored/html", "b"), ["not_run", "", "", "", ""]);
    assert_eq!(cells(&folder, "o", "stored/html", "c"), ["ok", "0", "1000000000", "0", "0.000000"]);
    assert_eq!(cells(&folder, "o", "stored/md", "c"), ["without", "", "", "", ""]);
    let rows = folder.csv("o/tables/rows.csv");
    let md = rows.iter().find(|row| row["algorithm"] == "stored/md").unwrap();
    assert_eq!([&md["pages"], &md["without"], &md["unfit"], &md["macro_f1"]], ["2", "1", "0", "0.785714"]);
}

#[test]
fn a_text_is_read_as_it_stands_or_as_a_reader_sees_it() {
    let folder = demo();
    let all = "run --dataset ./demo --stored ./md --algorithm all-text --bounds none --where id=a --out";
    check(&folder, &format!("{all} o --measure lcs,scalar"), 2, &["`scalar` is no measure"]);
    folder.carat_with(
        b"",
        &[&all.split(' ').collect::<Vec<_>>()[..], &["o", "--measure", "lcs,edit scalar,tables"]].concat(),
    );
    // As a reader sees them: 11 characters of the heading and the words, and 4 of the table.
    assert_eq!(cells(&folder, "o/lcs-char", "stored/md", "a"), ["ok", "18", "18", "18", "1.000000"]);
    // As they stand, the gold has two asterisks more.
    assert_eq!(cells(&folder, "o/edit-scalar", "stored/md", "a"), ["ok", "51", "53", "53", "0.962264"]);
    assert_eq!(cells(&folder, "o/tables", "stored/md", "a")[4], "1.000000");
    // A text without the marks of Markdown is not ranked with one that has them.
    let rows = folder.json("o/edit-scalar/summary.json")["rows"].clone();
    let rendered = |row: &Json| (row["algorithm"].clone(), row["rendered"].as_bool());
    let rows: Vec<_> = rows.as_array().unwrap().iter().map(rendered).collect();
    assert_eq!(rows, [("all-text".into(), Some(true)), ("stored/md".into(), None)]);
    assert!(folder.json("o/lcs-char/summary.json")["rows"][0].get("rendered").is_none());
    let summary = folder.json("o/tables/summary.json");
    assert!(summary["conditions"]["datasets"]["demo"]["golds_as_they_stand"].is_string());
    // What several measures come to is what each comes to alone.
    for (measure, name) in [("lcs", "lcs-char"), ("edit scalar", "edit-scalar"), ("tables", "tables")] {
        let alone = format!("alone-{name}");
        let ran = folder
            .carat_with(b"", &[&all.split(' ').collect::<Vec<_>>()[..], &[&alone, "--measure", measure]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let digest = |run: &str| folder.json(&format!("{run}/run.json"))["result_digest"].clone();
        assert_eq!(digest(&alone), digest(&format!("o/{name}")), "{measure}");
    }
}

#[test]
fn what_a_measure_cannot_read_is_refused_before_any_work() {
    let folder = demo()
        .with("plain/dataset.yaml", MANIFEST.replace("demo", "plain"))
        .with("plain/pages.jsonl", page("p", true, "{\"text\":\"words\"}"))
        .with("text/a.txt", "words")
        .with("wrong/dataset.yaml", MANIFEST.replace("demo", "wrong"))
        .with("wrong/pages.jsonl", page("p", true, "{\"select\":{\"include\":[\"main\"]},\"kind\":\"html\"}"));
    let refused = |arguments: &str, says: &str| {
        check(&folder, &format!("run {arguments} --out refused"), 2, &[says]);
        assert!(!folder.path("refused").join("units").exists(), "{arguments}");
    };
    refused(
        "--dataset ./plain --algorithm all-text --measure tables",
        "measure tables needs gold with structure, and page `p` of `./plain` has only text: give it as Markdown or HTML (kind)",
    );
    refused(
        "--dataset ./demo --where id=b --stored ./md --measure wmb-code",
        "measure wmb-code reads Markdown, and the gold of page `b` of `./demo` is HTML",
    );
    refused(
        "--dataset ./demo --where id=a --stored ./text --measure code",
        "measure code needs structure, and stored/text is stored as text",
    );
    refused(
        "--dataset ./demo --where id=a --algorithm all-text --bounds none --measure wmb-teds",
        "measure wmb-teds reads Markdown, and all-text selects text nodes",
    );
    refused(
        "--dataset ./demo --where id=a --algorithm nta:coherence=exact --bounds none --measure tables",
        "measure tables has no exact curve",
    );
    check(&folder, "run --dataset ./wrong --algorithm all-text --out o", 3, &["`gold` has `kind` beside a text only"]);
}

#[test]
fn a_program_that_answers_with_text_does_not_count_by_a_measure_of_structure() {
    let folder = demo();
    let ran = check(
        &folder,
        "run --dataset ./demo --where id=a --algorithm readability-mozilla --bounds none --measure tables --out o",
        0,
        &["readability-mozilla does not count on 1 page, first a: measure tables needs structure"],
    );
    assert!(ran.stdout.contains("unfit"), "{ran:?}");
    assert_eq!(cells(&folder, "o", "readability-mozilla", "a"), ["unfit", "", "", "", ""]);
}

#[test]
fn a_page_that_cannot_be_opened_scores_by_its_gold_all_the_same() {
    let markdown = |text: &str| format!("{{\"text\":\"{text}\",\"kind\":\"markdown\"}}");
    let digest = "0".repeat(64);
    let of_nodes = format!("{{\"text\":\"words\",\"nodes\":[[0,0]],\"text_sha256\":\"{digest}\"}}");
    let too_large = |id: &str, gold: &str| format!("{{\"id\":\"{id}\",\"html\":\"large.html\",\"gold\":{gold}}}\n");
    let list = [
        too_large("table", &markdown("| a |\\n|---|\\n")),
        too_large("none", &markdown("words")),
        too_large("nodes", &of_nodes),
    ];
    let folder = Folder::new().with("demo/dataset.yaml", MANIFEST).with("demo/pages.jsonl", list.concat());
    let file = std::fs::File::create(folder.path("demo/large.html")).unwrap();
    file.set_len((32 << 20) + 1).unwrap();
    let folder =
        ["table", "none", "nodes"].iter().fold(folder, |folder, id| folder.with(&format!("md/{id}.md"), "words"));
    check(
        &folder,
        "run --dataset ./demo --stored ./md --algorithm all-text --bounds none --measure tables --out o",
        0,
        &["the file has more than 33554432 bytes"],
    );
    let status = |system: &str, page: &str| cells(&folder, "o", system, page);
    assert_eq!(status("stored/md", "table"), ["ok", "0", "0", "1000000000", "0.000000"]);
    assert_eq!(status("all-text", "table"), ["failed", "0", "0", "1000000000", "0.000000"]);
    assert_eq!([status("stored/md", "none")[0].as_str(), &status("all-text", "none")[0]], ["without"; 2]);
    // Nobody knows whether its gold nodes have a table.
    assert_eq!([status("stored/md", "nodes")[0].as_str(), &status("all-text", "nodes")[0]], ["failed"; 2]);
}

#[test]
fn an_empty_text_of_a_program_is_not_one_that_carat_rendered() {
    let gold = |id: &str| page(id, false, "{\"text\":\"# Title\",\"kind\":\"markdown\"}");
    let folder = Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", [gold("a"), gold("b")].concat())
        .with("html/a.html", "")
        .with("html/b.html", "<p>x</p>")
        .with("md/a.md", "")
        .with("md/b.md", "# Title");
    let all = "run --dataset ./demo --stored ./html --stored ./md --out o --measure";
    let ran = folder.carat_with(b"", &[&all.split(' ').collect::<Vec<_>>()[..], &["edit scalar"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let rows = folder.json("o/summary.json")["rows"].clone();
    let rendered: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["rendered"].as_bool()).collect();
    assert_eq!(rendered, [Some(true), None]);
    check(
        &folder,
        "compare o --row stored/html --row stored/md",
        2,
        &["carat rendered the texts of `stored/html`, and `stored/md` wrote Markdown: they are not compared"],
    );
}

#[test]
fn an_annotated_copy_of_the_same_text_and_another_table_is_another_gold() {
    let copy = |cell: &str| format!("<main><table><tr><td{cell}>a<td>b</table></main>");
    let list = page("a", true, "{\"path\":\"a.html\",\"select\":{\"include\":[\"main\"]}}");
    let folder =
        Folder::new().with("demo/dataset.yaml", MANIFEST).with("demo/pages.jsonl", list).with("demo/a.html", copy(""));
    let mut runs = Vec::new();
    for cell in ["", " colspan=2"] {
        std::fs::write(folder.path("demo/a.html"), copy(cell)).unwrap();
        check(&folder, "run --dataset ./demo --algorithm all-text --bounds none --measure tables --out o", 0, &[]);
        let golds = folder.json("o/summary.json")["conditions"]["datasets"]["demo"]["golds_as_they_stand"].clone();
        runs.push((cells(&folder, "o", "all-text", "a"), golds));
    }
    assert!(runs[0].0 != runs[1].0 && runs[0].1 != runs[1].1, "{runs:?}");
}

#[test]
fn a_row_that_counts_on_no_page_keeps_no_other_from_being_compared() {
    let gold =
        |at: usize| page(&format!("p{at}"), true, "{\"text\":\"| a | b |\\n|---|---|\\n\",\"kind\":\"markdown\"}");
    let mut folder = Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", (0..8).map(gold).collect::<String>());
    for at in 0..8 {
        folder = folder.with(&format!("md/p{at}.md"), "words");
    }
    let run = "run --dataset ./demo --stored ./md --algorithm all-text --algorithm readability-mozilla --bounds none \
               --measure tables --out o";
    check(&folder, run, 0, &[]);
    check(&folder, "compare o", 0, &["stored/md", "all-text"]);
    check(&folder, "compare o --row all-text --row readability-mozilla", 2, &["no page of demo counts in the row"]);
    check(&folder, "diff o p0 --algorithm readability-mozilla", 0, &["the measure cannot be taken of it"]);
    let told = check(&folder, "report o --stats", 0, &["letters"]);
    assert!(!told.stdout.contains("no letters"), "{told:?}");
}

#[test]
fn settings_are_tuned_on_the_pages_that_count_in_every_row() {
    let markdown = |text: &str| format!("{{\"text\":\"{text}\",\"kind\":\"markdown\"}}");
    let list = |at: usize| match at % 2 {
        0 => page(&format!("p{at}"), true, &markdown("| a | b |\\n|---|---|\\n| 1 | 2 |")),
        _ => page(&format!("p{at}"), false, &markdown("words")),
    };
    let folder = Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", (0..16).map(list).collect::<String>())
        .with(
            "t.yaml",
            "name: t\ndatasets: [./demo]\nalgorithms:\n- nta: {coherence: [0.1, 0.5]}\nbounds: []\nmeasure: tables\n",
        );
    // Eight of the pages have no table.
    check(&folder, "tune t.yaml --out t", 0, &["8 pages"]);
}

/// The five columns of WebMainBench and the measures that are theirs.
const COLUMNS: [(&str, &str); 5] = [
    ("text_edit", "edit-scalar"),
    ("code_edit", "wmb-code"),
    ("formula_edit", "wmb-formula"),
    ("table_edit", "wmb-table"),
    ("table_TEDS", "wmb-teds"),
];

#[test]
fn webmainbench_prints_what_a_run_of_its_rows_comes_to() {
    let Some(corpora) = corpora().filter(|folder| folder.join("webmainbench-sample").is_dir()) else {
        eprintln!("skipped: CARAT_CORPORA does not name a folder that holds webmainbench-sample");
        return;
    };
    let rows = corpora.join("webmainbench-sample/dataset_with_results.jsonl");
    let folder = Folder::new();
    let dataset = format!("webmainbench:{},gold_from=markdown", rows.display());
    let measures = "edit scalar,wmb-code,wmb-formula,wmb-table,wmb-teds";
    let arguments =
        ["run", "--dataset", &dataset, "--stored", rows.to_str().unwrap(), "--measure", measures, "--out", "o"];
    let ran = folder.carat_with(b"", &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    let figures: Json = serde_json::from_slice(&std::fs::read(corpora.join("figures-measures.json")).unwrap()).unwrap();
    let systems = figures["webmainbench-sample"]["systems"].as_object().unwrap();
    let mut held = 0;
    for (column, measure) in COLUMNS {
        let summary = folder.json(&format!("o/{measure}/summary.json"));
        assert_eq!(summary["rows"].as_array().unwrap().len(), systems.len());
        for row in summary["rows"].as_array().unwrap() {
            let system = &row["algorithm"].as_str().unwrap()["stored/".len()..];
            let printed = systems[system]["aggregate"][column].as_f64().unwrap();
            let ours = row["webmainbench"]["f1"].as_f64().unwrap();
            // The scores of pages are rounded to 12 digits, and so is the mean of either side.
            assert!((ours - printed).abs() < 2e-12, "{system} {column}: {ours}, printed {printed}");
            for (page, theirs) in systems[system]["pages"].as_object().unwrap() {
                let [status, .., f1] =
                    cells(&folder, &format!("o/{measure}"), row["algorithm"].as_str().unwrap(), page);
                match theirs["wmb"][column].as_f64() {
                    Some(score) => {
                        assert!((f1.parse::<f64>().unwrap() - score).abs() < 1e-6, "{system} {page} {column}")
                    }
                    None => assert_eq!(status, "without", "{system} {page} {column}"),
                }
                held += 1;
            }
        }
    }
    assert_eq!(held, 80);
    // The mean of the five columns, as upstream prints it.
    let table = folder.csv("o/measures.csv");
    for (system, known) in systems {
        let line = table.iter().find(|line| line["row"] == format!("stored/{system}")).unwrap();
        let printed = known["aggregate"]["overall"].as_f64().unwrap();
        let ours: f64 = line["webmainbench overall"].parse().unwrap();
        assert!((ours - printed).abs() < 1e-6, "{system}: {ours}, printed {printed}");
    }
}

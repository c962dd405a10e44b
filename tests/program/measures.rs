//! Several measures in one run, and the measures on two texts.

use std::fs;

use serde_json::Value as Json;

use crate::external::{asking, pages};
use crate::support::{Folder, Ran, check, units};

const SYSTEMS: [&str; 8] = [
    "run", "--where", "group=zh-news", "--algorithm", "nta:coherence=0.8|0.9", "--algorithm", "cevc:alpha=exact",
    "--out",
];

/// A run of two grid settings and an exact sweep, by these measures, into `out`.
fn run(folder: &Folder, out: &str, measures: &str) -> Ran {
    let ran = folder.carat_with(b"", &[&SYSTEMS[..], &[out, "--measure", measures]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran
}

#[test]
fn a_run_by_several_measures_is_the_run_by_each() {
    let folder = Folder::new();
    let measures = [("lcs", "lcs-char"), ("rouge:5 jieba", "rouge-5-jieba"), ("edit scalar keep", "edit-scalar")];
    let ran = run(&folder, "all", &measures.map(|(measure, _)| measure).join(","));
    for (measure, name) in measures {
        run(&folder, "one", measure);
        for file in ["scores.csv", "summary.json", "sweeps.csv", "pages.csv", "tables/rows.csv"] {
            let (together, alone) = (folder.read(&format!("all/{name}/{file}")), folder.read(&format!("one/{file}")));
            assert!(together == alone, "{measure}: {file}");
        }
        let digest = |run: &str| folder.json(&format!("{run}/run.json"))["result_digest"].clone();
        assert_eq!(digest(&format!("all/{name}")), digest("one"), "{measure}");
        fs::remove_dir_all(folder.path("one")).unwrap();
    }
    // The table has a column per measure, and the report of each is one step away.
    let table = folder.csv("all/measures.csv");
    let nta = table.iter().find(|line| line["row"] == "nta coherence=0.9").unwrap();
    let summary = folder.json("all/edit-scalar/summary.json");
    let rows = summary["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["algorithm"] == "nta" && row["parameters"]["coherence"] == "0.9").unwrap();
    assert_eq!(nta["edit scalar"], format!("{:.6}", row["macro"]["f1"].as_f64().unwrap()));
    assert!(ran.stdout.contains("portals: `rouge:5 jieba` orders 0 of 1 pairs of rows differently"), "{ran:?}");
    assert!(ran.stdout.contains("oracle-nodes (bound)") && ran.stdout.contains("Marked rows come last"), "{ran:?}");
    assert!(folder.read("all/index.html").contains("rouge-5-jieba"));
    assert!(folder.read("all/measures.md").contains("| `portals` | `nta coherence=0.9` |"));
}

#[test]
fn what_is_missing_by_one_measure_is_made_again() {
    let folder = Folder::new();
    run(&folder, "all", "lcs,bag w");
    let before = folder.json("all/bag-w/run.json")["result_digest"].clone();
    assert!(run(&folder, "all", "lcs,bag w").stderr.contains("holds this run already"));
    let of_bag = folder.path("all/bag-w");
    let page = units::pages(&of_bag).remove(0);
    units::lose(&of_bag, &[&page]);
    let again = run(&folder, "all", "lcs,bag w");
    assert!(again.stderr.contains("1 unit of all/bag-w is missing or damaged, and made again"), "{again:?}");
    assert_eq!(folder.json("all/bag-w/run.json")["result_digest"], before);
    // A bit that is flipped in the unit of one measure alone.
    let texts = of_bag.join("units").join(units::files(&of_bag, ".texts").remove(0));
    let mut bytes = fs::read(&texts).unwrap();
    let last = bytes.len() - 40;
    bytes[last] ^= 1;
    fs::write(&texts, bytes).unwrap();
    assert!(run(&folder, "all", "lcs,bag w").stderr.contains("is missing or damaged"));
    assert_eq!(folder.json("all/bag-w/run.json")["result_digest"], before);
    // Killed before the second measure had its unit: the page is made again by both.
    fs::remove_file(folder.path("all/lcs-char/run.json")).unwrap();
    fs::remove_file(folder.path("all/bag-w/run.json")).unwrap();
    units::lose(&of_bag, &[&page]);
    run(&folder, "all", "lcs,bag w");
    assert_eq!(folder.json("all/bag-w/run.json")["result_digest"], before);
    let refused = folder.carat_with(b"", &[&SYSTEMS[..], &["all/bag-w", "--measure", "lcs,bag"]].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("holds a run by one measure: choose another folder with --out"), "{refused:?}");
    let refused = folder.carat_with(b"", &[&SYSTEMS[..], &["all", "--measure", "lcs"]].concat());
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("holds a run by several measures: choose another folder with --out"),
        "{refused:?}"
    );
    check(&folder, "compare all", 3, &["name the folder of one measure in it"]);
}

#[test]
fn a_configuration_names_each_measure_in_full() {
    // The case of the first measure is none of the second's, here and in the file that repeats the run.
    let folder = Folder::new().with(
        "two.yaml",
        "datasets: [portals]\nwhere: {group: zh-news}\nalgorithms: [nta]\nbounds: []\nmeasure: [set ws lower, lcs char]\n",
    );
    check(&folder, "run two.yaml --out r", 0, &["set ws lower", "lcs char"]);
    assert!(folder.read("r/lcs-char/run.yaml").contains("case: keep"));
    let one = "datasets: [portals]\nalgorithms: [nta]\nmeasure: 'bag w lower, bag w keep'\n";
    check(&folder.with("one.yaml", one), "run one.yaml --dry-run", 0, &["bag over w tokens, case lower", "case keep"]);
}

#[test]
fn the_tokens_of_cleaneval_are_those_of_files() {
    let folder = Folder::new()
        .with("own/html/a.html", "<p>b c</p>")
        .with("own/gold/a.txt", "URL: http://x\n<h>b <p>c")
        .with(
            "inline/dataset.yaml",
            "format: 1\nname: inline\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n",
        )
        .with("inline/pages.jsonl", "{\"id\":\"a\",\"html\":{\"text\":\"<p>b\"},\"gold\":{\"text\":\"b\"}}\n");
    let run = |dataset: &str| {
        folder.carat_with(
            b"",
            &[
                "run", "--dataset", dataset, "--algorithm", "all-text", "--bounds", "none", "--measure",
                "difflib cleaneval", "--out", "r",
            ],
        )
    };
    let ran = run("./own");
    assert_eq!(ran.code, 0, "{ran:?}");
    let scores = folder.csv("r/scores.csv");
    assert_eq!(["matched", "extracted", "gold"].map(|name| scores[0][name].clone()), ["2", "2", "5"]);
    let refused = run("./inline");
    let told = "tokens cleaneval need gold files, and page a of ./inline has none";
    assert!(refused.code == 2 && refused.stderr.contains(told), "{refused:?}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = Folder::new()
        .with("two.yaml", "datasets: [portals]\nalgorithms: [nta]\nmeasure: [lcs, bag]\n")
        .with("edit.yaml", "datasets: [portals]\nalgorithms: [nta]\ntokens: scalar\nmeasure: edit\n")
        .with("wrong.yaml", "datasets: [portals]\nalgorithms: [nta]\nmeasure: [lcs, rouge:0]\n");
    for (measures, says) in [
        ("lcs,lcs char", "the measure `lcs char` is asked for twice"),
        ("lcs,nodes", "measure nodes compares no texts: run it alone"),
        ("rouge:0", "rouge:0 is no measure: N is a number from 1 to 16"),
        ("difflib-markers ws", "measure difflib-markers counts markers: use it with tokens cleaneval"),
        ("lsum cleaneval", "measure lsum needs lines: not with tokens cleaneval"),
        ("bag w lower x", "`x` is one word too many"),
    ] {
        let ran = folder.carat_with(b"", &["run", "--dataset", "portals", "--measure", measures]);
        assert_eq!(ran.code, 2, "{measures}");
        assert!(ran.stderr.contains(says), "{measures}: {ran:?}");
    }
    check(
        &folder,
        "run --measure tables",
        2,
        &["measure tables needs gold with structure, and page `zh-news-1-0001` of `portals`"],
    );
    check(&folder, "run wrong.yaml", 2, &["wrong.yaml:3:10: rouge:0 is no measure"]);
    check(&folder, "gate two.yaml --baseline b.json", 2, &["carat gate decides by one measure"]);
    check(&folder, "tune two.yaml", 2, &["carat tune decides by one measure"]);
    check(&folder, "gate edit.yaml --baseline b.json", 2, &["cannot keep a baseline by `edit scalar`"]);
}

#[test]
fn two_texts_are_scored_by_each_measure() {
    let folder = Folder::new().with("e.txt", "a b c x").with("g.txt", "a b c d");
    let score = |arguments: &[&str]| folder.carat_with(b"", &[&["score", "e.txt", "g.txt"], arguments].concat());
    let ran = score(&["--measure", "rouge:5 jieba,edit scalar"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "precision 0.6667  recall 0.6667  F1 0.6667");
    assert_eq!(lines[1], "rouge:5 over jieba tokens, case keep: 2 matched, 3 extracted, 3 gold");
    assert_eq!(lines[3], "edit over scalar tokens, case keep: 6 matched, 7 extracted, 7 gold");
    let json: Json = serde_json::from_str(&score(&["--measure", "set ws,bag ws", "--format", "json"]).stdout).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 2);
    let json: Json = serde_json::from_str(&score(&["--format", "json"]).stdout).unwrap();
    assert_eq!((&json["measure"], &json["tokens"]), (&Json::from("lcs"), &Json::from("char")));
}

#[test]
fn parts_of_two_texts_are_scored() {
    let folder = Folder::new()
        .with("g.md", "| a | b |\n|---|---|\n| 10 | 2 |\n")
        .with("e.html", "<table><tr><th>a<th>b<tr><td>12<td>2</table>")
        .with("g.txt", "a")
        .with("e.md", "```\nx = 1\n```\n");
    let score = |arguments: &str| folder.carat(&format!("score {arguments}"));
    let ran = score("e.html g.md --measure tables,tables-struct,code");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "precision 0.9286  recall 0.9286  F1 0.9286", "{ran:?}");
    assert!(lines[2].contains("F1 1.0000"), "{ran:?}");
    assert_eq!(lines[5], "code: no score");
    let json: Json = serde_json::from_str(&score("e.html g.md --measure code --format json").stdout).unwrap();
    assert!(json["f1"].is_null());
    for (arguments, says) in [
        ("g.txt g.md --measure tables", "measure tables needs structure"),
        ("e.html g.md --measure wmb-code", "measure wmb-code reads Markdown"),
        ("e.md g.md --measure lcs,lcs", "is asked for twice"),
    ] {
        let ran = score(arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
    assert_eq!(score("g.txt g.md --measure wmb-code --kind markdown").code, 0);
    check(&folder, "list measures wmb-teds", 0, &["WebMainBench"]);
    check(&folder, "list measures rouge", 0, &["rouge:N"]);
}

#[test]
fn texts_are_taken_as_they_stand_where_the_tokens_say_so() {
    let folder = Folder::new()
        .with("own/html/a.html", "<p>x y</p>")
        .with("own/gold/a.txt", "x\r\n\r\ny\r\n")
        .with("out/a.txt", "x\r\n\r\ny\r\n");
    let ran = folder.carat_with(
        b"",
        &["run", "--dataset", "./own", "--stored", "out", "--measure", "edit scalar,edit char", "--out", "r"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let counts = |run: &str| {
        let scores = folder.csv(&format!("r/{run}/scores.csv"));
        ["matched", "extracted", "gold"].map(|name| scores[0][name].clone())
    };
    assert_eq!(counts("edit-scalar"), ["8", "8", "8"], "line ends count");
    assert_eq!(counts("edit-char"), ["2", "2", "2"]);
    let conditions = |run: &str| folder.json(&format!("r/{run}/summary.json"))["conditions"]["datasets"]["own"].clone();
    let digest = carat::formats::digest::sha256(b"x\r\n\r\ny\r\n");
    let lines = carat::formats::digest::sha256(format!("a\n{digest}\n").as_bytes());
    assert_eq!(conditions("edit-scalar")["golds_as_they_stand"], lines);
    assert!(conditions("edit-char")["golds_as_they_stand"].is_null());
    // A gold that changed in nothing but a blank is another one, and nothing of the earlier run is kept.
    fs::write(folder.path("own/gold/a.txt"), "x\r\n \r\ny\r\n").unwrap();
    let again = folder.carat_with(
        b"",
        &["run", "--dataset", "./own", "--stored", "out", "--measure", "edit scalar,edit char", "--out", "r"],
    );
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(counts("edit-scalar"), ["8", "9", "9"]);
}

#[test]
fn two_texts_too_short_for_a_run_score_nothing_and_are_no_failure() {
    let folder = Folder::new()
        .with("own/html/a.html", "<p>ab cd</p>")
        .with("own/gold/a.txt", "ab cd")
        .with("own/html/b.html", "<p>one two three four five</p>")
        .with("own/gold/b.txt", "one two three four five");
    let ran = folder.carat_with(
        b"",
        &["run", "--dataset", "./own", "--algorithm", "all-text", "--measure", "rouge:5 jieba", "--out", "r"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let scores = folder.csv("r/scores.csv");
    let line = |page: &str| scores.iter().find(|line| line["page"] == page && line["algorithm"] == "all-text").unwrap();
    assert_eq!((line("a")["status"].as_str(), line("a")["f1"].as_str()), ("too_short", "0.000000"));
    assert_eq!((line("b")["status"].as_str(), line("b")["f1"].as_str()), ("ok", "1.000000"));
    let summary = folder.json("r/summary.json");
    let row = summary["rows"].as_array().unwrap().iter().find(|row| row["algorithm"] == "all-text").unwrap().clone();
    assert_eq!((row["failed"].as_u64(), row["macro"]["f1"].as_f64()), (Some(0), Some(0.5)));
    // Every reader of the folder comes to the same mean.
    check(&folder, "report r", 0, &["0.5000"]);
}

#[test]
fn external_programs_are_timed_from_request_to_reply() {
    let folder = pages().with("x.yaml", asking("echo", "") + "  - all-text\n");
    check(&folder, "run x.yaml --time --out o", 0, &[]);
    let times = folder.csv("o/times.csv");
    let row = times.iter().find(|row| row["algorithm"] == "external/x").unwrap();
    let number = |name: &str| row[name].parse::<f64>().unwrap();
    assert_eq!(row["pages"], "5");
    assert!(0.0 < number("median") && number("median") <= number("p99") && 0.0 < number("starting"), "{row:?}");
    assert!(times.iter().all(|row| row["algorithm"] == "external/x" || row["starting"].is_empty()), "{times:?}");
    // It stands in the figure beside the others.
    let figure = folder.csv("o/figures/own-time.csv");
    let shown = figure.iter().find(|row| row["algorithm"] == "external/x").unwrap();
    assert_eq!(shown["median_ms"].parse::<f64>().unwrap(), number("median"));
    // The times are kept with the replies: nothing is asked again for them.
    fs::remove_file(folder.path("o/times.csv")).unwrap();
    check(&folder, "run x.yaml --fresh --time --out o", 0, &[]);
    let again = folder.csv("o/times.csv");
    let again = again.iter().find(|row| row["algorithm"] == "external/x").unwrap();
    ["pages", "mean", "median", "p99"].iter().for_each(|column| assert_eq!(again[*column], row[*column], "{column}"));
}

#[test]
fn compare_shows_times_apart_from_scores_where_rows_were_timed() {
    let folder = pages().with("x.yaml", asking("echo", "") + "  - all-text\n  - cevc\n");
    check(&folder, "run x.yaml --out o", 0, &[]);
    let untimed = check(&folder, "compare o --reference all-text", 0, &[]).stdout;
    assert!(!untimed.contains("time per page") && !untimed.contains("times are of this machine"), "{untimed}");
    check(&folder, "run x.yaml --time --out o", 0, &["holds this run already"]);
    let times = folder.csv("o/times.csv");
    let known = |name: &str, column: &str| -> f64 {
        times.iter().find(|row| row["algorithm"] == name).unwrap()[column].parse().unwrap()
    };
    let told = check(&folder, "compare o --reference all-text", 0, &[]).stdout;
    let (scores, behind) = told.split_once("time per page in milliseconds").unwrap();
    assert!(untimed.starts_with(scores), "{untimed}\n{told}");
    let line = |name: &str| -> Vec<String> {
        let line = behind.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.split_whitespace().map(str::to_owned).collect()
    };
    let expected = |name: &str| {
        let (p50, p99) = (known(name, "median"), known(name, "p99"));
        let ratio = p50 / known("all-text", "median");
        [name.to_owned(), format!("{p50:.3}"), format!("{p99:.3}"), format!("{ratio:.2}"), "5".to_owned()]
    };
    for name in ["external/x", "all-text"] {
        assert_eq!(line(name), expected(name));
    }
    assert_eq!(behind.matches("times are of this machine").count(), 1, "{behind}");
    assert!(behind.contains("the time of an external program includes its own parsing"), "{behind}");
    let markdown = check(&folder, "compare o --reference all-text --format md", 0, &[]).stdout;
    assert!(markdown.contains("## time per page in milliseconds; ratio: p50 divided by that of `all-text`"));
    assert!(markdown.contains("\n- times are of this machine"), "{markdown}");
    let json = check(&folder, "compare o --reference all-text --format json", 0, &[]).stdout;
    let json: Json = serde_json::from_str(&json).unwrap();
    let dataset = &json["datasets"][0];
    let time = dataset["times"].as_array().unwrap().iter().find(|time| time["from_request"] == true).unwrap();
    let place = time["row"].as_u64().unwrap() as usize;
    assert_eq!(dataset["rows"][place]["name"], "external/x");
    assert_eq!((time["p50_ms"].as_f64(), time["pages"].as_u64()), (Some(known("external/x", "median")), Some(5)));
}

//! `carat reproduce benchmarks` as people meet it.

use std::io::Write;
use std::path::PathBuf;

use carat::datasets::locate::corpora;
use carat::papers::benchmarks::benchmarks;
use serde_json::{Value as Json, json};

use crate::support::{Folder, Ran, check};

/// Words of a gold, and of a page that has as many others around them.
const WORDS: usize = 40;

fn words(from: usize, to: usize) -> String {
    (from..to).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ")
}

/// A benchmark in the layout of article-extraction-benchmark: eight pages of eight sites, and what three printed systems and
/// one of our own extracted. The system that is printed first has a tenth of each text, the second has all.
fn made() -> Folder {
    let ids: Vec<String> = (1..=8).map(|number| format!("{number:064x}")).collect();
    let mut folder = Folder::new();
    let gold = words(0, WORDS);
    let truths: serde_json::Map<String, Json> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| (id.clone(), json!({"url": format!("https://site{at}.org/"), "articleBody": gold})))
        .collect();
    for id in &ids {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(format!("<body><p>{gold}</p></body>").as_bytes()).unwrap();
        folder = folder.with(&format!("aeb/html/{id}.html.gz"), packed.finish().unwrap());
    }
    folder = folder.with("aeb/ground-truth.json", Json::from(truths).to_string());
    for (system, text) in [
        ("trafilatura", words(0, WORDS / 2)),
        ("readability", gold.clone()),
        ("html2text", words(0, 4)),
        ("of-mine", gold.clone()),
    ] {
        let outputs: serde_json::Map<String, Json> =
            ids.iter().map(|id| (id.clone(), json!({ "articleBody": text }))).collect();
        folder = folder.with(&format!("aeb/output/{system}.json"), Json::from(outputs).to_string());
    }
    folder
}

const MADE: &str = "reproduce benchmarks --dataset article-extraction-benchmark:aeb --out o";

fn first(ran: &Ran) -> Json {
    let json: Json = serde_json::from_str(&ran.stdout).unwrap();
    json["benchmarks"][0].clone()
}

#[test]
fn an_order_is_confirmed_or_contradicted_and_what_is_not_ours_is_said() {
    let folder = made();
    let ran = check(
        &folder,
        MADE,
        0,
        &[
            "printed figures are of 181 pages, and 8 are here: no figure of ours reproduces one",
            "of 2 neighbouring pairs of the published order, lcs char confirms 1, contradicts 1, and",
            "of all 3 pairs of the published order, lcs char confirms 2, contradicts 1, and",
            "contradicted: trafilatura above readability",
            "shingle:4: one changed token costs up to N runs",
            "see: carat diff o/benchmarks/article-extraction-benchmark/run/lcs-char",
        ],
    );
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 130), "{}", ran.stdout);
    for table in ["figures", "order", "contradicted", "steps", "pages"] {
        for kind in ["md", "csv", "tex"] {
            let file = format!("o/benchmarks/article-extraction-benchmark/tables/{table}.{kind}");
            assert!(folder.path(&file).is_file(), "{file}");
        }
    }
    let figures = folder.csv("o/benchmarks/article-extraction-benchmark/tables/figures.csv");
    let row =
        |system: &str| figures.iter().find(|row| row["system"] == system).unwrap_or_else(|| panic!("no {system}"));
    assert_eq!(row("readability")["F1 printed"], "0.922 ± 0.013");
    assert_eq!(row("readability")["F1 by shingle:4 w"], "1.0000");
    assert_eq!([&row("htmd")["F1 printed"], &row("htmd")["F1 by shingle:4 w"]], ["0.184 ± 0.014", "-"]);
    assert_eq!([&row("of-mine")["F1 printed"], &row("of-mine")["F1 by shingle:4 w"]], ["-", "1.0000"]);
    let order = folder.csv("o/benchmarks/article-extraction-benchmark/tables/order.csv");
    let told: Vec<[&str; 3]> =
        order.iter().map(|row| ["row", "rank", "over the next"].map(|name| row[name].as_str())).collect();
    let expected = [["trafilatura", "2", "contradicted"], ["readability", "1", "confirmed"], ["html2text", "3", ""]];
    assert_eq!(told, expected);

    // The command that is told shows the page; the runs are ordinary ones.
    let see = ran.stdout.lines().find_map(|line| line.strip_prefix("see: carat ")).unwrap().to_owned();
    check(&folder, &see, 0, &["word"]);
    check(&folder, "compare o/benchmarks/article-extraction-benchmark/run/shingle-4-w", 0, &["stored/of-mine"]);

    // Made once, printed in any form.
    let again = check(&folder, &format!("{MADE} --format json"), 0, &[]);
    assert!(again.stderr.contains("holds these runs already"), "{}", again.stderr);
    let json = first(&again);
    assert_eq!((&json["order_of"], &json["order"]["pairs"]["confirmed"]), (&json!("published"), &json!(2)));
    assert_eq!(json["pages"][0]["row"], "stored/trafilatura");
    let markdown = check(&folder, &format!("{MADE} --format md"), 0, &[]).stdout;
    assert!(markdown.contains("## The published order, under lcs char"), "{markdown}");
}

#[test]
fn without_two_printed_rows_the_order_of_the_rule_is_tested() {
    let folder = made();
    for system in ["trafilatura", "html2text"] {
        std::fs::remove_file(folder.path(&format!("aeb/output/{system}.json"))).unwrap();
    }
    let told = ["of all 1 pair of the order of shingle:4 w", "the published order itself cannot be tested"];
    check(&folder, MADE, 0, &told);
    std::fs::remove_file(folder.path("aeb/output/of-mine.json")).unwrap();
    check(&folder, &format!("{MADE} --fresh"), 0, &["no two rows can be compared, so no order is tested"]);
}

#[test]
fn pages_of_no_benchmark_are_refused() {
    let folder = Folder::new().with("own/a.html", "<p>x").with("own/a.txt", "x");
    check(
        &folder,
        "reproduce benchmarks",
        2,
        &["set CARAT_CORPORA to the folder that holds article-extraction-benchmark"],
    );
    check(&folder, "reproduce benchmarks --dataset portals", 2, &["is of no benchmark that carat knows"]);
}

/// The folder of corpora, if it holds `name`.
fn with(name: &str) -> Option<PathBuf> {
    let found = corpora().filter(|folder| folder.join(name).exists());
    if found.is_none() {
        eprintln!("skipped: CARAT_CORPORA does not name a folder that holds {name}");
    }
    found
}

fn of_corpora(folder: &Folder, corpora: &std::path::Path, name: &str) -> Json {
    let arguments = format!("reproduce benchmarks --dataset {name} --out o --no-texts --format json");
    let ran = folder.carat_under(&[("CARAT_CORPORA", corpora.to_str().unwrap())], &arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    first(&ran)
}

#[test]
fn every_printed_figure_of_article_extraction_benchmark_is_ours() {
    let Some(corpora) = with("article-extraction-benchmark") else { return };
    let folder = Folder::new();
    let json = of_corpora(&folder, &corpora, "article-extraction-benchmark");
    let mut compared = 0;
    for row in json["figures"]["rows"].as_array().unwrap().iter().filter(|row| !row["row"].is_null()) {
        for cell in row["cells"].as_array().unwrap() {
            let (printed, ours) = (cell["printed"].as_f64().unwrap(), cell["ours"].as_f64().unwrap());
            assert!((printed - ours).abs() <= 0.000_5 + 1e-9, "{}: {cell}", row["system"]);
            compared += 1;
        }
    }
    assert_eq!(compared, 32 * 4);
    assert_eq!(json["figures"]["differences"], json!([]));
    let sum = |tally: &Json| tally.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum(&json["order"]["neighbours"]), sum(&json["order"]["pairs"])), (31, 496));
    // What is told of an order is what its rows say of it.
    let rows = json["order"]["rows"].as_array().unwrap();
    let confirmed = rows.iter().filter(|row| row["over_next"] == "confirmed").count();
    assert_eq!(json["order"]["neighbours"]["confirmed"], json!(confirmed));
    assert_eq!(rows.len(), 32);
    // Mean precision leaves out the pages that html2md_rs has nothing of: 147 of 181.
    let steps = json["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["row"] == "stored/html2md_rs").unwrap();
    assert_eq!(step["empty"], json!(147));
    assert!(step["figure"].as_f64().unwrap() > 0.15 && step["rule"].as_f64().unwrap() < 0.04, "{step}");
}

#[test]
fn every_printed_mean_of_webmainbench_is_ours() {
    let Some(corpora) = with("webmainbench-sample/dataset_with_results.jsonl") else { return };
    let folder = Folder::new();
    let json = of_corpora(&folder, &corpora, "webmainbench-sample");
    let figures = &json["figures"];
    assert_eq!((&figures["differences"], &figures["pages"]), (&json!([]), &json!(4)));
    let computed = benchmarks().iter().find(|benchmark| benchmark.name == "webmainbench").unwrap();
    // Text, code, formulas, tables, their TEDS, and the mean of all.
    let computed = computed.columns.iter().filter(|column| column.name != "ROUGE-5").count();
    assert_eq!((computed, &figures["compared"]), (6, &json!(4 * 6)));
    // Four pages of four sites tell nothing apart.
    assert_eq!(json["order"]["pairs"], json!({"confirmed": 0, "contradicted": 0, "not_separable": 6, "equal": 0}));
}

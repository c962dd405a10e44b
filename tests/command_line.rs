//! The program as people meet it: its exit codes, its sentences and its files.

mod support;

use std::process::Command;

use serde_json::Value as Json;
use support::{Folder, check};

/// A folder with `html/x.html` and its gold.
fn own_pages() -> Folder {
    Folder::new().with("own/html/x.html", "<p>hello world").with("own/gold/x.txt", "hello\n")
}

// Runs

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
    assert!(second.stderr.contains("o holds this run already; --fresh"), "{second:?}");
    assert_eq!(second.stdout, first.stdout);
    assert!(folder.files() == files);
    check(&folder, "run --algorithm nta --out o", 2, &["another configuration", "--fresh"]);
    check(&folder, "run --algorithm nta --out o --fresh", 0, &[]);
    let rows = folder.json("o/summary.json")["rows"].clone();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["algorithm"]), (3, &Json::from("nta")));
    check(&folder, "run --algorithm nta --out o --fresh --format json", 0, &[]);
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

// My own pages

#[test]
fn own_pages_are_scored() {
    let folder = own_pages().with("own/html/y.html", "<p>no gold");
    check(
        &folder,
        "run --dataset ./own --algorithm all-text --bounds none --out o",
        0,
        &["kept without gold", "without gold, counted in no row"],
    );
    let scores = folder.csv("o/scores.csv");
    assert_eq!(scores.len(), 1);
    let figures =
        ["page", "matched", "extracted", "gold", "precision", "recall", "f1", "status"].map(|key| &*scores[0][key]);
    assert_eq!(figures, ["x", "5", "10", "5", "0.500000", "1.000000", "0.666667", "ok"]);
    let pages = folder.csv("o/pages.csv");
    assert_eq!(pages.iter().map(|page| (&*page["page"], &*page["gold"])).collect::<Vec<_>>(), [("x", "5"), ("y", "")]);
    check(&folder, "run --dataset folder:own --algorithm all-text --bounds none --out p", 0, &[]);
    assert_eq!(folder.read("p/scores.csv"), folder.read("o/scores.csv"));
}

#[test]
fn a_failed_page_stops_nothing_and_scores_0() {
    let folder = own_pages()
        .with("own/html/nodes.html", "<br>".repeat(2_000_001))
        .with("own/gold/nodes.txt", "x")
        .with("own/html/bytes.html", " ".repeat((32 << 20) + 1))
        .with("own/gold/bytes.txt", "x")
        .with("own/html/no-gold.html", " ".repeat((32 << 20) + 1));
    let run = "run --dataset ./own --algorithm all-text --bounds none --out o";
    check(&folder, run, 0, &["own nodes: the page makes more than 2000000 nodes", "own bytes: the file has more than"]);
    let statuses: Vec<_> = folder.csv("o/pages.csv").into_iter().map(|page| page["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "failed", "failed", "ok"]);
    let scores = folder.csv("o/scores.csv");
    let f1s: Vec<_> = scores.iter().map(|score| (&*score["page"], &*score["status"], &*score["f1"])).collect();
    assert_eq!(f1s, [("bytes", "failed", "0.000000"), ("nodes", "failed", "0.000000"), ("x", "ok", "0.666667")]);
    let row = folder.json("o/summary.json")["rows"][0].clone();
    assert_eq!((&row["pages"], &row["failed"]), (&3.into(), &2.into()), "{row}");
    assert_eq!(folder.json("o/run.json")["failures"].as_array().unwrap().len(), 3);
    for strict in [format!("{run} --strict"), format!("{run} --strict --fresh")] {
        let ran = folder.carat(&strict);
        assert_eq!(ran.code, 3, "{strict}: {ran:?}");
        assert!(ran.stderr.contains("--strict was given"), "{ran:?}");
    }
}

#[test]
fn hostile_pages_are_ordinary() {
    let utf16: Vec<u8> = "\u{feff}<p>text".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let pages: [(&str, Vec<u8>); 10] = [
        ("deep", [&b"<div>".repeat(30_000)[..], b"text"].concat()),
        ("behind", [&b"</body><div>".repeat(30_000)[..], b"text"].concat()),
        ("bodies", (0..30_000).flat_map(|i| format!("<body a{i}>").into_bytes()).collect()),
        ("nul", vec![0; 5000]),
        ("empty", Vec::new()),
        ("frames", b"<frameset cols=1,2><frame src=a><noframes>text</noframes></frameset>".to_vec()),
        ("utf16", utf16),
        ("broken", b"<p>\xff\xfe\x80 text <!-- <![CDATA[ </p <a <b> &#x110000; &#0; &notanentity".to_vec()),
        ("table", b"<table><tr><td>text<table><p>".repeat(400)),
        ("formatting", [&b"<p><b id=i>".repeat(3_000)[..], b"text"].concat()),
    ];
    let mut folder = Folder::new();
    for (name, bytes) in pages {
        folder = folder.with(&format!("own/html/{name}.html"), bytes).with(&format!("own/gold/{name}.txt"), "text");
    }
    let algorithms = ["all-text", "nonlink-text", "largest-p-parent", "semantic", "nta", "cevc"];
    let request: String = algorithms.iter().map(|name| format!(" --algorithm {name}")).collect();
    check(&folder, &format!("run --dataset ./own --out o{request}"), 0, &[]);
    let (ok, failed): (Vec<_>, Vec<_>) = folder.csv("o/pages.csv").into_iter().partition(|page| page["status"] == "ok");
    assert_eq!(failed.iter().map(|page| page["page"].as_str()).collect::<Vec<_>>(), ["bodies"]);
    for page in &ok {
        assert!(page["depth"].parse::<usize>().unwrap() <= 516, "{page:?}");
    }
    assert_eq!(ok.len(), 9);
    let scores = folder.csv("o/scores.csv");
    for name in ["behind", "deep", "utf16"] {
        let score = scores.iter().find(|score| score["page"] == name && score["algorithm"] == "all-text").unwrap();
        assert_eq!(score["f1"], "1.000000", "{name}");
    }
}

#[test]
fn pages_of_any_size_and_nesting_end_as_pages() {
    let kinds = [
        "div", "p", "b", "font", "a", "nobr", "table", "td", "ul", "li", "dl", "dt", "form", "select", "option",
        "button", "svg", "math", "template", "ruby", "pre", "center", "article", "frameset", "h1", "object", "marquee",
    ];
    let mut folder = Folder::new();
    for kind in kinds {
        let page = [format!("<{kind}>").repeat(30_000), "text".to_owned()].concat();
        folder = folder.with(&format!("own/html/{kind}.html"), page).with(&format!("own/gold/{kind}.txt"), "text");
    }
    // 1 GiB of `<div>`, packed to some kilobytes, and 1 GiB of nothing in a file with a hole.
    let mut packed = zstd::Encoder::new(Vec::new(), 1).unwrap();
    let piece = b"<div>".repeat(1 << 16);
    for _ in 0..(1 << 30) / piece.len() {
        std::io::Write::write_all(&mut packed, &piece).unwrap();
    }
    folder = folder.with("own/html/bomb.html.zst", packed.finish().unwrap()).with("own/gold/bomb.txt", "text");
    std::fs::File::create(folder.path("own/html/hole.html")).unwrap().set_len(1 << 30).unwrap();
    folder = folder.with("own/gold/hole.txt", "text");
    let ran =
        check(&folder, "run --dataset ./own --out o --algorithm all-text --algorithm nta --algorithm cevc", 0, &[]);
    for huge in ["bomb", "hole"] {
        assert!(ran.stderr.contains(&format!("{huge}: the file has more than 33554432 bytes")), "{ran:?}");
    }
    let pages = folder.csv("o/pages.csv");
    assert_eq!(pages.len(), kinds.len() + 2);
    for page in pages.iter().filter(|page| page["status"] == "ok") {
        assert!(page["depth"].parse::<usize>().unwrap() <= 1024, "{page:?}");
    }
    let failed: Vec<&str> =
        pages.iter().filter(|page| page["status"] == "failed").map(|page| page["page"].as_str()).collect();
    assert_eq!(failed, ["bomb", "hole"]);
}

#[test]
fn a_cut_manifest_or_list_is_told() {
    check_data("pages: [pages.jso", "", &["./w/dataset.yaml:", "(E-TYPE)"]);
    let list = "{\"id\":\"a\",\"html\":\"a.html\"}\n{\"id\":\"b\",\"ht";
    check_data("", list, &["./w/pages.jsonl:2: ", "(E-TYPE)"]);
}

// Wrong requests

/// A configuration whose third and further lines are `rest`.
fn check_configuration(rest: &str, says: &[&str]) {
    let folder = Folder::new().with("c.yaml", format!("name: c\ndatasets: [portals]\n{rest}\n"));
    check(&folder, "run c.yaml", 2, &[says, &["╭─[c.yaml:"]].concat());
}

#[test]
fn wrong_configurations_are_shown_with_their_line() {
    check_configuration(
        "tokns: char\nalgorithms: [nta]",
        &["c.yaml:3:1: unknown key `tokns`; did you mean `tokens`?", "3 │ tokns: char"],
    );
    check_configuration("tokens: [char]\nalgorithms: [nta]", &["c.yaml:3:9: expected a single value"]);
    check_configuration(
        "tokens: chars\nalgorithms: [nta]",
        &["c.yaml:3:9: `chars` is no kind of token", "char, word or w"],
    );
    check_configuration("algorithms: {nta: 1}", &["c.yaml:3:13: expected a list of algorithms"]);
    check_configuration("algorithms: [ntaa]", &["c.yaml:3:14: ", "`ntaa`", "did you mean `nta`?"]);
    check_configuration(
        "algorithms:\n  - nta: {coherance: 1}",
        &["c.yaml:4:11: ", "did you mean `coherence`?", "4 │ "],
    );
    check_configuration(
        "algorithms:\n  - nta: {coherence: 1.5}",
        &["c.yaml:4:11: ", "a decimal from 0 to 1, not `1.5`"],
    );
    check_configuration("algorithms:\n  - nta: {coherence: 0..1/0}", &["c.yaml:4:11: ", "the step is 0"]);
    check_configuration("algorithms:\n  - nta: {coherence: 1..0.5/0.1}", &["c.yaml:4:11: ", "1 is above 0.5"]);
    check_configuration("algorithms:\n  - nta: {start: exact}", &["c.yaml:4:11: ", "`exact` sweeps decimals only"]);
    check_configuration("algorithms:\n  - nta: {coherence: []}", &["c.yaml:4:22: ", "is empty"]);
    check_configuration(
        "algorithms:\n  - nta: {coherence: 0..1/0.00002, density: 0..0.9/0.00004}",
        &["c.yaml:4:5: ", "the grid has more than 100000 cells"],
    );
    check_configuration(
        "where: {langage: zh}\nalgorithms: [nta]",
        &["c.yaml:3:9: ", "`langage`", "did you mean `language`?"],
    );
    check_configuration("without_faults: [no-text]\nalgorithms: [nta]", &["c.yaml:3:17: ", "did you mean `no_text`?"]);
    check_configuration("tokens: w\ntokens: w\nalgorithms: [nta]", &["c.yaml:4:1: `tokens` is given twice"]);
    check_configuration("algorithms:\n  - nta: {density: 0, density: 1}", &["c.yaml:4:23: `density` is given twice"]);
    check_configuration("algorithms: [nta]\n---\nx: 1", &["c.yaml:5:1: ", "more than one document"]);
    check_configuration("algorithms: [nta", &["c.yaml:3:13: unclosed bracket"]);
    check_configuration("tokens: char", &["names no algorithms"]);
}

#[test]
fn a_runs_name_is_no_way_out_of_the_folder() {
    for name in ["../evil", "/tmp/evil", "a/b", "''", ".."] {
        let folder = Folder::new().with("c.yaml", format!("name: {name}\ndatasets: [portals]\nalgorithms: [nta]\n"));
        check(&folder, "run c.yaml", 2, &["c.yaml:1:7: a run's name"]);
    }
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..9 {
        bomb.push_str(&format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 9].join(", ")));
    }
    let folder = Folder::new().with("c.yaml", bomb);
    let ran = check(&folder, "run c.yaml", 2, &["c.yaml:", "at most"]);
    assert!(!ran.stderr.contains("Nodes {"), "{}", ran.stderr);
}

#[test]
fn wrong_arguments_say_what_to_do() {
    let folder = own_pages().with("latin.yaml", b"name: \xff\n").with("empty.yaml", "");
    let wrong = |arguments: &str, says: &[&str]| drop(check(&folder, arguments, 2, says));
    wrong("run --algorithm ntaa", &["there is no algorithm `ntaa`; did you mean `nta`?"]);
    wrong("run --algorithm zzzzzz", &["there are all-text"]);
    wrong("run --algorithm nta:coherance=1", &["nta has no parameter `coherance`; did you mean `coherence`?"]);
    wrong("run --algorithm all-text:x=1", &["there are none"]);
    wrong("run --algorithm nta:coherence", &["coherence=VALUE"]);
    wrong("run --algorithm nta:coherence=2", &["a decimal from 0 to 1, not `2`"]);
    wrong("run --algorithm nta:coherence=1,coherence=1", &["given twice"]);
    wrong("run --algorithm nta:coherence=0..1/0", &["the step is 0"]);
    wrong("run --algorithm nta:coherence=0.9..0.5/0.1", &["0.9 is above 0.5"]);
    wrong("run --algorithm nta:coherence=0..1/0.00002,density=0..0.9/0.00004", &["more than 100000 cells"]);
    wrong("run --algorithm nta:coherence=0..1/0.000000001", &["at most 100000 are allowed"]);
    wrong("run --algorithm nta:coherence=0..inf/0.1", &["`0..inf/0.1` is not of decimals"]);
    wrong("run --algorithm nta:start=exact", &["`exact` sweeps decimals only", "first"]);
    wrong("run --algorithm nta:start=frist", &["did you mean `first`?"]);
    wrong("run --dataset portal", &["there is no dataset of this name; did you mean `portals`?"]);
    wrong("run --dataset zzzzzz", &["./zzzzzz", "CARAT_CORPORA"]);
    wrong("run --where langage=zh", &["`langage`", "did you mean `language`?"]);
    wrong("run --where language", &["expected KEY=VALUE"]);
    wrong("run --where language=xx", &["the filters leave none of the 154 pages of `portals`"]);
    wrong("run --split nosuch", &["the filters leave none"]);
    wrong("run --without-faults no-text", &["`no-text`", "did you mean `no_text`?"]);
    wrong("run --dataset ./own --dataset folder:own", &["two datasets are named `own`"]);
    wrong("run nosuch.yaml", &["nosuch.yaml"]);
    wrong("run latin.yaml", &["latin.yaml", "not valid UTF-8"]);
    wrong("run empty.yaml", &["empty.yaml:1:1"]);
    wrong("run --tokens chars", &["char, word or w"]);
    wrong("run --threads many", &["--threads"]);
    wrong("run --threads 999999999", &["--threads"]);
    wrong("extract own --algorithm nta", &["cannot read own"]);
    wrong("run --frsh", &["--fresh"]);
    wrong("rum", &["'run'"]);
}

// Wrong data

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// A dataset of carat's own format in `w`.
fn dataset(manifest: &str, list: &str) -> Folder {
    Folder::new()
        .with("w/dataset.yaml", format!("{MANIFEST}{manifest}"))
        .with("w/pages.jsonl", list)
        .with("w/a.html", "<p>a")
        .with("w/bad.txt", b"\xff\xfe\xfd")
        .with("outside.html", "<p>secret")
}

fn check_data(manifest: &str, list: &str, says: &[&str]) {
    check(&dataset(manifest, list), "run --dataset ./w --algorithm all-text", 3, says);
}

#[test]
fn wrong_data_names_file_line_and_page() {
    let ok = r#"{"id":"a","html":"a.html","gold":{"text":"a"}}"#;
    check(&dataset("", ok), "run --dataset ./w --algorithm all-text", 0, &[]);
    let second = |line: &str| format!("{ok}\n{line}\n");
    let at = |page: &str| format!("w/pages.jsonl:2: page `{page}`: ");
    check_data("", &second(r#"{"id":"b","html":"b.html"}"#), &[&at("b"), "there is no file `b.html`"]);
    check_data("", &second(r#"{"id":"b","html":"a.html","gold":"b.txt"}"#), &[&at("b"), "no gold file `b.txt`"]);
    check_data("", &second(r#"{"id":"b","html":"../outside.html"}"#), &[&at("b"), "`../outside.html`"]);
    check_data("", &second(r#"{"id":"b","html":"/etc/passwd"}"#), &[&at("b"), "`/etc/passwd`"]);
    check_data("", &second(r#"{"id":"b","html":"a.html","gold":"../outside.html"}"#), &[&at("b"), "gold: "]);
    check_data(
        "",
        &second(r#"{"id":"b","html":"a.html","gold":"bad.txt"}"#),
        &[&at("b"), "`bad.txt` is not valid UTF-8"],
    );
    check_data("", &second(r#"{"id":"b","html":"a.html","encoding":"klingon"}"#), &[&at("b"), "`klingon`"]);
    check_data("", &second(ok), &[&at("a"), "the id is given twice"]);
    check_data("", &second(r#"{"id":"b","html":"a.h"#), &["w/pages.jsonl:2: not a page record"]);
    check_data("", &second(r#"{"id":"b","html":"a.html","colour":1}"#), &[&at("b"), "unknown key `colour`"]);
    check_data("colour: red\n", ok, &["w/dataset.yaml:5: unknown key `colour`"]);
    check_data("gold: {natur: human}\n", ok, &["w/dataset.yaml:5: ", "`natur`"]);
    check_data("counts: {pages: 3}\n", ok, &["w/dataset.yaml", "counts says 3 pages, there are 1"]);
    check_data("pages: [other.jsonl]\n", ok, &["w/other.jsonl"]);
    check_data("pages: [../pages.jsonl]\n", ok, &["w/dataset.yaml", "`../pages.jsonl`"]);
    check_data("", "\n", &["w/dataset.yaml", "no page"]);
}

#[test]
fn a_missing_page_is_told_with_the_list_that_names_it() {
    let folder = dataset("pages: [pages.jsonl, more.jsonl]\n", r#"{"id":"a","html":"nosuch.html"}"#)
        .with("w/more.jsonl", r#"{"id":"b","html":"a.html"}"#);
    check(&folder, "run --dataset ./w --algorithm all-text", 3, &["w/pages.jsonl:1: page `a`"]);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_does_not_lead_out_of_the_folder() {
    for record in [r#"{"id":"a","html":"link.html"}"#, r#"{"id":"a","html":"a.html","gold":"link.html"}"#] {
        let folder = dataset("", record);
        std::os::unix::fs::symlink(folder.path("outside.html"), folder.path("w/link.html")).unwrap();
        check(&folder, "run --dataset ./w --algorithm all-text", 3, &["w/pages.jsonl:1: page `a`", "symbolic link"]);
    }
    let folder = dataset("", r#"{"id":"a","html":"link.html","gold":{"text":"a"}}"#);
    std::os::unix::fs::symlink("a.html", folder.path("w/link.html")).unwrap();
    check(&folder, "run --dataset ./w --algorithm all-text", 0, &[]);
}

#[test]
fn folders_of_pages_are_checked_too() {
    let wrong = |folder: Folder, says: &[&str]| drop(check(&folder, "run --dataset ./own --algorithm nta", 3, says));
    wrong(own_pages().with("own/gold/x.txt", b"\xff\xfe\xfd"), &["own", "page `x`", "not valid UTF-8"]);
    wrong(own_pages().with("own/gold/y.txt", "y"), &["gold/y.txt", "the gold of no page"]);
    wrong(own_pages().with("own/more/x.html", "y"), &["page `x`", "html/x.html", "more/x.html", "id_from=path"]);
    wrong(Folder::new().with("own/readme.txt", ""), &["own", "there is no page"]);
}

#[test]
fn a_spoilt_run_folder_is_told() {
    let folder = Folder::new().with("o/summary.json", "{").with("p/summary.json", r#"{"schema": 1}"#);
    check(&folder, "report o", 3, &["o/summary.json"]);
    check(&folder, "report p", 3, &["p/summary.json"]);
    check(&folder, "report nosuch", 2, &["nosuch"]);
}

// The system

#[test]
fn the_system_in_the_way_is_4() {
    let folder = own_pages();
    for out in ["own/gold/x.txt/deep/o", "own/gold/x.txt"] {
        check(
            &folder,
            &format!("run --dataset ./own --algorithm nta --out {out}"),
            4,
            &["cannot write", "own/gold/x.txt"],
        );
    }
    check(&folder, "dataset import folder own --out own/gold/x.txt/o", 4, &["own/gold/x.txt"]);
    check(&folder, "man own/gold/x.txt/o", 4, &["own/gold/x.txt"]);
}

// Single pages

#[test]
fn extract_decodes() {
    let gbk = |html: &str| encoding_rs::GBK.encode(html).0.into_owned();
    let body = "<p>这是一个用国标码写的网页，里面有一些汉字。";
    let folder =
        Folder::new().with("plain.html", gbk(body)).with("wrong.html", gbk(&format!("<meta charset=big5>{body}")));
    let text = "这是一个用国标码写的网页，里面有一些汉字。\n";
    let is = |arguments: &str, stdin: &[u8], expected: bool| {
        let ran = folder.carat_with(stdin, &arguments.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.stdout == text), (0, expected), "{arguments}: {ran:?}");
    };
    is("extract plain.html --algorithm all-text", b"", true);
    is("extract plain.html --algorithm all-text --encoding gb2312", b"", true);
    is("extract plain.html --algorithm nta:coherence=0.9 --language zh", b"", true);
    is("extract wrong.html --algorithm all-text", b"", false);
    is("extract wrong.html --algorithm all-text --encoding gbk", b"", true);
    is("extract - --algorithm all-text", &gbk(body), true);
    let json = |arguments: &str| -> Json { serde_json::from_str(&check(&folder, arguments, 0, &[]).stdout).unwrap() };
    let found = json("extract plain.html --algorithm nta:coherence=0.95 --encoding gbk --format json");
    assert_eq!((&found["text"], &found["encoding"]), (&text.trim_end().into(), &"GBK".into()), "{found}");
    assert_eq!((&found["algorithm"], &found["parameters"]["coherence"]), (&"nta".into(), &"0.95".into()), "{found}");
}

#[test]
fn extract_refuses() {
    let folder = Folder::new().with("p.html", "<p>x").with("nodes.html", "<br>".repeat(2_000_001));
    check(&folder, "extract p.html --algorithm all-text --encoding klingon", 2, &["`klingon`"]);
    check(&folder, "extract p.html --algorithm ntaa", 2, &["did you mean `nta`?"]);
    check(&folder, "extract p.html --algorithm nta:coherence=0..1/0.1", 2, &["one value"]);
    check(&folder, "extract p.html --algorithm nta:coherence=exact", 2, &["one value"]);
    check(&folder, "extract p.html", 2, &["--algorithm"]);
    check(&folder, "extract nosuch.html --algorithm nta", 2, &["nosuch.html"]);
    check(&folder, "extract nodes.html --algorithm nta", 3, &["nodes.html", "2000000 nodes"]);
}

#[test]
fn score_compares_two_texts() {
    let folder = Folder::new().with("e.txt", "hello  world\r\n").with("g.txt", "hello").with("bad.txt", b"\xff");
    check(
        &folder,
        "score e.txt g.txt",
        0,
        &["precision 0.5000  recall 1.0000  F1 0.6667", "5 matched, 10 extracted, 5 gold"],
    );
    check(&folder, "score e.txt g.txt --tokens word", 0, &["1 matched, 2 extracted, 1 gold"]);
    check(&folder, "score e.txt e.txt --measure bag --case fold", 0, &["F1 1.0000", "bag over char tokens, case fold"]);
    let ran = folder.carat_with(b"hello", &["score", "e.txt", "-", "--format", "json"]);
    let found: Json = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&found["matched"], &found["precision"]), (&5.into(), &0.5.into()), "{found}");
    check(&folder, "score bad.txt g.txt", 3, &["bad.txt", "not valid UTF-8"]);
    check(&folder, "score e.txt bad.txt", 3, &["bad.txt"]);
    check(&folder, "score - -", 2, &["standard input"]);
    check(&folder, "score e.txt nosuch.txt", 2, &["nosuch.txt"]);
    check(&folder, "score e.txt g.txt --measure lsc", 2, &["lcs, shingle4, bag, nodes or snippets"]);
}

// Listings

#[test]
fn listings_of_each_kind() {
    let folder = Folder::new();
    for (arguments, says) in [
        ("algorithms", "cevc"),
        ("algorithms nta", "coherence"),
        ("systems", "CombinE"),
        ("systems istm", "simple tree matching"),
        ("systems pagelets", "Bar-Yossef"),
        ("datasets", "portals"),
        ("datasets portals", "zh-news-1-0001"),
        ("measures", "shingle4"),
        ("measures lcs", "lcs"),
        ("importers", "daniel"),
        ("importers folder", "gold_map"),
        ("stopwords --language zh", "754 entries, sha256 "),
        ("stopwords --language zh-Hant", "# iso zh: "),
    ] {
        check(&folder, &format!("list {arguments}"), 0, &[says]);
        let ran = check(&folder, &format!("list {arguments} --format json"), 0, &[]);
        assert!(serde_json::from_str::<Json>(&ran.stdout).is_ok(), "{arguments}: {ran:?}");
    }
    for (arguments, says) in [
        ("algorithms ntaa", "did you mean `nta`?"),
        ("systems pagelet", "did you mean `pagelets`?"),
        ("datasets portal", "did you mean `portals`?"),
        ("measures lsc", "lcs, shingle4, bag, nodes or snippets"),
        ("importers foldr", "did you mean `folder`?"),
        ("stopwords", "--language"),
        ("stopwords --language xx", "there is no stop list for `xx`; there are"),
        ("stopwords --language zh --stop-list big", "iso or small"),
        ("algorithm", "'algorithms'"),
    ] {
        check(&folder, &format!("list {arguments}"), 2, &[says]);
    }
    assert!(!check(&folder, "list measures lcs", 0, &[]).stdout.contains("shingle4"));
    assert!(!check(&folder, "list systems pagelets", 0, &[]).stdout.contains("Diffbot"));
    let systems: Json = serde_json::from_str(&folder.carat("list systems lqf --format json").stdout).unwrap();
    assert_eq!(systems[0]["rows"][0], serde_json::json!({"name": "lqf", "faithful_to": "reconstruction"}));
    let json = check(&folder, "list importers folder --format json", 0, &[]);
    assert!(json.stdout.contains("gold_map"), "the options are for programs too: {}", json.stdout);
}

#[test]
fn a_stop_list_is_printed_whole() {
    let ran = check(&Folder::new(), "list stopwords --language zh", 0, &[]);
    let (first, entries) = ran.stdout.split_once('\n').unwrap();
    assert_eq!((first.starts_with("# "), entries.lines().count()), (true, 754));
}

// Datasets

#[test]
fn an_imported_dataset_gives_the_same_scores() {
    let folder = own_pages().with("own/html/y.html", "<p>no gold");
    check(
        &folder,
        "dataset import folder own --out datasets/mine --set language=en",
        0,
        &["datasets/mine: 2 pages, 1 with gold"],
    );
    check(&folder, "list datasets", 0, &["mine"]);
    for (name, out) in [("./own", "a"), ("./datasets/mine", "b"), ("mine", "c")] {
        check(&folder, &format!("run --dataset {name} --algorithm nta --out {out}"), 0, &[]);
    }
    let digests = ["a", "b", "c"].map(|run| folder.json(&format!("{run}/run.json"))["result_digest"].clone());
    assert!(digests[0] == digests[1] && digests[0] == digests[2], "{digests:?}");
    check(&folder, "run --dataset mine --algorithm nta --where language=en --out d", 0, &[]);
}

#[test]
fn imports_are_refused() {
    let folder = own_pages().with("held/dataset.yaml", "");
    check(&folder, "dataset import folder own --out held", 2, &["held holds a dataset already"]);
    check(&folder, "dataset import foldr own --out o", 2, &["did you mean `folder`?"]);
    check(&folder, "dataset import folder own --out o --set langage=zh", 2, &["`langage`", "did you mean `language`?"]);
    check(&folder, "dataset import folder own --out o --set encoding=klingon", 2, &["`klingon`"]);
    check(&folder, "dataset import folder own --out o --set language", 2, &["expected KEY=VALUE"]);
    check(&folder, "dataset import daniel own --out o", 3, &["own", "reference"]);
    check(&folder, "dataset import folder own", 2, &["--out"]);
}

// Help

/// Every command, as the words that call it, from the help's own lists.
fn commands(folder: &Folder, prefix: &str, found: &mut Vec<String>) {
    let help = check(folder, &format!("{prefix} --help"), 0, &["Usage: carat"]).stdout;
    found.push(prefix.trim().to_owned());
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    for line in list.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap_or_default();
        if line.starts_with("  ") && !line.starts_with("   ") && name != "help" {
            commands(folder, &format!("{prefix} {name}"), found);
        }
    }
}

/// The words of each `carat` command of an example line; what follows two spaces is a remark.
fn example_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![vec![String::new()]];
    let (mut quoted, mut last) = (false, ' ');
    for c in line.trim().chars() {
        let command = commands.last_mut().unwrap();
        match c {
            '\'' => quoted = !quoted,
            '|' if !quoted => commands.push(vec![String::new()]),
            ' ' if !quoted && last == ' ' && command.len() > 1 => break,
            ' ' if !quoted => command.push(String::new()),
            c => command.last_mut().unwrap().push(c),
        }
        last = c;
    }
    let words = |command: Vec<String>| command.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
    commands.into_iter().map(words).filter(|words| words.first().is_some_and(|first| first == "carat")).collect()
}

/// `words` without `carat` are a command that the program knows, and so is each algorithm in them.
fn check_example(folder: &Folder, words: &[String]) {
    // What stands behind `--` is another program's, and behind `>` a file's name.
    let words: Vec<&str> =
        words[1..].iter().map(String::as_str).take_while(|word| !["--", ">"].contains(word)).collect();
    let ran = folder.carat_with(b"", &[&words[..], &["--help"]].concat());
    assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
    for pair in words.windows(2).filter(|pair| pair[0] == "--algorithm") {
        let ran = match words[0] {
            "extract" => folder.carat_with(b"<p>x", &["extract", "-", "--algorithm", pair[1]]),
            _ => folder.carat_with(b"", &["run", "--dry-run", "--algorithm", pair[1]]),
        };
        assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
    }
}

#[test]
fn every_command_has_help_and_its_examples_are_commands() {
    const RULES: &str = include_str!("../examples/wrapper/portals.yaml");
    let (folder, mut found) = (Folder::new().with("examples/wrapper/portals.yaml", RULES), Vec::new());
    commands(&folder, "", &mut found);
    assert!(["run", "dataset import", "man"].iter().all(|name| found.iter().any(|found| found == name)), "{found:?}");
    let mut examples = 0;
    for command in &found {
        check(&folder, &format!("{command} -h"), 0, &["Usage: carat"]);
        let help = check(&folder, &format!("{command} --help"), 0, &[]).stdout;
        let section = help.split("Examples:\n").nth(1).unwrap_or_default();
        for line in section.lines().take_while(|line| !line.is_empty()) {
            for words in example_commands(line) {
                check_example(&folder, &words);
                examples += 1;
            }
        }
    }
    assert!(examples >= 20, "{examples} examples");
}

#[test]
fn what_listings_advise_is_a_command() {
    let folder = Folder::new();
    let names: Json = serde_json::from_str(&folder.carat("list algorithms --format json").stdout).unwrap();
    for name in names.as_array().unwrap() {
        let name = name["name"].as_str().unwrap();
        let text = check(&folder, &format!("list algorithms {name}"), 0, &["faithful to", "examples"]).stdout;
        for line in text.lines().filter_map(|line| line.strip_prefix("sweep: ")) {
            example_commands(line).iter().for_each(|words| check_example(&folder, words));
        }
    }
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    const RULES: &str = include_str!("../examples/wrapper/portals.yaml");
    let (folder, mut found) = (Folder::new().with("examples/wrapper/portals.yaml", RULES), Vec::new());
    commands(&folder, "", &mut found);
    for shell in ["bash", "zsh", "fish"] {
        let names: Vec<&str> = found.iter().flat_map(|command| command.split(' ')).collect();
        check(&folder, &format!("completions {shell}"), 0, &[&names[..], &["without-faults"]].concat());
    }
    check(&folder, "completions bsh", 2, &["'bash'"]);
    let printed = check(&folder, "man pages", 0, &[]).stdout;
    for command in found {
        let name = format!("carat {command}").trim_end().replace(' ', "-");
        assert!(folder.read(&format!("pages/{name}.1")).contains(".SH NAME"), "{name}");
        assert!(printed.contains(&format!("{name}.1\n")), "{printed}");
    }
    for (path, bytes) in folder.files().into_iter().filter(|(path, _)| path.is_file()) {
        let text = String::from_utf8(bytes).unwrap().replace('\\', "");
        for reference in text.lines().filter_map(|line| line.strip_suffix("(1)")) {
            assert!(folder.path(&format!("pages/{reference}.1")).is_file(), "{}: {reference}(1)", path.display());
        }
    }
}

#[test]
fn the_version_names_what_figures_depend_on() {
    check(&Folder::new(), "--version", 0, &[env!("CARGO_PKG_VERSION"), "Unicode: ", "jieba", "psl"]);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = own_pages();
    for arguments in
        ["list stopwords --language zh", "--help", "run --dry-run", "run --dataset ./own --algorithm nta", "man pages"]
    {
        let script = format!("{{ sleep 0.3; \"$0\" {arguments}; echo \"code $?\" >&2; }} | true");
        let mut command = Command::new("sh");
        let output = command.current_dir(folder.0.path()).args(["-c", &script, env!("CARGO_BIN_EXE_carat")]).output();
        let told = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(told.ends_with("code 0\n") && !told.contains("error"), "{arguments}: {told}");
    }
    let script = "\"$0\" list stopwords --language zh | head -c 1";
    let output = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_carat")]).output().unwrap();
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"#"[..], &b""[..]));
}

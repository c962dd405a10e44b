//! Requests and data that are wrong, and a system that is in the way.

use super::own_pages;
use crate::support::{Folder, check};
use carat::algorithms::names;

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
        &["c.yaml:3:9: `chars` is no kind of token", "char, word, w, ws"],
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
    let nearest = format!("the nearest of {} are ", names().count());
    wrong("run --algorithm zzzzzz", &[&nearest, "`carat list algorithms` has all"]);
    if !cfg!(feature = "rs-trafilatura") {
        wrong("run --algorithm rs-trafilatura", &["built without the feature that brings it: rs-trafilatura"]);
    }
    wrong("run --algorithm CEVC", &["did you mean `cevc`?"]);
    wrong("run nta:density=0.3", &["nta is an algorithm", "carat run --algorithm nta:density=0.3"]);
    wrong("run portals", &["portals is a dataset", "carat run --dataset portals"]);
    wrong("run --algorithm cevc:0.5", &["`0.5` needs its parameter: cevc:alpha=0.5"]);
    wrong("run --algorithm cevc:alpha=0.1,0.2", &["have a bar between: alpha=0.1|0.2"]);
    wrong("run --algorithm nta,cevc", &["named each by itself, as in `--algorithm nta --algorithm cevc`"]);
    wrong(
        "run a.html",
        &["a.html is a page, and a configuration is a YAML file", "carat extract a.html --algorithm nta"],
    );
    wrong("run 页.jsonl", &["is a table", "carat run --dataset table:", "页.jsonl"]);
    wrong("run --algorithm nta:0.5", &["`0.5` needs a value: 0.5=VALUE"]);
    wrong("run --algorithm cevc:alpha=0,5", &["a decimal has a point: alpha=0.5"]);
    wrong("run --algorithm nta:coherence=[0.61,0.71,0.81]", &["no brackets: coherence=0.61|0.71"]);
    wrong("run --algorithm nta:coherence=0.9:0.1", &["as in `0.1..0.9/0.05`"]);
    wrong("extract https://example.org/ --algorithm nta", &["carat fetches no pages", "curl -sL https://example.org/"]);
    wrong("run --algorithm nta:coherance=1", &["nta has no parameter `coherance`; did you mean `coherence`?"]);
    wrong("run --algorithm all-text:x=1", &["there are none"]);
    wrong("run --algorithm nta:coherence", &["coherence=VALUE"]);
    wrong("run --algorithm nta:coherence=2", &["a decimal from 0 to 1, not `2`"]);
    wrong("run --algorithm nta:coherence=1,coherence=1", &["given twice"]);
    wrong("run --algorithm nta:coherence=0..1/0", &["the step is 0"]);
    wrong("run --algorithm nta:coherence=0.9..0.5/0.1", &["0.9 is above 0.5; write 0.5..0.9/0.1"]);
    wrong("run --algorithm nta:coherence=0..1/0.00002,density=0..0.9/0.00004", &["more than 100000 cells"]);
    wrong("run --algorithm nta:coherence=0..1/0.000000001", &["at most 100000 are allowed"]);
    wrong("run --algorithm nta:coherence=0..inf/0.1", &["`0..inf/0.1` is not of decimals"]);
    wrong("run --algorithm nta:start=exact", &["`exact` sweeps decimals only", "first"]);
    wrong("run --algorithm nta:start=frist", &["did you mean `first`?"]);
    wrong("run --dataset portal", &["there is no dataset of this name; did you mean `portals`?"]);
    wrong("run --dataset zzzzzz", &["./zzzzzz", "CARAT_CORPORA"]);
    wrong("run --where langage=zh", &["`langage`", "did you mean `language`?"]);
    wrong("run --where language", &["expected KEY=VALUE"]);
    wrong(
        "run --where language=xx",
        &["the filters leave none of the 154 pages of `portals`; language is en or zh or zh-Hant there"],
    );
    wrong("run --where id=zh-news-1-0000", &["; of id did you mean `zh-news-1-0001`?"]);
    wrong("run --split nosuch", &["the filters leave none"]);
    wrong("run --without-faults no-text", &["`no-text`", "did you mean `no_text`?"]);
    wrong("run --dataset ./own --dataset folder:own", &["two datasets are named `own`"]);
    wrong("run nosuch.yaml", &["nosuch.yaml"]);
    wrong("run worker.py", &["quote its whole command: carat run --external 'python3 worker.py'"]);
    wrong("run latin.yaml", &["latin.yaml", "not valid UTF-8"]);
    wrong("run empty.yaml", &["empty.yaml:1:1"]);
    wrong("run --tokens chars", &["char, word, w, ws"]);
    wrong("run --threads many", &["--threads"]);
    wrong("run --threads 999999999", &["--threads"]);
    wrong("extract own --algorithm nta", &["need --out DIR"]);
    wrong("run --frsh", &["--fresh"]);
    wrong("rum", &["'run'"]);
}

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
fn a_cut_manifest_or_list_is_told() {
    check_data("pages: [pages.jso", "", &["./w/dataset.yaml:", "(E-TYPE)"]);
    let list = "{\"id\":\"a\",\"html\":\"a.html\"}\n{\"id\":\"b\",\"ht";
    check_data("", list, &["./w/pages.jsonl:2: ", "(E-TYPE)"]);
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
    wrong(own_pages().with("own/more/x.html", "y"), &["more/x.html", "the gold gold/x.txt", "id_from=path"]);
    wrong(Folder::new().with("own/readme.txt", ""), &["own", "there is no page"]);
}

#[test]
fn a_spoilt_run_folder_is_told() {
    let folder = Folder::new().with("o/run.json", "{").with("p/run.json", r#"{"schema": 1}"#).with("q/run.yaml", "");
    check(&folder, "report o", 3, &["o/run.json: is missing, or not as the run left it"]);
    check(&folder, "report p", 3, &["p/run.json: schema 1 is not 2"]);
    check(&folder, "report q", 3, &["q/run.json: is missing, so the folder holds no finished run"]);
}

#[test]
fn what_is_no_run_is_told_with_the_runs_that_are_there() {
    let folder = own_pages();
    let says = "reports/nofolder is no folder of a run; none is here or in reports/, and `carat run` makes one";
    check(&folder, "report reports/nofolder", 2, &[says]);
    check(&folder, "run --dataset ./own --algorithm nta --bounds none", 0, &[]);
    for command in ["report", "compare", "diff"] {
        let page = if command == "diff" { " x" } else { "" };
        let told = check(&folder, &format!("{command} quite-another{page}"), 2, &[]).stderr;
        assert!(told.contains("quite-another is no folder of a run; there are reports/own"), "{told}");
        check(&folder, &format!("{command} own{page}"), 2, &["own is no folder of a run; did you mean reports/own?"]);
    }
    // The folder of all runs, in place of one.
    check(&folder, "report reports", 2, &["reports is no folder of a run; there are reports/own"]);
    check(
        &folder,
        "explain quite-another x --algorithm nta",
        2,
        &["nor is it the folder of a run: there are reports/own"],
    );
}

#[test]
fn the_system_in_the_way_is_4() {
    let folder = own_pages();
    let folder = folder.with("file", "");
    for out in ["file/deep/o", "file"] {
        check(&folder, &format!("run --dataset ./own --algorithm nta --out {out}"), 4, &["cannot write", "file"]);
    }
    check(&folder, "dataset import folder own --out own/gold/x.txt/o", 4, &["own/gold/x.txt"]);
    check(&folder, "man own/gold/x.txt/o", 4, &["own/gold/x.txt"]);
}

#[test]
fn a_negative_number_is_a_value_that_is_out_of_range() {
    let folder = Folder::new();
    for (arguments, option) in [
        ("run --threads -1", "'-1' for '--threads <N>'"),
        ("compare run --pages -1", "'-1' for '--pages <N>'"),
        ("compare run --seed -2", "'-2' for '--seed <N>'"),
    ] {
        let told = check(&folder, arguments, 2, &[option]).stderr;
        assert!(told.starts_with("error: invalid value") && !told.contains("tip:"), "{told}");
    }
}

#[test]
fn files_that_are_read_or_that_runs_and_datasets_are_made_of_are_not_replaced() {
    let folder = own_pages()
        .with("gate.yaml", "datasets: [./own]\nalgorithms: [all-text]\n")
        .with("page.html", "<p>a page that someone saved")
        .with("notes.txt", "mine")
        .with("o.yaml", "datasets: [./own]\nalgorithms: [all-text]\n");
    check(&folder, "gate gate.yaml --baseline baseline.json --accept", 0, &[]);
    check(&folder, "run o.yaml --out r", 0, &[]);
    check(&folder, "dataset export ./own --out set", 0, &[]);
    check(&folder, "history add h.jsonl r", 0, &[]);
    let before = folder.files();
    for (arguments, told) in [
        ("gate gate.yaml --baseline baseline.json --markdown baseline.json", "this command reads it"),
        ("gate gate.yaml --baseline baseline.json --junit gate.yaml", "this command reads it"),
        ("explain page.html --algorithm nta --html page.html", "this command reads it"),
        ("explain page.html --algorithm nta --html o.yaml", "carat did not write it"),
        ("explain page.html --algorithm nta --html r/index.html", "a run is made of it"),
        ("report r --out set/pages.jsonl", "a dataset is made of it"),
        ("report r --out own/gold/x.txt", "a dataset is made of it"),
        ("report r --out r/scores.csv", "a run is made of it"),
        ("report r --out r/tables/rows.md", "a run is made of it"),
        ("report r --out baseline.json", "it is a baseline, a history or the log of an annotator"),
        ("report r --out h.jsonl", "it is a baseline, a history or the log of an annotator"),
        ("dataset export portals --out own", "own holds files already"),
        ("dataset export portals --out r/units", "r/units holds files already"),
        ("dataset export portals --out own/x.jsonl", "own holds files already"),
        ("dataset import folder own --out own/html", "own/html holds files already"),
        ("report r --format pr --out notes.txt", "carat did not write it"),
        ("gate gate.yaml --baseline baseline.json --markdown notes.txt", "carat did not write it"),
        ("gate nothere.yaml --baseline baseline.json --junit notes.txt", "carat did not write it"),
        ("gate gate.yaml --baseline baseline.json --junit own/html/x.html", "a dataset is made of it"),
        ("gate gate.yaml --baseline baseline.json --junit g --markdown g", "name one file: name two"),
    ] {
        check(&folder, arguments, 2, &[told]);
    }
    check(
        &folder,
        "run --dataset ./own --algorithm nta --out notes.txt",
        4,
        &["--out notes.txt: it is a file; name a folder"],
    );
    assert!(folder.files() == before);
    // What carat wrote itself is written again.
    for _ in 0..2 {
        check(&folder, "explain page.html --algorithm nta --html why.html", 0, &[]);
        check(&folder, "report r --format latex --out r/own.tex", 0, &[]);
        check(&folder, "gate gate.yaml --baseline baseline.json --markdown gate.md --junit gate.xml", 0, &[]);
    }
}

#[test]
fn a_folder_with_somebodys_files_of_a_runs_names_is_left() {
    let folder = own_pages()
        .with("mine/run.json", "precious")
        .with("told/run.yaml", "algorithms: [nta]\n")
        .with("timed/times.csv", "mine")
        .with("past/rows.csv", "mine");
    check(&folder, "run --dataset ./own --algorithm all-text --out r", 0, &[]);
    check(&folder, "history add h.jsonl r", 0, &[]);
    let before = folder.files();
    for out in ["mine", "told", "timed"] {
        let run = format!("run --dataset ./own --algorithm all-text --out {out}");
        check(&folder, &run, 2, &["which a run would replace: choose another folder"]);
        check(&folder, &format!("{run} --fresh"), 2, &["which a run would replace: choose another folder"]);
    }
    check(&folder, "history show h.jsonl --out past", 2, &["rows.csv, which no history wrote"]);
    check(&folder, "history show h.jsonl --out r", 2, &["run.yaml, which no history wrote"]);
    check(&folder, "site r --out r", 2, &[]);
    assert!(folder.files() == before);
    for _ in 0..2 {
        check(&folder, "history show h.jsonl --out shown", 0, &[]);
    }
}

#[test]
#[cfg(unix)]
fn outputs_go_through_links_and_into_devices() {
    let folder = own_pages().with("real.md", "# r\n");
    check(&folder, "run --dataset ./own --algorithm all-text --out r", 0, &[]);
    std::os::unix::fs::symlink("real.md", folder.path("link.md")).unwrap();
    check(&folder, "report r --format md --out link.md", 0, &[]);
    assert!(folder.path("link.md").is_symlink() && folder.read("real.md").contains("all-text"));
    check(&folder, "history add real.jsonl r --label one", 0, &[]);
    std::os::unix::fs::symlink("real.jsonl", folder.path("link.jsonl")).unwrap();
    check(&folder, "history add link.jsonl r --label two", 0, &[]);
    assert!(folder.path("link.jsonl").is_symlink() && folder.read("real.jsonl").lines().count() == 2);
    // A device that people name to see nothing stays what it is.
    std::os::unix::fs::symlink("/dev/null", folder.path("nothing")).unwrap();
    check(&folder, "report r --format md --out nothing", 0, &[]);
    check(&folder, "explain own/html/x.html --algorithm nta --html nothing", 0, &[]);
    assert!(folder.path("nothing").is_symlink() && !std::path::Path::new("/dev/null").is_file());
}

//! `carat dataset check` and splits that are drawn, as people meet them; and what is found in real datasets.

use std::collections::BTreeMap;

use crate::support::{self, Folder};
use carat::datasets::check::{Kind, check};
use carat::datasets::locate::{corpora, locate};

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// A dataset of three pages, the second of which is the first again.
fn doubled() -> Folder {
    let page = |id: &str, html: &str| {
        let html = format!("<title>{html}</title><p>The text of {html} is told in one line.");
        format!(
            "{}\n",
            serde_json::json!({"id": id, "html": {"text": html}, "gold": {"text": html.split("<p>").nth(1)}})
        )
    };
    let list = [page("one", "Alpha"), page("two", "Alpha"), page("three", "Beta")].concat();
    Folder::new().with("set/dataset.yaml", MANIFEST).with("set/pages.jsonl", list)
}

#[test]
fn the_embedded_dataset_passes() {
    let ran = Folder::new().carat("dataset check portals");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("found       0 errors, 5 warnings, "), "{}", ran.stdout);
    let json: serde_json::Value =
        serde_json::from_str(&Folder::new().carat("dataset check portals --format json").stdout).unwrap();
    assert_eq!((&json["errors"], &json["pages"]), (&serde_json::json!(0), &serde_json::json!(154)));
}

#[test]
fn errors_end_in_1_and_what_cannot_be_read_in_3() {
    let folder = doubled().with("bad/dataset.yaml", MANIFEST.replace("demo", "De mo"));
    let before = folder.files();
    for (format, told) in [("text", "error  duplicate-page: 1, "), ("md", "| error | duplicate-page | 1 |")] {
        let ran = folder.carat(&format!("dataset check ./set --format {format}"));
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.stdout.contains(told) && ran.stdout.contains("two: the bytes are those of `one`"),
            "{}",
            ran.stdout
        );
        assert_eq!(ran.stderr, "error: `demo` has 1 error\n");
        assert!(ran.stdout.contains("faults      none stated"), "{}", ran.stdout);
        assert!(ran.stdout.contains("all text    P 1.0000 R 1.0000 F1 1.0000 (macro, "), "{}", ran.stdout);
    }
    let json: serde_json::Value =
        serde_json::from_str(&folder.carat("dataset check ./set --format json").stdout).unwrap();
    let finding = serde_json::json!({"kind": "duplicate-page", "level": "error", "page": "two",
                                     "message": "the bytes are those of `one`"});
    assert_eq!((&json["findings"][0], &json["errors"]), (&finding, &serde_json::json!(1)));
    assert_eq!((&json["floors"]["pages"], &json["faults"]), (&serde_json::json!(3), &serde_json::json!({})));
    support::check(&folder, "dataset check ./bad", 3, &["dataset.yaml:2", "De mo"]);
    support::check(&folder, "dataset check ./nosuch", 2, &["./nosuch"]);
    support::check(&folder, "dataset check ./set --fix set", 2, &["set is not empty"]);
    assert!(folder.files() == before);
}

#[test]
fn a_fixed_dataset_passes_and_the_original_stays() {
    let folder = doubled();
    let list = folder.read("set/pages.jsonl");
    let ran = folder.carat("dataset check ./set --fix fixed");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("fixed: 2 of 3 pages, those without errors"), "{}", ran.stderr);
    assert_eq!(folder.carat("dataset check ./fixed").code, 0);
    assert_eq!(folder.read("set/pages.jsonl"), list);
}

/// A dataset of four lines, of which the second and the last are pages of it.
fn faulty() -> Folder {
    let page = |id: &str| {
        let html = format!("<title>{id}</title><p>The text of {id} is told in one line.");
        serde_json::json!({"id": id, "html": {"text": html}, "gold": {"text": format!("The text of {id} is told in one line.")}})
    };
    let list = format!("{{\"id\":\"a\"}}\n{}\nno json\n{}\n", page("b"), page("c"));
    let manifest = format!("{MANIFEST}counts: {{pages: 4}}\n");
    Folder::new().with("set/dataset.yaml", manifest).with("set/pages.jsonl", list)
}

#[test]
fn faults_of_the_format_are_findings_and_are_fixed() {
    let folder = faulty();
    let ran = folder.carat("dataset check ./set --format json --fix fixed");
    assert_eq!(ran.code, 1, "{ran:?}");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&json["pages"], &json["dropped"], &json["errors"]), (&2.into(), &2.into(), &2.into()));
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["page"]), (&"load-fault".into(), &"a".into()));
    assert!(finding["message"].as_str().unwrap().contains("pages.jsonl:1: not a page record: "), "{finding}");
    assert!(ran.stderr.contains("fixed: 2 of 4 pages, those without errors"), "{}", ran.stderr);
    let text = folder.carat("dataset check ./set").stdout;
    assert!(text.contains("2 pages, 2 with gold, 2 sites, 2 more not loaded"), "{text}");
    assert!(text.contains("error  load-fault: 2, "), "{text}");
    assert_eq!(folder.carat("dataset check ./fixed").code, 0);
}

#[test]
fn a_run_and_an_export_go_on_where_they_are_asked_to() {
    let folder = faulty();
    let run = "run --dataset ./set --algorithm all-text --bounds none --out run";
    support::check(&folder, run, 3, &["pages.jsonl:1"]);
    let ran = folder.carat(&format!("{run} --keep-going"));
    assert_eq!(ran.code, 0, "{ran:?}");
    for told in ["pages.jsonl:1: page `a`: ", "pages.jsonl:3: ", "warning: demo: 2 pages left out"] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
    assert!(ran.stdout.contains("2 pages, 2 more left out for faults of the dataset"), "{}", ran.stdout);
    assert_eq!(folder.json("run/summary.json")["conditions"]["datasets"]["demo"]["dropped"], 2);
    assert_eq!(folder.carat("run run/run.yaml --out again").code, 0);
    assert_eq!(folder.read("again/pages.csv"), folder.read("run/pages.csv"));
    support::check(&folder, "dataset export ./set --out copy", 3, &["pages.jsonl:1"]);
    let exported = folder.carat("dataset export ./set --out copy --keep-going");
    assert!(exported.code == 0 && exported.stdout.contains("copy: 2 pages"), "{exported:?}");
    assert_eq!(folder.carat("dataset check ./copy").code, 0);
    let folder = folder.with("none/dataset.yaml", MANIFEST).with("none/pages.jsonl", "x\n");
    support::check(&folder, "run --dataset ./none --algorithm all-text --keep-going", 3, &["pages.jsonl:1"]);
    support::check(&folder, "dataset export ./none --out empty --keep-going", 3, &["pages.jsonl:1"]);
    let folder = folder.with("c.yaml", "datasets: [portals]\nkeep_going: maybe\nalgorithms: [all-text]\n");
    support::check(&folder, "run c.yaml", 2, &["c.yaml:2:13: ", "true or false"]);
}

#[test]
fn a_drawn_split_stands_in_the_conditions() {
    let folder = Folder::new();
    let run = |split: &str, out: &str| {
        let ran = folder.carat(&format!("run --algorithm all-text --bounds none --split {split} --out {out}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        let pages = folder.csv(&format!("{out}/scores.csv"));
        pages.into_iter().map(|page| (page["page"].clone(), page["site"].clone())).collect::<BTreeMap<_, _>>()
    };
    let (drawn, rest) = (run("site:30%", "drawn"), run("site:30%:rest:seed=1", "rest"));
    assert_eq!(drawn.len() + rest.len(), 154);
    assert!(drawn.values().all(|site| rest.values().all(|other| other != site)));
    let summary = folder.json("drawn/summary.json");
    assert_eq!(summary["conditions"]["where"]["split"], "site:30%:seed=1");
    let again = folder.carat("run drawn/run.yaml --out again");
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(folder.read("again/pages.csv"), folder.read("drawn/pages.csv"));
    let wrong = |arguments: &str, says: &str| drop(support::check(&folder, arguments, 2, &[says]));
    wrong("run --split site:20", "site:20%:rest");
    wrong("run --where split=site:120%", "1% to 99%");
    let folder = folder.with("c.yaml", "datasets: [portals]\nsplit: sites:20%\nalgorithms: [all-text]\n");
    support::check(&folder, "run c.yaml", 2, &["c.yaml:2:8: ", "site:20%"]);
}

/// The pages with a finding of this kind, known ones too.
fn found(name: &str, kinds: &[Kind]) -> Option<Vec<Vec<String>>> {
    if !corpora().is_some_and(|corpora| corpora.join(name).is_dir()) {
        eprintln!("skipped: CARAT_CORPORA does not name a folder that holds {name}");
        return None;
    }
    let report = check(&locate(name).unwrap()).unwrap();
    let of = |kind: &Kind| {
        let findings = report.findings.iter().filter(|finding| finding.kind == *kind);
        findings.map(|finding| finding.page.clone().unwrap_or_default()).collect()
    };
    Some(kinds.iter().map(of).collect())
}

#[test]
fn the_known_faults_of_real_datasets_are_found() {
    let holds = |found: &[String], prefixes: &[&str]| {
        for prefix in prefixes {
            assert!(found.iter().any(|id| id.starts_with(prefix)), "{prefix} is not among {found:?}");
        }
    };
    if let Some(found) = found("daniel", &[Kind::Label, Kind::ForeignGold, Kind::OutOfReach]) {
        holds(&found[0], &["20111209_finance.ce.cn_3d5502", "20111215_www.northnews.cn_e23d84"]);
        holds(&found[1], &["20111215_www.northnews.cn_e23d84"]);
        let out_of_reach = [
            "20111215_go.rss.sina.com.cn_aafeeb",
            "20111215_www.northnews.cn_e23d84",
            "20120112_big5.xinhuanet.com_4b5e60",
        ];
        holds(&found[2], &out_of_reach);
        assert_eq!(found[2].len(), out_of_reach.len());
    }
    if let Some(found) = found("chinese-handcrafted", &[Kind::MalformedBytes, Kind::OutOfReach]) {
        holds(&found[0], &["b70f455d", "6dc2d508"]);
        assert_eq!((found[0].len(), found[1].len()), (2, 0));
    }
    if let Some(found) = found("clean-portal-eval", &[Kind::EmptyGold, Kind::OutOfReach]) {
        assert_eq!(found[0], ["bbc.co.uk_news_04", "bbc.co.uk_news_05"]);
        assert_eq!(found[1].len(), 0);
    }
    if let Some(found) = found("article-extraction-benchmark", &[Kind::GoldNotInPage, Kind::OutOfReach]) {
        holds(&found[0], &["156770d676ce", "6ebac05f637e"]);
        assert_eq!((found[0].len(), found[1].len()), (2, 0));
    }
}

#[test]
fn a_dataset_without_gold_has_no_share_of_gold_lines() {
    let folder = Folder::new().with("own/a.html", "<title>One</title><p>one");
    let ran = support::check(&folder, "dataset check ./own", 0, &["\nno gold line of 10 characters or more\n"]);
    assert!(!ran.stdout.contains(" of 0 "), "{ran:?}");
}

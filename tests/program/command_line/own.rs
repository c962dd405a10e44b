//! Runs over pages of one's own, whatever they are like.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::own_pages;
use crate::support::{Folder, check};

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

/// Pages of two hosts, with a page of the same name each, and the gold of each below `gold`.
fn mirrored(gold: &str) -> Folder {
    ["a.org", "b.org"].into_iter().fold(Folder::new(), |folder, host| {
        let page = format!("<p>menu</p><p>text of {host}</p>");
        let folder = folder.with(&format!("own/{host}/新闻.html"), page);
        folder.with(&format!("{gold}/{host}/新闻.txt"), format!("text of {host}"))
    })
}

const RUN: &str = "--algorithm largest-p-parent --bounds none --out o";

#[test]
fn golds_in_a_folder_of_a_telling_name_are_found() {
    let folder = mirrored("own/标准答案");
    check(&folder, &format!("run --dataset ./own {RUN}"), 0, &["golds are the texts in 标准答案/"]);
    let golds: Vec<_> = folder.csv("o/scores.csv").into_iter().map(|score| score["gold"].clone()).collect();
    assert_eq!(golds, ["11", "11"]);
}

#[test]
fn a_gold_of_no_page_in_a_folder_of_a_telling_name_is_told_and_the_others_are_used() {
    let folder = mirrored("own/标准答案").with("own/标准答案/a.org/旧闻.txt", "of a page that was removed");
    let told = "标准答案/a.org/旧闻.txt is the gold of no page";
    check(&folder, &format!("run --dataset ./own {RUN}"), 3, &[told, "allow_orphans=true"]);
    check(&folder, &format!("run --dataset ./own --set allow_orphans=true {RUN}"), 0, &["golds are the texts in"]);
    let golds: Vec<_> = folder.csv("o/scores.csv").into_iter().map(|score| score["gold"].clone()).collect();
    assert_eq!(golds, ["11", "11"]);
}

#[test]
fn a_glob_of_golds_that_names_no_file_is_refused() {
    let folder = mirrored("own/outputs");
    let stated = format!("run --dataset ./own --set gold_glob=output/*.txt {RUN}");
    check(&folder, &stated, 2, &["gold_glob: no file of the folder matches `output/*.txt`"]);
}

#[test]
fn all_algorithms_are_run_at_once_and_those_for_other_languages_are_told() {
    let text = "这是一个没有空格的句子，说的是今天的新闻，共有好几十个字。".repeat(4);
    let folder = (1..=5).fold(Folder::new(), |folder, number| {
        let page = format!("<meta charset=utf-8><div><a href=/>首页</a></div><p>{text}{number}</p>");
        folder
            .with(&format!("own/{number}.html"), page)
            .with(&format!("own/gold/{number}.txt"), format!("{text}{number}"))
    });
    let run = "run --dataset ./own --algorithm justext:wide_chars=3 --algorithm all --bounds none --out o";
    check(
        &folder,
        run,
        0,
        &[
            "boilerpipe-article extracts nothing from 5 of 5 pages; languages that it is for: English, on which its trees \
             were learned; han_chars_per_word=2 for Chinese (variant)",
        ],
    );
    let summary: Json = serde_json::from_str(&folder.read("o/summary.json")).unwrap();
    let rows: Vec<&str> =
        summary["rows"].as_array().unwrap().iter().map(|row| row["algorithm"].as_str().unwrap()).collect();
    let names: BTreeSet<&str> = rows.iter().copied().collect();
    assert_eq!(names.len(), rows.len(), "what is named is not run twice: {rows:?}");
    assert!(names.len() > 40 && names.contains("cevc") && names.contains("all-text"), "{names:?}");
    let justext = summary["rows"].as_array().unwrap().iter().find(|row| row["algorithm"] == "justext").unwrap();
    assert_eq!(justext["parameters"]["wide_chars"], "3");
}

#[test]
fn golds_in_a_folder_of_any_name_are_told_with_the_option_that_takes_them() {
    let folder = mirrored("own/outputs");
    let says =
        "2 texts in outputs/ have the names of pages without gold: if they are golds, state gold_glob='outputs/*.txt'";
    check(&folder, &format!("run --dataset ./own {RUN}"), 0, &[says]);
    let stated = format!("run --dataset ./own --set gold_glob=outputs/*.txt {RUN} --fresh");
    check(&folder, &stated, 0, &["largest-p-parent"]);
    let pages = folder.csv("o/scores.csv");
    let f1s: Vec<_> = pages.iter().map(|score| (&*score["page"], &*score["recall"])).collect();
    assert_eq!(f1s, [("a.org~新闻.html", "1.000000"), ("b.org~新闻.html", "1.000000")], "each page has its own gold");
}

#[test]
fn golds_with_html_tags_are_told_with_the_option_that_reads_them() {
    let page = "<title>t</title><nav>menu</nav><p>one two three</p><p>four five six</p>";
    let gold = "<p>one two three</p>\n<p>four five six</p>";
    let folder = (1..=4).fold(Folder::new(), |folder, number| {
        let folder = folder.with(&format!("own/html/p{number}.html"), page);
        folder.with(&format!("own/gold/p{number}.txt"), gold)
    });
    let folder =
        folder.with("own/html/code.html", "<p>write &lt;p>x&lt;/p></p>").with("own/gold/code.txt", "write <p>x</p>");
    let says = ["own: 4 pages with HTML tags in the gold", ": p1, p2, p3, ..", "gold_kind=html"];
    check(&folder, &format!("run --dataset ./own {RUN}"), 0, &says);
    let checked = folder.carat("dataset check ./own");
    assert!(checked.stdout.contains("gold-tags"), "{checked:?}");
    let ran = check(&folder, &format!("run --dataset ./own --set gold_kind=html --where id=p1 {RUN} --fresh"), 0, &[]);
    assert!(!ran.stderr.contains("HTML tags"), "{ran:?}");
    assert_eq!(folder.csv("o/scores.csv")[0]["gold"], "22");
    check(&folder, "run --dataset ./own,gold_kind=HTM", 2, &["gold_kind: `HTM` is no kind of text"]);
}

#[test]
fn golds_outside_the_folder_are_refused_with_a_way_to_name_them() {
    let folder = mirrored("外");
    let map = "run --dataset ./own --set gold_map=(.*)[.]html=>../外/$1.txt";
    let ran =
        check(&folder, &format!("{map} {RUN}"), 2, &["gold_map leads out of the folder, to ../外/a.org/新闻.txt"]);
    let named = ran.stderr.split('\'').nth(1).unwrap().to_owned();
    check(&folder, &format!("run --dataset {named} {RUN}"), 0, &["largest-p-parent"]);
    assert_eq!(folder.csv("o/scores.csv").len(), 2);
    let outside = format!("{map} --gold-outside {RUN}");
    check(&folder, &outside, 2, &["--gold-outside is for a dataset.yaml with a gold_folder"]);
}

//! Single pages and texts, and listings.

use std::io::{Read, Write};

use serde_json::Value as Json;

use crate::support::{Folder, check};

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
    let refused = folder.carat("extract plain.html --algorithm nta --language zh_cn!");
    assert!(refused.code == 2 && refused.stderr.contains("--language: `zh_cn!` is no BCP 47 tag"), "{refused:?}");
    is("extract - --algorithm all-text", &gbk(body), true);
    let json = |arguments: &str| -> Json { serde_json::from_str(&check(&folder, arguments, 0, &[]).stdout).unwrap() };
    let found = json("extract plain.html --algorithm nta:coherence=0.95 --encoding gbk --format json");
    assert_eq!((&found["text"], &found["encoding"]), (&text.trim_end().into(), &"GBK".into()), "{found}");
    assert_eq!((&found["algorithm"], &found["parameters"]["coherence"]), (&"nta".into(), &"0.95".into()), "{found}");
}

#[test]
fn extract_finds_the_language_as_a_run_does() {
    let chinese = "<p>新华社北京十一月二十日电，国务院今天发布了关于加强城市管理工作的意见，要求各地区认真贯彻落实，并及时报告。</p>";
    let english =
        "<p>The council met on Monday to discuss the new bridge, and it agreed that the work should begin soon.</p>";
    let folder = Folder::new().with("own/html/a.html", chinese).with("own/html/b.html", english);
    let language = |options: &str| {
        let ran = check(&folder, &format!("extract own/html/a.html --algorithm cevc --format json{options}"), 0, &[]);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap()["language"].clone()
    };
    assert_eq!(
        ["", " --language en", " --language none"].map(language),
        ["zh".into(), "en".into(), serde_json::Value::Null]
    );
    let ran = check(&folder, "extract own/html --algorithm cevc --out texts", 0, &[]);
    assert!(
        ran.stderr.contains("seem to be in: en 1, zh 1 (--language=TAG states it, --language=none: none)"),
        "{ran:?}"
    );
    assert!(!ran.stderr.contains("compares pages"), "{ran:?}");
    let compares = check(&folder, "extract own/html/a.html --algorithm istm", 0, &[]);
    assert!(compares.stderr.contains("note: istm compares pages, and here it sees each alone"), "{compares:?}");
    let stated = check(&folder, "extract own/html --algorithm cevc --language zh --out texts-zh", 0, &[]);
    assert!(!stated.stderr.contains("seem to be in"), "{stated:?}");
}

#[test]
fn extract_says_where_there_is_no_html() {
    let folder = Folder::new().with("README.md", "# Title\n\nA < b, and text.").with("a.html", "<p>text");
    let told = |page: &str| folder.carat(&format!("extract {page} --algorithm all-text")).stderr;
    assert_eq!(told("README.md"), "note: README.md holds no HTML, so all of it is one text\n");
    assert_eq!(told("a.html"), "");
}

#[test]
fn extract_unpacks_pages() {
    let page = "<p>packed";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(page.as_bytes()).unwrap();
    let folder = Folder::new()
        .with("own/a.html.gz", gzip.finish().unwrap())
        .with("own/b.HTM.zst", zstd::encode_all(page.as_bytes(), 1).unwrap())
        .with("cut.html.gz", [0x1F, 0x8B, 8])
        .with("bomb.html.zst", zstd::encode_all(std::io::repeat(b'x').take(80 << 20), 1).unwrap());
    for name in ["a.html.gz", "b.HTM.zst"] {
        check(&folder, &format!("extract own/{name} --algorithm all-text"), 0, &["packed"]);
    }
    check(&folder, "extract own --algorithm all-text --out texts", 0, &["2 texts in texts, 0 of them empty"]);
    assert_eq!(["a", "b"].map(|name| folder.read(&format!("texts/{name}.txt"))), ["packed\n"; 2]);
    check(&folder, "extract cut.html.gz --algorithm all-text", 3, &["cut.html.gz cannot be unpacked"]);
    check(&folder, "extract bomb.html.zst --algorithm all-text", 3, &["bomb.html.zst unpacks to more than"]);
}

#[test]
fn files_that_may_be_pages_are_not_left_out_in_silence() {
    let folder = Folder::new()
        .with("own/a.html", "<p>one")
        .with("own/a.txt", "one")
        .with("own/style.css", "p {}")
        .with("own/2011_www.example.com", "<p>two")
        .with("own/c.asp", "<p>three");
    let told = "2 of 5 files are no pages by their names and are left out, such as 2011_www.example.com";
    check(
        &folder,
        "run --dataset ./own --algorithm all-text --out r",
        0,
        &[told, "html_glob='pages/*.{html,asp,com}'"],
    );
    let ran = check(&folder, "run --dataset ./own,html_glob=**/*.html --algorithm all-text --out s", 0, &[]);
    assert!(!ran.stderr.contains("left out"), "{ran:?}");
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
    check(&folder, "score e.txt g.txt --measure lsc", 2, &["choose one of lcs, shingle:N, rouge:N, bag"]);
}

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
        ("measures", "shingle:N"),
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
        ("measures lsc", "choose one of lcs, shingle:N, rouge:N, bag"),
        ("importers foldr", "did you mean `folder`?"),
        ("stopwords", "--language"),
        ("stopwords --language xx", "there is no stop list for `xx`; there are"),
        ("stopwords --language zh --stop-list big", "iso or small"),
        ("algorithm", "'algorithms'"),
    ] {
        check(&folder, &format!("list {arguments}"), 2, &[says]);
    }
    assert!(!check(&folder, "list measures lcs", 0, &[]).stdout.contains("shingle:N"));
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

#[test]
fn extract_writes_a_text_for_each_page_of_a_folder() {
    let folder = Folder::new()
        .with("own/a.html", "<p>one")
        .with("own/b/a.HTM", "<p>\u{4E2D}\u{6587}")
        .with("own/empty.html", "<body>")
        .with("own/notes.txt", "no page");
    let ran = check(&folder, "extract own --algorithm all-text --out texts", 0, &["3 texts in texts, 1 of them empty"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(
        ["a", "b/a", "empty"].map(|name| folder.read(&format!("texts/{name}.txt"))),
        ["one\n", "\u{4E2D}\u{6587}\n", ""]
    );
    // What is there with other content may be somebody's gold.
    let refused = "1 text is there with other content, such as texts/a.txt, and nothing was written";
    let folder = folder.with("texts/a.txt", "by hand");
    check(&folder, "extract own --algorithm all-text --out texts", 2, &[refused, "--force"]);
    assert_eq!(folder.read("texts/a.txt"), "by hand");
    check(&folder, "extract own --algorithm all-text --out texts --force", 0, &["3 texts in texts"]);
    check(&folder, "extract own --algorithm all-text --out texts", 0, &["3 texts in texts"]);
    // A tree of texts is read as the pages of the same tree are called.
    let tree =
        Folder::new().with("own/x/i.html", "<p>one").with("own/y/i.html", "<p>two").with("own/z.html", "<p>three");
    let tree = tree.with("sub/x/a.html", "<p>one").with("sub/y/b c.html", "<p>two").with("sub/d.html", "<p>three");
    check(&tree, "extract own --algorithm all-text --out texts", 0, &[]);
    check(&tree, "extract sub --algorithm all-text --out subtexts", 0, &[]);
    for (pages, texts) in [("own", "texts"), ("sub", "subtexts")] {
        let run = format!("run --dataset ./{pages} --stored ./{texts} --algorithm all-text --out {texts}-run");
        check(&tree, &run, 0, &[&format!("stored/{texts}")]);
        let systems = tree.json(&format!("{texts}-run/summary.json"))["agreement"][0]["systems"].clone();
        let kept: Vec<u64> = systems.as_array().unwrap().iter().filter_map(|system| system["pages"].as_u64()).collect();
        assert_eq!(kept, [3, 3], "{systems}");
    }
    // What was extracted is scored as an output of somebody else.
    check(&folder, "extract own/b --algorithm all-text --out flat", 0, &["1 text in flat"]);
    check(&folder, "run --dataset ./own/b --stored ./flat --algorithm all-text --out r", 0, &["stored/flat"]);
    let named = Folder::new()
        .with("own/my page.html", "<p>one")
        .with("own/a%20b.html", "<p>two")
        .with("own/5%.html", "<p>three");
    check(&named, "extract own --algorithm all-text --out flat", 0, &["3 texts in flat"]);
    check(&named, "run --dataset ./own --stored ./flat --algorithm all-text --out r", 0, &["stored/flat"]);
    check(&folder, "extract own/a.html own/b/a.HTM --algorithm all-text --out x", 2, &["would have one text"]);
    check(&folder, "extract own --algorithm all-text", 2, &["need --out DIR"]);
    check(&folder, "extract own/b own/notes.txt --algorithm all-text", 2, &["need --out DIR"]);
    let ran = folder.carat("extract own/none.html own/a.html --algorithm all-text --out y");
    assert!(ran.code == 2 && ran.stderr.contains("none.html"), "{ran:?}");
    assert_eq!(folder.read("y/a.txt"), "one\n", "what can be extracted is");
    check(
        &folder,
        "extract own/empty.html --algorithm all-text",
        0,
        &["all-text extracts nothing from own/empty.html"],
    );
}

//! Importers against what is malformed: a sentence that names the file, exit code 3, and nothing written.

use crate::support::{Folder, check};

/// A whole upstream of each importer whose layout is small, with the file that a fault is put into, what else stands
/// there, and a text of that file that names one page twice, if ids are not file names.
struct Layout {
    importer: &'static str,
    /// The file of JSON, or of one JSON a line, with its text.
    truth: (&'static str, &'static str),
    others: &'static [(&'static str, &'static str)],
    /// A wrong type in place of a text.
    wrong_type: (&'static str, &'static str),
    /// The same page a second time, and what is told of it.
    double: Option<&'static str>,
}

const LAYOUTS: &[Layout] = &[
    Layout {
        importer: "article-extraction-benchmark",
        truth: ("ground-truth.json", r#"{"a": {"articleBody": "one", "url": "https://a.org/"}}"#),
        others: &[("html/README", "")],
        wrong_type: (r#""one""#, "3"),
        double: Some(r#"{"a": {"articleBody": "one"}, "a": {"articleBody": "one"}}"#),
    },
    Layout {
        importer: "daniel",
        truth: ("doc_lg.json", r#"{"20120112_a.org_ff": "English"}"#),
        others: &[("html/20120112_a.org_ff", "<p>one"), ("reference/20120112_a.org_ff", "<p>one</p>")],
        wrong_type: (r#""English""#, "3"),
        double: Some(r#"{"20120112_a.org_ff": "English", "20120112_a.org_ff": "English"}"#),
    },
    Layout {
        importer: "wcxb",
        truth: ("dev/ground-truth/0001.json", r#"{"url": "https://a.org/", "ground_truth": {"main_content": "one"}}"#),
        others: &[("dev/html/0001.html", "<p>one"), ("metadata.json", r#"{"files": {}}"#)],
        wrong_type: (r#""one""#, "3"),
        double: None,
    },
    Layout {
        importer: "mozilla-readability",
        truth: ("a/expected-metadata.json", r#"{"title": "one", "readerable": true}"#),
        others: &[("a/source.html", "<p>one"), ("a/expected.html", "<div><p>one</p></div>")],
        wrong_type: (r#""one""#, "3"),
        double: None,
    },
    Layout {
        importer: "magic-html",
        truth: ("article/base.json", r#"{"a": {"url": "https://a.org/", "content": "one"}}"#),
        others: &[("article/htmls/a.html", "<p>one")],
        wrong_type: (r#""one""#, "3"),
        double: Some(r#"{"a": {"content": "one"}, "a": {"content": "one"}}"#),
    },
    Layout {
        importer: "trafilatura-eval",
        truth: ("evaldata.json", r#"{"https://a.org/": {"file": "a.html", "with": ["one"], "without": []}}"#),
        others: &[("cache/a.html", "<p>one")],
        wrong_type: (r#"["one"]"#, "3"),
        double: Some(r#"{"https://a.org/": {"file": "a.html"}, "https://b.org/": {"file": "a.html"}}"#),
    },
    Layout {
        importer: "l3s-gn1",
        truth: ("url-mapping.txt", "<urn:uuid:a>\thttps://a.org/"),
        others: &[("original/a.html", "<p>one"), ("annotated/a.html", "<p><span class=x-nc-sel2>one</span>")],
        wrong_type: ("<urn:uuid:a>", "a"),
        double: Some("<urn:uuid:a>\thttps://a.org/\n<urn:uuid:a>\thttps://b.org/"),
    },
    Layout {
        importer: "dragnet2020",
        truth: ("meta/a.toml", "text = '''one'''"),
        others: &[("html/a.html", "<p>one")],
        wrong_type: ("text =", "text"),
        double: Some("text = 'one'\ntext = 'one'"),
    },
    Layout {
        importer: "wceb-combined",
        truth: ("truth/cetd.jsonl", r#"{"page_id": "a", "plaintext": "one"}"#),
        others: &[("html/cetd/a.html", "<p>one")],
        wrong_type: (r#""one""#, "3"),
        double: None,
    },
    Layout {
        importer: "table",
        truth: ("rows.jsonl", r#"{"id": "a", "html": "<p>one", "url": "https://a.org/"}"#),
        others: &[("_SUCCESS", "")],
        wrong_type: (r#""<p>one""#, "3"),
        double: Some("{\"id\": \"a\", \"html\": \"x\"}\n{\"id\": \"a\", \"html\": \"y\"}"),
    },
    Layout {
        importer: "webmainbench",
        truth: ("rows.jsonl", r#"{"track_id": "a", "html": "<p cc-select=true>one"}"#),
        others: &[],
        wrong_type: (r#""a""#, "3"),
        double: Some("{\"track_id\": \"a\", \"html\": \"x\"}\n{\"track_id\": \"a\", \"html\": \"y\"}"),
    },
];

impl Layout {
    /// The layout below `up/`, with this text of its file.
    fn folder(&self, text: &str) -> Folder {
        let folder = Folder::new().with(&format!("up/{}", self.truth.0), text);
        self.others.iter().fold(folder, |folder, (path, text)| folder.with(&format!("up/{path}"), text))
    }

    fn command(&self) -> String {
        format!("dataset import {} up --out out/deep", self.importer)
    }

    fn is_refused(&self, folder: &Folder, says: &str) {
        check(folder, &self.command(), 3, &[says]);
        assert!(!folder.path("out").exists(), "{}: a refused import leaves no folder", self.importer);
    }
}

#[test]
fn whole_layouts_are_imported_and_exported_alike() {
    for layout in LAYOUTS.iter().filter(|layout| layout.importer != "article-extraction-benchmark") {
        let folder = layout.folder(layout.truth.1);
        check(&folder, &layout.command(), 0, &["1 page, "]);
        let digest = |dataset: &str, out: &str| {
            let ran = check(&folder, &format!("dataset export {dataset} --out {out}"), 0, &["1 page, ", "sha256:"]);
            ran.stdout.lines().last().unwrap().to_owned()
        };
        let first = digest(&format!("{}:up", layout.importer), "a");
        let others = [("./out/deep", "b"), ("./a", "c/pages.jsonl"), ("./c", "d")];
        for (dataset, out) in others {
            assert_eq!(digest(dataset, out), first, "{} {dataset}", layout.importer);
        }
    }
}

#[test]
fn cut_files_and_wrong_types_are_told_with_file_and_line() {
    for layout in LAYOUTS {
        let (file, text) = layout.truth;
        let at_line_1 = format!("up/{file}:1: ");
        if !file.ends_with(".txt") {
            layout.is_refused(&layout.folder(&text[..text.len() - 3]), &at_line_1);
        }
        let (right, wrong) = layout.wrong_type;
        layout.is_refused(&layout.folder(&text.replace(right, wrong)), &at_line_1);
        if let Some(double) = layout.double {
            layout.is_refused(&layout.folder(double), "up");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_file() {
    for importer in ["table", "webmainbench"] {
        let folder = Folder::new().with("up/other", "");
        let pipe = folder.path("up/rows.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let command = format!("dataset import {importer} up/rows.jsonl --out out");
        // The folder is not compared with what it was: who reads the pipe waits for ever.
        let ran = folder.carat(&command);
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(ran.stderr.contains("up/rows.jsonl: it is a pipe, a socket or a device"), "{ran:?}");
        assert!(!folder.path("out").exists());
    }
}

#[test]
fn cut_tables_are_refused_with_the_line_of_the_row() {
    for (text, line) in [("id,html\n1,\"<p>one\"\n2,\"<p>thr", 3), ("id,html\na,\"<p>x\nb,<p>y\n", 2)] {
        let folder = Folder::new().with("t.csv", text);
        check(&folder, "dataset import table t.csv --out out", 3, &[&format!("t.csv:{line}: "), "closing quote"]);
        assert!(!folder.path("out").exists());
    }
}

#[test]
fn values_that_another_sign_parts_are_told_and_the_run_is_named_after_the_table() {
    let folder = Folder::new().with("golds.v1.csv", "\"id\";\"html\"\n\"a\";\"<p>one\"\n");
    const RUN: &str = "run --algorithm all-text --bounds none --dataset table:golds.v1.csv";
    check(&folder, RUN, 3, &["golds.v1.csv:1: ", "if `;` parts the values, say so with delimiter=semicolon"]);
    check(&folder, &format!("{RUN},delimiter=semicolon"), 0, &["reports/golds"]);
    assert!(folder.path("reports/golds/summary.json").is_file());
}

#[test]
fn a_table_tells_what_it_lacks_and_how_to_read_it() {
    // "中文", in GBK.
    let gbk = b"html,gold\n<p>\xd6\xd0\xce\xc4,\xd6\xd0\xce\xc4\n<p>x,x\n";
    let folder = Folder::new()
        .with("t.csv", gbk)
        .with("sep.csv", "sep=;\nid;html\n")
        .with("sep3.csv", "sep=;\nid;html;gold\n")
        .with("two.csv", "html,html\n");
    let mut folder = folder.with("semi.csv", "id;html\na;<p>one, two\n").with("c.warc.gz", "").with("p.html", "<p>x");
    const RUN: &str = "run --algorithm all-text --bounds none --out o --dataset";
    check(&folder, &format!("{RUN} table:t.csv"), 3, &["`table:rows.csv,encoding=gbk`"]);
    check(&folder, &format!("{RUN} table:t.csv,encoding=gbkk"), 2, &["`gbkk` is no label"]);
    let told = [
        "2 pages have no site, so each counts as one",
        "columns.site=NAME",
        "if the column `gold` has it: columns.gold=gold",
    ];
    check(&folder, &format!("{RUN} table:t.csv,encoding=gbk"), 0, &told);
    let ran = check(
        &folder,
        "run --algorithm all-text --bounds none --out p --dataset table:t.csv,encoding=gbk,columns.gold=gold",
        0,
        &[],
    );
    assert!(!ran.stderr.contains("no gold is read"), "{ran:?}");
    assert!(ran.stderr.contains("2 pages of 2 without a language, which no table guesses"), "{ran:?}");
    folder = folder.with("paths.csv", "html,gold\na/1.html,one\na/2.htm,two\n");
    let told = "the column of pages holds paths, and no HTML";
    check(&folder, "run --algorithm all-text --out q --dataset table:paths.csv,columns.gold=gold", 0, &[told]);
    // Behind a column, too, what is no option is refused.
    for name in ["foo", "gold_kind"] {
        let dataset = format!("table:paths.csv,columns.gold=gold,{name}=html");
        let told = format!("the importer table has no option `{name}`");
        check(&folder, &format!("run --algorithm all-text --out q --dataset {dataset}"), 2, &[&told]);
    }
    // As a spreadsheet writes it.
    let text = "\u{FEFF}html,gold\n<p>中文,中文\n<p>x,x\n";
    for (name, bytes) in [("le.csv", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("be.csv", u16::to_be_bytes)] {
        folder = folder.with(name, text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>());
        let request =
            format!("run --algorithm all-text --bounds none --fresh --out p --dataset table:{name},columns.gold=gold");
        check(&folder, &request, 0, &["2 pages"]);
        assert!(folder.csv("p/scores.csv").iter().all(|score| score["matched"] == score["gold"]), "{name}");
    }
    let folder = folder.with("u.csv", "html,正文\n<p>港口工程,港口工程\n");
    check(
        &folder,
        "run --algorithm all-text --dataset table:u.csv --out u",
        0,
        &["if the column `正文` has it: columns.gold=正文"],
    );
    assert!(
        folder.csv("p/scores.csv").iter().all(|score| score["matched"] == score["gold"]),
        "{:?}",
        folder.csv("p/scores.csv")
    );
    for (name, told) in [
        ("table:sep.csv,delimiter=semicolon", "the first line is of a spreadsheet, not a header: remove it"),
        ("table:sep3.csv,delimiter=semicolon", "the first line is of a spreadsheet, not a header: remove it"),
        ("table:two.csv", "the header names the column `html` twice"),
        ("table:semi.csv", "say so with delimiter=semicolon, tab or bar"),
        ("./c.warc.gz", "are named as `warc:./c.warc.gz`"),
        ("./p.html", "`carat extract ./p.html --algorithm nta` prints"),
    ] {
        let ran = folder.carat(&format!("{RUN} {name}"));
        assert!([2, 3].contains(&ran.code) && ran.stderr.contains(told), "{name}: {ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_and_files_of_gigabytes_are_refused() {
    for layout in LAYOUTS {
        let file = format!("up/{}", layout.truth.0);
        let folder = layout.folder("").with("elsewhere", layout.truth.1);
        std::fs::remove_file(folder.path(&file)).unwrap();
        std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path(&file)).unwrap();
        layout.is_refused(&folder, "E-PATH");
        std::fs::remove_file(folder.path(&file)).unwrap();
        // A hole, which takes no room; it is left out of the folder's comparison.
        std::fs::File::create(folder.path(&file)).unwrap().set_len(2 << 30).unwrap();
        let ran = folder.carat(&layout.command());
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}: {ran:?}", layout.importer);
        assert!(ran.stderr.contains("E-SIZE") && ran.stderr.contains(&file), "{}: {ran:?}", layout.importer);
        assert!(!folder.path("out").exists(), "{}", layout.importer);
    }
}

#[test]
fn a_page_of_gigabytes_leaves_nothing_behind() {
    let folder = Folder::new().with("up/a.html", "<p>a").with("up/b.html", "");
    std::fs::File::create(folder.path("up/b.html")).unwrap().set_len(2 << 30).unwrap();
    let ran = folder.carat("dataset import folder up --out out/deep");
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("up/b.html") && ran.stderr.contains("page `b`"), "{ran:?}");
    assert!(!folder.path("out").exists());
}

#[test]
fn a_cut_archive_of_a_page_is_told() {
    let folder = Folder::new()
        .with("up/metadata.json", r#"{"files": {}}"#)
        .with("up/dev/html/0001.html.gz", [0x1F, 0x8B, 8, 0, 0])
        .with("up/dev/ground-truth/0001.json", r#"{"ground_truth": {"main_content": "one"}}"#);
    check(&folder, "dataset import wcxb up --out out", 3, &["up/dev/html/0001.html.gz", "page `0001`"]);
}

#[test]
fn options_of_a_folder_stand_where_it_is_named() {
    let folder = Folder::new()
        .with("own/html/news.example.org_1.html", "<p>one</p>")
        .with("own/gold/news.example.org_1.txt", "one")
        .with("own/html/www.example.org_2.html", "<p>two</p>")
        .with("own/gold/www.example.org_2.txt", "two")
        .with("own/gold/nobody.txt", "x");
    // What the errors say to write works in the command that says it.
    for command in ["run --algorithm all-text --out o --dataset", "dataset check", "dataset export --out e"] {
        let refused = folder.carat(&format!("{command} ./own"));
        assert!(refused.code > 0, "{command}: {refused:?}");
        // Long sentences are broken into lines.
        let told = format!("{} {}", refused.stderr, refused.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
        let written =
            told.split("name the folder as `").nth(1).unwrap_or_else(|| panic!("{told}")).split('`').next().unwrap();
        assert!(written.ends_with("own,allow_orphans=true"), "{written}");
        check(&folder, &format!("{command} {written}"), 0, &[]);
    }
    let set = "run --dataset ./own --set allow_orphans=true --set language=zh --where language=zh --algorithm all-text --out p";
    let ran = check(&folder, set, 0, &["sites are the domains of the hosts in the names of the 2 pages: 1"]);
    assert!(ran.stdout.contains("all-text"), "{ran:?}");
    assert_eq!(
        folder.json("p/run.json")["name"].as_str().or(folder.json("p/summary.json")["name"].as_str()),
        Some("own")
    );
    for (command, told) in [
        (
            "run --dataset ./own,allow_orphans=true --where language=zh --algorithm all-text --out q",
            "none of them states its language, which `./own,allow_orphans=true,language=zh` does",
        ),
        ("run ./own", "to run on the pages of a folder: carat run --dataset ./own"),
        (
            "run --dataset ./own/gold/nobody.txt --algorithm all-text --out q",
            "a table of pages is named as `table:./own/gold/nobody.txt`",
        ),
        (
            "run --dataset ./own --set langage=zh --algorithm all-text --out q",
            "has no option `langage`; did you mean `language`?",
        ),
        ("run --dataset ./own,langage=zh --algorithm all-text --out q", "did you mean `language`?"),
    ] {
        let ran = folder.carat(command);
        assert!(ran.code > 1 && ran.stderr.contains(told), "{command}: {ran:?}");
    }
    check(&folder, "diff p www.example.org_2", 0, &["all-text"]);
}

#[test]
fn a_gold_that_does_not_decode_is_told_with_the_option_that_says_how() {
    let folder = Folder::new().with("own/a.html", "<p>one</p>").with("own/a.txt", [0xC4, 0xE3, 0xBA, 0xC3]);
    let run = |name: &str| format!("run --dataset {name} --algorithm all-text --out o");
    check(&folder, &run("./own"), 3, &["gold `a.txt` is not valid UTF-8", "`gold_encoding=LABEL`"]);
    check(&folder, &run("./own,gold_encoding=gbk"), 0, &[]);
}

#[test]
fn a_plain_folder_of_a_known_layout_is_named_with_the_way_to_its_gold() {
    let pages = Folder::new()
        .with("aeb/ground-truth.json", "{}")
        .with("aeb/html/a.html", "<p>one")
        .with("daniel/doc_lg.json", "{}")
        .with("daniel/html/a", "<p>one")
        .with("daniel/reference/a", "one")
        .with("own/html/a.html", "<p>one");
    for (folder, importer) in [("aeb", "article-extraction-benchmark"), ("daniel", "daniel")] {
        let says = format!(
            "this looks like {importer}: `{importer}:./{folder}` reads its gold; `folder:./{folder}` reads it as a plain folder of pages"
        );
        check(&pages, &format!("run --dataset ./{folder} --algorithm all-text --out o"), 2, &[&says]);
        assert!(!pages.path("o").exists());
    }
    check(&pages, "run --dataset folder:./aeb --algorithm all-text --out o", 0, &["1 page without gold"]);
    check(&pages, "run --dataset ./own --algorithm all-text --out p", 0, &["1 page without gold"]);
}

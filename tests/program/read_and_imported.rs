//! Upstream's files read directly and imported first: the same pages, the same digest, the same notes, the same faults.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use crate::support::{Folder, check};
use carat::datasets::Dataset;
use carat::datasets::import::write::{Layout, write};
use carat::datasets::import::{IMPORTERS, Options, find};
use carat::datasets::load::{Loading, load_folder};
use carat::datasets::manifest::{Compression, Record};
use serde_json::Value as Json;

/// An importer, and a whole upstream of it whose words are odd where upstream's own may be.
type Upstream = (&'static str, Files);

/// Files by their paths.
type Files = &'static [(&'static str, &'static str)];

const UPSTREAMS: &[Upstream] = &[
    ("folder", &[("a.html", "<p>one"), ("gold/a.txt", "\u{FEFF}one \n\n two"), ("b.html", "<p>x")]),
    (
        "table",
        &[
            (
                "dump=1/rows.jsonl",
                concat!(
                    r#"{"id": "a b", "html": "<p>one\ufffd", "url": "not a url", "language": "English (US)"}"#,
                    "\n",
                    r#"{"id": 2, "html": "<p>two", "url": "HTTPS://A.org:8080/", "language": "zho,eng", "date": "soon"}"#,
                    "\n",
                    r#"{"id": 3, "html": null}"#,
                ),
            ),
            ("more.csv", "id,html,lang,url\r\n\r\nc,\"<p>\"\"x\r\ny\"\"\",Klingon!,mailto:\r\nd,<p>z,tlh,mailto:x\r\n"),
        ],
    ),
    (
        "warc",
        &[
            (
                "crawl=x/one.warc",
                concat!(
                    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:b 2>\r\n",
                    "WARC-Target-URI: not a url\r\nContent-Type: application/http; msgtype=response\r\n",
                    "WARC-Date: soon\r\nContent-Length: 65\r\n\r\nHTTP/1.1 200 OK\r\n",
                    "Content-Type: text/html; charset=utf-8\r\n\r\n<p>one\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n",
                    "WARC-Record-ID: <urn:uuid:A>\r\nWARC-Target-URI: HTTPS://A.org:8080/x\r\n",
                    "Content-Type: application/http; msgtype=response\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n",
                    "WARC-Truncated: time\r\nContent-Length: 67\r\n\r\nHTTP/1.1 200 OK\r\n",
                    "Content-Type: text/html; charset=Klingon\r\n\r\n<p>中\r\n\r\nWARC/1.0\r\nWARC-Type: request\r\n",
                    "WARC-Record-ID: <urn:uuid:c>\r\nWARC-Target-URI: https://a.org/x\r\n",
                    "Content-Type: application/http; msgtype=request\r\nContent-Length: 19\r\n\r\n",
                    "GET /x HTTP/1.1\r\n\r\n\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n",
                    "WARC-Record-ID: <urn:uuid:d>\r\nWARC-Target-URI: https://a.org/y\r\n",
                    "Content-Type: application/http; msgtype=response\r\nContent-Length: 70\r\n\r\n",
                    "HTTP/1.1 404 Not Found\r\nContent-Type: text/html; charset=utf-8\r\n\r\ngone\r\n\r\n",
                ),
            ),
            (
                "language=zh/two.warc",
                concat!(
                    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:e>\r\n",
                    "WARC-Target-URI: https://a.org/z\r\nContent-Type: application/http; msgtype=response\r\n",
                    "Content-Length: 114\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/xhtml+xml\r\n",
                    "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n<p>two\r\n\r\n",
                ),
            ),
            ("_temporary/none.warc", "x"),
        ],
    ),
    (
        "daniel",
        &[
            ("html/20120112_WWW.A.org:8080_ff", "<p>one"),
            ("html/2012_b_1", "<p>x"),
            ("html/dropped, there is no page", "<p>not named"),
            ("reference/20120112_WWW.A.org:8080_ff", "<p>one</p>"),
            ("reference/20120112_gone.org_ff", "<p>x</p>"),
            (
                "doc_lg.json",
                r#"{"20120112_WWW.A.org:8080_ff": "English", "2012_b_1": "Chinese", "nowhere": "English"}"#,
            ),
        ],
    ),
    (
        "chinese-handcrafted",
        &[
            ("original/a.html", "<text id=\"http://A.sohu.com:80/1\" encoding=\"unset\">\n<p>中</text>"),
            ("original/b.html", "<p>x"),
            ("original/c.doc", "x"),
            ("cleaned/a.txt", "中\r\n"),
            ("cleaned/gone.txt", "x"),
            ("author/a.txt", "someone\tat a newspaper"),
            ("date/a.txt", "2005-99-99"),
        ],
    ),
    (
        "cleaneval",
        &[
            ("input/1.html", "<text id=\"http://A.org/\" encoding=\"utf8\">\n<p>one</text>"),
            ("input/2.html", "<p>x"),
            ("GoldStandard/1.txt", "URL: http://a.org/\n<h>one\n<p>It&#8217;s"),
            ("GoldStandard/3.txt", "x"),
        ],
    ),
    (
        "clean-portal-eval",
        &[("input/bbc.co.uk_news_04.html", "<p>one"), ("GoldStandard/bbc.co.uk_news_04.txt", "\n<p>\n")],
    ),
    (
        "article-extraction-benchmark",
        &[
            ("html/a.html.gz", "<p>one"),
            ("html/b.html.gz", "<p>x"),
            ("output/other.json", r#"{"a": {"articleBody": "one"}}"#),
            ("ground-truth.json", r#"{"a": {"articleBody": "one", "url": "a.org/1"}, "gone": {"articleBody": "x"}}"#),
        ],
    ),
    (
        "wcxb",
        &[
            ("metadata.json", r#"{"files": {"0001": {"domain": "A.org:80", "page_type": "Product Page", "spa": 3}}}"#),
            ("dev/html/0001.html", "<p>one"),
            ("dev/html/0002.html", "<p>x"),
            (
                "dev/ground-truth/0001.json",
                concat!(
                    r#"{"url": "://", "file_id": 1, "n": 1.5, "ground_truth": {"main_content": " ", "title": "","#,
                    r#""publish_date": "last week", "with": ["one"], "without": null}}"#
                ),
            ),
            ("dev/ground-truth/0003.json", "{}"),
        ],
    ),
    (
        "mozilla-readability",
        &[
            ("a/source.html", "<p>one"),
            ("a/expected.html", "<div><p>one</p></div>"),
            ("a/expected-metadata.json", r#"{"title": "one", "lang": "en_US", "publishedTime": "soon", "dir": null}"#),
            ("b/source.html", "<p>x"),
        ],
    ),
    (
        "magic-html",
        &[
            (
                "article/base.json",
                r#"{"a": {"url": "", "content": "\ufeff\ufeffone", "remark": "列表页"}, "gone": {"content": "x"}}"#,
            ),
            ("article/htmls/a.html", "<p>one"),
            ("article/htmls/b.html", "<p>x"),
        ],
    ),
    (
        "l3s-gn1",
        &[
            ("original/a.html", "<p>one<p>two"),
            ("original/b.html", "<p>x"),
            ("annotated/a.html", "<p><span class=x-nc-sel2>one</span><p><span class=x-nc-sel5>two</span>"),
            ("annotated/gone.html", "<p>x"),
            ("url-mapping.txt", "<urn:uuid:a>\t<not a url>\n"),
        ],
    ),
    (
        "dragnet",
        &[
            ("HTML/a.html", "<p>one"),
            ("HTML/b.html", "<p>x"),
            ("Corrected/a.html.corrected.txt", "one\n\n!@#$%^&*() COMMENTS\n\ntwo"),
            ("Corrected/gone.html.corrected.txt", "x"),
            ("training.txt", "a\nnowhere\n"),
        ],
    ),
    (
        "dragnet2020",
        &[
            ("html/a.html", "<p>one"),
            ("html/b.html", "<p>x"),
            ("meta/a.toml", "url = \"a.org\"\ndt_published = 2020-05-21\ntext = '''\none\n'''\n"),
            ("meta/gone.toml", "text = 'x'\n"),
        ],
    ),
    (
        "wceb-combined",
        &[
            ("html/cetd/a.html", "<p>one"),
            ("html/cetd/b.html", "<p>x"),
            (
                "ground-truth/cetd.jsonl",
                concat!(
                    r#"{"page_id": "a", "plaintext": "one", "url": "a.org", "source": {"case": "A"}}"#,
                    "\n",
                    r#"{"page_id": "gone", "plaintext": "x"}"#,
                ),
            ),
        ],
    ),
    (
        "webmainbench",
        &[(
            "rows.jsonl",
            concat!(
                r#"{"track_id": "a", "html": "<p cc-select='true'>one<p>two", "url": "A", "meta": {"language": "en_US"}}"#,
                "\n",
                r#"{"track_id": "b", "html": "<p>x", "meta": {"level": 0.1, "style": "Article"}}"#,
                "\n",
                r#"{"track_id": "c", "html": null}"#,
            ),
        )],
    ),
    (
        "trafilatura-eval",
        &[
            ("cache/a.html", "<p>one"),
            (
                "evaldata.json",
                concat!(
                    r#"{"not a url": {"file": "a.html", "with": ["one"], "date": "soon", "license": "A"},"#,
                    r#""https://b.org/": {"file": "b.html"}}"#,
                ),
            ),
        ],
    ),
    ("gne", &[("tests/A.org:80/1.html", "<p>one"), ("test_list_page/2.html", "<p>two")]),
];

/// The folder `up` of these files; `.gz` are packed.
fn folder(files: &[(&str, &str)]) -> Folder {
    files.iter().fold(Folder::new(), |folder, (path, text)| {
        let path = format!("up/{path}");
        if !path.ends_with(".gz") {
            return folder.with(&path, text);
        }
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        folder.with(&path, packed.finish().unwrap())
    })
}

fn digest(dataset: &Dataset) -> String {
    dataset.digest(|record| dataset.digests(record)).unwrap()
}

/// What the records say, but for where pages and golds are.
fn words(dataset: &Dataset) -> Vec<Json> {
    let words = |record: &Record| {
        let mut words = serde_json::to_value(record).unwrap();
        words.as_object_mut().unwrap().retain(|key, _| !["html", "gold"].contains(&key.as_str()));
        words
    };
    dataset.records.iter().map(|record| words(&record.unwrap())).collect()
}

fn assert_same(read: &Dataset, imported: &Dataset, what: &str) {
    assert_eq!(words(read), words(imported), "{what}");
    assert_eq!(digest(read), digest(imported), "{what}");
    assert_eq!(read.notes, imported.notes, "{what}");
    let told =
        |dataset: &Dataset| (dataset.name().to_owned(), dataset.manifest.version.clone(), dataset.stored_systems());
    assert_eq!(told(read), told(imported), "{what}");
}

#[test]
fn what_is_read_directly_is_what_is_imported() {
    let mut notes = BTreeSet::new();
    for (importer, files) in UPSTREAMS {
        let folder = folder(files);
        let read = |loading| find(importer).unwrap().read_with(&folder.path("up"), &Options::default(), loading);
        let direct = read(Loading::default()).unwrap();
        for (name, layout) in [("files", Layout::Files(Compression::Zstd)), ("list", Layout::OneList("pages.jsonl"))] {
            let written = write(&direct, &folder.path(name), layout).unwrap();
            assert_eq!(written, digest(&direct), "{importer} {name}");
            let imported = load_folder(&folder.path(name)).unwrap_or_else(|error| panic!("{importer} {name}: {error}"));
            assert_same(&direct, &imported, &format!("{importer} {name}"));
            let again = folder.path(&format!("{name} again"));
            write(&imported, &again, layout).unwrap();
            assert_same(&direct, &load_folder(&again).unwrap(), &format!("{importer} {name} again"));
        }
        let kept_going = read(Loading::KEEP_GOING).unwrap();
        assert_same(&direct, &kept_going, &format!("{importer} where nothing is wrong"));
        assert_eq!((kept_going.dropped().pages, kept_going.dropped().faults.len()), (0, 0), "{importer}");
        notes.extend(direct.notes.iter().map(|note| format!("{importer}: {note}")));
    }
    let covered: BTreeSet<&str> = UPSTREAMS.iter().map(|(importer, _)| *importer).collect();
    // Files of Parquet are no text: `parquet.rs` has its own.
    let all = IMPORTERS.iter().map(|importer| importer.name).filter(|name| *name != "parquet");
    assert_eq!(covered, all.collect());
    let said = |part: &str| notes.iter().any(|note| note.contains(part));
    assert!(
        said("table: x-language: set aside on 2 pages, for it is no BCP 47 tag: `English (US)` of page `a%20b` first"),
        "{notes:#?}"
    );
    assert!(said("trafilatura-eval: x-url: set aside on 1 pages"), "{notes:#?}");
}

#[test]
fn versions_of_digests_and_words_set_aside_are_of_the_records_as_they_are_written() {
    let (_, files) = UPSTREAMS.iter().find(|(importer, _)| *importer == "table").unwrap();
    let folder = folder(files);
    let read = find("table").unwrap().read(&folder.path("up"), &Options::default()).unwrap();
    assert_eq!(read.manifest.version, digest(&read)["sha256:".len()..][..12]);
    let records: Vec<_> = read.records.iter().map(Result::unwrap).collect();
    let languages =
        ["a%20b", "2", "c", "d"].map(|id| records.iter().find(|record| record.id == id).unwrap().language.as_deref());
    assert_eq!(languages, [None, Some("zh"), None, Some("tlh")]);
}

#[test]
fn golds_without_page_are_counted_by_what_they_are() {
    let (_, files) = UPSTREAMS.iter().find(|(importer, _)| *importer == "daniel").unwrap();
    // One note says these words of a file that is no gold.
    let says = ["2 pages, 1 with gold, 1 without, 1 golds without page dropped, 4 notes in all"];
    check(&folder(files), "dataset import daniel up --out out", 0, &says);
}

/// What is left of a damaged upstream, and each fault with its page.
struct Damaged {
    importer: &'static str,
    files: Files,
    kept: &'static [&'static str],
    faults: &'static [(&'static str, &'static str)],
}

const DAMAGED: &[Damaged] = &[
    Damaged {
        importer: "wcxb",
        files: &[
            ("metadata.json", r#"{"files": {}}"#),
            ("dev/html/0001.html", "<p>one"),
            ("dev/html/0002.html", "<p>two"),
            ("dev/html/0003.html", "<p>three"),
            ("dev/ground-truth/0001.json", "{"),
            ("dev/ground-truth/0002.json", r#"{"ground_truth": {"main_content": "two"}}"#),
            ("dev/ground-truth/0003.json", r#"{"ground_truth": {"main_content": 3}}"#),
        ],
        kept: &["0002"],
        faults: &[("E-UPSTREAM", "0001"), ("E-UPSTREAM", "0003")],
    },
    Damaged {
        importer: "table",
        files: &[
            (
                "a.jsonl",
                concat!(
                    "{\"id\": \"a\", \"html\": \"x\"}\n{\"id\": \"b\"\n{\"id\": \"c\", \"html\": 3}\n",
                    "{\"id\": \"a\", \"html\": \"y\"}\n{\"html\": \"z\"}\n"
                ),
            ),
            ("b.csv", "id,html\r\n\r\nd,x\r\ne\r\nf,\"x\r\ny\",z\r\na,\"\r\n\"\r\ng,x\r\n"),
        ],
        kept: &["a", "a-000000005", "d", "g"],
        faults: &[
            ("E-UPSTREAM", ""),
            ("E-UPSTREAM", ""),
            ("E-UPSTREAM", ""),
            ("E-UPSTREAM", ""),
            ("E-ID", "a"),
            ("E-ID", "a"),
        ],
    },
    Damaged {
        importer: "warc",
        files: &[
            (
                "one.warc",
                concat!(
                    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:a>\r\n",
                    "WARC-Target-URI: https://a.org/a\r\nContent-Type: application/http; msgtype=response\r\n",
                    "Content-Length: 63\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
                    "<p>a\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:b>\r\n",
                    "WARC-Target-URI: https://a.org/b\r\nContent-Type: application/http; msgtype=response\r\n",
                    "Content-Length: 63x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
                    "<p>b\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:c>\r\n",
                    "WARC-Target-URI: https://a.org/c\r\nContent-Type: application/http; msgtype=response\r\n",
                    "Content-Length: 84\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n4\r\n<p>c\r\nx\r\n\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n",
                    "WARC-Target-URI: https://a.org/d\r\nContent-Type: application/http; msgtype=response\r\n",
                    "Content-Length: 63\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
                    "<p>d\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:e>\r\n",
                    "WARC-Target-URI: https://a.org/e\r\nContent-Type: application/http; msgtype=response\r\n",
                    "Content-Length: 63\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
                    "<p>e\r\n\r\n",
                ),
            ),
            (
                "two.warc",
                concat!(
                    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:a>\r\n",
                    "WARC-Target-URI: https://a.org/a\r\nContent-Type: application/http; msgtype=response\r\n",
                    "Content-Length: 63\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
                    "<p>a\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:f>\r\n",
                    "WARC-Target-URI: https://a.org/f\r\nContent-Type: application/http; msgtype=response\r\n",
                    "Content-Length: 63\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r",
                ),
            ),
        ],
        kept: &["a", "e"],
        faults: &[("E-WARC", ""), ("E-WARC", ""), ("E-WARC", ""), ("E-WARC", ""), ("E-ID", "a")],
    },
    Damaged {
        importer: "daniel",
        files: &[
            ("html/20120112_a.org_1", "<p>one"),
            ("html/20120112_b.org_2", "<p>two"),
            ("reference/20120112_a.org_1", "<p>one"),
            ("reference/20120112_b.org_2", "<p>two"),
            ("doc_lg.json", r#"{"20120112_a.org_1": "Klingon", "20120112_b.org_2": "English"}"#),
        ],
        kept: &["20120112_b.org_2"],
        faults: &[("E-UPSTREAM", "20120112_a.org_1")],
    },
    Damaged {
        importer: "dragnet2020",
        files: &[
            ("html/a.html", "<p>one"),
            ("html/b.html", "<p>two"),
            ("meta/a.toml", "text = 3"),
            ("meta/b.toml", "text = 'two'"),
        ],
        kept: &["b"],
        faults: &[("E-UPSTREAM", "a")],
    },
    Damaged {
        importer: "magic-html",
        files: &[
            ("article/base.json", r#"{"a": {"content": "one"}}"#),
            ("article/htmls/a.html", "<p>one"),
            ("forum/base.json", r#"{"a": {"content": "one"}, "b": {"content": "two"}}"#),
            ("forum/htmls/a.html", "<p>one"),
            ("forum/htmls/b.html", "<p>two"),
        ],
        kept: &["a", "b"],
        faults: &[("E-ID", "a")],
    },
    Damaged {
        importer: "trafilatura-eval",
        files: &[
            ("cache/a.html", "<p>one"),
            (
                "evaldata.json",
                r#"{"https://a.org/": {"file": "a.html"}, "b": {"file": "../b.html"}, "https://c.org/": {"file": "a.html"}}"#,
            ),
        ],
        kept: &["a"],
        faults: &[("E-PATH", "%2E.%2Fb"), ("E-ID", "a")],
    },
    Damaged {
        importer: "webmainbench",
        files: &[(
            "rows.jsonl",
            concat!(
                "{\"track_id\": 3}\n{\"track_id\": \"a\", \"html\": \"<p cc-select='true'>x\"}\n",
                "{\"track_id\": \"b\", \"html\": \"x\", \"meta\": 3}\n{\"track_id\": \"a\", \"html\": \"y\"}"
            ),
        )],
        kept: &["a"],
        faults: &[("E-UPSTREAM", ""), ("E-UPSTREAM", "b"), ("E-ID", "a")],
    },
    Damaged {
        importer: "wceb-combined",
        files: &[
            ("html/cetd/a.html", "<p>one"),
            ("ground-truth/cetd.jsonl", "{\"page_id\": 3}\n{\"page_id\": \"a\", \"plaintext\": \"one\"}\n{"),
        ],
        kept: &["a"],
        faults: &[("E-UPSTREAM", ""), ("E-UPSTREAM", "")],
    },
    Damaged {
        importer: "mozilla-readability",
        files: &[
            ("a/source.html", "<p>one"),
            ("a/expected.html", "<p>one"),
            ("a/expected-metadata.json", "{"),
            ("b/source.html", "<p>two"),
            ("b/expected.html", "<p>two"),
            ("b/expected-metadata.json", "{}"),
        ],
        kept: &["b"],
        faults: &[("E-UPSTREAM", "a")],
    },
    Damaged {
        importer: "folder",
        files: &[
            ("a/1.html", "<p>one"),
            ("b/1.html", "<p>two"),
            ("gold/1.txt", "one"),
            ("b/2.html", "<p>x"),
            ("b/2.txt", "x"),
        ],
        kept: &["a~1.html", "b~2.html"],
        faults: &[("E-ID", "b~1.html")],
    },
    Damaged {
        importer: "daniel",
        files: &[("html/2012_a_1", "<p>one"), ("reference/2012_a_1", "one"), ("doc_lg.json", r#"{"2012_a_1": ""}"#)],
        kept: &[],
        faults: &[("E-UPSTREAM", "2012_a_1")],
    },
];

#[test]
fn faulty_pages_end_the_load_or_are_left_out() {
    for Damaged { importer, files, kept, faults } in DAMAGED {
        let folder = folder(files);
        let read = |loading| find(importer).unwrap().read_with(&folder.path("up"), &Options::default(), loading);
        let left = read(Loading::KEEP_GOING).unwrap();
        let ids: Vec<String> = left.records.iter().map(|record| record.unwrap().id.clone()).collect();
        assert_eq!(ids, *kept, "{importer}");
        let dropped = left.dropped();
        let found = dropped.faults.iter().map(|fault| (fault.code.name(), fault.page.as_deref().unwrap_or_default()));
        assert_eq!((found.collect::<Vec<_>>(), dropped.pages), (faults.to_vec(), faults.len()), "{importer}");
        let told = dropped.faults[0].to_string();
        let first = read(Loading::default()).unwrap_err();
        assert_eq!(first.to_string(), told, "{importer}");
        let ran = folder.carat(&format!("dataset check {importer}:up"));
        assert_eq!(ran.code, 1, "{importer}: {ran:?}");
        let counted = format!("{} load-fault", faults.len());
        assert!(ran.stdout.contains("load-fault"), "{importer}: {counted}: {ran:?}");
        let up = folder.path("up");
        check(&folder, &format!("dataset import {importer} {} --out out", up.display()), 3, &[&first.message]);
    }
}

#[test]
fn rows_at_fault_are_told_with_their_lines() {
    let folder = folder(DAMAGED[1].files);
    let read = find("table").unwrap().read_with(&folder.path("up"), &Options::default(), Loading::KEEP_GOING).unwrap();
    let lines: Vec<Option<usize>> = read.dropped().faults.iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 4, 7].map(Some));
}

#[test]
fn a_run_keeps_going_without_the_faulty_pages_of_an_importer() {
    let folder = folder(DAMAGED[1].files);
    check(&folder, "run --dataset table:up --algorithm all-text", 3, &["up/a.jsonl:2: is no row of a table"]);
    let ran = check(&folder, "run --dataset table:up --algorithm all-text --keep-going --out r", 0, &["6 pages"]);
    assert!(ran.stderr.contains("left out for faults of the dataset"), "{ran:?}");
}

#[test]
fn what_stands_before_the_damage_of_a_table_is_kept_and_the_rest_is_told() {
    // The rows before the damage are longer than what is read at once.
    let rows: String = (0..9000).map(|number| format!("{number},\"<p>x\"\r\n")).collect();
    for damage in ["cut,\"<p>", "torn,\"x\"y\r\nlost,x\r\n"] {
        let folder = Folder::new().with("t.csv", format!("id,html\r\n{rows}{damage}"));
        let read = |loading| find("table").unwrap().read_with(&folder.path("t.csv"), &Options::default(), loading);
        let first = read(Loading::default()).unwrap_err();
        assert_eq!((first.code.name(), first.line), ("E-UPSTREAM", Some(9002)));
        let left = read(Loading::KEEP_GOING).unwrap();
        assert_eq!(left.records.len(), 9000);
        // Each row can be read again, those before the damage too.
        assert_eq!(left.records.get(8999).unwrap().id, "8999");
        let ran = folder.carat("dataset check table:t.csv");
        assert!(ran.stdout.contains("from line 9002 is left out"), "{}", ran.stdout);
    }
}

#[test]
fn faults_that_leave_no_page_out_are_findings() {
    let cases: [(&str, Files, &str); 2] = [
        (
            "folder",
            &[("a.html", "<p>a"), ("gold/a.txt", "a"), ("gold/b.txt", "b")],
            "gold/b.txt is the gold of no page",
        ),
        (
            "l3s-gn1",
            &[
                ("original/a.html", "<p>one"),
                ("annotated/a.html", "<p class=x-nc-sel2>one"),
                ("url-mapping.txt", "a\tb\n"),
            ],
            "url-mapping.txt:1: expected <urn:uuid:ID>",
        ),
    ];
    for (importer, files, says) in cases {
        let folder = folder(files);
        let ran = folder.carat(&format!("dataset check {importer}:up"));
        assert!(ran.code == 1 && ran.stdout.contains(says), "{importer}: {ran:?}");
        let read =
            find(importer).unwrap().read_with(&folder.path("up"), &Options::default(), Loading::KEEP_GOING).unwrap();
        assert_eq!((read.records.len(), read.dropped().pages), (1, 0));
        check(&folder, &format!("run --dataset {importer}:up --algorithm all-text"), 3, &[says]);
    }
}

#[cfg(unix)]
#[test]
fn pages_that_lead_out_of_the_folder_are_left_out() {
    let cases: [(&str, Files, &str); 4] = [
        ("cleaneval", &[("input/a.html", ""), ("GoldStandard/a.txt", "")], "GoldStandard/b.txt"),
        ("dragnet", &[("HTML/a.html", ""), ("Corrected/a.html.corrected.txt", "")], "HTML/b.html"),
        (
            "chinese-handcrafted",
            &[("original/a.html", ""), ("cleaned/a", ""), ("author/a", ""), ("date/a", "")],
            "original/b.html",
        ),
        ("gne", &[("tests/a.html", "")], "tests/b.html"),
    ];
    for (importer, files, link) in cases {
        let folder = folder(files).with("elsewhere", "<p>x");
        if link.starts_with("Gold") {
            std::fs::write(folder.path("up/input/b.html"), "").unwrap();
        }
        std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("up").join(Path::new(link))).unwrap();
        let read =
            find(importer).unwrap().read_with(&folder.path("up"), &Options::default(), Loading::KEEP_GOING).unwrap();
        let fault = read.dropped().faults.first().unwrap_or_else(|| panic!("{importer}"));
        assert_eq!((read.records.len(), fault.code.name()), (1, "E-PATH"), "{importer}: {fault}");
    }
}

#[test]
fn notes_of_an_imported_copy_are_told_by_its_runs() {
    let (_, files) = UPSTREAMS.iter().find(|(importer, _)| *importer == "daniel").unwrap();
    let folder = folder(files);
    check(&folder, "dataset import daniel up --out copy", 0, &[]);
    let told = |dataset: &str, out: &str| {
        check(&folder, &format!("run --dataset {dataset} --algorithm all-text --out {out}"), 0, &[]);
        folder.json(&format!("{out}/run.json"))["notes"].clone()
    };
    let direct = told("daniel:up", "a");
    assert_eq!(direct, told("./copy", "b"));
    assert!(direct.to_string().contains("there is no page html/20120112_gone.org_ff"), "{direct}");
}

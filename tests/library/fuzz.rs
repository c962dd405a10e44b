//! Random input against readers of what people and strangers write: bytes, pages, algorithms, LCS,
//! configurations, manifests with page lists, and stored outputs. Nothing may panic, and what must hold is checked.
//!
//! As a test each target takes a second or two. `CARAT_FUZZ_SECONDS=600 cargo test --release --test library fuzz`
//! keeps each going that long, always on other input; what fails is shrunk, printed, and kept in
//! `tests/fuzz.proptest-regressions`, which is tried first.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use carat::algorithms::algorithm::{Choice, Sample, Setting};
use carat::algorithms::group::Target;
use carat::algorithms::parameters::{Parameter, ParameterKind, Values};
use carat::algorithms::{ALGORITHMS, Entry};
use carat::datasets::Dataset;
use carat::datasets::import::Options;
use carat::datasets::import::write::{Layout, write};
use carat::datasets::load::{Loading, load_folder};
use carat::datasets::locate::{EMBEDDED, locate};
use carat::datasets::stored::Stored;
use carat::page::charset::decode;
use carat::page::parse::parse;
use carat::page::render::render;
use carat::page::selection::Selection;
use carat::page::tree::{NodeId, Tree};
use carat::page::{Context, Page};
use carat::runs::configuration::Configuration;
use carat::text::lcs::Reference;
use carat::text::tokens::{Case, TokenKind, Tokenizer};
use carat::text::words::Segmenter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

/// Tries `property` on inputs of `strategy`: a few as a test, and as long as `CARAT_FUZZ_SECONDS` says.
fn fuzz<S: Strategy>(strategy: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let seconds = std::env::var("CARAT_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let (start, mut tried) = (Instant::now(), 0u64);
    let persistence = FileFailurePersistence::Direct("tests/fuzz.proptest-regressions");
    loop {
        let config = Config {
            cases: 64,
            source_file: Some(file!()),
            failure_persistence: Some(Box::new(persistence)),
            ..Config::default()
        };
        TestRunner::new(config.clone()).run(&strategy, &property).unwrap_or_else(|error| panic!("{error}"));
        tried += u64::from(config.cases);
        if start.elapsed() >= Duration::from_secs(seconds) {
            eprintln!("{tried} inputs in {} s", start.elapsed().as_secs());
            return;
        }
    }
}

/// What pages are made of, good and bad.
const FRAGMENTS: &[&str] = &[
    "<p>",
    "</p>",
    "<div class=a>",
    "</div>",
    "<a href=x>",
    "</a>",
    "<b>",
    "</b>",
    "<i>",
    "<font color=red>",
    "<nobr>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<caption>",
    "<colgroup>",
    "<tbody>",
    "<ul>",
    "<li>",
    "</ul>",
    "<dl><dt>",
    "<dd>",
    "<form>",
    "</form>",
    "<select>",
    "<option>",
    "</select>",
    "<textarea>",
    "</textarea>",
    "<button>",
    "<input type=hidden>",
    "<script>if (a<b) {",
    "</script>",
    "<style>p{}",
    "</style>",
    "<noscript>",
    "</noscript>",
    "<title>",
    "</title>",
    "<template>",
    "</template>",
    "<svg><title>",
    "</svg>",
    "<math><mi>",
    "</math>",
    "<foreignObject>",
    "<iframe>",
    "</iframe>",
    "<frameset>",
    "<frame>",
    "<noframes>",
    "<plaintext>",
    "<xmp>",
    "<pre>\n",
    "<br>",
    "<hr/>",
    "<img alt='x'>",
    "<h1>",
    "</h2>",
    "<body onload=x>",
    "</body>",
    "<html lang=zh>",
    "</html>",
    "<head>",
    "</head>",
    "<!DOCTYPE html>",
    "<!DOCTYPE x PUBLIC '-//W3C//DTD HTML 3.2//EN'>",
    "<meta charset=gb2312>",
    "<meta http-equiv=content-type content='text/html; charset=big5'>",
    "<!--",
    "-->",
    "<!-->",
    "<![CDATA[",
    "]]>",
    "<?xml ?>",
    "&amp;",
    "&#0;",
    "&#x110000;",
    "&nbsp",
    "&lt;p&gt;",
    "&notit;",
    "<",
    ">",
    "\"",
    "'",
    "=",
    "/",
    "\u{0}",
    "\u{feff}",
    "\u{3000}",
    "\u{a0}",
    "\u{202e}",
    "text ",
    "a the of and is, to in. ",
    "新闻的正文，在这里。",
    "記者在會上說：",
    "e\u{301}",
    "ﬁ",
    "𠀀",
    "👩‍👩‍👧",
    " ",
    "\n",
    "\t",
    "\r\n",
    "<ruby>漢<rt>kan",
    "<article>",
    "</article>",
    "<main role=main>",
    "<nav>",
    "<footer>",
    "<aside hidden>",
    "<div style='display:none'>",
    "<center>",
    "<marquee>",
    "<applet>",
];

static PAGES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let dataset = locate(EMBEDDED).unwrap();
    dataset.records.iter().map(|record| dataset.page_bytes(&record.unwrap()).unwrap()).collect()
});

/// Pages of the embedded dataset, cut up and put together wrongly.
fn damaged_page() -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<Index>(), any::<Index>(), prop_oneof![vec(any::<u8>(), 0..8), fragments(8)]);
    (any::<Index>(), vec(edit, 0..6)).prop_map(|(page, edits)| {
        let mut bytes = PAGES[page.index(PAGES.len())].clone();
        for (from, to, new) in edits {
            let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 400));
            bytes.splice(from..to, new);
        }
        bytes
    })
}

fn fragments(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(select(FRAGMENTS), 0..most).prop_map(|fragments| fragments.concat().into_bytes())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        2 => vec(any::<u8>(), 0..600),
        6 => fragments(200),
        2 => damaged_page(),
        1 => (select(FRAGMENTS), 1usize..3000).prop_map(|(fragment, times)| fragment.repeat(times).into_bytes()),
        1 => fragments(100).prop_map(|bytes| {
            let text = String::from_utf8(bytes).unwrap();
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }),
    ]
}

fn characters() -> impl Strategy<Value = String> {
    bytes().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn decoding_takes_any_bytes() {
    const LABELS: [&str; 8] =
        ["utf-8", "gbk", "big5", "utf-16be", "iso-2022-jp", "windows-1252", "euc-kr", "x-user-defined"];
    fuzz((bytes(), proptest::option::of(select(&LABELS[..]))), |(bytes, label)| {
        let decoded = decode(&bytes, label.and_then(carat::page::charset::for_label));
        let replacements = decoded.text.matches('\u{fffd}').count();
        prop_assert!(decoded.replaced <= replacements);
        prop_assert_eq!(decode(&bytes, label.and_then(carat::page::charset::for_label)).text, decoded.text);
        if std::str::from_utf8(&bytes).is_ok() && label == Some("utf-8") && !bytes.starts_with(b"\xef\xbb\xbf") {
            prop_assert_eq!(decode(&bytes, carat::page::charset::for_label("utf-8")).text.into_bytes(), bytes);
        }
        Ok(())
    });
}

/// What every tree must be: parents before their children, subtrees within one another, a depth that the cap allows.
fn check_tree(tree: &Tree) -> Result<(), TestCaseError> {
    for id in tree.ids().skip(1) {
        let parent = tree.parent(id).unwrap();
        prop_assert!(parent < id && tree.end(id) <= tree.end(parent) && id < tree.end(id));
        prop_assert!(!tree.is_text(parent));
        if tree.is_text(id) {
            prop_assert_eq!(tree.end(id).0, id.0 + 1);
            prop_assert!(!tree.text(id).is_empty());
        }
    }
    Ok(())
}

#[test]
fn parsing_makes_a_tree_of_any_characters() {
    fuzz(characters(), |characters| {
        let Ok(parsed) = parse(&characters) else { return Ok(()) };
        check_tree(&parsed.tree)?;
        let again = parse(&characters).unwrap().tree;
        prop_assert_eq!(again.len(), parsed.tree.len());
        Ok(())
    });
}

#[test]
fn rendering_keeps_every_character_of_a_selection() {
    fuzz((characters(), vec(any::<Index>(), 0..20)), |(characters, chosen)| {
        let Ok(parsed) = parse(&characters) else { return Ok(()) };
        let tree = &parsed.tree;
        let texts: Vec<NodeId> = tree.ids().filter(|&id| tree.is_text(id)).collect();
        let chosen: Vec<NodeId> =
            if texts.is_empty() { Vec::new() } else { chosen.iter().map(|i| texts[i.index(texts.len())]).collect() };
        for selection in [Selection::new(texts.clone()), Selection::new(chosen)] {
            prop_assert!(selection.fits(tree));
            let rendered = render(tree, &selection);
            let without_space =
                |text: &str| text.chars().filter(|&c| !carat::text::is_white_space(c)).collect::<String>();
            let selected: String = selection.nodes().iter().map(|&id| tree.text(id)).collect();
            prop_assert_eq!(without_space(&rendered), without_space(&selected));
            prop_assert!(rendered.lines().all(|line| !line.is_empty() && line == line.trim()), "{:?}", rendered);
        }
        Ok(())
    });
}

/// A value of a parameter, picked by `pick`.
fn value(parameter: &Parameter, pick: &Index) -> serde_json::Value {
    let texts: Vec<String> = match &parameter.values {
        ParameterKind::Decimal { .. } => {
            ["0", "0.1", "0.25", "0.5", "0.75", "0.9", "1", "2", "7"].map(str::to_owned).into()
        }
        ParameterKind::Boolean => ["true", "false"].map(str::to_owned).into(),
        ParameterKind::Choice { words } | ParameterKind::List { words } => words.clone(),
    };
    let fitting: Vec<_> = texts.iter().filter_map(|text| parameter.values.read(text).ok()).collect();
    if fitting.is_empty() { parameter.default.clone() } else { fitting[pick.index(fitting.len())].clone() }
}

fn check_choice(page: &Page, choice: &Choice) -> Result<(), TestCaseError> {
    if let Choice::Selection(selection) = choice {
        prop_assert!(selection.fits(&page.tree));
    }
    choice.text(page);
    Ok(())
}

/// What an exact sweep samples on a page that is beside itself.
fn samples(entry: &Entry, page: &Arc<Page>, setting: &Setting, swept: &str) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut take = |sample| {
        samples.push(sample);
        Ok(())
    };
    match entry {
        Entry::Page(algorithm) => algorithm.sweep(page, setting, swept, &mut take).unwrap(),
        Entry::Group(algorithm) => {
            let pages = [page.clone(), page.clone()];
            let learned = algorithm.learn(&pages.as_slice(), setting).unwrap();
            let target = Target { page, index: 0, pages: &pages.as_slice() };
            // Break points that are no ratio of 64 bits are refused.
            algorithm.sweep(&learned, target, (setting, swept), &mut take).unwrap_or_default()
        }
    }
    samples
}

#[test]
fn every_algorithm_takes_any_page() {
    let language = select(&["zh", "en", "de", ""][..]);
    fuzz((bytes(), language, vec(any::<Index>(), 16)), |(bytes, language, picks)| {
        let context = Context { language: Some(language.to_owned()), ..Context::default() };
        let Ok(page) = Page::new(&bytes, context) else { return Ok(()) };
        let page = Arc::new(page);
        for entry in ALGORITHMS {
            let parameters = entry.parameters();
            let values: Values =
                parameters.iter().zip(picks.iter().cycle()).map(|(p, pick)| (p.name.clone(), value(p, pick))).collect();
            for values in [Values::new(), values] {
                // With learned scores it is a row of a run, and chooses on no page by itself.
                let is_row = values.get("scores").is_some_and(|scores| scores == "learned");
                let Some(setting) = entry.setting(&values).ok().filter(|_| !is_row) else { continue };
                let choice = entry.choose(&[page.clone(), page.clone()], &setting);
                check_choice(&page, &choice)?;
                prop_assert!(entry.choose(&[page.clone(), page.clone()], &setting) == choice);
                for swept in entry.declaration().swept.iter().filter(|swept| swept.exact) {
                    for sample in samples(entry, &page, &setting, swept.parameter) {
                        check_choice(&page, &sample.choice)?;
                    }
                }
            }
        }
        Ok(())
    });
}

#[test]
fn the_lcs_of_any_texts_is_the_peers() {
    let kind = select(&[TokenKind::Char, TokenKind::Word, TokenKind::W][..]);
    let case = select(&[Case::Keep, Case::Fold][..]);
    fuzz((characters(), characters(), kind, case), |(one, other, kind, case)| {
        let segmenter = Segmenter::default();
        let mut tokenizer = Tokenizer::new(kind, case, &segmenter);
        let (one, other) = (tokenizer.tokens(&one), tokenizer.tokens(&other));
        let expected = rapidfuzz::distance::lcs_seq::similarity(one.iter().copied(), other.iter().copied());
        prop_assert_eq!(Reference::new(&one).lcs(&other), expected);
        prop_assert_eq!(Reference::new(&one).lcs(&one), one.len());
        Ok(())
    });
}

/// A text that is nearly `seed`: pieces of it doubled, dropped or replaced.
fn nearly(seeds: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        select(
            &[
                "", " ", "\n", ":", "[", "]", "{", "}", ",", "|", "..", "/", "-", "'", "\"", "*a", "&a", "null", "~",
                "0", "1e9", "9999999999999999999", "\t", "#", "中", "\u{0}", "!!", "%", "?"
            ][..]
        )
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    let edit = (any::<Index>(), any::<Index>(), piece);
    (select(seeds), vec(edit, 0..5)).prop_map(|(seed, edits)| {
        let mut characters: Vec<char> = seed.chars().collect();
        for (from, to, new) in edits {
            let (from, to) = (from.index(characters.len() + 1), to.index(characters.len() + 1));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 12));
            characters.splice(from..to, new.chars());
        }
        characters.into_iter().collect()
    })
}

const CONFIGURATIONS: &[&str] = &[
    include_str!("../../configs/default.yaml"),
    include_str!("../../configs/figures-core.yaml"),
    "name: x\ndatasets: [portals, ./a]\nwhere: {language: zh}\nsplit: test\nwithout_faults: [no_text]\ntokens: word\ncase: fold\nmeasure: bag\n\
     algorithms:\n  - nta: {coherence: 0.6..1.0/0.05, density: [0.30, 0.5]}\n  - cevc: {lists: [zh, en]}\n  - 'cevc:alpha=exact'\nstored: [all]\n",
];

#[test]
fn configurations_are_read_or_refused_in_one_sentence() {
    fuzz(nearly(CONFIGURATIONS), |text| {
        match Configuration::from_yaml("c.yaml", &text) {
            Ok(configuration) => {
                let written = configuration.to_yaml();
                let again = Configuration::from_yaml("c.yaml", &written);
                prop_assert!(again.is_ok(), "{}\n{:?}", written, again.err());
                prop_assert_eq!(again.unwrap().to_yaml(), written);
            }
            Err(error) => prop_assert!(error.to_string().starts_with("c.yaml:"), "{}", error),
        }
        Ok(())
    });
}

const LISTS: &[&str] = &[
    "{\"id\":\"a\",\"html\":{\"text\":\"<p>a\"},\"gold\":{\"text\":\"a\"},\"language\":\"zh\",\"site\":\"s\",\"kind\":\"blog\"}\n{\"id\":\"b\",\"html\":\"a.html\"}\n",
    "{\"id\":\"a\",\"html\":{\"path\":\"a.html\",\"bytes\":4},\"gold\":{\"select\":{\"include\":[\"p\"],\"exclude\":[\".x > a\"]}},\"faults\":[\"no_text\"]}\n",
];

const MANIFESTS: &[&str] = &[
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\ncounts: {pages: 2}\n\
     defaults: {language: zh}\nsite_rule: host\ngold: {nature: human, includes: [title]}\nannotations: {elements: [i], unwrap: ['b.x']}\n",
];

#[test]
fn manifests_and_page_lists_are_read_or_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.html"), "<p>a").unwrap();
    fuzz((nearly(MANIFESTS), nearly(LISTS)), |(manifest, list)| {
        std::fs::write(folder.path().join("dataset.yaml"), manifest).unwrap();
        std::fs::write(folder.path().join("pages.jsonl"), list).unwrap();
        match load_folder(folder.path()) {
            Ok(dataset) => dataset.records.iter().for_each(|record| drop(dataset.open(&record.unwrap()))),
            Err(error) => {
                prop_assert!(error.code.name().starts_with("E-") && !error.to_string().contains('\n'), "{}", error)
            }
        }
        Ok(())
    });
}

const STORED: &[&str] = &[
    "{\"system\":\"x\",\"version\":\"1\",\"date\":null,\"settings\":{\"a\":1}}\n{\"id\":\"a\",\"text\":\"b\"}\n{\"id\":\"c\",\"error\":\"d\"}\n",
    "{\"version\":\"1\",\"output\":{\"a\":{\"articleBody\":\"b\"},\"c\":{\"articleBody\":null,\"url\":\"d\"}}}",
    "{\"a\":{\"articleBody\":\"b\\ud800\"},\"c\":{}}",
    "{\"id\":\"a\",\"x_content\":\"# b\",\"x_success\":true}\n{\"track_id\":\"c\",\"x_content\":null,\"x_success\":false}\n",
];

#[test]
fn stored_outputs_are_read_or_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    fuzz((nearly(STORED), any::<bool>()), |(text, is_list)| {
        let path = folder.path().join(if is_list { "x.jsonl" } else { "x.json" });
        std::fs::write(&path, text).unwrap();
        match Stored::read_all(&path) {
            Ok(systems) => {
                for stored in systems {
                    prop_assert!(!stored.system.is_empty() && !stored.system.contains(char::is_control));
                    let reasons = stored.ids().filter_map(|id| stored.text(id)?.err());
                    prop_assert!(reasons.into_iter().all(|reason| !reason.contains(char::is_control)));
                }
            }
            Err(error) => {
                prop_assert!(error.code.name().starts_with("E-") && !error.to_string().contains('\n'), "{}", error)
            }
        }
        Ok(())
    });
}

/// The files of upstreams that importers parse, one an importer.
const UPSTREAMS: &[(&str, &str, &str)] = &[
    ("daniel", "doc_lg.json", r#"{"20120112_a.org_ff": "English", "b": "Chinese"}"#),
    (
        "wcxb",
        "dev/ground-truth/a.json",
        r#"{"url": "https://a.org/", "ground_truth": {"title": null, "main_content": "one", "with": ["o"], "without": []}}"#,
    ),
    (
        "mozilla-readability",
        "a/expected-metadata.json",
        r#"{"title": "one", "lang": "en", "publishedTime": "2024-01-02", "readerable": true}"#,
    ),
    ("magic-html", "article/base.json", r#"{"a": {"url": "https://a.org/", "content": "one", "remark": "x"}}"#),
    (
        "trafilatura-eval",
        "evaldata.json",
        r#"{"https://a.org/": {"file": "a.html", "with": ["one"], "without": [], "date": "2020-01-02"}}"#,
    ),
    ("l3s-gn1", "url-mapping.txt", "<urn:uuid:a>\thttps://a.org/\n<urn:uuid:b>\thttps://b.org/\n"),
    ("dragnet", "Corrected/a.html.corrected.txt", "one\n\n!@#$%^&*()  COMMENTS\n\ntwo"),
    (
        "wceb-combined",
        "truth/cetd.jsonl",
        "{\"page_id\": \"a\", \"plaintext\": \"one\", \"source\": [\"cetd\", \"1\"]}\n",
    ),
    (
        "webmainbench",
        "rows.jsonl",
        r#"{"track_id": "a", "html": "<p cc-select='true'>one", "meta": {"language": "zh", "style": "Article"}}"#,
    ),
    (
        "dragnet2020",
        "meta/a.toml",
        "url = \"https://a.org/\\u00e9\"\ndt_published = 2020-05-21\ntext = '''\none\n'''\n",
    ),
    (
        "table",
        "crawl=x/rows.jsonl",
        "{\"id\": 1, \"html\": \"<p>one\", \"url\": \"https://a.org/\", \"date\": \"2020-01-02\", \"meta\": {\"language\": \"zh\"}}\n",
    ),
    (
        "warc",
        "a.warc",
        concat!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:a>\r\n",
            "WARC-Target-URI: https://a.org/\r\nContent-Type: application/http; msgtype=response\r\n",
            "WARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: 65\r\n\r\nHTTP/1.1 200 OK\r\n",
            "Content-Type: text/html; charset=utf-8\r\n\r\n<p>one\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n",
            "WARC-Record-ID: <urn:uuid:b>\r\nWARC-Target-URI: https://a.org/b\r\n",
            "Content-Type: application/http; msgtype=response\r\nContent-Length: 108\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n",
            "Content-Encoding: br\r\n\r\n4\r\n<p>x\r\n0\r\n\r\n\r\n\r\n",
        ),
    ),
    ("table", "rows.csv", "id,html,lang\r\n1,\"<p>one,\n\"\"two\"\"\",zh\r\n2,x,\r\n"),
    ("clean-portal-eval", "GoldStandard/a.txt", "\nURL: http://a.org/\n<h>It&#8217;s\n<p>one\n <l>two"),
];

/// The pages that stand beside those files.
const UPSTREAM_PAGES: &[&str] = &[
    "html/20120112_a.org_ff",
    "reference/20120112_a.org_ff",
    "metadata.json",
    "dev/html/a.html",
    "a/source.html",
    "a/expected.html",
    "article/htmls/a.html",
    "cache/a.html",
    "original/a.html",
    "annotated/a.html",
    "HTML/a.html",
    "html/cetd/a.html",
    "html/a.html",
    "input/a.html",
];

fn digest(dataset: &Dataset) -> String {
    dataset.digest(|record| dataset.digests(record)).unwrap()
}

/// Holds the imported copy against what was read, if there is any page and each can be read.
fn reads_back_the_same(dataset: &Dataset) -> Result<(), TestCaseError> {
    let copy = tempfile::tempdir().unwrap();
    if dataset.records.is_empty() || write(dataset, copy.path(), Layout::OneList("pages.jsonl")).is_err() {
        return Ok(());
    }
    let imported = load_folder(copy.path()).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!((digest(&imported), &imported.notes), (digest(dataset), &dataset.notes));
    Ok(())
}

#[test]
fn upstreams_are_imported_or_refused_in_one_sentence() {
    for (importer, file, text) in UPSTREAMS {
        let folder = tempfile::tempdir().unwrap();
        for path in UPSTREAM_PAGES.iter().copied().chain([*file]) {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, if *importer == "wcxb" { r#"{"files": {}}"# } else { "<p>one" }).unwrap();
        }
        let importer = carat::datasets::import::find(importer).unwrap();
        fuzz(nearly(std::slice::from_ref(text)), |text| {
            std::fs::write(folder.path().join(file), text).unwrap();
            let read = |loading| importer.read_with(folder.path(), &Options::default(), loading);
            let kept_going = read(Loading::KEEP_GOING);
            match read(Loading::default()) {
                Ok(dataset) => {
                    dataset.records.iter().for_each(|record| drop(dataset.open(&record.unwrap())));
                    reads_back_the_same(&dataset)?;
                    prop_assert_eq!(digest(&kept_going.unwrap()), digest(&dataset));
                }
                Err(error) => {
                    prop_assert!(error.code.name().starts_with("E-") && !error.to_string().contains('\n'), "{}", error);
                    if let Ok(left) = kept_going {
                        prop_assert!(left.dropped().listed().next().is_some(), "{} and nothing is left out", error);
                        reads_back_the_same(&left)?;
                    }
                }
            }
            Ok(())
        });
    }
}

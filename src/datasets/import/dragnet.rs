//! `dragnet`: the pages of Peters and Lecocq (2013), read in seomoz/dragnet_data, with gold in two parts.

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use super::upstream::{encoding_unstated, read_file, read_lines, read_page};
use super::{Importer, OptionHelp, Options, Told, dataset, expect_layout, third_party};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::{Dataset, DatasetError, Readings, file_names, shown};
use crate::page::charset;

/// The importer `dragnet`.
pub static IMPORTER: Importer = Importer {
    name: "dragnet",
    title: "dragnet_data of 2012, your own copy: HTML/, Corrected/, training.txt, test.txt",
    layout: &[],
    options: &[COMMENTS],
    read,
};

/// The option that says whether comments are gold.
pub(super) const COMMENTS: OptionHelp =
    OptionHelp { name: "comments", help: "exclude | include: comments behind the article are gold [default: exclude]" };

/// Where the comments of a gold begin.
static MARK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\r\n]*!@#\$%\^&\*\(\)\s+COMMENTS[\r\n]*").expect("the pattern is constant"));

/// The article and the comments of a gold.
pub(super) fn parts(gold: &str) -> (&str, Option<&str>) {
    match MARK.find(gold) {
        Some(mark) => (&gold[..mark.start()], Some(&gold[mark.end()..])),
        None => (gold, None),
    }
}

/// The article of a gold.
pub(super) fn article(gold: &str) -> String {
    parts(gold).0.to_owned()
}

/// The article and the comments.
pub(super) fn with_comments(gold: &str) -> String {
    let (article, comments) = parts(gold);
    [article, comments.unwrap_or_default()].join("\n")
}

/// What the option `comments` asks for.
pub(super) fn reading(source: &Path, options: &Options) -> Result<fn(&str) -> String, DatasetError> {
    match options.0.get("comments").map_or("exclude", String::as_str) {
        "exclude" => Ok(article),
        "include" => Ok(with_comments),
        other => {
            let message = format!("comments: expected exclude or include, not `{other}`");
            Err(DatasetError::new(Code::Option, shown(source), message))
        }
    }
}

/// Where a page is named.
struct Listed {
    split: &'static str,
    list: &'static str,
    line: usize,
    has_page: bool,
}

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let gold = reading(source, options)?;
    expect_layout(source, &["HTML", "Corrected"])?;
    let mut splits: BTreeMap<String, Listed> = BTreeMap::new();
    for (split, list) in [("train", "training.txt"), ("test", "test.txt")] {
        if !source.join(list).exists() {
            told.note(format!("{list}: missing, its pages have no split"));
            continue;
        }
        read_lines(source, list, |line, root| {
            let root = root?;
            match splits.get(root) {
                Some(first) if first.split != split => {
                    told.note(format!("{list}:{line}: `{root}` stays in {}, which names it too (W-SPLIT)", first.list));
                }
                Some(_) => {}
                None => drop(splits.insert(root.to_owned(), Listed { split, list, line, has_page: false })),
            }
            Ok(())
        })?;
    }
    let mut golds: BTreeSet<String> = file_names(&source.join("Corrected"))?.into_iter().collect();
    let mut records = Vec::new();
    for name in file_names(&source.join("HTML"))? {
        let Some(stem) = name.strip_suffix(".html") else {
            told.note(format!("HTML/{name}: skipped, its name does not end in .html"));
            continue;
        };
        let gold = format!("{stem}.html.corrected.txt");
        let has_gold = golds.remove(&gold);
        if !has_gold {
            told.note(format!("HTML/{name}: kept without gold, Corrected/{gold} is missing"));
        }
        let listed = splits.get_mut(stem);
        let split = listed.map(|listed| {
            listed.has_page = true;
            listed.split
        });
        let read = record(source, stem, has_gold, split);
        records.extend(told.page(&encode_id(stem), read)?);
    }
    for (root, Listed { list, line, .. }) in splits.iter().filter(|(_, listed)| !listed.has_page) {
        told.note(format!("{list}:{line}: `{root}` names no page"));
    }
    for name in &golds {
        told.gold_without_page(format!("Corrected/{name}: dropped, there is no page of that name"));
    }
    records.sort_by(|one, other| one.id.cmp(&other.id));
    dataset(source, manifest(), records, Readings { gold, ..Readings::default() }, told)
}

fn record(source: &Path, stem: &str, has_gold: bool, split: Option<&str>) -> Result<Record, DatasetError> {
    let html = format!("HTML/{stem}.html");
    let encoding = encoding_unstated(&read_page(source, &html)?, "windows-1252");
    let mut details = Details { split: split.map(str::to_owned), ..Details::default() };
    let mut gold = None;
    if has_gold {
        let path = format!("Corrected/{stem}.html.corrected.txt");
        let bytes = read_file(source, &path)?;
        // UTF-16 only where a mark says so; without one, a guess turns some golds into nonsense.
        let (text, label) = match charset::decode_strictly(&bytes, encoding_rs::UTF_8) {
            Some(text) => (text, None),
            None => (charset::decode(&bytes, charset::for_label("windows-1252")).text, Some("windows-1252".to_owned())),
        };
        if let (_, Some(comments)) = parts(&text) {
            details.extra = Some(Box::new(json!({"comments": comments})));
        }
        gold = Some(GoldSource::of_file(path, label));
    }
    let id = encode_id(stem);
    Ok(Record {
        html: HtmlSource::Path(html),
        gold,
        site: Some(id.clone()),
        language: Some("en".to_owned()),
        encoding,
        kind: None,
        id,
        details: details.boxed(),
    })
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "dragnet".to_owned(),
        version: "95559bee".to_owned(),
        title: "dragnet_data of 2012".to_owned(),
        description: "Gold is the article, without the comments that stand behind a mark unless they were asked for."
            .to_owned(),
        licence: third_party("AGPL-3.0-only", "unknown"),
        source: Some(json!({"repository": "seomoz/dragnet_data"})),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("human".to_owned()),
            includes: vec!["lists".to_owned()],
            verbatim: Some(true),
            ordered: Some(true),
            ..GoldNature::default()
        },
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::{folder, options, rows};

    #[test]
    fn golds_of_any_encoding_end_before_the_comments() {
        let utf16: Vec<u8> = "\u{FEFF}four".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let files: &[(&str, &[u8])] = &[
            ("HTML/R1.html", b"<p>it\x92s"),
            ("HTML/T2.html", "<meta charset=gbk><p>é".as_bytes()),
            ("HTML/3.html", b"<meta charset=koi8-r><p>\xC1"),
            ("HTML/4.html", b"<p>x"),
            ("HTML/5.html", b"<p>x"),
            (
                "Corrected/R1.html.corrected.txt",
                b"it\x92s\r\n\r\n!@#$%^&*()  COMMENTS\r\n\r\nnice\n!@#$%^&*() COMMENTS",
            ),
            ("Corrected/T2.html.corrected.txt", "\u{FEFF}é\n".as_bytes()),
            ("Corrected/3.html.corrected.txt", b"ab"),
            ("Corrected/4.html.corrected.txt", &utf16),
            ("Corrected/9.html.corrected.txt", b""),
            ("training.txt", b"R1\r\n3\n"),
            ("test.txt", b"T2\n\n3\nT77\n"),
        ];
        let folder = folder(files);
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let golds: Vec<_> = rows(&dataset).into_iter().map(|(id, _, gold)| (id, gold)).collect();
        let expected =
            [("3", Some("ab")), ("4", Some("four")), ("5", None), ("R1", Some("it\u{2019}s")), ("T2", Some("é"))];
        assert_eq!(golds, expected.map(|(id, gold)| (id.to_owned(), gold.map(str::to_owned))));
        let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
        let splits: Vec<_> = records.iter().map(|record| record.details().split.as_deref()).collect();
        assert_eq!(splits, [Some("train"), None, None, Some("train"), Some("test")]);
        let encodings: Vec<_> =
            records.iter().map(|record| dataset.open(record).unwrap().page.facts.encoding.clone()).collect();
        assert_eq!(encodings, ["KOI8-R", "UTF-8", "UTF-8", "windows-1252", "UTF-8"]);
        // In both lists, without page; a page without gold, a gold without page.
        assert_eq!(dataset.notes.len(), 4, "{:?}", dataset.notes);
        assert!(dataset.notes[0].text().starts_with("test.txt:3: `3` stays in training.txt"), "{:?}", dataset.notes);
        assert!(dataset.notes.iter().any(|note| note.text().starts_with("test.txt:4: `T77`")), "{:?}", dataset.notes);
        let joined = IMPORTER.read(folder.path(), &options(&[("comments", "include")])).unwrap();
        assert_eq!(rows(&joined)[3].2.as_deref(), Some("it\u{2019}s\nnice\n!@#$%^&*() COMMENTS"));
        assert_eq!(IMPORTER.read(folder.path(), &options(&[("comments", "x")])).unwrap_err().code, Code::Option);
        std::fs::write(folder.path().join("test.txt"), b"T2\n\xFF").unwrap();
        let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
        assert_eq!((error.code, error.line), (Code::Upstream, Some(2)));
    }
}

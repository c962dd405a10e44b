//! `magic-html`: article and forum pages with their text (opendatalab/magic-html).

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::upstream::{at_line_with, read_json};
use super::{Importer, Options, Told, dataset, expect_layout, third_party};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::{Dataset, DatasetError, Readings, file_names, shown};
use crate::formats::json::UniqueKeys;
use crate::text::is_blank;

/// The importer `magic-html`.
pub static IMPORTER: Importer = Importer {
    name: "magic-html",
    title: "magic-html of opendatalab, its repository or benchmark/data/: article/ and forum/ with base.json, htmls/",
    layout: &["benchmark/data/article/base.json"],
    options: &[],
    read,
};

/// The folders, each a kind of page.
const KINDS: [&str; 2] = ["article", "forum"];

/// What upstream remarks of a page that lists others.
const LISTING: &str = "列表页";

/// A page of `base.json`.
#[derive(Deserialize)]
struct Entry {
    url: Option<String>,
    content: Option<String>,
    remark: Option<String>,
    #[serde(flatten)]
    rest: Map<String, Json>,
}

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let has_kinds = |folder: &PathBuf| KINDS.iter().any(|kind| folder.join(kind).join("base.json").exists());
    let Some(source) = ["benchmark/data", "data", ""].map(|folder| source.join(folder)).into_iter().find(has_kinds)
    else {
        let message = "expected article/base.json or forum/base.json, here or in benchmark/data/";
        return Err(DatasetError::new(Code::Upstream, shown(source), message));
    };
    let mut records = Vec::new();
    let mut kinds_of = BTreeMap::new();
    for kind in KINDS.into_iter().filter(|kind| source.join(kind).is_dir()) {
        expect_layout(&source.join(kind), &["base.json", "htmls"])?;
        let UniqueKeys::<Entry>(entries) = read_json(&source, &format!("{kind}/base.json"), "object of pages by id")?;
        let mut entries: BTreeMap<String, Entry> = entries.into_iter().collect();
        for name in file_names(&source.join(kind).join("htmls"))? {
            let Some(stem) = name.strip_suffix(".html") else {
                told.note(format!("{kind}/htmls/{name}: skipped, its name does not end in .html"));
                continue;
            };
            if let Some(other) = kinds_of.insert(stem.to_owned(), kind) {
                let file = format!("{kind}/base.json");
                let message = format!("the id is given in {other}/ too");
                let fault = DatasetError::new(Code::Id, shown(&source.join(&file)), message);
                told.page::<()>(&encode_id(stem), Err(at_line_with(fault, &source, &file, stem)))?;
                entries.remove(stem);
                continue;
            }
            let entry = entries.remove(stem);
            if entry.as_ref().is_none_or(|entry| entry.content.is_none()) {
                told.note(format!("{kind}/htmls/{name}: kept without gold, base.json has no content of it"));
            }
            records.push(record(kind, &name, stem, entry));
        }
        for id in entries.keys() {
            told.gold_without_page(format!("{kind}/base.json: `{id}` dropped, there is no page of that name"));
        }
    }
    dataset(&source, manifest(), records, Readings::default(), told)
}

fn record(kind: &str, name: &str, stem: &str, entry: Option<Entry>) -> Record {
    let empty = Entry { url: None, content: None, remark: None, rest: Map::new() };
    let Entry { url, content, remark, rest: mut extra } = entry.unwrap_or(empty);
    let id = encode_id(stem);
    let host = url.as_deref().and_then(host_of);
    let is_listing = remark.as_deref() == Some(LISTING);
    if let Some(remark) = remark {
        extra.insert("remark".to_owned(), json!(remark));
    }
    let faults = match &content {
        Some(gold) if is_blank(gold) => vec!["gold_empty".to_owned()],
        _ => Vec::new(),
    };
    let details = Details {
        url,
        group: Some(kind.to_owned()),
        faults,
        extra: (!extra.is_empty()).then(|| Box::new(Json::Object(extra))),
        ..Details::default()
    };
    Record {
        html: HtmlSource::Path(format!("{kind}/htmls/{name}")),
        gold: content.map(GoldSource::of_text),
        site: Some(site_of(host.as_deref(), &id)),
        language: None,
        encoding: Some("utf-8".to_owned()),
        kind: Some(if is_listing { "listing" } else { kind }.to_owned()),
        id,
        details: details.boxed(),
    }
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "magic-html".to_owned(),
        version: "47d4a7fe".to_owned(),
        title: "Benchmark of magic-html".to_owned(),
        description: "Gold as stored: articles begin with their title and often their date, forums hold every post. \
                      Upstream states no language."
            .to_owned(),
        licence: third_party("Apache-2.0", "unknown"),
        source: Some(json!({"repository": "opendatalab/magic-html"})),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("human".to_owned()),
            includes: ["title", "date", "comments"].map(str::to_owned).into(),
            verbatim: Some(true),
            ordered: None,
            ..GoldNature::default()
        },
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::{folder, rows};

    #[test]
    fn reads_articles_and_forums() {
        let articles = r#"{"aa": {"url": "https://news.a.co.uk/1", "content": "题\n\n one"},
            "ab": {"url": "", "content": "", "remark": "列表页"}, "gone": {"url": "x", "content": "y"}}"#;
        let forums = r#"{"ff": {"url": "https://b.org/t", "content": "post\nreply", "remark": "long"}}"#;
        for place in ["", "benchmark/data/"] {
            let path = |name: &str| format!("{place}{name}");
            let files = [
                (path("article/base.json"), articles),
                (path("article/htmls/aa.html"), "<meta charset=gbk><p>题<p>one"),
                (path("article/htmls/ab.html"), "<p>x"),
                (path("article/htmls/ac.html"), "<p>x"),
                (path("forum/base.json"), forums),
                (path("forum/htmls/ff.html"), "<p>post<p>reply"),
            ];
            let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
            let folder = folder(&files);
            let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
            let expected = [
                ("aa", "a.co.uk", Some("题\none")),
                ("ab", "ab", Some("")),
                ("ac", "ac", None),
                ("ff", "b.org", Some("post\nreply")),
            ];
            assert_eq!(
                rows(&dataset),
                expected.map(|(id, site, gold)| (id.into(), site.into(), gold.map(str::to_owned)))
            );
            let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
            let kinds: Vec<_> = records.iter().map(|record| record.kind.as_deref().unwrap()).collect();
            assert_eq!(kinds, ["article", "listing", "article", "forum"]);
            assert_eq!(dataset.open(&records[0]).unwrap().page.facts.encoding, "UTF-8");
            assert_eq!(records[1].details().faults, ["gold_empty"]);
            assert_eq!(records[3].details().extra.as_deref().unwrap()["remark"], "long");
            // A page without gold, a gold without page.
            assert_eq!(dataset.notes.len(), 2, "{:?}", dataset.notes);
        }
    }

    #[test]
    fn an_id_of_both_kinds_is_told_with_its_line() {
        let folder = folder(&[
            ("article/base.json", br#"{"aa": {"content": "x"}}"#),
            ("article/htmls/aa.html", b"x"),
            ("forum/base.json", b"{\n\"aa\": {\"content\": \"x\"}}"),
            ("forum/htmls/aa.html", b"x"),
        ]);
        let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
        assert_eq!((error.code, error.line, error.page.as_deref()), (Code::Id, Some(2), Some("aa")));
        assert!(error.file.ends_with("forum/base.json"), "{error}");
    }
}

//! `wcxb`: the Web Content Extraction Benchmark (Foley, 2026), modern pages of seven kinds.

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json, json};

use super::upstream::{read_json, set_published};
use super::{Importer, OptionHelp, Options, Told, dataset, expect_layout, third_party};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::words::is_plain_word;
use crate::datasets::{Dataset, DatasetError, Readings, file_names, shown};
use crate::scoring::snippets::Matching;
use crate::text::is_blank;

/// The importer `wcxb`.
pub static IMPORTER: Importer = Importer {
    name: "wcxb",
    title: "WCXB of Murrough-Foley: dev/ and test/ with html/ and ground-truth/, metadata.json",
    layout: &["dev", "metadata.json"],
    options: &[OptionHelp {
        name: "overlap",
        help: "keep | drop_dev (leave out pages of dev that are in test too, by their folders or by metadata.json) [default: keep]",
    }],
    read,
};

/// The folders, each a split.
const SPLITS: [&str; 2] = ["dev", "test"];

/// Faults of pages that upstream does not name.
const FAULTS: [(&str, &[&str]); 2] = [
    ("no_text", &["0503", "0504", "0508", "0557", "1976", "4314", "4838"]),
    ("gold_order", &["0077", "2876", "3069", "3071", "3074", "3075", "4380", "4736", "4795"]),
];

/// `metadata.json`.
#[derive(Deserialize)]
struct Metadata {
    files: BTreeMap<String, Map<String, Json>>,
}

/// What `metadata.json` says of a page.
#[derive(Default)]
struct FileEntry {
    split: Option<String>,
    page_type: Option<String>,
    domain: Option<String>,
    spa: bool,
}

impl FileEntry {
    /// Of the fields of the page `stem`; what is not of its type is left out with a note, for it is no part of the gold.
    fn new(stem: &str, fields: &Map<String, Json>, told: &mut Told) -> Self {
        let mut left_out = |key: &str, what: &str| {
            told.note(format!("metadata.json: `{key}` of `{stem}` left out, it is no {what}"));
        };
        let mut text = |key: &str, is_right: fn(&str) -> bool, what: &str| match fields.get(key) {
            None | Some(Json::Null) => None,
            Some(Json::String(text)) if is_right(text) => Some(text.clone()),
            Some(_) => {
                left_out(key, what);
                None
            }
        };
        let split = text("split", |_| true, "text");
        let page_type = text("page_type", is_plain_word, "word of a-z 0-9 _ -");
        let domain = text("domain", |_| true, "text");
        let spa = match fields.get("spa") {
            None | Some(Json::Null) => false,
            Some(Json::Bool(spa)) => *spa,
            Some(_) => {
                left_out("spa", "truth value");
                false
            }
        };
        FileEntry { split, page_type, domain, spa }
    }
}

/// Reads a list, null being an empty one.
fn list_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A file of `ground-truth/`.
#[derive(Default, Deserialize)]
struct Annotation {
    #[serde(default)]
    url: Option<String>,
    ground_truth: Truth,
    /// Loose extras, and what is not read: the schema's version and the file's own idea of its kind.
    #[serde(flatten)]
    rest: Map<String, Json>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Truth {
    title: Option<String>,
    author: Option<String>,
    publish_date: Option<String>,
    main_content: Option<String>,
    #[serde(deserialize_with = "list_or_null")]
    with: Vec<String>,
    #[serde(deserialize_with = "list_or_null")]
    without: Vec<String>,
    #[serde(flatten)]
    rest: Map<String, Json>,
}

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let drop_dev = match options.0.get("overlap").map_or("keep", String::as_str) {
        "keep" => false,
        "drop_dev" => true,
        other => {
            let message = format!("overlap: expected keep or drop_dev, not `{other}`");
            return Err(DatasetError::new(Code::Option, shown(source), message));
        }
    };
    expect_layout(source, &["metadata.json"])?;
    let splits: Vec<&str> = SPLITS.into_iter().filter(|split| source.join(split).is_dir()).collect();
    if splits.is_empty() {
        return Err(DatasetError::new(Code::Upstream, shown(source), "expected dev/ or test/ in this folder"));
    }
    let metadata: Metadata = read_json(source, "metadata.json", "object with `files`")?;
    let mut records = Vec::new();
    let in_test: BTreeSet<String> = match splits.contains(&"test") {
        true => file_names(&source.join("test/html"))?.into_iter().collect(),
        false => BTreeSet::new(),
    };
    for split in splits {
        expect_layout(&source.join(split), &["html", "ground-truth"])?;
        let mut golds: BTreeSet<String> = file_names(&source.join(split).join("ground-truth"))?.into_iter().collect();
        for name in file_names(&source.join(split).join("html"))? {
            let Some(stem) = name.strip_suffix(".html.gz").or_else(|| name.strip_suffix(".html")) else {
                told.note(format!("{split}/html/{name}: skipped, its name does not end in .html.gz"));
                continue;
            };
            let fields = metadata.files.get(stem);
            let entry = fields.map(|fields| FileEntry::new(stem, fields, told)).unwrap_or_default();
            let has_gold = golds.remove(&format!("{stem}.json"));
            let is_in_both = in_test.contains(&name);
            if split == "dev" && (is_in_both || entry.split.as_deref() == Some("test")) {
                told.note(format!(
                    "dev/html/{name}: {}, it is a page of test too (W-SPLIT)",
                    if drop_dev { "dropped" } else { "kept" }
                ));
                if drop_dev {
                    continue;
                }
            }
            let annotation = match has_gold {
                true => {
                    let file = format!("{split}/ground-truth/{stem}.json");
                    let read = read_json(source, &file, "annotation of a page");
                    let Some(annotation) = told.page(&encode_id(stem), read)? else { continue };
                    Some(annotation)
                }
                false => {
                    let gold = format!("{split}/ground-truth/{stem}.json");
                    told.note(format!("{split}/html/{name}: kept without gold, {gold} is missing"));
                    None
                }
            };
            let mut record = record(split, &name, stem, &entry, annotation);
            if split == "test" && is_in_both && !drop_dev && source.join("dev/html").join(&name).is_file() {
                // Ids are unique in a dataset; upstream's are in a split.
                record.id.push_str("~test");
            }
            records.push(record);
        }
        for name in &golds {
            told.gold_without_page(format!("{split}/ground-truth/{name}: dropped, there is no page of that name"));
        }
    }
    dataset(source, manifest(), records, Readings::default(), told)
}

fn record(split: &str, name: &str, stem: &str, entry: &FileEntry, annotation: Option<Annotation>) -> Record {
    let has_gold = annotation.is_some();
    let Annotation { url, ground_truth: truth, rest } = annotation.unwrap_or_default();
    let url = url.filter(|url| !url.is_empty());
    let id = encode_id(stem);
    let host = entry.domain.clone().filter(|domain| !domain.is_empty()).or_else(|| url.as_deref().and_then(host_of));
    let own_kind = rest.get("_internal").and_then(|own| own["page_type"]["primary"].as_str());
    let kind = entry.page_type.clone().or_else(|| own_kind.filter(|kind| is_plain_word(kind)).map(str::to_owned));
    let gold = truth.main_content.unwrap_or_default();
    let mut details = Details {
        url,
        split: Some(split.to_owned()),
        title: truth.title,
        author: truth.author,
        snippets: has_gold.then(|| Box::new(json!({"with": truth.with, "without": truth.without}))),
        ..Details::default()
    };
    set_published(&mut details, &truth.publish_date.unwrap_or_default());
    let mut faults: Vec<&str> = FAULTS.iter().filter(|(_, ids)| ids.contains(&stem)).map(|(fault, _)| *fault).collect();
    if has_gold && is_blank(&gold) {
        faults.push("gold_empty");
    }
    details.faults = faults.into_iter().map(str::to_owned).collect();
    let mut extra: Map<String, Json> = rest.into_iter().filter(|(key, _)| key != "file_id").collect();
    extra.extend(truth.rest);
    if entry.spa {
        extra.insert("spa".to_owned(), json!(true));
    }
    details.extra = (!extra.is_empty()).then(|| Box::new(Json::Object(extra)));
    Record {
        html: HtmlSource::Path(format!("{split}/html/{name}")),
        gold: has_gold.then(|| GoldSource::of_text(gold)),
        site: Some(site_of(host.as_deref(), &id)),
        language: Some("en".to_owned()),
        encoding: Some("utf-8".to_owned()),
        kind,
        id,
        details: details.boxed(),
    }
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "wcxb".to_owned(),
        version: "c039d5ee9f5a".to_owned(),
        title: "WCXB: Web Content Extraction Benchmark".to_owned(),
        description: "Gold is main_content as it is stored, drafted by a language model and reviewed by people: not a \
                      copy of the page's text. Kinds are those of metadata.json; a page of both splits is `~test` in \
                      the second."
            .to_owned(),
        licence: third_party("CC-BY-4.0", "attribution"),
        source: Some(json!({
            "repository": "Murrough-Foley/web-content-extraction-benchmark",
            "commit": "c039d5ee9f5a3a984a0e167e63aacd04e76e78a9",
        })),
        pages: vec!["pages.jsonl".to_owned()],
        snippets: Matching::Dense,
        gold: GoldNature {
            nature: Some("assisted".to_owned()),
            includes: ["lists", "tables"].map(str::to_owned).into(),
            verbatim: Some(false),
            ordered: None,
            ..GoldNature::default()
        },
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::{folder, gzip, options, rows};

    const METADATA: &str = r#"{"name": "WCXB", "splits": {}, "files": {
        "0001": {"split": "dev", "page_type": "forum", "domain": "forum.a.co.uk", "spa": false},
        "0002": {"split": "test", "page_type": "listing", "domain": "", "spa": true}}}"#;

    fn upstream() -> tempfile::TempDir {
        let page = gzip(b"<p>one");
        let truth = br##"{"schema_version": "2.0", "url": "https://x.org/1", "file_id": "0001", "verified": true,
            "_internal": {"page_type": {"primary": "article"}},
            "ground_truth": {"title": "T", "author": null, "publish_date": "last week", "main_content": "one\n\n two",
            "main_content_markdown": "# one", "with": ["one"], "without": ["menu"]}}"##;
        let bare = br#"{"url": "", "ground_truth": {"title": null, "with": [], "without": []}}"#;
        folder(&[
            ("metadata.json", METADATA.as_bytes()),
            ("dev/html/0001.html.gz", &page),
            ("dev/html/0002.html.gz", &page),
            ("dev/html/0003.html.gz", &page),
            ("dev/html/.DS_Store", b""),
            ("dev/ground-truth/0001.json", truth),
            ("dev/ground-truth/0002.json", bare),
            ("dev/ground-truth/0009.json", b"{}"),
            ("test/html/0002.html.gz", &page),
            ("test/ground-truth/0002.json", bare),
        ])
    }

    #[test]
    fn odd_metadata_is_left_out_with_a_note() {
        let metadata = r#"{"files": {"0001": {"page_type": "Product Page", "domain": null, "spa": null},
            "0002": {"page_type": 3, "spa": "no", "split": "dev", "domain": "b.org"}}}"#;
        let truth = br#"{"_internal": {"page_type": {"primary": "An Article"}}, "ground_truth": {"with": null, "without": null}}"#;
        let folder = folder(&[
            ("metadata.json", metadata.as_bytes()),
            ("dev/html/0001.html", b"<p>x"),
            ("dev/html/0002.html", b"<p>x"),
            ("dev/ground-truth/0001.json", truth),
            ("dev/ground-truth/0002.json", truth),
        ]);
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let sites: Vec<_> = rows(&dataset).into_iter().map(|row| row.1).collect();
        assert_eq!(sites, ["0001", "b.org"]);
        assert!(dataset.records.iter().all(|record| record.unwrap().kind.is_none()));
        // Of the first its page type, of the second that and whether it is made by scripts.
        assert_eq!(dataset.notes.len(), 3, "{:?}", dataset.notes);
    }

    #[test]
    fn reads_the_layout_and_tells_what_is_in_both_splits() {
        let folder = upstream();
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let expected = [
            ("0001", "a.co.uk", Some("one\ntwo")),
            ("0002", "0002", Some("")),
            ("0003", "0003", None),
            ("0002~test", "0002", Some("")),
        ];
        assert_eq!(rows(&dataset), expected.map(|(id, site, gold)| (id.into(), site.into(), gold.map(str::to_owned))));
        let first = dataset.records.get(0).unwrap();
        assert_eq!((first.kind.as_deref(), first.details().title.as_deref()), (Some("forum"), Some("T")));
        assert_eq!(first.details().other["x-published"], "last week");
        assert_eq!(first.details().snippets.as_deref().unwrap()["without"][0], "menu");
        assert_eq!(first.details().extra.as_deref().unwrap()["main_content_markdown"], "# one");
        let second = dataset.records.get(1).unwrap();
        assert_eq!(second.details().faults, ["gold_empty"]);
        assert_eq!((second.details().split.as_deref(), second.kind.as_deref()), (Some("dev"), Some("listing")));
        // In both splits, without gold, a gold without page.
        assert_eq!(dataset.notes.len(), 3, "{:?}", dataset.notes);
        let dropped = IMPORTER.read(folder.path(), &options(&[("overlap", "drop_dev")])).unwrap();
        let ids: Vec<_> = rows(&dropped).into_iter().map(|row| row.0).collect();
        assert_eq!(ids, ["0001", "0003", "0002"]);
        assert_eq!(IMPORTER.read(folder.path(), &options(&[("overlap", "x")])).unwrap_err().code, Code::Option);
    }
}

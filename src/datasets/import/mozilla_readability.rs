//! `mozilla-readability`: the test pages of Mozilla's Readability, with what Readability makes of them.

use crate::formats::code::Code;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::upstream::{read_json, set_published};
use super::{Importer, Options, Told, dataset, third_party};
use crate::datasets::annotation::Select;
use crate::datasets::manifest::{Details, GoldNature, GoldObject, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::{Dataset, DatasetError, Readings, shown};

/// The importer `mozilla-readability`.
pub static IMPORTER: Importer = Importer {
    name: "mozilla-readability",
    title: "Mozilla's Readability, its repository or the unpacked crate readabilityrs: CASE/source.html, CASE/expected.html",
    layout: &[],
    options: &[],
    read,
};

/// Where the cases are: in Mozilla's repository, in crates that carry it, or here.
const FOLDERS: [&str; 5] =
    ["test/test-pages", "tests/test-pages", "mozzilla-readability/test/test-pages", "test-pages", ""];

/// A case's `expected-metadata.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    title: Option<String>,
    byline: Option<String>,
    lang: Option<String>,
    #[serde(rename = "publishedTime")]
    published_time: Option<String>,
    readerable: Option<bool>,
    #[serde(flatten)]
    rest: Map<String, Json>,
}

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let cases =
        FOLDERS.into_iter().map(|folder| source.join(folder)).find_map(|folder| Some((cases(&folder)?, folder)));
    let Some((cases, folder)) = cases else {
        let message = "expected folders with source.html and expected.html, here or in test/test-pages/";
        return Err(DatasetError::new(Code::Upstream, shown(source), message));
    };
    let mut records = Vec::new();
    for case in cases {
        let has = |name: &str| folder.join(&case).join(name).is_file();
        if !has("source.html") {
            told.note(format!("{case}/: skipped, source.html is missing"));
            continue;
        }
        let metadata = match has("expected-metadata.json") {
            true => read_json(&folder, &format!("{case}/expected-metadata.json"), "object of a case's metadata"),
            false => {
                told.note(format!("{case}/: kept without metadata, expected-metadata.json is missing"));
                Ok(Metadata::default())
            }
        };
        let Some(metadata) = told.page(&encode_id(&case), metadata)? else { continue };
        if !has("expected.html") {
            told.note(format!("{case}/: kept without gold, expected.html is missing"));
        }
        records.push(record(&case, has("expected.html"), metadata));
    }
    dataset(&folder, manifest(), records, Readings::default(), told)
}

/// The names of the folders in `folder`, in the order of bytes, if one of them is a case.
fn cases(folder: &Path) -> Option<Vec<String>> {
    let paths: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    let folders = paths.into_iter().filter(|path| path.is_dir());
    let mut names: Vec<String> =
        folders.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.retain(|name| std::fs::read_dir(folder.join(name)).is_ok_and(|mut files| files.next().is_some()));
    names.sort_unstable();
    names.iter().any(|name| folder.join(name).join("source.html").is_file()).then_some(names)
}

fn record(case: &str, has_gold: bool, metadata: Metadata) -> Record {
    let id = encode_id(case);
    let readerable = metadata.readerable.unwrap_or(true);
    let mut details = Details {
        title: metadata.title,
        author: metadata.byline,
        extra: (!metadata.rest.is_empty()).then(|| Box::new(Json::Object(metadata.rest))),
        ..Details::default()
    };
    set_published(&mut details, &metadata.published_time.unwrap_or_default());
    // Readability writes a fragment: all of its text is what it kept.
    let select = Select { include: vec!["body".to_owned()], ..Select::default() };
    let gold = GoldObject {
        path: Some(format!("{case}/expected.html")),
        select: Some(select),
        encoding: Some("utf-8".to_owned()),
        ..GoldObject::default()
    };
    Record {
        html: HtmlSource::Path(format!("{case}/source.html")),
        gold: has_gold.then(|| GoldSource::Object(Box::new(gold))),
        site: Some(id.clone()),
        language: Some(metadata.lang.filter(|tag| !tag.is_empty()).unwrap_or_else(|| "und".to_owned())),
        encoding: Some("utf-8".to_owned()),
        kind: Some(if readerable { "article" } else { "other" }.to_owned()),
        id,
        details: details.boxed(),
    }
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "mozilla-readability".to_owned(),
        version: "ab4027a8".to_owned(),
        title: "Test pages of Mozilla's Readability".to_owned(),
        description: "Gold is the text of expected.html; what that is, the catalogue's note says.".to_owned(),
        licence: third_party("Apache-2.0", "unknown"),
        source: Some(json!({"repository": "mozilla/readability", "package": "readabilityrs 0.1.4"})),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("tool".to_owned()),
            includes: ["captions", "lists", "tables"].map(str::to_owned).into(),
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
    use crate::datasets::import::tests::{folder, rows};

    #[test]
    fn reads_cases_wherever_they_are_carried() {
        let expected = "<div id=\"readability-page-1\" class=\"page\"><p>中文</p><p>b</p></div>".as_bytes();
        let metadata = br#"{"title": "T", "byline": null, "dir": null, "lang": "zh-CN", "excerpt": "x",
            "siteName": null, "publishedTime": "2024-01-02T03:04:05Z", "readerable": false}"#;
        for place in ["", "test/test-pages/", "tests/test-pages/"] {
            let path = |name: &str| format!("{place}{name}");
            let files = [
                // The label is stale: upstream stores UTF-8.
                (path("qq/source.html"), "<meta charset=gb2312><p>中文<p>b<i>c".as_bytes()),
                (path("qq/expected.html"), expected),
                (path("qq/expected-metadata.json"), metadata),
                (path("001/source.html"), b"<p>x".as_slice()),
                (path("lost/expected.html"), expected),
            ];
            let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), *bytes)).collect();
            let folder = folder(&files);
            std::fs::create_dir_all(folder.path().join(place).join("empty")).unwrap();
            let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
            let expected = [("001", "001", None), ("qq", "qq", Some("中文\nb".to_owned()))];
            assert_eq!(rows(&dataset), expected.map(|(id, site, gold)| (id.to_owned(), site.to_owned(), gold)));
            let record = dataset.records.get(1).unwrap();
            assert_eq!((record.kind.as_deref(), record.language.as_deref()), (Some("other"), Some("zh-CN")));
            assert_eq!(record.details().published.as_deref(), Some("2024-01-02T03:04:05Z"));
            assert_eq!(dataset.open(&record).unwrap().page.facts.encoding, "UTF-8");
            assert_eq!(dataset.records.get(0).unwrap().language.as_deref(), Some("und"));
            // No metadata, no gold, no page.
            assert_eq!(dataset.notes.len(), 3, "{:?}", dataset.notes);
        }
    }
}

//! `article-extraction-benchmark`: articles of November 2019 (scrapinghub), with the outputs of many
//! extractors.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use super::upstream::read_json;
use super::{Importer, Options, Told, dataset, expect_layout, third_party};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::{Dataset, DatasetError, Readings, file_names};
use crate::formats::json::UniqueKeys;

/// The importer `article-extraction-benchmark`.
pub static IMPORTER: Importer = Importer {
    name: "article-extraction-benchmark",
    title: "article-extraction-benchmark of scrapinghub: html/, ground-truth.json, output/",
    layout: &["html", "ground-truth.json"],
    options: &[],
    read,
};

/// Languages by the first twelve digits of the id; upstream states none, and the others are English.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("pt", &["11ea381ad92b", "23aaecd14171", "3252222e61fe", "b3c19dd5f061", "cc03ddb5ef7d", "f6ac15a4d985"]),
    ("ru", &["3c6d3381ef52", "c4a3637c6696", "c82b3d1d540b", "ff0f958ade71"]),
    ("ko", &["0ec95c7261d1", "9da36ae4714b"]),
    ("it", &["20b2b64916b0", "b6fb53e9fb04"]),
    ("id", &["21486419bb10", "7837c9d66c81"]),
    ("de", &["57b4dafd18cf", "ba07d1e64775"]),
    ("ja", &["85439e26c41c", "f105de6e63ca"]),
];

/// A page of `ground-truth.json`.
#[derive(Deserialize)]
struct Truth {
    url: Option<String>,
    #[serde(rename = "articleBody")]
    article_body: Option<String>,
}

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    expect_layout(source, &["html", "ground-truth.json"])?;
    let mut truths = truths(source)?;
    let mut records = Vec::new();
    for name in file_names(&source.join("html"))? {
        let Some(stem) = name.strip_suffix(".html.gz") else {
            told.note(format!("html/{name}: skipped, its name does not end in .html.gz"));
            continue;
        };
        let truth = truths.remove(stem);
        if truth.as_ref().is_none_or(|truth| truth.article_body.is_none()) {
            told.note(format!("html/{name}: kept without gold, ground-truth.json has no text of it"));
        }
        records.push(record(&name, stem, truth));
    }
    for id in truths.keys() {
        told.gold_without_page(format!("ground-truth.json: `{id}` dropped, there is no page of that name"));
    }
    let mut dataset = dataset(source, manifest(), records, Readings::default(), told)?;
    dataset.list_stored("output", &[".json"])?;
    Ok(dataset)
}

fn truths(source: &Path) -> Result<BTreeMap<String, Truth>, DatasetError> {
    let UniqueKeys(truths) = read_json(source, "ground-truth.json", "object of golds by id")?;
    Ok(truths.into_iter().collect())
}

fn record(name: &str, stem: &str, truth: Option<Truth>) -> Record {
    let Truth { url, article_body } = truth.unwrap_or(Truth { url: None, article_body: None });
    let host = url.as_deref().and_then(host_of);
    let language = LANGUAGES.iter().find(|(_, ids)| ids.iter().any(|id| stem.starts_with(id)));
    let id = encode_id(stem);
    Record {
        html: HtmlSource::Path(format!("html/{name}")),
        gold: article_body.map(GoldSource::of_text),
        site: Some(site_of(host.as_deref(), &id)),
        language: Some(language.map_or("en", |(language, _)| language).to_owned()),
        encoding: Some("utf-8".to_owned()),
        kind: Some("article".to_owned()),
        id,
        details: Details { url, ..Details::default() }.boxed(),
    }
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "article-extraction-benchmark".to_owned(),
        version: "4a3bc979f76c".to_owned(),
        title: "Article extraction benchmark".to_owned(),
        description: "Pages were stored as UTF-8 upstream, from a browser's tree and so without a doctype; \
                      languages are a table of the importer's."
            .to_owned(),
        licence: third_party("MIT", "unknown"),
        source: Some(json!({
            "repository": "scrapinghub/article-extraction-benchmark",
            "commit": "4a3bc979f76c0df73cb95fe272e2fc1b96f9f010",
        })),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("human".to_owned()),
            includes: vec!["captions".to_owned(), "lists".to_owned()],
            verbatim: Some(true),
            ordered: Some(true),
            ..GoldNature::default()
        },
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::code::Code;
    use std::io::Write;

    use super::*;
    use crate::datasets::import::write::{Layout, write};
    use crate::datasets::load::load_folder;
    use crate::datasets::manifest::Compression;

    /// The layout with four pages: one English, one Russian, one without gold, one whose gold is null.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, bytes: &[u8]| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        for (id, page) in [("aa01", "<p>one"), ("3c6d3381ef52ff", "<p>\u{434}\u{432}\u{430}"), ("bb", "x"), ("cc", "x")]
        {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(page.as_bytes()).unwrap();
            put(&format!("html/{id}.html.gz"), &packed.finish().unwrap());
        }
        put("html/index.html", b"x");
        put(
            "ground-truth.json",
            br#"{"aa01": {"articleBody": "one\n\n two", "url": "https://www.a.co.uk/1", "more": []},
                "3c6d3381ef52ff": {"articleBody": "", "url": "nonsense"},
                "cc": {"articleBody": null, "url": "https://c.org/"}, "gone": {"articleBody": "x"}}"#,
        );
        put("output/one.json", br#"{"aa01": {"articleBody": "o\nne"}, "3c6d3381ef52ff": {"articleBody": null}}"#);
        put("output/two.json", br#"{"version": "2.0", "output": {"cc": {"articleBody": "\u4e2d"}}}"#);
        put("output/README.md", b"x");
        folder
    }

    fn read_dataset() -> (tempfile::TempDir, Dataset) {
        let folder = folder();
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        (folder, dataset)
    }

    #[test]
    fn reads_the_layout_and_names_what_it_skips() {
        let (_folder, dataset) = read_dataset();
        let rows: Vec<_> = dataset
            .records
            .iter()
            .map(|record| {
                let record = record.unwrap();
                let gold = dataset.open(&record).unwrap().gold;
                (record.id.clone(), record.site.clone().unwrap(), record.language.clone().unwrap(), gold)
            })
            .collect();
        let row = |id: &str, site: &str, language: &str, gold: Option<&str>| {
            (id.to_owned(), site.to_owned(), language.to_owned(), gold.map(str::to_owned))
        };
        let expected = [
            row("3c6d3381ef52ff", "3c6d3381ef52ff", "ru", Some("")),
            row("aa01", "a.co.uk", "en", Some("one\ntwo")),
            row("bb", "bb", "en", None),
            row("cc", "c.org", "en", None),
        ];
        assert_eq!(rows, expected);
        // index.html, bb and cc without gold, a gold without page.
        assert_eq!(dataset.notes.len(), 5, "{:?}", dataset.notes);
        assert_eq!(dataset.stored_systems(), ["one", "two"]);
    }

    #[test]
    fn what_is_imported_offers_the_same_outputs() {
        let (_folder, dataset) = read_dataset();
        let out = tempfile::tempdir().unwrap();
        write(&dataset, out.path(), Layout::Files(Compression::Zstd)).unwrap();
        let again = load_folder(out.path()).unwrap();
        let digest = |dataset: &Dataset| dataset.digest(|record| dataset.digests(record)).unwrap();
        assert_eq!(digest(&again), digest(&dataset));
        assert_eq!(again.stored_systems(), ["one", "two"]);
        for system in again.stored_systems() {
            let (before, after) = (dataset.stored(&system).unwrap(), again.stored(&system).unwrap());
            assert_eq!((&after.system, &after.version), (&before.system, &before.version));
            assert!(after.ids().eq(before.ids()), "{system}");
            assert!(before.ids().all(|id| after.text(id) == before.text(id)), "{system}");
        }
        assert_eq!(again.stored("two").unwrap().text("cc"), Some(Ok("\u{4E2D}")));
        assert_eq!(again.stored("one").unwrap().text("3c6d3381ef52ff"), Some(Ok("")));
    }

    #[test]
    fn faults_of_the_golds_name_the_line() {
        let folder = folder();
        std::fs::write(folder.path().join("ground-truth.json"), "{\"aa01\": {},\n\"aa01\": {}}").unwrap();
        let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
        assert_eq!((error.code, error.line), (Code::Upstream, Some(2)));
        std::fs::remove_file(folder.path().join("ground-truth.json")).unwrap();
        let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
        assert!(error.message.contains("ground-truth.json is missing"), "{error}");
    }
}

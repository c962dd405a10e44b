//! `trafilatura-eval`: pages with short texts that an extraction must or must not contain (adbar/trafilatura).

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::upstream::{at_line_with, read_json, set_published};
use super::{Importer, Options, Told, dataset, third_party};
use crate::datasets::manifest::{Details, GoldNature, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::{Dataset, DatasetError, Readings, check_path, shown};
use crate::formats::json::UniqueKeys;

/// The importer `trafilatura-eval`.
pub static IMPORTER: Importer = Importer {
    name: "trafilatura-eval",
    title: "trafilatura's evaluation, its repository or tests/: evaldata.json, cache/, eval/; snippets, no gold",
    layout: &["tests/evaldata.json", "tests/cache", "tests/eval"],
    options: &[],
    read,
};

/// Where pages are; none is in both.
const FOLDERS: [&str; 2] = ["cache", "eval"];

/// A page of `evaldata.json`.
#[derive(Deserialize)]
struct Entry {
    file: String,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(flatten)]
    rest: Map<String, Json>,
}

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let folders = ["tests", ""].map(|folder| source.join(folder));
    let Some(source) = folders.iter().find(|folder| folder.join("evaldata.json").exists()) else {
        let message = "expected evaldata.json with cache/ and eval/, here or in tests/";
        return Err(DatasetError::new(Code::Upstream, shown(source), message));
    };
    let UniqueKeys::<Entry>(entries) = read_json(source, "evaldata.json", "object of pages by URL")?;
    let mut records = BTreeMap::new();
    for (url, entry) in entries {
        let fault = |code, message| {
            let fault = DatasetError::new(code, shown(&source.join("evaldata.json")), message);
            at_line_with(fault, source, "evaldata.json", &url)
        };
        let id = id_of(&entry.file);
        let path = check_path(&entry.file).map_err(|message| fault(Code::Path, message));
        if told.page(&id, path)?.is_none() {
            continue;
        }
        let Some(path) = FOLDERS
            .map(|folder| format!("{folder}/{}", entry.file))
            .into_iter()
            .find(|path| source.join(path).is_file())
        else {
            told.note(format!("evaldata.json: `{url}` skipped, neither cache/ nor eval/ has {}", entry.file));
            continue;
        };
        if records.contains_key(&id) {
            told.page::<()>(&id, Err(fault(Code::Id, "two pages name one file".to_owned())))?;
            continue;
        }
        records.insert(id, record(url, path, entry));
    }
    dataset(source, manifest(), records.into_values().collect(), Readings::default(), told)
}

/// The id of the page in `file`.
fn id_of(file: &str) -> String {
    encode_id(file.strip_suffix(".html").unwrap_or(file))
}

fn record(url: String, path: String, entry: Entry) -> Record {
    let Entry { file, with, without, rest: mut extra } = entry;
    let id = id_of(&file);
    let host = host_of(&url);
    let mut take = |key: &str| match extra.get(key) {
        Some(Json::String(text)) if !text.is_empty() => {
            extra.shift_remove(key).and_then(|text| Some(text.as_str()?.to_owned()))
        }
        _ => None,
    };
    let (title, author, date) = (take("title"), take("author"), take("date"));
    let mut details = Details {
        url: Some(url),
        title,
        author,
        snippets: Some(Box::new(json!({"with": with, "without": without}))),
        extra: (!extra.is_empty()).then(|| Box::new(Json::Object(extra))),
        ..Details::default()
    };
    set_published(&mut details, &date.unwrap_or_default());
    Record {
        html: HtmlSource::Path(path),
        site: Some(site_of(host.as_deref(), &id)),
        id,
        details: details.boxed(),
        ..Record::default()
    }
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "trafilatura-eval".to_owned(),
        version: "e90b0ef5".to_owned(),
        title: "Evaluation pages of trafilatura".to_owned(),
        description: "No gold text: snippets that belong to the content or do not. Pages in their original bytes."
            .to_owned(),
        licence: third_party("Apache-2.0", "unknown"),
        source: Some(json!({"repository": "adbar/trafilatura"})),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature { nature: Some("human".to_owned()), ..GoldNature::default() },
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::{folder, rows};

    const DATA: &str = r#"{"https://www.b.de/1": {"file": "b.de.html", "with": ["eins"], "without": ["Menü"],
        "author": "", "title": "T", "date": "2020-01-02", "region": "DE", "tags": []},
        "https://a.org/x": {"file": "a.org.x.html", "with": [], "without": [], "date": "soon"},
        "https://c.org/": {"file": "gone.html", "with": [], "without": []}}"#;

    #[test]
    fn reads_pages_of_both_folders_with_their_snippets() {
        let files: &[(&str, &[u8])] = &[
            ("tests/evaldata.json", DATA.as_bytes()),
            ("tests/cache/b.de.html", b"<meta charset=iso-8859-1><p>Men\xFC"),
            ("tests/eval/a.org.x.html", b"<p>x"),
        ];
        let folder = folder(files);
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let expected = [("a.org.x", "a.org", None), ("b.de", "b.de", None)];
        assert_eq!(rows(&dataset), expected.map(|(id, site, gold)| (id.to_owned(), site.to_owned(), gold)));
        let second = dataset.records.get(1).unwrap();
        assert_eq!(second.details().snippets.as_deref(), Some(&json!({"with": ["eins"], "without": ["Menü"]})));
        assert_eq!((second.details().title.as_deref(), second.details().author.as_deref()), (Some("T"), None));
        assert_eq!(second.details().published.as_deref(), Some("2020-01-02"));
        assert_eq!(second.details().extra.as_deref().unwrap()["region"], "DE");
        assert_eq!(dataset.open(&second).unwrap().page.facts.encoding, "windows-1252");
        assert_eq!(dataset.notes.len(), 1, "{:?}", dataset.notes);
        assert_eq!(dataset.manifest.gold.nature.as_deref(), Some("human"));
    }

    #[test]
    fn a_file_is_one_page_inside_the_folder() {
        let code = |data: &str| {
            let folder = folder(&[("evaldata.json", data.as_bytes()), ("cache/a.html", b"x"), ("eval/c.html", b"x")]);
            let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
            assert!(error.line.is_some(), "{error}");
            error.code
        };
        assert_eq!(code(r#"{"u": {"file": "a.html"}, "v": {"file": "a.html"}}"#), Code::Id);
        assert_eq!(code(r#"{"u": {"file": "../evaldata.json"}}"#), Code::Path);
        assert_eq!(code(r#"{"u": {"file": 1}}"#), Code::Upstream);
    }
}

//! `wceb-combined`: the eight sets that Bevendorff et al. (2023) put into one form.

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::dragnet::{COMMENTS, reading};
use super::upstream::{parse_line, read_lines};
use super::{Importer, OptionHelp, Options, Told, dataset, third_party};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::{Dataset, DatasetError, Readings, check_path, file_names, shown};
use crate::text::is_blank;

/// The importer `wceb-combined`.
pub static IMPORTER: Importer = Importer {
    name: "wceb-combined",
    title: "web-content-extraction-benchmark of chatnoir-eu, combined.tar.xz unpacked: html/SET/, ground-truth/SET.jsonl",
    layout: &[],
    options: &[
        OptionHelp { name: "html_dir", help: "the folder of pages [default: html]" },
        OptionHelp { name: "truth_dir", help: "the folder of SET.jsonl [default: the folder that holds such files]" },
        COMMENTS,
    ],
    read,
};

/// A line of a set's list.
#[derive(Deserialize)]
struct Line {
    page_id: String,
    plaintext: Option<String>,
    url: Option<String>,
    source: Option<Json>,
}

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let gold = reading(source, options)?;
    let html = options.0.get("html_dir").map_or("html", String::as_str);
    let truth = truth_folder(source, options)?;
    for folder in [html, &truth] {
        check_path(folder).map_err(|message| DatasetError::new(Code::Option, shown(source), message))?;
        super::expect_layout(source, &[folder])?;
    }
    let mut records = Vec::new();
    // Pages of equal bytes share an id, which is their digest.
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for name in file_names(&source.join(&truth))? {
        let Some(set) = name.strip_suffix(".jsonl") else {
            told.note(format!("{truth}/{name}: skipped, its name does not end in .jsonl"));
            continue;
        };
        let path = format!("{truth}/{name}");
        let mut pages: BTreeSet<String> = match source.join(html).join(set).is_dir() {
            true => file_names(&source.join(html).join(set))?.into_iter().collect(),
            false => BTreeSet::new(),
        };
        let mut named = BTreeSet::new();
        read_lines(source, &path, |number, text| {
            let line = text.and_then(|text| parse_line::<Line>(&source.join(&path), number, text, "page of a set"));
            let line = match line {
                Ok(line) => line,
                Err(fault) => return told.faults.page(fault),
            };
            let page = format!("{}.html", line.page_id);
            if !pages.contains(&page) {
                told.gold_without_page(format!("{path}:{number}: dropped, there is no page {html}/{set}/{page}"));
                return Ok(());
            }
            if line.plaintext.is_none() {
                told.note(format!("{path}:{number}: kept without gold, it has no plaintext"));
            }
            let time = times.entry(line.page_id.clone()).or_default();
            *time += 1;
            named.insert(page);
            records.push(record(html, set, line, *time, gold));
            Ok(())
        })?;
        pages.retain(|page| !named.contains(page));
        for page in &pages {
            told.note(format!("{html}/{set}/{page}: skipped, {path} does not name it"));
        }
    }
    dataset(source, manifest(), records, Readings::default(), told)
}

/// The folder of the sets' lists: the one asked for, else the first with such a list.
fn truth_folder(source: &Path, options: &Options) -> Result<String, DatasetError> {
    if let Some(folder) = options.0.get("truth_dir") {
        return Ok(folder.clone());
    }
    let entries =
        std::fs::read_dir(source).map_err(|error| DatasetError::unread(Code::Upstream, shown(source), &error))?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort_unstable();
    for folder in folders {
        if file_names(&folder)?.iter().any(|name| name.ends_with(".jsonl")) {
            return Ok(folder.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    let message = "expected html/ and ground-truth/ with SET.jsonl in this folder";
    Err(DatasetError::new(Code::Upstream, shown(source), message))
}

fn record(html: &str, set: &str, line: Line, time: usize, reading: fn(&str) -> String) -> Record {
    let Line { page_id, plaintext, url, source } = line;
    let path = format!("{html}/{set}/{page_id}.html");
    let id = match time {
        1 => encode_id(&page_id),
        time => encode_id(&format!("{page_id}~{time}")),
    };
    let url = url.filter(|url| !url.is_empty());
    let host = url.as_deref().and_then(host_of);
    // Elsewhere the mark of dragnet's comments would be text.
    let gold = plaintext.map(|text| if set == "dragnet" { reading(&text) } else { text });
    let mut faults = Vec::new();
    faults.extend(gold.as_deref().is_some_and(is_blank).then(|| "gold_empty".to_owned()));
    faults.extend((time > 1).then(|| "duplicate".to_owned()));
    let extra = source.map(|source| Map::from_iter([("source".to_owned(), source)]));
    let details = Details {
        url,
        group: Some(set.to_owned()),
        faults,
        extra: extra.map(|extra| Box::new(Json::Object(extra))),
        ..Details::default()
    };
    Record {
        html: HtmlSource::Path(path),
        gold: gold.map(GoldSource::of_text),
        site: Some(site_of(host.as_deref(), &id)),
        language: None,
        encoding: Some("utf-8".to_owned()),
        kind: None,
        id,
        details: details.boxed(),
    }
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "wceb-combined".to_owned(),
        version: "36be6d9c".to_owned(),
        title: "Web Content Extraction Benchmark, combined".to_owned(),
        description:
            "Pages were stored as UTF-8 upstream, whatever their labels say; dragnet's golds end before their \
                      comments unless these were asked for. A page that stands in several sets is numbered."
                .to_owned(),
        licence: third_party("unknown", "unknown"),
        source: Some(json!({"repository": "chatnoir-eu/web-content-extraction-benchmark"})),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature { nature: Some("human".to_owned()), ..GoldNature::default() },
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::{folder, options, rows};

    #[test]
    fn sets_are_groups_and_equal_pages_are_numbered() {
        let cetd = r#"{"page_id": "aa", "plaintext": "one\n\ntwo", "url": "http://www.a.co.uk/", "source": ["cetd", "x"]}
{"page_id": "gone", "plaintext": "x"}"#;
        let dragnet =
            "{\"page_id\": \"aa\", \"plaintext\": \"text\\n!@#$%^&*()  COMMENTS\\nnice\"}\n{\"page_id\": \"bb\"}";
        for truth in ["ground-truth", "truth"] {
            let path = |name: &str| format!("{truth}/{name}");
            let files = [
                (path("cetd.jsonl"), cetd),
                (path("dragnet.jsonl"), dragnet),
                ("html/cetd/aa.html".to_owned(), "<meta charset=gbk><p>é"),
                ("html/cetd/unnamed.html".to_owned(), "x"),
                ("html/dragnet/aa.html".to_owned(), "<p>x"),
                ("html/dragnet/bb.html".to_owned(), "<p>x"),
            ];
            let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
            let folder = folder(&files);
            let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
            let expected = [("aa", "a.co.uk", Some("one\ntwo")), ("aa~2", "aa~2", Some("text")), ("bb", "bb", None)];
            assert_eq!(
                rows(&dataset),
                expected.map(|(id, site, gold)| (id.into(), site.into(), gold.map(str::to_owned)))
            );
            let first = dataset.records.get(0).unwrap();
            assert_eq!(first.details().group.as_deref(), Some("cetd"));
            assert_eq!(dataset.open(&first).unwrap().page.facts.encoding, "UTF-8");
            // A line without page, a page without line, no plaintext.
            assert_eq!(dataset.notes.len(), 3, "{:?}", dataset.notes);
            let joined =
                IMPORTER.read(folder.path(), &options(&[("comments", "include"), ("truth_dir", truth)])).unwrap();
            assert_eq!(rows(&joined)[1].2.as_deref(), Some("text\nnice"));
            std::fs::write(folder.path().join(truth).join("cetd.jsonl"), "{\"page_id\": \"aa\"}\n{\"page_id\": 3}")
                .unwrap();
            let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
            assert_eq!((error.code, error.line), (Code::Upstream, Some(2)));
        }
    }
}

//! `daniel`: news pages of 2011-12 from the DAnIEL corpus 2.1 (rundimeco/waddle).

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;

use super::upstream::{at_line_with, read_json};
use super::{Importer, Options, Told, dataset, expect_layout, third_party};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::registrable_domain;
use crate::datasets::{Dataset, DatasetError, Readings, file_names, shown};
use crate::formats::json::UniqueKeys;

/// The importer `daniel`.
pub static IMPORTER: Importer = Importer {
    name: "daniel",
    title: "DAnIEL 2.1 of rundimeco/waddle: html/, reference/, doc_lg.json",
    layout: &["html", "reference", "doc_lg.json"],
    options: &[],
    read,
};

/// Known faults by the beginning of the id. Of pages that hold UTF-8 which was read as Latin-1 and stored as UTF-8 again,
/// those are misdecoded where it is in two lines of the article or more; elsewhere it is beside the article.
const FAULTS: &[(&str, &str)] = &[
    ("20111215_www.northnews.cn_e23d84", "misdecoded"),
    ("20120112_big5.xinhuanet.com_4b5e60", "gold_not_in_page"),
    ("20111215_www.dailymail.co.uk_7c9b92", "gold_order"),
    ("20120117_biz.caixun.com_e46b25", "gold_order"),
    ("20120112_www.vancouversun.com_4e062e", "misdecoded"),
    ("20120112_www.vancouversun.com_a7a143", "misdecoded"),
    ("20120117_insciences.org_5a38d0", "misdecoded"),
    ("20120117_www.cambridgefirst.co.uk_5738cc", "misdecoded"),
    ("20120117_www.montrealgazette.com_2fee9f", "misdecoded"),
    ("20120117_www.montrealgazette.com_a9fd53", "misdecoded"),
    ("20120117_www.vancouversun.com_645c3e", "misdecoded"),
];

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    expect_layout(source, &["html", "reference", "doc_lg.json"])?;
    let UniqueKeys::<String>(named) = read_json(source, "doc_lg.json", "object of languages by id")?;
    let languages: BTreeMap<String, String> = named.into_iter().collect();
    let golds: BTreeSet<String> = file_names(&source.join("reference"))?.into_iter().collect();
    let pages = file_names(&source.join("html"))?;
    let mut records = Vec::new();
    let mut hashes = BTreeSet::new();
    for name in &pages {
        let Some(language) = languages.get(name) else {
            told.note(format!("html/{name}: skipped, doc_lg.json does not name it"));
            continue;
        };
        if !golds.contains(name) {
            told.note(format!("html/{name}: kept without gold, reference/{name} is missing"));
        }
        if let Some(language) = told.page(&encode_id(name), tag_of(source, name, language))? {
            records.push(record(name, language, golds.contains(name), &mut hashes));
        }
    }
    let pages: BTreeSet<&String> = pages.iter().collect();
    let orphans = golds.iter().filter(|name| !pages.contains(name));
    for name in orphans {
        told.gold_without_page(format!("reference/{name}: dropped, there is no page html/{name}"));
    }
    let missing = languages.keys().filter(|name| !pages.contains(name));
    for name in missing {
        told.note(format!("doc_lg.json: `{name}` has no file html/{name}"));
    }
    let readings = Readings { gold: |text| text.replace("<p>", "\n").replace("</p>", "\n"), ..Readings::default() };
    dataset(source, manifest(), records, readings, told)
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "daniel".to_owned(),
        version: "be875ce12ad9".to_owned(),
        title: "DAnIEL 2.1".to_owned(),
        description: "Gold: each <p> and </p> is a line break; nothing else is parsed. Pages were stored as UTF-8 \
                      upstream, whatever their labels say."
            .to_owned(),
        licence: third_party("GPL-3.0-only", "unknown"),
        source: Some(json!({"repository": "rundimeco/waddle", "commit": "be875ce12ad9e23ef68ef7f3b0605db6d06bcdb1"})),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("human".to_owned()),
            includes: vec!["title".to_owned()],
            verbatim: Some(true),
            ordered: Some(true),
            ..GoldNature::default()
        },
        ..Manifest::default()
    }
}

/// The tag of the language that `doc_lg.json` gives the page `name`.
fn tag_of(source: &Path, name: &str, language: &str) -> Result<&'static str, DatasetError> {
    Ok(match language {
        "Chinese" => "zh",
        "English" => "en",
        "Greek" => "el",
        "Polish" => "pl",
        "Russian" => "ru",
        other => {
            let message = format!("`{other}` is no language that this importer knows");
            let fault = DatasetError::new(Code::Upstream, shown(&source.join("doc_lg.json")), message);
            return Err(at_line_with(fault, source, "doc_lg.json", name));
        }
    })
}

/// `name` is `<yyyymmdd>_<host>_<hash of the URL>`.
fn record(name: &str, language: &str, has_gold: bool, hashes: &mut BTreeSet<String>) -> Record {
    let mut parts = name.splitn(2, '_');
    let date = parts.next().unwrap_or_default();
    let (host, hash) = parts.next().and_then(|rest| rest.rsplit_once('_')).unwrap_or((name, ""));
    let known = FAULTS.iter().filter(|(id, _)| name.starts_with(id)).map(|(_, fault)| (*fault).to_owned());
    let mut faults: Vec<String> = known.collect();
    if !hash.is_empty() && !hashes.insert(hash.to_owned()) {
        faults.push("near_duplicate".to_owned());
    }
    let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    let details = Details {
        host: Some(host.to_owned()),
        crawled: is_date.then(|| format!("{}-{}-{}", &date[..4], &date[4..6], &date[6..])),
        faults,
        ..Details::default()
    };
    Record {
        id: encode_id(name),
        html: HtmlSource::Path(format!("html/{name}")),
        gold: has_gold.then(|| GoldSource::Path(format!("reference/{name}"))),
        site: Some(registrable_domain(host)),
        language: Some(language.to_owned()),
        encoding: Some("utf-8".to_owned()),
        kind: Some("article".to_owned()),
        details: details.boxed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_layout_and_names_what_it_skips() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let (first, second) = ("20111209_news.a.com.cn_ff00", "20111215_news.a.com.cn_ff00");
        for name in [first, second, "20120101_b.org_1"] {
            put(&format!("html/{name}"), "<meta charset=gbk><p>\u{4E2D}</p>");
        }
        put(&format!("reference/{first}"), "<p>a & <b</p>\n<p>c\n");
        put(&format!("reference/{second}"), "<p>x</p>");
        put("reference/20120101_gone.org_2", "<p>x</p>");
        put("html/.DS_Store", "");
        put(
            "doc_lg.json",
            &format!(
                "{{\"{first}\": \"Chinese\", \"{second}\": \"Chinese\", \"20120101_b.org_1\": \"English\", \"nowhere\": \"English\"}}"
            ),
        );
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
        let ids: Vec<_> = records.iter().map(|record| record.id.as_str()).collect();
        assert_eq!(ids, [first, second, "20120101_b.org_1"]);
        let opened = dataset.open(&records[0]).unwrap();
        assert_eq!(opened.gold.as_deref(), Some("a & <b\nc"));
        assert_eq!(opened.page.facts.encoding, "UTF-8");
        assert_eq!(records[0].site.as_deref(), Some("a.com.cn"));
        assert_eq!(records[0].details().crawled.as_deref(), Some("2011-12-09"));
        assert_eq!(records[1].details().faults, ["near_duplicate"]);
        assert!(records[2].gold.is_none());
        assert_eq!(dataset.notes.len(), 3, "{:?}", dataset.notes);
    }

    #[test]
    fn says_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
        assert_eq!(error.code, Code::Upstream);
        assert!(error.message.contains("doc_lg.json"), "{error}");
        let languages = b"{\n\"20120101_a.org_1\": \"English\",\n\"20120101_b.org_2\": \"Klingon\"}";
        let folder = crate::datasets::import::tests::folder(&[
            ("html/20120101_b.org_2", b"x"),
            ("reference/20120101_b.org_2", b"x"),
            ("doc_lg.json", languages),
        ]);
        let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
        assert_eq!(
            (error.code, error.line, error.page.as_deref()),
            (Code::Upstream, Some(3), Some("20120101_b.org_2"))
        );
    }
}

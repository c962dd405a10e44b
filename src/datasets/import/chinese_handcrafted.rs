//! `chinese-handcrafted`: 69 Chinese pages, most of them CleanEval's with its wrapper.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;

use super::upstream::{read_file, set_published};
use super::wrapper::{Wrapped, unwrap};
use super::{Importer, Options, Told, dataset, expect_layout, third_party};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, registrable_domain};
use crate::datasets::words::is_date;
use crate::datasets::{Dataset, DatasetError, Readings, file_names};

/// The importer `chinese-handcrafted`.
pub static IMPORTER: Importer = Importer {
    name: "chinese-handcrafted",
    title: "Chinese-Web-Content-Extraction-Dataset of immortal-autumn: original/, cleaned/, author/, date/",
    layout: &[],
    options: &[],
    read,
};

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    expect_layout(source, &["original", "cleaned", "author", "date"])?;
    let golds: BTreeSet<String> = file_names(&source.join("cleaned"))?.into_iter().collect();
    let mut records = Vec::new();
    let mut stems = BTreeSet::new();
    for name in file_names(&source.join("original"))? {
        let Some(stem) = name.strip_suffix(".html") else {
            told.note(format!("original/{name}: skipped, its name does not end in .html"));
            continue;
        };
        let has_gold = golds.contains(&format!("{stem}.txt"));
        if !has_gold {
            told.note(format!("original/{name}: kept without gold, cleaned/{stem}.txt is missing"));
        }
        stems.insert(stem.to_owned());
        let read = record(source, &name, stem, has_gold, told);
        records.extend(told.page(&encode_id(stem), read)?);
    }
    let orphans = golds.iter().filter(|name| !name.strip_suffix(".txt").is_some_and(|stem| stems.contains(stem)));
    for name in orphans {
        told.gold_without_page(format!("cleaned/{name}: dropped, there is no page of that name"));
    }
    let readings = Readings { page: unwrap, ..Readings::default() };
    dataset(source, manifest(), records, readings, told)
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "chinese-handcrafted".to_owned(),
        version: "99d0ef084191".to_owned(),
        title: "Chinese Web Content Extraction Dataset".to_owned(),
        description: "CleanEval's <text> wrapper removed; its encoding attribute decides where there is one."
            .to_owned(),
        licence: third_party("MIT", "unknown"),
        source: Some(json!({
            "repository": "immortal-autumn/Chinese-Web-Content-Extraction-Dataset",
            "commit": "99d0ef08419109b5489b12e38f771f25b952d774",
        })),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("human".to_owned()),
            includes: vec!["captions".to_owned(), "lists".to_owned()],
            verbatim: Some(true),
            ordered: None,
            ..GoldNature::default()
        },
        ..Manifest::default()
    }
}

/// Known faults by the beginning of the id.
const FAULTS: &[(&str, &[&str])] = &[
    ("47f387e6", &["gold_order"]),
    ("d5bced5e", &["gold_not_in_page"]),
    ("b70f455d", &["misdecoded"]),
    ("6dc2d508", &["misdecoded"]),
    ("658d9f03", &["gold_not_in_page"]),
    ("f70d9c97", &["gold_not_in_page"]),
    ("8cb7b39d", &["gold_not_in_page"]),
    ("2397c95d", &["gold_not_in_page"]),
];

fn record(source: &Path, name: &str, stem: &str, has_gold: bool, told: &mut Told) -> Result<Record, DatasetError> {
    let wrapped = Wrapped::read(source, &format!("original/{name}"))?;
    let host = wrapped.url.as_deref().and_then(host_of);
    let site = host.map_or_else(|| stem.to_owned(), |host| registrable_domain(&host));
    let encoding = wrapped.is_wrapped.then(|| wrapped_encoding(&wrapped));
    let author = stated(source, &format!("author/{stem}.txt"), told)?;
    let mut details = Details { author, url: wrapped.url, ..Details::default() };
    if let Some(date) = stated(source, &format!("date/{stem}.txt"), told)? {
        set_published(&mut details, &padded_date(&date).unwrap_or(date));
    }
    let known = FAULTS.iter().filter(|(id, _)| stem.starts_with(id)).flat_map(|(_, faults)| *faults);
    details.faults = known.map(|fault| (*fault).to_owned()).collect();
    Ok(Record {
        id: encode_id(stem),
        html: HtmlSource::Path(format!("original/{name}")),
        gold: has_gold.then(|| GoldSource::Path(format!("cleaned/{stem}.txt"))),
        site: Some(site),
        language: Some("zh".to_owned()),
        encoding,
        details: details.boxed(),
        ..Record::default()
    })
}

/// What an annotator wrote into the file at `path`; nothing where the file is not there, is empty, or says `UNKNOWN`, which
/// one misspelt.
fn stated(source: &Path, path: &str, told: &mut Told) -> Result<Option<String>, DatasetError> {
    if !source.join(path).exists() {
        return Ok(None);
    }
    let Ok(text) = String::from_utf8(read_file(source, path)?) else {
        told.note(format!("{path}: left out, it is not valid UTF-8"));
        return Ok(None);
    };
    let text = text.trim();
    Ok(Some(text.to_owned()).filter(|text| !matches!(text.as_str(), "" | "UNKNOWN" | "UNKNWON")))
}

/// What the wrapper says; where it says `unset`, UTF-8 if the page is valid, else GBK.
fn wrapped_encoding(wrapped: &Wrapped) -> String {
    match wrapped.encoding {
        Some(encoding) => encoding.name().to_ascii_lowercase(),
        None if std::str::from_utf8(wrapped.page()).is_ok() => "utf-8".to_owned(),
        None => "gbk".to_owned(),
    }
}

/// `2005-5-7 8:15` as `2005-05-07T08:15`, `1998-3` as `1998-03`; nothing for what is no date.
fn padded_date(written: &str) -> Option<String> {
    let mut parts = written.splitn(2, ' ');
    let day: Vec<u32> = parts.next()?.split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let day = match day[..] {
        [year] => format!("{year:04}"),
        [year, month] => format!("{year:04}-{month:02}"),
        [year, month, date] => format!("{year:04}-{month:02}-{date:02}"),
        _ => return None,
    };
    let time = parts.next().map(|time| time.split(':').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>());
    let written = match time {
        Some(Some(time)) if time.len() >= 2 => {
            let time: Vec<String> = time.iter().map(|part| format!("{part:02}")).collect();
            format!("{day}T{}", time.join(":"))
        }
        _ => day,
    };
    Some(written).filter(|date| is_date(date))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::folder;
    use crate::formats::code::Code;

    #[test]
    fn wrappers_come_off_and_decide() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, bytes: &[u8]| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        put("original/a.html", b"<text id=\"http://news.sohu.com/1\" title=\"\xD6\xD0\" encoding=\"unset\">\n<title>t</title>\xD6\xD0</text>\n");
        put("original/b.html", "<text id=\"x\" encoding=\"unset\">\n\u{FEFF}中</text>".as_bytes());
        put("original/c.html", b"<meta charset=gb2312>\xD6\xD0</text>");
        for name in ["a", "b", "c"] {
            put(&format!("cleaned/{name}.txt"), "中\n".as_bytes());
        }
        put("date/a.txt", b"2005-5-7 8:15\n");
        put("author/a.txt", b"UNKNOWN");
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
        let opened: Vec<_> = records.iter().map(|record| dataset.open(record).unwrap()).collect();
        let encodings: Vec<_> = opened.iter().map(|opened| opened.page.facts.encoding.as_str()).collect();
        assert_eq!(encodings, ["GBK", "UTF-8", "GBK"]);
        let first = &records[0];
        assert_eq!(first.site.as_deref(), Some("sohu.com"));
        assert_eq!(records[1].site.as_deref(), Some("b"));
        assert_eq!(
            (first.details().published.as_deref(), first.details().author.as_deref()),
            (Some("2005-05-07T08:15"), None)
        );
        // Without the wrapper the title is in the head, where it is no text.
        let page = &opened[0].page;
        let in_body: Vec<&str> = page.tree.subtree(page.tree.body().unwrap()).map(|id| page.tree.text(id)).collect();
        assert_eq!(in_body.concat(), "中");
    }

    #[test]
    fn dates_are_dates_and_unknown_authors_none() {
        for (written, date) in [
            ("2005-5-7 8:15", Some("2005-05-07T08:15")),
            ("1998-3", Some("1998-03")),
            ("2018", Some("2018")),
            ("2005-99-99", None),
            ("0-0-0", None),
            ("2005-5-7 25:61", None),
            ("1-2-3-4", None),
            ("刘涛", None),
        ] {
            assert_eq!(padded_date(written).as_deref(), date, "{written}");
        }
        let folder = folder(&[
            ("original/a.html", b"<p>x"),
            ("cleaned/a.txt", b"x"),
            ("author/a.txt", b"UNKNWON\n"),
            ("date/a.txt", b"2005-99-99"),
            ("original/47f387e6-1.html", b"<p>x"),
            ("author/47f387e6-1.txt", b"\xFF"),
            ("date/47f387e6-1.txt", b""),
        ]);
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let [known, plain] = [0, 1].map(|index| dataset.records.get(index).unwrap());
        assert_eq!((&plain.details().author, &plain.details().published), (&None, &None));
        assert_eq!(plain.details().other["x-published"], "2005-99-99");
        assert_eq!(
            (known.details().faults.as_slice(), &known.details().author),
            (&["gold_order".to_owned()][..], &None)
        );
        assert!(
            dataset.notes.iter().any(|note| note.text().starts_with("author/47f387e6-1.txt: ")),
            "{:?}",
            dataset.notes
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_not_read() {
        let folder = folder(&[("original/a.html", b"<p>x"), ("cleaned/a.txt", b"x"), ("date/a.txt", b"")]);
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        std::fs::create_dir(folder.path().join("author")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("author/a.txt")).unwrap();
        assert_eq!(IMPORTER.read(folder.path(), &Options::default()).unwrap_err().code, Code::Path);
    }
}

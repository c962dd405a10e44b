//! `gne`: the test pages of GeneralNewsExtractor, without gold.

use crate::formats::code::Code;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Importer, Options, Told, dataset, third_party};
use crate::datasets::manifest::{Details, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::{Dataset, DatasetError, Readings, files_below, shown};

/// The importer `gne`.
pub static IMPORTER: Importer = Importer {
    name: "gne",
    title: "GeneralNewsExtractor, its repository: tests/, visiable_test/, test_list_page/; no gold",
    layout: &[],
    options: &[],
    read,
};

/// The folder of news pages.
const NEWS: &str = "tests";

/// The folder of pages that list others.
const LISTINGS: &str = "test_list_page";

/// The folders of pages, as upstream spells them.
const FOLDERS: [&str; 3] = [NEWS, "visiable_test", LISTINGS];

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    if !source.join(NEWS).is_dir() {
        let message = "expected tests/ with a folder of pages for each site";
        return Err(DatasetError::new(Code::Upstream, shown(source), message));
    }
    let mut records = Vec::new();
    for folder in FOLDERS {
        let place: PathBuf = source.join(folder);
        if !place.is_dir() {
            continue;
        }
        let names = files_below(&place).map_err(|message| DatasetError::new(Code::Missing, shown(&place), message))?;
        records.extend(names.iter().filter_map(|name| record(folder, name)));
    }
    records.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    dataset(source, manifest(), records, Readings::default(), told)
}

/// The page at `name` below `folder`; `None` for another file. Names such as `1.html` stand in many folders.
fn record(folder: &str, name: &str) -> Option<Record> {
    let path = format!("{folder}/{name}");
    let stem = path.strip_suffix(".html")?;
    let id = encode_id(&stem.replace('/', "~"));
    let site = name.rsplit_once('/').map_or_else(|| id.clone(), |(site, _)| site.replace('/', "~"));
    let details = Details { group: Some(folder.to_owned()), ..Details::default() };
    Some(Record {
        html: HtmlSource::Path(path),
        site: Some(site.to_lowercase()),
        encoding: Some("utf-8".to_owned()),
        kind: Some(if folder == LISTINGS { "listing" } else { "article" }.to_owned()),
        id,
        details: details.boxed(),
        ..Record::default()
    })
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "gne".to_owned(),
        version: "3d5a67c6".to_owned(),
        title: "Test pages of GeneralNewsExtractor".to_owned(),
        description: "No gold: result.txt upstream is the program's own output. Mostly Chinese news; upstream states no language."
            .to_owned(),
        licence: third_party("unknown", "unknown"),
        source: Some(json!({"repository": "GeneralNewsExtractor/GeneralNewsExtractor"})),
        pages: vec!["pages.jsonl".to_owned()],
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::{folder, rows};

    #[test]
    fn reads_news_rendered_pages_and_listings_without_gold() {
        let files: &[(&str, &[u8])] = &[
            ("tests/163/2.html", "<meta charset=gbk><p>一".as_bytes()),
            ("tests/QQ/2.html", b"<p>x"),
            ("tests/163/note.txt", b"x"),
            ("tests/._1.html", b"x"),
            ("visiable_test/1.html", b"<p>x"),
            ("test_list_page/163/2.html", b"<p>x"),
            ("test/163/2.html", b"<p>x"),
            ("result.txt", b"x"),
        ];
        let folder = folder(files);
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        let expected = [
            ("test_list_page~163~2", "163"),
            ("tests~163~2", "163"),
            ("tests~QQ~2", "qq"),
            ("visiable_test~1", "visiable_test~1"),
        ];
        assert_eq!(rows(&dataset), expected.map(|(id, site)| (id.to_owned(), site.to_owned(), None)));
        let kinds = dataset.records.iter().map(|record| record.unwrap().kind.clone().unwrap());
        assert_eq!(kinds.collect::<Vec<_>>(), ["listing", "article", "article", "article"]);
        let opened = dataset.open(&dataset.records.get(1).unwrap()).unwrap();
        assert_eq!(opened.page.facts.encoding, "UTF-8");
    }

    #[test]
    fn another_layout_is_refused() {
        let folder = folder(&[("test/163/1.html", b"x")]);
        assert_eq!(IMPORTER.read(folder.path(), &Options::default()).unwrap_err().code, Code::Upstream);
    }
}

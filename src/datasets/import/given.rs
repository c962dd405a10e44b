//! Pages that a program gives from its memory, row by row. A page is the same as in a row of `table`.

use std::path::Path;
use std::sync::Arc;

use super::folder::manifest_of_name;
use super::table::first_language;
use super::{count, version_of};
use crate::datasets::manifest::{Details, GoldSource, HtmlObject, HtmlSource, Record, encode_id};
use crate::datasets::root::{Fault, MadeFiles, Root};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::words::fit;
use crate::datasets::{Dataset, DatasetDigest, Digests, hash};
use crate::page::charset;

/// A page as it is given. An empty text is none, but for `html` and `gold`.
#[derive(Clone, Debug, Default)]
pub struct GivenPage {
    /// Unique in its dataset.
    pub id: String,
    /// The page.
    pub html: GivenHtml,
    /// The gold text, if there is one.
    pub gold: Option<String>,
    /// Absolute URL.
    pub url: Option<String>,
    /// The site; else the registrable domain of the URL, else the page stands for itself.
    pub site: Option<String>,
    /// BCP 47 tag of the content.
    pub language: Option<String>,
    /// The kind of page.
    pub kind: Option<String>,
    /// The label of its encoding, where the page is bytes; an unknown one is none.
    pub encoding: Option<String>,
    /// A grouping of the caller's own.
    pub group: Option<String>,
    /// `train`, `dev`, `test` or another.
    pub split: Option<String>,
}

/// A page itself.
#[derive(Clone, Debug)]
pub enum GivenHtml {
    /// Its characters.
    Text(String),
    /// Its bytes, which are decoded as browsers do.
    Bytes(Vec<u8>),
}

impl Default for GivenHtml {
    fn default() -> Self {
        GivenHtml::Text(String::new())
    }
}

/// Pages of a batch.
pub(crate) struct Given {
    /// The pages that can be run.
    pub(crate) dataset: Dataset,
    /// For each page that was given its place in the dataset, or why it cannot be run.
    pub(crate) places: Vec<Result<usize, String>>,
}

/// The dataset of these pages, named `name` as far as names of datasets can be.
pub(crate) fn given(name: &str, pages: Vec<GivenPage>) -> Given {
    let (mut records, mut bytes, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for page in pages {
        let (record, html) = record_of(page, records.len());
        places.push(record.map(|record| {
            bytes.push(html);
            records.push(record);
            records.len() - 1
        }));
    }
    Given { dataset: dataset_of(name, records, Root::Made(Arc::new(Pages(bytes)))), places }
}

/// The record of the page, which will stand at `place`, and its bytes where it is no text.
fn record_of(page: GivenPage, place: usize) -> (Result<Record, String>, Option<Vec<u8>>) {
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let (id, url) = (encode_id(&page.id), filled(page.url));
    let site = filled(page.site).unwrap_or_else(|| site_of(url.as_deref().and_then(host_of).as_deref(), &id));
    let details = Details { url, split: filled(page.split), group: filled(page.group), ..Details::default() };
    let (html, encoding, bytes) = match page.html {
        GivenHtml::Text(text) => {
            let object = HtmlObject { text: Some(text), ..HtmlObject::default() };
            (HtmlSource::Object(Box::new(object)), Some("utf-8".to_owned()), None)
        }
        GivenHtml::Bytes(bytes) => {
            let encoding = page.encoding.filter(|label| charset::for_label(label).is_some());
            (HtmlSource::Path(place.to_string()), encoding, Some(bytes))
        }
    };
    let mut record = Record {
        html,
        gold: page.gold.map(GoldSource::of_text),
        site: Some(site),
        language: filled(page.language).map(|languages| first_language(&languages)),
        encoding,
        kind: filled(page.kind),
        id,
        details: details.boxed(),
    };
    (fit(&mut record).map(|()| record).map_err(|(_, message)| message), bytes)
}

/// A dataset of pages that were run elsewhere, in this order, each with its digests: their content is not there any more.
pub(crate) fn run_elsewhere<'d>(
    name: &str,
    records: Vec<Record>,
    digests: impl Iterator<Item = &'d Digests>,
) -> Dataset {
    let mut digest = DatasetDigest::new();
    records.iter().zip(digests).for_each(|(record, digests)| digest.add(record, digests));
    let mut dataset = dataset_of(name, records, Root::Made(Arc::new(Pages(Vec::new()))));
    dataset.manifest.version = version_of(&digest.finish(&dataset.manifest));
    dataset
}

fn dataset_of(name: &str, records: Vec<Record>, root: Root) -> Dataset {
    let ids = records.iter().map(|record| hash(record.id.as_bytes())).collect();
    let mut dataset = Dataset::new(manifest_of_name(name), records.into(), ids, root.clone(), root);
    count(&mut dataset);
    dataset
}

/// The bytes of pages that are no texts, by their places.
#[derive(Debug)]
struct Pages(Vec<Option<Vec<u8>>>);

impl MadeFiles for Pages {
    fn read_file(&self, path: &str) -> Result<Vec<u8>, Fault> {
        let page = path.parse().ok().and_then(|place: usize| self.0.get(place)?.clone());
        page.ok_or_else(|| Fault::missing("the page was run elsewhere"))
    }

    fn has(&self, path: &str) -> bool {
        self.read_file(path).is_ok()
    }

    fn home(&self) -> Option<&Path> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::table::IMPORTER;
    use crate::datasets::import::tests::{folder, options};

    #[test]
    fn a_page_is_that_of_a_row_of_a_table() {
        let rows = concat!(
            "{\"id\":\"a b\",\"html\":\"<p>中文</p>\",\"gold\":\"中文\",\"url\":\"https://News.example.co.uk/1\",\"language\":\"zho,eng\"}\n",
            "{\"id\":\"b\",\"html\":\"<p>x</p>\",\"gold\":null,\"url\":null,\"language\":\"\"}\n",
        );
        let folder = folder(&[("pages.jsonl", rows.as_bytes())]);
        let table = IMPORTER.read(&folder.path().join("pages.jsonl"), &options(&[("columns.gold", "gold")])).unwrap();
        let text = |text: &str| Some(text.to_owned());
        let pages = vec![
            GivenPage {
                id: "a b".to_owned(),
                html: GivenHtml::Text("<p>中文</p>".to_owned()),
                gold: text("中文"),
                url: text("https://News.example.co.uk/1"),
                language: text("zho,eng"),
                ..GivenPage::default()
            },
            GivenPage {
                id: "b".to_owned(),
                html: GivenHtml::Text("<p>x</p>".to_owned()),
                language: text(""),
                ..GivenPage::default()
            },
        ];
        let Given { dataset, places } = given("pages", pages);
        assert_eq!(places, [Ok(0), Ok(1)]);
        let records = |dataset: &Dataset| -> Vec<String> {
            dataset.records.iter().map(|record| serde_json::to_string(&*record.unwrap()).unwrap()).collect()
        };
        assert_eq!(records(&dataset), records(&table));
        let digests: Vec<Digests> = dataset.records.iter().map(|record| dataset.digests(&record.unwrap())).collect();
        let held = dataset.records.iter().map(|record| Record::clone(&record.unwrap())).collect();
        let elsewhere = run_elsewhere("pages", held, digests.iter());
        assert_eq!(elsewhere.manifest.version, table.manifest.version);
        assert_eq!(elsewhere.name(), table.name());
        assert_eq!(elsewhere.manifest.counts.unwrap().golds, Some(1));
    }

    #[test]
    fn bytes_are_decoded_and_faults_cost_their_page() {
        let page = |id: &str, html, encoding: Option<&str>, kind: Option<&str>| GivenPage {
            id: id.to_owned(),
            html,
            encoding: encoding.map(str::to_owned),
            kind: kind.map(str::to_owned),
            ..GivenPage::default()
        };
        let chinese = || GivenHtml::Bytes(b"<p>\xd6\xd0\xce\xc4".to_vec());
        let Given { dataset, places } = given(
            "My Pages",
            vec![
                page("a", chinese(), Some("gbk"), None),
                page("b", chinese(), Some("no label"), Some("Not A Word")),
                page("c", GivenHtml::Bytes(b"<p>x".to_vec()), Some("no label"), None),
            ],
        );
        assert_eq!((dataset.name(), dataset.records.len()), ("my-pages", 2));
        assert_eq!(places[0], Ok(0));
        assert!(places[1].as_ref().unwrap_err().contains("`kind` is a word"));
        assert_eq!(places[2], Ok(1));
        let characters = |place: usize| dataset.characters(&dataset.records.get(place).unwrap()).unwrap();
        assert_eq!((characters(0).as_str(), characters(1).as_str()), ("<p>中文", "<p>x"));
    }
}

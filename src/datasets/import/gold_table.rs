//! The golds of a folder's pages in the rows of a table, joined to the pages by what they are called.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use encoding_rs::Encoding;
use serde_json::{Map, Value as Json};

use super::folder::stem;
use super::table::{NOT_UTF_8, each_row};
use crate::datasets::manifest::encode_id;
use crate::datasets::{DatasetError, shown};
use crate::formats::code::Code;

/// Columns that hold the gold, the first that a row has.
const TEXT: [&str; 7] = ["gold", "gold_text", "text", "content", "main_content", "article_body", "articleBody"];

/// The way in which a table of golds names its pages.
#[derive(Clone, Copy)]
pub(super) struct Naming {
    /// Columns that say whose the gold is, the first that a row has.
    pub(super) columns: &'static [&'static str],
    /// The name of a page where the column says so.
    pub(super) called: fn(&str) -> &str,
}

impl Naming {
    /// Of the pages of a folder.
    pub(super) const OF_FILES: Naming =
        Naming { columns: &["id", "page_id", "page", "path", "file", "filename", "name"], called: |name| name };
}

/// The golds of a table by what their pages are called.
#[derive(Debug)]
pub(super) struct GoldTable {
    golds: BTreeMap<String, Gold>,
    /// What a page is called by the id that is made of it.
    whose: BTreeMap<String, String>,
}

#[derive(Debug)]
struct Gold {
    text: String,
    /// The number of its row.
    row: u32,
    /// True if a page has taken it.
    is_taken: AtomicBool,
}

impl GoldTable {
    /// Reads the table `name`, which lies in `folder`, or anywhere else. It is in `encoding`, or else in UTF-8; `way_out` is what
    /// someone can do whose table is in another.
    ///
    /// # Errors
    /// [`DatasetError`]: a file that is no table, a row without one of the columns, or two golds of one page.
    pub(super) fn read(
        folder: &Path,
        name: &str,
        naming: Naming,
        encoding: Option<&'static Encoding>,
        way_out: &str,
    ) -> Result<Self, DatasetError> {
        let Naming { columns, called } = naming;
        let inside = folder.join(name);
        let file = if inside.is_file() { inside } else { Path::new(name).to_owned() };
        let mut golds: BTreeMap<String, Gold> = BTreeMap::new();
        let read = each_row(&file, encoding, |cells, row| {
            let whose = column(cells, columns).and_then(text_of).ok_or_else(|| without(cells, columns))?;
            let whose = called(&whose).to_owned();
            let gold = column(cells, &TEXT).ok_or_else(|| without(cells, &TEXT))?;
            // As in a table of pages, what is empty or null is no gold.
            let Some(text) = text_of(gold) else { return Ok(()) };
            match golds.insert(whose.clone(), Gold { text, row, is_taken: AtomicBool::new(false) }) {
                Some(other) => Err((Code::Id, format!("`{whose}` has a gold in row {} already", other.row))),
                None => Ok(()),
            }
        });
        read.map_err(|error| match error.message.ends_with(NOT_UTF_8) {
            true => DatasetError { message: format!("{}; {way_out}", error.message), ..error },
            false => error,
        })?;
        if golds.is_empty() {
            return Err(DatasetError::new(Code::Count, shown(&file), "there is no gold in this table"));
        }
        let whose = golds.keys().map(|whose| (encode_id(whose), whose.clone())).collect();
        Ok(GoldTable { golds, whose })
    }

    /// The gold of the page at `path` whose id is `id`: that of its id, its path, its name, or its name without ending.
    pub(super) fn of_file(&self, path: &str, id: &str) -> Option<&str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let names = [id, path, name, stem(name)].into_iter().chain(self.whose.get(id).map(String::as_str));
        self.take(names)
    }

    /// The gold of the page that is called by one of `names`, the first that has one.
    pub(super) fn take<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<&str> {
        let gold = names.into_iter().find_map(|name| self.golds.get(name))?;
        gold.is_taken.store(true, Ordering::Relaxed);
        Some(&gold.text)
    }

    /// Those whose golds no page has taken.
    pub(super) fn left(&self) -> impl Iterator<Item = &str> {
        self.golds.iter().filter(|(_, gold)| !gold.is_taken.load(Ordering::Relaxed)).map(|(whose, _)| whose.as_str())
    }
}

fn column<'c>(cells: &'c Map<String, Json>, names: &[&str]) -> Option<&'c Json> {
    names.iter().find_map(|name| cells.get(*name))
}

fn text_of(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// That a row has none of the columns `names`.
fn without(cells: &Map<String, Json>, names: &[&str]) -> (Code, String) {
    let there: Vec<String> = cells.keys().map(|name| format!("`{name}`")).collect();
    let message = format!("expected one of the columns {}; the row has {}", names.join(", "), there.join(", "));
    (Code::Upstream, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::folder;

    fn read(name: &str, text: &str) -> Result<GoldTable, DatasetError> {
        let folder = folder(&[(name, text.as_bytes())]);
        GoldTable::read(folder.path(), name, Naming::OF_FILES, None, "save it in UTF-8")
    }

    #[test]
    fn golds_are_joined_by_id_path_or_name() {
        let rows = "{\"id\":1,\"text\":\"one\"}\n{\"id\":\"html/b.html\",\"text\":\"two\"}\n\
                    {\"id\":\"c.htm\",\"text\":\"three\"}\n{\"id\":\"my page\",\"text\":\"four\"}\n\
                    {\"id\":\"none\",\"text\":null}\n{\"id\":\"lost\",\"text\":\"\"}\n";
        let table = read("golds.jsonl", rows).unwrap();
        let pages = [("html/1.html", "1"), ("html/b.html", "b"), ("c.htm", "c"), ("my page.html", "my%20page")];
        let golds = pages.map(|(path, id)| table.of_file(path, id).unwrap_or_default());
        assert_eq!(golds, ["one", "two", "three", "four"]);
        assert_eq!(table.of_file("none.html", "none"), None, "null is no gold");
        assert_eq!(table.left().collect::<Vec<_>>(), ["lost"]);
    }

    #[test]
    fn what_is_no_table_of_golds_is_told_with_its_line() {
        let fault = |name: &str, text: &str| read(name, text).err().unwrap().to_string();
        let twice = fault("g.csv", "id,gold\na,x\nb,y\na,z\n");
        assert!(twice.contains("g.csv:4: `a` has a gold in row 1 already"), "{twice}");
        let unnamed = fault("g.tsv", "key\tgold\na\tx\n");
        assert!(
            unnamed.contains("g.tsv:2: expected one of the columns id,") && unnamed.contains("`key`, `gold`"),
            "{unnamed}"
        );
        assert!(fault("g.csv", "id,gold\n").contains("there is no gold in this table"));
    }

    #[test]
    fn a_table_in_another_encoding_names_the_option_that_reads_it() {
        use crate::datasets::import::tests::options;
        let (gbk, _, _) = encoding_rs::GBK.encode("page,gold\n一,甲乙丙\n2,丁\n");
        let files: [(&str, &[u8]); 3] = [("一.html", b"<p>x"), ("2.html", b"<p>y"), ("golds.csv", &gbk)];
        let folder = folder(&files);
        let read =
            |pairs: &[(&str, &str)]| crate::datasets::import::folder::IMPORTER.read(folder.path(), &options(pairs));
        let error = read(&[("gold_table", "golds.csv")]).unwrap_err();
        let way_out = error.message.split('`').find(|part| part.contains("gold_encoding")).unwrap();
        let (_, named) = way_out.split_once(',').unwrap();
        let named: Vec<(&str, &str)> = named.split(',').map(|pair| pair.split_once('=').unwrap()).collect();
        let dataset = read(&named).unwrap();
        let golds: Vec<Option<String>> =
            dataset.records.iter().map(|record| dataset.open(&record.unwrap()).unwrap().gold).collect();
        assert_eq!(golds, [Some("丁".to_owned()), Some("甲乙丙".to_owned())]);
        let wrong = read(&[("gold_table", "golds.csv"), ("gold_encoding", "utf-16le")]).unwrap_err();
        assert!(!wrong.message.contains("gold_encoding=gbk"), "{wrong}");
    }
}

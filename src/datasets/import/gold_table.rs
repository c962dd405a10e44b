//! The golds of a folder's pages in the rows of a table, joined to the pages by what they are called.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use encoding_rs::Encoding;
use serde_json::{Map, Value as Json};
use unicode_normalization::UnicodeNormalization;

use super::gold_places::stem;
use super::table::{NOT_UTF_8, PlacedRows, RowPlace};
use crate::datasets::manifest::encode_id;
use crate::datasets::{DatasetError, hash, shown};
use crate::formats::code::Code;

/// Columns that hold the gold, the first that a row has.
const TEXT: [&str; 13] = [
    "gold", "gold_text", "text", "main_text", "content", "main_content", "article_body", "articleBody", "标注", "正文",
    "标准答案", "标注正文", "内容",
];

/// The way in which a table of golds names its pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Naming {
    /// Columns that say whose the gold is, the first that a row has.
    pub(super) columns: &'static [&'static str],
    /// The name of a page where the column says so.
    pub(super) called: fn(&str) -> &str,
}

/// The words of a row: what its page is called, and the text of its gold.
type Words = (String, String);

impl Naming {
    /// Of the pages of a folder.
    pub(super) const OF_FILES: Naming = Naming {
        columns: &[
            "id", "page_id", "page", "path", "file", "filename", "name", "编号", "网页", "页面", "文件", "文件名",
        ],
        called: |name| name,
    };

    /// The words of a row of these cells; `None` where it has no gold.
    fn words(self, cells: &Map<String, Json>) -> Result<Option<Words>, (Code, String)> {
        let Naming { columns, called } = self;
        let whose = column(cells, columns).and_then(text_of).ok_or_else(|| without(cells, columns))?;
        let gold = column(cells, &TEXT).ok_or_else(|| without(cells, &TEXT))?;
        // As in a table of pages, what is empty or null is no gold.
        Ok(text_of(gold).map(|text| (called(&whose).to_owned(), text)))
    }
}

/// The golds of a table by what their pages are called. Texts stay in the table: of each its place is held.
#[derive(Debug)]
pub(super) struct GoldTable {
    rows: PlacedRows,
    /// The columns of its first row that may hold golds; they are taken from the first of them.
    columns: Vec<String>,
    naming: Naming,
    /// In the order of the hashes of their names, and of the table.
    golds: Vec<Gold>,
    /// The hashes of an id that is made of a name, where it is another, and of that name; in their order.
    ids: Vec<(u64, u64)>,
}

#[derive(Debug)]
struct Gold {
    /// The hash of what its page is called.
    name: u64,
    place: RowPlace,
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
        let inside = folder.join(name);
        let file = if inside.is_file() { inside } else { Path::new(name).to_owned() };
        let table = PlacedRows::open(&file, encoding).and_then(|rows| GoldTable::of(rows, naming));
        let table = table.map_err(|error| match error.message.ends_with(NOT_UTF_8) {
            true => DatasetError { message: format!("{}; {way_out}", error.message), ..error },
            false => error,
        })?;
        if table.golds.is_empty() {
            return Err(DatasetError::new(Code::Count, shown(&file), "there is no gold in this table"));
        }
        Ok(table)
    }

    fn of(rows: PlacedRows, naming: Naming) -> Result<Self, DatasetError> {
        let (mut golds, mut ids, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        rows.for_each(|cells, place| {
            if columns.is_empty() {
                columns.extend(TEXT.iter().filter(|name| cells.contains_key(**name)).map(|name| (*name).to_owned()));
            }
            let Some((whose, _)) = naming.words(cells)? else { return Ok(()) };
            let (name, id) = (hash(composed(&whose).as_bytes()), encode_id(&composed(&whose)));
            golds.push(Gold { name, place, is_taken: AtomicBool::new(false) });
            ids.extend((id != composed(&whose)).then(|| (hash(id.as_bytes()), name)));
            Ok(())
        })?;
        golds.sort_unstable_by_key(|gold| (gold.name, gold.place));
        ids.sort_unstable();
        let table = GoldTable { rows, columns, naming, golds, ids };
        table.refuse_two_of_a_page()?;
        Ok(table)
    }

    /// Says from which column golds are taken, where they may be meant to be in another.
    pub(super) fn told_columns(&self) -> Option<String> {
        let [taken, others @ ..] = &self.columns[..] else { return None };
        let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
        (!others.is_empty()).then(|| {
            format!("golds are taken from the column `{taken}` of the table, which has {}, too: rename those that are not meant", others.join(", "))
        })
    }

    /// Refuses the first row whose page has a gold in a row before.
    fn refuse_two_of_a_page(&self) -> Result<(), DatasetError> {
        let mut second: Option<(&Gold, u32)> = None;
        for golds in self.golds.chunk_by(|one, other| one.name == other.name).filter(|golds| golds.len() > 1) {
            let mut known = BTreeMap::new();
            for gold in golds {
                if let Some(row) = known.insert(self.words(gold)?.0, gold.place.number) {
                    second = second.filter(|(other, _)| other.place < gold.place).or(Some((gold, row)));
                    break;
                }
            }
        }
        let Some((gold, row)) = second else { return Ok(()) };
        let message = format!("`{}` has a gold in row {row} already", self.words(gold)?.0);
        Err(self.rows.fault(gold.place, (Code::Id, message)))
    }

    /// The gold of the page at `path` whose id is `id`: that of its id, its path, its name, or its name without ending.
    pub(super) fn of_file(&self, path: &str, id: &str) -> Result<Option<String>, DatasetError> {
        let name = path.rsplit('/').next().unwrap_or(path);
        match self.take([id, path, name, stem(name)])? {
            None => self.take_by_id(id),
            text => Ok(text),
        }
    }

    /// The gold of the page that is called by one of `names`, the first that has one.
    pub(super) fn take<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Option<String>, DatasetError> {
        let found = names.into_iter().map(|name| {
            let name = composed(name);
            self.find(hash(name.as_bytes()), |whose| composed(whose) == name)
        });
        found.filter_map(Result::transpose).next().transpose()
    }

    /// The gold of the page whose id is made of what its gold calls it.
    fn take_by_id(&self, id: &str) -> Result<Option<String>, DatasetError> {
        let begin = (hash(id.as_bytes()), u64::MIN);
        let first = self.ids.partition_point(|&entry| entry < begin);
        let names = self.ids[first..].iter().take_while(|(of_id, _)| *of_id == begin.0);
        let found = names.map(|&(_, name)| self.find(name, |whose| encode_id(&composed(whose)) == id));
        found.filter_map(Result::transpose).next().transpose()
    }

    /// The gold whose name has the hash `name` and is the page's; it is taken then.
    fn find(&self, name: u64, is_it: impl Fn(&str) -> bool) -> Result<Option<String>, DatasetError> {
        let first = self.golds.partition_point(|gold| gold.name < name);
        for gold in self.golds[first..].iter().take_while(|gold| gold.name == name) {
            let (whose, text) = self.words(gold)?;
            if is_it(&whose) {
                gold.is_taken.store(true, Ordering::Relaxed);
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Those whose golds no page has taken, in order.
    pub(super) fn left(&self) -> Result<Vec<String>, DatasetError> {
        let left = self.golds.iter().filter(|gold| !gold.is_taken.load(Ordering::Relaxed));
        let mut left: Vec<String> = left.map(|gold| Ok(self.words(gold)?.0)).collect::<Result<_, DatasetError>>()?;
        left.sort_unstable();
        Ok(left)
    }

    /// The words of the row of a gold.
    fn words(&self, gold: &Gold) -> Result<Words, DatasetError> {
        let words = self.naming.words(&self.rows.cells(gold.place)?);
        let words = words.map_err(|told| self.rows.fault(gold.place, told))?;
        words.ok_or_else(|| self.rows.changed(gold.place))
    }
}

/// A name in the one form of Unicode by which names are compared: a Mac keeps those of files in another.
fn composed(name: &str) -> String {
    name.nfc().collect()
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
    let is_apart = there.len() > 1 || !there[..].concat().contains([';', '\t', '|']);
    let why = if is_apart { "" } else { "; if `;`, tabs or `|` part its values, save the table with commas" };
    let message = format!("expected one of the columns {}; the row has {}{why}", names.join(", "), there.join(", "));
    (Code::Upstream, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::folder;

    fn read(name: &str, text: &str) -> Result<GoldTable, DatasetError> {
        let folder = folder(&[(name, text.as_bytes())]);
        let read = GoldTable::read(folder.path(), name, Naming::OF_FILES, None, "save it in UTF-8");
        // The folder must outlive its golds.
        std::mem::forget(folder);
        read
    }

    #[test]
    fn golds_are_joined_by_id_path_or_name() {
        let rows = "{\"id\":1,\"text\":\"one\"}\n{\"id\":\"html/b.html\",\"text\":\"two\"}\n\
                    {\"id\":\"c.htm\",\"text\":\"three\"}\n{\"id\":\"my page\",\"text\":\"four\"}\n\
                    {\"id\":\"none\",\"text\":null}\n{\"id\":\"lost\",\"text\":\"\"}\n";
        let table = read("golds.jsonl", rows).unwrap();
        let pages = [("html/1.html", "1"), ("html/b.html", "b"), ("c.htm", "c"), ("my page.html", "my%20page")];
        let golds = pages.map(|(path, id)| table.of_file(path, id).unwrap().unwrap_or_default());
        assert_eq!(golds, ["one", "two", "three", "four"]);
        assert_eq!(table.of_file("none.html", "none"), Ok(None), "null is no gold");
        assert_eq!((table.left().unwrap(), table.told_columns()), (vec!["lost".to_owned()], None));
        let told = read("g.csv", "name,内容,正文\na,x,y\n").unwrap().told_columns().unwrap();
        assert!(
            told.starts_with("golds are taken from the column `正文` of the table, which has `内容`, too"),
            "{told}"
        );
    }

    #[test]
    fn what_is_no_table_of_golds_is_told_with_its_line() {
        let fault = |name: &str, text: &str| read(name, text).err().unwrap().to_string();
        let twice = fault("g.csv", "id,gold\na,x\nb,y\na,z\n");
        assert!(twice.contains("g.csv:4: `a` has a gold in row 1 already"), "{twice}");
        let first = fault("g.csv", "id,gold\nb,1\na,2\nz,3\na,4\nb,5\na,6\n");
        assert!(first.contains("g.csv:5: `a` has a gold in row 2 already"), "{first}");
        let unnamed = fault("g.tsv", "key\tgold\na\tx\n");
        assert!(
            unnamed.contains("g.tsv:2: expected one of the columns id,") && unnamed.contains("`key`, `gold`"),
            "{unnamed}"
        );
        assert!(fault("g.csv", "id,gold\n").contains("there is no gold in this table"));
    }

    #[test]
    fn a_unicode_text_of_a_spreadsheet_is_read_with_its_quotes() {
        let rows = "\u{FEFF}文件名\t正文\r\n一.html\t\"甲\n\"\"乙\"\"\"\r\n";
        for (name, bytes) in [("g.txt", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("g.tsv", u16::to_be_bytes)] {
            let folder = folder(&[(name, &rows.encode_utf16().flat_map(bytes).collect::<Vec<u8>>())]);
            let table = GoldTable::read(folder.path(), name, Naming::OF_FILES, None, "").unwrap();
            assert_eq!(table.of_file("一.html", "一").unwrap().as_deref(), Some("甲\n\"乙\""), "{name}");
        }
        // The names of files on a Mac are in another form of Unicode.
        let table = read("g.csv", "name,gold\ncaf\u{e9}.html,one\n").unwrap();
        assert_eq!(table.of_file("cafe\u{301}.html", "caf\u{e9}").unwrap().as_deref(), Some("one"));
        // Other texts with tabs do not quote.
        let table = read("g.tsv", "id\tgold\na\t\"one\n").unwrap();
        assert_eq!(table.take(["a"]).unwrap().as_deref(), Some("\"one"));
        assert!(
            read("g.txt", "id\tgold\n").unwrap_err().message.ends_with("call a text with tabs between its values .tsv")
        );
    }

    #[test]
    fn golds_stay_in_the_table_which_must_not_change() {
        let folder = folder(&[("g.csv", b"id,gold\na,one\nb,\"two\ntwo\"\nc,three\n")]);
        let table = GoldTable::read(folder.path(), "g.csv", Naming::OF_FILES, None, "").unwrap();
        std::fs::write(folder.path().join("g.csv"), "id,gold\na,one\nb,\"two\ntwo\"\nc,other\n").unwrap();
        assert_eq!(table.take(["no", "b"]), Ok(Some("two\ntwo".to_owned())));
        let error = table.take(["c"]).unwrap_err();
        assert_eq!((error.code, error.line, error.file.ends_with("g.csv")), (Code::Digest, Some(5), true), "{error}");
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

//! `table`: pages in the rows of a table, as JSON Lines, CSV or TSV; a map says which columns they stand in.
//!
//! Rows stay on the disk: of each only its place is kept, and it is read again when it is asked for.

mod columns;
pub(super) mod options;
mod placed_rows;
mod rows;
mod unpacking;
mod values;

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encoding_rs::Encoding;
use globset::Glob;
use serde_json::{Map, Value as Json};

#[cfg(feature = "parquet")]
pub(super) use self::columns::{Cells, Names};
pub(super) use self::columns::{Columns, first_language};
pub(super) use self::placed_rows::{PlacedRows, RowPlace};
pub(super) use self::rows::{NOT_UTF_8, stem};
use self::rows::{Part, Reading, Row, Separation};
use self::unpacking::MAX_UNPACKED_BYTES;
use super::{Importer, OptionHelp, Options, Told, count, folder, version_of};
use crate::datasets::manifest::{GoldSource, Manifest, Record};
use crate::datasets::records::{RecordSource, Records};
use crate::datasets::root::Root;
use crate::datasets::site::unknown_sites;
use crate::datasets::words::fit;
use crate::datasets::{Dataset, DatasetDigest, DatasetError, Digests, files_below, hash, shown};
use crate::formats::inert::one_line;
use crate::page::charset;
use crate::text;
use crate::text::normalise_lines;

/// The importer `table`.
pub static IMPORTER: Importer = Importer {
    name: "table",
    title: "a table of pages: a file of JSON Lines, CSV or TSV (packed by gzip or zstd, or not), or a folder of such parts",
    layout: &[],
    options: &[
        OptionHelp {
            name: "columns.html",
            help: "column of the page's characters [default: html, raw_html, html_content, page_html]",
        },
        options::GOLD,
        options::ID,
        options::URL,
        options::SITE,
        options::LANGUAGE,
        options::KIND,
        options::SPLIT,
        options::CRAWLED,
        options::EXTRA,
        OptionHelp {
            name: "delimiter",
            help: "what stands between values: tab, comma, semicolon, bar or another sign [default: comma of CSV, tab of TSV]",
        },
        OptionHelp {
            name: "encoding",
            help: "the encoding of the table, such as gbk [default: utf-8, or UTF-16 if the table begins with its mark]",
        },
        OptionHelp {
            name: "quotes",
            help: "true | false: whether values may stand in double quotes [default: true of CSV and of UTF-16 with its mark, false of other TSV]",
        },
        OptionHelp {
            name: "parts",
            help: "which files of the folder are parts [default: **/*.{jsonl,ndjson,csv,tsv} and those with .gz or .zst]",
        },
    ],
    read,
};

/// The rows of a table, and what their columns mean.
#[derive(Debug)]
pub(in crate::datasets) struct Table {
    rows: PlacedRows,
    columns: Columns,
}

impl RecordSource for Table {
    type Place = RowPlace;

    fn get(&self, place: RowPlace) -> Result<Record, DatasetError> {
        let (part, row) = self.rows.row(place)?;
        self.record(part, &row)?.ok_or_else(|| self.rows.changed(place))
    }

    fn located(&self, place: RowPlace, fault: DatasetError) -> DatasetError {
        self.rows.located(place, fault)
    }
}

impl Table {
    /// The record of a row; `None` where the row has no page.
    fn record(&self, part: &Part, row: &Row) -> Result<Option<Record>, DatasetError> {
        let fault =
            |(code, message): (Code, String)| part.at(DatasetError::new(code, shown(&part.file), message), row.offset);
        let name = format!("{}-{:09}", part.stem(), row.number);
        let Some(mut record) = self.columns.record(&row.cells, &part.partitions, &name).map_err(fault)? else {
            return Ok(None);
        };
        fit(&mut record).map_err(|wrong| fault(wrong).of_page(&record.id))?;
        Ok(Some(record))
    }
}

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let fault = |message: String| DatasetError::new(Code::Option, shown(source), message);
    let columns = Columns::new(options).map_err(fault)?;
    let (folder, paths) = parts(source, options, PARTS)?;
    let separation = Separation::of(options).map_err(fault)?;
    let encoding = encoding(options).map_err(fault)?;
    let (mut parts, mut left) = (Vec::new(), MAX_UNPACKED_BYTES);
    for path in &paths {
        let reading = Reading { separation, encoding };
        let part = Part::open(&folder, path, partitions(path), reading, &mut left);
        parts.push(part.map_err(with_way_to_encoding)?);
    }
    if parts.is_empty() {
        let message = "expected a file of JSON Lines, CSV or TSV, or a folder of such parts (*.jsonl, *.csv, *.tsv)";
        return Err(DatasetError::new(Code::Upstream, shown(source), message));
    }
    let table = Table { rows: PlacedRows(parts), columns };
    let Rows { places, ids, golds, without_site, without_language, paths, skipped, seen, present, lost, digest } =
        rows_of(&table, told)?;
    if let Some((field, missing)) = table.columns.never_seen(&seen).filter(|_| told.faults.has_none()) {
        return Err(fault(without_column(field, missing, &present)));
    }
    if places.is_empty() && told.faults.has_none() {
        return Err(DatasetError::new(Code::Count, shown(source), "there is no row with a page in this table"));
    }
    let (rows, root) = (places.len(), Root::Folder(folder));
    let records = Records::placed(Arc::new(table), places, golds);
    let mut dataset = Dataset::new(manifest(source), records, ids.clone(), root.clone(), root);
    dataset.check_pages(&ids, &shown(source), &mut told.faults)?;
    dataset.manifest.description = "Pages are rows of a table, in characters that others decoded.".to_owned();
    count(&mut dataset);
    let digest = match dataset.records.len() == rows {
        true => digest.finish(&dataset.manifest),
        false => dataset.digest(|record| dataset.digests(record))?,
    };
    dataset.manifest.version = version_of(&digest);
    let Lost { pages: lossy, characters } = lost;
    if lossy > 0 {
        told.note(format!("{lossy} pages hold U+FFFD, {characters} in all: what others could not decode (W-FFFD)"));
    }
    if skipped > 0 {
        told.note(format!("{skipped} rows without a page skipped"));
    }
    if paths > 0 && paths == rows {
        told.note(
            "the column of pages holds paths, and no HTML: name the folder of the pages, and this table as its golds \
             (FOLDER,gold_table=FILE)"
                .to_owned(),
        );
    }
    if without_language > 0 {
        told.note(format!(
            "{} of {rows} without a language, which no table guesses: algorithms with word lists of each language take those for \
             any; a column `language`, or columns.language=NAME, says it",
            text::counted(without_language, "page")
        ));
    }
    if without_site > 1 {
        told.note(unknown_sites(without_site, "columns.site=NAME or columns.url=NAME says it"));
    }
    let gold = GOLD_COLUMNS.iter().find(|name| golds == 0 && present.contains(**name));
    if let Some(name) = gold.filter(|_| !options.0.contains_key("columns.gold")) {
        told.note(format!("no gold is read; if the column `{name}` has it: columns.gold={name}"));
    }
    Ok(dataset)
}

/// Columns that are likely to hold gold. None of them is read unasked, for other programs' texts are called so, too.
const GOLD_COLUMNS: [&str; 8] =
    ["gold", "gold_text", "ground_truth", "reference", "truth", "main_text", "正文", "text"];

/// The encoding of a table.
fn encoding(options: &Options) -> Result<Option<&'static Encoding>, String> {
    let Some(label) = options.0.get("encoding") else { return Ok(None) };
    let known = charset::for_label(label).map(Some);
    known.ok_or_else(|| format!("encoding: `{label}` is no label of the Encoding Standard"))
}

/// The fault of a table in another encoding than UTF-8, with the option that reads it.
fn with_way_to_encoding(mut fault: DatasetError) -> DatasetError {
    if fault.message.ends_with(NOT_UTF_8) {
        fault.message += "; state the encoding of the table behind its name, as in `table:rows.csv,encoding=gbk`";
    }
    fault
}

/// The manifest of a table, named after its file without endings, or its folder.
pub(super) fn manifest(source: &Path) -> Manifest {
    if source.is_dir() { folder::manifest(source) } else { folder::manifest_of_name(&stem(source)) }
}

/// What was learnt of a table's rows in one pass.
#[derive(Default)]
struct Rows {
    places: Vec<RowPlace>,
    /// The hashes of their ids.
    ids: Vec<u64>,
    golds: usize,
    /// Pages that are sites of their own, for nothing says their sites.
    without_site: usize,
    /// Pages of which nothing says the language.
    without_language: usize,
    /// Pages that are paths of files, and no HTML.
    paths: usize,
    /// Rows without a page.
    skipped: usize,
    /// Columns that were asked for and that some row has.
    seen: Vec<String>,
    /// Columns that rows have, of very many the first.
    present: BTreeSet<String>,
    lost: Lost,
    digest: DatasetDigest,
}

/// Characters that others could not decode.
#[derive(Default)]
struct Lost {
    pages: usize,
    characters: usize,
}

fn rows_of(table: &Table, told: &mut Told) -> Result<Rows, DatasetError> {
    let mut rows = Rows::default();
    for (number, part) in table.rows.0.iter().enumerate() {
        let read = part.for_each(|row| {
            let record = row.and_then(|row| {
                table.columns.note_seen(&row.cells, &part.partitions, &mut rows.seen);
                if rows.present.len() < SHOWN_COLUMNS {
                    rows.present.extend(row.cells.keys().take(SHOWN_COLUMNS).cloned());
                }
                Ok((table.record(part, &row)?, row))
            });
            let (record, row) = match record {
                Ok((Some(record), row)) => (record, row),
                Ok((None, _)) => {
                    rows.skipped += 1;
                    return Ok(());
                }
                Err(fault) => return told.faults.page(with_way_to_encoding(fault)),
            };
            told.count_aside(&record);
            let page = record.html.text().unwrap_or_default();
            let lost = page.matches(char::REPLACEMENT_CHARACTER).count();
            rows.lost.pages += usize::from(lost > 0);
            rows.lost.characters += lost;
            let gold = record.gold.as_ref().and_then(GoldSource::text).map(normalise_lines);
            rows.digest.add(&record, &Digests::of(Some(page.as_bytes()), gold.as_deref()));
            rows.golds += usize::from(record.gold.is_some());
            rows.without_site += usize::from(record.site.as_ref() == Some(&record.id));
            let is_path = |ending: &str| page.trim_end().ends_with(ending) && !page.contains(['<', '\n']);
            rows.paths += usize::from([".html", ".htm"].into_iter().any(is_path));
            rows.without_language += usize::from(record.language.is_none());
            rows.ids.push(hash(record.id.as_bytes()));
            rows.places.push(RowPlace::of(number, &row));
            Ok(())
        });
        read.or_else(|fault| told.faults.rest_of(&shown(&part.file), fault))?;
    }
    Ok(rows)
}

/// The beginning of the line that some spreadsheets write before the header.
const OF_SPREADSHEET: &str = "sep=";

/// The way out for whoever has such a line.
const NO_HEADER: &str = "; the first line is of a spreadsheet, not a header: remove it";

/// So many columns are shown where one is missing.
const SHOWN_COLUMNS: usize = 20;

/// Characters of each that are shown.
const SHOWN_OF_COLUMN: usize = 40;

/// That no row has the column `missing`, in which `field` would stand, and how to name the one that is meant.
pub(super) fn without_column(field: &str, missing: &str, present: &BTreeSet<String>) -> String {
    // What is taken for names may be a page.
    let shown = |name: &String| format!("`{}`", one_line(name).chars().take(SHOWN_OF_COLUMN).collect::<String>());
    let columns: Vec<String> = present.iter().take(SHOWN_COLUMNS).map(shown).collect();
    let one_column = match &columns[..] {
        [name] if name.contains([';', '\t', '|']) => {
            "; if that is several, say with delimiter=semicolon, tab or bar what parts them"
        }
        _ if present.iter().any(|name| name.starts_with(OF_SPREADSHEET)) => NO_HEADER,
        _ => "",
    };
    let columns =
        if columns.is_empty() { "no row has any".to_owned() } else { format!("there are {}", columns.join(", ")) };
    format!(
        "no row has the column `{missing}`; {columns}{one_column}; name the one that is meant with columns.{field}=NAME"
    )
}

/// The files that are parts if no one says.
const PARTS: &str = "**/*.{jsonl,ndjson,csv,tsv,jsonl.gz,ndjson.gz,csv.gz,tsv.gz,jsonl.zst,ndjson.zst,csv.zst,tsv.zst}";

/// The folder of the file or the folder `source`, and its parts in the order of their names; `usual` says which files are
/// parts if the option `parts` does not.
pub(super) fn parts(source: &Path, options: &Options, usual: &str) -> Result<(PathBuf, Vec<String>), DatasetError> {
    if !source.is_dir() {
        let name = source.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = source.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        return Ok((folder.to_owned(), vec![name]));
    }
    let fault = |code, message: String| DatasetError::new(code, shown(source), message);
    let glob = options.0.get("parts").map_or(usual, String::as_str);
    let glob = Glob::new(glob).map_err(|error| fault(Code::Option, format!("parts: {error}")))?.compile_matcher();
    let files = files_below(source).map_err(|message| fault(Code::Missing, message))?;
    // What Spark and others leave beside their parts.
    let is_marker = |path: &String| path.split('/').any(|name| name.starts_with(['_', '.']));
    Ok((source.to_owned(), files.into_iter().filter(|path| !is_marker(path) && glob.is_match(path)).collect()))
}

/// The columns that folders stand for: `crawl=CC-MAIN-2024-10/part-0.jsonl`.
pub(super) fn partitions(path: &str) -> Map<String, Json> {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders).split('/');
    let pair = |folder: &str| {
        let (name, value) = folder.split_once('=')?;
        let value = unescaped(value);
        (value != "__HIVE_DEFAULT_PARTITION__").then(|| (name.to_owned(), Json::String(value)))
    };
    folders.filter_map(pair).collect::<BTreeMap<_, _>>().into_iter().collect()
}

/// `%3A` and the like, as Hive writes what no folder may be named.
fn unescaped(text: &str) -> String {
    let (bytes, mut plain, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let escaped = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        plain.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Note;
    use crate::datasets::import::tests::{folder, gzip, options, rows};
    use crate::datasets::manifest::Details;

    const HTML: &str = "<p>中文 \\\"a\\\"";

    /// The dataset of one file, or the code and the line of its fault.
    fn table(name: &str, text: &[u8], pairs: &[(&str, &str)]) -> Result<Dataset, (Code, Option<usize>)> {
        let folder = folder(&[(name, text)]);
        let read = IMPORTER.read(&folder.path().join(name), &options(pairs));
        // The folder must outlive its rows.
        std::mem::forget(folder);
        read.map_err(|error| (error.code, error.line))
    }

    fn row(id: &str, site: &str, gold: Option<&str>) -> (String, String, Option<String>) {
        (id.to_owned(), site.to_owned(), gold.map(str::to_owned))
    }

    #[test]
    fn json_lines_are_rows_with_nested_columns() {
        let text = format!(
            "\u{FEFF}{{\"track_id\": 7, \"html\": \"{HTML}\", \"url\": \"https://a.b.co.uk/x\", \"truth\": {{\"text\": \"中文 \"}}}}\n\n\
             {{\"track_id\": \"b/c\", \"html\": \"\", \"meta\": {{\"language\": \"zh\"}}, \"date\": \"soon\", \"truth\": null, \"dump\": \"d\"}}\r\n\
             {{\"track_id\": \"none\", \"html\": null}}"
        );
        for (name, bytes) in [("t.jsonl", text.clone().into_bytes()), ("t.jsonl.gz", gzip(text.as_bytes()))] {
            let dataset = table(name, &bytes, &[("columns.gold", "truth.text")]).unwrap();
            assert_eq!(rows(&dataset), [row("7", "b.co.uk", Some("中文")), row("b%2Fc", "b%2Fc", None)]);
            let second = dataset.records.get(1).unwrap();
            assert_eq!((second.language.as_deref(), second.encoding.as_deref()), (Some("zh"), Some("utf-8")));
            let Details { extra, other, crawled, .. } = second.details();
            assert_eq!((extra.as_deref().unwrap()["dump"].as_str(), crawled), (Some("d"), &None));
            assert_eq!((other["x-crawled"].as_str(), dataset.notes.len()), (Some("soon"), 2));
        }
    }

    #[test]
    fn csv_and_tsv_are_rows_under_a_header() {
        let csv = "\u{FEFF}html,lang,kind,gold text\n\"<p>one,\n\"\"two\"\"\",en,blog,two\n<p>x,,,\n,en,blog,no page\n";
        let pairs = [("columns.gold", "gold text"), ("columns.kind", "type,kind")];
        let dataset = table("t.csv", csv.as_bytes(), &pairs).unwrap();
        let expected = [row("t-000000001", "t-000000001", Some("two")), row("t-000000002", "t-000000002", None)];
        assert_eq!(rows(&dataset), expected);
        let first = dataset.records.get(0).unwrap();
        assert_eq!((first.html.text(), first.kind.as_deref()), (Some("<p>one,\n\"two\""), Some("blog")));
        let tsv = "id\tpage\na\t\"<p>x, y\nb\t\"\"\n";
        let plain = table("t.tsv", tsv.as_bytes(), &[("columns.html", "page")]).unwrap();
        let pages = plain.records.iter().map(|record| record.unwrap().html.text().unwrap().to_owned());
        assert_eq!(pages.collect::<Vec<_>>(), ["\"<p>x, y", "\"\""]);
        let quoted = table("t.tsv", b"id\thtml\na\t\"<p>x\ty\"\n", &[("quotes", "true")]).unwrap();
        assert_eq!(quoted.records.get(0).unwrap().html.text(), Some("<p>x\ty"));
    }

    #[test]
    fn the_version_is_the_digests_and_lost_characters_are_counted() {
        let text = "id,html,truth\na,<p>x\u{FFFD}\u{FFFD},  y \nb,<p>z,\nc,\u{FFFD},\n";
        let dataset = table("t.csv", text.as_bytes(), &[("columns.gold", "truth")]).unwrap();
        let digest = dataset.digest(|record| dataset.digests(record)).unwrap();
        assert_eq!(dataset.manifest.version, digest["sha256:".len()..][..12]);
        assert_eq!(
            dataset.notes.iter().map(Note::text).collect::<Vec<_>>(),
            [
                "2 pages hold U+FFFD, 3 in all: what others could not decode (W-FFFD)",
                "3 pages of 3 without a language, which no table guesses: algorithms with word lists of each language take those \
                 for any; a column `language`, or columns.language=NAME, says it",
                "3 pages have no site, so each counts as one: if several are of one site, intervals are too narrow and tests too sure \
                 (columns.site=NAME or columns.url=NAME says it)"
            ]
        );
    }

    #[test]
    fn folders_are_read_in_the_order_of_names_with_their_partitions() {
        let parts: &[(&str, &[u8])] = &[
            ("crawl=a%3Ab/part-2.jsonl", br#"{"id": "2", "html": "x"}"#),
            ("crawl=a%3Ab/part-1.csv", b"id,html\n1,x\n"),
            ("crawl=a%3Ab/_SUCCESS", b""),
            ("_temporary/part-0.jsonl", b"{"),
            ("crawl=__HIVE_DEFAULT_PARTITION__/.part.jsonl.crc", b"{"),
            ("notes.txt", b"x"),
        ];
        let folder = folder(parts);
        let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
        assert_eq!(rows(&dataset), [row("1", "1", None), row("2", "2", None)]);
        assert_eq!(dataset.records.get(1).unwrap().details().extra.as_deref().unwrap()["crawl"], "a:b");
        let some = IMPORTER.read(folder.path(), &options(&[("parts", "**/*.csv")])).unwrap();
        assert_eq!((some.records.len(), some.records.sorted_by_id().unwrap().len()), (1, 1));
        assert_eq!(IMPORTER.read(folder.path(), &options(&[("parts", "*.no")])).unwrap_err().code, Code::Upstream);
    }

    #[test]
    fn faults_name_their_line() {
        let good = r#"{"id": "a", "html": "x"}"#;
        type Case<'c> = (&'c str, &'c str, &'c [(&'c str, &'c str)], Code, Option<usize>);
        let cases: &[Case<'_>] = &[
            ("t.jsonl", "GOOD\n{\"id\": \"b\"", &[], Code::Upstream, Some(2)),
            ("t.jsonl", "GOOD\nGOOD\n", &[], Code::Id, Some(2)),
            ("t.jsonl", "\n{\"html\": 3}", &[], Code::Upstream, Some(2)),
            ("t.jsonl", "{\"html\": \"x\", \"html\": \"y\"}", &[], Code::Upstream, Some(1)),
            ("t.jsonl", "GOOD", &[("columns.gold", "truth")], Code::Option, None),
            ("t.jsonl", "GOOD", &[("columns.html", "")], Code::Option, None),
            ("t.jsonl", "GOOD", &[("columns.gold", "id"), ("columns.kind", "html.x")], Code::Option, None),
            ("t.jsonl", "{\"html\": null}", &[], Code::Count, None),
            ("t.jsonl", "{\"id\": \"a\"}", &[], Code::Option, None),
            ("t.jsonl", "{\"html\": \"x\", \"kind\": \"A Kind\"}", &[("columns.kind", "kind")], Code::Type, Some(1)),
            ("t.csv", "id,html\na,x\nb\n", &[], Code::Upstream, Some(3)),
            ("t.csv", "id,html\na,\"x\ny\"\na,z\n", &[], Code::Id, Some(4)),
            ("t.csv", "id,id\na,x\n", &[], Code::Upstream, Some(1)),
            ("t.csv", "", &[], Code::Upstream, Some(1)),
            ("t.csv", "id,html\n1,\"<p>one\"\n2,\"<p>thr", &[], Code::Upstream, Some(3)),
            ("t.csv", "id,html\r\na,\"<p>x\r\nb,<p>y\r\n", &[], Code::Upstream, Some(2)),
            ("t.csv", "id,html\na,\"<p>x\nb,\"<p>y\"\n", &[], Code::Upstream, Some(2)),
            ("t.csv", "GOOD", &[("quotes", "perhaps")], Code::Option, None),
            ("t.tsv", "id\thtml\na\t\"<p>x\nb\t<p>y\n", &[("quotes", "true")], Code::Upstream, Some(2)),
            ("t.parquet", "PAR1", &[], Code::Upstream, None),
            ("t.jsonl.gz", "no gzip", &[], Code::Upstream, None),
        ];
        for (name, text, pairs, code, line) in cases {
            let told = table(name, text.replace("GOOD", good).as_bytes(), pairs).map(|_| ()).unwrap_err();
            assert_eq!(told, (*code, *line), "{name} {text}");
        }
        assert_eq!(table("t.csv", b"id,html\na,\xFF\n", &[]).unwrap_err(), (Code::Upstream, Some(2)));
    }

    #[test]
    fn rows_are_read_again_in_any_order_and_must_be_the_same() {
        let folder = folder(&[("t.csv", b"id,html\na,\"x\ny\"\nb,z\n".as_slice())]);
        let file = folder.path().join("t.csv");
        let dataset = IMPORTER.read(&file, &Options::default()).unwrap();
        let html = |index: usize| dataset.records.get(index).map(|record| record.html.text().unwrap().to_owned());
        assert_eq!((html(1).unwrap().as_str(), html(0).unwrap().as_str()), ("z", "x\ny"));
        std::fs::write(&file, "id,html\na,\"x\ny\"\nb,w\n").unwrap();
        assert_eq!(html(0).unwrap(), "x\ny");
        let error = html(1).unwrap_err();
        assert_eq!((error.code, error.line), (Code::Digest, Some(4)));
    }
}

use std::path::PathBuf;

use carat_parquet::{Form, TableWriter, Value};
use proptest::prelude::*;

use super::*;
use crate::datasets::Note;
use crate::datasets::import::table;
use crate::datasets::import::tests::{folder, options};
use crate::datasets::load::Loading;

/// A Parquet file of these columns and rows, so many rows per row group; numbers are texts in `Form::Integer` columns.
fn parquet(columns: &[(&str, Form)], group_rows: usize, rows: &[&[Option<&[u8]>]]) -> Vec<u8> {
    let mut table = TableWriter::new(Vec::new(), columns).unwrap().with_group_rows(group_rows);
    for row in rows {
        let value = |(cell, (_, form)): (&Option<&'_ [u8]>, &(&str, Form))| match (*cell, form) {
            (None, _) => Value::Null,
            (Some(bytes), Form::Text) => Value::Text(std::str::from_utf8(bytes).unwrap().to_owned().leak()),
            (Some(bytes), Form::Binary) => Value::Binary(bytes.to_vec().leak()),
            (Some(bytes), Form::Integer) => Value::Integer(std::str::from_utf8(bytes).unwrap().parse().unwrap()),
        };
        table.add(&row.iter().zip(columns).map(value).collect::<Vec<_>>()).unwrap();
    }
    table.finish().unwrap()
}

/// Pages by their ids.
fn plain(pages: &[(&str, &str)], group_rows: usize) -> Vec<u8> {
    let rows: Vec<[Option<&[u8]>; 2]> =
        pages.iter().map(|(id, html)| [Some(html.as_bytes()), Some(id.as_bytes())]).collect();
    let rows: Vec<&[Option<&[u8]>]> = rows.iter().map(<[_; 2]>::as_slice).collect();
    parquet(&[("html", Form::Text), ("id", Form::Text)], group_rows, &rows)
}

fn read(files: &[(&str, &[u8])], pairs: &[(&str, &str)], loading: Loading) -> Result<Dataset, DatasetError> {
    let folder = folder(files);
    let read = IMPORTER.read_with(folder.path(), &options(pairs), loading);
    // The folder must outlive its pages.
    std::mem::forget(folder);
    read
}

fn whole(bytes: &[u8], pairs: &[(&str, &str)]) -> Dataset {
    read(&[("a.parquet", bytes)], pairs, Loading::default()).unwrap()
}

fn page(dataset: &Dataset, index: usize) -> String {
    String::from_utf8_lossy(&dataset.page_bytes(&dataset.records.get(index).unwrap()).unwrap()).into_owned()
}

fn ids(dataset: &Dataset) -> String {
    dataset.records.iter().map(|record| record.unwrap().id.clone()).collect::<Vec<_>>().join(" ")
}

fn notes(dataset: &Dataset) -> Vec<&str> {
    dataset.notes.iter().map(Note::text).collect()
}

fn digest(dataset: &Dataset) -> String {
    dataset.digest(|record| dataset.digests(record)).unwrap()
}

const COLUMNS: [(&str, Form); 8] = [
    ("html", Form::Text),
    ("track_id", Form::Integer),
    ("url", Form::Text),
    ("language", Form::Text),
    ("truth", Form::Text),
    ("date", Form::Text),
    ("dump", Form::Text),
    ("meta.kind", Form::Text),
];

#[test]
fn rows_mean_the_same_as_those_of_a_table() {
    let rows: [&[Option<&[u8]>]; 5] = [
        &[
            Some("<p>中\u{FFFD}".as_bytes()),
            Some(b"1"),
            Some(b"https://a.b.co.uk/x"),
            Some(b"zho,eng"),
            Some(b"a \n b"),
            Some(b"2024-05-06"),
            Some(b"d"),
            Some(b"blog"),
        ],
        &[Some(b""), Some(b"2"), Some(b"not a url"), Some(b"English (US)"), None, Some(b"soon"), None, None],
        &[Some(b"<p>x"), Some(b"3"), Some(b""), Some(b""), Some(b""), None, None, None],
        &[None, Some(b"4"), None, None, None, None, None, None],
        &[Some(b"<p>y"), None, None, None, None, None, None, None],
    ];
    let line = |row: &&[Option<&[u8]>]| {
        let cells = COLUMNS.iter().zip(row.iter()).map(|((name, form), cell)| {
            let text = cell.map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
            let value = match form {
                Form::Integer => text.map(|text| text.parse::<i64>().unwrap()).into(),
                _ => serde_json::Value::from(text),
            };
            ((*name).to_owned(), value)
        });
        serde_json::Value::Object(cells.collect()).to_string()
    };
    let json = rows.iter().map(line).collect::<Vec<_>>().join("\n");
    let pairs = [("columns.gold", "truth"), ("columns.kind", "meta.kind")];
    let folder = folder(&[("t.jsonl", json.as_bytes())]);
    let table = table::IMPORTER.read(&folder.path().join("t.jsonl"), &options(&pairs)).unwrap();
    for group_rows in [1, 2, 100] {
        let dataset =
            read(&[("t.parquet", &parquet(&COLUMNS, group_rows, &rows))], &pairs, Loading::default()).unwrap();
        assert_eq!(
            (crate::datasets::import::tests::rows(&dataset), digest(&dataset)),
            (crate::datasets::import::tests::rows(&table), digest(&table))
        );
        assert_eq!((notes(&dataset), dataset.records.golds()), (notes(&table), 2));
        for (one, other) in dataset.records.iter().zip(table.records.iter()) {
            let (one, other) = (one.unwrap(), other.unwrap());
            assert_eq!(
                (one.details(), &one.encoding, &one.language),
                (other.details(), &other.encoding, &other.language)
            );
            assert_eq!(dataset.page_bytes(&one), table.page_bytes(&other));
            assert_eq!(dataset.digests(&one), dataset.open(&one).unwrap().digests, "known without reading the page");
        }
        assert_eq!(dataset.manifest.version, digest(&dataset)["sha256:".len()..][..12]);
    }
}

#[test]
fn bytes_are_decoded_by_the_label_of_their_row_or_as_browsers_do() {
    let columns = [("html", Form::Binary), ("id", Form::Text), ("encoding", Form::Text), ("content_type", Form::Text)];
    let gbk: Option<&[u8]> = Some(b"<p>\xD6\xD0\xCE\xC4");
    let meta: Option<&[u8]> = Some(b"<meta charset=gbk><p>\xD6\xD0\xCE\xC4");
    let rows: [&[Option<&[u8]>]; 5] = [
        &[gbk, Some(b"a"), Some(b" GBK "), Some(b"text/html; charset=utf-8")],
        &[gbk, Some(b"b"), None, Some(b"text/html; charset=\"gb2312\"")],
        &[meta, Some(b"c"), None, None],
        &[meta, Some(b"d"), Some(b"Klingon"), None],
        &[Some("<p>中文".as_bytes()), Some(b"e"), Some(b"utf-8"), None],
    ];
    let dataset = whole(&parquet(&columns, 2, &rows), &[]);
    let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
    let encodings: Vec<_> = records.iter().map(|record| record.encoding.as_deref()).collect();
    assert_eq!(encodings, [Some("gbk"), Some("gb2312"), None, None, Some("utf-8")]);
    for record in &records {
        assert!(dataset.characters(record).unwrap().ends_with("<p>中文"), "{}", record.id);
    }
    assert_eq!(records[3].details().other["x-charset"], "klingon");
    assert_eq!(notes(&dataset), ["1 pages with a label of no known encoding: set aside as x-charset"]);
    // Characters are characters, whatever a column says of bytes that once were.
    let text = [("html", Form::Text), ("encoding", Form::Text)];
    let dataset = whole(&parquet(&text, 9, &[&[Some("<p>中".as_bytes()), Some(b"gbk")]]), &[]);
    assert_eq!(dataset.characters(&dataset.records.get(0).unwrap()).unwrap(), "<p>中");
}

#[test]
fn parts_are_read_with_their_partitions_and_pages_are_in_the_order_of_ids() {
    let (one, two) = (plain(&[("c", "<p>c"), ("a", "<p>a")], 9), plain(&[("b", "<p>b")], 9));
    let none = plain(&[], 9);
    let files: [(&str, &[u8]); 6] = [
        ("language=zh/crawl=a%3Ab/part-0.parquet", &one),
        ("language=__HIVE_DEFAULT_PARTITION__/part-0.parquet", &two),
        ("empty.parquet", &none),
        ("_SUCCESS", b""),
        ("_temporary/part-0.parquet", b"x"),
        (".part-0.parquet.crc", b"x"),
    ];
    let dataset = read(&files, &[], Loading::default()).unwrap();
    assert_eq!(
        (ids(&dataset).as_str(), page(&dataset, 0).as_str(), page(&dataset, 1).as_str()),
        ("a b c", "<p>a", "<p>b")
    );
    let languages: Vec<_> = dataset.records.iter().map(|record| record.unwrap().language.clone()).collect();
    assert_eq!(languages, [Some("zh".to_owned()), None, Some("zh".to_owned())]);
    assert_eq!(dataset.records.get(2).unwrap().details().extra.as_deref().unwrap()["crawl"], "a:b");
    let some = read(&files, &[("parts", "language=zh/**")], Loading::default()).unwrap();
    assert_eq!(ids(&some), "a c");
    for (pairs, code) in [([("parts", "*.no")], Code::Upstream), ([("parts", "[")], Code::Option)] {
        assert_eq!(read(&files, &pairs, Loading::default()).unwrap_err().code, code);
    }
    let only = read(&[("empty.parquet", &none)], &[], Loading::default()).unwrap_err();
    assert_eq!((only.code, only.message.as_str()), (Code::Count, "there is no row with a page in these files"));
}

#[test]
fn pages_are_the_same_in_any_order_of_reading() {
    let pages: Vec<(String, String)> = (0..700)
        .map(|number: usize| (format!("{:03}", number * 37 % 700), format!("<p>{number} {}", "x".repeat(number))))
        .collect();
    let named: Vec<(&str, &str)> = pages.iter().map(|(id, html)| (id.as_str(), html.as_str())).collect();
    let mut sorted = named.clone();
    sorted.sort_unstable();
    for group_rows in [3, 100, 1_000] {
        let (first, second) = named.split_at(300);
        let files = [("1.parquet", plain(first, group_rows)), ("2.parquet", plain(second, group_rows))];
        let files = files.each_ref().map(|(name, bytes)| (*name, bytes.as_slice()));
        let dataset = read(&files, &[], Loading::default()).unwrap();
        for index in (0..700).rev().chain(0..700) {
            assert_eq!(page(&dataset, index), sorted[index].1, "{group_rows} {index}");
        }
        let mut order: Vec<usize> = (0..700).collect();
        assert!(dataset.records.sort_for_reading(&mut order));
        let in_files: Vec<String> = order.iter().map(|&index| dataset.records.get(index).unwrap().id.clone()).collect();
        assert!(in_files.iter().eq(pages.iter().map(|(id, _)| id)), "{group_rows}");
    }
}

#[test]
fn a_page_that_is_too_large_fails_and_others_are_read() {
    let large = "x".repeat(MAX_PAGE_BYTES as usize + 1);
    let dataset = whole(&plain(&[("a", &large), ("b", "<p>b")], 9), &[]);
    let open = |index: usize| dataset.open(&dataset.records.get(index).unwrap()).map(drop);
    assert_eq!((open(0), open(1)), (Err("the page has more than 33554432 bytes".to_owned()), Ok(())));
    assert_eq!(dataset.digests(&dataset.records.get(0).unwrap()).page, "-");
}

#[test]
fn columns_that_are_missing_or_of_another_kind_are_told() {
    let bytes = parquet(
        &[("page", Form::Text), ("id", Form::Text), ("number", Form::Integer)],
        9,
        &[&[Some(b"<p>a"), Some(b"a"), Some(b"7")]],
    );
    let told = |pairs: &[(&str, &str)]| {
        let fault = read(&[("a.parquet", &bytes)], pairs, Loading::default()).unwrap_err();
        (fault.code, fault.line, fault.message)
    };
    let missing = "no row has the column `html`; there are `id`, `number`, `page`; name the one that is meant with columns.html=NAME";
    assert_eq!(told(&[]), (Code::Option, None, missing.to_owned()));
    let gold = told(&[("columns.html", "page"), ("columns.gold", "truth")]);
    assert!(gold.0 == Code::Option && gold.2.starts_with("no row has the column `truth`; "), "{gold:?}");
    let number = (Code::Upstream, Some(1), "the column `number` holds no text".to_owned());
    assert_eq!(told(&[("columns.html", "page"), ("columns.gold", "number")]), number);
    let page = (Code::Upstream, Some(1), "the column `number` holds neither text nor bytes".to_owned());
    assert_eq!(told(&[("columns.html", "number")]), page);
    assert_eq!(told(&[("columns.html", "")]).0, Code::Option);
    let named = whole(&bytes, &[("columns.html", "page"), ("columns.id", "number"), ("columns.extra", "number,id")]);
    let record = named.records.get(0).unwrap();
    assert_eq!(
        (record.id.as_str(), record.details().extra.as_deref().unwrap().to_string().as_str()),
        ("7", r#"{"number":7,"id":"a"}"#)
    );
}

#[test]
fn bytes_that_are_no_text_are_the_fault_of_their_row() {
    let columns = [("html", Form::Text), ("id", Form::Binary)];
    let rows: [&[Option<&[u8]>]; 3] =
        [&[Some(b"<p>a"), Some(b"a")], &[Some(b"<p>b"), Some(b"\xFF")], &[Some(b"<p>c"), Some(b"c")]];
    let bytes = parquet(&columns, 9, &rows);
    let told = read(&[("a.parquet", &bytes)], &[], Loading::default()).unwrap_err();
    assert_eq!(
        (told.code, told.line, told.message.as_str()),
        (Code::Upstream, Some(2), "the column `id` is not valid UTF-8")
    );
    let left = read(&[("a.parquet", &bytes)], &[], Loading::KEEP_GOING).unwrap();
    assert_eq!((ids(&left).as_str(), left.dropped().pages), ("a c", 1));
    assert_eq!(page(&left, 1), "<p>c");
}

#[test]
fn one_id_twice_is_told_with_the_row_of_the_second() {
    let (one, two) = (plain(&[("a", "<p>a"), ("b", "<p>b")], 9), plain(&[("c", "<p>c"), ("a", "<p>x")], 9));
    let files: [(&str, &[u8]); 2] = [("1.parquet", &one), ("2.parquet", &two)];
    let told = read(&files, &[], Loading::default()).unwrap_err();
    assert_eq!((told.code, told.page.as_deref(), told.line), (Code::Id, Some("a"), Some(2)));
    assert!(told.file.ends_with("2.parquet"), "{told}");
    let left = read(&files, &[], Loading::KEEP_GOING).unwrap();
    assert_eq!((ids(&left).as_str(), left.dropped().pages, page(&left, 0).as_str()), ("a b c", 1, "<p>a"));
}

/// A file of two row groups, the second of which is damaged.
fn damaged() -> Vec<u8> {
    let (first, all) = ([("a", "<p>a"), ("b", "<p>b")], [("a", "<p>a"), ("b", "<p>b"), ("c", "<p>c")]);
    let (first, mut all) = (plain(&first, 2), plain(&all, 2));
    let footer = u32::from_le_bytes(first[first.len() - 8..first.len() - 4].try_into().unwrap()) as usize;
    let begin = first.len() - 8 - footer;
    all[begin..begin + 8].fill(0xFF);
    all
}

#[test]
fn a_broken_part_is_told_with_its_row_group_and_others_are_read() {
    let good = plain(&[("z", "<p>z")], 9);
    for (bytes, beginning, kept) in [
        (damaged(), "row group 1: its column `", "a b z"),
        (good[..good.len() - 9].to_vec(), "is cut: ", "z"),
        (b"id,html\na,<p>x\n".to_vec(), "is no Parquet file: it does not begin with PAR1", "z"),
    ] {
        let files: [(&str, &[u8]); 2] = [("1.parquet", &bytes), ("2.parquet", &good)];
        let told = read(&files, &[], Loading::default()).unwrap_err();
        assert!(
            told.code == Code::Upstream && told.file.ends_with("1.parquet") && told.message.starts_with(beginning),
            "{told}"
        );
        let left = read(&files, &[], Loading::KEEP_GOING).unwrap();
        assert_eq!(ids(&left), kept);
        let lost = &left.dropped().lost;
        let line = if kept == "z" { 1 } else { 3 };
        assert!(lost.len() == 1 && lost[0].list.ends_with("1.parquet") && lost[0].from_line == line, "{lost:?}");
        assert_eq!(page(&left, left.records.len() - 1), "<p>z");
    }
}

#[test]
fn a_file_that_is_changed_after_it_was_loaded_is_no_fault_of_its_pages() {
    let folder = folder(&[("a.parquet", &plain(&[("a", "<p>a"), ("b", "<p>b")], 9))]);
    let file: PathBuf = folder.path().join("a.parquet");
    let dataset = IMPORTER.read(&file, &Options::default()).unwrap();
    let record = dataset.records.get(0).unwrap();
    assert!(dataset.open(&record).is_ok() && dataset.refuse_unread().is_ok());
    std::fs::write(&file, plain(&[("other", "<p>other")], 9)).unwrap();
    assert_eq!(dataset.records.get(0).unwrap_err().code, Code::Digest);
    assert!(dataset.open(&record).is_err());
    assert_eq!(dataset.refuse_unread().unwrap_err().code, Code::Missing);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_files_are_read_or_refused_in_one_sentence(at in 0..600_usize, bytes in proptest::collection::vec(any::<u8>(), 1..5)) {
        let mut file = plain(&[("a", "<p>a"), ("b", "<p>b"), ("c", "<p>c")], 2);
        let at = at % (file.len() - bytes.len());
        file[at..at + bytes.len()].copy_from_slice(&bytes);
        let folder = folder(&[("a.parquet", &file)]);
        let read = |loading| IMPORTER.read_with(folder.path(), &Options::default(), loading);
        match read(Loading::default()) {
            Ok(dataset) => dataset.records.iter().for_each(|record| drop(dataset.open(&record.unwrap()))),
            Err(error) => {
                prop_assert!(!error.to_string().contains('\n'), "{}", error);
                if let Ok(left) = read(Loading::KEEP_GOING) {
                    prop_assert!(left.dropped().listed().next().is_some(), "{} and nothing is left out", error);
                }
            }
        }
    }
}

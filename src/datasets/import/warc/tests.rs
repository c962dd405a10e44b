use std::io::Write;
use std::sync::Arc;

use super::*;
use crate::datasets::MAX_PAGE_BYTES;
use crate::datasets::Note;
use crate::datasets::import::tests::{folder, gzip, options, rows};
use crate::datasets::load::Loading;

/// A record with more `fields`, each with its line end.
fn record(kind: &str, id: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

const HTTP: &str = "Content-Type: application/http; msgtype=response\r\n";
const HTML: &str = "Content-Type: text/html\r\n";

/// A response with the HTTP `fields` of `https://www.a.org/ID`.
fn response(id: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat();
    record("response", id, &format!("{HTTP}WARC-Target-URI: https://www.a.org/{id}\r\n"), &block)
}

fn html(id: &str) -> Vec<u8> {
    response(id, HTML, format!("<p>{id}").as_bytes())
}

fn read(files: &[(&str, &[u8])], pairs: &[(&str, &str)], loading: Loading) -> Result<Dataset, DatasetError> {
    let folder = folder(files);
    let read = IMPORTER.read_with(folder.path(), &options(pairs), loading);
    // The folder must outlive its pages.
    std::mem::forget(folder);
    read
}

fn whole(bytes: &[u8], pairs: &[(&str, &str)]) -> Dataset {
    read(&[("a.warc", bytes)], pairs, Loading::default()).unwrap()
}

/// Ids and pages.
fn pages(dataset: &Dataset) -> Vec<(String, String)> {
    let page = |record: Arc<crate::datasets::manifest::Record>| {
        let bytes = dataset.page_bytes(&record).unwrap();
        (record.id.clone(), String::from_utf8_lossy(&bytes).into_owned())
    };
    dataset.records.iter().map(Result::unwrap).map(page).collect()
}

fn ids(dataset: &Dataset) -> String {
    pages(dataset).into_iter().map(|(id, _)| id).collect::<Vec<_>>().join(" ")
}

fn notes(dataset: &Dataset) -> Vec<&str> {
    dataset.notes.iter().map(Note::text).collect()
}

#[test]
fn pages_are_in_the_order_of_ids_however_they_are_packed() {
    let records = ["c", "a", "b"].map(html);
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let one_member = gzip(&records.concat());
    let expected: Vec<_> = ["a", "b", "c"].map(|id| (id.to_owned(), format!("<p>{id}"))).to_vec();
    let digest = |dataset: &Dataset| dataset.digest(|record| dataset.digests(record)).unwrap();
    let plain = whole(&records.concat(), &[]);
    for (name, bytes) in [("x.warc.gz", members), ("x.warc.gz", one_member)] {
        let packed = read(&[(name, &bytes)], &[], Loading::default()).unwrap();
        assert_eq!((pages(&packed), digest(&packed)), (expected.clone(), digest(&plain)));
    }
    let parts = [("x/2.warc", records[0].as_slice()), ("1.warc.gz", &gzip(&records[1])), ("3.warc", &records[2])];
    let parts = read(&parts, &[], Loading::default()).unwrap();
    assert_eq!((pages(&parts), digest(&parts)), (expected, digest(&plain)));
    assert_eq!(plain.manifest.version, digest(&plain)["sha256:".len()..][..12]);
}

#[test]
fn headers_say_url_site_date_and_encoding() {
    let fields = format!("{HTTP}WARC-Target-URI: <https://www.A.co.uk/x>\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n");
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=GBK\r\n\r\n<p>\xD6\xD0";
    let bytes = [
        record("response", "b", &fields, block),
        response("c", "Content-Type: text/html; charset=Klingon\r\n", b"<p>x"),
        record(
            "response",
            "d",
            &format!("{HTTP}WARC-Truncated: length\r\n"),
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n\x1F\x8B\x08",
        ),
    ];
    let dataset = whole(&bytes.concat(), &[]);
    let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
    let details = records[0].details();
    assert_eq!((records[0].site.as_deref(), records[0].encoding.as_deref()), (Some("a.co.uk"), Some("gbk")));
    assert_eq!(details.url.as_deref(), Some("https://www.A.co.uk/x"));
    assert_eq!(
        (details.host.as_deref(), details.crawled.as_deref()),
        (Some("www.a.co.uk"), Some("2024-05-06T07:08:09Z"))
    );
    assert!(dataset.characters(&records[0]).unwrap().contains('中'));
    assert_eq!((&records[1].encoding, records[1].details().other["x-charset"].as_str()), (&None, Some("klingon")));
    assert_eq!(
        (records[2].details().faults.join(","), records[2].site.as_deref()),
        ("truncated".to_owned(), Some("d"))
    );
    assert_eq!(
        notes(&dataset),
        [
            "1 page cut by the crawler (WARC-Truncated), fault `truncated`",
            "1 page with a charset of no known encoding: set aside as x-charset"
        ]
    );
}

#[test]
fn what_is_no_page_is_counted_and_options_change_what_is() {
    let identified = format!("{HTTP}WARC-Identified-Payload-Type: application/xhtml+xml\r\n");
    let bytes = [
        record("warcinfo", "w", "Content-Type: application/warc-fields\r\n", b"software: x\r\n"),
        record("request", "q", "Content-Type: application/http; msgtype=request\r\n", b"GET / HTTP/1.1\r\n\r\n"),
        record("revisit", "v", HTTP, b"HTTP/1.1 200 OK\r\n\r\n"),
        record("response", "dns", "Content-Type: text/dns\r\n", b"a.org 1.2.3.4"),
        record("response", "f", HTTP, b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>f"),
        response("image", "Content-Type: image/png\r\n", b"x"),
        record("response", "i", &identified, b"HTTP/1.1 200 OK\r\n\r\n<p>i"),
        record("resource", "r", "Content-Type: text/html; charset=utf-8\r\n", b"<p>r"),
        response("e", HTML, b""),
    ]
    .concat();
    let dataset = whole(&bytes, &[]);
    assert_eq!(ids(&dataset), "e i");
    assert_eq!(
        notes(&dataset),
        [
            "no pages: 1 record of type request, 1 record of type resource, 1 record of type response, 1 record of type revisit, \
          1 record of type warcinfo, 1 response of status 404, 1 response of another media type"
        ]
    );
    assert_eq!(ids(&whole(&bytes, &[("types", "response,resource"), ("status", "200, 404")])), "e f i r");
    assert_eq!(ids(&whole(&bytes, &[("types", "resource")])), "r");
    for (key, value) in [("types", "request"), ("types", ""), ("status", "ok"), ("status", "20"), ("parts", "[")] {
        let told = read(&[("a.warc", &bytes)], &[(key, value)], Loading::default()).unwrap_err();
        assert_eq!(told.code, Code::Option, "{key}={value}");
    }
    let none = read(&[("a.warc", &record("request", "q", "", b""))], &[], Loading::default()).unwrap_err();
    assert_eq!((none.code, none.message.contains("1 record of type request")), (Code::Count, true));
    assert_eq!(read(&[("a.txt", b"")], &[], Loading::default()).unwrap_err().code, Code::Count);
}

#[test]
fn golds_are_joined_by_id_or_url() {
    let bytes = ["a", "b", "c"].map(html).concat();
    let golds = "{\"id\": \"<urn:uuid:a>\", \"gold\": \"one\"}\n{\"url\": \"https://www.a.org/b\", \"text\": \"two\"}\n\
                 {\"id\": \"gone\", \"gold\": \"x\"}\n";
    let files = [("a.warc", bytes.as_slice()), ("golds.jsonl", golds.as_bytes())];
    let dataset = read(&files, &[("gold", "golds.jsonl")], Loading::default()).unwrap();
    let golds: Vec<Option<String>> = rows(&dataset).into_iter().map(|(_, _, gold)| gold).collect();
    assert_eq!(golds, [Some("one".to_owned()), Some("two".to_owned()), None]);
    assert_eq!((dataset.records.golds(), dataset.manifest.counts.as_ref().unwrap().golds), (2, Some(2)));
    assert_eq!(notes(&dataset), ["gone: its gold is dropped, there is no page of that id or URL"]);
}

#[test]
fn golds_that_are_changed_after_they_were_loaded_are_told_with_their_line() {
    let golds = "{\"id\": \"a\", \"gold\": \"one\"}\n{\"id\": \"b\", \"gold\": \"two\"}\n";
    let folder = folder(&[("a.warc", &["a", "b"].map(html).concat()), ("golds.jsonl", golds.as_bytes())]);
    let gold = options(&[("gold", "golds.jsonl")]);
    let dataset = IMPORTER.read(&folder.path().join("a.warc"), &gold).unwrap();
    std::fs::write(folder.path().join("golds.jsonl"), golds.replace("two", "TWO")).unwrap();
    assert_eq!(dataset.open(&dataset.records.get(0).unwrap()).unwrap().gold.as_deref(), Some("one"));
    let told = dataset.records.get(1).unwrap_err();
    assert_eq!((told.code, told.line, told.file.ends_with("golds.jsonl")), (Code::Digest, Some(2), true), "{told}");
}

#[test]
fn a_bomb_is_a_failed_page_and_others_are_read() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&vec![b' '; MAX_PAGE_BYTES as usize + 1]).unwrap();
    let bomb = response("a", &format!("{HTML}Content-Encoding: gzip\r\n"), &packed.finish().unwrap());
    let dataset = whole(&[bomb, html("b")].concat(), &[]);
    let open = |index: usize| dataset.open(&dataset.records.get(index).unwrap()).map(drop);
    assert_eq!(
        (open(0), open(1)),
        (Err("the page is too large: it has more than 33554432 bytes, unpacked".to_owned()), Ok(()))
    );
}

#[test]
fn broken_records_are_told_with_file_and_offset_or_left_out() {
    let (a, b, c) = (gzip(&html("a")), gzip(&html("b")), gzip(&html("c")));
    let mut flipped = b.clone();
    flipped[20] ^= 0x10;
    let broken = response("b", &format!("{HTML}Content-Encoding: gzip\r\n"), b"\x1F\x8B\x08 no gzip");
    let broken_body = gzip(&broken);
    for middle in [&flipped, &broken_body, &b[..b.len() - 4].to_vec(), &b"junk".to_vec()] {
        let bytes = [&a[..], middle, &c].concat();
        let told = read(&[("x.warc.gz", &bytes)], &[], Loading::default()).unwrap_err();
        assert_eq!(told.code, Code::Warc);
        let (file, place) = (told.file.ends_with("x.warc.gz"), format!("the record at offset {}: ", a.len()));
        assert!(file && told.message.starts_with(&place), "{told}");
        let left = read(&[("x.warc.gz", &bytes)], &[], Loading::KEEP_GOING).unwrap();
        assert_eq!(
            (ids(&left).as_str(), left.dropped().pages, &left.dropped().faults[0]),
            ("a c", 1, &DatasetError { file: left.dropped().faults[0].file.clone(), ..told })
        );
    }
}

#[test]
fn one_id_twice_is_told_with_the_place_of_the_second() {
    let (a, b) = (html("a"), html("b"));
    let files = [("1.warc", [&a[..], &b].concat()), ("2.warc", [&b[..], &a].concat())];
    let files = files.each_ref().map(|(name, bytes)| (*name, bytes.as_slice()));
    let told = read(&files, &[], Loading::default()).unwrap_err();
    assert_eq!((told.code, told.page.as_deref(), told.file.ends_with("2.warc")), (Code::Id, Some("a"), true));
    assert_eq!(told.message, format!("the record at offset {}: the id is given twice", b.len()));
    let left = read(&files, &[], Loading::KEEP_GOING).unwrap();
    assert_eq!((ids(&left).as_str(), left.dropped().pages), ("a b", 2));
}

#[test]
fn a_file_that_is_changed_after_it_was_loaded_is_no_fault_of_its_pages() {
    let folder = folder(&[("a.warc", &["a", "b"].map(html).concat())]);
    let file = folder.path().join("a.warc");
    let dataset = IMPORTER.read(&file, &Options::default()).unwrap();
    let record = dataset.records.get(0).unwrap();
    assert!(dataset.open(&record).is_ok() && dataset.refuse_unread().is_ok());
    std::fs::write(&file, html("other")).unwrap();
    assert_eq!(dataset.records.get(0).unwrap_err().code, Code::Digest);
    assert!(dataset.open(&record).is_err());
    assert_eq!(dataset.refuse_unread().unwrap_err().code, Code::Missing);
}

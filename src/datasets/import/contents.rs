//! The contents of a folder's files, where their names do not tell them: pages that are packed, and texts that are pages.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use super::Told;
use crate::datasets::manifest::{Compression, HtmlObject, HtmlSource, Record};
use crate::datasets::root::Root;
use crate::text::counted;

/// Bytes in which a page says that it is one.
const FRONT: u64 = 1024;

/// The first bytes of the file at `path`; fewer where it ends, or cannot be read.
fn front(root: &Root, path: &str, bytes: u64) -> Vec<u8> {
    let mut front = Vec::new();
    // A file that cannot be read is told where it is read for good.
    let _ = root.open(path).map(|file| file.take(bytes).read_to_end(&mut front));
    front
}

/// True if `bytes` are those of a PDF, or hold zeros as no text in the encodings of the Web does but UTF-16.
pub(in crate::datasets) fn is_no_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 1024;
    let begin = &bytes[..bytes.len().min(LOOKED_AT)];
    begin.starts_with(b"%PDF") || encoding_rs::Encoding::for_bom(begin).is_none() && begin.contains(&0)
}

/// True if the file at `path` begins as pages do.
pub(super) fn begins_as_a_page(root: &Root, path: &str) -> bool {
    let front = String::from_utf8_lossy(&front(root, path, FRONT)).to_ascii_lowercase();
    let front = front.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    front.starts_with('<') && (front.contains("<html") || front.starts_with("<!doctype html"))
}

/// Sets how pages are packed whose names do not say it; tells of them.
pub(super) fn find_packed(source: &Path, records: &mut BTreeMap<String, Record>, told: &mut Told) {
    let root = Root::Folder(source.to_owned());
    let mut packed: Vec<&str> = Vec::new();
    let (mut count, mut first) = (0, String::new());
    for record in records.values_mut() {
        let Some(path) = record.html.path().filter(|path| Compression::of_path(path) == Compression::None) else {
            continue;
        };
        let compression = Compression::of_bytes(&front(&root, path, 4));
        if compression == Compression::None {
            continue;
        }
        let path = path.to_owned();
        if count == 0 {
            first.clone_from(&path);
        }
        count += 1;
        packed.push(compression.name());
        let object = HtmlObject { path: Some(path), compression: Some(compression), ..HtmlObject::default() };
        record.html = HtmlSource::Object(Box::new(object));
    }
    packed.sort_unstable();
    packed.dedup();
    if count > 0 {
        let (pages, are) = (counted(count, "page"), if count == 1 { "is" } else { "are" });
        told.note(format!(
            "{pages} {are} packed ({}) though the name does not say so, and unpacked all the same, such as {first}",
            packed.join(", ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use crate::datasets::Note;
    use crate::datasets::import::folder::IMPORTER;
    use crate::datasets::import::tests::{folder, gzip, options};

    const PAGE: &str = "<!DOCTYPE html><html><body><p>text</p>";

    /// The notes on a folder of these files, and the pages by id.
    fn read(files: &[(&str, &[u8])]) -> (String, Vec<(String, String)>) {
        let folder = folder(files);
        let dataset = IMPORTER.read(folder.path(), &options(&[("language", "none")])).unwrap();
        let notes: Vec<&str> = dataset.notes.iter().map(Note::text).collect();
        let pages = dataset.records.iter().map(|record| {
            let record = record.unwrap();
            (record.id.clone(), String::from_utf8(dataset.page_bytes(&record).unwrap()).unwrap())
        });
        (notes.join("\n"), pages.collect())
    }

    #[test]
    fn pages_that_are_other_files_are_told_and_have_no_language() {
        let utf_16: Vec<u8> =
            "<p>It is a text of some words that are English.".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [b"\xFF\xFE".as_slice(), &utf_16].concat();
        let files: [(&str, &[u8]); 4] =
            [("a.html", b"<p>x"), ("b.html", b"%PDF-1.7 x"), ("c.html", &utf_16), ("d.html", &marked)];
        let folder = folder(&files);
        let read = |pairs: &[(&str, &str)]| {
            let dataset = IMPORTER.read(folder.path(), &options(pairs)).unwrap();
            dataset.notes.iter().map(|note| note.text().to_owned()).find(|note| note.contains("no HTML"))
        };
        let told = read(&[]).unwrap();
        assert!(told.starts_with("2 pages are no HTML, but PDF or other bytes, such as b.html"), "{told}");
        assert_eq!(read(&[("encoding", "utf-16le")]), None);
    }

    #[test]
    fn a_page_that_is_packed_under_another_name_is_unpacked_and_told() {
        let zstd = zstd::encode_all(PAGE.as_bytes(), 0).unwrap();
        let (notes, pages) = read(&[
            ("a.gz.html", &gzip(PAGE.as_bytes())),
            ("b.html", &zstd),
            ("c.html", b"<p>plain"),
            ("d.html.gz", &gzip(b"<p>d")),
        ]);
        let page = |id: &str, text: &str| (id.to_owned(), text.to_owned());
        assert_eq!(pages, [page("a.gz", PAGE), page("b", PAGE), page("c", "<p>plain"), page("d", "<p>d")]);
        let told = "2 pages are packed (gzip, zstd) though the name does not say so, and unpacked all the same, such as a.gz.html";
        assert!(notes.contains(told), "{notes}");
        assert!(!read(&[("c.html", b"<p>plain")]).0.contains("packed"));
    }

    #[test]
    fn texts_that_begin_as_pages_are_told_and_golds_are_not() {
        let xml = format!("\u{FEFF}<?xml version='1.0'?>\n<html xmlns='x'>{PAGE}");
        let files: &[(&str, &[u8])] = &[
            ("a.html", b"<p>a"),
            ("gold/a.txt", b"a < b"),
            ("saved.txt", PAGE.as_bytes()),
            ("old.xml", xml.as_bytes()),
            ("feed.xml", b"<?xml version='1.0'?><rss><channel>"),
        ];
        let (notes, _) = read(files);
        assert!(
            notes.contains("2 of 5 files are no pages by their names and are left out, such as old.xml"),
            "{notes}"
        );
    }
}

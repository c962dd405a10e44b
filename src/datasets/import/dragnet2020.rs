//! `dragnet2020`: the pages of dragnet-org/dragnet_data, with gold in TOML beside each.

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;

use super::upstream::{encoding_unstated, read_file, read_page, set_published};
use super::{Importer, Options, Told, dataset, third_party};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::{Dataset, DatasetError, Readings, file_names, shown};

/// The importer `dragnet2020`.
pub static IMPORTER: Importer = Importer {
    name: "dragnet2020",
    title: "dragnet_data of 2020, its repository or data/ with both archives unpacked: html/, meta/",
    layout: &[],
    options: &[],
    read,
};

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let folders = ["data", ""].map(|folder| source.join(folder));
    let is_here = |folder: &&std::path::PathBuf| folder.join("html").is_dir() && folder.join("meta").is_dir();
    let Some(folder) = folders.iter().find(is_here) else {
        let message = "expected html/ and meta/, here or in data/: unpack data/html.tar.gz and data/meta.tar.gz there";
        return Err(DatasetError::new(Code::Upstream, shown(source), message));
    };
    let mut metas: BTreeSet<String> = file_names(&folder.join("meta"))?.into_iter().collect();
    let mut records = Vec::new();
    for name in file_names(&folder.join("html"))? {
        let Some(stem) = name.strip_suffix(".html") else {
            told.note(format!("html/{name}: skipped, its name does not end in .html"));
            continue;
        };
        let meta = format!("{stem}.toml");
        let fields = match metas.remove(&meta) {
            true => told.page(&encode_id(stem), fields_of(folder, &format!("meta/{meta}")))?,
            false => Some(BTreeMap::new()),
        };
        let Some(fields) = fields else { continue };
        if !fields.contains_key("text") {
            told.note(format!("html/{name}: kept without gold, there is no text in meta/{meta}"));
        }
        records.extend(told.page(&encode_id(stem), record(folder, stem, fields))?);
    }
    for name in &metas {
        told.gold_without_page(format!("meta/{name}: dropped, there is no page of that name"));
    }
    records.sort_by(|one, other| one.id.cmp(&other.id));
    dataset(folder, manifest(), records, Readings::default(), told)
}

fn record(folder: &Path, stem: &str, mut fields: BTreeMap<String, String>) -> Result<Record, DatasetError> {
    let html = format!("html/{stem}.html");
    let encoding = encoding_unstated(&read_page(folder, &html)?, "windows-1252");
    let (id, url) = (encode_id(stem), fields.remove("url").filter(|url| !url.is_empty()));
    let site = site_of(url.as_deref().and_then(host_of).as_deref(), &id);
    let mut details = Details { url, title: fields.remove("title"), ..Details::default() };
    set_published(&mut details, &fields.remove("dt_published").unwrap_or_default());
    Ok(Record {
        html: HtmlSource::Path(html),
        gold: fields.remove("text").map(GoldSource::of_text),
        site: Some(site),
        language: None,
        encoding,
        kind: Some("article".to_owned()),
        id,
        details: details.boxed(),
    })
}

/// The fields of a page's TOML.
fn fields_of(folder: &Path, path: &str) -> Result<BTreeMap<String, String>, DatasetError> {
    let fault = |line: usize, message: &str| {
        DatasetError::new(Code::Upstream, shown(&folder.join(path)), message).at_line(line)
    };
    let bytes = read_file(folder, path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| fault(1, "is not valid UTF-8"))?;
    Toml { rest: text, whole: text }.fields().map_err(|(line, message)| fault(line, message))
}

/// A reader of the TOML that upstream writes: bare keys at the top, with strings of each of the four kinds, or other
/// values of one line, which keep their text.
struct Toml<'t> {
    rest: &'t str,
    whole: &'t str,
}

impl<'t> Toml<'t> {
    /// Every key with its value; a fault is its line and a sentence.
    fn fields(mut self) -> Result<BTreeMap<String, String>, (usize, &'static str)> {
        let mut fields = BTreeMap::new();
        loop {
            self.rest = self.rest.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
            if self.rest.is_empty() || self.rest.starts_with('[') {
                return Ok(fields);
            }
            if self.rest.starts_with('#') {
                self.line();
                continue;
            }
            let (whole, read) = (self.whole, self.whole.len() - self.rest.len());
            let fault = |message| (1 + whole[..read].matches('\n').count(), message);
            let is_key = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let key = self.rest.find(|c| !is_key(c)).unwrap_or(self.rest.len());
            let (key, rest) = self.rest.split_at(key);
            let value = rest.trim_start_matches([' ', '\t']).strip_prefix('=').filter(|_| !key.is_empty());
            self.rest =
                value.ok_or_else(|| fault("is no TOML: expected a key and `=`"))?.trim_start_matches([' ', '\t']);
            let is_string = self.rest.starts_with(['\'', '"']);
            if !is_string && matches!(key, "text" | "title" | "url") {
                return Err(fault("`text`, `title` and `url` are strings"));
            }
            let value = self.value().map_err(fault)?;
            if fields.insert(key.to_owned(), value).is_some() {
                return Err(fault("is no TOML: a key is given twice"));
            }
        }
    }

    /// The rest of the line.
    fn line(&mut self) -> &'t str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        line
    }

    fn value(&mut self) -> Result<String, &'static str> {
        for (mark, is_long, has_escapes) in
            [("'''", true, false), ("\"\"\"", true, true), ("'", false, false), ("\"", false, true)]
        {
            if let Some(rest) = self.rest.strip_prefix(mark) {
                let rest = match is_long {
                    true => rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest),
                    false => rest,
                };
                let end = end_of(rest, mark, has_escapes).ok_or("is no TOML: a string has no end")?;
                let text = &rest[..end];
                self.rest = &rest[end + mark.len()..];
                if !is_long && text.contains('\n') {
                    return Err("is no TOML: a string has no end");
                }
                let behind = self.line().trim();
                if !behind.is_empty() && !behind.starts_with('#') {
                    return Err("is no TOML: something stands behind a string");
                }
                return if has_escapes { unescaped(text) } else { Ok(text.to_owned()) };
            }
        }
        let line = self.line();
        Ok(line.split('#').next().unwrap_or(line).trim().to_owned())
    }
}

/// Where a string ends. Quotes right before the last mark belong to the text.
fn end_of(text: &str, mark: &str, has_escapes: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if has_escapes && rest.starts_with('\\') {
            at += 1 + rest[1..].chars().next()?.len_utf8();
        } else if rest.starts_with(mark) {
            let more = rest.len() - rest.trim_start_matches(&mark[..1]).len() - mark.len();
            return Some(at + if mark.len() == 3 { more.min(2) } else { 0 });
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

fn unescaped(text: &str) -> Result<String, &'static str> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next().unwrap_or('\\');
        rest = &rest[at + 1 + escape.len_utf8()..];
        let digits = match escape {
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        match escape {
            'b' => plain.push('\u{8}'),
            't' => plain.push('\t'),
            'n' => plain.push('\n'),
            'f' => plain.push('\u{C}'),
            'r' => plain.push('\r'),
            '"' | '\\' => plain.push(escape),
            'u' | 'U' => {
                let character = rest.get(..digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                plain.push(character.and_then(char::from_u32).ok_or("is no TOML: an escape is no character")?);
                rest = &rest[digits..];
            }
            // A line that goes on: white space up to the next text is left out.
            ' ' | '\t' | '\r' | '\n' => rest = rest.trim_start_matches([' ', '\t', '\r', '\n']),
            _ => return Err("is no TOML: there is no such escape"),
        }
    }
    plain.push_str(rest);
    Ok(plain)
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "dragnet2020".to_owned(),
        version: "5d97da4c".to_owned(),
        title: "dragnet_data of 2020".to_owned(),
        description: "Gold is the text of each page's TOML, as it is.".to_owned(),
        licence: third_party("CC-BY-4.0", "attribution"),
        source: Some(json!({"repository": "dragnet-org/dragnet_data"})),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("human".to_owned()),
            includes: ["title", "captions", "lists"].map(str::to_owned).into(),
            verbatim: Some(true),
            ordered: Some(true),
            ..GoldNature::default()
        },
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::{folder, rows};

    const META: &str = "# a page\nid = \"a\"\r\nurl = 'https://news.a.co.uk/x'\ntitle = \"T \\\"q\\\" \\u00e9\"\n\
                        dt_published = 2020-05-21T22:03:34Z # then\ntext = '''\nT \\q\n\nIt''s 'one'.''''\n[more]\nx = 1\n";

    #[test]
    fn gold_stands_in_toml_beside_the_page() {
        for place in ["", "data/"] {
            let path = |name: &str| format!("{place}{name}");
            let files = [
                (path("html/a.html"), "<meta charset=gbk><p>é".as_bytes()),
                (path("html/b.html"), b"<p>it\x92s".as_slice()),
                (path("html/c.html"), b"<p>x"),
                (path("meta/a.toml"), META.as_bytes()),
                (path("meta/b.toml"), b"text = \"\"\"one \\\n   two\"\"\"\n"),
                (path("meta/z.toml"), b"text = ''"),
            ];
            let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), *bytes)).collect();
            let folder = folder(&files);
            let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
            let expected =
                [("a", "a.co.uk", Some("T \\q\nIt''s 'one'.'")), ("b", "b", Some("one two")), ("c", "c", None)];
            let expected = expected.map(|(id, site, gold)| (id.to_owned(), site.to_owned(), gold.map(str::to_owned)));
            assert_eq!(rows(&dataset), expected);
            let first = dataset.records.get(0).unwrap();
            assert_eq!(first.details().title.as_deref(), Some("T \"q\" é"));
            assert_eq!(first.details().published.as_deref(), Some("2020-05-21T22:03:34Z"));
            let encodings = [0, 1].map(|index| dataset.records.get(index).unwrap().encoding.clone().unwrap());
            assert_eq!((encodings, dataset.notes.len()), (["utf-8".to_owned(), "windows-1252".to_owned()], 2));
        }
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_line() {
        for (text, line) in [
            ("text = '''\nx", 1),
            ("a = 1\ntext", 2),
            ("a = 1\n\na = 2", 3),
            ("text = \"a\nb\"", 1),
            ("a = 'b' c", 1),
            ("a = \"\\q\"", 1),
            ("a = \"\\ud800\"", 1),
            ("a = 1\ntext = 5", 2),
            ("url = false", 1),
            ("= 1", 1),
            ("a = \"\\", 1),
        ] {
            let folder = folder(&[("html/a.html", b"x"), ("meta/a.toml", text.as_bytes())]);
            let error = IMPORTER.read(folder.path(), &Options::default()).unwrap_err();
            assert_eq!((error.code, error.line), (Code::Upstream, Some(line)), "{text:?}");
        }
        assert_eq!(IMPORTER.read(folder(&[]).path(), &Options::default()).unwrap_err().code, Code::Upstream);
    }
}

//! The kinds of stored outputs.

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value as Json};
use unicode_normalization::UnicodeNormalization;

use super::{Stored, webmainbench};
use crate::datasets::manifest::{Compression, encode_id};
use crate::datasets::page_list::check_id;
use crate::datasets::root::{Root, decompress};
use crate::datasets::{DatasetError, check_path, file_names, files_below, not_there, percent_decoded, shown};
use crate::formats::digest::sha256;
use crate::formats::json::{UniqueKeys, without_position};
use crate::formats::reading::RegularFile;
use crate::page::charset;
use crate::structure::TextKind;

/// Outputs of more bytes than this, decompressed, are refused.
const MAX_BYTES: u64 = 4 << 30;

pub(super) type Texts = BTreeMap<String, Result<String, String>>;

/// Reads outputs of any kind, of one system or of several.
pub(super) fn read(path: &Path) -> Result<Vec<Stored>, DatasetError> {
    let systems = if path.is_dir() {
        vec![folder(path)?]
    } else if path.is_file() {
        file(path)?
    } else {
        return Err(DatasetError::new(Code::Unknown, shown(path), not_there(path, "file or folder of outputs")));
    };
    systems.into_iter().map(|stored| checked(Stored { place: shown(path), ..stored }, path)).collect()
}

/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 500;

/// A system's name is a column of tables, a reason a line of a terminal.
fn checked(mut stored: Stored, path: &Path) -> Result<Stored, DatasetError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    if !(1..=64).contains(&stored.system.len()) || !stored.system.chars().all(is_plain) {
        let message = format!("`{}` is no system's name: 1 to 64 of A-Z a-z 0-9 . _ + -", line_of(&stored.system));
        return Err(DatasetError::new(Code::Stored, shown(path), message));
    }
    stored.texts.values_mut().filter_map(|text| text.as_mut().err()).for_each(|reason| *reason = line_of(reason));
    Ok(stored)
}

fn line_of(text: &str) -> String {
    text.chars().take(LONGEST_REASON).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

fn file(path: &Path) -> Result<Vec<Stored>, DatasetError> {
    let fault = |error: std::io::Error| DatasetError::unread(Code::Missing, shown(path), &error);
    let raw = RegularFile::open(path).and_then(|file| file.read_at_most(MAX_BYTES)).map_err(fault)?;
    let compression = Compression::of_bytes(&raw);
    let bytes = decompress(raw.into(), compression, MAX_BYTES).map_err(fault)?;
    if bytes.len() as u64 >= MAX_BYTES {
        return Err(DatasetError::new(Code::Stored, shown(path), format!("has {MAX_BYTES} bytes or more")));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let mut lines = lines(bytes);
    if webmainbench::are_rows(lines.clone().next().map(|(_, line)| line)) {
        return webmainbench::read(lines, path);
    }
    let first = lines.next();
    match first.map(|(_, line)| serde_json::from_slice::<Header>(line)) {
        Some(Ok(header)) => Ok(vec![records(header, lines, path)?]),
        // Lines of JSON whose first is no header; a benchmark's output is one value.
        Some(Err(error)) if first.is_some_and(|(_, line)| is_text(line) || is_json(line) && lines.next().is_some()) => {
            let expected = r#"{"system": …, "version": …, "date": …, "settings": …}"#;
            let message = format!("the first line is no {expected}: {}", without_position(&error.to_string()));
            Err(DatasetError::new(Code::Stored, shown(path), message).at_line(1))
        }
        _ => Ok(vec![benchmark(bytes, path)?]),
    }
}

/// The lines that are not blank, with their numbers.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> + Clone {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines.map(|(i, line)| (i + 1, line)).filter(|(_, line)| !line.trim_ascii().is_empty())
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// True for the line of a page, which stands behind a header.
fn is_text(line: &[u8]) -> bool {
    serde_json::from_slice::<Line>(line).is_ok_and(|line| line.text.is_some() != line.error.is_some())
}

/// The first line of our own kind.
#[derive(Deserialize)]
struct Header {
    system: String,
    version: Option<String>,
    date: Option<String>,
    #[serde(default)]
    settings: Map<String, Json>,
    #[serde(default)]
    kind: TextKind,
}

/// Each other line: a text, or why there is none.
#[derive(Deserialize)]
struct Line {
    id: String,
    text: Option<String>,
    error: Option<String>,
}

fn records<'b>(
    Header { system, version, date, settings, kind }: Header,
    lines: impl Iterator<Item = (usize, &'b [u8])>,
    path: &Path,
) -> Result<Stored, DatasetError> {
    let mut texts = Texts::new();
    for (number, line) in lines {
        let fault = |message: &str| DatasetError::new(Code::Stored, shown(path), message).at_line(number);
        let Line { id, text, error } = serde_json::from_slice(line)
            .map_err(|error| fault(&format!("no text of a page: {}", without_position(&error.to_string()))))?;
        let text = match (text, error) {
            (Some(text), None) => Ok(text),
            (None, Some(error)) => Err(error),
            _ => return Err(fault("needs exactly one of `text` and `error`").of_page(&id)),
        };
        if texts.contains_key(&id) {
            return Err(fault("the page is given twice").of_page(&id));
        }
        texts.insert(id, text);
    }
    Ok(Stored { system, version, date, settings, kind, texts, ..Stored::default() })
}

/// A page of article-extraction-benchmark.
#[derive(Deserialize)]
#[serde(expecting = "an object with `articleBody` for each page")]
struct Extracted {
    /// Null or missing: an empty extraction.
    #[serde(rename = "articleBody")]
    article_body: Option<String>,
}

/// The form with the system's version; the other is `output` alone.
#[derive(Deserialize)]
struct Wrapped {
    version: Option<String>,
    output: UniqueKeys<Extracted>,
}

fn benchmark(bytes: &[u8], path: &Path) -> Result<Stored, DatasetError> {
    let fault = |error: serde_json::Error| {
        let message = format!("no output of an extractor: {}", without_position(&error.to_string()));
        DatasetError::new(Code::Stored, shown(path), message).at_line(error.line())
    };
    let UniqueKeys(members) = serde_json::from_slice::<UniqueKeys<IgnoredAny>>(bytes).map_err(fault)?;
    let names: BTreeSet<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    let Wrapped { version, output } = if names == BTreeSet::from(["output", "version"]) {
        serde_json::from_slice(bytes).map_err(fault)?
    } else {
        Wrapped { version: None, output: serde_json::from_slice(bytes).map_err(fault)? }
    };
    let texts = output.0.into_iter().map(|(id, page)| (id, Ok(page.article_body.unwrap_or_default())));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let system = [".zst", ".gz", ".json"].iter().fold(&*name, |name, end| name.strip_suffix(end).unwrap_or(name));
    let system = system.to_owned();
    Ok(Stored { system, version, texts: texts.collect(), ..Stored::default() })
}

/// `manifest.json` of a folder of texts.
#[derive(Deserialize)]
struct FolderManifest {
    carat_outputs: u32,
    name: String,
    version: Option<String>,
    made: Option<String>,
    #[serde(default)]
    parameters: Map<String, Json>,
    #[serde(default)]
    kind: TextKind,
    pages: Option<UniqueKeys<FolderPage>>,
    #[serde(default)]
    sha256: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct FolderPage {
    file: Option<String>,
    error: Option<String>,
}

fn folder(path: &Path) -> Result<Stored, DatasetError> {
    let names = file_names(path)?;
    let mut stored;
    let pages;
    let mut digests = BTreeMap::new();
    if names.iter().any(|name| name == "manifest.json") {
        let file = path.join("manifest.json");
        let manifest = folder_manifest(&file)?;
        if let Some(name) = manifest.sha256.keys().find(|&name| !names.contains(name)) {
            let message = format!("gives the sha256 of `{name}`, which is not in the folder");
            return Err(DatasetError::new(Code::Missing, shown(&file), message));
        }
        pages = match manifest.pages {
            Some(UniqueKeys(pages)) => pages,
            None => pages_by_name(path, &names, manifest.kind)?,
        };
        digests = manifest.sha256;
        let FolderManifest { name: system, version, made: date, parameters: settings, kind, .. } = manifest;
        stored = Stored { system, version, date, settings, kind, ..Stored::default() };
    } else {
        let names = files_below(path).map_err(|error| DatasetError::new(Code::Missing, shown(path), error))?;
        let has = |kind: &TextKind| names.iter().any(|name| stem(name, *kind).is_some());
        let Some(kind) = TextKind::ALL.into_iter().find(has) else {
            let message = "holds no outputs: neither manifest.json nor ID.txt, ID.md or ID.html";
            return Err(DatasetError::new(Code::Stored, shown(path), message));
        };
        pages = pages_by_name(path, &names, kind)?;
        let home = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let system = home.file_name().unwrap_or_default().to_string_lossy().into_owned();
        stored = Stored { system, version: Some("unknown".to_owned()), kind, ..Stored::default() };
        stored.notes.push(format!("{}: has no manifest.json, so the version is unknown", shown(path)));
    }
    let mut replaced = 0;
    for (id, page) in pages {
        let text = match (page.file, page.error) {
            (Some(file), None) => {
                let (text, malformed) = folder_text(path, &file, digests.get(&file)).map_err(|e| e.of_page(&id))?;
                replaced += malformed;
                Ok(text)
            }
            (None, Some(error)) => Err(error),
            _ => {
                let message = "a page needs exactly one of `file` and `error`";
                return Err(DatasetError::new(Code::Stored, shown(&path.join("manifest.json")), message).of_page(&id));
            }
        };
        stored.texts.insert(id, text);
    }
    if replaced > 0 {
        stored.notes.push(format!(
            "{}: {replaced} malformed byte sequences became U+FFFD, for its texts are read as UTF-8: save texts of another encoding \
             as UTF-8",
            shown(path)
        ));
    }
    Ok(stored)
}

fn folder_manifest(file: &Path) -> Result<FolderManifest, DatasetError> {
    let bytes = RegularFile::open(file).and_then(|file| file.read_at_most(MAX_BYTES));
    let bytes = bytes.map_err(|error| DatasetError::unread(Code::Missing, shown(file), &error))?;
    let manifest: FolderManifest = serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("no manifest of outputs: {}", without_position(&error.to_string()));
        DatasetError::new(Code::Stored, shown(file), message).at_line(error.line())
    })?;
    match manifest.carat_outputs {
        1 => Ok(manifest),
        other => {
            let message = format!("carat_outputs {other} is another format than 1, which this program reads");
            Err(DatasetError::new(Code::Format, shown(file), message))
        }
    }
}

/// The name of a file of a kind without its suffix.
fn stem(name: &str, kind: TextKind) -> Option<&str> {
    name.strip_suffix(kind.suffix())?.strip_suffix('.')
}

/// The pages of a folder that lists none: its `ID.txt` (of another kind `ID.md` or `ID.html`), ids percent-encoded, or
/// `NAME.txt` for the page in `NAME.html`. Where names in folders below it repeat, the ids are those of a tree of pages with the
/// same names: `x~NAME.html` for `x/NAME.txt`.
fn pages_by_name(folder: &Path, names: &[String], kind: TextKind) -> Result<Vec<(String, FolderPage)>, DatasetError> {
    let mut pages: BTreeMap<String, FolderPage> = BTreeMap::new();
    let stems = || names.iter().filter_map(|name| stem(name, kind));
    let last = |stem: &'_ str| stem.rsplit('/').next().unwrap_or_default().to_owned();
    let are_paths = stems().map(last).collect::<BTreeSet<String>>().len() < stems().count();
    for name in names {
        let Some(stem) = stem(name, kind) else { continue };
        let fault = |message: String| DatasetError::new(Code::Stored, shown(&folder.join(name)), message);
        let stem = if are_paths { format!("{}.html", stem.replace('/', "~")) } else { last(stem) };
        let decoded = percent_decoded(&stem)
            .ok_or_else(|| fault(format!("`{stem}` is no percent-encoded id (a `%` itself is %25)")))?;
        let decoded: String = decoded.nfc().collect();
        // What cannot be an id is the name of a page's file, such as `my page`.
        let id = if check_id(&decoded).is_ok() { decoded } else { encode_id(&decoded) };
        let page = FolderPage { file: Some(name.clone()), error: None };
        if let Some(FolderPage { file: Some(other), .. }) = pages.insert(id.clone(), page) {
            return Err(fault(format!("{other} is of the same page")).of_page(&id));
        }
    }
    Ok(pages.into_iter().collect())
}

/// The text of a file, and the number of malformed sequences in it.
fn folder_text(folder: &Path, name: &str, digest: Option<&String>) -> Result<(String, usize), DatasetError> {
    let fault = |code, message| DatasetError::new(code, shown(&folder.join(name)), message);
    // The names of files may be in another form of Unicode, as on a Mac.
    check_path(&name.nfc().collect::<String>()).map_err(|message| fault(Code::Path, message))?;
    let root = Root::Folder(folder.to_owned());
    let bytes = root
        .read_up_to(MAX_BYTES, name, Some(Compression::None))
        .map_err(|unread| unread.of_file(&shown(&folder.join(name))))?;
    if digest.is_some_and(|digest| !digest.eq_ignore_ascii_case(&sha256(&bytes))) {
        return Err(fault(Code::Digest, "its sha256 is not the one in manifest.json".to_owned()));
    }
    // UTF-8, but for a byte-order mark of UTF-16, which some shells put before what a program prints.
    let decoded = charset::decode(&bytes, Some(encoding_rs::UTF_8));
    Ok((decoded.text, decoded.replaced))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use serde_json::json;

    use super::*;

    /// A folder with these files.
    fn with(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
        folder
    }

    fn read_one(name: &str, bytes: &[u8]) -> Result<Stored, DatasetError> {
        Ok(read(&with(&[(name, bytes)]).path().join(name))?.remove(0))
    }

    fn read_folder(files: &[(&str, &[u8])]) -> Result<Stored, DatasetError> {
        Ok(read(with(files).path())?.remove(0))
    }

    /// Pages as `id=text` and `id!error`.
    fn texts(stored: &Stored) -> String {
        let one = |id: &str| match stored.text(id).unwrap() {
            Ok(text) => format!("{id}={text}"),
            Err(error) => format!("{id}!{error}"),
        };
        stored.ids().map(one).collect::<Vec<_>>().join(" ")
    }

    const LINES: &str = concat!(
        "{\"system\":\"x\",\"version\":\"1.2\",\"date\":\"2026-11-21\",\"settings\":{\"a\":true},\"more\":1}\n",
        "{\"id\":\"b\",\"text\":\"\",\"seconds\":3}\r\n\n",
        "{\"id\":\"a\",\"text\":\"one\\ntwo\"}\n{\"id\":\"c\",\"error\":\"time\"}",
    );

    #[test]
    fn lines_of_json_are_read_packed_or_not() {
        let gzip = {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(LINES.as_bytes()).unwrap();
            packed.finish().unwrap()
        };
        let zstd = zstd::encode_all(LINES.as_bytes(), 1).unwrap();
        for bytes in [LINES.as_bytes(), &zstd, &gzip] {
            let stored = read_one("any.name", bytes).unwrap();
            assert_eq!((stored.system.as_str(), stored.version.as_deref()), ("x", Some("1.2")));
            assert_eq!((stored.date.as_deref(), &stored.settings["a"]), (Some("2026-11-21"), &json!(true)));
            assert_eq!(texts(&stored), "a=one\ntwo b= c!time");
            assert_eq!(stored.text("d"), None);
        }
    }

    #[test]
    fn faults_of_lines_name_the_line() {
        let header = r#"{"system":"x"}"#;
        let cases = [
            (format!("{header}\n{{\"id\":\"a\"}}"), 2, "exactly one"),
            (format!("{header}\n{{\"id\":\"a\",\"text\":\"\",\"error\":\"\"}}"), 2, "exactly one"),
            (format!("{header}\n{{\"id\":\"a\",\"text\":\"\"}}\n\n{{\"id\":\"a\",\"error\":\"\"}}"), 4, "twice"),
            (format!("{header}\n{{\"text\":\"\"}}"), 2, "missing field `id`"),
            (format!("{header}\nnothing"), 2, "expected"),
            ("{\"id\":\"a\",\"text\":\"\"}\n{\"id\":\"b\",\"text\":\"\"}".to_owned(), 1, "missing field `system`"),
            ("{\"id\":\"a\",\"text\":\"\"}\n".to_owned(), 1, "the first line is no {\"system\": …"),
            ("{\"a\": \"text\"}".to_owned(), 1, "expected an object with `articleBody` for each page"),
            ("{\n\"a\": 3}".to_owned(), 2, "no output of an extractor"),
            ("plain text".to_owned(), 1, "no output of an extractor"),
        ];
        for (text, line, message) in cases {
            let error = read_one("x.jsonl", text.as_bytes()).unwrap_err();
            assert_eq!((error.code, error.line), (Code::Stored, Some(line)), "{text}: {error}");
            assert!(error.message.contains(message), "{error}");
        }
        assert_eq!(
            read_one("x.jsonl", b"{\"system\":\"x\"}\n{\"id\":\"\xFF\",\"text\":\"\"}").unwrap_err().line,
            Some(2)
        );
        assert_eq!(read(Path::new("no/such/output")).unwrap_err().code, Code::Unknown);
    }

    #[test]
    fn both_forms_of_the_benchmark_are_read() {
        let pages = r#"{"b":{"articleBody":"x","url":"u"},"a":{"articleBody":null},"c":{}}"#;
        let wrapped = format!("\u{FEFF}{{\"version\": \"0.7\",\n\"output\": {pages}}}");
        let cases = [(pages.to_owned(), None), (wrapped, Some("0.7"))];
        for (text, version) in cases {
            let stored = read_one("html-text.json", text.as_bytes()).unwrap();
            assert_eq!((stored.system.as_str(), stored.version.as_deref()), ("html-text", version));
            assert_eq!(texts(&stored), "a= b=x c=");
        }
        // Exactly these two keys: with a third they are pages.
        let three = r#"{"version":{"articleBody":"x"},"output":{"articleBody":"y"},"a":{}}"#;
        assert_eq!(texts(&read_one("x.json", three.as_bytes()).unwrap()), "a= output=y version=x");
        let twice = "{\"a\":{},\n\"a\":{}}";
        let error = read_one("x.json", twice.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.line), (Code::Stored, Some(2)));
        assert!(error.message.contains("`a` is given twice"), "{error}");
    }

    #[test]
    fn a_folder_of_texts_needs_no_manifest() {
        let stored = read_folder(&[
            ("a.txt", "\u{FEFF}one".as_bytes()),
            ("b%20%25%E4%B8%AD.txt", b"two\xFF\xFFx"),
            ("c.txt", b""),
            ("cafe\u{301}.txt", b"x"),
            ("d.txt", b"\xFF\xFEd\0\x2D\x4E"),
            ("notes.md", b"x"),
            ("._d.txt", b"x"),
        ])
        .unwrap();
        assert!(!stored.system.is_empty());
        assert_eq!(stored.version.as_deref(), Some("unknown"));
        assert_eq!(texts(&stored), "a=one b%20%25\u{4E2D}=two\u{FFFD}\u{FFFD}x c= caf\u{e9}=x d=d\u{4E2D}");
        assert_eq!(stored.notes.len(), 2, "{:?}", stored.notes);
        assert!(stored.notes[1].contains("2 malformed"), "{:?}", stored.notes);
    }

    #[test]
    fn a_manifest_decides() {
        let manifest = json!({
            "carat_outputs": 1, "name": "x", "version": "2", "dataset": "d", "made": "2026-11-21",
            "parameters": {"alpha": "0.5"}, "sha256": {"1.txt": sha256(b"one").to_uppercase()},
            "pages": {"a": {"file": "1.txt", "ms": 31.2}, "b": {"error": "time"}},
        });
        let manifest = manifest.to_string();
        let files = [("manifest.json", manifest.as_bytes()), ("1.txt", b"one"), ("other.txt", b"x")];
        let stored = read_folder(&files).unwrap();
        assert_eq!((stored.system.as_str(), stored.version.as_deref()), ("x", Some("2")));
        assert_eq!((stored.date.as_deref(), &stored.settings["alpha"]), (Some("2026-11-21"), &json!("0.5")));
        assert_eq!(texts(&stored), "a=one b!time");
        assert!(stored.notes.is_empty());
        // A text that is not the one that was made.
        assert_eq!(read_folder(&[files[0], ("1.txt", b"two")]).unwrap_err().code, Code::Digest);
        assert_eq!(read_folder(&[files[0]]).unwrap_err().code, Code::Missing);
        let bare = read_folder(&[("manifest.json", br#"{"carat_outputs":1,"name":"x"}"#), ("a.txt", b"one")]).unwrap();
        assert_eq!((bare.version.as_deref(), texts(&bare).as_str()), (None, "a=one"));
    }

    #[test]
    fn faults_of_folders_are_told() {
        let manifest = |text: &str| read_folder(&[("manifest.json", text.as_bytes()), ("a.txt", b"x")]).unwrap_err();
        assert_eq!(manifest(r#"{"carat_outputs":2,"name":"x"}"#).code, Code::Format);
        assert_eq!(manifest("{\n\"name\":\"x\"}").code, Code::Stored);
        let pages = |pages: &str| manifest(&format!(r#"{{"carat_outputs":1,"name":"x","pages":{pages}}}"#));
        assert_eq!(pages(r#"{"a":{"file":"../a.txt"}}"#).code, Code::Path);
        assert_eq!(pages(r#"{"a":{"file":"b.txt"}}"#).code, Code::Missing);
        assert_eq!(pages(r#"{"a":{}}"#).code, Code::Stored);
        assert!(pages(r#"{"a":{"error":""},"a":{"error":""}}"#).message.contains("given twice"));
        assert_eq!(read_folder(&[]).unwrap_err().code, Code::Stored);
        let same = read_folder(&[("a~b.txt", b"x"), ("a%7Eb.txt", b"y")]).unwrap_err();
        assert_eq!((same.code, same.page.as_deref()), (Code::Stored, Some("a~b")));
        for name in ["a%.txt", "a%zz.txt", "a%FF.txt", "a%+1.txt"] {
            assert_eq!(read_folder(&[(name, b"x")]).unwrap_err().code, Code::Stored, "{name}");
        }
    }
}

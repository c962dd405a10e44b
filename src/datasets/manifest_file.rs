//! Reading `dataset.yaml`, with every check that the format asks for.

use crate::formats::code::Code;
use serde_json::Value as Json;

use super::manifest::{Compression, GoldNature, Licence, Manifest, NO_DATASET_NAME, is_dataset_name, unknown_key};
use super::root::Root;
use super::words::is_date;
use super::{DatasetError, check_path, is_relative};
use crate::formats::digest::is_hex;
use crate::formats::yaml::{self, Located, Node, Position, YamlError};
use crate::page::selector::Selectors;

/// A manifest of more bytes is refused.
const MAX_BYTES: u64 = 1 << 20;

/// What may be done with the pages.
pub(super) const REDISTRIBUTIONS: [&str; 5] = ["free", "attribution", "research", "none", "unknown"];

/// Who made the gold.
pub(super) const NATURES: [&str; 4] = ["human", "assisted", "tool", "derived"];

/// What may count as content besides the body.
pub(super) const INCLUDES: [&str; 8] =
    ["title", "date", "author", "captions", "lists", "tables", "comments", "related"];

/// What `source` may hold.
pub(super) const SOURCE_KEYS: [&str; 6] = ["repository", "commit", "package", "url", "retrieved", "citation"];

/// A key's place in the manifest, the code of what is wrong with it, and a sentence.
type Wrong = (Vec<String>, Code, String);

/// The manifest of the dataset in `root`, which is called `file` in messages.
pub(super) fn read(root: &Root, file: &str) -> Result<Manifest, DatasetError> {
    let bytes = root.read_up_to(MAX_BYTES + 1, "dataset.yaml", Some(Compression::None));
    let bytes = bytes.map_err(|fault| fault.of_file(file))?;
    let text = String::from_utf8(bytes).map_err(|_| DatasetError::new(Code::Type, file, "is not valid UTF-8"))?;
    parse(&text, file)
}

fn parse(text: &str, file: &str) -> Result<Manifest, DatasetError> {
    let refused = |error: YamlError| {
        let is_key = error.message.starts_with("unknown field") || error.message.ends_with("is given twice");
        let line = (error.at.line > 0).then_some(error.at.line);
        DatasetError { line, ..DatasetError::new(if is_key { Code::Key } else { Code::Type }, file, error.message) }
    };
    let document = yaml::parse(file, text).map_err(refused)?;
    let fault = |(path, code, message): Wrong| DatasetError {
        line: line_of(&document, &path),
        ..DatasetError::new(code, file, message)
    };
    // Another format may have another shape.
    stated_format(&document)
        .map_or(Ok(()), check_format)
        .map_err(|message| fault(wrong("format", Code::Format, message)))?;
    let manifest: Manifest = yaml::typed_untagged(file, text).map_err(|error| {
        let is_of_value =
            ["expected ", "unknown variant", "invalid "].iter().any(|begin| error.message.starts_with(begin));
        let keys = if is_of_value { keys_before(&document, error.at) } else { Vec::new() };
        let message = if keys.is_empty() { error.message } else { format!("`{}`: {}", keys.join("."), error.message) };
        refused(YamlError { message, ..error })
    })?;
    check(&manifest).map_err(fault)?;
    Ok(manifest)
}

/// The line of the key at `path`, or of the last on the way there.
fn line_of(document: &Located<Node>, path: &[String]) -> Option<usize> {
    let (mut node, mut line) = (&document.value, None);
    for wanted in path {
        let Node::Map(entries) = node else { break };
        let Some((key, value)) = entries.iter().find(|(key, _)| key.value == *wanted) else { break };
        (node, line) = (&value.value, Some(key.at.line));
    }
    line
}

/// The key behind which `at` stands, below those that it is in.
fn keys_before(document: &Located<Node>, at: Position) -> Vec<&str> {
    let (mut node, mut keys) = (&document.value, Vec::new());
    while let Node::Map(entries) = node {
        let Some((key, value)) = entries.iter().rfind(|(key, _)| key.at <= at) else { break };
        keys.push(key.value.as_str());
        node = &value.value;
    }
    keys
}

/// The number under `format`; none where there is something else.
fn stated_format(document: &Located<Node>) -> Option<i64> {
    let Node::Map(entries) = &document.value else { return None };
    let (_, value) = entries.iter().find(|(key, _)| key.value == "format")?;
    match &value.value {
        Node::Scalar(text) => text.parse().ok(),
        _ => None,
    }
}

/// Checks the version of a format of which there is one.
///
/// # Errors
/// A sentence.
pub(super) fn check_format(format: i64) -> Result<(), String> {
    match format {
        1 => Ok(()),
        2.. => Err(format!("format {format} is newer than this program, which reads format 1")),
        _ => Err(format!("there is no format {format}; this program reads format 1")),
    }
}

fn wrong(key: &str, code: Code, message: impl Into<String>) -> Wrong {
    (vec![key.to_owned()], code, message.into())
}

/// Checks what the types cannot.
fn check(manifest: &Manifest) -> Result<(), Wrong> {
    if let Some(key) = unknown_key(&manifest.other) {
        return Err(wrong(key, Code::Key, format!("unknown key `{key}` (keys of your own begin with `x-`)")));
    }
    if !is_dataset_name(&manifest.name) {
        let message = format!("`{}` {NO_DATASET_NAME}", manifest.name);
        return Err(wrong("name", Code::Type, message));
    }
    if !(1..=64).contains(&manifest.version.chars().count()) {
        return Err(wrong("version", Code::Type, "`version` is a text of 1 to 64 characters"));
    }
    check_licence(&manifest.licence).map_err(|message| wrong("licence", Code::Type, message))?;
    check_nature(&manifest.gold).map_err(|message| wrong("gold", Code::Type, message))?;
    manifest.source.as_ref().map_or(Ok(()), check_source)?;
    for list in &manifest.pages {
        check_path(list).map_err(|message| wrong("pages", Code::Path, message))?;
    }
    if let Some(folder) = manifest.gold_folder.as_ref().filter(|folder| !is_relative(folder)) {
        let message = format!(
            "`{folder}` is not a path relative to the dataset's folder, in NFC, with `/` (`..` may lead out of it)"
        );
        return Err(wrong("gold_folder", Code::Path, message));
    }
    if let Some(key) = ["id", "html", "gold"].into_iter().find(|key| manifest.defaults.contains_key(*key)) {
        let message = format!("`defaults` cannot hold `{key}`, which is each page's own");
        return Err(wrong("defaults", Code::Key, message));
    }
    if let Some(strip) = &manifest.annotations {
        for selectors in [&strip.elements, &strip.unwrap] {
            Selectors::parse(selectors).map_err(|error| wrong("annotations", Code::Selector, error.to_string()))?;
        }
    }
    Ok(())
}

/// Checks the words of a licence.
///
/// # Errors
/// A sentence.
pub(super) fn check_licence(licence: &Licence) -> Result<(), String> {
    known("redistribution", &licence.redistribution, &REDISTRIBUTIONS)
}

/// Checks the words that say what a gold is.
///
/// # Errors
/// A sentence.
pub(super) fn check_nature(gold: &GoldNature) -> Result<(), String> {
    gold.nature.as_ref().map_or(Ok(()), |nature| known("nature", nature, &NATURES))?;
    gold.includes.iter().try_for_each(|part| known("includes", part, &INCLUDES))
}

fn known(key: &str, word: &str, words: &[&str]) -> Result<(), String> {
    if words.contains(&word) { Ok(()) } else { Err(format!("`{key}`: `{word}` is none of {}", words.join(", "))) }
}

/// Checks where a dataset says that it comes from.
fn check_source(source: &Json) -> Result<(), Wrong> {
    let Json::Object(members) = source else {
        let message = format!("`source` is an object of {}", SOURCE_KEYS.join(", "));
        return Err(wrong("source", Code::Type, message));
    };
    for (key, value) in members.iter().filter(|(key, _)| !key.starts_with("x-")) {
        let fault = |code, message| (vec!["source".to_owned(), key.clone()], code, message);
        if !SOURCE_KEYS.contains(&key.as_str()) {
            let message = format!("unknown key `{key}` in `source`; there are {}", SOURCE_KEYS.join(", "));
            return Err(fault(Code::Key, message));
        }
        let Json::String(text) = value else {
            return Err(fault(Code::Type, format!("`source.{key}` is a text; put it in quotes")));
        };
        let (is_right, form) = match key.as_str() {
            "repository" => (text.split('/').filter(|part| !part.is_empty()).count() == 2, "OWNER/NAME"),
            "commit" => (is_hex(text, 7..=40), "7 to 40 hexadecimal digits in lower case"),
            "retrieved" => (is_date(text), "a date, such as 2024-12-09"),
            _ => (true, ""),
        };
        if !is_right {
            return Err(fault(Code::Type, format!("`source.{key}`: expected {form}, not `{text}`")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

    /// The code and the line of what is wrong with the manifest in which `from` stands as `to`, `from` at the end if it is empty.
    fn fault(from: &str, to: &str) -> Option<(Code, usize)> {
        let text = if from.is_empty() { format!("{MANIFEST}{to}\n") } else { MANIFEST.replacen(from, to, 1) };
        parse(&text, "dataset.yaml").err().map(|error| (error.code, error.line.unwrap_or_default()))
    }

    #[test]
    fn what_the_format_does_not_allow_is_refused_with_its_code_and_line() {
        let cases = [
            ("", "colour: red", Code::Key, 5),
            ("", "name: again", Code::Key, 5),
            ("", "x-note: {a: 1, a: 2}", Code::Key, 5),
            ("data:", "date: x, data:", Code::Key, 4),
            ("format: 1", "format: 2", Code::Format, 1),
            ("format: 1\nname: demo\nversion: '1'", "format: 2\nname: [demo]\nsets: 3", Code::Format, 1),
            ("format: 1", "format: 0", Code::Format, 1),
            ("format: 1", "format: -1", Code::Format, 1),
            ("name: demo", "name: De mo", Code::Type, 2),
            ("'1'", "''", Code::Type, 3),
            ("redistribution: free", "redistribution: banana", Code::Type, 4),
            ("", "gold: {nature: alien}", Code::Type, 5),
            ("", "gold: {nature: human, includes: [title, smell]}", Code::Type, 5),
            ("", "source: 5", Code::Type, 5),
            ("", "source:\n  repository: one", Code::Type, 6),
            ("", "source: {commit: zz}", Code::Type, 5),
            ("", "source: {commit: 0123456}", Code::Type, 5),
            ("", "source: {retrieved: yesterday}", Code::Type, 5),
            ("", "source:\n  citation: a\n  foo: bar", Code::Key, 7),
            ("", "defaults: {gold: {text: x}}", Code::Key, 5),
            ("", "annotations: {unwrap: ['p::before']}", Code::Selector, 5),
            ("", "pages: [../a.jsonl]", Code::Path, 5),
            ("", "gold_folder: /etc", Code::Path, 5),
            ("", "gold_folder: C:/gold", Code::Path, 5),
            ("", "gold_folder: a\\b", Code::Path, 5),
            ("", "gold_folder: \"a\\0\"", Code::Path, 5),
            ("", "gold_folder: a//b", Code::Path, 5),
            ("", "title: !!str demo", Code::Type, 5),
            ("", "x-note: !mine demo", Code::Type, 5),
        ];
        for (from, to, code, line) in cases {
            assert_eq!(fault(from, to), Some((code, line)), "{from} -> {to}");
        }
        let older = parse(&MANIFEST.replace("format: 1", "format: 0"), "d").unwrap_err();
        assert!(!older.message.contains("newer"), "{older}");
    }

    #[test]
    fn a_value_of_another_type_is_told_with_its_key() {
        for (line, told) in [
            ("counts: {golds: 1, pages: -1}", "`counts.pages`: expected a whole number"),
            ("x-note: [1, 2]\npages: pages.jsonl", "`pages`: expected a list"),
            ("site_rule: hosts", "`site_rule`: unknown variant `hosts`, expected one of registrable, host, page"),
            ("gold: tool", "`gold`: expected keys with values"),
        ] {
            let error = parse(&format!("{MANIFEST}{line}\n"), "dataset.yaml").unwrap_err();
            assert_eq!(error.message, told);
        }
    }

    #[test]
    fn what_the_format_allows_is_read() {
        let allowed = "source: {repository: a/b, commit: 0123abc, package: p 1, url: u, retrieved: 2024-12-09, \
                       citation: c, x-note: [1]}\ngold: {nature: derived, includes: [related, author]}\n\
                       gold_folder: ../../gold/x\nx-note: {a: &a 1, b: *a}\ndefaults: {language: no, kind: on}";
        assert_eq!(fault("", allowed), None);
        let manifest = parse(&format!("{MANIFEST}{allowed}\n"), "d").unwrap();
        assert_eq!((&manifest.defaults["language"], &manifest.defaults["kind"]), (&"no".into(), &"on".into()));
    }

    #[test]
    fn a_manifest_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let read = || self::read(&Root::Folder(folder.path().to_owned()), "d").unwrap_err().code;
        std::fs::File::create(folder.path().join("dataset.yaml")).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(), Code::Size);
        std::fs::remove_file(folder.path().join("dataset.yaml")).unwrap();
        assert_eq!(read(), Code::Missing);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", folder.path().join("dataset.yaml")).unwrap();
            assert_eq!(read(), Code::Path);
        }
    }
}

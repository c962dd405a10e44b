//! Page lists: a record a line. A list is read whole once, when the dataset is loaded; from then on only the place of
//! each line is known, and a record is read again when it is asked for.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::manifest::{Details, FAULTS, GoldSource, Manifest, Record, SiteRule, SnippetTexts, unknown_key};
use super::root::Root;
use super::site::{host_of, registrable_domain};
use super::{DatasetError, check_path, hash, shown, unreadable};
use crate::formats::json::{UniqueKeys, without_position};
use crate::page::charset;
use crate::page::selector::Selectors;

/// The page lists of a dataset, and what fills in their records.
#[derive(Debug)]
pub(super) struct PageLists {
    folder: PathBuf,
    root: Root,
    lists: Vec<PageList>,
    defaults: Map<String, Json>,
    site_rule: SiteRule,
}

/// One page list.
#[derive(Debug)]
struct PageList {
    /// Its path below the root.
    path: String,
    /// The file, as it can be opened.
    file: String,
    /// The length of the lists before it, in bytes.
    begin: u64,
}

/// Where a record is in the page lists, and how to tell that it still is: 16 bytes a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where its line begins, in bytes, if the lists stood one after the other.
    offset: u64,
    /// The hash of its line.
    hash: u64,
}

impl PageLists {
    /// No list yet, of the dataset in `folder`.
    pub(super) fn new(folder: &Path, manifest: &Manifest) -> Self {
        let Manifest { defaults, site_rule, .. } = manifest;
        PageLists {
            folder: folder.to_owned(),
            root: Root::Folder(folder.to_owned()),
            lists: Vec::new(),
            defaults: defaults.clone(),
            site_rule: *site_rule,
        }
    }

    /// Reads the list at `path`, which begins `begin` bytes after the first list, checks its records and hands each
    /// to `take`. Gives where the next list begins.
    pub(super) fn add(
        &mut self,
        path: &str,
        begin: u64,
        mut take: impl FnMut(Place, Record),
    ) -> Result<u64, DatasetError> {
        let file = shown(&self.folder.join(path));
        let list = PageList { path: path.to_owned(), file, begin };
        let mut lines = self.open(&list, 0)?;
        let (mut offset, mut number) = (begin, 0);
        while let Some((line, length)) = next_line(&mut lines, &list)? {
            number += 1;
            let mark = if number == 1 { mark_length(&line) } else { 0 };
            let line = &line[mark..];
            if let Some(record) = self.record(line, &list).map_err(|fault| fault.at_line(number))? {
                take(Place { offset: offset + mark as u64, hash: hash(line) }, record);
            }
            offset += length;
        }
        self.lists.push(list);
        Ok(offset)
    }

    /// Reads the record at `place` again.
    ///
    /// # Errors
    /// [`DatasetError`]: its list cannot be read, or says something else there than when it was loaded.
    pub(super) fn get(&self, place: Place) -> Result<Record, DatasetError> {
        let list = self.list(place);
        let mut lines = self.open(list, place.offset - list.begin)?;
        let line = next_line(&mut lines, list)?.map(|(line, _)| line).unwrap_or_default();
        let record = if hash(&line) == place.hash { self.record(&line, list)? } else { None };
        record.ok_or_else(|| {
            let message = "the page list was changed after it was loaded; the same command loads it again";
            self.located(place, DatasetError::new("E-DIGEST", &list.file, message))
        })
    }

    /// The fault with the list of the record at `place` and, if the list can still be read, its line in it.
    pub(super) fn located(&self, place: Place, fault: DatasetError) -> DatasetError {
        let list = self.list(place);
        let line = || {
            let (mut before, mut line) = (self.open(list, 0).ok()?.take(place.offset - list.begin), 1);
            while before.skip_until(b'\n').ok()? > 0 {
                line += 1;
            }
            Some(line)
        };
        DatasetError { file: list.file.clone(), line: line(), ..fault }
    }

    fn list(&self, place: Place) -> &PageList {
        &self.lists[self.lists.partition_point(|list| list.begin <= place.offset) - 1]
    }

    fn open(&self, list: &PageList, offset: u64) -> Result<Box<dyn BufRead>, DatasetError> {
        self.root.open_at(&list.path, offset).map_err(|error| unreadable(&list.file, error))
    }

    /// The checked record of a line; `None` for a blank one.
    fn record(&self, line: &[u8], list: &PageList) -> Result<Option<Record>, DatasetError> {
        let fault = |code, message: String| DatasetError::new(code, &list.file, message);
        let line = std::str::from_utf8(line).map_err(|_| fault("E-TYPE", "is not valid UTF-8".to_owned()))?;
        if line.trim().is_empty() {
            return Ok(None);
        }
        let UniqueKeys(members) = serde_json::from_str(line).map_err(|error| {
            let message = error.to_string();
            let code = if message.contains("given twice") { "E-KEY" } else { "E-TYPE" };
            fault(code, format!("not a page record: {}", without_position(&message)))
        })?;
        let mut fields: Map<String, Json> = members.into_iter().collect();
        for (key, value) in &self.defaults {
            if !fields.contains_key(key) {
                fields.insert(key.clone(), value.clone());
            }
        }
        let mut record: Record = serde_json::from_value(Json::Object(fields))
            .map_err(|error| fault("E-TYPE", format!("not a page record: {error}")))?;
        check_record(&mut record, self.site_rule)
            .map_err(|(code, message)| fault(code, message).of_page(&record.id))?;
        Ok(Some(record))
    }
}

/// The next line without its end, and its length with it; `None` at the end of the list.
fn next_line(lines: &mut impl BufRead, list: &PageList) -> Result<Option<(Vec<u8>, u64)>, DatasetError> {
    let mut line = Vec::new();
    let length = lines.read_until(b'\n', &mut line).map_err(|error| unreadable(&list.file, error))?;
    if line.pop_if(|last| *last == b'\n').is_some() {
        line.pop_if(|last| *last == b'\r');
    }
    Ok((length > 0).then_some((line, length as u64)))
}

/// The length of the byte order marks at the beginning of a list.
fn mark_length(line: &[u8]) -> usize {
    const MARK: &[u8] = "\u{FEFF}".as_bytes();
    line.chunks(MARK.len()).take_while(|chunk| *chunk == MARK).count() * MARK.len()
}

/// Checks what the types cannot, and sets the site.
fn check_record(record: &mut Record, site_rule: SiteRule) -> Result<(), (&'static str, String)> {
    check_id(&record.id).map_err(|message| ("E-ID", message))?;
    if let Some(key) = unknown_key(&record.details().other) {
        return Err(("E-KEY", format!("unknown key `{key}` (keys of your own begin with `x-`)")));
    }
    let html = &record.html;
    let forms = [html.path().is_some(), html.text().is_some(), html.base64().is_some()];
    if forms.into_iter().filter(|&form| form).count() != 1 {
        return Err(("E-TYPE", "`html` needs exactly one of path, text and base64".to_owned()));
    }
    if let Some(path) = html.path() {
        check_path(path).map_err(|message| ("E-PATH", format!("html: {message}")))?;
    }
    if let Some(gold) = &record.gold {
        if let Some(path) = gold.path() {
            check_path(path).map_err(|message| ("E-PATH", format!("gold: {message}")))?;
        }
        check_gold(gold).map_err(|message| ("E-TYPE", message))?;
    }
    if html.text().is_some() {
        // Characters are characters: no label in the page may decode them again.
        let stated = record.encoding.get_or_insert_with(|| "utf-8".to_owned());
        if !stated.eq_ignore_ascii_case("utf-8") {
            return Err(("E-ENCODING", "an inline page has no encoding but utf-8".to_owned()));
        }
    }
    check_fields(record)?;
    if record.site.is_none() {
        record.site = Some(site_of(record, site_rule));
    }
    Ok(())
}

/// Checks that a gold is of one form, with or without nodes.
fn check_gold(gold: &GoldSource) -> Result<(), String> {
    let forms = [gold.path().is_some() && gold.select().is_none(), gold.text().is_some(), gold.select().is_some()];
    let forms = forms.into_iter().filter(|&form| form).count();
    let Some(nodes) = gold.nodes() else {
        if gold.object().is_some_and(|object| object.text_sha256.is_some() || object.f1.is_some()) {
            return Err("`gold` has `text_sha256` and `f1` beside `nodes` only".to_owned());
        }
        return match forms {
            1 => Ok(()),
            _ => Err("`gold` needs one of path, text, select and nodes".to_owned()),
        };
    };
    if forms > 1 || gold.select().is_some() {
        return Err("`nodes` stand alone or beside one text, path or text, and never beside `select`".to_owned());
    }
    nodes.check().map_err(|message| format!("gold: {message}"))
}

/// Checks a record's words: its encoding, faults, kind, split and selectors.
pub(super) fn check_fields(record: &Record) -> Result<(), (&'static str, String)> {
    if let Some(label) = &record.encoding
        && charset::for_label(label).is_none()
    {
        return Err(("E-ENCODING", format!("`{label}` is no label of the Encoding Standard")));
    }
    if let Some(fault) = record.details().faults.iter().find(|fault| !FAULTS.contains(&fault.as_str())) {
        return Err(("E-TYPE", format!("`{fault}` is no fault; there are {}", FAULTS.join(", "))));
    }
    for (field, value) in [("kind", &record.kind), ("split", &record.details().split)] {
        if value.as_deref().is_some_and(|value| !is_plain_word(value)) {
            return Err(("E-TYPE", format!("`{field}` is a word of 1 to 32 of a-z 0-9 _ -")));
        }
    }
    if let Some(snippets) = &record.details().snippets
        && SnippetTexts::deserialize(snippets.as_ref()).is_err()
    {
        return Err(("E-TYPE", "`snippets` is an object of the lists of texts `with` and `without`".to_owned()));
    }
    if let Some(select) = record.gold.as_ref().and_then(GoldSource::select) {
        let is_name = |name: &String| !name.is_empty() && !name.chars().any(char::is_control);
        if !select.roles.keys().all(is_name) {
            return Err(("E-TYPE", "a role of `select` needs a name without control characters".to_owned()));
        }
        for selectors in [&select.include, &select.exclude].into_iter().chain(select.roles.values()) {
            Selectors::parse(selectors).map_err(|error| ("E-SELECTOR", error.to_string()))?;
        }
    }
    Ok(())
}

fn site_of(record: &Record, rule: SiteRule) -> String {
    let Details { url, host, .. } = record.details();
    let host = || url.as_deref().and_then(host_of).or_else(|| host.clone());
    match (rule, host()) {
        (SiteRule::Registrable, Some(host)) => registrable_domain(&host),
        (SiteRule::Host, Some(host)) => host,
        (SiteRule::Page, _) | (_, None) => record.id.clone(),
    }
}

fn is_plain_word(word: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    (1..=32).contains(&word.len()) && word.bytes().all(allowed)
}

fn check_id(id: &str) -> Result<(), String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._~@+-%".contains(&byte);
    if id.is_empty() || id.len() > 200 || id.starts_with('.') || !id.bytes().all(allowed) {
        return Err(format!(
            "`{id}` is no page id: 1 to 200 of A-Z a-z 0-9 . _ ~ @ + - and %XX, not beginning with `.`"
        ));
    }
    Ok(())
}

//! Page lists: a record a line. A list is read whole once, when the dataset is loaded; from then on only the place of
//! each line is known, and a record is read again when it is asked for.

use crate::formats::code::Code;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::manifest::{Details, GoldSource, MAX_ID, Manifest, Record, SiteRule, is_plain_in_id, unknown_key};
use super::records::RecordSource;
use super::root::{Fault, Root};
use super::site::{canonical_host, host_of, named_site, registrable_domain};
use super::words::{check_fields, check_words, set_dates_aside};
use super::{DatasetError, MAX_LINE_BYTES, check_path, hash, shown};
use crate::formats::json::{UniqueJson, without_position};
use crate::formats::reading::RegularFile;
use crate::page::charset;

/// The page lists of a dataset, and what fills in their records.
#[derive(Debug)]
pub(super) struct PageLists {
    folder: PathBuf,
    root: Root,
    lists: Vec<PageList>,
    /// The list that was read last, by its number: a run asks for a million records of it.
    last: Mutex<Option<(usize, Arc<RegularFile>)>>,
    /// The length of the lists, in bytes, as far as they were read.
    end: u64,
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

/// What comes of a line that is not blank.
pub(super) type OfLine = Result<(Place, Record), DatasetError>;

/// Where a record is in the page lists, and how to tell that it still is: 16 bytes a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where its line begins, in bytes, if the lists stood one after the other.
    offset: u64,
    /// The hash of its line.
    hash: u64,
}

impl RecordSource for PageLists {
    type Place = Place;

    fn get(&self, place: Place) -> Result<Record, DatasetError> {
        let (number, list) = self.list(place);
        let mut lines = self.open(number, place.offset - list.begin)?;
        let line = next_line(&mut lines, list)?.map(|(line, _)| line).unwrap_or_default();
        let record = if hash(&line) == place.hash { self.record(&line, list)? } else { None };
        record.ok_or_else(|| {
            let message = "the page list was changed after it was loaded; the same command loads it again";
            self.located(place, DatasetError::new(Code::Digest, &list.file, message))
        })
    }

    fn located(&self, place: Place, fault: DatasetError) -> DatasetError {
        let (number, list) = self.list(place);
        let line = || {
            let (mut before, mut line) = (self.open(number, 0).ok()?.take(place.offset - list.begin), 1);
            while before.skip_until(b'\n').ok()? > 0 {
                line += 1;
            }
            Some(line)
        };
        DatasetError { file: list.file.clone(), line: fault.line.or_else(line), ..fault }
    }
}

impl PageLists {
    /// No list yet, of the dataset in `folder`.
    pub(super) fn new(folder: &Path, manifest: &Manifest) -> Self {
        let Manifest { defaults, site_rule, .. } = manifest;
        PageLists {
            folder: folder.to_owned(),
            root: Root::Folder(folder.to_owned()),
            lists: Vec::new(),
            last: Mutex::default(),
            end: 0,
            defaults: defaults.clone(),
            site_rule: *site_rule,
        }
    }

    /// Reads the list at `path`, checks its records and hands each to `take`, with its line, or the fault of the line
    /// instead. An error of `take` ends it.
    ///
    /// # Errors
    /// [`DatasetError`]: as `take`; or the list cannot be read, or not to its end.
    pub(super) fn add(
        &mut self,
        path: &str,
        take: impl FnMut(usize, OfLine) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let file = shown(&self.folder.join(path));
        let (place, mut end) = (self.lists.len(), self.end);
        self.lists.push(PageList { path: path.to_owned(), file, begin: end });
        let list = &self.lists[place];
        let read = self.open(place, 0).and_then(|mut lines| self.read(list, &mut lines, &mut end, take));
        self.end = end;
        read
    }

    /// The same of the `lines` of a list; `end` is moved to behind what is read. The fault of lines that cannot be read
    /// is at the first of them.
    fn read(
        &self,
        list: &PageList,
        lines: &mut impl BufRead,
        end: &mut u64,
        mut take: impl FnMut(usize, OfLine) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let mut read = 0;
        loop {
            let (some, rest) = some_lines(lines, list, (read, *end));
            let records: Vec<_> = some.par_iter().map(|line| self.record_of(line, list)).collect();
            for (line, record) in some.iter().zip(records) {
                (read, *end) = (line.number, line.end);
                match record.transpose() {
                    None => {}
                    Some(Ok(record)) => take(read, Ok((line.place(), record)))?,
                    Some(Err(fault)) => take(read, Err(fault.at_line(read)))?,
                }
                if line.text.is_none() {
                    let skipped = lines.skip_until(b'\n');
                    *end += skipped.map_err(|error| unreadable(list, error).at_line(read + 1))? as u64;
                }
            }
            if let Some(rest) = rest {
                return rest;
            }
        }
    }

    /// The checked record of a line, if it is not too long; `None` for a blank one.
    fn record_of(&self, line: &Line, list: &PageList) -> Result<Option<Record>, DatasetError> {
        match &line.text {
            Some(text) => self.record(text, list),
            None => {
                let message = format!("the line has more than {MAX_LINE_BYTES} bytes");
                Err(DatasetError::new(Code::Size, &list.file, message))
            }
        }
    }

    /// The list of the line at `place`, with its number.
    fn list(&self, place: Place) -> (usize, &PageList) {
        let number = self.lists.partition_point(|list| list.begin <= place.offset) - 1;
        (number, &self.lists[number])
    }

    /// The lines of the list `number`, from `offset` on.
    fn open(&self, number: usize, offset: u64) -> Result<impl BufRead + use<>, DatasetError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let list = &self.lists[number];
        let is_there = |kept: &&(usize, Arc<RegularFile>)| kept.0 == number && self.root.has_open(&list.path, &kept.1);
        let file = match last.as_ref().filter(is_there) {
            Some((_, file)) => file.clone(),
            None => {
                let file = self.root.open(&list.path).map_err(|fault| fault.of_file(&list.file))?;
                last.insert((number, Arc::new(file))).1.clone()
            }
        };
        Ok(BufReader::new(ListReader { file, offset, next: 512 }))
    }

    /// The checked record of a line; `None` for a blank one.
    fn record(&self, line: &[u8], list: &PageList) -> Result<Option<Record>, DatasetError> {
        let fault = |code, message: String| DatasetError::new(code, &list.file, message);
        let line = std::str::from_utf8(line).map_err(|_| fault(Code::Type, "is not valid UTF-8".to_owned()))?;
        if line.trim().is_empty() {
            return Ok(None);
        }
        let UniqueJson(json) = serde_json::from_str(line).map_err(|error| {
            let message = error.to_string();
            let code = if message.contains("is given twice") { Code::Key } else { Code::Type };
            fault(code, format!("not a page record: {}", without_position(&message)))
        })?;
        let Json::Object(mut fields) = json else {
            return Err(fault(Code::Type, "not a page record: expected a JSON object".to_owned()));
        };
        for (key, value) in &self.defaults {
            if !fields.contains_key(key) {
                fields.insert(key.clone(), value.clone());
            }
        }
        let id = fields.get("id").and_then(Json::as_str).map(str::to_owned);
        let fields = Json::Object(fields);
        let mut record = Record::deserialize(&fields).map_err(|error| {
            let mut message = error.to_string();
            if let Some(field) = field_at_fault(&fields).filter(|_| message.starts_with("invalid ")) {
                message = format!("`{field}`: {message}");
            }
            let of_object = ["`html`: ", "`gold`: "].iter().find_map(|field| message.strip_prefix(field));
            let is_key = of_object.is_some_and(|message| message.starts_with("unknown field"));
            let told = fault(if is_key { Code::Key } else { Code::Type }, format!("not a page record: {message}"));
            DatasetError { page: id, ..told }
        })?;
        check_record(&mut record, self.site_rule)
            .map_err(|(code, message)| fault(code, message).of_page(&record.id))?;
        Ok(Some(record))
    }
}

/// A reader of a list that others read too.
struct ListReader {
    file: Arc<RegularFile>,
    offset: u64,
    /// Bytes that are read next, at most: often one short line is wanted, and sometimes the whole list.
    next: usize,
}

impl Read for ListReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.next);
        let read = self.file.read_at(&mut buffer[..most], self.offset)?;
        self.offset += read as u64;
        self.next = self.next.saturating_mul(4);
        Ok(read)
    }
}

/// The field of a record that is refused in any record.
fn field_at_fault(fields: &Json) -> Option<&String> {
    let is_refused = |(field, value): &(&String, &Json)| {
        let mut alone = json!({"id": "a", "html": "a"});
        alone[field.as_str()] = (*value).clone();
        Record::deserialize(&alone).is_err()
    };
    fields.as_object()?.iter().find(is_refused).map(|(field, _)| field)
}

/// A line of a list.
struct Line {
    /// Its number, from 1 on.
    number: usize,
    /// Where its text begins and where the line ends, as far as it is read, in bytes, if the lists stood one after the other.
    begin: u64,
    end: u64,
    /// Its bytes without the end of the line; `None` of one that is too long.
    text: Option<Vec<u8>>,
}

impl Line {
    fn place(&self) -> Place {
        Place { offset: self.begin, hash: hash(self.text.as_deref().unwrap_or_default()) }
    }
}

/// So many bytes of lines, and one line more, are in memory while a list is read.
const BYTES_AT_A_TIME: usize = 1 << 20;

/// The next lines of a list of which `read` lines are read, up to the byte `end`; and how the list ends, if it does. A line
/// that is too long is the last of them, and what it has more is not read yet.
fn some_lines(
    lines: &mut impl BufRead,
    list: &PageList,
    (mut read, mut end): (usize, u64),
) -> (Vec<Line>, Option<Result<(), DatasetError>>) {
    let (mut some, mut bytes) = (Vec::new(), 0);
    while bytes < BYTES_AT_A_TIME {
        let (mut text, length) = match next_line(lines, list) {
            Ok(Some(line)) => line,
            Ok(None) => return (some, Some(Ok(()))),
            Err(fault) => return (some, Some(Err(fault.at_line(read + 1)))),
        };
        read += 1;
        let mark = if read == 1 { mark_length(&text) } else { 0 };
        let begin = end + mark as u64;
        end += length;
        if text.len() as u64 > MAX_LINE_BYTES {
            some.push(Line { number: read, begin, end, text: None });
            break;
        }
        text.drain(..mark);
        bytes += text.len();
        some.push(Line { number: read, begin, end, text: Some(text) });
    }
    (some, None)
}

/// The next line without its end, and its length with it; of one that is longer than [`MAX_LINE_BYTES`] no more than
/// shows that. `None` at the end of the list.
fn next_line(lines: &mut impl BufRead, list: &PageList) -> Result<Option<(Vec<u8>, u64)>, DatasetError> {
    let mut line = Vec::new();
    let length = lines
        .by_ref()
        .take(MAX_LINE_BYTES + 1)
        .read_until(b'\n', &mut line)
        .map_err(|error| unreadable(list, error))?;
    if line.pop_if(|last| *last == b'\n').is_some() {
        line.pop_if(|last| *last == b'\r');
    }
    Ok((length > 0).then_some((line, length as u64)))
}

fn unreadable(list: &PageList, error: io::Error) -> DatasetError {
    Fault::new(Code::Missing, error.to_string()).of_file(&list.file)
}

/// The length of the byte order marks at the beginning of a list.
fn mark_length(line: &[u8]) -> usize {
    const MARK: &[u8] = "\u{FEFF}".as_bytes();
    line.chunks(MARK.len()).take_while(|chunk| *chunk == MARK).count() * MARK.len()
}

/// Checks what the types cannot, and sets the site.
fn check_record(record: &mut Record, site_rule: SiteRule) -> Result<(), (Code, String)> {
    check_id(&record.id).map_err(|message| (Code::Id, message))?;
    if let Some(key) = unknown_key(&record.details().other) {
        return Err((Code::Key, format!("unknown key `{key}` (keys of your own begin with `x-`)")));
    }
    let html = &record.html;
    let forms = [html.path().is_some(), html.text().is_some(), html.base64().is_some()];
    if forms.into_iter().filter(|&form| form).count() != 1 {
        return Err((Code::Type, "`html` needs exactly one of path, text and base64".to_owned()));
    }
    if let Some(path) = html.path() {
        check_path(path).map_err(|message| (Code::Path, format!("html: {message}")))?;
    }
    if let Some(gold) = &record.gold {
        if let Some(path) = gold.path() {
            check_path(path).map_err(|message| (Code::Path, format!("gold: {message}")))?;
        }
        check_gold(gold).map_err(|message| (Code::Type, message))?;
    }
    if html.text().is_some() {
        // Characters are characters: no label in the page may decode them again.
        let stated = record.encoding.get_or_insert_with(|| "utf-8".to_owned());
        if charset::for_label(stated).is_some_and(|encoding| encoding != encoding_rs::UTF_8) {
            return Err((Code::Encoding, "an inline page has no encoding but utf-8".to_owned()));
        }
    }
    set_dates_aside(record);
    check_fields(record)?;
    check_words(record)?;
    record.site = Some(match &record.site {
        Some(site) => named_site(site, &record.id),
        None => site_of(record, site_rule),
    });
    Ok(())
}

/// Checks that a gold is of one form, with or without nodes.
fn check_gold(gold: &GoldSource) -> Result<(), String> {
    let forms = [gold.path().is_some() && gold.select().is_none(), gold.text().is_some(), gold.select().is_some()];
    let forms = forms.into_iter().filter(|&form| form).count();
    if gold.path().is_none() && gold.object().is_some_and(|object| object.sha256.is_some() || object.encoding.is_some())
    {
        return Err("`gold` has `sha256` and `encoding` beside `path` only".to_owned());
    }
    if gold.select().is_some() && gold.object().is_some_and(|object| object.kind.is_some()) {
        return Err("`gold` has `kind` beside a text only, in `path` or `text`".to_owned());
    }
    if gold.lacks_nodes() {
        return Err("`gold` has `spans` and `roles` beside `nodes` only".to_owned());
    }
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

fn site_of(record: &Record, rule: SiteRule) -> String {
    let Details { url, host, .. } = record.details();
    let host = || url.as_deref().and_then(host_of).or_else(|| host.as_deref().map(canonical_host));
    match (rule, host()) {
        (SiteRule::Registrable, Some(host)) => registrable_domain(&host),
        (SiteRule::Host, Some(host)) => host,
        (SiteRule::Page, _) | (_, None) => record.id.clone(),
    }
}

pub(super) fn check_id(id: &str) -> Result<(), String> {
    let allowed = |c: char| is_plain_in_id(c) || c == '.' || c == '%';
    let is_upper_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    let is_escape = |after: &str| after.len() >= 2 && after.as_bytes()[..2].iter().all(is_upper_hex);
    let are_escapes = id.split('%').skip(1).all(is_escape);
    if id.is_empty() || id.len() > MAX_ID || id.starts_with('.') || !id.chars().all(allowed) || !are_escapes {
        return Err(format!(
            "`{id}` is no page id: 1 to 200 bytes of letters, digits, signs other than those of ASCII, . _ ~ @ + - and %XX (upper-case hexadecimal), not beginning with `.`"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor, Error};

    use super::*;

    /// A disk that fails.
    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(Error::other("the disk fails"))
        }
    }

    #[test]
    fn a_list_that_fails_midway_is_at_fault_from_the_line_that_cannot_be_read() {
        let mut lists = PageLists::new(Path::new("."), &Manifest::default());
        lists.lists.push(PageList { path: "a.jsonl".to_owned(), file: "./a.jsonl".to_owned(), begin: 0 });
        let page = "{\"id\":\"a\",\"html\":{\"text\":\"x\"}}\n";
        for (before, line, taken) in [("", 1, 0), (page, 2, 1), ("\n{\"id\":", 2, 0), ("x\n\nx\n", 4, 2)] {
            let mut lines = BufReader::with_capacity(4, Cursor::new(before.as_bytes().to_owned()).chain(Failing));
            let (mut end, mut found) = (0, 0);
            let fault = lists.read(&lists.lists[0], &mut lines, &mut end, |_, _| {
                found += 1;
                Ok(())
            });
            let fault = fault.unwrap_err();
            assert_eq!((fault.code, fault.line, found), (Code::Missing, Some(line), taken), "{before:?}");
        }
    }
}

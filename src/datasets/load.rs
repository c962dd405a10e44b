//! Reading a folder of the neutral format, with every check that the format asks for.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use serde_json::{Map, Value as Json};

use super::manifest::{Compression, Details, FAULTS, GoldSource, Manifest, Record, SiteRule};
use super::site::{host_of, registrable_domain};
use super::{Dataset, DatasetError, Digests, Root, check_path, shown};
use crate::formats::json::{UniqueKeys, without_position};
use crate::formats::yaml;
use crate::page::charset;
use crate::page::selector::Selectors;

/// Loads the dataset in `folder`, which holds `dataset.yaml`.
///
/// # Errors
/// [`DatasetError`]: a fault of the manifest or a page list, a missing file, gold that does not decode.
pub fn load_folder(folder: &Path) -> Result<Dataset, DatasetError> {
    let root = Root::Folder(folder.to_owned());
    load(root, |gold_folder| Root::Folder(folder.join(gold_folder)))
}

/// Loads a dataset whose files are in `root`; `gold_root` resolves the manifest's `gold_folder`.
pub(super) fn load(root: Root, gold_root: impl Fn(&str) -> Root) -> Result<Dataset, DatasetError> {
    let file = match &root {
        Root::Folder(folder) => shown(&folder.join("dataset.yaml")),
        Root::Synthetic(_) => "dataset.yaml".to_owned(),
    };
    let text = read_text(&root, "dataset.yaml", &file)?;
    let manifest = read_manifest(&text, &file)?;
    let gold_root = manifest.gold_folder.as_deref().map_or_else(|| root.clone(), gold_root);
    let mut records = Vec::new();
    let mut places = Vec::new();
    let mut list_files = Vec::new();
    for list in &manifest.pages {
        check_path(list).map_err(|message| DatasetError::new("E-PATH", &file, message))?;
        let list_file = match &root {
            Root::Folder(folder) => shown(&folder.join(list)),
            Root::Synthetic(_) => list.clone(),
        };
        let lines = match &root {
            Root::Folder(folder) if !root.is_outside(list) => {
                let file = File::open(folder.join(list)).map_err(|error| unreadable(&list_file, error))?;
                read_list(BufReader::new(file), &list_file, &manifest, &mut records)?
            }
            _ => read_list(read_text(&root, list, &list_file)?.as_bytes(), &list_file, &manifest, &mut records)?,
        };
        places.extend(lines.into_iter().map(|line| (list_files.len(), line)));
        list_files.push(list_file);
    }
    if let Some(double) = first_double(&records) {
        let (list, line) = places[double];
        let fault = DatasetError::new("E-ID", &list_files[list], "the id is given twice");
        return Err(fault.at_line(line).of_page(&records[double].id));
    }
    let mut dataset = Dataset::new(manifest, records, root, gold_root);
    dataset.list_stored("stored", &[".jsonl.zst", ".jsonl.gz", ".jsonl"])?;
    check_counts(&dataset, &file)?;
    if dataset.records.is_empty() {
        return Err(DatasetError::new("E-COUNT", &file, "the dataset has no page"));
    }
    dataset.check_files(|record| {
        let (list, line) = places[record];
        (list_files[list].clone(), Some(line))
    })?;
    dataset.records.iter_mut().for_each(|record| record.html.forget_checks());
    if let Some(expected) = &dataset.manifest.digest {
        let digests: Vec<Digests> = dataset.records.iter().map(|record| dataset.digests(record)).collect();
        let found = dataset.digest(&digests);
        if found != *expected {
            let message = format!("the dataset's digest is {found}, not {expected} as the manifest says");
            return Err(DatasetError::new("E-DIGEST", &file, message));
        }
    }
    Ok(dataset)
}

fn read_text(root: &Root, path: &str, file: &str) -> Result<String, DatasetError> {
    let bytes = root.read_up_to(u64::MAX, path, Some(Compression::None)).map_err(|error| unreadable(file, error))?;
    String::from_utf8(bytes).map_err(|_| DatasetError::new("E-TYPE", file, "is not valid UTF-8"))
}

/// The manifest in `text`, checked.
fn read_manifest(text: &str, file: &str) -> Result<Manifest, DatasetError> {
    let manifest: Manifest = yaml::typed(file, text).map_err(|error| {
        let code = if error.message.contains("unknown field") { "E-KEY" } else { "E-TYPE" };
        DatasetError::new(code, file, error.message.clone()).at_line(error.at.line)
    })?;
    let fault = |code, key: &str, message: String| {
        let line = text.lines().position(|line| line.trim_start().starts_with(&format!("{key}:")));
        DatasetError { line: line.map(|line| line + 1), ..DatasetError::new(code, file, message) }
    };
    if manifest.format != 1 {
        let message = format!("format {} is newer than this program, which reads format 1", manifest.format);
        return Err(fault("E-FORMAT", "format", message));
    }
    if let Some(key) = unknown_key(&manifest.other) {
        return Err(fault("E-KEY", key, format!("unknown key `{key}` (keys of your own begin with `x-`)")));
    }
    let well_formed = |name: &str| {
        let mut bytes = name.bytes();
        let first = bytes.next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        first && name.len() <= 64 && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b))
    };
    if !well_formed(&manifest.name) {
        let message = format!("`{}` is no dataset name: lower-case letters, digits, `.`, `_`, `-`", manifest.name);
        return Err(fault("E-TYPE", "name", message));
    }
    if let Some(key) = ["id", "html", "gold"].into_iter().find(|key| manifest.defaults.contains_key(*key)) {
        return Err(fault("E-KEY", "defaults", format!("`defaults` cannot hold `{key}`, which is each page's own")));
    }
    if let Some(strip) = &manifest.annotations {
        for selectors in [&strip.elements, &strip.unwrap] {
            Selectors::parse(selectors).map_err(|error| fault("E-SELECTOR", "annotations", error.to_string()))?;
        }
    }
    Ok(manifest)
}

fn unknown_key(other: &Map<String, Json>) -> Option<&String> {
    other.keys().find(|key| !key.starts_with("x-"))
}

fn check_counts(dataset: &Dataset, file: &str) -> Result<(), DatasetError> {
    let declared = dataset.manifest.counts.clone().unwrap_or_default();
    let golds = dataset.records.iter().filter(|record| record.gold.is_some()).count();
    for (what, declared, found) in [("pages", declared.pages, dataset.records.len()), ("golds", declared.golds, golds)]
    {
        if declared.is_some_and(|declared| declared != found) {
            let message = format!("counts says {} {what}, there are {found}", declared.unwrap_or_default());
            return Err(DatasetError::new("E-COUNT", file, message));
        }
    }
    Ok(())
}

/// The first record whose id an earlier one has.
fn first_double(records: &[Record]) -> Option<usize> {
    let mut places: Vec<usize> = (0..records.len()).collect();
    places.sort_unstable_by_key(|&place| (&records[place].id, place));
    let doubles = places.windows(2).filter(|pair| records[pair[0]].id == records[pair[1]].id);
    doubles.map(|pair| pair[1]).min()
}

fn unreadable(file: &str, error: impl std::fmt::Display) -> DatasetError {
    DatasetError::new("E-MISSING", file, format!("cannot be read: {error}"))
}

/// Reads a page list into `records`, line by line; gives the line of each.
fn read_list(
    list: impl BufRead,
    file: &str,
    manifest: &Manifest,
    records: &mut Vec<Record>,
) -> Result<Vec<usize>, DatasetError> {
    let mut lines = Vec::new();
    for (number, line) in list.lines().enumerate() {
        let line = line.map_err(|error| match error.kind() {
            ErrorKind::InvalidData => DatasetError::new("E-TYPE", file, "is not valid UTF-8").at_line(number + 1),
            _ => unreadable(file, error),
        })?;
        let line = if number == 0 { line.trim_start_matches('\u{FEFF}') } else { &line };
        if line.trim().is_empty() {
            continue;
        }
        let fault = |code, message: String| DatasetError::new(code, file, message).at_line(number + 1);
        let UniqueKeys(members) = serde_json::from_str(line).map_err(|error| {
            let message = error.to_string();
            let code = if message.contains("given twice") { "E-KEY" } else { "E-TYPE" };
            fault(code, format!("not a page record: {}", without_position(&message)))
        })?;
        let mut fields: Map<String, Json> = members.into_iter().collect();
        for (key, value) in &manifest.defaults {
            if !fields.contains_key(key) {
                fields.insert(key.clone(), value.clone());
            }
        }
        let mut record: Record = serde_json::from_value(Json::Object(fields))
            .map_err(|error| fault("E-TYPE", format!("not a page record: {error}")))?;
        check_record(&mut record, manifest.site_rule)
            .map_err(|(code, message)| fault(code, message).of_page(&record.id))?;
        records.push(record);
        lines.push(number + 1);
    }
    Ok(lines)
}

/// Checks what the types cannot, and sets the site.
fn check_record(record: &mut Record, site_rule: SiteRule) -> Result<(), (&'static str, String)> {
    check_id(&record.id).map_err(|message| ("E-ID", message))?;
    if let Some(key) = unknown_key(&record.details().other) {
        return Err(("E-KEY", format!("unknown key `{key}` (keys of your own begin with `x-`)")));
    }
    let html = &record.html;
    if html.path().is_some() == html.text().is_some() {
        return Err(("E-TYPE", "`html` needs exactly one of path and text".to_owned()));
    }
    if let Some(path) = html.path() {
        check_path(path).map_err(|message| ("E-PATH", format!("html: {message}")))?;
    }
    if let Some(gold) = &record.gold {
        if let Some(path) = gold.path() {
            check_path(path).map_err(|message| ("E-PATH", format!("gold: {message}")))?;
        }
        let forms = [gold.path().is_some() && gold.select().is_none(), gold.text().is_some(), gold.select().is_some()];
        if forms.into_iter().filter(|&form| form).count() != 1 {
            return Err(("E-TYPE", "`gold` needs one of path, text and select".to_owned()));
        }
    }
    if html.text().is_some() {
        // Characters are characters: no label in the page may decode them again.
        let stated = record.encoding.get_or_insert_with(|| "utf-8".to_owned());
        if !stated.eq_ignore_ascii_case("utf-8") {
            return Err(("E-ENCODING", "an inline page has no encoding but utf-8".to_owned()));
        }
    }
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
    if let Some(select) = record.gold.as_ref().and_then(GoldSource::select) {
        for selectors in [&select.include, &select.exclude].into_iter().chain(select.roles.values()) {
            Selectors::parse(selectors).map_err(|error| ("E-SELECTOR", error.to_string()))?;
        }
    }
    if record.site.is_none() {
        record.site = Some(site_of(record, site_rule));
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

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

    fn dataset(manifest: &str, list: &str) -> Result<Dataset, DatasetError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dataset.yaml"), manifest).unwrap();
        std::fs::write(folder.path().join("pages.jsonl"), list).unwrap();
        std::fs::write(folder.path().join("a.html"), "<p>a").unwrap();
        std::fs::write(folder.path().join("bad.txt"), b"\xFF\xFE\xFD").unwrap();
        load_folder(folder.path())
    }

    fn fault(list: &str) -> (String, Option<usize>) {
        let error = dataset(MANIFEST, list).unwrap_err();
        (error.code.to_owned(), error.line)
    }

    #[test]
    fn reads_every_form_of_page_and_gold() {
        let list = concat!(
            r#"{"id":"a","html":"a.html","gold":{"text":" x \n\n y"},"host":"www.a.com.cn"}"#,
            "\n\n",
            r#"{"id":"b","html":{"text":"<p id=c>the <i>c</i></p>d"},"gold":{"select":{"include":["#,
            "\"#c\", \".nothing\"",
            r#"]}},"site":"s","x-note":1}"#,
        );
        let dataset = dataset(MANIFEST, list).unwrap();
        let sites: Vec<_> = dataset.records.iter().map(|record| record.site.as_deref().unwrap()).collect();
        assert_eq!(sites, ["a.com.cn", "s"]);
        assert_eq!(dataset.gold_text(&dataset.records[0]).unwrap(), "x\ny");
        let opened = dataset.open(&dataset.records[1]).unwrap();
        assert_eq!((opened.gold.as_deref(), opened.unmatched), (Some("the c"), vec![".nothing".to_owned()]));
    }

    #[test]
    fn every_fault_has_its_code_and_line() {
        let ok = r#"{"id":"a","html":"a.html"}"#;
        let cases = [
            (format!("{ok}\n{ok}"), "E-ID", Some(2)),
            (r#"{"id":".a","html":"a.html"}"#.into(), "E-ID", Some(1)),
            (r#"{"id":"a","html":"../a.html"}"#.into(), "E-PATH", Some(1)),
            (r#"{"id":"a","html":"/etc/passwd"}"#.into(), "E-PATH", Some(1)),
            (r#"{"id":"a","html":"b.html"}"#.into(), "E-MISSING", Some(1)),
            (r#"{"id":"a","html":"a.html","gold":"b.txt"}"#.into(), "E-MISSING", Some(1)),
            (r#"{"id":"a","html":"a.html","gold":"bad.txt"}"#.into(), "E-GOLD-BYTES", Some(1)),
            (r#"{"id":"a","html":"a.html","colour":"red"}"#.into(), "E-KEY", Some(1)),
            (r#"{"id":"a","html":"a.html","id":"b"}"#.into(), "E-KEY", Some(1)),
            (r#"{"id":"a","html":"a.html","encoding":"klingon"}"#.into(), "E-ENCODING", Some(1)),
            (r#"{"id":"a","html":{"path":"a.html","text":"x"}}"#.into(), "E-TYPE", Some(1)),
            (r#"{"id":"a","html":{"text":"x"},"encoding":"gbk"}"#.into(), "E-ENCODING", Some(1)),
            (r#"{"id":"a","html":{"path":"a.html","bytes":3}}"#.into(), "E-DIGEST", Some(1)),
            (r#"{"id":"a","html":"a.html","kind":"A Kind"}"#.into(), "E-TYPE", Some(1)),
            (r#"{"id":"a","html":"a.html","gold":{"select":{"include":["p::before"]}}}"#.into(), "E-SELECTOR", Some(1)),
            (r#"{"id":"a","html":"a.ht"#.into(), "E-TYPE", Some(1)),
            (r#"{"id":"a"}"#.into(), "E-TYPE", Some(1)),
        ];
        for (list, code, line) in cases {
            assert_eq!(fault(&list), (code.to_owned(), line), "{list}");
        }
    }

    #[test]
    fn manifests_are_checked() {
        let with = |line: &str| dataset(&format!("{MANIFEST}{line}\n"), "").unwrap_err();
        assert_eq!((with("colour: red").code, with("colour: red").line), ("E-KEY", Some(5)));
        assert_eq!(with("counts: {pages: 3}").code, "E-COUNT");
        assert_eq!(with("defaults: {gold: {text: x}}").code, "E-KEY");
        assert_eq!(with("annotations: {unwrap: ['p::before']}").code, "E-SELECTOR");
        assert_eq!(dataset(&MANIFEST.replace("format: 1", "format: 2"), "").unwrap_err().code, "E-FORMAT");
        assert_eq!(dataset(&MANIFEST.replace("name: demo", "name: De mo"), "").unwrap_err().code, "E-TYPE");
        let page = r#"{"id":"a","html":"a.html"}"#;
        assert!(dataset(&format!("{MANIFEST}x-note: mine\n"), page).is_ok());
        assert_eq!(dataset(MANIFEST, "\n").unwrap_err().code, "E-COUNT");
    }

    #[test]
    fn inline_pages_are_characters_whatever_their_label() {
        let list = r#"{"id":"a","html":{"text":"<meta charset=gb2312><p>中文新闻"},"gold":{"text":"中文新闻"}}"#;
        let dataset = dataset(MANIFEST, list).unwrap();
        assert_eq!(dataset.open(&dataset.records[0]).unwrap().page.facts.encoding, "UTF-8");
    }

    #[test]
    fn the_digest_is_checked_and_knows_annotations() {
        let page = r#"{"id":"a","html":{"text":"<p>a"},"gold":{"text":"a"}}"#;
        let plain = dataset(MANIFEST, page).unwrap();
        let digest = |dataset: &Dataset| dataset.digest(&[dataset.digests(&dataset.records[0])]);
        let stated = format!("{MANIFEST}digest: '{}'\n", digest(&plain));
        assert!(dataset(&stated, page).is_ok());
        assert_eq!(dataset(&stated, &page.replace("<p>a", "<p>b")).unwrap_err().code, "E-DIGEST");
        let stripped = dataset(&format!("{MANIFEST}annotations: {{elements: [i]}}\n"), page).unwrap();
        assert_ne!(digest(&stripped), digest(&plain));
    }

    #[test]
    fn defaults_fill_in_and_null_counts_as_present() {
        let manifest = format!("{MANIFEST}defaults: {{language: zh, kind: blog}}\n");
        let list = r#"{"id":"a","html":"a.html","language":null}"#;
        let record = dataset(&manifest, list).unwrap().records.remove(0);
        assert_eq!((record.language, record.kind.as_deref()), (None, Some("blog")));
    }
}

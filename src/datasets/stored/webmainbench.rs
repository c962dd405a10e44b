//! Rows of WebMainBench with the extractions of several systems: `NAME_content` is Markdown, `NAME_success` whether there is
//! any, and the id stands in `track_id` or `id`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value as Json};

use super::Stored;
use super::read::Texts;
use crate::datasets::manifest::encode_id;
use crate::datasets::{DatasetError, shown};
use crate::formats::code::Code;
use crate::formats::json::without_position;
use crate::structure::TextKind;

const CONTENT: &str = "_content";
const SUCCESS: &str = "_success";

/// True if lines that begin with `first` are such rows.
pub(super) fn are_rows(first: Option<&[u8]>) -> bool {
    let row = first.and_then(|line| serde_json::from_slice::<Map<String, Json>>(line).ok());
    row.is_some_and(|row| id(&row).is_some() && systems(&row).next().is_some())
}

/// The id of a row.
fn id(row: &Map<String, Json>) -> Option<&str> {
    ["track_id", "id"].into_iter().find_map(|key| row.get(key)?.as_str())
}

/// The systems of a row: those of which it says both what they extracted and whether they succeeded.
pub(in crate::datasets) fn systems(row: &Map<String, Json>) -> impl Iterator<Item = &str> {
    let names = row.keys().filter_map(|key| key.strip_suffix(CONTENT));
    names.filter(|name| !name.is_empty() && row.contains_key(&format!("{name}{SUCCESS}")))
}

/// The outputs of each system, in the order of their names.
pub(super) fn read<'b>(
    lines: impl Iterator<Item = (usize, &'b [u8])>,
    path: &Path,
) -> Result<Vec<Stored>, DatasetError> {
    let mut by_system: BTreeMap<String, Texts> = BTreeMap::new();
    for (number, line) in lines {
        let fault = |message: String| DatasetError::new(Code::Stored, shown(path), message).at_line(number);
        let row: Map<String, Json> = serde_json::from_slice(line)
            .map_err(|error| fault(format!("no row of WebMainBench: {}", without_position(&error.to_string()))))?;
        let id = encode_id(id(&row).ok_or_else(|| fault("the row has neither `track_id` nor `id`".to_owned()))?);
        for system in systems(&row) {
            let texts = by_system.entry(system.to_owned()).or_default();
            let text = text(&row, system).map_err(fault)?;
            if texts.insert(id.clone(), text).is_some() {
                return Err(fault("the page is given twice".to_owned()).of_page(&id));
            }
        }
    }
    let stored = |(system, texts)| Stored { system, texts, kind: TextKind::Markdown, ..Stored::default() };
    Ok(by_system.into_iter().map(stored).collect())
}

/// The text that a system extracted: null is an empty text, as upstream has it.
fn text(row: &Map<String, Json>, system: &str) -> Result<Result<String, String>, String> {
    let (content, success) = (&row[&format!("{system}{CONTENT}")], &row[&format!("{system}{SUCCESS}")]);
    match (content, success) {
        (_, Json::Bool(false)) => Ok(Err(format!("{system}{SUCCESS} is false"))),
        (Json::Null, _) => Ok(Ok(String::new())),
        (Json::String(text), _) => Ok(Ok(text.clone())),
        (other, _) => Err(format!("`{system}{CONTENT}` is a text or null, not {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_of_a_row_is_one() {
        let rows = [
            r##"{"id":"a/1","html":"x","groundtruth_content":"g","two_content":"# t","two_success":true,"one_content":null,"one_success":true}"##,
            r#"{"track_id":"b","two_content":"x","two_success":false,"two_content_list":"[]"}"#,
        ];
        assert!(are_rows(Some(rows[0].as_bytes())));
        assert!(!are_rows(Some(br#"{"system":"x","id":"a"}"#)) && !are_rows(Some(b"[]")) && !are_rows(None));
        let lines = || rows.iter().enumerate().map(|(place, row)| (place + 1, row.as_bytes()));
        let stored = read(lines(), Path::new("rows.jsonl")).unwrap();
        let systems: Vec<&str> = stored.iter().map(|stored| stored.system.as_str()).collect();
        assert_eq!(systems, ["one", "two"]);
        assert!(stored.iter().all(|stored| stored.kind == TextKind::Markdown));
        assert_eq!((stored[0].text("a%2F1"), stored[0].text("b")), (Some(Ok("")), None));
        assert_eq!(stored[1].text("a%2F1"), Some(Ok("# t")));
        assert_eq!(stored[1].text("b"), Some(Err("two_success is false")));
        let twice = read(lines().chain(lines()), Path::new("rows.jsonl")).unwrap_err();
        assert!(twice.message.contains("given twice"), "{twice}");
        let wrong = [(7, br#"{"id":"a","x_content":3,"x_success":true}"#.as_slice())];
        assert_eq!(read(wrong.into_iter(), Path::new("rows.jsonl")).unwrap_err().line, Some(7));
    }
}

//! Outputs in rows of WebMainBench: a row is a page, with the output of each system in fields that begin with its name.

use std::path::Path;

use serde_json::{Map, Value as Json};

use super::Stored;
use super::read::Texts;
use crate::datasets::manifest::encode_id;
use crate::datasets::{DatasetError, shown};
use crate::formats::code::Code;
use crate::formats::json::without_position;

/// The field of a row that holds the page.
const PAGE: &str = "html";

/// Ends the name of the field that holds an output.
const CONTENT: &str = "_content";

/// Ends the name of the field that says whether there is one.
const SUCCESS: &str = "_success";

/// The systems whose outputs a row holds: it has both fields of each.
pub(in crate::datasets) fn systems_of(row: &Map<String, Json>) -> impl Iterator<Item = &str> {
    let names = row.keys().filter_map(|key| key.strip_suffix(SUCCESS));
    names.filter(|name| !name.is_empty() && row.contains_key(&format!("{name}{CONTENT}")))
}

/// The outputs of `system` in these lines; `None` where the first one is no row.
pub(super) fn outputs<'b>(
    lines: impl Iterator<Item = (usize, &'b [u8])>,
    system: &str,
    path: &Path,
) -> Result<Option<Stored>, DatasetError> {
    let (mut texts, mut is_first) = (Texts::new(), true);
    for (number, line) in lines {
        let row = serde_json::from_slice::<Map<String, Json>>(line);
        if is_first && !row.as_ref().is_ok_and(|row| row.contains_key(PAGE)) {
            return Ok(None);
        }
        is_first = false;
        let row = row.map_err(|error| {
            let message = format!("no row of WebMainBench: {}", without_position(&error.to_string()));
            DatasetError::new(Code::Stored, shown(path), message).at_line(number)
        })?;
        let id = ["track_id", "id"].into_iter().find_map(|key| row.get(key)?.as_str());
        let (Some(id), true) = (id, systems_of(&row).any(|known| known == system)) else { continue };
        let failed = row.get(&format!("{system}{SUCCESS}")) == Some(&Json::Bool(false));
        let text = row.get(&format!("{system}{CONTENT}")).and_then(Json::as_str).unwrap_or_default();
        let text = if failed { Err("the system failed".to_owned()) } else { Ok(text.to_owned()) };
        texts.insert(encode_id(id), text);
    }
    Ok((!is_first).then(|| Stored { system: system.to_owned(), texts, ..Stored::default() }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_holds_the_outputs_of_several_systems() {
        let rows = [
            json!({"id": "a/1", "html": "<p>", "content": "x", "one_content": "# t\n", "one_success": true, "two_content": null, "two_success": true}),
            json!({"track_id": "b", "one_content": "y", "one_success": false, "groundtruth_content": "g"}),
        ];
        let text = rows.map(|row| row.to_string()).join("\n");
        let lines = || text.split('\n').enumerate().map(|(at, line)| (at + 1, line.as_bytes()));
        let of = |system: &str| outputs(lines(), system, Path::new("rows.jsonl")).unwrap();
        let first = rows_systems(&text);
        assert_eq!(first, ["one", "two"]);
        let one = of("one").unwrap();
        assert_eq!((one.text("a%2F1"), one.text("b")), (Some(Ok("# t\n")), Some(Err("the system failed"))));
        let two = of("two").unwrap();
        assert_eq!((two.text("a%2F1"), two.text("b")), (Some(Ok("")), None));
        assert_eq!(of("three").unwrap().ids().count(), 0);
        let other = outputs([(1, &b"{\"system\": \"one\"}"[..])].into_iter(), "one", Path::new("one.jsonl"));
        assert!(other.unwrap().is_none(), "lines of our own");
    }

    fn rows_systems(text: &str) -> Vec<String> {
        let row: Map<String, Json> = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        systems_of(&row).map(str::to_owned).collect()
    }
}

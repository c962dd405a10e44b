//! Gold into a dataset: lines of its page lists, and its version. All other bytes stay.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

/// The addition to a page's line.
#[derive(Clone, Debug, PartialEq)]
pub enum NewLine {
    /// Gold, and how it came about.
    Gold(Json, Json),
    /// A fault, and who said so.
    Fault(String, Json),
}

/// Why gold was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Someone has to change the manifest by hand first; nothing was written.
    #[error("{0}")]
    Manifest(String),
    /// A page list cannot be read as JSON.
    #[error("{0}")]
    List(String),
    /// The system refuses.
    #[error("cannot write {}: {source}", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Writes `lines`, by page id, into the lists of the dataset in `folder`, and says by its version that it is another
/// dataset. How many lines changed.
///
/// # Errors
/// [`WriteError`].
pub fn write(folder: &Path, lists: &[String], lines: &BTreeMap<String, NewLine>) -> Result<usize, WriteError> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|source| WriteError::System { path: path.to_owned(), source })
    };
    let (mut changed, mut files) = (0, Vec::new());
    for list in lists {
        let path = folder.join(list);
        let (text, count) = edited_list(&read(&path)?, lines)
            .map_err(|(line, reason)| WriteError::List(format!("{}:{line}: {reason}", path.display())))?;
        if count > 0 {
            changed += count;
            files.push((path, text));
        }
    }
    if changed == 0 {
        return Ok(0);
    }
    let manifest = folder.join("dataset.yaml");
    let text = edited_manifest(&read(&manifest)?)
        .map_err(|reason| WriteError::Manifest(format!("{}: {reason}; nothing was written", manifest.display())))?;
    // The manifest first: with it alone the dataset still loads, and this is done again.
    replace(&manifest, &text)?;
    for (path, text) in &files {
        replace(path, text)?;
    }
    Ok(changed)
}

/// Puts `text` in the place of a file by one rename, once it is on the disk.
fn replace(path: &Path, text: &str) -> Result<(), WriteError> {
    let put = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".tmp-").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        let permissions = std::fs::metadata(path)?.permissions();
        file.as_file().set_permissions(permissions)?;
        file.persist(path).map_err(|error| error.error)?;
        // Some systems cannot open a folder.
        File::open(folder).and_then(|folder| folder.sync_all()).or(Ok(()))
    };
    put().map_err(|source| WriteError::System { path: path.to_owned(), source })
}

/// A page list with its new lines, and how many of them changed.
fn edited_list(text: &str, lines: &BTreeMap<String, NewLine>) -> Result<(String, usize), (usize, String)> {
    let (mut out, mut changed) = (String::with_capacity(text.len()), 0);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let marked = if at == 0 { line.trim_start_matches('\u{FEFF}') } else { line };
        let body = marked.trim_end_matches(['\n', '\r']);
        if body.trim().is_empty() {
            out += line;
            continue;
        }
        let mut record: Json = serde_json::from_str(body).map_err(|error| (at + 1, error.to_string()))?;
        let new = record["id"].as_str().and_then(|id| lines.get(id));
        if !new.is_some_and(|new| put(&mut record, new)) {
            out += line;
            continue;
        }
        changed += 1;
        out += &line[..line.len() - marked.len()];
        out += &record.to_string();
        out += &marked[body.len()..];
    }
    Ok((out, changed))
}

/// Puts what is new into a record; whether that changes it.
fn put(record: &mut Json, new: &NewLine) -> bool {
    let before = record.clone();
    match new {
        NewLine::Gold(gold, origin) => {
            record["gold"] = gold.clone();
            record["x-annotation"] = origin.clone();
        }
        NewLine::Fault(fault, origin) => {
            let mut faults = record["faults"].as_array().cloned().unwrap_or_default();
            if !faults.contains(&json!(fault)) {
                faults.push(json!(fault));
            }
            record["faults"] = Json::Array(faults);
            record["x-annotation"] = origin.clone();
        }
    }
    *record != before
}

/// A manifest without counts and digest, and with the next version.
fn edited_manifest(text: &str) -> Result<String, String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut out, mut has_version) = (String::with_capacity(text.len() + 16), false);
    let mut passed = 0;
    for (at, line) in lines.iter().enumerate() {
        if at < passed {
            continue;
        }
        let key = ["counts", "digest", "version"]
            .into_iter()
            .find(|key| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':')));
        let Some(key) = key else {
            out += line;
            continue;
        };
        // The form in which `dataset export` writes counts.
        if key == "counts" && line.trim_end() == "counts:" {
            passed = at + 1 + lines[at + 1..].iter().take_while(|line| is_count(line)).count();
        }
        if passed > at + 1 && !lines.get(passed).is_some_and(|next| next.starts_with([' ', '\t'])) {
            continue;
        }
        passed = 0;
        let goes_on = lines.get(at + 1).is_some_and(|next| next.starts_with([' ', '\t']) && !next.trim().is_empty());
        let value: Result<BTreeMap<String, Json>, _> = serde_saphyr::from_str(line);
        let value = value.ok().filter(|_| !goes_on).and_then(|mut found| found.remove(key));
        let Some(value) = value else {
            return Err(format!("`{key}` is not on one line; {}", advice(key)));
        };
        if key == "version" {
            has_version = true;
            let version = match &value {
                Json::String(version) => version.clone(),
                other => other.to_string(),
            };
            out += &format!("version: {}", json!(raised(&version)));
            out += &line[line.trim_end_matches(['\n', '\r']).len()..];
        }
    }
    if has_version { Ok(out) } else { Err(format!("there is no line `version:`; {}", advice("version"))) }
}

/// True of a line such as `  pages: 12`.
fn is_count(line: &str) -> bool {
    let is_name = |name: &str| name.starts_with(' ') && name.trim().chars().all(|c| c.is_ascii_lowercase());
    let is_number = |number: &str| !number.trim().is_empty() && number.trim().chars().all(|c| c.is_ascii_digit());
    line.split_once(':').is_some_and(|(name, number)| is_name(name) && is_number(number))
}

fn advice(key: &str) -> String {
    match key {
        "version" => "write it as `version: \"NAME-gold.1\"`".to_owned(),
        key => format!("take `{key}` out, for it would be wrong"),
    }
}

/// The next version: `-gold.1`, or one more.
fn raised(version: &str) -> String {
    let stem_and_number =
        version.rsplit_once("-gold.").and_then(|(stem, number)| Some((stem, number.parse::<u64>().ok()?)));
    match stem_and_number {
        Some((stem, number)) => format!("{stem}-gold.{}", number.saturating_add(1)),
        None => format!("{version}-gold.1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "format: 1\nname: news\n# of May\nversion: 3\ncounts: {pages: 2, golds: 0}\ntitle: News\n";

    #[test]
    fn lines_that_are_not_ours_stay_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dataset.yaml"), MANIFEST).unwrap();
        let list = "\u{FEFF}{ \"id\":\"a\", \"html\" : \"a.html\"}\r\n\n{\"id\":\"b\",\"html\":\"b.html\",\"x-n\":1}\n{\"id\":\"c\",\"html\":\"c\"}";
        std::fs::write(folder.path().join("pages.jsonl"), list).unwrap();
        let origin = json!({"by": ["li"]});
        let lines: BTreeMap<_, _> = [
            ("b".to_owned(), NewLine::Gold(json!({"text": "x"}), origin.clone())),
            ("c".to_owned(), NewLine::Fault("no_text".to_owned(), origin.clone())),
        ]
        .into();
        let lists = ["pages.jsonl".to_owned()];
        assert_eq!(write(folder.path(), &lists, &lines).unwrap(), 2);
        let written = std::fs::read_to_string(folder.path().join("pages.jsonl")).unwrap();
        let expected = "\u{FEFF}{ \"id\":\"a\", \"html\" : \"a.html\"}\r\n\n\
            {\"id\":\"b\",\"html\":\"b.html\",\"x-n\":1,\"gold\":{\"text\":\"x\"},\"x-annotation\":{\"by\":[\"li\"]}}\n\
            {\"id\":\"c\",\"html\":\"c\",\"faults\":[\"no_text\"],\"x-annotation\":{\"by\":[\"li\"]}}";
        assert_eq!(written, expected);
        let manifest = || std::fs::read_to_string(folder.path().join("dataset.yaml")).unwrap();
        assert_eq!(manifest(), "format: 1\nname: news\n# of May\nversion: \"3-gold.1\"\ntitle: News\n");
        // Nothing new: nothing is written.
        assert_eq!(write(folder.path(), &lists, &lines).unwrap(), 0);
        assert!(manifest().contains("3-gold.1"));
        let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }

    #[test]
    fn a_manifest_that_is_not_in_lines_is_left() {
        for text in [
            "format: 1\nversion: 1\ncounts:\n  pages: 2\n  more: [1]\n",
            "format: 1\nversion: 1\ncounts:\n  pages:\n    2\n",
            "format: 1\nversion: >\n  long\n",
            "{format: 1, version: a}\n",
            "format: 1\nversion: 1\ncounts: {pages: 2,\n  golds: 3}\n",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("dataset.yaml");
            std::fs::write(&path, text).unwrap();
            let list = "{\"id\":\"b\",\"html\":\"b\"}\n";
            std::fs::write(folder.path().join("pages.jsonl"), list).unwrap();
            let lines = [("b".to_owned(), NewLine::Gold(json!({}), json!({})))].into();
            let told = write(folder.path(), &["pages.jsonl".to_owned()], &lines).unwrap_err();
            assert!(matches!(told, WriteError::Manifest(_)), "{told}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            assert_eq!(std::fs::read_to_string(folder.path().join("pages.jsonl")).unwrap(), list);
        }
    }

    #[test]
    fn versions_are_raised() {
        assert_eq!(raised("1.0"), "1.0-gold.1");
        assert_eq!(raised("1.0-gold.9"), "1.0-gold.10");
        assert_eq!(raised("x-gold.y"), "x-gold.y-gold.1");
        let quoted = edited_manifest("version: 'a: b' # why\r\ndigest: sha256:0\r\n").unwrap();
        assert_eq!(quoted, "version: \"a: b-gold.1\"\r\n");
        let exported = edited_manifest("version: 1.0\ncounts:\n  pages: 2\n  golds: 1\ndigest: sha256:0\nx-a: 1\n");
        assert_eq!(exported.unwrap(), "version: \"1.0-gold.1\"\nx-a: 1\n");
    }
}

//! What importers read with: upstream's files within bounds, never through a link that leaves the folder, with faults
//! that name file and line.

use crate::formats::code::Code;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::datasets::manifest::{Compression, Details};
use crate::datasets::root::{Root, read_limited};
use crate::datasets::words::is_date;
use crate::datasets::{DatasetError, MAX_LINE_BYTES, MAX_PAGE_BYTES, shown};
use crate::formats::json::without_position;
use crate::formats::reading::RegularFile;
use crate::page::charset;

/// A file that is read whole has at most so many bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The bytes of the file at `path` below `folder`.
pub(super) fn read_file(folder: &Path, path: &str) -> Result<Vec<u8>, DatasetError> {
    let file = regular_file(folder, path)?;
    let shown = || shown(&folder.join(path));
    file.read_at_most(MAX_FILE_BYTES).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => {
            DatasetError::new(Code::Size, shown(), format!("has more than the {MAX_FILE_BYTES} bytes that are read"))
        }
        _ => DatasetError::unread(Code::Missing, shown(), &error),
    })
}

/// The bytes of a page for a look at them: no more than a page may have.
pub(super) fn read_page(folder: &Path, path: &str) -> Result<Vec<u8>, DatasetError> {
    regular_file(folder, path)?;
    read_limited(&folder.join(path), MAX_PAGE_BYTES)
        .map_err(|error| DatasetError::unread(Code::Missing, shown(&folder.join(path)), &error))
}

/// The fault with the first line of the file at `path` below `folder` that holds `text` as a string of JSON, as far as it
/// can be told.
pub(super) fn at_line_with(fault: DatasetError, folder: &Path, path: &str, text: &str) -> DatasetError {
    let bytes = read_file(folder, path).unwrap_or_default();
    match String::from_utf8_lossy(&bytes).split_once(&serde_json::Value::from(text).to_string()) {
        Some((before, _)) => fault.at_line(1 + before.matches('\n').count()),
        None => fault,
    }
}

/// The JSON in the file at `path` below `folder`, which should be `what`.
pub(super) fn read_json<T: DeserializeOwned>(folder: &Path, path: &str, what: &str) -> Result<T, DatasetError> {
    let bytes = read_file(folder, path)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("is no {what}: {}", without_position(&error.to_string()));
        DatasetError::new(Code::Upstream, shown(&folder.join(path)), message).at_line(error.line())
    })
}

/// Hands each line that is not blank to `take`, with its number from 1, decompressed by the suffix of `path`; or the fault
/// of the line instead. An error of `take` ends it.
pub(super) fn read_lines(
    folder: &Path,
    path: &str,
    mut take: impl FnMut(usize, Result<&str, DatasetError>) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    let mut lines = BufReader::new(open(folder, path)?);
    let fault = |code, message: String| DatasetError::new(code, shown(&folder.join(path)), message);
    let unreadable = |error: &std::io::Error| DatasetError::unread(Code::Upstream, shown(&folder.join(path)), error);
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        number += 1;
        let length = (&mut lines)
            .take(MAX_LINE_BYTES + 1)
            .read_until(b'\n', &mut line)
            .map_err(|error| unreadable(&error).at_line(number))?;
        if length == 0 {
            return Ok(());
        }
        if length as u64 > MAX_LINE_BYTES {
            take(
                number,
                Err(fault(Code::Size, format!("the line has more than {MAX_LINE_BYTES} bytes")).at_line(number)),
            )?;
            lines.skip_until(b'\n').map_err(|error| unreadable(&error).at_line(number))?;
            continue;
        }
        match std::str::from_utf8(&line).map(|text| text.trim_start_matches('\u{FEFF}').trim()) {
            Ok("") => {}
            Ok(text) => take(number, Ok(text))?,
            Err(_) => take(number, Err(fault(Code::Upstream, "is not valid UTF-8".to_owned()).at_line(number)))?,
        }
    }
}

/// What stands in the file at `path` below `folder`, decompressed by its suffix.
pub(super) fn open(folder: &Path, path: &str) -> Result<Box<dyn Read>, DatasetError> {
    let file = regular_file(folder, path)?;
    let open = || {
        Ok(match Compression::of_path(path) {
            Compression::None => Box::new(file) as Box<dyn Read>,
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(file))),
            Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
        })
    };
    open().map_err(|error: std::io::Error| DatasetError::unread(Code::Missing, shown(&folder.join(path)), &error))
}

/// The file at `path`, if it is a regular one and no link leads out of `folder` to it.
fn regular_file(folder: &Path, path: &str) -> Result<RegularFile, DatasetError> {
    let file = folder.join(path);
    Root::Folder(folder.to_owned()).refuse_outside(path).map_err(|fault| fault.of_file(&shown(&file)))?;
    RegularFile::open(&file).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput => DatasetError::new(Code::Upstream, shown(&file), error.to_string()),
        _ => DatasetError::unread(Code::Missing, shown(&file), &error),
    })
}

/// The record in a line of JSON, which should be `what`.
pub(super) fn parse_line<T: DeserializeOwned>(
    file: &Path,
    number: usize,
    line: &str,
    what: &str,
) -> Result<T, DatasetError> {
    serde_json::from_str(line).map_err(|error| {
        let message = format!("is no {what}: {}", without_position(&error.to_string()));
        DatasetError::new(Code::Upstream, shown(file), message).at_line(number)
    })
}

/// The encoding of a page of which upstream states none: UTF-8 if it is valid, else the page's own
/// label (`None`: it decides later), else `fallback`.
pub(super) fn encoding_unstated(page: &[u8], fallback: &str) -> Option<String> {
    if std::str::from_utf8(page).is_ok() {
        return Some("utf-8".to_owned());
    }
    let has_label = charset::prescan(&page[..page.len().min(1024)]).is_some();
    (!has_label).then(|| fallback.to_owned())
}

/// Notes when a page says that it was published: as a date if it is one, else as `x-published`.
pub(super) fn set_published(details: &mut Details, written: &str) {
    let written = written.trim();
    if is_date(written) {
        details.published = Some(written.to_owned());
    } else if !written.is_empty() {
        details.other.insert("x-published".to_owned(), json!(written));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.jsonl"), "\u{FEFF}1\r\n\n2").unwrap();
        let mut lines = Vec::new();
        read_lines(folder.path(), "a.jsonl", |number, line| {
            lines.push((number, line?.to_owned()));
            Ok(())
        })
        .unwrap();
        assert_eq!(lines, [(1, "1".to_owned()), (3, "2".to_owned())]);
        let huge = std::fs::File::create(folder.path().join("b.jsonl")).unwrap();
        huge.set_len(2 << 30).unwrap();
        let error = read_lines(folder.path(), "b.jsonl", |_, line| line.map(drop)).unwrap_err();
        assert_eq!((error.code, error.line), (Code::Size, Some(1)));
        assert_eq!(read_file(folder.path(), "b.jsonl").unwrap_err().code, Code::Size);
    }
}

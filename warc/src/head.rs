//! Names and values in lines, as WARC and HTTP write them above what they describe.

use std::io::{BufRead, Read};

use crate::fault::{CUT, Fault};

/// A head has at most so many bytes.
const MAX_BYTES: u64 = 64 << 10;

/// A head has at most so many lines.
const MAX_LINES: usize = 256;

/// Names with their values, in the order in which they stand.
#[derive(Clone, Debug, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// The first value of `name`, which is of any case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Every value of `name`, which is of any case.
    pub fn all<'f>(&'f self, name: &str) -> impl DoubleEndedIterator<Item = &'f str> {
        self.0.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The header of a WARC record.
#[derive(Clone, Debug)]
pub struct Header {
    /// Its fields.
    pub fields: Fields,
    /// The length of the block, in bytes.
    pub length: u64,
}

impl Header {
    /// `WARC-Type`, in lower case.
    pub fn kind(&self) -> String {
        self.fields.get("WARC-Type").unwrap_or_default().to_ascii_lowercase()
    }

    /// `WARC-Record-ID` without its brackets and without `urn:uuid:`.
    pub fn id(&self) -> Option<&str> {
        Some(bare_id(self.fields.get("WARC-Record-ID")?)).filter(|id| !id.is_empty())
    }

    /// `WARC-Target-URI`; some writers of version 1.0 put it in brackets.
    pub fn target(&self) -> Option<&str> {
        self.fields.get("WARC-Target-URI").map(bare).filter(|target| !target.is_empty())
    }
}

/// The id of a record as people write it, without brackets and without `urn:uuid:`.
pub fn bare_id(text: &str) -> &str {
    without_prefix(bare(text), "urn:uuid:")
}

/// `text` without the brackets around it.
fn bare(text: &str) -> &str {
    text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(text).trim()
}

/// `text` without `prefix`, which is of any case.
fn without_prefix<'t>(text: &'t str, prefix: &str) -> &'t str {
    match text.get(..prefix.len()) {
        Some(beginning) if beginning.eq_ignore_ascii_case(prefix) => &text[prefix.len()..],
        _ => text,
    }
}

/// The first line of a head, and its fields.
pub(crate) struct Head {
    pub(crate) first: String,
    pub(crate) fields: Fields,
    /// True if a line that is no field stands among them.
    pub(crate) has_other: bool,
    /// True if the empty line at the end is there.
    pub(crate) is_closed: bool,
}

impl Head {
    /// Reads up to the empty line; `None` where nothing is left.
    pub(crate) fn read(input: &mut dyn BufRead) -> Result<Option<Head>, Fault> {
        let mut left = MAX_BYTES;
        let Some(first) = line(input, &mut left)? else { return Ok(None) };
        let mut head = Head { first, fields: Fields::default(), has_other: false, is_closed: false };
        for _ in 0..MAX_LINES {
            let Some(line) = line(input, &mut left)? else { return Ok(Some(head)) };
            if line.is_empty() {
                head.is_closed = true;
                return Ok(Some(head));
            }
            head.add(&line);
        }
        Err(Fault::broken(format!("its header has more than {MAX_LINES} lines")))
    }

    fn add(&mut self, line: &str) {
        let fields = &mut self.fields.0;
        if line.starts_with([' ', '\t']) {
            match fields.last_mut() {
                Some((_, value)) => *value = format!("{value} {}", line.trim()).trim().to_owned(),
                None => self.has_other = true,
            }
            return;
        }
        match line.split_once(':') {
            Some((name, value)) => fields.push((name.trim_end().to_owned(), value.trim().to_owned())),
            None => self.has_other = true,
        }
    }
}

/// The next line without its end, from `left` bytes; `None` at the end of the input.
fn line(input: &mut dyn BufRead, left: &mut u64) -> Result<Option<String>, Fault> {
    let mut line = Vec::new();
    let length = input.take(*left + 1).read_until(b'\n', &mut line)? as u64;
    *left =
        left.checked_sub(length).ok_or_else(|| Fault::broken(format!("its header has more than {MAX_BYTES} bytes")))?;
    let line = line.strip_suffix(b"\n").map_or(line.as_slice(), |line| line.strip_suffix(b"\r").unwrap_or(line));
    Ok((length > 0).then(|| String::from_utf8_lossy(line).into_owned()))
}

/// The block of a record has at most so many bytes.
const MAX_BLOCK_BYTES: u64 = 1 << 30;

/// Reads the header of a record; `None` where nothing is left.
pub(crate) fn read_header(input: &mut dyn BufRead) -> Result<Option<Header>, Fault> {
    let Some(head) = Head::read(input)? else { return Ok(None) };
    let Head { first, fields, has_other, is_closed } = head;
    match first.trim_end() {
        "WARC/1.0" | "WARC/1.1" => {}
        other if other.starts_with("WARC/") => {
            let version = other.chars().take(20).filter(|c| !c.is_control()).collect::<String>();
            return Err(Fault::broken(format!("is of the version `{version}`; WARC/1.0 and WARC/1.1 are read")));
        }
        _ => return Err(Fault::broken("no record begins here: expected WARC/1.0 or WARC/1.1")),
    }
    if !is_closed {
        return Err(Fault::broken(CUT));
    }
    if has_other {
        return Err(Fault::broken("its header has a line that is no field"));
    }
    let length = fields.get("Content-Length").ok_or_else(|| Fault::broken("its header has no Content-Length"))?;
    let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    match length.parse::<u64>() {
        Ok(length) if is_number && length <= MAX_BLOCK_BYTES => Ok(Some(Header { fields, length })),
        Ok(_) if is_number => {
            Err(Fault::broken(format!("its Content-Length is more than the {MAX_BLOCK_BYTES} bytes that are read")))
        }
        _ => Err(Fault::broken("its Content-Length is no number of bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Result<Option<Header>, String> {
        read_header(&mut text.as_bytes()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn headers_are_read_in_any_case_folded_and_with_plain_line_ends() {
        let crlf = "WARC/1.0\r\nwarc-type: Response\r\nWARC-Record-ID: <urn:uuid:1-a>\r\nWARC-Target-URI:\r\n \
                    http://a.org/\r\nContent-Length: 3\r\n\r\nabc";
        for text in [crlf.to_owned(), crlf.replace('\r', "")] {
            let header = header(&text).unwrap().unwrap();
            assert_eq!((header.kind().as_str(), header.id(), header.length), ("response", Some("1-a"), 3));
            assert_eq!(header.target(), Some("http://a.org/"));
        }
        assert!(header("").unwrap().is_none());
    }

    #[test]
    fn what_is_no_header_is_told() {
        let long = format!("WARC/1.1\r\nX: {}\r\n\r\n", "x".repeat(64 << 10));
        let many = format!("WARC/1.1\r\n{}\r\n", "X: 1\r\n".repeat(256));
        for (text, says) in [
            ("WARC/0.18\r\n\r\n", "of the version `WARC/0.18`"),
            ("HTTP/1.1 200 OK\r\n\r\n", "no record begins here"),
            ("WARC/1.1\r\nWARC-Type: response\r\n\r\n", "no Content-Length"),
            ("WARC/1.1\r\nContent-Length: +3\r\n\r\n", "no number of bytes"),
            ("WARC/1.1\r\nContent-Length: 1073741825\r\n\r\n", "more than the 1073741824 bytes"),
            ("WARC/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", "no number of bytes"),
            ("WARC/1.1\r\nwhat\r\nContent-Length: 3\r\n\r\n", "a line that is no field"),
            ("WARC/1.1\r\nContent-Length: 3\r\n", "the file is cut"),
            (&long, "more than 65536 bytes"),
            (&many, "more than 256 lines"),
        ] {
            let told = header(text).map(drop).unwrap_err();
            assert!(told.contains(says), "{says}: {told}");
        }
    }
}

//! Bytes to characters, as browsers do: byte-order mark, declared encoding, the page's own label,
//! UTF-8, a guess.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, DecoderResult, Encoding, UTF_8, WINDOWS_1252};
use serde::{Deserialize, Serialize};

/// What decided a page's encoding, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EncodingSource {
    /// A byte-order mark.
    Mark,
    /// The dataset says so.
    Dataset,
    /// The label within the first 1024 bytes (WHATWG prescan).
    Label,
    /// The whole page is valid UTF-8.
    ValidUtf8,
    /// chardetng's guess.
    Guess,
}

/// A page's characters, and how they came about.
#[derive(Debug)]
pub struct Decoded {
    /// The characters, without a byte-order mark.
    pub text: String,
    /// The encoding's name in the Encoding Standard.
    pub encoding: &'static str,
    /// What decided it.
    pub source: EncodingSource,
    /// Malformed sequences, each now one U+FFFD. A U+FFFD that the page itself holds is not counted.
    pub replaced: usize,
}

/// The encoding that `label` means to a browser, or `None` for an unknown label.
///
/// ```
/// assert_eq!(carat_core::page::charset::for_label("gb2312").unwrap().name(), "GBK");
/// ```
pub fn for_label(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// Decodes a page. `declared` is what the dataset states; it yields to a byte-order mark alone.
pub fn decode(bytes: &[u8], declared: Option<&'static Encoding>) -> Decoded {
    let (encoding, source, body) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (encoding, EncodingSource::Mark, &bytes[length..]),
        None => {
            let (encoding, source) = without_mark(bytes, declared);
            (encoding, source, bytes)
        }
    };
    let (text, replaced) = decode_counting(body, encoding);
    Decoded { text, encoding: encoding.name(), source, replaced }
}

fn without_mark(bytes: &[u8], declared: Option<&'static Encoding>) -> (&'static Encoding, EncodingSource) {
    if let Some(encoding) = declared {
        return (encoding, EncodingSource::Dataset);
    }
    if let Some(encoding) = prescan(&bytes[..bytes.len().min(1024)]) {
        return (encoding, EncodingSource::Label);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return (UTF_8, EncodingSource::ValidUtf8);
    }
    (guess(bytes), EncodingSource::Guess)
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    // No top-level domain: told "cn" it takes Big5 pages for GBK.
    detector.guess(None, Utf8Detection::Deny)
}

/// What `bytes` look like, whatever is stated of them: UTF-8 where they are valid, else a guess. `None` for bytes that
/// are all ASCII and look like any encoding.
pub fn detected(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes.is_ascii() {
        true => None,
        false if std::str::from_utf8(bytes).is_ok() => Some(UTF_8),
        false => Some(guess(bytes)),
    }
}

fn decode_counting(bytes: &[u8], encoding: &'static Encoding) -> (String, usize) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let capacity = decoder.max_utf8_buffer_length_without_replacement(bytes.len());
    let mut text = String::with_capacity(capacity.unwrap_or(bytes.len()));
    let (mut rest, mut replaced) = (bytes, 0);
    loop {
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        rest = &rest[read..];
        match result {
            DecoderResult::InputEmpty => break,
            DecoderResult::OutputFull => text.reserve(rest.len() + 16),
            DecoderResult::Malformed(..) => {
                replaced += 1;
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }
    text.shrink_to_fit();
    (text, replaced)
}

/// Decodes strictly: `None` where a sequence is malformed. A byte-order mark is taken off.
pub fn decode_strictly(bytes: &[u8], encoding: &'static Encoding) -> Option<String> {
    let (encoding, body) = match Encoding::for_bom(bytes) {
        Some((marked, length)) => (marked, &bytes[length..]),
        None => (encoding, bytes),
    };
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(decoder.max_utf8_buffer_length(body.len())?);
    let (result, _, replaced) = decoder.decode_to_string(body, &mut text, true);
    (result == CoderResult::InputEmpty && !replaced).then_some(text)
}

/// HTML Standard, 13.2.3.2, "prescan a byte stream to determine its encoding". `head` is the first
/// 1024 bytes or fewer; running out of them ends the search, so a label cut at the end is none.
pub fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0x3C, 0x00, 0x3F, 0x00, 0x78, 0x00, ..] => return Some(encoding_rs::UTF_16LE),
        [0x00, 0x3C, 0x00, 0x3F, 0x00, 0x78, ..] => return Some(encoding_rs::UTF_16BE),
        _ => {}
    }
    Scan { bytes: head, at: 0 }.run().or_else(|| xml_encoding(head))
}

/// "Get an XML encoding": `<?xml … encoding="…"`.
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.iter().position(|&b| b == b'>')?];
    let at = declaration.windows(8).position(|window| window == b"encoding")? + 8;
    let skip = |bytes: &'_ [u8]| bytes.iter().position(|&b| b > 0x20).unwrap_or(bytes.len());
    let rest = &declaration[at..];
    let rest = rest[skip(rest)..].strip_prefix(b"=")?;
    let rest = &rest[skip(rest)..];
    let (&quote, rest) = rest.split_first()?;
    if quote != b'"' && quote != b'\'' {
        return None;
    }
    let label = &rest[..rest.iter().position(|&b| b == quote)?];
    if label.iter().any(|&b| b <= 0x20) { None } else { in_page(Encoding::for_label(label)?) }
}

/// A label inside a page that could be read as ASCII so far cannot mean UTF-16.
fn in_page(encoding: &'static Encoding) -> Option<&'static Encoding> {
    if encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE {
        Some(UTF_8)
    } else if encoding == encoding_rs::X_USER_DEFINED {
        Some(WINDOWS_1252)
    } else {
        Some(encoding)
    }
}

struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

impl Scan<'_> {
    fn run(mut self) -> Option<&'static Encoding> {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                // The two hyphens of the end may be those of the start.
                let end = rest[2..].windows(3).position(|window| window == b"-->")?;
                self.at += 2 + end + 3;
            } else if rest.len() > 5
                && rest[..5].eq_ignore_ascii_case(b"<meta")
                && (is_space(rest[5]) || rest[5] == b'/')
            {
                self.at += 5;
                if let Some(found) = self.meta()? {
                    return Some(found);
                }
            } else if is_tag(rest) {
                while !matches!(self.peek()?, b'>') && !is_space(self.peek()?) {
                    self.at += 1;
                }
                while self.attribute()?.is_some() {}
            } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
                self.at += rest.iter().position(|&b| b == b'>')? + 1;
            } else {
                self.at += 1;
            }
        }
        None
    }

    /// The byte at the position; `None` ends the whole search.
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// A `meta` element: outer `None` when the bytes ran out, inner `None` when it says nothing.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let (mut pragma, mut need_pragma, mut charset) = (false, None, None);
        while let Some((name, value)) = self.attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => pragma |= value == b"content-type",
                b"content" if charset.is_none() => {
                    if let Some(label) = charset_of_content(&value) {
                        charset = Encoding::for_label(label);
                        need_pragma = charset.map(|_| true).or(need_pragma);
                    }
                }
                b"charset" => {
                    charset = Encoding::for_label(&value);
                    need_pragma = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        Some(match (need_pragma, charset) {
            (Some(needed), Some(encoding)) if pragma || !needed => in_page(encoding),
            _ => None,
        })
    }

    /// "Get an attribute": name and value in lower case; inner `None` at the tag's end.
    fn attribute(&mut self) -> Option<Option<(Vec<u8>, Vec<u8>)>> {
        while is_space(self.peek()?) || self.peek()? == b'/' {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            self.at += 1;
            return Some(None);
        }
        let (mut name, mut value) = (Vec::new(), Vec::new());
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => {
                    self.at += 1;
                    break;
                }
                byte if is_space(byte) => {
                    while is_space(self.peek()?) {
                        self.at += 1;
                    }
                    if self.peek()? != b'=' {
                        return Some(Some((name, value)));
                    }
                    self.at += 1;
                    break;
                }
                b'/' | b'>' => return Some(Some((name, value))),
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        while is_space(self.peek()?) {
            self.at += 1;
        }
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                while self.peek()? != quote {
                    value.push(self.peek()?.to_ascii_lowercase());
                    self.at += 1;
                }
                self.at += 1;
            }
            _ => {
                while !is_space(self.peek()?) && self.peek()? != b'>' {
                    value.push(self.peek()?.to_ascii_lowercase());
                    self.at += 1;
                }
            }
        }
        Some(Some((name, value)))
    }
}

/// `<` or `</` and an ASCII letter.
fn is_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"</").or_else(|| rest.strip_prefix(b"<"));
    name.and_then(|name| name.first()).is_some_and(u8::is_ascii_alphabetic)
}

/// "Extracting a character encoding from a meta element": the label after `charset=`.
fn charset_of_content(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let at = rest.windows(7).position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = trim_start(&rest[at + 7..]);
        if let Some(value) = rest.strip_prefix(b"=") {
            rest = trim_start(value);
            break;
        }
    }
    match *rest.first()? {
        quote @ (b'"' | b'\'') => {
            let end = rest[1..].iter().position(|&b| b == quote)?;
            Some(&rest[1..1 + end])
        }
        _ => Some(&rest[..rest.iter().position(|&b| is_space(b) || b == b';').unwrap_or(rest.len())]),
    }
}

fn trim_start(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().position(|&b| !is_space(b)).unwrap_or(bytes.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(head: &str) -> Option<&'static str> {
        prescan(head.as_bytes()).map(Encoding::name)
    }

    #[test]
    fn finds_labels_as_browsers_do() {
        let cases: &[(&str, Option<&str>)] = &[
            ("<meta charset=gb2312>", Some("GBK")),
            ("<META CHARSET = 'Big5' >", Some("Big5")),
            ("<meta charset=iso-8859-1>", Some("windows-1252")),
            ("<meta charset=utf-16le>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta http-equiv=Content-Type content='text/html; charset=gbk'>", Some("GBK")),
            ("<meta content=\"text/html;charset='gbk'\" http-equiv=content-type>", Some("GBK")),
            ("<meta content='text/html; charset=gbk'>", None),
            ("<!-- <meta charset=gbk> --><meta charset=utf-8>", Some("UTF-8")),
            ("<!--><meta charset=gbk>", Some("GBK")),
            ("<!-- <meta charset=gbk>", None),
            ("<title a='<meta charset=gbk>'><meta charset=utf-8>", Some("UTF-8")),
            ("<meta charset=nonsense><meta charset=gbk>", Some("GBK")),
            ("<meta charset=big5 charset=gbk>", Some("Big5")),
            ("<metaphor charset=gbk>", None),
            ("<meta charset=ut", None),
            ("<meta charset=utf-8", None),
            ("<?xml version='1.0' encoding='gb2312'?><html>", Some("GBK")),
            ("<?xml version='1.0' encoding='gb2312'?><meta charset=utf-8>", Some("UTF-8")),
            ("plain", None),
            ("", None),
        ];
        for (head, expected) in cases {
            assert_eq!(label(head), *expected, "{head}");
        }
    }

    #[test]
    fn a_label_cut_by_the_1024th_byte_is_none() {
        let page = format!("<!--{}-->{}", "x".repeat(1024 - 7 - 18), "<meta charset=utf-8><p>");
        assert_eq!(page.find("f-8"), Some(1022));
        let decoded = decode(page.as_bytes(), None);
        assert_eq!(decoded.source, EncodingSource::ValidUtf8);
    }

    #[test]
    fn asks_in_order() {
        let gbk = b"<meta charset=gb2312>\xD6\xD0";
        let cases: &[(&[u8], Option<&str>, &str, EncodingSource)] = &[
            (b"\xEF\xBB\xBF<meta charset=gbk>", Some("big5"), "UTF-8", EncodingSource::Mark),
            (b"\xFF\xFEa\0", None, "UTF-16LE", EncodingSource::Mark),
            (gbk, Some("utf-8"), "UTF-8", EncodingSource::Dataset),
            (gbk, None, "GBK", EncodingSource::Label),
            ("中".as_bytes(), None, "UTF-8", EncodingSource::ValidUtf8),
            (b"", None, "UTF-8", EncodingSource::ValidUtf8),
            (b"caf\xE9 au lait", None, "windows-1252", EncodingSource::Guess),
        ];
        for (bytes, declared, encoding, source) in cases {
            let decoded = decode(bytes, declared.map(|label| for_label(label).unwrap()));
            assert_eq!((decoded.encoding, decoded.source), (*encoding, *source), "{bytes:?}");
        }
    }

    #[test]
    fn counts_what_it_replaces_and_not_what_was_there() {
        // A lone lead byte before a quote: one replacement, and the quote stays.
        let decoded = decode(b"\xD6\xD0\xD6\"\xD6\xD0", for_label("gbk"));
        assert_eq!((decoded.text.as_str(), decoded.replaced), ("中\u{FFFD}\"中", 1));
        let decoded = decode("a\u{FFFD}".as_bytes(), None);
        assert_eq!((decoded.text.as_str(), decoded.replaced), ("a\u{FFFD}", 0));
    }

    #[test]
    fn every_encoding_takes_any_bytes() {
        let bytes: Vec<u8> = (0..=255).cycle().take(4096).collect();
        let labels = ["utf-8", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "utf-16be"];
        for label in
            labels.into_iter().chain(["ibm866", "iso-8859-2", "koi8-r", "macintosh", "windows-1250", "utf-16le"])
        {
            let decoded = decode(&bytes, for_label(label));
            assert_eq!(decoded.encoding.to_ascii_lowercase(), label);
            assert!(decoded.text.len() > 1000, "{label}");
        }
        assert!(decode(&bytes, for_label("utf-8")).replaced > 1000);
    }
}

//! The `<text id="URL" title="…" encoding="LABEL">` … `</text>` that CleanEval puts around a page. It
//! is no part of the page: left in place it opens the body before the doctype.

use std::path::Path;
use std::sync::LazyLock;

use encoding_rs::Encoding;
use regex::bytes::Regex;

use super::references::decode_attribute;
use super::upstream::read_page;
use crate::datasets::DatasetError;
use crate::datasets::site::host_of;
use crate::page::charset;

/// A `>` inside quotes ends the tag only where no quote on the same line closes.
static OPENING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i-u)\A(?:\xEF\xBB\xBF)?\s*<text(?:\s((?:[^>"]|"[^"\n]*")*)>|\s([^>]*)>)\s*"#));
static CLOSING: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i-u)</text\s*>\s*\z"));
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?i-u)(?:\A|\s)id\s*=\s*"([^"]*)""#));
static ENCODING: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?i-u)(?:\A|\s)encoding\s*=\s*"([^"]*)""#));

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the pattern is constant")
}

/// The page without its wrapper; as it is where it has none.
pub(super) fn unwrap(bytes: &[u8]) -> &[u8] {
    let Some(opening) = OPENING.find(bytes) else { return bytes };
    let page = &bytes[opening.end()..];
    match CLOSING.find(page) {
        Some(closing) => &page[..closing.start()],
        None => page,
    }
}

/// A wrapped page as it is stored, with what its wrapper says.
pub(super) struct Wrapped {
    bytes: Vec<u8>,
    /// The page's address, if the wrapper gives an absolute one.
    pub(super) url: Option<String>,
    /// What `encoding` means; `None` without a wrapper, and for `unset`, `unknown-…` and the like.
    pub(super) encoding: Option<&'static Encoding>,
    /// Whether there is a wrapper.
    pub(super) is_wrapped: bool,
}

impl Wrapped {
    /// Reads the page at `path` below `folder`.
    pub(super) fn read(folder: &Path, path: &str) -> Result<Self, DatasetError> {
        let bytes = read_page(folder, path)?;
        let attributes = OPENING.captures(&bytes).and_then(|found| Some(found.get(1).or(found.get(2))?.as_bytes()));
        let attribute = |pattern: &Regex| {
            let value = pattern.captures(attributes?)?;
            Some(String::from_utf8_lossy(&value[1]).into_owned())
        };
        let url = attribute(&ADDRESS).map(|url| decode_attribute(&url).trim().to_owned());
        let encoding = attribute(&ENCODING).and_then(|label| charset::for_label(&label));
        let (is_wrapped, url) = (attributes.is_some(), url.filter(|url| host_of(url).is_some()));
        Ok(Wrapped { bytes, url, encoding, is_wrapped })
    }

    /// The page itself.
    pub(super) fn page(&self) -> &[u8] {
        unwrap(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(bytes: &[u8]) -> (String, Option<String>, Option<&'static str>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.html"), bytes).unwrap();
        let wrapped = Wrapped::read(folder.path(), "a.html").unwrap();
        let page = String::from_utf8_lossy(wrapped.page()).into_owned();
        (page, wrapped.url, wrapped.encoding.map(Encoding::name))
    }

    #[test]
    fn wrappers_come_off_and_are_read() {
        let page = "<!doctype html><p>a";
        let cases: &[(&str, &str, Option<&str>, Option<&str>)] = &[
            (
                "<text id=\"http://a.org/?b=1&amp;c\" title=\"t\" encoding=\"utf8\">\n",
                "</text>\r\n",
                Some("http://a.org/?b=1&c"),
                Some("UTF-8"),
            ),
            ("\n<text id=\"http://a.org/\">\n\n", "</text>", Some("http://a.org/"), None),
            (
                "\u{FEFF}<TEXT ID=\"http://a.org/\" ENCODING=\"iso-8859-1\" >",
                "</TEXT >",
                Some("http://a.org/"),
                Some("windows-1252"),
            ),
            ("<text id=\"x\" title=\"a > b\" encoding=\"unset\">", "", None, None),
            ("<text id=\"x\" title=\"5\" disc\" encoding=\"gbk\">\n", "</text>", None, Some("GBK")),
            ("<text id=\"x\" encoding=\"unknown-us-ascii\">", "</text>", None, None),
        ];
        for (opening, closing, url, encoding) in cases {
            let (found, found_url, found_encoding) = wrapped(format!("{opening}{page}{closing}").as_bytes());
            assert_eq!((found.as_str(), found_url.as_deref(), found_encoding), (page, *url, *encoding), "{opening}");
        }
    }

    #[test]
    fn a_page_without_a_wrapper_stays_as_it_is() {
        for page in ["<p>a</text>", "<textarea id=\"http://a.org/\">b", "a <text id=\"b\">"] {
            assert_eq!(wrapped(page.as_bytes()), (page.to_owned(), None, None));
        }
    }
}

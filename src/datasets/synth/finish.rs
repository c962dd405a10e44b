//! From a page's text to its bytes: tags, line ends, the label and the encoding.

use std::borrow::Cow;
use std::sync::LazyLock;

use encoding_rs::{BIG5, Encoding, GB18030, UTF_8, WINDOWS_1252};
use regex::{Captures, Regex};

use super::recipe::{Bytes, Label, LineEnds, Look, Tags};

/// Stands before the label's element, [`LABEL_END`] behind it, [`LABEL`] in it.
pub(super) const LABEL_BEGIN: char = '\u{E000}';
pub(super) const LABEL_END: char = '\u{E001}';
pub(super) const LABEL: char = '\u{E002}';
/// Becomes a byte that begins a character, with no other after it.
pub(super) const LONE_LEAD: char = '\u{E003}';

/// How many bytes a browser looks at for a label.
const PRESCANNED: usize = 1024;

/// The bytes of the page `html`.
///
/// # Errors
/// A sentence: the page has a character that its encoding lacks.
pub(super) fn finish(html: String, look: &Look, minified: bool, wrong_label: Option<&str>) -> Result<Vec<u8>, String> {
    let mut html = html;
    if minified {
        html = minify(&html);
    }
    if look.unclosed.unwrap_or_default() {
        html = without_optional_ends(&html);
    }
    if look.tags.unwrap_or_default() == Tags::Upper {
        html = in_upper_case(&html);
    }
    let bytes = look.bytes.unwrap_or_default();
    let label = look.label.clone().unwrap_or_default();
    let mut html = labelled(&html, &label, wrong_label.unwrap_or_else(|| usual_label(bytes)));
    if look.line_ends.unwrap_or_default() == LineEnds::Crlf {
        html = html.replace('\n', "\r\n");
    }
    encode(&html, bytes)
}

/// Takes out the white space between elements where a line ends, as tools that shorten pages do.
fn minify(html: &str) -> String {
    static BETWEEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r">\s*\n\s*<").expect("a fixed pattern"));
    static LINES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\s*\n\s*").expect("a fixed pattern"));
    LINES.replace_all(&BETWEEN.replace_all(html, "><"), " ").trim().to_owned()
}

/// Leaves out the end tags that may be left out everywhere.
fn without_optional_ends(html: &str) -> String {
    static ENDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("</(p|td|th|tr|li|dd|option)>").expect("a fixed pattern"));
    ENDS.replace_all(html, "").into_owned()
}

/// Names of elements in upper case, outside scripts and styles.
fn in_upper_case(html: &str) -> String {
    static TAGS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("(?s)<(script|style)[^>]*>.*?</(script|style)>|<!--.*?-->|</?[a-z][a-z0-9]*")
            .expect("a fixed pattern")
    });
    let upper = |tag: &Captures<'_>| match &tag[0] {
        whole if whole.ends_with('>') => whole.to_owned(),
        name => name.to_ascii_uppercase(),
    };
    TAGS.replace_all(html, upper).into_owned()
}

/// The page with its label as asked for.
fn labelled(html: &str, label: &Label, usual: &str) -> String {
    let parts = html.split_once(LABEL_BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(LABEL_END)?)));
    let Some((before, (element, after))) = parts else { return html.to_owned() };
    let named = |name: &str| element.replace(LABEL, name);
    let comment = |bytes: usize| format!("<!--{}-->\n", " *".repeat(bytes / 2));
    let element = match label {
        Label::Usual => named(usual),
        Label::None => String::new(),
        Label::Says(name) => named(name),
        Label::Late => comment(PRESCANNED) + &named(usual),
        Label::Cut => {
            let element = named(usual);
            let left = PRESCANNED.saturating_sub(before.len() + element.len() / 2 + "<!---->\n".len());
            comment(left) + &element
        }
    };
    [before, &element, after].concat()
}

fn usual_label(bytes: Bytes) -> &'static str {
    match bytes {
        Bytes::Utf8 | Bytes::Utf8Mark => "utf-8",
        Bytes::Utf16Mark => "utf-16",
        Bytes::Gbk => "gb2312",
        Bytes::Big5 => "big5",
        Bytes::Windows1252 => "iso-8859-1",
    }
}

fn encode(html: &str, bytes: Bytes) -> Result<Vec<u8>, String> {
    match bytes {
        Bytes::Utf8 => encode_in(html, UTF_8),
        Bytes::Utf8Mark => encode_in(&format!("\u{FEFF}{html}"), UTF_8),
        Bytes::Utf16Mark => Ok(format!("\u{FEFF}{html}").encode_utf16().flat_map(u16::to_le_bytes).collect()),
        Bytes::Gbk => encode_in(html, GB18030),
        Bytes::Big5 => encode_in(html, BIG5),
        Bytes::Windows1252 => encode_in(html, WINDOWS_1252),
    }
}

fn encode_in(html: &str, encoding: &'static Encoding) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(html.len());
    for (i, part) in html.split(LONE_LEAD).enumerate() {
        if i > 0 {
            bytes.push(0xA1);
        }
        let (encoded, _, lacking): (Cow<'_, [u8]>, _, _) = encoding.encode(part);
        if lacking {
            let lacks = |c: &char| encoding.encode(c.encode_utf8(&mut [0; 4])).2;
            let character = part.chars().find(lacks).unwrap_or(char::REPLACEMENT_CHARACTER);
            return Err(format!("{} has no `{character}`", encoding.name()));
        }
        bytes.extend_from_slice(&encoded);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stand_where_they_are_asked_for() {
        let page =
            format!("<html><head>\n{LABEL_BEGIN}<meta charset=\"{LABEL}\">{LABEL_END}<title>文</title></head></html>");
        let with = |label: Label| labelled(&page, &label, "gb2312");
        let place = |html: &str| html.find("<meta charset=\"gb2312\">");
        assert_eq!(place(&with(Label::Usual)), Some(13));
        assert_eq!(place(&with(Label::None)), None);
        assert!(place(&with(Label::Late)).unwrap() > PRESCANNED);
        let cut = place(&with(Label::Cut)).unwrap();
        assert!(cut < PRESCANNED && cut + "<meta charset=\"gb2312\">".len() > PRESCANNED, "{cut}");
    }

    #[test]
    fn tags_change_and_texts_do_not() {
        let html = "<p>a</p>\n  <p class=x>b\nc</p>\n<script>if (a<b) { '</p>' }</script>\n";
        assert_eq!(minify(html), "<p>a</p><p class=x>b c</p><script>if (a<b) { '</p>' }</script>");
        assert_eq!(in_upper_case("<p class=x>b</p><script>a<b</script>"), "<P class=x>b</P><script>a<b</script>");
        assert_eq!(without_optional_ends("<tr><td><p>a</p></td></tr></table>"), "<tr><td><p>a</table>");
    }

    #[test]
    fn a_character_that_the_encoding_lacks_is_told() {
        assert!(encode("圖", Bytes::Windows1252).unwrap_err().contains("`圖`"));
        assert_eq!(encode(&format!("a{LONE_LEAD}&quot;"), Bytes::Gbk).unwrap(), b"a\xA1&quot;");
        assert_eq!(encode("a", Bytes::Utf16Mark).unwrap(), [0xFF, 0xFE, b'a', 0]);
    }
}

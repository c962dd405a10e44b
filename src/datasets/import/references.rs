//! Character references in text that is no HTML otherwise.

use html5ever::local_name;

use crate::page::parse::parse;

/// `text` with each character reference decoded once, by the rules of text in a page.
pub(super) fn decode_references(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    // Without `<` there are no tags: the page is one text.
    let page = format!("<body>{}", text.replace('<', "&lt;"));
    match parse(&page) {
        Ok(parsed) => parsed.tree.ids().map(|id| parsed.tree.text(id)).collect(),
        Err(_) => text.to_owned(),
    }
}

/// The value of a double-quoted attribute with each character reference decoded: `&copy=1` is none there.
pub(super) fn decode_attribute(value: &str) -> String {
    let decoded = parse(&format!("<body><i title=\"{value}\">")).ok().and_then(|parsed| {
        let title = local_name!("title");
        parsed.tree.ids().find_map(|id| parsed.tree.attribute(id, &title).map(str::to_owned))
    });
    decoded.unwrap_or_else(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded_once() {
        let cases = [
            ("a b", "a b"),
            ("&#8217;&#039;&rsquo;&#x20AC;&amp;amp;", "\u{2019}'\u{2019}\u{20AC}&amp;"),
            ("a < b &lt;p&gt; c <p> &", "a < b <p> c <p> &"),
            ("R&D, &nosuch; &ampx &<", "R&D, &nosuch; &x &<"),
            (" &quot;a&quot;\nb ", " \"a\"\nb "),
        ];
        for (text, expected) in cases {
            assert_eq!(decode_references(text), expected, "{text}");
        }
    }

    #[test]
    fn attributes_keep_what_only_looks_like_a_reference() {
        assert_eq!(decode_attribute("?a&amp;b&section=1&copy=2 <x>"), "?a&b&section=1&copy=2 <x>");
    }
}

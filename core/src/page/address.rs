//! The address that a saved page says it is from.

use super::tree::Tree;
use super::{Context, Page};
use crate::text::urls::web_address;

/// The bytes in which browsers say from which address a page was saved.
const FRONT: usize = 2_048;

/// The address that the page of these bytes states: a browser's or SingleFile's comment at its beginning, or, in its head,
/// `link rel=canonical` or `og:url`. A page of another site may be quoted in the body, so what stands there is not looked at.
pub fn stated_address(bytes: &[u8]) -> Option<String> {
    let front = String::from_utf8_lossy(&bytes[..bytes.len().min(FRONT)]).into_owned();
    let saved = front.split_once("saved from url=(").and_then(|(_, rest)| rest.split_once(')')).map(|(_, rest)| rest);
    let single = front.contains("Page saved with SingleFile").then(|| front.split_once("url: ")).flatten();
    let word = |rest: &str| rest.split_ascii_whitespace().next().and_then(web_address);
    saved.and_then(word).or_else(|| single.and_then(|(_, rest)| word(rest))).or_else(|| in_head(head(bytes)))
}

/// The bytes before the body, where its beginning is plain.
fn head(bytes: &[u8]) -> &[u8] {
    let is_end = |window: &[u8]| {
        window[0] == b'<' && (window.eq_ignore_ascii_case(b"</head") || window[..5].eq_ignore_ascii_case(b"<body"))
    };
    bytes.windows(6).position(is_end).map_or(bytes, |end| &bytes[..end])
}

fn in_head(bytes: &[u8]) -> Option<String> {
    let page = Page::new(bytes, Context::default()).ok()?;
    let linked = |name: &str, key: &str, wanted: &str, value: &str| attribute_of(&page.tree, name, key, wanted, value);
    linked("link", "rel", "canonical", "href").or_else(|| linked("meta", "property", "og:url", "content"))
}

/// The address in the attribute `value` of the first element whose attribute `key` is `wanted`.
fn attribute_of(tree: &Tree, name: &str, key: &str, wanted: &str, value: &str) -> Option<String> {
    let of = |id, name: &str| tree.attributes(id).find(|found| &**found.name == name).map(|found| found.value);
    let mut elements = tree.ids().filter(|&id| tree.is_element(id) && &**tree.name(id) == name);
    elements.find_map(|id| {
        web_address(of(id, value).filter(|_| of(id, key).is_some_and(|is| is.eq_ignore_ascii_case(wanted)))?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_links_and_properties_state_addresses() {
        let of = |page: &str| stated_address(page.as_bytes());
        assert_eq!(of("<!-- saved from url=(0022)http://x.cn/1 --><p>a").as_deref(), Some("http://x.cn/1"));
        assert_eq!(
            of("<!--\n Page saved with SingleFile \n url: https://z.cn/3 \n-->").as_deref(),
            Some("https://z.cn/3")
        );
        assert_eq!(of("<link rel=Canonical href=' https://y.cn/2'><body>").as_deref(), Some("https://y.cn/2"));
        assert_eq!(of("<head><meta property=og:url content=https://d.cn/4></head>").as_deref(), Some("https://d.cn/4"));
        for none in
            ["<p>e", "<link rel=canonical href=/relative>", "<body><link rel=canonical href=https://y.cn/2>", ""]
        {
            assert_eq!(of(none), None, "{none}");
        }
    }
}

//! HTML tags in golds that are read as plain text.

use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::tree::Tree;

/// Elements whose closing tags are looked for: a paragraph, a heading, a list or a table ends with them, and hardly any
/// text.
const BLOCKS: [&str; 17] = [
    "p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "table", "tr", "td", "blockquote", "article",
    "section",
];

/// So many bytes of a tag are looked at, which may have spaces behind its name.
const LONGEST: usize = 16;

/// The first element whose closing tag stands in `gold` and not in the visible text of the page; `None`: there is none.
pub(crate) fn tag_in_gold(gold: &str, page: &Tree) -> Option<&'static str> {
    let first = closed(gold).next()?;
    // A page about HTML shows such tags, and its gold has them rightly.
    let text = render(page, &Selection::visible(page));
    let shown: Vec<&str> = closed(&text).collect();
    if shown.is_empty() { Some(first) } else { closed(gold).find(|name| !shown.contains(name)) }
}

/// The elements whose closing tags stand in `text`.
fn closed(text: &str) -> impl Iterator<Item = &'static str> {
    text.match_indices("</").filter_map(move |(at, opening)| {
        let name = &text[at + opening.len()..];
        let end = name.bytes().take(LONGEST).position(|byte| byte == b'>')?;
        BLOCKS.into_iter().find(|block| name[..end].trim_end().eq_ignore_ascii_case(block))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Context, Page};

    #[test]
    fn tags_of_blocks_are_found_unless_the_page_shows_them() {
        let tag = |gold: &str, page: &str| {
            let page = Page::new(page.as_bytes(), Context::default()).unwrap();
            tag_in_gold(gold, &page.tree)
        };
        assert_eq!(tag("<p>one</p>\n<DIV>two</DIV >", "<p>one"), Some("p"));
        assert_eq!(tag("<DIV>two</DIV >", "<p>one"), Some("div"));
        assert_eq!(tag("a <b>word</b>, a < b, </ p>", "<p>one"), None);
        assert_eq!(tag("write </p>", "<code>write &lt;/p&gt;</code>"), None);
        assert_eq!(tag("write </p></div>", "<code>write &lt;/p&gt;</code>"), Some("div"));
        assert_eq!(tag("one</p", "<p>one"), None);
    }
}

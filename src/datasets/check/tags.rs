//! HTML tags in golds that are read as plain text.

use std::fmt;

use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::tree::Tree;

/// Elements whose tags are looked for. A paragraph, a heading, a list or a table ends with their closing tags, and hardly
/// any text does. Their opening tags are looked for where a line begins, because a sentence may name one.
const BLOCKS: [&str; 17] = [
    "p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "table", "tr", "td", "blockquote", "article",
    "section",
];

/// So many bytes of a tag are looked at, which may have spaces behind its name.
const LONGEST: usize = 16;

/// A tag of an element that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    name: &'static str,
    is_closing: bool,
}

impl fmt::Display for Tag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "<{}{}>", if self.is_closing { "/" } else { "" }, self.name)
    }
}

/// The first tag in `gold` that does not stand in the visible text of the page, too; `None`: there is none.
pub(crate) fn tag_in_gold(gold: &str, page: &Tree) -> Option<Tag> {
    let first = tags(gold).next()?;
    // A page about HTML shows such tags, and its gold has them rightly. There, a line may begin elsewhere.
    let text = render(page, &Selection::visible(page));
    let shown: Vec<Tag> = text.match_indices('<').filter_map(|(at, _)| tag(&text[at..])).collect();
    if shown.is_empty() { Some(first) } else { tags(gold).find(|tag| !shown.contains(tag)) }
}

/// The closing tags in `text`, and the opening ones with which its lines begin.
fn tags(text: &str) -> impl Iterator<Item = Tag> {
    text.match_indices('<').filter_map(|(at, _)| {
        let begins_line =
            || text[..at].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|last| last == '\n');
        tag(&text[at..]).filter(|tag| tag.is_closing || begins_line())
    })
}

/// The tag with which `text` begins. An opening one may have attributes.
fn tag(text: &str) -> Option<Tag> {
    let name = text.strip_prefix('<')?;
    let (name, is_closing) = name.strip_prefix('/').map_or((name, false), |name| (name, true));
    let is_end = |byte: u8| byte == b'>' || (byte.is_ascii_whitespace() && !is_closing);
    let end = name.bytes().take(LONGEST).position(is_end)?;
    let name = BLOCKS.into_iter().find(|block| name[..end].trim_end().eq_ignore_ascii_case(block))?;
    Some(Tag { name, is_closing })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Context, Page};

    #[test]
    fn tags_of_blocks_are_found_unless_the_page_shows_them() {
        let tag = |gold: &str, page: &str| {
            let page = Page::new(page.as_bytes(), Context::default()).unwrap();
            tag_in_gold(gold, &page.tree).map(|tag| tag.to_string())
        };
        assert_eq!(tag("<p>one</p>\n<DIV>two</DIV >", "<p>one"), Some("<p>".to_owned()));
        assert_eq!(tag("two</DIV >", "<p>one"), Some("</div>".to_owned()));
        assert_eq!(tag("a <b>word</b>, a < b, </ p>", "<p>one"), None);
        assert_eq!(tag("write </p>", "<code>write &lt;/p&gt;</code>"), None);
        assert_eq!(tag("write </p></div>", "<code>write &lt;/p&gt;</code>"), Some("</div>".to_owned()));
        assert_eq!(tag("Title\n <p class=a>one", "<p>one"), Some("<p>".to_owned()), "as CleanEval writes golds");
        assert_eq!(tag("<p>one", "<code>a &lt;p&gt;one</code>"), None);
        assert_eq!(tag("a paragraph begins with <p>, a line with <br>", "<p>one"), None);
        assert_eq!(tag("<page>\n<p", "<p>one"), None);
        assert_eq!(tag("one</p", "<p>one"), None);
    }
}

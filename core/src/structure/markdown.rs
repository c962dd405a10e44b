//! Markdown: CommonMark with the tables of GitHub, raw HTML kept.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use crate::text::is_white_space;

/// Markdown as HTML. An *indented* block of code in a list item, and one that begins like a list item, become paragraphs:
/// programs that turn pages into Markdown indent lists, and CommonMark then reads code that nobody wrote.
///
/// ```
/// use carat_core::structure::markdown_to_html;
/// assert_eq!(markdown_to_html("a\n\n    * item"), "<p>a</p>\n<p>* item</p>\n");
/// assert_eq!(markdown_to_html("    x = 1"), "<pre><code>x = 1</code></pre>\n");
/// ```
pub fn to_html(markdown: &str) -> String {
    let mut html = String::with_capacity(markdown.len() + markdown.len() / 4);
    let mut events = parser(markdown);
    let mut items = 0_usize;
    // The end of a block that was indented comes behind its text.
    let mut waiting: [Option<Event<'_>>; 2] = [None, None];
    let read = std::iter::from_fn(|| {
        if let Some(event) = waiting.iter_mut().find_map(Option::take) {
            return Some(event);
        }
        let event = events.next()?;
        match &event {
            Event::Start(Tag::Item) => items += 1,
            Event::End(TagEnd::Item) => items = items.saturating_sub(1),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                let text = text_of_block(&mut events);
                let is_list = items > 0 || begins_like_an_item(&text);
                let (start, end) = match is_list {
                    true => (Tag::Paragraph, TagEnd::Paragraph),
                    false => (Tag::CodeBlock(CodeBlockKind::Indented), TagEnd::CodeBlock),
                };
                waiting = [Some(Event::Text(CowStr::from(text))), Some(Event::End(end))];
                return Some(Event::Start(start));
            }
            _ => {}
        }
        Some(event)
    });
    pulldown_cmark::html::push_html(&mut html, read);
    html
}

/// The source without fenced blocks and with each code span as one blank: where formulas are looked for, since CommonMark
/// would take their backslashes.
pub(super) fn without_code(markdown: &str) -> String {
    let (mut rest, mut at) = (String::with_capacity(markdown.len()), 0);
    for (event, range) in parser(markdown).into_offset_iter() {
        let instead = match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => "",
            Event::Code(_) => " ",
            _ => continue,
        };
        if range.start >= at {
            rest.push_str(&markdown[at..range.start]);
            rest.push_str(instead);
            at = range.end;
        }
    }
    rest.push_str(&markdown[at..]);
    rest
}

fn parser(markdown: &str) -> Parser<'_> {
    Parser::new_ext(markdown, Options::ENABLE_TABLES)
}

/// The text up to the end of the block of code that has begun.
fn text_of_block(events: &mut Parser<'_>) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(piece) => text.push_str(&piece),
            Event::End(TagEnd::CodeBlock) => break,
            _ => {}
        }
    }
    text
}

/// A bullet, or a number with a full stop or a bracket, and white space behind it.
fn begins_like_an_item(text: &str) -> bool {
    let text = text.trim_start_matches(is_white_space);
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = match number.len() < text.len() {
        true => number.strip_prefix(['.', ')']),
        false => text.strip_prefix(['-', '*', '+', '•']),
    };
    behind.is_some_and(|behind| behind.starts_with(is_white_space))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_raw_html_are_read() {
        let html = to_html("|a|b|\n|:-:|-|\n|1||\n\n<table><tr><td>x</table>\n\nuse <b>y</b>");
        assert!(html.contains("<tr><td style=\"text-align: center\">1</td><td></td></tr>"), "{html}");
        assert!(html.contains("<table><tr><td>x</table>") && html.contains("<b>y</b>"), "{html}");
    }

    #[test]
    fn indented_lists_are_no_code() {
        for list in ["    - a", "    12. a\n        b", "    3) a", "    • a", "    +\ta", "* a\n\n        code\n"] {
            assert!(!to_html(&format!("x\n\n{list}")).contains("<pre"), "{list}");
        }
        for code in ["    -a", "    1.5 a", "    12 a", "    a\n    - b", "* a\n\n  ```\n  b\n  ```"] {
            assert!(to_html(&format!("x\n\n{code}")).contains("<pre"), "{code}");
        }
        assert_eq!(to_html("    a\n\n      b\n\n\nc"), "<pre><code>a\n\n  b\n</code></pre>\n<p>c</p>\n");
    }

    #[test]
    fn formulas_are_looked_for_outside_of_code() {
        assert_eq!(without_code("a `$x$` b\n\n```\n$y$\n```\n$z$ and ``$ ` $``."), "a   b\n\n\n$z$ and  .");
        assert_eq!(without_code("> ~~~\n> $x$\n> ~~~\n\n    $y$\n"), "> \n\n    $y$\n");
        assert_eq!(without_code("```\n$x$"), "");
    }
}

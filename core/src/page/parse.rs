//! Characters to the tree: html5ever's tokenizer and tree builder feed a builder of ours, under a
//! cap on open elements and a limit on nodes, so that no page costs more than its length.

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::depth_limit::DepthLimited;
use super::fast_path::FastPath;
use super::limits::{MAX_NODES, MAX_VALUE_BYTES};
use super::sink::Sink;
use super::tree::Tree;

/// A parsed page.
#[derive(Debug)]
pub struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// How often an element was closed because [`MAX_OPEN_ELEMENTS`](super::limits::MAX_OPEN_ELEMENTS) were open.
    pub cap_hits: usize,
}

/// The page makes more than [`MAX_NODES`] nodes or attributes, or [`MAX_VALUE_BYTES`] of their values.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page makes more than {MAX_NODES} nodes or attributes, or {MAX_VALUE_BYTES} bytes of attribute values")]
pub struct TooLarge;

/// Parses a whole document: scripting on, no fragment.
///
/// # Errors
/// [`TooLarge`], as soon as a limit is passed.
///
/// ```
/// let parsed = carat_core::page::parse::parse("<p>one<p>two").unwrap();
/// let body = parsed.tree.body().unwrap();
/// assert_eq!(parsed.tree.children(body).count(), 2);
/// ```
pub fn parse(characters: &str) -> Result<Parsed, TooLarge> {
    parse_with(characters, TreeBuilderOpts::default())
}

/// Parses a document as programs do that run no scripts: `noscript` holds elements, not text.
///
/// # Errors
/// As [`parse`].
pub fn parse_without_scripting(characters: &str) -> Result<Parsed, TooLarge> {
    parse_with(characters, TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() })
}

fn parse_with(characters: &str, options: TreeBuilderOpts) -> Result<Parsed, TooLarge> {
    let builder = TreeBuilder::new(Sink::new(characters.len()), options);
    let input = BufferQueue::default();
    let tokenizer = Tokenizer::new(FastPath::new(DepthLimited::new(builder), &input), TokenizerOpts::default());
    for chunk in chunks(characters) {
        input.push_back(StrTendril::from_slice(chunk));
        tokenizer.sink.take(1);
        while let TokenizerResult::Script(_) | TokenizerResult::EncodingIndicator(_) = tokenizer.feed(&input) {}
    }
    tokenizer.end();
    let (sink, cap_hits) = tokenizer.sink.below.finish();
    if sink.is_full() {
        return Err(TooLarge);
    }
    Ok(Parsed { tree: sink.into_tree(), cap_hits })
}

/// Cuts a page for the tokenizer, which holds a copy of what it is fed. It drops a byte-order mark at
/// the start of whatever it is fed, so no later chunk starts with one.
fn chunks(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let may_cut = |&at: &usize| rest.is_char_boundary(at) && !rest[at..].starts_with('\u{FEFF}');
        let end = (CHUNK..rest.len()).find(may_cut).unwrap_or(rest.len());
        let (chunk, behind) = rest.split_at(end);
        rest = behind;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Bytes of a chunk: few enough to stay in a processor's nearest caches.
const CHUNK: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::super::limits::MAX_OPEN_ELEMENTS;
    use super::super::tree::{Kind, NodeId};
    use super::*;

    /// The subtree as nested `name(children)` and quoted text.
    fn sketch(tree: &Tree, id: NodeId) -> String {
        match tree.kind(id) {
            Kind::Text => format!("{:?}", tree.text(id)),
            _ => {
                let children: Vec<_> = tree.children(id).map(|child| sketch(tree, child)).collect();
                format!("{}({})", tree.name(id), children.join(" "))
            }
        }
    }

    fn body(html: &str) -> String {
        let tree = parse(html).unwrap().tree;
        sketch(&tree, tree.body().unwrap())
    }

    #[test]
    fn text_on_both_sides_of_a_comment_is_one_node() {
        assert_eq!(body("<p>a<!-- x -->b<?pi?>c</p>"), r#"body(p("abc"))"#);
    }

    #[test]
    fn fostered_text_stands_before_its_table_in_order() {
        let html = "<table>a<tr><td>x</td></tr>b<tr><td>y</td></tr>c</table>";
        assert_eq!(body(html), r#"body("abc" table(tbody(tr(td("x")) tr(td("y")))))"#);
    }

    #[test]
    fn names_are_lower_case_in_every_namespace() {
        assert_eq!(body("<svg><foreignObject><P>x"), r#"body(svg(foreignobject(p("x"))))"#);
    }

    #[test]
    fn html_stands_within_annotations_that_say_so() {
        let math = |encoding| body(&format!("<math><annotation-xml encoding={encoding}><p>x"));
        assert_eq!(math("text/html"), r#"body(math(annotation-xml(p("x"))))"#);
        assert_eq!(math("other"), r#"body(math(annotation-xml()) p("x"))"#);
    }

    #[test]
    fn scripting_is_on_and_templates_hold_nothing() {
        assert_eq!(
            body("x<noscript><p>a</noscript><template>b</template>"),
            r#"body("x" noscript("<p>a") template())"#
        );
    }

    #[test]
    fn without_scripting_noscript_holds_elements_below_the_same_cap() {
        let parse = |html: &str| parse_without_scripting(html).unwrap();
        let tree = parse("x<noscript><p>a</p></noscript>b").tree;
        assert_eq!(sketch(&tree, tree.body().unwrap()), r#"body("x" noscript(p("a")) "b")"#);
        assert!(parse(&format!("<p><noscript>{}</noscript>", "<div>".repeat(3000))).cap_hits > 2000);
    }

    #[test]
    fn attributes_of_a_second_body_are_added() {
        let tree = parse("<body id=a><body id=b class=c>").unwrap().tree;
        let found: Vec<_> = tree.attributes(tree.body().unwrap()).map(|a| (a.name.to_string(), a.value)).collect();
        assert_eq!(found, [("id".to_owned(), "a"), ("class".to_owned(), "c")]);
    }

    #[test]
    fn deep_nesting_is_cut_at_the_cap() {
        let parsed = parse(&"<div>".repeat(600)).unwrap();
        // html, body and 510 div are open at the cap; each further div becomes a sibling there.
        assert_eq!(parsed.tree.depth(), MAX_OPEN_ELEMENTS);
        assert_eq!(parsed.cap_hits, 600 - 510);
        assert_eq!(parse(&"<div>".repeat(510)).unwrap().cap_hits, 0);
        for behind in ["</body><div>", "</body></html><div>", "<svg><g></svg><div>"] {
            let parsed = parse(&behind.repeat(3000)).unwrap();
            assert!(parsed.tree.depth() <= MAX_OPEN_ELEMENTS + 2, "{behind}: {}", parsed.tree.depth());
            assert!(parsed.cap_hits > 2000, "{behind}: {}", parsed.cap_hits);
        }
        assert!(parse(&"<template>".repeat(3000)).unwrap().cap_hits > 2000);
    }

    #[test]
    fn a_page_of_too_many_nodes_fails() {
        assert_eq!(parse(&"<br>".repeat(MAX_NODES + 1)).err(), Some(TooLarge));
    }

    #[test]
    fn attributes_that_multiply_fail_the_page() {
        let reopened = format!("<p><b title='{}'>x{}", "A".repeat(500_000), "<p>x".repeat(12_000));
        assert_eq!(parse(&reopened).err(), Some(TooLarge));
        let bodies: String = (0..30_000).map(|i| format!("<body a{i}>")).collect();
        assert_eq!(parse(&bodies).err(), Some(TooLarge));
    }

    #[test]
    fn a_frameset_has_no_body() {
        assert_eq!(parse("<frameset><frame src=a></frameset>").unwrap().tree.body(), None);
    }
}

//! Characters to the tree: html5ever's tokenizer and tree builder feed a builder of ours, under a
//! cap on open elements and a limit on nodes, so that no page costs more than its length.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, LocalName, QualName, TokenizerResult};

use super::build::{Build, Draft, NONE};
use super::cap::Capped;
use super::shortcut::Shortcut;
use super::tree::{Kind, Tree};

/// Deeper start tags become siblings at the cap, as in browsers.
pub const MAX_OPEN_ELEMENTS: usize = 512;

/// A page that makes more nodes, or more attributes, fails: 36 KB of `<p><b id=i>` make millions.
pub const MAX_NODES: usize = 2_000_000;

/// A page whose attribute values come to more bytes fails: a formatting element that is opened again
/// for every paragraph brings its attributes along each time.
pub const MAX_VALUE_BYTES: usize = 128 << 20;

/// A parsed page.
#[derive(Debug)]
pub struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// How often an element was closed because [`MAX_OPEN_ELEMENTS`] were open.
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
    let tokenizer = Tokenizer::new(Shortcut::new(Capped::new(builder), &input), TokenizerOpts::default());
    for chunk in chunks(characters) {
        input.push_back(StrTendril::from_slice(chunk));
        tokenizer.sink.take(1);
        while let TokenizerResult::Script(_) | TokenizerResult::EncodingIndicator(_) = tokenizer.feed(&input) {}
    }
    tokenizer.end();
    let (sink, cap_hits) = tokenizer.sink.capped.finish();
    if sink.is_full() {
        return Err(TooLarge);
    }
    Ok(Parsed { tree: sink.build.into_inner().into_tree(), cap_hits })
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

/// The handle of every comment and processing instruction: none is stored.
const COMMENT: u32 = u32::MAX - 1;

/// html5ever's view of the builder.
pub(super) struct Sink {
    build: RefCell<Build>,
    pub(super) created_elements: Cell<usize>,
    /// Where the last comment was appended: the current node, when a comment is sent as a probe.
    pub(super) comment_parent: Cell<u32>,
    last_element: Cell<u32>,
}

impl Sink {
    fn new(length: usize) -> Self {
        Sink {
            build: RefCell::new(Build::new(length)),
            created_elements: Cell::new(0),
            comment_parent: Cell::new(NONE),
            last_element: Cell::new(NONE),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        let build = self.build.borrow();
        let most = build.drafts.len().max(build.attributes.len());
        most > MAX_NODES || build.values.len() > MAX_VALUE_BYTES
    }

    /// The element made last.
    pub(super) fn last_element(&self) -> u32 {
        self.last_element.get()
    }

    pub(super) fn local_name(&self, element: u32) -> LocalName {
        self.elem_name(&element).local.clone()
    }

    /// Appends characters to an element.
    pub(super) fn append_text(&self, element: u32, text: &str) {
        self.build.borrow_mut().insert_text(element, text, NONE);
    }

    /// The template whose contents `id` are, or `id` itself.
    pub(super) fn template_of(&self, id: u32) -> u32 {
        let build = self.build.borrow();
        match build.drafts.get(id as usize) {
            Some(draft) if draft.kind == Kind::Document && id != 0 => draft.first,
            _ => id,
        }
    }
}

impl TreeSink for Sink {
    type Handle = u32;
    type Output = Self;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        0
    }

    fn elem_name<'a>(&'a self, id: &'a u32) -> Ref<'a, QualName> {
        Ref::map(self.build.borrow(), |build| &build.names[build.drafts[*id as usize].name as usize])
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> u32 {
        self.created_elements.set(self.created_elements.get() + 1);
        let mut build = self.build.borrow_mut();
        let id = build.add_element(name, attributes);
        if flags.template {
            // A template's contents remember their template, for the cap.
            let contents = build.add(Kind::Document, 0, id, 0);
            build.template_contents.insert(id, contents);
        }
        if flags.mathml_annotation_xml_integration_point {
            build.html_annotations.insert(id);
        }
        self.last_element.set(id);
        id
    }

    fn create_comment(&self, _: StrTendril) -> u32 {
        COMMENT
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        COMMENT
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        match child {
            NodeOrText::AppendNode(COMMENT) => self.comment_parent.set(*parent),
            NodeOrText::AppendNode(id) => self.build.borrow_mut().insert(*parent, id, NONE),
            NodeOrText::AppendText(text) => self.build.borrow_mut().insert_text(*parent, &text, NONE),
        }
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        let has_parent = self.build.borrow().drafts[*element as usize].parent != NONE;
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let mut build = self.build.borrow_mut();
        let parent = build.drafts[*sibling as usize].parent;
        match child {
            NodeOrText::AppendNode(COMMENT) => {}
            NodeOrText::AppendNode(id) => build.insert(parent, id, *sibling),
            NodeOrText::AppendText(text) => build.insert_text(parent, &text, *sibling),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, template: &u32) -> u32 {
        self.build.borrow().template_contents[template]
    }

    fn same_node(&self, one: &u32, other: &u32) -> bool {
        one == other
    }

    fn is_mathml_annotation_xml_integration_point(&self, id: &u32) -> bool {
        self.build.borrow().html_annotations.contains(id)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.build.borrow_mut().quirks = mode == QuirksMode::Quirks;
    }

    fn add_attrs_if_missing(&self, id: &u32, mut attributes: Vec<Attribute>) {
        let mut build = self.build.borrow_mut();
        let Draft { first, last, .. } = build.drafts[*id as usize];
        let old = build.attributes[first as usize..last as usize].to_vec();
        attributes.retain(|new| !old.iter().any(|(name, ..)| *name == new.name.local));
        if attributes.is_empty() {
            return;
        }
        let first = build.attributes.len() as u32;
        build.attributes.extend(old);
        build.add_attributes(attributes);
        let last = build.attributes.len() as u32;
        let draft = &mut build.drafts[*id as usize];
        (draft.first, draft.last) = (first, last);
    }

    fn remove_from_parent(&self, id: &u32) {
        self.build.borrow_mut().unlink(*id);
    }

    fn reparent_children(&self, id: &u32, new_parent: &u32) {
        let mut build = self.build.borrow_mut();
        loop {
            let child = build.drafts[*id as usize].first_child;
            if child == NONE {
                return;
            }
            build.unlink(child);
            build.link(*new_parent, child, NONE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::NodeId;
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

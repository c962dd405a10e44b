//! Characters to the tree: html5ever's tokenizer and tree builder feed a builder of ours, under a
//! cap on open elements and a limit on nodes, so that no page costs more than its length.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, LocalName, QualName, TokenizerResult, ns};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cap::Capped;
use super::shortcut::Shortcut;
use super::tree::{Kind, Name, Node, Tree};

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
/// let parsed = carat::page::parse::parse("<p>one<p>two").unwrap();
/// let body = parsed.tree.body().unwrap();
/// assert_eq!(parsed.tree.children(body).count(), 2);
/// ```
pub fn parse(characters: &str) -> Result<Parsed, TooLarge> {
    let builder = TreeBuilder::new(Sink::new(characters.len()), TreeBuilderOpts::default());
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

pub(super) const NONE: u32 = u32::MAX;
/// The handle of every comment and processing instruction: none is stored.
const COMMENT: u32 = u32::MAX - 1;

/// A node while the tree is still changing: doubly linked among its siblings.
struct Draft {
    parent: u32,
    previous: u32,
    next: u32,
    first_child: u32,
    last_child: u32,
    kind: Kind,
    /// Element: index of its qualified name. Text: its last piece.
    name: u32,
    /// Element: its attributes. Text: `first` is its first piece.
    first: u32,
    last: u32,
}

/// A run of a text node's characters. Fostered text grows out of order; a chain of runs keeps that
/// linear.
struct Piece {
    from: u32,
    to: u32,
    next: u32,
}

struct Build {
    drafts: Vec<Draft>,
    names: Vec<QualName>,
    name_ids: FxHashMap<QualName, u32>,
    attributes: Vec<(LocalName, u32, u32)>,
    values: String,
    text: String,
    pieces: Vec<Piece>,
    template_contents: FxHashMap<u32, u32>,
    /// The `annotation-xml` elements whose encoding lets HTML stand in them.
    html_annotations: FxHashSet<u32>,
    quirks: bool,
}

impl Build {
    fn new(length: usize) -> Self {
        let mut build = Build {
            drafts: Vec::with_capacity(length / 40 + 16),
            names: Vec::new(),
            name_ids: FxHashMap::default(),
            attributes: Vec::new(),
            values: String::new(),
            text: String::with_capacity(length / 4),
            pieces: Vec::new(),
            template_contents: FxHashMap::default(),
            html_annotations: FxHashSet::default(),
            quirks: false,
        };
        build.add(Kind::Document, 0, 0, 0);
        build
    }

    fn add(&mut self, kind: Kind, name: u32, first: u32, last: u32) -> u32 {
        let id = self.drafts.len() as u32;
        let (parent, previous, next, first_child, last_child) = (NONE, NONE, NONE, NONE, NONE);
        self.drafts.push(Draft { parent, previous, next, first_child, last_child, kind, name, first, last });
        id
    }

    fn add_element(&mut self, name: QualName, attributes: Vec<Attribute>) -> u32 {
        let next = self.names.len() as u32;
        let name = *self.name_ids.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        });
        let first = self.attributes.len() as u32;
        self.add_attributes(attributes);
        self.add(Kind::Element, name, first, self.attributes.len() as u32)
    }

    fn add_attributes(&mut self, attributes: Vec<Attribute>) {
        for Attribute { name, value } in attributes {
            let from = self.values.len() as u32;
            self.values.push_str(&value);
            self.attributes.push((name.local, from, self.values.len() as u32));
        }
    }

    fn add_text(&mut self, text: &str) -> u32 {
        let piece = self.add_piece(text);
        self.add(Kind::Text, piece, piece, NONE)
    }

    fn add_piece(&mut self, text: &str) -> u32 {
        let from = self.text.len() as u32;
        self.text.push_str(text);
        self.pieces.push(Piece { from, to: self.text.len() as u32, next: NONE });
        self.pieces.len() as u32 - 1
    }

    fn extend_text(&mut self, id: u32, text: &str) {
        let last = self.drafts[id as usize].name as usize;
        if self.pieces[last].to as usize == self.text.len() {
            self.text.push_str(text);
            self.pieces[last].to = self.text.len() as u32;
        } else {
            let piece = self.add_piece(text);
            self.pieces[last].next = piece;
            self.drafts[id as usize].name = piece;
        }
    }

    fn is_text(&self, id: u32) -> bool {
        id != NONE && self.drafts[id as usize].kind == Kind::Text
    }

    /// Links `id`, which has no parent, as a child of `parent` before `next` (or last).
    fn link(&mut self, parent: u32, id: u32, next: u32) {
        let previous = match next {
            NONE => self.drafts[parent as usize].last_child,
            next => self.drafts[next as usize].previous,
        };
        let draft = &mut self.drafts[id as usize];
        (draft.parent, draft.previous, draft.next) = (parent, previous, next);
        match previous {
            NONE => self.drafts[parent as usize].first_child = id,
            previous => self.drafts[previous as usize].next = id,
        }
        match next {
            NONE => self.drafts[parent as usize].last_child = id,
            next => self.drafts[next as usize].previous = id,
        }
    }

    fn unlink(&mut self, id: u32) {
        let Draft { parent, previous, next, .. } = self.drafts[id as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.drafts[parent as usize].first_child = next,
            previous => self.drafts[previous as usize].next = next,
        }
        match next {
            NONE => self.drafts[parent as usize].last_child = previous,
            next => self.drafts[next as usize].previous = previous,
        }
        let draft = &mut self.drafts[id as usize];
        (draft.parent, draft.previous, draft.next) = (NONE, NONE, NONE);
    }

    /// Inserts `id` under `parent` before `next` (or last), wherever it was before.
    fn insert(&mut self, parent: u32, id: u32, next: u32) {
        self.unlink(id);
        self.link(parent, id, next);
    }

    /// Inserts text under `parent` before `next` (or last): it joins the text before it, if there is
    /// some.
    fn insert_text(&mut self, parent: u32, text: &str, next: u32) {
        let previous = match next {
            NONE => self.drafts[parent as usize].last_child,
            next => self.drafts[next as usize].previous,
        };
        if self.is_text(previous) {
            self.extend_text(previous, text);
        } else {
            let id = self.add_text(text);
            self.link(parent, id, next);
        }
    }

    /// Puts the nodes below the document into document order. Characters stay where they are, but for
    /// those of a text node in several pieces, which are copied behind all others.
    fn into_tree(self) -> Tree {
        let Build { drafts, names: qualified, attributes, values, mut text, pieces, quirks, .. } = self;
        let (names, name_of) = lower_case_names(&qualified);
        let mut nodes: Vec<Node> = Vec::with_capacity(drafts.len());
        let mut open: Vec<u32> = Vec::new();
        let mut at = 0;
        'document: loop {
            let draft = &drafts[at as usize];
            let id = nodes.len() as u32;
            let parent = open.last().copied().unwrap_or(0);
            let (name, first, last) = match draft.kind {
                Kind::Document => (0, 0, 0),
                Kind::Element => (name_of[draft.name as usize], draft.first, draft.last),
                Kind::Text => {
                    let (from, to) = join(&mut text, &pieces, draft.first);
                    (0, from, to)
                }
            };
            nodes.push(Node { parent, end: id + 1, kind: draft.kind, name, first, last });
            if draft.first_child != NONE {
                open.push(id);
                at = draft.first_child;
                continue;
            }
            loop {
                let Draft { parent, next, .. } = drafts[at as usize];
                if next != NONE {
                    at = next;
                    break;
                }
                let Some(closed) = open.pop() else { break 'document };
                nodes[closed as usize].end = nodes.len() as u32;
                at = parent;
            }
        }
        Tree { nodes, names, attributes, values, text, quirks }
    }
}

/// The bytes of the text node whose first piece is `first`, made to stand together.
fn join(text: &mut String, pieces: &[Piece], first: u32) -> (u32, u32) {
    let Piece { from, to, next } = pieces[first as usize];
    if next == NONE {
        return (from, to);
    }
    let start = text.len() as u32;
    let mut piece = first;
    while piece != NONE {
        let Piece { from, to, next } = pieces[piece as usize];
        text.extend_from_within(from as usize..to as usize);
        piece = next;
    }
    (start, text.len() as u32)
}

/// The distinct names in lower case (the first is empty, for text), and each qualified name's place.
fn lower_case_names(qualified: &[QualName]) -> (Vec<Name>, Vec<u16>) {
    let mut names = vec![Name::new(LocalName::from(""), false)];
    let mut places: FxHashMap<(LocalName, bool), u16> = FxHashMap::default();
    let name_of = qualified
        .iter()
        .map(|name| {
            let local = match name.local.bytes().any(|byte| byte.is_ascii_uppercase()) {
                true => LocalName::from(name.local.to_ascii_lowercase()),
                false => name.local.clone(),
            };
            let is_html = name.ns == ns!(html);
            *places.entry((local, is_html)).or_insert_with_key(|(local, is_html)| {
                // 65,535 distinct names are more than a person wrote: the rest have no name.
                if names.len() > usize::from(u16::MAX) {
                    return 0;
                }
                names.push(Name::new(local.clone(), *is_html));
                (names.len() - 1) as u16
            })
        })
        .collect();
    (names, name_of)
}

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
}

impl Sink {
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

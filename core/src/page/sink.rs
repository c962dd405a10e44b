//! What html5ever's tree builder asks for, as the builder of the flat tree does it.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, LocalName, QualName};

use super::build::{Build, Draft, NONE};
use super::limits::{MAX_NODES, MAX_VALUE_BYTES};
use super::tree::{Kind, Tree};

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
    pub(super) fn new(length: usize) -> Self {
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

    pub(super) fn into_tree(self) -> Tree {
        self.build.into_inner().into_tree()
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

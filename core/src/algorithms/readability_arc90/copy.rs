//! The private copy of a page that the rules work on.

use super::holds_any;
use crate::page::tree::{NodeId, Tree};

const UNLIKELY: &[&str] = &[
    "combx", "comment", "community", "disqus", "extra", "foot", "header", "menu", "remark", "rss", "shoutbox",
    "sidebar", "sponsor", "ad-break", "agegate", "pagination", "pager", "popup", "tweet", "twitter",
];

const MAYBE: &[&str] = &["and", "article", "body", "column", "main", "shadow"];

/// A node of the private copy: an element or a text of the page, or a paragraph made around loose text.
pub(super) struct Node<'p> {
    /// For a paragraph that was made: the first text in it.
    pub(super) source: NodeId,
    pub(super) is_made: bool,
    /// Empty for text and the document.
    pub(super) name: &'p str,
    pub(super) parent: usize,
    /// The first place behind what is below it.
    pub(super) end: usize,
}

impl Node<'_> {
    pub(super) fn is_element(&self) -> bool {
        !self.name.is_empty()
    }
}

/// Steps 1 and 2: the private copy in document order; the document is the first, `html` the second.
pub(super) fn copied(tree: &Tree, body: NodeId, ruthless: bool) -> Vec<Node<'_>> {
    let html = tree.parent(body).unwrap_or(body);
    let kept = kept(tree, html, body, ruthless);
    let is_div = divs(tree, &kept);
    let is_div = |id: NodeId| is_div[id.index()];
    let mut copy = Copying { tree, nodes: Vec::with_capacity(kept.len() + 1), open: Vec::new() };
    copy.open(NodeId::DOCUMENT, "", false);
    let mut rest = kept.as_slice();
    while let Some(&id) = rest.first() {
        let parent = tree.parent(id).unwrap_or(id);
        let is_of_run = |other: &&NodeId| tree.is_text(**other) && tree.parent(**other) == Some(parent);
        let run;
        (run, rest) = rest.split_at(rest.iter().take_while(is_of_run).count().max(1));
        copy.close_before(id);
        if tree.is_element(id) {
            match &**tree.name(id) {
                "br" if is_div(parent) => {}
                "div" if !is_div(id) => copy.open(id, "p", false),
                name => copy.open(id, name, false),
            }
            continue;
        }
        let is_blank = run.iter().all(|&text| tree.text(text).chars().all(char::is_whitespace));
        if is_div(parent) && !is_blank {
            copy.open(id, "p", true);
        }
        run.iter().for_each(|&text| copy.open(text, "", false));
        copy.close_made();
    }
    copy.finish()
}

/// What is neither invisible nor, if `ruthless`, unlikely by its names.
fn kept(tree: &Tree, html: NodeId, body: NodeId, ruthless: bool) -> Vec<NodeId> {
    let mut kept = Vec::new();
    let mut next = html;
    while next < tree.end(html) {
        let may_be_unlikely = ruthless && next != html && next != body && tree.is_element(next);
        if tree.is_invisible(next) || (may_be_unlikely && is_unlikely(tree, next)) {
            next = tree.end(next);
        } else {
            kept.push(next);
            next = NodeId(next.0 + 1);
        }
    }
    kept
}

fn is_unlikely(tree: &Tree, id: NodeId) -> bool {
    let names = format!("{} {}", attribute(tree, id, "class"), attribute(tree, id, "id"));
    holds_any(&names, UNLIKELY) && !holds_any(&names, MAYBE)
}

pub(super) fn attribute<'t>(tree: &'t Tree, id: NodeId, name: &str) -> &'t str {
    tree.attributes(id).find(|attribute| &**attribute.name == name).map_or("", |attribute| attribute.value)
}

/// Each `div` that stays one, by its position in the tree; the others are paragraphs.
fn divs(tree: &Tree, kept: &[NodeId]) -> Vec<bool> {
    const BLOCKS: &[&str] = &["a", "blockquote", "dl", "div", "img", "ol", "p", "table", "ul"];
    let mut is_div = vec![false; tree.len()];
    let mut holds_block = vec![false; tree.len()];
    for &id in kept.iter().rev().filter(|&&id| tree.is_element(id)) {
        let name = tree.name(id);
        is_div[id.index()] = &**name == "div" && holds_block[id.index()];
        let is_block = BLOCKS.iter().any(|block| name.starts_with(block));
        let parent = tree.parent(id).unwrap_or(id);
        holds_block[parent.index()] |= is_block || holds_block[id.index()];
    }
    is_div
}

/// The private copy while it is made.
struct Copying<'p> {
    tree: &'p Tree,
    nodes: Vec<Node<'p>>,
    /// The places of the nodes around the next one.
    open: Vec<usize>,
}

impl<'p> Copying<'p> {
    fn open(&mut self, source: NodeId, name: &'p str, is_made: bool) {
        let place = self.nodes.len();
        let parent = self.open.last().copied().unwrap_or(0);
        self.nodes.push(Node { source, is_made, name, parent, end: place + 1 });
        if place == 0 || !name.is_empty() {
            self.open.push(place);
        }
    }

    fn close(&mut self) {
        if let Some(place) = self.open.pop() {
            self.nodes[place].end = self.nodes.len();
        }
    }

    fn close_before(&mut self, id: NodeId) {
        while self.open.last().is_some_and(|&last| self.tree.end(self.nodes[last].source) <= id) {
            self.close();
        }
    }

    fn close_made(&mut self) {
        if self.open.last().is_some_and(|&last| self.nodes[last].is_made) {
            self.close();
        }
    }

    fn finish(mut self) -> Vec<Node<'p>> {
        while !self.open.is_empty() {
            self.close();
        }
        self.nodes
    }
}

//! The page's visible text: the text nodes that any algorithm can select.

use std::ops::Range;

use super::Prefix;
use crate::page::tree::{NodeId, Tree};
use crate::page::{Page, View};
use crate::text::chars;

/// The text nodes of the body that are neither blank nor inside an invisible element.
pub struct VisibleText {
    /// The body, if the page has one.
    pub body: Option<NodeId>,
    /// In document order.
    pub nodes: Vec<NodeId>,
    /// `chars` of each node, by document position; 0 for every other node.
    chars: Prefix,
    /// 1 for each node, by document position.
    count: Prefix,
}

impl View for VisibleText {
    fn of(page: &Page) -> Self {
        let tree = &page.tree;
        let body = tree.body();
        let mut weights = vec![0u32; tree.len()];
        let mut nodes = Vec::new();
        for id in body.into_iter().flat_map(|body| visible_nodes(tree, body)).filter(|&id| tree.is_text(id)) {
            let count = chars(tree.text(id));
            if count > 0 {
                weights[id.index()] = count as u32;
                nodes.push(id);
            }
        }
        let chars = Prefix::new(tree, |id| weights[id.index()]);
        let count = Prefix::new(tree, |id| u32::from(weights[id.index()] > 0));
        VisibleText { body, nodes, chars, count }
    }
}

impl VisibleText {
    /// The visible text nodes at or below `id`.
    pub fn under(&self, tree: &Tree, id: NodeId) -> &[NodeId] {
        &self.nodes[self.places(tree, id)]
    }

    /// The places of those among [`VisibleText::nodes`].
    pub fn places(&self, tree: &Tree, id: NodeId) -> Range<usize> {
        let from = self.count.before(id) as usize;
        from..from + self.count.of(tree, id) as usize
    }

    /// `chars` of the visible text at or below `id`.
    pub fn chars(&self, tree: &Tree, id: NodeId) -> u32 {
        self.chars.of(tree, id)
    }

    /// The text nodes whose entry of `of_node`, in the order of [`VisibleText::nodes`], is true.
    pub fn chosen(&self, of_node: impl IntoIterator<Item = bool>) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().zip(of_node).filter(|&(_, chosen)| chosen).map(|(&id, _)| id)
    }

    /// The place of `id` among [`VisibleText::nodes`], if it is one of them.
    pub fn rank(&self, tree: &Tree, id: NodeId) -> Option<usize> {
        (tree.is_text(id) && self.count.of(tree, id) == 1).then(|| self.count.before(id) as usize)
    }
}

/// `root` and what is below it in document order, without what is inside an invisible element (the
/// invisible element itself is there).
pub fn visible_nodes(tree: &Tree, root: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let end = tree.end(root);
    let mut next = root;
    std::iter::from_fn(move || {
        (next < end).then(|| {
            let id = next;
            next = if tree.is_invisible(id) { tree.end(id) } else { NodeId(id.0 + 1) };
            id
        })
    })
}

//! What an algorithm chose: a set of text nodes.

use super::tree::{NodeId, Tree};
use crate::text::is_blank;

/// Text nodes in document order, none twice. Two equal selections have the same text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection(Vec<NodeId>);

impl Selection {
    /// The text nodes among `nodes`, in whatever order they come.
    pub fn new(mut nodes: Vec<NodeId>) -> Self {
        if !nodes.is_sorted_by(|a, b| a < b) {
            nodes.sort_unstable();
            nodes.dedup();
        }
        Selection(nodes)
    }

    /// Every text node of the body that is visible and not blank.
    ///
    /// ```
    /// use carat_core::page::{parse::parse, render::render, selection::Selection};
    /// let tree = parse("<style>x</style><p>a<p>b").unwrap().tree;
    /// assert_eq!(render(&tree, &Selection::visible(&tree)), "a\nb");
    /// ```
    pub fn visible(tree: &Tree) -> Self {
        let Some(body) = tree.body() else { return Selection::default() };
        let (mut nodes, mut next) = (Vec::new(), body);
        while next < tree.end(body) {
            if tree.is_text(next) && !is_blank(tree.text(next)) {
                nodes.push(next);
            }
            next = if tree.is_invisible(next) { tree.end(next) } else { NodeId(next.0 + 1) };
        }
        Selection(nodes)
    }

    /// The selected nodes, in document order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.0
    }

    /// Whether `id` was selected.
    pub fn has(&self, id: NodeId) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Whether nothing was selected.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every node is a text node of `tree`.
    pub fn fits(&self, tree: &Tree) -> bool {
        self.0.iter().all(|&id| id.index() < tree.len() && tree.is_text(id))
    }
}

impl FromIterator<NodeId> for Selection {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        Selection::new(nodes.into_iter().collect())
    }
}

//! What an algorithm chose: a set of text nodes.

use super::tree::{NodeId, Tree};

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

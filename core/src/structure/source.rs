//! A tree as the readers of tables, code and formulas see it: all of it, or what a selection leaves.

use html5ever::local_name;

use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};

/// A tree and what of it is read.
pub(super) struct Source<'t> {
    pub(super) tree: &'t Tree,
    /// The text nodes that are read, in document order.
    texts: Vec<NodeId>,
    /// For each node whether it stays; `None`: all do.
    kept: Option<Vec<bool>>,
}

impl<'t> Source<'t> {
    /// The whole tree with its visible text.
    pub(super) fn new(tree: &'t Tree) -> Self {
        Source { tree, texts: visible(tree), kept: None }
    }

    /// The tree cut down to the selected text nodes and their ancestors. What has no text of its own, and so cannot be
    /// selected, stays with what holds it: an empty cell with its row, a line break and TeX with their parents.
    pub(super) fn of_selection(tree: &'t Tree, selection: &Selection) -> Self {
        let visible = visible(tree);
        let texts: Vec<NodeId> = visible.iter().copied().filter(|&id| selection.has(id)).collect();
        let mut kept = vec![false; tree.len()];
        for &text in &texts {
            kept[text.index()] = true;
            let ancestors = tree.ancestors(text);
            for id in ancestors {
                // Whatever stands above a kept element is kept already.
                if std::mem::replace(&mut kept[id.index()], true) {
                    break;
                }
            }
        }
        let is_blank = |id: NodeId| {
            let from = visible.partition_point(|&text| text < id);
            let below = visible[from..].iter().take_while(|&&text| text < tree.end(id));
            below.into_iter().all(|&text| crate::text::is_blank(tree.text(text)))
        };
        // Parents come first, so that what stands in an empty cell stays with it.
        for id in tree.ids().filter(|&id| tree.is_element(id)) {
            let parent = tree.parent(id).filter(|parent| kept[parent.index()]);
            let Some(parent) = parent.filter(|_| !kept[id.index()]) else { continue };
            kept[id.index()] = match &**tree.name(id) {
                "br" | "script" | "annotation" => true,
                "td" | "th" => *tree.name(parent) == local_name!("tr") && is_blank(id),
                _ => false,
            };
        }
        Source { tree, texts, kept: Some(kept) }
    }

    /// True if the node stays.
    pub(super) fn is_kept(&self, id: NodeId) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept[id.index()])
    }

    /// True if the node stays and is an element of this name.
    pub(super) fn is(&self, id: NodeId, name: &str) -> bool {
        &**self.tree.name(id) == name && self.is_kept(id)
    }

    /// The text nodes below `id` that are read.
    pub(super) fn texts(&self, id: NodeId) -> &[NodeId] {
        let from = self.texts.partition_point(|&text| text < id);
        let to = self.texts.partition_point(|&text| text < self.tree.end(id));
        &self.texts[from..to]
    }

    /// True if the text node is read.
    pub(super) fn reads(&self, id: NodeId) -> bool {
        self.texts.binary_search(&id).is_ok()
    }
}

/// The text nodes outside of invisible elements.
fn visible(tree: &Tree) -> Vec<NodeId> {
    let mut hidden_until = NodeId::DOCUMENT;
    let is_visible = |&id: &NodeId| {
        if tree.is_invisible(id) {
            hidden_until = hidden_until.max(tree.end(id));
        }
        tree.is_text(id) && id >= hidden_until
    };
    tree.ids().filter(is_visible).collect()
}

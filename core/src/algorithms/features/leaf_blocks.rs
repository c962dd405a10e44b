//! The smallest blocks of text: runs that no edge of a block element parts. A `br` does not part them.

use std::ops::Range;

use super::visible::VisibleText;
use crate::page::tree::{NodeId, Tree};
use crate::page::{Page, View};

/// Visible text nodes one after the other with no edge of a block element between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafBlock {
    /// Their places among [`VisibleText::nodes`].
    pub texts: Range<usize>,
    /// The nearest block element around them.
    pub element: NodeId,
}

/// The leaf blocks of a page, in order.
pub struct LeafBlocks {
    /// None is empty.
    pub blocks: Vec<LeafBlock>,
}

impl View for LeafBlocks {
    fn of(page: &Page) -> Self {
        let (tree, text) = (&page.tree, page.view::<VisibleText>());
        let ranks: Vec<usize> = (0..text.nodes.len()).collect();
        let together = |&one: &usize, &other: &usize| !has_edge_between(tree, text.nodes[one], text.nodes[other]);
        let block = |ranks: &[usize]| {
            let element = tree.ancestors(text.nodes[ranks[0]]).find(|&id| tree.is_block(id));
            LeafBlock { texts: ranks[0]..ranks[0] + ranks.len(), element: element.unwrap_or(NodeId::DOCUMENT) }
        };
        LeafBlocks { blocks: ranks.chunk_by(together).map(block).collect() }
    }
}

/// Whether a block element begins or ends between two text nodes where `from` is followed by `to`.
fn has_edge_between(tree: &Tree, from: NodeId, to: NodeId) -> bool {
    let mut left = tree.ancestors(from).take_while(|&id| !tree.contains(id, to));
    (from.0 + 1..to.0).any(|id| tree.is_block(NodeId(id))) || left.any(|id| tree.is_block(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn blocks_end_at_the_edges_of_block_elements_alone() {
        let html =
            "<body>a<b>b</b><br>c<p>d <i>e</i></p>f<div></div>g<i>h<hr>i</i><ul><li>j<script>x</script>k</ul></body>";
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let (text, blocks) = (page.view::<VisibleText>(), page.view::<LeafBlocks>());
        let written = blocks.blocks.iter().map(|block| {
            let texts: String = text.nodes[block.texts.clone()].iter().map(|&id| page.tree.text(id)).collect();
            format!("{} {texts}", page.tree.name(block.element))
        });
        let written: Vec<String> = written.collect();
        assert_eq!(written, ["body abc", "p d e", "body f", "body gh", "body i", "li jk"]);
    }
}

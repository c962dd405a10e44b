//! What the bounds of a page choose, its gold at hand.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{Best, Bound, NodesRule};
use crate::algorithms::features::visible::{VisibleText, visible_nodes};
use crate::datasets::node_tokens::NodeTokens;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::scoring::TooLarge;
use crate::scoring::range::best_range;
use crate::text::tokens::Token;

impl Bound {
    /// The choice on `page`, whose text nodes have the tokens `text` and whose gold has the tokens `gold`; `None` for a
    /// bound that chooses among what other rows come to.
    ///
    /// # Errors
    /// [`TooLarge`]: the page is beyond the memory or the work that a bound may take.
    pub(super) fn choose(&self, page: &Page, text: &NodeTokens, gold: &[Token]) -> Option<Result<Selection, TooLarge>> {
        match self.of {
            Best::Rows(_) | Best::Exact(_) => None,
            Best::Subtree => Some(best_element(page, text, gold)),
            Best::Nodes(NodesRule::Best) => Some(text.best(gold)),
            Best::Nodes(NodesRule::Half) => Some(text.half_matched(gold)),
        }
    }
}

/// All text of the element that has the greatest F1; of equal ones the shortest, then the first.
fn best_element(page: &Page, text: &NodeTokens, gold: &[Token]) -> Result<Selection, TooLarge> {
    let elements = ranges_of_elements(page);
    let first = |nodes: &Range<usize>| text.ranges[nodes.start].start..text.ranges[nodes.end - 1].end;
    let ranges: Vec<Range<usize>> = elements.iter().map(first).collect();
    let best = best_range(&text.tokens, &ranges, gold)?;
    Ok(best.into_iter().flat_map(|place| text.nodes[elements[place].clone()].iter().copied()).collect())
}

/// The visible text nodes of each element, as places among all of them, in document order; those of elements with the
/// same text once.
fn ranges_of_elements(page: &Page) -> Vec<Range<usize>> {
    let text = page.view::<VisibleText>();
    let tree = &page.tree;
    let mut seen = FxHashSet::default();
    let elements = text.body.into_iter().flat_map(|body| visible_nodes(tree, body)).filter(|&id| tree.is_element(id));
    let range = |id| {
        let nodes = text.under(tree, id);
        let start = text.rank(tree, *nodes.first()?)?;
        seen.insert((start, nodes.len())).then_some(start..start + nodes.len())
    };
    elements.filter_map(range).collect()
}

//! A page's visible text as characters, text node by text node, and the text nodes that a text of its own means.

use std::ops::Range;

use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::tree::NodeId;
use crate::page::{Page, View};
use crate::scoring::alignment::matched;
use crate::scoring::subset::best_subset;
use crate::scoring::{Counts, Gold, Measure, ONE, TooLarge};
use crate::text::tokens::{Case, Token, TokenKind, Tokenizer};
use crate::text::words::Segmenter;

/// A page whose best text nodes have a smaller F1 against its gold is worth a look, in units of 1e-12: its tree does
/// not hold the gold.
pub(crate) const LEAST_F1: u64 = ONE / 100 * 95;

/// The `char` tokens of each visible text node, one node after the other. Each node is normalised by itself.
pub(crate) struct NodeTokens {
    /// The text nodes, in document order.
    pub(crate) nodes: Vec<NodeId>,
    /// The tokens of all of them.
    pub(crate) tokens: Vec<Token>,
    /// Where each node's tokens stand.
    pub(crate) ranges: Vec<Range<usize>>,
}

impl View for NodeTokens {
    fn of(page: &Page) -> Self {
        let nodes = Selection::visible(&page.tree).nodes().to_vec();
        let (mut tokens, mut ranges) = (Vec::new(), Vec::with_capacity(nodes.len()));
        for &node in &nodes {
            let start = tokens.len();
            tokens.extend(char_tokens(page.tree.text(node)));
            ranges.push(start..tokens.len());
        }
        NodeTokens { nodes, tokens, ranges }
    }
}

impl NodeTokens {
    /// The text nodes of which at least half of the tokens are matched in one alignment with `text`; a node without
    /// tokens is none of them.
    ///
    /// # Errors
    /// [`TooLarge`]: the alignment would take too much memory.
    pub(crate) fn half_matched(&self, text: &[Token]) -> Result<Selection, TooLarge> {
        let matched = matched(&self.tokens, text)?;
        let is_matched = |range: &Range<usize>| {
            let count = matched[range.clone()].iter().filter(|matched| **matched).count();
            count > 0 && 2 * count >= range.len()
        };
        let chosen = self.nodes.iter().zip(&self.ranges).filter(|(_, range)| is_matched(range));
        Ok(chosen.map(|(&node, _)| node).collect())
    }

    /// The set of the text nodes whose tokens have the greatest F1 against `gold`.
    ///
    /// # Errors
    /// [`TooLarge`]: the page is beyond the memory or the work that this may take.
    pub(crate) fn best(&self, gold: &[Token]) -> Result<Selection, TooLarge> {
        let best = best_subset(&self.tokens, &self.ranges, gold)?;
        Ok(best.chosen.into_iter().map(|place| self.nodes[place]).collect())
    }
}

/// The `char` tokens of `text`, case kept: the same numbers on every page.
pub(crate) fn char_tokens(text: &str) -> Vec<Token> {
    Tokenizer::new(TokenKind::Char, Case::Keep, &Segmenter::default()).tokens(text)
}

/// The text nodes of `page` that yield the text `gold` best, and what their text and the gold have in common by the
/// longest common subsequence of characters.
///
/// # Errors
/// As [`NodeTokens::best`].
pub(crate) fn best_for_gold(page: &Page, gold: &str) -> Result<(Selection, Counts), TooLarge> {
    let gold = char_tokens(gold);
    let best = page.view::<NodeTokens>().best(&gold)?;
    let counts = text_counts(page, &best, &gold);
    Ok((best, counts))
}

/// The same where F1 is below [`LEAST_F1`]. On nearly every page the nodes of one alignment show that it is not, at a
/// small part of the cost.
///
/// # Errors
/// As [`best_for_gold`].
pub(crate) fn out_of_reach(page: &Page, gold: &str) -> Result<Option<Counts>, TooLarge> {
    let tokens = char_tokens(gold);
    let aligned = page.view::<NodeTokens>().half_matched(&tokens)?;
    if text_counts(page, &aligned, &tokens).score().f1 >= LEAST_F1 {
        return Ok(None);
    }
    let (_, counts) = best_for_gold(page, gold)?;
    Ok(Some(counts).filter(|counts| counts.score().f1 < LEAST_F1))
}

fn text_counts(page: &Page, selection: &Selection, gold: &[Token]) -> Counts {
    Gold::new(Measure::Lcs, &gold.to_vec().into()).counts(&char_tokens(&render(&page.tree, selection)).into())
}

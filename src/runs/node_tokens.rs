//! A page's visible text as characters, text node by text node: what texts that are no selection, and golds, are held
//! against.

use std::ops::Range;

use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::visible::VisibleText;
use crate::page::selection::Selection;
use crate::page::tree::NodeId;
use crate::page::{Page, View};
use crate::scoring::TooLarge;
use crate::scoring::alignment::matched;
use crate::text::tokens::{Case, Token, TokenKind, Tokenizer};
use crate::text::words::Segmenter;

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
        let text = page.view::<VisibleText>();
        let (mut tokens, mut ranges) = (Vec::new(), Vec::with_capacity(text.nodes.len()));
        for &node in &text.nodes {
            let start = tokens.len();
            tokens.extend(char_tokens(page.tree.text(node)));
            ranges.push(start..tokens.len());
        }
        NodeTokens { nodes: text.nodes.clone(), tokens, ranges }
    }
}

impl NodeTokens {
    /// The text nodes of which at least half of the tokens are matched in one alignment with `text`; a node without
    /// tokens is none of them.
    ///
    /// # Errors
    /// [`TooLarge`]: the alignment would take too much memory.
    pub(super) fn half_matched(&self, text: &[Token]) -> Result<Selection, TooLarge> {
        let matched = matched(&self.tokens, text)?;
        let is_matched = |range: &Range<usize>| {
            let count = matched[range.clone()].iter().filter(|matched| **matched).count();
            count > 0 && 2 * count >= range.len()
        };
        let chosen = self.nodes.iter().zip(&self.ranges).filter(|(_, range)| is_matched(range));
        Ok(chosen.map(|(&node, _)| node).collect())
    }
}

/// The `char` tokens of `text`, case kept: the same numbers on every page.
pub(crate) fn char_tokens(text: &str) -> Vec<Token> {
    Tokenizer::new(TokenKind::Char, Case::Keep, &Segmenter::default()).tokens(text)
}

/// A choice as text nodes of `page`: a text of its own is aligned with the page's.
///
/// # Errors
/// A sentence: there is too much text to align.
pub(crate) fn on_nodes(choice: Choice, page: &Page) -> Result<Selection, String> {
    match choice {
        Choice::Selection(selection) => Ok(selection),
        Choice::Text(text) => {
            let aligned = page.view::<NodeTokens>().half_matched(&char_tokens(&text));
            aligned.map_err(|TooLarge| "too much text to align it with the page's".to_owned())
        }
    }
}

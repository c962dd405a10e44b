//! Scores for extractions of the page that is explained.

use std::sync::Arc;

use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::node_tokens::NodePlaces;
use crate::scoring::{Counts, Gold, Measure, Score};
use crate::text::tokens::{Case, TokenKind, Tokenizer};
use crate::text::words::Segmenter;

/// How an extraction is held against the gold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison {
    /// What a token is.
    pub tokens: TokenKind,
    /// Whether case counts.
    pub case: Case,
    /// What is counted.
    pub measure: Measure,
}

/// Scores extractions of one page.
pub(super) struct Scorer<'s> {
    gold: Gold,
    tokenizer: Tokenizer<'s>,
    /// The page's text nodes, where they are measured and not texts.
    places: Option<Arc<NodePlaces>>,
}

impl<'s> Scorer<'s> {
    /// Against a gold text.
    pub(super) fn by_text(comparison: Comparison, gold: &str, segmenter: &'s Segmenter) -> Self {
        let Comparison { tokens, case, measure } = comparison;
        let mut tokenizer = Tokenizer::new(tokens, case, segmenter);
        Scorer { gold: Gold::new(measure, &tokenizer.tokens(gold)), tokenizer, places: None }
    }

    /// Against gold nodes of `page`.
    pub(super) fn by_nodes(comparison: Comparison, page: &Page, gold: &Selection, segmenter: &'s Segmenter) -> Self {
        let Comparison { tokens, case, measure } = comparison;
        let places = page.view::<NodePlaces>();
        let gold = Gold::new(measure, &places.of_selection(gold));
        Scorer { gold, tokenizer: Tokenizer::new(tokens, case, segmenter), places: Some(places) }
    }

    /// Scores an extraction, which has `text` and stands in the nodes of `selection`.
    pub(super) fn score(&mut self, text: &str, selection: &Selection) -> (Counts, Score) {
        let tokens = match &self.places {
            Some(places) => places.of_selection(selection),
            None => self.tokenizer.tokens(text),
        };
        let counts = self.gold.counts(&tokens);
        (counts, counts.score())
    }
}

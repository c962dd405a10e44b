//! Scores for extractions of the page that is explained.

use std::sync::Arc;

use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::node_tokens::NodePlaces;
pub use crate::scoring::Comparison;
use crate::scoring::{Counts, Gold, Score, Units};
use crate::text::tokens::Tokenizer;
use crate::text::words::Segmenter;

/// Scores extractions of one page.
pub(super) struct Scorer<'s> {
    gold: Gold,
    by_lines: bool,
    tokenizer: Tokenizer<'s>,
    /// The page's text nodes, where they are measured and not texts.
    places: Option<Arc<NodePlaces>>,
}

impl<'s> Scorer<'s> {
    /// Against a gold text.
    pub(super) fn by_text(comparison: Comparison, gold: &str, segmenter: &'s Segmenter) -> Self {
        let Comparison { tokens, case, measure } = comparison;
        let mut tokenizer = Tokenizer::new(tokens, case, segmenter);
        let by_lines = measure.reads_lines();
        let gold = Gold::new(measure, &Units::of(gold, by_lines, &mut tokenizer));
        Scorer { gold, by_lines, tokenizer, places: None }
    }

    /// Against gold nodes of `page`.
    pub(super) fn by_nodes(comparison: Comparison, page: &Page, gold: &Selection, segmenter: &'s Segmenter) -> Self {
        let Comparison { tokens, case, measure } = comparison;
        let places = page.view::<NodePlaces>();
        let gold = Gold::new(measure, &places.of_selection(gold).into());
        Scorer { gold, by_lines: false, tokenizer: Tokenizer::new(tokens, case, segmenter), places: Some(places) }
    }

    /// Scores an extraction, which has `text` and stands in the nodes of `selection`.
    pub(super) fn score(&mut self, text: &str, selection: &Selection) -> (Counts, Score) {
        let units = match &self.places {
            Some(places) => places.of_selection(selection).into(),
            None => Units::of(text, self.by_lines, &mut self.tokenizer),
        };
        let measured = self.gold.compare(&units);
        (measured.counts, measured.score())
    }
}

//! What the extractions of a page are held against: its gold text, or its snippets.

use crate::datasets::manifest::Record;
use crate::runs::configuration::Configuration;
use crate::scoring::snippets::Snippets;
use crate::scoring::{Counts, Gold, Measure};
use crate::text::tokens::Tokenizer;
use crate::text::words::Segmenter;

/// What counts of an extraction come from.
pub(super) enum Target<'p> {
    Gold { tokenizer: Box<Tokenizer<'p>>, gold: Gold },
    Snippets(Snippets),
}

impl<'p> Target<'p> {
    /// What the measure holds extractions of `record` against, whose gold text is `gold`.
    pub(super) fn new(configuration: &Configuration, segmenter: &'p Segmenter, record: &Record, gold: &str) -> Self {
        let Configuration { tokens, case, measure, .. } = *configuration;
        if measure == Measure::Snippets {
            let texts = record.snippets();
            return Target::Snippets(Snippets::new(&texts.with, &texts.without, case));
        }
        let mut tokenizer = Box::new(Tokenizer::new(tokens, case, segmenter));
        let gold = Gold::new(measure, &tokenizer.tokens(gold));
        Target::Gold { tokenizer, gold }
    }

    pub(super) fn counts(&mut self, text: &str) -> Counts {
        match self {
            Target::Gold { tokenizer, gold } => gold.counts(&tokenizer.tokens(text)),
            Target::Snippets(snippets) => snippets.counts(text),
        }
    }

    /// The counts of a page on which nothing was extracted.
    pub(super) fn nothing(&self) -> Counts {
        match self {
            Target::Gold { gold, .. } => gold.counts(&[]),
            Target::Snippets(snippets) => snippets.counts(""),
        }
    }
}

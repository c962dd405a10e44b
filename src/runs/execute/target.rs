//! What the extractions of a page are held against: its gold text, its gold nodes, or its snippets.

use crate::datasets::Dataset;
use crate::datasets::manifest::Record;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::configuration::Configuration;
use crate::runs::node_tokens::NodePlaces;
use crate::scoring::snippets::Snippets;
use crate::scoring::{Counts, Gold, Measure};
use crate::text::tokens::{Token, Tokenizer};
use crate::text::words::Segmenter;

/// What counts of an extraction come from.
pub(super) enum Target<'p> {
    Text {
        tokenizer: Box<Tokenizer<'p>>,
        gold: Gold,
    },
    /// The gold, and the tokens it was made of.
    Nodes(Gold, Vec<Token>),
    Snippets(Snippets),
}

impl<'p> Target<'p> {
    /// What the measure holds extractions of `record` in `dataset` against, whose gold text is `gold` and whose gold nodes are
    /// `nodes`. Without gold, texts are only gathered.
    pub(super) fn new(
        configuration: &Configuration,
        segmenter: &'p Segmenter,
        (dataset, record): (&Dataset, &Record),
        gold: Option<&str>,
        nodes: Option<(&Page, &Selection)>,
    ) -> Self {
        let Configuration { tokens, case, measure, .. } = *configuration;
        match measure {
            Measure::Snippets => {
                let texts = record.snippets();
                Target::Snippets(Snippets::new(&texts.with, &texts.without, dataset.manifest.snippets, case))
            }
            Measure::Nodes if gold.is_some() && nodes.is_some() => {
                let places = nodes.map(|(page, nodes)| page.view::<NodePlaces>().of_selection(nodes));
                let tokens = places.unwrap_or_default();
                Target::Nodes(Gold::new(measure, &tokens), tokens)
            }
            // Of a page that cannot be opened the nodes are unknown: what failed on it lacks the characters of its gold.
            _ => {
                let mut tokenizer = Box::new(Tokenizer::new(tokens, case, segmenter));
                let gold = Gold::new(measure, &tokenizer.tokens(gold.unwrap_or_default()));
                Target::Text { tokenizer, gold }
            }
        }
    }

    /// The tokens of the gold nodes, where text nodes are counted ([`Target::node_counts`]) and not texts.
    pub(super) fn node_tokens(&self) -> Option<&[Token]> {
        match self {
            Target::Nodes(_, tokens) => Some(tokens),
            Target::Text { .. } | Target::Snippets(_) => None,
        }
    }

    /// The counts of the text nodes of `selection`; none unless text nodes are counted.
    pub(super) fn node_counts(&self, page: &Page, selection: &Selection) -> Counts {
        match self {
            Target::Nodes(gold, _) => gold.counts(&page.view::<NodePlaces>().of_selection(selection)),
            Target::Text { .. } | Target::Snippets(_) => self.nothing(),
        }
    }

    /// The counts of a text; those of nothing where text nodes are counted.
    pub(super) fn counts(&mut self, text: &str) -> Counts {
        match self {
            Target::Text { tokenizer, gold } => gold.counts(&tokenizer.tokens(text)),
            Target::Snippets(snippets) => snippets.counts(text),
            Target::Nodes(..) => self.nothing(),
        }
    }

    /// The counts of a page on which nothing was extracted.
    pub(super) fn nothing(&self) -> Counts {
        match self {
            Target::Text { gold, .. } | Target::Nodes(gold, _) => gold.counts(&[]),
            Target::Snippets(snippets) => snippets.counts(""),
        }
    }
}

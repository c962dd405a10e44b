//! What the extractions of a page are compared with: its gold text, its gold nodes, or its snippets.

use std::borrow::Cow;

use crate::datasets::Dataset;
use crate::datasets::manifest::Record;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::configuration::Configuration;
use crate::runs::node_tokens::NodePlaces;
use crate::scoring::snippets::Snippets;
use crate::scoring::{Comparison, Counts, Gold, Measure, Measured, Units};
use crate::text::normalise_lines;
use crate::text::tokens::{Token, Tokenizer};
use crate::text::words::Segmenter;

/// The gold text of a page.
#[derive(Clone, Copy)]
pub(super) struct GoldText<'t> {
    /// Normalised.
    pub(super) lines: &'t str,
    /// As it stands for the tokens of each measure; `None` where they read it normalised, and of gold that is made from nodes.
    pub(super) as_it_stands: &'t [Option<String>],
}

/// What counts of an extraction come from.
pub(super) enum Target<'p> {
    /// Each kind of token, with the measures over it.
    Texts(Vec<TokenGroup<'p>>),
    /// The gold, and the tokens it was made of.
    Nodes(Gold, Vec<Token>),
    Snippets(Snippets),
}

/// The measures of a run over one kind of token: a text is tokenised once for all of them.
pub(super) struct TokenGroup<'p> {
    comparison: Comparison,
    by_lines: bool,
    tokenizer: Tokenizer<'p>,
    /// Each measure's gold, and the place of the measure in the run.
    golds: Vec<(usize, Measure, Gold)>,
}

impl<'p> Target<'p> {
    /// What the measures of the run compare extractions of `record` in `dataset` with, whose gold text is `gold` and whose
    /// gold nodes are `nodes`. Without gold, texts are only gathered.
    pub(super) fn new(
        configuration: &Configuration,
        segmenter: &'p Segmenter,
        (dataset, record): (&Dataset, &Record),
        gold: Option<GoldText<'_>>,
        nodes: Option<(&Page, &Selection)>,
    ) -> Self {
        let Comparison { case, measure, .. } = configuration.comparison;
        match measure {
            Measure::Snippets => {
                let texts = record.snippets();
                Target::Snippets(Snippets::new(&texts.with, &texts.without, dataset.manifest.snippets, case))
            }
            Measure::Nodes if gold.is_some() && nodes.is_some() => {
                let places = nodes.map(|(page, nodes)| page.view::<NodePlaces>().of_selection(nodes));
                let tokens = places.unwrap_or_default();
                Target::Nodes(Gold::new(measure, &tokens.clone().into()), tokens)
            }
            // Of a page that cannot be opened the nodes are unknown: what failed on it lacks the characters of its gold.
            _ => Target::Texts(groups(configuration, segmenter, gold)),
        }
    }

    /// The tokens of the gold nodes, where text nodes are counted ([`Target::node_counts`]) and not texts.
    pub(super) fn node_tokens(&self) -> Option<&[Token]> {
        match self {
            Target::Nodes(_, tokens) => Some(tokens),
            Target::Texts(_) | Target::Snippets(_) => None,
        }
    }

    /// The counts of the text nodes of `selection`; none unless text nodes are counted.
    pub(super) fn node_counts(&self, page: &Page, selection: &Selection) -> Counts {
        match self {
            Target::Nodes(gold, _) => gold.counts(&page.view::<NodePlaces>().of_selection(selection).into()),
            Target::Texts(_) | Target::Snippets(_) => Counts::default(),
        }
    }

    /// A text by each measure of the run; nothing matches where text nodes are counted.
    pub(super) fn measured(&mut self, text: &str) -> Vec<Measured> {
        match self {
            Target::Texts(groups) => in_order(groups.iter_mut().flat_map(|group| group.measured(text))),
            Target::Snippets(snippets) => vec![alone(snippets.counts(text))],
            Target::Nodes(gold, _) => vec![alone(gold.counts(&Units::default()))],
        }
    }

    /// A page on which nothing was extracted.
    pub(super) fn nothing(&mut self) -> Vec<Measured> {
        match self {
            Target::Texts(groups) => in_order(groups.iter_mut().flat_map(TokenGroup::nothing)),
            Target::Snippets(_) | Target::Nodes(..) => self.measured(""),
        }
    }
}

fn groups<'p>(
    configuration: &Configuration,
    segmenter: &'p Segmenter,
    gold: Option<GoldText<'_>>,
) -> Vec<TokenGroup<'p>> {
    let mut groups: Vec<TokenGroup<'p>> = Vec::new();
    for (place, comparison) in configuration.comparisons().enumerate() {
        let Comparison { tokens, case, measure } = comparison;
        let by_lines = measure.reads_lines();
        let is_of = |group: &TokenGroup<'_>| {
            (group.comparison.tokens, group.comparison.case, group.by_lines) == (tokens, case, by_lines)
        };
        let at = groups.iter().position(is_of).unwrap_or_else(|| {
            groups.push(TokenGroup {
                comparison,
                by_lines,
                tokenizer: Tokenizer::new(tokens, case, segmenter),
                golds: Vec::new(),
            });
            groups.len() - 1
        });
        let raw = gold.and_then(|gold| gold.as_it_stands.get(place)?.as_deref());
        let text = raw.or(gold.map(|gold| gold.lines)).unwrap_or_default();
        let group = &mut groups[at];
        let units = Units::of(text, by_lines, &mut group.tokenizer);
        group.golds.push((place, measure, Gold::new(measure, &units)));
    }
    groups
}

impl TokenGroup<'_> {
    fn measured(&mut self, text: &str) -> Vec<(usize, Measured)> {
        // The lines of a text, and whether it is blank, are those of the normalised one; its other tokens are the same.
        let is_normalised =
            |(_, measure, _): &(usize, Measure, Gold)| matches!(measure, Measure::Lsum | Measure::Rouge(_));
        let normalises = !self.comparison.tokens.reads_as_it_stands() && self.golds.iter().any(is_normalised);
        let text = if normalises { Cow::Owned(normalise_lines(text)) } else { Cow::Borrowed(text) };
        let units = Units::of(&text, self.by_lines, &mut self.tokenizer);
        self.golds.iter().map(|(place, _, gold)| (*place, gold.compare(&units))).collect()
    }

    /// Nothing extracted: an empty file has a word under the tokens `cleaneval`, and a failure has none.
    fn nothing(&mut self) -> Vec<(usize, Measured)> {
        let empty = self.measured("");
        let nothing = |((place, measured), (_, measure, _)): ((usize, Measured), &(usize, Measure, Gold))| {
            let gold = measured.counts.gold;
            let extracted = if *measure == Measure::Edit { gold } else { 0 };
            (place, Measured { counts: Counts { matched: 0, extracted, gold }, ..measured })
        };
        empty.into_iter().zip(&self.golds).map(nothing).collect()
    }
}

/// The results of all measures, by their places in the run.
fn in_order(measured: impl Iterator<Item = (usize, Measured)>) -> Vec<Measured> {
    let mut measured: Vec<(usize, Measured)> = measured.collect();
    measured.sort_unstable_by_key(|(place, _)| *place);
    measured.into_iter().map(|(_, measured)| measured).collect()
}

/// Counts that score what they are.
fn alone(counts: Counts) -> Measured {
    Measured { counts, scores_zero: false }
}

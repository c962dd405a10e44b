//! The target of the extractions of a page: its gold text with its parts, its gold nodes, or its snippets.

use std::borrow::Cow;

use crate::datasets::Dataset;
use crate::datasets::manifest::Record;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::configuration::Configuration;
use crate::runs::node_tokens::NodePlaces;
use crate::scoring::snippets::Snippets;
use crate::scoring::{Comparison, Counts, Gold, Measure, Measured, Structure, Units};
use crate::structure::{Document, StructureError, compare};
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
    /// Each kind of token with the measures over it, and the measures of structure.
    Texts(Vec<TokenGroup<'p>>, Parts),
    /// The gold, and the tokens it was made of.
    Nodes(Gold, Vec<Token>),
    Snippets(Snippets),
}

/// The gold for measures of structure: none of a page without gold, or why it is not known.
pub(super) type GoldDocument = Result<Option<Document>, String>;

/// The measures of structure of a run.
pub(super) struct Parts {
    /// Each with its place in the run.
    measures: Vec<(usize, Structure)>,
    /// The gold with its tables, code and formulas, where there is a gold, or why it is not known.
    gold: GoldDocument,
}

/// A text that is measured.
pub(super) struct Offered<'t> {
    /// As a reader sees it.
    pub(super) text: &'t str,
    /// For rules that take it as a program writes it.
    pub(super) as_it_stands: &'t str,
    /// True if carat made the text that those rules read, and not the program.
    pub(super) is_rendered: bool,
}

impl<'t> Offered<'t> {
    /// A text of one form only.
    pub(super) fn plain(text: &'t str) -> Self {
        Offered { text, as_it_stands: text, is_rendered: false }
    }

    /// The text that a rule reads.
    pub(super) fn for_rule(&self, rule: Comparison) -> &'t str {
        if rule.tokens.reads_as_it_stands() { self.as_it_stands } else { self.text }
    }
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
    /// gold nodes are `nodes`; `document` is the gold for measures of structure. Without gold, texts are only gathered.
    pub(super) fn new(
        configuration: &Configuration,
        segmenter: &'p Segmenter,
        (dataset, record): (&Dataset, &Record),
        gold: Option<GoldText<'_>>,
        nodes: Option<(&Page, &Selection)>,
        document: GoldDocument,
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
            _ => {
                let parts = configuration.comparisons().enumerate();
                let parts = parts.filter_map(|(place, rule)| Some((place, rule.measure.structure()?)));
                Target::Texts(
                    groups(configuration, segmenter, gold),
                    Parts { measures: parts.collect(), gold: document },
                )
            }
        }
    }

    /// The measures of structure.
    pub(super) fn parts(&self) -> Option<&Parts> {
        match self {
            Target::Texts(_, parts) => Some(parts).filter(|parts| !parts.measures.is_empty()),
            Target::Snippets(_) | Target::Nodes(..) => None,
        }
    }

    /// The tokens of the gold nodes, where text nodes are counted ([`Target::node_counts`]) and not texts.
    pub(super) fn node_tokens(&self) -> Option<&[Token]> {
        match self {
            Target::Nodes(_, tokens) => Some(tokens),
            Target::Texts(..) | Target::Snippets(_) => None,
        }
    }

    /// The counts of the text nodes of `selection`; none unless text nodes are counted.
    pub(super) fn node_counts(&self, page: &Page, selection: &Selection) -> Counts {
        match self {
            Target::Nodes(gold, _) => gold.counts(&page.view::<NodePlaces>().of_selection(selection).into()),
            Target::Texts(..) | Target::Snippets(_) => Counts::default(),
        }
    }

    /// A text by each measure of the run, with zeros in the places of measures of structure; nothing matches where text
    /// nodes are counted.
    pub(super) fn measured(&mut self, offered: &Offered<'_>) -> Vec<Measured> {
        match self {
            Target::Texts(groups, parts) => {
                in_order(groups.iter_mut().flat_map(|group| group.measured(offered)).chain(parts.zeros()))
            }
            Target::Snippets(snippets) => vec![alone(snippets.counts(offered.text))],
            Target::Nodes(gold, _) => vec![alone(gold.counts(&Units::default()))],
        }
    }

    /// A page on which nothing was extracted.
    pub(super) fn nothing(&mut self) -> Vec<Measured> {
        match self {
            Target::Texts(groups, parts) => {
                in_order(groups.iter_mut().flat_map(TokenGroup::nothing).chain(parts.zeros()))
            }
            Target::Snippets(_) | Target::Nodes(..) => self.measured(&Offered::plain("")),
        }
    }
}

impl Parts {
    /// No counts, at the places of the measures.
    fn zeros(&self) -> impl Iterator<Item = (usize, Measured)> {
        self.places().map(|place| (place, alone(Counts::default())))
    }

    /// The places of the measures in the run.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.measures.iter().map(|&(place, _)| place)
    }

    /// Why nothing can be compared with the gold, where there is one and its parts are not known.
    pub(super) fn unknown(&self) -> Option<&str> {
        self.gold.as_ref().err().map(String::as_str)
    }

    /// The result of an extraction by each measure, with its place: `None` where neither side has the part. Without gold
    /// nothing is compared.
    pub(super) fn of<'p>(
        &'p self,
        extraction: &'p Document,
    ) -> impl Iterator<Item = (usize, Result<Option<Measured>, StructureError>)> {
        self.gold.iter().flatten().flat_map(move |gold| {
            self.measures.iter().map(move |&(place, structure)| (place, compare(structure, extraction, gold)))
        })
    }
}

fn groups<'p>(
    configuration: &Configuration,
    segmenter: &'p Segmenter,
    gold: Option<GoldText<'_>>,
) -> Vec<TokenGroup<'p>> {
    let mut groups: Vec<TokenGroup<'p>> = Vec::new();
    let of_tokens = |(_, rule): &(usize, Comparison)| rule.measure.structure().is_none();
    for (place, comparison) in configuration.comparisons().enumerate().filter(of_tokens) {
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
    fn measured(&mut self, offered: &Offered<'_>) -> Vec<(usize, Measured)> {
        let text = offered.for_rule(self.comparison);
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
        let empty = self.measured(&Offered::plain(""));
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

//! Readability as Mozilla maintains it, through its port `dom_smoothie`.
//!
//! The program parses by itself, so it gets our tree as HTML. The cap on open elements applies, because its time grows
//! with the square of the depth and some of its functions recurse once per level. Its answer is a new document, which
//! is rendered like any page.

use std::collections::BTreeSet;

use dom_smoothie::{CandidateSelectMode, Config, Readability};
use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept};
use super::features::visible::visible_nodes;
use super::parameters::Values;
use super::value::Value;
use crate::page::Page;
use crate::page::limits::MAX_OPEN_ELEMENTS;
use crate::page::parse::{parse, parse_without_scripting};
use crate::page::render::render;
use crate::page::to_html::to_html;
use crate::page::tree::{NodeId, Tree};

/// Readability as Mozilla maintains it.
pub(super) struct ReadabilityMozilla;

/// The version of the program, which decides the results.
const VERSION: &str = "0.19.0";

/// Parameters of `readability-mozilla`, with the program's names and defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadabilityMozillaParameters {
    /// least characters of an article: with fewer, the page is read again under looser rules
    #[schemars(extend("from" = "0", "to" = "1000000"))]
    pub char_threshold: Value,
    /// how many of the best elements are compared with the best one
    #[schemars(extend("from" = "1", "to" = "20"))]
    pub n_top_candidates: Value,
    /// how an element around several good ones is found: as in Readability.js, or in a way of the crate's own
    pub candidate_select_mode: SelectMode,
}

impl Default for ReadabilityMozillaParameters {
    fn default() -> Self {
        ReadabilityMozillaParameters {
            char_threshold: Value::decimal(500, 0),
            n_top_candidates: Value::decimal(5, 0),
            candidate_select_mode: SelectMode::Readability,
        }
    }
}

/// The crate's `CandidateSelectMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SelectMode {
    /// As in Readability.js.
    Readability,
    /// The crate's own.
    DomSmoothie,
}

impl ReadabilityMozillaParameters {
    /// Lengths and places are whole numbers, so a threshold between two of them is the next one up, a number of places
    /// the next one down.
    fn config(&self) -> Config {
        Config {
            char_threshold: self.char_threshold.ceiling() as usize,
            n_top_candidates: self.n_top_candidates.floor() as usize,
            candidate_select_mode: match self.candidate_select_mode {
                SelectMode::Readability => CandidateSelectMode::Readability,
                SelectMode::DomSmoothie => CandidateSelectMode::DomSmoothie,
            },
            ..Config::default()
        }
    }
}

fn resources(_: &Values, _: &BTreeSet<Option<String>>) -> Vec<String> {
    vec![format!("program dom_smoothie {VERSION}")]
}

impl PageAlgorithm for ReadabilityMozilla {
    type Parameters = ReadabilityMozillaParameters;
    type Prepared<'p> = Option<String>;
    const DECLARATION: Declaration = Declaration {
        name: "readability-mozilla",
        title: "gives the article that Mozilla's Readability finds, by the scores of paragraphs for the elements \
                around them",
        source: "Mozilla's Readability.js 0.6, as ported in the crate dom_smoothie 0.19.0 (Rust)",
        faithful_to: FaithfulTo::Code,
        languages: "any; the names are English",
        cost: "O(page * depth^2); a page on which that, by its sizes, comes to more than 2e10 steps gives no text",
        swept: &[Swept::on_grid("char_threshold", "0..2000/250")],
        examples: &[Example::new(
            "the menu goes for its name; blocks are lines",
            "<title>News</title><body><div class=menu><p>one, two, three, four, five, six</p></div><div><p>The first \
                 paragraph of the text, which is long enough.</p><p>The second one, which is long enough as \
                 well.</p></div></body>",
            "char_threshold=50",
            "The first paragraph of the text, which is long enough.\nThe second one, which is long enough as well.",
        )],
        floor: false,
        resources,
    };

    fn prepare(&self, page: &Page, _: &ReadabilityMozillaParameters) -> Option<String> {
        input(&page.tree)
    }

    fn choose(&self, input: &Option<String>, parameters: &ReadabilityMozillaParameters) -> Choice {
        let text = input.as_deref().and_then(|html| article(html, parameters.config()));
        Choice::Text(text.unwrap_or_default())
    }
}

/// The text of the article that the program finds, if it finds one.
fn article(html: &str, config: Config) -> Option<String> {
    // The page's address makes links absolute and does nothing else; no text shows it. Nor does a `base` element, which
    // can make a page of links as large as their number times its length.
    let mut readability = Readability::new(html, None, Some(config)).ok()?;
    readability.doc.select("base").remove();
    let content = readability.parse().ok()?.content;
    let tree = parse(&content).ok()?.tree;
    let text = visible_nodes(&tree, tree.body()?).filter(|&id| tree.is_text(id)).collect();
    Some(render(&tree, &text))
}

/// The tree as HTML for the program; `None` where reading it would take it too long.
fn input(tree: &Tree) -> Option<String> {
    tree.body()?;
    let html = to_html(tree);
    // The program runs no scripts: in its tree, what stands in `noscript` is elements, over which our cap has no power.
    let parsed = parse_without_scripting(&html).ok()?;
    let is_bearable = parsed.cap_hits == 0 && Steps::of(&parsed.tree).are_bearable();
    is_bearable.then_some(html)
}

/// The most steps that a page may cost, about a nanosecond each; 250 times those of the largest news page that was seen.
const MAX_STEPS: u128 = 20_000_000_000;

/// An upper bound for the program's work on a page, from sizes alone.
#[derive(Default)]
struct Steps {
    /// For every element around it that the rules ask about, a node is read again; and once more for every element
    /// between the two that they ask about then.
    nested: u128,
    /// A search for an attribute walks through those of an element, and elements one in another are made one.
    attributes: u128,
    /// The longest text that may be the page's title.
    title: usize,
    /// Every one is held against the title.
    headings: u128,
    depth: usize,
}

impl Steps {
    fn of(tree: &Tree) -> Self {
        let mut steps = Steps::default();
        // The elements around the next node, each with the number of attributes down to it.
        let mut open: Vec<(NodeId, u128)> = Vec::new();
        for id in tree.ids() {
            while open.pop_if(|(last, _)| tree.end(*last) <= id).is_some() {}
            let depth = open.len() as u128 + 1;
            let attributes = tree.attributes(id).count() as u128;
            let values: usize = tree.attributes(id).map(|attribute| attribute.value.len()).sum();
            let on_path = open.last().map_or(0, |&(_, on_path)| on_path) + attributes;
            steps.nested += (1 + tree.text(id).len() + values) as u128 * depth * depth;
            steps.attributes += (1 + attributes) * on_path;
            steps.headings += u128::from(matches!(*tree.name(id), local_name!("h1") | local_name!("h2")));
            steps.title = steps.title.max(length_as_title(tree, id));
            steps.depth = steps.depth.max(open.len());
            open.push((id, on_path));
        }
        steps
    }

    /// The factors are what a step of the kind takes, as measured.
    fn are_bearable(&self) -> bool {
        let all = self.nested + 4 * self.attributes + 64 * self.title as u128 * self.headings;
        all <= MAX_STEPS && self.depth <= 2 * MAX_OPEN_ELEMENTS
    }
}

/// A title is a text in a `title`, part of one in a script of data, or a value of a `meta`.
fn length_as_title(tree: &Tree, id: NodeId) -> usize {
    let is_data = |id| tree.attribute(id, &local_name!("type")) == Some("application/ld+json");
    match *tree.name(id) {
        local_name!("title") => tree.subtree(id).map(|text| tree.text(text).len()).sum(),
        local_name!("script") if is_data(id) => tree.subtree(id).map(|text| tree.text(text).len()).sum(),
        local_name!("meta") => tree.attributes(id).map(|attribute| attribute.value.len()).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_that_is_named_is_the_one_that_is_built() {
        let packages = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"));
        assert!(packages.contains(&format!("name = \"dom_smoothie\"\nversion = \"{VERSION}\"\n")));
        assert!(ReadabilityMozilla::DECLARATION.source.contains(VERSION));
    }
}

//! Top-down division of the tree into blocks that are coherent enough: VIPS without a renderer.
//!
//! No positions, sizes, colours, fonts or separators are known. The coherence of a block is the share of its largest
//! group of similar children. The rule that chooses among the blocks is ours.

use std::ops::Range;
use std::sync::Arc;

use html5ever::LocalName;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::Prefix;
use super::features::links::{Anchor, Links};
use super::features::visible::VisibleText;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Division into coherent blocks.
pub(super) struct VipsLite;

/// Parameters of `vips-lite`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VipsLiteParameters {
    /// the least coherence of an element that is not divided: the share of its largest group of like children
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub pdoc: Value,
    /// the least characters of a block beside the best one
    pub min_chars: Value,
    /// the greatest share of characters in links of a block beside the best one
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub dense: Value,
}

impl Default for VipsLiteParameters {
    fn default() -> Self {
        VipsLiteParameters { pdoc: Value::ONE, min_chars: Value::decimal(10, 0), dense: Value::hundredths(50) }
    }
}

/// A child with visible text that is a block element or holds one, or neighbours that are none, merged.
struct Run {
    /// The only child of a run that can be divided.
    divisible: Option<NodeId>,
    extent: Extent,
}

/// Nodes one after the other in document order, with what they hold.
struct Extent {
    nodes: Range<NodeId>,
    chars: u32,
    link_chars: u32,
}

/// A piece of the page that is not divided.
struct Block {
    extent: Extent,
    /// The element whose division it came out of.
    parent: Option<NodeId>,
}

/// The page as it is divided.
pub(super) struct Divisible<'p> {
    tree: &'p Tree,
    text: Arc<VisibleText>,
    links: Arc<Links>,
    /// Block elements at or below a node.
    block_elements: Prefix,
}

const PAGE: &str = "<body><div><a href=\"/\">Home</a> <a href=\"/n\">News</a></div>\
    <div><h1>Title</h1><p>Some long text here.</p><p>More text, again.</p></div></body>";

const PAGE_INLINE: &str = "<body><div>aaaaaaaaaaaa<p>bbbbbbbbbbbbb</p>cccc<b>cccccc</b><p>\
    <a href=x>dddddddddddd</a>eee</p></div></body>";

const fn example(title: &'static str, html: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, html, parameters, expected).in_language("en")
}

impl PageAlgorithm for VipsLite {
    type Parameters = VipsLiteParameters;
    type Prepared<'p> = Divisible<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "vips-lite",
        title: "divides the tree until blocks are coherent, and gives the one with the most text and what stands beside it",
        source: "after D. Cai, S. Yu, J.-R. Wen, W.-Y. Ma, VIPS: a vision-based page segmentation algorithm, 2003: not VIPS, \
                 for nothing is rendered; its coherence and the choice among blocks are ours",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes)",
        swept: &[Swept::exact("pdoc", "0.5..1/0.05")],
        // Body: 8 characters of linked div and 37 of other div, coherence 37/45 = 0.822; the second div: h1 5, p 17 and 15,
        // 32/37 = 0.865. Inline: the body has one run, so its div is divided: text 12 and 10, p 13, linked p 15 of 50.
        examples: &[
            example(
                "at 0.9 the second div is divided, and the heading is short",
                PAGE,
                "pdoc=0.9",
                "Some long text here.\nMore text, again.",
            ),
            example("at 0.85 it is one block", PAGE, "pdoc=0.85", "Title\nSome long text here.\nMore text, again."),
            example(
                "at 0.8 the body is",
                PAGE,
                "pdoc=0.8",
                "Home News\nTitle\nSome long text here.\nMore text, again.",
            ),
            example(
                "Inline: neighbours are one block, one of links goes",
                PAGE_INLINE,
                "",
                "aaaaaaaaaaaa\nbbbbbbbbbbbbb\ncccccccccc",
            ),
            example(
                "Inline: 11 characters are more than 10",
                PAGE_INLINE,
                "min_chars=11",
                "aaaaaaaaaaaa\nbbbbbbbbbbbbb",
            ),
            example(
                "Inline: 12 of 15 may be links",
                PAGE_INLINE,
                "dense=0.8",
                "aaaaaaaaaaaa\nbbbbbbbbbbbbb\ncccccccccc\nddddddddddddeee",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut VipsLiteParameters, name: &str) -> Option<&'p mut Value> {
        (name == "pdoc").then_some(&mut parameters.pdoc)
    }

    fn prepare<'p>(&self, page: &'p Page, _: &VipsLiteParameters) -> Divisible<'p> {
        let tree = &page.tree;
        let block_elements = Prefix::new(tree, |id| u32::from(tree.is_block(id)));
        Divisible { tree, text: page.view::<VisibleText>(), links: Links::of(page, Anchor::Href), block_elements }
    }

    fn choose(&self, page: &Divisible<'_>, parameters: &VipsLiteParameters) -> Choice {
        let blocks = page.divide(|coherence| coherence >= parameters.pdoc);
        // The first of equal ones.
        let Some(best) = blocks.iter().rev().max_by_key(|block| block.extent.chars - block.extent.link_chars) else {
            return Choice::from_iter([]);
        };
        let is_chosen = |block: &&Block| {
            let extent = &block.extent;
            let is_text = Value::from(extent.chars) >= parameters.min_chars
                && Value::ratio(extent.link_chars.into(), extent.chars.into()) <= parameters.dense;
            extent.nodes == best.extent.nodes || block.parent == best.parent && is_text
        };
        let chosen = blocks.iter().filter(is_chosen);
        chosen.flat_map(|block| page.text_in(&block.extent.nodes)).copied().collect()
    }

    fn break_points(&self, page: &Divisible<'_>, _: &VipsLiteParameters, _: &str) -> Vec<Value> {
        let mut points = Vec::new();
        page.divide(|coherence| {
            points.push(coherence);
            false
        });
        points
    }
}

impl Divisible<'_> {
    /// The blocks in document order, where `is_coherent` judges the coherence of elements with several runs.
    fn divide(&self, mut is_coherent: impl FnMut(Value) -> bool) -> Vec<Block> {
        let mut blocks = Vec::new();
        let body = self.text.body.map(|body| (self.run(body), None));
        let mut open: Vec<(Run, Option<NodeId>)> = body.into_iter().collect();
        while let Some((run, parent)) = open.pop() {
            let Some(node) = run.divisible else {
                blocks.push(Block { extent: run.extent, parent });
                continue;
            };
            let mut runs = self.runs(node);
            if runs.iter().all(|run| run.divisible.is_none()) {
                blocks.push(Block { extent: run.extent, parent });
            } else if runs.len() == 1 {
                open.extend(runs.pop().map(|only| (only, parent)));
            } else if is_coherent(self.coherence(&runs, run.extent.chars)) {
                blocks.push(Block { extent: run.extent, parent });
            } else {
                open.extend(runs.into_iter().rev().map(|run| (run, Some(node))));
            }
        }
        blocks
    }

    /// One child as a run.
    fn run(&self, id: NodeId) -> Run {
        let holds_block = self.block_elements.of(self.tree, id) > 0;
        let (chars, link_chars) = (self.text.chars(self.tree, id), self.links.chars(self.tree, id));
        let extent = Extent { nodes: id..self.tree.end(id), chars, link_chars };
        Run { divisible: holds_block.then_some(id), extent }
    }

    fn runs(&self, node: NodeId) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for child in self.tree.children(node).filter(|&child| self.text.chars(self.tree, child) > 0) {
            let run = self.run(child);
            match runs.last_mut() {
                Some(last) if last.divisible.is_none() && run.divisible.is_none() => {
                    last.extent.nodes.end = run.extent.nodes.end;
                    last.extent.chars += run.extent.chars;
                    last.extent.link_chars += run.extent.link_chars;
                }
                _ => runs.push(run),
            }
        }
        runs
    }

    /// The largest share of `chars` in runs with the same tag, or none, that are mostly links, or not.
    fn coherence(&self, runs: &[Run], chars: u32) -> Value {
        let mut groups: FxHashMap<(Option<&LocalName>, bool), u32> = FxHashMap::default();
        for run in runs {
            let is_linked = u64::from(run.extent.link_chars) * 2 > u64::from(run.extent.chars);
            *groups.entry((run.divisible.map(|id| self.tree.name(id)), is_linked)).or_default() += run.extent.chars;
        }
        Value::ratio(groups.values().copied().max().unwrap_or(0).into(), chars.into())
    }

    fn text_in(&self, nodes: &Range<NodeId>) -> &[NodeId] {
        let all = &self.text.nodes;
        &all[all.partition_point(|&id| id < nodes.start)..all.partition_point(|&id| id < nodes.end)]
    }
}

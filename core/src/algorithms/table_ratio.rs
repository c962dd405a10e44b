//! Tables that are long and narrow are removed. Of the others, those with paragraphs and few links are kept. This is
//! made from the abstract of the paper.

use std::sync::Arc;

use html5ever::{LocalName, local_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::links::{Anchor, Links};
use super::features::visible::{VisibleText, visible_nodes};
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Content by the shape of tables.
pub(super) struct TableRatio;

/// Parameters of `table-ratio`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TableRatioParameters {
    /// the greatest ratio of the longer to the shorter side of a table that stays
    #[schemars(extend("from" = "1", "to" = "1000"))]
    pub ratio: Value,
    /// the greatest share of characters in links of a table that stays
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub dense: Value,
}

impl Default for TableRatioParameters {
    fn default() -> Self {
        TableRatioParameters { ratio: Value::decimal(4, 0), dense: Value::hundredths(50) }
    }
}

/// The text of tables with paragraphs and few links, each node with the greatest ratio of sides around it.
pub(super) struct Shapes {
    text: Arc<VisibleText>,
    /// In the order of the visible text; `None` for what goes whatever its shape.
    ratios: Vec<Option<Value>>,
}

const PAGE: &str = "<body><table width=\"760\" height=\"60\"><tr><td>Site name<br>slogan</td></tr></table>\
    <table width=\"500\" height=\"400\"><tr><td><p>Real text.</p></td></tr></table>\
    <table><tr><td><a href=\"/\">Links</a></td></tr></table></body>";

const PAGE_NESTED: &str = "<body><p>a</p><table width=12.5px height=100%><td>b<table width=1 height=5><td><br>c\
    <table height=3 width=3><td>d<br></table></table><table width=0 height=9><td>e<br><a href=1>f</a></table></table></body>";

const fn example(title: &'static str, html: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, html, parameters, expected).in_language("en")
}

impl PageAlgorithm for TableRatio {
    type Parameters = TableRatioParameters;
    type Prepared<'p> = Shapes;
    const DECLARATION: Declaration = Declaration {
        name: "table-ratio",
        title: "gives the tables with paragraphs and few links, but for long and narrow ones",
        source: "Shi, Lin, Yang, 2007: the abstract alone; both thresholds are ours",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(nodes)",
        swept: &[Swept::exact("ratio", "1..20/1")],
        // 760/60 = 12.67 and 500/400; the third table has no paragraph. Nested: the second table has the ratio 5, and so
        // has what is inside it; a percentage, and a side of 0, are none; the first table holds no br of its own.
        examples: &[
            example("the site's name is a long table", PAGE, "", "Real text."),
            example("that stays at 20", PAGE, "ratio=20", "Site name\nslogan\nReal text."),
            example("Nested: long tables go with what they hold", PAGE_NESTED, "", "a\ne\nf"),
            example("Nested: 5 is not more than 5", PAGE_NESTED, "ratio=5", "a\nc\nd\ne\nf"),
            example("Nested: half of the last table is a link", PAGE_NESTED, "dense=0.4", "a"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut TableRatioParameters, name: &str) -> Option<&'p mut Value> {
        (name == "ratio").then_some(&mut parameters.ratio)
    }

    fn prepare(&self, page: &Page, parameters: &TableRatioParameters) -> Shapes {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let links = Links::of(page, Anchor::Href);
        let mut regions = Regions::new(tree, text.body);
        for (&id, &in_link) in text.nodes.iter().zip(&links.in_link) {
            let chars = text.chars(tree, id);
            let region = regions.around(id);
            region.chars += chars;
            region.link_chars += if in_link { chars } else { 0 };
        }
        let mut ratio = |&id: &NodeId| {
            let region = regions.around(id);
            let share = Value::ratio(region.link_chars.into(), region.chars.into());
            (region.has_paragraphs && share <= parameters.dense).then_some(region.ratio)
        };
        let ratios = text.nodes.iter().map(&mut ratio).collect();
        Shapes { text, ratios }
    }

    fn choose(&self, shapes: &Shapes, parameters: &TableRatioParameters) -> Choice {
        let stays = |ratio: &Option<Value>| ratio.is_some_and(|ratio| ratio <= parameters.ratio);
        shapes.text.chosen(shapes.ratios.iter().map(stays)).collect()
    }

    fn break_points(&self, shapes: &Shapes, _: &TableRatioParameters, _: &str) -> Vec<Value> {
        shapes.ratios.iter().copied().flatten().collect()
    }
}

/// What a table, or the body, holds outside the tables in it.
struct Region {
    has_paragraphs: bool,
    chars: u32,
    link_chars: u32,
    /// The greatest ratio of sides of it and the tables around it; 0 where none is known.
    ratio: Value,
}

impl Region {
    fn new(ratio: Value) -> Self {
        Region { has_paragraphs: false, chars: 0, link_chars: 0, ratio }
    }
}

/// The regions of a page; the first is that of the body.
struct Regions {
    regions: Vec<Region>,
    /// The region of each node, by its position in the tree.
    of_node: Vec<usize>,
}

impl Regions {
    fn new(tree: &Tree, body: Option<NodeId>) -> Self {
        let mut regions = Regions { regions: vec![Region::new(Value::ZERO)], of_node: vec![0; tree.len()] };
        for id in body.into_iter().flat_map(|body| visible_nodes(tree, body)) {
            let above = tree.parent(id).map_or(0, |parent| regions.of_node[parent.index()]);
            regions.of_node[id.index()] = above;
            match *tree.name(id) {
                local_name!("table") => {
                    regions.of_node[id.index()] = regions.regions.len();
                    let ratio = ratio_of_sides(tree, id).max(regions.regions[above].ratio);
                    regions.regions.push(Region::new(ratio));
                }
                local_name!("p") | local_name!("br") => regions.regions[above].has_paragraphs = true,
                _ => {}
            }
        }
        regions
    }

    fn around(&mut self, id: NodeId) -> &mut Region {
        &mut self.regions[self.of_node[id.index()]]
    }
}

/// The longer over the shorter side of a table whose sides are known; else 0.
fn ratio_of_sides(tree: &Tree, table: NodeId) -> Value {
    let side = |name: &LocalName| tree.attribute(table, name).and_then(billionths).unwrap_or(0);
    let (width, height) = (side(&local_name!("width")), side(&local_name!("height")));
    if width.min(height) == 0 { Value::ZERO } else { Value::ratio(width.max(height), width.min(height)) }
}

/// A length in billionths of a pixel: leading digits, up to nine behind a point; none for a percentage, nor for ten thousand
/// million pixels.
fn billionths(length: &str) -> Option<u64> {
    let length = length.trim_start();
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (whole, rest) = length.split_at(digits(length));
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let (fraction, behind) = fraction.split_at(digits(fraction));
    let rest = if fraction.is_empty() { rest } else { behind };
    if whole.is_empty() || whole.trim_start_matches('0').len() > 10 || rest.trim_start().starts_with('%') {
        return None;
    }
    format!("{whole}{fraction:0<9.9}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_leading_digits_without_percentages() {
        let thousandths = 1_000_000;
        let cases = [("123", 123_000), ("123px", 123_000), (" 7.25 ", 7_250), ("12.5*", 12_500), ("3.", 3_000)];
        for (length, expected) in cases {
            assert_eq!(billionths(length), Some(expected * thousandths), "{length}");
        }
        assert_eq!(billionths("4.0009"), Some(4_000_900_000));
        assert_eq!(billionths("00000000000000000000.0000000019"), Some(1));
        assert_eq!(billionths("9999999999.9999999999"), Some(9_999_999_999_999_999_999));
        for length in ["", "px", "100%", "99.5 %", ".5", "-1", "12345678901"] {
            assert_eq!(billionths(length), None, "{length}");
        }
    }
}

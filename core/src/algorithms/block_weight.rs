//! Block weight: goes down to the child that takes most room, as long as that child takes enough of it.
//!
//! Without a renderer, the room of a text is estimated from its characters and the size of its heading.

use std::sync::Arc;

use html5ever::{LocalName, local_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::visible::{VisibleText, visible_nodes};
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Block weight.
pub(super) struct BlockWeight;

/// Parameters of `block-weight`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockWeightParameters {
    /// the least share of an element's room that its largest child takes where content is below
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub threshold: Value,
    /// whether images with a width and a height take room
    pub images: bool,
}

impl Default for BlockWeightParameters {
    fn default() -> Self {
        BlockWeightParameters { threshold: Value::hundredths(50), images: false }
    }
}

/// The largest child of the body, its largest child, and so on: each with its share of its parent's room.
pub(super) struct Descent<'p> {
    tree: &'p Tree,
    text: Arc<VisibleText>,
    steps: Vec<(NodeId, Value)>,
}

/// Units of room: a square em has 10000 x 16, so that both the squares of sizes and pixels are whole.
const SQUARE_EM: u64 = 160_000;

/// A pixel where an em has 16.
const PIXEL: u64 = SQUARE_EM / (16 * 16);

const PAGE: &str = "<body><div><a href=/>Home</a></div><div><h1>Cats</h1><p>Cats sleep all day long</p></div></body>";

const PAGE_IMAGE: &str =
    "<body><div><img width=64px height=64></div><div><p>Cats sleep</p><small>all day</small></div></body>";

const fn example(title: &'static str, html: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, html, parameters, expected).in_language("en")
}

impl PageAlgorithm for BlockWeight {
    type Parameters = BlockWeightParameters;
    type Prepared<'p> = Descent<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "block-weight",
        title: "goes down to the child that takes the most room as long as it takes half of it",
        source: "Y. Kim, J. Park, T. Kim, J. Choi, Web information extraction by HTML tree edit distance matching, 2007: \
                 nodes weighed by their room, which is estimated from the text for want of a renderer; the descent is ours",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes)",
        swept: &[Swept::exact("threshold", "0..1/0.05")],
        // Square ems: Home 4, the heading 4 x 2 x 2 = 16, the p 19, the second div 35, the body 39: 35/39, then 19/35 = 0.54.
        // Image: 9 and 6 x 0.83 x 0.83 = 4.1334, so 13.1334 of text, and 16 of the image.
        examples: &[
            example("19 of 35 are half", PAGE, "", "Cats sleep all day long"),
            example("but not three fifths", PAGE, "threshold=0.6", "Cats\nCats sleep all day long"),
            example("35 of 39 are not nine tenths", PAGE, "threshold=0.9", "Home\nCats\nCats sleep all day long"),
            example("Image: 9 of 13.13", PAGE_IMAGE, "", "Cats sleep"),
            example("Image: are not seven tenths", PAGE_IMAGE, "threshold=0.7", "Cats sleep\nall day"),
            example("Image: with it the first div is the larger one", PAGE_IMAGE, "images=true", ""),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut BlockWeightParameters, name: &str) -> Option<&'p mut Value> {
        (name == "threshold").then_some(&mut parameters.threshold)
    }

    fn prepare<'p>(&self, page: &'p Page, parameters: &BlockWeightParameters) -> Descent<'p> {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let areas = areas(tree, &text, parameters.images);
        let mut steps = Vec::new();
        let mut at = text.body;
        while let Some(outer) = at {
            let children = tree.children(outer).filter(|&id| tree.is_element(id));
            // The first of equal ones.
            let largest = children.fold(None, |best: Option<NodeId>, id| match best {
                Some(best) if areas[best.index()] >= areas[id.index()] => Some(best),
                _ => Some(id),
            });
            at = largest.filter(|largest| areas[largest.index()] > 0);
            steps.extend(at.map(|inner| (inner, Value::ratio(areas[inner.index()], areas[outer.index()]))));
        }
        Descent { tree, text, steps }
    }

    fn choose(&self, descent: &Descent<'_>, parameters: &BlockWeightParameters) -> Choice {
        let taken = descent.steps.iter().take_while(|(_, share)| *share >= parameters.threshold);
        let end = taken.last().map(|&(id, _)| id).or(descent.text.body);
        end.into_iter().flat_map(|id| descent.text.under(descent.tree, id)).copied().collect()
    }

    fn break_points(&self, descent: &Descent<'_>, _: &BlockWeightParameters, _: &str) -> Vec<Value> {
        descent.steps.iter().map(|&(_, share)| share).collect()
    }
}

/// The room of what is visible at or below each node, by its position in the tree.
fn areas(tree: &Tree, text: &VisibleText, images: bool) -> Vec<u64> {
    let mut areas = vec![0u64; tree.len()];
    // The square of the size of text in each element, in 1/10000.
    let mut squares = vec![10_000u64; tree.len()];
    let Some(body) = text.body else { return areas };
    let nodes: Vec<NodeId> = visible_nodes(tree, body).filter(|&id| !tree.is_invisible(id)).collect();
    for &id in &nodes {
        let above = tree.parent(id).map_or(10_000, |parent| squares[parent.index()]);
        squares[id.index()] = square_of_size(tree.name(id)).unwrap_or(above);
        areas[id.index()] = match tree.is_text(id) {
            true => u64::from(text.chars(tree, id)) * above * (SQUARE_EM / 10_000),
            false if images => image_pixels(tree, id).saturating_mul(PIXEL),
            false => 0,
        };
    }
    for &id in nodes.iter().rev() {
        if let Some(parent) = tree.parent(id) {
            areas[parent.index()] = areas[parent.index()].saturating_add(areas[id.index()]);
        }
    }
    areas
}

/// The font sizes of the HTML Standard's rendering section, squared, in 1/10000.
fn square_of_size(name: &LocalName) -> Option<u64> {
    let hundredths: u64 = match *name {
        local_name!("h1") => 200,
        local_name!("h2") => 150,
        local_name!("h3") => 117,
        local_name!("h5") | local_name!("small") => 83,
        local_name!("h6") => 67,
        local_name!("big") => 120,
        _ => return None,
    };
    Some(hundredths * hundredths)
}

/// The pixels of an `img` with a whole width and height of up to 65535: no sum of them leaves 64 bits.
fn image_pixels(tree: &Tree, id: NodeId) -> u64 {
    let length = |name: &LocalName| {
        let value = tree.attribute(id, name)?.trim();
        let unit = value.len().saturating_sub(2);
        let is_unit = value.get(unit..).is_some_and(|unit| unit.eq_ignore_ascii_case("px"));
        let digits = if is_unit { &value[..unit] } else { value };
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_whole.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let is_image = *tree.name(id) == local_name!("img");
    let size = is_image.then(|| Some((length(&local_name!("width"))?, length(&local_name!("height"))?)));
    size.flatten().map_or(0, |(width, height): (u64, u64)| width.saturating_mul(height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse::parse;

    #[test]
    fn sides_of_images_are_whole_numbers_of_pixels() {
        for (sides, pixels) in [
            ("width=160 height=90", 14_400),
            ("width=' 160PX' height=90px", 14_400),
            ("width=70000 height=2", 140_000),
            ("width=99999999999999999999 height=1", u64::MAX),
            ("width=+160 height=90", 0),
            ("width=50% height=90", 0),
            ("width=px height=90", 0),
            ("width=文 height=90", 0),
            ("width=160", 0),
        ] {
            let tree = parse(&format!("<img {sides}>")).unwrap().tree;
            let image = tree.ids().find(|&id| tree.is_element(id) && &**tree.name(id) == "img").unwrap();
            assert_eq!(image_pixels(&tree, image), pixels, "{sides}");
        }
    }
}

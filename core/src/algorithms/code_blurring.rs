//! Content code blurring: text is content if the source around it is mostly text.
//!
//! The source is a row of ones for text and zeros for tags. The row is blurred, and content is the text whose value
//! stays high. The width and the number of blurs are from memory.

use std::sync::Arc;

use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::events::{end_tag_chars, start_tag_chars};
use super::features::levels::Levels;
use super::features::series::gaussian;
use super::features::tokens::{Item, TokenUnit, Tokens};
use super::parameters::check_whole;
use super::value::{Value, billionths};
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Content code blurring.
pub(super) struct CodeBlurring;

/// Content code blurring without the tags of links.
pub(super) struct AdaptedCodeBlurring;

/// Parameters of `ccb` and `accb`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BlurringParameters {
    /// the least share of text around content, weighted by nearness
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub threshold: Value,
    /// what is blurred: the characters of the source, or its tags and tokens
    pub unit: Unit,
    /// how far the blur reaches to each side, whole; its standard deviation is half of it
    #[schemars(extend("from" = "1", "to" = "1000"))]
    pub radius: Value,
    /// how often it is blurred, whole
    #[schemars(extend("from" = "1", "to" = "100"))]
    pub iterations: Value,
    /// what a token is under `unit=token`: a Han character or a run of other characters, a character, or a run between
    /// white space
    pub token: TokenUnit,
}

impl Default for BlurringParameters {
    fn default() -> Self {
        BlurringParameters {
            threshold: Value::hundredths(75),
            unit: Unit::Char,
            radius: Value::decimal(40, 0),
            iterations: Value::ONE,
            token: TokenUnit::Han,
        }
    }
}

/// What is blurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    /// The characters of the source, those of tags too.
    Char,
    /// Tags and tokens, each one place.
    Token,
}

/// Which tags are in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tags {
    All,
    WithoutLinks,
}

const PAGE_C: &str = "<body><p>one two <a href=x>three</a></p><ul><li><a href=y>four</a></li></ul>\
    <p>five six seven eight</p><p>nine ten eleven</p></body>";

const fn example(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE_C, parameters, expected).in_language("en")
}

const SOURCE: &str = "T. Gottron, Content code blurring: a new approach to content extraction, 2008: one public reading, radii \
                      and repetition recalled";

const SWEPT: &[Swept] = &[Swept::exact("threshold", "0..1/0.05")];

const COST: &str = "O(characters x radius x iterations)";

impl PageAlgorithm for CodeBlurring {
    type Parameters = BlurringParameters;
    type Prepared<'p> = Levels;
    const DECLARATION: Declaration = Declaration {
        name: "ccb",
        title: "gives the text around which the source is mostly text",
        source: SOURCE,
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: COST,
        swept: SWEPT,
        // Page C in tokens is TTwwTwTTTTTwTTTTwwwwTTwwwTT. At radius 2 the weights are 1, exp(-1/2) = 0.606531 and exp(-2) =
        // 0.135335, together 2.483732. The second and third of four words have 1 - 0.135335/2.483732 = 0.945511, the
        // first and fourth (1.606531 + 0.135335)/2.483732 = 0.701310: 2 of 4 tokens, but 8 of 17 characters. Of nine ten
        // eleven the middle one has 2.213061/2.483732 = 0.891022: 3 of 13. `two` has 0.701310 too, with `three` behind the
        // tag, which is half of its text node; `one` has 1.606531/2.483732 = 0.646821, `three` 0.457109, `four` 0.402620.
        // In characters each text is bright but for its first and last one: 2 of 4 of `four`.
        examples: &[
            example("no text has half of its characters in bright tokens", "unit=token,radius=2", ""),
            example(
                "at 0.7 it is all of the paragraphs of four and three, and half of the first text",
                "unit=token,radius=2,threshold=0.7",
                "one two\nfive six seven eight\nnine ten eleven",
            ),
            example(
                "in characters at least half of each text is bright",
                "radius=2",
                "one two three\nfour\nfive six seven eight\nnine ten eleven",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut BlurringParameters, name: &str) -> Option<&'p mut Value> {
        (name == "threshold").then_some(&mut parameters.threshold)
    }

    fn check(parameters: &BlurringParameters) -> Result<(), String> {
        parameters.check()
    }

    fn prepare(&self, page: &Page, parameters: &BlurringParameters) -> Levels {
        levels(page, parameters, Tags::All)
    }

    fn choose(&self, levels: &Levels, parameters: &BlurringParameters) -> Choice {
        levels.at(parameters.threshold).collect()
    }

    fn break_points(&self, levels: &Levels, _: &BlurringParameters, _: &str) -> Vec<Value> {
        levels.break_points()
    }
}

impl PageAlgorithm for AdaptedCodeBlurring {
    type Parameters = BlurringParameters;
    type Prepared<'p> = Levels;
    const DECLARATION: Declaration = Declaration {
        name: "accb",
        title: "gives the text around which the source without the tags of links is mostly text",
        source: SOURCE,
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: COST,
        swept: SWEPT,
        // Page C without the tags of links is TTwwwTTTwTTTwwwwTTwwwTT: `two` has 0.891022 now, `one` and `three` 1.741866 /
        // 2.483732 = 0.701310. One of the two tokens of `one two ` is half of its characters. The others are as in ccb.
        examples: &[
            example("one of two tokens is half of the characters", "unit=token,radius=2", "one two"),
            example(
                "at 0.7 three is bright too",
                "unit=token,radius=2,threshold=0.7",
                "one two three\nfive six seven eight\nnine ten eleven",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut BlurringParameters, name: &str) -> Option<&'p mut Value> {
        (name == "threshold").then_some(&mut parameters.threshold)
    }

    fn check(parameters: &BlurringParameters) -> Result<(), String> {
        parameters.check()
    }

    fn prepare(&self, page: &Page, parameters: &BlurringParameters) -> Levels {
        levels(page, parameters, Tags::WithoutLinks)
    }

    fn choose(&self, levels: &Levels, parameters: &BlurringParameters) -> Choice {
        levels.at(parameters.threshold).collect()
    }

    fn break_points(&self, levels: &Levels, _: &BlurringParameters, _: &str) -> Vec<Value> {
        levels.break_points()
    }
}

impl BlurringParameters {
    fn check(&self) -> Result<(), String> {
        check_whole("radius", self.radius)?;
        check_whole("iterations", self.iterations)
    }
}

/// Up to which threshold each text node is chosen.
fn levels(page: &Page, parameters: &BlurringParameters, tags: Tags) -> Levels {
    let token = if parameters.unit == Unit::Char { TokenUnit::Char } else { parameters.token };
    let tokens = Tokens::of(page, token);
    let kernel = Kernel::new(parameters.radius.whole() as usize);
    let iterations = parameters.iterations.whole() as usize;
    let row = Row::new(&page.tree, &tokens.items, parameters.unit, tags, kernel.radius * iterations);
    let mut values = row.values;
    for _ in 1..iterations {
        values = (0..values.len()).map(|place| kernel.blur(&values, place)).collect();
    }
    let level = |place: u32| Value::ratio(billionths(kernel.blur(&values, place as usize)), 1_000_000_000);
    let of_token: Vec<Value> = row.places.into_iter().map(level).collect();
    let of_node = tokens.majority_of_tokens(&of_token);
    Levels::new(Arc::clone(&tokens.text), of_node.into_iter().map(Some).collect())
}

/// Ones for text and zeros for tags.
struct Row {
    values: Vec<f64>,
    /// Where each token stands.
    places: Vec<u32>,
}

impl Row {
    /// A row in which no stretch of zeros is longer than `reach`, as far as anything is blurred: more of them change
    /// nothing for the text on either side, and a tag may be as long as a page.
    fn new(tree: &Tree, items: &[Item], unit: Unit, tags: Tags, reach: usize) -> Self {
        let (mut values, mut places) = (Vec::new(), Vec::new());
        let mut zeros = 0;
        let counts = |id: NodeId| tags == Tags::All || *tree.name(id) != local_name!("a");
        for &item in items {
            match item {
                Item::Start(id) if counts(id) => {
                    zeros += if unit == Unit::Char { start_tag_chars(tree, id) } else { 1 }
                }
                Item::End(id) if counts(id) => zeros += if unit == Unit::Char { end_tag_chars(tree, id) } else { 1 },
                Item::Start(_) | Item::End(_) => {}
                Item::Token { .. } => {
                    values.resize(values.len() + zeros.min(reach), 0.0);
                    zeros = 0;
                    places.push(values.len() as u32);
                    values.push(1.0);
                }
            }
        }
        values.resize(values.len() + zeros.min(reach), 0.0);
        Row { values, places }
    }
}

/// A Gaussian of half its radius as standard deviation.
struct Kernel {
    radius: usize,
    /// From `-radius` to `radius`.
    weights: Vec<f64>,
    /// Their sum.
    sum: f64,
}

impl Kernel {
    fn new(radius: usize) -> Self {
        let weights = gaussian(radius, radius as f64 / 2.0);
        let sum = weights.iter().sum();
        Kernel { radius, weights, sum }
    }

    /// The weighted mean of the values around `place`.
    fn blur(&self, values: &[f64], place: usize) -> f64 {
        let from = place.saturating_sub(self.radius);
        let around = &values[from..(place + self.radius + 1).min(values.len())];
        let weights = &self.weights[from + self.radius - place..][..around.len()];
        let whole = around.len() == self.weights.len();
        let sum = if whole { self.sum } else { weights.iter().sum() };
        around.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() / sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    fn written(page: &Page, unit: Unit, tags: Tags, reach: usize) -> String {
        let token = if unit == Unit::Char { TokenUnit::Char } else { TokenUnit::Han };
        let row = Row::new(&page.tree, &Tokens::of(page, token).items, unit, tags, reach);
        assert!(row.places.iter().all(|&place| row.values[place as usize] == 1.0));
        row.values.iter().map(|&value| if value == 1.0 { 'w' } else { 'T' }).collect()
    }

    #[test]
    fn the_row_has_ones_for_text_and_zeros_for_tags() {
        let page = page(PAGE_C);
        assert_eq!(written(&page, Unit::Token, Tags::All, 100), "TTwwTwTTTTTwTTTTwwwwTTwwwTT");
        assert_eq!(written(&page, Unit::Token, Tags::WithoutLinks, 100), "TTwwwTTTwTTTwwwwTTwwwTT");
        assert_eq!(written(&page, Unit::Token, Tags::All, 3), "TTwwTwTTTwTTTwwwwTTwwwTT");
    }

    #[test]
    fn a_tag_is_as_long_as_it_is_written() {
        // <body> a <a href="x y"> b </a> </body>: white space does not count.
        let page = page("<body>a <a href='x y'>b</a></body>");
        let expected = format!("{}w{}w{}", "T".repeat(6), "T".repeat(12), "T".repeat(4 + 7));
        assert_eq!(written(&page, Unit::Char, Tags::All, 100), expected);
        assert_eq!(written(&page, Unit::Char, Tags::WithoutLinks, 100), "TTTTTTwwTTTTTTT");
    }

    #[test]
    fn the_blur_is_a_mean_inside_the_row() {
        let kernel = Kernel::new(2);
        let rounded = |values: &[f64], place: usize| (kernel.blur(values, place) * 1e6).round();
        // Weights 0.135335 0.606531 1 0.606531 0.135335.
        assert_eq!(rounded(&[0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0], 2), 701_310.0);
        assert_eq!(rounded(&[0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0], 3), 945_511.0);
        // At the left end 1 of 1 + 0.606531 + 0.135335.
        assert_eq!(rounded(&[1.0, 0.0, 0.0, 0.0], 0), 574_097.0);
    }

    #[test]
    fn cutting_long_tags_changes_no_level() {
        let html = format!("<body title={}>ab<br class={}>cd<b>e</b></body>", "x".repeat(300), "y".repeat(300));
        let page = page(&html);
        let parameters = BlurringParameters {
            radius: Value::decimal(5, 0),
            iterations: Value::decimal(3, 0),
            ..BlurringParameters::default()
        };
        let cut = levels(&page, &parameters, Tags::All).break_points();
        let tokens = Tokens::of(&page, TokenUnit::Char);
        let whole = Row::new(&page.tree, &tokens.items, Unit::Char, Tags::All, usize::MAX);
        assert!(whole.values.len() > 600);
        let kernel = Kernel::new(5);
        let mut values = whole.values;
        for _ in 0..3 {
            values = (0..values.len()).map(|place| kernel.blur(&values, place)).collect();
        }
        let of_token = |place: &u32| Value::ratio(billionths(values[*place as usize]), 1_000_000_000);
        let of_token: Vec<Value> = whole.places.iter().map(of_token).collect();
        assert_eq!(cut, tokens.majority_of_tokens(&of_token));
    }
}

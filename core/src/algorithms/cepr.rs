//! CEPR: content extraction by the ratio of text to tag paths, plain and extended by punctuation.
//!
//! Text nodes under equal tag paths share one ratio, which is smoothed over the text nodes around them. Content stands
//! out. Only the plain ratio was read in the source; the rest is from memory.

use html5ever::LocalName;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::levels::Levels;
use super::features::paths::TagPaths;
use super::features::series::{deviation, gaussian, mean};
use super::features::visible::VisibleText;
use super::parameters::check_whole;
use super::value::{Value, billionths};
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Content by characters a text node of a tag path.
pub(super) struct Cepr;

/// Content by characters, punctuation and the spread of both over the text nodes of a tag path.
pub(super) struct CeprExtended;

/// Parameters of `cepr`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct CeprParameters {
    /// How ratios are smoothed and compared.
    #[serde(flatten)]
    pub selection: SelectionParameters,
}

/// Parameters of `cepr-e`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct CeprExtendedParameters {
    /// How ratios are smoothed and compared.
    #[serde(flatten)]
    pub selection: SelectionParameters,
    /// what the ratio is: characters per node x punctuation per node x both spreads, the same divided once by the
    /// number of nodes, or without the spreads
    pub reading: Reading,
}

/// How ratios are smoothed and compared, whatever the ratio.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct SelectionParameters {
    /// how many standard deviations of the smoothed ratios content is at least
    #[schemars(extend("from" = "0", "to" = "10"))]
    pub lambda: Value,
    /// how much a neighbour counts: by its distance and how alike the tag paths are, by its distance, or not at all
    pub smoothing: Smoothing,
    /// neighbours to each side, whole
    #[schemars(extend("from" = "0", "to" = "100"))]
    pub radius: Value,
    /// standard deviation of the smoothing kernel, in text nodes
    #[schemars(extend("from" = "0.01", "to" = "100"))]
    pub sigma: Value,
}

impl Default for SelectionParameters {
    fn default() -> Self {
        SelectionParameters {
            lambda: Value::hundredths(80),
            smoothing: Smoothing::Path,
            radius: Value::ONE,
            sigma: Value::ONE,
        }
    }
}

/// How much a neighbour counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Smoothing {
    /// By distance, and by the edit distance of the tag paths.
    Path,
    /// By distance.
    Plain,
    /// Not at all.
    None,
}

/// What the extended ratio is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reading {
    /// Characters and punctuation a node, and the spread of both: 0 for a path with one node.
    #[default]
    Product,
    /// The same divided once by the number of nodes.
    Single,
    /// Without the spreads.
    Noextra,
}

const PAGE_E: &str = "<body><p>一，二</p><p>三四五六，七八。</p><p>九</p><div>版权</div></body>";

const PARAGRAPHS_OF_E: &str = "一，二\n三四五六，七八。\n九";

const PAGE_F2: &str = "<body><div><p>一二三四五六</p></div><div><p>七八九十</p></div>\
    <ul><li><a href=x>甲</a></li><li><a href=y>乙</a></li></ul></body>";

/// Two paths with as many characters a node: only one of them has several nodes.
const PAGE_ALONE: &str = "<body><div>一，二三四</div><p>五，六</p><p>七，八，九十甲</p></body>";

const fn example(title: &'static str, html: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, html, parameters, expected).in_language("zh")
}

const SWEPT: &[Swept] = &[Swept::exact("lambda", "0..3/0.1")];

const COST: &str = "O(nodes), and the edit distance of neighbouring tag paths";

impl PageAlgorithm for Cepr {
    type Parameters = CeprParameters;
    type Prepared<'p> = Levels;
    const DECLARATION: Declaration = Declaration {
        name: "cepr",
        title: "gives the text nodes whose tag path has many characters per text node, smoothed over their neighbours",
        source: "G. Wu, L. Li, X. Hu, X. Wu, Web news extraction via path ratios, CIKM 2013: the ratio as in a public \
                 summary; smoothing and threshold are recalled",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: COST,
        swept: SWEPT,
        // Page E: (3 + 8 + 1)/3 = 4 for the p, 2 for the div; standard deviation of 4 4 4 2 = 0.8660.
        // Page F2: (6 + 4)/2 = 5 and 1: 5 5 1 1, standard deviation 2, bound 1.6. Smoothed: html body div p and html
        // body ul li a differ by 3 of 5, so the weight is exp(-1/2) x 2/5 = 0.242612 beside 1 and exp(-1/2) = 0.606531:
        // 5, (5 x 1.606531 + 0.242612)/1.849143 = 4.475190, (1.606531 + 5 x 0.242612)/1.849143 = 1.524810, 1; 0.8
        // times their standard deviation is 1.405838. By distance alone, the middle ones are (5 x 1.606531 +
        // 0.606531)/2.213061 = 3.903731 and 2.096269, and the bound is 1.240764: 1 is still below.
        examples: &[
            example("E: 2 is above 0.8 x 0.8660", PAGE_E, "smoothing=none", "一，二\n三四五六，七八。\n九\n版权"),
            example("E: but below 2.5 x 0.8660", PAGE_E, "smoothing=none,lambda=2.5", PARAGRAPHS_OF_E),
            example("F2: 1 is below 1.6", PAGE_F2, "smoothing=none", "一二三四五六\n七八九十"),
            example("F2: smoothed, the first link is at 1.52 above 1.41", PAGE_F2, "", "一二三四五六\n七八九十\n甲"),
            example("F2: at 2.10 it is below 2 x 1.55", PAGE_F2, "smoothing=plain,lambda=2", "一二三四五六\n七八九十"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut CeprParameters, name: &str) -> Option<&'p mut Value> {
        (name == "lambda").then_some(&mut parameters.selection.lambda)
    }

    fn check(parameters: &CeprParameters) -> Result<(), String> {
        check_whole("radius", parameters.selection.radius)
    }

    fn prepare(&self, page: &Page, parameters: &CeprParameters) -> Levels {
        levels(page, &parameters.selection, |nodes| mean(&nodes.chars))
    }

    fn choose(&self, levels: &Levels, parameters: &CeprParameters) -> Choice {
        levels.at(parameters.selection.lambda).collect()
    }

    fn break_points(&self, levels: &Levels, _: &CeprParameters, _: &str) -> Vec<Value> {
        levels.break_points()
    }
}

impl PageAlgorithm for CeprExtended {
    type Parameters = CeprExtendedParameters;
    type Prepared<'p> = Levels;
    const DECLARATION: Declaration = Declaration {
        name: "cepr-e",
        title: "gives the text nodes whose tag path has many and varied characters and punctuation marks per text node",
        source: "G. Wu, L. Li, X. Hu, X. Wu, Web news extraction via path ratios, CIKM 2013: recalled; \
                 reading=noextra as in a public note on a later method",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: COST,
        swept: SWEPT,
        // Page E: the p have 12/3 characters and 3/3 marks a node, with standard deviations 2.943920 and 0.816497: 9.614803;
        // the div has none of marks and spread. Standard deviation of 9.614803 thrice and 0: 4.163331, bound 3.330664.
        // Alone: the div has 5 characters and 1 mark, the p 10/2 and 3/2 with 2 and 1/2: 0 and 7.5, bound 2.828; without
        // the spreads 5 and 7.5, standard deviation 1.1785: both are above 0.8 of it, only the p above five times.
        // Divided once: 10 x 3 / 2 x 2 x 1/2 = 15.
        examples: &[
            example("E: the div has no punctuation", PAGE_E, "smoothing=none", PARAGRAPHS_OF_E),
            example(
                "Alone: what is alone under its path is lost",
                PAGE_ALONE,
                "smoothing=none",
                "五，六\n七，八，九十甲",
            ),
            example(
                "Alone: not without the spreads",
                PAGE_ALONE,
                "smoothing=none,reading=noextra",
                "一，二三四\n五，六\n七，八，九十甲",
            ),
            example(
                "Alone: 7.5 and 5 to 1.1785",
                PAGE_ALONE,
                "smoothing=none,reading=noextra,lambda=5",
                "五，六\n七，八，九十甲",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut CeprExtendedParameters, name: &str) -> Option<&'p mut Value> {
        (name == "lambda").then_some(&mut parameters.selection.lambda)
    }

    fn check(parameters: &CeprExtendedParameters) -> Result<(), String> {
        check_whole("radius", parameters.selection.radius)
    }

    fn prepare(&self, page: &Page, parameters: &CeprExtendedParameters) -> Levels {
        levels(page, &parameters.selection, |nodes| nodes.extended_ratio(parameters.reading))
    }

    fn choose(&self, levels: &Levels, parameters: &CeprExtendedParameters) -> Choice {
        levels.at(parameters.selection.lambda).collect()
    }

    fn break_points(&self, levels: &Levels, _: &CeprExtendedParameters, _: &str) -> Vec<Value> {
        levels.break_points()
    }
}

/// The text nodes under one tag path.
#[derive(Default)]
struct PathNodes {
    /// `chars` of each.
    chars: Vec<f64>,
    /// Characters of the general category P of each.
    marks: Vec<f64>,
}

impl PathNodes {
    fn extended_ratio(&self, reading: Reading) -> f64 {
        let (chars, marks) = (mean(&self.chars), mean(&self.marks));
        match reading {
            Reading::Product => chars * marks * deviation(&self.chars) * deviation(&self.marks),
            Reading::Single => chars * self.marks.iter().sum::<f64>() * deviation(&self.chars) * deviation(&self.marks),
            Reading::Noextra => chars * marks,
        }
    }
}

fn marks(text: &str) -> usize {
    text.chars().filter(|c| c.general_category_group() == GeneralCategoryGroup::Punctuation).count()
}

/// A tag path: 0 is the empty one, the others have their numbers plus 1.
type PathId = usize;

/// The tag paths of a page, each once.
struct Paths {
    /// Each path's last name and the path without it.
    paths: Vec<(LocalName, PathId)>,
    /// The distances known.
    distances: FxHashMap<(PathId, PathId), f64>,
}

impl Paths {
    /// The paths, and the path of each element by its position in the tree.
    fn of(tree: &Tree) -> (Self, Vec<PathId>) {
        let mut paths = vec![(LocalName::default(), 0)];
        let mut numbers = TagPaths::default();
        let mut of_element = vec![0; tree.len()];
        for id in tree.ids().filter(|&id| tree.is_element(id)) {
            let above = tree.parent(id).map_or(0, |parent| of_element[parent.index()]);
            let path = 1 + numbers.below(above as u32, tree.name(id)) as PathId;
            if path == paths.len() {
                paths.push((tree.name(id).clone(), above));
            }
            of_element[id.index()] = path;
        }
        (Paths { paths, distances: FxHashMap::default() }, of_element)
    }

    fn names(&self, path: PathId) -> Vec<&LocalName> {
        let above = std::iter::successors(Some(path), |&path| Some(self.paths[path].1));
        let mut names: Vec<&LocalName> = above.take_while(|&path| path != 0).map(|path| &self.paths[path].0).collect();
        names.reverse();
        names
    }

    /// The edit distance of two paths over the length of the longer one.
    fn distance(&mut self, one: PathId, other: PathId) -> f64 {
        if one == other {
            return 0.0;
        }
        let key = (one.min(other), one.max(other));
        if let Some(&distance) = self.distances.get(&key) {
            return distance;
        }
        let (one, other) = (self.names(one), self.names(other));
        let longest = one.len().max(other.len());
        // What both begin with costs nothing, so that a page costs no more than its nodes times the greatest depth.
        let shared = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
        let edits = strsim::generic_levenshtein(&one[shared..].to_vec(), &other[shared..].to_vec());
        let distance = edits as f64 / longest as f64;
        self.distances.insert(key, distance);
        distance
    }
}

/// Up to which threshold each text node is chosen.
fn levels(page: &Page, parameters: &SelectionParameters, ratio: impl Fn(&PathNodes) -> f64) -> Levels {
    let tree = &page.tree;
    let text = page.view::<VisibleText>();
    let (mut paths, of_element) = Paths::of(tree);
    let path = |id: &NodeId| tree.parent(*id).map_or(0, |parent| of_element[parent.index()]);
    let of_node: Vec<PathId> = text.nodes.iter().map(path).collect();
    let mut under: FxHashMap<PathId, PathNodes> = FxHashMap::default();
    for (&id, &path) in text.nodes.iter().zip(&of_node) {
        let nodes = under.entry(path).or_default();
        nodes.chars.push(f64::from(text.chars(tree, id)));
        nodes.marks.push(marks(tree.text(id)) as f64);
    }
    let of_path: FxHashMap<PathId, f64> = under.iter().map(|(&path, nodes)| (path, ratio(nodes))).collect();
    let ratios: Vec<f64> = of_node.iter().map(|path| of_path[path]).collect();
    let smoothed = smooth(&ratios, &of_node, &mut paths, parameters);
    let spread = deviation(&smoothed);
    let level = |&ratio: &f64| match (ratio > 0.0, spread > 0.0) {
        (false, _) => None,
        (true, false) => Some(Value::INFINITY),
        (true, true) => Some(Value::ratio(billionths(ratio / spread), 1_000_000_000)),
    };
    let levels = smoothed.iter().map(level).collect();
    Levels::new(text, levels)
}

/// Each ratio as the weighted mean of itself and its neighbours.
fn smooth(ratios: &[f64], of_node: &[PathId], paths: &mut Paths, parameters: &SelectionParameters) -> Vec<f64> {
    if parameters.smoothing == Smoothing::None {
        return ratios.to_vec();
    }
    let radius = parameters.radius.whole() as usize;
    let sigma = parameters.sigma.to_f64();
    let kernel = &gaussian(radius, sigma)[radius..];
    let mut smoothed = Vec::with_capacity(ratios.len());
    for node in 0..ratios.len() {
        let (mut sum, mut weights) = (0.0, 0.0);
        for neighbour in node.saturating_sub(radius)..(node + radius + 1).min(ratios.len()) {
            let mut weight = kernel[node.abs_diff(neighbour)];
            if parameters.smoothing == Smoothing::Path {
                weight *= 1.0 - paths.distance(of_node[node], of_node[neighbour]);
            }
            sum += weight * ratios[neighbour];
            weights += weight;
        }
        smoothed.push(sum / weights);
    }
    smoothed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    #[test]
    fn the_extended_ratio_of_page_e_is_as_worked_by_hand() {
        let nodes = PathNodes { chars: vec![3.0, 8.0, 1.0], marks: vec![1.0, 2.0, 0.0] };
        let millionths = |reading| (nodes.extended_ratio(reading) * 1e6).round() as u64;
        assert_eq!(millionths(Reading::Product), 9_614_803);
        assert_eq!(millionths(Reading::Single), 28_844_410);
        assert_eq!(millionths(Reading::Noextra), 4_000_000);
    }

    #[test]
    fn the_smoothed_ratios_of_page_f2_are_as_worked_by_hand() {
        let page = page(PAGE_F2);
        let points = |parameters: &CeprParameters| -> Vec<String> {
            let points = Cepr.break_points(&Cepr.prepare(&page, parameters), parameters, "lambda");
            points.iter().map(|point| format!("{:.4}", point.to_f64() * 1.757298)).collect()
        };
        // The standard deviation is 1.405838 / 0.8.
        assert_eq!(points(&CeprParameters::default()), ["5.0000", "4.4752", "1.5248", "1.0000"]);
    }

    #[test]
    fn paths_differ_by_names_from_the_root() {
        let page = page("<body><div><p>a</p></div><ul><li><a>b</a></li></ul>c</body>");
        let (mut paths, of_element) = Paths::of(&page.tree);
        let text = page.view::<VisibleText>();
        let path = |rank: usize| of_element[page.tree.parent(text.nodes[rank]).unwrap().index()];
        assert_eq!(paths.distance(path(0), path(1)), 3.0 / 5.0);
        assert_eq!(paths.distance(path(1), path(2)), 3.0 / 5.0);
        assert_eq!(paths.distance(path(2), path(0)), 2.0 / 4.0);
        assert_eq!(paths.distance(path(2), path(2)), 0.0);
    }

    #[test]
    fn spaces_and_symbols_are_no_punctuation() {
        assert_eq!(marks("a, b。“c” + $ _ -\u{3000}"), 6);
    }
}

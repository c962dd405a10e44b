//! SST: the site style tree. It shows which elements of a site look the same on every page and say the same.
//!
//! The pages of the group are laid over one another. An *element* of the style tree stands for the nodes at one place
//! of several pages. A *style* is one sequence of children that an element has on some of them. An element is important
//! if its styles differ from page to page. A leaf is important if its words differ. An element that is not important,
//! and holds nothing important, is noise. The formulas of the paper are from memory. The content of a leaf is our
//! reconstruction.

use std::sync::Arc;

use html5ever::local_name;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, Number, Verdict};
use super::features::groups::{Group, Groups};
use super::features::spread::{Spread, counts};
use super::features::subtrees::Labels;
use super::features::visible::VisibleText;
use super::features::vocabulary::Vocabulary;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::value::{Value, billionths};
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};
use crate::text::is_blank;
use crate::text::words::Segmenter;

/// Content by the importance of elements in the site style tree.
pub(super) struct Sst;

/// Parameters of `sst`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SstParameters {
    /// the least importance of an element that is no noise; the paper finds its threshold by looking at pages
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub importance: Value,
    /// how much an element's own styles count less the more of them there are, and those of its children more
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub gamma: Value,
    /// which attributes tell elements apart: `presentation` is the paper's, those that say how an element looks
    pub attributes: Presentation,
    /// the importance of an element that one page alone has; sources disagree, and at 0 what only one page has is noise
    pub single_page: SinglePage,
    /// where a page is cut: at elements that are noise with all they hold, or at those that are, whatever they hold
    pub rule: Rule,
    /// which pages are laid over one another: those of the site, or of the cluster that `istm` puts the page in
    pub group: Group,
}

impl Default for SstParameters {
    fn default() -> Self {
        SstParameters {
            importance: Value::hundredths(90),
            gamma: Value::hundredths(90),
            attributes: Presentation::None,
            single_page: SinglePage::One,
            rule: Rule::Whole,
            group: Group::Site,
        }
    }
}

/// Which attributes tell elements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Presentation {
    None,
    Presentation,
}

impl Presentation {
    fn names(self) -> &'static [&'static str] {
        match self {
            Presentation::None => &[],
            Presentation::Presentation => &[
                "class", "width", "height", "bgcolor", "align", "valign", "border", "cellpadding", "cellspacing",
                "face", "size", "color",
            ],
        }
    }
}

/// The importance of what one page alone has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) enum SinglePage {
    #[serde(rename = "1")]
    One,
    #[serde(rename = "0")]
    Zero,
}

impl SinglePage {
    fn importance(self) -> f64 {
        match self {
            SinglePage::One => 1.0,
            SinglePage::Zero => 0.0,
        }
    }
}

/// Where a page is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rule {
    /// At the first element that is not important and holds none that is.
    Whole,
    /// At the first element that is not important.
    #[serde(rename = "self")]
    Itself,
}

const PAGE_1: &str = "<body><div><a href=/>Home</a></div><p>Cats sleep all day</p></body>";
const PAGE_2: &str = "<body><div><a href=/>Home</a></div><p>Cats bark</p></body>";
const PAGE_OWN: &str = "<body>Site<div class=a>a b</div><table><tr><td>Own</td></tr></table><b>c<i>d</i></b></body>";
const PAGE_OWN_2: &str = "<body>Site<div class=b>a b</div></body>";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, PAGE_1, parameters, expected).beside(siblings).in_language("en")
}

const fn own(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE_OWN, parameters, expected).beside(&[PAGE_OWN_2]).in_language("en")
}

const fn looks(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, "<body><div class=a>Home</div><p>Cats</p></body>", parameters, expected)
        .beside(&["<body><div class=b>Home</div><p>Cats bark</p></body>"])
        .in_language("en")
}

const fn mixed(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, "<body><p>Hi</p></body>", parameters, expected)
        .beside(&["<body><p>Hi <b>you</b></p></body>", "<body><p>Hi <b>you</b></p></body>"])
        .in_language("en")
}

impl GroupAlgorithm for Sst {
    type Parameters = SstParameters;
    type Learned = Groups<StyleTree>;
    type Prepared<'p> = Importances;
    const DECLARATION: Declaration = Declaration {
        name: "sst",
        title: "lays a site's pages over one another and cuts elements that look and say the same everywhere",
        source: "L. Yi, B. Liu and X. Li, Eliminating noisy information in web pages for data mining, 2003: formulas 1 to \
                 5; what a leaf holds is reconstructed, the threshold is ours",
        faithful_to: FaithfulTo::Paper,
        languages: "any",
        cost: "O(nodes + words); of a group a tree as large as its distinct parts and two sums a leaf and word; every page \
               is parsed once more",
        swept: &[Swept::exact("importance", "0.8..1/0.01")],
        // Home and / are in both a's: importance 0. Of p's words Cats is in both, sleep, all, day and bark in one each:
        // 1 - 1/5 = 0.8. The styles of div and body are the same in both: 0.1 * 0 + 0.9 * 0, 0.9 * (0 + 0.8)/2 = 0.36.
        // Own: the body's styles have 1/2 each, entropy 1, so that all below it is on one page: 1.
        examples: &[
            example("p has 4 words of 5 on one page alone", &[PAGE_2], "importance=0.8", "Cats sleep all day"),
            example("which is not 0.85", &[PAGE_2], "importance=0.85", ""),
            example("at 0 nothing is noise", &[PAGE_2], "importance=0", "Home\nCats sleep all day"),
            example("cut by itself, the body has 0.36", &[PAGE_2], "importance=0.36,rule=self", "Cats sleep all day"),
            example("and nothing is left above", &[PAGE_2], "importance=0.37,rule=self", ""),
            example(
                "less for the children of styles that are one",
                &[PAGE_2],
                "importance=0.2,gamma=0.5,rule=self",
                "Cats sleep all day",
            ),
            example("a page without others is kept whole", &[], "importance=1", "Home\nCats sleep all day"),
            example("or empty", &[], "single_page=0", ""),
            own("Own: children of another sequence are another style", "", "Site\na b\nOwn\ncd"),
            own("Own: what one page alone has may be noise", "single_page=0", ""),
            looks("Looks: Home is in both", "importance=0.1", "Cats"),
            looks("Looks: unless classes tell them apart", "importance=0.1,attributes=presentation", "Home\nCats"),
            Example::new(
                "Go is on both pages, where it leads on one each: 1 - 1/3",
                "<a href=1>Go</a>",
                "importance=0.66",
                "Go",
            )
            .beside(&["<a href=2>Go</a>"])
            .in_language("en"),
            mixed("Mixed: the styles of p are 1 and 2 of 3: 0.58, times 0.19", "importance=0.11", "Hi"),
            mixed("Mixed: which is less than 0.12", "importance=0.12", ""),
            Example::new("an element stays for what it holds on another page", "<p>Hi</p>", "", "Hi")
                .beside(&["<p>Hi <b>you</b></p>"])
                .in_language("en"),
            mixed("Mixed: times 0.91", "importance=0.52,gamma=0.3", "Hi"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut SstParameters, name: &str) -> Option<&'p mut Value> {
        (name == "importance").then_some(&mut parameters.importance)
    }

    fn scope(parameters: &SstParameters) -> Scope {
        parameters.group.scope()
    }

    fn learn(&self, pages: &dyn Pages, parameters: &SstParameters) -> Result<Groups<StyleTree>, String> {
        Groups::learn(pages, parameters.group, |pages| StyleTree::learn(pages, parameters))
    }

    fn is_alone(&self, learned: &Groups<StyleTree>, index: usize, _: &SstParameters) -> bool {
        learned.is_alone(index)
    }

    fn prepare(&self, learned: &Groups<StyleTree>, target: Target<'_>, parameters: &SstParameters) -> Importances {
        learned.of(target.index).importances(target.page, parameters)
    }

    fn choose(&self, prepared: &mut Importances, parameters: &SstParameters) -> Result<Choice, String> {
        let stays = |&importance: &Value| importance >= parameters.importance;
        Ok(prepared.text.chosen(prepared.importances.iter().map(stays)).collect())
    }

    fn break_points(&self, prepared: &mut Importances, _: &SstParameters, _: &str) -> Result<Vec<Value>, String> {
        Ok(prepared.importances.clone())
    }

    fn explain(&self, prepared: &mut Importances, parameters: &SstParameters) -> Result<Explanation, String> {
        let judged = |(&id, &importance): (&NodeId, &Value)| {
            let figures = vec![Figure::new("importance that decides", Number::Value(importance))];
            match importance >= parameters.importance {
                true => Judged::outside(id, figures).decided(Verdict::Chosen, "nothing around it is noise"),
                false => Judged::outside(id, figures).decided(Verdict::Dropped, "it is in noise"),
            }
        };
        let nodes = prepared.text.nodes.iter().zip(&prepared.importances).map(judged).collect();
        Ok(Explanation { nodes, ..Explanation::default() })
    }
}

/// The visible text of a page with what keeps it.
pub(super) struct Importances {
    text: Arc<VisibleText>,
    /// In the order of the visible text: the greatest threshold at which the text is not cut, in steps of 1e-9.
    importances: Vec<Value>,
}

/// The number of an element of the tree; those of a style are neighbours, and come after the element that has it.
type Element = u32;

/// The element of the body.
const BODY: Element = 0;

/// A sequence of children that an element has on some pages.
struct Style {
    of: Element,
    /// Its elements: `first` and those after it.
    first: Element,
    elements: u32,
    pages: u32,
}

/// The pages of a group laid over one another.
#[derive(Default)]
pub(super) struct StyleTree {
    labels: Labels,
    /// Each style's number, by its element's number and then the labels of the children.
    known: FxHashMap<Box<[u32]>, u32>,
    styles: Vec<Style>,
    /// The importance of each element, in 1e-9.
    own: Vec<u64>,
    /// The greatest importance of each element and those below it, in 1e-9.
    greatest: Vec<u64>,
}

impl StyleTree {
    fn learn(pages: &dyn Pages, parameters: &SstParameters) -> Self {
        let mut tree = StyleTree::default();
        let mut counts = Counts { pages: vec![0], leaves: vec![0], ..Counts::default() };
        let names = parameters.attributes.names();
        pages.for_each(|_, page| tree.add(page, names, &mut counts));
        tree.weigh(&counts, parameters);
        tree
    }

    /// Lays a page over those that are there already.
    fn add(&mut self, page: &Page, names: &[&str], counts: &mut Counts) {
        let (tree, segmenter) = (&page.tree, Segmenter::default());
        let mut open: Vec<(Element, NodeId)> = tree.body().map(|body| (BODY, body)).into_iter().collect();
        let mut key = Vec::new();
        while let Some((element, id)) = open.pop() {
            counts.pages[element as usize] += 1;
            let children = children(tree, id);
            if is_leaf(tree, &children) {
                counts.leaves[element as usize] += 1;
                counts.add_leaf(element, page, id, &children, &segmenter);
                continue;
            }
            key.clear();
            key.push(element);
            key.extend(children.iter().map(|&child| self.labels.with_named(tree, child, names)));
            let style = match self.known.get(key.as_slice()) {
                Some(&style) => style,
                None => self.new_style(element, &key, counts),
            };
            let style = &mut self.styles[style as usize];
            style.pages += 1;
            open.extend((style.first..).zip(children));
        }
    }

    fn new_style(&mut self, of: Element, key: &[u32], counts: &mut Counts) -> u32 {
        let (number, elements) = (self.styles.len() as u32, key.len() - 1);
        let first = counts.pages.len();
        counts.pages.resize(first + elements, 0);
        counts.leaves.resize(first + elements, 0);
        self.known.insert(key.into(), number);
        self.styles.push(Style { of, first: first as Element, elements: elements as u32, pages: 0 });
        number
    }

    /// Finds out how important the elements are, inner ones first.
    fn weigh(&mut self, counts: &Counts, parameters: &SstParameters) {
        let mut weights: Vec<Weight> = counts.leaves.iter().zip(&counts.pages).map(Weight::new).collect();
        for style in &self.styles {
            let pages = counts.pages[style.of as usize];
            weights[style.of as usize].add_style(style.pages, pages);
        }
        // Sums of floats depend on their order.
        let mut features: Vec<(&(Element, u32), &Spread)> = counts.features.iter().collect();
        features.sort_unstable_by_key(|(feature, _)| **feature);
        for (&(element, _), spread) in features {
            let weight = &mut weights[element as usize];
            weight.entropies += spread.entropy(counts.pages[element as usize]);
            weight.features += 1;
        }
        let mut importances = vec![0.0; weights.len()];
        let mut greatest = vec![0; weights.len()];
        // The styles of a style's elements come after it.
        for style in self.styles.iter().rev() {
            let mut sum = 0.0;
            for element in style.first..style.first + style.elements {
                let at = element as usize;
                importances[at] = weights[at].importance(counts.pages[at], parameters);
                sum += importances[at];
                greatest[at] = greatest[at].max(billionths(importances[at]));
                greatest[style.of as usize] = greatest[style.of as usize].max(greatest[at]);
            }
            let share = f64::from(style.pages) / f64::from(counts.pages[style.of as usize]);
            weights[style.of as usize].below += share * sum / f64::from(style.elements);
        }
        importances[0] = weights[0].importance(counts.pages[0], parameters);
        greatest[0] = greatest[0].max(billionths(importances[0]));
        self.own = importances.into_iter().map(billionths).collect();
        self.greatest = greatest;
    }

    /// What keeps each visible text of a page.
    fn importances(&self, page: &Page, parameters: &SstParameters) -> Importances {
        let (tree, text) = (&page.tree, page.view::<VisibleText>());
        let mut importances = vec![Value::ZERO; text.nodes.len()];
        // With each node the least importance of the elements around it.
        let mut open: Vec<(Element, NodeId, u64)> = Vec::new();
        open.extend(tree.body().map(|body| (BODY, body, u64::MAX)));
        let (mut key, mut written) = (Vec::new(), String::new());
        while let Some((element, id, around)) = open.pop() {
            let around = around.min(self.own[element as usize]);
            let mut set = |texts: &[NodeId], whole: u64, itself: u64| {
                let importance = if parameters.rule == Rule::Whole { whole } else { itself };
                let ranks = texts.iter().filter_map(|&id| text.rank(tree, id));
                ranks.for_each(|rank| importances[rank] = Value::decimal(importance, 9));
            };
            let children = children(tree, id);
            if is_leaf(tree, &children) {
                set(&children, self.greatest[element as usize], around);
                continue;
            }
            key.clear();
            key.push(element);
            let names = parameters.attributes.names();
            let label = |&child: &NodeId| self.labels.find_named(tree, child, names, &mut written).unwrap_or(u32::MAX);
            key.extend(children.iter().map(label));
            let Some(&style) = self.known.get(key.as_slice()) else {
                // The page is not as it was learnt from: text was taken away. What no page has, this one has alone.
                let alone = billionths(parameters.single_page.importance());
                set(text.under(tree, id), alone, alone.min(around));
                continue;
            };
            let first = self.styles[style as usize].first;
            open.extend((first..).zip(children).map(|(element, child)| (element, child, around)));
        }
        Importances { text, importances }
    }
}

/// What is counted while pages are laid over one another.
#[derive(Default)]
struct Counts {
    /// On how many pages each element is.
    pages: Vec<u32>,
    /// On how many of them it is a leaf.
    leaves: Vec<u32>,
    /// Words, and addresses of links and images, by number.
    vocabulary: Vocabulary,
    /// How each of them is spread over an element's pages.
    features: FxHashMap<(Element, u32), Spread>,
}

impl Counts {
    /// Counts what a leaf holds.
    fn add_leaf(&mut self, element: Element, page: &Page, id: NodeId, children: &[NodeId], segmenter: &Segmenter) {
        let tree = &page.tree;
        let mut features = Vec::new();
        for &text in children {
            features.extend(self.vocabulary.words(tree.text(text), segmenter));
        }
        if let Some(address) = address(tree, id) {
            // No word holds a space.
            features.push(self.vocabulary.number(&format!("address {address}")));
        }
        for (feature, times) in counts(features) {
            self.features.entry((element, feature)).or_default().add(times);
        }
    }
}

/// What an element's importance is made of.
#[derive(Default)]
struct Weight {
    /// The number of its styles; all leaves are one.
    styles: i32,
    /// The sum of `p ln p` over the shares of its pages that have each style.
    spread: f64,
    /// The sum over its styles of that share times the mean importance of the style's elements.
    below: f64,
    /// Whether it has children on some page.
    is_inner: bool,
    /// How many features a leaf has, and the sum of their entropies.
    features: u32,
    entropies: f64,
}

impl Weight {
    fn new((&leaves, &pages): (&u32, &u32)) -> Self {
        let mut weight = Weight::default();
        if leaves > 0 {
            weight.add_style(leaves, pages);
            weight.is_inner = false;
        }
        weight
    }

    fn add_style(&mut self, pages: u32, of: u32) {
        let share = f64::from(pages) / f64::from(of);
        self.spread += share * libm::log(share);
        self.styles += 1;
        self.is_inner = true;
    }

    /// The composite importance of an element that is on so many pages.
    fn importance(&self, pages: u32, parameters: &SstParameters) -> f64 {
        let alone = parameters.single_page.importance();
        if self.is_inner {
            let own = if pages > 1 { -self.spread / libm::log(pages.into()) } else { alone };
            let rest = libm::pow(parameters.gamma.to_f64(), self.styles.into());
            return (1.0 - rest) * own + rest * self.below;
        }
        match self.features {
            _ if pages < 2 => alone,
            0 => 0.0,
            features => 1.0 - self.entropies / f64::from(features),
        }
    }
}

/// The visible elements and texts below a node, in order; of a text the text itself.
fn children(tree: &Tree, id: NodeId) -> Vec<NodeId> {
    if tree.is_text(id) {
        return vec![id];
    }
    let is_child = |&child: &NodeId| match tree.is_text(child) {
        true => !is_blank(tree.text(child)),
        false => !tree.is_invisible(child),
    };
    tree.children(id).filter(is_child).collect()
}

/// Whether a node with these children holds no element.
fn is_leaf(tree: &Tree, children: &[NodeId]) -> bool {
    children.iter().all(|&child| tree.is_text(child))
}

/// Where a link or an image leads.
fn address(tree: &Tree, id: NodeId) -> Option<&str> {
    match *tree.name(id) {
        local_name!("a") => tree.attribute(id, &local_name!("href")),
        local_name!("img") => tree.attribute(id, &local_name!("src")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn page(html: &str) -> Arc<Page> {
        Arc::new(Page::new(html.as_bytes(), Context::default()).unwrap())
    }

    #[test]
    fn text_that_was_taken_away_makes_a_style_that_one_page_has() {
        let pages = [page("<p>a<b>b</b></p><i>c</i>"), page("<p>a<b>b</b></p><i>c</i>")];
        let (pages, parameters) = (pages.as_slice(), SstParameters::default());
        let learned = Sst.learn(&pages, &parameters).unwrap();
        let chosen = |page: &Page| {
            let mut prepared = Sst.prepare(&learned, Target { page, index: 0, pages: &pages }, &parameters);
            Sst.choose(&mut prepared, &parameters).unwrap().text(page)
        };
        assert_eq!(chosen(&pages[0]), "");
        let text = pages[0].view::<VisibleText>();
        let without_a = pages[0].with_only(&text.nodes[1..].iter().copied().collect());
        assert_eq!(chosen(&without_a), "b");
    }

    /// Texts that the first page keeps at `importance`, with `gamma`.
    fn kept(pages: &[Arc<Page>], importance: u64, gamma: u64) -> String {
        let parameters = SstParameters {
            importance: Value::hundredths(importance),
            gamma: Value::hundredths(gamma),
            ..SstParameters::default()
        };
        let learned = Sst.learn(&pages, &parameters).unwrap();
        let mut prepared = Sst.prepare(&learned, Target { page: &pages[0], index: 0, pages: &pages }, &parameters);
        Sst.choose(&mut prepared, &parameters).unwrap().text(&pages[0])
    }

    #[test]
    fn inner_importance_decides_nothing_where_leaves_are_always_leaves() {
        let all =
            ["<div>a<p>b c</p><p>d</p></div><i>e</i>", "<div>a<p>b x</p></div><i>e</i>", "<div>a<p>b c</p></div>"];
        let pages = all.map(page);
        for importance in (0..=100).step_by(5) {
            let [one, other] = [90, 30].map(|gamma| kept(&pages, importance, gamma));
            assert_eq!(one, other, "{importance}");
        }
        // Where p is a leaf on one page and not on the others, it does.
        let pages = ["<p>Hi</p>", "<p>Hi <b>you</b></p>", "<p>Hi <b>you</b></p>"].map(page);
        assert_ne!(kept(&pages, 50, 90), kept(&pages, 50, 30));
    }
}

//! CETD: content extraction by text density, with its plain and its composite density.
//!
//! The element whose children have the highest sum of densities is content. Every other element that is at least as
//! dense as the least dense element around it is content, too. Where the published program differs, there is a
//! parameter.

use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::levels::Levels;
use super::features::visible::{VisibleText, visible_nodes};
use super::value::{Value, billionths};
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Content by composite text density.
pub(super) struct Cetd;

/// Content by plain text density.
pub(super) struct CetdPlain;

/// Parameters of `cetd`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct CetdParameters {
    /// How dense elements are chosen.
    #[serde(flatten)]
    pub selection: SelectionParameters,
    /// which elements count as link tags: `a`, `button` and `select`, or as the program has it also what consists of links alone
    pub link_tags: LinkTags,
}

/// Parameters of `cetd-td`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct CetdPlainParameters {
    /// How dense elements are chosen.
    #[serde(flatten)]
    pub selection: SelectionParameters,
    /// whether characters in links count: `zero` is the program's second density, commented out there
    pub link_chars: LinkChars,
}

/// How dense elements are chosen, whatever the density.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct SelectionParameters {
    /// how many times the least density around the densest element another one needs; the paper has 1
    #[schemars(extend("from" = "0", "to" = "10"))]
    pub factor: Value,
    /// whether other elements than the one with the largest density sum are chosen
    pub extend: bool,
    /// whether the body is among the elements whose least density decides
    pub path_end: PathEnd,
    /// whether text directly in an element adds to its density sum
    pub sums: Sums,
}

impl Default for SelectionParameters {
    fn default() -> Self {
        SelectionParameters { factor: Value::ONE, extend: true, path_end: PathEnd::Body, sums: Sums::Leaf }
    }
}

/// Which elements count as link tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LinkTags {
    /// `a`, `button` and `select`.
    #[default]
    Named,
    /// Those, and each element whose tags are all link tags and whose text is all in links.
    Code,
}

/// Whether characters in links count for the plain density.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LinkChars {
    /// They do: the paper's text density.
    #[default]
    Count,
    /// They do not.
    Zero,
}

/// Where the path from the densest element upwards ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PathEnd {
    /// In the body, which is nearly always the sparsest.
    Body,
    /// In the body's child.
    BelowBody,
}

/// What a density sum is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sums {
    /// All children; a text node is an element without tags.
    Leaf,
    /// Element children.
    Elements,
}

const PAGE_B: &str = "<body><div><a href=a>Home</a><a href=b>News</a></div>\
    <div><p>abcdefghij</p><p>klmnopqrst</p></div><div><a href=c>More</a></div></body>";

const ALL_OF_B: &str = "HomeNews\nabcdefghij\nklmnopqrst\nMore";
const PARAGRAPHS_OF_B: &str = "abcdefghij\nklmnopqrst";

/// The stray text makes the first `div` dense.
const PAGE_STRAY: &str = "<body><div>aaaaaaaaaa<b>b</b><b>c</b></div><div><p>dddd</p><p>eeee</p></div></body>";

const PAGE_LEVELS: &str = "<body><p>aaaaaaaa</p><div><p>bbbbbbbbbb</p><p>cccccccccc</p></div><p>d</p></body>";

const SOURCE: &str =
    "F. Sun, D. Song, L. Liao, DOM based content extraction via text density, SIGIR 2011, and its program";

const SWEPT: &[Swept] = &[Swept::exact("factor", "0..10/0.5")];

impl PageAlgorithm for Cetd {
    type Parameters = CetdParameters;
    type Prepared<'p> = Levels;
    const DECLARATION: Declaration = Declaration {
        name: "cetd",
        title: "gives the elements with much text per tag and few links, by a threshold that the page itself sets",
        source: SOURCE,
        faithful_to: FaithfulTo::Code,
        languages: "any",
        cost: "O(nodes)",
        swept: SWEPT,
        // Page B: rho = 12/32. A p: 10 ln 10 / ln ln(1 + 3.75 + e) = 32.96634. The middle div has C 20 and T 2:
        // 10 ln 40 / ln ln(1 + 7.5 + e) = 41.78838; its sum is 65.93268. Link divs have C = LC and T = LT: 0. The body
        // has C 32, T 8, LC 12, LT 3: 4 ln(256/36) / ln ln(384/20 + 12 + e) = 6.22955; its sum is 41.78838.
        examples: &[
            Example::new("B: only the middle div is dense", PAGE_B, "", PARAGRAPHS_OF_B),
            Example::new("B: at factor 0 links are dense enough", PAGE_B, "factor=0", ALL_OF_B),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut CetdParameters, name: &str) -> Option<&'p mut Value> {
        (name == "factor").then_some(&mut parameters.selection.factor)
    }

    fn prepare(&self, page: &Page, parameters: &CetdParameters) -> Levels {
        levels(page, &parameters.selection, |visible| {
            let counts = visible.counts(parameters.link_tags);
            let body = counts[visible.body.index()];
            let rho = f64::from(body.link_chars) / f64::from(body.chars);
            counts.iter().map(|counts| Density::composite(counts, rho)).collect()
        })
    }

    fn choose(&self, levels: &Levels, parameters: &CetdParameters) -> Choice {
        levels.at(parameters.selection.factor).collect()
    }

    fn break_points(&self, levels: &Levels, _: &CetdParameters, _: &str) -> Vec<Value> {
        levels.break_points()
    }
}

impl PageAlgorithm for CetdPlain {
    type Parameters = CetdPlainParameters;
    type Prepared<'p> = Levels;
    const DECLARATION: Declaration = Declaration {
        name: "cetd-td",
        title: "gives the elements with many characters per tag, by a threshold that the page itself sets",
        source: SOURCE,
        faithful_to: FaithfulTo::Code,
        languages: "any",
        cost: "O(nodes)",
        swept: SWEPT,
        // Page B: the divs have 8/2, 20/2 and 4/1, the body 32/8; the middle div's sum is 10 + 10, the body's 18.
        // Levels: 8, 20/2, 1 for the body's children, 10 for the p; the body has 29/5, sum 19, the div sum 20. So the
        // first p passes up to the factor 8/5.8 = 40/29, and the last one, 1/5.8, does not.
        // Stray: 12/2 and 8/2 for the divs, 20/6 for the body; sums 10 + 1 + 1, 8, and 10.
        examples: &[
            Example::new("B: the links are as dense as the body", PAGE_B, "", ALL_OF_B),
            Example::new("B: not a little more so", PAGE_B, "factor=1.05", PARAGRAPHS_OF_B),
            Example::new("B: without link characters they have none", PAGE_B, "link_chars=zero", PARAGRAPHS_OF_B),
            Example::new("B: the densest element alone", PAGE_B, "extend=false", PARAGRAPHS_OF_B),
            Example::new(
                "Levels: the first p is denser than the body",
                PAGE_LEVELS,
                "",
                "aaaaaaaa\nbbbbbbbbbb\ncccccccccc",
            ),
            Example::new(
                "Levels: it still is at 40/29",
                PAGE_LEVELS,
                "factor=40/29",
                "aaaaaaaa\nbbbbbbbbbb\ncccccccccc",
            ),
            Example::new(
                "Levels: but not denser than the div",
                PAGE_LEVELS,
                "path_end=below_body",
                "bbbbbbbbbb\ncccccccccc",
            ),
            Example::new("Stray: a text counts as a child", PAGE_STRAY, "extend=false", "aaaaaaaaaabc"),
            Example::new(
                "Stray: without texts the body has the largest sum",
                PAGE_STRAY,
                "extend=false,sums=elements",
                "aaaaaaaaaabc\ndddd\neeee",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut CetdPlainParameters, name: &str) -> Option<&'p mut Value> {
        (name == "factor").then_some(&mut parameters.selection.factor)
    }

    fn prepare(&self, page: &Page, parameters: &CetdPlainParameters) -> Levels {
        levels(page, &parameters.selection, |visible| {
            let counts = visible.counts(LinkTags::Named);
            counts.iter().map(|counts| Density::plain(counts, parameters.link_chars)).collect()
        })
    }

    fn choose(&self, levels: &Levels, parameters: &CetdPlainParameters) -> Choice {
        levels.at(parameters.selection.factor).collect()
    }

    fn break_points(&self, levels: &Levels, _: &CetdPlainParameters, _: &str) -> Vec<Value> {
        levels.break_points()
    }
}

/// The body's nodes outside invisible elements.
struct Visible<'p> {
    tree: &'p Tree,
    text: &'p VisibleText,
    body: NodeId,
    /// In document order, from the body.
    nodes: Vec<NodeId>,
}

/// What the paper counts of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Characters at or below it.
    chars: u32,
    /// Elements below it.
    tags: u32,
    /// Characters at or below it that stand in a link tag.
    link_chars: u32,
    /// Link tags below it.
    link_tags: u32,
}

impl<'p> Visible<'p> {
    fn new(page: &'p Page, text: &'p VisibleText, body: NodeId) -> Self {
        let tree = &page.tree;
        let nodes = visible_nodes(tree, body).filter(|&id| !tree.is_invisible(id)).collect();
        Visible { tree, text, body, nodes }
    }

    /// All nodes but the body, with their parents.
    fn with_parents(&self) -> impl DoubleEndedIterator<Item = (NodeId, NodeId)> {
        self.nodes.iter().skip(1).filter_map(|&id| Some((id, self.tree.parent(id)?)))
    }

    /// Each node's counts, by its position in the tree.
    fn counts(&self, link_tags: LinkTags) -> Vec<Counts> {
        let tree = self.tree;
        let mut counts = vec![Counts::default(); tree.len()];
        let mut link_end = self.body;
        for &id in &self.nodes {
            if id >= link_end && is_link_tag(tree, id) {
                link_end = tree.end(id);
            }
            if tree.is_text(id) {
                let chars = self.text.chars(tree, id);
                let link_chars = if id < link_end { chars } else { 0 };
                counts[id.index()] = Counts { chars, link_chars, ..Counts::default() };
            }
        }
        for (id, parent) in self.with_parents().rev() {
            let own = counts[id.index()];
            let is_link = is_link_tag(tree, id) || (link_tags == LinkTags::Code && own.is_links_only());
            let sum = &mut counts[parent.index()];
            sum.chars += own.chars;
            sum.tags += own.tags + u32::from(tree.is_element(id));
            sum.link_chars += own.link_chars;
            sum.link_tags += own.link_tags + u32::from(is_link);
        }
        counts
    }

    /// Each element's density sum in 1e-9, by its position in the tree.
    fn sums(&self, densities: &[Density], sums: Sums) -> Vec<u64> {
        let mut has_elements = vec![false; self.tree.len()];
        let mut totals = vec![0.0; self.tree.len()];
        for (id, parent) in self.with_parents() {
            let is_element = self.tree.is_element(id);
            has_elements[parent.index()] |= is_element;
            if is_element || sums == Sums::Leaf {
                totals[parent.index()] += densities[id.index()].value;
            }
        }
        let own = densities.iter().map(|density| density.value);
        let all = totals.into_iter().zip(own).zip(has_elements);
        all.map(|((total, own), has_elements)| billionths(if has_elements { total } else { own })).collect()
    }

    /// For each element the one with the largest sum among it and what is below it, the first of equal ones.
    fn densest(&self, sums: &[u64]) -> Vec<NodeId> {
        let mut densest: Vec<NodeId> = self.tree.ids().collect();
        let elements = self.with_parents().filter(|&(id, _)| self.tree.is_element(id));
        for (id, parent) in elements.rev() {
            let (one, other) = (densest[id.index()], densest[parent.index()]);
            densest[parent.index()] = one.min(other);
            if sums[one.index()] != sums[other.index()] {
                densest[parent.index()] = if sums[one.index()] > sums[other.index()] { one } else { other };
            }
        }
        densest
    }
}

impl Counts {
    /// Whether the tags below are all link tags and the text is all in links.
    fn is_links_only(&self) -> bool {
        self.tags > 0 && self.link_tags == self.tags && self.link_chars == self.chars
    }
}

fn is_link_tag(tree: &Tree, id: NodeId) -> bool {
    matches!(*tree.name(id), local_name!("a") | local_name!("button") | local_name!("select"))
}

/// A node's density.
#[derive(Clone, Copy, Debug)]
struct Density {
    /// As it is added up.
    value: f64,
    /// As it is compared: a whole number of 1e-9, or a ratio of counts.
    numerator: u64,
    denominator: u64,
}

impl Density {
    /// `C/T ln(C T / (LC LT)) / ln ln(C LC / (C - LC) + rho C + e)`, zeros among the counts replaced by 1.
    fn composite(counts: &Counts, rho: f64) -> Self {
        if counts.chars == 0 {
            return Density { value: 0.0, numerator: 0, denominator: 1 };
        }
        let at_least_one = |count: u32| f64::from(count.max(1));
        let (chars, tags) = (f64::from(counts.chars), at_least_one(counts.tags));
        let (link_chars, link_tags) = (at_least_one(counts.link_chars), at_least_one(counts.link_tags));
        let other_chars = at_least_one(counts.chars - counts.link_chars);
        let links = chars * link_chars / other_chars + rho * chars + std::f64::consts::E;
        let value = chars / tags * libm::log(chars * tags / (link_chars * link_tags)) / libm::log(libm::log(links));
        Density { value, numerator: billionths(value), denominator: 1 }
    }

    /// `C/T`, or `(C - LC)/T`, with 1 for no tags.
    fn plain(counts: &Counts, link_chars: LinkChars) -> Self {
        let chars = match link_chars {
            LinkChars::Count => counts.chars,
            LinkChars::Zero => counts.chars - counts.link_chars,
        };
        let tags = counts.tags.max(1);
        Density { value: f64::from(chars) / f64::from(tags), numerator: chars.into(), denominator: tags.into() }
    }

    fn exact(self) -> Value {
        Value::ratio(self.numerator, self.denominator)
    }

    /// The greatest factor by which `least` can be multiplied without coming out above this density.
    fn over(self, least: Density) -> Value {
        match least.numerator {
            0 => Value::INFINITY,
            least_numerator => Value::ratio(self.numerator * least.denominator, self.denominator * least_numerator),
        }
    }
}

fn levels(page: &Page, parameters: &SelectionParameters, densities: impl Fn(&Visible) -> Vec<Density>) -> Levels {
    let text = page.view::<VisibleText>();
    let levels = match text.body {
        Some(body) if !text.nodes.is_empty() => {
            let visible = Visible::new(page, &text, body);
            let levels = visible.levels(&densities(&visible), parameters);
            text.nodes.iter().map(|id| levels[id.index()]).collect()
        }
        _ => Vec::new(),
    };
    Levels::new(text, levels)
}

impl Visible<'_> {
    /// Up to which factor each node is chosen, by its position in the tree.
    ///
    /// A plain walk from the body comes to an element as long as the elements around it that do not hold
    /// the densest one pass; it then marks the densest one below. That a walk stops at marked elements changes
    /// nothing: what is densest below them is marked with them.
    fn levels(&self, densities: &[Density], parameters: &SelectionParameters) -> Vec<Option<Value>> {
        let tree = self.tree;
        let densest = self.densest(&self.sums(densities, parameters.sums));
        let middle = densest[self.body.index()];
        let mut levels = vec![None; tree.len()];
        if parameters.extend {
            let least = self.least(densities, middle, parameters.path_end);
            // Up to which factor the walk comes to the children of an element.
            let mut reach = vec![Value::INFINITY; tree.len()];
            for &id in self.nodes.iter().filter(|&&id| tree.is_element(id)) {
                let from_above = tree.parent(id).map_or(Value::INFINITY, |parent| reach[parent.index()]);
                let passes = densities[id.index()].over(least).min(from_above);
                let level = &mut levels[densest[id.index()].index()];
                *level = (*level).max(Some(passes));
                if !tree.contains(id, middle) {
                    reach[id.index()] = passes;
                }
            }
        }
        levels[middle.index()] = Some(Value::INFINITY);
        for (id, parent) in self.with_parents() {
            levels[id.index()] = levels[id.index()].max(levels[parent.index()]);
        }
        levels
    }

    /// The least density on the path from `middle` up to where it ends.
    fn least(&self, densities: &[Density], middle: NodeId, path_end: PathEnd) -> Density {
        let above = self.tree.ancestors(middle).take_while(|&id| match path_end {
            PathEnd::Body => id >= self.body,
            PathEnd::BelowBody => id > self.body,
        });
        let path = std::iter::once(middle).chain(above).map(|id| densities[id.index()]);
        path.min_by_key(|density| density.exact()).unwrap_or(densities[middle.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    fn counts(page: &Page, link_tags: LinkTags) -> Vec<Counts> {
        let text = page.view::<VisibleText>();
        let visible = Visible::new(page, &text, text.body.unwrap());
        let counts = visible.counts(link_tags);
        visible.nodes.iter().filter(|&&id| page.tree.is_element(id)).map(|id| counts[id.index()]).collect()
    }

    #[test]
    fn the_densities_of_page_b_are_those_worked_by_hand() {
        let counts = counts(&page(PAGE_B), LinkTags::Named);
        let densities: Vec<u64> =
            counts.iter().map(|counts| (Density::composite(counts, 0.375).value * 1e5).round() as u64).collect();
        assert_eq!(densities, [622_955, 0, 0, 0, 4_178_838, 3_296_634, 3_296_634, 0, 0]);
    }

    #[test]
    fn buttons_and_selects_are_links_and_scripts_are_no_tags() {
        let page = page("<body><script>x</script><button>ab<a>c</a></button><select><option>d</select>efg</body>");
        let body = counts(&page, LinkTags::Named)[0];
        assert_eq!(body, Counts { chars: 7, tags: 4, link_chars: 4, link_tags: 3 });
    }

    #[test]
    fn the_program_counts_what_consists_of_links_as_links() {
        let page = page("<body><div><p><a>aa</a></p></div><div><a>b</a>c</div></body>");
        let link_tags = |link_tags| counts(&page, link_tags)[0].link_tags;
        assert_eq!(link_tags(LinkTags::Named), 2);
        assert_eq!(link_tags(LinkTags::Code), 4);
    }

    #[test]
    fn equal_sums_are_settled_by_the_order_of_the_page() {
        let page = page("<body><div><p>aaaa</p></div><a>b</a></body>");
        let mut parameters = CetdPlainParameters { link_chars: LinkChars::Zero, ..CetdPlainParameters::default() };
        parameters.selection.extend = false;
        // The body, the div and the p have a sum of 4.
        let body = CetdPlain.choose(&CetdPlain.prepare(&page, &parameters), &parameters);
        assert_eq!(body.text(&page), "aaaa\nb");
    }

    #[test]
    fn the_choice_changes_at_the_break_points() {
        let page = page(PAGE_LEVELS);
        let parameters = CetdPlainParameters::default();
        let points = CetdPlain.break_points(&CetdPlain.prepare(&page, &parameters), &parameters, "factor");
        // The last p has 1 against the body's 29/5.
        let points: Vec<String> = points.iter().map(Value::to_string).collect();
        assert_eq!(points, ["40/29", "inf", "inf", "5/29"]);
    }
}

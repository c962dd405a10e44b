//! Filters of a page's tree: controls, advertisements, cells of links, empty tables.
//!
//! Section 5 of the specification, after the filters of Gupta, Kaiser, Neistadt and Grimm.

use std::sync::{Arc, LazyLock};

use html5ever::local_name;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::links::{Anchor, Links};
use super::features::pruning::{prune_upwards, steps, text_outside};
use super::features::tokens::TokenUnit;
use super::features::visible::{VisibleText, visible_nodes};
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Filters of a page's tree.
pub struct GuptaFilters;

/// Parameters of `gupta-filters`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuptaFiltersParameters {
    /// the most links a word outside links with which a cell stays
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub link_ratio: Value,
    /// whether only table cells are judged by their links, or `div` and lists too
    pub cells: Cells,
    /// whether elements with the address of an advertisement go
    pub ads: bool,
    /// the least characters of a table
    pub min_table_chars: Value,
    /// what a word is: a Han character or a run of other characters, a character, or a run between white space
    pub token: TokenUnit,
}

impl Default for GuptaFiltersParameters {
    fn default() -> Self {
        GuptaFiltersParameters {
            link_ratio: Value::hundredths(35),
            cells: Cells::Table,
            ads: true,
            min_table_chars: Value::decimal(5, 0),
            token: TokenUnit::Han,
        }
    }
}

/// Which elements are judged by their links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cells {
    /// `td` and `th`.
    Table,
    /// Those, `div`, `ul`, `ol` and `dl`.
    Any,
}

/// A name of advertisements between marks or ends of an address; digits may stand before a last point.
const ADVERTISEMENT: &str = r"(?i)(?:^|[./_-])(?:ad|ads|adserver|adserv|doubleclick|adclick|advert[a-z]*|banner|sponsor[a-z]*|googlesyndication|allyes|mediav|tanx|cpro|pagead)(?:$|[/_-]|[0-9]*\.)";

const PAGE_G: &str = "<body><table><tr><td><a href=/a>one</a> <a href=/b>two</a> three</td>\
    <td>four five six seven <a href=/c>eight</a></td></tr></table>\
    <p><a href=http://ads.example.com/x>buy</a> nine ten</p></body>";

const PAGE_PARTS: &str = "<body><select><option>a</select><button>b</button><table><td>cdef</table><table><td>cdefg\
    </table><div>h i j<a href=1>k</a><ul><li><a href=2>l</a></ul></div></body>";

impl PageAlgorithm for GuptaFilters {
    type Parameters = GuptaFiltersParameters;
    type Prepared<'p> = Filtered<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "gupta-filters",
        title: "takes away controls, advertisements by their address, table cells of links and empty tables",
        source: "S. Gupta, G. Kaiser, D. Neistadt, P. Grimm, DOM-based content extraction of HTML documents, WWW 2003: the \
                 order of the filters and the share of links are recalled, names in addresses stand for a list of servers",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(nodes)",
        swept: &[Swept { parameter: "link_ratio", grid: "0..2/0.05" }],
        // Page G: 2 links to 1 word in the first cell, 1 to 4 in the second. Parts: tables of 4 and 5 characters; 1 link
        // to no word in the list and then 1 to 3 in the div, or 2 to 3 with the list.
        examples: &[
            Example::new(
                "G: a cell of links and an advertisement go",
                PAGE_G,
                "",
                "four five six seven eight\nnine ten",
            ),
            Example::new("G: the advertisement stays", PAGE_G, "ads=false", "four five six seven eight\nbuy nine ten"),
            Example::new(
                "G: 2 links a word are allowed",
                PAGE_G,
                "link_ratio=3",
                "one two three\nfour five six seven eight\nnine ten",
            ),
            Example::new(
                "G: 0.25 is not more than 1/4",
                PAGE_G,
                "link_ratio=0.25",
                "four five six seven eight\nnine ten",
            ),
            Example::new("Parts: controls and a table of 4 characters go", PAGE_PARTS, "", "cdefg\nh i jk\nl"),
            Example::new(
                "Parts: the list goes, then the div has 1 link to 3 words",
                PAGE_PARTS,
                "cells=any",
                "cdefg\nh i jk",
            ),
            Example::new("Parts: a third is too much", PAGE_PARTS, "cells=any,link_ratio=0.3", "cdefg"),
            Example::new("Parts: all tables stay", PAGE_PARTS, "min_table_chars=0", "cdef\ncdefg\nh i jk\nl"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn prepare<'p>(&self, page: &'p Page, parameters: &GuptaFiltersParameters) -> Filtered<'p> {
        Filtered::new(page, parameters)
    }

    fn choose(&self, page: &Filtered<'_>, parameters: &GuptaFiltersParameters) -> Choice {
        let gone = page.without_cells(parameters.link_ratio, |_| {});
        let gone = page.without_tables(&gone, parameters.min_table_chars);
        let gone = page.tree.ids().filter(|id| gone[id.index()]);
        text_outside(page.tree, &page.text.nodes, gone).collect()
    }

    fn break_points(&self, page: &Filtered<'_>, _: &GuptaFiltersParameters, _: &str) -> Option<Vec<Value>> {
        Some(steps(|link_ratio| {
            let mut least: Option<Value> = None;
            page.without_cells(link_ratio, |ratio| least = Some(least.map_or(ratio, |least| least.min(ratio))));
            least
        }))
    }
}

/// The page with what the filters ask: what does not depend on the share of links.
pub struct Filtered<'p> {
    tree: &'p Tree,
    text: Arc<VisibleText>,
    /// Links, words outside links and characters of each node by itself, by its position in the tree.
    own: Vec<[u32; 3]>,
    /// The elements that go for what they are, by their position in the tree.
    gone: Vec<bool>,
    /// The elements that are judged by their links.
    is_cell: Vec<bool>,
}

impl<'p> Filtered<'p> {
    fn new(page: &'p Page, parameters: &GuptaFiltersParameters) -> Self {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let links = Links::of(page, Anchor::Href);
        let [mut gone, mut is_cell] = [vec![false; tree.len()], vec![false; tree.len()]];
        let mut own = vec![[0; 3]; tree.len()];
        for id in text.body.into_iter().flat_map(|body| visible_nodes(tree, body)) {
            gone[id.index()] = is_control(tree, id) || parameters.ads && is_advertisement(tree, id);
            is_cell[id.index()] = is_cell_name(tree.name(id), parameters.cells);
            own[id.index()][0] = u32::from(Links::is_link(tree, id, Anchor::Href));
        }
        for (&id, &in_link) in text.nodes.iter().zip(&links.in_link) {
            let words = if in_link { 0 } else { parameters.token.lengths(tree.text(id)).count() as u32 };
            own[id.index()] = [0, words, text.chars(tree, id)];
        }
        Filtered { tree, text, own, gone, is_cell }
    }

    /// Takes away, inner ones first, what goes for what it is and the cells with more than `link_ratio` links a word,
    /// whose ratios it tells.
    fn without_cells(&self, link_ratio: Value, mut tell: impl FnMut(Value)) -> Vec<bool> {
        self.prune(&self.gone, |id, [links, words, _]| {
            if !self.is_cell[id.index()] || links == 0 {
                return false;
            }
            let ratio = if words == 0 { Value::INFINITY } else { Value::ratio(links.into(), words.into()) };
            let falls = ratio > link_ratio;
            if falls {
                tell(ratio);
            }
            falls
        })
    }

    /// Takes away tables with few characters too.
    fn without_tables(&self, gone: &[bool], least: Value) -> Vec<bool> {
        let is_table = |id: NodeId| *self.tree.name(id) == local_name!("table");
        self.prune(gone, |id, [_, _, chars]| is_table(id) && Value::from(chars) < least)
    }

    fn prune(&self, gone: &[bool], mut falls: impl FnMut(NodeId, [u32; 3]) -> bool) -> Vec<bool> {
        let Some(body) = self.text.body else { return gone.to_vec() };
        prune_upwards(self.tree, body, &self.own, |id, left| gone[id.index()] || falls(id, left))
    }
}

fn is_control(tree: &Tree, id: NodeId) -> bool {
    matches!(*tree.name(id), local_name!("select") | local_name!("button"))
}

fn is_cell_name(name: &str, cells: Cells) -> bool {
    matches!(name, "td" | "th") || cells == Cells::Any && matches!(name, "div" | "ul" | "ol" | "dl")
}

fn is_advertisement(tree: &Tree, id: NodeId) -> bool {
    let address = match *tree.name(id) {
        local_name!("a") => tree.attribute(id, &local_name!("href")),
        local_name!("img") | local_name!("iframe") | local_name!("embed") => tree.attribute(id, &local_name!("src")),
        _ => None,
    };
    address.is_some_and(names_advertisement)
}

/// Whether an address names an advertisement, its scheme and query left aside.
fn names_advertisement(address: &str) -> bool {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new(ADVERTISEMENT).expect("the pattern is well formed"));
    let address = address.split('?').next().unwrap_or_default();
    let is_scheme = |scheme: &str| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    let behind_scheme = address.split_once(':').filter(|(scheme, _)| is_scheme(scheme)).map(|(_, rest)| rest);
    PATTERN.is_match(behind_scheme.unwrap_or(address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn advertisements_are_named_between_marks() {
        for address in [
            "http://ads.example.com/x",
            "//ad.example.com",
            "/AD/",
            "ad",
            "x/ad1.example.com",
            "a_banner.gif",
            "/banner2.gif",
            "http://x.com/sponsored-links/1",
            "adverts",
            "https://googleads.g.doubleclick.net",
        ] {
            assert!(names_advertisement(address), "{address}");
        }
        for address in
            ["http://example.com/?x=/ads/", "/adam/", "/read/1", "/banners/", "x/ad1/", "badge.ad1x.com", "", "ad:x"]
        {
            assert!(!names_advertisement(address), "{address}");
        }
    }

    #[test]
    fn ratios_matter_where_a_cell_has_them() {
        let page = Page::new(PAGE_G.as_bytes(), Context::default()).unwrap();
        let parameters = GuptaFiltersParameters::default();
        let points = GuptaFilters.break_points(&GuptaFilters.prepare(&page, &parameters), &parameters, "link_ratio");
        assert_eq!(points, Some(vec![Value::ratio(1, 4), Value::decimal(2, 0)]));
    }
}

//! Filters of a page's tree: controls, advertisements, cells of links, empty tables. After Gupta, Kaiser, Neistadt and
//! Grimm.

use std::sync::LazyLock;

use html5ever::local_name;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::links::{Anchor, Links};
use super::features::pruning::{Pruned, staying};
use super::features::tokens::TokenUnit;
use super::features::visible::{VisibleText, visible_nodes};
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Filters of a page's tree.
pub(super) struct GuptaFilters;

/// Parameters of `gupta-filters`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GuptaFiltersParameters {
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
pub(super) enum Cells {
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
    type Prepared<'p> = Pruned;
    const DECLARATION: Declaration = Declaration {
        name: "gupta-filters",
        title: "takes away controls, advertisements by their address, table cells of links and empty tables",
        source: "S. Gupta, G. Kaiser, D. Neistadt, P. Grimm, DOM-based content extraction of HTML documents, WWW 2003: the \
                 order of the filters and the share of links are recalled, names in addresses stand for a list of servers",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(nodes * log^2 nodes); a setting more is O(text nodes)",
        swept: &[Swept::exact("link_ratio", "0..2/0.05")],
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

    fn swept<'p>(parameters: &'p mut GuptaFiltersParameters, name: &str) -> Option<&'p mut Value> {
        (name == "link_ratio").then_some(&mut parameters.link_ratio)
    }

    fn prepare(&self, page: &Page, parameters: &GuptaFiltersParameters) -> Pruned {
        let (tree, text) = (&page.tree, page.view::<VisibleText>());
        let Some(body) = text.body else { return Pruned::new(tree, text, vec![Value::ZERO; tree.len()]) };
        let own = own(page, parameters.token);
        let is_gone = |id: NodeId| is_control(tree, id) || parameters.ads && is_advertisement(tree, id);
        let is_gone: Vec<bool> = tree.ids().map(|id| tree.is_element(id) && is_gone(id)).collect();
        let without_cells = staying(tree, body, &own, |id, [links, words, _]| {
            if is_gone[id.index()] {
                return Value::INFINITY;
            }
            match is_cell_name(tree.name(id), parameters.cells) && links > 0 {
                true if words == 0 => Value::INFINITY,
                true => Value::ratio(links.into(), words.into()),
                false => Value::ZERO,
            }
        });
        // Then tables, by the characters that all these have left.
        let without_tables = staying(tree, body, &own, |id, [_, _, chars]| {
            let is_table = *tree.name(id) == local_name!("table");
            match is_table && Value::from(chars) < parameters.min_table_chars {
                true => Value::INFINITY,
                false => without_cells[id.index()],
            }
        });
        Pruned::new(tree, text, without_tables)
    }

    fn choose(&self, pruned: &Pruned, parameters: &GuptaFiltersParameters) -> Choice {
        pruned.at(parameters.link_ratio).collect()
    }

    fn break_points(&self, pruned: &Pruned, _: &GuptaFiltersParameters, _: &str) -> Vec<Value> {
        pruned.break_points()
    }
}

/// Links, words outside links and characters of each node by itself, by its position in the tree.
fn own(page: &Page, token: TokenUnit) -> Vec<[u32; 3]> {
    let (tree, text, links) = (&page.tree, page.view::<VisibleText>(), Links::of(page, Anchor::Href));
    let mut own = vec![[0; 3]; tree.len()];
    for id in text.body.into_iter().flat_map(|body| visible_nodes(tree, body)) {
        own[id.index()][0] = u32::from(Links::is_link(tree, id, Anchor::Href));
    }
    for (&id, &in_link) in text.nodes.iter().zip(&links.in_link) {
        let words = if in_link { 0 } else { token.lengths(tree.text(id)).count() as u32 };
        own[id.index()] = [0, words, text.chars(tree, id)];
    }
    own
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
        assert_eq!(points, [Value::ZERO, Value::ratio(1, 4), Value::decimal(2, 0)]);
    }
}

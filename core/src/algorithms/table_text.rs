//! The table with most text is the body of the page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, no_resources};
use super::features::tokens::TokenUnit;
use super::features::visible::VisibleText;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};
use crate::text::words::is_han;

/// The table with the most text.
pub(super) struct TableText;

/// Parameters of `table-text`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TableTextParameters {
    /// which elements are compared with each other: tables, their cells, or tables, cells and `div`
    pub unit: Unit,
    /// whether text counts in the innermost of them alone, or in all around it
    pub count: Count,
    /// what counts as text: Han characters, all characters, or words between white space
    pub token: TokenUnit,
    /// what is given where none has any text: the whole text, or nothing, the method as it is described
    pub fallback: Fallback,
}

impl Default for TableTextParameters {
    fn default() -> Self {
        TableTextParameters { unit: Unit::Table, count: Count::Own, token: TokenUnit::Han, fallback: Fallback::Body }
    }
}

/// Which elements are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    /// `table`.
    Table,
    /// `td` and `th`.
    Cell,
    /// `table`, `td`, `th` and `div`.
    Block,
}

/// Where text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Count {
    /// In the nearest unit.
    Own,
    /// In all units around it.
    All,
}

/// What is given where no unit has any text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fallback {
    Body,
    None,
}

const PAGE_F: &str = "<body><table><tr><td>导航导航<table><tr><td>正文正文正文</td></tr></table></td></tr></table>\
    <table><tr><td>页脚</td></tr></table></body>";

const PAGE_NO_TABLE: &str = "<body><div>甲乙</div><div>丙丁 and more words<p>戊</p></div></body>";

const fn example(title: &'static str, html: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, html, parameters, expected).in_language("zh")
}

impl PageAlgorithm for TableText {
    type Parameters = TableTextParameters;
    type Prepared<'p> = Choice;
    const DECLARATION: Declaration = Declaration {
        name: "table-text",
        title: "gives the text of the table with the most Chinese characters",
        source: "C. Sun, Y. Guan, a statistical approach for content extraction from web pages, 2004, as the paper on block \
                 relevance describes it in three sentences",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "Chinese; token=char: any",
        cost: "O(nodes)",
        swept: &[],
        // Page F: 4, 6 and 2 characters of their own, 10, 6 and 2 in all. No table: 2 and 3 Han characters, or 2 and 16.
        examples: &[
            example("F: 6 characters are more than 4 and 2", PAGE_F, "", "正文正文正文"),
            example("F: with what is inside it the outer table has 10", PAGE_F, "count=all", "导航导航\n正文正文正文"),
            example("F: the cells have as many", PAGE_F, "unit=cell", "正文正文正文"),
            example("No table: all text", PAGE_NO_TABLE, "", "甲乙\n丙丁 and more words\n戊"),
            example("No table: or none", PAGE_NO_TABLE, "fallback=none", ""),
            example("No table: the second div", PAGE_NO_TABLE, "unit=block", "丙丁 and more words\n戊"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn prepare(&self, page: &Page, parameters: &TableTextParameters) -> Choice {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let units = nearest_units(tree, parameters.unit);
        let of_node = |&id: &NodeId| units[id.index()];
        let mut counts = vec![0u64; tree.len()];
        for id in &text.nodes {
            if let Some(unit) = of_node(id) {
                counts[unit.index()] += amount(tree.text(*id), parameters.token);
            }
        }
        if parameters.count == Count::All {
            for id in tree.ids().rev().filter(|&id| is_unit(tree.name(id), parameters.unit)) {
                if let Some(outer) = tree.parent(id).and_then(|parent| units[parent.index()]) {
                    counts[outer.index()] += counts[id.index()];
                }
            }
        }
        // The first of equal ones.
        let best = tree.ids().rev().max_by_key(|id| counts[id.index()]).filter(|id| counts[id.index()] > 0);
        let is_chosen = |id: &&NodeId| match (best, parameters.count) {
            (None, _) => parameters.fallback == Fallback::Body,
            (best, Count::Own) => of_node(id) == best,
            (Some(best), Count::All) => tree.contains(best, **id),
        };
        text.nodes.iter().filter(is_chosen).copied().collect()
    }

    fn choose(&self, chosen: &Choice, _: &TableTextParameters) -> Choice {
        chosen.clone()
    }
}

/// The innermost unit at or around each node, by its position in the tree.
fn nearest_units(tree: &Tree, unit: Unit) -> Vec<Option<NodeId>> {
    let mut units: Vec<Option<NodeId>> = vec![None; tree.len()];
    for id in tree.ids() {
        let above = tree.parent(id).and_then(|parent| units[parent.index()]);
        units[id.index()] = if is_unit(tree.name(id), unit) { Some(id) } else { above };
    }
    units
}

fn is_unit(name: &str, unit: Unit) -> bool {
    match unit {
        Unit::Table => name == "table",
        Unit::Cell => matches!(name, "td" | "th"),
        Unit::Block => matches!(name, "table" | "td" | "th" | "div"),
    }
}

/// How much text counts: with Han characters nothing else does.
fn amount(text: &str, token: TokenUnit) -> u64 {
    match token {
        TokenUnit::Han => text.chars().filter(|&c| is_han(c)).count() as u64,
        TokenUnit::Char | TokenUnit::Word => token.lengths(text).count() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn the_first_of_equal_tables_is_the_body() {
        let html = "<table><td>ab c</table><table><td>abc</table><table><td>a b</table>";
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let text = |token: TokenUnit| {
            let parameters = TableTextParameters { token, ..TableTextParameters::default() };
            TableText.prepare(&page, &parameters).text(&page)
        };
        assert_eq!(text(TokenUnit::Char), "ab c");
        assert_eq!(text(TokenUnit::Word), "ab c");
        assert_eq!(text(TokenUnit::Han), "ab c\nabc\na b");
    }
}

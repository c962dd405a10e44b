//! The link quota filter: removes elements whose text is mostly in links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::links::{Anchor, Links};
use super::features::pruning::{Pruned, staying};
use super::features::visible::VisibleText;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::NodeId;

/// The link quota filter.
pub(super) struct LinkQuota;

/// Parameters of `lqf`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkQuotaParameters {
    /// the greatest share of characters in links with which an element stays
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub threshold: Value,
    /// whether inner elements are judged first and no longer count in outer ones, or outer ones first, by all they hold
    pub order: Order,
}

impl Default for LinkQuotaParameters {
    fn default() -> Self {
        LinkQuotaParameters { threshold: Value::hundredths(50), order: Order::BottomUp }
    }
}

/// Which elements are judged first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    /// Inner ones: what was taken away no longer counts.
    BottomUp,
    /// Outer ones: a wrapper around everything may take the page with it.
    TopDown,
}

const PAGE_B: &str = "<body><div><a href=a>Home</a><a href=b>News</a></div>\
    <div><p>abcdefghij</p><p>klmnopqrst</p></div><div><a href=c>More</a></div></body>";

const PARAGRAPHS_OF_B: &str = "abcdefghij\nklmnopqrst";

const PAGE_C: &str = "<body><p>one two <a href=x>three</a></p><ul><li><a href=y>four</a></li></ul>\
    <p>five six seven eight</p><p>nine ten eleven</p></body>";

const PAGE_WRAPPED: &str =
    "<body><div><ul><li><a href=1>aaaa</a><li><a href=2>bbbb</a></ul>text</div><a name=x>cc</a></body>";

impl PageAlgorithm for LinkQuota {
    type Parameters = LinkQuotaParameters;
    type Prepared<'p> = Pruned;
    const DECLARATION: Declaration = Declaration {
        name: "lqf",
        title: "takes away the blocks whose characters are mostly in links",
        source: "the link quota filter that the CEVC paper compares with; thresholds 0.25, 0.5 and 0.75 appear in comparisons",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(nodes * log^2 nodes); a setting more is O(text nodes)",
        swept: &[Swept::exact("threshold", "0..1/0.05")],
        // Page B: 8/8, 0/20 and 4/4 of the divs, 0/10 of the p. Page C: 5/11 of the first p, 4/4 of the list.
        // Wrapped: 8/8 of the list, so 8/12 of the div, or 0/4 without the list; a named anchor is no link.
        examples: &[
            Example::new("B: both divs of links go", PAGE_B, "", PARAGRAPHS_OF_B),
            Example::new("B: in either order", PAGE_B, "order=top_down", PARAGRAPHS_OF_B),
            Example::new("C: 5 of 11 are not half", PAGE_C, "", "one two three\nfive six seven eight\nnine ten eleven"),
            Example::new("C: but more than 0.45", PAGE_C, "threshold=0.45", "five six seven eight\nnine ten eleven"),
            Example::new(
                "C: and not more than 5/11",
                PAGE_C,
                "threshold=5/11",
                "one two three\nfive six seven eight\nnine ten eleven",
            ),
            Example::new("Wrapped: the div is judged without the list", PAGE_WRAPPED, "", "text\ncc"),
            Example::new("Wrapped: or with it", PAGE_WRAPPED, "order=top_down", "cc"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut LinkQuotaParameters, name: &str) -> Option<&'p mut Value> {
        (name == "threshold").then_some(&mut parameters.threshold)
    }

    fn prepare(&self, page: &Page, parameters: &LinkQuotaParameters) -> Pruned {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let links = Links::of(page, Anchor::Href);
        // Characters in links and all characters of each text node.
        let mut own = vec![[0, 0]; tree.len()];
        for (&id, &in_link) in text.nodes.iter().zip(&links.in_link) {
            let chars = text.chars(tree, id);
            own[id.index()] = [if in_link { chars } else { 0 }, chars];
        }
        let quota = |id: NodeId, [links, chars]: [u32; 2]| match is_judged_name(tree.name(id)) {
            true => Value::ratio(links.into(), chars.into()),
            false => Value::ZERO,
        };
        let staying = match (text.body, parameters.order) {
            (None, _) => vec![Value::ZERO; tree.len()],
            (Some(body), Order::BottomUp) => staying(tree, body, &own, quota),
            (Some(body), Order::TopDown) => {
                for id in tree.subtree(body).rev() {
                    let [links, chars] = own[id.index()];
                    if let Some(parent) = tree.parent(id) {
                        own[parent.index()][0] += links;
                        own[parent.index()][1] += chars;
                    }
                }
                let all = |id: NodeId| if tree.is_element(id) { quota(id, own[id.index()]) } else { Value::ZERO };
                tree.ids().map(all).collect()
            }
        };
        Pruned::new(tree, text, staying)
    }

    fn choose(&self, pruned: &Pruned, parameters: &LinkQuotaParameters) -> Choice {
        pruned.at(parameters.threshold).collect()
    }

    fn break_points(&self, pruned: &Pruned, _: &LinkQuotaParameters, _: &str) -> Vec<Value> {
        pruned.break_points()
    }
}

/// Blocks, lists and the parts of tables.
fn is_judged_name(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "table"
            | "tbody"
            | "thead"
            | "tfoot"
            | "tr"
            | "td"
            | "th"
            | "ul"
            | "ol"
            | "dl"
            | "li"
            | "dt"
            | "dd"
            | "p"
            | "section"
            | "article"
            | "aside"
            | "nav"
            | "header"
            | "footer"
            | "main"
            | "form"
            | "fieldset"
            | "center"
            | "blockquote"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "pre"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn points(html: &str, order: Order) -> Vec<String> {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let parameters = LinkQuotaParameters { order, ..LinkQuotaParameters::default() };
        let quotas = LinkQuota.prepare(&page, &parameters);
        let points = LinkQuota.break_points(&quotas, &parameters, "threshold");
        points.iter().map(Value::to_string).collect()
    }

    #[test]
    fn thresholds_matter_where_a_quota_is() {
        // From 0 upwards the list falls, whatever is around it; only the top-down order meets the div's 8 of 12.
        assert_eq!(points(PAGE_WRAPPED, Order::BottomUp), ["0", "1"]);
        assert_eq!(points(PAGE_WRAPPED, Order::TopDown), ["0", "2/3", "1"]);
        assert_eq!(points(PAGE_C, Order::BottomUp), ["0", "5/11", "1"]);
    }
}

//! Link density of lines: a control that knows nothing of the page's structure.

use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::links::{Anchor, Links};
use super::features::rendered::RenderedLines;
use super::features::visible::VisibleText;
use super::value::Value;
use crate::page::Page;

/// Content by the share of links in a line.
pub(super) struct LinkRatio;

/// Parameters of `link-ratio`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkRatioParameters {
    /// the greatest share of characters in links that a line of content has
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub threshold: Value,
    /// the least characters of a line of content
    pub min_chars: Value,
}

impl Default for LinkRatioParameters {
    fn default() -> Self {
        LinkRatioParameters { threshold: Value::ratio(1, 3), min_chars: Value::ZERO }
    }
}

/// A line as it is judged.
struct Line {
    /// Places among the visible text nodes.
    nodes: Range<usize>,
    chars: u32,
    link_chars: u32,
}

/// The page in lines.
pub(super) struct Judged {
    text: Arc<VisibleText>,
    lines: Vec<Line>,
}

const PAGE_C: &str = "<body><p>one two <a href=x>three</a></p><ul><li><a href=y>four</a></li></ul>\
    <p>five six seven eight</p><p>nine ten eleven</p></body>";

const fn example(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE_C, parameters, expected).in_language("en")
}

impl PageAlgorithm for LinkRatio {
    type Parameters = LinkRatioParameters;
    type Prepared<'p> = Judged;
    const DECLARATION: Declaration = Declaration {
        name: "link-ratio",
        title: "gives the rendered lines of which at most a third is in links",
        source: "ours: two counts and a threshold, the control that knows nothing of the page's structure",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes)",
        swept: &[Swept::exact("threshold", "0..1/0.05"), Swept::exact("min_chars", "0..50/5")],
        // Page C: 5 of 11, 4 of 4, 0 of 17 and 0 of 13 characters are in links.
        examples: &[
            example("5 of 11 are more than a third", "", "five six seven eight\nnine ten eleven"),
            example(
                "5/11 is not more than itself",
                "threshold=5/11",
                "one two three\nfive six seven eight\nnine ten eleven",
            ),
            example("17 characters are enough", "min_chars=17", "five six seven eight"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut LinkRatioParameters, name: &str) -> Option<&'p mut Value> {
        match name {
            "threshold" => Some(&mut parameters.threshold),
            "min_chars" => Some(&mut parameters.min_chars),
            _ => None,
        }
    }

    fn prepare(&self, page: &Page, _: &LinkRatioParameters) -> Judged {
        let text = page.view::<VisibleText>();
        let links = Links::of(page, Anchor::Href);
        let judged = |nodes: &Range<usize>| {
            let chars_where = |counts: &dyn Fn(usize) -> bool| -> u32 {
                nodes.clone().filter(|&rank| counts(rank)).map(|rank| text.chars(&page.tree, text.nodes[rank])).sum()
            };
            let (chars, link_chars) = (chars_where(&|_| true), chars_where(&|rank| links.in_link[rank]));
            Line { nodes: nodes.clone(), chars, link_chars }
        };
        let lines = page.view::<RenderedLines>().lines.iter().map(judged).collect();
        Judged { text, lines }
    }

    fn choose(&self, page: &Judged, parameters: &LinkRatioParameters) -> Choice {
        let is_content =
            |line: &&Line| line.share() <= parameters.threshold && Value::from(line.chars) >= parameters.min_chars;
        page.lines.iter().filter(is_content).flat_map(|line| &page.text.nodes[line.nodes.clone()]).copied().collect()
    }

    fn break_points(&self, page: &Judged, _: &LinkRatioParameters, swept: &str) -> Vec<Value> {
        let point = |line: &Line| if swept == "threshold" { line.share() } else { line.chars.into() };
        page.lines.iter().map(point).collect()
    }
}

impl Line {
    /// The share of its characters that is in links.
    fn share(&self) -> Value {
        Value::ratio(self.link_chars.into(), self.chars.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn line_breaks_part_lines_and_inline_elements_do_not() {
        let html = "<body>a<b>b</b><br><i>c</i><script>x</script><a>d</a><div></div>e</body>";
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let judged = LinkRatio.prepare(&page, &LinkRatioParameters::default());
        let lines: Vec<_> = judged.lines.iter().map(|line| (line.nodes.clone(), line.link_chars)).collect();
        assert_eq!(lines, [(0..2, 0), (2..4, 0), (4..5, 0)]);
    }
}

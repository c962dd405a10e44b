//! The text node with most characters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, no_resources};
use super::features::visible::VisibleText;
use crate::page::Page;

/// The text node with most characters.
pub(super) struct LongestLine;

/// Parameters of `longest-line`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LongestLineParameters {
    /// take the last of equally long ones, not the first
    pub last: bool,
}

impl PageAlgorithm for LongestLine {
    type Parameters = LongestLineParameters;
    type Prepared<'p> = Choice;
    const DECLARATION: Declaration = Declaration {
        name: "longest-line",
        title: "the text node with most characters",
        source: "an example",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes)",
        swept: &[],
        // Title, page, parameters, extraction.
        examples: &[Example::new("the second line is longer", "<p>aa</p><p>bbb</p>", "", "bbb")],
        floor: false,
        resources: no_resources,
    };

    fn prepare(&self, page: &Page, parameters: &LongestLineParameters) -> Choice {
        let text = page.view::<VisibleText>();
        let length = |id| text.chars(&page.tree, id);
        let longest = text.nodes.iter().map(|&id| length(id)).max();
        let mut all = text.nodes.iter().copied().filter(|&id| Some(length(id)) == longest);
        let chosen = if parameters.last { all.next_back() } else { all.next() };
        chosen.into_iter().collect()
    }

    fn choose(&self, prepared: &Choice, _: &LongestLineParameters) -> Choice {
        prepared.clone()
    }
}

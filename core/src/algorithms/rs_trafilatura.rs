//! Trafilatura, through its port `rs-trafilatura`.
//!
//! The program parses by itself, so it gets our tree as HTML, with the cap on open elements. Its answer is a text of its own.

use std::collections::BTreeSet;

use rs_trafilatura::{Options, extract_with_options};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo};
use super::parameters::Values;
use crate::page::Page;
use crate::page::to_html::to_html;

/// Trafilatura's port.
pub(super) struct RsTrafilatura;

/// The version of the program, which decides the results.
const VERSION: &str = "0.2.2";

/// Parameters of `rs-trafilatura`, with the program's names and defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RsTrafilaturaParameters {
    /// whether tables are content
    pub include_tables: bool,
    /// whether precision or recall is favoured
    pub favor: Favor,
}

/// The program's `favor_precision` and `favor_recall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Favor {
    /// Neither.
    Neither,
    /// Precision.
    Precision,
    /// Recall.
    Recall,
}

impl Default for RsTrafilaturaParameters {
    fn default() -> Self {
        RsTrafilaturaParameters { include_tables: true, favor: Favor::Neither }
    }
}

fn resources(_: &Values, _: &BTreeSet<Option<String>>) -> Vec<String> {
    vec![format!("program rs-trafilatura {VERSION}"), "models trained on WCXB dev".to_owned()]
}

impl PageAlgorithm for RsTrafilatura {
    type Parameters = RsTrafilaturaParameters;
    type Prepared<'p> = String;
    const DECLARATION: Declaration = Declaration {
        name: "rs-trafilatura",
        title: "finds the kind of the page, and its content by the rules of trafilatura for this kind; its models are trained \
                on WCXB dev, so figures on those pages flatter it",
        source: "rs-trafilatura 0.2.2 (Rust), a port of trafilatura",
        faithful_to: FaithfulTo::Code,
        languages: "any; the names are English",
        cost: "as the program has it",
        swept: &[],
        examples: &[Example::new(
            "the menu and the heading are left out",
            "<title>News</title><nav><a href=/>Home</a></nav><article><h1>News</h1><p>The town agreed on \
             Monday.</p><p>A new bridge is built in spring.</p></article>",
            "",
            "The town agreed on Monday. A new bridge is built in spring.",
        )],
        floor: false,
        resources,
    };

    fn prepare(&self, page: &Page, _: &RsTrafilaturaParameters) -> String {
        to_html(&page.tree)
    }

    fn choose(&self, html: &String, parameters: &RsTrafilaturaParameters) -> Choice {
        let options = Options {
            include_tables: parameters.include_tables,
            favor_precision: parameters.favor == Favor::Precision,
            favor_recall: parameters.favor == Favor::Recall,
            ..Options::default()
        };
        Choice::Text(extract_with_options(html, &options).map(|result| result.content_text).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_that_is_named_is_the_one_that_is_built() {
        let packages = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"));
        assert!(packages.contains(&format!("name = \"rs-trafilatura\"\nversion = \"{VERSION}\"\n")));
        assert!(RsTrafilatura::DECLARATION.source.contains(VERSION));
    }
}

//! Floors: simple rules that every algorithm should beat. None of them is from a paper.

use std::collections::BTreeSet;

use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, no_resources};
use super::features::links::{Anchor, Links};
use super::features::visible::{VisibleText, visible_nodes};
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};
use crate::text::normalise_lines;

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParameters {}

/// Every visible text node: the recall that any selection can have at most.
pub struct AllText;

impl PageAlgorithm for AllText {
    type Parameters = NoParameters;
    type Prepared<'p> = Choice;
    const DECLARATION: Declaration = Declaration {
        name: "all-text",
        title: "every visible, non-blank text node of the body",
        source: "floor of ours: no choice of text nodes has a higher recall",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes)",
        swept: &[],
        examples: &[Example {
            title: "links, table cells and hidden text are text; scripts are not",
            language: "",
            html: "<p>one <a href=1>two</a><script>x</script><td style='display:none'>three",
            siblings: &[],
            parameters: "",
            expected: "one two three",
        }],
        floor: true,
        resources: no_resources,
    };

    fn prepare(&self, page: &Page, _: &NoParameters) -> Choice {
        page.view::<VisibleText>().nodes.iter().copied().collect()
    }

    fn choose(&self, prepared: &Choice, _: &NoParameters) -> Choice {
        prepared.clone()
    }
}

/// Every visible text node outside links.
pub struct NonlinkText;

impl PageAlgorithm for NonlinkText {
    type Parameters = NoParameters;
    type Prepared<'p> = Choice;
    const DECLARATION: Declaration = Declaration {
        name: "nonlink-text",
        title: "all-text without what stands in an `a`, with or without href",
        source: "floor of ours",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes)",
        swept: &[],
        examples: &[Example {
            title: "link text goes, also under other elements and without href",
            language: "",
            html: "<p>one <a><b>two</b></a> three</p>",
            siblings: &[],
            parameters: "",
            expected: "one three",
        }],
        floor: true,
        resources: no_resources,
    };

    fn prepare(&self, page: &Page, _: &NoParameters) -> Choice {
        let (text, links) = (page.view::<VisibleText>(), Links::of(page, Anchor::Any));
        text.nodes.iter().zip(&links.in_link).filter(|&(_, &in_link)| !in_link).map(|(&id, _)| id).collect()
    }

    fn choose(&self, prepared: &Choice, _: &NoParameters) -> Choice {
        prepared.clone()
    }
}

/// The element whose own paragraphs hold most text.
pub struct LargestPParent;

/// Parameters of `largest-p-parent`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LargestPParentParameters {
    /// Give only the text of the element's own `p` children, not all its text.
    pub p_only: bool,
}

impl PageAlgorithm for LargestPParent {
    type Parameters = LargestPParentParameters;
    type Prepared<'p> = Choice;
    const DECLARATION: Declaration = Declaration {
        name: "largest-p-parent",
        title: "all text of the element whose direct `p` children hold most characters",
        source: "floor of ours: the one to beat",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes)",
        swept: &[],
        examples: &[
            Example {
                title: "headings in the element come along",
                language: "",
                html: "<p>aa</p><div><h2>x</h2><p>bb</p><p>c</p></div><div><p>ddd</p></div>",
                siblings: &[],
                parameters: "",
                expected: "x\nbb\nc",
            },
            Example {
                title: "p_only leaves them out; the first of equal elements is taken",
                language: "",
                html: "<p>aa</p><div><h2>x</h2><p>bb</p><p>c</p></div><div><p>ddd</p></div>",
                siblings: &[],
                parameters: "p_only=true",
                expected: "bb\nc",
            },
            Example {
                title: "without a paragraph: all text",
                language: "",
                html: "<div>aa<p> </p></div>b",
                siblings: &[],
                parameters: "",
                expected: "aa\nb",
            },
        ],
        floor: true,
        resources: no_resources,
    };

    fn prepare(&self, page: &Page, parameters: &LargestPParentParameters) -> Choice {
        let (tree, text) = (&page.tree, page.view::<VisibleText>());
        let paragraphs = text.body.into_iter().flat_map(|body| visible_nodes(tree, body).skip(1));
        let mut weights = vec![0; tree.len()];
        for id in paragraphs.filter(|&id| *tree.name(id) == local_name!("p")) {
            if let Some(parent) = tree.parent(id) {
                weights[parent.index()] += text.chars(tree, id);
            }
        }
        let Some(largest) = first_largest(tree.ids(), |id| weights[id.index()]) else {
            return text.nodes.iter().copied().collect();
        };
        if !parameters.p_only {
            return text.under(tree, largest).iter().copied().collect();
        }
        let own = tree.children(largest).filter(|&id| *tree.name(id) == local_name!("p"));
        own.flat_map(|id| text.under(tree, id)).copied().collect()
    }

    fn choose(&self, prepared: &Choice, _: &LargestPParentParameters) -> Choice {
        prepared.clone()
    }
}

/// What the page's own semantic mark-up says.
pub struct Semantic;

impl PageAlgorithm for Semantic {
    type Parameters = NoParameters;
    type Prepared<'p> = Choice;
    const DECLARATION: Declaration = Declaration {
        name: "semantic",
        title: "the largest element marked articleBody, else `article`, else `main`; all text without one",
        source: "floor of ours: three tiers of mark-up",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes)",
        swept: &[],
        examples: &[
            Example {
                title: "a tier whose elements hold only links is passed over",
                language: "",
                html: "<article><a href=1>x</a></article><main>aa</main><div role=' Main '>bbb</div>c",
                siblings: &[],
                parameters: "",
                expected: "bbb",
            },
            Example {
                title: "articleBody comes first",
                language: "",
                html: "<article>x<div itemprop='text ArticleBody'>a</div></article>",
                siblings: &[],
                parameters: "",
                expected: "a",
            },
            Example {
                title: "without mark-up: all text",
                language: "",
                html: "<div>a</div>b",
                siblings: &[],
                parameters: "",
                expected: "a\nb",
            },
        ],
        floor: true,
        resources: no_resources,
    };

    fn prepare(&self, page: &Page, _: &NoParameters) -> Choice {
        let (tree, text, links) = (&page.tree, page.view::<VisibleText>(), Links::of(page, Anchor::Any));
        let nonlink = |id| text.chars(tree, id) - links.chars(tree, id);
        let tiers: [fn(&Tree, NodeId) -> bool; 3] = [is_article_body, is_article, is_main];
        let largest = tiers.iter().find_map(|tier| {
            let elements = text.body.into_iter().flat_map(|body| visible_nodes(tree, body));
            first_largest(elements.filter(|&id| tier(tree, id)), nonlink)
        });
        match largest {
            Some(id) => text.under(tree, id).iter().copied().collect(),
            None => text.nodes.iter().copied().collect(),
        }
    }

    fn choose(&self, prepared: &Choice, _: &NoParameters) -> Choice {
        prepared.clone()
    }
}

/// Every text node whose text stands on no other page of the site.
pub struct UnrepeatedText;

impl GroupAlgorithm for UnrepeatedText {
    type Parameters = NoParameters;
    /// On how many pages each text stands.
    type Learned = FxHashMap<Box<str>, usize>;
    type Prepared<'p> = Choice;
    const DECLARATION: Declaration = Declaration {
        name: "unrepeated-text",
        title: "all-text without the text nodes that another page of the site has too",
        source: "floor of ours: what a template detector must beat",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(text) over the pages of a site, each parsed once more",
        swept: &[],
        examples: &[
            Example {
                title: "white space does not tell texts apart; a text twice on one page is no repetition",
                language: "",
                html: "<p>menu  a</p><p>news</p><p>news</p><p>foot</p>",
                siblings: &["<p>menu a</p><p>other</p>", "<p>foot</p>"],
                parameters: "",
                expected: "news\nnews",
            },
            Example {
                title: "a page without siblings is kept whole",
                language: "",
                html: "<p>menu</p><p>news</p>",
                siblings: &[],
                parameters: "",
                expected: "menu\nnews",
            },
        ],
        floor: true,
        resources: no_resources,
    };

    fn scope(_: &NoParameters) -> Scope {
        Scope::Site
    }

    fn learn(&self, pages: &dyn Pages, _: &NoParameters) -> Result<Self::Learned, String> {
        let mut known = FxHashMap::default();
        pages.for_each(|_, page| {
            let text = page.view::<VisibleText>();
            let own: BTreeSet<String> = text.nodes.iter().map(|&id| normalise_lines(page.tree.text(id))).collect();
            for text in own {
                *known.entry(text.into_boxed_str()).or_insert(0) += 1;
            }
        });
        Ok(known)
    }

    fn prepare(&self, learned: &Self::Learned, Target { page, .. }: Target<'_>, _: &NoParameters) -> Choice {
        let is_unrepeated = |id: &NodeId| {
            let text = normalise_lines(page.tree.text(*id));
            learned.get(text.as_str()).is_none_or(|&pages| pages <= 1)
        };
        page.view::<VisibleText>().nodes.iter().copied().filter(is_unrepeated).collect()
    }

    fn choose(&self, prepared: &mut Choice, _: &NoParameters) -> Result<Choice, String> {
        Ok(prepared.clone())
    }
}

fn is_article_body(tree: &Tree, id: NodeId) -> bool {
    let itemprop = tree.attribute(id, &local_name!("itemprop")).unwrap_or_default();
    itemprop.split_whitespace().any(|word| word.to_lowercase() == "articlebody")
}

fn is_article(tree: &Tree, id: NodeId) -> bool {
    *tree.name(id) == local_name!("article")
}

fn is_main(tree: &Tree, id: NodeId) -> bool {
    let role = tree.attribute(id, &LocalName::from("role")).unwrap_or_default();
    *tree.name(id) == local_name!("main") || role.trim().to_lowercase() == "main"
}

/// The first of those with the greatest weight above 0.
fn first_largest(ids: impl Iterator<Item = NodeId>, weight: impl Fn(NodeId) -> u32) -> Option<NodeId> {
    let weighed = ids.map(|id| (weight(id), id)).filter(|&(weight, _)| weight > 0);
    weighed.max_by_key(|&(weight, id)| (weight, std::cmp::Reverse(id))).map(|(_, id)| id)
}

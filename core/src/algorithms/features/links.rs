//! Links: which elements are one, and which text lies in one.

use std::sync::Arc;

use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Prefix;
use super::visible::{VisibleText, visible_nodes};
use crate::page::tree::{NodeId, Tree};
use crate::page::{Page, View};

/// Which `a` elements are links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Anchor {
    /// Every `a`.
    #[default]
    Any,
    /// Only those with an `href`: named anchors left open on old pages turn text into link text.
    Href,
}

/// Which `a` elements are links for programs that made their trees with parsers of their own: those ended an `a` where
/// the HTML Standard opens it again in every block that follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramLinks {
    /// Those with an `href`, and those with attributes but no `name`, which scripts make links.
    #[default]
    Real,
    /// Every `a`, as the programs have it.
    Any,
    /// Those with an `href`.
    Href,
}

impl ProgramLinks {
    /// Whether the `a` element `id` is a link.
    pub fn has(self, tree: &Tree, id: NodeId) -> bool {
        match self {
            ProgramLinks::Any => true,
            ProgramLinks::Href => tree.attribute(id, &local_name!("href")).is_some(),
            ProgramLinks::Real => {
                let is_named = tree.attribute(id, &local_name!("name")).is_some();
                ProgramLinks::Href.has(tree, id) || (!is_named && tree.attributes(id).next().is_some())
            }
        }
    }
}

/// The page's links under one reading of [`Anchor`].
pub struct Links {
    /// For each node of [`VisibleText::nodes`]: whether a link is above it.
    pub in_link: Vec<bool>,
    /// `chars` of visible text in links, by document position.
    chars: Prefix,
    /// 1 for each link element, by document position.
    count: Prefix,
}

impl Links {
    /// The page's links.
    pub fn of(page: &Page, anchor: Anchor) -> Arc<Links> {
        let both = page.view::<BothLinks>();
        match anchor {
            Anchor::Any => both.any.clone(),
            Anchor::Href => both.href.clone(),
        }
    }

    /// `chars` of visible text in links, at or below `id`.
    pub fn chars(&self, tree: &Tree, id: NodeId) -> u32 {
        self.chars.of(tree, id)
    }

    /// The number of visible links at or below `id`.
    pub fn count(&self, tree: &Tree, id: NodeId) -> u32 {
        self.count.of(tree, id)
    }

    /// Whether `id` itself is a link.
    pub fn is_link(tree: &Tree, id: NodeId, anchor: Anchor) -> bool {
        *tree.name(id) == local_name!("a")
            && (anchor == Anchor::Any || tree.attribute(id, &local_name!("href")).is_some())
    }

    fn read(page: &Page, anchor: Anchor) -> Links {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let links: Vec<NodeId> = text
            .body
            .into_iter()
            .flat_map(|body| visible_nodes(tree, body))
            .filter(|&id| Self::is_link(tree, id, anchor))
            .collect();
        let mut in_link = vec![false; text.nodes.len()];
        let mut weights = vec![0; tree.len()];
        // A link inside another adds nothing: its text is marked already.
        let mut marked = NodeId::DOCUMENT;
        for &link in &links {
            if link < marked {
                continue;
            }
            marked = tree.end(link);
            for &id in text.under(tree, link) {
                weights[id.index()] = text.chars(tree, id);
            }
        }
        for (in_link, id) in in_link.iter_mut().zip(&text.nodes) {
            *in_link = weights[id.index()] > 0;
        }
        let is_link = |id: NodeId| u32::from(links.binary_search(&id).is_ok());
        Links { in_link, chars: Prefix::new(tree, |id| weights[id.index()]), count: Prefix::new(tree, is_link) }
    }
}

struct BothLinks {
    any: Arc<Links>,
    href: Arc<Links>,
}

impl View for BothLinks {
    fn of(page: &Page) -> Self {
        let tree = &page.tree;
        let any = Arc::new(Links::read(page, Anchor::Any));
        let differs =
            tree.ids().any(|id| Links::is_link(tree, id, Anchor::Any) && !Links::is_link(tree, id, Anchor::Href));
        let href = if differs { Arc::new(Links::read(page, Anchor::Href)) } else { any.clone() };
        BothLinks { any, href }
    }
}

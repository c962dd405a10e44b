//! Which text of a page has which role (`docs/methods/scoring.md, section 8`): title, caption, comment, whatever an annotation tells apart.
//! Roles stand beside the gold and do not change it; reports say how much of each an extraction holds.
//!
//! A text node has the role whose selectors match the nearest of its ancestors that any role's selectors match, so at
//! most one. Where several roles name that element, the one whose name comes first, byte by byte, has it. What includes
//! and excludes the gold has no say: an element that shall be kept out of a role is named by another one. Text that is
//! invisible or blank has no role.
//!
//! Where the annotations are in a copy of the page, the copy's whole text and the page's are aligned by the longest common
//! subsequence of characters, and a text node of the page has the role, and is gold, where at least half of its
//! characters have it and are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::annotation::{Select, Strip, carried_marks, gold_selection, mark_of_half, nearest_marks};
use super::node_tokens::NodeTokens;
use crate::formats::digest::LinesDigest;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::page::selector::{SelectorError, Selectors};
use crate::page::tree::{NodeId, Tree};
use crate::scoring::TooLarge;
use crate::text::lcs::alignment;

/// Characters of a copy times those of its page that are aligned.
const MAX_CELLS: usize = 1 << 34;

/// The roles of a page, and the text nodes that have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// The name of each, in the order of their bytes.
    pub names: Vec<String>,
    /// Which of them have a selector that matches an element, by place.
    pub matched: BTreeSet<usize>,
    /// The text nodes; `None` where an annotated copy and its page have too much text to be aligned.
    pub nodes: Option<RoleNodes>,
}

/// The text nodes that have roles, and those that are gold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleNodes {
    /// Each text node that has a role, in document order, with the place of its role among the names.
    pub labelled: Vec<(NodeId, usize)>,
    /// The gold text nodes.
    pub gold: Selection,
}

impl RoleNodes {
    /// The place of the role of `node`, if it has one.
    pub fn role(&self, node: NodeId) -> Option<usize> {
        let place = self.labelled.binary_search_by_key(&node, |(id, _)| *id).ok()?;
        Some(self.labelled[place].1)
    }

    /// The same nodes in `stripped`, which is `tree` without what `strip` names.
    ///
    /// # Errors
    /// [`SelectorError`]: a selector of `strip` that is not valid.
    pub(super) fn carried(&self, tree: &Tree, strip: &Strip, stripped: &Tree) -> Result<Self, SelectorError> {
        let gold: Vec<(NodeId, ())> = self.gold.nodes().iter().map(|&id| (id, ())).collect();
        Ok(RoleNodes {
            labelled: carried_marks(tree, &self.labelled, strip, stripped)?,
            gold: carried_marks(tree, &gold, strip, stripped)?.into_iter().map(|(id, ())| id).collect(),
        })
    }

    /// The text nodes of `page` that stand where these do in `copy`, another tree of about the same text.
    ///
    /// # Errors
    /// [`TooLarge`]: there is too much text to be aligned.
    pub(super) fn laid_over(&self, copy: &NodeTokens, page: &NodeTokens) -> Result<Self, TooLarge> {
        if copy.tokens.len().saturating_mul(page.tokens.len()) > MAX_CELLS {
            return Err(TooLarge);
        }
        let nodes: Vec<NodeId> =
            copy.nodes.iter().zip(&copy.ranges).flat_map(|(&node, range)| range.clone().map(move |_| node)).collect();
        let mut pairs = alignment(&page.tokens, &copy.tokens).into_iter().peekable();
        let mut laid = RoleNodes::default();
        let mut gold = Vec::new();
        for (&node, range) in page.nodes.iter().zip(&page.ranges) {
            let (mut of_role, mut in_gold) = (BTreeMap::new(), 0);
            while let Some((_, other)) = pairs.next_if(|(token, _)| *token < range.end) {
                if let Some(role) = self.role(nodes[other]) {
                    *of_role.entry(role).or_default() += 1;
                }
                in_gold += usize::from(self.gold.has(nodes[other]));
            }
            laid.labelled.extend(mark_of_half(&of_role, range.len()).map(|role| (node, role)));
            if in_gold > 0 && 2 * in_gold >= range.len() {
                gold.push(node);
            }
        }
        laid.gold = Selection::new(gold);
        Ok(laid)
    }
}

impl Roles {
    /// Those that `select` names in `tree`; `None` where it names none.
    ///
    /// # Errors
    /// [`SelectorError`]: the first selector that is not valid.
    ///
    /// ```
    /// use carat::datasets::annotation::Select;
    /// use carat::datasets::roles::Roles;
    /// use carat::page::parse::parse;
    /// let selectors = |selector: &str| vec![selector.to_owned()];
    /// let roles = [("body".to_owned(), selectors("div")), ("title".to_owned(), selectors("h1"))];
    /// let select = Select { include: selectors("div"), roles: roles.into(), ..Select::default() };
    /// let tree = parse("<div><h1>Cats</h1>They sleep.</div>Home").unwrap().tree;
    /// let roles = Roles::of(&tree, &select).unwrap().unwrap();
    /// let labelled: Vec<_> = roles.nodes.unwrap().labelled.iter().map(|&(id, role)| (tree.text(id), role)).collect();
    /// assert_eq!(labelled, [("Cats", 1), ("They sleep.", 0)]);
    /// ```
    pub fn of(tree: &Tree, select: &Select) -> Result<Option<Self>, SelectorError> {
        if select.roles.is_empty() {
            return Ok(None);
        }
        let mut roles = Roles { names: select.roles.keys().cloned().collect(), ..Roles::default() };
        let mut marks = vec![None; tree.len()];
        for (place, selectors) in select.roles.values().enumerate() {
            for id in Selectors::parse(selectors)?.matching(tree) {
                roles.matched.insert(place);
                marks[id.index()].get_or_insert(place);
            }
        }
        let gold = gold_selection(tree, select)?.selection;
        roles.nodes = Some(RoleNodes { labelled: nearest_marks(tree, marks), gold });
        Ok(Some(roles))
    }

    /// SHA-256 of what they say of a page: names, labelled nodes and gold nodes.
    pub(super) fn digest(&self) -> String {
        let mut lines = LinesDigest::default();
        // A name may hold a line feed.
        self.names.iter().for_each(|name| lines.add(&format!("{name:?}")));
        let Some(nodes) = &self.nodes else { return lines.finish() };
        nodes.labelled.iter().for_each(|(id, role)| lines.add(&format!("{} {role}", id.0)));
        nodes.gold.nodes().iter().for_each(|id| lines.add(&format!("{} gold", id.0)));
        lines.finish()
    }
}

/// Roles that are still to be put on the page that algorithms see.
pub(super) enum Found {
    /// Of the page's own tree, as it was annotated.
    InPage(Roles),
    /// Of an annotated copy of it, with that copy's text.
    InCopy(Roles, Arc<NodeTokens>),
}

impl Found {
    /// What `select` says of `page`, which is a copy of the page itself or not; `None` where it names no roles.
    ///
    /// # Errors
    /// As [`Roles::of`].
    pub(super) fn of(page: &Page, select: &Select, is_copy: bool) -> Result<Option<Self>, SelectorError> {
        let roles = Roles::of(&page.tree, select)?;
        Ok(roles.map(|roles| match is_copy {
            true => Found::InCopy(roles, page.view::<NodeTokens>()),
            false => Found::InPage(roles),
        }))
    }

    /// The roles of `page`, whose tree is that of `annotated` without what `strip` names.
    ///
    /// # Errors
    /// [`SelectorError`]: a selector of `strip` that is not valid.
    pub(super) fn on_page(self, page: &Page, stripped: Option<(&Tree, &Strip)>) -> Result<Roles, SelectorError> {
        let (roles, nodes) = match (self, stripped) {
            (Found::InPage(roles), None) => return Ok(roles),
            (Found::InPage(mut roles), Some((annotated, strip))) => {
                let nodes = roles.nodes.take();
                let carried = nodes.map(|nodes| nodes.carried(annotated, strip, &page.tree));
                (roles, carried.transpose()?)
            }
            (Found::InCopy(mut roles, copy), _) => {
                let nodes = roles.nodes.take();
                let text = page.view::<NodeTokens>();
                (roles, nodes.and_then(|nodes| nodes.laid_over(&copy, &text).ok()))
            }
        };
        Ok(Roles { nodes, ..roles })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::datasets::annotation;
    use crate::page::Context;
    use crate::page::parse::parse;

    fn selectors(list: &[&str]) -> Vec<String> {
        list.iter().map(|&selector| selector.to_owned()).collect()
    }

    fn select(include: &[&str], roles: &[(&str, &[&str])]) -> Select {
        let roles = roles.iter().map(|(name, list)| ((*name).to_owned(), selectors(list)));
        Select { include: selectors(include), roles: roles.collect(), ..Select::default() }
    }

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    /// Each labelled text with its role, and the gold texts.
    fn told<'t>(tree: &'t Tree, roles: &Roles) -> (Vec<(&'t str, String)>, Vec<&'t str>) {
        let nodes = roles.nodes.as_ref().unwrap();
        let labelled = nodes.labelled.iter().map(|&(id, role)| (tree.text(id).trim(), roles.names[role].clone()));
        (labelled.collect(), nodes.gold.nodes().iter().map(|&id| tree.text(id).trim()).collect())
    }

    fn labelled(html: &str, roles: &[(&str, &[&str])]) -> Vec<(String, String)> {
        let tree = parse(html).unwrap().tree;
        let roles = Roles::of(&tree, &select(&[], roles)).unwrap().unwrap();
        told(&tree, &roles).0.into_iter().map(|(text, role)| (text.to_owned(), role)).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|&(text, role)| (text.to_owned(), role.to_owned())).collect()
    }

    #[test]
    fn the_nearest_element_of_a_role_decides_and_the_first_name_where_several_name_it() {
        let html = "<title>t</title><div class=x>a<p class=y>b<i>c</i></p><script>s</script> <b> </b></div>d";
        let nested: &[(&str, &[&str])] = &[("outer", &[".x"]), ("inner", &[".none", "p"])];
        assert_eq!(labelled(html, nested), pairs(&[("a", "outer"), ("b", "inner"), ("c", "inner")]));
        let same: &[(&str, &[&str])] = &[("second", &["div"]), ("first", &[".x"]), ("third", &["title, script, b"])];
        assert_eq!(labelled(html, same), pairs(&[("a", "first"), ("b", "first"), ("c", "first")]));
        let tree = parse(html).unwrap().tree;
        let roles = Roles::of(&tree, &select(&["p"], &[("b", &["b"]), ("a", &["h1"])])).unwrap().unwrap();
        assert_eq!((roles.names.join(" "), roles.matched), ("a b".to_owned(), [1].into()));
        assert_eq!(Roles::of(&tree, &select(&["p"], &[])).unwrap(), None);
        assert!(Roles::of(&tree, &select(&["p"], &[("a", &["["])])).is_err());
    }

    #[test]
    fn roles_are_found_again_where_marks_are_taken_out() {
        let strip = Strip { unwrap: selectors(&["mark"]), elements: selectors(&["del"]), ..Strip::default() };
        let carried = |html: &str| {
            let annotated = parse(html).unwrap().tree;
            let mut page = page(html);
            page.tree = annotation::strip(&annotated, &strip).unwrap();
            let select = select(&["mark"], &[("one", &["mark.a"]), ("two", &["mark.b"])]);
            let roles = Roles::of(&annotated, &select).unwrap().unwrap();
            let roles = Found::InPage(roles).on_page(&page, Some((&annotated, &strip))).unwrap();
            let (labelled, gold) = told(&page.tree, &roles);
            let labelled: Vec<String> = labelled.iter().map(|(text, role)| format!("{text}:{role}")).collect();
            (labelled.join(" "), gold.join(" "))
        };
        let both = |labelled: &str, gold: &str| (labelled.to_owned(), gold.to_owned());
        // Of a joined node at least half; of two halves the first by name; each may be too little for what both are.
        assert_eq!(carried("<p>x<mark class=b>yz</mark><p><mark class=a>w</mark>vu"), both("xyz:two", "xyz"));
        assert_eq!(carried("<p><mark class=b>ab</mark><mark class=a>cd</mark>"), both("abcd:one", "abcd"));
        assert_eq!(carried("<p>abc<mark class=a>de</mark><mark class=b>fg</mark>"), both("", "abcdefg"));
        assert_eq!(carried("<del>no</del><p><mark class=a>a<del>b</del></mark>"), both("a:one", "a"));
    }

    #[test]
    fn roles_of_a_copy_are_put_on_the_page() {
        let over = |page_html: &str, copy_html: &str| {
            let (page, copy) = (page(page_html), page(copy_html));
            let select = select(&[".a"], &[("one", &[".a"]), ("two", &[".b"])]);
            let found = Found::of(&copy, &select, true).unwrap().unwrap();
            let roles = found.on_page(&page, None).unwrap();
            let (labelled, gold) = told(&page.tree, &roles);
            let labelled: Vec<String> = labelled.iter().map(|(text, role)| format!("{text}:{role}")).collect();
            (labelled.join(" "), gold.join(" "))
        };
        let both = |labelled: &str, gold: &str| (labelled.to_owned(), gold.to_owned());
        // The same words stand in the menu and below; what is new on either side shifts nothing.
        let copy = "<p>news today<p><i class=a>news</i><p><i class=b>today</i> tomorrow";
        assert_eq!(over("<p>news today<p>news<p>today <b>tomorrow</b>", copy), both("news:one today:two", "news"));
        assert_eq!(over("<p>Ad<p>news today<p>news<p>today", copy), both("news:one today:two", "news"));
        // A node of which the copy makes several has what at least half of it has.
        assert_eq!(over("<p>abcdef", "<p><i class=a>abc</i><i class=b>def</i>"), both("abcdef:one", "abcdef"));
        assert_eq!(over("<p>abcdef", "<p><i class=a>ab</i><i class=b>cdef</i>"), both("abcdef:two", ""));
        assert_eq!(over("<p>abcdef", "<p><i class=a>ab</i><i class=b>cd</i>ef"), both("", ""));
        assert_eq!(over("<p>xyz", "<p class=a>abc"), both("", ""));
    }

    #[test]
    fn a_copy_of_too_much_text_is_not_aligned() {
        let page = page(&format!("<p class=a>{}", "ab".repeat(70_000)));
        let roles = Roles::of(&page.tree, &select(&[".a"], &[("one", &[".a"])])).unwrap().unwrap();
        let text = page.view::<NodeTokens>();
        assert_eq!(roles.nodes.unwrap().laid_over(&text, &text), Err(TooLarge));
    }

    proptest! {
        #[test]
        fn a_role_is_what_a_walk_up_from_each_text_node_finds(pieces in prop::collection::vec(0usize..9, 0..40)) {
            let piece = |&piece: &usize| {
                ["a", "<b>", "</b>", "<p class=x>", "<div class=y>", "</div>", "<i class='x y'>", "</i>", "<script>s</script>"][piece]
            };
            let page = page(&pieces.iter().map(piece).collect::<String>());
            let select = select(&["b"], &[("p", &[".x"]), ("q", &[".y", "b"])]);
            let tree = &page.tree;
            let nodes = Roles::of(tree, &select).unwrap().unwrap().nodes.unwrap();
            let find = |list: &Vec<String>| Selectors::parse(list).unwrap().matching(tree);
            let of_roles: Vec<Vec<NodeId>> = select.roles.values().map(find).collect();
            let role = |id: NodeId| {
                let hidden = tree.ancestors(id).any(|id| tree.is_invisible(id)) || crate::text::is_blank(tree.text(id));
                let named = |id: NodeId| of_roles.iter().position(|elements| elements.contains(&id));
                if !tree.is_text(id) || hidden { None } else { tree.ancestors(id).find_map(named) }
            };
            prop_assert!(tree.ids().all(|id| nodes.role(id) == role(id)));
            // A copy of the very page says the same of it.
            let copy = Found::of(&page, &select, true).unwrap().unwrap();
            prop_assert_eq!(copy.on_page(&page, None).unwrap().nodes, Some(nodes));
        }
    }
}

//! The tree as selectors see it: elements with their parents, siblings and attributes.

use std::fmt;

use html5ever::{LocalName, local_name};
use selectors::OpaqueElement;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::MatchingContext;
use selectors::matching::ElementSelectorFlags;

use super::dialect::{Dialect, PseudoClass, PseudoElement, Word};
use crate::page::tree::{NodeId, Tree};

/// An element that is matched, or looked at on the way.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'t> {
    pub(super) tree: &'t Tree,
    pub(super) id: NodeId,
}

impl fmt::Debug for Candidate<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} {}", self.id.0, self.tree.name(self.id))
    }
}

impl Candidate<'_> {
    fn at(self, id: NodeId) -> Self {
        Candidate { id, ..self }
    }

    /// The element at `at`, or the first one among the siblings behind it.
    fn first_from(self, mut at: NodeId, parent: NodeId) -> Option<Self> {
        while at < self.tree.end(parent) {
            if self.tree.is_element(at) {
                return Some(self.at(at));
            }
            at = self.tree.end(at);
        }
        None
    }
}

impl selectors::Element for Candidate<'_> {
    type Impl = Dialect;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.tree.node(self.id))
    }

    fn parent_element(&self) -> Option<Self> {
        self.tree.parent(self.id).filter(|&id| self.tree.is_element(id)).map(|id| self.at(id))
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        let parent = self.tree.parent(self.id)?;
        let mut at = self.id;
        loop {
            // The position before a node is its parent, or the end of its previous sibling's subtree.
            let before = NodeId(at.0 - 1);
            if before == parent {
                return None;
            }
            let mut up = std::iter::once(before).chain(self.tree.ancestors(before));
            at = up.find(|&id| self.tree.parent(id) == Some(parent))?;
            if self.tree.is_element(at) {
                return Some(self.at(at));
            }
        }
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.first_from(self.tree.end(self.id), self.tree.parent(self.id)?)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.first_from(NodeId(self.id.0 + 1), self.id)
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.tree.is_html_element(self.id)
    }

    fn has_local_name(&self, name: &LocalName) -> bool {
        // The tree's names are in lower case, a selector's `foreignObject` is not.
        self.tree.name(self.id) == name || self.tree.name(self.id).eq_ignore_ascii_case(name)
    }

    fn has_namespace(&self, _: &Word) -> bool {
        // Asked for `|a` alone: an element in no namespace, which a page has not.
        false
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.tree.name(self.id) == self.tree.name(other.id)
            && self.tree.is_html_element(self.id) == self.tree.is_html_element(other.id)
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Word>,
        name: &Word,
        operation: &AttrSelectorOperation<&Word>,
    ) -> bool {
        let mut named = self.tree.attributes(self.id).filter(|attribute| *attribute.name == name.0);
        named.any(|attribute| operation.eval_str(attribute.value))
    }

    fn match_non_ts_pseudo_class(&self, class: &PseudoClass, _: &mut MatchingContext<Dialect>) -> bool {
        class.links && self.is_link()
    }

    fn is_link(&self) -> bool {
        matches!(*self.tree.name(self.id), local_name!("a") | local_name!("area"))
            && self.tree.attribute(self.id, &local_name!("href")).is_some()
    }

    fn has_id(&self, id: &Word, case: CaseSensitivity) -> bool {
        let found = self.tree.attribute(self.id, &local_name!("id"));
        found.is_some_and(|found| case.eq(found.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, class: &Word, case: CaseSensitivity) -> bool {
        let found = self.tree.attribute(self.id, &local_name!("class")).unwrap_or_default();
        found.split_ascii_whitespace().any(|token| case.eq(token.as_bytes(), class.0.as_bytes()))
    }

    fn is_empty(&self) -> bool {
        self.tree.end(self.id) == NodeId(self.id.0 + 1)
    }

    fn is_root(&self) -> bool {
        self.tree.parent(self.id) == Some(NodeId::DOCUMENT)
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn match_pseudo_element(&self, element: &PseudoElement, _: &mut MatchingContext<Dialect>) -> bool {
        match *element {}
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_custom_state(&self, _: &Word) -> bool {
        false
    }

    fn imported_part(&self, _: &Word) -> Option<Word> {
        None
    }

    fn is_part(&self, _: &Word) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse::parse;

    #[test]
    fn siblings_are_found_as_a_walk_over_all_children_finds_them() {
        use selectors::Element;
        let html = "<div>a<p>b<i>c</i></p>d<p></p><table><tr><td>e</table>f</div><br><br>g<ul><li><ul><li></ul></ul>";
        let tree = parse(html).unwrap().tree;
        for parent in tree.ids() {
            let children: Vec<_> = tree.children(parent).filter(|&id| tree.is_element(id)).collect();
            for pair in children.windows(2) {
                let at = |id| Candidate { tree: &tree, id };
                assert_eq!(at(pair[0]).next_sibling_element().map(|next| next.id), Some(pair[1]));
                assert_eq!(at(pair[1]).prev_sibling_element().map(|previous| previous.id), Some(pair[0]));
            }
            if let (Some(&first), Some(&last)) = (children.first(), children.last()) {
                let at = |id| Candidate { tree: &tree, id };
                assert_eq!(at(parent).first_element_child().map(|child| child.id), Some(first));
                assert!(at(first).prev_sibling_element().is_none());
                assert!(at(last).next_sibling_element().is_none());
            }
        }
    }
}

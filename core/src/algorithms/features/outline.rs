//! The page as a bare tree, in which it is a choice what counts as a child: what structures, tag paths and
//! node-by-node comparisons are read from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::page::tree::{NodeId, Tree};
use crate::text::is_blank;

/// Which nodes are children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Children {
    /// Elements, without those whose text is never text of the page.
    VisibleElements,
    /// All elements.
    Elements,
    /// Visible elements, and text that is not blank.
    VisibleText,
    /// All elements, and text that is not blank.
    ElementsText,
}

impl Children {
    fn count(self, tree: &Tree, id: NodeId) -> bool {
        if tree.is_text(id) {
            return matches!(self, Children::VisibleText | Children::ElementsText) && !is_blank(tree.text(id));
        }
        matches!(self, Children::Elements | Children::ElementsText) || !tree.is_invisible(id)
    }
}

/// A subtree of the page under one reading of [`Children`]. A node's number is its place in document order among
/// those that count; the root is 0.
pub struct Outline {
    /// Each number's node.
    pub nodes: Vec<NodeId>,
    /// Each number's parent; the root is its own.
    pub parents: Vec<u32>,
    /// All lists of children, one behind the other.
    children: Vec<u32>,
    /// Where each number's list begins, and behind the last the end.
    starts: Vec<u32>,
}

impl Outline {
    /// `root` and what counts below it.
    pub fn new(tree: &Tree, root: NodeId, children: Children) -> Self {
        let (mut nodes, mut parents) = (Vec::new(), Vec::new());
        let mut open: Vec<u32> = Vec::new();
        let (mut next, end) = (root, tree.end(root));
        while next < end {
            let id = next;
            if id != root && !children.count(tree, id) {
                next = tree.end(id);
                continue;
            }
            next = NodeId(id.0 + 1);
            while open.pop_if(|&mut last| !tree.contains(nodes[last as usize], id)).is_some() {}
            let number = nodes.len() as u32;
            parents.push(open.last().copied().unwrap_or(number));
            nodes.push(id);
            open.push(number);
        }
        let (starts, children) = lists(&parents);
        Outline { nodes, parents, children, starts }
    }

    /// The children of a number, in order.
    pub fn children(&self, number: u32) -> &[u32] {
        let at = number as usize;
        &self.children[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Every number, parents before their children.
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = u32> + use<> {
        0..self.nodes.len() as u32
    }

    /// Down from the root to the only child while there is one and it has children.
    pub fn branch(&self) -> u32 {
        let mut number = 0;
        while let &[only] = self.children(number)
            && !self.children(only).is_empty()
        {
            number = only;
        }
        number
    }
}

/// Where the list of each number's children begins, and the lists.
fn lists(parents: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; parents.len() + 1];
    for &parent in parents.iter().skip(1) {
        starts[parent as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut free = starts.clone();
    let mut children = vec![0; parents.len().saturating_sub(1)];
    for (number, &parent) in parents.iter().enumerate().skip(1) {
        let at = &mut free[parent as usize];
        children[*at as usize] = number as u32;
        *at += 1;
    }
    (starts, children)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Context, Page};

    /// Names of the nodes, `#` for texts, each with its parent's number.
    fn read(html: &str, children: Children) -> String {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let outline = Outline::new(&page.tree, page.tree.body().unwrap(), children);
        for number in outline.numbers() {
            assert!(outline.children(number).iter().all(|&child| outline.parents[child as usize] == number));
        }
        let name = |&id: &NodeId| if page.tree.is_text(id) { "#" } else { &**page.tree.name(id) };
        let nodes = outline.nodes.iter().zip(&outline.parents).map(|(id, parent)| format!("{}{parent}", name(id)));
        nodes.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn children_are_what_is_asked_for() {
        let html = "<p>a<b> </b></p><script>x</script><i>c</i>";
        assert_eq!(read(html, Children::VisibleElements), "body0 p0 b1 i0");
        assert_eq!(read(html, Children::Elements), "body0 p0 b1 script0 i0");
        assert_eq!(read(html, Children::VisibleText), "body0 p0 #1 b1 i0 #4");
        assert_eq!(read(html, Children::ElementsText), "body0 p0 #1 b1 script0 #4 i0 #6");
    }

    #[test]
    fn a_branch_ends_before_a_leaf() {
        let branch = |html: &str| {
            let page = Page::new(html.as_bytes(), Context::default()).unwrap();
            Outline::new(&page.tree, page.tree.body().unwrap(), Children::VisibleElements).branch()
        };
        assert_eq!(branch("<div><div><p>a</p></div></div>"), 2);
        assert_eq!(branch("<div><p>a</p><p>b</p></div>"), 1);
        assert_eq!(branch("<p>a</p>"), 0);
    }
}

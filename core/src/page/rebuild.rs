//! A tree without some of its elements and attributes.

use std::borrow::Cow;

use super::tree::{Attribute, Kind, Node, NodeId, Tree};

/// What becomes of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Removed,
    Unwrapped,
}

/// A node of the new tree whose subtree is not yet complete.
struct Open {
    /// The end of its subtree in the old tree.
    old_end: NodeId,
    new: u32,
}

impl Tree {
    /// A copy without the nodes of `removed` and all below them, and with those of `unwrapped`
    /// replaced by their children; text nodes that become neighbours are one afterwards. A node in
    /// both is removed. The document always stays.
    ///
    /// `value` says which value an attribute gets: `None` drops it.
    ///
    /// ```
    /// use carat_core::page::parse::parse;
    /// let tree = parse("a<b>c</b>d").unwrap().tree;
    /// let bold: Vec<_> = tree.ids().filter(|&id| &**tree.name(id) == "b").collect();
    /// let plain = tree.without(&[], &bold, |attribute| Some(attribute.value.into()));
    /// assert_eq!(plain.ids().map(|id| plain.text(id)).collect::<String>(), "acd");
    /// assert_eq!(plain.len(), tree.len() - 3);
    /// ```
    pub fn without(
        &self,
        removed: &[NodeId],
        unwrapped: &[NodeId],
        value: impl Fn(Attribute<'_>) -> Option<Cow<'_, str>>,
    ) -> Tree {
        let fates = self.fates(removed, unwrapped);
        let mut copy = Tree {
            nodes: Vec::with_capacity(self.nodes.len()),
            names: self.names.clone(),
            attributes: Vec::with_capacity(self.attributes.len()),
            values: String::with_capacity(self.values.len()),
            text: String::with_capacity(self.text.len()),
            quirks: self.quirks,
        };
        let mut open: Vec<Open> = Vec::new();
        let mut id = NodeId::DOCUMENT;
        while id.index() < self.len() {
            while let Some(closed) = open.pop_if(|open| open.old_end <= id) {
                copy.nodes[closed.new as usize].end = copy.nodes.len() as u32;
            }
            let parent = open.last().map_or(0, |open| open.new);
            match (fates[id.index()], self.kind(id)) {
                (Fate::Removed, _) => {
                    id = self.end(id);
                    continue;
                }
                (Fate::Unwrapped, _) => {}
                (Fate::Kept, Kind::Text) => copy.append_text(parent, self.text(id)),
                (Fate::Kept, _) => {
                    open.push(Open { old_end: self.end(id), new: copy.nodes.len() as u32 });
                    copy.append_copy(parent, self, id, &value);
                }
            }
            id = NodeId(id.0 + 1);
        }
        for still in open {
            copy.nodes[still.new as usize].end = copy.nodes.len() as u32;
        }
        copy
    }

    fn fates(&self, removed: &[NodeId], unwrapped: &[NodeId]) -> Vec<Fate> {
        let mut fates = vec![Fate::Kept; self.len()];
        for (nodes, fate) in [(unwrapped, Fate::Unwrapped), (removed, Fate::Removed)] {
            for id in nodes {
                fates[id.index()] = fate;
            }
        }
        fates[NodeId::DOCUMENT.index()] = Fate::Kept;
        fates
    }

    fn append_text(&mut self, parent: u32, text: &str) {
        let first = self.text.len() as u32;
        self.text.push_str(text);
        let last = self.text.len() as u32;
        match self.nodes.last_mut() {
            // The last node has no child, so the same parent makes them neighbours.
            Some(node) if node.kind == Kind::Text && node.parent == parent => node.last = last,
            _ => self.append(Node { parent, end: 0, kind: Kind::Text, name: 0, first, last }),
        }
    }

    fn append_copy(
        &mut self,
        parent: u32,
        from: &Tree,
        id: NodeId,
        value: impl Fn(Attribute<'_>) -> Option<Cow<'_, str>>,
    ) {
        let &Node { kind, name, .. } = from.node(id);
        let first = self.attributes.len() as u32;
        for attribute in from.attributes(id) {
            if let Some(value) = value(attribute) {
                let start = self.values.len() as u32;
                self.values.push_str(&value);
                self.attributes.push((attribute.name.clone(), start, self.values.len() as u32));
            }
        }
        self.append(Node { parent, end: 0, kind, name, first, last: self.attributes.len() as u32 });
    }

    /// Appends `node` without children.
    fn append(&mut self, node: Node) {
        let end = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { end, ..node });
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    /// The whole tree as tags and text, white space and all.
    fn source(tree: &Tree) -> String {
        let (mut written, mut open) = (String::new(), Vec::new());
        for id in tree.ids() {
            while let Some(closed) = open.pop_if(|&mut last| tree.end(last) <= id) {
                written += &format!("</{}>", tree.name(closed));
            }
            let parent = open.last().copied().unwrap_or(NodeId::DOCUMENT);
            assert_eq!(tree.parent(id).unwrap_or(NodeId::DOCUMENT), parent);
            match tree.kind(id) {
                Kind::Document => {}
                Kind::Text => written += &format!("{:?}", tree.text(id)),
                Kind::Element => {
                    let attributes: String =
                        tree.attributes(id).map(|found| format!(" {}={}", found.name, found.value)).collect();
                    written += &format!("<{}{attributes}>", tree.name(id));
                    open.push(id);
                }
            }
        }
        while let Some(closed) = open.pop() {
            written += &format!("</{}>", tree.name(closed));
        }
        written
    }

    /// `html` without `del` elements and without the tags of `b` elements.
    fn without(html: &str) -> String {
        let tree = parse(html).unwrap().tree;
        let named = |name| tree.ids().filter(|&id| &**tree.name(id) == name).collect::<Vec<_>>();
        let copy = tree.without(&named("del"), &named("b"), |attribute| Some(Cow::Borrowed(attribute.value)));
        assert_eq!(copy.end(NodeId::DOCUMENT).index(), copy.len());
        source(&copy).replace("<html><head></head><body>", "").replace("</body></html>", "")
    }

    #[test]
    fn nodes_are_removed_and_unwrapped_and_text_joined() {
        let cases = [
            ("a<b>c</b>d", r#""acd""#),
            ("a<b><b>c</b></b>d", r#""acd""#),
            ("a<b></b>d", r#""ad""#),
            ("a<del>c</del>d", r#""ad""#),
            ("a<b><del>c</del></b>d", r#""ad""#),
            ("a<del>c<b>d</b></del><b>e</b>", r#""ae""#),
            ("<i>a</i><b>c</b>d", r#"<i>"a"</i>"cd""#),
            ("<i>a<b>c</b></i>d", r#"<i>"ac"</i>"d""#),
            ("<b>a<p x=1>c</p></b>d", r#""a"<p x=1>"c"</p>"d""#),
            ("<p>a</p><b><p>c</p></b>", r#"<p>"a"</p><p>"c"</p>"#),
            ("a<i></i>d", r#""a"<i></i>"d""#),
            ("a<br>d", r#""a"<br></br>"d""#),
            ("<del>a</del>", ""),
        ];
        for (html, expected) in cases {
            assert_eq!(without(html), expected, "{html}");
        }
    }

    #[test]
    fn a_copy_without_changes_is_the_same() {
        let html =
            "<!doctype html><title>t</title><body class=a><p id=1>x<!-- -->y<table><tr>z<td>1</table><svg viewBox=0>";
        let tree = parse(html).unwrap().tree;
        let copy = tree.without(&[], &[], |attribute| Some(attribute.value.into()));
        assert_eq!(source(&copy), source(&tree));
        assert_eq!((copy.is_quirks(), copy.depth()), (tree.is_quirks(), tree.depth()));
    }

    #[test]
    fn attributes_are_dropped_and_changed() {
        let tree = parse("<p id=a class=b title=c>").unwrap().tree;
        let copy = tree.without(&[], &[], |attribute| match &**attribute.name {
            "id" => None,
            "class" => Some(Cow::Owned(format!("{}!", attribute.value))),
            _ => Some(Cow::Borrowed(attribute.value)),
        });
        assert!(source(&copy).contains("<p class=b! title=c>"));
    }

    #[test]
    fn the_document_stays() {
        let tree = parse("a").unwrap().tree;
        let all: Vec<_> = tree.ids().collect();
        assert_eq!(tree.without(&all, &[], |_| None).len(), 1);
        assert_eq!(source(&tree.without(&[], &all[1..4], |_| None)), r#""a""#);
    }
}

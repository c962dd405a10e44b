//! Our tree beside that of html5ever with RcDom.

use carat::page::tree::{Kind, NodeId, Tree};
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Panics with the first node in which `tree` is not that which RcDom makes of `characters`.
pub(crate) fn assert_same(tree: &Tree, characters: &str, page: &str) {
    let dom = html5ever::parse_document(RcDom::default(), html5ever::ParseOpts::default()).one(characters);
    let (ours, theirs) = (lines_of_ours(tree), lines_of_rcdom(&dom.document));
    if let Some(first) = ours.iter().zip(&theirs).position(|(one, other)| one != other) {
        panic!("{page} at node {first}: {:?}, not {:?}", ours[first], theirs[first]);
    }
    assert_eq!(ours.len(), theirs.len(), "{page}");
}

/// A node of either tree, with the number of its ancestors.
type Line = (usize, String);

fn lines_of_ours(tree: &Tree) -> Vec<Line> {
    let mut open: Vec<NodeId> = Vec::new();
    tree.ids()
        .map(|id| {
            while open.last().is_some_and(|&last| !tree.contains(last, id)) {
                open.pop();
            }
            let depth = open.len();
            open.push(id);
            let text = match tree.kind(id) {
                Kind::Document => "document".to_owned(),
                Kind::Text => format!("text {}", tree.text(id)),
                Kind::Element => {
                    let attributes =
                        tree.attributes(id).map(|attribute| format!(" {}={:?}", attribute.name, attribute.value));
                    format!("<{}>{}", tree.name(id), attributes.collect::<String>())
                }
            };
            (depth, text)
        })
        .collect()
}

/// The same of RcDom, without comments and the like; text on both sides of one is one text.
fn lines_of_rcdom(document: &Handle) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut last_was_text_of: Option<*const ()> = None;
    let mut stack = vec![(document.clone(), 0, std::ptr::null())];
    while let Some((node, depth, parent)) = stack.pop() {
        match &node.data {
            NodeData::Document => lines.push((depth, "document".to_owned())),
            NodeData::Text { contents } if last_was_text_of == Some(parent) => {
                lines.last_mut().unwrap().1.push_str(&contents.borrow());
            }
            NodeData::Text { contents } => {
                lines.push((depth, format!("text {}", contents.borrow())));
                last_was_text_of = Some(parent);
            }
            NodeData::Element { name, attrs, .. } => {
                last_was_text_of = None;
                let attributes = attrs.borrow();
                let attributes = attributes.iter().map(|attribute| {
                    let prefix = attribute.name.prefix.as_deref().filter(|prefix| !prefix.is_empty());
                    let prefix = prefix.map_or(String::new(), |prefix| format!("{prefix}:"));
                    format!(" {prefix}{}={:?}", attribute.name.local, &*attribute.value)
                });
                lines.push((depth, format!("<{}>{}", name.local.to_ascii_lowercase(), attributes.collect::<String>())));
            }
            NodeData::Comment { .. } | NodeData::Doctype { .. } | NodeData::ProcessingInstruction { .. } => continue,
        }
        let address = std::rc::Rc::as_ptr(&node).cast::<()>();
        let children = node.children.borrow();
        stack.extend(children.iter().rev().map(|child| (child.clone(), depth + 1, address)));
    }
    lines
}

//! The body as a stream of tags and texts: what methods that read source lines or tokens see of a page.
//!
//! Invisible elements vanish with their tags; a tag that the parser supplied counts as one that is written.

use super::visible::visible_nodes;
use crate::page::to_html::is_void;
use crate::page::tree::{NodeId, Tree};
use crate::text::chars;

/// A tag or a text node, in the order of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The start tag of an element.
    Start(NodeId),
    /// The end tag of an element, which a void one has only among all events.
    End(NodeId),
    /// A text node, also a blank one.
    Text(NodeId),
}

/// The tags and texts of `body`, its own tags included.
pub fn events(tree: &Tree, body: NodeId) -> impl Iterator<Item = Event> + '_ {
    all_events(tree, body).filter(|&event| match event {
        Event::Start(id) => !tree.is_invisible(id),
        Event::End(id) => !tree.is_invisible(id) && !is_void(tree.name(id)),
        Event::Text(_) => true,
    })
}

/// As [`events`], but with the tags of invisible elements (not with what is in them) and an end for every element:
/// what programs see that walk a tree.
pub fn all_events(tree: &Tree, body: NodeId) -> impl Iterator<Item = Event> + '_ {
    let mut nodes = visible_nodes(tree, body).peekable();
    let mut open: Vec<NodeId> = Vec::new();
    std::iter::from_fn(move || {
        let next = nodes.peek().copied().unwrap_or(tree.end(body));
        if let Some(closed) = open.pop_if(|last| tree.end(*last) <= next) {
            return Some(Event::End(closed));
        }
        let id = nodes.next()?;
        if tree.is_text(id) {
            return Some(Event::Text(id));
        }
        open.push(id);
        Some(Event::Start(id))
    })
}

/// `chars` of `<name attribute="value" ...>`, values not escaped.
pub fn start_tag_chars(tree: &Tree, id: NodeId) -> usize {
    let attributes = tree.attributes(id).map(|attribute| chars(attribute.name) + chars(attribute.value) + 3);
    chars(tree.name(id)) + 2 + attributes.sum::<usize>()
}

/// `chars` of `</name>`.
pub fn end_tag_chars(tree: &Tree, id: NodeId) -> usize {
    chars(tree.name(id)) + 3
}

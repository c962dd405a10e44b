//! Subtrees by number, each distinct one once: equal numbers, equal subtrees, compared exactly.

use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outline::Outline;
use crate::page::tree::{NodeId, Tree};
use crate::text::collapse;

/// Which attributes make an element's label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Attributes {
    /// The set of their names.
    Names,
    /// The set of their names with values.
    All,
    /// The id, and the set of classes.
    IdClass,
    /// None: the tag alone.
    None,
}

/// Labels by number. A number stands for one tag with what of its attributes counts, or for one text.
#[derive(Default)]
pub struct Labels {
    known: FxHashMap<Box<str>, u32>,
    /// The label that is being written.
    written: String,
}

impl Labels {
    /// The number of an element's label, or of `#text` for a text node.
    pub fn of(&mut self, tree: &Tree, id: NodeId, attributes: Attributes) -> u32 {
        write_label(&mut self.written, tree, id, attributes);
        self.number()
    }

    /// As [`Labels::of`]; `None` for one that is not known. `written` is where the label is written.
    pub fn find(&self, tree: &Tree, id: NodeId, attributes: Attributes, written: &mut String) -> Option<u32> {
        write_label(written, tree, id, attributes);
        self.known.get(written.as_str()).copied()
    }

    /// The number of a label that tells the tag and the attributes of these names, or `#text` for a text node.
    pub fn with_named(&mut self, tree: &Tree, id: NodeId, names: &[&str]) -> u32 {
        write_named(&mut self.written, tree, id, names);
        self.number()
    }

    /// As [`Labels::with_named`]; `None` for one that is not known. `written` is where the label is written.
    pub fn find_named(&self, tree: &Tree, id: NodeId, names: &[&str], written: &mut String) -> Option<u32> {
        write_named(written, tree, id, names);
        self.known.get(written.as_str()).copied()
    }

    /// The number of a label that tells the node's own content: the tag with every attribute, or the text.
    pub fn with_content(&mut self, tree: &Tree, id: NodeId) -> u32 {
        write_content(&mut self.written, tree, id);
        self.number()
    }

    /// As [`Labels::with_content`]; `None` for one that is not known.
    pub fn find_content(&self, tree: &Tree, id: NodeId, written: &mut String) -> Option<u32> {
        write_content(written, tree, id);
        self.known.get(written.as_str()).copied()
    }

    /// The label of a number, for people.
    pub fn name(&self, number: u32) -> &str {
        let found = self.known.iter().find(|&(_, &known)| known == number);
        found.map_or("", |(label, _)| label)
    }

    fn number(&mut self) -> u32 {
        if let Some(&number) = self.known.get(self.written.as_str()) {
            return number;
        }
        let number = self.known.len() as u32;
        self.known.insert(self.written.as_str().into(), number);
        number
    }
}

/// Writes what no other tag and attributes are written as: names hold no space, values stand behind their length.
fn write_label(written: &mut String, tree: &Tree, id: NodeId, attributes: Attributes) {
    written.clear();
    if tree.is_text(id) {
        written.push_str("#text");
        return;
    }
    written.push_str(tree.name(id));
    let mut parts: Vec<(&str, &str)> = Vec::new();
    for attribute in tree.attributes(id) {
        match (attributes, &**attribute.name) {
            (Attributes::Names, name) => parts.push((name, "")),
            // An empty id is none, as an empty class is none.
            (Attributes::IdClass, "id") if attribute.value.is_empty() => {}
            (Attributes::All, name) | (Attributes::IdClass, name @ "id") => parts.push((name, attribute.value)),
            (Attributes::IdClass, "class") => {
                parts.extend(attribute.value.split_ascii_whitespace().map(|class| ("class", class)));
            }
            (Attributes::IdClass | Attributes::None, _) => {}
        }
    }
    write_parts(written, parts, attributes != Attributes::Names);
}

/// As [`write_label`], with the attributes of these names.
fn write_named(written: &mut String, tree: &Tree, id: NodeId, names: &[&str]) {
    written.clear();
    written.push_str(if tree.is_text(id) { "#text" } else { tree.name(id) });
    let attributes = tree.attributes(id).filter(|attribute| names.contains(&&**attribute.name));
    write_parts(written, attributes.map(|attribute| (&**attribute.name, attribute.value)).collect(), true);
}

fn write_parts(written: &mut String, mut parts: Vec<(&str, &str)>, with_values: bool) {
    parts.sort_unstable();
    parts.dedup();
    for (name, value) in parts {
        // Writing to a string cannot fail.
        let _ = match with_values {
            false => write!(written, " {name}"),
            true => write!(written, " {name} {}:{value}", value.len()),
        };
    }
}

fn write_content(written: &mut String, tree: &Tree, id: NodeId) {
    if tree.is_text(id) {
        written.clear();
        written.push_str("#text ");
        written.push_str(&collapse(tree.text(id)));
    } else {
        write_label(written, tree, id, Attributes::All);
    }
}

/// Distinct subtrees, each a label with the numbers of the subtrees below it.
#[derive(Default)]
pub struct Subtrees {
    known: FxHashMap<Arc<[u32]>, u32>,
    all: Vec<Arc<[u32]>>,
}

impl Subtrees {
    /// The number of every node's subtree; `label` gives each node's label.
    pub fn intern(&mut self, outline: &Outline, mut label: impl FnMut(NodeId) -> u32) -> Vec<u32> {
        let mut numbers = vec![0; outline.nodes.len()];
        let mut key = Vec::new();
        for number in outline.numbers().rev() {
            key.clear();
            key.push(label(outline.nodes[number as usize]));
            key.extend(outline.children(number).iter().map(|&child| numbers[child as usize]));
            numbers[number as usize] = self.number(&key);
        }
        numbers
    }

    /// The number of every node's subtree that is known; `label` gives labels that are.
    pub fn find(&self, outline: &Outline, mut label: impl FnMut(NodeId) -> Option<u32>) -> Vec<Option<u32>> {
        let mut numbers = vec![None; outline.nodes.len()];
        let mut key = Vec::new();
        for number in outline.numbers().rev() {
            key.clear();
            key.extend(label(outline.nodes[number as usize]));
            key.extend(outline.children(number).iter().filter_map(|&child| numbers[child as usize]));
            if key.len() == outline.children(number).len() + 1 {
                numbers[number as usize] = self.known.get(key.as_slice()).copied();
            }
        }
        numbers
    }

    /// The label of a subtree's root.
    pub fn label(&self, subtree: u32) -> u32 {
        self.all[subtree as usize][0]
    }

    /// The subtrees below its root, in order.
    pub fn children(&self, subtree: u32) -> &[u32] {
        &self.all[subtree as usize][1..]
    }

    /// How many distinct subtrees there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    fn number(&mut self, key: &[u32]) -> u32 {
        if let Some(&number) = self.known.get(key) {
            return number;
        }
        let (number, key): (u32, Arc<[u32]>) = (self.all.len() as u32, key.into());
        self.all.push(key.clone());
        self.known.insert(key, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::super::outline::Children;
    use super::*;
    use crate::page::{Context, Page};

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    fn equal(one: &str, other: &str, attributes: Attributes) -> bool {
        let (mut labels, mut subtrees) = (Labels::default(), Subtrees::default());
        let mut roots = [one, other].map(|html| {
            let page = page(html);
            let outline = Outline::new(&page.tree, page.tree.body().unwrap(), Children::VisibleText);
            subtrees.intern(&outline, |id| labels.of(&page.tree, id, attributes))[0]
        });
        roots.sort_unstable();
        roots[0] == roots[1]
    }

    #[test]
    fn labels_are_what_is_asked_for() {
        use Attributes::{All, IdClass, Names, None};
        let cases = [
            ("<p id=a class='x y'>", "<p class='y  x' id=a>", [Names, IdClass, None].as_slice()),
            ("<p id=a href=b>", "<p href=b id=a>", &[Names, All, IdClass, None]),
            ("<p id=a href=b>", "<p href=c id=a>", &[Names, IdClass, None]),
            ("<p id=a>", "<p id=b>", &[Names, None]),
            ("<p class=a>", "<p>", &[None]),
            ("<p class=''>", "<p>", &[IdClass, None]),
            ("<p id=''>", "<p>", &[IdClass, None]),
            ("<p class='a id 1:b'>", "<p class=a id=b>", &[None]),
            ("<p>a", "<p>b", &[Names, All, IdClass, None]),
            ("<p>a", "<p><b></b>", &[]),
        ];
        for (one, other, same) in cases {
            for attributes in [Names, All, IdClass, None] {
                assert_eq!(equal(one, other, attributes), same.contains(&attributes), "{one} {other} {attributes:?}");
            }
        }
    }

    #[test]
    fn content_is_found_where_it_is_known() {
        let (mut labels, mut subtrees) = (Labels::default(), Subtrees::default());
        let (one, other) = (page("<p a=1>x  y<b>z</b></p><i>c</i>"), page("<p a=2>x y<b>z</b></p><i>c</i><p a=1>x y"));
        let outline = |page: &Page| Outline::new(&page.tree, page.tree.body().unwrap(), Children::VisibleText);
        let known = subtrees.intern(&outline(&one), |id| labels.with_content(&one.tree, id));
        let mut written = String::new();
        let found = subtrees.find(&outline(&other), |id| labels.find_content(&other.tree, id, &mut written));
        // body, p, x y, b, z, i, c; then p and x y again.
        let expected = [None, None, Some(known[2]), Some(known[3]), Some(known[4]), Some(known[5]), Some(known[6])];
        assert_eq!(found[..7], expected);
        assert_eq!(found[7..], [None, Some(known[2])]);
    }
}

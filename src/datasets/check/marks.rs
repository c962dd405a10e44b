//! Marks that annotators' tools leave in a page: an algorithm that reads classes or elements is told the answer.

use html5ever::local_name;

use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};

/// Elements that only tools write. CleanEval's `<text id=URL title=TITLE>` is one of them, told by its attributes. One that
/// holds all of the page's text is no mark: it tells nothing of the gold.
const ELEMENTS: [&str; 4] = ["marked-text", "marked-tail", "annotation-mark", "gold-text"];

/// Attributes that only tools write, by their beginning.
const ATTRIBUTES: [&str; 11] = [
    "cc-select", "data-anno-", "data-boilernet", "data-gold", "data-ground-truth", "data-groundtruth", "magic-html-",
    "gold-", "__label", "__boilerplate", "hl-id",
];

/// Attributes that are marks where their value is `gold`.
const LABELS: [&str; 3] = ["data-content", "data-label", "data-class"];

/// Classes that only tools write, by their beginning.
const CLASSES: [&str; 7] =
    ["x-nc-", "x-annot", "mark-selected", "cc-select", "gold-content", "ground-truth", "__boilerplate"];

/// Classes that only tools write, as a whole: sites have longer ones that begin so.
const WHOLE_CLASSES: [&str; 1] = ["is-content"];

/// Ids of elements that tools add.
const IDS: [&str; 1] = ["cc-extrastyle"];

/// The marks of a tree: each once, with how many elements carry it, in the order in which they were first met.
pub(super) fn marks(tree: &Tree) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let text = Selection::visible(tree);
    // In document order, what holds the first and the last holds those between.
    let ends = [text.nodes().first(), text.nodes().last()];
    let holds_all = |id| ends.iter().flatten().all(|&&text| tree.contains(id, text));
    for mark in tree.ids().filter(|&id| tree.is_element(id)).flat_map(|id| marks_of(tree, id, holds_all)) {
        match found.iter().position(|(known, _)| *known == mark) {
            Some(place) => found[place].1 += 1,
            // Names that begin alike are as many as a tool likes; a few say enough.
            None if found.len() < 8 => found.push((mark, 1)),
            None => {}
        }
    }
    found
}

fn marks_of(tree: &Tree, id: NodeId, holds_all_text: impl Fn(NodeId) -> bool) -> Vec<String> {
    let mut marks = Vec::new();
    let name: &str = tree.name(id);
    let is_of_tool = ELEMENTS.contains(&name) || name == "text" && tree.is_html_element(id) && is_wrapper(tree, id);
    if is_of_tool && !holds_all_text(id) {
        marks.push(format!("<{name}>"));
    }
    for attribute in tree.attributes(id) {
        let begins = |marks: &[&str], text: &str| marks.iter().any(|mark| text.starts_with(mark));
        if begins(&ATTRIBUTES, attribute.name) {
            marks.push(format!("[{}]", &**attribute.name));
        } else if LABELS.contains(&&**attribute.name) && attribute.value.eq_ignore_ascii_case("gold") {
            marks.push(format!("[{}={}]", &**attribute.name, attribute.value));
        } else if *attribute.name == local_name!("class") {
            let classes = attribute.value.split_ascii_whitespace();
            let classes = classes.filter(|class| begins(&CLASSES, class) || WHOLE_CLASSES.contains(class));
            marks.extend(classes.map(|class| format!(".{class}")));
        } else if *attribute.name == local_name!("id") && IDS.contains(&attribute.value.to_ascii_lowercase().as_str()) {
            marks.push(format!("#{}", attribute.value));
        }
    }
    marks
}

/// Whether an element `text` is the wrapper that CleanEval puts around a page.
fn is_wrapper(tree: &Tree, id: NodeId) -> bool {
    let address = tree.attribute(id, &local_name!("id"));
    let is_titled =
        || tree.attribute(id, &local_name!("title")).or(tree.attribute(id, &local_name!("encoding"))).is_some();
    address.is_some_and(|address| address.contains("://") || is_titled())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse::parse;

    #[test]
    fn tools_marks_are_told_from_a_sites_own() {
        let marks = |html: &str| marks(&parse(html).unwrap().tree);
        let cases = [
            ("<p><marked-text>a</marked-text><marked-text>b</marked-text>", "<marked-text>", 2),
            ("<p cc-select=true>a", "[cc-select]", 1),
            ("<p data-anno-uid=1><b data-anno-uid=2>", "[data-anno-uid]", 2),
            ("<span class='a x-nc-sel2'>a</span>", ".x-nc-sel2", 1),
            ("<style id=cc-extraStyle></style>", "#cc-extraStyle", 1),
            ("<p>b<text id='http://a.example/' title=x encoding=gbk>a</text>", "<text>", 1),
            ("<p>b<text id='' title=''>a</text>", "<text>", 1),
            ("<p data-boilernet-label=1>a", "[data-boilernet-label]", 1),
            ("<p __label=1>a<p __label=0>b", "[__label]", 2),
            ("<p hl-id=7>a", "[hl-id]", 1),
            ("<div data-content=Gold>a", "[data-content=Gold]", 1),
            ("<div class='a is-content'>a", ".is-content", 1),
            ("<div class=x-annot-1>a", ".x-annot-1", 1),
            ("<div class=__boilerplate_no>a", ".__boilerplate_no", 1),
        ];
        for (html, mark, times) in cases {
            assert_eq!(marks(html), [(mark.to_owned(), times)], "{html}");
        }
        let wrapper = "<text id='http://a.example/' title=x encoding=gbk><title>t</title><p>a<p>b</text>";
        assert_eq!(marks(wrapper), [], "it holds all of the page's text");
        let own = "<article class='gold price is-content-wide' data-content=golden data-label=x data-announcement=1 data-annotation-alignment=x id=content><p class=annotation data-select=1>a<mark>b</mark>\
                   <svg><text id='a://b'>c</text></svg><text>d</text>";
        assert_eq!(marks(own), []);
    }
}

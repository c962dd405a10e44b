//! The one renderer: a selection's text, the same for every algorithm and for gold made from
//! annotations (`docs/methods/scoring.md, section 3`).

use std::ops::Range;

use html5ever::local_name;

use super::selection::Selection;
use super::tree::{NodeId, Tree};
use crate::text::Lines;

/// What stands between two selected text nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    Nothing,
    Space,
    LineBreak,
}

/// The text of `selection`: a line break where a block element is entered or left or a `br` is
/// passed, a space where another text node is skipped, white space collapsed, empty lines dropped.
///
/// ```
/// use carat_core::page::{parse::parse, render::render, selection::Selection};
/// let tree = parse("<b>a</b> <b>c</b><div></div>d").unwrap().tree;
/// let all: Selection = tree.ids().filter(|&id| tree.is_text(id)).collect();
/// assert_eq!(render(&tree, &all), "a c\nd");
/// ```
pub fn render(tree: &Tree, selection: &Selection) -> String {
    let mut lines = Lines::default();
    let mut previous = None;
    for &id in selection.nodes() {
        if let Some(previous) = previous {
            match gap(tree, previous, id) {
                Gap::Nothing => {}
                Gap::Space => lines.space(),
                Gap::LineBreak => lines.break_line(),
            }
        }
        lines.push(tree.text(id));
        previous = Some(id);
    }
    lines.finish()
}

/// The text of pieces of text nodes, each the bytes of a node: `pieces` are in document order, do not overlap, and begin
/// and end between characters. Each is read as a text node of its own, and what is left out beside it as another.
///
/// ```
/// use carat_core::page::{parse::parse, render::render_pieces};
/// let tree = parse("<p>a b c</p>d").unwrap().tree;
/// let node = tree.ids().find(|&id| tree.text(id) == "a b c").unwrap();
/// assert_eq!(render_pieces(&tree, &[(node, 0..1), (node, 4..5)]), "a c");
/// ```
pub fn render_pieces(tree: &Tree, pieces: &[(NodeId, Range<usize>)]) -> String {
    let mut lines = Lines::default();
    let mut previous: Option<&(NodeId, Range<usize>)> = None;
    for piece in pieces {
        let (id, bytes) = piece;
        match previous.map(|previous| gap_of_pieces(tree, previous, piece)) {
            None | Some(Gap::Nothing) => {}
            Some(Gap::Space) => lines.space(),
            Some(Gap::LineBreak) => lines.break_line(),
        }
        lines.push(&tree.text(*id)[bytes.clone()]);
        previous = Some(piece);
    }
    lines.finish()
}

/// The gap between two pieces: text of their nodes that is left out is another text node.
fn gap_of_pieces(tree: &Tree, (from, part): &(NodeId, Range<usize>), (to, next): &(NodeId, Range<usize>)) -> Gap {
    let is_cut = if from == to { part.end < next.start } else { part.end < tree.text(*from).len() || next.start > 0 };
    match if from == to { Gap::Nothing } else { gap(tree, *from, *to) } {
        Gap::Nothing if is_cut => Gap::Space,
        gap => gap,
    }
}

/// Whether a line ends between two text nodes where `from` is followed by `to` in a selection.
pub fn breaks_line(tree: &Tree, from: NodeId, to: NodeId) -> bool {
    gap(tree, from, to) == Gap::LineBreak
}

fn gap(tree: &Tree, from: NodeId, to: NodeId) -> Gap {
    let mut gap = Gap::Nothing;
    for id in (from.0 + 1..to.0).map(NodeId) {
        if tree.is_block(id) || *tree.name(id) == local_name!("br") {
            return Gap::LineBreak;
        }
        if tree.is_text(id) {
            gap = Gap::Space;
        }
    }
    let mut left = tree.ancestors(from).take_while(|&id| !tree.contains(id, to));
    if left.any(|id| tree.is_block(id)) { Gap::LineBreak } else { gap }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    /// Renders the text nodes of `html` whose text is among `chosen` (all of them if empty).
    fn text(html: &str, chosen: &[&str]) -> String {
        let tree = parse(html).unwrap().tree;
        let body = tree.body().unwrap();
        let chosen = |id: &NodeId| tree.is_text(*id) && (chosen.is_empty() || chosen.contains(&tree.text(*id)));
        render(&tree, &tree.subtree(body).filter(chosen).collect())
    }

    #[test]
    fn line_breaks_follow_block_elements() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("a<div></div>b", &[], "a\nb"),
            ("<b>a</b> <b>c</b>", &[], "a c"),
            ("a<i>x</i>c", &["a", "c"], "a c"),
            ("<b>a</b> <b>c</b>", &["a", "c"], "a c"),
            ("a<i></i>c", &[], "ac"),
            ("a<br>c", &[], "a\nc"),
            ("a<hr>c", &[], "a\nc"),
            ("<span><p>a</p></span>c", &[], "a\nc"),
            ("a<script>x</script>c", &["a", "c"], "a c"),
            ("<table><tr><td>1<td>2</table>", &[], "1\n2"),
            ("<pre>a\n  b</pre>", &[], "a b"),
            ("<p>\u{3000}\u{3000}a</p><p>&nbsp;</p><p>c </p>", &[], "a\nc"),
            ("<select><option>a<option>b</select>", &[], "a\nb"),
        ];
        for (html, chosen, expected) in cases {
            assert_eq!(text(html, chosen), *expected, "{html}");
        }
    }

    #[test]
    fn whole_nodes_as_pieces_give_the_same_text() {
        for html in ["a<i>x</i>c", "<p>a<p> b <b>c</b> d<br>e", "<b>a</b> <b>c</b>"] {
            let tree = parse(html).unwrap().tree;
            let all: Selection = tree.subtree(tree.body().unwrap()).filter(|&id| tree.is_text(id)).collect();
            let whole: Vec<_> = all.nodes().iter().map(|&id| (id, 0..tree.text(id).len())).collect();
            assert_eq!(render_pieces(&tree, &whole), render(&tree, &all), "{html}");
        }
    }

    #[test]
    fn what_is_left_out_beside_a_piece_is_another_text_node() {
        let tree = parse("abc<b>def</b>").unwrap().tree;
        let nodes: Vec<_> = tree.ids().filter(|&id| tree.is_text(id)).collect();
        let text =
            |first: Range<usize>, second: Range<usize>| render_pieces(&tree, &[(nodes[0], first), (nodes[1], second)]);
        assert_eq!(text(0..3, 0..3), "abcdef");
        assert_eq!(text(1..3, 0..2), "bcde");
        assert_eq!(text(0..2, 0..3), "ab def");
        assert_eq!(text(0..3, 1..3), "abc ef");
        assert_eq!(render_pieces(&tree, &[(nodes[0], 0..1), (nodes[0], 1..2)]), "ab");
    }
}

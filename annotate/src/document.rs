//! A page as people mark it: its text nodes, what can be marked, its lines, and texts of parts of it.

use std::ops::Range;

use carat_core::page::Page;
use carat_core::page::render::{breaks_line, render, render_pieces};
use carat_core::page::selection::Selection;
use carat_core::page::tree::NodeId;
use carat_core::text::{chars, is_blank, is_white_space};

use crate::digest::sha256;

/// A page with more text nodes is refused.
pub const MAX_NODES: usize = 200_000;
/// A page with more characters is refused.
pub const MAX_CHARS: usize = 20_000_000;

/// The first and the last of a run of text nodes.
pub type Run = [u32; 2];

/// A page that is annotated. Text node `n` is the n-th visible text node of the body that is not blank, from 0.
pub struct Document {
    /// The page.
    pub page: Page,
    /// Its text nodes, in document order.
    pub nodes: Vec<NodeId>,
    /// The characters of each, white space left out.
    pub chars: Vec<u32>,
    /// The distinct runs of text nodes that elements of the body hold, and each text node; outer ones first.
    pub targets: Vec<Run>,
    /// Maximal runs between which the renderer breaks no line.
    pub lines: Vec<Run>,
    /// The text nodes that a space parts from the one before on their line: blank text stands between them.
    pub spaced: Vec<u32>,
    /// SHA-256 of the text of all nodes.
    pub text_sha256: String,
}

impl Document {
    /// The page as it is marked.
    ///
    /// # Errors
    /// A sentence: it is larger than the annotator takes.
    pub fn new(page: Page) -> Result<Self, String> {
        let tree = &page.tree;
        let Some(body) = tree.body() else {
            return Ok(Document {
                nodes: Vec::new(),
                chars: Vec::new(),
                targets: Vec::new(),
                lines: Vec::new(),
                spaced: Vec::new(),
                text_sha256: sha256(b""),
                page,
            });
        };
        let mut hidden_until = body;
        let (mut nodes, mut before) = (Vec::new(), Vec::with_capacity(tree.len()));
        for id in tree.subtree(body) {
            before.push(nodes.len() as u32);
            if tree.is_invisible(id) {
                hidden_until = hidden_until.max(tree.end(id));
            }
            if tree.is_text(id) && id >= hidden_until && !is_blank(tree.text(id)) {
                nodes.push(id);
            }
        }
        let lengths: Vec<u32> = nodes.iter().map(|&id| chars(tree.text(id)) as u32).collect();
        let total: usize = lengths.iter().map(|&length| length as usize).sum();
        if nodes.len() > MAX_NODES || total > MAX_CHARS {
            return Err(format!(
                "{} text nodes with {} characters; the annotator takes {} and {}; say its gold with `select` in the page list",
                grouped(nodes.len()),
                grouped(total),
                grouped(MAX_NODES),
                grouped(MAX_CHARS)
            ));
        }
        let count = |id: NodeId| before.get(id.index() - body.index()).copied().unwrap_or(nodes.len() as u32);
        let elements = tree.subtree(body).filter(|&id| tree.is_element(id));
        let held = elements.map(|id| (count(id), count(tree.end(id))));
        let mut targets: Vec<Run> = held.filter(|(from, to)| from < to).map(|(from, to)| [from, to - 1]).collect();
        targets.extend((0..nodes.len() as u32).map(|node| [node, node]));
        targets.sort_unstable_by_key(|&[first, last]| (first, std::cmp::Reverse(last)));
        targets.dedup();
        let mut lines: Vec<Run> = Vec::new();
        for (at, &id) in nodes.iter().enumerate() {
            match lines.last_mut() {
                Some([_, last]) if !breaks_line(tree, nodes[at - 1], id) => *last = at as u32,
                _ => lines.push([at as u32, at as u32]),
            }
        }
        let is_parted = |at: &usize| {
            (nodes[at - 1].0 + 1..nodes[*at].0).any(|id| tree.is_text(NodeId(id)))
                && lines.binary_search_by_key(&(*at as u32), |line| line[0]).is_err()
        };
        let spaced = (1..nodes.len()).filter(is_parted).map(|at| at as u32).collect();
        let all: Selection = nodes.iter().copied().collect();
        let text_sha256 = sha256(render(tree, &all).as_bytes());
        Ok(Document { nodes, chars: lengths, targets, lines, spaced, text_sha256, page })
    }

    /// The number of its text nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if it has no text node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The characters of text node `node`.
    pub fn text(&self, node: u32) -> &str {
        self.page.tree.text(self.nodes[node as usize])
    }

    /// True if `run` is the whole content of an element, or one text node.
    pub fn is_target(&self, run: Run) -> bool {
        let key = |&[first, last]: &Run| (first, std::cmp::Reverse(last));
        self.targets.binary_search_by_key(&key(&run), key).is_ok()
    }

    /// The fewest targets that make up the text nodes of `run`.
    ///
    /// ```
    /// # use carat_annotate::document::Document;
    /// # use carat_core::page::{Context, Page};
    /// let page = Page::new(b"<div><p>a</p><p>b<i>c</i></p></div><p>d</p>", Context::default()).unwrap();
    /// let document = Document::new(page).unwrap();
    /// assert_eq!(document.cover([0, 2]), [[0, 2]]);
    /// assert_eq!(document.cover([1, 3]), [[1, 2], [3, 3]]);
    /// ```
    pub fn cover(&self, [first, last]: Run) -> Vec<Run> {
        let mut cover = Vec::new();
        let mut next = first;
        while next <= last && (next as usize) < self.len() {
            let at = self.targets.partition_point(|target| target[0] < next);
            // The largest that begins here and does not go beyond; the text node itself is one of them.
            let found = self.targets[at..].iter().find(|target| target[1] <= last);
            let Some(&target) = found else { break };
            next = target[1] + 1;
            cover.push(target);
        }
        cover
    }

    /// The bytes of the characters `from..to` of a text node; white space behind them is theirs.
    pub fn bytes(&self, node: u32, from: u32, to: u32) -> Range<usize> {
        let text = self.text(node);
        let place = |wanted: u32| {
            let mut places = text.char_indices().filter(|(_, c)| !is_white_space(*c)).map(|(at, _)| at);
            places.nth(wanted as usize).unwrap_or(text.len())
        };
        // White space in front of the first character is of the first piece.
        let start = if from == 0 { 0 } else { place(from) };
        let end = place(to);
        start..end
    }

    /// The text of whole nodes and pieces of nodes, as `carat` renders it: `parts` are in document order and do not
    /// overlap; each is a node and the half-open range of its characters.
    pub fn render(&self, parts: &[(u32, u32, u32)]) -> String {
        let piece = |&(node, from, to): &(u32, u32, u32)| (self.nodes[node as usize], self.bytes(node, from, to));
        render_pieces(&self.page.tree, &parts.iter().map(piece).collect::<Vec<_>>())
    }
}

/// A number with commas between thousands.
///
/// ```
/// assert_eq!(carat_annotate::document::grouped(1204567), "1,204,567");
/// ```
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut parts: Vec<&str> = if first == 0 { Vec::new() } else { vec![&digits[..first]] };
    parts.extend((first..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    parts.join(",")
}

#[cfg(test)]
pub(crate) mod tests {
    use carat_core::page::Context;

    use super::*;

    /// The document of `html`, which has no doctype.
    pub(crate) fn document(html: &str) -> Document {
        let context = Context { encoding: None, ..Context::default() };
        Document::new(Page::new(format!("<meta charset=utf-8>{html}").as_bytes(), context).unwrap()).unwrap()
    }

    #[test]
    fn targets_are_nested_or_apart_and_each_stands_once() {
        let found = document("<div><div><p>a</p></div></div><p>&nbsp;</p><p>b<i>c</i></p><p></p>");
        assert_eq!(found.targets, [[0, 2], [0, 0], [1, 2], [1, 1], [2, 2]]);
        assert!(found.is_target([1, 2]) && !found.is_target([0, 1]) && !found.is_target([3, 3]));
        for one in &found.targets {
            for other in &found.targets {
                let apart = one[1] < other[0] || other[1] < one[0];
                let holds = |outer: &Run, inner: &Run| outer[0] <= inner[0] && inner[1] <= outer[1];
                assert!(apart || holds(one, other) || holds(other, one));
            }
        }
    }

    #[test]
    fn lines_are_broken_as_the_renderer_breaks_them() {
        let found = document("<table><tr><td>一<br>二<td>三</table><noscript>无</noscript><p>a <b>b</b>c");
        assert_eq!(found.lines, [[0, 0], [1, 1], [2, 2], [3, 5]]);
        assert!(found.spaced.is_empty());
        assert_eq!(document("a<b> </b><i>c</i>d<p>e").spaced, [1]);
        assert_eq!(document("<frameset><frame>").len(), 0);
    }

    #[test]
    fn characters_of_a_node_are_found_whatever_the_white_space() {
        let found = document("<p>\n 甲 乙\u{3000}丙 </p>");
        let part = |from, to| &found.text(0)[found.bytes(0, from, to)];
        assert_eq!(part(0, 1), "\n 甲 ");
        assert_eq!(part(1, 2), "乙\u{3000}");
        assert_eq!(part(1, 3), "乙\u{3000}丙 ");
        assert_eq!(part(0, 3), found.text(0));
    }

    #[test]
    fn a_page_beyond_the_limit_says_what_to_do() {
        let page = Page::new("<p>a".repeat(MAX_NODES + 1).as_bytes(), Context::default()).unwrap();
        let told = Document::new(page).err().unwrap();
        assert!(told.starts_with("200,001 text nodes") && told.contains("`select`"), "{told}");
    }
}

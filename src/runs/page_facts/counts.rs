//! What is counted on a page and in its gold.

use html5ever::local_name;

use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::links::{Anchor, Links};
use crate::algorithms::features::visible::{VisibleText, visible_nodes};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, Opened};
use crate::page::Page;
use crate::page::render::breaks_line;
use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};
use crate::runs::node_tokens::on_nodes;
use crate::text::chars;

/// What an element's id or class holds where comments of readers stand.
const COMMENTS: [&str; 3] = ["comment", "reply", "pinglun"];

/// What is counted on a page, in `chars` of visible text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// All.
    pub text: u64,
    /// Those in tables.
    pub in_tables: u64,
    /// Those outside links in comment areas: elements below the body whose id or class holds `comment`, `reply` or
    /// `pinglun`.
    pub in_comments: u64,
    /// What is counted in the gold, where there is one.
    pub gold: Option<GoldCounts>,
}

/// What is counted in a gold, and on the text nodes that it means: those that the dataset names, else those of which at
/// least half is matched in one alignment with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldCounts {
    /// `chars` of the gold text.
    pub text: u64,
    /// `chars` of its text nodes.
    pub on_page: u64,
    /// Those of them in tables.
    pub in_tables: u64,
    /// Those of them in links.
    pub in_links: u64,
    /// Lines that its text nodes make of which more than half of the `chars` are in links.
    pub link_lines: u64,
}

impl PageCounts {
    /// Of a page; `None` where it cannot be opened, or has too much text to find its gold in it.
    pub(super) fn of(dataset: &Dataset, record: &Record) -> Option<Self> {
        let Opened { page, gold, nodes, .. } = dataset.open(record).ok()?;
        let gold = match (gold, nodes) {
            (Some(gold), Some(nodes)) => Some((chars(&gold), nodes)),
            (Some(gold), None) => Some((chars(&gold), on_nodes(Choice::Text(gold), &page).ok()?)),
            (None, _) => None,
        };
        Some(PageCounts::new(&page, gold))
    }

    /// Of a page with so many `chars` of gold on these nodes.
    fn new(page: &Page, gold: Option<(usize, Selection)>) -> Self {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let links = Links::of(page, Anchor::Any);
        let nodes: Vec<Node> = text.nodes.iter().map(|&id| Node { id, chars: text.chars(tree, id).into() }).collect();
        let in_tables = inside(tree, &text, |id| *tree.name(id) == local_name!("table"));
        let in_comments = inside(tree, &text, |id| is_for_comments(tree, id));
        let sum = |is_meant: &dyn Fn(usize) -> bool| {
            let meant = nodes.iter().enumerate().filter(|(place, _)| is_meant(*place));
            meant.map(|(_, node)| node.chars).sum::<u64>()
        };
        PageCounts {
            text: sum(&|_| true),
            in_tables: sum(&|place| in_tables[place]),
            in_comments: sum(&|place| in_comments[place] && !links.in_link[place]),
            gold: gold.map(|(gold, selection)| {
                let is_gold: Vec<bool> = nodes.iter().map(|node| selection.has(node.id)).collect();
                GoldCounts {
                    text: gold as u64,
                    on_page: sum(&|place| is_gold[place]),
                    in_tables: sum(&|place| is_gold[place] && in_tables[place]),
                    in_links: sum(&|place| is_gold[place] && links.in_link[place]),
                    link_lines: link_lines(tree, &nodes, &is_gold, &links.in_link),
                }
            }),
        }
    }
}

/// A visible text node.
struct Node {
    id: NodeId,
    chars: u64,
}

/// For each of the page's visible text nodes: whether an element below the body that is meant stands above it.
fn inside(tree: &Tree, text: &VisibleText, is_meant: impl Fn(NodeId) -> bool) -> Vec<bool> {
    let mut inside = vec![false; text.nodes.len()];
    let mut marked = NodeId::DOCUMENT;
    for id in text.body.into_iter().flat_map(|body| visible_nodes(tree, body).skip(1)) {
        // What is inside a marked element is marked already.
        if id >= marked && tree.is_element(id) && is_meant(id) {
            marked = tree.end(id);
            inside[text.places(tree, id)].fill(true);
        }
    }
    inside
}

fn is_for_comments(tree: &Tree, id: NodeId) -> bool {
    let names = [local_name!("id"), local_name!("class")];
    let says_so = |value: &str| {
        let value = value.to_ascii_lowercase();
        COMMENTS.iter().any(|word| value.contains(word))
    };
    names.iter().any(|name| tree.attribute(id, name).is_some_and(says_so))
}

/// The lines that the chosen nodes make of which more than half is in links.
fn link_lines(tree: &Tree, nodes: &[Node], chosen: &[bool], in_link: &[bool]) -> u64 {
    let places: Vec<usize> = (0..nodes.len()).filter(|&place| chosen[place]).collect();
    let lines = places.chunk_by(|&one, &next| !breaks_line(tree, nodes[one].id, nodes[next].id));
    let of_links = lines.filter(|line| {
        let sum = |linked: bool| -> u64 {
            line.iter().filter(|&&place| in_link[place] || !linked).map(|&place| nodes[place].chars).sum()
        };
        2 * sum(true) > sum(false)
    });
    of_links.count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    /// The counts of a page whose gold is this text.
    fn counts(html: &str, gold: &str) -> PageCounts {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let nodes = on_nodes(Choice::Text(gold.to_owned()), &page).unwrap();
        PageCounts::new(&page, Some((chars(gold), nodes)))
    }

    #[test]
    fn text_is_counted_by_where_it_stands() {
        let html = "<body class=comments><table><tr><td>four<table><tr><td>in</table></table>\
            <div class='Post-Comments'>said <a href=x>link</a><p id=reply3>more</div><p>outside<script>table</script>";
        let told = counts(html, "outside");
        assert_eq!((told.text, told.in_tables, told.in_comments), (25, 6, 8));
        let none = counts("<p>no table<p class=commune>no area", "no table");
        assert_eq!((none.text, none.in_tables, none.in_comments), (13, 0, 0));
    }

    #[test]
    fn gold_is_counted_on_its_text_nodes() {
        let html =
            "<ul><li><a href=x>menu</a></ul><table><tr><td>body text</table><p>from <a href=y>a source</a><p>end";
        let told = counts(html, "body text\nfrom a source\nend").gold.unwrap();
        let expected = GoldCounts { text: 22, on_page: 22, in_tables: 8, in_links: 7, link_lines: 1 };
        assert_eq!(told, expected);
        // Half of a line in links is not most of it, and a line of the menu is no line of the gold.
        let half = counts("<ul><li><a href=x>menu</a></ul><p>text <a href=y>link</a>", "text link").gold.unwrap();
        assert_eq!((half.in_links, half.link_lines), (4, 0));
    }

    #[test]
    fn a_page_without_gold_or_text_has_nothing_to_count() {
        let page = Page::new(b"<frameset><frame></frameset>", Context::default()).unwrap();
        assert_eq!(PageCounts::new(&page, None), PageCounts::default());
    }
}

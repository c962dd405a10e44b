//! Attributes and classes that tell the gold from other text on page after page, whatever they are called: no site of many
//! writes so, a tool that marks the answer does.

use std::collections::HashMap;

use html5ever::local_name;

use super::{Finding, Kind};
use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};
use crate::text::{chars, dense};

/// Percent of a page's gold nodes that stand at or below elements with the mark, at least.
const OF_GOLD: usize = 95;

/// Percent of its other nodes that do, at most.
const OF_OTHERS: usize = 5;

/// A page of fewer gold nodes, or fewer others, says nothing.
const LEAST_NODES: usize = 3;

/// Fewer pages say nothing.
const LEAST_PAGES: usize = 5;

/// Percent of the pages on which a mark must tell the gold: a gold text is not found in every page as it is.
const OF_PAGES: usize = 75;

/// Of a gold text, a node of fewer characters is anywhere.
const LEAST_CHARACTERS: usize = 10;

/// So many bytes of gold are searched for the nodes of one page.
const MOST_BYTES: usize = 1 << 30;

/// What is known of a page's gold.
pub(super) enum GoldOf<'p> {
    /// Its text nodes.
    Nodes(&'p Selection),
    /// Its text.
    Text(&'p str),
}

impl GoldOf<'_> {
    /// Of each of these text nodes whether it is gold; nodes that are too short to be told are left out.
    fn told(&self, tree: &Tree, visible: &Selection) -> Vec<(NodeId, bool)> {
        match self {
            GoldOf::Nodes(nodes) => visible.nodes().iter().map(|&id| (id, nodes.has(id))).collect(),
            GoldOf::Text(gold) => {
                let gold = dense(gold);
                let long: Vec<NodeId> =
                    visible.nodes().iter().copied().filter(|&id| chars(tree.text(id)) >= LEAST_CHARACTERS).collect();
                match gold.len().saturating_mul(long.len()) <= MOST_BYTES {
                    true => long.into_iter().map(|id| (id, gold.contains(&dense(tree.text(id))))).collect(),
                    false => Vec::new(),
                }
            }
        }
    }
}

/// The marks that tell the gold among the visible text nodes of a page; `None` where it has too few.
pub(super) fn telling(tree: &Tree, visible: &Selection, gold: &GoldOf<'_>) -> Option<Vec<String>> {
    // Gold nodes and others before each node.
    let mut before = vec![[0usize; 2]; tree.len() + 1];
    for (id, is_gold) in gold.told(tree, visible) {
        before[id.index() + 1][usize::from(!is_gold)] += 1;
    }
    let mut sum = [0; 2];
    for nodes in &mut before {
        sum = added(sum, *nodes);
        *nodes = sum;
    }
    let all = before[tree.len()];
    if all.iter().any(|&nodes| nodes < LEAST_NODES) {
        return None;
    }
    let mut marks: HashMap<Mark<'_>, Under> = HashMap::new();
    for id in tree.ids().filter(|&id| tree.is_element(id)) {
        let end = tree.end(id).index();
        for mark in marks_of(tree, id) {
            let under = marks.entry(mark).or_default();
            // Elements inside one with the same mark are counted with it.
            if id.index() >= under.until {
                under.until = end;
                let ([gold, others], [gold_before, others_before]) = (before[end], before[id.index()]);
                under.nodes = added(under.nodes, [gold - gold_before, others - others_before]);
            }
        }
    }
    let tells = |under: &Under| under.nodes[0] * 100 >= all[0] * OF_GOLD && under.nodes[1] * 100 <= all[1] * OF_OTHERS;
    Some(marks.into_iter().filter(|(_, under)| tells(under)).map(|(mark, _)| mark.shown()).collect())
}

fn added(one: [usize; 2], other: [usize; 2]) -> [usize; 2] {
    [one[0] + other[0], one[1] + other[1]]
}

/// An attribute's name or a class.
#[derive(PartialEq, Eq, Hash)]
enum Mark<'t> {
    Attribute(&'t str),
    Class(&'t str),
}

impl Mark<'_> {
    fn shown(&self) -> String {
        match self {
            Mark::Attribute(name) => format!("[{name}]"),
            Mark::Class(name) => format!(".{name}"),
        }
    }
}

/// The gold nodes and the others at or below the elements with a mark, and where the last outermost of them ends.
#[derive(Default)]
struct Under {
    nodes: [usize; 2],
    until: usize,
}

fn marks_of(tree: &Tree, id: NodeId) -> impl Iterator<Item = Mark<'_>> {
    tree.attributes(id).flat_map(|attribute| {
        let is_class = *attribute.name == local_name!("class");
        let classes = is_class.then(|| attribute.value.split_ascii_whitespace().map(Mark::Class));
        let name = (!is_class).then_some(Mark::Attribute(attribute.name));
        classes.into_iter().flatten().chain(name)
    })
}

/// The marks of all pages.
#[derive(Default)]
pub(super) struct Telling {
    pages: usize,
    marks: HashMap<String, Seen>,
}

/// On how many pages a mark tells the gold, the site of the first, and whether there is another.
struct Seen {
    pages: usize,
    site: String,
    of_several: bool,
}

impl Telling {
    /// Adds what [`telling`] gave for a page of `site`.
    pub(super) fn add(&mut self, site: &str, marks: Vec<String>) {
        self.pages += 1;
        for mark in marks {
            let new = || Seen { pages: 0, site: site.to_owned(), of_several: false };
            let seen = self.marks.entry(mark).or_insert_with(new);
            seen.pages += 1;
            seen.of_several |= seen.site != site;
        }
    }

    /// A finding for each mark that tells the gold on most pages, of more than one site.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let tells =
            |seen: &Seen| seen.of_several && seen.pages >= LEAST_PAGES && seen.pages * 100 >= self.pages * OF_PAGES;
        let mut marks: Vec<(&String, &Seen)> = self.marks.iter().filter(|(_, seen)| tells(seen)).collect();
        marks.sort_unstable_by_key(|(mark, _)| *mark);
        let finding = |(mark, seen): (&String, &Seen)| {
            let message = format!(
                "`{mark}` is on nearly all of the gold and on hardly anything else on {} of {} pages: if a tool wrote it, name \
                 it under `annotations` in the manifest",
                seen.pages, self.pages
            );
            Finding { kind: Kind::TellingMark, level: Kind::TellingMark.level(), page: None, message }
        };
        marks.into_iter().map(finding).collect()
    }
}

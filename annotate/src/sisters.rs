//! Proposals from the pages of a site that the same annotator has finished.

use std::collections::HashMap;

use carat_core::page::tree::{NodeId, Tree};
use carat_core::text::dense;
use sha2::{Digest, Sha256};

use crate::document::{Document, Run};
use crate::guidelines::{Labels, NOT};
use crate::marks::{Change, Labelled};

/// The path and the text of each text node of a page: names, ids and classes from `html` down, and its characters without
/// white space. Of either, the first half of a SHA-256 stands here.
pub struct Places {
    paths: Vec<u128>,
    texts: Vec<u128>,
}

impl Places {
    /// Those of a page.
    pub fn of(document: &Document) -> Self {
        let tree = &document.page.tree;
        let mut known: HashMap<NodeId, String> = HashMap::new();
        let path = |&node: &NodeId| {
            let path = tree.parent(node).map_or_else(String::new, |parent| path_of(tree, parent, &mut known));
            half(&path)
        };
        let paths = document.nodes.iter().map(path).collect();
        let texts = document.nodes.iter().map(|&node| half(&dense(tree.text(node)))).collect();
        Places { paths, texts }
    }
}

fn half(text: &str) -> u128 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// The path of an element, from what is known of its ancestors.
fn path_of(tree: &Tree, id: NodeId, known: &mut HashMap<NodeId, String>) -> String {
    let mut missing = Vec::new();
    let mut path = String::new();
    for at in std::iter::once(id).chain(tree.ancestors(id)) {
        if let Some(found) = known.get(&at) {
            path.clone_from(found);
            break;
        }
        if tree.is_element(at) {
            missing.push(at);
        }
    }
    for at in missing.into_iter().rev() {
        path.push('/');
        path += &step(tree, at);
        known.insert(at, path.clone());
    }
    path
}

/// Name, id and classes of an element, runs of digits as `0`.
fn step(tree: &Tree, id: NodeId) -> String {
    let mut step = tree.name(id).to_string();
    let value = |name: &str| tree.attributes(id).find(|found| &**found.name == name).map(|found| found.value);
    if let Some(id) = value("id").map(str::trim).filter(|id| !id.is_empty()) {
        step = format!("{step}#{id}");
    }
    let mut classes: Vec<&str> = value("class").unwrap_or_default().split_ascii_whitespace().collect();
    classes.sort_unstable();
    classes.dedup();
    classes.iter().for_each(|class| step = format!("{step}.{class}"));
    without_numbers(&step)
}

/// `text` with each run of two or more digits as `0`.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        out += if digits.len() > 1 { "0" } else { &digits };
        digits.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

/// The number of times that each label stands on text nodes that are alike; by place.
type Tally = Vec<u32>;

/// The tallies of labels over the finished pages of a site.
#[derive(Default)]
pub struct Sisters {
    /// Pages, in the order in which they came.
    pub from: Vec<String>,
    of_paths: HashMap<u128, Tally>,
    of_texts: HashMap<(u128, u128), Tally>,
}

impl Sisters {
    /// Adds a finished page. Text without a label is `not`; pieces do not count.
    pub fn add(&mut self, page: &str, places: &Places, labelled: &Labelled, labels: &Labels) {
        self.from.push(page.to_owned());
        for (node, (path, text)) in (0..).zip(places.paths.iter().copied().zip(places.texts.iter().copied())) {
            let label = labelled.node(node).unwrap_or(NOT) as usize;
            let empty = || vec![0; labels.len()];
            self.of_paths.entry(path).or_insert_with(empty)[label] += 1;
            self.of_texts.entry((path, text)).or_insert_with(empty)[label] += 1;
        }
    }

    /// The label that they propose for each text node of a page.
    fn labels_of(&self, places: &Places, labels: &Labels) -> Vec<Option<u8>> {
        let nodes = places.paths.iter().zip(&places.texts);
        let label = |(&path, &text): (&u128, &u128)| {
            let same = self.of_texts.get(&(path, text));
            let repeated = same.and_then(|tally| most_of(tally, |label| !labels.is_gold(label)));
            repeated.or_else(|| {
                let tally = self.of_paths.get(&path)?;
                let all: u32 = tally.iter().sum();
                (0..).zip(tally).find(|(_, count)| **count * 2 > all).map(|(label, _)| label)
            })
        };
        nodes.map(label).collect()
    }

    /// The marks that they propose for a page.
    pub fn propose(&self, document: &Document, labels: &Labels) -> Vec<Change> {
        if self.from.is_empty() {
            return Vec::new();
        }
        changes(document, &self.labels_of(&Places::of(document), labels))
    }

    /// Why they propose what they propose for a text node, as counts: the same text at this path, and the path.
    pub fn why(&self, document: &Document, node: u32, labels: &Labels) -> Vec<(&'static str, Vec<(String, u32)>)> {
        let places = Places::of(document);
        let (path, text) = (places.paths[node as usize], places.texts[node as usize]);
        let told = |tally: &Tally| {
            let counts = (0..).zip(tally).filter(|(_, count)| **count > 0);
            counts.map(|(label, count)| (labels.name(label).to_owned(), *count)).collect()
        };
        let same = self.of_texts.get(&(path, text)).map(|tally| ("text", told(tally)));
        let alike = self.of_paths.get(&path).map(|tally| ("path", told(tally)));
        same.into_iter().chain(alike).collect()
    }
}

/// The most frequent of the labels that are meant, the first of equal ones.
fn most_of(tally: &Tally, is_meant: impl Fn(u8) -> bool) -> Option<u8> {
    let meant = (0..).zip(tally).filter(|(label, count)| **count > 0 && is_meant(*label));
    meant.max_by_key(|(label, count)| (**count, std::cmp::Reverse(*label))).map(|(label, _)| label)
}

/// The fewest marks that give each text node its label, neighbours of one label together.
pub fn changes(document: &Document, of_nodes: &[Option<u8>]) -> Vec<Change> {
    let mut runs: Vec<(Run, u8)> = Vec::new();
    for (node, label) in (0..).zip(of_nodes) {
        let Some(label) = *label else { continue };
        match runs.last_mut() {
            Some(([_, last], known)) if *known == label && *last + 1 == node => *last = node,
            _ => runs.push(([node, node], label)),
        }
    }
    let cover = |(run, label)| document.cover(run).into_iter().map(move |run| Change::Run(run, Some(label)));
    runs.into_iter().flat_map(cover).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::document;
    use crate::guidelines::{CONTENT, Guidelines};
    use crate::marks::Marks;

    fn learned(pages: &[(&str, &[Change])]) -> Sisters {
        let labels = Guidelines::built_in().labels;
        let mut sisters = Sisters::default();
        for (at, (html, set)) in pages.iter().enumerate() {
            let document = document(html);
            let mut marks = Marks::default();
            marks.apply(set, &[]);
            sisters.add(&format!("p{at}"), &Places::of(&document), &marks.labelled(document.len()), &labels);
        }
        sisters
    }

    fn proposed(sisters: &Sisters, html: &str) -> Vec<Change> {
        sisters.propose(&document(html), &Guidelines::built_in().labels)
    }

    const CONTENT_OF: fn(Run) -> Change = |run| Change::Run(run, Some(CONTENT));
    const NOT_OF: fn(Run) -> Change = |run| Change::Run(run, Some(NOT));

    #[test]
    fn the_same_text_at_the_same_path_that_is_no_gold_stays_none() {
        let finished = "<ul><li>首页<li>新闻</ul><div id=a12><p>甲<p>乙<p>版权 所有</div>";
        let sisters = learned(&[(finished, &[CONTENT_OF([2, 3])])]);
        // The path of paragraphs has two of three for content; the number in the id does not matter.
        let page = "<ul><li>首页<li>体育</ul><div id=a99><p>丙<p>版权所有<p>丁</div>";
        assert_eq!(proposed(&sisters, page), [NOT_OF([0, 1]), CONTENT_OF([2, 2]), NOT_OF([3, 3]), CONTENT_OF([4, 4])]);
        assert_eq!(sisters.from, ["p0"]);
    }

    #[test]
    fn half_is_not_more_than_half_and_unknown_paths_get_nothing() {
        let sisters = learned(&[("<p>甲<p>乙", &[CONTENT_OF([0, 0])])]);
        assert_eq!(proposed(&sisters, "<p>丙<h1>丁</h1>"), []);
        assert_eq!(proposed(&sisters, "<p>乙"), [NOT_OF([0, 0])]);
        assert_eq!(proposed(&Sisters::default(), "<p>乙"), []);
    }

    #[test]
    fn classes_are_sorted_and_short_numbers_kept() {
        let tree = document("<p class='b a2' id=x123y4><b>t</b>").page.tree;
        let id = tree.ids().find(|&id| &**tree.name(id) == "p").unwrap();
        assert_eq!(step(&tree, id), "p#x0y4.a2.b");
        assert_eq!(path_of(&tree, id, &mut HashMap::new()), "/html/body/p#x0y4.a2.b");
    }

    #[test]
    fn equal_neighbours_are_the_largest_runs_that_they_fill() {
        let page = document("<div><p>a<p>b</div><p>c<p>d");
        let (content, not) = (Some(CONTENT), Some(NOT));
        assert_eq!(
            changes(&page, &[content, content, content, not]),
            [CONTENT_OF([0, 1]), CONTENT_OF([2, 2]), NOT_OF([3, 3])]
        );
        assert_eq!(changes(&page, &[None, content, None, None]), [CONTENT_OF([1, 1])]);
    }
}

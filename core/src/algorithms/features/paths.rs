//! Tag paths: where in a page its leaves and texts stand.

use std::hash::{DefaultHasher, Hash, Hasher};

use html5ever::LocalName;
use rustc_hash::FxHashMap;

use super::outline::{Children, Outline};
use super::visible::VisibleText;
use crate::page::Page;
use crate::page::tree::Tree;
use crate::text::collapse;

/// Tag paths by number, each distinct one once; a text node ends one with no tag.
#[derive(Default)]
pub struct TagPaths {
    /// By the number of the path above and the tag.
    known: FxHashMap<(u32, LocalName), u32>,
}

impl TagPaths {
    /// The number of the path that goes on from `above` with `tag`: of a new one, how many there were before it. At the
    /// root `above` is any number that no path has.
    pub fn below(&mut self, above: u32, tag: &LocalName) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry((above, tag.clone())).or_insert(next)
    }

    /// The path of every node of an outline, from its root down.
    pub fn of(&mut self, tree: &Tree, outline: &Outline) -> Vec<u32> {
        let mut paths: Vec<u32> = Vec::with_capacity(outline.nodes.len());
        for (&id, &parent) in outline.nodes.iter().zip(&outline.parents) {
            let above = paths.get(parent as usize).copied().unwrap_or(u32::MAX);
            paths.push(self.below(above, tree.name(id)));
        }
        paths
    }

    /// As [`TagPaths::of`]; `None` for a path that no page had.
    pub fn find(&self, tree: &Tree, outline: &Outline) -> Vec<Option<u32>> {
        let mut paths: Vec<Option<u32>> = Vec::with_capacity(outline.nodes.len());
        for (&id, &parent) in outline.nodes.iter().zip(&outline.parents) {
            let above = paths.get(parent as usize).copied().unwrap_or(Some(u32::MAX));
            paths.push(above.and_then(|above| self.known.get(&(above, tree.name(id).clone())).copied()));
        }
        paths
    }

    /// How often each path from the body to a leaf occurs, in the order of their numbers; empty without a body.
    pub fn leaves(&mut self, page: &Page) -> Bag {
        let Some(body) = page.tree.body() else { return Bag::default() };
        let outline = Outline::new(&page.tree, body, Children::VisibleText);
        let paths = self.of(&page.tree, &outline);
        let is_leaf = |number: &u32| outline.children(*number).is_empty();
        let mut leaves: Vec<u32> = outline.numbers().filter(is_leaf).map(|number| paths[number as usize]).collect();
        leaves.sort_unstable();
        let counts = leaves.chunk_by(|one, other| one == other).map(|equal| (equal[0], equal.len() as u32)).collect();
        Bag { counts, total: leaves.len() as u64 }
    }
}

/// Things by number, with how often each occurs, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bag {
    counts: Box<[(u32, u32)]>,
    total: u64,
}

impl Bag {
    /// What two bags have in common, and what either has: the sums of smaller and of greater numbers.
    pub fn overlap(&self, other: &Bag) -> (u64, u64) {
        let (mut ones, mut others) = (self.counts.iter().peekable(), other.counts.iter().peekable());
        let mut common = 0;
        while let (Some(&&(one, count)), Some(&&(other, other_count))) = (ones.peek(), others.peek()) {
            if one == other {
                common += u64::from(count.min(other_count));
            }
            ones.next_if(|_| one <= other);
            others.next_if(|_| other <= one);
        }
        (common, self.total + other.total - common)
    }
}

/// A number for each visible text with its tag path, sorted; equal where both are equal. (Hashes of 64 bits: they
/// only break ties.)
pub fn text_marks(page: &Page) -> Box<[u64]> {
    let text = page.view::<VisibleText>();
    let Some(body) = text.body else { return Box::default() };
    let outline = Outline::new(&page.tree, body, Children::VisibleText);
    let mut paths: Vec<u64> = Vec::with_capacity(outline.nodes.len());
    let mut marks = Vec::with_capacity(text.nodes.len());
    for (&id, &parent) in outline.nodes.iter().zip(&outline.parents) {
        let above = paths.get(parent as usize).copied().unwrap_or_default();
        if page.tree.is_text(id) {
            marks.push(hash(&(above, collapse(page.tree.text(id)))));
        }
        paths.push(hash(&(above, &**page.tree.name(id))));
    }
    marks.sort_unstable();
    marks.into()
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// How many numbers two sorted lists share, as multisets.
pub fn shared(ones: &[u64], others: &[u64]) -> usize {
    let (mut one, mut other, mut shared) = (0, 0, 0);
    while let (Some(a), Some(b)) = (ones.get(one), others.get(other)) {
        shared += usize::from(a == b);
        one += usize::from(a <= b);
        other += usize::from(b <= a);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    #[test]
    fn leaves_are_counted_by_path() {
        let mut paths = TagPaths::default();
        let four = paths.leaves(&page("<p>a<p>b<p>c<p>d"));
        let five = paths.leaves(&page("<p>a<p>b<p>c<p>d<p>e"));
        // 4 texts in p against 5.
        assert_eq!(four.overlap(&five), (4, 5));
        // p, and p with text twice, against p with text once and an empty div.
        let (one, other) = (paths.leaves(&page("<p><p>a<p>b")), paths.leaves(&page("<p>c<div> </div>")));
        assert_eq!((one.overlap(&other), other.overlap(&one)), ((1, 4), (1, 4)));
        assert_eq!(paths.leaves(&page("<frameset>")), Bag::default());
    }

    #[test]
    fn paths_are_found_as_they_were_numbered() {
        let (one, other) = (page("<p>a<b>c</b></p>"), page("<i><b>d</b></i><p><b>e"));
        let outline = |page: &Page| Outline::new(&page.tree, page.tree.body().unwrap(), Children::VisibleText);
        let mut paths = TagPaths::default();
        let numbers: Vec<_> = paths.of(&one.tree, &outline(&one)).into_iter().map(Some).collect();
        assert_eq!(paths.find(&one.tree, &outline(&one)), numbers);
        // body, i, b, text, then p, b and its text.
        let expected = [numbers[0], None, None, None, numbers[1], numbers[3], numbers[4]];
        assert_eq!(paths.find(&other.tree, &outline(&other)), expected);
    }

    #[test]
    fn texts_are_shared_with_their_paths_as_often_as_both_have_them() {
        let shared = |one: &str, other: &str| shared(&text_marks(&page(one)), &text_marks(&page(other)));
        assert_eq!(shared("<p>a<p>a<p>a b<i>c</i>", "<p>a<p>a<p>a<p>a  b<b>c</b>"), 3);
        assert_eq!(shared("<p>a", "<div>a"), 0);
        assert_eq!(shared("<p>a", "<frameset>"), 0);
    }
}

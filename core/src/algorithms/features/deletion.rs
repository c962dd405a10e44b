//! What of a page another page has too: DeleteSame of ISTM, and readings of it.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outline::{Children, Outline};
use super::paths::TagPaths;
use super::subtrees::{Labels, Subtrees};
use super::visible::VisibleText;
use crate::algorithms::algorithm::Choice;
use crate::page::Page;
use crate::page::tree::NodeId;
use crate::text::collapse;

/// Which nodes of two pages are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pairing {
    /// Children at the same place; both lists stay as they are.
    Static,
    /// Children at the same place, but what is deleted leaves its list at once, so that the next one is passed over
    /// and all later ones meet another partner.
    Live,
    /// Children on a longest common subsequence of both lists, those between by tag. Lists whose differing parts
    /// have more than four million pairs are read as by `static`.
    Aligned,
    /// No nodes: texts with equal tag paths.
    PathText,
}

/// A page whose text other pages are held against.
pub struct Original<'p> {
    page: &'p Page,
    text: Arc<VisibleText>,
    /// The body with its visible text; `None` without a body.
    outline: Option<Outline>,
    /// Each node's subtree.
    numbers: Vec<u32>,
    labels: Labels,
    subtrees: Subtrees,
}

impl<'p> Original<'p> {
    /// Reads the page.
    pub fn new(page: &'p Page) -> Self {
        let (mut labels, mut subtrees) = (Labels::default(), Subtrees::default());
        let outline = outline(page);
        let label = |id: NodeId| labels.with_content(&page.tree, id);
        let numbers = outline.as_ref().map(|outline| subtrees.intern(outline, label)).unwrap_or_default();
        Original { page, text: page.view::<VisibleText>(), outline, numbers, labels, subtrees }
    }

    /// The visible text nodes that are left where what each of `references` has too is deleted. They are read one
    /// after the other.
    ///
    /// # Errors
    /// The first of `references`.
    pub fn without<E>(
        &self,
        references: impl IntoIterator<Item = Result<Arc<Page>, E>>,
        pairing: Pairing,
    ) -> Result<Choice, E> {
        let mut deleted = vec![false; self.text.nodes.len()];
        for reference in references {
            self.deleted(&*reference?, pairing).for_each(|ranks| deleted[ranks].fill(true));
        }
        let left = self.text.nodes.iter().copied().zip(deleted).filter(|(_, deleted)| !deleted);
        Ok(left.map(|(id, _)| id).collect())
    }

    /// The places among [`VisibleText::nodes`] of the text nodes that go because `reference` has them too.
    pub fn deleted(&self, reference: &Page, pairing: Pairing) -> impl Iterator<Item = Range<usize>> + '_ {
        let ranks = |id: NodeId| {
            let under = self.text.under(&self.page.tree, id);
            let first = self.text.rank(&self.page.tree, *under.first()?)?;
            Some(first..first + under.len())
        };
        self.matched(reference, pairing).into_iter().filter_map(ranks)
    }

    /// The nodes of the page that go because `reference` has them too, none below another.
    pub fn matched(&self, reference: &Page, pairing: Pairing) -> Vec<NodeId> {
        match (pairing, &self.outline, outline(reference)) {
            (Pairing::PathText, Some(own), Some(theirs)) => self.same_texts(reference, own, &theirs),
            (_, Some(own), Some(theirs)) => self.same_nodes(reference, own, &theirs, pairing),
            _ => Vec::new(),
        }
    }

    /// Algorithm 2: walks both pages down together and finds what is completely identical.
    fn same_nodes(&self, reference: &Page, own: &Outline, theirs: &Outline, pairing: Pairing) -> Vec<NodeId> {
        let mut written = String::new();
        let label = |id: NodeId| self.labels.find_content(&reference.tree, id, &mut written);
        let numbers = self.subtrees.find(theirs, label);
        let mut walk = Walk { lists: vec![(0, 0)], deleted: Vec::new() };
        let are_same = |own: u32, their: u32| Some(self.numbers[own as usize]) == numbers[their as usize];
        let name = |page: &'p Page, outline: &Outline, number: u32| page.tree.name(outline.nodes[number as usize]);
        let have_same_tag = |own_number: u32, their_number: u32| {
            let their = reference.tree.name(theirs.nodes[their_number as usize]);
            name(self.page, own, own_number) == their
        };
        while let Some((own_root, their_root)) = walk.lists.pop() {
            let (ones, others) = (own.children(own_root), theirs.children(their_root));
            match pairing {
                Pairing::Live => walk.live(ones, others, are_same),
                Pairing::Aligned => walk.aligned(ones, others, are_same, have_same_tag),
                Pairing::Static | Pairing::PathText => walk.fixed(ones, others, are_same),
            }
        }
        walk.deleted.into_iter().map(|number| own.nodes[number as usize]).collect()
    }

    /// Each text, in order, for which the reference has one more with the same tag path.
    fn same_texts(&self, reference: &Page, own: &Outline, theirs: &Outline) -> Vec<NodeId> {
        let mut paths = TagPaths::default();
        let (own_paths, their_paths) = (paths.of(&self.page.tree, own), paths.of(&reference.tree, theirs));
        let mut unused: FxHashMap<(u32, String), u32> = FxHashMap::default();
        for (&id, path) in theirs.nodes.iter().zip(their_paths).filter(|&(&id, _)| reference.tree.is_text(id)) {
            *unused.entry((path, collapse(reference.tree.text(id)))).or_insert(0) += 1;
        }
        let tree = &self.page.tree;
        let texts = own.nodes.iter().zip(own_paths).filter(|&(&id, _)| tree.is_text(id));
        let is_same = |&(&id, path): &(&NodeId, u32)| {
            let left = unused.get_mut(&(path, collapse(tree.text(id)))).filter(|count| **count > 0);
            left.map(|count| *count -= 1).is_some()
        };
        texts.filter(is_same).map(|(&id, _)| id).collect()
    }
}

fn outline(page: &Page) -> Option<Outline> {
    Some(Outline::new(&page.tree, page.tree.body()?, Children::VisibleText))
}

/// Two pages walked down together.
struct Walk {
    /// Pairs of nodes whose children are still to be held against each other: the page's own, the reference's.
    lists: Vec<(u32, u32)>,
    /// Nodes of the page that go.
    deleted: Vec<u32>,
}

impl Walk {
    fn pair(&mut self, one: u32, other: u32, are_same: impl Fn(u32, u32) -> bool) {
        if are_same(one, other) {
            self.deleted.push(one);
        } else {
            self.lists.push((one, other));
        }
    }

    fn fixed(&mut self, ones: &[u32], others: &[u32], are_same: impl Fn(u32, u32) -> bool) {
        ones.iter().zip(others).for_each(|(&one, &other)| self.pair(one, other, &are_same));
    }

    fn live(&mut self, ones: &[u32], others: &[u32], are_same: impl Fn(u32, u32) -> bool) {
        // What was removed before `one` moved it that far to the left.
        let mut removed = 0;
        for (place, &other) in others.iter().enumerate() {
            let Some(&one) = ones.get(place + removed) else { break };
            removed += usize::from(are_same(one, other));
            self.pair(one, other, &are_same);
        }
    }

    fn aligned(
        &mut self,
        ones: &[u32],
        others: &[u32],
        are_same: impl Fn(u32, u32) -> bool,
        have_same_tag: impl Fn(u32, u32) -> bool,
    ) {
        let Some(matches) = common_subsequence(ones, others, &are_same) else {
            return self.fixed(ones, others, are_same);
        };
        let (mut one, mut other) = (0, 0);
        for (at, their) in matches.into_iter().chain([(ones.len(), others.len())]) {
            let (own_between, their_between) = (&ones[one..at], &others[other..their]);
            // As many pairs as the whole lists have, at most.
            let alike = common_subsequence(own_between, their_between, &have_same_tag).unwrap_or_default();
            self.lists.extend(alike.into_iter().map(|(at, their)| (own_between[at], their_between[their])));
            self.deleted.extend(ones.get(at));
            (one, other) = (at + 1, their + 1);
        }
    }
}

/// More pairs of items are not looked at: the time of all lists of two pages stays within this number's root times
/// their nodes.
const MOST_PAIRS: usize = 1 << 22;

/// The places of a longest common subsequence. Common ends are taken first; of several ways on, the one that leaves
/// out an item of `ones` is preferred. `None` where what is between the ends has more than [`MOST_PAIRS`] pairs.
fn common_subsequence(ones: &[u32], others: &[u32], same: impl Fn(u32, u32) -> bool) -> Option<Vec<(usize, usize)>> {
    let before = ones.iter().zip(others).take_while(|&(&one, &other)| same(one, other)).count();
    let (own, their) = (&ones[before..], &others[before..]);
    let after = own.iter().rev().zip(their.iter().rev()).take_while(|&(&one, &other)| same(one, other)).count();
    let (own, their) = (&own[..own.len() - after], &their[..their.len() - after]);
    if own.len().saturating_mul(their.len()) > MOST_PAIRS {
        return None;
    }
    let width = their.len() + 1;
    // The length of a longest common subsequence from each pair of places on; at most the root of `MOST_PAIRS`.
    let mut longest = vec![0u16; (own.len() + 1) * width];
    for i in (0..own.len()).rev() {
        for j in (0..their.len()).rev() {
            let (down, right) = (longest[(i + 1) * width + j], longest[i * width + j + 1]);
            let is_match = same(own[i], their[j]);
            longest[i * width + j] = if is_match { longest[(i + 1) * width + j + 1] + 1 } else { down.max(right) };
        }
    }
    let mut places: Vec<(usize, usize)> = (0..before).map(|place| (place, place)).collect();
    let (mut i, mut j) = (0, 0);
    while i < own.len() && j < their.len() {
        if same(own[i], their[j]) {
            places.push((before + i, before + j));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    places.extend((0..after).rev().map(|place| (ones.len() - 1 - place, others.len() - 1 - place)));
    Some(places)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::Context;

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    fn left(one: &str, others: &[&str], pairing: Pairing) -> String {
        texts_left(&page(one), others.iter().map(|html| page(html)).collect(), pairing).join(" / ")
    }

    fn texts_left(page: &Page, references: Vec<Page>, pairing: Pairing) -> Vec<String> {
        let references = references.into_iter().map(|page| Ok::<_, ()>(Arc::new(page)));
        let Choice::Selection(left) = Original::new(page).without(references, pairing).unwrap() else { panic!() };
        left.nodes().iter().map(|&id| collapse(page.tree.text(id))).collect()
    }

    const X: &str = "<body><p>Menu</p><p>News</p><p>Rain today.</p><p>Bye</p></body>";
    const Y: &str = "<body><p>Menu</p><p>Ad</p><p>News</p><p>Sun today.</p><p>Bye</p></body>";

    #[test]
    fn what_is_left_of_page_x_is_as_worked_by_hand() {
        // Static: Menu meets Menu; News Ad; Rain today. News; Bye Sun today.
        assert_eq!(left(X, &[Y], Pairing::Static), "News / Rain today. / Bye");
        // Live: Menu goes, News is passed over; Rain today. meets Ad, Bye News.
        assert_eq!(left(X, &[Y], Pairing::Live), "News / Rain today. / Bye");
        assert_eq!(left(X, &[Y], Pairing::Aligned), "Rain today.");
        assert_eq!(left(X, &[Y], Pairing::PathText), "Rain today.");
    }

    #[test]
    fn a_text_goes_if_any_reference_deletes_it() {
        let others = ["<p>a</p><p>x</p><p>x</p>", "<p>x</p><p>b</p><p>x</p>"];
        assert_eq!(left("<p>a</p><p>b</p><p>c</p>", &others, Pairing::Static), "c");
        assert_eq!(left("<p>a</p>", &["<frameset>"], Pairing::Static), "a");
        assert_eq!(left("<p>a</p>", &[], Pairing::Static), "a");
    }

    #[test]
    fn each_text_of_the_reference_deletes_one() {
        assert_eq!(left("<p>a</p><p>a</p><div>a</div>", &["<p>b</p><p>a</p>"], Pairing::PathText), "a / a");
    }

    #[test]
    fn what_lies_between_matches_is_paired_by_tag() {
        let one = "<p>new</p><div><i>menu</i><b>own</b></div><p>end</p>";
        let other = "<div><i>menu</i><b>other</b></div><p>end</p>";
        assert_eq!(left(one, &[other], Pairing::Aligned), "new / own");
        assert_eq!(left(one, &[other], Pairing::Static), "new / menu / own / end");
    }

    #[test]
    fn long_lists_are_aligned_or_read_place_by_place() {
        let list = |count: usize, first: usize| -> String {
            (first..first + count).map(|number| format!("<p>{number}</p>")).collect()
        };
        // One list begins one further: all but the first is found again.
        assert_eq!(left(&list(2000, 0), &[&list(2000, 1)], Pairing::Aligned), "0");
        assert_eq!(left(&list(3000, 0), &[&list(3000, 1)], Pairing::Aligned).split(" / ").count(), 3000);
        // Common ends do not count.
        assert_eq!(left(&list(5000, 0), &[&list(5000, 0).replace(">7<", ">x<")], Pairing::Aligned), "7");
    }

    #[test]
    fn of_several_subsequences_the_first_list_gives_way() {
        let common = |one: &[u32], other: &[u32]| common_subsequence(one, other, |a, b| a == b).unwrap();
        assert_eq!(common(&[1, 2], &[2, 1]), [(1, 0)]);
        assert_eq!(common(&[1, 2, 3, 4], &[1, 3, 2, 4]), [(0, 0), (2, 1), (3, 3)]);
        assert_eq!(common(&[1, 1], &[1]), [(0, 0)]);
        assert_eq!(common(&[], &[1]), []);
    }

    /// A page of nested elements with texts, a character each.
    fn made(marks: &[u8]) -> String {
        let parts = ["<div>", "</div>", "<p>", "</p>", "a", "b", "<i>a</i>", "<i>b</i>", "<b class=x>a</b>", "<br>"];
        marks.iter().map(|&mark| parts[mark as usize % parts.len()]).collect()
    }

    /// Each visible text with the places of its ancestors among their parents' children, from the body down.
    fn places(page: &Page) -> Vec<(Vec<usize>, String)> {
        let outline = outline(page).unwrap();
        let mut places: Vec<Vec<usize>> = Vec::new();
        for number in outline.numbers() {
            let parent = outline.parents[number as usize];
            let mut path = places.get(parent as usize).cloned().unwrap_or_default();
            path.extend(outline.children(parent).iter().position(|&child| child == number));
            places.push(path);
        }
        let texts = outline.nodes.iter().zip(places).filter(|(id, _)| page.tree.is_text(**id));
        texts.map(|(&id, path)| (path, collapse(page.tree.text(id)))).collect()
    }

    proptest! {
        /// A property of `static`.
        #[test]
        fn what_is_left_has_no_equal_text_at_its_place(
            one in prop::collection::vec(any::<u8>(), 0..30),
            other in prop::collection::vec(any::<u8>(), 0..30),
        ) {
            let (one, other) = (page(&made(&one)), page(&made(&other)));
            let known = places(&other);
            let expected: Vec<String> =
                places(&one).into_iter().filter(|place| !known.contains(place)).map(|(_, text)| text).collect();
            prop_assert_eq!(texts_left(&one, vec![other], Pairing::Static), expected);
        }
    }
}

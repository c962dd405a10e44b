//! The view of an adjudicator: the pages that several people finished, the labels on which they agree, and the two sides
//! where they do not.

use serde_json::Value as Json;

use crate::document::{Document, Run};
use crate::event::Proposal;
use crate::guidelines::{Labels, NOT};
use crate::marks::{Change, Labelled};
use crate::proposals::{runs_of, share_of};
use crate::sisters::changes;

/// The labels of a text node: from, to and label, in order and without a gap.
type Parts = Vec<(u32, u32, u8)>;

/// The marks of two or more people on a page.
pub struct Sides {
    /// The marks on which they agree, and the runs on which they differ.
    pub agreed: Proposal,
    /// The marks of the left side where they differ.
    pub left: Vec<Json>,
    /// Those of the right side.
    pub right: Vec<Json>,
}

/// The parts of each text node, text without a label being `not`, equal neighbours joined.
fn parts_of(document: &Document, labelled: &Labelled) -> Vec<Parts> {
    let of_node = |(node, &chars): (u32, &u32)| {
        let mut parts: Parts = Vec::new();
        for (from, to, label) in labelled.parts(node, chars) {
            let label = label.unwrap_or(NOT);
            match parts.last_mut() {
                Some((_, end, known)) if *known == label => *end = to,
                _ => parts.push((from, to, label)),
            }
        }
        parts
    };
    (0..).zip(&document.chars).map(of_node).collect()
}

/// True if all of `people` say the same of the page.
pub fn are_alike(document: &Document, people: &[&Labelled]) -> bool {
    let all: Vec<Vec<Parts>> = people.iter().map(|labelled| parts_of(document, labelled)).collect();
    all.windows(2).all(|two| two[0] == two[1])
}

impl Sides {
    /// The sides of a page that `people`, two or more of them, have finished. Of two, chance by page and seed says who is
    /// left; of more, left is what most say of a text node, and right what most of the others say.
    pub fn of(document: &Document, people: &[&Labelled], page: &str, seed: u64, labels: &Labels) -> Self {
        let all: Vec<Vec<Parts>> = people.iter().map(|labelled| parts_of(document, labelled)).collect();
        let is_swapped = people.len() == 2 && share_of(&["carat-sides", &seed.to_string(), page]) < 0.5;
        let mut of_nodes: Vec<Option<u8>> = Vec::with_capacity(document.len());
        let (mut pieces, mut sides) = (Vec::new(), [Vec::new(), Vec::new()]);
        let mut is_disputed = Vec::with_capacity(document.len());
        for node in 0..document.len() {
            let said: Vec<&Parts> = all.iter().map(|parts| &parts[node]).collect();
            let (first, second) = two_most(&said);
            is_disputed.push(second.is_some());
            of_nodes.push(if second.is_none() && first.len() == 1 { Some(first[0].2) } else { None });
            let marks = |parts: &Parts| as_changes(node as u32, parts);
            match second {
                None if first.len() > 1 => pieces.extend(marks(first)),
                None => {}
                Some(second) => {
                    let (left, right) = if is_swapped { (second, first) } else { (first, second) };
                    sides[0].extend(marks(left));
                    sides[1].extend(marks(right));
                }
            }
        }
        let written = |changes: Vec<Change>| changes.into_iter().map(|change| change.written(labels)).collect();
        let set = changes(document, &of_nodes).into_iter().chain(pieces).collect();
        let disputed = runs_of(is_disputed.into_iter());
        let agreed = Proposal { kind: "agreed".to_owned(), set: written(set), disputed, ..Proposal::default() };
        let [left, right] = sides;
        Sides { agreed, left: written(left), right: written(right) }
    }

    /// The runs on which they differ.
    pub fn disputed(&self) -> &[Run] {
        &self.agreed.disputed
    }
}

/// The labels that most give, and those that most of the others give; of labels given equally often, the first.
fn two_most<'p>(said: &[&'p Parts]) -> (&'p Parts, Option<&'p Parts>) {
    let most = |meant: Vec<&'p Parts>| {
        let times = |parts: &Parts| meant.iter().filter(|other| **other == parts).count();
        let mut best: Option<&'p Parts> = None;
        for &parts in &meant {
            if best.is_none_or(|known| times(parts) > times(known)) {
                best = Some(parts);
            }
        }
        best
    };
    let first = most(said.to_vec()).expect("a page has two or more people");
    (first, most(said.iter().copied().filter(|parts| *parts != first).collect()))
}

fn as_changes(node: u32, parts: &Parts) -> Vec<Change> {
    match parts[..] {
        [(_, _, label)] => vec![Change::Run([node, node], Some(label))],
        _ => parts.iter().map(|&(from, to, label)| Change::Piece(node, from, to, Some(label))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::tests::document;
    use crate::guidelines::Guidelines;
    use crate::marks::Marks;

    fn labelled(page: &Document, set: Json) -> Labelled {
        let labels = Guidelines::built_in().labels;
        let mut marks = Marks::default();
        let set: Vec<Change> =
            set.as_array().unwrap().iter().map(|entry| Change::read(entry, &labels).unwrap()).collect();
        marks.apply(&set, &[]);
        marks.labelled(page.len())
    }

    const HTML: &str = "<div><p>a</p><p>b</p></div><p>cd</p><p>e</p>";

    #[test]
    fn what_is_common_is_proposed_and_the_rest_has_two_sides() {
        let page = document(HTML);
        let one = labelled(&page, json!([[0, 1, "content"], [2, 0, 1, "title"]]));
        let other = labelled(&page, json!([[0, 1, "content"], [1, 1, "unsure"], [2, 2, "title"]]));
        let labels = Guidelines::built_in().labels;
        let of = |id: &str| Sides::of(&page, &[&one, &other], id, 1, &labels);
        let sides: Vec<Sides> = (0..20).map(|at| of(&format!("p{at}"))).collect();
        assert_eq!(sides[0].agreed.set, [json!([0, 0, "content"]), json!([3, 3, "not"])]);
        assert_eq!(sides[0].disputed(), [[1, 2]]);
        let of_one = [json!([1, 1, "content"]), json!([2, 0, 1, "title"]), json!([2, 1, 2, "not"])];
        let of_other = [json!([1, 1, "unsure"]), json!([2, 2, "title"])];
        let straight = sides.iter().filter(|sides| sides.left == of_one && sides.right == of_other).count();
        let swapped = sides.iter().filter(|sides| sides.right == of_one && sides.left == of_other).count();
        assert!(straight > 3 && swapped > 3 && straight + swapped == 20, "{straight} {swapped}");
        assert!(!are_alike(&page, &[&one, &other]) && are_alike(&page, &[&one, &one]));
    }

    #[test]
    fn of_three_the_majority_is_left() {
        let page = document(HTML);
        let content = labelled(&page, json!([[3, 3, "content"]]));
        let nothing = labelled(&page, json!([]));
        let title = labelled(&page, json!([[3, 3, "title"]]));
        let labels = Guidelines::built_in().labels;
        for people in [[&title, &content, &content], [&content, &nothing, &content]] {
            let sides = Sides::of(&page, &people, "p", 1, &labels);
            assert_eq!(sides.left, [json!([3, 3, "content"])]);
            assert_eq!(sides.disputed(), [[3, 3]]);
        }
    }

    #[test]
    fn text_without_a_label_is_not() {
        let page = document(HTML);
        let (nothing, not) = (labelled(&page, json!([])), labelled(&page, json!([[0, 1, "not"]])));
        assert!(are_alike(&page, &[&nothing, &not]));
    }
}

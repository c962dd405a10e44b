//! Taking elements away from the inner ones outwards, each judged by what is left of it, at all thresholds at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::visible::VisibleText;
use crate::algorithms::value::Value;
use crate::page::tree::{NodeId, Tree};

/// From which value of a swept threshold on each text node is chosen.
pub struct Pruned {
    text: Arc<VisibleText>,
    /// In the order of [`VisibleText::nodes`]; infinity for one that never is.
    least: Vec<Value>,
}

impl Pruned {
    /// The text nodes around which no element has fallen; `thresholds` are those from which on the nodes of `tree` stay.
    pub fn new(tree: &Tree, text: Arc<VisibleText>, mut thresholds: Vec<Value>) -> Self {
        for id in tree.ids() {
            if let Some(parent) = tree.parent(id) {
                thresholds[id.index()] = thresholds[id.index()].max(thresholds[parent.index()]);
            }
        }
        let least = text.nodes.iter().map(|id| thresholds[id.index()]).collect();
        Pruned { text, least }
    }

    /// The text nodes that are chosen at `threshold`.
    pub fn at(&self, threshold: Value) -> impl Iterator<Item = NodeId> + '_ {
        let all = self.text.nodes.iter().zip(&self.least);
        all.filter(move |&(_, &least)| least <= threshold).map(|(&id, _)| id)
    }

    /// Where the choice changes while the threshold grows, in order.
    pub fn break_points(&self) -> Vec<Value> {
        let mut points: Vec<Value> = self.least.iter().copied().filter(|&least| least < Value::INFINITY).collect();
        points.sort_unstable();
        points.dedup();
        points
    }
}

/// For each node of `tree` the threshold from which on it stays: 0 for what always does, infinity for what never does.
/// Elements at and below `root` are judged, inner ones first, by the sums of what has not fallen at or below them: with
/// such sums an element stays from `least` on. `own` is what each node adds by itself.
///
/// What stays at a threshold has to stay at each greater one, though more is left of it there. So it does where `least` is
/// a ratio, for what comes back at a threshold has a ratio up to that.
pub fn staying<const N: usize>(
    tree: &Tree,
    root: NodeId,
    own: &[[u32; N]],
    least: impl Fn(NodeId, [u32; N]) -> Value,
) -> Vec<Value> {
    let mut thresholds = vec![Value::ZERO; tree.len()];
    // What is left of each node at any threshold, and what comes back at which.
    let mut left = own.to_vec();
    let mut returning: Vec<BTreeMap<Value, [u32; N]>> = vec![BTreeMap::new(); tree.len()];
    for id in tree.subtree(root).rev() {
        let (mut sums, mut later) = (left[id.index()], std::mem::take(&mut returning[id.index()]));
        let mut from = Value::ZERO;
        if tree.is_element(id) {
            from = least(id, sums);
            // As long as it has not stayed before more comes back, it is judged again.
            while let Some(next) = later.first_entry().filter(|next| *next.key() <= from) {
                let (at, more) = next.remove_entry();
                add(&mut sums, more);
                from = at.max(least(id, sums));
            }
        }
        thresholds[id.index()] = from;
        let Some(parent) = tree.parent(id).map(NodeId::index) else { continue };
        if from == Value::ZERO {
            add(&mut left[parent], sums);
        } else if from < Value::INFINITY {
            later.insert(from, sums);
        }
        merge(&mut returning[parent], later);
    }
    thresholds
}

fn add<const N: usize>(sums: &mut [u32; N], more: [u32; N]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Adds the sums of the smaller map to those of the greater one, so that each is moved as often as its map doubles.
fn merge<const N: usize>(into: &mut BTreeMap<Value, [u32; N]>, mut other: BTreeMap<Value, [u32; N]>) {
    if into.len() < other.len() {
        std::mem::swap(into, &mut other);
    }
    for (at, sums) in other {
        add(into.entry(at).or_insert([0; N]), sums);
    }
}

/// Those of `texts` that are outside the elements that have `fallen`; both are in document order.
pub fn text_outside<'t>(
    tree: &'t Tree,
    texts: &'t [NodeId],
    fallen: impl Iterator<Item = NodeId> + 't,
) -> impl Iterator<Item = NodeId> + 't {
    let mut gone = fallen.peekable();
    let mut behind = NodeId::DOCUMENT;
    texts.iter().copied().filter(move |&id| {
        while let Some(element) = gone.next_if(|&element| element < id) {
            behind = behind.max(tree.end(element));
        }
        id >= behind
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::{Context, Page};

    /// What falls at one threshold: each element whose share of the second sum in the first is greater.
    fn fallen(tree: &Tree, root: NodeId, own: &[[u32; 2]], threshold: Value) -> Vec<bool> {
        let mut left = own.to_vec();
        let mut fallen = vec![false; tree.len()];
        for id in tree.subtree(root).rev() {
            let sums = left[id.index()];
            if tree.is_element(id) && ratio(sums) > threshold {
                fallen[id.index()] = true;
            } else if let Some(parent) = tree.parent(id) {
                add(&mut left[parent.index()], sums);
            }
        }
        fallen
    }

    fn ratio([part, whole]: [u32; 2]) -> Value {
        if whole == 0 && part > 0 { Value::INFINITY } else { Value::ratio(part.into(), whole.into()) }
    }

    proptest! {
        /// Each step of `shape` opens an element with these sums, and closes some before.
        #[test]
        fn all_thresholds_at_once_are_each_by_itself(
            shape in prop::collection::vec((0usize..3, 0u32..5, 0u32..5), 1..60)
        ) {
            let mut html = String::new();
            let mut open = 0;
            for &(closed, part, whole) in &shape {
                html.push_str(&"</div>".repeat(closed.min(open)));
                open = open.saturating_sub(closed) + 1;
                html.push_str(&format!("<div title={part}.{whole}>"));
            }
            let page = Page::new(html.as_bytes(), Context::default()).unwrap();
            let tree = &page.tree;
            let title = html5ever::local_name!("title");
            let own: Vec<[u32; 2]> = tree.ids().map(|id| {
                let Some(title) = tree.attribute(id, &title) else { return [0, 0] };
                let (part, whole) = title.split_once('.').unwrap();
                [part.parse().unwrap(), whole.parse().unwrap()]
            }).collect();
            let body = tree.body().unwrap();
            let staying = staying(tree, body, &own, |_, sums| ratio(sums));
            let mut thresholds: Vec<Value> = staying.iter().copied().chain([Value::ZERO]).collect();
            thresholds.retain(|&threshold| threshold < Value::INFINITY);
            let between: Vec<Value> = thresholds.windows(2).map(|two| two[0].between(two[1])).collect();
            for threshold in thresholds.into_iter().chain(between) {
                let fallen = fallen(tree, body, &own, threshold);
                for id in tree.ids() {
                    prop_assert_eq!(staying[id.index()] > threshold, fallen[id.index()], "{:?} at {}", id, threshold);
                }
            }
        }
    }
}

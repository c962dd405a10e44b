//! Taking elements away from the inner ones outwards, each judged by what is left of it.

use crate::algorithms::value::Value;
use crate::page::tree::{NodeId, Tree};

/// For each node of `tree`, whether `falls` took it away: called with every element at or below `root`, inner ones
/// first, and the sums of what is left at or below it. `own` is what each node adds by itself.
pub fn prune_upwards<const N: usize>(
    tree: &Tree,
    root: NodeId,
    own: &[[u32; N]],
    mut falls: impl FnMut(NodeId, [u32; N]) -> bool,
) -> Vec<bool> {
    let mut left = own.to_vec();
    let mut fallen = vec![false; tree.len()];
    for id in tree.subtree(root).rev() {
        let sums = left[id.index()];
        if tree.is_element(id) && falls(id, sums) {
            fallen[id.index()] = true;
        } else if let Some(parent) = tree.parent(id) {
            left[parent.index()].iter_mut().zip(sums).for_each(|(outer, inner)| *outer += inner);
        }
    }
    fallen
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

/// The thresholds, from 0 upwards, at which one ratio less falls. Judgements depend on earlier ones, so each run
/// tells only the next: `least_fallen` prunes at a threshold and gives the least of the ratios above it.
pub fn steps(least_fallen: impl Fn(Value) -> Option<Value>) -> Vec<Value> {
    std::iter::successors(least_fallen(Value::ZERO), |&step| least_fallen(step)).collect()
}

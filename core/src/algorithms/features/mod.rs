//! What algorithms read of a page or compute from it, apart from their own rules; views are built once a page.

pub mod clusters;
pub mod deletion;
pub mod digests;
pub mod events;
pub mod groups;
pub mod leaf_blocks;
pub mod levels;
pub mod lines;
pub mod links;
pub mod majority;
pub mod merges;
pub mod outline;
pub mod paths;
pub mod pruning;
pub mod references;
pub mod rendered;
pub mod series;
pub mod similarity;
pub mod spread;
pub mod stopwords;
pub mod subtrees;
pub mod tokens;
pub mod visible;
pub mod vocabulary;

use crate::page::tree::{NodeId, Tree};

/// Running sums over document order: the sum over any subtree is a difference of two of them.
pub struct Prefix(Vec<u32>);

impl Prefix {
    /// The running sums of `weight` over every node of `tree`.
    pub fn new(tree: &Tree, weight: impl Fn(NodeId) -> u32) -> Self {
        let mut sum = 0;
        let sums = tree.ids().map(|id| {
            let before = sum;
            sum += weight(id);
            before
        });
        let mut sums: Vec<u32> = sums.collect();
        sums.push(sum);
        Prefix(sums)
    }

    /// The sum over `id` and everything below it.
    pub fn of(&self, tree: &Tree, id: NodeId) -> u32 {
        self.0[tree.end(id).index()] - self.0[id.index()]
    }

    /// The sum over the nodes before `id`.
    pub fn before(&self, id: NodeId) -> u32 {
        self.0[id.index()]
    }
}

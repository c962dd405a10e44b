//! The pages that stand first in a summary.

use std::collections::BinaryHeap;

/// So many of the most disputed pages stand in a summary; `agreement.csv` has all.
pub(super) const MOST_DISPUTED: usize = 100;

/// The pages that come first in an order, and the last of them on top.
pub(super) struct First<T> {
    heap: BinaryHeap<Ranked<T>>,
}

impl<T> Default for First<T> {
    fn default() -> Self {
        First { heap: BinaryHeap::new() }
    }
}

impl<T> First<T> {
    /// Adds the page `number`, whose rank is `rank`.
    pub(super) fn add(&mut self, rank: u64, number: usize, page: T) {
        self.heap.push(Ranked { key: (rank, number), page: Box::new(page) });
        if self.heap.len() > MOST_DISPUTED {
            self.heap.pop();
        }
    }

    pub(super) fn finish(self) -> Vec<T> {
        self.heap.into_sorted_vec().into_iter().map(|ranked| *ranked.page).collect()
    }
}

/// A page by its rank and its number, and what is told of it.
struct Ranked<T> {
    key: (u64, usize),
    page: Box<T>,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for Ranked<T> {}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

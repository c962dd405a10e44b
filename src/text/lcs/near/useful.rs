//! The diagonals on which a path can still be that is not too dear.

use super::edge::Edge;

/// Diagonals that are looked at together.
const STEP: isize = 64;

/// The diagonals on which a path to the end can be that costs no more than one that is known.
///
/// It must come back to the diagonal of the end (Ukkonen 1985, "Algorithms for approximate string matching"). A
/// diagonal that is too far away for what is skipped up to a row is so in every row below, too: along a diagonal no
/// cost is gained back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Useful {
    pub(super) low: isize,
    pub(super) high: isize,
    /// The diagonal of the end.
    end: isize,
    /// Of the path that is known.
    cost: isize,
}

impl Useful {
    /// In a table of this `size`, with a common subsequence of `length` tokens.
    pub(super) fn new((rows, columns): (usize, usize), length: usize) -> Self {
        let cost = (rows + columns) as isize - 2 * length as isize;
        let end = columns as isize - rows as isize;
        let spare = (cost - end.abs()) / 2;
        Useful { low: end.min(0) - spare, high: end.max(0) + spare, end, cost }
    }

    /// Whether a path can go on from a diagonal at this cost.
    fn can(&self, diagonal: isize, cost: isize) -> bool {
        cost + (self.end - diagonal).abs() <= self.cost
    }

    /// Leaves out the diagonals at both ends of `edge` that no path can go on from. What is beyond the edge must be too
    /// dear, too: `outside` tells the least cost of paths at a diagonal beyond.
    pub(super) fn narrow(&mut self, edge: &Edge, outside: impl Fn(isize, isize) -> Option<isize>) {
        let (first, last) = (edge.diagonal(edge.columns.start), edge.diagonal(edge.columns.end));
        // The cost of the rest is least at the diagonal of the end, or as near to it as there is one beyond the edge.
        let beyond = |sign: isize, diagonal: isize| {
            outside(sign, diagonal).is_some_and(|cost| self.can(diagonal, cost))
        };
        let (below, above) = (beyond(-1, first.min(self.end)), beyond(1, last.max(self.end)));
        // From one cell to the next, costs differ by one, and so do those of the rest.
        let dear = |useful: &Self, diagonal| !useful.can(diagonal, edge.cost(diagonal) - 2 * STEP);
        let mut low = self.low.max(first);
        while !below && low + STEP < last && dear(self, low) {
            low += STEP;
            self.low = low;
        }
        let mut high = self.high.min(last);
        while !above && high - STEP > first && dear(self, high) {
            high -= STEP;
            self.high = high;
        }
    }
}

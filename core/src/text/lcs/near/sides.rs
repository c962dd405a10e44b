//! What paths outside a corridor cost at least, on either side of it.

use super::corridor::Block;
use super::lengths::Edge;

/// Neighbours along the corridor's border that are bounded together.
const TOGETHER: usize = 32;

/// Paths outside the inner corridor, from where they left it.
pub(super) struct Sides {
    /// At higher diagonals, and at lower ones.
    above: Side,
    below: Side,
    /// What the rows of each block cost outside.
    outside: Vec<usize>,
    /// What the rows so far cost outside.
    paid: isize,
}

impl Sides {
    pub(super) fn new(outside: Vec<usize>) -> Self {
        Sides { above: Side::new(1), below: Side::new(-1), outside, paid: 0 }
    }

    /// Takes in the paths that were within the corridor of `before` and are not within that of `block`, at its first row.
    pub(super) fn narrow(&mut self, edge: &Edge, before: &Block, block: &Block) {
        let last = before.high.min(edge.diagonal(edge.columns.end));
        for first in (block.high + 1..=last).step_by(TOGETHER) {
            let end = last.min(first + TOGETHER as isize - 1);
            self.above.leave(edge.cost(first) - (end - first), end, self.paid);
        }
        for first in (before.low..block.low).step_by(TOGETHER) {
            let end = (block.low - 1).min(first + TOGETHER as isize - 1);
            self.below.leave(edge.cost(first) - (end - first), first, self.paid);
        }
    }

    /// Takes in the paths that leave the corridor in block `b`: on the outermost diagonal, and at no less than what that
    /// costs at the first row.
    pub(super) fn leave(&mut self, edge: &Edge, b: usize, block: &Block) {
        self.paid += self.outside[b] as isize;
        if edge.row.saturating_add_signed(block.high) <= edge.columns.end {
            self.above.leave(edge.cost(block.high), block.high, self.paid);
        }
        self.below.leave(edge.cost(block.low), block.low, self.paid);
    }

    /// The growth in columns behind those of `edge`, up to `end`, that paths from above allow.
    pub(super) fn grow_right(&self, edge: &mut Edge, end: usize) {
        let start = edge.columns.end;
        let mut length = edge.at(start);
        for first in (start..end).step_by(TOGETHER) {
            let Some(cost) = self.above.cost(edge.diagonal(first + 1), self.paid) else { return };
            for column in first..end.min(first + TOGETHER) {
                if is_allowed(length + 1, edge.row, column + 1, cost) {
                    length += 1;
                    edge.steps[column / 64] |= 1 << (column % 64);
                }
            }
        }
    }

    /// The growth in the first column of `edge`, over the next `rows`, that paths from below allow: a zero bit a step.
    pub(super) fn grow_down(&self, edge: &Edge, rows: usize) -> Vec<u64> {
        let mut bits = vec![!0; rows.div_ceil(64)];
        let column = edge.columns.start;
        // Left of the table's first column there is nothing.
        let rows = if column == 0 { 0 } else { rows };
        let mut length = edge.length;
        for first in (0..rows).step_by(TOGETHER) {
            let diagonal = edge.diagonal(column) - first as isize - 1;
            let Some(cost) = self.below.cost(diagonal, self.paid) else { break };
            for row in first..rows.min(first + TOGETHER) {
                if is_allowed(length + 1, edge.row + row + 1, column, cost) {
                    length += 1;
                    bits[row / 64] &= !(1 << (row % 64));
                }
            }
        }
        bits
    }
}

/// Whether a path to a cell that costs so much can have taken `length` tokens.
fn is_allowed(length: usize, row: usize, column: usize, cost: isize) -> bool {
    cost + 2 * length as isize <= (row + column) as isize
}

/// The cheapest ways out of a corridor on one side.
struct Side {
    /// 1 where paths go to higher diagonals, -1 where they go to lower ones.
    sign: isize,
    /// By ascending `by_diagonals` and descending `by_rows`: no exit is as bad as another in both.
    exits: Vec<Exit>,
}

/// Where paths leave the corridor.
#[derive(Clone, Copy)]
struct Exit {
    /// Their cost, less what rows cost up to there.
    by_rows: isize,
    /// Their cost, less the diagonal, outwards.
    by_diagonals: isize,
}

impl Side {
    fn new(sign: isize) -> Self {
        Side { sign, exits: Vec::new() }
    }

    /// A path leaves at this `cost` at least on a `diagonal`, and pays the rows from where `paid` is that of all before.
    fn leave(&mut self, cost: isize, diagonal: isize, paid: isize) {
        let exit = Exit { by_rows: cost - paid, by_diagonals: cost - self.sign * diagonal };
        let at = self.exits.partition_point(|other| other.by_diagonals <= exit.by_diagonals);
        if at > 0 && self.exits[at - 1].by_rows <= exit.by_rows {
            return;
        }
        let from = at - usize::from(at > 0 && self.exits[at - 1].by_diagonals == exit.by_diagonals);
        let worse = self.exits[at..].iter().take_while(|other| other.by_rows >= exit.by_rows).count();
        self.exits.splice(from..at + worse, [exit]);
    }

    /// The least cost of a path that left and is on a `diagonal` where the rows so far cost `paid`, if any left.
    ///
    /// It pays the rows, and it pays the diagonals: the greater of both, at least.
    fn cost(&self, diagonal: isize, paid: isize) -> Option<isize> {
        let costs = |exit: &Exit| (exit.by_rows + paid, exit.by_diagonals + self.sign * diagonal);
        let turn = self.exits.partition_point(|exit| costs(exit).0 > costs(exit).1);
        let best = self.exits[turn.saturating_sub(1)..].iter().take(2).map(|exit| costs(exit).0.max(costs(exit).1));
        best.min()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_outside_pays_rows_or_diagonals() {
        let mut side = Side::new(1);
        assert_eq!(side.cost(9, 0), None);
        side.leave(10, 5, 3);
        assert_eq!(side.cost(5, 3), Some(10));
        assert_eq!(side.cost(9, 3), Some(14), "4 diagonals further");
        assert_eq!(side.cost(9, 20), Some(27), "17 for rows");
        side.leave(12, 20, 3);
        assert_eq!(side.cost(30, 3), Some(22), "from the second exit");
        assert_eq!(side.cost(20, 20), Some(27), "from the first one still");
    }

    #[test]
    fn lengths_grow_as_far_as_the_cost_allows() {
        assert!(is_allowed(3, 5, 6, 5));
        assert!(!is_allowed(4, 5, 6, 5));
        assert!(!is_allowed(3, 5, 6, 6));
    }

    proptest! {
        #[test]
        fn the_cheapest_of_all_exits_counts(
            exits in proptest::collection::vec((0..100isize, -50..50isize, 0..20isize), 1..30),
            diagonal in -50..50isize,
            high in any::<bool>(),
        ) {
            let sign = if high { 1 } else { -1 };
            let mut side = Side::new(sign);
            let (mut paid, mut all) = (0, Vec::new());
            for (cost, diagonal, rows) in exits {
                paid += rows;
                side.leave(cost, diagonal, paid);
                all.push((cost, diagonal, paid));
            }
            let cost = |&(cost, from, before): &(isize, isize, isize)| cost + (paid - before).max(sign * (diagonal - from));
            prop_assert_eq!(side.cost(diagonal, paid), all.iter().map(cost).min());
        }
    }
}

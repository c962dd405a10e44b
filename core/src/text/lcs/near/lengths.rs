//! A corridor of the table, filled block by block.

use std::ops::Range;

use super::corridor::{Block, Corridor};
use super::sides::Sides;
use super::strips::Strips;

/// Lengths of common subsequences.
pub(super) struct Lengths {
    /// Of both texts.
    pub(super) length: usize,
    /// The tokens that are skipped up to each block's station, 0 where it has none.
    pub(super) costs: Vec<isize>,
}

impl Lengths {
    /// Without `sides`, of the paths inside the corridor: some common subsequence is as long. With them, as if paths
    /// outside cost no more than they tell: no common subsequence is longer. None where `cells` are not enough, which
    /// become fewer by those that are filled.
    pub(super) fn new(
        strips: &mut Strips,
        corridor: &Corridor,
        mut sides: Option<Sides>,
        cells: &mut usize,
    ) -> Option<Self> {
        let columns = strips.size().1;
        let mut edge = Edge::new(columns);
        let mut costs = Vec::new();
        for (b, block) in corridor.blocks.iter().enumerate() {
            *cells = cells.checked_sub(block.rows.len() * block.columns.len())?;
            let left = enter(&mut edge, sides.as_mut(), b, corridor);
            costs.push(block.station.map_or(0, |station| edge.cost(station)));
            strips.run(block.rows.clone(), block.columns.clone(), &left, &mut edge.steps);
            edge.length += left.iter().map(|word| word.count_zeros() as usize).sum::<usize>();
            edge.row = block.rows.end;
        }
        Some(Lengths { length: edge.at(columns), costs })
    }
}

/// Takes `edge` to the columns of block `b`. The growth of the lengths in the first of them, down the rows of the block:
/// a zero bit a step.
fn enter(edge: &mut Edge, sides: Option<&mut Sides>, b: usize, corridor: &Corridor) -> Vec<u64> {
    let block: &Block = &corridor.blocks[b];
    let Some(sides) = sides else {
        edge.set(block.columns.clone());
        return vec![!0; block.rows.len().div_ceil(64)];
    };
    if b > 0 {
        sides.narrow(edge, &corridor.blocks[b - 1], block);
    }
    sides.grow_right(edge, block.columns.end);
    edge.set(block.columns.clone());
    let left = sides.grow_down(edge, block.rows.len());
    sides.leave(edge, b, block);
    left
}

/// The lengths along one row of the table in some columns, as steps from each to the next.
pub(super) struct Edge {
    pub(super) row: usize,
    pub(super) columns: Range<usize>,
    /// At the first of the columns.
    pub(super) length: usize,
    /// Bit `j`: the length grows by one from column `j` to the next. Zero behind the columns.
    pub(super) steps: Vec<u64>,
}

impl Edge {
    /// The first row: nothing is common with no token.
    fn new(columns: usize) -> Self {
        Edge { row: 0, columns: 0..0, length: 0, steps: vec![0; columns.div_ceil(64)] }
    }

    pub(super) fn at(&self, column: usize) -> usize {
        self.length + ones(&self.steps, self.columns.start, column)
    }

    pub(super) fn diagonal(&self, column: usize) -> isize {
        column as isize - self.row as isize
    }

    /// The tokens that are skipped up to a diagonal: where that is beside the columns, up to those and from there to it.
    pub(super) fn cost(&self, diagonal: isize) -> isize {
        let nearest = diagonal.clamp(self.diagonal(self.columns.start), self.diagonal(self.columns.end));
        let column = self.row.saturating_add_signed(nearest);
        (self.row + column) as isize - 2 * self.at(column) as isize + (diagonal - nearest).abs()
    }

    /// Takes other columns, which begin among the old ones, and with no growth in those that are new.
    fn set(&mut self, columns: Range<usize>) {
        self.length = self.at(columns.start);
        self.columns = columns;
    }
}

/// The ones among the bits from `start` on, up to `end`.
fn ones(bits: &[u64], start: usize, end: usize) -> usize {
    let below = |bit: usize| if bit.is_multiple_of(64) { 0 } else { (bits[bit / 64] << (64 - bit % 64)).count_ones() };
    let words: u32 = bits[start / 64..end / 64].iter().map(|word| word.count_ones()).sum();
    (words + below(end) - below(start)) as usize
}

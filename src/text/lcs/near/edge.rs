//! The lengths along one row of the table.

use std::ops::Range;

/// Lengths in some columns, as steps from each to the next.
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
    pub(super) fn new(columns: usize) -> Self {
        Edge { row: 0, columns: 0..0, length: 0, steps: vec![0; columns.div_ceil(64)] }
    }

    pub(super) fn at(&self, column: usize) -> usize {
        self.length + ones(&self.steps, self.columns.start, column)
    }

    pub(super) fn diagonal(&self, column: usize) -> isize {
        column as isize - self.row as isize
    }

    /// The tokens that are skipped up to a diagonal: where that is left of the table, up to the first column.
    pub(super) fn cost(&self, diagonal: isize) -> isize {
        let column = self.row.saturating_add_signed(diagonal);
        (self.row + column) as isize - 2 * self.at(column) as isize
    }

    /// Takes other columns, with no further growth in those that are new. They begin among the old ones, or where they end.
    pub(super) fn set(&mut self, columns: Range<usize>) {
        self.length = self.at(columns.start);
        let old = self.columns.end.div_ceil(64);
        self.steps[columns.end.div_ceil(64).min(old)..old].fill(0);
        self.columns = columns;
    }
}

/// The ones among the bits from `start` on, up to `end`.
fn ones(bits: &[u64], start: usize, end: usize) -> usize {
    let below = |bit: usize| if bit.is_multiple_of(64) { 0 } else { (bits[bit / 64] << (64 - bit % 64)).count_ones() };
    let words: u32 = bits[start / 64..end / 64].iter().map(|word| word.count_ones()).sum();
    (words + below(end) - below(start)) as usize
}

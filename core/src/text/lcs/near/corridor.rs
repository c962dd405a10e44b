//! Which part of the table to fill: along the course on which the texts agree.

use std::ops::Range;

use super::Sizes;
use super::course::{Course, Gap};
use super::savings::Savings;
use super::seeds::Seeds;

/// So many diagonals beside the inner corridor are filled, too.
const AROUND: usize = 128;

/// A part of the table around a course, block by block.
pub(super) struct Corridor {
    pub(super) blocks: Vec<Block>,
}

/// The part of a corridor in some rows.
pub(super) struct Block {
    pub(super) rows: Range<usize>,
    /// What is filled, from a multiple of 64 on: the inner corridor and more. Neither end is ever less than in the rows
    /// before.
    pub(super) columns: Range<usize>,
    /// The inner corridor: these diagonals and those in between. A path that leaves it pays from there on what paths
    /// outside pay. More is filled, or a path could come in for a step now and then and pay nothing.
    pub(super) low: isize,
    pub(super) high: isize,
    /// A diagonal of the course at the first row.
    pub(super) station: Option<isize>,
}

/// How wide a corridor is.
pub(super) struct Width {
    /// For each block, diagonals on either side of the course.
    margins: Vec<usize>,
    /// For each gap, how many rows before it and behind it have the diagonals of both its ends in the corridor.
    reaches: Vec<usize>,
}

impl Width {
    /// Where nothing is known of what paths outside cost.
    pub(super) fn least(course: &Course, sizes: Sizes) -> Self {
        let reaches = course.gaps.iter().map(|gap| (gap.size() / 8).min(8192).max(gap.size() / 32)).collect();
        Width { margins: vec![sizes.margin; course.homes.len()], reaches }
    }

    /// Makes room for what paths outside could save, `stretch` times over.
    ///
    /// Out and back again a path pays for the margin twice. But before a gap it may leave the course for the diagonal
    /// behind the gap, where it has to go anyway: the rows in between must take from it what it saves. So it is behind
    /// a gap.
    pub(super) fn widen(&mut self, course: &Course, savings: &Savings, sizes: Sizes, stretch: usize) {
        for (margin, &saving) in self.margins.iter_mut().zip(&savings.of_blocks) {
            *margin = (sizes.margin + saving * stretch).max(*margin);
        }
        for ((reach, gap), &saving) in self.reaches.iter_mut().zip(&course.gaps).zip(&savings.of_gaps) {
            *reach = (stretch * (gap.size() / 4).max(2 * saving.min(2 * gap.size()))).max(*reach);
        }
    }
}

impl Corridor {
    /// Along `course` through a table of this `size`, in blocks of `block` rows.
    pub(super) fn new(course: &Course, block: usize, size: (usize, usize), width: &Width) -> Self {
        let around = block.min(AROUND) as isize;
        let part = |(b, (low, high)): (usize, (isize, isize))| {
            let rows = b * block..size.0.min((b + 1) * block);
            let start = rows.start.saturating_add_signed(low - around).min(size.1) / 64 * 64;
            let end = rows.end.saturating_add_signed(high + around).next_multiple_of(64).min(size.1);
            Block { rows, columns: start..end, low, high, station: course.homes[b].map(|(first, _)| first) }
        };
        let mut blocks: Vec<_> = diagonals(course, block, size, width).into_iter().enumerate().map(part).collect();
        let (mut start, mut end) = (usize::MAX, 0);
        for block in &mut blocks {
            end = block.columns.end.max(end);
            block.columns.end = end;
        }
        for block in blocks.iter_mut().rev() {
            start = block.columns.start.min(start);
            block.columns.start = start;
        }
        Corridor { blocks }
    }

    /// How many cells of the table it has.
    pub(super) fn area(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.len() * block.columns.len()).sum()
    }

    /// What a path costs at least that goes through all rows of a block outside the inner corridor, and takes tokens on
    /// the diagonals `limits` and those in between alone, for each block.
    pub(super) fn outside(&self, seeds: &Seeds, limits: (isize, isize)) -> Vec<usize> {
        let blocks = self.blocks.iter().enumerate();
        blocks.map(|(b, block)| seeds.least_cost(b, (block.low, block.high), limits)).collect()
    }
}

/// The diagonals of each block: those of the course, of the gaps within reach, and the margins.
fn diagonals(course: &Course, block: usize, (rows, columns): (usize, usize), width: &Width) -> Vec<(isize, isize)> {
    let mut all: Vec<_> = course.homes.iter().map(|home| home.unwrap_or((isize::MAX, isize::MIN))).collect();
    let blocks = all.len();
    for (gap, &reach) in course.gaps.iter().zip(&width.reaches) {
        let first = gap.rows.start.saturating_sub(reach + 1) / block;
        let last = ((gap.rows.end + reach) / block).min(blocks - 1);
        for (b, diagonals) in all.iter_mut().enumerate().take(last + 1).skip(first) {
            let (low, high) = gap.diagonals_in(b * block..rows.min((b + 1) * block));
            *diagonals = (diagonals.0.min(low), diagonals.1.max(high));
        }
    }
    // The proof asks for this: the beginning and the end are inside, and neighbours share a diagonal, so that no path
    // comes from one side of the corridor to the other past it.
    let mut before = (0, 0);
    for ((low, high), &margin) in all.iter_mut().zip(&width.margins) {
        *low = (*low - margin as isize).min(before.1);
        *high = (*high + margin as isize).max(before.0);
        before = (*low, *high);
    }
    let end = columns as isize - rows as isize;
    all[blocks - 1] = (before.0.min(end), before.1.max(end));
    all
}

impl Gap {
    /// Its diagonals in `rows`, some of which may lie before or behind it: there, those on which it begins and ends.
    fn diagonals_in(&self, rows: Range<usize>) -> (isize, isize) {
        let (from, to) = self.diagonals;
        let (start, end) = (rows.start.max(self.rows.start), rows.end.min(self.rows.end));
        if start >= end {
            return (from.min(to), from.max(to));
        }
        let (low, high) = (self.columns.start as isize - end as isize, self.columns.end as isize - start as isize);
        let (low, high) = if rows.start < self.rows.start { (low.min(from), high.max(from)) } else { (low, high) };
        if rows.end > self.rows.end { (low.min(to), high.max(to)) } else { (low, high) }
    }
}

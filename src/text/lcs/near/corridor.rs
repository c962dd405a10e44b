//! Which part of the table to fill: along the course on which the texts agree.

use std::ops::Range;

use super::Sizes;
use super::course::{Course, Gap};
use super::savings::Savings;
use super::seeds::Seeds;
use super::useful::Useful;

/// A part of the table around a course, block by block.
pub(super) struct Corridor {
    pub(super) blocks: Vec<Block>,
}

/// The part of a corridor in some rows.
pub(super) struct Block {
    pub(super) rows: Range<usize>,
    /// What is filled, from a multiple of 64 on. Neither end is ever less than in the rows before.
    pub(super) columns: Range<usize>,
    /// The inner corridor: these diagonals and those in between. Paths that leave it are told from others; a few more
    /// diagonals on either side are filled, or a path outside could be inside for a step now and then and pay nothing.
    pub(super) low: isize,
    pub(super) high: isize,
    /// A diagonal of the course at the first row.
    pub(super) station: Option<isize>,
}

/// How wide a corridor is.
pub(super) struct Width {
    /// For each block, diagonals on either side of the course.
    margins: Vec<usize>,
    /// For each gap, how many rows before it have its diagonals in the corridor. Behind it there are more: most of
    /// those are soon of no use.
    reaches: Vec<usize>,
}

impl Width {
    /// Where nothing is known of what paths outside cost.
    pub(super) fn least(course: &Course, sizes: Sizes) -> Self {
        let reaches = course.gaps.iter().map(|gap| (gap.size() / 8).min(8192).max(gap.size() / 32)).collect();
        Width { margins: vec![sizes.margin; course.homes.len()], reaches }
    }

    /// More rows around gaps, for what paths outside could save, `stretch` times over.
    ///
    /// Before a gap a path may leave the course for the diagonal behind the gap, and pays nothing for that: the rows in
    /// between must take from it what it saves.
    pub(super) fn lengthen(&mut self, course: &Course, savings: &Savings, stretch: usize) {
        for ((reach, gap), &saving) in self.reaches.iter_mut().zip(&course.gaps).zip(&savings.of_gaps) {
            *reach = (stretch * (gap.size() / 4).max(2 * saving.min(2 * gap.size()))).max(*reach);
        }
    }

    /// More diagonals on either side, for the same: out and back again a path pays for the margin twice.
    pub(super) fn widen(&mut self, savings: &Savings, margin: usize, stretch: usize) {
        for (wide, &saving) in self.margins.iter_mut().zip(&savings.of_blocks) {
            *wide = (margin + saving * stretch).max(*wide);
        }
    }
}

impl Corridor {
    pub(super) fn new(course: &Course, block: usize, (rows, columns): (usize, usize), width: &Width) -> Self {
        let inner = diagonals(course, block, rows, width);
        let part = |(b, (low, high)): (usize, (isize, isize))| {
            let margin = width.margins[b] as isize;
            let rows = b * block..rows.min((b + 1) * block);
            let (low, high) = (low - margin, high + margin);
            let around = block.min(128) as isize;
            let start = rows.start.saturating_add_signed(low - around) / 64 * 64;
            let end = rows.end.saturating_add_signed(high + around).next_multiple_of(64).min(columns);
            Block { rows, columns: start..end, low, high, station: course.homes[b].map(|(first, _)| first) }
        };
        let mut blocks: Vec<_> = inner.into_iter().enumerate().map(part).collect();
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

    /// The cells of the table that are filled at most.
    pub(super) fn area(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.len() * block.columns.len()).sum()
    }

    /// What a path costs at least that goes through all rows of a block outside the inner corridor, for each of them.
    pub(super) fn outside(&self, seeds: &Seeds, useful: Useful) -> Vec<usize> {
        let limits = (useful.low, useful.high);
        let blocks = self.blocks.iter().enumerate();
        blocks.map(|(b, block)| seeds.least_cost(b, (block.low, block.high), limits)).collect()
    }
}

/// The diagonals of the course in each block, with those of the gaps within reach.
fn diagonals(course: &Course, block: usize, rows: usize, width: &Width) -> Vec<(isize, isize)> {
    let mut all: Vec<_> = course.homes.iter().map(|home| home.unwrap_or((isize::MAX, isize::MIN))).collect();
    let blocks = all.len();
    for (gap, &reach) in course.gaps.iter().zip(&width.reaches) {
        let first = gap.rows.start.saturating_sub(reach + 1) / block;
        let last = ((gap.rows.end + 4 * reach) / block).min(blocks - 1);
        for (b, diagonals) in all.iter_mut().enumerate().take(last + 1).skip(first) {
            let (low, high) = gap.diagonals_in(b * block..rows.min((b + 1) * block));
            *diagonals = (diagonals.0.min(low), diagonals.1.max(high));
        }
    }
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
        let share = |row: usize| (row - self.rows.start) as f64 / self.rows.len() as f64;
        let line = |row: usize| from + ((to - from) as f64 * share(row)) as isize;
        let width = self.width as isize;
        let low = (self.columns.start as isize - end as isize).max(line(start).min(line(end)) - width);
        let high = (self.columns.end as isize - start as isize).min(line(start).max(line(end)) + width);
        let (low, high) = if rows.start < self.rows.start { (low.min(from), high.max(from)) } else { (low, high) };
        if rows.end > self.rows.end { (low.min(to), high.max(to)) } else { (low, high) }
    }
}

//! A corridor of the table, filled block by block.

use super::corridor::{Block, Corridor};
use super::edge::Edge;
use super::sides::Sides;
use super::strips::Strips;
use super::useful::Useful;

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
        useful: Useful,
        sides: Option<Sides>,
        cells: &mut usize,
    ) -> Option<Self> {
        let columns = strips.size().1;
        let mut sweep = Sweep { strips, edge: Edge::new(columns), useful, sides };
        let mut costs = Vec::new();
        let mut before = None;
        for (b, block) in corridor.blocks.iter().enumerate() {
            if let Some(before) = before {
                sweep.leave_before(before, block);
            }
            sweep.enter(block);
            costs.push(block.station.map_or(0, |station| sweep.cost(station)));
            *cells = cells.checked_sub(block.rows.len() * sweep.edge.columns.len())?;
            sweep.fill(b, block);
            before = Some(block);
        }
        Some(Lengths { length: sweep.edge.at(columns), costs })
    }
}

struct Sweep<'s, 't> {
    strips: &'s mut Strips<'t>,
    edge: Edge,
    useful: Useful,
    sides: Option<Sides>,
}

impl Sweep<'_, '_> {
    /// What is not in the corridor any more, or of no use any more, at the first row of `block`.
    fn leave_before(&mut self, before: &Block, block: &Block) {
        if let Some(sides) = &mut self.sides {
            sides.narrow(&self.edge, before, block, self.useful);
        }
        let sides = self.sides.as_ref();
        self.useful.narrow(&self.edge, |sign, diagonal| sides?.cost(sign, diagonal));
    }

    /// Takes the columns of `block`, as far as they are of use.
    fn enter(&mut self, block: &Block) {
        let start = block.rows.start.saturating_add_signed(self.useful.low) / 64 * 64;
        let start = start.max(block.columns.start).max(self.edge.columns.start).min(self.edge.columns.end / 64 * 64);
        let end = block.rows.end.saturating_add_signed(self.useful.high).next_multiple_of(64);
        let end = end.min(block.columns.end).max(start);
        if let Some(sides) = &self.sides {
            sides.grow_right(&mut self.edge, end, self.useful);
        }
        self.edge.set(start..end);
    }

    /// What is skipped up to a station, or up to the columns and from there to it.
    fn cost(&self, station: isize) -> isize {
        let edge = &self.edge;
        let (first, last) = (edge.diagonal(edge.columns.start), edge.diagonal(edge.columns.end));
        let nearest = station.clamp(first, last);
        edge.cost(nearest) + (station - nearest).abs()
    }

    fn fill(&mut self, b: usize, block: &Block) {
        let rows = block.rows.len();
        let left = match &mut self.sides {
            Some(sides) => {
                let left = sides.grow_down(&self.edge, rows, self.useful);
                sides.leave(&self.edge, b, block, self.useful);
                left
            }
            None => vec![!0; rows.div_ceil(64)],
        };
        self.strips.run(block.rows.clone(), self.edge.columns.clone(), &left, &mut self.edge.steps);
        self.edge.length += left.iter().map(|word| word.count_zeros() as usize).sum::<usize>();
        self.edge.row = block.rows.end;
    }
}

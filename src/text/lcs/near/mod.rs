//! The short way for long texts that are nearly equal: a corridor of the table is filled, and proves that it is enough.
//!
//! A path through the table of all prefixes of both texts skips tokens, one a step down or to the right, and takes
//! one of both texts on a diagonal step. The path that skips fewest, which is its cost, takes a longest common
//! subsequence. Where the texts agree, seeds tell the *course* of that path roughly, and a corridor along it is filled
//! twice, bit by bit as in the full way:
//!
//! - with paths inside the corridor alone: some common subsequence is as long as the best of them;
//! - with paths outside it as cheap as they could be: no common subsequence is longer.
//!
//! Where both lengths are equal, that is the length. Where they are not, the corridor is made wider by what paths
//! outside could still save. That a path outside must pay something is what seeds tell, too: the pieces of the gold
//! that do not occur on its diagonals (after the seed heuristic of Ivanov, Bichsel & Vechev 2022, "Fast and optimal
//! sequence-to-graph alignment guided by seeds", and of Groot Koerkamp & Ivanov 2024, "Exact global alignment using A*
//! with chaining seed heuristic and match pruning"; filling by strips of columns and widening where it is needed are
//! those of Groot Koerkamp 2024, "A*PA2: up to 19x faster exact global alignment").

mod corridor;
mod course;
mod edge;
mod lengths;
mod savings;
mod seeds;
mod sides;
mod strips;
mod useful;

use corridor::{Corridor, Width};
use course::Course;
use lengths::Lengths;
use savings::Savings;
use seeds::Seeds;
use sides::Sides;
use strips::Strips;
use useful::Useful;

/// What changes the time only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Rows of a block, for which the corridor is as wide.
    pub(super) block: usize,
    /// Tokens of a seed.
    pub(super) seed: usize,
    /// The least margin of the corridor on either side of the course.
    pub(super) margin: usize,
    /// The share of the table's cells that may be filled in vain: one in so many.
    pub(super) share: usize,
}

impl Sizes {
    /// For long texts: a seed of 12 tokens is rarely somewhere else by chance, and whole where one token in fifty
    /// differs.
    pub(super) const USUAL: Sizes = Sizes { block: 1024, seed: 12, margin: 128, share: 16 };
}

/// How often a corridor is made wider: twice as wide as foreseen each time.
const STRETCHES: u32 = 6;

/// The length of a longest common subsequence of `gold` and `text`, whose tokens are below `symbols`, where a corridor
/// that is narrow enough tells it.
pub(super) fn lcs(gold: &[u32], text: &[u32], symbols: usize, sizes: Sizes) -> Option<usize> {
    if gold.is_empty() || text.is_empty() {
        return Some(0);
    }
    let search = Search::new(gold, text, symbols, sizes);
    if !search.course.is_late() {
        return search.run();
    }
    let reversed = |ids: &[u32]| ids.iter().rev().copied().collect::<Vec<_>>();
    Search::new(&reversed(gold), &reversed(text), symbols, sizes).run()
}

struct Search<'t> {
    seeds: Seeds,
    course: Course,
    strips: Strips<'t>,
    sizes: Sizes,
    /// Cells that may still be filled.
    cells: usize,
}

impl<'t> Search<'t> {
    fn new(gold: &'t [u32], text: &'t [u32], symbols: usize, sizes: Sizes) -> Self {
        let seeds = Seeds::new(gold, text, sizes.block, sizes.seed);
        let cells = gold.len().saturating_mul(text.len()) / sizes.share;
        let course = Course::new(&seeds, sizes.block, (gold.len(), text.len()), cells / 8);
        Search { seeds, course, strips: Strips::new(gold, text, symbols), sizes, cells }
    }

    fn run(mut self) -> Option<usize> {
        let size = self.strips.size();
        let mut width = Width::least(&self.course, self.sizes);
        let mut corridor = self.corridor(&width);
        if corridor.area() > self.cells / 2 {
            return None;
        }
        let mut inside = self.inside(&corridor, 0)?;
        let mut least = inside.length;
        for stretch in (0..STRETCHES).map(|doubled| 1 << doubled) {
            if least == size.0.min(size.1) {
                return Some(least);
            }
            let savings = Savings::new(&corridor, &corridor.outside(&self.seeds, Useful::new(size, least)), &inside, size);
            width.lengthen(&self.course, &savings, stretch);
            width.widen(&savings, self.sizes.margin, stretch);
            corridor = self.corridor(&width);
            let useful = Useful::new(size, least);
            let sides = Sides::new(corridor.outside(&self.seeds, useful));
            let most = Lengths::new(&mut self.strips, &corridor, useful, Some(sides), &mut self.cells)?.length;
            if most == least {
                return Some(least);
            }
            inside = self.inside(&corridor, least)?;
            least = least.max(inside.length);
            if most == least {
                return Some(least);
            }
        }
        None
    }

    fn corridor(&self, width: &Width) -> Corridor {
        Corridor::new(&self.course, self.sizes.block, self.strips.size(), width)
    }

    fn inside(&mut self, corridor: &Corridor, least: usize) -> Option<Lengths> {
        let useful = Useful::new(self.strips.size(), least);
        Lengths::new(&mut self.strips, corridor, useful, None, &mut self.cells)
    }
}

#[cfg(test)]
mod tests;

//! The short way for long texts that are nearly equal: a corridor of the table is filled, and proves that it is enough.
//!
//! A path through the table of all prefixes of both texts skips a token on each step down (of the gold) or to the right
//! (of the text), and takes one of both on a diagonal step. The path of the least *cost*, the number of tokens skipped,
//! takes a longest common subsequence. Where the texts agree, seeds tell the *course* of that path roughly, and a
//! corridor along it is filled twice, bit by bit as in the full way:
//!
//! - with paths inside the corridor alone: some common subsequence is as long as the best of them;
//! - with paths outside it as cheap as they could be: no common subsequence is longer.
//!
//! Where both lengths are equal, that is the length. Where they are not, the corridor is made wider by what paths
//! outside could still save. Where too much of the table would be filled, the search gives up.
//!
//! # Why no common subsequence is longer
//!
//! A path that costs no more than a known one keeps to some diagonals, the *limits* (Ukkonen 1985, "Algorithms for
//! approximate string matching"). The second filling is for all paths that *take* tokens within the limits alone. It
//! gives each filled cell at least the length of each such path that ends there, row after row:
//!
//! - Within the filled columns a cell's length comes from its neighbours, as in the whole table. So it is enough that
//!   the cells where paths come in are long enough: the first column, from the left, and new columns, from above.
//! - A path that comes in there is outside the inner corridor, or it would be among the filled cells. The last time it
//!   left it, it was at an *exit*: on the outermost diagonal of a block, or anywhere where the next block is narrower.
//!   An exit is a filled cell, or lies further down on the diagonal of one, along which costs never fall: so the path
//!   cost no less there than the filling says. Since then it stayed on one side, as the diagonals of neighbouring blocks
//!   overlap. It paid for each diagonal further out; and it paid, in each block whose rows it went through wholly,
//!   for the seeds that do not occur there ([`Seeds::least_cost`]). So it cost the greater of both more, at least, and
//!   this bounds its length. Whether it was outside before does not matter: the exit counts that.
//! - The lengths in those cells are raised up to that bound, but by no more than one from each to the next, or their
//!   differences would not be bits. That loses no path. Say one comes in `k` cells behind the first one of these, which
//!   was filled before. Of the tokens it took, all but `k` lie before the column (or row) of that first cell. The path
//!   that takes those and then goes straight to it takes nothing more, so it is one of those that count, and the first
//!   cell is as long.
//!
//! The last cell is inside, so its length bounds them all.
//!
//! # Sources
//!
//! The bound from seeds is the seed heuristic of Ivanov, Bichsel & Vechev 2022, "Fast and optimal sequence-to-graph
//! alignment guided by seeds", and of Groot Koerkamp & Ivanov 2024, "Exact global alignment using A* with chaining seed
//! heuristic and match pruning". Filling block by block and widening where it is needed are those of Groot Koerkamp
//! 2024, "A*PA2: up to 19x faster exact global alignment".

mod corridor;
mod course;
mod lengths;
mod savings;
mod seeds;
mod sides;
mod strips;

use corridor::{Corridor, Width};
use course::Course;
use lengths::Lengths;
use savings::Savings;
use seeds::Seeds;
use sides::Sides;
use strips::Strips;

/// What changes the time only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Rows of a block, for which the corridor is as wide.
    pub(super) block: usize,
    /// Tokens of a seed.
    pub(super) seed: usize,
    /// The least margin of the corridor on either side of the course.
    pub(super) margin: usize,
}

impl Sizes {
    /// For long texts: a seed of 12 tokens is rarely somewhere else by chance, and whole where one token in fifty
    /// differs.
    pub(super) const USUAL: Sizes = Sizes { block: 1024, seed: 12, margin: 128 };
}

/// How often a corridor is made wider: twice as wide as foreseen each time.
const STRETCHES: u32 = 6;

/// The length of a longest common subsequence of `gold` and `text`, where a corridor tells it before more than `cells` of
/// the table are filled. Neither text is empty, and their tokens are below `symbols`.
pub(super) fn lcs(gold: &[u32], text: &[u32], symbols: usize, sizes: Sizes, cells: usize) -> Option<usize> {
    Search::new(gold, text, symbols, sizes, cells).run()
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
    fn new(gold: &'t [u32], text: &'t [u32], symbols: usize, sizes: Sizes, cells: usize) -> Self {
        let seeds = Seeds::new(gold, text, sizes.block, sizes.seed);
        let course = Course::new(&seeds, sizes.block, (gold.len(), text.len()));
        Search { seeds, course, strips: Strips::new(gold, text, symbols), sizes, cells }
    }

    fn run(mut self) -> Option<usize> {
        let mut width = Width::least(&self.course, self.sizes);
        let mut corridor = self.corridor(&width);
        if corridor.area() > self.cells / 2 {
            return None;
        }
        let mut inside = self.inside(&corridor)?;
        for stretch in (0..STRETCHES).map(|doubled| 1 << doubled) {
            let outside = self.outside(&corridor, inside.length);
            let savings = Savings::new(&corridor, &outside, &inside, self.strips.size());
            width.widen(&self.course, &savings, self.sizes, stretch);
            corridor = self.corridor(&width);
            let most = self.most(&corridor, inside.length)?;
            if most > inside.length {
                inside = self.inside(&corridor)?;
            }
            if most == inside.length {
                return Some(most);
            }
        }
        None
    }

    fn corridor(&self, width: &Width) -> Corridor {
        Corridor::new(&self.course, self.sizes.block, self.strips.size(), width)
    }

    /// The best path inside.
    fn inside(&mut self, corridor: &Corridor) -> Option<Lengths> {
        Lengths::new(&mut self.strips, corridor, None, &mut self.cells)
    }

    /// What no path is longer than, where one of `known` length is.
    fn most(&mut self, corridor: &Corridor, known: usize) -> Option<usize> {
        let sides = Sides::new(self.outside(corridor, known));
        Some(Lengths::new(&mut self.strips, corridor, Some(sides), &mut self.cells)?.length)
    }

    /// What the rows of each block cost outside a path that is as good as one of `known` length, at least.
    fn outside(&self, corridor: &Corridor, known: usize) -> Vec<usize> {
        corridor.outside(&self.seeds, limits(self.strips.size(), known))
    }
}

/// The lowest and the highest diagonal of paths that are as good as one of `known` length: from a diagonal that is
/// further away, the way out and back to the end's costs more.
fn limits((rows, columns): (usize, usize), known: usize) -> (isize, isize) {
    let end = columns as isize - rows as isize;
    let spare = (rows.min(columns) - known) as isize;
    (end.min(0) - spare, end.max(0) + spare)
}

#[cfg(test)]
mod tests;

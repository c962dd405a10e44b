//! What paths outside a corridor could save, as far as can be foreseen.

use super::corridor::Corridor;
use super::lengths::Lengths;

/// A guess that decides how wide the next corridor is, and nothing else.
pub(super) struct Savings {
    /// The most that a path could save that goes past each block of rows.
    pub(super) of_blocks: Vec<usize>,
    /// And past each gap of the course.
    pub(super) of_gaps: Vec<usize>,
}

/// A place on the course.
struct Station {
    block: usize,
    diagonal: isize,
    /// What is skipped up to here.
    cost: isize,
    /// What the rows up to here cost outside.
    paid: isize,
}

impl Station {
    /// What a path could save from here on up to `to`, that pays the rows or the diagonals, whichever is more.
    fn saving(&self, to: &Station) -> isize {
        (to.cost - self.cost) - (to.paid - self.paid).max((to.diagonal - self.diagonal).abs())
    }
}

impl Savings {
    /// From what paths inside the corridor cost up to each of its stations.
    pub(super) fn new(corridor: &Corridor, outside: &[usize], inside: &Lengths, size: (usize, usize)) -> Self {
        let stations = stations(corridor, outside, inside, size);
        let mut savings = vec![0; stations.len()];
        for (i, to) in stations.iter().enumerate() {
            // The first of the best: the longest way outside.
            let all = stations[..i].iter().map(|from| from.saving(to)).enumerate();
            let Some((from, best)) = all.rev().max_by_key(|&(_, saving)| saving) else { continue };
            for saving in &mut savings[from..=i] {
                *saving = best.max(0).cast_unsigned().max(*saving);
            }
        }
        let mut of_blocks = vec![0; corridor.blocks.len()];
        for (two, savings) in stations.windows(2).zip(savings.windows(2)) {
            for saving in &mut of_blocks[two[0].block..=two[1].block] {
                *saving = savings[0].max(savings[1]).max(*saving);
            }
        }
        savings.remove(0);
        Savings { of_blocks, of_gaps: savings }
    }
}

/// The beginning, the first rows of blocks that have a home, and the end: between each two of them is a gap.
fn stations(corridor: &Corridor, outside: &[usize], inside: &Lengths, (rows, columns): (usize, usize)) -> Vec<Station> {
    let mut paid = 0;
    let mut stations = vec![Station { block: 0, diagonal: 0, cost: 0, paid }];
    for (b, block) in corridor.blocks.iter().enumerate() {
        if let Some(diagonal) = block.station {
            stations.push(Station { block: b, diagonal, cost: inside.costs[b], paid });
        }
        paid += outside[b] as isize;
    }
    let cost = (rows + columns) as isize - 2 * inside.length as isize;
    let diagonal = columns as isize - rows as isize;
    stations.push(Station { block: corridor.blocks.len() - 1, diagonal, cost, paid });
    stations
}

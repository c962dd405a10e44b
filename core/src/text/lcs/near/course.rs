//! The way along which two texts agree.

use std::ops::Range;

use super::seeds::Seeds;

/// What the two texts agree in, as far as seeds tell, and the gaps in between.
pub(super) struct Course {
    /// The diagonals of each block on the way; none of one whose seeds are nowhere or elsewhere.
    pub(super) homes: Vec<Option<(isize, isize)>>,
    /// Before, between and behind the blocks that have a home.
    pub(super) gaps: Vec<Gap>,
}

/// The rows and columns between two blocks that have a home.
pub(super) struct Gap {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
    /// The diagonals on which the gap begins and ends.
    pub(super) diagonals: (isize, isize),
}

impl Course {
    /// Through the homes of blocks of `block` rows in order, in a table of this size.
    pub(super) fn new(seeds: &Seeds, block: usize, (rows, columns): (usize, usize)) -> Self {
        let column = |row: usize, diagonal: isize| row.saturating_add_signed(diagonal).min(columns);
        let place = |b: usize| {
            let (diagonals, share) = seeds.home(b)?;
            Some(Place { block: b, column: column(b * block, diagonals.0), diagonals, gain: share * block as f32 })
        };
        let places = chain((0..seeds.len()).filter_map(place).collect(), columns as isize - rows as isize);
        let mut homes = vec![None; seeds.len()];
        for place in places {
            homes[place.block] = Some(place.diagonals);
        }
        let mut gaps = Vec::new();
        let mut from = (0, 0);
        for (b, home) in homes.iter().enumerate() {
            if let Some((first, last)) = home {
                gaps.push(Gap::new(from, (b * block, column(b * block, *first))));
                let end = rows.min((b + 1) * block);
                from = (end, column(end, *last));
            }
        }
        gaps.push(Gap::new(from, (rows, columns)));
        Course { homes, gaps }
    }
}

impl Gap {
    fn new(from: (usize, usize), to: (usize, usize)) -> Self {
        let diagonal = |(row, column): (usize, usize)| column as isize - row as isize;
        let columns = from.1.min(to.1)..from.1.max(to.1);
        Gap { rows: from.0..to.0, columns, diagonals: (diagonal(from), diagonal(to)) }
    }

    /// The rows or the columns, whichever are more.
    pub(super) fn size(&self) -> usize {
        self.rows.len().max(self.columns.len())
    }
}

/// Where a block belongs.
struct Place {
    block: usize,
    column: usize,
    diagonals: (isize, isize),
    /// About how many of its tokens are taken there.
    gain: f32,
}

/// The places in the best order: with the greatest gain, less what it costs to go from one's diagonal to the next one's,
/// and from the last to the one of the `end`.
fn chain(places: Vec<Place>, end: isize) -> Vec<Place> {
    let way = |from: isize, to: isize| (to - from).abs() as f32;
    // The best gain up to each place, and which one comes before it.
    let mut gains: Vec<f32> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for place in &places {
        let to = place.diagonals.0;
        let earlier = places.iter().zip(&gains).enumerate().filter(|(_, (other, _))| other.column < place.column);
        let gained = earlier.map(|(at, (other, gain))| (Some(at), gain - way(other.diagonals.1, to)));
        let best = gained.fold((None, -way(0, to)), |best, next| if next.1 > best.1 { next } else { best });
        gains.push(best.1 + place.gain);
        before.push(best.0);
    }
    let ends = places.iter().zip(&gains).map(|(place, gain)| gain - way(place.diagonals.1, end)).enumerate();
    let last =
        ends.fold((None, -way(0, end)), |best, (at, gain)| if gain > best.1 { (Some(at), gain) } else { best }).0;
    let mut kept: Vec<usize> = std::iter::successors(last, |&at| before[at]).collect();
    let mut places: Vec<_> = places.into_iter().map(Some).collect();
    kept.reverse();
    kept.into_iter().filter_map(|at| places[at].take()).collect()
}

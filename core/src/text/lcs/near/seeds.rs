//! Where short pieces of the gold occur in the text.

use rustc_hash::FxHashMap;

/// A seed that occurs more often in the text than this says nothing about where it belongs.
const OFTEN: u32 = 32;

/// For each block of the gold's tokens, the diagonals (column less row) on which its seeds occur in the text.
///
/// Seeds are told apart by hashes alone: two that share one occur where either does, which only makes a bound weaker.
pub(super) struct Seeds {
    /// The diagonals of block `b` are `diagonals[starts[b]..starts[b + 1]]`, ascending.
    starts: Vec<usize>,
    diagonals: Vec<isize>,
    /// How many seeds each block has, without those that occur too often.
    counts: Vec<usize>,
}

impl Seeds {
    /// Cuts `gold` into blocks of `block` tokens and those into seeds of `length` tokens.
    pub(super) fn new(gold: &[u32], text: &[u32], block: usize, length: usize) -> Self {
        let mut numbers = FxHashMap::default();
        let mut number = |seed: &[u32]| {
            let next = numbers.len();
            *numbers.entry(hash(seed)).or_insert(next)
        };
        let cut = |block: &[u32]| block.chunks_exact(length).map(&mut number).collect();
        let blocks: Vec<Vec<usize>> = gold.chunks(block).map(cut).collect();
        let places = Places::new(&numbers, text, length);
        let mut seeds = Seeds { starts: vec![0], diagonals: Vec::new(), counts: Vec::new() };
        for (b, numbers) in blocks.iter().enumerate() {
            seeds.push(b * block, length, numbers, &places);
        }
        seeds
    }

    /// The next block, which begins at `row`.
    fn push(&mut self, row: usize, length: usize, numbers: &[usize], places: &Places) {
        let rows = (row..).step_by(length);
        let told: Vec<_> = numbers.iter().zip(rows).filter_map(|(&n, row)| Some((places.of(n)?, row))).collect();
        let diagonals = told.iter().flat_map(|&(columns, row)| columns.iter().map(move |&c| c as isize - row as isize));
        let start = self.diagonals.len();
        self.diagonals.extend(diagonals);
        self.diagonals[start..].sort_unstable();
        self.starts.push(self.diagonals.len());
        self.counts.push(told.len());
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The diagonals between which seeds of a block lie closest together, and what share of them does: where it is at
    /// least a quarter.
    pub(super) fn home(&self, block: usize) -> Option<((isize, isize), f32)> {
        let diagonals = self.diagonals(block);
        let (count, start) = densest(diagonals, self.counts[block]);
        let share = count as f32 / self.counts[block] as f32;
        (count > 0 && share >= 0.25).then(|| ((diagonals[start], diagonals[start + count - 1]), share.min(1.0)))
    }

    /// The least cost of a path through all rows of a block that keeps to one side of the diagonals `low..=high`, and
    /// takes tokens on those from `first` to `last` alone.
    ///
    /// Each seed of which the path does not take all tokens, one right after the other, costs it a skipped token. And
    /// the seeds that it takes lie no further apart than it skips tokens: not as far as there are seeds, or it skips as
    /// many. So it takes no more of them than the most that lie so close.
    pub(super) fn least_cost(&self, block: usize, (low, high): (isize, isize), (first, last): (isize, isize)) -> usize {
        let diagonals = self.diagonals(block);
        let before = |limit: isize| diagonals.partition_point(|&diagonal| diagonal < limit);
        let (below, above) = (before(first)..before(low.max(first)), before(high + 1)..before(last.max(high) + 1));
        let count = self.counts[block];
        let taken = densest(&diagonals[below], count).0.max(densest(&diagonals[above], count).0);
        count.saturating_sub(taken)
    }

    fn diagonals(&self, block: usize) -> &[isize] {
        &self.diagonals[self.starts[block]..self.starts[block + 1]]
    }
}

/// How many of `diagonals`, which ascend, lie within `width` of each other at most, and the first of them.
fn densest(diagonals: &[isize], width: usize) -> (usize, usize) {
    let mut best = (0, 0);
    let mut start = 0;
    for (end, &last) in diagonals.iter().enumerate() {
        while last - diagonals[start] > width as isize {
            start += 1;
        }
        if end + 1 - start > best.0 {
            best = (end + 1 - start, start);
        }
    }
    best
}

/// The columns at which each seed occurs.
struct Places {
    counts: Vec<u32>,
    /// Those of seed `n` are `columns[starts[n]..starts[n + 1]]`.
    starts: Vec<usize>,
    columns: Vec<usize>,
}

impl Places {
    /// Of the seeds with these `numbers`.
    fn new(numbers: &FxHashMap<u64, usize>, text: &[u32], length: usize) -> Self {
        let mut counts = vec![0; numbers.len()];
        let mut found = Vec::new();
        for (column, hash) in hashes(text, length).enumerate() {
            if let Some(&number) = numbers.get(&hash) {
                counts[number] += 1;
                if counts[number] <= OFTEN {
                    found.push((number, column));
                }
            }
        }
        let ends = counts.iter().scan(0, |end, &count| {
            *end += count.min(OFTEN) as usize;
            Some(*end)
        });
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let mut columns = vec![0; found.len()];
        let mut next = starts.clone();
        for (number, column) in found {
            columns[next[number]] = column;
            next[number] += 1;
        }
        Places { counts, starts, columns }
    }

    /// None of a seed that occurs too often.
    fn of(&self, number: usize) -> Option<&[usize]> {
        (self.counts[number] <= OFTEN).then(|| &self.columns[self.starts[number]..self.starts[number + 1]])
    }
}

/// The factor of a hash.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A polynomial in the tokens.
fn hash(tokens: &[u32]) -> u64 {
    tokens.iter().fold(0, |hash, &token| append(hash, token))
}

fn append(hash: u64, token: u32) -> u64 {
    hash.wrapping_mul(FACTOR).wrapping_add(u64::from(token) + 1)
}

/// The hashes of all pieces of `length` tokens, each made from the one before (Karp & Rabin 1987).
fn hashes(text: &[u32], length: usize) -> impl Iterator<Item = u64> {
    let first = text.get(..length).map(hash);
    let weight = FACTOR.wrapping_pow(length as u32);
    let pairs = text.iter().zip(text.iter().skip(length));
    let rest = pairs.scan(first.unwrap_or(0), move |hash, (&left, &token)| {
        *hash = append(*hash, token).wrapping_sub(weight.wrapping_mul(u64::from(left) + 1));
        Some(*hash)
    });
    first.into_iter().chain(rest)
}

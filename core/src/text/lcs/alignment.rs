//! Which tokens a longest common subsequence pairs: Hirschberg 1975, "A linear space algorithm for
//! computing maximal common subsequences", on the bit-parallel lengths of this module.

use super::{Reference, common};
use crate::text::tokens::Token;

/// Smaller problems are solved by a table: its cells cost less than masks do.
const TABLE_CELLS: usize = 4096;

/// The pairs `(i, j)` of one longest common subsequence of `one` and `other`: `one[i] == other[j]`, both
/// ascending. Time O(|one| |other| / 64), memory O(|one| + |other|) beside the masks.
///
/// ```
/// let pairs = carat_core::text::lcs::alignment(&[1, 2, 3, 4], &[2, 4, 1, 3, 4]);
/// assert_eq!(pairs, [(1, 0), (2, 3), (3, 4)]);
/// ```
pub fn alignment(one: &[Token], other: &[Token]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    // Problems still to be solved, the first on top: where they begin in each text, and their tokens.
    let mut open = vec![Problem { start: (0, 0), one, other }];
    while let Some(problem) = open.pop() {
        let trimmed = problem.trimmed(&mut pairs);
        if trimmed.one.is_empty() || trimmed.other.is_empty() {
            continue;
        }
        if let Some(suffix) = trimmed.suffix() {
            open.push(suffix);
        }
        let middle = trimmed.without_suffix();
        if middle.one.len().saturating_mul(middle.other.len()) <= TABLE_CELLS {
            middle.solve(&mut pairs);
        } else {
            open.extend(middle.halves());
        }
    }
    pairs
}

/// Tokens to be paired, and where they stand.
#[derive(Clone, Copy)]
struct Problem<'t> {
    start: (usize, usize),
    one: &'t [Token],
    other: &'t [Token],
}

impl<'t> Problem<'t> {
    /// The part from `one` and `other` tokens on.
    fn after(self, one: usize, other: usize) -> Self {
        Problem {
            start: (self.start.0 + one, self.start.1 + other),
            one: &self.one[one..],
            other: &self.other[other..],
        }
    }

    /// Pairs what both begin with.
    fn trimmed(self, pairs: &mut Vec<(usize, usize)>) -> Self {
        let prefix = common(self.one.iter(), self.other.iter());
        pairs.extend((0..prefix).map(|at| (self.start.0 + at, self.start.1 + at)));
        self.after(prefix, prefix)
    }

    fn suffix_length(&self) -> usize {
        common(self.one.iter().rev(), self.other.iter().rev())
    }

    /// What both end with, to be paired after the rest.
    fn suffix(self) -> Option<Self> {
        let length = self.suffix_length();
        (length > 0).then(|| self.after(self.one.len() - length, self.other.len() - length))
    }

    fn without_suffix(self) -> Self {
        let length = self.suffix_length();
        let (one, other) = (&self.one[..self.one.len() - length], &self.other[..self.other.len() - length]);
        Problem { one, other, ..self }
    }

    /// The second half, then the first: the longer text is cut in the middle, and the other one where both
    /// parts together have a longest common subsequence.
    fn halves(self) -> [Self; 2] {
        let (cut_one, cut_other) = if self.one.len() >= self.other.len() {
            let half = self.one.len() / 2;
            (half, cut(&self.one[..half], &self.one[half..], self.other))
        } else {
            let half = self.other.len() / 2;
            (cut(&self.other[..half], &self.other[half..], self.one), half)
        };
        let first = Problem { one: &self.one[..cut_one], other: &self.other[..cut_other], ..self };
        [self.after(cut_one, cut_other), first]
    }

    /// By the table of all lengths.
    fn solve(self, pairs: &mut Vec<(usize, usize)>) {
        let width = self.other.len() + 1;
        // `lengths[i * width + j]`: of what follows `i` and `j`.
        let mut lengths = vec![0u32; (self.one.len() + 1) * width];
        for i in (0..self.one.len()).rev() {
            for j in (0..self.other.len()).rev() {
                lengths[i * width + j] = if self.one[i] == self.other[j] {
                    lengths[(i + 1) * width + j + 1] + 1
                } else {
                    lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < self.one.len() && j < self.other.len() {
            if self.one[i] == self.other[j] {
                pairs.push((self.start.0 + i, self.start.1 + j));
                (i, j) = (i + 1, j + 1);
            } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
}

/// Where `other` is best cut when the text beside it is cut into `first` and `second`.
fn cut(first: &[Token], second: &[Token], other: &[Token]) -> usize {
    let forward = Reference::new(other).lengths(first);
    let reversed = |tokens: &[Token]| tokens.iter().rev().copied().collect::<Vec<Token>>();
    let backward = Reference::new(&reversed(other)).lengths(&reversed(second));
    let sums = forward.iter().zip(backward.iter().rev()).map(|(before, after)| before + after);
    let best = sums.enumerate().max_by_key(|&(at, sum)| (sum, std::cmp::Reverse(at)));
    best.map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(one: &[Token], other: &[Token]) -> Result<(), TestCaseError> {
        let pairs = alignment(one, other);
        prop_assert_eq!(pairs.len(), Reference::new(one).lcs(other));
        prop_assert!(pairs.iter().all(|&(i, j)| one[i] == other[j]));
        prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pairs_are_a_longest_common_subsequence(
            one in proptest::collection::vec(0u32..6, 0..300),
            other in proptest::collection::vec(0u32..6, 0..300),
        ) {
            check(&one, &other)?;
        }

        #[test]
        fn texts_that_share_long_runs_are_aligned(
            text in proptest::collection::vec(0u32..2000, 0..600),
            noise in proptest::collection::vec((0usize..600, 0u32..2000), 0..80),
        ) {
            let mut other = text.clone();
            for (at, token) in noise {
                let at = at.min(other.len());
                other.insert(at, token);
            }
            check(&text, &other)?;
            check(&other, &text)?;
        }
    }

    #[test]
    fn nothing_is_paired_where_nothing_is_equal() {
        assert_eq!(alignment(&[1; 5000], &[2; 5000]), []);
        assert_eq!(alignment(&[], &[2]), []);
        assert_eq!(alignment(&[7; 3000], &[7; 3000]).len(), 3000);
    }
}

//! The one range of a text that a gold is best approached by, exactly.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::counts::TooLarge;
use crate::text::lcs::Reference;
use crate::text::tokens::Token;

/// Steps (tokens, and tokens times machine words of the gold) that one page may take.
const MAX_WORK: usize = 1 << 33;

/// Ranges around one whose common subsequence is known are looked for among so many.
const REMEMBERED: usize = 16;

/// `2 matched / (extracted + gold)` as two integers.
type Fraction = (u64, u64);

fn is_less(one: Fraction, other: Fraction) -> bool {
    u128::from(one.0) * u128::from(other.1) < u128::from(other.0) * u128::from(one.1)
}

/// The place of the range of `tokens` with the greatest F1 under LCS against `gold`; of equal ones that with fewest
/// tokens, then the first. `None` where none matches anything.
///
/// Ranges are tried in the order of the F1 that their length allows, and left out where that, the tokens they share
/// with the gold, or a range around them shows that they cannot be the best; on real pages two are compared in full.
///
/// # Errors
/// [`TooLarge`] where that would take too many steps.
///
/// ```
/// use carat_core::scoring::range::best_range;
/// let tokens = [7, 1, 2, 3, 9, 9];
/// assert_eq!(best_range(&tokens, &[0..6, 1..4, 4..6], &[1, 2, 3]), Ok(Some(1)));
/// ```
pub fn best_range(tokens: &[Token], ranges: &[Range<usize>], gold: &[Token]) -> Result<Option<usize>, TooLarge> {
    let reference = Reference::new(gold);
    let mut overlap = Overlap::new(gold);
    let bound = |matched: usize, range: &Range<usize>| (2 * matched as u64, (range.len() + gold.len()) as u64);
    let at_most = |range: &Range<usize>| range.len().min(gold.len());
    let mut order: Vec<usize> = (0..ranges.len()).filter(|&place| at_most(&ranges[place]) > 0).collect();
    order.sort_by(|&one, &other| {
        let [one, other] = [one, other].map(|place| bound(at_most(&ranges[place]), &ranges[place]));
        (u128::from(other.0) * u128::from(one.1)).cmp(&(u128::from(one.0) * u128::from(other.1)))
    });
    let words = gold.len().div_ceil(64);
    let mut known: Vec<(&Range<usize>, usize)> = Vec::new();
    let mut best: Option<(Fraction, (usize, usize))> = None;
    let mut work = 0;
    for place in order {
        let range = &ranges[place];
        let loses = |matched| best.is_some_and(|(best, _)| is_less(bound(matched, range), best));
        if loses(at_most(range)) {
            break;
        }
        work += range.len();
        let around = known.iter().filter(|(other, _)| other.start <= range.start && range.end <= other.end);
        let mut most = around.map(|(_, matched)| *matched).min().unwrap_or(usize::MAX).min(at_most(range));
        if !loses(most) {
            most = most.min(overlap.of(&tokens[range.clone()]));
        }
        if most == 0 || loses(most) {
            continue;
        }
        work += range.len() * words;
        if work > MAX_WORK {
            return Err(TooLarge);
        }
        let matched = reference.lcs(&tokens[range.clone()]);
        if known.len() < REMEMBERED {
            known.push((range, matched));
        }
        let (found, rank) = (bound(matched, range), (range.len(), place));
        let wins = best.is_none_or(|(best, of_best)| is_less(best, found) || !is_less(found, best) && rank < of_best);
        if matched > 0 && wins {
            best = Some((found, rank));
        }
    }
    Ok(best.map(|(_, (_, place))| place))
}

/// The tokens that texts share with a gold, order ignored.
pub(super) struct Overlap {
    /// How often each token of the gold is there.
    left: FxHashMap<Token, i64>,
}

impl Overlap {
    pub(super) fn new(gold: &[Token]) -> Self {
        let mut left = FxHashMap::default();
        gold.iter().for_each(|&token| *left.entry(token).or_insert(0) += 1);
        Overlap { left }
    }

    /// The size of the multiset's overlap with `tokens`: each takes one of its kind away; in the end all are given
    /// back.
    pub(super) fn of(&mut self, tokens: &[Token]) -> usize {
        let mut shared = 0;
        for token in tokens {
            if let Some(left) = self.left.get_mut(token) {
                shared += usize::from(*left > 0);
                *left -= 1;
            }
        }
        for token in tokens {
            if let Some(left) = self.left.get_mut(token) {
                *left += 1;
            }
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ranges one within the other or apart, as those of elements are.
    fn nested(length: usize) -> Vec<Range<usize>> {
        let mut ranges = Vec::from_iter([0..length, 0..length / 2]);
        let mut at = 0;
        while at < ranges.len() && ranges.len() < 30 {
            let Range { start, end } = ranges[at];
            if end - start > 1 {
                let middle = start + (end - start) / 3 + 1;
                ranges.extend([start..middle, middle.min(end)..end]);
            }
            at += 1;
        }
        ranges.retain(|range| !range.is_empty());
        ranges
    }

    proptest! {
        #[test]
        fn no_range_is_better_and_ties_go_to_the_shorter_then_the_first(
            tokens in proptest::collection::vec(0u32..5, 0..60),
            gold in proptest::collection::vec(0u32..5, 0..30),
        ) {
            let ranges = nested(tokens.len());
            let reference = Reference::new(&gold);
            let f1 = |range: &Range<usize>| {
                let matched = reference.lcs(&tokens[range.clone()]) as u64;
                (2 * matched, (range.len() + gold.len()) as u64)
            };
            let mut best: Option<usize> = None;
            for (place, range) in ranges.iter().enumerate() {
                let better = best.is_none_or(|best| {
                    let (known, found) = (f1(&ranges[best]), f1(range));
                    is_less(known, found) || !is_less(found, known) && range.len() < ranges[best].len()
                });
                if f1(range).0 > 0 && better {
                    best = Some(place);
                }
            }
            prop_assert_eq!(best_range(&tokens, &ranges, &gold), Ok(best));
        }
    }

    #[test]
    fn without_gold_or_anything_in_common_nothing_is_best() {
        assert_eq!(best_range(&[1, 2], &[0..2, 0..1], &[]), Ok(None));
        assert_eq!(best_range(&[1, 2], &[0..2, 0..1], &[3]), Ok(None));
        assert_eq!(best_range(&[], &[], &[3]), Ok(None));
    }
}

//! The set of segments of a text that a gold is best approached by, exactly.
//!
//! F1 under LCS is a ratio, `2 LCS(S, g) / (|S| + |g|)`, so a sequence of sums is solved instead (Dinkelbach 1967, "On
//! nonlinear fractional programming"): for F = p/q the set with the greatest `2q LCS(S, g) - p |S|` is looked for; where that
//! is no more than `p |g|` no set is better than F, and else the set found is. F grows with every step; on nearly every
//! page there are two.
//!
//! A sum is solved segment by segment: all that those before say is `D[j]`, the best value so far that uses `g[..j]`. A
//! segment costs `p` a token and earns `2q` a matched one.

use std::ops::Range;

use super::TooLarge;
use super::masks::{MAX_WORDS, Masks, advance};
use super::range::Overlap;
use super::stairs::{Change, Stairs};
use crate::text::lcs::Reference;
use crate::text::tokens::Token;

/// Tokens times tokens of the gold that one step may take.
const MAX_WORK: usize = 1 << 34;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subset {
    /// The places of the segments, in order.
    pub chosen: Vec<usize>,
    /// How many sums were solved, the last of which showed that no set is better.
    pub steps: usize,
}

/// The set of `segments`, which follow each other and make up `tokens`, whose tokens have the greatest F1 under LCS
/// against `gold`. A segment is in it only for a strict gain; where nothing matches it is empty.
///
/// # Errors
/// [`TooLarge`] where more than 256 MiB or too many steps were needed.
///
/// ```
/// use carat::scoring::subset::best_subset;
/// // `ab`, `cdxx`, `zz` for `abcd`: at F = 2/3 `cdxx` still pays (4 > 8/3), and so it does at 4/5 (4 > 16/5).
/// let tokens: Vec<u32> = "abcdxxzz".chars().map(u32::from).collect();
/// let gold: Vec<u32> = "abcd".chars().map(u32::from).collect();
/// let best = best_subset(&tokens, &[0..2, 2..6, 6..8], &gold).unwrap();
/// assert_eq!((best.chosen, best.steps), (vec![0, 1], 2));
/// ```
pub fn best_subset(tokens: &[Token], segments: &[Range<usize>], gold: &[Token]) -> Result<Subset, TooLarge> {
    let matched = Reference::new(gold).lcs(tokens);
    if matched == 0 {
        return Ok(Subset { chosen: Vec::new(), steps: 0 });
    }
    let mut overlap = Overlap::new(gold);
    let problem = Problem {
        tokens,
        overlaps: segments.iter().map(|segment| overlap.of(&tokens[segment.clone()])).collect(),
        segments,
        masks: Masks::new(gold.iter().copied())?,
        reversed: Masks::new(gold.iter().rev().copied())?,
        length: gold.len(),
    };
    let mut best = Subset { chosen: (0..segments.len()).collect(), steps: 0 };
    let (mut matched, mut size) = (matched, tokens.len());
    loop {
        // F of the set at hand, in lowest terms.
        let (p, q) = reduced(2 * matched as i64, (size + gold.len()) as i64);
        let (value, chosen) = problem.best_at(p, q)?;
        best.steps += 1;
        if value <= p * gold.len() as i64 {
            return Ok(best);
        }
        size = chosen.iter().map(|&place| segments[place].len()).sum();
        matched = ((value + p * size as i64) / (2 * q)) as usize;
        best.chosen = chosen;
    }
}

fn reduced(p: i64, q: i64) -> (i64, i64) {
    let (mut a, mut b) = (p, q);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (p / a, q / a)
}

struct Problem<'p> {
    tokens: &'p [Token],
    segments: &'p [Range<usize>],
    /// How many tokens each segment shares with the gold, order ignored: no set gets more out of it.
    overlaps: Vec<usize>,
    masks: Masks,
    /// The same of the gold from its end.
    reversed: Masks,
    length: usize,
}

/// A segment that is worth taking somewhere, and how the values were without it.
struct Gain {
    segment: usize,
    changes: Vec<Change>,
}

impl Problem<'_> {
    /// The greatest `2q LCS(S, g) - p |S|`, and a set that has it.
    fn best_at(&self, p: i64, q: i64) -> Result<(i64, Vec<usize>), TooLarge> {
        let mut values = Stairs::flat(self.length, 2 * q);
        let mut taken = Stairs::flat(self.length, 2 * q);
        let mut gains: Vec<Gain> = Vec::new();
        let (mut words, mut work) = (0, 0);
        for (place, segment) in self.segments.iter().enumerate() {
            let cost = p * segment.len() as i64;
            if 2 * q * self.overlaps[place] as i64 <= cost {
                continue;
            }
            work += segment.len().saturating_mul(self.length);
            if work > MAX_WORK {
                return Err(TooLarge);
            }
            taken.copy_from(&values);
            let known = self.tokens[segment.clone()].iter().filter_map(|&token| self.masks.row(token));
            known.for_each(|mask| taken.advance(mask));
            if taken.max_with(-cost, &values) {
                let changes = values.change_to(&taken);
                words += changes.iter().map(Change::words).sum::<usize>();
                if words > MAX_WORDS {
                    return Err(TooLarge);
                }
                gains.push(Gain { segment: place, changes });
            }
        }
        let top = values.top();
        Ok((values.value(top), self.walk_back(values, top, gains, (p, q))))
    }

    /// The set behind the value at the place `at` of `values`. A segment was taken if the value without it is less.
    fn walk_back(&self, mut values: Stairs, mut at: usize, gains: Vec<Gain>, (p, q): (i64, i64)) -> Vec<usize> {
        let mut chosen = Vec::new();
        for Gain { segment, changes } in gains.into_iter().rev() {
            let value = values.value(at);
            values.take_back(changes);
            if value > values.value(at) {
                let cost = p * self.segments[segment].len() as i64;
                at = self.began(segment, at, &values, (value + cost, 2 * q));
                chosen.push(segment);
            }
        }
        chosen.reverse();
        chosen
    }

    /// The first place from which on `segment` earns what makes up `value` at the place `at`, each matched token being
    /// worth `whole`. Read from the end, one pass over the segment tells its LCS with `g[j..at]` for every `j`.
    fn began(&self, segment: usize, at: usize, before: &Stairs, (value, whole): (i64, i64)) -> usize {
        let mut state = vec![!0u64; self.masks.words()];
        let end = self.length - at;
        state[..end / 64].fill(0);
        if let Some(word) = state.get_mut(end / 64) {
            *word <<= end % 64;
        }
        let tokens = &self.tokens[self.segments[segment].clone()];
        tokens.iter().rev().filter_map(|&token| self.reversed.row(token)).for_each(|mask| advance(&mut state, mask));
        let (mut matched, mut began) = (0, at);
        for (place, known) in (0..=at).rev().zip(before.values_down_from(at)) {
            if place < at {
                let bit = self.length - 1 - place;
                matched += i64::from(state[bit / 64] >> (bit % 64) & 1 == 0);
            }
            if known + whole * matched == value {
                began = place;
            }
        }
        began
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        text.chars().map(u32::from).collect()
    }

    /// Pieces of `text` at the marks `|`.
    fn pieces(text: &str) -> (Vec<Token>, Vec<Range<usize>>) {
        let (mut all, mut segments) = (Vec::new(), Vec::new());
        for piece in text.split('|') {
            let start = all.len();
            all.extend(tokens(piece));
            segments.push(start..all.len());
        }
        (all, segments)
    }

    fn best(text: &str, gold: &str) -> Subset {
        let (all, segments) = pieces(text);
        best_subset(&all, &segments, &tokens(gold)).unwrap()
    }

    #[test]
    fn examples_of_the_specification() {
        // 首页 shares nothing with the gold; 分享到 neither.
        assert_eq!(best("首页|猫睡觉|猫每天睡觉。|分享到", "猫睡觉猫每天睡觉。").chosen, [1, 2]);
        assert_eq!(best("ab|cdxx|zz", "abcd"), Subset { chosen: vec![0, 1], steps: 2 });
        // abxyzw: 2 * 2 / (6 + 2) = 1/2; the empty set and q have 0.
        assert_eq!(best("abxyzw|q", "ab").chosen, [0]);
        assert_eq!(best("ab|c", "").chosen, [0; 0]);
        assert_eq!(best("ab|c", "xyz").chosen, [0; 0]);
    }

    #[test]
    fn order_counts() {
        // `cd` before `ab` in the page: LCS with `abcd` is 2 however both are taken; one of them alone is
        // 4 / (2 + 4) = 2/3, both 4 / 8.
        assert_eq!(best("cd|ab", "abcd").chosen.len(), 1);
    }

    fn f1(all: &[Token], segments: &[Range<usize>], chosen: &[usize], gold: &[Token]) -> (u64, u64) {
        let text: Vec<Token> = chosen.iter().flat_map(|&place| all[segments[place].clone()].to_vec()).collect();
        (2 * Reference::new(gold).lcs(&text) as u64, (text.len() + gold.len()) as u64)
    }

    /// Segments of up to `longest` tokens of few kinds, and a gold that is partly made of them.
    fn problem(longest: usize, most: usize) -> impl Strategy<Value = (Vec<Vec<Token>>, Vec<Token>)> {
        (2..8u32).prop_flat_map(move |alphabet| {
            let segments = proptest::collection::vec(proptest::collection::vec(0..alphabet, 0..=longest), 0..=most);
            let noise = proptest::collection::vec(0..alphabet, 0..longest);
            (segments, noise, any::<u64>()).prop_map(|(segments, noise, taken)| {
                let taken = segments.iter().enumerate().filter(|(place, _)| taken >> (place % 64) & 1 == 1);
                let gold = taken.flat_map(|(_, segment)| segment.clone()).chain(noise).collect();
                (segments, gold)
            })
        })
    }

    fn laid_out(parts: &[Vec<Token>]) -> (Vec<Token>, Vec<Range<usize>>) {
        let (mut all, mut segments) = (Vec::new(), Vec::new());
        for part in parts {
            segments.push(all.len()..all.len() + part.len());
            all.extend(part);
        }
        (all, segments)
    }

    /// The greatest `2q LCS(S, g) - p |S|` as the specification computes it, place by place.
    fn plain_value(all: &[Token], segments: &[Range<usize>], gold: &[Token], (p, q): (i64, i64)) -> i64 {
        let mut values = vec![0i64; gold.len() + 1];
        for segment in segments {
            let mut row: Vec<i64> = values.iter().map(|value| value - p * segment.len() as i64).collect();
            for token in &all[segment.clone()] {
                let old = row.clone();
                for j in 1..=gold.len() {
                    let both = if gold[j - 1] == *token { old[j - 1] + 2 * q } else { i64::MIN };
                    row[j] = old[j].max(row[j - 1]).max(both);
                }
            }
            values.iter_mut().zip(&row).for_each(|(value, taken)| *value = (*value).max(*taken));
        }
        values[gold.len()]
    }

    proptest! {
        #[test]
        fn no_subset_is_better((parts, gold) in problem(6, 9)) {
            let (all, segments) = laid_out(&parts);
            let found = best_subset(&all, &segments, &gold).unwrap();
            let (twice, sum) = f1(&all, &segments, &found.chosen, &gold);
            for subset in 0..1u32 << segments.len() {
                let chosen: Vec<usize> = (0..segments.len()).filter(|place| subset >> place & 1 == 1).collect();
                let (other_twice, other_sum) = f1(&all, &segments, &chosen, &gold);
                prop_assert!(other_twice * sum <= twice * other_sum, "{chosen:?} is better than {:?}", found.chosen);
            }
        }

        #[test]
        fn sums_over_several_words_are_those_of_the_plain_table((parts, gold) in problem(70, 12), p in 1..40i64, more in 0..40i64) {
            let (all, segments) = laid_out(&parts);
            let problem = Problem {
                tokens: &all,
                overlaps: segments.iter().map(|segment| Overlap::new(&gold).of(&all[segment.clone()])).collect(),
                segments: &segments,
                masks: Masks::new(gold.iter().copied()).unwrap(),
                reversed: Masks::new(gold.iter().rev().copied()).unwrap(),
                length: gold.len(),
            };
            let q = p + more;
            let (value, chosen) = problem.best_at(p, q).unwrap();
            prop_assert_eq!(value, plain_value(&all, &segments, &gold, (p, q)));
            let (twice, sum) = f1(&all, &segments, &chosen, &gold);
            prop_assert_eq!(value, q * twice as i64 - p * (sum as i64 - gold.len() as i64));
        }
    }

    #[test]
    fn what_would_take_too_long_is_refused() {
        let (all, gold) = (vec![0; 1 << 18], vec![0; 1 << 18]);
        assert_eq!(best_subset(&all, std::slice::from_ref(&(0..1 << 18)), &gold), Err(TooLarge));
    }
}

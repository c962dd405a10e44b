//! The set of segments of a text that a gold is best approached by, exactly.
//!
//! F1 under LCS is a ratio, `2 LCS(S, g) / (|S| + |g|)`, so a sequence of sums is solved instead (Dinkelbach 1967, "On
//! nonlinear fractional programming"): for F = p/q the set with the greatest `2q LCS(S, g) - p |S|` is looked for; where that
//! is no more than `p |g|` no set is better than F, and else the set found is. F grows with every step; on nearly every
//! page there are two.
//!
//! A sum costs what the LCS of text and gold does many times over ([`sums`]), so it is computed in few places only. A set
//! that is as good as p/q matches enough, and has few tokens that are not matched:
//!
//! - `2q L - p |S| >= p |g|` and `|S| >= L`, so `L >= p |g| / (2q - p)`;
//! - with `E = 2L - |S|` the sum is `p E + 2(q - p) L`, so `E >= |g| - 2(q - p) L* / p`, where `L*` is the LCS of the whole
//!   text.
//!
//! Where a set can be that matches so much, by the LCS of what is before and after each part of the text with each
//! beginning and end of the gold, is found a machine word at a time ([`course`]), and within that where one can be that
//! has so much of `E` ([`walk`], [`net`]): as F is near 1 on most pages, that is nearly the sum itself.

mod course;
mod cut;
mod levels;
mod net;
mod side;
mod stairs;
mod sums;
mod walk;
mod work;

use std::ops::Range;

use super::TooLarge;
use super::range::Overlap;
use crate::text::tokens::Token;
use course::{Bounds, Course};
use net::Net;
use side::Side;
use sums::{Size, Sums, Worth};
use work::{MAX_STEPS, Work};

/// Words of the gold that a part of the text may have, on average, for a guess to be made in them.
const NARROW: usize = 16;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subset {
    /// The places of the segments, in order.
    pub chosen: Vec<usize>,
    /// How many sums were solved, the last of which showed that no set is better.
    pub steps: usize,
}

/// The set of `segments`, which follow each other and make up `tokens`, whose tokens have the greatest F1 under LCS
/// against `gold`; where nothing matches it is empty. Of several sets it is one with the most tokens, and of those the
/// one that is found from the end, leaving out a segment wherever that changes nothing. All segments, if they are among
/// the best, are all, those without tokens too.
///
/// # Errors
/// [`TooLarge`] where more than 256 MiB or 2^30 steps are needed; a step holds one token against 64 of the gold.
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
    best_within(Work::new(MAX_STEPS), tokens, segments, gold)
}

fn best_within(work: Work, tokens: &[Token], segments: &[Range<usize>], gold: &[Token]) -> Result<Subset, TooLarge> {
    let shared = Overlap::new(gold).of(tokens);
    if shared == 0 {
        return Ok(Subset { chosen: Vec::new(), steps: 0 });
    }
    let filled: Vec<usize> = (0..segments.len()).filter(|&place| !segments[place].is_empty()).collect();
    let side = Side::new(tokens, filled.iter().map(|&place| segments[place].clone()).collect(), gold)?;
    let mirrored = side.mirrored(gold.len());
    let mut search = Search::new(&side, &mirrored, (gold.len(), shared), work)?;
    let net = search.net()?;
    for steps in 1.. {
        let least = search.least(search.aim).even;
        let sums = Sums { side: &side, mirrored: &mirrored, worth: Worth::new(search.aim, gold.len(), tokens.len())? };
        let best = sums.best(&net.band(least), |segment| net.can_have(segment, least), &mut search.work)?;
        if best.size == search.aim {
            let is_all = best.size.tokens == tokens.len();
            let chosen = best.segments.iter().map(|&place| filled[place]).collect();
            return Ok(Subset { chosen: if is_all { (0..segments.len()).collect() } else { chosen }, steps });
        }
        search.aim = best.size;
    }
    unreachable!("F1 grows with every step")
}

/// The search for where the best sets can be.
struct Search<'s> {
    course: Course<'s>,
    /// The number of tokens of the gold.
    gold: usize,
    /// The LCS of text and gold.
    all: usize,
    /// Some set has this F1 or a greater one.
    aim: Size,
    work: Work,
}

/// What a set has at least.
#[derive(Clone, Copy)]
struct Least {
    /// Of matched tokens.
    matched: usize,
    /// Of `E`.
    even: usize,
}

impl<'s> Search<'s> {
    /// The search in a text that shares some tokens with a gold, order ignored: no more of them are matched.
    fn new(
        side: &'s Side,
        mirrored: &'s Side,
        (gold, shared): (usize, usize),
        mut work: Work,
    ) -> Result<Self, TooLarge> {
        let mut course = Course::new((side, mirrored), (gold, shared - shared / 16), &mut work)?;
        while course.matched() < course.least {
            let matched = course.matched();
            course = Course::new((side, mirrored), (gold, matched - matched / 16), &mut work)?;
        }
        let all = course.matched();
        Ok(Search { course, gold, all, aim: Size { matched: all, tokens: side.len() }, work })
    }

    /// 2 LCS and the sum of both lengths.
    fn fraction(&self, size: Size) -> (u128, u128) {
        (2 * size.matched as u128, (size.tokens + self.gold) as u128)
    }

    /// What a set has at least whose F1 is that of `size` or greater: see the formulas above.
    fn least(&self, size: Size) -> Least {
        let ((p, q), gold, all) = (self.fraction(size), self.gold as u128, self.all as u128);
        let even = gold.saturating_sub(2 * (q - p) * all / p);
        Least { matched: (p * gold).div_ceil(2 * q - p) as usize, even: even as usize }
    }

    /// Takes it into account that there is a set with this `E`. It matches as much at least, and is best approached by
    /// tokens that all are matched.
    fn tell(&mut self, even: usize) {
        let size = Size { matched: even, tokens: even };
        let ((p, q), (known_p, known_q)) = (self.fraction(size), self.fraction(self.aim));
        if p * known_q > known_p * q {
            self.aim = size;
        }
    }

    /// Where all sets can be that are as good as the best one known.
    ///
    /// How good that is, is guessed at first: a set that misses little is found in few places. If there is none, more
    /// may be missing.
    fn net(&mut self) -> Result<Net<'s>, TooLarge> {
        let mut missing = 0;
        if let Some(bounds) = self.course.band(self.all, &mut self.work)?.filter(|bounds| self.is_narrow(bounds)) {
            let even = Net::guess(&self.course, bounds, &mut self.work)?;
            self.tell(even);
            missing = self.all / 8;
        }
        loop {
            let (needed, guess) = (self.least(self.aim), self.all - missing.min(self.all));
            let least = Least { matched: needed.matched.max(guess), even: needed.even.max(guess) };
            if let Some(net) = self.net_of(least)? {
                self.tell(net.most);
                let needed = self.least(self.aim);
                if needed.matched >= least.matched && needed.even >= least.even {
                    return Ok(net);
                }
                missing = self.all;
            } else {
                missing = (4 * missing).max(self.all / 64).max(8);
            }
        }
    }

    fn net_of(&mut self, least: Least) -> Result<Option<Net<'s>>, TooLarge> {
        if least.matched < self.course.least {
            let sides = (self.course.side, self.course.mirrored);
            self.course = Course::new(sides, (self.gold, least.matched), &mut self.work)?;
        }
        match self.course.band(least.matched, &mut self.work)? {
            Some(bounds) => Net::new(&self.course, bounds, least.even, &mut self.work),
            None => Ok(None),
        }
    }

    /// Whether parts have few words of the gold.
    fn is_narrow(&self, [before, _]: &[Bounds; 2]) -> bool {
        let parts = before.windows(2).zip(self.course.side.cuts.windows(2));
        let steps = parts.map(|(cuts, part)| (part[1] - part[0]) * (cuts[1].words.end - cuts[0].words.start));
        steps.sum::<usize>() < NARROW * self.course.side.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::side::Part;
    use super::*;
    use crate::text::lcs::Reference;

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
            let filled: Vec<Range<usize>> = segments.iter().filter(|segment| !segment.is_empty()).cloned().collect();
            prop_assume!(!filled.is_empty() && !gold.is_empty());
            let q = p + more;
            let side = Side::new(&all, filled.clone(), &gold).unwrap();
            let sums = Sums { side: &side, mirrored: &side.mirrored(gold.len()), worth: Worth { whole: 2 * q, cost: p } };
            let everywhere = Part { tokens: 0..all.len(), words: 0..side.words };
            let best = sums.best(&[everywhere], |_| true, &mut Work::new(MAX_STEPS)).unwrap();
            let value = 2 * q * best.size.matched as i64 - p * best.size.tokens as i64;
            prop_assert_eq!(value, plain_value(&all, &segments, &gold, (p, q)));
            let (twice, sum) = f1(&all, &filled, &best.segments, &gold);
            prop_assert_eq!((best.size.matched, best.size.tokens), (twice as usize / 2, sum as usize - gold.len()));
        }
    }

    /// Segments of which every second one is in the gold.
    fn every_second(segments: usize, length: usize) -> (Vec<Token>, Vec<Range<usize>>, Vec<Token>) {
        let parts: Vec<Vec<Token>> = (0..segments)
            .map(|part| (0..length).map(|at| ((part * at * at + 7 * part) % 60) as Token).collect())
            .collect();
        let (all, ranges) = laid_out(&parts);
        (all, ranges, parts.iter().step_by(2).flatten().copied().collect())
    }

    #[test]
    fn a_page_that_takes_a_step_more_than_it_may_is_refused() {
        let (all, segments, gold) = every_second(30, 40);
        let within = |steps| best_within(Work::new(steps), &all, &segments, &gold);
        let needed = (0..1 << 20).collect::<Vec<_>>().partition_point(|&steps| within(steps).is_err());
        assert!((100..1 << 20).contains(&needed), "{needed} steps");
        assert_eq!(within(needed - 1), Err(TooLarge));
        assert_eq!(within(needed), best_subset(&all, &segments, &gold));
    }

    #[test]
    fn text_that_cannot_be_right_is_passed_over() {
        // The rest of a page costs its LCS with the gold and little more.
        let (all, segments, gold) = every_second(400, 60);
        let rows = all.len() * gold.len().div_ceil(64);
        let chosen = best_within(Work::new(rows), &all, &segments, &gold).unwrap().chosen;
        assert_eq!(chosen, (0..400).step_by(2).collect::<Vec<_>>());
    }

    #[test]
    fn tables_that_would_be_too_large_are_refused() {
        let gold: Vec<Token> = (0..1 << 16).collect();
        assert_eq!(best_subset(&gold, std::slice::from_ref(&(0..1 << 16)), &gold), Err(TooLarge));
    }
}

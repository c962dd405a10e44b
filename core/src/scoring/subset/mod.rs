//! The set of segments of a text that a gold is best approached by, exactly.
//!
//! F1 under LCS is a ratio, `2 LCS(S, g) / (|S| + |g|)`, so a sequence of sums is solved instead (Dinkelbach 1967, "On
//! nonlinear fractional programming"): for F = p/q the set with the greatest `2q LCS(S, g) - p |S|` is looked for; where that
//! is no more than `p |g|` no set is better than F, and else the set found is. F grows with every step; on nearly every
//! page there are two.
//!
//! A sum costs what the LCS of text and gold does many times over (`sums.rs`), so it is computed in few places only. A set
//! that is as good as p/q matches enough, and has few tokens that are not matched:
//!
//! - `2q L - p |S| >= p |g|` and `|S| >= L`, so `L >= p |g| / (2q - p)`;
//! - with `E = 2L - |S|` the sum is `p E + 2(q - p) L`, so `E >= |g| - 2(q - p) L* / p`, where `L*` is the LCS of the whole
//!   text.
//!
//! Where a set can be that matches so much, by the LCS of what is before and after each part of the text with each
//! beginning and end of the gold, is found a machine word at a time (`course.rs`), and within that where one can be that
//! has so much of `E` (`walk.rs`, `net.rs`): as F is near 1 on most pages, that is nearly the sum itself.

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
use course::Course;
use net::Net;
use side::Side;
use sums::{Size, Sums, Worth};
use work::Work;

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
/// [`TooLarge`] where more than 256 MiB or 2^31 steps were needed: machine words of the gold (64 tokens) that a token of
/// the text is held against, or as much work of another kind. Steps are counted, so it is the same on every machine.
///
/// ```
/// use carat_core::scoring::subset::best_subset;
/// // `ab`, `cdxx`, `zz` for `abcd`: at F = 2/3 `cdxx` still pays (4 > 8/3), and so it does at 4/5 (4 > 16/5).
/// let tokens: Vec<u32> = "abcdxxzz".chars().map(u32::from).collect();
/// let gold: Vec<u32> = "abcd".chars().map(u32::from).collect();
/// let best = best_subset(&tokens, &[0..2, 2..6, 6..8], &gold).unwrap();
/// assert_eq!((best.chosen, best.steps), (vec![0, 1], 2));
/// ```
pub fn best_subset(tokens: &[Token], segments: &[Range<usize>], gold: &[Token]) -> Result<Subset, TooLarge> {
    best_within(tokens, segments, gold, &mut Work::new())
}

/// [`best_subset`] with what is left of some work.
fn best_within(
    tokens: &[Token],
    segments: &[Range<usize>],
    gold: &[Token],
    work: &mut Work,
) -> Result<Subset, TooLarge> {
    let shared = Overlap::new(gold).of(tokens);
    if shared == 0 {
        return Ok(Subset { chosen: Vec::new(), steps: 0 });
    }
    let filled: Vec<usize> = (0..segments.len()).filter(|&place| !segments[place].is_empty()).collect();
    let side = Side::new(tokens, filled.iter().map(|&place| segments[place].clone()).collect(), gold)?;
    let mirrored = side.mirrored();
    let mut search = Search::new((&side, &mirrored), (gold.len(), shared), work)?;
    let net = search.net()?;
    for steps in 1.. {
        let least = search.least(search.aim).even;
        let sums = Sums { side: &side, mirrored: &mirrored, worth: Worth::new(search.aim, gold.len(), tokens.len())? };
        let best = sums.best(&net.band(least), search.work)?;
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
    work: &'s mut Work,
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
    fn new(sides: (&'s Side, &'s Side), (gold, shared): (usize, usize), work: &'s mut Work) -> Result<Self, TooLarge> {
        let mut course = Course::new(sides, (gold, shared - shared / 16), work)?;
        while course.matched() < course.least {
            let matched = course.matched();
            course = Course::new(sides, (gold, matched - matched / 16), work)?;
        }
        let all = course.matched();
        Ok(Search { course, gold, all, aim: Size { matched: all, tokens: sides.0.len() }, work })
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
        if let Some(bounds) = self.course.band(self.all, self.work)? {
            let even = Net::guess(&self.course, bounds, self.work)?;
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
            self.course = Course::new(sides, (self.gold, least.matched), self.work)?;
        }
        match self.course.band(least.matched, self.work)? {
            Some(bounds) => Net::new(&self.course, bounds, least.even, self.work),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;

//! How alike two page structures are, by the recursive similarity of ISTM (formulas 2 to 8).

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::subtrees::Subtrees;
use crate::algorithms::value::billionths;

/// The similarity of equal structures, in 1e-9.
pub const EQUAL: u32 = 1_000_000_000;

/// What the blocks right below the root weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// Those far from the middle more (formula 8).
    Contribution,
    /// All the same (formula 3).
    Uniform,
}

/// The number of the first block in formula 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WeightOrigin {
    /// The weights are symmetric, as the text says.
    #[serde(rename = "0")]
    Zero,
    /// As printed: the middle lies one block to the left.
    #[serde(rename = "1")]
    One,
}

/// What each of `count` blocks weighs; together 1.
fn weights(count: usize, weights: Weights, origin: WeightOrigin) -> Vec<f64> {
    let middle = (count as f64 - 1.0) / 2.0;
    let first = if origin == WeightOrigin::Zero { 0.0 } else { 1.0 };
    let distance = |block: usize| match weights {
        Weights::Contribution => (middle - (block as f64 + first)).abs() + 1.0,
        Weights::Uniform => 1.0,
    };
    let sum: f64 = (0..count).map(distance).sum();
    (0..count).map(|block| distance(block) / sum).collect()
}

/// A pair of subtrees with equal labels and equally many children, some of which are still to be added up.
struct Open {
    one: u32,
    other: u32,
    next: usize,
    sum: f64,
}

/// Similarities of subtrees; those that were met are remembered, for they are met again in other pages.
pub struct Similarities<'s> {
    subtrees: &'s Subtrees,
    weights: Weights,
    origin: WeightOrigin,
    /// By the unordered pair.
    known: FxHashMap<(u32, u32), f64>,
}

impl<'s> Similarities<'s> {
    /// More pairs than this are not remembered from one call to the next.
    const MOST_KNOWN: usize = 1 << 21;

    /// None is known yet.
    pub fn new(subtrees: &'s Subtrees, weights: Weights, origin: WeightOrigin) -> Self {
        Similarities { subtrees, weights, origin, known: FxHashMap::default() }
    }

    /// The similarity of two structures in 1e-9, rounded once; [`EQUAL`] for equal ones only.
    pub fn of(&mut self, one: u32, other: u32) -> u32 {
        if one == other {
            return EQUAL;
        }
        if !self.have_equal_signatures(one, other) {
            return 0;
        }
        if self.known.len() > Self::MOST_KNOWN {
            self.known = FxHashMap::default();
        }
        let subtrees = self.subtrees;
        let pairs = subtrees.children(one).iter().zip(subtrees.children(other));
        let weights = weights(subtrees.children(one).len(), self.weights, self.origin);
        let sum: f64 = pairs.zip(weights).map(|((&one, &other), weight)| weight * self.below_root(one, other)).sum();
        (billionths(sum) as u32).min(EQUAL - 1)
    }

    /// Formula 2: 0 for unlike signatures, else the mean over the children, 1 without any.
    fn below_root(&mut self, one: u32, other: u32) -> f64 {
        if let Some(similarity) = self.at_once(one, other) {
            return similarity;
        }
        let mut open = vec![Open { one, other, next: 0, sum: 0.0 }];
        loop {
            let Some(last) = open.last_mut() else { return 0.0 };
            let (ones, others) = (self.subtrees.children(last.one), self.subtrees.children(last.other));
            if let (Some(&one), Some(&other)) = (ones.get(last.next), others.get(last.next)) {
                match self.at_once(one, other) {
                    Some(similarity) => {
                        last.sum += similarity;
                        last.next += 1;
                    }
                    None => open.push(Open { one, other, next: 0, sum: 0.0 }),
                }
                continue;
            }
            let similarity = last.sum / ones.len() as f64;
            self.known.insert(unordered(last.one, last.other), similarity);
            open.pop();
            if open.is_empty() {
                return similarity;
            }
        }
    }

    /// The similarity of two subtrees that needs no walk.
    fn at_once(&self, one: u32, other: u32) -> Option<f64> {
        if one == other {
            return Some(1.0);
        }
        if !self.have_equal_signatures(one, other) {
            return Some(0.0);
        }
        self.known.get(&unordered(one, other)).copied()
    }

    /// Definition 9: tag, attributes and number of children.
    fn have_equal_signatures(&self, one: u32, other: u32) -> bool {
        let subtrees = self.subtrees;
        subtrees.label(one) == subtrees.label(other) && subtrees.children(one).len() == subtrees.children(other).len()
    }
}

fn unordered(one: u32, other: u32) -> (u32, u32) {
    (one.min(other), one.max(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_table() {
        let check = |origin, expected: &[&[f64]]| {
            for (at, expected) in expected.iter().enumerate() {
                let found = weights(at + 1, Weights::Contribution, origin);
                let near = found.iter().zip(*expected).all(|(found, expected)| (found - expected).abs() < 1e-12);
                assert!(near && found.len() == expected.len(), "{origin:?} {found:?}");
            }
        };
        let (third, sixth, twelfth, eighteenth) = (1.0 / 3.0, 1.0 / 6.0, 1.0 / 12.0, 1.0 / 18.0);
        check(
            WeightOrigin::Zero,
            &[
                &[1.0],
                &[0.5, 0.5],
                &[0.4, 0.2, 0.4],
                &[0.3125, 0.1875, 0.1875, 0.3125],
                &[3.0 / 11.0, 2.0 / 11.0, 1.0 / 11.0, 2.0 / 11.0, 3.0 / 11.0],
            ],
        );
        check(
            WeightOrigin::One,
            &[
                &[1.0],
                &[0.375, 0.625],
                &[sixth, third, 0.5],
                &[sixth, sixth, 5.0 * eighteenth, 7.0 * eighteenth],
                &[sixth, twelfth, sixth, 0.25, third],
            ],
        );
        assert_eq!(weights(4, Weights::Uniform, WeightOrigin::One), [0.25; 4]);
    }
}

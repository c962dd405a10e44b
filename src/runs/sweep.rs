//! Exact sweeps: each page's piecewise constant curve, and their sum over pages.

use serde::{Deserialize, Serialize};

use crate::algorithms::value::Value;
use crate::scoring::Score;
use crate::statistics::{Triple, mean_of_sums};

/// A score at one point of a page's sweep; `between`: of the open interval between the neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The point.
    pub at: Value,
    /// Whether it stands for the interval around it.
    pub between: bool,
    /// The page's score there.
    pub score: Score,
}

/// A piece of a curve on which nothing changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Its lower end.
    pub from: Value,
    /// Whether the lower end belongs to it.
    pub from_closed: bool,
    /// Its upper end.
    pub to: Value,
    /// Whether the upper end belongs to it.
    pub to_closed: bool,
    /// Macro mean over the pages.
    pub mean: Triple,
}

/// A change of a curve: at `at`, or right after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    at: Value,
    after: bool,
    change: [i64; 3],
}

/// A page's curve as the steps from one piece to the next, the first from 0. In this form curves of
/// pages are summed by sorting; all is in integers, so the order does not matter.
pub fn steps(samples: &[Scored]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut last = [0i64; 3];
    let mut point = None;
    for sample in samples {
        let score = sample.score.values().map(|value| value as i64);
        if score != last {
            let change = std::array::from_fn(|i| score[i] - last[i]);
            // An interval begins right after the point before it.
            let at = if sample.between { point.unwrap_or(sample.at) } else { sample.at };
            steps.push(Step { at, after: sample.between, change });
            last = score;
        }
        if !sample.between {
            point = Some(sample.at);
        }
    }
    steps
}

/// The mean curve of `pages` pages over `from..=to` (`from..to` where `below` is set): the pieces
/// from left to right, equal neighbours merged.
pub fn mean_curve(mut steps: Vec<Step>, pages: u64, (from, to, below): (Value, Value, bool)) -> Vec<Piece> {
    steps.sort_unstable_by_key(|step| (step.at, step.after));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut sums = [0i128; 3];
    let mut start = (from, true);
    let mut rest = steps.as_slice();
    loop {
        let here = rest.iter().take_while(|step| (step.at, !step.after) == start).count();
        for step in &rest[..here] {
            sums = std::array::from_fn(|i| sums[i] + i128::from(step.change[i]));
        }
        rest = &rest[here..];
        let mean = mean_of_sums(sums, pages);
        let (end, end_closed) = rest.first().map_or((to, !below), |next| (next.at, next.after));
        let (piece_from, from_closed) = start;
        match pieces.last_mut() {
            Some(last) if last.mean == mean => (last.to, last.to_closed) = (end, end_closed),
            _ => pieces.push(Piece { from: piece_from, from_closed, to: end, to_closed: end_closed, mean }),
        }
        match rest.first() {
            Some(next) => start = (next.at, !next.after),
            None => return pieces,
        }
    }
}

impl Piece {
    /// Whether `value` lies in the piece.
    pub fn contains(&self, value: Value) -> bool {
        let above = if self.from_closed { self.from <= value } else { self.from < value };
        let below = if self.to_closed { value <= self.to } else { value < self.to };
        above && below
    }

    /// The piece as an interval, such as `(0.5, 0.75]`; see [`interval`].
    pub fn interval(&self) -> String {
        interval((self.from, self.from_closed), (self.to, self.to_closed))
    }
}

/// An interval for sentences, with as many digits as tell its ends apart, four at least; files hold
/// the exact numbers.
pub fn interval((from, from_closed): (Value, bool), (to, to_closed): (Value, bool)) -> String {
    let open = if from_closed { '[' } else { '(' };
    let close = if to_closed { ']' } else { ')' };
    let short = |value: Value, digits: u8| match value.scaled(digits) {
        Some(_) => value.to_string(),
        None => format!("{:.*}", usize::from(digits), value.to_f64()),
    };
    let digits = (4..12).find(|&digits| from == to || short(from, digits) != short(to, digits)).unwrap_or(12);
    format!("{open}{}, {}{close}", short(from, digits), short(to, digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::ONE;

    fn value(text: &str) -> Value {
        text.parse().unwrap()
    }

    fn sample(at: &str, between: bool, percent: u64) -> Scored {
        let share = percent * ONE / 100;
        Scored { at: value(at), between, score: Score { precision: share, recall: share, f1: share } }
    }

    fn shown(pieces: &[Piece]) -> Vec<String> {
        pieces.iter().map(|piece| format!("{} {:.3}", piece.interval(), piece.mean.f1)).collect()
    }

    #[test]
    fn sums_curves_of_pages() {
        // Page 1: 0.4 on [0, 0.5], 0.8 on (0.5, 1]. Page 2: 0.2 on [0, 0.7), 0.6 at 0.7, 0 above.
        let first = [("0", false, 40), ("0.3", true, 40), ("0.5", false, 40), ("0.6", true, 80), ("1", false, 80)];
        let second = [("0", false, 20), ("0.3", true, 20), ("0.7", false, 60), ("0.8", true, 0), ("1", false, 0)];
        let mut all = Vec::new();
        for page in [first, second] {
            let samples: Vec<Scored> =
                page.iter().map(|&(at, between, percent)| sample(at, between, percent)).collect();
            all.extend(steps(&samples));
        }
        let curve = mean_curve(all, 2, (Value::ZERO, Value::ONE, false));
        assert_eq!(shown(&curve), ["[0, 0.5] 0.300", "(0.5, 0.7) 0.500", "[0.7, 0.7] 0.700", "(0.7, 1] 0.400"]);
        assert!(curve[1].contains(value("0.6")) && !curve[1].contains(value("0.7")));
    }

    #[test]
    fn intervals_show_enough_digits() {
        let shown = |from: Value, to: Value| interval((from, false), (to, true));
        assert_eq!(shown(value("0.5"), value("0.75")), "(0.5, 0.75]");
        assert_eq!(shown(Value::ratio(1, 3), Value::ratio(2, 3)), "(0.3333, 0.6667]");
        assert_eq!(shown(Value::ratio(100_000, 300_000), Value::ratio(100_001, 300_000)), "(0.33333, 0.33334]");
        assert_eq!(shown(Value::ratio(1, 3), Value::ratio(1, 3)), "(0.3333, 0.3333]");
    }

    #[test]
    fn equal_neighbours_merge_and_failed_pages_count_as_zero() {
        let samples = [sample("0", false, 50), sample("0.5", true, 50), sample("1", false, 50)];
        let curve = mean_curve(steps(&samples), 2, (Value::ZERO, Value::ONE, true));
        assert_eq!(shown(&curve), ["[0, 1) 0.250"]);
        assert_eq!(shown(&mean_curve(Vec::new(), 3, (Value::ZERO, Value::ONE, false))), ["[0, 1] 0.000"]);
    }
}

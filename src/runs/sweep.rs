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

/// A step of a page, and the number of its site.
#[derive(Clone, Copy, Debug)]
pub struct SiteStep {
    /// The site's number.
    pub site: u32,
    /// The step.
    pub step: Step,
}

/// The mean curve of `pages` pages over `from..=to` (`from..to` where `below` is set): the pieces
/// from left to right, equal neighbours merged. `steps` come in their order.
pub fn mean_curve(
    steps: impl Iterator<Item = SiteStep>,
    pages: u64,
    (from, to, below): (Value, Value, bool),
) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut sums = [0i128; 3];
    let mut start = (from, true);
    let mut rest = steps.peekable();
    loop {
        while let Some(SiteStep { step, .. }) = rest.next_if(|next| (next.step.at, !next.step.after) == start) {
            sums = std::array::from_fn(|i| sums[i] + i128::from(step.change[i]));
        }
        let mean = mean_of_sums(sums, pages);
        let (end, end_closed) = rest.peek().map_or((to, !below), |next| (next.step.at, next.step.after));
        let (piece_from, from_closed) = start;
        match pieces.last_mut() {
            Some(last) if last.mean == mean => (last.to, last.to_closed) = (end, end_closed),
            _ => pieces.push(Piece { from: piece_from, from_closed, to: end, to_closed: end_closed, mean }),
        }
        match rest.peek() {
            Some(next) => start = (next.step.at, !next.step.after),
            None => return pieces,
        }
    }
}

/// The sum of F1 over the pages of each of so many `sites`, in units of 1e-12, where each of `pieces` begins; pieces and
/// `steps` are in their order.
pub fn site_sums<'p>(
    steps: impl Iterator<Item = SiteStep>,
    sites: usize,
    pieces: impl Iterator<Item = &'p Piece>,
) -> Vec<Vec<u128>> {
    let mut sums = vec![0i128; sites];
    let mut rest = steps.peekable();
    let at = |piece: &Piece| {
        let is_before = |next: &SiteStep| next.step.start() <= (piece.from, !piece.from_closed);
        while let Some(SiteStep { site, step }) = rest.next_if(is_before) {
            sums[site as usize] += i128::from(step.change[2]);
        }
        sums.iter().map(|&sum| sum.max(0) as u128).collect()
    };
    pieces.map(at).collect()
}

/// The places of the pieces with which a page's score changes, each with the new score.
pub type Changes = Vec<(usize, [u64; 3])>;

/// The pieces of `from..=to` (`from..to` where `below` is set) on which no page's curve changes, and for each
/// page the pieces with which its own score changes, with the new score in units of 1e-12. Before the first of
/// them the score is 0.
pub fn common_pieces(curves: &[&[Step]], (from, to, below): (Value, Value, bool)) -> (Vec<Piece>, Vec<Changes>) {
    let mut starts: Vec<(Value, bool)> = curves.iter().flat_map(|curve| curve.iter().map(Step::start)).collect();
    starts.push((from, false));
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).map(|&(at, after)| (at, after)).chain([(to, !below)]);
    let pieces = starts.iter().zip(ends).map(|(&(from, after), (to, to_closed))| {
        let (mean, from_closed) = (Triple::default(), !after);
        Piece { from, from_closed, to, to_closed, mean }
    });
    let mut pieces: Vec<Piece> = pieces.collect();
    let mut changes = vec![[0i128; 3]; pieces.len()];
    let of_page = |curve: &&[Step]| {
        let mut score = [0i64; 3];
        let change = |step: &Step| {
            let piece = starts.binary_search(&step.start()).unwrap_or(0);
            score = std::array::from_fn(|i| score[i] + step.change[i]);
            changes[piece] = std::array::from_fn(|i| changes[piece][i] + i128::from(step.change[i]));
            (piece, score.map(|value| value as u64))
        };
        curve.iter().map(change).collect()
    };
    let of_pages = curves.iter().map(of_page).collect();
    let mut sums = [0; 3];
    for (piece, change) in pieces.iter_mut().zip(&changes) {
        sums = std::array::from_fn(|i| sums[i] + change[i]);
        piece.mean = mean_of_sums(sums, curves.len() as u64);
    }
    (pieces, of_pages)
}

/// A number in the middle half of what lies between `from` and `to`, nearest to the middle, with as few digits
/// behind the point as can be: what a person would write. `from` itself where nothing lies between.
pub fn middle(from: Value, to: Value) -> Value {
    if from == to {
        return from;
    }
    let (low, high) = (from.to_f64(), to.to_f64());
    if high.is_infinite() {
        return Value::decimal(low.floor() as u64 + 1, 0);
    }
    let (half, quarter) = ((low + high) / 2.0, (high - low) / 4.0);
    let written = (0..=MOST_DIGITS).find_map(|digits| {
        let scaled = half * 10f64.powi(i32::from(digits));
        let number = (scaled < EXACT).then(|| Value::decimal(scaled.round() as u64, digits))?;
        let is_near = (number.to_f64() - half).abs() <= quarter;
        (is_near && from < number && number < to).then_some(number)
    });
    written.unwrap_or_else(|| from.between(to))
}

/// No decimal with more digits is made up.
const MOST_DIGITS: u8 = 12;

/// Below it a float holds every whole number.
const EXACT: f64 = 9e15;

impl Step {
    /// Its place, whether it is right after it, and the change of precision, recall and F1.
    pub(super) fn parts(&self) -> (Value, bool, [i64; 3]) {
        (self.at, self.after, self.change)
    }

    /// The step of which these are the [`Step::parts`].
    pub(super) fn of_parts(at: Value, after: bool, change: [i64; 3]) -> Self {
        Step { at, after, change }
    }

    /// Where the new score begins: at the point, or right after it.
    pub(super) fn start(&self) -> (Value, bool) {
        (self.at, self.after)
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

/// An interval for sentences, with as many digits as its width asks for; files hold the exact numbers.
pub fn interval((from, from_closed): (Value, bool), (to, to_closed): (Value, bool)) -> String {
    let open = if from_closed { '[' } else { '(' };
    let close = if to_closed { ']' } else { ')' };
    let short = |value: Value, digits: u8| match value.scaled(digits) {
        Some(_) => value.to_string(),
        None => format!("{:.*}", usize::from(digits), value.to_f64()),
    };
    let digits = digits_between(from.to_f64(), to.to_f64());
    format!("{open}{}, {}{close}", short(from, digits), short(to, digits))
}

/// The digits behind the point that the ends of an interval need, 4 to 12: rounding moves neither by more than a fiftieth of
/// its width, so that a value that lies inside lies inside of what is printed.
pub(crate) fn digits_between(from: f64, to: f64) -> u8 {
    let is_near = |value: f64, digits: u8| {
        let scale = 10f64.powi(i32::from(digits));
        ((value * scale).round() / scale - value).abs() <= (to - from) / 50.0
    };
    (4..12).find(|&digits| from == to || is_near(from, digits) && is_near(to, digits)).unwrap_or(12)
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
            let site = all.is_empty() as u32;
            all.extend(steps(&samples).into_iter().map(|step| SiteStep { site, step }));
        }
        all.sort_by_key(|SiteStep { step, .. }| step.start());
        let curve = mean_curve(all.iter().copied(), 2, (Value::ZERO, Value::ONE, false));
        assert_eq!(shown(&curve), ["[0, 0.5] 0.300", "(0.5, 0.7) 0.500", "[0.7, 0.7] 0.700", "(0.7, 1] 0.400"]);
        assert!(curve[1].contains(value("0.6")) && !curve[1].contains(value("0.7")));
        let hundredths = |sums: Vec<u128>| sums.into_iter().map(|sum| sum / u128::from(ONE / 100)).collect::<Vec<_>>();
        let sums: Vec<Vec<u128>> =
            site_sums(all.iter().copied(), 2, curve.iter()).into_iter().map(hundredths).collect();
        assert_eq!(sums, [[20, 40], [20, 80], [60, 80], [0, 80]]);
    }

    #[test]
    fn pages_share_the_pieces_on_which_none_changes() {
        let first = steps(&[sample("0", false, 40), sample("0.5", false, 40), sample("0.6", true, 80)]);
        let second = steps(&[sample("0", false, 0), sample("0.5", false, 60), sample("0.6", true, 0)]);
        let (pieces, changes) = common_pieces(&[&first, &second, &[]], (Value::ZERO, Value::ONE, false));
        let shown: Vec<String> = pieces.iter().map(Piece::interval).collect();
        assert_eq!(shown, ["[0, 0.5)", "[0.5, 0.5]", "(0.5, 1]"]);
        let f1 = |page: usize| -> Vec<(usize, u64)> {
            changes[page].iter().map(|(piece, score)| (*piece, score[2] / (ONE / 100))).collect()
        };
        assert_eq!((f1(0), f1(1), f1(2)), (vec![(0, 40), (2, 80)], vec![(1, 60), (2, 0)], vec![]));
        let means: Vec<f64> = pieces.iter().map(|piece| (piece.mean.f1 * 300.0).round()).collect();
        assert_eq!(means, [40.0, 100.0, 80.0]);
        let (whole, _) = common_pieces(&[], (Value::ZERO, Value::ONE, true));
        assert_eq!(whole.iter().map(Piece::interval).collect::<Vec<_>>(), ["[0, 1)"]);
    }

    #[test]
    fn the_middle_is_what_a_person_would_write() {
        let middle = |from: Value, to: Value| middle(from, to).to_string();
        assert_eq!(middle(Value::ZERO, Value::ONE), "0.5");
        assert_eq!(middle(Value::ratio(3, 7), Value::ratio(5, 9)), "0.5");
        assert_eq!(middle(value("0.71"), value("0.72")), "0.715");
        assert_eq!(middle(value("0.7"), value("0.9")), "0.8");
        assert_eq!(middle(Value::ratio(1, 3), Value::ratio(1, 3)), "1/3");
        assert_eq!(middle(value("2.5"), Value::INFINITY), "3");
        assert_eq!(middle(value("3"), value("8")), "6");
    }

    #[test]
    fn intervals_show_enough_digits() {
        let shown = |from: Value, to: Value| interval((from, false), (to, true));
        assert_eq!(shown(value("0.5"), value("0.75")), "(0.5, 0.75]");
        assert_eq!(shown(Value::ratio(1, 3), Value::ratio(2, 3)), "(0.3333, 0.6667]");
        assert_eq!(shown(Value::ratio(100_000, 300_000), Value::ratio(100_001, 300_000)), "(0.3333333, 0.3333367]");
        // What lies between the ends lies between those that are printed, too.
        assert_eq!(shown(Value::ratio(578_068, 1_000_001), Value::ratio(578_076, 1_000_001)), "(0.5780674, 0.5780754]");
        assert_eq!(shown(Value::ratio(1, 3), Value::ratio(1, 3)), "(0.3333, 0.3333]");
    }

    #[test]
    fn equal_neighbours_merge_and_failed_pages_count_as_zero() {
        let samples = [sample("0", false, 50), sample("0.5", true, 50), sample("1", false, 50)];
        let mut steps: Vec<SiteStep> = steps(&samples).into_iter().map(|step| SiteStep { site: 0, step }).collect();
        steps.sort_by_key(|SiteStep { step, .. }| step.start());
        let curve = mean_curve(steps.iter().copied(), 2, (Value::ZERO, Value::ONE, true));
        assert_eq!(shown(&curve), ["[0, 1) 0.250"]);
        assert_eq!(shown(&mean_curve([].into_iter(), 3, (Value::ZERO, Value::ONE, false))), ["[0, 1] 0.000"]);
    }
}

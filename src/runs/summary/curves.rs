//! The mean curves of exact sweeps.

use crate::algorithms::value::Value;
use crate::runs::best::{Preference, best_run};
use crate::runs::sweep::{Piece, interval};
use crate::statistics::Sampling;

/// A curve or a grid is called flat where its F1 is this close to its best.
pub const FLAT: f64 = 0.005;

/// How the flat regions of figures are found: with fewer draws than intervals, for they are of many settings.
pub const FLAT_SAMPLING: Sampling = Sampling { seed: 1, resamples: 2_000, flips: 0, level: 0.95 };

/// So many settings of a figure are looked at for its flat region.
pub const MOST_FLAT: usize = 1_000;

/// An exact sweep over one dataset.
#[derive(Clone, Debug)]
pub struct SweepCurve {
    /// The dataset's name.
    pub dataset: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// The other parameters, as on the command line.
    pub label: String,
    /// The parameter that is swept.
    pub parameter: String,
    /// Its default.
    pub default: String,
    /// The curve.
    pub pieces: Vec<Piece>,
    /// For each piece whether it is in the flat region; absent where there are fewer than two sites.
    pub flat: Option<Vec<bool>>,
}

impl SweepCurve {
    /// The curve's best and flat parts in words.
    pub fn in_words(&self) -> String {
        let system =
            if self.label.is_empty() { self.algorithm.clone() } else { format!("{} {}", self.algorithm, self.label) };
        let Some((first, last)) = self.best() else { return format!("{system}: nothing was swept") };
        let f1 = first.mean.f1;
        format!(
            "{system} over {} on {}: best F1 {:.4} on {}; within {FLAT} of it on {}; {} pieces, F1 from {:.4}",
            self.parameter,
            self.dataset,
            f1,
            interval((first.from, first.from_closed), (last.to, last.to_closed)),
            self.flat_parts(f1 - FLAT).join(" and "),
            self.pieces.len(),
            self.pieces.iter().map(|piece| piece.mean.f1).fold(f64::INFINITY, f64::min),
        )
    }

    /// The first and the last of the best pieces: of several equal runs of pieces the one that holds the default, else the
    /// widest. `None` where nothing was swept.
    pub fn best(&self) -> Option<(&Piece, &Piece)> {
        let most = self.pieces.iter().map(|piece| piece.mean.f1).fold(f64::NEG_INFINITY, f64::max);
        let is_best: Vec<bool> = self.pieces.iter().map(|piece| piece.mean.f1 == most).collect();
        let default: Option<Value> = self.default.parse().ok();
        let preference = |(first, last): (usize, usize)| Preference {
            steps: 0,
            holds_default: self.pieces[first..=last].iter().any(|piece| default.is_some_and(|at| piece.contains(at))),
            width: self.pieces[last].to.to_f64() - self.pieces[first].from.to_f64(),
        };
        let (first, last) = best_run(&is_best, |_, _| true, preference)?;
        Some((&self.pieces[first], &self.pieces[last]))
    }

    /// The intervals on which F1 is at least `least`.
    fn flat_parts(&self, least: f64) -> Vec<String> {
        let runs = self.pieces.chunk_by(|one, next| (one.mean.f1 >= least) == (next.mean.f1 >= least));
        runs.filter(|run| run[0].mean.f1 >= least)
            .map(|run| {
                let (first, last) = (&run[0], &run[run.len() - 1]);
                interval((first.from, first.from_closed), (last.to, last.to_closed))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Triple;

    #[test]
    fn of_equally_good_parts_that_with_the_default_is_told_and_else_the_widest() {
        let piece = |from: &str, to: &str, f1: f64| Piece {
            from: from.parse().unwrap(),
            from_closed: from == "0",
            to: to.parse().unwrap(),
            to_closed: true,
            mean: Triple { f1, ..Triple::default() },
        };
        let told = |default: &str| {
            let pieces = vec![
                piece("0", "0.1", 0.9),
                piece("0.1", "0.2", 0.5),
                piece("0.2", "0.5", 0.9),
                piece("0.5", "0.7", 0.9),
                piece("0.7", "0.9", 0.4),
                piece("0.9", "1", 0.9),
            ];
            let [dataset, algorithm, parameter] = ["d", "cevc", "alpha"].map(str::to_owned);
            let (label, default) = (String::new(), default.to_owned());
            SweepCurve { dataset, algorithm, label, parameter, default, pieces, flat: None }.in_words()
        };
        assert!(
            told("0.15").starts_with("cevc over alpha on d: best F1 0.9000 on (0.2, 0.7]; within"),
            "{}",
            told("0.15")
        );
        assert!(told("0.05").contains("best F1 0.9000 on [0, 0.1]; "), "{}", told("0.05"));
        assert!(told("1").contains("best F1 0.9000 on (0.9, 1]; "), "{}", told("1"));
    }
}

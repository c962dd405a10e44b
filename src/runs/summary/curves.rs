//! The mean curves of exact sweeps.

use crate::runs::sweep::{Piece, interval};
use crate::statistics::Sampling;

/// A curve or a grid is called flat where its F1 is this close to its best.
pub const FLAT: f64 = 0.005;

/// How the flat regions of figures are found: with fewer draws than intervals, for they are of many settings.
pub const FLAT_SAMPLING: Sampling = Sampling { seed: 1, resamples: 2_000, flips: 0, level: 0.95 };

/// So many settings of a figure are looked at for its flat region.
pub const MOST_FLAT: usize = 1_000;

/// An exact sweep over one dataset.
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
        let Some(best) = self.pieces.iter().max_by(|a, b| a.mean.f1.total_cmp(&b.mean.f1)) else {
            return format!("{system}: nothing was swept");
        };
        format!(
            "{system} over {} on {}: best F1 {:.4} on {}; within {FLAT} of it on {}; {} pieces, F1 from {:.4}",
            self.parameter,
            self.dataset,
            best.mean.f1,
            best.interval(),
            self.flat_parts(best.mean.f1 - FLAT).join(" and "),
            self.pieces.len(),
            self.pieces.iter().map(|piece| piece.mean.f1).fold(f64::INFINITY, f64::min),
        )
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

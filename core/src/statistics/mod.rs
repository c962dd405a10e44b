//! Rows of numbers in; aggregates, estimates with intervals, tests and verdicts out. This layer knows
//! neither pages nor algorithms.
//!
//! Pages of one site are not independent, so what is drawn again, left out or flipped is always a whole
//! site. Everything follows from sums by site, is a function of the numbers and the seed, and does not
//! depend on threads: sums are integers, and each task has a stream of random numbers of its own.
//! `docs/methods/statistics.md` has the formulas and their sources.
//!
//! [`linear`] learns from examples. It stands here so that its loops are optimised with the core, however the crate
//! above is compiled.

mod aggregates;
mod band;
mod corrections;
mod estimate;
mod figures;
mod flips;
mod letters;
#[doc(hidden)]
pub mod linear;
mod paired;
mod random;
mod resampling;

pub use aggregates::{Aggregates, Benchmark, ONE, Sums, Totals, Triple, fraction, mean_of_sums, units};
pub use band::{Band, band, flat_region, is_flat_at, looked_at};
pub use corrections::{Correction, benjamini_hochberg, holm};
pub use estimate::{Estimate, Interval, bca_interval, normal_quantile, percentile_interval};
pub use figures::{Aggregate, Figure, Part, estimates, resampled_figures};
pub use flips::{ENUMERATED, FlipTest, sign_flip_test};
pub use letters::letters;
pub use paired::{AllPairs, Comparison, FEW_SITES, Heaviest, MOST_TESTED, Paired, SAME, Verdict, WinsTiesLosses};
pub use random::{Purpose, distinct, shuffled};
pub use resampling::{Resampled, Sampling, drawn_means, interval_by_sites};

//! The data of a run that figures and tables need besides its summary.

use crate::runs::score_sums::ScoreSums;
use crate::runs::separation::Separation;
use crate::runs::times::RowTimes;

/// What figures tell besides the summary.
#[derive(Debug, Default)]
pub struct FigureInputs {
    /// The sums of the scores.
    pub scores: ScoreSums,
    /// Which rows are told apart by them; without it only an exact sweep has a flat region.
    pub separation: Separation,
    /// The times, where rows were timed.
    pub times: Vec<RowTimes>,
}

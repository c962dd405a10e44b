//! Figures that show each row on a line of its own.

use super::plot::{Axis, Tick};
use super::representatives::Representative;

/// More rows than this make no picture; the rest is in the tables.
pub(super) const MOST_LINES: usize = 200;

/// The place on the axis of the row numbered `i` of `count`: the first is the highest.
pub(super) fn height(i: usize, count: usize) -> f64 {
    (count - 1 - i) as f64
}

/// The axis that names each row on a line of its own.
pub(super) fn rows_axis(shown: &[Representative<'_>]) -> Axis {
    let at = |i| height(i, shown.len());
    let tick =
        |(i, shown): (usize, &Representative<'_>)| Tick { at: at(i), text: shown.name(), below: shown.row.label() };
    let to = shown.len().saturating_sub(1) as f64;
    Axis { to, ticks: shown.iter().enumerate().map(tick).collect(), ..Axis::default() }
}

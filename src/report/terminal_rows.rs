//! Which rows of a dataset a terminal shows: of a family with many values its ends, its default and its best.

use super::families::{Family, best, families};
use crate::runs::summary::{Summary, SummaryRow};

/// A family with more rows is shown in a terminal by its ends, its default and its best.
const SHOWN_WHOLE: usize = 5;

/// A row that a terminal shows, and why it does.
pub(super) struct TerminalRow<'s> {
    /// The row.
    pub(super) row: &'s SummaryRow,
    /// What it is among the rows of its family, such as `(best)`; empty where that tells nothing.
    pub(super) why: &'static str,
}

/// The rows of `dataset` that a terminal shows.
pub(super) fn rows_in_terminal<'s>(summary: &'s Summary, dataset: &str) -> Vec<&'s SummaryRow> {
    shown_of(&families(&summary.rows, dataset)).into_iter().map(|shown| shown.row).collect()
}

/// The rows of `families` that a terminal shows: one that two sweeps share once, with why it is.
pub(super) fn shown_of<'s>(families: &[Family<'s>]) -> Vec<TerminalRow<'s>> {
    let mut all: Vec<TerminalRow<'_>> = Vec::new();
    for shown in families.iter().flat_map(in_terminal) {
        match all.iter_mut().find(|known| std::ptr::eq(known.row, shown.row)) {
            Some(known) if known.why.is_empty() => known.why = shown.why,
            Some(_) => {}
            None => all.push(shown),
        }
    }
    all
}

/// The rows of `family` that a terminal shows.
fn in_terminal<'s>(family: &Family<'s>) -> Vec<TerminalRow<'s>> {
    if !is_compact(family) {
        return family.rows.iter().map(|row| TerminalRow { row, why: "" }).collect();
    }
    let best = best(&family.rows);
    let default = family.default_row();
    let last = family.rows.len() - 1;
    let shown = family.rows.iter().enumerate().filter_map(|(i, row)| {
        let is_best = std::ptr::eq(*row, best);
        let is_default = default.is_some_and(|default| std::ptr::eq(*row, default));
        let why = match (is_best, is_default) {
            (true, true) => "(best, default)",
            (true, false) => "(best)",
            (false, true) => "(default)",
            (false, false) => "",
        };
        (is_best || is_default || i == 0 || i == last).then_some(TerminalRow { row, why })
    });
    shown.collect()
}

/// Whether `family` has too many rows for a terminal to show all of them.
pub(super) fn is_compact(family: &Family<'_>) -> bool {
    family.rows.len() > SHOWN_WHOLE
}

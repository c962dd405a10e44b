//! The rows that stand for their families in figures, and what is told of them.

use super::families::{Family, best, f1, ranked_families};
use super::plot::{Fill, Note};
use crate::runs::summary::{Summary, SummaryRow};

/// A row that stands for its family.
#[derive(Clone)]
pub(super) struct Representative<'s> {
    /// The row.
    pub(super) row: &'s SummaryRow,
    /// What it is among the rows of its family, such as `best of 21`.
    pub(super) place: String,
}

impl Representative<'_> {
    /// The algorithm and the place: long settings are cut, this must not be.
    pub(super) fn name(&self) -> String {
        if self.place.is_empty() {
            self.row.algorithm.clone()
        } else {
            format!("{} ({})", self.row.algorithm, self.place)
        }
    }
}

/// The best row and the default row of each family of `dataset`, sorted by F1.
pub(super) fn best_and_default<'s>(summary: &'s Summary, dataset: &str) -> Vec<Representative<'s>> {
    let mut shown: Vec<Representative<'_>> =
        ranked_families(&summary.rows, dataset).iter().flat_map(best_and_default_of).collect();
    shown.sort_by(|a, b| f1(b.row).total_cmp(&f1(a.row)));
    shown
}

fn best_and_default_of<'s>(family: &Family<'s>) -> Vec<Representative<'s>> {
    let best = best(&family.rows);
    if family.rows.len() == 1 {
        return vec![Representative { row: best, place: String::new() }];
    }
    let count = family.rows.len();
    let default = family.default_row();
    let is_both = default.is_some_and(|default| std::ptr::eq(default, best));
    let place = if is_both { format!("best of {count}, default") } else { format!("best of {count}") };
    let mut shown = vec![Representative { row: best, place }];
    if let Some(default) = default.filter(|_| !is_both) {
        shown.push(Representative { row: default, place: "default".to_owned() });
    }
    shown
}

/// One row of each family of `dataset`, sorted by F1 with floors last: that at its default, or else its best.
pub(super) fn systems<'s>(summary: &'s Summary, dataset: &str) -> Vec<Representative<'s>> {
    let families = ranked_families(&summary.rows, dataset);
    let mut systems: Vec<Representative<'_>> = families.iter().map(system).collect();
    systems.sort_by(|a, b| a.row.floor.cmp(&b.row.floor).then(f1(b.row).total_cmp(&f1(a.row))));
    systems
}

/// The row of `family` at its default, or else its best.
pub(super) fn system<'s>(family: &Family<'s>) -> Representative<'s> {
    match family.default_row() {
        Some(row) => Representative { row, place: String::new() },
        None => Representative { row: best(&family.rows), place: format!("best of {}", family.rows.len()) },
    }
}

/// The colours of the bars of `systems`, in their order. Floors are counted for themselves.
pub(super) fn fills(systems: &[Representative<'_>]) -> Vec<Fill> {
    let under_test = systems.iter().filter(|shown| !shown.row.floor).count();
    (0..systems.len()).map(|i| if i < under_test { Fill::System(i) } else { Fill::Floor(i - under_test) }).collect()
}

/// What is to be known of the best of several values, where any is among `shown`.
pub(super) fn best_note(shown: &[Representative<'_>]) -> Option<Note> {
    let any = shown.iter().any(|shown| shown.place.contains("best of"));
    any.then(|| Note::plain("best of several values: chosen on these very pages, so better than it would be on others"))
}

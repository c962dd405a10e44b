//! The rows that stand for their families in figures, and what is told of them.

use super::families::{Family, best, f1, ranked_families};
use super::localised_text::LocalisedText;
use super::plot::Note;
use crate::runs::summary::{Summary, SummaryRow};

/// A row that stands for its family.
#[derive(Clone)]
pub(super) struct Representative<'s> {
    /// The row.
    pub(super) row: &'s SummaryRow,
    /// What it is among the rows of its family.
    pub(super) place: Place,
}

/// What a row is among the rows of its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The only one, or the default that stands for all.
    Only,
    /// The default.
    Default,
    /// The best of so many.
    BestOf(usize),
    /// The best of so many, and the default.
    BestAndDefault(usize),
}

impl Place {
    /// In words, such as `best of 21`; empty where there is nothing to tell.
    pub(super) fn in_words(self) -> LocalisedText {
        match self {
            Place::Only => LocalisedText::default(),
            Place::Default => LocalisedText::words(["default", "默认"]),
            Place::BestOf(count) => LocalisedText::new(["best of {0}", "{0} 个中最佳"], [count.to_string()]),
            Place::BestAndDefault(count) => {
                LocalisedText::new(["best of {0}, default", "{0} 个中最佳，默认"], [count.to_string()])
            }
        }
    }
}

impl Representative<'_> {
    /// The algorithm and the place: long settings are cut, this must not be.
    pub(super) fn name(&self) -> LocalisedText {
        match self.place {
            Place::Only => LocalisedText::name(&self.row.algorithm),
            place => LocalisedText::new(["{0} ({1})", "{0}（{1}）"], [(&self.row.algorithm).into(), place.in_words()]),
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
        return vec![Representative { row: best, place: Place::Only }];
    }
    let count = family.rows.len();
    let default = family.default_row();
    let is_both = default.is_some_and(|default| std::ptr::eq(default, best));
    let place = if is_both { Place::BestAndDefault(count) } else { Place::BestOf(count) };
    let mut shown = vec![Representative { row: best, place }];
    if let Some(default) = default.filter(|_| !is_both) {
        shown.push(Representative { row: default, place: Place::Default });
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
        Some(row) => Representative { row, place: Place::Only },
        None => Representative { row: best(&family.rows), place: Place::BestOf(family.rows.len()) },
    }
}

/// What is to be known of the best of several values, where any is among `shown`.
pub(super) fn best_note(shown: &[Representative<'_>]) -> Option<Note> {
    let any = shown.iter().any(|shown| matches!(shown.place, Place::BestOf(_) | Place::BestAndDefault(_)));
    any.then(|| {
        Note::plain(LocalisedText::words([
            "best of several values: chosen on these very pages, so better than it would be on others",
            "若干取值中的最佳：就在这些页面上选出，因此在别的页面上会差一些",
        ]))
    })
}

//! The rows that stand for their families in figures, and what is told of them.

use super::families::{Family, best, by_rank, ranked_families, value_of};
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
    /// The words that tell its family from other sweeps of its algorithm; empty where there is no other.
    pub(super) sweep: String,
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
        let words = match (self.place, self.sweep.as_str()) {
            (Place::Only, _) => return LocalisedText::name(&self.row.algorithm),
            (_, "") => ["{0} ({1})", "{0}（{1}）"],
            _ => ["{0} by {2} ({1})", "{0}，按 {2}（{1}）"],
        };
        LocalisedText::new(words, [(&self.row.algorithm).into(), self.place.in_words(), (&self.sweep).into()])
    }
}

/// The best row and the default row of each family of `dataset`, sorted by F1.
pub(super) fn best_and_default<'s>(summary: &'s Summary, dataset: &str) -> Vec<Representative<'s>> {
    let families = ranked_families(&summary.rows, dataset);
    let of_family = |family: &Family<'s>| best_and_default_of(family, sweep(family, &families));
    let all: Vec<Representative<'_>> = families.iter().flat_map(of_family).collect();
    // Of a row that two sweeps share, what tells most of it.
    let is_told_elsewhere = |(place, shown): (usize, &Representative<'_>)| {
        let told = |place: usize, shown: &Representative<'_>| (shown.place == Place::Default, place);
        let mut others = all.iter().enumerate().filter(|(_, other)| std::ptr::eq(other.row, shown.row));
        others.any(|(other_place, other)| told(other_place, other) < told(place, shown))
    };
    let own = all.iter().enumerate().filter(|&shown| !is_told_elsewhere(shown));
    let mut shown: Vec<Representative<'_>> = own.map(|(_, shown)| shown.clone()).collect();
    shown.sort_by(|a, b| by_rank(a.row, b.row));
    shown
}

fn best_and_default_of<'s>(family: &Family<'s>, sweep: String) -> Vec<Representative<'s>> {
    let best = best(&family.rows);
    if family.rows.len() == 1 {
        return vec![Representative { row: best, place: Place::Only, sweep }];
    }
    let count = family.rows.len();
    let default = family.default_row();
    let is_both = default.is_some_and(|default| std::ptr::eq(default, best));
    let place = if is_both { Place::BestAndDefault(count) } else { Place::BestOf(count) };
    let mut shown = vec![Representative { row: best, place, sweep: sweep.clone() }];
    if let Some(default) = default.filter(|_| !is_both) {
        shown.push(Representative { row: default, place: Place::Default, sweep });
    }
    shown
}

/// One row of each family of `dataset`, sorted by F1 with floors last: that at its default, or else its best.
pub(super) fn systems<'s>(summary: &'s Summary, dataset: &str) -> Vec<Representative<'s>> {
    let mut systems = system_of_each_family(summary, dataset);
    systems.sort_by(|a, b| a.row.floor.cmp(&b.row.floor).then(by_rank(a.row, b.row)));
    systems
}

/// The row of each family of `dataset` at its default, or else its best, in the order of the run.
pub(super) fn system_of_each_family<'s>(summary: &'s Summary, dataset: &str) -> Vec<Representative<'s>> {
    let families = ranked_families(&summary.rows, dataset);
    let of_family = |family: &Family<'s>| {
        let sweep = sweep(family, &families);
        match family.default_row() {
            Some(row) => Representative { row, place: Place::Only, sweep },
            None => Representative { row: best(&family.rows), place: Place::BestOf(family.rows.len()), sweep },
        }
    };
    let mut systems: Vec<Representative<'_>> = Vec::new();
    for system in families.iter().map(of_family) {
        // The default of two sweeps is one system.
        let is_known = |known: &Representative<'_>| std::ptr::eq(known.row, system.row);
        if system.place != Place::Only || !systems.iter().any(is_known) {
            systems.push(system);
        }
    }
    systems
}

/// The words that tell `family` from other sweeps of its algorithm among `families`: the parameters that it sweeps, if they
/// sweep others, and the values of those that none of them sweeps, if they differ.
fn sweep(family: &Family<'_>, families: &[Family<'_>]) -> String {
    let first = family.first;
    let is_sweep = |other: &&SummaryRow| other.algorithm == first.algorithm && !other.swept.is_empty();
    let sweeps: Vec<&SummaryRow> = families.iter().map(|other| other.first).filter(is_sweep).collect();
    let swept = first.swept.iter().filter(|_| sweeps.iter().any(|other| other.swept != first.swept));
    let is_swept = |name: &String| sweeps.iter().any(|other| other.swept.contains(name));
    let differs = |name: &&String| {
        let value = value_of(first, name);
        !is_swept(name) && sweeps.iter().any(|other| value_of(other, name) != value)
    };
    let fixed = first.parameters.keys().filter(differs).map(|name| format!("{name}={}", value_of(first, name)));
    swept.cloned().chain(fixed).collect::<Vec<_>>().join(", ")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{summary, swept_row};
    use crate::report::language::Language;

    /// Names of the best and the default of every family of `rows`, in the order of F1.
    fn names(rows: Vec<SummaryRow>) -> Vec<String> {
        best_and_default(&summary(rows), "d").iter().map(|shown| shown.name().to_string()).collect()
    }

    fn rows(values: &[[&str; 3]], swept: &[&str], f1: f64) -> Vec<SummaryRow> {
        let row = |[coherence, density, start]: &[&str; 3]| {
            let values = [("coherence", *coherence, "0.9"), ("density", *density, "0.5"), ("start", *start, "second")];
            swept_row("d", "nta", &values, swept, f1)
        };
        values.iter().map(row).collect()
    }

    #[test]
    fn sweeps_of_one_algorithm_are_told_apart_by_what_differs() {
        let grid = rows(
            &[["0.8", "0.3", "second"], ["0.9", "0.5", "second"], ["0.8", "0.5", "second"]],
            &["coherence", "density"],
            0.9,
        );
        assert_eq!(names(grid.clone()), ["nta (best of 3, default)"], "there is no other sweep");
        let line = |f1| rows(&[["0.9", "0.1", "second"], ["0.9", "0.7", "second"]], &["density"], f1);
        assert_eq!(
            names([grid.clone(), line(0.95)].concat()),
            ["nta by density (best of 3)", "nta by coherence, density (best of 3, default)"]
        );
        assert_eq!(
            names([grid, line(0.8)].concat()),
            ["nta by coherence, density (best of 3, default)"],
            "it is the best and the default of both"
        );
        let [first, second] =
            ["first", "second"].map(|start| rows(&[["0.7", "0.4", start], ["0.8", "0.4", start]], &["coherence"], 0.7));
        let summary = summary([first, second].concat());
        let shown = best_and_default(&summary, "d");
        let names: Vec<String> =
            shown.iter().map(|shown| shown.name().in_language(Language::Chinese).to_owned()).collect();
        assert_eq!(names, ["nta，按 start=first（2 个中最佳）", "nta，按 start=second（2 个中最佳）"]);
    }
    #[test]
    fn a_default_that_two_sweeps_share_is_one_system() {
        let of = |values, swept: &[&str]| rows(&[values], swept, 0.8);
        let shared = of(["0.9", "0.5", "second"], &["coherence", "density"]);
        let others = [of(["0.8", "0.5", "second"], &["coherence"]), of(["0.9", "0.3", "second"], &["density"])];
        let all = [vec![shared], others.into()].concat().concat();
        let summary = summary(all.clone());
        let shown = systems(&summary, "d");
        assert_eq!(shown.iter().map(|shown| shown.name().to_string()).collect::<Vec<_>>(), ["nta"]);
        assert_eq!(names(all), ["nta by coherence (best of 2, default)"]);
    }
}

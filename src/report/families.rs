//! Rows that differ only in what the run varies.

use std::cmp::Ordering;

use crate::runs::best::{Swept, best_first};
use crate::runs::families::{self, Member};
use crate::runs::folder;
use crate::runs::summary::{Summary, SummaryRow};
use crate::runs::values::{comparable, text_of};

/// Rows of one dataset and algorithm that differ only in swept parameters, in the run's order; at
/// least one row. Sweeps that overlap share rows.
#[derive(Debug)]
pub struct Family<'s> {
    /// The rows.
    pub rows: Vec<&'s SummaryRow>,
    /// A row that is swept over the family's parameters and no others.
    pub first: &'s SummaryRow,
}

/// Rows of one dataset and algorithm that differ only in some swept parameters; at least two rows.
#[derive(Debug)]
pub struct Slice<'s> {
    /// The parameters, one for a curve, two for a grid.
    pub parameters: Vec<String>,
    /// The rows, in the run's order.
    pub rows: Vec<&'s SummaryRow>,
    /// The other parameters that are not at their default, or that the run varies too, as on the command line.
    pub label: String,
    /// Those of them that are not at their default, which tell the bound of the sweep; empty where every other parameter is.
    pub others: String,
}

/// The place of each of `rows` among those of its dataset, from 0.
pub fn dataset_places<'s>(summary: &Summary, rows: impl Iterator<Item = &'s SummaryRow>) -> Vec<usize> {
    let place = |row: &SummaryRow| {
        let mut own = summary.rows.iter().filter(|other| other.dataset == row.dataset);
        own.position(|other| other.key() == row.key()).unwrap_or_default()
    };
    rows.map(place).collect()
}

/// The rows of `dataset` that read gold: told beside figures that rank, never among their rows.
pub fn bounds<'s>(rows: &'s [SummaryRow], dataset: &str) -> Vec<&'s SummaryRow> {
    rows.iter().filter(|row| row.dataset == dataset && !row.is_ranked()).collect()
}

/// Families of rows that may be ranked: without those that read gold.
pub fn ranked_families<'s>(rows: &'s [SummaryRow], dataset: &str) -> Vec<Family<'s>> {
    families(rows, dataset).into_iter().filter(|family| family.first.is_ranked()).collect()
}

/// The names of the datasets in the run's order.
pub fn datasets(rows: &[SummaryRow]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    rows.iter().for_each(|row| group_into(&mut names, &row.dataset.as_str()));
    names
}

fn group_into<T: PartialEq + Clone>(known: &mut Vec<T>, item: &T) {
    if !known.contains(item) {
        known.push(item.clone());
    }
}

/// The rows of `dataset` by family, in the run's order.
pub fn families<'s>(rows: &'s [SummaryRow], dataset: &str) -> Vec<Family<'s>> {
    let own: Vec<&SummaryRow> = rows.iter().filter(|row| row.dataset == dataset).collect();
    let members: Vec<Member<'_>> =
        own.iter().map(|row| Member::new(&row.algorithm, &row.swept, &row.parameters)).collect();
    let family = |family: families::Family| {
        let rows = family.rows.iter().map(|&place| own[place]).collect();
        Family { rows, first: own[family.first] }
    };
    families::families(&members).into_iter().map(family).collect()
}

/// The curves of `dataset`, one a swept parameter and setting of the others. Where another parameter
/// is swept too, its default is taken, or else its first value.
pub fn curves<'s>(rows: &'s [SummaryRow], dataset: &str) -> Vec<Slice<'s>> {
    slices(rows, dataset, |swept| swept.iter().map(|&name| vec![name]).collect())
}

/// The grids of `dataset`, one a pair of parameters that are swept together, in the order in which
/// they are written, and setting of the others, which are as in [`curves`].
pub fn grids<'s>(rows: &'s [SummaryRow], dataset: &str) -> Vec<Slice<'s>> {
    let pairs = |swept: &[&'s str]| {
        let with_later =
            |(i, &one): (usize, &&'s str)| swept[i + 1..].iter().map(move |&other| vec![one, other]).collect();
        swept.iter().enumerate().flat_map(|pair| -> Vec<_> { with_later(pair) }).collect()
    };
    slices(rows, dataset, pairs)
}

/// The slices over each set of parameters that `chosen` makes of those that a row's request sweeps.
fn slices<'s>(
    rows: &'s [SummaryRow],
    dataset: &str,
    chosen: impl Fn(&[&'s str]) -> Vec<Vec<&'s str>>,
) -> Vec<Slice<'s>> {
    let of_dataset: Vec<&SummaryRow> = rows.iter().filter(|row| row.dataset == dataset && !row.is_bound()).collect();
    let mut sets: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in &of_dataset {
        let swept: Vec<&str> = row.swept.iter().map(String::as_str).collect();
        for set in chosen(&swept) {
            let is_known = |(algorithm, known): &(&str, Vec<&str>)| {
                *algorithm == row.algorithm && known.len() == set.len() && set.iter().all(|name| known.contains(name))
            };
            if !sets.iter().any(is_known) {
                sets.push((row.algorithm.as_str(), set));
            }
        }
    }
    let slices = sets.into_iter().flat_map(|(algorithm, set)| {
        let is_swept = |name: &&str, row: &SummaryRow| row.swept.iter().any(|swept| swept == name);
        let varies = |row: &&&SummaryRow| row.algorithm == algorithm && set.iter().all(|name| is_swept(name, row));
        let rows: Vec<&SummaryRow> = of_dataset.iter().filter(varies).copied().collect();
        slices_of(&rows, &set)
    });
    slices.collect()
}

fn slices_of<'s>(rows: &[&'s SummaryRow], parameters: &[&str]) -> Vec<Slice<'s>> {
    // What is varied beside the parameters, and what never is.
    let mut varied = parameters.to_vec();
    rows.iter().flat_map(|row| &row.swept).for_each(|name| group_into(&mut varied, &name.as_str()));
    let beside = &varied[parameters.len()..];
    let never_varied = grouped(rows.iter().map(|&row| (fixed(row, &varied), row)));
    let one_of_each = never_varied.into_iter().filter_map(|rows| {
        let slices = grouped(rows.into_iter().map(|row| (fixed(row, parameters), row)));
        let at_default = |rows: &[&SummaryRow]| {
            beside.iter().filter(|name| !rows[0].differs.iter().any(|differs| differs == *name)).count()
        };
        // The first of the slices with most of the others at their default.
        slices.into_iter().rev().max_by_key(|rows| at_default(rows))
    });
    let slice = |rows: Vec<&'s SummaryRow>| {
        let first = rows[0];
        let is_other = |name: &str| !parameters.contains(&name);
        let shown =
            |name: &&String| is_other(name) && (first.differs.contains(name) || beside.contains(&name.as_str()));
        let label = pairs(first, shown).join(",");
        let others = pairs(first, |name| is_other(name) && first.differs.contains(name)).join(",");
        let parameters = parameters.iter().map(|&name| name.to_owned()).collect();
        Slice { parameters, rows, label, others }
    };
    one_of_each.filter(|rows| rows.len() > 1).map(slice).collect()
}

/// Items with equal keys together, in the order of first appearance.
fn grouped<'s>(items: impl Iterator<Item = (String, &'s SummaryRow)>) -> Vec<Vec<&'s SummaryRow>> {
    let mut groups: Vec<(String, Vec<&SummaryRow>)> = Vec::new();
    for (key, row) in items {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups.into_iter().map(|(_, rows)| rows).collect()
}

/// Every parameter but those of `without`, each once however it was written.
fn fixed(row: &SummaryRow, without: &[&str]) -> String {
    let values = row.parameters.iter().filter(|(name, _)| !without.contains(&name.as_str()));
    values.map(|(name, value)| format!("{name}={}", comparable(value))).collect::<Vec<_>>().join(",")
}

fn pairs(row: &SummaryRow, shown: impl Fn(&&String) -> bool) -> Vec<String> {
    let values = row.parameters.iter().filter(|(name, _)| shown(name));
    values.map(|(name, value)| format!("{name}={}", text_of(value))).collect()
}

/// The value of `parameter` in `row` as it is written in runs.
pub fn value_of(row: &SummaryRow, parameter: &str) -> String {
    row.parameters.get(parameter).map(text_of).unwrap_or_default()
}

/// A decimal or a fraction, where to draw it; nothing is decided on it. None for words and infinity.
pub fn number(text: &str) -> Option<f64> {
    folder::number(text).filter(|number| number.is_finite())
}

/// The row with the greatest macro F1; of equal ones that nearest to the defaults, else the first.
pub fn best<'s>(rows: &[&'s SummaryRow]) -> &'s SummaryRow {
    best_by(rows, f1)
}

/// The same by another figure, 0 to 1.
pub(super) fn best_by<'s>(rows: &[&'s SummaryRow], figure: impl Fn(&SummaryRow) -> f64) -> &'s SummaryRow {
    // The bits of numbers that are not negative have their order.
    let figures: Vec<u64> = rows.iter().map(|row| figure(row).to_bits()).collect();
    let swept: Vec<Swept<'_>> = rows.iter().map(|row| row.swept_values()).collect();
    rows[best_first(&swept, &figures)[0]]
}

/// The order of two rows in a ranking: the greatest macro F1 first, of equal ones those at their defaults, and behind all others
/// those that were not run on every page.
pub(super) fn by_rank(one: &SummaryRow, other: &SummaryRow) -> Ordering {
    let by_f1 = || f1(other).total_cmp(&f1(one));
    let by_default = || is_at_default(other).cmp(&is_at_default(one));
    other.is_whole().cmp(&one.is_whole()).then_with(by_f1).then_with(by_default)
}

/// True if all swept parameters are at their default.
pub(crate) fn is_at_default(row: &SummaryRow) -> bool {
    row.swept.iter().all(|name| !row.differs.contains(name))
}

/// A row's macro F1, 0 to 1.
pub fn f1(row: &SummaryRow) -> f64 {
    row.aggregates.macro_.f1
}

impl<'s> Family<'s> {
    /// The row whose swept parameters are all at their default, if the run has it.
    pub fn default_row(&self) -> Option<&'s SummaryRow> {
        let is_default = |row: &&&SummaryRow| !self.first.swept.iter().any(|name| row.differs.contains(name));
        self.rows.iter().find(is_default).copied()
    }
}

impl<'s> Slice<'s> {
    /// The row at the parameters' defaults, if the run has it.
    pub fn default_row(&self) -> Option<&'s SummaryRow> {
        self.rows.iter().find(|row| !self.parameters.iter().any(|name| row.differs.contains(name))).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, swept_row};

    #[test]
    fn a_grid_of_two_gives_each_curve_at_the_default_of_the_other() {
        let mut rows = Vec::new();
        for coherence in ["0.8", "0.9"] {
            for density in ["0.3", "0.5", "0.7"] {
                let values = [("coherence", coherence, "0.9"), ("density", density, "0.5")];
                rows.push(swept_row("d", "nta", &values, &["coherence", "density"], 0.5));
            }
        }
        let curves = curves(&rows, "d");
        let shown: Vec<(&str, &str, usize)> =
            curves.iter().map(|curve| (curve.parameters[0].as_str(), curve.label.as_str(), curve.rows.len())).collect();
        assert_eq!(shown, [("coherence", "density=0.5", 2), ("density", "coherence=0.9", 3)]);
        assert_eq!(families(&rows, "d").len(), 1);
        assert_eq!(families(&rows, "d")[0].default_row().unwrap().label(), "coherence=0.9,density=0.5");
    }

    #[test]
    fn sweeps_that_overlap_are_one_whatever_the_order_of_their_parameters() {
        let values = |coherence| [("coherence", coherence, "0.9"), ("density", "0.5", "0.5")];
        let mut rows: Vec<SummaryRow> = Vec::new();
        for density in ["0.3", "0.5"] {
            let values = [("coherence", "0.8", "0.9"), ("density", density, "0.5")];
            rows.push(swept_row("d", "nta", &values, &["coherence", "density"], 0.5));
        }
        for coherence in ["0.7", "0.9"] {
            rows.push(swept_row("d", "nta", &values(coherence), &["density", "coherence"], 0.6));
        }
        assert_eq!(families(&rows, "d").len(), 1);
        let grids = grids(&rows, "d");
        assert_eq!(grids.iter().map(|grid| grid.parameters.join(" ")).collect::<Vec<_>>(), ["coherence density"]);
        assert_eq!(grids[0].rows.len(), 4);
    }

    #[test]
    fn a_default_in_another_spelling_is_of_both_sweeps() {
        let row = |[coherence, density]: [&str; 2], swept: &[&str]| {
            swept_row("d", "nta", &[("coherence", coherence, "0.9"), ("density", density, "0.5")], swept, 0.5)
        };
        let rows = [
            row(["0.9", "0.40"], &["density"]),
            row(["0.9", "0.50"], &["coherence", "density"]),
            row(["0.7", "0.5"], &["coherence"]),
            row(["0.8", "0.5"], &["coherence"]),
        ];
        let curves = curves(&rows, "d");
        let shown: Vec<(&str, usize)> =
            curves.iter().map(|curve| (curve.parameters[0].as_str(), curve.rows.len())).collect();
        assert_eq!(shown, [("density", 2), ("coherence", 3)]);
        let families: Vec<usize> = families(&rows, "d").iter().map(|family| family.rows.len()).collect();
        assert_eq!(families, [2, 3]);
    }

    #[test]
    fn three_swept_parameters_give_a_grid_a_pair_at_the_default_of_the_third() {
        let mut rows = vec![swept_row("d", "nta", &[("coherence", "0.1", "0.9")], &["coherence"], 0.5)];
        for values in ["0.8 0.3 first", "0.8 0.5 second", "0.9 0.3 second", "0.9 0.5 first", "0.9 0.5 second"] {
            let [coherence, density, start] = values.split(' ').collect::<Vec<_>>()[..] else { panic!() };
            let values = [("coherence", coherence, "0.9"), ("density", density, "0.5"), ("start", start, "second")];
            rows.push(swept_row("d", "nta", &values, &["coherence", "density", "start"], 0.5));
        }
        let grids = grids(&rows, "d");
        let shown: Vec<(String, &str, usize)> =
            grids.iter().map(|grid| (grid.parameters.join(" "), grid.label.as_str(), grid.rows.len())).collect();
        assert_eq!(
            shown,
            [
                ("coherence density".to_owned(), "start=second", 3),
                ("coherence start".to_owned(), "density=0.5", 3),
                ("density start".to_owned(), "coherence=0.9", 3)
            ]
        );
        assert_eq!(grids[0].default_row().unwrap().label(), "coherence=0.9,density=0.5,start=second");
    }

    #[test]
    fn without_the_default_the_first_value_is_taken() {
        let mut rows = Vec::new();
        for density in ["0.7", "0.3"] {
            for coherence in ["0.8", "0.9"] {
                let values = [("coherence", coherence, "0.9"), ("density", density, "0.5")];
                rows.push(swept_row("d", "nta", &values, &["coherence", "density"], 0.5));
            }
        }
        assert_eq!(curves(&rows, "d")[0].label, "density=0.7");
    }

    #[test]
    fn other_fixed_parameters_make_another_curve() {
        let mut rows = vec![row("d", "all-text", 0.4)];
        for start in ["second", "first"] {
            for coherence in ["0.8", "0.9"] {
                let values = [("coherence", coherence, "0.9"), ("start", start, "second")];
                rows.push(swept_row("d", "nta", &values, &["coherence"], 0.5));
            }
        }
        let curves = curves(&rows, "d");
        let shown: Vec<(&str, bool)> =
            curves.iter().map(|curve| (curve.label.as_str(), curve.others.is_empty())).collect();
        assert_eq!(shown, [("", true), ("start=first", false)]);
        assert_eq!(families(&rows, "d").len(), 3);
    }

    #[test]
    fn of_equal_rows_the_nearest_to_the_default_is_the_best_and_else_the_first() {
        let best_of = |rows: &[(&str, f64)]| {
            let row = |(alpha, f1): &(&str, f64)| swept_row("d", "cevc", &[("alpha", alpha, "0.5")], &["alpha"], *f1);
            let rows: Vec<SummaryRow> = rows.iter().map(row).collect();
            best(&rows.iter().collect::<Vec<_>>()).label()
        };
        assert_eq!(best_of(&[("0.1", 0.7), ("0.4", 0.7), ("0.5", 0.6), ("0.9", 0.7)]), "alpha=0.4");
        assert_eq!(best_of(&[("0.1", 0.7), ("0.4", 0.7), ("0.5", 0.7), ("0.9", 0.7)]), "alpha=0.5");
        assert_eq!(best_of(&[("0.1", 0.7), ("0.5", 0.7), ("0.6", 0.8)]), "alpha=0.6");
        assert_eq!(best_of(&[("0.6", 0.7), ("0.4", 0.7), ("0.5", 0.1)]), "alpha=0.6", "one step to either side");
        assert_eq!(best_of(&[("0.9", 0.7), ("0.8", 0.7)]), "alpha=0.9", "without the default the first");
    }

    #[test]
    fn of_equal_rows_that_at_its_default_comes_first() {
        let mut rows = [row("d", "cevc", 0.7), row("d", "cevc", 0.7), row("d", "cevc", 0.8)];
        rows.iter_mut().for_each(|row| row.swept = ["alpha".to_owned()].into_iter().collect());
        for place in [0, 2] {
            rows[place].differs = ["alpha".to_owned()].into_iter().collect();
        }
        let mut ranked: Vec<&SummaryRow> = rows.iter().collect();
        ranked.sort_by(|one, other| by_rank(one, other));
        assert!(std::ptr::eq(ranked[1], &rows[1]) && std::ptr::eq(ranked[0], &rows[2]));
    }

    #[test]
    fn a_row_that_was_not_run_on_some_pages_is_the_best_only_where_none_was_run_on_all() {
        let mut rows = ["dies", "dies-too", "whole"].map(|name| row("d", name, if name == "dies" { 0.9 } else { 0.5 }));
        (rows[0].not_run, rows[1].not_run) = (3, 1);
        let best = |rows: &[&SummaryRow]| best(rows).algorithm.clone();
        assert_eq!(best(&[&rows[0], &rows[1], &rows[2]]), "whole");
        assert_eq!(best(&[&rows[1], &rows[0]]), "dies");
        let mut ranked: Vec<&SummaryRow> = rows.iter().collect();
        ranked.sort_by(|one, other| by_rank(one, other));
        assert_eq!(ranked.iter().map(|row| row.algorithm.as_str()).collect::<Vec<_>>(), ["whole", "dies", "dies-too"]);
    }
}

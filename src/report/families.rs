//! Rows that differ only in what the run varies.

use crate::runs::rows::text_of;
use crate::runs::summary::SummaryRow;

/// Rows of one dataset and algorithm that differ only in swept parameters, in the run's order; at
/// least one row.
#[derive(Debug)]
pub struct Family<'s> {
    /// The rows.
    pub rows: Vec<&'s SummaryRow>,
}

/// Rows of one dataset and algorithm that differ only in one parameter; at least two rows.
#[derive(Debug)]
pub struct Curve<'s> {
    /// The parameter.
    pub parameter: String,
    /// The rows, in the run's order.
    pub rows: Vec<&'s SummaryRow>,
    /// The other parameters that are not at their default, or that the run varies too, as on the command line.
    pub label: String,
    /// Whether every other parameter is at its default.
    pub otherwise_default: bool,
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
    let keyed = rows.iter().filter(|row| row.dataset == dataset).map(|row| {
        let swept: Vec<&str> = row.swept.iter().map(String::as_str).collect();
        (format!("{}\t{}\t{}", row.algorithm, swept.join(","), fixed(row, &swept)), row)
    });
    grouped(keyed).into_iter().map(|rows| Family { rows }).collect()
}

/// The curves of `dataset`, one a swept parameter and setting of the others. Where another parameter
/// is swept too, its default is taken, or else its first value.
pub fn curves<'s>(rows: &'s [SummaryRow], dataset: &str) -> Vec<Curve<'s>> {
    let of_dataset: Vec<&SummaryRow> = rows.iter().filter(|row| row.dataset == dataset).collect();
    let mut swept: Vec<(&str, &str)> = Vec::new();
    for row in &of_dataset {
        row.swept.iter().for_each(|parameter| group_into(&mut swept, &(row.algorithm.as_str(), parameter.as_str())));
    }
    let curves = swept.into_iter().flat_map(|(algorithm, parameter)| {
        let varies = |row: &&&SummaryRow| row.algorithm == algorithm && row.swept.iter().any(|name| name == parameter);
        let rows: Vec<&SummaryRow> = of_dataset.iter().filter(varies).copied().collect();
        curves_of(&rows, parameter)
    });
    curves.collect()
}

fn curves_of<'s>(rows: &[&'s SummaryRow], parameter: &str) -> Vec<Curve<'s>> {
    // What is varied beside the parameter, and what never is.
    let mut varied = vec![parameter];
    rows.iter().flat_map(|row| &row.swept).for_each(|name| group_into(&mut varied, &name.as_str()));
    let never_varied = grouped(rows.iter().map(|&row| (fixed(row, &varied), row)));
    let one_of_each = never_varied.into_iter().filter_map(|rows| {
        let slices = grouped(rows.into_iter().map(|row| (fixed(row, &[parameter]), row)));
        let at_default = |rows: &[&SummaryRow]| {
            varied[1..].iter().filter(|name| !rows[0].differs.iter().any(|differs| differs == *name)).count()
        };
        // The first of the slices with most of the others at their default.
        slices.into_iter().rev().max_by_key(|rows| at_default(rows))
    });
    let curve = |rows: Vec<&'s SummaryRow>| {
        let first = rows[0];
        let others = first.differs.iter().filter(|name| *name != parameter);
        let otherwise_default = others.count() == 0;
        let shown = |name: &&String| {
            *name != parameter && (first.differs.contains(name) || varied[1..].contains(&name.as_str()))
        };
        let label = pairs(first, shown).join(",");
        Curve { parameter: parameter.to_owned(), rows, label, otherwise_default }
    };
    one_of_each.filter(|rows| rows.len() > 1).map(curve).collect()
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

/// Every parameter but those of `without`, written out.
fn fixed(row: &SummaryRow, without: &[&str]) -> String {
    pairs(row, |name| !without.contains(&name.as_str())).join(",")
}

fn pairs(row: &SummaryRow, shown: impl Fn(&&String) -> bool) -> Vec<String> {
    let values = row.parameters.iter().filter(|(name, _)| shown(name));
    values.map(|(name, value)| format!("{name}={}", text_of(value))).collect()
}

/// The value of `parameter` in `row` as it is written in runs.
pub fn value_of(row: &SummaryRow, parameter: &str) -> String {
    row.parameters.get(parameter).map(text_of).unwrap_or_default()
}

/// The row with the greatest macro F1; of equal ones that at the defaults, else the first.
pub fn best<'s>(rows: &[&'s SummaryRow]) -> &'s SummaryRow {
    let better = |best: &'s SummaryRow, row: &&'s SummaryRow| {
        let wins_tie = f1(row) == f1(best) && is_at_default(row) && !is_at_default(best);
        if f1(row) > f1(best) || wins_tie { *row } else { best }
    };
    rows[1..].iter().fold(rows[0], better)
}

/// Whether all swept parameters are at their default.
fn is_at_default(row: &SummaryRow) -> bool {
    row.swept.iter().all(|name| !row.differs.contains(name))
}

/// A row's macro F1, 0 to 1.
pub fn f1(row: &SummaryRow) -> f64 {
    row.aggregates.macro_.f1
}

impl<'s> Family<'s> {
    /// The row whose swept parameters are all at their default, if the run has it.
    pub fn default_row(&self) -> Option<&'s SummaryRow> {
        self.rows.iter().find(|row| is_at_default(row)).copied()
    }
}

impl<'s> Curve<'s> {
    /// The row whose value is the parameter's default, if the run has it.
    pub fn default_row(&self) -> Option<&'s SummaryRow> {
        self.rows.iter().find(|row| !row.differs.contains(&self.parameter)).copied()
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
            curves.iter().map(|curve| (curve.parameter.as_str(), curve.label.as_str(), curve.rows.len())).collect();
        assert_eq!(shown, [("coherence", "density=0.5", 2), ("density", "coherence=0.9", 3)]);
        assert_eq!(families(&rows, "d").len(), 1);
        assert_eq!(families(&rows, "d")[0].default_row().unwrap().label(), "coherence=0.9,density=0.5");
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
            curves.iter().map(|curve| (curve.label.as_str(), curve.otherwise_default)).collect();
        assert_eq!(shown, [("", true), ("start=first", false)]);
        assert_eq!(families(&rows, "d").len(), 3);
    }
}

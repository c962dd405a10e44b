//! Rows that differ only in what the run sweeps.

use std::collections::{BTreeMap, BTreeSet};

use super::values::comparable;
use crate::algorithms::parameters::Values;

/// A row, by its system, its swept parameters and its values.
pub(crate) struct Member<'r> {
    name: &'r str,
    swept: BTreeSet<&'r str>,
    /// Values that are equal where those of the parameters are.
    values: BTreeMap<String, String>,
}

impl<'r> Member<'r> {
    /// The row of the system `name` with these values, of which requests sweep `swept`.
    pub(crate) fn new(name: &'r str, swept: &'r [String], values: &Values) -> Self {
        let comparables = values.iter().map(|(name, value)| (name.clone(), comparable(value)));
        Member { name, swept: swept.iter().map(String::as_str).collect(), values: comparables.collect() }
    }

    /// The system and every value but those of `swept`.
    fn fixed(&self, swept: &BTreeSet<&str>) -> (&'r str, Vec<(&str, &str)>) {
        let fixed = self.values.iter().filter(|(name, _)| !swept.contains(name.as_str()));
        (self.name, fixed.map(|(name, value)| (name.as_str(), value.as_str())).collect())
    }
}

/// Rows that differ only in some swept parameters, or one row of which none is swept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Family {
    /// The first row that names just the family's parameters as swept.
    pub(crate) first: usize,
    /// Every row, by its place, in order.
    pub(crate) rows: Vec<usize>,
}

/// The families of rows, in the order in which their first rows appear. A row that several sweeps ask for names the
/// parameters of all of them, and is of each; it makes no family of its own then.
pub(crate) fn families(members: &[Member<'_>]) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    let is_of = |family: &Family, member: &Member<'_>| {
        let first = &members[family.first];
        first.swept == member.swept && first.fixed(&first.swept) == member.fixed(&first.swept)
    };
    for (place, member) in members.iter().enumerate() {
        match families.iter_mut().find(|family| is_of(family, member)) {
            Some(family) => family.rows.push(place),
            None => families.push(Family { first: place, rows: vec![place] }),
        }
    }
    // A row of more swept parameters that lies on a sweep of fewer.
    let lies_on = |place: usize, family: &Family| {
        let (member, first) = (&members[place], &members[family.first]);
        !first.swept.is_empty()
            && first.swept.len() < member.swept.len()
            && first.swept.is_subset(&member.swept)
            && first.fixed(&first.swept) == member.fixed(&first.swept)
    };
    let is_shared = |place: usize| families.iter().any(|family| lies_on(place, family));
    let shared: BTreeSet<usize> = (0..members.len()).filter(|&place| is_shared(place)).collect();
    families
        .iter()
        .filter(|family| !family.rows.iter().all(|place| shared.contains(place)))
        .map(|family| {
            let mut rows = family.rows.clone();
            rows.extend(shared.iter().filter(|&&place| lies_on(place, family)));
            rows.sort_unstable();
            Family { first: family.first, rows }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The families of rows, each `coherence density` with what is swept.
    fn of(rows: &[(&str, &str, &[&str])]) -> Vec<Vec<usize>> {
        let swept: Vec<Vec<String>> =
            rows.iter().map(|row| row.2.iter().map(|name| (*name).to_owned()).collect()).collect();
        let member = |(row, swept): (&(&str, &str, &[&str]), _)| {
            let values = [("coherence", json!(row.0)), ("density", json!(row.1))];
            Member::new("nta", swept, &values.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
        };
        let members: Vec<Member<'_>> = rows.iter().zip(&swept).map(|(row, swept)| member((row, swept))).collect();
        families(&members).into_iter().map(|family| family.rows).collect()
    }

    const BOTH: &[&str] = &["coherence", "density"];

    #[test]
    fn a_row_that_two_sweeps_share_is_of_both_and_alone_of_none() {
        let rows = [
            ("0.9", "0.40", &["density"][..]),
            ("0.9", "0.50", BOTH),
            ("0.7", "0.5", &["coherence"]),
            ("0.8", "0.5", &[]),
        ];
        assert_eq!(of(&rows), [vec![0, 1], vec![1, 2], vec![3]]);
    }

    #[test]
    fn a_sweep_has_the_rows_that_it_shares_with_a_grid_and_the_grid_keeps_them() {
        let grid = [("0.8", "0.3", BOTH), ("0.9", "0.3", BOTH), ("0.8", "0.5", BOTH), ("0.9", "0.5", BOTH)];
        let line = [("0.85", "0.5", &["coherence"][..])];
        assert_eq!(of(&[&grid[..], &line].concat()), [vec![0, 1, 2, 3], vec![2, 3, 4]]);
        assert_eq!(of(&grid), [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn a_grid_in_another_order_is_the_same_and_another_fixed_value_another_sweep() {
        let turned: &[&str] = &["density", "coherence"];
        assert_eq!(of(&[("0.8", "0.3", BOTH), ("0.9", "0.4", turned)]), [[0, 1]]);
        let apart = [("0.8", "0.3", &["coherence"][..]), ("0.9", "0.4", &["coherence"]), ("0.7", "0.4", BOTH)];
        assert_eq!(of(&apart), [vec![0], vec![1, 2]]);
    }
}

//! Rows two by two: their tests, the pages on which they differ, their times.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::candidates::Candidate;
use super::{ComparedTime, Differ, Differing, Pair, Request};
use crate::runs::scores::CommonPages;
use crate::statistics::{AllPairs, Comparison, Paired};

/// The times of the rows that were timed, beside that of the row at the place `reference`.
pub(super) fn times(rows: &[&Candidate<'_>], reference: usize) -> Vec<ComparedTime> {
    let reference = rows.get(reference).and_then(|row| row.times());
    let time = |(place, row): (usize, &&Candidate<'_>)| {
        let times = row.times()?;
        Some(ComparedTime {
            row: place,
            pages: times.pages,
            p50_ms: times.median,
            p99_ms: times.p99,
            ratio: reference.map(|reference| times.median / reference.median),
            from_request: times.starting.is_some(),
        })
    };
    rows.iter().enumerate().filter_map(time).collect()
}

/// Rows in groups of the same texts, tested.
pub(super) struct Pairs<'p> {
    pub(super) paired: &'p Paired,
    /// All pairs; `None` of too many rows.
    pub(super) tested: Option<&'p AllPairs>,
    pub(super) groups: &'p [usize],
    pub(super) reference: usize,
}

impl Pairs<'_> {
    /// Each row against the reference, or each pair, and how many tests the correction counts. A reference that was named
    /// beforehand has fewer tests beside it than the best, which the same pages chose out of all pairs.
    pub(super) fn comparisons(&self, pages: &[&String], request: &Request) -> (usize, Vec<Pair>) {
        let every_pair = self.tested.filter(|_| request.every_pair);
        let shown: Vec<(usize, usize)> = match every_pair {
            Some(tested) => tested.pairs.clone(),
            None => {
                let others = (0..self.groups.len()).filter(|&row| row != self.reference);
                others.map(|row| (row, self.reference)).collect()
            }
        };
        let compared = shown.par_iter().map(|&(row, against)| self.paired.compare(row, against));
        let compared: Vec<Comparison> = compared.collect();
        if let Some(tested) = self.tested.filter(|_| request.tests_all_pairs()) {
            let corrected: Vec<f64> = shown.iter().map(|&(row, against)| tested.corrected(row, against)).collect();
            return (tested.tested, told(shown, compared, corrected, pages));
        }
        // One test for each group but that of the reference.
        let p_of_groups: BTreeMap<usize, f64> = shown
            .iter()
            .zip(&compared)
            .filter(|((row, _), _)| self.groups[*row] != self.groups[self.reference])
            .map(|((row, _), comparison)| (self.groups[*row], comparison.by_site.p))
            .collect();
        let corrected = request.correction.correct(&p_of_groups.values().copied().collect::<Vec<_>>());
        let corrected: BTreeMap<usize, f64> = p_of_groups.keys().copied().zip(corrected).collect();
        let of_row = |(row, _): &(usize, usize)| corrected.get(&self.groups[*row]).copied().unwrap_or(1.0);
        let of_rows = shown.iter().map(of_row).collect();
        (corrected.len(), told(shown, compared, of_rows, pages))
    }
}

/// The pairs of rows, with the verdicts of their comparisons under the corrected p.
fn told(shown: Vec<(usize, usize)>, compared: Vec<Comparison>, corrected: Vec<f64>, pages: &[&String]) -> Vec<Pair> {
    let pair = |(((row, against), comparison), corrected): (((usize, usize), Comparison), f64)| Pair {
        row,
        against,
        heaviest_page: comparison.heaviest.map(|heaviest| pages[heaviest.page].clone()),
        verdict: comparison.verdict(corrected),
        comparison,
        corrected,
    };
    shown.into_iter().zip(compared).zip(corrected).map(pair).collect()
}

/// The reference and the best row beside it that has other texts: one of another algorithm, if there is one.
pub(super) fn two_to_look_at(rows: &[&Candidate<'_>], groups: &[usize], reference: usize) -> [usize; 2] {
    let differs = |&row: &usize| groups[row] != groups[reference];
    let is_of_another = |&row: &usize| rows[row].row.algorithm != rows[reference].row.algorithm;
    let mut others = (0..rows.len()).filter(differs);
    let other = others.clone().find(is_of_another).or_else(|| others.next());
    [reference, other.unwrap_or(reference)]
}

/// The pages on which two rows differ most, or on which a row is furthest behind the best other one, those first; equal
/// ones by id.
pub(super) fn differing(
    paired: &Paired,
    rows: usize,
    differ: Differ,
    common: &CommonPages<'_>,
    most: usize,
) -> Vec<Differing> {
    let mut found: Vec<(f64, Differing)> = Vec::new();
    for (place, (page, site)) in common.pages.iter().zip(&common.site_names).enumerate() {
        let score = |row: usize| (row, paired.score(row, place));
        let by_score = |one: &(usize, f64), other: &(usize, f64)| one.1.total_cmp(&other.1);
        let (highest, lowest) = match differ {
            Differ::Pair([one, other]) if score(one).1 >= score(other).1 => (score(one), score(other)),
            Differ::Pair([one, other]) => (score(other), score(one)),
            Differ::Loser(loser) => {
                let others = (0..rows).rev().filter(|row| *row != loser);
                (others.map(score).max_by(by_score).unwrap_or_default(), score(loser))
            }
        };
        if highest.1 > lowest.1 {
            let (page, site) = ((*page).clone(), (*site).to_owned());
            found.push((highest.1 - lowest.1, Differing { page, site, highest, lowest }));
        }
    }
    // Pages come by id, and sorting keeps the order of equal ones.
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.into_iter().take(most).map(|(_, page)| page).collect()
}

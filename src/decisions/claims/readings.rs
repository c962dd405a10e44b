//! What the readings of an ambiguous paper are worth: every variant of one parameter against the defaults.

use serde::Serialize;

use super::Evidence;
use crate::runs::scores::{CommonPages, RowScores};
use crate::runs::summary::SummaryRow;
use crate::runs::values::text_of;
use crate::statistics::{Correction, Estimate, Paired, Part, Verdict};

/// An algorithm's readings on the pages of a dataset.
#[derive(Clone, Debug, Serialize)]
pub struct Readings {
    /// The algorithm.
    pub algorithm: String,
    /// Mean F1 at the defaults.
    pub default: Estimate,
    /// Every other reading, by parameter as declared.
    pub readings: Vec<Reading>,
}

/// A reading: one parameter at another value.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// The parameter.
    pub parameter: String,
    /// Its value.
    pub value: String,
    /// The value of the defaults.
    pub default: String,
    /// Mean F1.
    pub f1: f64,
    /// Its mean F1 less that of the defaults, with its interval by site.
    pub difference: Estimate,
    /// The p of the test by site, corrected for the number of readings that extract other texts than the defaults; 1 of others.
    pub p: f64,
    /// What the difference is worth.
    pub verdict: Verdict,
}

/// The readings of `algorithm` that were run; parameters that the run sweeps exactly are settings of the paper, not
/// readings of it. `None` where there are none.
pub fn readings(evidence: &Evidence<'_>, algorithm: &str) -> Option<Readings> {
    let is_swept =
        |name: &String| evidence.sweeps.iter().any(|line| line.algorithm == algorithm && line.parameter == *name);
    let own = || evidence.rows.iter().filter(|(row, _)| row.algorithm == algorithm);
    let (default, default_scores) = own().find(|(row, _)| row.differs.is_empty())?;
    let mut variants: Vec<_> = own().filter(|(row, _)| matches!(&row.differs[..], [one] if !is_swept(one))).collect();
    let declared = |row: &SummaryRow| row.parameters.keys().position(|name| *name == row.differs[0]);
    variants.sort_by_key(|(row, _)| declared(row));
    let rows: Vec<_> = std::iter::once(*default_scores).chain(variants.iter().map(|(_, scores)| *scores)).collect();
    let common = CommonPages::of(&rows);
    if variants.is_empty() || common.pages.is_empty() {
        return None;
    }
    let scores = rows.iter().map(|row| common.scores(row, Part::F1)).collect();
    let paired = Paired::new(scores, common.sites.clone(), evidence.sampling);
    let compared: Vec<_> = (1..rows.len()).map(|place| paired.compare(place, 0)).collect();
    // What extracts the same texts as the defaults is the same system, and no test.
    let is_default = |row: &RowScores| {
        common.pages.iter().all(|page| match (row.get(*page), rows[0].get(*page)) {
            (Some(own), Some(default)) => own.is_alike(default),
            _ => false,
        })
    };
    let tested: Vec<usize> = (1..rows.len()).filter(|&place| !is_default(rows[place])).collect();
    let of_tests =
        Correction::Holm.correct(&tested.iter().map(|&place| compared[place - 1].by_site.p).collect::<Vec<_>>());
    let mut corrected = vec![1.0; compared.len()];
    tested.iter().zip(of_tests).for_each(|(place, p)| corrected[place - 1] = p);
    let reading = |(place, (comparison, p)): (usize, (crate::statistics::Comparison, f64))| {
        let (row, _) = variants[place];
        let parameter = row.differs[0].clone();
        let value = |row: &SummaryRow| row.parameters.get(&parameter).map(text_of).unwrap_or_default();
        Reading {
            value: value(row),
            default: value(default),
            f1: paired.estimate(place + 1).point,
            verdict: comparison.verdict(p),
            difference: comparison.difference,
            p,
            parameter,
        }
    };
    let readings = compared.into_iter().zip(corrected).enumerate().map(reading).collect();
    Some(Readings { algorithm: algorithm.to_owned(), default: paired.estimate(0), readings })
}

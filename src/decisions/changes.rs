//! What became of a run's rows since another run under equal conditions: each row held against itself, and the pages that
//! fell most.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::compare::{Candidate, CompareError, Run, candidates};
use crate::runs::scores::{CommonPages, RowKey, RowScores};
use crate::runs::summary::SummaryRow;
use crate::statistics::{Comparison, Correction, Estimate, Paired, Part, Sampling, Verdict};

/// What became of the rows of a dataset; those that read gold are left out, for they are not compared with the others.
#[derive(Clone, Debug, Serialize)]
pub struct Changes {
    /// The dataset's name.
    pub dataset: String,
    /// The rows that both runs have, in the order of the run.
    pub rows: Vec<RowChange>,
    /// Rows that the earlier run had alone, as on the command line.
    pub gone: Vec<String>,
    /// Rows that it had not.
    pub new: Vec<String>,
    /// Rows that both runs have, but on no common page.
    pub left_out: Vec<String>,
    /// The pages whose F1 fell most, over all rows, the deepest fall first.
    pub fallen: Vec<Fallen>,
    /// How many fell.
    pub falls: usize,
}

/// A row, held against itself.
#[derive(Clone, Debug, Serialize)]
pub struct RowChange {
    /// The algorithm's name.
    pub algorithm: String,
    /// What tells the row from others of its algorithm.
    pub setting: String,
    /// Its mean F1 in the earlier run, over the pages that both have.
    pub before: f64,
    /// By how much it is higher now.
    pub difference: Estimate,
    /// Pages on which it is higher, equal and lower now.
    pub higher_equal_lower: [usize; 3],
    /// The test's p by site, corrected by Holm for the number of rows.
    pub corrected: f64,
    /// What it comes to.
    pub verdict: Verdict,
}

/// A page whose F1 fell.
#[derive(Clone, Debug, Serialize)]
pub struct Fallen {
    /// Its id.
    pub page: String,
    /// Its site.
    pub site: String,
    /// The row, as on the command line.
    pub row: String,
    /// F1 before and now.
    pub f1: [f64; 2],
}

/// Holds the rows of `run` against those of `earlier`, which was run under equal conditions; `most` pages are told.
///
/// # Errors
/// [`CompareError`]: a run whose `scores.csv` lacks a row of its summary.
pub fn changes(run: &Run, earlier: &Run, most: usize, sampling: Sampling) -> Result<Vec<Changes>, CompareError> {
    let datasets = run.summary.conditions.datasets.keys();
    let of_dataset = |dataset: &String| {
        let [now, before] = [run, earlier].map(|run| candidates(std::slice::from_ref(run), dataset));
        Ok(of_rows(dataset, &now?, &before?, most, sampling))
    };
    datasets.map(of_dataset).collect()
}

fn of_rows(dataset: &str, now: &[Candidate<'_>], before: &[Candidate<'_>], most: usize, sampling: Sampling) -> Changes {
    let [of_now, of_before] = [now, before].map(by_key);
    let now = || now.iter().filter(|row| row.row.is_ranked());
    let both: Vec<_> = now().filter_map(|row| Some((row, *of_before.get(&row.row.key())?))).collect();
    let compared = both.par_iter().map(|(row, earlier)| Compared::of(row.scores, earlier.scores, most, sampling));
    let compared: Vec<Option<Compared>> = compared.collect();
    let p_values: Vec<f64> = compared.iter().flatten().map(|compared| compared.comparison.by_site.p).collect();
    let mut corrected = Correction::Holm.correct(&p_values).into_iter();
    let (mut rows, mut left_out, mut fallen, mut falls) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for ((row, _), compared) in both.iter().zip(compared) {
        let name = as_argument(row.row);
        let Some((compared, corrected)) = compared.and_then(|compared| Some((compared, corrected.next()?))) else {
            left_out.push(name);
            continue;
        };
        let Compared { comparison, before, deepest, falls: of_row } = compared;
        let wins = comparison.wins;
        falls += of_row;
        fallen.extend(deepest.into_iter().map(|(page, site, f1)| Fallen { page, site, row: name.clone(), f1 }));
        rows.push(RowChange {
            algorithm: row.row.algorithm.clone(),
            setting: row.row.label(),
            before,
            verdict: comparison.verdict(corrected),
            higher_equal_lower: [wins.wins, wins.ties, wins.losses],
            difference: comparison.difference,
            corrected,
        });
    }
    // Rows come in their order and pages by id, and sorting keeps the order of equal ones.
    fallen.sort_by(|one, other| depth(&other.f1).total_cmp(&depth(&one.f1)));
    fallen.truncate(most);
    let lacked = |these: &mut dyn Iterator<Item = &Candidate<'_>>, those: &BTreeMap<RowKey, &Candidate<'_>>| {
        these.filter(|row| !those.contains_key(&row.row.key())).map(|row| as_argument(row.row)).collect()
    };
    let gone = lacked(&mut before.iter().filter(|row| row.row.is_ranked()), &of_now);
    let new = lacked(&mut now(), &of_before);
    Changes { dataset: dataset.to_owned(), rows, gone, new, left_out, fallen, falls }
}

/// The rows that are ranked.
fn by_key<'c, 'r>(rows: &'c [Candidate<'r>]) -> BTreeMap<RowKey, &'c Candidate<'r>> {
    rows.iter().filter(|row| row.row.is_ranked()).map(|row| (row.row.key(), row)).collect()
}

/// The row as on the command line.
fn as_argument(row: &SummaryRow) -> String {
    let label = row.label();
    if label.is_empty() { row.algorithm.clone() } else { format!("{}:{label}", row.algorithm) }
}

fn depth([before, now]: &[f64; 2]) -> f64 {
    before - now
}

/// A row held against itself.
struct Compared {
    comparison: Comparison,
    before: f64,
    /// The deepest falls: page, site, and F1 before and now.
    deepest: Vec<(String, String, [f64; 2])>,
    /// How many there are.
    falls: usize,
}

impl Compared {
    /// With at most `most` falls; `None` where no page is in both.
    fn of(now: &RowScores, before: &RowScores, most: usize, sampling: Sampling) -> Option<Self> {
        let common = CommonPages::of(&[now, before]);
        if common.pages.is_empty() {
            return None;
        }
        let scores = [now, before].map(|row| common.scores(row, Part::F1));
        let paired = Paired::new(scores.into(), common.sites.clone(), sampling);
        let f1 = |place: usize| (place, [1, 0].map(|row| paired.score(row, place)));
        let mut fallen: Vec<(usize, [f64; 2])> =
            (0..common.pages.len()).map(f1).filter(|(_, f1)| depth(f1) > 0.0).collect();
        fallen.sort_by(|(_, one), (_, other)| depth(other).total_cmp(&depth(one)));
        let named =
            |&(place, f1): &(usize, [f64; 2])| (common.pages[place].clone(), common.site_names[place].to_owned(), f1);
        Some(Compared {
            comparison: paired.compare(0, 1),
            before: paired.estimate(1).point,
            deepest: fallen.iter().take(most).map(named).collect(),
            falls: fallen.len(),
        })
    }
}

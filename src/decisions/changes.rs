//! What became of a run's rows since another run under equal conditions: each row held against itself, and the pages that
//! fell most.

use rayon::prelude::*;
use serde::Serialize;

use super::compare::{Candidate, CompareError, Run, candidates};
use crate::runs::scores::{CommonPages, RowScores};
use crate::statistics::{Comparison, Correction, Estimate, Paired, Part, Sampling, Verdict};

/// What became of the rows of a dataset.
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
    let same = |row: &Candidate<'_>| before.iter().find(|other| other.row.key() == row.row.key());
    let both: Vec<_> = now.iter().filter_map(|row| Some((row, same(row)?))).collect();
    let compared = both.par_iter().map(|(row, earlier)| Compared::of(row.scores, earlier.scores, sampling));
    let compared: Vec<Option<Compared>> = compared.collect();
    let compared: Vec<_> =
        both.iter().zip(compared).filter_map(|((row, _), compared)| Some((*row, compared?))).collect();
    let p_values: Vec<f64> = compared.iter().map(|(_, compared)| compared.comparison.by_site.p).collect();
    let mut fallen = Vec::new();
    let mut rows = Vec::new();
    for ((row, compared), corrected) in compared.into_iter().zip(Correction::Holm.correct(&p_values)) {
        let Compared { comparison, before, falls } = compared;
        let wins = comparison.wins;
        fallen.extend(falls.into_iter().map(|(page, site, f1)| Fallen { page, site, row: row.name.clone(), f1 }));
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
    let depth = |fallen: &Fallen| fallen.f1[0] - fallen.f1[1];
    // Rows come in their order and pages by id, and sorting keeps the order of equal ones.
    fallen.sort_by(|one, other| depth(other).total_cmp(&depth(one)));
    let falls = fallen.len();
    fallen.truncate(most);
    let lacked = |these: &[Candidate<'_>], those: &[Candidate<'_>]| {
        let is_lacked = |row: &&Candidate<'_>| !those.iter().any(|other| other.row.key() == row.row.key());
        these.iter().filter(is_lacked).map(|row| row.name.clone()).collect()
    };
    Changes { dataset: dataset.to_owned(), rows, gone: lacked(before, now), new: lacked(now, before), fallen, falls }
}

/// A row held against itself.
struct Compared {
    comparison: Comparison,
    before: f64,
    /// Page, site, and F1 before and now.
    falls: Vec<(String, String, [f64; 2])>,
}

impl Compared {
    /// `None` where no page is in both.
    fn of(now: &RowScores, before: &RowScores, sampling: Sampling) -> Option<Self> {
        let common = CommonPages::of(&[now, before]);
        if common.pages.is_empty() {
            return None;
        }
        let scores = [now, before].map(|row| common.scores(row, Part::F1));
        let paired = Paired::new(scores.into(), common.sites.clone(), sampling);
        let fall = |place: usize| {
            let [now, before] = [0, 1].map(|row| paired.score(row, place));
            let named = (common.pages[place].clone(), common.site_names[place].to_owned(), [before, now]);
            (now < before).then_some(named)
        };
        Some(Compared {
            comparison: paired.compare(0, 1),
            before: paired.estimate(1).point,
            falls: (0..common.pages.len()).filter_map(fall).collect(),
        })
    }
}

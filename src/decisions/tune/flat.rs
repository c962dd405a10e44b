//! The flat region: the settings that are not separable from the best.

use std::collections::BTreeSet;

use serde::Serialize;

use super::folds::Sites;
use super::quality::{Quality, by_site};
use crate::runs::configuration::tuning::Objective;
use crate::runs::score_sums::ScoreSums;
use crate::runs::separation::Separation;
use crate::runs::settings::Settings;
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::{FEW_SITES, Sampling, band, resampled_figures};

/// So many settings are looked at; of more, so many evenly spread in their order, and the best.
const MOST_POINTS: usize = 500;

/// The rows of the run that settings are, and which of them are told apart in the objective, which is a mean over pages.
#[derive(Clone, Copy)]
pub struct Rows<'s> {
    /// The run's summary.
    pub summary: &'s Summary,
    /// The sums of its scores.
    pub scores: &'s ScoreSums,
    /// The separation that `carat compare` and figures use.
    pub separation: &'s Separation,
}

/// By what settings are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// The test of `carat compare` of all rows of the dataset, corrected for so many pairs.
    AllRows(usize),
    /// The same of the system's own settings: the dataset has too many rows.
    OwnRows,
    /// A simultaneous band: pieces of exact sweeps and other figures than means over pages have no such test.
    Band,
}

/// The settings that are not separable from the best.
#[derive(Clone, Debug, Serialize)]
pub struct Flat {
    /// Settings, or pieces of exact sweeps, that were looked at, the default besides.
    pub looked_at: usize,
    /// Those of them that are not separable from the best.
    pub flat: usize,
    /// Whether the default is not.
    pub holds_default: bool,
    /// By what they were told apart.
    pub test: Test,
    /// They in words; neighbours that differ in one parameter alone as one.
    pub parts: Vec<String>,
}

/// The data by which settings are told apart.
pub(super) struct Telling<'t> {
    pub(super) dataset: &'t str,
    pub(super) rows: Option<Rows<'t>>,
    pub(super) objective: &'t Objective,
    pub(super) sampling: &'t Sampling,
}

/// The flat region of the settings that keep the floor on all pages; `None` where none does.
pub(super) fn flat(
    settings: &Settings,
    sites: &Sites,
    qualities: &[Quality],
    default: Quality,
    telling: &Telling<'_>,
) -> Option<Flat> {
    let (looked_at, is_flat, test) = match telling.by_rows(settings, sites, qualities, default) {
        Some((is_flat, test)) => (keeping(qualities), is_flat, test),
        None => {
            let looked_at = looked_at(qualities);
            let is_flat = telling.by_band(settings, sites, &looked_at, default)?;
            (looked_at, is_flat, Test::Band)
        }
    };
    let flat = looked_at.iter().zip(&is_flat).filter(|(_, flat)| **flat).count();
    (!looked_at.is_empty()).then(|| Flat {
        looked_at: looked_at.len(),
        flat,
        holds_default: default.keeps_floor && is_flat.last() == Some(&true),
        test,
        parts: parts(settings, &looked_at, &is_flat),
    })
}

impl Telling<'_> {
    /// For each setting that keeps the floor, and for the default if it does, whether it is flat by the test of rows.
    fn by_rows(
        &self,
        settings: &Settings,
        sites: &Sites,
        qualities: &[Quality],
        default: Quality,
    ) -> Option<(Vec<bool>, Test)> {
        let Rows { summary, scores, separation } = self.rows?;
        if settings.rows.len() != settings.points.len() {
            return None;
        }
        let keeping = keeping(qualities).into_iter().map(|point| &settings.rows[point]);
        let names = keeping.chain(default.keeps_floor.then_some(&settings.default_row));
        let row = |name: &String| {
            let mut rows = summary.rows.iter().filter(|row| row.dataset == self.dataset);
            rows.find(|row| name_and_label(row) == *name)
        };
        let rows: Vec<&SummaryRow> = names.map(row).collect::<Option<_>>()?;
        let tested = separation.of_dataset(self.dataset).filter(|tested| !tested.is_empty());
        let test = tested.map_or(Test::OwnRows, |tested| Test::AllRows(tested.tests()));
        // No test of so few sites separates anything.
        if sites.count < FEW_SITES {
            return Some((vec![true; rows.len()], test));
        }
        match tested {
            Some(tested) => Some((tested.flat(&rows)?, test)),
            None => Some((separation.flat(&rows, scores)?.0, test)),
        }
    }

    /// The same of the settings at `looked_at` by a simultaneous band.
    fn by_band(&self, settings: &Settings, sites: &Sites, looked_at: &[usize], default: Quality) -> Option<Vec<bool>> {
        let mut rows: Vec<_> = looked_at
            .iter()
            .map(|&point| {
                let cells = sites.of_pages.iter().enumerate().map(|(page, &site)| (site, settings.cell(page, point)));
                by_site(cells, sites.count)
            })
            .collect();
        if default.keeps_floor {
            rows.push(by_site(sites.of_pages.iter().copied().zip(settings.default.iter().copied()), sites.count));
        }
        let figures = resampled_figures(&rows, &[self.objective.figure], self.sampling);
        let points: Vec<_> = figures.into_iter().flatten().collect();
        Some(band(&points, self.sampling.level)?.flat)
    }
}

/// A row's name with what tells it from others of its name, as a plan has it.
fn name_and_label(row: &SummaryRow) -> String {
    format!("{} {}", row.algorithm, row.label()).trim_end().to_owned()
}

/// The points that keep the floor.
fn keeping(qualities: &[Quality]) -> Vec<usize> {
    (0..qualities.len()).filter(|&point| qualities[point].keeps_floor).collect()
}

/// The points that a band looks at: those that keep the floor, or some of them.
fn looked_at(qualities: &[Quality]) -> Vec<usize> {
    let keeping = keeping(qualities);
    let step = keeping.len().div_ceil(MOST_POINTS).max(1);
    let best = keeping.iter().rev().max_by_key(|&&point| qualities[point]).copied();
    let spread = keeping.iter().step_by(step).copied();
    spread.chain(best).collect::<BTreeSet<usize>>().into_iter().collect()
}

/// The flat ones in words.
fn parts(settings: &Settings, looked_at: &[usize], is_flat: &[bool]) -> Vec<String> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut hangs_on = false;
    for (&point, &flat) in looked_at.iter().zip(is_flat) {
        match runs.last_mut() {
            Some((_, last)) if flat && hangs_on && settings.are_on_a_line(*last, point) => *last = point,
            _ if flat => runs.push((point, point)),
            _ => {}
        }
        hangs_on = flat;
    }
    runs.into_iter().map(|(first, last)| settings.in_words(first, last)).collect()
}

//! The flat region: the settings that are not separable from the best.

use serde::Serialize;

use super::folds::Sites;
use super::quality::{Quality, by_site};
use crate::runs::configuration::tuning::Objective;
use crate::runs::score_sums::ScoreSums;
use crate::runs::separation::Separation;
use crate::runs::settings::Settings;
use crate::runs::summary::{FLAT_SAMPLING, MOST_FLAT, Summary, SummaryRow};
use crate::statistics::{FEW_SITES, band, is_flat_at, looked_at, resampled_figures};

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
}

/// The flat region of the settings that keep the floor on all pages; `None` where none does.
pub(super) fn flat(
    settings: &Settings,
    sites: &Sites,
    qualities: &[Quality],
    default: Quality,
    telling: &Telling<'_>,
) -> Option<Flat> {
    let keeping: Vec<usize> = (0..qualities.len()).filter(|&point| qualities[point].keeps_floor).collect();
    let default = default.keeps_floor.then_some(default);
    let (told, test) = match telling.by_rows(settings, sites, &keeping, default.is_some()) {
        Some(told) => told,
        None => (by_band(settings, sites, qualities, &keeping, (default, telling.objective))?, Test::Band),
    };
    (!told.of.is_empty()).then(|| Flat {
        looked_at: told.of.len(),
        flat: told.of.iter().filter(|(_, flat)| *flat).count(),
        holds_default: told.of_default,
        test,
        parts: parts(settings, &told.of),
    })
}

/// What was looked at, and what is flat of it.
struct ToldApart {
    /// Points, each with whether it is flat.
    of: Vec<(usize, bool)>,
    /// Whether the default is flat, which keeps the floor then.
    of_default: bool,
}

impl ToldApart {
    /// Of the points `looked_at` and behind them the default, if `with_default`.
    fn new(looked_at: &[usize], is_flat: &[bool], with_default: bool) -> Self {
        ToldApart {
            of: looked_at.iter().copied().zip(is_flat.iter().copied()).collect(),
            of_default: with_default && is_flat.last() == Some(&true),
        }
    }
}

impl Telling<'_> {
    /// The settings that keep the floor, `keeping`, and the default `with_default`, by the test of rows.
    fn by_rows(
        &self,
        settings: &Settings,
        sites: &Sites,
        keeping: &[usize],
        with_default: bool,
    ) -> Option<(ToldApart, Test)> {
        let Rows { summary, scores, separation } = self.rows?;
        if settings.rows.len() != settings.points.len() {
            return None;
        }
        let names = keeping.iter().map(|&point| &settings.rows[point]);
        let names = names.chain(with_default.then_some(&settings.default_row));
        let row = |name: &String| {
            let mut rows = summary.rows.iter().filter(|row| row.dataset == self.dataset);
            rows.find(|row| name_and_label(row) == *name)
        };
        let rows: Vec<&SummaryRow> = names.map(row).collect::<Option<_>>()?;
        let tested = separation.of_dataset(self.dataset).filter(|tested| !tested.is_empty());
        let test = tested.map_or(Test::OwnRows, |tested| Test::AllRows(tested.tests()));
        let is_flat = match tested {
            // No test of so few sites separates anything.
            _ if sites.count < FEW_SITES => vec![true; rows.len()],
            Some(tested) => tested.flat(&rows)?,
            None => separation.flat(&rows, scores)?.0,
        };
        Some((ToldApart::new(keeping, &is_flat, with_default), test))
    }
}

/// The same by a simultaneous band, that of the figure of an exact sweep: the same settings are looked at, in the same draws.
fn by_band(
    settings: &Settings,
    sites: &Sites,
    qualities: &[Quality],
    keeping: &[usize],
    (default, objective): (Option<Quality>, &Objective),
) -> Option<ToldApart> {
    let figures: Vec<f64> = keeping.iter().map(|&point| qualities[point].figure as f64).collect();
    let places = looked_at(&figures, MOST_FLAT);
    let points: Vec<usize> = places.iter().map(|&place| keeping[place]).collect();
    // In an exact sweep the default is in one of the pieces. It would be one setting more that the band has to hold.
    let piece = settings.piece_of_default().and_then(|point| keeping.binary_search(&point).ok());
    let is_added = default.is_some() && piece.is_none();
    let of_point = |&point: &usize| {
        let cells = sites.of_pages.iter().enumerate().map(|(page, &site)| (site, settings.cell(page, point)));
        by_site(cells, sites.count)
    };
    let of_default = || by_site(sites.of_pages.iter().copied().zip(settings.default.iter().copied()), sites.count);
    let rows: Vec<_> = points.iter().map(of_point).chain(is_added.then(of_default)).collect();
    let drawn: Vec<_> = resampled_figures(&rows, &[objective.figure], &FLAT_SAMPLING).into_iter().flatten().collect();
    let is_flat = band(&drawn, FLAT_SAMPLING.level)?.flat;
    let told = ToldApart::new(&points, &is_flat, is_added);
    Some(match piece {
        Some(place) => ToldApart { of_default: is_flat_at(place, &places, &is_flat), ..told },
        None => told,
    })
}

/// A row's name with what tells it from others of its name, as a plan has it.
fn name_and_label(row: &SummaryRow) -> String {
    format!("{} {}", row.algorithm, row.label()).trim_end().to_owned()
}

/// The flat ones in words.
fn parts(settings: &Settings, looked_at: &[(usize, bool)]) -> Vec<String> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut hangs_on = false;
    for &(point, flat) in looked_at {
        match runs.last_mut() {
            Some((_, last)) if flat && hangs_on && settings.go_on(*last, point) => *last = point,
            _ if flat => runs.push((point, point)),
            _ => {}
        }
        hangs_on = flat;
    }
    runs.into_iter().map(|(first, last)| settings.in_words(first, last)).collect()
}

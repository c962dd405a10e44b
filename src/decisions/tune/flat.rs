//! The flat region: the settings that are not separable from the best.

use std::collections::BTreeSet;

use serde::Serialize;

use super::folds::Sites;
use super::quality::{Quality, by_site};
use crate::runs::configuration::tuning::Objective;
use crate::runs::settings::Settings;
use crate::statistics::{Sampling, band, resampled_figures};

/// So many settings are looked at; of more, so many evenly spread in their order, and the best.
const MOST_POINTS: usize = 500;

/// The settings that are not separable from the best.
#[derive(Clone, Debug, Serialize)]
pub struct Flat {
    /// Settings, or pieces of exact sweeps, that were looked at, the default besides.
    pub looked_at: usize,
    /// Those of them that are not separable from the best.
    pub flat: usize,
    /// Whether the default is not.
    pub holds_default: bool,
    /// They in words; neighbours that differ in one parameter alone as one.
    pub parts: Vec<String>,
}

/// The flat region of the settings that keep the floor on all pages, by a simultaneous band; `None` where none does.
pub(super) fn flat(
    settings: &Settings,
    sites: &Sites,
    qualities: &[Quality],
    default: Quality,
    objective: &Objective,
    sampling: &Sampling,
) -> Option<Flat> {
    let looked_at = looked_at(qualities);
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
    let figures = resampled_figures(&rows, &[objective.figure], sampling);
    let points: Vec<_> = figures.into_iter().flatten().collect();
    let is_flat = band(&points, sampling.level)?.flat;
    let flat: Vec<usize> = looked_at.iter().zip(&is_flat).filter(|(_, flat)| **flat).map(|(&point, _)| point).collect();
    Some(Flat {
        looked_at: looked_at.len(),
        flat: flat.len(),
        holds_default: default.keeps_floor && is_flat.last() == Some(&true),
        parts: parts(settings, &looked_at, &is_flat),
    })
}

/// The points that are looked at: those that keep the floor, or some of them.
fn looked_at(qualities: &[Quality]) -> Vec<usize> {
    let keeping: Vec<usize> = (0..qualities.len()).filter(|&point| qualities[point].keeps_floor).collect();
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

//! The nested protocol: chosen on the pages of some sites, judged on those of the others, fold by fold.

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::folds::Sites;
use super::named;
use super::quality::{Quality, best, qualities, quality};
use crate::runs::configuration::tuning::Objective;
use crate::runs::settings::{Cell, Settings, Taken};
use crate::statistics::fraction;

/// A fold: what was chosen without its pages, and what that comes to on them.
#[derive(Clone, Debug, Serialize)]
pub struct Fold {
    /// Its pages.
    pub pages: usize,
    /// Their sites.
    pub sites: usize,
    /// What was chosen on all other pages.
    pub chosen: Map<String, Json>,
    /// Whether anything kept the floor on them.
    pub keeps_floor: bool,
    /// The objective there.
    pub training: f64,
    /// The objective on the fold's own pages.
    pub held_out: f64,
}

/// The folds, what each page comes to under what was chosen without it, and what was taken in each fold.
pub(super) fn nested(
    settings: &Settings,
    sites: &Sites,
    fold_of_site: &[usize],
    folds: usize,
    objective: &Objective,
) -> (Vec<Fold>, Vec<Cell>, Vec<Taken>) {
    let pages = 0..sites.of_pages.len();
    let of_fold = |fold: usize| {
        let (own, others): (Vec<usize>, Vec<usize>) =
            pages.clone().partition(|&page| fold_of_site[sites.of_pages[page]] == fold);
        let qualities = qualities(settings, &others, &sites.of_pages, sites.count, objective);
        let (training, is_best) = best(&qualities);
        let taken = settings.take(&is_best);
        let cells: Vec<(usize, Cell)> = own.iter().map(|&page| (page, settings.cell(page, taken.point))).collect();
        let of_sites = cells.iter().map(|&(page, cell)| (sites.of_pages[page], cell));
        let Quality { figure, .. } = quality(of_sites, sites.count, objective);
        let fold = Fold {
            pages: own.len(),
            sites: fold_of_site.iter().filter(|of_site| **of_site == fold).count(),
            chosen: named(&settings.parameters, &taken.values),
            keeps_floor: training.keeps_floor,
            training: fraction(training.figure),
            held_out: fraction(figure),
        };
        (fold, cells, taken)
    };
    let made: Vec<_> = (0..folds).into_par_iter().map(of_fold).collect();
    let mut held_out = vec![Cell::default(); sites.of_pages.len()];
    let (mut all, mut taken) = (Vec::new(), Vec::new());
    for (fold, cells, of_fold) in made {
        cells.into_iter().for_each(|(page, cell)| held_out[page] = cell);
        all.push(fold);
        taken.push(of_fold);
    }
    (all, held_out, taken)
}

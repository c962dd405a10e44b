//! The CEVC paper's protocol (its section 3.3): the threshold is read off 20 % of the pages, drawn once, and the
//! figures that are printed are of all pages, those among them. Pages are drawn, not sites, so that most sites of the
//! other pages have been seen. Drawn many times, it shows by how much such figures are too high.

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::folds::Sites;
use super::quality::{Quality, best, qualities, quality};
use super::{Spread, named, resampled, spread};
use crate::runs::configuration::tuning::Objective;
use crate::runs::settings::{Settings, Taken};
use crate::runs::splits::drawn_pages;
use crate::statistics::{Estimate, Interval, Resampled, Sampling, fraction, percentile_interval};

/// So many of a hundred pages are drawn.
const PERCENT: u32 = 20;

/// So often it is drawn again.
const DRAWS: usize = 200;

/// What the protocol comes to.
#[derive(Clone, Debug, Serialize)]
pub struct PaperCevc {
    /// The pages that were drawn.
    pub drawn: usize,
    /// What was chosen on them.
    pub chosen: Map<String, Json>,
    /// The objective on them.
    pub on_drawn: f64,
    /// The objective on all pages: what is printed.
    pub printed: Estimate,
    /// By how much that is above the nested estimate.
    pub optimism: Estimate,
    /// How often pages were drawn, the first time included.
    pub draws: usize,
    /// How often each value was chosen.
    pub spread: Vec<Spread>,
    /// The objective on the drawn pages, over the draws.
    pub on_drawn_over_draws: OverDraws,
    /// The objective on all pages.
    pub printed_over_draws: OverDraws,
    /// The objective on the pages that were not drawn, whose sites most often have been seen; absent where every page
    /// was drawn.
    pub on_rest_over_draws: Option<OverDraws>,
}

/// A figure over many draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OverDraws {
    /// Its mean.
    pub mean: f64,
    /// Where it lies in 95 of 100 draws.
    pub interval: Interval,
}

/// One draw: what was taken, and the objective on the drawn pages, on all, and on the rest.
struct Draw {
    drawn: usize,
    taken: Taken,
    on_drawn: f64,
    printed: f64,
    on_rest: Option<f64>,
}

/// Carries the protocol out; `all` are the settings' qualities on all pages, `nested` the nested estimate's resamples.
pub(super) fn paper_cevc(
    settings: &Settings,
    sites: &Sites,
    all: &[Quality],
    nested: &Resampled,
    objective: &Objective,
    sampling: &Sampling,
) -> PaperCevc {
    let draw = |task: usize| draw(settings, sites, all, objective, sampling.seed, task);
    let draws: Vec<Draw> = (0..DRAWS).into_par_iter().map(draw).collect();
    let first = &draws[0];
    let cells = (0..sites.of_pages.len()).map(|page| settings.cell(page, first.taken.point));
    let printed = resampled(sites, cells, objective.figure, sampling);
    let over = |figure: &dyn Fn(&Draw) -> Option<f64>| over_draws(draws.iter().filter_map(figure).collect(), sampling);
    let known = |figure: &dyn Fn(&Draw) -> f64| over(&|draw| Some(figure(draw)));
    let nothing = OverDraws { mean: 0.0, interval: Interval { low: 0.0, high: 0.0 } };
    PaperCevc {
        drawn: first.drawn,
        chosen: named(&settings.parameters, &first.taken.values),
        on_drawn: first.on_drawn,
        printed: printed.estimate(),
        optimism: printed.minus(nested).estimate(),
        draws: draws.len(),
        spread: spread(settings, draws.iter().map(|draw| &draw.taken)),
        on_drawn_over_draws: known(&|draw| draw.on_drawn).unwrap_or(nothing),
        printed_over_draws: known(&|draw| draw.printed).unwrap_or(nothing),
        on_rest_over_draws: over(&|draw| draw.on_rest),
    }
}

fn draw(settings: &Settings, sites: &Sites, all: &[Quality], objective: &Objective, seed: u64, task: usize) -> Draw {
    let pages = sites.of_pages.len();
    let drawn = drawn_pages(pages, PERCENT, seed, task as u64);
    let drawn: Vec<usize> = drawn.into_iter().map(|page| page as usize).collect();
    let (on_drawn, is_best) = best(&qualities(settings, &drawn, &sites.of_pages, sites.count, objective));
    let taken = settings.take(&is_best);
    let rest = (0..pages).filter(|page| drawn.binary_search(page).is_err());
    let rest = rest.map(|page| (sites.of_pages[page], settings.cell(page, taken.point)));
    let on_rest = (drawn.len() < pages).then(|| fraction(quality(rest, sites.count, objective).figure));
    let printed = fraction(all[taken.point].figure);
    Draw { drawn: drawn.len(), on_drawn: fraction(on_drawn.figure), printed, on_rest, taken }
}

fn over_draws(mut values: Vec<f64>, sampling: &Sampling) -> Option<OverDraws> {
    values.sort_unstable_by(f64::total_cmp);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (!values.is_empty()).then(|| OverDraws { mean, interval: percentile_interval(&values, sampling.level) })
}

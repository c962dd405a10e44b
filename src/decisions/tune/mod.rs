//! Parameters chosen among the settings of a run, and what the choice is worth on pages of other sites. All of it is
//! arithmetic over [`Settings`]: nothing is extracted or scored again. `docs/methods/statistics.md` has the method.

mod flat;
mod folds;
mod nested;
mod paper_cevc;
mod quality;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value as Json};

use self::flat::Telling;
pub use self::flat::{Flat, Rows, Test};
use self::folds::Sites;
pub use self::nested::Fold;
pub use self::paper_cevc::{OverDraws, PaperCevc};
use self::quality::{Quality, best, by_site, qualities, quality};
use crate::runs::candidates::Candidate;
use crate::runs::configuration::tuning::{Objective, Protocol, TuningRequest};
use crate::runs::folder_error::FolderError;
use crate::runs::plan::Plan;
use crate::runs::settings::{Cell, Settings, Taken, TunedPage};
use crate::statistics::{Estimate, FEW_SITES, Figure, Resampled, Sampling, resampled_figures, units};

/// Why nothing can be chosen.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// A dataset that cannot be parted as it would have to be, in one sentence.
    #[error("{dataset}: {message}")]
    Dataset {
        /// The dataset's name.
        dataset: String,
        /// What is wrong.
        message: String,
    },
    /// A page list that cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// What was chosen on a dataset, and what that is worth.
#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
    /// The dataset's name.
    pub dataset: String,
    /// The pages that count in every row.
    pub pages: usize,
    /// Those of them that are of no known site, and count as one each.
    pub pages_without_site: usize,
    /// Their sites.
    pub sites: usize,
    /// Whether these are so few that intervals are narrower than they say.
    pub too_few_sites: bool,
    /// The folds that they were parted into.
    pub folds: usize,
    /// Each system, in the order of the configuration.
    pub systems: Vec<TunedSystem>,
    /// The place of the system that is best on pages not seen, the first of several: one that keeps the floor there before one
    /// that does not.
    pub best: usize,
}

/// One system of a tuning.
#[derive(Clone, Debug, Serialize)]
pub struct TunedSystem {
    /// What is said of it besides what is chosen, as on the command line.
    pub name: String,
    /// The objective on pages of sites that nothing was chosen on.
    pub unseen: Estimate,
    /// The floor's figure on them.
    pub unseen_floor: Option<Estimate>,
    /// True if that is as high as was asked for, or nothing was.
    pub floor_is_kept: bool,
    /// By how much the best system is above it.
    pub behind_best: Estimate,
    /// What was chosen; absent where nothing was to be.
    pub choice: Option<Choice>,
}

/// What was chosen for a system, and how sure that is.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    /// Settings that were tried; of an exact sweep the pieces on which nothing changes.
    pub settings: usize,
    /// What is best on all pages.
    pub chosen: Map<String, Json>,
    /// Whether that keeps the floor on them.
    pub keeps_floor: bool,
    /// The item of a configuration's `algorithms` that runs it.
    pub yaml: String,
    /// What the figures come to.
    pub advice: Advice,
    /// The item that runs what is advised: the default where that is to be kept, else what was chosen.
    pub advised: String,
    /// The objective of what is best on all pages, on all pages: what a naive choice would print.
    pub naive: Estimate,
    /// By how much that is above the figure on pages not seen.
    pub optimism: Estimate,
    /// The defaults of what is chosen.
    pub default: Map<String, Json>,
    /// The objective under them, on all pages.
    pub under_default: Estimate,
    /// Whether they keep the floor on all pages.
    pub default_keeps_floor: bool,
    /// By how much the figure on pages not seen is above that: what choosing is worth.
    pub gain: Estimate,
    /// The folds.
    pub folds: Vec<Fold>,
    /// How often each value was chosen in them.
    pub spread: Vec<Spread>,
    /// The settings that are not separable from the best; absent where none keeps the floor.
    pub flat: Option<Flat>,
    /// The CEVC paper's protocol, where it is asked for.
    pub paper_cevc: Option<PaperCevc>,
}

/// What a tuning comes to, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// Nothing keeps the floor on all pages; what comes nearest to it was chosen.
    NothingKeepsTheFloor,
    /// The default misses the floor.
    DefaultMissesTheFloor,
    /// The default is the best on all pages.
    DefaultIsBest,
    /// The gain's interval lies above zero.
    Choose,
    /// The default is not separable from the best, and the gain's interval is not above zero.
    KeepTheDefault,
    /// The default is separable from the best here, but the gain's interval is not above zero.
    BetterHereOnly,
}

impl Advice {
    /// True if nothing else is advised than the default.
    pub fn keeps_the_default(self) -> bool {
        matches!(self, Advice::DefaultIsBest | Advice::KeepTheDefault)
    }

    fn of(
        (keeps_floor, default_keeps_floor): (bool, bool),
        is_default: bool,
        gain: &Estimate,
        flat: Option<&Flat>,
    ) -> Self {
        if !keeps_floor {
            Advice::NothingKeepsTheFloor
        } else if !default_keeps_floor {
            Advice::DefaultMissesTheFloor
        } else if is_default {
            Advice::DefaultIsBest
        } else if gain.percentile.is_some_and(|gain| gain.low > 0.0) {
            Advice::Choose
        } else if flat.is_some_and(|flat| flat.holds_default) {
            Advice::KeepTheDefault
        } else {
            Advice::BetterHereOnly
        }
    }
}

/// How often each value of a parameter was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The parameter.
    pub parameter: String,
    /// Its values in order, decimals by size, each with how often it was chosen.
    pub values: Vec<(String, usize)>,
}

/// Refuses, before anything is run, datasets with too few sites for the folds.
///
/// # Errors
/// [`TuneError`].
pub fn check(plan: &Plan, request: &TuningRequest) -> Result<(), TuneError> {
    for dataset in &plan.datasets {
        let mut sites = BTreeSet::new();
        for record in dataset.records.iter() {
            let record = record.map_err(FolderError::from)?;
            if plan.configuration.scores(&record) {
                sites.insert(record.site_or_id().to_owned());
            }
        }
        folds::folds(sites.len(), request.folds).map_err(|message| refused(dataset.name(), message))?;
    }
    Ok(())
}

fn refused(dataset: &str, message: String) -> TuneError {
    TuneError::Dataset { dataset: dataset.to_owned(), message }
}

/// Chooses each system's setting on `pages` of a dataset, and says what the choice is worth. Settings that are rows of the
/// run are told apart as `rows` are.
///
/// # Errors
/// [`TuneError`]: no page, or too few sites for the folds.
pub fn tune(
    dataset: &str,
    pages: &[TunedPage],
    systems: &[(&Candidate, Settings)],
    rows: Option<Rows<'_>>,
    request: &TuningRequest,
    sampling: &Sampling,
) -> Result<Tuned, TuneError> {
    if pages.is_empty() {
        return Err(refused(dataset, "no page has a gold and was run by every system".to_owned()));
    }
    let sites = Sites::of(pages);
    let folds = folds::folds(sites.count, request.folds).map_err(|message| refused(dataset, message))?;
    let fold_of_site = sites.dealt(folds, request.seed);
    let tuning = Tuning { dataset, rows, sites, fold_of_site, folds, request, sampling };
    let outer: Vec<Outer<'_>> = systems.iter().map(|(_, settings)| tuning.outer(settings)).collect();
    let is_whole = |system: usize| systems[system].1.is_whole.contains(&true);
    let keeps = |system: usize| outer[system].keeps_floor(&request.objective);
    // As among settings, what misses the floor is judged by how far it is from it.
    let figure = |system: usize| match &outer[system].floor {
        Some(floor) if !keeps(system) => floor.point(),
        _ => outer[system].unseen.point(),
    };
    let by_figure = |one: &usize, other: &usize| {
        let figures = figure(*one).total_cmp(&figure(*other));
        is_whole(*one).cmp(&is_whole(*other)).then(keeps(*one).cmp(&keeps(*other))).then(figures)
    };
    let best = (0..outer.len()).rev().max_by(by_figure).unwrap_or_default();
    let tuned = systems.iter().zip(&outer).map(|((candidate, _), system)| TunedSystem {
        name: candidate.name.clone(),
        unseen: system.unseen.estimate(),
        unseen_floor: system.floor.as_ref().map(Resampled::estimate),
        floor_is_kept: system.keeps_floor(&request.objective),
        behind_best: outer[best].unseen.minus(&system.unseen).estimate(),
        choice: (!candidate.chosen.is_empty()).then(|| tuning.choice(candidate, system)),
    });
    Ok(Tuned {
        dataset: dataset.to_owned(),
        pages: pages.len(),
        pages_without_site: pages.iter().filter(|page| page.site == page.id).count(),
        sites: tuning.sites.count,
        too_few_sites: tuning.sites.count < FEW_SITES,
        folds,
        systems: tuned.collect(),
        best,
    })
}

/// What all systems of a dataset share.
struct Tuning<'r> {
    dataset: &'r str,
    rows: Option<Rows<'r>>,
    sites: Sites,
    fold_of_site: Vec<usize>,
    folds: usize,
    request: &'r TuningRequest,
    sampling: &'r Sampling,
}

/// A system on pages that its setting was not chosen on.
struct Outer<'s> {
    settings: &'s Settings,
    folds: Vec<Fold>,
    taken: Vec<Taken>,
    unseen: Resampled,
    floor: Option<Resampled>,
}

impl Outer<'_> {
    fn keeps_floor(&self, objective: &Objective) -> bool {
        match (&self.floor, objective.least()) {
            (Some(floor), Some((_, least))) => units(floor.point()) >= least,
            _ => true,
        }
    }
}

impl Tuning<'_> {
    fn outer<'s>(&self, settings: &'s Settings) -> Outer<'s> {
        let objective = &self.request.objective;
        let (folds, held_out, taken) = nested::nested(settings, &self.sites, &self.fold_of_site, self.folds, objective);
        let unseen = self.resampled(&held_out, objective.figure);
        let floor = objective.floor.map(|(figure, _)| self.resampled(&held_out, figure));
        Outer { settings, folds, taken, unseen, floor }
    }

    fn choice(&self, candidate: &Candidate, system: &Outer<'_>) -> Choice {
        let (objective, settings) = (&self.request.objective, system.settings);
        let pages: Vec<usize> = (0..self.sites.of_pages.len()).collect();
        let all = qualities(settings, &pages, &self.sites.of_pages, self.sites.count, objective);
        let (Quality { keeps_floor, .. }, is_best) = best(&all);
        let taken = settings.take(&is_best);
        let naive: Vec<Cell> = pages.iter().map(|&page| settings.cell(page, taken.point)).collect();
        let [naive, under_default] = [&naive, &settings.default].map(|row| self.resampled(row, objective.figure));
        let by_default = self.sites.of_pages.iter().copied().zip(settings.default.iter().copied());
        let default = quality(by_default, self.sites.count, objective);
        let gain = system.unseen.minus(&under_default).estimate();
        let telling = Telling { dataset: self.dataset, rows: self.rows, objective };
        let flat = flat::flat(settings, &self.sites, &all, default, &telling);
        let is_default = taken.values == settings.default_values;
        let advice = Advice::of((keeps_floor, default.keeps_floor), is_default, &gain, flat.as_ref());
        let advised = if advice.keeps_the_default() { &settings.default_values } else { &taken.values };
        Choice {
            advice,
            advised: candidate.to_yaml(advised),
            settings: settings.points.len(),
            chosen: named(&settings.parameters, &taken.values),
            keeps_floor,
            yaml: candidate.to_yaml(&taken.values),
            naive: naive.estimate(),
            optimism: naive.minus(&system.unseen).estimate(),
            default: named(&settings.parameters, &settings.default_values),
            under_default: under_default.estimate(),
            default_keeps_floor: default.keeps_floor,
            gain,
            folds: system.folds.clone(),
            spread: spread(settings, system.taken.iter()),
            flat,
            paper_cevc: (self.request.protocol == Protocol::PaperCevc)
                .then(|| paper_cevc::paper_cevc(settings, &self.sites, &all, &system.unseen, objective, self.sampling)),
        }
    }

    /// A figure over resampled sites, `row` being what every page comes to.
    fn resampled(&self, row: &[Cell], figure: Figure) -> Resampled {
        resampled(&self.sites, row.iter().copied(), figure, self.sampling)
    }
}

/// A figure over resampled sites, `cells` being what every page comes to.
fn resampled(sites: &Sites, cells: impl Iterator<Item = Cell>, figure: Figure, sampling: &Sampling) -> Resampled {
    let row = by_site(sites.of_pages.iter().copied().zip(cells), sites.count);
    resampled_figures(&[row], &[figure], sampling).remove(0).remove(0)
}

fn named(parameters: &[String], values: &[String]) -> Map<String, Json> {
    parameters.iter().cloned().zip(values.iter().map(|value| Json::from(value.as_str()))).collect()
}

/// How often each value of each parameter was taken.
fn spread<'t>(settings: &Settings, taken: impl Iterator<Item = &'t Taken> + Clone) -> Vec<Spread> {
    let of = |(place, parameter): (usize, &String)| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        taken.clone().for_each(|taken| *counts.entry(&taken.values[place]).or_default() += 1);
        let mut values: Vec<(String, usize)> =
            counts.into_iter().map(|(value, count)| (value.to_owned(), count)).collect();
        let size = |value: &str| value.parse().unwrap_or(f64::INFINITY);
        values.sort_by(|one, other| size(&one.0).total_cmp(&size(&other.0)));
        Spread { parameter: parameter.clone(), values }
    };
    settings.parameters.iter().enumerate().map(of).collect()
}

//! Exact sweeps on one page: each choice is scored as it is made, and let go.

use super::others::{MadeSoFar, Members};
use super::scorer::Scorer;
use super::{RowOutcome, RowResult, Unit, guarded};
use crate::algorithms::algorithm::{Choice, Sample};
use crate::page::Page;
use crate::runs::sweep::{Scored, Step, steps};
use crate::runs::system::ExactSweep;

/// An exact sweep on one page, by each measure of the run.
pub(super) struct Swept(Vec<ByMeasure>);

/// An exact sweep by one measure.
#[derive(Default)]
struct ByMeasure {
    samples: Vec<Scored>,
    /// The first of its choices with the highest F1.
    best: Option<(RowResult, Choice)>,
}

impl Swept {
    /// The page's curve by the measure at a place.
    pub(super) fn steps(&self, measure: usize) -> Vec<Step> {
        self.0.get(measure).map(|by| steps(&by.samples)).unwrap_or_default()
    }

    /// The first of the choices with the highest F1 by the measure at a place.
    pub(super) fn best(&self, measure: usize) -> Option<&(RowResult, Choice)> {
        self.0.get(measure)?.best.as_ref()
    }
}

impl Unit<'_> {
    /// The exact sweep at `place` on the page, or why its algorithm failed; `None` where a member of an ensemble was not run
    /// on the page.
    pub(super) fn sweep(
        &self,
        (place, sweep): (usize, &ExactSweep),
        page: &Page,
        members: &Members,
        scorer: &mut Scorer<'_>,
    ) -> Option<Result<Swept, String>> {
        let mut sweeping = Sweeping { page, scorer, by_measure: Vec::new() };
        let mut take = |sample: Sample| sweeping.take(sample);
        let others = MadeSoFar { unit: self, members };
        let on = self.on_page(Some(page), None, None, &others);
        let swept = guarded(|| self.ready.sweep((place, sweep), &on, &mut take));
        let Sweeping { by_measure, .. } = sweeping;
        let swept = swept.unwrap_or_else(|panic| Some(Err(panic)))?;
        Some(swept.map(|()| Swept(by_measure)))
    }
}

/// An exact sweep while it goes on.
struct Sweeping<'s, 'p> {
    page: &'s Page,
    scorer: &'s mut Scorer<'p>,
    by_measure: Vec<ByMeasure>,
}

impl Sweeping<'_, '_> {
    fn take(&mut self, Sample { at, between, choice }: Sample) -> Result<(), String> {
        let outcomes = self.scorer.score(&choice, self.page);
        self.by_measure.resize_with(outcomes.len(), ByMeasure::default);
        for (by, outcome) in self.by_measure.iter_mut().zip(outcomes) {
            let RowOutcome::Scored(result) = outcome else {
                return Err("there is too much text to align it with the page's".to_owned());
            };
            let score = result.score();
            by.samples.push(Scored { at, between, score });
            if by.best.as_ref().is_none_or(|(best, _)| best.score().f1 < score.f1) {
                by.best = Some((result, choice.clone()));
            }
        }
        Ok(())
    }
}

//! Exact sweeps on one page: each choice is scored as it is made, and let go.

use super::others::{MadeSoFar, Members};
use super::scorer::Scorer;
use super::{RowOutcome, RowResult, Unit, guarded};
use crate::algorithms::algorithm::{Choice, Sample};
use crate::page::Page;
use crate::runs::sweep::{Scored, Step, steps};
use crate::runs::system::ExactSweep;

/// An exact sweep on one page.
pub(super) struct Swept {
    pub(super) steps: Vec<Step>,
    /// The first of its choices with the highest F1.
    pub(super) best: Option<(RowResult, Choice)>,
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
        let mut sweeping = Sweeping { page, scorer, samples: Vec::new(), best: None };
        let mut take = |sample: Sample| sweeping.take(sample);
        let others = MadeSoFar { unit: self, members };
        let on = self.on_page(Some(page), None, None, &others);
        let swept = guarded(|| self.ready.sweep((place, sweep), &on, &mut take));
        let Sweeping { samples, best, .. } = sweeping;
        let swept = swept.unwrap_or_else(|panic| Some(Err(panic)))?;
        Some(swept.map(|()| Swept { steps: steps(&samples), best }))
    }
}

/// An exact sweep while it goes on.
struct Sweeping<'s, 'p> {
    page: &'s Page,
    scorer: &'s mut Scorer<'p>,
    samples: Vec<Scored>,
    best: Option<(RowResult, Choice)>,
}

impl Sweeping<'_, '_> {
    fn take(&mut self, Sample { at, between, choice }: Sample) -> Result<(), String> {
        let RowOutcome::Scored(result) = self.scorer.score(&choice, self.page) else {
            return Err("there is too much text to align it with the page's".to_owned());
        };
        let score = result.counts.score();
        self.samples.push(Scored { at, between, score });
        if self.best.as_ref().is_none_or(|(best, _)| best.counts.score().f1 < score.f1) {
            self.best = Some((result, choice));
        }
        Ok(())
    }
}

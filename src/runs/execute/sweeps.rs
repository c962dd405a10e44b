//! Exact sweeps on one page: each choice is scored as it is made, and let go.

use super::others::Members;
use super::scorer::Scorer;
use super::{RowOutcome, RowResult, Unit, guarded};
use crate::algorithms::Entry;
use crate::algorithms::algorithm::{Choice, Sample};
use crate::page::Page;
use crate::runs::rows::{ExactSweep, System};
use crate::runs::sweep::{Scored, Step, steps};

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
        let swept = guarded(|| match &sweep.row.system {
            System::Algorithm { algorithm: Entry::Page(algorithm), setting } => {
                Some(algorithm.sweep(page, setting, &sweep.parameter, &mut take))
            }
            System::Algorithm { algorithm: Entry::Group(_), setting } => {
                let swept = (place, setting, sweep.parameter.as_str());
                Some(self.groups.sweep(swept, (self.index, self.record), page, &mut take))
            }
            System::Ensemble(ensemble) => ensemble.sweep(page, &|place| self.member(members, place), &mut take),
            System::Stored(_) | System::External(_) | System::Learned(_) | System::Bound(_) => {
                Some(Err(format!("no break points of {} are known", sweep.row.name())))
            }
        });
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

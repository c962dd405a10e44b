//! The systems of a plan, ready to run on the pages of a dataset.

use crate::algorithms::algorithm::{Choice, TakeSample};
use crate::datasets::{Dataset, Halt};
use crate::page::Page;
use crate::runs::guarding::IsStopped;
use crate::runs::kind::{OnPage, Prepared, Preparing};
use crate::runs::kinds::KINDS;
use crate::runs::plan::Plan;
use crate::runs::system::{ExactSweep, Row};

/// Every kind with its systems made ready.
pub(super) struct Ready<'p> {
    /// In the order of [`KINDS`].
    pub(super) kinds: Vec<Box<dyn Prepared + 'p>>,
    /// The place among them of each system's kind, and of each exact sweep's.
    systems: Vec<Option<usize>>,
    sweeps: Vec<Option<usize>>,
}

impl<'p> Ready<'p> {
    /// Makes the systems of `plan` ready for `dataset`: what learns does so here.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn new(plan: &'p Plan, dataset: &'p Dataset, is_stopped: IsStopped<'p>) -> Result<Self, Halt> {
        let kind_of = |row: &Row| KINDS.iter().position(|kind| kind.makes(row));
        let systems: Vec<Option<usize>> = plan.systems().map(kind_of).collect();
        let sweeps: Vec<Option<usize>> = plan.sweeps.iter().map(|sweep| kind_of(&sweep.row)).collect();
        let prepare = |number: usize| {
            let own = |kinds: &[Option<usize>], place: usize| kinds[place] == Some(number);
            KINDS[number].prepare(Preparing {
                rows: plan.systems().enumerate().filter(|&(place, _)| own(&systems, place)).collect(),
                sweeps: plan.sweeps.iter().enumerate().filter(|&(place, _)| own(&sweeps, place)).collect(),
                dataset,
                is_stopped,
            })
        };
        let kinds = (0..KINDS.len()).map(prepare).collect::<Result<_, _>>()?;
        Ok(Ready { kinds, systems, sweeps })
    }

    /// As [`Prepared::choose`].
    pub(super) fn choose(&self, place: usize, on: &OnPage<'_>, left: &Page) -> Result<Choice, String> {
        let kind = self.systems[place].ok_or("no kind of system stands there")?;
        self.kinds[kind].choose(place, on, left)
    }

    /// As [`Prepared::sweep`].
    pub(super) fn sweep(
        &self,
        (place, sweep): (usize, &ExactSweep),
        on: &OnPage<'_>,
        take: TakeSample<'_>,
    ) -> Option<Result<(), String>> {
        self.kinds[self.sweeps[place]?].sweep((place, sweep), on, take)
    }
}

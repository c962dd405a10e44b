//! The rows that are made of others: what ensembles ask of their members, and what bounds are the best of.

use std::collections::BTreeMap;

use super::scorer::Scorer;
use super::sweeps::Swept;
use super::{RowOutcome, Texts, Unit};
use crate::algorithms::algorithm::Choice;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::guarding::guarded;
use crate::runs::kind::{Extraction, OnPage, Others};
use crate::runs::node_tokens::on_nodes;
use crate::runs::system::{BestOf, Place};

/// What the members of a run's ensembles choose on a page, put on its text nodes, by their place among the plan's systems;
/// nothing of one that was not run there.
pub(super) type Members = BTreeMap<usize, Result<Selection, String>>;

/// An extraction on the page's text nodes; `None` where it was not run.
pub(super) fn member(extraction: &Extraction, page: &Page) -> Option<Result<Selection, String>> {
    let choice = match extraction {
        Extraction::Chosen(choice) => choice.clone(),
        Extraction::Text(written) => Choice::Text(written.text.clone()),
        Extraction::Failed(reason) | Extraction::TimedOut(reason) => return Some(Err(reason.clone())),
        Extraction::NotRun => return None,
    };
    Some(guarded(|| on_nodes(choice, page)).and_then(|selection| selection))
}

/// What systems have made of a unit's page so far.
pub(super) struct MadeSoFar<'u> {
    pub(super) unit: &'u Unit<'u>,
    pub(super) members: &'u Members,
}

impl Others for MadeSoFar<'_> {
    fn on_nodes(&self, place: Place) -> Option<&Result<Selection, String>> {
        self.members.get(&self.unit.plan.index(place))
    }

    fn choose(&self, place: Place, left: &Page) -> Result<Choice, String> {
        let on: OnPage<'_> = self.unit.on_page(None, None, None, self);
        self.unit.ready.choose(self.unit.plan.index(place), &on, left)
    }
}

impl Unit<'_> {
    /// What the bounds come to that are the best of other rows, whether the page could be opened or not: of equal ones the
    /// first.
    pub(super) fn best_of_rows(&self, outcomes: &mut [RowOutcome]) {
        let f1 = |outcome: &RowOutcome| match outcome {
            RowOutcome::Scored(result) => Some(result.score().f1),
            // What the gold lacks, and the extraction with it, is best left out.
            RowOutcome::Without => Some(u64::MAX),
            RowOutcome::Failed(_) | RowOutcome::TimedOut(_) | RowOutcome::NotRun | RowOutcome::Unfit(_) => None,
        };
        for (place, row) in self.plan.rows.iter().enumerate() {
            let BestOf::Systems(places) = row.system.best_of() else { continue };
            let all = places.iter().map(|place| &outcomes[self.plan.index(*place)]);
            if let Some(best) = all.reduce(|best, next| if f1(next) > f1(best) { next } else { best }).cloned() {
                outcomes[place] = best;
            }
        }
    }

    /// What the bounds of exact sweeps come to.
    pub(super) fn best_of_sweeps(
        &self,
        (swept, measure): (&[Option<Result<Swept, String>>], usize),
        page: &Page,
        rows: &mut [RowOutcome],
        texts: &mut Texts,
        scorer: &mut Scorer<'_>,
    ) {
        for (row, outcome) in self.plan.rows.iter().zip(rows) {
            let BestOf::Sweep(place) = row.system.best_of() else { continue };
            match swept.get(place).map(Option::as_ref) {
                Some(Some(Ok(swept))) => {
                    let Some((result, choice)) = swept.best(measure) else { continue };
                    texts.extractions.entry(result.text.clone()).or_insert_with(|| choice.text(page));
                    *outcome = RowOutcome::Scored(result.clone());
                }
                Some(Some(Err(reason))) => *outcome = scorer.failed(reason.clone()).swap_remove(measure),
                _ => {}
            }
        }
    }
}

//! The rows that are made of others, or of the gold: ensembles and bounds.

use std::collections::BTreeMap;

use super::scorer::Scorer;
use super::sweeps::Swept;
use super::{RowOutcome, RowResult, Texts, Unit, guarded};
use crate::algorithms::algorithm::Choice;
use crate::datasets::node_tokens::{NodeTokens, char_tokens};
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::bounds::Kind;
use crate::runs::doors::external::Extraction;
use crate::runs::ensembles::MemberChoices;
use crate::runs::node_tokens::{NodePlaces, on_nodes};
use crate::runs::rows::{Place, System};
use crate::scoring::TooLarge;

/// What the members of a run's ensembles choose on a page, put on its text nodes, by their place among the plan's systems;
/// `None` for one that was not run there.
pub(super) type Members = BTreeMap<usize, Option<Result<Selection, String>>>;

impl Unit<'_> {
    /// What the members of ensembles choose, where `choices` are those of carat's own systems.
    pub(super) fn members(&self, page: &Page, choices: &[(usize, Result<Choice, String>)]) -> Members {
        let mut members = Members::new();
        for (place, _) in self.plan.ensembles().flat_map(|ensemble| &ensemble.members) {
            let index = self.plan.index(*place);
            members.entry(index).or_insert_with(|| {
                let chosen = choices.iter().find(|(place, _)| *place == index).map(|(_, choice)| choice.clone());
                // Of the plan's own row: external programs were asked after the ensemble had its copy.
                let of_another = || match self.extraction(self.plan.system(index)) {
                    Extraction::Text(text) => Some(Ok(Choice::Text(text))),
                    Extraction::Failed(reason) | Extraction::TimedOut(reason) => Some(Err(reason)),
                    Extraction::NotRun => None,
                };
                let choice = chosen.or_else(of_another)?;
                Some(choice.and_then(|choice| guarded(|| on_nodes(choice, page))?))
            });
        }
        members
    }

    /// What one of them chooses.
    pub(super) fn member<'m>(&self, members: &'m Members, place: Place) -> Option<&'m Result<Selection, String>> {
        members.get(&self.plan.index(place))?.as_ref()
    }

    /// Combines the choices of members into those of ensembles.
    pub(super) fn combine(&self, page: &Page, members: &Members, outcomes: &mut [RowOutcome], scorer: &mut Scorer<'_>) {
        let members = MemberChoices {
            known: &|place| self.member(members, place),
            on: &|place, page| self.choice(self.plan.index(place), page),
        };
        for (place, row) in self.plan.rows.iter().enumerate() {
            let System::Ensemble(ensemble) = &row.system else { continue };
            outcomes[place] = match guarded(|| ensemble.choose(page, &members)) {
                Ok(None) => RowOutcome::NotRun,
                Ok(Some(Ok(combined))) => match scorer.score(&combined.choice, page) {
                    RowOutcome::Scored(result) => {
                        RowOutcome::Scored(RowResult { degraded: combined.degraded, ..result })
                    }
                    other => other,
                },
                Ok(Some(Err(reason))) | Err(reason) => scorer.failed(reason),
            };
        }
    }

    /// What the bounds come to that are the best of other rows, whether the page could be opened or not.
    pub(super) fn best_of_rows(&self, outcomes: &mut [RowOutcome]) {
        for (place, row) in self.plan.rows.iter().enumerate() {
            let System::Bound(bound) = &row.system else { continue };
            if let Some(best) = bound.best_of(|place| &outcomes[self.plan.index(place)]).cloned() {
                outcomes[place] = best;
            }
        }
    }

    /// What the bounds come to that choose on the page; those of exact sweeps are still open.
    pub(super) fn bounds(&self, page: &Page, gold: &str, outcomes: &mut [RowOutcome], scorer: &mut Scorer<'_>) {
        let mut tokens = None;
        for (place, row) in self.plan.rows.iter().enumerate() {
            let System::Bound(bound) = &row.system else { continue };
            if bound.is_of_rows() {
                continue;
            }
            let (text, gold) = tokens.get_or_insert_with(|| match scorer.target.node_tokens() {
                Some(gold) => (page.view::<NodePlaces>().all(), gold.to_vec()),
                None => (page.view::<NodeTokens>(), char_tokens(gold)),
            });
            outcomes[place] = match guarded(|| bound.choose(page, text, gold)) {
                Ok(None | Some(Err(TooLarge))) => RowOutcome::NotRun,
                Ok(Some(Ok(selection))) => scorer.score(&Choice::Selection(selection), page),
                Err(reason) => scorer.failed(reason),
            };
        }
    }

    /// What the bounds of exact sweeps come to.
    pub(super) fn best_of_sweeps(
        &self,
        swept: &[Option<Result<Swept, String>>],
        page: &Page,
        rows: &mut [RowOutcome],
        texts: &mut Texts,
        scorer: &Scorer<'_>,
    ) {
        for (row, outcome) in self.plan.rows.iter().zip(rows) {
            let System::Bound(bound) = &row.system else { continue };
            let Kind::Exact(place) = bound.kind else { continue };
            match swept.get(place).map(Option::as_ref) {
                Some(Some(Ok(Swept { best: Some((result, choice)), .. }))) => {
                    texts.extractions.entry(result.text.clone()).or_insert_with(|| choice.text(page));
                    *outcome = RowOutcome::Scored(result.clone());
                }
                Some(Some(Err(reason))) => *outcome = scorer.failed(reason.clone()),
                _ => {}
            }
        }
    }
}

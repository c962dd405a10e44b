//! Why rules, a learned template or a classifier of blocks chose what they chose of a page: learned as in a run, but for
//! that page alone.

use std::collections::BTreeSet;

use super::fiasco::{self, BlockModels, TrainingBlocks};
use super::links::LinkModels;
use super::wrapper::PageTemplate;
use super::{Kind, Learned};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::explanation::Explanation;
use crate::algorithms::value::Value;
use crate::datasets::{Dataset, DatasetError};
use crate::page::Page;
use crate::runs::execute::IsStopped;

/// A page is explained while its user waits, and no longer.
const NEVER_STOPPED: IsStopped<'static> = &|| false;

/// A choice, the numbers behind it, and what would be chosen at other values of a parameter.
pub struct LearnedExplanation {
    /// The choice.
    pub choice: Choice,
    /// The numbers behind it.
    pub explanation: Explanation,
    /// A parameter, and the choice at each of its values, where it has one that is worth moving.
    pub sweep: Option<(&'static str, Vec<(Value, Choice)>)>,
}

impl Learned {
    /// What is chosen of `page`, which stands at `index` in `dataset`, and why; `None` where there is nothing to learn
    /// from.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed.
    pub fn explain(
        &self,
        dataset: &Dataset,
        index: usize,
        page: &Page,
    ) -> Result<Option<LearnedExplanation>, DatasetError> {
        let record = dataset.records.get(index)?;
        let without_sweep = |(choice, explanation)| Some(LearnedExplanation { choice, explanation, sweep: None });
        match &self.kind {
            Kind::Rules(rules) => Ok(without_sweep(rules.explain(&record, page))),
            Kind::Templates(parameters, fallback) => {
                let template = PageTemplate::learn(dataset, index, parameters)?;
                Ok(without_sweep(template.explain(page, fallback)))
            }
            Kind::Blocks(parameters, trained_on) => {
                let training = match trained_on {
                    Some(trained_on) => TrainingBlocks::of(&trained_on.datasets().collect::<Vec<_>>(), NEVER_STOPPED)?,
                    None => TrainingBlocks::of(&[dataset], NEVER_STOPPED)?,
                };
                let site = BTreeSet::from([record.site_or_id().to_owned()]);
                let models = BlockModels::learn_for(&training, &site, parameters.fitting(), NEVER_STOPPED)?;
                let named = trained_on.as_deref().map(|trained_on| trained_on.named.as_str());
                let explained = models.explain(&record, page, parameters.clean, named);
                let Some((choice, explanation)) = explained else { return Ok(None) };
                let steps = fiasco::values_around(parameters.clean).into_iter();
                let steps = steps.filter_map(|clean| Some((clean, models.choose(&record, page, clean)?)));
                Ok(Some(LearnedExplanation { choice, explanation, sweep: Some(("clean", steps.collect())) }))
            }
            Kind::Links(parameters) => {
                let site = BTreeSet::from([record.site_or_id().to_owned()]);
                let models = LinkModels::learn_for(dataset, &site, parameters, NEVER_STOPPED)?;
                Ok(models.explain(&record, page, parameters).and_then(without_sweep))
            }
        }
    }
}

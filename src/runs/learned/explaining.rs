//! Why rules, a learned template or a classifier of blocks chose what they chose of a page: learned as in a run, but for
//! that page alone.

use std::collections::BTreeSet;

use super::fiasco::{self, BlockModels, TrainingBlocks};
use super::links::LinkModels;
use super::wrapper::PageTemplate;
use super::{Learned, Method};
use crate::datasets::{Dataset, Halt};
use crate::page::Page;
use crate::runs::explaining::Told;
use crate::runs::guarding::IsStopped;

/// A page is explained while its user waits, and no longer.
const NEVER_STOPPED: IsStopped<'static> = &|| false;

impl Learned {
    /// What is chosen of `page`, which stands at `index` in `dataset`, and why; `None` where there is nothing to learn
    /// from.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed.
    pub(super) fn explain_on(&self, dataset: &Dataset, index: usize, page: &Page) -> Result<Option<Told>, Halt> {
        let record = dataset.records.get(index)?;
        match &self.method {
            Method::Rules(rules) => Ok(Some(Told::new(rules.explain(&record, page)))),
            Method::Templates(parameters, fallback) => {
                let template = PageTemplate::learn(dataset, index, parameters)?;
                Ok(Some(Told::new(template.explain(page, fallback))))
            }
            Method::Blocks(parameters, trained_on) => {
                let training = match trained_on {
                    Some(trained_on) => TrainingBlocks::of(&trained_on.datasets().collect::<Vec<_>>(), NEVER_STOPPED)?,
                    None => TrainingBlocks::of(&[dataset], NEVER_STOPPED)?,
                };
                let site = BTreeSet::from([record.site_or_id().to_owned()]);
                let models = BlockModels::learn_for(&training, &site, parameters.fitting(), NEVER_STOPPED)?;
                let named = trained_on.as_deref().map(|trained_on| trained_on.named.as_str());
                let explained = models.explain(&record, page, parameters.clean, named);
                let Some(explained) = explained else { return Ok(None) };
                let steps = fiasco::values_around(parameters.clean).into_iter();
                let steps = steps.filter_map(|clean| Some((clean, models.choose(&record, page, clean)?)));
                Ok(Some(Told { sweep: Some(("clean", steps.collect())), ..Told::new(explained) }))
            }
            Method::Links(parameters) => {
                let site = BTreeSet::from([record.site_or_id().to_owned()]);
                let models = LinkModels::learn_for(dataset, &site, parameters, NEVER_STOPPED)?;
                Ok(models.explain(&record, page, parameters).map(Told::new))
            }
        }
    }
}

//! What rows have learned of a dataset, once for all that learn the same.

use std::sync::Arc;

use super::fiasco::{BlockModels, TrainingBlocks};
use super::links::LinkModels;
use super::training::Fitting;
use super::wrapper::{Fallback, LearningParameters, PageTemplates, Rules};
use super::{Learned, Method};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::link_noise::LinkNoiseParameters;
use crate::algorithms::parameters::{Values, as_values};
use crate::algorithms::value::Value;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::page::Page;
use crate::runs::guarding::{IsStopped, guarded};
use crate::runs::kind::{Extraction, OnPage, Prepared, Preparing, RowExtraction};
use crate::runs::row_outcome::RulesUsed;

/// The rows of this kind of a plan, with what they have learned of a dataset.
pub(super) struct Trained<'p> {
    rows: Vec<(usize, Knowledge<'p>)>,
}

enum Knowledge<'p> {
    Rules(&'p Rules),
    Templates(Arc<PageTemplates>, &'p Fallback),
    Blocks(Arc<BlockModels>, Value),
    Links(Arc<LinkModels>, &'p LinkNoiseParameters),
}

impl<'p> Trained<'p> {
    /// Lets the rows learn from the dataset; rows that learn the same do so once.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn learn(own: &Preparing<'p>) -> Result<Self, Halt> {
        let &Preparing { dataset, is_stopped, .. } = own;
        let learned = own.rows.iter().filter_map(|&(place, row)| Some((place, &row.of::<Learned>()?.method)));
        let learned: Vec<(usize, &'p Method)> = learned.collect();
        let templates = templates_by_setting(&learned, dataset, is_stopped)?;
        let mut blocks: Known<Option<&str>, TrainingBlocks> = Vec::new();
        let mut links: Known<Value, LinkModels> = Vec::new();
        let mut models: Known<(Option<&str>, Fitting), BlockModels> = Vec::new();
        let mut rows = Vec::new();
        for (place, method) in learned {
            let knowledge = match method {
                Method::Rules(rules) => Knowledge::Rules(rules),
                Method::Templates(parameters, fallback) => {
                    let setting = as_values(parameters);
                    let Some((_, learnt)) = templates.iter().find(|(known, _)| *known == setting) else { continue };
                    Knowledge::Templates(learnt.clone(), fallback)
                }
                Method::Blocks(parameters, trained_on) => {
                    let from = trained_on.as_deref().map(|trained_on| trained_on.named.as_str());
                    let pages = known_or(&mut blocks, from, || match trained_on {
                        Some(trained_on) => TrainingBlocks::of(&trained_on.datasets().collect::<Vec<_>>(), is_stopped),
                        None => TrainingBlocks::of(&[dataset], is_stopped),
                    })?;
                    let fitting = parameters.fitting();
                    let learn = || BlockModels::learn(&pages, dataset, fitting, is_stopped);
                    Knowledge::Blocks(known_or(&mut models, (from, fitting), learn)?, parameters.clean)
                }
                Method::Links(parameters) => {
                    let learn = || LinkModels::learn(dataset, parameters, is_stopped);
                    Knowledge::Links(known_or(&mut links, parameters.short, learn)?, parameters)
                }
            };
            rows.push((place, knowledge));
        }
        Ok(Trained { rows })
    }
}

impl Prepared for Trained<'_> {
    /// Nothing is there of a row that could learn nothing for the page.
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let Some(page) = on.page else { return Ok(Vec::new()) };
        let extraction =
            |(place, knowledge): &(usize, Knowledge<'_>)| match guarded(|| knowledge.choose(on.index, on.record, page))
            {
                Ok(chosen) => chosen.map(|(choice, rules)| RowExtraction {
                    rules,
                    ..RowExtraction::new(*place, Extraction::Chosen(choice))
                }),
                Err(reason) => Some(RowExtraction::new(*place, Extraction::Failed(reason))),
            };
        Ok(self.rows.iter().filter_map(extraction).collect())
    }
}

/// What was learned, by what it depends on.
type Known<K, T> = Vec<(K, Arc<T>)>;

/// The templates of each distinct setting among `rows`, learned together: of all settings the pages are read once.
fn templates_by_setting(
    rows: &[(usize, &Method)],
    dataset: &Dataset,
    is_stopped: IsStopped<'_>,
) -> Result<Known<Values, PageTemplates>, Halt> {
    let (mut keys, mut settings): (Vec<Values>, Vec<LearningParameters>) = Default::default();
    for (_, method) in rows {
        let Method::Templates(parameters, _) = method else { continue };
        let key = as_values(parameters);
        if !keys.contains(&key) {
            keys.push(key);
            settings.push(*parameters);
        }
    }
    if settings.is_empty() {
        return Ok(Vec::new());
    }
    let learnt = PageTemplates::learn(dataset, &settings, is_stopped)?;
    Ok(keys.into_iter().zip(learnt.into_iter().map(Arc::new)).collect())
}

/// What was learned for the same key, or is learned now.
fn known_or<K: PartialEq, T>(
    known: &mut Known<K, T>,
    key: K,
    learn: impl FnOnce() -> Result<T, Halt>,
) -> Result<Arc<T>, Halt> {
    if let Some((_, learnt)) = known.iter().find(|(other, _)| *other == key) {
        return Ok(learnt.clone());
    }
    let learnt = Arc::new(learn()?);
    known.push((key, learnt.clone()));
    Ok(learnt)
}

impl Knowledge<'_> {
    /// The choice, and of rules what decided it; `None` where there was nothing to learn from.
    fn choose(&self, index: usize, record: &Record, page: &Page) -> Option<(Choice, Option<RulesUsed>)> {
        let with_rules = |(choice, used): (Choice, RulesUsed)| (choice, Some(used));
        match self {
            Knowledge::Rules(rules) => Some(with_rules(rules.choose(record, page))),
            Knowledge::Templates(templates, fallback) => Some(with_rules(templates.choose(index, page, fallback))),
            Knowledge::Links(models, parameters) => {
                models.choose(record, page, parameters).map(|choice| (choice, None))
            }
            Knowledge::Blocks(models, clean) => models.choose(record, page, *clean).map(|choice| (choice, None)),
        }
    }
}

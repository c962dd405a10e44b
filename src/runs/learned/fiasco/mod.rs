//! `fiasco-lite`: a classifier of leaf blocks, learned from the gold of other sites.
//!
//! Templates specification, section 8, after FIASCO (Bauer and others, 2007): without key words, part-of-speech tags and
//! visual features, and with logistic regression in place of a support vector machine.

mod blocks;
mod logistic;

use std::collections::BTreeMap;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::blocks::{Blocks, FEATURES};
use self::logistic::{Example, Model};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::leaf_blocks::LeafBlock;
use crate::algorithms::features::visible::VisibleText;
use crate::algorithms::value::{Value, billionths};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};
use crate::page::Page;
use crate::runs::execute::guarded;
use crate::runs::node_tokens::{NodeTokens, char_tokens};
use crate::scoring::alignment::matched;

/// Parameters of `fiasco-lite`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FiascoParameters {
    /// how likely a block must be content to be chosen
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub clean: Value,
    /// how much large coefficients cost (the ridge penalty)
    #[schemars(extend("from" = "0.001", "to" = "1000"))]
    pub l2: Value,
}

impl Default for FiascoParameters {
    fn default() -> Self {
        FiascoParameters { clean: Value::hundredths(50), l2: Value::ONE }
    }
}

/// For each site of a dataset what was learned from the others.
pub(super) struct SiteModels(BTreeMap<String, Model>);

/// The blocks of a page with gold.
struct TrainingPage {
    features: Vec<[f64; FEATURES]>,
    is_clean: Vec<bool>,
    weights: Vec<f64>,
}

impl TrainingPage {
    /// `None` for a page without gold, one that cannot be opened, and one whose gold is too long to be aligned.
    fn of(dataset: &Dataset, record: &Record) -> Option<Self> {
        record.gold.as_ref()?;
        guarded(|| TrainingPage::of_gold(dataset, record)).ok().flatten()
    }

    fn of_gold(dataset: &Dataset, record: &Record) -> Option<Self> {
        let opened = dataset.open(record).ok()?;
        let (page, gold) = (opened.page, opened.gold?);
        let (blocks, tokens) = (page.view::<Blocks>(), page.view::<NodeTokens>());
        let matched = matched(&tokens.tokens, &char_tokens(&gold)).ok()?;
        let is_clean = |LeafBlock { texts, .. }: &LeafBlock| {
            let of_block = &matched[tokens.ranges[texts.start].start..tokens.ranges[texts.end - 1].end];
            let count = of_block.iter().filter(|matched| **matched).count();
            count > 0 && 2 * count >= of_block.len()
        };
        Some(TrainingPage {
            is_clean: blocks.leaves.blocks.iter().map(is_clean).collect(),
            weights: blocks.chars.iter().map(|&chars| libm::log(1.0 + f64::from(chars))).collect(),
            features: blocks.features.clone(),
        })
    }

    fn examples(&self) -> impl Iterator<Item = Example<'_>> {
        let labels = self.is_clean.iter().zip(&self.weights);
        self.features.iter().zip(labels).map(|(features, (&is_clean, &weight))| Example { features, is_clean, weight })
    }
}

impl SiteModels {
    /// Learns a model for each site of `dataset` from the pages of all others. Some 200 bytes a block are held meanwhile.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed.
    pub(super) fn learn(dataset: &Dataset, parameters: &FiascoParameters) -> Result<Self, DatasetError> {
        let pages: Vec<(String, Option<TrainingPage>)> = dataset
            .records
            .par_iter()
            .map(|record| record.map(|record| (record.site_or_id().to_owned(), TrainingPage::of(dataset, &record))))
            .collect::<Result<_, _>>()?;
        let mut sites: Vec<&String> = pages.iter().map(|(site, _)| site).collect();
        sites.sort_unstable();
        sites.dedup();
        let l2 = parameters.l2.to_f64();
        let model = |site: &String| {
            let others = || pages.iter().filter(|(other, _)| other != site);
            let examples = || others().filter_map(|(_, page)| page.as_ref()).flat_map(TrainingPage::examples);
            Some((site.clone(), Model::learn(examples, l2)?))
        };
        Ok(SiteModels(sites.into_par_iter().filter_map(model).collect()))
    }

    /// The text nodes of the blocks that are likely enough content; `None` where there was no other site to learn from.
    pub(super) fn choose(&self, record: &Record, page: &Page, clean: Value) -> Option<Choice> {
        let model = self.0.get(record.site_or_id())?;
        let (blocks, text) = (page.view::<Blocks>(), page.view::<VisibleText>());
        let is_clean = |features: &[f64; FEATURES]| {
            clean.compare_ratio(billionths(model.probability(features)), 1_000_000_000).is_ge()
        };
        let chosen = blocks.leaves.blocks.iter().zip(&blocks.features).filter(|(_, features)| is_clean(features));
        Some(chosen.flat_map(|(block, _)| text.nodes[block.texts.clone()].iter().copied()).collect())
    }
}

//! `fiasco-lite`: a classifier of leaf blocks, learned from the gold of other sites.
//!
//! After FIASCO (Bauer and others, 2007): without key words, part-of-speech tags and
//! visual features.

mod blocks;
mod explaining;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::blocks::{Blocks, FEATURES, OWN, with_neighbours};
pub(super) use self::explaining::values_around;
use super::training::{DEFAULT_FOLDS, Fitting, SiteModels, TrainingPage, TrainingSet};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::leaf_blocks::LeafBlock;
use crate::algorithms::features::visible::VisibleText;
use crate::algorithms::parameters::check_whole;
use crate::algorithms::value::{Value, billionths};
use crate::datasets::manifest::Record;
use crate::datasets::node_tokens::{NodeTokens, char_tokens};
use crate::datasets::{Dataset, Halt};
use crate::page::Page;
use crate::runs::guarding::IsStopped;
use crate::scoring::alignment::matched;
use crate::statistics::linear::{Example, Loss};

/// Parameters of `fiasco-lite`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FiascoParameters {
    /// how likely a block must be content to be chosen; a margin m of `svm_linear` stands for (1 + m)/2, so that 0.5 is the
    /// margin 0
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub clean: Value,
    /// what is learned: `logistic` regression, or a linear support vector machine (`svm_linear`, squared hinge)
    pub model: Classifier,
    /// how much large coefficients cost (the ridge penalty)
    #[schemars(extend("from" = "0.001", "to" = "1000"))]
    pub l2: Value,
    /// of so many parts of the sites, in order of name, one is left out each time; a site alone where there are not more
    /// sites, and `inf` for always, which takes time
    #[schemars(extend("from" = "2"))]
    pub folds: Value,
}

/// What tells content from noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words are explained at the field")]
pub enum Classifier {
    Logistic,
    SvmLinear,
}

impl Default for FiascoParameters {
    fn default() -> Self {
        FiascoParameters {
            clean: Value::hundredths(50),
            model: Classifier::Logistic,
            l2: Value::ONE,
            folds: Value::decimal(DEFAULT_FOLDS as u64, 0),
        }
    }
}

impl FiascoParameters {
    /// Refuses counts that are not whole.
    ///
    /// # Errors
    /// A sentence that names the parameter.
    pub(super) fn check(&self) -> Result<(), String> {
        check_whole("folds", self.folds)
    }

    /// How its models are learned.
    pub(super) fn fitting(&self) -> Fitting {
        let loss = match self.model {
            Classifier::Logistic => Loss::Logistic,
            Classifier::SvmLinear => Loss::SquaredHinge,
        };
        let folds = usize::try_from(self.folds.whole()).unwrap_or(usize::MAX);
        Fitting { loss, l2: self.l2.to_f64(), folds }
    }
}

/// The numbers of a block, and the constant.
const COEFFICIENTS: usize = FEATURES + 1;

/// For each site of a dataset what was learned from the others.
pub(super) type BlockModels = SiteModels;

/// The pages that blocks are learned from.
pub(super) type TrainingBlocks = TrainingSet<PageBlocks>;

/// The blocks of a page with gold: 64 bytes each, as many pages are held at a time.
pub(super) struct PageBlocks {
    own: Vec<[f32; OWN]>,
    is_clean: Vec<bool>,
}

impl PageBlocks {
    /// `None` for a page that cannot be opened, and one whose gold is too long to be aligned.
    fn of(dataset: &Dataset, record: &Record) -> Option<Self> {
        let opened = dataset.open(record).ok()?;
        let (page, gold) = (opened.page, opened.gold?);
        let (blocks, tokens) = (page.view::<Blocks>(), page.view::<NodeTokens>());
        let matched = matched(&tokens.tokens, &char_tokens(&gold)).ok()?;
        let is_clean = |LeafBlock { texts, .. }: &LeafBlock| {
            let of_block = &matched[tokens.ranges[texts.start].start..tokens.ranges[texts.end - 1].end];
            let count = of_block.iter().filter(|matched| **matched).count();
            count > 0 && 2 * count >= of_block.len()
        };
        Some(PageBlocks {
            is_clean: blocks.leaves.blocks.iter().map(is_clean).collect(),
            own: blocks.own.iter().map(|own| own.map(|value| value as f32)).collect(),
        })
    }
}

impl TrainingPage for PageBlocks {
    fn examples(&self, each: &mut dyn FnMut(Example<'_>)) {
        for (place, &is_positive) in self.is_clean.iter().enumerate() {
            let row = row(&self.own, place);
            // The first number of a block is ln(1 + c).
            each(Example { row: &row, is_positive, weight: row[0] });
        }
    }
}

/// The numbers of the block at `place`, given those of each block itself, and a 1.
fn row<T: Copy + Into<f64>>(own: &[[T; OWN]], place: usize) -> [f64; COEFFICIENTS] {
    let mut row = [1.0; COEFFICIENTS];
    row[..FEATURES].copy_from_slice(&with_neighbours(own, place));
    row
}

impl TrainingBlocks {
    /// The blocks of the pages of `datasets` that have gold.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn of(datasets: &[&Dataset], is_stopped: IsStopped<'_>) -> Result<Self, Halt> {
        TrainingSet::read(datasets, PageBlocks::of, is_stopped)
    }
}

impl BlockModels {
    /// How likely each block of a page is content; `None` where there was no other site to learn from.
    pub(super) fn probabilities(&self, record: &Record, page: &Page) -> Option<Vec<f64>> {
        let (model, blocks) = (self.of(record.site_or_id())?, page.view::<Blocks>());
        Some((0..blocks.own.len()).map(|place| model.probability(&row(&blocks.own, place))).collect())
    }

    /// The text nodes of the blocks that are likely enough content; `None` where there was no other site to learn from.
    pub(super) fn choose(&self, record: &Record, page: &Page, clean: Value) -> Option<Choice> {
        let (blocks, text) = (page.view::<Blocks>(), page.view::<VisibleText>());
        let probabilities = self.probabilities(record, page)?;
        let is_clean = |probability: f64| clean.compare_ratio(billionths(probability), 1_000_000_000).is_ge();
        let chosen = blocks.leaves.blocks.iter().zip(probabilities).filter(|(_, probability)| is_clean(*probability));
        Some(chosen.flat_map(|(block, _)| text.nodes[block.texts.clone()].iter().copied()).collect())
    }
}

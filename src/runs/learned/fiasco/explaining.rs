//! Why blocks of a page are content: how likely each is, and the numbers that say so.

use super::BlockModels;
use super::blocks::Blocks;
use crate::algorithms::algorithm::Choice;
use crate::algorithms::explanation::{Explanation, Figure, Judged, Number, Verdict};
use crate::algorithms::features::visible::VisibleText;
use crate::algorithms::value::{Value, billionths};
use crate::datasets::manifest::Record;
use crate::page::Page;
use crate::page::selection::Selection;

/// What the numbers of a block itself are, in their order; those of its neighbours stand beside these.
const NAMES: [&str; 15] = [
    "ln(1 + characters)",
    "share of links",
    "share of punctuation",
    "ln(1 + punctuation)",
    "share of digits",
    "share of special characters",
    "text nodes / 10",
    "depth / 20",
    "share of the page before it",
    "is p",
    "in a heading",
    "in li",
    "in td",
    "in form",
    "share of the page",
];

/// The values of `clean` whose choices are told, that of the row among them.
pub(in crate::runs::learned) fn values_around(clean: Value) -> Vec<Value> {
    let mut values: Vec<Value> = (1..10).map(|tenths| Value::decimal(tenths, 1)).chain([clean]).collect();
    values.sort_unstable();
    values.dedup();
    values
}

impl BlockModels {
    /// The choice on a page and each block's numbers, learned from the datasets `named`, or else from the page's own; `None` where there was no other site to learn from.
    pub(in crate::runs::learned) fn explain(
        &self,
        record: &Record,
        page: &Page,
        clean: Value,
        named: Option<&str>,
    ) -> Option<(Choice, Explanation)> {
        let probabilities = self.probabilities(record, page)?;
        let (blocks, text) = (page.view::<Blocks>(), page.view::<VisibleText>());
        let (mut chosen, mut nodes) = (Vec::new(), Vec::new());
        for ((block, features), probability) in blocks.leaves.blocks.iter().zip(&blocks.own).zip(probabilities) {
            let likely = billionths(probability);
            let is_clean = clean.compare_ratio(likely, 1_000_000_000).is_ge();
            let verdict = if is_clean { Verdict::Chosen } else { Verdict::Dropped };
            let mut figures = vec![Figure::new("how likely it is content", Number::Value(Value::decimal(likely, 9)))];
            let own = NAMES.iter().zip(features);
            figures.extend(own.map(|(name, value)| Figure::new(name, Number::Text(format!("{value:.4}")))));
            let (first, rest) = text.nodes[block.texts.clone()].split_first()?;
            let compared = if is_clean { "reaches" } else { "is below" };
            let reason = format!("its block {compared} clean {clean}");
            nodes.push(Judged::outside(*first, figures).decided(verdict, reason));
            let of_same = |&id| Judged::outside(id, Vec::new()).decided(verdict, "of the same block");
            nodes.extend(rest.iter().map(of_same));
            if is_clean {
                chosen.extend_from_slice(&text.nodes[block.texts.clone()]);
            }
        }
        let of = named.map_or(String::new(), |named| format!("{named}: "));
        let learned_from = format!("the blocks of {of}{}", self.learned_from(record.site_or_id()));
        let figures = vec![
            Figure::count("blocks", blocks.leaves.blocks.len() as u64),
            Figure::new("how likely content must be (clean)", Number::Value(clean)),
            Figure::new("learned from", Number::Text(learned_from)),
        ];
        Some((Choice::Selection(Selection::new(chosen)), Explanation { figures, lists: Vec::new(), nodes }))
    }
}

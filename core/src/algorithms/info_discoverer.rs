//! InfoDiscoverer: keeps the blocks whose words are not spread evenly over the pages of a site.
//!
//! This is made from the abstract and from a summary of the journal version. The entropy of a word over the pages of
//! the group is low if the word is on few of them. The entropy of a block is the mean over its distinct words.

use std::sync::Arc;

use html5ever::local_name;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, Number, Verdict};
use super::features::groups::{Group, Groups};
use super::features::spread::{Spread, counts};
use super::features::visible::VisibleText;
use super::features::vocabulary::Vocabulary;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::value::{Value, billionths};
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};
use crate::text::tokens::each_word;
use crate::text::words::Segmenter;

/// Content by the entropy of words over the pages of a site.
pub(super) struct InfoDiscoverer;

/// Parameters of `info-discoverer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InfoDiscovererParameters {
    /// what the mean entropy of a block's words must be below for it to stay
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub entropy: Value,
    /// which elements are blocks: `table_div` still works where nothing is laid out in tables
    pub block_tags: BlockTags,
    /// what the entropy is compared with: `auto`, as the paper says, is 0.1, 0.2 and so on, the first step at which the
    /// pages keep something and from which the next one adds nothing; `entropy` is then not read
    pub threshold: Threshold,
    /// over which pages words are counted: those of the site, or of the cluster that `istm` puts the page in
    pub group: Group,
}

impl Default for InfoDiscovererParameters {
    fn default() -> Self {
        InfoDiscovererParameters {
            entropy: Value::hundredths(60),
            block_tags: BlockTags::Table,
            threshold: Threshold::Fixed,
            group: Group::Site,
        }
    }
}

/// Which elements are blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum BlockTags {
    Table,
    TableDiv,
}

impl BlockTags {
    fn has(self, tree: &Tree, id: NodeId) -> bool {
        match *tree.name(id) {
            local_name!("table") => true,
            local_name!("div") => self == BlockTags::TableDiv,
            _ => false,
        }
    }
}

/// What a block's entropy is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Threshold {
    Fixed,
    Auto,
}

const PAGE_1: &str =
    "<body><table><tr><td>Home News</td></tr></table><table><tr><td>Cats sleep</td></tr></table></body>";
const PAGE_2: &str =
    "<body><table><tr><td>Home News</td></tr></table><table><tr><td>Cats bark</td></tr></table></body>";
const PAGE_DIVS: &str = "<body><div>Home News<div>Cats sleep</div></div>Why<table><tr><td>?</td></tr></table></body>";
const PAGE_DIVS_2: &str = "<body><div>Home News<div>Cats bark</div></div>Why not</body>";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, PAGE_1, parameters, expected).beside(siblings).in_language("en")
}

const fn divs(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE_DIVS, parameters, expected).beside(&[PAGE_DIVS_2]).in_language("en")
}

impl GroupAlgorithm for InfoDiscoverer {
    type Parameters = InfoDiscovererParameters;
    type Learned = Groups<Words>;
    type Prepared<'p> = Prepared;
    const DECLARATION: Declaration = Declaration {
        name: "info-discoverer",
        title: "keeps the blocks whose words are spread least evenly over the pages of the site",
        source: "S.-H. Lin and J.-M. Ho, Discovering informative content blocks from web documents, 2002: reconstructed \
                 from its abstract and a summary of the journal version; the fixed threshold is ours",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(nodes + words); of a group two sums a word; every page is parsed once more, twice for `threshold=auto`",
        swept: &[Swept::exact("entropy", "0.4..0.9/0.05")],
        // Home, News and Cats are on both pages, once each: entropy 1; sleep on one: 0. The blocks have 1 and 1/2. Divs: the
        // body has Why, on both pages: 1; the table no word: 1.
        examples: &[
            example("1 and 1/2", &[PAGE_2], "", "Cats sleep"),
            example("1/2 is not below 1/2", &[PAGE_2], "entropy=0.5", ""),
            example("nor 1 below 1", &[PAGE_2], "entropy=1", "Cats sleep"),
            example("0.6 is the first step that keeps something", &[PAGE_2], "threshold=auto,entropy=0", "Cats sleep"),
            example("on a page without others no word is spread", &[], "entropy=0.01", "Home News\nCats sleep"),
            divs("Divs: all text outside the table is one block, of 4/5", "entropy=0.81", "Home News\nCats sleep\nWhy"),
            divs("Divs: a div without those in it is a block too", "block_tags=table_div", "Cats sleep"),
            divs("Divs: a block without words is spread like any", "block_tags=table_div,entropy=1", "Cats sleep"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut InfoDiscovererParameters, name: &str) -> Option<&'p mut Value> {
        (name == "entropy").then_some(&mut parameters.entropy)
    }

    fn scope(parameters: &InfoDiscovererParameters) -> Scope {
        parameters.group.scope()
    }

    fn learn(&self, pages: &dyn Pages, parameters: &InfoDiscovererParameters) -> Result<Groups<Words>, String> {
        Groups::learn(pages, parameters.group, |pages| Words::learn(pages, parameters))
    }

    fn is_alone(&self, learned: &Groups<Words>, index: usize, _: &InfoDiscovererParameters) -> bool {
        learned.is_alone(index)
    }

    fn prepare(&self, learned: &Groups<Words>, target: Target<'_>, parameters: &InfoDiscovererParameters) -> Prepared {
        let words = learned.of(target.index);
        let blocks = Blocks::new(target.page, parameters.block_tags, words);
        Prepared { text: target.page.view::<VisibleText>(), blocks, threshold: words.threshold }
    }

    fn choose(&self, prepared: &mut Prepared, parameters: &InfoDiscovererParameters) -> Result<Choice, String> {
        let threshold = prepared.threshold(parameters);
        let stays = |&block: &usize| prepared.blocks.blocks[block].entropy < threshold;
        Ok(prepared.text.chosen(prepared.blocks.of_text.iter().map(stays)).collect())
    }

    fn break_points(
        &self,
        prepared: &mut Prepared,
        _: &InfoDiscovererParameters,
        _: &str,
    ) -> Result<Vec<Value>, String> {
        Ok(prepared.blocks.blocks.iter().map(|block| block.entropy).collect())
    }

    fn explain(&self, prepared: &mut Prepared, parameters: &InfoDiscovererParameters) -> Result<Explanation, String> {
        let threshold = prepared.threshold(parameters);
        let judged = |(&id, &block): (&NodeId, &usize)| {
            let Block { words, entropy } = &prepared.blocks.blocks[block];
            let figures = vec![
                Figure::count("distinct words of its block", words.len() as u64),
                Figure::new("their mean entropy", Number::Value(*entropy)),
            ];
            match *entropy < threshold {
                true => Judged::outside(id, figures).decided(Verdict::Chosen, "its block's entropy is low"),
                false => Judged::outside(id, figures).decided(Verdict::Dropped, "its block's entropy is not low"),
            }
        };
        let nodes = prepared.text.nodes.iter().zip(&prepared.blocks.of_text).map(judged).collect();
        let figures = vec![Figure::new("what the entropy must be below", Number::Value(threshold))];
        Ok(Explanation { figures, nodes, ..Explanation::default() })
    }
}

/// A page in blocks.
pub(super) struct Prepared {
    text: Arc<VisibleText>,
    blocks: Blocks,
    /// What was learnt, for `threshold=auto`.
    threshold: Option<Value>,
}

impl Prepared {
    fn threshold(&self, parameters: &InfoDiscovererParameters) -> Value {
        self.threshold.unwrap_or(parameters.entropy)
    }
}

/// What is known of the words of a group of pages.
#[derive(Default)]
pub(super) struct Words {
    /// The entropy of each word that stands on several pages; 0 for any other.
    entropies: FxHashMap<Box<str>, f64>,
    /// For `threshold=auto`.
    threshold: Option<Value>,
}

impl Words {
    fn learn(pages: &dyn Pages, parameters: &InfoDiscovererParameters) -> Self {
        let (mut vocabulary, mut spreads, mut count) = (Vocabulary::default(), Vec::new(), 0);
        pages.for_each(|_, page| {
            let (text, segmenter) = (page.view::<VisibleText>(), Segmenter::default());
            let words = text.nodes.iter().flat_map(|&id| vocabulary.words(page.tree.text(id), &segmenter));
            for (word, times) in counts(words.collect()) {
                let word = word as usize;
                spreads.resize(spreads.len().max(word + 1), Spread::default());
                spreads[word].add(times);
            }
            count += 1;
        });
        let spread = vocabulary.into_words().map(|(word, number)| (word, spreads[number as usize]));
        let entropies = spread.filter(|(_, spread)| spread.pages() > 1);
        let entropies = entropies.map(|(word, spread)| (word, spread.entropy(count))).collect();
        let words = Words { entropies, threshold: None };
        match parameters.threshold {
            Threshold::Fixed => words,
            Threshold::Auto => Words { threshold: Some(words.first_plateau(pages, parameters.block_tags)), ..words },
        }
    }

    /// The paper's threshold: the first tenth at which a block is kept and from which the next adds no feature.
    fn first_plateau(&self, pages: &dyn Pages, block_tags: BlockTags) -> Value {
        let tenths: Vec<Value> = (1..=11).map(|tenths| Value::decimal(tenths, 1)).collect();
        let mut features = vec![0; tenths.len()];
        pages.for_each(|_, page| {
            for block in Blocks::new(page, block_tags, self).blocks {
                let kept = tenths.iter().zip(&mut features).filter(|&(&tenth, _)| block.entropy < tenth);
                kept.for_each(|(_, features)| *features += block.words.len());
            }
        });
        let is_flat = |place: &usize| features[*place] > 0 && features[*place] == features[place + 1];
        (0..10).find(is_flat).map_or(Value::ONE, |place| tenths[place])
    }
}

/// A block of a page.
struct Block {
    /// Its distinct words, by number.
    words: Vec<u32>,
    /// The mean over its words, in steps of 1e-9; 1 without any.
    entropy: Value,
}

/// The blocks of a page.
struct Blocks {
    blocks: Vec<Block>,
    /// The block of each visible text, in order.
    of_text: Vec<usize>,
}

impl Blocks {
    fn new(page: &Page, block_tags: BlockTags, words: &Words) -> Self {
        let (text, segmenter) = (page.view::<VisibleText>(), Segmenter::default());
        let of_text = of_text(page, block_tags);
        let count = of_text.iter().max().map_or(0, |&last| last + 1);
        let mut in_block = vec![Vec::new(); count];
        let (mut vocabulary, mut entropies) = (Vocabulary::default(), Vec::new());
        for (&id, &block) in text.nodes.iter().zip(&of_text) {
            each_word(page.tree.text(id), &segmenter, |word| {
                let number = vocabulary.number(word);
                if number as usize == entropies.len() {
                    entropies.push(words.entropies.get(word).copied().unwrap_or_default());
                }
                in_block[block].push(number);
            });
        }
        let blocks = in_block.into_iter().map(|numbers| {
            let words: Vec<u32> = counts(numbers).into_iter().map(|(word, _)| word).collect();
            let sum: f64 = words.iter().map(|&word| entropies[word as usize]).sum();
            let mean = if words.is_empty() { 1.0 } else { sum / words.len() as f64 };
            Block { words, entropy: Value::decimal(billionths(mean), 9) }
        });
        Blocks { blocks: blocks.collect(), of_text }
    }
}

/// The number of the block of each visible text, in order; a block has a number once it has text.
fn of_text(page: &Page, block_tags: BlockTags) -> Vec<usize> {
    let (tree, text) = (&page.tree, page.view::<VisibleText>());
    // The nearest block element of each node, by its position.
    let mut nearest: Vec<NodeId> = Vec::with_capacity(tree.len());
    for id in tree.ids() {
        let above = tree.parent(id).map_or(NodeId::DOCUMENT, |parent| nearest[parent.index()]);
        nearest.push(if tree.is_element(id) && block_tags.has(tree, id) { id } else { above });
    }
    let mut numbers: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut number = |&id: &NodeId| {
        let next = numbers.len();
        *numbers.entry(nearest[id.index()]).or_insert(next)
    };
    text.nodes.iter().map(&mut number).collect()
}

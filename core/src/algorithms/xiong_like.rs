//! Deletes blocks of a page that the most similar page of its site has at a similar place with a similar text.
//!
//! The paper is known only from one sentence in ISTM: the similarity of tags is combined with that of texts. This is a
//! variant.

use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, Number, Verdict};
use super::features::groups::Group;
use super::features::leaf_blocks::{LeafBlock, LeafBlocks};
use super::features::outline::{Children, Outline};
use super::features::paths::{TagPaths, shared};
use super::features::references::{Neighbours, ReferenceBy};
use super::features::visible::VisibleText;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::parameters::check_whole;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::NodeId;
use crate::text::is_white_space;

/// Deletion of blocks by the similarity of their tags and texts.
pub(super) struct XiongLike;

/// Parameters of `xiong-like`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct XiongLikeParameters {
    /// the least similarity at which a block goes
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub drop: Value,
    /// what the similarity of tags weighs; that of texts weighs the rest
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub lambda: Value,
    /// which pages may be the reference: those of the site, or of the cluster that `istm` puts the page in
    pub group: Group,
    /// how many pages after the page, in the dataset's order, may be the reference, whole; `inf` for all
    #[schemars(extend("from" = "1"))]
    pub candidates: Value,
}

impl Default for XiongLikeParameters {
    fn default() -> Self {
        XiongLikeParameters {
            drop: Value::hundredths(80),
            lambda: Value::hundredths(30),
            group: Group::Site,
            candidates: Value::INFINITY,
        }
    }
}

const PAGE_1: &str = "<body><div><a href=/>Home</a></div><p>Cats sleep all day</p></body>";
const PAGE_2: &str = "<body><div><a href=/>Home</a></div><p>Cats bark</p></body>";
const PAGE_DEEP: &str = "<body>a<div><ul><li>a b<br>c<b>d</b></li></ul></div><p>x</p></body>";
const PAGE_DEEP_2: &str = "<body><div>abd</div><div>cd a</div><p>y</p></body>";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, PAGE_1, parameters, expected).beside(siblings)
}

const fn deep(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE_DEEP, parameters, expected).beside(&[PAGE_DEEP_2])
}

impl GroupAlgorithm for XiongLike {
    type Parameters = XiongLikeParameters;
    type Learned = Neighbours;
    type Prepared<'p> = Prepared<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "xiong-like",
        title: "drops the blocks that the page of the site with the most similar layout has with similar tags and text",
        source: "after Xiong, Zhang and Lin (2010), of which ISTM says one sentence: a variant; weights and thresholds are \
                 ours",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes) per page and its reference, and O(bigrams) per pair of their blocks with equal tag paths, of which no \
               more are compared on a page than 2^26 bigrams make: behind them a block has what was found; O(distinct tag \
               paths) a pair of pages of a site; every page is parsed once more, and its reference is",
        swept: &[Swept::exact("drop", "0.4..1/0.05")],
        // Home is in both: 1. Cats sleep all day has 14 bigrams, Cats bark 7, of which Ca, at, ts are common: 6/21, and
        // 0.3 + 0.7 * 2/7 = 0.5. Deep: a's path leads to blocks, but none stands there; of li's html, body, div, ul and li the
        // first three do; x and y have their path in common alone.
        examples: &[
            example("Home is the same, the paragraph is similar to 0.5", &[PAGE_2], "", "Cats sleep all day"),
            example("at 0.5 it goes", &[PAGE_2], "drop=0.5", ""),
            example("and above it stays", &[PAGE_2], "drop=0.51", "Cats sleep all day"),
            example(
                "at 1 with 0.2 for tags: what is the same still goes",
                &[PAGE_2],
                "drop=1,lambda=0.2",
                "Cats sleep all day",
            ),
            example("a page without others is kept whole", &[], "drop=0", "Home\nCats sleep all day"),
            deep("Deep: no text is similar", "", "a\na b\ncd\nx"),
            deep("Deep: at 0.3 equal paths are enough", "drop=0.3", "a b\ncd"),
            deep("Deep: of li's path 3 of 5 tags lead to a block", "drop=0.6,lambda=1", ""),
            deep("Deep: and no more", "drop=0.61,lambda=1", "a b\ncd"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut XiongLikeParameters, name: &str) -> Option<&'p mut Value> {
        (name == "drop").then_some(&mut parameters.drop)
    }

    fn check(parameters: &XiongLikeParameters) -> Result<(), String> {
        check_whole("candidates", parameters.candidates)
    }

    fn scope(parameters: &XiongLikeParameters) -> Scope {
        parameters.group.scope()
    }

    fn learn(&self, pages: &dyn Pages, parameters: &XiongLikeParameters) -> Result<Neighbours, String> {
        Neighbours::learn(pages, parameters.group)
    }

    fn is_alone(&self, learned: &Neighbours, index: usize, _: &XiongLikeParameters) -> bool {
        learned.is_alone(index)
    }

    fn prepare<'p>(
        &self,
        learned: &'p Neighbours,
        target: Target<'p>,
        parameters: &XiongLikeParameters,
    ) -> Prepared<'p> {
        let nearest = learned.nearest(target.index, ReferenceBy::Path, parameters.candidates);
        Prepared { target, reference: nearest.map(|nearest| nearest.page()), lambda: parameters.lambda, scores: None }
    }

    fn choose(&self, prepared: &mut Prepared<'_>, parameters: &XiongLikeParameters) -> Result<Choice, String> {
        let page = prepared.target.page;
        let (text, blocks) = (page.view::<VisibleText>(), page.view::<LeafBlocks>());
        let Some(scores) = prepared.scores()? else { return Ok(text.nodes.iter().copied().collect()) };
        let kept = blocks.blocks.iter().zip(scores).filter(|(_, score)| !score.reaches(parameters.drop));
        Ok(kept.flat_map(|(block, _)| &text.nodes[block.texts.clone()]).copied().collect())
    }

    fn break_points(
        &self,
        prepared: &mut Prepared<'_>,
        _: &XiongLikeParameters,
        _: &str,
    ) -> Result<Vec<Value>, String> {
        let too_fine = || "a score of lambda's digits is no ratio of 63 bits; give a grid".to_owned();
        let scores = prepared.scores()?.unwrap_or_default();
        scores.iter().map(|score| score.value().ok_or_else(too_fine)).collect()
    }

    fn explain(&self, prepared: &mut Prepared<'_>, parameters: &XiongLikeParameters) -> Result<Explanation, String> {
        let figure = match prepared.reference {
            Some(page) => Figure::new("reference", Number::Page(page)),
            None => Figure::word("reference", "none: the page is alone"),
        };
        let page = prepared.target.page;
        let (text, blocks) = (page.view::<VisibleText>(), page.view::<LeafBlocks>());
        let mut nodes = Vec::new();
        for (block, score) in blocks.blocks.iter().zip(prepared.scores()?.unwrap_or_default()) {
            nodes.extend(text.nodes[block.texts.clone()].iter().map(|&id| score.judged(id, parameters.drop)));
        }
        Ok(Explanation { figures: vec![figure], nodes, ..Explanation::default() })
    }
}

/// A page with its reference.
pub(super) struct Prepared<'p> {
    target: Target<'p>,
    /// `None` for a page without others.
    reference: Option<usize>,
    lambda: Value,
    /// The score of each leaf block, once they were asked for.
    scores: Option<Vec<Score>>,
}

impl Prepared<'_> {
    /// The score of each leaf block; `None` without a reference.
    fn scores(&mut self) -> Result<Option<&[Score]>, String> {
        let Some(reference) = self.reference else { return Ok(None) };
        if self.scores.is_none() {
            let reference = self.target.beside(reference)?;
            self.scores = Some(scores(self.target.page, &reference, self.lambda));
        }
        Ok(self.scores.as_deref())
    }
}

/// How similar a block is to those of the reference.
struct Score {
    /// What the similarity of tags weighs.
    lambda: Value,
    /// Tags of its path that lead to a block, of all; fewer than 2^16.
    tags: (u64, u64),
    /// Dice coefficient of its text; below 2^34.
    text: (u64, u64),
}

impl Score {
    /// `lambda * tags + (1 - lambda) * text`, exactly: numerator and denominator.
    fn fraction(&self) -> (u128, u128) {
        let (lambda, whole) = self.lambda.fraction();
        let product = |factors: [u64; 3]| factors.into_iter().map(u128::from).product::<u128>();
        let tags = product([lambda, self.tags.0, self.text.1]);
        let text = product([whole - lambda, self.tags.1, self.text.0]);
        (tags + text, product([whole, self.tags.1, self.text.1]))
    }

    /// The same in lowest terms; `None` where these have more than 63 bits, so that one between two of them has 64.
    fn value(&self) -> Option<Value> {
        let (numerator, denominator) = self.fraction();
        let (mut divisor, mut rest) = (denominator, numerator);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        let in_lowest_terms = |part: u128| u64::try_from(part / divisor).ok().filter(|part| part >> 63 == 0);
        Some(Value::ratio(in_lowest_terms(numerator)?, in_lowest_terms(denominator)?))
    }

    /// Why a text of the block stays or goes.
    fn judged(&self, id: NodeId, drop: Value) -> Judged {
        let figures = vec![
            Figure::ratio("tags of its path that lead to a block", self.tags.0, self.tags.1),
            Figure::ratio("similarity of its text", self.text.0, self.text.1),
        ];
        match self.reaches(drop) {
            true => Judged::outside(id, figures).decided(Verdict::Dropped, "the reference has a similar block"),
            false => Judged::outside(id, figures).decided(Verdict::Chosen, "the reference has no block as similar"),
        }
    }

    /// Whether it is `threshold` or more: both are taken apart into whole numbers and rests, as products would not fit.
    fn reaches(&self, threshold: Value) -> bool {
        let (numerator, denominator) = threshold.fraction();
        let (mut one, mut other) = (self.fraction(), (numerator.into(), denominator.into()));
        let mut greater = Ordering::Greater;
        loop {
            let (whole, other_whole): (u128, u128) = (one.0 / one.1, other.0 / other.1);
            let (rest, other_rest): (u128, u128) = (one.0 % one.1, other.0 % other.1);
            match (whole.cmp(&other_whole), rest, other_rest) {
                (Ordering::Equal, 0, 0) => return true,
                (Ordering::Equal, 0, _) => return greater == Ordering::Less,
                (Ordering::Equal, _, 0) => return greater == Ordering::Greater,
                (Ordering::Equal, _, _) => (one, other) = ((one.1, rest), (other.1, other_rest)),
                (order, _, _) => return order == greater,
            }
            // The greater rest has the smaller reciprocal.
            greater = greater.reverse();
        }
    }
}

/// The score of each leaf block of a page beside its reference.
fn scores(page: &Page, reference: &Page, lambda: Value) -> Vec<Score> {
    let mut paths = TagPaths::default();
    let mut known = Known::new(reference, &mut paths);
    let (text, blocks) = (page.view::<VisibleText>(), page.view::<LeafBlocks>());
    let places = Places::new(page, &mut paths);
    // How many tags of each element's path lead to a block of the reference, html's included.
    let mut leading: Vec<u64> = Vec::with_capacity(places.levels.len());
    for (number, path) in places.paths.iter().enumerate() {
        let above = leading.get(places.outline.parents[number] as usize).copied().unwrap_or_default();
        leading.push(if known.leading.contains(path) { places.levels[number] } else { above });
    }
    let score = |block: &LeafBlock| {
        let number = places.number(block.element);
        let bigrams = bigrams(page, &text.nodes[block.texts.clone()]);
        let similarity = known.similarity(places.paths[number], &bigrams);
        Score { lambda, tags: (leading[number], places.levels[number]), text: similarity }
    };
    blocks.blocks.iter().map(score).collect()
}

/// The elements of a page's body with their tag paths.
struct Places {
    outline: Outline,
    paths: Vec<u32>,
    /// The length of each path; that of the body is 2, for html is above it.
    levels: Vec<u64>,
}

impl Places {
    /// Of a page with a body that has text.
    fn new(page: &Page, paths: &mut TagPaths) -> Self {
        let body = page.tree.body().unwrap_or(NodeId::DOCUMENT);
        let outline = Outline::new(&page.tree, body, Children::VisibleElements);
        let paths = paths.of(&page.tree, &outline);
        let mut levels: Vec<u64> = Vec::with_capacity(paths.len());
        for &parent in &outline.parents {
            levels.push(levels.get(parent as usize).map_or(2, |above| above + 1));
        }
        Places { outline, paths, levels }
    }

    /// The number of an element.
    fn number(&self, element: NodeId) -> usize {
        self.outline.nodes.partition_point(|&id| id < element)
    }
}

/// The blocks of a reference.
struct Known {
    /// The bigrams of the distinct texts of blocks by tag path, in the order of their number and then of bigrams.
    texts: FxHashMap<u32, Vec<Vec<u64>>>,
    /// The tag paths of blocks and of the elements around them.
    leading: FxHashSet<u32>,
    /// How many bigrams may still be compared.
    budget: usize,
}

/// More bigrams are not compared on a page: what is alike in all pages is short, and found at once where it is equal.
const MOST_BIGRAMS: usize = 1 << 26;

impl Known {
    fn new(reference: &Page, paths: &mut TagPaths) -> Self {
        let (text, blocks) = (reference.view::<VisibleText>(), reference.view::<LeafBlocks>());
        let places = Places::new(reference, paths);
        let mut known = Known { texts: FxHashMap::default(), leading: FxHashSet::default(), budget: MOST_BIGRAMS };
        for block in &blocks.blocks {
            let number = places.number(block.element);
            let texts = known.texts.entry(places.paths[number]).or_default();
            texts.push(bigrams(reference, &text.nodes[block.texts.clone()]));
            known.add_leading(&places, number);
        }
        known.texts.values_mut().for_each(|texts| {
            texts.sort_unstable_by(|one, other| in_order(one, other));
            texts.dedup();
        });
        known
    }

    /// Adds the paths of an element and of those around it that are not there yet.
    fn add_leading(&mut self, places: &Places, mut number: usize) {
        while self.leading.insert(places.paths[number]) && number > 0 {
            number = places.outline.parents[number] as usize;
        }
    }

    /// The greatest Dice coefficient of a text with those of blocks with that tag path, as a ratio; 0 without any.
    fn similarity(&mut self, path: u32, text: &[u64]) -> (u64, u64) {
        let Some(texts) = self.texts.get(&path) else { return (0, 1) };
        let place = match texts.binary_search_by(|other| in_order(other, text)) {
            Ok(_) => return (1, 1),
            Err(place) => place,
        };
        // From the nearest numbers of bigrams outwards: the further away, the less can be common.
        let (mut shorter, mut longer) = (texts[..place].iter().rev().peekable(), texts[place..].iter().peekable());
        let most = |other: &Vec<u64>| dice(text.len().min(other.len()), text, other);
        let mut best = Value::ZERO;
        loop {
            let (below, above) = (shorter.peek().map(|other| most(other)), longer.peek().map(|other| most(other)));
            let next = if below > above { shorter.next() } else { longer.next() };
            let Some(other) = next.filter(|_| below.max(above) > Some(best)) else { break };
            let cost = text.len() + other.len();
            let Some(left) = self.budget.checked_sub(cost) else { break };
            self.budget = left;
            best = best.max(dice(shared(text, other), text, other));
        }
        best.fraction()
    }
}

/// First the fewer bigrams.
fn in_order(one: &[u64], other: &[u64]) -> Ordering {
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// Twice what two texts have in common over what they have together.
fn dice(common: usize, one: &[u64], other: &[u64]) -> Value {
    Value::ratio(2 * common as u64, (one.len() + other.len()) as u64)
}

/// The pairs of neighbouring characters of texts one after the other, white space left out, in order; a character alone
/// is its own.
fn bigrams(page: &Page, texts: &[NodeId]) -> Vec<u64> {
    let characters = texts.iter().flat_map(|&id| page.tree.text(id).chars()).filter(|&c| !is_white_space(c));
    let characters: Vec<u64> = characters.map(|c| u64::from(u32::from(c)) + 1).collect();
    let mut bigrams: Vec<u64> = match characters[..] {
        [only] => vec![only],
        _ => characters.windows(2).map(|pair| pair[0] << 32 | pair[1]).collect(),
    };
    bigrams.sort_unstable();
    bigrams
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::Context;

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    #[test]
    fn scores_are_compared_exactly_whatever_their_size() {
        let decimal = |text: &str| text.parse::<Value>().unwrap();
        // 0.3 + 0.7 * 6/21 is 0.5.
        let score = |lambda: &str, tags, text| Score { lambda: decimal(lambda), tags, text };
        let half = score("0.3", (1, 1), (6, 21));
        assert!(half.reaches(decimal("0.5")) && half.reaches(decimal("0.499999999999999")));
        assert!(!half.reaches(decimal("0.500000000000001")));
        let large = score("0.300000000000001", (1, 3), (8_000_000_000, 9_999_999_999));
        assert!(large.reaches(decimal("0.66")) && !large.reaches(decimal("0.67")));
        assert!(score("1", (0, 7), (1, 1)).reaches(Value::ZERO));
        assert!(score("1", (7, 7), (0, 1)).reaches(Value::ONE));
    }

    proptest! {
        #[test]
        fn scores_are_compared_like_products(lambda in 0u64..=100, tags in 0u64..5, text in 0u64..7, drop in 0u64..=100) {
            let score = Score { lambda: Value::hundredths(lambda), tags: (tags, 4), text: (text, 6) };
            let (numerator, denominator) = score.fraction();
            let product = numerator * 100 >= u128::from(drop) * denominator;
            prop_assert_eq!(score.reaches(Value::hundredths(drop)), product);
        }

        #[test]
        fn the_greatest_coefficient_is_found(
            text in "[ab]{1,8}",
            others in prop::collection::vec("[ab]{1,8}", 0..8),
        ) {
            let reference = page(&others.iter().map(|other| format!("<p>{other}</p>")).collect::<String>());
            let own = page(&format!("<p>{text}</p>"));
            let mut paths = TagPaths::default();
            let mut known = Known::new(&reference, &mut paths);
            let path = *Places::new(&own, &mut paths).paths.last().unwrap();
            let of = |page: &Page, rank: usize| bigrams(page, &page.view::<VisibleText>().nodes[rank..=rank]);
            let bigrams = of(&own, 0);
            let every = (0..others.len()).map(|rank| of(&reference, rank));
            let greatest = every.map(|other| dice(shared(&bigrams, &other), &bigrams, &other)).max();
            let (part, whole) = known.similarity(path, &bigrams);
            prop_assert_eq!(Value::ratio(part, whole), greatest.unwrap_or(Value::ZERO));
        }
    }

    #[test]
    fn blocks_are_compared_up_to_a_bound() {
        let (one, other) = (page("<p>abc</p><p>abd</p><p>xy</p>"), page("<p>abx</p><p>xy</p>"));
        let mut paths = TagPaths::default();
        let mut known = Known::new(&other, &mut paths);
        let path = *Places::new(&one, &mut paths).paths.last().unwrap();
        known.budget = 4;
        let text = |rank: usize| bigrams(&one, &one.view::<VisibleText>().nodes[rank..=rank]);
        // ab of ab, bc and ab, bx; then nothing is left but what is equal.
        assert_eq!(known.similarity(path, &text(0)), (1, 2));
        assert_eq!(known.similarity(path, &text(1)), (0, 1));
        assert_eq!(known.similarity(path, &text(2)), (1, 1));
    }
}

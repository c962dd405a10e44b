//! CEVC: content extraction by valid characters (the paper of 2020, in Chinese).
//!
//! **Idea.** Text outside links that holds a stop word is valid. The block that holds most valid characters is the
//! content.
//!
//! **1. Valid characters** (definition 1). Every text node outside links is tested. If it holds a stop word, all its
//! characters are valid. Chinese text is cut into words by jieba, and a stop word must be a whole word
//! (`zh_match=token`); with `substring` an entry may occur anywhere. Other languages compare runs of letters in lower
//! case. `unit` tests larger pieces than text nodes. The paper's definition has lost the tag name; the sentences around
//! it name `a`.
//!
//! **2. Counts** (algorithm 1). `VC` of a node is the sum over the text nodes below it. Invisible elements do not
//! exist.
//!
//! **3. Block** (algorithm 2 and equation 1). Start at the body. At each element take the child with most valid
//! characters, the first of equal ones:
//!
//! ```text
//! share = VC of that child / sum of VC over all children
//! share < alpha   stop: this element is the block
//! otherwise       go down to that child
//! no such child   the block is the element around
//! ```
//!
//! In the printed algorithm 1 a leaf adds its length to its parent and keeps 0 itself, so text nodes count 0 here
//! (`text_children=zero`). Equation 1 to the letter counts them (`counted`). The recursive call in algorithm 2 lacks a
//! `return`; we read it as one.
//!
//! **4. Output.** The valid text below the block. `output` also offers all text outside links, and all text.
//!
//! **5. Exact sweep.** The path does not depend on `alpha`. The block changes only where the share is smaller than all
//! shares above it, and blocks for growing `alpha` are nested.
//!
//! **Known failures.** Headings, captions and short lines without a stop word are lost, and so are links in the
//! article. Where the article is split over sibling elements with similar amounts of text, a low `alpha` keeps only one
//! of them.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept};
use super::explanation::{Explanation, Figure, Judged, List, Number, Verdict};
use super::features::Prefix;
use super::features::links::{Anchor, Links};
use super::features::stopwords::{self, ChineseMatch, PageSegmenter, StopList, StopWords};
use super::features::visible::{VisibleText, visible_nodes};
use super::parameters::Values;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Content extraction by valid characters.
pub(super) struct Cevc;

/// Parameters of `cevc`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CevcParameters {
    /// share of the siblings' valid characters below which the largest child is not followed; the paper sweeps 0 to 1
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub alpha: Value,
    /// `lt`: the path stops below that share; `le`: at or below it
    pub alpha_cmp: AlphaCmp,
    /// whether an element's own text competes with its element children
    pub text_children: TextChildren,
    /// which text of the block is given
    pub output: Output,
    /// what is tested for a stop word
    pub unit: Unit,
    /// how the Chinese list is matched with a text
    pub zh_match: ChineseMatch,
    /// which stop lists
    pub stop_list: StopList,
    /// whose lists: `auto` the page's language, else zh and en; `union` zh and en on every page; or language codes
    pub lists: Lists,
    /// which `a` elements are links
    pub anchor: Anchor,
}

impl Default for CevcParameters {
    fn default() -> Self {
        CevcParameters {
            alpha: Value::hundredths(50),
            alpha_cmp: AlphaCmp::Lt,
            text_children: TextChildren::Zero,
            output: Output::Valid,
            unit: Unit::TextNode,
            zh_match: ChineseMatch::Token,
            stop_list: StopList::Iso,
            lists: Lists::Auto,
            anchor: Anchor::Any,
        }
    }
}

/// Section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AlphaCmp {
    Lt,
    Le,
}

/// Section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TextChildren {
    /// As in the printed algorithms: a leaf adds its length to its parent's counter.
    Zero,
    /// Equation (1) to the letter.
    Counted,
}

/// Section 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Output {
    /// The valid text nodes.
    Valid,
    /// Those outside links.
    NonLink,
    /// All.
    All,
}

/// Section 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    /// Each text node: the paper speaks of text fragments.
    TextNode,
    /// All text-node children of one element, joined by a line feed.
    Parent,
    /// All text nodes with the same nearest block element, joined by nothing.
    Block,
}

/// Section 1: whose stop lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lists {
    /// The list of the page's language if there is one, else zh and en together.
    Auto,
    /// zh and en on every page.
    Union,
    /// Those of these languages, by primary subtag.
    Codes(Vec<String>),
}

impl Serialize for Lists {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Lists::Auto => serializer.serialize_str("auto"),
            Lists::Union => serializer.serialize_str("union"),
            Lists::Codes(codes) => codes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Lists {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Word(String),
            Codes(Vec<String>),
        }
        let codes = match Written::deserialize(deserializer)? {
            Written::Word(word) if word == "auto" => return Ok(Lists::Auto),
            Written::Word(word) if word == "union" => return Ok(Lists::Union),
            Written::Word(code) => vec![code],
            Written::Codes(codes) => codes,
        };
        Ok(Lists::Codes(codes))
    }
}

impl JsonSchema for Lists {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Lists".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["auto", "union"], "list": true })
    }
}

impl Lists {
    /// Whose lists are held against a page of `language`.
    fn languages(&self, language: Option<&str>, list: StopList) -> Vec<String> {
        let both = || vec!["zh".to_owned(), "en".to_owned()];
        match self {
            Lists::Union => both(),
            Lists::Codes(codes) => codes.clone(),
            Lists::Auto => match language {
                Some(language) if stopwords::languages(list).contains(&language) => vec![language.to_owned()],
                _ => both(),
            },
        }
    }
}

const PAGE_C: &str = "<body><div id=nav><a href=1>the home</a></div><div id=m><div id=c><p>the aaaa</p>\
    <p>the bbbb</p><p>zzz</p></div><div id=s><p>the q</p></div></div></body>";

const PAGE_D: &str = "<body><p>中国新闻网</p><div><p>记者从会上获悉，他们在北京。</p><p>版权所有</p></div></body>";

const fn example(
    title: &'static str,
    language: &'static str,
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    let html = if language.as_bytes()[0] == b'e' { PAGE_C } else { PAGE_D };
    Example::new(title, html, parameters, expected).in_language(language)
}

/// A line a stop list that these parameters hold against pages of these languages.
fn resources(values: &Values, pages: &BTreeSet<Option<String>>) -> Vec<String> {
    let Ok(parameters) = serde_json::from_value::<CevcParameters>(Json::Object(values.clone())) else {
        return Vec::new();
    };
    let list = parameters.stop_list;
    let of_page = |language: &Option<String>| parameters.lists.languages(language.as_deref(), list);
    let languages: BTreeSet<String> = pages.iter().flat_map(of_page).collect();
    let line = |language: &String| {
        let entries = stopwords::entries(list, language)?;
        let (digest, name) = (stopwords::digest(&entries), json!(list));
        let name = name.as_str().unwrap_or_default();
        let source = if list == StopList::Iso { ", stop-words 0.10.1" } else { "" };
        Some(format!("stop list {name} {language}{source}, {} entries, sha256 {digest}", entries.len()))
    };
    languages.iter().filter_map(line).collect()
}

impl PageAlgorithm for Cevc {
    type Parameters = CevcParameters;
    type Prepared<'p> = Located<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "cevc",
        title: "finds the smallest element that still has most of the text with stop words, and gives that text",
        source: "paper CEVC (content extraction by valid characters), definitions 1 and 2, algorithms 1 and 2",
        faithful_to: FaithfulTo::Paper,
        languages: "every language with a stop list; other pages are compared with zh and en",
        cost: "O(text) for stop words (jieba dominates), O(nodes) for counting",
        swept: &[Swept::exact("alpha", "0.0..1.0/0.05")],
        // Page C: VC of the p: 7, 7, 0, 4; c 14, m 18, body 18. Path: body 18/18, m 14/18, c 7/14, the first p, which
        // has no valued child: the end block is c. Records 1, 7/9, 1/2.
        // Page D: by tokens only the middle line is valid, 14 characters: body 14/14, div 14/14, p: block div. By
        // substrings 5, 14 and 4: body 18/23, div 14/18, p.
        examples: &[
            example("C: up to 7/9 the block is c", "en", "", "the aaaa\nthe bbbb"),
            example("C: at 0 too", "en", "alpha=0", "the aaaa\nthe bbbb"),
            example("C: with the text outside links", "en", "output=non_link", "the aaaa\nthe bbbb\nzzz"),
            example("C: above 7/9 it is m", "en", "alpha=0.78", "the aaaa\nthe bbbb\nthe q"),
            example("C: still at 1", "en", "alpha=1", "the aaaa\nthe bbbb\nthe q"),
            example(
                "C: at 1 with le it is the body",
                "en",
                "alpha=1,alpha_cmp=le,output=all",
                "the home\nthe aaaa\nthe bbbb\nzzz\nthe q",
            ),
            example("C: text children lead one step further", "en", "text_children=counted", "the aaaa"),
            example("D: by tokens only the middle line is valid", "zh", "", "记者从会上获悉，他们在北京。"),
            example(
                "D: by substrings all three are; at 0.5 the block is div",
                "zh",
                "zh_match=substring",
                "记者从会上获悉，他们在北京。\n版权所有",
            ),
            example(
                "D: at 0.8 it is the body",
                "zh",
                "zh_match=substring,alpha=0.8",
                "中国新闻网\n记者从会上获悉，他们在北京。\n版权所有",
            ),
        ],
        floor: false,
        resources,
    };

    fn swept<'p>(parameters: &'p mut CevcParameters, name: &str) -> Option<&'p mut Value> {
        (name == "alpha").then_some(&mut parameters.alpha)
    }

    fn check(parameters: &CevcParameters) -> Result<(), String> {
        let Lists::Codes(codes) = &parameters.lists else { return Ok(()) };
        let known = stopwords::languages(parameters.stop_list);
        match codes.iter().find(|code| !known.contains(&code.as_str())) {
            Some(code) => Err(format!("lists: there is no such stop list for the language `{code}`")),
            None => Ok(()),
        }
    }

    fn prepare<'p>(&self, page: &'p Page, parameters: &CevcParameters) -> Located<'p> {
        Located::new(page, parameters)
    }

    fn choose(&self, located: &Located<'_>, parameters: &CevcParameters) -> Choice {
        match located.block(parameters) {
            Some(block) => located.output(block, parameters.output).collect(),
            None => std::iter::empty().collect(),
        }
    }

    fn break_points(&self, located: &Located<'_>, _: &CevcParameters, _: &str) -> Vec<Value> {
        // Section 5: the block changes only where a share on the path is a new least one.
        let mut least = None;
        let records = located.path.iter().map(Step::share).filter(|&share| {
            let is_record = least.is_none_or(|least| share < least);
            least = if is_record { Some(share) } else { least };
            is_record
        });
        records.collect()
    }

    fn explain(&self, located: &Located<'_>, parameters: &CevcParameters) -> Explanation {
        located.explain(parameters)
    }
}

/// An element on the way down whose largest child can be followed.
struct Step {
    element: NodeId,
    /// Valid characters of the largest child.
    largest: u32,
    /// Valid characters of all children that count.
    total: u32,
}

impl Step {
    fn share(&self) -> Value {
        Value::ratio(self.largest.into(), self.total.into())
    }
}

/// A page with its valid text and the path to the block: what does not depend on `alpha`.
pub(super) struct Located<'p> {
    tree: &'p Tree,
    text: Arc<VisibleText>,
    links: Arc<Links>,
    /// For each visible text node: whether it is valid.
    valid: Vec<bool>,
    path: Vec<Step>,
    /// Where the path ends when nothing stops it before. `None` where no text is valid.
    end_block: Option<NodeId>,
}

impl<'p> Located<'p> {
    fn new(page: &'p Page, parameters: &CevcParameters) -> Self {
        let (tree, text) = (&page.tree, page.view::<VisibleText>());
        let links = Links::of(page, parameters.anchor);
        let valid = valid_text(page, parameters, &text, &links);
        let mut located = Located { tree, text, links, valid, path: Vec::new(), end_block: None };
        let counts = located.counts();
        if let Some(body) = located.text.body
            && counts.of(tree, body) > 0
        {
            located.follow(body, &counts, parameters.text_children);
        }
        located
    }

    /// Section 2: the valid characters of every node.
    fn counts(&self) -> Prefix {
        Prefix::new(self.tree, |id| match self.text.rank(self.tree, id) {
            Some(rank) if self.valid[rank] => self.text.chars(self.tree, id),
            _ => 0,
        })
    }

    /// Section 3 without its threshold.
    fn follow(&mut self, body: NodeId, counts: &Prefix, text_children: TextChildren) {
        let tree = self.tree;
        let mut element = body;
        loop {
            let (mut total, mut largest, mut next) = (0, 0, None);
            for child in tree.children(element) {
                let counted = tree.is_element(child) || text_children == TextChildren::Counted;
                let count = if counted { counts.of(tree, child) } else { 0 };
                total += count;
                if count > largest {
                    (largest, next) = (count, Some(child));
                }
            }
            let Some(child) = next else { break };
            self.path.push(Step { element, largest, total });
            element = child;
        }
        self.end_block = if element == body { Some(body) } else { tree.parent(element) };
    }

    fn block(&self, parameters: &CevcParameters) -> Option<NodeId> {
        self.path.iter().find(|step| self.stops(step, parameters)).map(|step| step.element).or(self.end_block)
    }

    fn stops(&self, step: &Step, parameters: &CevcParameters) -> bool {
        match parameters.alpha.compare_ratio(step.largest.into(), step.total.into()) {
            Ordering::Less => true,
            Ordering::Equal => parameters.alpha_cmp == AlphaCmp::Le,
            Ordering::Greater => false,
        }
    }

    /// Every node with its valid characters, the path with its ratios, and the block.
    fn explain(&self, parameters: &CevcParameters) -> Explanation {
        let Some(body) = self.text.body else { return Explanation::default() };
        let (tree, counts, block) = (self.tree, self.counts(), self.block(parameters));
        let mut figures = vec![
            Figure::count("characters", self.text.chars(tree, body)),
            Figure::count("valid characters", counts.of(tree, body)),
            Figure::new("alpha", Number::Value(parameters.alpha)),
        ];
        figures.push(match block {
            Some(block) => Figure::new("block", Number::Node(block)),
            None => Figure::word("block", "none: no text is valid"),
        });
        // What is on the path down to the block, the block included.
        let entered: BTreeSet<NodeId> =
            block.into_iter().flat_map(|block| tree.ancestors(block).chain([block])).collect();
        let judged = |id: NodeId| self.judged(id, counts.of(tree, id), block, &entered, parameters.output);
        let nodes = visible_nodes(tree, body).filter(|&id| self.text.chars(tree, id) > 0).map(judged).collect();
        let lists = vec![List {
            title: "the path to the child with most valid characters",
            entries: self.path.iter().map(|step| self.step(step, block, parameters)).collect(),
        }];
        Explanation { figures, lists, nodes }
    }

    fn judged(
        &self,
        id: NodeId,
        valid: u32,
        block: Option<NodeId>,
        entered: &BTreeSet<NodeId>,
        output: Output,
    ) -> Judged {
        let judged = Judged::outside(id, vec![Figure::count("valid characters", valid)]);
        let is_in_block = block.is_some_and(|block| self.tree.contains(block, id));
        if Some(id) == block {
            return judged.decided(Verdict::Entered, "the block");
        }
        if entered.contains(&id) {
            return judged.decided(Verdict::Entered, "on the path");
        }
        if let Some(rank) = self.text.rank(self.tree, id).filter(|_| is_in_block) {
            return match (self.valid[rank], self.links.in_link[rank]) {
                (true, _) => judged.decided(Verdict::Chosen, "valid: it stands in the block and holds a stop word"),
                (false, true) if output == Output::All => judged.decided(Verdict::Chosen, "all text of the block"),
                (false, true) => judged.decided(Verdict::Dropped, "in a link"),
                (false, false) if output != Output::Valid => judged.decided(Verdict::Chosen, "outside links"),
                (false, false) => judged.decided(Verdict::Dropped, "holds no stop word"),
            };
        }
        match self.tree.parent(id) {
            Some(parent) if !is_in_block && entered.contains(&parent) => {
                judged.decided(Verdict::Dropped, "beside the path")
            }
            _ => judged,
        }
    }

    fn step(&self, step: &Step, block: Option<NodeId>, parameters: &CevcParameters) -> Judged {
        let Step { element, largest, total } = *step;
        let is_behind = block.is_none_or(|block| self.tree.contains(block, element) && block != element);
        let (share, alpha) = (step.share(), parameters.alpha);
        let judged = Judged::outside(element, vec![Figure::ratio("share of the largest child", largest, total)]);
        let order = share.cmp(&alpha);
        let sign = if order == Ordering::Less {
            '<'
        } else if order == Ordering::Equal {
            '='
        } else {
            '>'
        };
        match (is_behind, Some(element) == block) {
            (true, _) => judged.decided(Verdict::Outside, format!("{share} {sign} alpha {alpha}; behind the block")),
            (false, true) if self.stops(step, parameters) => {
                judged.decided(Verdict::Chosen, format!("{share} {sign} alpha {alpha}: stops, this is the block"))
            }
            (false, true) => judged.decided(
                Verdict::Chosen,
                format!("{share} {sign} alpha {alpha}: its largest child has none to follow, this is the block"),
            ),
            (false, false) => judged.decided(Verdict::Entered, format!("{share} {sign} alpha {alpha}: followed")),
        }
    }

    fn output(&self, block: NodeId, output: Output) -> impl Iterator<Item = NodeId> + '_ {
        let under = self.text.under(self.tree, block);
        under.iter().copied().filter(move |&id| {
            let rank = self.text.rank(self.tree, id);
            match output {
                Output::All => true,
                Output::NonLink => rank.is_some_and(|rank| !self.links.in_link[rank]),
                Output::Valid => rank.is_some_and(|rank| self.valid[rank]),
            }
        })
    }
}

/// Section 1: for each visible text node, whether it lies outside links in a unit with a stop word.
fn valid_text(page: &Page, parameters: &CevcParameters, text: &VisibleText, links: &Links) -> Vec<bool> {
    let tree = &page.tree;
    let languages = parameters.lists.languages(page.primary_language().as_deref(), parameters.stop_list);
    let stop_words = stop_words(parameters.stop_list, &languages);
    let segmenter = page.view::<PageSegmenter>();
    let hit = |unit: &str| stop_words.hit(unit, parameters.zh_match, &segmenter.0);
    let outside: Vec<usize> = (0..text.nodes.len()).filter(|&rank| !links.in_link[rank]).collect();
    let mut valid = vec![false; text.nodes.len()];
    let (key, separator): (fn(&Tree, NodeId) -> NodeId, &str) = match parameters.unit {
        Unit::TextNode => {
            for rank in outside {
                valid[rank] = hit(tree.text(text.nodes[rank]));
            }
            return valid;
        }
        Unit::Parent => (parent, "\n"),
        Unit::Block => (nearest_block, ""),
    };
    let mut units: Vec<(NodeId, usize)> = outside.iter().map(|&rank| (key(tree, text.nodes[rank]), rank)).collect();
    units.sort_unstable();
    for unit in units.chunk_by(|one, other| one.0 == other.0) {
        let texts: Vec<&str> = unit.iter().map(|&(_, rank)| tree.text(text.nodes[rank])).collect();
        let is_valid = hit(&texts.join(separator));
        unit.iter().for_each(|&(_, rank)| valid[rank] = is_valid);
    }
    valid
}

fn parent(tree: &Tree, id: NodeId) -> NodeId {
    tree.parent(id).unwrap_or(NodeId::DOCUMENT)
}

fn nearest_block(tree: &Tree, id: NodeId) -> NodeId {
    tree.ancestors(id).find(|&id| tree.is_block(id)).unwrap_or(NodeId::DOCUMENT)
}

/// The lists of `languages` together, read once a process.
fn stop_words(list: StopList, languages: &[String]) -> Arc<StopWords> {
    use std::sync::Mutex;

    use rustc_hash::FxHashMap;

    type Known = FxHashMap<(StopList, Vec<String>), Arc<StopWords>>;
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let lists = known.get_or_insert_default().entry((list, languages.to_vec()));
    lists.or_insert_with(|| Arc::new(StopWords::new(list, languages))).clone()
}

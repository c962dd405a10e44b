//! Block relevance: blocks are pruned by their local and their context relevance (a paper in Chinese; its text reached
//! us in scrambled order, with damaged formulas and without its experiments).
//!
//! **Idea.** A block with few words per link is noise, unless it is inside a block that has many words for these links.
//!
//! **1. From the paper**: the counts, the removal of scripts, styles, forms and images, the block tags (`table`, `tr`,
//! `td`, `p`, `div`), and the two kinds of relevance. **Our reconstruction**: the fraction of local relevance, all of
//! context relevance, both thresholds, and the order of pruning. They follow open code of STU-DOM, the method whose
//! terms the paper uses.
//!
//! **2. Counts.** `words` of a block are its characters outside links. `links` are the `a` elements in it. Both are
//! sums over its subtree. What is removed counts nowhere.
//!
//! **3. Pruning.** Blocks are visited bottom-up:
//!
//! ```text
//! words = 0                                              prune
//! links > 0 and words/links < local_min
//!           and words(parent block)/links < context_min  prune
//! otherwise                                              keep
//! ```
//!
//! Pruned blocks no longer count in the blocks around them (`counts=live`). With fixed counts a wrapper around the
//! whole page has few words per link, so that the article is pruned with it. The output is all visible text that is
//! left.
//!
//! **4. Exact sweep.** Decisions depend on earlier ones. Each run notes the smallest ratio that passed its test. The
//! result is the same for all thresholds up to that ratio, and the next run begins just above it.
//!
//! **Known failures.** An article with many links in its paragraphs loses them. A page inside one ASP.NET form loses
//! everything unless `form_removed=false`.

use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, Number, Verdict};
use super::features::Prefix;
use super::features::links::{Anchor, Links};
use super::features::pruning::text_outside;
use super::features::visible::{VisibleText, visible_nodes};
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};
use crate::text::words::is_han;

/// Pruning blocks by local and context relevance.
pub(super) struct Relevance;

/// Parameters of `relevance`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RelevanceParameters {
    /// least words per link of a block that stays for its own sake
    pub local_min: Value,
    /// least words of the context a link that save a block; 0 prunes only blocks without content
    pub context_min: Value,
    /// what saves a block: the words of the block around it over its links, those of the rest of the block around it
    /// over the rest's links, or nothing
    pub context: Context,
    /// which blocks are without content: those without `words` outside links, or those without links too
    pub empty: Empty,
    /// whether what was pruned still counts in the blocks around it (`fixed`)
    pub counts: Counting,
    /// which blocks are judged first: the inner ones or the outer ones
    pub order: Order,
    /// which elements are blocks
    pub partition: Partition,
    /// which characters are words
    pub words: Words,
    /// whether forms are taken away at first, as printed
    pub form_removed: bool,
    /// which `a` elements are links
    pub anchor: Anchor,
}

impl Default for RelevanceParameters {
    fn default() -> Self {
        RelevanceParameters {
            local_min: Value::decimal(50, 0),
            context_min: Value::decimal(1000, 0),
            context: Context::ParentWords,
            empty: Empty::Words,
            counts: Counting::Live,
            order: Order::BottomUp,
            partition: Partition::Paper,
            words: Words::Chars,
            form_removed: true,
            anchor: Anchor::Any,
        }
    }
}

/// Section 3. Of context relevance only the name is left, and that it keeps link lists inside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Context {
    /// As in open code of the method whose terms the paper uses.
    ParentWords,
    /// What stands around the block, without the block.
    Rest,
    /// No block is saved.
    None,
}

/// Section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Empty {
    /// In the paper the words outside links stand for a block's content.
    Words,
    /// Blocks with links are judged by their relevance.
    Text,
}

/// Section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Counting {
    /// A wrapper around everything is judged by what is left in it.
    Live,
    /// The counts of the untouched page: such a wrapper often takes the article with it.
    Fixed,
}

/// Section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    /// Post-order.
    BottomUp,
    /// Document order, without what lies in a pruned block.
    TopDown,
}

/// Section 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Partition {
    /// The five tags that the paper prints: `table tr td p div`.
    Paper,
    /// Every block element below the body.
    HtmlBlocks,
    /// The five, lists, sections, and the other parts of tables and definition lists.
    Wide,
    /// Elements with text of their own, inline ones too: "any tag that holds Chinese characters" taken literally.
    Any,
}

/// Section 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Words {
    /// All that are not white space.
    Chars,
    /// Chinese ones, the letter of the paper: nothing is left of a page in another script.
    Han,
}

const PAGE_E: &str = "<body><div id=w><div id=nav><a href=1>aa</a><a href=2>bb</a>|</div><div id=c>\
    <p>aaaaaaaaaaaa</p><p>xx<a href=3>yy</a>zz</p></div></div>end</body>";

const PAGE_F: &str = "<body><form><div>aa</div></form><ul><li><a href=1>bb</a></li><li>cc</li></ul>\
    <div><a>dd</a></div><p>中文<a href=2>ee</a></p></body>";

impl PageAlgorithm for Relevance {
    type Parameters = RelevanceParameters;
    type Prepared<'p> = Partitioned<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "relevance",
        title: "prunes blocks without words and blocks with few words per link that their context does not save",
        source: "paper on block relevance: its counts, its filter, its block tags and the kind of test; both thresholds, \
                 all of context relevance and the order of pruning are reconstructed",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any; words=han: Chinese",
        cost: "O(nodes)",
        swept: &[Swept::exact("local_min", "10..100/10"), Swept::exact("context_min", "250..2000/250")],
        // Page E, words and links: nav 1, 2; the p 12, 0 and 4, 1; c 16, 1; w 17, 3; body 20, 3.
        // At 10 and 15: nav 1/2 < 10, and w's 17/2 < 15: pruned, w has 16, 1. Second p 4/1 < 10, but c's 16/1 >= 15:
        // saved. c and w: 16/1. Fixed, or w before nav: w 17/3 < 10 and the body's 20/3 < 15.
        // By the rest: nav 16/1 >= 15, saved; second p 12/1 < 15, pruned; w 13/2 < 10, its rest 3/1 < 15, pruned.
        // At 3 all of them are saved: nav, the second p, and w (17/3 < 10, its rest 3/1).
        // Page F without the form: the li 0, 1 and 2, 0; ul 2, 1; div 0, 1; p 2, 1; body 4, 3.
        examples: &[
            Example::new(
                "E: nav falls; the second p has 4 words per link, but its parent has 16",
                PAGE_E,
                "local_min=10,context_min=15",
                "aaaaaaaaaaaa\nxxyyzz\nend",
            ),
            Example::new("E: at its own 1/2 nav stays", PAGE_E, "local_min=0.5", "aabb|\naaaaaaaaaaaa\nxxyyzz\nend"),
            Example::new(
                "E: without context the second p falls",
                PAGE_E,
                "local_min=10,context=none",
                "aaaaaaaaaaaa\nend",
            ),
            Example::new(
                "E: with the counts of the untouched page the wrapper falls",
                PAGE_E,
                "local_min=10,context_min=15,counts=fixed",
                "end",
            ),
            Example::new("E: top-down too", PAGE_E, "local_min=10,context_min=15,order=top_down", "end"),
            Example::new(
                "E: the rest of the parent saves nav, but not the second p and the wrapper",
                PAGE_E,
                "local_min=10,context_min=15,context=rest",
                "end",
            ),
            Example::new(
                "E: the wrapper's rest has 3 words and no link",
                PAGE_E,
                "local_min=10,context_min=3,context=rest",
                "aabb|\naaaaaaaaaaaa\nxxyyzz\nend",
            ),
            Example::new("F: the form and the div without words go", PAGE_F, "local_min=1", "bb\ncc\n中文ee"),
            Example::new("F: with the form", PAGE_F, "local_min=1,form_removed=false", "aa\nbb\ncc\n中文ee"),
            Example::new("F: lists are blocks", PAGE_F, "local_min=1,partition=wide", "cc\n中文ee"),
            Example::new(
                "F: every block element is one, and so is the form",
                PAGE_F,
                "local_min=1,partition=html_blocks,form_removed=false",
                "aa\ncc\n中文ee",
            ),
            Example::new("F: every element with text is one", PAGE_F, "local_min=1,partition=any", "cc\n中文"),
            Example::new("F: only Chinese is words", PAGE_F, "local_min=1,partition=wide,words=han", "中文ee"),
            Example::new(
                "F: the div's one link is saved by the body's 4 words",
                PAGE_F,
                "local_min=1,context_min=4,empty=text",
                "bb\ncc\ndd\n中文ee",
            ),
            Example::new("F: an a without href is no link", PAGE_F, "local_min=1,anchor=href", "bb\ncc\ndd\n中文ee"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut RelevanceParameters, name: &str) -> Option<&'p mut Value> {
        match name {
            "local_min" => Some(&mut parameters.local_min),
            "context_min" => Some(&mut parameters.context_min),
            _ => None,
        }
    }

    fn prepare<'p>(&self, page: &'p Page, parameters: &RelevanceParameters) -> Partitioned<'p> {
        Partitioned::new(page, parameters)
    }

    fn choose(&self, partitioned: &Partitioned<'_>, parameters: &RelevanceParameters) -> Choice {
        let pruned = partitioned.prune(&mut Judge::new(parameters), |_, _, _, _| {});
        partitioned.text_outside(&pruned).collect()
    }

    fn break_points(&self, partitioned: &Partitioned<'_>, parameters: &RelevanceParameters, swept: &str) -> Vec<Value> {
        match swept {
            "local_min" => partitioned.steps(parameters, |judge| &mut judge.local),
            _ => partitioned.steps(parameters, |judge| &mut judge.context),
        }
    }

    fn explain(&self, partitioned: &Partitioned<'_>, parameters: &RelevanceParameters) -> Explanation {
        partitioned.explain(parameters)
    }
}

/// What a block holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Characters outside links.
    words: u32,
    links: u32,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.words += other.words;
        self.links += other.links;
    }

    fn without(self, other: Counts) -> Counts {
        Counts { words: self.words - other.words, links: self.links - other.links }
    }
}

/// A partition node, or the body.
struct Block {
    id: NodeId,
    /// The first place behind the blocks below it.
    end: usize,
    /// Of the untouched page.
    counts: Counts,
}

/// A threshold that a sweep moves up from one break point to the next.
struct Threshold {
    least: Value,
    /// Whether `least` itself does not reach it.
    strictly: bool,
    /// The smallest ratio that reached it: up to this one, every comparison comes out the same.
    smallest_reaching: Option<Value>,
}

impl Threshold {
    fn new(least: Value, strictly: bool) -> Self {
        Threshold { least, strictly, smallest_reaching: None }
    }

    fn is_reached(&mut self, words: u32, links: u32) -> bool {
        let ratio = Value::ratio(words.into(), links.into());
        let reached = if self.strictly { ratio > self.least } else { ratio >= self.least };
        if reached && self.smallest_reaching.is_none_or(|smallest| ratio < smallest) {
            self.smallest_reaching = Some(ratio);
        }
        reached
    }
}

/// Section 3: which blocks fall.
struct Judge<'s> {
    parameters: &'s RelevanceParameters,
    local: Threshold,
    context: Threshold,
}

impl<'s> Judge<'s> {
    fn new(parameters: &'s RelevanceParameters) -> Self {
        let local = Threshold::new(parameters.local_min, false);
        Judge { parameters, local, context: Threshold::new(parameters.context_min, false) }
    }

    fn judge(&mut self, block: Counts, parent: Counts) -> Judgement {
        if block.words == 0 && (self.parameters.empty == Empty::Words || block.links == 0) {
            return Judgement::Empty;
        }
        if block.links == 0 {
            return Judgement::NoLinks;
        }
        if self.local.is_reached(block.words, block.links) {
            return Judgement::Relevant;
        }
        let context = context_relevance(self.parameters.context, block, parent);
        let is_saved = context.is_some_and(|(words, links)| self.context.is_reached(words, links));
        if is_saved { Judgement::Saved } else { Judgement::Irrelevant }
    }
}

/// Words and links whose ratio is the context relevance of a block with a link; `parent` has that link too.
fn context_relevance(context: Context, block: Counts, parent: Counts) -> Option<(u32, u32)> {
    match context {
        Context::ParentWords => Some((parent.words, block.links)),
        Context::Rest => {
            let rest = parent.without(block);
            Some((rest.words, rest.links.max(1)))
        }
        Context::None => None,
    }
}

/// What becomes of a block, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judgement {
    /// It falls: it has no content.
    Empty,
    /// It stays: without links nothing is asked.
    NoLinks,
    /// It stays for its own sake.
    Relevant,
    /// Its context saves it.
    Saved,
    /// It falls.
    Irrelevant,
}

impl Judgement {
    fn falls(self) -> bool {
        matches!(self, Judgement::Empty | Judgement::Irrelevant)
    }
}

/// A page with its blocks: what does not depend on `local_min` and `context_min`.
pub(super) struct Partitioned<'p> {
    tree: &'p Tree,
    /// In document order; the body is the first.
    blocks: Vec<Block>,
    /// The text that was not taken away at first, in document order.
    selectable: Vec<NodeId>,
}

impl<'p> Partitioned<'p> {
    fn new(page: &'p Page, parameters: &RelevanceParameters) -> Self {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let Some(body) = text.body else {
            return Partitioned { tree, blocks: Vec::new(), selectable: Vec::new() };
        };
        let kept = kept_nodes(tree, body, parameters.form_removed);
        let counts = counts(page, &text, &kept, parameters);
        let inner = kept.iter().skip(1).copied().filter(|&id| is_partition(tree, id, &text, parameters.partition));
        let ids: Vec<NodeId> = std::iter::once(body).chain(inner).collect();
        let block = |&id: &NodeId| {
            let end = ids.partition_point(|&other| other < tree.end(id));
            Block { id, end, counts: counts(id) }
        };
        let blocks = ids.iter().map(block).collect();
        let selectable = kept.iter().copied().filter(|&id| text.rank(tree, id).is_some()).collect();
        Partitioned { tree, blocks, selectable }
    }

    /// Section 3: for each block, whether it is pruned. A block hands what it lost on to its parent when
    /// it is left, so that each is judged in constant time however deep it lies.
    fn prune(&self, judge: &mut Judge<'_>, mut judged: impl FnMut(usize, Counts, Counts, Judgement)) -> Vec<bool> {
        let order = judge.parameters.order;
        let mut pruned = vec![false; self.blocks.len()];
        let mut lost = vec![Counts::default(); self.blocks.len()];
        let mut open = if self.blocks.is_empty() { Vec::new() } else { vec![0] };
        let mut next = 1;
        while let Some(&last) = open.last() {
            if next < self.blocks[last].end {
                let block = next;
                next += 1;
                if order == Order::TopDown && self.falls(block, last, &lost, judge, &mut judged) {
                    (pruned[block], lost[block]) = (true, self.blocks[block].counts);
                    next = self.blocks[block].end;
                }
                open.push(block);
                continue;
            }
            open.pop();
            let Some(&parent) = open.last() else { break };
            if order == Order::BottomUp && self.falls(last, parent, &lost, judge, &mut judged) {
                (pruned[last], lost[last]) = (true, self.blocks[last].counts);
            }
            let gone = lost[last];
            lost[parent].add(gone);
        }
        pruned
    }

    /// What `block` lost, its parent has not heard of yet.
    fn falls(
        &self,
        block: usize,
        parent: usize,
        lost: &[Counts],
        judge: &mut Judge<'_>,
        judged: &mut impl FnMut(usize, Counts, Counts, Judgement),
    ) -> bool {
        let (mut inner, mut outer) = (self.blocks[block].counts, self.blocks[parent].counts);
        if judge.parameters.counts == Counting::Live {
            inner = inner.without(lost[block]);
            outer = outer.without(lost[parent]).without(lost[block]);
        }
        let judgement = judge.judge(inner, outer);
        judged(block, inner, outer, judgement);
        judgement.falls()
    }

    /// Every block with its counts when it was judged, both relevances, and when it fell.
    fn explain(&self, parameters: &RelevanceParameters) -> Explanation {
        let Some(body) = self.blocks.first() else { return Explanation::default() };
        let counts = |counts: Counts| vec![Figure::count("words", counts.words), Figure::count("links", counts.links)];
        let judged = |block: &Block| Judged::outside(block.id, counts(block.counts));
        let mut nodes: Vec<Judged> = self.blocks.iter().map(judged).collect();
        nodes[0].decide(Verdict::Entered, "the body never falls");
        let mut fallen = 0u32;
        self.prune(&mut Judge::new(parameters), |at, block, parent, judgement| {
            let Judged { figures, .. } = &mut nodes[at];
            if block != self.blocks[at].counts {
                figures.push(Figure::count("words left when judged", block.words));
                figures.push(Figure::count("links left when judged", block.links));
            }
            if block.links > 0 && judgement != Judgement::Empty {
                figures.push(Figure::ratio("local relevance", block.words, block.links));
                let context = context_relevance(parameters.context, block, parent);
                figures.extend(context.map(|(words, links)| Figure::ratio("context relevance", words, links)));
            }
            if judgement.falls() {
                fallen += 1;
                figures.push(Figure::count("fell as number", fallen));
            }
            let verdict = if judgement.falls() { Verdict::Dropped } else { Verdict::Entered };
            nodes[at].decide(verdict, reason(judgement, block, parent, parameters));
        });
        let mut figures = counts(body.counts);
        figures.push(Figure::new("local_min", Number::Value(parameters.local_min)));
        figures.push(Figure::new("context_min", Number::Value(parameters.context_min)));
        figures.push(Figure::count("blocks", self.blocks.len() as u64 - 1));
        figures.push(Figure::count("blocks that fell", fallen));
        Explanation { figures, lists: Vec::new(), nodes }
    }

    fn text_outside<'t>(&'t self, pruned: &'t [bool]) -> impl Iterator<Item = NodeId> + 't {
        let fallen = self.blocks.iter().zip(pruned).filter(|&(_, &falls)| falls).map(|(block, _)| block.id);
        text_outside(self.tree, &self.selectable, fallen)
    }

    /// Section 4: where the comparisons with one threshold come out differently, from 0 upwards. Decisions
    /// depend on earlier ones, so each run tells only the next such place.
    fn steps(
        &self,
        parameters: &RelevanceParameters,
        swept: impl for<'j> Fn(&'j mut Judge<'_>) -> &'j mut Threshold,
    ) -> Vec<Value> {
        let mut steps = Vec::new();
        loop {
            let mut judge = Judge::new(parameters);
            *swept(&mut judge) = match steps.last() {
                Some(&last) => Threshold::new(last, true),
                None => Threshold::new(Value::ZERO, false),
            };
            self.prune(&mut judge, |_, _, _, _| {});
            match swept(&mut judge).smallest_reaching {
                Some(step) => steps.push(step),
                None => return steps,
            }
        }
    }
}

/// Which comparison decided about a block.
fn reason(judgement: Judgement, block: Counts, parent: Counts, parameters: &RelevanceParameters) -> String {
    let ratio = |words: u32, links: u32| Value::ratio(words.into(), links.into());
    let (local, local_min) = (ratio(block.words, block.links), parameters.local_min);
    let context = context_relevance(parameters.context, block, parent).map(|(words, links)| ratio(words, links));
    let (context, context_min) = (context.unwrap_or(Value::ZERO), parameters.context_min);
    match judgement {
        Judgement::Empty if parameters.empty == Empty::Words => "falls: no words outside links".to_owned(),
        Judgement::Empty => "falls: neither words nor links".to_owned(),
        Judgement::NoLinks => "stays: no links".to_owned(),
        Judgement::Relevant => format!("stays: local relevance {local} reaches {local_min}"),
        Judgement::Saved => {
            format!("saved: local relevance {local} < {local_min}, context {context} reaches {context_min}")
        }
        Judgement::Irrelevant if parameters.context == Context::None => {
            format!("falls: local relevance {local} < {local_min}")
        }
        Judgement::Irrelevant => {
            format!("falls: local relevance {local} < {local_min} and context {context} < {context_min}")
        }
    }
}

/// Section 2: the body and what is visible below it, without forms if they are taken away. Images are
/// empty, so that there is nothing to take.
fn kept_nodes(tree: &Tree, body: NodeId, form_removed: bool) -> Vec<NodeId> {
    let mut behind = body;
    let mut is_kept = |id: NodeId| {
        let is_removed = tree.is_invisible(id) || form_removed && *tree.name(id) == local_name!("form");
        if id >= behind && is_removed {
            behind = tree.end(id);
        }
        id >= behind
    };
    visible_nodes(tree, body).filter(|&id| is_kept(id)).collect()
}

/// Section 2: what each element holds of the `kept` nodes.
fn counts(
    page: &Page,
    text: &VisibleText,
    kept: &[NodeId],
    parameters: &RelevanceParameters,
) -> impl Fn(NodeId) -> Counts {
    let tree = &page.tree;
    let page_links = Links::of(page, parameters.anchor);
    let (mut words, mut links) = (vec![0; tree.len()], vec![0; tree.len()]);
    for &id in kept {
        links[id.index()] = u32::from(Links::is_link(tree, id, parameters.anchor));
        if text.rank(tree, id).is_some_and(|rank| !page_links.in_link[rank]) {
            words[id.index()] = match parameters.words {
                Words::Chars => text.chars(tree, id),
                Words::Han => tree.text(id).chars().filter(|&c| is_han(c)).count() as u32,
            };
        }
    }
    let [words, links] = [words, links].map(|weights| Prefix::new(tree, |id| weights[id.index()]));
    move |id| Counts { words: words.of(tree, id), links: links.of(tree, id) }
}

/// Section 2, of nodes below the body.
fn is_partition(tree: &Tree, id: NodeId, text: &VisibleText, partition: Partition) -> bool {
    let name: &str = tree.name(id);
    let is_printed = matches!(name, "table" | "tr" | "td" | "p" | "div");
    match partition {
        Partition::Paper => is_printed,
        Partition::HtmlBlocks => tree.is_block(id) && !matches!(name, "html" | "body"),
        Partition::Wide => is_printed || is_wide(name),
        Partition::Any => tree.children(id).any(|child| text.rank(tree, child).is_some()),
    }
}

fn is_wide(name: &str) -> bool {
    matches!(name, "th" | "ul" | "ol" | "li" | "dl" | "dt" | "dd" | "tbody" | "thead" | "tfoot")
        || matches!(name, "section" | "article" | "aside" | "nav" | "header" | "footer" | "main" | "form")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context as PageContext;

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), PageContext::default()).unwrap()
    }

    fn text(page: &Page, parameters: &RelevanceParameters) -> String {
        Relevance.choose(&Relevance.prepare(page, parameters), parameters).text(page)
    }

    fn steps(html: &str, parameters: &RelevanceParameters, swept: &str) -> Vec<Value> {
        let page = page(html);
        Relevance.break_points(&Relevance.prepare(&page, parameters), parameters, swept)
    }

    fn at(local_min: Value, context_min: Value) -> RelevanceParameters {
        RelevanceParameters { local_min, context_min, ..RelevanceParameters::default() }
    }

    #[test]
    fn break_points_of_the_golden_page() {
        let fifteen = at(Value::ZERO, Value::decimal(15, 0));
        let whole = |number: u64| Value::decimal(number, 0);
        assert_eq!(steps(PAGE_E, &fifteen, "local_min"), [Value::ratio(1, 2), whole(4), whole(16)]);
        // At 10: nav's 17/2, then c's 16 for the p (with nav saved, w at 17/3 asks for the body's 20/3 first).
        let ten = at(whole(10), Value::ZERO);
        assert_eq!(steps(PAGE_E, &ten, "context_min"), [Value::ratio(20, 3), Value::ratio(17, 2), whole(16)]);
        let none = RelevanceParameters { context: Context::None, ..ten };
        assert_eq!(steps(PAGE_E, &none, "context_min"), []);
    }

    #[test]
    fn infinite_thresholds_prune_every_link_and_save_nothing() {
        let page = page("<p>aaaa<a>b</a></p><p>cc</p><div>dd<p>e<a>f</a></p></div>");
        assert_eq!(text(&page, &at(Value::INFINITY, Value::INFINITY)), "cc\ndd");
        assert_eq!(text(&page, &at(Value::INFINITY, Value::ZERO)), "aaaab\ncc\ndd\nef");
    }

    #[test]
    fn text_outside_every_block_stays_and_nothing_is_selected_of_what_is_removed() {
        let html = "a<a>b</a><span>c</span><form><script>d</script>e</form><textarea>f</textarea>g";
        assert_eq!(text(&page(html), &RelevanceParameters::default()), "abc\ng");
        let page = page("<frameset><frame></frameset>");
        assert_eq!(text(&page, &RelevanceParameters::default()), "");
    }

    /// What section 3 says word by word: every pruning is subtracted from every ancestor.
    fn pruned_by_the_letter(partitioned: &Partitioned<'_>, parameters: &RelevanceParameters) -> Vec<bool> {
        let blocks = &partitioned.blocks;
        let contains = |outer: usize, inner: usize| outer < inner && inner < blocks[outer].end;
        let mut live: Vec<Counts> = blocks.iter().map(|block| block.counts).collect();
        let mut pruned = vec![false; blocks.len()];
        let mut order: Vec<usize> = (1..blocks.len()).collect();
        if parameters.order == Order::BottomUp {
            order.sort_by_key(|&block| (blocks[block].end, std::cmp::Reverse(block)));
        }
        for block in order {
            let above: Vec<usize> = (0..block).filter(|&outer| contains(outer, block)).collect();
            if above.iter().any(|&outer| pruned[outer]) {
                continue;
            }
            let parent = *above.last().unwrap();
            if Judge::new(parameters).judge(live[block], live[parent]).falls() {
                pruned[block] = true;
                let gone = live[block];
                above.iter().for_each(|&outer| live[outer] = live[outer].without(gone));
            }
        }
        pruned
    }

    /// Tags and texts by a linear congruence: nests of blocks with links of every kind.
    fn tangle(mut seed: u32) -> String {
        let mut html = String::new();
        for _ in 0..120 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let parts =
                ["<div>", "<div>", "</div>", "<p>aaa", "aaaaaaaa", "b<a>c</a>", "<a>c</a>", "<table><td>", "</table>"];
            html += parts[(seed >> 16) as usize % parts.len()];
        }
        html
    }

    #[test]
    fn handing_losses_on_equals_subtracting_them_from_every_ancestor() {
        let mut sizes = std::collections::BTreeSet::new();
        for seed in 0..60 {
            let page = page(&tangle(seed));
            for order in [Order::BottomUp, Order::TopDown] {
                for (local, context) in [(2, 3), (5, 12), (9, 40)] {
                    let limits = at(Value::decimal(local, 0), Value::decimal(context, 0));
                    let parameters = RelevanceParameters { order, ..limits };
                    let partitioned = Relevance.prepare(&page, &parameters);
                    let pruned = partitioned.prune(&mut Judge::new(&parameters), |_, _, _, _| {});
                    let expected = pruned_by_the_letter(&partitioned, &parameters);
                    let text = |pruned: &[bool]| partitioned.text_outside(pruned).collect::<Vec<_>>();
                    assert_eq!(text(&pruned), text(&expected), "{seed} {parameters:?}");
                    sizes.insert(text(&pruned).len());
                }
            }
        }
        assert!(sizes.len() > 20, "the pages do not tell: {sizes:?}");
    }
}

//! NTA: content by node type annotation (the paper of that name, in Chinese).
//!
//! **Idea.** Every node of the page is typed as text, link, image or ignorable. The type follows from the node's share
//! of the page's text outside links and from its share of the page's links. The walk starts at a dense text node, goes
//! down, and keeps the text nodes whose leaves are mostly of one type.
//!
//! **1. Counts.** For each element `i` of the body, without invisible elements: `TC` characters of text, `LC` those
//! inside links, `NLC = TC - LC`, `LN` links, `IN` images. `b` is the body. A ratio with the denominator 0 is 0.
//! Comparisons are exact.
//!
//! **2. Leaves.** An element without element children is a leaf. A non-blank text node beside elements is a leaf of its
//! own (the paper wraps such text in an element). `text_leaf` has two other readings.
//!
//! **3. Types** (the paper's table 1 and inequalities 1 to 3). `script`, `style`, `form`, `button`, `br` and the other
//! tags of table 1 are ignorable, and so are invisible elements. For other elements the first rule that holds decides:
//!
//! ```text
//! image      if LN = 0, NLC = 0 and IN > 0                          (1)
//! link       if LC > NLC   or  LN/LN_b > NLC/NLC_b                  (2)
//! text       if NLC > LC  and  NLC/NLC_b > LN/LN_b                  (3)
//! ignorable  if TC = LN = 0
//! text       otherwise: a tie
//! ```
//!
//! The first halves of (2) and (3) are misprinted in the paper: they compare a number of links with a number of
//! characters. The paper's sentence compares link characters with other characters, which is the default
//! (`char_share=node`). Two other readings are values of `char_share`. The paper does not mention ties; they are
//! common, because the body has both shares equal to 1.
//!
//! **4. Coherence and density.** The coherence of a node is the share of the leaves below it that have its own type.
//! Its density is `NLC / NLC_b`.
//!
//! **5. Start.** The list holds the nodes of type text with a density above `density`, bottom-up. The walk starts at
//! the second one, because title, date and source are outside of the first. The paper states no value for `density`.
//! 0.5 is the least value at which the nodes of the list are always nested, as the paper says they are.
//!
//! **6. Walk.** A text node whose coherence reaches `coherence` is kept with all its text. Otherwise the walk goes down
//! to its children. A link node is kept if the nodes on both of its sides are text. Images and ignorable nodes hold no
//! text. The paper says "greater than" the threshold and also tries the threshold 1, which no coherence can exceed; the
//! default is `ge`.
//!
//! **7. Exact sweeps.** The selection changes only at the coherences of nodes on the walk, and at the densities of the
//! nodes that can be first or second in the list.
//!
//! **Known failures.** Comment areas with much text are text nodes too. A source line that is only a link is dropped. A
//! page whose text is mostly in links has no dense node, and the extraction is empty.

use std::cmp::Ordering;

use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, List, Number, Verdict};
use super::features::Prefix;
use super::features::links::{Anchor, Links};
use super::features::visible::{VisibleText, visible_nodes};
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Content by node type annotation.
pub(super) struct Nta;

/// Parameters of `nta`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NtaParameters {
    /// least share of a text node's leaves that are of its type; the paper sweeps 0.6 to 1
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub coherence: Value,
    /// `ge`: at least that share; `gt`: more (at 1 nothing but links between text is left)
    pub coherence_cmp: CoherenceCmp,
    /// share of the page's non-link characters; a start node must hold more than this share
    #[schemars(extend("from" = "0", "below" = "1"))]
    pub density: Value,
    /// which of the dense text nodes, bottom-up, the walk starts from
    pub start: Start,
    /// where to start when no node is dense enough
    pub no_start: NoStart,
    /// which link characters are compared with which others when a node is typed
    pub char_share: CharShare,
    /// the type of a node whose shares are equal (the body, every wrapper of all there is)
    pub tie: Tie,
    /// whether `form` is among the ignorable tags, as printed
    pub form_is_ignorable: bool,
    /// whether text under ignorable tags counts and can be selected
    pub ignorable_text: IgnorableText,
    /// which stray text is a leaf of its own
    pub text_leaf: TextLeaf,
    /// which leaves count for coherence
    pub leaves: Leaves,
    /// whether empty elements count for coherence
    pub empty_leaf: EmptyLeaf,
    /// which neighbours of a link must be text for the link to be kept
    pub link_siblings: LinkSiblings,
    /// which nodes of type link may be kept
    pub link_scope: LinkScope,
    /// whether ignorable nodes stand between neighbours
    pub neighbour: Neighbour,
    /// which `a` elements are links
    pub anchor: Anchor,
}

impl Default for NtaParameters {
    fn default() -> Self {
        NtaParameters {
            coherence: Value::hundredths(90),
            coherence_cmp: CoherenceCmp::Ge,
            density: Value::hundredths(50),
            start: Start::Second,
            no_start: NoStart::Empty,
            char_share: CharShare::Node,
            tie: Tie::Text,
            form_is_ignorable: true,
            ignorable_text: IgnorableText::Counted,
            text_leaf: TextLeaf::Isolated,
            leaves: Leaves::All,
            empty_leaf: EmptyLeaf::Ignorable,
            link_siblings: LinkSiblings::Both,
            link_scope: LinkScope::Node,
            neighbour: Neighbour::Adjacent,
            anchor: Anchor::Any,
        }
    }
}

/// Section 6. The paper says "greater than", but also "below the threshold: go on", and sweeps up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CoherenceCmp {
    Ge,
    Gt,
}

/// Section 5. The paper takes the second: title, date and source stand outside the innermost node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Start {
    Second,
    First,
    Last,
    Body,
}

/// Section 5. The paper is silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum NoStart {
    Empty,
    Body,
}

/// Section 3. The first halves of the paper's inequalities 2 and 3 are misprinted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CharShare {
    /// The node's link characters against its others: the paper's sentence.
    Node,
    /// Their shares of the page's, in analogy to the second half.
    Page,
    /// The number of links against the number of characters, letter by letter.
    Printed,
}

/// Section 3, rule 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tie {
    Text,
    Link,
}

/// Section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum IgnorableText {
    /// The paper's counts are of all characters in a node.
    Counted,
    /// It counts nowhere, is no leaf, and is never selected.
    Excluded,
}

/// Section 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TextLeaf {
    /// Text beside elements: the paper's wrapping of stray text.
    Isolated,
    /// Every text, also the only child of a `p`.
    All,
    /// No text: it is selected only with an element around it.
    None,
}

/// Section 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Leaves {
    /// All four types: each `br`, `script` or empty cell lowers coherence.
    All,
    /// All but `br`.
    NoBr,
    /// All but those of type ignorable.
    Content,
}

/// Section 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum EmptyLeaf {
    /// An empty element is an ignorable leaf.
    Ignorable,
    /// Empty elements outside the ignorable tags do not count.
    Skip,
}

/// Section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LinkSiblings {
    /// Both exist and are text.
    Both,
    /// At least one exists, and those that exist are text.
    Existing,
    /// At least one is text.
    Either,
    /// A link is never kept.
    None,
}

/// Section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LinkScope {
    /// Every node of type link, so that a list of links between two texts is kept.
    Node,
    /// Only `a` elements and text leaves.
    Anchor,
}

/// Section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Neighbour {
    /// A `br` beside the link is its neighbour.
    Adjacent,
    /// Ignorable nodes are skipped.
    Nearest,
}

const PAGE_A: &str = "<body><div id=w><div id=nav><a href=1>Home</a> <a href=2>News</a></div>\
    <div id=c><p>aaaaaaaaaa</p><p>bbbbbbbbbb</p></div><div id=foot>cc</div></div></body>";

const PAGE_B: &str = "<body><div id=c>aaaaaaaaaa<br>bbbbb<a href=1>ccc</a>dddd<br><a href=2>ee</a></div>\
    <div id=x><a href=3>ff</a></div></body>";

impl PageAlgorithm for Nta {
    type Parameters = NtaParameters;
    type Prepared<'p> = Typed<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "nta",
        title: "types nodes as text, link, image or ignorable, and keeps text nodes whose leaves are uniform",
        source: "paper NTA (content extraction by node type annotation), sections 3 and 4",
        faithful_to: FaithfulTo::Paper,
        languages: "any",
        cost: "O(nodes)",
        swept: &[Swept::exact("coherence", "0.6..1.0/0.05"), Swept::exact("density", "0.1..0.9/0.1")],
        // Page A: NLC_b = 22, LC_b = 8, LN_b = 2. nav: l = 1 > n = 0, a link. c: TD 20/22, DOC 1. w: n = l = 1, a
        // tie, so text; 3 of its 5 leaves are text: DOC 3/5. List: c, w, body; start w; break points 3/5 and 1.
        // Page B: NLC_b = 19, LC_b = 7, LN_b = 3. Leaves of c: text br text a text br a: DOC 3/7, without br 3/5.
        // List: the leaf of ten a (10/19), c, body; start c; break point 3/7.
        examples: &[
            Example::new(
                "A: the tie makes the wrapper text; the second node is the wrapper",
                PAGE_A,
                "",
                "aaaaaaaaaa\nbbbbbbbbbb\ncc",
            ),
            Example::new("A: from the first node", PAGE_A, "start=first", "aaaaaaaaaa\nbbbbbbbbbb"),
            Example::new("A: a tie as link leaves one node in the list", PAGE_A, "tie=link", "aaaaaaaaaa\nbbbbbbbbbb"),
            Example::new(
                "A: at the break point 3/5 all of the wrapper is kept",
                PAGE_A,
                "coherence=0.6",
                "Home News\naaaaaaaaaa\nbbbbbbbbbb\ncc",
            ),
            Example::new(
                "A: just above it is taken apart",
                PAGE_A,
                "coherence=0.6,coherence_cmp=gt",
                "aaaaaaaaaa\nbbbbbbbbbb\ncc",
            ),
            Example::new(
                "A: nav's one neighbour is text",
                PAGE_A,
                "link_siblings=existing",
                "Home News\naaaaaaaaaa\nbbbbbbbbbb\ncc",
            ),
            Example::new(
                "B: ccc stands between two text leaves, ee between a br and nothing",
                PAGE_B,
                "",
                "aaaaaaaaaa\nbbbbbcccdddd",
            ),
            Example::new(
                "B: with the br skipped, ee has one neighbour",
                PAGE_B,
                "link_siblings=existing,neighbour=nearest",
                "aaaaaaaaaa\nbbbbbcccdddd\nee",
            ),
            Example::new("B: below 3/7 all of c is kept", PAGE_B, "coherence=0.4", "aaaaaaaaaa\nbbbbbcccdddd\nee"),
            Example::new(
                "B: strictly above 1 no leaf is uniform enough",
                PAGE_B,
                "coherence=1,coherence_cmp=gt",
                "ccc",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut NtaParameters, name: &str) -> Option<&'p mut Value> {
        match name {
            "coherence" => Some(&mut parameters.coherence),
            "density" => Some(&mut parameters.density),
            _ => None,
        }
    }

    fn prepare<'p>(&self, page: &'p Page, parameters: &NtaParameters) -> Typed<'p> {
        Typed::new(page, parameters)
    }

    fn choose(&self, typed: &Typed<'_>, parameters: &NtaParameters) -> Choice {
        match typed.start(parameters) {
            Some(start) => typed.selected(start, parameters).into_iter().collect(),
            None => std::iter::empty().collect(),
        }
    }

    fn break_points(&self, typed: &Typed<'_>, parameters: &NtaParameters, swept: &str) -> Vec<Value> {
        match swept {
            "coherence" => typed.start(parameters).map_or(Vec::new(), |start| typed.coherences_below(start)),
            _ => typed.densities(parameters.start),
        }
    }

    fn explain(&self, typed: &Typed<'_>, parameters: &NtaParameters) -> Explanation {
        typed.explain(parameters)
    }
}

/// The four types of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Text,
    Link,
    Image,
    Ignorable,
}

impl Type {
    fn word(self) -> &'static str {
        match self {
            Type::Text => "text",
            Type::Link => "link",
            Type::Image => "image",
            Type::Ignorable => "ignorable",
        }
    }
}

/// What the walk does with a node that it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// Its text is selected.
    Coherent,
    /// Its children are looked at.
    TakenApart,
    /// A link whose siblings let it stay.
    LinkKept,
    LinkDropped,
    /// An image or an ignorable node.
    Passed,
}

/// A node of the tree that is typed: an element of the body or a text leaf.
struct Node {
    id: NodeId,
    /// The first place behind what is below it.
    end: u32,
    held: Held,
    kind: Type,
    is_leaf: bool,
    /// Of the counting leaves below: how many are of this node's type, and how many there are.
    same: u32,
    counting: u32,
}

impl Node {
    /// `DOC_i` of section 4.
    fn coherence(&self) -> Value {
        if self.is_leaf || self.counting == 0 {
            return Value::ONE;
        }
        Value::ratio(self.same.into(), self.counting.into())
    }
}

/// A typed page: what does not depend on `coherence` and `density`.
pub(super) struct Typed<'p> {
    tree: &'p Tree,
    /// In document order; the body is the first.
    nodes: Vec<Node>,
    /// Places of the nodes of type text, in post-order.
    texts: Vec<u32>,
    /// The text that can be selected, in document order.
    selectable: Vec<NodeId>,
}

/// The page's counts under one reading: sections 1 and 3.
struct Sums {
    chars: Prefix,
    link_chars: Prefix,
    links: Prefix,
    images: Prefix,
}

/// What a node of the typed tree holds.
#[derive(Clone, Copy)]
struct Held {
    /// Chars outside links (`NLC_i`).
    nonlink: u32,
    /// Chars in links (`LC_i`).
    link_chars: u32,
    links: u32,
    images: u32,
}

impl Sums {
    fn of(&self, tree: &Tree, id: NodeId) -> Held {
        let link_chars = self.link_chars.of(tree, id);
        let nonlink = self.chars.of(tree, id) - link_chars;
        Held { nonlink, link_chars, links: self.links.of(tree, id), images: self.images.of(tree, id) }
    }
}

/// Section 3, table 1, and every invisible element.
fn is_ignorable_tag(tree: &Tree, id: NodeId, form_is_ignorable: bool) -> bool {
    let name: &str = tree.name(id);
    tree.is_invisible(id)
        || matches!(name, "br" | "button" | "input" | "select" | "option" | "label" | "map" | "area" | "embed")
        || name == "comment"
        || (form_is_ignorable && name == "form")
}

/// `a/b > c/d`, where a ratio with denominator 0 is 0 (its numerator is 0 too).
fn exceeds((a, b): (u32, u32), (c, d): (u32, u32)) -> bool {
    u64::from(a) * u64::from(d.max(1)) > u64::from(c) * u64::from(b.max(1))
}

impl<'p> Typed<'p> {
    fn new(page: &'p Page, parameters: &NtaParameters) -> Self {
        let tree = &page.tree;
        let mut typed = Typed { tree, nodes: Vec::new(), texts: Vec::new(), selectable: Vec::new() };
        let text = page.view::<VisibleText>();
        let Some(body) = text.body else { return typed };
        let ignorable: Vec<bool> = tree
            .ids()
            .map(|id| tree.is_element(id) && is_ignorable_tag(tree, id, parameters.form_is_ignorable))
            .collect();
        let excluded = match parameters.ignorable_text {
            IgnorableText::Counted => vec![false; tree.len()],
            IgnorableText::Excluded => below(tree, &ignorable),
        };
        typed.selectable = text.nodes.iter().copied().filter(|id| !excluded[id.index()]).collect();
        let links = Links::of(page, parameters.anchor);
        let sums = typed.sums(body, parameters.anchor, &text, &links);
        typed.add_nodes(body, parameters, &ignorable, &sums);
        typed.count_leaves(parameters, &ignorable);
        typed.texts = (0..typed.nodes.len() as u32).filter(|&i| typed.nodes[i as usize].kind == Type::Text).collect();
        // Post-order: children before parents, left to right.
        typed.texts.sort_by_key(|&i| (typed.nodes[i as usize].end, std::cmp::Reverse(i)));
        typed
    }

    fn sums(&self, body: NodeId, anchor: Anchor, text: &VisibleText, links: &Links) -> Sums {
        let tree = self.tree;
        let mut weights: [Vec<u32>; 4] = std::array::from_fn(|_| vec![0; tree.len()]);
        let [chars, link_chars, link_count, images] = &mut weights;
        for &id in &self.selectable {
            let count = text.chars(tree, id);
            chars[id.index()] = count;
            let in_link = text.rank(tree, id).is_some_and(|rank| links.in_link[rank]);
            link_chars[id.index()] = if in_link { count } else { 0 };
        }
        for id in visible_nodes(tree, body) {
            link_count[id.index()] = u32::from(Links::is_link(tree, id, anchor));
            images[id.index()] = u32::from(*tree.name(id) == local_name!("img"));
        }
        let [chars, link_chars, links, images] = weights.map(|weights| Prefix::new(tree, |id| weights[id.index()]));
        Sums { chars, link_chars, links, images }
    }

    /// Sections 2 and 3: the nodes, in document order, and their types.
    fn add_nodes(&mut self, body: NodeId, parameters: &NtaParameters, ignorable: &[bool], sums: &Sums) {
        let tree = self.tree;
        let whole = sums.of(tree, body);
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        for id in visible_nodes(tree, body) {
            while let Some(&(element, at)) = open.last()
                && !tree.contains(element, id)
            {
                self.nodes[at].end = self.nodes.len() as u32;
                open.pop();
            }
            let held = sums.of(tree, id);
            let is_text = tree.is_text(id);
            if is_text && !self.is_text_leaf(id, held, parameters.text_leaf) {
                continue;
            }
            let is_leaf = is_text || self.is_leaf_element(id, held, parameters.text_leaf);
            let kind = match () {
                () if ignorable[id.index()] => Type::Ignorable,
                () if is_leaf => leaf_type(tree, id, held, parameters.anchor),
                () => inner_type(held, whole, parameters),
            };
            let at = self.nodes.len();
            self.nodes.push(Node { id, end: at as u32 + 1, held, kind, is_leaf, same: 0, counting: 0 });
            if !is_text {
                open.push((id, at));
            }
        }
        for (_, at) in open {
            self.nodes[at].end = self.nodes.len() as u32;
        }
    }

    fn is_text_leaf(&self, id: NodeId, held: Held, text_leaf: TextLeaf) -> bool {
        let has_chars = held.nonlink + held.link_chars > 0;
        has_chars
            && match text_leaf {
                TextLeaf::All => true,
                TextLeaf::None => false,
                TextLeaf::Isolated => self.tree.parent(id).is_some_and(|parent| self.has_element_child(parent)),
            }
    }

    fn is_leaf_element(&self, id: NodeId, held: Held, text_leaf: TextLeaf) -> bool {
        let has_text_leaf = text_leaf == TextLeaf::All && held.nonlink + held.link_chars > 0;
        self.tree.is_invisible(id) || !(self.has_element_child(id) || has_text_leaf)
    }

    fn has_element_child(&self, id: NodeId) -> bool {
        self.tree.children(id).any(|child| self.tree.is_element(child))
    }

    /// Section 4: for each node, its counting leaves and those of its own type.
    fn count_leaves(&mut self, parameters: &NtaParameters, ignorable: &[bool]) {
        let tree = self.tree;
        let counts = |node: &Node| {
            let is_br = *tree.name(node.id) == local_name!("br");
            let is_empty = node.kind == Type::Ignorable && !ignorable[node.id.index()];
            node.is_leaf
                && match parameters.leaves {
                    Leaves::All => true,
                    Leaves::NoBr => !is_br,
                    Leaves::Content => node.kind != Type::Ignorable,
                }
                && !(is_empty && parameters.empty_leaf == EmptyLeaf::Skip)
        };
        let mut before: Vec<[u32; 4]> = Vec::with_capacity(self.nodes.len() + 1);
        let mut sums = [0; 4];
        for node in &self.nodes {
            before.push(sums);
            sums[node.kind as usize] += u32::from(counts(node));
        }
        before.push(sums);
        for (i, node) in self.nodes.iter_mut().enumerate() {
            let (from, to) = (before[i + 1], before[(node.end as usize).max(i + 1)]);
            node.same = to[node.kind as usize] - from[node.kind as usize];
            node.counting = (0..4).map(|kind| to[kind] - from[kind]).sum();
        }
    }

    /// `NLC_b`.
    fn page_nonlink(&self) -> u64 {
        self.nodes.first().map_or(0, |body| u64::from(body.held.nonlink))
    }

    /// Section 5: the places of the nodes that hold enough of the page, in the order of the list.
    fn dense(&self, parameters: &NtaParameters) -> impl DoubleEndedIterator<Item = u32> {
        let (whole, density) = (self.page_nonlink(), parameters.density);
        self.texts.iter().copied().filter(move |&i| {
            let part = u64::from(self.nodes[i as usize].held.nonlink);
            density.compare_ratio(part, whole) == Ordering::Greater
        })
    }

    /// Section 5: the place of the start node.
    fn start(&self, parameters: &NtaParameters) -> Option<u32> {
        if self.nodes.is_empty() {
            return None;
        }
        let mut dense = self.dense(parameters);
        let found = match parameters.start {
            Start::Body => return Some(0),
            Start::First => dense.next(),
            Start::Last => dense.next_back(),
            Start::Second => dense.next().map(|first| dense.next().unwrap_or(first)),
        };
        found.or((parameters.no_start == NoStart::Body).then_some(0))
    }

    /// Section 6: the selected text nodes.
    fn selected(&self, start: u32, parameters: &NtaParameters) -> Vec<NodeId> {
        let mut selected = Vec::new();
        self.walk(start, parameters, |i, decision| {
            if matches!(decision, Decision::Coherent | Decision::LinkKept) {
                selected.extend(self.text_under(self.nodes[i as usize].id));
            }
        });
        selected
    }

    /// Section 6: hands `decided` the place of each node that the walk comes to.
    fn walk(&self, start: u32, parameters: &NtaParameters, mut decided: impl FnMut(u32, Decision)) {
        let mut to_visit = vec![start];
        while let Some(i) = to_visit.pop() {
            let node = &self.nodes[i as usize];
            if node.kind == Type::Text && self.is_coherent(node, parameters) {
                decided(i, Decision::Coherent);
                continue;
            }
            decided(i, Decision::TakenApart);
            let children = self.children(i);
            for (place, &child) in children.iter().enumerate() {
                match self.nodes[child as usize].kind {
                    Type::Text => to_visit.push(child),
                    Type::Link if self.keeps_link(&children, place, parameters) => decided(child, Decision::LinkKept),
                    Type::Link => decided(child, Decision::LinkDropped),
                    Type::Image | Type::Ignorable => decided(child, Decision::Passed),
                }
            }
        }
    }

    /// Every node with its numbers, the list that the start node is from, and what the walk decided.
    fn explain(&self, parameters: &NtaParameters) -> Explanation {
        let Some(body) = self.nodes.first() else { return Explanation::default() };
        let start = self.start(parameters);
        let judged = |node: &Node| Judged::outside(node.id, self.figures(node, body.held));
        let mut nodes: Vec<Judged> = self.nodes.iter().map(judged).collect();
        let mut figures = vec![
            Figure::count("characters outside links", body.held.nonlink),
            Figure::count("characters in links", body.held.link_chars),
            Figure::count("links", body.held.links),
        ];
        if let Some(start) = start {
            figures.push(Figure::new("start node", Number::Node(self.nodes[start as usize].id)));
            self.walk(start, parameters, |i, decision| {
                let (verdict, why) = self.reason(i, decision, parameters);
                let why = if i == start { format!("start node; {why}") } else { why };
                nodes[i as usize].decide(verdict, why);
            });
        } else {
            figures.push(Figure::word("start node", "none: no text node is dense enough"));
        }
        let entry = |i: u32| {
            let entry = judged(&self.nodes[i as usize]);
            if Some(i) == start { entry.decided(Verdict::Chosen, "start node") } else { entry }
        };
        let title = "nodes of type text above the density, bottom-up";
        let lists = vec![List { title, entries: self.dense(parameters).map(entry).collect() }];
        Explanation { figures, lists, nodes }
    }

    fn figures(&self, node: &Node, page: Held) -> Vec<Figure> {
        let held = node.held;
        let mut figures = vec![Figure::word("type", node.kind.word())];
        if !node.is_leaf {
            figures.push(Figure::ratio("coherence", node.same, node.counting));
        }
        figures.push(Figure::ratio("density", held.nonlink, page.nonlink));
        if held.links > 0 || held.link_chars > 0 {
            figures.push(Figure::count("characters in links", held.link_chars));
            figures.push(Figure::ratio("links", held.links, page.links));
        }
        figures
    }

    fn reason(&self, i: u32, decision: Decision, parameters: &NtaParameters) -> (Verdict, String) {
        let node = &self.nodes[i as usize];
        let (coherence, least) = (node.coherence(), parameters.coherence);
        let siblings = match parameters.link_siblings {
            LinkSiblings::Both => "text on both sides",
            LinkSiblings::Existing => "nothing but text beside it",
            LinkSiblings::Either => "text on one side",
            LinkSiblings::None => "links never stay",
        };
        match decision {
            Decision::Coherent => (Verdict::Chosen, format!("coherence {coherence} reaches {least}")),
            Decision::TakenApart if node.kind != Type::Text => (Verdict::Entered, "taken apart".to_owned()),
            Decision::TakenApart => (Verdict::Entered, format!("coherence {coherence} does not reach {least}")),
            Decision::LinkKept => (Verdict::Chosen, format!("a link that stays: {siblings}")),
            Decision::LinkDropped if parameters.link_siblings == LinkSiblings::None => {
                (Verdict::Dropped, format!("a link: {siblings}"))
            }
            Decision::LinkDropped => (Verdict::Dropped, format!("a link without {siblings}")),
            Decision::Passed => (Verdict::Dropped, format!("of type {}", node.kind.word())),
        }
    }

    fn is_coherent(&self, node: &Node, parameters: &NtaParameters) -> bool {
        let order = node.coherence().cmp(&parameters.coherence);
        order == Ordering::Greater || (order == Ordering::Equal && parameters.coherence_cmp == CoherenceCmp::Ge)
    }

    fn children(&self, parent: u32) -> Vec<u32> {
        let end = self.nodes[parent as usize].end;
        let mut children = Vec::new();
        let mut next = parent + 1;
        while next < end {
            children.push(next);
            next = self.nodes[next as usize].end;
        }
        children
    }

    /// The paper's rule that a link is kept if its adjacent siblings are text nodes.
    fn keeps_link(&self, siblings: &[u32], place: usize, parameters: &NtaParameters) -> bool {
        let node = |&i: &u32| &self.nodes[i as usize];
        let link = node(&siblings[place]);
        let is_anchor = self.tree.is_text(link.id) || *self.tree.name(link.id) == local_name!("a");
        if parameters.link_scope == LinkScope::Anchor && !is_anchor {
            return false;
        }
        let is_neighbour = |node: &&Node| parameters.neighbour == Neighbour::Adjacent || node.kind != Type::Ignorable;
        let neighbours = [
            siblings[..place].iter().rev().map(node).find(is_neighbour),
            siblings[place + 1..].iter().map(node).find(is_neighbour),
        ];
        let mut existing = neighbours.iter().flatten().map(|node| node.kind == Type::Text);
        match parameters.link_siblings {
            LinkSiblings::Both => existing.clone().count() == 2 && existing.all(|is_text| is_text),
            LinkSiblings::Existing => existing.clone().count() > 0 && existing.all(|is_text| is_text),
            LinkSiblings::Either => existing.any(|is_text| is_text),
            LinkSiblings::None => false,
        }
    }

    fn text_under(&self, id: NodeId) -> &[NodeId] {
        let from = self.selectable.partition_point(|&text| text < id);
        let to = self.selectable.partition_point(|&text| text < self.tree.end(id));
        &self.selectable[from..to]
    }

    /// Section 7: the coherences of the inner nodes met on the way down that are greater than those
    /// of all text nodes above them.
    fn coherences_below(&self, start: u32) -> Vec<Value> {
        let mut found = Vec::new();
        let mut to_visit: Vec<(u32, Option<Value>)> = vec![(start, None)];
        while let Some((i, above)) = to_visit.pop() {
            let node = &self.nodes[i as usize];
            let mut greatest = above;
            if node.kind == Type::Text && !node.is_leaf && above.is_none_or(|above| node.coherence() > above) {
                greatest = Some(node.coherence());
                found.push(node.coherence());
            }
            let is_text = |child: &u32| self.nodes[*child as usize].kind == Type::Text;
            to_visit.extend(self.children(i).into_iter().filter(is_text).map(|child| (child, greatest)));
        }
        found
    }

    /// Section 7: the densities at which the start node can change.
    fn densities(&self, start: Start) -> Vec<Value> {
        let whole = self.page_nonlink();
        let shares = self.texts.iter().map(|&i| self.nodes[i as usize].held.nonlink);
        // Only a node with fewer than `limit` others before it that are as dense can be chosen.
        let (candidates, limit): (Vec<u32>, usize) = match start {
            Start::Body => return Vec::new(),
            Start::First => (shares.collect(), 1),
            Start::Second => (shares.collect(), 2),
            Start::Last => (shares.rev().collect(), 1),
        };
        let mut greatest: Vec<u32> = Vec::new();
        let mut found = Vec::new();
        for share in candidates {
            if greatest.iter().filter(|&&known| known >= share).count() < limit {
                found.push(Value::ratio(share.into(), whole));
                greatest.push(share);
                greatest.sort_unstable_by(|a, b| b.cmp(a));
                greatest.truncate(limit);
            }
        }
        found
    }
}

/// Whether each node is below a marked one.
fn below(tree: &Tree, marked: &[bool]) -> Vec<bool> {
    let mut below = vec![false; tree.len()];
    for id in tree.ids().skip(1) {
        let parent = tree.parent(id).unwrap_or(NodeId::DOCUMENT).index();
        below[id.index()] = below[parent] || marked[parent];
    }
    below
}

/// Section 3, leaves.
fn leaf_type(tree: &Tree, id: NodeId, held: Held, anchor: Anchor) -> Type {
    if Links::is_link(tree, id, anchor) || held.link_chars > 0 {
        Type::Link
    } else if *tree.name(id) == local_name!("img") {
        Type::Image
    } else if held.nonlink > 0 {
        Type::Text
    } else {
        Type::Ignorable
    }
}

/// Section 3, non-leaves: the first rule that holds.
fn inner_type(node: Held, page: Held, parameters: &NtaParameters) -> Type {
    if node.links == 0 && node.nonlink == 0 && node.images > 0 {
        return Type::Image;
    }
    let (nonlink, links) = ((node.nonlink, page.nonlink), (node.links, page.links));
    let (link_side, text_side) = match parameters.char_share {
        CharShare::Node => ((node.link_chars, 1), (node.nonlink, 1)),
        CharShare::Page => ((node.link_chars, page.link_chars), nonlink),
        CharShare::Printed => ((node.links, 1), (node.nonlink, 1)),
    };
    if exceeds(link_side, text_side) || exceeds(links, nonlink) {
        Type::Link
    } else if exceeds(text_side, link_side) && exceeds(nonlink, links) {
        Type::Text
    } else if node.nonlink + node.link_chars == 0 && node.links == 0 {
        Type::Ignorable
    } else {
        match parameters.tie {
            Tie::Text => Type::Text,
            Tie::Link => Type::Link,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn typed(html: &str, parameters: &NtaParameters) -> Vec<(String, Type)> {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let typed = Typed::new(&page, parameters);
        typed.nodes.iter().map(|node| (page.tree.name(node.id).to_string(), node.kind)).collect()
    }

    fn coherences(html: &str) -> Vec<Value> {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let typed = Typed::new(&page, &NtaParameters::default());
        let start = typed.start(&NtaParameters::default()).unwrap();
        let mut found = typed.coherences_below(start);
        found.sort();
        found
    }

    #[test]
    fn types_of_page_a() {
        let types = typed(PAGE_A, &NtaParameters::default());
        use Type::{Link, Text};
        let expected = [
            ("body", Text),
            ("div", Text),
            ("div", Link),
            ("a", Link),
            ("a", Link),
            ("div", Text),
            ("p", Text),
            ("p", Text),
            ("div", Text),
        ];
        assert_eq!(types, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }

    #[test]
    fn break_points_of_the_golden_pages() {
        assert_eq!(coherences(PAGE_A), [Value::ratio(3, 5), Value::ONE]);
        assert_eq!(coherences(PAGE_B), [Value::ratio(3, 7)]);
    }

    #[test]
    fn a_page_with_link_text_alone_is_empty() {
        let page = Page::new(b"<body><a href=1>x</a><div><a href=2>y</a></div>", Context::default()).unwrap();
        let typed = Typed::new(&page, &NtaParameters::default());
        assert_eq!(typed.start(&NtaParameters::default()), None);
    }

    #[test]
    fn empty_elements_and_images_have_their_types() {
        let html = "<div><p>&nbsp;</p><hr><span><img></span><img><a></a><a><b>x</b></a>y</div>";
        let types = typed(html, &NtaParameters::default());
        let kinds: Vec<Type> = types.into_iter().map(|(_, kind)| kind).collect();
        use Type::{Ignorable, Image, Link, Text};
        // body and div: n = 1, l = 1 and LC = NLC: a tie. Then p, hr, span, its img, img, a, a, b, the text leaf.
        assert_eq!(kinds, [Text, Text, Ignorable, Ignorable, Image, Image, Image, Link, Link, Link, Text]);
    }
}

//! What is told of a page's nodes: what the algorithm said of them, and what became of their text.

use rustc_hash::FxHashMap;

use crate::algorithms::explanation::{Explanation, Figure, Judged, Verdict};
use crate::algorithms::features::Prefix;
use crate::algorithms::features::visible::{VisibleText, visible_nodes};
use crate::page::Page;
use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};
use crate::text::collapse;

use super::in_gold::in_gold;

/// What became of the visible text at and below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All of it was chosen.
    All,
    /// Some of it.
    Part,
    /// Nothing of it.
    Nothing,
    /// There is none.
    NoText,
}

impl Outcome {
    /// How it is marked.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Outcome::All => "+",
            Outcome::Part => "~",
            Outcome::Nothing => "-",
            Outcome::NoText => " ",
        }
    }

    /// Its name in JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Outcome::All => "all",
            Outcome::Part => "part",
            Outcome::Nothing => "nothing",
            Outcome::NoText => "no text",
        }
    }
}

/// The nodes of a page's body that can be seen, each with what is told of it.
pub(super) struct Nodes {
    /// In document order: elements and text that is not blank.
    pub(super) ids: Vec<NodeId>,
    judged: FxHashMap<NodeId, Judged>,
    text: Prefix,
    chosen: Prefix,
    /// How many characters of visible text there are, and how many of them the gold has too; `None` without gold, or
    /// with too much text to align.
    gold: Option<(Prefix, Prefix)>,
}

impl Nodes {
    pub(super) fn new(page: &Page, selection: &Selection, explanation: &Explanation, gold: Option<&str>) -> Self {
        let (tree, visible) = (&page.tree, page.view::<VisibleText>());
        let body = visible.body.into_iter().flat_map(|body| visible_nodes(tree, body));
        let ids = body.filter(|&id| tree.is_element(id) || visible.rank(tree, id).is_some()).collect();
        let is_text = |id: NodeId| visible.rank(tree, id).is_some();
        let text = Prefix::new(tree, |id| u32::from(is_text(id)));
        let chosen = Prefix::new(tree, |id| u32::from(is_text(id) && selection.has(id)));
        let gold = gold.and_then(|gold| in_gold(page, gold, selection));
        let judged = explanation.nodes.iter().map(|judged| (judged.id, judged.clone())).collect();
        let mut nodes = Nodes { ids, judged, text, chosen, gold };
        nodes.fill(tree, explanation.nodes.is_empty());
        nodes
    }

    /// Adds the largest parts that no verdict speaks of: what was chosen, and where the algorithm says nothing of any
    /// node, what was not.
    fn fill(&mut self, tree: &Tree, says_nothing: bool) {
        let decided = self.decided(tree);
        let mut behind = NodeId::DOCUMENT;
        for id in self.ids.clone() {
            let verdict = self.judged.get(&id).map_or(Verdict::Outside, |judged| judged.verdict);
            if matches!(verdict, Verdict::Chosen | Verdict::Dropped) && self.outcome(tree, id) != Outcome::Part {
                behind = behind.max(tree.end(id));
            }
            if id < behind || verdict != Verdict::Outside || decided.of(tree, id) > 0 {
                continue;
            }
            let found = match self.outcome(tree, id) {
                Outcome::All => (Verdict::Chosen, "chosen"),
                Outcome::Nothing if says_nothing => (Verdict::Dropped, "not chosen"),
                Outcome::Part if says_nothing => (Verdict::Entered, "in part"),
                _ => continue,
            };
            if found.0 != Verdict::Entered {
                behind = tree.end(id);
            }
            // What stands right below an element that is told of, with all of its text chosen, says nothing more.
            let is_told = |parent| self.judged.contains_key(&parent) && self.outcome(tree, parent) == Outcome::All;
            if !says_nothing && tree.parent(id).is_some_and(is_told) {
                continue;
            }
            let judged = self.judged.entry(id).or_insert_with(|| Judged::outside(id, Vec::new()));
            judged.decide(found.0, found.1);
        }
    }

    pub(super) fn outcome(&self, tree: &Tree, id: NodeId) -> Outcome {
        match (self.text.of(tree, id), self.chosen.of(tree, id)) {
            (0, _) => Outcome::NoText,
            (_, 0) => Outcome::Nothing,
            (text, chosen) if text == chosen => Outcome::All,
            _ => Outcome::Part,
        }
    }

    /// What is told of a node.
    pub(super) fn judged(&self, id: NodeId) -> Option<&Judged> {
        self.judged.get(&id)
    }

    /// How much of a node's text the gold has too.
    pub(super) fn in_gold(&self, tree: &Tree, id: NodeId) -> Option<Figure> {
        let (all, matched) = self.gold.as_ref()?;
        let all = all.of(tree, id);
        (all > 0).then(|| Figure::ratio("characters in the gold", matched.of(tree, id), all))
    }

    /// 1 for each node about which something was decided.
    fn decided(&self, tree: &Tree) -> Prefix {
        let is_decided = |id| self.judged.get(&id).is_some_and(|judged| judged.verdict != Verdict::Outside);
        Prefix::new(tree, |id| u32::from(is_decided(id)))
    }

    /// The nodes about which something was decided, and what stands around them.
    pub(super) fn that_matter(&self, tree: &Tree) -> Vec<NodeId> {
        let decided = self.decided(tree);
        self.ids.iter().copied().filter(|&id| decided.of(tree, id) > 0).collect()
    }
}

/// Characters of a text, an id or a class that are shown.
const SHOWN: usize = 60;

/// A node in one line: an element as in a selector, a text in quotes.
pub(super) fn element(tree: &Tree, id: NodeId) -> String {
    if tree.is_text(id) {
        return format!("\"{}\"", short(&collapse(tree.text(id)), SHOWN));
    }
    let mut name = tree.name(id).to_string();
    for attribute in tree.attributes(id) {
        let words = attribute.value.split_ascii_whitespace();
        match &**attribute.name {
            "id" => name.extend(words.take(1).flat_map(|word| ["#", word])),
            "class" => name.extend(words.take(3).flat_map(|word| [".", word])),
            _ => {}
        }
    }
    short(&name, SHOWN)
}

/// The beginning of a text that is longer.
pub(super) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

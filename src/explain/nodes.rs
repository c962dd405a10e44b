//! What is told of a page's nodes: what the algorithm said of them, and what became of their text.

use rustc_hash::FxHashMap;

use crate::algorithms::explanation::{Explanation, Figure, Judged, Verdict};
use crate::algorithms::features::Prefix;
use crate::algorithms::features::visible::{VisibleText, visible_nodes};
use crate::datasets::node_tokens::{NodeTokens, char_tokens};
use crate::page::Page;
use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};
use crate::scoring::alignment::matched;
use crate::text::collapse;
use crate::text::tokens::Token;

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

/// The characters of each node's visible text, and those that the gold has too.
fn in_gold(page: &Page, gold: &str, selection: &Selection) -> Option<(Prefix, Prefix)> {
    let tokens = page.view::<NodeTokens>();
    let matched = found_in_gold(&tokens, &char_tokens(gold), selection)?;
    let (mut all, mut found) = (vec![0; page.tree.len()], vec![0; page.tree.len()]);
    for (node, range) in tokens.nodes.iter().zip(&tokens.ranges) {
        all[node.index()] = range.len() as u32;
        found[node.index()] = matched[range.clone()].iter().filter(|matched| **matched).count() as u32;
    }
    Some((Prefix::new(&page.tree, |id| all[id.index()]), Prefix::new(&page.tree, |id| found[id.index()])))
}

/// For each character of the page, true if the gold has it. The chosen text is aligned with the gold first, as it is scored. The
/// rest of the gold is looked for elsewhere, nearest to the chosen text: a headline often stands in a list of links, too.
fn found_in_gold(tokens: &NodeTokens, gold: &[Token], selection: &Selection) -> Option<Vec<bool>> {
    let mut is_chosen = vec![false; tokens.tokens.len()];
    for (_, range) in tokens.nodes.iter().zip(&tokens.ranges).filter(|(node, _)| selection.has(**node)) {
        is_chosen[range.clone()].fill(true);
    }
    let places: Vec<usize> = (0..is_chosen.len()).filter(|&place| is_chosen[place]).collect();
    let chosen: Vec<Token> = places.iter().map(|&place| tokens.tokens[place]).collect();
    let is_found = in_one_piece(gold, &chosen)?;
    let ends = |is: &[bool]| Some((is.iter().position(|is| *is)?, is.iter().rposition(|is| *is)? + 1));
    let (Some(on_page), Some(in_gold)) = (ends(&is_chosen), ends(&is_found)) else {
        return matched(&tokens.tokens, gold).ok();
    };
    let mut found = vec![false; is_chosen.len()];
    let mut fill = |places: &[usize], gold: &[Token]| -> Option<()> {
        let own: Vec<Token> = places.iter().map(|&place| tokens.tokens[place]).collect();
        places.iter().zip(matched(&own, gold).ok()?).for_each(|(&place, is)| found[place] = is);
        Some(())
    };
    fill(&places, gold)?;
    let rest = [(0, 0), (on_page.0, in_gold.0), (on_page.1, in_gold.1), (is_chosen.len(), gold.len())];
    for (part, ends) in rest.windows(2).enumerate() {
        let mut places: Vec<usize> = (ends[0].0..ends[1].0).filter(|&place| !is_chosen[place]).collect();
        let lacking = (ends[0].1..ends[1].1).filter(|&place| !is_found[place]);
        let mut lacking: Vec<Token> = lacking.map(|place| gold[place]).collect();
        // Of equal alignments the first is taken: in front of what was chosen that is to be the last.
        if part == 0 {
            places.reverse();
            lacking.reverse();
        }
        fill(&places, &lacking)?;
    }
    Some(found)
}

/// For each token of the gold, true if an alignment matches it with the `text`, and of those that are equally long one in few
/// pieces: a headline has characters of the paragraph behind it, which are matched there.
fn in_one_piece(gold: &[Token], text: &[Token]) -> Option<Vec<bool>> {
    let backwards = |tokens: &[Token]| tokens.iter().rev().copied().collect::<Vec<_>>();
    let early = matched(gold, text).ok()?;
    let mut late = matched(&backwards(gold), &backwards(text)).ok()?;
    late.reverse();
    // Where both have matched as many tokens, one can go over into the other.
    let (mut ahead, mut pieces, mut best) = (0i64, pieces(&early) as i64, (i64::MAX, 0));
    for place in 0..=gold.len() {
        if ahead == 0 && pieces < best.0 {
            best = (pieces, place);
        }
        if place < gold.len() {
            let before = |is: &[bool]| place > 0 && is[place - 1];
            ahead += i64::from(late[place]) - i64::from(early[place]);
            // A piece begins at `place` in the one or in the other.
            pieces += i64::from(late[place] && !before(&late)) - i64::from(early[place] && !before(&early));
        }
    }
    late.truncate(best.1);
    late.extend_from_slice(&early[best.1..]);
    Some(late)
}

/// The number of runs of matched tokens.
fn pieces(is: &[bool]) -> usize {
    let begins = |place: &usize| is[*place] && (*place == 0 || !is[*place - 1]);
    (0..is.len()).filter(begins).count()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    /// The characters that the gold has of each text node, where the texts that hold `*` were chosen.
    fn told(html: &str, gold: &str) -> Vec<String> {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let tree = &page.tree;
        let texts: Vec<NodeId> = page.view::<NodeTokens>().nodes.clone();
        let chosen = texts.iter().copied().filter(|&id| tree.text(id).contains('*'));
        let chosen = Selection::new(chosen.collect());
        let (all, found) = in_gold(&page, gold, &chosen).unwrap();
        texts.iter().map(|&id| format!("{}/{}", found.of(tree, id), all.of(tree, id))).collect()
    }

    #[test]
    fn gold_is_found_in_what_was_chosen_and_then_nearest_to_it() {
        let page = "<a>Flood</a><h1>Flood</h1><p>* It rains.</p><b>End</b><i>End</i>";
        assert_eq!(told(page, "Flood\n* It rains.\nEnd"), ["0/5", "5/5", "9/9", "3/3", "0/3"]);
        // The headline begins as the paragraph does, and what stands behind ends as it does.
        let page = "<h1>Flood now</h1><p>Floods * at sea</p><b>at sea</b>";
        assert_eq!(told(page, "Flood now\nFloods * at sea\nat sea"), ["8/8", "12/12", "5/5"]);
        // What was chosen is in the gold, whatever stands before it.
        assert_eq!(told("<p>rain</p><p>* rain</p>", "* rain"), ["0/4", "5/5"]);
        assert_eq!(told("<p>rain</p><p>sun</p>", "rain"), ["4/4", "0/3"], "nothing was chosen");
    }
}

//! The characters of a page's nodes that its gold has too.
//!
//! The score counts the longest common subsequence, in which characters that a text and the gold share by chance count,
//! too. Here each character of the gold is looked for where it was taken from: in long runs first.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::algorithms::features::Prefix;
use crate::datasets::node_tokens::{NodeTokens, char_tokens};
use crate::page::Page;
use crate::page::selection::Selection;
use crate::text::lcs::alignment;
use crate::text::tokens::Token;

/// The lengths of runs that are looked for, one after the other, the shorter ones between the longer ones.
const RUNS: [usize; 5] = [16, 8, 4, 2, 1];

/// A run of so many characters is hardly in both by chance.
const PIECE: usize = 8;

/// Characters of the page times those of the gold, at most: some seconds.
const MOST_CELLS: u64 = 1 << 35;

/// The number of characters of each node's visible text, and of those that the gold has too; `None` where that would take
/// too long.
pub(super) fn in_gold(page: &Page, gold: &str, selection: &Selection) -> Option<(Prefix, Prefix)> {
    let tokens = page.view::<NodeTokens>();
    let gold = char_tokens(gold);
    if (tokens.tokens.len() as u64).saturating_mul(gold.len() as u64) > MOST_CELLS {
        return None;
    }
    let matched = found_in_gold(&tokens, &gold, selection);
    let (mut all, mut found) = (vec![0; page.tree.len()], vec![0; page.tree.len()]);
    for (node, range) in tokens.nodes.iter().zip(&tokens.ranges) {
        all[node.index()] = range.len() as u32;
        found[node.index()] = matched[range.clone()].iter().filter(|matched| **matched).count() as u32;
    }
    Some((Prefix::new(&page.tree, |id| all[id.index()]), Prefix::new(&page.tree, |id| found[id.index()])))
}

/// For each character of the page, true if the gold has it. The gold is looked for in the chosen text first, for a headline
/// often stands in a list of links, too; on the whole page if more of its pieces are found then.
fn found_in_gold(tokens: &NodeTokens, gold: &[Token], selection: &Selection) -> Vec<bool> {
    let mut is_chosen = vec![false; tokens.tokens.len()];
    for (_, range) in tokens.nodes.iter().zip(&tokens.ranges).filter(|(node, _)| selection.has(**node)) {
        is_chosen[range.clone()].fill(true);
    }
    let search = Search { page: &tokens.tokens, gold };
    let (anywhere, chosen_first) = (search.anywhere(), search.in_chosen_first(&is_chosen));
    let has_any = chosen_first.contains(&true);
    if has_any && in_pieces(&chosen_first) >= in_pieces(&anywhere) { chosen_first } else { anywhere }
}

/// The number of those that are next to each other in pieces.
fn in_pieces(found: &[bool]) -> usize {
    found.chunk_by(|one, other| one == other).filter(|run| run[0] && run.len() >= PIECE).map(<[bool]>::len).sum()
}

/// The characters of a page, and those of its gold.
struct Search<'t> {
    page: &'t [Token],
    gold: &'t [Token],
}

/// For each character, true if it was found in the other text.
struct Found {
    page: Vec<bool>,
    gold: Vec<bool>,
}

/// Places in the page and in the gold, both ascending.
struct Places {
    page: Vec<usize>,
    gold: Vec<usize>,
}

impl Search<'_> {
    fn nothing(&self) -> Found {
        Found { page: vec![false; self.page.len()], gold: vec![false; self.gold.len()] }
    }

    fn anywhere(&self) -> Vec<bool> {
        let mut found = self.nothing();
        let all = Places { page: (0..self.page.len()).collect(), gold: (0..self.gold.len()).collect() };
        self.look(&all, &RUNS, false, &mut found);
        found.page
    }

    /// The rest of the gold is looked for in front of the chosen text, in its gaps and behind it, as it stands in the gold.
    fn in_chosen_first(&self, is_chosen: &[bool]) -> Vec<bool> {
        let mut found = self.nothing();
        let chosen = (0..self.page.len()).filter(|&place| is_chosen[place]).collect();
        self.look(&Places { page: chosen, gold: (0..self.gold.len()).collect() }, &RUNS, false, &mut found);
        let ends = |is: &[bool]| Some((is.iter().position(|is| *is)?, is.iter().rposition(|is| *is)? + 1));
        let (Some(on_page), Some(in_gold)) = (ends(&found.page), ends(&found.gold)) else { return found.page };
        let parts = [
            (0..on_page.0, 0..in_gold.0),
            (on_page.0..on_page.1, in_gold.0..in_gold.1),
            (on_page.1..self.page.len(), in_gold.1..self.gold.len()),
        ];
        for (number, (page, gold)) in parts.into_iter().enumerate() {
            let page = page.filter(|&place| !is_chosen[place]).collect();
            let gold = gold.filter(|&place| !found.gold[place]).collect();
            self.look(&Places { page, gold }, &RUNS, number == 0, &mut found);
        }
        found.page
    }

    /// Notes in `found` the runs of the first of `lengths` that both have in one order, and those of the next lengths between
    /// them. Where several will do, the last is taken if `is_late`, else the first.
    fn look(&self, places: &Places, lengths: &[usize], is_late: bool, found: &mut Found) {
        let Some((&length, shorter)) = lengths.split_first() else { return };
        if places.page.is_empty() || places.gold.is_empty() {
            return;
        }
        let (mut page, mut gold) = (0, 0);
        let mut between = |to: (usize, usize), is_late: bool, found: &mut Found| {
            let part =
                |places: &[usize], range: Range<usize>| places.get(range).map(<[usize]>::to_vec).unwrap_or_default();
            let part = Places { page: part(&places.page, page..to.0), gold: part(&places.gold, gold..to.1) };
            self.look(&part, shorter, is_late, found);
            (page, gold) = (page.max(to.0 + length), gold.max(to.1 + length));
        };
        let pairs = self.pairs(places, length, is_late);
        for (number, &(on_page, in_gold)) in pairs.iter().enumerate() {
            places.page[on_page..on_page + length].iter().for_each(|&place| found.page[place] = true);
            places.gold[in_gold..in_gold + length].iter().for_each(|&place| found.gold[place] = true);
            between((on_page, in_gold), number == 0, found);
        }
        between((places.page.len(), places.gold.len()), is_late && pairs.is_empty(), found);
    }

    /// Where the runs of `length` begin that both have in one order.
    fn pairs(&self, places: &Places, length: usize, is_late: bool) -> Vec<(usize, usize)> {
        let mut names = FxHashMap::default();
        let mut named = |text: &[Token], places: &[usize]| -> Vec<Token> {
            let tokens: Vec<Token> = places.iter().map(|&place| text[place]).collect();
            let mut name = |run: &[Token]| {
                let next = names.len() as Token;
                *names.entry(run.to_vec()).or_insert(next)
            };
            tokens.windows(length).map(&mut name).collect()
        };
        let (mut page, mut gold) = (named(self.page, &places.page), named(self.gold, &places.gold));
        if !is_late {
            return alignment(&page, &gold);
        }
        page.reverse();
        gold.reverse();
        let last = |backwards: &[(usize, usize)]| -> Vec<(usize, usize)> {
            backwards.iter().rev().map(|&(one, other)| (page.len() - 1 - one, gold.len() - 1 - other)).collect()
        };
        last(&alignment(&page, &gold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;
    use crate::page::tree::NodeId;

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

    #[test]
    fn gold_that_was_not_chosen_is_found_whole() {
        // Characters that a comment shares with the article by chance are of the article.
        let page =
            "<p>The river rose by two metres over night.</p><p>Nobody was hurt.</p><p>* I hope we are all on time!</p>";
        let gold = "The river rose by two metres over night.\nNobody was hurt.";
        assert_eq!(told(page, gold), ["33/33", "14/14", "0/21"]);
        // A comment that quotes a line of the article does not lead the rest of it astray.
        let page = page.replace("all on time", "not. Nobody was hurt");
        assert_eq!(told(&page, gold), ["33/33", "14/14", "0/29"]);
    }
}

//! Gold as text nodes of a page: ordinals among its visible text nodes, and the digest of the text they count in.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::formats::code::Code;
use crate::formats::digest::sha256;
use crate::page::render::{render, render_pieces};
use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};
use crate::text::{chars, is_white_space};

use super::annotation::mark_of_half;
use super::roles::{RoleNodes, Roles};

/// The gold text nodes of a page, as a page list has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldNodes {
    /// The first and the last of each run of gold nodes: ordinals from 0 among the visible text nodes of the body that are
    /// not blank, in document order, of the page as algorithms see it. Runs follow each other and do not touch.
    pub ranges: Vec<[u32; 2]>,
    /// SHA-256 of the text of all those nodes: in another tree the ordinals would mean other text.
    pub text_sha256: String,
    /// F1 of the nodes' text against the gold text by the longest common subsequence of characters, as a fraction:
    /// twice the matched characters, and those of both texts together.
    pub f1: Option<[u64; 2]>,
    /// Gold pieces of text nodes that are not gold as a whole: node, and the half-open range of its characters, white space
    /// left out. In order, not touching.
    pub spans: Vec<[u32; 3]>,
    /// Text that has a role, gold or not: runs of text nodes as pairs, pieces of text nodes as triples.
    pub roles: BTreeMap<String, Vec<Vec<u32>>>,
}

/// Why ordinals do not mean nodes of a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodesFault {
    /// They were counted in another text.
    #[error(
        "its gold nodes were counted in another text of the page (text_sha256 {stated}, not {found}): take \
         them out of its line of the page list, and mark the page again"
    )]
    OtherText {
        /// The digest that they come with.
        stated: String,
        /// That of the page.
        found: String,
    },
    /// There are not so many nodes.
    #[error("its gold nodes go to {last}, and the page has {nodes} text nodes, counted from 0")]
    OutOfRange {
        /// The last ordinal.
        last: u32,
        /// The page's visible text nodes.
        nodes: usize,
    },
    /// A piece is none of its node.
    #[error("its gold piece [{node}, {from}, {to}] is no part of a text node of {chars} characters")]
    NoPiece {
        /// The node's ordinal.
        node: u32,
        /// The first character.
        from: u32,
        /// The character behind the last.
        to: u32,
        /// The node's characters.
        chars: usize,
    },
    /// Nodes and pieces do not give the text.
    #[error("its gold nodes and spans do not give its gold text, as equal numbers in `f1` say; make them again")]
    NotTheText,
}

impl NodesFault {
    /// Its code, as the dataset format names it.
    pub fn code(&self) -> Code {
        match self {
            NodesFault::OtherText { .. } | NodesFault::NotTheText => Code::Digest,
            NodesFault::OutOfRange { .. } | NodesFault::NoPiece { .. } => Code::Type,
        }
    }
}

impl GoldNodes {
    /// Those of `selection`, text nodes of the body of `tree` that are visible and not blank.
    ///
    /// ```
    /// use carat::datasets::node_gold::GoldNodes;
    /// use carat::page::{parse::parse, selection::Selection};
    /// let tree = parse("<p>a<p>b<p> <p>c<p>d").unwrap().tree;
    /// let wanted: Selection = tree.ids().filter(|&id| tree.is_text(id) && tree.text(id) > "a").collect();
    /// let nodes = GoldNodes::of(&tree, &wanted);
    /// assert_eq!(nodes.ranges, [[1, 3]]);
    /// assert_eq!(nodes.selection(&tree).unwrap(), wanted);
    /// ```
    pub fn of(tree: &Tree, selection: &Selection) -> Self {
        let all = Selection::visible(tree);
        let mut ranges: Vec<[u32; 2]> = Vec::new();
        let ordinals = (0..).zip(all.nodes()).filter(|(_, id)| selection.has(**id)).map(|(ordinal, _)| ordinal);
        for ordinal in ordinals {
            match ranges.last_mut() {
                Some([_, last]) if *last + 1 == ordinal => *last = ordinal,
                _ => ranges.push([ordinal, ordinal]),
            }
        }
        let text_sha256 = digest(tree, &all);
        GoldNodes { ranges, text_sha256, f1: None, spans: Vec::new(), roles: BTreeMap::new() }
    }

    /// The nodes of `tree` that are meant: those that are gold as a whole, and those of which at least half of the
    /// characters are.
    ///
    /// # Errors
    /// [`NodesFault`]: the tree has another text than that in which they were counted, fewer nodes, or other pieces.
    pub fn selection(&self, tree: &Tree) -> Result<Selection, NodesFault> {
        let all = Selection::visible(tree);
        let found = digest(tree, &all);
        if found != self.text_sha256 {
            return Err(NodesFault::OtherText { stated: self.text_sha256.clone(), found });
        }
        let nodes = all.nodes();
        let run = |&[first, last]: &[u32; 2]| {
            nodes.get(first as usize..=last as usize).ok_or(NodesFault::OutOfRange { last, nodes: nodes.len() })
        };
        let runs: Vec<&[NodeId]> = self.ranges.iter().map(run).collect::<Result<_, _>>()?;
        let mut of_spans: BTreeMap<u32, u32> = BTreeMap::new();
        for span in &self.spans {
            check_piece(tree, nodes, span)?;
            *of_spans.entry(span[0]).or_default() += span[2] - span[1];
        }
        for part in self.roles.values().flatten() {
            match part[..] {
                [_, last] if last as usize >= nodes.len() => {
                    return Err(NodesFault::OutOfRange { last, nodes: nodes.len() });
                }
                [node, from, to] => check_piece(tree, nodes, &[node, from, to])?,
                _ => {}
            }
        }
        let half = of_spans.into_iter().map(|(node, count)| (nodes[node as usize], count));
        let half = half.filter(|(id, count)| 2 * *count as usize >= chars(tree.text(*id))).map(|(id, _)| id);
        Ok(runs.into_iter().flatten().copied().chain(half).collect())
    }

    /// The text of nodes and spans in `tree`, which has the text that they were counted in.
    pub(super) fn text(&self, tree: &Tree) -> String {
        let all = Selection::visible(tree);
        let nodes = all.nodes();
        let whole = self
            .ranges
            .iter()
            .flat_map(|&[first, last]| first..=last)
            .filter_map(|node| nodes.get(node as usize).map(|&id| (id, 0..tree.text(id).len())));
        let part = |&[node, from, to]: &[u32; 3]| {
            nodes.get(node as usize).map(|&id| (id, piece_bytes(tree.text(id), from, to)))
        };
        let mut pieces: Vec<_> = whole.chain(self.spans.iter().filter_map(part)).collect();
        pieces.sort_unstable_by_key(|(id, bytes)| (*id, bytes.start));
        render_pieces(tree, &pieces)
    }

    /// The text nodes by role, where any has one: a node has the role of at least half of its characters, the first by name
    /// of two halves. `gold` are the gold nodes.
    pub(super) fn node_roles(&self, tree: &Tree, gold: &Selection) -> Option<Roles> {
        if self.roles.is_empty() {
            return None;
        }
        let all = Selection::visible(tree);
        let mut counts: BTreeMap<u32, BTreeMap<usize, usize>> = BTreeMap::new();
        let length = |node: u32| all.nodes().get(node as usize).map_or(0, |&id| chars(tree.text(id)));
        for (place, parts) in self.roles.values().enumerate() {
            for part in parts {
                let (nodes, piece) = match part[..] {
                    [first, last] => (first..=last, None),
                    [node, from, to] => (node..=node, Some((to - from) as usize)),
                    _ => continue,
                };
                for node in nodes {
                    *counts.entry(node).or_default().entry(place).or_default() += piece.unwrap_or_else(|| length(node));
                }
            }
        }
        let labelled = counts.into_iter().filter_map(|(node, of_roles)| {
            let id = *all.nodes().get(node as usize)?;
            Some((id, mark_of_half(&of_roles, length(node))?))
        });
        let nodes = RoleNodes { labelled: labelled.collect(), gold: gold.clone() };
        let names: Vec<String> = self.roles.keys().cloned().collect();
        Some(Roles { matched: (0..names.len()).collect(), names, nodes: Some(nodes) })
    }

    /// Checks what holds of any page.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_backward = |[first, last]: &[u32; 2]| first > last;
        let touch = |runs: &[[u32; 2]]| u64::from(runs[0][1]) + 1 >= u64::from(runs[1][0]);
        if self.ranges.iter().any(is_backward) || self.ranges.windows(2).any(touch) {
            return Err("`nodes` are pairs [first, last] in page order that do not touch".to_owned());
        }
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if self.text_sha256.len() != 64 || !self.text_sha256.bytes().all(is_digit) {
            return Err("`text_sha256` has 64 digits, 0-9 and a-f".to_owned());
        }
        let is_in_nodes = |node: u32| self.ranges.iter().any(|run| run[0] <= node && node <= run[1]);
        let is_wrong = |&[node, from, to]: &[u32; 3]| from >= to || is_in_nodes(node);
        let meet = |two: &[[u32; 3]]| two[0][0] > two[1][0] || two[0][0] == two[1][0] && two[0][2] >= two[1][1];
        if self.spans.iter().any(is_wrong) || self.spans.windows(2).any(meet) {
            return Err("`spans` are triples [node, from, to] in page order that do not touch, of no node in `nodes`"
                .to_owned());
        }
        let mut parts: Vec<(u32, u32, u32, u32)> = Vec::new();
        for part in self.roles.values().flatten() {
            match part[..] {
                [first, last] if first <= last => parts.push((first, 0, last, u32::MAX)),
                [node, from, to] if from < to => parts.push((node, from, node, to)),
                _ => return Err("a role has pairs [first, last] and triples [node, from, to]".to_owned()),
            }
        }
        parts.sort_unstable();
        if parts.windows(2).any(|two| (two[0].2, two[0].3) > (two[1].0, two[1].1)) {
            return Err("`roles` give a piece of text one role".to_owned());
        }
        if self.f1.is_some_and(|[part, whole]| part > whole) {
            return Err("`f1` is a fraction [part, whole] of at most 1".to_owned());
        }
        Ok(())
    }

    /// SHA-256 of what they mean.
    pub(super) fn digest(&self) -> String {
        let runs = self.ranges.iter().map(|[first, last]| format!("{first}-{last}"));
        let mut meant = runs.collect::<Vec<_>>().join(",");
        // Golds without them keep their digest.
        if !self.spans.is_empty() || !self.roles.is_empty() {
            meant += &format!(" spans {:?} roles {:?}", self.spans, self.roles);
        }
        sha256(meant.as_bytes())
    }
}

/// Checks that `piece` is a part of its text node, and not all of it.
fn check_piece(tree: &Tree, nodes: &[NodeId], &[node, from, to]: &[u32; 3]) -> Result<(), NodesFault> {
    let Some(&id) = nodes.get(node as usize) else {
        return Err(NodesFault::OutOfRange { last: node, nodes: nodes.len() });
    };
    let chars = chars(tree.text(id));
    let is_part = to as usize <= chars && (from > 0 || (to as usize) < chars);
    if is_part { Ok(()) } else { Err(NodesFault::NoPiece { node, from, to, chars }) }
}

/// The bytes of the characters `from..to` of `text`, white space left out when counting; what follows a character is its.
fn piece_bytes(text: &str, from: u32, to: u32) -> Range<usize> {
    let place = |wanted: u32| {
        let mut places = text.char_indices().filter(|(_, c)| !is_white_space(*c)).map(|(at, _)| at);
        places.nth(wanted as usize).unwrap_or(text.len())
    };
    (if from == 0 { 0 } else { place(from) })..place(to)
}

fn digest(tree: &Tree, all: &Selection) -> String {
    sha256(render(tree, all).as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::parse::parse;

    fn nodes(ranges: &[[u32; 2]], text: &str) -> GoldNodes {
        let text_sha256 = sha256(text.as_bytes());
        GoldNodes { ranges: ranges.to_vec(), text_sha256, f1: None, spans: Vec::new(), roles: BTreeMap::new() }
    }

    #[test]
    fn pieces_of_nodes_are_gold_and_have_roles() {
        let tree = parse("<div>2026-11-21 来源：新华网 标题党</div><p>完").unwrap().tree;
        let all = "2026-11-21 来源：新华网 标题党\n完";
        let roles = [("date".to_owned(), vec![vec![0, 0, 10]]), ("end".to_owned(), vec![vec![1, 1]])].into();
        let gold = GoldNodes { spans: vec![[0, 10, 13], [0, 16, 19]], roles, ..nodes(&[[1, 1]], all) };
        assert_eq!(gold.check(), Ok(()));
        assert_eq!(gold.text(&tree), "来源： 标题党\n完");
        // Six of nineteen characters are not half.
        let selection = gold.selection(&tree).unwrap();
        assert_eq!(selection.nodes().iter().map(|&id| tree.text(id)).collect::<Vec<_>>(), ["完"]);
        let of_roles = gold.node_roles(&tree, &selection).unwrap();
        let labelled = of_roles.nodes.unwrap().labelled;
        let told: Vec<_> = labelled.iter().map(|&(id, role)| (tree.text(id).len(), role)).collect();
        assert_eq!((of_roles.names, told.len(), told[1].1), (vec!["date".to_owned(), "end".to_owned()], 2, 1));
        let half = GoldNodes { spans: vec![[0, 0, 10]], ..nodes(&[], all) };
        assert_eq!(half.selection(&tree).unwrap().nodes().len(), 1);
        assert!(gold.digest() != half.digest() && half.digest() != nodes(&[], all).digest());
    }

    #[test]
    fn pieces_that_mean_nothing_are_refused() {
        let tree = parse("<p>abc<p>d").unwrap().tree;
        let with = |spans: &[[u32; 3]]| GoldNodes { spans: spans.to_vec(), ..nodes(&[[1, 1]], "abc\nd") };
        for spans in [&[[0, 2, 2]][..], &[[1, 0, 1]], &[[0, 0, 1], [0, 1, 2]], &[[0, 2, 3], [0, 0, 1]]] {
            assert!(with(spans).check().is_err(), "{spans:?}");
        }
        assert_eq!(with(&[[0, 0, 1], [0, 2, 3]]).check(), Ok(()));
        assert!(with(&[[0, 0, 2]]).selection(&tree).is_ok());
        for span in [[0, 0, 3], [0, 2, 4], [7, 0, 1]] {
            assert_eq!(with(&[span]).selection(&tree).unwrap_err().code(), Code::Type, "{span:?}");
        }
        let roles = |parts: Vec<Vec<u32>>| GoldNodes { roles: [("a".to_owned(), parts)].into(), ..with(&[]) };
        assert_eq!(roles(vec![vec![0, 0, 1], vec![0, 1, 2], vec![1, 1]]).check(), Ok(()));
        for parts in [vec![vec![0]], vec![vec![1, 0]], vec![vec![0, 0], vec![0, 1, 2]], vec![vec![0, 2, 2]]] {
            assert!(roles(parts.clone()).check().is_err(), "{parts:?}");
        }
        assert!(roles(vec![vec![0, 9]]).selection(&tree).is_err());
    }

    #[test]
    fn ordinals_count_visible_text_nodes_of_the_body() {
        let tree =
            parse("<title>t</title><p>a<script>s</script> <i> </i><p>b<b>c</b><noscript>n</noscript>d").unwrap().tree;
        let meant = |ranges: &[[u32; 2]]| {
            let selection = nodes(ranges, "a\nbc d").selection(&tree)?;
            Ok(selection.nodes().iter().map(|&id| tree.text(id)).collect::<String>())
        };
        assert_eq!(meant(&[[0, 0], [2, 3]]), Ok("acd".to_owned()));
        assert_eq!(meant(&[]), Ok(String::new()));
        assert_eq!(meant(&[[0, 1], [3, 4]]), Err(NodesFault::OutOfRange { last: 4, nodes: 4 }));
        assert_eq!(meant(&[[7, u32::MAX]]), Err(NodesFault::OutOfRange { last: u32::MAX, nodes: 4 }));
    }

    #[test]
    fn another_text_is_refused() {
        let tree = parse("<p>a<p>b").unwrap().tree;
        assert!(nodes(&[[0, 0]], "a\nb").selection(&tree).is_ok());
        let fault = nodes(&[[0, 0]], "a\nc").selection(&tree).unwrap_err();
        assert_eq!(fault.code(), Code::Digest);
    }

    #[test]
    fn ordinals_that_mean_nothing_are_refused_before_any_page() {
        let wrong = |ranges: &[[u32; 2]]| nodes(ranges, "").check().is_err();
        assert!(!wrong(&[]) && !wrong(&[[0, 0], [2, 5]]));
        assert!(wrong(&[[1, 0]]) && wrong(&[[0, 3], [3, 4]]) && wrong(&[[0, 3], [4, 4]]) && wrong(&[[5, 6], [0, 1]]));
        assert!(wrong(&[[0, u32::MAX], [0, 1]]));
        let other = |digest: &str, f1| GoldNodes { text_sha256: digest.to_owned(), f1, ..nodes(&[], "") }.check();
        assert!(other("abc", None).is_err() && other(&"A".repeat(64), None).is_err());
        assert!(other(&"a".repeat(64), Some([3, 2])).is_err() && other(&"a".repeat(64), Some([2, 2])).is_ok());
    }

    proptest! {
        #[test]
        fn nodes_are_found_again(pieces in proptest::collection::vec(0usize..6, 0..30), chosen in any::<u64>()) {
            let piece = |&piece: &usize| ["a", "<p>b", " ", "<i>c</i>", "<script>d</script>", "<br>字"][piece];
            let tree = parse(&pieces.iter().map(piece).collect::<String>()).unwrap().tree;
            let all = Selection::visible(&tree);
            let wanted: Selection =
                all.nodes().iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, &id)| id).collect();
            let nodes = GoldNodes::of(&tree, &wanted);
            prop_assert_eq!(nodes.check(), Ok(()));
            prop_assert_eq!(nodes.selection(&tree).unwrap(), wanted);
        }
    }
}

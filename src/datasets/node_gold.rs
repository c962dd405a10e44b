//! Gold as text nodes of a page: ordinals among its visible text nodes, and the digest of the text they count in.

use crate::formats::code::Code;
use crate::formats::digest::sha256;
use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};

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
}

/// Why ordinals do not mean nodes of a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodesFault {
    /// They were counted in another text.
    #[error(
        "its gold nodes were counted in another text of the page (text_sha256 {stated}, not {found}); make them again \
         with `carat dataset annotate`"
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
}

impl NodesFault {
    /// Its code, as the dataset format names it.
    pub fn code(&self) -> Code {
        match self {
            NodesFault::OtherText { .. } => Code::Digest,
            NodesFault::OutOfRange { .. } => Code::Type,
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
        GoldNodes { ranges, text_sha256: digest(tree, &all), f1: None }
    }

    /// The nodes of `tree` that are meant.
    ///
    /// # Errors
    /// [`NodesFault`]: the tree has another text than that in which they were counted, or fewer nodes.
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
        Ok(runs.into_iter().flatten().copied().collect())
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
        if self.f1.is_some_and(|[part, whole]| part > whole) {
            return Err("`f1` is a fraction [part, whole] of at most 1".to_owned());
        }
        Ok(())
    }

    /// SHA-256 of what they mean.
    pub(super) fn digest(&self) -> String {
        let runs = self.ranges.iter().map(|[first, last]| format!("{first}-{last}"));
        sha256(runs.collect::<Vec<_>>().join(",").as_bytes())
    }
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
        GoldNodes { ranges: ranges.to_vec(), text_sha256: sha256(text.as_bytes()), f1: None }
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

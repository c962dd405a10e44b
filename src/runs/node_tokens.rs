//! Text nodes as what is counted, and texts that are no selection put on text nodes.

use std::sync::Arc;

use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::visible::VisibleText;
use crate::datasets::node_tokens::{NodeTokens, char_tokens};
use crate::page::selection::Selection;
use crate::page::{Page, View};
use crate::scoring::TooLarge;
use crate::text::chars;
use crate::text::tokens::Token;

/// The place of its text node for each character of each visible text node, white space left out: the tokens by which
/// text nodes are measured.
pub(crate) struct NodePlaces(Arc<NodeTokens>);

impl View for NodePlaces {
    fn of(page: &Page) -> Self {
        let text = page.view::<VisibleText>();
        let (mut tokens, mut ranges) = (Vec::new(), Vec::with_capacity(text.nodes.len()));
        for (place, &node) in (0..).zip(&text.nodes) {
            let start = tokens.len();
            tokens.extend(std::iter::repeat_n(place, chars(page.tree.text(node))));
            ranges.push(start..tokens.len());
        }
        NodePlaces(Arc::new(NodeTokens { nodes: text.nodes.clone(), tokens, ranges }))
    }
}

impl NodePlaces {
    /// All nodes of the page.
    pub(crate) fn all(&self) -> Arc<NodeTokens> {
        self.0.clone()
    }

    /// The tokens of what is selected of the page's visible text.
    pub(crate) fn of_selection(&self, selection: &Selection) -> Vec<Token> {
        let NodeTokens { nodes, tokens, ranges } = &*self.0;
        let places = selection.nodes().iter().filter_map(|node| nodes.binary_search(node).ok());
        places.flat_map(|place| &tokens[ranges[place].clone()]).copied().collect()
    }
}

/// A choice as text nodes of `page`: a text of its own is aligned with the page's.
///
/// # Errors
/// A sentence: there is too much text to align.
pub(crate) fn on_nodes(choice: Choice, page: &Page) -> Result<Selection, String> {
    match choice {
        Choice::Selection(selection) => Ok(selection),
        Choice::Text(text) => {
            let aligned = page.view::<NodeTokens>().half_matched(&char_tokens(&text));
            aligned.map_err(|TooLarge| "too much text to align it with the page's".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::Context;
    use crate::scoring::{Counts, Gold, Measure, ONE};

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    /// The nodes of the page whose places have a bit of `chosen`.
    fn selection(page: &Page, chosen: u64) -> Selection {
        let text = page.view::<VisibleText>();
        text.chosen((0..text.nodes.len()).map(|place| chosen >> (place % 64) & 1 == 1)).collect()
    }

    fn counts(page: &Page, chosen: u64, gold: u64) -> Counts {
        let tokens = |chosen| page.view::<NodePlaces>().of_selection(&selection(page, chosen));
        Gold::new(Measure::Nodes, &tokens(gold).into()).counts(&tokens(chosen).into())
    }

    #[test]
    fn nodes_are_weighed_by_their_characters() {
        // Nodes of 2, 3 and 4 characters; the first and the second are gold, the second and the third chosen.
        let page = page("<p>a b<p>字字字<i>dd dd</i><script>s</script>");
        assert_eq!(counts(&page, 0b110, 0b011), Counts { matched: 3, extracted: 7, gold: 5 });
        assert_eq!(counts(&page, 0, 0b100), Counts { matched: 0, extracted: 0, gold: 4 });
    }

    proptest! {
        #[test]
        fn gold_measured_by_itself_is_whole_and_sides_change_places(
            pieces in proptest::collection::vec(0usize..6, 0..30),
            (one, other) in (any::<u64>(), any::<u64>()),
        ) {
            let piece = |&piece: &usize| ["a", "<p>b c", " ", "<i>same</i>", "<b>same</b>", "<br>字"][piece];
            let page = page(&pieces.iter().map(piece).collect::<String>());
            prop_assert_eq!(counts(&page, one, one).score().values(), [ONE; 3]);
            let (forth, back) = (counts(&page, one, other), counts(&page, other, one));
            prop_assert_eq!((forth.matched, forth.extracted, forth.gold), (back.matched, back.gold, back.extracted));
            // Places here are places among the tokens of gold texts too.
            prop_assert_eq!(&page.view::<NodeTokens>().nodes, &page.view::<VisibleText>().nodes);
        }
    }
}

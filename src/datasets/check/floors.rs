//! What two floors come to on a page: all of its text, and all of it outside links. Recall of the first is the best that
//! any choice of text nodes can have.

use html5ever::local_name;
use serde::Serialize;

use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::tree::Tree;
use crate::scoring::{Counts, Gold, Measure, ONE, Score};
use crate::text::tokens::{Case, TokenKind, Tokenizer};
use crate::text::words::Segmenter;

/// A page's text and its gold are held against each other up to so many characters times characters: a second or two of
/// work for each comparison, and all but a few pages of real datasets.
const MOST_CELLS: usize = 1 << 37;

/// Whether a text and a gold of so many characters are short enough to be held against each other.
pub(super) fn are_comparable(text: usize, gold: usize) -> bool {
    text.saturating_mul(gold) <= MOST_CELLS
}

/// Counts of characters by the longest common subsequence, of one page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PageFloors {
    pub(super) all_text: Counts,
    nonlink_text: Counts,
}

impl PageFloors {
    /// Of a page whose visible text, rendered, is `text`, against its gold; both are comparable.
    pub(super) fn of(tree: &Tree, text: &str, gold: &str) -> Self {
        let segmenter = Segmenter::default();
        let mut tokenizer = Tokenizer::new(TokenKind::Char, Case::Keep, &segmenter);
        let gold = Gold::new(Measure::Lcs, &tokenizer.tokens(gold).into());
        let mut counts = |text: &str| gold.counts(&tokenizer.tokens(text).into());
        PageFloors { all_text: counts(text), nonlink_text: counts(&nonlink_text(tree)) }
    }
}

/// The visible text that stands in no `a`, with or without `href`, rendered.
fn nonlink_text(tree: &Tree) -> String {
    let mut is_linked = vec![false; tree.len()];
    for id in tree.ids() {
        let inherited = tree.parent(id).is_some_and(|parent| is_linked[parent.index()]);
        is_linked[id.index()] = inherited || *tree.name(id) == local_name!("a");
    }
    let visible = Selection::visible(tree);
    let outside = visible.nodes().iter().copied().filter(|id| !is_linked[id.index()]);
    render(tree, &outside.collect())
}

/// Means over pages of precision, recall and F1, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Means {
    /// Share of the text that is gold.
    pub precision: f64,
    /// Share of the gold that is in the text.
    pub recall: f64,
    /// Their harmonic mean on each page.
    pub f1: f64,
}

/// What the floors come to over a dataset: macro means, characters, longest common subsequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Floors {
    /// Pages with gold; those that cannot be read count 0.
    pub pages: usize,
    /// Pages with gold that are none of those, for there is too much of it and of their text to be held against each other.
    pub too_long: usize,
    /// Of all visible text.
    pub all_text: Means,
    /// Of all visible text outside links.
    pub nonlink_text: Means,
}

/// Adds up pages.
#[derive(Default)]
pub(super) struct FloorsTally {
    pages: usize,
    too_long: usize,
    sums: [[u128; 3]; 2],
}

impl FloorsTally {
    /// Adds a page with gold; `None` for one that cannot be read.
    pub(super) fn add(&mut self, page: Option<&PageFloors>) {
        self.pages += 1;
        let scores = page.map_or([Score::ZERO; 2], |page| [page.all_text.score(), page.nonlink_text.score()]);
        for (sums, score) in self.sums.iter_mut().zip(scores) {
            sums.iter_mut().zip(score.values()).for_each(|(sum, value)| *sum += u128::from(value));
        }
    }

    /// Counts a page that is too long, which is in no mean.
    pub(super) fn add_too_long(&mut self) {
        self.too_long += 1;
    }

    /// The means; `None` of no page.
    pub(super) fn finish(self) -> Option<Floors> {
        let mean = |sum: u128| sum as f64 / self.pages as f64 / ONE as f64;
        let means = |[precision, recall, f1]: [u128; 3]| Means {
            precision: mean(precision),
            recall: mean(recall),
            f1: mean(f1),
        };
        let [all_text, nonlink_text] = self.sums.map(means);
        let FloorsTally { pages, too_long, .. } = self;
        (self.pages > 0).then_some(Floors { pages, too_long, all_text, nonlink_text })
    }
}

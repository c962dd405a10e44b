//! The page's whole visible text in lines as the renderer breaks it: the smallest blocks of text.

use std::ops::Range;

use super::visible::VisibleText;
use crate::page::render::breaks_line;
use crate::page::{Page, View};

/// The visible text in rendered lines.
pub struct RenderedLines {
    /// The places among [`VisibleText::nodes`] of each line's text nodes, in order.
    pub lines: Vec<Range<usize>>,
}

impl View for RenderedLines {
    fn of(page: &Page) -> Self {
        let text = page.view::<VisibleText>();
        let ranks: Vec<usize> = (0..text.nodes.len()).collect();
        let together = |&one: &usize, &other: &usize| !breaks_line(&page.tree, text.nodes[one], text.nodes[other]);
        let lines = ranks.chunk_by(together).map(|line| line[0]..line[0] + line.len()).collect();
        RenderedLines { lines }
    }
}

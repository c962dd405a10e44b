//! The page in lines: how much text and how many tags each has, and which text nodes lie in it.

use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events::{Event, end_tag_chars, events, start_tag_chars};
use super::majority::majority;
use super::visible::VisibleText;
use crate::page::tree::{NodeId, Tree};
use crate::text::is_white_space;

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// A line feed in a text.
    Source,
    /// That it is as wide as a line may be; tags are not cut.
    Reflow,
    /// Both.
    Wrap,
    /// Each tag.
    Tag,
    /// The edges of block elements, and both sides of `br` and `hr`.
    Block,
}

/// What a line holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// `chars` of its visible text.
    pub chars: u32,
    /// Tags that begin in it.
    pub tags: u32,
}

/// The part of a text node that lies in one line.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// The text node's place among [`VisibleText::nodes`].
    rank: usize,
    /// The line's place among [`Lines::lines`].
    line: usize,
    chars: u32,
}

/// The page in lines.
#[derive(Default)]
pub struct Lines {
    /// In order; none is without text and tags.
    pub lines: Vec<Line>,
    /// In order: the pieces of a text node are neighbours.
    pieces: Vec<Piece>,
}

impl Lines {
    /// The lines of the body under `end`; `width` is in characters, for those that are as wide as a line may be.
    pub fn new(tree: &Tree, text: &VisibleText, end: LineEnd, width: u64) -> Self {
        let Some(body) = text.body else { return Lines::default() };
        let mut writer = Writer { end, width, lines: Lines::default(), line: Line::default(), tag_chars: 0 };
        for event in events(tree, body) {
            match event {
                Event::Start(id) => {
                    writer.edge(tree.is_block(id) || is_line_break(tree, id));
                    writer.tag(start_tag_chars(tree, id));
                    writer.edge(is_line_break(tree, id));
                }
                Event::End(id) => {
                    writer.tag(end_tag_chars(tree, id));
                    writer.edge(tree.is_block(id));
                }
                Event::Text(id) => writer.text(text.rank(tree, id), tree.text(id)),
            }
        }
        writer.end_line();
        writer.lines
    }

    /// For each visible text node the greatest of `of_line` such that at least half of its characters lie in
    /// lines with that or more.
    pub fn majority<T: Ord + Copy>(&self, of_line: &[T]) -> Vec<T> {
        majority(self.pieces.iter().map(|piece| (piece.rank, of_line[piece.line], piece.chars)))
    }
}

/// `br` and `hr`, before and after which a line of [`LineEnd::Block`] ends.
fn is_line_break(tree: &Tree, id: NodeId) -> bool {
    matches!(*tree.name(id), local_name!("br") | local_name!("hr"))
}

/// The lines up to the current one.
struct Writer {
    end: LineEnd,
    width: u64,
    lines: Lines,
    line: Line,
    /// Characters of the tags that begin in the current line.
    tag_chars: u64,
}

impl Writer {
    fn end_line(&mut self) {
        if self.line != Line::default() {
            self.lines.lines.push(self.line);
        }
        (self.line, self.tag_chars) = (Line::default(), 0);
    }

    /// Ends the line where it is as wide as it may be.
    fn wrap(&mut self) {
        let wraps = matches!(self.end, LineEnd::Reflow | LineEnd::Wrap);
        if wraps && self.tag_chars + u64::from(self.line.chars) >= self.width {
            self.end_line();
        }
    }

    /// Ends the line where blocks do that and there is the edge of one.
    fn edge(&mut self, is_edge: bool) {
        if is_edge && self.end == LineEnd::Block {
            self.end_line();
        }
    }

    fn tag(&mut self, chars: usize) {
        self.wrap();
        self.line.tags += 1;
        self.tag_chars += chars as u64;
        if self.end == LineEnd::Tag {
            self.end_line();
        }
    }

    fn text(&mut self, rank: Option<usize>, text: &str) {
        for c in text.chars() {
            if c == '\n' && matches!(self.end, LineEnd::Source | LineEnd::Wrap) {
                self.end_line();
            }
            if let (Some(rank), false) = (rank, is_white_space(c)) {
                self.wrap();
                self.character(rank);
            }
        }
    }

    fn character(&mut self, rank: usize) {
        self.line.chars += 1;
        let line = self.lines.lines.len();
        match self.lines.pieces.last_mut() {
            Some(piece) if piece.rank == rank && piece.line == line => piece.chars += 1,
            _ => self.lines.pieces.push(Piece { rank, line, chars: 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Context, Page};

    const PAGE_A: &str = "<!DOCTYPE html><html><head><title>T</title></head><body>\n<div><a href=a>ab</a><a href=b>cd</a>\
        </div>\n<p>abcdefghijklmnopqrst</p>\n<p>abcdefghij</p>\n<div><a href=c>ef</a></div>\n</body></html>\n";

    fn read<T>(html: &str, end: LineEnd, width: u64, look: impl Fn(&Lines) -> T) -> T {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        look(&Lines::new(&page.tree, &page.view::<VisibleText>(), end, width))
    }

    fn counts(html: &str, end: LineEnd, width: u64) -> Vec<(u32, u32)> {
        read(html, end, width, |lines| lines.lines.iter().map(|line| (line.chars, line.tags)).collect())
    }

    #[test]
    fn source_lines_are_those_of_page_a() {
        let lines = counts(PAGE_A, LineEnd::Source, 10);
        assert_eq!(lines, [(0, 1), (4, 6), (20, 2), (10, 2), (2, 4), (0, 1)]);
        assert_eq!(counts(&PAGE_A.replace('\n', ""), LineEnd::Source, 10), [(36, 16)]);
    }

    #[test]
    fn lines_of_ten_are_those_of_page_a() {
        let expected = [(0, 2), (0, 1), (2, 2), (2, 2), (7, 1), (10, 0), (3, 2), (10, 0), (0, 3), (2, 2), (0, 1)];
        assert_eq!(counts(PAGE_A, LineEnd::Reflow, 10), expected);
        assert_eq!(counts(&PAGE_A.replace('\n', ""), LineEnd::Wrap, 10), expected);
    }

    #[test]
    fn wrapped_lines_end_at_line_feeds_too() {
        assert_eq!(counts("<body><b>ab\ncdefgh</b>", LineEnd::Wrap, 5), [(0, 1), (2, 1), (5, 0), (1, 1), (0, 1)]);
    }

    #[test]
    fn tags_and_blocks_end_lines_and_line_feeds_do_not() {
        let html = "<body>a\nb<p>c<br>d<i>e</i></p>f<hr><script>x</script></body>";
        let tags = [(0, 1), (2, 1), (1, 1), (1, 1), (1, 1), (0, 1), (1, 1), (0, 1)];
        assert_eq!(counts(html, LineEnd::Tag, 10), tags);
        // body, a b | p, c | br | d e, i twice, p | f | hr | body.
        let blocks = [(2, 1), (1, 1), (0, 1), (2, 3), (1, 0), (0, 1), (0, 1)];
        assert_eq!(counts(html, LineEnd::Block, 10), blocks);
    }

    #[test]
    fn half_of_a_text_node_carries_it() {
        let html = "<body>ab\nc\nd<b>ef\ngh\ni</b>";
        let majority = |of_line: &[u8]| read(html, LineEnd::Source, 10, |lines| lines.majority(of_line));
        assert_eq!(majority(&[5, 0, 0, 0, 0]), [5, 0]);
        assert_eq!(majority(&[0, 5, 4, 3, 2]), [4, 3]);
    }
}

//! cx-extractor: content by the distribution of text over lines, without any tag.
//!
//! Tags are removed, which leaves lines of text, many of them blank. Three lines form a block. Content begins where a
//! block has enough characters and ends where one has none. Where the published program differs, the declaration says
//! so.

use std::sync::Arc;

use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::events::{Event, end_tag_chars, events, start_tag_chars};
use super::features::majority::majority;
use super::features::visible::VisibleText;
use super::parameters::check_whole;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};
use crate::text::{chars, is_white_space};

/// Content by the distribution of text over lines.
pub(super) struct CxExtractor;

/// Parameters of `cx-extractor`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CxExtractorParameters {
    /// how many characters a block has where content begins: as the author's program takes it from the page, a fixed
    /// number, or without any the longest stretch between blocks without characters
    pub variant: Variant,
    /// the fixed number; a block with more begins content
    #[schemars(extend("from" = "0", "to" = "100000"))]
    pub threshold: Value,
    /// lines of a block, whole
    #[schemars(extend("from" = "1", "to" = "1000"))]
    pub block: Value,
    /// whether a line ends at line feeds of the source or at block elements and `br`
    pub lines: LineEnd,
    /// whether links in runs of three or more are taken out first, for `java`
    pub drop_links: bool,
}

impl Default for CxExtractorParameters {
    fn default() -> Self {
        CxExtractorParameters {
            variant: Variant::Java,
            threshold: Value::decimal(86, 0),
            block: Value::decimal(3, 0),
            lines: LineEnd::Source,
            drop_links: true,
        }
    }
}

/// Where content begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Variant {
    /// The author's program of 2010: between 50 and 100 characters by the page's mean, half of it at first.
    Java,
    /// A port of it.
    Fixed,
    /// The longest stretch.
    Longest,
}

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LineEnd {
    Source,
    Block,
}

/// A passage with one of these is no content.
const COPYRIGHT: [&str; 2] = ["Copyright", "版权所有"];

/// The least characters of a line of content.
const LEAST_CHARS: u32 = 5;

/// The most characters between two links of a run.
const MOST_BETWEEN_LINKS: usize = 30;

/// The least links of a run.
const LEAST_LINKS: usize = 3;

const PAGE_H: &str = concat!(
    "<body>\n<a href=a>x</a>\n\n\n<p>",
    "甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲",
    "甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲",
    "</p>\n<p>",
    "乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙",
    "</p>\n\n\n\n<p>短文</p>\n\n\n\n</body>"
);

const LONG_PARAGRAPHS_OF_H: &str = concat!(
    "甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲",
    "甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲",
    "\n乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙"
);

const LONGEST_OF_H: &str = concat!(
    "x\n甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲",
    "甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲甲",
    "\n乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙乙"
);

/// Passages of 34, 31 and 30 characters, of which the second has a copyright notice.
const PAGE_NOTICE: &str = "<body><p>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</p>\n<p>bbbb</p>\n\n\n\n\n\n\
    <p>Copyright cccccccccccccccccccccc</p>\n\n\n\n\n\n\n<p>dddddddddddddddddddddddddddddd</p>\n</body>";

const PAGE_LINKS: &str = "<body><p><a href=1>aaaaaaaa</a> | <a href=2>bbbbbbbb</a> | <a href=3>cccccccc</a> dd</p>\n\
    <p>eeeeeeeeeeeeeeeeeeeeeeeeeeeeee <a href=4>fffff</a></p></body>";

impl PageAlgorithm for CxExtractor {
    type Parameters = CxExtractorParameters;
    type Prepared<'p> = TextLines;
    const DECLARATION: Declaration = Declaration {
        name: "cx-extractor",
        title: "gives the lines from where three of them have many characters to where three have none",
        source: "Chen Xin, general web page content extraction by the distribution of lines and blocks, HIT 2009, and \
                 his program of 2010; variant=fixed: a port's threshold",
        faithful_to: FaithfulTo::Code,
        languages: "any; Chinese in the author's words",
        cost: "O(characters)",
        swept: &[Swept::exact("threshold", "0..400/25")],
        // Page H: 14 lines of 0 1 0 0 60 40 0 0 0 2 0 0 0 0 characters, so 11 blocks 1 1 60 100 100 40 0 2 2 2 0 with the
        // mean 28; 7 of the first 11 lines are empty, 7/(14 - 7) = 1, so 28 is not doubled and the threshold is 50, 25
        // before content began. It begins in line 2 and ends in line 5 (fixed: begins in line 3); 2 is not enough.
        // Longest: the first run of blocks with characters ends before line 6, with 101; the other has 2.
        // Notice: 17 lines with 30, 4, 31 and 30 characters in lines 0, 1, 8 and 15; 14 blocks 34 4 0 0 0 0 31 31 31 0 0 0
        // 0 30. The last one is not begun, for there is none behind it.
        // Links: two lines of 28 and 35 characters; 2 <= 3 lines are one block of 63.
        examples: &[
            Example::new("H: the threshold is 50", PAGE_H, "", LONG_PARAGRAPHS_OF_H),
            Example::new("H: or 86", PAGE_H, "variant=fixed", LONG_PARAGRAPHS_OF_H),
            Example::new("H: no block has more than 100", PAGE_H, "variant=fixed,threshold=100", ""),
            Example::new(
                "H: two blank lines do not part the link from the text",
                PAGE_H,
                "variant=longest",
                LONGEST_OF_H,
            ),
            Example::new(
                "Notice: neither a passage with one, nor a line of 4, nor the last block",
                PAGE_NOTICE,
                "variant=fixed,threshold=20",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            ),
            Example::new("Links: those in a row go", PAGE_LINKS, "", "eeeeeeeeeeeeeeeeeeeeeeeeeeeeee fffff"),
            Example::new(
                "Links: or stay",
                PAGE_LINKS,
                "drop_links=false",
                "aaaaaaaa | bbbbbbbb | cccccccc dd\neeeeeeeeeeeeeeeeeeeeeeeeeeeeee fffff",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut CxExtractorParameters, name: &str) -> Option<&'p mut Value> {
        (name == "threshold").then_some(&mut parameters.threshold)
    }

    fn check(parameters: &CxExtractorParameters) -> Result<(), String> {
        check_whole("block", parameters.block)
    }

    fn prepare(&self, page: &Page, parameters: &CxExtractorParameters) -> TextLines {
        TextLines::new(page, parameters)
    }

    fn choose(&self, lines: &TextLines, parameters: &CxExtractorParameters) -> Choice {
        let is_content = match parameters.variant {
            Variant::Java => lines.passages(lines.program_threshold(), true),
            Variant::Fixed => lines.passages(parameters.threshold, false),
            Variant::Longest => lines.longest(),
        };
        lines.choose(&is_content)
    }

    fn break_points(&self, lines: &TextLines, parameters: &CxExtractorParameters, _: &str) -> Vec<Value> {
        let blocks = if parameters.variant == Variant::Fixed { lines.blocks.as_slice() } else { &[] };
        blocks.iter().map(|&block| block.into()).collect()
    }
}

fn whole(count: u64) -> Value {
    Value::decimal(count, 0)
}

/// The part of a text node that lies in one line, or of a link that was taken out.
struct Piece {
    /// The text node's place among [`VisibleText::nodes`].
    rank: usize,
    line: Option<usize>,
    chars: u32,
}

/// The page's text in lines, blank ones too.
pub(super) struct TextLines {
    text: Arc<VisibleText>,
    pieces: Vec<Piece>,
    /// `chars` of each line.
    lengths: Vec<u32>,
    /// The lines with a copyright notice.
    notices: Vec<usize>,
    /// `chars` of the block that begins at each line but the last ones; a single one for a page of few lines.
    blocks: Vec<u32>,
}

impl TextLines {
    fn new(page: &Page, parameters: &CxExtractorParameters) -> Self {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let drops = parameters.drop_links && parameters.variant == Variant::Java;
        let dropped = match text.body {
            Some(body) if drops => links_in_runs(tree, body),
            _ => Vec::new(),
        };
        let mut writer = Writer { end: parameters.lines, pieces: Vec::new(), lengths: vec![0], notices: Vec::new() };
        let mut line = String::new();
        let mut dropped = dropped.into_iter().peekable();
        for event in text.body.into_iter().flat_map(|body| events(tree, body)) {
            match event {
                Event::Start(id) => writer.edge(tree, id, true, &mut line),
                Event::End(id) => writer.edge(tree, id, false, &mut line),
                Event::Text(id) => {
                    while dropped.next_if(|&link| tree.end(link) <= id).is_some() {}
                    match (text.rank(tree, id), dropped.peek().is_some_and(|&link| tree.contains(link, id))) {
                        (Some(rank), true) => {
                            writer.pieces.push(Piece { rank, line: None, chars: text.chars(tree, id) });
                        }
                        (_, true) => {}
                        (rank, false) => writer.text(rank, tree.text(id), &mut line),
                    }
                }
            }
        }
        writer.end_line(&mut line);
        writer.lengths.pop();
        let Writer { pieces, lengths, notices, .. } = writer;
        let blocks = blocks(&lengths, parameters.block.whole() as usize);
        TextLines { text, pieces, lengths, notices, blocks }
    }

    /// Between 50 and 100: the mean of the blocks, doubled once for every two times that more lines are empty than not.
    fn program_threshold(&self) -> Value {
        let sum: u64 = self.blocks.iter().map(|&block| u64::from(block)).sum();
        let mean = sum / self.blocks.len() as u64;
        let empty = self.lengths.iter().take(self.blocks.len()).filter(|&&length| length == 0).count();
        let doublings = (empty / (self.lengths.len() - empty).max(1)) >> 1;
        let doubled = u128::from(mean) << doublings.min(60);
        whole(doubled.clamp(50, 100) as u64)
    }

    /// For each line, whether it is content: passages begin where a block has more than `threshold` characters, for
    /// the author's `program` more than half of it at first, and end where a block has none.
    fn passages(&self, threshold: Value, program: bool) -> Vec<bool> {
        let last = self.blocks.len();
        let block = |at: usize| self.blocks.get(at).copied().unwrap_or(0);
        let mut is_content = vec![false; self.lengths.len()];
        let mut begun: Option<usize> = None;
        let mut is_first = program;
        for at in 0..last {
            match begun {
                None => {
                    let enough = whole(u64::from(block(at)) * if is_first { 2 } else { 1 }) > threshold;
                    let ahead = if is_first { 2 } else { 3 };
                    let goes_on = last == 1 || (1..=ahead).any(|step| block(at + step) != 0);
                    if enough && goes_on {
                        (begun, is_first) = (Some(at), false);
                    }
                }
                Some(start) if block(at) == 0 || (at + 1 < last && block(at + 1) == 0) => {
                    let notice = self.notices.partition_point(|&line| line < start);
                    if self.notices.get(notice).is_none_or(|&line| line > at) {
                        self.mark(start..at + 1, &mut is_content);
                    }
                    begun = None;
                }
                Some(_) => {}
            }
        }
        if let Some(start) = begun {
            self.mark(start..self.lengths.len(), &mut is_content);
        }
        is_content
    }

    fn mark(&self, passage: std::ops::Range<usize>, is_content: &mut [bool]) {
        for line in passage {
            is_content[line] = self.lengths[line] >= LEAST_CHARS;
        }
    }

    /// For each line, whether it is in the run of blocks with characters that has most of them, the first of equal ones.
    fn longest(&self) -> Vec<bool> {
        let (mut longest, mut most) = (0..0, 0);
        let mut at = 0;
        for run in self.blocks.chunk_by(|&one, &other| (one > 0) == (other > 0)) {
            let start = at;
            at += run.len();
            let end = if at == self.blocks.len() { self.lengths.len() } else { at };
            let chars: u64 = self.lengths[start..end].iter().map(|&length| u64::from(length)).sum();
            if run[0] > 0 && chars > most {
                (longest, most) = (start..end, chars);
            }
        }
        (0..self.lengths.len()).map(|line| longest.contains(&line)).collect()
    }

    fn choose(&self, is_content: &[bool]) -> Choice {
        let of_piece = |piece: &Piece| (piece.rank, piece.line.is_some_and(|line| is_content[line]), piece.chars);
        self.text.chosen(majority(self.pieces.iter().map(of_piece))).collect()
    }
}

/// The sums of `size` lines from each line, as many as there are lines beyond the first `size`.
fn blocks(lengths: &[u32], size: usize) -> Vec<u32> {
    let mut sum: u32 = lengths.iter().take(size).sum();
    let mut blocks = vec![sum];
    for at in 1..lengths.len().saturating_sub(size) {
        sum = sum + lengths[at + size - 1] - lengths[at - 1];
        blocks.push(sum);
    }
    blocks
}

/// The lines up to the current one, whose text without white space stands beside it.
struct Writer {
    end: LineEnd,
    pieces: Vec<Piece>,
    /// The current line is the last.
    lengths: Vec<u32>,
    notices: Vec<usize>,
}

impl Writer {
    fn end_line(&mut self, line: &mut String) {
        if COPYRIGHT.iter().any(|notice| line.contains(notice)) {
            self.notices.push(self.lengths.len() - 1);
        }
        line.clear();
        self.lengths.push(0);
    }

    /// Ends the line where blocks do that and there is the edge of one.
    fn edge(&mut self, tree: &Tree, id: NodeId, starts: bool, line: &mut String) {
        let is_edge = tree.is_block(id) || starts && *tree.name(id) == local_name!("br");
        if self.end == LineEnd::Block && is_edge {
            self.end_line(line);
        }
    }

    fn text(&mut self, rank: Option<usize>, text: &str, line: &mut String) {
        for (place, part) in text.split('\n').enumerate() {
            if place > 0 && self.end == LineEnd::Source {
                self.end_line(line);
            }
            let count = chars(part) as u32;
            let (Some(rank), 1..) = (rank, count) else { continue };
            let current = self.lengths.len() - 1;
            self.lengths[current] += count;
            self.pieces.push(Piece { rank, line: Some(current), chars: count });
            line.extend(part.chars().filter(|&c| !is_white_space(c)));
        }
    }
}

/// The links, each an `a` element outside any other, that stand in a run: with few characters between the end of one
/// and the start of the next, those of tags but `span` and those of texts.
fn links_in_runs(tree: &Tree, body: NodeId) -> Vec<NodeId> {
    let (mut runs, mut run) = (Vec::new(), Vec::new());
    let mut between = usize::MAX;
    let mut open: Option<NodeId> = None;
    for event in events(tree, body) {
        let is = |id: NodeId, name: &str| **tree.name(id) == *name;
        match event {
            Event::End(id) if open == Some(id) => (open, between) = (None, 0),
            _ if open.is_some() => {}
            Event::Start(id) if is(id, "a") => {
                if between > MOST_BETWEEN_LINKS {
                    runs.push(std::mem::take(&mut run));
                }
                run.push(id);
                open = Some(id);
            }
            Event::Start(id) if !is(id, "span") => between = between.saturating_add(start_tag_chars(tree, id)),
            Event::End(id) if !is(id, "span") => between = between.saturating_add(end_tag_chars(tree, id)),
            Event::Text(id) => between = between.saturating_add(chars(tree.text(id))),
            _ => {}
        }
    }
    runs.push(run);
    runs.into_iter().filter(|run: &Vec<NodeId>| run.len() >= LEAST_LINKS).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn lines(html: &str, parameters: &CxExtractorParameters) -> TextLines {
        CxExtractor.prepare(&Page::new(html.as_bytes(), Context::default()).unwrap(), parameters)
    }

    #[test]
    fn blank_lines_count_and_text_without_a_tag_between_is_one_line() {
        let html = "<body>\na<b>b\n</b>\n<p>c</p><p>d</p></body>";
        assert_eq!(lines(html, &CxExtractorParameters::default()).lengths, [0, 2, 0, 2]);
        let block = CxExtractorParameters { lines: LineEnd::Block, ..CxExtractorParameters::default() };
        assert_eq!(lines("<body>a\nb<p>c<br>d</p></body>", &block).lengths, [0, 2, 1, 1, 0, 0]);
    }

    #[test]
    fn many_blank_lines_double_the_threshold() {
        // 60 characters in one of 7 lines: 4 blocks with the mean 45; 4 of the first 4 lines are empty, 4/(7 - 4) = 1.
        let page = |blank: usize| format!("<body>{}{}\n\n</body>", "\n".repeat(blank), "a".repeat(60));
        let threshold = |blank: usize| lines(&page(blank), &CxExtractorParameters::default()).program_threshold();
        assert_eq!(threshold(4), Value::decimal(50, 0));
        // 41 blank lines before it: 41 blocks with the mean 180/41 = 4; 41 / (44 - 41) >> 1 = 6, so 4 becomes 256.
        assert_eq!(threshold(41), Value::decimal(100, 0));
    }

    #[test]
    fn runs_of_links_have_little_between_them() {
        let html = "<body><a>1</a><b>x</b><a>2</a><span class=longer-than-thirty-characters></span><a>3</a>\
            <p><i><b><i><b><i></i></b></i></b></i></p><a>4</a><a>5</a></body>";
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let links = links_in_runs(&page.tree, page.tree.body().unwrap());
        // 30 are <p><i><b><i><b><i> and what closes them, with 18 and 23 characters.
        let texts: Vec<&str> = links.iter().map(|link| page.tree.text(NodeId(link.0 + 1))).collect();
        assert_eq!(texts, ["1", "2", "3"]);
    }
}

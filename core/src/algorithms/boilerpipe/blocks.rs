//! The blocks of a page: maximal runs of text that no block element's tag interrupts.

use std::ops::Range;

use html5ever::local_name;

use super::BlockParameters;
use super::words::WordCounter;
use crate::algorithms::features::events::{Event, all_events};
use crate::algorithms::features::visible::VisibleText;
use crate::algorithms::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// What is counted of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) words: u32,
    /// Words in links.
    pub(super) linked: u32,
    /// Words in full lines.
    full: u32,
    /// Full lines.
    lines: u32,
}

impl Counts {
    /// `full` words in `lines` lines, or where there are none all words in one line.
    pub(super) fn new(words: u32, linked: u32, full: u32, lines: u32) -> Self {
        let (full, lines) = if full == 0 { (words, 1) } else { (full, lines) };
        Counts { words, linked, full, lines }
    }

    fn with(self, other: Counts) -> Counts {
        let (full, lines) = (self.full + other.full, self.lines + other.lines);
        Counts::new(self.words + other.words, self.linked + other.linked, full, lines)
    }

    pub(super) fn link_density(self) -> Value {
        Value::ratio(self.linked.into(), self.words.into())
    }

    pub(super) fn text_density(self) -> Value {
        Value::ratio(self.full.into(), self.lines.into())
    }

    pub(super) fn words(self) -> Value {
        Value::decimal(self.words.into(), 0)
    }
}

/// What is known of a block besides its counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Labels {
    /// In a list item.
    pub(super) list_item: bool,
    /// In a heading of the first three levels.
    pub(super) heading: bool,
    /// A part of the page's title.
    pub(super) title: bool,
    /// Comments begin here.
    pub(super) end: bool,
    /// The one with most words.
    pub(super) likely: bool,
    /// Another one, when that was found.
    pub(super) might: bool,
}

impl Labels {
    fn with(self, other: Labels) -> Labels {
        Labels {
            list_item: self.list_item || other.list_item,
            heading: self.heading || other.heading,
            title: self.title || other.title,
            end: self.end || other.end,
            likely: self.likely || other.likely,
            might: self.might || other.might,
        }
    }
}

/// A block, or several merged into one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// The first of the page's blocks in it.
    pub(super) first: usize,
    /// The last of them; those between, if they were not removed, are in it too.
    pub(super) last: usize,
    pub(super) counts: Counts,
    /// Open elements at its first text, without inline ones.
    pub(super) level: u32,
    pub(super) labels: Labels,
    pub(super) is_content: bool,
}

impl Block {
    /// Takes the later block `other` in.
    pub(super) fn merge(&mut self, other: Block) {
        self.last = other.last;
        self.counts = self.counts.with(other.counts);
        self.level = self.level.min(other.level);
        self.labels = self.labels.with(other.labels);
        self.is_content |= other.is_content;
    }
}

/// A page's blocks, with their texts and text nodes.
#[derive(Default)]
pub(crate) struct Blocks {
    /// In document order, none of them content yet.
    pub(super) blocks: Vec<Block>,
    /// For each block its part of [`Blocks::text`].
    texts: Vec<Range<usize>>,
    text: String,
    /// For each block its part of [`Blocks::nodes`].
    node_ranges: Vec<Range<usize>>,
    nodes: Vec<NodeId>,
}

impl Blocks {
    pub(super) fn new(page: &Page, parameters: &BlockParameters) -> Self {
        let text = page.view::<VisibleText>();
        let Some(body) = text.body else { return Blocks::default() };
        let mut builder = Builder::new(&page.tree, &text, parameters);
        for event in all_events(&page.tree, body) {
            match event {
                Event::Start(id) => builder.start(id),
                Event::End(id) => builder.end(id),
                Event::Text(id) => builder.text(id),
            }
        }
        builder.close();
        builder.blocks
    }

    /// The text of the block at `place`, trimmed: white space is spaces.
    pub(super) fn text(&self, place: usize) -> &str {
        trim(&self.text[self.texts[place].clone()])
    }

    /// The text nodes of the block at `place`.
    pub(super) fn nodes(&self, place: usize) -> &[NodeId] {
        &self.nodes[self.node_ranges[place].clone()]
    }
}

/// Without control characters and spaces at both ends, as Java trims.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// What Java calls white space.
pub(super) fn is_java_white_space(c: char) -> bool {
    let is_kept = matches!(c, '\u{A0}' | '\u{2007}' | '\u{202F}' | '\u{85}');
    (c.is_whitespace() && !is_kept) || matches!(c, '\u{1C}'..='\u{1F}')
}

/// What the tags of an element do to the text around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Its text is dropped, and the block ends.
    Ignored,
    /// Nothing.
    Inline,
    /// A space.
    Spaced,
    /// A space, and its words may be linked.
    Anchor,
    /// The block ends.
    Boundary,
}

fn effect(name: &str) -> Effect {
    match name {
        "style" | "script" | "option" | "object" | "embed" | "applet" | "link" | "noscript" => Effect::Ignored,
        "strike" | "u" | "b" | "i" | "em" | "strong" | "span" | "sup" | "code" | "tt" | "sub" | "var" | "font" => {
            Effect::Inline
        }
        "abbr" | "acronym" => Effect::Spaced,
        "a" => Effect::Anchor,
        _ => Effect::Boundary,
    }
}

/// The block that is being read.
#[derive(Default)]
struct Current {
    /// Where its text begins.
    text_from: usize,
    /// Where its text nodes begin.
    nodes_from: usize,
    /// Where each part of its text begins that is, or is not, linked.
    parts: Vec<(usize, bool)>,
    level: u32,
}

/// The walk through the page's tags and texts.
struct Builder<'p> {
    tree: &'p Tree,
    visible: &'p VisibleText,
    parameters: &'p BlockParameters,
    blocks: Blocks,
    current: Current,
    /// A block element's tag was passed since the last text.
    is_boundary: bool,
    /// Open elements of each kind.
    links: u32,
    ignored: u32,
    list_items: u32,
    headings: u32,
    level: u32,
}

impl<'p> Builder<'p> {
    fn new(tree: &'p Tree, visible: &'p VisibleText, parameters: &'p BlockParameters) -> Self {
        Builder {
            tree,
            visible,
            parameters,
            blocks: Blocks::default(),
            current: Current::default(),
            is_boundary: false,
            links: 0,
            ignored: 0,
            list_items: 0,
            headings: 0,
            level: 0,
        }
    }

    fn start(&mut self, id: NodeId) {
        self.tag(id);
        self.count_open(id, |count| *count += 1);
    }

    fn end(&mut self, id: NodeId) {
        self.tag(id);
        if self.is_boundary {
            // Here, not at the next text: a block is labelled by what is open when it ends.
            self.close();
        }
        self.count_open(id, |count| *count -= 1);
    }

    fn tag(&mut self, id: NodeId) {
        match effect(self.tree.name(id)) {
            Effect::Inline => {}
            Effect::Spaced | Effect::Anchor => self.space(),
            Effect::Ignored | Effect::Boundary => self.is_boundary = true,
        }
    }

    /// Changes each number of open elements that `id` counts in.
    fn count_open(&mut self, id: NodeId, change: impl Fn(&mut u32)) {
        let name = self.tree.name(id);
        let effect = effect(name);
        match *name {
            local_name!("li") => change(&mut self.list_items),
            local_name!("h1") | local_name!("h2") | local_name!("h3") => change(&mut self.headings),
            _ if !matches!(effect, Effect::Inline | Effect::Spaced) => change(&mut self.level),
            _ => {}
        }
        if effect == Effect::Ignored {
            change(&mut self.ignored);
        }
        if effect == Effect::Anchor && self.parameters.links.has(self.tree, id) {
            change(&mut self.links);
        }
    }

    fn text(&mut self, id: NodeId) {
        if self.ignored > 0 {
            return;
        }
        if self.is_boundary {
            self.close();
            self.is_boundary = false;
        }
        let text = self.tree.text(id);
        let inner = text.trim_matches(is_java_white_space);
        if inner.is_empty() {
            return self.space();
        }
        if text.starts_with(is_java_white_space) {
            self.space();
        }
        self.begin_part();
        let spaced = inner.chars().map(|c| if is_java_white_space(c) { ' ' } else { c });
        self.blocks.text.extend(spaced);
        if text.ends_with(is_java_white_space) {
            self.space();
        }
        if self.visible.rank(self.tree, id).is_some() {
            self.blocks.nodes.push(id);
        }
    }

    /// Whether the current block has text.
    fn has_begun(&self) -> bool {
        self.blocks.text.len() > self.current.text_from
    }

    fn space(&mut self) {
        if self.has_begun() && !self.blocks.text.ends_with(' ') {
            self.blocks.text.push(' ');
        }
    }

    /// Notes whether the text that follows is linked, and at the first one the level.
    fn begin_part(&mut self) {
        if !self.has_begun() {
            self.current.level = self.level;
        }
        let is_linked = self.links > 0;
        if self.current.parts.last().is_none_or(|&(_, was_linked)| was_linked != is_linked) {
            self.current.parts.push((self.blocks.text.len(), is_linked));
        }
    }

    /// Ends the current block, if it has begun.
    fn close(&mut self) {
        if !self.has_begun() {
            return;
        }
        let BlockParameters { line_width, han_chars_per_word, .. } = *self.parameters;
        let mut counter = WordCounter::new(line_width.whole() as i64, han_chars_per_word.whole() as usize);
        let mut parts = self.current.parts.iter().peekable();
        while let Some(&(from, is_linked)) = parts.next() {
            let to = parts.peek().map_or(self.blocks.text.len(), |&&(next, _)| next);
            counter.add(&self.blocks.text[from..to], is_linked);
        }
        let place = self.blocks.blocks.len();
        let labels = Labels { list_item: self.list_items > 0, heading: self.headings > 0, ..Labels::default() };
        self.blocks.blocks.push(Block {
            first: place,
            last: place,
            counts: counter.finish(),
            level: self.current.level,
            labels,
            is_content: false,
        });
        let (text_to, nodes_to) = (self.blocks.text.len(), self.blocks.nodes.len());
        self.blocks.texts.push(self.current.text_from..text_to);
        self.blocks.node_ranges.push(self.current.nodes_from..nodes_to);
        self.current = Current { text_from: text_to, nodes_from: nodes_to, ..Current::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::super::ProgramLinks;
    use super::*;
    use crate::page::Context;

    fn read(html: &str, parameters: &BlockParameters) -> Vec<(String, u32, u32, Value)> {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let blocks = Blocks::new(&page, parameters);
        let of = |block: &Block| {
            let counts = block.counts;
            (blocks.text(block.first).to_owned(), counts.words, counts.linked, counts.text_density())
        };
        blocks.blocks.iter().map(of).collect()
    }

    fn words(html: &str) -> Vec<(String, u32, u32)> {
        let blocks = read(html, &BlockParameters::default()).into_iter();
        blocks.map(|(text, words, linked, _)| (text, words, linked)).collect()
    }

    fn expected(blocks: &[(&str, u32, u32)]) -> Vec<(String, u32, u32)> {
        blocks.iter().map(|&(text, words, linked)| (text.to_owned(), words, linked)).collect()
    }

    #[test]
    fn blocks_of_the_third_golden_page() {
        let page = "<body>a<b>b</b> c<br>d<small>e</small><p>&nbsp;</p><p>|</p><p> </p>f</body>";
        let blocks = [("ab c", 2, 0), ("d", 1, 0), ("e", 1, 0), ("\u{A0}", 0, 0), ("|", 0, 0), ("f", 1, 0)];
        assert_eq!(words(page), expected(&blocks));
    }

    #[test]
    fn words_in_links_are_linked_and_what_is_ignored_ends_a_block() {
        let page = "<body>x<a href=1>a b</a>c<abbr>d</abbr>e<span>f</span><object>no<b>no</b></object>g\
            <textarea>no</textarea>h<iframe>no</iframe>i</body>";
        let blocks = [("x a b c d ef", 6, 2), ("g", 1, 0), ("h", 1, 0), ("i", 1, 0)];
        assert_eq!(words(page), expected(&blocks));
    }

    #[test]
    fn which_anchors_link_is_a_parameter() {
        let page = "<body><a>a</a> <a name=x>b</a> <a href=y>c</a> <a onclick=z>d</a> <a name=x href=y>e</a></body>";
        let linked = |links| read(page, &BlockParameters { links, ..BlockParameters::default() })[0].2;
        assert_eq!([ProgramLinks::Real, ProgramLinks::Any, ProgramLinks::Href].map(linked), [3, 5, 2]);
    }

    #[test]
    fn a_block_is_labelled_by_what_is_open_when_it_ends() {
        let html = "<body>before<ul><li>one<li><p>two</ul>after<h2>head</h2>tail</body>";
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let blocks = Blocks::new(&page, &BlockParameters::default());
        let labels: Vec<_> =
            blocks.blocks.iter().map(|block| (block.labels.list_item, block.labels.heading, block.level)).collect();
        // `before` ends at the text in the first item, `after` at the text in the heading; items and headings
        // are no levels: body 1, ul 2, p 3.
        let expected = [
            (true, false, 1),
            (true, false, 2),
            (true, false, 3),
            (false, true, 1),
            (false, true, 1),
            (false, false, 1),
        ];
        assert_eq!(labels, expected);
    }

    #[test]
    fn merged_blocks_add_up() {
        let one = Counts::new(70, 7, 65, 5);
        assert_eq!(one.with(Counts::new(20, 0, 16, 1)), Counts::new(90, 7, 81, 6));
        // Two blocks without words stay one line.
        let none = Counts::new(0, 0, 0, 1);
        assert_eq!(none.with(none).text_density(), Value::ZERO);
        assert_eq!(none.link_density(), Value::ZERO);
    }
}

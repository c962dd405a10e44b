//! The paragraphs of a page.

use std::ops::Range;

use html5ever::local_name;
use rustc_hash::FxHashSet;

use super::JustextParameters;
use crate::algorithms::features::events::{Event, events};
use crate::algorithms::features::links::ProgramLinks;
use crate::algorithms::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};
use crate::text::words::is_kana_or_ideograph;
use crate::text::{is_blank, is_white_space};

/// A run of text between the tags of paragraph elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Paragraph {
    /// Its part of [`Paragraphs::nodes`].
    nodes: Range<usize>,
    /// Characters, wide ones counted as often as they are wide.
    pub(super) length: u64,
    /// Characters.
    chars: u64,
    /// Characters in links, before white space at the edges of their texts is taken away.
    pub(super) link_chars: u64,
    words: u64,
    stop_words: u64,
    /// It holds a copyright sign.
    pub(super) is_copyright: bool,
    /// It begins in a heading.
    pub(super) is_heading: bool,
}

impl Paragraph {
    /// Characters in links a character: can be above 1.
    pub(super) fn link_density(&self) -> Value {
        // Nothing is linked where there are no characters.
        Value::ratio(self.link_chars, self.chars)
    }

    /// Share of the words that are stop words.
    pub(super) fn stop_density(&self) -> Value {
        Value::ratio(self.stop_words, self.words)
    }
}

/// A page's paragraphs.
#[derive(Default)]
pub(crate) struct Paragraphs {
    pub(super) paragraphs: Vec<Paragraph>,
    nodes: Vec<NodeId>,
    /// Whether stop words were counted.
    pub(super) has_stop_list: bool,
}

impl Paragraphs {
    pub(super) fn new(page: &Page, parameters: &JustextParameters) -> Self {
        let stop_words = parameters.stoplist.words(page.primary_language().as_deref());
        let mut maker = Maker {
            tree: &page.tree,
            links: parameters.links,
            width: parameters.wide_chars.whole(),
            made: Paragraphs { has_stop_list: stop_words.is_some(), ..Paragraphs::default() },
            stop_words: stop_words.unwrap_or_default(),
            current: Current::default(),
            is_link: false,
            is_line_break: false,
            headings: 0,
            skipped: NodeId::DOCUMENT..NodeId::DOCUMENT,
        };
        if let Some(body) = page.tree.body() {
            events(&page.tree, body).for_each(|event| maker.event(event));
        }
        maker.made
    }

    /// The text nodes of `paragraph`.
    pub(super) fn nodes(&self, paragraph: &Paragraph) -> &[NodeId] {
        &self.nodes[paragraph.nodes.clone()]
    }
}

/// Elements that are skipped with all they hold, besides the invisible ones.
fn is_skipped(name: &str) -> bool {
    matches!(name, "button" | "input" | "select" | "applet" | "object" | "embed" | "link")
}

fn is_paragraph(name: &str) -> bool {
    is_heading(name)
        || matches!(
            name,
            "body" | "blockquote" | "caption" | "center" | "col" | "colgroup" | "dd" | "div" | "dl" | "dt"
        )
        || matches!(name, "fieldset" | "legend" | "optgroup" | "option" | "p" | "pre" | "ul" | "li")
        || matches!(name, "table" | "td" | "tfoot" | "th" | "thead" | "tr")
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// `h` and a digit: `h7` makes no paragraph, but one that begins in it is a heading.
fn is_like_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h', digit] if digit.is_ascii_digit())
}

/// The paragraph that is being read.
#[derive(Default)]
struct Current {
    /// The pieces of its text; a line break is a piece too.
    text: String,
    has_pieces: bool,
    link_chars: u64,
    is_heading: bool,
    nodes_from: usize,
}

/// The walk through the page's tags and texts.
struct Maker<'p> {
    tree: &'p Tree,
    links: ProgramLinks,
    /// How many characters a wide one counts as.
    width: u64,
    stop_words: FxHashSet<String>,
    made: Paragraphs,
    current: Current,
    /// A link began, and no `a` ended since.
    is_link: bool,
    /// A `br` was passed since the last text and the last other tag that makes no paragraph.
    is_line_break: bool,
    /// Open headings.
    headings: u32,
    /// The last element that was skipped, and what is in it.
    skipped: Range<NodeId>,
}

impl Maker<'_> {
    fn event(&mut self, event: Event) {
        let (Event::Start(id) | Event::End(id) | Event::Text(id)) = event;
        if self.skipped.contains(&id) {
            return;
        }
        match event {
            Event::Start(id) if is_skipped(self.tree.name(id)) => self.skipped = id..self.tree.end(id),
            Event::Start(id) => self.start(id),
            Event::End(id) => self.end(id),
            Event::Text(id) => self.text(id),
        }
    }

    fn start(&mut self, id: NodeId) {
        let name = self.tree.name(id);
        self.headings += u32::from(is_like_heading(name));
        if is_paragraph(name) {
            return self.begin_paragraph();
        }
        match *name {
            local_name!("form") => {}
            // The second of two parts paragraphs, and so does each one that follows it.
            local_name!("br") if self.is_line_break => self.begin_paragraph(),
            local_name!("br") => {
                self.is_line_break = true;
                self.append(" ");
            }
            _ => {
                self.is_line_break = false;
                self.is_link |= *name == local_name!("a") && self.links.has(self.tree, id);
            }
        }
    }

    fn end(&mut self, id: NodeId) {
        let name = self.tree.name(id);
        self.headings -= u32::from(is_like_heading(name));
        if is_paragraph(name) {
            self.begin_paragraph();
        }
        if *name == local_name!("a") {
            self.is_link = false;
        }
    }

    fn text(&mut self, id: NodeId) {
        let text = self.tree.text(id);
        if is_blank(text) {
            return;
        }
        let length = self.append(text);
        if self.is_link {
            self.current.link_chars += length;
        }
        self.is_line_break = false;
        self.made.nodes.push(id);
    }

    /// Appends a piece of text, and gives its length.
    fn append(&mut self, text: &str) -> u64 {
        let piece = normalise(text);
        self.current.text.push_str(&piece);
        self.current.has_pieces = true;
        piece.chars().count() as u64
    }

    /// Ends the current paragraph, which is one if it has pieces, and begins another.
    fn begin_paragraph(&mut self) {
        let nodes_to = self.made.nodes.len();
        let next = Current { is_heading: self.headings > 0, nodes_from: nodes_to, ..Current::default() };
        let current = std::mem::replace(&mut self.current, next);
        if !current.has_pieces {
            return;
        }
        let text = normalise(current.text.trim_matches(is_white_space));
        let chars = text.chars().count() as u64;
        let wide = text.chars().filter(|&c| is_kana_or_ideograph(c)).count() as u64;
        let words = text.split(is_white_space).filter(|word| !word.is_empty());
        let is_stop_word = |word: &&str| self.stop_words.contains(&word.to_lowercase());
        self.made.paragraphs.push(Paragraph {
            nodes: current.nodes_from..nodes_to,
            length: chars + wide * (self.width - 1),
            chars,
            link_chars: current.link_chars,
            words: words.clone().count() as u64,
            stop_words: words.filter(is_stop_word).count() as u64,
            is_copyright: text.contains('©') || text.contains("&copy"),
            is_heading: current.is_heading,
        });
    }
}

/// Each run of white space is a line feed if it holds a line break, else a space.
fn normalise(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut run: Option<char> = None;
    for c in text.chars() {
        if is_white_space(c) {
            let is_line_break = matches!(c, '\n' | '\r') || run == Some('\n');
            run = Some(if is_line_break { '\n' } else { ' ' });
        } else {
            normal.extend(run.take());
            normal.push(c);
        }
    }
    normal.extend(run);
    normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    /// Length, linked characters and whether it is a heading, of each paragraph.
    fn read(html: &str) -> Vec<(u64, u64, bool)> {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let made = Paragraphs::new(&page, &JustextParameters::default());
        made.paragraphs.iter().map(|it| (it.length, it.link_chars, it.is_heading)).collect()
    }

    #[test]
    fn paragraphs_end_at_their_elements_and_at_the_second_line_break() {
        // ab and cd, a section being none; e f; g; h; the form ends the p, and neither it nor the line parts i and j.
        let html = "<body><section>ab</section><b> </b><i>cd</i><p>e<br>f<p>g<br> <br>h<form>i</form><hr>j</body>";
        assert_eq!(read(html), [(4, 0, false), (3, 0, false), (1, 0, false), (1, 0, false), (2, 0, false)]);
        // An image between the line breaks, or a text; a third line break parts again; a paragraph's tag changes nothing.
        assert_eq!(read("a<br><img><br>b<br>c<br>d"), [(7, 0, false)]);
        assert_eq!(read("a<br><br><br>b"), [(1, 0, false), (1, 0, false)]);
        assert_eq!(read("a<br><form></form><br>b"), [(1, 0, false), (1, 0, false)]);
        assert_eq!(read("a<br></p><br>b"), [(1, 0, false), (1, 0, false)]);
        assert_eq!(read("<p>a</p><br><p>b"), [(1, 0, false), (0, 0, false), (1, 0, false)]);
    }

    #[test]
    fn white_space_is_one_character_and_skipped_elements_hold_none() {
        assert_eq!(
            read("<p> a \n b <select><option>x</select><button>x</button><script>x</script></p>"),
            [(3, 0, false)]
        );
        assert_eq!(normalise(" \u{A0} a\t\r b\u{3000}"), " a\nb ");
    }

    #[test]
    fn links_count_with_the_white_space_in_them() {
        // ` a ` is three characters of the one that is left.
        assert_eq!(read("<p><a href=x> a </a></p>"), [(1, 3, false)]);
        // The end of the inner a ends the link, whatever is open.
        let html = "<a href=x>a<table><td><a href=y>b</a></table>c</a>";
        assert_eq!(read(html), [(1, 1, false), (1, 1, false), (1, 0, false)]);
        assert_eq!(read("<p><a>a</a><a name=x>b</a><a id=x>c</a></p>"), [(3, 1, false)]);
    }

    #[test]
    fn headings_are_what_begins_in_one() {
        assert_eq!(read("<h2>a<p>b</p></h2>c<h7>d<p>e"), [(1, 0, true), (1, 0, true), (2, 0, false), (1, 0, true)]);
    }
}

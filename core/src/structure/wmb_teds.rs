//! WebMainBench's TEDS. It hands each tree to its library as a string, and the library sees one node, whose label is the
//! whole tree: so this compares two strings.

use std::cell::RefCell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

use super::kind::StructureError;
use super::strings::scalars;
use crate::page::limits::MAX_OPEN_ELEMENTS;
use crate::page::to_html::is_void;
use crate::scoring::{Counts, Gold, Measure, ONE, ratio};

/// Pairs of characters beyond which two strings are not compared. A string holds a text once for each element around it,
/// so that it may be hundreds of times as long as the table.
const MOST_PAIRS: u64 = 1_000_000_000_000;

/// A string that is longer is beyond them with a string of any length.
const LONGEST: usize = 64 << 20;

/// Compares the first tables of an extraction's string and a gold's; the value is in 10^-12.
///
/// # Errors
/// [`StructureError::TooLarge`].
pub(super) fn compare([extraction, gold]: &[String; 2]) -> Result<Option<Counts>, StructureError> {
    let value = match (extraction.is_empty(), gold.is_empty()) {
        (true, true) => return Ok(None),
        (false, false) => alike(extraction, gold)?,
        _ => 0,
    };
    Ok(Some(Counts { matched: value, extracted: ONE, gold: ONE }))
}

fn alike(extraction: &str, gold: &str) -> Result<u64, StructureError> {
    let (extraction, gold) = match (Soup::first_table(extraction), Soup::first_table(gold)) {
        (Some(extraction), Some(gold)) => (extraction.label(), gold.label()),
        (None, None) => return Ok(ONE),
        _ => return Ok(0),
    };
    let lengths = [&extraction, &gold].map(|label| label.text.chars().count() as u64);
    let is_cut = extraction.text.len().max(gold.text.len()) > LONGEST;
    if is_cut || lengths[0].saturating_mul(lengths[1]) > MOST_PAIRS {
        let [extraction, gold] = lengths;
        return Err(StructureError::TooLarge { extraction, gold, unit: "characters" });
    }
    let nodes = extraction.nodes.max(gold.nodes);
    let (part, whole) = distance(&extraction.text, &gold.text);
    Ok(ratio((nodes * whole).saturating_sub(part), nodes * whole))
}

/// The distance of two labels as a fraction. What stands before the first colon is the tag, also where the colon stands
/// deep in the tree.
fn distance(one: &str, other: &str) -> (u64, u64) {
    fn parts(label: &str) -> (&str, &str) {
        label.split_once(':').unwrap_or((label, ""))
    }
    let ((tag, rest), (of_other, other)) = (parts(one), parts(other));
    if tag != of_other {
        return (1, 1);
    }
    let Counts { matched, gold: longer, .. } = Gold::new(Measure::Edit, &scalars(rest)).counts(&scalars(other));
    match (rest.is_empty(), other.is_empty()) {
        (true, true) => (0, 1),
        // The length of the text, but not more than to delete a node and to insert one.
        (true, false) | (false, true) => (longer.min(2), 1),
        (false, false) => (longer - matched, longer),
    }
}

/// A tree as a string, and the number of its nodes.
struct Label {
    text: String,
    nodes: u64,
}

/// The elements of the first table as they are nested in the source: no end tag is implied, and no element added.
#[derive(Default)]
struct Soup {
    elements: Vec<Element>,
    /// The texts between tags, each without white space at its ends.
    text: String,
    /// The text since the last tag.
    piece: String,
    open: Vec<Open>,
    is_complete: bool,
}

struct Element {
    name: String,
    children: Vec<usize>,
    /// Its part of the text.
    start: usize,
    end: usize,
    /// The text that is its own, and none of the elements around it: see [`keeps_its_text`].
    own: String,
}

/// An open element, which is in the table if it has a number.
struct Open {
    name: String,
    number: Option<usize>,
    /// The innermost element here or around it that keeps its text.
    keeper: Option<usize>,
}

impl Soup {
    fn first_table(html: &str) -> Option<Soup> {
        let tokenizer = Tokenizer::new(Feed(RefCell::default()), TokenizerOpts::default());
        let input = BufferQueue::default();
        input.push_back(StrTendril::from_slice(html));
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        let mut soup = tokenizer.sink.0.into_inner();
        soup.close_to(0);
        (!soup.elements.is_empty()).then_some(soup)
    }

    /// Opens an element; only those of the first table are kept.
    fn open(&mut self, name: &str, has_content: bool) {
        self.end_piece();
        let (parent, keeper) = self.open.last().map_or((None, None), |open| (open.number, open.keeper));
        let is_in_table = parent.is_some() || name == "table" && self.elements.is_empty();
        let number = is_in_table.then_some(self.elements.len());
        if is_in_table {
            let (start, end, children) = (self.text.len(), self.text.len(), Vec::new());
            self.elements.push(Element { name: name.to_owned(), children, start, end, own: String::new() });
        }
        if let (Some(parent), Some(number)) = (parent, number) {
            self.elements[parent].children.push(number);
        }
        // Deeper elements become siblings, as in a page.
        if has_content && self.open.len() < MAX_OPEN_ELEMENTS {
            let keeper = number.filter(|_| keeps_its_text(name)).or(keeper);
            self.open.push(Open { name: name.to_owned(), number, keeper });
        }
    }

    /// Closes the last open element of that name and all within it; without one an end tag only ends a text.
    fn close(&mut self, name: &str) {
        self.end_piece();
        if let Some(at) = self.open.iter().rposition(|open| open.name == name) {
            self.close_to(at);
        }
    }

    fn close_to(&mut self, at: usize) {
        self.end_piece();
        for open in self.open.drain(at..) {
            if let Some(number) = open.number {
                self.elements[number].end = self.text.len();
                self.is_complete |= number == 0;
            }
        }
    }

    fn end_piece(&mut self) {
        let is_space = |c: char| c.is_whitespace() || matches!(c, '\u{1C}'..='\u{1F}');
        let piece = self.piece.trim_matches(is_space);
        match self.open.last() {
            Some(Open { keeper: Some(keeper), .. }) => self.elements[*keeper].own.push_str(piece),
            Some(Open { number: Some(_), .. }) => self.text.push_str(piece),
            _ => {}
        }
        self.piece.clear();
    }

    /// The tree as its string: `tag:text(child,child)`, the text of an element being all text below it.
    fn label(&self) -> Label {
        let mut label = Label { text: String::new(), nodes: 0 };
        self.write(0, &mut label);
        label
    }

    /// Recursion ends at the cap of open elements.
    fn write(&self, number: usize, label: &mut Label) {
        label.nodes += 1;
        if label.text.len() > LONGEST {
            return;
        }
        let Element { name, start, end, own, .. } = &self.elements[number];
        let text = if keeps_its_text(name) { own } else { &self.text[*start..*end] };
        label.text.push_str(name);
        if !text.is_empty() {
            label.text.push(':');
            label.text.extend(text.chars().map(|c| match c {
                '(' => '[',
                ')' => ']',
                ',' => ';',
                c => c,
            }));
        }
        let mut children = Vec::new();
        self.children(number, &mut children);
        for (at, &child) in children.iter().enumerate() {
            label.text.push(if at == 0 { '(' } else { ',' });
            self.write(child, label);
        }
        if !children.is_empty() {
            label.text.push(')');
        }
    }

    /// The children in the tree. A section stays, but takes its rows' cells in place of its rows.
    fn children(&self, number: usize, children: &mut Vec<usize>) {
        let Element { name, children: own, .. } = &self.elements[number];
        if matches!(&name[..], "thead" | "tbody" | "tfoot") {
            own.iter().for_each(|&child| self.children(child, children));
        } else {
            children.extend(own);
        }
    }
}

/// True if the text in an element is none of the elements around it (to Beautiful Soup's `get_text`, since 4.10).
fn keeps_its_text(name: &str) -> bool {
    matches!(name, "script" | "style" | "template" | "rt" | "rp")
}

/// The receiver of the tokens.
struct Feed(RefCell<Soup>);

impl TokenSink for Feed {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut soup = self.0.borrow_mut();
        if soup.is_complete {
            return TokenSinkResult::Continue;
        }
        match token {
            Token::CharacterTokens(characters) => soup.piece.push_str(&characters),
            Token::CommentToken(_) | Token::DoctypeToken(_) => soup.end_piece(),
            Token::TagToken(Tag { kind: TagKind::EndTag, name, .. }) => soup.close(&name),
            Token::TagToken(Tag { name, self_closing, .. }) => {
                let is_script = matches!(&*name, "script" | "style") && !self_closing;
                soup.open(&name, !self_closing && !is_void(&name));
                if is_script {
                    return TokenSinkResult::RawData(RawKind::Rawtext);
                }
            }
            Token::NullCharacterToken | Token::ParseError(_) | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(html: &str) -> String {
        Soup::first_table(html).unwrap().label().text
    }

    #[test]
    fn trees_are_written_as_their_library_reads_them() {
        assert_eq!(label("<p>x<table><tr><td>a</td></tr></table>y<table>"), "table:a(tr:a(td:a))");
        assert_eq!(
            label("<table><tr><td> a <b>b</b>, (c)<br></table>"),
            "table:ab; [c](tr:ab; [c](td:ab; [c](b:b,br)))"
        );
        assert_eq!(label("<table><tr><td>1<td>2"), "table:12(tr:12(td:12(td:2)))");
        assert_eq!(label("<table><tbody><tr><td>a</td></tr></tbody></table>"), "table:a(tbody:a(td:a))");
        assert_eq!(
            label("<table><tr><td>a &amp; b<script>x</script></td></x></tr></table>"),
            "table:a & b(tr:a & b(td:a & b(script:x)))"
        );
        assert!(Soup::first_table("<tablex>").is_none());
    }

    fn value(extraction: &str, gold: &str) -> u64 {
        compare(&[extraction.to_owned(), gold.to_owned()]).unwrap().unwrap().matched
    }

    #[test]
    fn one_node_is_compared_with_one_node() {
        let cell = |text: &str| format!("<table><tr><td>{text}</td></tr></table>");
        // 3 of 13 characters of one node of three.
        assert_eq!(value(&cell("a"), &cell("b")), 923_076_923_077);
        assert_eq!(value(&cell("a"), "<table><tbody><tr><td>a</td></tr></tbody></table>"), 916_666_666_667);
        assert_eq!(value(&cell("a"), &cell("a")), ONE);
        assert_eq!(value("", &cell("a")), 0);
        // The tags differ: `table(tr(td))` has no colon. A node of three is lost.
        assert_eq!(value(&cell(""), &cell("a")), 666_666_666_667);
        assert_eq!(value("<table></table>", &cell("abc")), 333_333_333_333);
    }

    #[test]
    fn deep_tables_are_cut_and_long_strings_refused() {
        let deep = format!("<table>{}{}", "<b>".repeat(3000), "x".repeat(10_000));
        assert_eq!(value("<table></table>", &deep), ratio(1, 1) - ratio(2, 3001));
        let error = compare(&[deep.clone(), deep]).unwrap_err().to_string();
        assert_eq!(error, "the tables are too large to compare (5127029 and 5127029 characters)");
    }
}

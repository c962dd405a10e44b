//! A gold or an extraction, and its parts.

use std::sync::OnceLock;

use super::formula::{self, delimited};
use super::kind::TextKind;
use super::source::Source;
use super::tables::{Table, tables};
use super::{code, markdown};
use crate::page::parse::parse;
use crate::page::selection::Selection;
use crate::page::tree::Tree;
use crate::text::is_white_space;

/// A gold or an extraction of a page. Its parts are read when a measure first asks for them, and once.
pub struct Document {
    kind: Option<TextKind>,
    text: String,
    /// `None` inside: the document makes more nodes than a page may.
    parts: OnceLock<Option<Parts>>,
}

/// The parts of a document that are more than running text.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) tables: Vec<Table>,
    pub(super) code: Vec<String>,
    pub(super) formulas: Vec<String>,
}

impl Document {
    /// A text of a kind, as it stands.
    pub fn new(kind: TextKind, text: impl Into<String>) -> Self {
        Document { kind: Some(kind), text: text.into(), parts: OnceLock::new() }
    }

    /// The part of a page that a selection of text nodes leaves: these nodes and the elements around them, and of what has no text
    /// to select the empty cells of their rows, their line breaks, and TeX that stands in the same element.
    pub fn of_selection(tree: &Tree, selection: &Selection) -> Self {
        let parts = Parts::of(&Source::of_selection(tree, selection));
        Document { kind: None, text: String::new(), parts: OnceLock::from(Some(parts)) }
    }

    /// The kind of text; `None`: text nodes.
    pub fn kind(&self) -> Option<TextKind> {
        self.kind
    }

    /// The tables, in document order; none where the document is too large to be read.
    pub fn tables(&self) -> &[Table] {
        self.parts().map_or(&[], |parts| &parts.tables)
    }

    /// The blocks of code, in document order; none where the document is too large to be read.
    pub fn code(&self) -> &[String] {
        self.parts().map_or(&[], |parts| &parts.code)
    }

    /// The formulas, in document order; none where the document is too large to be read.
    pub fn formulas(&self) -> &[String] {
        self.parts().map_or(&[], |parts| &parts.formulas)
    }

    /// The text as it stands if it is Markdown, else the empty text.
    pub(super) fn markdown(&self) -> &str {
        if self.kind == Some(TextKind::Markdown) { &self.text } else { "" }
    }

    /// The parts; `None`: the document makes more nodes than a page may.
    pub(super) fn parts(&self) -> Option<&Parts> {
        self.parts.get_or_init(|| self.read()).as_ref()
    }

    fn read(&self) -> Option<Parts> {
        match self.kind {
            Some(TextKind::Html) => Some(Parts::of(&Source::new(&parse(&self.text).ok()?.tree))),
            Some(TextKind::Markdown) => {
                // A byte-order mark would be the first character of a table or a heading.
                let text = self.text.trim_start_matches('\u{FEFF}');
                let tree = parse(&markdown::to_html(text)).ok()?.tree;
                Some(Parts { formulas: formulas_of_source(text), ..Parts::of(&Source::new(&tree)) })
            }
            Some(TextKind::Text) | None => Some(Parts::default()),
        }
    }
}

impl Parts {
    fn of(source: &Source<'_>) -> Self {
        Parts { tables: tables(source), code: code::blocks(source), formulas: formula::formulas(source) }
    }
}

/// Formulas of Markdown stand in its source: CommonMark knows none.
fn formulas_of_source(text: &str) -> Vec<String> {
    let source = markdown::without_code(text);
    let formulas = delimited(&source).into_iter().map(|(_, formula)| formula.trim_matches(is_white_space));
    formulas.filter(|formula| !formula.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tables::Cell;
    use super::*;

    fn selected(html: &str, chosen: &[&str]) -> Document {
        let tree = parse(html).unwrap().tree;
        let is_chosen = |text: &str| chosen.iter().any(|chosen| text.starts_with(chosen));
        let selection: Selection = tree.ids().filter(|&id| tree.is_text(id) && is_chosen(tree.text(id))).collect();
        Document::of_selection(&tree, &selection)
    }

    fn cells(document: &Document) -> Vec<Vec<Vec<String>>> {
        let row = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.clone()).collect();
        document.tables().iter().map(|table| table.rows.iter().map(row).collect()).collect()
    }

    #[test]
    fn a_selection_keeps_empty_cells_of_its_rows_and_nothing_else() {
        let page = "<table><tr><td>a<td><td>b<tr><td>c</table>";
        assert_eq!(cells(&selected(page, &["a"])), [[["a", ""]]]);
        let nested = "<table><tr><td>menu<td><table><tr><td>x<br>y<td>z</table></table>";
        assert_eq!(cells(&selected(nested, &["x", "y"])), [[["x y"]]]);
        // The table inside is not selected, so that the one around it is innermost.
        assert_eq!(cells(&selected(nested, &["menu"])), [[["menu"]]]);
        assert!(selected(page, &[]).tables().is_empty());
    }

    #[test]
    fn a_selection_keeps_the_spaces_that_the_renderer_gives() {
        assert_eq!(cells(&selected("<table><tr><td><b>a</b> <i>b</i></table>", &["a", "b"])), [[["a b"]]]);
    }

    #[test]
    fn a_selection_keeps_tex_beside_its_text() {
        let page = "<p>so $x$<script type='math/tex'>q</script></p><div><script type='math/tex'>r</script></div>\
                    <pre>1<br>2<b>3</b></pre>";
        let document = selected(page, &["so", "1", "3"]);
        assert_eq!(document.formulas(), ["x", "q"]);
        assert_eq!(document.code(), ["1\n3"]);
    }

    #[test]
    fn a_document_that_is_too_large_has_no_parts() {
        let rows = "<br>".repeat(crate::page::limits::MAX_NODES + 1);
        assert!(Document::new(TextKind::Html, rows).parts().is_none());
    }
}

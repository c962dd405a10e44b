//! The tables of a tree.

use html5ever::{LocalName, local_name};
use unicode_normalization::UnicodeNormalization;

use super::source::Source;
use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::tree::NodeId;

/// A table: rows with at least one cell each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The rows, in document order; `thead`, `tbody` and `tfoot` leave no trace.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell; Markdown cannot say what heads a column, so a heading is a cell like any other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The text, on one line, in NFC.
    pub text: String,
    /// The columns that it spans, at least 1.
    pub colspan: u32,
    /// The rows that it spans, at least 1.
    pub rowspan: u32,
}

impl Table {
    /// The nodes of its tree: the table, its rows, its cells.
    pub fn nodes(&self) -> usize {
        1 + self.rows.iter().map(|row| 1 + row.len()).sum::<usize>()
    }
}

/// The tables without a table inside, in document order: what lays out a data table is none.
pub(super) fn tables(source: &Source<'_>) -> Vec<Table> {
    let ids: Vec<NodeId> = source.tree.ids().filter(|&id| source.is(id, "table")).collect();
    let is_innermost = |at: usize| ids.get(at + 1).is_none_or(|&next| next >= source.tree.end(ids[at]));
    let innermost = (0..ids.len()).filter(|&at| is_innermost(at)).map(|at| table(source, ids[at]));
    innermost.filter(|table| !table.rows.is_empty()).collect()
}

fn table(source: &Source<'_>, id: NodeId) -> Table {
    let (mut rows, mut at, end) = (Vec::new(), id, source.tree.end(id));
    while at < end {
        if !source.is(at, "tr") {
            at = NodeId(at.0 + 1);
            continue;
        }
        let cells = source.tree.children(at).filter(|&cell| source.is(cell, "td") || source.is(cell, "th"));
        let row: Vec<Cell> = cells.map(|id| cell(source, id)).collect();
        if !row.is_empty() {
            rows.push(row);
        }
        // A row within a row, which only SVG can hold, would give its text twice.
        at = source.tree.end(at);
    }
    Table { rows }
}

fn cell(source: &Source<'_>, id: NodeId) -> Cell {
    let texts: Selection = source.texts(id).iter().copied().collect();
    let text = render(source.tree, &texts).replace('\n', " ").nfc().collect();
    let span = |name: &LocalName| source.tree.attribute(id, name).map_or(1, span);
    Cell { text, colspan: span(&local_name!("colspan")), rowspan: span(&local_name!("rowspan")) }
}

/// The number that an attribute begins with, at least 1; what is too large for any table is as large as possible.
fn span(value: &str) -> u32 {
    let digits = value.bytes().take_while(u8::is_ascii_digit);
    digits.fold(0u32, |number, digit| number.saturating_mul(10).saturating_add(u32::from(digit - b'0'))).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse::parse;

    fn sketch(html: &str) -> Vec<String> {
        let tree = parse(html).unwrap().tree;
        let cell = |cell: &Cell| match (cell.colspan, cell.rowspan) {
            (1, 1) => cell.text.clone(),
            (columns, rows) => format!("{}:{columns}x{rows}", cell.text),
        };
        let row = |row: &Vec<Cell>| row.iter().map(cell).collect::<Vec<_>>().join("|");
        let table = |table: &Table| table.rows.iter().map(row).collect::<Vec<_>>().join("/");
        tables(&Source::new(&tree)).iter().map(table).collect()
    }

    #[test]
    fn rows_and_cells_are_read_without_their_sections() {
        assert_eq!(sketch("<table><thead><tr><th>a<th>b<tbody><tr><td><b>1</b><td>2</table>"), ["a|b/1|2"]);
        assert_eq!(sketch("<table><tr><td>a<br> b<p>c</p><td><script>x</script></table>"), ["a b c|"]);
        assert_eq!(sketch("<table><tr><td>e\u{301}</table>"), ["\u{E9}"]);
    }

    #[test]
    fn layout_and_what_is_empty_are_no_tables() {
        assert_eq!(sketch("<table><tr><td>menu<td><table><tr><td>1</table></table>"), ["1"]);
        assert_eq!(sketch("<table><tr></tr></table><table></table><table><tr></tr><tr><td></table>"), [""]);
    }

    #[test]
    fn spans_are_the_leading_digits() {
        let cell = |attributes: &str| sketch(&format!("<table><tr><td {attributes}>a</table>")).concat();
        assert_eq!(cell("colspan=2 rowspan='3x'"), "a:2x3");
        assert_eq!(cell("colspan=0 rowspan=-1"), "a");
        assert_eq!(cell("colspan=99999999999999999999"), format!("a:{}x1", u32::MAX));
    }
}

//! How tables and the numbers in them are written: for a terminal and as CSV. Markdown is in `markdown`, LaTeX in `latex`.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table};

use crate::formats::cells::cell;
use crate::formats::inert::{one_line, without_commands};

/// To 4 digits, as people read them.
pub fn four(figure: f64) -> String {
    format!("{figure:.4}")
}

/// To 6 digits, as programs read them.
pub fn six(figure: f64) -> String {
    format!("{figure:.6}")
}

/// An empty table for a terminal.
pub fn plain_table<N: Into<Cell>>(header: impl IntoIterator<Item = N>) -> Table {
    let mut table = Table::new();
    // The width of the terminal must not decide what is printed.
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.load_style(
        UTF8_HORIZONTAL_ONLY
            .row_separator(LineStyle::none())
            .header_separator(LineStyle::none().fill('─').junction('─')),
    );
    table.set_header(header.into_iter().map(Into::into).collect::<Vec<Cell>>());
    table
}

/// A table's lines; columns from the one numbered `right` on (from 0) are aligned right.
pub fn table_lines(mut table: Table, right: usize) -> Vec<String> {
    for column in table.column_iter_mut().skip(right) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Lines of CSV under `header`; every row is as long as it. Texts are in one line each, and none is a formula.
pub fn csv_text(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let written = "writing to memory does not fail, and rows have equal lengths";
    let inert = |text: &str| cell(&one_line(text)).into_owned();
    csv.write_record(header.iter().copied().map(inert)).expect(written);
    rows.for_each(|row| csv.write_record(row.iter().map(|text| inert(text))).expect(written));
    let text = String::from_utf8(csv.into_inner().expect(written)).expect("fields are text");
    without_commands(&text).into_owned()
}

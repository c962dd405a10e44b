//! How tables and the numbers in them are written: for a terminal and as CSV. Markdown is in `markdown`, LaTeX in `latex`.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table};

use crate::formats::cells::cell;
use crate::formats::inert::{one_line, without_commands};

/// One, in the unit of scores.
pub const ONE: f64 = 1e12;

/// Figures below this have exact units of 1e-12, or nearly so.
const MOST_ROUNDED: f64 = 1e6;

/// To 4 digits, as people read them; what rounds to zero has no sign.
pub fn four(figure: f64) -> String {
    if figure.is_nan() || figure.abs() >= MOST_ROUNDED {
        return format!("{figure:.4}");
    }
    let digits = ten_thousandths(figure.abs());
    let sign = if figure < 0.0 && digits > 0 { "-" } else { "" };
    format!("{sign}{}.{:04}", digits / 10_000, digits % 10_000)
}

/// A figure in ten thousandths, half up. It is rounded as the integer of 1e-12 that it is, for the nearest binary
/// fraction of 0.40345 lies below it. `common.js` does the same.
pub fn ten_thousandths(figure: f64) -> u64 {
    const UNIT: u64 = ONE as u64 / 10_000;
    ((figure * ONE).round() as u64 + UNIT / 2) / UNIT
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_digit_is_rounded_up_whatever_its_binary_fraction_is() {
        let shown = [0.403450366, 0.40345, 0.03125, 0.40344999, 1.0, 0.0, -0.00925, -0.00001].map(four);
        assert_eq!(shown, ["0.4035", "0.4035", "0.0313", "0.4034", "1.0000", "0.0000", "-0.0093", "0.0000"]);
        assert_eq!([four(2e9), four(f64::NAN)], ["2000000000.0000", "NaN"]);
    }
}

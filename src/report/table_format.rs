//! How tables and the numbers in them are written: for a terminal, as CSV and for LaTeX. Markdown is in `markdown`.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table};

use crate::formats::cells::cell;
use crate::formats::inert::{is_steering, one_line, without_commands};

/// To 4 digits, as people read them.
pub fn four(figure: f64) -> String {
    format!("{figure:.4}")
}

/// To 6 digits, as programs read them.
pub fn six(figure: f64) -> String {
    format!("{figure:.6}")
}

/// An empty table for a terminal.
pub fn plain_table<'n>(header: impl Iterator<Item = &'n str>) -> Table {
    let mut table = Table::new();
    // The width of the terminal must not decide what is printed.
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.load_style(
        UTF8_HORIZONTAL_ONLY
            .row_separator(LineStyle::none())
            .header_separator(LineStyle::none().fill('─').junction('─')),
    );
    table.set_header(header);
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

/// A table for LaTeX with the package booktabs, its notes below; columns from the one numbered `right` on (from 0)
/// are aligned right.
pub fn latex_table(caption: &str, header: &[&str], right: usize, rows: &[Vec<String>], notes: &[String]) -> String {
    let columns: String = (0..header.len()).map(|column| if column < right { 'l' } else { 'r' }).collect();
    let line =
        |cells: &mut dyn Iterator<Item = &str>| cells.map(latex_text).collect::<Vec<_>>().join(" & ") + " \\\\\n";
    let mut text = format!(
        "% \\usepackage{{booktabs}}\n\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n",
        latex_text(caption)
    );
    text.push_str(&line(&mut header.iter().copied()));
    text.push_str("\\midrule\n");
    text.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text.extend(notes.iter().map(|note| format!("\\par\\footnotesize {}\n", latex_text(note))));
    text + "\\end{table}\n"
}

/// `text` with what LaTeX would read as a command escaped.
fn latex_text(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            // At the beginning of a row a bracket would be an argument of the line before.
            '[' => escaped.push_str("{[}"),
            c if is_steering(c) => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

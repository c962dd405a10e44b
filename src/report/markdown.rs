//! Markdown in which names and texts of others are code, so that nothing in them is markup, a link, an image, a mention or
//! a reference to an issue. Nothing else keeps GitHub from reading those: it looks for them in the text that is shown, in
//! which escapes are gone.

use crate::formats::inert::{is_steering, without_commands};

/// A table's line of cells that are Markdown already; a bar ends a cell even within code.
pub fn cells_line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A table whose columns `names`, numbered from 0, are texts of others, and the rest words and figures of our own; columns
/// from the one numbered `right` on are aligned right.
pub fn table<N: AsRef<str>>(
    header: impl IntoIterator<Item = N>,
    names: &[usize],
    right: usize,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let header: Vec<String> = header.into_iter().map(|name| own(name.as_ref())).collect();
    let rule: Vec<&str> = (0..header.len()).map(|column| if column < right { "---" } else { "---:" }).collect();
    let mut text = format!("{}| {} |\n", cells_line(&header), rule.join(" | "));
    for row in rows {
        let cell = |(column, cell): (usize, &String)| if names.contains(&column) { code(cell) } else { own(cell) };
        text.push_str(&cells_line(&row.iter().enumerate().map(cell).collect::<Vec<_>>()));
    }
    text
}

/// A list of texts that are Markdown already.
pub fn list(items: &[String]) -> String {
    items.iter().map(|item| format!("- {item}\n")).collect()
}

/// Words and figures of our own, which hold no markup but a sign of comparison.
fn own(words: &str) -> String {
    words.replace('<', "&lt;")
}

/// A text as code; nothing where it is empty.
pub fn code(text: &str) -> String {
    let text = text.replace(is_hidden, " ");
    let ticks = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(ticks + 1);
    let code = match (text.is_empty(), ticks) {
        (true, _) => String::new(),
        (false, 0) => format!("{fence}{text}{fence}"),
        (false, _) => format!("{fence} {text} {fence}"),
    };
    // The file may be shown in the log of a job.
    without_commands(&code).into_owned()
}

/// A text as code within HTML.
pub fn code_in_html(text: &str) -> String {
    let text = text.replace(is_hidden, " ");
    format!("<code>{}</code>", text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

/// Lines as a block of code in a language, which nothing in them ends.
pub fn block(language: &str, lines: &[String]) -> String {
    let text: String = lines.iter().map(|line| format!("{}\n", line.replace(is_hidden, " "))).collect();
    let ticks = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(ticks.max(2) + 1);
    // The file may be shown in the log of a job.
    format!("{fence}{language}\n{}{fence}\n", without_commands(&text))
}

/// Text within a comment, which `-->` would end.
pub fn within_comment(text: &str) -> String {
    text.replace(is_hidden, " ").replace("--", "- -").replace('>', " ")
}

/// What acts on what shows it, and marks of a direction.
fn is_hidden(c: char) -> bool {
    is_steering(c) || matches!(c, '\u{200e}' | '\u{200f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(code("a_b*c <i> @you"), "`a_b*c <i> @you`");
        assert_eq!(code("a`b``c\r\n"), "``` a`b``c   ```");
        assert_eq!(code("a\u{202e}gnp"), "`a gnp`");
        assert_eq!(block("diff", &["- a ``` b\u{202e}".to_owned()]), "````diff\n- a ``` b \n````\n");
        assert_eq!(code(""), "");
        assert_eq!(cells_line(&[code("nta:x=a|b"), "c".to_owned()]), "| `nta:x=a\\|b` | c |\n");
        assert_eq!(code_in_html("</summary>@you & x"), "<code>&lt;/summary&gt;@you &amp; x</code>");
        assert_eq!(within_comment("a-->b\n"), "a- - b ");
    }

    #[test]
    fn a_table_tells_names_from_figures() {
        let row = ["a|b <i>", "", "0.5", "<0.0001"].map(str::to_owned).to_vec();
        assert_eq!(
            table(["row", "page", "F1", "p"], &[0, 1], 2, [row]),
            "| row | page | F1 | p |\n| --- | --- | ---: | ---: |\n| `a\\|b <i>` |  | 0.5 | &lt;0.0001 |\n"
        );
    }
}

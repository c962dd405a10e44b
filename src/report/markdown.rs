//! Names and texts in Markdown that are neither markup nor links nor mentions.

/// A table's line of cells that are Markdown already; a bar ends a cell even within code.
pub fn cells_line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A name as code, so that nothing in it is markup, a link or a mention.
pub fn code(name: &str) -> String {
    let name = name.replace(is_hidden, " ");
    let ticks = name.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(ticks + 1);
    if ticks > 0 { format!("{fence} {name} {fence}") } else { format!("{fence}{name}{fence}") }
}

/// Text between tags.
pub fn between_tags(text: &str) -> String {
    let text = text.replace(is_hidden, " ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('@', "&#64;")
}

/// Text within a comment, which `-->` would end.
pub fn within_comment(text: &str) -> String {
    text.replace(is_hidden, " ").replace("--", "- -").replace('>', " ")
}

/// Control characters, and those that turn the direction of what follows.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(code("a_b*c <i> @you"), "`a_b*c <i> @you`");
        assert_eq!(code("a`b``c\r\n"), "``` a`b``c   ```");
        assert_eq!(code("a\u{202e}gnp"), "`a gnp`");
        assert_eq!(cells_line(&[code("nta:x=a|b"), "c".to_owned()]), "| `nta:x=a\\|b` | c |\n");
        assert_eq!(between_tags("</summary>@you & x"), "&lt;/summary&gt;&#64;you &amp; x");
        assert_eq!(within_comment("a-->b\n"), "a- - b ");
    }
}

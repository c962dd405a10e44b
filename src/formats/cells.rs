//! Texts in cells of CSV. A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, which may start
//! programs, so an apostrophe stands before such a text; it is taken off again where carat reads its own files.

use std::borrow::Cow;

/// What stands before a text that is no formula.
const MARK: char = '\'';

/// `text` as a cell. Numbers stay as they are, and `-`, which says that there is none; a text that begins with an
/// apostrophe has one more, so that [`text_of`] gives back every text.
pub fn cell(text: &str) -> Cow<'_, str> {
    let is_figure = text == "-" || is_number(text);
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', MARK]) && !is_figure {
        true => format!("{MARK}{text}").into(),
        false => text.into(),
    }
}

/// The text that stands in a cell.
pub fn text_of(cell: &str) -> &str {
    cell.strip_prefix(MARK).unwrap_or(cell)
}

/// Whether it is a decimal or a fraction with its sign. A name of digits and a sign is one too, and harms nobody.
fn is_number(text: &str) -> bool {
    let is_part =
        |part: &str| part.starts_with(|c: char| c.is_ascii_digit() || c == '.') && part.parse::<f64>().is_ok();
    text.strip_prefix(['+', '-']).unwrap_or(text).splitn(2, '/').all(is_part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formulas_are_texts_and_numbers_are_numbers() {
        for text in [
            "=1+1", "+a", "-x", "@x", "'x", "\tx", "\rx", "-1+cmd|' /C calc'!A0", "-E1", "-inf", "-1/2/3", "--",
            "-1 .. 2",
        ] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        for text in ["", "-", "-0.25", "+0.5", "-1e-9", "-1/3", "-.5", "x=1", "a'b", " =1", "页"] {
            assert_eq!(cell(text), text);
        }
    }

    proptest! {
        #[test]
        fn every_text_is_given_back(text in "['=+@\t\r\n/.,0-9a-e-]{0,6}|.{0,8}") {
            let cell = cell(&text);
            prop_assert_eq!(text_of(&cell), &text);
        }
    }
}

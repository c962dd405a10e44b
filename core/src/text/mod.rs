//! Characters, white space, tokens and the longest common subsequence: what a score is made of.
//!
//! This layer knows text and nothing else: no page, no gold, no file.

mod cleaneval;
pub mod diff;
pub mod lcs;
pub mod marks;
mod python_jieba;
pub mod tokens;
pub mod urls;
pub mod words;

use unicode_normalization::UnicodeNormalization;

/// Whether `c` is white space: the Unicode property `White_Space`, and the five characters
/// U+200B, U+200C, U+200D, U+2060 and U+FEFF, which have no width either.
pub fn is_white_space(c: char) -> bool {
    c.is_whitespace() || is_zero_width(c)
}

/// Whether `c` is one of the five characters without width that count as white space.
fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{FEFF}')
}

/// `text` in NFC, without white space.
///
/// ```
/// assert_eq!(carat_core::text::dense("cafe\u{301} \u{3000}x\n"), "caf\u{e9}x");
/// ```
pub fn dense(text: &str) -> String {
    text.nfc().filter(|&c| !is_white_space(c)).collect()
}

/// The number of Unicode scalar values of `text` that are not white space: what the papers call
/// the number of characters (字数). Control characters count. 0 means that the text is blank.
///
/// ```
/// assert_eq!(carat_core::text::chars(" 新华网\u{3000}a b\n"), 5);
/// ```
pub fn chars(text: &str) -> usize {
    text.chars().filter(|&c| !is_white_space(c)).count()
}

/// Whether `text` holds nothing but white space.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_white_space)
}

/// Text built from pieces: runs of white space inside a line become one space, lines are trimmed,
/// empty lines dropped, the rest joined by U+000A.
///
/// Both the renderer of pages and the reader of gold texts write through it, so that layout can
/// never make the two differ.
#[derive(Default)]
pub struct Lines {
    text: String,
    /// White space was seen since the last character of the current line.
    space: bool,
    /// A line break was asked for since the last character.
    line_break: bool,
}

impl Lines {
    /// Appends `piece` to the current line; every white space in it, line breaks too, is a space.
    pub fn push(&mut self, piece: &str) {
        for c in piece.chars() {
            if is_white_space(c) {
                self.space = true;
                continue;
            }
            if !self.text.is_empty() {
                if self.line_break {
                    self.text.push('\n');
                } else if self.space {
                    self.text.push(' ');
                }
            }
            (self.space, self.line_break) = (false, false);
            self.text.push(c);
        }
    }

    /// Ends the current line.
    pub fn break_line(&mut self) {
        self.line_break = true;
    }

    /// Appends one space.
    pub fn space(&mut self) {
        self.space = true;
    }

    /// The text so far.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Gold text as it is compared: LF, CRLF and CR end lines, white space inside a line becomes one
/// space, lines are trimmed and empty ones dropped.
///
/// ```
/// assert_eq!(carat_core::text::normalise_lines(" a\u{3000} b \r\n\r\n\tc"), "a b\nc");
/// ```
pub fn normalise_lines(text: &str) -> String {
    let mut lines = Lines::default();
    for line in text.split(['\n', '\r']) {
        lines.push(line);
        lines.break_line();
    }
    lines.finish()
}

/// `text` on one line: every run of white space becomes one space, and there is none at the ends.
///
/// ```
/// assert_eq!(carat_core::text::collapse(" a\u{3000} b \r\n\tc"), "a b c");
/// ```
pub fn collapse(text: &str) -> String {
    let mut lines = Lines::default();
    lines.push(text);
    lines.finish()
}

/// So many of what a regular noun names.
///
/// ```
/// assert_eq!(carat_core::text::counted(1, "page"), "1 page");
/// assert_eq!(carat_core::text::counted(2, "page"), "2 pages");
/// ```
pub fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The way out for someone who wrote an unknown name: the nearest known one, else those that contain it, else all of a few,
/// or those of many that are most like it.
///
/// ```
/// assert_eq!(carat_core::text::hint("ntaa", ["nta", "cevc"]), "did you mean `nta`?");
/// assert_eq!(carat_core::text::hint("NTA", ["nta", "cevc"]), "did you mean `nta`?");
/// assert_eq!(carat_core::text::hint("readability", ["nta", "readability-arc90"]), "did you mean `readability-arc90`?");
/// assert_eq!(carat_core::text::hint("cetr", ["cetd", "cetr-tm", "cetr-2d"]), "did you mean `cetr-tm` or `cetr-2d`?");
/// assert_eq!(carat_core::text::hint("x", ["nta", "cevc"]), "there are nta, cevc");
/// ```
pub fn hint<'n>(text: &str, known: impl IntoIterator<Item = &'n str> + Clone) -> String {
    let names: Vec<&str> = known.clone().into_iter().collect();
    let lower = text.to_lowercase();
    let is_kind_of = |name: &&&str| name.to_lowercase().strip_prefix(&lower).is_some_and(|rest| rest.starts_with('-'));
    let kinds: Vec<&str> = names.iter().filter(is_kind_of).copied().collect();
    if kinds.is_empty()
        && let Some(meant) = nearest(text, known)
    {
        return format!("did you mean `{meant}`?");
    }
    let is_part = |name: &&&str| text.chars().count() >= LEAST_PART && name.to_lowercase().contains(&lower);
    let alike = if kinds.is_empty() { names.iter().filter(is_part).copied().collect() } else { kinds };
    let alike: Vec<String> = alike.into_iter().map(|name| format!("`{name}`")).collect();
    if let [alike @ .., last] = &alike[..] {
        let others = if alike.is_empty() { String::new() } else { alike.join(", ") + " or " };
        return format!("did you mean {others}{last}?");
    }
    match names.len() {
        0 => "there are none".to_owned(),
        all if all > MOST_LISTED => format!("the nearest of {all} are {}", most_alike(&lower, names).join(", ")),
        _ => format!("there are {}", names.join(", ")),
    }
}

/// More names are not listed whole.
const MOST_LISTED: usize = 20;

/// So many of them are named.
const NEAR: usize = 3;

/// Those of `names` that are most like `text`, which is in lower case.
fn most_alike<'n>(text: &str, mut names: Vec<&'n str>) -> Vec<&'n str> {
    let unlike = |name: &str| -strsim::jaro_winkler(text, &name.to_lowercase());
    names.sort_by(|one, other| unlike(one).total_cmp(&unlike(other)));
    names.truncate(NEAR);
    names
}

/// A part of a name that is shorter says nothing of what was meant.
const LEAST_PART: usize = 3;

/// The known name that `text` was most likely meant to be: within two edits, or a third of it. Capitals are no edits.
pub fn nearest<'n>(text: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let lower = text.to_lowercase();
    let distances = known.into_iter().map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), name));
    let (distance, name) = distances.min_by_key(|&(distance, _)| distance)?;
    (distance <= 2.max(text.chars().count() / 3)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_control_characters_but_no_white_space() {
        assert_eq!(chars("a\u{1}\u{85}\u{A0}\u{200B}\u{FEFF}\u{3000}字"), 3);
        assert!(is_blank("\u{2060}\u{200D} \u{3000}\n"));
        assert!(!is_blank("\u{1}"));
    }

    #[test]
    fn drops_empty_lines_and_collapses_white_space() {
        assert_eq!(normalise_lines("\n \u{FEFF}\n a \t b\n\n\u{3000}c\r"), "a b\nc");
        assert_eq!(normalise_lines(""), "");
    }
}

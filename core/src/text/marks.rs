//! What tokens do not show of a text.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::tokens::is_unseen;
use super::{is_white_space, is_zero_width};

/// What is in a text beside what its tokens show: two texts of the same tokens may read quite differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// Runs of white space between other characters.
    pub gaps: u64,
    /// Characters that nobody sees: those of no width, control and format characters.
    pub unseen: u64,
    /// What looks like HTML: character references such as `&amp;`, and the beginnings of tags.
    pub markup: u64,
}

/// A character reference, or the beginning of a tag.
static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);|</?[A-Za-z]").expect("a test uses it")
});

impl Marks {
    /// Those of `text`.
    ///
    /// ```
    /// use carat_core::text::marks::Marks;
    /// let marks = Marks::of(" a  b\nc\u{AD}d &amp;lt;p> ");
    /// assert_eq!(marks, Marks { gaps: 3, unseen: 1, markup: 1 });
    /// ```
    pub fn of(text: &str) -> Self {
        let mut marks = Marks { markup: MARKUP.find_iter(text).count() as u64, ..Marks::default() };
        // Whether a character was seen, and whether there was white space since.
        let (mut seen, mut space) = (false, false);
        for c in text.chars() {
            if is_unseen(c) || is_zero_width(c) {
                marks.unseen += 1;
            } else if is_white_space(c) {
                space = true;
            } else {
                marks.gaps += u64::from(seen && space);
                (seen, space) = (true, false);
            }
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tokens_do_not_show_is_counted() {
        let marks = |text: &str| {
            let Marks { gaps, unseen, markup } = Marks::of(text);
            [gaps, unseen, markup]
        };
        assert_eq!(marks(""), [0, 0, 0]);
        assert_eq!(marks(" \n "), [0, 0, 0]);
        assert_eq!(marks("中国\u{3000}新闻\n\n网"), [2, 0, 0]);
        assert_eq!(marks("a\u{200B}b\u{200B}c\u{FEFF}"), [0, 3, 0]);
        assert_eq!(marks("a \u{200B} b\u{7}"), [1, 2, 0]);
        assert_eq!(marks("AT&T; R&D &c. &amp; &#38; &#x26; &amp;amp;"), [6, 0, 5]);
        assert_eq!(marks("1 < 2 <p>a</p><br/> i<j"), [4, 0, 4]);
    }
}

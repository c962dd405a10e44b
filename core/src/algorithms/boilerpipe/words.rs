//! The words of a block, and the lines that they would fill.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::blocks::Counts;
use crate::text::words::is_kana_or_ideograph;

/// Between one of these and any other character a token is not cut.
const JOINING: [char; 14] = ['"', '\'', '.', ',', '!', '@', '-', ':', ';', '$', '?', '(', ')', '/'];

/// Whether a token that holds `c` is a word.
fn is_letter_or_number(c: char) -> bool {
    use GeneralCategoryGroup::{Letter, Number};
    c.is_ascii_alphanumeric() || (!c.is_ascii() && matches!(c.general_category_group(), Letter | Number))
}

/// Whether `c` is a word character after one that is, or is not, one.
fn is_word_character(c: char, after_word_character: bool) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    match c.general_category() {
        GeneralCategory::DecimalNumber => true,
        GeneralCategory::NonspacingMark => after_word_character,
        _ => c.general_category_group() == GeneralCategoryGroup::Letter,
    }
}

/// Calls `token` with each token of `text`, in which every white space is a space.
fn each_token(text: &str, mut token: impl FnMut(&str)) {
    for run in text.split(' ').filter(|run| !run.is_empty()) {
        let (mut from, mut before) = (0, None);
        for (at, c) in run.char_indices() {
            let is_word = is_word_character(c, before.is_some_and(|(_, was_word)| was_word));
            if before.is_some_and(|(last, was_word)| was_word != is_word && ![last, c].iter().any(is_joining)) {
                token(&run[from..at]);
                from = at;
            }
            before = Some((c, is_word));
        }
        token(&run[from..]);
    }
}

fn is_joining(c: &char) -> bool {
    JOINING.contains(c)
}

/// Counts the words of one block.
pub(super) struct WordCounter {
    /// Characters in a line.
    line_width: i64,
    /// Kana and ideographs in a word; 0: as many as stand together.
    han_chars_per_word: usize,
    words: u32,
    linked: u32,
    /// Lines that are full.
    wrapped: u32,
    words_in_line: u32,
    /// Characters in the line, spaces between words included; -1 as the first word of all has none before it.
    line: i64,
}

impl WordCounter {
    pub(super) fn new(line_width: i64, han_chars_per_word: usize) -> Self {
        WordCounter { line_width, han_chars_per_word, words: 0, linked: 0, wrapped: 0, words_in_line: 0, line: -1 }
    }

    /// Counts the words of a part of the block.
    pub(super) fn add(&mut self, text: &str, is_linked: bool) {
        each_token(text, |token| match self.han_chars_per_word {
            0 => self.token(token, is_linked),
            size => {
                for run in char_runs(token, is_kana_or_ideograph) {
                    let is_cut = run.chars().next().is_some_and(is_kana_or_ideograph);
                    let mut rest = run;
                    while is_cut && rest.chars().nth(size).is_some() {
                        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
                        self.token(&rest[..end], is_linked);
                        rest = &rest[end..];
                    }
                    self.token(rest, is_linked);
                }
            }
        });
    }

    fn token(&mut self, token: &str, is_linked: bool) {
        if !token.chars().any(is_letter_or_number) {
            return;
        }
        let length = token.chars().count() as i64;
        self.words += 1;
        self.linked += u32::from(is_linked);
        self.words_in_line += 1;
        self.line += length + 1;
        if self.line > self.line_width {
            self.wrapped += 1;
            self.line = length;
            self.words_in_line = 1;
        }
    }

    /// What was counted; the last line is no full one.
    pub(super) fn finish(self) -> Counts {
        match self.wrapped {
            0 => Counts::new(self.words, self.linked, self.words, 1),
            lines => Counts::new(self.words, self.linked, self.words - self.words_in_line, lines),
        }
    }
}

/// Parts `text` into maximal runs of characters for which `property` is the same.
fn char_runs(text: &str, property: fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = property(rest.chars().next()?);
        let (run, tail) = rest.split_at(rest.find(|c| property(c) != first).unwrap_or(rest.len()));
        rest = tail;
        Some(run)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        each_token(text, |token| tokens.push(token.to_owned()));
        tokens
    }

    #[test]
    fn tokens_of_texts_worked_by_hand() {
        let text = "Don't pay $3.50 – e-mail bob@x.org/now (50%)! x_1 北京大学,2020年";
        let expected =
            "Don't pay $3.50 – e-mail bob@x.org/now (50 %)! x_1 北京大学,2020年".split(' ').collect::<Vec<_>>();
        assert_eq!(tokens(text), expected);
        let words: Vec<&str> = expected.into_iter().filter(|token| token.chars().any(is_letter_or_number)).collect();
        assert_eq!(words.len(), 8, "{words:?}");
        // A combining mark belongs to the letter before it, and to nothing where none is.
        assert_eq!(tokens("e\u{301}a %\u{301}a \u{A0}"), ["e\u{301}a", "%\u{301}", "a", "\u{A0}"]);
        assert_eq!(tokens("½Ⅷx"), ["½Ⅷ", "x"]);
    }

    fn counts(text: &str, line_width: i64, han_chars_per_word: usize) -> Counts {
        let mut counter = WordCounter::new(line_width, han_chars_per_word);
        counter.add(text, false);
        counter.finish()
    }

    #[test]
    fn lines_are_wrapped_at_eighty_characters() {
        // 13 times alpha and 12 spaces are 77 characters; 70 words fill five lines and leave 5 words.
        assert_eq!(counts(&"alpha ".repeat(70), 80, 0), Counts::new(70, 0, 65, 5));
        // 16 times beta: 79 characters.
        assert_eq!(counts(&"beta ".repeat(20), 80, 0), Counts::new(20, 0, 16, 1));
        assert_eq!(counts(&"beta ".repeat(16), 79, 0), Counts::new(16, 0, 16, 1));
        assert_eq!(counts(&"beta ".repeat(16), 78, 0), Counts::new(16, 0, 15, 1));
        // A first word wider than the line: a line without words is full, so that all count as one line.
        assert_eq!(counts("abcdef", 5, 0), Counts::new(1, 0, 1, 1));
    }

    #[test]
    fn chinese_is_cut_into_words_only_where_that_is_asked_for() {
        let words = |size| counts("北京大学图书馆,2020年（完）", 80, size).words;
        // One; 北京 大学 图书 馆 2020 年 完 (with brackets apart); 北京大 学图书 馆 2020 年 完.
        assert_eq!([0, 2, 3].map(words), [2, 7, 6]);
        assert_eq!(words(16), 4);
    }
}

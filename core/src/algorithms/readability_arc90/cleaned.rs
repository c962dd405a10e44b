//! The length of a text once its white space is cleaned, for any concatenation of texts at no cost.
//!
//! Cleaned: a run of white space that holds a line feed becomes one line feed; otherwise each tab, and each run of
//! two or more spaces or tabs, becomes one space; both ends are trimmed. White space is Unicode's alone here, as in the
//! programs that clean like this. A run's length depends on what stands on both sides of a text's end, so a text
//! keeps the white space at its ends apart until another one follows it.

/// A text as far as its cleaned length goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cleaned {
    front: Space,
    /// The cleaned length from the first to the last character that is not white space; 0 where all is.
    length: u32,
    /// Nothing where all is white space, which is then `front`.
    back: Space,
}

impl Cleaned {
    /// A text.
    pub(super) fn of(text: &str) -> Self {
        let mut cleaned = Cleaned::default();
        for c in text.chars() {
            cleaned = if c.is_whitespace() {
                cleaned.followed_by(Cleaned { front: Space::of(c), ..Cleaned::default() })
            } else {
                cleaned.followed_by(Cleaned { length: 1, ..Cleaned::default() })
            };
        }
        cleaned
    }

    /// This text and `next` behind it.
    pub(super) fn followed_by(self, next: Cleaned) -> Self {
        match (self.length, next.length) {
            (0, 0) => Cleaned { front: self.front.followed_by(next.front), ..self },
            (0, _) => Cleaned { front: self.front.followed_by(next.front), ..next },
            (_, 0) => Cleaned { back: self.back.followed_by(next.front), ..self },
            (one, other) => {
                let between = self.back.followed_by(next.front);
                Cleaned { front: self.front, length: one + between.length() + other, back: next.back }
            }
        }
    }

    /// The number of scalar values of the cleaned text.
    pub(super) fn length(self) -> u64 {
        self.length.into()
    }
}

/// A run of white space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Space {
    has_line_feed: bool,
    /// What is left of it where nothing, or a tab, stands before it.
    alone: Rest,
    /// What is left of it behind a space, with which its first spaces and tabs make one.
    behind_space: Rest,
    is_some: bool,
}

/// What is left of a run of white space without a line feed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rest {
    length: u32,
    /// Whether spaces and tabs that follow make one with its last space.
    ends_open: bool,
}

impl Space {
    fn of(c: char) -> Self {
        let rest = |length, ends_open| Rest { length, ends_open };
        let (alone, behind_space) = match c {
            ' ' => (rest(1, true), rest(0, true)),
            '\t' => (rest(1, false), rest(0, true)),
            _ => (rest(1, false), rest(1, false)),
        };
        Space { has_line_feed: c == '\n', alone, behind_space, is_some: true }
    }

    fn followed_by(self, next: Space) -> Self {
        if !self.is_some {
            return next;
        }
        if !next.is_some {
            return self;
        }
        let joined = |rest: Rest| {
            let behind = if rest.ends_open { next.behind_space } else { next.alone };
            Rest { length: rest.length + behind.length, ends_open: behind.ends_open }
        };
        Space {
            has_line_feed: self.has_line_feed || next.has_line_feed,
            alone: joined(self.alone),
            behind_space: joined(self.behind_space),
            is_some: true,
        }
    }

    fn length(self) -> u32 {
        if self.has_line_feed { 1 } else { self.alone.length }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    /// The program's own words: two substitutions and a trim.
    fn by_substitution(text: &str) -> u64 {
        let lines = Regex::new(r"\s*\n\s*").unwrap().replace_all(text, "\n").into_owned();
        let spaces = Regex::new(r"\t|[ \t]{2,}").unwrap().replace_all(&lines, " ").into_owned();
        spaces.trim().chars().count() as u64
    }

    #[test]
    fn white_space_is_cleaned_and_trimmed() {
        for (text, length) in [
            ("", 0),
            (" \n ", 0),
            ("a", 1),
            (" a  b ", 3),
            ("a \n\t b", 3),
            ("a\t\tb", 4),
            ("a \tb", 3),
            ("a\t  b", 4),
            ("a\u{3000} b", 4),
            ("a \u{A0} \n b", 3),
            ("a\u{200B}", 2),
        ] {
            assert_eq!(Cleaned::of(text).length(), length, "{text:?}");
            assert_eq!(by_substitution(text), length, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_cut_of_a_text_gives_its_length(pieces in proptest::collection::vec("[a \t\n\u{3000}]{0,5}", 0..6)) {
            let joined = pieces.iter().fold(Cleaned::default(), |joined, piece| joined.followed_by(Cleaned::of(piece)));
            prop_assert_eq!(joined.length(), by_substitution(&pieces.concat()));
            let from_behind = pieces.iter().rev();
            let joined = from_behind.fold(Cleaned::default(), |joined, piece| Cleaned::of(piece).followed_by(joined));
            prop_assert_eq!(joined.length(), by_substitution(&pieces.concat()));
        }
    }
}

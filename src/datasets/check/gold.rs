//! Whether the gold's lines are in the page's text.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use super::GoldLines;
use crate::text::is_white_space;

/// Shorter lines, white space left out, are found anywhere.
const LEAST_CHARACTERS: usize = 10;

/// So many bytes of text are searched for the lines of one page; what is left then is not looked for. A page of 1 MB
/// may have 4000 different lines that are not in it.
const MOST_BYTES: u64 = 4 << 30;

/// So many of the lines that are not found are shown.
const SHOWN: usize = 3;

/// What looking for the gold's lines came to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Search {
    /// Lines looked for, and found.
    pub(super) lines: GoldLines,
    /// Characters of all of them, white space left out.
    pub(super) characters: usize,
    /// Characters of those that were not found.
    pub(super) missing: usize,
    /// The longest of those.
    pub(super) worst: Vec<String>,
}

/// Normalised to NFC, without white space.
fn dense(text: &str) -> String {
    text.nfc().filter(|&c| !is_white_space(c)).collect()
}

/// Looks for each line of `gold` that has ten characters or more in `text`, both without white space.
pub(super) fn search(gold: &str, text: &str) -> Search {
    let text = dense(text);
    let (mut search, mut searched) = (Search::default(), 0u64);
    let mut known: HashMap<String, bool> = HashMap::new();
    let mut missing: Vec<(usize, &str)> = Vec::new();
    for line in gold.lines() {
        let wanted = dense(line);
        let characters = wanted.chars().count();
        if characters < LEAST_CHARACTERS {
            continue;
        }
        let found = match known.get(&wanted) {
            Some(&found) => found,
            None if searched > MOST_BYTES => break,
            None => {
                searched += text.len() as u64;
                let found = text.contains(&wanted);
                known.insert(wanted, found);
                found
            }
        };
        search.lines.lines += 1;
        search.characters += characters;
        if found {
            search.lines.found += 1;
        } else {
            search.missing += characters;
            missing.push((characters, line));
        }
    }
    missing.sort_by_key(|&(characters, _)| std::cmp::Reverse(characters));
    search.worst = missing.into_iter().take(SHOWN).map(|(_, line)| line.to_owned()).collect();
    search
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_whatever_the_layout() {
        let found = search("one two three four\nshort\nfive  sixsevén", "x one two\nthree four y five six sevén");
        assert_eq!(found.lines, GoldLines { lines: 2, found: 2 });
        let lost = search("one two three four\nthe longest line of all\nfourteen letters", "ONE two three four");
        assert_eq!(lost.lines, GoldLines { lines: 3, found: 0 });
        assert_eq!((lost.characters, lost.missing), (49, 49));
        assert_eq!(lost.worst, ["the longest line of all", "one two three four", "fourteen letters"]);
    }

    #[test]
    fn a_line_counts_as_often_as_it_stands_there() {
        let twice = search("the same line\nthe same line\nanother line", "the same line");
        assert_eq!(twice.lines, GoldLines { lines: 3, found: 2 });
    }
}

//! Whether the gold's lines are in the page's text.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use super::GoldLines;
use super::similarity::runs;
use crate::text::is_white_space;

/// Shorter lines, white space left out, are found anywhere.
const LEAST_CHARACTERS: usize = 10;

/// So many bytes of text are searched for the lines of one page; what is left then is not looked for. A page of 1 MB
/// may have 4000 different lines that are not in it.
const MOST_BYTES: u64 = 4 << 30;

/// Characters of a run that tells whether a part of a line is in the page.
const RUN: usize = 6;

/// So many of the lines that are not found are shown.
const SHOWN: usize = 3;

/// What looking for the gold's lines came to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Search {
    /// Lines looked for, and found.
    pub(super) lines: GoldLines,
    /// Characters of all of them, white space left out.
    pub(super) characters: usize,
    /// Characters of those that were not found, as far as runs of them are nowhere in the page's text: a line with
    /// another quotation mark is not found, and yet nearly all of it is there.
    pub(super) missing: usize,
    /// All characters of those: some of what is in no page is anywhere by chance.
    pub(super) missing_lines: usize,
    /// Characters of shorter lines that were not found, which are not looked for otherwise.
    pub(super) missing_short: usize,
    /// Whether there was more to look for than is looked for.
    pub(super) is_cut: bool,
    /// The longest of those.
    pub(super) worst: Vec<String>,
}

/// Normalised to NFC, without white space.
pub(super) fn dense(text: &str) -> String {
    text.nfc().filter(|&c| !is_white_space(c)).collect()
}

/// Looks for each line of `gold` that has ten characters or more in `text`, both without white space.
pub(super) fn search(gold: &str, text: &str) -> Search {
    let text = dense(text);
    let (mut search, mut searched) = (Search::default(), 0u64);
    let mut known: HashMap<String, bool> = HashMap::new();
    let mut missing: Vec<(usize, &str)> = Vec::new();
    let mut dense_missing: Vec<String> = Vec::new();
    for line in gold.lines() {
        let wanted = dense(line);
        let characters = wanted.chars().count();
        let is_short = characters < LEAST_CHARACTERS;
        let found = match known.get(&wanted) {
            Some(&found) => found,
            None if searched > MOST_BYTES => {
                search.is_cut = true;
                break;
            }
            None => {
                searched += text.len() as u64;
                let found = text.contains(&wanted);
                known.insert(wanted.clone(), found);
                found
            }
        };
        if is_short {
            search.missing_short += if found { 0 } else { characters };
            continue;
        }
        search.lines.lines += 1;
        search.characters += characters;
        if found {
            search.lines.found += 1;
        } else {
            missing.push((characters, line));
            dense_missing.push(wanted);
        }
    }
    search.missing = absent(&dense_missing, &text);
    search.missing_lines = missing.iter().map(|(characters, _)| characters).sum();
    missing.sort_by_key(|&(characters, _)| std::cmp::Reverse(characters));
    search.worst = missing.into_iter().take(SHOWN).map(|(_, line)| line.to_owned()).collect();
    search
}

/// Characters of `lines` whose runs are not in `text`: of each line the share of its runs.
fn absent(lines: &[String], text: &str) -> usize {
    let mut is_there: HashMap<u64, bool> =
        lines.iter().flat_map(|line| runs::<RUN>(line.chars())).map(|run| (run, false)).collect();
    for run in runs::<RUN>(text.chars()) {
        if let Some(is_there) = is_there.get_mut(&run) {
            *is_there = true;
        }
    }
    let absent = |line: &String| {
        let all = runs::<RUN>(line.chars()).count();
        let absent = runs::<RUN>(line.chars()).filter(|run| !is_there[run]).count();
        line.chars().count() * absent / all.max(1)
    };
    lines.iter().map(absent).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_whatever_the_layout() {
        let found = search("one two three four\nshort\nfive  sixsevén", "x one two\nthree four y five six sevén");
        assert_eq!(found.lines, GoldLines { lines: 2, found: 2 });
        let lost = search("one two three four\nthe longest line of all\nfourteen letters", "something else");
        assert_eq!(lost.lines, GoldLines { lines: 3, found: 0 });
        assert_eq!((lost.characters, lost.missing), (49, 49));
        assert_eq!(lost.worst, ["the longest line of all", "one two three four", "fourteen letters"]);
    }

    #[test]
    fn a_line_with_another_quotation_mark_is_there_nearly_whole() {
        let line = "A paragraph of some length, whose writer's apostrophe is another one than the page's own.";
        let search = search(line, &line.replacen('\'', "’", 1));
        assert_eq!((search.lines.found, search.missing), (0, 6));
    }

    #[test]
    fn a_line_counts_as_often_as_it_stands_there() {
        let twice = search("the same line\nthe same line\nanother line", "the same line");
        assert_eq!(twice.lines, GoldLines { lines: 3, found: 2 });
    }
}

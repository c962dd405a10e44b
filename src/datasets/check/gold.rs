//! Whether the gold's lines are in the page's text.

use std::collections::{HashMap, HashSet};

use rustc_hash::FxHashMap;

use super::GoldLines;
use super::similarity::runs;
use crate::text::dense;

/// Shorter lines, white space left out, are found anywhere.
const LEAST_CHARACTERS: usize = 10;

/// The first bytes of a line, by which it is looked for.
const BEGINNING: usize = 12;

/// So many bytes of lines are compared at most, where many begin alike and many places of a page do.
const MOST_BYTES: usize = 1 << 30;

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
    /// The longest of those.
    pub(super) worst: Vec<String>,
}

/// Looks for each line of `gold` that has ten characters or more in `text`, both without white space; `None` where that
/// would take too long.
pub(super) fn search(gold: &str, text: &str) -> Option<Search> {
    let text = dense(text);
    let wanted: Vec<String> = gold.lines().map(dense).collect();
    let lost = not_in(&text, &wanted, MOST_BYTES)?;
    let mut search = Search::default();
    let mut missing: Vec<(usize, &str)> = Vec::new();
    let mut dense_missing: Vec<&str> = Vec::new();
    for (line, wanted) in gold.lines().zip(&wanted) {
        let characters = wanted.chars().count();
        let is_short = characters < LEAST_CHARACTERS;
        let found = !lost.contains(wanted.as_str());
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
            dense_missing.push(wanted.as_str());
        }
    }
    search.missing = absent(&dense_missing, &text);
    search.missing_lines = missing.iter().map(|(characters, _)| characters).sum();
    missing.sort_by_key(|&(characters, _)| std::cmp::Reverse(characters));
    search.worst = missing.into_iter().take(SHOWN).map(|(_, line)| line.to_owned()).collect();
    Some(search)
}

/// Those of `lines` that are not in `text`; `None` where more than `most_bytes` of lines would be compared. At each place of
/// the text the lines are looked up that begin as it does, so that time does not grow with the number of lines.
fn not_in<'l>(text: &str, lines: &'l [String], most_bytes: usize) -> Option<HashSet<&'l str>> {
    let mut left: HashSet<&str> = HashSet::new();
    // Lines that are shorter than a beginning are beginnings themselves, each length by itself.
    let mut of_length: [FxHashMap<&[u8], Vec<&str>>; BEGINNING + 1] = Default::default();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        if left.insert(line) {
            let beginning = &line.as_bytes()[..line.len().min(BEGINNING)];
            of_length[beginning.len()].entry(beginning).or_default().push(line);
        }
    }
    let mut compared = 0;
    for (length, lines) in of_length.iter_mut().enumerate().filter(|(_, lines)| !lines.is_empty()) {
        for (place, beginning) in text.as_bytes().windows(length).enumerate() {
            let Some(lines) = lines.get_mut(beginning) else { continue };
            lines.retain(|line| {
                compared += line.len();
                let is_here = text.as_bytes()[place..].starts_with(line.as_bytes());
                is_here.then(|| left.remove(line));
                !is_here
            });
            if compared > most_bytes {
                return None;
            }
        }
    }
    Some(left)
}

/// Characters of `lines` whose runs are not in `text`: of each line the share of its runs.
fn absent(lines: &[&str], text: &str) -> usize {
    let mut is_there: HashMap<u64, bool> =
        lines.iter().flat_map(|line| runs::<RUN>(line.chars())).map(|run| (run, false)).collect();
    for run in runs::<RUN>(text.chars()) {
        if let Some(is_there) = is_there.get_mut(&run) {
            *is_there = true;
        }
    }
    let absent = |line: &&str| {
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
        let found =
            search("one two three four\nshort\nfive  sixsevén", "x one two\nthree four y five six sevén").unwrap();
        assert_eq!(found.lines, GoldLines { lines: 2, found: 2 });
        let lost = search("one two three four\nthe longest line of all\nfourteen letters", "something else").unwrap();
        assert_eq!(lost.lines, GoldLines { lines: 3, found: 0 });
        assert_eq!((lost.characters, lost.missing), (49, 49));
        assert_eq!(lost.worst, ["the longest line of all", "one two three four", "fourteen letters"]);
    }

    #[test]
    fn a_line_with_another_quotation_mark_is_there_nearly_whole() {
        let line = "A paragraph of some length, whose writer's apostrophe is another one than the page's own.";
        let search = search(line, &line.replacen('\'', "’", 1)).unwrap();
        assert_eq!((search.lines.found, search.missing), (0, 6));
    }

    #[test]
    fn lines_of_any_length_are_found_wherever_they_stand() {
        let text = "aaab中文新闻aaaaaaaaaaaaaaab";
        let lost = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            let mut lost: Vec<String> =
                not_in(text, &lines, MOST_BYTES).unwrap().into_iter().map(str::to_owned).collect();
            lost.sort();
            lost
        };
        assert_eq!(lost(&["", "a", "aaab", "中文新闻", "闻aaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaab", text]), [""; 0]);
        assert_eq!(lost(&["c", "aab中文新文", "aaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaac", "bb", "bb"]).len(), 5);
        assert_eq!(lost(&["文新", "b中文新闻aaaaaaaaaaaaaaab"]), [""; 0]);
    }

    #[test]
    fn lines_that_begin_alike_are_compared_up_to_a_bound() {
        let lines: Vec<String> = (0..10).map(|number| format!("aaaaaaaaaaaaaaaaaaa{number}")).collect();
        let text = "a".repeat(100);
        assert_eq!(not_in(&text, &lines, 10 * 20 * 100).unwrap().len(), 10);
        assert!(not_in(&text, &lines, 10 * 20 * 50).is_none());
    }

    #[test]
    fn a_line_counts_as_often_as_it_stands_there() {
        let twice = search("the same line\nthe same line\nanother line", "the same line").unwrap();
        assert_eq!(twice.lines, GoldLines { lines: 3, found: 2 });
    }
}

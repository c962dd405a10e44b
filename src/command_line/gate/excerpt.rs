//! The gold text that a row lacks on a page that fell, and the text that it takes beyond the gold. A baseline keeps no texts,
//! so nobody knows what it had then: the longest lines are shown, for a loss that matters is seldom short.

use std::cmp::Reverse;

use crate::decisions::gate::{PageFall, RowJudgement};
use crate::report::markdown::{block, code};
use crate::runs::pages::RunPages;
use crate::text::diff::{Line, Piece, Side, diff};
use crate::text::tokens::Case;

/// An excerpt has at most so many lines, each of so many characters.
const LINES: usize = 6;
const CHARACTERS: usize = 100;

/// Characters of a line that are shown before marks that differ.
const BEFORE_MARK: usize = 20;

/// The longest lines of the gold that the extraction of `row` lacks on the page that fell, and then the longest that it has
/// beyond the gold, as Markdown under a sentence. `None` where the texts are alike, or the page has no text now.
pub(super) fn excerpt(pages: &RunPages, case: Case, row: &RowJudgement, fall: &PageFall) -> Option<String> {
    let page = pages.open(pages.find(Some(&row.dataset), &fall.page).ok()?).ok()?;
    let extraction = page.rows.iter().find(|own| own.name() == row.row)?.text.as_ref()?;
    let shown = longest(&diff(page.gold.as_deref()?, extraction, case));
    let [page, row] = [pages.beginning(&fall.page), &row.row].map(code);
    (!shown.is_empty()).then(|| {
        let lines = block("diff", &shown);
        format!(
            "On {page}, the lines of the gold that {row} lacks now (-), the longest first, then what it takes beyond the gold \
             (+). The baseline keeps no texts, so some of it may have been so before.\n\n{lines}"
        )
    })
}

/// The longest differences of each side, those of the gold first, and the number of the others.
fn longest(lines: &[Line]) -> Vec<String> {
    let [missing, excess] = [Side::Missing, Side::Excess]
        .map(|side| lines.iter().filter_map(|line| difference(line, side)).collect::<Vec<Difference>>());
    // A mark that stands elsewhere is no line that was lost or taken, and shows nothing beside one.
    let have_words = missing.iter().chain(&excess).any(|own| own.has_words);
    let [missing, excess] = [("-", missing), ("+", excess)].map(|(mark, mut own)| {
        own.retain(|own| own.has_words || !have_words);
        own.sort_by_key(|own| Reverse(own.length));
        own.into_iter().map(|own| format!("{mark} {}", own.text)).collect::<Vec<_>>()
    });
    let all = missing.len() + excess.len();
    let mut shown: Vec<String> = missing.into_iter().chain(excess).take(LINES).collect();
    if all > shown.len() {
        shown.push(format!("  .. {} more", all - shown.len()));
    }
    shown
}

/// The part of a line that one side alone has.
struct Difference {
    /// The number of its characters.
    length: usize,
    /// True if there are letters or digits among them.
    has_words: bool,
    /// The line from the first of them to the last, shortened.
    text: String,
}

/// The part of a line that `side` alone has; `None` where there is none.
fn difference(line: &Line, side: Side) -> Option<Difference> {
    let own: Line = line.iter().filter(|piece| [Side::Both, side].contains(&piece.side)).cloned().collect();
    let is_own = |piece: &Piece| piece.side == side && !piece.text.trim().is_empty();
    let (first, last) = (own.iter().position(is_own)?, own.iter().rposition(is_own)?);
    let length = own.iter().filter(|piece| is_own(piece)).map(|piece| piece.text.chars().count()).sum();
    let in_words = |pieces: &[Piece]| pieces.iter().map(|piece| piece.text.as_str()).collect::<String>();
    let (before, mut text) = (in_words(&own[..first]), in_words(&own[first..=last]));
    let mut rest = before.as_str();
    let has_words = own.iter().any(|piece| is_own(piece) && piece.text.contains(char::is_alphanumeric));
    // A mark by itself looks like one of ours.
    if !text.contains(char::is_alphanumeric) {
        let words = before.char_indices().rev().nth(BEFORE_MARK).map_or(0, |(place, _)| place);
        text.insert_str(0, &before[words..]);
        rest = &before[..words];
    }
    let mark = if rest.is_empty() { "" } else { ".. " };
    Some(Difference { length, has_words, text: shortened(&format!("{mark}{}", text.trim()), CHARACTERS) })
}

/// The first `most` characters of `text`, and a mark if it has more.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let short: String = text.chars().take(most).collect();
    if short.len() < text.len() { short + " .." } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(gold: &str, extraction: &str) -> Vec<String> {
        longest(&diff(gold, extraction, Case::Keep))
    }

    #[test]
    fn the_longest_loss_comes_first_and_what_is_taken_beyond_it_behind() {
        assert_eq!(
            shown("one two\nsame\nthree four five", "same\ncookies"),
            ["- three four five", "- one two", "+ cookies"]
        );
        assert_eq!(shown("same", "a\na long line\nsame"), ["+ a long line", "+ a"]);
        assert!(shown("same", "same").is_empty());
        let gold: String = (0..9).map(|line| format!("{}\n", "x".repeat(line + 1))).collect();
        let all = shown(&gold, "cookies");
        assert_eq!((all.len(), all[0].as_str(), all[6].as_str()), (7, "- xxxxxxxxx", "  .. 4 more"));
    }

    #[test]
    fn of_a_line_the_part_that_differs_is_shown_shortened() {
        assert_eq!(
            shown("It was said that nobody came at all", "It was said that somebody came")[..1],
            ["- .. nobody came at all"]
        );
        let mark = shown("It was said that nobody at all came.", "It was said that nobody at all came");
        assert_eq!(mark, ["- .. at nobody at all came."]);
        let words_and_mark = shown("门板一块一块按号上好。\n那天没有醒。", "门板一块一块按号上好");
        assert_eq!(words_and_mark.len(), 1, "the mark alone is left out: {words_and_mark:?}");
        assert_eq!(shortened(&"字".repeat(300), CHARACTERS).chars().count(), CHARACTERS + 3);
    }
}

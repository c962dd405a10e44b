//! What an extraction lacks of its gold and has beyond it, word by word.
//!
//! Words are those of UAX #29, each Han character one of its own, marks too: a reader of a diff wants words
//! whatever tokens are scored. They are aligned by an exact longest common subsequence; the heuristics
//! of libraries made for source code pair up to a quarter less of such texts.

use std::borrow::Cow;
use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use serde::Serialize;
use unicode_segmentation::UnicodeSegmentation;

use super::is_blank;
use super::lcs::alignment;
use super::tokens::{Case, Token};

/// Whose a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Gold and extraction have it.
    Both,
    /// The gold alone has it.
    Missing,
    /// The extraction alone has it.
    Excess,
}

/// A run of text of one side, within a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// Whose it is.
    pub side: Side,
    /// The words, and the spaces between them.
    pub text: String,
}

/// A line of the two texts laid over each other: it ends where either has a line end.
pub type Line = Vec<Piece>;

/// A word and the white space before it.
struct Word<'t> {
    space: &'t str,
    text: &'t str,
}

/// Lays `extraction` over `gold`. Both are texts as they are scored: lines without white space around them.
///
/// ```
/// use carat_core::text::diff::{Side, diff};
/// use carat_core::text::tokens::Case;
///
/// let lines = diff("The harbour reopened on Friday.", "Home The harbour reopened.", Case::Keep);
/// let shown: Vec<(Side, &str)> = lines[0].iter().map(|piece| (piece.side, piece.text.as_str())).collect();
/// let expected = [
///     (Side::Excess, "Home"),
///     (Side::Both, " The harbour reopened "),
///     (Side::Missing, "on Friday"),
///     (Side::Both, "."),
/// ];
/// assert_eq!(shown, expected);
/// ```
pub fn diff(gold: &str, extraction: &str, case: Case) -> Vec<Line> {
    let (gold, extraction) = (words(gold), words(extraction));
    let mut numbers = HashMap::with_hasher(FxBuildHasher);
    let [one, other] = [&gold, &extraction].map(|words| tokens(words, case, &mut numbers));
    let mut lines = Lines::default();
    let (mut i, mut j) = (0, 0);
    for (at_gold, at_extraction) in alignment(&one, &other) {
        gold[i..at_gold].iter().for_each(|word| lines.push(Side::Missing, word, word.space));
        extraction[j..at_extraction].iter().for_each(|word| lines.push(Side::Excess, word, word.space));
        let (word, twin) = (&gold[at_gold], &extraction[at_extraction]);
        let space = if twin.space.contains('\n') || word.space.is_empty() { twin.space } else { word.space };
        lines.push(Side::Both, word, space);
        (i, j) = (at_gold + 1, at_extraction + 1);
    }
    gold[i..].iter().for_each(|word| lines.push(Side::Missing, word, word.space));
    extraction[j..].iter().for_each(|word| lines.push(Side::Excess, word, word.space));
    lines.finish()
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut space = "";
    for piece in text.split_word_bounds() {
        // A run of white space comes in several pieces, which follow each other.
        if is_blank(piece) {
            let start = piece.as_ptr() as usize - text.as_ptr() as usize - space.len();
            space = &text[start..start + space.len() + piece.len()];
        } else {
            words.push(Word { space, text: piece });
            space = "";
        }
    }
    words
}

fn tokens<'t>(words: &[Word<'t>], case: Case, numbers: &mut HashMap<Cow<'t, str>, Token, FxBuildHasher>) -> Vec<Token> {
    let number = |word: &Word<'t>| {
        let next = numbers.len() as Token;
        *numbers.entry(case.of(word.text)).or_insert(next)
    };
    words.iter().map(number).collect()
}

/// Lines as they grow.
#[derive(Default)]
struct Lines {
    lines: Vec<Line>,
    line: Line,
}

impl Lines {
    fn push(&mut self, side: Side, word: &Word<'_>, space: &str) {
        // A line of one text alone ends none of the other: a word and what stands in its place share a line.
        let is_of_line = |piece: &Piece| side == Side::Both || [Side::Both, side].contains(&piece.side);
        if space.contains('\n') && self.line.iter().any(is_of_line) {
            self.lines.push(std::mem::take(&mut self.line));
        }
        let is_spaced = !space.is_empty() && !space.contains('\n');
        match self.line.last_mut() {
            Some(last) if last.side == side => last.text.extend([if is_spaced { " " } else { "" }, word.text]),
            last => {
                // Spaces between sides are of what both have, so that two words for one place stand close.
                let mut text = word.text.to_owned();
                match last {
                    Some(last) if is_spaced && last.side == Side::Both => last.text.push(' '),
                    Some(_) if is_spaced && side == Side::Both => text.insert(0, ' '),
                    _ => {}
                }
                self.line.push(Piece { side, text });
            }
        }
    }

    fn finish(mut self) -> Vec<Line> {
        if !self.line.is_empty() {
            self.lines.push(self.line);
        }
        self.lines
    }
}

/// A line, or lines that both texts have and that are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown<'l> {
    /// A line.
    Line(&'l Line),
    /// So many lines.
    Skipped(usize),
}

/// The lines that differ, with `context` equal ones around each.
pub fn with_context(lines: &[Line], context: usize) -> Vec<Shown<'_>> {
    let differs = |line: &Line| line.iter().any(|piece| piece.side != Side::Both);
    let mut is_shown = vec![false; lines.len()];
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| differs(line)) {
        let last = at.saturating_add(context).min(lines.len() - 1);
        is_shown[at.saturating_sub(context)..=last].fill(true);
    }
    let mut shown = Vec::new();
    for (line, is_shown) in lines.iter().zip(is_shown) {
        match shown.last_mut() {
            _ if is_shown => shown.push(Shown::Line(line)),
            Some(Shown::Skipped(count)) => *count += 1,
            _ => shown.push(Shown::Skipped(1)),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::is_white_space;

    fn marked(gold: &str, extraction: &str) -> Vec<String> {
        let mark = |piece: &Piece| match piece.side {
            Side::Both => piece.text.clone(),
            Side::Missing => format!("[-{}-]", piece.text),
            Side::Excess => format!("{{+{}+}}", piece.text),
        };
        diff(gold, extraction, Case::Keep).iter().map(|line| line.iter().map(mark).collect()).collect()
    }

    #[test]
    fn lines_end_where_either_text_has_an_end() {
        assert_eq!(marked("one\ntwo three", "one two\nthree"), ["one", "two", "three"]);
        assert_eq!(marked("a b\nc", "menu\na b\nc\nfoot"), ["{+menu+}", "a b", "c", "{+foot+}"]);
        assert_eq!(marked("a\nb\nc", "a\nx\nc"), ["a", "[-b-]{+x+}", "c"]);
    }

    #[test]
    fn han_is_aligned_character_by_character() {
        assert_eq!(marked("记者从会上获悉。", "记者会上获悉，"), ["记者[-从-]会上获悉[-。-]{+，+}"]);
    }

    #[test]
    fn case_counts_or_not() {
        assert_eq!(diff("The End", "the end", Case::Fold)[0].len(), 1);
        assert_eq!(marked("The", "the"), ["[-The-]{+the+}"]);
    }

    #[test]
    fn nothing_is_a_text_too() {
        assert_eq!(marked("", ""), Vec::<String>::new());
        assert_eq!(marked("a b", ""), ["[-a b-]"]);
        assert_eq!(marked("", "a\nb"), ["{+a+}", "{+b+}"]);
    }

    #[test]
    fn equal_lines_far_from_differences_are_left_out() {
        let text = "1\n2\n3\n4\n5\n6";
        let lines = diff(text, &text.replace('4', "x"), Case::Keep);
        let shown = with_context(&lines, 1);
        assert_eq!(
            shown,
            [
                Shown::Skipped(2),
                Shown::Line(&lines[2]),
                Shown::Line(&lines[3]),
                Shown::Line(&lines[4]),
                Shown::Skipped(1)
            ]
        );
        assert_eq!(with_context(&lines, usize::MAX).len(), 6);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn each_side_reads_as_its_text(gold in "([a-c新闻 ,.]{0,6}\n){0,6}", extraction in "([a-c新闻 ,.]{0,6}\n){0,6}") {
            let (gold, extraction) = (crate::text::normalise_lines(&gold), crate::text::normalise_lines(&extraction));
            let lines = diff(&gold, &extraction, Case::Keep);
            for (text, other) in [(&gold, Side::Excess), (&extraction, Side::Missing)] {
                let pieces = lines.iter().flatten().filter(|piece| piece.side != other);
                let read: String = pieces.flat_map(|piece| piece.text.chars()).filter(|c| !is_white_space(*c)).collect();
                let expected: String = text.chars().filter(|c| !is_white_space(*c)).collect();
                prop_assert_eq!(read, expected);
            }
        }
    }
}

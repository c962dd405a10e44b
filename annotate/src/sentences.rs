//! Pieces of a text node that a hand asks for: its sentences, and what a selection cuts.

use carat_core::text::is_white_space;
use unicode_segmentation::UnicodeSegmentation;

/// The sentences of `text` (UAX #29, white space collapsed), as half-open ranges of characters.
///
/// ```
/// let found = carat_annotate::sentences::sentences("北京今日有雨。 责任编辑：李四");
/// assert_eq!(found, [(0, 7), (7, 14)]);
/// ```
pub fn sentences(text: &str) -> Vec<(u32, u32)> {
    let collapsed = carat_core::text::collapse(text);
    let mut at = 0;
    let lengths = collapsed.split_sentence_bounds().map(|sentence| carat_core::text::chars(sentence) as u32);
    let ranges = lengths.map(|length| {
        at += length;
        (at - length, at)
    });
    // A sentence of white space alone is none.
    ranges.filter(|(from, to)| from < to).collect()
}

/// The characters of `text` where a cluster begins, and their number at the end: selections are cut there alone.
///
/// ```
/// assert_eq!(carat_annotate::sentences::clusters("A 👍🏽B"), [0, 1, 3, 4]);
/// ```
pub fn clusters(text: &str) -> Vec<u32> {
    let (mut at, mut places) = (0, vec![0]);
    for cluster in text.graphemes(true) {
        at += cluster.chars().filter(|&c| !is_white_space(c)).count() as u32;
        if places.last() != Some(&at) {
            places.push(at);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_hold_all_characters_once() {
        for text in ["", "a", " One. Two!  Three? 四。五！", "e.g. this\n\nthat.", "\u{200B}x.\u{200B} Y."] {
            let found = sentences(text);
            let ends: Vec<u32> = found.iter().map(|(_, to)| *to).collect();
            let starts: Vec<u32> = found.iter().map(|(from, _)| *from).collect();
            let total = carat_core::text::chars(text) as u32;
            assert_eq!(starts.first().copied().unwrap_or(0), 0, "{text:?}");
            assert_eq!(ends.last().copied().unwrap_or(0), total, "{text:?}");
            assert!(starts.iter().skip(1).eq(ends.iter().take(ends.len().saturating_sub(1))), "{text:?}");
        }
        assert_eq!(sentences("One. Two."), [(0, 4), (4, 8)]);
    }

    #[test]
    fn a_cluster_is_not_cut() {
        // A family of three joined by joiners, which count as white space, and a letter with its accent.
        assert_eq!(clusters("👨\u{200D}👩\u{200D}👧e\u{301}"), [0, 3, 5]);
    }
}

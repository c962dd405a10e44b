//! What a regression lost of a page, as lines: those of the gold that the extraction lacks, and those that it has instead.

use crate::decisions::gate::{PageFall, RowJudgement};
use crate::report::markdown::block;
use crate::runs::pages::RunPages;
use crate::text::diff::{Line, Side, diff};
use crate::text::tokens::Case;

/// An excerpt has at most so many lines, each of so many characters.
const LINES: usize = 6;
const CHARACTERS: usize = 100;

/// The first lines in which what `row` extracted from the page that fell is not its gold, as Markdown. `None` where they
/// are alike, or the page has no text now.
pub(super) fn excerpt(pages: &RunPages, case: Case, row: &RowJudgement, fall: &PageFall) -> Option<String> {
    let page = pages.open(pages.find(Some(&row.dataset), &fall.page).ok()?).ok()?;
    let extraction = page.rows.iter().find(|own| own.name() == row.row)?.text.as_ref()?;
    let lines = diff(page.gold.as_deref()?, extraction, case);
    let lines: Vec<String> = lines.iter().flat_map(unlike).collect();
    let more = lines.len().saturating_sub(LINES);
    let mut shown: Vec<String> = lines.into_iter().take(LINES).collect();
    if more > 0 {
        shown.push(format!("  .. {more} more"));
    }
    (!shown.is_empty()).then(|| block("diff", &shown))
}

/// The line of the gold and that of the extraction, where they differ.
fn unlike(line: &Line) -> impl Iterator<Item = String> {
    let of = |mark: &str, other: Side| {
        let text: String = line.iter().filter(|piece| piece.side != other).map(|piece| piece.text.as_str()).collect();
        (!text.trim().is_empty()).then(|| format!("{mark} {}", shortened(text.trim())))
    };
    let differs = line.iter().any(|piece| piece.side != Side::Both);
    let both = if differs { [of("-", Side::Excess), of("+", Side::Missing)] } else { [None, None] };
    both.into_iter().flatten()
}

fn shortened(text: &str) -> String {
    let short: String = text.chars().take(CHARACTERS).collect();
    if short.len() < text.len() { short + " .." } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_those_of_a_unified_diff() {
        let lines = diff("one two\nthree four\nfive", "one two\nthree\nsix seven", Case::Keep);
        let shown: Vec<String> = lines.iter().flat_map(unlike).collect();
        assert_eq!(shown[0], "- three four");
        assert!(
            shown.contains(&"- five".to_owned()) || shown.iter().any(|line| line.starts_with("- five")),
            "{shown:?}"
        );
        assert!(shown.iter().any(|line| line.starts_with("+ ") && line.contains("six seven")), "{shown:?}");
        assert!(!shown.iter().any(|line| line.contains("one two")), "{shown:?}");
        let long = "字".repeat(300);
        assert_eq!(shortened(&long).chars().count(), CHARACTERS + 3);
    }
}

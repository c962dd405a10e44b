//! Parts of a page as sequences of characters.

use crate::scoring::{Counts, Gold, Measure, Units};
use crate::text::tokens::{Case, TokenKind, Tokenizer};
use crate::text::words::Segmenter;

/// The longest common subsequence of the characters of the parts, an extraction's and a gold's; white space is none of
/// them, so that indentation does not count.
pub(super) fn joined([extraction, gold]: [&[String]; 2]) -> Option<Counts> {
    if extraction.is_empty() && gold.is_empty() {
        return None;
    }
    let segmenter = Segmenter::default();
    let mut tokenizer = Tokenizer::new(TokenKind::Char, Case::Keep, &segmenter);
    let mut units = |parts: &[String]| Units::from(tokenizer.tokens(&parts.join("\n")));
    let (extraction, gold) = (units(extraction), units(gold));
    Some(Gold::new(Measure::Lcs, &gold).counts(&extraction))
}

/// The Levenshtein distance of an extraction's string and a gold's over scalar values, as the measure `edit` counts it.
pub(super) fn edited([extraction, gold]: &[String; 2]) -> Option<Counts> {
    if extraction.is_empty() && gold.is_empty() {
        return None;
    }
    Some(Gold::new(Measure::Edit, &scalars(gold)).counts(&scalars(extraction)))
}

/// The scalar values of a text.
pub(super) fn scalars(text: &str) -> Units {
    Units::from(text.chars().map(|c| c as u32).collect::<Vec<_>>())
}

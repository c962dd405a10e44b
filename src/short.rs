//! The common cases in one call each.

use std::sync::Arc;

use crate::algorithms::find;
use crate::page::parse::TooLarge;
use crate::page::{Context, Page};
use crate::runs::configuration::{AlgorithmRequest, RequestError};
use crate::runs::rows::single_setting;
use crate::scoring::{Gold, Measure, Score};
use crate::text::normalise_lines;
use crate::text::tokens::{Case, TokenKind, Tokenizer};
use crate::text::words::Segmenter;

/// Why [`extract`] gives no text.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// There is no such algorithm or parameter, or a value is out of its range.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// No algorithm chooses on this page: it is beyond a limit.
    #[error(transparent)]
    Page(#[from] TooLarge),
}

/// Precision, recall and F1 of `extraction` for `gold`: the longest common subsequence of their characters, as a run
/// scores by default. Texts with other tokens or another measure are scored with [`Gold`] and [`Tokenizer`].
///
/// ```
/// let score = carat::score("The cat sleeps.", "The cat sleeps all day.");
/// assert_eq!(score.fractions(), [1.0, 0.684210526316, 0.8125]);
/// ```
pub fn score(extraction: &str, gold: &str) -> Score {
    let segmenter = Segmenter::default();
    let mut tokenizer = Tokenizer::new(TokenKind::default(), Case::default(), &segmenter);
    let mut tokens = |text| tokenizer.tokens(&normalise_lines(text));
    let gold = Gold::new(Measure::default(), &tokens(gold));
    gold.counts(&tokens(extraction)).score()
}

/// The text that `algorithm` finds in the page `html`. The algorithm is written as on the command line: a name, and
/// parameters after a colon where they are not at their defaults.
///
/// ```
/// let html = b"<nav><a href=/>Home</a></nav><p>The cat sleeps all day, and the dog does not.</p>";
/// assert_eq!(carat::extract(html, "nonlink-text")?, "The cat sleeps all day, and the dog does not.");
/// assert_eq!(carat::extract(html, "nta:coherence=0.8")?, "The cat sleeps all day, and the dog does not.");
/// # Ok::<(), carat::ExtractError>(())
/// ```
///
/// # Errors
/// [`ExtractError`]: an unknown algorithm or parameter, a value out of its range, or a page beyond a limit.
pub fn extract(html: &[u8], algorithm: &str) -> Result<String, ExtractError> {
    let request = AlgorithmRequest::from_argument(algorithm)?;
    let setting = single_setting(&request)?;
    let pages = [Arc::new(Page::new(html, Context::default())?)];
    let algorithm = find(&request.name).map_err(|error| request.origin.error(error.to_string()))?;
    Ok(algorithm.choose(&pages, &setting).text(&pages[0]))
}

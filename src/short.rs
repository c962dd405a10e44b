//! The common cases in one call each.

use std::sync::Arc;

use crate::algorithms::find;
use crate::page::parse::TooLarge;
use crate::page::{Context, Page};
use crate::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest, RequestError};
use crate::runs::kinds::single_setting;
use crate::runs::plan::{Plan, PlanError};
use crate::runs::summary::{Summary, SweepCurve, run_in_memory};
use crate::scoring::{Comparison, Measure, Score};
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
/// scores by default. [`score_by`] takes other measures.
///
/// ```
/// let score = carat::score("The cat sleeps.", "The cat sleeps all day.");
/// assert_eq!(score.fractions(), [1.0, 0.684210526316, 0.8125]);
/// ```
pub fn score(extraction: &str, gold: &str) -> Score {
    Comparison::default().measured(extraction, gold, &Segmenter::default()).score()
}

/// The same by a rule of comparison, written `MEASURE [TOKENS [CASE]]` as for `carat run --measure`.
///
/// ```
/// let score = carat::score_by("a b c x", "a b c d", "rouge:5 jieba")?;
/// assert_eq!(score.fractions(), [0.666666666667; 3]);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// A sentence: an unknown name, parts that do not go together, or a measure that does not compare two texts.
pub fn score_by(extraction: &str, gold: &str, rule: &str) -> Result<Score, String> {
    let rule = Comparison::read(rule, Comparison::default())?;
    match rule.measure {
        Measure::Nodes | Measure::Snippets => Err(format!("measure {} does not compare two texts", rule.measure)),
        Measure::Structure(part) => {
            Err(format!("measure {part} compares documents of a kind: use carat::structure::compare"))
        }
        _ => Ok(rule.measured(extraction, gold, &Segmenter::default()).score()),
    }
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
/// The encoding is found as a browser does. The language is not known, which matters to algorithms with stop lists;
/// [`Page::new`](crate::page::Page::new) takes it, and an encoding and the address:
///
/// ```
/// use std::sync::Arc;
///
/// use carat::algorithms::find;
/// use carat::algorithms::parameters::Values;
/// use carat::page::{Context, Page};
///
/// let context = Context { language: Some("en".to_owned()), ..Context::default() };
/// let pages = [Arc::new(Page::new(b"<p>The cat sleeps all day, and the dog does not.</p>", context)?)];
/// let algorithm = find("cevc")?;
/// let setting = algorithm.setting(&Values::new())?;
/// assert_eq!(algorithm.choose(&pages, &setting).text(&pages[0]), "The cat sleeps all day, and the dog does not.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
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

/// Each mean curve of `algorithm` over the whole range of `parameter` on the pages of `dataset`: exact, with every break
/// point. The dataset and the algorithm are written as on the command line; parameters that are given several values give
/// several curves.
///
/// ```
/// let curves = carat::sweep("portals", "nta", "coherence")?;
/// let (best, _) = curves[0].best().ok_or("nothing was swept")?;
/// println!("F1 {:.4} at {}", best.mean.f1, best.interval());
/// # assert_eq!((curves.len(), best.interval().as_str(), (best.mean.f1 * 1e4).round()), (1, "(0.9, 1]", 7851.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PlanError`]: a dataset that cannot be read, an unknown algorithm or parameter, or one without known break points.
pub fn sweep(dataset: &str, algorithm: &str, parameter: &str) -> Result<Vec<SweepCurve>, PlanError> {
    let before = if algorithm.contains(':') { ',' } else { ':' };
    let request = AlgorithmRequest::from_argument(&format!("{algorithm}{before}{parameter}=exact"))?;
    let datasets = vec![NamedRequest::from_argument(dataset)];
    let configuration = Configuration { datasets, algorithms: vec![request], ..Configuration::default() };
    Ok(run_in_memory(&Plan::new(configuration)?)?.1)
}

/// The figures of a run, and the curves of its exact sweeps, without a run folder. `configuration` is the text of a
/// configuration file (YAML). The run uses the current pool of rayon's threads.
///
/// ```
/// let (summary, _) = carat::run("datasets: [portals]\nalgorithms: [nta, {cevc: {alpha: [0.3, 0.5]}}]\nbounds: []")?;
/// for row in &summary.rows {
///     println!("{} {:?}: F1 {:.4}", row.algorithm, row.parameters, row.aggregates.macro_.f1);
/// }
/// # assert_eq!(summary.rows.len(), 3);
/// # Ok::<(), carat::PlanError>(())
/// ```
///
/// # Errors
/// [`PlanError`]: a configuration that is wrong or asks for external programs, which `carat run` alone starts, or a
/// dataset that cannot be read.
pub fn run(configuration: &str) -> Result<(Summary, Vec<SweepCurve>), PlanError> {
    let configuration = Configuration::from_yaml("configuration", configuration)?;
    if let Some(external) = configuration.external.first() {
        let message = format!("`{}` is an external program, which only `carat run` starts", external.command_line());
        return Err(RequestError::Argument(message).into());
    }
    Ok(run_in_memory(&Plan::new(configuration)?)?)
}

//! carat measures how well algorithms find the content of a web page.
//!
//! You give it pages with gold text; it runs every algorithm over every setting, scores the
//! extractions exactly and draws the curves. The common cases are one call each: [`score`], [`extract`], [`sweep`], [`run`].
//!
//! What they are made of, in the direction in which data flows:
//!
//! - [`text`]: white space, tokens, the longest common subsequence;
//! - [`page`]: bytes to characters to the flat tree; selections of text nodes; the one renderer;
//! - [`scoring`] and [`statistics`]: tokens to counts to scores, scores to aggregates;
//! - [`structure`]: tables, code and formulas, and how well an extraction keeps them;
//! - [`algorithms`]: what chooses text nodes, and what it takes to write one;
//! - [`summary`]: what a run comes to.
//!
//! The other modules are those of the program `carat`. They are public for its binary, tests and benches, the documentation
//! does not list them, and they may change with every version.
//!
//! ```
//! let html = b"<nav><a href=/>Home</a></nav><p>The cat sleeps all day.</p>";
//! let text = carat::extract(html, "nonlink-text")?;
//! let [precision, recall, f1] = carat::score(&text, "The cat sleeps.").fractions();
//! assert_eq!((recall, f1 < 1.0), (1.0, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! Without any of them the library scores, extracts, reads datasets and runs. On by default are:
//!
//! - `command-line`: the program, which `carat::command_line::main` starts; needs the next two;
//! - `report`: tables, figures and HTML;
//! - `pull`: public datasets from their servers;
//! - `readability`: the algorithm `readability-mozilla`.
//!
//! Off by default are:
//!
//! - `parquet`: datasets and scores in Parquet files;
//! - `rs-trafilatura`: the algorithm `rs-trafilatura`.
// Without the program nothing calls what the crate has for it alone.
#![cfg_attr(not(feature = "command-line"), allow(dead_code, unused_imports))]
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::exit)]

#[cfg(feature = "command-line")]
#[doc(hidden)]
pub mod command_line;
#[doc(hidden)]
pub mod datasets;
#[doc(hidden)]
pub mod decisions;
#[cfg(feature = "report")]
#[doc(hidden)]
pub mod explain;
#[doc(hidden)]
pub mod formats;
#[doc(hidden)]
pub mod papers;
#[cfg(feature = "report")]
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod runs;
mod short;

pub use carat_core::{algorithms, page, scoring, statistics, structure, text};

pub use self::datasets::DatasetError;
pub use self::runs::configuration::RequestError;
pub use self::runs::kind::PlanError;
pub use self::short::{ExtractError, extract, run, score, score_by, sweep};

/// What a run comes to: what [`run`] and [`sweep`] give.
pub mod summary {
    pub use crate::datasets::LostLines;
    pub use crate::datasets::manifest::MadeOf;
    pub use crate::runs::agreement::{
        ComparedSystem, DatasetAgreement, DisputedPage, GroupAgreement, Kept, PairAgreement, SilentPage,
    };
    pub use crate::runs::reads_gold::ReadsGold;
    pub use crate::runs::roles::RoleFigures;
    pub use crate::runs::summary::{
        Conditions, Coverage, DatasetConditions, GroupFigures, KeptReplies, SnippetCounts, Summary, SummaryRow,
        SweepCurve, TrainingDataset,
    };
    pub use crate::runs::sweep::Piece;
}

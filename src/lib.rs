//! carat measures how well algorithms find the content of a web page.
//!
//! You give it pages with gold text; it runs every algorithm over every setting, scores the
//! extractions exactly and draws the curves. [`score`], [`extract`], [`sweep`] and [`run`] are the common cases. The modules are laid out in
//! the direction in which data flows:
//!
//! - [`text`]: white space, tokens, the longest common subsequence;
//! - [`page`]: bytes to characters to the flat tree; selections of text nodes; the one renderer;
//! - [`scoring`] and [`statistics`]: tokens to counts to scores, scores to aggregates;
//! - [`algorithms`]: what chooses text nodes, each declared in its own file;
//! - [`datasets`]: pages with gold, and the importers of other layouts;
//! - [`runs`]: configuration, plan, execution, and the folder a run leaves behind;
//! - [`papers`]: what the four founding papers print and claim, and what is said of the systems that they name;
//! - [`decisions`]: what a difference between rows is worth;
//! - [`report`]: tables and figures, made from that folder alone;
//! - [`explain`]: one page under one algorithm, with the numbers that decided;
//! - [`command_line`]: the program `carat`.
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
//! All are on by default. Without them the library scores, extracts, reads datasets and runs.
//!
//! - `command-line`: the program, as [`command_line::main`]; needs the next two;
//! - `report`: tables, figures and HTML ([`report`], [`explain`]);
//! - `pull`: public datasets from their servers ([`datasets::pull`]);
//! - `readability`: the algorithm `readability-mozilla`.
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::exit)]

#[cfg(feature = "command-line")]
pub mod command_line;
pub mod datasets;
pub mod decisions;
#[cfg(feature = "report")]
pub mod explain;
pub mod formats;
pub mod papers;
#[cfg(feature = "report")]
pub mod report;
pub mod runs;
mod short;

pub use carat_core::{algorithms, page, scoring, statistics, text};

pub use self::runs::plan::PlanError;
pub use self::short::{ExtractError, extract, run, score, sweep};

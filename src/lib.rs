//! carat measures how well algorithms find the content of a web page.
//!
//! You give it pages with gold text; it runs every algorithm over every setting, scores the
//! extractions exactly and draws the curves. The program `carat` is a thin layer over this library,
//! which is laid out in the direction in which data flows:
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
//! - [`explain`]: one page under one algorithm, with the numbers that decided.
//!
//! ```
//! use std::sync::Arc;
//!
//! use carat::algorithms::{find, parameters::Values};
//! use carat::page::{Context, Page};
//!
//! let page = Arc::new(Page::new(b"<p>the text</p><a href=x>a link</a>", Context::default())?);
//! let algorithm = find("nonlink-text")?;
//! let setting = algorithm.setting(&Values::new())?;
//! let pages = [page];
//! let choice = algorithm.choose(&pages, &setting);
//! assert_eq!(choice.text(&pages[0]), "the text");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::exit)]

pub mod algorithms;
pub mod datasets;
pub mod decisions;
pub mod explain;
pub mod formats;
pub mod page;
pub mod papers;
pub mod report;
pub mod runs;
pub mod scoring;
pub mod statistics;
pub mod text;

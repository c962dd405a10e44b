//! The core of carat: texts, pages, scores, structure, statistics and algorithms, without files, datasets and runs. Use it through
//! the crate `carat`, which shows these modules as its own.
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::exit)]

pub mod algorithms;
pub mod page;
pub mod scoring;
pub mod statistics;
pub mod structure;
pub mod text;

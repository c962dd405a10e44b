//! The annotator of carat: gold by clicking. Use it through the command `carat annotate`.
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::exit)]

pub mod agreement;
pub mod decide;
pub mod digest;
pub mod document;
pub mod event;
pub mod guidelines;
pub mod influence;
pub mod log;
pub mod marks;
#[cfg(test)]
mod marks_tests;
pub mod new_dataset;
pub mod people;
pub mod posted;
pub mod proposals;
mod screen;
pub mod sentences;
pub mod server;
pub mod session;
pub mod shown;
pub mod sides;
pub mod sisters;
pub mod source;
pub mod state;
pub mod tree;
pub mod write;

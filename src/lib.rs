//! carat measures how well algorithms find the content of a web page.
pub mod algorithms;
pub mod datasets;
pub mod formats;
pub mod page;
pub mod report;
pub mod runs;
pub mod scoring;
pub mod statistics;
pub mod text;

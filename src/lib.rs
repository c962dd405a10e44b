//! carat measures how well algorithms find the content of a web page.
pub mod page;
pub mod text;

//! The library by its public interface, and the documents and lists that follow from it.
//!
//! One binary, since each has to be linked with all of carat. `cargo test --test library figures::` runs the tests of one
//! file.

mod benchmark;
mod corpora;
mod documents;
mod ensembles_and_bounds;
mod failures;
mod figures;
mod fuzz;
mod groups;
mod hostile_pages;
mod labels;
mod layering;
mod measures;
mod parsing;
mod portals;
mod programs;
mod prose;
mod readability;
mod schemas;
mod statistics;
mod trees;

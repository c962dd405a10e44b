//! Runs: configuration, plan, execution, and the folder that a run leaves behind.

pub mod annotate;
pub mod bounds;
pub mod candidates;
pub mod configuration;
pub mod described;
pub mod doors;
pub mod ensembles;
pub mod execute;
pub mod folder;
pub mod grid;
pub mod groups;
pub(crate) mod node_tokens;
pub mod page_facts;
pub mod pages;
pub mod plan;
pub mod results;
pub mod rows;
pub mod rules;
pub mod scores;
pub mod settings;
pub mod splits;
pub mod summary;
pub mod sweep;
pub mod times;
pub mod tuning;
pub mod units;

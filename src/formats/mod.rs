//! Files: YAML with positions, JSON objects, digests, words of a shell, text of others, and writing whole or not at all. Knows nothing of ours.

pub mod cells;
pub mod digest;
pub mod files;
pub mod inert;
pub mod json;
pub mod shell;
pub mod yaml;

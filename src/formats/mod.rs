//! Files: YAML with positions, JSON objects, digests, words of a shell, and writing whole or not at all. Knows nothing of ours.

pub mod digest;
pub mod files;
pub mod json;
pub mod shell;
pub mod yaml;

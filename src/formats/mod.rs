//! Files: YAML with positions, JSON objects, digests, and writing whole or not at all. Knows nothing of ours.

pub mod digest;
pub mod files;
pub mod json;
pub mod yaml;

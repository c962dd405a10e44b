//! Files: YAML with positions, digests, and writing whole or not at all. Knows nothing of ours.

pub mod digest;
pub mod files;
pub mod yaml;

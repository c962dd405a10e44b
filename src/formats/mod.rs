//! Files: YAML with positions, JSON objects, digests, checked records, words of a shell, reading within bounds, and
//! writing whole or not at all. Knows nothing of ours.

pub mod date;
pub mod digest;
pub mod files;
pub mod json;
pub mod reading;
pub mod record;
pub mod shell;
pub mod yaml;

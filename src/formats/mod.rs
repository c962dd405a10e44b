//! Files: YAML with positions, JSON objects, digests, checked records, words of a shell, text of others, reading within
//! bounds, and writing whole or not at all. Knows nothing of ours.

pub mod cells;
pub mod code;
pub mod date;
pub mod digest;
pub(crate) mod editors;
pub mod files;
pub mod inert;
pub mod json;
pub mod reading;
pub mod record;
pub(crate) mod record_scan;
pub mod shell;
pub mod yaml;

//! Doors: how extractions of other programs come in as rows.

pub mod stored;

//! Doors: how extractions of other programs come in as rows.

pub mod external;
pub mod stored;

/// What the names of rows of other programs begin with.
pub const PREFIXES: [&str; 2] = [stored::PREFIX, external::PREFIX];

/// The name that another program's row has behind its prefix; `None` of a row of carat's own.
pub fn name_of_other(row: &str) -> Option<&str> {
    PREFIXES.iter().find_map(|prefix| row.strip_prefix(prefix))
}

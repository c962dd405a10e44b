//! Doors: how extractions of other programs come in as rows.

pub mod asked;
pub mod external;
pub mod stored;

use super::configuration::FUNCTIONS;

/// What the names of rows of other programs begin with.
pub const PREFIXES: [&str; 3] = [stored::PREFIX, external::PREFIX, FUNCTIONS];

/// The name that another program's row has behind its prefix; `None` of a row of carat's own.
pub fn name_of_other(row: &str) -> Option<&str> {
    PREFIXES.iter().find_map(|prefix| row.strip_prefix(prefix))
}

//! A page's site: its registrable domain.

pub use crate::text::urls::{SUFFIX_LIST, host_of, registrable_domain};

/// The site of the page `id` on `host`; a page of an unknown host stands for itself.
pub fn site_of(host: Option<&str>, id: &str) -> String {
    host.map_or_else(|| id.to_owned(), registrable_domain)
}

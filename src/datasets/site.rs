//! A page's site: its registrable domain.

pub use crate::text::urls::{SUFFIX_LIST, canonical_host, host_of, registrable_domain};

/// The site of the page `id` on `host`; a page of an unknown host stands for itself.
pub fn site_of(host: Option<&str>, id: &str) -> String {
    host.map_or_else(|| id.to_owned(), registrable_domain)
}

/// A sentence: so many pages are of no known site, and `way_out` says how to state it.
pub(super) fn unknown_sites(pages: usize, way_out: &str) -> String {
    format!(
        "{pages} pages have no site, so each counts as one: if several are of one site, intervals are too narrow and tests too \
         sure ({way_out})"
    )
}

/// A site as a page list names it, in one spelling if it is a host; other names stay as they are, and so does the id of a
/// page that stands for itself.
pub(super) fn named_site(site: &str, id: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let is_host = site.contains('.') && site.chars().all(is_part);
    if is_host && site != id { canonical_host(site) } else { site.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_one_site_however_it_is_spelled() {
        for spelling in ["bücher.example", "BÜCHER.Example", "xn--bcher-kva.example", "XN--BCHER-KVA.EXAMPLE"] {
            assert_eq!(named_site(spelling, "p1"), "bücher.example");
        }
        for name in ["新闻站", "Site A", "BBC News", "U.S. News", "Yahoo!"] {
            assert_eq!(named_site(name, "p1"), name);
        }
        assert_eq!(named_site("Page.1", "Page.1"), "Page.1", "a page that stands for itself");
    }
}

//! The sites of a folder's pages: in their paths, or in the addresses that they state.

use std::collections::BTreeSet;

use crate::datasets::import::gold_places::{is_layer, stem};
use crate::datasets::import::page_names::site_in;
use crate::datasets::manifest::{Details, Record};
use crate::datasets::site::{host_of, registrable_domain, unknown_sites};
use crate::page::address::stated_address;
use crate::text::counted;

/// The option `site_from`.
#[derive(Clone, Copy)]
pub(super) enum SiteFrom<'o> {
    Host,
    ParentFolder,
    StemPrefix(&'o str),
    Id,
}

impl<'o> SiteFrom<'o> {
    pub(super) fn read(text: &'o str) -> Result<Self, String> {
        let separator = text.strip_prefix("stem_prefix:").filter(|separator| !separator.is_empty());
        match (text, separator) {
            ("none", _) => Ok(SiteFrom::Id),
            ("host", _) => Ok(SiteFrom::Host),
            ("parent_dir", _) => Ok(SiteFrom::ParentFolder),
            (_, Some(separator)) => Ok(SiteFrom::StemPrefix(separator)),
            _ => Err(format!("site_from: expected host, parent_dir, stem_prefix:SEP or none, not `{text}`")),
        }
    }

    /// The site of the page `id` at `path`; a page of no known site stands for itself.
    pub(super) fn of(self, path: &str, id: &str) -> String {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        match self {
            SiteFrom::Id => id.to_owned(),
            SiteFrom::Host => site_in(path).unwrap_or_else(|| id.to_owned()),
            SiteFrom::ParentFolder if folder.is_empty() => id.to_owned(),
            SiteFrom::ParentFolder => folder.rsplit('/').find(|name| !is_layer(name)).unwrap_or(folder).to_owned(),
            SiteFrom::StemPrefix(separator) => stem(name).split(separator).next().unwrap_or(name).to_owned(),
        }
    }
}

/// The options that say of which sites pages are, where `site_from` does not say it.
pub(super) fn way_to_sites(site_from: Option<SiteFrom<'_>>) -> Option<&'static str> {
    match site_from {
        None | Some(SiteFrom::Host) => Some(
            "site_from=parent_dir takes the names of folders, site_from=stem_prefix:_ what stands before _ in each name",
        ),
        Some(SiteFrom::ParentFolder | SiteFrom::StemPrefix(_) | SiteFrom::Id) => None,
    }
}

/// That the hosts in the names of the pages, or of most of so many, are their `sites`.
pub(super) fn told_hosts(pages: usize, sites: &[String]) -> String {
    let (with, sites) = (sites.len(), sites.iter().collect::<BTreeSet<&String>>().len());
    let of = if with < pages { format!("{with} of ") } else { "the ".to_owned() };
    format!("sites are the domains of the hosts in the names of {of}{pages} pages: {sites} (site_from=none: none)")
}

/// Gives the page the address that it states, if it does, and the site of it.
pub(super) fn take_stated_address(record: &mut Record, bytes: &[u8]) {
    let url = stated_address(bytes);
    if let Some(host) = url.as_deref().and_then(host_of) {
        record.site = Some(registrable_domain(&host));
    }
    record.details = Details { url, ..Details::default() }.boxed();
}

/// How many of the pages that were `asked` for their address state one, and of how many the site stays unknown; `way_out` says
/// how to state it.
pub(super) fn told_addresses(asked: &[&Record], way_out: &str) -> Vec<String> {
    let (found, without): (Vec<&Record>, Vec<&Record>) = asked.iter().partition(|record| record.details.is_some());
    let mut notes = Vec::new();
    if !found.is_empty() {
        let sites: BTreeSet<&String> = found.iter().filter_map(|record| record.site.as_ref()).collect();
        let (pages, sites) = (counted(found.len(), "page"), sites.len());
        notes.push(format!("sites are the domains of the addresses stated in {pages}: {sites} (site_from=none: none)"));
    }
    let mut paths = without.iter().filter_map(|record| record.html.path());
    if let Some(first) = paths.find(|path| site_in(path).is_none()).filter(|_| without.len() > 1) {
        let unknown = unknown_sites(without.len(), way_out);
        notes.push(format!("{unknown}; the name of {first} begins with no host, and the page states no address"));
    }
    notes
}

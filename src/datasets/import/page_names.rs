//! Ids and sites that follow from the paths of pages, where nobody states them.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use super::gold_places::{page_name, stem, unescaped};
use crate::datasets::manifest::encode_id;
use crate::datasets::site::registrable_domain;
use crate::text::urls::{is_host, is_name_of_host};

/// The ids of the pages at `paths` where nobody says from what: their names, or their paths if names repeat.
pub(crate) fn ids_of(paths: &[&str]) -> Vec<String> {
    let (are_paths, are_composed) = (do_names_repeat(paths), are_apart_composed(paths));
    paths.iter().map(|path| id_of(path, are_paths, are_composed)).collect()
}

/// True if no two of the pages at `paths` are called alike but for the form of Unicode, of which a Mac writes another.
pub(super) fn are_apart_composed(paths: &[&str]) -> bool {
    paths.iter().map(|path| path.nfc().collect::<String>()).collect::<BTreeSet<_>>().len() == paths.len()
}

/// The sites of the pages at `paths`: the domains of the hosts in them, where most have one. Of one page alone there is none.
pub(crate) fn sites_of(paths: &[&str]) -> Vec<Option<String>> {
    let mut sites: Vec<Option<String>> = paths.iter().map(|path| site_in(path)).collect();
    if paths.len() < 2 || 2 * sites.iter().flatten().count() <= paths.len() {
        sites.fill(None);
    }
    sites
}

/// True if two of the pages at `paths` have one name.
pub(super) fn do_names_repeat(paths: &[&str]) -> bool {
    paths.iter().map(|path| page_name(path)).collect::<BTreeSet<_>>().len() < paths.len()
}

/// The id of the page at `path`; the same in every form of Unicode if it `is_composed`.
pub(super) fn id_of(path: &str, is_path: bool, is_composed: bool) -> String {
    let name = if is_path { unescaped(&path.replace('/', "~")).into_owned() } else { page_name(path).into_owned() };
    encode_id(&if is_composed { name.nfc().collect() } else { name })
}

/// The domain of the host in the path of a page.
pub(super) fn site_in(path: &str) -> Option<String> {
    host_in(path).map(|host| registrable_domain(&host))
}

/// The signs behind which a host stands in the name of a page, whatever it is called.
const BEHIND: [&str; 6] = ["https://", "http://", "https%3a%2f%2f", "http%3a%2f%2f", "https___", "http___"];

/// The host that a folder or the name of the page at `path` begins with, as in `news.example.com/1.html`,
/// `www.example.com_1.html` and `https%3A%2F%2Fexample.com%2F1.html`. A port behind it is no part of it.
fn host_in(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let own = stem(name).to_lowercase();
    let behind = BEHIND.iter().find_map(|scheme| own.strip_prefix(scheme));
    let beginning = behind.or_else(|| ["https_", "http_"].iter().find_map(|scheme| own.strip_prefix(scheme)));
    let beginning = beginning.unwrap_or(&own).split(['_', '%', '~', ' ', '@', '+', ',']).next().unwrap_or_default();
    let folders = folder.split('/').map(str::to_lowercase);
    let mut parts = folders.chain([beginning.to_owned()]).map(|part| without_port(&part).to_owned());
    let host = parts.find(|part| is_host(part));
    host.or_else(|| behind.map(|_| without_port(beginning).to_owned()).filter(|part| is_name_of_host(part)))
}

/// The host in `localhost:8000`, and in `localhost+8000`, as the folders of mirrors are called.
fn without_port(host: &str) -> &str {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    host.rsplit_once([':', '+']).filter(|(_, port)| is_port(port)).map_or(host, |(host, _)| host)
}

//! A list of addresses and files, one per line: the pages of a dataset are those and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use carat_core::text::urls::web_address;

use super::folder::{MHTML, Saved, is_mhtml, stem};
use super::{Given, PassedOver};

/// A list has no more addresses.
const MAX_ADDRESSES: usize = 10_000;
/// A list has no more bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A line of a list.
pub(super) enum Entry<'r> {
    /// A page to be fetched.
    Address {
        /// As the list has it.
        address: String,
        /// The page's id.
        id: String,
    },
    /// A page that is here.
    File(Saved),
    /// A page that a reader gives; it stands in no list.
    Given(&'r Given<'r>),
}

impl Entry<'_> {
    pub(super) fn id(&self) -> &str {
        match self {
            Entry::Address { id, .. } | Entry::File(Saved { id, .. }) | Entry::Given(Given { id, .. }) => id,
        }
    }

    /// The same, which may be changed where this program gave it.
    fn id_mut(&mut self) -> Option<&mut String> {
        match self {
            Entry::Address { id, .. } | Entry::File(Saved { id, .. }) => Some(id),
            Entry::Given(_) => None,
        }
    }
}

/// The entries of the list at `path`, in its order, and the lines that were passed over, with the reason. Files are found
/// from the list's folder.
///
/// # Errors
/// A sentence: the list cannot be read, or is too long.
pub(super) fn read<'r>(path: &Path, id_of: &dyn Fn(&str) -> String) -> Result<(Vec<Entry<'r>>, PassedOver), String> {
    let told = |reason: String| format!("cannot read {}: {reason}", path.display());
    if fs::metadata(path).map_err(|error| told(error.to_string()))?.len() > MAX_BYTES {
        return Err(told("it has more than 16 MiB".to_owned()));
    }
    let bytes = fs::read(path).map_err(|error| told(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| told("it is not in UTF-8".to_owned()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let (mut entries, mut passed, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
    for line in text.trim_start_matches('\u{FEFF}').lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // Servers see no fragment.
        let plain = web_address(line).map(|found| found.split('#').next().unwrap_or_default().to_owned());
        if !known.insert(plain.clone().unwrap_or_else(|| line.to_owned())) {
            passed.push((line.to_owned(), "it is in the list twice".to_owned()));
            continue;
        }
        match (plain, line.contains("://")) {
            (Some(address), _) => entries.push(Entry::Address { id: id_of_address(&address, id_of), address }),
            (None, true) if !line.contains('\t') => {
                passed.push((line.to_owned(), "it is no address of http or https".to_owned()))
            }
            _ => match file(folder, line, id_of) {
                Ok(saved) => entries.push(Entry::File(saved)),
                Err(reason) => passed.push((line.to_owned(), reason)),
            },
        }
    }
    let addresses = entries.iter().filter(|entry| matches!(entry, Entry::Address { .. })).count();
    if addresses > MAX_ADDRESSES {
        return Err(format!("{} has {addresses} addresses; a list has 10,000 at most", path.display()));
    }
    tell_apart(&mut entries);
    Ok((entries, passed))
}

/// The file that a line names: a path, perhaps with a tab and its address.
fn file(folder: &Path, line: &str, id_of: &dyn Fn(&str) -> String) -> Result<Saved, String> {
    let (name, url) = line.split_once('\t').map_or((line, None), |(name, url)| (name.trim(), web_address(url)));
    if is_mhtml(name) {
        return Err(MHTML.to_owned());
    }
    let parts = Path::new(name).components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        _ => None,
    });
    let plain = parts.collect::<Vec<_>>().join("~");
    let front = &plain[..stem(&plain).unwrap_or(plain.len())];
    let id = id_of(front.trim_start_matches('.'));
    if id.is_empty() {
        return Err("it is no file".to_owned());
    }
    Ok(Saved { path: folder.join(name), name: name.to_owned(), id, url, site: None })
}

/// An id of an address: without its scheme, and without the ending of a page.
fn id_of_address(address: &str, id_of: &dyn Fn(&str) -> String) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest).trim_end_matches('/');
    let length = if rest.contains('?') || !rest.contains('/') { None } else { stem(rest) };
    id_of(&rest[..length.unwrap_or(rest.len())].trim_start_matches('.').replace('/', "~"))
}

/// Gives each entry an id of its own: later ones that have that of an earlier one get `~2` and so on.
fn tell_apart(entries: &mut [Entry<'_>]) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries {
        let Some(id) = entry.id_mut() else { continue };
        if !known.insert(id.clone()) {
            let first = id.clone();
            let number = numbers.entry(first.clone()).or_insert(1);
            while !known.insert(id.clone()) {
                *number += 1;
                *id = format!("{first}~{number}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_addresses_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.txt");
        let lines = [
            "\u{FEFF}# pages of November",
            "http://a.cn/1.html",
            "",
            " https://a.cn/1.html ",
            "http://a.cn/1.html#top",
            "HTTP://b.cn/",
            "http://b.cn/?q=新",
            "ftp://c.cn/x",
            "saved/x y.html",
            "../saved/x y.htm.gz\thttp://x.cn/y",
            "old.mhtml",
        ];
        fs::write(&path, lines.join("\r\n")).unwrap();
        let plain = |path: &str| path.replace(' ', "%20");
        let (entries, passed) = read(&path, &plain).unwrap();
        let shown = |entry: &Entry<'_>| match entry {
            Entry::Address { address, id } => format!("{id} {address}"),
            Entry::File(Saved { name, id, url, .. }) => format!("{id} {name} {url:?}"),
            Entry::Given(Given { id, .. }) => id.clone(),
        };
        assert_eq!(
            entries.iter().map(shown).collect::<Vec<_>>(),
            [
                "a.cn~1 http://a.cn/1.html",
                "a.cn~1~2 https://a.cn/1.html",
                "b.cn HTTP://b.cn/",
                "b.cn~?q=新 http://b.cn/?q=新",
                "saved~x%20y saved/x y.html None",
                "saved~x%20y~2 ../saved/x y.htm.gz Some(\"http://x.cn/y\")",
            ]
        );
        let reasons: Vec<&str> = passed.iter().map(|(_, reason)| reason.as_str()).collect();
        assert_eq!(reasons[..2], ["it is in the list twice", "it is no address of http or https"]);
        assert!(reasons[2].contains("MHTML"));
        fs::write(&path, (0..10_001).map(|page| format!("http://a.cn/{page}\n")).collect::<String>()).unwrap();
        assert!(read(&path, &plain).err().unwrap().contains("10,000"));
    }
}

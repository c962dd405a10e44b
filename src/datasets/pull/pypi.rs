//! Packages of PyPI, or of the index that the user's pip is set to. The pinned file is downloaded as it is: `pip download`
//! would run what a package is built with. So pip is asked for its settings alone, and need not be there.

use crate::formats::code::Code;
use std::path::{Path, PathBuf};
use std::process::Command;

use html5ever::local_name;
use serde::Deserialize;

use super::address::Address;
use super::download::{Wanted, download};
use super::fetch::describe;
use super::{Limits, program, unwritten};
use crate::datasets::catalog::Package;
use crate::datasets::{DatasetError, Halt};
use crate::page::parse::parse;

/// The index that pip asks if nobody says otherwise.
const PYPI: &str = "https://pypi.org/simple";

/// The list of a package's files may be so long. The longest of PyPI have a few million bytes.
const MAX_LIST_BYTES: u64 = 32 << 20;

/// The forms of such a list, by PEP 691 and PEP 503.
const LISTS: &str = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/// The pinned file of the package, from the first index that lists it.
pub(super) fn archive(
    package: &Package,
    folder: &Path,
    limits: Limits,
    stopped: &dyn Fn() -> bool,
) -> Result<PathBuf, Halt> {
    let indexes = indexes(package, folder, stopped)?;
    let mut fault = None;
    for index in &indexes {
        match listed(index, package, folder, limits, stopped) {
            Ok(Some(address)) => {
                let into = folder.join("archive");
                let wanted = Wanted { address, accept: "*/*", into: into.clone() };
                return download(wanted, limits, stopped).map(|_| into);
            }
            Ok(None) => {}
            Err(Halt::Stopped) => return Err(Halt::Stopped),
            Err(Halt::Fault(error)) => fault = fault.or(Some(of(package, &error))),
        }
    }
    Err(fault
        .unwrap_or_else(|| {
            let places: Vec<String> = indexes.iter().map(Address::to_string).collect();
            let message = format!(
                "no file of it at {} has the SHA-256 {} as the catalogue says",
                places.join(", "),
                package.sha256
            );
            DatasetError::new(Code::Digest, describe(package), message)
        })
        .into())
}

/// A fault of an address, as one of the package.
fn of(package: &Package, error: &DatasetError) -> DatasetError {
    DatasetError::new(error.code, describe(package), format!("{}: {}", error.file, error.message))
}

/// The address of the pinned file, if the index lists it.
fn listed(
    index: &Address,
    package: &Package,
    folder: &Path,
    limits: Limits,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<Address>, Halt> {
    let (page, into) = (index.below(&normalised(&package.name)), folder.join("list"));
    let wanted = Wanted { address: page.clone(), accept: LISTS, into: into.clone() };
    let at = download(wanted, Limits { archive_bytes: MAX_LIST_BYTES, ..limits }, stopped)?;
    let list = std::fs::read(&into).map_err(|error| unwritten(&into, &error))?;
    let fault = |message: String| DatasetError::new(Code::Fetch, &page, message);
    let list = String::from_utf8_lossy(&list);
    let leads = match list.trim_start().starts_with('{') {
        true => in_json(&list, &at, &package.sha256).map_err(|error| fault(format!("lists no files: {error}")))?,
        false => in_html(&list, &at, &package.sha256).map_err(fault)?,
    };
    if leads.as_ref().is_some_and(|leads| at.is_secure() && !leads.is_secure()) {
        return Err(fault("leads from https to http".to_owned()).into());
    }
    Ok(leads)
}

/// The name that an index has a package under, by PEP 503.
fn normalised(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

/// A list of files in JSON, as far as it matters.
#[derive(Deserialize)]
struct List {
    files: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    url: String,
    #[serde(default)]
    hashes: Hashes,
}

#[derive(Default, Deserialize)]
struct Hashes {
    sha256: Option<String>,
}

fn in_json(list: &str, at: &Address, sha256: &str) -> Result<Option<Address>, serde_json::Error> {
    let list: List = serde_json::from_str(list)?;
    let is_pinned =
        |file: &&Listed| file.hashes.sha256.as_ref().is_some_and(|found| found.eq_ignore_ascii_case(sha256));
    Ok(list.files.iter().filter(is_pinned).find_map(|file| at.join(&file.url)))
}

/// By the fragments of its links, which state digests.
fn in_html(list: &str, at: &Address, sha256: &str) -> Result<Option<Address>, String> {
    let tree = &parse(list).map_err(|error| error.to_string())?.tree;
    let href = |id| tree.attribute(id, &local_name!("href"));
    let of_elements = |name| tree.ids().filter(move |&id| tree.is_html_element(id) && *tree.name(id) == name);
    let base = of_elements(local_name!("base")).find_map(href).and_then(|base| at.join(base));
    let at = base.as_ref().unwrap_or(at);
    let is_pinned = |reference: &&str| {
        let stated = reference.rsplit_once('#').and_then(|(_, stated)| stated.strip_prefix("sha256="));
        stated.and_then(|stated| stated.get(..64)).is_some_and(|found| found.eq_ignore_ascii_case(sha256))
    };
    Ok(of_elements(local_name!("a")).filter_map(href).filter(is_pinned).find_map(|reference| at.join(reference)))
}

/// The indexes that pip would ask: by its environment, else by its configuration, else PyPI.
fn indexes(package: &Package, folder: &Path, stopped: &dyn Fn() -> bool) -> Result<Vec<Address>, Halt> {
    let what = describe(package);
    let settings = match program::run(Command::new("pip").args(["config", "list"]).current_dir(folder), &what, stopped)
    {
        Err(Halt::Stopped) => return Err(Halt::Stopped),
        // Without pip, or without a configuration that it can read, its environment still counts.
        settings => settings.unwrap_or_default(),
    };
    let setting = |name: &str| {
        let variable = format!("PIP_{}", name.to_uppercase().replace('-', "_"));
        std::env::var(variable).ok().filter(|value| !value.trim().is_empty()).or_else(|| configured(&settings, name))
    };
    let first = setting("index-url").unwrap_or_else(|| PYPI.to_owned());
    let further = setting("extra-index-url").unwrap_or_default();
    let texts = first.split_whitespace().chain(further.split_whitespace());
    let address = |text: &str| {
        Address::of(text).ok_or_else(|| {
            DatasetError::new(Code::Fetch, &what, "an index that pip is set to is no http or https address")
        })
    };
    Ok(texts.map(address).collect::<Result<_, DatasetError>>()?)
}

/// The setting of that name in what `pip config list` prints; that for downloads comes before that for everything.
fn configured(settings: &str, name: &str) -> Option<String> {
    ["download", "global"].iter().find_map(|section| {
        let value = settings.lines().find_map(|line| line.strip_prefix(&format!("{section}.{name}=")))?;
        // As Python shows texts: in quotes, and with `\n` between addresses.
        Some(value.trim().trim_matches(['\'', '"']).replace("\\n", " "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PINNED: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn names_are_asked_for_as_indexes_have_them() {
        for (name, normal) in [("Zope.Interface", "zope-interface"), ("a__b-.c", "a-b-c"), ("six", "six")] {
            assert_eq!(normalised(name), normal);
        }
    }

    #[test]
    fn the_pinned_file_is_found_in_every_form_of_a_list() {
        let at = Address::of("https://a.org/simple/mine/").unwrap();
        let other = PINNED.replace('0', "1");
        for (html, leads) in [
            (format!("<a href='../../f/mine-1.tar.gz#sha256={PINNED}'>x</a>"), Some("https://a.org/f/mine-1.tar.gz")),
            (
                format!("<A HREF=mine.zip?a&amp;b#sha256={}&egg=x>x", PINNED.to_uppercase()),
                Some("https://a.org/simple/mine/mine.zip?a&b"),
            ),
            (
                format!("<base href=https://b.org/f/><a href=mine.whl#sha256={PINNED}>"),
                Some("https://b.org/f/mine.whl"),
            ),
            (format!("<a href='x#sha256={other}'>x</a><a>y</a><a href='x?sha256={PINNED}'>"), None),
            (format!("<a href='ftp://a.org/x#sha256={PINNED}'>"), None),
            ("not found".to_owned(), None),
        ] {
            let found = in_html(&html, &at, PINNED).unwrap().map(|address| address.to_string());
            assert_eq!(found.as_deref(), leads, "{html}");
        }
        let file = |url: &str, hashes: &str| format!(r#"{{"filename": "x", "url": "{url}", "hashes": {hashes}}}"#);
        let pinned = format!(r#"{{"md5": "0", "sha256": "{PINNED}"}}"#);
        let files = [file("/other", "{}"), file("/pinned", &pinned)].join(",");
        let list = format!(r#"{{"meta": {{"api-version": "1.1"}}, "name": "mine", "files": [{files}]}}"#);
        let found = in_json(&list, &at, PINNED).unwrap().unwrap();
        assert_eq!(found.to_string(), "https://a.org/pinned");
        assert_eq!(in_json(&list, &at, &other).unwrap(), None);
        assert!(in_json("{}", &at, PINNED).is_err() && in_json("{", &at, PINNED).is_err());
    }

    #[test]
    fn pips_settings_are_understood() {
        let settings = ":env:.find-links='/opt'\ndownload.index-url='https://b.org/simple'\n\
                        global.extra-index-url='\\nhttps://c.org\\nhttps://d.org'\nglobal.index-url='https://a.org/simple'\n";
        assert_eq!(configured(settings, "index-url").unwrap(), "https://b.org/simple");
        let further = configured(settings, "extra-index-url").unwrap();
        assert_eq!(further.split_whitespace().collect::<Vec<_>>(), ["https://c.org", "https://d.org"]);
        assert_eq!(configured(settings, "proxy"), None);
    }
}

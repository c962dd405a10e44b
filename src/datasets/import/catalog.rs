//! The catalogue of public datasets: what each is, what its gold is, and the pinned place that it comes from.

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::packages::check_release;
use super::{IMPORTERS, find};
use crate::datasets::manifest::{GoldNature, Licence, Manifest, NO_DATASET_NAME, is_dataset_name};
use crate::datasets::manifest_file::{check_format, check_licence, check_nature};
use crate::datasets::{DatasetError, check_path};
use crate::formats::digest::is_hex;
use crate::formats::yaml;
use crate::text::hint;

/// A catalogue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// The version of its form: 1.
    pub format: i64,
    /// What it lists, in the order of listings.
    pub datasets: Vec<Entry>,
}

/// A dataset that can be had.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The name that it gets.
    pub name: String,
    /// A short title.
    pub title: String,
    /// The pages of the whole set.
    pub pages: usize,
    /// Those of them with gold.
    pub golds: usize,
    /// The languages of its pages; `others` where there are more.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Its licences.
    pub licence: Licence,
    /// What to cite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// What its gold is.
    pub gold: GoldNature,
    /// The importer that reads it.
    pub importer: String,
    /// Options of the importer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Where it comes from.
    pub source: Source,
    /// `sha256:…` of the imported dataset, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// Where a dataset comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Source {
    /// A package of a registry.
    Package(Package),
    /// An archive on the web.
    Archive(Archive),
    /// A Git repository of GitHub at a commit; the user clones it.
    Git {
        /// `owner/name`.
        repository: String,
        /// The commit in hexadecimal, perhaps shortened.
        commit: String,
        /// The folder in it that is read; empty: the repository itself.
        folder: String,
    },
    /// Only the user's own copy will do; what that is, in words.
    Own(String),
}

/// A package of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The registry's kind.
    pub registry: Registry,
    /// The package's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its archive, in lower-case hexadecimal.
    pub sha256: String,
    /// The folder in it that is read, with or without the one that holds all; empty: the package itself.
    pub folder: String,
}

/// A kind of package registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// crates.io, or what stands for it: cargo.
    Crate,
    /// npm's: npm.
    Npm,
    /// PyPI, or the index that the user's pip is set to.
    Pypi,
}

/// An archive on the web: a tar.gz or a zip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// Its address, `http` or `https`.
    pub url: String,
    /// SHA-256 of its bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// The folder in it that is read, with or without the one that holds all; empty: the archive itself.
    pub folder: String,
}

/// A source as it is written.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    #[serde(rename = "crate", skip_serializing_if = "Option::is_none")]
    crate_: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    npm: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pypi: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    folder: String,
}

/// Names of repositories become arguments of Git: none may pass for an option.
fn is_argument(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@/._+-".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@') && text.chars().all(is_plain)
}

impl TryFrom<Written> for Source {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { crate_, npm, pypi, url, repository, own, version, sha256, commit, folder } = written;
        if !folder.is_empty() {
            check_path(&folder)?;
        }
        let digest = |sha256: Option<String>| {
            sha256
                .filter(|sha256| is_hex(sha256, 64..=64))
                .ok_or_else(|| "source: expected `sha256`, 64 hexadecimal digits in lower case".to_owned())
        };
        let package = |registry, name: String| {
            let version = version.ok_or_else(|| format!("source: `{name}` is given without its `version`"))?;
            check_release(registry, &name, &version).map_err(|told| format!("source: {told}"))?;
            let (sha256, folder) = (digest(sha256.clone())?, folder.clone());
            Ok(Source::Package(Package { registry, name, version, sha256, folder }))
        };
        match (crate_, npm, pypi, url, repository, own) {
            (Some(name), None, None, None, None, None) => package(Registry::Crate, name),
            (None, Some(name), None, None, None, None) => package(Registry::Npm, name),
            (None, None, Some(name), None, None, None) => package(Registry::Pypi, name),
            (None, None, None, Some(url), None, None) => {
                let is_web = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
                if !is_web || url.contains(char::is_whitespace) {
                    return Err(format!("source: `{url}` is no http or https address"));
                }
                Ok(Source::Archive(Archive { url, sha256: digest(sha256)?, folder }))
            }
            (None, None, None, None, Some(repository), None) => {
                let is_repository = is_argument(&repository) && repository.split('/').count() == 2;
                match commit.filter(|commit| is_repository && is_hex(commit, 7..=40)) {
                    Some(commit) => Ok(Source::Git { repository, commit, folder }),
                    None => Err(format!("source: expected `{repository}` as owner/name with its `commit`")),
                }
            }
            (None, None, None, None, None, Some(own)) => Ok(Source::Own(own)),
            _ => Err("source: expected exactly one of crate, npm, pypi, url, repository and own".to_owned()),
        }
    }
}

impl From<Source> for Written {
    fn from(source: Source) -> Self {
        match source {
            Source::Package(Package { registry, name, version, sha256, folder }) => {
                let mut written =
                    Written { version: Some(version), sha256: Some(sha256), folder, ..Written::default() };
                let place = match registry {
                    Registry::Crate => &mut written.crate_,
                    Registry::Npm => &mut written.npm,
                    Registry::Pypi => &mut written.pypi,
                };
                *place = Some(name);
                written
            }
            Source::Archive(Archive { url, sha256, folder }) => {
                Written { url: Some(url), sha256: Some(sha256), folder, ..Written::default() }
            }
            Source::Git { repository, commit, folder } => {
                Written { repository: Some(repository), commit: Some(commit), folder, ..Written::default() }
            }
            Source::Own(own) => Written { own: Some(own), ..Written::default() },
        }
    }
}

/// The catalogue that is compiled into the program.
pub fn builtin() -> &'static Catalog {
    static BUILTIN: LazyLock<Catalog> = LazyLock::new(|| {
        Catalog::read("catalog.yaml", include_str!("../../../datasets/catalog.yaml")).expect("a test reads it")
    });
    &BUILTIN
}

impl Catalog {
    /// The catalogue in `text`, which stands in `file`.
    ///
    /// # Errors
    /// [`DatasetError`]: it is no catalogue, or an entry asks for what there is not.
    pub fn read(file: &str, text: &str) -> Result<Self, DatasetError> {
        let catalog: Catalog = yaml::typed(file, text)
            .map_err(|error| DatasetError::new(Code::Type, file, error.message.clone()).at_line(error.at.line))?;
        let fault = |message: String| DatasetError::new(Code::Type, file, message);
        check_format(catalog.format).map_err(fault)?;
        for (place, Entry { name, importer, licence, gold, .. }) in catalog.datasets.iter().enumerate() {
            if !is_dataset_name(name) {
                return Err(fault(format!("`{name}` {NO_DATASET_NAME}")));
            }
            if catalog.datasets[..place].iter().any(|earlier| earlier.name == *name) {
                return Err(fault(format!("`{name}` is given twice")));
            }
            check_licence(licence)
                .and_then(|()| check_nature(gold))
                .map_err(|told| fault(format!("{name}: {told}")))?;
            if find(importer).is_none() {
                let names = IMPORTERS.iter().map(|importer| importer.name);
                return Err(fault(format!("{name}: there is no importer `{importer}`; {}", hint(importer, names))));
            }
        }
        Ok(catalog)
    }

    /// The entry of that name.
    ///
    /// # Errors
    /// [`DatasetError`] with the nearest known name.
    pub fn find(&self, name: &str) -> Result<&Entry, DatasetError> {
        self.datasets.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let names = self.datasets.iter().map(|entry| entry.name.as_str());
            let message = format!("the catalogue has no dataset of this name; {}", hint(name, names));
            DatasetError::new(Code::Unknown, name, message)
        })
    }

    /// What it lists that is read by the importer of that name.
    pub fn read_by(&self, importer: &str) -> Option<&Entry> {
        self.datasets.iter().find(|entry| entry.importer == importer)
    }
}

impl Entry {
    /// What of an imported dataset is not as the catalogue says: a sentence, if there is such a thing.
    pub fn differs(&self, manifest: &Manifest, digest: &str) -> Option<String> {
        let counts = manifest.counts.clone().unwrap_or_default();
        let found = (counts.pages.unwrap_or_default(), counts.golds.unwrap_or_default());
        if found != (self.pages, self.golds) {
            return Some(format!(
                "{} pages and {} golds are not the whole set, which by the catalogue has {} and {}",
                found.0, found.1, self.pages, self.golds
            ));
        }
        let expected = self.digest.as_deref().filter(|expected| *expected != digest)?;
        Some(format!("the dataset's digest is not the catalogue's {expected}: upstream or its reading has changed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_catalogue_is_whole() {
        let catalog = builtin();
        assert!(catalog.datasets.len() >= 13);
        for entry in &catalog.datasets {
            assert!(entry.gold.note.is_some() && (entry.gold.nature.is_some() || entry.golds == 0), "{}", entry.name);
            assert!(entry.golds <= entry.pages && !entry.languages.is_empty(), "{}", entry.name);
            let written = serde_json::to_string(&entry.source).unwrap();
            assert_eq!(serde_json::from_str::<Source>(&written).unwrap(), entry.source, "{written}");
        }
        // Every importer of one public set is in it.
        for importer in
            IMPORTERS.iter().filter(|importer| !["folder", "table", "warc", "parquet"].contains(&importer.name))
        {
            assert!(catalog.read_by(importer.name).is_some(), "{}", importer.name);
        }
        assert_eq!(catalog.find("danel").unwrap_err().code, Code::Unknown);
    }

    #[test]
    fn sources_are_checked() {
        let digest = "0".repeat(64);
        let source =
            |text: &str| serde_json::from_str::<Source>(&text.replace("DIGEST", &digest)).map_err(|e| e.to_string());
        for right in [
            r#"{"crate": "a_b", "version": "0.1.0-beta+1", "sha256": "DIGEST"}"#,
            r#"{"npm": "@scope/a", "version": "1.0.0", "sha256": "DIGEST", "folder": "test/pages"}"#,
            r#"{"pypi": "a.b", "version": "1", "sha256": "DIGEST"}"#,
            r#"{"url": "https://a.org/b.zip", "sha256": "DIGEST"}"#,
            r#"{"repository": "a/b", "commit": "0123abc"}"#,
            r#"{"own": "a copy"}"#,
        ] {
            assert!(source(right).is_ok(), "{right}: {:?}", source(right));
        }
        for wrong in [
            "{}",
            r#"{"own": "a", "url": "https://a.org/", "sha256": "DIGEST"}"#,
            r#"{"crate": "a", "sha256": "DIGEST"}"#,
            r#"{"crate": "--config", "version": "1", "sha256": "DIGEST"}"#,
            r#"{"npm": "a", "version": "owner/repo", "sha256": "DIGEST"}"#,
            r#"{"crate": "a", "version": "1.0.0", "sha256": "abc"}"#,
            r#"{"crate": "a", "version": "1.0.0", "sha256": "DIGEST", "folder": "../b"}"#,
            r#"{"url": "file:///etc/passwd", "sha256": "DIGEST"}"#,
            r#"{"repository": "a/b/c", "commit": "0123abc"}"#,
            r#"{"repository": "a/b", "commit": "main"}"#,
            r#"{"own": "a", "colour": "red"}"#,
        ] {
            assert!(source(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn faults_of_a_catalogue_are_told() {
        let entry = |name: &str, importer: &str| {
            format!(
                "  - {{name: {name}, title: T, pages: 1, golds: 1, importer: {importer}, gold: {{}}, source: {{own: x}},\n     \
                 licence: {{data: a, pages: b, redistribution: none}}}}\n"
            )
        };
        let read = |entries: &str| Catalog::read("c.yaml", &format!("format: 1\ndatasets:\n{entries}"));
        assert!(read(&entry("a", "folder")).is_ok());
        for wrong in [entry("A", "folder"), entry("a", "folders"), entry("a", "folder").repeat(2), "  - 1\n".to_owned()]
        {
            assert_eq!(read(&wrong).unwrap_err().code, Code::Type, "{wrong}");
        }
        for (from, to) in [("none", "banana"), ("gold: {}", "gold: {nature: alien}")] {
            assert_eq!(read(&entry("a", "folder").replace(from, to)).unwrap_err().code, Code::Type, "{to}");
        }
        let error = read(&entry("a", "folder").replace("own", "owm")).unwrap_err();
        assert!(error.line.is_some_and(|line| line >= 3), "{error}");
        assert_eq!(Catalog::read("c.yaml", "format: 2\ndatasets: []\n").unwrap_err().code, Code::Type);
    }
}

//! A written dataset in the terms of Croissant (MLCommons, version 1.0), which catalogues and loaders of datasets read: its
//! description, its files with their SHA-256, and the fields of its pages.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::manifest::{Manifest, Record};
use super::{DatasetError, shown};
use crate::formats::code::Code;
use crate::formats::digest::hex;
use crate::formats::files::write_atomically;

/// The file's name.
const NAME: &str = "croissant.json";

/// A field of a page, as a loader sees it.
struct Field {
    name: &'static str,
    /// The member of the page's line.
    column: &'static str,
    /// The member of that, where it is an object.
    member: Option<&'static str>,
    about: &'static str,
}

const fn field(name: &'static str, about: &'static str) -> Field {
    Field { name, column: name, member: None, about }
}

const fn inner(name: &'static str, column: &'static str, member: &'static str, about: &'static str) -> Field {
    Field { name, column, member: Some(member), about }
}

/// The fields that pages can have; those that no page has are left out.
const FIELDS: [Field; 15] = [
    field("id", "The page's id, unique in the dataset."),
    inner("html", "html", "text", "The page, where it is stated to be UTF-8."),
    inner(
        "html_base64",
        "html",
        "base64",
        "The bytes of any other page in Base64: its encoding is a question of its own.",
    ),
    inner("gold", "gold", "text", "The gold text, which an extractor should find."),
    inner("gold_kind", "gold", "kind", "The form of the gold text, if it is not plain text: markdown or html."),
    field("url", "The page's address."),
    field("host", "The page's host."),
    field("site", "The site that the page is of; intervals and folds are by site."),
    field("language", "The language of the content (BCP 47)."),
    field("encoding", "The encoding that decides over the page's own word."),
    field("kind", "The kind of page, such as article or forum."),
    field("split", "The split that the page is in."),
    field("group", "The grouping of a paper."),
    field("title", "The title as annotated."),
    field("author", "The author as annotated."),
];

/// Writes `croissant.json` for the dataset that was written to `folder` with its pages in the list `list`.
///
/// # Errors
/// [`DatasetError`]: a file that cannot be read or written.
pub(crate) fn write(manifest: &Manifest, digest: &str, folder: &Path, list: &str) -> Result<(), DatasetError> {
    let pages = folder.join(list);
    let (sum, fields) = read_list(&pages)?;
    let mut files = vec![file(list, "application/jsonlines", &sum)];
    let mut others = vec!["dataset.yaml".to_owned()];
    let stored = std::fs::read_dir(folder.join("stored")).into_iter().flatten().flatten();
    others.extend(stored.map(|entry| format!("stored/{}", entry.file_name().to_string_lossy())));
    others.sort();
    for name in &others {
        let format = if name.ends_with(".zst") { "application/zstd" } else { "application/yaml" };
        files.push(file(name, format, &sum_of(&folder.join(name))?));
    }
    let described = describe(manifest, digest, list, &files, &fields);
    let path = folder.join(NAME);
    let failed = |error: String| DatasetError::new(Code::Write, shown(&path), error);
    write_atomically(&path, format!("{described:#}\n").as_bytes()).map_err(|error| failed(error.source.to_string()))
}

/// The SHA-256 of a page list, and the names of the fields that its pages have.
fn read_list(path: &Path) -> Result<(String, BTreeSet<&'static str>), DatasetError> {
    let failed = |error: String| DatasetError::new(Code::Missing, shown(path), error);
    let mut lines = BufReader::new(File::open(path).map_err(|error| failed(error.to_string()))?);
    let (mut sum, mut fields, mut line) = (Sha256::new(), BTreeSet::new(), Vec::new());
    while lines.read_until(b'\n', &mut line).map_err(|error| failed(error.to_string()))? > 0 {
        sum.update(&line);
        let record: Record = serde_json::from_slice(&line).map_err(|error| failed(error.to_string()))?;
        let page = serde_json::to_value(record).map_err(|error| failed(error.to_string()))?;
        fields.extend(FIELDS.iter().filter(|field| field.is_in(&page)).map(|field| field.name));
        line.clear();
    }
    Ok((hex(&sum.finalize()), fields))
}

/// The SHA-256 of a file.
fn sum_of(path: &Path) -> Result<String, DatasetError> {
    let failed = |error: std::io::Error| DatasetError::new(Code::Missing, shown(path), error.to_string());
    let mut file = File::open(path).map_err(failed)?;
    let (mut sum, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(hex(&sum.finalize())),
            length => sum.update(&buffer[..length]),
        }
    }
}

impl Field {
    fn is_in(&self, page: &Json) -> bool {
        let value = &page[self.column];
        let value = self.member.map_or(value, |member| &value[member]);
        value.is_string()
    }

    /// As Croissant describes it.
    fn described(&self, list: &str) -> Json {
        let mut source = json!({"fileObject": {"@id": list}, "extract": {"column": self.column}});
        if let Some(member) = self.member {
            source["transform"] = json!({"jsonPath": format!("$.{member}")});
        }
        json!({
            "@type": "cr:Field",
            "@id": format!("pages/{}", self.name),
            "name": self.name,
            "description": self.about,
            "dataType": "sc:Text",
            "source": source,
        })
    }
}

fn file(name: &str, format: &str, sum: &str) -> Json {
    json!({
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": format,
        "sha256": sum,
    })
}

/// The dataset's description.
fn describe(manifest: &Manifest, digest: &str, list: &str, files: &[Json], fields: &BTreeSet<&'static str>) -> Json {
    let title = if manifest.title.is_empty() { &manifest.name } else { &manifest.title };
    let licences: BTreeSet<&str> = [manifest.licence.data.as_str(), &manifest.licence.pages].into();
    let licences: Vec<String> = licences.into_iter().map(licence).collect();
    let described = FIELDS.iter().filter(|field| fields.contains(field.name)).map(|field| field.described(list));
    let mut dataset = json!({
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": manifest.name,
        "alternateName": title,
        "description": about(manifest),
        "version": version(&manifest.version),
        "identifier": digest,
        "license": licences,
    });
    let source = |key: &str| manifest.source.as_ref().and_then(|source| source[key].as_str());
    let repository = source("repository").map(|repository| format!("https://github.com/{repository}"));
    if let Some(url) = source("url").map(str::to_owned).or(repository) {
        dataset["url"] = url.into();
    }
    if let Some(citation) = source("citation") {
        dataset["citeAs"] = citation.into();
    }
    dataset["distribution"] = files.into();
    dataset["recordSet"] = json!([{
        "@type": "cr:RecordSet",
        "@id": "pages",
        "name": "pages",
        "description": "One record per page.",
        "key": {"@id": "pages/id"},
        "field": described.collect::<Json>(),
    }]);
    dataset
}

/// The dataset in words: its own description, and the nature of its gold.
fn about(manifest: &Manifest) -> String {
    let gold = manifest.gold.nature.as_ref().map(|nature| format!("Nature of the gold: {nature}."));
    let note = manifest.gold.note.clone();
    let passing_on = format!("Redistribution of the pages: {}.", manifest.licence.redistribution);
    let first = if manifest.description.is_empty() { &manifest.title } else { &manifest.description };
    let sentences = [Some(first.clone()), gold, note, Some(passing_on)].into_iter().flatten();
    sentences
        .map(|sentence| sentence.trim().to_owned())
        .filter(|sentence| !sentence.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A licence by its address, if it is one of SPDX.
fn licence(name: &str) -> String {
    let is_plain = name != "unknown" && !name.starts_with("LicenseRef-") && !name.contains([' ', '(', '/']);
    if is_plain { format!("https://spdx.org/licenses/{name}.html") } else { name.to_owned() }
}

/// The version as Croissant wants numbers: three of them.
fn version(version: &str) -> String {
    let numbers = version.split('.').count();
    let are_numbers = version.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    if are_numbers && numbers < 3 { format!("{version}{}", ".0".repeat(3 - numbers)) } else { version.to_owned() }
}

/// The names of Croissant 1.0 in JSON-LD.
fn context() -> Json {
    let mut context = json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "dct": "http://purl.org/dc/terms/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "sc": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
    });
    for name in [
        "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet",
        "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
        "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
    ] {
        context[name] = format!("cr:{name}").into();
    }
    context
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_and_versions_are_in_the_words_of_croissant() {
        assert_eq!(licence("CC0-1.0"), "https://spdx.org/licenses/CC0-1.0.html");
        for other in ["unknown", "LicenseRef-third-party", "MIT OR Apache-2.0"] {
            assert_eq!(licence(other), other);
        }
        for (own, expected) in [("1", "1.0.0"), ("1.0", "1.0.0"), ("1.2.3", "1.2.3"), ("2024-fixed", "2024-fixed")] {
            assert_eq!(version(own), expected);
        }
    }
}

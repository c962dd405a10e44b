//! The neutral format's types: the manifest `dataset.yaml` and the records of page lists.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::annotation::Strip;
use super::gold_source::path_or_object;
pub use super::gold_source::{GoldObject, GoldSource};
use crate::scoring::snippets::Matching;

/// The manifest of a dataset, `dataset.yaml`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The format's version: 1.
    pub format: u32,
    /// The name in results and on the command line.
    pub name: String,
    /// Changes whenever a page, a gold or a reading rule changes.
    pub version: String,
    /// A short title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What it is and how it was read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Licences of the data and of the pages.
    pub licence: Licence,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Json>,
    /// The folder that gold paths are relative to, if not the dataset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold_folder: Option<String>,
    /// The page lists, read in this order.
    #[serde(default = "default_lists")]
    pub pages: Vec<String>,
    /// Page fields that are taken where a page lacks them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub defaults: Map<String, Json>,
    /// How `site` is made for pages that give none.
    #[serde(default)]
    pub site_rule: SiteRule,
    /// The nature of the gold.
    #[serde(default)]
    pub gold: GoldNature,
    /// When a snippet is in a text, where pages have snippets.
    #[serde(default, skip_serializing_if = "is_default")]
    pub snippets: Matching,
    /// What is taken out of annotated pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Strip>,
    /// Page and gold counts, checked when given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<DeclaredCounts>,
    /// `sha256:…` of the dataset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Keys that begin with `x-`; any other is an error.
    #[serde(flatten)]
    pub other: Map<String, Json>,
}

/// From what a made dataset was made; its manifest has it under `x-made-of`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MadeOf {
    /// The recipe's name.
    pub recipe: String,
    /// The dials that were turned on every page, with their amounts.
    pub dials: BTreeMap<String, String>,
}

/// The key of [`MadeOf`].
pub(super) const MADE_OF: &str = "x-made-of";

impl Manifest {
    /// From which recipe the dataset was made, if dials were turned for it.
    pub fn made_of(&self) -> Option<MadeOf> {
        serde_json::from_value(self.other.get(MADE_OF)?.clone()).ok()
    }

    /// The version of another dataset that is made of this one, of 64 characters at most.
    pub fn marked_version(&self, mark: &str) -> String {
        let kept: String = self.version.chars().take(64 - mark.len()).collect();
        kept + mark
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn default_lists() -> Vec<String> {
    vec!["pages.jsonl".to_owned()]
}

/// Licences, as SPDX expressions, `LicenseRef-…` or `unknown`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Licence {
    /// Of gold and annotations.
    pub data: String,
    /// Of the pages.
    pub pages: String,
    /// `free | attribution | research | none | unknown`.
    pub redistribution: String,
}

/// How a page's site is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SiteRule {
    /// The registrable domain of the URL's or host's host.
    #[default]
    Registrable,
    /// The host.
    Host,
    /// The page's id.
    Page,
}

/// What kind of gold it is: printed next to every figure.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GoldNature {
    /// `human | assisted | tool | derived`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nature: Option<String>,
    /// What counts as content besides the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub includes: Vec<String>,
    /// Whether the gold is a copy of page text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbatim: Option<bool>,
    /// Whether it is in page order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordered: Option<bool>,
    /// What to know of it before a figure is read: it stands beside every table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Counts that a manifest declares.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DeclaredCounts {
    /// Pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<usize>,
    /// Pages with gold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub golds: Option<usize>,
}

/// The keys that pages are grouped by, in the order of `summary.json`.
pub(crate) const GROUPS: [&str; 5] = ["site", "language", "kind", "group", "split"];

/// The place of the site in [`GROUPS`].
pub(crate) const SITE: usize = 0;

/// A page of a page list. What only some pages have is in a box, so that a list of 100 000 stays small.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Unique in the dataset.
    pub id: String,
    /// Where the page is.
    pub html: HtmlSource,
    /// Where its gold is; absent: it can be run, not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold: Option<GoldSource>,
    /// The site; set for every page after loading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// BCP 47 tag of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Encoding label that decides over the page's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The kind of page, such as `article`, `blog`, `forum`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What only some pages have, if this one has any of it; [`Record::details`] reads it.
    #[serde(flatten, deserialize_with = "boxed_details")]
    pub details: Option<Box<Details>>,
}

/// What only some pages of a list have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Details {
    /// Absolute URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Host in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `train`, `dev`, `test` or another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// When it was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawled: Option<String>,
    /// When it was published, by its own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Its title as annotated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its author as annotated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// A paper's grouping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Known faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// Short texts that an extraction must or must not contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippets: Option<Box<Json>>,
    /// Anything else upstream gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Box<Json>>,
    /// Keys that begin with `x-`; any other is an error.
    #[serde(flatten)]
    pub other: Map<String, Json>,
}

/// Short texts that an extraction must or must not contain.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SnippetTexts {
    /// Those that it must contain.
    pub with: Vec<String>,
    /// Those that it must not contain.
    pub without: Vec<String>,
}

impl Details {
    /// As a record holds them: `None` where there are none.
    pub fn boxed(self) -> Option<Box<Self>> {
        (self != Details::default()).then(|| Box::new(self))
    }
}

fn boxed_details<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<Details>>, D::Error> {
    Details::deserialize(deserializer).map(Details::boxed)
}

impl Record {
    /// Whether its gold text is what selectors or ordinals select in a parsed page.
    pub fn needs_page_for_gold(&self) -> bool {
        self.gold.as_ref().is_some_and(|gold| !gold.is_text())
    }

    /// Whether it says which text nodes of the page are gold.
    pub fn has_gold_nodes(&self) -> bool {
        self.gold.as_ref().is_some_and(|gold| gold.has_nodes() || gold.select_of_page().is_some())
    }

    /// Its snippets; none where it has none.
    pub fn snippets(&self) -> SnippetTexts {
        self.details().snippets.as_deref().and_then(|texts| SnippetTexts::deserialize(texts).ok()).unwrap_or_default()
    }

    /// Its site; a page without one stands for itself.
    pub fn site_or_id(&self) -> &str {
        self.site.as_deref().unwrap_or(&self.id)
    }

    /// The names of the groups that the page is in, in the order of [`GROUPS`].
    pub(crate) fn groups(&self) -> [Option<&String>; GROUPS.len()] {
        let details = self.details();
        [&self.site, &self.language, &self.kind, &details.group, &details.split].map(Option::as_ref)
    }

    /// What only some pages have.
    pub fn details(&self) -> &Details {
        static NONE: LazyLock<Details> = LazyLock::new(Details::default);
        self.details.as_deref().unwrap_or(&NONE)
    }
}

/// Where a page's bytes are: a path, or an object that says more.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HtmlSource {
    /// A path inside the dataset's folder.
    Path(String),
    /// Also the page itself, or what its bytes must be.
    Object(Box<HtmlObject>),
}

/// The long form of a page's source, with exactly one of `path`, `text` and `base64`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HtmlObject {
    /// A path inside the dataset's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The page itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The page's bytes in Base64 (RFC 4648, padded).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// SHA-256 of the decompressed bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// By default told from the suffix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
}

impl Default for HtmlSource {
    fn default() -> Self {
        HtmlSource::Path(String::new())
    }
}

impl HtmlSource {
    /// The long form, if it is in it.
    pub fn object(&self) -> Option<&HtmlObject> {
        match self {
            HtmlSource::Path(_) => None,
            HtmlSource::Object(object) => Some(object),
        }
    }

    /// The path, if the page is a file.
    pub fn path(&self) -> Option<&str> {
        match self {
            HtmlSource::Path(path) => Some(path),
            HtmlSource::Object(object) => object.path.as_deref(),
        }
    }

    /// The page itself, if the list holds it.
    pub fn text(&self) -> Option<&str> {
        self.object()?.text.as_deref()
    }

    /// The page's bytes in Base64, if the list holds them so.
    pub fn base64(&self) -> Option<&str> {
        self.object()?.base64.as_deref()
    }
}

impl<'de> Deserialize<'de> for HtmlSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match path_or_object(deserializer, "html")? {
            Ok(path) => HtmlSource::Path(path),
            Err(object) => HtmlSource::Object(Box::new(object)),
        })
    }
}

/// How a file is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip, of one or more members.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// The suffix, with its point.
    pub fn suffix(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }

    /// By the first bytes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        match bytes {
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            [0x1F, 0x8B, ..] => Compression::Gzip,
            _ => Compression::None,
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }

    /// By the suffix, in upper or lower case.
    pub fn of_path(path: &str) -> Self {
        match path.rsplit_once('.') {
            Some((_, suffix)) if suffix.eq_ignore_ascii_case("gz") => Compression::Gzip,
            Some((_, suffix)) if suffix.eq_ignore_ascii_case("zst") => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

/// True for a name that a dataset can have: lower-case letters and digits of every writing, `.`, `_` and `-`, the first a
/// letter or a digit, at most [`MAX_NAME`] bytes. It begins the names of files.
pub(crate) fn is_dataset_name(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|c| is_plain_in_name(c) && c.is_alphanumeric());
    first && name.len() <= MAX_NAME && name.chars().all(|c| is_plain_in_name(c) || "._-".contains(c)) && is_nfc(name)
}

/// The end of the sentence that says why a name cannot be a dataset's.
pub(crate) const NO_DATASET_NAME: &str =
    "is no dataset name: 1 to 64 bytes of lower-case letters, digits, `.`, `_` and `-`, the first a letter or a digit";

/// The bytes of a dataset's name.
const MAX_NAME: usize = 64;

/// `name` as a dataset's name, with `-` for what such a name cannot have; `None` where nothing of it is left.
pub(crate) fn dataset_name_of(name: &str) -> Option<String> {
    let plain = |c: char| if is_plain_in_name(c) || "._".contains(c) { c } else { '-' };
    let plain: String = name.to_lowercase().nfc().map(plain).collect();
    let from = plain.find(char::is_alphanumeric)?;
    Some(plain[from..plain.floor_char_boundary(from + MAX_NAME)].to_owned())
}

/// True for a letter or a digit that has no other small form, and for the marks above and below letters.
fn is_plain_in_name(c: char) -> bool {
    let is_small = || c.to_lowercase().eq([c]);
    let is_letter = || c.is_alphanumeric() || c.general_category_group() == GeneralCategoryGroup::Mark;
    is_plain_in_id(c) && is_letter() && is_small()
}

/// The first key of no known meaning; those of one's own begin with `x-`.
pub(super) fn unknown_key(other: &Map<String, Json>) -> Option<&String> {
    other.keys().find(|key| !key.starts_with("x-"))
}

/// The faults of a page list that the format names.
pub const FAULTS: [&str; 10] = [
    "misdecoded", "gold_not_in_page", "gold_partial", "gold_order", "gold_empty", "truncated", "duplicate", "no_text",
    "index_page", "near_duplicate",
];

/// An id that the format allows, made of upstream's: letters, digits and signs of every writing stay as they are, other
/// characters are percent-encoded, and one that is too long ends in a digest.
pub fn encode_id(upstream: &str) -> String {
    // Marks that are not composed are encoded, so that names that only look alike stay two.
    let is_composed = is_nfc(upstream);
    let is_plain =
        |c: char| is_plain_in_id(c) && (is_composed || c.general_category_group() != GeneralCategoryGroup::Mark);
    let mut id = String::new();
    for c in upstream.chars() {
        if is_plain(c) || (c == '.' && !id.is_empty()) {
            id.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| id.push_str(&format!("%{byte:02X}")));
        }
    }
    if id.len() > MAX_ID {
        let digest = crate::formats::digest::sha256(upstream.as_bytes());
        let front = &id[..id.floor_char_boundary(MAX_ID - 50)];
        // A percent sign and its digits are not parted.
        let whole = front.rfind('%').filter(|at| at + 3 > front.len()).unwrap_or(front.len());
        id.truncate(whole);
        id.push('~');
        id.push_str(&digest[..32]);
    }
    id
}

/// The bytes of an id.
pub(super) const MAX_ID: usize = 200;

/// True for a character that an id has as it stands: letters, digits, marks, punctuation and symbols of every writing that
/// goes from left to right, of ASCII letters, digits and `_~@+-` alone.
pub(super) fn is_plain_in_id(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || "_~@+-".contains(c);
    }
    let is_seen = || {
        use GeneralCategoryGroup::{Mark, Punctuation, Symbol};
        matches!(c.general_category_group(), Mark | Punctuation | Symbol) && !is_invisible_mark(c)
    };
    !is_right_to_left(c) && (c.is_alphanumeric() || is_seen())
}

/// Marks that nobody sees: two names that differ in them look alike.
fn is_invisible_mark(c: char) -> bool {
    matches!(c, '\u{034F}' | '\u{180B}'..='\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Hebrew, Arabic and their neighbours: the order of an id of both directions is a puzzle.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_small_and_written_as_they_were_read() {
        let plain = r#"{"id":"a","html":"a.html","gold":"a.txt","site":"s"}"#;
        let record: Record = serde_json::from_str(plain).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), plain);
        assert!(record.details.is_none());
        assert!(size_of::<Record>() <= 176, "{} bytes", size_of::<Record>());
        let more = concat!(
            r#"{"id":"a","html":{"path":"a.html","bytes":3},"gold":{"text":"x"},"url":"u","split":"dev","#,
            r#""faults":["truncated"],"extra":{"b":1},"x-note":[2]}"#
        );
        let record: Record = serde_json::from_str(more).unwrap();
        assert_eq!((record.details().split.as_deref(), record.details().faults.len()), (Some("dev"), 1));
        assert_eq!(serde_json::to_string(&record).unwrap(), more);
    }

    #[test]
    fn ids_are_encoded() {
        assert_eq!(encode_id(".a b/中%"), "%2Ea%20b%2F中%25");
        for name in ["《南方周末》：“头条”，2024—2025？！（上）【图】·一、二…", "हिन्दी", "Ünïcödé№1™", "ﾊﾝｶｸ～ー"]
        {
            assert_eq!(encode_id(name), name);
            assert_eq!(crate::datasets::page_list::check_id(name), Ok(()));
        }
        assert_eq!([encode_id("é"), encode_id("e\u{301}")], ["é", "e%CC%81"], "two names that look alike stay two");
        assert_eq!(encode_id("字　字\u{FE0F}א"), "字%E3%80%80字%EF%B8%8F%D7%90");
        for length in 90..110 {
            let cut = encode_id(&format!("{}{}", "x".repeat(length), " ".repeat(60)));
            assert_eq!(crate::datasets::page_list::check_id(&cut), Ok(()), "{cut}");
        }
        let long = encode_id(&"x".repeat(300));
        assert_eq!((long.len(), long.is_ascii()), (183, true));
    }
    #[test]
    fn names_of_folders_become_names_of_datasets() {
        for (folder, name) in [
            ("新闻 2024", Some("新闻-2024")),
            ("《新闻》", Some("新闻-")),
            ("Ünïcode_Set.v2", Some("ünïcode_set.v2")),
            ("हिन्दी", Some("हिन्दी")),
            ("..", None),
            ("《》", None),
        ] {
            assert_eq!(dataset_name_of(folder).as_deref(), name);
            assert!(name.is_none_or(is_dataset_name), "{folder}");
        }
        let long = dataset_name_of(&"字".repeat(30)).unwrap();
        assert!(long == "字".repeat(21) && is_dataset_name(&long));
        for other in ["", "-a", "A", "Ü", "a b", "a/b", "a，b", "e\u{301}", &"a".repeat(65)] {
            assert!(!is_dataset_name(other), "{other}");
        }
    }
}

//! Where the golds of a folder lie, and which of them is whose.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use crate::datasets::{files_below, percent_decoded, shown};
use crate::formats::shell::shell_path;
use crate::text::counted;
use crate::text::urls::is_host;

/// The name that a folder of golds should have.
pub(super) const USUAL: &str = "gold";

/// Other names that say the same. Outputs of programs have names that do not.
const OTHER_NAMES: [&str; 13] = [
    "golds", "gold-standard", "gold_standard", "ground-truth", "ground_truth", "groundtruth", "truth", "reference",
    "references", "标准答案", "答案", "金标准", "标注",
];

/// The name of the folders that hold golds: `gold`, unless no text is in such a folder and most texts in one of another
/// telling name have the names of these pages. The others are golds of no page, as they would be in `gold`.
pub(super) fn folder_of_golds(files: &[String], pages: &[&String]) -> &'static str {
    let names: BTreeSet<Cow<'_, str>> = pages.iter().map(|path| page_name(path)).collect();
    let texts: Vec<&str> = texts(files).collect();
    let below = |name: &str| texts.iter().copied().filter(move |path| is_below(path, name)).collect::<Vec<_>>();
    if !below(USUAL).is_empty() {
        return USUAL;
    }
    let is_of_golds = |name: &&&str| {
        let texts = below(name);
        let of_pages = texts.iter().filter(|path| names.contains(&page_name(path))).count();
        of_pages > texts.len() / 2
    };
    let mut found = OTHER_NAMES.iter().filter(is_of_golds);
    match (found.next(), found.next()) {
        (Some(name), None) => name,
        _ => USUAL,
    }
}

/// The texts in folders of the name `gold`, by their names without endings; `None` where several have one name.
pub(super) fn golds_alone<'f>(files: &'f [String], gold: &str) -> BTreeMap<Cow<'f, str>, Option<&'f str>> {
    let mut golds: BTreeMap<Cow<'_, str>, Option<&str>> = BTreeMap::new();
    for path in texts(files).filter(|path| is_below(path, gold)) {
        golds.entry(page_name(path)).and_modify(|known| *known = None).or_insert(Some(path));
    }
    golds
}

/// Of the golds with the name of the page at `path` the one in the nearest folder, the first of several. Trees that mirror
/// each other end in the same folders.
pub(super) fn nearest<'f>(path: &str, golds: &BTreeMap<Cow<'f, str>, Vec<&'f str>>) -> Option<&'f str> {
    let own = folders_of(path);
    let common = |gold: &&'f str| {
        let theirs = folders_of(gold);
        let first = own.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
        let last = own.iter().rev().zip(theirs.iter().rev()).take_while(|(one, other)| one == other).count();
        (first, last)
    };
    let name = page_name(path);
    // `B.txt` is a gold of `b.html`, as in the usual places.
    let spelled =
        || golds.iter().find(|(known, _)| known.to_lowercase() == name.to_lowercase()).map(|(_, golds)| golds);
    golds.get(&name).or_else(spelled)?.iter().rev().copied().max_by_key(common)
}

/// A sentence: so many texts below a folder have the names of `pages`, which have no gold, and an option takes them; `None`
/// where no folder is plainly theirs. Texts that are golds of other pages, `used`, do not count.
pub(super) fn may_be_golds(files: &[String], used: &BTreeSet<String>, pages: &[&String]) -> Option<String> {
    let names: BTreeSet<Cow<'_, str>> = pages.iter().map(|path| page_name(path)).collect();
    let of_pages: BTreeSet<&str> = pages.iter().flat_map(|path| folders_of(path)).collect();
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in texts(files).filter(|path| !used.contains(*path) && names.contains(&page_name(path))) {
        for folder in folders_of(path).into_iter().filter(|folder| !of_pages.contains(folder)) {
            folders.entry(folder).or_default().push(path);
        }
    }
    let (folder, texts) = folders.into_iter().max_by_key(|(_, texts)| texts.len())?;
    let is_first = texts.iter().all(|path| folders_of(path).first() == Some(&folder));
    let glob = format!("{}{}/*.txt", if is_first { "" } else { "**/" }, globset::escape(folder));
    let (have, are) = match texts.len() {
        1 => ("has the name of a page", "it is gold"),
        _ => ("have the names of pages", "they are golds"),
    };
    let texts = counted(texts.len(), "text");
    Some(format!("{texts} in {folder}/ {have} without gold: if {are}, state gold_glob='{glob}'"))
}

/// A sentence: a folder of golds lies beside the folder of pages `source`, none of which has one.
pub(super) fn golds_above(source: &Path) -> Option<String> {
    let whole = source.canonicalize().ok()?;
    let above = whole.parent()?;
    // A dataset that was made of these pages is no folder of golds.
    let is_of_golds = |name: &&&str| above.join(name).is_dir() && !above.join(name).join("dataset.yaml").exists();
    let golds = [USUAL].iter().chain(&OTHER_NAMES).find(is_of_golds)?;
    let above = if source.file_name().is_some() { source.parent()? } else { above };
    let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    Some(format!(
        "{golds}/ lies beside this folder: if golds are there, name the folder that holds both, {}",
        shown(above)
    ))
}

/// A sentence: files in the folder `gold` have the names of `pages`, which have no gold, and are not read because they do not
/// end in `.txt`; `None` where there are none.
pub(super) fn others_in(gold: &str, files: &[String], pages: &[&String]) -> Option<String> {
    let names: BTreeSet<Cow<'_, str>> = pages.iter().map(|path| page_name(path)).collect();
    let is_other = |path: &&String| {
        is_below(path, gold) && !path.to_lowercase().ends_with(".txt") && names.contains(&page_name(path))
    };
    let mut others = files.iter().filter(is_other);
    let first = others.next()?;
    let folder = first.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (files, are) = match others.count() + 1 {
        1 => ("1 file".to_owned(), "has the name of a page without gold and is"),
        number => (format!("{number} files"), "have the names of pages without gold and are"),
    };
    let glob = format!("{}/*", globset::escape(folder));
    let lower = first.to_lowercase();
    let kind = [(".md", "markdown"), (".markdown", "markdown"), (".html", "html"), (".htm", "html")];
    let kind = kind.into_iter().find(|(ending, _)| lower.ends_with(ending));
    let kind =
        kind.map_or(String::new(), |(_, kind)| format!(", and gold_kind={kind} says that they are no plain text"));
    Some(format!(
        "{files} in {gold}/ {are} not read, such as {first}, for golds end in .txt: gold_glob='{glob}' reads every file{kind}"
    ))
}

/// A sentence: so many texts below `source` have the names of its pages, and a new dataset does not take them; `None` where
/// none has.
pub(crate) fn told_left(source: &Path) -> Option<String> {
    let files = files_below(source).unwrap_or_default();
    let is_page = |path: &&String| {
        let name = unpacked(name_of(path)).to_lowercase();
        [".html", ".htm", ".xhtml", ".shtml"].iter().any(|ending| name.ends_with(ending))
    };
    let names: BTreeSet<Cow<'_, str>> = files.iter().filter(is_page).map(|path| page_name(path)).collect();
    let mut golds = texts(&files).filter(|path| names.contains(&page_name(path)));
    let first = golds.next()?;
    let (texts, have, are) = match golds.count() + 1 {
        1 => ("1 text".to_owned(), "has the name of a page", "it is"),
        number => (counted(number, "text"), "have the names of pages", "they are"),
    };
    Some(format!(
        "{texts} {have}, such as {first}, and {are} not taken, for gold of this dataset is still to be made; `carat dataset export {} \
         --out DIR` keeps golds",
        shell_path(source)
    ))
}

/// The way out for a gold at `gold`, a path that leads out of the folder `source`.
pub(super) fn leads_out(source: &Path, gold: &str) -> String {
    let up = gold.split('/').take_while(|part| *part == "..").count();
    let below: Vec<&str> = gold.split('/').skip(up).collect();
    let whole = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    let advice = match (whole.ancestors().nth(up), &below[..]) {
        (Some(above), [folder, _, ..]) if up > 0 => {
            let above = shown(above);
            format!("name the folder that holds both, as in '{above},gold_glob={}/*.txt'", globset::escape(folder))
        }
        _ => "move the golds into the folder".to_owned(),
    };
    format!("gold_map leads out of the folder, to {gold}, and golds must lie inside it: {advice}")
}

/// True if a text below a folder `golds` is in a folder that has the name of the folder of one of `pages`.
pub(super) fn are_mirrored(files: &[String], pages: &[&String], golds: &str) -> bool {
    let of_pages: BTreeSet<&str> = pages.iter().filter_map(|path| folder_of_page(path)).collect();
    texts(files).filter_map(|gold| folder_below(gold, golds)).any(|folder| of_pages.contains(folder))
}

/// True if the gold at `gold`, somewhere below a folder `golds`, may be of the page at `path`, though it is not in its place: that
/// of another folder's page may only be left. Where folders are hosts, or the tree of golds mirrors that of pages, both are in
/// folders of one name.
pub(super) fn may_be_of(gold: &str, path: &str, golds: &str, are_mirrored: bool) -> bool {
    let (Some(theirs), Some(own)) = (folder_below(gold, golds), folder_of_page(path)) else { return true };
    theirs == own || !are_mirrored && ![theirs, own].iter().all(|folder| is_host(folder))
}

/// The folder of a gold below the last folder `golds` of its path.
fn folder_below<'f>(gold: &'f str, golds: &str) -> Option<&'f str> {
    let folders = folders_of(gold);
    let below = folders.iter().rposition(|folder| *folder == golds)? + 1;
    folders[below..].last().copied()
}

/// The folder of a page that is no layer of all pages.
fn folder_of_page(path: &str) -> Option<&str> {
    folders_of(path).into_iter().rfind(|folder| !is_layer(folder))
}

/// True if a folder of this name holds pages, whosever they are.
pub(super) fn is_layer(name: &str) -> bool {
    matches!(name, "html" | "original" | "pages" | "raw" | "input")
}

/// True if one of the folders of `path` has the name `folder`.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    folders_of(path).contains(&folder)
}

/// The folders of a path, from the first to the last.
fn folders_of(path: &str) -> Vec<&str> {
    path.rsplit_once('/').map_or(Vec::new(), |(folders, _)| folders.split('/').collect())
}

/// Those of `files` that may be golds.
fn texts(files: &[String]) -> impl Iterator<Item = &str> {
    files.iter().map(String::as_str).filter(|path| path.to_lowercase().ends_with(".txt"))
}

/// The name of the page, or of the gold, at `path`: without its ending and its percent-escapes.
pub(super) fn page_name(path: &str) -> Cow<'_, str> {
    unescaped(stem(name_of(path)))
}

/// A name with the characters for which its percent-escapes stand, as in `my%20page`; as it is where one stands for none.
pub(super) fn unescaped(name: &str) -> Cow<'_, str> {
    let decoded = if name.contains('%') { percent_decoded(name) } else { None };
    decoded.map_or(Cow::Borrowed(name), Cow::Owned)
}

/// A path as each of its spellings: neither capitals nor percent-escapes matter, nor the form of Unicode, which is another on
/// a Mac.
pub(super) fn in_any_spelling(path: &str) -> String {
    let parts = path.split('/').map(|part| unescaped(part).replace('/', "%2F"));
    parts.collect::<Vec<_>>().join("/").nfc().collect::<String>().to_lowercase()
}

/// The last part of a path.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A page's name without what says that it is one.
pub(super) fn stem(name: &str) -> &str {
    let name = unpacked(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A name without what says that the file is packed.
pub(super) fn unpacked(name: &str) -> &str {
    let is_packed = |ending: &str| ["gz", "zst"].iter().any(|packed| ending.eq_ignore_ascii_case(packed));
    name.rsplit_once('.').filter(|(_, ending)| is_packed(ending)).map_or(name, |(name, _)| name)
}

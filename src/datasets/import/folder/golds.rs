//! The golds of a folder's pages: where they are, what is told of those that are missing and of those of no page.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Reading;
use crate::datasets::import::Told;
use crate::datasets::import::gold_places::{
    USUAL, are_mirrored, golds_above, golds_alone, in_any_spelling, is_below, is_layer, leads_out, may_be_golds,
    may_be_of, nearest, others_in, page_name, stem,
};
use crate::datasets::import::gold_table::GoldTable;
use crate::datasets::manifest::{GoldSource, Record};
use crate::datasets::root::Root;
use crate::datasets::{DatasetError, shown};
use crate::formats::code::Code;
use crate::formats::shell::shell_word;
use crate::page::charset;
use crate::text;

/// So many pages without gold are named.
const NAMED: usize = 3;

/// Of so many golds of no page the nearest page is looked for.
const NEAREST: usize = 20;

/// The golds of a folder, to be found for its pages.
pub(super) struct Pairing<'f> {
    reading: &'f Reading<'f>,
    source: &'f Path,
    /// The golds by the names of their pages.
    table: Option<&'f GoldTable>,
    files: BTreeSet<&'f str>,
    /// The files in any spelling of their paths.
    spelled: BTreeMap<String, &'f String>,
    /// The golds that have their names alone, and those that a glob names.
    alone: BTreeMap<Cow<'f, str>, Option<&'f str>>,
    by_glob: BTreeMap<Cow<'f, str>, Vec<&'f str>>,
    are_mirrored: bool,
}

/// The gold of a page, as far as there is one.
pub(super) struct Found {
    /// Its file, or its text in the table of golds.
    pub(super) file: Option<String>,
    pub(super) row: Option<String>,
    /// Files in other places where it might have been.
    pub(super) others: Vec<String>,
    /// In words, the gold that is not there.
    pub(super) missing: Option<String>,
}

impl<'f> Pairing<'f> {
    /// Of `files` in the folder `source`, and of the table of golds if there is one.
    pub(super) fn new(
        reading: &'f Reading<'f>,
        source: &'f Path,
        files: &'f [String],
        table: Option<&'f GoldTable>,
    ) -> Self {
        let pages: Vec<&String> = files.iter().filter(|path| reading.pages.is_match(path)).collect();
        Pairing {
            reading,
            source,
            table,
            files: files.iter().map(String::as_str).collect(),
            spelled: files.iter().map(|path| (in_any_spelling(path), path)).collect(),
            alone: golds_alone(files, reading.gold_folder),
            by_glob: reading.golds_by_name(files),
            are_mirrored: are_mirrored(files, &pages, reading.gold_folder),
        }
    }

    /// True if a glob is to name the golds, and names no file.
    pub(super) fn has_empty_glob(&self) -> bool {
        self.reading.golds.is_some() && self.by_glob.is_empty()
    }

    /// Finds the gold of the page at `path`.
    ///
    /// # Errors
    /// [`DatasetError`]: a place outside the folder, or a table that cannot be read.
    pub(super) fn of(&self, path: &str) -> Result<Found, DatasetError> {
        let reading = self.reading;
        let fault = |message| DatasetError::new(Code::Option, shown(self.source), message);
        let places = match reading.golds.is_none() && self.table.is_none() {
            true => reading.golds(self.source, path).map_err(fault)?,
            false => Vec::new(),
        };
        let file = self.file_of(path, &places);
        let row = self.table.map(|table| table.of_file(path, &reading.record(path, None).id)).transpose()?.flatten();
        let is_other =
            |place: &&String| file.as_ref().is_some_and(|file| file != *place) && self.files.contains(place.as_str());
        let others = places.iter().filter(is_other).cloned().collect();
        let missing = (file.is_none() && row.is_none()).then(|| match (places.first(), reading.gold_table) {
            (Some(place), _) => place.clone(),
            (None, Some(table)) => format!("gold of it in {table}"),
            (None, None) if reading.golds.is_some() => "gold of its name".to_owned(),
            (None, None) => "its gold_map does not match".to_owned(),
        });
        Ok(Found { file, row, others, missing })
    }

    /// The gold's file, which may be in `places`, the likeliest first.
    fn file_of(&self, path: &str, places: &[String]) -> Option<String> {
        let exact = places.iter().find(|place| self.files.contains(place.as_str()));
        // `PAGE.TXT` is a gold as `page.txt` is, and `my%20page.txt` as `my page.txt` is.
        let spelled = || places.iter().find_map(|place| self.spelled.get(&in_any_spelling(place)).copied());
        if let Some(file) = exact.or_else(spelled) {
            return Some(file.clone());
        }
        let folder = self.reading.gold_folder;
        let may_be_its = |gold: &&str| may_be_of(gold, path, folder, self.are_mirrored);
        let by_name = || self.alone.get(&page_name(path)).copied().flatten().filter(may_be_its);
        let by_name = || by_name().filter(|_| self.reading.pairs_by_name());
        nearest(path, &self.by_glob).or_else(by_name).map(str::to_owned)
    }
}

impl Reading<'_> {
    /// Tells which of `pages` are `alone`, without gold, by `notes` of a sentence each, and where their golds are, or may be.
    pub(super) fn tell_golds(
        &self,
        source: &Path,
        (files, used): (&[String], &BTreeSet<String>),
        (pages, alone): (usize, &[&String]),
        mut notes: Vec<String>,
        told: &mut Told,
    ) {
        // Where no page has gold, the first tells where one was looked for, and the others nothing more.
        let named = if alone.len() == pages { 1 } else { NAMED };
        if notes.len() > named {
            let more = notes.len() - named;
            notes.truncate(named);
            notes.push(format!("{more} more of {pages} pages are kept without gold"));
        }
        notes.into_iter().for_each(|note| told.note(note));
        if self.gold_folder != USUAL {
            told.note(format!("golds are the texts in {}/ (gold_glob names others)", self.gold_folder));
        }
        if self.has_usual_places() {
            let above = if alone.len() == pages { golds_above(source) } else { None };
            let other = others_in(self.gold_folder, files, alone).or(above);
            other.into_iter().chain(may_be_golds(files, used, alone)).for_each(|note| told.note(note));
        }
    }

    /// Tells of golds of no page, each with the name by which it was looked for, or refuses them; the pages without gold are
    /// `alone`.
    pub(super) fn tell_orphans(
        &self,
        source: &Path,
        orphans: &[(String, &str)],
        alone: &[&String],
        told: &mut Told,
    ) -> Result<(), DatasetError> {
        for (place, (orphan, whose)) in orphans.iter().enumerate() {
            let near = if place < NEAREST { nearest_page(whose, alone) } else { String::new() };
            if self.allow_orphans {
                told.gold_without_page(format!("{orphan}: dropped, there is no page of that name{near}"));
                continue;
            }
            // A load that ends with the first fault tells of the others in it.
            let others: Vec<&str> = orphans.iter().skip(1).take(NAMED).map(|(orphan, _)| orphan.as_str()).collect();
            let more = match orphans.len() - 1 {
                0 => String::new(),
                _ if told.faults.keeps_going() => String::new(),
                1 => format!(", and so is {}", others[0]),
                count => {
                    let unnamed = if count > NAMED { ", .." } else { "" };
                    format!(", and so are {count} others ({}{unnamed})", others.join(", "))
                }
            };
            let message = format!(
                "{orphan} is the gold of no page{near}{more}; rename it, remove it, or name the folder as `{}`",
                shell_word(&format!("{},allow_orphans=true", shown(source)))
            );
            told.faults.whole(DatasetError::new(Code::Upstream, shown(source), message))?;
        }
        Ok(())
    }

    /// Tells of golds whose bytes are UTF-8 where another encoding is stated.
    pub(super) fn tell_utf_8(&self, source: &Path, golds: &BTreeSet<String>, told: &mut Told) {
        let other = |label: &&str| charset::for_label(label).is_some_and(|stated| stated != encoding_rs::UTF_8);
        let Some(label) = self.gold_encoding.filter(other) else { return };
        let root = Root::Folder(source.to_owned());
        let is_utf_8 = |bytes: Vec<u8>| !bytes.is_ascii() && str::from_utf8(&bytes).is_ok();
        let mut of_utf_8 = golds.iter().filter(|path| root.read(path, None).is_ok_and(is_utf_8));
        if let Some(first) = of_utf_8.next() {
            let (number, all) = (of_utf_8.count() + 1, golds.len());
            told.note(format!(
                "{number} of {all} golds are UTF-8 by their bytes, such as {first}, and read as {label}: if that is wrong, save \
                 every gold as UTF-8 and leave out gold_encoding"
            ));
        }
    }

    /// True if a gold of the page's name may be the page's, wherever it is.
    fn pairs_by_name(&self) -> bool {
        self.has_usual_places() && self.id_is_path != Some(true)
    }

    /// Where the gold of the page at `path` may be, the likeliest first.
    ///
    /// # Errors
    /// A sentence: a place that is not in the folder `source`.
    fn golds(&self, source: &Path, path: &str) -> Result<Vec<String>, String> {
        match &self.gold_map {
            Some((pattern, replacement)) if pattern.is_match(path) => {
                let gold = pattern.replace(path, *replacement).into_owned();
                let leads_out = gold.starts_with('/') || gold.split('/').any(|part| part == "..");
                if leads_out { Err(self::leads_out(source, &gold)) } else { Ok(vec![gold]) }
            }
            Some(_) => Ok(Vec::new()),
            None => Ok(self.usual_places(path)),
        }
    }

    /// The same where nothing was said.
    fn usual_places(&self, path: &str) -> Vec<String> {
        let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
        let (stem, gold) = (stem(name), self.gold_folder);
        let beside = |folder: &str| if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
        // A tree of golds may mirror that of the pages: html/a/b.html, gold/a/b.txt.
        let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        let mirrored = (0..parts.len()).filter(|&at| at + 1 < parts.len() && is_layer(parts[at])).map(|at| {
            let path = [&parts[..at], &[gold], &parts[at + 1..]].concat().join("/");
            format!("{path}/{stem}.txt")
        });
        let below = (!folder.is_empty()).then(|| format!("{gold}/{folder}/{stem}.txt"));
        let near = [format!("{}{gold}/{stem}.txt", beside(above)), format!("{}{stem}.txt", beside(folder))];
        let first = format!("{gold}/{stem}.txt");
        // Of a name that several pages have, gold/NAME.txt would be the gold of all of them.
        let mut golds: Vec<String> = mirrored.chain(below).collect();
        golds.insert(if self.id_is_path == Some(true) { golds.len() } else { 0 }, first);
        golds.extend(near);
        golds
    }

    /// The golds by their names, where a glob says which files they are.
    fn golds_by_name<'f>(&self, files: &'f [String]) -> BTreeMap<Cow<'f, str>, Vec<&'f str>> {
        let mut golds: BTreeMap<Cow<'_, str>, Vec<&str>> = BTreeMap::new();
        for path in files.iter().filter(|path| self.is_gold(path)) {
            golds.entry(page_name(path)).or_default().push(path);
        }
        golds
    }

    /// The files that are golds of no page; those of pages are `used`. Where golds are, every text is one; beside the pages a
    /// text may be anything.
    pub(super) fn orphans<'f>(
        &self,
        files: &'f [String],
        records: &BTreeMap<String, Record>,
        used: &BTreeSet<String>,
    ) -> impl Iterator<Item = &'f String> {
        let folder_of = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        let of_pages: BTreeSet<String> =
            records.values().filter_map(|record| record.html.path()).map(folder_of).collect();
        let of_golds: BTreeSet<String> = used.iter().map(|gold| folder_of(gold)).collect();
        let is_orphan = move |path: &&String| {
            if used.contains(path.as_str()) {
                return false;
            }
            if self.golds.is_some() || self.gold_table.is_some() {
                return self.is_gold(path);
            }
            let folder = folder_of(path);
            let is_of_golds = of_golds.contains(&folder) && !of_pages.contains(&folder);
            (is_of_golds || is_below(path, self.gold_folder)) && path.to_lowercase().ends_with(".txt")
        };
        files.iter().filter(is_orphan)
    }

    /// True if there is a glob of golds, and it names the file.
    pub(super) fn is_gold(&self, path: &str) -> bool {
        self.golds.as_ref().is_some_and(|golds| golds.is_match(path))
    }

    /// The gold in the file or the row that it was found in.
    pub(super) fn gold_source(&self, file: Option<String>, row: Option<String>) -> Option<GoldSource> {
        let of_file = file.map(|path| GoldSource::of_file(path, self.gold_encoding.map(str::to_owned)));
        let gold = of_file.or_else(|| row.map(GoldSource::of_text))?;
        Some(match self.gold_kind {
            Some(kind) => gold.written_in(kind),
            None => gold,
        })
    }
}

/// The page without gold whose name is nearest to that of the gold `whose`, in brackets; nothing where none is near. One name
/// may hold the other, as `a_gold.txt` and `a.shtml.html` hold that of `a`.
fn nearest_page(whose: &str, pages: &[&String]) -> String {
    let names: Vec<Cow<'_, str>> = pages.iter().map(|path| page_name(path)).collect();
    let own = page_name(whose);
    let is_held = |name: &&Cow<'_, str>| is_part_of_name(&own, name) || is_part_of_name(name, &own);
    let held = names.iter().filter(is_held).max_by_key(|name| name.len().min(own.len())).map(AsRef::as_ref);
    let near = held.or_else(|| text::nearest(&own, names.iter().map(AsRef::as_ref)));
    near.map_or_else(String::new, |name| format!(" (nearest page: `{name}`)"))
}

/// True if `name` is `part` with more before or behind a sign.
fn is_part_of_name(part: &str, name: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric();
    let behind = name.strip_prefix(part).is_some_and(|rest| rest.starts_with(is_sign));
    let before = name.strip_suffix(part).is_some_and(|rest| rest.ends_with(is_sign));
    !part.is_empty() && (behind || before)
}

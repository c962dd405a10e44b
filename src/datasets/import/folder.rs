//! `folder`: my own pages, as pairs of files.

mod golds;
mod sites;

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use globset::{Glob, GlobBuilder, GlobMatcher};
use rayon::prelude::*;
use regex::Regex;

use self::golds::{Found, Pairing};
use self::sites::{SiteFrom, take_stated_address, told_addresses, told_hosts, way_to_sites};
use super::contents::{begins_as_a_page, find_packed, is_no_text};
use super::frames::{are_frames, told_frames};
use super::gold_places::{USUAL, folder_of_golds};
use super::gold_table::{GoldTable, Naming};
use super::languages::{count_languages, language_of, told_languages};
use super::page_names::{are_apart_composed, do_names_repeat, id_of, site_in, sites_of};
use super::{Importer, OptionHelp, Options, Told, dataset, third_party, version_of};
use crate::datasets::manifest::{GoldNature, GoldSource, HtmlSource, Manifest, Record, dataset_name_of};
use crate::datasets::root::Root;
use crate::datasets::words::check_language;
use crate::datasets::{Dataset, DatasetError, MAX_PAGE_BYTES, Readings, files_below, shown};
use crate::page::charset;
use crate::structure::TextKind;

/// The importer `folder`.
pub static IMPORTER: Importer = Importer {
    name: "folder",
    title: "pairs of files: any/where/NAME.html and gold/NAME.txt",
    layout: &[],
    options: &[
        OptionHelp {
            name: "html_glob",
            help: "which files are pages [default: **/*.{html,htm,xhtml,shtml}, also with .gz or .zst behind, in capitals, too]",
        },
        OptionHelp {
            name: "gold_glob",
            help: "which files are golds, each of the page of its name, the nearest if there are several [default: none]",
        },
        OptionHelp {
            name: "gold_map",
            help: "PATTERN=>REPLACEMENT from a page's path to its gold's; PATTERN is a regular expression, as in html/(.*)[.]html=>gold/$1.txt [default: the page's name in gold/, a mirrored tree below gold/, .txt beside it]",
        },
        OptionHelp {
            name: "gold_table",
            help: "file of JSON Lines, CSV or TSV with a gold per row, beside the pages or anywhere else; columns id, page, path, file or name say whose (its id, path or name), and gold, text or content have it [default: none]",
        },
        OptionHelp { name: "encoding", help: "label that decides over the pages' own [default: each page's own]" },
        OptionHelp { name: "gold_encoding", help: "the encoding of golds, in files or a table [default: utf-8]" },
        OptionHelp {
            name: "gold_kind",
            help: "text | markdown | html: the form in which golds are written, in files or a table [default: text]",
        },
        OptionHelp {
            name: "language",
            help: "BCP 47 tag of every page, or none [default: what each page's text seems to be in]",
        },
        OptionHelp {
            name: "site_from",
            help: "host (in the name or a folder of each page, else in the address that it states) | parent_dir (html, original, pages, raw, input are passed over) | stem_prefix:SEP | none (the id) [default: host where most names have one, else the addresses that pages state, else none]",
        },
        OptionHelp { name: "id_from", help: "stem | path, with / as ~ [default: stem, or path where stems repeat]" },
        OptionHelp {
            name: "allow_orphans",
            help: "true: a gold without a page is skipped, not an error [default: false]",
        },
    ],
    read,
};

/// So many endings of files that may be pages are named.
const ENDINGS: usize = 3;

/// Endings of files that lie beside saved pages and are none.
const NO_PAGES: [&str; 32] = [
    "avif", "bmp", "cfg", "css", "csv", "gif", "ico", "jpeg", "jpg", "js", "json", "jsonl", "log", "md", "mp4", "pdf",
    "png", "py", "rst", "sh", "svg", "toml", "tsv", "ttf", "txt", "webp", "woff", "woff2", "xml", "yaml", "yml", "zip",
];

/// Those of them that may hold pages all the same.
const TEXTS: [&str; 2] = ["txt", "xml"];

/// The language of pages whose language nobody knows, or shall know.
const UNKNOWN: &str = "none";

/// The options, checked.
struct Reading<'o> {
    pages: GlobMatcher,
    golds: Option<GlobMatcher>,
    gold_map: Option<(Regex, &'o str)>,
    gold_table: Option<&'o str>,
    encoding: Option<&'o str>,
    gold_encoding: Option<&'o str>,
    /// `None` where nothing was said.
    gold_kind: Option<TextKind>,
    language: Option<&'o str>,
    /// Whether the languages of pages are looked for, since nothing was said.
    finds_languages: bool,
    /// `None` where nothing was said.
    site_from: Option<SiteFrom<'o>>,
    id_is_path: Option<bool>,
    /// Whether ids are paths because names of pages repeat, and nothing was said.
    names_repeat: bool,
    /// True if ids are the same in every form of Unicode: no two pages differ in it alone.
    ids_are_composed: bool,
    allow_orphans: bool,
    /// The name of the folders in which golds usually are.
    gold_folder: &'static str,
}

impl<'o> Reading<'o> {
    fn new(options: &'o Options) -> Result<Self, String> {
        let get = |name: &str| options.0.get(name).map(String::as_str);
        let pages = match get("html_glob") {
            Some(glob) => Glob::new(glob),
            // `PAGE.HTML` is a page as `page.html` is.
            None => GlobBuilder::new("**/*.{html,htm,xhtml,shtml}{,.gz,.zst}")
                .empty_alternates(true)
                .case_insensitive(true)
                .build(),
        };
        let pages = pages.map_err(|error| format!("html_glob: {error}"))?.compile_matcher();
        let golds = get("gold_glob").map(|glob| Glob::new(glob).map(|glob| glob.compile_matcher()));
        let golds = golds.transpose().map_err(|error| format!("gold_glob: {error}"))?;
        let places = ["gold_glob", "gold_map", "gold_table"].into_iter().filter(|name| get(name).is_some());
        if let [one, other, ..] = places.collect::<Vec<_>>()[..] {
            return Err(format!("{one} and {other} both say where golds are: use one of them"));
        }
        let label = |name: &str| match get(name) {
            Some(label) if charset::for_label(label).is_none() => {
                Err(format!("{name}: `{label}` is no label of the Encoding Standard"))
            }
            label => Ok(label),
        };
        let gold_map = match get("gold_map").map(|map| map.split_once("=>")) {
            None => None,
            Some(None) => return Err("gold_map: expected PATTERN=>REPLACEMENT".to_owned()),
            Some(Some((pattern, replacement))) => {
                Some((Regex::new(pattern).map_err(|error| format!("gold_map: {error}"))?, replacement))
            }
        };
        let site_from = get("site_from").map(SiteFrom::read).transpose()?;
        let id_is_path = match get("id_from") {
            None => None,
            Some("stem") => Some(false),
            Some("path") => Some(true),
            Some(other) => return Err(format!("id_from: expected stem or path, not `{other}`")),
        };
        let allow_orphans = match get("allow_orphans").unwrap_or("false") {
            "true" => true,
            "false" => false,
            other => return Err(format!("allow_orphans: expected true or false, not `{other}`")),
        };
        let language = get("language").filter(|language| *language != UNKNOWN);
        language.map_or(Ok(()), check_language).map_err(|message| format!("language: {message}"))?;
        Ok(Reading {
            pages,
            golds,
            gold_map,
            gold_table: get("gold_table"),
            encoding: label("encoding")?,
            gold_encoding: label("gold_encoding")?,
            gold_kind: get("gold_kind").map(str::parse).transpose().map_err(|error| format!("gold_kind: {error}"))?,
            language,
            finds_languages: get("language").is_none(),
            site_from,
            id_is_path,
            names_repeat: false,
            ids_are_composed: true,
            allow_orphans,
            gold_folder: USUAL,
        })
    }

    /// Leaves out what browsers saved beside pages; tells of the pages among it.
    fn without_frames(&self, files: Vec<String>, told: &mut Told) -> Vec<String> {
        let are_frames = are_frames(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let (frames, files): (Vec<_>, Vec<_>) = files.into_iter().zip(are_frames).partition(|(_, is_frame)| *is_frame);
        let mut frames = frames.into_iter().map(|(path, _)| path).filter(|path| self.pages.is_match(path));
        if let Some(first) = frames.next() {
            told.note(told_frames(frames.count() + 1, &first));
        }
        files.into_iter().map(|(path, _)| path).collect()
    }

    /// Tells which files may be pages and are left out, because their names do not say so.
    fn tell_left_out(&self, source: &Path, files: &[String], told: &mut Told) {
        let root = Root::Folder(source.to_owned());
        let is_other = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
            let ends = |ending: &&&str| name.strip_suffix(**ending).is_some_and(|name| name.ends_with('.'));
            match NO_PAGES.iter().find(ends) {
                // Golds are texts, and so may be pages that someone saved.
                Some(ending) if TEXTS.contains(ending) => !begins_as_a_page(&root, path),
                Some(_) => true,
                None => name.starts_with('.'),
            }
        };
        let left_out = |path: &&String| !self.pages.is_match(path) && !self.is_gold(path) && !is_other(path);
        let left_out: Vec<&String> = files.iter().filter(left_out).collect();
        if let Some(first) = left_out.first() {
            let (all, files) = (files.len(), left_out.len());
            let are = if files == 1 { "is no page by its name and is" } else { "are no pages by their names and are" };
            let endings: BTreeSet<&str> =
                left_out.iter().map(|path| path.rsplit_once('.').map_or("", |(_, ending)| ending)).collect();
            // Golds that lie beside pages are no pages, so that every file is rarely meant.
            let taken = match endings.first() {
                Some(&ending) if endings.len() == 1 && !ending.is_empty() && !ending.contains('/') => {
                    format!("html_glob='**/*.{{html,{}}}' takes them", globset::escape(ending))
                }
                _ => {
                    let endings: Vec<String> = endings
                        .iter()
                        .filter(|ending| !ending.contains('/'))
                        .take(ENDINGS)
                        .map(|ending| globset::escape(ending))
                        .collect();
                    format!(
                        "html_glob says which files are pages, as in html_glob='pages/*.{{html,{}}}'",
                        endings.join(",")
                    )
                }
            };
            told.note(format!("{files} of {all} files {are} left out, such as {first} ({taken})"));
        }
    }

    /// The golds in the table `name`.
    fn read_table(&self, source: &Path, name: &str) -> Result<GoldTable, DatasetError> {
        let encoding = self.gold_encoding.and_then(charset::for_label);
        let way_out = format!(
            "state the encoding of the golds behind the folder's name, as in `{},gold_table={name},gold_encoding=gbk`",
            shown(source)
        );
        GoldTable::read(source, name, Naming::OF_FILES, encoding, &way_out)
    }

    /// Reads off the paths what nobody stated: ids, sites and the folder of golds. Tells what it found.
    fn find_out(&mut self, files: &[String], told: &mut Told) {
        let pages: Vec<&String> =
            files.iter().filter(|path| self.pages.is_match(path) && !self.is_gold(path)).collect();
        let paths: Vec<&str> = pages.iter().map(|path| path.as_str()).collect();
        self.ids_are_composed = are_apart_composed(&paths);
        if self.id_is_path.is_none() && do_names_repeat(&paths) {
            self.id_is_path = Some(true);
            self.names_repeat = true;
            told.note("ids are paths, with / as ~, for names of pages repeat".to_owned());
        }
        if self.has_usual_places() {
            self.gold_folder = folder_of_golds(files, &pages);
        }
        let sites: Vec<String> = sites_of(&paths).into_iter().flatten().collect();
        if self.site_from.is_none() && !sites.is_empty() {
            self.site_from = Some(SiteFrom::Host);
            told.note(told_hosts(pages.len(), &sites));
        }
    }

    /// Whether golds are files in the places where they usually are.
    fn has_usual_places(&self) -> bool {
        self.golds.is_none() && self.gold_map.is_none() && self.gold_table.is_none()
    }

    fn record(&self, path: &str, gold: Option<GoldSource>) -> Record {
        let id = id_of(path, self.id_is_path == Some(true), self.ids_are_composed);
        let site = self.site_from.unwrap_or(SiteFrom::Id).of(path, &id);
        Record {
            id,
            html: HtmlSource::Path(path.to_owned()),
            gold,
            site: Some(site),
            language: self.language.map(str::to_owned),
            encoding: self.encoding.map(str::to_owned),
            ..Record::default()
        }
    }

    /// Finds out what pages say of themselves: the site of the address that they state, where their paths tell none, and the
    /// language of their text. Each is read once; what was found is told.
    fn look_into(&self, source: &Path, records: &mut BTreeMap<String, Record>, told: &mut Told) {
        // One page by itself is of another site than the rest.
        let way_out = way_to_sites(self.site_from).filter(|_| records.len() > 1);
        let wants_site = |record: &Record| way_out.is_some() && !self.tells_site(record);
        let looked_into = records.values_mut().filter(|record| self.finds_languages || wants_site(record));
        let others = Mutex::new(BTreeSet::new());
        on_each_page(source, looked_into.collect(), |record, bytes| {
            if wants_site(record) {
                take_stated_address(record, bytes);
            }
            let is_other = record.encoding.is_none() && is_no_text(bytes);
            if is_other && let Some(path) = record.html.path() {
                others.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
            }
            if self.finds_languages {
                let encoding = record.encoding.as_deref().and_then(charset::for_label);
                record.language = language_of(bytes, encoding);
            }
        });
        let others = others.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = others.first() {
            told.note(format!(
                "{} no HTML, but PDF or other bytes, such as {first}: remove them; if they are UTF-16 without its mark, state \
                 encoding=utf-16le",
                if others.len() == 1 { "1 page is".to_owned() } else { format!("{} pages are", others.len()) }
            ));
        }
        if let Some(way_out) = way_out {
            let asked: Vec<&Record> = records.values().filter(|record| wants_site(record)).collect();
            told_addresses(&asked, way_out).into_iter().for_each(|note| told.note(note));
        }
        if self.finds_languages {
            told.note(told_languages(&count_languages(records.values()), records.len(), ""));
        }
    }

    /// True if the path of the page tells its site.
    fn tells_site(&self, record: &Record) -> bool {
        self.site_from.is_some() && record.html.path().is_some_and(|path| site_in(path).is_some())
    }
}

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let fault = |code, message| DatasetError::new(code, shown(source), message);
    if source.join("dataset.yaml").is_file() {
        let message =
            "it has a dataset.yaml, so it is a dataset as it stands: name it without `folder` and without options";
        return Err(fault(Code::Option, message.to_owned()));
    }
    let mut reading = Reading::new(options).map_err(|message| fault(Code::Option, message))?;
    let files = files_below(source).map_err(|message| fault(Code::Missing, message))?;
    let files = reading.without_frames(files, told);
    if !options.0.contains_key("html_glob") {
        reading.tell_left_out(source, &files, told);
    }
    reading.find_out(&files, told);
    let table = reading.gold_table.map(|name| reading.read_table(source, name)).transpose()?;
    if let Some(note) = table.as_ref().and_then(GoldTable::told_columns) {
        told.note(note);
    }
    let pairing = Pairing::new(&reading, source, &files, table.as_ref());
    if pairing.has_empty_glob() {
        let glob = options.0.get("gold_glob").map_or("", String::as_str);
        return Err(fault(Code::Option, format!("gold_glob: no file of the folder matches `{glob}`")));
    }
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    let mut used = BTreeSet::new();
    let (mut without_gold, mut passed_over) = (Vec::new(), Vec::new());
    for path in files.iter().filter(|path| reading.pages.is_match(path) && !reading.is_gold(path)) {
        let Found { file, row, others, missing } = pairing.of(path)?;
        passed_over.extend(others.into_iter().map(|other| (path, other)));
        without_gold.extend(missing.map(|missing| (path, format!("{path}: kept without gold, there is no {missing}"))));
        // Pages of one name share no gold, unless somebody says that ids are paths.
        if let Some(gold) = file.as_ref().filter(|gold| reading.names_repeat && used.contains(gold.as_str())) {
            let message = format!(
                "{path} and another page of its name would have the gold {gold}; say which is whose with gold_map, or name the \
                 folder as `{},id_from=path` if it is of both",
                shown(source)
            );
            told.page::<()>(&reading.record(path, None).id, Err(fault(Code::Id, message)))?;
            continue;
        }
        used.extend(file.clone());
        let record = reading.record(path, reading.gold_source(file, row));
        if let Some(other) = records.get(&record.id) {
            let first = other.html.path().unwrap_or_default();
            let way_out = match reading.id_is_path {
                Some(true) => "rename one of them".to_owned(),
                _ => format!("name the folder as `{},id_from=path`", shown(source)),
            };
            let message = format!("{first} and {path} have the same id; {way_out}");
            told.page::<()>(&record.id, Err(fault(Code::Id, message)))?;
            continue;
        }
        records.insert(record.id.clone(), record);
    }
    passed_over.retain(|(_, other)| !used.contains(other.as_str()));
    if let Some((path, other)) = passed_over.first() {
        let more =
            if passed_over.len() > 1 { format!(", and so for {} more", passed_over.len() - 1) } else { String::new() };
        told.note(format!("{other} is not read, for {path} has its gold elsewhere{more}"));
    }
    let (alone, notes): (Vec<&String>, Vec<String>) = without_gold.into_iter().unzip();
    reading.tell_golds(source, (&files, &used), (records.len(), &alone), notes, told);
    if records.is_empty() {
        return Err(fault(
            Code::Upstream,
            "there is no page (*.html, *.htm, *.xhtml, *.shtml) in this folder, and no dataset.yaml".to_owned(),
        ));
    }
    let left = table.as_ref().map(GoldTable::left).transpose()?.unwrap_or_default();
    let orphans = reading.orphans(&files, &records, &used).map(|path| (path.clone(), path.as_str()));
    let of_table = left.iter().map(|whose| (format!("the row of `{whose}`"), whose.as_str()));
    reading.tell_orphans(source, &orphans.chain(of_table).collect::<Vec<_>>(), &alone, told)?;
    reading.tell_utf_8(source, &used, told);
    find_packed(source, &mut records, told);
    reading.look_into(source, &mut records, told);
    let undecoded_gold = match options.0.contains_key("gold_encoding") {
        false => {
            "golds of one folder have one encoding: save this file as UTF-8, or state `gold_encoding=LABEL` behind the \
             folder's name if every gold has that one"
        }
        true => "golds of one folder have one encoding: save every gold as UTF-8 and leave out gold_encoding",
    };
    let readings = Readings { undecoded_gold, way_to_sites: way_to_sites(reading.site_from), ..Readings::default() };
    let mut dataset = dataset(source, manifest(source), records.into_values().collect(), readings, told)?;
    if !options.0.contains_key("version") {
        dataset.manifest.version = version_of(&dataset.digest(|record| dataset.digests(record))?);
    }
    Ok(dataset)
}

/// Does `look` with each of `records`, which are of pages below `source`, and the bytes of its page.
fn on_each_page(source: &Path, mut records: Vec<&mut Record>, look: impl Fn(&mut Record, &[u8]) + Sync) {
    let root = Root::Folder(source.to_owned());
    records.par_iter_mut().for_each(|record| {
        let compression = record.html.object().and_then(|object| object.compression);
        let bytes = record.html.path().and_then(|path| root.read_up_to(MAX_PAGE_BYTES, path, compression).ok());
        // A page that cannot be read is told where it is read for good.
        if let Some(bytes) = bytes {
            look(record, &bytes);
        }
    });
}

/// The manifest of a user's own files, named after them; its version is still to be told.
pub(super) fn manifest(source: &Path) -> Manifest {
    let name = source.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    manifest_of_name(&name.unwrap_or_default())
}

/// The same, named `name` as far as names of datasets can be.
pub(super) fn manifest_of_name(name: &str) -> Manifest {
    Manifest {
        format: 1,
        name: dataset_name_of(name).unwrap_or_else(|| "pages".to_owned()),
        licence: third_party("unknown", "unknown"),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature::default(),
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests;

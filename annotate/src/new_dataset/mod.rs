//! A dataset of pages without gold: a folder of saved pages, a list of addresses and files, or the pages of another dataset
//! become `dataset.yaml`, a page list and the pages' bytes.

mod draw;
mod fetch;
mod fetching;
mod folder;
mod given;
mod list;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use carat_core::algorithms::features::visible::VisibleText;
use carat_core::page::address::stated_address;
use carat_core::page::{Context, Page};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use self::draw::drawn;
pub use self::draw::{Disputes, Draw};
pub use self::fetching::Fetching;
use self::fetching::{Journal, fetch_all};
use self::folder::Saved;
pub use self::folder::{holds_pages, is_warc};
pub use self::given::{Given, Languages, Source};
use self::list::Entry;
use crate::digest::sha256;
use crate::event::now;
use crate::guidelines::BUILT_IN;

/// The key of `dataset.yaml` whose value is the name of the dataset that the pages are from.
pub const ORIGIN: &str = "x-pages-of";

/// A page with more bytes is passed over.
const MAX_BYTES: u64 = 32 << 20;

/// The request for a new dataset.
pub struct Request<'r> {
    /// The first lines of `dataset.yaml`, comments.
    pub header: &'r str,
    /// Where its pages are.
    pub source: Source<'r>,
    /// The new dataset's folder.
    pub out: &'r Path,
    /// Its name.
    pub name: &'r str,
    /// The languages of its pages.
    pub languages: Languages<'r>,
    /// The dataset of which a run of the source speaks, if it has a name.
    pub origin: Option<&'r str>,
    /// The id of a page whose path in a list or address is this one, without its ending.
    pub id_of: &'r dyn Fn(&str) -> String,
    /// Of each of the files of a folder at these paths true if a browser saved it beside a page, as a part of it.
    pub are_frames: &'r dyn Fn(&[&str]) -> Vec<bool>,
    /// The ids of the pages of a folder at these paths.
    pub ids_of: &'r dyn Fn(&[&str]) -> Vec<String>,
    /// The sites of the pages of a folder at these paths, of those that tell one.
    pub sites_of: &'r dyn Fn(&[&str]) -> Vec<Option<String>>,
    /// The encoding of its pages, which decides over those that pages, servers and readers state.
    pub encoding: Option<&'r str>,
    /// The licence of its gold.
    pub licence: &'r str,
    /// True if a page of this id is taken.
    pub is_wanted: &'r dyn Fn(&str) -> bool,
    /// So many pages of each site at most, drawn by id and seed.
    pub per_site: Option<usize>,
    /// So many pages at most, drawn by id and seed.
    pub sample: Option<usize>,
    /// The pages that are drawn beside the sample because systems dispute them.
    pub disputes: Option<Disputes<'r>>,
    /// The seed.
    pub seed: u64,
    /// The way in which addresses are fetched.
    pub fetching: Fetching<'r>,
}

/// Why there is no new dataset.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NewError {
    /// The request is wrong.
    #[error("{0}")]
    Request(String),
    /// The system, or every server, refuses.
    #[error("{0}")]
    System(String),
    /// The user gave up while so many addresses were left.
    #[error("interrupted; {0} of the addresses are left: the same command goes on")]
    Stopped(usize),
}

/// Names of files or lines that gave no page, each with the reason.
type PassedOver = Vec<(String, String)>;

/// A report on the dataset that was made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Pages.
    pub pages: usize,
    /// The number of pages of each draw, where the request has disputes.
    pub draws: BTreeMap<Draw, usize>,
    /// Ids of pages on which there is no text.
    pub without_text: Vec<String>,
    /// The number of pages in each language that was found.
    pub languages: BTreeMap<String, usize>,
    /// Files and lines that were passed over, and why.
    pub passed: Vec<(String, String)>,
    /// Pages that were left out, for browsers saved them beside others.
    pub frames: Vec<String>,
    /// Addresses from which no page came, and why; they are in `failed.tsv`.
    pub failed: Vec<(String, String)>,
}

/// A line of the page list.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    id: String,
    html: Stored,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crawled: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(flatten)]
    other: Map<String, Json>,
}

impl Line {
    /// The page `id`, of which nothing else is known.
    fn new(id: String, html: Stored) -> Self {
        Line { id, html, url: None, site: None, crawled: None, encoding: None, language: None, other: Map::new() }
    }

    /// The page as one of `draw`, which is counted; a group that the page had gives way.
    fn of_draw(mut self, draw: Option<Draw>, made: &mut Made) -> Self {
        if let Some(draw) = draw {
            self.other.insert("group".to_owned(), json!(draw.name()));
            *made.draws.entry(draw).or_default() += 1;
        }
        self
    }

    /// The encoding that a server or a reader stated.
    fn encoding(&self) -> Option<&str> {
        self.encoding.as_deref().or_else(|| self.other.get("encoding").and_then(Json::as_str))
    }
}

/// A page's bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stored {
    path: String,
    sha256: String,
    bytes: usize,
}

/// Makes a dataset of the pages that the request names.
///
/// # Errors
/// [`NewError`]: the source cannot be read or names no page, what is to be made is there already, or the user gives up.
pub fn make(request: &Request<'_>) -> Result<Made, NewError> {
    let out = request.out;
    if out.join("dataset.yaml").exists() {
        return Err(NewError::Request(format!("{} holds a dataset already; choose another folder", out.display())));
    }
    let (mut made, was_there) = (Made::default(), out.exists());
    let entries = drawn(request, entries(request, &mut made)?);
    let draws: Vec<Option<Draw>> = entries.iter().map(|(_, draw)| *draw).collect();
    let pages = out.join("pages");
    fs::create_dir_all(&pages).map_err(|error| unwritten(&pages, &error))?;
    let mut lines: Vec<Option<Line>> = vec![None; entries.len()];
    let has_addresses = entries.iter().any(|(entry, _)| matches!(entry, Entry::Address { .. }));
    let mut journal = if has_addresses { Some(Journal::open(out)?) } else { None };
    let mut addresses = Vec::new();
    for (place, (entry, _)) in entries.into_iter().enumerate() {
        match entry {
            Entry::File(saved) => lines[place] = copied(request, saved, &mut made)?,
            Entry::Given(given) => lines[place] = taken(request, given, &mut made)?,
            Entry::Address { address, id } => {
                lines[place] = journal.as_ref().and_then(|journal| journal.page(&address, &id));
                if lines[place].is_none() {
                    addresses.push((place, address, id));
                }
            }
        }
    }
    if let Some(journal) = &mut journal {
        fetch(request, &addresses, journal, &mut lines, &mut made)?;
    }
    let drawn = lines.into_iter().zip(draws).filter_map(|(line, draw)| Some(line?.of_draw(draw, &mut made)));
    let mut lines: Vec<Line> = drawn.collect();
    let finished = if lines.is_empty() { Err(nothing(&made)) } else { finish(request, &mut lines, &mut made) };
    if let Some(journal) = journal {
        journal.end();
    }
    if lines.is_empty() {
        // The folder is left as it was.
        let _ = fs::remove_dir(&pages);
        if !was_there {
            let _ = fs::remove_dir(out);
        }
    }
    finished.map(|()| made)
}

/// The pages that the source names, and that are wanted.
fn entries<'r>(request: &Request<'r>, made: &mut Made) -> Result<Vec<Entry<'r>>, NewError> {
    let (mut entries, source) = match request.source {
        Source::Given { pages, path } => (pages.iter().map(Entry::Given).collect(), path),
        Source::Path(path) if path.is_dir() => (saved(request, path, made)?, path),
        Source::Path(path) if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt")) => {
            let (entries, passed) = list::read(path, request.id_of).map_err(NewError::Request)?;
            made.passed = passed;
            (entries, path)
        }
        Source::Path(path) => {
            let kinds = "neither a folder of pages nor a list that ends in .txt nor a WARC file";
            return Err(NewError::Request(format!("{} is {kinds}", path.display())));
        }
    };
    entries.retain(|entry| (request.is_wanted)(entry.id()));
    match entries.is_empty() {
        true => Err(NewError::Request(format!("{} names no page that is wanted", source.display()))),
        false => Ok(entries),
    }
}

/// The pages of a folder, in the order of their ids.
fn saved<'r>(request: &Request<'r>, source: &Path, made: &mut Made) -> Result<Vec<Entry<'r>>, NewError> {
    let (mut saved, passed) = folder::gather(source, request.out).map_err(NewError::Request)?;
    made.passed = passed;
    leave_out_frames(request, &mut saved, made);
    if saved.is_empty() {
        let none =
            format!("{} holds no page: *.html, *.htm, *.xhtml, *.shtml, or in *.warc, *.warc.gz", source.display());
        return Err(NewError::Request(none));
    }
    named(request, &mut saved);
    saved.sort_by(|one, other| one.id.cmp(&other.id));
    let is_wanted = |saved: &Saved| (request.is_wanted)(&saved.id);
    if let Some(two) = saved.windows(2).find(|two| two[0].id == two[1].id && is_wanted(&two[0])) {
        let (one, other) = (&two[0].name, &two[1].name);
        let same = format!("{one} and {other} would have the same id `{}`; rename one of them", two[0].id);
        return Err(NewError::Request(same));
    }
    Ok(saved.into_iter().map(Entry::File).collect())
}

/// Leaves out what browsers saved beside pages.
fn leave_out_frames(request: &Request<'_>, saved: &mut Vec<Saved>, made: &mut Made) {
    let passed = made.passed.iter().map(|(name, _)| name);
    let paths: Vec<&str> = saved.iter().map(|saved| &saved.name).chain(passed).map(String::as_str).collect();
    let mut are_frames = (request.are_frames)(&paths).into_iter();
    let mut is_frame = || are_frames.next().unwrap_or(false);
    let (frames, pages): (Vec<Saved>, Vec<Saved>) = std::mem::take(saved).into_iter().partition(|_| is_frame());
    made.passed.retain(|_| !is_frame());
    *saved = pages;
    made.frames = frames.into_iter().map(|frame| frame.name).collect();
}

/// Gives pages of a folder the ids and sites that follow from their paths.
fn named(request: &Request<'_>, saved: &mut [Saved]) {
    let paths: Vec<&str> = saved.iter().map(|saved| saved.name.as_str()).collect();
    let (ids, sites) = ((request.ids_of)(&paths), (request.sites_of)(&paths));
    for (saved, (id, site)) in saved.iter_mut().zip(ids.into_iter().zip(sites)) {
        (saved.id, saved.site) = (id, site);
    }
}

/// Copies a page that is here; `None` where it cannot be read.
fn copied(request: &Request<'_>, saved: Saved, made: &mut Made) -> Result<Option<Line>, NewError> {
    match folder::read(&saved.path) {
        Ok(bytes) => {
            let html = stored(request.out, &saved.id, &bytes)?;
            let url = saved.url.or_else(|| stated_address(&bytes));
            // The site of a known address follows from it.
            let site = saved.site.filter(|_| url.is_none());
            Ok(Some(Line { url, site, ..Line::new(saved.id, html) }))
        }
        Err(reason) => {
            made.passed.push((saved.name, reason));
            Ok(None)
        }
    }
}

/// Stores a page that a reader gives; `None` where it cannot be read.
fn taken(request: &Request<'_>, given: &Given<'_>, made: &mut Made) -> Result<Option<Line>, NewError> {
    match (given.bytes)() {
        Ok(bytes) => {
            let html = stored(request.out, &given.id, &bytes)?;
            let Given { id, url, site, language, other, .. } = given;
            let (url, site, language) = (url.clone(), site.clone(), language.clone());
            Ok(Some(Line { url, site, language, other: other.clone(), ..Line::new(id.clone(), html) }))
        }
        Err(reason) => {
            made.passed.push((given.id.clone(), reason));
            Ok(None)
        }
    }
}

/// Fetches the pages of `addresses`, by place, with their ids.
fn fetch(
    request: &Request<'_>,
    addresses: &[(usize, String, String)],
    journal: &mut Journal,
    lines: &mut [Option<Line>],
    made: &mut Made,
) -> Result<(), NewError> {
    let wanted: BTreeMap<usize, (&String, &String)> =
        addresses.iter().map(|(place, address, id)| (*place, (address, id))).collect();
    let queue = addresses.iter().map(|(place, address, _)| (*place, address.clone())).collect();
    let mut failed = BTreeMap::new();
    fetch_all(&request.fetching, queue, |place, outcome| {
        let (address, id) = wanted[&place];
        match outcome {
            Ok(fetched) => {
                let html = stored(request.out, id, &fetched.bytes)?;
                let (url, crawled) = (Some(fetched.url), Some(now()));
                let encoding = fetched.encoding.map(str::to_owned);
                let line = Line { url, crawled, encoding, ..Line::new(id.clone(), html) };
                journal.add(address, &line)?;
                lines[place] = Some(line);
            }
            Err(reason) => drop(failed.insert(place, (address.clone(), reason))),
        }
        Ok(())
    })?;
    made.failed = failed.into_values().collect();
    Ok(())
}

fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

/// The error of a source that gives no page, with the first reason.
fn nothing(made: &Made) -> NewError {
    let first = made.failed.first().or(made.passed.first());
    let why = first.map_or_else(String::new, |(name, reason)| format!(": {name}: {}", one_line(reason)));
    NewError::System(format!("no page could be read{why}"))
}

/// Writes what makes the folder a dataset.
fn finish(request: &Request<'_>, lines: &mut [Line], made: &mut Made) -> Result<(), NewError> {
    let out = request.out;
    if !made.failed.is_empty() {
        let failed = made.failed.iter().map(|(address, reason)| format!("{address}\t{}\n", one_line(reason)));
        put(&out.join("failed.tsv"), failed.collect::<String>().as_bytes())?;
    }
    made.pages = lines.len();
    for line in lines.iter_mut() {
        if let Some(encoding) = request.encoding {
            line.other.remove("encoding");
            line.encoding = Some(encoding.to_owned());
        }
        let Some(bytes) = fs::read(out.join(&line.html.path)).ok().and_then(|packed| unpacked(&packed).ok()) else {
            continue;
        };
        if is_without_text(&bytes) {
            made.without_text.push(line.id.clone());
        }
        line.language = request.languages.of_page(line.language.take(), &bytes, line.encoding());
        if let (Languages::Found(_), Some(language)) = (&request.languages, &line.language) {
            *made.languages.entry(language.clone()).or_default() += 1;
        }
    }
    let list: String = lines.iter().map(|line| format!("{}\n", json!(line))).collect();
    put(&out.join("pages.jsonl"), list.as_bytes())?;
    let annotations = out.join("annotations");
    fs::create_dir_all(&annotations).map_err(|error| unwritten(&annotations, &error))?;
    let guidelines = annotations.join("guidelines.yaml");
    if !guidelines.exists() {
        put(&guidelines, BUILT_IN.as_bytes())?;
    }
    // Last, for it makes the folder a dataset.
    put(&out.join("dataset.yaml"), manifest(request).as_bytes())
}

/// True if nobody sees text on the page of these bytes.
fn is_without_text(bytes: &[u8]) -> bool {
    let page = Page::new(bytes, Context::default());
    page.is_ok_and(|page| page.view::<VisibleText>().nodes.is_empty())
}

fn manifest(request: &Request<'_>) -> String {
    let language = match request.languages {
        Languages::Stated(language) => format!("defaults: {{language: {language}}}\n"),
        Languages::Found(_) | Languages::Unknown => String::new(),
    };
    let origin = request.origin.map_or_else(String::new, |origin| format!("{ORIGIN}: {}\n", json!(origin)));
    format!(
        "{}format: 1\nname: {}\nversion: \"1\"\nlicence: {{data: {}, pages: LicenseRef-third-party, redistribution: none}}\n\
         {language}gold: {{nature: human, verbatim: true, ordered: true}}\n{origin}",
        request.header,
        request.name,
        json!(request.licence)
    )
}

/// Stores the bytes of the page `id`.
fn stored(out: &Path, id: &str, bytes: &[u8]) -> Result<Stored, NewError> {
    let path = format!("pages/{id}.html.zst");
    let file = out.join(&path);
    let packed = zstd::encode_all(bytes, 0).map_err(|error| unwritten(&file, &error))?;
    put(&file, &packed)?;
    Ok(Stored { path, sha256: sha256(bytes), bytes: bytes.len() })
}

fn unpacked(packed: &[u8]) -> std::io::Result<Vec<u8>> {
    zstd::decode_all(packed)
}

/// Writes a file whole or not at all.
fn put(path: &Path, bytes: &[u8]) -> Result<(), NewError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &std::io::Error) -> NewError {
    NewError::System(format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests;

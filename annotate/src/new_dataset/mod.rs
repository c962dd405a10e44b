//! A dataset of pages without gold: a folder of saved pages, a list of addresses and files, or pages that a reader of another
//! format gives become `dataset.yaml`, a page list and the pages' bytes.

mod fetch;
mod fetching;
mod folder;
mod given;
mod list;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use carat_core::algorithms::features::visible::VisibleText;
use carat_core::page::{Context, Page};
use carat_core::text::urls::{host_of, registrable_domain};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

pub use self::fetching::Fetching;
use self::fetching::{Journal, fetch_all};
use self::folder::Saved;
pub use self::folder::{holds_pages, is_warc};
pub use self::given::{Given, Languages, Source};
use self::list::Entry;
use crate::digest::sha256;
use crate::event::now;
use crate::guidelines::BUILT_IN;

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
    /// The id of a page whose path or address is this one, without its ending.
    pub id_of: &'r dyn Fn(&str) -> String,
    /// The licence of its gold.
    pub licence: &'r str,
    /// True if a page of this id is taken.
    pub is_wanted: &'r dyn Fn(&str) -> bool,
    /// So many pages of each site at most, drawn by id and seed.
    pub per_site: Option<usize>,
    /// So many pages at most, drawn by id and seed.
    pub sample: Option<usize>,
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
    /// Ids of pages whose address is not known: each is a site of its own.
    pub without_url: Vec<String>,
    /// Ids of pages on which there is no text.
    pub without_text: Vec<String>,
    /// The number of pages in each language that was found.
    pub languages: BTreeMap<String, usize>,
    /// Files and lines that were passed over, and why.
    pub passed: Vec<(String, String)>,
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
        Line { id, html, url: None, crawled: None, encoding: None, language: None, other: Map::new() }
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
    let pages = out.join("pages");
    fs::create_dir_all(&pages).map_err(|error| unwritten(&pages, &error))?;
    let mut lines: Vec<Option<Line>> = vec![None; entries.len()];
    let has_addresses = entries.iter().any(|entry| matches!(entry, Entry::Address { .. }));
    let mut journal = if has_addresses { Some(Journal::open(out)?) } else { None };
    let mut addresses = Vec::new();
    for (place, entry) in entries.into_iter().enumerate() {
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
    let mut lines: Vec<Line> = lines.into_iter().flatten().collect();
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
    let (mut saved, passed) = folder::gather(source, request.out, request.id_of).map_err(NewError::Request)?;
    made.passed = passed;
    saved.sort_by(|one, other| one.id.cmp(&other.id));
    let is_wanted = |saved: &Saved| (request.is_wanted)(&saved.id);
    if let Some(two) = saved.windows(2).find(|two| two[0].id == two[1].id && is_wanted(&two[0])) {
        let (one, other) = (&two[0].name, &two[1].name);
        let same = format!("{one} and {other} would have the same id `{}`; rename one of them", two[0].id);
        return Err(NewError::Request(same));
    }
    if saved.is_empty() {
        let none =
            format!("{} holds no page: *.html, *.htm, *.xhtml, *.shtml, or in *.warc, *.warc.gz", source.display());
        return Err(NewError::Request(none));
    }
    Ok(saved.into_iter().map(Entry::File).collect())
}

/// The entries that are drawn: some of each site, and of those some. Their order stays.
fn drawn<'r>(request: &Request<'_>, entries: Vec<Entry<'r>>) -> Vec<Entry<'r>> {
    let key = |id: &str| sha256(format!("carat-sample\n{}\n{id}\n", request.seed).as_bytes());
    let mut places: Vec<usize> = (0..entries.len()).collect();
    places.sort_by_cached_key(|place| key(entries[*place].id()));
    if let Some(most) = request.per_site {
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        places.retain(|place| {
            let taken = taken.entry(site(&entries[*place])).or_default();
            *taken += 1;
            *taken <= most
        });
    }
    places.truncate(request.sample.unwrap_or(usize::MAX));
    let places: BTreeSet<usize> = places.into_iter().collect();
    let kept = entries.into_iter().enumerate().filter(|(place, _)| places.contains(place));
    kept.map(|(_, entry)| entry).collect()
}

/// The site of a page; a page of an unknown address stands for itself.
fn site(entry: &Entry<'_>) -> String {
    let url = match entry {
        Entry::Address { address, .. } => Some(address.clone()),
        Entry::Given(given) => given.url.clone(),
        Entry::File(saved) => {
            saved.url.clone().or_else(|| folder::read(&saved.path).ok().and_then(|bytes| folder::url_of(&bytes)))
        }
    };
    let host = url.as_deref().and_then(host_of);
    host.map_or_else(|| entry.id().to_owned(), |host| registrable_domain(&host))
}

/// Copies a page that is here; `None` where it cannot be read.
fn copied(request: &Request<'_>, saved: Saved, made: &mut Made) -> Result<Option<Line>, NewError> {
    match folder::read(&saved.path) {
        Ok(bytes) => {
            let html = stored(request.out, &saved.id, &bytes)?;
            let url = saved.url.or_else(|| folder::url_of(&bytes));
            Ok(Some(Line { url, ..Line::new(saved.id, html) }))
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
            let (url, language, other) = (given.url.clone(), given.language.clone(), given.other.clone());
            Ok(Some(Line { url, language, other, ..Line::new(given.id.clone(), html) }))
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
        if line.url.is_none() {
            made.without_url.push(line.id.clone());
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
    put(&annotations.join("guidelines.yaml"), BUILT_IN.as_bytes())?;
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
    format!(
        "{}format: 1\nname: {}\nversion: \"1\"\nlicence: {{data: {}, pages: LicenseRef-third-party, redistribution: none}}\n\
         {language}gold: {{nature: human, verbatim: true, ordered: true}}\n",
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

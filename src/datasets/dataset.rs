//! A dataset, and how its pages and golds are opened.

use crate::formats::code::Code;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::Encoding;

use super::annotation::{self, Select};
use super::digests::{DatasetDigest, Digests};
use super::dropped::Dropped;
use super::error::DatasetError;
use super::gold_source::GoldSource;
use super::limits::MAX_PAGE_BYTES;
use super::manifest::{DeclaredCounts, HtmlObject, Manifest, Record, SiteRule};
use super::node_gold::NodesFault;
use super::node_tokens::char_tokens;
use super::note::Note;
use super::paths::resolved;
use super::records::Records;
use super::roles::{Found, Roles};
use super::root::{Fault, Root};
use super::stored_files::StoredFiles;
use super::unread::Unread;
use crate::formats::digest::sha256;
use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::tree::Tree;
use crate::page::{Context, Page, charset};
use crate::scoring::Comparison;
use crate::structure::{Document, TextKind};
use crate::text::tokens::TokenKind;
use crate::text::{chars, normalise_lines};

/// What upstream's files need before they are pages and gold texts.
#[derive(Clone, Copy, Debug)]
pub struct Readings {
    /// Takes off a wrapper that is not part of the page.
    pub page: fn(&[u8]) -> &[u8],
    /// Reads upstream's form of gold.
    pub gold: fn(&str) -> String,
    /// What to do about a gold that does not decode, as an error says it.
    pub undecoded_gold: &'static str,
    /// The options that say of which sites pages are, as a warning names them; `None` where each page shall be a site of its own.
    pub way_to_sites: Option<&'static str>,
}

impl Default for Readings {
    fn default() -> Self {
        Readings {
            page: |bytes| bytes,
            gold: str::to_owned,
            undecoded_gold: "state the `encoding` of this gold in the page list",
            way_to_sites: Some("the `site` or the `url` of each page says it"),
        }
    }
}

/// A dataset: its description and its page list. The pages stay where they are until asked for.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// What it says of itself.
    pub manifest: Manifest,
    /// Its pages, in dataset order, with the manifest's defaults filled in and `site` set.
    pub records: Records,
    /// What an importer left out, or read otherwise than it stands, and why.
    pub notes: Vec<Note>,
    pub(super) root: Root,
    pub(super) gold_root: Root,
    pub(super) readings: Readings,
    pub(super) stored: StoredFiles,
    pub(super) dropped: Dropped,
    pub(super) unread: Unread,
    pub(super) unchecked: Option<Unchecked>,
}

/// The pages whose files a load did not look at, for [`Dataset::check_files`].
#[derive(Clone, Debug)]
pub(super) struct Unchecked {
    /// Those that were loaded, also if fewer are wanted.
    pub(super) records: Records,
    /// Named where a record is in no page list.
    pub(super) file: String,
}

/// A page, ready for algorithms, with its gold.
pub struct Opened {
    /// The page as algorithms see it.
    pub page: Page,
    /// The gold text, normalised. `None`: the page has no gold.
    pub gold: Option<String>,
    /// The gold text nodes of the page, where selectors or ordinals name them.
    pub nodes: Option<Selection>,
    /// Selectors of its gold that matched nothing.
    pub unmatched: Vec<String>,
    /// The text nodes by role, where the gold's selectors name roles.
    pub roles: Option<Roles>,
    /// What moved the figure: SHA-256 of the page's bytes and of the gold's.
    pub digests: Digests,
}

impl Dataset {
    /// The dataset of these pages, read as they are, with nothing beside them; `ids` are the hashes of their ids.
    pub(super) fn new(manifest: Manifest, records: Records, ids: Vec<u64>, root: Root, gold_root: Root) -> Self {
        let stored = StoredFiles::new(ids);
        Dataset {
            manifest,
            records,
            notes: Vec::new(),
            root,
            gold_root,
            readings: Readings::default(),
            stored,
            dropped: Dropped::default(),
            unread: Unread::default(),
            unchecked: None,
        }
    }

    /// What was found wrong when it was loaded, if that did not end the load.
    pub fn dropped(&self) -> &Dropped {
        &self.dropped
    }

    /// Refuses a dataset of which faults left no page.
    ///
    /// # Errors
    /// [`DatasetError`]: the first of those faults.
    pub fn refuse_if_none_is_left(&self) -> Result<(), DatasetError> {
        match self.dropped.listed().next() {
            Some(fault) if self.records.is_empty() => Err(fault.clone()),
            _ => Ok(()),
        }
    }

    /// Says in the manifest how many pages there are now that faulty ones are left out, and by its version that it is
    /// another dataset.
    pub fn mark_fixed(&mut self) {
        let counts = DeclaredCounts { pages: Some(self.records.len()), golds: Some(self.records.golds()) };
        let version = self.manifest.marked_version("-fixed");
        self.manifest = Manifest { counts: Some(counts), digest: None, version, ..std::mem::take(&mut self.manifest) };
    }

    /// The dataset's digest, given those of each page: `sha256:` and 64 hexadecimal digits.
    ///
    /// # Errors
    /// As [`Records::get`] and [`Dataset::refuse_unread`].
    pub fn digest(&self, of_page: impl Fn(&Record) -> Digests + Sync) -> Result<String, DatasetError> {
        self.digest_and(of_page, |_| ())
    }

    /// The same, which hands each record to `also`, in order.
    pub(crate) fn digest_and(
        &self,
        of_page: impl Fn(&Record) -> Digests + Sync,
        mut also: impl FnMut(&Record),
    ) -> Result<String, DatasetError> {
        let mut digest = DatasetDigest::new();
        let of_page = |record: &Record| {
            let digests = of_page(record);
            self.refuse_unread().map(|()| digests)
        };
        self.records.for_each_made(1_024, of_page, |record, digests| {
            digest.add(record, &digests);
            also(record);
            Ok::<_, DatasetError>(())
        })?;
        Ok(digest.finish(&self.manifest))
    }

    /// The name in results and on the command line.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Refuses to go on where a file of a page or a gold was there and could not be read: then the last outcomes say
    /// something of the system, not of the pages. Asked before any of them is kept.
    ///
    /// # Errors
    /// [`DatasetError`]: the first such error, of the code `E-IO`, or `E-MISSING` of a file that was removed.
    pub fn refuse_unread(&self) -> Result<(), DatasetError> {
        self.unread.first()
    }

    /// Whether `folder`, which need not be there, is the dataset's own, or lies among its pages or golds: what is written
    /// there would be taken for some of them.
    ///
    /// # Errors
    /// As [`Records::get`].
    pub fn is_among_pages(&self, folder: &Path) -> Result<bool, DatasetError> {
        let folder = resolved(folder);
        if let Root::Made(made) = &self.root
            && made.home().is_some_and(|home| resolved(home) == folder)
        {
            return Ok(true);
        }
        let home = |root: &Root| if let Root::Folder(home) = root { Some(resolved(home)) } else { None };
        let (pages, golds) = (home(&self.root), home(&self.gold_root));
        let (of_pages, of_golds) =
            (pages.filter(|home| folder.starts_with(home)), golds.filter(|home| folder.starts_with(home)));
        if of_pages.as_ref() == Some(&folder) || of_golds.as_ref() == Some(&folder) {
            return Ok(true);
        }
        if of_pages.is_none() && of_golds.is_none() {
            return Ok(false);
        }
        let is_around = |home: &Option<PathBuf>, path: Option<&str>| {
            let file = home.as_ref().zip(path).map(|(home, path)| home.join(path));
            file.is_some_and(|file| file.parent().is_some_and(|around| folder.starts_with(around)))
        };
        for record in self.records.iter() {
            let record = record?;
            let gold = record.gold.as_ref().and_then(GoldSource::path);
            if is_around(&of_pages, record.html.path()) || is_around(&of_golds, gold) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The page's bytes as algorithms get them.
    ///
    /// # Errors
    /// A sentence: the file cannot be read or is too large.
    pub fn page_bytes(&self, record: &Record) -> Result<Vec<u8>, String> {
        Ok(self.read_page(record)?)
    }

    /// The same, with the fault's code.
    pub(super) fn read_page(&self, record: &Record) -> Result<Vec<u8>, Fault> {
        let compression = record.html.object().and_then(|object| object.compression);
        let bytes = match (record.html.text(), record.html.base64(), record.html.path()) {
            (Some(text), ..) => text.as_bytes().to_vec(),
            (None, Some(packed), _) => {
                let fault = |error| Fault::new(Code::Type, format!("the page is no Base64: {error}"));
                STANDARD.decode(packed).map_err(fault)?
            }
            (None, None, Some(path)) => self.root.read(path, compression).map_err(self.unread.of(&self.root, path))?,
            (None, None, None) => return Err(Fault::new(Code::Type, "the page has none of path, text and base64")),
        };
        if bytes.len() as u64 > MAX_PAGE_BYTES {
            return Err(Fault::new(Code::Size, format!("the page has more than {MAX_PAGE_BYTES} bytes")));
        }
        let wrapped = bytes.len();
        let page = (self.readings.page)(&bytes);
        if page.len() == wrapped { Ok(bytes) } else { Ok(page.to_vec()) }
    }

    /// The digests of a page that need not be opened; `-` for what cannot be read.
    pub fn digests(&self, record: &Record) -> Digests {
        let gold = || self.gold_text(record);
        let needs_page = record.needs_page_for_gold();
        if !needs_page && let Some(page) = record.html.path().and_then(|path| self.root.known_digest(path)) {
            return Digests { page, ..Digests::of(None, gold().as_deref()) };
        }
        // A page that is not what its list says has no digest where the load did not look at it.
        let is_as_stated = |bytes: &Vec<u8>| self.unchecked.is_none() || check_stated(record, bytes).is_ok();
        let bytes = self.page_bytes(record).ok().filter(is_as_stated);
        if needs_page
            && let Some(bytes) = &bytes
            && let Ok(opened) = self.open_bytes(record, bytes)
        {
            return opened.digests;
        }
        Digests::of(bytes.as_deref(), gold().as_deref())
    }

    /// The normalised gold of a page that need not be parsed for it; `None` where there is none, or
    /// where it is made from nodes of the page.
    pub fn gold_text(&self, record: &Record) -> Option<String> {
        let source = record.gold.as_ref().filter(|gold| gold.is_text())?;
        self.read_gold(source).ok()
    }

    /// The options that say of which sites pages are; `None` where someone said that each page is a site of its own.
    pub(super) fn way_to_sites(&self) -> Option<&'static str> {
        self.readings.way_to_sites.filter(|_| self.manifest.site_rule != SiteRule::Page)
    }

    /// The gold text of a page for a rule that reads it as it stands: as the dataset's reader gives it, before lines are
    /// normalised, and for the tokens `cleaneval` the text of its file. For measures of structure an annotated copy is what
    /// selectors select in it. `None` for other rules, without gold, where it is made from nodes of the page, and for tokens
    /// where it is HTML, which is rendered for all of them.
    ///
    /// # Errors
    /// A sentence: its file cannot be read.
    pub fn gold_as_it_stands(&self, record: &Record, rule: Comparison) -> Result<Option<String>, String> {
        let source = record.gold.as_ref().filter(|_| rule.reads_as_it_stands());
        if let Some(source) = source.filter(|source| !source.is_text()) {
            let is_of_parts = rule.measure.structure().is_some();
            return Ok(if is_of_parts { self.marks_as_they_stand(source)? } else { None });
        }
        let is_rendered = |source: &&GoldSource| source.kind() == TextKind::Html && rule.measure.structure().is_none();
        let read = |source| match rule.tokens {
            TokenKind::Cleaneval => self.gold_file(source),
            _ => self.raw_gold(source),
        };
        Ok(source.filter(|source| !is_rendered(source)).map(read).transpose()?)
    }

    /// The selectors and the characters of an annotated copy: another copy may have the same text in other elements.
    fn marks_as_they_stand(&self, source: &GoldSource) -> Result<Option<String>, Fault> {
        let (Some(select), Some(path)) = (source.select(), source.path()) else { return Ok(None) };
        let encoding = source.encoding().and_then(charset::for_label);
        let copy = charset::decode(&self.gold_bytes(source, path)?, encoding).text;
        let select = serde_json::to_string(select).unwrap_or_default();
        Ok(Some(format!("{select}\n{copy}")))
    }

    /// The gold of a page with its tables, code and formulas; `opened` is the page with its gold nodes, where they are
    /// known. `None` where there is no gold.
    ///
    /// # Errors
    /// A sentence: a file cannot be read, or the nodes are not known.
    pub fn gold_document(
        &self,
        record: &Record,
        opened: Option<(&Tree, &Selection)>,
    ) -> Result<Option<Document>, String> {
        let Some(source) = &record.gold else { return Ok(None) };
        if let Some(kind) = source.form() {
            return Ok(Some(Document::new(kind, self.raw_gold(source)?)));
        }
        if let (Some(select), Some(path)) = (source.select(), source.path()) {
            let copy = self.annotated_copy(source, path)?;
            return Ok(Some(Document::of_selection(&copy.tree, &gold_of(&copy, select)?.selection)));
        }
        let (tree, nodes) = opened.ok_or("its gold nodes are not known")?;
        Ok(Some(Document::of_selection(tree, nodes)))
    }

    /// The text of a gold as the dataset's reader gives it.
    pub(super) fn raw_gold(&self, source: &GoldSource) -> Result<String, Fault> {
        Ok((self.readings.gold)(&self.gold_file(source)?))
    }

    /// The normalised text of a gold that is a text.
    pub(super) fn read_gold(&self, source: &GoldSource) -> Result<String, Fault> {
        Ok(normalise_lines(&source.kind().rendered(&self.raw_gold(source)?)?))
    }

    /// The page's characters, for a program that parses for itself.
    ///
    /// # Errors
    /// A sentence: the page cannot be read.
    pub fn characters(&self, record: &Record) -> Result<String, String> {
        let encoding = record.encoding.as_deref().and_then(charset::for_label);
        Ok(charset::decode(&self.page_bytes(record)?, encoding).text)
    }

    /// The page as algorithms see it, without its gold.
    ///
    /// # Errors
    /// As [`Dataset::open`].
    pub fn open_page(&self, record: &Record) -> Result<Page, String> {
        let mut page = parse(&self.read_page(record)?, record)?;
        if let Some(stripped) = self.stripped(&page.tree)? {
            page.tree = stripped;
        }
        Ok(page)
    }

    /// The page and its gold.
    ///
    /// # Errors
    /// A sentence: the page cannot be read or makes too many nodes. That page fails; others go on.
    pub fn open(&self, record: &Record) -> Result<Opened, String> {
        Ok(self.open_bytes(record, &self.read_page(record)?)?)
    }

    /// The page of these bytes, which are its own, and its gold; errors as those of [`Dataset::open`], with their codes.
    pub(super) fn open_bytes(&self, record: &Record, bytes: &[u8]) -> Result<Opened, Fault> {
        let mut page = parse(bytes, record)?;
        // Gold by selectors is read from the page with its annotations, algorithms get it without.
        let Marked { text: mut gold, mut nodes, unmatched, roles } = self.gold(record, &page)?;
        let mut annotated = None;
        if let (Some(strip), Some(stripped)) = (&self.manifest.annotations, self.stripped(&page.tree)?) {
            if let Some(marked) = &nodes {
                let carried = annotation::carried(&page.tree, marked, strip, &stripped);
                nodes = Some(carried?);
            }
            annotated = Some((std::mem::replace(&mut page.tree, stripped), strip));
        }
        let stripped = annotated.as_ref().map(|(tree, strip)| (tree, *strip));
        let mut roles = roles.map(|found| found.on_page(&page, stripped)).transpose()?;
        // Roles that stand beside ordinals are in the record, and part of the digest of these.
        let of_selectors = roles.as_ref().map(Roles::digest);
        if let Some(stated) = record.gold.as_ref().and_then(GoldSource::nodes) {
            let fault = |fault: NodesFault| Fault::new(fault.code(), format!("{fault} ({})", fault.code()));
            let meant = stated.selection(&page.tree).map_err(fault)?;
            // Marks of Markdown and HTML are no text of the page.
            let is_plain = record.gold.as_ref().is_some_and(|gold| gold.kind() == TextKind::Text);
            let exact = is_plain && stated.f1.is_some_and(|[part, whole]| part == whole);
            match &gold {
                Some(gold) if exact && char_tokens(gold) != char_tokens(&stated.text(&page.tree)) => {
                    return Err(fault(NodesFault::NotTheText));
                }
                Some(_) => {}
                None => gold = Some(normalise_lines(&stated.text(&page.tree))),
            }
            roles = roles.or_else(|| stated.node_roles(&page.tree, &meant));
            nodes = Some(meant);
        }
        let digests = Digests { roles: of_selectors, ..Digests::of(Some(bytes), gold.as_deref()) };
        Ok(Opened { page, gold, nodes, unmatched, roles, digests })
    }

    /// The gold and the digests of a page that nothing needs to parse, and the characters of its HTML, white space left out.
    ///
    /// # Errors
    /// A sentence: the page or its gold cannot be read, or the gold is made from nodes of the page.
    pub fn open_gold(&self, record: &Record) -> Result<(Option<String>, Digests, usize), String> {
        if record.needs_page_for_gold() {
            return Err("its gold is read from the parsed page".to_owned());
        }
        let bytes = self.page_bytes(record)?;
        let gold = record.gold.as_ref().map(|source| self.read_gold(source)).transpose()?;
        let digests = Digests::of(Some(&bytes), gold.as_deref());
        let html = charset::decode(&bytes, encoding(record)).text;
        Ok((gold, digests, chars(&html)))
    }

    /// The page without the marks of annotations, where there may be some.
    fn stripped(&self, tree: &Tree) -> Result<Option<Tree>, Fault> {
        let Some(strip) = &self.manifest.annotations else { return Ok(None) };
        let stripped = annotation::strip(tree, strip)?;
        match annotation::keeps_text(tree, strip, &stripped)? {
            true => Ok(Some(stripped)),
            false => {
                let message = "`annotations.unwrap` of the manifest changes the page's text: unwrap no element that begins a \
                               line or is invisible; name attributes or classes of it instead";
                Err(Fault::new(Code::Selector, message))
            }
        }
    }

    fn gold(&self, record: &Record, page: &Page) -> Result<Marked, Fault> {
        let Some(source) = &record.gold else { return Ok(Marked::default()) };
        match (source.select(), source.path()) {
            (None, _) if source.is_text() => Ok(Marked { text: Some(self.read_gold(source)?), ..Marked::default() }),
            (None, _) => Ok(Marked::default()),
            (Some(select), None) => selected(page, select, false),
            (Some(select), Some(path)) => {
                let marked = selected(&self.annotated_copy(source, path)?, select, true)?;
                Ok(Marked { nodes: None, ..marked })
            }
        }
    }

    /// The annotated copy of a page, at `path`.
    fn annotated_copy(&self, source: &GoldSource, path: &str) -> Result<Page, Fault> {
        let bytes = self.gold_bytes(source, path)?;
        let encoding = source.encoding().and_then(charset::for_label);
        Ok(Page::new(&bytes, Context { encoding, ..Context::default() })?)
    }

    /// The gold's text as it is stored.
    pub(super) fn gold_file(&self, source: &GoldSource) -> Result<String, Fault> {
        if let Some(text) = source.text() {
            return Ok(text.to_owned());
        }
        let path = source.path().ok_or_else(|| Fault::new(Code::Type, "the gold has none of path, text and select"))?;
        let bytes = self.gold_bytes(source, path)?;
        let label = source.encoding().unwrap_or("utf-8");
        let unknown = || Fault::new(Code::Encoding, format!("`{label}` is no label of the Encoding Standard"));
        let encoding = charset::for_label(label).ok_or_else(unknown)?;
        charset::decode_strictly(&bytes, encoding).ok_or_else(|| {
            let message = format!("gold `{path}` is not valid {}; {}", encoding.name(), self.readings.undecoded_gold);
            Fault::new(Code::GoldBytes, message)
        })
    }

    /// The bytes of the gold's file at `path`, which are what the page list says they are.
    pub(super) fn gold_bytes(&self, source: &GoldSource, path: &str) -> Result<Vec<u8>, Fault> {
        let named = |fault: Fault| Fault { message: format!("gold `{path}`: {}", fault.message), ..fault };
        let bytes = self.gold_root.read(path, None).map_err(self.unread.of(&self.gold_root, path)).map_err(named)?;
        match source.object().and_then(|object| object.sha256.as_ref()) {
            Some(expected) if *expected != sha256(&bytes) => {
                Err(named(Fault::new(Code::Digest, "its sha256 is not the one in the page list")))
            }
            _ => Ok(bytes),
        }
    }
}

/// Checks a page's bytes where the page list says their length or their SHA-256.
pub(super) fn check_stated(record: &Record, bytes: &[u8]) -> Result<(), String> {
    let Some(HtmlObject { sha256: expected, bytes: length, .. }) = record.html.object() else { return Ok(()) };
    if expected.as_ref().is_some_and(|expected| *expected != sha256(bytes)) {
        return Err("the page's sha256 is not the one in the page list".to_owned());
    }
    match length {
        Some(length) if *length != bytes.len() as u64 => {
            Err(format!("the page has {} bytes, not the {length} in the page list", bytes.len()))
        }
        _ => Ok(()),
    }
}

fn parse(bytes: &[u8], record: &Record) -> Result<Page, Fault> {
    let context = Context {
        encoding: encoding(record),
        language: record.language.clone(),
        site: record.site.clone(),
        url: record.details().url.clone(),
    };
    Ok(Page::new(bytes, context)?)
}

/// The encoding that upstream states.
fn encoding(record: &Record) -> Option<&'static Encoding> {
    record.encoding.as_deref().and_then(charset::for_label)
}

/// A page's gold text, if it has one, the nodes that it was made from, the selectors that matched nothing, and its roles.
#[derive(Default)]
struct Marked {
    text: Option<String>,
    nodes: Option<Selection>,
    unmatched: Vec<String>,
    roles: Option<Found>,
}

fn gold_of(page: &Page, select: &Select) -> Result<annotation::Marked, Fault> {
    Ok(annotation::gold_selection(&page.tree, select)?)
}

/// What `select` says of `page`, which is an annotated copy of the page itself or not.
fn selected(page: &Page, select: &Select, is_copy: bool) -> Result<Marked, Fault> {
    let marked = gold_of(page, select)?;
    let roles = Found::of(page, select, is_copy)?;
    let text = normalise_lines(&render(&page.tree, &marked.selection));
    Ok(Marked { text: Some(text), nodes: Some(marked.selection), unmatched: marked.unmatched, roles })
}

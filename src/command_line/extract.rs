//! `carat extract`.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::algorithms::{Entry, find};
use crate::datasets::import::languages::{language_of, told_languages};
use crate::datasets::import::page_names::ids_of;
use crate::datasets::manifest::Compression;
use crate::datasets::words::check_language;
use crate::datasets::{MAX_PAGE_BYTES, decompress};
use crate::formats::files::{AtomicFile, unwritten};
use crate::formats::reading::{read_at_most, unread};
use crate::page::{Context, Page, charset};
use crate::runs::configuration::AlgorithmRequest;
use crate::runs::kinds::single_setting;
use crate::text::counted;
use serde_json::json;

use crate::command_line::arguments::{self, Format};
use crate::command_line::failure::{Failure, Told};
use crate::command_line::output::{print_json, print_result, tell};
use crate::formats::code::Exit;

/// Prints the extraction of one page, or writes those of several.
pub(crate) fn extract(arguments: arguments::Extract) -> Result<(), Failure> {
    let request = AlgorithmRequest::from_argument(&arguments.algorithm)?;
    let setting = single_setting(&request)?;
    if let Entry::Group(_) = find(&request.name)? {
        tell(&format!(
            "note: {} compares pages, and here it sees each alone; with the other pages of its site, `carat run` may give other texts",
            request.name
        ));
    }
    let of_page = |path: &Path| -> Result<(Arc<Page>, String), Failure> {
        let page = Arc::new(read_page(path, arguments.encoding.as_deref(), arguments.language.as_deref())?);
        let text = find(&request.name)?.choose(std::slice::from_ref(&page), &setting).text(&page);
        Ok((page, text))
    };
    if let Some(out) = &arguments.out {
        let languages = Mutex::new(BTreeMap::new());
        let text_of = |path: &Path| {
            let (page, text) = of_page(path)?;
            let mut languages = languages.lock().unwrap_or_else(PoisonError::into_inner);
            languages.insert(path.to_owned(), page.primary_language());
            Ok(text)
        };
        write_texts(&arguments.pages, out, arguments.force, text_of)?;
        if arguments.language.is_none() {
            tell_languages(&languages.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        return Ok(());
    }
    let path = match &arguments.pages[..] {
        [page] if !page.is_dir() => page,
        pages => {
            let first = pages.first().map(|page| page.display().to_string()).unwrap_or_default();
            let needs = "a folder, or several pages, need --out DIR for their texts";
            return Err(Failure::request(format!("{first}: {needs}")));
        }
    };
    let (page, text) = of_page(path)?;
    if !has_html(&page) {
        tell(&format!("note: {} holds no HTML, so all of it is one text", path.display()));
    }
    let facts = &page.facts;
    match arguments.format {
        Format::Text if text.is_empty() => {
            tell(&format!("{} extracts nothing from {}", request.name, path.display()));
            Ok(())
        }
        Format::Text => print_result(&format!("{text}\n")),
        Format::Json => print_json(&json!({
            "algorithm": request.name,
            "parameters": setting.values(),
            "encoding": facts.encoding,
            "language": page.primary_language(),
            "replaced": facts.replaced,
            "text": text,
        })),
    }
}

/// Says in which languages the pages seem to be.
fn tell_languages(languages: &BTreeMap<PathBuf, Option<String>>) {
    let mut found = BTreeMap::new();
    for language in languages.values().flatten() {
        *found.entry(language.clone()).or_default() += 1;
    }
    tell(&format!("note: {}", told_languages(&found, languages.len(), "--")));
}

/// True if the page has an element that is not there in every page.
fn has_html(page: &Page) -> bool {
    let tree = &page.tree;
    let is_in_every_page = |id| matches!(&**tree.name(id), "html" | "head" | "body");
    tree.ids().any(|id| tree.is_element(id) && !is_in_every_page(id))
}

/// Writes the text of each page into the folder `out`: `NAME.txt` for `NAME.html` ([`text_of_page`]), in the same folders
/// below it as the page is below the folder that was named. A text that is there with other content may be somebody's gold:
/// without `force` nothing is written then.
fn write_texts(
    pages: &[PathBuf],
    out: &Path,
    force: bool,
    text_of: impl Fn(&Path) -> Result<String, Failure> + Sync,
) -> Result<(), Failure> {
    let mut texts: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for (page, below) in pages.iter().map(|path| files_of(path)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
        let text = out.join(text_of_page(&below));
        if let Some(other) = texts.insert(text, page.clone()) {
            let [page, other] = [page, other].map(|path| path.display().to_string());
            return Err(Failure::request(format!(
                "{other} and {page} would have one text: extract them into two folders"
            )));
        }
    }
    let texts: Vec<(PathBuf, PathBuf)> = texts.into_iter().collect();
    let content_of = |page: &Path| -> Result<String, Failure> {
        let extraction = text_of(page)?;
        Ok(if extraction.is_empty() { extraction } else { extraction + "\n" })
    };
    if !force {
        refuse_other_content(&texts, content_of)?;
    }
    let write = |(text, page): &(PathBuf, PathBuf)| -> Result<bool, Failure> {
        let content = content_of(page)?;
        let mut file = AtomicFile::new(text)?;
        file.write_all(content.as_bytes()).map_err(|source| unwritten(text, source))?;
        file.finish_unsynced()?;
        Ok(content.is_empty())
    };
    let written: Vec<Result<bool, Failure>> = texts.par_iter().map(write).collect();
    let empty = written.iter().filter(|written| matches!(written, Ok(true))).count();
    let failed = written.iter().filter(|written| written.is_err()).count();
    let (whole, shown) = (texts.len() - failed, out.display());
    tell(&format!("{} in {shown}, {empty} of them empty", counted(whole, "text")));
    match written.into_iter().find_map(Result::err) {
        None => Ok(()),
        Some(Failure { kind, told: Told::Sentence(told), .. }) if failed > 1 => {
            Err(Failure::new(kind, format!("{told}; {} more like it", counted(failed - 1, "failure"))))
        }
        Some(only) => Err(only),
    }
}

/// Refuses texts, each with its page, that are there and not what would be written.
fn refuse_other_content(
    texts: &[(PathBuf, PathBuf)],
    content_of: impl Fn(&Path) -> Result<String, Failure> + Sync,
) -> Result<(), Failure> {
    let is_other = |(text, page): &&(PathBuf, PathBuf)| {
        // A page that fails is told where its text is written.
        let content = || content_of(page).map(String::into_bytes).ok();
        text.symlink_metadata().is_ok() && std::fs::read(text).ok() != content()
    };
    let others: Vec<&(PathBuf, PathBuf)> = texts.par_iter().filter(is_other).collect();
    match others.first() {
        None => Ok(()),
        Some((first, _)) => Err(Failure::request(format!(
            "{} there with other content, such as {}, and nothing was written: choose another folder, or replace them with --force",
            if others.len() == 1 { "1 text is".to_owned() } else { format!("{} texts are", others.len()) },
            first.display()
        ))),
    }
}

/// The path of a page without the ending of a packed file.
fn unpacked(page: &Path) -> PathBuf {
    match Compression::of_path(&page.to_string_lossy()) {
        Compression::None => page.to_owned(),
        Compression::Gzip | Compression::Zstd => page.with_extension(""),
    }
}

/// Where the text of a page is, by the page's path, so that it is the page's as a stored output: there a `%` of a name
/// would be taken for one of an id.
fn text_of_page(page: &Path) -> PathBuf {
    let page = unpacked(page);
    let name = page.file_name().unwrap_or_default().to_string_lossy();
    match name.contains('%') {
        true => page.with_file_name(format!("{}.txt", ids_of(&[&name]).concat().replace('%', "%25"))),
        false => page.with_extension("txt"),
    }
}

/// The pages in a file or below a folder, each with its path below that.
fn files_of(path: &Path) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    if !path.is_dir() {
        return Ok(vec![(path.to_owned(), path.file_name().map(PathBuf::from).unwrap_or_default())]);
    }
    let is_page = |file: &Path| {
        let ending = unpacked(file).extension().map(|ending| ending.to_ascii_lowercase());
        ending.is_some_and(|ending| ["html", "htm", "xhtml", "shtml"].iter().any(|known| ending == *known))
    };
    let mut pages = Vec::new();
    for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
        let entry = entry.map_err(|error| Failure::new(Exit::Data, format!("{}: {error}", path.display())))?;
        if entry.file_type().is_file() && is_page(entry.path()) {
            let below = entry.path().strip_prefix(path).unwrap_or(entry.path()).to_owned();
            pages.push((entry.path().to_owned(), below));
        }
    }
    if pages.is_empty() {
        return Err(Failure::request(format!("no page (*.html, *.htm) lies below {}", path.display())));
    }
    Ok(pages)
}

/// The page in a file, or on standard input for `-`. The language that nobody states is found in its text, as in a dataset.
pub(crate) fn read_page(path: &Path, encoding: Option<&str>, language: Option<&str>) -> Result<Page, Failure> {
    let unknown = |label| Failure::request(format!("--encoding: `{label}` is no label of the Encoding Standard"));
    let encoding = encoding.map(|label| charset::for_label(label).ok_or_else(|| unknown(label))).transpose()?;
    let wrong = |message| Failure::request(format!("--language: {message}"));
    language.map_or(Ok(()), |language| check_language(language).map_err(wrong))?;
    let bytes = unpack(path, read_input(path, MAX_PAGE_BYTES)?)?;
    let language = match language {
        None => language_of(&bytes, encoding),
        stated => stated.filter(|language| *language != "none").map(str::to_owned),
    };
    let context = Context { encoding, language, ..Context::default() };
    Page::new(&bytes, context).map_err(|error| Failure::new(Exit::Data, format!("{}: {error}", path.display())))
}

/// The bytes of a page that may be packed: no page begins as gzip and Zstandard do.
fn unpack(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let packed = Compression::of_bytes(&bytes);
    let broken = |error| Failure::new(Exit::Data, format!("{} cannot be unpacked: {error}", path.display()));
    let bytes = decompress(bytes.into(), packed, MAX_PAGE_BYTES + 1).map_err(broken)?;
    match bytes.len() as u64 > MAX_PAGE_BYTES {
        true => {
            Err(Failure::new(Exit::Data, format!("{} unpacks to more than {MAX_PAGE_BYTES} bytes", path.display())))
        }
        false => Ok(bytes),
    }
}

/// At most so many bytes of a file, or of standard input for `-`.
pub(crate) fn read_input(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    if path != Path::new("-") {
        return Ok(read_at_most(path, most)?);
    }
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    read.map_err(|source| unread("standard input".as_ref(), source))?;
    if bytes.len() as u64 > most {
        return Err(Failure::new(Exit::Data, format!("standard input has more than {most} bytes")));
    }
    Ok(bytes)
}

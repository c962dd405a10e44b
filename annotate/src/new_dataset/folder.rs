//! Pages that someone saved in a folder, and the addresses that they say they are from.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use carat_core::text::urls::web_address;

use super::{MAX_BYTES, PassedOver};

/// A file that may be a page.
pub(super) struct Saved {
    pub(super) path: PathBuf,
    /// As it is told.
    pub(super) name: String,
    pub(super) id: String,
    /// Its address, where it is listed.
    pub(super) url: Option<String>,
    /// The site that its path tells, where every path of its folder tells one.
    pub(super) site: Option<String>,
}

/// The pages below `source`, in no order and without ids, and the files that were passed over, with the reason; `out` is not
/// looked into.
///
/// # Errors
/// A sentence: a folder cannot be read.
pub(super) fn gather(source: &Path, out: &Path) -> Result<(Vec<Saved>, PassedOver), String> {
    let (mut saved, mut passed) = (Vec::new(), Vec::new());
    below(source, source, out, &mut saved, &mut passed)?;
    let mut urls = listed_urls(source, &mut passed);
    saved.iter_mut().for_each(|saved| saved.url = urls.remove(&saved.name).map(|(_, url)| url));
    let unused = urls.into_iter().map(|(path, (line, _))| (of_list(line), format!("there is no page {path}")));
    passed.extend(unused);
    Ok((saved, passed))
}

fn below(
    root: &Path,
    folder: &Path,
    out: &Path,
    saved: &mut Vec<Saved>,
    passed: &mut PassedOver,
) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut entries: Vec<_> = fs::read_dir(folder).map_err(cannot)?.collect::<Result<_, _>>().map_err(cannot)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().map_err(cannot)?);
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_junk = name.starts_with('.') || name == "Thumbs.db";
        if is_junk || path == out {
            continue;
        }
        let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if kind.is_symlink() {
            passed.push((relative, "it is a link".to_owned()));
        } else if kind.is_dir() {
            below(root, &path, out, saved, passed)?;
        } else if is_mhtml(&name) {
            passed.push((relative, MHTML.to_owned()));
        } else if is_warc(&name) {
            passed.push((relative, WARC.to_owned()));
        } else if stem(&name).is_some() {
            saved.push(Saved { path, name: relative, id: String::new(), url: None, site: None });
        }
    }
    Ok(())
}

/// The way out for those who have MHTML.
pub(super) const MHTML: &str = "MHTML is not read: save as \"HTML only\", or with SingleFile, which keeps styles";

/// True of a name of MHTML.
pub(super) fn is_mhtml(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".mhtml") || lower.ends_with(".mht")
}

/// The way out for those who have WARC files beside saved pages.
const WARC: &str = "it is a WARC file beside saved pages: name it by --from for a dataset of its pages";

/// True of a name of a WARC file.
pub fn is_warc(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".warc") || lower.ends_with(".warc.gz")
}

/// True if a page is saved below `folder`, `out` aside. A folder that cannot be read has none; who reads it tells why.
pub fn holds_pages(folder: &Path, out: &Path) -> bool {
    gather(folder, out).is_ok_and(|(saved, _)| !saved.is_empty())
}

/// The length of a page's name without its endings; `None` where it is no page.
pub(super) fn stem(name: &str) -> Option<usize> {
    let lower = name.to_ascii_lowercase();
    let plain = lower.strip_suffix(".gz").or_else(|| lower.strip_suffix(".zst")).unwrap_or(&lower);
    [".html", ".htm", ".xhtml", ".shtml"].iter().find_map(|ending| plain.strip_suffix(ending)).map(str::len)
}

/// The bytes of a page, unpacked.
///
/// # Errors
/// The reason, as part of a sentence.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let told = |error: std::io::Error| format!("it cannot be read: {error}");
    let mut file = BufReader::new(fs::File::open(path).map_err(told)?);
    let name = path.to_string_lossy().to_ascii_lowercase();
    // Some names do not say that their files are packed.
    let front = file.fill_buf().map_err(told)?;
    let is_gzip = name.ends_with(".gz") || front.starts_with(&[0x1F, 0x8B, 0x08]);
    let is_zstd = name.ends_with(".zst") || front.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]);
    let mut bytes = Vec::new();
    let read = if is_gzip {
        flate2::bufread::MultiGzDecoder::new(file).take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else if is_zstd {
        zstd::Decoder::with_buffer(file).map_err(told)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else {
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)
    };
    read.map_err(told)?;
    if bytes.len() as u64 > MAX_BYTES { Err("it has more than 32 MiB".to_owned()) } else { Ok(bytes) }
}

/// The list of the addresses of a folder's pages.
const LIST: &str = "urls.tsv";

/// A line of that list, as it is told.
fn of_list(line: usize) -> String {
    format!("{LIST}:{line}")
}

/// The lines `PATH<TAB>URL` of `urls.tsv`: each path with the number of its line and its address. Other lines are passed over.
fn listed_urls(source: &Path, passed: &mut PassedOver) -> BTreeMap<String, (usize, String)> {
    let bytes = match fs::read(source.join(LIST)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return BTreeMap::new(),
        Err(error) => {
            passed.push((LIST.to_owned(), format!("it cannot be read: {error}")));
            return BTreeMap::new();
        }
    };
    let mut urls = BTreeMap::new();
    let text = String::from_utf8_lossy(&bytes);
    for (line, text) in (1..).zip(text.trim_start_matches('\u{FEFF}').lines()) {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let pair = text.split_once('\t').ok_or("it has no tab between path and address".to_owned());
        let read = pair.and_then(|(path, url)| match web_address(url) {
            Some(url) => Ok((path.to_owned(), (line, url))),
            None => Err(format!("`{}` is no address of http or https", url.trim())),
        });
        match read {
            Ok((path, _)) if urls.contains_key(&path) => {
                passed.push((of_list(line), format!("{path} has an address already")))
            }
            Ok((path, url)) => drop(urls.insert(path, url)),
            Err(reason) => passed.push((of_list(line), reason)),
        }
    }
    urls
}

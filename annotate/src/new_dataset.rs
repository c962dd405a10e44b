//! A dataset of pages that someone saved, without gold: a folder becomes `dataset.yaml`, a page list and the pages' bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use carat_core::page::tree::Tree;
use carat_core::page::{Context, Page};
use serde_json::json;

use crate::digest::sha256;
use crate::guidelines::BUILT_IN;

/// A page with more bytes is passed over.
const MAX_BYTES: u64 = 32 << 20;
/// Where browsers say from which address a page was saved.
const FRONT: usize = 2_048;
/// Characters of an id.
const MAX_ID: usize = 200;

/// The request for a new dataset.
pub struct Request<'r> {
    /// The folder of saved pages.
    pub source: &'r Path,
    /// The new dataset's folder.
    pub out: &'r Path,
    /// Its name.
    pub name: &'r str,
    /// The language of its pages.
    pub language: Option<&'r str>,
    /// The licence of its gold.
    pub licence: &'r str,
    /// True if a page of this id is taken.
    pub is_wanted: &'r dyn Fn(&str) -> bool,
    /// So many pages at most, drawn by id and seed.
    pub sample: Option<usize>,
    /// The seed.
    pub seed: u64,
}

/// A report on the dataset that was made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Pages.
    pub pages: usize,
    /// Ids of pages whose address is not known: each is a site of its own.
    pub without_url: Vec<String>,
    /// Files that were passed over, and why.
    pub passed: Vec<(String, String)>,
}

/// A file that may be a page.
struct Saved {
    path: PathBuf,
    relative: String,
    id: String,
}

/// Makes a dataset of a folder of saved pages.
///
/// # Errors
/// A sentence: the folder cannot be read, holds no page, or what is to be made is there already.
pub fn make(request: &Request<'_>) -> Result<Made, String> {
    if request.out.join("dataset.yaml").exists() {
        return Err(format!("{} holds a dataset already; choose another folder", request.out.display()));
    }
    let mut made = Made::default();
    let mut saved = Vec::new();
    gather(request.source, request.source, request.out, &mut saved, &mut made.passed)?;
    saved.retain(|saved| (request.is_wanted)(&saved.id));
    saved.sort_by(|one, other| one.id.cmp(&other.id));
    if let Some(two) = saved.windows(2).find(|two| two[0].id == two[1].id) {
        let (one, other) = (&two[0].relative, &two[1].relative);
        return Err(format!("{one} and {other} would have the same id `{}`; rename one of them", two[0].id));
    }
    if let Some(sample) = request.sample {
        saved.sort_by_cached_key(|saved| sha256(format!("carat-sample\n{}\n{}\n", request.seed, saved.id).as_bytes()));
        saved.truncate(sample);
        saved.sort_by(|one, other| one.id.cmp(&other.id));
    }
    if saved.is_empty() {
        return Err(format!("{} holds no page: *.html, *.htm, *.xhtml, *.shtml", request.source.display()));
    }
    let urls = listed_urls(request.source);
    let cannot = |path: &Path, error: std::io::Error| format!("cannot write {}: {error}", path.display());
    let pages = request.out.join("pages");
    fs::create_dir_all(&pages).map_err(|error| cannot(&pages, error))?;
    let mut list = String::new();
    for saved in &saved {
        let bytes = match read(&saved.path) {
            Ok(bytes) => bytes,
            Err(reason) => {
                made.passed.push((saved.relative.clone(), reason));
                continue;
            }
        };
        let url = urls.get(&saved.relative).cloned().or_else(|| url_of(&bytes));
        let file = format!("pages/{}.html.zst", saved.id);
        let packed = zstd::encode_all(&bytes[..], 0).map_err(|error| cannot(&request.out.join(&file), error))?;
        fs::write(request.out.join(&file), packed).map_err(|error| cannot(&request.out.join(&file), error))?;
        let mut record =
            json!({ "id": saved.id, "html": { "path": file, "sha256": sha256(&bytes), "bytes": bytes.len() } });
        match url {
            Some(url) => record["url"] = json!(url),
            None => made.without_url.push(saved.id.clone()),
        }
        list += &format!("{record}\n");
        made.pages += 1;
    }
    let write = |name: &str, text: &str| {
        let path = request.out.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
        }
        fs::write(&path, text).map_err(|error| cannot(&path, error))
    };
    write("pages.jsonl", &list)?;
    write("annotations/guidelines.yaml", BUILT_IN)?;
    // Last, for it makes the folder a dataset.
    write("dataset.yaml", &manifest(request))?;
    Ok(made)
}

fn manifest(request: &Request<'_>) -> String {
    let language =
        request.language.map_or_else(String::new, |language| format!("defaults: {{language: {language}}}\n"));
    format!(
        "format: 1\nname: {}\nversion: \"1\"\nlicence: {{data: {}, pages: LicenseRef-third-party, redistribution: none}}\n\
         {language}gold: {{nature: human, verbatim: true, ordered: true}}\n",
        request.name,
        json!(request.licence)
    )
}

/// The pages below a folder, in no order; `out` is not looked into.
fn gather(
    root: &Path,
    folder: &Path,
    out: &Path,
    saved: &mut Vec<Saved>,
    passed: &mut Vec<(String, String)>,
) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut entries: Vec<_> = fs::read_dir(folder).map_err(cannot)?.collect::<Result<_, _>>().map_err(cannot)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().map_err(cannot)?);
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_junk = name.starts_with('.') || name == "Thumbs.db" || name.ends_with("_files");
        if is_junk || path == out {
            continue;
        }
        let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let lower = name.to_ascii_lowercase();
        if kind.is_symlink() {
            passed.push((relative, "it is a link".to_owned()));
        } else if kind.is_dir() {
            gather(root, &path, out, saved, passed)?;
        } else if lower.ends_with(".mhtml") || lower.ends_with(".mht") {
            let way_out = "MHTML is not read: save as \"HTML only\", or with SingleFile, which keeps styles";
            passed.push((relative, way_out.to_owned()));
        } else if let Some(stem) = stem(&lower) {
            let id = id_of(&relative[..relative.len() - (name.len() - stem)]);
            saved.push(Saved { path, relative, id });
        }
    }
    Ok(())
}

/// The length of a page's name without its endings; `None` where it is no page.
fn stem(name: &str) -> Option<usize> {
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    [".html", ".htm", ".xhtml", ".shtml"].iter().find_map(|ending| plain.strip_suffix(ending)).map(str::len)
}

/// An id of a path: `~` for `/`, other characters percent-encoded.
fn id_of(path: &str) -> String {
    let mut id = String::new();
    for byte in path.replace('/', "~").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'~' | b'@' | b'+' | b'-' => id.push(byte as char),
            _ => id += &format!("%{byte:02X}"),
        }
    }
    if id.len() <= MAX_ID {
        return id;
    }
    // A percent sign and its digits are not parted.
    let mut front = &id[..150];
    if let Some(at) = front.rfind('%').filter(|at| *at > 147) {
        front = &id[..at];
    }
    format!("{front}~{}", &sha256(id.as_bytes())[..32])
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let told = |error: std::io::Error| format!("it cannot be read: {error}");
    let file = fs::File::open(path).map_err(told)?;
    let name = path.to_string_lossy().to_ascii_lowercase();
    let mut bytes = Vec::new();
    let read = if name.ends_with(".gz") {
        flate2::read::MultiGzDecoder::new(file).take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else if name.ends_with(".zst") {
        zstd::Decoder::new(file).map_err(told)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else {
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)
    };
    read.map_err(told)?;
    if bytes.len() as u64 > MAX_BYTES { Err("it has more than 32 MiB".to_owned()) } else { Ok(bytes) }
}

/// The lines `PATH<TAB>URL` of `urls.tsv`.
fn listed_urls(source: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(source.join("urls.tsv")).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.trim_start_matches('\u{FEFF}').split_once('\t'));
    pairs.filter_map(|(path, url)| Some((path.to_owned(), address(url)?))).collect()
}

/// The address that a page says it is from: a browser's or SingleFile's comment, `link rel=canonical`, `og:url`.
fn url_of(bytes: &[u8]) -> Option<String> {
    let front = String::from_utf8_lossy(&bytes[..bytes.len().min(FRONT)]).into_owned();
    let saved = front.split_once("saved from url=(").and_then(|(_, rest)| rest.split_once(')')).map(|(_, rest)| rest);
    let single = front.contains("Page saved with SingleFile").then(|| front.split_once("url: ")).flatten();
    let word = |rest: &str| rest.split_ascii_whitespace().next().and_then(address);
    saved.and_then(word).or_else(|| single.and_then(|(_, rest)| word(rest))).or_else(|| {
        let page = Page::new(bytes, Context::default()).ok()?;
        let tree = &page.tree;
        let linked = |name: &str, key: &str, wanted: &str, value: &str| attribute_of(tree, name, key, wanted, value);
        linked("link", "rel", "canonical", "href").or_else(|| linked("meta", "property", "og:url", "content"))
    })
}

/// The address in the attribute `value` of the first element whose attribute `key` is `wanted`.
fn attribute_of(tree: &Tree, name: &str, key: &str, wanted: &str, value: &str) -> Option<String> {
    let of = |id, name: &str| tree.attributes(id).find(|found| &**found.name == name).map(|found| found.value);
    let mut elements = tree.ids().filter(|&id| tree.is_element(id) && &**tree.name(id) == name);
    elements.find_map(|id| {
        address(of(id, value).filter(|_| of(id, key).is_some_and(|is| is.eq_ignore_ascii_case(wanted)))?)
    })
}

/// `text` if it is an address of the web.
fn address(text: &str) -> Option<String> {
    let text = text.trim();
    let is_web = ["http://", "https://"].iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    (is_web && !text.contains(char::is_whitespace)).then(|| text.to_owned())
}

/// The languages, names and licences that a manifest takes as they stand.
///
/// # Errors
/// A sentence.
pub fn check_words(name: &str, language: Option<&str>) -> Result<(), String> {
    let first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let rest = |c: char| first(c) || ".-_".contains(c);
    if name.len() > 64 || !name.starts_with(first) || !name.chars().all(rest) {
        return Err(format!("`{name}` is no name: 1 to 64 of a-z 0-9 . _ -, the first a letter or digit"));
    }
    let tags: BTreeSet<bool> = language
        .into_iter()
        .flat_map(|tag| tag.split('-'))
        .map(|part| !part.is_empty() && part.len() <= 8 && part.chars().all(|c| c.is_ascii_alphanumeric()))
        .collect();
    if tags.contains(&false) {
        return Err(format!("`{}` is no tag of a language, such as zh or zh-Hant", language.unwrap_or_default()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn request<'r>(source: &'r Path, out: &'r Path) -> Request<'r> {
        Request {
            source,
            out,
            name: "news",
            language: Some("zh"),
            licence: "unknown",
            is_wanted: &|_| true,
            sample: None,
            seed: 1,
        }
    }

    #[test]
    fn saved_pages_become_a_dataset() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("saved");
        fs::create_dir_all(source.join("a/新闻_files")).unwrap();
        let put = |name: &str, bytes: &[u8]| fs::write(source.join(name), bytes).unwrap();
        put("a/新闻.html", "<!-- saved from url=(0022)http://x.example.cn/1 --><p>甲".as_bytes());
        put("a/新闻_files/frame.html", b"<p>no page");
        put("b.HTM", b"<link rel=canonical href=https://y.example/2><p>b");
        put("c.html", b"<!--\n Page saved with SingleFile \n url: https://z.example/3 \n--><p>c");
        put("d.shtml", b"<meta property=og:url content=' https://d.example/4'><p>d");
        put("e.html", b"<p>e");
        put("f.html", b"<p>f");
        put("urls.tsv", b"f.html\thttps://f.example/6\n");
        put("g.mhtml", b"x");
        put(".hidden.html", b"x");
        put("notes.txt", b"x");
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"<p>packed").unwrap();
        put("h.html.gz", &packed.finish().unwrap());
        let out = folder.path().join("news");
        let made = make(&request(&source, &out)).unwrap();
        assert_eq!((made.pages, made.without_url), (7, vec!["e".to_owned(), "h".to_owned()]));
        assert_eq!(made.passed.len(), 1);
        let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
        let records: Vec<serde_json::Value> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let told: Vec<String> =
            records.iter().map(|record| format!("{} {}", record["id"].as_str().unwrap(), record["url"])).collect();
        assert_eq!(
            told,
            [
                "a~%E6%96%B0%E9%97%BB \"http://x.example.cn/1\"",
                "b \"https://y.example/2\"",
                "c \"https://z.example/3\"",
                "d \"https://d.example/4\"",
                "e null",
                "f \"https://f.example/6\"",
                "h null"
            ]
        );
        let stored = fs::read(out.join(records[6]["html"]["path"].as_str().unwrap())).unwrap();
        assert_eq!(zstd::decode_all(&stored[..]).unwrap(), b"<p>packed");
        assert_eq!(records[6]["html"]["sha256"], json!(sha256(b"<p>packed")));
        let again = make(&request(&source, &out)).unwrap_err();
        assert!(again.contains("already"), "{again}");
    }

    #[test]
    fn a_small_sample_is_part_of_a_larger_one() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("saved");
        fs::create_dir_all(&source).unwrap();
        (0..30).for_each(|page| fs::write(source.join(format!("{page}.html")), "<p>x").unwrap());
        let ids = |count: usize| -> BTreeSet<String> {
            let out = folder.path().join(count.to_string());
            make(&Request { sample: Some(count), ..request(&source, &out) }).unwrap();
            let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
            list.lines().map(|line| line.split('"').nth(3).unwrap().to_owned()).collect()
        };
        let (small, large) = (ids(5), ids(12));
        assert!(small.len() == 5 && large.len() == 12 && small.is_subset(&large));
        let empty = make(&Request { is_wanted: &|_| false, ..request(&source, &folder.path().join("none")) });
        assert!(empty.unwrap_err().contains("no page"));
    }

    #[test]
    fn ids_are_plain_and_not_too_long() {
        assert_eq!(id_of("a b/c?d"), "a%20b~c%3Fd");
        let long = id_of(&"字".repeat(100));
        assert!(long.len() <= 183 && long.len() > 170);
        assert!(!long[..long.len() - 33].ends_with('%'));
        assert!(check_words("news", Some("zh-Hant")).is_ok());
        assert!(check_words("News", None).is_err() && check_words("a", Some("zh: x")).is_err());
    }
}

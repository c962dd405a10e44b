//! `cleaneval` and `clean-portal-eval`: pairs of wrapped pages and golds in CleanEval's format.

use crate::formats::code::Code;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use super::references::decode_references;
use super::upstream::{encoding_unstated, read_file};
use super::wrapper::{Wrapped, unwrap};
use super::{Importer, OptionHelp, Options, Told, dataset, third_party, version_of};
use crate::datasets::manifest::{Details, GoldNature, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, registrable_domain};
use crate::datasets::words::check_language;
use crate::datasets::{Dataset, DatasetError, Readings, check_path, file_names, shown};
use crate::page::{charset, primary_language};
use crate::text::Lines;

/// The importer `cleaneval`.
pub static CLEANEVAL: Importer = Importer {
    name: "cleaneval",
    title: "CleanEval-1, your own copy: en-original/ and en-cleaned/, orig/ and clean/, or input/ and GoldStandard/",
    layout: &[],
    options: &[
        HTML_DIR,
        GOLD_DIR,
        DECODE_REFERENCES,
        OptionHelp { name: "language", help: "BCP 47 tag of every page, zh for the Chinese part [default: en]" },
    ],
    read: read_cleaneval,
};

/// The importer `clean-portal-eval`.
pub static CLEAN_PORTAL_EVAL: Importer = Importer {
    name: "clean-portal-eval",
    title: "CleanPortalEval of ppke-nlpg: input/, GoldStandard/",
    layout: &["input", "GoldStandard"],
    options: &[HTML_DIR, GOLD_DIR, DECODE_REFERENCES],
    read: read_clean_portal_eval,
};

const HTML_DIR: OptionHelp =
    OptionHelp { name: "html_dir", help: "the folder of pages [default: input, orig or en-original]" };
const GOLD_DIR: OptionHelp =
    OptionHelp { name: "gold_dir", help: "the folder of golds [default: GoldStandard, clean or en-cleaned]" };
const DECODE_REFERENCES: OptionHelp = OptionHelp {
    name: "decode_references",
    help: "auto (if any gold holds one such as &#8217;) | true | false: decode character references in golds [default: auto]",
};

/// The names under which the two folders are known.
const FOLDERS: [(&str, &str); 3] = [("input", "GoldStandard"), ("orig", "clean"), ("en-original", "en-cleaned")];

/// Pages of CleanPortalEval that are an index: their golds say that there is no article.
const INDEX_PAGES: [&str; 2] = ["bbc.co.uk_news_04", "bbc.co.uk_news_05"];

/// The two folders and what they hold in common.
struct Pairs<'s> {
    source: &'s Path,
    html: &'s str,
    gold: &'s str,
    /// The names of the golds.
    golds: BTreeSet<String>,
    /// What bytes that are not UTF-8 are, where nothing else says so.
    fallback: &'static str,
    decode: bool,
}

/// A gold file as it was read.
struct GoldFile {
    text: String,
    is_utf8: bool,
}

fn read_cleaneval(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let language = options.0.get("language").map_or("en", String::as_str);
    check_language(language)
        .map_err(|message| DatasetError::new(Code::Option, shown(source), format!("language: {message}")))?;
    let fallback = if primary_language(language).as_deref() == Some("zh") { "gbk" } else { "windows-1252" };
    let pairs = Pairs::new(source, options, fallback)?;
    let mut dataset = pairs.dataset(cleaneval(language), told, |page, record, details| {
        record.encoding = match page.encoding {
            Some(encoding) => Some(encoding.name().to_ascii_lowercase()),
            None => encoding_unstated(page.page(), fallback),
        };
        let host = details.url.as_deref().and_then(host_of);
        record.site = Some(host.map_or_else(|| record.id.clone(), |host| registrable_domain(&host)));
        record.language = Some(language.to_owned());
    })?;
    // Copies of CleanEval have no version of their own.
    dataset.manifest.version = version_of(&dataset.digest(|record| dataset.digests(record))?);
    Ok(dataset)
}

fn read_clean_portal_eval(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let pairs = Pairs::new(source, options, "windows-1252")?;
    pairs.dataset(clean_portal_eval(), told, |page, record, details| {
        // Some wrappers say utf-8 of pages that are not.
        let is_utf8 = std::str::from_utf8(page.page()).is_ok();
        record.encoding = Some(if is_utf8 { "utf-8" } else { pairs.fallback }.to_owned());
        record.site = record.id.split('_').next().map(str::to_owned);
        record.language = Some("en".to_owned());
        if INDEX_PAGES.contains(&record.id.as_str()) {
            record.kind = Some("index".to_owned());
            details.faults.push("index_page".to_owned());
        }
    })
}

impl<'s> Pairs<'s> {
    fn new(source: &'s Path, options: &'s Options, fallback: &'static str) -> Result<Self, DatasetError> {
        let option = |name: &str| options.0.get(name).map(String::as_str);
        let is_there = |(html, gold): &(&str, &str)| source.join(html).is_dir() && source.join(gold).is_dir();
        for folder in ["html_dir", "gold_dir"] {
            let checked = option(folder).map_or(Ok(()), check_path);
            checked
                .map_err(|message| DatasetError::new(Code::Option, shown(source), format!("{folder}: {message}")))?;
        }
        let candidates =
            FOLDERS.map(|(html, gold)| (option("html_dir").unwrap_or(html), option("gold_dir").unwrap_or(gold)));
        let Some((html, gold)) = candidates.into_iter().find(is_there) else {
            let mut expected = candidates.map(|(html, gold)| format!("{html}/ and {gold}/")).to_vec();
            expected.dedup();
            let message = format!("expected {} in this folder", expected.join(", or "));
            return Err(DatasetError::new(Code::Upstream, shown(source), message));
        };
        let golds = file_names(&source.join(gold))?.into_iter().collect();
        let mut pairs = Pairs { source, html, gold, golds, fallback, decode: false };
        pairs.decode = match option("decode_references").unwrap_or("auto") {
            "auto" => pairs.hold_references(),
            "true" => true,
            "false" => false,
            other => {
                let message = format!("decode_references: expected auto, true or false, not `{other}`");
                return Err(DatasetError::new(Code::Option, shown(source), message));
            }
        };
        Ok(pairs)
    }

    /// The dataset of these pairs; `fill` sets of a record what the two importers see differently.
    fn dataset(
        &self,
        manifest: Manifest,
        told: &mut Told,
        fill: impl Fn(&Wrapped, &mut Record, &mut Details),
    ) -> Result<Dataset, DatasetError> {
        let (html, gold) = (self.html, self.gold);
        let mut records = Vec::new();
        let mut stems = BTreeSet::new();
        for name in file_names(&self.source.join(html))? {
            let Some(stem) = name.strip_suffix(".html") else {
                told.note(format!("{html}/{name}: skipped, its name does not end in .html"));
                continue;
            };
            if !self.golds.contains(&format!("{stem}.txt")) {
                told.note(format!("{html}/{name}: kept without gold, {gold}/{stem}.txt is missing"));
            }
            stems.insert(stem.to_owned());
            let page = Wrapped::read(self.source, &format!("{html}/{name}"));
            let read = page.and_then(|page| self.record(&page, &name, stem).map(|record| (page, record)));
            if let Some((page, (mut record, mut details))) = told.page(&encode_id(stem), read)? {
                fill(&page, &mut record, &mut details);
                record.details = details.boxed();
                records.push(record);
            }
        }
        let orphans =
            self.golds.iter().filter(|name| !name.strip_suffix(".txt").is_some_and(|stem| stems.contains(stem)));
        for name in orphans {
            told.gold_without_page(format!("{gold}/{name}: dropped, there is no page of that name"));
        }
        records.sort_by(|one, other| one.id.cmp(&other.id));
        let read = if self.decode { read_gold_decoded } else { read_gold };
        let readings = Readings { page: unwrap, gold: read, ..Readings::default() };
        dataset(self.source, manifest, records, readings, told)
    }

    fn record(&self, page: &Wrapped, name: &str, stem: &str) -> Result<(Record, Details), DatasetError> {
        let html = HtmlSource::Path(format!("{}/{name}", self.html));
        let mut record = Record { id: encode_id(stem), html, ..Record::default() };
        let mut details = Details { url: page.url.clone(), ..Details::default() };
        let gold = format!("{stem}.txt");
        if self.golds.contains(&gold) {
            let GoldFile { text, is_utf8 } = self.gold_file(&gold)?;
            if read_gold(&text).is_empty() {
                details.faults.push("gold_empty".to_owned());
            }
            let encoding = (!is_utf8).then(|| self.fallback.to_owned());
            record.gold = Some(GoldSource::of_file(format!("{}/{gold}", self.gold), encoding));
        }
        Ok((record, details))
    }

    fn gold_file(&self, name: &str) -> Result<GoldFile, DatasetError> {
        let bytes = read_file(self.source, &format!("{}/{name}", self.gold))?;
        if let Some(text) = charset::decode_strictly(&bytes, encoding_rs::UTF_8) {
            return Ok(GoldFile { text, is_utf8: true });
        }
        Ok(GoldFile { text: charset::decode(&bytes, charset::for_label(self.fallback)).text, is_utf8: false })
    }

    /// Whether any gold holds a numeric character reference: CleanEval's hold none, its kin's do. One that cannot be read
    /// is a fault of its page.
    fn hold_references(&self) -> bool {
        let holds = |gold: GoldFile| NUMERIC_REFERENCE.is_match(&gold.text);
        self.golds.iter().any(|name| self.gold_file(name).is_ok_and(holds))
    }
}

static NUMERIC_REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"&#\d+;"));
static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)<!--.*?-->"));
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A\s*URL:[^\n]*(?:\n|\z)"));
/// Opens a block; broken ones end with their line. Any other `<` is a character.
static MARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?im)</?[hpl]\s*>|<[hpl][ \t]*$"));

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the pattern is constant")
}

/// The gold's blocks, one a line.
fn read_gold(text: &str) -> String {
    blocks(text, str::to_owned)
}

/// The same, with character references decoded after the marks are gone: `&lt;p&gt;` is text.
fn read_gold_decoded(text: &str) -> String {
    blocks(text, decode_references)
}

fn blocks(text: &str, decode: fn(&str) -> String) -> String {
    let text = text.replace("\r\n", "\n");
    let text = COMMENT.replace_all(&text, "");
    let text = ADDRESS.replace(&text, "");
    let mut lines = Lines::default();
    for block in MARK.split(&text) {
        lines.push(&decode(block));
        lines.break_line();
    }
    lines.finish()
}

fn gold_nature() -> GoldNature {
    GoldNature {
        nature: Some("human".to_owned()),
        includes: vec!["title".to_owned(), "lists".to_owned()],
        verbatim: Some(true),
        ordered: Some(true),
        ..GoldNature::default()
    }
}

fn cleaneval(language: &str) -> Manifest {
    Manifest {
        format: 1,
        name: match primary_language(language).as_deref() {
            None | Some("en") => "cleaneval".to_owned(),
            Some(other) => format!("cleaneval-{other}"),
        },
        title: "CleanEval-1".to_owned(),
        description: DESCRIPTION.to_owned(),
        licence: third_party("unknown", "unknown"),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            includes: ["title", "lists", "captions", "comments"].map(str::to_owned).into(),
            ..gold_nature()
        },
        ..Manifest::default()
    }
}

fn clean_portal_eval() -> Manifest {
    Manifest {
        format: 1,
        name: "clean-portal-eval".to_owned(),
        version: "517726d64d8d".to_owned(),
        title: "CleanPortalEval".to_owned(),
        description: DESCRIPTION.to_owned(),
        licence: third_party("unknown", "unknown"),
        source: Some(json!({
            "repository": "ppke-nlpg/CleanPortalEval",
            "commit": "517726d64d8ded8846bf27ae2808853b1cd0ffe8",
        })),
        pages: vec!["pages.jsonl".to_owned()],
        gold: gold_nature(),
        ..Manifest::default()
    }
}

const DESCRIPTION: &str = "CleanEval's <text> wrappers removed; gold: URL line removed, one block a line, character \
                           references decoded where the golds hold any.";

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        folder
    }

    fn options(pairs: &[(&str, &str)]) -> Options {
        Options(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
    }

    /// The golds of a dataset with one page a gold.
    fn golds(files: &[&[u8]], pairs: &[(&str, &str)]) -> Vec<String> {
        let names: Vec<_> =
            (0..files.len()).map(|i| (format!("input/{i}.html"), format!("GoldStandard/{i}.txt"))).collect();
        let mut all: Vec<(&str, &[u8])> = Vec::new();
        for ((html, gold), file) in names.iter().zip(files) {
            all.extend([(html.as_str(), b"<p>x".as_slice()), (gold.as_str(), *file)]);
        }
        let folder = folder(&all);
        let dataset = CLEANEVAL.read(folder.path(), &options(pairs)).unwrap();
        dataset.records.iter().map(|record| dataset.open(&record.unwrap()).unwrap().gold.unwrap()).collect()
    }

    #[test]
    fn golds_are_read_block_by_block() {
        let cases: &[(&str, &str)] = &[
            ("URL: http://a.org/\n\n<h>Title\n\n<p>One\n two <l>three\n", "Title\nOne two\nthree"),
            ("\n\nURL: http://a.org/\n<p>a", "a"),
            ("<p>No address line\n<p>b</p> c", "No address line\nb\nc"),
            ("URL: http://a.org/", ""),
            ("\u{FEFF}URL: http://a.org/\r\n<H>A\r\nb\r\n<P>c\r\n", "A b\nc"),
            ("<h\n>a <p >b <p\nc <l \nd", "a\nb\nc\nd"),
            ("<p>warm <climate, see <http://a.org> a<b <pre> <hr>", "warm <climate, see <http://a.org> a<b <pre> <hr>"),
            ("<p>R&D &amp; &rsquo;", "R&D &amp; &rsquo;"),
            ("URL: http://a.org/\n\n<!-- this page\n contains no article -->\n", ""),
            ("<p>x URL: http://a.org/\ny", "x URL: http://a.org/ y"),
        ];
        for (file, expected) in cases {
            assert_eq!(golds(&[file.as_bytes()], &[]), [*expected], "{file}");
        }
    }

    #[test]
    fn references_are_decoded_where_any_gold_has_one() {
        let files: [&[u8]; 2] = [b"<p>&#8217;s", b"<p>a &amp; &lt;p&gt; b"];
        assert_eq!(golds(&files, &[]), ["\u{2019}s", "a & <p> b"]);
        assert_eq!(golds(&files[1..], &[]), ["a &amp; &lt;p&gt; b"]);
        assert_eq!(golds(&files[1..], &[("decode_references", "true")]), ["a & <p> b"]);
        assert_eq!(golds(&files[..1], &[("decode_references", "false")]), ["&#8217;s"]);
    }

    #[test]
    fn golds_that_are_not_utf8_are_windows_1252() {
        assert_eq!(golds(&[b"<p>it\x92s"], &[]), ["it\u{2019}s"]);
        assert_eq!(golds(&[b"<p>\xD6\xD0"], &[("language", "zh")]), ["\u{4E2D}"]);
    }

    #[test]
    fn every_pair_of_folders_is_known() {
        let of = |html: &str, gold: &str, pairs: &[(&str, &str)]| {
            let (page, gold) = (format!("{html}/1.html"), format!("{gold}/1.txt"));
            let folder = folder(&[(&page, b"<p>x"), (&gold, b"<p>x")]);
            CLEANEVAL.read(folder.path(), &options(pairs)).map(|dataset| dataset.records.len())
        };
        for (html, gold) in [("input", "GoldStandard"), ("orig", "clean"), ("en-original", "en-cleaned")] {
            assert_eq!(of(html, gold, &[]).unwrap(), 1);
        }
        assert_eq!(of("mine", "yours", &[("html_dir", "mine"), ("gold_dir", "yours")]).unwrap(), 1);
        assert_eq!(of("orig", "yours", &[("gold_dir", "yours")]).unwrap(), 1);
        let error = of("orig", "cleaned", &[]).unwrap_err();
        assert_eq!(error.code, Code::Upstream);
        assert!(error.message.contains("orig/ and clean/"), "{error}");
        assert_eq!(of("orig", "clean", &[("decode_references", "maybe")]).unwrap_err().code, Code::Option);
        assert_eq!(of("orig", "clean", &[("language", "../x")]).unwrap_err().code, Code::Option);
        for (key, value) in [("html_dir", "../orig"), ("gold_dir", "/etc"), ("html_dir", "a/./b")] {
            assert_eq!(of("orig", "clean", &[(key, value)]).unwrap_err().code, Code::Option, "{value}");
        }
    }

    #[test]
    fn encodings_are_the_wrappers_or_the_pages() {
        let cases: &[(&[u8], &str)] = &[
            (b"<text id=\"http://a.org/\" encoding=\"iso-8859-2\">\n<p>\xB1</text>", "ISO-8859-2"),
            (b"<text id=\"http://a.org/\" encoding=\"utf8\">\n<p>\xB1</text>", "UTF-8"),
            (b"<text id=\"http://a.org/\" encoding=\"unset\">\n<p>\xB1</text>", "windows-1252"),
            (b"<text id=\"http://a.org/\" encoding=\"unset\">\n<meta charset=koi8-r>\xB1</text>", "KOI8-R"),
            (b"<text id=\"http://a.org/\" encoding=\"unknown-0\">\n<meta charset=koi8-r>\xC2\xB1</text>", "UTF-8"),
            (b"<text id=\"http://a.org/\">\n\xEF\xBB\xBF<p>a</text>", "UTF-8"),
            (b"<p>\x92", "windows-1252"),
        ];
        for (page, expected) in cases {
            let folder = folder(&[("orig/1.html", page), ("clean/1.txt", b"x")]);
            let dataset = CLEANEVAL.read(folder.path(), &Options::default()).unwrap();
            let opened = dataset.open(&dataset.records.get(0).unwrap()).unwrap();
            assert_eq!(opened.page.facts.encoding, *expected, "{}", String::from_utf8_lossy(page));
        }
    }

    #[test]
    fn what_has_no_partner_is_told() {
        let folder = folder(&[
            ("orig/2.html", b"<text id=\"http://www.b.co.uk/?a&amp;section=1\">\n<p>x</text>"),
            ("orig/10.html", b"<p>x"),
            ("orig/notes.doc", b""),
            ("orig/.DS_Store", b""),
            ("clean/2.txt", b"URL: x\n"),
            ("clean/3.txt", b"<p>x"),
        ]);
        let dataset = CLEANEVAL.read(folder.path(), &Options::default()).unwrap();
        assert_eq!(dataset.records.len(), 2);
        let [ten, two] = [0, 1].map(|index| dataset.records.get(index).unwrap());
        assert_eq!((ten.id.as_str(), ten.gold.is_none(), ten.site.as_deref()), ("10", true, Some("10")));
        assert_eq!((two.id.as_str(), two.site.as_deref()), ("2", Some("b.co.uk")));
        assert_eq!(two.details().url.as_deref(), Some("http://www.b.co.uk/?a&section=1"));
        assert_eq!(two.details().faults, ["gold_empty"]);
        assert_eq!(dataset.notes.len(), 3, "{:?}", dataset.notes);
        assert_eq!(dataset.manifest.version.len(), 12);
    }

    #[test]
    fn portals_are_sites_by_their_ids() {
        let folder = folder(&[
            ("input/bbc.co.uk_news_04.html", b"\n<text id=\"http://bbc.co.uk/news\">\n<p>x</text>\n"),
            ("GoldStandard/bbc.co.uk_news_04.txt", b"\nURL: http://bbc.co.uk/news\n\n<!-- no article -->\n"),
            ("input/washingtonpost.com_blog1_0.html", b"<text id=\"x\" title=\"\" encoding=\"utf-8\">it\x92s</text>"),
            ("GoldStandard/washingtonpost.com_blog1_0.txt", b"\nURL: x\n<h>It&#8217;s\nso<p>b"),
        ]);
        let dataset = CLEAN_PORTAL_EVAL.read(folder.path(), &Options::default()).unwrap();
        assert_eq!(dataset.records.len(), 2);
        let [index, blog] = [0, 1].map(|index| dataset.records.get(index).unwrap());
        assert_eq!((index.site.as_deref(), index.kind.as_deref()), (Some("bbc.co.uk"), Some("index")));
        assert_eq!(index.details().faults, ["gold_empty", "index_page"]);
        assert_eq!((blog.site.as_deref(), blog.kind.as_deref()), (Some("washingtonpost.com"), None));
        let opened = dataset.open(&blog).unwrap();
        assert_eq!((opened.page.facts.encoding.as_str(), opened.page.facts.replaced), ("windows-1252", 0));
        assert_eq!(opened.gold.as_deref(), Some("It\u{2019}s so\nb"));
    }
}

//! A fault of every kind, planted and found; nothing found where there is none.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::datasets::import::write::{Layout, write};
use crate::datasets::load::load_folder;
use crate::datasets::locate::locate;
use crate::datasets::manifest::Compression;

/// A page of one article, with a text that no other number has.
fn article(number: usize) -> (String, String) {
    let sentence =
        |line: usize| format!("Sentence {line} of article {number} says {} plainly.", number * 7919 + line * 104_729);
    let gold: Vec<String> = (0..12).map(sentence).collect();
    let html = format!(
        "<!doctype html><meta charset=utf-8><title>Article {number}</title><nav>Home</nav><p>{}</p>",
        gold.join("</p><p>")
    );
    (html, gold.join("\n"))
}

/// A dataset in a folder: each page with its bytes, its gold and further fields of its record.
#[derive(Default)]
struct Planted {
    list: String,
    files: Vec<(String, Vec<u8>)>,
    pages: usize,
    manifest: String,
}

impl Planted {
    fn page(mut self, html: impl AsRef<[u8]>, gold: Option<&str>, fields: &str) -> Self {
        let number = self.pages;
        self.files.push((format!("{number}.html"), html.as_ref().to_vec()));
        let gold = gold.map(|gold| format!(r#","gold":{{"text":{}}}"#, serde_json::Value::from(gold)));
        let gold = gold.unwrap_or_default();
        let site = if fields.contains("\"site\"") { String::new() } else { format!(r#","site":"s{number}""#) };
        self.list += &format!("{{\"id\":\"p{number}\",\"html\":\"{number}.html\"{gold}{site}{fields}}}\n");
        self.pages += 1;
        self
    }

    /// A page without faults.
    fn plain(self) -> Self {
        let (html, gold) = article(self.pages);
        self.page(html, Some(&gold), r#","language":"en""#)
    }

    fn folder(&self) -> (TempDir, Dataset) {
        let folder = tempfile::tempdir().unwrap();
        let manifest = format!(
            "format: 1\nname: planted\nversion: '1'\n\
             licence: {{data: CC0-1.0, pages: CC0-1.0, redistribution: free}}\n{}",
            self.manifest
        );
        fs::write(folder.path().join("dataset.yaml"), manifest).unwrap();
        fs::write(folder.path().join("pages.jsonl"), &self.list).unwrap();
        fs::create_dir(folder.path().join("gold")).unwrap();
        self.files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
        let dataset = load_folder(folder.path()).unwrap();
        (folder, dataset)
    }

    fn report(&self) -> Report {
        let (_folder, dataset) = self.folder();
        check(&dataset).unwrap()
    }

    /// Each finding's kind, level and page.
    fn found(&self) -> Vec<(Kind, Level, String)> {
        let report = self.report();
        report.findings.into_iter().map(|f| (f.kind, f.level, f.page.unwrap_or_default())).collect()
    }
}

/// Nothing but this kind is found, on the page p1, at its level.
fn only(planted: Planted, kind: Kind) {
    assert_eq!(planted.found(), [(kind, kind.level(), "p1".to_owned())], "{}", kind.name());
}

fn two() -> Planted {
    Planted::default().plain()
}

#[test]
fn the_embedded_dataset_has_what_its_recipe_planted_and_no_error() {
    let report = check(&locate("portals").unwrap()).unwrap();
    assert_eq!((report.count(Level::Error), report.pages), (0, 154));
    let known = report.findings.iter().filter(|finding| finding.message.ends_with("(a known fault)"));
    let mut known: Vec<&str> = known.filter_map(|finding| finding.page.as_deref()).collect();
    known.dedup();
    assert_eq!(known, ["forum-1-0004", "forum-2-0004", "listing-1-0001"]);
    let of = |kind: Kind| -> Vec<&str> {
        let findings = report.findings.iter().filter(|finding| finding.kind == kind && finding.level != Level::Info);
        findings.filter_map(|finding| finding.page.as_deref()).collect()
    };
    // A byte that does not decode, a label that is wrong, a short item of news, and two forums' pages whose posts
    // stand in `noscript`.
    let warnings = [Kind::MalformedBytes, Kind::Label, Kind::TinyGold, Kind::SameGold].map(of);
    assert_eq!(
        warnings.concat(),
        ["zh-news-1-0005", "zh-blog-3-0005", "zh-news-2-0002", "forum-1-0004", "forum-2-0004"]
    );
    assert_eq!(report.count(Level::Warn), 5);
}

#[test]
fn a_page_that_is_too_long_is_told_and_in_no_floor() {
    // Two texts of so many characters that nothing is common to are not held against each other.
    let (text, gold) = ("word ".repeat(200_000), "gold\n".repeat(100_000));
    let html = format!("<!doctype html><meta charset=utf-8><title>t</title><p>{text}");
    let report = two().page(html, Some(&gold), r#","site":"s""#).report();
    let floors = report.floors.unwrap();
    assert_eq!((floors.pages, floors.too_long, floors.all_text.recall), (1, 1, 1.0));
    let found: Vec<Kind> = report.findings.iter().map(|finding| finding.kind).collect();
    assert!(found.contains(&Kind::TooLong) && !found.contains(&Kind::OutOfReach), "{:?}", report.findings);
}

#[test]
fn bytes_that_do_not_decode_are_found() {
    let (html, gold) = article(1);
    let broken = |times: usize| {
        let mut bytes = format!("{html}<p>café").into_bytes();
        (0..times).for_each(|_| bytes.extend_from_slice(b"<i>\xFF"));
        bytes
    };
    only(two().page(broken(2), Some(&gold), ""), Kind::MalformedBytes);
    only(two().page(broken(20), Some(&gold), ""), Kind::Misdecoded);
    let known = two().page(broken(20), Some(&gold), r#","faults":["misdecoded"]"#).found();
    assert_eq!(known, [(Kind::Misdecoded, Level::Info, "p1".to_owned())]);
}

#[test]
fn encodings_that_disagree_are_found() {
    let (html, gold) = article(1);
    let text = "<p>价格是五元，新闻报道说，这是一个关于北京的消息。</p>";
    let labelled = format!("{html}{text}").replace("charset=utf-8", "charset=gb2312");
    only(two().page(&labelled, Some(&gold), r#","encoding":"utf-8""#), Kind::Label);
    let kinds = |planted: Planted| planted.found().into_iter().map(|(kind, ..)| kind).collect::<Vec<_>>();
    assert!(kinds(two().page(&labelled, Some(&gold), "")).contains(&Kind::Charset));
    let gbk = encoding_rs::GBK.encode(&labelled).0.into_owned();
    assert_eq!(kinds(two().page(&gbk, Some(&gold), "")), []);
    let unlabelled = labelled.replace("<meta charset=gb2312>", "");
    only(two().page(encoding_rs::GBK.encode(&unlabelled).0, Some(&gold), ""), Kind::GuessedEncoding);
    let russian = "<p>Сегодня утром в городе открылась выставка, на которой показывают картины старых мастеров.";
    for (real, declared) in [("windows-1251", "iso-8859-1"), ("koi8-r", "windows-1251")] {
        let bytes = encoding_rs::Encoding::for_label(real.as_bytes()).unwrap().encode(russian).0.into_owned();
        let page = [b"<title>x</title>".as_slice(), &bytes].concat();
        only(
            two().page(page, None, &format!(r#","encoding":"{declared}","gold":{{"select":{{"include":["p"]}}}}"#)),
            Kind::Charset,
        );
    }
    let as_utf_8 = two().page(encoding_rs::GBK.encode(&unlabelled).0, Some(&gold), r#","encoding":"utf-8""#);
    assert!(kinds(as_utf_8).contains(&Kind::Charset));
}

#[test]
fn text_that_was_decoded_wrongly_before_is_found() {
    let (html, gold) = article(1);
    only(two().page(format!("{html}<p>it\u{92}s so"), Some(&gold), ""), Kind::Mojibake);
    only(two().page(format!("{html}<p>lost \u{FFFD}"), Some(&gold), ""), Kind::ReplacementCharacters);
    let html = format!("{html}<p>A quote: it’s “new” here.");
    let gold = format!("{gold}\nA quote: itâ€™s â€œnewâ€\u{9d} here.");
    let found = two().page(html, Some(&gold), "").found();
    let kinds: Vec<Kind> = found.into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, [Kind::GoldMojibake, Kind::GoldNotInPage]);
}

#[test]
fn a_pdf_is_no_page_and_no_text_that_was_decoded_wrongly() {
    let pdf = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n<p>\xc3\xa2\xc2\x80\xc2\x99 it\xc2\x92s \x00";
    let kinds = |fields: &str| -> Vec<Kind> {
        let found = two().page(pdf, None, fields).found().into_iter().map(|(kind, ..)| kind);
        found.filter(|kind| [Kind::NoPage, Kind::Mojibake].contains(kind)).collect()
    };
    assert_eq!(kinds(""), [Kind::NoPage]);
    // Someone who states the encoding says that it is a text.
    assert!(kinds(r#","encoding":"utf-8""#).is_empty());
}

#[test]
fn what_was_found_at_loading_is_a_note() {
    let (html, gold) = article(1);
    let mut planted = two().page(html, None, "");
    planted.files.push(("gold/p1.txt".to_owned(), gold.into_bytes()));
    let report = planted.report();
    let notes: Vec<&Finding> = report.findings.iter().filter(|finding| finding.kind == Kind::LoadNote).collect();
    let [note] = notes[..] else { panic!("{notes:?}") };
    assert!(note.message.contains("`gold/p1.txt`") && note.page.is_none(), "{note:?}");
}

#[test]
fn golds_that_are_not_the_pages_are_found() {
    let (html, gold) = article(1);
    only(two().page(&html, Some(""), ""), Kind::EmptyGold);
    only(two().page(&html, None, ""), Kind::NoGold);
    only(two().page(&html, gold.lines().next(), ""), Kind::TinyGold);
    only(two().page(&html, Some(&format!("{gold}\nA line of another page.")), ""), Kind::GoldNotInPage);
    let foreign = two().page(&html, Some(&article(2).1.to_uppercase()), "").found();
    assert_eq!(foreign.iter().map(|found| found.0).collect::<Vec<_>>(), [Kind::ForeignGold, Kind::OutOfReach]);
    let half = two().page(&html, Some(&format!("{gold}\nA line of another page.")), "").report();
    assert!(
        half.findings[0]
            .message
            .starts_with("1 of 13 lines of 10 characters or more are not in the page as they are, 4 % of their characters are absent: `A line")
    );
    assert_eq!((half.gold_lines.lines, half.gold_lines.found), (25, 24));
    let turned: Vec<&str> = gold.lines().rev().collect();
    only(two().page(&html, Some(&turned.join("\n")), ""), Kind::GoldOrder);
    let known = two().page(&html, Some(&turned.join("\n")), r#","faults":["gold_order"]"#).report();
    assert_eq!((known.findings[0].level, known.faults["gold_order"]), (Level::Info, 1));
    let known = two().page(&html, Some(""), r#","faults":["index_page"]"#).found();
    assert_eq!(known[0].1, Level::Info);
    let mut told = two().page(&html, Some(&article(2).1.to_uppercase()), "");
    told.manifest = "gold: {verbatim: false}\n".to_owned();
    assert_eq!(told.found()[0].1, Level::Warn);
}

#[test]
fn golds_that_no_text_nodes_come_to_are_found() {
    let (html, gold) = article(1);
    // Twelve sentences are gold and as much stands behind each in its paragraph.
    let noise = "Words behind the sentence, of the same paragraph and of its length.";
    let in_paragraphs = |noise: &str| html.replace("</p>", &format!(" {noise}</p>"));
    only(two().page(in_paragraphs(noise), Some(&gold), ""), Kind::OutOfReach);
    assert_eq!(two().page(in_paragraphs("x"), Some(&gold), "").found(), []);
    // Of what is cut off two sentences in fourteen are missed, and one in thirteen is not.
    let longer = |lines: usize| format!("{gold}\n{}", article(2).1.lines().take(lines).collect::<Vec<_>>().join("\n"));
    let found = two().page(&html, Some(&longer(2)), "").report().findings;
    assert_eq!(found.iter().map(|found| found.kind).collect::<Vec<_>>(), [Kind::GoldNotInPage, Kind::OutOfReach]);
    assert!(found[1].message.starts_with("the best set of text nodes has F1 0.9"), "{found:?}");
    only(two().page(&html, Some(&longer(1)), ""), Kind::GoldNotInPage);
    let known = two().page(in_paragraphs(noise), Some(&gold), r#","faults":["gold_partial"]"#).found();
    assert_eq!(known, [(Kind::OutOfReach, Level::Info, "p1".to_owned())]);
    let mut told = two().page(in_paragraphs(noise), Some(&gold), "");
    told.manifest = "gold: {verbatim: false}\n".to_owned();
    assert_eq!(told.found(), [(Kind::OutOfReach, Level::Info, "p1".to_owned())]);
}

#[test]
fn pages_without_text_title_or_bounds_are_found() {
    let (html, gold) = article(1);
    only(two().page(html.replace("<title>Article 1</title>", ""), Some(&gold), ""), Kind::NoTitle);
    let scripted = format!("<title>x</title><noscript>{gold}</noscript>");
    only(two().page(&scripted, Some(&gold), ""), Kind::NoText);
    only(two().page(scripted, None, ""), Kind::NoGold);
    only(two().page(format!("{html}{}", "<div>".repeat(600)), Some(&gold), ""), Kind::DepthCap);
    // Every paragraph opens all of them again.
    let open: String = (0..300).map(|number| format!("<b id=b{number}>")).collect();
    let exploding = format!("<p>{open}{}", "<p>x".repeat(9_000));
    only(two().page(exploding, Some(&gold), ""), Kind::TooLarge);
}

#[test]
fn marks_of_annotations_are_found_where_algorithms_see_them() {
    let (html, gold) = article(1);
    let marked = html.replacen("<p>", "<p cc-select=true>", 1);
    only(two().page(&marked, Some(&gold), ""), Kind::VisibleMarks);
    let mut stripped = two().page(&marked, Some(&gold), "");
    stripped.manifest = "annotations: {attributes: [cc-select]}\n".to_owned();
    assert_eq!(stripped.found(), []);
}

#[test]
fn marks_that_only_the_gold_has_are_found_whatever_they_are_called() {
    let frame = "<p class=menu>The first way out of here</p>".repeat(6);
    let set = |mark: fn(usize) -> String, site: fn(usize) -> usize| {
        let page = |planted: Planted, number: usize| {
            let (html, gold) = article(number);
            let html = html.replace("<p>", &format!("<p {}>", mark(number)));
            let field = format!(r#","site":"s{}","language":"en""#, site(number));
            planted.page(
                format!("{html}{}", frame.replace("way", &format!("way {}", number * 7_654_321))),
                Some(&gold),
                &field,
            )
        };
        (0..6).fold(Planted::default(), page)
    };
    let report = set(|_| "class='a q7'".to_owned(), |number| number / 3).report();
    let found: Vec<(Kind, &str)> =
        report.findings.iter().map(|found| (found.kind, found.message.split(' ').next().unwrap())).collect();
    assert_eq!(found, [(Kind::TellingMark, "`.a`"), (Kind::TellingMark, "`.q7`")]);
    // One site's own class, a class of each page, and one that other text has as well.
    assert_eq!(set(|_| "q7=1".to_owned(), |_| 0).found(), []);
    assert_eq!(set(|number| format!("class=a{number}"), |number| number).found(), []);
    assert_eq!(set(|_| "class=menu".to_owned(), |number| number).found(), []);
}

#[test]
fn pages_that_are_there_twice_are_found() {
    let (html, gold) = article(0);
    only(two().page(&html, Some(&gold), ""), Kind::DuplicatePage);
    let in_splits = |one: &str, other: &str| {
        let field = |split: &str| format!(r#","split":"{split}""#);
        Planted::default().page(&html, Some(&gold), &field(one)).page(&html, Some(&gold), &field(other))
    };
    only(in_splits("train", "train"), Kind::DuplicatePage);
    only(in_splits("train", "test"), Kind::DuplicateAcrossSplits);
    // A third copy is across splits whichever of the two it repeats.
    let thrice = in_splits("train", "test").page(&html, Some(&gold), r#","split":"train""#);
    assert_eq!(thrice.found()[1], (Kind::DuplicateAcrossSplits, Level::Error, "p2".to_owned()));
    let unsplit = Planted::default().page(&html, Some(&gold), "");
    let unsplit =
        unsplit.page(&html, Some(&gold), r#","split":"train""#).page(&html, Some(&gold), r#","split":"test""#);
    let report = unsplit.report();
    assert_eq!([0, 1].map(|at: usize| report.findings[at].kind), [Kind::DuplicatePage, Kind::DuplicateAcrossSplits]);
    assert_eq!(report.findings[1].message, "the bytes are those of `p1` in the split train");
    let other_frame = article(5).0.repeat(3) + &html;
    only(two().page(other_frame, Some(&gold), ""), Kind::SameGold);
    // An article of another day: the same text but for one line of thirteen.
    let again = html.replace("Home", "Home on the other day");
    let found = two().page(again, Some(&article(0).1), "").report().findings;
    assert_eq!((found.len(), found[0].kind), (1, Kind::NearDuplicate), "{found:?}");
    assert!(found[0].message.contains("of `p0`, and the same gold"), "{found:?}");
}

#[test]
fn sites_in_two_splits_are_found() {
    let field = |site: &str, split: &str| format!(r#","site":"{site}","split":"{split}""#);
    let page = |planted: Planted, site: &str, split: &str| {
        let (html, gold) = article(planted.pages);
        planted.page(html, Some(&gold), &field(site, split))
    };
    let clean = page(page(Planted::default(), "a", "train"), "b", "test");
    assert_eq!(clean.found(), []);
    let report = page(page(clean, "a", "train"), "a", "test").report();
    assert_eq!(report.findings.len(), 1);
    let Finding { kind, page, message, .. } = &report.findings[0];
    assert_eq!((*kind, page), (Kind::SiteAcrossSplits, &None));
    assert_eq!(message, "`a` has pages in the splits train, test");
}

#[test]
fn languages_and_selectors_that_do_not_fit_are_found() {
    let (html, gold) = article(1);
    only(two().page(&html, Some(&gold), r#","language":"zh""#), Kind::UnlikelyLanguage);
    let english =
        "The minister said that the talks with the unions would be long, and that they were not at an end. ".repeat(6);
    let chinese = "新华社记者从国家有关部门了解到经济发展情况良好。".repeat(6);
    for (text, language) in [(&english, "de"), (&chinese, "ja"), (&chinese, "ko")] {
        let field = format!(r#","language":"{language}""#);
        only(two().page(format!("<title>x</title><p>{text}"), Some(text), &field), Kind::UnlikelyLanguage);
    }
    assert_eq!(two().page(format!("<title>x</title><p>{english}"), Some(&english), r#","language":"en""#).found(), []);
    let selected = r#","gold":{"select":{"include":["p",".nothing"]}}"#;
    only(two().page(&html, None, selected), Kind::UnmatchedSelector);
}

#[test]
fn roles_that_no_page_has_are_found() {
    let page = |planted: Planted, roles: &str| {
        let html = article(planted.pages).0;
        planted.page(html, None, &format!(r#","gold":{{"select":{{"include":["p"],"roles":{{{roles}}}}}}}"#))
    };
    let of_some =
        page(page(two(), r#""menu":["nav"],"note":["p.note"]"#), r#""menu":["div"],"note":["p:first-of-type"]"#);
    assert_eq!(of_some.found(), []);
    let of_none = page(of_some, r#""note":["i"],"comment":["b",".none"]"#).report().findings;
    let [Finding { kind, level, page, message }] = &of_none[..] else { panic!("{of_none:?}") };
    assert_eq!((*kind, *level, page), (Kind::UnmatchedRole, Level::Warn, &None));
    assert_eq!(message, "no selector of the role `comment` matches anything, on 1 page that names it");
}

#[test]
fn a_line_that_leaves_out_a_node_between_gold_nodes_is_not_absent() {
    let (html, gold) = article(1);
    let html = html.replace("Sentence 3 of", "Sentence 3<b>(three)</b> of");
    let text = format!("Home\n{}", gold.replace("Sentence 3 of", "Sentence 3(three) of"));
    let sha256 = crate::formats::digest::sha256(text.as_bytes());
    let gold = serde_json::Value::from(gold);
    let by = |nodes: &str| {
        let gold = format!(r#","gold":{{"text":{gold}{nodes}}}"#);
        two().page(&html, None, &gold).found().into_iter().map(|(kind, ..)| kind).collect::<Vec<_>>()
    };
    assert_eq!(by(""), [Kind::GoldNotInPage]);
    assert_eq!(by(&format!(r#","nodes":[[1,4],[6,14]],"text_sha256":"{sha256}""#)), []);
}

#[test]
fn gold_nodes_that_are_not_the_golds_are_found() {
    let (html, gold) = article(1);
    let sha256 = crate::formats::digest::sha256(format!("Home\n{gold}").as_bytes());
    let page = |nodes: &str, more: &str| {
        let text = serde_json::Value::from(gold.clone());
        two().page(&html, None, &format!(r#","gold":{{"text":{text},"nodes":{nodes},"text_sha256":"{sha256}"}}{more}"#))
    };
    assert_eq!(page("[[1,12]]", "").found(), []);
    // One paragraph of twelve too many, or too few, leaves F1 above 0.95; two do not.
    assert_eq!(page("[[1,11]]", "").found(), []);
    only(page("[[1,10]]", ""), Kind::UnlikeNodes);
    only(page("[]", ""), Kind::UnlikeNodes);
    assert_eq!(page("[]", r#","faults":["gold_partial"]"#).found()[0].1, Level::Info);
}

#[test]
fn a_page_that_cannot_be_read_is_found() {
    let (_folder, dataset) = {
        let mut planted = two().plain();
        planted.list = planted.list.replace("1.html", "1.html.gz");
        planted.files[1] = ("1.html.gz".to_owned(), b"\x1f\x8bcut".to_vec());
        planted.folder()
    };
    let report = check(&dataset).unwrap();
    assert_eq!((report.findings.len(), report.findings[0].kind), (1, Kind::Unreadable));
    assert_eq!(report.encodings.values().sum::<usize>(), 1);
}

#[test]
fn what_is_fixed_is_clean_and_the_original_as_it_was() {
    let (html, gold) = article(0);
    let mut planted = two().page(&html, Some(&gold), "").plain().page("<title>x</title><p>Text", Some(""), "");
    planted.manifest = "counts: {pages: 4, golds: 4}\n".to_owned();
    let (folder, dataset) = planted.folder();
    let report = check(&dataset).unwrap();
    assert_eq!(report.count(Level::Error), 2);
    let before = fs::read_to_string(folder.path().join("pages.jsonl")).unwrap();
    let out = tempfile::tempdir().unwrap();
    write(&without_errors(&dataset, &report).unwrap(), out.path(), Layout::Files(Compression::None)).unwrap();
    let fixed = load_folder(out.path()).unwrap();
    let ids: Vec<String> = fixed.records.iter().map(|record| record.unwrap().id.clone()).collect();
    assert_eq!((ids, fixed.manifest.version.as_str()), (vec!["p0".to_owned(), "p2".to_owned()], "1-fixed"));
    let findings: Vec<(Kind, String)> =
        check(&fixed).unwrap().findings.into_iter().map(|finding| (finding.kind, finding.message)).collect();
    let made = "made by `carat dataset check --fix`: 2 of 4 pages, those without errors".to_owned();
    assert_eq!(findings, [(Kind::LoadNote, made)]);
    assert_eq!(fs::read_to_string(folder.path().join("pages.jsonl")).unwrap(), before);
}

#[test]
fn floors_are_means_over_pages_with_gold() {
    // All text: 8 of 10 characters are gold, then 4 of 4; outside links 8 of 8, then 2 of 2 that are half of the gold.
    let planted = Planted::default()
        .page("<title>x</title><p>abcdefgh<a>ij</a>", Some("abcdefgh"), "")
        .page("<title>x</title><p>ab<a href=x>cd</a>", Some("abcd"), "")
        .page("<title>x</title><p>no gold", None, "");
    let floors = planted.report().floors.unwrap();
    let near = |means: Means, expected: [f64; 3]| {
        let found = [means.precision, means.recall, means.f1];
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9), "{found:?} {expected:?}");
    };
    assert_eq!(floors.pages, 2);
    near(floors.all_text, [0.9, 1.0, (8.0 / 9.0 + 1.0) / 2.0]);
    near(floors.nonlink_text, [1.0, 0.75, (1.0 + 2.0 / 3.0) / 2.0]);
    assert_eq!(Planted::default().page("<title>x</title><p>x", None, "").report().floors, None);
}

#[test]
fn threads_do_not_show() {
    let (html, gold) = article(0);
    let planted = (0..70).fold(Planted::default(), |planted, _| planted.plain()).page(html, Some(&gold), "");
    let (_folder, dataset) = planted.folder();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| serde_json::to_string(&check(&dataset).unwrap()).unwrap())
    };
    assert_eq!(on(1), on(7));
    let digest = dataset.digest(|record| dataset.digests(record)).unwrap();
    assert_eq!(check(&dataset).unwrap().digest, digest);
}

//! Folders of the format, right and wrong.

use super::*;
use crate::formats::code::Code;

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

fn folder(manifest: &str, list: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&str, &[u8]); 5] = [
        ("dataset.yaml", manifest.as_bytes()),
        ("pages.jsonl", list.as_bytes()),
        ("a.html", b"<p>a"),
        ("good.txt", b"a"),
        ("bad.txt", b"\xFF\xFE\xFD"),
    ];
    files.iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
    let huge = std::fs::File::create(folder.path().join("huge.txt")).unwrap();
    huge.set_len(crate::datasets::MAX_PAGE_BYTES + 1).unwrap();
    folder
}

fn dataset(manifest: &str, list: &str) -> Result<(tempfile::TempDir, Dataset), DatasetError> {
    let folder = folder(manifest, list);
    let dataset = load_folder(folder.path())?;
    Ok((folder, dataset))
}

fn fault(list: &str) -> (Code, Option<usize>) {
    let error = dataset(MANIFEST, list).unwrap_err();
    (error.code, error.line)
}

#[test]
fn reads_every_form_of_page_and_gold() {
    let list = concat!(
        r#"{"id":"a","html":"a.html","gold":{"text":" x \n\n y"},"host":"www.a.com.cn"}"#,
        "\n\n",
        r#"{"id":"b","html":{"text":"<p id=c>the <i>c</i></p>d"},"gold":{"select":{"include":["#,
        "\"#c\", \".nothing\"",
        r#"]}},"site":"s","x-note":1}"#,
    );
    let (_folder, dataset) = dataset(MANIFEST, list).unwrap();
    let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
    let sites: Vec<_> = records.iter().map(|record| record.site.as_deref().unwrap()).collect();
    assert_eq!(sites, ["a.com.cn", "s"]);
    assert_eq!(dataset.gold_text(&records[0]).unwrap(), "x\ny");
    let opened = dataset.open(&records[1]).unwrap();
    assert_eq!((opened.gold.as_deref(), opened.unmatched), (Some("the c"), vec![".nothing".to_owned()]));
}

#[test]
fn a_text_where_golds_lie_that_no_line_names_is_told() {
    let page = |id: &str, gold: &str| format!(r#"{{"id":"{id}","html":"a.html"{gold}}}"#);
    let list = [page("a", ""), page("b", ""), page("c", r#","gold":{"text":"c"}"#), page("d", "")].join("\n");
    let told = |manifest: &str, names: &[&str]| {
        let folder = folder(manifest, &list);
        std::fs::create_dir(folder.path().join("gold")).unwrap();
        names.iter().for_each(|name| std::fs::write(folder.path().join("gold").join(name), "a").unwrap());
        let dataset = load_folder(folder.path()).unwrap();
        dataset.notes.iter().map(|note| note.text().to_owned()).collect::<Vec<_>>()
    };
    let some =
        ["2 pages without gold have a text in gold/ that the page list does not name, such as `gold/b.txt`: write \
         \"gold\": \"gold/b.txt\" into the line of the page"];
    assert_eq!(told(MANIFEST, &["b.txt", "c.txt", "d.txt", "other.txt"]), some);
    assert!(told(MANIFEST, &["d.txt"])[0].starts_with("1 page without gold has a text"));
    assert!(told(MANIFEST, &["c.txt", "other.txt"]).is_empty());
    assert!(told(&format!("{MANIFEST}gold_folder: gold\n"), &["b.txt"]).is_empty());
}

/// The SHA-256 of the text of `<p>a<p>b <i>c</i>`.
fn guard() -> String {
    crate::formats::digest::sha256(b"a\nb c")
}

fn nodes_page(gold: &str) -> String {
    let gold = gold.replace("GUARD", &format!(r#""text_sha256":"{}""#, guard()));
    format!(r#"{{"id":"a","html":{{"text":"<p>a<p>b <i>c</i>"}},"gold":{gold}}}"#)
}

#[test]
fn nodes_are_gold_alone_and_beside_a_text() {
    let opened = |gold: &str| {
        let (_folder, dataset) = dataset(MANIFEST, &nodes_page(gold)).unwrap();
        let opened = dataset.open(&dataset.records.get(0).unwrap()).unwrap();
        let texts = opened.nodes.map(|nodes| {
            nodes.nodes().iter().map(|&id| opened.page.tree.text(id).trim().to_owned()).collect::<String>()
        });
        (opened.gold.unwrap(), texts)
    };
    let told = |gold: &str, nodes: &str| (gold.to_owned(), Some(nodes.to_owned()));
    assert_eq!(opened(r#"{"nodes":[[0,0],[2,2]],GUARD}"#), told("a\nc", "ac"));
    assert_eq!(opened(r#"{"nodes":[],GUARD}"#), told("", ""));
    assert_eq!(opened(r#"{"text":" other ","nodes":[[1,2]],GUARD,"f1":[4,9]}"#), told("other", "bc"));
    assert_eq!(opened(r#"{"select":{"include":["i"]}}"#), told("c", "c"));
    assert_eq!(opened(r#"{"text":"other"}"#), ("other".to_owned(), None));
}

#[test]
fn nodes_of_another_text_and_those_that_mean_nothing_are_refused() {
    let code = |gold: &str| fault(&nodes_page(gold));
    let at = |code: Code| (code, Some(1));
    assert_eq!(fault(&nodes_page(r#"{"nodes":[[0,0]],GUARD}"#).replace("<p>b", "<p>x")), at(Code::Digest));
    assert_eq!(code(r#"{"nodes":[[0,3]],GUARD}"#), at(Code::Type));
    for gold in [
        r#"{"nodes":[[1,0]],GUARD}"#,
        r#"{"nodes":[[0,0]]}"#,
        r#"{"nodes":[[0,-1]],GUARD}"#,
        r#"{"nodes":[0],GUARD}"#,
        r#"{"text":"a","f1":[1,2]}"#,
        r#"{"text":"a",GUARD}"#,
        r#"{"text":"a","path":"a.html","nodes":[],GUARD}"#,
        r#"{"select":{"include":["p"]},"nodes":[],GUARD}"#,
    ] {
        assert_eq!(code(gold), at(Code::Type), "{gold}");
    }
}

#[test]
fn the_digest_of_a_dataset_knows_gold_nodes() {
    let digest = |gold: &str| {
        let (_folder, dataset) = dataset(MANIFEST, &nodes_page(gold)).unwrap();
        dataset.digest(|record| dataset.digests(record)).unwrap()
    };
    let text = digest(r#"{"text":"a"}"#);
    let first = digest(r#"{"text":"a","nodes":[[0,0]],GUARD}"#);
    assert!(text != first && first != digest(r#"{"text":"a","nodes":[[1,1]],GUARD}"#));
    assert_eq!(first, digest(r#"{"text":"a","nodes":[[0,0]],GUARD,"f1":[1,1]}"#));
    let selected = |selector: &str| digest(&format!(r#"{{"select":{{"include":["{selector}"],"exclude":[]}}}}"#));
    assert_ne!(selected("p"), selected("body p"));
}

#[test]
fn annotations_whose_removal_changes_the_text_fail_the_page() {
    let list = r#"{"id":"a","html":{"text":"a<div class=x>b</div><mark>c</mark>"},"gold":{"text":"a"}}"#;
    let opened = |unwrap: &str| {
        let manifest = format!("{MANIFEST}annotations: {{unwrap: ['{unwrap}']}}\n");
        let (_folder, dataset) = dataset(&manifest, list).unwrap();
        dataset.open(&dataset.records.get(0).unwrap()).err()
    };
    assert_eq!(opened("mark"), None);
    assert!(opened(".x").unwrap().contains("`annotations.unwrap` of the manifest changes the page's text"));
}

#[test]
fn every_fault_has_its_code_and_line() {
    let ok = r#"{"id":"a","html":"a.html"}"#;
    let cases = [
        (format!("{ok}\n{ok}"), Code::Id, Some(2)),
        (r#"{"id":".a","html":"a.html"}"#.into(), Code::Id, Some(1)),
        (r#"{"id":"a","html":"../a.html"}"#.into(), Code::Path, Some(1)),
        (r#"{"id":"a","html":"/etc/passwd"}"#.into(), Code::Path, Some(1)),
        (r#"{"id":"a","html":"b.html"}"#.into(), Code::Missing, Some(1)),
        (r#"{"id":"a","html":"a.html","gold":"b.txt"}"#.into(), Code::Missing, Some(1)),
        (r#"{"id":"a","html":"a.html","gold":"bad.txt"}"#.into(), Code::GoldBytes, Some(1)),
        (r#"{"id":"a","html":"a.html","colour":"red"}"#.into(), Code::Key, Some(1)),
        (r#"{"id":"a","html":"a.html","id":"b"}"#.into(), Code::Key, Some(1)),
        (r#"{"id":"a","html":"a.html","encoding":"klingon"}"#.into(), Code::Encoding, Some(1)),
        (r#"{"id":"a","html":{"path":"a.html","text":"x"}}"#.into(), Code::Type, Some(1)),
        (r#"{"id":"a","html":{"text":"x"},"encoding":"gbk"}"#.into(), Code::Encoding, Some(1)),
        (r#"{"id":"a","html":{"path":"a.html","bytes":3}}"#.into(), Code::Digest, Some(1)),
        (r#"{"id":"a","html":"a.html","kind":"A Kind"}"#.into(), Code::Type, Some(1)),
        (r#"{"id":"a","html":"a.html","gold":{"select":{"include":["p::before"]}}}"#.into(), Code::Selector, Some(1)),
        (r#"{"id":"a","html":"a.ht"#.into(), Code::Type, Some(1)),
        (r#"{"id":"a"}"#.into(), Code::Type, Some(1)),
    ];
    for (list, code, line) in cases {
        assert_eq!(fault(&list), (code.to_owned(), line), "{list}");
    }
}

#[test]
fn words_of_another_form_are_refused() {
    let page = |fields: &str| format!(r#"{{"id":"a","html":{{"text":"x"}},{fields}}}"#);
    let cases = [
        (r#""language":"english language!!""#, Code::Type),
        (r#""language":"en_US""#, Code::Type),
        (r#""language":"1a""#, Code::Type),
        (r#""url":"not a url""#, Code::Type),
        (r#""url":"//a.org/b""#, Code::Type),
        (r#""host":"WWW.Example.COM""#, Code::Type),
        (r#""site":"a\tb""#, Code::Type),
        (r#""site":"""#, Code::Type),
        (r#""group":"a\nb""#, Code::Type),
        (r#""gold":{"text":"x","sha256":"00"}"#, Code::Type),
        (r#""gold":{"text":"x","encoding":"gbk"}"#, Code::Type),
        (r#""gold":{"path":"good.txt","encoding":"klingon"}"#, Code::Encoding),
        (r#""gold":{"path":"a.html","select":{"include":["p"]},"encoding":"klingon"}"#, Code::Encoding),
        (r#""gold":{"path":"good.txt","sha256":"00"}"#, Code::Digest),
        (r#""gold":{"path":"a.html","select":{"include":["p"]},"sha256":"00"}"#, Code::Digest),
        (r#""gold":"huge.txt""#, Code::Size),
        (r#""gold":{"path":"good.txt","colour":1}"#, Code::Key),
        (r#""gold":{"select":{"include":["p"],"colour":1}}"#, Code::Key),
        (r#""extra":{"a":[{"b":1,"b":2}]}"#, Code::Key),
        (r#""gold":{"path":"good.txt","path":"bad.txt"}"#, Code::Key),
        (r#""gold":"e\u0301.txt""#, Code::Path),
        (r#""encoding":"gbk""#, Code::Encoding),
    ];
    for (fields, code) in cases {
        assert_eq!(fault(&page(fields)), (code, Some(1)), "{fields}");
    }
    for (page, code) in [
        (r#"{"id":"a","html":{"path":"a.html","colour":1}}"#, Code::Key),
        (r#"{"id":"a","html":{"path":"a.html","path":"b.html"}}"#, Code::Key),
        (r#"{"id":"a%zz","html":"a.html"}"#, Code::Id),
        (r#"{"id":"a%e4","html":"a.html"}"#, Code::Id),
        (r#"{"id":"a%E","html":"a.html"}"#, Code::Id),
        (r#"[1]"#, Code::Type),
    ] {
        assert_eq!(fault(page), (code, Some(1)), "{page}");
    }
}

#[test]
fn a_value_of_another_type_is_told_with_its_field() {
    for (fields, told) in [
        (r#""id":1,"html":"a.html""#, "`id`: invalid type: integer `1`, expected a string"),
        (r#""id":"a","html":"a.html","split":"dev","faults":"truncated""#, "`faults`: invalid type: string"),
        (r#""id":"a","html":"a.html","site":["s"]"#, "`site`: invalid type: sequence"),
        (r#""id":"a","html":{"path":"a.html","bytes":-1}"#, "not a page record: `html`: invalid value: integer `-1`"),
    ] {
        let error = dataset(MANIFEST, &format!("{{{fields}}}")).unwrap_err();
        assert!(error.message.contains(told), "{error}");
    }
    let error = dataset(&format!("{MANIFEST}defaults: {{kind: 3}}\n"), r#"{"id":"a","html":"a.html"}"#).unwrap_err();
    assert!(error.message.contains("`kind`: invalid type: integer `3`"), "{error}");
}

#[test]
fn words_of_every_allowed_form_are_read() {
    let list = [
        r#"{"id":"a%E4%BD","html":{"text":"x"},"encoding":"UTF8","language":"zh-Hant-TW","url":"http://A.org/中 b"}"#,
        r#"{"id":"b","html":{"text":"x"},"encoding":"unicode-1-1-utf-8","language":"x-mine","url":"urn:uuid:1"}"#,
        r#"{"id":"c","html":"a.html","language":"no","host":"a.org","published":"2024-12"}"#,
        r#"{"id":"d","html":"a.html","published":"last Tuesday","crawled":"2024-02-30T"}"#,
    ];
    let manifest = format!("{MANIFEST}defaults: {{encoding: utf8}}\n");
    let (_folder, dataset) = dataset(&manifest, &list.join("\n")).unwrap();
    let details = |index: usize| dataset.records.get(index).unwrap().details().clone();
    assert_eq!(details(2).published.as_deref(), Some("2024-12"));
    let aside = details(3);
    assert_eq!((&aside.published, &aside.crawled), (&None, &None));
    let words = [&aside.other["x-published"], &aside.other["x-crawled"]];
    assert_eq!(words, ["last Tuesday", "2024-02-30T"]);
}

#[test]
fn a_suffix_in_upper_case_is_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dataset.yaml"), MANIFEST).unwrap();
    std::fs::write(folder.path().join("pages.jsonl"), r#"{"id":"a","html":"a.html.ZST"}"#).unwrap();
    std::fs::write(folder.path().join("a.html.ZST"), zstd::encode_all(&b"<p>a"[..], 1).unwrap()).unwrap();
    let dataset = load_folder(folder.path()).unwrap();
    assert_eq!(dataset.page_bytes(&dataset.records.get(0).unwrap()).unwrap(), b"<p>a");
}

#[test]
fn a_line_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dataset.yaml"), MANIFEST).unwrap();
    let mut list = std::fs::File::create(folder.path().join("pages.jsonl")).unwrap();
    list.set_len(1 << 40).unwrap();
    let error = load_folder(folder.path()).unwrap_err();
    assert_eq!((error.code, error.line), (Code::Size, Some(1)));
    list.set_len((64 << 20) + 100).unwrap();
    std::io::Seek::seek(&mut list, std::io::SeekFrom::End(0)).unwrap();
    std::io::Write::write_all(&mut list, b"\n{\"id\":\"a\",\"html\":{\"text\":\"x\"}}\n").unwrap();
    let dataset = load_folder_with(folder.path(), Loading::KEEP_GOING).unwrap();
    assert_eq!((dataset.records.len(), dataset.dropped().pages), (1, 1));
    assert_eq!(dataset.records.get(0).unwrap().id, "a");
}

#[cfg(unix)]
#[test]
fn a_page_list_is_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dataset.yaml"), MANIFEST).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("pages.jsonl")).unwrap();
    assert_eq!(load_folder(folder.path()).unwrap_err().code, Code::Path);
}

#[test]
fn a_load_that_goes_on_lists_every_fault_and_leaves_its_page_out() {
    let list = [
        r#"{"id":"a","html":"a.html"}"#,
        r#"{"id":"b","html":"a.html","colour":1}"#,
        "",
        "not json",
        r#"{"id":"c","html":"gone.html"}"#,
        r#"{"id":"a","html":"a.html"}"#,
        r#"{"id":"d","html":"a.html","gold":"bad.txt"}"#,
        r#"{"id":"e","html":"a.html","gold":{"text":"e"}}"#,
    ];
    let load = |manifest: &str| {
        let folder = folder(manifest, &list.join("\n"));
        let dataset = load_folder_with(folder.path(), Loading::KEEP_GOING);
        (folder, dataset)
    };
    let (_folder, dataset) = load(&format!("{MANIFEST}counts: {{pages: 7, golds: 9}}\ndigest: 'sha256:0'\n"));
    let dataset = dataset.unwrap();
    let ids: Vec<_> = dataset.records.iter().map(|record| record.unwrap().id.clone()).collect();
    assert_eq!((ids, dataset.records.golds()), (vec!["a".to_owned(), "e".to_owned()], 1));
    let told = |fault: &DatasetError| {
        assert!(fault.file.ends_with("pages.jsonl"), "{fault}");
        (fault.code, fault.line.unwrap(), fault.page.clone().unwrap_or_default())
    };
    let faults: Vec<_> = dataset.dropped().faults.iter().map(told).collect();
    let at = |code, line, page: &str| (code, line, page.to_owned());
    let expected = [
        at(Code::Key, 2, "b"),
        at(Code::Type, 4, ""),
        at(Code::Missing, 5, "c"),
        at(Code::Id, 6, "a"),
        at(Code::GoldBytes, 7, "d"),
    ];
    assert_eq!((faults, dataset.dropped().pages), (expected.to_vec(), 5));
    let (_folder, dataset) = load(&format!("{MANIFEST}counts: {{pages: 8}}\n"));
    assert_eq!(codes(&dataset.unwrap().dropped().of_set), [Code::Count]);
    assert_eq!(load("format: 2\n").1.unwrap_err().code, Code::Format);
}

fn codes(faults: &[DatasetError]) -> Vec<Code> {
    faults.iter().map(|fault| fault.code).collect()
}

#[test]
fn page_lists_that_cannot_be_read_are_told_as_lost() {
    let manifest = format!(
        "{MANIFEST}pages: [none.jsonl, pages.jsonl, sub/a.jsonl]\ncounts: {{pages: 8, golds: 9}}\ndigest: 'sha256:0'\n"
    );
    let folder = folder(&manifest, r#"{"id":"a","html":"a.html"}"#);
    std::fs::create_dir_all(folder.path().join("sub/a.jsonl")).unwrap();
    let dataset = load_folder_with(folder.path(), Loading::KEEP_GOING).unwrap();
    let dropped = dataset.dropped();
    assert_eq!((dataset.records.len(), dropped.pages, dropped.unlisted()), (1, 0, 0));
    let lost: Vec<String> = dropped.left_out().collect();
    assert_eq!(lost, ["the rest of `none.jsonl` from line 1", "the rest of `sub/a.jsonl` from line 1"]);
    // How many golds there are is not known, nor what the digest would be.
    assert_eq!(codes(&dropped.of_set), [Code::Missing, Code::Missing, Code::Count]);
    assert!(dropped.of_set[0].message.ends_with("; the rest of `none.jsonl` from line 1 is left out"), "{dropped:?}");
    assert!(dataset.refuse_if_none_is_left().is_ok());
    std::fs::write(folder.path().join("pages.jsonl"), "").unwrap();
    let emptied = load_folder_with(folder.path(), Loading::KEEP_GOING).unwrap();
    assert_eq!(emptied.refuse_if_none_is_left().unwrap_err().code, Code::Missing);
}

#[test]
fn a_digest_that_is_not_the_pages_is_a_fault_of_no_page() {
    let folder = folder(&format!("{MANIFEST}digest: 'sha256:0'\n"), r#"{"id":"a","html":"a.html"}"#);
    let dataset = load_folder_with(folder.path(), Loading::KEEP_GOING).unwrap();
    assert!(dataset.dropped().is_whole() && dataset.dropped().faults.is_empty());
    assert_eq!(codes(&dataset.dropped().of_set), [Code::Digest]);
}

#[test]
fn no_more_than_a_thousand_faults_of_pages_are_listed_beside_those_of_the_set() {
    let manifest = format!("{MANIFEST}pages: [none.jsonl, pages.jsonl]\ncounts: {{pages: 1}}\n");
    let folder = folder(&manifest, &"x\n".repeat(1005));
    let dataset = load_folder_with(folder.path(), Loading::KEEP_GOING).unwrap();
    let dropped = dataset.dropped();
    assert_eq!((dropped.pages, dropped.faults.len(), dropped.faults[999].line), (1005, 1000, Some(1000)));
    assert_eq!((dropped.unlisted(), codes(&dropped.of_set)), (5, vec![Code::Missing, Code::Count]));
    assert!(dataset.records.is_empty());
    let report = crate::datasets::check::check(&dataset).unwrap();
    let error = crate::datasets::check::Level::Error;
    assert_eq!((report.findings.len(), report.count(error), report.unlisted), (1002, 1007, 5));
    let kinds = report.kinds().into_iter().map(|count| (count.kind.name(), count.findings, count.lowered));
    assert_eq!(kinds.collect::<Vec<_>>(), [("set-fault", 2, 0), ("load-fault", 1005, 0)]);
}

#[test]
fn counts_are_checked() {
    assert_eq!(dataset(&format!("{MANIFEST}counts: {{pages: 3}}\n"), "").unwrap_err().code, Code::Count);
    let page = r#"{"id":"a","html":"a.html"}"#;
    assert!(dataset(&format!("{MANIFEST}x-note: mine\ncounts: {{pages: 1, golds: 0}}\n"), page).is_ok());
    assert_eq!(dataset(MANIFEST, "\n").unwrap_err().code, Code::Count);
}

#[test]
fn inline_pages_are_characters_whatever_their_label() {
    let list = r#"{"id":"a","html":{"text":"<meta charset=gb2312><p>中文新闻"},"gold":{"text":"中文新闻"}}"#;
    let (_folder, dataset) = dataset(MANIFEST, list).unwrap();
    assert_eq!(dataset.open(&dataset.records.get(0).unwrap()).unwrap().page.facts.encoding, "UTF-8");
}

#[test]
fn the_digest_is_checked_and_knows_annotations() {
    let page = r#"{"id":"a","html":{"text":"<p>a"},"gold":{"text":"a"}}"#;
    let (_plain_folder, plain) = dataset(MANIFEST, page).unwrap();
    let digest = |dataset: &Dataset| dataset.digest(|record| dataset.digests(record)).unwrap();
    let stated = format!("{MANIFEST}digest: '{}'\n", digest(&plain));
    assert!(dataset(&stated, page).is_ok());
    assert_eq!(dataset(&stated, &page.replace("<p>a", "<p>b")).unwrap_err().code, Code::Digest);
    let (_stripped_folder, stripped) = dataset(&format!("{MANIFEST}annotations: {{elements: [i]}}\n"), page).unwrap();
    assert_ne!(digest(&stripped), digest(&plain));
}

#[test]
fn defaults_fill_in_and_null_counts_as_present() {
    let manifest = format!("{MANIFEST}defaults: {{language: zh, kind: blog}}\n");
    let list = r#"{"id":"a","html":"a.html","language":null}"#;
    let (_folder, dataset) = dataset(&manifest, list).unwrap();
    let record = dataset.records.get(0).unwrap();
    assert_eq!((record.language.as_deref(), record.kind.as_deref()), (None, Some("blog")));
}

#[test]
fn marks_at_the_beginning_of_a_list_are_no_part_of_its_first_record() {
    let record = |id: &str| format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"x\"}}}}");
    let folder = folder(MANIFEST, &format!("\u{FEFF}{}\r\n\n{}", record("a"), record("b")));
    let dataset = load_folder(folder.path()).unwrap();
    let ids: Vec<String> = dataset.records.iter().map(|record| record.unwrap().id.clone()).collect();
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn a_list_that_is_read_in_parts_has_every_record_and_the_lines_of_its_faults() {
    let filler = "x".repeat(1_000);
    let record = |id: usize| format!("{{\"id\":\"p{id}\",\"html\":{{\"text\":\"{filler}\"}}}}\n");
    let mut list: String = (0..3_000).map(record).collect();
    let dataset = load_folder(folder(MANIFEST, &list).path()).map(|dataset| dataset.records.len());
    assert_eq!(dataset.unwrap(), 3_000);
    list.push_str("{\"id\":\"late\"}\n");
    let fault = load_folder(folder(MANIFEST, &list).path()).unwrap_err();
    assert_eq!((fault.line, fault.page.as_deref()), (Some(3_001), Some("late")));
    let within = folder(MANIFEST, &list.replace("\"id\":\"p2500\"", "\"id\":\"p 2500\""));
    assert_eq!(load_folder(within.path()).unwrap_err().line, Some(2_501));
}

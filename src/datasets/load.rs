//! Reading a folder of the neutral format, with every check that the format asks for.

use std::path::Path;

use super::manifest::{Compression, Manifest, is_dataset_name, unknown_key};
use super::page_list::PageLists;
use super::records::Records;
use super::root::Root;
use super::{Dataset, DatasetError, check_path, hash, shown, unreadable};
use crate::formats::yaml;
use crate::page::selector::Selectors;

/// Loads the dataset in `folder`, which holds `dataset.yaml`.
///
/// # Errors
/// [`DatasetError`]: a fault of the manifest or a page list, a missing file, gold that does not decode.
pub fn load_folder(folder: &Path) -> Result<Dataset, DatasetError> {
    let root = Root::Folder(folder.to_owned());
    let file = shown(&folder.join("dataset.yaml"));
    let text = read_text(&root, "dataset.yaml", &file)?;
    let manifest = read_manifest(&text, &file)?;
    let gold_folder = manifest.gold_folder.as_ref().map(|gold| Root::Folder(folder.join(gold)));
    let gold_root = gold_folder.unwrap_or_else(|| root.clone());
    let mut lists = PageLists::new(folder, &manifest);
    let (mut places, mut ids, mut golds, mut end) = (Vec::new(), Vec::new(), 0, 0);
    for list in &manifest.pages {
        check_path(list).map_err(|message| DatasetError::new("E-PATH", &file, message))?;
        end = lists.add(list, end, |place, record| {
            places.push(place);
            ids.push(hash(record.id.as_bytes()));
            golds += usize::from(record.gold.is_some());
        })?;
    }
    let records = Records::listed(lists, places, golds);
    if let Some(double) = records.first_double(&ids)? {
        let fault = DatasetError::new("E-ID", &file, "the id is given twice");
        return Err(records.located(double, fault).of_page(&records.get(double)?.id));
    }
    let mut dataset = Dataset::new(manifest, records, ids, root, gold_root);
    dataset.list_stored("stored", &[".jsonl.zst", ".jsonl.gz", ".jsonl"])?;
    check_counts(&dataset, &file)?;
    if dataset.records.is_empty() {
        return Err(DatasetError::new("E-COUNT", &file, "the dataset has no page"));
    }
    dataset.check_files(&file)?;
    if let Some(expected) = &dataset.manifest.digest {
        let found = dataset.digest(|record| dataset.digests(record))?;
        if found != *expected {
            let message = format!("the dataset's digest is {found}, not {expected} as the manifest says");
            return Err(DatasetError::new("E-DIGEST", &file, message));
        }
    }
    Ok(dataset)
}

fn read_text(root: &Root, path: &str, file: &str) -> Result<String, DatasetError> {
    let bytes = root.read_up_to(u64::MAX, path, Some(Compression::None)).map_err(|error| unreadable(file, error))?;
    String::from_utf8(bytes).map_err(|_| DatasetError::new("E-TYPE", file, "is not valid UTF-8"))
}

/// The manifest in `text`, checked.
fn read_manifest(text: &str, file: &str) -> Result<Manifest, DatasetError> {
    let manifest: Manifest = yaml::typed(file, text).map_err(|error| {
        let code = if error.message.contains("unknown field") { "E-KEY" } else { "E-TYPE" };
        DatasetError::new(code, file, error.message.clone()).at_line(error.at.line)
    })?;
    let fault = |code, key: &str, message: String| {
        let line = text.lines().position(|line| line.trim_start().starts_with(&format!("{key}:")));
        DatasetError { line: line.map(|line| line + 1), ..DatasetError::new(code, file, message) }
    };
    if manifest.format != 1 {
        let message = format!("format {} is newer than this program, which reads format 1", manifest.format);
        return Err(fault("E-FORMAT", "format", message));
    }
    if let Some(key) = unknown_key(&manifest.other) {
        return Err(fault("E-KEY", key, format!("unknown key `{key}` (keys of your own begin with `x-`)")));
    }
    if !is_dataset_name(&manifest.name) {
        let message = format!("`{}` is no dataset name: lower-case letters, digits, `.`, `_`, `-`", manifest.name);
        return Err(fault("E-TYPE", "name", message));
    }
    if let Some(key) = ["id", "html", "gold"].into_iter().find(|key| manifest.defaults.contains_key(*key)) {
        return Err(fault("E-KEY", "defaults", format!("`defaults` cannot hold `{key}`, which is each page's own")));
    }
    if let Some(strip) = &manifest.annotations {
        for selectors in [&strip.elements, &strip.unwrap] {
            Selectors::parse(selectors).map_err(|error| fault("E-SELECTOR", "annotations", error.to_string()))?;
        }
    }
    Ok(manifest)
}

fn check_counts(dataset: &Dataset, file: &str) -> Result<(), DatasetError> {
    let declared = dataset.manifest.counts.clone().unwrap_or_default();
    let Dataset { records, .. } = dataset;
    for (what, declared, found) in
        [("pages", declared.pages, records.len()), ("golds", declared.golds, records.golds())]
    {
        if declared.is_some_and(|declared| declared != found) {
            let message = format!("counts says {} {what}, there are {found}", declared.unwrap_or_default());
            return Err(DatasetError::new("E-COUNT", file, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

    fn dataset(manifest: &str, list: &str) -> Result<(tempfile::TempDir, Dataset), DatasetError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dataset.yaml"), manifest).unwrap();
        std::fs::write(folder.path().join("pages.jsonl"), list).unwrap();
        std::fs::write(folder.path().join("a.html"), "<p>a").unwrap();
        std::fs::write(folder.path().join("bad.txt"), b"\xFF\xFE\xFD").unwrap();
        let dataset = load_folder(folder.path())?;
        Ok((folder, dataset))
    }

    fn fault(list: &str) -> (String, Option<usize>) {
        let error = dataset(MANIFEST, list).unwrap_err();
        (error.code.to_owned(), error.line)
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
        let at = |code: &str| (code.to_owned(), Some(1));
        assert_eq!(fault(&nodes_page(r#"{"nodes":[[0,0]],GUARD}"#).replace("<p>b", "<p>x")), at("E-DIGEST"));
        assert_eq!(code(r#"{"nodes":[[0,3]],GUARD}"#), at("E-TYPE"));
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
            assert_eq!(code(gold), at("E-TYPE"), "{gold}");
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
            (format!("{ok}\n{ok}"), "E-ID", Some(2)),
            (r#"{"id":".a","html":"a.html"}"#.into(), "E-ID", Some(1)),
            (r#"{"id":"a","html":"../a.html"}"#.into(), "E-PATH", Some(1)),
            (r#"{"id":"a","html":"/etc/passwd"}"#.into(), "E-PATH", Some(1)),
            (r#"{"id":"a","html":"b.html"}"#.into(), "E-MISSING", Some(1)),
            (r#"{"id":"a","html":"a.html","gold":"b.txt"}"#.into(), "E-MISSING", Some(1)),
            (r#"{"id":"a","html":"a.html","gold":"bad.txt"}"#.into(), "E-GOLD-BYTES", Some(1)),
            (r#"{"id":"a","html":"a.html","colour":"red"}"#.into(), "E-KEY", Some(1)),
            (r#"{"id":"a","html":"a.html","id":"b"}"#.into(), "E-KEY", Some(1)),
            (r#"{"id":"a","html":"a.html","encoding":"klingon"}"#.into(), "E-ENCODING", Some(1)),
            (r#"{"id":"a","html":{"path":"a.html","text":"x"}}"#.into(), "E-TYPE", Some(1)),
            (r#"{"id":"a","html":{"text":"x"},"encoding":"gbk"}"#.into(), "E-ENCODING", Some(1)),
            (r#"{"id":"a","html":{"path":"a.html","bytes":3}}"#.into(), "E-DIGEST", Some(1)),
            (r#"{"id":"a","html":"a.html","kind":"A Kind"}"#.into(), "E-TYPE", Some(1)),
            (r#"{"id":"a","html":"a.html","gold":{"select":{"include":["p::before"]}}}"#.into(), "E-SELECTOR", Some(1)),
            (r#"{"id":"a","html":"a.ht"#.into(), "E-TYPE", Some(1)),
            (r#"{"id":"a"}"#.into(), "E-TYPE", Some(1)),
        ];
        for (list, code, line) in cases {
            assert_eq!(fault(&list), (code.to_owned(), line), "{list}");
        }
    }

    #[test]
    fn manifests_are_checked() {
        let with = |line: &str| dataset(&format!("{MANIFEST}{line}\n"), "").unwrap_err();
        assert_eq!((with("colour: red").code, with("colour: red").line), ("E-KEY", Some(5)));
        assert_eq!(with("counts: {pages: 3}").code, "E-COUNT");
        assert_eq!(with("defaults: {gold: {text: x}}").code, "E-KEY");
        assert_eq!(with("annotations: {unwrap: ['p::before']}").code, "E-SELECTOR");
        assert_eq!(dataset(&MANIFEST.replace("format: 1", "format: 2"), "").unwrap_err().code, "E-FORMAT");
        assert_eq!(dataset(&MANIFEST.replace("name: demo", "name: De mo"), "").unwrap_err().code, "E-TYPE");
        let page = r#"{"id":"a","html":"a.html"}"#;
        assert!(dataset(&format!("{MANIFEST}x-note: mine\n"), page).is_ok());
        assert_eq!(dataset(MANIFEST, "\n").unwrap_err().code, "E-COUNT");
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
        assert_eq!(dataset(&stated, &page.replace("<p>a", "<p>b")).unwrap_err().code, "E-DIGEST");
        let (_stripped_folder, stripped) =
            dataset(&format!("{MANIFEST}annotations: {{elements: [i]}}\n"), page).unwrap();
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
}

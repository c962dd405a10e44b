use super::*;

fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    folder
}

fn options(pairs: &[(&str, &str)]) -> Options {
    Options(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
}

/// Ids with their golds and sites.
fn pages(files: &[&str], pairs: &[(&str, &str)]) -> Result<Vec<(String, String, String)>, Code> {
    let folder = folder(files);
    let dataset = IMPORTER.read(folder.path(), &options(pairs)).map_err(|error| error.code)?;
    let gold = |record: &Record| record.gold.as_ref().and_then(GoldSource::path).unwrap_or_default().to_owned();
    Ok(dataset
        .records
        .iter()
        .map(Result::unwrap)
        .map(|record| (record.id.clone(), gold(&record), record.site.clone().unwrap()))
        .collect())
}

fn row(id: &str, gold: &str, site: &str) -> (String, String, String) {
    (id.to_owned(), gold.to_owned(), site.to_owned())
}

#[test]
fn pairs_pages_with_golds() {
    let files = ["html/a.html", "gold/a.txt", "b.htm", "b.txt", "c.html", ".DS_Store"];
    let expected = [row("a", "gold/a.txt", "a"), row("b", "b.txt", "b"), row("c", "", "c")];
    assert_eq!(pages(&files, &[]).unwrap(), expected);
}

#[test]
fn a_second_gold_of_a_page_is_told() {
    let notes = |files: &[&str]| -> Vec<String> {
        let folder = folder(files);
        let dataset = IMPORTER.read(folder.path(), &options(&[])).unwrap();
        dataset.notes.iter().map(|note| note.text().to_owned()).filter(|note| note.contains("is not read")).collect()
    };
    assert_eq!(
        notes(&["html/a.html", "gold/a.txt", "html/a.txt", "html/b.html", "gold/b.txt"]),
        ["html/a.txt is not read, for html/a.html has its gold elsewhere"]
    );
    assert!(notes(&["html/a.html", "gold/a.txt", "b.html", "b.txt"]).is_empty());
}

#[test]
fn a_tree_of_golds_mirrors_that_of_pages_and_capitals_do_not_matter() {
    let files = ["html/x/index.html", "html/y/index.html", "gold/x/index.txt", "gold/y/index.txt"];
    let found = pages(&files, &[]).unwrap();
    let golds: Vec<&str> = found.iter().map(|(_, gold, _)| gold.as_str()).collect();
    assert_eq!(golds, ["gold/x/index.txt", "gold/y/index.txt"]);
    let unique =
        pages(&["html/x/one.html", "gold/deep/er/one.txt", "gold/deep/two.txt", "html/two.html"], &[]).unwrap();
    assert_eq!([&unique[0].1, &unique[1].1], ["gold/deep/er/one.txt", "gold/deep/two.txt"]);
    // The gold of a page that is gone is that of no other folder's page.
    for files in [
        &["html/x/one.html", "html/x/two.html", "gold/x/two.txt", "gold/y/one.txt"][..],
        &["a.example/one.html", "gold/b.example/one.txt"],
    ] {
        assert_eq!(pages(files, &[]).unwrap_err(), Code::Upstream, "{files:?}");
    }
    let capitals = pages(&["A.HTML", "A.TXT", "b.Htm", "gold/B.txt"], &[]).unwrap();
    assert_eq!(capitals, [row("A", "A.TXT", "A"), row("b", "gold/B.txt", "b")]);
    // A Mac writes é as two characters.
    let composed = pages(&["caf\u{e9}.html", "gold/cafe\u{301}.txt"], &[]).unwrap();
    assert_eq!(composed[0], row("caf\u{e9}", "gold/cafe\u{301}.txt", "caf\u{e9}"));
    assert_eq!(pages(&["cafe\u{301}.html"], &[]).unwrap()[0].0, "caf\u{e9}");
    // Two pages that only look alike stay two.
    let two = pages(&["cafe\u{301}.html", "caf\u{e9}.html"], &[]).unwrap();
    assert_eq!([&*two[0].0, &*two[1].0], ["cafe%CC%81", "caf\u{e9}"]);
}

#[test]
fn sites_are_the_hosts_in_names_where_every_page_has_one() {
    let sites = |files: &[&str], pairs: &[(&str, &str)]| -> Vec<String> {
        pages(files, pairs).unwrap().into_iter().map(|(_, _, site)| site).collect()
    };
    let files = ["news.sina.com.cn/1.html", "https%3A%2F%2Fwww.bbc.co.uk%2Fa.html", "www.sina.com.cn_2.html"];
    assert_eq!(sites(&files, &[]), ["sina.com.cn", "bbc.co.uk", "sina.com.cn"]);
    assert_eq!(sites(&["1.html", "news.sina.com.cn/2.html"], &[]), ["1", "2"], "not every page has one");
    let none = sites(&files, &[("site_from", "none")]);
    assert!(none.iter().all(|site| !site.ends_with(".uk")), "{none:?}");
    let folder = folder(&["a.html", "b.html", "example.org_c.html"]);
    let cases: [(&[(&str, &str)], &str); 2] = [
        (&[], "3 pages have no site, so each counts as one"),
        (&[("site_from", "host")], "2 pages have no site, so each counts as one"),
    ];
    for (pairs, begins) in cases {
        let notes = IMPORTER.read(folder.path(), &options(pairs)).unwrap().notes;
        assert!(notes.iter().any(|note| note.text().starts_with(begins)), "{notes:?}");
    }
}

#[test]
fn names_in_any_writing_are_ids() {
    let found = pages(&["中文 页面.html", "gold/中文 页面.txt", "été.html"], &[]).unwrap();
    assert_eq!([found[0].0.as_str(), &found[1].0], ["été", "中文%20页面"]);
    assert_eq!(found[1].1, "gold/中文 页面.txt");
}

#[test]
fn runs_that_were_written_beside_the_pages_are_no_pages() {
    let files = ["a.html", "a.txt", "reports/default/run.yaml", "reports/default/pages/a.html", "reports/b.html"];
    assert_eq!(pages(&files, &[]).unwrap(), [row("a", "a.txt", "a"), row("b", "", "b")]);
}

#[test]
fn reads_the_layout_of_cetr() {
    let files = ["bbc/original/1.htm", "bbc/gold/1.txt", "nyt/original/1.htm", "nyt/gold/1.txt"];
    assert_eq!(pages(&files, &[("id_from", "stem")]).unwrap_err(), Code::Id);
    // Where names repeat, paths are ids.
    assert_eq!(pages(&files, &[]).unwrap()[1], row("nyt~original~1.htm", "nyt/gold/1.txt", "nyt~original~1.htm"));
    let by_path = pages(&files, &[("id_from", "path"), ("site_from", "parent_dir")]).unwrap();
    assert_eq!(by_path[0], row("bbc~original~1.htm", "bbc/gold/1.txt", "bbc"));
    let deep = pages(&["news/bbc/1.html", "news/nyt/2.html"], &[("site_from", "parent_dir")]).unwrap();
    assert_eq!([&deep[0].2, &deep[1].2], ["bbc", "nyt"]);
}

#[test]
fn golds_without_pages_and_bad_options_are_refused() {
    let files = ["a.html", "gold/a.txt", "gold/b.txt"];
    assert_eq!(pages(&files, &[]).unwrap_err(), Code::Upstream);
    assert_eq!(pages(&files, &[("allow_orphans", "true")]).unwrap().len(), 1);
    assert_eq!(pages(&files, &[("langage", "zh")]).unwrap_err(), Code::Option);
    assert_eq!(pages(&files, &[("encoding", "klingon")]).unwrap_err(), Code::Option);
    assert_eq!(pages(&files, &[("language", "en_US")]).unwrap_err(), Code::Option);
    assert_eq!(pages(&["x.txt"], &[]).unwrap_err(), Code::Upstream);
    let mapped = [("gold_map", "^html/(.*)\\.html$=>clean/$1.txt")];
    let files = ["html/a.html", "clean/a.txt", "clean/b.txt"];
    assert_eq!(pages(&files, &mapped).unwrap_err(), Code::Upstream);
    assert_eq!(pages(&files[..2], &mapped).unwrap(), [row("a", "clean/a.txt", "a")]);
    assert_eq!(pages(&["a.html", "gold/a.txt", "gold/en/z.txt"], &[]).unwrap_err(), Code::Upstream);
    assert!(pages(&["a.html", "gold/a.txt", "marigold/notes.txt"], &[]).is_ok());
}

#[test]
fn a_glob_names_golds() {
    let files = ["a/html/1.html", "a/truth/1.txt", "b/html/1.html", "b/truth/1.txt", "b/html/2.html", "notes.txt"];
    let by_path = |glob: &str| pages(&files, &[("gold_glob", glob), ("id_from", "path")]);
    let golds = by_path("**/truth/*.txt").unwrap().into_iter().map(|(_, gold, _)| gold);
    assert_eq!(golds.collect::<Vec<_>>(), ["a/truth/1.txt", "b/truth/1.txt", ""]);
    assert_eq!(by_path("**/*.txt").unwrap_err(), Code::Upstream);
    assert_eq!(by_path("[").unwrap_err(), Code::Option);
    assert_eq!(pages(&files, &[("gold_glob", "*"), ("gold_map", "a=>b")]).unwrap_err(), Code::Option);
    // Golds may be named as pages are.
    let golds = pages(&["in/1.html", "out/1.html"], &[("gold_glob", "out/*")]).unwrap();
    assert_eq!(golds, [row("1", "out/1.html", "1")]);
}

#[test]
fn the_version_is_the_digests_unless_it_is_told() {
    let folder = folder(&["a.html", "gold/a.txt"]);
    let version = |pairs: &[(&str, &str)]| IMPORTER.read(folder.path(), &options(pairs)).unwrap().manifest.version;
    let first = version(&[]);
    assert!(first.len() == 12 && first.bytes().all(|byte| byte.is_ascii_hexdigit()), "{first}");
    assert_eq!((version(&[]), version(&[("version", "2")])), (first.clone(), "2".to_owned()));
    std::fs::write(folder.path().join("gold/a.txt"), "other").unwrap();
    assert_ne!(version(&[]), first);
}

#[cfg(unix)]
#[test]
fn links_to_nowhere_and_round_about_are_no_pages() {
    let folder = folder(&["a.html", "gold/a.txt"]);
    std::os::unix::fs::symlink("nowhere", folder.path().join(".#a.html")).unwrap();
    std::os::unix::fs::symlink(".", folder.path().join("loop")).unwrap();
    std::os::unix::fs::symlink("a.html", folder.path().join("b.html")).unwrap();
    let dataset = IMPORTER.read(folder.path(), &Options::default()).unwrap();
    let ids: Vec<_> = dataset.records.iter().map(|record| record.unwrap().id.clone()).collect();
    assert_eq!(ids, ["a", "b"]);
}

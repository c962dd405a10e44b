//! The embedded pages: made from their recipe to the byte, with exact gold, and as hard as they say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use carat::algorithms::algorithm::Choice;
use carat::algorithms::features::visible::VisibleText;
use carat::algorithms::parameters::Values;
use carat::algorithms::{ALGORITHMS, Entry, find};
use carat::datasets::load::{Loading, load_folder_with};
use carat::datasets::locate::{EMBEDDED, locate};
use carat::datasets::manifest::{Details, Record};
use carat::datasets::synth::Synthetic;
use carat::datasets::synth::write::write;
use carat::datasets::{Dataset, Opened};
use carat::page::charset::EncodingSource;
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::plan::Plan;
use carat::runs::summary::run_in_memory;
use carat::text::chars;
use walkdir::WalkDir;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/portals");
const COMMITTED_GOLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/gold/portals");

fn portals() -> Dataset {
    locate(EMBEDDED).unwrap()
}

fn records(dataset: &Dataset) -> impl Iterator<Item = Arc<Record>> {
    dataset.records.iter().map(Result::unwrap)
}

fn details(record: &Record) -> (u64, &Details) {
    let details = record.details();
    (details.extra.as_ref().unwrap()["family"].as_u64().unwrap(), details)
}

/// Every file below `folder` with its path in it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = WalkDir::new(folder).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    let name = |path: &Path| path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
    entries.map(|entry| (name(entry.path()), std::fs::read(entry.path()).unwrap())).collect()
}

/// As `carat dataset synth` writes them, but with the gold in `gold/portals`, as a repository has it.
/// `CARAT_WRITE_PORTALS=1 cargo test --test library portals` writes them anew.
#[test]
fn the_committed_files_follow_from_the_recipe_and_are_the_embedded_dataset() {
    let made = tempfile::tempdir().unwrap();
    let recipe = Path::new(COMMITTED).join("recipe.yaml");
    write(&Synthetic::read(&recipe, &BTreeMap::new()).unwrap(), made.path()).unwrap();
    let (golds, mut pages): (BTreeMap<_, _>, BTreeMap<_, _>) =
        files(made.path()).into_iter().partition(|(name, _)| name.starts_with("gold/"));
    let golds: BTreeMap<String, Vec<u8>> =
        golds.into_iter().map(|(name, bytes)| (name.replacen("gold/", "", 1), bytes)).collect();
    for (name, from, to) in [
        ("pages.jsonl", "\"gold\":\"gold/", "\"gold\":\""),
        ("dataset.yaml", "pages:\n", "gold_folder: ../../gold/portals\npages:\n"),
    ] {
        let text = String::from_utf8(pages[name].clone()).unwrap();
        assert!(text.contains(from), "{name}");
        pages.insert(name.to_owned(), text.replace(from, to).into_bytes());
    }
    if std::env::var_os("CARAT_WRITE_PORTALS").is_some() {
        for (folder, files) in [(COMMITTED, &pages), (COMMITTED_GOLD, &golds)] {
            for (name, bytes) in files {
                std::fs::create_dir_all(Path::new(folder).join(name).parent().unwrap()).unwrap();
                std::fs::write(Path::new(folder).join(name), bytes).unwrap();
            }
        }
    }
    let mut committed = files(Path::new(COMMITTED));
    for written_by_hand in ["LICENSE", "README.md", "recipe.yaml"] {
        assert!(committed.remove(written_by_hand).is_some(), "{written_by_hand}");
    }
    for (made, committed) in [(pages, committed), (golds, files(Path::new(COMMITTED_GOLD)))] {
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&made), names(&committed));
        let differs = made.iter().find(|(name, bytes)| committed[*name] != **bytes).map(|(name, _)| name);
        assert_eq!(differs, None, "make it again as this test's comment says");
    }
    let loading = Loading { gold_outside: true, ..Loading::default() };
    let (folder, embedded) = (load_folder_with(Path::new(COMMITTED), loading).unwrap(), portals());
    let digest = |dataset: &Dataset| dataset.digest(|record| dataset.digests(record)).unwrap();
    assert_eq!(digest(&folder), digest(&embedded));
    assert_eq!(folder.manifest.digest.as_deref(), Some(&*digest(&embedded)));
}

#[test]
fn every_gold_line_is_a_line_of_its_page_in_order() {
    let dataset = portals();
    let all_text = find("all-text").unwrap();
    let setting = all_text.setting(&Values::new()).unwrap();
    for record in records(&dataset) {
        let opened = dataset.open(&record).unwrap();
        let pages = [Arc::new(opened.page)];
        let text = all_text.choose(&pages, &setting).text(&pages[0]);
        let gold = opened.gold.unwrap();
        if details(&record).1.faults.contains(&"no_text".to_owned()) {
            assert!(!gold.lines().any(|line| text.contains(line)), "{}: its text can be read", record.id);
            continue;
        }
        let mut lines = text.lines();
        for gold in gold.lines() {
            assert!(lines.any(|line| line == gold), "{}: `{gold}` is no line of the page, or not in order", record.id);
        }
    }
}

#[test]
fn the_shape_is_that_of_the_cevc_paper() {
    let dataset = portals();
    let mut pages: BTreeMap<(String, u64, String), usize> = BTreeMap::new();
    for record in records(&dataset) {
        let (family, details) = details(&record);
        let group = details.group.clone().unwrap_or_else(|| record.kind.clone().unwrap());
        *pages.entry((group, family, record.site.clone().unwrap())).or_default() += 1;
    }
    let sites = |group: &str, family: u64| pages.keys().filter(|key| key.0 == group && key.1 == family).count();
    let news = [1, 2, 3, 6].map(|family| sites("zh-news", family));
    let blogs = [4, 5].map(|family| sites("zh-blog", family));
    let english = [7, 8].map(|family| sites("en-news", family));
    assert_eq!((news, blogs, english), ([2, 2, 2, 2], [4, 4], [4, 4]));
    assert_eq!((sites("forum", 9), sites("listing", 10)), (1, 1));
    let with_siblings = [1, 2, 4, 7, 8];
    for ((group, family, site), count) in &pages {
        let least = if with_siblings.contains(family) { 6 } else { 5 };
        assert!(*count >= least, "{group} {site}: {count} pages");
    }
}

#[test]
fn the_charset_cases_are_there() {
    use EncodingSource::{Dataset as Stated, Guess, Label, Mark, ValidUtf8};
    let dataset = portals();
    let case = |id: &str| {
        let record = records(&dataset).find(|record| record.id == id).unwrap();
        let facts = dataset.open(&record).unwrap().page.facts;
        (facts.encoding, facts.encoding_source, facts.replaced)
    };
    for (id, encoding, source, replaced) in [
        ("zh-news-1-0001", "GBK", Label, 0),
        ("zh-news-1-0005", "GBK", Label, 1),
        ("zh-news-2-0002", "UTF-8", ValidUtf8, 0),
        ("zh-news-3-0001", "UTF-8", Mark, 0),
        ("zh-news-4-0001", "Big5", Label, 0),
        ("zh-news-4-0002", "UTF-8", ValidUtf8, 0),
        ("zh-news-5-0003", "GBK", Guess, 0),
        ("zh-news-7-0002", "UTF-16LE", Mark, 0),
        ("zh-news-8-0004", "UTF-8", ValidUtf8, 0),
        ("zh-blog-3-0005", "UTF-8", Stated, 0),
        ("en-news-1-0001", "windows-1252", Label, 0),
        ("en-news-3-0002", "UTF-8", ValidUtf8, 0),
        ("en-news-5-0004", "UTF-8", ValidUtf8, 0),
    ] {
        assert_eq!(case(id), (encoding.to_owned(), source, replaced), "{id}");
    }
}

#[test]
fn lost_characters_are_in_page_and_gold() {
    let dataset = portals();
    for (id, lost) in [("zh-blog-1-0001", 5), ("zh-news-8-0003", 5), ("zh-news-8-0001", 0)] {
        let record = records(&dataset).find(|record| record.id == id).unwrap();
        let Opened { page, gold, .. } = dataset.open(&record).unwrap();
        let count = |text: &str| text.matches(char::REPLACEMENT_CHARACTER).count();
        let of_page: usize = page.tree.ids().map(|node| count(page.tree.text(node))).sum();
        assert!(count(&gold.unwrap()) == lost && of_page == lost && page.facts.replaced == 0, "{id}: {of_page}");
    }
}

#[test]
fn pages_tell_nothing_away() {
    let dataset = portals();
    for record in records(&dataset) {
        assert!(record.site.as_deref().unwrap().ends_with(".example"), "{}", record.id);
        let opened = dataset.open(&record).unwrap();
        let gold = opened.gold.unwrap();
        let is_short = details(&record).1.extra.as_ref().unwrap()["variant"] == "front";
        assert_eq!(chars(&gold) < 80, is_short, "{}", record.id);
        let tree = &opened.page.tree;
        let names = tree.ids().flat_map(|id| tree.attributes(id)).filter(|attribute| {
            let name: &str = attribute.name;
            matches!(name, "class" | "id")
        });
        for attribute in names {
            let value = attribute.value.to_lowercase();
            assert!(!value.contains("gold") && !value.contains("truth"), "{}: {value}", record.id);
            assert!(value.len() < 40 && !gold.lines().any(|line| line == value), "{}: {value}", record.id);
        }
    }
}

#[test]
fn texts_are_not_used_twice_but_where_that_is_the_case() {
    let dataset = portals();
    let mut titles = BTreeSet::new();
    for record in records(&dataset) {
        let is_twin = details(&record).1.extra.as_ref().unwrap()["variant"] == "twin";
        assert_eq!(titles.insert(details(&record).1.title.clone()), !is_twin, "{}", record.id);
    }
}

/// What the pages are for: they tell algorithms apart, in the order in which real pages do, and each
/// family defeats what it is made to defeat.
#[test]
fn algorithms_are_told_apart() {
    let names = ["all-text", "semantic", "nonlink-text", "largest-p-parent", "nta", "cevc"];
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument(EMBEDDED)],
        algorithms: names.iter().map(|name| AlgorithmRequest::from_argument(name).unwrap()).collect(),
        ..Configuration::default()
    };
    let plan = Plan::new(configuration).unwrap();
    let (summary, _) = run_in_memory(&plan).unwrap();
    let row = |name: &str| summary.rows.iter().find(|row| row.algorithm == name).unwrap();
    let scores = names.map(|name| row(name).aggregates.macro_.f1);
    for pair in scores.windows(2) {
        assert!(pair[0] + 0.01 < pair[1], "{scores:?}");
    }
    assert!(scores[5] < 0.99, "{scores:?}");

    let mut family_of_site: BTreeMap<String, u64> = BTreeMap::new();
    for record in records(&portals()) {
        family_of_site.insert(record.site.clone().unwrap(), details(&record).0);
    }
    let f1 = |name: &str, family: u64| {
        let of_family = row(name).groups["site"].iter().filter(|(site, _)| family_of_site[*site] == family);
        let (pages, sum) = of_family.fold((0, 0.0), |(pages, sum), (_, figures)| {
            (pages + figures.pages, sum + figures.pages as f64 * figures.mean.f1)
        });
        sum / pages as f64
    };
    for family in 1..=10 {
        let [all, semantic, nonlink, largest, ..] = names.map(|name| f1(name, family));
        assert_eq!(nonlink > all, family != 10, "family {family}: {nonlink} {all}");
        assert_eq!(semantic > all, family == 8, "family {family}: {semantic} {all}");
        let fails = [1, 2, 5, 8, 9, 10].contains(&family);
        assert_eq!(largest < 0.7, fails, "family {family}: {largest}");
    }
}

/// Of one plain page of each family, which of its visible text nodes (by their number, from 0) each
/// algorithm chooses. `CARAT_WRITE_PORTALS=1 cargo test --test library portals` writes them anew; the change is to be read.
#[test]
fn selections_are_as_they_were() {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/portals.txt");
    const RENEW: &str = "if that is meant: CARAT_WRITE_PORTALS=1 cargo test --test library portals";
    let dataset = portals();
    let mut lines = String::new();
    for family in 1..=10 {
        let is_plain = |record: &Arc<Record>| {
            let (of, details) = details(record);
            of == family && details.extra.as_ref().unwrap().get("hard").is_none()
        };
        let record = records(&dataset).find(is_plain).unwrap();
        let pages = [Arc::new(dataset.open_page(&record).unwrap())];
        let visible = pages[0].view::<VisibleText>();
        for algorithm in ALGORITHMS.iter().filter(|algorithm| matches!(algorithm, Entry::Page(_))) {
            let setting = algorithm.setting(&Values::new()).unwrap();
            let Choice::Selection(selection) = algorithm.choose(&pages, &setting) else { continue };
            let nodes = selection.nodes().iter().filter_map(|&id| visible.rank(&pages[0].tree, id));
            lines +=
                &format!("{} {}: {}\n", record.id, algorithm.declaration().name, ranges(&nodes.collect::<Vec<_>>()));
        }
    }
    if std::env::var_os("CARAT_WRITE_PORTALS").is_some() {
        std::fs::create_dir_all(Path::new(FILE).parent().unwrap()).unwrap();
        std::fs::write(FILE, &lines).unwrap();
    }
    let committed = std::fs::read_to_string(FILE).unwrap();
    for (now, before) in lines.lines().zip(committed.lines()) {
        assert_eq!(now, before, "{RENEW}");
    }
    assert_eq!(lines, committed, "{RENEW}");
}

/// `0-3 7 9-10` for 0, 1, 2, 3, 7, 9, 10.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let run = |run: &[usize]| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    runs.map(run).collect::<Vec<_>>().join(" ")
}

//! The corpora's independent figures and oracles. They are found through `CARAT_CORPORA`; without it
//! these tests say that they were skipped.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use carat::algorithms::algorithm::{Choice, Sample, Setting};
use carat::algorithms::features::clusters::{Clusters, StructureParameters};
use carat::algorithms::group::Pages;
use carat::algorithms::parameters::Values;
use carat::algorithms::value::Value;
use carat::algorithms::{Entry, find};
use carat::datasets::Dataset;
use carat::datasets::locate::{corpora, locate};
use carat::page::Page;
use carat::page::charset::decode;
use carat::page::parse::parse;
use carat::page::render::render;
use carat::page::selection::Selection;
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::execute::{Unit, execute};
use carat::runs::plan::Plan;
use carat::runs::summary::{Summary, SummaryRow, run_in_memory};
use carat::scoring::{Comparison, ONE};
use rayon::prelude::*;

/// The corpora's folder, or a line that says why the test does nothing.
fn folder(test: &str) -> Option<PathBuf> {
    let found = corpora().filter(|folder| folder.join("daniel").is_dir());
    if found.is_none() {
        eprintln!("skipped {test}: CARAT_CORPORA does not name the folder of corpora");
    }
    found
}

fn run(configuration: Configuration) -> (Plan, Summary) {
    let plan = Plan::new(configuration).unwrap();
    let (summary, _) = run_in_memory(&plan).unwrap();
    (plan, summary)
}

/// Precision, recall and F1 of a label's cell, as figures-core.json names them: `daniel-zh` is the
/// group language=zh of the dataset `daniel`.
fn cell(rows: &[SummaryRow], label: &str, dataset: &str) -> Option<[f64; 3]> {
    let (name, rest) = label.split_once(' ').unwrap_or((label, ""));
    let wanted: BTreeMap<&str, &str> =
        rest.split_whitespace().map(|pair| pair.split_once('=').unwrap_or((pair, "true"))).collect();
    let text = |row: &SummaryRow, key: &str| match &row.parameters[key] {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let same = |written: &str, wanted: &str| match (written.parse::<Value>(), wanted.parse::<Value>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => written == wanted.to_lowercase(),
    };
    let row = rows.iter().find(|row| {
        let belongs = row.dataset == dataset || dataset.rsplit_once('-').is_some_and(|(set, _)| set == row.dataset);
        belongs
            && row.algorithm == name
            && wanted.iter().all(|(key, value)| same(&text(row, key), value))
            && row.differs.iter().all(|key| wanted.contains_key(key.as_str()))
    })?;
    let mean = if row.dataset == dataset {
        row.aggregates.macro_
    } else {
        row.groups["language"].get(dataset.rsplit_once('-')?.1)?.mean
    };
    Some([mean.precision, mean.recall, mean.f1])
}

/// Holds every cell of the papers' algorithms and the floors against the independent figures. The sweeps of
/// NTA and CEVC have none for the last two datasets.
fn check_figures(corpora: &Path, figures: &str, summary: &Summary, cells_expected: usize) {
    let text = std::fs::read_to_string(corpora.join(figures)).unwrap();
    let labels: BTreeMap<String, BTreeMap<String, [f64; 3]>> = serde_json::from_str(&text).unwrap();
    let mut checked = 0;
    for (label, cells) in &labels {
        for (dataset, independent) in cells {
            let found =
                cell(&summary.rows, label, dataset).unwrap_or_else(|| panic!("{label} on {dataset} is missing"));
            let near = found.iter().zip(independent).all(|(one, other)| (one - other).abs() <= 0.0005);
            assert!(near, "{label} on {dataset}: independent {independent:?}, found {found:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, cells_expected);
}

#[test]
fn character_figures_are_the_independent_ones() {
    let Some(corpora) = folder("character_figures_are_the_independent_ones") else { return };
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/figures-core.yaml");
    let text = std::fs::read_to_string(file).unwrap();
    let (_, summary) = run(Configuration::from_yaml("figures-core.yaml", &text).unwrap());
    check_figures(&corpora, "figures-core.json", &summary, 794);
}

#[test]
fn word_figures_are_the_independent_ones() {
    let Some(corpora) = folder("word_figures_are_the_independent_ones") else { return };
    let names = ["all-text", "nonlink-text", "largest-p-parent", "semantic", "nta", "cevc", "relevance"];
    let configuration = Configuration {
        datasets: ["daniel", "chinese-handcrafted", "clean-portal-eval", "article-extraction-benchmark"]
            .map(NamedRequest::from_argument)
            .into(),
        comparison: Comparison::read("lcs word", Comparison::default()).unwrap(),
        algorithms: names.iter().map(|name| AlgorithmRequest::from_argument(name).unwrap()).collect(),
        ..Configuration::default()
    };
    let (_, summary) = run(configuration);
    check_figures(&corpora, "figures-core-word.json", &summary, 35);
}

/// The pages of a dataset, or of one language of it.
struct PagesOf(Dataset, Vec<usize>);

impl Pages for PagesOf {
    fn len(&self) -> usize {
        self.1.len()
    }

    fn page(&self, index: usize) -> Option<Arc<Page>> {
        let record = self.0.records.get(self.1[index]).unwrap();
        Some(Arc::new(self.0.open_page(&record).unwrap()))
    }
}

/// Clusters and pages alone in one at 0.05, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95 and 1, of an independent implementation.
const CLUSTERS: &str = "\
daniel zh names         | 80 40, 84 46, 86 49, 88 52, 89 53, 94 57, 102 61, 242 235
daniel zh all           | 91 49, 95 54, 98 58, 117 78, 134 100, 142 109, 147 112, 252 252
daniel zh none          | 63 32, 80 43, 84 46, 88 52, 89 53, 94 57, 102 61, 242 235
clean-portal-eval names | 5 0, 5 0, 5 0, 9 1, 9 1, 9 1, 9 1, 71 71
clean-portal-eval all   | 41 36, 41 36, 41 36, 52 50, 52 50, 52 50, 52 50, 71 71";

#[test]
fn clusters_are_the_independent_ones() {
    if folder("clusters_are_the_independent_ones").is_none() {
        return;
    }
    let cuts = ["0.05", "0.3", "0.5", "0.7", "0.8", "0.9", "0.95", "1"].map(|cut| cut.parse::<Value>().unwrap());
    for line in CLUSTERS.lines() {
        let (label, expected) = line.split_once('|').unwrap();
        let words: Vec<&str> = label.split_whitespace().collect();
        let dataset = locate(words[0]).unwrap();
        let is_wanted = |index: &usize| {
            words.len() == 2 || dataset.records.get(*index).unwrap().language.as_deref() == Some(words[1])
        };
        let indexes: Vec<usize> = (0..dataset.records.len()).filter(is_wanted).collect();
        let pages = PagesOf(dataset, indexes);
        let attributes = serde_json::from_value(words[words.len() - 1].into()).unwrap();
        let parameters = StructureParameters { attributes, ..StructureParameters::default() };
        let clusters = Clusters::new(&pages, &parameters).unwrap();
        let counts = cuts.map(|cut| {
            let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
            (0..pages.len()).for_each(|page| *sizes.entry(clusters.number(page, cut)).or_default() += 1);
            format!("{} {}", sizes.len(), sizes.values().filter(|size| **size == 1).count())
        });
        assert_eq!(counts.join(", "), expected.trim(), "{label}");
        let mut heights = clusters.heights();
        let merges = heights.len();
        heights.dedup();
        let half: Value = "0.5".parse().unwrap();
        let below_half = heights.iter().filter(|height| **height < half).count();
        match words.join(" ").as_str() {
            "daniel zh names" => assert_eq!((merges, heights.len(), below_half), (172, 137, 6)),
            "clean-portal-eval names" => assert_eq!((merges, heights.len(), below_half), (66, 59, 0)),
            _ => {}
        }
    }
}

/// Precision, recall and F1 of bounds over the pages of a dataset each, from an independent implementation. Where it
/// states F1 alone, only that is held against it.
const BOUNDS: &str = "\
oracle-nodes rule=best | .9960 .9943 .9950 | .9996 .9994 .9995 | .9997 .9979 .9988 | .9999 .9999 .9999 | 1.000 1.000 1.000
oracle-nodes rule=half | .9970 .9929 .9928 | .9991 .9935 .9962 | .9993 .9979 .9986 | .9995 .9881 .9936 | .9996 .9965 .9980
oracle-subtree         | .9660 .9505 .9554 | .8645 .9647 .8969 | .9382 .9876 .9541 | .9515 .9562 .9513 | .9331 .9968 .9615";

/// The same of ensembles of `nta`, `cevc` without links and `largest-p-parent`, three methods that are unlike.
const ENSEMBLES: &str = "\
unlike rule=majority          | .923 .938 .923 | .852 .924 .862 | .898 .931 .900 | .900 .923 .902
unlike rule=intersection      | .827           | .828           | .777           | .894
unlike rule=union             | .872           | .851           | .879           | .869
oracle-member ensemble=unlike | .948           | .907           | .924           | .934";

#[test]
fn bounds_and_ensembles_have_the_independent_figures() {
    if folder("bounds_and_ensembles_have_the_independent_figures").is_none() {
        return;
    }
    let text = "
datasets: [daniel, chinese-handcrafted, clean-portal-eval, article-extraction-benchmark]
algorithms:
  - combine: {name: unlike, members: [nta, {cevc: {output: non_link}}, largest-p-parent], rule: [majority, intersection, union]}
bounds: [oracle-member, oracle-subtree, {oracle-nodes: {rule: [best, half]}}]";
    let (_, summary) = run(Configuration::from_yaml("bounds.yaml", text).unwrap());
    let datasets =
        ["daniel-zh", "daniel-en", "chinese-handcrafted", "clean-portal-eval", "article-extraction-benchmark"];
    let mut checked = 0;
    for line in BOUNDS.lines().chain(ENSEMBLES.lines()) {
        let (label, cells) = line.split_once('|').unwrap();
        for (dataset, independent) in datasets.into_iter().zip(cells.split('|')) {
            let found = cell(&summary.rows, label.trim(), dataset).unwrap();
            let independent: Vec<f64> = independent.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
            // Of three figures, or F1 alone.
            let found = &found[3 - independent.len()..];
            let near = found.iter().zip(&independent).all(|(found, figure)| (found - figure).abs() <= 0.003);
            assert!(near, "{label} on {dataset}: independent {independent:?}, found {found:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, 31);
}

#[test]
fn no_choice_of_text_nodes_exceeds_its_bound() {
    if folder("no_choice_of_text_nodes_exceeds_its_bound").is_none() {
        return;
    }
    let text = "
datasets: [daniel, chinese-handcrafted]
algorithms: [all-text, nta, {cevc: {alpha: [0.3, 0.7]}}, cetd]";
    let plan = Plan::new(Configuration::from_yaml("bounds.yaml", text).unwrap()).unwrap();
    let place = |name: &str| plan.rows.iter().position(|row| row.name() == name).unwrap();
    let (nodes, first_bound) = (place("oracle-nodes"), place("oracle-sweep"));
    execute(&plan, &|unit: &Unit<'_>| {
        let scores = unit.run().unwrap().0.rows.into_iter().flatten().map(|row| row.score().unwrap().1.f1);
        let scores: Vec<u64> = scores.collect();
        // Normalising each text node by itself may cost a character where two of them meet.
        let most = scores[nodes] + ONE / 10_000;
        assert!(scores[..first_bound].iter().all(|score| *score <= most), "{}", unit.page().1.id);
        Ok::<_, carat::datasets::Halt>(())
    })
    .unwrap();
}

fn requests(specs: &[&str]) -> Vec<AlgorithmRequest> {
    specs.iter().map(|spec| AlgorithmRequest::from_argument(spec).unwrap()).collect()
}

#[test]
fn exact_sweeps_equal_the_grid_at_every_grid_value() {
    if folder("exact_sweeps_equal_the_grid_at_every_grid_value").is_none() {
        return;
    }
    let sweeps = [
        ("nta:coherence=exact", "nta:coherence=0..1/0.05"),
        ("nta:density=exact", "nta:density=0..0.95/0.05"),
        ("cevc:alpha=exact", "cevc:alpha=0..1/0.05"),
        ("relevance:local_min=exact", "relevance:local_min=0..100/4"),
        ("cetd:factor=exact", "cetd:factor=0..10/0.5"),
        ("cetr-tm:lambda=exact", "cetr-tm:lambda=0..5/0.25"),
        ("cepr-e:lambda=exact", "cepr-e:lambda=0..3/0.1"),
        ("cx-extractor:variant=fixed,threshold=exact", "cx-extractor:variant=fixed,threshold=0..400/20"),
        ("link-ratio:threshold=exact", "link-ratio:threshold=0..1/0.05"),
        ("lqf:threshold=exact", "lqf:threshold=0..1/0.05"),
        ("dsc:ratio=exact", "dsc:ratio=0..1/0.05"),
        ("accb:threshold=exact", "accb:threshold=0..1/0.05"),
        ("gupta-filters:cells=any,link_ratio=exact", "gupta-filters:cells=any,link_ratio=0..2/0.1"),
        ("table-ratio:ratio=exact", "table-ratio:ratio=1..20/1"),
        ("vips-lite:pdoc=exact", "vips-lite:pdoc=0.5..1/0.025"),
        ("block-weight:threshold=exact", "block-weight:threshold=0..1/0.05"),
        ("boilerpipe-article:max_link_density=exact", "boilerpipe-article:max_link_density=0..1/0.05"),
        ("justext:max_link_density=exact", "justext:max_link_density=0..1/0.05"),
        ("sst:importance=exact", "sst:importance=0..1/0.05"),
        ("template-learned:anchor=exact", "template-learned:anchor=0..1/0.05"),
    ];
    // One run, in which pages are parsed and equal texts scored once for all of them.
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument("daniel")],
        algorithms: requests(&sweeps.map(<[&str; 2]>::from).concat()),
        ..Configuration::default()
    };
    let (summary, curves) = run_in_memory(&Plan::new(configuration).unwrap()).unwrap();
    assert_eq!(curves.len(), sweeps.len());
    for curve in &curves {
        let exact = format!("{} {}", curve.algorithm, curve.parameter);
        let is_on_it = |row: &&SummaryRow| row.algorithm == curve.algorithm && row.swept.contains(&curve.parameter);
        let rows: Vec<&SummaryRow> = summary.rows.iter().filter(is_on_it).collect();
        assert!(rows.len() >= 20, "{exact}");
        for row in rows {
            let value: Value = row.parameters[&curve.parameter].as_str().unwrap().parse().unwrap();
            let pieces: Vec<_> = curve.pieces.iter().filter(|piece| piece.contains(value)).collect();
            assert_eq!(pieces.len(), 1, "{exact} at {value}");
            assert_eq!(pieces[0].mean, row.aggregates.macro_, "{exact} at {value}");
        }
    }
}

/// The choice of an exact sweep at `value`.
fn at(samples: &[Sample], value: Value) -> &Choice {
    let place = samples.partition_point(|sample| {
        !sample.between && sample.at < value
            || sample.between && {
                // An interval ends at the next point.
                let next = samples.iter().find(|next| !next.between && next.at > sample.at);
                next.is_some_and(|next| next.at <= value)
            }
    });
    &samples[place].choice
}

#[test]
fn exact_sweeps_equal_brute_force_at_and_between_break_points() {
    if folder("exact_sweeps_equal_brute_force_at_and_between_break_points").is_none() {
        return;
    }
    let dataset = locate("daniel").unwrap();
    let pages: Vec<_> = dataset.records.iter().step_by(5).take(100).map(Result::unwrap).collect();
    assert_eq!(pages.len(), 100);
    let readings = [
        ("nta", "coherence", vec![("start", "second")]),
        ("nta", "coherence", vec![("coherence_cmp", "gt"), ("start", "body")]),
        ("nta", "density", vec![("start", "second")]),
        ("nta", "density", vec![("start", "first"), ("no_start", "body")]),
        ("nta", "density", vec![("start", "last")]),
        ("cevc", "alpha", vec![("alpha_cmp", "lt")]),
        ("cevc", "alpha", vec![("alpha_cmp", "le"), ("text_children", "counted")]),
        ("relevance", "local_min", vec![("context_min", "300")]),
        ("relevance", "local_min", vec![("partition", "any"), ("empty", "text")]),
        ("relevance", "context_min", vec![("local_min", "100")]),
        ("relevance", "context_min", vec![("context", "rest"), ("order", "top_down")]),
        ("boilerpipe-article", "max_link_density", vec![("profile", "2.0")]),
        ("boilerpipe-article", "end_min_words", vec![("curr_words", "10")]),
        ("boilerpipe-default", "next_density", vec![("han_chars_per_word", "2")]),
        ("boilerpipe-numwords", "prev_words", vec![("links", "href")]),
        ("justext", "max_link_density", vec![("stoplist", "en")]),
        ("justext", "length_low", vec![("wide_chars", "3")]),
        ("justext", "stopwords_high", vec![("stoplist", "en-small")]),
    ];
    pages.par_iter().for_each(|record| {
        let page = dataset.open(record).unwrap().page;
        for (name, swept, fixed) in &readings {
            let Entry::Page(algorithm) = find(name).unwrap() else { panic!() };
            let setting = |value: Option<Value>| -> Setting {
                let mut values = Values::new();
                fixed.iter().for_each(|(key, value)| {
                    values.insert((*key).to_owned(), (*value).into());
                });
                if let Some(value) = value {
                    values.insert((*swept).to_owned(), value.to_string().into());
                }
                algorithm.setting(&values).unwrap()
            };
            let mut samples: Vec<Sample> = Vec::new();
            let mut take = |sample| {
                samples.push(sample);
                Ok(())
            };
            algorithm.sweep(&page, &setting(None), swept, &mut take).unwrap();
            let mut values: Vec<Value> = (0..200).map(|i| Value::decimal(5 * i, 3)).collect();
            for pair in samples.windows(2) {
                values.extend([pair[0].at, pair[1].at, pair[0].at.between(pair[1].at)]);
            }
            values.sort();
            values.dedup();
            let settings: Vec<Setting> = values.iter().map(|&value| setting(Some(value))).collect();
            let brute = algorithm.choose_all(&page, &settings.iter().collect::<Vec<_>>());
            for (value, choice) in values.iter().zip(&brute) {
                assert_eq!(at(&samples, *value), choice, "{} {name} {swept} {fixed:?} at {value}", record.id);
            }
        }
    });
}

/// Every HTML file of the corpora.
fn pages(corpora: &Path) -> Vec<PathBuf> {
    let folders = [
        "daniel/html",
        "chinese-handcrafted/original",
        "clean-portal-eval/input",
        "article-extraction-benchmark/html",
        "wcxb/dev/html",
    ];
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(corpora.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[test]
fn trees_are_those_of_rcdom_node_for_node() {
    let Some(corpora) = folder("trees_are_those_of_rcdom_node_for_node") else { return };
    let files = pages(&corpora);
    assert!(files.len() > 1000, "{} pages", files.len());
    files.par_iter().for_each(|file| {
        let mut bytes = std::fs::read(file).unwrap();
        if file.extension().is_some_and(|extension| extension == "gz") {
            let mut unpacked = Vec::new();
            flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut unpacked).unwrap();
            bytes = unpacked;
        }
        let characters = decode(&bytes, None).text;
        let parsed = parse(&characters).unwrap();
        assert_eq!(parsed.cap_hits, 0, "{}", file.display());
        crate::trees::assert_same(&parsed.tree, &characters, &file.display().to_string());
    });
}

#[test]
fn wcxb_is_imported_as_independently_measured() {
    if folder("wcxb_is_imported_as_independently_measured").is_none() {
        return;
    }
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument("wcxb")],
        algorithms: ["all-text", "nonlink-text"].map(|name| AlgorithmRequest::from_argument(name).unwrap()).into(),
        ..Configuration::default()
    };
    let (plan, summary) = run(configuration);
    let records = &plan.datasets[0].records;
    let is_empty = |record: &carat::datasets::manifest::Record| {
        plan.datasets[0].gold_text(record).is_none_or(|gold| gold.is_empty())
    };
    let golds = records.iter().filter(|record| !is_empty(record.as_ref().unwrap())).count();
    assert_eq!((records.len(), golds), (304, 300));
    for (name, independent) in [("all-text", [0.5654, 0.9552, 0.6692]), ("nonlink-text", [0.6879, 0.8811, 0.7299])] {
        let found = cell(&summary.rows, name, "wcxb").unwrap();
        let near = found.iter().zip(independent).all(|(one, other)| (one - other).abs() <= 0.0005);
        assert!(near, "{name}: independent {independent:?}, found {found:?}");
    }
}

#[test]
fn snippets_of_wcxb_are_found_as_independently_counted() {
    if folder("snippets_of_wcxb_are_found_as_independently_counted").is_none() {
        return;
    }
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument("wcxb")],
        algorithms: requests(&["all-text"]),
        comparison: Comparison::read("snippets", Comparison::default()).unwrap(),
        ..Configuration::default()
    };
    let (_, summary) = run(configuration);
    let found = summary.rows[0].snippets.unwrap();
    let all = (found.true_positives + found.false_negatives, found.false_positives + found.true_negatives);
    assert_eq!((found.true_positives, found.false_positives, all), (1176, 1075, (1343, 1177)));
}

/// How many lines of the page's article hold UTF-8 that was read as Latin-1 and stored as UTF-8, and the gold does not.
fn doubly_encoded_lines(page: &Page, gold: &str) -> usize {
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let article = letters(gold);
    let is_doubly_encoded = |run: &str| {
        let bytes: Vec<u8> = run.chars().map(|c| c as u8).collect();
        std::str::from_utf8(&bytes).is_ok() && !gold.contains(run)
    };
    let text = render(&page.tree, &Selection::visible(&page.tree));
    let is_of_article = |line: &&str| letters(line).len() >= 20 && article.contains(&letters(line));
    let holds_some = |line: &&str| {
        line.split(|c| !('\u{80}'..='\u{FF}').contains(&c)).any(|run| !run.is_empty() && is_doubly_encoded(run))
    };
    text.lines().filter(holds_some).filter(is_of_article).count()
}

#[test]
fn doubly_encoded_articles_of_daniel_are_declared() {
    if folder("doubly_encoded_articles_of_daniel_are_declared").is_none() {
        return;
    }
    let dataset = locate("daniel").unwrap();
    let found = |index: usize| {
        let record = dataset.records.get(index).unwrap();
        let opened = dataset.open(&record).unwrap();
        let lines = doubly_encoded_lines(&opened.page, &opened.gold.unwrap_or_default());
        let is_declared = record.details().faults.iter().any(|fault| fault == "misdecoded");
        (lines > 0).then(|| (record.id[9..].chars().take_while(|c| *c != '_').collect::<String>(), lines, is_declared))
    };
    let mut found: Vec<_> = (0..dataset.records.len()).into_par_iter().filter_map(found).collect();
    found.sort_by_key(|(_, lines, _)| *lines);
    assert!(found.iter().all(|(_, lines, is_declared)| *is_declared == (*lines > 1)), "{found:?}");
    assert_eq!(found.iter().filter(|(_, lines, _)| *lines > 1).count(), 6, "{found:?}");
}

#[test]
fn the_catalogue_says_what_importers_say() {
    let Some(corpora) = folder("the_catalogue_says_what_importers_say") else { return };
    let here = |entry: &&carat::datasets::catalog::Entry| corpora.join(&entry.name).is_dir();
    let entries: Vec<_> = carat::datasets::catalog::builtin().datasets.iter().filter(here).collect();
    assert!(entries.len() >= 5, "{} sets of the catalogue are here", entries.len());
    for entry in entries {
        let dataset = locate(&entry.name).unwrap();
        let said = |licence: &carat::datasets::manifest::Licence| serde_json::to_string(licence).unwrap();
        assert_eq!(said(&dataset.manifest.licence), said(&entry.licence), "{}", entry.name);
        assert_eq!(dataset.manifest.gold.nature, entry.gold.nature, "{}", entry.name);
        assert_eq!(dataset.manifest.title, entry.title);
        // Of some sets only a part is here, whose digest is another.
        if entry.digest.is_some() {
            let digest = dataset.digest(|record| dataset.digests(record)).unwrap();
            assert_eq!(entry.differs(&dataset.manifest, &digest), None, "{}", entry.name);
        }
    }
}

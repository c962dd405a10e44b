//! Algorithms of ours against the programs that they are read from: the text of each page of the
//! article-extraction-benchmark against the output that is stored beside it. The benchmark is found through
//! `CARAT_CORPORA`; without it these tests say that they were skipped.

use std::sync::Arc;

use carat::algorithms::find;
use carat::algorithms::parameters::Values;
use carat::datasets::Dataset;
use carat::datasets::locate::{corpora, locate};
use carat::datasets::manifest::Record;
use carat::scoring::{Gold, Measure, ONE};
use carat::text::tokens::{Case, TokenKind, Tokenizer};
use carat::text::words::Segmenter;
use rayon::prelude::*;

/// The benchmark, if the corpora are there.
fn benchmark() -> Option<Dataset> {
    let is_there = corpora().is_some_and(|folder| folder.join("article-extraction-benchmark").is_dir());
    if !is_there {
        eprintln!("skipped: CARAT_CORPORA does not name the folder of corpora");
    }
    is_there.then(|| locate("article-extraction-benchmark").unwrap())
}

/// How well two texts agree: F1 by the longest common subsequence of their words, from 0 to 1.
fn agreement_of(ours: &str, theirs: &str) -> f64 {
    let segmenter = Segmenter::default();
    let mut tokenizer = Tokenizer::new(TokenKind::W, Case::Keep, &segmenter);
    let gold = Gold::new(Measure::Lcs, &tokenizer.tokens(theirs).into());
    gold.counts(&tokenizer.tokens(ours).into()).score().values()[2] as f64 / ONE as f64
}

/// Each page's id with the agreement of `algorithm` under `parameters` with the outputs of `system`, the worst first.
fn agreements(dataset: &Dataset, algorithm: &str, parameters: &[(&str, &str)], system: &str) -> Vec<(f64, String)> {
    let entry = find(algorithm).unwrap();
    let declared = entry.parameters();
    let read = |&(name, text): &(&str, &str)| {
        let parameter = declared.iter().find(|parameter| parameter.name == name).unwrap();
        (name.to_owned(), parameter.values.read(text).unwrap())
    };
    let setting = entry.setting(&parameters.iter().map(read).collect::<Values>()).unwrap();
    let stored = dataset.stored(system).unwrap();
    let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
    let agreement = |record: &Arc<Record>| {
        let page = [Arc::new(dataset.open_page(record).unwrap())];
        let ours = entry.choose(&page, &setting).text(&page[0]);
        (agreement_of(&ours, stored.text(&record.id).unwrap().unwrap()), record.id.clone())
    };
    let mut agreements: Vec<_> = records.par_iter().map(agreement).collect();
    agreements.sort_by(|one, other| one.partial_cmp(other).unwrap());
    agreements
}

/// Holds the mean agreement of `algorithm` with `system`, to four digits, against `least`, and the number of pages whose words are all
/// equal against `equal`; both are told with the ten worst pages.
fn check(algorithm: &str, parameters: &[(&str, &str)], system: &str, least: f64, equal: usize) {
    let Some(dataset) = benchmark() else { return };
    let agreements = agreements(&dataset, algorithm, parameters, system);
    assert_eq!(agreements.len(), 181);
    let mean = agreements.iter().map(|(agreement, _)| agreement).sum::<f64>() / agreements.len() as f64;
    let same = agreements.iter().filter(|(agreement, _)| *agreement == 1.0).count();
    let worst: String = agreements.iter().take(10).map(|(agreement, id)| format!("{agreement:.4} {id}\n")).collect();
    let told = format!("{algorithm} agrees with {system} to {mean:.5}, {same} pages are equal; the worst:\n{worst}");
    println!("{told}");
    let rounded = (mean * 10_000.0).round() / 10_000.0;
    assert!(rounded >= least && same >= equal, "{told}");
}

#[test]
fn boilerpipe_article_is_boilerpipe() {
    check("boilerpipe-article", &[], "boilerpipe", 0.9990, 168);
}

/// The settings of the benchmark's run.
#[test]
fn justext_is_justext() {
    let settings = [
        ("length_low", "50"),
        ("stopwords_low", "0.1"),
        ("stopwords_high", "0.2"),
        ("no_headings", "true"),
        ("stoplist", "en"),
        ("links", "any"),
    ];
    check("justext", &settings, "justext", 0.9995, 160);
}

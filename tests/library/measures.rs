//! The measures of other benchmarks, against independent figures (`figures-measures.json` of the corpora). Without
//! `CARAT_CORPORA` these tests say that they were skipped.

use std::collections::BTreeMap;
use std::sync::Mutex;

use carat::datasets::Halt;
use carat::datasets::locate::corpora;
use carat::formats::digest::sha256;
use carat::runs::configuration::{Configuration, NamedRequest};
use carat::runs::execute::{Unit, execute};
use carat::runs::plan::Plan;
use carat::scoring::{Comparison, Gold, Measured, Units};
use carat::text::tokens::{Token, Tokenizer};
use carat::text::words::Segmenter;
use serde_json::Value as Json;

/// The figures, if the corpora are there.
fn figures() -> Option<Json> {
    let file = corpora().map(|folder| folder.join("figures-measures.json")).filter(|file| file.exists());
    if file.is_none() {
        eprintln!("skipped: CARAT_CORPORA does not name the folder of corpora");
    }
    file.map(|file| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap())
}

fn comparison(example: &Json) -> Option<Comparison> {
    let text = |key: &str| example.get(key).and_then(Json::as_str);
    let rule = [text("measure")?, text("tokens")?, text("case").unwrap_or("keep")].join(" ");
    Comparison::read(&rule, Comparison::default()).ok()
}

fn measured(rule: Comparison, extraction: &str, gold: &str) -> Measured {
    let segmenter = Segmenter::default();
    let mut tokenizer = Tokenizer::new(rule.tokens, rule.case, &segmenter);
    let by_lines = rule.measure.reads_lines();
    let gold = Gold::new(rule.measure, &Units::of(gold, by_lines, &mut tokenizer));
    gold.compare(&Units::of(extraction, by_lines, &mut tokenizer))
}

fn counts(measured: Measured) -> [u64; 3] {
    [measured.counts.matched, measured.counts.extracted, measured.counts.gold]
}

fn numbers(array: &Json) -> Vec<f64> {
    array.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn examples_are_counted_as_written() {
    let Some(figures) = figures() else { return };
    let mut tried = 0;
    for example in figures["examples"].as_array().unwrap() {
        let Some(rule) = comparison(example) else { continue };
        let text = |key: &str| example[key].as_str().unwrap();
        let measured = measured(rule, text("extraction"), text("gold"));
        let want = &example["want"];
        assert_eq!(counts(measured).map(|count| count as f64).to_vec(), numbers(&want["counts"]), "{example}");
        for (ours, theirs) in measured.score().fractions().into_iter().zip(numbers(&want["scores"])) {
            assert!((ours - theirs).abs() <= 0.000_05 + 1e-9, "{example}: {ours}");
        }
        tried += 1;
    }
    assert_eq!(tried, 54);
}

#[test]
fn examples_are_cut_as_written() {
    let Some(figures) = figures() else { return };
    let is_of_tokens = |example: &&Json| example["measure"] == "tokens";
    let examples: Vec<&Json> = figures["examples"].as_array().unwrap().iter().filter(is_of_tokens).collect();
    assert_eq!(examples.len(), 14);
    let segmenter = Segmenter::default();
    for example in examples {
        let rule = |key: &str, default: &str| example[key].as_str().unwrap_or(default).to_owned();
        let (kind, case) = (rule("tokens", ""), rule("case", "keep"));
        let mut tokenizer = Tokenizer::new(kind.parse().unwrap(), case.parse().unwrap(), &segmenter);
        let tokens = tokenizer.tokens(example["text"].as_str().unwrap());
        let words: Vec<&str> = example["want"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        assert_eq!(tokens.len(), words.len(), "{example}");
        if case == "keep" {
            // A token that is cut alone is itself, with the same number.
            let alone: Vec<Token> = words.iter().flat_map(|word| tokenizer.tokens(word)).collect();
            assert_eq!(tokens, alone, "{example}");
        }
    }
}

#[test]
fn stored_extractions_of_webmainbench_count_as_an_independent_program_does() {
    let (Some(figures), Some(folder)) = (figures(), corpora()) else { return };
    let file = folder.join("webmainbench-sample/dataset_with_results.jsonl");
    let pages: Vec<Json> =
        std::fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut compared = 0;
    for (system, figures) in figures["webmainbench-sample"]["systems"].as_object().unwrap() {
        for page in &pages {
            let text = |key: &str| page[key].as_str().unwrap_or_default();
            let (extraction, gold) = (text(&format!("{system}_content")), text("groundtruth_content"));
            for (rule, expected) in figures["pages"][text("id")]["counts"].as_object().unwrap() {
                let rule = Comparison::read(rule, Comparison::default()).unwrap();
                let counts = counts(measured(rule, extraction, gold)).map(|count| count as f64);
                assert_eq!(counts.to_vec(), numbers(expected), "{system} {}: {rule}", page["id"]);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 4 * 4 * 11);
}

/// Counts of each page by system and rule.
type Counted = BTreeMap<(String, String), BTreeMap<String, [u64; 3]>>;

/// The stored outputs `stored` of the article-extraction-benchmark under each of `rules`.
fn counted(stored: &[&str], rules: &[String]) -> Counted {
    let mut configuration = Configuration {
        datasets: vec![NamedRequest::from_argument("article-extraction-benchmark")],
        stored: stored.iter().map(|name| NamedRequest::from_argument(name)).collect(),
        ..Configuration::default()
    };
    configuration.compare_by(rules, Comparison::default()).unwrap();
    let plan = Plan::new(configuration).unwrap();
    let counted: Mutex<Counted> = Mutex::default();
    let add = |unit: &Unit<'_>| -> Result<(), Halt> {
        let (outcomes, _) = unit.run_by_each()?;
        let mut counted = counted.lock().unwrap();
        for (rule, outcome) in rules.iter().zip(&outcomes) {
            for (row, outcome) in plan.rows.iter().zip(outcome.rows.as_ref().unwrap()) {
                let system = row.name().strip_prefix("stored/").unwrap().to_owned();
                let (counts, _) = outcome.score().unwrap();
                let counts = [counts.matched, counts.extracted, counts.gold];
                counted.entry((system, rule.clone())).or_default().insert(unit.page().1.id.clone(), counts);
            }
        }
        Ok(())
    };
    execute(&plan, &add).map_err(Halt::of_unstopped).unwrap();
    counted.into_inner().unwrap()
}

#[test]
fn every_stored_output_of_a_benchmark_counts_as_an_independent_program_does() {
    const SLOW: &str = "lsum ws";
    let Some(figures) = figures() else { return };
    let systems = figures["article-extraction-benchmark"].as_object().unwrap();
    let rules: Vec<String> = systems["AutoExtract"].as_object().unwrap().keys().cloned().collect();
    let quick: Vec<String> = rules.iter().filter(|rule| *rule != SLOW).cloned().collect();
    let with_slow = systems.iter().filter(|(_, figures)| figures.get(SLOW).is_some());
    let with_slow: Vec<&str> = with_slow.map(|(system, _)| system.as_str()).collect();
    let mut counted_pages = counted(&["all"], &quick);
    counted_pages.extend(counted(&with_slow, &[SLOW.to_owned()]));
    assert_eq!(counted_pages.len(), 11 * 32 + 3);
    for ((system, rule), pages) in &counted_pages {
        let line =
            |(id, [matched, extracted, gold]): (&String, &[u64; 3])| format!("{id} {matched} {extracted} {gold}\n");
        let lines: String = pages.iter().map(line).collect();
        assert_eq!(sha256(lines.as_bytes()), systems[system][rule]["counts"].as_str().unwrap(), "{system}: {rule}");
    }
}

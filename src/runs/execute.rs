//! Carries a plan out. The unit of work is one page with all its settings; inside it nothing is done
//! twice: the page is parsed once, equal choices are rendered once, equal texts scored once.

use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::plan::{ExactSweep, Plan, Row};
use super::sweep::{Scored, Step, steps};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::links::{Anchor, Links};
use crate::algorithms::features::stopwords::PageSegmenter;
use crate::algorithms::features::visible::VisibleText;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, Digests, Opened};
use crate::formats::digest::sha256;
use crate::page::{Facts, Page};
use crate::scoring::{Counts, Gold, Score};
use crate::text::tokens::Tokenizer;

/// What is learnt of a page.
#[derive(Clone, Debug)]
pub struct PageOutcome {
    /// Digests of the page and its gold.
    pub digests: Digests,
    /// What happened.
    pub result: Result<PageResult, String>,
    /// What was saved on the way.
    pub work: Work,
}

/// The result of a page that did not fail.
#[derive(Clone, Debug)]
pub struct PageResult {
    /// Encoding, nodes and the like.
    pub facts: Facts,
    /// `chars` of visible text, of link text, and of the gold.
    pub sizes: Sizes,
    /// For each row of the plan its counts and the digest of its text; `None` for a page without gold.
    pub rows: Option<Vec<RowResult>>,
    /// For each exact sweep the page's curve.
    pub sweeps: Vec<Vec<Step>>,
}

/// How much text a page has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// `chars` of all visible text.
    pub text: usize,
    /// `chars` of it in links.
    pub link: usize,
    /// `chars` of the gold; `None` without one.
    pub gold: Option<usize>,
}

/// A row's result on a page.
#[derive(Clone, Debug)]
pub struct RowResult {
    /// What the measure counted.
    pub counts: Counts,
    /// SHA-256 of the extraction.
    pub text: std::sync::Arc<str>,
}

/// How often things were asked for, and how often they were done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Choices that rows and exact sweeps asked for.
    pub choices: u64,
    /// Renderings, each of a different choice on its page.
    pub renderings: u64,
    /// Scorings, each of a different text on its page.
    pub scorings: u64,
}

impl std::ops::Add for Work {
    type Output = Work;
    fn add(self, other: Work) -> Work {
        Work {
            choices: self.choices + other.choices,
            renderings: self.renderings + other.renderings,
            scorings: self.scorings + other.scorings,
        }
    }
}

/// Runs every page of every dataset, in dataset order, on the current rayon pool. `done` is called
/// after each page with its size in bytes.
pub fn execute(plan: &Plan, done: &(dyn Fn(usize) + Sync)) -> Vec<Vec<PageOutcome>> {
    let unit = |dataset: &Dataset, record: &Record| {
        let outcome = guarded(plan, dataset, record);
        done(outcome.result.as_ref().map_or(0, |result| result.facts.bytes));
        outcome
    };
    plan.datasets
        .iter()
        .map(|dataset| dataset.records.par_iter().map(|record| unit(dataset, record)).collect())
        .collect()
}

/// A page that cannot be read, or on which an algorithm panics, fails; the others go on.
fn guarded(plan: &Plan, dataset: &Dataset, record: &Record) -> PageOutcome {
    let failed =
        |message: String| PageOutcome { digests: Digests::default(), result: Err(message), work: Work::default() };
    match catch_unwind(AssertUnwindSafe(|| run_page(plan, dataset, record))) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(message)) => failed(message),
        Err(panic) => {
            let text =
                panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
            failed(format!("a defect of carat on this page: {}", text.unwrap_or("panic without a message")))
        }
    }
}

fn run_page(plan: &Plan, dataset: &Dataset, record: &Record) -> Result<PageOutcome, String> {
    let Opened { page, gold, digests } = dataset.open(record)?;
    let (text, links) = (page.view::<VisibleText>(), Links::of(&page, Anchor::Any));
    let body_chars =
        |chars: &dyn Fn(crate::page::tree::NodeId) -> u32| text.body.map_or(0, |body| chars(body) as usize);
    let sizes = Sizes {
        text: body_chars(&|body| text.chars(&page.tree, body)),
        link: body_chars(&|body| links.chars(&page.tree, body)),
        gold: gold.as_deref().map(crate::text::chars),
    };
    let facts = page.facts.clone();
    let Some(gold) = gold else {
        let result = PageResult { facts, sizes, rows: None, sweeps: Vec::new() };
        return Ok(PageOutcome { digests, result: Ok(result), work: Work::default() });
    };
    let segmenter = page.view::<PageSegmenter>();
    let mut scorer = Scorer::new(plan, &page, &segmenter, &gold);
    let rows = run_rows(&plan.rows, &page, &mut scorer);
    let sweeps = plan.sweeps.iter().map(|sweep| run_sweep(sweep, &page, &mut scorer)).collect();
    let work = scorer.work;
    let result = PageResult { facts, sizes, rows: Some(rows), sweeps };
    Ok(PageOutcome { digests, result: Ok(result), work })
}

/// Neighbouring rows of one algorithm are chosen together, so that they share what was prepared.
fn run_rows(rows: &[Row], page: &Page, scorer: &mut Scorer<'_>) -> Vec<RowResult> {
    let mut results: Vec<Option<RowResult>> = vec![None; rows.len()];
    let mut names: Vec<&str> = rows.iter().map(Row::name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let places: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].name() == name).collect();
        let settings: Vec<_> = places.iter().map(|&i| &rows[i].setting).collect();
        let choices = rows[places[0]].algorithm.choose_all(page, &settings);
        for (place, choice) in places.into_iter().zip(choices) {
            results[place] = Some(scorer.score(choice));
        }
    }
    results.into_iter().flatten().collect()
}

fn run_sweep(sweep: &ExactSweep, page: &Page, scorer: &mut Scorer<'_>) -> Vec<Step> {
    let samples = sweep.algorithm.sweep(page, &sweep.setting, &sweep.parameter).unwrap_or_default();
    let scored: Vec<Scored> = samples
        .into_iter()
        .map(|sample| {
            let score = scorer.score(sample.choice).counts.score();
            Scored { at: sample.at, between: sample.between, score }
        })
        .collect();
    steps(&scored)
}

/// Scores choices of one page against its gold, each distinct one once.
struct Scorer<'p> {
    page: &'p Page,
    tokenizer: Tokenizer<'p>,
    gold: Gold,
    texts: FxHashMap<Choice, usize>,
    scored: FxHashMap<std::sync::Arc<str>, Counts>,
    results: Vec<RowResult>,
    work: Work,
}

impl<'p> Scorer<'p> {
    fn new(plan: &Plan, page: &'p Page, segmenter: &'p PageSegmenter, gold: &str) -> Self {
        let configuration = &plan.configuration;
        let mut tokenizer = Tokenizer::new(configuration.tokens, configuration.case, &segmenter.0);
        let gold = Gold::new(configuration.measure, &tokenizer.tokens(gold));
        let (texts, scored, results) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        Scorer { page, tokenizer, gold, texts, scored, results, work: Work::default() }
    }

    fn score(&mut self, choice: Choice) -> RowResult {
        self.work.choices += 1;
        if let Some(&known) = self.texts.get(&choice) {
            return self.results[known].clone();
        }
        self.work.renderings += 1;
        let text = choice.text(self.page);
        let digest: std::sync::Arc<str> = sha256(text.as_bytes()).into();
        let counts = match self.scored.entry(digest.clone()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.work.scorings += 1;
                *new.insert(self.gold.counts(&self.tokenizer.tokens(&text)))
            }
        };
        let result = RowResult { counts, text: digest };
        self.texts.insert(choice, self.results.len());
        self.results.push(result.clone());
        result
    }
}

impl PageOutcome {
    /// The row's score on this page: 0 on a failed page, `None` on a page without gold.
    pub fn score(&self, row: usize) -> Option<(Counts, Score)> {
        match &self.result {
            Err(_) => Some((Counts::default(), Score::ZERO)),
            Ok(result) => result.rows.as_ref().map(|rows| (rows[row].counts, rows[row].counts.score())),
        }
    }
}

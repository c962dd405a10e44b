//! Carries a plan out. The unit of work is one page with all its settings; inside it nothing is done
//! twice: the page is parsed once, equal choices are rendered once, equal texts scored once.

use std::any::Any;
use std::collections::{BTreeMap, hash_map};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::configuration::Configuration;
use super::plan::{ExactSweep, Plan, Row};
use super::sweep::{Scored, Step, steps};
use crate::algorithms::Entry;
use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::links::{Anchor, Links};
use crate::algorithms::features::stopwords::PageSegmenter;
use crate::algorithms::features::visible::VisibleText;
use crate::algorithms::group::{Learned, Pages, Scope};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, Digests, Opened};
use crate::formats::digest::sha256;
use crate::page::tree::NodeId;
use crate::page::{Facts, Page};
use crate::scoring::{Counts, Gold, Score};
use crate::text::tokens::Tokenizer;
use crate::text::words::Segmenter;

/// What is learnt of a page.
#[derive(Clone, Debug)]
pub struct PageOutcome {
    /// Digests of the page and its gold.
    pub digests: Digests,
    /// Whether it has a gold; a page without one counts in no row, even if it fails.
    pub has_gold: bool,
    /// What happened.
    pub result: Result<PageResult, PageFailure>,
    /// What was saved on the way.
    pub work: Work,
}

/// Why a page failed, and what it counts for all the same.
#[derive(Clone, Debug)]
pub struct PageFailure {
    /// The reason, in one sentence.
    pub reason: String,
    /// Nothing extracted, nothing matched, and the units of the gold.
    pub counts: Counts,
}

/// The result of a page that did not fail.
#[derive(Clone, Debug)]
pub struct PageResult {
    /// Encoding, nodes and the like.
    pub facts: Facts,
    /// `chars` of visible text, of link text, and of the gold.
    pub sizes: Sizes,
    /// Selectors of the gold that matched nothing.
    pub unmatched: Vec<String>,
    /// For each row of the plan its counts and the digest of its text, or why its algorithm failed here;
    /// `None` for a page without gold.
    pub rows: Option<Vec<Result<RowResult, PageFailure>>>,
    /// For each exact sweep the page's curve, or why its algorithm failed: then it is 0 everywhere.
    pub sweeps: Vec<Result<Vec<Step>, String>>,
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
    pub text: Arc<str>,
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
/// after each page.
pub fn execute(plan: &Plan, done: &(dyn Fn() + Sync)) -> Vec<Vec<PageOutcome>> {
    let run_dataset = |dataset: &Dataset| {
        let groups = Groups::learn(&plan.rows, dataset);
        let unit = |record| {
            let outcome = Unit { plan, dataset, groups: &groups, record }.guarded();
            done();
            outcome
        };
        dataset.records.par_iter().map(unit).collect()
    };
    plan.datasets.iter().map(run_dataset).collect()
}

/// What each row's group algorithm has learnt of each group of the dataset, or why it could not.
struct Groups<'p>(Vec<BTreeMap<&'p str, Result<Learned, String>>>);

/// The name of a page's group.
fn group(scope: Scope, record: &Record) -> &str {
    match scope {
        Scope::Site => record.site.as_deref().unwrap_or(&record.id),
        Scope::Dataset => "",
    }
}

impl<'p> Groups<'p> {
    fn learn(rows: &[Row], dataset: &'p Dataset) -> Self {
        let learn_row = |row: &Row| {
            let Entry::Group(algorithm) = row.algorithm else { return BTreeMap::new() };
            let mut members: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
            for record in &dataset.records {
                members.entry(group(algorithm.scope(), record)).or_default().push(record);
            }
            let learn = |(name, records)| {
                let pages = Members { dataset, records };
                let learned = catch_unwind(AssertUnwindSafe(|| algorithm.learn(&pages, &row.setting)));
                (name, learned.map_err(|panic| defect(&*panic)))
            };
            members.into_par_iter().map(learn).collect()
        };
        Groups(rows.iter().map(learn_row).collect())
    }
}

/// The pages of a group, each parsed when it is asked for.
struct Members<'p> {
    dataset: &'p Dataset,
    records: Vec<&'p Record>,
}

impl Pages for Members<'_> {
    fn len(&self) -> usize {
        self.records.len()
    }

    fn page(&self, index: usize) -> Option<Arc<Page>> {
        self.dataset.open_page(self.records[index]).ok().map(Arc::new)
    }
}

/// One page with all that is needed to run it.
struct Unit<'r> {
    plan: &'r Plan,
    dataset: &'r Dataset,
    groups: &'r Groups<'r>,
    record: &'r Record,
}

impl Unit<'_> {
    /// A page that cannot be read, or on which an algorithm panics, fails; the others go on.
    fn guarded(&self) -> PageOutcome {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.run())).unwrap_or_else(|panic| Err(defect(&*panic)));
        outcome.unwrap_or_else(|reason| {
            let counts = Counts { gold: self.units_of_gold(), ..Counts::default() };
            PageOutcome {
                digests: self.dataset.digests(self.record),
                has_gold: self.record.gold.is_some(),
                result: Err(PageFailure { reason, counts }),
                work: Work::default(),
            }
        })
    }

    /// What a failed page's gold adds to the pooled counts.
    fn units_of_gold(&self) -> u64 {
        let Configuration { tokens, case, measure, .. } = self.plan.configuration;
        let segmenter = Segmenter::default();
        let mut tokenizer = Tokenizer::new(tokens, case, &segmenter);
        let gold = self.dataset.gold_text(self.record).unwrap_or_default();
        Gold::new(measure, &tokenizer.tokens(&gold)).counts(&[]).gold
    }

    fn run(&self) -> Result<PageOutcome, String> {
        let Opened { page, gold, unmatched, digests } = self.dataset.open(self.record)?;
        let sizes = sizes(&page, gold.as_deref());
        let facts = page.facts.clone();
        let Some(gold) = gold else {
            let result = PageResult { facts, sizes, unmatched, rows: None, sweeps: Vec::new() };
            return Ok(PageOutcome { digests, has_gold: false, result: Ok(result), work: Work::default() });
        };
        let segmenter = page.view::<PageSegmenter>();
        let mut scorer = Scorer::new(self.plan, &page, &segmenter, &gold);
        let rows = self.rows(&page, &mut scorer);
        let sweeps = self.plan.sweeps.iter().map(|sweep| run_sweep(sweep, &page, &mut scorer)).collect();
        let work = scorer.work;
        let result = PageResult { facts, sizes, unmatched, rows: Some(rows), sweeps };
        Ok(PageOutcome { digests, has_gold: true, result: Ok(result), work })
    }

    /// Rows of one page algorithm are chosen together, so that they share what was prepared. An
    /// algorithm that panics fails its own rows on this page, and no others.
    fn rows(&self, page: &Page, scorer: &mut Scorer<'_>) -> Vec<Result<RowResult, PageFailure>> {
        let rows = &self.plan.rows;
        let mut choices: Vec<Result<Choice, String>> = vec![Err(String::new()); rows.len()];
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            places.entry(row.name()).or_default().push(place);
        }
        for places in places.into_values() {
            match rows[places[0]].algorithm {
                Entry::Page(algorithm) => {
                    let settings: Vec<_> = places.iter().map(|&place| &rows[place].setting).collect();
                    let chosen = catch_unwind(AssertUnwindSafe(|| algorithm.choose_all(page, &settings)));
                    match chosen {
                        Ok(chosen) => places.iter().zip(chosen).for_each(|(&place, one)| choices[place] = Ok(one)),
                        Err(panic) => places.iter().for_each(|&place| choices[place] = Err(defect(&*panic))),
                    }
                }
                Entry::Group(algorithm) => {
                    let name = group(algorithm.scope(), self.record);
                    for place in places {
                        let choose = |learned| algorithm.choose(learned, page, &rows[place].setting);
                        choices[place] = match &self.groups.0[place][name] {
                            Ok(learned) => {
                                catch_unwind(AssertUnwindSafe(|| choose(learned))).map_err(|panic| defect(&*panic))
                            }
                            Err(reason) => Err(reason.clone()),
                        };
                    }
                }
            }
        }
        let failed = |reason, scorer: &Scorer<'_>| PageFailure { reason, counts: scorer.gold.counts(&[]) };
        choices.into_iter().map(|choice| choice.map(|c| scorer.score(c)).map_err(|r| failed(r, scorer))).collect()
    }
}

/// What a panic says, as the reason of a failure.
fn defect(panic: &(dyn Any + Send)) -> String {
    format!("a defect of carat on this page: {}", panic_message(panic))
}

/// The message of a caught panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

fn sizes(page: &Page, gold: Option<&str>) -> Sizes {
    let (text, links) = (page.view::<VisibleText>(), Links::of(page, Anchor::Any));
    let count = |chars: &dyn Fn(NodeId) -> u32| text.body.map_or(0, |body| chars(body) as usize);
    Sizes {
        text: count(&|body| text.chars(&page.tree, body)),
        link: count(&|body| links.chars(&page.tree, body)),
        gold: gold.map(crate::text::chars),
    }
}

fn run_sweep(sweep: &ExactSweep, page: &Page, scorer: &mut Scorer<'_>) -> Result<Vec<Step>, String> {
    let swept = || sweep.algorithm.sweep(page, &sweep.setting, &sweep.parameter).unwrap_or_default();
    let samples = catch_unwind(AssertUnwindSafe(swept)).map_err(|panic| defect(&*panic))?;
    let scored: Vec<Scored> = samples
        .into_iter()
        .map(|sample| {
            let score = scorer.score(sample.choice).counts.score();
            Scored { at: sample.at, between: sample.between, score }
        })
        .collect();
    Ok(steps(&scored))
}

/// Scores choices of one page against its gold, each distinct one once.
struct Scorer<'p> {
    page: &'p Page,
    tokenizer: Tokenizer<'p>,
    gold: Gold,
    texts: FxHashMap<Choice, usize>,
    scored: FxHashMap<Arc<str>, Counts>,
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
        let digest: Arc<str> = sha256(text.as_bytes()).into();
        let counts = match self.scored.entry(digest.clone()) {
            hash_map::Entry::Occupied(known) => *known.get(),
            hash_map::Entry::Vacant(new) => {
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
    /// The row's result on this page, or why it failed; `None` on a page without gold.
    pub fn row(&self, row: usize) -> Option<Result<&RowResult, &PageFailure>> {
        match &self.result {
            Err(failure) => self.has_gold.then_some(Err(failure)),
            Ok(result) => result.rows.as_ref().map(|rows| rows[row].as_ref()),
        }
    }

    /// The row's counts and score on this page: 0 where it failed, `None` on a page without gold.
    pub fn score(&self, row: usize) -> Option<(Counts, Score)> {
        self.row(row).map(|result| match result {
            Ok(result) => (result.counts, result.counts.score()),
            Err(failure) => (failure.counts, Score::ZERO),
        })
    }
}

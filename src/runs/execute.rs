//! Carries a plan out. The unit of work is one page with all its settings; inside it nothing is done
//! twice: the page is parsed once, equal choices are rendered once, equal texts scored once.

mod others;
mod target;

use std::any::Any;
use std::collections::{BTreeMap, hash_map};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use self::target::Target;
use super::agreement::PageAgreement;
use super::configuration::Configuration;
use super::doors::external::Extraction;
use super::groups::Groups;
use super::learned::wrapper::RulesUsed;
use super::learned::{LearnedChoice, Trained};
use super::node_tokens::on_nodes;
use super::plan::Plan;
use super::roles::{Characters, PageRoles, RoleCounter};
use super::rows::{ExactSweep, Row, System};
use super::sweep::{Scored, Step, steps};
use crate::algorithms::Entry;
use crate::algorithms::algorithm::{Choice, Sample, Setting};
use crate::algorithms::features::links::{Anchor, Links};
use crate::algorithms::features::stopwords::PageSegmenter;
use crate::algorithms::features::visible::VisibleText;
use crate::datasets::manifest::Record;
use crate::datasets::pull::STOPPED;
use crate::datasets::{Dataset, DatasetError, Digests, Opened};
use crate::formats::digest::sha256;
use crate::page::selection::Selection;
use crate::page::tree::NodeId;
use crate::page::{Facts, Page};
use crate::scoring::{Counts, Measure, Score};
use crate::text::tokens::Tokenizer;

/// What is learnt of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageOutcome {
    /// Digests of the page and its gold.
    pub digests: Digests,
    /// What the page is like, or why it failed.
    pub page: Result<PageFacts, String>,
    /// What each row of the plan comes to here; `None` for a page without gold, which counts in no
    /// row, even if it fails.
    pub rows: Option<Vec<RowOutcome>>,
    /// The page's text by role, where its gold names roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<PageRoles>,
    /// How far the extractions agree, of a page without gold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<PageAgreement>,
    /// For each exact sweep the page's curve, or why its algorithm failed: then it is 0 everywhere.
    /// Empty where the page failed or has no gold.
    pub sweeps: Vec<Result<Vec<Step>, String>>,
    /// What was saved on the way.
    pub work: Work,
}

/// The texts behind a [`PageOutcome`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// The gold text, normalised.
    pub gold: Option<String>,
    /// Each distinct extraction of a row, by its digest.
    pub extractions: BTreeMap<Arc<str>, String>,
}

/// What is known of a page that did not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFacts {
    /// Encoding, nodes and the like; `None` where no row needed the page itself.
    pub facts: Option<Facts>,
    /// `chars` of its texts.
    pub sizes: Sizes,
    /// Selectors of the gold that matched nothing.
    pub unmatched: Vec<String>,
}

/// What a row comes to on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowOutcome {
    /// There is an extraction, and it is scored.
    Scored(RowResult),
    /// The algorithm, or the page, failed: it scores 0.
    Failed(RowFailure),
    /// An external program did not answer in time: it scores 0.
    TimedOut(RowFailure),
    /// A stored output lacks the page, an external program was given up before it, or it is beyond the limits of a
    /// bound, or of the alignment that puts a text on nodes: the page does not count in the row.
    NotRun,
}

/// Why a row failed on a page, and what it counts for all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFailure {
    /// The reason, in one sentence.
    pub reason: String,
    /// Nothing extracted, nothing matched, and the units of the gold.
    pub counts: Counts,
}

/// How much text a page has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// `chars` of all visible text; `None` where no row needed the page itself.
    pub text: Option<usize>,
    /// `chars` of it in links.
    pub link: Option<usize>,
    /// `chars` of the gold; `None` without one.
    pub gold: Option<usize>,
}

/// A row's result on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowResult {
    /// What the measure counted.
    pub counts: Counts,
    /// SHA-256 of the extraction.
    pub text: Arc<str>,
    /// Whether it is of an ensemble of which a member failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub degraded: bool,
    /// Whether it is a text of its own that an alignment put on text nodes, to be measured by them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aligned: bool,
    /// What decided, where rules of sites did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesUsed>,
    /// What it holds of each role of the page, and behind them of the text of no role; absent where the page has no roles,
    /// and where it is a text of its own that is too long to be put on text nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<Characters>>,
}

/// How often things were asked for, and how often they were done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Whether someone wants what is under way to end.
pub type IsStopped<'s> = &'s (dyn Fn() -> bool + Sync);

/// What a plan is carried out by.
pub struct Watch<'w> {
    /// Whether a page was run earlier, and is not to be run again.
    pub is_done: &'w (dyn Fn(&Dataset, &Record) -> bool + Sync),
    /// Asked while rows learn, page by page; who runs the pages asks for himself.
    pub is_stopped: IsStopped<'w>,
}

/// Hands every page of every dataset to `unit`, in no particular order, on the current rayon pool.
///
/// # Errors
/// As those of [`execute_rest`].
pub fn execute<E: From<DatasetError> + Send>(
    plan: &Plan,
    unit: &(dyn Fn(&Unit<'_>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    execute_rest(plan, &Watch { is_done: &|_, _| false, is_stopped: &|| false }, unit)
}

/// The same with the pages that are not done. Of a dataset of which every page is done nothing is learned either.
///
/// # Errors
/// The first error of `unit`, that a page list cannot be read any more or was changed, or [`STOPPED`] where it was
/// stopped before there was anything to run; pages that are under way are still finished.
pub fn execute_rest<E: From<DatasetError> + Send>(
    plan: &Plan,
    watch: &Watch<'_>,
    unit: &(dyn Fn(&Unit<'_>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    for (place, dataset) in plan.datasets.iter().enumerate() {
        let left = left_of(dataset, watch)?;
        if left.is_empty() {
            continue;
        }
        let groups = Groups::learn(plan.systems(), &plan.sweeps, dataset, watch.is_stopped)?;
        let trained = Trained::learn(plan.systems(), dataset, watch.is_stopped)?;
        let run = |index: usize| {
            let record = dataset.records.get(index)?;
            unit(&Unit { plan, dataset, place, groups: &groups, trained: &trained, index, record: &record })
        };
        left.into_par_iter().try_for_each(run)?;
    }
    Ok(())
}

/// The places of the pages that are not done.
fn left_of(dataset: &Dataset, watch: &Watch<'_>) -> Result<Vec<usize>, DatasetError> {
    let is_left = |(index, record): (usize, Result<Arc<Record>, DatasetError>)| {
        go_on(watch.is_stopped)?;
        Ok((!(watch.is_done)(dataset, &*record?)).then_some(index))
    };
    let left = dataset.records.par_iter().enumerate().map(is_left).filter_map(Result::transpose);
    left.collect()
}

/// # Errors
/// [`STOPPED`]: someone wants it to end.
pub(super) fn go_on(is_stopped: IsStopped<'_>) -> Result<(), DatasetError> {
    if is_stopped() { Err(DatasetError::new(STOPPED, "learning", "interrupted")) } else { Ok(()) }
}

/// One page with all that is needed to run it.
pub struct Unit<'r> {
    plan: &'r Plan,
    dataset: &'r Dataset,
    place: usize,
    groups: &'r Groups<'r>,
    trained: &'r Trained<'r>,
    /// The page's place in the dataset.
    index: usize,
    record: &'r Record,
}

/// What there is of a page before anything is run on it.
struct Material {
    /// The page, `None` where no row needs it, or why it cannot be opened.
    page: Result<Option<Page>, String>,
    /// The gold text, or why it is not known; `None` for a page without gold.
    gold: Option<Result<String, String>>,
    /// The gold text nodes, where they are known.
    nodes: Option<Selection>,
    unmatched: Vec<String>,
    /// The page's text nodes by role, where they are known.
    roles: Option<RoleCounter>,
    digests: Digests,
}

impl Material {
    /// Of a page that cannot be opened.
    fn of_failed(reason: String, gold: Option<Result<String, String>>, digests: Digests) -> Self {
        Material { page: Err(reason), gold, nodes: None, unmatched: Vec::new(), roles: None, digests }
    }
}

impl Unit<'_> {
    /// The dataset's place in the plan.
    pub fn place(&self) -> usize {
        self.place
    }

    /// The dataset, and the page's record in it.
    pub fn page(&self) -> (&Dataset, &Record) {
        (self.dataset, self.record)
    }

    /// Runs the page. If it cannot be read it fails; if an algorithm panics on it, its rows do; the
    /// others go on.
    pub fn run(&self) -> (PageOutcome, Texts) {
        guarded(|| self.run_material(self.material())).unwrap_or_else(|reason| {
            let gold = self.record.gold.as_ref().map(|_| Err(reason.clone()));
            let digests = digests(self.dataset, self.record);
            self.run_material(Material::of_failed(reason, gold, digests))
        })
    }

    fn material(&self) -> Material {
        let Unit { dataset, record, .. } = self;
        let opened = guarded(|| {
            if !self.plan.needs_pages() && !record.needs_page_for_gold() {
                let (gold, digests) = dataset.open_gold(record)?;
                return Ok(Material {
                    page: Ok(None),
                    gold: gold.map(Ok),
                    nodes: None,
                    unmatched: Vec::new(),
                    roles: None,
                    digests,
                });
            }
            let Opened { page, gold, nodes, unmatched, roles, digests } = dataset.open(record)?;
            let roles = roles.and_then(|roles| RoleCounter::new(&page, &roles));
            Ok(Material { page: Ok(Some(page)), gold: gold.map(Ok), nodes, unmatched, roles, digests })
        });
        opened.and_then(|opened| opened).unwrap_or_else(|reason| {
            let gold = record.gold.as_ref().map(|_| dataset.gold_text(record).ok_or_else(|| reason.clone()));
            Material::of_failed(reason, gold, digests(dataset, record))
        })
    }

    fn run_material(&self, material: Material) -> (PageOutcome, Texts) {
        let Material { page, gold, nodes, unmatched, roles, digests } = material;
        let opened = page.as_ref().ok().and_then(Option::as_ref);
        let text = gold.as_ref().map(|gold| gold.as_deref().unwrap_or_default());
        let mut outcome = PageOutcome {
            digests,
            page: page.as_ref().map_err(String::clone).map(|_| PageFacts {
                facts: opened.map(|page| page.facts.clone()),
                sizes: sizes(opened, text),
                unmatched,
            }),
            rows: None,
            roles: None,
            agreement: None,
            sweeps: Vec::new(),
            work: Work::default(),
        };
        let mut texts = Texts::default();
        if self.plan.configuration.scores(self.record) {
            let segmenter = opened.map_or_else(Arc::default, |page| page.view::<PageSegmenter>());
            let nodes = opened.zip(nodes.as_ref());
            let target = Target::new(&self.plan.configuration, &segmenter.0, self.page(), text, nodes);
            outcome.roles = roles.as_ref().map(|roles| roles.page().clone());
            let mut scorer = Scorer { roles, ..Scorer::new(target) };
            let unknown = gold.as_ref().and_then(|gold| gold.as_ref().err());
            outcome.rows = Some(match unknown {
                None => self.rows(&page, text, &mut scorer),
                // Nothing can be held against a gold that is not known.
                Some(reason) => self.plan.rows.iter().map(|_| scorer.failed(reason.clone())).collect(),
            });
            texts.extractions = scorer.extractions.take().unwrap_or_default();
            let swept = |(place, sweep)| Some(score_samples(self.samples(place, sweep, opened?), opened?, &mut scorer));
            let swept: Vec<Result<Swept, String>> = self.plan.sweeps.iter().enumerate().filter_map(swept).collect();
            if let (Some(rows), Some(page), None) = (&mut outcome.rows, opened, unknown) {
                self.best_of_sweeps(&swept, page, rows, &mut texts, &scorer);
            }
            outcome.sweeps = swept.into_iter().map(|swept| swept.map(|swept| swept.steps)).collect();
            outcome.work = scorer.work;
        }
        if gold.is_none() && self.plan.compares_rows(self.place) {
            let segmenter = opened.map_or_else(Arc::default, |page| page.view::<PageSegmenter>());
            let Configuration { tokens, case, .. } = self.plan.configuration;
            let mut tokenizer = Tokenizer::new(tokens, case, &segmenter.0);
            let mut scorer = Scorer::new(Target::new(&self.plan.configuration, &segmenter.0, self.page(), None, None));
            let rows = self.rows(&page, None, &mut scorer);
            texts.extractions = scorer.extractions.take().unwrap_or_default();
            let agreement = PageAgreement::of(&self.plan.rows, &rows, &texts.extractions, &mut tokenizer);
            outcome.agreement = Some(agreement);
            outcome.work = scorer.work;
        }
        texts.gold = gold.and_then(Result::ok);
        (outcome, texts)
    }

    /// What the exact sweep at `place` samples on the page.
    fn samples(&self, place: usize, sweep: &ExactSweep, page: &Page) -> Result<Vec<Sample>, String> {
        match sweep.algorithm {
            Entry::Page(algorithm) => {
                guarded(|| algorithm.sweep(page, &sweep.setting, &sweep.parameter).unwrap_or_default())
            }
            Entry::Group(_) => self.groups.sweep(place, sweep, self.index, self.record, page),
        }
    }

    /// What each row comes to; without gold there are no bounds.
    fn rows(
        &self,
        page: &Result<Option<Page>, String>,
        gold: Option<&str>,
        scorer: &mut Scorer<'_>,
    ) -> Vec<RowOutcome> {
        let mut outcomes: Vec<RowOutcome> = self.plan.systems().map(|row| self.others(row, page, scorer)).collect();
        match page {
            Ok(Some(page)) => {
                let mut choices = self.choices(page);
                let learned = self.trained.choices(self.index, self.record, page);
                choices.extend(learned.iter().map(|learned| (learned.place, learned.choice.clone())));
                self.combine(page, &choices, &mut outcomes, scorer);
                let scored = if self.plan.scores_members() { outcomes.len() } else { self.plan.rows.len() };
                for (place, choice) in choices.into_iter().filter(|(place, _)| *place < scored) {
                    outcomes[place] = match choice {
                        Ok(choice) => scorer.score(choice, page),
                        Err(reason) => scorer.failed(reason),
                    };
                }
                for LearnedChoice { place, rules, .. } in learned {
                    if let RowOutcome::Scored(result) = &mut outcomes[place] {
                        result.rules = rules;
                    }
                }
                if let Some(gold) = gold {
                    self.bounds(page, gold, &mut outcomes, scorer);
                }
            }
            Err(reason) => {
                let on_page = outcomes.iter_mut().zip(self.plan.systems()).filter(|(_, row)| row.needs_page());
                on_page.for_each(|(outcome, _)| *outcome = scorer.failed(reason.clone()));
            }
            // With other programs' outputs alone.
            Ok(None) => {}
        }
        if self.plan.configuration.scores(self.record) {
            self.best_of_rows(&mut outcomes);
        }
        outcomes.truncate(self.plan.rows.len());
        outcomes
    }

    /// What the text of another program comes to on this page; other rows are not run by it.
    fn others(&self, row: &Row, page: &Result<Option<Page>, String>, scorer: &mut Scorer<'_>) -> RowOutcome {
        match self.extraction(row) {
            Extraction::Text(text) if self.plan.configuration.measure == Measure::Nodes => match page {
                Ok(Some(page)) => scorer.score(Choice::Text(text), page),
                Ok(None) => RowOutcome::NotRun,
                Err(reason) => scorer.failed(reason.clone()),
            },
            Extraction::Text(text) => RowOutcome::Scored(scorer.score_other(text, page.as_ref().ok())),
            Extraction::Failed(reason) => scorer.failed(reason),
            Extraction::TimedOut(reason) => RowOutcome::TimedOut(scorer.failure(reason)),
            Extraction::NotRun => RowOutcome::NotRun,
        }
    }

    /// What another program made of the page; nothing of it is there of a row of carat's own.
    fn extraction(&self, row: &Row) -> Extraction {
        match &row.system {
            System::External(external) => external.extraction(self.place, &self.record.id),
            System::Stored(stored) => {
                match stored.outputs[self.place].as_ref().and_then(|outputs| outputs.stored.text(&self.record.id)) {
                    None => Extraction::NotRun,
                    Some(Ok(text)) => Extraction::Text(text.to_owned()),
                    Some(Err(reason)) => Extraction::Failed(reason.to_owned()),
                }
            }
            System::Algorithm { .. } | System::Ensemble(_) | System::Learned(_) | System::Bound(_) => {
                Extraction::NotRun
            }
        }
    }

    /// What each system's algorithm chooses, with the system's place. Those of one page algorithm are chosen
    /// together, so that they share what was prepared. An algorithm that panics fails its own rows on
    /// this page, and no others.
    fn choices(&self, page: &Page) -> Vec<(usize, Result<Choice, String>)> {
        let mut choices = self.groups.choices(self.index, self.record, page);
        let mut families: BTreeMap<&str, Vec<(usize, &Setting)>> = BTreeMap::new();
        let systems: Vec<&Row> = self.plan.systems().collect();
        for (place, row) in systems.iter().enumerate() {
            match &row.system {
                System::Algorithm { algorithm: Entry::Page(_), setting } => {
                    families.entry(row.name()).or_default().push((place, setting));
                }
                System::Algorithm { algorithm: Entry::Group(_), .. } => {}
                System::Stored(_)
                | System::External(_)
                | System::Ensemble(_)
                | System::Learned(_)
                | System::Bound(_) => {}
            }
        }
        for rows in families.into_values() {
            let settings: Vec<&Setting> = rows.iter().map(|(_, setting)| *setting).collect();
            let Some(Entry::Page(algorithm)) = systems[rows[0].0].algorithm() else { continue };
            match guarded(|| algorithm.choose_all(page, &settings)) {
                Ok(chosen) => choices.extend(rows.iter().zip(chosen).map(|((place, _), choice)| (*place, Ok(choice)))),
                Err(reason) => choices.extend(rows.iter().map(|(place, _)| (*place, Err(reason.clone())))),
            }
        }
        choices
    }

    /// What the system at `place` chooses on `page`: this one, or what another has left of it.
    fn choice(&self, place: usize, page: &Page) -> Result<Choice, String> {
        let System::Algorithm { algorithm, setting } = &self.plan.system(place).system else {
            return Err("what another program made cannot be made again on another page".to_owned());
        };
        match algorithm {
            Entry::Page(algorithm) => guarded(|| algorithm.choose_all(page, &[setting]).remove(0)),
            Entry::Group(_) => self.groups.choice(place, self.index, self.record, page),
        }
    }
}

/// The digests of a page, also of one on which a reader panics.
pub(super) fn digests(dataset: &Dataset, record: &Record) -> Digests {
    guarded(|| dataset.digests(record)).unwrap_or_default()
}

/// The result of `work`, or what its panic says, as the reason of a failure.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|panic| format!("a defect of carat on this page: {}", panic_message(&*panic)))
}

/// The message of a caught panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

fn sizes(page: Option<&Page>, gold: Option<&str>) -> Sizes {
    let count = |page: &Page, chars: &dyn Fn(NodeId) -> u32| {
        page.view::<VisibleText>().body.map_or(0, |body| chars(body) as usize)
    };
    Sizes {
        text: page.map(|page| count(page, &|body| page.view::<VisibleText>().chars(&page.tree, body))),
        link: page.map(|page| count(page, &|body| Links::of(page, Anchor::Any).chars(&page.tree, body))),
        gold: gold.map(crate::text::chars),
    }
}

/// An exact sweep on one page.
struct Swept {
    steps: Vec<Step>,
    /// The first of its choices with the highest F1.
    best: Option<(RowResult, Choice)>,
}

fn score_samples(sampled: Result<Vec<Sample>, String>, page: &Page, scorer: &mut Scorer<'_>) -> Result<Swept, String> {
    let mut best: Option<(RowResult, Choice)> = None;
    let mut samples = Vec::new();
    for sample in sampled? {
        let RowOutcome::Scored(result) = scorer.score(sample.choice.clone(), page) else {
            return Err("there is too much text to align it with the page's".to_owned());
        };
        let score = result.counts.score();
        samples.push(Scored { at: sample.at, between: sample.between, score });
        if best.as_ref().is_none_or(|(best, _)| best.counts.score().f1 < score.f1) {
            best = Some((result, sample.choice));
        }
    }
    Ok(Swept { steps: steps(&samples), best })
}

/// Texts of one page are kept up to this many bytes: those of a huge page would fill the memory.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// Scores extractions from one page against its gold, each distinct one once; without gold they are only gathered.
struct Scorer<'p> {
    target: Target<'p>,
    chosen: FxHashMap<Choice, RowOutcome>,
    scored: FxHashMap<Arc<str>, Counts>,
    /// What counts text by role, where the page has roles.
    roles: Option<RoleCounter>,
    /// What texts of other programs hold of each role, by their digests.
    roles_of_texts: FxHashMap<Arc<str>, Option<Vec<Characters>>>,
    /// What rows extracted; `None` once they are through, for sweeps of a page have too many texts to keep.
    extractions: Option<BTreeMap<Arc<str>, String>>,
    kept_bytes: usize,
    work: Work,
}

impl<'p> Scorer<'p> {
    fn new(target: Target<'p>) -> Self {
        Scorer {
            target,
            chosen: FxHashMap::default(),
            scored: FxHashMap::default(),
            roles: None,
            roles_of_texts: FxHashMap::default(),
            extractions: Some(BTreeMap::new()),
            kept_bytes: 0,
            work: Work::default(),
        }
    }

    fn score(&mut self, choice: Choice, page: &Page) -> RowOutcome {
        if let Some(known) = self.chosen.get(&choice) {
            self.work.choices += 1;
            return known.clone();
        }
        self.work.renderings += 1;
        let text = choice.text(page);
        let outcome = if self.target.node_tokens().is_some() {
            self.score_nodes(&choice, text, page)
        } else {
            let roles = self.roles.as_ref().and_then(|roles| roles.of_choice(&choice, page));
            RowOutcome::Scored(RowResult { roles, ..self.score_text(text) })
        };
        self.chosen.insert(choice, outcome.clone());
        outcome
    }

    /// Scores a choice, whose text is `text`, by its text nodes: equal texts may be of different ones.
    fn score_nodes(&mut self, choice: &Choice, text: String, page: &Page) -> RowOutcome {
        self.work.choices += 1;
        let Ok(selection) = on_nodes(choice.clone(), page) else { return RowOutcome::NotRun };
        self.work.scorings += 1;
        let counts = self.target.node_counts(page, &selection);
        let digest: Arc<str> = sha256(text.as_bytes()).into();
        self.keep(&digest, text);
        let aligned = matches!(choice, Choice::Text(_));
        let roles = self.roles.as_ref().map(|roles| roles.of_selection(&selection));
        RowOutcome::Scored(RowResult { counts, text: digest, degraded: false, aligned, rules: None, roles })
    }

    /// Scores the text of another program.
    fn score_other(&mut self, text: String, page: Option<&Option<Page>>) -> RowResult {
        let (Some(roles), Some(Some(page))) = (&self.roles, page) else { return self.score_text(text) };
        let digest: Arc<str> = sha256(text.as_bytes()).into();
        let of_text = || roles.of_choice(&Choice::Text(text.clone()), page);
        let roles = self.roles_of_texts.entry(digest).or_insert_with(of_text).clone();
        RowResult { roles, ..self.score_text(text) }
    }

    fn score_text(&mut self, text: String) -> RowResult {
        self.work.choices += 1;
        let digest: Arc<str> = sha256(text.as_bytes()).into();
        let counts = match self.scored.entry(digest.clone()) {
            hash_map::Entry::Occupied(known) => *known.get(),
            hash_map::Entry::Vacant(new) => {
                self.work.scorings += 1;
                *new.insert(self.target.counts(&text))
            }
        };
        self.keep(&digest, text);
        RowResult { counts, text: digest, degraded: false, aligned: false, rules: None, roles: None }
    }

    /// Keeps the text of `digest`, unless it is known, or there is no room.
    fn keep(&mut self, digest: &Arc<str>, text: String) {
        if let Some(kept) = &mut self.extractions
            && self.kept_bytes + text.len() <= MAX_KEPT_BYTES
            && !kept.contains_key(digest)
        {
            self.kept_bytes += text.len();
            kept.insert(digest.clone(), text);
        }
    }

    /// A failure, which scores 0.
    fn failed(&self, reason: String) -> RowOutcome {
        RowOutcome::Failed(self.failure(reason))
    }

    fn failure(&self, reason: String) -> RowFailure {
        RowFailure { reason, counts: self.target.nothing() }
    }
}

impl RowOutcome {
    /// Counts and score: 0 where it failed, `None` where the page does not count in the row.
    pub fn score(&self) -> Option<(Counts, Score)> {
        match self {
            RowOutcome::Scored(result) => Some((result.counts, result.counts.score())),
            RowOutcome::Failed(failure) | RowOutcome::TimedOut(failure) => Some((failure.counts, Score::ZERO)),
            RowOutcome::NotRun => None,
        }
    }
}

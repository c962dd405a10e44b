//! Carries a plan out. The unit of work is one page with all its settings; inside it nothing is done
//! twice: the page is parsed once, equal choices are rendered once, equal texts scored once.

mod others;
mod scorer;
mod sweeps;
mod target;

use std::any::Any;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::others::Members;
use self::scorer::Scorer;
use self::sweeps::Swept;
use self::target::Target;
use super::agreement::PageAgreement;
use super::configuration::Configuration;
use super::doors::external::Extraction;
use super::groups::Groups;
use super::learned::wrapper::RulesUsed;
use super::learned::{LearnedChoice, Trained};
use super::plan::Plan;
use super::roles::{Characters, PageRoles, RoleCounter};
use super::rows::{Row, System};
use super::sweep::Step;
use crate::algorithms::Entry;
use crate::algorithms::algorithm::{Choice, Setting};
use crate::algorithms::features::links::{Anchor, Links};
use crate::algorithms::features::stopwords::PageSegmenter;
use crate::algorithms::features::visible::VisibleText;
use crate::datasets::STOPPED;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Digests, Opened};
use crate::page::selection::Selection;
use crate::page::tree::NodeId;
use crate::page::{Facts, Page};
use crate::scoring::{Counts, Measure, Score};
use crate::text::marks::Marks;
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
    /// For each exact sweep what it comes to here. Empty where the page failed or has no gold.
    pub sweeps: Vec<SweepOutcome>,
    /// What was saved on the way.
    pub work: Work,
    /// Rows, by their places, whose reply an earlier run's cache gave, and when their program was asked, in seconds from
    /// the beginning of 1970.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept_replies: BTreeMap<usize, u64>,
}

/// The page's curve of an exact sweep, or why its algorithm failed: then it is 0 everywhere. `None` where the page does not
/// count in the curve, for a member of the ensemble was not run on it.
pub type SweepOutcome = Option<Result<Vec<Step>, String>>;

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
    /// The page does not count in the row: a stored output lacks it, an external program was given up before it, a member
    /// of the ensemble was not run on it, there was no other page to learn from, or it is beyond the limits of a bound, or
    /// of the alignment that puts a text on nodes.
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
    /// What the tokens do not show of it.
    #[serde(default)]
    pub marks: Marks,
    /// Whether it is of an ensemble of which a member failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub degraded: bool,
    /// Whether it is a text of its own that an alignment put on text nodes, to be measured by them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aligned: bool,
    /// Whether the row's algorithm found no page of the dataset to hold it against, where it looked among all of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// What decided, where rules of sites did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesUsed>,
    /// What it holds of each role of the page, and behind them of the text of no role; absent where the page has no roles,
    /// and where it is a text of its own that is too long to be put on text nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<Characters>>,
}

impl RowResult {
    /// A text of this digest, of which nothing else is to be said.
    pub fn new(counts: Counts, text: Arc<str>, marks: Marks) -> Self {
        RowResult { counts, text, marks, degraded: false, aligned: false, alone: false, rules: None, roles: None }
    }
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
    pub is_done: &'w (dyn Fn(&Dataset, &Record) -> Result<bool, DatasetError> + Sync),
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
    execute_rest(plan, &Watch { is_done: &|_, _| Ok(false), is_stopped: &|| false }, unit)
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
        dataset.refuse_unread()?;
        let run = |index: usize| {
            let record = dataset.records.get(index)?;
            let lost_reply = OnceCell::new();
            unit(&Unit { plan, dataset, place, groups: &groups, trained: &trained, index, record: &record, lost_reply })
        };
        left.into_par_iter().try_for_each(run)?;
    }
    Ok(())
}

/// The places of the pages that are not done.
fn left_of(dataset: &Dataset, watch: &Watch<'_>) -> Result<Vec<usize>, DatasetError> {
    let is_left = |(index, record): (usize, Result<Arc<Record>, DatasetError>)| {
        go_on(watch.is_stopped)?;
        Ok((!(watch.is_done)(dataset, &*record?)?).then_some(index))
    };
    let left = dataset.records.par_iter().enumerate().map(is_left).filter_map(Result::transpose);
    let left = left.collect::<Result<_, _>>()?;
    dataset.refuse_unread().map(|()| left)
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
    /// Why a reply of an external program is not there any more.
    lost_reply: OnceCell<DatasetError>,
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

    /// Runs the page. If its bytes are no page it fails; if an algorithm panics on it, its rows do; the others go on.
    ///
    /// # Errors
    /// [`DatasetError`]: a file that could not be read, or a reply of an external program that is not there any more.
    /// Nothing is known of the page then.
    pub fn run(&self) -> Result<(PageOutcome, Texts), DatasetError> {
        let outcome = guarded(|| self.run_material(self.material())).unwrap_or_else(|reason| {
            let gold = self.record.gold.as_ref().map(|_| Err(reason.clone()));
            let digests = digests(self.dataset, self.record);
            self.run_material(Material::of_failed(reason, gold, digests))
        });
        self.dataset.refuse_unread()?;
        match self.lost_reply.get() {
            Some(fault) => Err(fault.clone()),
            None => Ok(outcome),
        }
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
            kept_replies: self.kept_replies(),
        };
        let mut texts = Texts::default();
        if self.plan.configuration.scores(self.record) {
            let segmenter = opened.map_or_else(Arc::default, |page| page.view::<PageSegmenter>());
            let nodes = opened.zip(nodes.as_ref());
            let target = Target::new(&self.plan.configuration, &segmenter.0, self.page(), text, nodes);
            outcome.roles = roles.as_ref().map(|roles| roles.page().clone());
            let mut scorer = Scorer::new(target, roles);
            let unknown = gold.as_ref().and_then(|gold| gold.as_ref().err());
            let (rows, members) = match unknown {
                None => self.rows(&page, text, &mut scorer),
                // Nothing can be held against a gold that is not known.
                Some(reason) => {
                    let failed = |_| scorer.failed(reason.clone());
                    (self.plan.rows.iter().map(failed).collect(), Members::default())
                }
            };
            let rows = outcome.rows.insert(rows);
            texts.extractions = scorer.take_extractions();
            let mut swept: Vec<Option<Result<Swept, String>>> = Vec::new();
            for (place, sweep) in self.plan.sweeps.iter().enumerate() {
                let Some(page) = opened else { break };
                swept.push(self.sweep((place, sweep), page, &members, &mut scorer));
            }
            if let (Some(page), None) = (opened, unknown) {
                self.best_of_sweeps(&swept, page, rows, &mut texts, &scorer);
            }
            let steps = |swept: Option<Result<Swept, String>>| Some(swept?.map(|swept| swept.steps));
            outcome.sweeps = swept.into_iter().map(steps).collect();
            outcome.work = scorer.work;
        }
        if gold.is_none() && self.plan.compares_rows(self.place) {
            let segmenter = opened.map_or_else(Arc::default, |page| page.view::<PageSegmenter>());
            let Configuration { tokens, case, .. } = self.plan.configuration;
            let mut tokenizer = Tokenizer::new(tokens, case, &segmenter.0);
            let target = Target::new(&self.plan.configuration, &segmenter.0, self.page(), None, None);
            let mut scorer = Scorer::new(target, None);
            let (rows, _) = self.rows(&page, None, &mut scorer);
            texts.extractions = scorer.take_extractions();
            let agreement = PageAgreement::of(&self.plan.rows, &rows, &texts.extractions, &mut tokenizer);
            outcome.agreement = Some(agreement);
            outcome.work = scorer.work;
        }
        texts.gold = gold.and_then(Result::ok);
        (outcome, texts)
    }

    /// What each row comes to, and what members of ensembles chose; without gold there are no bounds.
    fn rows(
        &self,
        page: &Result<Option<Page>, String>,
        gold: Option<&str>,
        scorer: &mut Scorer<'_>,
    ) -> (Vec<RowOutcome>, Members) {
        let mut members = Members::default();
        let mut outcomes: Vec<RowOutcome> = self.plan.systems().map(|row| self.others(row, page, scorer)).collect();
        match page {
            Ok(Some(page)) => {
                let mut choices = self.choices(page);
                let learned = self.trained.choices(self.index, self.record, page);
                choices.extend(learned.iter().map(|learned| (learned.place, learned.choice.clone())));
                members = self.members(page, &choices);
                self.combine(page, &members, &mut outcomes, scorer);
                let scored = if self.plan.scores_members() { outcomes.len() } else { self.plan.rows.len() };
                for (place, choice) in choices.into_iter().filter(|(place, _)| *place < scored) {
                    outcomes[place] = match choice {
                        Ok(choice) => scorer.score(&choice, page),
                        Err(reason) => scorer.failed(reason),
                    };
                }
                for place in self.groups.alone(self.index, self.record, page) {
                    if let RowOutcome::Scored(result) = &mut outcomes[place] {
                        result.alone = true;
                    }
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
        (outcomes, members)
    }

    /// What the text of another program comes to on this page; for rows of carat's own a mark that is overwritten.
    fn others(&self, row: &Row, page: &Result<Option<Page>, String>, scorer: &mut Scorer<'_>) -> RowOutcome {
        match self.extraction(row) {
            Extraction::Text(text) if self.plan.configuration.measure == Measure::Nodes => match page {
                Ok(Some(page)) => scorer.score(&Choice::Text(text), page),
                Ok(None) => RowOutcome::NotRun,
                Err(reason) => scorer.failed(reason.clone()),
            },
            Extraction::Text(text) => RowOutcome::Scored(scorer.score_other(text, page.as_ref().ok())),
            Extraction::Failed(reason) => scorer.failed(reason),
            Extraction::TimedOut(reason) => RowOutcome::TimedOut(scorer.failure(reason)),
            Extraction::NotRun => RowOutcome::NotRun,
        }
    }

    fn kept_replies(&self) -> BTreeMap<usize, u64> {
        let rows = self.plan.rows.iter().enumerate();
        let of_row = |(place, row): (usize, &Row)| match &row.system {
            System::External(external) => Some((place, external.kept_since(self.place, &self.record.id)?)),
            _ => None,
        };
        rows.filter_map(of_row).collect()
    }

    /// What another program made of the page; nothing of it is there of a row of carat's own.
    fn extraction(&self, row: &Row) -> Extraction {
        match &row.system {
            System::External(external) => {
                let extraction = external.extraction(self.place, &self.record.id);
                extraction.unwrap_or_else(|fault| {
                    let _ = self.lost_reply.set(fault);
                    Extraction::NotRun
                })
            }
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

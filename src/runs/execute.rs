//! Carries a plan out. The unit of work is one page with all its settings; inside it nothing is done
//! twice: the page is parsed once, equal choices are rendered once, equal texts scored once.

mod others;
mod ready;
mod scorer;
mod sweeps;
mod target;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use self::others::{MadeSoFar, Members, member};
use self::ready::Ready;
use self::scorer::{ByMeasure, Scorer};
use self::sweeps::Swept;
use self::target::{GoldDocument, GoldText, Target};
use super::agreement::PageAgreement;
use super::guarding::{IsStopped, digests, go_on, guarded};
use super::kind::{Extraction, OnPage, Others, RowExtraction};
use super::page_outcome::{PageFacts, PageOutcome, Sizes, Texts, Work};
use super::plan::Plan;
use super::roles::RoleCounter;
use super::row_outcome::{RowOutcome, RowResult};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::links::{Anchor, Links};
use crate::algorithms::features::stopwords::PageSegmenter;
use crate::algorithms::features::visible::VisibleText;
use crate::datasets::check::tag_in_gold;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Digests, Halt, Opened};
use crate::formats::digest::sha256;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::page::tree::NodeId;
use crate::scoring::{Comparison, Measure};
use crate::text::tokens::{Token, Tokenizer};

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
pub fn execute<E: From<Halt> + Send>(plan: &Plan, unit: &(dyn Fn(&Unit<'_>) -> Result<(), E> + Sync)) -> Result<(), E> {
    execute_rest(plan, &Watch { is_done: &|_, _| Ok(false), is_stopped: &|| false }, unit)
}

/// The same with the pages that are not done. Of a dataset of which every page is done nothing is learned either.
///
/// # Errors
/// The first error of `unit`, that a page list cannot be read any more or was changed, or [`Halt::Stopped`] where it was
/// stopped before there was anything to run; pages that are under way are still finished.
pub fn execute_rest<E: From<Halt> + Send>(
    plan: &Plan,
    watch: &Watch<'_>,
    unit: &(dyn Fn(&Unit<'_>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    for (place, dataset) in plan.datasets.iter().enumerate() {
        let mut left = left_of(dataset, watch)?;
        if left.is_empty() {
            continue;
        }
        let ready = Ready::new(plan, dataset, watch.is_stopped)?;
        dataset.refuse_unread().map_err(Halt::from)?;
        let run = |index: usize| {
            let record = dataset.records.get(index).map_err(Halt::from)?;
            unit(&Unit { plan, dataset, place, ready: &ready, index, record: &record })
        };
        // One by one, so that threads stay near each other.
        match dataset.records.sort_for_reading(&mut left) {
            true => left.into_iter().par_bridge().try_for_each(run)?,
            false => left.into_par_iter().try_for_each(run)?,
        }
    }
    Ok(())
}

/// The places of the pages that are not done.
fn left_of(dataset: &Dataset, watch: &Watch<'_>) -> Result<Vec<usize>, Halt> {
    let is_left = |(index, record): (usize, Result<Arc<Record>, DatasetError>)| {
        go_on(watch.is_stopped)?;
        Ok::<_, Halt>((!(watch.is_done)(dataset, &*record?)?).then_some(index))
    };
    let left = dataset.records.par_iter().enumerate().map(is_left).filter_map(Result::transpose);
    let left = left.collect::<Result<_, _>>()?;
    dataset.refuse_unread()?;
    Ok(left)
}

/// One page with all that is needed to run it.
pub struct Unit<'r> {
    plan: &'r Plan,
    dataset: &'r Dataset,
    place: usize,
    ready: &'r Ready<'r>,
    /// The page's place in the dataset.
    index: usize,
    record: &'r Record,
}

/// What there is of a page before anything is run on it.
struct Material {
    /// The page, `None` where no row needs it, or why it cannot be opened.
    page: Result<Option<Page>, String>,
    /// Characters of its HTML, where it could be read.
    html: Option<usize>,
    /// The gold text, or why it is not known; `None` for a page without gold.
    gold: Option<Result<String, String>>,
    /// The gold text as it stands for the tokens of each measure of the run; empty where it cannot be read.
    as_it_stands: Vec<Option<String>>,
    /// The gold with its tables, code and formulas, where a measure of the run looks for them, or why it is not known.
    document: GoldDocument,
    /// The gold text nodes, where they are known.
    nodes: Option<Selection>,
    unmatched: Vec<String>,
    /// The page's text nodes by role, where they are known.
    roles: Option<RoleCounter>,
    digests: Digests,
}

impl Material {
    /// Of a page that cannot be opened.
    fn of_failed(
        reason: String,
        gold: Option<Result<String, String>>,
        as_it_stands: Vec<Option<String>>,
        document: GoldDocument,
        digests: Digests,
    ) -> Self {
        Material {
            page: Err(reason),
            html: None,
            gold,
            as_it_stands,
            document,
            nodes: None,
            unmatched: Vec::new(),
            roles: None,
            digests,
        }
    }
}

impl Unit<'_> {
    /// The dataset's place in the plan.
    pub fn place(&self) -> usize {
        self.place
    }

    /// The page's place in the dataset.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// The dataset, and the page's record in it.
    pub fn page(&self) -> (&Dataset, &Record) {
        (self.dataset, self.record)
    }

    /// Runs the page by the first measure of the plan.
    ///
    /// # Errors
    /// As [`Unit::run_by_each`].
    pub fn run(&self) -> Result<(PageOutcome, Texts), DatasetError> {
        let (mut outcomes, texts) = self.run_by_each()?;
        Ok((outcomes.swap_remove(0), texts))
    }

    /// Runs the page: its outcome by each measure of the plan, in order. If its bytes are no page it fails; if an algorithm
    /// panics on it, its rows do; the others go on.
    ///
    /// # Errors
    /// [`DatasetError`]: a file that could not be read, or a reply of an external program that is not there any more.
    /// Nothing is known of the page then.
    pub fn run_by_each(&self) -> Result<(Vec<PageOutcome>, Texts), DatasetError> {
        let outcome = guarded(|| self.run_material(self.material())).unwrap_or_else(|reason| {
            let gold = self.record.gold.as_ref().map(|_| Err(reason.clone()));
            self.run_material(self.failed(reason, gold))
        });
        self.dataset.refuse_unread()?;
        outcome
    }

    /// The gold text as it stands for the tokens of each measure.
    fn gold_as_it_stands(&self) -> Result<Vec<Option<String>>, String> {
        let rules = self.plan.configuration.comparisons();
        let of_rule = |rule: Comparison| self.dataset.gold_as_it_stands(self.record, rule);
        guarded(|| rules.map(of_rule).collect::<Result<Vec<_>, _>>()).and_then(|golds| golds)
    }

    /// True if a measure of the run looks for tables, code or formulas.
    fn reads_parts(&self) -> bool {
        self.plan.configuration.comparisons().any(|rule| rule.measure.structure().is_some())
    }

    /// The material of a page that cannot be opened for this reason: a gold that is no part of it is known all the same.
    fn failed(&self, reason: String, gold: Option<Result<String, String>>) -> Material {
        let Unit { dataset, record, .. } = self;
        let read = || if self.reads_parts() { dataset.gold_document(record, None) } else { Ok(None) };
        let document = guarded(read).and_then(|document| document).map_err(|_| reason.clone());
        let as_it_stands = self.gold_as_it_stands().unwrap_or_default();
        Material::of_failed(reason, gold, as_it_stands, document, digests(dataset, record))
    }

    fn material(&self) -> Material {
        let Unit { dataset, record, .. } = self;
        let opened = guarded(|| {
            let as_it_stands = self.gold_as_it_stands()?;
            let reads_parts = self.reads_parts();
            let document = |opened| if reads_parts { dataset.gold_document(record, opened) } else { Ok(None) };
            let needs_nodes = reads_parts && record.gold.as_ref().is_some_and(|gold| gold.form().is_none());
            if !self.plan.needs_pages() && !record.needs_page_for_gold() && !needs_nodes {
                let (gold, digests, html) = dataset.open_gold(record)?;
                return Ok(Material {
                    page: Ok(None),
                    html: Some(html),
                    gold: gold.map(Ok),
                    as_it_stands,
                    document: Ok(document(None)?),
                    nodes: None,
                    unmatched: Vec::new(),
                    roles: None,
                    digests,
                });
            }
            let Opened { page, gold, nodes, unmatched, roles, digests } = dataset.open(record)?;
            let roles = roles.and_then(|roles| RoleCounter::new(&page, &roles));
            let document = document(nodes.as_ref().map(|nodes| (&page.tree, nodes)))?;
            Ok(Material {
                html: Some(page.characters),
                page: Ok(Some(page)),
                gold: gold.map(Ok),
                as_it_stands,
                document: Ok(document),
                nodes,
                unmatched,
                roles,
                digests,
            })
        });
        opened.and_then(|opened| opened).unwrap_or_else(|reason| {
            let gold = record.gold.as_ref().map(|_| dataset.gold_text(record).ok_or_else(|| reason.clone()));
            self.failed(reason, gold)
        })
    }

    fn run_material(&self, material: Material) -> Result<(Vec<PageOutcome>, Texts), DatasetError> {
        let Material { page, html, gold, as_it_stands, document, nodes, unmatched, roles, digests } = material;
        let opened = page.as_ref().ok().and_then(Option::as_ref);
        let text = gold.as_ref().map(|gold| gold.as_deref().unwrap_or_default());
        let mut outcome = PageOutcome {
            digests,
            page: page.as_ref().map_err(String::clone).map(|_| PageFacts {
                facts: opened.map(|page| page.facts.clone()),
                sizes: Sizes { html, ..sizes(opened, text) },
                unmatched,
                gold_tags: opened.zip(text).is_some_and(|(page, gold)| tag_in_gold(gold, &page.tree).is_some()),
            }),
            rows: None,
            roles: None,
            agreement: None,
            sweeps: Vec::new(),
            work: Work::default(),
            kept_replies: self.kept_replies(),
        };
        let measures = self.plan.configuration.comparisons().count();
        let mut outcomes = Vec::new();
        let mut texts = Texts::default();
        if self.plan.configuration.scores(self.record) {
            let segmenter = opened.map_or_else(Arc::default, |page| page.view::<PageSegmenter>());
            let nodes = opened.zip(nodes.as_ref());
            let gold_text = text.map(|lines| GoldText { lines, as_it_stands: &as_it_stands });
            let target = Target::new(&self.plan.configuration, &segmenter.0, self.page(), gold_text, nodes, document);
            outcome.roles = roles.as_ref().map(|roles| roles.page().clone());
            let mut scorer = Scorer::new(target, (&self.plan.configuration, self.record), roles);
            let unknown = gold.as_ref().and_then(|gold| gold.as_ref().err());
            let (made, members) = match unknown {
                None => self.rows(&page, text, &mut scorer)?,
                // Nothing can be compared with a gold that is not known.
                Some(reason) => {
                    let failed = |_| scorer.failed(reason.clone());
                    (self.plan.rows.iter().map(failed).collect(), Members::default())
                }
            };
            texts.extractions = scorer.take_extractions();
            let mut swept: Vec<Option<Result<Swept, String>>> = Vec::new();
            for (place, sweep) in self.plan.sweeps.iter().enumerate() {
                let Some(page) = opened else { break };
                swept.push(self.sweep((place, sweep), page, &members, &mut scorer));
            }
            outcome.work = scorer.work;
            for measure in 0..measures {
                let mut rows: Vec<RowOutcome> = made.iter().map(|outcomes| outcomes[measure].clone()).collect();
                if unknown.is_none() {
                    self.best_of_rows(&mut rows);
                }
                rows.truncate(self.plan.rows.len());
                if let (Some(page), None) = (opened, unknown) {
                    self.best_of_sweeps((&swept, measure), page, &mut rows, &mut texts, &mut scorer);
                }
                let steps = |swept: &Option<Result<Swept, String>>| {
                    Some(swept.as_ref()?.as_ref().map(|swept| swept.steps(measure)).map_err(String::clone))
                };
                let sweeps = swept.iter().map(steps).collect();
                outcomes.push(PageOutcome { rows: Some(rows), sweeps, ..outcome.clone() });
            }
        }
        if gold.is_none() && self.plan.compares_rows(self.place) {
            let segmenter = opened.map_or_else(Arc::default, |page| page.view::<PageSegmenter>());
            let target = Target::new(&self.plan.configuration, &segmenter.0, self.page(), None, None, Ok(None));
            let mut scorer = Scorer::new(target, (&self.plan.configuration, self.record), None);
            let (made, _) = self.rows(&page, None, &mut scorer)?;
            texts.extractions = scorer.take_extractions();
            outcome.work = scorer.work;
            for (place, Comparison { tokens, case, .. }) in self.plan.configuration.comparisons().enumerate() {
                let rows = made[..self.plan.rows.len()].iter().map(|outcomes| outcomes[place].clone());
                let rows: Vec<RowOutcome> = rows.collect();
                let mut tokenizer = Tokenizer::new(tokens, case, &segmenter.0);
                let agreement = PageAgreement::of(&self.plan.rows, &rows, &texts.extractions, &mut tokenizer);
                outcomes.push(PageOutcome { agreement: Some(agreement), ..outcome.clone() });
            }
        }
        if outcomes.is_empty() {
            outcomes = vec![outcome; measures];
        }
        for (outcome, gold) in outcomes.iter_mut().zip(&as_it_stands) {
            outcome.digests.gold_as_it_stands = gold.as_ref().map(|gold| sha256(gold.as_bytes()));
        }
        texts.gold = gold.and_then(Result::ok);
        Ok((outcomes, texts))
    }

    /// The outcome of each system, by all measures, and what members of ensembles chose; without gold there are no bounds.
    fn rows(
        &self,
        page: &Result<Option<Page>, String>,
        gold: Option<&str>,
        scorer: &mut Scorer<'_>,
    ) -> Result<(Vec<ByMeasure>, Members), DatasetError> {
        let Unit { plan, .. } = self;
        let mut outcomes = vec![scorer.not_run(); plan.systems().count()];
        if let Err(reason) = page {
            let on_page = outcomes.iter_mut().zip(plan.systems()).filter(|(_, row)| row.system.needs_page());
            on_page.for_each(|(outcome, _)| *outcome = scorer.failed(reason.clone()));
        }
        let opened = page.as_ref().ok().and_then(Option::as_ref);
        let (combined, mut members) = (plan.combined(), Members::default());
        let scored = if plan.scores_members() { outcomes.len() } else { plan.rows.len() };
        for kind in &self.ready.kinds {
            let others = MadeSoFar { unit: self, members: &members };
            let extractions = kind.extract(&self.on_page(opened, gold, scorer.target.node_tokens(), &others))?;
            for made in extractions {
                let place = made.place;
                if let Some(page) = opened.filter(|_| combined.contains(&place)) {
                    members.extend(member(&made.extraction, page).map(|chosen| (place, chosen)));
                }
                if place < scored {
                    outcomes[place] = self.outcome(made, page, scorer);
                }
            }
        }
        Ok((outcomes, members))
    }

    /// The page as systems see it.
    fn on_page<'o>(
        &'o self,
        page: Option<&'o Page>,
        gold: Option<&'o str>,
        node_gold: Option<&'o [Token]>,
        others: &'o dyn Others,
    ) -> OnPage<'o> {
        OnPage { place: self.place, index: self.index, record: self.record, page, gold, node_gold, others }
    }

    /// What an extraction comes to.
    fn outcome(&self, made: RowExtraction, page: &Result<Option<Page>, String>, scorer: &mut Scorer<'_>) -> ByMeasure {
        let RowExtraction { extraction, alone, degraded, rules, .. } = made;
        let by_nodes = self.plan.configuration.comparison.measure == Measure::Nodes;
        let mut outcomes = match (extraction, page) {
            (Extraction::Chosen(choice), Ok(Some(page))) => scorer.score(&choice, page),
            (Extraction::Text(written), Ok(Some(page))) if by_nodes => scorer.score(&Choice::Text(written.text), page),
            (Extraction::Chosen(_), Ok(None)) => scorer.not_run(),
            (Extraction::Text(_), Ok(None)) if by_nodes => scorer.not_run(),
            (Extraction::Chosen(_), Err(reason)) => scorer.failed(reason.clone()),
            (Extraction::Text(_), Err(reason)) if by_nodes => scorer.failed(reason.clone()),
            (Extraction::Text(written), page) => scorer.score_other(written, page.as_ref().ok()),
            (Extraction::Failed(reason), _) => scorer.failed(reason),
            (Extraction::TimedOut(reason), _) => scorer.nothing(reason, RowOutcome::TimedOut),
            (Extraction::NotRun, _) => scorer.not_run(),
        };
        for outcome in &mut outcomes {
            if let RowOutcome::Scored(result) = outcome {
                (result.alone, result.degraded, result.rules) = (alone, degraded, rules.clone());
            }
        }
        outcomes
    }

    /// When the replies of rows were made that an earlier run kept, by their places.
    fn kept_replies(&self) -> BTreeMap<usize, u64> {
        let rows = self.plan.rows.iter().enumerate();
        rows.filter_map(|(row, of)| Some((row, of.system.kept_since(self.place, &self.record.id)?))).collect()
    }
}

fn sizes(page: Option<&Page>, gold: Option<&str>) -> Sizes {
    let count = |page: &Page, chars: &dyn Fn(NodeId) -> u32| {
        page.view::<VisibleText>().body.map_or(0, |body| chars(body) as usize)
    };
    Sizes {
        text: page.map(|page| count(page, &|body| page.view::<VisibleText>().chars(&page.tree, body))),
        link: page.map(|page| count(page, &|body| Links::of(page, Anchor::Any).chars(&page.tree, body))),
        gold: gold.map(crate::text::chars),
        html: None,
    }
}

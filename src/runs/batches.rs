//! Pages in batches: scored apart from each other, by other processes and on other machines, and put together later.
//!
//! A [`BatchPlan`] is the plan of a run without its pages. [`BatchPlan::score`] runs some pages and gives for each what a
//! table holds, and its *unit*: a checked record ([`crate::formats::record`]) of what the page list says of the page and
//! what it came to. All figures of a run follow from its units in the order of ids.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::agreement::{Extracted, PageAgreement};
use super::configuration::{Configuration, RequestError};
use super::doors::external::asking::{AskError, Asking};
use super::doors::external::cache::Cache;
use super::execute::{Unit, Watch, execute_rest};
use super::guarding::IsStopped;
use super::page_outcome::{PageOutcome, Texts, Work};
use super::plan::{Plan, PlanError};
use super::results::status_of;
use super::row_outcome::{RowOutcome, RowResult};
use super::system::{Row, Sees};
use crate::datasets::import::given::{Given, GivenPage, given, run_elsewhere};
use crate::datasets::manifest::{GoldSource, HtmlSource, Record};
use crate::datasets::{DatasetError, Digests, Halt};
use crate::formats::digest::{LinesDigest, sha256};
use crate::formats::files::FileError;
use crate::formats::record::{read_record, record};

/// The plan of a run whose pages come in batches.
pub struct BatchPlan {
    plan: Plan,
    /// The name of the dataset that the pages are of.
    dataset: String,
    /// The digest of the configuration and the program.
    digest: String,
    /// The name of a row that has to see all pages of a site, if there is one.
    needs_sites: Option<String>,
    with_texts: bool,
}

/// The reason for which a batch was not scored.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The request is wrong.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// It was stopped, or something cannot be read.
    #[error("interrupted")]
    Halted(Halt),
    /// A function cannot be asked.
    #[error(transparent)]
    Unasked(#[from] AskError),
}

impl From<Halt> for BatchError {
    fn from(halt: Halt) -> Self {
        BatchError::Halted(halt)
    }
}

impl From<DatasetError> for BatchError {
    fn from(fault: DatasetError) -> Self {
        BatchError::Halted(Halt::Fault(fault))
    }
}

impl From<FileError> for BatchError {
    fn from(error: FileError) -> Self {
        BatchError::Unasked(AskError::File(error))
    }
}

/// A page that was scored.
#[derive(Clone, Debug, Default)]
pub struct ScoredPage {
    /// The page but for its content; `None` where it is no page at all.
    pub record: Option<Record>,
    /// The reason for which the page failed as a whole.
    pub error: Option<String>,
    /// The digests of the page and its gold.
    pub digests: Option<Digests>,
    /// Each row, in the order of the plan.
    pub rows: Vec<ScoredRow>,
    /// The unit.
    pub unit: Option<Vec<u8>>,
}

/// A row on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoredRow {
    /// As `scores.csv` has it.
    pub status: &'static str,
    /// Matched, extracted, gold; of a page without gold only the second.
    pub counts: [Option<u64>; 3],
    /// SHA-256 of the extraction, in hexadecimal digits; empty where there is none.
    pub text: String,
    /// The reason for which it failed.
    pub reason: Option<String>,
}

/// A batch that was scored.
pub struct ScoredBatch {
    /// Its pages, in the order in which they were given.
    pub pages: Vec<ScoredPage>,
    /// Notes on functions that were asked, a line each.
    pub notes: Vec<String>,
}

/// The texts that the rows extract from a page, or why the page failed. A row that failed has a reason in place of its text.
pub type PageTexts = Result<Vec<Result<String, String>>, String>;

/// The conditions of a batch.
#[derive(Clone, Copy)]
struct Batch<'b> {
    /// True if every site is there with all of its pages.
    has_sites: bool,
    /// The pages of the dataset that it is of, and those with gold, as far as that matters.
    whole: [usize; 2],
    is_stopped: IsStopped<'b>,
}

impl BatchPlan {
    /// The plan of `configuration`, which names one dataset: any name. `program` is the digest of the program.
    ///
    /// # Errors
    /// [`PlanError`]: also a row that depends on other pages than those of a batch.
    pub fn new(configuration: Configuration, program: &str, with_texts: bool) -> Result<Self, PlanError> {
        let wrong = |message: String| PlanError::from(RequestError::Argument(message));
        let [named] = &configuration.datasets[..] else {
            return Err(wrong("the pages of a plan are of one dataset: give it one name".to_owned()));
        };
        if configuration.comparisons().count() > 1 {
            return Err(wrong("a plan scores by one measure: make one for each".to_owned()));
        }
        let dataset = named.name.clone();
        // With a gold, so that what measures need of it is known before any page is.
        let page = GivenPage { id: "page".to_owned(), gold: Some(String::new()), ..GivenPage::default() };
        let plan = Plan::of_dataset(configuration, given(&dataset, vec![page]).dataset)?;
        if let Some(told) = depends_on_others(&plan) {
            return Err(wrong(told));
        }
        let all = || plan.systems().chain(plan.sweeps.iter().map(|sweep| &sweep.row));
        let needs_sites = all().find(|row| row.system.sees() == Sees::Site).map(|row| row.name().to_owned());
        let mut lines = LinesDigest::default();
        lines.add(program);
        lines.add(&plan.configuration.to_yaml());
        lines.add(&format!("texts {with_texts}"));
        let digest = lines.finish();
        let plan = plan.over(given(&dataset, Vec::new()).dataset, None);
        Ok(BatchPlan { plan, dataset, digest, needs_sites, with_texts })
    }

    /// The names of the rows, as on the command line.
    pub fn labels(&self) -> Vec<String> {
        self.plan.rows.iter().map(Row::name_and_label).collect()
    }

    /// The digest of configuration and program.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The name of the dataset, as results have it.
    pub fn dataset(&self) -> &str {
        self.plan.datasets[0].name()
    }

    /// True if units hold the extracted texts.
    pub fn with_texts(&self) -> bool {
        self.with_texts
    }

    /// The plan over no page.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Scores pages on the current rayon pool. `has_gold` says whether the dataset has a gold for some of its pages, if not
    /// for these; `has_sites` that every site is there with all of its pages.
    ///
    /// # Errors
    /// [`BatchError`]; a page that cannot be run is no error.
    pub fn score(
        &self,
        pages: Vec<GivenPage>,
        (has_gold, has_sites): (bool, bool),
        is_stopped: IsStopped<'_>,
    ) -> Result<ScoredBatch, BatchError> {
        let batch = Batch { has_sites, whole: [2, usize::from(has_gold)], is_stopped };
        let (outcomes, notes) = self.run(pages, batch)?;
        let scored = |ran: Ran| match ran {
            Err(reason) => ScoredPage { error: Some(reason), ..ScoredPage::default() },
            Ok((record, outcome, texts)) => self.scored(record, outcome, texts),
        };
        Ok(ScoredBatch { pages: outcomes.into_iter().map(scored).collect(), notes })
    }

    /// The texts that each row extracts from each page, on the current rayon pool. No gold is read.
    ///
    /// # Errors
    /// [`BatchError`], also for rows that read gold.
    pub fn extract(&self, mut pages: Vec<GivenPage>, is_stopped: IsStopped<'_>) -> Result<Vec<PageTexts>, BatchError> {
        if let Some(row) = self.plan.rows.iter().find(|row| row.system.reads_gold().is_some()) {
            let message =
                format!("`{}` reads gold, so it extracts nothing where there is none: leave it out", row.name());
            return Err(RequestError::Argument(message).into());
        }
        // Every page is scored against an empty gold, which costs nothing, and its texts are kept.
        pages.iter_mut().for_each(|page| page.gold = Some(String::new()));
        let (outcomes, _) = self.run(pages, Batch { has_sites: false, whole: [2, 1], is_stopped })?;
        let texts = |ran: Ran| -> PageTexts {
            let (_, outcome, texts) = ran?;
            outcome.page?;
            let text = |row: RowOutcome| match row {
                RowOutcome::Scored(RowResult { text, .. }) => {
                    Ok(texts.extractions.get(&text).cloned().unwrap_or_default())
                }
                RowOutcome::Failed(failure) | RowOutcome::TimedOut(failure) => Err(failure.reason),
                other => Err(status_of(&other).to_owned()),
            };
            Ok(outcome.rows.unwrap_or_default().into_iter().map(text).collect())
        };
        Ok(outcomes.into_iter().map(texts).collect())
    }

    /// The outcome of each page, and notes on functions.
    fn run(&self, mut pages: Vec<GivenPage>, batch: Batch<'_>) -> Result<(Vec<Ran>, Vec<String>), BatchError> {
        if let (Some(row), false) = (&self.needs_sites, batch.has_sites) {
            let message =
                format!("`{row}` learns from all pages of a site, and a batch has only some of them: use score_groups");
            return Err(RequestError::Argument(message).into());
        }
        // A run takes pages in the order of their ids, and what learns from several of them may depend on it.
        let mut order: Vec<usize> = (0..pages.len()).collect();
        if batch.has_sites {
            order.sort_by(|&one, &other| pages[one].id.cmp(&pages[other].id));
        }
        let ordered = order.iter().map(|&place| std::mem::take(&mut pages[place])).collect();
        let Given { dataset, places } = given(&self.dataset, ordered);
        let mut plan = self.plan.over(dataset, Some(batch.whole));
        let cache = if plan.configuration.asks_others() { Some(Cache::temporary()?) } else { None };
        if let Some(cache) = &cache {
            plan.ask(&Asking { cache, is_stopped: &|| (batch.is_stopped)(), page_done: &|| () })?;
        }
        let outcomes: Mutex<Vec<Option<(PageOutcome, Texts)>>> = Mutex::new(vec![None; plan.pages()]);
        let keep = |unit: &Unit<'_>| -> Result<(), Halt> {
            if (batch.is_stopped)() {
                return Err(Halt::Stopped);
            }
            let ran = unit.run()?;
            outcomes.lock().unwrap_or_else(PoisonError::into_inner)[unit.index()] = Some(ran);
            Ok(())
        };
        execute_rest(&plan, &Watch { is_done: &|_, _| Ok(false), is_stopped: batch.is_stopped }, &keep)?;
        let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let records = &plan.datasets[0].records;
        let mut ran: Vec<Option<Ran>> = vec![None; places.len()];
        for (place, at) in places.into_iter().zip(order) {
            ran[at] = Some(match place {
                Err(reason) => Err(reason),
                Ok(index) => {
                    let (outcome, texts) = outcomes[index]
                        .take()
                        .ok_or("the page was not run")
                        .map_err(|message| RequestError::Argument(message.to_owned()))?;
                    Ok((without_content(&*records.get(index)?), outcome, texts))
                }
            });
        }
        Ok((ran.into_iter().flatten().collect(), plan.notes))
    }

    fn scored(&self, record: Record, outcome: PageOutcome, texts: Texts) -> ScoredPage {
        let rows = match (&outcome.rows, &outcome.agreement) {
            (Some(rows), _) => rows.iter().map(row_of).collect(),
            (None, Some(agreement)) => compared_rows(agreement),
            (None, None) => Vec::new(),
        };
        let error = outcome.page.as_ref().err().cloned();
        let digests = outcome.digests.clone();
        let texts = self.with_texts.then_some(texts);
        let packed = PageUnit { plan: self.digest.clone(), record, outcome, texts };
        let unit = serde_json::to_vec(&packed).ok().and_then(|json| self::record(&json).ok());
        let error = error.or_else(|| unit.is_none().then(|| "its unit is too large to be kept".to_owned()));
        ScoredPage { record: Some(packed.record), error, digests: Some(digests), rows, unit }
    }
}

/// The outcome of a page, or the reason for which it is none.
type Ran = Result<(Record, PageOutcome, Texts), String>;

/// The reason for which a row of `plan` depends on more than the pages of a batch, in a sentence.
fn depends_on_others(plan: &Plan) -> Option<String> {
    let Configuration { stored, external, .. } = &plan.configuration;
    if let Some(stored) = stored.first() {
        return Some(format!("stored outputs are of whole datasets: score `{}` with carat.run", stored.name));
    }
    if let Some(program) = external.first() {
        let program = program.command_line();
        return Some(format!("a program is given up after failures on pages before: ask `{program}` with carat.run"));
    }
    for row in plan.systems().chain(plan.sweeps.iter().map(|sweep| &sweep.row)) {
        let name = row.name();
        if row.system.learns() || !row.system.trained_on().is_empty() || !row.system.rules().is_empty() {
            return Some(format!("`{name}` learns from gold of whole datasets: run it with carat.run"));
        }
        if row.system.sees() == Sees::Dataset {
            let values = row.system.values();
            let key = ["scope", "group"].into_iter().find(|key| values.contains_key(*key));
            let way = key.map_or("leave it out".to_owned(), |key| format!("give it {key}=site"));
            return Some(format!(
                "`{name}` learns from all pages of a dataset, and a batch has only some of them: {way}, or run it with \
                 carat.run"
            ));
        }
    }
    None
}

/// The record of a page that was run, without its content; that it has gold stays.
fn without_content(record: &Record) -> Record {
    Record {
        html: HtmlSource::default(),
        gold: record.gold.as_ref().map(|_| GoldSource::of_text(String::new())),
        ..record.clone()
    }
}

fn row_of(outcome: &RowOutcome) -> ScoredRow {
    let counts = outcome.score().map(|(counts, _)| counts);
    let (text, reason) = match outcome {
        RowOutcome::Scored(result) => (result.text.to_string(), None),
        RowOutcome::Failed(failure) | RowOutcome::TimedOut(failure) => (String::new(), Some(failure.reason.clone())),
        RowOutcome::Unfit(reason) => (String::new(), Some(reason.clone())),
        RowOutcome::NotRun | RowOutcome::Without => (String::new(), None),
    };
    let counts = counts.map_or([None; 3], |counts| [counts.matched, counts.extracted, counts.gold].map(Some));
    ScoredRow { status: status_of(outcome), counts, text, reason }
}

/// The rows of a page without gold, which are compared with each other.
fn compared_rows(agreement: &PageAgreement) -> Vec<ScoredRow> {
    let row = |row: &Extracted| {
        let of =
            |status, reason: Option<&String>| ScoredRow { status, reason: reason.cloned(), ..ScoredRow::default() };
        match row {
            Extracted::Text(text) => {
                let (digest, extracted) = &agreement.texts[*text];
                ScoredRow { counts: [None, Some(*extracted), None], text: digest.to_string(), ..of("ok", None) }
            }
            Extracted::Failed(reason) => of("failed", Some(reason)),
            Extracted::TimedOut(reason) => of("timed_out", Some(reason)),
            Extracted::NotRun => of("not_run", None),
        }
    };
    agreement.rows.iter().map(row).collect()
}

/// A page that was run elsewhere.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PageUnit {
    /// [`BatchPlan::digest`].
    plan: String,
    pub(crate) record: Record,
    pub(crate) outcome: PageOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) texts: Option<Texts>,
}

impl PageUnit {
    /// The unit in these bytes, which was made by `plan`.
    ///
    /// # Errors
    /// A sentence: the bytes are damaged, or of another plan.
    pub(crate) fn read(mut bytes: &[u8], plan: &BatchPlan) -> Result<Self, String> {
        let content = read_record(&mut bytes).map_err(|_| "a unit is not as it was made".to_owned())?;
        let unit: PageUnit =
            serde_json::from_slice(&content).map_err(|_| "a unit was made by another version of carat".to_owned())?;
        if unit.plan != plan.digest {
            return Err(format!(
                "page `{}` was scored by another plan, or by another build of carat, than the one it is put together by",
                unit.record.id
            ));
        }
        Ok(unit)
    }

    /// SHA-256 of all that is equal where the page was run twice: not of the work that was saved on the way.
    fn digest(&self) -> String {
        let outcome = PageOutcome { work: Work::default(), ..self.outcome.clone() };
        let json = serde_json::json!([self.record, outcome, self.texts]);
        sha256(json.to_string().as_bytes())
    }
}

/// The pages of a run that were run elsewhere, in the order of their ids.
#[derive(Default)]
pub(crate) struct Elsewhere {
    pages: BTreeMap<String, Known>,
    /// Pages that came again, and were the same.
    pub(crate) doubles: usize,
}

struct Known {
    record: Record,
    digests: Digests,
    /// [`PageUnit::digest`].
    unit: String,
    /// True if rows were compared with each other on it.
    is_compared: bool,
}

impl Elsewhere {
    /// Adds a page. Gives true if it is new.
    ///
    /// # Errors
    /// A sentence: it came before, and was another.
    pub(crate) fn add(&mut self, unit: &PageUnit) -> Result<bool, String> {
        let digest = unit.digest();
        let id = &unit.record.id;
        match self.pages.get(id) {
            Some(known) if known.unit == digest => {
                self.doubles += 1;
                Ok(false)
            }
            Some(known) => {
                let same = known.digests == unit.outcome.digests;
                let what =
                    if same { "its outcomes are not the same" } else { "its bytes or its gold are not the same" };
                Err(format!("page `{id}` came twice, and {what}"))
            }
            None => {
                let is_compared = unit.outcome.agreement.is_some();
                let (record, digests) = (unit.record.clone(), unit.outcome.digests.clone());
                self.pages.insert(id.clone(), Known { record, digests, unit: digest, is_compared });
                Ok(true)
            }
        }
    }

    /// The plan over all pages.
    ///
    /// # Errors
    /// A sentence: there is no page, or pages were scored as those of a dataset with gold, and none has any.
    pub(crate) fn plan(&self, plan: &BatchPlan) -> Result<Plan, String> {
        let records: Vec<Record> = self.pages.values().map(|page| page.record.clone()).collect();
        if records.is_empty() {
            return Err("there is no page".to_owned());
        }
        let digests = self.pages.values().map(|page| &page.digests);
        let whole = plan.plan.over(run_elsewhere(&plan.dataset, records, digests), None);
        let compares = whole.compares_rows(0);
        let is_other = |page: &&Known| page.record.gold.is_none() && page.is_compared != compares;
        match self.pages.values().find(is_other) {
            None => Ok(whole),
            Some(page) => Err(format!(
                "page `{}` was scored as one of a dataset in which other pages have gold, or as one of a dataset in which \
                 none has, and it is not: give all batches the column gold, or none",
                page.record.id
            )),
        }
    }
}

/// Counts and scores of pages of one site under one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteSums {
    /// Pages that count.
    pub pages: u64,
    /// Matched, extracted, gold.
    pub counts: [i128; 3],
    /// Precision, recall and F1, in units of 1e-12.
    pub scores: [i128; 3],
}

/// Sums of units by row and site: parts of a run add theirs up to those of the whole.
#[derive(Default)]
pub struct Summing(BTreeMap<(usize, String), SiteSums>);

impl Summing {
    /// Adds a page that was scored by `plan`; one without gold counts in no row.
    ///
    /// # Errors
    /// As [`BatchPlan::score`] leaves it: a sentence, if the unit is damaged or of another plan.
    pub fn add(&mut self, unit: &[u8], plan: &BatchPlan) -> Result<(), String> {
        let unit = PageUnit::read(unit, plan)?;
        for (row, outcome) in unit.outcome.rows.iter().flatten().enumerate() {
            let Some((counts, score)) = outcome.score() else { continue };
            let sums = self.0.entry((row, unit.record.site_or_id().to_owned())).or_default();
            sums.pages += 1;
            for (sum, value) in sums.counts.iter_mut().zip([counts.matched, counts.extracted, counts.gold]) {
                *sum += i128::from(value);
            }
            for (sum, value) in sums.scores.iter_mut().zip(score.values()) {
                *sum += i128::from(value);
            }
        }
        Ok(())
    }

    /// The sums: row, site, and what they came to.
    pub fn finish(self) -> impl Iterator<Item = (usize, String, SiteSums)> {
        self.0.into_iter().map(|((row, site), sums)| (row, site, sums))
    }
}

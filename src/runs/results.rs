//! Results: a run's units read page by page into its tables and figures. Nothing here depends on when
//! and in which order the units were made.

mod tables;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::tables::{Disputes, PAGE_COLUMNS, RoleLines, Table, page_fields};
pub(crate) use self::told::InAll;
use self::told::Telling;
use super::agreement::Extracted;
use super::doubtful::Doubtful;
use super::folder_error::FolderError;
use super::line_sum::LineSum;
use super::page_outcome::{PageOutcome, Work};
use super::plan::Plan;
use super::roles::PageRoles;
use super::row_outcome::{Characters, RowOutcome, RowResult};
use super::rule_tally::RuleTally;
use super::score_table::{ScoreFiles, ScoreRow, ScoreTable};
use super::summary::{Summariser, Summary, SweepCurve};
use super::system::Row;
use super::units::Units;
use crate::datasets::Dataset;
use crate::datasets::manifest::Record;
use crate::datasets::records::Records;
use crate::formats::digest::LinesDigest;
use crate::formats::files::FileError;
use crate::text::counted;
use crate::text::marks::Marks;

/// Rows of pages that are held in memory at a time.
const CELLS_AT_A_TIME: usize = 1 << 18;

/// What a run came to.
pub struct Results {
    /// Every row's figures.
    pub summary: Summary,
    /// The exact sweeps.
    pub curves: Vec<SweepCurve>,
    /// Over every page's and row's counts and text: equal on any machine and number of threads.
    pub digest: String,
    /// The sum over the same lines.
    pub(crate) line_sum: LineSum,
    /// Failures: the first 1 000.
    pub failures: Vec<Failure>,
    /// Things that importers skipped and why, selectors of gold that matched nothing, and rules of sites that are of no use:
    /// the first 1 000.
    pub notes: Vec<String>,
    /// The number of failures and notes, if that is more.
    pub(crate) in_all: Option<InAll>,
    /// What was asked for and what was done.
    pub work: Work,
}

/// A page that failed, or an algorithm on it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The dataset's name.
    pub dataset: String,
    /// The page's id.
    pub page: String,
    /// The algorithm that failed on it; absent where the page itself did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Why, in one sentence.
    pub reason: String,
    /// The settings of the algorithm that failed for this reason, where others did not, with `; ` between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

impl Failure {
    /// True if it is the reason for which the row of `algorithm` with the parameters `label` failed on a page.
    pub fn is_of(&self, (dataset, page): (&str, &str), algorithm: &str, label: &str) -> bool {
        (self.dataset.as_str(), self.page.as_str()) == (dataset, page)
            && self.algorithm.as_deref().is_none_or(|own| own == algorithm)
            && self.settings.as_ref().is_none_or(|settings| settings.split("; ").any(|setting| setting == label))
    }
}

/// The file of all failures, where `run.json` does not tell all of them.
pub(super) const FAILURES: &str = "failures.csv";

/// The file of all notes, likewise.
pub(super) const NOTES: &str = "notes.csv";

/// Reads the units of `plan`'s run, writes `scores.csv` and `pages.csv` into `folder`, and adds
/// everything up. Memory does not grow with the pages, but with rows times sites.
///
/// # Errors
/// [`FolderError`]: a unit that is missing or damaged, or a file that cannot be written.
pub fn collect(plan: &Plan, units: &Units, folder: &Path) -> Result<Results, FolderError> {
    collect_into(plan, units, (folder, ScoreFiles::default()))
}

/// The same with the scores of pages in other files.
///
/// # Errors
/// As [`collect`].
pub(crate) fn collect_into(
    plan: &Plan,
    units: &Units,
    (folder, files): (&Path, ScoreFiles),
) -> Result<Results, FolderError> {
    let mut summariser = Summariser::new(plan);
    let mut scores = Scores::new(folder, files)?;
    let mut pages = Table::new(&folder.join("pages.csv"), &PAGE_COLUMNS)?;
    let mut disputes = Disputes::new(plan, folder)?;
    let mut roles = RoleLines::new(plan, folder);
    let (lines, mut digest, mut sum) = (Lines::new(plan), Some(ResultDigest::default()), LineSum::default());
    let mut failures = Telling::new(folder.join(FAILURES), &FAILURE_COLUMNS, failure_fields)?;
    let mut notes = Telling::new(folder.join(NOTES), &["note"], |note: &String| vec![note.clone()])?;
    notes.extend(plan.notes.iter().cloned())?;
    let (mut failed_pages, mut work) = (0, Work::default());
    let rows: Vec<(&Row, String)> = plan.rows.iter().map(|row| (row, row.label())).collect();
    let mut tallies: Vec<Option<RuleTally>> = plan.rows.iter().map(rule_tally).collect();
    let mut unfit = Unfit::default();
    for (place, dataset) in plan.datasets.iter().enumerate() {
        let of_importer = dataset.notes.iter().map(|note| format!("{}: {note}", dataset.name()));
        notes.extend(of_importer)?;
        notes.extend(plan.notes_on(place))?;
        let mut doubtful = Doubtful::default();
        for_each(units, rows.len(), dataset, &dataset.records, |record, outcome| {
            summariser.add(place, record, outcome)?;
            let of_page = lines.of(place, record, outcome);
            of_page.iter().for_each(|line| sum.add(line));
            digest = digest.take().filter(|digest| digest.is_next(dataset.name(), record));
            if let Some(digest) = &mut digest {
                digest.add(dataset.name(), record, &of_page);
            }
            let scored = outcome.rows.iter().flatten().zip(&rows).filter(|(_, (row, _))| row.system.is_of(place));
            for (outcome, (row, label)) in scored {
                let [site, language, kind] =
                    [&record.site, &record.language, &record.kind].map(|field| field.as_deref().unwrap_or_default());
                scores.add([dataset.name(), &record.id, site, language, kind, row.name(), label], outcome)?;
            }
            disputes.add(place, record, outcome)?;
            roles.add(place, record, outcome)?;
            tally_rules(&mut tallies, outcome);
            doubtful.add(&record.id, outcome);
            unfit.add(dataset, record, outcome);
            pages.add(page_fields(dataset, record, outcome))?;
            let of_page = failures_of(plan, dataset, record, outcome);
            failed_pages += usize::from(!of_page.is_empty());
            failures.extend(of_page)?;
            let unmatched = outcome.page.iter().flat_map(|page| &page.unmatched);
            let (name, id) = (dataset.name(), &record.id);
            notes.extend(unmatched.map(|one| format!("{name} {id}: the gold's selector `{one}` matches nothing")))?;
            work = work + outcome.work;
            Ok(())
        })?;
        notes.extend(doubtful.notes(dataset.name()))?;
    }
    notes.extend(tallies.iter().flatten().flat_map(RuleTally::warnings))?;
    notes.extend(unfit.notes(&rows))?;
    scores.finish()?;
    pages.finish()?;
    disputes.finish()?;
    roles.finish()?;
    let (summary, curves) = summariser.finish()?;
    let digest = digest.map_or_else(|| sorted_digest(&lines, units), Ok)?.lines.finish();
    let (failures, notes) = (failures.finish()?, notes.finish()?);
    Ok(Results {
        summary,
        curves,
        digest: format!("sha256:{digest}"),
        line_sum: sum,
        in_all: InAll::of(&failures, failed_pages, &notes),
        failures: failures.first,
        notes: notes.first,
        work,
    })
}

/// The columns of `failures.csv`.
const FAILURE_COLUMNS: [&str; 5] = ["dataset", "page", "algorithm", "reason", "settings"];

fn failure_fields(failure: &Failure) -> Vec<String> {
    let Failure { dataset, page, algorithm, reason, settings } = failure.clone();
    vec![dataset, page, algorithm.unwrap_or_default(), reason, settings.unwrap_or_default()]
}

/// Pages of which the measure could not be taken: by dataset, place of the row and reason the first page and their number.
#[derive(Default)]
struct Unfit(BTreeMap<(String, usize, String), (String, usize)>);

impl Unfit {
    fn add(&mut self, dataset: &Dataset, record: &Record, outcome: &PageOutcome) {
        for (place, outcome) in outcome.rows.iter().flatten().enumerate() {
            let RowOutcome::Unfit(reason) = outcome else { continue };
            let key = (dataset.name().to_owned(), place, reason.clone());
            self.0.entry(key).or_insert_with(|| (record.id.clone(), 0)).1 += 1;
        }
    }

    /// A sentence for each row and reason.
    fn notes(&self, rows: &[(&Row, String)]) -> impl Iterator<Item = String> {
        self.0.iter().map(|((dataset, place, reason), (first, count))| {
            let pages = counted(*count, "page");
            format!("{dataset}: {} does not count on {pages}, first {first}: {reason}", rows[*place].0.name_and_label())
        })
    }
}

fn rule_tally(row: &Row) -> Option<RuleTally> {
    let rules = row.system.rules();
    (!rules.is_empty()).then(|| RuleTally::new(rules))
}

/// Adds what rules came to on a page.
fn tally_rules(tallies: &mut [Option<RuleTally>], outcome: &PageOutcome) {
    for (row, tally) in outcome.rows.iter().flatten().zip(tallies) {
        if let (RowOutcome::Scored(RowResult { rules: Some(used), .. }), Some(tally)) = (row, tally) {
            tally.add(used);
        }
    }
}

/// Reads the units of `records`, each of so many rows, several at a time, and hands them to `take` in this order.
pub(super) fn for_each(
    units: &Units,
    rows: usize,
    dataset: &Dataset,
    records: &Records,
    mut take: impl FnMut(&Record, &PageOutcome) -> Result<(), FolderError>,
) -> Result<(), FolderError> {
    let at_a_time = (CELLS_AT_A_TIME / rows.max(1)).clamp(1, 256);
    let read = |record: &Record| units.read(dataset, record);
    records.for_each_made(at_a_time, read, |record, outcome| take(record, &outcome))
}

/// The lines of the result digest: `dataset TAB page TAB row TAB status TAB matched TAB extracted TAB gold TAB text-digest`.
struct Lines<'p> {
    plan: &'p Plan,
    /// The places of the rows and their names, sorted by name.
    rows: Vec<(usize, String)>,
}

impl<'p> Lines<'p> {
    fn new(plan: &'p Plan) -> Self {
        let name = |(place, row): (usize, &Row)| (place, format!("{}:{}", row.name(), row.label()));
        let mut rows: Vec<(usize, String)> = plan.rows.iter().enumerate().map(name).collect();
        rows.sort_unstable_by(|a, b| a.1.cmp(&b.1));
        Lines { plan, rows }
    }

    /// Those of a page, sorted.
    fn of(&self, place: usize, record: &Record, outcome: &PageOutcome) -> Vec<String> {
        let name = self.plan.datasets[place].name();
        let Some(outcomes) = &outcome.rows else { return self.of_compared(place, record, outcome) };
        let rows = self.rows.iter().filter(|(number, _)| self.plan.rows[*number].system.is_of(place));
        let line = |(number, row): &(usize, String)| {
            let cell = Cell::new(&outcomes[*number]);
            let [matched, extracted, gold] = cell.counts.each_ref().map(|count| or_dash(count));
            let text = or_dash(cell.text);
            let counted = [name, &record.id, row, cell.status, matched, extracted, gold, text];
            // Only of pages that have them, behind the fields of every page: other runs keep their digest.
            let roles = outcome.roles.as_ref().map(|page| roles_field(page, &outcomes[*number]));
            counted.into_iter().chain(roles.as_deref()).collect::<Vec<_>>().join("\t")
        };
        rows.map(line).collect()
    }

    /// Those of a page on which rows are compared with each other: there is no gold, and nothing is matched with it.
    fn of_compared(&self, place: usize, record: &Record, outcome: &PageOutcome) -> Vec<String> {
        let Some(agreement) = &outcome.agreement else { return Vec::new() };
        let name = self.plan.datasets[place].name();
        let rows = self.rows.iter().filter(|(number, _)| self.plan.rows[*number].system.is_of(place));
        let line = |(number, row): &(usize, String)| {
            let (status, extracted, text) = match &agreement.rows[*number] {
                Extracted::Text(text) => ("ok", agreement.texts[*text].1.to_string(), &*agreement.texts[*text].0),
                Extracted::Failed(_) => ("failed", String::new(), ""),
                Extracted::TimedOut(_) => ("timed_out", String::new(), ""),
                Extracted::NotRun => ("not_run", String::new(), ""),
            };
            let (extracted, text) = (or_dash(&extracted), or_dash(text));
            [name, &record.id, row, status, "-", extracted, "-", text].join("\t")
        };
        rows.map(line).collect()
    }
}

/// SHA-256 over the sorted [`Lines`] of all pages, each with a line feed. No field holds a tab or anything below it, so that
/// sorting datasets, pages and rows one within the other sorts the lines.
#[derive(Default)]
struct ResultDigest<'p> {
    lines: LinesDigest,
    /// The dataset and the page that were added last.
    last: (&'p str, String),
}

impl<'p> ResultDigest<'p> {
    /// True if a page of the dataset stands behind all that were added.
    fn is_next(&self, dataset: &str, record: &Record) -> bool {
        (self.last.0, self.last.1.as_str()) < (dataset, record.id.as_str())
    }

    /// Adds a page that is next.
    fn add(&mut self, dataset: &'p str, record: &Record, lines: &[String]) {
        self.last = (dataset, record.id.clone());
        lines.iter().for_each(|line| self.lines.add(line));
    }
}

/// The sum over the lines of the result digest of the pages of `plan`, which may be a part of a run. `look` sees every
/// outcome.
///
/// # Errors
/// [`FolderError`]: a unit that is missing or damaged.
pub(crate) fn line_sum(plan: &Plan, units: &Units, mut look: impl FnMut(&PageOutcome)) -> Result<LineSum, FolderError> {
    let (lines, mut sum) = (Lines::new(plan), LineSum::default());
    for (place, dataset) in plan.datasets.iter().enumerate() {
        for_each(units, plan.rows.len(), dataset, &dataset.records, |record, outcome| {
            look(outcome);
            lines.of(place, record, outcome).iter().for_each(|line| sum.add(line));
            Ok(())
        })?;
    }
    Ok(sum)
}

/// What a row holds of each role and of the text of no role, as `roles ALL/GOLD ALL/GOLD ..`.
fn roles_field(page: &PageRoles, outcome: &RowOutcome) -> String {
    let held = page.held(outcome).unwrap_or_default();
    let held = held.iter().map(|Characters { all, gold }| format!("{all}/{gold}"));
    std::iter::once("roles".to_owned()).chain(held).collect::<Vec<_>>().join(" ")
}

/// The digest of a run whose pages do not come in the order of their datasets' names and their ids.
fn sorted_digest<'p>(lines: &Lines<'p>, units: &Units) -> Result<ResultDigest<'p>, FolderError> {
    let plan = lines.plan;
    let mut digest = ResultDigest::default();
    let mut datasets: Vec<(usize, &Dataset)> = plan.datasets.iter().enumerate().collect();
    datasets.sort_unstable_by_key(|(_, dataset)| dataset.name());
    for (place, dataset) in datasets {
        for_each(units, plan.rows.len(), dataset, &dataset.records.sorted_by_id()?, |record, outcome| {
            digest.add(dataset.name(), record, &lines.of(place, record, outcome));
            Ok(())
        })?;
    }
    Ok(digest)
}

fn or_dash(field: &str) -> &str {
    if field.is_empty() { "-" } else { field }
}

/// Pages that failed as a whole, and algorithms that failed on a page, each once for each reason.
fn failures_of(plan: &Plan, dataset: &Dataset, record: &Record, outcome: &PageOutcome) -> Vec<Failure> {
    let failure = |algorithm: Option<&str>, reason: &str| Failure {
        dataset: dataset.name().to_owned(),
        page: record.id.clone(),
        algorithm: algorithm.map(str::to_owned),
        reason: reason.to_owned(),
        settings: None,
    };
    let mut failures: Vec<Failure> =
        outcome.page.as_ref().err().map(|reason| failure(None, reason)).into_iter().collect();
    let swept = plan.sweeps.iter().map(|sweep| &sweep.row).zip(&outcome.sweeps);
    let swept = swept.map(|(row, curve)| (row, curve.as_ref().and_then(|curve| curve.as_ref().err())));
    let rows = plan.rows.iter().zip(outcome.rows.iter().flatten()).map(|(row, outcome)| match outcome {
        RowOutcome::Failed(failed) | RowOutcome::TimedOut(failed) => (row, Some(&failed.reason)),
        _ => (row, None),
    });
    let compared = outcome.agreement.iter().flat_map(|agreement| plan.rows.iter().zip(&agreement.rows));
    let compared = compared.map(|(row, extracted)| match extracted {
        Extracted::Failed(reason) | Extracted::TimedOut(reason) => (row, Some(reason)),
        Extracted::Text(_) | Extracted::NotRun => (row, None),
    });
    // Where the page failed, all of its algorithms did, for that reason.
    let is_of_page = |reason: &String| outcome.page.as_ref().is_err_and(|of_page| of_page == reason);
    let asked: Vec<(&Row, Option<&String>)> = swept.chain(rows).chain(compared).collect();
    let failed = asked.iter().filter_map(|(row, reason)| Some((*row, (*reason)?))).filter(|(_, why)| !is_of_page(why));
    let failed: Vec<(&Row, &String)> = failed.collect();
    let mut seen = BTreeSet::new();
    for (row, reason) in failed.iter().filter(|(row, reason)| seen.insert((row.name(), *reason))) {
        let name = row.name();
        let is_alike = |(other, why): &&(&Row, &String)| other.name() == name && why == reason;
        let own: Vec<String> = failed.iter().filter(is_alike).map(|(row, _)| row.label()).collect();
        let all = asked.iter().filter(|(row, _)| row.name() == name).count();
        let settings = (own.len() < all).then(|| own.join("; "));
        failures.push(Failure { settings, ..failure(Some(name), reason) });
    }
    failures
}

/// The scores of pages while they are written: `scores.csv`, `scores.parquet` or both.
struct Scores {
    csv: Option<Table>,
    parquet: ScoreTable,
}

impl Scores {
    fn new(folder: &Path, files: ScoreFiles) -> Result<Self, FileError> {
        let csv = files.csv.then(|| Table::new(&folder.join("scores.csv"), &SCORE_COLUMNS)).transpose()?;
        Ok(Scores { csv, parquet: ScoreTable::new(folder, files)? })
    }

    /// Adds a row's outcome on a page; `named` are dataset, page, site, language, kind, algorithm and parameters.
    fn add(&mut self, named: [&str; 7], outcome: &RowOutcome) -> Result<(), FileError> {
        let cell = Cell::new(outcome);
        let [dataset, page, site, language, kind, algorithm, parameters] = named;
        let words = [dataset, page, site, language, kind, algorithm, parameters, cell.status];
        let marks = if let RowOutcome::Scored(result) = outcome { Some(result.marks) } else { None };
        self.parquet.add(&ScoreRow { words, score: outcome.score(), text: cell.text, marks })?;
        let Some(csv) = &mut self.csv else { return Ok(()) };
        let measured = cell.counts.iter().chain(&cell.scores).map(String::as_str);
        let of_text = [cell.status, cell.text].into_iter().chain(cell.marks.iter().map(String::as_str));
        csv.add(named.into_iter().chain(measured).chain(of_text))
    }

    fn finish(self) -> Result<(), FileError> {
        self.csv.map_or(Ok(()), Table::finish)?;
        self.parquet.finish()
    }
}

/// The status of a page on which a member of an ensemble failed.
pub const DEGRADED: &str = "degraded";

/// The status of a page on which neither text has a unit of the measure, and which scores 0 all the same.
pub const TOO_SHORT: &str = "too_short";

/// The status of a page that does not count, for neither the gold nor the extraction has what the measure looks for.
pub const WITHOUT: &str = "without";

/// The status of a page that does not count, for the measure cannot be taken of what was extracted.
pub const UNFIT: &str = "unfit";

/// Whether a page of this status has an extraction that is scored; others score 0, or are not run.
pub(super) fn is_scored(status: &str) -> bool {
    status == "ok" || status == DEGRADED
}

/// The columns of `scores.csv`.
const SCORE_COLUMNS: [&str; 18] = [
    "dataset", "page", "site", "language", "kind", "algorithm", "parameters", "matched", "extracted", "gold",
    "precision", "recall", "f1", "status", "text", "gaps", "unseen", "markup",
];

/// A row's result on a page, as text.
struct Cell<'p> {
    status: &'static str,
    /// `matched, extracted, gold`.
    counts: [String; 3],
    /// Precision, recall, F1.
    scores: [String; 3],
    text: &'p str,
    /// Gaps, unseen characters, markup of the text; empty where there is none.
    marks: [String; 3],
}

impl<'p> Cell<'p> {
    fn new(outcome: &'p RowOutcome) -> Self {
        let text = if let RowOutcome::Scored(result) = outcome { &*result.text } else { "" };
        let (counts, scores) = outcome.score().map_or_else(Default::default, |(counts, score)| {
            let counts = [counts.matched, counts.extracted, counts.gold].map(|count| count.to_string());
            (counts, score.values().map(six_digits))
        });
        let marks = match outcome {
            RowOutcome::Scored(RowResult { marks: Marks { gaps, unseen, markup }, .. }) => {
                [gaps, unseen, markup].map(u64::to_string)
            }
            _ => Default::default(),
        };
        Cell { status: status_of(outcome), counts, scores, text, marks }
    }
}

/// The status of a row on a page, as tables have it.
pub(super) fn status_of(outcome: &RowOutcome) -> &'static str {
    match outcome {
        RowOutcome::Scored(RowResult { scores_zero: true, .. }) => TOO_SHORT,
        RowOutcome::Scored(RowResult { degraded: true, .. }) => DEGRADED,
        RowOutcome::Scored(_) => "ok",
        RowOutcome::Failed(_) => "failed",
        RowOutcome::TimedOut(_) => "timed_out",
        RowOutcome::NotRun => "not_run",
        RowOutcome::Without => WITHOUT,
        RowOutcome::Unfit(_) => UNFIT,
    }
}

/// Units of 1e-12 as a decimal of 6 digits; integers, so that rounding is the same everywhere.
fn six_digits(value: u64) -> String {
    let rounded = (value + 500_000) / 1_000_000;
    format!("{}.{:06}", rounded / 1_000_000, rounded % 1_000_000)
}

//! A run's figures as they stand in `summary.json`: conditions, rows, exact sweeps.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::execute::PageOutcome;
use super::plan::{Plan, Row, label, text_of};
use super::sweep::{Piece, interval, mean_curve};
use crate::algorithms::Entry;
use crate::algorithms::parameters::ParameterKind;
use crate::datasets::{Dataset, site::SUFFIX_LIST};
use crate::page::primary_language;
use crate::statistics::{Aggregates, Observation, Triple, aggregate, macro_mean};
use crate::text::tokens::unicode_versions;
use crate::text::words::SEGMENTER;

/// The version of the run folder's files.
pub const SCHEMA: u32 = 1;

/// Everything of a run that does not depend on machine and time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The version of the run folder's files.
    pub schema: u32,
    /// The run's name.
    pub name: String,
    /// What must be equal for rows to be compared.
    pub conditions: Conditions,
    /// One a dataset, algorithm and setting.
    pub rows: Vec<SummaryRow>,
}

/// What moves a figure besides the system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Conditions {
    /// Each dataset.
    pub datasets: BTreeMap<String, DatasetConditions>,
    /// Filters on pages.
    #[serde(rename = "where")]
    pub filters: BTreeMap<String, String>,
    /// Faults whose pages were left out.
    pub without_faults: Vec<String>,
    /// What a token is.
    pub tokens: String,
    /// Whether case counts.
    pub case: String,
    /// How texts are compared.
    pub measure: String,
    /// The Unicode versions of each step.
    pub unicode: String,
    /// What cut Han runs into words.
    pub segmenter: String,
    /// What made sites of hosts.
    pub suffix_list: String,
}

/// A dataset's part of the conditions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DatasetConditions {
    /// Its version.
    pub version: String,
    /// Its digest over the pages that were run.
    pub digest: String,
    /// The pages that were run.
    pub pages: usize,
    /// Those of them without gold, which no row counts.
    pub without_gold: usize,
    /// Who made the gold: `human | assisted | tool | derived`, if it says.
    pub gold_nature: Option<String>,
}

/// A row of the result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SummaryRow {
    /// The dataset's name.
    pub dataset: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// Whether it is a floor.
    pub floor: bool,
    /// Every parameter, resolved.
    pub parameters: Map<String, Json>,
    /// The parameters that are not at their default.
    pub differs: Vec<String>,
    /// The parameters that the run varies.
    pub swept: Vec<String>,
    /// Pages that count.
    pub pages: usize,
    /// Those of them that failed: they score 0.
    pub failed: usize,
    /// Those of them that ran out of time.
    pub timed_out: usize,
    /// Pages left out, for a stored output lacks them.
    pub not_run: usize,
    /// Pages whose extraction is empty.
    pub empty: usize,
    /// Every aggregate over the pages.
    #[serde(flatten)]
    pub aggregates: Aggregates,
    /// Macro means by site, language, kind, group and split.
    pub groups: BTreeMap<String, BTreeMap<String, GroupFigures>>,
    /// Whose figure it is: program, algorithm, parameters, lists.
    pub system: String,
}

/// Macro means of the pages of one group.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct GroupFigures {
    /// Its pages.
    pub pages: usize,
    /// Means over them.
    #[serde(flatten)]
    pub mean: Triple,
}

impl SummaryRow {
    /// What tells the row from others of its algorithm, as on the command line.
    pub fn label(&self) -> String {
        label(&self.parameters, &self.differs, &self.swept)
    }

    /// The algorithm with what tells the row from others.
    pub fn full_label(&self) -> String {
        let label = self.label();
        if label.is_empty() { self.algorithm.clone() } else { format!("{} {label}", self.algorithm) }
    }
}

/// An exact sweep over one dataset.
pub struct SweepCurve {
    /// The dataset's name.
    pub dataset: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// The other parameters, as on the command line.
    pub label: String,
    /// The parameter that is swept.
    pub parameter: String,
    /// Its default.
    pub default: String,
    /// The curve.
    pub pieces: Vec<Piece>,
}

/// The summary of a run's outcomes.
pub fn summarise(plan: &Plan, outcomes: &[Vec<PageOutcome>]) -> Summary {
    let configuration = &plan.configuration;
    let datasets = plan.datasets.iter().zip(outcomes).map(|(dataset, pages)| {
        let conditions = DatasetConditions {
            version: dataset.manifest.version.clone(),
            digest: dataset.digest(pages.iter().map(|page| &page.digests)),
            pages: pages.len(),
            without_gold: pages.iter().filter(|page| !page.has_gold).count(),
            gold_nature: dataset.manifest.gold.nature.clone(),
        };
        (dataset.name().to_owned(), conditions)
    });
    let conditions = Conditions {
        datasets: datasets.collect(),
        filters: configuration.filters.clone(),
        without_faults: configuration.without_faults.clone(),
        tokens: configuration.tokens.to_string(),
        case: configuration.case.to_string(),
        measure: configuration.measure.to_string(),
        unicode: unicode_versions(),
        segmenter: SEGMENTER.to_owned(),
        suffix_list: SUFFIX_LIST.to_owned(),
    };
    let pairs = plan.datasets.iter().zip(outcomes);
    let rows = pairs
        .flat_map(|(dataset, pages)| plan.rows.iter().enumerate().map(|(i, row)| summary_row(dataset, pages, row, i)))
        .collect();
    Summary { schema: SCHEMA, name: configuration.name.clone(), conditions, rows }
}

fn summary_row(dataset: &Dataset, pages: &[PageOutcome], row: &Row, place: usize) -> SummaryRow {
    let mut counted = Vec::new();
    let mut observations = Vec::new();
    let (mut failed, mut empty) = (0, 0);
    for (record, page) in dataset.records.iter().zip(pages) {
        let Some((counts, score)) = page.score(place) else { continue };
        let site = record.site.as_deref().unwrap_or(&record.id);
        let is_failed = page.row(place).is_some_and(|row| row.is_err());
        failed += usize::from(is_failed);
        empty += usize::from(!is_failed && counts.extracted == 0);
        counted.push(record);
        let counts = [counts.matched, counts.extracted, counts.gold];
        observations.push(Observation { site, counts, score: score.values() });
    }
    let languages: BTreeSet<Option<String>> =
        counted.iter().map(|record| record.language.as_deref().and_then(primary_language)).collect();
    let field = |key: &'static str| -> Vec<Option<&str>> {
        counted
            .iter()
            .map(|record| match key {
                "site" => record.site.as_deref(),
                "language" => record.language.as_deref(),
                "kind" => record.kind.as_deref(),
                "group" => record.group.as_deref(),
                _ => record.split.as_deref(),
            })
            .collect()
    };
    let groups = ["site", "language", "kind", "group", "split"]
        .map(|key| (key.to_owned(), by_field(&field(key), &observations)));
    SummaryRow {
        dataset: dataset.name().to_owned(),
        algorithm: row.name().to_owned(),
        floor: row.algorithm.declaration().floor,
        parameters: row.setting.values().clone(),
        differs: row.differs(),
        swept: row.swept.clone(),
        pages: observations.len(),
        failed,
        timed_out: 0,
        not_run: 0,
        empty,
        aggregates: aggregate(&observations),
        groups: groups.into_iter().filter(|(_, groups)| !groups.is_empty()).collect(),
        system: system(row, &languages),
    }
}

fn by_field(names: &[Option<&str>], observations: &[Observation<'_>]) -> BTreeMap<String, GroupFigures> {
    let mut groups: BTreeMap<&str, Vec<Observation<'_>>> = BTreeMap::new();
    for (name, observation) in names.iter().zip(observations) {
        if let Some(name) = name {
            groups.entry(name).or_default().push(*observation);
        }
    }
    let figures = |pages: &[Observation<'_>]| GroupFigures { pages: pages.len(), mean: macro_mean(pages) };
    groups.into_iter().map(|(name, pages)| (name.to_owned(), figures(&pages))).collect()
}

/// One line that names the system behind a row.
fn system(row: &Row, languages: &BTreeSet<Option<String>>) -> String {
    let pairs = row.setting.values().iter().map(|(name, value)| format!("{name}={}", text_of(value)));
    let mut parts = vec![format!("carat {}", env!("CARGO_PKG_VERSION")), row.name().to_owned()];
    parts.extend(pairs);
    parts.extend((row.algorithm.declaration().resources)(row.setting.values(), languages));
    parts.join(" | ")
}

/// The mean curve of each exact sweep over each dataset.
pub fn sweep_curves(plan: &Plan, outcomes: &[Vec<PageOutcome>]) -> Vec<SweepCurve> {
    let mut curves = Vec::new();
    for (dataset, pages) in plan.datasets.iter().zip(outcomes) {
        for (i, sweep) in plan.sweeps.iter().enumerate() {
            let ParameterKind::Decimal { from, to, below } = sweep.range else { continue };
            let scored = || pages.iter().filter(|page| page.has_gold);
            let steps = scored()
                .filter_map(|page| page.result.as_ref().ok())
                .filter_map(|page| page.sweeps[i].clone().ok())
                .flatten()
                .collect();
            let row =
                Row { algorithm: Entry::Page(sweep.algorithm), setting: sweep.setting.clone(), swept: Vec::new() };
            curves.push(SweepCurve {
                dataset: dataset.name().to_owned(),
                algorithm: row.name().to_owned(),
                label: row.label(),
                parameter: sweep.parameter.clone(),
                default: sweep.default.clone(),
                pieces: mean_curve(steps, scored().count() as u64, (from, to, below)),
            });
        }
    }
    curves
}

impl SweepCurve {
    /// The curve's best and flat parts in words.
    pub fn in_words(&self) -> String {
        let system =
            if self.label.is_empty() { self.algorithm.clone() } else { format!("{} {}", self.algorithm, self.label) };
        let Some(best) = self.pieces.iter().max_by(|a, b| a.mean.f1.total_cmp(&b.mean.f1)) else {
            return format!("{system}: nothing was swept");
        };
        format!(
            "{system} over {} on {}: best F1 {:.4} on {}; within {FLAT} of it on {}; {} pieces, F1 from {:.4}",
            self.parameter,
            self.dataset,
            best.mean.f1,
            best.interval(),
            self.flat_parts(best.mean.f1 - FLAT).join(" and "),
            self.pieces.len(),
            self.pieces.iter().map(|piece| piece.mean.f1).fold(f64::INFINITY, f64::min),
        )
    }

    /// The intervals on which F1 is at least `least`.
    fn flat_parts(&self, least: f64) -> Vec<String> {
        let runs = self.pieces.chunk_by(|one, next| (one.mean.f1 >= least) == (next.mean.f1 >= least));
        runs.filter(|run| run[0].mean.f1 >= least)
            .map(|run| {
                let (first, last) = (&run[0], &run[run.len() - 1]);
                interval((first.from, first.from_closed), (last.to, last.to_closed))
            })
            .collect()
    }
}

/// A curve is called flat where it is this close to its best.
const FLAT: f64 = 0.005;

//! What a run will do, checked before any work: datasets, rows and exact sweeps.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rayon::prelude::*;
use serde_json::Value as Json;

use super::configuration::{AlgorithmRequest, Configuration, DatasetRequest, RequestError};
use super::grid::MAX_VALUES;
use crate::algorithms::algorithm::{AnyPageAlgorithm, Setting, unknown_parameter};
use crate::algorithms::parameters::{Parameter, ParameterKind, Values};
use crate::algorithms::{Entry, find};
use crate::datasets::locate::locate;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Digests};
use crate::page::primary_language;

/// One algorithm under one setting: a row of the result.
#[derive(Clone)]
pub struct Row {
    /// The algorithm.
    pub algorithm: Entry,
    /// Its parameters.
    pub setting: Setting,
    /// The parameters that the run varies.
    pub swept: Vec<String>,
}

/// One algorithm over the whole range of one parameter.
#[derive(Clone)]
pub struct ExactSweep {
    /// The algorithm.
    pub algorithm: &'static dyn AnyPageAlgorithm,
    /// The other parameters.
    pub setting: Setting,
    /// The parameter that is swept.
    pub parameter: String,
    /// Its range.
    pub range: ParameterKind,
    /// Its default.
    pub default: String,
}

/// A plan: nothing has been done yet.
pub struct Plan {
    /// The configuration that it carries out.
    pub configuration: Configuration,
    /// The datasets, with the pages that the filters leave.
    pub datasets: Vec<Dataset>,
    /// What is chosen on each page, in the order of the configuration; no two are the same.
    pub rows: Vec<Row>,
    /// What is swept exactly on each page.
    pub sweeps: Vec<ExactSweep>,
}

/// A request or a dataset that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The request is wrong.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A dataset is wrong.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

impl Row {
    /// The algorithm's name.
    pub fn name(&self) -> &'static str {
        self.algorithm.declaration().name
    }

    /// The parameters whose value is not the default.
    pub fn differs(&self) -> Vec<String> {
        differs(&self.algorithm.parameters(), self.setting.values())
    }

    /// What tells the row from others: swept parameters and those that are not at their default.
    pub fn label(&self) -> String {
        label(self.setting.values(), &self.differs(), &self.swept)
    }
}

/// The values that are not at their default or are swept, as on the command line.
pub fn label(values: &Values, differs: &[String], swept: &[String]) -> String {
    let shown = |name: &&String| differs.contains(name) || swept.contains(name);
    let pairs = values.keys().filter(shown).map(|name| format!("{name}={}", text_of(&values[name])));
    pairs.collect::<Vec<_>>().join(",")
}

/// The parameters in `values` that are not at their default.
fn differs(parameters: &[Parameter], values: &Values) -> Vec<String> {
    let differing = parameters.iter().filter(|parameter| {
        canonical(&parameter.values, &parameter.default) != canonical(&parameter.values, &values[&parameter.name])
    });
    differing.map(|parameter| parameter.name.clone()).collect()
}

/// A parameter's value as it is written in runs.
pub fn text_of(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => items.iter().map(text_of).collect::<Vec<_>>().join("+"),
        other => other.to_string(),
    }
}

/// Equal for equal values: 0.5 and 0.50 are one decimal.
fn canonical(kind: &ParameterKind, value: &Json) -> String {
    let text = text_of(value);
    match kind {
        ParameterKind::Decimal { .. } => match text.parse::<crate::algorithms::value::Value>() {
            Ok(number) => number.reduced().to_string(),
            Err(_) => text,
        },
        _ => text,
    }
}

impl Plan {
    /// Checks `configuration` whole, then loads its datasets.
    ///
    /// # Errors
    /// [`PlanError`]; nothing was done.
    pub fn new(configuration: Configuration) -> Result<Self, PlanError> {
        let (rows, sweeps) = resolve(&configuration.algorithms)?;
        let mut datasets = Vec::new();
        for DatasetRequest { name, origin } in &configuration.datasets {
            let mut dataset = locate(name).map_err(|error| match error.code {
                "E-UNKNOWN" => PlanError::Request(origin.error(error.message)),
                _ => PlanError::Dataset(error),
            })?;
            let before = dataset.records.len();
            dataset.records.retain(|record| is_wanted(record, &configuration));
            if dataset.records.is_empty() {
                let message = format!("the filters leave none of the {before} pages of `{name}`");
                return Err(RequestError::Argument(message).into());
            }
            if datasets.iter().any(|known: &Dataset| known.name() == dataset.name()) {
                let message = format!("two datasets are named `{}`", dataset.name());
                return Err(RequestError::Argument(message).into());
            }
            datasets.push(dataset);
        }
        let plan = Plan { configuration, datasets, rows, sweeps };
        let (pages, rows) = (plan.pages(), plan.rows.len());
        if pages.saturating_mul(rows) > MAX_CELLS {
            let message = format!("{pages} pages x {rows} rows are more than {MAX_CELLS} cells; ask for fewer values");
            return Err(RequestError::Argument(message).into());
        }
        Ok(plan)
    }

    /// Each dataset's digest over the pages of the run, as it stands in a summary's conditions.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let of = |dataset: &Dataset| {
            let digests: Vec<Digests> = dataset.records.par_iter().map(|record| dataset.digests(record)).collect();
            (dataset.name().to_owned(), dataset.digest(&digests))
        };
        self.datasets.iter().map(of).collect()
    }

    /// The same plan over about `pages` pages, evenly spread: what an estimate is made from.
    pub fn sample(&self, pages: usize) -> Plan {
        let step = self.pages().div_ceil(pages.max(1)).max(1);
        let thinned = |dataset: &Dataset| {
            let mut thinned = dataset.clone();
            thinned.records = dataset.records.iter().step_by(step).cloned().collect();
            thinned
        };
        Plan {
            configuration: self.configuration.clone(),
            datasets: self.datasets.iter().map(thinned).collect(),
            rows: self.rows.clone(),
            sweeps: self.sweeps.clone(),
        }
    }

    /// The number of pages over all datasets.
    pub fn pages(&self) -> usize {
        self.datasets.iter().map(|dataset| dataset.records.len()).sum()
    }
}

impl fmt::Display for Plan {
    /// What `--dry-run` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for dataset in &self.datasets {
            let golds = dataset.records.iter().filter(|record| record.gold.is_some()).count();
            let version = &dataset.manifest.version;
            writeln!(f, "dataset  {} {version}: {} pages, {golds} with gold", dataset.name(), dataset.records.len())?;
        }
        for request in &self.configuration.algorithms {
            writeln!(f, "run      {request}")?;
        }
        let Configuration { tokens, case, measure, .. } = &self.configuration;
        writeln!(f, "score    {measure} over {tokens} tokens, case {case}")?;
        let cells = self.pages() * self.rows.len();
        write!(f, "plan     {} pages x {} rows = {cells} cells", self.pages(), self.rows.len())?;
        match self.sweeps.len() {
            0 => Ok(()),
            sweeps => write!(f, ", and {sweeps} exact sweeps a page"),
        }
    }
}

/// Whether the filters keep a page. A language without a region takes every tag that begins with it.
fn is_wanted(record: &Record, configuration: &Configuration) -> bool {
    let field = |key: &str| match key {
        "id" => Some(&record.id),
        "site" => record.site.as_ref(),
        "language" => record.language.as_ref(),
        "kind" => record.kind.as_ref(),
        "group" => record.group.as_ref(),
        "split" => record.split.as_ref(),
        _ => record.host.as_ref(),
    };
    let matches = |(key, wanted): (&String, &String)| {
        let primary =
            || key == "language" && record.language.as_deref().and_then(primary_language).as_ref() == Some(wanted);
        field(key) == Some(wanted) || primary()
    };
    configuration.filters.iter().all(matches)
        && !record.faults.iter().any(|fault| configuration.without_faults.contains(fault))
}

/// More exact sweeps than this are refused before any work.
const MAX_SWEEPS: usize = 1000;

/// More cells (pages x rows) than this are refused before any work.
const MAX_CELLS: usize = 50_000_000;

fn resolve(requests: &[AlgorithmRequest]) -> Result<(Vec<Row>, Vec<ExactSweep>), RequestError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut sweeps: Vec<ExactSweep> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut known_sweeps = BTreeSet::new();
    for request in requests {
        let algorithm = find(&request.name).map_err(|error| request.origin.error(error.to_string()))?;
        let parameters = algorithm.parameters();
        let (grid, exact) = grid(request, &parameters)?;
        let swept: Vec<String> =
            request.parameters.iter().filter(|p| p.written.is_swept()).map(|p| p.name.clone()).collect();
        for values in product(&grid, request)? {
            let setting = algorithm.setting(&values).map_err(|error| request.origin.error(error.to_string()))?;
            if let Some(parameter) = exact {
                let Entry::Page(algorithm) = algorithm else { continue };
                let sweep = ExactSweep {
                    algorithm,
                    setting,
                    parameter: parameter.name.clone(),
                    range: parameter.values.clone(),
                    default: text_of(&parameter.default),
                };
                let key = identity(&request.name, &parameters, sweep.setting.values());
                if known_sweeps.insert((sweep.parameter.clone(), key)) {
                    sweeps.push(sweep);
                }
                if sweeps.len() > MAX_SWEEPS {
                    return Err(request.origin.error(format!("more than {MAX_SWEEPS} exact sweeps are asked for")));
                }
                continue;
            }
            let key = identity(&request.name, &parameters, setting.values());
            match known.get(&key) {
                // The same row asked for twice is one row, swept where either is.
                Some(&at) => swept.iter().for_each(|name| {
                    if !rows[at].swept.contains(name) {
                        rows[at].swept.push(name.clone());
                    }
                }),
                None => {
                    known.insert(key, rows.len());
                    rows.push(Row { algorithm, setting, swept: swept.clone() });
                }
            }
            if rows.len() > MAX_VALUES {
                return Err(request.origin.error(format!("more than {MAX_VALUES} rows are asked for")));
            }
        }
    }
    Ok((rows, sweeps))
}

/// The one setting that `request` means.
///
/// # Errors
/// [`RequestError`]: unknown names or values, or more than one value.
pub fn single_setting(request: &AlgorithmRequest) -> Result<Setting, RequestError> {
    let (mut rows, sweeps) = resolve(std::slice::from_ref(request))?;
    if rows.len() != 1 || !sweeps.is_empty() {
        return Err(request.origin.error("one value for each parameter is needed here"));
    }
    Ok(rows.remove(0).setting)
}

fn identity(name: &str, parameters: &[Parameter], values: &Values) -> String {
    let parts = parameters.iter().map(|parameter| canonical(&parameter.values, &values[&parameter.name]));
    std::iter::once(name.to_owned()).chain(parts).collect::<Vec<_>>().join("\t")
}

/// Each parameter's values, and the parameter that is swept exactly.
type Grid<'p> = (Vec<(String, Vec<Json>)>, Option<&'p Parameter>);

fn grid<'p>(request: &AlgorithmRequest, parameters: &'p [Parameter]) -> Result<Grid<'p>, RequestError> {
    let (mut grid, mut exact) = (Vec::new(), None);
    for asked in &request.parameters {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == asked.name) else {
            let names = parameters.iter().map(|parameter| parameter.name.as_str());
            return Err(asked.origin.error(unknown_parameter(&request.name, &asked.name, names).to_string()));
        };
        let at = |message: String| asked.origin.error(format!("{}: {}: {message}", request.name, asked.name));
        let Some(texts) = asked.written.expand(&parameter.values).map_err(at)? else {
            let declared = find(&request.name).map(|algorithm| algorithm.declaration().swept).unwrap_or_default();
            if !declared.iter().any(|swept| swept.parameter == asked.name) {
                return Err(at("its break points are not known; give a grid".to_owned()));
            }
            if exact.replace(parameter).is_some() {
                return Err(at("only one parameter is swept exactly; put the other on a grid".to_owned()));
            }
            continue;
        };
        let values = texts.iter().map(|text| parameter.values.read(text)).collect::<Result<Vec<_>, _>>().map_err(at)?;
        grid.push((asked.name.clone(), values));
    }
    Ok((grid, exact))
}

/// Every combination, the last parameter varying fastest.
fn product(grid: &[(String, Vec<Json>)], request: &AlgorithmRequest) -> Result<Vec<Values>, RequestError> {
    let cells = grid.iter().try_fold(1usize, |cells, (_, values)| cells.checked_mul(values.len()));
    if cells.is_none_or(|cells| cells > MAX_VALUES) {
        return Err(request.origin.error(format!("the grid has more than {MAX_VALUES} cells")));
    }
    let mut combinations = vec![Values::new()];
    for (name, values) in grid {
        combinations = combinations
            .iter()
            .flat_map(|combination| {
                values.iter().map(|value| {
                    let mut next = combination.clone();
                    next.insert(name.clone(), value.clone());
                    next
                })
            })
            .collect();
    }
    Ok(combinations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(specs: &[&str]) -> Result<Vec<String>, String> {
        let requests: Vec<_> = specs.iter().map(|spec| AlgorithmRequest::from_argument(spec).unwrap()).collect();
        let (rows, _) = resolve(&requests).map_err(|error| error.to_string())?;
        Ok(rows.iter().map(|row| format!("{}:{}", row.name(), row.label())).collect())
    }

    #[test]
    fn equal_settings_are_one_row() {
        let found =
            rows(&["nta", "nta:coherence=0.85..0.95/0.05", "nta:coherence=0.90", "nta:density=0.5,coherence=0.9000"])
                .unwrap();
        assert_eq!(found, ["nta:coherence=0.9", "nta:coherence=0.85", "nta:coherence=0.95"]);
    }

    #[test]
    fn grids_multiply_and_words_may_be_swept() {
        let found = rows(&["nta:density=0.3|0.6,start=first|last"]).unwrap();
        assert_eq!(found.len(), 4);
        assert_eq!(found[1], "nta:density=0.3,start=last");
    }

    #[test]
    fn wrong_requests_say_what_to_do() {
        for (spec, part) in [
            ("ntaa", "did you mean `nta`?"),
            ("nta:coherance=1", "did you mean `coherence`?"),
            ("nta:coherence=1.5", "a decimal from 0 to 1"),
            ("nta:density=1", "a decimal from 0 to below 1"),
            ("nta:start=frist", "did you mean `first`?"),
            ("nta:start=exact", "sweeps decimals only"),
            ("nta:coherence=exact,density=exact", "only one parameter is swept exactly"),
            ("nta:coherence=0..1/0.0001,density=0..0.9/0.001", "more than 100000 cells"),
            ("nta:coherence=exact,density=0..0.9/0.0005", "more than 1000 exact sweeps"),
            ("all-text:x=1", "there are none"),
            ("cevc:lists=zh+xx", "no such stop list for the language `xx`"),
            ("cevc:stop_list=small,lists=fr", "no such stop list for the language `fr`"),
        ] {
            let error = rows(&[spec]).unwrap_err();
            assert!(error.contains(part), "{spec}: {error}");
        }
    }
}

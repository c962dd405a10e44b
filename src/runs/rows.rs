//! Rows: what is asked for, resolved into algorithms with settings, each once.

use std::collections::{BTreeMap, BTreeSet, btree_map};

use serde_json::Value as Json;

use super::bounds::{Bound, is_bound};
use super::configuration::{AlgorithmRequest, Origin, RequestError};
use super::doors::external::ExternalSystem;
use super::doors::stored::StoredSystem;
use super::ensembles::{COMBINE, Ensemble, THRESHOLD};
use super::grid::MAX_VALUES;
use super::learned::{self, Learned, TrainedOn, is_learned};
use super::reads_gold::ReadsGold;
use crate::algorithms::algorithm::{Setting, unknown_parameter};
use crate::algorithms::group::Scope;
use crate::algorithms::parameters::{Parameter, ParameterKind, Values};
use crate::algorithms::{Entry, find};
use crate::datasets::load::Loading;

/// A system whose extractions are scored: a row of the result.
#[derive(Clone)]
pub struct Row {
    /// Whose extractions they are.
    pub system: System,
    /// The parameters that the run varies.
    pub swept: Vec<String>,
}

/// Where a row's extractions come from.
#[derive(Clone)]
pub enum System {
    /// One of carat's algorithms.
    Algorithm {
        /// The algorithm.
        algorithm: Entry,
        /// Its parameters.
        setting: Setting,
    },
    /// What another program extracted earlier.
    Stored(StoredSystem),
    /// What another program extracts when it is asked.
    External(ExternalSystem),
    /// What several others choose, combined.
    Ensemble(Ensemble),
    /// Rules of sites, or what learns from the gold of other pages.
    Learned(Learned),
    /// The most that a choice could reach.
    Bound(Bound),
}

/// Where a system of a plan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among the rows.
    Row(usize),
    /// Among the members of ensembles that are no rows of their own.
    Member(usize),
}

/// One algorithm, or an ensemble, over the whole range of one parameter.
#[derive(Clone)]
pub struct ExactSweep {
    /// What is swept, the parameter at its default.
    pub row: Row,
    /// The parameter that is swept.
    pub parameter: String,
    /// Its range.
    pub range: ParameterKind,
    /// Its default.
    pub default: String,
}

impl Row {
    /// The system's name: an algorithm's, a bound's, an ensemble's, `wrapper`, `stored/SYSTEM`, or `external/PROGRAM`.
    pub fn name(&self) -> &str {
        match &self.system {
            System::Algorithm { algorithm, .. } => algorithm.declaration().name,
            System::Stored(stored) => &stored.row,
            System::External(external) => &external.row,
            System::Ensemble(ensemble) => &ensemble.name,
            System::Learned(learned) => learned.name(),
            System::Bound(bound) => bound.name(),
        }
    }

    /// Its algorithm, if it is one of carat's.
    pub fn algorithm(&self) -> Option<Entry> {
        match &self.system {
            System::Algorithm { algorithm, .. } => Some(*algorithm),
            System::Stored(_) | System::External(_) | System::Ensemble(_) | System::Learned(_) | System::Bound(_) => {
                None
            }
        }
    }

    /// Whether it is made from the page itself.
    pub fn needs_page(&self) -> bool {
        match &self.system {
            System::Stored(_) | System::External(_) => false,
            System::Bound(bound) => !bound.is_of_rows(),
            System::Algorithm { .. } | System::Ensemble(_) | System::Learned(_) => true,
        }
    }

    /// What it reads of the gold; of rules that were learned from a dataset, what they read of any other.
    pub fn reads_gold(&self) -> Option<ReadsGold> {
        match &self.system {
            System::Bound(_) => Some(ReadsGold::Page),
            System::Learned(learned) => learned.reads_gold(0),
            System::Algorithm { .. } | System::Stored(_) | System::External(_) | System::Ensemble(_) => None,
        }
    }

    /// The datasets that it learned from in place of the one that is run.
    pub fn trained_on(&self) -> Option<&TrainedOn> {
        match &self.system {
            System::Learned(learned) => learned.trained_on(),
            _ => None,
        }
    }

    /// Whether it learns from gold when it is run.
    pub fn learns(&self) -> bool {
        matches!(&self.system, System::Learned(learned) if learned.learns())
    }

    /// Whether what it chooses on a page rests on other pages of the page's site.
    pub fn sees_site(&self) -> bool {
        match &self.system {
            System::Algorithm { algorithm: Entry::Group(algorithm), setting } => {
                algorithm.scope(setting) == Scope::Site
            }
            System::Learned(learned) => learned.is_of_site(),
            _ => false,
        }
    }

    /// Whether it looks among all pages of the dataset for those that its choice rests on.
    pub fn sees_dataset(&self) -> bool {
        match &self.system {
            System::Algorithm { algorithm: Entry::Group(algorithm), setting } => {
                algorithm.scope(setting) == Scope::Dataset
            }
            _ => false,
        }
    }

    /// Whether there is anything to score in the dataset at `place`: stored outputs are of one dataset.
    pub fn is_of(&self, place: usize) -> bool {
        match &self.system {
            System::Algorithm { .. } | System::External(_) | System::Learned(_) | System::Bound(_) => true,
            System::Stored(stored) => stored.outputs[place].is_some(),
            System::Ensemble(ensemble) => ensemble.members.iter().all(|(_, member)| member.is_of(place)),
        }
    }

    /// Every parameter, resolved; stored outputs have none.
    pub fn values(&self) -> Values {
        match &self.system {
            System::Algorithm { setting, .. } => setting.values().clone(),
            System::Stored(_) => Values::new(),
            System::External(external) => external.values.clone(),
            System::Ensemble(ensemble) => ensemble.values.clone(),
            System::Learned(learned) => learned.values.clone(),
            System::Bound(bound) => bound.values.clone(),
        }
    }

    /// The parameters whose value is not the default.
    pub fn differs(&self) -> Vec<String> {
        match &self.system {
            System::Algorithm { algorithm, setting } => differs(&algorithm.parameters(), setting.values()),
            System::Stored(_) => Vec::new(),
            System::External(external) => external.differs(),
            System::Ensemble(ensemble) => ensemble.differs.clone(),
            System::Learned(learned) => learned.differs.clone(),
            System::Bound(bound) => bound.differs.clone(),
        }
    }

    /// What tells the row from others: swept parameters and those that are not at their default.
    pub fn label(&self) -> String {
        label(&self.values(), &self.differs(), &self.swept)
    }

    /// The name, and what tells the row from others of its algorithm.
    pub fn name_and_label(&self) -> String {
        format!("{} {}", self.name(), self.label()).trim_end().to_owned()
    }

    /// The name with every parameter, each once however it was written: equal for rows that extract
    /// the same.
    pub fn identity(&self) -> String {
        match &self.system {
            System::Algorithm { algorithm, setting } => {
                identity(self.name(), &algorithm.parameters(), setting.values())
            }
            System::Stored(stored) => stored.row.clone(),
            System::External(external) => external.identity(),
            System::Ensemble(ensemble) => ensemble.identity(),
            System::Learned(learned) => learned.identity(),
            System::Bound(bound) => bound.identity(),
        }
    }
}

impl ExactSweep {
    /// The other parameters that are not at their default, as on the command line.
    pub fn label(&self) -> String {
        self.row.label()
    }

    /// The name with every parameter and the one that is swept.
    pub fn identity(&self) -> String {
        format!("{}\t{}=exact", self.row.identity(), self.parameter)
    }
}

/// The values that are not at their default or are swept, as on the command line.
pub fn label(values: &Values, differs: &[String], swept: &[String]) -> String {
    let shown = |name: &&String| differs.contains(name) || swept.contains(name);
    let pairs = values.keys().filter(shown).map(|name| format!("{name}={}", text_of(&values[name])));
    pairs.collect::<Vec<_>>().join(",")
}

/// The parameters in `values` that are not at their default.
pub(crate) fn differs(parameters: &[Parameter], values: &Values) -> Vec<String> {
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
pub(in crate::runs) fn canonical(kind: &ParameterKind, value: &Json) -> String {
    let text = text_of(value);
    match kind {
        ParameterKind::Decimal { .. } => match text.parse::<crate::algorithms::value::Value>() {
            Ok(number) => number.reduced().to_string(),
            Err(_) => text,
        },
        _ => text,
    }
}

/// More exact sweeps than this are refused before any work.
const MAX_SWEEPS: usize = 1000;

/// The rows and exact sweeps that `requests` ask for, no two the same.
///
/// # Errors
/// [`RequestError`]: unknown names, values out of range, too many of them.
pub(super) fn resolve(
    requests: &[AlgorithmRequest],
    loading: Loading,
) -> Result<(Vec<Row>, Vec<ExactSweep>), RequestError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut sweeps: Vec<ExactSweep> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut known_sweeps = BTreeSet::new();
    for request in requests {
        if is_learned(&request.name) {
            learned::resolve(request, loading)?.into_iter().for_each(|row| add(row, &mut rows, &mut known));
            continue;
        }
        let algorithm = find(&request.name).map_err(|error| match is_bound(&request.name) {
            true => request.origin.error(format!("`{}` is a bound; bounds are named under `bounds`", request.name)),
            false => request.origin.error(error.to_string()),
        })?;
        let parameters = algorithm.parameters();
        let (grid, exact) = grid(request, &parameters)?;
        let swept: Vec<String> =
            request.parameters.iter().filter(|p| p.written.is_swept()).map(|p| p.name.clone()).collect();
        for values in product(&grid, &request.origin)? {
            let setting = algorithm.setting(&values).map_err(|error| request.origin.error(error.to_string()))?;
            if let Some(parameter) = exact {
                if learned::of_setting(&request.name, &setting).is_some() {
                    let message =
                        format!("{}: with learned scores no break points are known; give a grid", request.name);
                    return Err(request.origin.error(message));
                }
                let sweep = ExactSweep {
                    row: Row { system: System::Algorithm { algorithm, setting }, swept: Vec::new() },
                    parameter: parameter.name.clone(),
                    range: parameter.values.clone(),
                    default: text_of(&parameter.default),
                };
                if known_sweeps.insert(sweep.identity()) {
                    sweeps.push(sweep);
                }
                if sweeps.len() > MAX_SWEEPS {
                    return Err(request.origin.error(format!("more than {MAX_SWEEPS} exact sweeps are asked for")));
                }
                continue;
            }
            let system = match learned::of_setting(&request.name, &setting) {
                Some(_) if swept.iter().any(|name| name == learned::SCORES) => {
                    let message = "`scores: learned` reads gold, and is a row beside the others: name it by itself";
                    return Err(request.origin.error(message));
                }
                Some(learned) => System::Learned(learned),
                None => System::Algorithm { algorithm, setting },
            };
            add(Row { system, swept: swept.clone() }, &mut rows, &mut known);
            if rows.len() > MAX_VALUES {
                return Err(request.origin.error(format!("more than {MAX_VALUES} rows are asked for")));
            }
        }
    }
    Ok((rows, sweeps))
}

/// Adds a row; the same row asked for twice is one row, swept where either is.
fn add(row: Row, rows: &mut Vec<Row>, known: &mut BTreeMap<String, usize>) {
    match known.entry(row.identity()) {
        btree_map::Entry::Occupied(at) => row.swept.into_iter().for_each(|name| {
            let swept = &mut rows[*at.get()].swept;
            if !swept.contains(&name) {
                swept.push(name);
            }
        }),
        btree_map::Entry::Vacant(new) => {
            new.insert(rows.len());
            rows.push(row);
        }
    }
}

/// The one row that `request` means: an algorithm, rules of sites, or what learns from gold. `loading` is of datasets that
/// it names to learn from.
///
/// # Errors
/// As [`single_setting`].
pub fn single_row(request: &AlgorithmRequest, loading: Loading) -> Result<Row, RequestError> {
    if !is_learned(&request.name) {
        let setting = written_setting(request)?;
        if let Some(learned) = learned::of_setting(&request.name, &setting) {
            return Ok(Row { system: System::Learned(learned), swept: Vec::new() });
        }
        let algorithm = find(&request.name).map_err(|error| request.origin.error(error.to_string()))?;
        return Ok(Row { system: System::Algorithm { algorithm, setting }, swept: Vec::new() });
    }
    match <[Row; 1]>::try_from(learned::resolve(request, loading)?) {
        Ok([row]) => Ok(row),
        Err(_) => Err(request.origin.error("one value for each parameter is needed here")),
    }
}

/// The one setting that `request` means.
///
/// # Errors
/// [`RequestError`]: unknown names or values, or more than one value.
pub fn single_setting(request: &AlgorithmRequest) -> Result<Setting, RequestError> {
    let setting = written_setting(request)?;
    match learned::of_setting(&request.name, &setting) {
        Some(_) => {
            let message = "with learned scores it reads the gold of a run's pages: it is a row of a run";
            Err(request.origin.error(message))
        }
        None => Ok(setting),
    }
}

/// The one setting that `request` writes, be it of what learns or not.
fn written_setting(request: &AlgorithmRequest) -> Result<Setting, RequestError> {
    let at = |message: String| request.origin.error(message);
    let is_row = [is_bound, is_learned].iter().any(|is| is(&request.name)) || request.name == COMBINE;
    let algorithm = find(&request.name).map_err(|error| match is_row {
        true => at(format!("`{}` is a row of a run, and no algorithm that chooses on a single page", request.name)),
        false => at(error.to_string()),
    })?;
    let parameters = algorithm.parameters();
    let (grid, exact) = grid(request, &parameters)?;
    match (product(&grid, &request.origin)?.as_slice(), exact) {
        ([values], None) => algorithm.setting(values).map_err(|error| at(error.to_string())),
        _ => Err(at("one value for each parameter is needed here".to_owned())),
    }
}

fn identity(name: &str, parameters: &[Parameter], values: &Values) -> String {
    let parts = parameters.iter().map(|parameter| canonical(&parameter.values, &values[&parameter.name]));
    std::iter::once(name.to_owned()).chain(parts).collect::<Vec<_>>().join("\t")
}

/// Each parameter's values, and the parameter that is swept exactly.
pub(super) type Grid<'p> = (Vec<(String, Vec<Json>)>, Option<&'p Parameter>);

pub(super) fn grid<'p>(request: &AlgorithmRequest, parameters: &'p [Parameter]) -> Result<Grid<'p>, RequestError> {
    let (mut grid, mut exact) = (Vec::new(), None);
    for asked in &request.parameters {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == asked.name) else {
            let names = parameters.iter().map(|parameter| parameter.name.as_str());
            return Err(asked.origin.error(unknown_parameter(&request.name, &asked.name, names).to_string()));
        };
        let at = |message: String| asked.origin.error(format!("{}: {}: {message}", request.name, asked.name));
        let Some(texts) = asked.written.expand(&parameter.values).map_err(at)? else {
            let is_known = match find(&request.name) {
                Ok(algorithm) => algorithm.declaration().sweeps_exactly(&asked.name),
                Err(_) => request.name == COMBINE && asked.name == THRESHOLD,
            };
            if !is_known {
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
pub(super) fn product(grid: &[(String, Vec<Json>)], origin: &Origin) -> Result<Vec<Values>, RequestError> {
    let cells = grid.iter().try_fold(1usize, |cells, (_, values)| cells.checked_mul(values.len()));
    if cells.is_none_or(|cells| cells > MAX_VALUES) {
        return Err(origin.error(format!("the grid has more than {MAX_VALUES} cells")));
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
        let (rows, _) = resolve(&requests, Loading::default()).map_err(|error| error.to_string())?;
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
            ("istm:similarity=exact", "its break points are not known; give a grid"),
            ("bte:tag_weight=exact", "its break points are not known; give a grid"),
            ("justext:max_heading_distance=exact", "its break points are not known; give a grid"),
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

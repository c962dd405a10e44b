//! carat's own algorithms as systems of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::configuration::{AlgorithmRequest, RequestError};
use super::explaining::{ExplainError, Explaining, Told};
use super::groups::{Groups, members_around};
use super::guarding::guarded;
use super::kind::{Asked, Extraction, Kind, OnPage, Prepared, Preparing, RowExtraction};
use super::system::{Alone, ExactSweep, Row, Sees, System};
use super::values::{differs, grid, identity, product, swept, text_of};
use crate::algorithms::algorithm::{AnyPageAlgorithm, Choice, Setting, TakeSample};
use crate::algorithms::explanation::Number;
use crate::algorithms::group::{AnyGroupAlgorithm, Pages, Scope, Target};
use crate::algorithms::parameters::Values;
use crate::algorithms::{Entry, find};
use crate::datasets::load::Loading;
use crate::datasets::{DatasetError, Halt};
use crate::page::Page;

/// One of carat's algorithms with its parameters.
#[derive(Clone)]
pub struct OwnAlgorithm {
    /// The algorithm.
    pub algorithm: Entry,
    /// Its parameters.
    pub setting: Setting,
}

/// The kind of carat's own algorithms.
pub(super) struct OwnAlgorithms;

impl System for OwnAlgorithm {
    fn name(&self) -> &str {
        self.algorithm.declaration().name
    }

    fn values(&self) -> Values {
        self.setting.values().clone()
    }

    fn differs(&self) -> Vec<String> {
        differs(&self.algorithm.parameters(), self.setting.values())
    }

    fn identity(&self) -> String {
        identity(self.name(), &self.algorithm.parameters(), self.setting.values())
    }

    fn line(&self, _: usize, languages: &BTreeSet<Option<String>>) -> String {
        let pairs = self.setting.values().iter().map(|(name, value)| format!("{name}={}", text_of(value)));
        let mut parts = vec![format!("carat {}", env!("CARGO_PKG_VERSION")), self.name().to_owned()];
        parts.extend(pairs);
        parts.extend((self.algorithm.declaration().resources)(self.setting.values(), languages));
        parts.join(" | ")
    }

    fn algorithm(&self) -> Option<(Entry, &Setting)> {
        Some((self.algorithm, &self.setting))
    }

    fn sees(&self) -> Sees {
        match self.algorithm {
            Entry::Group(algorithm) => match algorithm.scope(&self.setting) {
                Scope::Site => Sees::Site,
                Scope::Dataset => Sees::Dataset,
            },
            Entry::Page(_) => Sees::Page,
        }
    }

    fn alone(&self) -> Option<Alone> {
        let Entry::Group(algorithm) = self.algorithm else { return None };
        Some(match algorithm.scope(&self.setting) {
            Scope::Site => Alone::OnSite,
            Scope::Dataset => Alone::AsFound,
        })
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn explain(&self, on: &Explaining<'_>) -> Result<Told, ExplainError> {
        match self.algorithm {
            Entry::Page(algorithm) => Ok(Told::new(algorithm.explain(on.page, &self.setting))),
            Entry::Group(algorithm) => explain_in_group(algorithm, &self.setting, on),
        }
    }
}

fn explain_in_group(
    algorithm: &dyn AnyGroupAlgorithm,
    setting: &Setting,
    on: &Explaining<'_>,
) -> Result<Told, ExplainError> {
    let tell = |(pages, index): (&dyn Pages, usize)| {
        let learned = algorithm.learn(pages, setting)?;
        algorithm.explain(&learned, Target { page: on.page, index, pages }, setting)
    };
    let Some((dataset, index)) = on.place else {
        let alone: &[Arc<Page>] = std::slice::from_ref(on.page);
        return tell((&alone, 0)).map(Told::new).map_err(ExplainError::Page);
    };
    let (members, place) = members_around(dataset, algorithm.scope(setting), index)?;
    let mut told = tell((&members, place)).map(Told::new).map_err(ExplainError::Page)?;
    for figure in &told.explanation.figures {
        if let Number::Page(page) = figure.number {
            told.others.insert(page, members.id(page)?);
        }
    }
    Ok(told)
}

impl Kind for OwnAlgorithms {
    fn makes(&self, row: &Row) -> bool {
        row.of::<OwnAlgorithm>().is_some()
    }

    fn asked(&self, request: &AlgorithmRequest, _: Loading) -> Option<Result<Asked, RequestError>> {
        find(&request.name).ok()?;
        let settings = settings(request);
        let is_learned =
            |row: &Row| row.of::<OwnAlgorithm>().is_some_and(|own| needs_gold(own.algorithm, &own.setting));
        let rows = |asked: &Asked| asked.rows.iter().chain(asked.sweeps.iter().map(|sweep| &sweep.row)).any(is_learned);
        (!settings.as_ref().is_ok_and(rows)).then_some(settings)
    }

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt> {
        let groups = Groups::learn(&own)?;
        let mut families: BTreeMap<&str, Family<'p>> = BTreeMap::new();
        for &(place, row) in &own.rows {
            if let Some((Entry::Page(algorithm), setting)) = row.system.algorithm() {
                let new = || Family { algorithm, places: Vec::new(), settings: Vec::new() };
                let family = families.entry(row.name()).or_insert_with(new);
                family.places.push(place);
                family.settings.push(setting);
            }
        }
        Ok(Box::new(Own { groups, families: families.into_values().collect(), rows: own.rows.into_iter().collect() }))
    }
}

/// The rows and exact sweeps that `request` asks for of an algorithm, also of settings that need gold.
///
/// # Errors
/// [`RequestError`]: unknown names, or values out of range.
pub(super) fn settings(request: &AlgorithmRequest) -> Result<Asked, RequestError> {
    let at = |message: String| request.origin.error(message);
    let algorithm = find(&request.name).map_err(|error| at(error.to_string()))?;
    let parameters = algorithm.parameters();
    let (cells, exact) = grid(request, &parameters, &|name| algorithm.declaration().sweeps_exactly(name))?;
    let mut asked = Asked::default();
    for values in product(&cells, &request.origin)? {
        let setting = algorithm.setting(&values).map_err(|error| at(error.to_string()))?;
        let system = OwnAlgorithm { algorithm, setting };
        match exact {
            Some(parameter) => asked.sweeps.push(ExactSweep {
                row: Row::new(system, Vec::new()),
                parameter: parameter.name.clone(),
                range: parameter.values.clone(),
                default: text_of(&parameter.default),
            }),
            None => asked.rows.push(Row::new(system, swept(request))),
        }
    }
    Ok(asked)
}

/// The one setting that `request` means, of an algorithm that needs no gold.
///
/// # Errors
/// [`RequestError`]: unknown names or values, more than one value, or a setting that learns from gold.
pub(super) fn single_setting(request: &AlgorithmRequest) -> Result<(Entry, Setting), RequestError> {
    let at = |message: String| request.origin.error(message);
    let algorithm = find(&request.name).map_err(|error| at(error.to_string()))?;
    let parameters = algorithm.parameters();
    let (cells, exact) = grid(request, &parameters, &|name| algorithm.declaration().sweeps_exactly(name))?;
    let setting = match (product(&cells, &request.origin)?.as_slice(), exact) {
        ([values], None) => algorithm.setting(values).map_err(|error| at(error.to_string()))?,
        _ => return Err(at("one value for each parameter is needed here".to_owned())),
    };
    if needs_gold(algorithm, &setting) {
        return Err(at("with learned scores it reads the gold of a run's pages: it is a row of a run".to_owned()));
    }
    Ok((algorithm, setting))
}

/// Whether the setting asks for what is learned from gold: then it is no algorithm that sees pages alone.
pub(super) fn needs_gold(algorithm: Entry, setting: &Setting) -> bool {
    matches!(algorithm, Entry::Group(algorithm) if algorithm.needs_gold(setting))
}

/// carat's own algorithms, ready to run on the pages of a dataset.
struct Own<'p> {
    groups: Groups<'p>,
    families: Vec<Family<'p>>,
    rows: BTreeMap<usize, &'p Row>,
}

/// Systems of one page algorithm: they choose together, so that they share what was prepared.
struct Family<'p> {
    algorithm: &'static dyn AnyPageAlgorithm,
    places: Vec<usize>,
    settings: Vec<&'p Setting>,
}

impl Prepared for Own<'_> {
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let Some(page) = on.page else { return Ok(Vec::new()) };
        let mut extractions = self.groups.extract(on.index, on.record, page);
        for Family { algorithm, places, settings } in &self.families {
            match guarded(|| algorithm.choose_all(page, settings)) {
                Ok(chosen) => extractions.extend(
                    places
                        .iter()
                        .zip(chosen)
                        .map(|(&place, choice)| RowExtraction::new(place, Extraction::Chosen(choice))),
                ),
                Err(reason) => extractions
                    .extend(places.iter().map(|&place| RowExtraction::new(place, Extraction::Failed(reason.clone())))),
            }
        }
        Ok(extractions)
    }

    fn sweep(
        &self,
        (place, sweep): (usize, &ExactSweep),
        on: &OnPage<'_>,
        take: TakeSample<'_>,
    ) -> Option<Result<(), String>> {
        let page = on.page?;
        Some(match sweep.row.system.algorithm()? {
            (Entry::Page(algorithm), setting) => algorithm.sweep(page, setting, &sweep.parameter, take),
            (Entry::Group(_), setting) => {
                let swept = (place, setting, sweep.parameter.as_str());
                self.groups.sweep(swept, (on.index, on.record), page, take)
            }
        })
    }

    fn choose(&self, place: usize, on: &OnPage<'_>, left: &Page) -> Result<Choice, String> {
        match self.rows.get(&place).and_then(|row| row.system.algorithm()) {
            Some((Entry::Page(algorithm), setting)) => guarded(|| algorithm.choose_all(left, &[setting]).remove(0)),
            _ => self.groups.choice(place, on.index, on.record, left),
        }
    }
}

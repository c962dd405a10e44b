//! Ensembles: rows that combine what other systems choose, text node by text node (`combine`).
//!
//! After CombinE (Gottron, iiWAS 2008), of which we know the abstract only: the rules are ours.

mod choose;
mod described;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::configuration::bounds::NAMES as BOUNDS;
use super::configuration::{
    AlgorithmRequest, COMBINE, Combination, CombineParameters, Configuration, EnsembleRequest, RequestError, THRESHOLD,
};
use super::described::Described;
use super::guarding::guarded;
use super::kind::{Extraction, Kind, OnPage, PlanError, Planned, Prepared, Preparing, RowExtraction};
use super::own::{OwnAlgorithm, single_setting};
use super::system::{ExactSweep, Place, Row, System};
use super::values::{canonical, grid, product, swept, text_of};
use crate::algorithms::algorithm::TakeSample;
use crate::algorithms::parameters::{Values, as_values, declared};
use crate::algorithms::value::Value;
use crate::algorithms::{find, names};
use crate::datasets::{DatasetError, Halt};
use crate::text::hint;

/// An ensemble, as a row of a run.
#[derive(Clone)]
pub struct Ensemble {
    /// The row's name.
    pub name: String,
    /// Where the members' choices are found, and what they are.
    pub members: Vec<(Place, Row)>,
    parameters: CombineParameters,
    /// In millionths.
    weights: Vec<u64>,
    /// Members, weights and every parameter.
    values: Values,
    /// Those of them that are not at their default.
    differs: Vec<String>,
}

/// An ensemble whose members are not yet looked for among a run's rows.
struct Unbound {
    name: String,
    members: Vec<Member>,
    /// How the members are written.
    written: Vec<String>,
    weights: Vec<Value>,
    values: Values,
    swept: Vec<String>,
    /// Whether it is swept exactly over [`THRESHOLD`].
    is_exact: bool,
    request: AlgorithmRequest,
}

#[derive(Clone)]
enum Member {
    Algorithm(Box<Row>),
    /// A row by its name: what another program makes.
    Named(AlgorithmRequest),
}

/// Weights are read in units of this many digits behind the point.
const WEIGHT_DIGITS: u8 = 6;

/// Checks `requests` as far as that can be done without datasets.
///
/// # Errors
/// [`RequestError`]: too few members, an unknown one, values that no rule takes, or that do not go together.
fn resolve(requests: &[EnsembleRequest]) -> Result<Vec<Unbound>, RequestError> {
    let mut names = BTreeSet::new();
    let mut unbound = Vec::new();
    for request in requests {
        let name = name_of(request);
        if find(&name).is_ok() || BOUNDS.contains(&name.as_str()) {
            return Err(request.combine.origin.error(format!("`{name}` is the name of another row")));
        }
        if !names.insert(name.clone()) {
            return Err(request
                .combine
                .origin
                .error(format!("two ensembles are named `{name}`; give each its `name`")));
        }
        let members = request.members.iter().map(member).collect::<Result<Vec<_>, _>>()?;
        if members.len() < 2 {
            return Err(request.combine.origin.error("`members` needs two at least"));
        }
        let weights = weights(request)?;
        let parameters = declared::<CombineParameters>();
        let (cells, exact) = grid(&request.combine, &parameters, &|name| name == THRESHOLD)?;
        for values in product(&cells, &request.combine.origin)? {
            refuse_unlike(request, &values, exact.is_some())?;
            unbound.push(Unbound {
                name: name.clone(),
                members: members.clone(),
                written: request.members.iter().map(ToString::to_string).collect(),
                weights: weights.clone(),
                values,
                swept: swept(&request.combine),
                is_exact: exact.is_some(),
                request: request.combine.clone(),
            });
        }
    }
    Ok(unbound)
}

/// The name that was given, or one made of the rule and the members; of serial ones their order is the name.
fn name_of(request: &EnsembleRequest) -> String {
    let members: Vec<&str> = request.members.iter().map(|member| member.name.as_str()).collect();
    let rule = request.combine.parameters.iter().find(|parameter| parameter.name == "rule");
    let rule = rule.map_or("majority".to_owned(), |rule| rule.written.to_string());
    request.name.clone().unwrap_or_else(|| match rule.as_str() {
        "serial" => members.join(">"),
        several if several.contains('|') => format!("{COMBINE}({})", members.join("+")),
        rule => format!("{rule}({})", members.join("+")),
    })
}

fn member(request: &AlgorithmRequest) -> Result<Member, RequestError> {
    if request.name == COMBINE {
        return Err(request.origin.error("an ensemble cannot be the member of another"));
    }
    if BOUNDS.contains(&request.name.as_str()) {
        return Err(request.origin.error(format!("`{}` sees the gold: it cannot be a member", request.name)));
    }
    if find(&request.name).is_err() {
        return Ok(Member::Named(request.clone()));
    }
    let (algorithm, setting) = single_setting(request)?;
    Ok(Member::Algorithm(Box::new(Row::new(OwnAlgorithm { algorithm, setting }, Vec::new()))))
}

/// The weight of each member: what was written, or 1 each.
fn weights(request: &EnsembleRequest) -> Result<Vec<Value>, RequestError> {
    let fault = |message: String| Err(request.combine.origin.error(message));
    if request.weights.is_empty() {
        return Ok(vec![Value::ONE; request.members.len()]);
    }
    if request.weights.len() != request.members.len() {
        let (weights, members) = (request.weights.len(), request.members.len());
        return fault(format!("`weights` has {weights} values for {members} members; give each member one"));
    }
    let mut read = Vec::new();
    for text in &request.weights {
        let value = text.parse::<Value>().ok().filter(|value| {
            *value <= Value::decimal(1_000_000, 0) && value.scaled(WEIGHT_DIGITS).is_some_and(|scaled| scaled > 0)
        });
        let Some(value) = value else {
            return fault(format!(
                "weights: expected decimals above 0, up to 1000000, with at most {WEIGHT_DIGITS} digits behind the point, \
                 not `{text}`"
            ));
        };
        read.push(value);
    }
    Ok(read)
}

/// Refuses values that mean nothing under their rule, or that take or leave everything.
fn refuse_unlike(request: &EnsembleRequest, values: &Values, is_exact: bool) -> Result<(), RequestError> {
    let text = |name: &str| values.get(name).map(text_of);
    let rule = text("rule").unwrap_or_else(|| "majority".to_owned());
    let only_of = |name: &str, rules: &[&str]| match rules.contains(&rule.as_str()) {
        true => Ok(()),
        false => Err(request.combine.origin.error(format!(
            "`{name}` means something under {} only, not under `{rule}`",
            rules.iter().map(|rule| format!("`rule: {rule}`")).collect::<Vec<_>>().join(" and ")
        ))),
    };
    if !request.weights.is_empty() {
        only_of("weights", &["weighted"])?;
    }
    for (name, rules) in
        [(THRESHOLD, &["weighted"][..]), ("ties", &["majority", "weighted"]), ("on_empty", &["serial"])]
    {
        if values.contains_key(name) || is_exact && name == THRESHOLD {
            only_of(name, rules)?;
        }
    }
    let threshold = text(THRESHOLD).and_then(|text| text.parse::<Value>().ok());
    let takes_ties = text("ties").is_some_and(|ties| ties == "in");
    let message = match threshold {
        Some(none) if none == Value::ZERO && takes_ties => {
            "`threshold: 0` with `ties: in` takes what no member chooses; with `ties: out` it is the union"
        }
        Some(all) if all == Value::ONE && !takes_ties => {
            "`threshold: 1` with `ties: out` takes nothing; with `ties: in` it is the intersection"
        }
        _ => return Ok(()),
    };
    Err(request.combine.origin.error(message))
}

/// Adds the rows and exact sweeps of `ensembles`; the members that are no rows of their own.
///
/// # Errors
/// [`RequestError`]: a member that is neither an algorithm nor a row of the run.
fn bind(ensembles: Vec<Unbound>, rows: &mut Vec<Row>, sweeps: &mut Vec<ExactSweep>) -> Result<Vec<Row>, RequestError> {
    let mut known: BTreeMap<String, Place> =
        rows.iter().enumerate().map(|(place, row)| (row.identity(), Place::Row(place))).collect();
    let mut hidden: Vec<Row> = Vec::new();
    let mut bound = Vec::new();
    for ensemble in ensembles {
        let mut members = Vec::new();
        for member in &ensemble.members {
            members.push(match member {
                Member::Algorithm(row) => {
                    let place = *known.entry(row.identity()).or_insert_with(|| {
                        hidden.push((**row).clone());
                        Place::Member(hidden.len() - 1)
                    });
                    (place, (**row).clone())
                }
                Member::Named(request) => {
                    let place = named(request, rows)?;
                    (Place::Row(place), rows[place].clone())
                }
            });
        }
        let (is_exact, swept) = (ensemble.is_exact, ensemble.swept.clone());
        let ensemble = ensemble.bound_to(members)?;
        match is_exact {
            true => sweeps.push(ensemble.swept()),
            false => bound.push(Row::new(ensemble, swept)),
        }
    }
    rows.extend(bound);
    Ok(hidden)
}

/// The place of the row that a member names.
fn named(request: &AlgorithmRequest, rows: &[Row]) -> Result<usize, RequestError> {
    let named =
        rows.iter().enumerate().filter(|(_, row)| row.system.algorithm().is_none() && row.name() == request.name);
    let places: Vec<usize> = named.map(|(place, _)| place).collect();
    match places[..] {
        [_, ..] if !request.parameters.is_empty() => {
            let message = "a member that another program makes is named without parameters";
            Err(request.origin.error(message))
        }
        [place] if rows[place].system.reads_gold().is_some() => {
            Err(request.origin.error(format!("`{}` learns from gold: it cannot be a member", request.name)))
        }
        [place] => Ok(place),
        [_, ..] => {
            let message = format!("`{}` is {} rows of the run, and a member is one", request.name, places.len());
            Err(request.origin.error(message))
        }
        [] => {
            let others = rows.iter().filter(|row| row.system.algorithm().is_none()).map(Row::name);
            let known: Vec<&str> = names().map(|name| -> &str { name }).chain(others).collect();
            Err(request.origin.error(format!(
                "`{}` is no algorithm, nor a row of the run (stored outputs are one as stored/NAME, external programs as external/NAME); \
                 {}",
                request.name,
                hint(&request.name, known)
            )))
        }
    }
}

impl Unbound {
    fn bound_to(self, members: Vec<(Place, Row)>) -> Result<Ensemble, RequestError> {
        let defaults = as_values(&CombineParameters::default());
        let mut values = Values::new();
        values.insert("members".to_owned(), self.written.into_iter().map(Json::from).collect());
        values.insert("weights".to_owned(), self.weights.iter().map(|weight| Json::from(weight.to_string())).collect());
        let kinds = declared::<CombineParameters>();
        let mut differs: Vec<String> = Vec::new();
        if self.weights.iter().any(|weight| *weight != Value::ONE) {
            differs.push("weights".to_owned());
        }
        for kind in &kinds {
            let default = &defaults[&kind.name];
            let value = self.values.get(&kind.name).unwrap_or(default);
            if canonical(&kind.values, value) != canonical(&kind.values, default) {
                differs.push(kind.name.clone());
            }
            values.insert(kind.name.clone(), value.clone());
        }
        let typed: Values = kinds.iter().map(|kind| (kind.name.clone(), values[&kind.name].clone())).collect();
        let parameters: CombineParameters = serde_json::from_value(Json::Object(typed))
            .map_err(|error| self.request.origin.error(format!("{COMBINE}: {error}")))?;
        let is_fixed = |(_, row): &&(Place, Row)| row.system.algorithm().is_none();
        if parameters.rule == Combination::Serial
            && let Some((_, row)) = members.iter().skip(1).find(is_fixed)
        {
            return Err(self.request.origin.error(format!(
                "`{}` can only be the first member of a serial ensemble: it cannot be run on what another one left",
                row.name()
            )));
        }
        let weights = self.weights.iter().filter_map(|weight| weight.scaled(WEIGHT_DIGITS)).collect();
        Ok(Ensemble { name: self.name, members, parameters, weights, values, differs })
    }
}

impl Ensemble {
    /// Its exact sweep over [`THRESHOLD`].
    fn swept(self) -> ExactSweep {
        let (range, default) = (self.swept_range(), CombineParameters::default().threshold.to_string());
        ExactSweep { row: Row::new(self, Vec::new()), parameter: THRESHOLD.to_owned(), range, default }
    }
}

impl System for Ensemble {
    fn name(&self) -> &str {
        &self.name
    }

    fn values(&self) -> Values {
        self.values.clone()
    }

    fn differs(&self) -> Vec<String> {
        self.differs.clone()
    }

    fn identity(&self) -> String {
        let members = self.members.iter().map(|(_, row)| row.identity());
        let members: Vec<String> = members.collect();
        let CombineParameters { rule, threshold, ties, on_empty } = self.parameters;
        let threshold = threshold.reduced();
        format!(
            "{COMBINE}\t{}\t{rule:?} {threshold} {ties:?} {on_empty:?} {:?}\t{}",
            self.name,
            self.weights,
            members.join("\t")
        )
    }

    fn line(&self, place: usize, languages: &BTreeSet<Option<String>>) -> String {
        let pairs = self.values.iter().filter(|(name, _)| *name != "members");
        let mut parts = vec![format!("carat {}", env!("CARGO_PKG_VERSION")), self.name.clone(), COMBINE.to_owned()];
        parts.extend(pairs.map(|(name, value)| format!("{name}={}", text_of(value))));
        let member = |(_, member): &(_, Row)| format!("({})", member.system.line(place, languages));
        parts.extend(self.members.iter().map(member));
        parts.join(" | ")
    }

    fn is_of(&self, place: usize) -> bool {
        self.members.iter().all(|(_, member)| member.system.is_of(place))
    }

    fn members(&self) -> Vec<Place> {
        self.members.iter().map(|(place, _)| *place).collect()
    }

    fn verb(&self) -> Option<&'static str> {
        Some("combine")
    }
}

/// The kind of ensembles.
pub(super) struct Ensembles;

impl Kind for Ensembles {
    fn makes(&self, row: &Row) -> bool {
        row.of::<Ensemble>().is_some()
    }

    fn described(&self) -> &'static [Described] {
        &described::COMBINED
    }

    fn check(&self, configuration: &Configuration) -> Result<(), RequestError> {
        resolve(&configuration.ensembles).map(|_| ())
    }

    fn resolve(&self, configuration: &Configuration, planned: &mut Planned) -> Result<(), PlanError> {
        let Planned { rows, members, sweeps, .. } = planned;
        members.extend(bind(resolve(&configuration.ensembles)?, rows, sweeps)?);
        Ok(())
    }

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt> {
        let own = own.rows.into_iter().filter_map(|(place, row)| Some((place, row.of::<Ensemble>()?)));
        Ok(Box::new(PreparedEnsembles(own.collect())))
    }
}

/// Ensembles by their places in the plan.
struct PreparedEnsembles<'p>(Vec<(usize, &'p Ensemble)>);

impl Prepared for PreparedEnsembles<'_> {
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let Some(page) = on.page else { return Ok(Vec::new()) };
        let extraction = |&(place, ensemble): &(usize, &Ensemble)| match guarded(|| ensemble.choose(page, on.others)) {
            Ok(None) => None,
            Ok(Some(Ok(combined))) => Some(RowExtraction {
                degraded: combined.degraded,
                ..RowExtraction::new(place, Extraction::Chosen(combined.choice))
            }),
            Ok(Some(Err(reason))) | Err(reason) => Some(RowExtraction::new(place, Extraction::Failed(reason))),
        };
        Ok(self.0.iter().filter_map(extraction).collect())
    }

    fn sweep(
        &self,
        (_, sweep): (usize, &ExactSweep),
        on: &OnPage<'_>,
        take: TakeSample<'_>,
    ) -> Option<Result<(), String>> {
        sweep.row.of::<Ensemble>()?.sweep(on.page?, on.others, take)
    }
}

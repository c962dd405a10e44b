//! Ensembles: rows that combine what other systems choose, text node by text node (`combine`).
//!
//! After CombinE (Gottron, iiWAS 2008), of which we know the abstract only: the rules are ours.

mod choose;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub(super) use self::choose::MemberChoices;
use super::bounds;
use super::configuration::{AlgorithmRequest, EnsembleRequest, RequestError};
use super::rows::{ExactSweep, Place, Row, System, canonical, grid, product, single_setting, text_of};
use crate::algorithms::parameters::{Values, as_values, declared};
use crate::algorithms::value::Value;
use crate::algorithms::{find, names};
use crate::text::hint;

/// How ensembles are called in configurations.
pub const COMBINE: &str = "combine";

/// The parameter whose break points are known: the shares of all weights that nodes of a page have.
pub(super) const THRESHOLD: &str = "threshold";

/// How the members' choices become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Combination {
    /// Nodes that more than half of the members choose.
    #[default]
    Majority,
    /// Nodes whose members weigh more than a share of all.
    Weighted,
    /// Nodes that any member chooses.
    Union,
    /// Nodes that every member chooses.
    Intersection,
    /// Each member sees what the one before it has left.
    Serial,
}

/// What becomes of a node for and against which the members are even.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// It is left out.
    #[default]
    Out,
    /// It is taken.
    In,
}

/// What a member of a serial ensemble that chooses nothing means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnEmpty {
    /// It is passed over.
    #[default]
    KeepPrevious,
    /// Nothing is chosen.
    Empty,
}

/// Parameters of `combine` besides its members, their weights and its name.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CombineParameters {
    /// Which text nodes are taken: chosen by more than half of the members, by members that weigh more than `threshold` of
    /// all, by any, by all; or `serial`: each member sees the page with what the one before it left out made blank, and
    /// the last choice counts
    pub rule: Combination,
    /// The share of all weights that those who choose a node must exceed (`rule=weighted`)
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub threshold: Value,
    /// What becomes of a node at exactly half, or exactly `threshold` (`rule=majority|weighted`)
    pub ties: Ties,
    /// What a member that chooses nothing means to those after it: nothing, or that nothing is chosen (`rule=serial`)
    pub on_empty: OnEmpty,
}

impl Default for CombineParameters {
    fn default() -> Self {
        CombineParameters {
            rule: Combination::default(),
            threshold: Value::hundredths(50),
            ties: Ties::default(),
            on_empty: OnEmpty::default(),
        }
    }
}

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
    pub(super) values: Values,
    /// Those of them that are not at their default.
    pub(super) differs: Vec<String>,
}

/// An ensemble whose members are not yet looked for among a run's rows.
pub(super) struct Unbound {
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
pub(super) fn resolve(requests: &[EnsembleRequest]) -> Result<Vec<Unbound>, RequestError> {
    let mut names = BTreeSet::new();
    let mut unbound = Vec::new();
    for request in requests {
        let name = name_of(request);
        if find(&name).is_ok() || bounds::is_bound(&name) {
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
        let (cells, exact) = grid(&request.combine, &parameters)?;
        let swept = request.combine.parameters.iter().filter(|parameter| parameter.written.is_swept());
        let swept: Vec<String> = swept.map(|parameter| parameter.name.clone()).collect();
        for values in product(&cells, &request.combine.origin)? {
            refuse_unlike(request, &values, exact.is_some())?;
            unbound.push(Unbound {
                name: name.clone(),
                members: members.clone(),
                written: request.members.iter().map(ToString::to_string).collect(),
                weights: weights.clone(),
                values,
                swept: swept.clone(),
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
    if bounds::is_bound(&request.name) {
        return Err(request.origin.error(format!("`{}` sees the gold: it cannot be a member", request.name)));
    }
    let Ok(algorithm) = find(&request.name) else { return Ok(Member::Named(request.clone())) };
    let system = System::Algorithm { algorithm, setting: single_setting(request)? };
    Ok(Member::Algorithm(Box::new(Row { system, swept: Vec::new() })))
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
pub(super) fn bind(
    ensembles: Vec<Unbound>,
    rows: &mut Vec<Row>,
    sweeps: &mut Vec<ExactSweep>,
) -> Result<Vec<Row>, RequestError> {
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
            false => bound.push(Row { system: System::Ensemble(ensemble), swept }),
        }
    }
    rows.extend(bound);
    Ok(hidden)
}

/// The place of the row that a member names.
fn named(request: &AlgorithmRequest, rows: &[Row]) -> Result<usize, RequestError> {
    let named = rows.iter().enumerate().filter(|(_, row)| row.algorithm().is_none() && row.name() == request.name);
    let places: Vec<usize> = named.map(|(place, _)| place).collect();
    match places[..] {
        [_, ..] if !request.parameters.is_empty() => {
            let message = "a member that another program makes is named without parameters";
            Err(request.origin.error(message))
        }
        [place] if rows[place].reads_gold().is_some() => {
            Err(request.origin.error(format!("`{}` learns from gold: it cannot be a member", request.name)))
        }
        [place] => Ok(place),
        [_, ..] => {
            let message = format!("`{}` is {} rows of the run, and a member is one", request.name, places.len());
            Err(request.origin.error(message))
        }
        [] => {
            let others = rows.iter().filter(|row| row.algorithm().is_none()).map(Row::name);
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

/// The ensembles among rows and exact sweeps.
pub(super) fn of<'e>(rows: &'e [Row], sweeps: &'e [ExactSweep]) -> impl Iterator<Item = &'e Ensemble> {
    let all = rows.iter().chain(sweeps.iter().map(|sweep| &sweep.row));
    all.filter_map(|row| match &row.system {
        System::Ensemble(ensemble) => Some(ensemble),
        _ => None,
    })
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
        let is_fixed = |(_, row): &&(Place, Row)| row.algorithm().is_none();
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
        let row = Row { system: System::Ensemble(self), swept: Vec::new() };
        ExactSweep { row, parameter: THRESHOLD.to_owned(), range, default }
    }

    /// Everything that the choice depends on.
    pub(super) fn identity(&self) -> String {
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
}

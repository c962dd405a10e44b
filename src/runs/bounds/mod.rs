//! Bounds: rows that see the gold, and say how much a choice could reach at most. They stand beside the floors in every
//! table; they are never ranked, lettered or compared.

mod choose;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::configuration::{AlgorithmRequest, RequestError};
use super::ensembles::{self, Ensemble};
use super::execute::RowOutcome;
use super::rows::{ExactSweep, Place, Row, System, differs, grid, label, product, text_of};
use crate::algorithms::parameters::{Values, as_values, declared};
use crate::text::hint;

/// The best setting of each sweep, page by page.
pub const SWEEP: &str = "oracle-sweep";
/// The best member of each ensemble, page by page.
pub const MEMBER: &str = "oracle-member";
/// The best single element.
pub const SUBTREE: &str = "oracle-subtree";
/// The best set of text nodes.
pub const NODES: &str = "oracle-nodes";

/// Every bound, in the order of listings and of a report.
pub const NAMES: [&str; 4] = [SWEEP, MEMBER, SUBTREE, NODES];

/// Which text nodes are those of a gold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodesRule {
    /// Those of the set with the greatest F1.
    #[default]
    Best,
    /// Those of which half is matched in one alignment.
    Half,
}

/// Parameters of `oracle-nodes`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodesParameters {
    /// `best`: the set of text nodes with the greatest F1, exactly; `half`: the text nodes of which at least half of the
    /// characters are matched in one longest common subsequence of all text and the gold, which is no bound
    pub rule: NodesRule,
}

/// A bound, as a row of a run.
#[derive(Clone)]
pub struct Bound {
    /// What it is the best of.
    pub kind: Kind,
    pub(super) values: Values,
    pub(super) differs: Vec<String>,
}

/// What a bound is the best of.
#[derive(Clone)]
pub enum Kind {
    /// Of these rows and members, page by page.
    Rows(Vec<Place>),
    /// Of an exact sweep, by its place in the plan, page by page.
    Exact(usize),
    /// Of the page's elements.
    Subtree,
    /// Of the sets of the page's text nodes.
    Nodes(NodesRule),
}

/// Whether `name` is that of a bound.
pub fn is_bound(name: &str) -> bool {
    NAMES.contains(&name)
}

/// All bounds at their defaults: what a run has where it does not say otherwise.
pub fn all() -> Vec<AlgorithmRequest> {
    NAMES.iter().map(|name| AlgorithmRequest::plain(name)).collect()
}

/// Refuses what is no bound.
///
/// # Errors
/// [`RequestError`], with the nearest name.
pub(super) fn check(requests: &[AlgorithmRequest]) -> Result<(), RequestError> {
    for request in requests {
        if !is_bound(&request.name) {
            let message = format!("`{}` is no bound; {}", request.name, hint(&request.name, NAMES));
            return Err(request.origin.error(message));
        }
        settings(request)?;
    }
    Ok(())
}

/// The parameters of each row that `request` asks for.
fn settings(request: &AlgorithmRequest) -> Result<Vec<Values>, RequestError> {
    let parameters = if request.name == NODES { declared::<NodesParameters>() } else { Vec::new() };
    let (cells, _) = grid(request, &parameters)?;
    product(&cells, &request.origin)
}

impl Bound {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Rows(_) if self.values.contains_key("ensemble") => MEMBER,
            Kind::Rows(_) | Kind::Exact(_) => SWEEP,
            Kind::Subtree => SUBTREE,
            Kind::Nodes(_) => NODES,
        }
    }

    pub(super) fn identity(&self) -> String {
        let values = self.values.iter().map(|(name, value)| format!("{name}={}", text_of(value)));
        std::iter::once(self.name().to_owned()).chain(values).collect::<Vec<_>>().join("\t")
    }

    /// Whether it is the best of other rows, and needs no page of its own.
    pub(super) fn is_of_rows(&self) -> bool {
        matches!(self.kind, Kind::Rows(_))
    }

    /// The best `of` what the rows of a [`Kind::Rows`] came to, the first of equal ones.
    pub(super) fn best_of<'o>(&self, of: impl Fn(Place) -> &'o RowOutcome) -> Option<&'o RowOutcome> {
        let Kind::Rows(places) = &self.kind else { return None };
        let f1 = |outcome: &RowOutcome| match outcome {
            RowOutcome::Scored(result) => Some(result.counts.score().f1),
            RowOutcome::Failed(_) | RowOutcome::TimedOut(_) | RowOutcome::NotRun => None,
        };
        let better = |best: &'o RowOutcome, next: &'o RowOutcome| if f1(next) > f1(best) { next } else { best };
        places.iter().map(|place| of(*place)).reduce(better)
    }
}

/// The rows of `requests`, given all others of the run and its exact sweeps.
///
/// # Errors
/// [`RequestError`]: no bound, or values that it does not have.
pub(super) fn resolve(
    requests: &[AlgorithmRequest],
    rows: &[Row],
    sweeps: &[ExactSweep],
) -> Result<Vec<Row>, RequestError> {
    let (mut bounds, mut known) = (Vec::new(), BTreeSet::new());
    for request in requests {
        for values in settings(request)? {
            let of_request = match request.name.as_str() {
                SWEEP => of_sweeps(rows, sweeps),
                MEMBER => of_ensembles(rows, sweeps),
                SUBTREE => vec![Bound { kind: Kind::Subtree, values, differs: Vec::new() }],
                _ => vec![of_nodes(values)],
            };
            let swept = request.parameters.iter().filter(|parameter| parameter.written.is_swept());
            let swept: Vec<String> = swept.map(|parameter| parameter.name.clone()).collect();
            for bound in of_request {
                if known.insert(bound.identity()) {
                    bounds.push(Row { system: System::Bound(bound), swept: swept.clone() });
                }
            }
        }
    }
    Ok(bounds)
}

fn of_nodes(given: Values) -> Bound {
    let mut values = as_values(&NodesParameters::default());
    values.extend(given);
    let parameters: NodesParameters = serde_json::from_value(values.clone().into()).unwrap_or_default();
    let differs = differs(&declared::<NodesParameters>(), &values);
    Bound { kind: Kind::Nodes(parameters.rule), values, differs }
}

/// A bound that is told by what it is the best of.
fn best(kind: Kind, name: &str, of: String) -> Bound {
    let values = Values::from_iter([(name.to_owned(), of.into())]);
    Bound { kind, values, differs: vec![name.to_owned()] }
}

/// A bound a sweep: of rows that differ in what they vary alone, and of each exact sweep.
fn of_sweeps(rows: &[Row], sweeps: &[ExactSweep]) -> Vec<Bound> {
    let mut families: Vec<(String, String, Vec<Place>)> = Vec::new();
    for (place, row) in rows.iter().enumerate().filter(|(_, row)| !row.swept.is_empty()) {
        let mut fixed = row.values();
        fixed.retain(|name, _| !row.swept.contains(name));
        let key = format!("{}\t{}\t{}", row.name(), row.swept.join("+"), text_of(&fixed.clone().into()));
        match families.iter_mut().find(|(known, ..)| *known == key) {
            Some((_, _, places)) => places.push(Place::Row(place)),
            None => {
                let differs: Vec<String> = row.differs().into_iter().filter(|name| fixed.contains_key(name)).collect();
                let told =
                    [row.name(), &row.swept.join("+"), &label(&fixed, &differs, &[]).replace(',', " ")].join(" ");
                families.push((key, told.trim_end().to_owned(), vec![Place::Row(place)]));
            }
        }
    }
    let of_rows = families.into_iter().filter(|(_, _, places)| places.len() > 1);
    let of_rows = of_rows.map(|(_, told, places)| best(Kind::Rows(places), "sweep", told));
    let exact = sweeps.iter().enumerate().map(|(place, sweep)| {
        let told = format!("{} {}=exact {}", sweep.row.name(), sweep.parameter, sweep.label().replace(',', " "));
        best(Kind::Exact(place), "sweep", told.trim_end().to_owned())
    });
    of_rows.chain(exact).collect()
}

/// A bound an ensemble, whatever its rule.
fn of_ensembles(rows: &[Row], sweeps: &[ExactSweep]) -> Vec<Bound> {
    let mut seen = BTreeSet::new();
    let named = ensembles::of(rows, sweeps).filter(|ensemble| seen.insert(ensemble.name.clone()));
    let bound = |ensemble: &Ensemble| {
        let places = ensemble.members.iter().map(|(place, _)| *place).collect();
        best(Kind::Rows(places), "ensemble", ensemble.name.clone())
    };
    named.map(bound).collect()
}

//! Bounds: rows that see the gold, and say how much a choice could reach at most. They stand beside the floors in every
//! table; they are never ranked, lettered or compared.

mod choose;
mod described;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::configuration::bounds::{MEMBER, NAMES, NODES, SUBTREE, SWEEP};
use super::configuration::{AlgorithmRequest, Configuration, RequestError};
use super::described::Described;
use super::families::{Member, families};
use super::guarding::guarded;
use super::kind::{Asked, Extraction, Kind, OnPage, PlanError, Planned, Prepared, Preparing, RowExtraction};
use super::node_tokens::NodePlaces;
use super::reads_gold::ReadsGold;
use super::system::{BestOf, ExactSweep, Place, Row, System};
use super::values::{differs, grid, label, product, swept, text_of};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::parameters::{Values, as_values, declared};
use crate::datasets::load::Loading;
use crate::datasets::node_tokens::{NodeTokens, char_tokens};
use crate::datasets::{DatasetError, Halt};
use crate::scoring::TooLarge;
use crate::text::hint;

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
    pub of: Best,
    values: Values,
    differs: Vec<String>,
}

/// What a bound is the best of.
#[derive(Clone)]
pub enum Best {
    /// Of these rows and members, page by page.
    Rows(Vec<Place>),
    /// Of an exact sweep, by its place in the plan, page by page.
    Exact(usize),
    /// Of the page's elements.
    Subtree,
    /// Of the sets of the page's text nodes.
    Nodes(NodesRule),
}

/// Refuses what is no bound.
///
/// # Errors
/// [`RequestError`], with the nearest name.
fn check(requests: &[AlgorithmRequest]) -> Result<(), RequestError> {
    for request in requests {
        if !NAMES.contains(&request.name.as_str()) {
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
    let (cells, _) = grid(request, &parameters, &|_| false)?;
    product(&cells, &request.origin)
}

impl System for Bound {
    fn name(&self) -> &str {
        match self.of {
            Best::Rows(_) if self.values.contains_key(ENSEMBLE) => MEMBER,
            Best::Rows(_) | Best::Exact(_) => SWEEP,
            Best::Subtree => SUBTREE,
            Best::Nodes(_) => NODES,
        }
    }

    fn values(&self) -> Values {
        self.values.clone()
    }

    fn differs(&self) -> Vec<String> {
        self.differs.clone()
    }

    fn identity(&self) -> String {
        let values = self.values.iter().map(|(name, value)| format!("{name}={}", text_of(value)));
        std::iter::once(self.name().to_owned()).chain(values).collect::<Vec<_>>().join("\t")
    }

    fn line(&self, _: usize, _: &BTreeSet<Option<String>>) -> String {
        let pairs = self.values.iter().map(|(name, value)| format!("{name}={}", text_of(value)));
        let named = [format!("carat {}", env!("CARGO_PKG_VERSION")), self.name().to_owned()];
        let parts: Vec<String> = named.into_iter().chain(pairs).chain(["reads_gold=page".to_owned()]).collect();
        parts.join(" | ")
    }

    fn reads_gold(&self) -> Option<ReadsGold> {
        Some(ReadsGold::Page)
    }

    fn needs_page(&self) -> bool {
        !matches!(self.of, Best::Rows(_))
    }

    fn is_compared(&self) -> bool {
        false
    }

    fn best_of(&self) -> BestOf<'_> {
        match &self.of {
            Best::Rows(places) => BestOf::Systems(places),
            Best::Exact(place) => BestOf::Sweep(*place),
            Best::Subtree | Best::Nodes(_) => BestOf::Nothing,
        }
    }

    fn verb(&self) -> Option<&'static str> {
        Some("bound")
    }
}

/// The kind of bounds.
pub(super) struct Bounds;

impl Kind for Bounds {
    fn makes(&self, row: &Row) -> bool {
        row.of::<Bound>().is_some()
    }

    fn described(&self) -> &'static [Described] {
        &described::BOUNDS
    }

    fn asked(&self, request: &AlgorithmRequest, _: Loading) -> Option<Result<Asked, RequestError>> {
        let message = || format!("`{}` is a bound; bounds are named under `bounds`", request.name);
        NAMES.contains(&request.name.as_str()).then(|| Err(request.origin.error(message())))
    }

    fn reads_gold(&self, name: &str, _: &str) -> Option<ReadsGold> {
        NAMES.contains(&name).then_some(ReadsGold::Page)
    }

    fn check(&self, configuration: &Configuration) -> Result<(), RequestError> {
        check(&configuration.bounds)
    }

    fn resolve(&self, configuration: &Configuration, planned: &mut Planned) -> Result<(), PlanError> {
        let bounds = resolve(&configuration.bounds, &planned.rows, &planned.sweeps)?;
        planned.rows.extend(bounds);
        Ok(())
    }

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt> {
        let own = own.rows.into_iter().filter_map(|(place, row)| Some((place, row.of::<Bound>()?)));
        Ok(Box::new(PreparedBounds(own.collect())))
    }
}

/// Bounds by their places in the plan.
struct PreparedBounds<'p>(Vec<(usize, &'p Bound)>);

impl Prepared for PreparedBounds<'_> {
    /// What those choose that choose on the page by themselves.
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let (Some(page), Some(gold)) = (on.page, on.gold) else { return Ok(Vec::new()) };
        let mut tokens = None;
        let extraction = |&(place, bound): &(usize, &Bound)| {
            if bound.best_of() != BestOf::Nothing {
                return None;
            }
            let (text, gold) = tokens.get_or_insert_with(|| match on.node_gold {
                Some(gold) => (page.view::<NodePlaces>().all(), gold.to_vec()),
                None => (page.view::<NodeTokens>(), char_tokens(gold)),
            });
            let extraction = match guarded(|| bound.choose(page, text, gold)) {
                Ok(None | Some(Err(TooLarge))) => return None,
                Ok(Some(Ok(selection))) => Extraction::Chosen(Choice::Selection(selection)),
                Err(reason) => Extraction::Failed(reason),
            };
            Some(RowExtraction::new(place, extraction))
        };
        Ok(self.0.iter().filter_map(extraction).collect())
    }
}

/// The rows of `requests`, given all others of the run and its exact sweeps.
///
/// # Errors
/// [`RequestError`]: no bound, or values that it does not have.
fn resolve(requests: &[AlgorithmRequest], rows: &[Row], sweeps: &[ExactSweep]) -> Result<Vec<Row>, RequestError> {
    let (mut bounds, mut known) = (Vec::new(), BTreeSet::new());
    for request in requests {
        for values in settings(request)? {
            let of_request = match request.name.as_str() {
                SWEEP => of_sweeps(rows, sweeps),
                MEMBER => of_ensembles(rows, sweeps),
                SUBTREE => vec![Bound { of: Best::Subtree, values, differs: Vec::new() }],
                _ => vec![of_nodes(values)],
            };
            for bound in of_request {
                if known.insert(bound.identity()) {
                    bounds.push(Row::new(bound, swept(request)));
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
    Bound { of: Best::Nodes(parameters.rule), values, differs }
}

/// A bound that is told by what it is the best of.
fn best(of: Best, name: &str, told: String) -> Bound {
    let values = Values::from_iter([(name.to_owned(), told.into())]);
    Bound { of, values, differs: vec![name.to_owned()] }
}

/// A bound a sweep: of rows that differ in what they vary alone, and of each exact sweep.
fn of_sweeps(rows: &[Row], sweeps: &[ExactSweep]) -> Vec<Bound> {
    let members: Vec<Member<'_>> =
        rows.iter().map(|row| Member::new(row.name(), &row.swept, &row.system.values())).collect();
    let of_rows = families(&members).into_iter().filter(|family| family.rows.len() > 1).map(|family| {
        let Row { swept, system, .. } = &rows[family.first];
        let mut fixed = system.values();
        fixed.retain(|name, _| !swept.contains(name));
        let differs: Vec<String> = system.differs().into_iter().filter(|name| fixed.contains_key(name)).collect();
        let label = label(&fixed, &differs, &[]).replace(',', " ");
        let told = [rows[family.first].name(), &swept.join("+"), &label].join(" ");
        let places = family.rows.into_iter().map(Place::Row).collect();
        best(Best::Rows(places), "sweep", told.trim_end().to_owned())
    });
    let exact = sweeps.iter().enumerate().map(|(place, sweep)| {
        let told = format!("{} {}=exact {}", sweep.row.name(), sweep.parameter, sweep.label().replace(',', " "));
        best(Best::Exact(place), "sweep", told.trim_end().to_owned())
    });
    of_rows.chain(exact).collect()
}

/// What an ensemble's bound is told by.
const ENSEMBLE: &str = "ensemble";

/// A bound an ensemble, whatever its rule.
fn of_ensembles(rows: &[Row], sweeps: &[ExactSweep]) -> Vec<Bound> {
    let mut seen = BTreeSet::new();
    let all = rows.iter().chain(sweeps.iter().map(|sweep| &sweep.row)).filter(|row| !row.system.members().is_empty());
    let named = all.filter(|row| seen.insert(row.name().to_owned()));
    named.map(|row| best(Best::Rows(row.system.members()), ENSEMBLE, row.name().to_owned())).collect()
}

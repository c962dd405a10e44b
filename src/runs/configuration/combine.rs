//! What is written of ensembles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AlgorithmRequest, ParameterRequest, RequestError};
use crate::algorithms::parameters::declared;
use crate::algorithms::value::Value;
use crate::text::hint;

/// How ensembles are called in configurations.
pub const COMBINE: &str = "combine";

/// The parameter whose break points are known: the shares of all weights that nodes of a page have.
pub(in crate::runs) const THRESHOLD: &str = "threshold";

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
    /// What happens if a member chooses nothing: `keep_previous` passes over it, with `empty` the ensemble chooses nothing
    /// (`rule=serial`)
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

/// Rows that shall be combined.
#[derive(Clone, Debug)]
pub struct EnsembleRequest {
    /// The row's name, if it is given one.
    pub name: Option<String>,
    /// What it combines.
    pub members: Vec<AlgorithmRequest>,
    /// A weight a member, as they are written; empty where none are.
    pub weights: Vec<String>,
    /// The parameters of `combine` besides these.
    pub combine: AlgorithmRequest,
}

/// The keys of `combine` that are no single values.
const COMBINE_LISTS: [&str; 3] = ["name", "members", "weights"];

impl EnsembleRequest {
    /// What `combine` means whose lists are written as on the command line: `members=nta+cevc,weights=2+1`.
    pub(super) fn of(mut combine: AlgorithmRequest) -> Result<Self, RequestError> {
        let mut taken = |name: &str| {
            let at = combine.parameters.iter().position(|parameter| parameter.name == name)?;
            Some(combine.parameters.remove(at))
        };
        let [name, members, weights] = ["name", "members", "weights"].map(&mut taken);
        let list = |parameter: &ParameterRequest| -> Vec<String> {
            parameter.written.to_string().split('+').map(str::to_owned).collect()
        };
        let Some(members) = members else { return Err(combine.origin.error("`members` is missing")) };
        let read = |member: &String| AlgorithmRequest::from_text(member, &members.origin);
        let read = list(&members).iter().map(read).collect::<Result<_, _>>()?;
        let request = EnsembleRequest {
            name: name.map(|name| name.written.to_string()),
            members: read,
            weights: weights.as_ref().map(list).unwrap_or_default(),
            combine,
        };
        request.checked()
    }

    /// Refuses unknown keys, and names that could not be written as one argument again.
    pub(super) fn checked(self) -> Result<Self, RequestError> {
        let scalars = declared::<CombineParameters>();
        let known = COMBINE_LISTS.into_iter().chain(scalars.iter().map(|parameter| parameter.name.as_str()));
        for ParameterRequest { name, origin, .. } in &self.combine.parameters {
            if !known.clone().any(|known| known == name) {
                let hint = hint(name, known.collect::<Vec<_>>());
                return Err(origin.error(format!("unknown key `{name}` of {COMBINE}; {hint}")));
            }
        }
        if let Some(name) = &self.name {
            AlgorithmRequest { name: name.clone(), ..self.combine.clone() }.refuse_marks()?;
            if name.is_empty() || name.contains('/') {
                return Err(self.combine.origin.error(format!("`{name}` is no name of a row")));
            }
        }
        Ok(self)
    }

    /// The request as a mapping of a configuration file.
    pub(super) fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
        let mut keys = serde_json::Map::new();
        if let Some(name) = &self.name {
            keys.insert("name".to_owned(), name.as_str().into());
        }
        keys.insert("members".to_owned(), self.members.iter().map(ToString::to_string).collect());
        if !self.weights.is_empty() {
            keys.insert("weights".to_owned(), self.weights.iter().map(String::as_str).collect());
        }
        for ParameterRequest { name, written, .. } in &self.combine.parameters {
            keys.insert(name.clone(), written.to_string().into());
        }
        keys
    }
}

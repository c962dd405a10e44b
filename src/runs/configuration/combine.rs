//! What is written of ensembles.

use super::{AlgorithmRequest, ParameterRequest, RequestError};
use crate::algorithms::parameters::declared;
use crate::runs::ensembles::{COMBINE, CombineParameters};
use crate::text::hint;

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

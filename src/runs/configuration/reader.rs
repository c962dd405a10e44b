//! The nodes of a configuration file as its parts, with errors at their place.

use super::combine::COMBINE;
use super::function::PYTHON;
use super::{
    AlgorithmRequest, Configuration, EnsembleRequest, FILTERS, NamedRequest, Origin, ParameterRequest, RequestError,
    checked_filter,
};
use crate::algorithms::find;
use crate::algorithms::parameters::ParameterKind;
use crate::formats::yaml::{Located, Node, Position, YamlError};
use crate::runs::grid::Written;

/// A mapping's keys and values, with their places.
pub(in crate::runs) type Entries = [(Located<String>, Located<Node>)];

/// Turns nodes into parts of a configuration, with errors at their place.
pub(in crate::runs) struct Reader<'f> {
    pub(super) file: &'f str,
    pub(super) text: std::sync::Arc<str>,
}

impl Reader<'_> {
    pub(in crate::runs) fn error(&self, at: Position, message: String) -> RequestError {
        YamlError::new(self.file, &self.text, at, message).into()
    }

    pub(super) fn origin(&self, at: Position) -> Origin {
        Origin::File { file: self.file.to_owned(), text: self.text.clone(), at }
    }

    pub(in crate::runs) fn map<'n>(&self, node: &'n Located<Node>) -> Result<&'n Entries, RequestError> {
        match &node.value {
            Node::Map(entries) => Ok(entries),
            _ => Err(self.error(node.at, "expected keys with values".to_owned())),
        }
    }

    pub(in crate::runs) fn scalar<'n>(&self, node: &'n Located<Node>) -> Result<&'n str, RequestError> {
        match &node.value {
            Node::Scalar(text) => Ok(text),
            _ => Err(self.error(node.at, "expected a single value".to_owned())),
        }
    }

    /// A run's name, which names its folder too.
    pub(super) fn name(&self, node: &Located<Node>) -> Result<String, RequestError> {
        let name = self.scalar(node)?;
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) {
            let message = "a run's name is the name of a folder: without `/` and not beginning with `.`";
            return Err(self.error(node.at, message.to_owned()));
        }
        Ok(name.to_owned())
    }

    /// A list of scalars; a single one stands for a list of one.
    pub(super) fn scalars(&self, node: &Located<Node>) -> Result<Vec<String>, RequestError> {
        match &node.value {
            Node::List(items) => items.iter().map(|item| self.scalar(item).map(str::to_owned)).collect(),
            _ => Ok(vec![self.scalar(node)?.to_owned()]),
        }
    }

    /// A list of names with their places; a single one stands for a list of one.
    pub(super) fn named(&self, node: &Located<Node>) -> Result<Vec<NamedRequest>, RequestError> {
        let request = |item: &Located<Node>| {
            Ok(NamedRequest { name: self.scalar(item)?.to_owned(), origin: self.origin(item.at) })
        };
        match &node.value {
            Node::List(items) => items.iter().map(request).collect(),
            _ => Ok(vec![request(node)?]),
        }
    }

    pub(in crate::runs) fn word<T: std::str::FromStr<Err = String>>(
        &self,
        node: &Located<Node>,
    ) -> Result<T, RequestError> {
        self.scalar(node)?.parse().map_err(|message| self.error(node.at, message))
    }

    pub(super) fn flag(&self, node: &Located<Node>) -> Result<bool, RequestError> {
        self.scalar(node)?.parse().map_err(|_| self.error(node.at, "expected true or false".to_owned()))
    }

    pub(super) fn filters(&self, node: &Located<Node>) -> Result<Vec<(String, String)>, RequestError> {
        let entries = if matches!(node.value, Node::Null) { &[] } else { self.map(node)? };
        let filters = entries.iter().map(|(key, value)| {
            let at = if FILTERS.contains(&key.value.as_str()) { value.at } else { key.at };
            let filter = checked_filter(&key.value, self.scalar(value)?).map_err(|message| self.error(at, message))?;
            Ok((key.value.clone(), filter))
        });
        filters.collect()
    }

    /// Reads the list of what is run: carat's algorithms, ensembles, external programs, and functions.
    pub(super) fn systems(&self, node: &Located<Node>, configuration: &mut Configuration) -> Result<(), RequestError> {
        for item in self.list_of_algorithms(node)? {
            match &item.value {
                Node::Map(entries) if matches!(&entries[..], [(name, _)] if name.value == "external") => {
                    configuration.external.push(self.external(&entries[0].1)?);
                }
                Node::Map(entries) if matches!(&entries[..], [(name, _)] if name.value == PYTHON) => {
                    configuration.functions.push(self.function(&entries[0].1)?);
                }
                Node::Map(entries) if matches!(&entries[..], [(name, _)] if name.value == COMBINE) => {
                    configuration.ensembles.push(self.ensemble(&entries[0].0, &entries[0].1)?);
                }
                _ => configuration.add(self.algorithm(item)?)?,
            }
        }
        Ok(())
    }

    fn algorithms(&self, node: &Located<Node>) -> Result<Vec<AlgorithmRequest>, RequestError> {
        self.list_of_algorithms(node)?.iter().map(|item| self.algorithm(item)).collect()
    }

    fn list_of_algorithms<'n>(&self, node: &'n Located<Node>) -> Result<&'n [Located<Node>], RequestError> {
        match &node.value {
            Node::List(items) => Ok(items),
            _ => Err(self.error(node.at, "expected a list of algorithms".to_owned())),
        }
    }

    pub(super) fn bounds(&self, node: &Located<Node>) -> Result<Vec<AlgorithmRequest>, RequestError> {
        match &node.value {
            Node::List(_) => self.algorithms(node),
            Node::Null => Ok(Vec::new()),
            _ => Err(self.error(node.at, "expected a list of bounds; [] for none".to_owned())),
        }
    }

    /// The ensemble of a mapping whose key `combine` stands at `name`.
    fn ensemble(&self, name: &Located<String>, node: &Located<Node>) -> Result<EnsembleRequest, RequestError> {
        let mut request = EnsembleRequest {
            name: None,
            members: Vec::new(),
            weights: Vec::new(),
            combine: AlgorithmRequest { origin: self.origin(name.at), ..AlgorithmRequest::plain(COMBINE) },
        };
        for (key, value) in self.map(node)? {
            match key.value.as_str() {
                "name" => request.name = Some(self.scalar(value)?.to_owned()),
                "members" => request.members = self.algorithms(value)?,
                "weights" => request.weights = self.scalars(value)?,
                _ => request.combine.parameters.push(self.parameter(COMBINE, key, value)?),
            }
        }
        request.checked()
    }

    fn algorithm(&self, item: &Located<Node>) -> Result<AlgorithmRequest, RequestError> {
        if let Node::Scalar(text) = &item.value {
            return AlgorithmRequest::from_text(text, &self.origin(item.at));
        }
        let [(name, parameters)] = self.map(item)? else {
            let message = "expected one algorithm with its parameters, as in `nta: {coherence: 0.9}`";
            return Err(self.error(item.at, message.to_owned()));
        };
        let entries = if matches!(parameters.value, Node::Null) { &[] } else { self.map(parameters)? };
        let parameters = entries.iter().map(|(key, value)| self.parameter(&name.value, key, value));
        let parameters = parameters.collect::<Result<_, _>>()?;
        let request = AlgorithmRequest { name: name.value.clone(), parameters, origin: self.origin(name.at) };
        request.refuse_marks()?;
        Ok(request)
    }

    fn parameter(
        &self,
        algorithm: &str,
        key: &Located<String>,
        value: &Located<Node>,
    ) -> Result<ParameterRequest, RequestError> {
        let written = match &value.value {
            Node::List(_) if takes_list(algorithm, &key.value) => Written::Values(vec![self.scalars(value)?.join("+")]),
            // Parameters of algorithms have no algorithm as a value.
            Node::Map(_) if find(algorithm).is_err() => {
                let algorithm = self.algorithm(value)?;
                if algorithm.parameters.iter().any(|parameter| parameter.written.is_swept()) {
                    let message = format!("one value for each parameter of `{}` is needed here", algorithm.name);
                    return Err(self.error(value.at, message));
                }
                Written::Values(vec![algorithm.as_value()])
            }
            _ => self.written(&key.value, value)?,
        };
        Ok(ParameterRequest { name: key.value.clone(), written, origin: self.origin(key.at) })
    }

    /// What was written for the parameter `name`: a list of values, or one text in the command line's form.
    pub(super) fn written(&self, name: &str, value: &Located<Node>) -> Result<Written, RequestError> {
        match &value.value {
            Node::List(items) if items.is_empty() => {
                Err(self.error(value.at, format!("the list of values of `{name}` is empty")))
            }
            Node::List(_) => Ok(Written::Values(self.scalars(value)?)),
            _ => Ok(Written::read(self.scalar(value)?)),
        }
    }
}

/// Whether a list is one value of the parameter, not several values to try.
fn takes_list(algorithm: &str, parameter: &str) -> bool {
    let parameters = find(algorithm).map(|algorithm| algorithm.parameters()).unwrap_or_default();
    parameters.iter().any(|known| known.name == parameter && matches!(known.values, ParameterKind::List { .. }))
}

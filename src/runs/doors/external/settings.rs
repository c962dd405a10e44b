//! The settings that a request asks for of parameters that a program, or a function, declares.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::declared::{Declared, DeclaredKind};
use crate::algorithms::algorithm::unknown_parameter;
use crate::algorithms::parameters::Values;
use crate::runs::configuration::{Origin, ParameterRequest, RequestError};
use crate::runs::grid::Written;
use crate::runs::values::product;

/// Every parameter, equal for equal values.
pub(in crate::runs::doors) fn canonical(declared: &[Declared], values: &Values) -> String {
    let pairs: Values = declared
        .iter()
        .map(|declared| (declared.name.clone(), Json::from(declared.kind.canonical(&values[&declared.name]))))
        .collect();
    Json::Object(pairs).to_string()
}

/// The parameters whose value is not the default.
pub(in crate::runs::doors) fn differs(declared: &[Declared], values: &Values) -> Vec<String> {
    let is_default = |declared: &&Declared| {
        let default = declared.default.as_ref().map(|default| declared.kind.canonical(default));
        default == Some(declared.kind.canonical(&values[&declared.name]))
    };
    let differing = declared.iter().filter(|declared| !is_default(declared));
    differing.map(|declared| declared.name.clone()).collect()
}

/// The request for a program's parameters.
pub(in crate::runs::doors) struct AskedSettings<'r> {
    /// The program's name, as it is told.
    pub(in crate::runs::doors) program: &'r str,
    /// The parameters that it declares.
    pub(in crate::runs::doors) declared: &'r [Declared],
    /// The values that were written for them.
    pub(in crate::runs::doors) parameters: &'r [ParameterRequest],
    /// True if a setting with the swept parameters at their defaults is wanted besides.
    pub(in crate::runs::doors) with_default: bool,
    /// Where the request stands.
    pub(in crate::runs::doors) origin: &'r Origin,
}

impl AskedSettings<'_> {
    /// Every setting, no two the same, and the parameters that are swept.
    ///
    /// # Errors
    /// [`RequestError`]: a parameter or a value that the program does not have, or a parameter that needs a value.
    pub(in crate::runs::doors) fn settings(&self) -> Result<(Vec<Values>, Vec<String>), RequestError> {
        let mut grid = Vec::new();
        for asked in self.parameters {
            if grid.iter().any(|(name, _): &(String, Vec<Json>)| *name == asked.name) {
                return Err(asked.origin.error(format!("`{}` is given twice", asked.name)));
            }
            grid.push((asked.name.clone(), self.values(asked)?));
        }
        let swept: Vec<String> =
            grid.iter().filter(|(_, values)| values.len() > 1).map(|(name, _)| name.clone()).collect();
        let mut combinations = product(&grid, self.origin)?;
        if self.with_default && !swept.is_empty() {
            let is_fixed = |name: &String| {
                !swept.contains(name)
                    || self.declared.iter().all(|declared| declared.name != *name || declared.default.is_none())
            };
            let fixed = combinations.first().cloned().unwrap_or_default();
            combinations.push(fixed.into_iter().filter(|(name, _)| is_fixed(name)).collect());
        }
        let (mut settings, mut known) = (Vec::new(), BTreeSet::new());
        for combination in combinations {
            let mut values = Values::new();
            for declared in self.declared {
                let value = combination.get(&declared.name).or(declared.default.as_ref()).ok_or_else(|| {
                    let message =
                        format!("the program's parameter `{}` has no default; give it a value", declared.name);
                    self.origin.error(message)
                })?;
                values.insert(declared.name.clone(), value.clone());
            }
            if known.insert(canonical(self.declared, &values)) {
                settings.push(values);
            }
        }
        Ok((settings, swept))
    }

    /// The values that were written for one parameter.
    fn values(&self, asked: &ParameterRequest) -> Result<Vec<Json>, RequestError> {
        let Some(parameter) = self.declared.iter().find(|declared| declared.name == asked.name) else {
            let names = self.declared.iter().map(|declared| declared.name.as_str());
            return Err(asked.origin.error(unknown_parameter(self.program, &asked.name, names).to_string()));
        };
        let at = |message: String| asked.origin.error(format!("{}: {}: {message}", self.program, asked.name));
        let texts = match (&asked.written, &parameter.kind) {
            (Written::Values(values), DeclaredKind::Text) if values.len() > 1 => {
                return Err(at("a text is not swept; give one value (in brackets, if it holds `|`)".to_owned()));
            }
            (Written::Values(values), _) => values.clone(),
            (written, DeclaredKind::Text) => vec![written.to_string()],
            (Written::Exact, _) => return Err(at("its break points are not known; give a grid".to_owned())),
            (range, _) => range.expand_numbers().map_err(at)?,
        };
        texts.iter().map(|text| parameter.kind.read(text)).collect::<Result<_, _>>().map_err(at)
    }
}

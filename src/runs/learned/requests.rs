//! From requests to rows that know more than a page.

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::fiasco::FiascoParameters;
use super::trained_on::{TRAIN_ON, TrainedOn};
use super::wrapper::{Fallback, LearningParameters, Rules};
use super::{DEFAULT_FALLBACK, FIASCO, Learned, Method, WRAPPER};
use crate::algorithms::algorithm::unknown_parameter;
use crate::algorithms::parameters::{Values, as_values, declared};
use crate::datasets::load::Loading;
use crate::runs::configuration::{AlgorithmRequest, ParameterRequest, RequestError};
use crate::runs::grid::Written;
use crate::runs::kind::Asked;
use crate::runs::own::{self, OwnAlgorithm, needs_gold};
use crate::runs::system::Row;
use crate::runs::values::{differs, grid, product};

/// The parameter that names a file of rules.
const RULES: &str = "rules";

/// The parameter that names the fallback of learned templates.
const FALLBACK: &str = "fallback";

/// The rows that `request` asks for. `loading` is of datasets that it names to learn from.
///
/// # Errors
/// [`RequestError`]: parameters that there are not, or a rules file that cannot be read or is wrong.
pub(super) fn resolve(request: &AlgorithmRequest, loading: Loading) -> Result<Asked, RequestError> {
    let learned = match request.name.as_str() {
        FIASCO => blocks(request, loading)?,
        _ => {
            refuse_unknown(request)?;
            let of_file = request.parameters.iter().any(|parameter| parameter.name == RULES);
            if of_file { rules(request)? } else { templates(request)? }
        }
    };
    let is_swept = |parameter: &&ParameterRequest| match parameter.name.as_str() {
        RULES | TRAIN_ON => names(&parameter.written).len() > 1,
        _ => parameter.written.is_swept(),
    };
    let swept: Vec<String> =
        request.parameters.iter().filter(is_swept).map(|parameter| parameter.name.clone()).collect();
    let rows = learned.into_iter().map(|learned| Row::new(learned, swept.clone())).collect();
    Ok(Asked { rows, sweeps: Vec::new() })
}

/// Each setting of parameters that are a plain struct, with every value and the names of those that are not at their
/// default.
fn settings<P>(request: &AlgorithmRequest) -> Result<Vec<(P, Values, Vec<String>)>, RequestError>
where
    P: JsonSchema + Default + Serialize + DeserializeOwned,
{
    let parameters = declared::<P>();
    let (cells, _) = grid(request, &parameters, &|_| false)?;
    let setting = |given: Values| {
        let mut values = as_values(&P::default());
        values.extend(given);
        let typed = serde_json::from_value(Json::Object(values.clone()));
        let typed = typed.map_err(|error| request.origin.error(format!("{}: {error}", request.name)))?;
        let differing = differs(&parameters, &values);
        Ok((typed, values, differing))
    };
    product(&cells, &request.origin)?.into_iter().map(setting).collect()
}

/// The parameter by which [`link_noise`] learns.
const SCORES: &str = "scores";

/// Rows of [`link_noise`] that learn its scores; `None` where `request` asks for none, or is wrong: then it is an
/// algorithm's.
pub(super) fn links(request: &AlgorithmRequest) -> Result<Option<Asked>, RequestError> {
    let Ok(Asked { rows, sweeps }) = own::settings(request) else { return Ok(None) };
    let settings = rows.iter().chain(sweeps.iter().map(|sweep| &sweep.row)).filter_map(Row::of::<OwnAlgorithm>);
    if !settings.clone().any(|own| needs_gold(own.algorithm, &own.setting)) {
        return Ok(None);
    }
    if !sweeps.is_empty() {
        let message = format!("{}: with learned scores no break points are known; give a grid", request.name);
        return Err(request.origin.error(message));
    }
    if rows.iter().any(|row| row.swept.iter().any(|name| name == SCORES)) {
        let message = "`scores: learned` reads gold, and is a row beside the others: name it by itself";
        return Err(request.origin.error(message));
    }
    let row = |row: &Row| {
        let (values, differs) = (row.system.values(), row.system.differs());
        let parameters = serde_json::from_value(Json::Object(values.clone()));
        let parameters = parameters.map_err(|error| request.origin.error(format!("{}: {error}", request.name)))?;
        Ok(Row::new(Learned::new(Method::Links(parameters), values, differs), row.swept.clone()))
    };
    let rows = rows.iter().map(row).collect::<Result<_, RequestError>>()?;
    Ok(Some(Asked { rows, sweeps: Vec::new() }))
}

/// Rows of classifiers of blocks.
fn blocks(request: &AlgorithmRequest, loading: Loading) -> Result<Vec<Learned>, RequestError> {
    let (named, parameters): (Vec<_>, Vec<_>) =
        request.parameters.iter().cloned().partition(|parameter| parameter.name == TRAIN_ON);
    let mut trained_on = vec![None];
    for ParameterRequest { written, origin, .. } in &named {
        let read = |names: &String| Ok(Some(Arc::new(TrainedOn::read(names, origin, loading)?)));
        trained_on = names(written).iter().map(read).collect::<Result<_, RequestError>>()?;
    }
    let mut rows = Vec::new();
    for (parameters, values, differs) in settings(&AlgorithmRequest { parameters, ..request.clone() })? {
        FiascoParameters::check(&parameters).map_err(|message| request.origin.error(format!("{FIASCO}: {message}")))?;
        for trained_on in &trained_on {
            let (mut values, mut differs) = (values.clone(), differs.clone());
            if let Some(trained_on) = trained_on {
                values.insert(TRAIN_ON.to_owned(), trained_on.named.as_str().into());
                differs.push(TRAIN_ON.to_owned());
            }
            rows.push(Learned::new(Method::Blocks(parameters, trained_on.clone()), values, differs));
        }
    }
    Ok(rows)
}

/// How templates are learned, as it is written behind `wrapper:learn=true,`, one value each.
///
/// # Errors
/// [`RequestError`]: a parameter that there is not, or that has no such value.
pub fn learning_parameters(written: &str) -> Result<LearningParameters, RequestError> {
    let request = AlgorithmRequest::from_argument(&format!("{WRAPPER}:{written}"))?;
    match settings::<LearningParameters>(&request)?.as_slice() {
        [(parameters, ..)] => {
            parameters.check().map_err(|message| request.origin.error(message))?;
            Ok(*parameters)
        }
        _ => Err(request.origin.error("one value for each parameter is needed here")),
    }
}

/// Refuses what is no parameter of `wrapper`.
fn refuse_unknown(request: &AlgorithmRequest) -> Result<(), RequestError> {
    let declared = declared::<LearningParameters>();
    let known = [RULES, FALLBACK].into_iter().chain(declared.iter().map(|parameter| parameter.name.as_str()));
    match request.parameters.iter().find(|parameter| !known.clone().any(|known| known == parameter.name)) {
        Some(ParameterRequest { name, origin, .. }) => {
            Err(origin.error(unknown_parameter(WRAPPER, name, known).to_string()))
        }
        None => Ok(()),
    }
}

/// What `request` asks for without files of rules that were learned from gold, and with those alone.
///
/// # Errors
/// [`RequestError`]: a rules file that cannot be read or is wrong.
pub(super) fn without_learned_rules(request: AlgorithmRequest) -> Result<[Option<AlgorithmRequest>; 2], RequestError> {
    let is_of_files = |parameter: &ParameterRequest| request.name == WRAPPER && parameter.name == RULES;
    let Some(place) = request.parameters.iter().position(is_of_files) else { return Ok([Some(request), None]) };
    let (mut learned, mut others) = (Vec::new(), Vec::new());
    for file in names(&request.parameters[place].written) {
        let of_gold = !Rules::read(Path::new(&file))?.learned_from.is_empty();
        if of_gold { learned.push(file) } else { others.push(file) }
    }
    let with = |files: Vec<String>| {
        let mut with = request.clone();
        with.parameters[place].written = Written::Values(files.clone());
        (!files.is_empty()).then_some(with)
    };
    Ok([others, learned].map(with))
}

/// Rows of rules that a person wrote, one a file.
fn rules(request: &AlgorithmRequest) -> Result<Vec<Learned>, RequestError> {
    let mut rows = Vec::new();
    for ParameterRequest { name, written, origin } in &request.parameters {
        if name != RULES {
            return Err(origin.error(format!("`{name}` belongs to what is learned, and not to rules of a file")));
        }
        for file in names(written) {
            let rules = Arc::new(Rules::read(Path::new(&file))?);
            let values = Values::from_iter([(RULES.to_owned(), file.as_str().into())]);
            rows.push(Learned::new(Method::Rules(rules), values, vec![RULES.to_owned()]));
        }
    }
    Ok(rows)
}

/// The files or datasets that are named: a path such as `../a/b` looks like a range.
fn names(written: &Written) -> Vec<String> {
    match written {
        Written::Values(names) => names.clone(),
        Written::Range { .. } | Written::Exact => vec![written.to_string()],
    }
}

/// Rows of templates that are learned.
fn templates(request: &AlgorithmRequest) -> Result<Vec<Learned>, RequestError> {
    let (fallbacks, parameters): (Vec<_>, Vec<_>) =
        request.parameters.iter().cloned().partition(|parameter| parameter.name == FALLBACK);
    let named = fallbacks.first().map_or(DEFAULT_FALLBACK.to_owned(), |fallback| fallback.written.to_string());
    let origin = fallbacks.first().map_or(&request.origin, |fallback| &fallback.origin);
    let fallback = Fallback::of(&AlgorithmRequest::from_value(&named, origin)?)?;
    let named = fallback.written();
    let request = AlgorithmRequest { parameters, ..request.clone() };
    let row = |(parameters, mut values, mut differs): (LearningParameters, Values, Vec<String>)| {
        if !parameters.learn {
            let message = "`wrapper` takes its rules from a file, `wrapper: {rules: FILE}`, or learns them, `wrapper: {learn: true}`";
            return Err(request.origin.error(message));
        }
        parameters.check().map_err(|message| request.origin.error(message))?;
        values.insert(FALLBACK.to_owned(), named.as_str().into());
        if named != DEFAULT_FALLBACK {
            differs.push(FALLBACK.to_owned());
        }
        Ok(Learned::new(Method::Templates(parameters, fallback.clone()), values, differs))
    };
    settings(&request)?.into_iter().map(row).collect()
}

//! The values of a row's parameters: as they are told, as they are compared, and as requests multiply them.

use serde_json::Value as Json;

use super::configuration::{AlgorithmRequest, Origin, RequestError};
use super::grid::MAX_VALUES;
use crate::algorithms::algorithm::unknown_parameter;
use crate::algorithms::parameters::{Parameter, ParameterKind, Values};
use crate::algorithms::value::Value;

/// The values that are not at their default or are swept, as on the command line.
pub fn label(values: &Values, differs: &[String], swept: &[String]) -> String {
    let shown = |name: &&String| differs.contains(name) || swept.contains(name);
    let pairs = values.keys().filter(shown).map(|name| format!("{name}={}", text_of(&values[name])));
    pairs.collect::<Vec<_>>().join(",")
}

/// The parameters in `values` that are not at their default.
pub(crate) fn differs(parameters: &[Parameter], values: &Values) -> Vec<String> {
    let differing = parameters.iter().filter(|parameter| {
        canonical(&parameter.values, &parameter.default) != canonical(&parameter.values, &values[&parameter.name])
    });
    differing.map(|parameter| parameter.name.clone()).collect()
}

/// A parameter's value as it is written in runs.
pub fn text_of(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => items.iter().map(text_of).collect::<Vec<_>>().join("+"),
        other => other.to_string(),
    }
}

/// Equal for equal values of a parameter of which the kind is not known: numbers that are equal have one text.
pub(crate) fn comparable(value: &Json) -> String {
    let text = text_of(value);
    text.parse::<Value>().map_or(text, |number| number.reduced().to_string())
}

/// Equal for equal values: 0.5 and 0.50 are one decimal.
pub(in crate::runs) fn canonical(kind: &ParameterKind, value: &Json) -> String {
    let text = text_of(value);
    match kind {
        ParameterKind::Decimal { .. } => match text.parse::<crate::algorithms::value::Value>() {
            Ok(number) => number.reduced().to_string(),
            Err(_) => text,
        },
        _ => text,
    }
}

/// The name with every parameter, each once however it was written.
pub(super) fn identity(name: &str, parameters: &[Parameter], values: &Values) -> String {
    let parts = parameters.iter().map(|parameter| canonical(&parameter.values, &values[&parameter.name]));
    std::iter::once(name.to_owned()).chain(parts).collect::<Vec<_>>().join("\t")
}

/// The parameters of `request` that are given several values.
pub(super) fn swept(request: &AlgorithmRequest) -> Vec<String> {
    let swept = request.parameters.iter().filter(|parameter| parameter.written.is_swept());
    swept.map(|parameter| parameter.name.clone()).collect()
}

/// Each parameter's values, and the parameter that is swept exactly.
pub(super) type Grid<'p> = (Vec<(String, Vec<Json>)>, Option<&'p Parameter>);

/// What `request` asks for of `parameters`; `sweeps_exactly` says of which the break points are known.
///
/// # Errors
/// [`RequestError`]: an unknown parameter, a value out of its range, or a sweep without known break points.
pub(super) fn grid<'p>(
    request: &AlgorithmRequest,
    parameters: &'p [Parameter],
    sweeps_exactly: &dyn Fn(&str) -> bool,
) -> Result<Grid<'p>, RequestError> {
    let (mut grid, mut exact) = (Vec::new(), None);
    for asked in &request.parameters {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == asked.name) else {
            let names = parameters.iter().map(|parameter| parameter.name.as_str());
            return Err(asked.origin.error(unknown_parameter(&request.name, &asked.name, names).to_string()));
        };
        let at = |message: String| asked.origin.error(format!("{}: {}: {message}", request.name, asked.name));
        let Some(texts) = asked.written.expand(&parameter.values).map_err(at)? else {
            if !sweeps_exactly(&asked.name) {
                return Err(at("its break points are not known; give a grid".to_owned()));
            }
            if exact.replace(parameter).is_some() {
                return Err(at("only one parameter is swept exactly; put the other on a grid".to_owned()));
            }
            continue;
        };
        let read = |text: &String| {
            parameter.values.read(text).map_err(|wrong| at(wrong + as_range(text).as_deref().unwrap_or_default()))
        };
        let values = texts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        grid.push((asked.name.clone(), values));
    }
    Ok((grid, exact))
}

/// How to write what looks like a range, but has no step or another sign between its ends.
fn as_range(text: &str) -> Option<String> {
    let ends = ["..", "-", ":", "~", " to "].into_iter().find_map(|sign| text.split_once(sign));
    let [one, other] = <[&str; 2]>::from(ends?).map(str::trim);
    let value = |end: &str| end.parse::<Value>().ok();
    let (low, high) = if value(one)? <= value(other)? { (one, other) } else { (other, one) };
    Some(format!(
        "; a range is FROM..TO/STEP, as in `{low}..{high}/0.05`, and several values have a bar between: `{one}|{other}`"
    ))
}

/// Every combination, the last parameter varying fastest.
pub(super) fn product(grid: &[(String, Vec<Json>)], origin: &Origin) -> Result<Vec<Values>, RequestError> {
    let cells = grid.iter().try_fold(1usize, |cells, (_, values)| cells.checked_mul(values.len()));
    if cells.is_none_or(|cells| cells > MAX_VALUES) {
        return Err(origin.error(format!("the grid has more than {MAX_VALUES} cells")));
    }
    let mut combinations = vec![Values::new()];
    for (name, values) in grid {
        combinations = combinations
            .iter()
            .flat_map(|combination| {
                values.iter().map(|value| {
                    let mut next = combination.clone();
                    next.insert(name.clone(), value.clone());
                    next
                })
            })
            .collect();
    }
    Ok(combinations)
}

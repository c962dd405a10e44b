//! The schemas of single values and of parameters, in every form in which a configuration can write them.

use serde_json::{Value as Json, json};

use crate::algorithms::parameters::{Parameter, ParameterKind};
use crate::algorithms::value::Value;

/// The types of a single value: the reader takes its text as it is written.
pub(super) const SCALAR: [&str; 3] = ["string", "number", "boolean"];

/// A decimal or a fraction.
const NUMBER: &str = r"(inf|[0-9]+(\.[0-9]+)?|[0-9]+/[0-9]+)";

/// A single value.
pub(super) fn scalar() -> Json {
    json!({"type": SCALAR})
}

/// A list of `item`, or one of them alone.
pub(super) fn list_of(description: &str, item: &Json) -> Json {
    let mut list = item.clone();
    let alone = item["type"].as_array().cloned().unwrap_or_else(|| vec![item["type"].clone()]);
    list["type"] = alone.into_iter().chain([json!("array")]).collect();
    // A pattern holds for a text alone; a list of words would refuse a list.
    if let Some(words) = list.as_object_mut().and_then(|list| list.remove("enum")) {
        let words: Vec<&str> = words.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        list["pattern"] = format!("^({})$", words.join("|")).into();
    }
    list["description"] = description.into();
    list["items"] = item.clone();
    list
}

/// The same of a list that is not empty.
pub(super) fn filled_list_of(description: &str, item: &Json) -> Json {
    let mut list = list_of(description, item);
    list["minItems"] = 1.into();
    list
}

/// One of these words.
pub(super) fn any_of_words(words: &[&str]) -> Json {
    json!({"enum": words})
}

/// A parameter: one value, several in a list or parted by `|`, a range, or `exact` where break points are known.
pub(super) fn parameter(parameter: &Parameter, sweeps_exactly: bool) -> Json {
    let mut schema = match &parameter.values {
        ParameterKind::Decimal { from, to, below } => decimal(*from, *to, *below, sweeps_exactly),
        ParameterKind::Boolean => of_words(&["true".to_owned(), "false".to_owned()], &["boolean", "string"]),
        ParameterKind::Choice { words } => of_words(words, &["string"]),
        // One value is a list already, so nothing tells several values from one.
        ParameterKind::List { .. } => json!({"type": ["string", "array"], "minItems": 1, "items": scalar()}),
    };
    schema["description"] = format!("{} ({})", parameter.help, parameter.values.describe()).into();
    schema["default"] = parameter.default.clone();
    schema
}

fn decimal(from: Value, to: Value, below: bool, sweeps_exactly: bool) -> Json {
    let mut item = json!({"type": ["number", "string"], "minimum": number(from)});
    if to != Value::INFINITY {
        item[if below { "exclusiveMaximum" } else { "maximum" }] = number(to);
    }
    let mut schema = item.clone();
    item["pattern"] = format!("^{NUMBER}$").into();
    let exact = if sweeps_exactly { "exact|" } else { "" };
    schema["type"] = json!(["number", "string", "array"]);
    schema["pattern"] = format!(r"^({exact}{NUMBER}(\|{NUMBER})*|{NUMBER}\.\.{NUMBER}/{NUMBER})$").into();
    schema["minItems"] = 1.into();
    schema["items"] = item;
    schema
}

/// As JSON writes it: a whole number without a point.
fn number(value: Value) -> Json {
    value.scaled(0).map_or_else(|| value.to_f64().into(), Json::from)
}

fn of_words(words: &[String], types: &[&str]) -> Json {
    let numbers = words.iter().any(|word| word.parse::<Value>().is_ok());
    let words = words.iter().map(|word| word.replace('.', r"\.").replace('+', r"\+")).collect::<Vec<_>>().join("|");
    // A word such as `1` is a number where nobody puts it in quotes.
    let number = numbers.then_some("number");
    let types: Vec<&str> = types.iter().copied().chain(number).collect();
    let all: Vec<&str> = types.iter().copied().chain(["array"]).collect();
    json!({
        "type": all,
        "pattern": format!(r"^({words})(\|({words}))*$"),
        "minItems": 1,
        "items": {"type": types, "pattern": format!("^({words})$")},
    })
}

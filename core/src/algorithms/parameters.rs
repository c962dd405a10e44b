//! Parameters as people write them: read from the schema of an algorithm's parameter struct, so
//! that a name, a range, a default and a help text each stand in one place.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::value::Value;
use crate::text::nearest;

/// A parameter's values by name, in the order of declaration.
pub type Values = Map<String, Json>;

/// What a parameter may be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ParameterKind {
    /// An exact decimal within `from..=to` (`from..to` where `below` is set).
    Decimal {
        /// The least value.
        from: Value,
        /// The greatest value.
        to: Value,
        /// Whether `to` itself is excluded.
        below: bool,
    },
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Choice {
        /// The words, the default first.
        words: Vec<String>,
    },
    /// One of these words, or a list of others (on the command line joined by `+`).
    List {
        /// The words.
        words: Vec<String>,
    },
}

impl ParameterKind {
    /// The values in words, for helps and errors.
    pub fn describe(&self) -> String {
        match self {
            ParameterKind::Decimal { from, to, below: false } => format!("a decimal from {from} to {to}"),
            ParameterKind::Decimal { from, to, below: true } => format!("a decimal from {from} to below {to}"),
            ParameterKind::Boolean => "true or false".to_owned(),
            ParameterKind::Choice { words } => words.join(" | "),
            ParameterKind::List { words } => format!("{} | a list joined by +", words.join(" | ")),
        }
    }

    /// The value that `text` means.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn read(&self, text: &str) -> Result<Json, String> {
        let expected = || format!("expected {}, not `{text}`", self.describe());
        match self {
            ParameterKind::Decimal { from, to, below } => {
                let value: Value = text.parse().map_err(|_| expected())?;
                let within = *from <= value && (value < *to || (value == *to && !below));
                if within { Ok(Json::String(value.to_string())) } else { Err(expected()) }
            }
            ParameterKind::Boolean => text.parse().map(Json::Bool).map_err(|_| expected()),
            ParameterKind::Choice { words } if words.iter().any(|word| word == text) => Ok(text.into()),
            ParameterKind::Choice { words } => Err(match nearest(text, words.iter().map(String::as_str)) {
                Some(word) => format!("{}; did you mean `{word}`?", expected()),
                None => expected(),
            }),
            ParameterKind::List { words } if words.iter().any(|word| word == text) => Ok(text.into()),
            ParameterKind::List { .. } if text.is_empty() || text.split('+').any(str::is_empty) => Err(expected()),
            ParameterKind::List { .. } => Ok(text.split('+').collect()),
        }
    }
}

/// A parameter of an algorithm.
#[derive(Clone, Debug, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it may be.
    pub values: ParameterKind,
    /// Its default.
    pub default: Json,
    /// What it does, from the doc comment of the field.
    pub help: String,
}

/// The parameters that `P` declares, in order.
///
/// # Panics
/// Where a field's type is none that a parameter can have: a test over every algorithm finds it.
pub fn declared<P: JsonSchema + Default + Serialize>() -> Vec<Parameter> {
    let schema = Json::from(schema_for!(P));
    let defaults = as_values(&P::default());
    let properties = schema.get("properties").and_then(Json::as_object).cloned().unwrap_or_default();
    defaults
        .into_iter()
        .map(|(name, default)| {
            let property = &properties[&name];
            let values = kind(property, &schema).unwrap_or_else(|| {
                panic!("`{name}` has no kind (use Value for numbers, else a boolean, a choice or a list): {property}")
            });
            let help = property["description"].as_str().unwrap_or_default().replace('\n', " ");
            Parameter { name, values, default, help }
        })
        .collect()
}

/// A parameter struct as values by name.
pub fn as_values<P: Serialize>(parameters: &P) -> Values {
    match serde_json::to_value(parameters) {
        Ok(Json::Object(values)) => values,
        other => unreachable!("parameters are a plain struct, not {other:?}"),
    }
}

/// Refuses a number that is neither whole nor infinite (which the parameter's range excludes where it has no meaning).
///
/// # Errors
/// A sentence that names the parameter.
pub fn check_whole(name: &str, value: Value) -> Result<(), String> {
    if value == Value::INFINITY || value.scaled(0).is_some() {
        return Ok(());
    }
    Err(format!("{name}: expected a whole number, not `{value}`"))
}

fn kind(property: &Json, root: &Json) -> Option<ParameterKind> {
    let target = match property["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#'))?,
        None => property,
    };
    if target["format"] == "decimal" {
        let bound = |key: &str| property[key].as_str().and_then(|text| text.parse().ok());
        let (from, below) = (bound("from").unwrap_or(Value::ZERO), bound("below"));
        let to = below.or_else(|| bound("to")).unwrap_or(Value::INFINITY);
        return Some(ParameterKind::Decimal { from, to, below: below.is_some() });
    }
    if target["type"] == "boolean" {
        return Some(ParameterKind::Boolean);
    }
    let words = words(target);
    if target["list"] == true {
        return Some(ParameterKind::List { words });
    }
    (!words.is_empty()).then_some(ParameterKind::Choice { words })
}

/// The words of an enumeration: `enum`, or `oneOf` with a `const` each where they have comments.
fn words(schema: &Json) -> Vec<String> {
    let one_of = schema["oneOf"].as_array().into_iter().flatten();
    let nested = one_of.flat_map(|one| one["const"].as_str().map(str::to_owned).into_iter().chain(words(one)));
    let listed = schema["enum"].as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned));
    listed.chain(nested).collect()
}

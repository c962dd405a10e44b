//! As much of JSON Schema (draft 2020-12) as the published schemas use. A keyword that it does not know ends the test, so
//! that nothing in a schema goes unchecked.

#![expect(unreachable_pub, reason = "a module of a test binary, whose faults are printed whole")]

use regex::Regex;
use serde_json::{Map, Value as Json};

/// A fault: the place in the checked value, and the surplus keys there, if these are the fault.
#[derive(Debug)]
pub struct Fault {
    /// Keys and places in lists, from the outermost.
    pub path: Vec<String>,
    /// Keys that no schema knows.
    pub surplus: Vec<String>,
    /// The keyword that refuses it.
    #[expect(dead_code, reason = "a failed test prints it")]
    pub keyword: String,
}

/// Keywords that say nothing of what is allowed.
const TOLD: [&str; 8] =
    ["$schema", "$defs", "title", "description", "default", "format", "then", "additionalProperties"];

/// The innermost faults of `value` under the schema `root`.
pub fn faults(root: &Json, value: &Json) -> Vec<Fault> {
    let mut checked = Checked { root, path: Vec::new(), faults: Vec::new() };
    checked.check(root, value);
    checked.faults
}

struct Checked<'s> {
    root: &'s Json,
    path: Vec<String>,
    faults: Vec<Fault>,
}

impl Checked<'_> {
    fn check(&mut self, schema: &Json, value: &Json) {
        match schema {
            Json::Bool(true) => {}
            Json::Bool(false) => self.fault("false", Vec::new()),
            Json::Object(keywords) => {
                keywords.iter().for_each(|(name, rule)| self.keyword(keywords, name, rule, value))
            }
            other => panic!("no schema: {other}"),
        }
    }

    fn fault(&mut self, keyword: &str, surplus: Vec<String>) {
        self.faults.push(Fault { path: self.path.clone(), surplus, keyword: keyword.to_owned() });
    }

    fn at(&mut self, step: impl ToString, schema: &Json, value: &Json) {
        self.path.push(step.to_string());
        self.check(schema, value);
        self.path.pop();
    }

    fn fits(&self, schema: &Json, value: &Json) -> bool {
        let mut alone = Checked { root: self.root, path: Vec::new(), faults: Vec::new() };
        alone.check(schema, value);
        alone.faults.is_empty()
    }

    fn keyword(&mut self, keywords: &Map<String, Json>, name: &str, rule: &Json, value: &Json) {
        let all = || rule.as_array().unwrap_or_else(|| panic!("{name} is no list"));
        let holds = match (name, value) {
            ("$ref", _) => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').expect("a reference into the schema itself");
                let target = self.root.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
                return self.check(&target.clone(), value);
            }
            ("type", _) => match rule {
                Json::Array(types) => types.iter().any(|one| is_of(one, value)),
                one => is_of(one, value),
            },
            ("enum", _) => all().contains(value),
            ("const", _) => rule == value,
            ("anyOf", _) => all().iter().any(|one| self.fits(one, value)),
            ("oneOf", _) => all().iter().filter(|one| self.fits(one, value)).count() == 1,
            ("allOf", _) => return all().iter().for_each(|one| self.check(one, value)),
            ("not", _) => !self.fits(rule, value),
            ("if", _) => match self.fits(rule, value) {
                true => return self.check(&keywords["then"], value),
                false => true,
            },
            ("properties" | "patternProperties", Json::Object(members)) => {
                return self.members(keywords, name, members);
            }
            ("required", Json::Object(members)) => all().iter().all(|key| members.contains_key(key.as_str().unwrap())),
            ("minProperties", Json::Object(members)) => members.len() as u64 >= rule.as_u64().unwrap(),
            ("maxProperties", Json::Object(members)) => members.len() as u64 <= rule.as_u64().unwrap(),
            ("propertyNames", Json::Object(members)) => {
                members.keys().all(|key| self.fits(rule, &Json::from(key.as_str())))
            }
            ("additionalProperties", Json::Object(members)) if !keywords.contains_key("properties") => {
                return self.members(keywords, "properties", members);
            }
            ("items", Json::Array(items)) => {
                let first = keywords.get("prefixItems").and_then(Json::as_array).map_or(0, Vec::len);
                return items.iter().enumerate().skip(first).for_each(|(place, item)| self.at(place, rule, item));
            }
            ("prefixItems", Json::Array(items)) => {
                return all()
                    .iter()
                    .zip(items)
                    .enumerate()
                    .for_each(|(place, (rule, item))| self.at(place, rule, item));
            }
            ("minItems", Json::Array(items)) => items.len() as u64 >= rule.as_u64().unwrap(),
            ("maxItems", Json::Array(items)) => items.len() as u64 <= rule.as_u64().unwrap(),
            ("pattern", Json::String(text)) => Regex::new(rule.as_str().unwrap()).unwrap().is_match(text),
            ("minLength", Json::String(text)) => text.chars().count() as u64 >= rule.as_u64().unwrap(),
            ("maxLength", Json::String(text)) => text.chars().count() as u64 <= rule.as_u64().unwrap(),
            ("minimum", Json::Number(number)) => number.as_f64() >= rule.as_f64(),
            ("maximum", Json::Number(number)) => number.as_f64() <= rule.as_f64(),
            ("exclusiveMinimum", Json::Number(number)) => number.as_f64() > rule.as_f64(),
            ("exclusiveMaximum", Json::Number(number)) => number.as_f64() < rule.as_f64(),
            (
                "properties" | "patternProperties" | "required" | "minProperties" | "maxProperties" | "propertyNames"
                | "items" | "prefixItems" | "minItems" | "maxItems" | "pattern" | "minLength" | "maxLength" | "minimum"
                | "maximum" | "exclusiveMinimum" | "exclusiveMaximum",
                _,
            ) => true,
            (name, _) if TOLD.contains(&name) => true,
            (name, _) => panic!("the keyword `{name}` is not checked"),
        };
        if !holds {
            self.fault(name, Vec::new());
        }
    }

    /// Checks the members of an object by their names, by the patterns of their names, and those that are left over.
    fn members(&mut self, keywords: &Map<String, Json>, keyword: &str, members: &Map<String, Json>) {
        let (known, patterns) = (keywords.get("properties"), keywords.get("patternProperties"));
        let patterns = || patterns.and_then(Json::as_object).into_iter().flatten();
        let is_of_pattern = |name: &str, pattern: &str| Regex::new(pattern).unwrap().is_match(name);
        let mut surplus = Vec::new();
        for (name, value) in members {
            let by_name = known.and_then(|known| known.get(name));
            let matching: Vec<&Json> =
                patterns().filter(|(pattern, _)| is_of_pattern(name, pattern)).map(|(_, rule)| rule).collect();
            if keyword == "patternProperties" {
                matching.into_iter().for_each(|rule| self.at(name, rule, value));
            } else if let Some(rule) = by_name {
                self.at(name, rule, value);
            } else if matching.is_empty() {
                match keywords.get("additionalProperties") {
                    Some(Json::Bool(false)) => surplus.push(name.clone()),
                    Some(rule) => self.at(name, rule, value),
                    None => {}
                }
            }
        }
        if !surplus.is_empty() {
            self.fault("additionalProperties", surplus);
        }
    }
}

/// True if `value` is of the type that `name` names.
fn is_of(name: &Json, value: &Json) -> bool {
    match (name.as_str().unwrap(), value) {
        ("null", Json::Null) | ("boolean", Json::Bool(_)) | ("string", Json::String(_)) => true,
        ("array", Json::Array(_)) | ("object", Json::Object(_)) | ("number", Json::Number(_)) => true,
        ("integer", Json::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
        ("null" | "boolean" | "string" | "array" | "object" | "number" | "integer", _) => false,
        (other, _) => panic!("no type `{other}`"),
    }
}

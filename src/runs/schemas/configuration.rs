//! The schema of a configuration. Its reader takes many forms for one thing, so the schema is put together from the
//! lists of the reader: keys, words, algorithms and their parameters. It refuses nothing that the reader takes; the
//! reader refuses more, such as a value out of range inside of a text.

use serde_json::{Map, Value as Json, json};

use super::values::{SCALAR, any_of_words, filled_list_of, list_of, parameter, scalar};
use crate::algorithms::ALGORITHMS;
use crate::algorithms::parameters::declared;
use crate::datasets::manifest::FAULTS;
use crate::runs::configuration::bounds::NAMES as BOUNDS;
use crate::runs::configuration::{COMBINE, CombineParameters, FILTERS};
use crate::runs::described::Described;
use crate::runs::kinds::described;
use crate::runs::rules::{FACTORS, Level, ON_LEVELS, ON_TOLERANCES};
use crate::scoring::Measure;
use crate::statistics::Figure;
use crate::structure::Structure;
use crate::text::tokens::{Case, TokenKind};

/// The schema of a configuration.
pub(super) fn schema() -> Json {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration",
        "description": "A run of carat: `carat run`, `carat gate` and `carat tune` read it.",
        "type": "object",
        "required": ["datasets"],
        "anyOf": [{"required": ["algorithms"]}, {"required": ["stored"]}],
        "additionalProperties": false,
        "properties": {
            "name": {
                "description": "Names the run and its folder `reports/NAME`; by default the file's name.",
                "type": SCALAR,
                "pattern": r"^[^./\\][^/\\]*$",
            },
            "datasets": filled_list_of(
                "Names, `FORMAT:PATH` or folders; options follow a comma, as in `./my-pages,language=zh`.",
                &scalar(),
            ),
            "where": {
                "description": "Only pages whose fields have these values.",
                "type": ["object", "null"],
                "additionalProperties": false,
                "properties": FILTERS.map(|field| (field.to_owned(), scalar())).into_iter().collect::<Map<_, _>>(),
            },
            "split": {
                "description": "A split of the dataset, or one that is drawn: `site:20%` or `page:20%`, with `:rest` and `:seed=N`.",
                "type": SCALAR,
                "pattern": "^([^:]*|(site|page):[1-9][0-9]?%(:rest)?(:seed=[0-9]+)?)$",
            },
            "without_faults": list_of(
                "Pages that are marked with one of these faults are left out.",
                &json!({"type": "string", "enum": FAULTS}),
            ),
            "keep_going": {
                "description": "Leave out pages that violate the dataset format.",
                "enum": [true, false, "true", "false"],
                "default": false,
            },
            "tokens": {
                "description": "The unit of comparison.",
                "enum": TokenKind::ALL.map(|kind| kind.to_string()),
                "default": TokenKind::default().to_string(),
            },
            "case": {
                "description": "The treatment of letter case.",
                "enum": Case::ALL.map(|case| case.to_string()),
                "default": Case::default().to_string(),
            },
            "measure": filled_list_of(
                "The rule by which texts are compared, `MEASURE [TOKENS [CASE]]`, or several of them.",
                &json!({"type": "string", "pattern": measures()}),
            ),
            "algorithms": {
                "description": "The rows: names, names with parameters, ensembles, and external programs.",
                "type": "array",
                "items": {"$ref": "#/$defs/row"},
            },
            "bounds": {
                "description": "The bounds that stand beside the rows; `[]` for none.",
                "type": ["array", "null"],
                "items": named(described().filter(|other| BOUNDS.contains(&other.name)).map(of_described).collect()),
            },
            "stored": list_of("Stored outputs: a system's name, a file, a folder, or `all`.", &scalar()),
            "gate": gate(),
            "tune": tune(),
        },
        "$defs": {"row": rows()},
    })
}

/// The pattern of `measure`: rules that commas part.
fn measures() -> String {
    let of_structure = Structure::ALL.map(|structure| structure.to_string());
    let names = Measure::ALL.map(|measure| measure.pattern().replace(":N", "(:([1-9]|1[0-6])|-4)"));
    let names = names.iter().chain(&of_structure).map(String::as_str).collect::<Vec<_>>().join("|");
    let tokens = TokenKind::ALL.map(|kind| kind.to_string()).join("|");
    let cases = Case::ALL.map(|case| case.to_string()).join("|");
    let rule = format!(r"\s*({names})(\s+({tokens})(\s+({cases}))?)?\s*");
    format!("^{rule}(,{rule})*$")
}

/// The item of a list that is asked for by name: a text, or a mapping of one name to its parameters.
fn named(rows: Map<String, Json>) -> Json {
    let names: Vec<&str> = rows.keys().map(String::as_str).collect();
    json!({
        "type": ["string", "object"],
        "pattern": format!(r"^\s*({})\s*(:[\s\S]*)?$", names.join("|")),
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
        "properties": rows,
    })
}

/// The items of `algorithms`.
fn rows() -> Json {
    let mut rows: Map<String, Json> = ALGORITHMS
        .iter()
        .map(|algorithm| {
            let declaration = algorithm.declaration();
            let parameters = algorithm.parameters();
            let properties = parameters
                .iter()
                .map(|known| (known.name.clone(), parameter(known, declaration.sweeps_exactly(&known.name))));
            (declaration.name.to_owned(), mapping(declaration.title, properties.collect(), false))
        })
        .collect();
    for other in described().filter(|other| !BOUNDS.contains(&other.name) && other.name != COMBINE) {
        let (name, own) = of_described(other);
        let known = rows.entry(name).or_insert_with(|| own.clone());
        // One name may stand for several rows, such as `wrapper` with rules and `wrapper` that learns.
        let all = own["properties"].as_object().cloned().unwrap_or_default();
        known["properties"].as_object_mut().expect("a mapping has properties").extend(all);
    }
    rows.insert(COMBINE.to_owned(), combine(&rows));
    let mut item = named(rows);
    item["properties"]["external"] = external();
    item
}

/// The name by which a row is asked for, and its parameters. Some are read from no list, such as a file of rules.
fn of_described(other: &Described) -> (String, Json) {
    let item = other.written.lines().find_map(|line| line.trim_start().strip_prefix("- "));
    let name = item.and_then(|item| item.split([':', ',', ' ']).next()).unwrap_or(other.name);
    let parameters = (other.parameters)();
    let properties = parameters.iter().map(|known| (known.name.clone(), parameter(known, false))).collect();
    let name = if BOUNDS.contains(&other.name) { other.name } else { name };
    (name.to_owned(), mapping(other.title, properties, !BOUNDS.contains(&other.name)))
}

/// Parameters by name; `is_open` where there may be others.
fn mapping(title: &str, properties: Map<String, Json>, is_open: bool) -> Json {
    json!({
        "description": title,
        "type": ["object", "null"],
        "additionalProperties": is_open,
        "properties": properties,
    })
}

/// An ensemble of rows of these names.
fn combine(rows: &Map<String, Json>) -> Json {
    let mut properties = Map::new();
    properties.insert("name".to_owned(), json!({"description": "The row's name.", "type": SCALAR}));
    // Members can be stored outputs and external programs too, which have names of their own.
    let members = rows.keys().map(|name| (name.clone(), json!({"$ref": format!("#/$defs/row/properties/{name}")})));
    properties.insert(
        "members".to_owned(),
        json!({
            "description": "The rows that are combined, two at least.",
            "type": "array",
            "minItems": 2,
            "items": {
                "type": ["string", "object"],
                "minProperties": 1,
                "maxProperties": 1,
                "properties": members.collect::<Map<_, _>>(),
            },
        }),
    );
    let number = json!({"type": ["number", "string"], "minimum": 0});
    properties.insert("weights".to_owned(), list_of("A weight for each member.", &number));
    let combined = declared::<CombineParameters>();
    properties.extend(combined.iter().map(|known| (known.name.clone(), parameter(known, known.name == "threshold"))));
    let title = described().find(|other| other.name == COMBINE).map_or("", |other| other.title);
    let mut ensemble = mapping(title, properties, false);
    ensemble["type"] = json!("object");
    ensemble["required"] = json!(["members"]);
    ensemble
}

/// An external program.
fn external() -> Json {
    let whole = |what: &str, most: u64| json!({"description": what, "type": ["integer", "string"], "minimum": 1, "maximum": most, "pattern": "^[0-9]+$"});
    let seconds = |what: &str| json!({"description": what, "type": ["number", "string"], "exclusiveMinimum": 0, "maximum": 86_400, "pattern": r"^[0-9][0-9./]*$"});
    let values = filled_list_of("Values of a parameter of the program: one, several, or `from..to/step`.", &scalar());
    json!({
        "description": "A program of yours that extracts text from pages.",
        "type": "object",
        "anyOf": [{"required": ["command"]}, {"required": ["function"]}],
        "additionalProperties": false,
        "properties": {
            "name": {
                "description": "The row's name behind `external/`.",
                "type": SCALAR,
                "pattern": r"^[A-Za-z0-9_+\-][A-Za-z0-9._+\-]{0,63}$",
            },
            "function": {
                "description": "A function of a program that runs carat as a library.",
                "enum": [true, false, "true", "false"],
            },
            "command": {
                "description": "The program and its arguments, each a word of its own; no shell reads them.",
                "type": ["array", "string"],
                "minItems": 1,
                "items": scalar(),
                "pattern": "^[^ ]*$",
            },
            "cwd": {"description": "The folder that it is started in.", "type": SCALAR},
            "env": {
                "description": "Environment variables that are added.",
                "type": ["object", "null"],
                "propertyNames": {"pattern": "^[^=]+$"},
                "additionalProperties": scalar(),
            },
            "parameters": {
                "description": "Values of parameters that the program declares.",
                "type": ["object", "null"],
                "additionalProperties": values,
            },
            "workers": whole("Children that run at a time.", 64),
            "timeout_s": seconds("Seconds that a page may take."),
            "start_timeout_s": seconds("Seconds until the program is ready."),
            "restarts": whole("Pages in a row that may each cost a worker. After them the program is not run on the other pages.", 1_000_000),
            "max_html_bytes": whole("A longer page is not sent.", 2 << 30),
            "max_text_bytes": whole("A longer line is not read.", 2 << 30),
        },
    })
}

/// Rules of the gate.
fn gate() -> Json {
    let figures = Figure::ALL.map(|figure| figure.to_string());
    let levels = [Level::Off, Level::Warn, Level::Error].map(Level::name);
    let form = |key: &str, from: u64, to: u64| {
        let number =
            json!({"type": ["number", "string"], "minimum": from, "maximum": to, "pattern": "^[0-9][0-9./]*$"});
        json!({
            "description": format!("A {key}, a level, or both."),
            "type": ["number", "string", "object"],
            "minimum": from,
            "maximum": to,
            "pattern": format!("^({}|[0-9][0-9./]*)$", levels.join("|")),
            "additionalProperties": false,
            "properties": {"level": any_of_words(&levels), key: number},
        })
    };
    let tolerances = figures.iter().map(String::as_str).chain(ON_TOLERANCES);
    let mut rules: Map<String, Json> = tolerances.map(|rule| (rule.to_owned(), form("tolerance", 0, 1))).collect();
    rules.extend(ON_LEVELS.map(|rule| (rule.to_owned(), any_of_words(&levels))));
    rules.extend(FACTORS.map(|rule| (rule.to_owned(), form("factor", 1, 1000))));
    json!({
        "description": "The rules of `carat gate`.",
        "type": "object",
        "additionalProperties": false,
        "properties": rules,
    })
}

/// The choice of `carat tune`.
fn tune() -> Json {
    json!({
        "description": "The way in which `carat tune` chooses values of swept parameters.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "protocol": {"description": "The test of a choice.", "enum": ["nested", "paper-cevc"], "default": "nested"},
            "folds": {
                "description": "Folds of whole sites, or `site` for one per site.",
                "type": ["integer", "string"],
                "minimum": 2,
                "pattern": "^(site|[0-9]+)$",
            },
            "seed": {
                "description": "The seed of the folds.",
                "type": ["integer", "string"],
                "minimum": 0,
                "pattern": "^[0-9]+$",
                "default": 1,
            },
            "objective": {
                "description": "`[AGGREGATE] PART [at PART >= LEAST]`, such as `site_macro f1` or `recall at precision >= 0.9`.",
                "type": "string",
                "pattern": r"^\s*((macro|site_macro|micro|paper_cevc|benchmark)\s+)?(precision|recall|f1|accuracy)(\s+at\s+(precision|recall|f1|accuracy)\s+>=\s+[0-9][0-9./]*)?\s*$",
                "default": "macro f1",
            },
            "search": {
                "description": "`grid` for all settings, or `{random: N}` for N of them.",
                "type": ["string", "object"],
                "pattern": "^grid$",
                "required": ["random"],
                "additionalProperties": false,
                "properties": {
                    "random": {"type": ["integer", "string"], "minimum": 1, "maximum": 10_000, "pattern": "^[0-9]+$"},
                },
                "default": "grid",
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::schema;
    use crate::runs::configuration::{EXTERNAL_KEYS, KEYS, TUNING_KEYS};
    use crate::runs::rules::Rules;

    /// The keys of the mapping at `pointer`, sorted.
    fn keys(pointer: &str) -> Vec<String> {
        let schema = schema();
        let properties = schema.pointer(&format!("{pointer}/properties")).and_then(|at| at.as_object());
        let mut keys: Vec<String> = properties.expect("a mapping with keys").keys().cloned().collect();
        keys.sort();
        keys
    }

    fn sorted(known: &[&str]) -> Vec<String> {
        let mut known: Vec<String> = known.iter().map(|&key| key.to_owned()).collect();
        known.sort();
        known
    }

    #[test]
    fn the_schema_has_the_keys_of_the_reader() {
        assert_eq!(keys(""), sorted(&KEYS));
        assert_eq!(keys("/properties/tune"), sorted(&TUNING_KEYS));
        assert_eq!(keys("/$defs/row/properties/external"), sorted(&EXTERNAL_KEYS));
        let mut rules: Vec<String> = Rules::keys().collect();
        rules.sort();
        assert_eq!(keys("/properties/gate"), rules);
    }
}

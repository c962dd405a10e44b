//! JSON Schemas of the format of datasets: the shape comes from the types, and the words from the lists that the readers
//! check by.

use schemars::schema_for;
use serde_json::{Map, Value as Json, json};

use super::manifest::{FAULTS, Manifest, Record, SnippetTexts};
use super::manifest_file::{INCLUDES, NATURES, REDISTRIBUTIONS, SOURCE_KEYS};

/// A word as kinds and splits are.
const WORD: &str = "^[a-z0-9_-]{1,32}$";

/// A dataset's name: patterns of schemas cannot name the letters of every writing.
const NAME: &str = r"^[^\s!-/:-`{-~][^\s!-,/:-^`{-~]{0,63}$";

/// SHA-256 as it is written.
const SHA_256: &str = "^[0-9a-f]{64}$";

/// A path inside the dataset's folder.
const PATH: &str = r"^[^/\\][^\\]*$";

/// The schema of `dataset.yaml`.
pub(crate) fn manifest() -> Json {
    let mut schema = Json::from(schema_for!(Manifest));
    allow_own_keys(&mut schema);
    refine(&mut schema, "/properties/format", &json!({"const": 1}));
    refine(&mut schema, "/properties/name", &json!({"pattern": NAME}));
    refine(&mut schema, "/properties/version", &json!({"minLength": 1, "maxLength": 64}));
    refine(&mut schema, "/properties/source", &source());
    refine(&mut schema, "/properties/pages/items", &json!({"pattern": PATH}));
    refine(&mut schema, "/properties/gold_folder", &json!({"pattern": PATH}));
    refine(&mut schema, "/properties/defaults", &json!({"not": {"anyOf": own_fields()}}));
    refine(&mut schema, "/properties/digest", &json!({"pattern": "^sha256:[0-9a-f]{64}$"}));
    refine(&mut schema, "/$defs/Licence/properties/redistribution", &json!({"enum": REDISTRIBUTIONS}));
    let natures: Vec<Json> = NATURES.map(Json::from).into_iter().chain([Json::Null]).collect();
    refine(&mut schema, "/$defs/GoldNature/properties/nature", &json!({"enum": natures}));
    refine(&mut schema, "/$defs/GoldNature/properties/includes/items", &json!({"enum": INCLUDES}));
    schema
}

/// The fields of a page that defaults cannot hold.
fn own_fields() -> Json {
    ["id", "html", "gold"].map(|field| json!({"required": [field]})).into_iter().collect()
}

/// The members of `source`.
fn source() -> Json {
    let form = |key: &str| match key {
        "repository" => json!({"type": "string", "pattern": "^/*[^/]+/+[^/]+/*$"}),
        "commit" => json!({"type": "string", "pattern": "^[0-9a-f]{7,40}$"}),
        "retrieved" => json!({"type": "string", "pattern": "^[0-9]{4}(-[0-9]{2}){0,2}"}),
        _ => json!({"type": "string"}),
    };
    let members = SOURCE_KEYS.map(|key| (key.to_owned(), form(key))).into_iter().collect::<Map<_, _>>();
    json!({
        "type": ["object", "null"],
        "properties": members,
        "patternProperties": {"^x-": true},
        "additionalProperties": false,
    })
}

/// The schema of a line of a page list.
pub(crate) fn page() -> Json {
    let mut schema = Json::from(schema_for!(Record));
    allow_own_keys(&mut schema);
    refine(
        &mut schema,
        "/properties/id",
        &json!({"minLength": 1, "maxLength": 200, "pattern": r"^[^./\\\s][^/\\\s]*$"}),
    );
    for field in ["kind", "split"] {
        refine(&mut schema, &format!("/properties/{field}"), &json!({"pattern": WORD}));
    }
    refine(&mut schema, "/properties/language", &json!({"pattern": "^([A-Za-z]{2,8}|[xXiI]-).*$"}));
    refine(&mut schema, "/properties/faults/items", &json!({"enum": FAULTS}));
    refine(&mut schema, "/properties/url", &json!({"pattern": "^[A-Za-z][A-Za-z0-9+.-]*:."}));
    let mut snippets = Json::from(schema_for!(SnippetTexts));
    snippets["type"] = json!(["object", "null"]);
    for key in ["$schema", "title", "description"] {
        snippets.as_object_mut().expect("a schema is an object").remove(key);
    }
    refine(&mut schema, "/properties/snippets", &snippets);
    for object in ["HtmlObject", "GoldObject"] {
        refine(&mut schema, &format!("/$defs/{object}/properties/path"), &json!({"pattern": PATH}));
        refine(&mut schema, &format!("/$defs/{object}/properties/sha256"), &json!({"pattern": SHA_256}));
    }
    let one_of = |keys: &[&str]| keys.iter().map(|key| json!({"required": [key]})).collect::<Json>();
    let html = json!({"oneOf": one_of(&["path", "text", "base64"])});
    let gold = json!({"anyOf": one_of(&["path", "text", "select", "nodes"])});
    path_or(&mut schema, "HtmlSource", "HtmlObject", &html);
    path_or(&mut schema, "GoldSource", "GoldObject", &gold);
    schema
}

/// Keys that begin with `x-` are one's own, and others are refused.
fn allow_own_keys(schema: &mut Json) {
    refine(schema, "", &json!({"patternProperties": {"^x-": true}, "additionalProperties": false}));
}

/// Adds what the type does not say to the schema at `pointer`.
fn refine(schema: &mut Json, pointer: &str, more: &Json) {
    let place = schema.pointer_mut(pointer).unwrap_or_else(|| panic!("no schema at {pointer}"));
    if *place == Json::Bool(true) {
        *place = json!({});
    }
    let place = place.as_object_mut().unwrap_or_else(|| panic!("no object at {pointer}"));
    place.extend(more.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
}

/// Makes `source` a path or an object, told apart by their types alone: so a fault of the object is told at its place.
fn path_or(schema: &mut Json, source: &str, object: &str, forms: &Json) {
    let mut both = schema["$defs"][object].take();
    let description = schema["$defs"][source]["description"].take();
    let more = json!({
        "description": description,
        "type": ["string", "object"],
        "pattern": PATH,
        "if": {"type": "object"},
        "then": forms,
    });
    refine(&mut both, "", &more);
    schema["$defs"][source] = both;
    schema["$defs"].as_object_mut().expect("definitions are an object").remove(object);
}

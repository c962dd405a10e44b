//! JSON objects as they were written.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

/// The members of a JSON object in the order of the text. A key that is given twice is an error.
///
/// ```
/// use carat::formats::json::UniqueKeys;
/// assert_eq!(serde_json::from_str::<UniqueKeys<u8>>(r#"{"b":1,"a":2}"#).unwrap().0[0].0, "b");
/// assert!(serde_json::from_str::<UniqueKeys<u8>>(r#"{"a":1,"a":2}"#).is_err());
/// ```
#[derive(Debug)]
pub struct UniqueKeys<V>(pub Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for UniqueKeys<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members(PhantomData))
    }
}

/// Reads the members of an object.
struct Members<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Members<V> {
    type Value = UniqueKeys<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<UniqueKeys<V>, A::Error> {
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        while let Some(key) = access.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(de::Error::custom(format!("the key `{key}` is given twice")));
            }
            members.push((key, access.next_value()?));
        }
        Ok(UniqueKeys(members))
    }
}

/// A JSON value in whose objects, however deep, no key is given twice.
///
/// ```
/// use carat::formats::json::UniqueJson;
/// assert_eq!(serde_json::from_str::<UniqueJson>(r#"[{"a":1}]"#).unwrap().0[0]["a"], 1);
/// assert!(serde_json::from_str::<UniqueJson>(r#"[{"a":{"b":1,"b":2}}]"#).is_err());
/// ```
#[derive(Debug)]
pub struct UniqueJson(pub Json);

impl<'de> Deserialize<'de> for UniqueJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(UniqueJson)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(UniqueJson(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Json, A::Error> {
        let UniqueKeys(members) = Members::<UniqueJson>(PhantomData).visit_map(access)?;
        Ok(Json::Object(members.into_iter().map(|(key, UniqueJson(value))| (key, value)).collect()))
    }
}

/// What serde_json says is wrong, without its position: a line that is counted within a record misleads.
pub fn without_position(message: &str) -> &str {
    message.split(" at line ").next().unwrap_or(message)
}

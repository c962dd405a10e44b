//! JSON objects as they were written.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

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
                        return Err(serde::de::Error::custom(format!("the key `{key}` is given twice")));
                    }
                    members.push((key, access.next_value()?));
                }
                Ok(UniqueKeys(members))
            }
        }
        deserializer.deserialize_map(Members(PhantomData))
    }
}

/// What serde_json says is wrong, without its position: a line that is counted within a record misleads.
pub fn without_position(message: &str) -> &str {
    message.split(" at line ").next().unwrap_or(message)
}

//! Guidelines: what counts as content, the roles of text, and their version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::sha256;

/// The guidelines that a dataset begins with.
pub const BUILT_IN: &str = include_str!("guidelines.yaml");

/// The place of `content` among the labels.
pub const CONTENT: u8 = 0;
/// The place of `not` among the labels.
pub const NOT: u8 = 1;
/// The place of `unsure` among the labels.
pub const UNSURE: u8 = 2;

/// The names of the labels that every dataset has, by place.
const PLAIN: [&str; 3] = ["content", "not", "unsure"];

/// Keys that choose no role: `?` lists them.
const MOST_ROLES: usize = 26;

/// A role of text: it is gold or not, and has a key and names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// True if its text is content.
    pub gold: bool,
    /// The letter that chooses it.
    pub key: char,
    /// Its name in English.
    pub en: String,
    /// Its name in Chinese.
    pub zh: String,
}

/// The text of the guidelines in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// In English.
    #[serde(default)]
    pub en: String,
    /// In Chinese.
    #[serde(default)]
    pub zh: String,
}

/// The content of a file of guidelines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: String,
    #[serde(default)]
    roles: BTreeMap<String, Role>,
    #[serde(default)]
    text: Text,
}

/// Guidelines, with the labels that follow from them.
#[derive(Clone, Debug)]
pub struct Guidelines {
    /// Their version.
    pub version: String,
    /// Version and SHA-256 of the file: what logs name.
    pub id: String,
    /// The rules, as plain text.
    pub text: Text,
    /// The labels by place: content, not, unsure, then the roles.
    pub labels: Labels,
}

/// The labels that text may have, by place.
#[derive(Clone, Debug)]
pub struct Labels {
    names: Vec<String>,
    roles: Vec<Role>,
}

impl Labels {
    /// The place of the label `name`.
    pub fn place(&self, name: &str) -> Option<u8> {
        self.names.iter().position(|known| known == name).map(|at| at as u8)
    }

    /// The name of the label at `place`.
    pub fn name(&self, place: u8) -> &str {
        &self.names[place as usize]
    }

    /// The number of labels.
    #[expect(clippy::len_without_is_empty, reason = "three are always there")]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The role at `place`, if it is one.
    pub fn role(&self, place: u8) -> Option<&Role> {
        self.roles.get((place as usize).checked_sub(PLAIN.len())?)
    }

    /// True if text of the label is content.
    pub fn is_gold(&self, place: u8) -> bool {
        place == CONTENT || self.role(place).is_some_and(|role| role.gold)
    }
}

impl Guidelines {
    /// Reads a file of guidelines.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn read(source: &str) -> Result<Self, String> {
        let file: File = serde_saphyr::from_str(source).map_err(|error| first_line(&error.to_string()))?;
        if file.version.is_empty() || file.version.contains(char::is_whitespace) || file.version.len() > 64 {
            return Err("`version` is a word of 1 to 64 characters".to_owned());
        }
        if file.roles.len() > MOST_ROLES {
            return Err(format!("there are {} roles; at most {MOST_ROLES} have a key", file.roles.len()));
        }
        for (at, (name, role)) in file.roles.iter().enumerate() {
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
            if PLAIN.contains(&&**name) || name.is_empty() || name.len() > 32 || !name.chars().all(is_name) {
                return Err(format!(
                    "`{name}` is no name of a role: 1 to 32 of a-z, 0-9, _ and -, and none of content, not, unsure"
                ));
            }
            if !role.key.is_ascii_lowercase() {
                return Err(format!("the key of role `{name}` is a letter from a to z"));
            }
            if file.roles.values().take(at).any(|other| other.key == role.key) {
                return Err(format!("two roles have the key `{}`", role.key));
            }
        }
        let names = PLAIN.into_iter().map(str::to_owned).chain(file.roles.keys().cloned()).collect();
        let labels = Labels { names, roles: file.roles.into_values().collect() };
        let id = format!("{} sha256:{}", file.version, sha256(source.as_bytes()));
        Ok(Guidelines { version: file.version, id, text: file.text, labels })
    }

    /// Those that a dataset begins with.
    ///
    /// # Panics
    /// Never: a test reads them.
    pub fn built_in() -> Self {
        Guidelines::read(BUILT_IN).expect("a test reads them")
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_guidelines_are_read() {
        let guidelines = Guidelines::built_in();
        assert!(guidelines.id.starts_with("carat-1 sha256:"));
        let gold: Vec<_> = (0..guidelines.labels.len() as u8)
            .filter(|&place| guidelines.labels.is_gold(place))
            .map(|place| guidelines.labels.name(place))
            .collect();
        assert_eq!(gold, ["content", "caption", "title"]);
        assert!(guidelines.text.zh.contains("责任编辑") && guidelines.text.en.contains("unsure"));
    }

    #[test]
    fn faults_are_told() {
        let fault = |source: &str| Guidelines::read(source).unwrap_err();
        assert!(fault("roles: {}").contains("version"));
        assert!(fault("version: a b").contains("word"));
        assert!(fault("version: a\nroles: {not: {gold: true, key: n, en: x, zh: y}}").contains("`not`"));
        assert!(fault("version: a\nroles: {x: {gold: true, key: '1', en: x, zh: y}}").contains("letter"));
        let two = "version: a\nroles: {x: {gold: true, key: k, en: x, zh: y}, y: {gold: true, key: k, en: x, zh: y}}";
        assert!(fault(two).contains("`k`"));
    }
}

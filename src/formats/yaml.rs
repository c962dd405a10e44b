//! YAML with positions, so that an error names its line. The one place that knows the YAML crate.

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, de};
use serde_saphyr::{Budget, Location, Options, Spanned, Tagged};

/// A place in a file, counted from 1; 0 where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its first character.
    pub at: Position,
}

/// What a YAML document holds. Scalars keep their text: `0.50` stays `0.50`.
#[derive(Clone, Debug)]
pub enum Node {
    /// Nothing, or `null`.
    Null,
    /// A scalar as it was written, without quotes.
    Scalar(String),
    /// A list.
    List(Vec<Located<Node>>),
    /// A mapping in order; no key twice.
    Map(Vec<(Located<String>, Located<Node>)>),
}

/// A fault of a YAML file, with the place where it shows.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{file}:{}:{}: {message}", at.line, at.column)]
pub struct YamlError {
    /// The file's name as it was given.
    pub file: String,
    /// The file's text, to show the line.
    pub text: String,
    /// Where.
    pub at: Position,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl YamlError {
    /// An error at `at`.
    pub fn new(file: &str, text: &str, at: Position, message: impl Into<String>) -> Self {
        YamlError { file: file.to_owned(), text: text.to_owned(), at, message: message.into() }
    }
}

/// Parses one document with the positions of its parts.
///
/// # Errors
/// [`YamlError`]: not YAML, a key twice, or more nodes than a configuration can have.
pub fn parse(file: &str, text: &str) -> Result<Located<Node>, YamlError> {
    parse_up_to(MAX_NODES, file, text)
}

/// Parses one document of up to so many values: lists that a program wrote are longer than configurations.
///
/// # Errors
/// As [`parse`].
pub fn parse_up_to(most: usize, file: &str, text: &str) -> Result<Located<Node>, YamlError> {
    let raw: Spanned<Raw> = typed_up_to(most, file, text)?;
    Ok(raw.locate(text))
}

/// Parses one document into a type of its own.
///
/// # Errors
/// As [`parse`], and where the document does not fit `T`.
pub fn typed<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, YamlError> {
    typed_up_to(MAX_NODES, file, text)
}

/// The same of a document without tags.
///
/// # Errors
/// As [`typed`], and the first tag.
pub fn typed_untagged<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, YamlError> {
    let _: Untagged = typed(file, text)?;
    typed(file, text)
}

fn typed_up_to<T: DeserializeOwned>(most: usize, file: &str, text: &str) -> Result<T, YamlError> {
    serde_saphyr::from_str_with_options(text, options(most)).map_err(|error| {
        let at = error.location().map(position).unwrap_or_default();
        let message = error.without_snippet().to_string();
        YamlError::new(file, text, at, in_one_sentence(&message, most))
    })
}

/// The crate's message without the place, which stands before it.
fn in_one_sentence(message: &str, most: usize) -> String {
    let first_line = message.lines().next().unwrap_or("not valid YAML");
    let first_line = first_line.split(" at line ").next().unwrap_or(first_line);
    if first_line.starts_with("budget breached") {
        return format!("too many values or too deep: at most {most} values, each alias counted in full");
    }
    if first_line.starts_with("multiple YAML documents") {
        return "the file holds more than one document; remove `---` and what follows".to_owned();
    }
    match first_line {
        "expected sequence start" => return "expected a list".to_owned(),
        "expected mapping start" => return "expected keys with values".to_owned(),
        "invalid u64" | "invalid u32" => return "expected a whole number".to_owned(),
        _ => {}
    }
    match first_line.strip_prefix("duplicate mapping key: ").and_then(|rest| rest.split(',').next()) {
        Some(key) => format!("`{key}` is given twice"),
        None => first_line.to_owned(),
    }
}

/// Writes `value` as a document.
///
/// # Errors
/// A sentence: the value holds what YAML cannot.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, String> {
    serde_saphyr::to_string(value).map_err(|error| error.to_string())
}

/// A document of more nodes is refused.
const MAX_NODES: usize = 20_000;

/// Small enough that an alias bomb ends at once, large enough for any configuration.
fn options(most: usize) -> Options {
    let mut budget = Budget::default();
    (budget.max_nodes, budget.max_events) = (most, 5 * most);
    let mut options = Options::default();
    options.budget = Some(budget);
    options.with_snippet = false;
    // YAML 1.2's core schema: `no` is Norwegian, and `1_000` a text.
    options.strict_booleans = true;
    options.underscored_numbers_as_strings = true;
    options
}

fn position(location: Location) -> Position {
    Position { line: location.line() as usize, column: location.column() as usize }
}

/// A node that has no tag, and none below it.
struct Untagged;

impl<'de> Deserialize<'de> for Untagged {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Tagged::<UntaggedParts>::deserialize(deserializer)? {
            Tagged(_, None) => Ok(Untagged),
            Tagged(_, Some(tag)) => Err(D::Error::custom(format!("the tag `{tag}` is not allowed; remove it"))),
        }
    }
}

/// A node with whatever tag, and none below it.
struct UntaggedParts;

impl<'de> Deserialize<'de> for UntaggedParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UntaggedParts)
    }
}

impl<'de> Visitor<'de> for UntaggedParts {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scalar, a list or a mapping")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self, A::Error> {
        while access.next_element::<Untagged>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self, A::Error> {
        while access.next_entry::<Untagged, Untagged>()?.is_some() {}
        Ok(self)
    }
}

/// What the YAML crate tells of a node.
enum Raw {
    Null,
    Text(String),
    /// A plain scalar that it took for a number or a truth value: its text is read from the source.
    Plain(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

trait Locate {
    fn locate(self, text: &str) -> Located<Node>;
}

impl Locate for Spanned<Raw> {
    fn locate(self, text: &str) -> Located<Node> {
        let at = position(self.referenced);
        let value = match self.value {
            Raw::Null => Node::Null,
            Raw::Text(scalar) => Node::Scalar(scalar),
            Raw::Plain(fallback) => Node::Scalar(written(text, self.defined).unwrap_or(fallback)),
            Raw::List(items) => Node::List(items.into_iter().map(|item| item.locate(text)).collect()),
            Raw::Map(entries) => Node::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| {
                        let at = position(key.referenced);
                        (Located { value: key.value, at }, value.locate(text))
                    })
                    .collect(),
            ),
        };
        Located { value, at }
    }
}

/// The plain scalar that begins at `location`.
fn written(text: &str, location: Location) -> Option<String> {
    let from = location.span().byte_offset()? as usize;
    let rest = text.get(from..)?;
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | '#')).unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scalar, a list or a mapping")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries: Vec<(Spanned<String>, Spanned<Raw>)> = Vec::new();
        while let Some((key, value)) = access.next_entry::<Spanned<String>, Spanned<Raw>>()? {
            if entries.iter().any(|(known, _)| known.value == key.value) {
                return Err(A::Error::custom(format!("`{}` is given twice", key.value)));
            }
            entries.push((key, value));
        }
        Ok(Raw::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(node: &Node) -> &[(Located<String>, Located<Node>)] {
        match node {
            Node::Map(entries) => entries,
            other => panic!("{other:?}"),
        }
    }

    fn scalar(node: &Node) -> &str {
        match node {
            Node::Scalar(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scalars_keep_their_text_and_place() {
        let document = parse("c.yaml", "a: 0.50 # x\nb: [1.0, true,no, '1.00']\nc: 0.6..1.0/0.05\nd:\n").unwrap();
        let entries = map(&document.value);
        assert_eq!(scalar(&entries[0].1.value), "0.50");
        assert_eq!(entries[0].1.at, Position { line: 1, column: 4 });
        let Node::List(items) = &entries[1].1.value else { panic!() };
        let texts: Vec<&str> = items.iter().map(|item| scalar(&item.value)).collect();
        assert_eq!(texts, ["1.0", "true", "no", "1.00"]);
        assert_eq!(scalar(&entries[2].1.value), "0.6..1.0/0.05");
        assert!(matches!(entries[3].1.value, Node::Null));
        assert_eq!(entries[3].0.at.line, 4);
    }

    #[test]
    fn faults_name_their_line() {
        let error = parse("c.yaml", "a: 1\na: 2\n").unwrap_err();
        assert_eq!(error.at.line, 2, "{error}");
        let error = parse("c.yaml", "a: [1, 2\nb: 3\n").unwrap_err();
        assert!(error.at.line >= 1 && error.to_string().starts_with("c.yaml:"), "{error}");
    }

    #[test]
    fn plain_scalars_are_of_the_core_schema() {
        let values: serde_json::Value =
            typed("c.yaml", "[no, yes, on, Off, y, 1_000, true, False, ~, null, 12, 0x1F, 1.5]").unwrap();
        let expected =
            serde_json::json!(["no", "yes", "on", "Off", "y", "1_000", true, false, null, null, 12, 31, 1.5]);
        assert_eq!(values, expected);
    }

    #[test]
    fn tags_are_refused_where_they_are_not_allowed() {
        let read = |text: &str| typed_untagged::<serde_json::Value>("c.yaml", text);
        assert!(read("a: &x [1, '!b']\nc: [*x, \"!!str\"]\n").is_ok());
        for tagged in [
            "a: 1\nb: !!str x\n", "a: 1\nb: [!x y]\n", "a: 1\nb: !x {c: 1}\n", "a: 1\n!!str b: 1\n",
            "a: 1\nb: !!seq []\n",
        ] {
            let error = read(tagged).unwrap_err();
            assert!(error.at.line == 2 && error.message.contains("tag"), "{tagged}: {error}");
        }
    }

    #[test]
    fn an_alias_bomb_is_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..9 {
            let aliases = vec![format!("*a{}", i - 1); 9].join(", ");
            text.push_str(&format!("a{i}: &a{i} [{aliases}]\n"));
        }
        assert!(parse("c.yaml", &text).is_err());
    }
}

//! The protocol `carat-worker/1`: what a worker says of itself, what it is asked and what it answers; one JSON object a
//! line.

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::declared::{Decimal, Declared, DeclaredKind};
use crate::algorithms::parameters::Values;
use crate::formats::json::{UniqueKeys, without_position};
use crate::runs::configuration::is_plain_name;
use crate::runs::values::text_of;
use crate::structure::TextKind;

/// The protocol's number.
pub const PROTOCOL: u64 = 1;

/// Files that a worker may list as its own.
const MOST_FILES: usize = 10_000;

/// What a worker says of itself before anything is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hello {
    /// The program's name.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// Its parameters, in its order.
    pub parameters: Vec<Declared>,
    /// The files that it lists as its own besides those that its command names: paths, from its folder.
    pub files: Vec<String>,
}

/// The first line of a worker, before it is checked.
#[derive(Deserialize)]
struct HelloLine {
    carat: Json,
    name: String,
    version: String,
    parameters: Option<UniqueKeys<DeclaredLine>>,
    #[serde(default)]
    files: Vec<String>,
}

#[derive(Deserialize)]
struct DeclaredLine {
    #[serde(rename = "type")]
    kind: String,
    min: Option<Json>,
    max: Option<Json>,
    values: Option<Vec<String>>,
    default: Option<Json>,
}

/// An example of a hello, for messages.
pub const HELLO: &str = r#"{"carat":1,"name":"NAME","version":"VERSION"}"#;

/// Reads a worker's first line.
///
/// # Errors
/// What is wrong with it, in one sentence.
pub fn read_hello(line: &[u8]) -> Result<Hello, String> {
    let HelloLine { carat, name, version, parameters, files } = object(line)
        .map_err(|problem| format!("its first line is no hello such as {HELLO}: {problem}: {}", shown(line)))?;
    if carat != PROTOCOL {
        return Err(format!("it speaks protocol {carat}; this program speaks {PROTOCOL}"));
    }
    if !is_plain_name(&name) {
        return Err(format!("`{}` is no program's name: 1 to 64 of A-Z a-z 0-9 . _ + -", shown(name.as_bytes())));
    }
    if version.is_empty() || version.len() > 200 || version.contains(char::is_control) {
        return Err("its version is empty, longer than 200 bytes, or holds control characters".to_owned());
    }
    if files.len() > MOST_FILES {
        return Err(format!("it lists {} files as its own; at most {MOST_FILES} are read", files.len()));
    }
    let parameters = parameters.map(|UniqueKeys(parameters)| parameters).unwrap_or_default();
    let declared = parameters.into_iter().map(|(name, line)| {
        declared(&name, line).map_err(|problem| format!("its parameter `{}`: {problem}", shown(name.as_bytes())))
    });
    Ok(Hello { parameters: declared.collect::<Result<_, _>>()?, name, version, files })
}

fn declared(name: &str, line: DeclaredLine) -> Result<Declared, String> {
    if !is_plain_name(name) {
        return Err("a name is 1 to 64 of A-Z a-z 0-9 . _ + -".to_owned());
    }
    let whole = |bound: Option<Json>, open: i64| {
        bound.map_or(Ok(open), |bound| text_of(&bound).parse().map_err(|_| format!("{bound} is no whole number")))
    };
    let decimal = |bound: Option<Json>| {
        bound.map(|bound| Decimal::read(&text_of(&bound)).ok_or_else(|| format!("{bound} is no decimal"))).transpose()
    };
    let kind = match line.kind.as_str() {
        "bool" => DeclaredKind::Bool,
        "int" => DeclaredKind::Int { min: whole(line.min, i64::MIN)?, max: whole(line.max, i64::MAX)? },
        "decimal" => DeclaredKind::Decimal { min: decimal(line.min)?, max: decimal(line.max)? },
        "string" => DeclaredKind::Text,
        "enum" => DeclaredKind::Enum { words: line.values.unwrap_or_default() },
        other => {
            return Err(format!("its type is bool, int, decimal, string or enum, not `{}`", shown(other.as_bytes())));
        }
    };
    if let DeclaredKind::Enum { words } = &kind
        && (words.is_empty() || words.iter().any(|word| word.is_empty() || word.contains(char::is_control)))
    {
        return Err("an enum needs its words in `values`, none empty or with control characters".to_owned());
    }
    let default = line.default.map(|default| kind.read(&text_of(&default))).transpose();
    let default = default.map_err(|problem| format!("its default: {problem}"))?;
    Ok(Declared { name: name.to_owned(), kind, default })
}

/// What is sent for a page. Gold is never sent, nor the page's name, by which something could be looked up.
#[derive(Serialize)]
pub struct Request<'r> {
    /// Unique in the child's life.
    pub id: &'r str,
    /// The page's address, or nothing.
    pub url: &'r str,
    /// The decoded page.
    pub html: &'r str,
    /// Every parameter.
    pub parameters: &'r Values,
}

impl Request<'_> {
    /// The request as a line. What JSON allows as it is and some readers of lines take for a line's end is escaped.
    pub fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        for (end, escaped) in [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")] {
            if line.contains(end) {
                line = line.replace(end, escaped);
            }
        }
        line.push('\n');
        line.into_bytes()
    }
}

/// What a worker answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A text, or what a text is read from.
    Extracted(Extracted),
    /// The worker failed on the page, for this reason.
    Failed(String),
}

/// What a worker extracted from a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// The form in which it is written.
    pub kind: TextKind,
    /// The text as it was written.
    pub text: String,
    /// NULs and lone surrogates, each of which became a U+FFFD.
    pub replaced: usize,
}

#[derive(Deserialize)]
struct ReplyLine {
    #[serde(default, deserialize_with = "present")]
    id: Option<Characters>,
    #[serde(default, deserialize_with = "present")]
    text: Option<Characters>,
    #[serde(default, deserialize_with = "present")]
    html: Option<Characters>,
    #[serde(default, deserialize_with = "present")]
    markdown: Option<Characters>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Characters>,
}

/// A member that is there is a string; null is none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Characters>, D::Error> {
    Characters::deserialize(deserializer).map(Some)
}

/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 500;

/// Reads the answer to the request `id`.
///
/// # Errors
/// What is wrong with the line, with its beginning.
pub fn read_reply(line: &[u8], id: &str) -> Result<Reply, String> {
    let read = || {
        let ReplyLine { id: named, text, html, markdown, error } = object(line)?;
        match named {
            None => return Err("lacks `id`".to_owned()),
            Some(named) if named.text != id => {
                return Err(format!("answers `{}`, not `{id}`", shown(named.text.as_bytes())));
            }
            Some(_) => {}
        }
        let forms = [(TextKind::Text, text), (TextKind::Html, html), (TextKind::Markdown, markdown)];
        let mut extracted = forms.into_iter().filter_map(|(kind, characters)| Some((kind, characters?)));
        match (extracted.next(), extracted.next(), error) {
            (Some((kind, Characters { text, replaced })), None, None) => {
                Ok(Reply::Extracted(Extracted { kind, text, replaced }))
            }
            (None, None, Some(Characters { text, .. })) => {
                Ok(Reply::Failed(text.chars().take(LONGEST_REASON).map(visible).collect()))
            }
            _ => Err("needs exactly one of `text`, `html`, `markdown` and `error`".to_owned()),
        }
    };
    read().map_err(|problem: String| format!("{problem}: {}", shown(line)))
}

/// A line's object as `T`; a list in its place is none.
fn object<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Result<T, String> {
    let line = std::str::from_utf8(line).map_err(|_| "is not valid UTF-8".to_owned())?;
    if !line.trim_start().starts_with('{') {
        return Err("is no JSON object".to_owned());
    }
    serde_json::from_str(line).map_err(|error| without_position(&error.to_string()).to_owned())
}

/// The first 200 bytes of a line, as people can read them.
pub fn shown(line: &[u8]) -> String {
    const SHOWN: usize = 200;
    let text: String = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).chars().map(visible).collect();
    if line.len() > SHOWN { format!("{text}…") } else { text }
}

fn visible(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        _ if c.is_control() => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

/// A JSON string in which NULs and lone surrogates became U+FFFD.
struct Characters {
    text: String,
    replaced: usize,
}

impl<'de> Deserialize<'de> for Characters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As bytes, for a string with a lone surrogate would be refused as a whole.
        deserializer.deserialize_bytes(CharactersVisitor)
    }
}

struct CharactersVisitor;

impl Visitor<'_> for CharactersVisitor {
    type Value = Characters;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, mut bytes: &[u8]) -> Result<Characters, E> {
        // Bytes of a lone surrogate, the only ones here that are not UTF-8.
        const SURROGATE: usize = 3;
        let (mut text, mut replaced) = (String::with_capacity(bytes.len()), 0);
        loop {
            match std::str::from_utf8(bytes) {
                Ok(rest) => {
                    text.push_str(rest);
                    break;
                }
                Err(error) => {
                    let (valid, rest) = bytes.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    text.push(char::REPLACEMENT_CHARACTER);
                    replaced += 1;
                    bytes = &rest[SURROGATE.min(rest.len())..];
                }
            }
        }
        let nuls = text.matches('\0').count();
        if nuls > 0 {
            text = text.replace('\0', "\u{FFFD}");
        }
        Ok(Characters { text, replaced: replaced + nuls })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(parameters: &str) -> Result<Hello, String> {
        read_hello(format!(r#"{{"carat":1,"name":"x","version":"2","parameters":{parameters}}}"#).as_bytes())
    }

    #[test]
    fn a_hello_declares_typed_parameters() {
        let spec = br#"{"carat":1,"name":"trafilatura","version":"2.3.1","parameters":{"favor_recall":{"type":"bool","default":false},"alpha":{"type":"decimal","min":"0","max":"1","default":"0.5"}},"later":[1]}"#;
        let hello = read_hello(spec).unwrap();
        assert_eq!((hello.name.as_str(), hello.version.as_str()), ("trafilatura", "2.3.1"));
        let [recall, alpha] = &hello.parameters[..] else { panic!("{hello:?}") };
        assert_eq!((&recall.kind, &recall.default), (&DeclaredKind::Bool, &Some(Json::Bool(false))));
        assert_eq!(alpha.kind.read("0.35"), Ok(Json::from("0.35")));
        assert!(alpha.kind.read("1.01").unwrap_err().contains("a decimal from 0 up to 1"));
        assert_eq!(alpha.kind.canonical(&"0.50".into()), alpha.kind.canonical(&"0.5".into()));
        assert!(alpha.kind.read("inf").is_err() && alpha.kind.read("1/2").is_err() && alpha.kind.read("-0.1").is_err());
    }

    #[test]
    fn wrong_hellos_say_what_is_wrong() {
        for (line, told) in [
            ("Loading model...", "is no JSON object: Loading model..."),
            (r#"[1,"x","2"]"#, "is no JSON object"),
            (r#"{"carat":2,"name":"x","version":"2"}"#, "speaks protocol 2"),
            (r#"{"carat":1,"name":"x"}"#, "missing field `version`"),
            (r#"{"carat":1,"name":"a b","version":"2"}"#, "is no program's name"),
            (r#"{"carat":1,"name":"x","version":""}"#, "its version is empty"),
            (r#"{"carat":1,"name":"x","version":"\u001b[2J"}"#, "control characters"),
        ] {
            let error = read_hello(line.as_bytes()).unwrap_err();
            assert!(error.contains(told), "{line}: {error}");
        }
        for (parameters, told) in [
            (r#"{"a":{"type":"float"}}"#, "bool, int, decimal, string or enum"),
            (r#"{"a":{"type":"enum"}}"#, "needs its words"),
            (r#"{"a":{"type":"int","default":"x"}}"#, "its default: expected a whole number"),
            (r#"{"a,b":{"type":"int"}}"#, "`a,b`"),
            (r#"{"a":{"type":"bool"},"a":{"type":"int"}}"#, "given twice"),
        ] {
            let error = hello(parameters).unwrap_err();
            assert!(error.contains(told), "{parameters}: {error}");
        }
    }

    fn text(line: &str) -> Result<(String, usize), String> {
        match read_reply(line.as_bytes(), "p1")? {
            Reply::Extracted(Extracted { text, replaced, kind: TextKind::Text }) => Ok((text, replaced)),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn texts_are_kept_but_for_what_is_no_character() {
        assert_eq!(text(r#"{"id":"p1","text":" a\r\n\u0007\ufeff字 "}"#), Ok((" a\r\n\u{7}\u{FEFF}字 ".to_owned(), 0)));
        assert_eq!(text("{\"id\":\"p1\",\"text\":\"\",\"ms\":[{\"x\":null}]}\r"), Ok((String::new(), 0)));
        let surrogates = r#"{"id":"p1","text":"a\u0000\ud800b\udc00\ud83d\ude00"}"#;
        assert_eq!(text(surrogates), Ok(("a\u{FFFD}\u{FFFD}b\u{FFFD}😀".to_owned(), 3)));
    }

    #[test]
    fn a_reply_is_written_in_one_of_three_forms() {
        for (line, kind) in [
            (r#"{"id":"p1","text":"|a|"}"#, TextKind::Text),
            (r#"{"id":"p1","html":"|a|"}"#, TextKind::Html),
            (r#"{"id":"p1","markdown":"|a|"}"#, TextKind::Markdown),
        ] {
            let extracted = Extracted { kind, text: "|a|".to_owned(), replaced: 0 };
            assert_eq!(read_reply(line.as_bytes(), "p1"), Ok(Reply::Extracted(extracted)));
        }
    }

    #[test]
    fn a_request_is_one_line_to_every_reader() {
        let html = "a\r\nb\u{2028}c\u{2029}d\u{85}e\\";
        let line = Request { id: "p1", url: "", html, parameters: &Values::new() }.line();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(line.find(['\r', '\n', '\u{85}', '\u{2028}', '\u{2029}']), Some(line.len() - 1));
        assert_eq!(serde_json::from_str::<Json>(&line).unwrap()["html"], html);
    }

    #[test]
    fn errors_are_one_line_of_at_most_500_characters() {
        let line = format!("{{\"id\":\"p1\",\"error\":\"a\\n\\u001b{}\"}}", "é".repeat(600));
        let Ok(Reply::Failed(reason)) = read_reply(line.as_bytes(), "p1") else { panic!() };
        assert_eq!((reason.chars().count(), reason.starts_with("a \u{FFFD}é")), (500, true));
    }

    #[test]
    fn wrong_replies_say_what_is_wrong() {
        for (line, told) in [
            (r#"{"id":"p1","text":null}"#, "null"),
            (r#"{"id":"p1","text":5}"#, "expected a string"),
            (r#"{"id":"p1"}"#, "exactly one of"),
            (r#"{"id":"p1","text":"","error":"x"}"#, "exactly one of"),
            (r#"{"id":"p1","text":"","markdown":""}"#, "exactly one of"),
            (r#"{"id":"p1","text":"","text":""}"#, "duplicate field"),
            (r#"{"text":"x"}"#, "lacks `id`"),
            (r#"{"id":1,"text":"x"}"#, "expected a string"),
            (r#"{"id":"p2","text":"x"}"#, "answers `p2`, not `p1`"),
            (r#"["p1","x"]"#, "is no JSON object"),
            ("", "is no JSON object"),
            (r#"{"id":"p1","text":"x""#, "EOF"),
        ] {
            let error = read_reply(line.as_bytes(), "p1").unwrap_err();
            assert!(error.contains(told), "{line}: {error}");
        }
        assert!(read_reply(b"{\"id\":\"p1\",\"text\":\"\xff\"}", "p1").unwrap_err().contains("UTF-8"));
        assert!(read_reply("x".repeat(900).as_bytes(), "p1").unwrap_err().len() < 300);
    }
}

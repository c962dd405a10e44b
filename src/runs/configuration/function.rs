//! Functions of a host program, such as a session of Python, that are asked for extractions.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use super::external::is_plain_name;
use super::{Origin, ParameterRequest, Reader, RequestError};
use crate::algorithms::parameters::Values;
use crate::formats::yaml::{Located, Node};
use crate::runs::grid::Written;
use crate::text::hint;

/// The beginning of the names of rows of functions.
pub const FUNCTIONS: &str = "python/";

/// The key of a function among the algorithms of a configuration.
pub(super) const PYTHON: &str = "python";

/// A function of the user's that extracts text from pages, page by page.
#[derive(Clone)]
pub struct FunctionRequest {
    /// The row's name behind `python/`.
    pub name: String,
    /// Where it is defined, `MODULE:FUNCTION`.
    pub function: String,
    /// The user's word for what it does: functions of one version extract the same. Without it no reply is kept.
    pub version: Option<String>,
    /// The values that were written for its parameters.
    pub parameters: Vec<ParameterRequest>,
    /// Where it stands.
    pub origin: Origin,
    /// The function itself; only the program that has it can set it.
    pub asked: Option<Arc<dyn Asked>>,
}

/// A function that can be asked.
pub trait Asked: Send + Sync {
    /// Its parameters, as the member `parameters` of a worker's hello declares them: a JSON object.
    fn parameters(&self) -> String;

    /// The part of a page that it is given.
    fn wants(&self) -> Wants;

    /// The number of threads that may ask at a time, at least 1. No result depends on it.
    fn threads(&self) -> usize;

    /// Asks it for the text of a page. It is called on a thread that runs no page.
    fn ask(&self, page: &AskedPage<'_>, parameters: &Values) -> Answered;
}

/// The part of a page that a function is given; never the gold, nor the page's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// The decoded page.
    Text,
    /// Its bytes.
    Bytes,
    /// The decoded page with its address and language.
    Page,
}

impl Wants {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Wants::Text => "str",
            Wants::Bytes => "bytes",
            Wants::Page => "page",
        }
    }
}

/// A page that a function is asked about.
#[derive(Clone, Copy, Debug)]
pub struct AskedPage<'p> {
    /// The decoded page; empty where the function wants bytes.
    pub html: &'p str,
    /// Its bytes; empty where the function does not want them.
    pub bytes: &'p [u8],
    /// Its address, or nothing.
    pub url: &'p str,
    /// The language that its dataset states, or nothing.
    pub language: &'p str,
}

/// The answer of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// A text, in which so many characters that are none became U+FFFD.
    Text {
        /// The text.
        text: String,
        /// The number of characters.
        replaced: usize,
    },
    /// It failed on the page, for this reason.
    Failed(String),
    /// The whole run shall end; whoever asks knows why.
    Ended,
}

impl fmt::Debug for FunctionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_yaml())
    }
}

/// The keys of a request.
const KEYS: [&str; 4] = ["name", "function", "version", "parameters"];

impl FunctionRequest {
    /// The request as an item of `algorithms`, on one line.
    pub fn to_yaml(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let mut yaml = format!("{PYTHON}: {{name: {}, function: {}", quoted(&self.name), quoted(&self.function));
        if let Some(version) = &self.version {
            let _ = write!(yaml, ", version: {}", quoted(version));
        }
        if !self.parameters.is_empty() {
            let pairs = self.parameters.iter().map(|parameter| match &parameter.written {
                Written::Values(values) => {
                    let values = values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", ");
                    format!("{}: [{values}]", quoted(&parameter.name))
                }
                other => format!("{}: {}", quoted(&parameter.name), quoted(&other.to_string())),
            });
            let _ = write!(yaml, ", parameters: {{{}}}", pairs.collect::<Vec<_>>().join(", "));
        }
        yaml + "}"
    }
}

impl Reader<'_> {
    /// Reads the mapping below `python:`.
    pub(super) fn function(&self, node: &Located<Node>) -> Result<FunctionRequest, RequestError> {
        let mut request = FunctionRequest {
            name: String::new(),
            function: String::new(),
            version: None,
            parameters: Vec::new(),
            origin: self.origin(node.at),
            asked: None,
        };
        for (key, value) in self.map(node)? {
            match key.value.as_str() {
                "name" => request.name = self.scalar(value)?.to_owned(),
                "function" => request.function = self.one_line(value)?,
                "version" => request.version = Some(self.one_line(value)?),
                "parameters" => request.parameters = self.parameters_of_program(value)?,
                unknown => {
                    return Err(self.error(key.at, format!("unknown key `{unknown}`; {}", hint(unknown, KEYS))));
                }
            }
        }
        if !is_plain_name(&request.name) {
            let message =
                format!("`{}` cannot name the row of a function: 1 to 64 of A-Z a-z 0-9 . _ + -", request.name);
            return Err(self.error(node.at, message));
        }
        Ok(request)
    }

    /// A text of up to 200 bytes without control characters.
    fn one_line(&self, node: &Located<Node>) -> Result<String, RequestError> {
        let text = self.scalar(node)?;
        match text.is_empty() || text.len() > 200 || text.contains(char::is_control) {
            false => Ok(text.to_owned()),
            true => Err(self.error(node.at, "expected 1 to 200 bytes without control characters".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Configuration;

    fn read(item: &str) -> Result<Configuration, String> {
        let text = format!("datasets: [portals]\nalgorithms:\n  - python: {item}\n");
        Configuration::from_yaml("c.yaml", &text).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_written_reads_back() {
        let item = "{name: mine, function: 'm:f', version: '1', parameters: {alpha: 0..1/0.5, mode: [a, 'b|c']}}";
        let configuration = read(item).unwrap();
        let yaml = configuration.to_yaml();
        assert!(yaml.contains(
            r#"- python: {name: "mine", function: "m:f", version: "1", parameters: {"alpha": "0..1/0.5", "mode": ["a", "b|c"]}}"#
        ));
        assert_eq!(Configuration::from_yaml("c.yaml", &yaml).unwrap().to_yaml(), yaml);
        assert!(configuration.bounds.is_empty(), "what a function extracts needs no page to be parsed");
    }

    #[test]
    fn faults_name_their_place_and_the_way_out() {
        for (item, told) in [
            ("{function: m}", "cannot name the row of a function"),
            ("{name: a b}", "`a b` cannot name"),
            ("{name: a, versoin: 1}", "did you mean `version`?"),
            ("{name: a, version: ''}", "expected 1 to 200 bytes"),
        ] {
            let error = read(item).unwrap_err();
            assert!(error.starts_with("c.yaml:3:") && error.contains(told), "{item}: {error}");
        }
    }
}

//! External programs as people ask for them: a mapping in a configuration or on the command line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Origin, ParameterRequest, Reader, RequestError};
use crate::algorithms::value::Value;
use crate::formats::yaml::{Located, Node, parse};
use crate::runs::grid::Written;
use crate::text::hint;

/// A program of the user's that extracts text from pages, page by page, as a worker of carat.
#[derive(Clone, Debug)]
pub struct ExternalRequest {
    /// The row's name behind `external/`; `None` for the one that the worker gives itself.
    pub name: Option<String>,
    /// True if it asks one function of Python, so that the row is `python/NAME`.
    pub is_function: bool,
    /// The program and its arguments; no shell reads them.
    pub command: Vec<String>,
    /// The folder that it is started in; `None` for the one that carat was started in.
    pub cwd: Option<String>,
    /// Environment variables that are added.
    pub env: BTreeMap<String, String>,
    /// The values that were written for its parameters.
    pub parameters: Vec<ParameterRequest>,
    /// Whether a row with the swept parameters at their defaults is run besides, as a tuning needs it.
    pub with_default: bool,
    /// How it is dealt with.
    pub limits: Limits,
    /// Where it stands.
    pub origin: Origin,
}

/// How long and how much a worker may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// How many children run at a time, 1 to 64. No result depends on it.
    pub workers: usize,
    /// Seconds that a page may take to be written, and then again to be answered.
    pub timeout: Seconds,
    /// Seconds until the hello.
    pub start_timeout: Seconds,
    /// After so many pages in a row that cost a worker, the program is not run on the others.
    pub restarts: usize,
    /// A longer page is not sent; bytes of UTF-8.
    pub max_html_bytes: usize,
    /// A longer line is not read to its end; bytes.
    pub max_text_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            workers: 1,
            timeout: Seconds(Value::decimal(30, 0)),
            start_timeout: Seconds(Value::decimal(60, 0)),
            restarts: 5,
            max_html_bytes: 64 << 20,
            max_text_bytes: 64 << 20,
        }
    }
}

/// A time as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(Value);

impl Seconds {
    /// The time.
    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0.to_f64())
    }
}

impl std::str::FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let allowed = |seconds: &Value| *seconds > Value::ZERO && *seconds <= Value::decimal(LONGEST, 0);
        let seconds = text.parse().ok().filter(allowed).map(Seconds);
        seconds.ok_or_else(|| format!("expected seconds, above 0 and up to {LONGEST}, not `{text}`"))
    }
}

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The keys of a request.
pub(in crate::runs) const KEYS: [&str; 12] = [
    "name", "function", "command", "cwd", "env", "parameters", "workers", "timeout_s", "start_timeout_s", "restarts",
    "max_html_bytes", "max_text_bytes",
];

/// No page takes a day.
const LONGEST: u64 = 86_400;

/// Bytes of the longest page and the longest line that can be asked for.
const MOST_BYTES: usize = 2 << 30;

impl ExternalRequest {
    /// Reads the command line's form: a mapping as in a configuration, `{command: [..], ..}`, or the command alone,
    /// its words parted by white space.
    ///
    /// # Errors
    /// [`RequestError`]: as in a configuration.
    pub fn from_argument(argument: &str) -> Result<Self, RequestError> {
        let origin = Origin::Argument(argument.to_owned());
        if argument.trim_start().starts_with('{') {
            let document = parse("--external", argument)?;
            let request = Reader { file: "--external", text: argument.into() }.external(&document)?;
            return Ok(ExternalRequest { origin, ..request });
        }
        let command: Vec<String> = argument.split_whitespace().map(str::to_owned).collect();
        if command.is_empty() {
            return Err(RequestError::Argument("--external needs a command".to_owned()));
        }
        Ok(ExternalRequest { command, ..Self::new(origin) })
    }

    /// A request with nothing written but where it stands.
    fn new(origin: Origin) -> Self {
        ExternalRequest {
            name: None,
            is_function: false,
            command: Vec::new(),
            cwd: None,
            env: BTreeMap::new(),
            parameters: Vec::new(),
            with_default: false,
            limits: Limits::default(),
            origin,
        }
    }

    /// A request for a command alone.
    pub fn of_command(command: Vec<String>) -> Self {
        let origin = Origin::Argument(command.join(" "));
        ExternalRequest { command, ..Self::new(origin) }
    }

    /// The command as it is shown to people.
    pub fn command_line(&self) -> String {
        let is_plain = |word: &&String| !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '"');
        let word = |word| if is_plain(&word) { word.clone() } else { quoted(word) };
        self.command.iter().map(word).collect::<Vec<_>>().join(" ").replace(char::is_control, "\u{FFFD}")
    }

    /// The request as an item of `algorithms`, on one line.
    pub fn to_yaml(&self) -> String {
        let list = |texts: &[String]| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
        let mut yaml = String::from("external: {");
        if let Some(name) = &self.name {
            let _ = write!(yaml, "name: {}, ", quoted(name));
        }
        if self.is_function {
            yaml.push_str("function: true, ");
        }
        let _ = write!(yaml, "command: [{}]", list(&self.command));
        if let Some(cwd) = &self.cwd {
            let _ = write!(yaml, ", cwd: {}", quoted(cwd));
        }
        if !self.env.is_empty() {
            let pairs = self.env.iter().map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)));
            let _ = write!(yaml, ", env: {{{}}}", pairs.collect::<Vec<_>>().join(", "));
        }
        if !self.parameters.is_empty() {
            let pairs = self.parameters.iter().map(|parameter| match &parameter.written {
                Written::Values(values) => format!("{}: [{}]", quoted(&parameter.name), list(values)),
                other => format!("{}: {}", quoted(&parameter.name), quoted(&other.to_string())),
            });
            let _ = write!(yaml, ", parameters: {{{}}}", pairs.collect::<Vec<_>>().join(", "));
        }
        let Limits { workers, timeout, start_timeout, restarts, max_html_bytes, max_text_bytes } = &self.limits;
        let _ = write!(
            yaml,
            ", workers: {workers}, timeout_s: {timeout}, start_timeout_s: {start_timeout}, restarts: {restarts}, \
             max_html_bytes: {max_html_bytes}, max_text_bytes: {max_text_bytes}}}"
        );
        yaml
    }

    /// The same as a person would write it: without limits at their defaults, and one value for each parameter.
    pub(crate) fn to_short_yaml(&self) -> String {
        let map = |pairs: Vec<String>| format!("{{{}}}", pairs.join(", "));
        let command: Vec<String> = self.command.iter().map(|word| written(word)).collect();
        let mut keys: Vec<String> = self.name.iter().map(|name| format!("name: {}", written(name))).collect();
        keys.extend(self.is_function.then(|| "function: true".to_owned()));
        keys.push(format!("command: [{}]", command.join(", ")));
        keys.extend(self.cwd.iter().map(|cwd| format!("cwd: {}", written(cwd))));
        let variables = self.env.iter().map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)));
        let parameters = self.parameters.iter().map(|parameter| {
            let value = match &parameter.written {
                Written::Values(values) => match &values[..] {
                    [one] if written(one) == *one => one.clone(),
                    several => {
                        format!("[{}]", several.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "))
                    }
                },
                other => quoted(&other.to_string()),
            };
            format!("{}: {value}", written(&parameter.name))
        });
        for (key, pairs) in [("env", variables.collect::<Vec<_>>()), ("parameters", parameters.collect())] {
            keys.extend((!pairs.is_empty()).then(|| format!("{key}: {}", map(pairs))));
        }
        keys.extend(self.limits.other_than_default());
        format!("external: {}", map(keys))
    }
}

impl Limits {
    /// Each that is not at its default, as it is written.
    fn other_than_default(&self) -> Vec<String> {
        let written = |limits: &Limits| {
            let Limits { workers, timeout, start_timeout, restarts, max_html_bytes, max_text_bytes } = limits;
            [
                format!("workers: {workers}"),
                format!("timeout_s: {timeout}"),
                format!("start_timeout_s: {start_timeout}"),
                format!("restarts: {restarts}"),
                format!("max_html_bytes: {max_html_bytes}"),
                format!("max_text_bytes: {max_text_bytes}"),
            ]
        };
        let pairs = written(self).into_iter().zip(written(&Limits::default()));
        pairs.filter(|(own, default)| own != default).map(|(own, _)| own).collect()
    }
}

/// `text` as a person would write it: itself where YAML and the grammar of values take it for a text or a number.
fn written(text: &str) -> String {
    const WORDS: [&str; 7] = ["null", "yes", "no", "on", "off", "y", "n"];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let begins_well = text.starts_with(|c: char| c.is_ascii_alphanumeric() || "./".contains(c));
    let is_word = !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if begins_well && is_word && text.chars().all(is_plain) && !text.contains("..") {
        return text.to_owned();
    }
    quoted(text)
}

/// A text between quotes that YAML reads back.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether `name` can name a row, and a file: 1 to 64 of A-Z a-z 0-9 . _ + -, not beginning with a point.
pub fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    (1..=64).contains(&name.len()) && name.chars().all(is_plain) && !name.starts_with('.')
}

impl Reader<'_> {
    /// Reads the mapping below `external:`.
    pub(super) fn external(&self, node: &Located<Node>) -> Result<ExternalRequest, RequestError> {
        let mut request = ExternalRequest::new(self.origin(node.at));
        let limits = &mut request.limits;
        for (key, value) in self.map(node)? {
            match key.value.as_str() {
                "name" => request.name = Some(self.external_name(value)?),
                "function" => request.is_function = self.flag(value)?,
                "command" => request.command = self.command(value)?,
                "cwd" => request.cwd = Some(self.scalar(value)?.to_owned()),
                "env" => request.env = self.variables(value)?,
                "parameters" => request.parameters = self.parameters_of_program(value)?,
                "workers" => limits.workers = self.number(value, 1..=64)?,
                "timeout_s" => limits.timeout = self.word(value)?,
                "start_timeout_s" => limits.start_timeout = self.word(value)?,
                "restarts" => limits.restarts = self.number(value, 1..=1_000_000)?,
                "max_html_bytes" => limits.max_html_bytes = self.number(value, 1..=MOST_BYTES)?,
                "max_text_bytes" => limits.max_text_bytes = self.number(value, 1..=MOST_BYTES)?,
                unknown => {
                    return Err(self.error(key.at, format!("unknown key `{unknown}`; {}", hint(unknown, KEYS))));
                }
            }
        }
        if request.command.is_empty() {
            let message = "an external program needs its command, as in `command: [python3, worker.py]`";
            return Err(self.error(node.at, message.to_owned()));
        }
        Ok(request)
    }

    fn external_name(&self, node: &Located<Node>) -> Result<String, RequestError> {
        let name = self.scalar(node)?;
        match is_plain_name(name) {
            true => Ok(name.to_owned()),
            false => Err(self.error(node.at, format!("`{name}` is no program's name: 1 to 64 of A-Z a-z 0-9 . _ + -"))),
        }
    }

    fn command(&self, node: &Located<Node>) -> Result<Vec<String>, RequestError> {
        let words = self.scalars(node)?;
        if let (Node::Scalar(text), true) = (&node.value, words.iter().any(|word| word.contains(' '))) {
            let list = text.split_whitespace().collect::<Vec<_>>().join(", ");
            return Err(self.error(node.at, format!("a command is a list of its words: [{list}]")));
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err(self.error(node.at, "a command's words hold no NUL".to_owned()));
        }
        Ok(words)
    }

    fn variables(&self, node: &Located<Node>) -> Result<BTreeMap<String, String>, RequestError> {
        let entries = if matches!(node.value, Node::Null) { &[] } else { self.map(node)? };
        let variable = |(key, value): &(Located<String>, Located<Node>)| {
            if key.value.is_empty() || key.value.contains(['=', '\0']) {
                return Err(self.error(key.at, format!("`{}` is no name of a variable", key.value)));
            }
            Ok((key.value.clone(), self.scalar(value)?.to_owned()))
        };
        entries.iter().map(variable).collect()
    }

    pub(super) fn parameters_of_program(&self, node: &Located<Node>) -> Result<Vec<ParameterRequest>, RequestError> {
        let entries = if matches!(node.value, Node::Null) { &[] } else { self.map(node)? };
        let parameters = entries.iter().map(|(key, value)| {
            Ok(ParameterRequest {
                name: key.value.clone(),
                written: self.written(&key.value, value)?,
                origin: self.origin(key.at),
            })
        });
        parameters.collect()
    }

    fn number(&self, node: &Located<Node>, range: RangeInclusive<usize>) -> Result<usize, RequestError> {
        let text = self.scalar(node)?;
        let number = text.parse().ok().filter(|number| range.contains(number));
        let expected = || format!("expected a whole number from {} to {}, not `{text}`", range.start(), range.end());
        number.ok_or_else(|| self.error(node.at, expected()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Configuration;
    use super::*;

    fn read(item: &str) -> Result<Configuration, String> {
        let text = format!("datasets: [portals]\nalgorithms:\n  - external: {item}\n");
        Configuration::from_yaml("c.yaml", &text).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_written_reads_back() {
        let item = "{name: x+1, function: true, command: [python3, 'a b.py', \"-q\"], cwd: 'some where', env: {A: 'b: c', N: 1}, workers: 2, \
                    parameters: {alpha: 0..1/0.1, favor: [false, true], mode: 'a|b', text: ['x, {y}|z']}, timeout_s: 0.5, \
                    start_timeout_s: 120, restarts: 3, max_html_bytes: 1000, max_text_bytes: 2000}";
        let configuration = read(item).unwrap();
        let request = &configuration.external[0];
        assert_eq!(request.command, ["python3", "a b.py", "-q"]);
        assert!(request.is_function);
        assert_eq!(request.limits.timeout.duration(), Duration::from_millis(500));
        let written: Vec<Written> = request.parameters.iter().map(|one| one.written.clone()).collect();
        let values = |values: &[&str]| Written::Values(values.iter().map(|&value| value.to_owned()).collect());
        assert_eq!(written[1..], [values(&["false", "true"]), values(&["a", "b"]), values(&["x, {y}|z"])]);
        let yaml = configuration.to_yaml();
        let again = Configuration::from_yaml("c.yaml", &yaml).unwrap();
        assert_eq!(again.to_yaml(), yaml);
        let (first, second) = (request, &again.external[0]);
        assert_eq!((&first.env, &first.cwd, &first.limits), (&second.env, &second.cwd, &second.limits));
        assert_eq!(second.parameters.iter().map(|one| one.written.clone()).collect::<Vec<_>>(), written);
        let short = read(request.to_short_yaml().strip_prefix("external: ").unwrap()).unwrap();
        assert_eq!(short.to_yaml(), yaml, "the short form says the same");
    }

    #[test]
    fn the_short_form_is_what_a_person_would_write() {
        let item = "{command: [python3, worker.py, '--fast', 'on'], parameters: {alpha: [0.5], mode: ['a|b'], flag: true}, restarts: 3}";
        let short = read(item).unwrap().external[0].to_short_yaml();
        let expected = "external: {command: [python3, worker.py, \"--fast\", \"on\"], \
                        parameters: {alpha: 0.5, mode: [\"a|b\"], flag: true}, restarts: 3}";
        assert_eq!(short, expected);
    }

    #[test]
    fn the_command_line_has_the_same_grammar() {
        let short = ExternalRequest::from_argument("python3 worker.py --fast").unwrap();
        assert_eq!(short.command, ["python3", "worker.py", "--fast"]);
        let long = "{command: [python3, worker.py, --fast], timeout_s: 5, parameters: {alpha: 0.5}}";
        let long = ExternalRequest::from_argument(long).unwrap();
        assert_eq!((&long.command, long.parameters.len()), (&short.command, 1));
        assert!(ExternalRequest::from_argument(" ").is_err());
        let error = ExternalRequest::from_argument("{comand: [x]}").unwrap_err().to_string();
        assert!(error.contains("did you mean `command`?"), "{error}");
    }

    #[test]
    fn faults_name_their_place_and_the_way_out() {
        for (item, told) in [
            ("{name: x}", "c.yaml:3:15: an external program needs its command"),
            ("{command: python3 x.py}", "a list of its words: [python3, x.py]"),
            ("{command: [x], workers: 65}", "c.yaml:3:39: expected a whole number from 1 to 64, not `65`"),
            ("{command: [x], timeout_s: 0}", "expected seconds, above 0"),
            ("{command: [x], timeout: 5}", "did you mean `timeout_s`?"),
            ("{command: [x], name: ../x}", "is no program's name"),
            ("{command: [x], env: {'A=B': c}}", "is no name of a variable"),
            ("{command: [x], parameters: {alpha: []}}", "the list of values of `alpha` is empty"),
            ("[x]", "expected keys with values"),
        ] {
            let error = read(item).unwrap_err();
            assert!(error.starts_with("c.yaml:3:") && error.contains(told), "{item}: {error}");
        }
    }
}

//! What a run shall do, as a person wrote it: a YAML file or the command line, one grammar.

mod combine;
mod external;

use std::collections::BTreeMap;

pub use self::combine::EnsembleRequest;
pub use self::external::{ExternalRequest, Limits, Seconds, is_plain_name};

use super::bounds;
use super::ensembles::COMBINE;
use super::grid::Written;
use super::learned::{FALLBACK, WRAPPER, as_value, without_learned_rules};
use super::reads_gold::ReadsGold;
use super::rules::Rules;
use super::splits::canonical;
use super::tuning::TuningRequest;
use crate::algorithms::find;
use crate::algorithms::parameters::ParameterKind;
use crate::datasets::manifest::FAULTS;
use crate::datasets::manifest::Record;
use crate::formats::yaml::{Located, Node, Position, YamlError, parse};
use crate::scoring::Measure;
use crate::text::hint;
use crate::text::tokens::{Case, TokenKind};

/// The configuration of `carat run` without arguments.
pub const DEFAULT: &str = include_str!("../../configs/default.yaml");

/// A request that cannot be carried out; nothing was done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RequestError {
    /// A fault of a configuration file, with its place.
    #[error(transparent)]
    File(#[from] YamlError),
    /// A fault of an argument.
    #[error("{0}")]
    Argument(String),
}

/// What a run shall do.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// Names the run and its folder.
    pub name: String,
    /// The datasets' names, as `datasets::locate` understands them.
    pub datasets: Vec<NamedRequest>,
    /// Filters: only pages whose field has this value.
    pub filters: BTreeMap<String, String>,
    /// Pages with one of these faults are left out.
    pub without_faults: Vec<String>,
    /// Pages for whose faults a dataset cannot be loaded are left out.
    pub keep_going: bool,
    /// What a token is.
    pub tokens: TokenKind,
    /// Whether case counts.
    pub case: Case,
    /// How an extraction is held against the gold.
    pub measure: Measure,
    /// What is run, in order.
    pub algorithms: Vec<AlgorithmRequest>,
    /// What is combined, in order.
    pub ensembles: Vec<EnsembleRequest>,
    /// The bounds that stand beside the rows. A configuration file that names an algorithm and no bounds has them all.
    pub bounds: Vec<AlgorithmRequest>,
    /// External programs that are run besides, in order.
    pub external: Vec<ExternalRequest>,
    /// Stored outputs that are scored besides, as `doors::stored` understands them.
    pub stored: Vec<NamedRequest>,
    /// What `carat gate` holds the run to; no figure depends on it, so it is no part of the run that is stored.
    pub gate: Rules,
    /// How `carat tune` chooses among what is swept; no score depends on it.
    pub tuning: TuningRequest,
}

/// A dataset or a stored output that was asked for.
#[derive(Clone, Debug)]
pub struct NamedRequest {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub origin: Origin,
}

impl NamedRequest {
    /// What was named by an argument.
    pub fn from_argument(name: &str) -> Self {
        NamedRequest { name: name.to_owned(), origin: Origin::Argument(name.to_owned()) }
    }
}

/// An algorithm with the parameters that were written for it.
#[derive(Clone, Debug)]
pub struct AlgorithmRequest {
    /// Its name.
    pub name: String,
    /// Parameters in the order in which they were written.
    pub parameters: Vec<ParameterRequest>,
    /// Where it stands.
    pub origin: Origin,
}

/// What was written for one parameter.
#[derive(Clone, Debug)]
pub struct ParameterRequest {
    /// The parameter's name.
    pub name: String,
    /// What was written.
    pub written: Written,
    /// Where it stands.
    pub origin: Origin,
}

/// Where a part of a configuration comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A place in a file, whose name and text are kept for the error.
    File {
        /// The file's name.
        file: String,
        /// Its text.
        text: std::sync::Arc<str>,
        /// The place.
        at: Position,
    },
    /// An argument, as it was given.
    Argument(String),
}

impl Origin {
    /// An error at this place.
    pub fn error(&self, message: impl Into<String>) -> RequestError {
        match self {
            Origin::File { file, text, at } => YamlError::new(file, text, *at, message).into(),
            Origin::Argument(argument) => RequestError::Argument(format!("`{argument}`: {}", message.into())),
        }
    }
}

/// The keys of a configuration.
const KEYS: [&str; 14] = [
    "name", "datasets", "where", "split", "without_faults", "keep_going", "tokens", "case", "measure", "algorithms",
    "bounds", "stored", "gate", "tune",
];

/// The page fields that can be filtered by.
pub const FILTERS: [&str; 7] = ["id", "site", "language", "kind", "group", "split", "host"];

impl AlgorithmRequest {
    /// `name` at its defaults.
    pub fn plain(name: &str) -> Self {
        let origin = Origin::Argument(name.to_owned());
        AlgorithmRequest { name: name.to_owned(), parameters: Vec::new(), origin }
    }

    /// Reads the command line's form: `NAME` or `NAME:PARAMETER=VALUES,...`.
    ///
    /// # Errors
    /// [`RequestError`]: a parameter without `=`.
    pub fn from_argument(argument: &str) -> Result<Self, RequestError> {
        Self::from_text(argument, &Origin::Argument(argument.to_owned()))
    }

    /// The same, of a text that stands somewhere else.
    pub(super) fn from_text(text: &str, origin: &Origin) -> Result<Self, RequestError> {
        let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
        let parameters = parameters.split(',').filter(|part| !part.is_empty()).map(|part| {
            let (name, values) =
                part.split_once('=').ok_or_else(|| origin.error(format!("`{part}` needs a value: {part}=VALUE")))?;
            let (name, written) = (name.trim().to_owned(), Written::read(values.trim()));
            Ok(ParameterRequest { name, written, origin: origin.clone() })
        });
        let parameters = parameters.collect::<Result<Vec<_>, RequestError>>()?;
        let request = AlgorithmRequest { name: name.trim().to_owned(), parameters, origin: origin.clone() };
        request.refuse_doubles()?;
        request.refuse_marks()?;
        Ok(request)
    }

    /// Refuses what could not be written as one argument again: names and values with a mark of the
    /// grammar in them.
    fn refuse_marks(&self) -> Result<(), RequestError> {
        let refuse = |origin: &Origin, text: &str, what: &str, marks: &[char]| match text.contains(marks) {
            true => Err(origin.error(format!("`{text}` is no {what}"))),
            false => Ok(()),
        };
        const MARKS: [char; 7] = [':', ',', '=', '|', ' ', '\t', '\n'];
        refuse(&self.origin, &self.name, "name of an algorithm", &MARKS)?;
        for parameter in &self.parameters {
            refuse(&parameter.origin, &parameter.name, "name of a parameter", &MARKS)?;
            refuse(&parameter.origin, &parameter.written.to_string(), "value", &[','])?;
            if let Written::Values(values) = &parameter.written {
                values.iter().try_for_each(|value| refuse(&parameter.origin, value, "value", &['|']))?;
            }
        }
        Ok(())
    }

    /// What was written for its parameters, as on the command line.
    fn label(&self) -> String {
        let pairs = self.parameters.iter().map(|parameter| format!("{}={}", parameter.name, parameter.written));
        pairs.collect::<Vec<_>>().join(",")
    }

    fn refuse_doubles(&self) -> Result<(), RequestError> {
        for (i, parameter) in self.parameters.iter().enumerate() {
            if self.parameters[..i].iter().any(|earlier| earlier.name == parameter.name) {
                return Err(parameter.origin.error(format!("`{}` is given twice", parameter.name)));
            }
        }
        Ok(())
    }
}

impl Configuration {
    /// Whether a page counts in rows: whether it has what the measure holds extractions against.
    pub fn scores(&self, record: &Record) -> bool {
        match self.measure {
            Measure::Snippets => record.details().snippets.is_some(),
            Measure::Lcs | Measure::Shingle4 | Measure::Bag | Measure::Nodes => record.gold.is_some(),
        }
    }

    /// Takes these algorithms and ensembles, written as on the command line, instead of those and the external programs
    /// that it has.
    ///
    /// # Errors
    /// [`RequestError`]: what is not of the grammar.
    pub fn replace_algorithms(&mut self, arguments: &[String]) -> Result<(), RequestError> {
        (self.algorithms, self.ensembles, self.external) = Default::default();
        arguments.iter().try_for_each(|argument| self.add(AlgorithmRequest::from_argument(argument)?))
    }

    /// Adds an algorithm, or an ensemble that is written as one.
    fn add(&mut self, request: AlgorithmRequest) -> Result<(), RequestError> {
        match request.name == COMBINE {
            true => self.ensembles.push(EnsembleRequest::of(request)?),
            false => self.algorithms.push(request),
        }
        Ok(())
    }

    /// Takes these bounds, written as on the command line, instead of those it has; `none` stands for none.
    ///
    /// # Errors
    /// [`RequestError`]: what is not of the grammar.
    pub fn replace_bounds(&mut self, arguments: &[String]) -> Result<(), RequestError> {
        let named = arguments.iter().filter(|argument| *argument != NO_BOUNDS);
        self.bounds = named.map(|argument| AlgorithmRequest::from_argument(argument)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Takes out the rows that read gold, of the page or of other pages, and the rules that were learned from it. What is
    /// returned was asked for; bounds stand beside every run and need no word.
    ///
    /// # Errors
    /// [`RequestError`]: a rules file that cannot be read or is wrong.
    pub fn drop_readers_of_gold(&mut self) -> Result<Vec<AlgorithmRequest>, RequestError> {
        self.bounds.clear();
        let mut left_out = Vec::new();
        for request in std::mem::take(&mut self.algorithms) {
            if ReadsGold::of_request(&request.name, &request.label()).is_some() {
                left_out.push(request);
                continue;
            }
            let [kept, learned] = without_learned_rules(&request)?;
            self.algorithms.extend(kept);
            left_out.extend(learned);
        }
        Ok(left_out)
    }

    /// The default run.
    ///
    /// # Panics
    /// Never: a test reads the embedded file.
    pub fn default_run() -> Self {
        Self::from_yaml("default.yaml", DEFAULT).expect("the embedded configuration is valid")
    }

    /// Reads a configuration file. Its name, without folders and suffix, names the run unless the
    /// file does.
    ///
    /// # Errors
    /// [`RequestError`]: not YAML, an unknown key, a wrong type, each with its line.
    pub fn from_yaml(file: &str, text: &str) -> Result<Self, RequestError> {
        let document = parse(file, text)?;
        let reader = Reader { file, text: text.into() };
        let mut configuration = Configuration { name: stem(file).to_owned(), ..Configuration::default() };
        let mut bounds = None;
        for (key, value) in reader.map(&document)? {
            match key.value.as_str() {
                "name" => configuration.name = reader.name(value)?,
                "datasets" => configuration.datasets = reader.named(value)?,
                "where" => configuration.filters.extend(reader.filters(value)?),
                "split" => {
                    let split = canonical(reader.scalar(value)?).map_err(|message| reader.error(value.at, message))?;
                    configuration.filters.insert("split".to_owned(), split);
                }
                "without_faults" => {
                    let faults = reader.scalars(value)?;
                    faults.iter().try_for_each(|fault| known_fault(fault)).map_err(|m| reader.error(value.at, m))?;
                    configuration.without_faults = faults;
                }
                "keep_going" => configuration.keep_going = reader.flag(value)?,
                "tokens" => configuration.tokens = reader.word(value)?,
                "case" => configuration.case = reader.word(value)?,
                "measure" => configuration.measure = reader.word(value)?,
                "algorithms" => reader.systems(value, &mut configuration)?,
                "bounds" => bounds = Some(reader.bounds(value)?),
                "stored" => configuration.stored = reader.named(value)?,
                "gate" => configuration.gate = Rules::read(value, &|at, message| reader.error(at, message))?,
                "tune" => configuration.tuning = TuningRequest::read(&reader, value)?,
                unknown => {
                    return Err(reader.error(key.at, format!("unknown key `{unknown}`; {}", hint(unknown, KEYS))));
                }
            }
        }
        let chooses = !configuration.algorithms.is_empty() || !configuration.ensembles.is_empty();
        // What other programs extract needs no page to be parsed, and bounds would.
        configuration.bounds = bounds.unwrap_or_else(|| if chooses { bounds::all() } else { Vec::new() });
        let nothing_to_score = !chooses && configuration.external.is_empty() && configuration.stored.is_empty();
        for (what, missing) in
            [("datasets", configuration.datasets.is_empty()), ("algorithms and no stored outputs", nothing_to_score)]
        {
            if missing {
                return Err(reader.error(document.at, format!("the configuration names no {what}")));
            }
        }
        Ok(configuration)
    }

    /// The configuration as a file that makes the same run again.
    pub fn to_yaml(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let list = |texts: &[String]| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
        let mut yaml = String::new();
        let mut line = |text: String| {
            yaml.push_str(&text);
            yaml.push('\n');
        };
        line(format!("name: {}", quoted(&self.name)));
        let names =
            |requests: &[NamedRequest]| list(&requests.iter().map(|request| request.name.clone()).collect::<Vec<_>>());
        line(format!("datasets: [{}]", names(&self.datasets)));
        if !self.filters.is_empty() {
            let filters = self.filters.iter().map(|(key, value)| format!("{key}: {}", quoted(value)));
            line(format!("where: {{{}}}", filters.collect::<Vec<_>>().join(", ")));
        }
        if !self.without_faults.is_empty() {
            line(format!("without_faults: [{}]", list(&self.without_faults)));
        }
        if self.keep_going {
            line("keep_going: true".to_owned());
        }
        line(format!("tokens: {}\ncase: {}\nmeasure: {}", self.tokens, self.case, self.measure));
        if self.algorithms.len() + self.ensembles.len() + self.external.len() > 0 {
            line("algorithms:".to_owned());
        }
        for request in &self.algorithms {
            line(format!("  - {}", quoted(&request.to_string())));
        }
        for request in &self.external {
            line(format!("  - {}", request.to_yaml()));
        }
        for request in &self.ensembles {
            line(format!("  - {COMBINE}: {}", serde_json::Value::Object(request.to_json())));
        }
        let bounds: Vec<String> = self.bounds.iter().map(ToString::to_string).collect();
        line(format!("bounds: [{}]", list(&bounds)));
        if !self.stored.is_empty() {
            line(format!("stored: [{}]", names(&self.stored)));
        }
        yaml
    }
}

/// What stands for no bounds on the command line.
const NO_BOUNDS: &str = "none";

impl std::fmt::Display for AlgorithmRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let between = if self.parameters.is_empty() { "" } else { ":" };
        write!(f, "{}{between}{}", self.name, self.label())
    }
}

/// Reads one filter of the command line, `KEY=VALUE`.
///
/// # Errors
/// [`RequestError`]: no `=`, or a key that pages cannot be filtered by.
pub fn filter(argument: &str) -> Result<(String, String), RequestError> {
    let origin = Origin::Argument(argument.to_owned());
    let (key, value) = argument.split_once('=').ok_or_else(|| origin.error("expected KEY=VALUE"))?;
    let value = checked_filter(key, value).map_err(|message| origin.error(message))?;
    Ok((key.to_owned(), value))
}

/// The value of a filter, as conditions show it.
fn checked_filter(key: &str, value: &str) -> Result<String, String> {
    match key {
        "split" => canonical(value),
        key if FILTERS.contains(&key) => Ok(value.to_owned()),
        key => Err(format!("pages cannot be filtered by `{key}`; {}", hint(key, FILTERS))),
    }
}

/// Refuses a fault that no page can have.
///
/// # Errors
/// A sentence with the nearest name.
pub fn known_fault(fault: &str) -> Result<(), String> {
    if FAULTS.contains(&fault) {
        return Ok(());
    }
    Err(format!("`{fault}` is no fault of a page; {}", hint(fault, FAULTS)))
}

/// Whether a list is one value of the parameter, not several values to try.
fn takes_list(algorithm: &str, parameter: &str) -> bool {
    let parameters = find(algorithm).map(|algorithm| algorithm.parameters()).unwrap_or_default();
    parameters.iter().any(|known| known.name == parameter && matches!(known.values, ParameterKind::List { .. }))
}

fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A mapping's keys and values, with their places.
pub(super) type Entries = [(Located<String>, Located<Node>)];

/// Turns nodes into parts of a configuration, with errors at their place.
pub(super) struct Reader<'f> {
    file: &'f str,
    text: std::sync::Arc<str>,
}

impl Reader<'_> {
    pub(super) fn error(&self, at: Position, message: String) -> RequestError {
        YamlError::new(self.file, &self.text, at, message).into()
    }

    fn origin(&self, at: Position) -> Origin {
        Origin::File { file: self.file.to_owned(), text: self.text.clone(), at }
    }

    pub(super) fn map<'n>(&self, node: &'n Located<Node>) -> Result<&'n Entries, RequestError> {
        match &node.value {
            Node::Map(entries) => Ok(entries),
            _ => Err(self.error(node.at, "expected keys with values".to_owned())),
        }
    }

    pub(super) fn scalar<'n>(&self, node: &'n Located<Node>) -> Result<&'n str, RequestError> {
        match &node.value {
            Node::Scalar(text) => Ok(text),
            _ => Err(self.error(node.at, "expected a single value".to_owned())),
        }
    }

    /// A run's name, which names its folder too.
    fn name(&self, node: &Located<Node>) -> Result<String, RequestError> {
        let name = self.scalar(node)?;
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) {
            let message = "a run's name is the name of a folder: without `/` and not beginning with `.`";
            return Err(self.error(node.at, message.to_owned()));
        }
        Ok(name.to_owned())
    }

    /// A list of scalars; a single one stands for a list of one.
    fn scalars(&self, node: &Located<Node>) -> Result<Vec<String>, RequestError> {
        match &node.value {
            Node::List(items) => items.iter().map(|item| self.scalar(item).map(str::to_owned)).collect(),
            _ => Ok(vec![self.scalar(node)?.to_owned()]),
        }
    }

    /// A list of names with their places; a single one stands for a list of one.
    fn named(&self, node: &Located<Node>) -> Result<Vec<NamedRequest>, RequestError> {
        let request = |item: &Located<Node>| {
            Ok(NamedRequest { name: self.scalar(item)?.to_owned(), origin: self.origin(item.at) })
        };
        match &node.value {
            Node::List(items) => items.iter().map(request).collect(),
            _ => Ok(vec![request(node)?]),
        }
    }

    pub(super) fn word<T: std::str::FromStr<Err = String>>(&self, node: &Located<Node>) -> Result<T, RequestError> {
        self.scalar(node)?.parse().map_err(|message| self.error(node.at, message))
    }

    fn flag(&self, node: &Located<Node>) -> Result<bool, RequestError> {
        self.scalar(node)?.parse().map_err(|_| self.error(node.at, "expected true or false".to_owned()))
    }

    fn filters(&self, node: &Located<Node>) -> Result<Vec<(String, String)>, RequestError> {
        let entries = if matches!(node.value, Node::Null) { &[] } else { self.map(node)? };
        let filters = entries.iter().map(|(key, value)| {
            let at = if FILTERS.contains(&key.value.as_str()) { value.at } else { key.at };
            let filter = checked_filter(&key.value, self.scalar(value)?).map_err(|message| self.error(at, message))?;
            Ok((key.value.clone(), filter))
        });
        filters.collect()
    }

    /// Reads the list of what is run: carat's algorithms, ensembles, and external programs.
    fn systems(&self, node: &Located<Node>, configuration: &mut Configuration) -> Result<(), RequestError> {
        for item in self.list_of_algorithms(node)? {
            match &item.value {
                Node::Map(entries) if matches!(&entries[..], [(name, _)] if name.value == "external") => {
                    configuration.external.push(self.external(&entries[0].1)?);
                }
                Node::Map(entries) if matches!(&entries[..], [(name, _)] if name.value == COMBINE) => {
                    configuration.ensembles.push(self.ensemble(&entries[0].0, &entries[0].1)?);
                }
                _ => configuration.add(self.algorithm(item)?)?,
            }
        }
        Ok(())
    }

    fn algorithms(&self, node: &Located<Node>) -> Result<Vec<AlgorithmRequest>, RequestError> {
        self.list_of_algorithms(node)?.iter().map(|item| self.algorithm(item)).collect()
    }

    fn list_of_algorithms<'n>(&self, node: &'n Located<Node>) -> Result<&'n [Located<Node>], RequestError> {
        match &node.value {
            Node::List(items) => Ok(items),
            _ => Err(self.error(node.at, "expected a list of algorithms".to_owned())),
        }
    }

    fn bounds(&self, node: &Located<Node>) -> Result<Vec<AlgorithmRequest>, RequestError> {
        match &node.value {
            Node::List(_) => self.algorithms(node),
            Node::Null => Ok(Vec::new()),
            _ => Err(self.error(node.at, "expected a list of bounds; [] for none".to_owned())),
        }
    }

    /// The ensemble of a mapping whose key `combine` stands at `name`.
    fn ensemble(&self, name: &Located<String>, node: &Located<Node>) -> Result<EnsembleRequest, RequestError> {
        let mut request = EnsembleRequest {
            name: None,
            members: Vec::new(),
            weights: Vec::new(),
            combine: AlgorithmRequest { origin: self.origin(name.at), ..AlgorithmRequest::plain(COMBINE) },
        };
        for (key, value) in self.map(node)? {
            match key.value.as_str() {
                "name" => request.name = Some(self.scalar(value)?.to_owned()),
                "members" => request.members = self.algorithms(value)?,
                "weights" => request.weights = self.scalars(value)?,
                _ => request.combine.parameters.push(self.parameter(COMBINE, key, value)?),
            }
        }
        request.checked()
    }

    fn algorithm(&self, item: &Located<Node>) -> Result<AlgorithmRequest, RequestError> {
        if let Node::Scalar(text) = &item.value {
            return AlgorithmRequest::from_text(text, &self.origin(item.at));
        }
        let [(name, parameters)] = self.map(item)? else {
            let message = "expected one algorithm with its parameters, as in `nta: {coherence: 0.9}`";
            return Err(self.error(item.at, message.to_owned()));
        };
        let entries = if matches!(parameters.value, Node::Null) { &[] } else { self.map(parameters)? };
        let parameters = entries.iter().map(|(key, value)| self.parameter(&name.value, key, value));
        let parameters = parameters.collect::<Result<_, _>>()?;
        let request = AlgorithmRequest { name: name.value.clone(), parameters, origin: self.origin(name.at) };
        request.refuse_marks()?;
        Ok(request)
    }

    fn parameter(
        &self,
        algorithm: &str,
        key: &Located<String>,
        value: &Located<Node>,
    ) -> Result<ParameterRequest, RequestError> {
        let written = match &value.value {
            Node::List(_) if takes_list(algorithm, &key.value) => Written::Values(vec![self.scalars(value)?.join("+")]),
            Node::Map(_) if (algorithm, key.value.as_str()) == (WRAPPER, FALLBACK) => {
                let algorithm = self.algorithm(value)?;
                if algorithm.parameters.iter().any(|parameter| parameter.written.is_swept()) {
                    let message = format!("one value for each parameter of `{}` is needed here", algorithm.name);
                    return Err(self.error(value.at, message));
                }
                Written::Values(vec![as_value(&algorithm)])
            }
            _ => self.written(&key.value, value)?,
        };
        Ok(ParameterRequest { name: key.value.clone(), written, origin: self.origin(key.at) })
    }

    /// What was written for the parameter `name`: a list of values, or one text in the command line's form.
    fn written(&self, name: &str, value: &Located<Node>) -> Result<Written, RequestError> {
        match &value.value {
            Node::List(items) if items.is_empty() => {
                Err(self.error(value.at, format!("the list of values of `{name}` is empty")))
            }
            Node::List(_) => Ok(Written::Values(self.scalars(value)?)),
            _ => Ok(Written::read(self.scalar(value)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_command_line_mean_the_same() {
        let text = "datasets: [portals]\nwhere: {language: zh}\nsplit: test\ntokens: word\nalgorithms:\n  - all-text\n  \
                    - nta: {coherence: 0.6..1.0/0.05, density: [0.30, 0.5], form_is_ignorable: false}\n  - cevc: {lists: [zh, en]}\n";
        let configuration = Configuration::from_yaml("dir/mine.yaml", text).unwrap();
        let specs: Vec<String> = configuration.algorithms.iter().map(ToString::to_string).collect();
        let expected =
            ["all-text", "nta:coherence=0.6..1.0/0.05,density=0.30|0.5,form_is_ignorable=false", "cevc:lists=zh+en"];
        assert_eq!(specs, expected);
        for (spec, request) in expected.iter().zip(&configuration.algorithms) {
            let argument = AlgorithmRequest::from_argument(spec).unwrap();
            assert_eq!(argument.to_string(), request.to_string());
        }
        assert_eq!((configuration.name.as_str(), configuration.filters.len()), ("mine", 2));
    }

    #[test]
    fn what_is_written_reads_back() {
        let configuration = Configuration::default_run();
        let again = Configuration::from_yaml("x.yaml", &configuration.to_yaml()).unwrap();
        assert_eq!(again.to_yaml(), configuration.to_yaml());
    }

    #[test]
    fn faults_name_their_place_and_the_way_out() {
        let with = |line: &str| {
            let text = format!("datasets: [portals]\nalgorithms: [nta]\n{line}\n");
            Configuration::from_yaml("c.yaml", &text).unwrap_err().to_string()
        };
        assert!(with("tokns: char").starts_with("c.yaml:3:1: unknown key `tokns`; did you mean `tokens`?"));
        assert!(with("tokens: chars").starts_with("c.yaml:3:9:"), "{}", with("tokens: chars"));
        assert!(with("tokens: [char]").contains("expected a single value"));
        assert!(with("where: {langage: zh}").contains("did you mean `language`"));
        assert!(with("stored: {a: b}").contains("expected a single value"));
        for (request, told) in [
            ("nta: {d= x: 1}", "`d= x` is no name of a parameter"),
            ("'n,x': {}", "`n,x` is no name of an algorithm"),
            ("nta: {start: 'a|b,c'}", "is no value"),
        ] {
            let text = format!("datasets: [portals]\nalgorithms:\n  - {request}\n");
            let error = Configuration::from_yaml("c.yaml", &text).unwrap_err().to_string();
            assert!(error.starts_with("c.yaml:3:") && error.contains(told), "{error}");
        }
        let empty = Configuration::from_yaml("c.yaml", "datasets: [portals]\n").unwrap_err();
        assert!(empty.to_string().contains("names no algorithms"));
    }
}

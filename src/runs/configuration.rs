//! What a run shall do, as a person wrote it: a YAML file or the command line, one grammar.

pub mod bounds;
mod combine;
mod external;
mod function;
mod reader;
mod request;
pub mod tuning;
mod writing;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use self::combine::THRESHOLD;
pub use self::combine::{COMBINE, Combination, CombineParameters, EnsembleRequest, OnEmpty, Ties};
#[cfg(test)]
pub(super) use self::external::KEYS as EXTERNAL_KEYS;
pub use self::external::{ExternalRequest, Limits, Seconds, is_plain_name};
pub use self::function::{Answered, Asked, AskedPage, FUNCTIONS, FunctionRequest, Wants};
pub(super) use self::reader::Reader;
pub use self::request::{AlgorithmRequest, NamedRequest, Origin, ParameterRequest, RequestError};
#[cfg(test)]
pub(super) use self::tuning::KEYS as TUNING_KEYS;
use self::tuning::TuningRequest;

use super::rules::Rules;
use super::splits::canonical;
use crate::algorithms;
use crate::datasets::load::Loading;
use crate::datasets::manifest::{FAULTS, Record};
use crate::formats::yaml::parse;
use crate::scoring::{Comparison, Measure};
use crate::text::hint;

/// The configuration of `carat run` without arguments.
pub const DEFAULT: &str = include_str!("../../configs/default.yaml");

/// Stands on the command line for every algorithm.
const ALL: &str = "all";

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
    /// Whether a dataset's gold may lie outside of its folder; only the command line says so, never a file.
    pub gold_outside: bool,
    /// The rule by which texts are compared.
    pub comparison: Comparison,
    /// Further rules by which the same extractions are scored; the run by each has a folder of its own.
    pub further: Vec<Comparison>,
    /// What is run, in order.
    pub algorithms: Vec<AlgorithmRequest>,
    /// What is combined, in order.
    pub ensembles: Vec<EnsembleRequest>,
    /// The bounds that stand beside the rows. A configuration file that names an algorithm and no bounds has them all.
    pub bounds: Vec<AlgorithmRequest>,
    /// External programs that are run besides, in order.
    pub external: Vec<ExternalRequest>,
    /// Functions of the program that runs carat, which are asked besides, in order.
    pub functions: Vec<FunctionRequest>,
    /// Stored outputs that are scored besides, as `doors::stored` understands them.
    pub stored: Vec<NamedRequest>,
    /// What `carat gate` holds the run to; no figure depends on it, so it is no part of the run that is stored.
    pub gate: Rules,
    /// How `carat tune` chooses among what is swept; no score depends on it.
    pub tuning: TuningRequest,
}

/// The keys of a configuration.
pub(super) const KEYS: [&str; 14] = [
    "name", "datasets", "where", "split", "without_faults", "keep_going", "tokens", "case", "measure", "algorithms",
    "bounds", "stored", "gate", "tune",
];

/// The page fields that can be filtered by.
pub const FILTERS: [&str; 7] = ["id", "site", "language", "kind", "group", "split", "host"];

impl Configuration {
    /// What loading its datasets may do.
    pub fn loading(&self) -> Loading {
        Loading { keep_going: self.keep_going, gold_outside: self.gold_outside, checked_later: false }
    }

    /// Whether a page counts in rows: whether it has what the measure holds extractions against.
    pub fn scores(&self, record: &Record) -> bool {
        match self.comparison.measure {
            Measure::Snippets => record.details().snippets.is_some(),
            Measure::Lcs
            | Measure::Shingle(_)
            | Measure::Rouge(_)
            | Measure::Bag
            | Measure::Set
            | Measure::Edit
            | Measure::Difflib
            | Measure::DifflibMarkers
            | Measure::Lsum
            | Measure::Nodes
            | Measure::Structure(_) => record.gold.is_some(),
        }
    }

    /// True if anything but carat is asked for extractions.
    pub fn asks_others(&self) -> bool {
        self.external.len() + self.functions.len() > 0
    }

    /// The rules of comparison, that of the run's own folder first.
    pub fn comparisons(&self) -> impl Iterator<Item = Comparison> {
        std::iter::once(self.comparison).chain(self.further.iter().copied())
    }

    /// Takes these rules of comparison, written `MEASURE [TOKENS [CASE]]`; what is not written is that of `default`.
    ///
    /// # Errors
    /// A sentence: an unknown name, parts that do not go together, a rule that is there twice, or one that does not compare
    /// texts beside another.
    pub fn compare_by(&mut self, rules: &[String], default: Comparison) -> Result<(), String> {
        self.take_comparisons(rules.iter().map(|rule| Comparison::read(rule, default)).collect::<Result<_, _>>()?)
    }

    /// Takes these rules of comparison.
    ///
    /// # Errors
    /// A sentence: none at all, parts that do not go together, a rule that is there twice, or one that does not compare
    /// texts beside another.
    pub fn take_comparisons(&mut self, rules: Vec<Comparison>) -> Result<(), String> {
        for (place, rule) in rules.iter().enumerate() {
            rule.checked()?;
            if rules[..place].contains(rule) {
                return Err(format!("the measure `{rule}` is asked for twice"));
            }
            if rules.len() > 1 && [Measure::Nodes, Measure::Snippets].contains(&rule.measure) {
                return Err(format!("measure {} compares no texts: run it alone", rule.measure));
            }
        }
        let [first, further @ ..] = &rules[..] else { return Err("name a measure, such as `lcs`".to_owned()) };
        (self.comparison, self.further) = (*first, further.to_vec());
        Ok(())
    }

    /// Takes these algorithms and ensembles, written as on the command line, instead of those, the external programs
    /// and the functions that it has. `all` stands for every algorithm that no other argument names, at its defaults.
    ///
    /// # Errors
    /// [`RequestError`]: what is not of the grammar.
    pub fn replace_algorithms(&mut self, arguments: &[String]) -> Result<(), RequestError> {
        (self.algorithms, self.ensembles, self.external, self.functions) = Default::default();
        for argument in arguments.iter().filter(|argument| *argument != ALL) {
            self.add(AlgorithmRequest::from_argument(argument)?)?;
        }
        if arguments.iter().any(|argument| argument == ALL) {
            let named: BTreeSet<String> = self.algorithms.iter().map(|asked| asked.name.clone()).collect();
            let others = algorithms::names().filter(|name| !named.contains(*name));
            others.map(AlgorithmRequest::from_argument).try_for_each(|asked| self.add(asked?))?;
        }
        Ok(())
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
        let (mut comparison, mut rules) = (Comparison::default(), None);
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
                "tokens" => comparison.tokens = reader.word(value)?,
                "case" => comparison.case = reader.word(value)?,
                "measure" => {
                    // One line may name several, as on the command line.
                    let named = reader.scalars(value)?;
                    let parted = named.iter().flat_map(|named| named.split(','));
                    rules = Some((value.at, parted.map(|rule| rule.trim().to_owned()).collect::<Vec<String>>()));
                }
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
        let default = vec![comparison.measure.to_string()];
        let (at, rules) = rules.unwrap_or((document.at, default));
        configuration.compare_by(&rules, comparison).map_err(|message| reader.error(at, message))?;
        let chooses = !configuration.algorithms.is_empty() || !configuration.ensembles.is_empty();
        // What other programs extract needs no page to be parsed, and bounds would.
        configuration.bounds = bounds.unwrap_or_else(|| if chooses { bounds::all() } else { Vec::new() });
        let nothing_to_score = !chooses && !configuration.asks_others() && configuration.stored.is_empty();
        for (what, missing) in
            [("datasets", configuration.datasets.is_empty()), ("algorithms and no stored outputs", nothing_to_score)]
        {
            if missing {
                return Err(reader.error(document.at, format!("the configuration names no {what}")));
            }
        }
        Ok(configuration)
    }
}

/// What stands for no bounds on the command line.
const NO_BOUNDS: &str = "none";

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
    Err(format!("unknown page fault `{fault}`; {}", hint(fault, FAULTS)))
}

fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
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

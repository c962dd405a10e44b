//! What is asked for, by name and parameters, and where it was written.

use std::path::{Path, PathBuf};

use crate::algorithms::find;
use crate::formats::yaml::{Position, YamlError};
use crate::runs::grid::Written;

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

    /// That `path`, which it names, is not there. Someone may have meant it from the folder of the configuration.
    pub(in crate::runs) fn not_there(&self, path: &str, message: String) -> RequestError {
        let beside = match &self.origin {
            Origin::File { file, .. } => {
                Path::new(file).parent().map(|folder| folder.join(path).components().collect::<PathBuf>())
            }
            Origin::Argument(_) => None,
        };
        self.origin.error(match beside.filter(|beside| Path::new(path).is_relative() && beside.exists()) {
            Some(beside) => format!(
                "{message}; it lies beside the configuration, whose paths are of the current folder: write `{}`",
                as_path(&beside)
            ),
            None => message,
        })
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

/// A path that nobody takes for a name.
fn as_path(path: &Path) -> String {
    let is_name = path.is_relative() && path.components().count() == 1;
    format!("{}{}", if is_name { "./" } else { "" }, path.display())
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

/// What parts the parameters of an algorithm that is itself the value of a parameter, where others have a comma.
const INNER_COMMA: &str = ";";

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
    pub(in crate::runs) fn from_text(text: &str, origin: &Origin) -> Result<Self, RequestError> {
        let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
        let mut before: Option<&str> = None;
        let parameters = parameters.split(',').filter(|part| !part.is_empty()).map(|part| {
            let without = || origin.error(without_value(name.trim(), part, before));
            let (name, values) = part.split_once('=').ok_or_else(without)?;
            before = Some(part);
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
    pub(super) fn refuse_marks(&self) -> Result<(), RequestError> {
        let refuse = |origin: &Origin, text: &str, what: &str, marks: &[char]| match text.contains(marks) {
            true => Err(origin.error(format!("`{text}` is no {what}"))),
            false => Ok(()),
        };
        const MARKS: [char; 7] = [':', ',', '=', '|', ' ', '\t', '\n'];
        if let Some((name, parameters)) = self.name.split_once([',', '=', ' ']) {
            let hint = match parameters.contains('=') {
                true => format!("did you mean `{name}:{}`?", parameters.trim()),
                false if parameters.split([',', ' ']).all(|other| find(other).is_ok()) => {
                    "several algorithms are named each by itself, as in `--algorithm nta --algorithm cevc`".to_owned()
                }
                false => "parameters stand behind a colon, as in `nta:coherence=0.8`".to_owned(),
            };
            return Err(self.origin.error(format!("`{}` is no name of an algorithm; {hint}", self.name)));
        }
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

    /// The algorithm as the value of a parameter.
    pub(in crate::runs) fn as_value(&self) -> String {
        self.to_string().replace(',', INNER_COMMA)
    }

    /// The algorithm that is the value of a parameter, and stands at `origin`.
    pub(in crate::runs) fn from_value(value: &str, origin: &Origin) -> Result<Self, RequestError> {
        Self::from_text(&value.replace(INNER_COMMA, ","), origin)
    }

    /// What was written for its parameters, as on the command line.
    pub(in crate::runs) fn label(&self) -> String {
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

/// The text to write instead of `part` of a request for `algorithm`; it stands behind `before` and has no `=`.
fn without_value(algorithm: &str, part: &str, before: Option<&str>) -> String {
    let before = before.filter(|before| before.contains('='));
    // As in a configuration file.
    if let Some((parameter, first)) = before.and_then(|before| before.split_once("=[")) {
        let second = part.trim_end_matches(']');
        return format!("several values have a bar between and no brackets: {parameter}={first}|{second}");
    }
    if let Some(before) = before.filter(|before| decimal_comma(before, part)) {
        return format!("a decimal has a point: {before}.{part}; several values have a bar between: {before}|{part}");
    }
    let range = only_range(algorithm).filter(|_| Written::read(part).is_of_decimals());
    if let Some(before) = before.filter(|_| range.is_some()) {
        return format!("several values of one parameter have a bar between: {before}|{part}");
    }
    if let Some(parameter) = range {
        return format!("`{part}` needs its parameter: {algorithm}:{parameter}={part}");
    }
    match before {
        Some(before) => format!(
            "`{part}` needs a value: {part}=VALUE; several values of one parameter have a bar between: {before}|{part}"
        ),
        None => format!("`{part}` needs a value: {part}=VALUE"),
    }
}

/// True if the comma between `before` and `part` may be that of a decimal, as in `alpha=0,5`.
fn decimal_comma(before: &str, part: &str) -> bool {
    let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    before.split_once('=').is_some_and(|(_, value)| is_whole(value)) && is_whole(part)
}

/// The parameter of the algorithm that is swept, if there is only one.
fn only_range(algorithm: &str) -> Option<&'static str> {
    match find(algorithm).ok()?.declaration().swept {
        [only] => Some(only.parameter),
        _ => None,
    }
}

impl std::fmt::Display for AlgorithmRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let between = if self.parameters.is_empty() { "" } else { ":" };
        write!(f, "{}{between}{}", self.name, self.label())
    }
}

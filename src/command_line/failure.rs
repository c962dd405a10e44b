//! From an error to one sentence on stderr and an exit code.

use crate::formats::code::{Code, Exit};
use std::any::Any;
use std::io::{self, IsTerminal};

use crate::algorithms::UnknownAlgorithm;
use crate::datasets::{DatasetError, Halt};
use crate::decisions::compare::CompareError;
use crate::decisions::gate::baseline::BaselineError;
use crate::decisions::history::store::HistoryError;
use crate::decisions::tune::TuneError;
use crate::explain::ExplainError;
use crate::explain::source::SourceError;
use crate::formats::files::FileError;
use crate::formats::inert;
use crate::formats::yaml::YamlError;
use crate::runs::configuration::RequestError;
use crate::runs::doors::external::asking::AskError;
use crate::runs::folder_error::FolderError;
use crate::runs::guarding::panic_message;
use crate::runs::pages::PageError;
use crate::runs::plan::PlanError;
use clap::error::ContextValue;

use crate::command_line::host::host;
use crate::command_line::run_folders::no_run;

/// Why a command did not do what it was asked for.
pub(crate) struct Failure {
    pub(super) kind: Exit,
    pub(super) told: Told,
    /// The file that is at fault, where one is.
    pub(super) at: Option<Box<AtFault>>,
}

/// A file that is at fault, for programs: the sentence names it too.
#[derive(Default)]
pub(super) struct AtFault {
    /// A fault of a dataset.
    pub(super) code: Option<Code>,
    /// The file.
    pub(super) file: String,
    /// The line in it, from 1.
    pub(super) line: Option<usize>,
}

/// How it is told.
pub(super) enum Told {
    /// In one sentence.
    Sentence(String),
    /// By a place in a configuration, shown with its line.
    Place(YamlError),
    /// In the lines of the grammar, which are inert and may have colours.
    Grammar(String),
}

impl Failure {
    /// A failure of `kind` told in one sentence.
    pub(crate) fn new(kind: Exit, message: impl Into<String>) -> Self {
        Failure::told(kind, Told::Sentence(message.into()))
    }

    fn told(kind: Exit, told: Told) -> Self {
        Failure { kind, told, at: None }
    }

    /// The request is wrong.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Failure::new(Exit::Request, message)
    }

    /// The failure in one sentence, without the word of its kind; that of a place names the place.
    pub(crate) fn sentence(&self) -> String {
        match &self.told {
            Told::Sentence(text) | Told::Grammar(text) => text.trim_end().to_owned(),
            Told::Place(place) => place.to_string(),
        }
    }

    /// A panic that reached the top.
    pub(crate) fn defect(panic: &(dyn Any + Send)) -> Self {
        Failure::new(Exit::Defect, format!("this is a defect of carat: {}", panic_message(panic)))
    }
}

/// Whether stderr may carry colour.
pub(crate) fn coloured() -> bool {
    host().is_none() && io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

impl From<clap::Error> for Failure {
    fn from(mut error: clap::Error) -> Self {
        name_in_one_line(&mut error);
        let (kind, coloured) = match error.use_stderr() {
            true => (Exit::Request, coloured()),
            false => (
                Exit::Nothing,
                host().is_none() && io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
            ),
        };
        let rendered = error.render();
        let plain = rendered.to_string();
        let inert = inert::lines(&plain);
        // With colours, what steers in the reason for a value could not be told from our own marks.
        let told = if coloured && inert == plain { rendered.ansi().to_string() } else { inert };
        Failure::told(kind, Told::Grammar(told))
    }
}

/// Makes the arguments that `error` names inert: a script may have taken them from others.
fn name_in_one_line(error: &mut clap::Error) {
    let named = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(name) => Some((kind, inert::one_line(name))),
        _ => None,
    });
    for (kind, name) in named.collect::<Vec<_>>() {
        error.insert(kind, ContextValue::String(name));
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        let told = match error {
            RequestError::File(place) => Told::Place(place),
            error => Told::Sentence(error.to_string()),
        };
        Failure::told(Exit::Request, told)
    }
}

impl From<UnknownAlgorithm> for Failure {
    fn from(error: UnknownAlgorithm) -> Self {
        Failure::request(error.to_string())
    }
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        let failure = Failure::new(error.code.exit(), error.to_string());
        let at = AtFault { code: Some(error.code), file: error.file, line: error.line };
        Failure { at: Some(Box::new(at)), ..failure }
    }
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped => Failure::new(Exit::Interrupted, "interrupted"),
            Halt::Fault(fault) => fault.into(),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Request(error) => error.into(),
            PlanError::Dataset(error) => error.into(),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let kind = match error.source.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::FileTooLarge => Exit::Request,
            _ => Exit::System,
        };
        let at = AtFault { file: error.path.display().to_string(), ..AtFault::default() };
        Failure { at: Some(Box::new(at)), ..Failure::new(kind, error.to_string()) }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::File(error) => error.into(),
            FolderError::Dataset(error) => error.into(),
            FolderError::Content { .. } => Failure::new(Exit::Data, error.to_string()),
            FolderError::Busy { .. } => Failure::new(Exit::System, error.to_string()),
            FolderError::AnotherPlan { .. } => Failure::request(error.to_string()),
            FolderError::NoRun { path } => Failure::request(no_run(&path)),
        }
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Stopped => Failure::new(Exit::Interrupted, "interrupted"),
            AskError::Dataset(error) => error.into(),
            AskError::File(error) => error.into(),
            AskError::Program { .. } => Failure::new(Exit::Data, error.to_string()),
        }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Folder(error) => error.into(),
            CompareError::Request(message) => Failure::request(message),
            CompareError::Number { message, way_out } => Failure::request(format!("{message}; {way_out}")),
        }
    }
}

impl From<PageError> for Failure {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Folder(error) => error.into(),
            PageError::Request(message) => Failure::request(message),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Request(message) => Failure::request(message),
            SourceError::File(error) => error.into(),
            SourceError::Configuration(error) => error.into(),
            SourceError::Plan(error) => error.into(),
            SourceError::Dataset(error) => error.into(),
        }
    }
}

impl From<ExplainError> for Failure {
    fn from(error: ExplainError) -> Self {
        match error {
            ExplainError::Dataset(error) => error.into(),
            ExplainError::Page(message) => Failure::new(Exit::Data, message),
        }
    }
}

impl From<BaselineError> for Failure {
    fn from(error: BaselineError) -> Self {
        match error {
            BaselineError::File(error) => error.into(),
            BaselineError::Missing { .. } => Failure::request(error.to_string()),
            BaselineError::Content { .. } => Failure::new(Exit::Data, error.to_string()),
        }
    }
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::File(error) => error.into(),
            HistoryError::Content { .. } => Failure::new(Exit::Data, error.to_string()),
            HistoryError::Busy { .. } => Failure::new(Exit::System, error.to_string()),
            HistoryError::Missing { .. } | HistoryError::Request(_) => Failure::request(error.to_string()),
        }
    }
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Dataset { .. } => Failure::request(error.to_string()),
            TuneError::Folder(error) => error.into(),
        }
    }
}

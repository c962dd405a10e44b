//! From an error to one sentence on stderr and an exit code.

use std::any::Any;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use crate::algorithms::UnknownAlgorithm;
use crate::datasets::DatasetError;
use crate::datasets::STOPPED;
use crate::decisions::compare::CompareError;
use crate::decisions::gate::baseline::BaselineError;
use crate::decisions::tune::TuneError;
use crate::explain::ExplainError;
use crate::explain::source::SourceError;
use crate::formats::files::FileError;
use crate::formats::inert;
use crate::formats::yaml::YamlError;
use crate::runs::configuration::RequestError;
use crate::runs::doors::external::asking::AskError;
use crate::runs::execute::panic_message;
use crate::runs::folder::FolderError;
use crate::runs::pages::PageError;
use crate::runs::plan::PlanError;
use clap::error::ContextValue;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, SourceSpan};

use crate::command_line::output::{print_coloured, tell, tell_coloured};

/// Why a command did not do what it was asked for.
pub(crate) struct Failure {
    kind: Kind,
    told: Told,
}

/// How it is told.
enum Told {
    /// In one sentence.
    Sentence(String),
    /// By a place in a configuration, shown with its line.
    Place(YamlError),
    /// In the lines of the grammar, which are inert and may have colours.
    Grammar(String),
}

/// What is wrong; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// clap has printed help or a version.
    Nothing = 0,
    /// What was checked or judged is not as it should be.
    Check = 1,
    /// Arguments or configuration.
    Request = 2,
    /// Manifest, missing file, gold.
    Data = 3,
    /// Disk full, read-only, permission.
    System = 4,
    /// A defect of carat.
    Defect = 5,
    /// Ctrl-C: 128 and the signal's number, as shells count it.
    Interrupted = 130,
}

impl Failure {
    /// A failure of `kind` told in one sentence.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Failure { kind, told: Told::Sentence(message.into()) }
    }

    /// The request is wrong.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Failure::new(Kind::Request, message)
    }

    /// A panic that reached the top.
    pub(crate) fn defect(panic: &(dyn Any + Send)) -> Self {
        Failure::new(Kind::Defect, format!("this is a defect of carat: {}", panic_message(panic)))
    }

    /// Prints the failure and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self.told {
            // A reader of the help that has gone away is no error.
            Told::Grammar(help) if self.kind == Kind::Nothing => drop(print_coloured(&help)),
            Told::Grammar(lines) => tell_coloured(lines.trim_end()),
            Told::Place(place) => tell_coloured(&frame(&place)),
            Told::Sentence(sentence) if self.kind == Kind::Interrupted => tell(&sentence),
            Told::Sentence(sentence) => tell(&format!("error: {}", sentence.trim_end())),
        }
        ExitCode::from(self.kind as u8)
    }
}

/// Whether stderr may carry colour.
fn coloured() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The message with the configuration's line and a caret under the place.
fn frame(error: &YamlError) -> String {
    // Colours are put in below, so what is of others is made inert before; every character keeps its place.
    let (file, text) = (inert::one_line(&error.file), inert::lines(&error.text));
    let offset: usize = text.split_inclusive('\n').take(error.at.line.saturating_sub(1)).map(str::len).sum();
    let line = text[offset..].lines().next().unwrap_or_default();
    let column = line.char_indices().nth(error.at.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let length = line[column..].split([' ', ',', ':', ']', '}']).next().unwrap_or_default().len();
    let span = SourceSpan::new((offset + column).into(), length.max(1));
    let message = inert::one_line(&error.message);
    let message = format!("{file}:{}:{}: {message}", error.at.line, error.at.column);
    let diagnostic = MietteDiagnostic::new(message).with_label(LabeledSpan::new_with_span(None, span));
    let report = Report::new(diagnostic).with_source_code(NamedSource::new(&file, text));
    let theme = if coloured() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut framed = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    match handler.render_report(&mut framed, report.as_ref()) {
        Ok(()) => framed.trim_end().to_owned(),
        Err(_) => format!("error: {}", inert::one_line(&error.to_string())),
    }
}

impl From<clap::Error> for Failure {
    fn from(mut error: clap::Error) -> Self {
        name_in_one_line(&mut error);
        let (kind, coloured) = match error.use_stderr() {
            true => (Kind::Request, coloured()),
            false => (Kind::Nothing, io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()),
        };
        let rendered = error.render();
        let plain = rendered.to_string();
        let inert = inert::lines(&plain);
        // With colours, what steers in the reason for a value could not be told from our own marks.
        let told = if coloured && inert == plain { rendered.ansi().to_string() } else { inert };
        Failure { kind, told: Told::Grammar(told) }
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
        Failure { kind: Kind::Request, told }
    }
}

impl From<UnknownAlgorithm> for Failure {
    fn from(error: UnknownAlgorithm) -> Self {
        Failure::request(error.to_string())
    }
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        let kind = match error.code {
            "E-UNKNOWN" | "E-OPTION" => Kind::Request,
            "E-IO" | "E-WRITE" | "E-FETCH" => Kind::System,
            STOPPED => return Failure::new(Kind::Interrupted, "interrupted"),
            _ => Kind::Data,
        };
        Failure::new(kind, error.to_string())
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
            | io::ErrorKind::FileTooLarge => Kind::Request,
            _ => Kind::System,
        };
        Failure::new(kind, error.to_string())
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::File(error) => error.into(),
            FolderError::Dataset(error) => error.into(),
            FolderError::Content { .. } => Failure::new(Kind::Data, error.to_string()),
            FolderError::Busy { .. } => Failure::new(Kind::System, error.to_string()),
            FolderError::AnotherPlan { .. } => Failure::request(error.to_string()),
        }
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Stopped => Failure::new(Kind::Interrupted, "interrupted"),
            AskError::Dataset(error) => error.into(),
            AskError::File(error) => error.into(),
            AskError::Program { .. } => Failure::new(Kind::Data, error.to_string()),
        }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Folder(error) => error.into(),
            CompareError::Request(message) => Failure::request(message),
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
            ExplainError::Page(message) => Failure::new(Kind::Data, message),
        }
    }
}

impl From<BaselineError> for Failure {
    fn from(error: BaselineError) -> Self {
        match error {
            BaselineError::File(error) => error.into(),
            BaselineError::Missing { .. } => Failure::request(error.to_string()),
            BaselineError::Content { .. } => Failure::new(Kind::Data, error.to_string()),
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

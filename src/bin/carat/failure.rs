//! From an error to one sentence on stderr and an exit code.

use std::any::Any;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use carat::algorithms::UnknownAlgorithm;
use carat::datasets::DatasetError;
use carat::datasets::pull::STOPPED;
use carat::decisions::compare::CompareError;
use carat::decisions::gate::baseline::BaselineError;
use carat::decisions::tune::TuneError;
use carat::explain::ExplainError;
use carat::explain::source::SourceError;
use carat::formats::files::FileError;
use carat::formats::yaml::YamlError;
use carat::runs::configuration::RequestError;
use carat::runs::doors::external::asking::AskError;
use carat::runs::execute::panic_message;
use carat::runs::folder::FolderError;
use carat::runs::pages::PageError;
use carat::runs::plan::PlanError;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, SourceSpan};

/// Why a command did not do what it was asked for.
pub(crate) struct Failure {
    kind: Kind,
    message: String,
    /// The place in a configuration, shown with its line.
    place: Option<YamlError>,
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
        Failure { kind, message: message.into(), place: None }
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
        if self.kind == Kind::Nothing {
            let _ = io::stdout().write_all(self.message.as_bytes());
            return ExitCode::SUCCESS;
        }
        let mut text = match &self.place {
            Some(place) => frame(place),
            None if self.kind == Kind::Interrupted => self.message,
            None => format!("error: {}", self.message.trim_end()),
        };
        text.push('\n');
        let _ = io::stderr().write_all(text.as_bytes());
        ExitCode::from(self.kind as u8)
    }
}

/// Whether stderr may carry colour.
fn coloured() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The message with the configuration's line and a caret under the place.
fn frame(error: &YamlError) -> String {
    let offset: usize = error.text.split_inclusive('\n').take(error.at.line.saturating_sub(1)).map(str::len).sum();
    let line = error.text[offset..].lines().next().unwrap_or_default();
    let column = line.char_indices().nth(error.at.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let length = line[column..].split([' ', ',', ':', ']', '}']).next().unwrap_or_default().len();
    let span = SourceSpan::new((offset + column).into(), length.max(1));
    let message = format!("{}:{}:{}: {}", error.file, error.at.line, error.at.column, error.message);
    let diagnostic = MietteDiagnostic::new(message).with_label(LabeledSpan::new_with_span(None, span));
    let report = Report::new(diagnostic).with_source_code(NamedSource::new(&error.file, error.text.clone()));
    let theme = if coloured() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    match handler.render_report(&mut text, report.as_ref()) {
        Ok(()) => text.trim_end().to_owned(),
        Err(_) => format!("error: {error}"),
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let rendered = if coloured() { error.render().ansi().to_string() } else { error.render().to_string() };
        if !error.use_stderr() {
            let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let text = if colour { error.render().ansi().to_string() } else { error.render().to_string() };
            return Failure::new(Kind::Nothing, text);
        }
        let message = rendered.strip_prefix("error: ").map(str::to_owned).unwrap_or(rendered);
        Failure::request(message)
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        let message = error.to_string();
        let place = if let RequestError::File(place) = error { Some(place) } else { None };
        Failure { kind: Kind::Request, message, place }
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
            AskError::Program { .. } => Failure::new(Kind::Data, error.to_string().replace(char::is_control, " ")),
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

//! The command line in the process of another program. Only the wheel uses it, and it may change with every version.

pub mod batches;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use super::host::work_for;
pub use super::host::{Host, set_executable};
use crate::command_line::failure::{Failure, Told};
use crate::command_line::making::{Making, make};
use crate::command_line::planning::{name_of, planned, planned_in_parts, refuse_among_pages};
use crate::command_line::shard::make_shard_in;
use crate::command_line::threads::on_threads;
use crate::command_line::{carry_out, interrupt, read};
use crate::formats::code::Exit;
use crate::report::MOST_PAGES;
use crate::runs::configuration::{Asked, Configuration};
use crate::runs::score_table::ScoreFiles;

/// Why a command did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// `E-...`: that of a dataset's fault, else one of its kind.
    pub code: &'static str,
    /// The exit code of the program.
    pub exit: u8,
    /// The sentence that the program would tell.
    pub message: String,
    /// The file that is at fault.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// The column in the line, in characters, from 1.
    pub column: Option<usize>,
}

/// A run that is asked for.
pub struct Request {
    /// The configuration, as in a file.
    pub configuration: String,
    /// True if the configuration names the run; else it is named after its datasets.
    pub is_named: bool,
    /// The functions that the configuration names, in its order.
    pub functions: Vec<Arc<dyn Asked>>,
    /// The folder of the run.
    pub out: PathBuf,
    /// True if an earlier run in the folder is discarded.
    pub fresh: bool,
    /// True if the extracted texts are kept.
    pub texts: bool,
    /// True if tables, figures and HTML are made.
    pub report: bool,
    /// Threads; `None` for one per processor.
    pub threads: Option<usize>,
    /// The shard that is run in place of the whole, `I/N`.
    pub shard: Option<String>,
}

/// Makes a run with its report, as `carat run` does.
///
/// # Errors
/// [`Error`]: that of `carat run`; a run that was interrupted keeps what is done.
pub fn run(request: Request, host: &Arc<dyn Host>) -> Result<(), Error> {
    caught(host, || {
        let mut configuration = Configuration::from_yaml("carat.run", &request.configuration)?;
        if configuration.comparisons().count() > 1 {
            return Err(Failure::request("carat.run scores by one measure: call it once for each"));
        }
        if !request.is_named {
            configuration.name = name_of(&configuration.datasets);
        }
        for (function, asked) in configuration.functions.iter_mut().zip(request.functions) {
            function.asked = Some(asked);
        }
        let making = Making {
            fresh: request.fresh,
            with_texts: request.texts,
            with_cache: true,
            with_report: request.report,
            report_pages: MOST_PAGES,
            scores: ScoreFiles::default(),
            language: None,
        };
        let shard = request.shard.as_deref().map(str::parse).transpose();
        let shard = shard.map_err(|message| Failure::request(format!("shard: {message}")))?;
        on_threads(request.threads, || {
            if let Some(shard) = shard {
                return make_shard_in(&planned_in_parts(configuration)?, shard, &request.out, &making);
            }
            let mut plan = planned(configuration)?;
            refuse_among_pages(&plan, Some(&request.out))?;
            make(&mut plan, &request.out, &making).map(drop)
        })
    })
}

/// Carries out a command: its arguments without the program's name.
///
/// # Errors
/// [`Error`], also with the exit code 0 where help or a version was asked for.
pub fn command(arguments: &[String], host: &Arc<dyn Host>) -> Result<(), Error> {
    caught(host, || carry_out(read(named(arguments))?.command))
}

/// Carries out a command as the program `carat`, which prints and takes signals as its own process does.
pub fn program(arguments: &[String]) -> ExitCode {
    interrupt::handle();
    super::ended(|| carry_out(read(named(arguments))?.command))
}

fn named(arguments: &[String]) -> impl Iterator<Item = &str> {
    std::iter::once("carat").chain(arguments.iter().map(String::as_str))
}

/// The result of `work` while this thread works for `host`.
fn caught<T>(host: &Arc<dyn Host>, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Error> {
    let _working = work_for(Some(host.clone()));
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Failure::defect(panic.as_ref())));
    outcome.map_err(Error::from)
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let Failure { kind, told, at } = failure;
        let code = at.as_ref().and_then(|at| at.code).map_or(kind.code(), |code| code.name());
        let (file, line) = at.map_or((None, None), |at| (Some(at.file), at.line));
        let of = |message, file, line, column| Error { code, exit: kind as u8, message, file, line, column };
        match told {
            Told::Sentence(message) => of(message, file, line, None),
            Told::Place(place) => {
                let message = place.to_string();
                of(message, Some(place.file), Some(place.at.line), Some(place.at.column))
            }
            Told::Grammar(lines) => of(lines.trim_end().to_owned(), None, None, None),
        }
    }
}

impl Exit {
    /// The code of an error that has no other.
    fn code(self) -> &'static str {
        match self {
            Exit::Nothing => "E-NOTHING",
            Exit::Check => "E-CHECK",
            Exit::Request => "E-REQUEST",
            Exit::Data => "E-DATA",
            Exit::System => "E-SYSTEM",
            Exit::Defect => "E-DEFECT",
            Exit::Interrupted => "E-INTERRUPTED",
        }
    }
}

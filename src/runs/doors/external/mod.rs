//! External programs: long-lived workers that are asked page by page over their standard input and output. What they
//! extract is kept in a cache, and scored like stored outputs.

mod answers;
pub mod asking;
pub mod cache;
pub mod check;
pub mod declared;
mod group;
pub mod program_files;
pub mod protocol;
mod script_files;
mod settings;
mod tally;
pub mod worker;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

pub(in crate::runs::doors) use self::answers::{Answers, Outcome};
pub use self::group::kill_all;
use self::program_files::{NamedFiles, ProgramFiles};
use self::protocol::Hello;
pub(in crate::runs::doors) use self::settings::{AskedSettings, canonical, differs};
pub(in crate::runs::doors) use self::tally::{Asked as AskedPage, Tally};
use self::worker::Worker;
use crate::algorithms::parameters::Values;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::formats::digest::LinesDigest;
use crate::runs::configuration::{Configuration, ExternalRequest, FUNCTIONS, ParameterRequest, RequestError};
use crate::runs::grid::{MAX_VALUES, Written};
use crate::runs::kind::{Extraction, Kind, OnPage, PlanError, Planned, Prepared, Preparing, RowExtraction};
use crate::runs::system::{ExtractionForm, Row, System};
use crate::runs::values::text_of;

/// What the names of rows of external programs begin with.
pub const PREFIX: &str = "external/";

/// A program that has said hello.
pub struct Program {
    /// The name in rows, without [`PREFIX`].
    pub name: String,
    /// How it is started and dealt with.
    pub request: ExternalRequest,
    /// What it said of itself; any child of it must say the same.
    pub hello: Hello,
    /// The files that it is made of; any child of it must be made of the same.
    files: ProgramFiles,
    /// From the start of the first child to its hello.
    took_to_start: Duration,
    /// The child that said it, until it is asked.
    first: Mutex<Option<Worker>>,
}

/// An external program with its parameters.
#[derive(Clone)]
pub struct ExternalSystem {
    /// The program.
    pub program: Arc<Program>,
    /// The row's name, `external/NAME`.
    pub row: String,
    /// Every parameter, as it is sent.
    pub values: Values,
    /// The answers on the pages, once it was asked.
    answers: Option<Arc<Answers>>,
}

impl ExternalSystem {
    /// What was extracted from the page `id` of the dataset at `place`.
    ///
    /// # Errors
    /// [`DatasetError`]: the reply cannot be read, or is not there any more.
    pub fn extraction(&self, place: usize, id: &str) -> Result<Extraction, DatasetError> {
        self.answers.as_ref().map_or(Ok(Extraction::NotRun), |answers| answers.extraction(&self.row, place, id))
    }

    fn canonical(&self) -> String {
        canonical(&self.program.hello.parameters, &self.values)
    }
}

impl System for ExternalSystem {
    fn name(&self) -> &str {
        &self.row
    }

    fn values(&self) -> Values {
        self.values.clone()
    }

    fn differs(&self) -> Vec<String> {
        differs(&self.program.hello.parameters, &self.values)
    }

    fn to_yaml(&self) -> Option<String> {
        let request = &self.program.request;
        let parameter = |(name, value): (&String, &Json)| ParameterRequest {
            name: name.clone(),
            written: Written::Values(vec![text_of(value)]),
            origin: request.origin.clone(),
        };
        // What nobody asked about stays at the program's default.
        let is_asked_for = |name: &String| request.parameters.iter().any(|asked| asked.name == *name);
        let parameters = self.values.iter().filter(|(name, _)| is_asked_for(name)).map(parameter).collect();
        Some(format!("- {}", ExternalRequest { parameters, ..request.clone() }.to_short_yaml()))
    }

    fn identity(&self) -> String {
        [vec![self.row.clone()], self.program.key(), vec![self.canonical()]].concat().join("\t")
    }

    fn line(&self, _: usize, _: &BTreeSet<Option<String>>) -> String {
        let Program { hello, request, .. } = &*self.program;
        let mut parts = vec![format!("external program {}", hello.name), format!("version {}", hello.version)];
        parts.extend(self.values.iter().map(|(name, value)| format!("{name}={}", text_of(value))));
        parts.push(format!("command {}", request.command_line()));
        parts.join(" | ").replace(char::is_control, "\u{FFFD}")
    }

    fn needs_page(&self) -> bool {
        false
    }

    fn form(&self, _: usize) -> Option<ExtractionForm> {
        None
    }

    fn rests_on_others(&self) -> bool {
        true
    }

    fn program(&self) -> Option<(String, String)> {
        Some((self.program.name.clone(), self.program.digest()))
    }

    fn times_of_replies(&self, place: usize) -> Vec<f64> {
        self.answers.as_ref().map_or_else(Vec::new, |answers| answers.times(place))
    }

    fn time_to_start(&self) -> Option<f64> {
        Some(self.program.took_to_start.as_secs_f64() * 1e3)
    }

    fn kept_since(&self, place: usize, id: &str) -> Option<u64> {
        self.answers.as_ref()?.kept_since(place, id)
    }
}

/// The kind of external programs.
pub(in crate::runs) struct ExternalPrograms;

impl Kind for ExternalPrograms {
    fn makes(&self, row: &Row) -> bool {
        row.of::<ExternalSystem>().is_some()
    }

    fn resolve(&self, configuration: &Configuration, planned: &mut Planned) -> Result<(), PlanError> {
        planned.rows.extend(resolve(&configuration.external, &planned.datasets)?);
        Ok(())
    }

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt> {
        let own = own.rows.into_iter().filter_map(|(place, row)| Some((place, row.of::<ExternalSystem>()?)));
        Ok(Box::new(Asked(own.collect())))
    }
}

/// Systems that were asked before any page is run, by their places in the plan.
struct Asked<'p>(Vec<(usize, &'p ExternalSystem)>);

impl Prepared for Asked<'_> {
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let extraction = |&(place, system): &(usize, &ExternalSystem)| {
            Ok(RowExtraction::new(place, system.extraction(on.place, &on.record.id)?))
        };
        self.0.iter().map(extraction).collect()
    }
}

impl Program {
    /// Starts the program and hears what it says of itself.
    fn start(request: &ExternalRequest) -> Result<Program, RequestError> {
        let named = NamedFiles::of(request);
        let begin = Instant::now();
        let worker = Worker::start(request, &|| false).map_err(|fault| match fault.into_message() {
            Some(message) => {
                request.origin.error(format!("the program cannot be used: {}", message.replace(char::is_control, " ")))
            }
            None => request.origin.error("interrupted"),
        })?;
        let took_to_start = begin.elapsed();
        let hello = worker.hello().clone();
        let name = request.name.clone().unwrap_or_else(|| hello.name.clone());
        let files = ProgramFiles::read(request, named, &hello)
            .map_err(|message| request.origin.error(format!("the program cannot be used: {message}")))?;
        let first = Mutex::new(Some(worker));
        Ok(Program { name, request: request.clone(), hello, files, took_to_start, first })
    }

    /// The child that said hello, if nobody has taken it yet.
    fn take_first(&self) -> Option<Worker> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The digest of all that a reply of it depends on besides parameters and page.
    pub fn digest(&self) -> String {
        let mut lines = LinesDigest::default();
        self.key().iter().for_each(|line| lines.add(line));
        lines.finish()
    }

    /// What a reply of it depends on besides parameters and page. The command, its folder and its files stand in it, for
    /// two programs may tell the same name and version; the number of words tells them from the variables.
    fn key(&self) -> Vec<String> {
        let variables = self.request.env.iter().map(|(name, value)| format!("{name}={value}"));
        let command = &self.request.command;
        let cwd = std::path::absolute(self.request.cwd.as_deref().unwrap_or(".")).unwrap_or_default();
        let told = [&self.hello.name, &self.hello.version].map(Clone::clone);
        let first = told.into_iter().chain([cwd.display().to_string(), command.len().to_string()]);
        first.chain(command.iter().cloned()).chain(variables).chain(self.files.lines()).collect()
    }
}

/// The rows that `requests` ask for. Their programs are started, all at once, and say what their parameters are.
///
/// # Errors
/// [`RequestError`]: a program that says no hello, two of one name, a parameter or a value that a program does not
/// have, or a dataset whose pages hold their gold.
fn resolve(requests: &[ExternalRequest], datasets: &[Dataset]) -> Result<Vec<Row>, RequestError> {
    if let (Some(request), Some(marked)) =
        (requests.first(), datasets.iter().find(|dataset| dataset.manifest.annotations.is_some()))
    {
        let message = "marks the gold in its pages, which an external program would be sent";
        return Err(request.origin.error(format!("the dataset {} {message}", marked.name())));
    }
    let started: Vec<Result<Program, RequestError>> = std::thread::scope(|scope| {
        let starting: Vec<_> =
            requests.iter().map(|request| (request, scope.spawn(move || Program::start(request)))).collect();
        let join = |(request, thread): (&ExternalRequest, std::thread::ScopedJoinHandle<'_, _>)| {
            thread.join().unwrap_or_else(|_| Err(request.origin.error("the program cannot be started")))
        };
        starting.into_iter().map(join).collect()
    });
    let programs = started.into_iter().collect::<Result<Vec<Program>, _>>()?;
    let mut names = BTreeSet::new();
    let mut rows = Vec::new();
    for program in programs {
        if !names.insert(program.name.clone()) {
            let message = format!(
                "two external programs are named `{}`; give one another `name`, as in '{{name: other, command: ..}}'",
                program.name
            );
            return Err(program.request.origin.error(message));
        }
        rows.extend(rows_of(&Arc::new(program))?);
        if rows.len() > MAX_VALUES {
            return Err(RequestError::Argument(format!("more than {MAX_VALUES} rows are asked for")));
        }
    }
    Ok(rows)
}

/// A row for each setting of the program's parameters, no two the same.
fn rows_of(program: &Arc<Program>) -> Result<Vec<Row>, RequestError> {
    let request = &program.request;
    let asked = AskedSettings {
        program: &program.name,
        declared: &program.hello.parameters,
        parameters: &request.parameters,
        with_default: request.with_default,
        origin: &request.origin,
    };
    let (settings, swept) = asked.settings()?;
    let row = |values| {
        let prefix = if request.is_function { FUNCTIONS } else { PREFIX };
        let row = format!("{prefix}{}", program.name);
        Row::new(ExternalSystem { program: program.clone(), row, values, answers: None }, swept.clone())
    };
    Ok(settings.into_iter().map(row).collect())
}

//! Runs: made while the caller waits, and read back.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use carat::command_line::embedded::{self, Host};
use carat::formats::digest::sha256;
use carat::formats::reading::read_at_most;
use carat::report::language::Language;
use carat::report::tables;
use carat::runs::configuration::{AlgorithmRequest, Asked, Configuration};
use carat::runs::folder_error::FolderError;
use carat::runs::pages::{PageError, RunPages};
use carat::runs::run_folder::RunFolder;
use carat::runs::separation::Separation;
use pyo3::prelude::*;
use serde_json::json;

use crate::callable::{Function, Raised};
use crate::columns::Columns;
use crate::errors::{detached, exception, wrong_data, wrong_request};

/// Between two looks at signals.
const LOOK: Duration = Duration::from_millis(100);

/// The messages between the waiting thread and the working ones.
#[derive(Default)]
pub(crate) struct Control {
    interrupted: AtomicBool,
    done: AtomicU64,
    pages: AtomicU64,
    printed: Mutex<String>,
    told: Mutex<Vec<String>>,
}

impl Control {
    /// Begins anew, after an earlier interruption.
    pub(crate) fn begin(&self) {
        self.interrupted.store(false, Ordering::Relaxed);
    }

    pub(crate) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// The output so far.
    pub(crate) fn taken(&self) -> (String, Vec<String>) {
        let printed = std::mem::take(&mut *self.printed.lock().unwrap_or_else(PoisonError::into_inner));
        (printed, std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Host for Control {
    fn tell(&self, sentence: &str) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push(sentence.to_owned());
    }

    fn print(&self, text: &str) {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn progress(&self, done: u64, pages: u64) {
        self.pages.store(pages, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }
}

/// The result of `work` on a thread of its own. The caller waits without the lock of the interpreter, looks for signals ten
/// times a second, and calls `progress` with the pages that are done and all of them. A signal, or an exception of
/// `progress`, interrupts the work and is raised once the page under way is done; a second one is raised at once.
pub(crate) fn waited<T: Send + 'static>(
    py: Python<'_>,
    control: &Arc<Control>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (give, take) = channel();
    std::thread::spawn(move || give.send(work()));
    let take = Mutex::new(take);
    let (mut raised, mut shown) = (None, None);
    loop {
        let received = py.detach(|| take.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
        let mut looked = py.check_signals();
        let now = (control.done.load(Ordering::Relaxed), control.pages.load(Ordering::Relaxed));
        if let (Some(progress), Ok(()), true) = (progress, &looked, now.1 > 0 && shown != Some(now)) {
            shown = Some(now);
            looked = progress.call1(now).map(drop);
        }
        if let Err(error) = looked {
            if raised.is_some() {
                return Err(error);
            }
            control.interrupt();
            raised = Some(error);
        }
        match received {
            Ok(outcome) => return raised.map_or(Ok(outcome), Err),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                // The thread ended by a panic that nobody caught.
                return detached(py, || panic!("a thread of a command ended without an answer"));
            }
        }
    }
}

/// Options besides the configuration: folder, whether afresh, with texts, with a report, threads, and a shard.
type Options = (PathBuf, bool, bool, bool, Option<usize>, Option<String>);

/// Makes a run in a folder. Gives the sentences that were told.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    configuration: (String, bool),
    functions: Vec<(Py<PyAny>, String, String, usize)>,
    options: Options,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    let ((configuration, is_named), (out, fresh, texts, report, threads, shard)) = (configuration, options);
    let control = Arc::new(Control::default());
    let raised = Raised::default();
    let function = |asked| Ok(Arc::new(Function::new(asked, &control, &raised)?) as Arc<dyn Asked>);
    let functions = functions.into_iter().map(function).collect::<PyResult<_>>()?;
    let request = embedded::Request { configuration, is_named, functions, out, fresh, texts, report, threads, shard };
    let host: Arc<dyn Host> = control.clone();
    let outcome = waited(py, &control, progress, move || embedded::run(request, &host))?;
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    outcome.map_err(|error| exception(py, error))?;
    Ok(control.taken().1)
}

fn unread(py: Python<'_>, error: FolderError) -> PyErr {
    match &error {
        FolderError::File(_) | FolderError::Busy { .. } => {
            let error = embedded::Error {
                code: "E-IO",
                exit: 4,
                message: error.to_string(),
                file: None,
                line: None,
                column: None,
            };
            exception(py, error)
        }
        FolderError::NoRun { path } => wrong_request(py, format!("{} is no folder of a run", path.display())),
        _ => wrong_data(py, error.to_string()),
    }
}

/// The algorithms and the bounds of `carat run` without arguments, as on the command line.
#[pyfunction]
pub(crate) fn default_rows() -> (Vec<String>, Vec<String>) {
    let Configuration { algorithms, bounds, .. } = Configuration::default_run();
    let told = |requests: Vec<_>| requests.iter().map(AlgorithmRequest::to_string).collect();
    (told(algorithms), told(bounds))
}

/// The content of `run.json` and `summary.json` of a finished run, as JSON.
#[pyfunction]
pub(crate) fn run_info(py: Python<'_>, folder: PathBuf) -> PyResult<(String, String)> {
    let read = || {
        let run = RunFolder::open(&folder)?;
        let summary = run.summary()?;
        Ok((json!(run.info()).to_string(), json!(summary).to_string()))
    };
    detached(py, read)?.map_err(|error| unread(py, error))
}

/// A CSV file of a finished run as a table, once it is known to be as the run left it; `None` where the run has none.
#[pyfunction]
pub(crate) fn table_of_run(
    py: Python<'_>,
    folder: PathBuf,
    name: &str,
    kinds: Vec<(String, String)>,
) -> PyResult<Option<Columns>> {
    let run = RunFolder::open(&folder).map_err(|error| unread(py, error))?;
    let Some(seal) = run.info().files.get(name) else { return Ok(None) };
    let path = folder.join(name);
    let bytes = read_at_most(&path, seal.bytes).ok().filter(|bytes| sha256(bytes) == seal.sha256);
    let bytes = bytes.ok_or_else(|| {
        let message = "is missing, or not as the run left it (its SHA-256 is another), so no figure is taken from it";
        wrong_data(py, format!("{}: {message}", path.display()))
    })?;
    Columns::of_csv(&bytes, &kinds).map(Some)
}

/// The table of rows that `carat run` prints.
#[pyfunction]
pub(crate) fn terminal_of_run(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let run = RunFolder::open(&folder).map_err(|error| unread(py, error))?;
    let summary = run.summary().map_err(|error| unread(py, error))?;
    let separation = Separation::of_few_sites(&run, &summary).map_err(|error| unread(py, error))?;
    Ok(tables::terminal(&summary, &separation, Language::default()))
}

/// A page of a finished run, by its id or a unique beginning of it, as JSON: gold, and each row's score and text.
#[pyfunction]
pub(crate) fn page_of_run(py: Python<'_>, folder: PathBuf, dataset: Option<&str>, page: &str) -> PyResult<String> {
    let read = |folder: &Path| -> Result<String, PageError> {
        let run = RunFolder::open(folder)?;
        let pages = RunPages::read(&run)?;
        let page = pages.open(pages.find(dataset, page)?)?;
        let rows = page.rows.iter().map(|row| {
            let score = row.score.map(|(counts, score)| (counts.matched, counts.extracted, counts.gold, score.values()));
            json!({"algorithm": row.algorithm, "parameters": row.parameters, "status": row.status, "score": score, "text": row.text})
        });
        let rows: Vec<_> = rows.collect();
        Ok(json!({"dataset": page.dataset, "id": page.id, "gold": page.gold, "rows": rows}).to_string())
    };
    detached(py, || read(&folder))?.map_err(|error| match error {
        PageError::Folder(error) => unread(py, error),
        PageError::Request(message) => wrong_request(py, message),
    })
}

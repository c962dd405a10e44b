//! Asks external programs for every page of a plan, on threads of their own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::cache::{Cache, Kept, Key};
use super::protocol::Reply;
use super::tally::{Asked, Tally};
use super::worker::{Answer, Loss, LossKind, Question, Worker};
use super::{Answers, ExternalSystem, Outcome, Program};
use crate::datasets::{Dataset, DatasetError};
use crate::formats::files::FileError;
use crate::runs::system::Row;

/// How programs are asked.
pub struct Asking<'a> {
    /// Where their replies are kept.
    pub cache: &'a Cache,
    /// Whether the run is to stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
    /// Told of each page that a program is through with.
    pub page_done: &'a (dyn Fn() + Sync),
}

/// Why not every page was asked for.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The run was stopped.
    #[error("interrupted")]
    Stopped,
    /// A page list that cannot be read any more, or was changed.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A reply that cannot be kept.
    #[error(transparent)]
    File(#[from] FileError),
    /// A program that cannot be used any more.
    #[error("external/{name}: {message}")]
    Program {
        /// Its name.
        name: String,
        /// Why, in one sentence.
        message: String,
    },
}

/// A page by the places of its dataset and its record.
pub(in crate::runs) type PagePlace = (usize, usize);

/// Notes on how external programs were asked, a line each, and the sentence on each system that was given up.
pub(in crate::runs) type AskNotes = (Vec<String>, BTreeMap<String, String>);

/// Asks every external program among `rows` for each of `pages`. The rows then know what came of it.
///
/// # Errors
/// [`AskError`]; replies that were there are kept in the cache.
pub(in crate::runs) fn ask(
    rows: &mut [Row],
    datasets: &[Dataset],
    pages: &[PagePlace],
    asking: &Asking<'_>,
) -> Result<AskNotes, AskError> {
    let mut programs: Vec<(Arc<Program>, Vec<usize>)> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let Some(system) = row.of::<ExternalSystem>() else { continue };
        match programs.iter_mut().find(|(program, _)| Arc::ptr_eq(program, &system.program)) {
            Some((_, rows)) => rows.push(number),
            None => programs.push((system.program.clone(), vec![number])),
        }
    }
    let is_over = AtomicBool::new(false);
    let run = |(program, numbers): &(Arc<Program>, Vec<usize>)| {
        let systems: Vec<&ExternalSystem> = numbers.iter().filter_map(|&number| rows[number].of()).collect();
        let tally = Tally::new(systems.len(), datasets.len(), program.request.limits.restarts);
        let next = AtomicUsize::new(0);
        let tally = Mutex::new(tally);
        let run = ProgramRun { datasets, asking, program, systems, pages, is_over: &is_over, next, tally };
        run.on_threads()
    };
    let tallies: Vec<Result<Tally, AskError>> = thread::scope(|scope| {
        let running: Vec<_> = programs.iter().map(|program| scope.spawn(|| run(program))).collect();
        running.into_iter().map(join).collect()
    });
    // An interruption reaches every program; what else one of them says comes first.
    let (mut stopped, mut all) = (false, Vec::new());
    for tally in tallies {
        match tally {
            Err(AskError::Stopped) => stopped = true,
            other => all.push(other?),
        }
    }
    if stopped {
        return Err(AskError::Stopped);
    }
    let (mut notes, mut given_up) = (Vec::new(), BTreeMap::new());
    for ((program, numbers), tally) in programs.iter().zip(all) {
        let name = format!("external/{}", program.name);
        notes.extend(tally.notes(&name));
        given_up.extend(tally.given_up(&name).map(|sentence| (name, sentence)));
        for (&number, by_dataset) in numbers.iter().zip(tally.outcomes) {
            if let Some(system) = rows[number].of::<ExternalSystem>() {
                let answers = Some(Arc::new(Answers { cache: asking.cache.clone(), by_dataset }));
                rows[number].system = Arc::new(ExternalSystem { answers, ..system.clone() });
            }
        }
    }
    Ok((notes, given_up))
}

/// What a thread came to; its panic is passed on.
fn join<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// One program being asked, by as many children as it may have.
struct ProgramRun<'r> {
    datasets: &'r [Dataset],
    asking: &'r Asking<'r>,
    program: &'r Program,
    systems: Vec<&'r ExternalSystem>,
    pages: &'r [PagePlace],
    /// Whether some thread, of whatever program, came to an end before its time.
    is_over: &'r AtomicBool,
    /// The page that is asked for next.
    next: AtomicUsize,
    tally: Mutex<Tally>,
}

impl ProgramRun<'_> {
    fn on_threads(self) -> Result<Tally, AskError> {
        let slots = self.program.request.limits.workers.min(self.pages.len());
        let outcomes: Vec<Result<(), AskError>> = thread::scope(|scope| {
            let running: Vec<_> = (0..slots).map(|_| scope.spawn(|| self.work())).collect();
            running.into_iter().map(join).collect()
        });
        // The child that said hello may never have been needed; a run that stops has no time for it.
        let unneeded = self.program.take_first();
        let errors = outcomes.into_iter().filter_map(Result::err);
        if let Some(error) = errors.min_by_key(|error| matches!(error, AskError::Stopped)) {
            return Err(error);
        }
        if let Some(worker) = unneeded {
            worker.finish(self.program.request.limits.timeout.duration());
        }
        Ok(self.tally.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// One child after the other, page after page.
    fn work(&self) -> Result<(), AskError> {
        let mut slot = Slot { run: self, worker: None, page: String::new(), lost: None };
        let outcome = slot.pages();
        if outcome.is_err() {
            self.is_over.store(true, Ordering::Relaxed);
        } else if let Some(worker) = slot.worker {
            let limit = self.program.request.limits.timeout;
            match worker.finish(limit.duration()) {
                Some(status) if status.success() => {}
                Some(status) => self.note(format!("at the end of its input it ended with {status}")),
                None => self.note(format!("it did not end within {limit} s of the end of its input, and was killed")),
            }
        }
        outcome
    }

    fn is_stopped(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || (self.asking.is_stopped)()
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, note: String) {
        *self.tally().notes.entry(note).or_default() += 1;
    }
}

/// A place for one child at a time.
struct Slot<'r> {
    run: &'r ProgramRun<'r>,
    worker: Option<Worker>,
    /// The page that is asked for.
    page: String,
    /// The end of the child before this one, in a clause.
    lost: Option<String>,
}

impl Slot<'_> {
    fn pages(&mut self) -> Result<(), AskError> {
        let run = self.run;
        loop {
            let number = run.next.fetch_add(1, Ordering::Relaxed);
            let Some(&(place, index)) = run.pages.get(number) else { return Ok(()) };
            let dataset = &run.datasets[place];
            let record = dataset.records.get(index)?;
            let characters = dataset.characters(&record);
            dataset.refuse_unread()?;
            self.page.clone_from(&record.id);
            let asked = self.page(&characters, record.details().url.as_deref().unwrap_or_default())?;
            run.tally().add(number, place, &record.id, asked);
            (run.asking.page_done)();
        }
    }

    /// The page under every setting.
    fn page(&mut self, html: &Result<String, String>, url: &str) -> Result<Vec<Asked>, AskError> {
        let run = self.run;
        let mut asked = Vec::new();
        for (number, system) in run.systems.iter().enumerate() {
            if run.is_stopped() {
                return Err(AskError::Stopped);
            }
            asked.push(match html {
                Err(reason) => Outcome::Failed(reason.clone()).into(),
                Ok(_) if run.tally().is_given_up(number) => Outcome::NotRun.into(),
                Ok(html) => self.setting(system, html, url)?,
            });
        }
        Ok(asked)
    }

    fn setting(&mut self, system: &ExternalSystem, html: &str, url: &str) -> Result<Asked, AskError> {
        let run = self.run;
        let limits = &run.program.request.limits;
        if html.len() > limits.max_html_bytes {
            let reason = format!("page_too_large: it has more than {} bytes of UTF-8", limits.max_html_bytes);
            return Ok(Outcome::Failed(reason).into());
        }
        let key = Key { program: &run.program.key(), parameters: &system.canonical(), html, url }.digest();
        if let Some(Kept { reply, since, took }) = run.asking.cache.read(&key)? {
            let mut tally = run.tally();
            tally.replaced += reply.replaced;
            let since = (!tally.made.contains(&key)).then_some(since);
            return Ok(Outcome::Kept { digest: key, since, took }.into());
        }
        let question = Question { url, html, parameters: &system.values };
        let worker = self.ready()?;
        let asked = Instant::now();
        match worker.ask(&question, limits, &|| run.is_stopped()) {
            Answer::Stopped => Err(AskError::Stopped),
            Answer::Reply(Reply::Failed(reason)) => Ok(Outcome::Failed(reason).into()),
            Answer::Reply(Reply::Extracted(extracted)) => {
                let took = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
                run.asking.cache.write(&key, &extracted, took)?;
                let mut tally = run.tally();
                tally.replaced += extracted.replaced;
                tally.made.insert(key.clone());
                Ok(Outcome::Kept { digest: key, since: None, took: Some(took) }.into())
            }
            Answer::Lost(Loss { kind, reason }) => {
                self.worker = None;
                self.lost = Some(format!("it was started again after the page {}: {reason}", self.page));
                let outcome =
                    if kind == LossKind::TimedOut { Outcome::TimedOut(reason) } else { Outcome::Failed(reason) };
                Ok(Asked { outcome, cost_a_child: true })
            }
        }
    }

    /// A child that can be asked: the one that is there, or a new one that says the same hello.
    fn ready(&mut self) -> Result<&mut Worker, AskError> {
        let run = self.run;
        if let Some(fault) = self.worker.as_mut().and_then(Worker::fault) {
            run.note(format!("the worker {fault}; another one was started"));
            self.worker = None;
        }
        let worker = match self.worker.take().or_else(|| run.program.take_first()) {
            Some(worker) => worker,
            None => self.start()?,
        };
        Ok(self.worker.insert(worker))
    }

    fn start(&self) -> Result<Worker, AskError> {
        let Program { name, request, hello, files, .. } = self.run.program;
        let wrong = |message: String| AskError::Program { name: name.clone(), message };
        let worker = Worker::start(request, &|| self.run.is_stopped()).map_err(|fault| match fault.into_message() {
            None => AskError::Stopped,
            Some(message) => wrong(format!("started again, it cannot be used: {message}")),
        })?;
        let now = worker.hello();
        if now == hello {
            return match files.changed().map_err(wrong)? {
                None => Ok(worker),
                Some(file) => Err(wrong(format!(
                    "its file {} was changed while it ran, so half of the run would be another's; a file that it writes \
                     itself is named in its environment (`env`), not in its command",
                    file.display()
                ))),
            };
        }
        let (is, was) = (format!("{} {}", now.name, now.version), format!("{} {}", hello.name, hello.version));
        let others = if is == was { " with other parameters" } else { "" };
        let lost = self.lost.as_ref().map_or(String::new(), |lost| format!("; {lost}"));
        Err(wrong(format!(
            "started again, it says that it is {is}{others}, not {was}; half of the run would be another's{lost}"
        )))
    }
}

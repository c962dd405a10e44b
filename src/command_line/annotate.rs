//! `carat annotate`: gold by clicking.

mod modes;
mod pages;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carat_annotate::guidelines::{BUILT_IN, Guidelines};
use carat_annotate::log::{LogError, is_name};
use carat_annotate::people::everyone;
use carat_annotate::proposals::Prefill;
use carat_annotate::server::Server;
use carat_annotate::session::{Session, Settings};
use carat_annotate::source::Source;
use carat_annotate::state::Status;

use self::pages::{Pages, order};
use crate::command_line::arguments::{Language, Marking};
use crate::command_line::failure::Failure;
use crate::command_line::interrupt::Interruptible;
use crate::command_line::output::{print_line, tell};
use crate::datasets::locate::locate;
use crate::formats::code::Exit;
use crate::formats::files::write_atomically;
use crate::formats::shell::shell_word;
use crate::text::{counted, nearest};

/// The share of pages without a proposal where algorithms vote.
const BLANK_OF_VOTE: f64 = 0.2;

/// Carries out `carat annotate`.
pub(crate) fn annotate(arguments: &Marking) -> Result<(), Failure> {
    let folder = &arguments.dataset;
    if !folder.join("dataset.yaml").is_file() {
        let name = quoted_path(folder);
        let way_out = match (folder.is_dir(), nearest_dataset(folder)) {
            (true, _) => format!("`carat dataset new DIR --from {name}` makes one of saved pages"),
            (false, Some(near)) => format!("did you mean `{}`?", near.display()),
            (false, None) if locate(&folder.to_string_lossy()).is_ok() => {
                format!("`carat dataset export {name} --out DIR` makes one of this dataset")
            }
            (false, None) => "`carat dataset new DIR --from FOLDER` makes one of saved pages".to_owned(),
        };
        return Err(Failure::request(format!("{} is no folder with a dataset.yaml; {way_out}", folder.display())));
    }
    if let Some(name) = arguments.by.iter().chain(&arguments.from).find(|name| !is_name(name)) {
        return Err(Failure::request(format!(
            "`{name}` is no name: 1 to 32 of a-z, 0-9, . _ -, the first a letter or digit"
        )));
    }
    let pages = Pages::load(folder)?;
    let guidelines = guidelines(arguments)?;
    match arguments {
        Marking { status: true, .. } => modes::status(arguments, &pages, &guidelines),
        Marking { agreement: true, .. } => modes::agreement(arguments, &pages, &guidelines),
        Marking { write: true, .. } => modes::write(arguments, &pages, &guidelines),
        _ => serve(arguments, pages, guidelines),
    }
}

/// The folder of a dataset beside `folder` whose name is nearest to its own.
fn nearest_dataset(folder: &Path) -> Option<PathBuf> {
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(above).ok()?.flatten().map(|entry| entry.path());
    let datasets: Vec<PathBuf> = entries.filter(|path| path.join("dataset.yaml").is_file()).collect();
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let names: Vec<String> = datasets.iter().map(|path| name(path)).collect();
    let near = nearest(&name(folder), names.iter().map(String::as_str))?;
    datasets.iter().find(|path| name(path) == near).cloned()
}

/// The guidelines: a file, or the built-in ones where the dataset has none yet.
fn guidelines(arguments: &Marking) -> Result<Guidelines, Failure> {
    let own = own_guidelines(arguments);
    let path = arguments.guidelines.as_ref().unwrap_or(&own);
    if arguments.guidelines.is_none() && !path.exists() {
        return Ok(Guidelines::built_in());
    }
    let source = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(Exit::Request, format!("cannot read {}: {error}", path.display())))?;
    let fault = |reason| Failure::new(Exit::Data, format!("{}: {reason} (E-GUIDE)", path.display()));
    Guidelines::read(&source).map_err(fault)
}

fn own_guidelines(arguments: &Marking) -> PathBuf {
    arguments.dataset.join("annotations").join("guidelines.yaml")
}

/// The failure with which a fault of a log ends the command.
fn of_log(error: LogError) -> Failure {
    let kind = if matches!(error, LogError::Line { .. }) { Exit::Data } else { Exit::System };
    Failure::new(kind, error.to_string())
}

fn serve(arguments: &Marking, pages: Pages, guidelines: Guidelines) -> Result<(), Failure> {
    let [by] = &arguments.by[..] else {
        return Err(Failure::request("say who annotates: --by NAME"));
    };
    let folder = arguments.dataset.join("annotations");
    let others = match arguments.adjudicate {
        true => {
            let mut all = everyone(&folder, &[]).map_err(of_log)?;
            all.remove(by);
            if all.len() < 2 {
                return Err(Failure::request("an adjudication needs the logs of two or more others"));
            }
            Some(all)
        }
        false => None,
    };
    let prefill = prefill(arguments, &pages)?;
    let blank = arguments.blank.unwrap_or(if matches!(prefill, Prefill::Vote(_)) { BLANK_OF_VOTE } else { 0.0 });
    if !(0.0..=1.0).contains(&blank) {
        return Err(Failure::request(format!("--blank {blank}: a share is from 0 to 1")));
    }
    let mut order = order(arguments, &pages)?;
    if let Some(others) = &others {
        let own = everyone(&folder, std::slice::from_ref(by)).map_err(of_log)?.remove(by).unwrap_or_default();
        order = modes::differing(&pages, others, &own, &guidelines, &order, !arguments.page.is_empty());
        if order.is_empty() {
            return print_line("nothing to adjudicate: no page that two or more have finished differs");
        }
    }
    let language = arguments.lang.map(|language| if matches!(language, Language::Zh) { "zh" } else { "en" }.to_owned());
    let settings = Settings {
        by: by.clone(),
        folder,
        guidelines,
        prefill,
        blank,
        seed: arguments.seed,
        order,
        others,
        language,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let own = own_guidelines(arguments);
    if arguments.guidelines.is_none() && !own.exists() {
        write_atomically(&own, BUILT_IN.as_bytes())?;
    }
    let session = Arc::new(Session::open(Arc::new(pages), settings).map_err(of_log)?);
    listen(arguments, by, &session)
}

/// The source of proposals.
fn prefill(arguments: &Marking, pages: &Pages) -> Result<Prefill, Failure> {
    match &arguments.prefill {
        Some(text) => Prefill::read(text).map_err(|reason| Failure::request(format!("--prefill: {reason}"))),
        None if arguments.page.iter().any(|id| pages.has_gold(id)) => Ok(Prefill::Gold),
        None => Ok(Prefill::Sisters),
    }
}

fn listen(arguments: &Marking, by: &str, session: &Arc<Session>) -> Result<(), Failure> {
    let server = Server::bind(session.clone(), arguments.port).map_err(|error| {
        let taken = error.kind() == std::io::ErrorKind::AddrInUse;
        let told = if taken { "is taken".to_owned() } else { format!("cannot be used: {error}") };
        Failure::new(Exit::System, format!("port {} {told}", arguments.port))
    })?;
    let running = Interruptible::begin();
    let folder = arguments.dataset.display();
    let (all, done, begun) = (session.page_count(), session.count(Status::Done), session.count(Status::Begun));
    tell(&format!(
        "{by} annotates {folder}: {}, {done} done, {begun} begun. All is saved as you go; Ctrl-C ends.",
        counted(all, "page")
    ));
    if let Some(log) = session.cut_log() {
        tell(&format!(
            "note: {}: the last line was cut off and is removed; what it said of its page is to be done again",
            log.display()
        ));
    }
    if !session.is_certain() {
        tell("note: this file system cannot lock; let no other carat write to the same log");
    }
    print_line(&server.address())?;
    server
        .run(&|| running.is_interrupted())
        .map_err(|error| Failure::new(Exit::System, format!("the server ended: {error}")))?;
    let mut seconds: Vec<u64> = session.times().iter().map(|ms| ms / 1_000).collect();
    seconds.sort_unstable();
    let median = seconds.get(seconds.len() / 2).map_or_else(String::new, |median| format!(", median {median} s"));
    let command = format!("carat annotate {} --write", quoted_path(&arguments.dataset));
    tell(&format!("{} done{median}; into the gold: {command}", session.count(Status::Done)));
    Ok(())
}

fn quoted_path(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

/// The name of a page of the list.
fn id_of(pages: &Pages, place: usize) -> &str {
    &pages.listed()[place].id
}

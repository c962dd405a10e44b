//! `carat dataset new`.

use std::time::Duration;

use carat_annotate::new_dataset::{Fetching, Made, NewError, Request, check_words, make};
use globset::Glob;

use super::check::of_pages;
use crate::command_line::arguments::New;
use crate::command_line::failure::Failure;
use crate::command_line::interrupt::Interruptible;
use crate::command_line::output::{print, tell};
use crate::formats::code::Exit;
use crate::formats::editors::header;
use crate::formats::shell::shell_word;
use crate::text::counted;

/// Lines that are told of what was passed over.
const TOLD: usize = 20;

/// Makes a dataset of saved or listed pages, and says what to do next.
pub(super) fn new_dataset(arguments: &New) -> Result<(), Failure> {
    let of_folder = || arguments.out.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = arguments.name.clone().or_else(of_folder).unwrap_or_default();
    check_words(&name, arguments.language.as_deref())
        .map_err(|reason| Failure::request(format!("{reason} (--name, --language)")))?;
    let glob = arguments.only.as_deref().map(Glob::new).transpose();
    let glob = glob.map_err(|error| Failure::request(format!("--only: {error}")))?.map(|glob| glob.compile_matcher());
    let pause = Duration::try_from_secs_f64(arguments.pause)
        .map_err(|_| Failure::request(format!("--pause {}: a number of seconds from 0", arguments.pause)))?;
    let running = Interruptible::begin();
    let request = Request {
        header: &header("dataset"),
        source: &arguments.from,
        out: &arguments.out,
        name: &name,
        language: arguments.language.as_deref(),
        licence: &arguments.licence,
        is_wanted: &|id| glob.as_ref().is_none_or(|glob| glob.is_match(id)),
        per_site: arguments.per_site,
        sample: arguments.sample,
        seed: arguments.seed,
        fetching: Fetching {
            pause,
            is_private_allowed: arguments.private,
            stopped: &|| running.is_interrupted(),
            tell: &tell,
        },
    };
    let made = make(&request).map_err(|error| {
        let kind = match error {
            NewError::Request(_) => Exit::Request,
            NewError::System(_) => Exit::System,
            NewError::Stopped(_) => Exit::Interrupted,
        };
        Failure::new(kind, error.to_string())
    })?;
    drop(running);
    tell_of(&made, arguments);
    print(&of_pages(&arguments.out)?)?;
    let out = shell_word(&arguments.out.to_string_lossy());
    print(&format!(
        "\n{}: {}\ncarat annotate {out} --by YOUR-NAME\n",
        arguments.out.display(),
        counted(made.pages, "page")
    ))
}

/// Says what was left out, and what the pages lack.
fn tell_of(made: &Made, arguments: &New) {
    for (list, what) in [(&made.passed, "passed over"), (&made.failed, "not fetched")] {
        list.iter().take(TOLD).for_each(|(name, reason)| tell(&format!("{what}: {name}: {reason}")));
        if list.len() > TOLD {
            tell(&format!("{what}: {} more", list.len() - TOLD));
        }
    }
    if !made.failed.is_empty() {
        tell(&format!("note: {} is the list of what was not fetched", arguments.out.join("failed.tsv").display()));
    }
    if !made.without_url.is_empty() {
        let pages = counted(made.without_url.len(), "page");
        tell(&format!("note: {pages} without an address; each is a site of its own, and intervals are by site"));
    }
    if !made.without_text.is_empty() {
        let shown: Vec<&str> = made.without_text.iter().take(TOLD).map(String::as_str).collect();
        let pages = counted(made.without_text.len(), "page");
        tell(&format!("note: {pages} without text, as scripts would have to fill them: {}", shown.join(", ")));
    }
    tell("note: the pages are third parties' and may not be passed on (redistribution: none)");
}

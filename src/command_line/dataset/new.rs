//! `carat dataset new`.

use std::path::Path;
use std::time::Duration;

use carat_annotate::new_dataset::{Disputes, Draw, Fetching, Languages, Made, NewError, Request, Source, make};
use encoding_rs::Encoding;
use globset::Glob;

use super::check::of_pages;
use super::pairs;
use super::taken::Taken;
use crate::command_line::arguments::New;
use crate::command_line::failure::Failure;
use crate::command_line::interrupt::Interruptible;
use crate::command_line::output::{print, tell};
use crate::datasets::import::frames::{are_frames, told_frames};
use crate::datasets::import::gold_places::told_left;
use crate::datasets::import::languages::{language_of, told_languages};
use crate::datasets::import::page_names::{ids_of, sites_of};
use crate::datasets::manifest::{NO_DATASET_NAME, dataset_name_of, encode_id, is_dataset_name};
use crate::datasets::words::check_language;
use crate::formats::code::Exit;
use crate::formats::editors::header;
use crate::formats::inert::one_line;
use crate::formats::shell::shell_word;
use crate::page::charset;
use crate::text::counted;

/// Lines that are told of what was passed over.
const TOLD: usize = 20;

/// Makes a dataset of saved, listed or recorded pages or of those of a run, and says what to do next.
pub(super) fn new_dataset(arguments: &New) -> Result<(), Failure> {
    let name = name(arguments)?;
    let Stated { language, encoding } = stated(arguments)?;
    let glob = arguments.only.as_deref().map(Glob::new).transpose();
    let glob = glob.map_err(|error| Failure::request(format!("--only: {error}")))?.map(|glob| glob.compile_matcher());
    let pause = Duration::try_from_secs_f64(arguments.pause)
        .map_err(|_| Failure::request(format!("--pause {}: a number of seconds from 0", arguments.pause)))?;
    let counts =
        [("--per-site", arguments.per_site), ("--sample", arguments.sample), ("--disputed", arguments.disputed)];
    if let Some((option, _)) = counts.iter().find(|(_, count)| *count == Some(0)) {
        return Err(Failure::request(format!("{option} 0: a number of pages from 1")));
    }
    let taken = Taken::read(arguments)?;
    let given = taken.as_ref().map(Taken::pages).transpose()?;
    let disputed = match (&taken, arguments.disputed) {
        (Some(taken), Some(most)) => Some((taken.disputed()?, most)),
        _ => None,
    };
    let is_of_run = taken.as_ref().is_some_and(Taken::is_of_run);
    let path: &Path = &arguments.from;
    // A run has found languages already, or was told that there are none.
    let find = |bytes: &[u8], encoding: Option<&str>| match is_of_run {
        true => None,
        false => language_of(bytes, encoding.and_then(charset::for_label)),
    };
    let of_folder = path.canonicalize().ok().filter(|path| path.is_dir());
    let of_folder = of_folder.and_then(|path| dataset_name_of(&path.file_name()?.to_string_lossy()));
    let running = Interruptible::begin();
    let request = Request {
        header: &header("dataset"),
        source: given.as_deref().map_or(Source::Path(path), |pages| Source::Given { pages, path }),
        out: &arguments.out,
        name: &name,
        languages: match language.as_deref() {
            None => Languages::Found(&find),
            Some("none") => Languages::Unknown,
            Some(language) => Languages::Stated(language),
        },
        origin: taken.as_ref().map(Taken::name).or(of_folder.as_deref()),
        id_of: &encode_id,
        are_frames: &are_frames,
        ids_of: &ids_of,
        sites_of: &sites_of,
        encoding: encoding.map(Encoding::name),
        licence: &arguments.licence,
        is_wanted: &|id| glob.as_ref().is_none_or(|glob| glob.is_match(id)),
        per_site: arguments.per_site,
        sample: arguments.sample,
        disputes: disputed.as_ref().map(|(ids, most)| Disputes { ids, most: *most }),
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
    taken.iter().for_each(Taken::tell);
    if language.is_none() && !is_of_run {
        tell(&format!("note: {}", told_languages(&made.languages, made.pages, "--set ")));
    }
    tell_of(&made, arguments);
    if let Some(left) = (given.is_none() && path.is_dir()).then(|| told_left(path)).flatten() {
        tell(&format!("note: {left}"));
    }
    print(&of_pages(&arguments.out)?)?;
    let [out, run] = [&arguments.out, &arguments.from].map(|path| shell_word(&path.to_string_lossy()));
    let order = arguments.disputed.map_or_else(String::new, |_| format!(" --order {run}"));
    print(&format!(
        "\n{}: {}\ncarat annotate {out} --by me{order}\n",
        arguments.out.display(),
        counted(made.pages, "page")
    ))
}

/// The name of the dataset: the one that is asked for, or that of its folder.
fn name(arguments: &New) -> Result<String, Failure> {
    match &arguments.name {
        Some(name) if is_dataset_name(name) => Ok(name.clone()),
        Some(name) => Err(Failure::request(format!("--name: `{name}` {NO_DATASET_NAME}"))),
        None => {
            let folder = arguments.out.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let unnamed = || Failure::request(format!("`{folder}` {NO_DATASET_NAME}; name the dataset by --name"));
            dataset_name_of(&folder).ok_or_else(unnamed)
        }
    }
}

/// What is stated of all pages.
struct Stated {
    /// `none`: that there is none.
    language: Option<String>,
    encoding: Option<&'static Encoding>,
}

fn stated(arguments: &New) -> Result<Stated, Failure> {
    let mut set = pairs(&arguments.set, "KEY=VALUE")?;
    let of_set = set.remove("language");
    if arguments.language.is_some() && of_set.is_some() {
        return Err(Failure::request(
            "the language is stated twice: --language TAG and --set language=TAG mean the same",
        ));
    }
    let language = arguments.language.clone().or(of_set);
    let encoding = set.remove("encoding").map(|label| {
        let unknown = || format!("--set encoding: `{}` is no label of the Encoding Standard", one_line(&label));
        charset::for_label(&label).ok_or_else(|| Failure::request(unknown()))
    });
    if let Some(other) = set.keys().next() {
        let message = format!("--set {}: `dataset new` has the options language and encoding alone", one_line(other));
        return Err(Failure::request(message));
    }
    let named = language.as_deref().filter(|language| *language != "none");
    named.map_or(Ok(()), check_language).map_err(|message| Failure::request(format!("language: {message}")))?;
    Ok(Stated { language, encoding: encoding.transpose()? })
}

/// Says what was left out, and what the pages lack.
fn tell_of(made: &Made, arguments: &New) {
    for (list, what) in [(&made.passed, "passed over"), (&made.failed, "not fetched")] {
        list.iter().take(TOLD).for_each(|(name, reason)| tell(&format!("{what}: {name}: {reason}")));
        if list.len() > TOLD {
            tell(&format!("{what}: {} more", list.len() - TOLD));
        }
    }
    if let Some(first) = made.frames.first() {
        tell(&format!("note: {}", told_frames(made.frames.len(), first)));
    }
    if !made.failed.is_empty() {
        tell(&format!("note: {} is the list of what was not fetched", arguments.out.join("failed.tsv").display()));
    }
    if !made.without_text.is_empty() {
        let shown: Vec<&str> = made.without_text.iter().take(TOLD).map(String::as_str).collect();
        let pages = counted(made.without_text.len(), "page");
        tell(&format!("note: {pages} without text, empty or to be filled by scripts: {}", shown.join(", ")));
    }
    if let Some(most) = arguments.disputed {
        tell_of_draws(made, most, &arguments.out);
    }
    tell("note: the pages are third parties' and may not be passed on (redistribution: none)");
}

/// Says of which draws the pages are, and of what means over them say nothing.
fn tell_of_draws(made: &Made, most: usize, out: &Path) {
    let [disputed, random] = [Draw::Disputed, Draw::Random].map(|draw| {
        let count = made.draws.get(&draw).copied().unwrap_or(0);
        (count, format!("{} (group: {})", counted(count, "page"), draw.name()))
    });
    if disputed.0 < most {
        tell(&format!("note: --disputed {most}: only {} without gold could be drawn", counted(disputed.0, "page")));
    }
    let nothing = "means over the disputed pages say nothing about the crawl";
    let out = shell_word(&out.to_string_lossy());
    tell(&match random.0 {
        0 => format!("note: {}: {nothing}; --sample M draws M pages at random beside them", disputed.1),
        _ => format!(
            "note: {} and {}: {nothing}; `--where group={}` of `carat annotate {out}` and `carat run --dataset {out}` has the \
             random ones alone",
            disputed.1,
            random.1,
            Draw::Random.name()
        ),
    });
}

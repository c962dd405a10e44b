//! Making runs: units, results and reports in their folders.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

use rayon::prelude::*;

use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::formats::digest::sha256_of;
use crate::formats::files::FileError;
use crate::report::language::Language;
use crate::report::{self, FigureFiles, RunFiles};
use crate::runs::doors::external::asking::{AskError, Asking};
use crate::runs::doors::external::cache::Cache;
use crate::runs::execute::{Unit, Watch, execute_rest};
use crate::runs::folder::{self, Claim, Existing};
use crate::runs::plan::Plan;
use crate::runs::results::{Results, collect_into, line_sum};
use crate::runs::run_folder::{Circumstances, RunFolder, RunInfo};
use crate::runs::score_table::ScoreFiles;
use crate::runs::shards::{By, Shard, ShardInfo, page_list, plan_digest};
use crate::runs::units::{Faults, Units};
use crate::text::counted;

use crate::command_line::failure::Failure;
use crate::command_line::host::executable;
use crate::command_line::interrupt::Interruptible;
use crate::command_line::output::tell;
use crate::command_line::progress::Progress;
use crate::formats::code::Exit;

/// Options of making a run.
pub(crate) struct Making {
    /// In place of what is there.
    pub fresh: bool,
    /// With the extracted texts in its folder.
    pub with_texts: bool,
    /// With what external programs answered earlier, and kept for later what they answer now.
    pub with_cache: bool,
    /// With tables, figures and HTML.
    pub with_report: bool,
    /// Of which at most so many pages have a file of their own.
    pub report_pages: usize,
    /// With the scores of pages in these files.
    pub scores: ScoreFiles,
    /// In this language; if none is asked for, in that of the report that is there.
    pub language: Option<Language>,
}

/// A run by one measure, in a folder of its own.
struct Part {
    plan: Plan,
    out: PathBuf,
    units: Units,
}

impl Part {
    fn new(plan: Plan, out: PathBuf, (executable, with_texts): (&str, bool)) -> Result<Self, Failure> {
        let units = Units::new(&out, &plan, executable, with_texts)?;
        Ok(Part { plan, out, units })
    }
}

/// Results of a run, and what `run.json` says of it.
pub(crate) type Made = (Results, RunInfo);

/// Makes the run of `plan`, which has one measure, in `out`, with its report; `None` where it is there already, and not to
/// be made afresh.
pub(crate) fn make(plan: &mut Plan, out: &Path, making: &Making) -> Result<Option<Made>, Failure> {
    Ok(make_each(plan, &[out.to_owned()], making)?.map(|mut made| made.remove(0)))
}

/// Makes the run of `plan` by each of its measures, in the folder of `outs` at the same place. Every page is parsed once, and
/// every extraction made once, for all of them.
pub(crate) fn make_each(plan: &mut Plan, outs: &[PathBuf], making: &Making) -> Result<Option<Vec<Made>>, Failure> {
    let Making { fresh, with_texts, with_cache, with_report, report_pages, scores, language } = *making;
    let executable = executable_digest();
    // Without the cache external programs are asked again, whatever is there.
    let anew = fresh || !with_cache && plan.configuration.asks_others();
    let part = |(plan, out): (Plan, &PathBuf)| Part::new(plan, out.clone(), (executable, with_texts));
    let mut parts: Vec<Part> = plan.by_comparison().into_iter().zip(outs).map(part).collect::<Result<_, _>>()?;
    let unfinished = |parts: &[Part]| -> Result<Option<Vec<String>>, Failure> {
        let mut told = Vec::new();
        let mut is_whole = true;
        for part in parts {
            let why = is_finished(&part.plan, &part.units, (&part.out, executable), (with_texts, scores))?;
            is_whole &= why.is_none();
            told.extend(why.filter(|why| !why.is_empty()));
        }
        Ok((!is_whole).then_some(told))
    };
    let found = if anew { Ok(Some(Vec::new())) } else { unfinished(&parts) };
    if matches!(found, Ok(None)) {
        return Ok(None);
    }
    // Before the fault of the look: a file that is gone or damaged is told as a load tells it.
    plan.check_files()?;
    found?;
    let claims: Vec<Claim> = outs.iter().map(|out| Claim::of(out)).collect::<Result<_, _>>()?;
    // Another run may have come in between.
    let told = if anew { Some(Vec::new()) } else { unfinished(&parts)? };
    let Some(told) = told else { return Ok(None) };
    told.iter().for_each(|why| tell(why));
    for (claim, part) in claims.iter().zip(&parts) {
        claim.begin(&part.plan)?;
        if fresh {
            part.units.remove_all()?;
        }
    }
    let start = Instant::now();
    // A program that fails too often is given up, so what comes of a page hangs on the pages before it: where a page is
    // still to be made, all are asked for and made again. Replies that are kept are not asked for twice.
    let hold_all = |part: &Part| part.units.hold_all(&part.plan);
    let is_whole =
        |parts: &[Part]| parts.iter().map(hold_all).try_fold(true, |all, one| Ok::<_, DatasetError>(all & one?));
    let from_start = plan.configuration.asks_others() && (anew || !is_whole(&parts)?);
    if from_start {
        ask_external(plan, with_cache)?;
        for Part { plan: own, .. } in &mut parts {
            (own.rows, own.notes) = (plan.rows.clone(), plan.notes.clone());
            own.given_up = plan.given_up.clone();
        }
    }
    let resumed = make_units(plan, &parts, from_start)?;
    let seconds = start.elapsed().as_secs_f64();
    let threads = rayon::current_num_threads();
    let machine = machine();
    let finish = |(claim, Part { plan, out, units }): (Claim, &Part)| -> Result<Made, Failure> {
        units.tidy(plan)?;
        let results = collect_into(plan, units, (out, scores))?;
        let machine = machine.clone();
        let circumstances =
            Circumstances { texts: with_texts, resumed, threads, seconds, machine, folders: folders(plan) };
        let info = claim.write(plan, &results, executable, circumstances)?;
        if with_report {
            make_report(&claim, &info, report_pages, language)?;
        }
        claim.finish(&info)?;
        Ok((results, info))
    };
    let made: Vec<Result<Made, Failure>> = claims.into_par_iter().zip(&parts).map(finish).collect();
    Ok(Some(made.into_iter().collect::<Result<_, _>>()?))
}

/// The folders of the datasets of `plan` that are in carat's own format, for there `carat annotate` changes gold.
pub(crate) fn folders(plan: &Plan) -> BTreeMap<String, String> {
    let requests = &plan.configuration.datasets;
    if requests.len() != plan.datasets.len() {
        return BTreeMap::new();
    }
    let folder = |request: &str| {
        let is_path = request.contains(['/', '\\']) || request.starts_with('.');
        let folder = if is_path { PathBuf::from(request) } else { Path::new("datasets").join(request) };
        folder.join("dataset.yaml").is_file().then(|| folder.display().to_string())
    };
    let pairs = plan.datasets.iter().zip(requests);
    pairs.filter_map(|(dataset, request)| Some((dataset.name().to_owned(), folder(&request.name)?))).collect()
}

/// Makes a shard of `whole`, whose pages are those of `part`, in `out`; gives how many of its pages were there. `None` where
/// it is whole already, and not to be made afresh.
pub(crate) fn make_shard(
    whole: &Plan,
    part: Plan,
    (shard, by): (Shard, By),
    out: &Path,
    making: &Making,
) -> Result<Option<usize>, Failure> {
    let executable = executable_digest();
    let anew = making.fresh || !making.with_cache && !whole.configuration.external.is_empty();
    // Of the whole: a unit is the same whoever makes it.
    let units = Units::new(out, whole, executable, making.with_texts)?;
    let mut part = Part { plan: part, out: out.to_owned(), units };
    let info = ShardInfo {
        carat: env!("CARGO_PKG_VERSION").to_owned(),
        executable: executable.to_owned(),
        shard: shard.number,
        of: shard.of,
        by,
        plan: plan_digest(whole),
        page_list: page_list(whole)?,
        pages: part.plan.pages(),
        texts: making.with_texts,
        line_sum: String::new(),
        seconds: 0.0,
    };
    if !anew && is_whole_shard(whole, &part, &info)? {
        return Ok(None);
    }
    let claim = Claim::of(out)?;
    claim.begin(whole)?;
    if making.fresh {
        part.units.remove_all()?;
    }
    let start = Instant::now();
    let from_start = !whole.configuration.external.is_empty() && (anew || !part.units.hold_all(&part.plan)?);
    if from_start {
        ask_external(&mut part.plan, making.with_cache)?;
    }
    let parts = [part];
    let resumed = make_units(&parts[0].plan, &parts, from_start)?;
    let [Part { plan, units, .. }] = parts;
    units.tidy(&plan)?;
    let mut is_given_up = false;
    let asked: Vec<bool> = plan.rows.iter().map(|row| row.system.program().is_some()).collect();
    let line_sum = line_sum(&plan, &units, |outcome| is_given_up |= outcome.lacks_a_reply(&asked))?;
    if is_given_up {
        // The next start asks again, for replies that are kept are not in the units alone.
        units.remove_all()?;
        return Err(Failure::new(
            Exit::Data,
            "an external program was given up, which depends on the pages before, and a shard leaves none out: mend the \
             program, or run without --shard",
        ));
    }
    let seconds = start.elapsed().as_secs_f64();
    ShardInfo { line_sum: line_sum.to_string(), seconds, ..info }.write(out)?;
    Ok(Some(resumed))
}

/// True if the folder of `part` holds the shard that `info` tells of, with every unit.
fn is_whole_shard(whole: &Plan, part: &Part, info: &ShardInfo) -> Result<bool, Failure> {
    let out = part.out.display();
    if folder::look(&part.out, whole, &info.executable, info.texts)? != Existing::Nothing {
        return Err(Failure::request(format!(
            "{out} holds the whole run: choose another folder with --out, or replace it with --fresh"
        )));
    }
    let known = match ShardInfo::read(&part.out) {
        Ok(Some(known)) => known,
        Ok(None) => return Ok(false),
        Err(error) => {
            tell(&format!("warning: {error}"));
            return Ok(false);
        }
    };
    if known.shard() != info.shard() {
        let (own, asked) = (known.shard(), info.shard());
        return Err(Failure::request(format!(
            "{out} holds shard {own} of this run, not {asked}: choose another folder with --out"
        )));
    }
    let same = ShardInfo { line_sum: known.line_sum.clone(), seconds: known.seconds, ..info.clone() };
    Ok(known == same
        && part.units.broken(&part.plan)? == 0
        && part.units.faults()?.is_none()
        && part.units.hold_all(&part.plan)?)
}

/// `None` where the folder holds the whole run already; else why the same command has to mend it, in a sentence, which is
/// empty where there is nothing to mend.
fn is_finished(
    plan: &Plan,
    units: &Units,
    (out, executable): (&Path, &str),
    (with_texts, scores): (bool, ScoreFiles),
) -> Result<Option<String>, Failure> {
    let out_shown = out.display();
    let has_scores = || {
        let run = RunFolder::open(out)?;
        Ok::<_, Failure>(scores.are_in(ScoreFiles::of(|name| run.info().files.contains_key(name))))
    };
    Ok(match folder::look(out, plan, executable, with_texts)? {
        Existing::Nothing => Some(replaced(plan, out)),
        // Only tables are missing, and units are read into them.
        Existing::Finished if !has_scores()? => Some(String::new()),
        Existing::Changed(file) => {
            Some(format!("warning: {out_shown}/{file} is not as the run left it; it is made again from the units"))
        }
        Existing::Finished => match units.broken(plan)? {
            0 => units.faults()?.map(|faults| {
                let file = faults.file.display();
                format!("warning: {file} is not as it was written; no unit is missing, and it is mended")
            }),
            broken => {
                let are = if broken == 1 { "is" } else { "are" };
                let units = counted(broken, "unit");
                Some(format!("warning: {units} of {out_shown} {are} missing or damaged, and made again"))
            }
        },
    })
}

/// The sentence on a run in `out` that is replaced because its programs or the number of its pages changed; empty where
/// neither did.
fn replaced(plan: &Plan, out: &Path) -> String {
    let out_shown = out.display();
    let changed = folder::changed_programs(out, plan).into_iter().map(|(name, version)| {
        format!("the program {name} changed; the run of its version {version} in {out_shown} is replaced")
    });
    let before = folder::finished_pages(out).filter(|&before| before != plan.pages());
    let other_pages = before.map(|before| {
        let [before, now] = [before, plan.pages()].map(|pages| counted(pages, "page"));
        format!("{out_shown} held this run over {before}; it is made again over {now}")
    });
    changed.chain(other_pages).collect::<Vec<_>>().join("; ")
}

/// Makes tables, figures and HTML of the run in the folder of `claim`, with a file for each of at most so many pages. A
/// report keeps the language of the one before it unless another `language` is asked for.
pub(crate) fn make_report(
    claim: &Claim,
    info: &RunInfo,
    report_pages: usize,
    language: Option<Language>,
) -> Result<(), Failure> {
    let language = language.unwrap_or_else(|| report::language_in(claim.folder()));
    write_report(claim, &RunFiles::read(claim, info, report_pages)?, language)
}

/// The same of a run that is read already, in `language`.
pub(crate) fn write_report(claim: &Claim, run: &RunFiles<'_>, language: Language) -> Result<(), Failure> {
    let drawn = report::drawn(run.figures()?, language);
    let mut figures = FigureFiles::of(&drawn);
    let warnings = std::mem::take(&mut figures.warnings);
    // What can fail for a unit that is missing comes first: tables then still stand beside the pages that they are of.
    report::make_html(claim, run, &drawn, &figures, language)?;
    report::make(claim, run, figures, language)?;
    for warning in warnings {
        tell(&format!("warning: {warning}"));
    }
    Ok(())
}

/// Writes the report of a finished run once more in the language that is asked for, if one is.
pub(crate) fn report_anew(out: &Path, making: &Making) -> Result<(), Failure> {
    let Some(_) = making.language else { return Ok(()) };
    let claim = Claim::of(out)?;
    make_report(&claim, RunFolder::open(out)?.info(), making.report_pages, making.language)
}

/// Why not every page was run.
enum Stop {
    Interrupted,
    Unwritten(FileError),
    Unreadable(DatasetError),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped => Stop::Interrupted,
            Halt::Fault(fault) => Stop::Unreadable(fault),
        }
    }
}

/// Asks external programs and functions for every page with gold.
pub(crate) fn ask_external(plan: &mut Plan, with_cache: bool) -> Result<(), Failure> {
    let programs = plan.configuration.external.len() + plan.configuration.functions.len();
    let cache = match Cache::of_user() {
        Some(cache) if with_cache => {
            cache.prepare().map_err(unkept)?;
            cache
        }
        _ => Cache::temporary()?,
    };
    let alone = plan.configuration.external.iter().any(|request| request.limits.workers == 1);
    let progress = Progress::of((plan.pages() * programs) as u64).with_hint(alone.then_some(MORE_WORKERS));
    let running = Interruptible::begin();
    let asking = Asking { cache: &cache, is_stopped: &|| running.is_interrupted(), page_done: &|| progress.add() };
    let asked = plan.ask(&asking);
    let done = progress.done();
    progress.finish();
    asked.map_err(|error| match error {
        AskError::Stopped => {
            let kept = if with_cache { "the same command goes on from there" } else { "nothing was kept" };
            Failure::new(Exit::Interrupted, format!("interrupted: external programs answered {done} times; {kept}"))
        }
        error => error.into(),
    })
}

/// The way to have external programs answer sooner.
const MORE_WORKERS: &str = "hint: an external program is asked one page at a time; `workers: 4` beside its `command` in the \
                            configuration asks four at once, and no result depends on it";

/// That replies of external programs cannot be kept.
fn unkept(error: FileError) -> Failure {
    let ways = "name another folder in CARAT_CACHE, or ask without keeping anything by --no-cache";
    Failure::new(Exit::System, format!("the cache of external programs' replies: {error}; {ways}"))
}

/// Runs every page of which a unit is not there yet, or `all`; gives how many pages were there.
fn make_units(plan: &Plan, parts: &[Part], all: bool) -> Result<usize, Failure> {
    let (made, resumed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = Progress::of(plan.pages() as u64);
    let running = Interruptible::begin();
    let count_page = |counter: &AtomicUsize| {
        counter.fetch_add(1, Ordering::Relaxed);
        progress.add();
    };
    let is_done = |dataset: &Dataset, record: &Record| {
        if all {
            return Ok(false);
        }
        let held = parts.iter().map(|part| part.units.holds(dataset, record)).collect::<Result<Vec<_>, _>>()?;
        let is_whole = held.iter().all(|held| *held);
        if is_whole {
            count_page(&resumed);
        }
        Ok(is_whole)
    };
    let unit = |unit: &Unit<'_>| {
        if running.is_interrupted() {
            return Err(Stop::Interrupted);
        }
        let (dataset, record) = unit.page();
        let (outcomes, texts) = unit.run_by_each().map_err(Stop::Unreadable)?;
        for (part, outcome) in parts.iter().zip(&outcomes) {
            part.units.write(dataset, record, outcome, &texts).map_err(Stop::Unwritten)?;
        }
        count_page(&made);
        Ok(())
    };
    let faults = if all { Vec::new() } else { faults_of(parts)? };
    let outcome = execute_rest(plan, &Watch { is_done: &is_done, is_stopped: &|| running.is_interrupted() }, &unit);
    let written = parts.iter().try_for_each(|part| part.units.finish());
    progress.finish();
    faults.iter().for_each(tell_fault);
    match outcome.and_then(|()| written.map_err(Stop::Unwritten)) {
        Ok(()) => Ok(resumed.into_inner()),
        Err(Stop::Unwritten(error)) => Err(error.into()),
        Err(Stop::Unreadable(error)) => Err(error.into()),
        Err(Stop::Interrupted) => {
            let (done, pages) = (made.into_inner() + resumed.into_inner(), counted(plan.pages(), "page"));
            let message = format!("interrupted: {done} of {pages} are done; the same command goes on from there");
            Err(Failure::new(Exit::Interrupted, message))
        }
    }
}

/// The faults of the units that are there.
fn faults_of(parts: &[Part]) -> Result<Vec<Faults>, FileError> {
    parts.iter().filter_map(|part| part.units.faults().transpose()).collect()
}

/// Tells what was wrong with units, once their pages are run again.
fn tell_fault(faults: &Faults) {
    match faults.lost {
        0 => {
            let file = faults.file.display();
            tell(&format!("warning: the end of {file} was cut off or damaged; what was behind it was run again"));
        }
        1 => tell("warning: 1 unit was not as it was written, and its page was run again"),
        several => {
            tell(&format!("warning: {several} units were not as they were written, and their pages were run again"))
        }
    }
}

/// The operating system and the kind of processor.
pub(crate) fn machine() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// The program at the path by which it was started: an empty container may have no `/proc`, which tells the path otherwise.
fn as_started() -> io::Result<File> {
    let path = std::env::args_os().next().map(PathBuf::from).filter(|path| path.components().count() > 1);
    File::open(path.unwrap_or_default())
}

/// SHA-256 of the running program, read once: a rebuilt program may give other figures. One that cannot be read is
/// taken for no other, so that nothing of an earlier one is used.
pub(crate) fn executable_digest() -> &'static str {
    static DIGEST: OnceLock<String> = OnceLock::new();
    // The path of a program that was replaced while it runs leads to the new one.
    let own = || match executable() {
        Some(path) => File::open(path),
        None => File::open("/proc/self/exe")
            .or_else(|_| std::env::current_exe().and_then(File::open))
            .or_else(|_| as_started()),
    };
    DIGEST.get_or_init(|| own().and_then(sha256_of).unwrap_or_else(|_| format!("unknown {:?}", SystemTime::now())))
}

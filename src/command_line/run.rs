//! `carat run`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

use crate::algorithms::Entry;
use crate::datasets::import;
use crate::datasets::locate::with_options;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::formats::digest::sha256;
use crate::formats::files::FileError;
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};
use crate::formats::shell::shell_word;
use crate::report::agreement::ALONE;
use crate::report::conditions::scored_by;
use crate::report::language::Language;
use crate::report::{self, RunFiles};
use crate::runs::agreement::MOST_SYSTEMS;
use crate::runs::configuration::{Configuration, ExternalRequest, NamedRequest, filter, known_fault};
use crate::runs::doors::external::asking::{AskError, Asking};
use crate::runs::doors::external::cache::Cache;
use crate::runs::execute::{Unit, Watch, execute_rest};
use crate::runs::folder::{self, Claim, Existing};
use crate::runs::kinds;
use crate::runs::plan::Plan;
use crate::runs::results::{self, Results, collect};
use crate::runs::run_folder::{Circumstances, RunFolder, RunInfo};
use crate::runs::summary::{Summary, run_in_memory};
use crate::runs::times::{measure, read_times, write as write_times};
use crate::runs::units::{Held, Units};
use crate::text::counted;

use crate::command_line::arguments::{self, Format};
use crate::command_line::failure::Failure;
use crate::command_line::faults::tell_dropped;
use crate::command_line::interrupt::Interruptible;
use crate::command_line::output::{print, print_line, tell};
use crate::command_line::progress::Progress;
use crate::command_line::threads::on_threads;
use crate::formats::code::Exit;

/// Runs, reports, and prints the tables.
pub(crate) fn run(arguments: arguments::Run) -> Result<(), Failure> {
    let configuration = configuration(&arguments)?;
    on_threads(arguments.threads, || run_here(&arguments, configuration))
}

/// The same, on the current pool of threads.
fn run_here(arguments: &arguments::Run, configuration: Configuration) -> Result<(), Failure> {
    let mut plan = planned(configuration)?;
    if arguments.dry_run {
        return print_line(&format!("{plan}\n{}", estimate(&plan)?));
    }
    refuse_among_pages(&plan, arguments.out.as_deref())?;
    let out = arguments.out.clone().unwrap_or_else(|| default_folder(&plan));
    let making = Making { fresh: arguments.fresh, with_texts: !arguments.no_texts, with_cache: !arguments.no_cache };
    let made = make(&mut plan, &out, &making)?;
    if arguments.time && (made.is_some() || read_times(&RunFolder::open(&out)?)?.is_empty()) {
        time(&plan, &out)?;
    }
    let Some((results, info)) = made else {
        return tell_finished(arguments, &out);
    };
    tell_notes(&info);
    print_result(&out, arguments.format)?;
    if arguments.format == Format::Text {
        results.curves.iter().try_for_each(|curve| print_line(&curve.in_words()))?;
    }
    closing_lines(&plan, &results.summary, &info, &out).iter().for_each(|line| tell(line));
    judge(arguments, &info)
}

/// Plans what `configuration` asks for, and tells which programs that starts.
pub(crate) fn planned(configuration: Configuration) -> Result<Plan, Failure> {
    for request in &configuration.external {
        tell(&format!("starts an external program with your user's permissions: {}", request.command_line()));
    }
    let plan = Plan::new(configuration)?;
    plan.loaded().into_iter().for_each(tell_dropped);
    Ok(plan)
}

/// Takes out the rows that read gold, and tells which were asked for.
pub(crate) fn drop_readers_of_gold(configuration: &mut Configuration) -> Result<(), Failure> {
    let left_out: Vec<String> = kinds::drop_readers_of_gold(configuration)?.iter().map(ToString::to_string).collect();
    if !left_out.is_empty() {
        tell(&format!("left out, for they read gold: {}", left_out.join(", ")));
    }
    Ok(())
}

/// Refuses an --out that lies among the pages of a dataset: the next run would take its files for pages, or this one write
/// over them.
pub(crate) fn refuse_among_pages(plan: &Plan, out: Option<&Path>) -> Result<(), Failure> {
    let Some(out) = out else { return Ok(()) };
    for dataset in &plan.datasets {
        if dataset.is_among_pages(out)? {
            let (out, dataset) = (out.display(), dataset.name());
            return Err(Failure::request(format!(
                "--out {out} lies among the pages of the dataset {dataset}: choose a folder beside them"
            )));
        }
    }
    Ok(())
}

/// The folder of a run that names none.
fn default_folder(plan: &Plan) -> PathBuf {
    Path::new("reports").join(&plan.configuration.name)
}

/// How a run is made.
pub(crate) struct Making {
    /// In place of what is there.
    pub fresh: bool,
    /// With the extracted texts in its folder.
    pub with_texts: bool,
    /// With what external programs answered earlier, and kept for later what they answer now.
    pub with_cache: bool,
}

/// Makes the run of `plan` in `out`, with its report; `None` where it is there already, and not to be made afresh.
pub(crate) fn make(plan: &mut Plan, out: &Path, making: &Making) -> Result<Option<(Results, RunInfo)>, Failure> {
    let Making { fresh, with_texts, with_cache } = *making;
    let executable = executable_digest();
    // Without the cache external programs are asked again, whatever is there.
    let anew = fresh || !with_cache && !plan.configuration.external.is_empty();
    let units = Units::new(out, plan, &executable, with_texts)?;
    if !anew && is_finished(plan, &units, (out, &executable), with_texts)?.is_none() {
        return Ok(None);
    }
    let claim = Claim::of(out)?;
    // Another run may have come in between.
    let unfinished =
        if anew { Some(String::new()) } else { is_finished(plan, &units, (out, &executable), with_texts)? };
    let Some(why) = unfinished else { return Ok(None) };
    if !why.is_empty() {
        tell(&why);
    }
    claim.begin(plan)?;
    if fresh {
        units.remove_all()?;
    }
    let start = Instant::now();
    // A program that fails too often is given up, so what comes of a page hangs on the pages before it: where a page is
    // still to be made, all are asked for and made again. Replies that are kept are not asked for twice.
    let from_start = !plan.configuration.external.is_empty() && (anew || !units.hold_all(plan)?);
    if from_start {
        ask_external(plan, with_cache)?;
    }
    let resumed = make_units(plan, &units, from_start)?;
    let seconds = start.elapsed().as_secs_f64();
    units.remove_others(plan)?;
    let results = collect(plan, &units, out)?;
    let threads = rayon::current_num_threads();
    let machine = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let circumstances = Circumstances { texts: with_texts, resumed, threads, seconds, machine };
    let info = claim.write(plan, &results, &executable, circumstances)?;
    make_report(&claim, &info, Language::default())?;
    claim.finish(&info)?;
    Ok(Some((results, info)))
}

/// `None` where the folder holds the whole run already; else why the same command has to mend it, in a sentence, which is
/// empty where there is nothing to mend.
fn is_finished(
    plan: &Plan,
    units: &Units,
    (out, executable): (&Path, &str),
    with_texts: bool,
) -> Result<Option<String>, Failure> {
    let out_shown = out.display();
    Ok(match folder::look(out, plan, executable, with_texts)? {
        Existing::Nothing => Some(String::new()),
        Existing::Changed(file) => {
            Some(format!("warning: {out_shown}/{file} is not as the run left it; it is made again from the units"))
        }
        Existing::Finished => match units.broken(plan)? {
            0 => None,
            broken => {
                let are = if broken == 1 { "is" } else { "are" };
                let units = counted(broken, "unit");
                Some(format!("warning: {units} of {out_shown} {are} missing or damaged, and made again"))
            }
        },
    })
}

/// Times the rows, and shows F1 against time among the figures and in the report.
fn time(plan: &Plan, out: &Path) -> Result<(), Failure> {
    let claim = Claim::of(out)?;
    write_times(out, &measure(plan)?)?;
    let info = claim.sealed(RunFolder::open(out)?.info().clone())?;
    make_report(&claim, &info, Language::default())?;
    Ok(claim.finish(&info)?)
}

/// Makes tables, figures and HTML of the run in the folder of `claim`.
pub(crate) fn make_report(claim: &Claim, info: &RunInfo, language: Language) -> Result<(), Failure> {
    write_report(&RunFiles::read(claim, info)?, language)
}

/// The same of a run that is read already.
pub(crate) fn write_report(run: &RunFiles<'_>, language: Language) -> Result<(), Failure> {
    let drawn = report::drawn(run.figures()?, language);
    // What can fail for a unit that is missing comes first: tables then still stand beside the pages that they are of.
    report::make_html(run, &drawn, language)?;
    for warning in report::make(run, &drawn, language)? {
        tell(&format!("warning: {warning}"));
    }
    Ok(())
}

/// Prints what is there already.
fn tell_finished(arguments: &arguments::Run, out: &Path) -> Result<(), Failure> {
    tell(&format!("{} holds this run already; --fresh makes it again", out.display()));
    print_result(out, arguments.format)?;
    judge(arguments, RunFolder::open(out)?.info())
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

/// Asks external programs for every page with gold.
fn ask_external(plan: &mut Plan, with_cache: bool) -> Result<(), Failure> {
    let programs = plan.configuration.external.len();
    let cache = match Cache::of_user() {
        Some(cache) if with_cache => {
            cache.prepare().map_err(unkept)?;
            cache
        }
        _ => Cache::temporary()?,
    };
    let progress = Progress::of((plan.pages() * programs) as u64);
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

/// That replies of external programs cannot be kept.
fn unkept(error: FileError) -> Failure {
    let ways = "name another folder in CARAT_CACHE, or ask without keeping anything by --no-cache";
    Failure::new(Exit::System, format!("the cache of external programs' replies: {error}; {ways}"))
}

/// Runs every page whose unit is not there yet, or `all`; gives how many were there.
fn make_units(plan: &Plan, units: &Units, all: bool) -> Result<usize, Failure> {
    let (made, resumed, damaged) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = Progress::of(plan.pages() as u64);
    let running = Interruptible::begin();
    let count_page = |counter: &AtomicUsize| {
        counter.fetch_add(1, Ordering::Relaxed);
        progress.add();
    };
    let is_done = |dataset: &Dataset, record: &Record| {
        let held = if all { Held::Nothing } else { units.held(dataset, record)? };
        match held {
            Held::Whole => count_page(&resumed),
            Held::Damaged => drop(damaged.fetch_add(1, Ordering::Relaxed)),
            Held::Nothing => {}
        }
        Ok(held == Held::Whole)
    };
    let unit = |unit: &Unit<'_>| {
        if running.is_interrupted() {
            return Err(Stop::Interrupted);
        }
        let (dataset, record) = unit.page();
        let (outcome, texts) = unit.run().map_err(Stop::Unreadable)?;
        units.write(dataset, record, outcome, &texts).map_err(Stop::Unwritten)?;
        count_page(&made);
        Ok(())
    };
    let outcome = execute_rest(plan, &Watch { is_done: &is_done, is_stopped: &|| running.is_interrupted() }, &unit);
    progress.finish();
    match damaged.into_inner() {
        0 => {}
        1 => tell("warning: 1 unit was not as it was written, and its page was run again"),
        several => {
            tell(&format!("warning: {several} units were not as they were written, and their pages were run again"))
        }
    }
    match outcome {
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

/// With `--strict`, failed pages are a failure of the run.
fn judge(arguments: &arguments::Run, info: &RunInfo) -> Result<(), Failure> {
    match failed_pages(info) {
        failed if failed > 0 && arguments.strict => {
            Err(Failure::new(Exit::Data, format!("{} failed, and --strict was given", counted(failed, "page"))))
        }
        _ => Ok(()),
    }
}

fn configuration(arguments: &arguments::Run) -> Result<Configuration, Failure> {
    let mut configuration = match &arguments.config {
        None => Configuration::default_run(),
        Some(path) => read_configuration(path)?,
    };
    if !arguments.dataset.is_empty() {
        let options: String = arguments.set.iter().map(|option| format!(",{option}")).collect();
        let named = arguments.dataset.iter().map(|name| NamedRequest::from_argument(&format!("{name}{options}")));
        configuration.datasets = named.collect();
    }
    if !arguments.algorithm.is_empty() {
        configuration.replace_algorithms(&arguments.algorithm)?;
    } else if arguments.config.is_none() && arguments.stored.len() + arguments.external.len() > 0 {
        // The default run's algorithms were not asked for.
        configuration.replace_algorithms(&[])?;
        configuration.replace_bounds(&[])?;
    }
    if !arguments.external.is_empty() {
        let requests = arguments.external.iter().map(|argument| ExternalRequest::from_argument(argument));
        configuration.external = requests.collect::<Result<_, _>>()?;
    }
    if !arguments.stored.is_empty() {
        configuration.stored = arguments.stored.iter().map(|name| NamedRequest::from_argument(name)).collect();
    }
    if !arguments.bounds.is_empty() {
        configuration.replace_bounds(&arguments.bounds)?;
    }
    let lists = [&arguments.dataset, &arguments.algorithm, &arguments.stored, &arguments.external];
    if arguments.config.is_none() && lists.iter().any(|list| !list.is_empty()) {
        configuration.name = name_of(&configuration.datasets);
    }
    for argument in &arguments.filters {
        let (key, value) = filter(argument)?;
        configuration.filters.insert(key, value);
    }
    if let Some(split) = &arguments.split {
        let (key, split) = filter(&format!("split={split}"))?;
        configuration.filters.insert(key, split);
    }
    if !arguments.without_faults.is_empty() {
        for fault in &arguments.without_faults {
            known_fault(fault).map_err(|message| Failure::request(format!("--without-faults: {message}")))?;
        }
        configuration.without_faults = arguments.without_faults.clone();
    }
    configuration.keep_going |= arguments.loading.keep_going;
    configuration.gold_outside = arguments.loading.trust.gold_outside;
    let comparison = &arguments.comparison;
    configuration.tokens = comparison.tokens.unwrap_or(configuration.tokens);
    configuration.case = comparison.case.unwrap_or(configuration.case);
    configuration.measure = comparison.measure.unwrap_or(configuration.measure);
    Ok(configuration)
}

/// Reads a configuration file.
pub(crate) fn read_configuration(path: &Path) -> Result<Configuration, Failure> {
    if path.is_dir() {
        let folder = path.display();
        return Err(Failure::request(format!(
            "{folder} is a folder, and a configuration is a file; to run on the pages of a folder: carat run --dataset {}",
            shell_word(&folder.to_string())
        )));
    }
    let bytes = read_at_most(path, MOST_WRITTEN_BYTES)?;
    let text =
        String::from_utf8(bytes).map_err(|_| Failure::request(format!("{}: is not valid UTF-8", path.display())))?;
    Ok(Configuration::from_yaml(&path.display().to_string(), &text)?)
}

/// A run that no file names is named after its datasets.
fn name_of(datasets: &[NamedRequest]) -> String {
    let last = |NamedRequest { name, .. }: &NamedRequest| {
        let name = with_options(name, &import::folder::IMPORTER).0;
        let name = name.split_once(':').map_or(name, |(format, _)| format);
        let path = Path::new(name.trim_end_matches('/'));
        path.file_name().map_or("run".to_owned(), |name| name.to_string_lossy().into_owned())
    };
    datasets.iter().map(last).collect::<Vec<_>>().join("-")
}

/// SHA-256 of the running program: a rebuilt program may give other figures. One that cannot be read is
/// taken for no other, so that nothing of an earlier one is used.
pub(crate) fn executable_digest() -> String {
    // The path of a program that was replaced while it runs leads to the new one.
    let own = std::fs::read("/proc/self/exe").or_else(|_| std::env::current_exe().and_then(std::fs::read));
    own.map_or_else(|_| format!("unknown {:?}", SystemTime::now()), |bytes| sha256(&bytes))
}

/// How long the run will take, from a few of its pages run once to warm up and once to measure.
fn estimate(plan: &Plan) -> Result<String, DatasetError> {
    const PAGES: usize = 20;
    let sample = plan.sample(PAGES)?;
    let time = || {
        let start = Instant::now();
        run_in_memory(&sample)?;
        Ok::<_, DatasetError>(start.elapsed().as_secs_f64())
    };
    time()?;
    let seconds = time()? * plan.pages() as f64 / sample.pages() as f64;
    let (threads, pages) = (counted(rayon::current_num_threads(), "thread"), counted(sample.pages(), "page"));
    let without = if plan.configuration.external.is_empty() { "" } else { ", without the external programs" };
    Ok(format!("estimate about {seconds:.1} s on {threads}, from running {pages}{without}"))
}

/// What is worth knowing about the data, the first few.
pub(crate) fn tell_notes(info: &RunInfo) {
    const SHOWN: usize = 10;
    info.notes.iter().take(SHOWN).for_each(|note| tell(&format!("note: {note}")));
    if info.notes.len() > SHOWN {
        tell(&format!("note: and {} more, in run.json", info.notes.len() - SHOWN));
    }
}

fn print_result(out: &Path, format: Format) -> Result<(), Failure> {
    let summary = RunFolder::open(out)?.summary()?;
    match format {
        Format::Text => print(&report::tables::terminal(&summary, Language::English)),
        Format::Json => crate::command_line::output::print_json(&serde_json::to_value(&summary).unwrap_or_default()),
    }
}

/// Pages that failed, or on which an algorithm did.
fn failed_pages(info: &RunInfo) -> usize {
    info.failures.iter().map(|failure| (&failure.dataset, &failure.page)).collect::<BTreeSet<_>>().len()
}

fn failure_line(failure: &results::Failure) -> String {
    let algorithm = failure.algorithm.as_ref().map_or(String::new(), |name| format!(" {name}"));
    format!("  {} {}{algorithm}: {}", failure.dataset, failure.page, failure.reason)
}

/// What became of the pages of `dataset` that are not scored.
fn of_pages_without_gold(summary: &Summary, dataset: &str) -> String {
    let is_scored = summary.rows.iter().any(|row| row.dataset == dataset);
    let scored = if is_scored { ", counted in no row" } else { "" };
    match summary.agreement.iter().find(|agreement| agreement.dataset == dataset) {
        Some(agreement) if agreement.systems.len() < 2 => format!("; {}", ALONE[0]),
        Some(_) => format!(
            "{scored}, so that rows are compared with each other: tables/agreement.md and tables/disputed.md; agreement.csv \
             has every page"
        ),
        None if scored_by(summary) == "gold" => {
            format!("{scored} (on them 2 to {MOST_SYSTEMS} systems are compared with each other)")
        }
        None => scored.to_owned(),
    }
}

/// What was saved, what failed, and where it all is.
pub(crate) fn closing_lines(plan: &Plan, summary: &Summary, info: &RunInfo, out: &Path) -> Vec<String> {
    let share = |done: u64, asked: u64| if asked == 0 { 0.0 } else { 100.0 * (1.0 - done as f64 / asked as f64) };
    let work = &info.work;
    let learns = plan.systems().any(|row| matches!(row.system.algorithm(), Some((Entry::Group(_), _))));
    let Circumstances { seconds, threads, resumed, .. } = info.circumstances;
    let done = if plan.needs_pages() {
        format!(
            "each parsed once{}; {} extractions asked for, {} rendered ({:.0} % saved), {} scored ({:.0} % saved)",
            if learns { ", and again for rows that learn from several pages" } else { "" },
            work.choices,
            work.renderings,
            share(work.renderings, work.choices),
            work.scorings,
            share(work.scorings, work.choices),
        )
    } else {
        let others = if plan.configuration.external.is_empty() { "stored outputs" } else { "texts of other programs" };
        format!("{} {others}, {} different ones scored", work.choices, work.scorings)
    };
    let mut lines = vec![format!(
        "{} in {seconds:.2} s ({:.0} pages/s, {}): {done}",
        counted(plan.pages(), "page"),
        (plan.pages() - resumed) as f64 / seconds.max(1e-9),
        counted(threads, "thread"),
    )];
    if resumed > 0 {
        let were = if resumed == 1 { "was" } else { "were" };
        lines.push(format!("{} {were} there from an earlier start of this run", counted(resumed, "page")));
    }
    let lacking = summary.conditions.datasets.iter().filter(|(_, dataset)| dataset.without_gold > 0);
    lines.extend(lacking.map(|(name, dataset)| {
        let pages = format!("{name}: {} without {}", counted(dataset.without_gold, "page"), scored_by(summary));
        format!("{pages}{}", of_pages_without_gold(summary, name))
    }));
    if !info.failures.is_empty() {
        lines.push(format!("{} failed, and what failed scores 0:", counted(failed_pages(info), "page")));
        lines.extend(info.failures.iter().take(20).map(failure_line));
        if info.failures.len() > 20 {
            lines.push(format!("  and {} more, in run.json", info.failures.len() - 20));
        }
    }
    lines.push(format!("tables, figures and every page's scores: {}", out.display()));
    lines
}

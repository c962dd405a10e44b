//! `carat run`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::algorithms::Entry;
use crate::datasets::import::catalog;
use crate::datasets::locate::EMBEDDED;
use crate::formats::files::{unwritten, write_atomically};
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};
use crate::formats::shell::{shell_path, shell_word};
use crate::report;
use crate::report::agreement::ALONE;
use crate::report::conditions::{self, scored_by};
use crate::report::language::Language;
use crate::report::measures::MeasureTable;
use crate::runs::agreement::MOST_SYSTEMS;
use crate::runs::configuration::{Configuration, ExternalRequest, NamedRequest, filter, known_fault};
use crate::runs::doors::external::worker::LATE;
use crate::runs::folder::Claim;
use crate::runs::kinds;
use crate::runs::plan::Plan;
use crate::runs::results;
use crate::runs::run_folder::{Circumstances, MEASURES_FILE, RunFolder, RunInfo, holds_several_measures};
use crate::runs::score_table::ScoreFiles;
use crate::runs::separation::Separation;
use crate::runs::summary::Summary;
use crate::runs::system::Row;
use crate::runs::times::{measure, read_times, write as write_times};
use crate::scoring::Comparison;
use crate::text::counted;
use rustc_hash::FxHashMap;

use crate::command_line::arguments::{self, Format};
use crate::command_line::failure::Failure;
use crate::command_line::making::{Making, ask_external, make, make_each, make_report, report_anew};
use crate::command_line::output::{print, print_json, print_line, tell};
use crate::command_line::planning::{
    estimate, in_the_way, name_of, planned, planned_again, planned_in_parts, refuse_among_pages,
};
use crate::command_line::shard::run_shard;
use crate::command_line::threads::on_threads;
use crate::formats::code::Exit;

/// Runs, reports, and prints the tables.
pub(crate) fn run(arguments: arguments::Run) -> Result<(), Failure> {
    let configuration = configuration(&arguments)?;
    on_threads(arguments.threads, || run_here(&arguments, configuration))
}

/// The same, on the current pool of threads.
fn run_here(arguments: &arguments::Run, configuration: Configuration) -> Result<(), Failure> {
    let out = arguments.out.clone().unwrap_or_else(|| default_folder(&configuration));
    let outs = folders_of(&configuration, &out);
    let may_be_finished =
        !arguments.fresh && !arguments.dry_run && outs.iter().all(|out| out.join("run.json").exists());
    let mut plan = match arguments.shard {
        None if may_be_finished => planned_again(configuration)?,
        None => planned(configuration)?,
        Some(_) => planned_in_parts(configuration)?,
    };
    let making = Making {
        fresh: arguments.fresh,
        with_texts: !arguments.no_texts,
        with_cache: !arguments.no_cache,
        with_report: true,
        report_pages: arguments.report_pages,
        scores: score_files(arguments),
        language: arguments.lang,
    };
    if let Some(shard) = arguments.shard {
        return run_shard(arguments, &plan, shard, &making);
    }
    if arguments.dry_run {
        return print_line(&format!("{plan}\n{}", estimate(&plan)?));
    }
    refuse_among_pages(&plan, arguments.out.as_deref())?;
    if !plan.configuration.further.is_empty() {
        return run_by_each(arguments, &mut plan, (&out, &outs), &making);
    }
    if holds_several_measures(&out) {
        return Err(in_the_way(&out, "several measures"));
    }
    let made = make(&mut plan, &out, &making)?;
    if arguments.time {
        time_rows(&mut plan, &out, &making, made.is_some())?;
    }
    let Some((results, info)) = made else {
        return tell_finished(arguments, &plan, &out, &making);
    };
    tell_notes(&info);
    print_result(&out, arguments.format)?;
    if arguments.format == Format::Text {
        results.curves.iter().try_for_each(|curve| print_line(&curve.in_words()))?;
    }
    closing_lines(&plan, &results.summary, &info, &out).iter().for_each(|line| tell(line));
    judge(arguments, &info)
}

/// The files of scores that are asked for.
fn score_files(arguments: &arguments::Run) -> ScoreFiles {
    arguments.scores.files()
}

/// The run by each of several measures, in a folder below `out` that is named after the measure, and a table of all.
fn run_by_each(
    arguments: &arguments::Run,
    plan: &mut Plan,
    (out, outs): (&Path, &[PathBuf]),
    making: &Making,
) -> Result<(), Failure> {
    // Begun or finished.
    if out.join("run.yaml").exists() || out.join("run.json").exists() {
        return Err(in_the_way(out, "one measure"));
    }
    let rules: Vec<Comparison> = plan.configuration.comparisons().collect();
    // From the first page on the folder is one of several measures, also if the run is cut.
    if !out.join(MEASURES_FILE).exists() {
        std::fs::create_dir_all(out).map_err(|source| unwritten(out, source))?;
        write_atomically(&out.join(MEASURES_FILE), b"")?;
    }
    let made = make_each(plan, outs, making)?;
    if arguments.time {
        time_rows(plan, &outs[0], making, made.is_some())?;
    }
    if made.is_none() {
        outs.iter().try_for_each(|out| report_anew(out, making))?;
    }
    let summaries: Vec<Summary> = outs.iter().map(|out| RunFolder::open(out)?.summary()).collect::<Result<_, _>>()?;
    let named = rules.iter().map(|rule| (rule.to_string(), rule.file_stem()));
    let table = MeasureTable::new(named, &summaries);
    let language = report::language_in(&outs[0]);
    for (name, content) in table.files(language) {
        write_atomically(&out.join(name), content.as_bytes())?;
    }
    match arguments.format {
        Format::Text => print(&table.terminal(language))?,
        Format::Json => {
            let summaries = summaries.iter().map(|summary| serde_json::to_value(summary).unwrap_or_default());
            print_json(&summaries.collect())?;
        }
    }
    match &made {
        Some(made) => {
            tell_notes(&made[0].1);
            closing_lines(plan, &made[0].0.summary, &made[0].1, out).iter().for_each(|line| tell(line));
        }
        None => tell(&holds_already(out, plan)),
    }
    judge(arguments, RunFolder::open(&outs[0])?.info())
}

/// Times the rows of the run in `out`, unless that was done and the run is not new. Of several measures that is the first
/// one's.
pub(crate) fn time_rows(plan: &mut Plan, out: &Path, making: &Making, is_new: bool) -> Result<(), Failure> {
    if !is_new && !read_times(&RunFolder::open(out)?)?.is_empty() {
        return Ok(());
    }
    know_replies(plan, making)?;
    time(&plan.by_comparison()[0], out, making)
}

/// Asks external programs whose replies, with their times, are in the cache and not known: where every unit was there.
fn know_replies(plan: &mut Plan, making: &Making) -> Result<(), Failure> {
    let is_unknown = |row: &Row| {
        let mut places = 0..plan.datasets.len();
        row.system.program().is_some() && places.all(|place| row.system.times_of_replies(place).is_empty())
    };
    if plan.rows.iter().any(is_unknown) { ask_external(plan, making.with_cache) } else { Ok(()) }
}

/// Refuses a configuration of several measures for a `command` that decides by one.
pub(crate) fn one_measure(configuration: &Configuration, command: &str) -> Result<(), Failure> {
    match configuration.comparisons().count() {
        1 => Ok(()),
        several => Err(Failure::request(format!(
            "carat {command} decides by one measure, and the configuration names {several}: name one"
        ))),
    }
}

/// Takes out the rows that read gold, and tells which were asked for.
pub(crate) fn drop_readers_of_gold(configuration: &mut Configuration) -> Result<(), Failure> {
    let left_out: Vec<String> = kinds::drop_readers_of_gold(configuration)?.iter().map(ToString::to_string).collect();
    if !left_out.is_empty() {
        tell(&format!("left out, for they read gold: {}", left_out.join(", ")));
    }
    Ok(())
}

/// The folder of a run that names none.
fn default_folder(configuration: &Configuration) -> PathBuf {
    Path::new("reports").join(&configuration.name)
}

/// The folder of the run by each measure: `out` where there is one.
fn folders_of(configuration: &Configuration, out: &Path) -> Vec<PathBuf> {
    if configuration.further.is_empty() {
        return vec![out.to_owned()];
    }
    configuration.comparisons().map(|rule| out.join(rule.file_stem())).collect()
}

/// Times the rows, and shows F1 against time among the figures and in the report.
fn time(plan: &Plan, out: &Path, making: &Making) -> Result<(), Failure> {
    let claim = Claim::of(out)?;
    write_times(out, &measure(plan)?)?;
    let info = claim.sealed(RunFolder::open(out)?.info().clone())?;
    make_report(&claim, &info, making.report_pages, making.language)?;
    Ok(claim.finish(&info)?)
}

/// The sentence of a run that is there already. External programs answer from the cache in a run that is made again.
pub(crate) fn holds_already(out: &Path, plan: &Plan) -> String {
    let way = match plan.configuration.asks_others() {
        true => "--fresh makes it again from kept replies, --no-cache asks the external programs again",
        false => "--fresh makes it again",
    };
    format!("{} holds this run already; {way}", out.display())
}

/// Prints what is there already.
fn tell_finished(arguments: &arguments::Run, plan: &Plan, out: &Path, making: &Making) -> Result<(), Failure> {
    tell(&holds_already(out, plan));
    report_anew(out, making)?;
    print_result(out, arguments.format)?;
    let run = RunFolder::open(out)?;
    if arguments.format == Format::Text {
        exact_sweeps(&run, report::language_in(out))?.iter().try_for_each(|line| print_line(line))?;
    }
    judge(arguments, run.info())
}

/// With `--strict`, failed pages are a failure of the run.
fn judge(arguments: &arguments::Run, info: &RunInfo) -> Result<(), Failure> {
    match info.failed_pages() {
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
    compare_by(&mut configuration, &arguments.comparison)?;
    Ok(configuration)
}

/// Takes the rules of comparison of the command line in place of those of the configuration.
fn compare_by(configuration: &mut Configuration, asked: &arguments::Comparison) -> Result<(), Failure> {
    let with = |rule: Comparison| Comparison {
        tokens: asked.tokens.unwrap_or(rule.tokens),
        case: asked.case.unwrap_or(rule.case),
        measure: rule.measure,
    };
    if asked.measure.is_empty() {
        let rules = configuration.comparisons().map(with).collect();
        return configuration.take_comparisons(rules).map_err(Failure::request);
    }
    let default = with(configuration.comparison);
    configuration
        .compare_by(&asked.measure, default)
        .map_err(|message| Failure::request(format!("--measure: {message}")))
}

/// Reads a configuration file.
pub(crate) fn read_configuration(path: &Path) -> Result<Configuration, Failure> {
    if path.is_dir() {
        let folder = path.display();
        if path.join("run.yaml").is_file() {
            let message = format!(
                "{folder} is the folder of a run, and a configuration is a file: that of the run is {}",
                path.join("run.yaml").display()
            );
            return Err(Failure::request(message));
        }
        return Err(Failure::request(format!(
            "{folder} is a folder, and a configuration is a file; to run on the pages of a folder: carat run --dataset {}",
            shell_path(path)
        )));
    }
    if let Some(meant) = meant_by(path).filter(|_| !path.exists()) {
        return Err(Failure::request(meant));
    }
    if let Some(meant) = meant_by_kind(path) {
        return Err(Failure::request(meant));
    }
    let bytes = read_at_most(path, MOST_WRITTEN_BYTES)?;
    let text =
        String::from_utf8(bytes).map_err(|_| Failure::request(format!("{}: is not valid UTF-8", path.display())))?;
    Ok(Configuration::from_yaml(&path.display().to_string(), &text)?)
}

/// The command that was meant by a page or a table in the place of a configuration.
fn meant_by_kind(path: &Path) -> Option<String> {
    let file = shell_word(&path.display().to_string());
    let (what, command) = match path.extension()?.to_str()?.to_lowercase().as_str() {
        "html" | "htm" | "xhtml" => {
            ("a page", format!("to see what an algorithm extracts: carat extract {file} --algorithm nta"))
        }
        "jsonl" | "csv" | "tsv" => ("a table", format!("to run on its pages: carat run --dataset table:{file}")),
        "py" | "js" | "mjs" | "rb" | "pl" | "sh" => (
            "a program",
            format!("to run one, quote its whole command: carat run --external 'python3 {}'", path.display()),
        ),
        _ => return None,
    };
    Some(format!("{file} is {what}, and a configuration is a YAML file; {command}"))
}

/// The command that was meant by the name of an algorithm or a dataset in the place of a configuration.
fn meant_by(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let name = text.split(':').next().unwrap_or_default();
    let (what, option) = match crate::algorithms::find(name) {
        Ok(_) => ("an algorithm", "--algorithm"),
        Err(_) if text == EMBEDDED || catalog::builtin().find(text).is_ok() => ("a dataset", "--dataset"),
        Err(_) => return None,
    };
    Some(format!("{name} is {what}, and a configuration is a file; to run it: carat run {option} {}", shell_word(text)))
}

/// Prints the notes on programs that were given up, and on the data.
pub(crate) fn tell_notes(info: &RunInfo) {
    for sentence in info.given_up.values() {
        let ways = match sentence.contains(LATE) {
            true => "mend the program, or raise `timeout_s` in the configuration, and run again with --fresh",
            false => "mend the program and run again with --fresh, or raise `restarts` in the configuration",
        };
        tell(&format!("note: {sentence}; {ways}"));
    }
    tell_data_notes(info);
}

/// Prints the first few notes on the data.
pub(crate) fn tell_data_notes(info: &RunInfo) {
    const SHOWN: usize = 10;
    info.notes.iter().take(SHOWN).for_each(|note| tell(&format!("note: {note}")));
    if info.note_count() > SHOWN {
        let file = if info.notes.len() < info.note_count() { "notes.csv" } else { "run.json" };
        tell(&format!("note: and {} more, in {file}", info.note_count() - SHOWN));
    }
}

/// Prints the table of the run in `out`, in the language of its report.
pub(crate) fn print_result(out: &Path, format: Format) -> Result<(), Failure> {
    let run = RunFolder::open(out)?;
    let language = report::language_in(out);
    let summary = run.summary()?;
    match format {
        Format::Text => {
            let separation = Separation::of_few_sites(&run, &summary)?;
            let tables = report::tables::terminal(&summary, &separation, language);
            print(&(conditions::above(run.info(), language, false) + &tables))
        }
        Format::Json => print_json(&serde_json::to_value(&summary).unwrap_or_default()),
    }
}

/// The best of each exact sweep of a run, which no table tells, a line each.
pub(crate) fn exact_sweeps(run: &RunFolder, language: Language) -> Result<Vec<String>, Failure> {
    let lines = report::sweeps::exact_in_words(&run.sweeps()?, language);
    lines.map_err(|why| Failure::new(Exit::Data, format!("{}: {why}", run.path().join("sweeps.csv").display())))
}

/// The failures in lines, at most `most`, and the number of those that these tell. One reason on many pages is one line, and so
/// are reasons that differ in numbers alone.
fn failure_lines(failures: &[results::Failure], most: usize) -> (Vec<String>, usize) {
    /// So many pages of one reason are named.
    const NAMED: usize = 3;
    let mut alike: Vec<Vec<&results::Failure>> = Vec::new();
    let mut places: FxHashMap<[String; 4], usize> = FxHashMap::default();
    for failure in failures {
        let results::Failure { dataset, algorithm, settings, reason, .. } = failure;
        let [algorithm, settings] = [algorithm, settings].map(|name| name.clone().unwrap_or_default());
        let kind = [dataset.clone(), algorithm, settings, without_numbers(reason)];
        let place = *places.entry(kind).or_insert(alike.len());
        match alike.get_mut(place) {
            Some(known) => known.push(failure),
            None => alike.push(vec![failure]),
        }
    }
    let lines = alike.iter().flat_map(|alike| match alike.len() {
        ..=NAMED => alike.iter().map(|one| (failure_line(one, one.page.clone()), 1)).collect::<Vec<_>>(),
        count => {
            let named: Vec<&str> = alike.iter().take(NAMED).map(|one| one.page.as_str()).collect();
            let line = failure_line(alike[0], format!("{count} pages ({}, ..)", named.join(", ")));
            let is_one = alike.iter().all(|one| one.reason == alike[0].reason);
            vec![(if is_one { line } else { line + " (the first; the others differ in numbers)" }, count)]
        }
    });
    let (lines, counts): (Vec<String>, Vec<usize>) = lines.take(most).unzip();
    (lines, counts.into_iter().sum())
}

/// A reason with one sign for each word that has a digit: positions, times and addresses of one fault differ from page to
/// page.
fn without_numbers(reason: &str) -> String {
    let words = reason.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let masked = words.map(|word| match word.contains(|c: char| c.is_ascii_digit()) {
        true => format!("0{}", word.trim_start_matches(|c: char| c.is_ascii_alphanumeric())),
        false => word.to_owned(),
    });
    masked.collect()
}

/// A failure on `pages`.
fn failure_line(failure: &results::Failure, pages: String) -> String {
    /// So many settings are named.
    const NAMED: usize = 3;
    let algorithm = failure.algorithm.as_ref().map_or(String::new(), |name| format!(" {name}"));
    let settings = failure.settings.as_ref().map_or(String::new(), |settings| {
        let all: Vec<&str> = settings.split("; ").collect();
        let more = if all.len() > NAMED { format!("; {} more", all.len() - NAMED) } else { String::new() };
        format!(" ({}{more})", all[..all.len().min(NAMED)].join("; "))
    });
    format!("  {} {pages}{algorithm}{settings}: {}", failure.dataset, failure.reason)
}

/// What became of the pages of `dataset` that are not scored.
fn of_pages_without_gold(summary: &Summary, dataset: &str) -> String {
    let is_scored = summary.rows.iter().any(|row| row.dataset == dataset);
    let scored = if is_scored { ", counted in no row" } else { "" };
    match summary.agreement.iter().find(|agreement| agreement.dataset == dataset) {
        Some(agreement) if agreement.systems.len() < 2 => format!("; {}", ALONE[0]),
        Some(_) => format!(
            "{scored}, so that rows are compared with each other: tables/kept.md, tables/agreement.md and tables/disputed.md; \
             agreement.csv has every page"
        ),
        None if scored_by(summary) == "gold" => {
            format!("{scored}; a run of 2 to {MOST_SYSTEMS} systems compares them with each other there")
        }
        None => scored.to_owned(),
    }
}

/// True if more is compared than one setting of each of several systems: floors, or several settings of an algorithm.
fn compares_settings(plan: &Plan) -> bool {
    let systems = || plan.rows.iter().map(|row| &row.system).filter(|system| system.is_compared());
    let names: BTreeSet<&str> = systems().map(|system| system.name()).collect();
    names.len() < systems().count()
        || systems().any(|system| system.algorithm().is_some_and(|(algorithm, _)| algorithm.declaration().floor))
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
        let others = if plan.configuration.asks_others() { "texts of other programs" } else { "stored outputs" };
        format!("{} {others}, {} different ones scored", work.choices, work.scorings)
    };
    let made = plan.pages() - resumed;
    // What was done is counted over all starts, time over this one.
    let (of, all_starts) = match resumed {
        0 => (String::new(), ": "),
        _ => (format!("{made} of "), "; over all starts, "),
    };
    let pages = counted(plan.pages(), "page");
    let mut lines = vec![match threads {
        0 => format!("{pages} put together, whose runs took {seconds:.2} s: {done}"),
        _ => {
            let (speed, threads) = (made as f64 / seconds.max(1e-9), counted(threads, "thread"));
            format!("{of}{pages} in {seconds:.2} s ({speed:.0} pages/s, {threads}){all_starts}{done}")
        }
    }];
    if resumed > 0 {
        let were = if resumed == 1 { "was" } else { "were" };
        lines.push(format!("{} {were} there from an earlier start of this run", counted(resumed, "page")));
    }
    let lacking = summary.conditions.datasets.iter().filter(|(_, dataset)| dataset.without_gold > 0);
    lines.extend(lacking.map(|(name, dataset)| {
        let pages = format!("{name}: {} without {}", counted(dataset.without_gold, "page"), scored_by(summary));
        format!("{pages}{}", of_pages_without_gold(summary, name))
    }));
    if summary.rows.is_empty() && compares_settings(plan) {
        lines.push(
            "settings of one algorithm and floors are compared here as if each were a system; to compare algorithms, name each \
             once, as in --algorithm nta --algorithm cevc"
                .to_owned(),
        );
    }
    if !info.failures.is_empty() {
        lines.push(format!(
            "{} failed, and such a page scores 0 against its gold:",
            counted(info.failed_pages(), "page")
        ));
        let (shown, told) = failure_lines(&info.failures, 20);
        lines.extend(shown);
        let all = info.failure_count();
        if told < all {
            let file = if info.failures.len() < all { "failures.csv" } else { "run.json" };
            lines.push(format!("  and {} more, in {file}", all - told));
        }
    }
    lines.push(format!("tables, figures and every page's scores: {}", out.display()));
    lines
}

//! `carat gate`.

mod annotations;
mod excerpt;
mod junit;
mod markdown;
mod text;
mod unjudged;
mod words;

use std::fs;
use std::path::Path;

use crate::decisions::gate::baseline::{self, BaselineError};
use crate::decisions::gate::{Judgement, PageFall, RowFaults, RowJudgement, Snapshot, Verdict, accept, judge};
use crate::decisions::history::store;
use crate::formats::files::{FileError, write_named};
use crate::formats::shell::shell_command;
use crate::report::MOST_PAGES;
use crate::runs::configuration::Configuration;
use crate::runs::folder::{self, is_of_gate, mark_as_of_gate};
use crate::runs::folder_error::FolderError;
use crate::runs::pages::RunPages;
use crate::runs::plan::Plan;
use crate::runs::results::Failure as Failed;
use crate::runs::rules::Level;
use crate::runs::run_folder::RunFolder;
use crate::runs::score_table::ScoreFiles;
use crate::runs::times::read_times;

use crate::algorithms::value::Value;
use crate::statistics::Sampling;
use crate::text::counted;
use crate::text::tokens::TokenKind;
use serde_json::json;

use self::excerpt::excerpt;
use self::markdown::Excerpt;
use self::words::{Accepting, Short, headline, listed, plain};
use crate::command_line::arguments::{self, VerdictFormat, When};
use crate::command_line::failure::Failure;
use crate::command_line::making::{Making, executable_digest, make};
use crate::command_line::output::{print, print_json, tell, tell_command};
use crate::command_line::planning::{planned, refuse_among_pages};
use crate::command_line::replaced_files::{refuse_needed, refuse_other_than};
use crate::command_line::run::{drop_readers_of_gold, one_measure, read_configuration, tell_data_notes, time_rows};
use crate::command_line::threads::on_threads;
use crate::formats::code::Exit;

/// Refuses to write reports over files that are read or that no gate wrote, and both into one.
fn refuse_files_of_others(arguments: &arguments::Gate) -> Result<(), Failure> {
    let read = [arguments.config.as_path(), arguments.baseline.as_path()];
    let marked = [
        ("--junit", &arguments.junit, "<testsuites name=\"carat gate\""),
        ("--markdown", &arguments.markdown, "<!-- carat gate "),
    ];
    for (option, path, mark) in marked {
        let Some(path) = path else { continue };
        refuse_needed(option, path, &read)?;
        if !is_summary_of_step(path) {
            refuse_other_than(mark, option, path)?;
        }
    }
    match arguments.junit.is_some() && arguments.junit == arguments.markdown {
        true => Err(Failure::request("--junit and --markdown name one file: name two")),
        false => Ok(()),
    }
}

/// Runs, and judges the run by the baseline or makes it the baseline.
pub(crate) fn gate(arguments: arguments::Gate) -> Result<(), Failure> {
    refuse_files_of_others(&arguments)?;
    if arguments.accept {
        return gated(&arguments).map(drop);
    }
    unjudged::begin(&arguments)?;
    match gated(&arguments) {
        Ok(None) => Ok(()),
        Ok(Some(verdict)) => Err(verdict),
        Err(failure) => {
            unjudged::end(&arguments, &failure);
            Err(failure)
        }
    }
}

/// The same; gives the failure that the verdict is, if it is one. It was told in every format that was asked for.
fn gated(arguments: &arguments::Gate) -> Result<Option<Failure>, Failure> {
    let mut configuration = read_configuration(&arguments.config)?;
    configuration.gold_outside = arguments.trust.gold_outside;
    // No one is held to what no algorithm can reach without gold.
    drop_readers_of_gold(&mut configuration)?;
    one_measure(&configuration, "gate")?;
    let measure = configuration.comparison.measure;
    // A baseline keeps one number of gold units per page.
    if baseline::is_unkept(measure) || configuration.comparison.tokens == TokenKind::Cleaneval {
        return Err(Failure::request(format!(
            "carat gate cannot keep a baseline by `{}`: take another measure, such as `lcs` or `shingle:N`",
            configuration.comparison
        )));
    }
    if std::mem::take(&mut configuration.keep_going) {
        tell(
            "`keep_going` is not for the gate: fewer pages are not those of the baseline, so a dataset's fault ends it",
        );
    }
    if arguments.accept && is_set("CI") {
        return Err(Failure::request(
            "--accept is refused where CI is set: make the baseline at your own desk, read its diff and commit it",
        ));
    }
    let baseline = baseline_of(arguments)?;
    on_threads(arguments.threads, || gate_here(arguments, configuration, baseline))
}

/// The scores by which the run is judged: an accepted baseline, or the last run of a history; `None` where the first baseline
/// is made.
fn baseline_of(arguments: &arguments::Gate) -> Result<Option<Snapshot>, Failure> {
    let path = &arguments.baseline;
    if !store::is_history(path) {
        return match baseline::read(path) {
            Err(BaselineError::Missing { .. }) if arguments.accept => Ok(None),
            Err(error @ BaselineError::Missing { .. }) => {
                Err(Failure::request(format!("{error}; make it with: {}", accepting(arguments))))
            }
            known => Ok(Some(known?)),
        };
    }
    if arguments.accept {
        let add = adding(path, Path::new("RUN"));
        let message =
            format!("{} is a history, to which --accept writes nothing; add the run with: {add}", path.display());
        return Err(Failure::request(message));
    }
    let latest = store::read(path)?.entries.pop();
    let latest = latest.ok_or_else(|| Failure::request(format!("{} holds no run", path.display())))?;
    tell(&format!("the baseline is {}, the last run of {}", latest.label, path.display()));
    Ok(Some(latest.snapshot))
}

/// The same, on the current pool of threads.
fn gate_here(
    arguments: &arguments::Gate,
    configuration: Configuration,
    baseline: Option<Snapshot>,
) -> Result<Option<Failure>, Failure> {
    let rules = configuration.gate.clone();
    if rules.are_off() {
        let message =
            format!("every rule under `gate` of {} is off, so nothing would be judged", arguments.config.display());
        return Err(Failure::request(message));
    }
    let mut plan = planned(configuration)?;
    if plan.rows.is_empty() {
        let message = format!("{} has no row to gate: exact sweeps have none", arguments.config.display());
        return Err(Failure::request(message));
    }
    refuse_among_pages(&plan, arguments.out.as_deref())?;
    // Not that of `carat run`, which has the bounds too.
    let own = || Path::new("reports").join(format!("{}-gate", plan.configuration.name));
    let out = arguments.out.clone().unwrap_or_else(own);
    let is_outdated = !arguments.fresh && holds_another_of_its_own(&plan, &out)?;
    if is_outdated {
        tell(&format!("{} held the gate's run of another configuration, and is made anew", out.display()));
    }
    let making = Making {
        fresh: arguments.fresh || is_outdated,
        with_texts: true,
        with_cache: arguments.cache,
        with_report: true,
        report_pages: MOST_PAGES,
        scores: ScoreFiles::default(),
        language: None,
    };
    // A folder that somebody else began stays theirs.
    let is_own = is_of_gate(&out) || !out.join("run.yaml").exists();
    let made = make(&mut plan, &out, &making)?;
    if made.is_some() && is_own {
        mark_as_of_gate(&out)?;
    }
    let is_timed = rules.slower_time.level != Level::Off;
    if is_timed {
        time_rows(&mut plan, &out, &making, made.is_some())?;
    }
    let run = RunFolder::open(&out)?;
    run.refuse_partial()?;
    tell_data_notes(run.info());
    let summary = run.summary()?;
    for kept in summary.kept_replies.iter().filter(|_| arguments.cache) {
        tell(&format!("note: {}: without --cache each page is asked for afresh", kept.in_words()));
    }
    // Times stand in the run's folder from a command with the rule, too; without it they shall be in no baseline.
    let times = if is_timed { read_times(&run)? } else { Vec::new() };
    let pages = RunPages::read(&run)?;
    let snapshot = Snapshot::new(&summary, &pages).with_times(&times);
    if snapshot.rows.is_empty() {
        return Err(Failure::new(Exit::Data, "no page with gold was run, so there is nothing to gate"));
    }
    let short_id = |page: &str| pages.beginning(page).to_owned();
    let failures = run.failures(|_| true)?;
    let reason = |dataset: &str, row: &str, page: &str| {
        let label = row.split_once(':').map_or("", |(_, label)| label);
        let is_of = |failure: &&Failed| failure.is_of((dataset, page), system(row), label);
        failures.iter().find(is_of).map(|failure| failure.reason.clone())
    };
    let known = match &baseline {
        Some(known) if !arguments.accept => known,
        _ => return accept_run(arguments, baseline.as_ref(), &snapshot, &short_id, &reason).map(|()| None),
    };
    let command = |dataset: &str, row: &str, page: &str| showing(&out, (dataset, row, pages.beginning(page)));
    let mut judgement = judge(known, &snapshot, &rules, &Sampling::default(), &command);
    let given_up = |row: &str| run.info().given_up.get(system(row)).cloned();
    judgement.explain_failures(reason, given_up);
    let case = summary.conditions.case.parse().unwrap_or_default();
    let excerpt = |row: &RowJudgement, fall: &PageFall| excerpt(&pages, case, row, fall);
    let is_refused = accept(Some(known), &snapshot).refused(Value::ZERO).is_some();
    let is_history = store::is_history(&arguments.baseline);
    let command = if is_history { adding(&arguments.baseline, &out) } else { accepting(arguments) };
    let accepting = Accepting { command, is_refused };
    tell_judgement(arguments, (&out, &accepting), &judgement, &short_id, &excerpt)
}

/// The system of a row, without the parameters.
fn system(row: &str) -> &str {
    row.split(':').next().unwrap_or(row)
}

/// True if `out` holds a run that the gate itself made, of another configuration than that of `plan`.
fn holds_another_of_its_own(plan: &Plan, out: &Path) -> Result<bool, Failure> {
    if !is_of_gate(out) {
        return Ok(false);
    }
    match folder::look(out, plan, executable_digest(), true) {
        Ok(_) => Ok(false),
        Err(FolderError::AnotherPlan { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// The one place that says how a page is shown.
pub(crate) fn showing(out: &Path, (dataset, row, page): (&str, &str, &str)) -> String {
    let options = [("--dataset", Some(dataset)), ("--algorithm", Some(row))];
    shell_command("carat diff", &[&out.display().to_string(), page], &options)
}

/// The command that makes the run in `out` the last of a history, and so the baseline.
fn adding(history: &Path, out: &Path) -> String {
    let [history, out] = [history, out].map(|path| path.display().to_string());
    // Its name is that of an earlier run of the gate.
    shell_command("carat history add", &[&history, &out], &[("--label", Some("LABEL"))])
}

/// The command that makes the baseline.
fn accepting(arguments: &arguments::Gate) -> String {
    let [config, baseline] = [&arguments.config, &arguments.baseline].map(|path| path.display().to_string());
    let out = arguments.out.as_ref().map(|out| out.display().to_string());
    let mut options = vec![("--baseline", Some(baseline.as_str()))];
    options.extend(out.as_ref().map(|out| ("--out", Some(out.as_str()))));
    options.extend(arguments.trust.gold_outside.then_some(("--gold-outside", None)));
    options.push(("--accept", None));
    shell_command("carat gate", &[&config], &options)
}

/// Writes a report, below what other commands of the step wrote where `path` is its summary.
fn write_report(path: &Path, text: &str) -> Result<(), FileError> {
    let before = if is_summary_of_step(path) { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    write_named(path, (before + text).as_bytes())
}

/// True of the file to which the commands of a step on GitHub append.
fn is_summary_of_step(path: &Path) -> bool {
    std::env::var_os("GITHUB_STEP_SUMMARY").is_some_and(|summary| Path::new(&summary) == path)
}

/// Whether the environment says yes to `name`.
fn is_set(name: &str) -> bool {
    let noes = ["", "0", "false", "no", "off"];
    std::env::var(name).is_ok_and(|value| !noes.contains(&value.to_lowercase().as_str()))
}

/// Prints the judgement and writes what was asked for; gives the failure that the verdict is, if it is one.
fn tell_judgement(
    arguments: &arguments::Gate,
    (out, accepting): (&Path, &Accepting),
    judgement: &Judgement,
    short_id: Short<'_>,
    excerpt: Excerpt<'_>,
) -> Result<Option<Failure>, Failure> {
    if let Some(path) = &arguments.junit {
        write_named(path, junit::write(judgement, short_id).as_bytes())?;
    }
    let config = arguments.config.display().to_string();
    let markdown = || markdown::write(judgement, (&config, accepting), short_id, excerpt);
    if let Some(path) = &arguments.markdown {
        write_report(path, &markdown())?;
    }
    match arguments.format {
        VerdictFormat::Text => print(&text::write(judgement, accepting, short_id))?,
        VerdictFormat::Md => print(&markdown())?,
        VerdictFormat::Json => {
            let [baseline, run] = [&arguments.baseline, out].map(|path| path.display().to_string());
            let mut value = json!({"baseline": baseline, "run": run});
            if let (Some(all), Ok(serde_json::Value::Object(judged))) =
                (value.as_object_mut(), serde_json::to_value(judgement))
            {
                all.extend(judged);
            }
            print_json(&value)?;
        }
    }
    if is_annotated(arguments) {
        annotations::write(judgement, short_id).iter().for_each(|line| tell_command(line));
    }
    let headline = headline(judgement, &plain);
    Ok(match judgement.verdict {
        Verdict::Passed => None,
        Verdict::Fell => Some(Failure::new(Exit::Check, headline)),
        Verdict::CannotJudge if judgement.is_of_the_baseline() && !judgement.judged_nothing() => {
            tell(&format!("warning: {headline}"));
            None
        }
        Verdict::CannotJudge => Some(Failure::request(headline)),
    })
}

/// True if annotations are printed.
fn is_annotated(arguments: &arguments::Gate) -> bool {
    match arguments.annotations {
        When::Auto => is_set("GITHUB_ACTIONS"),
        When::Always => true,
        When::Never => false,
    }
}

/// Makes the run the baseline, and tells what that lowers.
fn accept_run(
    arguments: &arguments::Gate,
    baseline: Option<&Snapshot>,
    run: &Snapshot,
    short_id: Short<'_>,
    reason: &dyn Fn(&str, &str, &str) -> Option<String>,
) -> Result<(), Failure> {
    let acceptance = accept(baseline, run);
    if let Some(faults) = acceptance.refused(arguments.allow_failed) {
        let RowFaults { row, dataset, pages, new_failures, failing_pages, .. } = faults;
        let listed = listed(failing_pages, short_id, &plain);
        let reason = failing_pages.first().and_then(|page| reason(dataset, row, page));
        let reason = reason.map_or(String::new(), |reason| format!("; the first: {}", plain(&reason)));
        let message = format!(
            "not accepted: {row} fails or was not run on {new_failures} of {pages} pages of {dataset} ({listed}{reason}), and \
             accepted failures pass from then on: mend it, or state the share that may fail with --allow-failed"
        );
        return Err(Failure::new(Exit::Check, message));
    }
    baseline::write(&arguments.baseline, run)?;
    let (rows, pages) = (run.rows.len(), run.pages());
    match arguments.format {
        VerdictFormat::Json => {
            let path = arguments.baseline.display().to_string();
            let mut value = json!({"baseline": path, "made": baseline.is_none(), "rows": rows, "pages": pages});
            if let (Some(all), Ok(serde_json::Value::Object(accepted))) =
                (value.as_object_mut(), serde_json::to_value(&acceptance))
            {
                all.extend(accepted);
            }
            print_json(&value)
        }
        VerdictFormat::Text | VerdictFormat::Md => {
            let done = match baseline {
                None => "made",
                Some(baseline) if *baseline == run.clone().as_kept() => "as it was",
                Some(_) => "made anew",
            };
            let (path, rows, pages) = (arguments.baseline.display(), counted(rows, "row"), counted(pages, "page"));
            print(&format!("{path} is {done}: {rows}, {pages}\n{}", text::accepted(&acceptance, short_id)))
        }
    }
}

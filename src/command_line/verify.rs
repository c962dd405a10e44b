//! `carat verify`.

use std::collections::BTreeSet;

use crate::datasets::Halt;
use crate::formats::code::Exit;
use crate::report::{self, Redrawn, RunFiles, pages_shown, redrawn};
use crate::runs::configuration::Configuration;
use crate::runs::folder_error::FolderError;
use crate::runs::plan::Plan;
use crate::runs::run_folder::RunFolder;
use crate::runs::summary::Summary;
use crate::runs::verify::{self, Again, Difference, Subject};
use crate::text::counted;
use serde_json::json;

use crate::command_line::arguments::{self, Format};
use crate::command_line::failure::Failure;
use crate::command_line::interrupt::Interruptible;
use crate::command_line::making::ask_external;
use crate::command_line::output::{print, print_json};
use crate::command_line::planning::planned;
use crate::command_line::progress::Progress;
use crate::command_line::threads::on_threads;

/// Differences that are printed for people; JSON has all of them.
const MOST_PRINTED: usize = 50;

/// Holds a run against what it was made from, and fails if anything differs.
pub(crate) fn verify(arguments: arguments::Verify) -> Result<(), Failure> {
    on_threads(arguments.threads, || verify_here(&arguments))
}

/// The differences, and the parts that were not looked at.
#[derive(Default)]
struct Found {
    differences: Vec<Difference>,
    again: Again,
    /// All pages of the run.
    pages: usize,
    /// The parts that were not checked, a sentence each.
    unchecked: Vec<String>,
}

/// The same, on the current pool of threads.
fn verify_here(arguments: &arguments::Verify) -> Result<(), Failure> {
    let run = RunFolder::open(&arguments.run)?;
    run.refuse_partial()?;
    let mut found = Found { pages: pages_of(&run), ..Found::default() };
    found.differences.extend(verify::files(&run)?);
    of_report(&run, &mut found)?;
    match verify::configuration(&run)? {
        Ok(configuration) => of_configuration(arguments, &run, configuration, &mut found)?,
        Err(fault) => {
            if found.differences.iter().all(|known| known.name != fault.name) {
                found.differences.push(fault);
            }
            found.unchecked.push("datasets, rows and pages, for run.yaml is not that of the run".to_owned());
        }
    }
    tell_found(arguments, &found)
}

/// Checks the files of the report: against their list, and against the report that the run would be given now.
fn of_report(run: &RunFolder, found: &mut Found) -> Result<(), Failure> {
    let listed = report::changed_files(run.path())?;
    let is_there =
        listed.is_some() || ["tables", "figures", "index.html"].iter().any(|name| run.path().join(name).exists());
    if !is_there {
        found.unchecked.push("the report, for the folder has none".to_owned());
        return Ok(());
    }
    found.differences.extend(listed.into_iter().flatten().map(|name| {
        let is_there = run.path().join(&name).exists();
        let told = if is_there { "is not as the report was written: its SHA-256 is another" } else { "is missing" };
        Difference::new(Subject::File, name, told)
    }));
    match redrawn_report(run, &found.differences)? {
        Err(why) => found.unchecked.push(format!("tables/, figures/ and pages/ against the run, for {why}")),
        Ok(redrawn) => add_redrawn(redrawn, found),
    }
    Ok(())
}

/// The report made once more, and compared; why it cannot be, in a phrase.
fn redrawn_report(run: &RunFolder, known: &[Difference]) -> Result<Result<Redrawn, String>, Failure> {
    if known.iter().any(|known| known.subject == Subject::Version) {
        return Ok(Err("another version of carat made it".to_owned()));
    }
    let read = pages_shown(run.path()).and_then(|pages| RunFiles::of(run.path(), run.info(), pages));
    match read.and_then(|run| redrawn(&run)) {
        Ok(redrawn) => Ok(Ok(redrawn)),
        // What is damaged is told with the other files, and what is missing has been.
        Err(FolderError::Content { path, .. }) => Ok(Err(format!("{} is not as the run left it", path.display()))),
        Err(_) if known.iter().any(|known| known.subject == Subject::File) => {
            Ok(Err("a file of the run is missing".to_owned()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Adds the files that are not those of the report made once more, each of them once.
fn add_redrawn(redrawn: Redrawn, found: &mut Found) {
    let known: BTreeSet<String> = found.differences.iter().map(|known| known.name.clone()).collect();
    let new = redrawn.differing.into_iter().filter(|name| !known.contains(name));
    let message = "is not the one that follows from the run";
    found.differences.extend(new.map(|name| Difference::new(Subject::File, name, message)));
    if redrawn.incomparable > 0 {
        let pictures = counted(redrawn.incomparable, "picture");
        found.unchecked.push(format!("{pictures} (PNG, PDF), painted with other fonts than those of this machine"));
    }
}

fn pages_of(run: &RunFolder) -> usize {
    run.info().conditions.datasets.values().map(|dataset| dataset.pages).sum()
}

/// Checks that follow from the configuration: datasets, rows, figures, and pages that are run again.
fn of_configuration(
    arguments: &arguments::Verify,
    run: &RunFolder,
    mut configuration: Configuration,
    found: &mut Found,
) -> Result<(), Failure> {
    configuration.gold_outside = arguments.trust.gold_outside;
    let asks = !configuration.external.is_empty();
    if asks && !arguments.programs {
        // A plan starts the programs of its rows, and whose run this is nobody knows.
        configuration = Configuration {
            algorithms: Vec::new(),
            ensembles: Vec::new(),
            bounds: Vec::new(),
            external: Vec::new(),
            stored: Vec::new(),
            ..configuration
        };
        found.unchecked.push("rows, for the run asks external programs; --programs starts them".to_owned());
    }
    let mut plan = planned(configuration)?;
    found.differences.extend(verify::pages(run, &plan)?);
    // A summary that was changed is told with the files.
    let Ok(summary) = run.summary() else { return Ok(()) };
    if asks && !arguments.programs {
        return Ok(());
    }
    let rows = verify::rows(&summary, &plan);
    let are_same = rows.is_empty();
    found.differences.extend(rows);
    if !are_same {
        found.unchecked.push("pages, for the rows are not those of the run".to_owned());
        return Ok(());
    }
    if asks {
        ask_external(&mut plan, false)?;
    }
    // What the units come to follows from the pages of the dataset, and these are others now.
    if plan.pages() == found.pages {
        tables(run, &summary, &plan, found)?;
    } else {
        found.unchecked.push("the result digest and the tables, for pages came or went".to_owned());
    }
    run_again(arguments, run, &plan, found)
}

/// The tables, made once more from what the run kept of each page.
fn tables(run: &RunFolder, summary: &Summary, plan: &Plan, found: &mut Found) -> Result<(), Failure> {
    match verify::tables(run, summary, plan) {
        // A file that was changed is told once.
        Ok(told) => {
            let known: BTreeSet<String> = found.differences.iter().map(|known| known.name.clone()).collect();
            found.differences.extend(told.into_iter().filter(|told| !known.contains(&told.name)));
        }
        Err(FolderError::Content { path, message }) => {
            let path = path.display().to_string();
            if found.differences.iter().all(|known| known.name != path) {
                found.differences.push(Difference::new(Subject::File, path, message));
            }
            found.unchecked.push("the result digest, for what the run kept of a page is missing or damaged".to_owned());
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Runs pages again that are as they were.
fn run_again(arguments: &arguments::Verify, run: &RunFolder, plan: &Plan, found: &mut Found) -> Result<(), Failure> {
    let is_page = |known: &&Difference| matches!(known.subject, Subject::Page | Subject::Gold);
    let changed = found.differences.iter().filter(is_page).map(|known| known.name.clone()).collect();
    let pages = if arguments.all { usize::MAX } else { arguments.pages };
    let sample = verify::sample(run, plan, pages, &changed)?;
    let progress = Progress::of(sample.len() as u64);
    let running = Interruptible::begin();
    let again = verify::run_again(run, plan, &sample, &|| running.is_interrupted(), &|| progress.add());
    let done = progress.done();
    progress.finish();
    found.again = again.map_err(|halt| match halt {
        Halt::Stopped => Failure::new(Exit::Interrupted, format!("interrupted: {done} pages were run again")),
        fault @ Halt::Fault(_) => fault.into(),
    })?;
    found.differences.append(&mut found.again.differences);
    Ok(())
}

/// Prints what was found, and ends as it is.
fn tell_found(arguments: &arguments::Verify, found: &Found) -> Result<(), Failure> {
    let Found { differences, again, pages, unchecked } = found;
    let run = arguments.run.display().to_string();
    match arguments.format {
        Format::Json => print_json(&json!({
            "run": run,
            "passed": differences.is_empty(),
            "differences": differences,
            "pages": pages,
            "run_again": again.pages,
            "results_compared": again.compared,
            "not_checked": unchecked,
        }))?,
        Format::Text => {
            let mut lines: Vec<String> = differences
                .iter()
                .take(MOST_PRINTED)
                .map(|told| format!("{:<13}  {}: {}", told.subject.name(), told.name, told.message))
                .collect();
            if differences.len() > MOST_PRINTED {
                lines.push(format!("and {} more; --format json has all", differences.len() - MOST_PRINTED));
            }
            lines.extend(unchecked.iter().map(|what| format!("not checked    {what}")));
            let (all, compared) = (counted(*pages, "page"), counted(again.compared, "result"));
            lines.push(format!("run again      {} of {all}: {compared} of rows compared", again.pages));
            if differences.is_empty() {
                lines.push(format!("{run} is as it was made"));
            }
            print(&format!("{}\n", lines.join("\n")))?;
        }
    }
    match differences.len() {
        0 => Ok(()),
        1 => Err(Failure::new(Exit::Check, format!("{run}: 1 thing is not as it was when the run was made"))),
        many => {
            Err(Failure::new(Exit::Check, format!("{run}: {many} things are not as they were when the run was made")))
        }
    }
}

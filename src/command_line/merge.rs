//! `carat merge`.

use std::path::Path;

use crate::command_line::arguments::{self, Format};
use crate::command_line::failure::Failure;
use crate::command_line::making::{executable_digest, folders, machine, make_report};
use crate::command_line::output::{print_line, tell};
use crate::command_line::planning::{planned_in_parts, refuse_among_pages};
use crate::command_line::run::{closing_lines, print_result, tell_notes};
use crate::formats::code::Exit;
use crate::runs::configuration::Configuration;
use crate::runs::folder::{self, Claim};
use crate::runs::plan::Plan;
use crate::runs::results::{Results, collect_into};
use crate::runs::run_folder::{Circumstances, RunInfo};
use crate::runs::shards::{Checked, MergeError, Merging, Source, checked, page_list};
use crate::runs::units::Units;
use crate::text::counted;

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Request(message) => Failure::request(message),
            MergeError::Data(message) => Failure::new(Exit::Data, message),
            MergeError::Folder(error) => error.into(),
        }
    }
}

/// Puts shards and runs together, and prints the table of the merged run.
pub(crate) fn merge(arguments: arguments::Merge) -> Result<(), Failure> {
    let out = &arguments.out;
    let sources: Vec<Source> = arguments.runs.iter().map(|run| Source::read(run)).collect::<Result<_, _>>()?;
    if let Some(run) = arguments.runs.iter().find(|run| is_same_folder(run, out)) {
        let run = run.display();
        return Err(Failure::request(format!(
            "--out {run} is one of the runs that are put together: name another folder"
        )));
    }
    Source::agree(&sources, arguments.same_version)?;
    refuse_other_programs(&sources, arguments.same_version)?;
    let path = sources[0].folder.join("run.yaml");
    let plan = planned_in_parts(Configuration::from_yaml(&path.display().to_string(), &sources[0].yaml)?)?;
    refuse_among_pages(&plan, Some(out))?;
    // The run of another configuration is told before anything is read.
    folder::look(out, &plan, &sources[0].program.1, sources[0].texts)?;
    let sources = with_units(&plan, sources)?;
    let merging = Merging { partial: arguments.partial, same_version: arguments.same_version };
    let found = checked(&plan, &sources, &merging)?;
    let (plan, results, info) = put_together(&arguments, plan, &sources, &found)?;
    tell_notes(&info);
    print_result(out, arguments.format)?;
    if arguments.format == Format::Text {
        results.curves.iter().try_for_each(|curve| print_line(&curve.in_words()))?;
    }
    closing_lines(&plan, &results.summary, &info, out).iter().for_each(|line| tell(line));
    let doubles = match found.doubles {
        0 => String::new(),
        1 => "; 1 page came twice, and is the same".to_owned(),
        doubles => format!("; {doubles} pages came twice, and are the same"),
    };
    tell(&format!("put together from {}{doubles}", counted(sources.len(), "folder")));
    Ok(())
}

/// Each source with its units.
fn with_units(plan: &Plan, sources: Vec<Source>) -> Result<Vec<(Source, Units)>, Failure> {
    let mut all: Vec<(Source, Units)> = Vec::new();
    for source in sources {
        // What outcomes depend on is found once for each program: that may take the digests of all pages.
        let units = match all.iter().find(|(known, _)| known.program == source.program) {
            Some((_, units)) => units.beside(&source.folder),
            None => Units::new(&source.folder, plan, &source.program.1, source.texts)?,
        };
        all.push((source, units));
    }
    Ok(all)
}

/// Makes the merged run. It counts as finished only when all of it is there.
fn put_together(
    arguments: &arguments::Merge,
    plan: Plan,
    sources: &[(Source, Units)],
    found: &Checked,
) -> Result<(Plan, Results, RunInfo), Failure> {
    let (out, (first, _)) = (&arguments.out, &sources[0]);
    let list = page_list(&plan)?;
    let mut plan = match &found.missing {
        None => plan,
        Some(_) => plan.part(|dataset, record| !found.lacking.contains(&(dataset.to_owned(), record.id.clone())))?,
    };
    plan.notes.splice(..0, found.missing.iter().map(ToString::to_string));
    let claim = Claim::of(out)?;
    claim.begin(&plan)?;
    let units = Units::new(out, &plan, &first.program.1, first.texts)?;
    units.remove_all()?;
    sources.iter().try_fold(0, |next, (_, units)| units.link_into(out, next))?;
    let results = collect_into(&plan, &units, (out, arguments.scores.files()))?;
    let circumstances = Circumstances {
        texts: first.texts,
        resumed: 0,
        threads: 0,
        seconds: sources.iter().map(|(source, _)| source.seconds).sum(),
        machine: machine(),
        folders: folders(&plan),
    };
    let info = claim.write(&plan, &results, &first.program.1, circumstances)?;
    let info = RunInfo { page_list: list, missing: found.missing.clone(), ..info };
    make_report(&claim, &info, arguments.report_pages, arguments.lang)?;
    claim.finish(&info)?;
    Ok((plan, results, info))
}

/// Refuses runs of other programs than this one, which adds their outcomes up.
fn refuse_other_programs(sources: &[Source], same_version: bool) -> Result<(), Failure> {
    let (version, own) = (env!("CARGO_PKG_VERSION"), executable_digest());
    for source in sources {
        let (made_by, executable) = &source.program;
        let shown = source.folder.display();
        if made_by != version {
            return Err(Failure::request(format!("{shown} was made by carat {made_by}, and this is carat {version}")));
        }
        if *executable != own && !same_version {
            return Err(Failure::request(format!(
                "{shown} was made by another build of carat {version} than this one; --same-version accepts it"
            )));
        }
    }
    Ok(())
}

/// True if both paths lead to one folder.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

//! `carat run --shard`.

use std::path::Path;

use crate::command_line::arguments;
use crate::command_line::failure::Failure;
use crate::command_line::making::{Making, make_shard};
use crate::command_line::output::{print_line, tell};
use crate::command_line::planning::{estimate, in_the_way, refuse_among_pages};
use crate::runs::plan::Plan;
use crate::runs::run_folder::holds_several_measures;
use crate::runs::shards::{By, Shard, part};
use crate::text::counted;

/// Runs the pages of a shard; leaves no tables and no report, for figures of a part mislead.
pub(crate) fn run_shard(arguments: &arguments::Run, plan: &Plan, shard: Shard, making: &Making) -> Result<(), Failure> {
    if arguments.time {
        return Err(Failure::request("times of shards cannot be put together: leave out --time or --shard"));
    }
    if !plan.configuration.further.is_empty() {
        return Err(Failure::request("a shard is of a run by one measure, and several are asked for: name one"));
    }
    let by = By::of(plan)?;
    let part = part(plan, shard, by)?;
    part.refuse_too_many_cells()?;
    let (all, own) = (counted(plan.pages(), "page"), part.pages());
    if arguments.dry_run {
        let estimated = if own == 0 { "estimate no page is to be run".to_owned() } else { estimate(&part)? };
        return print_line(&format!("{part}\nshard    {shard} by {by}: {own} of {all}\n{estimated}"));
    }
    refuse_among_pages(plan, arguments.out.as_deref())?;
    let out = arguments.out.clone().unwrap_or_else(|| default_folder(plan, shard));
    if holds_several_measures(&out) {
        return Err(in_the_way(&out, "several measures"));
    }
    made(plan, part, (shard, by), &out, making)
}

/// Runs the pages of a shard of `plan` in the folder `out`.
pub(crate) fn make_shard_in(plan: &Plan, shard: Shard, out: &Path, making: &Making) -> Result<(), Failure> {
    refuse_functions(plan)?;
    let by = By::of(plan)?;
    let part = part(plan, shard, by)?;
    part.refuse_too_many_cells()?;
    refuse_among_pages(plan, Some(out))?;
    made(plan, part, (shard, by), out, making)
}

/// Refuses functions, which are there in the program alone that has them: nobody could put their shards together.
fn refuse_functions(plan: &Plan) -> Result<(), Failure> {
    match plan.configuration.functions.first() {
        None => Ok(()),
        Some(function) => Err(Failure::request(format!(
            "the function {} is asked in a process of its own in shards: give processes=1 or more",
            function.name
        ))),
    }
}

/// Makes the shard, and tells of it.
fn made(plan: &Plan, part: Plan, (shard, by): (Shard, By), out: &Path, making: &Making) -> Result<(), Failure> {
    let (all, own) = (counted(plan.pages(), "page"), part.pages());
    if own as u64 * u64::from(shard.of) > 2 * plan.pages() as u64 && by == By::Site {
        tell(&format!(
            "note: shard {shard} has {own} of {all}, for the pages of a site stay together: it takes longer than others"
        ));
    }
    match make_shard(plan, part, (shard, by), out, making)? {
        None => tell(&format!("{} holds this shard already; --fresh makes it again", out.display())),
        Some(resumed) => {
            if resumed > 0 {
                let were = if resumed == 1 { "was" } else { "were" };
                tell(&format!("{} {were} there from an earlier start of this shard", counted(resumed, "page")));
            }
            let out = out.display();
            tell(&format!("shard {shard} by {by}, {own} of {all}: {out}; put all shards together with `carat merge`"));
        }
    }
    Ok(())
}

/// The folder of a shard that names none.
fn default_folder(plan: &Plan, Shard { number, of }: Shard) -> std::path::PathBuf {
    Path::new("reports").join(format!("{}-shard-{number}-of-{of}", plan.configuration.name))
}

//! `carat external`.

mod per_page;

use crate::formats::inert::one_line;
use crate::runs::configuration::ExternalRequest;
use crate::runs::doors::external::check::{Findings, check};

use crate::command_line::arguments::{External, ExternalCheck, ExternalCommand, Format};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print_json, print_line, tell};
use crate::formats::code::Exit;

/// Carries out a command on external programs.
pub(crate) fn external(arguments: External) -> Result<(), Failure> {
    match arguments.command {
        ExternalCommand::Check(arguments) => check_worker(arguments),
        ExternalCommand::PerPage(arguments) => per_page::per_page(&arguments),
    }
}

/// Tries a worker out.
fn check_worker(arguments: ExternalCheck) -> Result<(), Failure> {
    let ExternalCheck { timeout, start_timeout, format, worker } = arguments;
    let mut request = match &worker[..] {
        [argument] => ExternalRequest::from_argument(argument)?,
        _ => ExternalRequest::of_command(worker),
    };
    let limits = &mut request.limits;
    limits.timeout = timeout.unwrap_or(limits.timeout);
    limits.start_timeout = start_timeout.unwrap_or(limits.start_timeout);
    let found = check(&request);
    match format {
        Format::Json => print_json(&serde_json::to_value(&found).unwrap_or_default())?,
        Format::Text => print_findings(&found)?,
    }
    match found.findings.iter().filter(|finding| !finding.ok).count() {
        0 => Ok(()),
        wrong => {
            let trials = if wrong == 1 { "1 trial".to_owned() } else { format!("{wrong} trials") };
            Err(Failure::new(Exit::Check, format!("the worker does not do what it should in {trials}")))
        }
    }
}

fn print_findings(found: &Findings) -> Result<(), Failure> {
    for finding in &found.findings {
        let verdict = if finding.ok { "ok   " } else { "wrong" };
        print_line(&one_line(&format!("{verdict}  {}: {}", finding.trial, finding.message)))?;
    }
    if !found.stderr.trim().is_empty() {
        tell("the worker's stderr:");
        found.stderr.lines().for_each(|line| tell(&format!("  {line}")));
    }
    Ok(())
}

//! The command line of carat: arguments in, exit code out. Only here is anything printed.
#![expect(clippy::exit, reason = "only here is the process ended")]

mod annotate;
mod arguments;
mod compare;
mod dataset;
mod diff;
#[doc(hidden)]
pub mod embedded;
mod ending;
mod explain;
mod external;
mod extract;
mod failure;
mod faults;
mod gate;
mod history;
mod host;
mod interrupt;
mod list;
mod making;
mod merge;
mod output;
mod planning;
mod progress;
mod replaced_files;
mod report;
mod reproduce;
mod run;
mod run_folders;
mod score;
mod shard;
mod shell;
mod site;
mod threads;
mod tune;
mod verify;
mod wrapper;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use self::arguments::{Arguments, Command};
use self::failure::Failure;

/// Carries out the command that the arguments of this process name, and gives its exit code.
pub fn main() -> ExitCode {
    interrupt::handle();
    ended(|| carry_out(read(std::env::args_os())?.command))
}

/// The arguments in `words`, of which the first is the program's name.
fn read<W: Into<OsString> + Clone>(words: impl IntoIterator<Item = W>) -> Result<Arguments, clap::Error> {
    let mut matches = with_negative_numbers(Arguments::command()).try_get_matches_from(words)?;
    Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut Arguments::command()))
}

/// The same command, of which each option takes `-1` for a value: a number out of range is told as such, and not as an option
/// that is not there.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let with = |argument: clap::Arg| {
        let takes_values = argument.get_action().takes_values();
        argument.allow_negative_numbers(takes_values)
    };
    command.mut_args(with).mut_subcommands(with_negative_numbers)
}

/// The exit code of `work`, of which a failure is told.
fn ended(work: impl FnOnce() -> Result<(), Failure> + std::panic::UnwindSafe) -> ExitCode {
    // The hook of a panic that reaches the top; panics on a page are caught before.
    std::panic::set_hook(Box::new(|_| {}));
    match std::panic::catch_unwind(work) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(),
        Err(panic) => Failure::defect(panic.as_ref()).report(),
    }
}

fn carry_out(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(arguments) => run::run(arguments),
        Command::Merge(arguments) => merge::merge(arguments),
        Command::Extract(arguments) => extract::extract(arguments),
        Command::Score(arguments) => score::score(arguments),
        Command::Report(arguments) => report::report(arguments),
        Command::Compare(arguments) => compare::compare(arguments),
        Command::Diff(arguments) => diff::diff(arguments),
        Command::Explain(arguments) => explain::explain(arguments),
        Command::Gate(arguments) => gate::gate(arguments),
        Command::History(arguments) => history::history(arguments),
        Command::Verify(arguments) => verify::verify(arguments),
        Command::Site(arguments) => site::site(arguments),
        Command::Tune(arguments) => tune::tune(arguments),
        Command::Reproduce(arguments) => reproduce::reproduce(arguments),
        Command::List(arguments) => list::list(arguments),
        Command::Annotate(arguments) => annotate::annotate(&arguments),
        Command::Dataset(arguments) => dataset::dataset(arguments),
        Command::External(arguments) => external::external(arguments),
        Command::Wrapper(arguments) => wrapper::wrapper(arguments),
        Command::Completions(arguments) => shell::completions(arguments),
        Command::Man(arguments) => shell::man(arguments),
    }
}

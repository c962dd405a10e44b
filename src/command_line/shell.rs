//! `carat completions` and `carat man`: made from the same grammar as the help.

use crate::formats::files::write_atomically;
use clap::{Command, CommandFactory};

use crate::command_line::arguments::{Arguments, Completions, Man};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print_line, print_result};

/// Prints a completion script.
pub(crate) fn completions(arguments: Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "carat", &mut script);
    print_result(&String::from_utf8_lossy(&script))
}

/// Writes the manual pages.
pub(crate) fn man(arguments: Man) -> Result<(), Failure> {
    let mut pages = Vec::new();
    pages_of(Arguments::command().disable_help_subcommand(true), &mut pages);
    for command in pages {
        let name = command.get_name().to_owned();
        let mut page = Vec::new();
        let file = arguments.folder.join(format!("{name}.1"));
        // Writing to memory does not fail.
        let _ = clap_mangen::Man::new(command).render(&mut page);
        write_atomically(&file, &page)?;
        print_line(&file.display().to_string())?;
    }
    Ok(())
}

/// `command` and all below it, each under its full name.
fn pages_of(command: Command, pages: &mut Vec<Command>) {
    let name = command.get_name().to_owned();
    let below: Vec<Command> = command.get_subcommands().cloned().collect();
    pages.push(command);
    for subcommand in below {
        let name = format!("{name}-{}", subcommand.get_name());
        pages_of(subcommand.name(name).disable_help_subcommand(true), pages);
    }
}

//! `carat completions` and `carat man`: made from the same grammar as the help.

use carat::formats::files::write_atomically;
use clap::CommandFactory;

use crate::arguments::{Arguments, Completions, Man};
use crate::failure::Failure;
use crate::output::{print, print_line};

/// Prints a completion script.
pub(crate) fn completions(arguments: Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "carat", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes the manual pages.
pub(crate) fn man(arguments: Man) -> Result<(), Failure> {
    let command = Arguments::command();
    let mut pages = vec![("carat".to_owned(), command.clone())];
    for subcommand in command.get_subcommands() {
        let name = format!("carat-{}", subcommand.get_name());
        pages.push((name.clone(), subcommand.clone().name(name)));
    }
    for (name, command) in pages {
        let mut page = Vec::new();
        let file = arguments.folder.join(format!("{name}.1"));
        // Writing to memory does not fail.
        let _ = clap_mangen::Man::new(command).render(&mut page);
        write_atomically(&file, &page)?;
        print_line(&file.display().to_string())?;
    }
    Ok(())
}

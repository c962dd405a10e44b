//! The one place through which words pass to people and programs. A closed pipe is no error.

use std::io::{self, IsTerminal, Write};

use crate::formats::files::FileError;
use crate::formats::inert;

use crate::command_line::failure::Failure;
use crate::command_line::host::host;

/// Writes `text` for people to stdout: whatever of others is in it, it acts on no terminal and is no command of a log.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write(&inert::lines(text))
}

/// Writes a line for people to stdout.
pub(crate) fn print_line(text: &str) -> Result<(), Failure> {
    print(&format!("{text}\n"))
}

/// Writes text with colours of our own to stdout; what is of others in it is without steering characters already.
pub(crate) fn print_coloured(text: &str) -> Result<(), Failure> {
    write(&inert::without_commands(text))
}

/// Writes a result that is itself a text of others, or for a program, to stdout: a file or another program gets every
/// character of it, a terminal what does nothing there.
pub(crate) fn print_result(text: &str) -> Result<(), Failure> {
    if host().is_none() && io::stdout().is_terminal() { print(text) } else { write(text) }
}

/// Writes a value as JSON to stdout.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print_json_text(&format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default()))
}

/// Writes JSON to stdout: it says the same, and acts on nothing.
pub(crate) fn print_json_text(json: &str) -> Result<(), Failure> {
    write(&inert::json(json))
}

/// Writes `text` to stdout, whole. A reader that has gone away is no error.
fn write(text: &str) -> Result<(), Failure> {
    if let Some(host) = host() {
        host.print(text);
        return Ok(());
    }
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(FileError { action: "cannot write", path: "standard output".into(), source: error }.into())
        }
        _ => Ok(()),
    }
}

/// Tells the user a sentence on stderr; it stays in one line, whatever it names.
pub(crate) fn tell(sentence: &str) {
    match host() {
        Some(host) => host.tell(&inert::one_line(sentence)),
        None => tell_coloured(&inert::lines(&inert::one_line(sentence))),
    }
}

/// Tells a command of our own to the program that reads the log; what is of others in it is encoded already.
pub(crate) fn tell_command(command: &str) {
    match host() {
        Some(host) => host.tell(command),
        None => drop(writeln!(io::stderr().lock(), "{command}")),
    }
}

/// Tells lines with colours of our own; what is of others in them is without steering characters already.
pub(crate) fn tell_coloured(lines: &str) {
    tell_command(&inert::without_commands(lines));
}

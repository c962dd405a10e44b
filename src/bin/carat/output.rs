//! Writing results to stdout: a closed pipe is no error.

use std::io::{self, Write};

use carat::formats::files::FileError;

use crate::failure::Failure;

/// Writes `text` to stdout, whole. A reader that has gone away is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(FileError { action: "cannot write", path: "standard output".into(), source: error }.into())
        }
        _ => Ok(()),
    }
}

/// Writes a line to stdout.
pub(crate) fn print_line(text: &str) -> Result<(), Failure> {
    print(&format!("{text}\n"))
}

/// Writes a value as JSON to stdout.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print_line(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// Tells the user something on stderr.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// `text` without what could steer a terminal: control characters but line ends, and marks that turn the
/// direction of text.
pub(crate) fn harmless(text: &str) -> String {
    let is_harmful = |c: char| {
        let turns = matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        turns || c.is_control() && c != '\n'
    };
    text.replace(is_harmful, "\u{FFFD}")
}

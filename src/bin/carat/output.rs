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

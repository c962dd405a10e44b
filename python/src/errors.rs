//! Errors as the exceptions of the package.

use std::panic::{AssertUnwindSafe, catch_unwind};

use carat::command_line::embedded::Error;
use carat::runs::guarding::panic_message;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The exit code of a program that was interrupted.
const INTERRUPTED: u8 = 130;

/// The exception for an error.
pub(crate) fn exception(py: Python<'_>, error: Error) -> PyErr {
    let Error { code, exit, message, file, line, column } = error;
    if exit == INTERRUPTED {
        return PyKeyboardInterrupt::new_err(message);
    }
    let make = || py.import("carat._errors")?.getattr("made")?.call1((code, exit, message, file, line, column));
    make().map_or_else(|error| error, PyErr::from_value)
}

/// The exception for a request that is wrong.
pub(crate) fn wrong_request(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, of("E-REQUEST", 2, message))
}

/// The exception for data that are wrong.
pub(crate) fn wrong_data(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, of("E-DATA", 3, message))
}

fn of(code: &'static str, exit: u8, message: impl Into<String>) -> Error {
    Error { code, exit, message: message.into(), file: None, line: None, column: None }
}

/// The result of `work`, without the lock of the interpreter; a panic is a defect.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let caught = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    caught.map_err(|panic| {
        let message = format!("this is a defect of carat: {}", panic_message(&*panic));
        exception(py, of("E-DEFECT", 5, message))
    })
}

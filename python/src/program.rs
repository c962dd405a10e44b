//! The command line: as the program `carat`, and command by command for the package.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use carat::command_line::embedded;
use pyo3::prelude::*;

use crate::run::{Control, waited};

/// Says in which file this module lies: runs are known by its digest.
#[pyfunction]
pub(crate) fn set_module_file(path: PathBuf) {
    embedded::set_executable(path);
}

/// Carries out the program `carat` with these arguments, and gives its exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| {
        let code = embedded::program(&arguments);
        (0..=u8::MAX).find(|&number| code == ExitCode::from(number)).unwrap_or(u8::MAX)
    })
}

/// Carries out a command. Gives what it printed, the sentences that it told, and whether it ended as a failed check.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<String>) -> PyResult<(String, Vec<String>, Option<String>)> {
    const CHECK: u8 = 1;
    let control = Arc::new(Control::default());
    let host: Arc<dyn embedded::Host> = control.clone();
    let outcome = waited(py, &control, None, move || embedded::command(&arguments, &host))?;
    let failed = match outcome {
        Ok(()) => None,
        Err(error) if error.exit == CHECK => Some(error.message),
        Err(error) => return Err(crate::errors::exception(py, error)),
    };
    let (printed, told) = control.taken();
    Ok((printed, told, failed))
}

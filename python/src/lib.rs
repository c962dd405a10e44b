//! The module `carat._carat`: what the package `carat` of Python is made of. Plain Python above it gives it names, types and
//! help; nothing here is meant to be called by others.

mod batches;
mod callable;
mod capsules;
mod columns;
mod errors;
mod pool;
mod program;
mod run;
mod texts;

use pyo3::prelude::*;

#[pymodule]
mod _carat {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::batches::{Merge, Pages, Plan, bootstrap, build_digest, metadata_of, sums};
    #[pymodule_export]
    use super::columns::Columns;
    #[pymodule_export]
    use super::program::{command, program, set_module_file};
    #[pymodule_export]
    use super::run::{default_rows, page_of_run, run, run_info, table_of_run, terminal_of_run};
    #[pymodule_export]
    use super::texts::{Score, extract, extract_batch, score, score_batch};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Panics are caught at every entry; the hook would write to the terminal.
        std::panic::set_hook(Box::new(|_| {}));
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

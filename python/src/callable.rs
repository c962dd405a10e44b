//! Functions of Python that are asked for the texts of pages.

use std::sync::{Arc, Mutex, PoisonError};

use carat::algorithms::parameters::Values;
use carat::runs::configuration::{Answered, Asked, AskedPage, Wants};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde_json::Value as Json;

use crate::run::Control;
use crate::texts::characters;

/// Characters of a reason that are kept, as of external programs.
const LONGEST_REASON: usize = 500;

/// The exception that ended a run, one that is no failure of a page.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

/// A function with what its row says of it.
pub(crate) struct Function {
    /// Called with page, URL, language and parameters as JSON; gives a text.
    pub(crate) call: Py<PyAny>,
    pub(crate) parameters: String,
    pub(crate) wants: Wants,
    pub(crate) threads: usize,
    pub(crate) control: Arc<Control>,
    pub(crate) raised: Raised,
}

impl Function {
    /// Of a tuple of Python: the function, its parameters as a hello declares them, what it wants, and its threads.
    pub(crate) fn new(
        (call, parameters, wants, threads): (Py<PyAny>, String, String, usize),
        control: &Arc<Control>,
        raised: &Raised,
    ) -> PyResult<Self> {
        let wants = match wants.as_str() {
            "str" => Wants::Text,
            "bytes" => Wants::Bytes,
            "page" => Wants::Page,
            other => return Err(PyValueError::new_err(format!("wants is str, bytes or page, not {other}"))),
        };
        Ok(Function { call, parameters, wants, threads, control: control.clone(), raised: raised.clone() })
    }

    fn answer(&self, py: Python<'_>, page: &AskedPage<'_>, parameters: &Values) -> PyResult<Answered> {
        let given = match self.wants {
            Wants::Bytes => PyBytes::new(py, page.bytes).into_any(),
            Wants::Text | Wants::Page => PyString::new(py, page.html).into_any(),
        };
        let parameters = Json::Object(parameters.clone()).to_string();
        let answer = self.call.bind(py).call1((given, page.url, page.language, parameters))?;
        let (text, lone) = characters(answer.cast::<PyString>()?)?;
        let zeros = text.matches('\0').count();
        Ok(Answered::Text { text: text.replace('\0', "\u{FFFD}"), replaced: lone + zeros })
    }
}

impl Asked for Function {
    fn parameters(&self) -> String {
        self.parameters.clone()
    }

    fn wants(&self) -> Wants {
        self.wants
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn ask(&self, page: &AskedPage<'_>, parameters: &Values) -> Answered {
        Python::attach(|py| {
            let error = match self.answer(py, page, parameters) {
                Ok(answered) => return answered,
                Err(error) => error,
            };
            if error.is_instance_of::<PyException>(py) {
                return Answered::Failed(reason(py, &error));
            }
            // KeyboardInterrupt, SystemExit and their like are not about the page.
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.control.interrupt();
            Answered::Ended
        })
    }
}

/// An exception in one line: `ValueError: no`.
fn reason(py: Python<'_>, error: &PyErr) -> String {
    let name = error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    // Its text is made by code of others, which may fail too.
    let text = error.value(py).str().ok().and_then(|text| Some(characters(&text).ok()?.0.into_owned()));
    let told = match text.filter(|text| !text.is_empty()) {
        Some(text) => format!("{name}: {text}"),
        None => name,
    };
    told.chars().take(LONGEST_REASON).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

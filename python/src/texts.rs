//! Texts out of pages, and scores of texts.

use std::borrow::Cow;
use std::sync::Arc;

use carat::algorithms::find;
use carat::datasets::MAX_PAGE_BYTES;
use carat::page::{Context, Page, charset};
use carat::runs::configuration::AlgorithmRequest;
use carat::runs::kinds::single_setting;
use carat::scoring::{Comparison, Measure, Measured};
use carat::text::words::Segmenter;
use encoding_rs::{Encoding, UTF_8};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use rayon::prelude::*;

use crate::columns::{Column, Columns};
use crate::errors::{detached, wrong_data, wrong_request};
use crate::pool::pool;

/// The characters of a string: a surrogate without its other half becomes U+FFFD. With the number of those.
pub(crate) fn characters<'s>(text: &'s Bound<'_, PyString>) -> PyResult<(Cow<'s, str>, usize)> {
    if let Ok(text) = text.to_str() {
        return Ok((Cow::Borrowed(text), 0));
    }
    let units = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let bytes = units.cast::<PyBytes>()?.as_bytes();
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let mut replaced = 0;
    let characters = char::decode_utf16(units).map(|character| {
        character.unwrap_or_else(|_| {
            replaced += 1;
            char::REPLACEMENT_CHARACTER
        })
    });
    let characters = characters.collect();
    Ok((Cow::Owned(characters), replaced))
}

/// A page as it was given.
enum Html {
    Text(String),
    Bytes(Vec<u8>),
}

impl Html {
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            return Ok(Html::Text(characters(text)?.0.into_owned()));
        }
        if let Ok(bytes) = given.cast::<PyBytes>() {
            return Ok(Html::Bytes(bytes.as_bytes().to_vec()));
        }
        let kind = given.get_type().name()?;
        Err(PyTypeError::new_err(format!("a page is str or bytes, not {kind}")))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Html::Text(text) => text.as_bytes(),
            Html::Bytes(bytes) => bytes,
        }
    }

    /// The encoding that decodes it: a text is one already.
    fn encoding(&self, declared: Option<&'static Encoding>) -> Option<&'static Encoding> {
        match self {
            Html::Text(_) => Some(UTF_8),
            Html::Bytes(_) => declared,
        }
    }
}

/// The work on pages.
struct Extracting {
    request: AlgorithmRequest,
    setting: carat::algorithms::algorithm::Setting,
    encoding: Option<&'static Encoding>,
    language: Option<String>,
    url: Option<String>,
}

impl Extracting {
    fn new(
        py: Python<'_>,
        algorithm: &str,
        encoding: Option<&str>,
        language: Option<String>,
        url: Option<String>,
    ) -> PyResult<Self> {
        let wrong = |message: String| wrong_request(py, message);
        let request = AlgorithmRequest::from_argument(algorithm).map_err(|error| wrong(error.to_string()))?;
        let setting = single_setting(&request).map_err(|error| wrong(error.to_string()))?;
        let label = |label: &str| {
            let unknown = || wrong(format!("encoding: `{label}` is no label of the Encoding Standard"));
            charset::for_label(label).ok_or_else(unknown)
        };
        Ok(Extracting { setting, encoding: encoding.map(label).transpose()?, language, url, request })
    }

    fn text(&self, html: &Html) -> Result<String, String> {
        if html.bytes().len() as u64 > MAX_PAGE_BYTES {
            return Err(format!("the page has more than {MAX_PAGE_BYTES} bytes"));
        }
        let context = Context {
            encoding: html.encoding(self.encoding),
            language: self.language.clone(),
            url: self.url.clone(),
            ..Context::default()
        };
        let page = Arc::new(Page::new(html.bytes(), context).map_err(|error| error.to_string())?);
        let algorithm = find(&self.request.name).map_err(|error| error.to_string())?;
        Ok(algorithm.choose(std::slice::from_ref(&page), &self.setting).text(&page))
    }
}

/// The text that an algorithm, written as on the command line, finds in a page.
#[pyfunction]
pub(crate) fn extract(
    html: &Bound<'_, PyAny>,
    algorithm: &str,
    encoding: Option<&str>,
    language: Option<String>,
    url: Option<String>,
) -> PyResult<String> {
    let py = html.py();
    let extracting = Extracting::new(py, algorithm, encoding, language, url)?;
    let html = Html::of(html)?;
    // Some algorithms use the threads of a pool.
    let pool = pool(None).map_err(|message| wrong_request(py, message))?;
    detached(py, || pool.install(|| extracting.text(&html)))?.map_err(|message| wrong_data(py, message))
}

/// The same of each page of a list: its text and `None`, or `None` and why there is none.
#[pyfunction]
pub(crate) fn extract_batch(
    pages: &Bound<'_, PyList>,
    algorithm: &str,
    threads: Option<usize>,
    language: Option<String>,
) -> PyResult<Vec<(Option<String>, Option<String>)>> {
    let py = pages.py();
    let extracting = Extracting::new(py, algorithm, None, language, None)?;
    let pages: Vec<Html> = pages.iter().map(|page| Html::of(&page)).collect::<PyResult<_>>()?;
    let pool = pool(threads).map_err(|message| wrong_request(py, message))?;
    let text = |page: &Html| match extracting.text(page) {
        Ok(text) => (Some(text), None),
        Err(reason) => (None, Some(reason)),
    };
    detached(py, || pool.install(|| pages.par_iter().map(text).collect()))
}

/// Precision, recall and F1, with the counts that they are made of.
#[pyclass(frozen, eq, hash, module = "carat", get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Score {
    /// Units of the extraction that the gold has too.
    matched: u64,
    /// Units of the extraction.
    extracted: u64,
    /// Units of the gold.
    gold: u64,
    /// Precision, recall and F1 as whole multiples of 1e-12.
    units: (u64, u64, u64),
}

/// The counts of a score, and its units: precision, recall and F1.
type Pickled = (u64, u64, u64, (u64, u64, u64));

#[pymethods]
impl Score {
    #[new]
    fn new(matched: u64, extracted: u64, gold: u64, units: (u64, u64, u64)) -> Self {
        Score { matched, extracted, gold, units }
    }

    /// The part of the extraction that is right, from 0 to 1.
    #[getter]
    fn precision(&self) -> f64 {
        self.units.0 as f64 / 1e12
    }

    /// The part of the gold that was found, from 0 to 1.
    #[getter]
    fn recall(&self) -> f64 {
        self.units.1 as f64 / 1e12
    }

    /// The harmonic mean of both, from 0 to 1.
    #[getter]
    fn f1(&self) -> f64 {
        self.units.2 as f64 / 1e12
    }

    fn __repr__(&self) -> String {
        let Score { matched, extracted, gold, .. } = self;
        let [precision, recall, f1] = [self.precision(), self.recall(), self.f1()];
        format!(
            "Score(precision={precision:?}, recall={recall:?}, f1={f1:?}, matched={matched}, extracted={extracted}, gold={gold})"
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, Pickled) {
        let Score { matched, extracted, gold, units } = slf.get();
        (slf.get_type().into_any(), (*matched, *extracted, *gold, *units))
    }
}

impl From<Measured> for Score {
    fn from(measured: Measured) -> Self {
        let [precision, recall, f1] = measured.score().values();
        let counts = measured.counts;
        Score {
            matched: counts.matched,
            extracted: counts.extracted,
            gold: counts.gold,
            units: (precision, recall, f1),
        }
    }
}

/// The rule of comparison that these words mean.
fn of_words(py: Python<'_>, measure: &str, tokens: &str, case: &str) -> PyResult<Comparison> {
    let read = || -> Result<Comparison, String> {
        let default = Comparison { tokens: tokens.parse()?, case: case.parse()?, measure: Measure::default() };
        let rule = Comparison::read(measure, default)?;
        match rule.measure {
            Measure::Nodes | Measure::Snippets => Err(format!("measure {} does not compare two texts", rule.measure)),
            Measure::Structure(part) => Err(format!("measure {part} compares documents of a kind, not two texts")),
            _ => Ok(rule),
        }
    };
    read().map_err(|message| wrong_request(py, message))
}

/// The score of an extraction.
#[pyfunction]
pub(crate) fn score(
    extraction: &Bound<'_, PyString>,
    gold: &Bound<'_, PyString>,
    measure: &str,
    tokens: &str,
    case: &str,
) -> PyResult<Score> {
    let py = extraction.py();
    let rule = of_words(py, measure, tokens, case)?;
    let (extraction, gold) = (characters(extraction)?.0, characters(gold)?.0);
    let (extraction, gold) = (&*extraction, &*gold);
    Ok(detached(py, || rule.measured(extraction, gold, &Segmenter::default()))?.into())
}

/// The scores of extractions, one row each.
#[pyfunction]
pub(crate) fn score_batch(
    extractions: &Bound<'_, PyList>,
    golds: &Bound<'_, PyList>,
    rule: (String, String, String),
    threads: Option<usize>,
) -> PyResult<Columns> {
    let py = extractions.py();
    let rule = of_words(py, &rule.0, &rule.1, &rule.2)?;
    if extractions.len() != golds.len() {
        let message =
            format!("{} extractions and {} golds: each extraction needs one gold", extractions.len(), golds.len());
        return Err(wrong_request(py, message));
    }
    let texts = |list: &Bound<'_, PyList>| -> PyResult<Vec<String>> {
        list.iter().map(|text| Ok(characters(text.cast::<PyString>()?)?.0.into_owned())).collect()
    };
    let (extractions, golds) = (texts(extractions)?, texts(golds)?);
    let pool = pool(threads).map_err(|message| wrong_request(py, message))?;
    let pairs = extractions.par_iter().zip(&golds);
    // One segmenter remembers the words of all texts that its thread meets.
    let measure =
        || pairs.map_init(Segmenter::default, |segmenter, (text, gold)| rule.measured(text, gold, segmenter)).collect();
    let measured: Vec<Measured> = detached(py, || pool.install(measure))?;
    let count = |count: fn(&Measured) -> u64| measured.iter().map(|one| Some(count(one).cast_signed())).collect();
    let figure = |place: usize| measured.iter().map(|one| Some(one.score().fractions()[place])).collect();
    Ok(Columns::new(vec![
        Column::ints("matched", count(|one| one.counts.matched)),
        Column::ints("extracted", count(|one| one.counts.extracted)),
        Column::ints("gold", count(|one| one.counts.gold)),
        Column::floats("precision", figure(0)),
        Column::floats("recall", figure(1)),
        Column::floats("f1", figure(2)),
    ]))
}

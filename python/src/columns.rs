//! Tables of named columns of equal length.

use std::sync::Arc;

use carat::formats::cells::text_of;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyCapsule, PyDict, PyList, PyString};

use crate::capsules::stream;
use crate::texts::characters;

/// A table, which other libraries read through the Arrow interface of capsules.
#[pyclass(frozen, module = "carat._carat")]
pub(crate) struct Columns(Arc<Frame>);

/// The columns of a table, and its metadata.
#[derive(Default)]
pub(crate) struct Frame {
    pub(crate) columns: Vec<Column>,
    /// Names and texts.
    pub(crate) metadata: Vec<(String, String)>,
}

impl Frame {
    /// The number of rows.
    pub(crate) fn length(&self) -> usize {
        self.columns.first().map_or(0, |column| column.length)
    }
}

/// A column: values of one kind, or none.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) data: Data,
    /// A bit for each value, the lowest of a byte first: whether it is known.
    pub(crate) known: Vec<u8>,
    pub(crate) unknown: usize,
    pub(crate) length: usize,
}

/// The values of a column as Arrow lays them out; what is unknown is zero or empty.
pub(crate) enum Data {
    /// The end of each text in the bytes, behind a 0.
    Texts {
        ends: Vec<i64>,
        bytes: Vec<u8>,
    },
    /// As texts.
    Bytes {
        ends: Vec<i64>,
        bytes: Vec<u8>,
    },
    Ints(Vec<i64>),
    SmallInts(Vec<i32>),
    /// Whole numbers of up to 38 digits.
    Sums(Vec<i128>),
    Floats(Vec<f64>),
    /// A bit for each value.
    Flags(Vec<u8>),
    /// Lists of rows of a table: the end of each list in the table, behind a 0.
    Lists {
        ends: Vec<i32>,
        items: Vec<Column>,
    },
}

impl Data {
    /// The format of Arrow's interface.
    pub(crate) fn format(&self) -> &'static std::ffi::CStr {
        match self {
            Data::Texts { .. } => c"U",
            Data::Bytes { .. } => c"Z",
            Data::Ints(_) => c"l",
            Data::SmallInts(_) => c"i",
            Data::Sums(_) => c"d:38,0",
            Data::Lists { .. } => c"+l",
            Data::Floats(_) => c"g",
            Data::Flags(_) => c"b",
        }
    }
}

/// Bits, the lowest of a byte first.
fn bits(flags: impl ExactSizeIterator<Item = bool>) -> Vec<u8> {
    let mut bytes = vec![0; flags.len().div_ceil(8)];
    flags.enumerate().filter(|(_, flag)| *flag).for_each(|(place, _)| bytes[place / 8] |= 1 << (place % 8));
    bytes
}

fn bit(bytes: &[u8], place: usize) -> bool {
    bytes[place / 8] >> (place % 8) & 1 == 1
}

/// The end of each value in the bytes of all, behind a 0.
fn laid_out<'v>(values: impl Iterator<Item = Option<&'v [u8]>>) -> (Vec<i64>, Vec<u8>) {
    let (mut ends, mut bytes) = (vec![0], Vec::new());
    for value in values {
        bytes.extend(value.unwrap_or_default());
        ends.push(bytes.len().cast_signed() as i64);
    }
    (ends, bytes)
}

/// The bytes of a row's value.
fn between<'b>(ends: &[i64], row: usize, bytes: &'b [u8]) -> &'b [u8] {
    let [from, to] = [ends[row], ends[row + 1]].map(|end| end.cast_unsigned() as usize);
    &bytes[from..to]
}

impl Column {
    fn new<T>(name: &str, values: &[Option<T>], data: Data) -> Self {
        Column {
            name: name.to_owned(),
            data,
            known: bits(values.iter().map(Option::is_some)),
            unknown: values.iter().filter(|value| value.is_none()).count(),
            length: values.len(),
        }
    }

    pub(crate) fn ints(name: &str, values: Vec<Option<i64>>) -> Self {
        Column::new(name, &values, Data::Ints(values.iter().map(|value| value.unwrap_or_default()).collect()))
    }

    pub(crate) fn floats(name: &str, values: Vec<Option<f64>>) -> Self {
        Column::new(name, &values, Data::Floats(values.iter().map(|value| value.unwrap_or_default()).collect()))
    }

    fn flags(name: &str, values: &[Option<bool>]) -> Self {
        Column::new(name, values, Data::Flags(bits(values.iter().map(|value| value.unwrap_or_default()))))
    }

    pub(crate) fn small_ints(name: &str, values: Vec<i32>) -> Self {
        let known: Vec<Option<i32>> = values.iter().copied().map(Some).collect();
        Column::new(name, &known, Data::SmallInts(values))
    }

    pub(crate) fn sums(name: &str, values: Vec<i128>) -> Self {
        let known: Vec<Option<i128>> = values.iter().copied().map(Some).collect();
        Column::new(name, &known, Data::Sums(values))
    }

    pub(crate) fn texts<T: AsRef<str>>(name: &str, values: &[Option<T>]) -> Self {
        let (ends, bytes) = laid_out(values.iter().map(|value| value.as_ref().map(|text| text.as_ref().as_bytes())));
        Column::new(name, values, Data::Texts { ends, bytes })
    }

    pub(crate) fn bytes<T: AsRef<[u8]>>(name: &str, values: &[Option<T>]) -> Self {
        let (ends, bytes) = laid_out(values.iter().map(|value| value.as_ref().map(AsRef::as_ref)));
        Column::new(name, values, Data::Bytes { ends, bytes })
    }

    /// Lists of rows of the table `items`, of these lengths.
    pub(crate) fn lists(name: &str, lengths: &[usize], items: Vec<Column>) -> Self {
        let mut end = 0;
        let next = |length: &usize| {
            end += i32::try_from(*length).unwrap_or(i32::MAX);
            end
        };
        let ends = std::iter::once(0).chain(lengths.iter().map(next).collect::<Vec<_>>()).collect();
        let known: Vec<Option<()>> = vec![Some(()); lengths.len()];
        Column::new(name, &known, Data::Lists { ends, items })
    }

    /// A column of values as texts, of a kind: `str`, `int`, `float`, `bool`. An empty one is unknown unless it is `str`.
    fn parsed(name: &str, kind: &str, values: &[String]) -> PyResult<Self> {
        fn each<T: std::str::FromStr>(name: &str, values: &[String]) -> PyResult<Vec<Option<T>>> {
            let value = |text: &String| match text.as_str() {
                "" | "-" => Ok(None),
                text => text.parse().map(Some).map_err(|_| PyValueError::new_err(format!("{name}: `{text}`"))),
            };
            values.iter().map(value).collect()
        }
        Ok(match kind {
            "int" => Column::ints(name, each(name, values)?),
            "float" => Column::floats(name, each(name, values)?),
            "bool" => Column::flags(name, &each::<bool>(name, values)?),
            _ => Column::texts(name, &values.iter().map(Some).collect::<Vec<_>>()),
        })
    }

    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if !bit(&self.known, row) {
            return Ok(py.None().into_bound(py));
        }
        Ok(match &self.data {
            Data::Ints(values) => values[row].into_pyobject(py)?.into_any(),
            Data::Floats(values) => values[row].into_pyobject(py)?.into_any(),
            Data::SmallInts(values) => values[row].into_pyobject(py)?.into_any(),
            Data::Sums(values) => values[row].into_pyobject(py)?.into_any(),
            Data::Flags(values) => PyBool::new(py, bit(values, row)).to_owned().into_any(),
            Data::Texts { ends, bytes } => {
                let text = std::str::from_utf8(between(ends, row, bytes)).unwrap_or_default();
                PyString::new(py, text).into_any()
            }
            Data::Bytes { ends, bytes } => PyBytes::new(py, between(ends, row, bytes)).into_any(),
            Data::Lists { ends, items } => {
                let [from, to] = [ends[row], ends[row + 1]].map(|end| end.cast_unsigned() as usize);
                let item = |row: usize| -> PyResult<Bound<'py, PyDict>> {
                    let item = PyDict::new(py);
                    items.iter().try_for_each(|column| item.set_item(&column.name, column.value(py, row)?))?;
                    Ok(item)
                };
                PyList::new(py, (from..to).map(item).collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
        })
    }
}

impl Columns {
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        Columns(Arc::new(Frame { columns, metadata: Vec::new() }))
    }

    /// The same with metadata.
    pub(crate) fn with_metadata(columns: Vec<Column>, metadata: Vec<(String, String)>) -> Self {
        Columns(Arc::new(Frame { columns, metadata }))
    }

    /// The table of a CSV file of carat's. The kinds of columns that are no texts are named.
    pub(crate) fn of_csv(bytes: &[u8], kinds: &[(String, String)]) -> PyResult<Self> {
        let wrong = |error: csv::Error| PyValueError::new_err(error.to_string());
        let mut reader = csv::Reader::from_reader(bytes);
        let names: Vec<String> = reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
        let mut columns = vec![Vec::new(); names.len()];
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            record.iter().zip(&mut columns).for_each(|(cell, column)| column.push(text_of(cell).to_owned()));
        }
        let kind = |name: &String| kinds.iter().find(|(known, _)| known == name).map_or("str", |(_, kind)| kind);
        let column = |(name, values): (&String, &Vec<String>)| Column::parsed(name, kind(name), values);
        Ok(Columns::new(names.iter().zip(&columns).map(column).collect::<PyResult<_>>()?))
    }
}

#[pymethods]
impl Columns {
    /// A table of columns: name, kind (`str`, `int`, `float`, `bool`) and values, of which each may be `None`.
    #[new]
    fn of(columns: Vec<(String, String, Bound<'_, PyList>)>) -> PyResult<Self> {
        let length = columns.first().map_or(0, |(_, _, values)| values.len());
        if columns.iter().any(|(_, _, values)| values.len() != length) {
            return Err(PyValueError::new_err("columns of a table have equal lengths"));
        }
        let column = |(name, kind, values): &(String, String, Bound<'_, PyList>)| -> PyResult<Column> {
            Ok(match kind.as_str() {
                "int" => Column::ints(name, values.extract()?),
                "float" => Column::floats(name, values.extract()?),
                "bool" => Column::flags(name, &values.extract::<Vec<Option<bool>>>()?),
                "str" => {
                    let text = |value: Bound<'_, PyAny>| -> PyResult<Option<String>> {
                        if value.is_none() {
                            return Ok(None);
                        }
                        Ok(Some(characters(value.cast::<PyString>()?)?.0.into_owned()))
                    };
                    Column::texts(name, &values.iter().map(text).collect::<PyResult<Vec<_>>>()?)
                }
                other => return Err(PyTypeError::new_err(format!("no kind of column: {other}"))),
            })
        };
        Ok(Columns::new(columns.iter().map(column).collect::<PyResult<_>>()?))
    }

    /// The table of a CSV file of carat's, as [`Columns::of_csv`].
    #[staticmethod]
    fn from_csv(content: &[u8], kinds: Vec<(String, String)>) -> PyResult<Self> {
        Columns::of_csv(content, &kinds)
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.columns.iter().map(|column| column.name.clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.length()
    }

    /// The metadata of the table.
    #[getter]
    fn metadata(&self) -> Vec<(String, String)> {
        self.0.metadata.clone()
    }

    /// The values of a column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.0.columns.iter().find(|column| column.name == name);
        let column = column.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let values: Vec<_> = (0..column.length).map(|row| column.value(py, row)).collect::<PyResult<_>>()?;
        PyList::new(py, values)
    }

    /// The table as a stream of one batch, in a capsule.
    fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        stream(py, self.0.clone())
    }
}

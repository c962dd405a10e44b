//! Tables of other libraries, read batch by batch: columns of text or bytes, by their names.

use std::ffi::{CStr, c_int};
use std::mem::zeroed;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi::PyCapsule_GetPointer;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::{Array, Released, STREAM, Schema, Stream};

/// A structure of another library, released when it is dropped.
struct Owned<N: Released>(Box<N>);

impl<N: Released> Drop for Owned<N> {
    fn drop(&mut self) {
        if let Some(release) = *self.0.release_of() {
            // SAFETY: the structure is not released yet, and its release function is for it.
            unsafe { release(&raw mut *self.0) }
        }
    }
}

/// A table of another library.
pub(crate) struct Reader {
    stream: Owned<Stream>,
    columns: Vec<(String, Layout)>,
    metadata: Vec<(String, String)>,
}

// SAFETY: the interface lets a stream be read from any thread, by one at a time; `&mut self` sees to that.
unsafe impl Send for Reader {}

/// The layout of the values of a column in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Ends of 4 bytes, and the bytes.
    Small(Holds),
    /// Ends of 8 bytes, and the bytes.
    Large(Holds),
    /// Views of 16 bytes, and buffers of longer values.
    View(Holds),
    /// No value is known.
    Null,
    /// Values that are no texts and no bytes.
    Other(&'static str),
}

/// The values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Texts,
    Bytes,
}

/// A batch of a table.
pub(crate) struct Batch<'r> {
    array: Owned<Array>,
    columns: &'r [(String, Layout)],
}

/// A column of texts or bytes in a batch.
pub(crate) struct TextColumn<'b> {
    array: &'b Array,
    layout: Layout,
    /// The place of the batch's first row in the column.
    first: usize,
}

impl Reader {
    /// The table in a capsule.
    ///
    /// # Errors
    /// An exception: the capsule is no stream, was read before, or the stream fails.
    pub(crate) fn new(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        // SAFETY: a capsule of this name holds a stream, which is moved out of it: the capsule then has a released one.
        let stream = unsafe {
            let pointer = PyCapsule_GetPointer(capsule.as_ptr(), STREAM.as_ptr()).cast::<Stream>();
            if pointer.is_null() {
                return Err(PyErr::fetch(capsule.py()));
            }
            let moved = pointer.read();
            (*pointer).release = None;
            moved
        };
        if stream.release.is_none() {
            return Err(PyValueError::new_err("the table was read before: a stream is read once"));
        }
        let mut stream = Owned(Box::new(stream));
        // SAFETY: a schema of zeros is a released one.
        let mut schema: Owned<Schema> = Owned(Box::new(unsafe { zeroed() }));
        let get = stream.0.get_schema;
        // SAFETY: the stream is not released, and there is memory for a schema.
        let code = get.map_or(1, |get| unsafe { get(&raw mut *stream.0, &raw mut *schema.0) });
        if code != 0 {
            return Err(failed(&mut stream.0, code));
        }
        // SAFETY: a stream's schema is whole, with texts that end and as many children as it says.
        let (columns, metadata) = unsafe {
            if text(schema.0.format) != "+s" {
                return Err(PyTypeError::new_err("the stream holds values, and a table of named columns is expected"));
            }
            let children = 0..usize::try_from(schema.0.n_children).unwrap_or_default();
            let columns = children.map(|place| named(&**schema.0.children.add(place))).collect();
            (columns, metadata(schema.0.metadata))
        };
        Ok(Reader { stream, columns, metadata })
    }

    /// The metadata of the table: names and texts.
    pub(crate) fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }

    /// True if there is a column of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|(own, _)| own == name)
    }

    /// The next batch; `None` at the end.
    ///
    /// # Errors
    /// An exception: the stream fails.
    pub(crate) fn next(&mut self) -> PyResult<Option<Batch<'_>>> {
        // SAFETY: an array of zeros is a released one.
        let mut array: Owned<Array> = Owned(Box::new(unsafe { zeroed() }));
        let get = self.stream.0.get_next;
        // SAFETY: the stream is not released, and there is memory for an array.
        let code = get.map_or(1, |get| unsafe { get(&raw mut *self.stream.0, &raw mut *array.0) });
        if code != 0 {
            return Err(failed(&mut self.stream.0, code));
        }
        Ok(array.0.release.is_some().then_some(Batch { array, columns: &self.columns }))
    }
}

/// The exception for a stream that failed.
fn failed(stream: &mut Stream, code: c_int) -> PyErr {
    // SAFETY: the stream is not released; its message, if there is one, ends and is there until the stream is used again.
    let told = unsafe { stream.get_last_error.map(|told| text(told(&raw mut *stream))) };
    let told = told.filter(|told| !told.is_empty()).unwrap_or_else(|| format!("error {code}"));
    PyValueError::new_err(format!("the table cannot be read: {told}"))
}

/// A text of C; empty where there is none.
///
/// # Safety
/// The pointer is null, or of a text that ends.
unsafe fn text(pointer: *const std::ffi::c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// The names and texts of metadata; none where there are none.
///
/// # Safety
/// The pointer is null, or of metadata that are as long as they say.
unsafe fn metadata(pointer: *const std::ffi::c_char) -> Vec<(String, String)> {
    if pointer.is_null() {
        return Vec::new();
    }
    let mut at = pointer.cast::<u8>();
    let mut texts = Vec::new();
    // SAFETY: as the caller says; numbers need not be aligned.
    unsafe {
        let number = |at: *const u8| usize::try_from(at.cast::<i32>().read_unaligned()).unwrap_or_default();
        let pairs = number(at);
        for _ in 0..2 * pairs {
            let length = number(at.add(4));
            let bytes = std::slice::from_raw_parts(at.add(8), length);
            texts.push(String::from_utf8_lossy(bytes).into_owned());
            // The number of the next text stands behind this one.
            at = at.add(4 + length);
        }
    }
    texts.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

/// Name and layout of a column.
///
/// # Safety
/// The schema is not released.
unsafe fn named(schema: &Schema) -> (String, Layout) {
    // SAFETY: as the caller says.
    let (name, format) = unsafe { (text(schema.name), text(schema.format)) };
    let layout = match format.as_str() {
        _ if !schema.dictionary.is_null() => Layout::Other("a dictionary"),
        "u" => Layout::Small(Holds::Texts),
        "z" => Layout::Small(Holds::Bytes),
        "U" => Layout::Large(Holds::Texts),
        "Z" => Layout::Large(Holds::Bytes),
        "vu" => Layout::View(Holds::Texts),
        "vz" => Layout::View(Holds::Bytes),
        "n" => Layout::Null,
        "b" => Layout::Other("bool"),
        "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L" => Layout::Other("whole numbers"),
        "e" | "f" | "g" => Layout::Other("decimals"),
        nested if nested.starts_with('+') => Layout::Other("nested"),
        _ => Layout::Other("of another type"),
    };
    (name, layout)
}

impl Batch<'_> {
    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        usize::try_from(self.array.0.length).unwrap_or_default()
    }

    /// The column of that name; `None` where there is none.
    ///
    /// # Errors
    /// A sentence: it holds no texts, or its batch is not whole.
    pub(crate) fn column(&self, name: &str) -> Result<Option<TextColumn<'_>>, String> {
        let Some(place) = self.columns.iter().position(|(own, _)| own == name) else { return Ok(None) };
        let layout = self.columns[place].1;
        if let Layout::Other(kind) = layout {
            return Err(format!(
                "the column `{name}` is {kind}, and text (utf8) or bytes (binary) are expected: cast it"
            ));
        }
        let batch = &self.array.0;
        if i64::try_from(place).is_ok_and(|place| place >= batch.n_children) {
            return Err(format!("a batch lacks the column `{name}` of its table"));
        }
        // SAFETY: a batch has as many children as it says, each of which is whole.
        let array = unsafe { &**batch.children.add(place) };
        let [first, offset, length, rows] = [batch.offset, array.offset, array.length, batch.length]
            .map(|number| usize::try_from(number).unwrap_or_default());
        let buffers = if matches!(layout, Layout::View(_)) { 2 } else { 3 };
        if layout != Layout::Null && array.n_buffers < buffers || length < first + rows {
            return Err(format!("a batch lacks a part of the column `{name}`"));
        }
        Ok(Some(TextColumn { array, layout, first: first + offset }))
    }
}

impl TextColumn<'_> {
    /// True if its values are texts, false if they are bytes.
    pub(crate) fn holds_texts(&self) -> bool {
        matches!(self.layout, Layout::Small(Holds::Texts) | Layout::Large(Holds::Texts) | Layout::View(Holds::Texts))
    }

    /// The bytes of a row's value; `None` where it is not known.
    pub(crate) fn bytes(&self, row: usize) -> Option<&[u8]> {
        let at = self.first + row;
        // SAFETY: the row is one of the batch, and buffers are as long as the layout of that many rows needs.
        unsafe {
            let known = if self.layout == Layout::Null { return None } else { self.buffer::<u8>(0) };
            if !known.is_null() && known.add(at / 8).read() >> (at % 8) & 1 == 0 {
                return None;
            }
            match self.layout {
                Layout::Small(_) => {
                    let ends = self.buffer::<i32>(1).add(at);
                    Some(self.slice(i64::from(ends.read_unaligned()), i64::from(ends.add(1).read_unaligned())))
                }
                Layout::Large(_) => {
                    let ends = self.buffer::<i64>(1).add(at);
                    Some(self.slice(ends.read_unaligned(), ends.add(1).read_unaligned()))
                }
                _ => Some(self.view(at)),
            }
        }
    }

    /// The text of a row's value.
    ///
    /// # Errors
    /// A sentence: it is no UTF-8.
    pub(crate) fn text(&self, row: usize) -> Option<Result<&str, String>> {
        let bytes = self.bytes(row)?;
        Some(std::str::from_utf8(bytes).map_err(|_| "is not valid UTF-8".to_owned()))
    }

    /// # Safety
    /// There are more buffers than `number`.
    unsafe fn buffer<T>(&self, number: usize) -> *const T {
        // SAFETY: as the caller says.
        unsafe { self.array.buffers.add(number).read().cast() }
    }

    /// # Safety
    /// The bytes from one end to the other are in the third buffer.
    unsafe fn slice(&self, from: i64, to: i64) -> &[u8] {
        let length = usize::try_from(to - from).unwrap_or_default();
        let from = usize::try_from(from).unwrap_or_default();
        if length == 0 {
            return &[];
        }
        // SAFETY: as the caller says.
        unsafe { std::slice::from_raw_parts(self.buffer::<u8>(2).add(from), length) }
    }

    /// The value behind a view: up to 12 bytes stand in the view itself, more in one of the buffers.
    ///
    /// # Safety
    /// The view is in the second buffer.
    unsafe fn view(&self, at: usize) -> &[u8] {
        const INLINE: i32 = 12;
        // SAFETY: as the caller says; what a view names is there.
        unsafe {
            let view = self.buffer::<u8>(1).add(16 * at);
            let number = |place: usize| view.add(4 * place).cast::<i32>().read_unaligned();
            let length = number(0);
            let bytes = usize::try_from(length).unwrap_or_default();
            if bytes == 0 {
                return &[];
            }
            if length <= INLINE {
                return std::slice::from_raw_parts(view.add(4), bytes);
            }
            let (buffer, offset) = (number(2), number(3));
            let data = self.buffer::<u8>(2 + usize::try_from(buffer).unwrap_or_default());
            std::slice::from_raw_parts(data.add(usize::try_from(offset).unwrap_or_default()), bytes)
        }
    }
}

//! Tables for other libraries. Buffers are not copied; each structure keeps the table alive.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::ffi::{PyCapsule_GetPointer, PyCapsule_New, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::{Array, Released, STREAM, Schema, Stream};
use crate::columns::{Column, Data, Frame};

/// That a column may lack values.
const NULLABLE: i64 = 2;

/// The data behind a schema or an array: its children, and what has to live as long as it does.
struct Parts<N, K> {
    children: Vec<*mut N>,
    kept: K,
}

/// The data that a schema needs: its name, and the bytes of its metadata.
type OfSchema = (CString, Option<Vec<u8>>);

/// The data that an array needs: the pointers to its buffers, and the table that they are of.
type OfArray = (Vec<*const c_void>, Arc<Frame>);

/// A structure that this module makes.
trait Given: Released {
    type Kept;

    fn private_data(&self) -> *mut c_void;
}

impl Given for Schema {
    type Kept = OfSchema;

    fn private_data(&self) -> *mut c_void {
        self.private_data
    }
}

impl Given for Array {
    type Kept = OfArray;

    fn private_data(&self) -> *mut c_void {
        self.private_data
    }
}

/// The data behind a stream.
struct StreamParts {
    table: Arc<Frame>,
    is_given: bool,
}

/// The table as a stream of one batch, in a capsule.
pub(crate) fn stream(py: Python<'_>, table: Arc<Frame>) -> PyResult<Bound<'_, PyCapsule>> {
    let stream = Box::into_raw(Box::new(Stream {
        get_schema: Some(give_schema),
        get_next: Some(give_batch),
        get_last_error: Some(no_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(StreamParts { table, is_given: false })).cast(),
    }));
    // SAFETY: the pointer is of a box that the capsule owns from here on, and the name lives as long as the program.
    unsafe {
        let capsule = PyCapsule_New(stream.cast(), STREAM.as_ptr(), Some(drop_stream));
        if capsule.is_null() {
            release_stream(stream);
            drop(Box::from_raw(stream));
        }
        Ok(Bound::from_owned_ptr_or_err(py, capsule)?.cast_into_unchecked())
    }
}

/// Ends a capsule: its stream is released unless a reader did so.
unsafe extern "C" fn drop_stream(capsule: *mut PyObject) {
    // SAFETY: Python calls this once, with a capsule that `stream` made.
    unsafe {
        let stream = PyCapsule_GetPointer(capsule, STREAM.as_ptr()).cast::<Stream>();
        if stream.is_null() {
            return;
        }
        if let Some(release) = (*stream).release {
            release(stream);
        }
        drop(Box::from_raw(stream));
    }
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: a reader releases a stream once, and nothing but `stream` makes its private data.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<StreamParts>()));
        (*stream).release = None;
    }
}

unsafe extern "C" fn no_error(_: *mut Stream) -> *const c_char {
    null()
}

unsafe extern "C" fn give_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the stream is not released, and `out` is memory for a schema.
    unsafe {
        let parts = &*(*stream).private_data.cast::<StreamParts>();
        let Frame { columns, metadata } = &*parts.table;
        let metadata = (!metadata.is_empty()).then(|| encoded(metadata));
        out.write(schema(c"+s", "", 0, columns.iter().map(column_schema).collect(), metadata));
    }
    0
}

unsafe extern "C" fn give_batch(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: the stream is not released, nobody else reads from it now, and `out` is memory for an array.
    unsafe {
        let parts = &mut *(*stream).private_data.cast::<StreamParts>();
        if std::mem::replace(&mut parts.is_given, true) {
            // The end of a stream is an array that is released.
            out.write(std::mem::zeroed());
            return 0;
        }
        out.write(struct_array(parts.table.length(), &parts.table.columns, &parts.table));
    }
    0
}

/// Metadata as the interface has them: numbers and texts of a given length, in the order of bytes of the machine.
fn encoded(metadata: &[(String, String)]) -> Vec<u8> {
    let number = |length: usize| i32::try_from(length).unwrap_or(i32::MAX).to_ne_bytes();
    let mut bytes = number(metadata.len()).to_vec();
    for text in metadata.iter().flat_map(|(key, value)| [key, value]) {
        bytes.extend(number(text.len()));
        bytes.extend(text.as_bytes());
    }
    bytes
}

fn boxed<N>(node: N) -> *mut N {
    Box::into_raw(Box::new(node))
}

fn column_schema(column: &Column) -> *mut Schema {
    let children = match &column.data {
        Data::Lists { items, .. } => {
            let fields = items.iter().map(column_schema).collect();
            vec![boxed(schema(c"+s", "item", NULLABLE, fields, None))]
        }
        _ => Vec::new(),
    };
    boxed(schema(column.data.format(), &column.name, NULLABLE, children, None))
}

fn schema(
    format: &'static CStr,
    name: &str,
    flags: i64,
    children: Vec<*mut Schema>,
    metadata: Option<Vec<u8>>,
) -> Schema {
    let name = CString::new(name.replace('\0', "\u{FFFD}")).unwrap_or_default();
    let mut parts = Box::new(Parts { children, kept: (name, metadata) });
    Schema {
        format: format.as_ptr(),
        name: parts.kept.0.as_ptr(),
        metadata: parts.kept.1.as_ref().map_or(null(), |bytes| bytes.as_ptr().cast()),
        flags,
        n_children: parts.children.len().cast_signed() as i64,
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release::<Schema>),
        private_data: Box::into_raw(parts).cast(),
    }
}

/// Releases what `schema` or `array` made, with its children.
unsafe extern "C" fn release<N: Given>(node: *mut N) {
    // SAFETY: a reader releases a node once, and its private data are those of its kind. Children that a reader has moved
    // away are released there, and marked so here.
    unsafe {
        let parts = Box::from_raw((*node).private_data().cast::<Parts<N, N::Kept>>());
        for &child in &parts.children {
            if let Some(release) = *(*child).release_of() {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        *(*node).release_of() = None;
    }
}

fn struct_array(length: usize, columns: &[Column], table: &Arc<Frame>) -> Array {
    let columns = columns.iter().map(|column| boxed(column_array(column, table)));
    array(length, 0, vec![null()], columns.collect(), table)
}

fn column_array(column: &Column, table: &Arc<Frame>) -> Array {
    let known = if column.unknown == 0 { null() } else { column.known.as_ptr().cast() };
    let mut children = Vec::new();
    let buffers = match &column.data {
        Data::Texts { ends, bytes } | Data::Bytes { ends, bytes } => {
            vec![known, ends.as_ptr().cast(), bytes.as_ptr().cast()]
        }
        Data::Ints(values) => vec![known, values.as_ptr().cast()],
        Data::SmallInts(values) => vec![known, values.as_ptr().cast()],
        Data::Sums(values) => vec![known, values.as_ptr().cast()],
        Data::Floats(values) => vec![known, values.as_ptr().cast()],
        Data::Flags(values) => vec![known, values.as_ptr().cast()],
        Data::Lists { ends, items } => {
            let length = items.first().map_or(0, |item| item.length);
            children.push(boxed(struct_array(length, items, table)));
            vec![known, ends.as_ptr().cast()]
        }
    };
    array(column.length, column.unknown, buffers, children, table)
}

fn array(
    length: usize,
    unknown: usize,
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
    table: &Arc<Frame>,
) -> Array {
    let mut parts = Box::new(Parts { children, kept: (buffers, table.clone()) });
    Array {
        length: length.cast_signed() as i64,
        null_count: unknown.cast_signed() as i64,
        offset: 0,
        n_buffers: parts.kept.0.len().cast_signed() as i64,
        n_children: parts.children.len().cast_signed() as i64,
        buffers: parts.kept.0.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release::<Array>),
        private_data: Box::into_raw(parts).cast(),
    }
}

//! Tables for other libraries, through Arrow's C stream interface: structures of C in a capsule of Python. Buffers are not
//! copied; each structure keeps the table alive. The only unsafe code of the package, for the interface is one of pointers.
#![allow(unsafe_code, reason = "the interface is one of pointers")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::ffi::{PyCapsule_GetPointer, PyCapsule_New, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::columns::{Column, Data};

/// The name that the interface gives capsules of streams.
const STREAM: &CStr = c"arrow_array_stream";

/// That a column may lack values.
const NULLABLE: i64 = 2;

/// `struct ArrowSchema` of the interface.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray` of the interface.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream` of the interface.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// The data behind a schema.
struct SchemaParts {
    _name: CString,
    children: Vec<*mut Schema>,
}

/// The data behind an array.
struct ArrayParts {
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
    _table: Arc<Vec<Column>>,
}

/// The data behind a stream.
struct StreamParts {
    table: Arc<Vec<Column>>,
    is_given: bool,
}

/// The table as a stream of one batch, in a capsule.
pub(crate) fn stream(py: Python<'_>, table: Arc<Vec<Column>>) -> PyResult<Bound<'_, PyCapsule>> {
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
        let columns = parts.table.iter().map(|column| {
            let schema = schema(column.data.format(), &column.name, NULLABLE, Vec::new());
            Box::into_raw(Box::new(schema))
        });
        out.write(schema(c"+s", "", 0, columns.collect()));
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
        let columns = parts.table.iter().map(|column| Box::into_raw(Box::new(column_array(column, &parts.table))));
        let length = parts.table.first().map_or(0, |column| column.length);
        out.write(array(length, 0, vec![null()], columns.collect(), &parts.table));
    }
    0
}

fn schema(format: &'static CStr, name: &str, flags: i64, children: Vec<*mut Schema>) -> Schema {
    let name = CString::new(name.replace('\0', "\u{FFFD}")).unwrap_or_default();
    let mut parts = Box::new(SchemaParts { _name: name, children });
    Schema {
        format: format.as_ptr(),
        name: parts._name.as_ptr(),
        metadata: null(),
        flags,
        n_children: parts.children.len().cast_signed() as i64,
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast(),
    }
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: a reader releases a schema once, and its private data are of `schema`. Children that a reader has moved away
    // are released there, and marked so here.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        for &child in &parts.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
    }
}

fn column_array(column: &Column, table: &Arc<Vec<Column>>) -> Array {
    let known = if column.unknown == 0 { null() } else { column.known.as_ptr().cast() };
    let buffers = match &column.data {
        Data::Texts { ends, bytes } => vec![known, ends.as_ptr().cast(), bytes.as_ptr().cast()],
        Data::Ints(values) => vec![known, values.as_ptr().cast()],
        Data::Floats(values) => vec![known, values.as_ptr().cast()],
        Data::Flags(values) => vec![known, values.as_ptr().cast()],
    };
    array(column.length, column.unknown, buffers, Vec::new(), table)
}

fn array(
    length: usize,
    unknown: usize,
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
    table: &Arc<Vec<Column>>,
) -> Array {
    let mut parts = Box::new(ArrayParts { buffers, children, _table: table.clone() });
    Array {
        length: length.cast_signed() as i64,
        null_count: unknown.cast_signed() as i64,
        offset: 0,
        n_buffers: parts.buffers.len().cast_signed() as i64,
        n_children: parts.children.len().cast_signed() as i64,
        buffers: parts.buffers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast(),
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as of `release_schema`.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        for &child in &parts.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
    }
}

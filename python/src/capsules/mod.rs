//! Tables of and for other libraries, through Arrow's C stream interface: structures of C in a capsule of Python. The only
//! unsafe code of the package, for the interface is one of pointers.
#![expect(unsafe_code, reason = "the interface is one of pointers")]

mod giving;
mod reading;

use std::ffi::{CStr, c_char, c_int, c_void};

pub(crate) use self::giving::stream;
pub(crate) use self::reading::{Batch, Reader, TextColumn};

/// The name that the interface gives capsules of streams.
const STREAM: &CStr = c"arrow_array_stream";

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

/// A structure that is released by a function in it, once.
trait Released: Sized {
    fn release_of(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Self)>;
}

impl Released for Schema {
    fn release_of(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Self)> {
        &mut self.release
    }
}

impl Released for Array {
    fn release_of(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Self)> {
        &mut self.release
    }
}

impl Released for Stream {
    fn release_of(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Self)> {
        &mut self.release
    }
}

//! WARC files (ISO 28500, versions 1.0 and 1.1), plain or packed by gzip: their records one by one, or again at their
//! places, and the bodies of HTTP responses without the encodings of their transfer.
//!
//! [`Archive`] finds records and says what is broken. A record is a [`Header`] and a block; [`http`] reads the response in
//! a block, and [`body`] undoes its encodings. Files are hostile: nothing is read without a bound.

mod archive;
pub mod body;
mod fault;
mod head;
pub mod http;
mod packed;
mod plain;

pub use self::archive::{Archive, MAX_UNPACKED_BYTES, Open, Place, Record, Source};
pub use self::fault::Fault;
pub use self::head::{Fields, Header, bare_id};

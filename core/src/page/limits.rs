//! What a page may make at most, so that no page costs more than its length.

/// Deeper start tags become siblings at the cap, as in browsers.
pub const MAX_OPEN_ELEMENTS: usize = 512;

/// A page that makes more nodes, or more attributes, fails: 36 KB of `<p><b id=i>` make millions.
pub const MAX_NODES: usize = 2_000_000;

/// A page whose attribute values come to more bytes fails: a formatting element that is opened again
/// for every paragraph brings its attributes along each time.
pub const MAX_VALUE_BYTES: usize = 128 << 20;

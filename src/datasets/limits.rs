//! How large the parts of a dataset may be.

/// A page of more bytes fails.
pub const MAX_PAGE_BYTES: u64 = 32 << 20;

/// A line of a list, such as a page list, has at most so many bytes.
pub(super) const MAX_LINE_BYTES: u64 = 64 << 20;

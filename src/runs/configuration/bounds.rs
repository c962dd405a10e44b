//! The names of bounds.

use super::AlgorithmRequest;

/// The best setting of each sweep, page by page.
pub const SWEEP: &str = "oracle-sweep";
/// The best member of each ensemble, page by page.
pub const MEMBER: &str = "oracle-member";
/// The best single element.
pub const SUBTREE: &str = "oracle-subtree";
/// The best set of text nodes.
pub const NODES: &str = "oracle-nodes";

/// Every bound, in the order of listings and of a report.
pub const NAMES: [&str; 4] = [SWEEP, MEMBER, SUBTREE, NODES];

/// All bounds at their defaults: what a run has where it does not say otherwise.
pub fn all() -> Vec<AlgorithmRequest> {
    NAMES.iter().map(|name| AlgorithmRequest::plain(name)).collect()
}

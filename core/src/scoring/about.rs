//! Facts about measures.

/// Facts about a measure, for listings.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// A line that says what it counts.
    pub title: &'static str,
    /// Matched, extracted and gold units.
    pub formula: &'static str,
    /// The benchmarks whose rule it is, with the tokens that they use; empty: none.
    pub used_by: &'static str,
    /// A known fault, with the smallest example; empty: none.
    pub fault: &'static str,
}

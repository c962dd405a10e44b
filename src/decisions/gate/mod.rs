//! The gate: whether a run is worse than a baseline that was accepted earlier.
//!
//! [`Snapshot`] is what is held against each other, [`baseline`] the file in which one is kept, [`judge()`] comes to a
//! verdict, and [`accept()`] tells what a new baseline would lower.

mod accept;
pub mod baseline;
mod judge;
mod renamed;
mod snapshot;

pub use accept::{Acceptance, Dropped, Lowered, NewPages, Replaced, RowFaults, accept};
pub(crate) use judge::LEAST_PAGES;
pub use judge::{
    Apart, Checked, DatasetPages, FigureCheck, Judgement, Of, Outcome, PageByPage, PageFall, RowJudgement, SiteFall,
    TimeCheck, Verdict, judge,
};
pub use renamed::RenamedPages;
#[cfg(test)]
pub(super) use snapshot::examples;
pub use snapshot::{Change, Faults, Snapshot, SnapshotRow};

//! Runs over time: a store to which runs are appended, and what became of each row from one run to the next.
//!
//! [`store`] keeps one line per run. `trends` holds each run against the one before it under equal conditions, and tells in
//! which run a row changed.

pub mod store;
mod trends;

pub use self::trends::{Break, DatasetTrends, Kind, Point, RowTrend, SiteChange, SitePoint, Step, Wanted, trends};

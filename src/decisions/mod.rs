//! Decisions: from the figures of runs to what they are worth.

pub mod changes;
pub mod claims;
pub mod compare;
mod conditions;
pub mod gate;
pub mod history;
pub mod orders;
pub mod tune;

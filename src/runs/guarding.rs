//! Work that may be stopped, and work that may panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, Digests, Halt};
use crate::formats::digest::sha256;
use crate::scoring::Comparison;

/// Whether someone wants what is under way to end.
pub type IsStopped<'s> = &'s (dyn Fn() -> bool + Sync);

/// # Errors
/// [`Halt::Stopped`]: someone wants it to end.
pub(super) fn go_on(is_stopped: IsStopped<'_>) -> Result<(), Halt> {
    if is_stopped() { Err(Halt::Stopped) } else { Ok(()) }
}

/// The result of `work`, or what its panic says, as the reason of a failure.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|panic| format!("a defect of carat on this page: {}", panic_message(&*panic)))
}

/// The message of a caught panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

/// The digest of the page's gold as it stands for this rule, where there is one that can be read.
pub(super) fn gold_as_it_stands(dataset: &Dataset, record: &Record, rule: Comparison) -> Option<String> {
    let gold = guarded(|| dataset.gold_as_it_stands(record, rule)).and_then(|gold| gold);
    gold.ok().flatten().map(|gold| sha256(gold.as_bytes()))
}

/// The digests of a page, also of one on which a reader panics.
pub(super) fn digests(dataset: &Dataset, record: &Record) -> Digests {
    guarded(|| dataset.digests(record)).unwrap_or_default()
}

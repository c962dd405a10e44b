//! Datasets with faults: whether a command goes on without what they are of, and what it tells of that.

use crate::datasets::Dataset;
use crate::datasets::locate::locate_with;

use crate::command_line::arguments::DatasetLoading;
use crate::command_line::failure::Failure;
use crate::command_line::output::tell;

/// Loads the dataset that `name` means, and tells what is left out of it.
pub(crate) fn located(name: &str, loading: &DatasetLoading) -> Result<Dataset, Failure> {
    let dataset = locate_with(name, loading.options())?;
    dataset.refuse_if_none_is_left()?;
    tell_dropped(&dataset);
    Ok(dataset)
}

/// Tells what was found wrong when `dataset` was loaded, if that did not end the load.
pub(crate) fn tell_dropped(dataset: &Dataset) {
    let dropped = dataset.dropped();
    let warn = |message: String| tell(&format!("warning: {message}"));
    dropped.listed().for_each(|fault| warn(fault.to_string()));
    if dropped.unlisted() > 0 {
        warn(format!("{}: faults of {} more pages are not listed", dataset.name(), dropped.unlisted()));
    }
    let left_out: Vec<String> = dropped.left_out().collect();
    if !left_out.is_empty() {
        warn(format!("{}: {} left out for faults of the dataset", dataset.name(), left_out.join(", ")));
    }
}

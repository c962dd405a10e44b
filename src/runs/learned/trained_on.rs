//! Datasets that are learned from in place of the one that is run.

use crate::formats::code::Code;
use std::fmt;

use crate::datasets::Dataset;
use crate::datasets::load::Loading;
use crate::datasets::locate::locate_with;
use crate::runs::configuration::{Origin, RequestError};
use crate::runs::guarding::digests;

/// The parameter that names them.
pub(super) const TRAIN_ON: &str = "train_on";

/// Datasets that are learned from, whole: no filter of a run and no split leaves out any of their pages.
pub struct TrainedOn {
    /// Their names, as they were written: joined by `+`.
    pub named: String,
    /// Each with its digest.
    datasets: Vec<(Dataset, String)>,
}

impl TrainedOn {
    /// Loads the datasets that `named` names; `loading` is the run's.
    ///
    /// # Errors
    /// [`RequestError`]: there is no such dataset, it is wrong, it has no gold, or it is named twice.
    pub(super) fn read(named: &str, origin: &Origin, loading: Loading) -> Result<Self, RequestError> {
        let mut datasets: Vec<(Dataset, String)> = Vec::new();
        for name in named.split('+') {
            let fault = |message: String| origin.error(format!("{TRAIN_ON}: {message}"));
            let dataset = locate_with(name, loading).map_err(|error| match error.code {
                Code::Unknown => fault(error.message),
                _ => fault(error.to_string()),
            })?;
            dataset.refuse_if_none_is_left().map_err(|error| fault(error.to_string()))?;
            if dataset.records.golds() == 0 {
                return Err(fault(format!("no page of `{name}` has a gold text to learn from")));
            }
            if datasets.iter().any(|(known, _)| known.name() == dataset.name()) {
                return Err(fault(format!("two datasets are named `{}`", dataset.name())));
            }
            let digest = dataset.digest(|record| digests(&dataset, record));
            let digest = digest.map_err(|error| fault(error.to_string()))?;
            datasets.push((dataset, digest));
        }
        Ok(TrainedOn { named: named.to_owned(), datasets })
    }

    /// The datasets, in the order in which they were named.
    pub fn datasets(&self) -> impl Iterator<Item = &Dataset> {
        self.datasets.iter().map(|(dataset, _)| dataset)
    }

    /// Each dataset with its digest.
    pub fn with_digests(&self) -> impl Iterator<Item = (&Dataset, &str)> {
        self.datasets.iter().map(|(dataset, digest)| (dataset, digest.as_str()))
    }
}

impl fmt::Display for TrainedOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |(dataset, digest): &(Dataset, String)| {
            let left_out: String = dataset.dropped().left_out().map(|what| format!(" without {what}")).collect();
            format!("{} {} {digest}{left_out}", dataset.name(), dataset.manifest.version)
        };
        f.write_str(&self.datasets.iter().map(told).collect::<Vec<_>>().join(" + "))
    }
}

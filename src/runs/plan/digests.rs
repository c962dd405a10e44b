//! Digests over the pages of a plan and what their lists say of them.

use std::collections::BTreeMap;

use super::Plan;
use crate::datasets::manifest::{Details, Record};
use crate::datasets::{Dataset, DatasetError};
use crate::formats::digest::LinesDigest;
use crate::runs::guarding::{digests, gold_as_it_stands};

impl Plan {
    /// Each dataset's digest over the pages of the run, as it stands in a summary's conditions, and [`Plan::addresses`]:
    /// in one pass over the pages.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed.
    pub(in crate::runs) fn digests_and_addresses(&self) -> Result<(BTreeMap<String, String>, String), DatasetError> {
        let mut addresses = LinesDigest::default();
        let of = |dataset: &Dataset| {
            let of_page = |record: &Record| digests(dataset, record);
            let digest = dataset.digest_and(of_page, |record| add_address(&mut addresses, record))?;
            Ok((dataset.name().to_owned(), digest))
        };
        let digests = self.datasets.iter().map(of).collect::<Result<_, DatasetError>>()?;
        Ok((digests, addresses.finish()))
    }

    /// SHA-256 over the ids and golds of `dataset` as they stand, where the measure reads them so.
    ///
    /// # Errors
    /// As [`Plan::digests_and_addresses`].
    pub(in crate::runs) fn golds_as_they_stand(&self, dataset: &Dataset) -> Result<Option<String>, DatasetError> {
        let mut lines: Option<LinesDigest> = None;
        let rule = self.configuration.comparison;
        if rule.reads_as_it_stands() {
            for record in dataset.records.iter() {
                let record = record?;
                if let Some(gold) = gold_as_it_stands(dataset, &record, rule) {
                    let lines = lines.get_or_insert_default();
                    [&record.id, &gold].into_iter().for_each(|field| lines.add(field));
                }
            }
        }
        Ok(lines.map(LinesDigest::finish))
    }

    /// SHA-256 over what the page lists say of the pages' addresses, URL and host: programs are told them, rules of sites
    /// and group algorithms read them, and no dataset's digest knows them.
    ///
    /// # Errors
    /// As [`Plan::digests_and_addresses`].
    pub fn addresses(&self) -> Result<String, DatasetError> {
        let mut lines = LinesDigest::default();
        for dataset in &self.datasets {
            dataset.records.for_each_made(
                1_024,
                |_| Ok(()),
                |record, ()| {
                    add_address(&mut lines, record);
                    Ok::<_, DatasetError>(())
                },
            )?;
        }
        Ok(lines.finish())
    }
}

/// Adds what a page's record says of its address.
fn add_address(lines: &mut LinesDigest, record: &Record) {
    let Details { url, host, .. } = record.details();
    [url, host].into_iter().for_each(|field| lines.add(field.as_deref().unwrap_or("-")));
}

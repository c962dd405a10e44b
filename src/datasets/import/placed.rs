//! Datasets whose pages stay in the files of others, in the order of ids.

use std::path::Path;
use std::sync::Arc;

use super::table::manifest;
use super::{Told, count, version_of};
use crate::datasets::records::{RecordSource, Records};
use crate::datasets::root::{MadeFiles, Root};
use crate::datasets::{Dataset, DatasetError, hash, shown};

/// A page: its id, true if it has gold, and its place.
pub(super) type PlacedPage<P> = (String, bool, P);

/// The dataset of the pages found, in the order of ids.
pub(super) fn in_order_of_ids<F: RecordSource + MadeFiles + 'static>(
    source: &Path,
    files: F,
    mut pages: Vec<PlacedPage<F::Place>>,
    description: &str,
    told: &mut Told,
) -> Result<Dataset, DatasetError> {
    // Of two pages of one id the first of the files is kept.
    pages.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    let golds = pages.iter().filter(|(_, has_gold, _)| *has_gold).count();
    let ids: Vec<u64> = pages.iter().map(|(id, ..)| hash(id.as_bytes())).collect();
    let places = pages.into_iter().map(|(.., place)| place).collect();
    let files = Arc::new(files);
    let records = Records::placed(files.clone(), places, golds);
    let root = Root::Made(files);
    let mut dataset = Dataset::new(manifest(source), records, ids.clone(), root.clone(), root);
    dataset.check_pages(&ids, &shown(source), &mut told.faults)?;
    dataset.manifest.description = description.to_owned();
    count(&mut dataset);
    dataset.manifest.version = version_of(&dataset.digest(|record| dataset.digests(record))?);
    Ok(dataset)
}

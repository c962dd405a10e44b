//! The files of stored outputs that lie beside a dataset's pages.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The outputs beside a dataset's pages, and the ids that outputs may hold.
#[derive(Clone, Debug)]
pub(super) struct StoredFiles {
    /// A system's files; several only where several files of pages hold outputs too.
    pub(super) by_system: BTreeMap<String, Vec<PathBuf>>,
    /// The hashes, sorted, of the ids of every page, whatever a run's filters leave of the records. A
    /// hash is eight bytes a page, and an unknown id that met one would only be passed over.
    pub(super) ids: Arc<[u64]>,
}

impl StoredFiles {
    /// No output yet; `ids` are the hashes of the pages' ids.
    pub(super) fn new(mut ids: Vec<u64>) -> Self {
        ids.sort_unstable();
        StoredFiles { by_system: BTreeMap::new(), ids: ids.into() }
    }
}

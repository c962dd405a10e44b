//! `shard.json`: what a shard says of itself once it is whole.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{By, Shard};
use crate::datasets::DatasetError;
use crate::formats::digest::{LinesDigest, sha256};
use crate::formats::files::{FileError, write_atomically};
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};
use crate::runs::folder_error::FolderError;
use crate::runs::plan::Plan;
use crate::runs::run_folder::{sealed, unsealed};

/// Its name.
pub(super) const NAME: &str = "shard.json";

/// The content of `shard.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShardInfo {
    /// The program's version.
    pub(crate) carat: String,
    /// SHA-256 of the program.
    pub(crate) executable: String,
    /// The shard's number, from 1.
    pub(crate) shard: u32,
    /// The number of shards.
    pub(crate) of: u32,
    /// The pages that are kept together.
    pub(crate) by: By,
    /// [`plan_digest`].
    pub(crate) plan: String,
    /// [`page_list`].
    pub(crate) page_list: String,
    /// The shard's pages.
    pub(crate) pages: usize,
    /// True if the units hold the texts.
    pub(crate) texts: bool,
    /// The sum modulo 2^256 of the SHA-256 of each line of the result digest, for the shard's pages.
    pub(crate) line_sum: String,
    /// Seconds from the first page to the last.
    pub(crate) seconds: f64,
}

impl ShardInfo {
    /// Which shard it is.
    pub(crate) fn shard(&self) -> Shard {
        Shard { number: self.shard, of: self.of }
    }

    /// Reads that of `folder`; `None` where there is none.
    ///
    /// # Errors
    /// [`FolderError`]: it cannot be read, or was changed.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, FolderError> {
        let path = folder.join(NAME);
        let bytes = match read_at_most(&path, MOST_WRITTEN_BYTES) {
            Err(error) if error.source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        let info = std::str::from_utf8(&bytes).ok().and_then(unsealed);
        let info = info.and_then(|text| serde_json::from_str(text).ok());
        info.map(Some).ok_or_else(|| FolderError::Content {
            path,
            message: "is not as the shard left it; the command that made the shard makes it again".to_owned(),
        })
    }

    /// Writes it: only now the shard counts as whole.
    ///
    /// # Errors
    /// [`FileError`].
    pub(crate) fn write(&self, folder: &Path) -> Result<(), FileError> {
        write_atomically(&folder.join(NAME), &sealed(self))
    }
}

/// The digest of all that outcomes depend on besides the program and the pages.
pub(crate) fn plan_digest(plan: &Plan) -> String {
    let mut lines = LinesDigest::default();
    lines.add(&plan.configuration.to_yaml());
    plan.rows.iter().for_each(|row| lines.add(&row.identity()));
    plan.sweeps.iter().for_each(|sweep| lines.add(&sweep.identity()));
    plan.rows.iter().flat_map(|row| row.system.digests()).for_each(|digest| lines.add(&digest));
    lines.finish()
}

/// The digest of the page list of the whole run, a line for each page in order.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub(crate) fn page_list(plan: &Plan) -> Result<String, DatasetError> {
    let mut lines = LinesDigest::default();
    for dataset in &plan.datasets {
        for record in dataset.records.iter() {
            let record = record?;
            lines.add(&format!("{}\t{}\t{}", dataset.name(), record.id, record.site_or_id()));
        }
    }
    Ok(lines.finish())
}

/// SHA-256 of a text, as a short name for it.
pub(super) fn short(text: &str) -> String {
    let digest = if text.len() == 64 { text.to_owned() } else { sha256(text.as_bytes()) };
    digest[..8].to_owned()
}

//! Putting the units of a run in order once all of them are made: what is stale goes, what was damaged is written again.

use std::sync::Arc;

use rayon::prelude::*;

use super::index::hash_of;
use super::pack::Pack;
use super::pair::{Fault, Pair};
use super::writer::{Packed, cut};
use super::{OfWorker, Units};
use crate::datasets::DatasetError;
use crate::datasets::manifest::Record;
use crate::formats::files::{FileError, sync_folder};
use crate::runs::folder_error::FolderError;
use crate::runs::page_outcome::PageOutcome;
use crate::runs::plan::Plan;

impl Units {
    /// Removes what is no unit of a page of `plan`. A pair that is damaged, or of which more than half is stale, is written
    /// again; from others a torn end is cut off. Files of others are left alone.
    ///
    /// # Errors
    /// [`FolderError`]: a page list that was changed, or a file that cannot be written or removed.
    pub fn tidy(&self, plan: &Plan) -> Result<(), FolderError> {
        let pages = hashes(plan)?;
        let is_ours = |hash: u64| pages.binary_search(&hash).is_ok();
        let mut state = self.state();
        self.finish_in(&mut state)?;
        let pack = self.pack_of(&mut state, true)?;
        let mut stale: Vec<u32> = Vec::new();
        for pair in pack.pairs.values() {
            if is_to_be_written_again(&pack, pair, &is_ours) {
                stale.push(pair.number);
            } else if !pair.is_shared {
                cut(&self.folder, pair.number, pair.ends)?;
            }
        }
        if !stale.is_empty() {
            state.pack = Some(Arc::new(self.written_again(&pack, &stale, &is_ours)?));
        }
        // From here on no unit is in them.
        let kept = self.pack_of(&mut state, true)?;
        self.remove_files(|number| !kept.pairs.contains_key(&number))?;
        Ok(())
    }

    /// Writes the units that count of these pairs into new ones.
    fn written_again(&self, pack: &Pack, stale: &[u32], is_ours: &dyn Fn(u64) -> bool) -> Result<Pack, FileError> {
        let last = pack.last(&self.key).filter(|last| !stale.contains(&last.number));
        let writer = self.writer(pack, last)?;
        let handle = writer.handle();
        for entry in stale.iter().flat_map(|&number| pack.index.in_pair(number)) {
            let Some(found) = pack.at::<PageOutcome>(entry)?.filter(|_| is_ours(entry.hash)) else { continue };
            let head = found.head;
            let latest = pack.find::<serde::de::IgnoredAny>(&head.dataset, &head.page)?;
            if latest.is_none_or(|latest| latest.entry != entry) {
                continue;
            }
            let texts = match head.texts {
                None => None,
                Some(texts) => match pack.texts(found.pair, texts)? {
                    None => continue,
                    record => record,
                },
            };
            let hash = hash_of(&head.dataset, &head.page);
            let head = OfWorker { key: &head.key, dataset: &head.dataset, page: &head.page, outcome: &head.outcome };
            let head = serde_json::to_vec(&head).expect("maps have string keys");
            handle.write(Packed { hash, head, texts })?;
        }
        drop(handle);
        let written = writer.finish()?;
        sync_folder(&self.folder)?;
        pack.renewed(stale, &written)
    }
}

/// True if a pair is damaged, if a page in it is none of the run, or if more than half of what was written into it does not
/// count.
fn is_to_be_written_again(pack: &Pack, pair: &Pair, is_ours: &dyn Fn(u64) -> bool) -> bool {
    let latest = || pack.index.latest().filter(|entry| entry.pair() == pair.number);
    let live = latest().filter(|entry| is_ours(entry.hash)).count() as u64;
    let holds_others = latest().count() as u64 > live;
    let worst = if pair.is_shared { Fault::None } else { Fault::Tail };
    pair.fault > worst || holds_others || 2 * live < pair.units || live == 0
}

/// The hashes of the pages of `plan`, sorted.
fn hashes(plan: &Plan) -> Result<Vec<u64>, DatasetError> {
    let mut hashes: Vec<u64> = Vec::new();
    for dataset in &plan.datasets {
        let hash = |record: Result<Arc<Record>, DatasetError>| Ok(hash_of(dataset.name(), &record?.id));
        hashes.par_extend(dataset.records.par_iter().map(hash).collect::<Result<Vec<u64>, DatasetError>>()?);
    }
    hashes.sort_unstable();
    Ok(hashes)
}

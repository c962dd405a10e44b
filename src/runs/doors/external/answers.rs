//! The answers of a program, or of a function, for every page.

use rustc_hash::FxHashMap;

use super::cache::Cache;
use crate::datasets::DatasetError;
use crate::formats::code::Code;
use crate::runs::kind::Extraction;

/// The answers for every page that was asked for.
pub(in crate::runs::doors) struct Answers {
    pub(in crate::runs::doors) cache: Cache,
    /// For each dataset of the plan, by page id.
    pub(in crate::runs::doors) by_dataset: Vec<FxHashMap<String, Outcome>>,
}

/// The answer for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runs::doors) enum Outcome {
    /// There is a reply in the cache, of this digest; `since`: of this time, if it was there before the program was asked;
    /// `took`: microseconds from the request to the reply, where they are known.
    Kept { digest: String, since: Option<u64>, took: Option<u64> },
    /// The page failed.
    Failed(String),
    /// The page failed, for there was no answer in time.
    TimedOut(String),
    /// The program was given up before.
    NotRun,
}

impl Answers {
    /// The extraction of `row` from the page `id` of the dataset at `place`.
    ///
    /// # Errors
    /// [`DatasetError`]: the reply cannot be read, or is not there any more.
    pub(in crate::runs::doors) fn extraction(
        &self,
        row: &str,
        place: usize,
        id: &str,
    ) -> Result<Extraction, DatasetError> {
        let digest = match self.by_dataset[place].get(id) {
            None | Some(Outcome::NotRun) => return Ok(Extraction::NotRun),
            Some(Outcome::Failed(reason)) => return Ok(Extraction::Failed(reason.clone())),
            Some(Outcome::TimedOut(reason)) => return Ok(Extraction::TimedOut(reason.clone())),
            Some(Outcome::Kept { digest, .. }) => digest,
        };
        let kept = self.cache.read(digest);
        match kept.map_err(|error| DatasetError::unread(Code::Io, error.path.display(), &error.source))? {
            Some(kept) => Ok(Extraction::written(kept.reply.kind, kept.reply.text)),
            None => {
                let message =
                    "its reply was removed from the cache while carat ran; the same command asks for it again";
                Err(DatasetError::new(Code::Io, row, message).of_page(id))
            }
        }
    }

    /// When the reply for a page was made, where an earlier run kept it.
    pub(in crate::runs::doors) fn kept_since(&self, place: usize, id: &str) -> Option<u64> {
        match self.by_dataset[place].get(id)? {
            Outcome::Kept { since, .. } => *since,
            Outcome::Failed(_) | Outcome::TimedOut(_) | Outcome::NotRun => None,
        }
    }

    /// Milliseconds from each request to its reply, where they are known.
    pub(in crate::runs::doors) fn times(&self, place: usize) -> Vec<f64> {
        let took = self.by_dataset[place].values().filter_map(|outcome| match outcome {
            Outcome::Kept { took, .. } => *took,
            Outcome::Failed(_) | Outcome::TimedOut(_) | Outcome::NotRun => None,
        });
        took.map(|micros| micros as f64 / 1e3).collect()
    }
}

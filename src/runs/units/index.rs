//! Where the units of a run stand: 16 bytes for each.

use sha2::{Digest, Sha256};

/// Where a unit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// [`hash_of`] its page.
    pub(super) hash: u64,
    /// The number of its pair, then the place of its head there: of two units the later one is greater.
    place: u64,
}

/// Bits of a place in a pair: files of heads end far below a terabyte.
const BITS: u32 = 40;

/// The greatest number of a pair.
pub(super) const MOST_PAIRS: u32 = (1 << (64 - BITS)) - 1;

impl Entry {
    pub(super) fn new(hash: u64, pair: u32, at: u64) -> Self {
        Entry { hash, place: u64::from(pair) << BITS | at }
    }

    pub(super) fn pair(self) -> u32 {
        (self.place >> BITS) as u32
    }

    pub(super) fn at(self) -> u64 {
        self.place & ((1 << BITS) - 1)
    }
}

/// The first 8 bytes of the SHA-256 of the dataset's name, a tab and the page's id.
pub(super) fn hash_of(dataset: &str, page: &str) -> u64 {
    let digest = Sha256::new().chain_update(dataset).chain_update("\t").chain_update(page).finalize();
    digest[..8].iter().fold(0, |hash, &byte| hash << 8 | u64::from(byte))
}

/// The entries of all units, sorted.
#[derive(Default)]
pub(super) struct Index(Vec<Entry>);

impl Index {
    pub(super) fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_unstable();
        Index(entries)
    }

    /// Those of a hash, the latest first. Different pages may have one hash.
    pub(super) fn of(&self, hash: u64) -> impl Iterator<Item = Entry> {
        let from = self.0.partition_point(|entry| entry.hash < hash);
        let to = from + self.0[from..].partition_point(|entry| entry.hash == hash);
        self.0[from..to].iter().rev().copied()
    }

    /// The latest of each hash.
    pub(super) fn latest(&self) -> impl Iterator<Item = Entry> {
        self.0.chunk_by(|one, other| one.hash == other.hash).filter_map(|same| same.last().copied())
    }

    /// Those in the pair of this number, in its order.
    pub(super) fn in_pair(&self, pair: u32) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.0.iter().copied().filter(|entry| entry.pair() == pair).collect();
        entries.sort_unstable_by_key(|entry| entry.place);
        entries
    }

    /// With these besides, and without those of some pairs.
    pub(super) fn with(&self, more: &[Entry], without: &[u32]) -> Self {
        let kept = self.0.iter().filter(|entry| !without.contains(&entry.pair()));
        Index::new(kept.chain(more).copied().collect())
    }
}

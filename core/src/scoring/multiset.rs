//! Runs of tokens, and how often each occurs.

use rustc_hash::FxHashMap;

use super::counts::Counts;
use crate::text::tokens::Token;

/// The runs of a text.
pub(super) struct Multiset {
    /// Tokens per run.
    length: usize,
    /// True if a text that is shorter than a run is a run of its own.
    short: bool,
    /// The place of each distinct run in `counts`.
    places: FxHashMap<Box<[Token]>, usize>,
    counts: Vec<u64>,
    total: u64,
}

impl Multiset {
    /// Runs as the article-extraction-benchmark counts them: a text of fewer tokens, but not an empty one, is one run.
    pub(super) fn of_shingles(length: usize, tokens: &[Token]) -> Self {
        Self::new(length, true, tokens)
    }

    /// Runs as ROUGE-N counts them: a text of fewer tokens has none.
    pub(super) fn of_runs(length: usize, tokens: &[Token]) -> Self {
        Self::new(length, false, tokens)
    }

    fn new(length: usize, short: bool, tokens: &[Token]) -> Self {
        let mut multiset = Multiset { length, short, places: FxHashMap::default(), counts: Vec::new(), total: 0 };
        for run in runs(length, short, tokens) {
            multiset.total += 1;
            match multiset.places.get(run) {
                Some(&place) => multiset.counts[place] += 1,
                None => {
                    multiset.places.insert(run.into(), multiset.counts.len());
                    multiset.counts.push(1);
                }
            }
        }
        multiset
    }

    /// The overlap with the runs of `tokens`: each takes one equal run away, as long as there is one.
    pub(super) fn counts(&self, tokens: &[Token]) -> Counts {
        let mut left = self.counts.clone();
        let (mut matched, mut extracted) = (0, 0);
        for run in runs(self.length, self.short, tokens) {
            extracted += 1;
            if let Some(&place) = self.places.get(run)
                && left[place] > 0
            {
                left[place] -= 1;
                matched += 1;
            }
        }
        Counts { matched, extracted, gold: self.total }
    }
}

fn runs(length: usize, short: bool, tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    let whole = (short && !tokens.is_empty() && tokens.len() < length).then_some(tokens);
    whole.into_iter().chain(tokens.windows(length))
}

//! Sums of what systems keep and how far they agree: over all pages without gold of a dataset, and over each group of them.
//! They take the memory of systems times groups, whatever the number of pages is.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::pairs_of;
use super::{Extracted, GroupAgreement, MOST_IN_GROUPS, PageAgreement, PairAgreement};
use crate::scoring::ONE;

/// The text that a system keeps of pages without gold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    /// Pages from which it extracted a text, empty or not; 0 in a run of an earlier version.
    #[serde(default)]
    pub pages: usize,
    /// Pages on which it failed or did not answer in time.
    #[serde(default)]
    pub failed: usize,
    /// Pages from which it extracted an empty text.
    #[serde(default)]
    pub empty: usize,
    /// Tokens of its texts.
    #[serde(default)]
    pub tokens: u64,
    /// Tokens that another system keeps of its pages and it does not, by the longest common subsequence of their texts: of
    /// each page those of the system that has most of them. The union of all systems adds no fewer.
    #[serde(default)]
    pub others_add: u64,
}

impl Kept {
    fn of(row: &Extracted, texts: &PageAgreement) -> Self {
        match row {
            Extracted::Text(text) => {
                let (_, tokens) = texts.texts[*text];
                Kept { pages: 1, empty: usize::from(tokens == 0), tokens, ..Kept::default() }
            }
            Extracted::Failed(_) | Extracted::TimedOut(_) => Kept { failed: 1, ..Kept::default() },
            Extracted::NotRun => Kept::default(),
        }
    }

    fn add(&mut self, other: &Kept) {
        self.pages += other.pages;
        self.failed += other.failed;
        self.empty += other.empty;
        self.tokens += other.tokens;
        self.others_add += other.others_add;
    }
}

/// The part of a page in sums.
pub(super) struct OnPage {
    /// The text that each system keeps of it.
    pub(super) kept: Vec<Kept>,
    pairs: Vec<Option<PairOnPage>>,
}

/// The agreement of two systems on a page of which both have a text.
struct PairOnPage {
    f1: u64,
    only: [u64; 2],
}

impl OnPage {
    /// Of the systems at `rows`.
    pub(super) fn of(rows: &[usize], agreement: &PageAgreement) -> Self {
        let mut kept: Vec<Kept> = rows.iter().map(|&row| Kept::of(&agreement.rows[row], agreement)).collect();
        let pair = |[one, other]: [usize; 2]| {
            let counts = agreement.counts(rows[one], rows[other])?;
            let only = [counts.extracted, counts.gold].map(|tokens| tokens - counts.matched);
            kept[one].others_add = kept[one].others_add.max(only[1]);
            kept[other].others_add = kept[other].others_add.max(only[0]);
            Some(PairOnPage { f1: counts.score().f1, only })
        };
        let pairs = pairs_of(rows).map(pair).collect();
        OnPage { kept, pairs }
    }
}

/// Sums over pages.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    pub(super) pages: usize,
    pub(super) kept: Vec<Kept>,
    pairs: Vec<PairSums>,
}

/// Sums over the pages of which both of two systems have a text.
#[derive(Clone, Copy, Debug, Default)]
struct PairSums {
    pages: usize,
    f1: u128,
    only: [u64; 2],
}

impl Sums {
    /// Of no page yet, for so many systems and pairs of them.
    pub(super) fn new(systems: usize, pairs: usize) -> Self {
        Sums { pages: 0, kept: vec![Kept::default(); systems], pairs: vec![PairSums::default(); pairs] }
    }

    /// The same for a group of pages.
    pub(super) fn of_group(systems: usize) -> Self {
        Sums::new(systems, if systems > MOST_IN_GROUPS { 0 } else { count_of_pairs(systems) })
    }

    pub(super) fn add(&mut self, page: &OnPage) {
        self.pages += 1;
        self.kept.iter_mut().zip(&page.kept).for_each(|(sums, kept)| sums.add(kept));
        for (sums, pair) in self.pairs.iter_mut().zip(&page.pairs) {
            let Some(PairOnPage { f1, only }) = pair else { continue };
            sums.pages += 1;
            sums.f1 += u128::from(*f1);
            sums.only.iter_mut().zip(only).for_each(|(sum, only)| *sum += only);
        }
    }

    /// The agreement of every two systems.
    pub(super) fn pairs(&self) -> Vec<PairAgreement> {
        let mean = |&PairSums { pages, f1, only }: &PairSums| PairAgreement {
            pages,
            f1: (pages > 0).then(|| f1 as f64 / pages as f64 / ONE as f64),
            only,
        };
        self.pairs.iter().map(mean).collect()
    }

    pub(super) fn finish_group(self) -> GroupAgreement {
        GroupAgreement { pages: self.pages, pairs: self.pairs(), kept: self.kept }
    }
}

/// The number of pairs of so many systems.
pub(super) fn count_of_pairs(systems: usize) -> usize {
    systems * systems.saturating_sub(1) / 2
}

/// The tokens of a system's texts on one page and the number of pages with so many: as many as there are different lengths
/// of texts, not pages.
pub(super) type Lengths = BTreeMap<u64, usize>;

/// The median; of an even number of pages the middle between two.
pub(super) fn median(lengths: &Lengths) -> Option<f64> {
    let pages: usize = lengths.values().sum();
    let at = |place: usize| {
        let mut before = 0;
        let reached = lengths.iter().find(|(_, pages)| {
            before += **pages;
            before > place
        });
        reached.map(|(length, _)| *length as f64)
    };
    Some((at(pages.checked_sub(1)? / 2)? + at(pages / 2)?) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_that_of_the_pages_and_not_of_the_lengths() {
        let of = |lengths: &[(u64, usize)]| median(&lengths.iter().copied().collect());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(7, 1)]), Some(7.0));
        assert_eq!(of(&[(1, 3), (9, 2)]), Some(1.0));
        assert_eq!(of(&[(1, 2), (4, 2)]), Some(2.5));
        assert_eq!(of(&[(0, 1), (4, 2), (100, 1)]), Some(4.0));
    }
}

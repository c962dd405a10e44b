//! Hierarchical clustering: merging the two clusters that are most alike, again and again, while they are alike at
//! all.
//!
//! Similarities are integers and linkages ratios of integers, so that equal ones are equal: where they are, the
//! clusters that come first decide. Libraries for it (`kodama`) cluster floats, leave ties to their inner order, and
//! merge unlike clusters too.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::algorithms::value::Value;

/// How alike two clusters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Linkage {
    /// As their pages are on average.
    Average,
    /// As the two that are least alike.
    Complete,
    /// As the two that are most alike.
    Single,
}

/// Two clusters become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// How alike they were.
    pub height: Value,
    /// The smallest item of the cluster that comes first.
    pub one: usize,
    /// The smallest item of the other.
    pub other: usize,
}

/// Similarities of items in 1e-9, each pair once. What is 0 takes no memory until it is written over.
pub struct Triangle {
    /// The row of an item holds its similarity with each later one.
    cells: Vec<u64>,
    items: usize,
}

impl Triangle {
    /// All 0.
    pub fn new(items: usize) -> Self {
        Triangle { cells: vec![0; items * items.saturating_sub(1) / 2], items }
    }

    /// The cell of two items, `one < other`.
    fn at(&self, one: usize, other: usize) -> usize {
        one * (2 * self.items - one - 1) / 2 + (other - one - 1)
    }

    /// The similarity of two items, `one < other`.
    pub fn get(&self, one: usize, other: usize) -> u64 {
        self.cells[self.at(one, other)]
    }

    /// Sets the similarity of two items, `one < other`.
    pub fn set(&mut self, one: usize, other: usize, similarity: u64) {
        let at = self.at(one, other);
        // Writing a 0 over a 0 would fetch memory.
        if self.cells[at] != similarity {
            self.cells[at] = similarity;
        }
    }
}

/// A ratio of two integers that is compared exactly.
#[derive(Clone, Copy, Debug)]
struct Ratio {
    sum: u64,
    pairs: u64,
}

impl Ratio {
    const NONE: Ratio = Ratio { sum: 0, pairs: 1 };

    fn compare(self, other: Ratio) -> Ordering {
        if self.pairs == other.pairs {
            return self.sum.cmp(&other.sum);
        }
        (u128::from(self.sum) * u128::from(other.pairs)).cmp(&(u128::from(other.sum) * u128::from(self.pairs)))
    }
}

/// The most that a cluster is linked with a later one.
#[derive(Clone, Copy)]
struct Best {
    ratio: Ratio,
    other: usize,
    /// Whether the ratio is only an upper bound: what it was before merging, which links nothing more closely.
    is_stale: bool,
}

/// The clusters while they are merged. A cluster lives at its smallest item.
struct Clusters<'l> {
    linkage: Linkage,
    /// Under `average` the sums of similarities, else the linkages themselves.
    cells: Triangle,
    /// Pages of each cluster; 0 where none lives any more.
    sizes: &'l mut [u64],
    best: Vec<Best>,
}

/// The merges of items, in the order in which they happen: their heights never increase, and clusters that are not
/// alike at all stay apart. Each item stands for `sizes` equal pages, and `similarities` are those of two pages. Of
/// equal linkages the one whose clusters' smallest items come first is taken.
///
/// Memory: the triangle. Time: a row of it for each merge and for each row whose best partner a merge moved away.
pub fn merges(mut sizes: Vec<u64>, mut similarities: Triangle, linkage: Linkage) -> Vec<Merge> {
    if linkage == Linkage::Average {
        for one in 0..sizes.len() {
            for other in one + 1..sizes.len() {
                let sum = similarities.get(one, other) * sizes[one] * sizes[other];
                similarities.set(one, other, sum);
            }
        }
    }
    let mut clusters = Clusters { linkage, cells: similarities, best: Vec::new(), sizes: &mut sizes };
    clusters.best = (0..clusters.sizes.len()).map(|one| clusters.find_best(one)).collect();
    let mut merges = Vec::new();
    while let Some((one, best)) = clusters.greatest() {
        if best.is_stale {
            clusters.best[one] = clusters.find_best(one);
            continue;
        }
        let height = Value::ratio(best.ratio.sum, best.ratio.pairs * u64::from(super::similarity::EQUAL));
        merges.push(Merge { height, one, other: best.other });
        clusters.merge(one, best.other);
    }
    merges
}

impl Clusters<'_> {
    fn ratio(&self, one: usize, other: usize) -> Ratio {
        let pairs = if self.linkage == Linkage::Average { self.sizes[one] * self.sizes[other] } else { 1 };
        Ratio { sum: self.cells.get(one, other), pairs }
    }

    /// The first of the later clusters that `one` is linked with most.
    fn find_best(&self, one: usize) -> Best {
        let mut best = Best { ratio: Ratio::NONE, other: one, is_stale: false };
        for other in (one + 1..self.sizes.len()).filter(|&other| self.sizes[other] > 0) {
            let ratio = self.ratio(one, other);
            if ratio.compare(best.ratio) == Ordering::Greater {
                (best.ratio, best.other) = (ratio, other);
            }
        }
        best
    }

    /// The first cluster with the greatest link to a later one, if any is linked at all.
    fn greatest(&self) -> Option<(usize, Best)> {
        let mut greatest: Option<(usize, Best)> = None;
        for (one, &best) in
            self.best.iter().enumerate().filter(|&(one, best)| self.sizes[one] > 0 && best.ratio.sum > 0)
        {
            if greatest.is_none_or(|(_, known)| best.ratio.compare(known.ratio) == Ordering::Greater) {
                greatest = Some((one, best));
            }
        }
        greatest
    }

    /// Puts `other` into `one`, which comes first.
    fn merge(&mut self, one: usize, other: usize) {
        for third in (0..self.sizes.len()).filter(|&third| third != one && third != other) {
            if self.sizes[third] == 0 {
                continue;
            }
            let first = self.cells.get(one.min(third), one.max(third));
            let second = self.cells.get(other.min(third), other.max(third));
            let linked = match self.linkage {
                Linkage::Average => first + second,
                Linkage::Complete => first.min(second),
                Linkage::Single => first.max(second),
            };
            self.cells.set(one.min(third), one.max(third), linked);
        }
        self.sizes[one] += self.sizes[other];
        self.sizes[other] = 0;
        for third in 0..one {
            self.update(third, one, other);
        }
        self.best[one] = self.find_best(one);
        for third in one + 1..other {
            self.best[third].is_stale |= self.best[third].other == other;
        }
    }

    /// What the merge of two later clusters changes for `third`.
    fn update(&mut self, third: usize, one: usize, other: usize) {
        let best = self.best[third];
        if self.sizes[third] == 0 || best.is_stale || best.ratio.sum == 0 {
            return;
        }
        let ratio = self.ratio(third, one);
        let is_as_great = ratio.compare(best.ratio) == Ordering::Equal;
        if best.other == one || best.other == other {
            self.best[third] = Best { ratio, other: one, is_stale: false };
            if !is_as_great {
                self.best[third] = Best { is_stale: true, ..best };
            }
        } else if is_as_great && one < best.other {
            self.best[third] = Best { ratio, other: one, is_stale: false };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn triangle(items: usize, pairs: &[(usize, usize, u64)]) -> Triangle {
        let mut triangle = Triangle::new(items);
        pairs.iter().for_each(|&(one, other, similarity)| triangle.set(one, other, similarity));
        triangle
    }

    fn decimal(text: &str) -> Value {
        text.parse().unwrap()
    }

    #[test]
    fn linkages_of_four_pages_are_as_worked_by_hand() {
        // 0.8, 0.6, 0.4, 0.7; then {0, 1} with {2, 3}: most 0.6, on average (0.6 + 0.4 + 0 + 0) / 4, least 0.
        let pairs = [(0, 1, 800_000_000), (0, 2, 600_000_000), (1, 2, 400_000_000), (2, 3, 700_000_000)];
        for (linkage, last) in
            [(Linkage::Single, Some("0.6")), (Linkage::Average, Some("0.25")), (Linkage::Complete, None)]
        {
            let found = merges(vec![1; 4], triangle(4, &pairs), linkage);
            let mut expected = vec![(decimal("0.8"), 0, 1), (decimal("0.7"), 2, 3)];
            expected.extend(last.map(|last| (decimal(last), 0, 2)));
            let found: Vec<_> = found.iter().map(|merge| (merge.height, merge.one, merge.other)).collect();
            assert_eq!(found, expected, "{linkage:?}");
        }
    }

    #[test]
    fn of_equal_linkages_the_first_is_taken() {
        let pairs = [(0, 3, 5), (1, 2, 5), (1, 3, 5), (2, 3, 5)];
        let found = merges(vec![1; 4], triangle(4, &pairs), Linkage::Single);
        assert_eq!(found.iter().map(|merge| (merge.one, merge.other)).collect::<Vec<_>>(), [(0, 3), (0, 1), (0, 2)]);
    }

    /// The same by looking at every pair of pages before each merge.
    fn by_definition(sizes: &[u64], similarities: &Triangle, linkage: Linkage) -> Vec<Merge> {
        let mut clusters: Vec<Vec<usize>> = (0..sizes.len()).map(|item| vec![item]).collect();
        let mut merges = Vec::new();
        loop {
            let mut greatest: Option<(Ratio, usize, usize)> = None;
            for (a, one) in clusters.iter().enumerate() {
                for (b, other) in clusters.iter().enumerate().skip(a + 1) {
                    let cross = || one.iter().flat_map(|&i| other.iter().map(move |&j| (i, j)));
                    let get = |(i, j): (usize, usize)| similarities.get(i.min(j), i.max(j));
                    let weight = |(i, j): (usize, usize)| sizes[i] * sizes[j];
                    let ratio = match linkage {
                        Linkage::Average => Ratio {
                            sum: cross().map(|pair| get(pair) * weight(pair)).sum(),
                            pairs: cross().map(weight).sum(),
                        },
                        Linkage::Complete => Ratio { sum: cross().map(get).min().unwrap(), pairs: 1 },
                        Linkage::Single => Ratio { sum: cross().map(get).max().unwrap(), pairs: 1 },
                    };
                    if greatest.is_none_or(|(known, ..)| ratio.compare(known) == Ordering::Greater) {
                        greatest = Some((ratio, a, b));
                    }
                }
            }
            let Some((ratio, a, b)) = greatest.filter(|(ratio, ..)| ratio.sum > 0) else { return merges };
            let height = Value::ratio(ratio.sum, ratio.pairs * 1_000_000_000);
            merges.push(Merge { height, one: clusters[a][0], other: clusters[b][0] });
            let moved = clusters.remove(b);
            clusters[a].extend(moved);
        }
    }

    proptest! {
        #[test]
        fn merges_are_those_of_the_definition(
            cells in prop::collection::vec(0u64..6, 45),
            sizes in prop::collection::vec(1u64..4, 10),
            linkage in prop::sample::select(vec![Linkage::Average, Linkage::Complete, Linkage::Single]),
        ) {
            let similarities = || Triangle { cells: cells.clone(), items: 10 };
            let found = merges(sizes.clone(), similarities(), linkage);
            prop_assert!(found.windows(2).all(|pair| pair[0].height >= pair[1].height));
            prop_assert_eq!(found, by_definition(&sizes, &similarities(), linkage));
        }
    }
}

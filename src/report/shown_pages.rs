//! The pages of a run that have a file of their own, where there are more of them than the report shows.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::report::families::best;
use crate::runs::compared_pages::PageLine as ComparedLine;
use crate::runs::scores::RowScore;
use crate::runs::summary::{Summary, SummaryRow};

/// Takes the pages of a run one by one, and then so many of them in turn: one that failed, one on which systems agree least,
/// one on which rows differ most, and one on which the best row is worst.
pub(super) struct Candidates {
    most: usize,
    /// The rows of each dataset.
    rows: BTreeMap<String, Rows>,
    scored: usize,
    compared: usize,
    failed: Vec<usize>,
    disputed: Least,
    differing: Least,
    worst: Least,
}

/// Rows of a dataset, by algorithm and parameters.
#[derive(Default)]
struct Rows {
    /// Those that are ranked, floors left out.
    ranked: BTreeSet<(String, String)>,
    /// The one with the highest mean.
    best: Option<(String, String)>,
}

/// The pages that are shown, by their places in the run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    /// Pages that are scored.
    pub(super) scored: BTreeSet<usize>,
    /// Pages on which systems are compared.
    pub(super) compared: BTreeSet<usize>,
}

/// The least of many keys, each with the place of its page; of equal ones the first.
struct Least {
    most: usize,
    heap: BinaryHeap<(u64, usize)>,
}

impl Least {
    fn new(most: usize) -> Self {
        Least { most, heap: BinaryHeap::new() }
    }

    fn add(&mut self, key: u64, place: usize) {
        self.heap.push((key, place));
        if self.heap.len() > self.most {
            self.heap.pop();
        }
    }

    fn places(self) -> impl Iterator<Item = usize> {
        self.heap.into_sorted_vec().into_iter().map(|(_, place)| place)
    }
}

impl Candidates {
    /// Of no page yet; in the end `most` are chosen.
    pub(super) fn new(summary: &Summary, most: usize) -> Self {
        let mut datasets: BTreeMap<String, Vec<&SummaryRow>> = BTreeMap::new();
        for row in summary.rows.iter().filter(|row| row.is_ranked()) {
            datasets.entry(row.dataset.clone()).or_default().push(row);
        }
        let name = |row: &SummaryRow| (row.algorithm.clone(), row.label());
        let rows = |(dataset, rows): (String, Vec<&SummaryRow>)| {
            let ranked = rows.iter().filter(|row| !row.floor).map(|row| name(row)).collect();
            let best = (!rows.is_empty()).then(|| name(best(&rows)));
            (dataset, Rows { ranked, best })
        };
        let least = || Least::new(most);
        Candidates {
            most,
            rows: datasets.into_iter().map(rows).collect(),
            scored: 0,
            compared: 0,
            failed: Vec::new(),
            disputed: least(),
            differing: least(),
            worst: least(),
        }
    }

    /// Adds the next page that is scored: what each row came to on it.
    pub(super) fn add_scored(&mut self, dataset: &str, scores: &[RowScore<'_>]) {
        let place = self.scored;
        self.scored += 1;
        if self.failed.len() < self.most && scores.iter().any(|(.., score)| score.failed) {
            self.failed.push(place);
        }
        let Some(Rows { ranked, best }) = self.rows.get(dataset) else { return };
        let named = scores
            .iter()
            .map(|(algorithm, setting, score)| (((*algorithm).to_owned(), (*setting).to_owned()), score.score[2]));
        let (mut least, mut greatest) = (u64::MAX, 0);
        for (name, f1) in named {
            if ranked.contains(&name) {
                (least, greatest) = (least.min(f1), greatest.max(f1));
            }
            if best.as_ref() == Some(&name) {
                self.worst.add(f1, place);
            }
        }
        if least < greatest {
            self.differing.add(u64::MAX - (greatest - least), place);
        }
    }

    /// Adds the next page on which systems are compared.
    pub(super) fn add_compared(&mut self, line: &ComparedLine) {
        // Of six digits.
        self.disputed.add((line.rank() * 1e6).round() as u64, self.compared);
        self.compared += 1;
    }

    /// The number of pages that are scored.
    pub(super) fn scored(&self) -> usize {
        self.scored
    }

    /// The pages that are shown; all of them where there are no more than that.
    pub(super) fn chosen(self) -> Chosen {
        let Candidates { most, scored, compared, failed, disputed, differing, worst, .. } = self;
        let mut chosen = Chosen { scored: BTreeSet::new(), compared: BTreeSet::new() };
        if scored + compared <= most {
            return Chosen { scored: (0..scored).collect(), compared: (0..compared).collect() };
        }
        let of_scored = |place: usize| (true, place);
        let mut lists: [Box<dyn Iterator<Item = (bool, usize)>>; 5] = [
            Box::new(failed.into_iter().map(of_scored)),
            Box::new(disputed.places().map(|place| (false, place))),
            Box::new(differing.places().map(of_scored)),
            Box::new(worst.places().map(of_scored)),
            // Where all of these have come to their ends, such as without a ranked row.
            Box::new((0..scored).map(of_scored)),
        ];
        let mut left = most;
        while left > 0 {
            let mut has_more = false;
            let (last, first) = lists.split_last_mut().expect("there are five");
            for list in first.iter_mut() {
                // A page that stands in an earlier list already does not count in this one.
                let new = list.find(|&(is_scored, place)| left > 0 && chosen.insert(is_scored, place));
                has_more |= new.is_some();
                left -= usize::from(new.is_some());
            }
            if !has_more {
                let more = last.find(|&(is_scored, place)| left > 0 && chosen.insert(is_scored, place));
                let Some(_) = more else { break };
                left -= 1;
            }
        }
        chosen
    }
}

impl Chosen {
    /// Adds a page; false where it was there.
    fn insert(&mut self, is_scored: bool, place: usize) -> bool {
        if is_scored { self.scored.insert(place) } else { self.compared.insert(place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, summary};
    use crate::runs::scores::PageScore;

    /// `matched` of 100 tokens under two algorithms and a floor; a page is failed where both match nothing.
    fn candidates(most: usize, pages: &[[u64; 2]], disputed: &[f64]) -> Candidates {
        let mut rows = vec![row("d", "nta", 0.9), row("d", "cevc", 0.5), row("d", "all-text", 0.1)];
        rows[2].floor = true;
        let mut candidates = Candidates::new(&summary(rows), most);
        for matched in pages {
            let failed = *matched == [0, 0];
            let score = |matched: u64| PageScore::new("s".to_owned(), [matched, 100, 100], failed);
            let [nta, cevc, floor] = [score(matched[0]), score(matched[1]), score(0)];
            candidates.add_scored("d", &[("nta", "", &nta), ("cevc", "", &cevc), ("all-text", "", &floor)]);
        }
        for &f1 in disputed {
            let [dataset, page, site, language, kind] = ["e", "p", "", "", ""].map(str::to_owned);
            let texts_f1 = Some(f1);
            candidates.add_compared(&ComparedLine { dataset, page, site, language, kind, f1: 0.0, texts_f1 });
        }
        candidates
    }

    fn chosen(most: usize, pages: &[[u64; 2]], disputed: &[f64]) -> (Vec<usize>, Vec<usize>) {
        let Chosen { scored, compared } = candidates(most, pages, disputed).chosen();
        (scored.into_iter().collect(), compared.into_iter().collect())
    }

    #[test]
    fn failed_disputed_differing_and_bad_pages_take_turns() {
        // Page 3 failed; on 1 rows differ most, on 4 next; the best row is worst on 3, then on 2, then on 5.
        let pages = [[90, 90], [90, 10], [20, 30], [0, 0], [90, 40], [30, 30], [80, 80]];
        let disputed = [0.9, 0.2, 0.5];
        assert_eq!(chosen(1, &pages, &disputed), (vec![3], vec![]));
        assert_eq!(chosen(2, &pages, &disputed), (vec![3], vec![1]));
        assert_eq!(chosen(3, &pages, &disputed), (vec![1, 3], vec![1]));
        assert_eq!(chosen(4, &pages, &disputed), (vec![1, 2, 3], vec![1]));
        assert_eq!(chosen(6, &pages, &disputed), (vec![1, 2, 3, 4], vec![1, 2]));
        assert_eq!(chosen(7, &pages, &disputed), (vec![1, 2, 3, 4, 5], vec![1, 2]));
        assert_eq!(chosen(0, &pages, &disputed), (vec![], vec![]));
    }

    #[test]
    fn all_are_shown_where_there_are_no_more() {
        assert_eq!(chosen(3, &[[1, 1], [1, 1]], &[0.5]), (vec![0, 1], vec![0]));
        assert_eq!(chosen(9, &[], &[]), (vec![], vec![]));
    }

    #[test]
    fn without_a_ranked_row_the_first_are_shown() {
        let mut candidates = Candidates::new(&summary(Vec::new()), 2);
        (0..5).for_each(|_| candidates.add_scored("d", &[]));
        assert_eq!(candidates.chosen().scored, BTreeSet::from([0, 1]));
    }
}

//! Which rows of a run are told apart. One test of all rows of a dataset, that of `carat compare`, gives tables their
//! letters and figures their flat regions, so that none of them contradicts another.

use std::collections::BTreeMap;

use super::families::datasets;
use crate::runs::scores::{CommonPages, RowKey, RowScores, Scores};
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::{AllPairs, Correction, FEW_SITES, MOST_TESTED, Paired, Part, Sampling};

/// What is known of the rows of each dataset of a run.
#[derive(Debug, Default)]
pub struct Separation {
    datasets: BTreeMap<String, Tested>,
}

/// Rows that were tested each against each.
#[derive(Debug)]
pub struct Tested {
    rows: BTreeMap<RowKey, Standing>,
    pairs: AllPairs,
    /// Pages that every row has.
    pub pages: usize,
    /// Sites of these pages.
    pub sites: usize,
}

/// Where a row stands among those that it was tested against.
#[derive(Debug)]
pub struct Standing {
    /// Its place among the rows of `pairs`.
    place: usize,
    /// Rows that share a letter are not separated.
    pub letters: String,
    /// The first and the last place that it may have: those of rows that are separated from it are not its own.
    pub ranks: [usize; 2],
}

/// Which rows were tested together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// All rows of the dataset.
    Dataset,
    /// Those of a figure alone: the dataset has too many.
    Figure,
}

impl Separation {
    /// Of all rows of a run that are ranked.
    pub fn of(summary: &Summary, scores: &Scores) -> Self {
        let of_dataset = |dataset: &&str| {
            let rows = summary.rows.iter().filter(|row| row.dataset == **dataset && row.is_ranked());
            ((*dataset).to_owned(), Tested::of(&rows.collect::<Vec<_>>(), scores))
        };
        Separation { datasets: datasets(&summary.rows).iter().map(of_dataset).collect() }
    }

    /// What is known of the rows of `dataset`.
    pub fn of_dataset(&self, dataset: &str) -> Option<&Tested> {
        self.datasets.get(dataset)
    }

    /// True if two rows of one dataset are separated; `None` where not both were tested.
    pub fn are_separated(&self, one: &SummaryRow, other: &SummaryRow) -> Option<bool> {
        let tested = self.of_dataset(&one.dataset)?;
        let (one, other) = (tested.of_row(&one.key())?, tested.of_row(&other.key())?);
        Some(tested.pairs.are_separated(one.place, other.place))
    }

    /// Which of `rows`, the settings of one figure, are not separable from the best, and among which rows they were tested;
    /// `None` where that cannot be told: of too few sites, of too many settings, of pages that not every row has.
    pub fn flat(&self, rows: &[&SummaryRow], scores: &Scores) -> Option<(Vec<bool>, Among)> {
        let first = scores.get(&rows.first()?.key())?;
        if !rows.iter().all(|row| scores.get(&row.key()).is_some_and(|scores| scores.keys().eq(first.keys()))) {
            return None;
        }
        let of_dataset = self.of_dataset(&rows[0].dataset).and_then(|tested| tested.flat(rows));
        let flat = of_dataset.map(|flat| (flat, Among::Dataset));
        flat.or_else(|| Some((Tested::of(rows, scores).flat(rows)?, Among::Figure)))
    }
}

impl Tested {
    /// Tests `rows` of one dataset on the pages that all of them have. Of too many rows, or without such a page, nothing is
    /// known of any.
    fn of(rows: &[&SummaryRow], scores: &Scores) -> Self {
        let none = RowScores::new();
        let mut rows = rows.to_vec();
        rows.sort_by(|one, other| other.aggregates.macro_.f1.total_cmp(&one.aggregates.macro_.f1));
        let scores: Vec<&RowScores> = rows.iter().map(|row| scores.get(&row.key()).unwrap_or(&none)).collect();
        let common = CommonPages::of(&scores);
        let (pages, sites) = (common.pages.len(), common.site_count);
        if rows.len() > MOST_TESTED || pages == 0 {
            rows.clear();
        }
        let groups = common.groups(&scores[..rows.len()]);
        let scores = rows.iter().zip(&scores).map(|(_, scores)| common.scores(scores, Part::F1)).collect();
        // No interval is asked for.
        let paired = Paired::new(scores, common.sites.clone(), Sampling { resamples: 2, ..Sampling::default() });
        let pairs = paired.test_all(&groups, Correction::Holm);
        let standing = |(place, row): (usize, &&SummaryRow)| {
            let ranks = ranks(place, rows.len(), |other| pairs.are_separated(place, other));
            (row.key(), Standing { place, letters: pairs.letters[place].clone(), ranks })
        };
        Tested { rows: rows.iter().enumerate().map(standing).collect(), pairs, pages, sites }
    }

    /// Where a row stands, if it was tested.
    pub fn of_row(&self, row: &RowKey) -> Option<&Standing> {
        self.rows.get(row)
    }

    /// Whether no row was tested: there are too many, or no page is one of every row's.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Which of `rows` are not separable from the best of them; `None` where not all of them were tested, or on too few
    /// sites.
    fn flat(&self, rows: &[&SummaryRow]) -> Option<Vec<bool>> {
        if self.sites < FEW_SITES {
            return None;
        }
        let standings: Vec<&Standing> = rows.iter().map(|row| self.of_row(&row.key())).collect::<Option<_>>()?;
        let best = *standings.iter().min_by_key(|row| row.place)?;
        Some(standings.iter().map(|row| !self.pairs.are_separated(row.place, best.place)).collect())
    }
}

/// The first and the last place that the row at `place` of `rows` in the order of their means may have: better rows that
/// are separated from it stand before it, worse ones behind it.
fn ranks(place: usize, rows: usize, is_separated: impl Fn(usize) -> bool) -> [usize; 2] {
    let before = (0..place).filter(|&better| is_separated(better)).count();
    let behind = (place + 1..rows).filter(|&worse| is_separated(worse)).count();
    [before + 1, rows - behind]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, summary};
    use crate::report::families::curves;
    use crate::report::figure_inputs::FigureInputs;
    use crate::report::language::Language;
    use crate::report::overview;
    use crate::report::plot::FlatTest;
    use crate::report::sweeps::Sweep;
    use crate::runs::scores::PageScore;
    use crate::runs::summary::Summary;

    /// Scores of a page of each of so many sites; F1 is that of `matched` of 100.
    fn scores(sites: usize, matched: impl Fn(usize) -> u64) -> RowScores {
        let page =
            |site: usize| (format!("p{site}"), PageScore::new(format!("s{site}"), [matched(site), 100, 100], false));
        (0..sites).map(page).collect()
    }

    /// Three rows: the best, one that differs from it here and there, and one that is lower on every site.
    fn three(sites: usize) -> (Vec<SummaryRow>, Scores) {
        let rows: Vec<SummaryRow> = [("a", 0.9), ("b", 0.89), ("c", 0.5)].map(|(name, f1)| row("d", name, f1)).into();
        let of = [
            scores(sites, |_| 90),
            scores(sites, |site| if site % 2 == 0 { 96 } else { 82 }),
            scores(sites, |site| 50 + site as u64 % 2),
        ];
        let scores = rows.iter().map(SummaryRow::key).zip(of).collect();
        (rows, scores)
    }

    #[test]
    fn what_is_not_separable_from_the_best_is_flat() {
        let (rows, mut scores) = three(12);
        let alone = Separation::default();
        let flat = |rows: &[SummaryRow], scores: &Scores| alone.flat(&rows.iter().collect::<Vec<_>>(), scores);
        assert_eq!(flat(&rows, &scores), Some((vec![true, true, false], Among::Figure)));
        scores.get_mut(&rows[2].key()).unwrap().pop_first();
        assert_eq!(flat(&rows, &scores), None, "of other pages nothing is known");
        let (rows, scores) = three(5);
        assert_eq!(flat(&rows, &scores), None, "of five sites nothing is known");
        assert_eq!(flat(&rows, &Scores::new()), None);
    }

    #[test]
    fn a_figure_and_the_letters_of_all_rows_say_the_same() {
        let (rows, scores) = three(12);
        let summary = summary(rows);
        let separation = Separation::of(&summary, &scores);
        let tested = separation.of_dataset("d").unwrap();
        let standings: Vec<_> = summary.rows.iter().map(|row| tested.of_row(&row.key()).unwrap()).collect();
        assert_eq!(standings.iter().map(|row| row.letters.as_str()).collect::<Vec<_>>(), ["a", "a", "b"]);
        assert_eq!(standings.iter().map(|row| row.ranks).collect::<Vec<_>>(), [[1, 2], [1, 2], [3, 3]]);
        // Of the last two, the first is the best, and they are told apart among all rows as among themselves.
        let rows: Vec<&SummaryRow> = summary.rows[1..].iter().collect();
        assert_eq!(separation.flat(&rows, &scores), Some((vec![true, false], Among::Dataset)));
    }

    #[test]
    fn the_headline_of_algorithms_says_where_pages_do_not_separate_the_first_two() {
        let (rows, scores) = three(12);
        let summary = summary(rows);
        let headline = |separation: &Separation| overview::plot(&summary, separation, "d").sentence;
        let tested = headline(&Separation::of(&summary, &scores));
        let clause = "above the next algorithm, b, which these pages do not separate.";
        assert!(tested.english().ends_with(clause), "{tested}");
        assert!(tested.in_language(Language::Chinese).ends_with("，这些页面不足以区分两者。"), "{tested:?}");
        let untested = headline(&Separation::default());
        assert!(untested.english().ends_with("above the next algorithm, b."), "{untested}");
    }

    #[test]
    fn a_row_may_have_the_places_of_those_that_it_is_not_separated_from() {
        let alike = [(0, 1), (1, 2), (1, 3), (2, 3)];
        let is_separated = |one: usize, other: usize| !alike.contains(&(one.min(other), one.max(other)));
        let ranks = [0, 1, 2, 3, 4].map(|place| ranks(place, 5, |other| is_separated(place, other)));
        assert_eq!(ranks, [[1, 2], [1, 4], [2, 4], [2, 4], [5, 5]]);
    }

    #[test]
    fn of_more_rows_than_can_be_tested_a_figure_is_tested_alone() {
        let (mut rows, mut scores) = three(12);
        for number in 0..MOST_TESTED {
            let more = row("d", &format!("z{number}"), 0.1);
            scores.insert(more.key(), scores[&rows[0].key()].clone());
            rows.push(more);
        }
        let summary = summary(rows);
        let separation = Separation::of(&summary, &scores);
        assert!(separation.of_dataset("d").unwrap().is_empty());
        let few: Vec<&SummaryRow> = summary.rows[..3].iter().collect();
        assert_eq!(separation.flat(&few, &scores), Some((vec![true, true, false], Among::Figure)));
        assert_eq!(separation.flat(&summary.rows.iter().collect::<Vec<_>>(), &scores), None);
    }

    #[test]
    fn a_curve_shades_its_flat_region_and_tells_it() {
        let summary = summary(alpha_sweep("d", 5));
        // The second and the third are the best; on the last they differ from it here and there.
        let heights: [fn(usize) -> u64; 5] =
            [|_| 50, |_| 90, |_| 90, |_| 60, |site| if site % 2 == 0 { 97 } else { 81 }];
        let mut rows = summary.rows.clone();
        let of = |(row, height): (&mut SummaryRow, fn(usize) -> u64)| {
            let scores = scores(12, height);
            row.aggregates = crate::runs::scores::aggregates(&scores);
            (row.key(), scores)
        };
        let scores: Scores = rows.iter_mut().zip(heights).map(of).collect();
        let summary = Summary { rows, ..summary };
        let separation = Separation::of(&summary, &scores);
        let inputs = FigureInputs { scores, separation, times: Vec::new() };
        let plot = Sweep::of_rows(&curves(&summary.rows, "d")[0], &inputs).plot(&summary);
        let region = plot.flat.as_ref().unwrap();
        assert_eq!((region.flat, region.of, region.test), (3, 5, Some(FlatTest::Rows(Among::Dataset))));
        let [first, second] = region.spans[..] else { panic!("{region:?}") };
        assert!(first.0 < first.1 && second.0 == second.1, "{region:?}");
        assert_eq!(plot.key[0].text.english(), "not separable from the best (3 of 5)");
        assert!(plot.notes.iter().any(|note| {
            note.text.english().starts_with("not separable from the best: rows that share a letter with it")
        }));
        let flat: Vec<&str> = plot.table[1..6].iter().map(|line| line[6].as_str()).collect();
        assert_eq!(flat, ["false", "true", "true", "false", "true"]);
        let shaded = crate::report::examples::svg(&plot).matches("#FFF2C8").count();
        assert_eq!(shaded, 2 + 1, "two spans and the key");
    }
}

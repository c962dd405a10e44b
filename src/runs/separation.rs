//! Which rows of a run are told apart. One test of all rows of a dataset, that of `carat compare`, gives tables their
//! letters, and figures and `carat tune` their flat regions, so that none of them contradicts another.

use std::collections::{BTreeMap, BTreeSet};

use super::folder_error::FolderError;
use super::pages::RunPages;
use super::run_folder::RunFolder;
use super::score_sums::{OnSites, ScoreSums};
use super::scores::RowKey;
use super::summary::{Summary, SummaryRow};
use crate::statistics::{Aggregate, AllPairs, Correction, FEW_SITES, Figure, MOST_TESTED, Part, Sampling};

/// The separation of the rows of each dataset of a run, where it is known.
#[derive(Debug)]
pub struct Separation {
    /// The score that rows were tested in.
    part: Part,
    datasets: BTreeMap<String, Tested>,
}

impl Default for Separation {
    /// Of no row, in F1.
    fn default() -> Self {
        Separation { part: Part::F1, datasets: BTreeMap::new() }
    }
}

/// Rows that were tested each against each.
#[derive(Debug)]
pub struct Tested {
    rows: BTreeMap<RowKey, Standing>,
    pairs: AllPairs,
    /// Pages that every row has.
    pub pages: usize,
    /// Those of them that are of no known site, and count as one each.
    pub without_site: usize,
    /// Sites of these pages.
    pub sites: usize,
}

/// Too few sites: of so many tests none can tell any two rows apart after the correction for their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooFewSites {
    /// The sites.
    pub(crate) sites: usize,
    /// The tests.
    pub(crate) tests: usize,
    /// The sites that it takes.
    pub(crate) fewest: usize,
}

impl TooFewSites {
    /// `None` where the sites are enough for `tests` tests.
    pub(crate) fn of(sites: usize, tests: usize, correction: Correction) -> Option<Self> {
        let fewest = correction.fewest_sites(tests, 1.0 - Sampling::default().level);
        (sites < fewest).then_some(TooFewSites { sites, tests, fewest })
    }
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
    /// Those of a figure, or of what is tuned, alone: the dataset has too many.
    Figure,
}

impl Separation {
    /// Of all rows of a run that are ranked, by the mean over pages of precision, recall or F1.
    pub fn of(summary: &Summary, scores: &ScoreSums, part: Part) -> Self {
        Self::of_rows(summary.rows.iter(), scores, part)
    }

    /// The same of the datasets alone whose sites may be too few to tell any two rows apart: the scores of a run are read only
    /// where there is such a dataset.
    ///
    /// # Errors
    /// [`FolderError`]: scores that cannot be read, or are not as the run left them.
    pub fn of_few_sites(run: &RunFolder, summary: &Summary) -> Result<Self, FolderError> {
        let few = datasets_of_few_sites(summary);
        if few.is_empty() {
            return Ok(Separation::default());
        }
        let mut sums = ScoreSums::new(summary);
        RunPages::read_some(run, |page| {
            sums.add_page(&page);
            false
        })?;
        Ok(Self::of_rows(summary.rows.iter().filter(|row| few.contains(row.dataset.as_str())), &sums, Part::F1))
    }

    fn of_rows<'s>(rows: impl Iterator<Item = &'s SummaryRow>, scores: &ScoreSums, part: Part) -> Self {
        let mut datasets: BTreeMap<&str, Vec<&SummaryRow>> = BTreeMap::new();
        for row in rows {
            let rows = datasets.entry(&row.dataset).or_default();
            rows.extend(row.is_ranked().then_some(row));
        }
        let tested = |(dataset, rows): (&str, Vec<&SummaryRow>)| {
            let rows = sorted(&rows, scores, part);
            let on_sites = scores.common(dataset, &keys(&rows), part);
            (dataset.to_owned(), Tested::of(rows, on_sites))
        };
        Separation { part, datasets: datasets.into_iter().map(tested).collect() }
    }

    /// The tested rows of `dataset`.
    pub fn of_dataset(&self, dataset: &str) -> Option<&Tested> {
        self.datasets.get(dataset)
    }

    /// True if two rows of one dataset are separated; `None` where not both were tested.
    pub fn are_separated(&self, one: &SummaryRow, other: &SummaryRow) -> Option<bool> {
        let tested = self.of_dataset(&one.dataset)?;
        let (one, other) = (tested.of_row(&one.key())?, tested.of_row(&other.key())?);
        Some(tested.pairs.are_separated(one.place, other.place))
    }

    /// The sites of `rows`, the settings of one figure, where they are too few for any of the tests that
    /// [`Separation::flat`] rests on.
    pub(crate) fn too_few_sites(&self, rows: &[&SummaryRow], scores: &ScoreSums) -> Option<TooFewSites> {
        let of_dataset = self.of_dataset(&rows.first()?.dataset).filter(|tested| !tested.is_empty());
        match of_dataset {
            Some(tested) => tested.too_few_sites(),
            None => {
                let own = sorted(rows, scores, self.part);
                let alike = scores.alike(&keys(&own), self.part);
                Tested::of(own, alike).too_few_sites()
            }
        }
    }

    /// Which of `rows`, the settings of one figure, are not separable from the best, and among which rows they were tested;
    /// `None` where that cannot be told: of too few sites, of too many settings, of pages that not every row has.
    pub fn flat(&self, rows: &[&SummaryRow], scores: &ScoreSums) -> Option<(Vec<bool>, Among)> {
        let own = sorted(rows, scores, self.part);
        let alike = scores.alike(&keys(&own), self.part).filter(|_| own.len() == rows.len())?;
        let of_dataset = self.of_dataset(&rows[0].dataset).and_then(|tested| tested.flat(rows));
        let flat = of_dataset.map(|flat| (flat, Among::Dataset));
        flat.or_else(|| Some((Tested::of(own, Some(alike)).flat(rows)?, Among::Figure)))
    }
}

impl Tested {
    /// Tests `rows` of one dataset, the best first, by what they come to on the pages that all of them have. Of too many rows,
    /// or without such a page, nothing is known of any.
    fn of(mut rows: Vec<&SummaryRow>, on_sites: Option<OnSites>) -> Self {
        let none = OnSites { pages: 0, without_site: 0, sites: 0, sums: Vec::new(), groups: Vec::new() };
        let OnSites { pages, without_site, sites, sums, groups } = on_sites.unwrap_or(none);
        if rows.len() > MOST_TESTED || pages == 0 {
            rows.clear();
        }
        let (sums, groups) = (&sums[..rows.len()], &groups[..rows.len()]);
        let pairs = AllPairs::of_sums((sums, sites), groups, Correction::Holm, &Sampling::default());
        let standing = |(place, row): (usize, &&SummaryRow)| {
            let ranks = ranks(place, rows.len(), |other| pairs.are_separated(place, other));
            (row.key(), Standing { place, letters: pairs.letters[place].clone(), ranks })
        };
        Tested { rows: rows.iter().enumerate().map(standing).collect(), pairs, pages, without_site, sites }
    }

    /// Where a row stands, if it was tested.
    pub fn of_row(&self, row: &RowKey) -> Option<&Standing> {
        self.rows.get(row)
    }

    /// The number of tests that p-values were corrected for.
    pub fn tests(&self) -> usize {
        self.pairs.tested
    }

    /// True if no row was tested: there are too many, or no page is one of every row's.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The sites, where they are too few for any of the tests; `None` where nothing was tested, too.
    pub(crate) fn too_few_sites(&self) -> Option<TooFewSites> {
        let few = TooFewSites::of(self.sites, self.pairs.tested, Correction::Holm);
        few.filter(|few| few.tests > 0)
    }

    /// Which of `rows` are not separable from the best of them; `None` where not all of them were tested, or on too few
    /// sites.
    pub fn flat(&self, rows: &[&SummaryRow]) -> Option<Vec<bool>> {
        if self.sites < FEW_SITES {
            return None;
        }
        let standings: Vec<&Standing> = rows.iter().map(|row| self.of_row(&row.key())).collect::<Option<_>>()?;
        // As in `best.rs`.
        let whole = rows.iter().map(|row| !row.is_whole());
        let (_, best) = whole.zip(&standings).min_by_key(|(is_cut, row)| (*is_cut, row.place))?;
        Some(standings.iter().map(|row| !self.pairs.are_separated(row.place, best.place)).collect())
    }
}

/// The datasets whose sites may be too few if every two of their rows have to be tested: rows with equal texts need no test.
/// Of very many sites a summary lists only some, which are enough for any test.
fn datasets_of_few_sites(summary: &Summary) -> BTreeSet<&str> {
    let mut datasets: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in summary.rows.iter().filter(|row| row.is_ranked() && row.pages > 0) {
        let (rows, sites) = datasets.entry(&row.dataset).or_default();
        *rows += 1;
        *sites = row.groups.get("site").map_or(0, BTreeMap::len).max(*sites);
    }
    let may_be_few = |&(_, &(rows, sites)): &(&str, &(usize, usize))| {
        rows > 1 && rows <= MOST_TESTED && TooFewSites::of(sites, rows * (rows - 1) / 2, Correction::Holm).is_some()
    };
    datasets.iter().map(|(name, counts)| (*name, counts)).filter(may_be_few).map(|(name, _)| name).collect()
}

fn keys(rows: &[&SummaryRow]) -> Vec<RowKey> {
    rows.iter().map(|row| row.key()).collect()
}

/// `rows` without those that have no page, the best first.
fn sorted<'r>(rows: &[&'r SummaryRow], scores: &ScoreSums, part: Part) -> Vec<&'r SummaryRow> {
    let mut rows: Vec<&SummaryRow> = rows.iter().copied().filter(|row| scores.pages(&row.key()) > 0).collect();
    let figure = |row: &SummaryRow| Figure(Aggregate::Macro, part).of(&row.aggregates);
    rows.sort_by(|one, other| figure(other).total_cmp(&figure(one)));
    rows
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

    #[test]
    fn a_row_may_have_the_places_of_those_that_it_is_not_separated_from() {
        let alike = [(0, 1), (1, 2), (1, 3), (2, 3)];
        let is_separated = |one: usize, other: usize| !alike.contains(&(one.min(other), one.max(other)));
        let ranks = [0, 1, 2, 3, 4].map(|place| ranks(place, 5, |other| is_separated(place, other)));
        assert_eq!(ranks, [[1, 2], [1, 4], [2, 4], [2, 4], [5, 5]]);
    }
}

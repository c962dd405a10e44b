//! The scores of a run page by page, read back from its `scores.csv`.

use std::collections::{BTreeMap, BTreeSet};

use super::row_names::is_meant;
use super::summary::SummaryRow;
use super::values::text_of;
use crate::scoring::{Counts, Score};
use crate::statistics::{Aggregates, Part, Sums, Totals};
use crate::text::marks::Marks;

/// Whose scores they are: dataset, algorithm, and what tells the row from others of its algorithm.
pub type RowKey = (String, String, String);

/// A row's score on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageScore {
    /// The page's site; of a page without one its id.
    pub site: String,
    /// `matched, extracted, gold`.
    pub counts: [u64; 3],
    /// Precision, recall and F1 in units of 1e-12; 0 where the page failed.
    pub score: [u64; 3],
    /// Whether the page failed.
    pub failed: bool,
    /// The first half of the SHA-256 of the extraction, zeros where there is none; `None` where it is not known.
    pub text: Option<[u8; 16]>,
}

/// The result of a row on a page: its algorithm, its parameters, and its score.
pub(crate) type RowScore<'s> = (&'s str, &'s str, &'s PageScore);

impl PageScore {
    /// The score that follows from `matched, extracted, gold`.
    pub fn new(site: String, counts: [u64; 3], failed: bool) -> Self {
        let [matched, extracted, gold] = counts;
        let score = if failed { Score::ZERO } else { Counts { matched, extracted, gold }.score() };
        PageScore { site, counts, score: score.values(), failed, text: None }
    }

    /// True if the page `id`, whose score it is, is of no known site, and so called by its id.
    pub(crate) fn has_no_site(&self, id: &str) -> bool {
        self.site == id
    }

    /// True if both are known to have one text with the same result.
    pub(crate) fn is_alike(&self, other: &PageScore) -> bool {
        let result = |page: &PageScore| (page.text, page.counts, page.score, page.failed);
        self.text.is_some() && result(self) == result(other)
    }
}

/// The scores of one row by page; pages that were not run are left out.
pub type RowScores = BTreeMap<String, PageScore>;

/// What a row extracted from a page, without the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageText {
    /// SHA-256 of the text.
    pub digest: Box<str>,
    /// What its tokens do not show.
    pub marks: Marks,
}

/// The texts of one row by page; pages without one are left out.
pub type RowTexts = BTreeMap<String, PageText>;

/// The scores of a run, by row.
pub type Scores = BTreeMap<RowKey, RowScores>;

/// What the pages of each site add up to, sites in the order of their names.
pub fn site_totals(row: &RowScores) -> Vec<Totals> {
    let mut sites: BTreeMap<&str, Totals> = BTreeMap::new();
    for page in row.values() {
        sites.entry(&page.site).or_default().add(page.counts, page.score);
    }
    sites.into_values().collect()
}

/// Every aggregate over the pages of `row`, as it stands in the summary of their run.
pub fn aggregates(row: &RowScores) -> Aggregates {
    let (mut totals, mut sites) = (Totals::default(), BTreeMap::<&str, Sums>::new());
    for page in row.values() {
        totals.add(page.counts, page.score);
        sites.entry(&page.site).or_default().add(page.score);
    }
    totals.aggregates(sites.into_values())
}

/// The pages that all of several rows have, with their sites.
pub struct CommonPages<'s> {
    /// Their ids, in order.
    pub pages: Vec<&'s String>,
    /// The name of each page's site.
    pub site_names: Vec<&'s str>,
    /// The number of each page's site.
    pub sites: Vec<usize>,
    /// How many sites there are.
    pub site_count: usize,
}

impl<'s> CommonPages<'s> {
    /// Of `rows`; of none there are none.
    pub fn of(rows: &[&'s RowScores]) -> Self {
        let first = rows.first().copied().into_iter().flatten();
        let common = first.filter(|(page, _)| rows.iter().all(|row| row.contains_key(*page)));
        let (pages, site_names): (Vec<&String>, Vec<&str>) =
            common.map(|(page, score)| (page, score.site.as_str())).unzip();
        // In the order of names, as in [`site_totals`]: a figure then has the same draws in either.
        let names: BTreeSet<&str> = site_names.iter().copied().collect();
        let numbers: BTreeMap<&str, usize> =
            names.into_iter().enumerate().map(|(number, name)| (name, number)).collect();
        let sites = site_names.iter().map(|name| numbers[name]).collect();
        CommonPages { pages, site_names, sites, site_count: numbers.len() }
    }

    /// How many of them are of no known site, and count as one each.
    pub fn without_site(&self) -> usize {
        self.pages.iter().zip(&self.site_names).filter(|(page, site)| page == site).count()
    }

    /// For each of `rows`, which have them all, the place of the first that extracted the same text from every page.
    pub fn groups(&self, rows: &[&'s RowScores]) -> Vec<usize> {
        let of_pages =
            |row: &&'s RowScores| -> Vec<&'s PageScore> { self.pages.iter().map(|page| &row[*page]).collect() };
        let rows: Vec<Vec<&PageScore>> = rows.iter().map(of_pages).collect();
        let mut groups: Vec<usize> = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let is_alike = |&first: &usize| {
                groups[first] == first && rows[first].iter().zip(row).all(|(one, other)| one.is_alike(other))
            };
            groups.push((0..place).find(is_alike).unwrap_or(place));
        }
        groups
    }

    /// The scores of `row`, which has them all: precision, recall or F1.
    pub fn scores(&self, row: &RowScores, part: Part) -> Vec<u64> {
        self.pages.iter().map(|page| row[*page].score[part as usize]).collect()
    }
}

impl SummaryRow {
    /// Where the row's scores stand among those of its run.
    pub fn key(&self) -> RowKey {
        (self.dataset.clone(), self.algorithm.clone(), self.label())
    }

    /// Whether `spec`, `NAME[:PARAMETER=VALUE|..,..]`, means the row: one of its algorithm, with one of the
    /// values of each parameter that is named. A stored system may be named without `stored/`, an external program
    /// without `external/`.
    pub fn is_meant_by(&self, spec: &str) -> bool {
        is_meant(spec, &self.algorithm, |name| self.parameters.get(name).map(text_of))
    }
}

//! The scores of a run, added up as they are read: what tables, letters and figures need of all pages. Memory grows with
//! rows times sites, not with pages.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::pages::PageLines;
use super::scores::{PageScore, RowKey, RowScore, Scores};
use super::sites::OfSite;
use super::summary::{Summary, SummaryRow};
use crate::statistics::{MOST_TESTED, ONE, Part, Totals};

/// Rows are compared on at most so many pages: sums of scores over all of them, in units of 1e-12, fit into an `i64`.
const MOST_COMPARED: u64 = i64::MAX as u64 / ONE;

/// Algorithm and parameters of a row.
type Name = (String, String);

/// The sums over the pages of a run, by dataset.
#[derive(Debug, Default)]
pub struct ScoreSums(BTreeMap<String, DatasetSums>);

/// The sums over the pages of a dataset.
#[derive(Debug, Default)]
struct DatasetSums {
    /// The numbers of the sites.
    sites: BTreeMap<String, usize>,
    rows: BTreeMap<Name, RowSums>,
    common: Common,
}

/// The sums over the pages of a row.
#[derive(Debug, Default)]
struct RowSums {
    pages: u64,
    /// Those of them that are of no known site.
    without_site: usize,
    /// By the number of the site.
    sites: Vec<OfSite<Totals>>,
    /// Over the ids of its pages.
    ids: Sha256,
    results: Results,
}

/// Rows on the pages that all of them have.
#[derive(Debug, Default)]
struct Common {
    rows: Vec<Name>,
    pages: usize,
    /// Those of them that are of no known site.
    without_site: usize,
    /// By the number of the site.
    site_pages: Vec<u64>,
    /// By row, and by the number of the site; of no use beyond [`MOST_COMPARED`] pages.
    sums: Vec<Vec<[u64; 3]>>,
    results: Vec<Results>,
}

/// The digest of what a row came to on each page, in their order; `None` once a text is not known.
#[derive(Clone, Debug)]
struct Results(Option<Sha256>);

impl Default for Results {
    fn default() -> Self {
        Results(Some(Sha256::new()))
    }
}

impl Results {
    fn add(&mut self, page: &PageScore) {
        let (Some(digest), Some(text)) = (&mut self.0, page.text) else {
            self.0 = None;
            return;
        };
        digest.update(text);
        page.counts.iter().chain(&page.score).for_each(|number| digest.update(number.to_le_bytes()));
        digest.update([u8::from(page.failed)]);
    }

    fn finish(&self) -> Option<[u8; 32]> {
        self.0.clone().map(|digest| digest.finalize().into())
    }
}

/// Rows on the same pages, by site.
pub(super) struct OnSites {
    /// The number of these pages.
    pub(super) pages: usize,
    /// Those of them that are of no known site, and count as one each.
    pub(super) without_site: usize,
    /// The number of their sites.
    pub(super) sites: usize,
    /// For each row the sum of its scores on each site, sites in the order of their names.
    pub(super) sums: Vec<Vec<i64>>,
    /// For each row the place of the first that extracted the same text from every page.
    pub(super) groups: Vec<usize>,
}

/// The item at the place, which is made if it is not there.
fn at<T: Clone + Default>(list: &mut Vec<T>, place: usize) -> &mut T {
    if list.len() <= place {
        list.resize(place + 1, T::default());
    }
    &mut list[place]
}

impl ScoreSums {
    /// Of no page yet. Of the rows of `summary` that are ranked and have pages it is known what they come to on the pages that
    /// all of them have.
    pub fn new(summary: &Summary) -> Self {
        Self::over(summary, |row| row.pages > 0)
    }

    fn over(summary: &Summary, has_pages: impl Fn(&SummaryRow) -> bool) -> Self {
        let mut datasets: BTreeMap<String, DatasetSums> = BTreeMap::new();
        for row in &summary.rows {
            let dataset = datasets.entry(row.dataset.clone()).or_default();
            if row.is_ranked() && has_pages(row) {
                dataset.common.rows.push((row.algorithm.clone(), row.label()));
            }
        }
        for DatasetSums { common, .. } in datasets.values_mut() {
            // Of too many rows none is tested, and the number of pages is enough.
            let tested = if common.rows.len() > MOST_TESTED { 0 } else { common.rows.len() };
            common.sums = vec![Vec::new(); tested];
            common.results = vec![Results::default(); tested];
        }
        ScoreSums(datasets)
    }

    /// Of scores that are held.
    pub fn of(summary: &Summary, scores: &Scores) -> Self {
        let mut sums = Self::over(summary, |row| scores.get(&row.key()).is_some_and(|scores| !scores.is_empty()));
        let mut pages: BTreeMap<(&str, &str), Vec<RowScore<'_>>> = BTreeMap::new();
        for ((dataset, algorithm, parameters), row) in scores {
            for (page, score) in row {
                pages.entry((dataset, page)).or_default().push((algorithm, parameters, score));
            }
        }
        for ((dataset, page), rows) in pages {
            sums.add(dataset, page, &rows);
        }
        sums
    }

    /// Adds a page of a run as it is read.
    pub(super) fn add_page(&mut self, page: &PageLines<'_>) {
        let scores: Vec<(&str, &str, PageScore)> = page.scores().collect();
        let scores: Vec<RowScore<'_>> =
            scores.iter().map(|(algorithm, setting, score)| (*algorithm, *setting, score)).collect();
        self.add(page.dataset(), page.id(), &scores);
    }

    /// Adds a page: what each row that was run on it came to.
    pub(crate) fn add(&mut self, dataset: &str, page: &str, rows: &[RowScore<'_>]) {
        let Some((.., first)) = rows.first() else { return };
        if !self.0.contains_key(dataset) {
            self.0.insert(dataset.to_owned(), DatasetSums::default());
        }
        let Some(DatasetSums { sites, rows: known, common }) = self.0.get_mut(dataset) else { return };
        let site = match sites.get(&first.site) {
            Some(&site) => site,
            None => {
                sites.insert(first.site.clone(), sites.len());
                sites.len() - 1
            }
        };
        for (algorithm, parameters, score) in rows {
            let row = known.entry(((*algorithm).to_owned(), (*parameters).to_owned())).or_default();
            row.pages += 1;
            row.without_site += usize::from(score.has_no_site(page));
            at(&mut row.sites, site).add([score.counts, score.score]);
            row.ids.update((page.len() as u64).to_le_bytes());
            row.ids.update(page);
            row.results.add(score);
        }
        common.add(site, first.has_no_site(page), rows);
    }

    fn row(&self, (dataset, algorithm, parameters): &RowKey) -> Option<(&DatasetSums, &RowSums)> {
        let dataset = self.0.get(dataset)?;
        Some((dataset, dataset.rows.get(&(algorithm.clone(), parameters.clone()))?))
    }

    /// The pages of a row.
    pub fn pages(&self, row: &RowKey) -> u64 {
        self.row(row).map_or(0, |(_, row)| row.pages)
    }

    /// The sums over the pages of each site under a row, sites in the order of their names.
    pub fn site_totals(&self, row: &RowKey) -> Vec<Totals> {
        let Some((dataset, row)) = self.row(row) else { return Vec::new() };
        dataset.sites.values().filter_map(|&site| row.sites.get(site)?.sums()).collect()
    }

    /// The ranked rows of a dataset on the pages that all of them have, in this order; there are no sums of too many rows.
    /// `None` of too many pages.
    pub(super) fn common(&self, dataset: &str, rows: &[RowKey], part: Part) -> Option<OnSites> {
        let DatasetSums { sites, common, .. } = self.0.get(dataset)?;
        if common.pages as u64 > MOST_COMPARED {
            return None;
        }
        let has_pages = |site: usize| common.site_pages.get(site).is_some_and(|&pages| pages > 0);
        let sites: Vec<usize> = sites.values().copied().filter(|&site| has_pages(site)).collect();
        let place = |(_, algorithm, parameters): &RowKey| {
            common.rows.iter().position(|(own, setting)| (own, setting) == (algorithm, parameters))
        };
        let places: Vec<usize> = rows.iter().map(place).collect::<Option<_>>()?;
        let tested = |&&place: &&usize| place < common.sums.len();
        let of_row = |&place: &usize| {
            let sum = |&site: &usize| common.sums[place].get(site).map_or(0, |sums| sums[part as usize] as i64);
            sites.iter().map(sum).collect()
        };
        Some(OnSites {
            pages: common.pages,
            without_site: common.without_site,
            sites: sites.len(),
            sums: places.iter().filter(tested).map(of_row).collect(),
            groups: groups(places.iter().filter(tested).map(|&place| common.results[place].finish())),
        })
    }

    /// Rows of one dataset that have the same pages; `None` where they have not, and of too many pages.
    pub(super) fn alike(&self, rows: &[RowKey], part: Part) -> Option<OnSites> {
        let known: Vec<(&DatasetSums, &RowSums)> = rows.iter().map(|row| self.row(row)).collect::<Option<_>>()?;
        let (dataset, first) = known.first()?;
        let ids = |row: &RowSums| row.ids.clone().finalize();
        if first.pages > MOST_COMPARED || known.iter().any(|(_, row)| ids(row) != ids(first)) {
            return None;
        }
        let totals = |row: &RowSums, site: usize| row.sites.get(site).and_then(OfSite::sums);
        let sites: Vec<usize> = dataset.sites.values().copied().filter(|&site| totals(first, site).is_some()).collect();
        let of_row = |(_, row): &(&DatasetSums, &RowSums)| {
            let of_site = |totals: Totals| totals.sums().scores()[part as usize] as i64;
            sites.iter().map(|&site| totals(row, site).map_or(0, of_site)).collect()
        };
        Some(OnSites {
            pages: first.pages as usize,
            without_site: first.without_site,
            sites: sites.len(),
            sums: known.iter().map(of_row).collect(),
            groups: groups(known.iter().map(|(_, row)| row.results.finish())),
        })
    }
}

impl Common {
    /// Adds a page of a site, if all rows have it.
    fn add(&mut self, site: usize, has_no_site: bool, rows: &[RowScore<'_>]) {
        let of_row = |(algorithm, parameters): &Name| {
            rows.iter().find(|(own, setting, _)| (*own, *setting) == (algorithm.as_str(), parameters.as_str()))
        };
        let Some(all) = self.rows.iter().map(of_row).collect::<Option<Vec<_>>>() else { return };
        if all.is_empty() {
            return;
        }
        self.pages += 1;
        self.without_site += usize::from(has_no_site);
        *at(&mut self.site_pages, site) += 1;
        for (((.., page), sums), results) in all.into_iter().zip(&mut self.sums).zip(&mut self.results) {
            let sums = at(sums, site);
            *sums = std::array::from_fn(|i| sums[i].wrapping_add(page.score[i]));
            results.add(page);
        }
    }
}

/// For each row the place of the first with the same digest; a row without one is alone.
fn groups(digests: impl Iterator<Item = Option<[u8; 32]>>) -> Vec<usize> {
    let mut first: BTreeMap<[u8; 32], usize> = BTreeMap::new();
    let of_row =
        |(place, digest): (usize, Option<[u8; 32]>)| digest.map_or(place, |known| *first.entry(known).or_insert(place));
    digests.enumerate().map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::scores::{CommonPages, RowScores, site_totals};

    fn key(name: &str) -> RowKey {
        ("d".to_owned(), name.to_owned(), String::new())
    }

    /// Three rows on pages of four sites, and four of no known site; the last row was not run on every fifth page, and the second extracts what the
    /// first does.
    fn scores() -> Scores {
        let row = |matched: fn(u64) -> u64, has: fn(u64) -> bool| -> RowScores {
            let page = |id: u64| {
                let known = format!("s{}", (id * 7) % 4);
                let site = if id % 11 == 3 { format!("p{id:02}") } else { known };
                let text = Some([matched(id) as u8; 16]);
                (format!("p{id:02}"), PageScore { text, ..PageScore::new(site, [matched(id), 60, 50], id % 9 == 4) })
            };
            (0..40).filter(|&id| has(id)).map(page).collect()
        };
        let rows = [row(|id| id, |_| true), row(|id| id, |_| true), row(|id| 50 - id, |id| id % 5 > 0)];
        ["a", "b", "c"].map(key).into_iter().zip(rows).collect()
    }

    #[test]
    fn sums_are_those_of_scores_that_are_held() {
        let scores = scores();
        let mut sums = ScoreSums::default();
        let names = ["a", "b", "c"].map(|name| (name.to_owned(), String::new()));
        let common = Common {
            rows: names.into(),
            sums: vec![Vec::new(); 3],
            results: vec![Results::default(); 3],
            ..Common::default()
        };
        sums.0.insert("d".to_owned(), DatasetSums { common, ..DatasetSums::default() });
        // Not in the order of ids: a run has its own.
        for id in (0..40).map(|id| (id * 3) % 40) {
            let page = format!("p{id:02}");
            let of = |(key, row): (&'_ RowKey, &'_ RowScores)| Some((key.1.clone(), row.get(&page)?.clone()));
            let rows: Vec<(String, PageScore)> = scores.iter().filter_map(of).collect();
            let rows: Vec<(&str, &str, &PageScore)> =
                rows.iter().map(|(name, score)| (name.as_str(), "", score)).collect();
            sums.add("d", &page, &rows);
        }
        for (key, row) in &scores {
            assert_eq!(sums.pages(key), row.len() as u64);
            let shown = |totals: Vec<Totals>| format!("{totals:?}");
            assert_eq!(shown(sums.site_totals(key)), shown(site_totals(row)));
        }
        let rows: Vec<&RowScores> = scores.values().collect();
        let pages = CommonPages::of(&rows);
        let keys: Vec<RowKey> = scores.keys().cloned().collect();
        let on_sites = sums.common("d", &keys, Part::F1).unwrap();
        assert_eq!((on_sites.pages, on_sites.sites), (pages.pages.len(), pages.site_count));
        assert_eq!((on_sites.without_site, pages.without_site()), (3, 3), "3, 14 and 36; the third row lacks 25");
        assert_eq!(on_sites.groups, pages.groups(&rows));
        for (row, own) in rows.iter().zip(&on_sites.sums) {
            let mut expected = vec![0; pages.site_count];
            let of_pages = pages.scores(row, Part::F1);
            of_pages.iter().zip(&pages.sites).for_each(|(&score, &site)| expected[site] += score as i64);
            assert_eq!(*own, expected);
        }
        let alike = sums.alike(&keys[..2], Part::F1).unwrap();
        assert_eq!((alike.pages, alike.without_site, alike.groups), (40, 4, vec![0, 0]));
        assert!(sums.alike(&keys, Part::F1).is_none(), "the third has other pages");
    }

    #[test]
    fn more_pages_than_sums_can_hold_are_not_compared() {
        let own = ("a".to_owned(), String::new());
        for (pages, is_compared) in [(MOST_COMPARED, true), (MOST_COMPARED + 1, false)] {
            let of_site = OfSite::One([[50, 60, 50], [ONE; 3]]);
            let row = RowSums { pages, sites: vec![of_site], ..RowSums::default() };
            let common = Common {
                rows: vec![own.clone()],
                without_site: 0,
                pages: pages as usize,
                site_pages: vec![pages],
                sums: vec![vec![[pages * ONE; 3]]],
                results: vec![Results::default()],
            };
            let (sites, rows) = ([("s".to_owned(), 0)].into(), [(own.clone(), row)].into());
            let sums = ScoreSums([("d".to_owned(), DatasetSums { sites, rows, common })].into());
            let on_sites = sums.common("d", &[key("a")], Part::F1);
            assert_eq!(on_sites.map(|on_sites| on_sites.sums[0][0]), is_compared.then_some((pages * ONE) as i64));
            assert_eq!(sums.alike(&[key("a")], Part::F1).is_some(), is_compared);
        }
    }
}

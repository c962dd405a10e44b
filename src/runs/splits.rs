//! Splits that are drawn: a share of a dataset's sites or pages, and the rest. Which pages are drawn is a function of
//! the dataset and the seed; filters come after, so that a site is on the same side in every run.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::datasets::manifest::Record;
use crate::datasets::records::Records;
use crate::datasets::{Dataset, DatasetError};
use crate::page::primary_language;
use crate::statistics::{Purpose, distinct, shuffled};

/// The seed where none is given.
const SEED: u64 = 1;

/// A split that is drawn, written `site:20%`, `site:20%:rest` or `page:20%:seed=7`. No split of a page list can have
/// such a name. It is written with its seed, and so it stands in a run's conditions.
///
/// ```
/// use carat::runs::splits::DrawnSplit;
/// let split: DrawnSplit = "site:20%:rest".parse().unwrap();
/// assert_eq!(split.to_string(), "site:20%:rest:seed=1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnSplit {
    unit: Unit,
    /// Of a hundred, 1 to 99.
    percent: u32,
    seed: u64,
    /// What was not drawn, instead of what was.
    is_rest: bool,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// Whole sites, so that no site is on both sides; each language and each kind gives its share.
    Site,
    /// Pages, whatever their sites: as in the CEVC paper, which reads its threshold off 20 % of the pages.
    Page,
}

impl fmt::Display for DrawnSplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Site => "site",
            Unit::Page => "page",
        };
        let rest = if self.is_rest { ":rest" } else { "" };
        write!(f, "{unit}:{}%{rest}:seed={}", self.percent, self.seed)
    }
}

impl FromStr for DrawnSplit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || {
            format!("`{text}` is no split: a page list's name, or site:20%, site:20%:rest, page:20%, each with :seed=N")
        };
        let mut parts = text.split(':');
        let unit = match parts.next() {
            Some("site") => Unit::Site,
            Some("page") => Unit::Page,
            _ => return Err(fault()),
        };
        let percent = parts.next().and_then(|share| share.strip_suffix('%')).ok_or_else(fault)?;
        let percent: u32 = percent.parse().map_err(|_| fault())?;
        if !(1..=99).contains(&percent) {
            return Err(format!("`{text}`: the share is 1% to 99%"));
        }
        let mut split = DrawnSplit { unit, percent, seed: SEED, is_rest: false };
        let mut rest = parts.peekable();
        split.is_rest = rest.next_if_eq(&"rest").is_some();
        if let Some(seed) = rest.next() {
            let seed = seed.strip_prefix("seed=").ok_or_else(fault)?;
            split.seed = seed.parse().map_err(|_| format!("`{text}`: the seed is a whole number below 2^64"))?;
        }
        if rest.next().is_some() { Err(fault()) } else { Ok(split) }
    }
}

/// Checks a split as it was written, and writes it as conditions do: with its seed where it is drawn.
///
/// # Errors
/// A sentence: it has a `:`, and is not of the grammar of drawn splits.
pub fn canonical(written: &str) -> Result<String, String> {
    if !written.contains(':') {
        return Ok(written.to_owned());
    }
    written.parse::<DrawnSplit>().map(|split| split.to_string())
}

impl DrawnSplit {
    /// The pages that it leaves.
    pub fn rest(self) -> Self {
        DrawnSplit { is_rest: !self.is_rest, ..self }
    }

    /// Keeps the pages of the split in `dataset`.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed.
    pub fn keep(&self, dataset: &mut Dataset) -> Result<(), DatasetError> {
        let records = &mut dataset.records;
        match self.unit {
            Unit::Page => {
                let drawn = drawn_pages(records.len(), self.percent, self.seed, 0);
                records.retain_at(|page, _| drawn.contains(&(page as u32)) != self.is_rest)
            }
            Unit::Site => {
                let drawn = drawn_sites(records, self.percent, self.seed)?;
                records.retain_at(|_, record| drawn[site_of(record)] != self.is_rest)
            }
        }
    }
}

/// `percent` of so many pages, rounded up, each choice of them equally likely; the `task`th draw of this seed.
pub fn drawn_pages(pages: usize, percent: u32, seed: u64, task: u64) -> std::collections::BTreeSet<u32> {
    let drawn = (pages * percent as usize).div_ceil(100);
    distinct(seed, Purpose::Pages, task, pages as u32, drawn as u32)
}

fn site_of(record: &Record) -> &str {
    record.site_or_id()
}

/// A language and a kind of pages, each empty where none is stated.
type Stratum = (String, String);

/// Which sites are drawn: about `percent` of the pages of each language and kind.
fn drawn_sites(records: &Records, percent: u32, seed: u64) -> Result<BTreeMap<String, bool>, DatasetError> {
    let mut strata: BTreeMap<String, BTreeMap<Stratum, usize>> = BTreeMap::new();
    for record in records.iter() {
        let record = record?;
        let language = record.language.as_deref().and_then(primary_language).unwrap_or_default();
        let stratum = (language, record.kind.clone().unwrap_or_default());
        *strata.entry(site_of(&record).to_owned()).or_default().entry(stratum).or_default() += 1;
    }
    // A site is of the stratum of most of its pages; of equally common ones of the first by name.
    let mut by_stratum: BTreeMap<Stratum, Vec<(String, usize)>> = BTreeMap::new();
    for (site, strata) in strata {
        let pages = strata.values().sum();
        let commonest = strata.into_iter().rev().max_by_key(|(_, pages)| *pages);
        by_stratum.entry(commonest.map(|(stratum, _)| stratum).unwrap_or_default()).or_default().push((site, pages));
    }
    Ok(dealt(by_stratum.into_values(), percent, seed))
}

/// Deals sites, stratum by stratum, each in an order that the seed decides: a site is drawn where that brings the drawn
/// pages nearer to their share of all dealt so far. So the drawn pages are never off by more than half a site, and
/// small strata together give their share too.
fn dealt(strata: impl Iterator<Item = Vec<(String, usize)>>, percent: u32, seed: u64) -> BTreeMap<String, bool> {
    // In hundredths of pages: what is to be drawn of all pages so far, less what was.
    let mut owed: i64 = 0;
    let mut drawn = BTreeMap::new();
    for (stratum, sites) in strata.enumerate() {
        for place in shuffled(seed, Purpose::Sites, stratum as u64, sites.len() as u32) {
            let (site, pages) = &sites[place as usize];
            let pages = *pages as i64;
            owed += pages * i64::from(percent);
            let takes = owed > 50 * pages;
            if takes {
                owed -= 100 * pages;
            }
            drawn.insert(site.clone(), takes);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::locate::locate;

    fn ids(split: &str) -> Vec<String> {
        let mut dataset = locate("portals").unwrap();
        split.parse::<DrawnSplit>().unwrap().keep(&mut dataset).unwrap();
        dataset.records.iter().map(|record| record.unwrap().id.clone()).collect()
    }

    #[test]
    fn the_grammar_is_written_as_it_is_read() {
        for (written, shown) in [
            ("site:20%", "site:20%:seed=1"),
            ("site:20%:rest", "site:20%:rest:seed=1"),
            ("page:5%:seed=7", "page:5%:seed=7"),
            ("page:99%:rest:seed=18446744073709551615", "page:99%:rest:seed=18446744073709551615"),
        ] {
            let split: DrawnSplit = written.parse().unwrap();
            assert_eq!(split.to_string(), shown);
            assert_eq!(shown.parse::<DrawnSplit>().unwrap(), split);
        }
        assert_eq!(canonical("test").unwrap(), "test");
        for wrong in
            ["site:20", "site:0%", "site:100%", "sites:20%", "site:20%:seed=x", "site:20%:seed=1:rest", "site:"]
        {
            assert!(canonical(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_split_and_its_rest_are_all_pages_and_share_no_site() {
        let all: Vec<String> =
            locate("portals").unwrap().records.iter().map(|record| record.unwrap().id.clone()).collect();
        for unit in ["site", "page"] {
            let (drawn, rest) = (ids(&format!("{unit}:30%")), ids(&format!("{unit}:30%:rest")));
            assert!(!drawn.is_empty() && !rest.is_empty(), "{unit}");
            assert!(drawn.iter().all(|id| !rest.contains(id)));
            let mut both = [drawn.clone(), rest].concat();
            let mut sorted = all.clone();
            both.sort_unstable();
            sorted.sort_unstable();
            assert_eq!(both, sorted, "{unit}");
            assert_eq!(drawn, ids(&format!("{unit}:30%")), "{unit}");
            assert!((2..20).any(|seed| drawn != ids(&format!("{unit}:30%:seed={seed}"))), "{unit}");
        }
        let mut dataset = locate("portals").unwrap();
        "site:30%".parse::<DrawnSplit>().unwrap().keep(&mut dataset).unwrap();
        let sites: Vec<String> = dataset.records.iter().map(|record| record.unwrap().site.clone().unwrap()).collect();
        let mut rest = locate("portals").unwrap();
        "site:30%:rest".parse::<DrawnSplit>().unwrap().keep(&mut rest).unwrap();
        assert!(rest.records.iter().all(|record| !sites.contains(record.unwrap().site.as_ref().unwrap())));
    }

    #[test]
    fn every_stratum_gives_its_share() {
        let sites = |stratum: usize, count: usize, pages: usize| -> Vec<(String, usize)> {
            (0..count).map(|site| (format!("{stratum}.{site:03}"), pages)).collect()
        };
        for seed in 0..20 {
            let strata = [sites(0, 100, 1), sites(1, 50, 2), sites(2, 20, 5)];
            let drawn = dealt(strata.into_iter(), 20, seed);
            for stratum in ["0.", "1.", "2."] {
                let of_stratum: Vec<bool> =
                    drawn.iter().filter(|(site, _)| site.starts_with(stratum)).map(|(_, &takes)| takes).collect();
                let taken = of_stratum.iter().filter(|&&takes| takes).count();
                assert!(taken.abs_diff(of_stratum.len() / 5) <= 1, "{stratum} {taken} of {}", of_stratum.len());
            }
        }
        // A hundred kinds of one page each: small strata give their share together.
        let single = (0..100).map(|stratum| sites(stratum, 1, 1));
        assert_eq!(dealt(single, 20, 1).values().filter(|&&takes| takes).count(), 20);
    }

    #[test]
    fn each_site_is_as_likely_as_any_other() {
        let sites: Vec<(String, usize)> = (0..10).map(|site| (site.to_string(), 1)).collect();
        let mut times = BTreeMap::<String, usize>::new();
        for seed in 0..2000 {
            for (site, takes) in dealt([sites.clone()].into_iter(), 30, seed) {
                *times.entry(site).or_default() += usize::from(takes);
            }
        }
        // Six standard deviations of a binomial count of 2000 at 0.3.
        assert!(times.values().all(|&times| times.abs_diff(600) < 124), "{times:?}");
    }

    #[test]
    fn pages_are_drawn_as_the_paper_draws_them() {
        let drawn: Vec<usize> = drawn_pages(154, 20, 1, 0).into_iter().map(|page| page as usize).collect();
        assert_eq!(drawn.len(), 31);
        let dataset = locate("portals").unwrap();
        let expected: Vec<String> = drawn.iter().map(|&page| dataset.records.get(page).unwrap().id.clone()).collect();
        assert_eq!(ids("page:20%"), expected);
    }
}

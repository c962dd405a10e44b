//! Pages parted into folds: whole sites, each language spread over all folds.

use std::collections::BTreeMap;

use crate::runs::configuration::tuning::Folds;
use crate::runs::settings::TunedPage;
use crate::statistics::{Purpose, shuffled};

/// Fewer sites than this are held out one by one.
const ONE_BY_ONE: usize = 10;

/// From so many sites on there are ten folds, below it five.
const MANY: usize = 50;

/// The sites of pages, numbered in the order of their names.
pub(super) struct Sites {
    /// The number of each page's site.
    pub(super) of_pages: Vec<usize>,
    /// How many there are.
    pub(super) count: usize,
    /// Each site's pages and its commonest language; of equally common ones the first by name.
    known: Vec<(usize, String)>,
}

/// How many folds so many sites are parted into.
///
/// # Errors
/// A sentence: more folds than sites, or a single site.
pub(super) fn folds(sites: usize, asked: Option<Folds>) -> Result<usize, String> {
    if sites < 2 {
        return Err(format!("its pages are of {sites} site, and it takes two to choose on one and judge on the other"));
    }
    match asked {
        Some(Folds::Number(number)) if number > sites => {
            Err(format!("{number} folds of whole sites need {number} sites, and there are {sites}"))
        }
        Some(Folds::Number(number)) => Ok(number),
        Some(Folds::Site) => Ok(sites),
        None if sites < ONE_BY_ONE => Ok(sites),
        None if sites < MANY => Ok(5),
        None => Ok(10),
    }
}

impl Sites {
    pub(super) fn of(pages: &[TunedPage]) -> Self {
        let mut languages: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for page in pages {
            let language = page.language.as_deref().unwrap_or_default();
            *languages.entry(&page.site).or_default().entry(language).or_default() += 1;
        }
        let commonest = |languages: &BTreeMap<&str, usize>| {
            let first = languages.iter().rev().max_by_key(|(_, pages)| **pages);
            (languages.values().sum(), first.map_or("", |(language, _)| language).to_owned())
        };
        let known: Vec<(usize, String)> = languages.values().map(commonest).collect();
        let numbers: BTreeMap<&str, usize> =
            languages.into_keys().enumerate().map(|(number, name)| (name, number)).collect();
        let of_pages = pages.iter().map(|page| numbers[page.site.as_str()]).collect();
        Sites { of_pages, count: known.len(), known }
    }

    /// Each site's fold. Language by language, in the order of their names, sites are dealt out, large ones first and
    /// equally large ones in an order that the seed decides: each to the fold that has fewest pages of its language;
    /// of several to the one that has fewest pages at all, and of these to the first.
    pub(super) fn dealt(&self, folds: usize, seed: u64) -> Vec<usize> {
        let mut by_language: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (site, (_, language)) in self.known.iter().enumerate() {
            by_language.entry(language).or_default().push(site);
        }
        let mut dealt = vec![0; self.count];
        let mut pages = vec![0; folds];
        for (task, sites) in by_language.values().enumerate() {
            let order = shuffled(seed, Purpose::Folds, task as u64, sites.len() as u32);
            let mut order: Vec<usize> = order.into_iter().map(|place| sites[place as usize]).collect();
            order.sort_by_key(|&site| std::cmp::Reverse(self.known[site].0));
            let mut of_language = vec![0; folds];
            for site in order {
                let fold = (0..folds).min_by_key(|&fold| (of_language[fold], pages[fold])).unwrap_or_default();
                dealt[site] = fold;
                of_language[fold] += self.known[site].0;
                pages[fold] += self.known[site].0;
            }
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages given as site and language.
    fn sites(pages: &[(&str, &str)]) -> Sites {
        let page = |(number, (site, language)): (usize, &(&str, &str))| TunedPage {
            id: number.to_string(),
            site: (*site).to_owned(),
            language: Some((*language).to_owned()),
        };
        Sites::of(&pages.iter().enumerate().map(page).collect::<Vec<_>>())
    }

    #[test]
    fn sites_stay_whole_and_languages_are_spread() {
        let mut pages = Vec::new();
        let names: Vec<String> = (0..30).map(|site| format!("s{site:02}")).collect();
        for (number, name) in names.iter().enumerate() {
            let language = if number < 20 { "zh" } else { "en" };
            (0..1 + number % 4).for_each(|_| pages.push((name.as_str(), language)));
        }
        let sites = sites(&pages);
        let folds = sites.dealt(5, 1);
        for language in ["zh", "en"] {
            let mut counts = [0; 5];
            for (page, (_, of_page)) in pages.iter().enumerate() {
                counts[folds[sites.of_pages[page]]] += usize::from(*of_page == language);
            }
            // zh: 50 pages, 10 a fold; en: 26 pages.
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{language} {counts:?}");
        }
        assert_eq!(folds, sites.dealt(5, 1));
        assert_ne!(folds, sites.dealt(5, 2));
    }

    #[test]
    fn by_hand() {
        // a: 3 pages, b: 2, c: 1, d: 1, whatever the seed: a alone, b and c or d, then the other one to the less full.
        let sites = sites(&[("a", "x"), ("a", "x"), ("a", "x"), ("b", "x"), ("b", "x"), ("c", "x"), ("d", "x")]);
        for seed in 1..20 {
            let folds = sites.dealt(2, seed);
            assert_eq!((folds[0], folds[1]), (0, 1), "{folds:?}");
            let mut last = [folds[2], folds[3]];
            last.sort_unstable();
            assert_eq!(last, [0, 1], "{folds:?}");
        }
    }

    #[test]
    fn no_fold_is_empty_and_a_site_has_its_commonest_language() {
        let sites = sites(&[("a", "en"), ("b", "fr"), ("c", "zh"), ("c", "en"), ("c", "zh")]);
        assert_eq!(sites.known[2], (3, "zh".to_owned()));
        let mut folds = sites.dealt(3, 1);
        folds.sort_unstable();
        assert_eq!(folds, [0, 1, 2]);
    }

    #[test]
    fn folds_follow_the_number_of_sites() {
        assert_eq!(
            [folds(2, None), folds(9, None), folds(10, None), folds(49, None), folds(50, None)].map(Result::unwrap),
            [2, 9, 5, 5, 10]
        );
        assert_eq!((folds(30, Some(Folds::Site)), folds(30, Some(Folds::Number(3)))), (Ok(30), Ok(3)));
        assert!(folds(1, None).unwrap_err().contains("of 1 site"));
        assert!(folds(4, Some(Folds::Number(5))).unwrap_err().contains("need 5 sites, and there are 4"));
    }
}

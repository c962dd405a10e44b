//! Sites, of which a dataset may have a million: where no site is known each page is one of its own.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::mem;

use crate::statistics::{Sums, Totals};

/// A summary lists at most so many sites of a dataset, those with most pages.
pub(crate) const MOST_SITES: usize = 10_000;

/// Leaves of too many `sites`, which come in the order of their names, those with most pages, and of equal ones the first.
pub(super) fn keep_most_pages<S>(sites: &mut Vec<S>, pages: impl Fn(&S) -> u64) {
    if sites.len() <= MOST_SITES {
        return;
    }
    let mut places: Vec<usize> = (0..sites.len()).collect();
    places.sort_by_key(|&place| Reverse(pages(&sites[place])));
    let kept: BTreeSet<usize> = places.into_iter().take(MOST_SITES).collect();
    let mut places = 0..;
    sites.retain(|_| places.next().is_some_and(|place| kept.contains(&place)));
}

/// Sums that pages are added to, one by one.
pub(super) trait Adds: Default {
    /// The part of a page that is added.
    type Page: Copy;

    /// Adds a page.
    fn add_page(&mut self, page: Self::Page);
}

impl Adds for Sums {
    /// Precision, recall and F1.
    type Page = [u64; 3];

    fn add_page(&mut self, score: [u64; 3]) {
        self.add(score);
    }
}

impl Adds for Totals {
    /// `matched, extracted, gold`, and the scores.
    type Page = [[u64; 3]; 2];

    fn add_page(&mut self, [counts, score]: [[u64; 3]; 2]) {
        self.add(counts, score);
    }
}

/// The pages of one site under a row. Of very many sites most have one page, which is held as it is: that takes half of the
/// memory of sums, or less.
#[derive(Clone, Debug, Default)]
pub(super) enum OfSite<S: Adds> {
    /// No page.
    #[default]
    None,
    /// A single page.
    One(S::Page),
    /// The sums of several pages.
    More(Box<S>),
}

impl<S: Adds + Copy> OfSite<S> {
    /// Adds a page.
    pub(super) fn add(&mut self, page: S::Page) {
        *self = match mem::take(self) {
            OfSite::None => OfSite::One(page),
            OfSite::One(first) => {
                let mut sums = S::default();
                sums.add_page(first);
                sums.add_page(page);
                OfSite::More(Box::new(sums))
            }
            OfSite::More(mut sums) => {
                sums.add_page(page);
                OfSite::More(sums)
            }
        };
    }

    /// The sums; `None` of no page.
    pub(super) fn sums(&self) -> Option<S> {
        match self {
            OfSite::None => None,
            OfSite::One(page) => {
                let mut sums = S::default();
                sums.add_page(*page);
                Some(sums)
            }
            OfSite::More(sums) => Some(**sums),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_sites_those_with_most_pages_stay_in_their_order() {
        let kept = |count: usize| {
            let mut sites: Vec<usize> = (0..count).collect();
            keep_most_pages(&mut sites, |&site| if site + 1 == count { 2 } else { 1 });
            sites
        };
        assert_eq!(kept(MOST_SITES), (0..MOST_SITES).collect::<Vec<_>>());
        // Of sites with equally many pages the first stay.
        assert_eq!(kept(MOST_SITES + 2), (0..MOST_SITES - 1).chain([MOST_SITES + 1]).collect::<Vec<_>>());
    }

    #[test]
    fn pages_add_up_as_in_sums_and_one_takes_less_than_half() {
        let (mut sums, mut of_site) = (Totals::default(), OfSite::<Totals>::default());
        assert!(of_site.sums().is_none());
        for page in 1..4 {
            let [counts, score] = [[page, 2 * page, 3 * page], [page, page + 1, page + 2]];
            sums.add(counts, score);
            of_site.add([counts, score]);
            assert_eq!(format!("{:?}", of_site.sums().unwrap()), format!("{sums:?}"), "{page}");
        }
        assert!(2 * size_of::<OfSite<Totals>>() < size_of::<Totals>());
        assert!(2 * size_of::<OfSite<Sums>>() <= size_of::<Sums>());
    }
}

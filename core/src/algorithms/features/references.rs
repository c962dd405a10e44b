//! Which other page of its group a page is held against: the one with the most similar layout, or address.
//!
//! Layouts are multisets of tag paths from the body to its leaves; addresses are compared level by level.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::groups::{Group, Groups};
use super::paths::{Bag, TagPaths};
use crate::algorithms::group::Pages;
use crate::algorithms::value::Value;
use crate::text::urls::host_of;

/// What makes a page similar to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceBy {
    /// Its layout.
    Path,
    /// Its address where both pages have one, and, of equals, its layout.
    UrlPath,
}

/// A page beside another one of its group; the greatest is the nearest, of equals the first in the dataset's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// 0 where addresses do not count or one of them is not known.
    address: Value,
    /// How similar the layouts are, 0..=1.
    pub layout: Value,
    query: Value,
    page: Reverse<usize>,
}

impl Neighbour {
    /// The page's place.
    pub fn page(&self) -> usize {
        self.page.0
    }
}

/// The layouts and addresses of the pages of groups.
pub struct Neighbours(Groups<Layouts>);

impl Neighbours {
    /// Reads all pages.
    ///
    /// # Errors
    /// As those of [`Groups::learn`].
    pub fn learn(pages: &dyn Pages, group: Group) -> Result<Self, String> {
        Ok(Neighbours(Groups::learn(pages, group, layouts)?))
    }

    /// As [`Groups::is_alone`].
    pub fn is_alone(&self, own: usize) -> bool {
        self.0.is_alone(own)
    }

    /// The pages beside the one at `own`: the next `candidates` of its group, the first after the last. Not
    /// in the order of nearness.
    pub fn beside(&self, own: usize, by: ReferenceBy, candidates: Value) -> Vec<Neighbour> {
        let layouts = self.0.of(own);
        let (group, place) = self.0.around(own);
        let Some(page) = layouts.pages.get(place).and_then(Option::as_ref) else { return Vec::new() };
        let others = (place + 1..group.len()).chain(0..place);
        let others = others.take(usize::try_from(candidates.whole()).unwrap_or(usize::MAX));
        let mut known: FxHashMap<usize, Value> = FxHashMap::default();
        let mut similarity = |other: usize| {
            let found = || similarity(&layouts.distinct[page.paths], &layouts.distinct[other]);
            *known.entry(other).or_insert_with(found)
        };
        let beside = |at: usize| {
            let other = layouts.pages[at].as_ref()?;
            Some(page.beside(other, group[at], similarity(other.paths), by))
        };
        others.filter_map(beside).collect()
    }

    /// The nearest of them; `None` for a page without others.
    pub fn nearest(&self, own: usize, by: ReferenceBy, candidates: Value) -> Option<Neighbour> {
        self.beside(own, by, candidates).into_iter().max()
    }
}

/// How similar two layouts are: of equal ones, and of empty ones, 1.
fn similarity(one: &Bag, other: &Bag) -> Value {
    match one.overlap(other) {
        (_, 0) => Value::ONE,
        (common, all) => Value::ratio(common, all),
    }
}

/// The pages of a group, and their layouts, equal ones once: the pages of a site share most.
struct Layouts {
    pages: Vec<Option<PageLayout>>,
    /// How often each tag path from the body to a leaf occurs.
    distinct: Vec<Bag>,
}

fn layouts(pages: &dyn Pages) -> Layouts {
    let (mut paths, mut numbers) = (TagPaths::default(), FxHashMap::<Bag, usize>::default());
    let mut layouts: Vec<Option<PageLayout>> = (0..pages.len()).map(|_| None).collect();
    pages.for_each(|index, page| {
        let next = numbers.len();
        let paths = *numbers.entry(paths.leaves(page)).or_insert(next);
        layouts[index] = Some(PageLayout { paths, address: page.url().and_then(Address::new) });
    });
    let mut distinct: Vec<(Bag, usize)> = numbers.into_iter().collect();
    distinct.sort_unstable_by_key(|&(_, number)| number);
    Layouts { pages: layouts, distinct: distinct.into_iter().map(|(bag, _)| bag).collect() }
}

/// What of a page is compared.
struct PageLayout {
    /// Its layout's place among the distinct ones.
    paths: usize,
    address: Option<Address>,
}

impl PageLayout {
    /// The page at `page`, `other`, beside this one, whose layouts are as similar as `layout` says.
    fn beside(&self, other: &PageLayout, page: usize, layout: Value, by: ReferenceBy) -> Neighbour {
        let (address, query) = match (by, &self.address, &other.address) {
            (ReferenceBy::UrlPath, Some(one), Some(other)) => (one.similarity(other), one.query_similarity(other)),
            _ => (Value::ZERO, Value::ZERO),
        };
        Neighbour { address, layout, query, page: Reverse(page) }
    }
}

/// What of a URL is compared.
struct Address {
    /// The host in lower case, then the path's segments but the last.
    levels: Vec<Box<str>>,
    /// The names of its query's parameters.
    query: BTreeSet<Box<str>>,
}

impl Address {
    /// `None` for what is no absolute URL.
    fn new(url: &str) -> Option<Self> {
        let host = host_of(url)?;
        let (_, rest) = url.split_once("://")?;
        let rest = rest.split('#').next()?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut levels: Vec<Box<str>> =
            path.split('/').skip(1).filter(|level| !level.is_empty()).map(Box::from).collect();
        levels.pop();
        levels.insert(0, host.into());
        let names = query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty());
        Some(Address { levels, query: names.map(Box::from).collect() })
    }

    /// Equal leading levels over those of the longer one.
    fn similarity(&self, other: &Address) -> Value {
        let equal = self.levels.iter().zip(&other.levels).take_while(|(one, other)| one == other).count();
        Value::ratio(equal as u64, self.levels.len().max(other.levels.len()) as u64)
    }

    /// Common names over those of the longer query; 1 without any.
    fn query_similarity(&self, other: &Address) -> Value {
        let (common, all) = (self.query.intersection(&other.query).count(), self.query.len().max(other.query.len()));
        if all == 0 { Value::ONE } else { Value::ratio(common as u64, all as u64) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::page::{Context, Page};

    fn address(url: &str) -> Address {
        Address::new(url).unwrap()
    }

    #[test]
    fn addresses_are_similar_by_their_leading_levels() {
        let similarity = |one: &str, other: &str| address(one).similarity(&address(other));
        let one = "http://a.com/news/2015/x.html";
        // a.com and news of three.
        assert_eq!(similarity(one, "http://a.com/news/2016/y.html"), Value::ratio(2, 3));
        assert_eq!(similarity(one, "https://A.com//news/2015/z"), Value::ONE);
        assert_eq!(similarity(one, "http://a.com/news?x/y"), Value::ratio(1, 3));
        assert_eq!(similarity(one, "http://b.com/news/2015/x.html"), Value::ZERO);
    }

    #[test]
    fn queries_are_similar_by_their_names() {
        let similarity = |one: &str, other: &str| address(one).query_similarity(&address(other));
        assert_eq!(similarity("http://a/?p=1&q=2", "http://a/?q=3&r&s#?p"), Value::ratio(1, 3));
        assert_eq!(similarity("http://a/", "http://a/b"), Value::ONE);
    }

    fn pages() -> Vec<Arc<Page>> {
        let page = |(html, url): (&str, &str)| {
            let url = (!url.is_empty()).then(|| url.to_owned());
            Arc::new(Page::new(html.as_bytes(), Context { url, ..Context::default() }).unwrap())
        };
        let pages = [
            ("<p>a<p>b", "http://a.com/n/1?id=1"),
            ("<p>a<p>b", "http://a.com/m/2"),
            ("<p>a", "http://a.com/n/3?page=1"),
            ("<p>c", "http://a.com/n/4?id=2"),
            ("<p>a<p>b", ""),
        ];
        pages.map(page).into()
    }

    #[test]
    fn a_reference_is_the_nearest_by_layout_or_by_address() {
        let pages = pages();
        let neighbours = Neighbours::learn(&pages.as_slice(), Group::Site).unwrap();
        let nearest = |own: usize, by| {
            let nearest = neighbours.beside(own, by, Value::INFINITY).into_iter().max().unwrap();
            (nearest.page(), nearest.layout)
        };
        assert_eq!(nearest(0, ReferenceBy::Path), (1, Value::ONE));
        // 2 and 3 share a.com and n; their layouts are equal, the names of 3's query are too.
        assert_eq!(nearest(0, ReferenceBy::UrlPath), (3, Value::ratio(1, 2)));
        assert_eq!(nearest(4, ReferenceBy::UrlPath), (0, Value::ONE));
        assert_eq!(nearest(3, ReferenceBy::Path), (2, Value::ONE));
    }

    #[test]
    fn candidates_are_the_next_pages_of_the_group() {
        let pages = pages();
        let beside = |group: Group, own: usize, candidates: &str| -> Vec<usize> {
            let neighbours = Neighbours::learn(&pages.as_slice(), group).unwrap();
            let beside = neighbours.beside(own, ReferenceBy::Path, candidates.parse().unwrap());
            beside.iter().map(Neighbour::page).collect()
        };
        assert_eq!(beside(Group::Site, 3, "3"), [4, 0, 1]);
        // Two paragraphs are another structure than one.
        assert_eq!(beside(Group::Cluster, 1, "inf"), [4, 0]);
        assert_eq!(beside(Group::Cluster, 3, "1"), [2]);
    }
}

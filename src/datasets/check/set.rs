//! What is wrong with pages taken together: the same bytes, the same gold, nearly the same text, sites in two splits, roles
//! that nothing has.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::page::Examined;
use super::similarity::Similar;
use super::{Finding, Kind};
use crate::datasets::Dataset;
use crate::datasets::manifest::Record;
use crate::datasets::site::unknown_sites;

/// The pages seen so far.
#[derive(Default)]
pub(super) struct Seen {
    /// The id and the split of each.
    pages: Vec<(Box<str>, Option<u32>)>,
    splits: Vec<String>,
    split_numbers: HashMap<String, u32>,
    /// The splits that each site has pages in.
    sites: BTreeMap<String, BTreeSet<u32>>,
    /// The first page with these bytes, and the first with this gold.
    bytes: HashMap<u128, u32>,
    /// Of pages that have copies, by the first: the first copy in each other split.
    copies: HashMap<u32, Vec<u32>>,
    golds: HashMap<u128, u32>,
    /// Each role that pages name: how many do, and on how many of them it matches.
    roles: BTreeMap<String, (usize, usize)>,
    /// The number of pages of no known site.
    without_site: usize,
    similar: Similar,
}

impl Seen {
    /// Adds a page, in dataset order, and to its findings what earlier pages have of it.
    pub(super) fn add(&mut self, record: &Record, page: &mut Examined) {
        let number = self.pages.len() as u32;
        let split = record.details().split.as_ref().map(|split| self.split(split));
        self.pages.push((record.id.as_str().into(), split));
        let splits = self.sites.entry(record.site_or_id().to_owned()).or_default();
        splits.extend(split);
        self.without_site += usize::from(record.site_or_id() == record.id);
        for (role, matches) in page.roles.drain(..) {
            let (named, matched) = self.roles.entry(role).or_default();
            *named += 1;
            *matched += usize::from(matches);
        }
        if let Some(earlier) = first(&mut self.bytes, &page.digests.page, number) {
            let (kind, message) = self.same_bytes(earlier, number, split);
            return page.findings.add(kind, message);
        }
        let same_gold = page.has_gold_text.then(|| first(&mut self.golds, &page.digests.gold, number)).flatten();
        let similar = page.signature.take().and_then(|signature| self.similar.earlier(number, signature));
        if let Some((earlier, percent)) = similar {
            let and_gold = if same_gold == Some(earlier) { ", and the same gold" } else { "" };
            let message = format!("about {percent} % of the text is that of {}{and_gold}", self.place(earlier));
            page.findings.add(Kind::NearDuplicate, message);
        }
        if let Some(earlier) = same_gold.filter(|&same| similar.is_none_or(|(earlier, _)| earlier != same)) {
            page.findings.add(Kind::SameGold, format!("the gold is that of {}", self.place(earlier)));
        }
    }

    /// What the page `number` in `split` is beside `first`, the first page with its bytes, and their other copies.
    fn same_bytes(&mut self, first: u32, number: u32, split: Option<u32>) -> (Kind, String) {
        let split_of = |page: u32| self.pages[page as usize].1;
        let copies = self.copies.entry(first).or_default();
        let mut earlier = std::iter::once(first).chain(copies.iter().copied());
        let elsewhere =
            earlier.find(|&page| split.is_some() && split_of(page).is_some_and(|other| Some(other) != split));
        if split_of(first) != split && copies.iter().all(|&copy| split_of(copy) != split) {
            copies.push(number);
        }
        let kind = if elsewhere.is_some() { Kind::DuplicateAcrossSplits } else { Kind::DuplicatePage };
        (kind, format!("the bytes are those of {}", self.place(elsewhere.unwrap_or(first))))
    }

    /// A page by its id, and its split where it has one.
    fn place(&self, page: u32) -> String {
        let (id, split) = &self.pages[page as usize];
        match split {
            Some(split) => format!("`{id}` in the split {}", self.splits[*split as usize]),
            None => format!("`{id}`"),
        }
    }

    /// The number of a split.
    fn split(&mut self, name: &str) -> u32 {
        let next = self.splits.len() as u32;
        match self.split_numbers.get(name) {
            Some(&known) => known,
            None => {
                self.splits.push(name.to_owned());
                *self.split_numbers.entry(name.to_owned()).or_insert(next)
            }
        }
    }

    /// How many sites there are.
    pub(super) fn sites(&self) -> usize {
        self.sites.len()
    }

    /// The roles that pages name and no page has.
    pub(super) fn unmatched_roles(&self) -> impl Iterator<Item = Finding> {
        self.roles.iter().filter(|(_, (_, matched))| *matched == 0).map(|(role, (named, _))| {
            let pages = if *named == 1 { "page that names" } else { "pages that name" };
            let message = format!("no selector of the role `{role}` matches anything, on {named} {pages} it");
            Finding { kind: Kind::UnmatchedRole, level: Kind::UnmatchedRole.level(), page: None, message }
        })
    }

    /// That several pages are of no known site, unless someone said that each is one.
    pub(super) fn unknown_sites(&self, dataset: &Dataset) -> Option<Finding> {
        let way_out = dataset.way_to_sites().filter(|_| self.without_site > 1)?;
        let message = unknown_sites(self.without_site, way_out);
        Some(Finding { kind: Kind::UnknownSites, level: Kind::UnknownSites.level(), page: None, message })
    }

    /// The sites with pages in several splits.
    pub(super) fn across_splits(&self) -> impl Iterator<Item = Finding> {
        self.sites.iter().filter(|(_, splits)| splits.len() > 1).map(|(site, splits)| {
            let splits: Vec<&str> = splits.iter().map(|&split| self.splits[split as usize].as_str()).collect();
            let message = format!("`{site}` has pages in the splits {}", splits.join(", "));
            Finding { kind: Kind::SiteAcrossSplits, level: Kind::SiteAcrossSplits.level(), page: None, message }
        })
    }
}

/// The first page of this digest, unless it is `page` itself; a page that cannot be read has none.
fn first(known: &mut HashMap<u128, u32>, digest: &str, page: u32) -> Option<u32> {
    let key = u128::from_str_radix(digest.get(..32)?, 16).ok()?;
    let first = *known.entry(key).or_insert(page);
    (first != page).then_some(first)
}

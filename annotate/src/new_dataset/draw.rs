//! The pages that are drawn: some at random, and some because systems dispute them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use carat_core::page::address::stated_address;
use carat_core::text::urls::{host_of, registrable_domain};

use super::list::Entry;
use super::{Request, folder};
use crate::digest::sha256;

/// The pages of a source that systems dispute.
#[derive(Clone, Copy)]
pub struct Disputes<'r> {
    /// Their ids, the most disputed one first.
    pub ids: &'r [String],
    /// So many of them are drawn at most.
    pub most: usize,
}

/// The draw that a page is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draw {
    /// It is disputed.
    Disputed,
    /// It was drawn at random.
    Random,
}

impl Draw {
    /// Its name, which is the group of its pages.
    pub fn name(self) -> &'static str {
        match self {
            Draw::Disputed => "disputed",
            Draw::Random => "random",
        }
    }
}

/// The entries that are drawn, in their order, with their draws where the request has disputes. The random draw comes first
/// and is of all entries: without the most disputed pages it would be no sample of them.
pub(super) fn drawn<'r>(request: &Request<'_>, entries: Vec<Entry<'r>>) -> Vec<(Entry<'r>, Option<Draw>)> {
    let key = |id: &str| sha256(format!("carat-sample\n{}\n{id}\n", request.seed).as_bytes());
    let mut places: Vec<usize> = (0..entries.len()).collect();
    places.sort_by_cached_key(|place| key(entries[*place].id()));
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut has_room = |place: &usize| {
        let Some(most) = request.per_site else { return true };
        let taken = taken.entry(site(&entries[*place])).or_default();
        let has_room = *taken < most;
        *taken += usize::from(has_room);
        has_room
    };
    let most = request.sample.unwrap_or(if request.disputes.is_some() { 0 } else { usize::MAX });
    let random: BTreeSet<usize> = places.into_iter().filter(&mut has_room).take(most).collect();
    let mut draws: BTreeMap<usize, Option<Draw>> = BTreeMap::new();
    draws.extend(random.iter().map(|place| (*place, request.disputes.map(|_| Draw::Random))));
    if let Some(Disputes { ids, most }) = request.disputes {
        let by_id: HashMap<&str, usize> =
            entries.iter().enumerate().map(|(place, entry)| (entry.id(), place)).collect();
        let rest = ids.iter().filter_map(|id| by_id.get(id.as_str()).copied()).filter(|place| !random.contains(place));
        draws.extend(rest.filter(&mut has_room).take(most).map(|place| (place, Some(Draw::Disputed))));
    }
    let drawn = entries.into_iter().enumerate();
    drawn.filter_map(|(place, entry)| Some((entry, draws.remove(&place)?))).collect()
}

/// The site of a page; a page whose site is not known stands for itself.
fn site(entry: &Entry<'_>) -> String {
    let of_url = |url: &str| host_of(url).map(|host| registrable_domain(&host));
    let known = match entry {
        Entry::Address { address, .. } => of_url(address),
        Entry::Given(given) => given.site.clone(),
        Entry::File(saved) => {
            let read = || folder::read(&saved.path).ok().and_then(|bytes| stated_address(&bytes));
            let url = saved.url.clone().or_else(read);
            url.as_deref().and_then(of_url).or_else(|| saved.site.clone())
        }
    };
    known.unwrap_or_else(|| entry.id().to_owned())
}

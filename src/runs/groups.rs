//! The pages that group algorithms see together, and what they learn of them: once for all rows that differ in
//! swept parameters alone.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use rayon::prelude::*;

use super::guarding::{IsStopped, go_on, guarded};
use super::kind::{Extraction, Preparing, RowExtraction};
use crate::algorithms::Entry;
use crate::algorithms::algorithm::{Choice, Setting, TakeSample};
use crate::algorithms::group::{AnyGroupAlgorithm, Learned, Pages, Scope, Target};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::page::Page;

/// The groups of a dataset and what each family of rows has learnt of them.
pub(super) struct Groups<'d> {
    /// For each scope that a row has, its groups by name.
    groups: Vec<(Scope, BTreeMap<String, Members<'d>>)>,
    families: Vec<Family<'d>>,
}

/// Rows of one group algorithm that differ in swept parameters alone.
struct Family<'d> {
    algorithm: &'static dyn AnyGroupAlgorithm,
    scope: Scope,
    /// Any of its settings: what is learnt does not depend on which.
    setting: &'d Setting,
    /// Each system's place in the plan, and its setting.
    rows: Vec<(usize, &'d Setting)>,
    /// The places of its exact sweeps.
    sweeps: Vec<usize>,
    /// What was learnt of each group, by name, or why nothing was.
    learned: BTreeMap<String, Result<Learned, String>>,
}

/// The name of a page's group.
fn group(scope: Scope, record: &Record) -> &str {
    match scope {
        Scope::Site => record.site_or_id(),
        Scope::Dataset => "",
    }
}

impl<'d> Groups<'d> {
    /// Lets the group algorithms among what is prepared learn from the dataset.
    ///
    /// # Errors
    /// The page list cannot be read any more or was changed, or it was stopped.
    pub(super) fn learn(own: &Preparing<'d>) -> Result<Self, Halt> {
        let &Preparing { dataset, is_stopped, .. } = own;
        let source = Arc::new(Source { dataset, recent: Mutex::default(), fault: Mutex::default() });
        let mut groups: Vec<(Scope, BTreeMap<String, Members<'d>>)> = Vec::new();
        let mut families = families(own);
        for family in &mut families {
            let known = groups.iter().position(|(scope, _)| *scope == family.scope);
            let at = match known {
                Some(at) => at,
                None => {
                    groups.push((family.scope, members(family.scope, &source)?));
                    groups.len() - 1
                }
            };
            let setting = family.setting;
            let learn = |(name, members): (&String, &Members<'d>)| {
                let learned = guarded(|| family.algorithm.learn(&Stoppable { members, is_stopped }, setting));
                (name.clone(), learned.and_then(|learned| learned))
            };
            family.learned = groups[at].1.par_iter().map(learn).collect();
            go_on(is_stopped)?;
            if let Some(fault) = lock(&source.fault).take() {
                return Err(fault.into());
            }
        }
        Ok(Groups { groups, families })
    }

    /// What each group algorithm's row chooses on the page at `index`, and whether it found the page alone.
    pub(super) fn extract(&self, index: usize, record: &Record, page: &Page) -> Vec<RowExtraction> {
        let of_family = |family: &Family<'_>| -> Vec<RowExtraction> {
            let name = group(family.scope, record);
            let chosen = self.choose(family, name, index, page);
            let learned = self.learned(family, name, index, page).ok().filter(|_| family.scope == Scope::Dataset);
            let extraction = |(at, &(place, setting)): (usize, &(usize, &Setting))| {
                let choice = chosen.as_ref().map(|chosen| chosen[at].clone()).map_err(String::clone);
                let is_alone = |(learned, target): &(&Learned, Target<'_>)| {
                    family.algorithm.is_alone(learned, target.index, setting)
                };
                let alone = learned.as_ref().is_some_and(is_alone);
                RowExtraction { alone, ..RowExtraction::new(place, Extraction::from(choice)) }
            };
            family.rows.iter().enumerate().map(extraction).collect()
        };
        self.families.iter().flat_map(of_family).collect()
    }

    /// What the system at `place` chooses on `page`: that at `index`, or what another system has left of it.
    pub(super) fn choice(&self, place: usize, index: usize, record: &Record, page: &Page) -> Result<Choice, String> {
        let found = self
            .families
            .iter()
            .find_map(|family| Some((family, family.rows.iter().position(|&(known, _)| known == place)?)));
        let (family, at) = found.ok_or("no group algorithm stands there")?;
        Ok(self.choose(family, group(family.scope, record), index, page)?.swap_remove(at))
    }

    /// Hands `take` what the exact sweep at `place` of `parameter` over `setting` samples on the page at `index`.
    pub(super) fn sweep(
        &self,
        (place, setting, parameter): (usize, &Setting, &str),
        (index, record): (usize, &Record),
        page: &Page,
        take: TakeSample<'_>,
    ) -> Result<(), String> {
        let family = self.families.iter().find(|family| family.sweeps.contains(&place));
        let family = family.ok_or("no group algorithm is swept there")?;
        let (learned, target) = self.learned(family, group(family.scope, record), index, page)?;
        family.algorithm.sweep(learned, target, (setting, parameter), take)
    }

    fn choose(&self, family: &Family<'_>, name: &str, index: usize, page: &Page) -> Result<Vec<Choice>, String> {
        let (learned, target) = self.learned(family, name, index, page)?;
        let settings: Vec<&Setting> = family.rows.iter().map(|&(_, setting)| setting).collect();
        guarded(|| family.algorithm.choose_all(learned, target, &settings))?
    }

    /// What `family` has learnt of the group of this name, and the page at `index` in it.
    fn learned<'p>(
        &'p self,
        family: &'p Family<'_>,
        name: &str,
        index: usize,
        page: &'p Page,
    ) -> Result<(&'p Learned, Target<'p>), String> {
        let groups = self.groups.iter().find(|(scope, _)| *scope == family.scope);
        let pages = groups.and_then(|(_, groups)| groups.get(name)).ok_or("the page's group is not known any more")?;
        let index = pages.indexes.binary_search(&index).map_err(|_| "the page is not in its group any more")?;
        let learned = family.learned[name].as_ref().map_err(String::clone)?;
        Ok((learned, Target { page, index, pages }))
    }
}

/// The group algorithms among what is prepared.
fn families<'d>(own: &Preparing<'d>) -> Vec<Family<'d>> {
    let mut families: Vec<Family<'d>> = Vec::new();
    for &(place, row) in &own.rows {
        if let Some((Entry::Group(algorithm), setting)) = row.system.algorithm() {
            family_of(&mut families, algorithm, setting).rows.push((place, setting));
        }
    }
    for &(place, sweep) in &own.sweeps {
        if let Some((Entry::Group(algorithm), setting)) = sweep.row.system.algorithm() {
            family_of(&mut families, algorithm, setting).sweeps.push(place);
        }
    }
    families
}

/// The family of `setting`, which is added where there is none.
fn family_of<'f, 'd>(
    families: &'f mut Vec<Family<'d>>,
    algorithm: &'static dyn AnyGroupAlgorithm,
    setting: &'d Setting,
) -> &'f mut Family<'d> {
    let name = algorithm.declaration().name;
    let is_of = |family: &Family<'_>| {
        family.algorithm.declaration().name == name && family.setting.prepare_key() == setting.prepare_key()
    };
    let at = families.iter().position(is_of).unwrap_or_else(|| {
        let (rows, sweeps, learned) = (Vec::new(), Vec::new(), BTreeMap::new());
        families.push(Family { algorithm, scope: algorithm.scope(setting), setting, rows, sweeps, learned });
        families.len() - 1
    });
    &mut families[at]
}

/// The groups of the dataset, by name.
fn members<'d>(scope: Scope, source: &Arc<Source<'d>>) -> Result<BTreeMap<String, Members<'d>>, DatasetError> {
    let mut groups: BTreeMap<String, Members<'d>> = BTreeMap::new();
    for (index, record) in source.dataset.records.iter().enumerate() {
        let new = || Members { source: source.clone(), indexes: Vec::new() };
        groups.entry(group(scope, &*record?).to_owned()).or_insert_with(new).indexes.push(index);
    }
    Ok(groups)
}

/// The pages of `dataset` that a group algorithm of this scope sees together with the one at `index`, and that one's
/// place among them.
///
/// # Errors
/// The page list cannot be read any more or was changed.
pub fn members_around(dataset: &Dataset, scope: Scope, index: usize) -> Result<(Members<'_>, usize), DatasetError> {
    let source = Arc::new(Source { dataset, recent: Mutex::default(), fault: Mutex::default() });
    let name = group(scope, &*dataset.records.get(index)?).to_owned();
    let pages = members(scope, &source)?.remove(&name).unwrap_or(Members { source, indexes: vec![index] });
    let place = pages.indexes.partition_point(|&other| other < index);
    Ok((pages, place))
}

/// The pages of a group, each parsed when it is asked for.
pub struct Members<'d> {
    source: Arc<Source<'d>>,
    /// Their places in the dataset, in order.
    indexes: Vec<usize>,
}

impl Members<'_> {
    /// The id of the page at `index` among them.
    ///
    /// # Errors
    /// The page list cannot be read any more or was changed.
    pub fn id(&self, index: usize) -> Result<String, DatasetError> {
        Ok(self.source.dataset.records.get(self.indexes[index])?.id.clone())
    }
}

impl Pages for Members<'_> {
    fn len(&self) -> usize {
        self.indexes.len()
    }

    fn page(&self, index: usize) -> Option<Arc<Page>> {
        self.source.page(self.indexes[index])
    }
}

/// Pages of which none opens any more once it was stopped; what was learnt of them is then thrown away.
struct Stoppable<'m, 'd> {
    members: &'m Members<'d>,
    is_stopped: IsStopped<'m>,
}

impl Pages for Stoppable<'_, '_> {
    fn len(&self) -> usize {
        self.members.len()
    }

    fn page(&self, index: usize) -> Option<Arc<Page>> {
        if (self.is_stopped)() { None } else { self.members.page(index) }
    }
}

/// The pages of the dataset.
struct Source<'d> {
    dataset: &'d Dataset,
    recent: Mutex<Recent>,
    /// Why a record could not be read; nothing is then learnt at all.
    fault: Mutex<Option<DatasetError>>,
}

impl Source<'_> {
    fn page(&self, index: usize) -> Option<Arc<Page>> {
        if let Some(page) = lock(&self.recent).get(index) {
            return Some(page);
        }
        let record = self.dataset.records.get(index);
        let record = record.map_err(|fault| *lock(&self.fault) = Some(fault)).ok()?;
        let page = Arc::new(self.dataset.open_page(&record).ok()?);
        lock(&self.recent).put(index, page.clone());
        Some(page)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Pages that were asked for last: the pages of a cluster are often held against the same few.
#[derive(Default)]
struct Recent {
    /// The one asked for last is the last.
    pages: VecDeque<(usize, Arc<Page>)>,
    nodes: usize,
}

impl Recent {
    /// The most pages that are kept.
    const MOST_PAGES: usize = 64;
    /// The most nodes that their trees have together.
    const MOST_NODES: usize = 2_000_000;

    fn get(&mut self, index: usize) -> Option<Arc<Page>> {
        let at = self.pages.iter().position(|(known, _)| *known == index)?;
        let found = self.pages.remove(at)?;
        let page = found.1.clone();
        self.pages.push_back(found);
        Some(page)
    }

    fn put(&mut self, index: usize, page: Arc<Page>) {
        if self.get(index).is_some() {
            return;
        }
        self.nodes += page.tree.len();
        self.pages.push_back((index, page));
        while self.pages.len() > Self::MOST_PAGES || self.nodes > Self::MOST_NODES {
            let Some((_, oldest)) = self.pages.pop_front() else { break };
            self.nodes -= oldest.tree.len();
        }
    }
}

//! How good each setting is on some of the pages.

use crate::runs::configuration::tuning::Objective;
use crate::runs::settings::{Cell, Settings};
use crate::statistics::{Aggregate, Sums, Totals, units};

/// The quality of a setting: one that was run on every page is better than any that was not, and one that keeps the floor is
/// better than any that does not. Among those that keep it counts the objective, among the others the figure that the floor is
/// of. In units of 1e-12, so that equal ones are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Quality {
    /// True if it was run on every page.
    is_whole: bool,
    /// Whether the floor is kept; true where there is none.
    pub(super) keeps_floor: bool,
    counted: u64,
    /// The objective's figure.
    pub(super) figure: u64,
}

/// The sums of pages, from which every figure follows.
struct Sum<'o> {
    objective: &'o Objective,
    totals: Totals,
    /// Empty where the objective's aggregate is not over sites.
    sites: Vec<Sums>,
}

impl<'o> Sum<'o> {
    fn new(objective: &'o Objective, sites: usize) -> Self {
        let is_over_sites = matches!(objective.figure.0, Aggregate::SiteMacro | Aggregate::PaperCevc);
        let sites = vec![Sums::default(); if is_over_sites { sites } else { 0 }];
        Sum { objective, totals: Totals::default(), sites }
    }

    fn add(&mut self, site: usize, cell: Cell) {
        self.totals.add(cell.counts, cell.score);
        if let Some(sums) = self.sites.get_mut(site) {
            sums.add(cell.score);
        }
    }

    fn remove(&mut self, site: usize, cell: Cell) {
        self.totals.remove(cell.counts, cell.score);
        if let Some(sums) = self.sites.get_mut(site) {
            sums.remove(cell.score);
        }
    }

    fn quality(&self) -> Quality {
        let aggregates = self.totals.aggregates(self.sites.iter().copied().filter(|site| site.pages() > 0));
        let figure = units(self.objective.figure.of(&aggregates));
        match self.objective.least() {
            Some((floor, least)) if units(floor.of(&aggregates)) < least => {
                Quality { is_whole: true, keeps_floor: false, counted: units(floor.of(&aggregates)), figure }
            }
            _ => Quality { is_whole: true, keeps_floor: true, counted: figure, figure },
        }
    }
}

/// The quality of each setting over `pages`, whose sites are numbered below `sites`. Settings are gone through in
/// order, and only pages whose score changes are added anew.
pub(super) fn qualities(
    settings: &Settings,
    pages: &[usize],
    site_of: &[usize],
    sites: usize,
    objective: &Objective,
) -> Vec<Quality> {
    let mut sum = Sum::new(objective, sites);
    let mut changes: Vec<(usize, usize, Cell, Cell)> = Vec::new();
    for &page in pages {
        let mut last = settings.cell(page, 0);
        sum.add(site_of[page], last);
        for &(point, cell) in settings.cells[page].iter().filter(|(point, _)| *point > 0) {
            changes.push((point, site_of[page], last, cell));
            last = cell;
        }
    }
    changes.sort_by_key(|change| change.0);
    let mut qualities = Vec::with_capacity(settings.points.len());
    let mut rest = changes.as_slice();
    for point in 0..settings.points.len() {
        let here = rest.iter().take_while(|change| change.0 == point).count();
        for &(_, site, before, after) in &rest[..here] {
            sum.remove(site, before);
            sum.add(site, after);
        }
        rest = &rest[here..];
        let quality = match qualities.last() {
            Some(&last) if here == 0 => last,
            _ => sum.quality(),
        };
        qualities.push(Quality { is_whole: settings.is_whole[point], ..quality });
    }
    qualities
}

/// The quality of one setting, given by what each of some pages comes to.
pub(super) fn quality(cells: impl Iterator<Item = (usize, Cell)>, sites: usize, objective: &Objective) -> Quality {
    let mut sum = Sum::new(objective, sites);
    cells.for_each(|(site, cell)| sum.add(site, cell));
    sum.quality()
}

/// What is best, of which there is at least one, and for each setting whether it is as good.
pub(super) fn best(qualities: &[Quality]) -> (Quality, Vec<bool>) {
    let best =
        qualities.iter().max().copied().unwrap_or(Quality { is_whole: true, keeps_floor: true, counted: 0, figure: 0 });
    (best, qualities.iter().map(|quality| *quality == best).collect())
}

/// What pages come to, site by site.
pub(super) fn by_site(cells: impl Iterator<Item = (usize, Cell)>, sites: usize) -> Vec<Totals> {
    let mut totals = vec![Totals::default(); sites];
    cells.for_each(|(site, cell)| totals[site].add(cell.counts, cell.score));
    totals
}

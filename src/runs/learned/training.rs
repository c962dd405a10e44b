//! Training: pages with gold, read once, and what is learned of them for pages of other sites.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::runs::guarding::{IsStopped, go_on, guarded};
use crate::statistics::linear::{Example, Loss, Model};

/// What is kept of a page that is learned from.
pub(super) trait TrainingPage: Send + Sync + Sized {
    /// Shows the page's examples, in order.
    fn examples(&self, each: &mut dyn FnMut(Example<'_>));
}

/// Pages that are learned from, each with the place of its site.
pub(super) struct TrainingSet<P> {
    /// In order of name.
    sites: Vec<String>,
    pages: Vec<(usize, P)>,
}

impl<P: Send> TrainingSet<P> {
    /// What `keep` keeps of the pages of `datasets` that have gold; it is `None` for a page that cannot be learned from,
    /// as one that cannot be opened.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn read(
        datasets: &[&Dataset],
        keep: impl Fn(&Dataset, &Record) -> Option<P> + Sync,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, Halt> {
        let mut read: Vec<(String, Option<P>)> = Vec::new();
        for dataset in datasets {
            let of_record = |record: Result<Arc<Record>, DatasetError>| {
                let record = record?;
                go_on(is_stopped)?;
                let kept = || record.gold.as_ref().and_then(|_| keep(dataset, &record));
                Ok((record.site_or_id().to_owned(), guarded(kept).ok().flatten()))
            };
            read.extend(dataset.records.par_iter().map(of_record).collect::<Result<Vec<_>, Halt>>()?);
        }
        let mut sites: Vec<String> = read.iter().map(|(site, _)| site.clone()).collect();
        sites.sort_unstable();
        sites.dedup();
        let place = |site: &String| sites.partition_point(|known| known < site);
        let pages = read.into_iter().filter_map(|(site, page)| Some((place(&site), page?))).collect();
        Ok(TrainingSet { sites, pages })
    }
}

/// Datasets of more sites leave out several at a time: what is learned costs as many sums over all examples.
pub(super) const DEFAULT_FOLDS: usize = 200;

/// How models are learned.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Fitting {
    pub(super) loss: Loss,
    /// Half of the squares of all coefficients costs so much.
    pub(super) l2: f64,
    /// Into so many parts sites are put at most; each leaves out one part.
    pub(super) folds: usize,
}

/// For each site what was learned without its part of the sites.
pub(super) struct SiteModels {
    of_all: Option<Model>,
    /// Without the part, where a site of it is tried.
    of_part: Vec<Option<Model>>,
    sites: BTreeMap<String, KnownSite>,
}

/// A site that is learned from.
struct KnownSite {
    /// The part of the sites that it is in.
    part: usize,
    /// How many of its pages can be learned from.
    pages: usize,
}

/// So many sites are named at most that are left out beside the page's own.
const MOST_NAMED: usize = 5;

/// The sites of a dataset.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub(super) fn sites_of(dataset: &Dataset) -> Result<BTreeSet<String>, DatasetError> {
    dataset.records.iter().map(|record| Ok(record?.site_or_id().to_owned())).collect()
}

impl SiteModels {
    /// Learns from `training` for each site of `tried`. With no more sites than `folds` a part is a site; else site i of
    /// those in order of name is in part i mod `folds`. What is learned of all is where the others begin: sums over all
    /// examples then are taken three times a part, and not ten.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn learn<P: TrainingPage>(
        training: &TrainingSet<P>,
        tried: &Dataset,
        fitting: Fitting,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, Halt> {
        SiteModels::learn_for(training, &sites_of(tried)?, fitting, is_stopped)
    }

    /// The same for pages of `sites`.
    ///
    /// # Errors
    /// [`Halt::Stopped`].
    pub(super) fn learn_for<P: TrainingPage>(
        training: &TrainingSet<P>,
        sites: &BTreeSet<String>,
        fitting: Fitting,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, Halt> {
        let Fitting { loss, l2, folds } = fitting;
        let mut pages = vec![0; training.sites.len()];
        training.pages.iter().for_each(|(site, _)| pages[*site] += 1);
        let numbered = training.sites.iter().zip(pages).enumerate();
        let known = |(place, (site, pages)): (usize, (&String, usize))| {
            (site.clone(), KnownSite { part: place % folds, pages })
        };
        let known_sites: BTreeMap<String, KnownSite> = numbered.map(known).collect();
        let mut is_tried = vec![false; folds.min(training.sites.len())];
        for known in sites.iter().filter_map(|site| known_sites.get(site)) {
            is_tried[known.part] = true;
        }
        go_on(is_stopped)?;
        let examples =
            |each: &mut dyn FnMut(Example<'_>)| training.pages.iter().for_each(|(_, page)| page.examples(each));
        let of_all = Model::learn(&examples, loss, l2, None);
        let without = |(part, is_tried): (usize, bool)| {
            go_on(is_stopped)?;
            let examples = |each: &mut dyn FnMut(Example<'_>)| {
                let others = training.pages.iter().filter(|(site, _)| site % folds != part);
                others.for_each(|(_, page)| page.examples(each));
            };
            Ok(if is_tried { Model::learn(&examples, loss, l2, of_all.as_ref()) } else { None })
        };
        let of_part = is_tried.into_par_iter().enumerate().map(without).collect::<Result<_, Halt>>()?;
        Ok(SiteModels { of_all, of_part, sites: known_sites })
    }

    /// The model for pages of `site`; `None` where there was no other site to learn from.
    pub(super) fn of(&self, site: &str) -> Option<&Model> {
        match self.sites.get(site) {
            Some(known) => self.of_part[known.part].as_ref(),
            None => self.of_all.as_ref(),
        }
    }

    /// What the model for pages of `site` was learned from, in words.
    pub(super) fn learned_from(&self, site: &str) -> String {
        let part = self.sites.get(site).map(|known| known.part);
        let (left_out, used): (Vec<_>, Vec<_>) = self.sites.iter().partition(|(_, known)| Some(known.part) == part);
        let used: Vec<usize> = used.iter().map(|(_, known)| known.pages).filter(|&pages| pages > 0).collect();
        let (pages, sites) = (used.iter().sum::<usize>(), used.len());
        let others: Vec<&str> = left_out.iter().map(|(name, _)| name.as_str()).filter(|&name| name != site).collect();
        let left_out = match (part, others.len()) {
            (None, _) => "none is left out".to_owned(),
            (Some(_), 0) => format!("{site} is left out"),
            (Some(_), ..=MOST_NAMED) => format!("{site} is left out, and with it {}", others.join(", ")),
            (Some(_), count) => {
                let named = others[..MOST_NAMED].join(", ");
                format!("{site} is left out, and with it {named} and {} more", count - MOST_NAMED)
            }
        };
        let s = |count: usize| if count == 1 { "" } else { "s" };
        format!("{pages} page{} of {sites} site{}; {left_out}", s(pages), s(sites))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sites_that_are_left_out_together_are_named() {
        let told = |count: usize, folds: usize, site: &str| {
            let known = |place: usize| (format!("s{place:02}"), KnownSite { part: place % folds, pages: place % 3 });
            let sites = (0..count).map(known).collect();
            SiteModels { of_all: None, of_part: Vec::new(), sites }.learned_from(site)
        };
        assert_eq!(told(3, 3, "s00"), "3 pages of 2 sites; s00 is left out");
        assert_eq!(told(3, 3, "s01"), "2 pages of 1 site; s01 is left out");
        assert_eq!(told(6, 2, "s03"), "3 pages of 2 sites; s03 is left out, and with it s01, s05");
        let many = "s02 is left out, and with it s00, s04, s06, s08, s10 and 2 more";
        assert_eq!(told(16, 2, "s02"), format!("7 pages of 5 sites; {many}"));
        assert_eq!(told(3, 3, "elsewhere"), "3 pages of 2 sites; none is left out");
    }
}

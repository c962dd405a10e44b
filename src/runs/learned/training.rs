//! Training: pages with gold, read once, and what is learned of them for pages of other sites.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::linear::{Example, Loss, Model};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};
use crate::runs::execute::{IsStopped, go_on, guarded};

/// What is kept of a page that is learned from.
pub(super) trait TrainingPage<const N: usize>: Send + Sync + Sized {
    /// The page's examples, in order.
    fn examples(&self) -> impl Iterator<Item = Example<N>>;
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
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn read(
        datasets: &[&Dataset],
        keep: impl Fn(&Dataset, &Record) -> Option<P> + Sync,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, DatasetError> {
        let mut read: Vec<(String, Option<P>)> = Vec::new();
        for dataset in datasets {
            let of_record = |record: Result<Arc<Record>, DatasetError>| {
                let record = record?;
                go_on(is_stopped)?;
                let kept = || record.gold.as_ref().and_then(|_| keep(dataset, &record));
                Ok((record.site_or_id().to_owned(), guarded(kept).ok().flatten()))
            };
            read.extend(dataset.records.par_iter().map(of_record).collect::<Result<Vec<_>, DatasetError>>()?);
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
pub(super) struct SiteModels<const N: usize> {
    of_all: Option<Model<N>>,
    /// Without the part, where a site of it is tried.
    of_part: Vec<Option<Model<N>>>,
    parts: BTreeMap<String, usize>,
}

impl<const N: usize> SiteModels<N> {
    /// Learns from `training` for each site of `tried`. With no more sites than `folds` a part is a site; else site i of
    /// those in order of name is in part i mod `folds`. What is learned of all is where the others begin: sums over all
    /// examples then are taken three times a part, and not ten.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn learn<P: TrainingPage<N>>(
        training: &TrainingSet<P>,
        tried: &Dataset,
        fitting: Fitting,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, DatasetError> {
        let site = |record: Result<Arc<Record>, DatasetError>| Ok(record?.site_or_id().to_owned());
        let sites: BTreeSet<String> = tried.records.iter().map(site).collect::<Result<_, DatasetError>>()?;
        SiteModels::learn_for(training, &sites, fitting, is_stopped)
    }

    /// The same for pages of `sites`.
    ///
    /// # Errors
    /// [`DatasetError`]: that it was stopped.
    pub(super) fn learn_for<P: TrainingPage<N>>(
        training: &TrainingSet<P>,
        sites: &BTreeSet<String>,
        fitting: Fitting,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, DatasetError> {
        let Fitting { loss, l2, folds } = fitting;
        let numbered = training.sites.iter().enumerate();
        let parts: BTreeMap<String, usize> = numbered.map(|(place, site)| (site.clone(), place % folds)).collect();
        let mut is_tried = vec![false; folds.min(training.sites.len())];
        for &part in sites.iter().filter_map(|site| parts.get(site)) {
            is_tried[part] = true;
        }
        go_on(is_stopped)?;
        let of_all = {
            let examples = || training.pages.iter().flat_map(|(_, page)| page.examples());
            Model::learn(examples, loss, l2, None)
        };
        let without = |(part, is_tried): (usize, bool)| {
            go_on(is_stopped)?;
            let others = || training.pages.iter().filter(|(site, _)| site % folds != part);
            let examples = || others().flat_map(|(_, page)| page.examples());
            Ok(if is_tried { Model::learn(examples, loss, l2, of_all.as_ref()) } else { None })
        };
        let of_part = is_tried.into_par_iter().enumerate().map(without).collect::<Result<_, DatasetError>>()?;
        Ok(SiteModels { of_all, of_part, parts })
    }

    /// The model for pages of `site`; `None` where there was no other site to learn from.
    pub(super) fn of(&self, site: &str) -> Option<&Model<N>> {
        match self.parts.get(site) {
            Some(&part) => self.of_part[part].as_ref(),
            None => self.of_all.as_ref(),
        }
    }
}

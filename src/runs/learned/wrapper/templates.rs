//! Templates of the sites of a dataset: for each page one that was learned from others, or for each site one of all.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::learning::{LearnedTemplate, LearningParameters, SiteLearner};
use super::rules::{Fallback, Template};
use super::site::Site;
use crate::algorithms::algorithm::Choice;
use crate::datasets::manifest::Record;
use crate::datasets::node_tokens::{NodeTokens, char_tokens};
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::guarding::{IsStopped, go_on, guarded};
use crate::runs::row_outcome::{Decided, RulesUsed};

/// For pages of a dataset the template that was learned from other pages of the site, by their place.
pub(in crate::runs) struct PageTemplates(BTreeMap<usize, Arc<Template>>);

/// What was learned of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteTemplate {
    /// The site.
    pub site: String,
    /// The places in the dataset of the pages that it was learned from.
    pub pages: Vec<usize>,
    /// The template.
    pub learnt: LearnedTemplate,
}

impl PageTemplates {
    /// Learns, once with each of `settings`, for each page of `dataset` from other pages of its site that have gold; a
    /// page alone on its site has nothing to learn from. The pages of a site are read once and held in memory together,
    /// in short, for all settings.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(in crate::runs) fn learn(
        dataset: &Dataset,
        settings: &[LearningParameters],
        is_stopped: IsStopped<'_>,
    ) -> Result<Vec<Self>, Halt> {
        let of_site = |indexes: &Vec<usize>| -> Result<Vec<PlacedTemplates>, Halt> {
            go_on(is_stopped)?;
            if indexes.len() < 2 {
                return Ok(vec![Vec::new(); settings.len()]);
            }
            let learner = SiteLearner::new(read(dataset, indexes, is_stopped)?, is_stopped)?;
            settings.iter().map(|parameters| templates_of(&learner, indexes, parameters, is_stopped)).collect()
        };
        let sites = sites(dataset, |record| Some(record.site_or_id()))?;
        let of_sites = sites.par_iter().map(|(_, indexes)| of_site(indexes)).collect::<Result<Vec<_>, _>>()?;
        let mut learnt: Vec<PageTemplates> = settings.iter().map(|_| PageTemplates(BTreeMap::new())).collect();
        for (setting, templates) in of_sites.into_iter().flat_map(|of_site| of_site.into_iter().enumerate()) {
            learnt[setting].0.extend(templates);
        }
        Ok(learnt)
    }

    /// What is chosen of the page at `index`: what its template says, or `fallback` where there is none or it chooses
    /// nothing.
    pub(in crate::runs) fn choose(&self, index: usize, page: &Page, fallback: &Fallback) -> (Choice, RulesUsed) {
        let selection = self.0.get(&index).map(|template| template.select(&page.tree));
        let (choice, decided) = match selection {
            Some(selection) if !selection.is_empty() => (Choice::Selection(selection), Decided::Rule(0)),
            _ => fallback.choose(page),
        };
        (choice, RulesUsed { decided, empty: Vec::new() })
    }
}

/// Templates by the places of the pages that they are tried on.
type PlacedTemplates = Vec<(usize, Arc<Template>)>;

/// What each fold of a site, whose pages stand at `indexes`, learns from the others.
fn templates_of(
    learner: &SiteLearner,
    indexes: &[usize],
    parameters: &LearningParameters,
    is_stopped: IsStopped<'_>,
) -> Result<PlacedTemplates, Halt> {
    let folds = parameters.folds_of(indexes.len());
    let mut templates = Vec::new();
    for fold in 0..folds {
        let (held_out, others) = parted(indexes.len(), fold, folds);
        let learnt = learner.learn(parameters.of_first(&others), parameters, is_stopped)?;
        let Some(template) = learnt.and_then(|learnt| learnt.template()).map(Arc::new) else { continue };
        templates.extend(held_out.into_iter().map(|place| (indexes[place], template.clone())));
    }
    Ok(templates)
}

/// The pages that a fold of a site of so many pages is tried on, and those that it learns from.
fn parted(pages: usize, fold: usize, folds: usize) -> (Vec<usize>, Vec<usize>) {
    (0..pages).partition(|place| place % folds == fold)
}

/// What decides about one page.
pub(in crate::runs) enum PageTemplate {
    /// A template, and from how many pages it was learned.
    Learned(LearnedTemplate, usize),
    /// Nothing could be learned, in words.
    Nothing(&'static str),
}

/// What is learned for a page alone is soon learned, and learning for a file ends with the program.
const NEVER_STOPPED: IsStopped<'static> = &|| false;

impl PageTemplate {
    /// Learns the template of the page at `index` as [`PageTemplates::learn`] does, and no other.
    ///
    /// # Errors
    /// As there.
    pub(in crate::runs) fn learn(
        dataset: &Dataset,
        index: usize,
        parameters: &LearningParameters,
    ) -> Result<Self, Halt> {
        let site = dataset.records.get(index)?.site_or_id().to_owned();
        let sites = sites(dataset, |record| Some(record.site_or_id()))?;
        let of_site = sites.iter().find(|(name, _)| *name == site).map_or(&[][..], |(_, indexes)| indexes.as_slice());
        let Ok(place) = of_site.binary_search(&index) else {
            return Ok(PageTemplate::Nothing("the page has no gold, and is in no fold of its site"));
        };
        let folds = parameters.folds_of(of_site.len());
        let (_, others) = parted(of_site.len(), place % folds, folds);
        let learner = SiteLearner::new(read(dataset, of_site, NEVER_STOPPED)?, NEVER_STOPPED)?;
        let places = learner.readable(parameters.of_first(&others));
        if places.is_empty() {
            return Ok(PageTemplate::Nothing("there is no other page of the site with gold to learn from"));
        }
        Ok(match learner.learn(&places, parameters, NEVER_STOPPED)? {
            Some(learnt) => PageTemplate::Learned(learnt, places.len()),
            None => PageTemplate::Nothing("no selector names an element with gold on the other pages of the site"),
        })
    }
}

/// Learns a template of each site of `dataset` from all its pages that have gold. Left out are sites of which nothing could
/// be learned, and pages without a site, for which no rule could be.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub fn learn_sites(dataset: &Dataset, parameters: &LearningParameters) -> Result<Vec<SiteTemplate>, DatasetError> {
    let of_site = |(site, indexes): &(String, Vec<usize>)| -> Result<Option<SiteTemplate>, Halt> {
        let learner = SiteLearner::new(read(dataset, indexes, NEVER_STOPPED)?, NEVER_STOPPED)?;
        let places: Vec<usize> = (0..indexes.len()).collect();
        let places = learner.readable(parameters.of_first(&places));
        let learnt = learner.learn(&places, parameters, NEVER_STOPPED)?;
        let pages = || places.iter().map(|&place| indexes[place]).collect();
        Ok(learnt.map(|learnt| SiteTemplate { site: site.clone(), pages: pages(), learnt }))
    };
    let sites = sites(dataset, |record| record.site.as_deref())?;
    let learnt = sites.par_iter().map(of_site).collect::<Result<Vec<_>, _>>().map_err(Halt::of_unstopped)?;
    Ok(learnt.into_iter().flatten().collect())
}

/// The places of the pages with gold of each site that has a `name`, sites by name.
fn sites(dataset: &Dataset, name: impl Fn(&Record) -> Option<&str>) -> Result<Vec<(String, Vec<usize>)>, DatasetError> {
    let mut sites: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, record) in dataset.records.iter().enumerate() {
        let record = record?;
        if let Some(site) = name(&record).filter(|_| record.gold.is_some()) {
            sites.entry(site.to_owned()).or_default().push(index);
        }
    }
    Ok(sites.into_iter().collect())
}

/// The pages at `indexes`, each with its gold put on its text nodes.
fn read(dataset: &Dataset, indexes: &[usize], is_stopped: IsStopped<'_>) -> Result<Site, Halt> {
    let mut site = Site::default();
    for &index in indexes {
        go_on(is_stopped)?;
        let record = dataset.records.get(index)?;
        let with_gold = || -> Option<(Page, Selection)> {
            let opened = dataset.open(&record).ok()?;
            let gold = opened.page.view::<NodeTokens>().best(&char_tokens(&opened.gold?)).ok()?;
            Some((opened.page, gold))
        };
        match guarded(with_gold).ok().flatten() {
            Some((page, gold)) => site.add(&page, &gold),
            None => site.pages.push(None),
        }
    }
    Ok(site)
}

impl LearnedTemplate {
    /// As it is applied to pages.
    pub(super) fn template(&self) -> Option<Template> {
        // Selectors of plain identifiers are valid.
        Template::new(&self.include, &self.exclude, self.exclusion).ok()
    }
}

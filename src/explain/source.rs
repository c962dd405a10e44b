//! The page that is to be explained: of a run's datasets, of a dataset, or a file.

use crate::formats::code::Code;
use std::path::Path;
use std::sync::Arc;

use super::scorer::{Comparison, Scorer};
use crate::datasets::load::Loading;
use crate::datasets::locate::locate_with;
use crate::datasets::page_id::find_page;
use crate::datasets::{Dataset, DatasetError};
use crate::formats::files::FileError;
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::configuration::{Configuration, RequestError};
use crate::runs::plan::{Plan, PlanError};
use crate::scoring::Measure;
use crate::text::words::Segmenter;

/// A page with what is known of it.
pub struct Subject {
    /// Its id, or the file's path.
    pub name: String,
    /// As algorithms see it.
    pub page: Arc<Page>,
    /// Its gold, normalised.
    pub gold: Option<String>,
    /// Its gold text nodes, where they are known.
    pub gold_nodes: Option<Selection>,
    /// How extractions are held against the gold.
    pub comparison: Comparison,
    /// Its dataset and its place there; `None` for a file.
    pub place: Option<(Dataset, usize)>,
}

impl Subject {
    /// A page that is of no dataset: a group algorithm sees it alone.
    pub fn of_file(name: String, page: Page) -> Self {
        let page = Arc::new(page);
        Subject { name, page, gold: None, gold_nodes: None, comparison: Comparison::default(), place: None }
    }

    /// The dataset's name.
    pub(super) fn dataset(&self) -> Option<&str> {
        self.place.as_ref().map(|(dataset, _)| dataset.name())
    }

    /// Scores extractions, where there is gold.
    pub(super) fn scorer<'s>(&self, segmenter: &'s Segmenter) -> Option<Scorer<'s>> {
        // Snippets are counted in runs, over all pages; tables, code and formulas are no text that nodes add up to.
        match self.comparison.measure {
            Measure::Snippets | Measure::Structure(_) => None,
            Measure::Nodes => Some(Scorer::by_nodes(self.comparison, &self.page, self.gold_nodes.as_ref()?, segmenter)),
            _ => Some(Scorer::by_text(self.comparison, self.gold.as_deref()?, segmenter)),
        }
    }
}

/// Why there is no such page.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The request.
    #[error("{0}")]
    Request(String),
    /// A run's folder whose configuration cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A run's configuration that is no configuration.
    #[error(transparent)]
    Configuration(#[from] RequestError),
    /// A run's configuration that cannot be planned any more.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A dataset.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// The datasets that `name` means, a run's folder or a dataset, and how extractions are scored there. A run that goes on
/// at faults does so here, whatever `loading` is.
///
/// # Errors
/// [`SourceError`]: neither of them, or one that cannot be read, or of which faults leave no page.
pub fn datasets(name: &str, loading: Loading) -> Result<(Vec<Dataset>, Comparison), SourceError> {
    let configuration = Path::new(name).join("run.yaml");
    if !configuration.is_file() {
        let dataset = locate_with(name, loading)?;
        dataset.refuse_if_none_is_left()?;
        return Ok((vec![dataset], Comparison::default()));
    }
    let bytes = read_at_most(&configuration, MOST_WRITTEN_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut configuration = Configuration::from_yaml(&configuration.display().to_string(), &text)?;
    configuration.keep_going |= loading.keep_going;
    configuration.gold_outside = loading.gold_outside;
    let comparison = configuration.comparison;
    Ok((Plan::load(&configuration, configuration.loading())?, comparison))
}

/// Ids that an error names at most.
const NAMED: usize = 5;

/// The page of `datasets` whose id is `page`, or the only one whose id begins with it.
///
/// # Errors
/// [`SourceError`]: no such page, several of them, or one that cannot be read.
pub fn find(datasets: Vec<Dataset>, page: Option<&str>, comparison: Comparison) -> Result<Subject, SourceError> {
    let mut known = Vec::new();
    for (at, dataset) in datasets.iter().enumerate() {
        for (index, record) in dataset.records.iter().enumerate() {
            known.push((record?.id.clone(), at, index));
        }
    }
    let Some(page) = page else {
        let few: Vec<&str> = known.iter().take(NAMED).map(|(id, _, _)| id.as_str()).collect();
        let message = format!("name one of the {} pages by its id: {}, ..", known.len(), few.join(", "));
        return Err(SourceError::Request(message));
    };
    let named: Vec<(&str, &str)> = known.iter().map(|(id, at, _)| (id.as_str(), datasets[*at].name())).collect();
    let (_, at, index) = known[find_page(&named, page).map_err(SourceError::Request)?];
    open(datasets, at, index, comparison)
}

fn open(mut datasets: Vec<Dataset>, at: usize, index: usize, comparison: Comparison) -> Result<Subject, SourceError> {
    let dataset = datasets.swap_remove(at);
    let record = dataset.records.get(index)?;
    let fault = |message| DatasetError::new(Code::Page, dataset.name(), message).of_page(&record.id);
    let opened = dataset.open(&record);
    dataset.refuse_unread()?;
    let opened = opened.map_err(fault)?;
    let (page, name) = (Arc::new(opened.page), record.id.clone());
    // The text that a run compares with.
    let raw = dataset.gold_as_it_stands(&record, comparison).map_err(fault)?;
    let (gold, gold_nodes) = (raw.or(opened.gold), opened.nodes);
    Ok(Subject { name, page, gold, gold_nodes, comparison, place: Some((dataset, index)) })
}

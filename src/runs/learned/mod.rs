//! Rows that know more than a page: rules that a person wrote for sites, and what is learned from the gold of other
//! pages. The folds are made here: no row sees the gold of a page that it is tried on.

mod described;
mod explaining;
pub mod fiasco;
mod links;
mod requests;
mod trained;
mod trained_on;
mod training;
pub mod wrapper;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;

use self::fiasco::FiascoParameters;
pub use self::requests::learning_parameters;
use self::requests::{links, resolve, without_learned_rules};
use self::trained::Trained;
pub use self::trained_on::TrainedOn;
use self::wrapper::{Fallback, LearnedFrom, LearningParameters, PageMark, Rules, marks};
use super::configuration::{AlgorithmRequest, RequestError};
use super::described::Described;
use super::explaining::{ExplainError, Explaining, Told};
use super::kind::{Asked, Kind, Prepared, Preparing};
use super::reads_gold::ReadsGold;
use super::system::{Alone, Row, Sees, System};
use super::values::{canonical, text_of};
use crate::algorithms::link_noise::{self, LinkNoiseParameters};
use crate::algorithms::parameters::{Values, declared};
use crate::datasets::load::Loading;
use crate::datasets::{Dataset, DatasetError, Halt};

/// How rules of sites are called in configurations.
pub const WRAPPER: &str = "wrapper";

/// How the classifier of blocks is called in configurations.
pub const FIASCO: &str = "fiasco-lite";

/// What becomes of a page of which a learned template chooses nothing, where nothing else is said.
pub const DEFAULT_FALLBACK: &str = "all-text";

/// Rules or what learns, as a row of a run.
#[derive(Clone)]
pub struct Learned {
    /// How it knows what is content.
    pub method: Method,
    values: Values,
    differs: Vec<String>,
    /// Of each dataset of the run how many of its pages its rules were learned from, once that was looked for.
    taught: Vec<usize>,
}

/// How such a row knows what is content.
#[derive(Clone)]
pub enum Method {
    /// Rules that a person wrote.
    Rules(Arc<Rules>),
    /// A template for each page, learned from other pages of its site.
    Templates(LearningParameters, Fallback),
    /// A classifier of blocks for each site, learned from the other sites, of the dataset or of those that were named.
    Blocks(FiascoParameters, Option<Arc<TrainedOn>>),
    /// A classifier of links for each site, learned from the other sites.
    Links(LinkNoiseParameters),
}

/// The kind of rules of sites, and of what learns from the gold of other pages.
pub(super) struct LearnedSystems;

impl Kind for LearnedSystems {
    fn makes(&self, row: &Row) -> bool {
        row.of::<Learned>().is_some()
    }

    fn described(&self) -> &'static [Described] {
        &described::LEARNED
    }

    fn asked(&self, request: &AlgorithmRequest, loading: Loading) -> Option<Result<Asked, RequestError>> {
        match request.name.as_str() {
            WRAPPER | FIASCO => Some(resolve(request, loading)),
            link_noise::NAME => links(request).transpose(),
            _ => None,
        }
    }

    fn reads_gold(&self, name: &str, label: &str) -> Option<ReadsGold> {
        let is_told = |told: &str| label.split(',').any(|part| part == told);
        let learns = match name {
            WRAPPER => is_told("learn=true"),
            link_noise::NAME => is_told("scores=learned"),
            name => name == FIASCO,
        };
        learns.then_some(ReadsGold::OtherPages)
    }

    fn parted_by_gold(&self, request: AlgorithmRequest) -> Result<[Option<AlgorithmRequest>; 2], RequestError> {
        match self.reads_gold(&request.name, &request.label()) {
            Some(_) => Ok([None, Some(request)]),
            None => without_learned_rules(request),
        }
    }

    fn meet(&self, rows: &mut [Row], datasets: &[Dataset]) -> Result<(), DatasetError> {
        let pages = datasets.iter().map(|dataset| pages_learned_from(rows, dataset));
        let pages: Vec<BTreeMap<String, usize>> = pages.collect::<Result<_, _>>()?;
        for row in rows {
            let Some(learned) = row.of::<Learned>() else { continue };
            let Some(rules) = learned.rules_of_file() else { continue };
            let taught = pages.iter().map(|pages| pages.get(&rules.digest).copied().unwrap_or_default()).collect();
            row.system = Arc::new(Learned { taught, ..learned.clone() });
        }
        Ok(())
    }

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt> {
        Ok(Box::new(Trained::learn(&own)?))
    }
}

/// How many pages of `dataset` the rules of each file among `rows` were learned from, by the file's digest; it is read
/// where there are such rules.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
fn pages_learned_from(rows: &[Row], dataset: &Dataset) -> Result<BTreeMap<String, usize>, DatasetError> {
    let rules = rows.iter().filter_map(Row::of::<Learned>).filter_map(Learned::rules_of_file);
    let rules: Vec<&Rules> = rules.filter(|rules| !rules.learned_from.is_empty()).collect();
    if rules.is_empty() {
        return Ok(BTreeMap::new());
    }
    let marks = marks(dataset, &(0..dataset.records.len()).collect::<Vec<_>>())?;
    let taught = |rules: &Rules| {
        let is_known = |mark: &&PageMark| rules.learned_from.iter().any(|from| from.pages.contains(mark));
        marks.iter().flatten().filter(is_known).count()
    };
    Ok(rules.into_iter().map(|rules| (rules.digest.clone(), taught(rules))).collect())
}

impl Learned {
    fn new(method: Method, values: Values, differs: Vec<String>) -> Self {
        Learned { method, values, differs, taught: Vec::new() }
    }

    /// The rules of its file.
    fn rules_of_file(&self) -> Option<&Rules> {
        match &self.method {
            Method::Rules(rules) => Some(rules),
            Method::Templates(..) | Method::Blocks(..) | Method::Links(_) => None,
        }
    }

    /// What it was learned from before the run.
    fn learned_from(&self) -> &[LearnedFrom] {
        self.rules_of_file().map_or(&[], |rules| &rules.learned_from)
    }

    /// How many pages of the dataset at `place` it was learned from before the run.
    fn taught_by(&self, place: usize) -> usize {
        self.taught.get(place).copied().unwrap_or_default()
    }

    /// Its parameters, each once however it was written, and what it rests on besides.
    fn told(&self) -> Vec<String> {
        let declared = match self.method {
            Method::Blocks(..) => declared::<FiascoParameters>(),
            Method::Links(_) => declared::<LinkNoiseParameters>(),
            Method::Rules(_) | Method::Templates(..) => declared::<LearningParameters>(),
        };
        let value =
            |(name, value): (&String, &Json)| match (&self.method, declared.iter().find(|known| known.name == *name)) {
                (_, Some(known)) => format!("{name}={}", canonical(&known.values, value)),
                (Method::Templates(_, fallback), None) => format!("{name}={}", fallback.resolved()),
                (_, None) => format!("{name}={}", text_of(value)),
            };
        let rests_on = match &self.method {
            Method::Rules(rules) => format!("sha256:{}", rules.digest),
            Method::Templates(..) => "reads_gold=other_pages, of the site".to_owned(),
            Method::Blocks(_, None) | Method::Links(_) => "reads_gold=other_pages, of other sites".to_owned(),
            Method::Blocks(_, Some(trained_on)) => format!("reads_gold=other_pages, of other sites of {trained_on}"),
        };
        self.values.iter().map(value).chain([rests_on]).collect()
    }
}

impl System for Learned {
    fn name(&self) -> &str {
        match self.method {
            Method::Rules(_) | Method::Templates(..) => WRAPPER,
            Method::Blocks(..) => FIASCO,
            Method::Links(_) => link_noise::NAME,
        }
    }

    fn values(&self) -> Values {
        self.values.clone()
    }

    fn differs(&self) -> Vec<String> {
        self.differs.clone()
    }

    fn identity(&self) -> String {
        [self.name().to_owned()].into_iter().chain(self.told()).collect::<Vec<_>>().join("\t")
    }

    fn line(&self, place: usize, _: &BTreeSet<Option<String>>) -> String {
        let named = [format!("carat {}", env!("CARGO_PKG_VERSION")), self.name().to_owned()];
        let reads = self.reads_gold_of(place).map_or("nothing", ReadsGold::name);
        let learned = self.learned_from().iter().map(|LearnedFrom { dataset, digest, .. }| {
            format!("reads_gold={reads}, learned from {dataset} ({digest})")
        });
        named.into_iter().chain(self.told()).chain(learned).collect::<Vec<_>>().join(" | ")
    }

    fn reads_gold(&self) -> Option<ReadsGold> {
        (self.learns() || !self.learned_from().is_empty()).then_some(ReadsGold::OtherPages)
    }

    /// Rules on pages that they were learned from are a bound.
    fn reads_gold_of(&self, place: usize) -> Option<ReadsGold> {
        if self.taught_by(place) > 0 { Some(ReadsGold::Page) } else { self.reads_gold() }
    }

    fn learns(&self) -> bool {
        matches!(self.method, Method::Templates(..) | Method::Blocks(..) | Method::Links(_))
    }

    fn trained_on(&self) -> Vec<(&Dataset, &str)> {
        match &self.method {
            Method::Blocks(_, Some(trained_on)) => trained_on.with_digests().collect(),
            Method::Blocks(_, None) | Method::Rules(_) | Method::Templates(..) | Method::Links(_) => Vec::new(),
        }
    }

    fn sees(&self) -> Sees {
        match self.method {
            Method::Rules(_) => Sees::Page,
            Method::Templates(..) => Sees::Site,
            Method::Blocks(..) | Method::Links(_) => Sees::Dataset,
        }
    }

    fn alone(&self) -> Option<Alone> {
        match self.method {
            // A template is learned from the pages that have gold.
            Method::Templates(..) => Some(Alone::OnSiteWithGold),
            Method::Links(_) => Some(Alone::OnSite),
            Method::Rules(_) | Method::Blocks(..) => None,
        }
    }

    /// A template is learned for a page with gold from the others: on a page without gold there would be the fallback's
    /// text alone.
    fn is_compared(&self) -> bool {
        !matches!(self.method, Method::Templates(..))
    }

    fn is_timed(&self) -> bool {
        true
    }

    /// Files of rules, and the gold of other datasets.
    fn rests_on_others(&self) -> bool {
        true
    }

    fn notes(&self, place: usize, dataset: &Dataset) -> Vec<String> {
        let Some(rules) = self.rules_of_file() else { return Vec::new() };
        let (name, all) = (dataset.name(), dataset.records.len());
        let is_namesake = rules.learned_from.iter().any(|from| from.dataset == name);
        let told = match self.taught_by(place) {
            0 if is_namesake => format!(
                "its rules were learned from other pages of a dataset {name} than these; whether a page was changed since is not known"
            ),
            0 => return Vec::new(),
            pages => format!(
                "its rules were learned from the gold of {pages} of the {all} pages of {name} that they are scored on: a bound, and never ranked"
            ),
        };
        vec![format!("{}: {told}", rules.file)]
    }

    fn rules(&self) -> Vec<String> {
        let rules = self.rules_of_file().into_iter();
        rules.flat_map(|rules| rules.rules().iter().map(|rule| format!("{}:{}", rules.file, rule.line))).collect()
    }

    fn explain(&self, on: &Explaining<'_>) -> Result<Told, ExplainError> {
        let Some((dataset, index)) = on.place else {
            let message = format!("`{}` is for the pages of a dataset, and {} is a single page", self.name(), on.name);
            return Err(ExplainError::Page(message));
        };
        let told = self.explain_on(dataset, index, on.page).map_err(Halt::of_unstopped)?;
        told.ok_or_else(|| ExplainError::Page("there is no other site with gold to learn from".to_owned()))
    }
}

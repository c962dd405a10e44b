//! Rows that know more than a page: rules that a person wrote for sites, and what is learned from the gold of other
//! pages. The folds are made here: no row sees the gold of a page that it is tried on.

mod described;
mod explaining;
pub mod fiasco;
mod linear;
mod links;
mod trained_on;
mod training;
pub mod wrapper;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use self::fiasco::{BlockModels, FiascoParameters, TrainingBlocks};
use self::links::LinkModels;
use self::trained_on::TRAIN_ON;
pub use self::trained_on::TrainedOn;
use self::training::Fitting;
use self::wrapper::{Fallback, LearnedFrom, LearningParameters, PageMark, PageTemplates, Rules, marks};
use super::configuration::{AlgorithmRequest, ParameterRequest, RequestError};
use super::described::Described;
use super::explaining::{ExplainError, Explaining, Told};
use super::grid::Written;
use super::guarding::{IsStopped, guarded};
use super::kind::{Asked, Extraction, Kind, OnPage, Prepared, Preparing, RowExtraction};
use super::own::{self, OwnAlgorithm, needs_gold};
use super::reads_gold::ReadsGold;
use super::row_outcome::RulesUsed;
use super::system::{Alone, Row, Sees, System};
use super::values::{canonical, differs, grid, product, text_of};
use crate::algorithms::algorithm::{Choice, unknown_parameter};
use crate::algorithms::link_noise::{self, LinkNoiseParameters};
use crate::algorithms::parameters::{Values, as_values, declared};
use crate::algorithms::value::Value;
use crate::datasets::load::Loading;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};
use crate::page::Page;

/// How rules of sites are called in configurations.
pub const WRAPPER: &str = "wrapper";

/// How the classifier of blocks is called in configurations.
pub const FIASCO: &str = "fiasco-lite";

/// Every system of this kind, in the order of listings.
pub const NAMES: [&str; 2] = [WRAPPER, FIASCO];

/// What becomes of a page of which a learned template chooses nothing, where nothing else is said.
pub const DEFAULT_FALLBACK: &str = "all-text";

/// The parameter that names a file of rules.
const RULES: &str = "rules";

/// The parameter that names the fallback of learned templates.
pub(super) const FALLBACK: &str = "fallback";

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

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, DatasetError> {
        Ok(Box::new(Trained::learn(&own)?))
    }
}

/// The rows that `request` asks for. `loading` is of datasets that it names to learn from.
///
/// # Errors
/// [`RequestError`]: parameters that there are not, or a rules file that cannot be read or is wrong.
fn resolve(request: &AlgorithmRequest, loading: Loading) -> Result<Asked, RequestError> {
    let learned = match request.name.as_str() {
        FIASCO => blocks(request, loading)?,
        _ => {
            refuse_unknown(request)?;
            let of_file = request.parameters.iter().any(|parameter| parameter.name == RULES);
            if of_file { rules(request)? } else { templates(request)? }
        }
    };
    let is_swept = |parameter: &&ParameterRequest| match parameter.name.as_str() {
        RULES | TRAIN_ON => names(&parameter.written).len() > 1,
        _ => parameter.written.is_swept(),
    };
    let swept: Vec<String> =
        request.parameters.iter().filter(is_swept).map(|parameter| parameter.name.clone()).collect();
    let rows = learned.into_iter().map(|learned| Row::new(learned, swept.clone())).collect();
    Ok(Asked { rows, sweeps: Vec::new() })
}

/// Each setting of parameters that are a plain struct, with every value and the names of those that are not at their
/// default.
fn settings<P>(request: &AlgorithmRequest) -> Result<Vec<(P, Values, Vec<String>)>, RequestError>
where
    P: JsonSchema + Default + Serialize + DeserializeOwned,
{
    let parameters = declared::<P>();
    let (cells, _) = grid(request, &parameters, &|_| false)?;
    let setting = |given: Values| {
        let mut values = as_values(&P::default());
        values.extend(given);
        let typed = serde_json::from_value(Json::Object(values.clone()));
        let typed = typed.map_err(|error| request.origin.error(format!("{}: {error}", request.name)))?;
        let differing = differs(&parameters, &values);
        Ok((typed, values, differing))
    };
    product(&cells, &request.origin)?.into_iter().map(setting).collect()
}

/// The parameter by which [`link_noise`] learns.
const SCORES: &str = "scores";

/// Rows of [`link_noise`] that learn its scores; `None` where `request` asks for none, or is wrong: then it is an
/// algorithm's.
fn links(request: &AlgorithmRequest) -> Result<Option<Asked>, RequestError> {
    let Ok(Asked { rows, sweeps }) = own::settings(request) else { return Ok(None) };
    let settings = rows.iter().chain(sweeps.iter().map(|sweep| &sweep.row)).filter_map(Row::of::<OwnAlgorithm>);
    if !settings.clone().any(|own| needs_gold(own.algorithm, &own.setting)) {
        return Ok(None);
    }
    if !sweeps.is_empty() {
        let message = format!("{}: with learned scores no break points are known; give a grid", request.name);
        return Err(request.origin.error(message));
    }
    if rows.iter().any(|row| row.swept.iter().any(|name| name == SCORES)) {
        let message = "`scores: learned` reads gold, and is a row beside the others: name it by itself";
        return Err(request.origin.error(message));
    }
    let row = |row: &Row| {
        let (values, differs) = (row.system.values(), row.system.differs());
        let parameters = serde_json::from_value(Json::Object(values.clone()));
        let parameters = parameters.map_err(|error| request.origin.error(format!("{}: {error}", request.name)))?;
        Ok(Row::new(Learned::new(Method::Links(parameters), values, differs), row.swept.clone()))
    };
    let rows = rows.iter().map(row).collect::<Result<_, RequestError>>()?;
    Ok(Some(Asked { rows, sweeps: Vec::new() }))
}

/// Rows of classifiers of blocks.
fn blocks(request: &AlgorithmRequest, loading: Loading) -> Result<Vec<Learned>, RequestError> {
    let (named, parameters): (Vec<_>, Vec<_>) =
        request.parameters.iter().cloned().partition(|parameter| parameter.name == TRAIN_ON);
    let mut trained_on = vec![None];
    for ParameterRequest { written, origin, .. } in &named {
        let read = |names: &String| Ok(Some(Arc::new(TrainedOn::read(names, origin, loading)?)));
        trained_on = names(written).iter().map(read).collect::<Result<_, RequestError>>()?;
    }
    let mut rows = Vec::new();
    for (parameters, values, differs) in settings(&AlgorithmRequest { parameters, ..request.clone() })? {
        FiascoParameters::check(&parameters).map_err(|message| request.origin.error(format!("{FIASCO}: {message}")))?;
        for trained_on in &trained_on {
            let (mut values, mut differs) = (values.clone(), differs.clone());
            if let Some(trained_on) = trained_on {
                values.insert(TRAIN_ON.to_owned(), trained_on.named.as_str().into());
                differs.push(TRAIN_ON.to_owned());
            }
            rows.push(Learned::new(Method::Blocks(parameters, trained_on.clone()), values, differs));
        }
    }
    Ok(rows)
}

/// How templates are learned, as it is written behind `wrapper:learn=true,`, one value each.
///
/// # Errors
/// [`RequestError`]: a parameter that there is not, or that has no such value.
pub fn learning_parameters(written: &str) -> Result<LearningParameters, RequestError> {
    let request = AlgorithmRequest::from_argument(&format!("{WRAPPER}:{written}"))?;
    match settings::<LearningParameters>(&request)?.as_slice() {
        [(parameters, ..)] => {
            parameters.check().map_err(|message| request.origin.error(message))?;
            Ok(*parameters)
        }
        _ => Err(request.origin.error("one value for each parameter is needed here")),
    }
}

/// Refuses what is no parameter of `wrapper`.
fn refuse_unknown(request: &AlgorithmRequest) -> Result<(), RequestError> {
    let declared = declared::<LearningParameters>();
    let known = [RULES, FALLBACK].into_iter().chain(declared.iter().map(|parameter| parameter.name.as_str()));
    match request.parameters.iter().find(|parameter| !known.clone().any(|known| known == parameter.name)) {
        Some(ParameterRequest { name, origin, .. }) => {
            Err(origin.error(unknown_parameter(WRAPPER, name, known).to_string()))
        }
        None => Ok(()),
    }
}

/// What `request` asks for without files of rules that were learned from gold, and with those alone.
///
/// # Errors
/// [`RequestError`]: a rules file that cannot be read or is wrong.
fn without_learned_rules(request: AlgorithmRequest) -> Result<[Option<AlgorithmRequest>; 2], RequestError> {
    let is_of_files = |parameter: &ParameterRequest| request.name == WRAPPER && parameter.name == RULES;
    let Some(place) = request.parameters.iter().position(is_of_files) else { return Ok([Some(request), None]) };
    let (mut learned, mut others) = (Vec::new(), Vec::new());
    for file in names(&request.parameters[place].written) {
        let of_gold = !Rules::read(Path::new(&file))?.learned_from.is_empty();
        if of_gold { learned.push(file) } else { others.push(file) }
    }
    let with = |files: Vec<String>| {
        let mut with = request.clone();
        with.parameters[place].written = Written::Values(files.clone());
        (!files.is_empty()).then_some(with)
    };
    Ok([others, learned].map(with))
}

/// Rows of rules that a person wrote, one a file.
fn rules(request: &AlgorithmRequest) -> Result<Vec<Learned>, RequestError> {
    let mut rows = Vec::new();
    for ParameterRequest { name, written, origin } in &request.parameters {
        if name != RULES {
            return Err(origin.error(format!("`{name}` belongs to what is learned, and not to rules of a file")));
        }
        for file in names(written) {
            let rules = Arc::new(Rules::read(Path::new(&file))?);
            let values = Values::from_iter([(RULES.to_owned(), file.as_str().into())]);
            rows.push(Learned::new(Method::Rules(rules), values, vec![RULES.to_owned()]));
        }
    }
    Ok(rows)
}

/// The files or datasets that are named: a path such as `../a/b` looks like a range.
fn names(written: &Written) -> Vec<String> {
    match written {
        Written::Values(names) => names.clone(),
        Written::Range { .. } | Written::Exact => vec![written.to_string()],
    }
}

/// Rows of templates that are learned.
fn templates(request: &AlgorithmRequest) -> Result<Vec<Learned>, RequestError> {
    let (fallbacks, parameters): (Vec<_>, Vec<_>) =
        request.parameters.iter().cloned().partition(|parameter| parameter.name == FALLBACK);
    let named = fallbacks.first().map_or(DEFAULT_FALLBACK.to_owned(), |fallback| fallback.written.to_string());
    let origin = fallbacks.first().map_or(&request.origin, |fallback| &fallback.origin);
    let fallback = Fallback::of(&AlgorithmRequest::from_value(&named, origin)?)?;
    let named = fallback.written();
    let request = AlgorithmRequest { parameters, ..request.clone() };
    let row = |(parameters, mut values, mut differs): (LearningParameters, Values, Vec<String>)| {
        if !parameters.learn {
            let message = "`wrapper` takes its rules from a file, `wrapper: {rules: FILE}`, or learns them, `wrapper: {learn: true}`";
            return Err(request.origin.error(message));
        }
        parameters.check().map_err(|message| request.origin.error(message))?;
        values.insert(FALLBACK.to_owned(), named.as_str().into());
        if named != DEFAULT_FALLBACK {
            differs.push(FALLBACK.to_owned());
        }
        Ok(Learned::new(Method::Templates(parameters, fallback.clone()), values, differs))
    };
    settings(&request)?.into_iter().map(row).collect()
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
        if self.learns() { Sees::OtherPages } else { Sees::Page }
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
        let told = self.explain_on(dataset, index, on.page)?;
        told.ok_or_else(|| ExplainError::Page("there is no other site with gold to learn from".to_owned()))
    }
}

/// The rows of this kind of a plan, with what they have learned of a dataset.
struct Trained<'p> {
    rows: Vec<(usize, Knowledge<'p>)>,
}

enum Knowledge<'p> {
    Rules(&'p Rules),
    Templates(Arc<PageTemplates>, &'p Fallback),
    Blocks(Arc<BlockModels>, Value),
    Links(Arc<LinkModels>, &'p LinkNoiseParameters),
}

impl<'p> Trained<'p> {
    /// Lets the rows learn from the dataset; rows that learn the same do so once.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    fn learn(own: &Preparing<'p>) -> Result<Self, DatasetError> {
        let &Preparing { dataset, is_stopped, .. } = own;
        let learned = own.rows.iter().filter_map(|&(place, row)| Some((place, &row.of::<Learned>()?.method)));
        let learned: Vec<(usize, &'p Method)> = learned.collect();
        let templates = templates_by_setting(&learned, dataset, is_stopped)?;
        let mut blocks: Known<Option<&str>, TrainingBlocks> = Vec::new();
        let mut links: Known<Value, LinkModels> = Vec::new();
        let mut models: Known<(Option<&str>, Fitting), BlockModels> = Vec::new();
        let mut rows = Vec::new();
        for (place, method) in learned {
            let knowledge = match method {
                Method::Rules(rules) => Knowledge::Rules(rules),
                Method::Templates(parameters, fallback) => {
                    let setting = as_values(parameters);
                    let Some((_, learnt)) = templates.iter().find(|(known, _)| *known == setting) else { continue };
                    Knowledge::Templates(learnt.clone(), fallback)
                }
                Method::Blocks(parameters, trained_on) => {
                    let from = trained_on.as_deref().map(|trained_on| trained_on.named.as_str());
                    let pages = known_or(&mut blocks, from, || match trained_on {
                        Some(trained_on) => TrainingBlocks::of(&trained_on.datasets().collect::<Vec<_>>(), is_stopped),
                        None => TrainingBlocks::of(&[dataset], is_stopped),
                    })?;
                    let fitting = parameters.fitting();
                    let learn = || BlockModels::learn(&pages, dataset, fitting, is_stopped);
                    Knowledge::Blocks(known_or(&mut models, (from, fitting), learn)?, parameters.clean)
                }
                Method::Links(parameters) => {
                    let learn = || LinkModels::learn(dataset, parameters, is_stopped);
                    Knowledge::Links(known_or(&mut links, parameters.short, learn)?, parameters)
                }
            };
            rows.push((place, knowledge));
        }
        Ok(Trained { rows })
    }
}

impl Prepared for Trained<'_> {
    /// Nothing is there of a row that could learn nothing for the page.
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let Some(page) = on.page else { return Ok(Vec::new()) };
        let extraction =
            |(place, knowledge): &(usize, Knowledge<'_>)| match guarded(|| knowledge.choose(on.index, on.record, page))
            {
                Ok(chosen) => chosen.map(|(choice, rules)| RowExtraction {
                    rules,
                    ..RowExtraction::new(*place, Extraction::Chosen(choice))
                }),
                Err(reason) => Some(RowExtraction::new(*place, Extraction::Failed(reason))),
            };
        Ok(self.rows.iter().filter_map(extraction).collect())
    }
}

/// What was learned, by what it depends on.
type Known<K, T> = Vec<(K, Arc<T>)>;

/// The templates of each distinct setting among `rows`, learned together: of all settings the pages are read once.
fn templates_by_setting(
    rows: &[(usize, &Method)],
    dataset: &Dataset,
    is_stopped: IsStopped<'_>,
) -> Result<Known<Values, PageTemplates>, DatasetError> {
    let (mut keys, mut settings): (Vec<Values>, Vec<LearningParameters>) = Default::default();
    for (_, method) in rows {
        let Method::Templates(parameters, _) = method else { continue };
        let key = as_values(parameters);
        if !keys.contains(&key) {
            keys.push(key);
            settings.push(*parameters);
        }
    }
    if settings.is_empty() {
        return Ok(Vec::new());
    }
    let learnt = PageTemplates::learn(dataset, &settings, is_stopped)?;
    Ok(keys.into_iter().zip(learnt.into_iter().map(Arc::new)).collect())
}

/// What was learned for the same key, or is learned now.
fn known_or<K: PartialEq, T>(
    known: &mut Known<K, T>,
    key: K,
    learn: impl FnOnce() -> Result<T, DatasetError>,
) -> Result<Arc<T>, DatasetError> {
    if let Some((_, learnt)) = known.iter().find(|(other, _)| *other == key) {
        return Ok(learnt.clone());
    }
    let learnt = Arc::new(learn()?);
    known.push((key, learnt.clone()));
    Ok(learnt)
}

impl Knowledge<'_> {
    /// The choice, and of rules what decided it; `None` where there was nothing to learn from.
    fn choose(&self, index: usize, record: &Record, page: &Page) -> Option<(Choice, Option<RulesUsed>)> {
        let with_rules = |(choice, used): (Choice, RulesUsed)| (choice, Some(used));
        match self {
            Knowledge::Rules(rules) => Some(with_rules(rules.choose(record, page))),
            Knowledge::Templates(templates, fallback) => Some(with_rules(templates.choose(index, page, fallback))),
            Knowledge::Links(models, parameters) => {
                models.choose(record, page, parameters).map(|choice| (choice, None))
            }
            Knowledge::Blocks(models, clean) => models.choose(record, page, *clean).map(|choice| (choice, None)),
        }
    }
}
